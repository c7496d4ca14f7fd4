//! Monitors: an automaton that reads the runs of a system, as one more process of it.
//!
//! The *word* of a run has a letter for each of its observed states that are [read](crate::Location::read): the atoms that
//! hold there. The [`product`] of a system with an automaton has a process whose locations are the automaton's states.
//! Whenever the system leaves a state that is read, the monitor moves along a transition whose guard holds in that state,
//! before the step; elsewhere it stays where it is. So runs of the product are runs of the system together with runs of
//! the automaton over their words, and every engine sees an ordinary system.
//!
//! **What is searched for.** A run whose word the automaton accepts: one that never ends and comes through every
//! acceptance set again and again, or one whose beginning leads to a sink. The second is the *target* of the product: a
//! state that is read, where the monitor has a transition to a sink. The product does not take such transitions; where the
//! automaton is terminal, reachability of the target is all that is asked.
//!
//! **Runs that get stuck** do not count, unless the system says that they repeat their last state ([`Stuck::Repeat`]):
//! then a deadlocked state has steps in which only the monitor moves.
//!
//! **Faults.** If the system can go wrong, or an atom can, the product has to see every run although the automaton may
//! have lost interest in it. So the monitor gets one more state that accepts nothing and is entered wherever no transition
//! fits.

use crate::action::Joint;
use crate::automaton::{Automaton, Transition};
use crate::evidence::Edges;
use crate::fault::Guarded;
use crate::id::{Id, IdVec};
use crate::question::{PathQuestion, Question};
use crate::system::{
    Edge, EdgeId, Location, LocationId, LocationKind, Process, ProcessId, Span, Stuck, System,
};
use crate::target::{NoTarget, at_locations};
use crate::term::Term;

/// The process of a product that reads the others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Monitor {
    /// Which process it is: the last.
    pub process: ProcessId,
    /// A bit for each acceptance set that an edge of it is in.
    pub marks: IdVec<EdgeId, u64>,
    /// How many acceptance sets there are, at least one.
    pub sets: u32,
}

impl Monitor {
    /// The acceptance sets that a step is in.
    pub fn marks_of(&self, edges: &[(ProcessId, EdgeId)]) -> u64 {
        edges.last().filter(|(process, _)| *process == self.process).map_or(0, |(_, edge)| self.marks[*edge])
    }
    /// The bits of all acceptance sets.
    pub fn all_marks(&self) -> u64 {
        (1 << self.sets) - 1
    }
}

/// Why a system has no product.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum NoProduct {
    /// Stuck runs are repeated, and that needs a condition for being stuck.
    Deadlock(NoTarget),
    /// Stuck runs are repeated, and there are several processes.
    Processes,
}

/// The product of a system with an automaton, and what is searched for there: runs whose words the automaton accepts, or
/// that show where an atom cannot be evaluated.
///
/// # Errors
/// If stuck runs are repeated, and it cannot be said when a run is stuck.
pub fn product(
    system: &System,
    question: &PathQuestion,
    automaton: &Automaton,
) -> Result<(System, Question), NoProduct> {
    let mut product = system.clone();
    for location in product.processes.iter_mut().flat_map(|process| process.locations.iter_mut()) {
        location.observed &= location.read;
    }
    if product.stuck == Stuck::Repeat {
        can_tell_deadlocks(&mut product)?;
    }
    let mut moves: Vec<Move> = automaton
        .transitions
        .iter()
        .map(|transition| Move::new(&mut product, question, transition))
        .collect();
    if automaton.sets == 0 {
        moves.iter_mut().for_each(|it| it.marks = 1);
    }
    let mut sinks = automaton.sinks.clone();
    let never = product.terms.bool(false);
    if product.fault.is_some() || question.undefined != never {
        complete(&mut product, &mut moves, sinks.len());
        sinks.push(false);
    }
    let monitor = ProcessId::at(product.processes.len());
    let first = LocationId::at(automaton.initial as usize);
    let mut process = process(&mut product, sinks.len(), first);
    let mut targets = vec![question.undefined];
    let mut marks = IdVec::new();
    for Move { source, target, guard, marks: its } in moves {
        if sinks[source.index()] {
            continue;
        }
        if sinks[target.index()] {
            let here = product.terms.at(monitor, source);
            targets.push(product.terms.and([here, guard]));
            continue;
        }
        let update = Guarded::safe(product.terms.skip());
        let (label, span) = (String::new(), Span::default());
        process.edges.push(Edge { source, target, guard, update, sync: None, label, span });
        marks.push(its);
    }
    if sinks[first.index()] {
        targets.push(product.terms.at(monitor, first));
    }
    product.processes.push(process);
    product.monitor = Some(Monitor { process: monitor, marks, sets: automaton.sets.max(1) });
    let target = product.terms.or(targets);
    let asked = if automaton.is_terminal() { Question::Reach(target) } else { Question::Cycle(target) };
    Ok((product, asked))
}

/// A transition of the automaton, about the system.
struct Move {
    source: LocationId,
    target: LocationId,
    guard: Term,
    marks: u64,
}

impl Move {
    fn new(product: &mut System, question: &PathQuestion, transition: &Transition) -> Self {
        let Transition { source, target, guard, marks } = transition;
        let [source, target] = [source, target].map(|state| LocationId::at(*state as usize));
        let guard = guard.condition(&mut product.terms, &question.atoms);
        Move { source, target, guard, marks: *marks }
    }
}

/// Adds moves to one more state wherever there is none, so that nothing is lost sight of; it accepts nothing.
fn complete(product: &mut System, moves: &mut Vec<Move>, states: usize) {
    let lost = LocationId::at(states);
    for source in (0..states).map(LocationId::at) {
        let guards = moves.iter().filter(|it| it.source == source).map(|it| it.guard);
        let some = product.terms.or(guards.collect::<Vec<_>>());
        let guard = product.terms.not(some);
        moves.push(Move { source, target: lost, guard, marks: 0 });
    }
    let guard = product.terms.bool(true);
    moves.push(Move { source: lost, target: lost, guard, marks: 0 });
}

/// The process of the monitor, without its edges.
fn process(product: &mut System, states: usize, initial: LocationId) -> Process {
    let always = product.terms.bool(true);
    let mut process = Process { name: "monitor".to_owned(), shown: false, ..Process::default() };
    for state in 0..states {
        process.locations.push(Location::new(state.to_string(), always, LocationKind::Normal));
    }
    process.initial = Some(initial);
    process
}

/// Makes sure that it can be said when a run is stuck, wherever the only process is.
fn can_tell_deadlocks(system: &mut System) -> Result<(), NoProduct> {
    let mut processes = system.processes.iter();
    let (Some(process), None) = (processes.next(), processes.next()) else {
        return Err(NoProduct::Processes);
    };
    let locations: Vec<LocationId> = process.locations.ids().collect();
    let stuck = system.terms.deadlock();
    for location in locations {
        at_locations(system, stuck, &[location]).map_err(NoProduct::Deadlock)?;
    }
    Ok(())
}

/// The moves of the whole product from these locations, given those of the system without its monitor.
pub(crate) fn joined(system: &mut System, moves: Vec<Joint>, locations: &[LocationId]) -> Vec<Joint> {
    let Some(process) = system.monitor.as_ref().map(|monitor| monitor.process) else { return moves };
    if !system.is_observed(locations) {
        return moves;
    }
    let body = &system.processes[process];
    let here = locations[process.index()];
    let edges: Vec<(EdgeId, Term)> = body
        .edges
        .entries()
        .filter(|(_, edge)| edge.source == here)
        .map(|(id, edge)| (id, edge.guard))
        .collect();
    let stuck = match system.stuck {
        Stuck::Ignored => None,
        Stuck::Repeat => {
            let stuck = system.terms.deadlock();
            at_locations(system, stuck, locations).ok()
        }
    };
    let mut list = vec![];
    for (id, guard) in edges {
        // What the guard says about locations is known here; one that cannot be decided here is never passed.
        let Ok(guard) = at_locations(system, guard, locations) else { continue };
        let mut add = |edges: Edges, condition: Term| {
            let condition = system.terms.and([guard, condition]);
            if system.terms.as_const(condition) != Some(&false.into()) {
                let edges = edges.into_iter().chain([(process, id)]).collect();
                list.push(Joint { edges, condition });
            }
        };
        moves.iter().for_each(|joint| add(joint.edges.clone(), joint.condition));
        stuck.iter().for_each(|stuck| add(Edges::new(), *stuck));
    }
    list
}
