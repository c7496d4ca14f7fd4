//! From a path of states to a run that replays.
//!
//! The search keeps only the parent of each state. The plain interpreter finds for each pair of states the first action
//! and execution that leads from one to the other; [`ir::replay`] then gives open values.

use std::sync::atomic::AtomicBool;

use ir::interp::{Interp, Outcome, Stuck};
use ir::replay::{self, Leg, NoStep, Wanted};
use ir::{Actions, Run, State, System};

/// The run along `path`, from an initial state to one that becomes `last` where it is open.
pub(super) fn reconstruct(
    system: &mut System,
    actions: &mut Actions,
    path: &[State],
    last: State,
    stop: &AtomicBool,
) -> Result<Run, Stuck> {
    let steps = path[1..].iter().map(|state| Wanted { edges: None, target: &state.locations });
    let walked = replay::along(system, actions, steps, |system, leg| {
        execution(system, leg, &path[leg.number], stop).map_err(Lost::Stuck)
    });
    match walked {
        Ok(walked) => Ok(walked.closed(system, last)),
        Err(Lost::Stuck(why)) => Err(why),
        Err(Lost::Nowhere) => unreachable!("the child of a state is one of its successors"),
    }
}

enum Lost {
    Stuck(Stuck),
    Nowhere,
}

impl From<NoStep> for Lost {
    fn from(_: NoStep) -> Self {
        Lost::Nowhere
    }
}

/// The first execution of a step that leads to the values of `target`.
fn execution(
    system: &System,
    leg: &Leg<'_>,
    target: &State,
    stop: &AtomicBool,
) -> Result<Option<Outcome>, Stuck> {
    let mut found = None;
    Interp::new(system, Some(stop)).successors(leg.stmt, leg.before, &mut |outcome| {
        if outcome.values == target.values {
            found = Some(outcome);
        }
        found.is_none()
    })?;
    Ok(found)
}
