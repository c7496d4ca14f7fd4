//! The list of questions about timed statecharts: it has all of them, and its verdicts are right.

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
    assert_eq!(made, listed, "`cargo xtask bench timed --list` makes {} anew", questions::LIST);
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

/// What the header of a model says of its claims is what the list says.
#[test]
fn the_list_agrees_with_the_headers() {
    let mut compared = 0;
    let list = questions::list().expect("a list");
    let mut models: Vec<&str> =
        list.iter().filter(|one| one.question.is_own()).map(|one| &*one.question.model).collect();
    models.dedup();
    for model in models {
        for (claim, expected) in questions::expectations(model).expect("a header") {
            let same = |one: &&Listed| {
                let Question { model: of, text, within, .. } = &one.question;
                of == model && *text == claim && within.is_none()
            };
            let listed = list.iter().find(same).unwrap_or_else(|| panic!("{model}: {claim} is not listed"));
            assert_eq!(listed.verdict, expected, "{model}: {claim}");
            compared += 1;
        }
    }
    assert!(compared >= 30, "only {compared} claims");
}

/// What the default, and abstraction refinement with zones, say about every question about our own models that the
/// number of this part leaves; evidence is certified.
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

fn verdict(question: &Question, config: &Config) -> &'static str {
    let (mut system, claim) = question.load().expect("a question");
    assert!(matches!(claim, Claim::Always(_)), "{}", question.id());
    let target = system.target(claim);
    let stop = Stop::new();
    match engine::search(&system, target, config, &stop, &mut Quiet).0 {
        Answer::Reachable(run) => {
            certify::check_run(&system, target, &run, stop.flag()).expect("a run that replays");
            "violated"
        }
        Answer::Unreachable(certificate) => {
            certify::check_certificate(&system, target, &certificate, stop.flag()).expect("a proof");
            "holds"
        }
        Answer::Unknown(reason) => panic!("{}: {config}: {reason}", question.id()),
    }
}
