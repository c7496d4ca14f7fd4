//! Actions become statements. Loops are unrolled and procedures inlined; what comes behind a `return` or a `break` that
//! may have happened is guarded by a flag.

use std::ops::Range;

use super::super::ast::*;
use super::super::project::Def;
use super::super::types::{Ty, TyKind};
use super::route::{Arrival, outward};
use super::{Bound, FindingKind, Lowering, Value, x};
use crate::code::Code;

/// How often loops of one statement may go around.
const MOST_ITERATIONS: i64 = 10_000;

/// A procedure or a loop that is being inlined.
#[derive(Clone)]
pub(super) struct Frame {
    /// Whether it is a loop, which `break` leaves.
    is_loop: bool,
    /// Set when it is left before its end.
    left: x::Name,
    /// What a procedure returns.
    result: Vec<x::Name>,
}

impl Lowering<'_> {
    /// Statements, one after the other, in a scope of their own.
    pub(super) fn actions(&mut self, list: &[ActionId], out: &mut Vec<x::StmtId>) {
        let depth = self.locals.len();
        for (at, action) in list.iter().enumerate() {
            ir::deep(|| self.action(*action, out));
            let flags = self.exits(*action);
            if !flags.is_empty() && at + 1 < list.len() {
                let mut rest = vec![];
                self.actions(&list[at + 1..], &mut rest);
                let conditions: Vec<x::ExprId> = flags
                    .into_iter()
                    .map(|flag| {
                        let flag = self.x.name(flag);
                        self.x.not(flag)
                    })
                    .collect();
                let going = self.x.and(&conditions);
                let guarded = self.x.branch(going, rest, vec![]);
                out.extend(guarded);
                break;
            }
        }
        self.locals.truncate(depth);
    }
    /// The flags that an action may set by leaving what is around it.
    fn exits(&self, action: ActionId) -> Vec<x::Name> {
        let mut flags = vec![];
        if self.returns(action) {
            flags.extend(self.frames.iter().rev().find(|frame| !frame.is_loop).map(|frame| frame.left));
        }
        if self.breaks(action) || self.returns(action) {
            flags.extend(
                self.frames
                    .last()
                    .filter(|frame| frame.is_loop && self.breaks(action))
                    .map(|frame| frame.left),
            );
        }
        flags
    }
    fn returns(&self, action: ActionId) -> bool {
        self.contains(action, true, &|kind| matches!(kind, ActionKind::Return(_)))
    }
    /// Whether an action may leave the loop around it.
    pub(super) fn breaks(&self, action: ActionId) -> bool {
        self.contains(action, false, &|kind| matches!(kind, ActionKind::Break))
    }
    fn contains(&self, action: ActionId, into_loops: bool, wanted: &dyn Fn(&ActionKind) -> bool) -> bool {
        let mut open = vec![action];
        while let Some(action) = open.pop() {
            let kind = &self.project.ast.actions[action].kind;
            if wanted(kind) {
                return true;
            }
            match kind {
                ActionKind::Block(list) => open.extend(list),
                ActionKind::If { branches, otherwise }
                | ActionKind::Switch { cases: branches, default: otherwise, .. } => {
                    open.extend(branches.iter().map(|branch| branch.action));
                    open.extend(otherwise);
                }
                ActionKind::For { body, .. } if into_loops => open.push(*body),
                ActionKind::Choice(branches) => open.extend(branches.iter().map(|branch| branch.action)),
                _ => {}
            }
        }
        false
    }
    /// An expression, with the calls in it that have to happen first.
    fn prepared<T>(&mut self, out: &mut Vec<x::StmtId>, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.hoisted.replace(vec![]);
        let value = read(self);
        out.extend(self.hoisted.take().unwrap_or_default());
        self.hoisted = outer;
        value
    }
    fn action(&mut self, action: ActionId, out: &mut Vec<x::StmtId>) {
        let Action { kind, span } = &self.project.ast.actions[action];
        let outer = std::mem::replace(&mut self.x.span, *span);
        match kind {
            ActionKind::Block(list) => self.actions(list, out),
            ActionKind::Nothing => {}
            ActionKind::Declare(variable) => {
                let decl = &self.project.ast.variables[*variable];
                let ty = self.project.written[decl.ty];
                let value = match decl.initial {
                    Some(initial) => self.prepared(out, |this| this.value(initial, ty)),
                    None => self.default_of(ty),
                };
                let slots = self.slots(ty);
                let text = self.project.ast.text(decl.ident).to_owned();
                let names = self.local(&text, &slots, &value, out);
                self.locals.push((Def::Variable(*variable), Bound::Variables(names)));
            }
            ActionKind::Return(value) => {
                let value = match value {
                    Some(value) => self.prepared(out, |this| this.expr(*value)),
                    None => vec![],
                };
                let frames: Vec<Frame> =
                    self.frames.iter().rev().take_while(|frame| frame.is_loop).cloned().collect();
                let procedure = self.frames.iter().rev().find(|frame| !frame.is_loop).cloned();
                if let Some(procedure) = procedure {
                    for (name, value) in procedure.result.iter().zip(value) {
                        out.push(self.x.assign(*name, value));
                    }
                    for frame in frames.iter().chain([&procedure]) {
                        self.set(frame.left, out);
                    }
                }
            }
            ActionKind::Break => {
                if let Some(frame) = self.frames.last().filter(|frame| frame.is_loop).cloned() {
                    self.set(frame.left, out);
                }
            }
            ActionKind::Assign { target, value } => {
                let ty = self.project.typed[*target];
                let value = self.prepared(out, |this| this.value(*value, ty));
                self.assignment(*target, value, out);
            }
            ActionKind::Assert(condition) => {
                let condition = self.prepared(out, |this| this.condition(*condition));
                let ends = self.finding(FindingKind::Assertion, *span, None);
                let checked = self.x.branch(condition, vec![], ends);
                out.extend(checked);
            }
            ActionKind::Expr(expr) => {
                self.prepared(out, |this| this.expr(*expr));
            }
            ActionKind::Raise { event, arguments } => self.raise(*event, arguments, out),
            ActionKind::Set { timeout, .. } => {
                let timeout = self.project.timeout(*timeout);
                if let Some((name, _)) =
                    self.leaves[self.part].as_ref().and_then(|leaf| leaf.timeouts.get(&timeout))
                {
                    let name = *name;
                    let zero = self.x.int(0);
                    out.push(self.x.assign(name, zero));
                }
            }
            ActionKind::If { branches, otherwise } => {
                let branches: Vec<(ExprId, ActionId)> =
                    branches.iter().map(|branch| (branch.guard, branch.action)).collect();
                self.branches(&branches, *otherwise, &mut |this, guard| this.condition(guard), out);
            }
            ActionKind::Switch { value, cases, default } => {
                let ty = self.project.typed[*value];
                let value = self.prepared(out, |this| this.expr(*value));
                let slots = self.slots(ty);
                let names = self.local("switch", &slots, &value, out);
                let cases: Vec<(ExprId, ActionId)> =
                    cases.iter().map(|case| (case.guard, case.action)).collect();
                let mut equals = |this: &mut Self, guard: ExprId| {
                    let known = this.expr(guard);
                    let value: Value = names.iter().map(|name| this.x.name(*name)).collect();
                    this.equal(&value, &known)
                };
                self.branches(&cases, *default, &mut equals, out);
            }
            ActionKind::For { param, values, body } => {
                let values = self.loop_values(*values);
                let never = self.x.bool(false);
                let left = match self.breaks(*body) || self.returns(*body) {
                    true => Some(self.flag("left", never, out)),
                    false => None,
                };
                self.iterate(*param, &values, *body, left, out);
            }
            ActionKind::Choice(branches) => {
                let guards: Vec<(bool, x::ExprId)> = branches
                    .iter()
                    .map(|branch| {
                        let is_else = matches!(self.project.ast.exprs[branch.guard].kind, ExprKind::Else);
                        (is_else, self.prepared(out, |this| this.condition(branch.guard)))
                    })
                    .collect();
                let others: Vec<x::ExprId> =
                    guards.iter().filter(|(is_else, _)| !is_else).map(|(_, g)| *g).collect();
                let any = self.x.or(&others);
                let none = self.x.not(any);
                let has_else = guards.iter().any(|(is_else, _)| *is_else);
                let mut alternatives = vec![];
                for (branch, (is_else, guard)) in branches.iter().zip(guards) {
                    let guard = if is_else { none } else { guard };
                    let mut list = vec![self.x.assume(guard)];
                    self.actions(&[branch.action], &mut list);
                    alternatives.push(list);
                }
                if !has_else && self.x.known(none) != Some(false) {
                    let mut list = vec![self.x.assume(none)];
                    list.extend(self.finding(FindingKind::ChoiceStatement, *span, None));
                    alternatives.push(list);
                }
                out.push(self.x.choice(alternatives));
            }
        }
        self.x.span = outer;
    }
    pub(super) fn set(&mut self, flag: x::Name, out: &mut Vec<x::StmtId>) {
        let yes = self.x.bool(true);
        out.push(self.x.assign(flag, yes));
    }
    pub(super) fn clear(&mut self, flag: x::Name, out: &mut Vec<x::StmtId>) {
        let no = self.x.bool(false);
        out.push(self.x.assign(flag, no));
    }
    /// The first branch whose condition holds.
    fn branches(
        &mut self,
        branches: &[(ExprId, ActionId)],
        otherwise: Option<ActionId>,
        condition: &mut dyn FnMut(&mut Self, ExprId) -> x::ExprId,
        out: &mut Vec<x::StmtId>,
    ) {
        let Some(((guard, action), rest)) = branches.split_first() else {
            if let Some(action) = otherwise {
                self.actions(&[action], out);
            }
            return;
        };
        let guard = self.prepared(out, |this| condition(this, *guard));
        let (mut then, mut other) = (vec![], vec![]);
        self.actions(&[*action], &mut then);
        ir::deep(|| self.branches(rest, otherwise, condition, &mut other));
        let branch = self.x.branch(guard, then, other);
        out.extend(branch);
    }
    fn iterate(
        &mut self,
        param: ParamId,
        values: &[Value],
        body: ActionId,
        left: Option<x::Name>,
        out: &mut Vec<x::StmtId>,
    ) {
        for (at, value) in values.iter().enumerate() {
            self.locals.push((Def::Param(param), Bound::Value(value.clone())));
            if let Some(left) = left {
                self.frames.push(Frame { is_loop: true, left, result: vec![] });
            }
            self.actions(&[body], out);
            if left.is_some() {
                self.frames.pop();
            }
            self.locals.pop();
            if let Some(left) = left
                && at + 1 < values.len()
            {
                let mut rest = vec![];
                ir::deep(|| self.iterate(param, &values[at + 1..], body, Some(left), &mut rest));
                let left = self.x.name(left);
                let going = self.x.not(left);
                let guarded = self.x.branch(going, rest, vec![]);
                out.extend(guarded);
                return;
            }
        }
    }
    /// The values that a loop runs through.
    pub(super) fn loop_values(&mut self, values: ExprId) -> Vec<Value> {
        let Expr { kind, span } = &self.project.ast.exprs[values];
        let between = match kind {
            ExprKind::Range { from, from_included, to, to_included } => {
                let from = self.known_integer(*from, "the beginning of a loop");
                let to = self.known_integer(*to, "the end of a loop");
                let bounds = from.and_then(|from| from.to_i64()).zip(to.and_then(|to| to.to_i64()));
                bounds.map(|(from, to)| {
                    (
                        from.saturating_add(i64::from(!from_included)),
                        to.saturating_sub(i64::from(!to_included)),
                    )
                })
            }
            _ => match *self.project.type_of(values) {
                TyKind::Array { size: Some(size), .. } => Some((0, i64::from(size) - 1)),
                _ => None,
            },
        };
        let Some((from, to)) = between else {
            self.error(
                Code::UnsupportedStatement,
                *span,
                "a loop runs through a range, or an array of known size",
            );
            return vec![];
        };
        if to.saturating_sub(from) >= MOST_ITERATIONS {
            self.error(
                Code::TooLarge,
                *span,
                format!("the loop goes around more than {MOST_ITERATIONS} times"),
            );
            return vec![];
        }
        let is_range = matches!(kind, ExprKind::Range { .. });
        let array = if is_range { vec![] } else { self.expr(values) };
        let mut list = vec![];
        for number in from..=to {
            let position = self.x.int(number);
            list.push(match is_range {
                true => vec![position],
                false => array.iter().map(|slot| self.x.read(*slot, position)).collect(),
            });
        }
        list
    }
    /// The body of a procedure, and what it returns.
    pub(super) fn inline(&mut self, body: ActionId, result: Ty, out: &mut Vec<x::StmtId>) -> Value {
        let slots = self.slots(result);
        let defaults = self.default_of(result);
        let result = self.local("result", &slots, &defaults, out);
        let never = self.x.bool(false);
        let left = self.flag("returned", never, out);
        self.frames.push(Frame { is_loop: false, left, result: result.clone() });
        self.actions(&[body], out);
        self.frames.pop();
        result.into_iter().map(|name| self.x.name(name)).collect()
    }
    /// Which slots of a variable with so many an expression stands for, and the positions of arrays on the way.
    pub(super) fn place_within(&mut self, target: ExprId, slots: usize) -> (Range<usize>, Vec<x::ExprId>) {
        match self.project.ast.exprs[target].kind {
            ExprKind::Field(base, field) => {
                let (range, positions) = ir::deep(|| self.place_within(base, slots));
                let Some(Def::Field(id, position)) = self.project.def(field) else {
                    return (range, positions);
                };
                let inner = self.field_slots(id, position);
                (range.start + inner.start..range.start + inner.end, positions)
            }
            ExprKind::Index(base, position) => {
                let (range, mut positions) = ir::deep(|| self.place_within(base, slots));
                positions.push(self.scalar(position));
                (range, positions)
            }
            _ => (0..slots, vec![]),
        }
    }
    fn assignment(&mut self, target: ExprId, value: Value, out: &mut Vec<x::StmtId>) {
        let mut root = target;
        while let ExprKind::Field(base, _) | ExprKind::Index(base, _) = self.project.ast.exprs[root].kind {
            root = base;
        }
        let bound = match self.project.ast.exprs[root].kind {
            ExprKind::Name(reference) => self.bound(reference),
            _ => None,
        };
        let Some(Bound::Variables(names)) = bound else {
            let span = self.project.ast.exprs[target].span;
            self.error(Code::NotAssignable, span, "this is no variable, and cannot be assigned");
            return;
        };
        let (range, positions) = self.prepared(out, |this| this.place_within(target, names.len()));
        let names = names[range].to_vec();
        // With several slots, no part of the value may see another one assigned.
        let value = match names.len() {
            0 | 1 => value,
            _ => {
                let ty = self.project.typed[target];
                let slots = self.slots(ty);
                let copies = self.local("value", &slots, &value, out);
                copies.into_iter().map(|name| self.x.name(name)).collect()
            }
        };
        for (name, value) in names.into_iter().zip(value) {
            out.push(self.x.assign_at(name, &positions, value));
        }
    }
    fn raise(&mut self, event: EventRefId, arguments: &[ExprId], out: &mut Vec<x::StmtId>) {
        let EventRefKind::PortEvent(port, event) = self.project.ast.event_refs[event].kind else { return };
        let (port, event) = (self.project.port(port), self.project.event(event));
        let params = self.project.ast.events[event].params.clone();
        let mut values: Vec<Value> = vec![];
        for (param, argument) in params.iter().zip(arguments) {
            let ty = self.project.written[self.project.ast.params[*param].ty];
            let value = self.prepared(out, |this| this.value(*argument, ty));
            let slots = self.slots(ty);
            // A value that is read from variables is read once, before anything changes.
            let is_plain = value
                .iter()
                .all(|slot| matches!(self.x.kind(*slot), x::ExprKind::Bool(_) | x::ExprKind::Int(_)));
            values.push(match is_plain {
                true => value,
                false => {
                    let names = self.local("argument", &slots, &value, out);
                    names.into_iter().map(|name| self.x.name(name)).collect()
                }
            });
        }
        let part = self.part;
        if self.project.direction(port, event) == Direction::Internal {
            let signal =
                self.leaves[part].as_ref().and_then(|leaf| leaf.internal.get(&(port, event)).cloned());
            if let Some(signal) = signal {
                self.send(&signal, &values, out);
            }
            return;
        }
        let out_signal = self.leaves[part].as_ref().and_then(|leaf| leaf.outs.get(&(port, event)).cloned());
        if let Some(signal) = out_signal {
            self.send(&signal, &values, out);
        }
        for route in outward(self.project, &self.tree, part, port, event) {
            match route.arrival {
                Arrival::Leaf(to, port, event) => {
                    let buffer = route.through.and_then(|sync| self.buffers.get(&sync));
                    let signal = match buffer {
                        Some(buffer) => buffer.get(&(to, port, event)).cloned(),
                        None => {
                            self.leaves[to].as_ref().and_then(|leaf| leaf.ins.get(&(port, event)).cloned())
                        }
                    };
                    if let Some(signal) = signal {
                        self.send(&signal, &values, out);
                    }
                }
                Arrival::Pending(adapter, port, event) => {
                    let signal =
                        self.pending.get(&adapter).and_then(|pending| pending.get(&(port, event)).cloned());
                    if let Some(signal) = signal {
                        self.send(&signal, &values, out);
                    }
                }
                Arrival::System(..) | Arrival::Message(..) => {}
            }
        }
    }
    /// Sets the parameters and the flag of an event.
    pub(super) fn send(&mut self, signal: &super::chart::Signal, values: &[Value], out: &mut Vec<x::StmtId>) {
        for (names, value) in signal.params.iter().zip(values) {
            for (name, value) in names.iter().zip(value) {
                out.push(self.x.assign(*name, *value));
            }
        }
        self.set(signal.flag, out);
    }
}
