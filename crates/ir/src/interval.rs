//! Which values of a variable can pass what follows.
//!
//! A value that nobody has chosen yet, of a type with infinitely many, can still be tried out if the conditions
//! that come next leave only finitely many: `havoc n; assume 0 < n && n < 15`. What counts are assumptions that
//! directly follow each other, and the first branching after them; wherever less is known, the interval is larger.

use crate::eval::{Env, eval, holds};
use crate::number::Int;
use crate::stmt::{Stmt, StmtNode};
use crate::term::{Node, Term, Terms, VarId};
use crate::value::Value;

/// A set of integers between two bounds; a missing bound is infinite.
#[derive(Clone, Debug)]
pub struct Interval {
    /// No value is below.
    pub least: Option<Int>,
    /// No value is above.
    pub greatest: Option<Int>,
    /// Whether there is no value at all.
    pub empty: bool,
}

impl Interval {
    /// All integers.
    pub const ALL: Interval = Interval { least: None, greatest: None, empty: false };

    /// What is in both.
    pub fn meet(self, other: Interval) -> Interval {
        let pick = |a: Option<Int>, b: Option<Int>, pick: fn(Int, Int) -> Int| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            (a, b) => a.or(b),
        };
        Interval {
            least: pick(self.least, other.least, Int::max),
            greatest: pick(self.greatest, other.greatest, Int::min),
            empty: self.empty || other.empty,
        }
    }
    /// The least interval that contains both.
    pub fn hull(self, other: Interval) -> Interval {
        if self.empty {
            return other;
        }
        if other.empty {
            return self;
        }
        Interval {
            least: self.least.zip(other.least).map(|(a, b)| a.min(b)),
            greatest: self.greatest.zip(other.greatest).map(|(a, b)| a.max(b)),
            empty: false,
        }
    }
}

/// An interval that contains every value of `var` with which `stmt` can pass, and whether what
/// follows it counts as well.
pub fn passable(terms: &Terms, env: &impl Env, var: VarId, stmt: Stmt) -> (Interval, bool) {
    let passes = |part: Stmt| crate::deep(|| passable(terms, env, var, part).0);
    match terms.stmt(stmt) {
        StmtNode::Skip => (Interval::ALL, true),
        StmtNode::Assume(condition) => (interval(terms, env, var, *condition), true),
        StmtNode::Seq(list) => passable_all(terms, env, var, list),
        StmtNode::If(condition, then, otherwise) => {
            let then = interval(terms, env, var, *condition).meet(passes(*then));
            (then.hull(passes(*otherwise)), false)
        }
        StmtNode::Choice(list) => {
            let parts = list.iter().map(|part| passes(*part));
            (parts.reduce(Interval::hull).unwrap_or(Interval::ALL), false)
        }
        _ => (Interval::ALL, false),
    }
}

/// The same for statements one after the other.
pub fn passable_all(terms: &Terms, env: &impl Env, var: VarId, list: &[Stmt]) -> (Interval, bool) {
    let mut all = Interval::ALL;
    for stmt in list {
        let (here, go_on) = crate::deep(|| passable(terms, env, var, *stmt));
        all = all.meet(here);
        if !go_on {
            return (all, false);
        }
    }
    (all, true)
}

/// An interval that contains every value of `var` for which `term` can hold.
pub fn interval(terms: &Terms, env: &impl Env, var: VarId, term: Term) -> Interval {
    let is_var = |t: Term| *terms.node(t) == Node::Var(var, 0);
    let int = |t: Term| match *eval(terms, env, t).ok()? {
        Value::Int(ref value) => Some(value.clone()),
        _ => None,
    };
    let part = |part: &Term| crate::deep(|| interval(terms, env, var, *part));
    match terms.node(term) {
        Node::And(list) => list.iter().fold(Interval::ALL, |all, next| all.meet(part(next))),
        Node::Or(list) => list.iter().map(part).reduce(Interval::hull).unwrap_or(Interval::ALL),
        Node::Eq(a, b) if is_var(*a) => Interval { least: int(*b), greatest: int(*b), empty: false },
        Node::Eq(a, b) if is_var(*b) => Interval { least: int(*a), greatest: int(*a), empty: false },
        Node::Le(a, b) if is_var(*a) => Interval { greatest: int(*b), ..Interval::ALL },
        Node::Le(a, b) if is_var(*b) => Interval { least: int(*a), ..Interval::ALL },
        Node::Lt(a, b) if is_var(*a) => {
            Interval { greatest: int(*b).map(|bound| &bound - &Int::ONE), ..Interval::ALL }
        }
        Node::Lt(a, b) if is_var(*b) => {
            Interval { least: int(*a).map(|bound| &bound + &Int::ONE), ..Interval::ALL }
        }
        _ => match holds(terms, env, term) {
            Ok(false) => Interval { empty: true, ..Interval::ALL },
            _ => Interval::ALL,
        },
    }
}
