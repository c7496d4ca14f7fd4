//! What can always be reached again, and what cannot.
//!
//! A proof lists all reachable states with their distances from a goal: at distance 0 it holds, at any other some step
//! leads to a smaller distance. A run into a trap is executed, and then everything that can happen after it is listed: the
//! goal holds nowhere.

use ir::{Actions, Returns, Run, State, System, Term};
use rustc_hash::FxHashSet;

use super::{Cx, closed_set, holds_in, run};
use crate::{Flaw, Place, Reached, Rejection};

/// Checks that the goal can be reached from every observed state, and that no fault can.
pub(super) fn check(cx: &Cx<'_>, system: &System, goal: Term, proof: &Returns) -> Result<(), Rejection> {
    let Returns { set, distances } = proof;
    let mut system = system.clone();
    let never = system.terms.bool(false);
    closed_set::check(cx, &system, never, &**set, &mut |_, _, _| Ok(()))?;
    if distances.len() != set.len() {
        return Err(Place::Whole.wrong(Flaw::Distances));
    }
    let states = closed_set::read(&system, &**set)?;
    let numbers = closed_set::number(&states);
    let mut actions = Actions::new();
    for (number, state) in states.iter().enumerate() {
        let place = Place::Listed(number);
        let observed = system.is_observed(&state.locations);
        let shown = match distances[number] {
            None => !observed,
            Some(0) => observed && holds_in(&mut system, goal, state, place).unwrap_or(false),
            Some(distance) => {
                let nearer = |after: &State| {
                    numbers.get(after).and_then(|at| distances[*at]).is_some_and(|other| other < distance)
                };
                // A step that needs values for what is open is not one of every state that this one stands for.
                let steps = closed_set::successors(cx, &mut system, &mut actions, state, place)?;
                steps.iter().any(|(_, after, fixed)| !fixed && nearer(after))
            }
        };
        if !shown {
            return Err(place.wrong(Flaw::Distance));
        }
    }
    Ok(())
}

/// Checks that a run leads into a trap, or to a fault.
pub(super) fn check_run(cx: &Cx<'_>, system: &System, goal: Term, path: &Run) -> Result<Reached, Rejection> {
    if path.cycle.is_some() {
        return Err(Place::Whole.wrong(Flaw::Endless));
    }
    let mut system = system.clone();
    run::execute(cx, &mut system, path)?;
    if let Some(fault) = run::fault(&system, path)? {
        return Ok(fault);
    }
    if !system.is_observed(&path.last().locations) {
        return Err(Place::LastState.wrong(Flaw::Unobserved));
    }
    let mut actions = Actions::new();
    let mut seen: FxHashSet<State> = FxHashSet::from_iter([path.last().clone()]);
    let mut open = vec![path.last().clone()];
    while let Some(state) = open.pop() {
        let place = Place::LastState;
        if system.is_observed(&state.locations) && closed_set::may_hold(cx, &mut system, goal, &state, place)?
        {
            return Err(place.wrong(Flaw::WayOut));
        }
        for (_, after, _) in closed_set::successors(cx, &mut system, &mut actions, &state, place)? {
            if seen.insert(after.clone()) {
                open.push(after);
            }
        }
    }
    Ok(Reached::Target)
}
