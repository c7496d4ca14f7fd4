//! Zeno runs: infinitely many steps in a bounded time, which decide a question that others may not.
//!
//! Such a run is no behaviour of anything that exists, but it is one of a model, and counts as an infinite run there as it
//! does in UPPAAL. Whoever finds one wants to know whether there are others ([`ir::Zeno::Forbidden`]).

use std::sync::atomic::AtomicBool;

use engine::{Config, Quiet, Stop};
use ir::{Property, Run, System, Zeno};

use crate::decide::decide;
use crate::verdict::{Decided, Verdict};

/// Which runs decide a question that a Zeno run decides.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Others {
    /// None but such runs.
    None,
    /// Others, too.
    Some,
    /// That was not found out with little effort.
    Unknown,
}

/// What may be used to find out about other runs.
const MOST_STATES: u64 = 100_000;
const MOST_STEPS: u64 = 2_000_000;

/// Which other runs decide a property, if the one that was found goes around a loop in a bounded time.
pub fn others(
    system: &System,
    property: &Property,
    run: &Run,
    config: &Config,
    stop: &Stop,
) -> Option<Others> {
    run.cycle.as_ref().filter(|cycle| !cycle.steps.is_empty())?;
    if system.zeno == Zeno::Forbidden || system.timed().is_none() {
        return None;
    }
    let mut diverging = System { zeno: Zeno::Forbidden, ..system.clone() };
    let question = diverging.question(property.claim);
    if certify::check_run(&diverging, &question, run, &AtomicBool::new(false)).is_ok() {
        return None;
    }
    let config = Config {
        state_limit: Some(config.state_limit.map_or(MOST_STATES, |limit| limit.min(MOST_STATES))),
        step_limit: Some(config.step_limit.map_or(MOST_STEPS, |limit| limit.min(MOST_STEPS))),
        ..config.clone()
    };
    let judged = decide(&mut diverging, property, &config, true, stop, &mut Quiet);
    let Ok(Verdict { answer, .. }) = judged.result else { return Some(Others::Unknown) };
    let found = property.claim.decided_by(true);
    Some(match answer {
        Decided::Holds | Decided::Violated if (answer == Decided::Holds) == found => Others::Some,
        Decided::Holds | Decided::Violated => Others::None,
        _ => Others::Unknown,
    })
}
