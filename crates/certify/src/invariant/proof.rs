//! Proofs by a solver: an obligation as a formula that must have no model.
//!
//! The values that the premise fixes are put into everything, so that the statement shrinks, often to
//! nothing, and equal questions are equal terms. What is left is asked in three parts, each behind a
//! literal of its own: premise, execution, and the negation of the goals. The solver lives long and
//! knows the parts it has seen; with the arena, it is renewed before they grow too much.

use ir::{Node, Steps, Stmt, System, Term, Terms, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::z3::Z3Solver;
use smt::{Answer, Interrupt, Limits, Lit, Solver, Theory};

use super::watch::Watch;
use super::{Plan, literal};

/// How an obligation was shown.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Shown {
    /// Its formula became `false` when it was made.
    Folded,
    /// The same formula had been shown before.
    Remembered,
    /// The solver says so.
    Solved,
}

/// Why an obligation was not shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// It does not hold.
    Wrong,
    /// Somebody asked to stop.
    Stopped,
    /// The statement has no formula: a loop has no bounds that are known, delays having been spelled out.
    NoFormula,
    /// The solver does not know.
    Solver(Interrupt),
}

/// A solver and an arena of its own.
pub struct Proof<'a> {
    plan: &'a Plan<'a>,
    watch: &'a Watch<'a>,
    work: Option<Work>,
}

/// What is renewed from time to time.
struct Work {
    terms: Terms,
    solver: Z3Solver,
    imported: FxHashMap<Term, Term>,
    guards: FxHashMap<Term, Lit>,
    shown: FxHashSet<[Term; 3]>,
}

/// The work of a question about integers before bits are tried, in the unit of the solver: some seconds.
const WORK: u32 = 50_000_000;
/// A solver with more parts than this is renewed.
const PARTS: usize = 400;
/// So is an arena that has grown by more terms than this.
const GROWTH: usize = 2_000_000;

impl<'a> Proof<'a> {
    /// Nothing shown yet.
    pub fn new(plan: &'a Plan<'a>, watch: &'a Watch<'a>) -> Self {
        Proof { plan, watch, work: None }
    }
    /// Shows that from the states where all of `premise` holds, every execution of `stmt` ends in one of
    /// `goals`; these are terms of the certificate.
    pub fn holds(&mut self, premise: &[Term], stmt: Stmt, goals: &[Term]) -> Result<Shown, Trouble> {
        let full = |work: &Work| {
            work.guards.len() > PARTS || work.terms.len() > self.plan.system.terms.len() + GROWTH
        };
        if self.work.as_ref().is_none_or(full) {
            self.work = None;
            self.work = Some(Work::new(&self.plan.system, self.watch).map_err(|why| self.explain(why))?);
        }
        let work = self.work.as_mut().expect("just made");
        let parts = match work.question(self.plan, premise, stmt, goals)? {
            None => return Ok(Shown::Folded),
            Some(parts) if work.shown.contains(&parts) => return Ok(Shown::Remembered),
            Some(parts) => parts,
        };
        let answer = match work.ask(parts) {
            Err(Interrupt::Budget | Interrupt::Unknown(_)) if !self.watch.stopped() => {
                work.ask_again(&self.plan.system, parts, self.watch)
            }
            answer => answer,
        };
        match answer {
            Ok(Answer::Unsat) => {
                work.shown.insert(parts);
                Ok(Shown::Solved)
            }
            Ok(Answer::Sat) => Err(Trouble::Wrong),
            Err(why) => Err(self.explain(why)),
        }
    }
    fn explain(&self, why: Interrupt) -> Trouble {
        if self.watch.stopped() { Trouble::Stopped } else { Trouble::Solver(why) }
    }
}

impl Work {
    fn new(base: &System, watch: &Watch<'_>) -> Result<Self, Interrupt> {
        let mut solver = Z3Solver::new()?;
        solver.limit(Limits { deadline: None, work: Some(WORK) });
        watch.solver(solver.interrupter());
        for (var, variable) in base.vars.entries() {
            solver.declare(var, variable.range.clone());
        }
        Ok(Work {
            terms: base.terms.clone(),
            solver,
            imported: FxHashMap::default(),
            guards: FxHashMap::default(),
            shown: FxHashSet::default(),
        })
    }
    /// Premise, execution and missed goals, which must not hold together; `None` if they plainly do not.
    fn question(
        &mut self,
        plan: &Plan<'_>,
        premise: &[Term],
        stmt: Stmt,
        goals: &[Term],
    ) -> Result<Option<[Term; 3]>, Trouble> {
        let from = &plan.invariant.terms;
        let goal = self.goal(plan, premise, stmt, goals);
        let mut known = FxHashMap::default();
        let mut parts = vec![];
        for part in premise {
            match literal(from, *part, true) {
                Some((var, value)) if !plan.system.admits(var, &value) => return Ok(None),
                Some((var, value)) if !known.contains_key(&var) => {
                    let value = self.terms.constant(value);
                    known.insert(var, value);
                }
                _ => parts.push(import(&mut self.terms, &mut self.imported, from, *part)),
            }
        }
        let premise = self.terms.and(parts);
        let premise = self.terms.substitute(premise, &known);
        let mut after = known.clone();
        let stmt = ir::simplify(&mut self.terms, stmt, &mut after);
        if self.terms.is_block(stmt) || is_false(&self.terms, premise) {
            return Ok(None);
        }
        let goal = self.terms.substitute(goal, &after);
        let missed = self.terms.not(goal);
        if is_false(&self.terms, missed) {
            return Ok(None);
        }
        let stmt = plan.without_delays(&mut self.terms, stmt);
        let mut steps = Steps::start();
        let execution = ir::unfold(&mut self.terms, stmt, &mut steps).map_err(|_| Trouble::NoFormula)?;
        let execution = self.terms.substitute(execution, &known);
        let missed = steps.apply(&mut self.terms, missed);
        let missed = self.terms.substitute(missed, &known);
        let parts = [premise, execution, missed];
        // Together they may be `false` where none of them is.
        let all = self.terms.and(parts);
        Ok((!is_false(&self.terms, all)).then_some(parts))
    }
    /// One of the goals. Parts of an only goal need no proof if the premise has them and the statement
    /// changes none of their variables: what they say before it, they say after it. Delays change clocks
    /// without naming them, so timed systems are proved as a whole.
    fn goal(&mut self, plan: &Plan<'_>, premise: &[Term], stmt: Stmt, goals: &[Term]) -> Term {
        let from = &plan.invariant.terms;
        if let ([goal], None) = (goals, plan.elapsed)
            && let Node::And(parts) = from.node(*goal)
        {
            let premise: FxHashSet<Term> = premise.iter().copied().collect();
            let written = self.terms.written_by(stmt);
            let mut left = vec![];
            for part in parts {
                let untouched = || from.vars_of(*part).iter().all(|var| written.binary_search(var).is_err());
                if !premise.contains(part) || !untouched() {
                    left.push(import(&mut self.terms, &mut self.imported, from, *part));
                }
            }
            return self.terms.and(left);
        }
        let goals: Vec<Term> =
            goals.iter().map(|goal| import(&mut self.terms, &mut self.imported, from, *goal)).collect();
        self.terms.or(goals)
    }
    /// The same about vectors of bits, if that can be asked; else about integers once more, for as long as it takes.
    fn ask_again(&mut self, base: &System, parts: [Term; 3], watch: &Watch<'_>) -> Result<Answer, Interrupt> {
        let mut solver = Z3Solver::of(Theory::Bits)?;
        solver.limit(Limits { deadline: None, work: Some(4 * WORK) });
        watch.solver(solver.interrupter());
        for (var, variable) in base.vars.entries() {
            solver.declare(var, variable.range.clone());
        }
        let asserted = parts.iter().try_for_each(|part| solver.assert(&self.terms, *part, &Steps::start()));
        let answer = asserted.and_then(|()| solver.check(&[]));
        watch.solver(self.solver.interrupter());
        if answer.is_ok() || watch.stopped() {
            return answer;
        }
        self.solver.limit(Limits::default());
        let answer = self.ask(parts);
        self.solver.limit(Limits { deadline: None, work: Some(WORK) });
        answer
    }
    fn ask(&mut self, parts: [Term; 3]) -> Result<Answer, Interrupt> {
        let mut assumptions = Vec::with_capacity(parts.len());
        for part in parts {
            if self.terms.as_const(part) == Some(&Value::Bool(true)) {
                continue;
            }
            let guard = match self.guards.get(&part) {
                Some(guard) => *guard,
                None => {
                    let guard = self.solver.activation()?;
                    self.solver.assert_if(&self.terms, guard, part, &Steps::start())?;
                    self.guards.insert(part, guard);
                    guard
                }
            };
            assumptions.push(guard);
        }
        self.solver.check(&assumptions)
    }
}

/// A formula of the certificate in another arena, which has the same variables.
pub fn import(terms: &mut Terms, done: &mut FxHashMap<Term, Term>, from: &Terms, term: Term) -> Term {
    if let Some(known) = done.get(&term) {
        return *known;
    }
    let copy = terms.import(from, term, &mut |terms, var: VarId| terms.var(var));
    done.insert(term, copy);
    copy
}

fn is_false(terms: &Terms, term: Term) -> bool {
    matches!(terms.node(term), Node::Const(Value::Bool(false)))
}
