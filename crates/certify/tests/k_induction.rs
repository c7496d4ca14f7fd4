//! Right inductions are accepted, and every way of damaging or forging one is noticed.

extern crate thetis_certify as certify;

use std::sync::atomic::AtomicBool;

use certify::{Flaw, FormulaFlaw, Rejection, Wrong, check_certificate, export_obligations};
use ir::{Argument, Certificate, Invariant, InvariantEntry, KInductive, LocationId, Question, System};

static GO_ON: AtomicBool = AtomicBool::new(false);

fn load(source: &str, property: &str) -> (System, Question) {
    let mut model = lang::xsts::load(source).unwrap();
    let property = model.parse_property("p", property).unwrap();
    let question = model.system.question(property.claim);
    (model.system, question)
}

/// Counts from 0 to 4 and again, together with a copy that is one behind.
const TWO: &str = "
    var n : integer = 0 var last : integer = 0
    trans { last := n; if (n == 4) { n := 0; } else { n := n + 1; } } init { } env { }
";

/// The same formula everywhere.
fn lemma(source: &str, text: &str) -> Invariant {
    let mut model = lang::xsts::load(source).unwrap();
    let ir::Claim::Always(formula) = model.parse_property("p", text).unwrap().claim else {
        panic!("a formula")
    };
    let process = model.system.processes.iter().next().unwrap();
    let locations: Vec<LocationId> =
        process.locations.entries().filter(|(_, at)| at.name != "fault").map(|(id, _)| id).collect();
    let all: Vec<u32> = (0..locations.len() as u32).collect();
    let entry =
        |at: &LocationId| InvariantEntry { locations: [*at].into(), formula, successors: all.clone() };
    Invariant {
        entries: locations.iter().map(entry).collect(),
        initial: all.clone(),
        terms: model.system.terms,
    }
}

fn proof(source: &str, k: u32, argument: Argument, text: &str) -> Certificate {
    Certificate::KInductive(KInductive { k, argument, lemma: lemma(source, text) })
}

#[track_caller]
fn check(property: &str, k: u32, argument: Argument, lemma: &str, refused: Option<&str>) {
    let (system, question) = load(TWO, property);
    let certificate = proof(TWO, k, argument, lemma);
    match (check_certificate(&system, &question, &certificate, &GO_ON), refused) {
        (Ok(()), None) => {}
        (Err(Rejection::Wrong(why)), Some(part)) => assert!(why.to_string().contains(part), "{why}"),
        (result, _) => panic!("{result:?}"),
    }
}

#[test]
fn right_inductions_are_accepted() {
    // The lemma is what is claimed.
    check("n <= 4", 1, Argument::Induction, "0 <= n && n <= 4", None);
    // Without it: n above 4 only comes from n above 4, so one state in a row is enough, too.
    check("n <= 4", 1, Argument::Induction, "true", None);
    // `last` above 4 comes from n above 4, which nothing is claimed of: n may grow for ever before.
    check("last <= 4", 1, Argument::Induction, "n <= 4", None);
    check("last <= 4", 3, Argument::Induction, "n <= 4", None);
    check("last <= 4", 6, Argument::SimplePath, "n <= 4", None);
}

#[test]
fn too_few_states_are_refused() {
    check("n <= 4", 0, Argument::Induction, "true", Some("no state of any run"));
    // n is 3 after init and three times env and trans, 7 steps.
    check("n != 3", 7, Argument::Induction, "true", Some("comes a target"));
    check("n != 3", 8, Argument::Induction, "true", Some("a run of 7 steps ends in a target"));
    check("last <= 4", 3, Argument::Induction, "true", Some("3 states in a row"));
}

#[test]
fn lemmas_that_are_no_invariants_are_refused() {
    // Too strong for the initial states, and for a step.
    check("n <= 4", 1, Argument::Induction, "n == 1", Some("the lemma: an initial state"));
    check("n <= 4", 1, Argument::Induction, "n <= 3", Some("the lemma: a successor of entry"));
    check("n <= 4", 1, Argument::Induction, "false", Some("the lemma: an initial state"));
    // True in every reachable state, but not by itself.
    check("last <= 4", 1, Argument::Induction, "last <= 4", Some("the lemma: a successor of entry"));
}

#[test]
fn lemmas_about_something_else_are_refused() {
    let (system, question) = load(TWO, "n <= 4");
    let mut other = lemma(
        "var n : integer = 0 var more : integer = 0 var most : integer = 0 trans {} init {} env {}",
        "most == 0",
    );
    other.entries.truncate(3);
    let proof = KInductive { k: 1, argument: Argument::Induction, lemma: other };
    let result = check_certificate(&system, &question, &Certificate::KInductive(proof), &GO_ON);
    assert!(
        matches!(
            &result,
            Err(Rejection::Wrong(Wrong {
                of_lemma: true,
                flaw: Flaw::Formula(FormulaFlaw::NoSuchVariable(_)),
                ..
            }))
        ),
        "{result:?}"
    );
}

#[test]
fn runs_that_go_on_are_not_exhausted() {
    check("n <= 4", 3, Argument::Exhaustion, "true", Some("there are runs of 3 steps"));
    let ends = "var n : integer = 0 trans { assume n < 1; n := n + 1; } init { } env { }";
    let (system, question) = load(ends, "n <= 1");
    for (k, right) in [(4, false), (5, true), (6, true)] {
        let certificate = proof(ends, k, Argument::Exhaustion, "true");
        assert_eq!(check_certificate(&system, &question, &certificate, &GO_ON).is_ok(), right, "{k}");
    }
    // What is reached is found, however the induction goes on.
    let (system, question) = load(ends, "n < 1");
    let certificate = proof(ends, 5, Argument::Exhaustion, "true");
    assert!(matches!(check_certificate(&system, &question, &certificate, &GO_ON), Err(Rejection::Wrong(_))));
}

#[test]
fn simple_paths_are_only_for_those_who_say_so() {
    // From 1 there is only 1 again, or 2, which is bad; 1 is never reached.
    let source = "
        var x : integer = 0
        trans { choice { assume x == 1; } or { assume x == 1; x := 2; } or { assume x == 0; } } init { } env { }
    ";
    let (system, question) = load(source, "x != 2");
    let check =
        |k, argument| check_certificate(&system, &question, &proof(source, k, argument, "true"), &GO_ON);
    for k in 1..=6 {
        assert!(matches!(check(k, Argument::Induction), Err(Rejection::Wrong(_))), "{k}");
    }
    // At most two different states with x = 1 come before x = 2, one at env and one at trans, or three
    // with the state before init.
    assert!(matches!(check(1, Argument::SimplePath), Err(Rejection::Wrong(_))));
    assert_eq!(check(4, Argument::SimplePath), Ok(()));
}

#[test]
fn locals_do_not_last_from_one_step_to_the_next() {
    // The local is arbitrary in every step. If its value lasted, x would stay what it is after the first.
    let source = "
        var x : boolean = false var y : boolean = false
        trans { local var coin : boolean; y := x; x := coin; } init { } env { }
    ";
    let (system, question) = load(source, "!(x && !y)");
    for k in 1..=8 {
        let result =
            check_certificate(&system, &question, &proof(source, k, Argument::SimplePath, "true"), &GO_ON);
        assert!(matches!(result, Err(Rejection::Wrong(_))), "{k}: {result:?}");
    }
}

#[test]
fn obligations_have_no_models_unless_the_proof_is_wrong() {
    let (system, question) = load(TWO, "last <= 4");
    let answers = |k, argument, text| {
        let mut answers = vec![];
        let certificate = proof(TWO, k, argument, text);
        let exported = export_obligations(&system, &question, &certificate, &GO_ON, &mut |script| {
            let answer = smt::z3::script(&format!("(set-logic ALL)\n{}(check-sat)", script.text)).unwrap();
            answers.push((script.about.clone(), answer.trim().to_owned()));
            true
        });
        assert_eq!(exported, Ok(certify::Exported::All));
        answers
    };
    for (about, answer) in answers(3, Argument::SimplePath, "n <= 4") {
        assert_eq!(answer, "unsat", "{about}");
    }
    let wrong = answers(2, Argument::Induction, "true");
    let last = wrong.last().unwrap();
    assert!(last.0.starts_with("after 2 states") && last.1 == "sat", "{last:?}");
}

#[test]
fn a_request_to_stop_is_heard() {
    let (system, question) = load(TWO, "n <= 4");
    let certificate = proof(TWO, 3, Argument::Induction, "true");
    let stop = AtomicBool::new(true);
    let result = check_certificate(&system, &question, &certificate, &stop);
    assert_eq!(result, Err(Rejection::Interrupted));
}
