//! Idling: where time may pass for ever, and nothing has to happen.
//!
//! A run of timed automata is maximal if it is infinite, if nothing can happen any more, or if it *idles*: from some point
//! on only time passes, without end. It may idle where no delay, however long, is too long: at locations that are neither
//! urgent nor committed, from valuations whose invariants hold after every delay, and from which no delay leads to where an
//! urgent channel can be used. So a state may idle iff none of these is *eventually* so: that an invariant fails, or that an
//! urgent synchronisation is possible; and eliminating a delay from a condition is exact ([`crate::eventually`]).
//!
//! The condition is over locations, data and clocks. It says nothing of what else could happen: idling is a choice.

use crate::action::edge;
use crate::clock::{NoCubes, eventually};
use crate::system::{
    Channel, ChannelId, ChannelKind, Edge, EdgeId, LocationId, LocationKind, ProcessId, Role, System,
};
use crate::term::{Term, VarId};
use crate::uneven::stopwatches;

/// Why it cannot be said where a run may idle.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum NoIdling {
    /// This clock stands still at some locations.
    Stopwatch(VarId),
    /// A condition over clocks is too complex.
    Clocks(NoCubes),
    /// There are too many ways to use urgent channels.
    Synchronisations,
}

/// The most ways in which the users of an urgent channel can move together.
const MOST_WAYS: usize = 4096;

/// Where time may pass for ever.
///
/// # Errors
/// If there is no such condition, or nobody can say it.
pub fn idle(system: &mut System) -> Result<Term, NoIdling> {
    if let Some(clock) = stopwatches(system).into_iter().next() {
        return Err(NoIdling::Stopwatch(clock));
    }
    let mut ends = vec![];
    for process in system.processes.ids().collect::<Vec<_>>() {
        if system.monitor.as_ref().is_none_or(|monitor| monitor.process != process) {
            leaving(system, process, &mut ends)?;
        }
    }
    for channel in system.channels.ids().collect::<Vec<_>>() {
        if system.channels[channel].urgent {
            hurries(system, channel, &mut ends)?;
        }
    }
    let ends = system.terms.or(ends);
    Ok(system.terms.not(ends))
}

/// Where a process cannot stay for ever.
fn leaving(system: &mut System, process: ProcessId, ends: &mut Vec<Term>) -> Result<(), NoIdling> {
    for at in system.processes[process].locations.ids().collect::<Vec<LocationId>>() {
        let location = &system.processes[process].locations[at];
        let fails = match location.kind {
            LocationKind::Normal => system.terms.not(location.invariant),
            LocationKind::Urgent | LocationKind::Committed => system.terms.bool(true),
        };
        let fails = eventually(&mut system.terms, fails, &[]).map_err(NoIdling::Clocks)?;
        let here = system.terms.at(process, at);
        ends.push(system.terms.and([here, fails]));
    }
    Ok(())
}

/// Where an urgent channel can be used, now or after a delay.
fn hurries(system: &mut System, channel: ChannelId, ends: &mut Vec<Term>) -> Result<(), NoIdling> {
    for edges in ways(system, channel)? {
        let mut parts = vec![];
        for at @ (process, _) in &edges {
            let Edge { source, guard, .. } = *edge(system, *at);
            parts.extend([system.terms.at(*process, source), guard]);
        }
        for pair in edges.windows(2) {
            let index = |at: &(ProcessId, EdgeId)| edge(system, *at).sync.and_then(|sync| sync.index);
            if let (Some(a), Some(b)) = (index(&pair[0]), index(&pair[1])) {
                parts.push(system.terms.eq(a, b));
            }
        }
        let possible = system.terms.and(parts);
        ends.push(eventually(&mut system.terms, possible, &[]).map_err(NoIdling::Clocks)?);
    }
    Ok(())
}

/// The edges that decide whether a channel can be used: an emitter, for a broadcast; an emitter with a receiver; or an edge
/// of each user.
fn ways(system: &System, channel: ChannelId) -> Result<Vec<Vec<(ProcessId, EdgeId)>>, NoIdling> {
    let users = |role: Role| {
        let mut list: Vec<(ProcessId, EdgeId)> = vec![];
        for (process, body) in system.processes.entries() {
            let uses =
                |edge: &Edge| edge.sync.is_some_and(|sync| sync.channel == channel && sync.role == role);
            list.extend(body.edges.entries().filter(|(_, edge)| uses(edge)).map(|(id, _)| (process, id)));
        }
        list
    };
    let Channel { kind, .. } = system.channels[channel];
    let found: Vec<Vec<(ProcessId, EdgeId)>> = match kind {
        ChannelKind::Broadcast => users(Role::Emit).into_iter().map(|at| vec![at]).collect(),
        ChannelKind::Binary => {
            let (emitters, receivers) = (users(Role::Emit), users(Role::Receive));
            if emitters.len().saturating_mul(receivers.len()) > MOST_WAYS {
                return Err(NoIdling::Synchronisations);
            }
            let partners = |emitter: &(ProcessId, EdgeId)| {
                let others = receivers.iter().filter(|receiver| receiver.0 != emitter.0);
                others.map(|receiver| vec![*emitter, *receiver]).collect::<Vec<_>>()
            };
            emitters.iter().flat_map(partners).collect()
        }
        ChannelKind::Csp => {
            let all = users(Role::Join);
            let mut ways: Vec<Vec<(ProcessId, EdgeId)>> = vec![vec![]];
            for process in system.processes.ids() {
                let own: Vec<_> = all.iter().filter(|at| at.0 == process).collect();
                if own.is_empty() {
                    continue;
                }
                if ways.len().saturating_mul(own.len()) > MOST_WAYS {
                    return Err(NoIdling::Synchronisations);
                }
                let longer = |way: &Vec<(ProcessId, EdgeId)>| {
                    own.iter().map(|at| way.iter().copied().chain([**at]).collect()).collect::<Vec<_>>()
                };
                ways = ways.iter().flat_map(longer).collect();
            }
            ways.retain(|way| !way.is_empty());
            ways
        }
    };
    if found.len() > MOST_WAYS { Err(NoIdling::Synchronisations) } else { Ok(found) }
}
