//! The check that every sequence of interpolants must pass.

use std::fmt;

use ir::{Node, Steps, Term, Terms, Type, Value, VarId};

use crate::interrupt::Interrupt;
use crate::solver::{Answer, Solver};
use crate::trace::{Trace, instances, shared};
use crate::z3::Z3Solver;

/// What is wrong with a sequence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// It has not one more formula than the trace has parts.
    Length,
    /// The first is not `true`.
    First,
    /// The last is not `false`.
    Last,
    /// The one at this cut speaks of something else than truth values of now.
    NotAFormula(usize),
    /// The one at this cut mentions a variable that does not occur on both sides of it.
    NotShared(usize, VarId),
    /// The one at this cut and the part after it do not imply the next.
    Step(usize),
    /// The solver could not tell.
    Unknown(Interrupt),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::Length => f.write_str("the sequence has the wrong length"),
            Flaw::First => f.write_str("the first formula is not true"),
            Flaw::Last => f.write_str("the last formula is not false"),
            Flaw::NotAFormula(at) => write!(f, "formula {at} is not one over current variables"),
            Flaw::NotShared(at, var) => write!(f, "formula {at} mentions {var:?}, which is not shared"),
            Flaw::Step(at) => write!(f, "formula {at} and part {at} do not imply formula {}", at + 1),
            Flaw::Unknown(interrupt) => write!(f, "the check failed: {interrupt}"),
        }
    }
}

/// What the formula at a cut may speak of.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Vocabulary {
    /// Variables that occur both before and after the cut, as interpolants do.
    Shared,
    /// All variables, with the values they have at the cut.
    All,
}

/// Whether `sequence`, formulas over *now* for the cuts of `trace`, shows that it cannot be executed:
/// the first is `true`, the last `false`, each with its part implies the next, and each speaks only of
/// variables that occur on both sides. Uses a solver of its own, a sibling of `solver`.
pub fn verify(solver: &Z3Solver, terms: &mut Terms, trace: &Trace, sequence: &[Term]) -> Result<(), Flaw> {
    verify_over(solver, terms, trace, sequence, Vocabulary::Shared)
}

/// The same for formulas that speak of what `vocabulary` allows;
/// [`Strategy::vocabulary`](crate::Strategy::vocabulary) tells what that is.
pub fn verify_over(
    solver: &Z3Solver,
    terms: &mut Terms,
    trace: &Trace,
    sequence: &[Term],
    vocabulary: Vocabulary,
) -> Result<(), Flaw> {
    if sequence.len() != trace.cuts().len() {
        return Err(Flaw::Length);
    }
    let is = |terms: &Terms, term: Term, value: bool| terms.as_const(term) == Some(&Value::Bool(value));
    if !is(terms, sequence[0], true) {
        return Err(Flaw::First);
    }
    if !is(terms, sequence[sequence.len() - 1], false) {
        return Err(Flaw::Last);
    }
    let formulas: Vec<Term> = trace.parts().iter().map(|part| part.formula).collect();
    let shared = shared(terms, &formulas);
    for (cut, term) in sequence.iter().enumerate() {
        let mut flaw = (terms.type_of(*term) != Type::Bool).then_some(Flaw::NotAFormula(cut));
        terms.for_each_subterm(*term, |t| match *terms.node(t) {
            Node::Var(_, step) if step != 0 => flaw = Some(Flaw::NotAFormula(cut)),
            Node::Var(var, _)
                if vocabulary == Vocabulary::Shared
                    && !shared[cut].contains(&(var, trace.cuts()[cut].of(var))) =>
            {
                flaw = Some(Flaw::NotShared(cut, var));
            }
            _ => {}
        });
        if let Some(flaw) = flaw {
            return Err(flaw);
        }
    }
    let mut solver = solver.sibling().map_err(Flaw::Unknown)?;
    let mut holds = |at: usize| -> Result<bool, Interrupt> {
        let not_next = terms.not(sequence[at + 1]);
        solver.push()?;
        solver.assert(terms, sequence[at], &trace.cuts()[at])?;
        solver.assert(terms, formulas[at], &Steps::start())?;
        solver.assert(terms, not_next, &trace.cuts()[at + 1])?;
        let answer = solver.check(&[])?;
        solver.pop()?;
        Ok(answer == Answer::Unsat)
    };
    for at in 0..formulas.len() {
        if !holds(at).map_err(Flaw::Unknown)? {
            return Err(Flaw::Step(at));
        }
    }
    Ok(())
}

/// Whether `interpolant`, over variables at steps, follows from `a`, excludes `b` and speaks only of
/// what both speak of. Uses a solver of its own, a sibling of `solver`.
pub fn verify_binary(
    solver: &Z3Solver,
    terms: &mut Terms,
    a: Term,
    b: Term,
    interpolant: Term,
) -> Result<(), Flaw> {
    let (in_a, in_b) = (instances(terms, a), instances(terms, b));
    for instance in instances(terms, interpolant) {
        if in_a.binary_search(&instance).is_err() || in_b.binary_search(&instance).is_err() {
            return Err(Flaw::NotShared(1, instance.0));
        }
    }
    let negation = terms.not(interpolant);
    for (at, pair) in [[a, negation], [b, interpolant]].into_iter().enumerate() {
        let excludes = || -> Result<bool, Interrupt> {
            let mut solver = solver.sibling()?;
            pair.iter().try_for_each(|term| solver.assert(terms, *term, &Steps::start()))?;
            Ok(solver.check(&[])? == Answer::Unsat)
        };
        if !excludes().map_err(Flaw::Unknown)? {
            return Err(Flaw::Step(at));
        }
    }
    Ok(())
}
