//! Right evidence is accepted, and every way of damaging it is noticed.

extern crate thetis_certify as certify;

use std::sync::atomic::AtomicBool;

use certify::{Evidence, Flaw, Place, Reached, Rejection, Shown, check, check_certificate, check_run};
use ir::interp::Interp;
use ir::{Actions, Certificate, ClosedSet, Cycle, Id, Question, Run, State, Step, System, Value};

static GO_ON: AtomicBool = AtomicBool::new(false);

/// A counter to 3 that a coin may stop.
const COUNTER: &str = "
    var n : integer = 0
    var coin : boolean = false
    trans { assume n < 3 && coin; n := n + 1; } or { assume !coin; }
    init {}
    env { havoc coin; }
";

fn load(source: &str, property: &str) -> (System, Question) {
    let mut model = lang::xsts::load(source).unwrap();
    let property = model.parse_property("p", property).unwrap();
    let question = model.system.question(property.claim);
    (model.system, question)
}

/// A run that takes, at each step, the first successor that the next predicate accepts.
fn run(system: &System, picks: &[&dyn Fn(&State) -> bool]) -> Run {
    let mut system = system.clone();
    let initial = ir::initial(&mut system);
    let open =
        State { locations: system.initial_locations(), values: system.state_vars().map(|_| None).collect() };
    let mut first = None;
    Interp::new(&system, None)
        .successors(initial, &open, &mut |outcome| {
            first = Some(outcome);
            false
        })
        .unwrap();
    let first = first.expect("an initial state");
    let initial = State { locations: open.locations, values: first.values };
    let mut run = Run::begin(first.decisions, initial);
    for pick in picks {
        let before = run.last().clone();
        let mut found = None;
        for action in ir::actions(&mut system, &before.locations) {
            Interp::new(&system, None)
                .successors(action.stmt, &before, &mut |outcome| {
                    let state = State { locations: action.target.clone(), values: outcome.values };
                    if found.is_none() && pick(&state) {
                        let decisions = outcome.decisions;
                        found = Some(Step { edges: action.edges.clone(), decisions, state });
                    }
                    found.is_none()
                })
                .unwrap();
        }
        run.steps.push(found.expect("a successor that fits"));
    }
    run
}

fn n_is(n: i64) -> impl Fn(&State) -> bool {
    move |state| state.values[0] == Some(Value::int(n))
}

fn coin(state: &State) -> bool {
    state.values[1] == Some(Value::Bool(true))
}

/// `init`, then the coin falls right and the counter moves: n is 1 at the end.
fn good() -> (System, Question, Run) {
    let (system, question) = load(COUNTER, "n < 1");
    let any = |_: &State| true;
    let run = run(&system, &[&any, &coin, &n_is(1)]);
    (system, question, run)
}

fn rejected(system: &System, question: &Question, run: &Run) -> String {
    match check_run(system, question, run, &GO_ON) {
        Err(Rejection::Wrong(why)) => why.to_string(),
        other => panic!("expected a refusal, got {other:?}"),
    }
}

#[test]
fn a_right_run_reaches_the_target() {
    let (system, question, run) = good();
    assert_eq!(check_run(&system, &question, &run, &GO_ON), Ok(Reached::Target));
}

/// Whatever is repeated after the target: what was asked for is a state where a run ends.
#[test]
fn a_run_without_end_reaches_nothing() {
    let (system, question, mut run) = good();
    run.cycle = Some(Cycle { steps: vec![], head: None });
    assert_eq!(
        rejected(&system, &question, &run),
        "the run goes on for ever, and what is searched for is a state at its end"
    );
}

#[test]
fn evidence_of_either_kind_is_checked_alike() {
    let (mut system, reached, run) = good();
    let excluded = Question::never(&mut system.terms);
    let all = Certificate::ClosedSet(Box::new(Listed(reachable(&system))));
    let shown = |question: &Question, evidence| check(&system, question, evidence, &GO_ON);
    assert_eq!(shown(&reached, Evidence::Run(&run)), Ok(Shown::Reached(Reached::Target)));
    assert_eq!(shown(&excluded, Evidence::Certificate(&all)), Ok(Shown::Excluded));
    // Each of them about the question of the other.
    assert!(matches!(shown(&excluded, Evidence::Run(&run)), Err(Rejection::Wrong(_))));
    assert!(matches!(shown(&reached, Evidence::Certificate(&all)), Err(Rejection::Wrong(_))));
}

#[test]
fn decisions_may_be_left_out() {
    let (system, question, mut run) = good();
    run.steps.iter_mut().for_each(|step| step.decisions.clear());
    assert_eq!(check_run(&system, &question, &run, &GO_ON), Ok(Reached::Target));
    run.steps[2].state.values[0] = Some(Value::int(2));
    assert_eq!(rejected(&system, &question, &run), "step 3: `n` gets another value than the run says");
}

#[test]
fn a_run_that_stops_short_is_refused() {
    let (system, question, mut run) = good();
    run.steps.pop();
    assert_eq!(rejected(&system, &question, &run), "the last state of the run is not what was searched for");
}

#[test]
fn a_wrong_start_is_refused() {
    let (system, question, mut run) = good();
    run.initial.values[0] = Some(Value::int(7));
    assert_eq!(rejected(&system, &question, &run), "state 0: `n` gets another value than the run says");
    let (system, question, mut run) = good();
    run.initial.locations = run.steps[0].state.locations.clone();
    assert_eq!(rejected(&system, &question, &run), "state 0: not at the initial locations");
}

#[test]
fn a_wrong_value_is_refused() {
    let (system, question, mut run) = good();
    run.steps[2].state.values[0] = Some(Value::int(5));
    assert_eq!(rejected(&system, &question, &run), "step 3: `n` gets another value than the run says");
}

#[test]
fn a_value_of_another_type_is_refused() {
    let (system, question, mut run) = good();
    run.steps[2].state.values[0] = Some(Value::Bool(true));
    assert_eq!(rejected(&system, &question, &run), "state 3: the value of `n` is not of its type or range");
    run.steps[2].state.values[0] = None;
    assert_eq!(rejected(&system, &question, &run), "state 3: `n` has no value");
    run.steps[2].state.values = Box::default();
    assert_eq!(rejected(&system, &question, &run), "state 3: does not have the shape of the model's states");
}

#[test]
fn a_step_that_is_left_out_is_refused() {
    let (system, question, mut run) = good();
    run.steps.remove(1);
    assert_eq!(rejected(&system, &question, &run), "step 2: these edges do not lead from here to there");
}

#[test]
fn another_branch_is_refused() {
    let (system, question, mut run) = good();
    // The other branch of `trans` has the same locations but needs the coin to be false.
    run.steps[2].edges[0].1 = ir::EdgeId::at(run.steps[2].edges[0].1.index() + 1);
    assert_eq!(rejected(&system, &question, &run), "step 3: an assumption fails");
}

#[test]
fn other_decisions_are_refused() {
    let (system, question, mut run) = good();
    run.steps[1].decisions = vec![ir::Decision::Value(Some(Value::Bool(false)))];
    assert_eq!(rejected(&system, &question, &run), "step 2: `coin` gets another value than the run says");
    run.steps[1].decisions = vec![ir::Decision::Branch(0)];
    assert_eq!(rejected(&system, &question, &run), "step 2: the recorded choices do not fit");
}

#[test]
fn a_run_must_end_where_properties_look() {
    let (mut system, question, run) = good();
    for process in system.processes.ids().collect::<Vec<_>>() {
        let locations: Vec<_> = system.processes[process].locations.ids().collect();
        for location in locations {
            system.processes[process].locations[location].observed = false;
        }
    }
    assert_eq!(rejected(&system, &question, &run), "the run ends where properties do not look");
}

#[test]
fn a_fault_is_told_apart_from_the_target() {
    let (system, question) = load("var d : integer = 0 var q : integer = 0 trans { q := 1 / d; }", "true");
    let any = |_: &State| true;
    let run = run(&system, &[&any, &any, &any]);
    let reached = check_run(&system, &question, &run, &GO_ON);
    assert_eq!(reached, Ok(Reached::Fault(ir::FaultId::at(0))));
}

/// A list of states, found by comparing.
struct Listed(Vec<State>);

impl ClosedSet for Listed {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn state(&self, index: usize) -> State {
        self.0[index].clone()
    }
    fn find(&self, state: &State) -> Option<usize> {
        self.0.iter().position(|listed| listed == state)
    }
}

/// All reachable states, by the plainest search there is.
fn reachable(system: &System) -> Vec<State> {
    let mut system = system.clone();
    let mut states: Vec<State> = vec![];
    let add = |states: &mut Vec<State>, state: State| {
        if !states.contains(&state) {
            states.push(state);
        }
    };
    let initial = ir::initial(&mut system);
    let open =
        State { locations: system.initial_locations(), values: system.state_vars().map(|_| None).collect() };
    Interp::new(&system, None)
        .successors(initial, &open, &mut |outcome| {
            add(&mut states, State { locations: open.locations.clone(), values: outcome.values });
            true
        })
        .unwrap();
    let mut actions = Actions::new();
    let mut next = 0;
    while next < states.len() {
        let state = states[next].clone();
        let vector = actions.vector(&state.locations);
        for action in actions.of(&mut system, vector).to_vec() {
            Interp::new(&system, None)
                .successors(action.stmt, &state, &mut |outcome| {
                    add(&mut states, State { locations: action.target.clone(), values: outcome.values });
                    true
                })
                .unwrap();
        }
        next += 1;
    }
    states
}

fn check_set(system: &System, question: &Question, states: Vec<State>) -> Result<(), Rejection> {
    check_certificate(system, question, &Certificate::ClosedSet(Box::new(Listed(states))), &GO_ON)
}

#[test]
fn the_reachable_states_are_a_closed_set() {
    let (system, question) = load(COUNTER, "n <= 3");
    assert_eq!(check_set(&system, &question, reachable(&system)), Ok(()));
}

#[test]
fn no_state_can_be_missing() {
    let (system, question) = load(COUNTER, "n <= 3");
    let states = reachable(&system);
    for missing in 0..states.len() {
        let mut fewer = states.clone();
        fewer.remove(missing);
        assert!(
            matches!(check_set(&system, &question, fewer), Err(Rejection::Wrong(_))),
            "without state {missing}"
        );
    }
    assert!(matches!(check_set(&system, &question, vec![]), Err(Rejection::Wrong(_))));
}

#[test]
fn a_set_with_a_target_is_refused() {
    let (system, question) = load(COUNTER, "n < 3");
    let Err(Rejection::Wrong(why)) = check_set(&system, &question, reachable(&system)) else {
        panic!("accepted")
    };
    assert!(matches!((why.place, &why.flaw), (Place::Listed(_), Flaw::Target)), "{why}");
    assert!(why.to_string().ends_with("of the set is a target"), "{why}");
}

#[test]
fn a_set_with_a_fault_is_refused() {
    let (system, question) = load("var d : integer = 1 trans { d := d - 1; } env { d := 4 / d; }", "true");
    let Err(Rejection::Wrong(why)) = check_set(&system, &question, reachable(&system)) else {
        panic!("accepted")
    };
    assert!(matches!((why.place, &why.flaw), (Place::Listed(_), Flaw::Fault)), "{why}");
}

#[test]
fn states_of_another_shape_are_refused() {
    let (system, question) = load(COUNTER, "n <= 3");
    let mut states = reachable(&system);
    states.push(State { locations: Box::default(), values: Box::default() });
    assert!(matches!(check_set(&system, &question, states), Err(Rejection::Wrong(_))));
}

/// A set whose hints point anywhere.
struct Lying(Vec<State>);

impl ClosedSet for Lying {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn state(&self, index: usize) -> State {
        self.0[index].clone()
    }
    fn find(&self, _: &State) -> Option<usize> {
        Some(0)
    }
}

#[test]
fn hints_are_not_believed() {
    let (system, question) = load(COUNTER, "n <= 3");
    let start = reachable(&system)[0].clone();
    let set = Certificate::ClosedSet(Box::new(Lying(vec![start])));
    assert!(matches!(check_certificate(&system, &question, &set, &GO_ON), Err(Rejection::Wrong(_))));
}

#[test]
fn a_check_can_be_interrupted() {
    let (system, question) = load(COUNTER, "n <= 3");
    let set = Certificate::ClosedSet(Box::new(Listed(reachable(&system))));
    let stopped = AtomicBool::new(true);
    assert_eq!(check_certificate(&system, &question, &set, &stopped), Err(Rejection::Interrupted));
}
