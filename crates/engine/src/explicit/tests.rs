//! The search on small systems made by hand; random ones are in [`random`].

mod random;

use std::collections::{HashSet, VecDeque};

use ir::interp::Interp;
use ir::{
    Actions, ArrayType, Certificate, Edge, EnumId, FaultId, FaultState, Id, Int, Location, LocationId,
    LocationKind, Process, Rat, Run, Span, State, Stmt, System, Term, Type, Value, VarId, Variable,
};

use super::*;
use crate::Quiet;

/// One process with one observed location, a fault location, and a loop for each statement.
struct Model {
    system: System,
}

impl Model {
    fn new() -> Self {
        let mut system = System::default();
        let always = system.terms.bool(true);
        let location =
            |name: &str, observed| Location { observed, ..Location::new(name, always, LocationKind::Normal) };
        let locations = [location("run", true), location("fault", false)].into_iter().collect();
        system.processes.push(Process {
            name: "main".to_owned(),
            locations,
            initial: Some(LocationId::at(0)),
            ..Process::default()
        });
        Model { system }
    }
    /// A state variable; without an initial value it starts open.
    fn var(&mut self, name: &str, ty: Type, initial: Option<i64>) -> VarId {
        let var = self.system.declare(ty, Variable::state(name, Span::default()));
        if let Some(initial) = initial {
            let value = match ty {
                Type::Bool => self.system.terms.bool(initial != 0),
                Type::Enum(id) => self.system.terms.constant(Value::Enum(id, initial as u32)),
                _ => self.system.terms.int(initial),
            };
            self.system.initial.push((var, value));
        }
        var
    }
    fn int(&mut self, name: &str, initial: i64) -> VarId {
        self.var(name, Type::Int, Some(initial))
    }
    fn ranged(&mut self, name: &str, least: i64, greatest: i64) -> VarId {
        let var = self.var(name, Type::Int, None);
        self.system.vars[var].range = Some((Int::from(least), Int::from(greatest)));
        var
    }
    fn local(&mut self, name: &str, ty: Type) -> VarId {
        self.system.declare(ty, Variable::local(name, Span::default()))
    }
    fn edge_to(&mut self, target: usize, update: Stmt) {
        let guard = self.system.terms.bool(true);
        let process = ir::ProcessId::at(0);
        self.system.processes[process].edges.push(Edge {
            source: LocationId::at(0),
            target: LocationId::at(target),
            guard,
            update: ir::Guarded::safe(update),
            sync: None,
            label: String::new(),
            span: Span::default(),
        });
    }
    fn edge(&mut self, update: impl IntoIterator<Item = Stmt>) {
        let update = self.system.terms.seq(update);
        self.edge_to(0, update);
    }

    fn v(&mut self, var: VarId) -> Term {
        self.system.terms.var(var)
    }
    fn plus(&mut self, var: VarId, n: i64) -> Term {
        let (var, n) = (self.system.terms.var(var), self.system.terms.int(n));
        self.system.terms.add([var, n])
    }
    fn eq(&mut self, var: VarId, n: i64) -> Term {
        let (var, n) = (self.system.terms.var(var), self.system.terms.int(n));
        self.system.terms.eq(var, n)
    }
    fn lt(&mut self, var: VarId, n: i64) -> Term {
        let (var, n) = (self.system.terms.var(var), self.system.terms.int(n));
        self.system.terms.lt(var, n)
    }
    fn assume(&mut self, term: Term) -> Stmt {
        self.system.terms.assume(term)
    }
    fn assign(&mut self, var: VarId, term: Term) -> Stmt {
        self.system.terms.assign(var, term)
    }
    fn set(&mut self, var: VarId, n: i64) -> Stmt {
        let n = self.system.terms.int(n);
        self.system.terms.assign(var, n)
    }
    fn add(&mut self, var: VarId, n: i64) -> Stmt {
        let sum = self.plus(var, n);
        self.assign(var, sum)
    }
    fn havoc(&mut self, var: VarId) -> Stmt {
        self.system.terms.havoc(var)
    }

    fn search_with(&self, target: Term, config: &Config) -> (Answer, Statistics) {
        search(&self.system, &Question::Reach(target), config, &Stop::new(), &mut Quiet)
    }
    fn search(&self, target: Term) -> (Answer, Statistics) {
        self.search_with(target, &Config::default())
    }
    /// Searches in both orders, checks all evidence and the naive search, and returns the shortest run.
    fn check(&self, target: Term) -> Option<Run> {
        let (naive, reachable) = naive(&self.system, target);
        let dfs = Config { search: Search::Dfs, ..Config::default() };
        let (answer, statistics) = self.search_with(target, &dfs);
        match answer {
            Answer::Found(run) => self.assert_replays(target, &run),
            Answer::Excluded(certificate) => assert_closed(&self.system, &certificate, reachable),
            Answer::Unknown(reason) => panic!("{reason}"),
        }
        assert_eq!(statistics.depth, 0);
        match self.search(target) {
            (Answer::Found(run), statistics) => {
                assert_eq!(Some(run.steps.len()), naive, "the naive search finds the same length");
                self.assert_replays(target, &run);
                assert_eq!(statistics.depth, run.steps.len() as u64);
                Some(run)
            }
            (Answer::Excluded(certificate), statistics) => {
                assert_eq!((naive, statistics.states), (None, reachable as u64));
                assert_eq!(statistics.expanded, statistics.states);
                assert_closed(&self.system, &certificate, reachable);
                None
            }
            (Answer::Unknown(reason), _) => panic!("{reason}"),
        }
    }
    fn holds(&self, target: Term) -> Statistics {
        assert_eq!(self.check(target), None);
        self.search(target).1
    }
    fn steps(&self, target: Term) -> Option<usize> {
        self.check(target).map(|run| run.steps.len())
    }
    fn unknown(&self, target: Term) -> Reason {
        match self.search(target).0 {
            Answer::Unknown(reason) => reason,
            other => panic!("{other:?}"),
        }
    }
    /// The plain interpreter follows the run, which is concrete and ends where it should.
    fn assert_replays(&self, target: Term, run: &Run) {
        let mut system = self.system.clone();
        for state in run.states() {
            for (var, value) in system.state_vars().zip(&state.values) {
                assert!(system.admits(var, value.as_ref().expect("a concrete value")));
            }
        }
        let initial = ir::initial(&mut system);
        let mut at = run.initial.clone();
        let outcome = Interp::new(&system, None).follow(initial, &at, &run.decisions);
        assert_eq!(outcome.expect("not stuck").expect("not blocked").values, at.values);
        for step in &run.steps {
            let actions = ir::actions(&mut system, &at.locations);
            let action = actions.into_iter().find(|action| action.edges == step.edges).expect("an action");
            let outcome = Interp::new(&system, None).follow(action.stmt, &at, &step.decisions);
            assert_eq!(outcome.expect("not stuck").expect("not blocked").values, step.state.values);
            assert_eq!(action.target, step.state.locations);
            at = step.state.clone();
        }
        assert!(is_goal(&system, target, &at), "the run ends in {at:?}");
    }
}

fn is_goal(system: &System, target: Term, state: &State) -> bool {
    let faulty = system.is_fault(&state.locations);
    let found = || Interp::new(system, None).find(state, target).expect("not stuck").is_some();
    faulty || (system.is_observed(&state.locations) && found())
}

/// The textbook: steps to the target, if reachable, and how many states there are (up to there).
fn naive(system: &System, target: Term) -> (Option<usize>, usize) {
    let mut system = system.clone();
    let initial = ir::initial(&mut system);
    let mut actions = Actions::new();
    let mut seen = HashSet::new();
    let mut queue = VecDeque::new();
    // Takes in the successors; whether the target is among them.
    let mut arrive =
        |system: &System, stmt, from: &State, to: &[LocationId], depth, queue: &mut VecDeque<_>| {
            let mut found = false;
            let emit = &mut |outcome: ir::interp::Outcome| {
                let state = State { locations: to.into(), values: outcome.values };
                found = is_goal(system, target, &state);
                if seen.insert(state.clone()) {
                    queue.push_back((state, depth));
                }
                !found
            };
            Interp::new(system, None).successors(stmt, from, emit).expect("not stuck");
            (found, seen.len())
        };
    let before = system.arbitrary_state();
    let (found, mut states) = arrive(&system, initial, &before, &before.locations, 0, &mut queue);
    if found {
        return (Some(0), states);
    }
    while let Some((state, depth)) = queue.pop_front() {
        let vector = actions.vector(&state.locations);
        for action in actions.of(&mut system, vector).to_vec() {
            let found;
            (found, states) = arrive(&system, action.stmt, &state, &action.target, depth + 1, &mut queue);
            if found {
                return (Some(depth + 1), states);
            }
        }
    }
    (None, states)
}

/// The certificate lists so many different states and knows where each is.
fn assert_closed(system: &System, certificate: &Certificate, states: usize) {
    let Certificate::ClosedSet(set) = certificate else { panic!("states are listed") };
    let listed: HashSet<State> = (0..set.len()).map(|index| set.state(index)).collect();
    assert_eq!((set.len(), listed.len()), (states, states));
    for index in 0..set.len() {
        assert_eq!(set.find(&set.state(index)), Some(index));
    }
    let mut foreign = set.state(0);
    let slot = system.state_vars().position(|var| system.terms.var_type(var) == Type::Int);
    if let Some(slot) = slot {
        foreign.values[slot] = Some(Value::int(i64::MIN));
        assert_eq!(set.find(&foreign), None);
    }
}

#[test]
fn counter_reaches_its_bound_and_no_further() {
    let mut m = Model::new();
    let x = m.int("x", 0);
    let (below, add) = (m.lt(x, 5), m.add(x, 1));
    let guard = m.assume(below);
    m.edge([guard, add]);
    let (five, six) = (m.eq(x, 5), m.eq(x, 6));
    assert_eq!(m.steps(five), Some(5));
    let statistics = m.holds(six);
    assert_eq!((statistics.states, statistics.transitions, statistics.depth), (6, 5, 5));
    assert_eq!(statistics.plain_expansions, 0);
}

#[test]
fn target_in_the_initial_state_needs_no_step() {
    let mut m = Model::new();
    let x = m.int("x", 7);
    let seven = m.eq(x, 7);
    assert_eq!(m.steps(seven), Some(0));
}

#[test]
fn breadth_first_finds_the_shortest_run() {
    let mut m = Model::new();
    let x = m.int("x", 0);
    let below = m.lt(x, 100);
    let guard = m.assume(below);
    let (one, seven) = (m.add(x, 1), m.add(x, 7));
    let choice = m.system.terms.choice([one, seven]);
    m.edge([guard, choice]);
    let target = m.eq(x, 23);
    assert_eq!(m.steps(target), Some(5));
}

#[test]
fn fields_widen_as_values_grow() {
    let mut m = Model::new();
    let (x, y) = (m.int("x", 1), m.int("y", 0));
    let below = m.lt(x, 1 << 40);
    let guard = m.assume(below);
    let (twice, negative) = (m.v(x), m.v(x));
    let (two, minus) = (m.system.terms.int(2), m.system.terms.int(-3));
    let twice = m.system.terms.mul([two, twice]);
    let negative = m.system.terms.mul([minus, negative]);
    let (a, b) = (m.assign(x, twice), m.assign(y, negative));
    m.edge([guard, a, b]);
    let never = m.eq(y, 1);
    assert_eq!(m.holds(never).states, 41);
}

#[test]
fn integers_beyond_64_bits_are_exact() {
    let mut m = Model::new();
    let (x, n) = (m.int("x", 3), m.int("n", 0));
    let below = m.lt(n, 8);
    let guard = m.assume(below);
    let square = m.v(x);
    let square = m.system.terms.mul([square, square]);
    let (a, b) = (m.assign(x, square), m.add(n, 1));
    m.edge([guard, a, b]);
    let three_to_256 = (0..8).fold(Int::from(3), |power, _| &power * &power);
    let constant = m.system.terms.constant(Value::Int(three_to_256));
    let x = m.v(x);
    let target = m.system.terms.eq(x, constant);
    assert_eq!(m.steps(target), Some(8));
    let statistics = m.search(target).1;
    assert!(statistics.plain_expansions > 0 && statistics.plain_expansions < 8);
}

#[test]
fn havoc_of_a_finite_variable_takes_every_value() {
    let mut m = Model::new();
    let colours =
        m.system.terms.types.add_enum("Colour", ["red", "green", "blue"].map(str::to_owned).to_vec());
    let b = m.var("b", Type::Bool, Some(0));
    let c = m.var("c", Type::Enum(colours), Some(0));
    let r = m.ranged("r", 5, 8);
    let stmts = [b, c, r].map(|var| m.havoc(var));
    m.edge(stmts);
    let never = m.eq(r, 9);
    // The initial states have `r` open; the others have all combinations.
    assert_eq!(m.holds(never).states, 1 + 2 * 3 * 4);
}

#[test]
fn locals_are_no_part_of_a_state() {
    let mut m = Model::new();
    let x = m.int("x", 0);
    let flag = m.local("flag", Type::Bool);
    let i = m.local("i", Type::Int);
    let (havoc, flag) = (m.havoc(flag), m.v(flag));
    let (one, two) = (m.set(i, 1), m.set(i, 2));
    let branch = m.system.terms.branch(flag, one, two);
    let i = m.v(i);
    let take = m.assign(x, i);
    m.edge([havoc, branch, take]);
    let three = m.eq(x, 3);
    assert_eq!(m.holds(three).states, 3);
}

#[test]
fn loops_run_as_often_as_they_say() {
    let mut m = Model::new();
    let (x, y) = (m.int("x", 0), m.int("y", 0));
    let i = m.local("i", Type::Int);
    let (from, to) = (m.system.terms.int(2), m.plus(x, 4));
    let (grow, i_term, x_term) = (m.add(x, 1), m.v(i), m.v(x));
    let sum = m.system.terms.add([x_term, i_term]);
    let wide = m.assign(x, sum);
    let body = m.system.terms.choice([grow, wide]);
    let for_loop = m.system.terms.for_loop(i, from, to, body);
    let (y_small, up) = (m.lt(y, 9), m.add(y, 2));
    let while_loop = m.system.terms.while_loop(y_small, up);
    let start = m.eq(x, 0);
    let start = m.assume(start);
    m.edge([start, for_loop, while_loop]);
    let (five, six) = (m.eq(x, 5), m.eq(x, 6));
    assert_eq!((m.steps(five), m.steps(six)), (Some(1), None));
    let ten = m.eq(y, 10);
    assert_eq!(m.steps(ten), Some(1));
}

#[test]
fn open_initial_value_is_enumerated_where_it_is_bounded() {
    let mut m = Model::new();
    let n = m.var("n", Type::Int, None);
    let x = m.int("x", 0);
    let (zero, upper, n_term) = (m.system.terms.int(0), m.lt(n, 4), m.v(n));
    let lower = m.system.terms.lt(zero, n_term);
    let bounds = m.system.terms.and([lower, upper]);
    let bounds = m.assume(bounds);
    let take = m.assign(x, n_term);
    m.edge([bounds, take]);
    let (three, four) = (m.eq(x, 3), m.eq(x, 4));
    let run = m.check(three).expect("reachable");
    assert_eq!(run.initial.values[0], Some(Value::int(3)));
    assert_eq!(m.holds(four).states, 4);
}

#[test]
fn open_value_that_is_never_read_costs_nothing() {
    let mut m = Model::new();
    let n = m.var("n", Type::Int, None);
    let x = m.int("x", 0);
    let (below, add, havoc) = (m.lt(x, 3), m.add(x, 1), m.havoc(n));
    let guard = m.assume(below);
    m.edge([guard, add, havoc]);
    let never = m.eq(x, 4);
    let statistics = m.holds(never);
    assert_eq!((statistics.states, statistics.plain_expansions), (4, 0));
}

#[test]
fn values_of_a_run_agree_with_what_is_found_out_later() {
    let mut m = Model::new();
    let (n, k) = (m.var("n", Type::Int, None), m.int("k", 0));
    let (first, havoc, one) = (m.eq(k, 0), m.havoc(n), m.set(k, 1));
    let first = m.assume(first);
    m.edge([first, havoc, havoc, one]);
    let (second, two) = (m.eq(k, 1), m.set(k, 2));
    let second = m.assume(second);
    m.edge([second, two]);
    let (third, three, seven) = (m.eq(k, 2), m.set(k, 3), m.eq(n, 7));
    let (third, seven) = (m.assume(third), m.assume(seven));
    m.edge([third, seven, three]);
    let end = m.eq(k, 3);
    let run = m.check(end).expect("reachable");
    let ns: Vec<_> = run.states().map(|state| state.values[0].clone()).collect();
    assert_eq!(ns, [7, 7, 7, 7].map(|n| Some(Value::int(n))));
}

#[test]
fn target_completes_open_values() {
    let mut m = Model::new();
    let n = m.var("n", Type::Int, None);
    let k = m.int("k", 0);
    let (havoc, one) = (m.havoc(n), m.set(k, 1));
    m.edge([havoc, one]);
    let (n_is, k_is) = (m.eq(n, 1000), m.eq(k, 1));
    let target = m.system.terms.and([n_is, k_is]);
    let run = m.check(target).expect("reachable");
    assert_eq!(run.last().values[0], Some(Value::int(1000)));
}

#[test]
fn open_ranged_values_stay_in_range() {
    let mut m = Model::new();
    m.ranged("r", 5, 8);
    let x = m.int("x", 0);
    let one = m.set(x, 1);
    m.edge([one]);
    let target = m.eq(x, 1);
    let run = m.check(target).expect("reachable");
    assert_eq!(run.initial.values[0], Some(Value::int(5)));
}

#[test]
fn unbounded_read_is_reported_by_name() {
    let mut m = Model::new();
    let n = m.var("n", Type::Int, None);
    let x = m.int("x", 0);
    let n = m.v(n);
    let take = m.assign(x, n);
    m.edge([take]);
    let never = m.eq(x, 1);
    let reason = m.unknown(never).to_string();
    assert!(reason.starts_with("unsupported: the variable `n` can take infinitely many values"), "{reason}");
}

#[test]
fn clocks_are_refused() {
    let mut m = Model::new();
    m.var("x", Type::Clock, None);
    let never = m.system.terms.bool(false);
    let reason = m.unknown(never);
    assert_eq!(
        (reason.code(), reason.to_string()),
        (
            "unsupported.clock",
            "unsupported: explicit search handles untimed models, and `x` is a clock".to_owned(),
        )
    );
}

#[test]
fn arrays_and_rationals_are_states_too() {
    let mut m = Model::new();
    let parts = ArrayType { index: Type::Int, element: Type::Int, range: Some((0, 2)) };
    let array = m.system.terms.types.array(parts);
    let (a, i) = (m.var("a", Type::Array(array), None), m.int("i", 0));
    let q = m.var("q", Type::Rat, None);
    let (zero, half) = (m.system.terms.int(0), Rat::new(&Int::ONE, &Int::from(2)).expect("not by zero"));
    let (empty, half) = (m.system.terms.fill(array, zero), m.system.terms.constant(Value::rat(half)));
    m.system.initial.extend([(a, empty), (q, half)]);
    let (below, i_next, a_term, i_term, q_term) = (m.lt(i, 3), m.add(i, 1), m.v(a), m.v(i), m.v(q));
    let guard = m.assume(below);
    let entry = m.system.terms.read(a_term, i_term);
    let one = m.system.terms.int(1);
    let entry = m.system.terms.add([entry, i_term, one]);
    let written = m.system.terms.write(a_term, i_term, entry);
    let write = m.assign(a, written);
    let halved = m.system.terms.mul([half, q_term]);
    let halve = m.assign(q, halved);
    m.edge([guard, write, halve, i_next]);
    let (first, back) = (m.eq(i, 3), m.set(i, 0));
    let first = m.assume(first);
    m.edge([first, back]);
    let two = m.system.terms.int(2);
    let last = m.system.terms.read(a_term, two);
    let six = m.system.terms.int(6);
    let target = m.system.terms.eq(last, six);
    assert_eq!(m.steps(target), Some(7));
}

#[test]
fn fault_ends_the_search() {
    let mut m = Model::new();
    let x = m.int("x", 0);
    let which = m.int("which", -1);
    m.system.fault = Some(FaultState { process: ir::ProcessId::at(0), location: LocationId::at(1), which });
    m.system.faults.push(ir::Fault { kind: ir::FaultKind::OutOfRange, span: Span::default(), limit: None });
    let add = m.add(x, 1);
    m.edge([add]);
    let (three, mark) = (m.eq(x, 3), m.set(which, FaultId::at(0).index() as i64));
    let three = m.assume(three);
    let fail = m.system.terms.seq([three, mark]);
    m.edge_to(1, fail);
    let never = m.system.terms.bool(false);
    let run = m.check(never).expect("reachable");
    assert_eq!((run.steps.len(), run.last().locations[0]), (4, LocationId::at(1)));
}

#[test]
fn limits_end_endless_searches() {
    let mut m = Model::new();
    let x = m.int("x", 0);
    let add = m.add(x, 1);
    m.edge([add]);
    let never = m.eq(x, -1);
    let config = Config { state_limit: Some(1000), ..Config::default() };
    let (answer, statistics) = m.search_with(never, &config);
    assert!(matches!(answer, Answer::Unknown(Reason::States(1000))));
    assert_eq!(statistics.states, 1000);
}

#[test]
fn requests_end_endless_loops() {
    let mut m = Model::new();
    let x = m.int("x", 0);
    let (always, skip, nothing) = (m.system.terms.bool(true), m.system.terms.skip(), m.set(x, 0));
    let forever = m.system.terms.while_loop(always, nothing);
    m.edge([forever, skip]);
    let stop = Stop::new();
    stop.request(Reason::Time);
    let never = m.eq(x, 1);
    let (answer, _) = search(&m.system, &Question::Reach(never), &Config::default(), &stop, &mut Quiet);
    assert!(matches!(answer, Answer::Unknown(Reason::Time)), "{answer:?}");
}

#[test]
fn transitions_count_once_where_the_machine_bails_out() {
    let mut m = Model::new();
    let x = m.int("x", 1);
    let n = m.var("n", Type::Bool, None);
    let one = m.eq(x, 1);
    let one = m.assume(one);
    let (two, n) = (m.set(x, 2), m.v(n));
    let (read, three) = (m.assume(n), m.set(x, 3));
    let late = m.system.terms.seq([read, three]);
    let choice = m.system.terms.choice([two, late]);
    m.edge([one, choice]);
    let never = m.eq(x, 4);
    let statistics = m.holds(never);
    assert_eq!((statistics.transitions, statistics.states, statistics.plain_expansions), (2, 3, 1));
}

#[test]
fn loops_are_entered_again_where_they_were_left() {
    let mut m = Model::new();
    let (x, b) = (m.int("x", 0), m.var("b", Type::Bool, Some(0)));
    let (i, n) = (m.local("i", Type::Int), m.local("n", Type::Int));
    let (from, to, havoc) = (m.system.terms.int(0), m.system.terms.int(2), m.havoc(b));
    let for_loop = m.system.terms.for_loop(i, from, to, havoc);
    // What follows computes in temporaries, which must not be those of the loop.
    let (one, grow, n_term, x_term) = (m.set(n, 1), m.add(n, 1), m.v(n), m.v(x));
    let sum = m.system.terms.add([x_term, n_term]);
    let (start, take) = (m.eq(x, 0), m.assign(x, sum));
    let start = m.assume(start);
    m.edge([start, one, for_loop, grow, take]);
    let never = m.eq(x, 3);
    let statistics = m.holds(never);
    assert_eq!((statistics.states, statistics.transitions), (3, 4));
}

#[test]
fn testing_the_target_leaves_loops_alone() {
    let mut m = Model::new();
    let (x, b) = (m.int("x", 0), m.var("b", Type::Bool, Some(0)));
    let i = m.local("i", Type::Int);
    let (from, to) = (m.system.terms.int(0), m.system.terms.int(3));
    let (havoc, grow, b_term, skip) = (m.havoc(b), m.add(x, 1), m.v(b), m.system.terms.skip());
    let count = m.system.terms.branch(b_term, grow, skip);
    let body = m.system.terms.seq([havoc, count]);
    let for_loop = m.system.terms.for_loop(i, from, to, body);
    let start = m.eq(x, 0);
    let start = m.assume(start);
    m.edge([start, for_loop]);
    let (x_term, two) = (m.v(x), m.system.terms.int(2));
    let (square, half) = (m.system.terms.mul([x_term, x_term]), m.system.terms.div(x_term, two));
    let sum = m.system.terms.add([square, half]);
    let (seven, ten) = (m.system.terms.int(7), m.system.terms.int(10));
    let (never, three) = (m.system.terms.eq(sum, seven), m.system.terms.eq(sum, ten));
    assert_eq!((m.steps(never), m.steps(three)), (None, Some(1)));
    let statistics = m.holds(never);
    assert_eq!((statistics.plain_expansions, statistics.states), (0, 6));
}
