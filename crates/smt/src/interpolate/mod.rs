//! Interpolants: why a trace cannot be executed, cut by cut.
//!
//! A sequence I_0 = true, I_1, …, I_n = false with `I_i and part_i imply I_{i+1}` over the variables
//! that occur on both sides of a cut. Z3 offers none, so there are several ways here, each with its own
//! strength, and [`Strategy::Auto`], which tries them in order and keeps the reason of each failure.
//!
//! The fast ones look at one part at a time (`path`). Others begin with a check of the whole trace and
//! weaken its parts to those conjuncts and branches that the core needs (`slice`); interpolants of weaker
//! parts are interpolants of the trace. Those of the [`Newton`] family execute the parts as they are or as
//! they are left by that.

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

use ir::{Int, Node, Steps, Stmt, Term, Terms, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::interrupt::Interrupt;
use crate::solver::{Answer, Solver};
use crate::trace::{Trace, instances, shared};
use crate::verify::{Flaw, Vocabulary, verify, verify_over};
use crate::z3::{Instance, Z3Solver};

/// A way to interpolants.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Strategy {
    /// The others in order, until one succeeds within its budget.
    #[default]
    Auto,
    /// Conjunctions of atoms of the trace. If there is no other strategy to try, also of the atoms of
    /// their weakest preconditions along it.
    Atoms,
    /// Strongest postconditions of what the core needs, over live variables.
    NewtonSp,
    /// Weakest preconditions of the statements, over live variables; of what the core needs where a part
    /// is no statement.
    NewtonWp,
    /// Strongest postconditions or weakest preconditions of any kind.
    Newton(Newton),
    /// Cubes that can be reached from the beginning, generalised by cores.
    MbiForward,
    /// Cubes that can reach the end, blocked from the beginning and generalised by cores.
    MbiBackward,
    /// Z3's engine for Horn clauses. The only one whose answers to the same question may differ.
    Spacer,
    /// Another program that interpolates.
    Smtlib(String),
}

/// A way to execute a trace by formulas.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Newton {
    /// From the beginning or from the end.
    pub direction: Direction,
    /// Whether only what the core needs of each part is executed, or all of it.
    pub core: bool,
    /// Whether variables that do not live at a cut are projected away there. If not, the sequence may
    /// speak of all variables, and its formulas are no interpolants, but they refute the trace as well.
    pub live: bool,
}

/// A direction along a trace.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Strongest postconditions.
    Forwards,
    /// Weakest preconditions.
    Backwards,
}

impl Newton {
    /// All kinds.
    pub const ALL: [Newton; 8] = {
        use Direction::{Backwards, Forwards};
        [
            Newton { direction: Forwards, core: false, live: false },
            Newton { direction: Forwards, core: false, live: true },
            Newton { direction: Forwards, core: true, live: false },
            Newton { direction: Forwards, core: true, live: true },
            Newton { direction: Backwards, core: false, live: false },
            Newton { direction: Backwards, core: false, live: true },
            Newton { direction: Backwards, core: true, live: false },
            Newton { direction: Backwards, core: true, live: true },
        ]
    };
}

/// `newton-plain-sp`, `newton-sp-lv`, `newton-it-sp`, `newton-it-sp-lv`, and the same with `wp`.
impl fmt::Display for Newton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match (self.core, self.live) {
            (true, _) => "it-",
            (false, true) => "",
            (false, false) => "plain-",
        };
        let direction = match self.direction {
            Direction::Forwards => "sp",
            Direction::Backwards => "wp",
        };
        write!(f, "newton-{kind}{direction}{}", if self.live { "-lv" } else { "" })
    }
}

impl Strategy {
    /// What the formulas of this strategy may speak of.
    pub fn vocabulary(&self) -> Vocabulary {
        match self {
            Strategy::Newton(Newton { live: false, .. }) => Vocabulary::All,
            _ => Vocabulary::Shared,
        }
    }
    /// Every strategy with a name of its own.
    fn named() -> impl Iterator<Item = Strategy> {
        let newton = Newton::ALL.into_iter().map(Strategy::Newton);
        [Strategy::Auto].into_iter().chain(Strategy::BUILT_IN).chain(newton)
    }
    /// The strategies that `Auto` tries, in its order; they need nothing but Z3.
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
            Strategy::Newton(newton) => return newton.fmt(f),
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
        write!(f, "there is no interpolation strategy `{}`; there are ", self.0)?;
        Strategy::named().try_for_each(|strategy| write!(f, "{strategy}, "))?;
        f.write_str("and smtlib:COMMAND")
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
        Strategy::named()
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
    /// The variables that cuts may speak of, if not all.
    state: Option<FxHashSet<VarId>>,
    /// Variables that stand for others at a step.
    stand_ins: FxHashMap<Instance, VarId>,
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
            state: None,
            stand_ins: FxHashMap::default(),
            deadline: None,
            budget: BUDGET,
        })
    }
    /// Says that `var` lies within `range` at every step, to all siblings of the solver.
    pub fn declare(&mut self, var: VarId, range: Option<(Int, Int)>) {
        self.solver.declare(var, range);
        // They may have been told otherwise.
        self.locals = path::Locals::default();
    }
    /// Says that only these variables live from one part of a trace to the next, so that no formula
    /// speaks of others where it might speak of all ([`Vocabulary::All`]).
    pub fn set_state(&mut self, vars: impl IntoIterator<Item = VarId>) {
        self.state = Some(vars.into_iter().collect());
    }
    /// Whether cuts may speak of a variable.
    fn is_state(&self, var: VarId) -> bool {
        self.state.as_ref().is_none_or(|state| state.contains(&var))
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
                Strategy::NewtonSp => {
                    let newton = Newton { direction: Direction::Forwards, core: true, live: true };
                    self.newton(terms, &mut slice, trace, newton, budget)
                }
                Strategy::NewtonWp => {
                    let core = trace.parts().iter().any(|part| part.stmt.is_none());
                    let newton = Newton { direction: Direction::Backwards, core, live: true };
                    self.newton(terms, &mut slice, trace, newton, budget)
                }
                Strategy::Newton(newton) => self.newton(terms, &mut slice, trace, *newton, budget),
                Strategy::Spacer => self.spacer(terms, &mut slice, trace, budget),
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
        // Some strategies only find that they do not get on where there is nothing to explain.
        match self.is_feasible(terms, &formulas) {
            Ok(true) => Err(NoInterpolants::Feasible),
            Err(interrupt) if interrupt.is_final() => Err(interrupt.into()),
            _ => Err(NoInterpolants::Failed(failed)),
        }
    }
    /// Whether these formulas can hold together.
    fn is_feasible(&self, terms: &Terms, formulas: &[Term]) -> Result<bool, Interrupt> {
        let mut solver = self.solver.sibling()?;
        solver.bound_work(Some(self.budget));
        for formula in formulas {
            solver.assert(terms, *formula, &Steps::start())?;
        }
        Ok(solver.check(&[])? == Answer::Sat)
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
            Strategy::MbiBackward => mbi::mbi(terms, &mut path, facts, usize::MAX),
            Strategy::MbiForward => {
                // The trace read from its end is infeasible for the negated reasons.
                let formulas: Vec<Term> = trace.parts().iter().map(|part| part.formula).collect();
                let endless = |var: &VarId| match terms.var_type(*var) {
                    Type::Array(id) => {
                        let array = terms.types.array_type(id);
                        array.range.is_none() && terms.types.cardinality(array.index).is_none()
                    }
                    _ => false,
                };
                let most = match terms.vars_of_all(formulas).iter().any(endless) {
                    true => mbi::ENDLESS_MODELS,
                    false => usize::MAX,
                };
                let sequence = mbi::mbi(terms, &mut path, &[], most)?;
                Ok(sequence.into_iter().rev().map(|term| terms.not(term)).collect())
            }
            _ => unreachable!("the others look at the whole trace"),
        }
    }
    /// A sequence over now by executing the trace.
    fn newton(
        &mut self,
        terms: &mut Terms,
        slice: &mut Option<Problem>,
        trace: &Trace,
        newton: Newton,
        budget: Option<u32>,
    ) -> Result<Vec<Term>, NoInterpolants> {
        let formulas: Vec<Term> = trace.parts().iter().map(|part| part.formula).collect();
        let stmts: Option<Vec<Stmt>> = trace.parts().iter().map(|part| part.stmt).collect();
        let sequence = match (newton.direction, stmts) {
            (Direction::Backwards, Some(stmts)) if !newton.core => {
                let shared = shared(terms, &formulas);
                newton::weakest_preconditions(terms, &stmts, &|cut, var| match newton.live {
                    true => shared[cut].contains(&(var, trace.cuts()[cut].of(var))),
                    false => self.is_state(var),
                })?
            }
            (direction, _) => {
                let whole;
                let problem = if newton.core {
                    self.sliced(terms, slice, &formulas, budget)?
                } else {
                    let formulas = formulas.iter().map(|formula| self.with_bounds(terms, *formula)).collect();
                    whole = Problem::new(terms, formulas);
                    &whole
                };
                if newton.core
                    && let Some(sequence) = problem.one_part(terms)
                {
                    return Ok(sequence);
                }
                let keep = |cut: usize, (var, step): Instance| match newton.live {
                    true => problem.shared[cut].contains(&(var, step)),
                    false => step == trace.cuts()[cut].of(var) && self.is_state(var),
                };
                let raw = match direction {
                    Direction::Forwards => newton::forwards(terms, &problem.formulas, &keep)?,
                    Direction::Backwards => newton::backwards(terms, &problem.formulas, &keep)?,
                };
                raw.into_iter().zip(trace.cuts()).map(|(term, cut)| to_now(terms, term, cut)).collect()
            }
        };
        Ok(self.with_ends(terms, sequence)?)
    }
    /// A sequence from `true` to `false`, if its ends are nothing else.
    fn with_ends(&self, terms: &mut Terms, mut sequence: Vec<Term>) -> Result<Vec<Term>, Interrupt> {
        let last = sequence.len() - 1;
        self.require_valid(terms, sequence[0])?;
        let nothing = terms.not(sequence[last]);
        self.require_valid(terms, nothing)?;
        (sequence[0], sequence[last]) = (terms.bool(true), terms.bool(false));
        Ok(sequence)
    }
    /// Interpolants over now by the engine for Horn clauses.
    fn spacer(
        &mut self,
        terms: &mut Terms,
        slice: &mut Option<Problem>,
        trace: &Trace,
        budget: Option<u32>,
    ) -> Result<Vec<Term>, NoInterpolants> {
        let formulas: Vec<Term> = trace.parts().iter().map(|part| part.formula).collect();
        let problem = self.sliced(terms, slice, &formulas, budget)?;
        if let Some(sequence) = problem.one_part(terms) {
            return Ok(sequence);
        }
        let mut solver = self.solver.unlimited_sibling()?;
        let raw = spacer::spacer(&mut solver, terms, problem, budget)?;
        Ok(raw.into_iter().zip(trace.cuts()).map(|(term, cut)| to_now(terms, term, cut)).collect())
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
            Answer::Sat => Err(Interrupt::Unknown("not every execution is excluded".into())),
        }
    }
    /// What the infeasibility of these formulas needs of them, worked out once.
    fn sliced<'a>(
        &self,
        terms: &mut Terms,
        sliced: &'a mut Option<Problem>,
        formulas: &[Term],
        budget: Option<u32>,
    ) -> Result<&'a Problem, NoInterpolants> {
        if sliced.is_none() {
            // Limits of variables are part of the formulas, so that what is needed of them is kept.
            let formulas: Vec<Term> =
                formulas.iter().map(|formula| self.with_bounds(terms, *formula)).collect();
            let mut solver = self.solver.unlimited_sibling()?;
            solver.bound_work(budget);
            let formulas = slice::slice(&mut solver, terms, &formulas)?.ok_or(NoInterpolants::Feasible)?;
            *sliced = Some(Problem::new(terms, formulas));
        }
        Ok(sliced.as_ref().expect("just set"))
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
            && let Err(flaw) = verify_over(&self.solver, terms, trace, sequence, by.vocabulary())
            && !matches!(flaw, Flaw::Unknown(_))
        {
            panic!("{by} found a wrong sequence: {flaw}");
        }
    }
    /// `formula` with the ranges of its variables.
    fn with_bounds(&self, terms: &mut Terms, formula: Term) -> Term {
        let mut parts = vec![formula];
        for (var, step) in crate::trace::instances(terms, formula) {
            let range = self.solver.translator.borrow().range(var).cloned();
            if let Some((least, greatest)) = range {
                let value = terms.var_at(var, step);
                let least = terms.constant(ir::Value::Int(least));
                let greatest = terms.constant(ir::Value::Int(greatest));
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
        let (trace, stand_ins) = self.two_parts(terms, a, b);
        let found = self.sequence(terms, &trace)?;
        // Both are over now, but for what stands for something else.
        Ok(terms.rewrite(found.sequence[1], &mut |terms, t| match *terms.node(t) {
            Node::Var(var, 0) => stand_ins.get(&var).map(|(var, step)| terms.var_at(*var, *step)),
            _ => None,
        }))
    }
}

impl Interpolation {
    /// The trace of two formulas, and what the variables mean that were not in them.
    ///
    /// A cut speaks of one step of each variable, and the formulas may share several. So variables of
    /// their own stand for what is shared, except at step 0, where the cut is.
    fn two_parts(&mut self, terms: &mut Terms, a: Term, b: Term) -> (Trace, FxHashMap<VarId, Instance>) {
        let (mut by_instance, mut by_var) = (FxHashMap::default(), FxHashMap::default());
        let in_b = instances(terms, b);
        for instance in instances(terms, a) {
            if instance.1 == 0 || in_b.binary_search(&instance).is_err() {
                continue;
            }
            let stand_in = match self.stand_ins.get(&instance) {
                Some(known) => *known,
                None => {
                    let stand_in = terms.declare(terms.var_type(instance.0));
                    self.stand_ins.insert(instance, stand_in);
                    stand_in
                }
            };
            let range = self.solver.translator.borrow().range(instance.0).cloned();
            self.declare(stand_in, range);
            by_instance.insert(instance, stand_in);
            by_var.insert(stand_in, instance);
        }
        let mut trace = Trace::new();
        for formula in [a, b] {
            let formula = terms.rewrite(formula, &mut |terms, t| match *terms.node(t) {
                Node::Var(var, step) => by_instance.get(&(var, step)).map(|stand_in| terms.var(*stand_in)),
                _ => None,
            });
            trace.push_formula(formula, Steps::start());
        }
        (trace, by_var)
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

#[cfg(test)]
mod tests {
    use ir::Type;

    use super::*;

    /// A sequence that does not go from everything to nothing refutes nothing, however it came about.
    #[test]
    fn ends_are_not_made_up() {
        let solver = Z3Solver::new().unwrap();
        let interpolation = Interpolation::new(&solver, Strategy::NewtonSp).unwrap();
        let mut terms = Terms::new();
        let x = terms.declare(Type::Int);
        let (x, zero, yes, no) = (terms.var(x), terms.int(0), terms.bool(true), terms.bool(false));
        let above = terms.lt(zero, x);
        let below = terms.le(x, zero);
        let any = terms.or([above, below]);
        let never = terms.and([above, below]);
        for (first, last, right) in [
            (yes, no, true),
            (any, never, true),
            (above, no, false),
            (yes, above, false),
            (yes, yes, false),
            (no, no, false),
        ] {
            let result = interpolation.with_ends(&mut terms, vec![first, above, last]);
            match result {
                Ok(sequence) => assert!(right && sequence == [yes, above, no]),
                Err(interrupt) => assert!(!right && matches!(interrupt, Interrupt::Unknown(_))),
            }
        }
    }
}
