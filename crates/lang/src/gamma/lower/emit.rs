//! Trees of XSTS, built piece by piece: the target of the lowering.
//!
//! Constructors keep expressions small: what is known before the model runs is computed (with the meaning that the
//! operators have there), so that guards that never hold disappear together with what they guard. Expressions may be
//! shared; they are never changed.

use indexmap::IndexSet;
use ir::{Int, Span};
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::xsts::ast::*;

/// A model under construction.
#[derive(Default)]
pub(crate) struct Emit {
    pub(crate) model: Model,
    taken: IndexSet<String, FxBuildHasher>,
    /// Names that are literals of enumerations, whichever.
    literals: FxHashSet<Name>,
    /// The place of what is built now.
    pub(crate) span: Span,
}

/// Words that are no names in XSTS, for this program or for the original one.
const RESERVED: &[&str] = &[
    "type", "var", "ctrl", "trans", "tran", "init", "env", "prop", "ltl", "local", "havoc", "assume",
    "choice", "or", "if", "then", "else", "for", "from", "to", "do", "__delay", "true", "false", "iff",
    "xor", "rem", "default", "boolean", "integer", "rational", "clock", "nop", "ort", "par", "and", "not",
    "mod", "div",
];

impl Emit {
    /// A name that nothing else has, as near to `wanted` as can be.
    pub(crate) fn fresh(&mut self, wanted: &str) -> Name {
        let mut text = wanted.to_owned();
        let mut number = 1;
        while RESERVED.contains(&text.as_str()) || !self.taken.insert(text.clone()) {
            number += 1;
            text = format!("{wanted}_{number}");
        }
        self.model.names.intern(&text)
    }
    /// Keeps a name for literals.
    pub(crate) fn reserve(&mut self, text: &str) {
        self.taken.insert(text.to_owned());
    }
    /// The literals of an enumeration, as they can be written.
    pub(crate) fn literals<'a>(&mut self, wanted: impl Iterator<Item = &'a str>) -> Vec<Name> {
        let mut names: Vec<Name> = vec![];
        for text in wanted {
            let mut text = text.to_owned();
            while RESERVED.contains(&text.as_str())
                || names.iter().any(|name| self.model.names.text(*name) == text)
            {
                text.push('_');
            }
            self.taken.insert(text.clone());
            let name = self.model.names.intern(&text);
            self.literals.insert(name);
            names.push(name);
        }
        names
    }
    /// Adds an enumeration.
    pub(crate) fn enumeration(&mut self, name: &str, literals: &[Name]) -> Name {
        let name = self.fresh(name);
        let literals = literals.iter().map(|name| self.ident(*name)).collect();
        let ident = self.ident(name);
        self.model.types.push(TypeDecl { ident, literals });
        name
    }
    fn ident(&self, name: Name) -> Ident {
        Ident { name, span: self.span }
    }
    /// A type by its name.
    pub(crate) fn named(&mut self, text: &str) -> TypeId {
        let name = self.model.names.intern(text);
        self.type_name(name)
    }
    /// A type by its name.
    pub(crate) fn type_name(&mut self, name: Name) -> TypeId {
        self.model.type_exprs.push(TypeExpr { kind: TypeKind::Named(name), span: self.span })
    }
    /// Arrays over all integers.
    pub(crate) fn array_type(&mut self, element: TypeId) -> TypeId {
        let index = self.named("integer");
        self.model.type_exprs.push(TypeExpr { kind: TypeKind::Array(index, element), span: self.span })
    }
    /// Declares a state variable; its number in the system is its place in the list.
    pub(crate) fn variable(&mut self, name: Name, ty: TypeId, initial: Option<ExprId>, control: bool) {
        let ident = self.ident(name);
        self.model.vars.push(VarDecl { control, ident, ty, initial });
    }

    // Expressions.

    fn expr(&mut self, kind: ExprKind) -> ExprId {
        self.model.exprs.push(Expr { kind, span: self.span })
    }
    /// What an expression is.
    pub(crate) fn kind(&self, expr: ExprId) -> &ExprKind {
        &self.model.exprs[expr].kind
    }
    pub(crate) fn bool(&mut self, value: bool) -> ExprId {
        self.expr(ExprKind::Bool(value))
    }
    pub(crate) fn int(&mut self, value: impl Into<Int>) -> ExprId {
        self.expr(ExprKind::Int(value.into()))
    }
    /// A variable or a literal.
    pub(crate) fn name(&mut self, name: Name) -> ExprId {
        self.expr(ExprKind::Name(name))
    }
    /// A fraction.
    pub(crate) fn fraction(&mut self, numerator: Int, denominator: Int) -> ExprId {
        let (a, b) = (self.int(numerator), self.int(denominator));
        self.chain(ChainOp::Mod, &[a, b])
    }
    /// The truth value, if it is known.
    pub(crate) fn known(&self, expr: ExprId) -> Option<bool> {
        match self.kind(expr) {
            ExprKind::Bool(value) => Some(*value),
            _ => None,
        }
    }
    /// The integer, if it is known.
    pub(crate) fn known_int(&self, expr: ExprId) -> Option<&Int> {
        match self.kind(expr) {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }
    fn chain(&mut self, op: ChainOp, parts: &[ExprId]) -> ExprId {
        let chain = Chain { first: parts[0], rest: parts[1..].iter().map(|part| (op, *part)).collect() };
        self.expr(ExprKind::Chain(Box::new(chain)))
    }
    pub(crate) fn not(&mut self, expr: ExprId) -> ExprId {
        match self.kind(expr) {
            ExprKind::Bool(value) => {
                let value = !value;
                self.bool(value)
            }
            ExprKind::Unary(UnaryOp::Not, inner) => *inner,
            _ => self.expr(ExprKind::Unary(UnaryOp::Not, expr)),
        }
    }
    pub(crate) fn and(&mut self, parts: &[ExprId]) -> ExprId {
        self.junction(parts, true)
    }
    pub(crate) fn or(&mut self, parts: &[ExprId]) -> ExprId {
        self.junction(parts, false)
    }
    /// `&&` or `||`; `neutral` is what a part adds nothing by.
    fn junction(&mut self, parts: &[ExprId], neutral: bool) -> ExprId {
        let mut kept = vec![];
        for part in parts {
            match self.known(*part) {
                Some(value) if value == neutral => {}
                Some(_) => {
                    // What comes before may divide by zero and is kept.
                    kept.push(*part);
                    break;
                }
                None => kept.push(*part),
            }
        }
        match kept.as_slice() {
            [] => self.bool(neutral),
            [only] => *only,
            _ => self.chain(if neutral { ChainOp::And } else { ChainOp::Or }, &kept),
        }
    }
    pub(crate) fn xor(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.known(a), self.known(b)) {
            (Some(a), Some(b)) => self.bool(a != b),
            _ => self.chain(ChainOp::Xor, &[a, b]),
        }
    }
    pub(crate) fn ite(&mut self, condition: ExprId, a: ExprId, b: ExprId) -> ExprId {
        match self.known(condition) {
            Some(true) => a,
            Some(false) => b,
            None if a == b => a,
            None => self.expr(ExprKind::Ite(condition, a, b)),
        }
    }
    /// Equality of values of one type.
    pub(crate) fn equal(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let known = match (self.kind(a), self.kind(b)) {
            (ExprKind::Int(a), ExprKind::Int(b)) => Some(a == b),
            (ExprKind::Bool(a), ExprKind::Bool(b)) => Some(a == b),
            (ExprKind::Name(a), ExprKind::Name(b))
                if self.literals.contains(a) && self.literals.contains(b) =>
            {
                Some(a == b)
            }
            _ => None,
        };
        match (known, self.known(a), self.known(b)) {
            (Some(known), ..) => self.bool(known),
            (_, Some(true), _) => b,
            (_, _, Some(true)) => a,
            (_, Some(false), _) => self.not(b),
            (_, _, Some(false)) => self.not(a),
            _ => self.expr(ExprKind::Compare(CompareOp::Eq, a, b)),
        }
    }
    pub(crate) fn compare(&mut self, op: CompareOp, a: ExprId, b: ExprId) -> ExprId {
        if let (ExprKind::Int(a), ExprKind::Int(b)) = (self.kind(a), self.kind(b)) {
            let value = match op {
                CompareOp::Eq => a == b,
                CompareOp::Ne => a != b,
                CompareOp::Lt => a < b,
                CompareOp::Le => a <= b,
                CompareOp::Gt => a > b,
                CompareOp::Ge => a >= b,
            };
            return self.bool(value);
        }
        self.expr(ExprKind::Compare(op, a, b))
    }
    pub(crate) fn negate(&mut self, expr: ExprId) -> ExprId {
        match self.kind(expr) {
            ExprKind::Int(value) => {
                let value = -value;
                self.int(value)
            }
            _ => self.expr(ExprKind::Unary(UnaryOp::Minus, expr)),
        }
    }
    /// A sum, a product, or a quotient; division by zero stays as it is.
    pub(crate) fn arithmetic(&mut self, op: ChainOp, a: ExprId, b: ExprId) -> ExprId {
        if let (ExprKind::Int(a), ExprKind::Int(b)) = (self.kind(a), self.kind(b)) {
            let value = match op {
                ChainOp::Add => Some(a + b),
                ChainOp::Sub => Some(a - b),
                ChainOp::Mul => Some(a * b),
                ChainOp::Div => a.div(b),
                ChainOp::Mod => a.modulo(b),
                _ => None,
            };
            if let Some(value) = value {
                return self.int(value);
            }
        }
        self.chain(op, &[a, b])
    }
    /// An entry of an array.
    pub(crate) fn read(&mut self, array: ExprId, position: ExprId) -> ExprId {
        if let (ExprKind::Array(literal), Some(at)) = (self.kind(array), self.known_int(position)) {
            let found = literal.entries.iter().find(|(known, _)| self.known_int(*known) == Some(at));
            return found.map_or(literal.default, |(_, value)| *value);
        }
        self.expr(ExprKind::Postfix(array, Box::new([Postfix::Read(position)])))
    }
    /// An array with another value at a position.
    pub(crate) fn written(&mut self, array: ExprId, position: ExprId, value: ExprId) -> ExprId {
        self.expr(ExprKind::Postfix(array, Box::new([Postfix::Write(position, value)])))
    }
    /// An array with these entries.
    pub(crate) fn array(&mut self, entries: Vec<(ExprId, ExprId)>, default: ExprId) -> ExprId {
        let index = Some(self.named("integer"));
        self.expr(ExprKind::Array(Box::new(ArrayLiteral { entries, index, default })))
    }

    // Statements.

    pub(crate) fn stmt(&mut self, kind: StmtKind) -> StmtId {
        self.model.stmts.push(Stmt { kind, span: self.span })
    }
    pub(crate) fn assign(&mut self, name: Name, value: ExprId) -> StmtId {
        self.stmt(StmtKind::Assign(self.ident(name), Box::new([]), value))
    }
    pub(crate) fn assign_at(&mut self, name: Name, positions: &[ExprId], value: ExprId) -> StmtId {
        self.stmt(StmtKind::Assign(self.ident(name), positions.into(), value))
    }
    pub(crate) fn havoc(&mut self, name: Name) -> StmtId {
        self.stmt(StmtKind::Havoc(self.ident(name)))
    }
    pub(crate) fn assume(&mut self, condition: ExprId) -> StmtId {
        self.stmt(StmtKind::Assume(condition))
    }
    pub(crate) fn delay(&mut self) -> StmtId {
        self.stmt(StmtKind::Delay)
    }
    pub(crate) fn local(&mut self, name: Name, ty: TypeId, initial: Option<ExprId>) -> StmtId {
        self.stmt(StmtKind::Local(self.ident(name), ty, initial))
    }
    /// `if (condition) then else otherwise`, as far as that is open.
    pub(crate) fn branch(
        &mut self,
        condition: ExprId,
        then: Vec<StmtId>,
        otherwise: Vec<StmtId>,
    ) -> Vec<StmtId> {
        match self.known(condition) {
            Some(true) => then,
            Some(false) => otherwise,
            None if then.is_empty() && otherwise.is_empty() => vec![],
            None => {
                let (condition, then, otherwise) = match then.is_empty() {
                    true => (self.not(condition), otherwise, vec![]),
                    false => (condition, then, otherwise),
                };
                let then = self.braced(then);
                let otherwise = (!otherwise.is_empty()).then(|| self.braced(otherwise));
                vec![self.stmt(StmtKind::If(condition, then, otherwise))]
            }
        }
    }
    /// A block, even of one statement.
    pub(crate) fn braced(&mut self, list: Vec<StmtId>) -> StmtId {
        self.stmt(StmtKind::Block(list.into()))
    }
    /// One of several, any of them.
    pub(crate) fn choice(&mut self, branches: Vec<Vec<StmtId>>) -> StmtId {
        if branches.is_empty() {
            let never = self.bool(false);
            return self.assume(never);
        }
        let branches: Vec<StmtId> = branches.into_iter().map(|list| self.braced(list)).collect();
        self.stmt(StmtKind::Choice(branches.into()))
    }
}
