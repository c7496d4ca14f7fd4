//! Bounded search and induction: against exhaustive search, and one by one.

extern crate thetis_engine as engine;

mod random;

use std::time::Duration;

use engine::{Answer, Choice, Config, Engine, Quiet, Reason, Remedy, Statistics, Stop, Unsupported};
use ir::{Argument, Certificate, Question, System};
use lang::xsts;

/// What a search said, its evidence certified.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Said {
    /// The target or a fault is reached after so many steps.
    Reached(usize),
    /// Neither is ever reached; for induction, so many states and why they are enough.
    Never(Option<(u32, Argument)>),
    /// Why it is not known.
    Unknown(Reason),
}

/// Asks about a target; evidence that is refused is an error.
fn ask(
    system: &System,
    question: &Question,
    config: &Config,
    stop: &Stop,
) -> Result<(Said, Statistics), String> {
    let (answer, statistics) = engine::search(system, question, config, stop, &mut Quiet);
    let fresh = Stop::new();
    let said = match answer {
        Answer::Found(run) => {
            let checked = certify::check_run(system, question, &run, fresh.flag());
            checked.map_err(|why| format!("the run was refused: {why}"))?;
            Said::Reached(run.steps.len())
        }
        Answer::Excluded(certificate) => {
            let checked = certify::check_certificate(system, question, &certificate, fresh.flag());
            checked.map_err(|why| format!("the certificate was refused: {why}"))?;
            match certificate {
                Certificate::KInductive(proof) => Said::Never(Some((proof.k, proof.argument))),
                _ => Said::Never(None),
            }
        }
        Answer::Unknown(reason) => Said::Unknown(reason),
    };
    Ok((said, statistics))
}

/// A model and what is searched for in it: a state where its property is false.
fn load(text: &str) -> (System, Question) {
    let mut model = xsts::load(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let property = model.property().expect("a property");
    let question = model.system.question(property.claim);
    (model.system, question)
}

#[track_caller]
fn check(engine: Engine, bound: Option<u32>, text: &str, expected: &Said) {
    let (system, question) = load(text);
    let config = Config { engine, bound, ..Config::default() };
    let said = ask(&system, &question, &config, &Stop::new()).unwrap().0;
    assert_eq!(said, *expected, "{engine}");
}

#[test]
fn the_shortest_run_is_found() {
    // One step for `init`, then env and trans by turns: n is 3 after init, 2 * 3 more steps.
    let text = "var n : integer = 0 trans { n := n + 1; } init { } env { } prop { n < 3 }";
    check(Engine::Bmc, None, text, &Said::Reached(7));
    check(Engine::Kind, None, text, &Said::Reached(7));
    check(Engine::Bmc, Some(7), text, &Said::Reached(7));
    check(Engine::Bmc, Some(6), text, &Said::Unknown(Reason::Bound(6)));
}

#[test]
fn faults_are_found_at_locations_that_nobody_observes() {
    let text =
        "var n : integer = 2 trans { n := n - 1; n := 6 / n; assume n < 0; } init { } env { } prop { true }";
    // Dividing by n - 1 = 0 needs n = 1 before: 2 -> 6 / 1 = 6 is blocked, so nothing goes wrong.
    // Three states: before init, before env, before trans.
    check(Engine::Bmc, None, text, &Said::Never(Some((3, Argument::Exhaustion))));
    let text =
        "var n : integer = 1 trans { n := n - 1; n := 6 / n; assume n < 0; } init { } env { } prop { true }";
    check(Engine::Bmc, None, text, &Said::Reached(3));
    check(Engine::Kind, None, text, &Said::Reached(3));
}

#[test]
fn runs_that_end_are_looked_at_to_their_end() {
    // init, env and trans once; then env, and trans is blocked: 4 steps, 5 states.
    let text = "var n : integer = 0 trans { assume n < 1; n := n + 1; } init { } env { } prop { n < 2 }";
    check(Engine::Bmc, None, text, &Said::Never(Some((5, Argument::Exhaustion))));
    // Without any initial state there is nothing to look at, and 1 is the least k there is.
    let text = "var n : integer = 0 trans { } init { assume false; } env { } prop { n == 0 }";
    check(Engine::Bmc, None, text, &Said::Never(Some((1, Argument::Exhaustion))));
}

#[test]
fn ranges_are_lemmas() {
    // x stays between 0 and 8, which no number of states in a row shows by themselves: x may be anything.
    let text = "
        var x : integer = 0 var y : integer = 0
        trans { assume x < 8; x := x + 1; y := 0 - y; } or { assume x > 0; x := 0; }
        init { } env { } prop { x <= 8 && y == 0 }
    ";
    check(Engine::Kind, None, text, &Said::Never(Some((1, Argument::Induction))));
}

#[test]
fn several_states_in_a_row_are_needed_and_found() {
    // a and b are one behind the other; where a is bad, c was three steps of trans before.
    let text = "
        var a : boolean = false var b : boolean = false var c : boolean = false
        trans { a := b; b := c; c := c; } init { } env { } prop { !a }
    ";
    // Intervals know that all are false; without this, induction over more states would have to.
    check(Engine::Kind, None, text, &Said::Never(Some((1, Argument::Induction))));
    let text = "
        var x : integer = 0 var y : integer = 0
        trans { choice { x := x + 1; y := y + 1; } or { assume x > 0; x := x - 1; y := y - 1; } }
        init { } env { } prop { x == 0 || y != 0 }
    ";
    // x = y is not what is claimed. From x = 1, y = 0 (claimed not to be) back: x = 2, y = 1 is claimed to
    // be fine, and so on for ever: no number of states is enough.
    check(Engine::Kind, Some(6), text, &Said::Unknown(Reason::Bound(6)));
}

#[test]
fn loops_in_states_that_are_not_reachable_need_simple_paths() {
    // x is 0 and 3 by turns. The interval contains 1, which leads to itself and to 2: any number of states
    // where x is 1 can come before the bad one, but not of different states.
    let text = "
        var x : integer = 0
        trans {
            choice { assume x == 0; x := 3; } or { assume x == 3; x := 0; } or { assume x == 1; }
            or { assume x == 1; x := 2; }
        }
        init { } env { } prop { x != 2 }
    ";
    let (system, question) = load(text);
    let config = Config { engine: Engine::Kind, ..Config::default() };
    let said = ask(&system, &question, &config, &Stop::new()).unwrap().0;
    assert!(matches!(said, Said::Never(Some((_, Argument::SimplePath)))), "{said:?}");
}

#[test]
fn what_has_no_formula_is_refused_by_name() {
    let text = "
        var n : integer = 0 var rounds : integer = 3 var sum : integer = 0
        trans { havoc rounds; for i from 0 to rounds do { sum := sum + i; } } init { } env { } prop { n == 0 }
    ";
    for engine in [Engine::Bmc, Engine::Kind] {
        let (system, question) = load(text);
        let config = Config { engine, ..Config::default() };
        let said = ask(&system, &question, &config, &Stop::new()).unwrap().0;
        let Said::Unknown(Reason::Unsupported(why)) = said else { panic!("{said:?}") };
        assert!(matches!(why, Unsupported::Loop { .. }) && why.variables()[0].name == "rounds", "{why:?}");
        let remedies = Reason::Unsupported(why).remedies(&[], &config, false);
        assert_eq!(remedies[0], Remedy::Choose(vec![Choice::Engine(Engine::Explicit)]));
    }
}

#[test]
fn time_becomes_data() {
    let text = "
        var x : clock var late : boolean = false
        trans { x := 0; } init { } env { __delay; if (x > 2) { late := true; } }
    ";
    // Any time may pass in the first env, which follows init.
    let eventually = format!("{text} prop {{ !late }}");
    check(Engine::Bmc, None, &eventually, &Said::Reached(2));
    check(Engine::Kind, None, &eventually, &Said::Reached(2));
    // In any two states in a row, x is either what env compared it with, or 0.
    let always = format!("{text} prop {{ late || x <= 2 }}");
    check(Engine::Kind, None, &always, &Said::Never(Some((1, Argument::Induction))));
}

#[test]
fn loops_are_unrolled_where_their_rounds_are_known() {
    let text = "
        var n : integer = 0 var rounds : integer = 3
        trans { n := 0; for i from 0 to rounds do { n := n + 1; } } init { } env { } prop { n <= 3 }
    ";
    check(Engine::Kind, None, text, &Said::Never(Some((1, Argument::Induction))));
}

#[test]
fn a_request_to_stop_is_heard_by_the_solver() {
    // Products of unbounded integers are hard, and there is no end to it.
    let text = "
        var x : integer = 3 var y : integer = 5 var z : integer = 7
        trans { choice { x := x * y + z; } or { y := y * z + x; } or { z := z * x + y; } }
        init { } env { } prop { x * x * x + y * y * y + z * z * z != 42 }
    ";
    let (system, question) = load(text);
    for engine in [Engine::Bmc, Engine::Kind] {
        let config = Config { engine, ..Config::default() };
        let stop = Stop::new();
        let (answer, _) = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(300));
                stop.request(Reason::Time);
            });
            engine::search(&system, &question, &config, &stop, &mut Quiet)
        });
        assert!(matches!(answer, Answer::Unknown(Reason::Time)), "{engine}: {answer:?}");
    }
}
