//! Whether a goal can be reached again: proofs that it always can, and runs into traps, from where it cannot.
//!
//! A *proof* lists all reachable states with their distances from the goal. That the list is closed is shown as for any
//! other ([`crate::closed_set`]). Then each distance is looked at by itself: where it is 0, the goal holds; elsewhere one
//! step leads to a listed state with a smaller distance, so after finitely many of them the goal holds. A state with open
//! values stands for many, and all of them must have that step: it depends on none of these values, and so does the goal.
//!
//! A *run into a trap* is re-executed; whatever can happen after it is followed here, state by state, and the goal must
//! hold nowhere. No list comes with the run, for to check one would take as long.

use std::sync::atomic::{AtomicBool, Ordering};

use indexmap::IndexSet;
use ir::eval::holds;
use ir::interp::Interp;
use ir::{Actions, Returns, Run, State, System, Term};
use rustc_hash::FxBuildHasher;

use crate::closed_set::{self, Listed};
use crate::run::{fault_at, replayed};
use crate::{Flaw, Place, Reached, Rejection, Undecided, stuck};

/// The most states that are followed behind a run.
const MOST_STATES: usize = 1 << 22;

/// Checks that the goal can be reached from every observed state that can be reached, and that there is no fault.
pub(crate) fn check(
    system: &System,
    goal: Term,
    proof: &Returns,
    stop: &AtomicBool,
) -> Result<(), Rejection> {
    let Returns { set, distances } = proof;
    let mut system = system.clone();
    let never = system.terms.bool(false);
    closed_set::check(&system, never, &**set, None, stop)?;
    if distances.len() != set.len() {
        return Err(Place::Whole.wrong(Flaw::Distances));
    }
    let (slots, mut actions) = (Listed::slots(&system), Actions::new());
    for (number, distance) in distances.iter().enumerate() {
        if number % 1024 == 0 && stop.load(Ordering::Relaxed) {
            return Err(Rejection::Interrupted);
        }
        let (place, state) = (Place::Listed(number), set.state(number));
        let observed = system.is_observed(&state.locations);
        let shown = match distance {
            None => !observed,
            Some(0) => {
                let here = spelled_out(&mut system, goal, &state, place)?;
                observed && holds(&system.terms, &Listed { slots: &slots, state: &state }, here) == Ok(true)
            }
            Some(distance) => {
                let nearer = |at: usize| distances[at].is_some_and(|other| other < *distance);
                let listed = |after: &State| {
                    set.find(after).is_some_and(|at| at < set.len() && nearer(at) && set.state(at) == *after)
                };
                leads(&mut system, &mut actions, &state, place, stop, listed)?
            }
        };
        if !shown {
            return Err(place.wrong(Flaw::Distance));
        }
    }
    Ok(())
}

/// Whether some step, which does not depend on open values, leads from a state to one that is wanted.
fn leads(
    system: &mut System,
    actions: &mut Actions,
    state: &State,
    place: Place,
    stop: &AtomicBool,
    wanted: impl Fn(&State) -> bool,
) -> Result<bool, Rejection> {
    let vector = actions.vector(&state.locations);
    let steps = actions.of(system, vector);
    let mut interp = Interp::new(system, Some(stop));
    let mut found = false;
    for action in steps {
        interp
            .successors(action.stmt, state, &mut |outcome| {
                let after = State { locations: action.target.clone(), values: outcome.values };
                found = outcome.fixed.is_empty() && wanted(&after);
                !found
            })
            .map_err(|why| stuck(system, place, &why))?;
        if found {
            break;
        }
    }
    Ok(found)
}

/// Re-executes a run and checks that it leads into a trap, or to a fault.
pub(crate) fn check_run(
    system: &System,
    goal: Term,
    run: &Run,
    stop: &AtomicBool,
) -> Result<Reached, Rejection> {
    if run.cycle.is_some() {
        return Err(Place::Whole.wrong(Flaw::Endless));
    }
    let (mut system, _) = replayed(system, run, stop)?;
    if let Some(fault) = fault_at(&system, run)? {
        return Ok(fault);
    }
    if !system.is_observed(&run.last().locations) {
        return Err(Place::LastState.wrong(Flaw::Unobserved));
    }
    let mut actions = Actions::new();
    let mut seen: IndexSet<State, FxBuildHasher> = IndexSet::from_iter([run.last().clone()]);
    let mut next = 0;
    while let Some(state) = seen.get_index(next).cloned() {
        next += 1;
        if next % 1024 == 0 && stop.load(Ordering::Relaxed) {
            return Err(Rejection::Interrupted);
        }
        if seen.len() > MOST_STATES {
            return Err(Undecided::LargeTrap.into());
        }
        let is_goal = system.is_observed(&state.locations) && {
            let here = spelled_out(&mut system, goal, &state, Place::LastState)?;
            let found = Interp::new(&system, Some(stop)).find(&state, here);
            found.map_err(|why| stuck(&system, Place::LastState, &why))?.is_some()
        };
        if is_goal {
            return Err(Place::LastState.wrong(Flaw::WayOut));
        }
        let vector = actions.vector(&state.locations);
        let steps = actions.of(&mut system, vector);
        let mut interp = Interp::new(&system, Some(stop));
        for action in steps {
            interp
                .successors(action.stmt, &state, &mut |outcome| {
                    seen.insert(State { locations: action.target.clone(), values: outcome.values });
                    seen.len() <= MOST_STATES
                })
                .map_err(|why| stuck(&system, Place::LastState, &why))?;
        }
    }
    Ok(Reached::Target)
}

/// A condition at a state, with what it says about locations and deadlocks spelled out.
fn spelled_out(system: &mut System, condition: Term, state: &State, place: Place) -> Result<Term, Rejection> {
    ir::at_state(system, condition, state).map_err(|_| place.wrong(Flaw::NoCondition))
}
