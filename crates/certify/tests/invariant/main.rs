//! Right invariants are accepted, and every way of damaging or forging one is noticed.

extern crate thetis_certify as certify;

mod export;
mod forged;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use certify::{
    Effort, Flaw, FormulaFlaw, Place, Rejection, Undecided, Wrong, check_certificate, check_invariant,
};
use ir::interp::Interp;
use ir::{
    Actions, Certificate, Id, Invariant, InvariantEntry, LocationId, Question, State, System, Term, Terms,
    VarId,
};

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

/// All reachable states with the numbers of their successors, and how many of them are initial.
fn reachable(system: &System) -> (Vec<State>, Vec<Vec<u32>>, usize) {
    let mut system = system.clone();
    let (mut states, mut numbers) = (vec![], HashMap::new());
    let mut number = |states: &mut Vec<State>, state: State| -> u32 {
        *numbers.entry(state.clone()).or_insert_with(|| {
            states.push(state);
            states.len() as u32 - 1
        })
    };
    let initial = ir::initial(&mut system);
    let open = system.arbitrary_state();
    Interp::new(&system, None)
        .successors(initial, &open, &mut |outcome| {
            number(&mut states, State { locations: open.locations.clone(), values: outcome.values });
            true
        })
        .unwrap();
    let first = states.len();
    let mut actions = Actions::new();
    let mut successors = vec![];
    while successors.len() < states.len() {
        let state = states[successors.len()].clone();
        let vector = actions.vector(&state.locations);
        let mut list = vec![];
        for action in actions.of(&mut system, vector).to_vec() {
            Interp::new(&system, None)
                .successors(action.stmt, &state, &mut |outcome| {
                    let locations = action.target.clone();
                    list.push(number(&mut states, State { locations, values: outcome.values }));
                    true
                })
                .unwrap();
        }
        list.sort_unstable();
        list.dedup();
        successors.push(list);
    }
    (states, successors, first)
}

/// The formula of exactly this state.
fn formula(terms: &mut Terms, vars: &[VarId], state: &State) -> Term {
    let mut parts = vec![];
    for (var, value) in vars.iter().zip(&state.values) {
        if let Some(value) = value {
            let (var, value) = (terms.var(*var), terms.constant(value.clone()));
            parts.push(terms.eq(var, value));
        }
    }
    terms.and(parts)
}

/// One entry for each reachable state.
fn state_by_state(system: &System) -> Invariant {
    let (states, successors, first) = reachable(system);
    let mut terms = system.terms.clone();
    let vars: Vec<VarId> = system.state_vars().collect();
    let entry = |(state, successors): (State, Vec<u32>)| InvariantEntry {
        formula: formula(&mut terms, &vars, &state),
        locations: state.locations,
        successors,
    };
    let entries = states.into_iter().zip(successors).map(entry).collect();
    Invariant { initial: (0..first as u32).collect(), entries, terms }
}

/// One entry for each location but the fault, with the formula that is the property text given for it;
/// each points at all of them.
fn by_location(source: &str, formulas: &[(&str, &str)]) -> Invariant {
    let mut model = lang::xsts::load(source).unwrap();
    let process = model.system.processes.ids().next().unwrap();
    let all: Vec<u32> = (0..formulas.len() as u32).collect();
    let mut entries = vec![];
    for (location, text) in formulas {
        let ir::Claim::Always(formula) = model.parse_property("p", text).unwrap().claim else { panic!() };
        let locations = &model.system.processes[process].locations;
        let at = locations.entries().find(|(_, at)| at.name == *location).unwrap().0;
        entries.push(InvariantEntry { locations: [at].into(), formula, successors: all.clone() });
    }
    let start = model.system.initial_locations();
    let initial = all.into_iter().filter(|at| entries[*at as usize].locations == start).collect();
    Invariant { terms: model.system.terms, initial, entries }
}

fn location(system: &System, name: &str) -> Box<[LocationId]> {
    let process = &system.processes[system.processes.ids().next().unwrap()];
    [process.locations.entries().find(|(_, at)| at.name == name).unwrap().0].into()
}

fn check(system: &System, question: &Question, invariant: Invariant) -> Result<(), Rejection> {
    check_certificate(system, question, &Certificate::Invariant(invariant), &GO_ON)
}

#[track_caller]
fn accepted(source: &str, property: &str, formulas: &[(&str, &str)]) -> Effort {
    let (system, question) = load(source, property);
    check_invariant(&system, &question, &by_location(source, formulas), &GO_ON).unwrap()
}

#[track_caller]
fn refused(source: &str, property: &str, formulas: &[(&str, &str)], expected: &str) {
    let (system, question) = load(source, property);
    let Err(Rejection::Wrong(why)) = check(&system, &question, by_location(source, formulas)) else {
        panic!("accepted")
    };
    assert_eq!(why.to_string(), expected);
}

/// What holds of the counter, at each location.
const RANGE: [(&str, &str); 3] =
    [("init", "n == 0"), ("env", "0 <= n && n <= 3"), ("trans", "0 <= n && n <= 3")];

#[test]
fn the_reachable_states_are_an_invariant_and_need_no_solver() {
    let (system, question) = load(COUNTER, "n <= 3");
    let effort = check_invariant(&system, &question, &state_by_state(&system), &GO_ON).unwrap();
    assert_eq!((effort.by_solver, effort.by_memory), (0, 0), "{effort:?}");
    assert!(effort.obligations > 20, "{effort:?}");
}

#[test]
fn formulas_at_locations_are_an_invariant() {
    let effort = accepted(COUNTER, "n <= 3", &RANGE);
    assert!(effort.by_solver > 0, "{effort:?}");
    refused(COUNTER, "n < 3", &RANGE, "entry 1 contains a target");
}

#[test]
fn formulas_that_are_too_weak_or_too_strong_are_refused() {
    let with = |at: usize, formula: &'static str| {
        let mut list = RANGE;
        list[at].1 = formula;
        list
    };
    refused(COUNTER, "n <= 3", &with(1, "0 <= n"), "entry 1 contains a target");
    let missing =
        |entry, by| format!("a successor of entry {entry} by `{by}` is in none of the entries it points at");
    refused(COUNTER, "n <= 3", &with(1, "0 <= n && n <= 2"), &missing(2, "trans 1"));
    refused(COUNTER, "n <= 3", &with(2, "0 <= n && n <= 2"), &missing(1, "env"));
    refused(
        COUNTER,
        "n <= 3",
        &with(0, "n == 1"),
        "an initial state is in none of the entries that should contain it",
    );
}

#[test]
fn disjunctions_are_taken_apart() {
    let ways = "(n == 0 && !coin) || (n == 0 && coin) || n == 1 || n == 2 || n == 3";
    let list = [("init", "n == 0 && !coin"), ("env", ways), ("trans", ways)];
    let effort = accepted(COUNTER, "n <= 3", &list);
    assert_eq!(effort.by_solver, 0, "{effort:?}");
}

#[test]
fn cases_of_open_values_are_distinguished() {
    let source = "
        type Colour : { Red, Green, Blue }
        var c : Colour = Red  var d : Colour = Red  var n : integer = 0
        env { havoc c; havoc n; assume n != 4; } trans { d := c; if (n > 2) { n := 0; } else { n := n + 1; } }
    ";
    let (mut system, question) = load(source, "n <= 3");
    system.vars[VarId::at(2)].range = Some((0.into(), 4.into()));
    let effort = check_invariant(&system, &question, &state_by_state(&system), &GO_ON).unwrap();
    assert_eq!((effort.by_solver, effort.by_memory), (0, 0), "{effort:?}");
    assert!(effort.obligations > 50, "{effort:?}");
}

#[test]
fn arrays_and_rationals_can_be_spoken_of() {
    let source = "
        var a : [integer] -> integer = [0 <- 1, default <- 0]
        var i : integer = 0  var r : rational = 1%2
        env { havoc i; assume i >= 0 && i < 4; } trans { a[i] := 1 - a[i]; r := r + 1%2; } init { }
    ";
    let bits = "0 <= a[0] && a[0] <= 1 && 0 <= a[1] && a[1] <= 1 && 0 < r && 0 <= i && i < 4";
    let list = [("init", bits), ("env", bits), ("trans", bits)];
    accepted(source, "a[0] <= 1 && r != 0%1", &list);
    refused(source, "a[0] < 1", &list, "entry 0 contains a target");
}

const DIVISION: &str = "
    var d : integer = 1 var q : integer = 0
    trans { q := 8 / d; d := d + 1; } init { } env { }
";

#[test]
fn faults_must_be_impossible() {
    let all = |formula| [("init", formula), ("env", formula), ("trans", formula)];
    accepted(DIVISION, "d > 0", &all("d > 0"));
    let missing = "a successor of entry 2 by `trans` is in none of the entries it points at";
    refused(DIVISION, "true", &all("true"), missing);
    // An entry at the fault location may be there, but must be empty.
    let with = |fault| [("init", "d > 0"), ("env", "d > 0"), ("trans", "d > 0"), ("fault", fault)];
    accepted(DIVISION, "d > 0", &with("d == 0 && d == 1"));
    accepted(DIVISION, "d > 0", &with("d < 0 && d > 0"));
    refused(DIVISION, "d > 0", &with("true"), "entry 3 contains a fault");
    refused(DIVISION, "d > 0", &with("d == 4"), "entry 3 contains a fault");
}

#[test]
fn ranges_are_known() {
    let source = "var n : integer = 0 env { havoc n; } trans { } init { }";
    let all = [("init", "true"), ("env", "true"), ("trans", "true")];
    let target = Wrong { place: Place::Entry(0), flaw: Flaw::Target, of_lemma: false };
    for (property, expected) in [("n <= 300", Ok(())), ("n < 300", Err(Rejection::Wrong(target)))] {
        let (mut system, question) = load(source, property);
        system.vars[VarId::at(0)].range = Some((0.into(), 300.into()));
        assert_eq!(check(&system, &question, by_location(source, &all)), expected);
    }
}

#[test]
fn loops_with_known_bounds_are_unrolled() {
    let source = "
        var n : integer = 0 var k : integer = 3
        trans { n := 0; for i from 0 to k do { n := n + 1; } } init { } env { }
    ";
    let (system, question) = load(source, "n <= 4");
    assert_eq!(check(&system, &question, state_by_state(&system)), Ok(()));
    let all = |formula| [("init", formula), ("env", formula), ("trans", formula)];
    accepted(source, "n <= 4", &all("0 <= n && n <= 4 && k == 3"));
    // Here the bounds are not known: nobody can say.
    let invariant = by_location(source, &all("0 <= n && n <= 4 && 0 <= k && k <= 3"));
    let Err(Rejection::Undecided(why)) = check(&system, &question, invariant) else { panic!("decided") };
    assert_eq!(why, Undecided::Loop(Place::Entry(2)));
    assert_eq!(why.to_string(), "entry 2 cannot be checked: a loop has no bounds that are known");
}

#[test]
fn a_check_can_be_interrupted() {
    let (system, question) = load(COUNTER, "n <= 3");
    let stopped = AtomicBool::new(true);
    let result = check_invariant(&system, &question, &state_by_state(&system), &stopped);
    assert_eq!(result, Err(Rejection::Interrupted));
}

#[test]
fn a_solver_at_work_is_interrupted() {
    // Sums of three cubes: a question that takes a solver very long.
    let source = "
        var x : integer = 0 var y : integer = 0 var z : integer = 0
        env { havoc x; havoc y; havoc z; } trans { } init { }
    ";
    let (system, question) = load(source, "x * x * x + y * y * y + z * z * z != 114");
    let all = [("init", "true"), ("env", "true"), ("trans", "true")];
    let invariant = by_location(source, &all);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            stop.store(true, Ordering::SeqCst);
        });
        let result = check_invariant(&system, &question, &invariant, &stop);
        // Should a solver be quick here one day, this test needs a harder question.
        assert_eq!(result, Err(Rejection::Interrupted));
    });
}

#[test]
fn time_is_followed() {
    let source = "
        var x : clock  var y : clock  var n : integer = 0
        trans { assume x >= 1 && y <= 3; x := 0; n := 1 - n; } init { } env { __delay; }
    ";
    let (system, question) = load(source, "n <= 1");
    let all = |formula| [("init", formula), ("env", formula), ("trans", formula)];
    // Whatever the clocks do; and the solver is asked.
    let mut bit = all("n == 0 || n == 1");
    assert_eq!(check(&system, &question, by_location(source, &bit)), Ok(()));
    bit = all("0 <= n && n <= 1");
    assert_eq!(check(&system, &question, by_location(source, &bit)), Ok(()));
    // All clocks grow alike, so that `x` never gets ahead of `y`.
    accepted(source, "x <= y", &all("x <= y"));
    refused(source, "y <= x", &all("y <= x"), {
        "a successor of entry 2 by `trans` is in none of the entries it points at"
    });
}
