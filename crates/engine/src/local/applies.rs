//! What local time is for: networks in which whatever happens is a matter of those who take part.
//!
//! Whether a step is possible must not depend on what others could do just then, since in local time nobody knows when
//! that is. Urgent channels stop the time of all, priorities hold others back, a `deadlock` is about everybody, a monitor
//! reads every step in order, and a delay in the middle of a step is one of all. All these are refused by name. Differences of clocks are refused because of covering by simulation.
//!
//! An urgent location stops the time of its own process only. The rest has to wait for it as soon as they agree on a
//! time, so nothing else need be said. The same goes for committed locations: time stands still there, and what must be
//! next is the next step in local time as well, at the same moment. Sorted by their moments, such steps stay together.
//! Whoever could receive a broadcast takes part in it ([`super::references`]).

use ir::{Node, Question, StmtNode, System, Term, Type, VarId};

use super::CHOICE;
use crate::Reason;
use crate::cause::{Feature, Unsupported};

/// Whether local time can be searched for this question, as far as a glance can tell: what is refused here is refused
/// before any search, and what is not may still have invariants that are more than bounds and conditions on data.
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
            if location.undefined.is_some() {
                return Some(Feature::Invariants);
            }
        }
        for sync in process.edges.iter().filter_map(|edge| edge.sync) {
            let channel = &system.channels[sync.channel];
            if channel.urgent {
                return Some(Feature::UrgentChannels);
            }
        }
    }
    if delays_within_steps(system) {
        return Some(Feature::Delays);
    }
    compares_clocks(system, question).then_some(Feature::Differences)
}

/// Whether time passes in the middle of some step, by a statement.
fn delays_within_steps(system: &System) -> bool {
    let terms = &system.terms;
    let mut found = false;
    for edge in system.processes.iter().flat_map(|process| process.edges.iter()) {
        for stmt in [Some(edge.update.stmt), edge.update.fault].into_iter().flatten() {
            terms.for_each_substmt(stmt, |part| found |= *terms.stmt(part) == StmtNode::Delay);
        }
    }
    found
}

/// Whether some comparison is about two clocks.
fn compares_clocks(system: &System, question: &Question) -> bool {
    let terms = &system.terms;
    let mut roots: Vec<Term> = question.conditions().collect();
    for process in system.processes.iter() {
        roots.extend(process.locations.iter().map(|location| location.invariant));
        for edge in process.edges.iter() {
            roots.push(edge.guard);
            for stmt in [Some(edge.update.stmt), edge.update.fault].into_iter().flatten() {
                terms.for_each_substmt(stmt, |part| terms.stmt(part).for_each_term(|term| roots.push(term)));
            }
        }
    }
    let is_clock = |var: &VarId| terms.var_type(*var) == Type::Clock;
    let mut found = false;
    terms.for_each_subterm_of(roots, |term| {
        let compares = matches!(terms.node(term), Node::Le(..) | Node::Lt(..) | Node::Eq(..));
        found |= compares
            && terms.has_clock(term)
            && terms.vars_of(term).iter().filter(|var| is_clock(var)).count() > 1;
    });
    found
}
