//! Hash-consed statements: what an edge does, as one atomic step.
//!
//! A statement relates states to states. `assume` blocks where its condition fails, and a blocked
//! part blocks the whole; `choice` offers the branches that are not blocked; `havoc` gives a variable
//! any value of its type and range; `delay` lets the same amount of time pass for every clock. Loops
//! evaluate their bounds once, the upper bound is exclusive.
//!
//! Normal form: sequences and choices are flat (but for very long parts) with at least two parts, sequences
//! contain no `skip`, and a part that can never pass is `assume false`, which swallows the sequence around
//! it; a conditional with such a side is an assumption.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::id::Id;
use crate::term::{FLAT, Term, Terms, VarId};
use crate::value::Value;

crate::id!(
    /// A statement.
    Stmt
);

/// What a statement is made of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum StmtNode {
    /// Does nothing.
    Skip,
    /// Passes only where the condition holds.
    Assume(Term),
    /// Gives a variable the value of a term; resets a clock.
    Assign(VarId, Term),
    /// Gives a variable any value of its type and range.
    Havoc(VarId),
    /// Lets time pass: all clocks grow by the same non-negative amount.
    Delay,
    /// One after the other.
    Seq(Box<[Stmt]>),
    /// Exactly one of them.
    Choice(Box<[Stmt]>),
    /// By condition.
    If(Term, Stmt, Stmt),
    /// For every integer from the first bound (inclusive) to the second (exclusive).
    For {
        /// The loop variable, of local scope.
        var: VarId,
        /// First value.
        from: Term,
        /// First value that is not taken.
        to: Term,
        /// What is done for each value.
        body: Stmt,
    },
    /// As long as the condition holds.
    While(Term, Stmt),
}

impl StmtNode {
    /// Calls `visit` on every direct sub-statement, in order.
    pub fn for_each_child(&self, mut visit: impl FnMut(Stmt)) {
        match self {
            StmtNode::Skip
            | StmtNode::Assume(_)
            | StmtNode::Assign(..)
            | StmtNode::Havoc(_)
            | StmtNode::Delay => {}
            StmtNode::Seq(list) | StmtNode::Choice(list) => list.iter().copied().for_each(visit),
            StmtNode::If(_, a, b) => {
                visit(*a);
                visit(*b);
            }
            StmtNode::For { body, .. } | StmtNode::While(_, body) => visit(*body),
        }
    }
    /// Calls `visit` on every term that stands directly in this statement.
    pub fn for_each_term(&self, mut visit: impl FnMut(Term)) {
        match self {
            StmtNode::Assume(term)
            | StmtNode::Assign(_, term)
            | StmtNode::If(term, ..)
            | StmtNode::While(term, _) => visit(*term),
            StmtNode::For { from, to, .. } => {
                visit(*from);
                visit(*to);
            }
            StmtNode::Skip
            | StmtNode::Havoc(_)
            | StmtNode::Delay
            | StmtNode::Seq(_)
            | StmtNode::Choice(_) => {}
        }
    }
    /// The variable this statement itself may change, if it is one.
    pub fn written(&self) -> Option<VarId> {
        match self {
            StmtNode::Assign(var, _) | StmtNode::Havoc(var) | StmtNode::For { var, .. } => Some(*var),
            _ => None,
        }
    }
}

/// The statements of an arena.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stmts {
    nodes: IndexSet<StmtNode, FxBuildHasher>,
}

impl Terms {
    /// What `stmt` is made of.
    pub fn stmt(&self, stmt: Stmt) -> &StmtNode {
        &self.stmts.nodes[stmt.index()]
    }
    fn intern_stmt(&mut self, node: StmtNode) -> Stmt {
        Stmt::at(self.stmts.nodes.insert_full(node).0)
    }
    /// Does nothing.
    pub fn skip(&mut self) -> Stmt {
        self.intern_stmt(StmtNode::Skip)
    }
    /// Passes only where `condition` holds.
    pub fn assume(&mut self, condition: Term) -> Stmt {
        match self.as_const(condition) {
            Some(Value::Bool(true)) => self.skip(),
            _ => self.intern_stmt(StmtNode::Assume(condition)),
        }
    }
    /// Never passes.
    pub fn block(&mut self) -> Stmt {
        let never = self.bool(false);
        self.assume(never)
    }
    /// Whether `stmt` is the statement that never passes.
    pub fn is_block(&self, stmt: Stmt) -> bool {
        matches!(self.stmt(stmt), StmtNode::Assume(condition) if self.as_const(*condition).is_some())
    }
    /// `var := value`.
    pub fn assign(&mut self, var: VarId, value: Term) -> Stmt {
        self.intern_stmt(StmtNode::Assign(var, value))
    }
    /// Any value for `var`.
    pub fn havoc(&mut self, var: VarId) -> Stmt {
        self.intern_stmt(StmtNode::Havoc(var))
    }
    /// Time passes.
    pub fn delay(&mut self) -> Stmt {
        self.intern_stmt(StmtNode::Delay)
    }
    /// One statement after the other.
    pub fn seq(&mut self, list: impl IntoIterator<Item = Stmt>) -> Stmt {
        let mut parts = Vec::new();
        for stmt in list {
            match self.stmt(stmt) {
                StmtNode::Skip => {}
                StmtNode::Seq(inner) if inner.len() <= FLAT => parts.extend_from_slice(inner),
                StmtNode::Assume(_) if self.is_block(stmt) => return stmt,
                _ => parts.push(stmt),
            }
        }
        match parts.len() {
            0 => self.skip(),
            1 => parts[0],
            _ => self.intern_stmt(StmtNode::Seq(parts.into())),
        }
    }
    /// One of the statements; repeated and blocked branches are dropped.
    pub fn choice(&mut self, list: impl IntoIterator<Item = Stmt>) -> Stmt {
        let mut parts = Vec::new();
        let mut seen = FxHashSet::default();
        for stmt in list {
            let flat = match self.stmt(stmt) {
                StmtNode::Choice(inner) if inner.len() <= FLAT => inner.to_vec(),
                _ => vec![stmt],
            };
            parts.extend(flat.into_iter().filter(|part| !self.is_block(*part) && seen.insert(*part)));
        }
        match parts.len() {
            0 => self.block(),
            1 => parts[0],
            _ => self.intern_stmt(StmtNode::Choice(parts.into())),
        }
    }
    /// `then` where `condition` holds, `otherwise` elsewhere.
    pub fn branch(&mut self, condition: Term, then: Stmt, otherwise: Stmt) -> Stmt {
        match self.as_const(condition) {
            Some(Value::Bool(true)) => then,
            Some(_) => otherwise,
            None if then == otherwise => then,
            None if self.is_block(otherwise) => {
                let assume = self.assume(condition);
                self.seq([assume, then])
            }
            None if self.is_block(then) => {
                let negation = self.not(condition);
                let assume = self.assume(negation);
                self.seq([assume, otherwise])
            }
            None => self.intern_stmt(StmtNode::If(condition, then, otherwise)),
        }
    }
    /// `body` for every `var` from `from` to just below `to`.
    pub fn for_loop(&mut self, var: VarId, from: Term, to: Term, body: Stmt) -> Stmt {
        self.intern_stmt(StmtNode::For { var, from, to, body })
    }
    /// `body` as long as `condition` holds.
    pub fn while_loop(&mut self, condition: Term, body: Stmt) -> Stmt {
        match self.as_const(condition) {
            Some(Value::Bool(false)) => self.skip(),
            _ => self.intern_stmt(StmtNode::While(condition, body)),
        }
    }
    /// Calls `visit` once on every distinct sub-statement of `stmt`, innermost first.
    pub fn for_each_substmt(&self, stmt: Stmt, visit: impl FnMut(Stmt)) {
        let mut seen = FxHashSet::default();
        let mut stack = vec![stmt];
        let mut order = vec![];
        while let Some(next) = stack.pop() {
            if seen.insert(next) {
                order.push(next);
                self.stmt(next).for_each_child(|child| stack.push(child));
            }
        }
        order.sort_unstable();
        order.into_iter().for_each(visit);
    }
    /// The variables that `stmt` may change, sorted; a delay counts for no variable.
    pub fn written_by(&self, stmt: Stmt) -> Vec<VarId> {
        let mut vars = vec![];
        self.for_each_substmt(stmt, |s| vars.extend(self.stmt(s).written()));
        vars.sort_unstable();
        vars.dedup();
        vars
    }
}
