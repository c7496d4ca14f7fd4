//! Priorities: an action is possible only where none of higher priority is.
//!
//! The level of an action is that of its channel, then the highest of its processes: levels are compared in this
//! order, as pairs. An action is *enabled* in a state if its guards hold, no committed location elsewhere holds it
//! back, and its updates lead to a state within the invariants of its target, or go wrong: a condition on the state
//! before it, by weakest preconditions. It is *possible* where it is enabled and no action of a higher level is.
//! Levels are ordered totally, so an action that is blocked is blocked by one that is possible, and some action is
//! possible exactly where one is enabled: deadlocks do not depend on priorities. Neither do delays: time may pass,
//! and urgent channels stop it, whatever goes before what. A guard, an invariant or a position of a channel that goes
//! wrong is an evaluation and no action; it blocks nothing, and nothing blocks it. (A. David, J. Håkansson, K. G. Larsen
//! and P. Pettersson, *Model checking timed automata with priorities using DBM subtraction*, 2006, take the zones of
//! higher actions away instead.)
//!
//! Invariant: the enabling of every action has a weakest precondition without quantifiers ([`needs_quantifiers`]);
//! front-ends refuse systems with priorities where that is not so.

use rustc_hash::FxHashSet;

use crate::action::{Joint, Outgoing, edge, movable};
use crate::id::{Id, IdVec};
use crate::simplify::{Valuation, simplify};
use crate::stmt::{Stmt, StmtNode};
use crate::system::{ChannelId, EdgeId, LocationId, ProcessId, System};
use crate::term::{Term, VarId};
use crate::wp::wp;

/// Who goes before whom; greater levels first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Priorities {
    /// The levels of the positions of each channel; one if all have the same.
    pub channels: IdVec<ChannelId, Box<[u32]>>,
    /// The level of edges without a channel.
    pub alone: u32,
    /// The level of each process; those that are not listed have the lowest.
    pub processes: IdVec<ProcessId, u32>,
    /// The edges that are no actions: they do nothing but go wrong, as guards and invariants do where they are
    /// evaluated.
    pub evaluations: FxHashSet<(ProcessId, EdgeId)>,
}

/// The level of an action.
type Level = (u32, u32);

impl Priorities {
    fn process(&self, process: ProcessId) -> u32 {
        self.processes.get(process).copied().unwrap_or_default()
    }
}

/// What is possible from a vector of locations: what can move, each with the condition that nothing of higher
/// priority is enabled.
pub(crate) fn highest(system: &mut System, outgoing: &Outgoing, locations: &[LocationId]) -> Vec<Joint> {
    let mut joints = movable(system, outgoing, locations);
    let mut enabled: Vec<(Level, Term)> = vec![];
    let mut levels = vec![];
    for joint in &joints {
        let priorities = system.priorities.as_ref();
        let evaluates =
            |edge: &(ProcessId, EdgeId)| priorities.is_some_and(|known| known.evaluations.contains(edge));
        if joint.edges.iter().any(evaluates) {
            levels.push(vec![]);
            continue;
        }
        let here = enabling(system, joint, locations)
            .expect("front-ends see to it that enabling needs no quantifiers");
        levels.push(levels_of(system, joint));
        for (level, when) in levels.last().into_iter().flatten() {
            enabled.push((*level, system.terms.and([*when, here])));
        }
    }
    for (joint, levels) in joints.iter_mut().zip(levels) {
        let mut blocked = vec![];
        for (level, when) in levels {
            let above = enabled.iter().filter(|(other, _)| *other > level).map(|(_, enabled)| *enabled);
            let above = system.terms.or(above);
            blocked.push(system.terms.and([when, above]));
        }
        let blocked = system.terms.or(blocked);
        let free = system.terms.not(blocked);
        joint.condition = system.terms.and([joint.condition, free]);
    }
    joints
}

/// The levels that edges have together, each with the condition on the position of their channel.
fn levels_of(system: &mut System, joint: &Joint) -> Vec<(Level, Term)> {
    let System { terms, processes, priorities, .. } = system;
    let Some(priorities) = priorities else { return vec![] };
    let process = joint.edges.iter().map(|at| priorities.process(at.0)).max().unwrap_or_default();
    let first = joint.edges[0];
    let Some(sync) = processes[first.0].edges[first.1].sync else {
        return vec![((priorities.alone, process), terms.bool(true))];
    };
    let levels = &priorities.channels[sync.channel];
    let Some(index) = sync.index.filter(|_| levels.iter().any(|level| *level != levels[0])) else {
        return vec![((levels[0], process), terms.bool(true))];
    };
    let mut distinct: Vec<u32> = levels.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let mut found = vec![];
    for level in distinct {
        let mut positions = vec![];
        for at in (0..levels.len()).filter(|at| levels[*at] == level) {
            let at = terms.int(at as i64);
            positions.push(terms.eq(index, at));
        }
        let when = terms.or(positions);
        if terms.as_const(when) != Some(&false.into()) {
            found.push(((level, process), when));
        }
    }
    found
}

/// The condition that edges can move together from these locations, or go wrong; or the statement for which that needs
/// quantifiers.
///
/// Updates are deterministic and block where they go wrong, so their weakest precondition is that they go wrong or lead
/// to where the invariants hold, or go wrong themselves. The delay on arrival does not matter: the invariants on both
/// sides of it are the same, so that an arrival that is possible with some delay is possible with none.
fn enabling(system: &mut System, joint: &Joint, locations: &[LocationId]) -> Result<Term, Stmt> {
    let edges: Vec<_> = joint.edges.iter().map(|at| edge(system, *at)).collect();
    let guards: Vec<Term> = edges.iter().map(|edge| edge.guard).collect();
    let updates: Vec<Stmt> = edges.iter().map(|edge| edge.update.stmt).collect();
    let guard = system.terms.and(guards.into_iter().chain([joint.condition]));
    let stmt = system.terms.seq(updates);
    let arrives = new_invariants(system, joint, stmt, locations);
    if system.terms.as_const(arrives) == Some(&true.into()) {
        return Ok(guard);
    }
    let stmt = simplify(&mut system.terms, stmt, &mut Valuation::default());
    let arrives = wp(&mut system.terms, stmt, arrives)?;
    Ok(system.terms.and([guard, arrives]))
}

/// The invariants after a step that it may break: those of who moves, and of who reads what it writes; the others hold
/// already. Or that one of them goes wrong.
fn new_invariants(system: &mut System, joint: &Joint, stmt: Stmt, locations: &[LocationId]) -> Term {
    let written = written(system, stmt);
    let target = joint.target(system, locations);
    let (mut parts, mut wrong) = (vec![], vec![]);
    for (process, body) in system.processes.entries() {
        let location = &body.locations[target[process.index()]];
        let moves = joint.edges.iter().any(|at| at.0 == process);
        let reads = || system.terms.vars_of(location.invariant).iter().any(|var| written.contains(var));
        if moves || location.undefined.is_some() || reads() {
            parts.push(location.invariant);
        }
        wrong.extend(location.undefined.map(|undefined| undefined.condition));
    }
    let hold = system.terms.and(parts);
    system.terms.or([hold].into_iter().chain(wrong))
}

/// The variables that a statement may change.
fn written(system: &System, stmt: Stmt) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    system.terms.for_each_substmt(stmt, |part| match system.terms.stmt(part) {
        StmtNode::Assign(var, _) | StmtNode::Havoc(var) | StmtNode::For { var, .. } => {
            found.insert(*var);
        }
        _ => {}
    });
    found
}

/// An edge whose enabling needs quantifiers, because its update has a loop that depends on data and invariants may
/// depend on that; with priorities, there is no condition then that it goes before another.
pub fn needs_quantifiers(system: &mut System) -> Option<(ProcessId, EdgeId)> {
    let mut locations = system.processes.iter().flat_map(|process| process.locations.iter());
    if locations.all(|location| system.terms.as_const(location.invariant) == Some(&true.into())) {
        return None;
    }
    let processes: Vec<ProcessId> = system.processes.ids().collect();
    for process in processes {
        let edges: Vec<EdgeId> = system.processes[process].edges.ids().collect();
        for edge in edges {
            let stmt = system.processes[process].edges[edge].update.stmt;
            let stmt = simplify(&mut system.terms, stmt, &mut Valuation::default());
            let mut open = false;
            system.terms.for_each_substmt(stmt, |part| {
                let node = system.terms.stmt(part);
                open |= matches!(node, StmtNode::For { .. } | StmtNode::While(..) | StmtNode::Havoc(_));
            });
            if open {
                return Some((process, edge));
            }
        }
    }
    None
}
