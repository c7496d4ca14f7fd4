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
pub mod bmc;
pub mod cegar;
pub mod explicit;
pub mod kind;
pub mod zone;

pub use answer::{Answer, Reason};
pub use config::{
    AutoExpl, Cegar, Config, ConfigError, Covering, Domain, Engine, InitialPrecision, PredicateSplit, Prune,
    Refinement, Search, UnknownChoice,
};
pub use observer::{BoundedStatistics, CegarStatistics, Observer, Progress, Quiet, Statistics};
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
    if !config.preprocess || system.clocks().next().is_some() {
        return run(system, target, config, stop, observer);
    }
    let work = preprocess(system, target, Rewritings::welcome(config.engine), stop);
    if work.is_identity() || stop.requested() {
        return run(system, target, config, stop, observer);
    }
    let (answer, mut statistics) = run(&work.system, work.target, config, stop, observer);
    statistics.preprocessing.clone_from(&work.summary);
    match work.lift(answer, stop) {
        Some(answer) => (answer, statistics),
        None if stop.requested() => (Answer::Unknown(stop.reason()), statistics),
        None => run(system, target, config, stop, observer),
    }
}

fn run(
    system: &System,
    target: Term,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    match config.engine {
        Engine::Auto if system.clocks().next().is_some() => {
            zone::search(system, target, config, stop, observer)
        }
        Engine::Auto | Engine::Explicit => explicit::search(system, target, config, stop, observer),
        Engine::Zone => zone::search(system, target, config, stop, observer),
        Engine::Cegar => cegar::search(system, target, config, stop, observer),
        Engine::Bmc => bmc::search(system, target, config, stop, observer),
        Engine::Kind => kind::search(system, target, config, stop, observer),
    }
}
