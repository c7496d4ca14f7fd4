//! The theory of bits: integer terms whose variables have ranges, as vectors of bits.
//!
//! Every integer term lies in an interval that follows from the ranges of its variables. It becomes a vector in two's
//! complement with as many bits as that interval needs, its sign included, so that no operation overflows: operands
//! are brought to a width at which the result is exact, and results to their own. Sums and products are computed
//! modulo a power of two that tells all possible results apart. Remainders and quotients by powers of two are parts
//! of the vector. So a formula has the same models in both theories, and none is an approximation.
//!
//! Integers without a range have no such width, and neither have entries of arrays; formulas with them are refused.

use ir::range::{ALL, Interval};
use ir::{Bitwise, Int, Node, Steps, Term, Terms, Type, Value, VarId};
use z3_lib::{Ast, Failure};

use super::translate::{Instance, Leaf, Translator};
use crate::interrupt::Interrupt;
use crate::z3::interrupt_of;

/// Numbers as solvers know them.
#[derive(Copy, Clone, Default, PartialEq, Eq, Hash, Debug)]
pub enum Theory {
    /// Integers are integers.
    #[default]
    Int,
    /// Integers that have ranges are vectors of bits; others are refused.
    Bits,
}

/// Numbers of more bits than this, sign apart, are refused.
const MOST: u32 = 120;

fn refused(what: &str) -> Interrupt {
    Interrupt::Unsupported(format!("{what} as bits"))
}

/// How many bits the numbers of an interval need, sign included.
fn width(interval: Interval) -> Result<u32, Interrupt> {
    let bits = interval.bits().filter(|bits| *bits <= MOST);
    bits.map(|bits| bits + 1).ok_or_else(|| refused("integers without a range"))
}

/// The exponent of a power of two.
fn exponent(value: &Value) -> Option<u32> {
    let Value::Int(value) = value else { return None };
    let bits = u32::try_from(value.bits()).ok()?.checked_sub(1)?;
    (*value == Int::power_of_two(bits)).then_some(bits)
}

impl Translator {
    /// The vector of an integer term, or the formula that compares two; `None` for what is not about integers.
    pub(super) fn bits(
        &mut self,
        terms: &Terms,
        term: Term,
        at: &Steps,
        shift: u32,
    ) -> Result<Option<Ast>, Interrupt> {
        let is_int = |term: Term| terms.type_of(term) == Type::Int;
        let node = terms.node(term);
        if let Node::Eq(a, b) | Node::Le(a, b) | Node::Lt(a, b) = *node
            && is_int(a)
            && is_int(b)
        {
            let (a, b) = (self.translate(terms, a, at, shift)?, self.translate(terms, b, at, shift)?);
            let most = a.bits().max(b.bits());
            let made = self.fitted(&a, most).and_then(|a| {
                let b = self.fitted(&b, most)?;
                match node {
                    Node::Eq(..) => self.context.eq(&a, &b),
                    Node::Le(..) => self.context.signed_le(&a, &b),
                    _ => self.context.signed_lt(&a, &b),
                }
            });
            return made.map(Some).map_err(interrupt_of);
        }
        if !is_int(term) {
            return Ok(None);
        }
        let own = width(self.interval(terms, term))?;
        let made = match *node {
            Node::Const(Value::Int(ref value)) => self.vector(value, own),
            Node::Var(var, step) => return self.bits_var(terms, var, step + at.of(var)).map(Some),
            Node::Add(ref list) | Node::Mul(ref list) => {
                let mut parts = vec![];
                for part in list {
                    let part = self.translate(terms, *part, at, shift)?;
                    parts.push(self.fitted(&part, own).map_err(interrupt_of)?);
                }
                let sum = matches!(node, Node::Add(_));
                let mut parts = parts.into_iter();
                let first = parts.next().ok_or_else(|| refused("an empty sum"))?;
                parts.try_fold(first, |left, right| match sum {
                    true => self.context.vector_add(&left, &right),
                    false => self.context.vector_mul(&left, &right),
                })
            }
            Node::Ite(condition, a, b) => {
                let condition = self.translate(terms, condition, at, shift)?;
                let (a, b) = (self.translate(terms, a, at, shift)?, self.translate(terms, b, at, shift)?);
                self.fitted(&a, own).and_then(|a| self.context.ite(&condition, &a, &self.fitted(&b, own)?))
            }
            Node::BitAnd(a, b) | Node::BitOr(a, b) | Node::BitXor(a, b) => {
                let (a, b) = (self.translate(terms, a, at, shift)?, self.translate(terms, b, at, shift)?);
                let most = a.bits().max(b.bits());
                self.fitted(&a, most).and_then(|a| {
                    let b = self.fitted(&b, most)?;
                    let made = match node {
                        Node::BitAnd(..) => self.context.vector_and(&a, &b),
                        Node::BitOr(..) => self.context.vector_or(&a, &b),
                        _ => self.context.vector_xor(&a, &b),
                    };
                    self.fitted(&made?, own)
                })
            }
            Node::Div(a, b) | Node::Mod(a, b) | Node::Rem(a, b) => {
                let power = terms.as_const(b).and_then(exponent);
                let dividend = self.translate(terms, a, at, shift)?;
                match (node, power) {
                    (Node::Div(..), Some(power)) => self.high(&dividend, power, own),
                    (_, Some(power)) => self.low(&dividend, power, own),
                    (_, None) => {
                        let ranges = [self.interval(terms, a), self.interval(terms, b)];
                        let divisor = self.translate(terms, b, at, shift)?;
                        self.bits_division(node, &dividend, &divisor, ranges)
                            .and_then(|made| self.fitted(&made, own))
                    }
                }
            }
            Node::Read(..) => return Err(refused("entries of arrays")),
            _ => return Err(refused("this integer")),
        };
        made.map(Some).map_err(interrupt_of)
    }
    /// Where an integer term lies.
    fn interval(&mut self, terms: &Terms, term: Term) -> Interval {
        if let Some(known) = self.intervals.get(&term) {
            return *known;
        }
        let mut open = vec![];
        terms.for_each_subterm(term, |part| open.push(part));
        // Children come before their parents.
        for part in open {
            if self.intervals.contains_key(&part) {
                continue;
            }
            let range = match terms.node(part) {
                Node::Var(var, _) if terms.var_type(*var) == Type::Int => {
                    self.range(*var).map_or(ALL, |(least, greatest)| Interval::between(least, greatest))
                }
                Node::Var(..) => ALL,
                node => Interval::of_node(node, |child| self.intervals[&child]),
            };
            self.intervals.insert(part, range);
        }
        self.intervals[&term]
    }
    /// A constant of so many bits.
    fn vector(&self, value: &Int, width: u32) -> Result<Ast, Failure> {
        self.context.number(&value.to_string(), &self.context.vector_sort(width)?)
    }
    /// A number with more or fewer bits; if fewer, it must be one that they hold.
    fn fitted(&self, ast: &Ast, width: u32) -> Result<Ast, Failure> {
        match ast.bits() {
            same if same == width => Ok(ast.clone()),
            less if less < width => self.context.sign_extended(ast, width - less),
            _ => self.context.extract(ast, width - 1, 0),
        }
    }
    /// The remainder by two to a power: the lowest bits.
    fn low(&self, ast: &Ast, power: u32, width: u32) -> Result<Ast, Failure> {
        if power == 0 {
            return self.vector(&Int::ZERO, width);
        }
        let low = self.fitted(ast, power)?;
        let low = self.context.zero_extended(&low, 1)?;
        self.fitted(&low, width)
    }
    /// The quotient by two to a power, rounded down: the highest bits.
    fn high(&self, ast: &Ast, power: u32, width: u32) -> Result<Ast, Failure> {
        let most = ast.bits() - 1;
        let high = self.context.extract(ast, most, power.min(most))?;
        self.fitted(&high, width)
    }
    /// Euclidean quotient and remainder, and that with the sign of the divisor.
    fn bits_division(&self, node: &Node, a: &Ast, b: &Ast, ranges: [Interval; 2]) -> Result<Ast, Failure> {
        let context = &self.context;
        let width = a.bits().max(b.bits()) + 1;
        let (a, b) = (self.fitted(a, width)?, self.fitted(b, width)?);
        let zero = self.vector(&Int::ZERO, width)?;
        let negative = context.signed_lt(&b, &zero)?;
        let signless = ranges.iter().all(|range| range.low >= 0);
        let modulo = if signless {
            context.unsigned_rem(&a, &b)?
        } else {
            let size = context.ite(&negative, &context.vector_neg(&b)?, &b)?;
            context.signed_mod(&a, &size)?
        };
        let (usual, by_zero) = match node {
            Node::Div(..) if signless => (context.unsigned_div(&a, &b)?, &zero),
            Node::Div(..) => {
                let exact = context.vector_add(&a, &context.vector_neg(&modulo)?)?;
                (context.signed_div(&exact, &b)?, &zero)
            }
            Node::Rem(..) => (context.ite(&negative, &context.vector_neg(&modulo)?, &modulo)?, &a),
            _ => (modulo, &a),
        };
        let never_zero = ranges[1].low > 0 || ranges[1].high < 0;
        if never_zero { Ok(usual) } else { context.ite(&context.eq(&b, &zero)?, by_zero, &usual) }
    }
    /// The vector of a variable at a step. Without negative values, the constant has no bit for the sign.
    fn bits_var(&mut self, terms: &Terms, var: VarId, step: u32) -> Result<Ast, Interrupt> {
        if let Some(known) = self.vars.get(&(var, step)) {
            return Ok(known.clone());
        }
        let constant = self.bits_constant(terms, var, step)?;
        let range = self.range_of(var)?;
        let ast = if range.low < 0 {
            constant
        } else {
            self.context.zero_extended(&constant, 1).map_err(interrupt_of)?
        };
        self.vars.insert((var, step), ast.clone());
        Ok(ast)
    }
    /// The constant behind it.
    pub(super) fn bits_constant(&mut self, terms: &Terms, var: VarId, step: u32) -> Result<Ast, Interrupt> {
        if terms.var_type(var) != Type::Int {
            return self.var(terms, var, step);
        }
        let instance: Instance = (var, step);
        if let Some(known) = self.constants.get(&instance) {
            return Ok(known.clone());
        }
        let range = self.range_of(var)?;
        let whole = width(range)?;
        let count = if range.low < 0 { whole } else { (whole - 1).max(1) };
        let made = self
            .context
            .vector_sort(count)
            .and_then(|sort| self.context.constant(&format!("{var:?}@{step}"), &sort));
        let ast = made.map_err(interrupt_of)?;
        self.constants.insert(instance, ast.clone());
        self.meaning.insert(ast.clone(), Leaf::Var(var, step));
        Ok(ast)
    }
    fn range_of(&self, var: VarId) -> Result<Interval, Interrupt> {
        let range = self.range(var).ok_or_else(|| refused("integers without a range"))?;
        Ok(Interval::between(&range.0, &range.1))
    }
    /// What of the range of a variable its vector does not say.
    pub(super) fn bits_bounds(
        &mut self,
        terms: &Terms,
        var: VarId,
        step: u32,
    ) -> Result<Vec<Ast>, Interrupt> {
        let ast = self.bits_var(terms, var, step)?;
        let range = self.range_of(var)?;
        let (least, greatest) = self.range(var).cloned().expect("it has a range");
        let mut bounds = vec![];
        let power = |bits: u32| 1_i128 << bits;
        let whole = width(range)?;
        let holds = match range.low < 0 {
            true => (-power(whole - 1), power(whole - 1) - 1),
            false => (0, power((whole - 1).max(1)) - 1),
        };
        if range.low > holds.0 {
            let least = self.vector(&least, ast.bits());
            bounds.push(least.and_then(|least| self.context.signed_le(&least, &ast)).map_err(interrupt_of)?);
        }
        if range.high < holds.1 {
            let greatest = self.vector(&greatest, ast.bits());
            bounds.push(greatest.and_then(|most| self.context.signed_le(&ast, &most)).map_err(interrupt_of)?);
        }
        Ok(bounds)
    }
}

/// The number that digits of a vector of so many bits mean in two's complement.
pub(super) fn signed(digits: &str, width: u32) -> Option<Int> {
    let value: Int = digits.parse().ok()?;
    Some(if value >= Int::power_of_two(width - 1) { &value - &Int::power_of_two(width) } else { value })
}

impl Translator {
    /// What the constant of a variable means without a sign.
    pub(super) fn unsigned(&self, terms: &mut Terms, var: VarId, term: Term) -> Term {
        let Some(range) = self.range_of(var).ok().filter(|range| range.low < 0) else { return term };
        let Ok(width) = width(range) else { return term };
        modulo(terms, term, width)
    }
}

fn power(terms: &mut Terms, exponent: u32) -> Term {
    terms.constant(Value::Int(Int::power_of_two(exponent)))
}

fn modulo(terms: &mut Terms, term: Term, width: u32) -> Term {
    let all = power(terms, width);
    terms.modulo(term, all)
}

/// A vector that is read without a sign, read with one.
fn with_sign(terms: &mut Terms, term: Term, width: u32) -> Term {
    let (half, all) = (power(terms, width - 1), power(terms, width));
    let (small, negative) = (terms.lt(term, half), terms.sub(term, all));
    terms.ite(small, term, negative)
}

/// The term of an operator on vectors, which are read as numbers without a sign; `None` if it is not known.
pub(super) fn vectors(
    terms: &mut Terms,
    op: &str,
    ast: &Ast,
    children: &[Ast],
    parts: &[Term],
) -> Option<Term> {
    let width = children.iter().map(Ast::bits).max()?;
    let own = ast.bits();
    let signed: Vec<Term> = match op {
        "bvsle" | "bvslt" | "bvsge" | "bvsgt" => {
            parts.iter().map(|part| with_sign(terms, *part, width)).collect()
        }
        _ => vec![],
    };
    Some(match (op, parts) {
        ("=" | "distinct" | "ite", _) => super::apply(terms, op, parts)?,
        ("bvneg", [a]) => {
            let negative = terms.neg(*a);
            modulo(terms, negative, own)
        }
        ("bvnot", [a]) => {
            let ones = terms.constant(Value::Int(&Int::power_of_two(own) - &Int::ONE));
            terms.sub(ones, *a)
        }
        ("bvadd", _) => {
            let sum = terms.add(parts.iter().copied());
            modulo(terms, sum, own)
        }
        ("bvsub", [a, b]) => {
            let difference = terms.sub(*a, *b);
            modulo(terms, difference, own)
        }
        ("bvmul", _) => {
            let product = terms.mul(parts.iter().copied());
            modulo(terms, product, own)
        }
        ("bvand", [first, rest @ ..]) => rest.iter().fold(*first, |a, b| terms.bitwise(Bitwise::And, a, *b)),
        ("bvor", [first, rest @ ..]) => rest.iter().fold(*first, |a, b| terms.bitwise(Bitwise::Or, a, *b)),
        ("bvxor", [first, rest @ ..]) => rest.iter().fold(*first, |a, b| terms.bitwise(Bitwise::Xor, a, *b)),
        ("bvule", [a, b]) | ("bvuge", [b, a]) => terms.le(*a, *b),
        ("bvult", [a, b]) | ("bvugt", [b, a]) => terms.lt(*a, *b),
        ("bvsle", _) => terms.le(signed[0], signed[1]),
        ("bvsge", _) => terms.le(signed[1], signed[0]),
        ("bvslt", _) => terms.lt(signed[0], signed[1]),
        ("bvsgt", _) => terms.lt(signed[1], signed[0]),
        ("zero_extend", [a]) => *a,
        ("sign_extend", [a]) => {
            let value = with_sign(terms, *a, width);
            modulo(terms, value, own)
        }
        ("extract", [a]) => {
            let low = power(terms, u32::try_from(ast.parameter(1)?).ok()?);
            let high = terms.div(*a, low);
            modulo(terms, high, own)
        }
        ("concat", _) => {
            let mut sum = terms.int(0);
            for (part, child) in parts.iter().zip(children) {
                let factor = power(terms, child.bits());
                let shifted = terms.mul([factor, sum]);
                sum = terms.add([shifted, *part]);
            }
            sum
        }
        ("bvudiv" | "bvurem", [a, b]) if terms.as_const(*b).is_some_and(|b| !b.as_rat().is_zero()) => {
            if op == "bvudiv" { terms.div(*a, *b) } else { terms.modulo(*a, *b) }
        }
        _ => return None,
    })
}
