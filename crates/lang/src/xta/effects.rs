//! Which expressions and functions change something, as far as their text tells.
//!
//! The answer "no effects" is certain. It is used to decide whether values must be kept while a later
//! part of an expression is evaluated, and whether a parameter given by value can be a constant.

use rustc_hash::FxHashSet;

use crate::xta::ast::*;
use crate::xta::elaborate::Elaborator;
use crate::xta::scope::Symbol;

impl Elaborator {
    /// Whether evaluating an expression may change a variable.
    pub(crate) fn has_effects(&mut self, expr: ExprId) -> bool {
        if let Some(known) = self.effects.get(&expr) {
            return *known;
        }
        let ast = self.ast.clone();
        let result = match &ast.exprs[expr].kind {
            ExprKind::Assign(..) | ExprKind::Step { .. } => true,
            ExprKind::Call(function, args) => {
                let callee = match ast.exprs[*function].kind {
                    ExprKind::Name(name) => match self.lookup(name) {
                        Some(Symbol::Function(id, _)) => Some(*id),
                        _ => None,
                    },
                    _ => None,
                };
                args.iter().any(|arg| ir::deep(|| self.has_effects(*arg)))
                    || callee.is_some_and(|callee| self.function_has_effects(callee))
            }
            kind => {
                let mut children = vec![];
                for_each_child(kind, |child| children.push(child));
                children.into_iter().any(|child| ir::deep(|| self.has_effects(child)))
            }
        };
        self.effects.insert(expr, result);
        result
    }
    pub(crate) fn function_has_effects(&mut self, id: FunctionId) -> bool {
        let ast = &self.ast;
        *self.function_effects.entry(id).or_insert_with(|| !written_by_function(ast, id).is_empty())
    }
}

/// The names that a function may change although they are not its own.
fn written_by_function(ast: &Ast, id: FunctionId) -> FxHashSet<Name> {
    let mut walk = Walk::new(ast);
    walk.function(id);
    walk.written
}

/// The names that the edges and functions of a template may change although they are not declared
/// there; parameters are.
pub(crate) fn written_by_template(ast: &Ast, template: &Template) -> FxHashSet<Name> {
    let mut walk = Walk::new(ast);
    let functions = template.decls.iter().filter_map(|decl| match decl {
        Decl::Function(id) => Some(*id),
        _ => None,
    });
    let own: FxHashSet<FunctionId> = functions.collect();
    // Other functions do not know its names.
    walk.seen.extend(ast.functions.ids().filter(|id| !own.contains(id)));
    own.into_iter().for_each(|id| walk.function(id));
    for edge in template.all_edges() {
        for expr in edge.guard.iter().chain(&edge.update) {
            walk.expr(*expr);
        }
    }
    walk.written
}

/// The names that expressions may change.
pub(crate) fn written_by(ast: &Ast, exprs: &[ExprId]) -> FxHashSet<Name> {
    let mut walk = Walk::new(ast);
    exprs.iter().for_each(|expr| walk.expr(*expr));
    walk.written
}

struct Walk<'a> {
    ast: &'a Ast,
    /// Names declared around the current place, innermost last.
    own: Vec<Name>,
    written: FxHashSet<Name>,
    /// Functions that are not looked into, or not again.
    seen: FxHashSet<FunctionId>,
}

impl<'a> Walk<'a> {
    fn new(ast: &'a Ast) -> Self {
        Walk { ast, own: vec![], written: FxHashSet::default(), seen: FxHashSet::default() }
    }
    fn function(&mut self, id: FunctionId) {
        if !self.seen.insert(id) {
            return;
        }
        let function = &self.ast.functions[id];
        let before = std::mem::take(&mut self.own);
        // What is given by reference belongs to the caller.
        self.own.extend(function.params.iter().filter(|p| !p.by_reference).map(|p| p.var.ident.name));
        self.stmt(function.body);
        self.own = before;
    }
    fn stmt(&mut self, stmt: StmtId) {
        ir::deep(|| self.stmt_here(stmt));
    }
    fn stmt_here(&mut self, stmt: StmtId) {
        let depth = self.own.len();
        match &self.ast.stmts[stmt].kind {
            StmtKind::Block(decls, list) => {
                for decl in decls {
                    if let Decl::Var(var) = decl {
                        var.initial.into_iter().for_each(|initial| self.expr(initial));
                        self.own.push(var.ident.name);
                    }
                }
                list.iter().for_each(|stmt| self.stmt(*stmt));
            }
            StmtKind::Expr(expr) => self.expr(*expr),
            StmtKind::If(condition, then, otherwise) => {
                self.expr(*condition);
                self.stmt(*then);
                otherwise.iter().for_each(|stmt| self.stmt(*stmt));
            }
            StmtKind::While(condition, body) | StmtKind::DoWhile(body, condition) => {
                self.expr(*condition);
                self.stmt(*body);
            }
            StmtKind::For(parts, body) => {
                parts.iter().flatten().for_each(|expr| self.expr(*expr));
                self.stmt(*body);
            }
            StmtKind::Iterate(ident, _, body) => {
                self.own.push(ident.name);
                self.stmt(*body);
            }
            StmtKind::Return(value) => value.iter().for_each(|value| self.expr(*value)),
            StmtKind::Empty => {}
        }
        self.own.truncate(depth);
    }
    fn expr(&mut self, expr: ExprId) {
        ir::deep(|| self.expr_here(expr));
    }
    fn expr_here(&mut self, expr: ExprId) {
        let kind = &self.ast.exprs[expr].kind;
        match kind {
            ExprKind::Assign(_, place, _) | ExprKind::Step { place, .. } => self.write(*place),
            ExprKind::Call(function, args) => {
                if let ExprKind::Name(name) = self.ast.exprs[*function].kind {
                    // Every function of this name: local ones hide global ones, both are few.
                    let named: Vec<FunctionId> = self
                        .ast
                        .functions
                        .entries()
                        .filter(|(_, f)| f.ident.name == name)
                        .map(|(id, _)| id)
                        .collect();
                    for id in named {
                        self.function(id);
                        for (param, arg) in self.ast.functions[id].params.iter().zip(args) {
                            if param.by_reference {
                                self.write(*arg);
                            }
                        }
                    }
                }
            }
            _ => {}
        }
        for_each_child(kind, |child| self.expr(child));
    }
    /// The variable at the root of a place is changed.
    fn write(&mut self, mut place: ExprId) {
        loop {
            match self.ast.exprs[place].kind {
                ExprKind::Index(base, _) | ExprKind::Field(base, _) => place = base,
                ExprKind::Assign(_, base, _) | ExprKind::Step { place: base, .. } => place = base,
                ExprKind::Name(name) => {
                    if !self.own.contains(&name) {
                        self.written.insert(name);
                    }
                    return;
                }
                _ => return,
            }
        }
    }
}

/// Calls `visit` on the direct sub-expressions.
pub(crate) fn for_each_child(kind: &ExprKind, mut visit: impl FnMut(ExprId)) {
    match kind {
        ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Double
        | ExprKind::Text
        | ExprKind::Name(_)
        | ExprKind::Deadlock => {}
        ExprKind::Not(a) | ExprKind::Minus(a) | ExprKind::Plus(a) | ExprKind::Rate(a) => visit(*a),
        ExprKind::Step { place, .. } => visit(*place),
        ExprKind::Field(a, _) | ExprKind::Quantified(_, _, _, a) => visit(*a),
        ExprKind::Assign(_, a, b) | ExprKind::Index(a, b) => {
            visit(*a);
            visit(*b);
        }
        ExprKind::Choose(a, b, c) => {
            visit(*a);
            visit(*b);
            visit(*c);
        }
        ExprKind::Chain(first, rest) => {
            visit(*first);
            rest.iter().for_each(|(_, expr)| visit(*expr));
        }
        ExprKind::Call(_, args) | ExprKind::Spawn(args) => args.iter().for_each(|arg| visit(*arg)),
        ExprKind::List(items) => items.iter().for_each(|(_, item)| visit(*item)),
    }
}
