//! Closed sets: a list of states that contains the initial ones and is closed under every action.
//!
//! If no state of such a list is a fault or an observed target, none that is reachable is. The list
//! is trusted for nothing but what it lists: its hints are compared with what they point at.
//!
//! Most actions are impossible in most states, and running one costs as much as the state is large. So what
//! an action begins by assuming is evaluated first: where that is false, it has no executions.

use std::sync::atomic::{AtomicBool, Ordering};

use ir::eval::{Env, holds};
use ir::interp::Interp;
use ir::{Actions, ClosedSet, Id, LocationId, ProcessId, State, Stmt, StmtNode, System, Term, Value, VarId};

use crate::progress::Descending;
use crate::{Flaw, Place, Rejection, check_shape, stuck};

/// Checks that `set` is closed, that it excludes the target and every fault, and that its steps descend, if they have to.
pub(crate) fn check(
    system: &System,
    target: Term,
    set: &dyn ClosedSet,
    descent: Option<&Descending<'_>>,
    stop: &AtomicBool,
) -> Result<(), Rejection> {
    let mut system = system.clone();
    let mut actions = Actions::new();

    let initial = ir::initial(&mut system);
    let start = system.arbitrary_state();
    let listed = |state: &State| set.find(state).filter(|at| *at < set.len() && set.state(*at) == *state);
    let mut missing = false;
    Interp::new(&system, Some(stop))
        .successors(initial, &start, &mut |outcome| {
            missing = listed(&State { locations: start.locations.clone(), values: outcome.values }).is_none();
            !missing
        })
        .map_err(|why| stuck(&system, Place::InitialStates, &why))?;
    if missing {
        return Err(Place::Whole.wrong(Flaw::InitialState));
    }

    let mut targets: Vec<Option<Term>> = vec![];
    let slots = Listed::slots(&system);
    let mut next = 0;
    while next < set.len() {
        // Composing the actions of a new vector of locations changes the system, so the interpreter
        // starts anew for each; there are few vectors and many states.
        let first = set.state(next);
        check_shape(&system, Place::Listed(next), &first)?;
        let vector = actions.vector(&first.locations);
        actions.of(&mut system, vector);
        let here = ir::at_locations(&mut system, target, &first.locations)
            .map_err(|_| Place::Whole.wrong(Flaw::NoCondition))?;
        targets.resize(targets.len().max(actions.len()), None);
        targets[vector.index()] = Some(here);
        let mut interp = Interp::new(&system, Some(stop));
        while next < set.len() {
            let state = set.state(next);
            let Some(steps) = actions.known(&state.locations) else { break };
            let number = actions.known_vector(&state.locations).expect("its actions are known");
            let Some(Some(target)) = targets.get(number.index()).copied() else { break };
            if next % 1024 == 0 && stop.load(Ordering::Relaxed) {
                return Err(Rejection::Interrupted);
            }
            let env = Listed { slots: &slots, state: &state };
            check_state(&system, target, &mut interp, &env, next)?;
            for action in steps {
                if guard(&system, action.stmt).is_some_and(|it| holds(&system.terms, &env, it) == Ok(false)) {
                    continue;
                }
                let mut flaw = None;
                interp
                    .successors(action.stmt, &state, &mut |outcome| {
                        let after = State { locations: action.target.clone(), values: outcome.values };
                        let descends = |to| descent.is_none_or(|descent| descent.allows(next, action, to));
                        flaw = match listed(&after) {
                            None => Some(Flaw::Successor { action: None, loose: false }),
                            Some(to) => (!descends(to)).then_some(Flaw::Ascent),
                        };
                        flaw.is_none()
                    })
                    .map_err(|why| stuck(&system, Place::Listed(next), &why))?;
                if let Some(flaw) = flaw {
                    return Err(Place::Listed(next).wrong(flaw));
                }
            }
            next += 1;
        }
    }
    Ok(())
}

/// What a statement begins by assuming.
fn guard(system: &System, stmt: Stmt) -> Option<Term> {
    let first = match system.terms.stmt(stmt) {
        StmtNode::Seq(list) => *list.first()?,
        _ => stmt,
    };
    match system.terms.stmt(first) {
        StmtNode::Assume(condition) => Some(*condition),
        _ => None,
    }
}

/// A listed state; what is no part of it is open.
pub(crate) struct Listed<'a> {
    /// Where states have each variable.
    pub(crate) slots: &'a [Option<usize>],
    pub(crate) state: &'a State,
}

impl Listed<'_> {
    /// Where the states of a system have each variable.
    pub(crate) fn slots(system: &System) -> Vec<Option<usize>> {
        let mut slots = vec![None; system.vars.len()];
        for (slot, var) in system.state_vars().enumerate() {
            slots[var.index()] = Some(slot);
        }
        slots
    }
}

impl Env for Listed<'_> {
    fn var(&self, var: VarId, _step: u32) -> Option<&Value> {
        self.state.values[(*self.slots.get(var.index())?)?].as_ref()
    }
    fn at(&self, process: ProcessId, location: LocationId) -> bool {
        self.state.locations[process.index()] == location
    }
}

fn check_state(
    system: &System,
    target: Term,
    interp: &mut Interp<'_>,
    env: &Listed<'_>,
    number: usize,
) -> Result<(), Rejection> {
    let (place, state) = (Place::Listed(number), env.state);
    check_shape(system, place, state)?;
    if system.is_fault(&state.locations) {
        return Err(place.wrong(Flaw::Fault));
    }
    if !system.is_observed(&state.locations) {
        return Ok(());
    }
    if holds(&system.terms, env, target) == Ok(false) {
        return Ok(());
    }
    match interp.find(state, target) {
        Ok(None) => Ok(()),
        Ok(Some(_)) => Err(place.wrong(Flaw::Target)),
        Err(why) => Err(stuck(system, place, &why)),
    }
}
