//! Runs whose words satisfy a formula, or are accepted by an automaton that is the question.
//!
//! The steps of a run are re-executed, once around its cycle; then the run must be infinite or decide the question
//! without that:
//! - a *lasso* comes back to the very state its cycle begins in, or to a set of states from all of which the cycle can be
//!   gone around in the same way ([`head`]); and the formula itself is evaluated on its word, so that no automaton is
//!   trusted but one that is asked about;
//! - a run that ends where nothing can happen goes on for ever if the system says that such runs repeat their last state,
//!   and so does one that may let time pass for ever where it ends, if the system says so;
//! - a finite run is enough if every word that begins like its own satisfies the formula, or leads to a sink. It has to
//!   have been read: of a run that gets stuck before any state is, nothing is said.
//!
//! A run that leads to a fault, or to a state where an atom cannot be evaluated, decides nothing about the formula, but is
//! found as well.

use std::sync::atomic::AtomicBool;

use ir::eval::holds;
use ir::{Cycle, Decision, PathQuestion, Rat, Response, Run, State, Step, Stuck, System, Term, Words, Zeno};

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
            // A round in which time passes takes as long as every other one; that of a head is measured there.
            if system.zeno == Zeno::Forbidden && cycle.head.is_none() && !takes_time(&cycle.steps) {
                return Err(Place::Whole.wrong(Flaw::NoTime));
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
            if system.stuck == Stuck::Idle && changes(&mut system, *atom, states[at]) {
                return Err(Undecided::Property.into());
            }
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
                Words::Late(response) => late(response, run, &read, None, letter),
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
        Words::Late(response) => late(response, run, &read, Some(back), letter),
    };
    match is_asked {
        true => Ok(Reached::Target),
        false => Err(Place::Whole.wrong(Flaw::OtherWord)),
    }
}

/// Whether a run answers late. A state is come to before the delay of the step that leads there.
fn late(
    response: &Response,
    run: &Run,
    read: &[usize],
    back: Option<usize>,
    letter: impl Fn(usize, u32) -> bool,
) -> bool {
    let passed = |decisions: &[Decision]| {
        let delay = |decision: &Decision| {
            if let Decision::Delay(delay) = decision { delay.clone() } else { Rat::ZERO }
        };
        decisions.iter().map(delay).fold(Rat::ZERO, |sum, delay| &sum + &delay)
    };
    let (mut now, mut times) = (Rat::ZERO, vec![]);
    for decisions in [&run.decisions].into_iter().chain(run.all_steps().map(|step| &step.decisions)) {
        times.push(now.clone());
        now = &now + &passed(decisions);
    }
    // The last state of a cycle is the first one again.
    let times: Vec<Rat> = read.iter().map(|at| times[*at].clone()).collect();
    let most = Rat::from(response.within);
    let later = |passed: &Rat| *passed > most || response.strict && *passed == most;
    response.is_late(letter, &times, |begun| later(&(&now - begun)), back)
}

/// Whether time passes in some of the steps.
fn takes_time(steps: &[Step]) -> bool {
    let passes = |decision: &Decision| matches!(decision, Decision::Delay(delay) if *delay > Rat::ZERO);
    steps.iter().any(|step| step.decisions.iter().any(passes))
}

/// Whether runs repeat this state for ever, because nothing can happen in it, or nothing has to.
fn is_stuck(system: &mut System, state: &State) -> Result<bool, Rejection> {
    let stuck = system.terms.deadlock();
    match system.stuck {
        Stuck::Ignored => Ok(false),
        Stuck::Repeat => value(system, stuck, state, Place::LastState),
        Stuck::Idle => {
            let idle = ir::idle(system).map_err(|_| Place::LastState.wrong(Flaw::NoCondition))?;
            Ok(value(system, idle, state, Place::LastState)?
                || value(system, stuck, state, Place::LastState)?)
        }
    }
}

/// Whether a condition may change while time passes in a state.
fn changes(system: &mut System, condition: Term, state: &State) -> bool {
    let here = ir::at_state(system, condition, state);
    here.is_ok_and(|here| ir::monitor::some_clock(&system.terms, here).is_some())
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
