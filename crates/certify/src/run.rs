//! Runs are re-executed statement by statement, with exact values and rational delays.
//!
//! The loop over the steps is that of [`ir::replay`], which also finds the action of each: it is part of what is
//! trusted, as are composition and the interpreter. Whether a statement, executed as the run says, leads where the run
//! says is decided here.

use std::sync::atomic::AtomicBool;

use ir::interp::{Interp, Outcome, Stuck};
use ir::replay::{self, NoStep};
use ir::{Decision, FaultId, NamedVar, Question, Run, State, Stmt, System, Term};

use crate::{Flaw, Place, Rejection, check_shape, returns, stuck, word};

/// What a valid run reaches at its end.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Reached {
    /// What is searched for: the target in an observed state, or a word.
    Target,
    /// A fault of the model.
    Fault(FaultId),
}

/// Re-executes a run step by step and says what it reaches.
///
/// Recorded choices are followed; where a step has none, any execution that leads to its state will
/// do.
pub fn check_run(
    system: &System,
    question: &Question,
    run: &Run,
    stop: &AtomicBool,
) -> Result<Reached, Rejection> {
    match question {
        Question::Reach(target) => check_end(system, *target, run, stop),
        Question::Path(question) => word::check_run(system, question, run, stop),
        Question::Trap(goal) => returns::check_run(system, *goal, run, stop),
        Question::Cycle(_) => Err(Place::Whole.wrong(Flaw::OtherWord)),
    }
}

/// Re-executes a finite run and says what it reaches.
fn check_end(system: &System, target: Term, run: &Run, stop: &AtomicBool) -> Result<Reached, Rejection> {
    if run.cycle.is_some() {
        return Err(Place::Whole.wrong(Flaw::Endless));
    }
    let (mut system, _) = replayed(system, run, stop)?;
    if let Some(fault) = fault_at(&system, run)? {
        return Ok(fault);
    }
    let last = run.last();
    if !system.is_observed(&last.locations) {
        return Err(Place::LastState.wrong(Flaw::Unobserved));
    }
    let here =
        ir::at_state(&mut system, target, last).map_err(|_| Place::LastState.wrong(Flaw::NoCondition))?;
    let mut interp = Interp::new(&system, Some(stop));
    match interp.find(last, here) {
        Ok(Some(_)) => Ok(Reached::Target),
        Ok(None) => Err(Place::LastState.wrong(Flaw::NotATarget)),
        Err(why) => Err(stuck(&system, Place::LastState, &why)),
    }
}

/// Re-executes all steps of a run, those of its cycle once; the system with what that took in its arena, and what was
/// executed: the initial statement, and that of each step.
pub(crate) fn replayed(
    system: &System,
    run: &Run,
    stop: &AtomicBool,
) -> Result<(System, Vec<Stmt>), Rejection> {
    let mut system = system.clone();
    let mut executed = vec![];
    for (number, state) in run.states().enumerate() {
        check_shape(&system, Place::State(number), state)?;
        if let Some((var, _)) = system.state_vars().zip(&state.values).find(|(_, value)| value.is_none()) {
            return Err(Place::State(number).wrong(Flaw::NoValue(NamedVar::of(&system, var))));
        }
    }
    if run.initial.locations != system.initial_locations() {
        return Err(Place::State(0).wrong(Flaw::NotInitial));
    }
    replay::run(&mut system, run, |system, leg, (decisions, after)| {
        let place = if leg.number == 0 { Place::State(0) } else { Place::Step(leg.number) };
        execute(system, place, leg.stmt, leg.source(after), decisions, after, stop)?;
        executed.push(leg.stmt);
        let (values, decisions) = (after.values.clone(), decisions.to_vec());
        Ok::<_, Rejection>(Some(Outcome { values, decisions, fixed: vec![] }))
    })?;
    Ok((system, executed))
}

/// The fault that a finite run leads to, if it does.
pub(crate) fn fault_at(system: &System, run: &Run) -> Result<Option<Reached>, Rejection> {
    let last = run.last();
    if run.cycle.is_some() || !system.is_fault(&last.locations) {
        return Ok(None);
    }
    let fault = system.fault_of(last).ok_or_else(|| Place::LastState.wrong(Flaw::UnknownFault))?;
    Ok(Some(Reached::Fault(fault)))
}

impl From<NoStep> for Rejection {
    fn from(NoStep(number): NoStep) -> Self {
        Place::Step(number).wrong(Flaw::NoSuchStep)
    }
}

fn execute(
    system: &System,
    place: Place,
    stmt: Stmt,
    before: &State,
    decisions: &[Decision],
    after: &State,
    stop: &AtomicBool,
) -> Result<(), Rejection> {
    let mut interp = Interp::new(system, Some(stop));
    match interp.follow(stmt, before, decisions) {
        Ok(Some(outcome)) => match first_difference(system, &outcome, after) {
            None => Ok(()),
            Some(var) => Err(place.wrong(Flaw::AnotherValue(var))),
        },
        Ok(None) => Err(place.wrong(Flaw::AssumptionFails)),
        // Nothing was recorded: look for an execution that leads there.
        Err(Stuck::Needs(_)) if decisions.is_empty() => {
            let leads_there = |outcome: &Outcome| first_difference(system, outcome, after).is_none();
            match interp.first(stmt, before, None, leads_there) {
                Ok(Some(_)) => Ok(()),
                Ok(None) => Err(place.wrong(Flaw::NoExecution)),
                Err(why) => Err(stuck(system, place, &why)),
            }
        }
        Err(why) => Err(stuck(system, place, &why)),
    }
}

/// The first variable on which an execution and a state disagree; an open value agrees with any.
fn first_difference(system: &System, outcome: &Outcome, after: &State) -> Option<NamedVar> {
    let mut pairs = system.state_vars().zip(outcome.values.iter().zip(&after.values));
    let (var, _) = pairs.find(|(_, (computed, said))| computed.is_some() && computed != said)?;
    Some(NamedVar::of(system, var))
}
