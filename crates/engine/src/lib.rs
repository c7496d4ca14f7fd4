//! The algorithms: each reads a [`ir::System`] and a target and answers with evidence.
//!
//! An engine answers [`Answer::Reachable`] with a run or [`Answer::Unreachable`] with a certificate,
//! or says why it does not know. It never decides what that means for the user's property, and what
//! it says is believed only after `certify` has checked it.

mod config;
mod answer;
mod observer;
mod stop;
mod concrete;
mod preprocess;
pub mod auto;
pub mod bmc;
pub mod cegar;
pub mod explicit;
pub mod kind;
pub mod linear;
pub mod zone;

pub use answer::{Answer, Reason};
pub use config::{
    AutoExpl, Cegar, Config, ConfigError, Covering, Domain, Engine, InitialPrecision, PredicateSplit, Prune,
    Refinement, Search, UnknownChoice,
};
pub use observer::{Attempt, BoundedStatistics, CegarStatistics, Observer, Progress, Quiet, Statistics};
pub use preprocess::{Preprocessed, Rewritings, preprocess};
pub use stop::Stop;

use ir::{System, Term};

/// Searches the observed states of `system` for one where `target` holds, or for a fault.
///
/// Untimed systems are preprocessed, if that is wanted; what is answered is about the system as it was.
pub fn search(
    system: &System,
    target: Term,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    if config.engine == Engine::Auto {
        return auto::search(system, target, config, stop, observer);
    }
    let work = prepare(system, target, config, stop);
    attempt(system, target, work.as_ref(), config, stop, observer)
}

/// The system and the target made smaller for an engine, if that is wanted and does something.
fn prepare(system: &System, target: Term, config: &Config, stop: &Stop) -> Option<Preprocessed> {
    // Zones are lists of states with clocks, for which there is no way back.
    if !config.preprocess || config.engine == Engine::Zone || system.clocks().next().is_some() {
        return None;
    }
    let work = preprocess(system, target, Rewritings::welcome(config.engine), stop);
    (!work.is_identity() && !stop.requested()).then_some(work)
}

/// Searches by one engine in what was prepared; the evidence is for the system as it is.
fn attempt(
    system: &System,
    target: Term,
    work: Option<&Preprocessed>,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    let Some(work) = work else { return run(system, target, config, stop, observer) };
    let (answer, mut statistics) = run(&work.system, work.target, config, stop, observer);
    statistics.preprocessing.clone_from(&work.summary);
    match work.lift(answer, stop) {
        Some(answer) => (answer, statistics),
        None if stop.requested() => (Answer::Unknown(stop.reason()), statistics),
        None => run(system, target, config, stop, observer),
    }
}

/// Searches by one engine.
fn run(
    system: &System,
    target: Term,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    match config.engine {
        Engine::Auto => auto::search(system, target, config, stop, observer),
        Engine::Explicit => explicit::search(system, target, config, stop, observer),
        Engine::Zone => zone::search(system, target, config, stop, observer),
        Engine::Cegar => cegar::search(system, target, config, stop, observer),
        Engine::Bmc => bmc::search(system, target, config, stop, observer),
        Engine::Kind => kind::search(system, target, config, stop, observer),
        Engine::Linear => linear::search(system, target, config, stop),
    }
}
