//! Expressions become values: lists of expressions of XSTS, one for each slot.

use ir::{Int, Span};

use super::super::ast::*;
use super::super::project::Def;
use super::super::types::{Ty, TyKind};
use super::{Bound, Lowering, Value, x};
use crate::code::Code;

impl Lowering<'_> {
    /// A truth value.
    pub(super) fn condition(&mut self, expr: ExprId) -> x::ExprId {
        match self.expr(expr).first() {
            Some(value) => *value,
            None => self.x.bool(true),
        }
    }
    /// A value of one slot.
    pub(super) fn scalar(&mut self, expr: ExprId) -> x::ExprId {
        match self.expr(expr).first() {
            Some(value) => *value,
            None => self.x.int(0),
        }
    }
    /// An integer that is known before the model runs.
    pub(super) fn known_integer(&mut self, expr: ExprId, what: &str) -> Option<Int> {
        let value = self.scalar(expr);
        let known = self.x.known_int(value).cloned();
        if known.is_none() {
            let span = self.project.ast.exprs[expr].span;
            self.error(
                Code::WrongKind,
                span,
                format!("{what} must be known before the model runs; use constants and parameters only"),
            );
        }
        known
    }
    /// A value where one of this type is wanted: an array literal may be shorter than its type, an integer is a fraction.
    pub(super) fn value(&mut self, expr: ExprId, wanted: Ty) -> Value {
        let value = self.expr(expr);
        let slots = self.slots(wanted).len();
        if value.len() == slots { value } else { self.default_of(wanted) }
    }
    /// Any expression.
    pub(super) fn expr(&mut self, expr: ExprId) -> Value {
        let Expr { kind, span } = &self.project.ast.exprs[expr];
        let outer = std::mem::replace(&mut self.x.span, *span);
        let value = ir::deep(|| self.expr_kind(expr, kind, *span));
        self.x.span = outer;
        value
    }
    fn expr_kind(&mut self, expr: ExprId, kind: &ExprKind, span: Span) -> Value {
        let one = match kind {
            // A whole guard; whoever has guards knows what it means.
            ExprKind::Else => self.x.bool(true),
            ExprKind::Bool(value) => self.x.bool(*value),
            ExprKind::Integer(value) => self.x.int(value.clone()),
            ExprKind::Rational(a, b) => self.x.fraction(a.clone(), b.clone()),
            ExprKind::Decimal(name) => self.decimal(*name, span),
            ExprKind::Name(reference) => return self.named_value(*reference, span),
            ExprKind::Literal { literal, .. } => match self.project.def(*literal) {
                Some(Def::Literal(id, position)) => {
                    let (_, literals) = self.enumeration(id);
                    self.x.name(literals[position as usize])
                }
                _ => return vec![],
            },
            ExprKind::EventParameter { port, event, param } => {
                return self.event_parameter(*port, *event, *param, span);
            }
            ExprKind::Raised(event) => match self.project.ast.event_refs[*event].kind {
                EventRefKind::PortEvent(port, event) => {
                    let (port, event) = (self.project.port(port), self.project.event(event));
                    self.raised(port, event)
                }
                EventRefKind::PortAny(port) => {
                    let port = self.project.port(port);
                    self.any_of(Some(port))
                }
                EventRefKind::Timeout(timeout) => self.timeout_holds(self.project.timeout(timeout)),
                EventRefKind::Clock(_) => return self.unsupported(span, "a clock in an expression"),
            },
            ExprKind::InState { state, .. } => {
                let state = self.project.node(*state);
                self.is_active(state)
            }
            ExprKind::Field(base, field) => {
                let Some(Def::Field(id, position)) = self.project.def(*field) else { return vec![] };
                let base = self.expr(*base);
                let range = self.field_slots(id, position);
                return base.get(range).map_or(vec![], <[_]>::to_vec);
            }
            ExprKind::Index(array, position) => {
                let (array, position) = (self.expr(*array), self.scalar(*position));
                return array.into_iter().map(|slot| self.x.read(slot, position)).collect();
            }
            ExprKind::Array(items) => {
                let TyKind::Array { element, .. } = *self.project.type_of(expr) else { return vec![] };
                let defaults = self.default_of(element);
                let items: Vec<Value> = items.iter().map(|item| self.value(*item, element)).collect();
                let mut slots = vec![];
                for (slot, default) in defaults.iter().enumerate() {
                    let mut entries = vec![];
                    for (position, item) in items.iter().enumerate() {
                        entries.push((self.x.int(position as i64), item[slot]));
                    }
                    slots.push(self.x.array(entries, *default));
                }
                return slots;
            }
            ExprKind::Record { fields, .. } => {
                let TyKind::Record(id) = *self.project.type_of(expr) else { return vec![] };
                let mut value = vec![];
                for (position, (_, ty)) in self.fields(id).into_iter().enumerate() {
                    let given = fields.iter().find(|(field, _)| {
                        matches!(self.project.def(*field), Some(Def::Field(_, at)) if at as usize == position)
                    });
                    value.extend(match given {
                        Some((_, given)) => self.value(*given, ty),
                        None => self.default_of(ty),
                    });
                }
                return value;
            }
            ExprKind::Call(function, arguments) => return self.call(*function, arguments, span),
            ExprKind::Negate(inner) => {
                let inner = self.scalar(*inner);
                self.x.negate(inner)
            }
            ExprKind::Plus(inner) => self.scalar(*inner),
            ExprKind::Product(first, rest) => {
                let mut value = self.scalar(*first);
                for (op, operand) in rest {
                    let operand = self.scalar(*operand);
                    let op = match op {
                        MulOp::Times => x::ChainOp::Mul,
                        MulOp::Divide | MulOp::Div => x::ChainOp::Div,
                        MulOp::Mod => x::ChainOp::Mod,
                    };
                    value = self.x.arithmetic(op, value, operand);
                }
                value
            }
            ExprKind::Sum(first, rest) => {
                let mut value = self.scalar(*first);
                for (op, operand) in rest {
                    let operand = self.scalar(*operand);
                    let op = match op {
                        AddOp::Plus => x::ChainOp::Add,
                        AddOp::Minus => x::ChainOp::Sub,
                    };
                    value = self.x.arithmetic(op, value, operand);
                }
                value
            }
            ExprKind::Compare(op, a, b) => self.comparison(*op, *a, *b),
            ExprKind::Not(inner) => {
                let inner = self.condition(*inner);
                self.x.not(inner)
            }
            ExprKind::Quantified(quantifier, params, body) => {
                self.quantified(*quantifier, params, *body, span)
            }
            ExprKind::Logic(op, operands) => {
                let operands: Vec<x::ExprId> =
                    operands.iter().map(|operand| self.condition(*operand)).collect();
                self.logic(*op, &operands)
            }
            ExprKind::Conditional(condition, a, b) => {
                let (condition, a, b) = (self.condition(*condition), self.expr(*a), self.expr(*b));
                return a.into_iter().zip(b).map(|(a, b)| self.x.ite(condition, a, b)).collect();
            }
            ExprKind::Opaque(_) => return self.unsupported(span, "a text in another language"),
            ExprKind::Infinity => return self.unsupported(span, "`infinity`"),
            ExprKind::Time(..) => return self.unsupported(span, "`time`"),
            ExprKind::Elapsed(_) => return self.unsupported(span, "`time-elapsed`"),
            ExprKind::Range { .. } => return self.unsupported(span, "a range outside of `for`"),
            ExprKind::Select(_) => return self.unsupported(span, "`select`"),
            ExprKind::Observed(_) => return self.unsupported(span, "what properties say about instances"),
        };
        vec![one]
    }
    fn unsupported(&mut self, span: Span, what: &str) -> Value {
        self.error(Code::UnsupportedOperator, span, format!("{what} is not supported"));
        vec![]
    }
    fn decimal(&mut self, name: Name, span: Span) -> x::ExprId {
        let text = self.project.ast.names.text(name);
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = format!("{whole}{fraction}");
        let parsed = digits.parse::<i64>().ok().zip(10_i64.checked_pow(fraction.len() as u32));
        match parsed {
            Some((numerator, denominator)) => self.x.fraction(numerator.into(), denominator.into()),
            None => {
                self.error(Code::TooLarge, span, "this number has more digits than are supported");
                self.x.int(0)
            }
        }
    }
    pub(super) fn logic(&mut self, op: LogicOp, operands: &[x::ExprId]) -> x::ExprId {
        match op {
            LogicOp::And => self.x.and(operands),
            LogicOp::Or => self.x.or(operands),
            LogicOp::Xor => {
                let (first, rest) = operands.split_first().expect("an operator has operands");
                rest.iter().fold(*first, |a, b| self.x.xor(a, *b))
            }
            LogicOp::Imply => {
                let (last, rest) = operands.split_last().expect("an operator has operands");
                rest.iter().rev().fold(*last, |then, condition| {
                    let not = self.x.not(*condition);
                    self.x.or(&[not, then])
                })
            }
        }
    }
    fn comparison(&mut self, op: CompareOp, a: ExprId, b: ExprId) -> x::ExprId {
        let (left, right) = (self.expr(a), self.expr(b));
        let op = match op {
            CompareOp::Equal => return self.equal(&left, &right),
            CompareOp::NotEqual => {
                let equal = self.equal(&left, &right);
                return self.x.not(equal);
            }
            CompareOp::Less => x::CompareOp::Lt,
            CompareOp::LessEqual => x::CompareOp::Le,
            CompareOp::Greater => x::CompareOp::Gt,
            CompareOp::GreaterEqual => x::CompareOp::Ge,
        };
        match (left.first(), right.first()) {
            (Some(a), Some(b)) => self.x.compare(op, *a, *b),
            _ => self.x.bool(false),
        }
    }
    pub(super) fn equal(&mut self, left: &[x::ExprId], right: &[x::ExprId]) -> x::ExprId {
        let parts: Vec<x::ExprId> = left.iter().zip(right).map(|(a, b)| self.x.equal(*a, *b)).collect();
        self.x.and(&parts)
    }
    /// Which slots of a record are those of a field.
    pub(super) fn field_slots(&mut self, id: TypeId, position: u32) -> std::ops::Range<usize> {
        let mut start = 0;
        for (at, (_, ty)) in self.fields(id).into_iter().enumerate() {
            let length = self.slots(ty).len();
            if at == position as usize {
                return start..start + length;
            }
            start += length;
        }
        start..start
    }
    fn quantified(
        &mut self,
        quantifier: Quantifier,
        params: &[ParamId],
        body: ExprId,
        span: Span,
    ) -> x::ExprId {
        let Some((param, rest)) = params.split_first() else { return self.condition(body) };
        let values: Vec<x::ExprId> = match self
            .project
            .kind(self.project.written[self.project.ast.params[*param].ty])
        {
            TyKind::Boolean => [false, true].map(|value| self.x.bool(value)).to_vec(),
            TyKind::Enum(id) => {
                let (_, literals) = self.enumeration(*id);
                literals.into_iter().map(|literal| self.x.name(literal)).collect()
            }
            _ => {
                let message = "a quantifier over other values than those of `boolean` and enumerations is not supported";
                self.error(Code::UnsupportedOperator, span, message);
                return self.x.bool(false);
            }
        };
        let parts: Vec<x::ExprId> = values
            .into_iter()
            .map(|value| {
                self.locals.push((Def::Param(*param), Bound::Value(vec![value])));
                let part = ir::deep(|| self.quantified(quantifier, rest, body, span));
                self.locals.pop();
                part
            })
            .collect();
        match quantifier {
            Quantifier::Forall => self.x.and(&parts),
            Quantifier::Exists => self.x.or(&parts),
        }
    }
    /// What a name stands for here.
    pub(super) fn bound(&mut self, reference: RefId) -> Option<Bound> {
        let def = self.project.def(reference)?;
        if let Some((_, bound)) = self.locals.iter().rev().find(|(known, _)| *known == def) {
            return Some(bound.clone());
        }
        match def {
            Def::Param(param) => self.arguments.get(&(self.part, param)).cloned().map(Bound::Value),
            Def::Variable(variable) => {
                let decl = &self.project.ast.variables[variable];
                let own = self.leaves.get(self.part).and_then(Option::as_ref);
                if let Some(names) = own.and_then(|leaf| leaf.variables.get(&variable)) {
                    return Some(Bound::Variables(names.clone()));
                }
                if !decl.constant {
                    return None;
                }
                let (ty, initial) = (self.project.written[decl.ty], decl.initial);
                // A constant that needs itself has no value; the tree was checked for that.
                let value = match initial {
                    Some(initial) => ir::deep(|| self.value(initial, ty)),
                    None => self.default_of(ty),
                };
                Some(Bound::Value(value))
            }
            _ => None,
        }
    }
    fn named_value(&mut self, reference: RefId, span: Span) -> Value {
        if let Some(Def::Function(function)) = self.project.def(reference) {
            return self.apply(function, &[], span);
        }
        match self.bound(reference) {
            Some(Bound::Value(value)) => value,
            Some(Bound::Variables(names)) => names.into_iter().map(|name| self.x.name(name)).collect(),
            None => {
                let text = self.project.ast.ref_text(reference).to_owned();
                self.error(Code::WrongKind, span, format!("`{text}` has no value here"));
                vec![]
            }
        }
    }
    fn event_parameter(&mut self, port: Option<RefId>, event: RefId, param: RefId, span: Span) -> Value {
        let event = self.project.event(event);
        let Some(Def::Param(param)) = self.project.def(param) else { return vec![] };
        let Some(position) = self.project.ast.events[event].params.iter().position(|known| *known == param)
        else {
            return vec![];
        };
        let port = match port {
            Some(port) => Some(self.project.port(port)),
            None => self.this_port(),
        };
        let signal = port.and_then(|port| self.leaves.get(self.part)?.as_ref()?.signal(port, event).cloned());
        match signal {
            Some(signal) => signal.params[position].iter().map(|name| self.x.name(*name)).collect(),
            None => {
                self.error(Code::WrongKind, span, "this event has no value here");
                vec![]
            }
        }
    }
}
