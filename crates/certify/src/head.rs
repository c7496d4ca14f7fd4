//! Recurrent sets: a cycle that can be gone around for ever, although no state comes again; see [`ir::Head`] for what is
//! to be shown.
//!
//! The recorded round is a straight line ([`ir::straight`]): its choices are those of every other round. Backwards from
//! its end, where the head has to hold again, the condition is collected under which it can be executed and every state
//! that is read has its letter. That the head implies this condition is a formula without models: it often becomes
//! `false` when it is made, and a solver is asked if not. Where time passes, the head is a zone ([`clocks`]).

pub(crate) mod clocks;

use std::sync::atomic::AtomicBool;

use ir::{Decision, Head, PathQuestion, State, Steps, Stmt, System, Term, Type, Value};
use smt::z3::Z3Solver;
use smt::{Answer, Interrupt, Solver};

use crate::invariant::watch::Watch;
use crate::invariant::{formula_of, is_deep};
use crate::word::value;
use crate::{Flaw, Place, Rejection, Undecided};

/// A step of the recorded round.
pub(crate) struct Lap<'a> {
    /// Where it starts.
    pub(crate) before: &'a State,
    /// The truth of each atom there, if that state is read.
    pub(crate) letter: Option<&'a [bool]>,
    /// What is executed.
    pub(crate) stmt: Stmt,
    pub(crate) decisions: &'a [Decision],
    /// Where it leads.
    pub(crate) after: &'a State,
}

/// Checks that a round leads from the head back to it, whatever state of it it begins in, and reads the same letters.
pub(crate) fn check(
    system: &mut System,
    question: &PathQuestion,
    head: &Head,
    round: &[Lap<'_>],
    stop: &AtomicBool,
) -> Result<(), Rejection> {
    let (Some(first), Some(last)) = (round.first(), round.last()) else {
        return Err(Place::Whole.wrong(Flaw::NoReturn));
    };
    if first.before.locations != last.after.locations {
        return Err(Place::LastState.wrong(Flaw::NoReturn));
    }
    let head = formula_of(system, head).map_err(|flaw| Place::Head.wrong(Flaw::Formula(flaw)))?;
    for state in [first.before, last.after] {
        if !value(system, head, state, Place::Head)? {
            return Err(Place::Head.wrong(Flaw::OutsideHead));
        }
    }
    if system.timed().is_some() {
        return clocks::check(system, question, head, round);
    }
    let ranges = ranges(system);
    let mut goal = system.terms.and([head, ranges]);
    let start = goal;
    for lap in round.iter().rev() {
        goal = before(system, question, lap, goal)?;
        goal = system.terms.and([goal, ranges]);
    }
    let missed = system.terms.not(goal);
    let escape = system.terms.and([start, missed]);
    match system.terms.as_const(escape) {
        Some(Value::Bool(false)) => Ok(()),
        _ if is_deep(&system.terms, escape) => Err(Undecided::DeepFormula(Place::Head).into()),
        _ => unsatisfiable(system, [start, missed], stop),
    }
}

/// When a step can be taken as it was recorded and leads to `goal`, from a state with the recorded letter.
fn before(
    system: &mut System,
    question: &PathQuestion,
    lap: &Lap<'_>,
    goal: Term,
) -> Result<Term, Rejection> {
    let Lap { before, letter, stmt, decisions, after } = lap;
    let line = ir::straight(system, *stmt, before, decisions, after);
    let line = line.ok_or_else(|| Place::Whole.wrong(Flaw::Choices))?;
    let leads = ir::leads_to(&mut system.terms, line, goal).map_err(|_| Undecided::Loop(Place::Head))?;
    let mut parts = vec![leads];
    if let Some(letter) = letter {
        let atoms = question.atoms.iter().copied().zip(letter.iter().copied());
        for (atom, holds) in atoms.chain([(question.undefined, false)]) {
            let here =
                ir::at_locations(system, atom, &before.locations).map_err(|_| Undecided::NoCondition)?;
            parts.push(if holds { here } else { system.terms.not(here) });
        }
    }
    Ok(system.terms.and(parts))
}

/// That all variables are within their ranges.
fn ranges(system: &mut System) -> Term {
    let ranges: Vec<_> =
        system.state_vars().filter_map(|var| Some((var, system.vars[var].range.clone()?))).collect();
    let terms = &mut system.terms;
    let mut parts = vec![];
    for (var, (least, greatest)) in ranges {
        let now = terms.var(var);
        if terms.type_of(now) == Type::Int {
            let [least, greatest] = [least, greatest].map(|bound| terms.constant(Value::Int(bound)));
            parts.extend([terms.le(least, now), terms.le(now, greatest)]);
        }
    }
    terms.and(parts)
}

/// Shows that these exclude each other.
fn unsatisfiable(system: &System, parts: [Term; 2], stop: &AtomicBool) -> Result<(), Rejection> {
    let watch = Watch::new(stop);
    let why = |why: Interrupt| match watch.stopped() {
        true => Rejection::Interrupted,
        false => Undecided::Solver(Place::Head, why).into(),
    };
    std::thread::scope(|scope| {
        let _end = watch.start(scope);
        let mut solver = Z3Solver::new().map_err(why)?;
        watch.solver(solver.interrupter());
        for part in parts {
            solver.assert(&system.terms, part, &Steps::start()).map_err(why)?;
        }
        match solver.check(&[]).map_err(why)? {
            Answer::Unsat => Ok(()),
            Answer::Sat => Err(Place::Head.wrong(Flaw::NotRecurrent)),
        }
    })
}
