//! Zone sets that stand for more than they list: with open data, and with simulation constants of each
//! entry. Honest ones are accepted by the judge of zones and, as formulas, by a solver; forged ones by
//! neither.

extern crate thetis_engine as engine;

#[path = "regions/listed.rs"]
mod listed;

use engine::{Answer, Config, Covering, Engine, Quiet, Stop};
use ir::{
    Certificate, ClockRange, Edge, Guarded, Id, Limit, Location, LocationId, LocationKind, Process, Question,
    Span, State, Stmt, System, Term, Terms, Type, Value, VarId, Variable, Zone,
};
use listed::{Entry, Listed};

/// Nothing asks for `n`; what is asked of `m` keeps Bad away, and so does that B is left in time.
const UNSEEN: &str = "
clock x;
int[0,3] n;
int[0,3] m := 1;
process P() {
  state A { x <= 2 }, B { x <= 3 }, Bad;
  init A;
  trans
    A -> A { guard x >= 1; assign x := 0, n := (n + 1) % 4; },
    A -> B { guard m == 1; assign m := 2 - m; },
    B -> A { guard x >= 1; assign x := 0; },
    B -> Bad { guard m == 2; },
    B -> Bad { guard x > 3; };
}
system P;
";

/// What depends on `n`: a branch, an entry of an array, a loop, and when a step can be taken.
const DEPENDENT: &str = "
clock x;
int[0,2] n, m := 1;
int[0,3] a[2];
void step() {
  if (n == 2) m = 1; else m = 0;
  a[n % 2] = 3 - a[n % 2];
  n = (n + 1) % 3;
}
void count() {
  int[0,3] i = 0;
  while (i < n) i++;
}
process P() {
  state A { x <= 3 }, Bad;
  init A;
  trans
    A -> A { guard x >= 3; assign x := 0, step(); },
    A -> A { guard x > n; assign x := 0, count(); },
    A -> Bad { guard m == 2; };
}
system P;
";

/// A step that can be taken, with a guard that matters to nothing, and one that cannot, which needs only
/// one of its conditions to be kept.
const FREE: &str = "
clock x, y;
process P() {
  state A, B, Bad;
  init A;
  trans
    A -> B { guard y >= 7; },
    B -> A { guard x >= 9; assign x := 0, y := 0; },
    A -> Bad { guard x - y > 0 && y >= 3; };
}
system P;
";

fn read(text: &str, query: &str) -> (System, Question) {
    let mut model = lang::xta::load(text, lang::xta::Format::Xta).expect("a model");
    let property = model.parse_property("bad", query).expect("a query");
    let question = model.system.question(property.claim);
    (model.system, question)
}

fn certificate(system: &System, question: &Question, covering: Covering) -> Listed {
    let config = Config { engine: Engine::Zone, preprocess: false, covering, ..Config::default() };
    match engine::search(system, question, &config, &Stop::new(), &mut Quiet).0 {
        Answer::Excluded(Certificate::Zones(set)) => Listed::of(&*set),
        other => panic!("{other:?}"),
    }
}

/// Where states have a variable.
fn slot(system: &System, name: &str) -> usize {
    system.state_vars().position(|var| system.vars[var].name == name).expect("a variable of this name")
}

/// A model with its question and a set to start from.
struct Lab {
    system: System,
    question: Question,
    set: Listed,
}

impl Lab {
    fn new(text: &str, query: &str, covering: Covering) -> Lab {
        let (system, question) = read(text, query);
        let set = certificate(&system, &question, covering);
        Lab { system, question, set }
    }
    fn accepts(&self, set: &Listed) {
        assert_eq!(set.check(&self.system, &self.question), Ok(()));
        assert_eq!(set.check_formulas(&self.system, &self.question), Ok(()));
    }
    fn refuses(&self, set: &Listed, why: &str) {
        let found = set.check(&self.system, &self.question).expect_err("a forged set");
        assert!(found.contains(why), "expected `{why}`, found `{found}`");
        set.check_formulas(&self.system, &self.question).expect_err("a forged set, by a solver");
    }
    /// What is no set of zones at all need not be formulas.
    fn refuses_shape(&self, set: &Listed, why: &str) {
        let found = set.check(&self.system, &self.question).expect_err("a forged set");
        assert!(found.contains(why), "expected `{why}`, found `{found}`");
    }
    /// The set with the same constants for all clocks at the first location, and others elsewhere.
    fn with_constants(&self, first: ClockRange, others: ClockRange) -> Listed {
        self.set.with(|entries| {
            for entry in entries {
                let range = if location(&entry.state) == 0 { first } else { others };
                entry.constants = Some(vec![range; entry.zone.dim - 1]);
            }
        })
    }
    /// The set with a variable open wherever entries are as told.
    fn opened(&self, name: &str, which: impl Fn(&State) -> bool) -> Listed {
        let at = slot(&self.system, name);
        self.set.with(|entries| {
            for entry in entries.iter_mut().filter(|entry| which(&entry.state)) {
                entry.state.values[at] = None;
            }
        })
    }
}

fn location(state: &State) -> usize {
    state.locations[0].index()
}

/// The zone with these bounds, in closed form for one clock.
fn interval(least: i64, most: Option<i64>) -> Zone {
    let up = most.map_or(Limit::NONE, |most| Limit::new(most, false).expect("a small number"));
    let down = Limit::new(-least, false).expect("a small number");
    Zone { dim: 2, limits: vec![Limit::LE_ZERO, down, up, Limit::LE_ZERO] }
}

#[test]
fn what_no_guard_reads_may_be_open() {
    let lab = Lab::new(UNSEEN, "E<> P.Bad", Covering::Inclusion);
    assert!(lab.set.0.len() >= 8, "each value of n at each location");
    lab.accepts(&lab.set);
    let open = lab.opened("n", |_| true);
    lab.accepts(&open);
    // One entry at each location is enough, then.
    let few = open.with(|entries| {
        let mut seen = vec![];
        entries.retain(|Entry { state, zone, .. }| {
            let new = !seen.contains(&(state.clone(), zone.clone()));
            seen.push((state.clone(), zone.clone()));
            new
        });
    });
    assert!(few.0.len() < lab.set.0.len());
    lab.accepts(&few);
    // Open at B only, A is entered with any value.
    lab.refuses(
        &lab.opened("n", |state| location(state) == 1).with(|entries| {
            entries.retain(|entry| {
                location(&entry.state) == 1
                    || entry.state.values[slot(&lab.system, "n")] != Some(Value::int(2))
            })
        }),
        "not in the set",
    );
    // A wrong value instead of an open one.
    let n = slot(&lab.system, "n");
    for value in 0..4 {
        lab.refuses(
            &few.with(|entries| entries[0].state.values[n] = Some(Value::int(value))),
            "not in the set",
        );
    }
    // What a guard reads is not any value.
    lab.refuses(&lab.opened("m", |state| location(state) == 1), "not in the set");
    lab.refuses(&lab.opened("m", |_| true), "not in the set");
    // A missing entry.
    for at in 0..few.0.len() {
        lab.refuses(&few.with(|entries| drop(entries.remove(at))), "not in the set");
    }
    // Zones that are too small or too large.
    for at in 0..few.0.len() {
        lab.refuses(&few.with(|entries| entries[at].zone = interval(0, Some(1))), "not in the set");
        lab.refuses(&few.with(|entries| entries[at].zone = interval(1, None)), "not in the set");
    }
}

#[test]
fn a_variable_open_at_one_place_may_be_known_at_others() {
    // An entry with n open contains those where it has a value.
    let lab = Lab::new(UNSEEN, "E<> P.Bad", Covering::Inclusion);
    let n = slot(&lab.system, "n");
    let set = lab.opened("n", |_| true).with(|entries| {
        let mut known = entries.clone();
        known.truncate(1);
        known[0].state.values[n] = Some(Value::int(0));
        entries.extend(known);
    });
    lab.accepts(&set);
}

#[test]
fn what_depends_on_open_data_is_any_of_what_it_can_be() {
    let lab = Lab::new(DEPENDENT, "E<> P.Bad", Covering::Inclusion);
    lab.accepts(&lab.set);
    let [n, m, a] = ["n", "m", "a"].map(|name| slot(&lab.system, name));
    let open = |slots: &[usize]| {
        lab.set.with(|entries| {
            for entry in entries {
                slots.iter().for_each(|slot| entry.state.values[*slot] = None);
            }
        })
    };
    lab.accepts(&open(&[n, a]));
    // The array is not known once it is written at an unknown position; and m decides about Bad.
    lab.refuses(&open(&[n]).with(|entries| entries.truncate(3)), "not in the set");
    lab.refuses(&open(&[n, m, a]), "not in the set");
    // Both branches are possible.
    for value in 0..2 {
        let one = open(&[n, a]).with(|entries| {
            entries.retain(|entry| entry.state.values[m] != Some(Value::int(value)));
        });
        lab.refuses(&one, "not in the set");
    }
}

#[test]
fn open_data_in_the_target_is_a_target() {
    let lab = Lab::new(UNSEEN, "E<> P.A && m == 3 && x > 1", Covering::Inclusion);
    lab.accepts(&lab.set);
    lab.accepts(&lab.opened("n", |_| true));
    lab.refuses(&lab.opened("m", |_| true), "meets the target");
    // Its clocks exclude it whatever the data are.
    let lab = Lab::new(UNSEEN, "E<> P.A && n == 3 && x > 2", Covering::Inclusion);
    lab.accepts(&lab.opened("n", |_| true));
    // No value meets it, which is seen one by one.
    let lab = Lab::new(UNSEEN, "E<> P.A && n * n == 2", Covering::Inclusion);
    lab.accepts(&lab.opened("n", |_| true));
}

#[test]
fn what_some_values_allow_excludes_no_deadlock() {
    let text = "
        clock x;
        int[0,1] n, m;
        process P() {
          state A { x <= 2 };
          init A;
          trans A -> A { guard n == 0 && x >= 1; assign x := 0; }, A -> A { guard m == 1; assign x := 0; };
        }
        system P;";
    let lab = Lab::new(text, "E<> deadlock", Covering::Inclusion);
    lab.accepts(&lab.set);
    // Whatever m is, the first edge can be taken in time.
    lab.accepts(&lab.opened("m", |_| true));
    // Closed under actions, but stuck where n is 1.
    lab.refuses(&lab.opened("n", |_| true), "meets the target");
    // Where n is 1 as well as m, something is possible: no target.
    let (system, question) = read(text, "E<> not deadlock && n == 1 && m == 0");
    let set = certificate(&system, &question, Covering::Inclusion);
    let lab = Lab { system, question, set };
    let n = slot(&lab.system, "n");
    let stuck = lab.set.with(|entries| {
        let mut other = entries[0].clone();
        other.state.values[n] = Some(Value::int(1));
        entries.push(other);
    });
    lab.accepts(&stuck);
    let m = slot(&lab.system, "m");
    lab.accepts(&stuck.with(|entries| entries[0].state.values[m] = None));
}

#[test]
fn constants_of_entries_are_compared_where_they_matter() {
    let lab = Lab::new(FREE, "E<> P.Bad", Covering::Inclusion);
    assert_eq!(lab.set.0.len(), 2);
    // x and y are equal: that x - y > 0 fails says nothing about what is simulated, that y < 3 does
    // not either. With the exact zones there is nothing to keep.
    lab.accepts(&lab.set);
    // A difference is never kept.
    let set = lab.with_constants((Some(9), Some(9)), (None, None));
    lab.refuses(&set, "with constants that do not keep all conditions");
    let text = FREE.replace("x - y > 0 && y >= 3", "x > 5 && y < 5");
    let lab = Lab::new(&text, "E<> P.Bad", Covering::Inclusion);
    let with = |of_a, of_b| lab.with_constants(of_a, of_b);
    // That Bad is out of reach needs both bounds; what leads to B needs none, since B asks for none.
    lab.accepts(&with((Some(5), Some(5)), (None, None)));
    lab.accepts(&with((Some(9), Some(5)), (Some(9), Some(5))));
    lab.refuses(&with((Some(4), Some(5)), (None, None)), "with constants that do not keep all conditions");
    lab.refuses(&with((Some(5), Some(4)), (None, None)), "with constants that do not keep all conditions");
    lab.refuses(&with((None, None), (None, None)), "with constants that do not keep all conditions");
    // Everything is set on the way to A, which need not stand for more than its zone.
    let mixed = with((Some(5), Some(5)), (None, None)).with(|entries| {
        for entry in entries.iter_mut().filter(|entry| location(&entry.state) == 0) {
            entry.constants = None;
        }
    });
    lab.accepts(&mixed);
    // What B asks of y must be kept from A on, where y is not set.
    let later = Lab::new(
        &FREE.replace("A -> Bad { guard x - y > 0 && y >= 3", "B -> Bad { guard x > 9 && y < 9"),
        "E<> P.Bad",
        Covering::Inclusion,
    );
    later.accepts(&later.with_constants((Some(9), Some(9)), (Some(9), Some(9))));
    later.refuses(&later.with_constants((Some(5), Some(5)), (Some(9), Some(9))), "not in the set");
    // Without constants, B is its zone, which is less than what A simulates leads to.
    let mixed = later.with_constants((Some(9), Some(9)), (None, None)).with(|entries| {
        for entry in entries.iter_mut().filter(|entry| location(&entry.state) == 1) {
            entry.constants = None;
        }
    });
    later.refuses(&mixed, "not in the set");
    // Bounds that are not closed, and constants for other clocks.
    let open = with((Some(5), Some(5)), (None, None));
    let weaker = open.with(|entries| entries[0].zone.limits[1] = Limit::NONE);
    lab.refuses_shape(&weaker, "not in closed form");
    lab.refuses_shape(&open.with(|entries| entries[0].constants = Some(vec![])), "the set");
    lab.refuses_shape(
        &open.with(|entries| entries[0].constants = Some(vec![(Some(-1), None); 2])),
        "the set",
    );
}

#[test]
fn what_a_zone_simulates_is_the_same_as_a_formula() {
    let lab = Lab::new(UNSEEN, "E<> P.Bad", Covering::Alu);
    lab.accepts(&lab.set);
    let open = lab.opened("n", |_| true);
    lab.accepts(&open);
    let lowered = |lower: Option<i64>, upper: Option<i64>| {
        open.with(|entries| entries.iter_mut().for_each(|entry| entry.constants = Some(vec![(lower, upper)])))
    };
    lab.accepts(&lowered(Some(3), Some(3)));
    for (lower, upper) in [(None, None), (Some(2), Some(3)), (Some(0), Some(3)), (None, Some(3))] {
        lab.refuses(&lowered(lower, upper), "not in the set");
    }
}

/// A clock that is at most 1 and three truth values, false at first; all that can be done is to execute a
/// statement and to set the clock back, where a condition holds. The target is that the first one is true.
fn repeating(make: impl FnOnce(&mut Terms, VarId, [VarId; 3]) -> (Term, Stmt)) -> (System, Question) {
    let mut system = System::default();
    let state = |name: &str| Variable::state(name, Span::default());
    let x = system.declare(Type::Clock, state("x"));
    let bits = ["a", "b", "c"].map(|name| system.declare(Type::Bool, state(name)));
    let (guard, stmt) = make(&mut system.terms, x, bits);
    let terms = &mut system.terms;
    let (no, clock, zero, one) = (terms.bool(false), terms.var(x), terms.int(0), terms.int(1));
    let back = terms.assign(x, zero);
    let (invariant, update) = (terms.le(clock, one), Guarded::safe(terms.seq([stmt, back])));
    let mut process = Process { name: "P".into(), initial: Some(LocationId::at(0)), ..Process::default() };
    process.locations.push(Location::new("A", invariant, LocationKind::Normal));
    let (source, target, label) = (LocationId::at(0), LocationId::at(0), String::new());
    process.edges.push(Edge { source, target, guard, update, sync: None, label, span: Span::default() });
    system.processes.push(process);
    system.initial = bits.map(|bit| (bit, no)).to_vec();
    let question = Question::Reach(system.terms.var(bits[0]));
    (system, question)
}

#[test]
fn both_branches_of_an_open_condition_are_taken() {
    // Whether b is true decides what becomes of c.
    let (system, question) = repeating(|terms, _, [_, b, c]| {
        let (condition, yes, no) = (terms.var(b), terms.bool(true), terms.bool(false));
        let (set, unset) = (terms.assign(c, yes), terms.assign(c, no));
        (yes, terms.branch(condition, set, unset))
    });
    let set = certificate(&system, &question, Covering::Inclusion);
    let lab = Lab { system, question, set };
    let (b, c) = (slot(&lab.system, "b"), slot(&lab.system, "c"));
    let with = |entry: &Entry, value: bool| {
        let mut entry = entry.clone();
        (entry.state.values[b], entry.state.values[c]) = (None, Some(Value::Bool(value)));
        entry
    };
    let both = lab.set.with(|entries| *entries = vec![with(&entries[0], false), with(&entries[0], true)]);
    lab.accepts(&both);
    lab.refuses(&both.with(|entries| drop(entries.remove(1))), "not in the set");
    // The same if c is true at first, and need not become false.
    let (mut system, question) = (lab.system.clone(), lab.question.clone());
    let yes = system.terms.bool(true);
    system.initial[2].1 = yes;
    let lab = Lab { system, question, set: both };
    lab.accepts(&lab.set);
    lab.refuses(&lab.set.with(|entries| drop(entries.remove(0))), "not in the set");
}

#[test]
fn what_one_zone_cannot_do_others_of_its_state_may() {
    // A clock is compared again and again; if it is 2 or more, that is noted.
    let (system, question) = repeating(|terms, x, bits| {
        let (clock, yes, skip) = (terms.var(x), terms.bool(true), terms.skip());
        let mut parts = vec![];
        for constant in 2..9 {
            let constant = terms.int(constant);
            let (late, note) = (terms.ge(clock, constant), terms.assign(bits[0], yes));
            parts.push(terms.branch(late, note, skip));
        }
        let values = bits.map(|bit| terms.var(bit));
        let some = terms.or(values);
        (terms.not(some), terms.seq(parts))
    });
    let set = certificate(&system, &question, Covering::Inclusion);
    let lab = Lab { system, question, set };
    lab.accepts(&lab.set);
    // Later, the same state leads to one that is not listed.
    let late = lab.set.with(|entries| {
        let mut late = entries[0].clone();
        late.zone = interval(0, Some(9));
        entries.push(late);
    });
    lab.refuses(&late, "not in the set");
}

#[test]
fn what_is_possible_for_sure_is_not_given_up_for_a_guess() {
    // Something can be done where the clock is at most 1, which it always is, or whatever it is if b is
    // true, which may be open. Both orders of these, however terms are sorted.
    for [clock_first, negated] in [[false, false], [false, true], [true, false], [true, true]] {
        let (mut system, _) = repeating(|terms, x, [_, b, _]| {
            let late = |terms: &mut Terms| {
                let (clock, one) = (terms.var(x), terms.int(1));
                terms.le(clock, one)
            };
            let early = clock_first.then(|| late(terms));
            let bit = terms.var(b);
            let bit = if negated { terms.not(bit) } else { bit };
            let in_time = early.unwrap_or_else(|| late(terms));
            let either = terms.or(if clock_first { [in_time, bit] } else { [bit, in_time] });
            (terms.bool(true), terms.assume(either))
        });
        let question = Question::Reach(system.terms.deadlock());
        let set = certificate(&system, &question, Covering::Inclusion);
        let lab = Lab { system, question, set };
        lab.accepts(&lab.set);
        lab.accepts(&lab.opened("b", |_| true));
    }
    // If only b makes it possible, that is a guess.
    let (mut system, _) = repeating(|terms, x, [_, b, _]| {
        let (clock, one, bit) = (terms.var(x), terms.int(1), terms.var(b));
        let (bit, over) = (terms.not(bit), terms.lt(one, clock));
        let either = terms.or([bit, over]);
        (terms.bool(true), terms.assume(either))
    });
    let question = Question::Reach(system.terms.deadlock());
    let set = certificate(&system, &question, Covering::Inclusion);
    let lab = Lab { system, question, set };
    lab.accepts(&lab.set);
    lab.refuses(&lab.opened("b", |_| true), "meets the target");
}

#[test]
fn what_is_assigned_from_open_data_is_open() {
    // Nothing reads c, which becomes whatever b is.
    let (system, question) = repeating(|terms, _, [_, b, c]| {
        let value = terms.var(b);
        (terms.bool(true), terms.assign(c, value))
    });
    let set = certificate(&system, &question, Covering::Inclusion);
    let lab = Lab { system, question, set };
    lab.accepts(&lab.set);
    let open = lab.opened("b", |_| true);
    lab.refuses(&open, "not in the set");
    let c = slot(&lab.system, "c");
    lab.accepts(&open.with(|entries| entries.iter_mut().for_each(|entry| entry.state.values[c] = None)));
    lab.accepts(&open.with(|entries| {
        let mut other = entries[0].clone();
        other.state.values[c] = Some(Value::Bool(true));
        entries.push(other);
    }));
}
