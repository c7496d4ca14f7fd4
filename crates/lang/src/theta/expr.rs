//! Expressions become terms: names, types, and where their evaluation goes wrong.

use std::sync::Arc;

use ir::range::{Declared, Interval, Ranges};
use ir::{
    ArrayType, Checked, Fault, FaultKind, Int, Rat, Span, System, Term, Terms, Type, Value, VarId, Variable,
};
use rustc_hash::FxHashMap;

use super::Dialect;
use super::ast::*;
use super::bits;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::nearest::nearest;

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ty {
    Bool,
    Int,
    Rat,
    /// Bit-vectors of so many bits.
    Bits(u32),
    /// Index and element.
    Array(Arc<(Ty, Ty)>),
}

impl Ty {
    /// Whether numbers are calculated with `+` and `<`.
    fn is_number(&self) -> bool {
        matches!(self, Ty::Int | Ty::Rat)
    }
    /// Whether bit-vectors are elements of arrays of this type: nothing says that those have so many bits.
    fn has_bits_inside(&self) -> bool {
        match self {
            Ty::Array(parts) => matches!(parts.1, Ty::Bits(_)) || parts.1.has_bits_inside(),
            _ => false,
        }
    }
}

impl std::fmt::Display for Ty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ty::Bool => f.write_str("bool"),
            Ty::Int => f.write_str("int"),
            Ty::Rat => f.write_str("rat"),
            Ty::Bits(width) => write!(f, "bv[{width}]"),
            Ty::Array(parts) => write!(f, "[{}] -> {}", parts.0, parts.1),
        }
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    /// Its type; `None` if it has been reported that it has none.
    pub(crate) ty: Option<Ty>,
    /// Its value now.
    pub(crate) now: Term,
    /// Its value in the next state, where there is one.
    pub(crate) next: Option<Term>,
    /// Where it is declared.
    pub(crate) span: Span,
}

/// What names stand for.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub(crate) names: FxHashMap<String, Binding>,
    /// The ranges of variables, for what needs no wrapping.
    pub(crate) declared: Declared,
}

/// A term with its type.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    pub(crate) value: Checked,
    pub(crate) ty: Ty,
}

/// The most values that a quantifier is written out for.
const MOST_VALUES: u32 = 256;
/// The most places of one expression where a division may be by zero.
const MOST_FAULTS: usize = 256;

/// The state of elaboration.
pub(crate) struct Elaborator<'a> {
    pub(crate) dialect: Dialect,
    pub(crate) tree: &'a Tree,
    pub(crate) system: &'a mut System,
    pub(crate) scope: &'a mut Scope,
    pub(crate) diagnostics: &'a mut Diagnostics,
    /// What is known where an expression is evaluated.
    pub(crate) context: Ranges,
    /// Names that quantifiers bind, the innermost last.
    bound: Vec<(String, Term, Ty)>,
    /// Whether names stand for the next state.
    primed: bool,
    /// How often bodies of quantifiers have been written out.
    written_out: u32,
}

impl<'a> Elaborator<'a> {
    pub(crate) fn new(
        dialect: Dialect,
        tree: &'a Tree,
        system: &'a mut System,
        scope: &'a mut Scope,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        let context = Ranges::default();
        Elaborator {
            dialect,
            tree,
            system,
            scope,
            diagnostics,
            context,
            bound: vec![],
            primed: false,
            written_out: 0,
        }
    }
    pub(crate) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }
    fn terms(&mut self) -> &mut Terms {
        &mut self.system.terms
    }

    /// The type that is written.
    pub(crate) fn ty(&mut self, ty: TypeId) -> Option<Ty> {
        let (kind, span) = &self.tree.types[ty];
        Some(match kind {
            TypeKind::Bool => Ty::Bool,
            TypeKind::Int => Ty::Int,
            TypeKind::Rat => Ty::Rat,
            TypeKind::Bits(width) => Ty::Bits(*width),
            TypeKind::Wrong => return None,
            TypeKind::Array(indices, element) => {
                let mut result = ir::deep(|| self.ty(*element))?;
                for index in indices.iter().rev() {
                    let index = ir::deep(|| self.ty(*index))?;
                    if matches!(index, Ty::Array(_) | Ty::Rat)
                        || matches!(index, Ty::Bits(width) if width > 62)
                    {
                        let message = format!("arrays with an index of type `{index}` are not supported");
                        self.error(Code::UnsupportedType, *span, message);
                        return None;
                    }
                    result = Ty::Array(Arc::new((index, result)));
                }
                result
            }
        })
    }
    /// How values of a type are kept.
    pub(crate) fn kept(&mut self, ty: &Ty) -> Type {
        match ty {
            Ty::Bool => Type::Bool,
            Ty::Int | Ty::Bits(_) => Type::Int,
            Ty::Rat => Type::Rat,
            Ty::Array(parts) => {
                let (index, element) = (self.kept(&parts.0), ir::deep(|| self.kept(&parts.1)));
                let range = match parts.0 {
                    Ty::Bits(width) => Some((0, (1i64 << width) - 1)),
                    _ => None,
                };
                Type::Array(self.system.terms.types.array(ArrayType { index, element, range }))
            }
        }
    }
    /// A new variable of a type.
    pub(crate) fn declare(&mut self, ty: &Ty, mut variable: Variable) -> VarId {
        let kept = self.kept(ty);
        if let Ty::Bits(width) = ty {
            let greatest = &Int::power_of_two(*width) - &Int::ONE;
            variable.range = Some((Int::ZERO, greatest));
        }
        let range = variable.range.as_ref().map(|(least, greatest)| Interval::between(least, greatest));
        let var = self.system.declare(kept, variable);
        self.scope.declared.set(var, range);
        var
    }

    /// A condition on one state, which goes wrong nowhere.
    pub(crate) fn condition(&mut self, expr: ExprId) -> Option<Term> {
        let value = self.expect(expr, &Ty::Bool)?;
        for (_, fault) in &value.faults {
            let span = self.system.faults[*fault].span;
            let message = "this may divide by zero; compare the divisor with 0 first, as in `n = 0 or 10 / n >= 2`, or \
                           divide by a constant";
            self.error(Code::Undefined, span, message);
        }
        value.faults.is_empty().then_some(value.term)
    }
    /// An expression that must have a type.
    pub(crate) fn expect(&mut self, expr: ExprId, ty: &Ty) -> Option<Checked> {
        let typed = self.expr(expr)?;
        if typed.ty == *ty {
            return Some(typed.value);
        }
        let span = self.tree.exprs[expr].span;
        let mut message = format!("this is of type `{}`, and `{ty}` is needed", typed.ty);
        if let (Ty::Rat, Ty::Int) = (ty, &typed.ty) {
            message += "; a rational number is written `1%1`";
        }
        self.error(Code::TypeMismatch, span, message);
        None
    }
    /// Any expression.
    pub(crate) fn expr(&mut self, expr: ExprId) -> Option<Typed> {
        ir::deep(|| self.node(expr))
    }
    fn node(&mut self, expr: ExprId) -> Option<Typed> {
        let tree = self.tree;
        let Expr { kind, span } = &tree.exprs[expr];
        let span = *span;
        match kind {
            ExprKind::Wrong => None,
            ExprKind::Bool(value) => Some(typed(self.terms().bool(*value), Ty::Bool)),
            ExprKind::Int(value) => Some(typed(self.terms().constant(Value::Int(value.clone())), Ty::Int)),
            ExprKind::Rat(numerator, denominator) => {
                let value = Rat::new(numerator, denominator).unwrap_or(Rat::ZERO);
                Some(typed(self.terms().constant(Value::rat(value)), Ty::Rat))
            }
            ExprKind::Bits(value, width) => {
                Some(typed(self.terms().constant(Value::Int(value.clone())), Ty::Bits(*width)))
            }
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::Prime(inner) => self.prime(*inner, span),
            ExprKind::Unary(op, operand) => self.unary(*op, *operand, span),
            ExprKind::Binary(op, a, b) => self.binary(*op, *a, *b, span),
            ExprKind::All(list) | ExprKind::Any(list) => {
                let parts: Vec<Option<Checked>> =
                    list.iter().map(|part| self.expect(*part, &Ty::Bool)).collect();
                let parts: Vec<Checked> = parts.into_iter().collect::<Option<_>>()?;
                let stop_at = matches!(kind, ExprKind::Any(_));
                Some(Typed { value: Checked::junction(self.terms(), parts, stop_at), ty: Ty::Bool })
            }
            ExprKind::Ite(condition, then, otherwise) => {
                let condition = self.expect(*condition, &Ty::Bool);
                let (then, other) = (self.expr(*then), self.expr(*otherwise));
                let (condition, then, other) = (condition?, then?, other?);
                let ty = self.common(&then.ty, &other.ty, span, "the branches of this `if`")?;
                let value = Checked::ite(self.terms(), condition, then.value, other.value);
                Some(Typed { value, ty })
            }
            ExprKind::Quantified(quantifier, params, body) => {
                self.quantified(*quantifier, params, *body, span)
            }
            ExprKind::Read(array, index) => {
                let (array, index) = (self.array(*array), *index);
                let (array, parts) = array?;
                let index = self.expect(index, &parts.0)?;
                let mut value =
                    Checked::strict(self.terms(), [array, index], |terms, v| terms.read(v[0], v[1]));
                if let Ty::Bits(width) = parts.1 {
                    value.term = self.wrap(value.term, width);
                }
                Some(Typed { value, ty: parts.1.clone() })
            }
            ExprKind::Write(array, index, entry) => {
                let (array, parts) = self.array(*array)?;
                let (index, entry) = (self.expect(*index, &parts.0), self.expect(*entry, &parts.1));
                let value = Checked::strict(self.terms(), [array, index?, entry?], |terms, v| {
                    terms.write(v[0], v[1], v[2])
                });
                Some(Typed { value, ty: Ty::Array(parts) })
            }
            ExprKind::Extract { of, until, from } => {
                let (x, width) = self.bits(*of)?;
                if from >= until || *until > width {
                    let message = format!(
                        "`[until:from]` are the bits from the second number to just before the first, of {width} bits"
                    );
                    self.error(Code::OutOfRange, span, message);
                    return None;
                }
                let value =
                    Checked::strict(self.terms(), [x], |terms, v| bits::extract(terms, v[0], *until, *from));
                Some(Typed { value, ty: Ty::Bits(until - from) })
            }
            ExprKind::Extend { of, width, signed } => {
                let (x, narrow) = self.bits(*of)?;
                if *width < narrow {
                    let message = format!("{narrow} bits cannot be extended to {width}");
                    self.error(Code::OutOfRange, span, message);
                    return None;
                }
                let mut value = x;
                if *signed {
                    value.term = bits::signed(self.terms(), value.term, narrow);
                    value.term = self.wrap(value.term, *width);
                }
                Some(Typed { value, ty: Ty::Bits(*width) })
            }
            ExprKind::Array { entries, index, default } => self.literal(entries, *index, *default, span),
        }
    }
    fn name(&mut self, name: &str, span: Span) -> Option<Typed> {
        if let Some((_, term, ty)) = self.bound.iter().rev().find(|(bound, ..)| bound == name) {
            return Some(typed(*term, ty.clone()));
        }
        let Some(binding) = self.scope.names.get(name) else {
            let near = nearest(name, self.scope.names.keys().map(String::as_str)).map(str::to_owned);
            self.diagnostics.push(Diagnostic::unknown(span, "variable", name, near.as_deref()));
            return None;
        };
        let ty = binding.ty.clone()?;
        match (self.primed, binding.next) {
            (false, _) => Some(typed(binding.now, ty)),
            (true, Some(next)) => Some(typed(next, ty)),
            (true, None) => Some(typed(binding.now, ty)),
        }
    }
    fn prime(&mut self, inner: ExprId, span: Span) -> Option<Typed> {
        let message = match self.dialect {
            Dialect::Cfa => "`'` is for the next state of transition systems; a CFA has none",
            Dialect::Question => "`'` is for transitions; a question is about one state",
            Dialect::Sts if self.primed => "only one step is looked ahead; remove one `'`",
            Dialect::Sts => {
                self.primed = true;
                let value = self.expr(inner);
                self.primed = false;
                return value;
            }
        };
        self.error(Code::Misplaced, span, message);
        None
    }
    /// An operand that is a bit-vector, and its width.
    fn bits(&mut self, expr: ExprId) -> Option<(Checked, u32)> {
        let typed = self.expr(expr)?;
        if let Ty::Bits(width) = typed.ty {
            return Some((typed.value, width));
        }
        let message = format!("this is of type `{}`, and a bit-vector is needed", typed.ty);
        self.error(Code::TypeMismatch, self.tree.exprs[expr].span, message);
        None
    }
    /// An operand that is an array, with index and element.
    fn array(&mut self, expr: ExprId) -> Option<(Checked, Arc<(Ty, Ty)>)> {
        let typed = self.expr(expr)?;
        if let Ty::Array(parts) = typed.ty {
            return Some((typed.value, parts));
        }
        let message = format!("this is of type `{}`, and an array is needed", typed.ty);
        self.error(Code::TypeMismatch, self.tree.exprs[expr].span, message);
        None
    }
    /// The bit-vector that a number is congruent to, where it is none itself.
    fn wrap(&mut self, term: Term, width: u32) -> Term {
        self.context.wrap(&mut self.system.terms, &self.scope.declared, term, width, false)
    }
    /// The type of two values, one of which is chosen, or which are compared.
    fn common(&mut self, a: &Ty, b: &Ty, span: Span, what: &str) -> Option<Ty> {
        if a == b {
            return Some(a.clone());
        }
        if a.is_number() && b.is_number() {
            return Some(Ty::Rat);
        }
        let message = format!("{what} are of types `{a}` and `{b}`, which do not fit together");
        self.error(Code::TypeMismatch, span, message);
        None
    }
    fn unary(&mut self, op: Unary, operand: ExprId, span: Span) -> Option<Typed> {
        match op {
            Unary::Not => {
                let mut value = self.expect(operand, &Ty::Bool)?;
                value.term = self.terms().not(value.term);
                Some(Typed { value, ty: Ty::Bool })
            }
            Unary::Plus | Unary::Minus => {
                let mut typed = self.expr(operand)?;
                if !typed.ty.is_number() {
                    let bits = if matches!(typed.ty, Ty::Bits(_)) { "; write `bvneg`" } else { "" };
                    let message = format!("a sign is for numbers, and this is of type `{}`{bits}", typed.ty);
                    self.error(Code::TypeMismatch, span, message);
                    return None;
                }
                if op == Unary::Minus {
                    typed.value.term = self.terms().neg(typed.value.term);
                }
                Some(typed)
            }
            Unary::BvPos | Unary::BvNeg | Unary::BvNot => {
                let (mut value, width) = self.bits(operand)?;
                let (context, declared) = (&self.context, &self.scope.declared);
                let wrap = &mut |terms: &mut Terms, term: Term, width: u32| {
                    context.wrap(terms, declared, term, width, false)
                };
                value.term = bits::unary(&mut self.system.terms, op, value.term, width, wrap);
                Some(Typed { value, ty: Ty::Bits(width) })
            }
        }
    }
    fn binary(&mut self, op: Binary, a: ExprId, b: ExprId, span: Span) -> Option<Typed> {
        use Binary::*;
        match op {
            Iff | Xor => {
                let (a, b) = (self.expect(a, &Ty::Bool), self.expect(b, &Ty::Bool));
                let value = Checked::strict(self.terms(), [a?, b?], |terms, v| match op {
                    Iff => terms.eq(v[0], v[1]),
                    _ => terms.xor(v[0], v[1]),
                });
                Some(Typed { value, ty: Ty::Bool })
            }
            Imply => {
                let (a, b) = (self.expect(a, &Ty::Bool), self.expect(b, &Ty::Bool));
                let (mut a, b) = (a?, b?);
                a.term = self.terms().not(a.term);
                let value = Checked::junction(self.terms(), vec![a, b], true);
                Some(Typed { value, ty: Ty::Bool })
            }
            Eq | Ne => {
                let (a, b) = (self.expr(a), self.expr(b));
                let (a, b) = (a?, b?);
                let ty = self.common(&a.ty, &b.ty, span, "the sides of this comparison")?;
                if ty.has_bits_inside() {
                    let message = "arrays of bit-vectors cannot be compared; compare their entries";
                    self.error(Code::UnsupportedOperator, span, message);
                    return None;
                }
                let value = Checked::strict(self.terms(), [a.value, b.value], |terms, v| {
                    let same = terms.eq(v[0], v[1]);
                    if op == Eq { same } else { terms.not(same) }
                });
                Some(Typed { value, ty: Ty::Bool })
            }
            Lt | Le | Gt | Ge => {
                let [a, b] = self.numbers(op, a, b)?;
                let value = Checked::strict(self.terms(), [a.value, b.value], |terms, v| match op {
                    Lt => terms.lt(v[0], v[1]),
                    Le => terms.le(v[0], v[1]),
                    Gt => terms.gt(v[0], v[1]),
                    _ => terms.ge(v[0], v[1]),
                });
                Some(Typed { value, ty: Ty::Bool })
            }
            Add | Sub | Mul => {
                let [a, b] = self.numbers(op, a, b)?;
                let ty = if a.ty == Ty::Int && b.ty == Ty::Int { Ty::Int } else { Ty::Rat };
                let value = Checked::strict(self.terms(), [a.value, b.value], |terms, v| match op {
                    Add => terms.add([v[0], v[1]]),
                    Sub => terms.sub(v[0], v[1]),
                    _ => terms.mul([v[0], v[1]]),
                });
                Some(Typed { value, ty })
            }
            Div | Mod | Rem => self.division(op, a, b, span),
            Concat => {
                let (a, b) = (self.bits(a), self.bits(b));
                let ((a, high), (b, low)) = (a?, b?);
                let value =
                    Checked::strict(self.terms(), [a, b], |terms, v| bits::concat(terms, v[0], v[1], low));
                Some(Typed { value, ty: Ty::Bits(high + low) })
            }
            _ => {
                let (a, b) = (self.bits(a), self.bits(b));
                let ((a, width), (b, other)) = (a?, b?);
                if width != other {
                    let message =
                        format!("`{}` needs as many bits on both sides, not {width} and {other}", op.text());
                    self.error(Code::TypeMismatch, span, message);
                    return None;
                }
                let compares = op.level().0 == Level::Relation;
                let (context, declared) = (&self.context, &self.scope.declared);
                let wrap = &mut |terms: &mut Terms, term: Term, width: u32| {
                    context.wrap(terms, declared, term, width, false)
                };
                let value = Checked::strict(&mut self.system.terms, [a, b], |terms, v| match compares {
                    true => bits::comparison(terms, op, [v[0], v[1]], width),
                    false => bits::binary(terms, op, [v[0], v[1]], width, wrap),
                });
                Some(Typed { value, ty: if compares { Ty::Bool } else { Ty::Bits(width) } })
            }
        }
    }
    /// Two operands that are integers or rationals.
    fn numbers(&mut self, op: Binary, a: ExprId, b: ExprId) -> Option<[Typed; 2]> {
        let both = [a, b].map(|operand| {
            let typed = self.expr(operand)?;
            if typed.ty.is_number() {
                return Some(typed);
            }
            let instead = match (&typed.ty, op) {
                (Ty::Bits(_), Binary::Add) => "; write `bvadd`",
                (Ty::Bits(_), Binary::Sub) => "; write `bvsub`",
                (Ty::Bits(_), Binary::Mul) => "; write `bvmul`",
                (Ty::Bits(_), Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge) => {
                    "; write `bvult` or `bvslt`, and so on"
                }
                (Ty::Bits(_), _) => "; write `bvudiv`, `bvurem`, and so on",
                _ => "",
            };
            let message =
                format!("`{}` is for numbers, and this is of type `{}`{instead}", op.text(), typed.ty);
            self.error(Code::TypeMismatch, self.tree.exprs[operand].span, message);
            None
        });
        let [a, b] = both;
        Some([a?, b?])
    }
    fn division(&mut self, op: Binary, a: ExprId, b: ExprId, span: Span) -> Option<Typed> {
        let [x, y] = self.numbers(op, a, b)?;
        let ints = x.ty == Ty::Int && y.ty == Ty::Int;
        if op != Binary::Div && !ints {
            let message = format!("`{}` needs integers", op.text());
            self.error(Code::TypeMismatch, span, message);
            return None;
        }
        let ty = if ints { Ty::Int } else { Ty::Rat };
        let terms = self.terms();
        let zero = terms.constant(if y.ty == Ty::Int { Value::int(0) } else { Value::rat(Rat::ZERO) });
        let by_zero = terms.eq(y.value.term, zero);
        let value = Checked::strict(terms, [x.value, y.value], |terms, v| match op {
            Binary::Div => terms.div(v[0], v[1]),
            Binary::Mod => terms.modulo(v[0], v[1]),
            _ => terms.rem(v[0], v[1]),
        });
        let never = self.context.truth(&self.system.terms, &self.scope.declared, by_zero) == Some(false);
        if never || self.system.terms.as_const(by_zero) == Some(&Value::Bool(false)) {
            return Some(Typed { value, ty });
        }
        if value.faults.len() >= MOST_FAULTS {
            let message = format!("more than {MOST_FAULTS} divisions of one expression may be by zero");
            self.error(Code::TooLarge, span, message);
            return None;
        }
        let fault = Fault { kind: FaultKind::DivisionByZero, span: self.tree.exprs[b].span, limit: None };
        let fault = self.system.faults.push(fault);
        let value = value.or_fault(self.terms(), by_zero, fault);
        Some(Typed { value, ty })
    }
    fn literal(
        &mut self,
        entries: &[(ExprId, ExprId)],
        index: Option<TypeId>,
        default: ExprId,
        span: Span,
    ) -> Option<Typed> {
        let stated = match index {
            Some(index) => Some(self.ty(index)?),
            None => None,
        };
        let default = self.expr(default);
        let mut list: Vec<Option<(Typed, Checked)>> = vec![];
        for (at, entry) in entries {
            let at = self.expr(*at);
            let entry = match &default {
                Some(default) => self.expect(*entry, &default.ty.clone()),
                None => self.expr(*entry).map(|typed| typed.value),
            };
            list.push(at.zip(entry));
        }
        let (default, list) = (default?, list.into_iter().collect::<Option<Vec<_>>>()?);
        let mut index = stated;
        for (at, _) in &list {
            match &index {
                None => index = Some(at.ty.clone()),
                Some(index) if *index == at.ty => {}
                Some(index) => {
                    let message = format!("positions are of types `{index}` and `{}`", at.ty);
                    self.error(Code::TypeMismatch, span, message);
                    return None;
                }
            }
        }
        let Some(index) = index else {
            let message = "nothing tells the type of positions; write `[<int> default <- 0]`";
            self.error(Code::UnclearType, span, message);
            return None;
        };
        if matches!(index, Ty::Array(_) | Ty::Rat) || matches!(index, Ty::Bits(width) if width > 62) {
            let message = format!("arrays with an index of type `{index}` are not supported");
            self.error(Code::UnsupportedType, span, message);
            return None;
        }
        let ty = Ty::Array(Arc::new((index, default.ty.clone())));
        let Type::Array(id) = self.kept(&ty) else { unreachable!("an array is kept as one") };
        let parts =
            [default.value].into_iter().chain(list.into_iter().flat_map(|(at, entry)| [at.value, entry]));
        let value = Checked::strict(self.terms(), parts, |terms, v| {
            let entries: Vec<(Term, Term)> = v[1..].chunks(2).map(|pair| (pair[0], pair[1])).collect();
            terms.array(id, v[0], &entries)
        });
        Some(Typed { value, ty })
    }
    /// Written out for every value.
    fn quantified(
        &mut self,
        quantifier: Quantifier,
        params: &[Decl],
        body: ExprId,
        span: Span,
    ) -> Option<Typed> {
        let Some((param, rest)) = params.split_first() else {
            return self.expect(body, &Ty::Bool).map(|value| Typed { value, ty: Ty::Bool });
        };
        let ty = self.ty(param.ty)?;
        let count: u32 = match ty {
            Ty::Bool => 2,
            Ty::Bits(width) if 1u32.checked_shl(width).is_some_and(|count| count <= MOST_VALUES) => {
                1 << width
            }
            _ => {
                let message = format!(
                    "quantifiers over `{ty}` are not supported; those over `bool` and up to 8 bits are, which are \
                     written out"
                );
                self.error(Code::UnsupportedOperator, span, message);
                return None;
            }
        };
        let mut parts = vec![];
        for value in 0..count {
            let term = match ty {
                Ty::Bool => self.terms().bool(value != 0),
                _ => self.terms().int(i64::from(value)),
            };
            self.written_out += 1;
            if self.written_out > LARGEST {
                self.error(Code::TooLarge, span, "written out, the quantifiers here are too large");
                return None;
            }
            self.bound.push((param.ident.text.clone(), term, ty.clone()));
            let part = ir::deep(|| self.quantified(quantifier, rest, body, span));
            self.bound.pop();
            parts.push(part?.value);
        }
        let value = Checked::junction(self.terms(), parts, quantifier == Quantifier::Exists);
        Some(Typed { value, ty: Ty::Bool })
    }
}

/// How often bodies of quantifiers of one text are written out at most.
const LARGEST: u32 = 20_000;

fn typed(term: Term, ty: Ty) -> Typed {
    Typed { value: term.into(), ty }
}
