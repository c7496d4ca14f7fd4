//! Interpolants: why a trace cannot be executed, cut by cut.
//!
//! A sequence I_0 = true, I_1, …, I_n = false with `I_i and part_i imply I_{i+1}` over the variables
//! that occur on both sides of a cut. Z3 offers none, so there are several ways here, each with its own
//! strength, and [`Strategy::Auto`], which tries them in order and keeps the reason of each failure.
//!
//! The fast ones look at one part at a time (`path`). The others begin with a check of the whole trace
//! and weaken its parts to those conjuncts and branches that the core needs (`slice`); interpolants of
//! weaker parts are interpolants of the trace.

mod atoms;
mod eliminate;
mod mbi;
mod newton;
mod path;
mod pipe;
mod slice;
mod spacer;

use std::fmt;
use std::str::FromStr;
use std::time::Instant;

use ir::{Int, Node, Steps, Term, Terms, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::interrupt::Interrupt;
use crate::solver::{Answer, Solver};
use crate::trace::{Trace, shared};
use crate::verify::{Flaw, verify, verify_binary};
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
    locals: path::Locals,
    ranges: FxHashMap<VarId, (Int, Int)>,
    /// When another program must have answered.
    pub deadline: Option<Instant>,
    /// How much work a strategy may ask of one check when others are left to try.
    pub budget: u32,
}

/// Enough for a check that is not hard.
const BUDGET: u32 = 2_000_000;

impl Interpolation {
    /// An interpolator that uses siblings of `solver`.
    pub fn new(solver: &Z3Solver, strategy: Strategy) -> Result<Self, Interrupt> {
        let solver = solver.sibling()?;
        Ok(Interpolation {
            solver,
            strategy,
            locals: path::Locals::default(),
            ranges: FxHashMap::default(),
            deadline: None,
            budget: BUDGET,
        })
    }
    /// Says that `var` lies within `range` at every step.
    pub fn declare(&mut self, var: VarId, range: Option<(Int, Int)>) {
        self.solver.declare(var, range.clone());
        match range {
            Some(range) => self.ranges.insert(var, range),
            None => self.ranges.remove(&var),
        };
    }

    /// The strategy that was chosen.
    pub fn strategy(&self) -> &Strategy {
        &self.strategy
    }
    /// Interpolants for every cut of a trace by the first of these strategies that succeeds; all but the
    /// last one have a budget.
    pub fn in_order(
        &mut self,
        terms: &mut Terms,
        trace: &Trace,
        order: &[Strategy],
    ) -> Result<Interpolants, NoInterpolants> {
        let formulas: Vec<Term> = trace.parts().iter().map(|part| part.formula).collect();
        let mut slice = None;
        let mut facts = vec![];
        let mut failed = vec![];
        for (at, strategy) in order.iter().enumerate() {
            let budget = if at + 1 == order.len() { None } else { Some(self.budget) };
            let result = match strategy {
                Strategy::NewtonSp | Strategy::Spacer => {
                    let raw = self.sliced(terms, &mut slice, &formulas, strategy, budget);
                    raw.map(|raw| {
                        raw.into_iter()
                            .zip(trace.cuts())
                            .map(|(term, cut)| to_now(terms, term, cut))
                            .collect()
                    })
                }
                Strategy::Smtlib(command) => {
                    let raw = self.piped(terms, command, &formulas);
                    raw.and_then(|raw| self.trusted(terms, trace, raw))
                }
                _ => self
                    .stepwise(terms, trace, strategy, budget, order.len() == 1, &mut facts)
                    .map_err(Into::into),
            };
            match result {
                Ok(sequence) => {
                    self.assert_right(terms, trace, strategy, &sequence);
                    return Ok(Interpolants { sequence, by: strategy.clone(), failed });
                }
                Err(NoInterpolants::Interrupt(reason)) if !reason.is_final() => {
                    failed.push(Attempt { strategy: strategy.clone(), reason });
                }
                Err(other) => return Err(other),
            }
        }
        Err(NoInterpolants::Failed(failed))
    }

    /// Interpolants over now by a strategy that looks at one part at a time.
    fn stepwise(
        &mut self,
        terms: &mut Terms,
        trace: &Trace,
        strategy: &Strategy,
        budget: Option<u32>,
        alone: bool,
        facts: &mut Vec<Vec<Term>>,
    ) -> Result<Vec<Term>, Interrupt> {
        let mirrored;
        let trace = if *strategy == Strategy::MbiForward {
            mirrored = trace.mirrored();
            &mirrored
        } else {
            trace
        };
        let mut path = self.locals.path(&self.solver, terms, trace, budget);
        match strategy {
            Strategy::Atoms => atoms::atoms(terms, &mut path, alone, facts),
            Strategy::NewtonWp => {
                let mut sequence = newton::weakest_preconditions(terms, &path)?;
                self.require_valid(terms, sequence[0])?;
                sequence[0] = terms.bool(true);
                Ok(sequence)
            }
            Strategy::MbiBackward => mbi::mbi(terms, &mut path, facts),
            Strategy::MbiForward => {
                // The trace read from its end is infeasible for the negated reasons.
                let sequence = mbi::mbi(terms, &mut path, &[])?;
                Ok(sequence.into_iter().rev().map(|term| terms.not(term)).collect())
            }
            _ => unreachable!("the others need a slice"),
        }
    }
    /// Fails unless `term` holds everywhere.
    fn require_valid(&self, terms: &mut Terms, term: Term) -> Result<(), Interrupt> {
        let negation = terms.not(term);
        if terms.as_const(negation) == Some(&ir::Value::Bool(false)) {
            return Ok(());
        }
        let mut solver = self.solver.sibling()?;
        solver.bound_work(Some(self.budget));
        solver.assert(terms, negation, &Steps::start())?;
        match solver.check(&[])? {
            Answer::Unsat => Ok(()),
            Answer::Sat => Err(Interrupt::Unknown("the weakest precondition can be false".into())),
        }
    }
    /// Interpolants over variables at steps by a strategy that needs a slice.
    fn sliced(
        &mut self,
        terms: &mut Terms,
        sliced: &mut Option<Problem>,
        formulas: &[Term],
        strategy: &Strategy,
        budget: Option<u32>,
    ) -> Result<Vec<Term>, NoInterpolants> {
        // Limits of variables are part of the formulas, so that what is needed of them is kept.
        let mut solver = self.solver.unlimited_sibling()?;
        if sliced.is_none() {
            let formulas: Vec<Term> =
                formulas.iter().map(|formula| self.with_bounds(terms, *formula)).collect();
            solver.bound_work(budget);
            let formulas = slice::slice(&mut solver, terms, &formulas)?.ok_or(NoInterpolants::Feasible)?;
            *sliced = Some(Problem::new(terms, formulas));
            solver = self.solver.unlimited_sibling()?;
        }
        let problem = sliced.as_ref().expect("just set");
        if let Some(sequence) = problem.one_part(terms) {
            return Ok(sequence);
        }
        Ok(match strategy {
            Strategy::NewtonSp => newton::forwards(terms, problem),
            Strategy::NewtonWp => newton::backwards(terms, problem),
            Strategy::Spacer => spacer::spacer(&mut solver, terms, problem, budget),
            _ => unreachable!("the others go part by part"),
        }?)
    }
    /// Interpolants over variables at steps by another program, unverified.
    fn piped(
        &self,
        terms: &mut Terms,
        command: &str,
        formulas: &[Term],
    ) -> Result<Vec<Term>, NoInterpolants> {
        let bounded: Vec<Term> = formulas.iter().map(|formula| self.with_bounds(terms, *formula)).collect();
        // Whatever stops the solver, a deadline included, stops the program too.
        let stop = self.solver.context().stop();
        let unwanted = move || stop.is_requested();
        pipe::pipe(command, terms, &bounded, self.deadline, unwanted).map_err(|interrupt| {
            let interrupt = match interrupt {
                Interrupt::Stopped => self.solver.why(z3_lib::Failure::Stopped),
                other => other,
            };
            NoInterpolants::Interrupt(interrupt)
        })
    }
    /// What another program says, over now, if it is right.
    fn trusted(&self, terms: &mut Terms, trace: &Trace, raw: Vec<Term>) -> Result<Vec<Term>, NoInterpolants> {
        let sequence: Vec<Term> =
            raw.into_iter().zip(trace.cuts()).map(|(term, cut)| to_now(terms, term, cut)).collect();
        match verify(&self.solver, terms, trace, &sequence) {
            Ok(()) => Ok(sequence),
            Err(flaw) => Err(Interrupt::Unknown(format!("its interpolants are wrong: {flaw}")).into()),
        }
    }
    /// In debug builds, checks a sequence.
    fn assert_right(&self, terms: &mut Terms, trace: &Trace, by: &Strategy, sequence: &[Term]) {
        if cfg!(debug_assertions)
            && let Err(flaw) = verify(&self.solver, terms, trace, sequence)
            && !matches!(flaw, Flaw::Unknown(_))
        {
            panic!("{by} found a wrong sequence: {flaw}");
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
        let order = match &self.strategy {
            Strategy::Auto => by_shape(trace),
            one => vec![one.clone()],
        };
        self.in_order(terms, trace, &order)
    }
    fn binary(&mut self, terms: &mut Terms, a: Term, b: Term) -> Result<Term, NoInterpolants> {
        let order = match &self.strategy {
            Strategy::Auto => vec![Strategy::NewtonWp, Strategy::NewtonSp, Strategy::Spacer],
            one => vec![one.clone()],
        };
        let mut slice = None;
        let mut failed = vec![];
        for (at, strategy) in order.iter().enumerate() {
            let budget = if at + 1 == order.len() { None } else { Some(self.budget) };
            let result = match strategy {
                Strategy::NewtonSp | Strategy::NewtonWp | Strategy::Spacer => {
                    self.sliced(terms, &mut slice, &[a, b], strategy, budget)
                }
                Strategy::Smtlib(command) => {
                    let raw = self.piped(terms, command, &[a, b]);
                    raw.and_then(|raw| match verify_binary(&self.solver, terms, a, b, raw[1]) {
                        Ok(()) => Ok(raw),
                        Err(flaw) => {
                            Err(Interrupt::Unknown(format!("its interpolant is wrong: {flaw}")).into())
                        }
                    })
                }
                other => Err(Interrupt::Unsupported(format!("{other} for two formulas")).into()),
            };
            match result {
                Ok(sequence) => {
                    if cfg!(debug_assertions)
                        && let Err(flaw) = verify_binary(&self.solver, terms, a, b, sequence[1])
                        && !matches!(flaw, Flaw::Unknown(_))
                    {
                        panic!("{strategy} found a wrong interpolant: {flaw}");
                    }
                    return Ok(sequence[1]);
                }
                Err(NoInterpolants::Interrupt(reason)) if !reason.is_final() => {
                    failed.push(Attempt { strategy: strategy.clone(), reason });
                }
                Err(other) => return Err(other),
            }
        }
        Err(NoInterpolants::Failed(failed))
    }
}

/// The order in which strategies are tried.
///
/// A trace that runs through the same statements again comes from a loop. Its explanation should hold
/// for every round, and atoms do so more often than weakest preconditions, which count the rounds.
/// Without repetition, weakest preconditions are as good and cost no solver call.
fn by_shape(trace: &Trace) -> Vec<Strategy> {
    let mut order = Strategy::BUILT_IN.to_vec();
    let mut seen = FxHashSet::default();
    let again = trace.parts().iter().filter(|part| part.stmt.is_some_and(|stmt| !seen.insert(stmt))).count();
    if again * 4 < trace.parts().len() {
        order.swap(0, 1);
    }
    order
}

/// The formulas to interpolate, with what occurs on both sides of each cut.
pub(crate) struct Problem {
    formulas: Vec<Term>,
    shared: Vec<FxHashSet<Instance>>,
}

impl Problem {
    fn new(terms: &Terms, formulas: Vec<Term>) -> Self {
        let shared = shared(terms, &formulas);
        Problem { formulas, shared }
    }
    /// The interpolants if the slice is a single part, which then cannot be executed by itself.
    fn one_part(&self, terms: &mut Terms) -> Option<Vec<Term>> {
        let (yes, no) = (terms.bool(true), terms.bool(false));
        let mut needed = (0..self.formulas.len()).filter(|part| self.formulas[*part] != yes);
        let (part, None) = (needed.next()?, needed.next()) else { return None };
        Some((0..=self.formulas.len()).map(|cut| if cut <= part { yes } else { no }).collect())
    }
}

/// `term`, over variables at the steps of a cut, as a formula over now.
fn to_now(terms: &mut Terms, term: Term, cut: &Steps) -> Term {
    terms.rewrite(term, &mut |terms, t| match *terms.node(t) {
        Node::Var(var, step) if step == cut.of(var) => Some(terms.var(var)),
        _ => None,
    })
}
