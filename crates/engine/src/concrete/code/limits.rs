//! Numbers without limits that conditions limit.
//!
//! After `havoc n`, an integer without a range is open. Where a condition asks for it while it is open, the values
//! with which this condition and the assumptions that directly follow can pass are computed as an interval, as the
//! plain interpreter does ([`ir::passable`]); if it has two ends, the values within are tried one after the other.
//! A value outside would be stopped before anything else happens. Executions are the interpreter's, if perhaps in
//! another order where several numbers are open.
//!
//! An interval takes three temporaries: its least value, its greatest one, each open if there is none, and whether
//! it is empty. Bounds are computed before their turn, so only terms count whose value is always defined.

use ir::{Id, Node, Scope, Stmt, StmtNode, System, Term, Type, Value, VarId};

use super::{Compiler, Label};
use crate::concrete::op::{Op, Slot};
use crate::concrete::word::OPEN;

/// How far ahead is looked.
const FAR: usize = 64;

/// Which variables of a system may be open when somebody reads them.
#[derive(Clone, Debug, Default)]
pub(super) struct Openness {
    open: Vec<bool>,
}

impl Openness {
    /// Without clocks, the plain interpreter takes over wherever something is open.
    pub(super) fn new(system: &System) -> Self {
        if system.timed().is_none() {
            return Openness::default();
        }
        let mut open: Vec<bool> = system.vars.iter().map(|variable| variable.scope == Scope::State).collect();
        for (var, _) in &system.initial {
            open[var.index()] = false;
        }
        for edge in system.processes.iter().flat_map(|process| process.edges.iter()) {
            for stmt in [Some(edge.update.stmt), edge.update.fault].into_iter().flatten() {
                system.terms.for_each_substmt(stmt, |part| {
                    if let StmtNode::Havoc(var) = system.terms.stmt(part) {
                        open[var.index()] = true;
                    }
                });
            }
        }
        Openness { open }
    }
    /// Whether the system has clocks.
    pub(super) fn is_timed(&self) -> bool {
        !self.open.is_empty()
    }
    pub(super) fn may_be_open(&self, var: VarId) -> bool {
        self.open.get(var.index()).is_some_and(|open| *open)
    }
}

/// What the text says of an interval: which ends it may have, and whether it may be empty.
#[derive(Copy, Clone, Default)]
struct Ends {
    least: bool,
    greatest: bool,
    empty: bool,
}

impl Ends {
    fn meet(self, other: Ends) -> Ends {
        Ends {
            least: self.least || other.least,
            greatest: self.greatest || other.greatest,
            empty: self.empty || other.empty,
        }
    }
    fn hull(self, other: Ends) -> Ends {
        let both = |has: fn(Ends) -> bool| {
            (has(self) || self.empty) && (has(other) || other.empty) && (has(self) || has(other))
        };
        Ends {
            least: both(|ends| ends.least),
            greatest: both(|ends| ends.greatest),
            empty: self.empty && other.empty,
        }
    }
}

/// A comparison of a variable with something else.
struct Comparison {
    bound: Term,
    /// What is added to the bound where it is the least value, and where it is the greatest.
    least: Option<i32>,
    greatest: Option<i32>,
}

impl<'a> Compiler<'a> {
    /// Tries all values for numbers that `condition`, which `stmt` begins with, asks for, if they are open and
    /// what follows limits them.
    pub(super) fn limit(&mut self, stmt: Stmt, condition: Term) -> Option<()> {
        let system = self.system;
        if !self.slots.openness.is_timed() {
            return Some(());
        }
        let mut vars = system.terms.vars_of(condition);
        vars.retain(|var| {
            let unlimited = system.terms.var_type(*var) == Type::Int && system.vars[*var].range.is_none();
            unlimited && self.slots.openness.may_be_open(*var)
        });
        if vars.is_empty() {
            return Some(());
        }
        let follows = self.follows(stmt);
        vars.retain(|var| {
            let ends = follows.iter().fold(Ends::default(), |all, part| all.meet(self.ends(*var, *part)));
            ends.least && ends.greatest
        });
        // The limits of one may depend on another.
        for _ in 0..vars.len() {
            for var in &vars {
                let (end, slot, free) = (self.label(), self.slots.of(*var), self.free);
                self.emit(Op::JumpOpen { slot, when: false, to: end.0 });
                let all = self.interval();
                for part in &follows {
                    let here = self.interval();
                    self.passes(*var, *part, here)?;
                    self.emit(Op::Meet { to: all, with: here });
                }
                self.emit(Op::Between { slot, interval: all });
                self.bind(end);
                self.free = free;
            }
        }
        Some(())
    }
    /// A statement and those after it that count, the last of which may branch.
    fn follows(&self, stmt: Stmt) -> Vec<Stmt> {
        let terms = &self.system.terms;
        let (mut list, mut rest) = (vec![], vec![stmt]);
        let mut later = self.after.iter().rev();
        while list.len() < FAR {
            let Some(next) = rest.pop() else {
                match later.next() {
                    Some(Some(more)) => rest.extend(more.iter().rev()),
                    _ => break,
                }
                continue;
            };
            match terms.stmt(next) {
                StmtNode::Skip => {}
                StmtNode::Seq(parts) => rest.extend(parts.iter().rev()),
                StmtNode::Assume(_) => list.push(next),
                StmtNode::If(..) | StmtNode::Choice(_) => {
                    list.push(next);
                    break;
                }
                _ => break,
            }
        }
        list
    }
    /// The parts of a sequence that pass or stop an execution by themselves, and what comes then.
    fn beginning(&self, list: &'a [Stmt]) -> impl Iterator<Item = Stmt> + use<'a> {
        let terms = &self.system.terms;
        let mut go_on = true;
        list.iter().copied().take_while(move |part| {
            let counts = go_on;
            go_on &= matches!(terms.stmt(*part), StmtNode::Skip | StmtNode::Assume(_));
            counts
        })
    }
    /// Three temporaries for an interval that has everything.
    fn interval(&mut self) -> Slot {
        let [to, _, _] = [self.fresh(), self.fresh(), self.fresh()];
        self.emit(Op::All { to });
        to
    }

    /// Which ends the values of `var` may have that pass `stmt`.
    fn ends(&self, var: VarId, stmt: Stmt) -> Ends {
        let passes = |part: Stmt| ir::deep(|| self.ends(var, part));
        match self.system.terms.stmt(stmt) {
            StmtNode::Assume(condition) => self.ends_of(var, *condition),
            StmtNode::Seq(list) => {
                self.beginning(list).fold(Ends::default(), |all, part| all.meet(passes(part)))
            }
            StmtNode::If(condition, then, otherwise) => {
                self.ends_of(var, *condition).meet(passes(*then)).hull(passes(*otherwise))
            }
            StmtNode::Choice(list) => {
                list.iter().map(|part| passes(*part)).reduce(Ends::hull).unwrap_or_default()
            }
            _ => Ends::default(),
        }
    }
    fn ends_of(&self, var: VarId, term: Term) -> Ends {
        let terms = &self.system.terms;
        let part = |part: &Term| ir::deep(|| self.ends_of(var, *part));
        match terms.node(term) {
            Node::And(list) => list.iter().map(part).fold(Ends::default(), Ends::meet),
            Node::Or(list) => list.iter().map(part).reduce(Ends::hull).unwrap_or_default(),
            _ => match self.comparison(var, term) {
                Some(comparison) => Ends {
                    least: comparison.least.is_some(),
                    greatest: comparison.greatest.is_some(),
                    empty: false,
                },
                None => Ends { empty: self.is_plain(var, term), ..Ends::default() },
            },
        }
    }
    /// `var` compared with what is always defined.
    fn comparison(&self, var: VarId, term: Term) -> Option<Comparison> {
        let terms = &self.system.terms;
        let (Node::Eq(a, b) | Node::Le(a, b) | Node::Lt(a, b)) = *terms.node(term) else { return None };
        let is_var = |t: Term| *terms.node(t) == Node::Var(var, 0);
        let (below, bound) = match (is_var(a), is_var(b)) {
            (true, false) => (true, b),
            (false, true) => (false, a),
            _ => return None,
        };
        if terms.type_of(bound) != Type::Int || !self.is_plain(var, bound) {
            return None;
        }
        let (least, greatest) = match (terms.node(term), below) {
            (Node::Eq(..), _) => (Some(0), Some(0)),
            (Node::Le(..), true) => (None, Some(0)),
            (Node::Le(..), false) => (Some(0), None),
            (_, true) => (None, Some(-1)),
            (_, false) => (Some(1), None),
        };
        Some(Comparison { bound, least, greatest })
    }
    /// Whether a term has nothing to do with `var` and clocks, and a value whatever its variables are.
    fn is_plain(&self, var: VarId, term: Term) -> bool {
        let terms = &self.system.terms;
        let mut plain = true;
        terms.for_each_subterm(term, |part| {
            let simple = matches!(terms.type_of(part), Type::Bool | Type::Int | Type::Enum(_));
            plain &= simple
                && match terms.node(part) {
                    Node::Var(other, step) => *other != var && *step == 0,
                    Node::Div(..) | Node::Mod(..) | Node::Rem(..) | Node::Read(..) | Node::Mul(_) => false,
                    Node::Const(Value::Int(number)) => {
                        number.to_i64().is_some_and(|n| i32::try_from(n).is_ok())
                    }
                    _ => true,
                };
        });
        plain
    }

    /// Puts the values of `var` that can pass `stmt` into the interval `to`, which has everything.
    fn passes(&mut self, var: VarId, stmt: Stmt, to: Slot) -> Option<()> {
        ir::deep(|| match self.system.terms.stmt(stmt) {
            StmtNode::Assume(condition) => self.holds(var, *condition, to),
            StmtNode::Seq(list) => {
                self.beginning(list).collect::<Vec<_>>().into_iter().try_for_each(|part| {
                    let here = self.interval();
                    self.passes(var, part, here)?;
                    self.emit(Op::Meet { to, with: here });
                    Some(())
                })
            }
            StmtNode::If(condition, then, otherwise) => {
                self.holds(var, *condition, to)?;
                let here = self.interval();
                self.passes(var, *then, here)?;
                self.emit(Op::Meet { to, with: here });
                self.or(var, *otherwise, to)
            }
            StmtNode::Choice(list) => {
                let Some((first, others)) = list.split_first() else { return Some(()) };
                self.passes(var, *first, to)?;
                others.iter().try_for_each(|other| self.or(var, *other, to))
            }
            _ => Some(()),
        })
    }
    /// Adds the values that can pass another statement.
    fn or(&mut self, var: VarId, stmt: Stmt, to: Slot) -> Option<()> {
        let here = self.interval();
        self.passes(var, stmt, here)?;
        self.emit(Op::Hull { to, with: here });
        Some(())
    }
    /// Puts the values of `var` for which `term` can hold into the interval `to`, which has everything.
    fn holds(&mut self, var: VarId, term: Term, to: Slot) -> Option<()> {
        let system = self.system;
        ir::deep(|| match system.terms.node(term) {
            Node::And(list) | Node::Or(list) => {
                let meets = matches!(system.terms.node(term), Node::And(_));
                let (first, others) = list.split_first()?;
                self.holds(var, *first, to)?;
                others.iter().try_for_each(|other| {
                    let with = self.interval();
                    self.holds(var, *other, with)?;
                    self.emit(if meets { Op::Meet { to, with } } else { Op::Hull { to, with } });
                    Some(())
                })
            }
            _ => {
                let end = self.label();
                if let Some(Comparison { bound, least, greatest }) = self.comparison(var, term) {
                    self.unless_open(bound, end);
                    let a = self.number(bound)?;
                    for (to, more) in [(to, least), (to + 1, greatest)] {
                        if let Some(value) = more {
                            self.emit(Op::AddConst { to, a, value });
                        }
                    }
                } else if self.is_plain(var, term) {
                    self.unless_open(term, end);
                    self.jump_if(term, true, end)?;
                    self.load(to + 2, 1);
                }
                self.bind(end);
                Some(())
            }
        })
    }
    /// Jumps away where a variable of a term is open.
    fn unless_open(&mut self, term: Term, to: Label) {
        for var in self.system.terms.vars_of(term) {
            if self.slots.openness.may_be_open(var) {
                self.emit(Op::JumpOpen { slot: self.slots.of(var), when: true, to: to.0 });
            }
        }
    }
}

/// What is in both of two intervals.
pub(crate) fn meet(a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
    let pick = |a: i64, b: i64, pick: fn(i64, i64) -> i64| match (a, b) {
        (OPEN, b) => b,
        (a, OPEN) => a,
        (a, b) => pick(a, b),
    };
    [pick(a[0], b[0], i64::max), pick(a[1], b[1], i64::min), a[2] | b[2]]
}

/// The least interval that contains both.
pub(crate) fn hull(a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
    if a[2] != 0 || b[2] != 0 {
        return if a[2] != 0 { b } else { a };
    }
    let pick =
        |a: i64, b: i64, pick: fn(i64, i64) -> i64| if a == OPEN || b == OPEN { OPEN } else { pick(a, b) };
    [pick(a[0], b[0], i64::min), pick(a[1], b[1], i64::max), 0]
}
