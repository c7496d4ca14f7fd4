//! A trace one part at a time.
//!
//! Most questions about a trace concern a single part. Each distinct statement gets a solver of its own
//! that knows nothing else and is kept, so a question about a part costs microseconds however long the
//! trace is, and the statements of one system come again and again.

use ir::{Node, Steps, Stmt, Term, Terms, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::interrupt::Interrupt;
use crate::solver::{Lit, Solver};
use crate::trace::{Trace, shared};
use crate::z3::{Instance, Z3Solver};

/// A solver with this many literals is replaced by a new one.
const LITERALS: usize = 600;
/// So many solvers are kept.
const SOLVERS: usize = 1024;

/// One statement or formula with its solver.
pub struct Local {
    pub solver: Z3Solver,
    pub formula: Term,
    /// The steps of the variables before and after it.
    pub before: Steps,
    pub after: Steps,
    /// The limit of work that the solver was last given.
    budget: Option<u32>,
}

impl Local {
    /// The literal for a formula over now, before the part.
    pub fn before(&mut self, terms: &Terms, term: Term) -> Result<Lit, Interrupt> {
        self.solver.lit(terms, term, &self.before)
    }
    /// The literal for a formula over now, after the part.
    pub fn after(&mut self, terms: &Terms, term: Term) -> Result<Lit, Interrupt> {
        self.solver.lit(terms, term, &self.after)
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Stmt(Stmt),
    /// A formula with the steps of its ends, which a solver is made for as well.
    Formula(Term, Box<[Instance]>, Box<[Instance]>),
}

impl Key {
    fn of(trace: &Trace, at: usize) -> Key {
        let part = &trace.parts()[at];
        let moved = |steps: &Steps| {
            let mut moved: Vec<Instance> = steps.moved().collect();
            moved.sort_unstable();
            moved.into_boxed_slice()
        };
        match part.stmt {
            Some(stmt) => Key::Stmt(stmt),
            None => Key::Formula(part.formula, moved(&trace.cuts()[at]), moved(&trace.cuts()[at + 1])),
        }
    }
}

/// The solvers of the parts of all traces.
#[derive(Default)]
pub struct Locals {
    list: Vec<Local>,
    by_key: FxHashMap<Key, usize>,
}

/// A trace, part by part. Solvers are made when they are first needed.
pub struct Path<'a> {
    base: &'a Z3Solver,
    locals: &'a mut Locals,
    trace: &'a Trace,
    budget: Option<u32>,
    /// Where the solvers of the parts are, as far as they have been asked for.
    parts: Vec<Option<usize>>,
    pub stmts: Vec<Option<Stmt>>,
    /// The variables that each cut may speak of.
    pub shared: Vec<FxHashSet<VarId>>,
}

impl Locals {
    /// The parts of `trace`, with new solvers made as siblings of `base` where needed.
    pub fn path<'a>(
        &'a mut self,
        base: &'a Z3Solver,
        terms: &Terms,
        trace: &'a Trace,
        budget: Option<u32>,
    ) -> Path<'a> {
        if self.list.len() > SOLVERS {
            *self = Locals::default();
        }
        let formulas: Vec<Term> = trace.parts().iter().map(|part| part.formula).collect();
        let shared = shared(terms, &formulas)
            .into_iter()
            .map(|set| set.into_iter().map(|(var, _)| var).collect())
            .collect();
        let stmts = trace.parts().iter().map(|part| part.stmt).collect();
        Path { base, locals: self, trace, budget, parts: vec![None; trace.parts().len()], stmts, shared }
    }
    /// The solver of a part: the one that is there, or a new one.
    fn find(
        &mut self,
        base: &Z3Solver,
        terms: &mut Terms,
        trace: &Trace,
        at: usize,
    ) -> Result<usize, Interrupt> {
        let part = &trace.parts()[at];
        let (before, after) = (&trace.cuts()[at], &trace.cuts()[at + 1]);
        let key = Key::of(trace, at);
        let known = self.by_key.get(&key).copied();
        if let Some(known) = known
            && self.list[known].solver.lit_count() < LITERALS
        {
            return Ok(known);
        }
        let local = match part.stmt {
            Some(stmt) => {
                let mut after = Steps::start();
                let formula = ir::unfold(terms, stmt, &mut after)
                    .map_err(|_| Interrupt::Unsupported("a statement without a formula".into()))?;
                new_local(base, terms, formula, Steps::start(), after)?
            }
            None => new_local(base, terms, part.formula, before.clone(), after.clone())?,
        };
        Ok(match known {
            Some(known) => {
                self.list[known] = local;
                known
            }
            None => {
                self.by_key.insert(key, self.list.len());
                self.list.push(local);
                self.list.len() - 1
            }
        })
    }
}

fn new_local(
    base: &Z3Solver,
    terms: &Terms,
    formula: Term,
    before: Steps,
    after: Steps,
) -> Result<Local, Interrupt> {
    let mut solver = base.sibling()?;
    solver.assert(terms, formula, &Steps::start())?;
    Ok(Local { solver, formula, before, after, budget: None })
}

impl Path<'_> {
    /// Whether work on this trace has a budget.
    pub fn is_limited(&self) -> bool {
        self.budget.is_some()
    }
    /// The number of parts.
    pub fn len(&self) -> usize {
        self.parts.len()
    }
    /// What the parts do.
    pub fn formulas(&self) -> impl Iterator<Item = Term> {
        self.trace.parts().iter().map(|part| part.formula)
    }
    /// A part with its solver.
    pub fn part(&mut self, terms: &mut Terms, part: usize) -> Result<&mut Local, Interrupt> {
        let index = match self.parts[part] {
            Some(index) => index,
            None => {
                let index = self.locals.find(self.base, terms, self.trace, part)?;
                let local = &mut self.locals.list[index];
                if local.budget != self.budget {
                    local.solver.bound_work(self.budget);
                    local.budget = self.budget;
                }
                self.parts[part] = Some(index);
                index
            }
        };
        Ok(&mut self.locals.list[index])
    }
    /// Whether the cut may speak of all variables of `term`.
    pub fn allows(&self, terms: &Terms, cut: usize, term: Term) -> bool {
        terms.vars_of(term).iter().all(|var| self.shared[cut].contains(var))
    }
}

/// The atoms under the connectives of a formula, positive.
pub fn atoms_of(terms: &Terms, formula: Term) -> Vec<Term> {
    let mut result = vec![];
    let mut seen = FxHashSet::default();
    let mut stack = vec![formula];
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        match *terms.node(term) {
            Node::And(ref list) | Node::Or(ref list) => stack.extend(list.iter().rev()),
            Node::Not(inner) => stack.push(inner),
            Node::Ite(condition, a, b) => stack.extend([b, a, condition]),
            Node::Eq(a, b) if terms.type_of(a) == ir::Type::Bool => stack.extend([b, a]),
            Node::Const(_) => {}
            _ => result.push(term),
        }
    }
    result
}
