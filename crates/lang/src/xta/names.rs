//! Names in functions, looked at where a function is declared.
//!
//! A function is inlined where it is called, which may be nowhere. That its names are declared before it
//! is found out at once: with its parameters and variables in scope, every name must stand for something.
//! What it stands for matters only to calls. Rates that nobody reads, and edges that nobody takes, are looked at in the same
//! way.

use crate::xta::Cause;
use crate::xta::ast::*;
use crate::xta::effects::for_each_child;
use crate::xta::elaborate::Elaborator;
use crate::xta::predefined::is_function;
use crate::xta::scope::{NotYet, Symbol};

impl Elaborator {
    /// Reports the names of a function that nothing before it declares.
    pub(crate) fn names_of_function(&mut self, function: &Function) {
        let ast = self.ast.clone();
        self.names_of_type(&ast, function.result);
        self.nested(|cx| {
            cx.scopes.announce(function.params.iter().map(|param| param.var.ident), NotYet::Parameter);
            for param in &function.params {
                cx.names_of_declaration(&ast, &param.var);
            }
            for param in &function.params {
                cx.declare(param.var.ident, Symbol::Broken);
            }
            match &ast.stmts[function.body].kind {
                StmtKind::Block(decls, list) => cx.names_of_block(&ast, decls, list),
                _ => cx.names_of_stmt(&ast, function.body),
            }
        });
    }
    fn names_of_block(&mut self, ast: &Ast, decls: &[Decl], list: &[StmtId]) {
        self.scopes.announce(decls.iter().map(|decl| decl.ident(ast)), NotYet::Later);
        for decl in decls {
            let ident = decl.ident(ast);
            match decl {
                Decl::Var(var) | Decl::Typedef(var) => self.names_of_declaration(ast, var),
                Decl::Unread(_) if self.lookup(ident.name).is_some() => continue,
                Decl::Unread(_) => {}
                _ => {
                    let message = format!("`{}` cannot be declared in a function", self.text(ident.name));
                    self.error(Cause::Misplaced, ident.span, message);
                }
            }
            self.declare(ident, Symbol::Broken);
        }
        list.iter().for_each(|stmt| self.names_of_stmt(ast, *stmt));
    }
    fn names_of_stmt(&mut self, ast: &Ast, stmt: StmtId) {
        ir::deep(|| match &ast.stmts[stmt].kind {
            StmtKind::Block(decls, list) => self.nested(|cx| cx.names_of_block(ast, decls, list)),
            StmtKind::Expr(expr) => self.names_of_expr(ast, *expr),
            StmtKind::If(condition, then, otherwise) => {
                self.names_of_expr(ast, *condition);
                self.names_of_stmt(ast, *then);
                otherwise.iter().for_each(|stmt| self.names_of_stmt(ast, *stmt));
            }
            StmtKind::While(condition, body) | StmtKind::DoWhile(body, condition) => {
                self.names_of_expr(ast, *condition);
                self.names_of_stmt(ast, *body);
            }
            StmtKind::For(parts, body) => {
                parts.iter().flatten().for_each(|expr| self.names_of_expr(ast, *expr));
                self.names_of_stmt(ast, *body);
            }
            StmtKind::Iterate(ident, ty, body) => {
                self.names_of_type(ast, *ty);
                self.nested(|cx| {
                    cx.declare(*ident, Symbol::Broken);
                    cx.names_of_stmt(ast, *body);
                });
            }
            StmtKind::Return(value) => value.iter().for_each(|value| self.names_of_expr(ast, *value)),
            StmtKind::Empty => {}
        });
    }
    fn names_of_declaration(&mut self, ast: &Ast, decl: &VarDecl) {
        self.names_of_type(ast, decl.ty);
        for dim in &decl.dims {
            match dim {
                Dim::Size(size) => self.names_of_expr(ast, *size),
                Dim::Type(ty) => self.names_of_type(ast, *ty),
            }
        }
        decl.initial.iter().for_each(|initial| self.names_of_expr(ast, *initial));
    }
    fn names_of_type(&mut self, ast: &Ast, ty: TypeId) {
        ir::deep(|| match &ast.types[ty].kind {
            TypeKind::Int(Some((low, high))) => {
                self.names_of_expr(ast, *low);
                self.names_of_expr(ast, *high);
            }
            TypeKind::Scalar(size) => self.names_of_expr(ast, *size),
            TypeKind::Struct(fields) => fields.iter().for_each(|field| self.names_of_declaration(ast, field)),
            TypeKind::Named(name) => self.must_be_known("type", *name, ast.types[ty].span),
            TypeKind::Bool
            | TypeKind::Int(None)
            | TypeKind::Clock
            | TypeKind::Chan
            | TypeKind::Void
            | TypeKind::Double
            | TypeKind::Text => {}
        });
    }
    /// Reports the names that nothing declares in edges from a branch point to which none leads. What any edge of the
    /// template selects may be meant to lead there.
    pub(crate) fn names_of_branches(&mut self, template: &Template, branch: &Branch) {
        let ast = self.ast.clone();
        let branches =
            template.branches.iter().flat_map(|branch| branch.incoming.iter().chain(&branch.outgoing));
        let selected = template.edges.iter().chain(branches).flat_map(|edge| &edge.select);
        self.nested(|cx| {
            selected.for_each(|(ident, _)| cx.declare(*ident, Symbol::Broken));
            for edge in &branch.outgoing {
                edge.select.iter().for_each(|(_, ty)| cx.names_of_type(&ast, *ty));
                let channel = edge.sync.iter().map(|sync| &sync.channel);
                edge.guard
                    .iter()
                    .chain(channel)
                    .chain(&edge.update)
                    .for_each(|expr| cx.names_of_expr(&ast, *expr));
            }
        });
    }
    /// Reports the names of an expression that nothing declares.
    pub(crate) fn names_of_expr(&mut self, ast: &Ast, expr: ExprId) {
        ir::deep(|| match &ast.exprs[expr].kind {
            ExprKind::Name(name) => self.must_be_known("variable", *name, ast.exprs[expr].span),
            ExprKind::Call(function, args) => {
                if let ExprKind::Name(name) = ast.exprs[*function].kind
                    && !is_function(self.text(name))
                {
                    self.must_be_known("function", name, ast.exprs[*function].span);
                }
                args.iter().for_each(|arg| self.names_of_expr(ast, *arg));
            }
            ExprKind::Quantified(_, ident, ty, body) => {
                self.names_of_type(ast, *ty);
                self.nested(|cx| {
                    cx.declare(*ident, Symbol::Broken);
                    cx.names_of_expr(ast, *body);
                });
            }
            kind => for_each_child(kind, |child| self.names_of_expr(ast, child)),
        });
    }
    fn must_be_known(&mut self, what: &str, name: Name, span: ir::Span) {
        if self.lookup(name).is_none() {
            self.unknown::<()>(what, name, span);
        }
    }
}
