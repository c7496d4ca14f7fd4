//! Obligations for other solvers: Z3, asked by a script, agrees with what the judge says.

use certify::export_obligations;

use super::*;

/// What a solver answers to each obligation, with what they are about.
fn answers(system: &System, question: &Question, invariant: &Invariant) -> Vec<(String, String)> {
    let mut answers = vec![];
    let certificate = Certificate::Invariant(invariant.clone());
    let exported = export_obligations(system, question, &certificate, &GO_ON, &mut |script| {
        let answer = smt::z3::script(&format!("(set-logic ALL)\n{}(check-sat)", script.text)).unwrap();
        answers.push((script.about.clone(), answer.trim().to_owned()));
        true
    });
    assert_eq!(exported, Ok(certify::Exported::All));
    answers
}

#[track_caller]
fn all_unsat(source: &str, property: &str, invariant: &Invariant) {
    let (system, question) = load(source, property);
    let answers = answers(&system, &question, invariant);
    let effort = check_invariant(&system, &question, invariant, &GO_ON).unwrap();
    assert_eq!(answers.len() as u64, effort.obligations);
    for (about, answer) in answers {
        assert_eq!(answer, "unsat", "{about}");
    }
}

#[test]
fn obligations_of_right_invariants_have_no_models() {
    all_unsat(COUNTER, "n <= 3", &by_location(COUNTER, &RANGE));
    let (system, _) = load(COUNTER, "n <= 3");
    all_unsat(COUNTER, "n <= 3", &state_by_state(&system));
    let all = |formula| [("init", formula), ("env", formula), ("trans", formula)];
    all_unsat(DIVISION, "d > 0", &by_location(DIVISION, &all("d > 0")));
    let timed = "
        type Mode : { Off, On }
        var x : clock  var y : clock  var m : Mode = Off  var r : rational = 1%2
        var a : [Mode] -> integer = [default <- 0]
        trans { assume x >= 1; x := 0; m := On; r := r / 2; a[m] := 1; } init { } env { __delay; }
    ";
    let formula = "x <= y && (m == Off || a[On] == 1) && r > 0%1";
    all_unsat(timed, "x <= y && r != 0%1", &by_location(timed, &all(formula)));
    let looping = "
        var n : integer = 0 var k : integer = 3
        trans { n := 0; for i from 0 to k do { n := n + 1; } } init { } env { }
    ";
    all_unsat(looping, "n <= 4", &by_location(looping, &all("0 <= n && n <= 4 && k == 3")));
}

#[test]
fn obligations_say_what_they_are_about() {
    let (system, question) = load(COUNTER, "n <= 3");
    let mut invariant = by_location(COUNTER, &RANGE);
    let list = answers(&system, &question, &invariant);
    let expected = [
        "every initial state is in one of the entries 0",
        "entry 0 contains no target (entry 0 is at init)",
        "every successor of entry 0 by `init` is in one of the entries 1 (entry 0 is at init)",
        "entry 1 contains no target (entry 1 is at env)",
        "every successor of entry 1 by `env` is in one of the entries 2 (entry 1 is at env)",
        "entry 2 contains no target (entry 2 is at trans)",
        "every successor of entry 2 by `trans 1` is in one of the entries 1 (entry 2 is at trans)",
        "every successor of entry 2 by `trans 2` is in one of the entries 1 (entry 2 is at trans)",
    ];
    assert_eq!(list.iter().map(|(about, _)| about.as_str()).collect::<Vec<_>>(), expected);
    // A damaged invariant has an obligation with a model, and it is the right one.
    invariant.entries[1].successors.clear();
    let list = answers(&system, &question, &invariant);
    let wrong: Vec<_> = list.iter().filter(|(_, answer)| answer != "unsat").collect();
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert!(wrong[0].0.starts_with("every successor of entry 1 by `env`"), "{wrong:?}");
}
