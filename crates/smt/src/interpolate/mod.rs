//! Interpolants: why a trace cannot be executed, cut by cut.
//!
//! A sequence I_0 = true, I_1, …, I_n = false with `I_i and part_i imply I_{i+1}` over the variables
//! that occur on both sides of a cut. Z3 offers none, so there are several ways here, each with its own
//! strength, and [`Strategy::Auto`], which tries them in order and keeps the reason of each failure.
//!
//! All ways but `smtlib` begin with the same cut: the parts are weakened to those conjuncts and
//! branches that an unsatisfiable core needs (`slice`). Interpolants of weaker parts are
//! interpolants of the trace, and what is left is small.

mod atoms;
mod eliminate;
mod mbi;
mod newton;
mod slice;
mod spacer;

use std::fmt;
use std::str::FromStr;

use ir::{Int, Node, Steps, Term, Terms, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::interrupt::Interrupt;
use crate::solver::Solver;
use crate::trace::{Trace, shared};
use crate::z3::{Instance, Z3Solver};

/// A way to interpolants.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Strategy {
    /// The others in order, until one succeeds within its budget.
    #[default]
    Auto,
    /// Conjunctions of atoms of the trace and their weakest preconditions.
    Atoms,
    /// Strongest postconditions of what the core needs.
    NewtonSp,
    /// Weakest preconditions of what the core needs.
    NewtonWp,
    /// Cubes that can be reached from the beginning, generalised by cores.
    MbiForward,
    /// Cubes that can reach the end, blocked from the beginning and generalised by cores.
    MbiBackward,
    /// Z3's engine for Horn clauses.
    Spacer,
    /// Another program that interpolates.
    Smtlib(String),
}

impl Strategy {
    /// Every strategy that needs nothing but Z3, in the order in which `Auto` tries them.
    pub const BUILT_IN: [Strategy; 6] = [
        Strategy::Atoms,
        Strategy::NewtonWp,
        Strategy::MbiBackward,
        Strategy::NewtonSp,
        Strategy::MbiForward,
        Strategy::Spacer,
    ];
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strategy::Auto => "auto",
            Strategy::Atoms => "atoms",
            Strategy::NewtonSp => "newton-sp",
            Strategy::NewtonWp => "newton-wp",
            Strategy::MbiForward => "mbi-forward",
            Strategy::MbiBackward => "mbi-backward",
            Strategy::Spacer => "spacer",
            Strategy::Smtlib(command) => return write!(f, "smtlib:{command}"),
        })
    }
}

/// No strategy has this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownStrategy(pub String);

impl fmt::Display for UnknownStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no interpolation strategy `{}`; there are auto", self.0)?;
        Strategy::BUILT_IN.iter().try_for_each(|strategy| write!(f, ", {strategy}"))?;
        f.write_str(" and smtlib:COMMAND")
    }
}

impl std::error::Error for UnknownStrategy {}

impl FromStr for Strategy {
    type Err = UnknownStrategy;
    fn from_str(text: &str) -> Result<Self, UnknownStrategy> {
        if let Some(command) = text.strip_prefix("smtlib:") {
            return Ok(Strategy::Smtlib(command.to_owned()));
        }
        let name = text.to_ascii_lowercase().replace('_', "-");
        let all = Strategy::BUILT_IN.into_iter().chain([Strategy::Auto]);
        all.into_iter()
            .find(|strategy| strategy.to_string() == name)
            .ok_or_else(|| UnknownStrategy(text.to_owned()))
    }
}

/// A sequence with the way it was found.
#[derive(Clone, Debug)]
pub struct Interpolants {
    /// For every cut, a formula over *now*.
    pub sequence: Vec<Term>,
    /// The strategy that found them.
    pub by: Strategy,
    /// Those that were tried before and why they failed.
    pub failed: Vec<Attempt>,
}

/// A strategy that did not succeed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// Which.
    pub strategy: Strategy,
    /// Why.
    pub reason: Interrupt,
}

/// Why there are no interpolants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoInterpolants {
    /// The trace can be executed.
    Feasible,
    /// Every strategy failed.
    Failed(Vec<Attempt>),
    /// Everything should stop.
    Interrupt(Interrupt),
}

impl fmt::Display for NoInterpolants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoInterpolants::Feasible => f.write_str("the trace can be executed"),
            NoInterpolants::Failed(attempts) => {
                f.write_str("no strategy found interpolants")?;
                attempts
                    .iter()
                    .try_for_each(|attempt| write!(f, "; {}: {}", attempt.strategy, attempt.reason))
            }
            NoInterpolants::Interrupt(interrupt) => interrupt.fmt(f),
        }
    }
}

impl std::error::Error for NoInterpolants {}

impl From<Interrupt> for NoInterpolants {
    fn from(interrupt: Interrupt) -> Self {
        NoInterpolants::Interrupt(interrupt)
    }
}

/// What explains infeasible traces.
pub trait Interpolator {
    /// Interpolants for every cut of a trace.
    fn sequence(&mut self, terms: &mut Terms, trace: &Trace) -> Result<Interpolants, NoInterpolants>;
    /// A formula over what `a` and `b` share (variables at steps) that `a` implies and that excludes
    /// `b`.
    fn binary(&mut self, terms: &mut Terms, a: Term, b: Term) -> Result<Term, NoInterpolants>;
}

/// The interpolator on top of Z3.
pub struct Interpolation {
    solver: Z3Solver,
    strategy: Strategy,
    ranges: FxHashMap<VarId, (Int, Int)>,
    /// How much work a strategy may ask of one check when others are left to try.
    pub budget: u32,
}

/// Enough for a check that is not hard.
const BUDGET: u32 = 2_000_000;

impl Interpolation {
    /// An interpolator that uses siblings of `solver`.
    pub fn new(solver: &Z3Solver, strategy: Strategy) -> Result<Self, Interrupt> {
        let solver = solver.sibling()?;
        Ok(Interpolation { solver, strategy, ranges: FxHashMap::default(), budget: BUDGET })
    }
    /// Says that `var` lies within `range` at every step.
    pub fn declare(&mut self, var: VarId, range: Option<(Int, Int)>) {
        self.solver.declare(var, range.clone());
        match range {
            Some(range) => self.ranges.insert(var, range),
            None => self.ranges.remove(&var),
        };
    }

    /// Interpolants over variables at steps, for each of the formulas' cuts.
    fn raw(
        &mut self,
        terms: &mut Terms,
        formulas: &[Term],
        cuts: Option<&[Steps]>,
    ) -> Result<(Vec<Term>, Strategy, Vec<Attempt>), NoInterpolants> {
        let formulas: Vec<Term> = formulas.iter().map(|formula| self.with_bounds(terms, *formula)).collect();
        let original = Problem::new(terms, formulas, cuts);
        let sliced = if let Strategy::Smtlib(_) = self.strategy {
            None
        } else {
            let mut solver = self.solver.sibling()?;
            let formulas =
                slice::slice(&mut solver, terms, &original.formulas)?.ok_or(NoInterpolants::Feasible)?;
            Some(Problem::new(terms, formulas, cuts))
        };
        let problem = sliced.as_ref().unwrap_or(&original);
        let chosen = match &self.strategy {
            Strategy::Auto => Strategy::BUILT_IN.to_vec(),
            one => vec![one.clone()],
        };
        let mut failed = vec![];
        for (at, strategy) in chosen.iter().enumerate() {
            let last = at + 1 == chosen.len();
            match self.attempt(terms, problem, strategy, if last { None } else { Some(self.budget) }) {
                Ok(sequence) => return Ok((sequence, strategy.clone(), failed)),
                Err(reason) if reason.is_final() => return Err(NoInterpolants::Interrupt(reason)),
                Err(reason) => failed.push(Attempt { strategy: strategy.clone(), reason }),
            }
        }
        Err(NoInterpolants::Failed(failed))
    }
    fn attempt(
        &mut self,
        terms: &mut Terms,
        problem: &Problem,
        strategy: &Strategy,
        budget: Option<u32>,
    ) -> Result<Vec<Term>, Interrupt> {
        let solver = || -> Result<Z3Solver, Interrupt> {
            let mut solver = self.solver.sibling()?;
            solver.bound_work(budget);
            Ok(solver)
        };
        match strategy {
            Strategy::Auto => unreachable!("resolved by the caller"),
            Strategy::Atoms => atoms::atoms(&mut solver()?, terms, problem),
            Strategy::NewtonSp => newton::forwards(terms, problem),
            Strategy::NewtonWp => newton::backwards(terms, problem),
            Strategy::MbiBackward => mbi::mbi(&mut solver()?, terms, problem),
            Strategy::MbiForward => {
                // The trace read from its end is infeasible for the negated reasons.
                let mirrored = mbi::mbi(&mut solver()?, terms, &problem.mirrored())?;
                Ok(mirrored.into_iter().rev().map(|term| terms.not(term)).collect())
            }
            Strategy::Spacer => spacer::spacer(&mut solver()?, terms, problem, budget),
            Strategy::Smtlib(_) => Err(Interrupt::Unsupported("interpolation over a pipe".into())),
        }
    }
    /// `formula` with the ranges of its variables.
    fn with_bounds(&self, terms: &mut Terms, formula: Term) -> Term {
        let mut parts = vec![formula];
        for (var, step) in crate::trace::instances(terms, formula) {
            if let Some((least, greatest)) = self.ranges.get(&var) {
                let value = terms.var_at(var, step);
                let least = terms.constant(ir::Value::Int(least.clone()));
                let greatest = terms.constant(ir::Value::Int(greatest.clone()));
                parts.push(terms.le(least, value));
                parts.push(terms.le(value, greatest));
            } else if terms.var_type(var) == ir::Type::Clock {
                let (zero, value) = (terms.int(0), terms.var_at(var, step));
                parts.push(terms.le(zero, value));
            }
        }
        terms.and(parts)
    }
}

impl Interpolator for Interpolation {
    fn sequence(&mut self, terms: &mut Terms, trace: &Trace) -> Result<Interpolants, NoInterpolants> {
        let formulas: Vec<Term> = trace.parts().iter().map(|part| part.formula).collect();
        let (raw, by, failed) = self.raw(terms, &formulas, Some(trace.cuts()))?;
        let sequence: Vec<Term> =
            raw.into_iter().zip(trace.cuts()).map(|(term, cut)| to_now(terms, term, cut)).collect();
        if cfg!(debug_assertions)
            && let Err(flaw) = crate::verify(&self.solver, terms, trace, &sequence)
            && !matches!(flaw, crate::Flaw::Unknown(_))
        {
            panic!("{by} found a wrong sequence: {flaw}");
        }
        Ok(Interpolants { sequence, by, failed })
    }
    fn binary(&mut self, terms: &mut Terms, a: Term, b: Term) -> Result<Term, NoInterpolants> {
        Ok(self.raw(terms, &[a, b], None)?.0[1])
    }
}

/// The formulas to interpolate, with what occurs on both sides of each cut.
pub(crate) struct Problem {
    formulas: Vec<Term>,
    shared: Vec<FxHashSet<Instance>>,
    /// Where the cuts are, if the formulas come from a trace.
    cuts: Option<Vec<Steps>>,
}

impl Problem {
    fn new(terms: &Terms, formulas: Vec<Term>, cuts: Option<&[Steps]>) -> Self {
        let shared = shared(terms, &formulas);
        Problem { formulas, shared, cuts: cuts.map(<[Steps]>::to_vec) }
    }
    fn mirrored(&self) -> Problem {
        Problem {
            formulas: self.formulas.iter().rev().copied().collect(),
            shared: self.shared.iter().rev().cloned().collect(),
            cuts: None,
        }
    }
}

/// `term`, over variables at the steps of a cut, as a formula over now.
fn to_now(terms: &mut Terms, term: Term, cut: &Steps) -> Term {
    terms.rewrite(term, &mut |terms, t| match *terms.node(t) {
        Node::Var(var, step) if step == cut.of(var) => Some(terms.var(var)),
        _ => None,
    })
}
