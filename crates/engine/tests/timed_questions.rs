//! The list of questions about timed statecharts: it has all of them, and its verdicts are right.

extern crate thetis_engine as engine;

#[path = "../testing/questions.rs"]
mod questions;

use engine::{Answer, Cegar, ClockStrategy, Config, Domain, Engine, Quiet, Stop};
use ir::Claim;
use questions::{Listed, Question};

/// The questions about models that are at hand.
fn at_hand() -> Vec<Listed> {
    let mut list = questions::list().expect("a list");
    if !questions::has_corpus() {
        println!("there is no corpus; only our own models are looked at");
        list.retain(|listed| listed.question.is_own());
    }
    list
}

#[test]
fn the_list_has_every_question() {
    let made = questions::all().expect("questions");
    let listed: Vec<Question> = at_hand().into_iter().map(|listed| listed.question).collect();
    // Verdicts of new ones are what all configurations of campaigns/timed-statecharts-engines.toml agree on.
    assert_eq!(made, listed, "the questions on the left belong into {}", questions::LIST);
    for own in [true, false].into_iter().take(1 + usize::from(questions::has_corpus())) {
        for limited in [true, false] {
            let these = listed.iter().filter(|one| one.is_own() == own && one.within.is_some() == limited);
            assert!(these.count() >= 30, "too few questions: own {own}, limited {limited}");
        }
    }
}

#[test]
fn the_list_survives_writing() {
    let path = questions::root().join(questions::LIST);
    let text = std::fs::read_to_string(path).expect("a list");
    let lines =
        questions::list().expect("a list").iter().map(|listed| listed.line() + "\n").collect::<String>();
    assert_eq!(text, format!("{}\n{lines}", questions::HEAD));
}

/// What the header of a model, or the corpus, says is right is what the list says.
#[test]
fn the_list_agrees_with_what_others_say() {
    let list = at_hand();
    let mut compared = 0;
    for model in questions::models().expect("models") {
        for (question, verdict) in questions::expectations(&model).expect("verdicts") {
            let listed = list.iter().find(|listed| listed.question == question);
            let listed = listed.unwrap_or_else(|| panic!("{} is not listed", question.id()));
            assert_eq!(listed.verdict, verdict, "{}", question.id());
            compared += 1;
        }
    }
    assert!(compared >= if questions::has_corpus() { 45 } else { 35 }, "only {compared} questions");
}

/// The default, and abstraction refinement with zones, find the listed verdicts of a part of the questions about our
/// own models, and their evidence is certified.
#[test]
fn listed_verdicts_are_found() {
    let combined = Config {
        engine: Engine::Combined,
        clock_strategy: Some(ClockStrategy::CfSplitFilter),
        cegar: Cegar { domain: Domain::ExplPredCombined, ..Cegar::default() },
        ..Config::default()
    };
    let list = questions::list().expect("a list");
    let own: Vec<&Listed> = list.iter().filter(|listed| listed.question.is_own()).collect();
    for config in [Config::default(), combined] {
        for listed in own.iter().step_by(PART) {
            let (word, id) = (verdict(&listed.question, &config), listed.question.id());
            assert_eq!(word, listed.verdict, "{id}: {config}");
        }
    }
}

/// One of so many questions is asked: prime, so that all kinds and models have their turn.
const PART: usize = 7;

fn verdict(listed: &Question, config: &Config) -> &'static str {
    let (mut system, claim) = listed.load().expect("a question");
    assert!(matches!(claim, Claim::Always(_)), "{}", listed.id());
    let question = system.question(claim);
    let stop = Stop::new();
    match engine::search(&system, &question, config, &stop, &mut Quiet).0 {
        Answer::Found(run) => {
            certify::check_run(&system, &question, &run, stop.flag()).expect("a run that replays");
            "violated"
        }
        Answer::Excluded(certificate) => {
            certify::check_certificate(&system, &question, &certificate, stop.flag()).expect("a proof");
            "holds"
        }
        Answer::Unknown(reason) => panic!("{}: {config}: {reason}", listed.id()),
    }
}
