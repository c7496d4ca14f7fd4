//! Questions and the models they are asked of, through the library.

use std::time::Duration;

use thetis::engine::{Config, Engine};
use thetis::ir::Zeno;
use thetis::lang::Reading;
use thetis::record::OutcomeRecord;
use thetis::{CannotCheck, CannotPose, Check, Languages, Limits, Model, Outcome, Scope};

const MODEL: &str =
    "var n : integer = 0 var m : integer = 0 trans { assume n < 3; n := n + 1; m := m + 2; } prop { n <= 3 }";

/// The terms of a question are those of its model. Here the other model has the same text but was asked something
/// else first, so that the terms of the question would be about `m` there.
#[test]
fn a_question_is_about_the_model_that_it_was_asked_of() {
    let [mut one, mut other] = ["one.xsts", "other.xsts"].map(|name| Model::from_text(name, MODEL).unwrap());
    let question = one.ask("n <= 4").unwrap();
    other.ask("m <= 4").unwrap();
    assert_eq!(one.check(&question, &Check::default()).unwrap().outcome, Outcome::Holds);
    let refused = other.check(&question, &Check::default()).unwrap_err();
    let (question, model) = ("n <= 4".to_owned(), "other.xsts".to_owned());
    assert_eq!(refused, CannotCheck::Pose(CannotPose::OtherModel { question, model }));
    let own = one.questions()[0].clone().unwrap();
    assert!(other.check(&own, &Check::default()).is_err());
}

/// Listing the states of a counter without end is ended by the time that it is given.
#[test]
fn a_search_keeps_its_limits() {
    let model = "var n : integer = 0 trans { n := n + 1; }";
    let mut model = Model::from_text("endless.xsts", model).unwrap();
    let question = model.ask("n >= 0").unwrap();
    let config = Config { engine: Engine::Explicit, preprocess: false, ..Config::default() };
    let limits = Limits { timeout: Some(Duration::from_millis(50)), memory: None };
    let record = model.check(&question, &Check { config, limits, ..Check::default() }).unwrap().record();
    assert_eq!((record.verdict, record.code), (OutcomeRecord::Unknown, Some("time-limit")));
    assert_eq!(record.certified, None);
}

/// What a program reads of an answer: no words, the run in the user's terms.
#[test]
fn an_answer_is_a_plain_record() {
    let mut model = Model::from_text("m.xsts", MODEL).unwrap();
    let question = model.ask("n <= 2").unwrap();
    let record = model.check(&question, &Check::default()).unwrap().record();
    let json = serde_json::to_value(&record).unwrap();
    assert_eq!((&json["verdict"], &json["certified"]), (&"violated".into(), &true.into()));
    assert_eq!(json["code"], serde_json::Value::Null);
    assert_eq!(json["trace"]["format"], "thetis-trace");
}

/// A state that is left after one second, or after two if nobody has looked before.
const TIMER: &str = "package time
    statechart Timer {
        timeout one
        timeout two
        region main { initial i state Wait { entry / set one := 1 s; set two := 2 s; } state Soon state Late }
        transition from i to Wait
        transition from Wait to Soon when timeout one
        transition from Wait to Late when timeout two
    }
    sync System { component t : Timer }";

/// What is said of the timer, if it is read like this, and Zeno runs count or not.
fn timed(reading: Reading, zeno: Zeno, question: &str) -> Outcome {
    timed_by(TIMER, reading, zeno, question)
}

fn timed_by(text: &str, reading: Reading, zeno: Zeno, question: &str) -> Outcome {
    let mut model = Languages::default().reading(reading).from_text("timer.gcd", text).unwrap();
    let question = model.ask(question).unwrap();
    let check = Check { scope: Scope { zeno, ..Scope::default() }, ..Check::default() };
    model.check(&question, &check).unwrap().outcome
}

/// Cycles come as late as they like, or before half a second has passed, and then `one` is seen before `two` is over.
#[test]
fn a_cycle_comes_in_time() {
    let late = "E F { t in Late }";
    assert_eq!(timed(Reading::default(), Zeno::Allowed, late), Outcome::Holds);
    let reading = || Reading { cycle_within: Some(500), ..Reading::default() };
    assert_eq!(timed(reading(), Zeno::Allowed, late), Outcome::Violated);
    // Unless time stands still.
    let left = "A F { t in Soon or t in Late }";
    assert_eq!(timed(reading(), Zeno::Allowed, left), Outcome::Violated);
    assert_eq!(timed(reading(), Zeno::Forbidden, left), Outcome::Holds);
}

/// Time that is counted in milliseconds stands still where every cycle takes none from some time on.
#[test]
fn time_that_is_counted_diverges_too() {
    let left = "A F { t in Soon or t in Late }";
    // Milliseconds are listed one by one.
    let text = TIMER.replace("1 s", "2 ms").replace("2 s", "4 ms");
    let said = |period: &str, zeno: Zeno| {
        let reading = Reading { period: Some(period.parse().unwrap()), ..Reading::default() };
        timed_by(&text, reading, zeno, left)
    };
    assert_eq!(said("0ms..1ms", Zeno::Allowed), Outcome::Violated);
    assert_eq!(said("0ms..1ms", Zeno::Forbidden), Outcome::Holds);
    assert_eq!(said("1ms", Zeno::Forbidden), Outcome::Holds);
}
