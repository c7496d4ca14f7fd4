//! Normalised text of a syntax tree.
//!
//! One layout, the current spelling, and parentheses only where the tree needs them:
//! `parse(print(m)) == m` for every tree that a text can have. Trees that no text can have (an `if`
//! without `else` directly before an `else`) get the braces that keep their meaning.

use std::fmt::Write;

use super::ast::*;

/// The text of `model`: types, variables, then `trans`, `init`, `env`, `prop` and `ltl`.
pub fn print(model: &Model) -> String {
    let mut printer = Printer { model, out: String::new(), indent: 0 };
    printer.model();
    printer.out
}

/// How many levels are indented; deeper ones stay there, so that text is linear in the tree.
const WIDEST: usize = 40;

struct Printer<'a> {
    model: &'a Model,
    out: String,
    indent: usize,
}

impl Printer<'_> {
    fn model(&mut self) {
        let model = self.model;
        for decl in &model.types {
            let literals: Vec<&str> =
                decl.literals.iter().map(|literal| model.names.text(literal.name)).collect();
            let _ = writeln!(
                self.out,
                "type {} : {{ {} }}",
                model.names.text(decl.ident.name),
                literals.join(", ")
            );
        }
        for decl in &model.vars {
            self.out.push_str(if decl.control { "ctrl var " } else { "var " });
            self.declaration(decl.ident, decl.ty, decl.initial);
            self.out.push('\n');
        }
        for (keyword, section) in [("trans", &model.trans), ("init", &model.init), ("env", &model.env)] {
            if let Some(section) = section {
                self.section_break();
                self.out.push_str(keyword);
                self.alternatives(&section.branches);
                self.out.push('\n');
            }
        }
        if let Some(prop) = model.prop {
            self.section_break();
            self.out.push_str("prop {\n    ");
            self.expr(prop.expr, Level::Ite);
            self.out.push_str("\n}\n");
        }
        for ltl in &model.ltl {
            self.section_break();
            let _ = writeln!(self.out, "ltl {{\n    {}\n}}", ltl.text);
        }
    }
    fn section_break(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }
    fn name(&mut self, name: Name) {
        self.out.push_str(self.model.names.text(name));
    }
    fn declaration(&mut self, ident: Ident, ty: TypeId, initial: Option<ExprId>) {
        self.name(ident.name);
        self.out.push_str(" : ");
        self.type_expr(ty);
        if let Some(initial) = initial {
            self.out.push_str(" = ");
            self.expr(initial, Level::Ite);
        }
    }
    fn type_expr(&mut self, ty: TypeId) {
        ir::deep(|| match self.model.type_exprs[ty].kind {
            TypeKind::Named(name) => self.name(name),
            TypeKind::Array(index, element) => {
                self.out.push('[');
                self.type_expr(index);
                self.out.push_str("] -> ");
                self.type_expr(element);
            }
            TypeKind::Error => self.out.push_str("error"),
        });
    }

    fn line(&mut self) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("    ", self.indent.min(WIDEST)));
    }
    /// ` a or b or c`
    fn alternatives(&mut self, branches: &[StmtId]) {
        for (at, branch) in branches.iter().enumerate() {
            self.out.push_str(if at == 0 { " " } else { " or " });
            // A choice that ends the branch would take the next `or` for itself.
            let braces = at + 1 < branches.len() && self.ends_with(*branch, Open::Or);
            self.part(*branch, braces);
        }
    }
    fn part(&mut self, stmt: StmtId, braces: bool) {
        if braces {
            self.block(&[stmt]);
        } else {
            self.stmt(stmt);
        }
    }
    fn block(&mut self, list: &[StmtId]) {
        if list.is_empty() {
            self.out.push_str("{}");
            return;
        }
        self.out.push('{');
        self.indent += 1;
        for stmt in list {
            self.line();
            self.stmt(*stmt);
        }
        self.indent -= 1;
        self.line();
        self.out.push('}');
    }
    fn stmt(&mut self, stmt: StmtId) {
        ir::deep(|| self.stmt_kind(&self.model.stmts[stmt].kind));
    }
    fn stmt_kind(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Block(list) => self.block(list),
            StmtKind::Local(ident, ty, initial) => {
                self.out.push_str("local var ");
                self.declaration(*ident, *ty, *initial);
                self.out.push(';');
            }
            StmtKind::Assign(target, positions, value) => {
                self.name(target.name);
                for position in positions {
                    self.out.push('[');
                    self.expr(*position, Level::Ite);
                    self.out.push(']');
                }
                self.out.push_str(" := ");
                self.expr(*value, Level::Ite);
                self.out.push(';');
            }
            StmtKind::Havoc(var) => {
                self.out.push_str("havoc ");
                self.name(var.name);
                self.out.push(';');
            }
            StmtKind::Assume(condition) => {
                self.out.push_str("assume ");
                self.expr(*condition, Level::Ite);
                self.out.push(';');
            }
            StmtKind::Choice(branches) => {
                self.out.push_str("choice");
                self.alternatives(branches);
            }
            StmtKind::If(condition, then, otherwise) => {
                self.out.push_str("if (");
                self.expr(*condition, Level::Ite);
                self.out.push_str(") ");
                self.part(*then, otherwise.is_some() && self.ends_with(*then, Open::Else));
                if let Some(otherwise) = otherwise {
                    self.out.push_str(" else ");
                    self.stmt(*otherwise);
                }
            }
            StmtKind::For(var, from, to, body) => {
                self.out.push_str("for ");
                self.name(var.name);
                self.out.push_str(" from ");
                self.expr(*from, Level::Ite);
                self.out.push_str(" to ");
                self.expr(*to, Level::Ite);
                self.out.push_str(" do ");
                self.stmt(*body);
            }
            StmtKind::Ort(blocks) => {
                self.out.push_str("ort");
                for block in blocks {
                    self.out.push(' ');
                    self.stmt(*block);
                }
            }
            StmtKind::Delay => self.out.push_str("__delay;"),
        }
    }
    /// Whether the text of `stmt` ends in something that takes a following `or` or `else`.
    fn ends_with(&self, stmt: StmtId, open: Open) -> bool {
        let mut stmt = stmt;
        loop {
            stmt = match &self.model.stmts[stmt].kind {
                StmtKind::Choice(_) if open == Open::Or => return true,
                StmtKind::Choice(branches) => match branches.last() {
                    Some(last) => *last,
                    None => return false,
                },
                StmtKind::If(_, _, None) if open == Open::Else => return true,
                StmtKind::If(_, last, None)
                | StmtKind::If(_, _, Some(last))
                | StmtKind::For(_, _, _, last) => *last,
                _ => return false,
            }
        }
    }

    /// `expr`, in parentheses unless it binds at least as tightly as `least`.
    fn expr(&mut self, expr: ExprId, least: Level) {
        ir::deep(|| {
            let kind = &self.model.exprs[expr].kind;
            if kind.level() < least {
                self.out.push('(');
                self.expr_kind(kind);
                self.out.push(')');
            } else {
                self.expr_kind(kind);
            }
        });
    }
    fn expr_kind(&mut self, kind: &ExprKind) {
        let level = kind.level();
        match kind {
            ExprKind::Bool(value) => {
                let _ = write!(self.out, "{value}");
            }
            ExprKind::Int(value) => {
                let _ = write!(self.out, "{value}");
            }
            ExprKind::Name(name) => self.name(*name),
            ExprKind::Unary(op, operand) => {
                self.out.push(match op {
                    UnaryOp::Not => '!',
                    UnaryOp::Minus => '-',
                    UnaryOp::Plus => '+',
                });
                self.expr(*operand, level);
            }
            ExprKind::Compare(op, a, b) => {
                self.expr(*a, level.tighter());
                let _ = write!(self.out, " {} ", op.text());
                self.expr(*b, level.tighter());
            }
            ExprKind::Chain(chain) => {
                self.expr(chain.first, level.tighter());
                for (op, operand) in &chain.rest {
                    let _ = write!(self.out, " {} ", op.text());
                    self.expr(*operand, level.tighter());
                }
            }
            ExprKind::Ite(condition, then, otherwise) => {
                self.out.push_str("if ");
                self.expr(*condition, Level::Ite);
                self.out.push_str(" then ");
                self.expr(*then, Level::Ite);
                self.out.push_str(" else ");
                self.expr(*otherwise, Level::Ite);
            }
            ExprKind::Postfix(base, list) => {
                self.expr(*base, Level::Primary);
                for postfix in list {
                    self.out.push('[');
                    match postfix {
                        Postfix::Read(position) => self.expr(*position, Level::Ite),
                        Postfix::Write(position, value) => {
                            self.expr(*position, Level::Ite);
                            self.out.push_str(" <- ");
                            self.expr(*value, Level::Ite);
                        }
                    }
                    self.out.push(']');
                }
            }
            ExprKind::Array(literal) => {
                self.out.push('[');
                for (position, value) in &literal.entries {
                    self.expr(*position, Level::Ite);
                    self.out.push_str(" <- ");
                    self.expr(*value, Level::Ite);
                    self.out.push_str(", ");
                }
                if let Some(index) = literal.index {
                    self.out.push('<');
                    self.type_expr(index);
                    self.out.push_str("> ");
                }
                self.out.push_str("default <- ");
                self.expr(literal.default, Level::Ite);
                self.out.push(']');
            }
        }
    }
}

/// What a statement may leave open at its end.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Open {
    Or,
    Else,
}
