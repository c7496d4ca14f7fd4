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
pub mod cegar;
pub mod explicit;
pub mod linear;
pub mod zone;

pub use answer::{Answer, Reason};
pub use config::{
    AutoExpl, Cegar, Config, ConfigError, Covering, Domain, Engine, InitialPrecision, PredicateSplit, Prune,
    Refinement, Search, UnknownChoice,
};
pub use observer::{CegarStatistics, Observer, Progress, Quiet, Statistics};
pub use stop::Stop;

use ir::{System, Term};

/// Searches the observed states of `system` for one where `target` holds, or for a fault.
pub fn search(
    system: &System,
    target: Term,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    match config.engine {
        // Deadlocks are decided by running actions there, whatever these do to data.
        Engine::Auto if system.clocks().next().is_some() || ir::mentions_deadlock(system, target) => {
            zone::search(system, target, config, stop, observer)
        }
        Engine::Auto if linear::applies(system) => counting(system, target, config, stop, observer),
        Engine::Auto => explicit::search(system, target, config, stop, observer),
        Engine::Explicit => explicit::search(system, target, config, stop, observer),
        Engine::Zone => zone::search(system, target, config, stop, observer),
        Engine::Cegar => cegar::search(system, target, config, stop, observer),
    }
}

/// A look at the first states, for what is found soon; then invariants, for what holds; then all states.
fn counting(
    system: &System,
    target: Term,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    let few = config.state_limit.is_some_and(|limit| limit <= linear::FIRST);
    let limit = if few { config.state_limit } else { Some(linear::FIRST) };
    let first =
        explicit::search(system, target, &Config { state_limit: limit, ..config.clone() }, stop, observer);
    if few || !matches!(first.0, Answer::Unknown(Reason::States(_))) {
        return first;
    }
    linear::search(system, target, stop)
        .unwrap_or_else(|| explicit::search(system, target, config, stop, observer))
}
