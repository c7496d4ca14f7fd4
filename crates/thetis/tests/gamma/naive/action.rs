//! Statements (2).

use lang::gamma::ast::*;

use super::expr::Frame;
use super::{Machine, Maybe, Slot, Stop, Value, unable};

/// How a statement ends.
#[derive(Clone, PartialEq, Debug)]
pub enum Flow {
    Next,
    Break,
    Return(Option<Value>),
}

enum Into {
    Field(String),
    Entry(i128),
}

impl Machine<'_, '_> {
    /// The actions of a transition or a state of a leaf.
    pub fn actions(&mut self, leaf: usize, actions: &[ActionId]) -> Maybe<()> {
        let mut frame = Frame::of(leaf);
        for action in actions {
            match self.act(&mut frame, *action)? {
                Flow::Next => {}
                _ => return unable("break or return outside"),
            }
        }
        Ok(())
    }

    pub fn act(&mut self, frame: &mut Frame, action: ActionId) -> Maybe<Flow> {
        let model = self.model;
        let ast = &model.ast;
        match &ast.actions[action].kind {
            ActionKind::Block(actions) => {
                let locals = frame.locals.len();
                for action in actions {
                    let flow = self.act(frame, *action)?;
                    if flow != Flow::Next {
                        frame.locals.truncate(locals);
                        return Ok(flow);
                    }
                }
                frame.locals.truncate(locals);
            }
            ActionKind::Declare(variable) => {
                let it = &ast.variables[*variable];
                let default = model.default(it.ty)?;
                let value = match it.initial {
                    Some(expr) => self.eval(frame, expr)?.like(&default),
                    None => default,
                };
                frame.locals.push((ast.text(it.ident).to_owned(), value));
            }
            ActionKind::Return(value) => {
                let value = value.map(|value| self.eval(frame, value)).transpose()?;
                return Ok(Flow::Return(value));
            }
            ActionKind::Break => return Ok(Flow::Break),
            ActionKind::Assign { target, value } => {
                let (name, into) = self.target(frame, *target)?;
                let value = self.eval(frame, *value)?;
                self.assign(frame, &name, &into, value)?;
            }
            ActionKind::Assert(expr) => {
                if !self.holds(frame, *expr)? {
                    return Err(Stop::Failed);
                }
            }
            ActionKind::Nothing => {}
            ActionKind::Expr(expr) => drop(self.eval(frame, *expr)?),
            ActionKind::Raise { event, arguments } => {
                let EventRefKind::PortEvent(port, event) = ast.event_refs[*event].kind else {
                    return unable("a raise of no event");
                };
                let (port, event, _) = self.event(frame, Some(port), event)?;
                let defaults = model.defaults(event)?;
                let mut values = vec![];
                for (argument, default) in arguments.iter().zip(&defaults) {
                    values.push(self.eval(frame, *argument)?.like(default));
                }
                if values.len() < defaults.len() {
                    return unable("a raise without all arguments");
                }
                self.raise(frame.part, port, event, &values);
            }
            ActionKind::Set { timeout, .. } => {
                let timeout = self.timeout(frame.part, *timeout)?;
                self.state.insert(Slot::Timer(frame.part, timeout), Value::Int(0));
            }
            ActionKind::If { branches, otherwise } => {
                for branch in branches {
                    let holds = matches!(ast.exprs[branch.guard].kind, ExprKind::Else)
                        || self.holds(frame, branch.guard)?;
                    if holds {
                        return self.scoped(frame, branch.action);
                    }
                }
                if let Some(action) = otherwise {
                    return self.scoped(frame, *action);
                }
            }
            ActionKind::Switch { value, cases, default } => {
                let value = self.eval(frame, *value)?;
                for case in cases {
                    if self.eval(frame, case.guard)?.same(&value)? {
                        return self.scoped(frame, case.action);
                    }
                }
                if let Some(action) = default {
                    return self.scoped(frame, *action);
                }
            }
            ActionKind::For { param, values, body } => {
                let name = ast.text(ast.params[*param].ident).to_owned();
                for value in self.range(frame, *values)? {
                    frame.locals.push((name.clone(), value));
                    let flow = self.scoped(frame, *body)?;
                    frame.locals.pop();
                    match flow {
                        Flow::Next => {}
                        Flow::Break => break,
                        returns @ Flow::Return(_) => return Ok(returns),
                    }
                }
            }
            ActionKind::Choice(branches) => {
                let is_else = |guard: ExprId| matches!(ast.exprs[guard].kind, ExprKind::Else);
                let mut enabled = vec![];
                for branch in branches {
                    if !is_else(branch.guard) && self.holds(frame, branch.guard)? {
                        enabled.push(branch.action);
                    }
                }
                if enabled.is_empty() {
                    enabled.extend(branches.iter().filter(|it| is_else(it.guard)).map(|it| it.action));
                }
                if enabled.is_empty() {
                    return Err(Stop::Incomplete);
                }
                let chosen = self.tape.choose(enabled.len());
                return self.scoped(frame, enabled[chosen]);
            }
        }
        Ok(Flow::Next)
    }
    /// A statement whose locals end with it.
    fn scoped(&mut self, frame: &mut Frame, action: ActionId) -> Maybe<Flow> {
        let locals = frame.locals.len();
        let flow = self.act(frame, action);
        frame.locals.truncate(locals);
        flow
    }

    /// What a loop runs over.
    fn range(&mut self, frame: &mut Frame, values: ExprId) -> Maybe<Vec<Value>> {
        let model = self.model;
        match &model.ast.exprs[values].kind {
            ExprKind::Range { from, from_included, to, to_included } => {
                let (from, to) = (self.eval(frame, *from)?.int()?, self.eval(frame, *to)?.int()?);
                let from = from + i128::from(!from_included);
                let to = to - i128::from(!to_included);
                if to - from > 1_000 {
                    return unable("a long loop");
                }
                Ok((from..=to).map(Value::Int).collect())
            }
            ExprKind::Array(entries) => {
                let mut values = vec![];
                for entry in entries {
                    values.push(self.eval(frame, *entry)?);
                }
                Ok(values)
            }
            ExprKind::Name(name) => {
                let array = self.eval(frame, values)?;
                let name = model.ast.ref_text(*name);
                let variable = self.variable(frame.part, name).or_else(|| model.constant(name));
                let Some(variable) = variable else { return unable("a loop over a local array") };
                let ty = model.plain(model.ast.variables[variable].ty)?;
                let TypeKind::Array { size, .. } = &model.ast.types[ty].kind else {
                    return unable("a loop over no array");
                };
                let size = model.known(frame.part, *size)?.int()?;
                (0..size).map(|at| array.at(at)).collect()
            }
            _ => unable("a loop over something else"),
        }
    }

    fn target(&mut self, frame: &mut Frame, target: ExprId) -> Maybe<(String, Vec<Into>)> {
        let model = self.model;
        match &model.ast.exprs[target].kind {
            ExprKind::Name(name) => Ok((model.ast.ref_text(*name).to_owned(), vec![])),
            ExprKind::Field(record, field) => {
                let (name, mut into) = self.target(frame, *record)?;
                into.push(Into::Field(model.ast.ref_text(*field).to_owned()));
                Ok((name, into))
            }
            ExprKind::Index(array, index) => {
                let (name, mut into) = self.target(frame, *array)?;
                into.push(Into::Entry(self.eval(frame, *index)?.int()?));
                Ok((name, into))
            }
            _ => unable("an assignment to no variable"),
        }
    }
    fn assign(&mut self, frame: &mut Frame, name: &str, into: &[Into], value: Value) -> Maybe<()> {
        if let Some(at) = frame.locals.iter().rposition(|(local, _)| local == name) {
            let old = frame.locals[at].1.clone();
            frame.locals[at].1 = changed(old, into, value)?;
            return Ok(());
        }
        let Some(variable) = self.variable(frame.part, name) else {
            return unable(format!("no variable {name}"));
        };
        let slot = Slot::Variable(frame.part, variable);
        let old = self.state[&slot].clone();
        self.state.insert(slot, changed(old, into, value)?);
        Ok(())
    }

    /// Whether a statement changes something but `locals`.
    pub(super) fn action_changes(
        &self,
        part: usize,
        action: ActionId,
        locals: &mut Vec<String>,
        depth: usize,
    ) -> Maybe<bool> {
        let ast = &self.model.ast;
        let known = locals.len();
        let (mut exprs, mut actions, mut changes) = (vec![], vec![], false);
        match &ast.actions[action].kind {
            ActionKind::Block(inner) => actions.extend(inner.iter().copied()),
            ActionKind::Declare(variable) => {
                let it = &ast.variables[*variable];
                let changes = match it.initial {
                    Some(expr) => self.calls_change_within(part, expr, depth)?,
                    None => false,
                };
                locals.push(ast.text(it.ident).to_owned());
                return Ok(changes);
            }
            ActionKind::Return(value) => exprs.extend(*value),
            ActionKind::Break | ActionKind::Nothing => {}
            ActionKind::Assign { target, value } => {
                exprs.extend([*target, *value]);
                let mut root = *target;
                while let ExprKind::Field(inner, _) | ExprKind::Index(inner, _) = ast.exprs[root].kind {
                    root = inner;
                }
                changes = match ast.exprs[root].kind {
                    ExprKind::Name(name) => !locals.iter().any(|local| local == ast.ref_text(name)),
                    _ => true,
                };
            }
            ActionKind::Assert(expr) | ActionKind::Expr(expr) => exprs.push(*expr),
            ActionKind::Raise { .. } | ActionKind::Set { .. } => changes = true,
            ActionKind::If { branches, otherwise } => {
                exprs.extend(branches.iter().map(|branch| branch.guard));
                actions.extend(branches.iter().map(|branch| branch.action).chain(*otherwise));
            }
            ActionKind::Switch { value, cases, default } => {
                exprs.extend(cases.iter().map(|case| case.guard).chain([*value]));
                actions.extend(cases.iter().map(|case| case.action).chain(*default));
            }
            ActionKind::For { values, body, .. } => {
                exprs.push(*values);
                actions.push(*body);
            }
            ActionKind::Choice(branches) => {
                exprs.extend(branches.iter().map(|branch| branch.guard));
                actions.extend(branches.iter().map(|branch| branch.action));
            }
        }
        for expr in exprs {
            changes |= !matches!(ast.exprs[expr].kind, ExprKind::Else)
                && self.calls_change_within(part, expr, depth)?;
        }
        for action in actions {
            changes |= self.action_changes(part, action, locals, depth)?;
        }
        locals.truncate(known);
        Ok(changes)
    }
}

/// A value with a part of it replaced.
fn changed(old: Value, into: &[Into], value: Value) -> Maybe<Value> {
    let Some((first, rest)) = into.split_first() else { return Ok(value.like(&old)) };
    match (first, old) {
        (Into::Field(name), Value::Record(mut fields)) => {
            let Some(field) = fields.remove(name) else { return unable("no such field") };
            fields.insert(name.clone(), changed(field, rest, value)?);
            Ok(Value::Record(fields))
        }
        (Into::Entry(at), Value::Array(Some(elsewhere), mut entries)) => {
            let old = entries.remove(at).unwrap_or_else(|| (*elsewhere).clone());
            let new = changed(old, rest, value)?;
            if new != *elsewhere {
                entries.insert(*at, new);
            }
            Ok(Value::Array(Some(elsewhere), entries))
        }
        _ => unable("no such part"),
    }
}
