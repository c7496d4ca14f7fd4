//! Recurrent sets: from every state of the head of a cycle, the recorded round can be gone around and ends in the head
//! again, with the same letters. See [`ir::Head`].
//!
//! The round is a straight line of assumptions and assignments ([`ir::straight`]); backwards along it, the weakest
//! precondition tells from where it passes and reads what was recorded. A solver is asked for a state of the head that is
//! not such.

use ir::{Head, PathQuestion, State, Step, Stmt, System, Term, Value};

use super::super::{Cx, formula, holds_in};
use crate::{Flaw, Place, Rejection, Undecided};

/// A step of the recorded round.
pub(super) struct Lap<'a> {
    pub(super) before: &'a State,
    /// The truth of each atom there, if that state is read.
    pub(super) letter: Option<&'a [bool]>,
    pub(super) stmt: Stmt,
    pub(super) step: &'a Step,
}

/// Checks that a head is a recurrent set of a round, which begins and ends in it.
pub(super) fn check(
    cx: &Cx<'_>,
    system: &mut System,
    question: &PathQuestion,
    head: &Head,
    round: &[Lap<'_>],
) -> Result<(), Rejection> {
    let (Some(first), Some(last)) = (round.first(), round.last()) else {
        return Err(Place::Whole.wrong(Flaw::NoReturn));
    };
    if first.before.locations != last.step.state.locations {
        return Err(Place::LastState.wrong(Flaw::NoReturn));
    }
    let head = formula::import(system, &head.terms, head.formula, Place::Head)?;
    for state in [first.before, &last.step.state] {
        if !holds_in(system, head, state, Place::Head)? {
            return Err(Place::Head.wrong(Flaw::OutsideHead));
        }
    }
    if system.timed().is_some() {
        // How zones are taken backwards is the one argument about cycles that is shared with the fast checker.
        let mut laps = vec![];
        for Lap { before, letter, stmt, step } in round {
            let (before, letter, stmt) = (*before, *letter, *stmt);
            laps.push(crate::head::Lap {
                before,
                letter,
                stmt,
                decisions: &step.decisions,
                after: &step.state,
            });
        }
        return crate::head::clocks::check(system, question, head, &laps);
    }
    let ranges = ranges(system);
    let start = system.terms.and([head, ranges]);
    let mut goal = start;
    for lap in round.iter().rev() {
        goal = before(system, question, lap, goal)?;
        goal = system.terms.and([goal, ranges]);
    }
    let missed = system.terms.not(goal);
    match cx.satisfiable(system, &[start, missed], Place::Head)? {
        true => Err(Place::Head.wrong(Flaw::NotRecurrent)),
        false => Ok(()),
    }
}

/// From where a step can be taken as it was recorded, with the recorded letter, to where `goal` holds.
fn before(
    system: &mut System,
    question: &PathQuestion,
    lap: &Lap<'_>,
    goal: Term,
) -> Result<Term, Rejection> {
    let Lap { before, letter, stmt, step } = lap;
    let line = ir::straight(system, *stmt, before, &step.decisions, &step.state);
    let line = line.ok_or_else(|| Place::Whole.wrong(Flaw::Choices))?;
    // A line has one execution at most: it leads to the goal unless it leads nowhere but elsewhere.
    let elsewhere = system.terms.not(goal);
    let misses = ir::wp(&mut system.terms, line, elsewhere).map_err(|_| Undecided::Loop(Place::Head))?;
    let mut parts = vec![system.terms.not(misses)];
    for (number, holds) in letter.iter().flat_map(|letter| letter.iter().enumerate()) {
        let atom = at(system, question.atoms[number], before)?;
        parts.push(if *holds { atom } else { system.terms.not(atom) });
    }
    if letter.is_some() {
        let undefined = at(system, question.undefined, before)?;
        parts.push(system.terms.not(undefined));
    }
    Ok(system.terms.and(parts))
}

fn at(system: &mut System, condition: Term, state: &State) -> Result<Term, Rejection> {
    Ok(ir::at_locations(system, condition, &state.locations).map_err(|_| Undecided::NoCondition)?)
}

/// That every variable with a range is in it.
fn ranges(system: &mut System) -> Term {
    let vars: Vec<_> = system.state_vars().collect();
    let mut parts = vec![];
    for var in vars {
        let Some((least, greatest)) = system.vars[var].range.clone() else { continue };
        let now = system.terms.var(var);
        let [least, greatest] = [least, greatest].map(|end| system.terms.constant(Value::Int(end)));
        parts.extend([system.terms.le(least, now), system.terms.le(now, greatest)]);
    }
    system.terms.and(parts)
}
