//! From a path of states to a run that replays.
//!
//! The search keeps only the parent of each state. Going forwards, the plain interpreter finds for each
//! pair of states the first action and execution that leads from one to the other. Going backwards,
//! open values become concrete. A variable that is open before a step has
//! 1. the value the step found it to have, if it was read;
//! 2. else its value afterwards, if it is still open there;
//! 3. else any value, for it was never looked at.
//!
//! Invariant: following the decisions of a step from its concrete source gives its concrete target.

use std::sync::atomic::AtomicBool;

use ir::interp::{Interp, Need, Outcome, Stuck};
use ir::{Actions, Decision, Edges, Run, State, Step, Stmt, System, Value, VarId};

/// The run along `path`, from an initial state to one that becomes `last` where it is open.
pub(super) fn reconstruct(
    system: &mut System,
    actions: &mut Actions,
    path: &[State],
    last: State,
    stop: &AtomicBool,
) -> Result<Run, Stuck> {
    let initial = ir::initial(system);
    let before = system.arbitrary_state();
    let start = execution(system, initial, &before, &path[0], stop)?.expect("a path begins initially");
    let mut moves = vec![];
    for pair in path.windows(2) {
        moves.push(movement(system, actions, &pair[0], &pair[1], stop)?);
    }

    Ok(closed(system, path, last, (initial, start), moves))
}

/// The run along `path`, whose values may be open, by executions that lead from each state to the next, to one that
/// becomes `last` where it is open.
pub(crate) fn closed(
    system: &System,
    path: &[State],
    last: State,
    (initial, start): (Stmt, Outcome),
    moves: Vec<(Edges, Stmt, Outcome)>,
) -> Run {
    let mut states = path.to_vec();
    let end = states.len() - 1;
    states[end] = last;
    close(system, &mut states[end], |_| None);
    for (at, (_, _, outcome)) in moves.iter().enumerate().rev() {
        let (sources, targets) = states.split_at_mut(at + 1);
        close(system, &mut sources[at], |(slot, var)| {
            let read = outcome.fixed.iter().find(|(fixed, _)| *fixed == var).map(|(_, value)| value.clone());
            let kept = path[at + 1].values[slot].is_none();
            read.or_else(|| targets[0].values[slot].clone().filter(|_| kept))
        });
    }

    let decisions = decide(system, initial, &states[0], start.decisions, &path[0], &states[0]);
    let initial = states[0].clone();
    let mut steps = vec![];
    for (at, (edges, stmt, outcome)) in moves.into_iter().enumerate() {
        let (source, target) = (&states[at], &states[at + 1]);
        let decisions = decide(system, stmt, source, outcome.decisions, &path[at + 1], target);
        steps.push(Step { edges, decisions, state: target.clone() });
    }
    Run { decisions, initial, steps, cycle: None }
}

/// The first action and its first execution that lead from `source` to `target`.
fn movement(
    system: &mut System,
    actions: &mut Actions,
    source: &State,
    target: &State,
    stop: &AtomicBool,
) -> Result<(Edges, Stmt, Outcome), Stuck> {
    let vector = actions.vector(&source.locations);
    let candidates = actions.of(system, vector).to_vec();
    for action in candidates.into_iter().filter(|action| action.target == target.locations) {
        if let Some(outcome) = execution(system, action.stmt, source, target, stop)? {
            return Ok((action.edges, action.stmt, outcome));
        }
    }
    unreachable!("the child of a state is one of its successors")
}

/// The first execution of `stmt` that leads from `source` to the values of `target`.
fn execution(
    system: &System,
    stmt: Stmt,
    source: &State,
    target: &State,
    stop: &AtomicBool,
) -> Result<Option<Outcome>, Stuck> {
    let mut found = None;
    Interp::new(system, Some(stop)).successors(stmt, source, &mut |outcome| {
        if outcome.values == target.values {
            found = Some(outcome);
        }
        found.is_none()
    })?;
    Ok(found)
}

/// Gives every open variable of `state` the value that `known` says, or any.
pub(crate) fn close(system: &System, state: &mut State, known: impl Fn((usize, VarId)) -> Option<Value>) {
    for (slot, var) in system.state_vars().enumerate() {
        if state.values[slot].is_none() {
            state.values[slot] = Some(known((slot, var)).unwrap_or_else(|| system.any_value(var)));
        }
    }
}

/// Says in `decisions` which value each variable got that is still open after its havoc: the one it
/// has in the concrete `target`. `open_target` is the target before it became concrete.
fn decide(
    system: &System,
    stmt: Stmt,
    source: &State,
    mut decisions: Vec<Decision>,
    open_target: &State,
    target: &State,
) -> Vec<Decision> {
    let state_vars: Vec<VarId> = system.state_vars().collect();
    let mut interp = Interp::new(system, None);
    let mut done: Vec<VarId> = vec![];
    // Only the last havoc of a variable counts, so this goes backwards.
    for at in (0..decisions.len()).rev() {
        if decisions[at] != Decision::Value(None) {
            continue;
        }
        // The interpreter asks for what a shortened script leaves out, and so names the variable.
        let Err(Stuck::Needs(Need::Value(var))) = interp.follow(stmt, source, &decisions[..at]) else {
            continue;
        };
        if done.contains(&var) {
            continue;
        }
        done.push(var);
        if let Ok(slot) = state_vars.binary_search(&var)
            && open_target.values[slot].is_none()
        {
            decisions[at] = Decision::Value(target.values[slot].clone());
        }
    }
    decisions
}
