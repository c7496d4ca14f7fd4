//! Questions about whole runs, asked of every engine that answers them.

use std::sync::atomic::AtomicBool;

use engine::{Answer, Config, Engine, Quiet, Stop, search};
use ir::{Claim, PathFormula, Question, System};
use ltl::parse::{Names, parse};

/// A model that is read from the state after `init` on, and the question whether a run violates a formula over its
/// expressions.
fn asked(text: &str, formula: &str) -> (System, Question) {
    let mut model = lang::xsts::load(text).unwrap();
    let mut names = Names::default();
    let formula = parse(formula, &mut names).unwrap().formula;
    let mut atoms = vec![];
    for name in names.iter() {
        let Claim::Always(term) = model.parse_property("p", name).unwrap().claim else {
            panic!("a condition")
        };
        atoms.push(term);
    }
    let system = &mut model.system;
    let undefined = system.terms.bool(false);
    let path = system.paths.push(PathFormula { formula, atoms, undefined });
    for process in system.processes.iter_mut() {
        let initial = process.initial.unwrap();
        process.locations[initial].read = false;
    }
    let question = system.question(Claim::Every(path));
    (model.system, question)
}

/// What an engine answers, once the judge has accepted it.
fn verdict(system: &System, question: &Question, engine: Engine) -> &'static str {
    let config = Config { engine, bound: Some(30), ..Config::default() };
    let (answer, _) = search(system, question, &config, &Stop::new(), &mut Quiet);
    let stop = AtomicBool::new(false);
    match &answer {
        Answer::Unknown(_) => "unknown",
        Answer::Found(run) => {
            certify::check_run(system, question, run, &stop).unwrap();
            "violated"
        }
        Answer::Excluded(certificate) => {
            certify::check_certificate(system, question, certificate, &stop).unwrap();
            "holds"
        }
    }
}

const COUNTER: &str = "var p : boolean = true var q : boolean = false var n : integer = 0
    trans { assume n < 3; n := n + 1; p := n < 2; q := n == 3; } or { assume n >= 3; } init { } env { } prop { true }";

#[test]
fn a_counter_that_stops() {
    for (formula, expected) in [
        ("F G q", "holds"),
        ("G F q", "holds"),
        ("F q", "holds"),
        ("G p", "violated"),
        ("p U G !p", "holds"),
        ("G (p -> F !p)", "holds"),
        ("G (p -> X p)", "violated"),
        ("F p", "holds"),
        ("G F p", "violated"),
        ("X X X X X X q", "violated"),
    ] {
        let (system, question) = asked(COUNTER, formula);
        for engine in [Engine::Auto, Engine::Explicit, Engine::Bmc, Engine::Cegar, Engine::Kind] {
            let found = verdict(&system, &question, engine);
            println!("{formula} {engine}: {found}");
            let complete = matches!(engine, Engine::Auto | Engine::Explicit);
            assert!(found == expected || !complete && found == "unknown", "{formula} by {engine}: {found}");
        }
    }
}
