//! Runs, executed step by step: each is an execution of an action of the system, composed anew, from the state before it
//! to the state after it, with the recorded choices, or with any if none are recorded.

use ir::interp::{Interp, Stuck};
use ir::{Decision, NamedVar, Run, State, Stmt, System, Term};

use super::{Cx, holds_in, stuck, well_formed};
use crate::{Flaw, Place, Reached, Rejection};

/// What a finite run reaches.
pub(super) fn check(cx: &Cx<'_>, system: &System, target: Term, run: &Run) -> Result<Reached, Rejection> {
    if run.cycle.is_some() {
        return Err(Place::Whole.wrong(Flaw::Endless));
    }
    let mut system = system.clone();
    execute(cx, &mut system, run)?;
    if let Some(fault) = fault(&system, run)? {
        return Ok(fault);
    }
    if !system.is_observed(&run.last().locations) {
        return Err(Place::LastState.wrong(Flaw::Unobserved));
    }
    match holds_in(&mut system, target, run.last(), Place::LastState)? {
        true => Ok(Reached::Target),
        false => Err(Place::LastState.wrong(Flaw::NotATarget)),
    }
}

/// Executes all steps of a run, those of its cycle once; the statement of each, the initial one first.
pub(super) fn execute(cx: &Cx<'_>, system: &mut System, run: &Run) -> Result<Vec<Stmt>, Rejection> {
    for (number, state) in run.states().enumerate() {
        well_formed(system, state, Place::State(number))?;
        if let Some((var, _)) = system.state_vars().zip(&state.values).find(|(_, value)| value.is_none()) {
            return Err(Place::State(number).wrong(Flaw::NoValue(NamedVar::of(system, var))));
        }
    }
    if run.initial.locations != system.initial_locations() {
        return Err(Place::State(0).wrong(Flaw::NotInitial));
    }
    let initial = ir::initial(system);
    // The initial statement starts from arbitrary values: those that it leads to, for example.
    leads(cx, system, initial, (&run.initial, &run.decisions, &run.initial), Place::State(0))?;
    let (mut executed, mut before) = (vec![initial], &run.initial);
    for (number, step) in (1..).zip(run.all_steps()) {
        let place = Place::Step(number);
        let actions = ir::actions(system, &before.locations);
        let fits = |action: &&ir::Action| action.takes(&step.edges, &step.state.locations);
        let mut result = Err(place.wrong(Flaw::NoSuchStep));
        for action in actions.iter().filter(fits) {
            result = leads(cx, system, action.stmt, (before, &step.decisions, &step.state), place);
            if result.is_ok() {
                executed.push(action.stmt);
                break;
            }
        }
        result?;
        before = &step.state;
    }
    Ok(executed)
}

/// The fault that a finite run ends in, if it does.
pub(super) fn fault(system: &System, run: &Run) -> Result<Option<Reached>, Rejection> {
    if run.cycle.is_some() || !system.is_fault(&run.last().locations) {
        return Ok(None);
    }
    let fault = system.fault_of(run.last()).ok_or_else(|| Place::LastState.wrong(Flaw::UnknownFault))?;
    Ok(Some(Reached::Fault(fault)))
}

/// Checks that a statement leads from one state to another.
fn leads(
    cx: &Cx<'_>,
    system: &System,
    stmt: Stmt,
    (before, decisions, after): (&State, &[Decision], &State),
    place: Place,
) -> Result<(), Rejection> {
    let mut interp = Interp::new(system, Some(cx.stop));
    // What an execution leaves open may be anything.
    let agrees = |values: &[Option<ir::Value>]| {
        let mut pairs = system.state_vars().zip(values.iter().zip(&after.values));
        pairs.find(|(_, (computed, said))| computed.is_some() && computed != said).map(|(var, _)| var)
    };
    match interp.follow(stmt, before, decisions) {
        Ok(Some(outcome)) => match agrees(&outcome.values) {
            None => Ok(()),
            Some(var) => Err(place.wrong(Flaw::AnotherValue(NamedVar::of(system, var)))),
        },
        Ok(None) => Err(place.wrong(Flaw::AssumptionFails)),
        Err(Stuck::Needs(_)) if decisions.is_empty() => {
            match interp.first(stmt, before, None, |outcome| agrees(&outcome.values).is_none()) {
                Ok(Some(_)) => Ok(()),
                Ok(None) => Err(place.wrong(Flaw::NoExecution)),
                Err(why) => Err(stuck(system, place, &why)),
            }
        }
        Err(why) => Err(stuck(system, place, &why)),
    }
}
