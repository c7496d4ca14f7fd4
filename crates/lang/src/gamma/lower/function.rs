//! Functions are inlined.
//!
//! A function that changes nothing but its own variables is executed on expressions: its variables stand for values, a
//! branch joins what its sides have made of them. The result is an expression that can stand anywhere. Any other
//! procedure becomes statements in front of the statement that calls it.

use ir::Span;

use super::super::ast::*;
use super::super::project::Def;
use super::{Bound, Lowering, Value, x};
use crate::code::Code;

/// What has become of the execution of a function on expressions.
#[derive(Clone)]
struct Execution {
    /// Where it has returned.
    done: x::ExprId,
    /// Where it has left the innermost loop.
    left: x::ExprId,
    /// What it has returned where it has.
    result: Value,
}

impl Lowering<'_> {
    pub(super) fn call(&mut self, function: ExprId, arguments: &[ExprId], span: Span) -> Value {
        let ExprKind::Name(reference) = self.project.ast.exprs[function].kind else {
            self.error(Code::UnsupportedOperator, span, "only functions can be called, by their names");
            return vec![];
        };
        match self.project.def(reference) {
            Some(Def::Function(function)) => self.apply(function, arguments, span),
            _ => {
                self.error(Code::WrongKind, span, "this is no function");
                vec![]
            }
        }
    }
    /// The value of a function.
    pub(super) fn apply(&mut self, function: FunctionId, arguments: &[ExprId], span: Span) -> Value {
        if self.calls.contains(&function) {
            let text = self.project.ast.text(self.project.ast.functions[function].ident).to_owned();
            self.error(
                Code::UnsupportedRecursion,
                span,
                format!("`{text}` calls itself; recursion is not supported"),
            );
            return vec![];
        }
        let decl = &self.project.ast.functions[function];
        let params = decl.params.clone().unwrap_or_default();
        let result_type = self.project.written[decl.result];
        let mut values = vec![];
        for (param, argument) in params.iter().zip(arguments) {
            let ty = self.project.written[self.project.ast.params[*param].ty];
            values.push(self.value(*argument, ty));
        }
        let body = decl.body;
        let is_pure = self.is_pure(function);
        self.calls.push(function);
        // The body sees its parameters and nothing of whoever calls it.
        let outer = std::mem::take(&mut self.locals);
        let value = match body {
            FunctionBody::Lambda(None) => self.default_of(result_type),
            FunctionBody::Lambda(Some(body)) => {
                self.bind_values(&params, values);
                self.value(body, result_type)
            }
            FunctionBody::Procedure(body) if is_pure => {
                self.bind_values(&params, values);
                let never = self.x.bool(false);
                let start = Execution { done: never, left: never, result: self.default_of(result_type) };
                self.execute(&[body], start).result
            }
            FunctionBody::Procedure(body) => match self.hoisted.take() {
                Some(mut before) => {
                    for (param, value) in params.iter().zip(values) {
                        let slots = self.slots(self.project.written[self.project.ast.params[*param].ty]);
                        let text = self.project.ast.text(self.project.ast.params[*param].ident).to_owned();
                        let names = self.local(&text, &slots, &value, &mut before);
                        self.locals.push((Def::Param(*param), Bound::Variables(names)));
                    }
                    let value = self.inline(body, result_type, &mut before);
                    self.hoisted = Some(before);
                    value
                }
                None => {
                    let text = self.project.ast.text(self.project.ast.functions[function].ident).to_owned();
                    let message = format!(
                        "`{text}` changes variables or raises events, so it cannot be called here; call it in an action of its own"
                    );
                    self.error(Code::Misplaced, span, message);
                    self.default_of(result_type)
                }
            },
        };
        self.locals = outer;
        self.calls.pop();
        value
    }
    fn bind_values(&mut self, params: &[ParamId], values: Vec<Value>) {
        for (param, value) in params.iter().zip(values) {
            self.locals.push((Def::Param(*param), Bound::Value(value)));
        }
    }
    /// Whether a function changes nothing but its own variables.
    pub(super) fn is_pure(&mut self, function: FunctionId) -> bool {
        if let Some(known) = self.pure.get(&function) {
            return *known;
        }
        // Until the answer is known, recursion says nothing against it; it is refused elsewhere.
        self.pure.insert(function, true);
        let decl = &self.project.ast.functions[function];
        let own: Vec<Def> = decl.params.iter().flatten().map(|param| Def::Param(*param)).collect();
        let pure = match decl.body {
            FunctionBody::Lambda(None) => true,
            FunctionBody::Lambda(Some(body)) => self.calls_are_pure(body),
            FunctionBody::Procedure(body) => self.is_pure_action(body, &mut own.clone()),
        };
        self.pure.insert(function, pure);
        pure
    }
    fn is_pure_action(&mut self, action: ActionId, own: &mut Vec<Def>) -> bool {
        ir::deep(|| match &self.project.ast.actions[action].kind {
            ActionKind::Block(list) => list.iter().all(|action| self.is_pure_action(*action, own)),
            ActionKind::Declare(variable) => {
                own.push(Def::Variable(*variable));
                self.project.ast.variables[*variable]
                    .initial
                    .is_none_or(|initial| self.calls_are_pure(initial))
            }
            ActionKind::Return(value) => value.is_none_or(|value| self.calls_are_pure(value)),
            ActionKind::Nothing | ActionKind::Break => true,
            ActionKind::Expr(expr) => self.calls_are_pure(*expr),
            ActionKind::Assign { target, value } => {
                let root = self.root_of(*target);
                root.is_some_and(|root| own.contains(&root))
                    && self.calls_are_pure(*target)
                    && self.calls_are_pure(*value)
            }
            ActionKind::If { branches, otherwise }
            | ActionKind::Switch { cases: branches, default: otherwise, .. } => {
                let subject = match &self.project.ast.actions[action].kind {
                    ActionKind::Switch { value, .. } => self.calls_are_pure(*value),
                    _ => true,
                };
                subject
                    && branches.iter().all(|Branch { guard, action }| {
                        self.calls_are_pure(*guard) && self.is_pure_action(*action, own)
                    })
                    && otherwise.is_none_or(|action| self.is_pure_action(action, own))
            }
            ActionKind::For { values, body, .. } => {
                self.calls_are_pure(*values) && self.is_pure_action(*body, own)
            }
            ActionKind::Assert(_)
            | ActionKind::Raise { .. }
            | ActionKind::Set { .. }
            | ActionKind::Choice(_) => false,
        })
    }
    /// What a target of an assignment is a part of.
    pub(super) fn root_of(&self, target: ExprId) -> Option<Def> {
        let mut at = target;
        loop {
            match self.project.ast.exprs[at].kind {
                ExprKind::Name(reference) => return self.project.def(reference),
                ExprKind::Field(base, _) | ExprKind::Index(base, _) => at = base,
                _ => return None,
            }
        }
    }
    /// Whether all functions that an expression calls are pure.
    fn calls_are_pure(&mut self, expr: ExprId) -> bool {
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            match &self.project.ast.exprs[expr].kind {
                ExprKind::Name(reference) => {
                    if let Some(Def::Function(function)) = self.project.def(*reference)
                        && !ir::deep(|| self.is_pure(function))
                    {
                        return false;
                    }
                }
                kind => parts(kind, &mut open),
            }
        }
        true
    }
    /// Executes statements on expressions.
    fn execute(&mut self, list: &[ActionId], mut state: Execution) -> Execution {
        let depth = self.locals.len();
        for action in list {
            match (self.x.known(state.done), self.x.known(state.left)) {
                (Some(true), _) | (_, Some(true)) => break,
                (Some(false), Some(false)) => state = ir::deep(|| self.execute_one(*action, state)),
                _ => {
                    // What happens behind a place where some executions have gone on elsewhere is for the others.
                    let before = self.locals.clone();
                    let never = self.x.bool(false);
                    let gone = self.x.or(&[state.done, state.left]);
                    let going = Execution { done: never, left: never, result: state.result.clone() };
                    let after = ir::deep(|| self.execute_one(*action, going));
                    state = self.join(gone, (before, state), after);
                }
            }
        }
        self.locals.truncate(depth);
        state
    }
    /// What has become of variables and of the execution: `yes` where a condition holds, else what they are now.
    fn join(
        &mut self,
        condition: x::ExprId,
        yes: (Vec<(Def, Bound)>, Execution),
        no: Execution,
    ) -> Execution {
        let (locals, yes) = yes;
        for (at, (def, bound)) in locals.into_iter().enumerate() {
            let Some((known, now)) = self.locals.get(at).cloned() else { break };
            if let (true, Bound::Value(a), Bound::Value(b)) = (known == def, bound, now) {
                let joined = a.into_iter().zip(b).map(|(a, b)| self.x.ite(condition, a, b)).collect();
                self.locals[at].1 = Bound::Value(joined);
            }
        }
        let done = self.either(condition, yes.done, no.done);
        let left = self.either(condition, yes.left, no.left);
        let result =
            yes.result.into_iter().zip(no.result).map(|(a, b)| self.x.ite(condition, a, b)).collect();
        Execution { done, left, result }
    }
    /// What holds on the side that is taken.
    fn either(&mut self, condition: x::ExprId, yes: x::ExprId, no: x::ExprId) -> x::ExprId {
        if let (Some(a), Some(b)) = (self.x.known(yes), self.x.known(no))
            && a == b
        {
            return self.x.bool(a);
        }
        let not = self.x.not(condition);
        let (a, b) = (self.x.and(&[condition, yes]), self.x.and(&[not, no]));
        self.x.or(&[a, b])
    }
    fn execute_one(&mut self, action: ActionId, state: Execution) -> Execution {
        match &self.project.ast.actions[action].kind {
            ActionKind::Block(list) => self.execute(list, state),
            ActionKind::Declare(variable) => {
                let decl = &self.project.ast.variables[*variable];
                let ty = self.project.written[decl.ty];
                let value = match decl.initial {
                    Some(initial) => self.value(initial, ty),
                    None => self.default_of(ty),
                };
                self.locals.push((Def::Variable(*variable), Bound::Value(value)));
                state
            }
            ActionKind::Return(value) => {
                let result = match value {
                    Some(value) => self.expr(*value),
                    None => vec![],
                };
                Execution { done: self.x.bool(true), result, ..state }
            }
            ActionKind::Break => Execution { left: self.x.bool(true), ..state },
            ActionKind::Assign { target, value } => {
                let value = self.expr(*value);
                self.assign_value(*target, value);
                state
            }
            ActionKind::If { branches, otherwise } => {
                let branches: Vec<(x::ExprId, ActionId)> =
                    branches.iter().map(|branch| (self.condition(branch.guard), branch.action)).collect();
                self.execute_branches(&branches, *otherwise, state)
            }
            ActionKind::Switch { value, cases, default } => {
                let value = self.expr(*value);
                let mut branches = vec![];
                for case in cases {
                    let known = self.expr(case.guard);
                    branches.push((self.equal(&value, &known), case.action));
                }
                self.execute_branches(&branches, *default, state)
            }
            ActionKind::For { param, values, body } => {
                let mut state = state;
                for value in self.loop_values(*values) {
                    self.locals.push((Def::Param(*param), Bound::Value(value)));
                    state = self.execute(&[*body], state);
                    self.locals.pop();
                }
                Execution { left: self.x.bool(false), ..state }
            }
            _ => state,
        }
    }
    fn execute_branches(
        &mut self,
        branches: &[(x::ExprId, ActionId)],
        otherwise: Option<ActionId>,
        state: Execution,
    ) -> Execution {
        let Some(((condition, action), rest)) = branches.split_first() else {
            return match otherwise {
                Some(action) => self.execute(&[action], state),
                None => state,
            };
        };
        let before = self.locals.clone();
        let yes = self.execute(&[*action], state.clone());
        let changed = std::mem::replace(&mut self.locals, before);
        let no = ir::deep(|| self.execute_branches(rest, otherwise, state));
        self.join(*condition, (changed, yes), no)
    }
    /// Gives a part of a variable that stands for a value another one.
    fn assign_value(&mut self, target: ExprId, value: Value) {
        let Some(root) = self.root_of(target) else { return };
        let Some(at) = self.locals.iter().rposition(|(def, _)| *def == root) else { return };
        let Bound::Value(old) = self.locals[at].1.clone() else { return };
        let (range, positions) = self.place_within(target, old.len());
        let mut new = old.clone();
        for (slot, value) in range.zip(value) {
            new[slot] = self.written_at(old[slot], &positions, value);
        }
        self.locals[at].1 = Bound::Value(new);
    }
    fn written_at(&mut self, array: x::ExprId, positions: &[x::ExprId], value: x::ExprId) -> x::ExprId {
        let Some((first, rest)) = positions.split_first() else { return value };
        let inner = self.x.read(array, *first);
        let inner = self.written_at(inner, rest, value);
        self.x.written(array, *first, inner)
    }
}

/// The direct parts of an expression.
fn parts(kind: &ExprKind, out: &mut Vec<ExprId>) {
    match kind {
        ExprKind::Index(a, b) | ExprKind::Compare(_, a, b) => out.extend([*a, *b]),
        ExprKind::Field(a, _)
        | ExprKind::Negate(a)
        | ExprKind::Plus(a)
        | ExprKind::Not(a)
        | ExprKind::Select(a)
        | ExprKind::Time(a, _)
        | ExprKind::Quantified(_, _, a) => out.push(*a),
        ExprKind::Call(function, arguments) => {
            out.push(*function);
            out.extend(arguments);
        }
        ExprKind::Array(list) | ExprKind::Logic(_, list) => out.extend(list),
        ExprKind::Record { fields, .. } => out.extend(fields.iter().map(|(_, value)| *value)),
        ExprKind::Range { from, to, .. } => out.extend([*from, *to]),
        ExprKind::Product(first, rest) => {
            out.push(*first);
            out.extend(rest.iter().map(|(_, operand)| *operand));
        }
        ExprKind::Sum(first, rest) => {
            out.push(*first);
            out.extend(rest.iter().map(|(_, operand)| *operand));
        }
        ExprKind::Conditional(a, b, c) => out.extend([*a, *b, *c]),
        _ => {}
    }
}
