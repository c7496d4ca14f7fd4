//! Intervals of integer terms, for front-ends: which run-time errors cannot happen, which results need no
//! wrapping around.
//!
//! Every variable stays within its declared range, because each assignment is checked or wraps. Conditions that
//! hold where a term is evaluated narrow the intervals of the terms they compare. An answer "cannot
//! be" is certain, "can be" is not.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::id::Id;
use crate::number::Int;
use crate::term::{Node, Term, Terms, VarId};
use crate::value::{Type, Value};

/// Integers from the first to the second; the extreme values of `i128` stand for "unbounded".
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Interval {
    /// No value is below.
    pub low: i128,
    /// No value is above.
    pub high: i128,
}

/// All integers.
pub const ALL: Interval = Interval { low: i128::MIN, high: i128::MAX };

impl Interval {
    /// One integer.
    pub fn one(value: i128) -> Self {
        Interval { low: value, high: value }
    }
    /// Between two bounds, as far as they can be told.
    pub fn between(least: &Int, greatest: &Int) -> Self {
        Interval { low: least.to_i128().unwrap_or(i128::MIN), high: greatest.to_i128().unwrap_or(i128::MAX) }
    }
    /// What so many bits hold, at most 126.
    pub fn of_width(width: u32, signed: bool) -> Self {
        let all = 1i128 << width;
        match signed {
            true => Interval { low: -(all / 2), high: all / 2 - 1 },
            false => Interval { low: 0, high: all - 1 },
        }
    }
    /// The bounds as far as machine words tell them; what is beyond counts as unbounded.
    pub fn words(self) -> (i64, i64) {
        let clamp = |value: i128| value.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        (clamp(self.low), clamp(self.high))
    }
    /// The least interval with both.
    pub fn join(self, other: Self) -> Self {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
    fn meet(self, other: Self) -> Self {
        Interval { low: self.low.max(other.low), high: self.high.min(other.high) }
    }
    /// Whether there is no bound on one side.
    pub fn unbounded(self) -> bool {
        self.low == i128::MIN || self.high == i128::MAX
    }
    /// Whether everything between the bounds of the other lies within these.
    pub fn contains(self, other: Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }
    /// The opposites.
    pub fn negated(self) -> Self {
        let opposite = |bound: i128| match bound {
            i128::MAX => i128::MIN,
            bound => bound.checked_neg().unwrap_or(i128::MAX),
        };
        Interval { low: opposite(self.high), high: opposite(self.low) }
    }
    /// The sums.
    pub fn plus(self, other: Self) -> Self {
        let sum = |a: i128, b: i128, unbounded: i128| {
            if a == unbounded || b == unbounded { unbounded } else { a.saturating_add(b) }
        };
        Interval { low: sum(self.low, other.low, i128::MIN), high: sum(self.high, other.high, i128::MAX) }
    }
    /// The products.
    pub fn times(self, other: Self) -> Self {
        // Infinite bounds behave like very large ones, except against zero.
        let corners = [
            self.low.saturating_mul(other.low),
            self.low.saturating_mul(other.high),
            self.high.saturating_mul(other.low),
            self.high.saturating_mul(other.high),
        ];
        let corners = corners.into_iter();
        Interval { low: corners.clone().min().expect("four"), high: corners.max().expect("four") }
    }
    /// How many bits every number here has, apart from its sign; `None` without bounds.
    pub fn bits(self) -> Option<u32> {
        let of = |value: i128| 128 - if value < 0 { !value } else { value }.leading_zeros();
        (!self.unbounded() && self.low <= self.high).then(|| of(self.low).max(of(self.high)))
    }
    /// The results of a bit operation, which have no more bits than their operands.
    fn bitwise(self, other: Self, and: bool) -> Self {
        let all = |bits: u32, negative: bool| {
            let most = (1i128 << bits.min(126)) - 1;
            if bits > 126 { ALL } else { Interval { low: if negative { !most } else { 0 }, high: most } }
        };
        let (signless, other_signless) = (self.low >= 0, other.low >= 0);
        match (self.bits(), other.bits()) {
            // A conjunction is no greater than an operand without a sign, whatever the other one is.
            (Some(_), Some(_)) if and && signless && other_signless => {
                Interval { low: 0, high: self.high.min(other.high) }
            }
            (Some(_), _) if and && signless => Interval { low: 0, high: self.high },
            (_, Some(_)) if and && other_signless => Interval { low: 0, high: other.high },
            (Some(a), Some(b)) => all(a.max(b), !(signless && other_signless)),
            _ => ALL,
        }
    }
    /// What an operator makes of operands within intervals; nothing is known of others than integers.
    pub fn of_node(node: &Node, mut of: impl FnMut(Term) -> Interval) -> Interval {
        match node {
            Node::Const(value) => constant(value),
            Node::Add(list) => list.iter().map(|t| of(*t)).reduce(Interval::plus).unwrap_or(Interval::one(0)),
            Node::Mul(list) => {
                list.iter().map(|t| of(*t)).reduce(Interval::times).unwrap_or(Interval::one(1))
            }
            Node::Ite(_, then, otherwise) => of(*then).join(of(*otherwise)),
            Node::Read(array, _) => of(*array),
            Node::Write(array, _, value) => of(*array).join(of(*value)),
            Node::Fill(_, value) => of(*value),
            Node::Div(a, b) => {
                let (a, b) = (of(*a), of(*b));
                // Where nothing can be, facts may contradict each other and leave no value at all.
                if a.unbounded() || b.high < b.low {
                    ALL
                } else if b.low < 1 {
                    // No quotient is farther from zero than the dividend; by zero it is zero.
                    let most = a.low.saturating_neg().max(a.high).max(a.low).max(0);
                    Interval { low: -most, high: most }
                } else if a.low < 0 {
                    Interval { low: a.low.div_euclid(b.low), high: a.high.max(0) / b.low }
                } else {
                    Interval {
                        low: if b.high == i128::MAX { 0 } else { a.low / b.high },
                        high: a.high / b.low,
                    }
                }
            }
            Node::Mod(a, b) => {
                let (a, b) = (of(*a), of(*b));
                // The remainder is not negative and smaller than the divisor, whatever its sign.
                let size = b.low.unsigned_abs().max(b.high.unsigned_abs());
                let below = i128::try_from(size.saturating_sub(1)).unwrap_or(i128::MAX);
                if b.low <= 0 && 0 <= b.high {
                    // By zero it is the dividend.
                    Interval { low: 0, high: below }.join(a)
                } else if a.low >= 0 {
                    Interval { low: 0, high: below.min(a.high) }
                } else {
                    Interval { low: 0, high: below }
                }
            }
            Node::BitAnd(a, b) => of(*a).bitwise(of(*b), true),
            Node::BitOr(a, b) | Node::BitXor(a, b) => of(*a).bitwise(of(*b), false),
            _ => ALL,
        }
    }
}

/// What is known of terms at one point of an evaluation.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    known: FxHashMap<Term, Interval>,
}

/// How many sub-terms one question may look at; beyond, nothing is known.
const WORK: usize = 5_000;
/// How many all questions about a model may look at before each is given less, so that large functions do not
/// keep anybody waiting.
const PATIENCE: usize = 500_000;
/// What is left then for each question without whose answer the model cannot be read.
const MODEST: usize = 500;
/// What is left for each other one.
const LITTLE: usize = 100;

/// One question and what is left to spend on it.
struct Eval<'a> {
    terms: &'a Terms,
    declared: &'a Declared,
    left: Cell<usize>,
}

impl<'a> Eval<'a> {
    fn new(terms: &'a Terms, declared: &'a Declared) -> Self {
        let left = match declared.thorough.get() {
            _ if declared.asked.get() < PATIENCE => WORK,
            true => MODEST,
            false => LITTLE,
        };
        Eval { terms, declared, left: Cell::new(left) }
    }
    /// A question that is worth a glance.
    fn brief(terms: &'a Terms, declared: &'a Declared) -> Self {
        Eval { terms, declared, left: Cell::new(LITTLE) }
    }
    fn exhausted(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        self.declared.asked.set(self.declared.asked.get() + 1);
        left == 0
    }
}

/// The declared ranges of variables; of the entries for arrays.
#[derive(Debug, Default)]
pub struct Declared {
    ranges: Vec<Option<Interval>>,
    /// How many sub-terms were looked at so far.
    asked: Cell<usize>,
    /// Whether questions are worth more effort, because the model cannot be read without answers.
    thorough: Cell<bool>,
    /// The variables of terms, sorted, as far as anybody asked.
    vars: RefCell<FxHashMap<Term, Arc<[VarId]>>>,
}

impl Declared {
    /// The range of a variable.
    pub fn of(&self, var: VarId) -> Option<Interval> {
        self.ranges.get(var.index()).copied().flatten()
    }
    /// Makes the table so long that all variables have an entry.
    pub fn resize(&mut self, length: usize) {
        self.ranges.resize(length, None);
    }
    /// Says the range of a variable.
    pub fn set(&mut self, var: VarId, range: Option<Interval>) {
        self.resize(self.ranges.len().max(var.index() + 1));
        self.ranges[var.index()] = range;
    }
    /// Says whether questions are worth the whole effort from now on; gives what was said before.
    pub fn thorough(&self, whole: bool) -> bool {
        self.thorough.replace(whole)
    }
    /// The variables of a term, sorted.
    pub fn vars_of(&self, terms: &Terms, term: Term) -> Arc<[VarId]> {
        let mut known = self.vars.borrow_mut();
        known.entry(term).or_insert_with(|| terms.vars_of(term).into()).clone()
    }
}

impl Ranges {
    /// Whether nothing is known but what is declared.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
    /// Where an integer term lies, as far as that is seen at a glance.
    pub fn glance(&self, terms: &Terms, declared: &Declared, term: Term) -> Interval {
        self.of_term(&Eval::brief(terms, declared), term)
    }
    /// Whether a condition holds, as far as that is seen at a glance.
    pub fn truth_at_a_glance(&self, terms: &Terms, declared: &Declared, term: Term) -> Option<bool> {
        self.truth_of(&Eval::brief(terms, declared), term)
    }
    /// Where an integer term lies.
    pub fn of(&self, terms: &Terms, declared: &Declared, term: Term) -> Interval {
        self.of_term(&Eval::new(terms, declared), term)
    }
    /// Whether a condition certainly holds or certainly does not.
    pub fn truth(&self, terms: &Terms, declared: &Declared, term: Term) -> Option<bool> {
        self.truth_of(&Eval::new(terms, declared), term)
    }
    /// Narrows intervals by a condition that holds (or does not hold) here, as far as that is seen at a glance.
    pub fn learn_at_a_glance(&mut self, terms: &Terms, declared: &Declared, condition: Term, holds: bool) {
        self.learn_of(&Eval::brief(terms, declared), condition, holds);
    }
    /// Narrows intervals by a condition that holds (or does not hold) here.
    pub fn learn(&mut self, terms: &Terms, declared: &Declared, condition: Term, holds: bool) {
        self.learn_of(&Eval::new(terms, declared), condition, holds);
    }

    /// The number of so many bits that `term` is congruent to: `term` itself, where it is seen to be one.
    pub fn wrap(&self, terms: &mut Terms, declared: &Declared, term: Term, width: u32, signed: bool) -> Term {
        let fits = width <= 126 && Interval::of_width(width, signed).contains(self.of(terms, declared, term));
        if fits { term } else { terms.wrap(term, width, signed) }
    }

    fn of_term(&self, eval: &Eval<'_>, term: Term) -> Interval {
        self.interval(eval, term, &mut FxHashMap::default())
    }
    fn interval(&self, eval: &Eval<'_>, term: Term, memo: &mut FxHashMap<Term, Interval>) -> Interval {
        if let Some(known) = memo.get(&term) {
            return *known;
        }
        if eval.exhausted() {
            return ALL;
        }
        let mut of = |t: Term| crate::deep(|| self.interval(eval, t, memo));
        let computed = match eval.terms.node(term) {
            Node::Var(var, _) => eval.declared.of(*var).unwrap_or(ALL),
            Node::Ite(condition, then, otherwise) => match self.truth_of(eval, *condition) {
                Some(true) => of(*then),
                Some(false) => of(*otherwise),
                None => {
                    // Each side counts only where it is taken.
                    let side = |term: Term, holds: bool| {
                        let mut here = self.clone();
                        here.learn_of(eval, *condition, holds);
                        crate::deep(|| here.of_term(eval, term))
                    };
                    side(*then, true).join(side(*otherwise, false))
                }
            },
            node => Interval::of_node(node, of),
        };
        let result = match self.known.get(&term) {
            Some(known) => computed.meet(*known),
            None => computed,
        };
        memo.insert(term, result);
        result
    }
    fn truth_of(&self, eval: &Eval<'_>, term: Term) -> Option<bool> {
        if eval.exhausted() { None } else { crate::deep(|| self.truth_here(eval, term)) }
    }
    fn truth_here(&self, eval: &Eval<'_>, term: Term) -> Option<bool> {
        let terms = eval.terms;
        let of = |t: Term| self.of_term(eval, t);
        let compare = |a: Interval, b: Interval, strict: bool| {
            let (holds, fails) =
                if strict { (a.high < b.low, a.low >= b.high) } else { (a.high <= b.low, a.low > b.high) };
            if fails && !(a.low == i128::MIN || b.high == i128::MAX) {
                Some(false)
            } else if holds && !(a.high == i128::MAX || b.low == i128::MIN) {
                Some(true)
            } else {
                None
            }
        };
        match terms.node(term) {
            Node::Const(Value::Bool(value)) => Some(*value),
            Node::Not(inner) => self.truth_of(eval, *inner).map(|value| !value),
            Node::And(list) => {
                let mut here = self.clone();
                for part in list {
                    here.learn_of(eval, *part, true);
                }
                if here.empty() {
                    return Some(false);
                }
                let mut all = true;
                for part in list {
                    match here.truth_of(eval, *part) {
                        Some(false) => return Some(false),
                        _ => all &= self.truth_of(eval, *part) == Some(true),
                    }
                }
                all.then_some(true)
            }
            Node::Or(list) => {
                let mut none = true;
                for part in list {
                    match self.truth_of(eval, *part) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => none = false,
                    }
                }
                none.then_some(false)
            }
            Node::Le(a, b) if is_int(terms, *a) && is_int(terms, *b) => compare(of(*a), of(*b), false),
            Node::Lt(a, b) if is_int(terms, *a) && is_int(terms, *b) => compare(of(*a), of(*b), true),
            Node::Eq(a, b) if is_int(terms, *a) && is_int(terms, *b) => {
                let (a, b) = (of(*a), of(*b));
                let both = a.meet(b);
                if both.low > both.high { Some(false) } else { (a == b && a.low == a.high).then_some(true) }
            }
            _ => None,
        }
    }
    /// Whether nothing is left for some term: this point is never reached.
    fn empty(&self) -> bool {
        self.known.values().any(|range| range.low > range.high)
    }
    /// Whether what is known of some term contradicts what is known of its parts: this point is never reached.
    pub fn impossible(&self, terms: &Terms, declared: &Declared) -> bool {
        let is_empty = |term: &Term| {
            let range = self.of(terms, declared, *term);
            range.low > range.high
        };
        self.known.keys().any(is_empty)
    }
    fn learn_of(&mut self, eval: &Eval<'_>, condition: Term, holds: bool) {
        let terms = eval.terms;
        if eval.exhausted() {
            return;
        }
        crate::deep(|| match (terms.node(condition), holds) {
            (Node::Not(inner), _) => self.learn_of(eval, *inner, !holds),
            (Node::And(list), true) | (Node::Or(list), false) => {
                for part in list {
                    self.learn_of(eval, *part, holds);
                }
            }
            (Node::Le(a, b), true) => self.order(eval, *a, *b, false),
            (Node::Lt(a, b), true) => self.order(eval, *a, *b, true),
            (Node::Le(a, b), false) => self.order(eval, *b, *a, true),
            (Node::Lt(a, b), false) => self.order(eval, *b, *a, false),
            (Node::Eq(a, b), true) if is_int(terms, *a) && is_int(terms, *b) => {
                let both = self.of_term(eval, *a).meet(self.of_term(eval, *b));
                self.set(terms, *a, both);
                self.set(terms, *b, both);
            }
            (Node::Eq(a, b), false) if is_int(terms, *a) && is_int(terms, *b) => {
                let (mut range, other) = (self.of_term(eval, *a), self.of_term(eval, *b));
                if other.low == other.high {
                    if range.low == other.low {
                        range.low = range.low.saturating_add(1);
                    }
                    if range.high == other.low {
                        range.high = range.high.saturating_sub(1);
                    }
                    self.set(terms, *a, range);
                }
            }
            _ => {}
        });
    }
    /// `a < b` or `a <= b` holds.
    fn order(&mut self, eval: &Eval<'_>, a: Term, b: Term, strict: bool) {
        let terms = eval.terms;
        if !is_int(terms, a) || !is_int(terms, b) {
            return;
        }
        let (mut low, mut high) = (self.of_term(eval, a), self.of_term(eval, b));
        let gap = i128::from(strict);
        if high.high != i128::MAX {
            low.high = low.high.min(high.high.saturating_sub(gap));
        }
        if low.low != i128::MIN {
            high.low = high.low.max(low.low.saturating_add(gap));
        }
        self.set(terms, a, low);
        self.set(terms, b, high);
    }
    fn set(&mut self, terms: &Terms, term: Term, range: Interval) {
        if terms.as_const(term).is_none() {
            self.known.insert(term, range);
        }
    }
    /// A variable gets a new value within `range`, if that is known.
    pub fn assign(&mut self, terms: &mut Terms, declared: &Declared, var: VarId, range: Option<Interval>) {
        self.forget(terms, declared, &[var]);
        if let Some(range) = range {
            let term = terms.var(var);
            self.known.insert(term, range);
        }
    }
    /// Variables change in an unknown way; `vars` is sorted.
    pub fn forget(&mut self, terms: &Terms, declared: &Declared, vars: &[VarId]) {
        let changes = |var: &VarId| vars.binary_search(var).is_ok();
        self.known.retain(|term, _| !declared.vars_of(terms, *term).iter().any(changes));
    }
    /// Keeps what holds on both of two ways.
    pub fn join(&mut self, terms: &Terms, declared: &Declared, other: &Ranges) {
        let mut joined = FxHashMap::default();
        for (term, range) in &self.known {
            joined.insert(*term, range.join(other.of(terms, declared, *term)));
        }
        for (term, range) in &other.known {
            joined.entry(*term).or_insert_with(|| range.join(self.of(terms, declared, *term)));
        }
        self.known = joined;
    }
    /// Gives up bounds that are weaker than those in `before`; true if there were any.
    pub fn widen(&mut self, before: &Ranges) -> bool {
        let mut changed = false;
        self.known.retain(|term, range| {
            let Some(old) = before.known.get(term) else { return false };
            if range.low < old.low {
                range.low = i128::MIN;
                changed = true;
            }
            if range.high > old.high {
                range.high = i128::MAX;
                changed = true;
            }
            true
        });
        changed
    }
}

fn is_int(terms: &Terms, term: Term) -> bool {
    terms.type_of(term) == Type::Int
}

fn constant(value: &Value) -> Interval {
    match value {
        Value::Int(value) => value.to_i128().map_or(ALL, Interval::one),
        Value::Array(array) => {
            array.entries().map(|(_, value)| constant(value)).fold(constant(array.default()), Interval::join)
        }
        _ => ALL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Bitwise;

    /// Every result of an operator on small operands is in the interval that is computed from theirs.
    #[test]
    fn intervals_contain_all_results() {
        let mut terms = Terms::new();
        let (x, y) = (terms.declare(Type::Int), terms.declare(Type::Int));
        let (x, y) = (terms.var(x), terms.var(y));
        let built = [
            terms.add([x, y]),
            terms.mul([x, y]),
            terms.div(x, y),
            terms.modulo(x, y),
            terms.bitwise(Bitwise::And, x, y),
            terms.bitwise(Bitwise::Or, x, y),
            terms.bitwise(Bitwise::Xor, x, y),
        ];
        let bounds: Vec<(i128, i128)> =
            (-5..=5).flat_map(|low| (low..=5).map(move |high| (low, high))).collect();
        for op in built {
            for (a, b) in bounds.iter().flat_map(|a| bounds.iter().map(move |b| (*a, *b))) {
                let of = |t: Term| match t {
                    _ if t == x => Interval { low: a.0, high: a.1 },
                    _ => Interval { low: b.0, high: b.1 },
                };
                let range = Interval::of_node(terms.node(op), of);
                for (a, b) in (a.0..=a.1).flat_map(|x| (b.0..=b.1).map(move |y| (x, y))) {
                    let exact = match terms.node(op) {
                        Node::Add(_) => a + b,
                        Node::Mul(_) => a * b,
                        Node::Div(..) => a.checked_div_euclid(b).unwrap_or(0),
                        Node::Mod(..) => a.checked_rem_euclid(b).unwrap_or(a),
                        Node::BitAnd(..) => a & b,
                        Node::BitOr(..) => a | b,
                        _ => a ^ b,
                    };
                    let here = range.low <= exact && exact <= range.high;
                    assert!(here, "{:?} of {a} and {b} is {exact}, not in {range:?}", terms.node(op));
                }
            }
        }
    }

    #[test]
    fn wrapping_is_left_out_where_it_does_nothing() {
        let mut terms = Terms::new();
        let var = terms.declare(Type::Int);
        let mut declared = Declared::default();
        declared.set(var, Some(Interval { low: 0, high: 255 }));
        let (x, one, limit) = (terms.var(var), terms.int(1), terms.int(200));
        let more = terms.add([x, one]);
        let mut here = Ranges::default();
        // 256 has nine bits, but not where there is a guard.
        assert_ne!(here.wrap(&mut terms, &declared, more, 8, false), more);
        assert_eq!(here.wrap(&mut terms, &declared, more, 9, false), more);
        let guard = terms.lt(x, limit);
        here.learn(&terms, &declared, guard, true);
        assert_eq!(here.wrap(&mut terms, &declared, more, 8, false), more);
    }

    #[test]
    fn a_sum_wraps_once() {
        let mut terms = Terms::new();
        let x = terms.declare(Type::Int);
        let (x, one, two) = (terms.var(x), terms.int(1), terms.int(2));
        for signed in [false, true] {
            let more = terms.add([x, one]);
            let once = terms.wrap(more, 32, signed);
            let again = terms.add([once, one]);
            let twice = terms.wrap(again, 32, signed);
            let both = terms.add([x, two]);
            assert_eq!(twice, terms.wrap(both, 32, signed));
            assert_eq!(terms.as_wrap(twice), Some((both, 32, signed)));
            assert_eq!(terms.wrap(twice, 32, signed), twice);
        }
    }
}
