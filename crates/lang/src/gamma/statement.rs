//! Names and types of statements.

use super::ast::*;
use super::project::Def;
use super::resolve::Resolver;
use super::scope::{Scope, duplicate, place};
use super::types::{Ty, TyKind};
use crate::code::Code;

impl Resolver<'_> {
    /// Statements in order; what one declares is visible in those behind it.
    pub(super) fn actions(&mut self, list: &[ActionId], scope: &mut Scope, result: Option<Ty>) {
        let before = scope.locals.len();
        self.list(list, scope, result);
        scope.locals.truncate(before);
    }
    fn list(&mut self, list: &[ActionId], scope: &mut Scope, result: Option<Ty>) {
        let before = scope.locals.len();
        for &action in list {
            if let ActionKind::Declare(variable) = self.ast.actions[action].kind {
                self.declare(variable, scope, before);
            } else {
                self.action(action, scope, result);
            }
        }
    }
    fn declare(&mut self, id: VariableId, scope: &mut Scope, before: usize) {
        self.initial(id, scope);
        let ident = self.ast.variables[id].ident;
        let first = scope.locals[before..].iter().find(|(name, _)| *name == ident.name);
        if let Some(&(_, first)) = first {
            self.diagnostics.push(duplicate(self.ast, ident, place(self.ast, first)));
        }
        scope.locals.push((ident.name, Def::Variable(id)));
    }
    /// One statement; `result` is the type of the function that it is in.
    pub(super) fn action(&mut self, id: ActionId, scope: &mut Scope, result: Option<Ty>) {
        let before = scope.locals.len();
        ir::deep(|| self.action_kind(id, scope, result));
        scope.locals.truncate(before);
    }
    fn action_kind(&mut self, id: ActionId, scope: &mut Scope, result: Option<Ty>) {
        let ast = self.ast;
        let span = ast.actions[id].span;
        match &ast.actions[id].kind {
            ActionKind::Block(list) => self.list(list, scope, result),
            ActionKind::Declare(variable) => self.declare(*variable, scope, scope.locals.len()),
            ActionKind::Return(value) => self.returned(*value, span, scope, result),
            ActionKind::Break | ActionKind::Nothing => {}
            ActionKind::Assign { target, value } => {
                let ty = self.expr(*target, scope);
                self.expr(*value, scope);
                self.assignable(*target);
                self.expect(*value, ty, "what is assigned to");
            }
            ActionKind::Assert(claim) => self.condition(*claim, scope, "what is asserted"),
            ActionKind::Expr(value) => {
                self.expr(*value, scope);
                if !matches!(ast.exprs[*value].kind, ExprKind::Call(..)) {
                    let equality = matches!(ast.exprs[*value].kind, ExprKind::Compare(CompareOp::Equal, ..));
                    let hint = if equality { "; an assignment is written `:=`" } else { "" };
                    self.warn(Code::IgnoredPart, span, format!("this statement changes nothing{hint}"));
                }
            }
            ActionKind::Raise { event, arguments } => {
                for &argument in arguments {
                    self.expr(argument, scope);
                }
                self.raised(*event, arguments, scope);
            }
            ActionKind::Set { timeout, time } => {
                if let Some(Def::Timeout(timeout)) = self.own(&scope.timeouts, "timeout", *timeout) {
                    self.timeout_sets[timeout].push(id);
                }
                self.expr(time.value, scope);
                self.expect_integer(time.value, "a time");
            }
            ActionKind::If { branches, otherwise } => {
                for branch in branches {
                    // `elseif (else)` is another way to write `else`.
                    self.guard(branch.guard, scope);
                    self.action(branch.action, scope, result);
                }
                if let Some(otherwise) = otherwise {
                    self.action(*otherwise, scope, result);
                }
            }
            ActionKind::Switch { value, cases, default } => {
                let ty = self.expr(*value, scope);
                for case in cases {
                    self.expr(case.guard, scope);
                    self.expect(case.guard, ty, "the value of `switch`");
                    self.action(case.action, scope, result);
                }
                if let Some(default) = default {
                    self.action(*default, scope, result);
                }
                self.covered(ty, cases, *default, span);
            }
            ActionKind::For { param, values, body } => {
                let ty = self.expr(*values, scope);
                let Param { ident, ty: written } = ast.params[*param];
                let element = self.ty(written, scope);
                self.each(ty, element, *values, ast.types[written].span);
                scope.locals.push((ident.name, Def::Param(*param)));
                self.action(*body, scope, result);
            }
            ActionKind::Choice(branches) => {
                for branch in branches {
                    self.guard(branch.guard, scope);
                    self.action(branch.action, scope, result);
                }
            }
        }
    }
    fn returned(&mut self, value: Option<ExprId>, span: ir::Span, scope: &mut Scope, result: Option<Ty>) {
        if let Some(value) = value {
            self.expr(value, scope);
        }
        let Some(result) = result else {
            self.error(Code::Misplaced, span, "only procedures return; remove this");
            return;
        };
        let void = *self.types.kind(result) == TyKind::Void;
        match value {
            Some(_) if void => {
                self.error(Code::WrongReturn, span, "this procedure is `void`; it returns no value");
            }
            Some(value) => self.expect(value, result, "the result of this procedure"),
            None if void || self.types.kind(result).is_unknown() => {}
            None => {
                let message =
                    format!("this procedure returns {}; name a value", self.types.shown(self.ast, result));
                self.error(Code::WrongReturn, span, message);
            }
        }
    }
    /// What is assigned to is a variable, or a part of one.
    fn assignable(&mut self, target: ExprId) {
        let mut root = target;
        loop {
            match self.ast.exprs[root].kind {
                ExprKind::Index(inner, _) | ExprKind::Field(inner, _) => root = inner,
                ExprKind::Name(used) => {
                    let what = match self.defs[used] {
                        Some(Def::Variable(id)) if self.ast.variables[id].constant => "a constant",
                        Some(Def::Function(_)) => "a function",
                        _ => return,
                    };
                    let message =
                        format!("`{}` is {what}; it cannot be assigned to", self.ast.ref_text(used));
                    self.error(Code::NotAssignable, self.ast.exprs[root].span, message);
                    return;
                }
                _ => {
                    let message = "only a variable, an entry of an array or a field can be assigned to";
                    self.error(Code::NotAssignable, self.ast.exprs[target].span, message);
                    return;
                }
            }
        }
    }
    /// What the loop goes over has values of the type of its variable.
    fn each(&mut self, values: Ty, element: Ty, at: ExprId, written: ir::Span) {
        let found = match *self.types.kind(values) {
            TyKind::IntegerRange => self.types.integer,
            TyKind::Array { element, .. } => element,
            ref kind if kind.is_unknown() => return,
            _ => {
                let found = self.types.shown(self.ast, values);
                let message = format!("`for` goes over a range or an array, but this is {found}");
                self.error(Code::TypeMismatch, self.ast.exprs[at].span, message);
                return;
            }
        };
        if !self.types.fit(found, element) {
            let message = format!("the values of this loop are {}", self.types.shown(self.ast, found));
            self.error(Code::TypeMismatch, written, message);
        }
    }
    /// A `switch` over an enumeration has a case for each literal, or else a default.
    fn covered(&mut self, ty: Ty, cases: &[Branch], default: Option<ActionId>, span: ir::Span) {
        let TyKind::Enum(id) = *self.types.kind(ty) else { return };
        let TypeKind::Enum(literals) = &self.ast.types[id].kind else { return };
        let mut missing: Vec<bool> = vec![true; literals.len()];
        for case in cases {
            if let ExprKind::Literal { literal, .. } = self.ast.exprs[case.guard].kind
                && let Some(Def::Literal(owner, at)) = self.defs[literal]
                && owner == id
            {
                missing[at as usize] = false;
            }
        }
        let names = literals.iter().zip(&missing).filter(|(_, missing)| **missing);
        let names: Vec<String> =
            names.take(8).map(|(literal, _)| format!("`{}`", self.ast.text(*literal))).collect();
        match default {
            None if !names.is_empty() => {
                let message = format!("this `switch` has no case for {}, and no `default`", names.join(", "));
                self.warn(Code::MissingPart, span, message);
            }
            Some(default) if names.is_empty() => {
                let message = "there is a case for each literal; this `default` is never used";
                self.warn(Code::IgnoredPart, self.ast.actions[default].span, message);
            }
            _ => {}
        }
    }
}
