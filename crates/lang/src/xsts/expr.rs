//! From expressions to checked terms: names, types, and what can go wrong.
//!
//! Types flow both ways. An expression is read with the type that its place *wants*, if the place has
//! one; a short literal and the number `3%4` need it. Operands that must agree (of `==`, of a sum, of
//! an `if`) are read together: first those that have a type of their own, then the others with that
//! type. An expression of integer literals only is *flexible*: beside a rational it is one, too.
//!
//! `None` stands for an expression with an error that is reported already; whatever contains it stays
//! silent.

use ir::{
    ArrayType, Checked, EnumId, Fault, FaultId, FaultKind, Int, Rat, Span, System, Term, Terms, Type, Value,
    VarId,
};
use rustc_hash::FxHashMap;

use super::ast::*;
use super::parser::shortened;
use super::symbols::{Kind, Symbols};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::nearest::nearest;

/// How deep array types may be nested; values of such types are trees.
const ARRAY_NESTING: usize = 30;

/// How many divisions of one expression may fail; what they mean together grows with their square.
const MOST_FAULTS: usize = 100;

/// Reads expressions and statements of one text into a system.
pub(crate) struct Elaborator<'a> {
    source: &'a str,
    pub(crate) ast: &'a Model,
    pub(crate) system: &'a mut System,
    pub(crate) symbols: &'a mut Symbols,
    pub(crate) diagnostics: &'a mut Diagnostics,
    /// While an initial value is read: the number of its variable.
    pub(crate) initialising: Option<usize>,
    /// The variable that holds the number of a fault, once there can be one.
    pub(crate) which: Option<VarId>,
    /// The scope that locals are declared in.
    pub(crate) scope: usize,
    /// What may not change here, because the bounds of a loop use it; with the place of the loop.
    pub(crate) frozen: FxHashMap<VarId, Span>,
    /// Whether this is a block of an `ort`.
    pub(crate) at_once: bool,
    /// What may not be as intended.
    pub(crate) warnings: Vec<Diagnostic>,
    /// How deep an array type is nested.
    depths: FxHashMap<Type, usize>,
}

/// What the place of an expression says about it.
#[derive(Copy, Clone)]
pub(crate) struct Want {
    /// Its type, if the place has one.
    pub(crate) ty: Option<Type>,
    /// What it is for.
    pub(crate) place: Place,
}

/// What an expression is for; decides what is said when it is a clock.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Condition,
    Arithmetic,
    Position,
    Bound,
    Assigned,
    Other,
}

/// An expression that has been read.
#[derive(Clone)]
pub(crate) struct Typed {
    pub(crate) value: Checked,
    pub(crate) ty: Type,
    /// Integer literals only.
    flexible: bool,
}

impl Typed {
    pub(crate) fn new(value: impl Into<Checked>, ty: Type) -> Self {
        Typed { value: value.into(), ty, flexible: false }
    }
}

impl<'a> Elaborator<'a> {
    pub(crate) fn new(
        source: &'a str,
        ast: &'a Model,
        system: &'a mut System,
        symbols: &'a mut Symbols,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        Elaborator {
            source,
            ast,
            system,
            symbols,
            diagnostics,
            initialising: None,
            which: None,
            scope: 0,
            frozen: FxHashMap::default(),
            at_once: false,
            warnings: vec![],
            depths: FxHashMap::default(),
        }
    }
    /// What a property claims.
    pub(crate) fn claim(&mut self, expr: ExprId) -> Option<Term> {
        let value = self.expect(expr, Type::Bool, Place::Condition)?;
        for (_, fault) in &value.faults {
            let span = self.system.faults[*fault].span;
            let message = "this may divide by zero; in a property, compare the divisor with 0 first, as in \
                           `n == 0 || 10 / n >= 2`, or divide by a constant";
            self.error(Code::Undefined, span, message);
        }
        value.faults.is_empty().then_some(value.term)
    }
    /// An expression that must have type `ty`.
    pub(crate) fn expect(&mut self, expr: ExprId, ty: Type, place: Place) -> Option<Checked> {
        let typed = self.expr(expr, Want { ty: Some(ty), place })?;
        if typed.ty == ty {
            return Some(typed.value);
        }
        self.mismatch(expr, typed.ty, ty);
        None
    }
    /// Reports the errors of an expression whose type is unknown because of another error.
    pub(crate) fn look_at(&mut self, expr: ExprId) {
        if !self.needs_type(expr) {
            let _ = self.expr(expr, Want { ty: None, place: Place::Other });
        }
    }
    /// Any expression.
    pub(crate) fn expr(&mut self, expr: ExprId, want: Want) -> Option<Typed> {
        let ast = self.ast;
        let Expr { kind, span } = &ast.exprs[expr];
        match kind {
            ExprKind::Bool(value) => Some(Typed::new(self.system.terms.bool(*value), Type::Bool)),
            ExprKind::Int(value) => Some(self.integer(value, want)),
            ExprKind::Name(name) => self.name(*name, *span, want),
            ExprKind::Unary(UnaryOp::Not, operand) => ir::deep(|| {
                let value = self.expect(*operand, Type::Bool, Place::Condition)?;
                Some(Typed::new(self.strict([value], |terms, v| terms.not(v[0])), Type::Bool))
            }),
            ExprKind::Unary(op, operand) => ir::deep(|| self.sign(*op, *operand, want)),
            ExprKind::Compare(op, a, b) => ir::deep(|| self.comparison(*op, *a, *b)),
            ExprKind::Chain(chain) => ir::deep(|| match chain.rest[0].0.level() {
                Level::Sum => self.sum(chain, want),
                Level::Product => self.product(chain, *span, want),
                _ => self.connective(chain),
            }),
            ExprKind::Ite(condition, then, otherwise) => ir::deep(|| {
                let condition = self.expect(*condition, Type::Bool, Place::Condition);
                let [a, b] = self.agree(&[*then, *otherwise], want)?.try_into().ok()?;
                let flexible = a.flexible && b.flexible;
                let value = Checked::ite(&mut self.system.terms, condition?, a.value, b.value);
                Some(Typed { value, ty: a.ty, flexible })
            }),
            ExprKind::Postfix(base, list) => ir::deep(|| self.postfix(*base, list, want)),
            ExprKind::Array(literal) => ir::deep(|| self.array(literal, *span, want)),
        }
    }

    // Messages.

    pub(crate) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }
    pub(crate) fn text(&self, name: Name) -> &'a str {
        self.ast.names.text(name)
    }
    /// An expression as the user wrote it, short enough for a message.
    pub(crate) fn shown(&self, expr: ExprId) -> String {
        let span = self.ast.exprs[expr].span;
        // What another front-end has built has no text of this language.
        let text = self.source.get(span.start as usize..span.end as usize).unwrap_or("this");
        shortened(&text.split_whitespace().collect::<Vec<_>>().join(" "))
    }
    fn mismatch(&mut self, expr: ExprId, found: Type, wanted: Type) {
        let (shown, found, wanted) = (self.shown(expr), self.noun(found), self.noun(wanted));
        let span = self.ast.exprs[expr].span;
        self.error(Code::TypeMismatch, span, format!("`{shown}` is {found}, but {wanted} is expected here"));
    }
    /// A value of a type, in words.
    pub(crate) fn noun(&self, ty: Type) -> String {
        match ty {
            Type::Bool => "a boolean".to_owned(),
            Type::Int => "an integer".to_owned(),
            Type::Rat => "a rational".to_owned(),
            Type::Clock => "a clock".to_owned(),
            Type::Enum(_) => format!("a value of `{}`", self.type_text(ty)),
            Type::Array(_) => format!("an array `{}`", self.type_text(ty)),
        }
    }
    fn type_text(&self, ty: Type) -> String {
        match ty {
            Type::Bool => "boolean".to_owned(),
            Type::Int => "integer".to_owned(),
            Type::Rat => "rational".to_owned(),
            Type::Clock => "clock".to_owned(),
            Type::Enum(id) => self.system.types().enum_type(id).name.clone(),
            Type::Array(id) => {
                let ArrayType { index, element, .. } = self.system.types().array_type(id);
                format!("[{}] -> {}", self.type_text(index), self.type_text(element))
            }
        }
    }
    /// Reports that `name` is not known as a `what`, and what may be meant.
    pub(crate) fn unknown(&mut self, name: Name, span: Span, what: &str, hint: Option<Type>) {
        if self.symbols.incomplete {
            return;
        }
        if self.diagnostics.is_full() {
            // Nobody will read the message, so the search is spared.
            return self.error(Code::UnknownName, span, "unknown name");
        }
        let text = self.text(name);
        let literals = match hint {
            Some(Type::Enum(id)) => self.system.types().enum_type(id).literals.as_slice(),
            _ => &[],
        };
        let variables = self.symbols.variables().map(|known| self.text(known));
        let guess = nearest(text, variables.chain(literals.iter().map(String::as_str)));
        let guess = guess.map(str::to_owned).or_else(|| self.nearest_literal(text));
        if text == "deadlock" && guess.is_none() {
            let message = "a property of an XSTS cannot ask for a `deadlock`";
            return self.error(Code::UnsupportedDeadlock, span, message);
        }
        self.diagnostics.push(Diagnostic::unknown(span, what, &shortened(text), guess.as_deref()));
    }

    /// The literal with its type that is nearest to `Type.Literal`, if that is what `text` looks like.
    fn nearest_literal(&self, text: &str) -> Option<String> {
        let (ty, literal) = text.rsplit_once('.')?;
        // The type may be right, or the literal, or neither.
        let types = || self.system.types().enums().map(|(_, known)| known);
        if let Some(known) = types().find(|known| known.name == ty) {
            let guess = nearest(literal, known.literals.iter().map(String::as_str));
            return guess.map(|guess| format!("{ty}.{guess}"));
        }
        let all: Vec<String> = types()
            .flat_map(|known| known.literals.iter().map(|literal| format!("{}.{literal}", known.name)))
            .collect();
        nearest(text, all.iter().map(String::as_str)).map(str::to_owned)
    }

    // Terms.

    fn strict<const N: usize>(
        &mut self,
        parts: [Checked; N],
        combine: impl FnOnce(&mut Terms, &[Term]) -> Term,
    ) -> Checked {
        Checked::strict(&mut self.system.terms, parts, combine)
    }
    fn rational(&mut self, value: Rat) -> Typed {
        Typed::new(self.system.terms.constant(Value::rat(value)), Type::Rat)
    }
    fn integer(&mut self, value: &Int, want: Want) -> Typed {
        if want.ty == Some(Type::Rat) {
            return self.rational(Rat::from(value));
        }
        let term = self.system.terms.constant(Value::Int(value.clone()));
        Typed { flexible: true, ..Typed::new(term, Type::Int) }
    }
    fn name(&mut self, name: Name, span: Span, want: Want) -> Option<Typed> {
        if let Some(binding) = self.symbols.get(name) {
            let (var, declared) = (binding.var, binding.span);
            if let (Some(now), Kind::State(number)) = (self.initialising, binding.kind)
                && number >= now
            {
                let text = self.text(name);
                let message = match number == now {
                    true => format!("the initial value of `{text}` uses `{text}` itself"),
                    false => format!(
                        "`{text}` has no value yet; an initial value may use only variables declared before"
                    ),
                };
                self.diagnostics
                    .push(Diagnostic::error(Code::NoValueYet, span, message).note(declared, "declared here"));
                return None;
            }
            let ty = binding.ty?;
            if ty == Type::Clock {
                self.misused_clock(name, span, want.place);
                return None;
            }
            return Some(Typed::new(self.system.terms.var(var), ty));
        }
        if let Some((id, position)) = self.literal(name, want.ty) {
            let term = self.system.terms.constant(Value::Enum(id, position));
            return Some(Typed::new(term, Type::Enum(id)));
        }
        let text = self.text(name);
        let owners: Vec<String> =
            self.symbols.owners(name).iter().map(|(id, _)| self.type_text(Type::Enum(*id))).collect();
        if let Some(first) = owners.first() {
            let types = owners.iter().map(|owner| format!("`{owner}`")).collect::<Vec<_>>().join(" and ");
            let message = match want.ty {
                Some(ty) => {
                    format!("`{text}` is a literal of {types}, but {} is expected here", self.noun(ty))
                }
                None => format!(
                    "`{text}` is a literal of {types}; write `{first}.{text}` here, for nothing tells its type"
                ),
            };
            self.error(Code::AmbiguousName, span, message);
        } else if self.symbols.type_named(name).is_some() {
            self.error(
                Code::WrongKind,
                span,
                format!("`{text}` is a type; a value is written `{text}.Literal`"),
            );
        } else {
            self.unknown(name, span, "variable or literal", want.ty);
        }
        None
    }
    fn literal(&self, name: Name, want: Option<Type>) -> Option<(EnumId, u32)> {
        if let Some(Type::Enum(id)) = want
            && let Some(position) = self.symbols.literal(id, name)
        {
            return Some((id, position));
        }
        self.symbols.qualified(&self.ast.names, name)
    }

    /// Whether `expr` has no type unless its place gives it one.
    fn needs_type(&self, expr: ExprId) -> bool {
        match &self.ast.exprs[expr].kind {
            ExprKind::Name(name) => {
                self.symbols.get(*name).is_none()
                    && !self.symbols.owners(*name).is_empty()
                    && self.symbols.qualified(&self.ast.names, *name).is_none()
            }
            ExprKind::Ite(_, a, b) => ir::deep(|| self.needs_type(*a) || self.needs_type(*b)),
            ExprKind::Array(literal) => ir::deep(|| {
                self.needs_type(literal.default)
                    || literal.entries.iter().any(|(i, v)| self.needs_type(*i) || self.needs_type(*v))
            }),
            _ => false,
        }
    }
    /// Reads expressions that must have one type.
    fn agree(&mut self, list: &[ExprId], want: Want) -> Option<Vec<Typed>> {
        let mut known = want;
        let mut failed = false;
        let mut results: Vec<Option<Typed>> = vec![None; list.len()];
        // Those with a type of their own first, unless the place says it anyway.
        for late in [false, true] {
            for (result, expr) in results.iter_mut().zip(list) {
                let turn = if want.ty.is_some() { !late } else { self.needs_type(*expr) == late };
                if !turn {
                    continue;
                }
                if late && failed && known.ty.is_none() {
                    // The type is missing only because of an error that is reported.
                    continue;
                }
                *result = self.expr(*expr, known);
                match result {
                    Some(typed) if known.ty.is_none() && !typed.flexible => known.ty = Some(typed.ty),
                    Some(_) => {}
                    None => failed = true,
                }
            }
        }
        let mut results = results.into_iter().collect::<Option<Vec<Typed>>>()?;
        if let Some(wanted) = want.ty {
            for (typed, expr) in results.iter().zip(list).filter(|(typed, _)| typed.ty != wanted) {
                failed = true;
                self.mismatch(*expr, typed.ty, wanted);
            }
            return (!failed).then_some(results);
        }
        let own = results.iter().position(|typed| !typed.flexible);
        let ty = own.map_or(Type::Int, |own| results[own].ty);
        for (typed, expr) in results.iter_mut().zip(list) {
            if typed.flexible && ty == Type::Rat {
                *typed = self.expr(*expr, Want { ty: Some(Type::Rat), ..want })?;
            }
            if typed.ty != ty {
                let other = list[own.expect("flexible operands are all integers")];
                let (a, b) = (self.shown(*expr), self.shown(other));
                let (a_noun, b_noun) = (self.noun(typed.ty), self.noun(ty));
                let span = self.ast.exprs[*expr].span;
                self.error(
                    Code::TypeMismatch,
                    span,
                    format!("`{a}` is {a_noun}, but `{b}`, which it must agree with, is {b_noun}"),
                );
                return None;
            }
        }
        Some(results)
    }
    /// Reads numbers of one kind.
    fn numbers(&mut self, list: &[ExprId], want: Want, place: Place) -> Option<Vec<Typed>> {
        let ty = want.ty.filter(|ty| matches!(ty, Type::Int | Type::Rat));
        let results = self.agree(list, Want { ty, place })?;
        if matches!(results[0].ty, Type::Int | Type::Rat) {
            return Some(results);
        }
        let (shown, noun) = (self.shown(list[0]), self.noun(results[0].ty));
        let span = self.ast.exprs[list[0]].span;
        self.error(Code::TypeMismatch, span, format!("`{shown}` is {noun}, but a number is expected here"));
        None
    }

    fn sign(&mut self, op: UnaryOp, operand: ExprId, want: Want) -> Option<Typed> {
        let [Typed { value, ty, flexible }] =
            self.numbers(&[operand], want, Place::Arithmetic)?.try_into().ok()?;
        let value = match op {
            UnaryOp::Minus => self.strict([value], |terms, v| terms.neg(v[0])),
            UnaryOp::Plus | UnaryOp::Not => value,
        };
        Some(Typed { value, ty, flexible })
    }
    fn comparison(&mut self, op: CompareOp, a: ExprId, b: ExprId) -> Option<Typed> {
        if self.mentions_clock(a) || self.mentions_clock(b) {
            return self.clock_constraint(op, a, b);
        }
        let want = Want { ty: None, place: Place::Other };
        let [a, b] = match op.level() {
            Level::Equality => self.agree(&[a, b], want)?,
            _ => self.numbers(&[a, b], want, Place::Other)?,
        }
        .try_into()
        .ok()?;
        let value = self.strict([a.value, b.value], |terms, v| compare(terms, op, v[0], v[1]));
        Some(Typed::new(value, Type::Bool))
    }
    fn connective(&mut self, chain: &Chain) -> Option<Typed> {
        let mut parts = Vec::with_capacity(chain.rest.len() + 1);
        let mut failed = false;
        for operand in chain.operands() {
            match self.expect(operand, Type::Bool, Place::Condition) {
                Some(part) => parts.push(part),
                None => failed = true,
            }
        }
        if failed {
            return None;
        }
        let span = self.ast.exprs[chain.first].span;
        if parts.iter().map(|part| part.faults.len()).sum::<usize>() > MOST_FAULTS {
            self.too_many_faults(span);
            return None;
        }
        let terms = &mut self.system.terms;
        let value = match chain.rest[0].0 {
            ChainOp::And => Checked::junction(terms, parts, false),
            ChainOp::Or => Checked::junction(terms, parts, true),
            ChainOp::Implies => {
                // `a => b => c` is `!a || !b || c`, and each is reached only if those before hold.
                let last = parts.len() - 1;
                for part in &mut parts[..last] {
                    part.term = terms.not(part.term);
                }
                Checked::junction(terms, parts, true)
            }
            op => Checked::strict(terms, parts, |terms, values| {
                let (last, rest) = values.split_last().expect("a chain has operands");
                rest.iter().rev().fold(*last, |right, left| match op {
                    ChainOp::Xor => terms.xor(*left, right),
                    _ => terms.eq(*left, right),
                })
            }),
        };
        Some(Typed::new(value, Type::Bool))
    }
    fn sum(&mut self, chain: &Chain, want: Want) -> Option<Typed> {
        let operands: Vec<ExprId> = chain.operands().collect();
        let parts = self.numbers(&operands, want, Place::Arithmetic)?;
        let flexible = parts.iter().all(|part| part.flexible);
        let ty = parts[0].ty;
        let value = Checked::strict(
            &mut self.system.terms,
            parts.into_iter().map(|part| part.value),
            |terms, values| {
                let mut summands = vec![values[0]];
                for ((op, _), value) in chain.rest.iter().zip(&values[1..]) {
                    summands.push(if *op == ChainOp::Sub { terms.neg(*value) } else { *value });
                }
                terms.add(summands)
            },
        );
        Some(Typed { value, ty, flexible })
    }
    fn product(&mut self, chain: &Chain, span: Span, want: Want) -> Option<Typed> {
        let operands: Vec<ExprId> = chain.operands().collect();
        let mut parts = self.numbers(&operands, want, Place::Arithmetic)?;
        let flexible = parts.iter().all(|part| part.flexible);
        let ty = parts[0].ty;
        let mut rest: Vec<(ChainOp, usize)> =
            chain.rest.iter().enumerate().map(|(at, (op, _))| (*op, at + 1)).collect();
        if ty == Type::Rat {
            rest = self.rational_literals(&operands, &mut parts, rest)?;
        }
        // Factors since the last division; together they are the value so far.
        let mut factors = vec![parts[0].value.clone()];
        for (op, at) in rest {
            let value = parts[at].value.clone();
            if op == ChainOp::Mul {
                factors.push(value);
                continue;
            }
            let so_far = self.multiply(&mut factors);
            let place = span.to(self.ast.exprs[operands[at]].span);
            factors.push(self.division(op, so_far, value, ty, place));
        }
        Some(Typed { value: self.multiply(&mut factors), ty, flexible })
    }
    fn multiply(&mut self, factors: &mut Vec<Checked>) -> Checked {
        if factors.len() == 1 {
            return factors.remove(0);
        }
        Checked::strict(&mut self.system.terms, factors.drain(..), |terms, values| {
            terms.mul(values.iter().copied())
        })
    }
    fn division(&mut self, op: ChainOp, a: Checked, b: Checked, ty: Type, span: Span) -> Checked {
        let terms = &mut self.system.terms;
        let divisor = b.term;
        let zero = terms.constant(if ty == Type::Rat { Value::rat(Rat::ZERO) } else { Value::int(0) });
        let by_zero = terms.eq(divisor, zero);
        let value = self.strict([a, b], |terms, v| match op {
            ChainOp::Mod => terms.modulo(v[0], v[1]),
            ChainOp::Rem => terms.rem(v[0], v[1]),
            _ => terms.div(v[0], v[1]),
        });
        if self.system.terms.as_const(by_zero) == Some(&Value::Bool(false)) {
            return value;
        }
        if value.faults.len() >= MOST_FAULTS {
            // Said once, when the limit is passed.
            if value.faults.len() == MOST_FAULTS {
                self.too_many_faults(span);
            }
            return value;
        }
        let fault = self.fault(span);
        value.or_fault(&mut self.system.terms, by_zero, fault)
    }
    fn too_many_faults(&mut self, span: Span) {
        let message = format!(
            "more than {MOST_FAULTS} divisions of one expression may be by zero; compute parts of it in local \
             variables first"
        );
        self.error(Code::TooLarge, span, message);
    }
    fn fault(&mut self, span: Span) -> FaultId {
        self.system.faults.push(Fault { kind: FaultKind::DivisionByZero, span, limit: None })
    }
    /// Joins `n % d` to one number each, and drops the joined operators.
    fn rational_literals(
        &mut self,
        operands: &[ExprId],
        parts: &mut [Typed],
        rest: Vec<(ChainOp, usize)>,
    ) -> Option<Vec<(ChainOp, usize)>> {
        let mut kept = vec![];
        let mut joined = None;
        for (op, at) in rest {
            if matches!(op, ChainOp::Mul | ChainOp::Div) {
                kept.push((op, at));
                continue;
            }
            let literals = [self.signed_literal(operands[at - 1]), self.signed_literal(operands[at])];
            let span = self.ast.exprs[operands[at]].span;
            let (ChainOp::Mod, [Some(numerator), Some(denominator)]) = (op, literals) else {
                self.error(
                    Code::TypeMismatch,
                    span,
                    format!("`{}` needs integers, but these are rationals", op.text()),
                );
                return None;
            };
            let Some(value) = Rat::new(&numerator, &denominator).filter(|_| joined != Some(at - 1)) else {
                self.error(
                    Code::InvalidNumber,
                    span,
                    "this is not a rational number; its denominator must be one number other than 0",
                );
                return None;
            };
            joined = Some(at);
            parts[at - 1] = self.rational(value);
        }
        Some(kept)
    }

    fn signed_literal(&self, expr: ExprId) -> Option<Int> {
        match self.ast.exprs[expr].kind {
            ExprKind::Int(ref value) => Some(value.clone()),
            ExprKind::Unary(UnaryOp::Minus, operand) => match &self.ast.exprs[operand].kind {
                ExprKind::Int(value) => Some(-value),
                _ => None,
            },
            _ => None,
        }
    }

    fn postfix(&mut self, base: ExprId, list: &[Postfix], want: Want) -> Option<Typed> {
        let writes_only = list.iter().all(|postfix| matches!(postfix, Postfix::Write(..)));
        let hint = want.ty.filter(|_| writes_only);
        let mut array = self.expr(base, Want { ty: hint, place: Place::Other })?;
        for (level, postfix) in list.iter().enumerate() {
            let Type::Array(id) = array.ty else {
                let (shown, noun) = (self.shown(base), self.noun(array.ty));
                let span = self.ast.exprs[base].span;
                let message = match level {
                    0 => format!("`{shown}` is {noun}; only arrays have positions"),
                    _ => format!("too many positions after `{shown}`: after {level}, the value is {noun}"),
                };
                self.error(Code::TypeMismatch, span, message);
                return None;
            };
            let ArrayType { index, element, .. } = self.system.types().array_type(id);
            array = match *postfix {
                Postfix::Read(position) => {
                    let position = self.expect(position, index, Place::Position)?;
                    Typed::new(
                        self.strict([array.value, position], |terms, v| terms.read(v[0], v[1])),
                        element,
                    )
                }
                Postfix::Write(position, value) => {
                    let position = self.expect(position, index, Place::Position);
                    let value = self.expect(value, element, Place::Other);
                    let parts = [array.value, position?, value?];
                    Typed::new(self.strict(parts, |terms, v| terms.write(v[0], v[1], v[2])), array.ty)
                }
            };
        }
        Some(array)
    }
    fn array(&mut self, literal: &ArrayLiteral, span: Span, want: Want) -> Option<Typed> {
        let given = match want.ty {
            Some(Type::Array(id)) => Some(self.system.types().array_type(id)),
            _ => None,
        };
        let written = match literal.index {
            Some(index) => Some(self.resolve_type(index, "the positions of an array")?),
            None => None,
        };
        let positions: Vec<ExprId> = literal.entries.iter().map(|(position, _)| *position).collect();
        let values: Vec<ExprId> =
            literal.entries.iter().map(|(_, value)| *value).chain([literal.default]).collect();
        let index = Want { ty: written.or(given.map(|array| array.index)), place: Place::Position };
        let element = Want { ty: given.map(|array| array.element), place: Place::Other };
        let positions = match positions.is_empty() {
            true => Some(vec![]),
            false => self.agree(&positions, index),
        };
        let values = self.agree(&values, element);
        let (positions, mut values) = (positions?, values?);
        let Some(index) = positions.first().map(|typed| typed.ty).or(index.ty) else {
            self.error(
                Code::UnclearType,
                span,
                "nothing tells the type of positions; write `[<integer> default <- …]`",
            );
            return None;
        };
        let ty = self.array_type(index, values[0].ty, span)?;
        let Type::Array(id) = ty else { unreachable!("an array type was just made") };
        let default = values.pop()?.value;
        let count = positions.len();
        let entries =
            positions.into_iter().zip(values).flat_map(|(position, value)| [position.value, value.value]);
        let value = Checked::strict(&mut self.system.terms, entries.chain([default]), |terms, v| {
            let pairs: Vec<(Term, Term)> = (0..count).map(|at| (v[2 * at], v[2 * at + 1])).collect();
            // Of several entries for one position, the last one counts.
            terms.array(id, v[2 * count], &pairs)
        });
        Some(Typed::new(value, ty))
    }

    // Types.

    pub(crate) fn array_type(&mut self, index: Type, element: Type, span: Span) -> Option<Type> {
        let depth_of = |ty: &Type| self.depths.get(ty).copied().unwrap_or(0);
        let depth = 1 + depth_of(&index).max(depth_of(&element));
        if depth > ARRAY_NESTING {
            self.error(
                Code::TooDeep,
                span,
                format!("arrays can be nested at most {ARRAY_NESTING} levels deep"),
            );
            return None;
        }
        let ty = Type::Array(self.system.terms.types.array(ArrayType { index, element, range: None }));
        self.depths.insert(ty, depth);
        Some(ty)
    }
    /// The type that `ty` stands for; `place` says where a clock would be wrong.
    pub(crate) fn resolve_type(&mut self, ty: TypeId, place: &str) -> Option<Type> {
        let ast = self.ast;
        let TypeExpr { kind, span } = &ast.type_exprs[ty];
        match kind {
            TypeKind::Array(index, element) => ir::deep(|| {
                let index = self.resolve_type(*index, "the positions of an array");
                let element = self.resolve_type(*element, "the entries of an array");
                self.array_type(index?, element?, *span)
            }),
            TypeKind::Named(name) => match self.text(*name) {
                "boolean" => Some(Type::Bool),
                "integer" => Some(Type::Int),
                "rational" => Some(Type::Rat),
                "clock" if place.is_empty() => Some(Type::Clock),
                "clock" => {
                    self.error(
                        Code::ClockMisuse,
                        *span,
                        format!("a clock must be a state variable of its own; it cannot be {place}"),
                    );
                    None
                }
                text => {
                    if let Some((id, _)) = self.symbols.type_named(*name) {
                        return Some(Type::Enum(id));
                    }
                    self.unknown_type(text, *span);
                    None
                }
            },
            TypeKind::Error => None,
        }
    }
    fn unknown_type(&mut self, text: &str, span: Span) {
        if self.symbols.incomplete {
            return;
        }
        if self.diagnostics.is_full() {
            return self.error(Code::UnknownName, span, "unknown type");
        }
        let guess = match text {
            "bool" => Some("boolean"),
            "int" => Some("integer"),
            "rat" | "real" => Some("rational"),
            _ => {
                let known = self.symbols.type_names().map(|name| self.text(name));
                nearest(text, known.chain(["boolean", "integer", "rational", "clock"]))
            }
        };
        self.diagnostics.push(Diagnostic::unknown(span, "type", &shortened(text), guess));
    }
}

/// A comparison as a term.
pub(crate) fn compare(terms: &mut Terms, op: CompareOp, a: Term, b: Term) -> Term {
    match op {
        CompareOp::Eq => terms.eq(a, b),
        CompareOp::Ne => {
            let same = terms.eq(a, b);
            terms.not(same)
        }
        CompareOp::Lt => terms.lt(a, b),
        CompareOp::Le => terms.le(a, b),
        CompareOp::Gt => terms.gt(a, b),
        CompareOp::Ge => terms.ge(a, b),
    }
}
