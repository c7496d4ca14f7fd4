//! Runs whose words satisfy a formula, or are accepted by an automaton that is the question.
//!
//! The steps of a run are re-executed, once around its cycle; then the run must be infinite or decide the question
//! without that:
//! - a *lasso* comes back to the very state its cycle begins in, or to a set of states from all of which the cycle can be
//!   gone around in the same way ([`head`]); and the formula itself is evaluated on its word, so that no automaton is
//!   trusted but one that is asked about;
//! - a run that ends where nothing can happen goes on for ever if the system says that such runs repeat their last state;
//! - a finite run is enough if every word that begins like its own satisfies the formula, or leads to a sink. It has to
//!   have been read: of a run that gets stuck before any state is, nothing is said.
//!
//! A run that leads to a fault, or to a state where an atom cannot be evaluated, decides nothing about the formula, but is
//! found as well.

use std::sync::atomic::AtomicBool;

use ir::eval::holds;
use ir::{Cycle, PathQuestion, Run, State, Step, Stuck, System, Term, Words};

use crate::accepts::{accepts, leads_to_sink};
use crate::closed_set::Listed;
use crate::head::{self, Lap};
use crate::prefix::is_good_prefix;
use crate::run::{fault_at, replayed};
use crate::{Flaw, Place, Reached, Rejection, Undecided};

/// Re-executes a run and says what it shows.
pub(crate) fn check_run(
    system: &System,
    question: &PathQuestion,
    run: &Run,
    stop: &AtomicBool,
) -> Result<Reached, Rejection> {
    let (mut system, executed) = replayed(system, run, stop)?;
    if let Some(fault) = fault_at(&system, run)? {
        return Ok(fault);
    }
    let states: Vec<&State> = run.states().collect();
    let start = run.steps.len();
    // The last state of a cycle is the first, and read once.
    let different = match &run.cycle {
        Some(cycle) if !cycle.steps.is_empty() => {
            if cycle.head.is_none() && states[states.len() - 1] != states[start] {
                return Err(Place::LastState.wrong(Flaw::NoReturn));
            }
            states.len() - 1
        }
        Some(cycle) => {
            if cycle.head.is_some() || !is_stuck(&mut system, states[start])? {
                return Err(Place::LastState.wrong(Flaw::NotStuck));
            }
            states.len()
        }
        None => states.len(),
    };
    let read: Vec<usize> = (0..different).filter(|at| system.is_read(&states[*at].locations)).collect();
    let mut letters = vec![];
    for &at in &read {
        let place = Place::State(at);
        let undefined = value(&mut system, question.undefined, states[at], place)?;
        if undefined && run.cycle.is_none() && at == different - 1 {
            return Ok(Reached::Target);
        }
        if undefined {
            return Err(place.wrong(Flaw::Undefined));
        }
        let mut letter = Vec::with_capacity(question.atoms.len());
        for atom in &question.atoms {
            letter.push(value(&mut system, *atom, states[at], place)?);
        }
        letters.push(letter);
    }
    if let Some(Cycle { steps, head: Some(head) }) = &run.cycle
        && !steps.is_empty()
    {
        let letter = |at: usize| Some(&letters[read.iter().position(|it| *it == at)?][..]);
        let lap = |at: usize| {
            let Step { decisions, state, .. } = &steps[at - start];
            let stmt = executed[at + 1];
            Lap { before: states[at], letter: letter(at), stmt, decisions, after: state }
        };
        let round: Vec<Lap<'_>> = (start..start + steps.len()).map(lap).collect();
        head::check(&mut system, question, head, &round, stop)?;
    }
    let letter = |position: usize, atom: u32| letters[position][atom as usize];
    let back = match &run.cycle {
        None if letters.is_empty() => return Err(Place::Whole.wrong(Flaw::Undetermined)),
        None => {
            let decided = match &question.words {
                Words::Satisfying(formula) => is_good_prefix(formula, letters.len(), letter)
                    .map_err(|_| Rejection::from(Undecided::LargeFormula))?,
                Words::Accepted(automaton) => leads_to_sink(automaton, letters.len(), letter),
            };
            return match decided {
                true => Ok(Reached::Target),
                false => Err(Place::Whole.wrong(Flaw::Undetermined)),
            };
        }
        // What is repeated for ever must be read.
        Some(cycle) if cycle.steps.is_empty() => read.iter().position(|at| *at == start),
        Some(_) => read.iter().position(|at| *at >= start),
    };
    let back = back.ok_or_else(|| Place::Whole.wrong(Flaw::NothingRead))?;
    let is_asked = match &question.words {
        Words::Satisfying(formula) => formula.holds(letters.len(), back, letter),
        Words::Accepted(automaton) => accepts(automaton, letters.len(), back, letter),
    };
    match is_asked {
        true => Ok(Reached::Target),
        false => Err(Place::Whole.wrong(Flaw::OtherWord)),
    }
}

/// Whether runs repeat this state for ever, because nothing can happen in it.
fn is_stuck(system: &mut System, state: &State) -> Result<bool, Rejection> {
    if system.stuck == Stuck::Ignored {
        return Ok(false);
    }
    let stuck = system.terms.deadlock();
    value(system, stuck, state, Place::LastState)
}

/// Whether a condition holds in a state, which has no open values.
pub(crate) fn value(
    system: &mut System,
    condition: Term,
    state: &State,
    place: Place,
) -> Result<bool, Rejection> {
    let here = ir::at_state(system, condition, state).map_err(|_| place.wrong(Flaw::NoCondition))?;
    let slots = Listed::slots(system);
    let env = Listed { slots: &slots, state };
    holds(&system.terms, &env, here).map_err(|_| place.wrong(Flaw::NoCondition))
}
