//! What every step of abstraction refinement needs: the system, solvers, and statements with their
//! formulas, each worked out once.
//!
//! A statement is simplified under what an abstract state knows before anything else is done with it.
//! Most of a statechart's step is decided once its control variables are known, so few different
//! statements are left, and everything below is kept by them.

use std::cell::Cell;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::rc::Rc;
use std::time::Duration;

use ir::{Id, Int, NamedVar, Scope, Steps, Stmt, StmtNode, System, Term, Terms, Valuation, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::z3::Z3Solver;
use smt::{Answer, Interpolation, Interrupt, Limits, Lit, Solver, Strategy};

use crate::answer::Reason;
use crate::cause::{SolverFailure, Unsupported};
use crate::cegar::affine::{Bound, Bounds, bound};
use crate::cegar::paths::{End, paths};
use crate::stop::{CALL, Stop};

/// What is known of single variables: constants, sorted by variable.
pub type Known = Box<[(VarId, Term)]>;

/// The tools of one search.
pub struct Cx<'a> {
    /// The system, in an arena of the search's own.
    pub system: System,
    /// A solver for questions about states; questions about statements have their own.
    pub solver: Z3Solver,
    /// Explains traces.
    pub interpolation: Interpolation,
    /// How many traces have been explained.
    pub refutations: usize,
    /// How many of them not in the way that was asked for.
    pub replaced: u64,
    /// Whether what they have in common with their end explains them rather than what they begin with.
    pub from_the_end: bool,
    /// How many questions solvers may be asked.
    pub call_limit: Option<u64>,
    /// How many of them were noted as work.
    paid: Cell<u64>,
    /// Whether to stop.
    pub stop: &'a Stop,
    frames: Frames,
    occurring: FxHashMap<Stmt, Rc<[VarId]>>,
    statements: FxHashMap<Stmt, Rc<Statement>>,
    simplified: FxHashMap<(Stmt, Known), (Stmt, Stmt)>,
    possible: FxHashMap<Term, bool>,
    /// What atoms say of single symbols, where that is all they do.
    bounds: FxHashMap<Term, Option<(Term, Bound)>>,
    /// Questions that `solver` has had to keep something of.
    kept: usize,
}

/// What is known of a simplified statement.
pub struct Statement {
    /// The variables that it reads or writes, sorted.
    pub vars: Rc<[VarId]>,
    /// The variables that it may change, sorted.
    pub written: Box<[VarId]>,
    /// Its executions, if they are few.
    pub ends: Option<Box<[End]>>,
    /// What it does, as a formula.
    pub formula: Term,
    /// The steps of the variables after the formula.
    pub after: Steps,
}

/// A statement with more executions than this is left to the solver.
const MOST_PATHS: usize = 2048;
/// Every question leaves definitions in its solver, which all later ones carry along.
const QUESTIONS: usize = 1024;

impl<'a> Cx<'a> {
    /// Tools for a search in `system`.
    pub fn new(
        system: System,
        strategy: Strategy,
        work: Option<u32>,
        stop: &'a Stop,
    ) -> Result<Self, Reason> {
        let mut solver = Z3Solver::new()?;
        // All others are siblings of this one.
        solver.limit(Limits { deadline: None, work });
        let mut interpolation = Interpolation::new(&solver, strategy)?;
        for (var, variable) in system.vars.entries() {
            solver.declare(var, variable.range.clone());
            interpolation.declare(var, variable.range.clone());
        }
        // What does not live between steps is no part of a state, so nothing is to be tracked of it.
        interpolation.set_state(system.state_vars());
        Ok(Cx {
            system,
            solver,
            interpolation,
            refutations: 0,
            replaced: 0,
            from_the_end: false,
            call_limit: None,
            paid: Cell::new(0),
            stop,
            frames: Frames::default(),
            occurring: FxHashMap::default(),
            statements: FxHashMap::default(),
            simplified: FxHashMap::default(),
            possible: FxHashMap::default(),
            bounds: FxHashMap::default(),
            kept: 0,
        })
    }
    /// The arena.
    pub fn terms(&mut self) -> &mut Terms {
        &mut self.system.terms
    }
    /// Fails if somebody asked to stop, or enough has been asked.
    pub fn go_on(&self) -> Result<(), Reason> {
        let asked = self.solver_work().0;
        self.stop.spend((asked - self.paid.replace(asked)) * CALL);
        if self.stop.requested() {
            return Err(self.stop.reason());
        }
        match self.call_limit {
            Some(limit) if self.solver_work().0 >= limit => Err(Reason::Calls(limit)),
            _ => Ok(()),
        }
    }
    /// How many more questions may be asked.
    pub fn calls_left(&self) -> u64 {
        self.call_limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.solver_work().0))
    }
    /// Makes ready for a question to [`Cx::solver`]; literals of earlier ones are forgotten now and then.
    pub fn renew(&mut self) -> Result<(), Reason> {
        self.kept += 1;
        if self.kept == QUESTIONS {
            self.kept = 0;
            self.solver = self.solver.sibling()?;
        }
        Ok(())
    }
    /// Questions to solvers so far, and the time they took.
    pub fn solver_work(&self) -> (u64, Duration) {
        self.solver.work()
    }
    /// Whether a variable lives between steps.
    pub fn is_state_var(&self, var: VarId) -> bool {
        var.index() < self.system.vars.len() && self.system.vars[var].scope == Scope::State
    }

    /// The variables that occur in a statement, sorted.
    pub fn occurring(&mut self, stmt: Stmt) -> Rc<[VarId]> {
        if let Some(known) = self.occurring.get(&stmt) {
            return known.clone();
        }
        let vars = occurring(&self.system.terms, stmt);
        remember(&mut self.occurring, stmt, vars.clone());
        vars
    }
    /// `stmt` under what is known before it, which it says once more as far as it still matters.
    pub fn simplify(&mut self, stmt: Stmt, known: &[(VarId, Term)]) -> Stmt {
        self.simplified(stmt, known).0
    }
    /// `stmt` under what is known before it, for states where that holds.
    pub fn simplify_within(&mut self, stmt: Stmt, known: &[(VarId, Term)]) -> Stmt {
        self.simplified(stmt, known).1
    }
    fn simplified(&mut self, stmt: Stmt, known: &[(VarId, Term)]) -> (Stmt, Stmt) {
        let vars = self.occurring(stmt);
        let relevant: Known =
            known.iter().filter(|(var, _)| vars.binary_search(var).is_ok()).copied().collect();
        let key = (stmt, relevant);
        if let Some(done) = self.simplified.get(&key) {
            return *done;
        }
        let terms = &mut self.system.terms;
        let mut valuation: Valuation = key.1.iter().copied().collect();
        let within = ir::simplify(terms, stmt, &mut valuation);
        // Where branches join, what was known before is lost.
        let mut needed = FxHashSet::default();
        read_first(terms, within, &mut FxHashSet::default(), &mut needed);
        let still = key.1.iter().filter(|(var, _)| needed.contains(var));
        let facts: Vec<Term> = still.map(|(var, value)| is(terms, *var, *value)).collect();
        let facts = terms.and(facts);
        let facts = terms.assume(facts);
        let done = (terms.seq([facts, within]), within);
        remember(&mut self.simplified, key, done);
        done
    }
    /// What is known of a simplified statement; fails if it has no formula.
    pub fn statement(&mut self, stmt: Stmt) -> Result<Rc<Statement>, Reason> {
        if let Some(known) = self.statements.get(&stmt) {
            return Ok(known.clone());
        }
        let vars = self.occurring(stmt);
        let written: Box<[VarId]> = self.system.terms.written_by(stmt).into();
        let mut after = Steps::start();
        let formula = ir::unfold(&mut self.system.terms, stmt, &mut after)
            .map_err(|part| no_formula(&self.system, part))?;
        let ends = paths(&mut self.system, stmt, MOST_PATHS, self.stop).map(Vec::into_boxed_slice);
        self.go_on()?;
        let statement = Rc::new(Statement { vars, written, ends, formula, after });
        remember(&mut self.statements, stmt, statement.clone());
        Ok(statement)
    }
    /// A solver that knows what `stmt` does wherever the literal holds.
    pub fn frame(&mut self, stmt: Stmt) -> Result<(&mut Z3Solver, Lit, &Terms), Reason> {
        let statement = self.statement(stmt)?;
        let (solver, lit) = self.frames.get(&self.solver, &self.system.terms, stmt, &statement)?;
        Ok((solver, lit, &self.system.terms))
    }
    /// Whether `term` holds anywhere.
    pub fn is_possible(&mut self, term: Term) -> Result<bool, Reason> {
        if let Some(value) = self.system.terms.as_const(term) {
            return Ok(value.as_bool());
        }
        if let Some(known) = self.possible.get(&term) {
            return Ok(*known);
        }
        if let Some(answer) = self.within_bounds(term) {
            return Ok(answer);
        }
        self.renew()?;
        let lit = self.solver.lit(&self.system.terms, term, &Steps::start())?;
        let answer = self.solver.check(&[lit])? == Answer::Sat;
        remember(&mut self.possible, term, answer);
        Ok(answer)
    }
    /// Whether a conjunction of bounds on single symbols holds anywhere; `None` if it is something else.
    fn within_bounds(&mut self, term: Term) -> Option<bool> {
        let terms = &self.system.terms;
        let parts: &[Term] = match terms.node(term) {
            ir::Node::And(parts) => parts,
            _ => std::slice::from_ref(&term),
        };
        for part in parts {
            self.bounds.entry(*part).or_insert_with(|| bound(terms, *part)).as_ref()?;
        }
        let bounds = parts.iter().filter_map(|part| self.bounds[part].as_ref());
        Some(Bounds::of(&self.system, bounds).are_compatible())
    }
    /// The bound that an atom is, if it is one.
    pub fn bound(&mut self, atom: Term) -> Option<&(Term, Bound)> {
        let terms = &self.system.terms;
        self.bounds.entry(atom).or_insert_with(|| bound(terms, atom)).as_ref()
    }
    /// What those of these facts say together that are bounds.
    pub fn bounds<'f>(&mut self, facts: impl Iterator<Item = &'f Term> + Clone) -> Bounds {
        for fact in facts.clone() {
            self.bound(*fact);
        }
        Bounds::of(&self.system, facts.filter_map(|fact| self.bounds[fact].as_ref()))
    }
    /// Leaves out facts that follow from others about the same symbol.
    pub fn tighten(&mut self, facts: &mut Vec<Term>) {
        let mut tightest: FxHashMap<(Term, bool), (Int, Term)> = FxHashMap::default();
        let mut kept = vec![];
        for fact in facts.drain(..) {
            let (side, value) = match self.bound(fact) {
                Some((symbol, Bound::Least(value))) => ((*symbol, false), value.clone()),
                Some((symbol, Bound::Most(value))) => ((*symbol, true), -value),
                _ => {
                    kept.push(fact);
                    continue;
                }
            };
            match tightest.entry(side) {
                Entry::Occupied(mut entry) if entry.get().0 < value => drop(entry.insert((value, fact))),
                Entry::Occupied(_) => {}
                Entry::Vacant(entry) => drop(entry.insert((value, fact))),
            }
        }
        kept.extend(tightest.into_values().map(|(_, fact)| fact));
        kept.sort_unstable();
        *facts = kept;
    }
}

/// How much is remembered of one kind. What is needed again is soon there again, and a search through
/// millions of states does not keep them all.
const REMEMBERED: usize = 1 << 15;

/// Keeps an answer for the next time.
pub fn remember<K: Eq + Hash, V>(map: &mut FxHashMap<K, V>, question: K, answer: V) {
    if map.len() >= REMEMBERED {
        map.clear();
    }
    map.insert(question, answer);
}

/// The facts that say something of `vars`, directly or through others; sorted.
pub fn relevant(terms: &Terms, vars: &[VarId], facts: &[Term]) -> Vec<Term> {
    let mut reached: FxHashSet<VarId> = vars.iter().copied().collect();
    let mut open: Vec<(Term, Vec<VarId>)> = facts.iter().map(|fact| (*fact, terms.vars_of(*fact))).collect();
    let mut list = vec![];
    loop {
        let before = open.len();
        open.retain(|(fact, vars)| {
            let touches = vars.iter().any(|var| reached.contains(var));
            if touches {
                list.push(*fact);
                reached.extend(vars.iter());
            }
            !touches
        });
        if open.len() == before {
            break;
        }
    }
    list.sort_unstable();
    list
}

/// The variables that occur in a statement, sorted.
fn occurring(terms: &Terms, stmt: Stmt) -> Rc<[VarId]> {
    let mut vars = read(terms, stmt);
    vars.extend(terms.written_by(stmt));
    vars.sort_unstable();
    vars.dedup();
    vars.into()
}

/// The variables that a statement may read, sorted.
fn read(terms: &Terms, stmt: Stmt) -> Vec<VarId> {
    let mut list = vec![];
    terms.for_each_substmt(stmt, |part| terms.stmt(part).for_each_term(|term| list.push(term)));
    list.sort_unstable();
    list.dedup();
    let mut vars: Vec<VarId> = list.into_iter().flat_map(|term| terms.vars_of(term)).collect();
    vars.sort_unstable();
    vars.dedup();
    vars
}

/// Collects the variables that may be read before they are written, given those that are `written`
/// already; those that always are afterwards are added.
fn read_first(terms: &Terms, stmt: Stmt, written: &mut FxHashSet<VarId>, needed: &mut FxHashSet<VarId>) {
    let node = terms.stmt(stmt);
    node.for_each_term(|term| {
        needed.extend(terms.vars_of(term).into_iter().filter(|var| !written.contains(var)))
    });
    ir::deep(|| match node {
        StmtNode::Seq(list) => list.iter().for_each(|part| read_first(terms, *part, written, needed)),
        StmtNode::Choice(_) | StmtNode::If(..) => {
            let mut all: Option<FxHashSet<VarId>> = None;
            node.for_each_child(|branch| {
                let mut here = written.clone();
                read_first(terms, branch, &mut here, needed);
                match &mut all {
                    None => all = Some(here),
                    Some(all) => all.retain(|var| here.contains(var)),
                }
            });
            written.extend(all.into_iter().flatten());
        }
        StmtNode::For { body, .. } | StmtNode::While(_, body) => {
            read_first(terms, *body, &mut written.clone(), needed);
        }
        _ => written.extend(node.written()),
    });
}

/// `var` has a value, as a fact.
pub fn is(terms: &mut Terms, var: VarId, value: Term) -> Term {
    let term = terms.var(var);
    match terms.as_const(value) {
        Some(Value::Bool(true)) => term,
        Some(Value::Bool(false)) => terms.not(term),
        _ => terms.eq(term, value),
    }
}

/// Why a statement has no formula, in the user's names.
pub fn no_formula(system: &System, stmt: Stmt) -> Reason {
    let terms = &system.terms;
    let mut vars: Vec<VarId> = vec![];
    terms.stmt(stmt).for_each_term(|term| vars.extend(terms.vars_of(term)));
    Unsupported::Loop { depends_on: NamedVar::shown(system, vars) }.into()
}

/// Solvers for statements.
///
/// A question about a statement should not depend on how many others there are, and a new solver costs a
/// millisecond. So a few statements share one.
#[derive(Default)]
struct Frames {
    list: Vec<Z3Solver>,
    last: usize,
    at: FxHashMap<Stmt, (u32, Lit)>,
}

/// Statements in one solver.
const SHARE: usize = 24;
/// Solvers kept.
const SOLVERS: usize = 96;

impl Frames {
    fn get(
        &mut self,
        base: &Z3Solver,
        terms: &Terms,
        stmt: Stmt,
        statement: &Statement,
    ) -> Result<(&mut Z3Solver, Lit), Interrupt> {
        if let Some((at, lit)) = self.at.get(&stmt) {
            return Ok((&mut self.list[*at as usize], *lit));
        }
        if self.list.is_empty() || self.last == SHARE {
            if self.list.len() == SOLVERS {
                self.list.clear();
                self.at.clear();
            }
            self.list.push(base.sibling()?);
            self.last = 0;
        }
        self.last += 1;
        let at = self.list.len() - 1;
        let solver = &mut self.list[at];
        let lit = solver.activation()?;
        solver.assert_if(terms, lit, statement.formula, &Steps::start())?;
        self.at.insert(stmt, (at as u32, lit));
        Ok((solver, lit))
    }
}

impl From<Interrupt> for Reason {
    fn from(interrupt: Interrupt) -> Self {
        match interrupt {
            Interrupt::Stopped => Reason::Interrupted,
            Interrupt::Time => Reason::Time,
            Interrupt::Memory => Reason::Memory,
            Interrupt::Budget => Reason::Work,
            other => Reason::Solver(SolverFailure::Interrupt(other)),
        }
    }
}
