//! Simplification of statements under a partial valuation.
//!
//! Known values are carried forwards through a statement: they are put into terms, conditions that
//! become constant cut their dead branch, and loops whose bounds or conditions are known are
//! unrolled. What is left has exactly the executions of the original from every state that agrees
//! with the valuation. After a branching, only what both sides agree on is still known; before a
//! loop that stays, everything its body writes is forgotten.

use rustc_hash::FxHashMap;

use crate::number::Int;
use crate::stmt::{Stmt, StmtNode};
use crate::term::{Node, Term, Terms, VarId};
use crate::value::{Type, Value};

/// The known values: constant terms.
pub type Valuation = FxHashMap<VarId, Term>;

/// How many iterations one call may unroll before it leaves loops as they are.
const UNROLL_LIMIT: usize = 10_000;

/// Simplifies `stmt` under `known`, which afterwards holds what is known after it.
///
/// A blocked statement leaves `known` unspecified: nothing comes after it.
pub fn simplify(terms: &mut Terms, stmt: Stmt, known: &mut Valuation) -> Stmt {
    let mut simplifier = Simplifier { terms, unrolled: 0 };
    simplifier.stmt(stmt, known)
}

struct Simplifier<'a> {
    terms: &'a mut Terms,
    unrolled: usize,
}

impl Simplifier<'_> {
    fn stmt(&mut self, stmt: Stmt, known: &mut Valuation) -> Stmt {
        crate::deep(|| self.stmt_node(stmt, known))
    }

    fn stmt_node(&mut self, stmt: Stmt, known: &mut Valuation) -> Stmt {
        match self.terms.stmt(stmt).clone() {
            StmtNode::Skip => stmt,
            StmtNode::Delay => {
                let terms = &*self.terms;
                known.retain(|var, _| terms.var_type(*var) != Type::Clock);
                stmt
            }
            StmtNode::Assume(condition) => {
                let condition = self.terms.substitute(condition, known);
                self.learn(condition, known);
                self.terms.assume(condition)
            }
            StmtNode::Assign(var, value) => {
                let value = self.terms.substitute(value, known);
                match self.terms.as_const(value) {
                    Some(_) => known.insert(var, value),
                    None => known.remove(&var),
                };
                self.terms.assign(var, value)
            }
            StmtNode::Havoc(var) => {
                known.remove(&var);
                stmt
            }
            StmtNode::Seq(list) => {
                let mut parts = Vec::with_capacity(list.len());
                for part in list {
                    let part = self.stmt(part, known);
                    parts.push(part);
                    if self.terms.is_block(part) {
                        break;
                    }
                }
                self.terms.seq(parts)
            }
            StmtNode::Choice(list) => {
                let mut after: Option<Valuation> = None;
                let mut parts = Vec::with_capacity(list.len());
                for part in list {
                    let mut here = known.clone();
                    let part = self.stmt(part, &mut here);
                    if !self.terms.is_block(part) {
                        join(&mut after, here);
                        parts.push(part);
                    }
                }
                *known = after.unwrap_or_default();
                self.terms.choice(parts)
            }
            StmtNode::If(condition, then, otherwise) => {
                let condition = self.terms.substitute(condition, known);
                match self.terms.as_const(condition) {
                    Some(Value::Bool(true)) => return self.stmt(then, known),
                    Some(_) => return self.stmt(otherwise, known),
                    None => {}
                }
                let negation = self.terms.not(condition);
                let mut after = None;
                let mut sides = [then, otherwise];
                for (side, holds) in sides.iter_mut().zip([condition, negation]) {
                    let mut here = known.clone();
                    self.learn(holds, &mut here);
                    *side = self.stmt(*side, &mut here);
                    if !self.terms.is_block(*side) {
                        join(&mut after, here);
                    }
                }
                *known = after.unwrap_or_default();
                self.terms.branch(condition, sides[0], sides[1])
            }
            StmtNode::For { var, from, to, body } => {
                let from = self.terms.substitute(from, known);
                let to = self.terms.substitute(to, known);
                self.for_loop(var, from, to, body, known)
            }
            StmtNode::While(condition, body) => self.while_loop(condition, body, known),
        }
    }

    fn for_loop(&mut self, var: VarId, from: Term, to: Term, body: Stmt, known: &mut Valuation) -> Stmt {
        if let (Some(Value::Int(first)), Some(Value::Int(end))) =
            (self.terms.as_const(from), self.terms.as_const(to))
        {
            if first >= end {
                return self.terms.skip();
            }
            let count = (end - first).to_i64().and_then(|count| usize::try_from(count).ok());
            if count.is_some_and(|count| self.unrolled.saturating_add(count) <= UNROLL_LIMIT) {
                let (mut next, end) = (first.clone(), end.clone());
                let mut parts = vec![];
                while next < end {
                    self.unrolled += 1;
                    let value = self.terms.constant(Value::Int(next.clone()));
                    known.insert(var, value);
                    parts.push(self.terms.assign(var, value));
                    let part = self.stmt(body, known);
                    parts.push(part);
                    if self.terms.is_block(part) {
                        break;
                    }
                    next = &next + &Int::ONE;
                }
                return self.terms.seq(parts);
            }
        }
        known.remove(&var);
        let body = self.repeated(body, known);
        self.terms.for_loop(var, from, to, body)
    }

    fn while_loop(&mut self, condition: Term, body: Stmt, known: &mut Valuation) -> Stmt {
        let mut parts = vec![];
        loop {
            let now = self.terms.substitute(condition, known);
            match self.terms.as_const(now) {
                Some(Value::Bool(false)) => return self.terms.seq(parts),
                Some(_) if self.unrolled < UNROLL_LIMIT => {
                    self.unrolled += 1;
                    let part = self.stmt(body, known);
                    parts.push(part);
                    if self.terms.is_block(part) {
                        return self.terms.seq(parts);
                    }
                }
                _ => break,
            }
        }
        let body = self.repeated(body, known);
        // Not under the values of the first round: the condition is evaluated again in every one.
        let condition = self.terms.substitute(condition, known);
        parts.push(self.terms.while_loop(condition, body));
        self.terms.seq(parts)
    }

    /// The body of a loop that stays: forgets what it writes, before it and after it.
    fn repeated(&mut self, body: Stmt, known: &mut Valuation) -> Stmt {
        for var in self.terms.written_by(body) {
            known.remove(&var);
        }
        let has_delay = {
            let mut found = false;
            self.terms.for_each_substmt(body, |s| found |= *self.terms.stmt(s) == StmtNode::Delay);
            found
        };
        if has_delay {
            let terms = &*self.terms;
            known.retain(|var, _| terms.var_type(*var) != Type::Clock);
        }
        self.stmt(body, &mut known.clone())
    }

    /// What a condition that holds tells about single variables.
    fn learn(&mut self, condition: Term, known: &mut Valuation) {
        let parts: Vec<Term> = match self.terms.node(condition) {
            Node::And(list) => list.to_vec(),
            _ => vec![condition],
        };
        for part in parts {
            let (var, value) = match *self.terms.node(part) {
                Node::Var(var, 0) => (var, self.terms.bool(true)),
                Node::Not(inner) => match *self.terms.node(inner) {
                    Node::Var(var, 0) => (var, self.terms.bool(false)),
                    _ => continue,
                },
                Node::Eq(a, b) if self.terms.as_const(b).is_some() => match *self.terms.node(a) {
                    // A clock keeps its value as a rational; a constraint compares it with an integer.
                    Node::Var(var, 0) if self.terms.var_type(var) == self.terms.type_of(b) => (var, b),
                    _ => continue,
                },
                _ => continue,
            };
            known.insert(var, value);
        }
    }
}

/// Keeps what both sides know.
fn join(after: &mut Option<Valuation>, here: Valuation) {
    match after {
        None => *after = Some(here),
        Some(known) => known.retain(|var, value| here.get(var) == Some(value)),
    }
}
