//! Abstraction refinement as a whole: against exhaustive search, and option by option.

extern crate thetis_engine as engine;

mod options;
mod random;

#[path = "../../testing/choices.rs"]
mod choices;

use engine::{Answer, Config, Quiet, Reason, Statistics, Stop};
use ir::{Question, System};
use lang::xsts;

/// What a search said, its evidence certified.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Said {
    /// The target or a fault is reached after so many steps.
    Reached(usize),
    /// Neither is ever reached.
    Never,
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
    // Options are told apart by what they do to the model as it is.
    let config =
        Config { call_limit: Some(QUESTIONS), work_limit: Some(WORK), preprocess: false, ..config.clone() };
    let (answer, statistics) = engine::search(system, question, &config, stop, &mut Quiet);
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
            Said::Never
        }
        Answer::Unknown(reason) => Said::Unknown(reason),
    };
    Ok((said, statistics))
}

/// Questions to the solver after which a search is given up.
const QUESTIONS: u64 = 2_000;
/// Work of one question, in the unit of the solver, after which a search is given up.
const WORK: u32 = 300_000;

/// A model and what is searched for in it: a state where its property is false.
fn load(text: &str) -> (System, Question) {
    let mut model = xsts::load(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let property = model.property().expect("a property");
    let question = model.system.question(property.claim);
    (model.system, question)
}
