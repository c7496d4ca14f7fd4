//! Lists of states: every initial state is listed, every successor of a listed state is listed, and no listed state is a
//! fault, or a target where properties look. So no reachable state is, by induction along runs.
//!
//! A listed state with open values stands for all states that have these places filled with values of their types and
//! ranges. The interpreter executes statements on such a state as on all of them, and what it leads to must be listed as
//! such.

use ir::interp::Interp;
use ir::{Action, Actions, ClosedSet, State, System, Term};
use rustc_hash::FxHashMap;

use super::{Cx, stuck, well_formed};
use crate::{Flaw, Place, Rejection};

/// Checks a list; `step` looks at every step from one listed state to another.
pub(super) fn check(
    cx: &Cx<'_>,
    system: &System,
    target: Term,
    set: &dyn ClosedSet,
    step: &mut dyn FnMut(usize, &Action, usize) -> Result<(), Flaw>,
) -> Result<(), Rejection> {
    let mut system = system.clone();
    let states = read(&system, set)?;
    let numbers = number(&states);
    for state in initial(cx, &mut system)? {
        if !numbers.contains_key(&state) {
            return Err(Place::Whole.wrong(Flaw::InitialState));
        }
    }
    let mut actions = Actions::new();
    for (from, state) in states.iter().enumerate() {
        let place = Place::Listed(from);
        if system.is_fault(&state.locations) {
            return Err(place.wrong(Flaw::Fault));
        }
        if system.is_observed(&state.locations) && may_hold(cx, &mut system, target, state, place)? {
            return Err(place.wrong(Flaw::Target));
        }
        for (action, after, _) in successors(cx, &mut system, &mut actions, state, place)? {
            let Some(to) = numbers.get(&after) else {
                return Err(place.wrong(Flaw::Successor { action: None, loose: false }));
            };
            step(from, &action, *to).map_err(|flaw| place.wrong(flaw))?;
        }
    }
    Ok(())
}

/// All listed states, which have the shape of the system's.
pub(super) fn read(system: &System, set: &dyn ClosedSet) -> Result<Vec<State>, Rejection> {
    let states: Vec<State> = (0..set.len()).map(|at| set.state(at)).collect();
    for (at, state) in states.iter().enumerate() {
        well_formed(system, state, Place::Listed(at))?;
    }
    Ok(states)
}

/// The number of every state, the first one if it is listed twice.
pub(super) fn number(states: &[State]) -> FxHashMap<&State, usize> {
    let mut numbers = FxHashMap::default();
    for (at, state) in states.iter().enumerate() {
        numbers.entry(state).or_insert(at);
    }
    numbers
}

/// All initial states.
pub(super) fn initial(cx: &Cx<'_>, system: &mut System) -> Result<Vec<State>, Rejection> {
    let stmt = ir::initial(system);
    let start = system.arbitrary_state();
    let mut states = vec![];
    Interp::new(system, Some(cx.stop))
        .successors(stmt, &start, &mut |outcome| {
            states.push(State { locations: start.locations.clone(), values: outcome.values });
            true
        })
        .map_err(|why| stuck(system, Place::InitialStates, &why))?;
    Ok(states)
}

/// All successors of a state, with their actions, and whether what was open had to get a value for that.
pub(super) fn successors(
    cx: &Cx<'_>,
    system: &mut System,
    actions: &mut Actions,
    state: &State,
    place: Place,
) -> Result<Vec<(Action, State, bool)>, Rejection> {
    cx.go_on()?;
    let vector = actions.vector(&state.locations);
    let mut list = vec![];
    for action in actions.of(system, vector).to_vec() {
        Interp::new(system, Some(cx.stop))
            .successors(action.stmt, state, &mut |outcome| {
                let after = State { locations: action.target.clone(), values: outcome.values };
                list.push((action.clone(), after, !outcome.fixed.is_empty()));
                true
            })
            .map_err(|why| stuck(system, place, &why))?;
    }
    Ok(list)
}

/// Whether a condition holds in one of the states that a state with open values stands for.
pub(super) fn may_hold(
    cx: &Cx<'_>,
    system: &mut System,
    condition: Term,
    state: &State,
    place: Place,
) -> Result<bool, Rejection> {
    let here = ir::at_state(system, condition, state).map_err(|_| place.wrong(Flaw::NoCondition))?;
    let found = Interp::new(system, Some(cx.stop)).find(state, here);
    found.map(|state| state.is_some()).map_err(|why| stuck(system, place, &why))
}
