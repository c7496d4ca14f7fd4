//! What every model knows without declaring it: limits of integers and types between them, numbers of
//! mathematics, and functions. A model may declare these names itself, and means its own then.

use ir::{Checked, Faults, Span};

use crate::code::Code as Cause;
use crate::xta::ast::*;
use crate::xta::elaborate::Elaborator;
use crate::xta::expr::{Operand, Val, then};
use crate::xta::opaque::Opaque;
use crate::xta::scope::Symbol;
use crate::xta::types::*;

/// Integer types, with the names of their limits.
const TYPES: [(&str, &str, &str, Bounds); 7] = [
    ("int8_t", "INT8_MIN", "INT8_MAX", (i8::MIN as i64, i8::MAX as i64)),
    ("uint8_t", "UINT8_MIN", "UINT8_MAX", (0, u8::MAX as i64)),
    ("int16_t", "INT16_MIN", "INT16_MAX", (i16::MIN as i64, i16::MAX as i64)),
    ("uint16_t", "UINT16_MIN", "UINT16_MAX", (0, u16::MAX as i64)),
    ("int32_t", "INT32_MIN", "INT32_MAX", (i32::MIN as i64, i32::MAX as i64)),
    ("uint32_t", "UINT32_MIN", "UINT32_MAX", (0, u32::MAX as i64)),
    ("int64_t", "INT64_MIN", "INT64_MAX", (i64::MIN, i64::MAX)),
];

/// Numbers that are no integers.
const NUMBERS: [&str; 19] = [
    "FLT_MIN",
    "FLT_MAX",
    "DBL_MIN",
    "DBL_MAX",
    "FLT_EPSILON",
    "DBL_EPSILON",
    "M_PI",
    "M_PI_2",
    "M_PI_4",
    "M_E",
    "M_LOG2E",
    "M_LOG10E",
    "M_LN2",
    "M_LN10",
    "M_1_PI",
    "M_2_PI",
    "M_2_SQRTPI",
    "M_SQRT2",
    "M_SQRT1_2",
];

/// Functions that give floating-point numbers, or look at some.
const FUNCTIONS: [&str; 54] = [
    "fabs",
    "fmod",
    "fma",
    "fmax",
    "fmin",
    "fdim",
    "exp",
    "exp2",
    "expm1",
    "ln",
    "log",
    "log10",
    "log2",
    "log1p",
    "pow",
    "sqrt",
    "cbrt",
    "hypot",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "erf",
    "erfc",
    "tgamma",
    "lgamma",
    "ceil",
    "floor",
    "trunc",
    "round",
    "fint",
    "ldexp",
    "ilogb",
    "logb",
    "nextafter",
    "copysign",
    "fpclassify",
    "isfinite",
    "isinf",
    "isnan",
    "isnormal",
    "signbit",
    "isunordered",
    "remainder",
    "nan",
];

/// Functions of integers.
const INTEGER: [&str; 1] = ["abs"];

/// Functions that draw numbers.
const RANDOM: [&str; 8] = [
    "random",
    "random_arcsine",
    "random_beta",
    "random_gamma",
    "random_normal",
    "random_poisson",
    "random_tri",
    "random_weibull",
];

/// Functions that give integers, as numbers.
const ROUNDING: [&str; 4] = ["ceil", "floor", "round", "trunc"];

/// Whether there is a predefined function of this name.
pub(crate) fn is_function(name: &str) -> bool {
    INTEGER.contains(&name) || FUNCTIONS.contains(&name) || RANDOM.contains(&name)
}

impl Elaborator {
    /// Declares the predefined types and constants, around everything else.
    pub(crate) fn predefine(&mut self, ast: &mut Ast) {
        let mut declare = |cx: &mut Self, name: &str, symbol: Symbol| {
            let ident = Ident { name: ast.names.intern(name), span: Span::default() };
            cx.scopes.declare(ident, symbol);
        };
        for (name, least, greatest, (low, high)) in TYPES {
            for (name, value) in [(least, low), (greatest, high)] {
                let term = self.system.terms.int(value);
                declare(self, name, Symbol::Place(Place::value(term, Ty::Int((low, high)))));
            }
            declare(self, name, Symbol::Type(Ty::Int((low, high))));
        }
        for name in NUMBERS {
            let place = Place::new(Object::Opaque, Ty::Opaque(Opaque::Double), true);
            declare(self, name, Symbol::Place(place));
        }
        self.scopes.enter(self.scopes.here());
    }
    /// A call of a predefined function, if there is one of this name.
    pub(crate) fn predefined_call(
        &mut self,
        name: Name,
        args: &[ExprId],
        span: Span,
    ) -> Option<Option<Operand>> {
        let text = self.text(name);
        if INTEGER.contains(&text) {
            return Some(self.absolute(args, span));
        }
        if let Some(known) = RANDOM.into_iter().find(|known| *known == text) {
            return Some(self.number_function(Opaque::Random(known), args));
        }
        let known = FUNCTIONS.into_iter().find(|known| *known == text)?;
        if let ("fint", [arg]) = (known, args) {
            let arg = self.rounded(*arg);
            let Some(value) = self.value(arg) else { return Some(None) };
            let val = match value.val {
                val @ (Val::Int(_) | Val::Bool(..)) => val,
                _ => Val::Opaque(Opaque::Predefined(known)),
            };
            return Some(Some(Operand::new(val, value.faults)));
        }
        Some(self.number_function(Opaque::Predefined(known), args))
    }
    /// What is rounded, if something is: an integer is the same afterwards.
    fn rounded(&self, expr: ExprId) -> ExprId {
        match &self.ast.exprs[expr].kind {
            ExprKind::Call(function, args) => match (&self.ast.exprs[*function].kind, &args[..]) {
                (ExprKind::Name(name), [arg])
                    if self.lookup(*name).is_none() && ROUNDING.contains(&self.text(*name)) =>
                {
                    ir::deep(|| self.rounded(*arg))
                }
                _ => expr,
            },
            _ => expr,
        }
    }
    /// The absolute value of an integer; that of another number is not computed.
    fn absolute(&mut self, args: &[ExprId], span: Span) -> Option<Operand> {
        let [arg] = args else {
            return self.fail(
                Cause::WrongCount,
                span,
                format!("`abs` has 1 parameter, but is given {}", args.len()),
            );
        };
        let value = self.value(*arg)?;
        if matches!(value.val, Val::Opaque(_)) {
            return Some(value);
        }
        let arg_span = self.ast.exprs[*arg].span;
        let Checked { term, faults } = self.as_int(value, arg_span)?;
        let terms = &mut self.system.terms;
        let (zero, minus) = (terms.int(0), terms.neg(term));
        let negative = terms.lt(term, zero);
        let term = terms.ite(negative, minus, term);
        Some(Operand::int(Checked { term, faults }))
    }
    fn number_function(&mut self, result: Opaque, args: &[ExprId]) -> Option<Operand> {
        let mut faults = Faults::new();
        for arg in args {
            let span = self.ast.exprs[*arg].span;
            let value = self.value(*arg)?;
            let value = self.as_opaque(value, span)?;
            then(&mut self.system.terms, &mut faults, None, value.faults);
        }
        Some(Operand::new(Val::Opaque(result), faults))
    }
}
