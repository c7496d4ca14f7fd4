//! Exhaustive search over concrete states.

use ir::{System, Term};

use crate::{Answer, Config, Observer, Reason, Statistics, Stop};

/// Searches for a state where `target` holds, or for a fault.
pub fn search(
    _system: &System,
    _target: Term,
    _config: &Config,
    _stop: &Stop,
    _observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    (Answer::Unknown(Reason::Interrupted), Statistics::default())
}
