//! A front-end of a language that Thetis does not know, made with what everybody can use: counter machines.
//!
//! ```text
//! counter a = 2
//! counter b
//! start: dec a move done      // one less and on to `move`; where `a` is 0, on to `done`
//! move:  inc b start
//! done:  swap a b end         // one step for the user, two for the system
//! end:   halt
//! ```
//! A question is `never LABEL`, `reach LABEL` or `COUNTER <= NUMBER`. The front-end is the first part of this file; the
//! tests check, simulate, write and validate its models.

mod machine;

use std::sync::Arc;

use engine::Stop;
use thetis::simulate::{Chance, Simulator, Stepped};
use thetis::trace::table;
use thetis::validate::{Asked, End, Shown, Submission};
use thetis::{Check, Error, Languages, Model, Outcome, Scope, engine, trace};

const TEXT: &str = "counter a = 2\ncounter b\nstart: dec a move done\nmove: inc b start\n\
                    done: swap a b end\nend: halt\n";

fn languages() -> Languages {
    Languages::default().with(&machine::COUNTER_MACHINE)
}

fn model() -> Model {
    languages().from_text("m.machine", TEXT).unwrap()
}

fn answer(text: &str) -> (Outcome, Option<trace::Trace>) {
    let mut model = model();
    let question = model.ask(text).unwrap();
    let answered = model.check(&question, &Check::default()).unwrap();
    assert!(answered.certified);
    (answered.outcome, answered.trace)
}

#[test]
fn questions_are_answered_with_certified_evidence() {
    // By hand: a goes 2, 1, 0 while b goes 0, 1, 2; then they are swapped, and the machine halts.
    assert_eq!(answer("b <= 2").0, Outcome::Holds);
    assert_eq!(answer("b <= 1").0, Outcome::Violated);
    assert_eq!(answer("reach end").0, Outcome::Holds);
    assert_eq!(answer("never end").0, Outcome::Violated);
}

#[test]
fn a_run_is_told_in_the_words_of_the_machine() {
    let (_, run) = answer("never end");
    let shown = table::render(&run.unwrap(), false);
    // Two steps of the system are one of the user's, and two locations one running machine.
    assert!(shown.contains("   7  swap a b (line 5); and so on (line 5)\n"), "{shown}");
    assert!(shown.contains("state : running -> halted"), "{shown}");
    assert!(shown.contains("here `not end` is false"), "{shown}");
    assert!(!shown.contains('$'), "{shown}");
}

#[test]
fn mistakes_have_places() {
    let Err(Error::Text(error)) = languages().from_text("m.machine", "counter a\nstart: inc b start\n")
    else {
        panic!("a counter that nobody has declared")
    };
    assert_eq!(error.to_string(), "m.machine:2:12: there is no counter `b`");
    let Err(Error::Text(error)) = model().ask("never start again") else { panic!("too many words") };
    assert_eq!(error.diagnostics.len(), 1);
}

#[test]
fn evidence_survives_files_and_is_validated() {
    let folder = std::env::temp_dir().join(format!("thetis-machine-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut model = model();
    let (always, never) = (model.ask("b <= 2").unwrap(), model.ask("never end").unwrap());
    let check = Check::default();

    let answered = model.check(&never, &check).unwrap();
    let path = folder.join("t.json");
    trace::write(&path, &answered.trace.unwrap()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let submission = Submission::read(&mut model, "t.json", &text, None).unwrap();
    assert_eq!(submission.check(&Stop::new()).unwrap().shown, Shown::Run(7, End::Decided));
    assert!(Submission::read(&mut model, "t.json", &text.replace("swap a b", "swap b a"), None).is_err());

    let answered = model.check(&always, &check).unwrap();
    let path = folder.join("c.json");
    assert!(answered.write_certificate(&model, &path).unwrap(), "it holds");
    let text = std::fs::read_to_string(&path).unwrap();
    let submission = Submission::read(&mut model, "c.json", &text, None).unwrap();
    submission.check(&Stop::new()).unwrap();
    // The same states do not show that there are fewer.
    let other = Submission::read(
        &mut model,
        "c.json",
        &text,
        Some(Asked { text: "b <= 1", scope: &Scope::default() }),
    )
    .unwrap();
    assert!(other.check(&Stop::new()).is_err());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_machine_is_simulated_step_by_step() {
    let model = model();
    let mut simulator = Simulator::new(&model, None, Scope::default(), Arc::new(Stop::new())).unwrap();
    let mut chance = Chance::new(7);
    simulator.start_by_chance(&mut chance).unwrap();
    let mut steps = 0;
    while simulator.step_by_chance(&mut chance) == Stepped::Yes {
        steps += 1;
    }
    // The machine is deterministic, so there is one run: five steps to `done`, the two of the swap, and the end.
    assert_eq!((steps, simulator.moves().len()), (7, 0));
    let trace = simulator.trace();
    let mut again = Simulator::new(&model, None, Scope::default(), Arc::new(Stop::new())).unwrap();
    assert_eq!(again.follow(&trace, |_| {}), Ok(true));
}

#[test]
fn what_is_in_a_machine_is_told_by_its_view() {
    let info = thetis::info::info(&model());
    // The hidden variable of swaps is none of the user's.
    let names: Vec<&str> = info.variables.iter().map(|variable| variable.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(info.variables.iter().all(|variable| variable.ty == trace::TypeRecord::Integer));
    assert_eq!(info.configurations.len(), 1);
    assert_eq!(info.configurations[0].name, "state");
    assert!(info.features.is_empty() && info.uninitialised.is_empty());
}
