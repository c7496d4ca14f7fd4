//! What can always be reached again: random models against a search over their states, and changed evidence.

use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

use ir::interp::Interp;
use ir::{Certificate, Claim, Question, State, System, Term};
use lang::xsts::{self, arbitrary};
use thetis_engine::{Answer, Config, Engine, Quiet, Stop, search};

use super::{atoms, successors, verdict};

/// Goes around from 0 to 2 until it takes a way from 1 to 7, from where it only goes on to 8 and back to 7.
const TRAPS: &str = "var n : integer = 0
    trans { assume n < 2; n := n + 1; } or { assume n == 2; n := 0; } or { assume n == 1; n := 7; }
        or { assume n == 7; n := 8; } or { assume n == 8; n := 7; }
    init { } env { } prop { true }";

fn asked(text: &str, goal: &str) -> (System, Question) {
    let mut model = xsts::load(text).unwrap();
    let claim = model.question("p", &format!("AG EF {goal}")).unwrap().property.claim;
    let question = model.system.question(claim);
    (model.system, question)
}

#[test]
fn traps_are_found() {
    for (goal, expected) in [
        // From everywhere, by the way to 7.
        ("n >= 7", "holds"),
        ("n == 8", "holds"),
        ("true", "holds"),
        // Not from 7 on.
        ("n == 0", "violated"),
        ("n == 2", "violated"),
        ("n == 9", "violated"),
    ] {
        let (system, question) = asked(TRAPS, goal);
        for engine in [Engine::Auto, Engine::Explicit] {
            assert_eq!(verdict(&system, &question, engine), expected, "{goal} by {engine}");
        }
        assert_eq!(verdict(&system, &question, Engine::Cegar), "unknown", "{goal}");
    }
}

#[test]
fn a_value_that_is_not_known_decides_nothing() {
    // `go` is never set: whether 1 can be reached depends on what it is from the start.
    let text = "var go : boolean var n : integer = 0 trans { assume go; n := 1; } or { } init { } env { } prop { true }";
    let (system, question) = asked(text, "n == 1");
    assert_ne!(verdict(&system, &question, Engine::Explicit), "holds");
    // From the start 1 may come or not; back to 0 it never comes.
    let text =
        "var go : boolean var n : integer trans { n := 1 - n; } init { n := 0; } env { } prop { true }";
    let (system, question) = asked(text, "n == 1");
    assert_eq!(verdict(&system, &question, Engine::Explicit), "holds");
}

fn evidence(goal: &str) -> (System, Question, Answer) {
    let (system, question) = asked(TRAPS, goal);
    let config = Config { engine: Engine::Explicit, ..Config::default() };
    let (answer, _) = search(&system, &question, &config, &Stop::new(), &mut Quiet);
    (system, question, answer)
}

#[test]
fn changed_distances_are_refused() {
    let (system, question, answer) = evidence("n == 8");
    let Answer::Excluded(Certificate::Returns(mut proof)) = answer else { panic!("it holds") };
    let stop = AtomicBool::new(false);
    let right = proof.distances.clone();
    for at in 0..right.len() {
        // Too near, and nowhere at all. The state before `init` is looked at as well.
        for wrong in [right[at].filter(|it| *it > 0).map(|it| it - 1), None] {
            proof.distances.clone_from(&right);
            proof.distances[at] = wrong;
            if proof.distances == right {
                continue;
            }
            let proof = Certificate::Returns(ir::Returns {
                set: listed(&*proof.set),
                distances: proof.distances.clone(),
            });
            let checked = certify::check_certificate(&system, &question, &proof, &stop);
            assert!(matches!(checked, Err(certify::Rejection::Wrong(_))), "{at}: {wrong:?}");
        }
    }
    proof.distances = right[1..].to_vec();
    let checked = certify::check_certificate(&system, &question, &Certificate::Returns(proof), &stop);
    assert!(checked.is_err());
}

/// The same list of states.
fn listed(set: &dyn ir::ClosedSet) -> Box<dyn ir::ClosedSet> {
    struct List(Vec<State>);
    impl ir::ClosedSet for List {
        fn len(&self) -> usize {
            self.0.len()
        }
        fn state(&self, index: usize) -> State {
            self.0[index].clone()
        }
        fn find(&self, state: &State) -> Option<usize> {
            self.0.iter().position(|it| it == state)
        }
    }
    Box::new(List((0..set.len()).map(|at| set.state(at)).collect()))
}

#[test]
fn runs_that_end_before_the_trap_are_refused() {
    let (system, question, answer) = evidence("n == 0");
    let Answer::Found(run) = answer else { panic!("it is violated") };
    let stop = AtomicBool::new(false);
    assert!(certify::check_run(&system, &question, &run, &stop).is_ok());
    // Every step is needed, for the run is a shortest one.
    for length in 0..run.steps.len() {
        let mut shorter = run.clone();
        shorter.steps.truncate(length);
        assert!(certify::check_run(&system, &question, &shorter, &stop).is_err(), "{length} steps");
    }
    // A proof about other states is none of this.
    let (_, _, answer) = evidence("n == 8");
    let Answer::Excluded(proof) = answer else { panic!("it holds") };
    assert!(certify::check_certificate(&system, &question, &proof, &stop).is_err());
}

#[test]
fn random_models_agree_with_a_search_over_their_states() {
    let runs = sampling::runs(150, 6_626);
    let cases = runs.cases;
    let seen = RefCell::new((0, 0, 0));
    sampling::check(runs, &arbitrary::model(), xsts::print, |model| {
        let mut system = xsts::load(&xsts::print(&model)).unwrap().system;
        let goal = atoms(&mut system)[0];
        let mut seen = seen.borrow_mut();
        let Some(expected) = always_reachable(&mut system, goal) else {
            seen.2 += 1;
            return Ok(());
        };
        let question = system.question(Claim::AlwaysPossibly(goal));
        let found = verdict(&system, &question, Engine::Explicit);
        let expected = if expected { "holds" } else { "violated" };
        seen.0 += usize::from(expected == "holds");
        seen.1 += usize::from(expected == "violated");
        if found == expected { Ok(()) } else { Err(format!("{found}, not {expected}")) }
    });
    let (holds, violated, skipped) = seen.into_inner();
    eprintln!("{cases} random models: {holds} hold, {violated} are violated, {skipped} skipped");
    assert!(cases < 100 || holds > 10 && violated > 10, "not varied enough");
}

/// Whether the goal can be reached from every state, by following the steps from each; `None` if it is not that simple.
fn always_reachable(system: &mut System, goal: Term) -> Option<bool> {
    const MOST: usize = 60;
    let (stmt, start) = (ir::initial(system), system.arbitrary_state());
    let mut states = successors(system, stmt, &start, &start.locations)?;
    let mut after: Vec<Vec<State>> = vec![];
    let mut next = 0;
    while let Some(state) = states.get(next).cloned() {
        next += 1;
        if states.len() > MOST
            || system.is_fault(&state.locations)
            || state.values.iter().any(Option::is_none)
            || !system.is_observed(&state.locations)
        {
            return None;
        }
        let mut found = vec![];
        for action in ir::actions(system, &state.locations) {
            found.extend(successors(system, action.stmt, &state, &action.target)?);
        }
        states.extend(found.iter().filter(|it| !states.contains(it)).cloned().collect::<Vec<_>>());
        after.push(found);
    }
    let mut good: Vec<bool> =
        states.iter().map(|state| Interp::new(system, None).find(state, goal).unwrap().is_some()).collect();
    for _ in 0..states.len() {
        for at in 0..states.len() {
            let leads = |to: &State| states.iter().position(|it| it == to).is_some_and(|to| good[to]);
            good[at] = good[at] || after[at].iter().any(leads);
        }
    }
    Some(good.into_iter().all(|good| good))
}
