//! Rules of functions: they end, and return what they say.

use super::Validator;
use crate::code::Code;
use crate::gamma::ast::*;
use crate::gamma::project::Def;
use crate::gamma::types::TyKind;

impl Validator<'_> {
    pub(super) fn functions(&mut self) {
        let ast = self.ast();
        for function in ast.functions.iter() {
            let FunctionBody::Procedure(body) = function.body else { continue };
            let result = self.project.kind(self.project.written[function.result]);
            let ended = self.returns(body);
            if !ended && !matches!(result, TyKind::Void | TyKind::Unknown) {
                let name = ast.text(function.ident);
                let message = format!("`{name}` may end without returning a value; add a `return`");
                self.error(Code::WrongReturn, function.ident.span, message);
            }
            if matches!(&ast.actions[body].kind, ActionKind::Block(list) if list.is_empty()) {
                let message = format!("procedure `{}` does nothing", ast.text(function.ident));
                self.warn(Code::Empty, function.ident.span, message);
            }
        }
        self.recursion();
    }
    /// Whether every way through a statement ends in a `return`; what comes after one is never done.
    fn returns(&mut self, action: ActionId) -> bool {
        let ast = self.ast();
        match &ast.actions[action].kind {
            ActionKind::Return(_) => true,
            ActionKind::Block(list) => {
                let mut returned = false;
                for &inner in list {
                    if returned {
                        let message = "this is never done, as the procedure has returned before";
                        self.error(Code::WrongReturn, ast.actions[inner].span, message);
                        return true;
                    }
                    returned = ir::deep(|| self.returns(inner));
                }
                returned
            }
            ActionKind::If { branches, otherwise } => {
                let is_else = |branch: &Branch| ast.exprs[branch.guard].kind == ExprKind::Else;
                let mut all = otherwise.is_some() || branches.iter().any(is_else);
                for inner in branches.iter().map(|branch| branch.action).chain(*otherwise) {
                    all &= ir::deep(|| self.returns(inner));
                }
                all
            }
            ActionKind::Switch { value, cases, default } => {
                let mut all = default.is_some() || self.covers(*value, cases);
                for inner in cases.iter().map(|case| case.action).chain(*default) {
                    all &= ir::deep(|| self.returns(inner));
                }
                all
            }
            ActionKind::Choice(branches) => {
                let mut all = !branches.is_empty();
                for branch in branches {
                    all &= ir::deep(|| self.returns(branch.action));
                }
                all
            }
            ActionKind::For { body, .. } => {
                self.returns(*body);
                false
            }
            _ => false,
        }
    }
    /// Whether there is a case for each literal of an enumeration.
    fn covers(&self, value: ExprId, cases: &[Branch]) -> bool {
        let TyKind::Enum(id) = *self.project.type_of(value) else { return false };
        let TypeKind::Enum(literals) = &self.ast().types[id].kind else { return false };
        (0..literals.len() as u32).all(|at| {
            cases.iter().any(|case| match self.ast().exprs[case.guard].kind {
                ExprKind::Literal { literal, .. } => self.project.defs[literal] == Some(Def::Literal(id, at)),
                _ => false,
            })
        })
    }
    /// No function calls itself, as calls are replaced by what they do.
    fn recursion(&mut self) {
        let mut colour = vec![0u8; self.ast().functions.len()];
        for id in self.ast().functions.ids() {
            self.follow_calls(id, &mut colour);
        }
    }
    fn follow_calls(&mut self, id: FunctionId, colour: &mut [u8]) {
        let at = ir::Id::index(id);
        if colour[at] == 2 {
            return;
        }
        let function = &self.ast().functions[id];
        if colour[at] == 1 {
            let message = format!(
                "function `{}` calls itself, which is not supported",
                self.ast().text(function.ident)
            );
            self.error(Code::UnsupportedRecursion, function.ident.span, message);
            return;
        }
        colour[at] = 1;
        let mut called = vec![];
        match function.body {
            FunctionBody::Lambda(value) => value.iter().for_each(|value| self.called_in(*value, &mut called)),
            FunctionBody::Procedure(body) => self.called_by(body, &mut called),
        }
        for other in called {
            ir::deep(|| self.follow_calls(other, colour));
        }
        colour[at] = 2;
    }
    fn called_in(&self, expr: ExprId, called: &mut Vec<FunctionId>) {
        let mut used = vec![];
        super::names_in(self.ast(), expr, &mut used);
        called.extend(used.into_iter().filter_map(|used| match self.project.defs[used] {
            Some(Def::Function(function)) => Some(function),
            _ => None,
        }));
    }
    fn called_by(&self, action: ActionId, called: &mut Vec<FunctionId>) {
        each_expr(self.ast(), action, &mut |expr| self.called_in(expr, called));
    }
}

/// All expressions of a statement and of those within it, without the parts of expressions.
pub(super) fn each_expr(ast: &Ast, action: ActionId, visit: &mut dyn FnMut(ExprId)) {
    let mut inner: Vec<ActionId> = vec![];
    match &ast.actions[action].kind {
        ActionKind::Block(list) => inner.extend(list),
        ActionKind::Declare(variable) => ast.variables[*variable].initial.iter().for_each(|e| visit(*e)),
        ActionKind::Return(value) => value.iter().for_each(|e| visit(*e)),
        ActionKind::Break | ActionKind::Nothing => {}
        ActionKind::Assign { target, value } => {
            visit(*target);
            visit(*value);
        }
        ActionKind::Assert(value) | ActionKind::Expr(value) => visit(*value),
        ActionKind::Raise { arguments, .. } => arguments.iter().for_each(|e| visit(*e)),
        ActionKind::Set { time, .. } => visit(time.value),
        ActionKind::If { branches, otherwise } => {
            for branch in branches {
                visit(branch.guard);
                inner.push(branch.action);
            }
            inner.extend(otherwise);
        }
        ActionKind::Switch { value, cases, default } => {
            visit(*value);
            for case in cases {
                visit(case.guard);
                inner.push(case.action);
            }
            inner.extend(default);
        }
        ActionKind::For { values, body, .. } => {
            visit(*values);
            inner.push(*body);
        }
        ActionKind::Choice(branches) => {
            for branch in branches {
                visit(branch.guard);
                inner.push(branch.action);
            }
        }
    }
    for action in inner {
        ir::deep(|| each_expr(ast, action, visit));
    }
}
