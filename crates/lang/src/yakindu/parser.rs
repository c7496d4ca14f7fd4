//! From texts to the tree: definitions, reactions and expressions.
//!
//! A text is read to its first mistake; all texts of a document are read. Names are looked up at once, since definitions come
//! first.

use ir::{Int, Span};

use super::lexer::{self, Kind, Token};
use super::names::{Build, Meaning, TEXT, Ty};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::gamma::ast::*;
use crate::text::Text;

/// How deep expressions may be nested.
const NESTING: usize = 200;
/// How many divisions may be inside each other: each is written with its left side three times.
const MOST_DIVISIONS: usize = 6;

/// The error is told already.
pub(super) struct Failed;
pub(super) type Parse<T> = Result<T, Failed>;

/// An expression with its type.
#[derive(Copy, Clone)]
pub(super) struct Value {
    pub(super) expr: ExprId,
    pub(super) ty: Ty,
    /// How many divisions are inside each other.
    divisions: usize,
}

pub(super) struct Parser<'t, 'b, 'd> {
    text: &'t Text,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    pub(super) build: &'b mut Build<'d>,
}

impl<'t, 'b, 'd> Parser<'t, 'b, 'd> {
    pub(super) fn new(text: &'t Text, build: &'b mut Build<'d>) -> Self {
        let tokens = lexer::tokens(text, build.diagnostics);
        Parser { text, tokens, at: 0, depth: 0, build }
    }

    // Tokens.

    pub(super) fn token(&self) -> Token {
        self.tokens[self.at]
    }
    pub(super) fn kind(&self) -> Kind {
        self.token().kind
    }
    pub(super) fn is_end(&self) -> bool {
        self.kind() == Kind::End
    }
    fn text_of(&self, token: Token) -> &'t str {
        &self.text.decoded[token.start..token.end]
    }
    pub(super) fn word(&self) -> &'t str {
        self.text_of(self.token())
    }
    pub(super) fn word_at(&self, ahead: usize) -> &'t str {
        self.tokens.get(self.at + ahead).map_or("", |token| self.text_of(*token))
    }
    pub(super) fn place(&self, token: Token) -> Span {
        self.text.place(Span::new(token.start, token.end))
    }
    pub(super) fn span(&self) -> Span {
        self.place(self.token())
    }
    /// From a token to the last one that was taken.
    pub(super) fn from(&self, start: Token) -> Span {
        let last = self.tokens[self.at.saturating_sub(1)];
        self.text.place(Span::new(start.start, last.end.max(start.end)))
    }
    pub(super) fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }
    pub(super) fn is(&self, text: &str) -> bool {
        matches!(self.kind(), Kind::Word | Kind::Sign) && self.word() == text
    }
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.bump();
        }
        found
    }
    pub(super) fn expect(&mut self, text: &str) -> Parse<()> {
        if self.eat(text) { Ok(()) } else { self.unexpected(&format!("`{text}`")) }
    }
    pub(super) fn fail<T>(&mut self, code: Code, span: Span, message: impl Into<String>) -> Parse<T> {
        self.build.diagnostics.push(Diagnostic::error(code, span, message));
        Err(Failed)
    }
    pub(super) fn unexpected<T>(&mut self, wanted: &str) -> Parse<T> {
        let found = match self.kind() {
            Kind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.word().chars().take(40).collect::<String>()),
        };
        self.fail(Code::Syntax, self.span(), format!("expected {wanted}, found {found}"))
    }
    pub(super) fn name(&mut self, what: &str) -> Parse<(&'t str, Span)> {
        if self.kind() != Kind::Word {
            return self.unexpected(what);
        }
        let token = self.bump();
        Ok((self.text_of(token), self.place(token)))
    }
    /// `a.b.c`
    pub(super) fn path(&mut self) -> Parse<(String, Span)> {
        let start = self.token();
        let (first, _) = self.name("a name")?;
        let mut path = first.to_owned();
        while self.is(".") {
            self.bump();
            path = format!("{path}.{}", self.name("a name")?.0);
        }
        Ok((path, self.from(start)))
    }

    // Expressions.

    pub(super) fn expr(&mut self) -> Parse<Value> {
        if self.depth == NESTING {
            let message = format!("more than {NESTING} levels of nesting");
            return self.fail(Code::TooDeep, self.span(), message);
        }
        self.depth += 1;
        let value = ir::deep(|| self.conditional());
        self.depth -= 1;
        value
    }
    fn made(&mut self, kind: ExprKind, ty: Ty, start: Token, divisions: usize) -> Value {
        let span = self.from(start);
        Value { expr: self.build.expr(kind, span), ty, divisions }
    }
    fn conditional(&mut self) -> Parse<Value> {
        let start = self.token();
        let condition = self.logic(&["||"], LogicOp::Or)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let yes = self.expr()?;
        self.expect(":")?;
        let no = self.expr()?;
        let deepest = condition.divisions.max(yes.divisions).max(no.divisions);
        Ok(self.made(ExprKind::Conditional(condition.expr, yes.expr, no.expr), yes.ty, start, deepest))
    }
    fn logic(&mut self, signs: &[&str], op: LogicOp) -> Parse<Value> {
        let start = self.token();
        let mut operands = vec![];
        let mut deepest = 0;
        loop {
            let operand = if op == LogicOp::Or { self.logic(&["&&"], LogicOp::And)? } else { self.not()? };
            operands.push(operand);
            deepest = operand.divisions.max(deepest);
            if !signs.iter().any(|sign| self.eat(sign)) {
                break;
            }
        }
        if let [only] = operands[..] {
            return Ok(only);
        }
        let operands = operands.iter().map(|operand| operand.expr).collect();
        Ok(self.made(ExprKind::Logic(op, operands), Ty::Boolean, start, deepest))
    }
    fn not(&mut self) -> Parse<Value> {
        let start = self.token();
        if !self.is("!") {
            return self.comparison();
        }
        if self.depth == NESTING {
            return self.fail(Code::TooDeep, self.span(), format!("more than {NESTING} levels of nesting"));
        }
        self.bump();
        self.depth += 1;
        let inner = ir::deep(|| self.not());
        self.depth -= 1;
        let inner = inner?;
        Ok(self.made(ExprKind::Not(inner.expr), Ty::Boolean, start, inner.divisions))
    }
    fn comparison(&mut self) -> Parse<Value> {
        let start = self.token();
        let mut left = self.sum()?;
        loop {
            if let Some(sign) = ["^", "|", "&", "<<", ">>", "~"].into_iter().find(|sign| self.is(sign)) {
                let message = format!("operations on bits, such as `{sign}`, are not supported");
                return self.fail(Code::UnsupportedOperator, self.span(), message);
            }
            let signs = [
                ("==", CompareOp::Equal),
                ("!=", CompareOp::NotEqual),
                ("<=", CompareOp::LessEqual),
                (">=", CompareOp::GreaterEqual),
                ("<", CompareOp::Less),
                (">", CompareOp::Greater),
            ];
            let Some((_, op)) = signs.into_iter().find(|(sign, _)| self.is(sign)) else { return Ok(left) };
            self.bump();
            let right = self.sum()?;
            let deepest = left.divisions.max(right.divisions);
            left = self.made(ExprKind::Compare(op, left.expr, right.expr), Ty::Boolean, start, deepest);
        }
    }
    fn sum(&mut self) -> Parse<Value> {
        let start = self.token();
        let first = self.product()?;
        let (mut rest, mut ty, mut deepest) = (vec![], first.ty, first.divisions);
        loop {
            let op = match self.word() {
                "+" if self.kind() == Kind::Sign => AddOp::Plus,
                "-" if self.kind() == Kind::Sign => AddOp::Minus,
                _ => break,
            };
            self.bump();
            let operand = self.product()?;
            if [ty, operand.ty].contains(&Ty::Text) {
                return self.fail(Code::UnsupportedOperator, self.from(start), "texts can be compared only");
            }
            ty = wider(ty, operand.ty);
            deepest = deepest.max(operand.divisions);
            rest.push((op, operand.expr));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        Ok(self.made(ExprKind::Sum(first.expr, rest), ty, start, deepest))
    }
    fn product(&mut self) -> Parse<Value> {
        let start = self.token();
        let mut left = self.unary()?;
        loop {
            let sign = match self.word() {
                sign @ ("*" | "/" | "%") if self.kind() == Kind::Sign => sign,
                _ => return Ok(left),
            };
            self.bump();
            let right = self.unary()?;
            left = self.multiplied(start, left, sign, right)?;
        }
    }
    /// Products, quotients and remainders; of integers, quotients are rounded towards zero.
    fn multiplied(&mut self, start: Token, left: Value, sign: &str, right: Value) -> Parse<Value> {
        let ty = wider(left.ty, right.ty);
        let deepest = left.divisions.max(right.divisions);
        let once = |op| ExprKind::Product(left.expr, vec![(op, right.expr)]);
        let op = match (sign, ty) {
            ("*", _) => return Ok(self.made(once(MulOp::Times), ty, start, deepest)),
            ("/", Ty::Real) => return Ok(self.made(once(MulOp::Divide), ty, start, deepest)),
            ("/", _) => MulOp::Div,
            _ => MulOp::Mod,
        };
        if deepest == MOST_DIVISIONS {
            let message = format!("more than {MOST_DIVISIONS} divisions inside each other; use variables");
            return self.fail(Code::TooLarge, self.from(start), message);
        }
        let span = self.from(start);
        let zero = self.build.expr(ExprKind::Integer(Int::from(0)), span);
        let positive = self.build.expr(ExprKind::Compare(CompareOp::GreaterEqual, left.expr, zero), span);
        let forward = self.build.expr(once(op), span);
        let opposite = self.build.expr(ExprKind::Negate(left.expr), span);
        let backward = self.build.expr(ExprKind::Product(opposite, vec![(op, right.expr)]), span);
        let negated = self.build.expr(ExprKind::Negate(backward), span);
        Ok(self.made(ExprKind::Conditional(positive, forward, negated), ty, start, deepest + 1))
    }
    fn unary(&mut self) -> Parse<Value> {
        let start = self.token();
        let minus = self.is("-");
        if !minus && !self.is("+") {
            return self.primary();
        }
        if self.depth == NESTING {
            return self.fail(Code::TooDeep, self.span(), format!("more than {NESTING} levels of nesting"));
        }
        self.bump();
        self.depth += 1;
        let inner = ir::deep(|| self.unary());
        self.depth -= 1;
        let inner = inner?;
        if !minus {
            return Ok(inner);
        }
        Ok(self.made(ExprKind::Negate(inner.expr), inner.ty, start, inner.divisions))
    }
    fn primary(&mut self) -> Parse<Value> {
        let start = self.token();
        match self.kind() {
            Kind::Integer => {
                let token = self.bump();
                let Some(value) = integer(self.text_of(token)) else {
                    return self.fail(Code::InvalidNumber, self.place(token), "this number is too large");
                };
                Ok(self.made(ExprKind::Integer(value), Ty::Integer, start, 0))
            }
            Kind::Real => {
                let token = self.bump();
                let name = self.build.ast.names.intern(self.text_of(token));
                Ok(self.made(ExprKind::Decimal(name), Ty::Real, start, 0))
            }
            Kind::String => {
                let token = self.bump();
                let text = self.text_of(token);
                let literal = self.build.literal(text.get(1..text.len() - 1).unwrap_or(""));
                self.build.has_texts = true;
                let span = self.place(token);
                let (ty, literal) = (self.build.ast.refer(TEXT, span), self.build.ast.refer(&literal, span));
                Ok(self.made(ExprKind::Literal { ty, literal }, Ty::Text, start, 0))
            }
            Kind::Sign if self.eat("(") => {
                let inner = self.expr()?;
                self.expect(")")?;
                Ok(inner)
            }
            Kind::Word => self.named(start),
            _ => self.unexpected("an expression"),
        }
    }
    fn named(&mut self, start: Token) -> Parse<Value> {
        match (self.word(), self.word_at(1)) {
            ("true" | "false", _) => {
                let value = self.word() == "true";
                self.bump();
                return Ok(self.made(ExprKind::Bool(value), Ty::Boolean, start, 0));
            }
            ("valueof", "(") => return self.value_of(start),
            ("active", "(") => {
                self.bump();
                self.bump();
                let (path, span) = self.path()?;
                self.expect(")")?;
                let names: Vec<&str> = path.rsplit('.').take(2).collect();
                let [state, region] = names[..] else {
                    return self.fail(
                        Code::Syntax,
                        span,
                        "write the region before the state: `active(region.State)`",
                    );
                };
                let Some((region, state)) = self.build.find_state(region, state, span) else {
                    return Err(Failed);
                };
                let state = self.build.ast.refer(&state, span);
                let region = self.build.ast.refer(&region, span);
                return Ok(self.made(ExprKind::InState { region, state }, Ty::Boolean, start, 0));
            }
            _ => {}
        }
        let (path, span) = self.path()?;
        let Some(meaning) = self.build.find(&path, span) else { return Err(Failed) };
        match meaning {
            Meaning::Variable { name, ty } => {
                let used = self.build.ast.refer(&name, span);
                Ok(self.made(ExprKind::Name(used), ty, start, 0))
            }
            Meaning::Local { flag, .. } => {
                let used = self.build.ast.refer(&flag, span);
                Ok(self.made(ExprKind::Name(used), Ty::Boolean, start, 0))
            }
            Meaning::Event { port, event, .. } => {
                let event = self.build.event(&port, &event, span);
                Ok(self.made(ExprKind::Raised(event), Ty::Boolean, start, 0))
            }
            Meaning::Operation => {
                let message = format!("`{path}` is an operation of another program, which is not supported");
                self.fail(Code::UnsupportedExternalFunction, span, message)
            }
        }
    }
    /// The value of a variable before it is changed.
    pub(super) fn variable_value(&mut self, path: &str, span: Span) -> Parse<Value> {
        match self.build.find(path, span) {
            Some(Meaning::Variable { name, ty }) => {
                Ok(Value { expr: self.build.variable(&name, span), ty, divisions: 0 })
            }
            _ => Err(Failed),
        }
    }
    /// What `+=` and the like assign.
    pub(super) fn combined(&mut self, start: Token, left: Value, sign: &str, right: Value) -> Parse<Value> {
        let op = match sign {
            "+=" => AddOp::Plus,
            "-=" => AddOp::Minus,
            other => return self.multiplied(start, left, other.trim_end_matches('='), right),
        };
        let deepest = left.divisions.max(right.divisions);
        Ok(self.made(ExprKind::Sum(left.expr, vec![(op, right.expr)]), left.ty, start, deepest))
    }
    /// `valueof(event)`
    fn value_of(&mut self, start: Token) -> Parse<Value> {
        self.bump();
        self.bump();
        let (path, span) = self.path()?;
        self.expect(")")?;
        let Some(meaning) = self.build.find(&path, span) else { return Err(Failed) };
        match meaning {
            Meaning::Event { port, event, value: Some(ty) } => {
                let param = self.build.ast.refer(&format!("{event}Value"), span);
                let port = Some(self.build.ast.refer(&port, span));
                let event = self.build.ast.refer(&event, span);
                Ok(self.made(ExprKind::EventParameter { port, event, param }, ty, start, 0))
            }
            Meaning::Local { value: Some((name, ty)), .. } => {
                let used = self.build.ast.refer(&name, span);
                Ok(self.made(ExprKind::Name(used), ty, start, 0))
            }
            _ => self.fail(Code::WrongKind, span, format!("`{path}` is no event with a value")),
        }
    }
}

fn wider(a: Ty, b: Ty) -> Ty {
    if a == Ty::Real || b == Ty::Real { Ty::Real } else { a }
}

fn integer(text: &str) -> Option<Int> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => i64::from_str_radix(hex, 16).ok().map(Int::from),
        None => text.parse().ok(),
    }
}
