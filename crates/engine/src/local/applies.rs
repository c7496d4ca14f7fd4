//! What local time is for: networks in which whatever happens is a matter of those who take part.
//!
//! Whether a step is possible must not depend on what others could do just then, since in local time nobody knows when
//! that is. Urgent channels stop the time of all, committed locations and priorities hold others back, whoever can
//! receive a broadcast must, a `deadlock` is about everybody, and a monitor reads every step in order. All these are
//! refused by name. Differences of clocks are refused because of covering by simulation.
//!
//! An urgent location stops the time of its own process only. The rest has to wait for it as soon as they agree on a
//! time, so nothing else need be said.

use ir::{ChannelKind, LocationKind, Question, System};

use super::CHOICE;
use crate::Reason;
use crate::cause::{Feature, Unsupported};

/// Whether local time is of use for this question, as far as a glance can tell: what is refused here is refused before any
/// search, and what is not may still have invariants that are no conjunctions of bounds, or compare clocks with each other.
///
/// # Errors
/// What is refused, by name.
pub fn applies(system: &System, question: &Question) -> Result<(), Reason> {
    if let Some(clock) = ir::uneven_clock(system) {
        return Err(Unsupported::UnevenClock { clock: ir::NamedVar::of(system, clock) }.into());
    }
    match feature(system, question) {
        Some(feature) => Err(refused(feature)),
        None => Ok(()),
    }
}

/// Why something is not searched in local time.
pub(super) fn refused(with: Feature) -> Reason {
    Unsupported::Unsound { choice: CHOICE, with }.into()
}

fn feature(system: &System, question: &Question) -> Option<Feature> {
    if question.mentions_deadlock(system) {
        return Some(Feature::Deadlock);
    }
    if system.priorities.is_some() {
        return Some(Feature::Priorities);
    }
    if system.monitor.is_some() {
        return Some(Feature::Monitor);
    }
    for process in system.processes.iter() {
        for location in process.locations.iter() {
            if location.kind == LocationKind::Committed {
                return Some(Feature::Committed);
            }
            if location.undefined.is_some() {
                return Some(Feature::Invariants);
            }
        }
        for sync in process.edges.iter().filter_map(|edge| edge.sync) {
            let channel = &system.channels[sync.channel];
            if channel.urgent {
                return Some(Feature::UrgentChannels);
            }
            if channel.kind == ChannelKind::Broadcast {
                return Some(Feature::Broadcast);
            }
        }
    }
    None
}
