//! Straight lines: what one recorded execution of a statement does, as a statement that leaves nothing open.
//!
//! Along the recorded choices, a `choice` becomes the branch that was taken, a `havoc` an assignment of the value that was
//! chosen, and a loop its iterations. What decided about the way becomes an assumption: how often a loop is gone
//! around, and which way an `if` goes, unless nothing is chosen on either. So from any state the straight line has one
//! execution at most, and what it does from there is one that the statement has, with the same choices.

use crate::eval::{Env, eval};
use crate::evidence::{Decision, State};
use crate::id::Id;
use crate::stmt::{Stmt, StmtNode};
use crate::system::{LocationId, ProcessId, System};
use crate::term::{Term, Terms, VarId};
use crate::value::Value;
use crate::wp::wp;

/// The straight line of the execution of `stmt` from `before` to `after` with these choices; `None` if they are not those
/// of an execution, or time passes. Whether assumptions hold on the way is not looked at.
///
/// Where it does not matter what was chosen, it is what `after` has.
pub fn straight(
    system: &mut System,
    stmt: Stmt,
    before: &State,
    decisions: &[Decision],
    after: &State,
) -> Option<Stmt> {
    let mut values = vec![None; system.vars.len()];
    let mut last = values.clone();
    for (slot, var) in system.state_vars().enumerate() {
        values[var.index()].clone_from(&before.values[slot]);
        last[var.index()].clone_from(&after.values[slot]);
    }
    let memory = Memory { values, locations: &before.locations };
    let mut line = Line { system, memory, last, decisions: decisions.iter(), parts: vec![] };
    line.take(stmt)?;
    let Line { parts, decisions, .. } = line;
    decisions.as_slice().is_empty().then(|| system.terms.seq(parts))
}

/// Where a statement that has one execution at most, such as a [`straight`] line, has one that ends in `post`; the statement
/// that keeps it from being said, if there is one.
pub fn leads_to(terms: &mut Terms, stmt: Stmt, post: Term) -> Result<Term, Stmt> {
    let not = terms.not(post);
    let blocked_or_elsewhere = wp(terms, stmt, not)?;
    Ok(terms.not(blocked_or_elsewhere))
}

/// Values on the way.
struct Memory<'a> {
    values: Vec<Option<Value>>,
    locations: &'a [LocationId],
}

impl Env for Memory<'_> {
    fn var(&self, var: VarId, _step: u32) -> Option<&Value> {
        self.values.get(var.index())?.as_ref()
    }
    fn at(&self, process: ProcessId, location: LocationId) -> bool {
        self.locations[process.index()] == location
    }
}

struct Line<'a> {
    system: &'a mut System,
    memory: Memory<'a>,
    /// Values afterwards.
    last: Vec<Option<Value>>,
    decisions: std::slice::Iter<'a, Decision>,
    parts: Vec<Stmt>,
}

impl Line<'_> {
    /// Goes along a statement, as it was executed.
    fn take(&mut self, stmt: Stmt) -> Option<()> {
        crate::deep(|| match self.system.terms.stmt(stmt).clone() {
            StmtNode::Skip => Some(()),
            StmtNode::Assume(_) => {
                self.parts.push(stmt);
                Some(())
            }
            StmtNode::Assign(var, value) => {
                self.parts.push(stmt);
                self.set(var, self.value(value)?)
            }
            StmtNode::Havoc(var) => {
                let Decision::Value(value) = self.decisions.next()? else { return None };
                let known = || self.last[var.index()].clone();
                let any = || self.system.types().default_value(self.system.terms.var_type(var));
                let value = value.clone().or_else(known).unwrap_or_else(any);
                if !self.system.admits(var, &value) {
                    return None;
                }
                let constant = self.system.terms.constant(value.clone());
                self.parts.push(self.system.terms.assign(var, constant));
                self.set(var, value)
            }
            StmtNode::Delay => None,
            StmtNode::Seq(list) => list.iter().try_for_each(|part| self.take(*part)),
            StmtNode::Choice(list) => {
                let Decision::Branch(branch) = self.decisions.next()? else { return None };
                self.take(*list.get(*branch as usize)?)
            }
            StmtNode::If(condition, yes, no) => {
                let holds = self.value(condition)?.as_bool();
                let way = if holds { yes } else { no };
                if self.is_open(stmt) {
                    self.assume(condition, holds);
                    return self.take(way);
                }
                // Both ways stay; what happens on the one that was taken is needed for what follows.
                let count = self.parts.len();
                self.take(way)?;
                self.parts.truncate(count);
                self.parts.push(stmt);
                Some(())
            }
            StmtNode::For { var, from, to, body } => {
                let bounds = [from, to].map(|bound| self.value(bound));
                let [Some(Value::Int(first)), Some(Value::Int(end))] = bounds else { return None };
                for (bound, value) in [(from, &first), (to, &end)] {
                    let value = self.system.terms.constant(Value::Int(value.clone()));
                    let same = self.system.terms.eq(bound, value);
                    self.assume(same, true);
                }
                let mut next = first;
                while next < end {
                    let value = Value::Int(next.clone());
                    let constant = self.system.terms.constant(value.clone());
                    self.parts.push(self.system.terms.assign(var, constant));
                    self.set(var, value)?;
                    self.take(body)?;
                    next = &next + &crate::number::Int::ONE;
                }
                Some(())
            }
            StmtNode::While(condition, body) => {
                while self.value(condition)?.as_bool() {
                    self.assume(condition, true);
                    self.take(body)?;
                }
                self.assume(condition, false);
                Some(())
            }
        })
    }
    /// Whether something is chosen in a statement, or it is gone around.
    fn is_open(&self, stmt: Stmt) -> bool {
        let mut open = false;
        let terms = &self.system.terms;
        terms.for_each_substmt(stmt, |part| {
            let closed = matches!(
                terms.stmt(part),
                StmtNode::Skip
                    | StmtNode::Assume(_)
                    | StmtNode::Assign(..)
                    | StmtNode::Seq(_)
                    | StmtNode::If(..)
            );
            open |= !closed;
        });
        open
    }
    fn assume(&mut self, condition: Term, holds: bool) {
        let terms = &mut self.system.terms;
        let condition = if holds { condition } else { terms.not(condition) };
        self.parts.push(terms.assume(condition));
    }
    fn value(&self, term: Term) -> Option<Value> {
        Some(eval(&self.system.terms, &self.memory, term).ok()?.into_owned())
    }
    fn set(&mut self, var: VarId, value: Value) -> Option<()> {
        let value = value.held_as(self.system.terms.var_type(var));
        self.memory.values[var.index()] = Some(value);
        Some(())
    }
}
