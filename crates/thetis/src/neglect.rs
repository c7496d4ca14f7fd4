//! Loops in which nothing changes although something could: what fairness would leave out.
//!
//! A run that violates a property about whole runs may do so only because it takes steps that change nothing, for ever,
//! and never one that is possible all the time. Whoever did not mean such runs asks about fair ones ([`crate::Fair`]).

use engine::Stop;
use ir::fairness::{self, Strength};
use ir::interp::Interp;
use ir::{Actions, EdgeId, Id, Run, State, System};

use crate::pose::Fair;

/// The fairness that would leave out a run around a cycle in which no variable changes: to an edge that would change
/// something and is not taken although it is possible whenever its location is come to. Weak if it is at that location
/// all the time.
pub fn neglected(system: &System, run: &Run, stop: &Stop) -> Option<Fair> {
    let steps = &run.cycle.as_ref()?.steps;
    let head = run.last();
    let shown: Vec<bool> = system.state_vars().map(|var| system.vars[var].shown).collect();
    let same = |state: &State| {
        let pairs = state.values.iter().zip(&head.values).zip(&shown);
        pairs.into_iter().all(|((a, b), shown)| !shown || a == b)
    };
    if steps.is_empty() || !steps.iter().all(|step| same(&step.state)) {
        return None;
    }
    let process = fairness::mover(system)?;
    let mut system = system.clone();
    let mut actions = Actions::new();
    let is_taken = |id: EdgeId| steps.iter().any(|step| step.edges.contains(&(process, id)));
    let edges: Vec<(EdgeId, String)> = system.processes[process]
        .edges
        .entries()
        .filter(|(id, edge)| !edge.label.is_empty() && !is_taken(*id))
        .map(|(id, edge)| (id, edge.label.clone()))
        .collect();
    for (id, item) in edges {
        let source = system.processes[process].edges[id].source;
        let is_here = |state: &&State| state.locations[process.index()] == source;
        let states: Vec<&State> = steps.iter().map(|step| &step.state).collect();
        let here: Vec<&State> = states.iter().copied().filter(is_here).collect();
        let mut changes = |state: &&State| {
            let vector = actions.vector(&state.locations);
            let stmts: Vec<_> = actions
                .of(&mut system, vector)
                .iter()
                .filter(|action| action.edges.contains(&(process, id)))
                .map(|action| action.stmt)
                .collect();
            let mut interp = Interp::new(&system, Some(stop.flag()));
            let moves = |values: &[Option<ir::Value>]| {
                values.iter().zip(&state.values).zip(&shown).any(|((a, b), shown)| *shown && a != b)
            };
            let found = |stmt| interp.first(stmt, state, None, |outcome| moves(&outcome.values));
            stmts.into_iter().map(found).any(|found| matches!(found, Ok(Some(_))))
        };
        if !here.is_empty() && here.iter().all(&mut changes) {
            let strength = if here.len() == states.len() { Strength::Weak } else { Strength::Strong };
            return Some(Fair { strength, item });
        }
    }
    None
}
