//! Traces as somebody could have changed them: what is shown of a run is as much a part of the evidence as its steps.

use std::sync::Arc;

use serde_json::{Value, json};
use thetis::engine::Stop;
use thetis::simulate::Simulator;
use thetis::trace::{self, Mismatch, Place, Shown, Trace};
use thetis::validate::{Asked, Invalid, Submission};
use thetis::{Model, Scope};

/// `up` turns from false to true and back for ever.
const SWITCH: &str = "var up : boolean = false\ntrans { up := !up; }\ninit { }\nenv { }\nprop { !up }\n";

fn model() -> Model {
    Model::from_text("switch.xsts", SWITCH).expect("a model")
}

/// So many steps of the model, as a file.
fn walk(steps: usize) -> Value {
    let model = model();
    let mut simulator = Simulator::new(&model, None, Scope::default(), Arc::new(Stop::new())).unwrap();
    let mut chance = thetis::simulate::Chance::new(1);
    simulator.start_by_chance(&mut chance).unwrap();
    for _ in 0..steps {
        simulator.step_by_chance(&mut chance);
    }
    serde_json::to_value(simulator.trace()).unwrap()
}

fn read(file: &Value) -> Trace {
    trace::parse("t.json", &file.to_string()).expect("a trace")
}

fn validated(file: &Value) -> Result<(), Invalid> {
    let mut model = model();
    let submission = Submission::read(&mut model, "t.json", &file.to_string(), None).map_err(|why| *why)?;
    submission.check(&Stop::new()).map(|_| ()).map_err(|why| *why)
}

fn replayed(file: &Value) -> Result<(usize, Trace), Mismatch> {
    let mut model = model();
    let question = file["property"]["text"].as_str().map(|text| model.ask(text).expect("a question"));
    let mut simulator =
        Simulator::new(&model, question.as_ref(), Scope::default(), Arc::new(Stop::new())).unwrap();
    let mut shown = 0;
    simulator.follow(&read(file), |_| shown += 1).map_err(|misfit| misfit.what)?;
    Ok((shown, simulator.trace()))
}

#[test]
fn a_loop_is_followed_once_around() {
    // `init`, `env`, `trans`, `env`, `trans`: the state after the first step is the one after the fifth.
    let mut file = walk(5);
    assert_eq!(file["steps"][0]["state"], file["steps"][4]["state"]);
    file["loop"] = json!(1);
    let (shown, trace) = replayed(&file).expect("a run for ever");
    assert_eq!((shown, trace.steps.len(), trace.cycle), (6, 5, Some(1)));
    validated(&file).expect("a run for ever");
    // A step of the loop that is none of the model's is noticed.
    let mut forged = file.clone();
    forged["steps"][3]["state"] = file["steps"][4]["state"].clone();
    assert!(replayed(&forged).is_err() && validated(&forged).is_err());
}

#[test]
fn a_loop_that_does_not_close_is_refused() {
    let mut file = walk(5);
    file["loop"] = json!(2);
    assert_eq!(replayed(&file).err(), Some(Mismatch::Open(2)));
    let Err(Invalid::Misfit(misfit)) = validated(&file) else { panic!("it does not close") };
    assert_eq!(misfit.what, Mismatch::Open(2));
}

#[test]
fn no_loop_answers_a_question_about_a_state() {
    let mut file = walk(5);
    file["loop"] = json!(1);
    file["property"] = json!({
        "name": "prop", "text": "!up", "claim": "always", "about": { "expression": "!up" }, "check_states": "all",
    });
    assert_eq!(replayed(&file).err(), Some(Mismatch::Endless));
    assert!(matches!(validated(&file), Err(Invalid::Rejected(_))));
}

/// What `validate` says of a run of five steps in which one thing was changed.
fn forged(pointer: &str, value: Value) -> (Place, Mismatch) {
    let mut file = walk(5);
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    file.pointer_mut(parent).unwrap()[key] = value;
    // An edited model is no reason not to replay a run.
    replayed(&file).expect("a run of the model");
    match validated(&file) {
        Err(Invalid::Misfit(misfit)) => (misfit.place, misfit.what),
        other => panic!("{pointer}: {other:?}"),
    }
}

#[test]
fn what_a_trace_shows_is_what_the_model_shows() {
    validated(&walk(5)).expect("a run of the model");
    let shown = |pointer, value| match forged(pointer, value) {
        (place, Mismatch::Shown(what)) => (place, what),
        other => panic!("{pointer}: {other:?}"),
    };
    let title = "pressed by the operator";
    let step = Place::Step(1);
    assert_eq!(shown("/steps/0/edges/0/title", json!(title)), (step, Shown::Title(title.into())));
    let (place, what) = shown("/steps/0/edges/0/file", json!("other.xsts"));
    assert!(place == step && matches!(what, Shown::File(_)), "{what:?}");
    assert_eq!(shown("/steps/0/goes_on", json!(true)), (step, Shown::GoesOn));
    assert_eq!(shown("/time", json!("after-step")), (Place::File, Shown::Time));
    assert_eq!(shown("/variables/0/values", json!([[0, "off"]])).1, Shown::Variable("up".into()));
    assert_eq!(shown("/variables/0/group", json!(["lamp"])).1, Shown::Variable("up".into()));
    assert_eq!(shown("/processes/0/located", json!(true)).1, Shown::Process("xsts".into()));
    assert_eq!(shown("/processes/0/sections", json!([])).1, Shown::Process("xsts".into()));
}

#[test]
fn a_question_from_outside_is_known_by_its_text() {
    let (mut model, text) = (model(), walk(5).to_string());
    let asked = Submission::read(
        &mut model,
        "t.json",
        &text,
        Some(Asked { text: "!up ||\n  up", scope: &Scope::default() }),
    )
    .map_err(|why| why.to_string());
    assert_eq!(asked.map(|asked| asked.question.map(|it| it.name)), Ok(Some("!up || up".to_owned())));
}

/// The lines of a DOT file are not those of a name.
#[test]
fn names_of_several_lines_stay_within_their_quotes() {
    let mut file = walk(1);
    file["steps"][0]["edges"][0]["title"] = json!("first\nsecond \"third\"");
    let picture = trace::dot::render(&read(&file));
    assert!(picture.contains(r#"first\nsecond \"third\""#), "{picture}");
    assert!(!picture.contains("first\n"), "{picture}");
}

#[test]
fn reasons_have_codes() {
    let mut file = walk(5);
    file["loop"] = json!(2);
    assert_eq!(validated(&file).unwrap_err().code(), "misfit.open-loop");
    file["format"] = json!("something");
    assert_eq!(validated(&file).unwrap_err().code(), "evidence.other-format");
}
