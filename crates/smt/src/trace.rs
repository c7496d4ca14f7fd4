//! Traces: steps that are executed one after the other, as statements and as formulas.
//!
//! A trace of `n` parts has the cuts 0 to `n`, one before, between and after the parts. The formula of
//! part `i` relates variables at the steps of cut `i` to variables at the steps of cut `i + 1`;
//! whatever else occurs in it belongs to it alone.

use ir::{Node, Steps, Stmt, Term, Terms};
use rustc_hash::FxHashSet;

use crate::z3::Instance;

/// One step of a trace.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it does, as a formula over variables at steps.
    pub formula: Term,
    /// What it does, as a statement, if it is one.
    pub stmt: Option<Stmt>,
}

/// A sequence of steps.
#[derive(Clone, Debug)]
pub struct Trace {
    parts: Vec<Part>,
    cuts: Vec<Steps>,
}

impl Default for Trace {
    fn default() -> Self {
        Trace { parts: vec![], cuts: vec![Steps::start()] }
    }
}

impl Trace {
    /// A trace without parts.
    pub fn new() -> Self {
        Self::default()
    }
    /// The trace of these statements, or the one that has no formula.
    pub fn of(terms: &mut Terms, stmts: &[Stmt]) -> Result<Self, Stmt> {
        let mut trace = Trace::new();
        stmts.iter().try_for_each(|stmt| trace.push(terms, *stmt))?;
        Ok(trace)
    }
    /// Appends a statement; fails with the one in it that has no formula.
    pub fn push(&mut self, terms: &mut Terms, stmt: Stmt) -> Result<(), Stmt> {
        let mut steps = self.end().clone();
        let formula = ir::unfold(terms, stmt, &mut steps)?;
        self.parts.push(Part { formula, stmt: Some(stmt) });
        self.cuts.push(steps);
        Ok(())
    }
    /// Appends a formula that begins at the steps of the last cut and ends at `after`.
    pub fn push_formula(&mut self, formula: Term, after: Steps) {
        self.parts.push(Part { formula, stmt: None });
        self.cuts.push(after);
    }
    /// The parts.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
    /// The steps before, between and after the parts: one more than there are parts.
    pub fn cuts(&self) -> &[Steps] {
        &self.cuts
    }
    /// The trace read from its end; its parts are formulas.
    pub(crate) fn mirrored(&self) -> Trace {
        let parts = self.parts.iter().rev().map(|part| Part { stmt: None, ..part.clone() });
        Trace { parts: parts.collect(), cuts: self.cuts.iter().rev().cloned().collect() }
    }
    fn end(&self) -> &Steps {
        self.cuts.last().expect("there is always a cut")
    }
}

/// The variables at steps that occur in `term`, sorted.
pub(crate) fn instances(terms: &Terms, term: Term) -> Vec<Instance> {
    let mut list = vec![];
    terms.for_each_subterm(term, |t| {
        if let Node::Var(var, step) = *terms.node(t) {
            list.push((var, step));
        }
    });
    list.sort_unstable();
    list
}

/// For every cut, what occurs both before and after it.
pub(crate) fn shared(terms: &Terms, formulas: &[Term]) -> Vec<FxHashSet<Instance>> {
    let of: Vec<Vec<Instance>> = formulas.iter().map(|formula| instances(terms, *formula)).collect();
    let mut before = vec![FxHashSet::default()];
    for list in &of {
        let mut next: FxHashSet<Instance> = before.last().expect("starts with one").clone();
        next.extend(list);
        before.push(next);
    }
    let mut after = FxHashSet::default();
    let mut result = before;
    for cut in (0..result.len()).rev() {
        if let Some(list) = of.get(cut) {
            after.extend(list.iter().copied());
        }
        result[cut].retain(|instance| after.contains(instance));
    }
    result
}
