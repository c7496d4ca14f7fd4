//! Intervals of integer terms: which run-time errors cannot happen.
//!
//! Every variable stays within its declared range, because each assignment is checked. Conditions that
//! hold where a term is evaluated narrow the intervals of the terms they compare. An answer "cannot
//! be" is certain, "can be" is not.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use ir::{Node, Term, Terms, Value, VarId};
use rustc_hash::FxHashMap;

use crate::xta::types::Bounds;

/// Integers from the first to the second; the extreme values of `i64` stand for "unbounded".
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Interval {
    pub(crate) low: i64,
    pub(crate) high: i64,
}

pub(crate) const ALL: Interval = Interval { low: i64::MIN, high: i64::MAX };

impl Interval {
    fn of(low: i128, high: i128) -> Self {
        let clamp = |value: i128| value.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        Interval { low: clamp(low), high: clamp(high) }
    }
    fn one(value: i64) -> Self {
        Interval { low: value, high: value }
    }
    pub(crate) fn join(self, other: Self) -> Self {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
    fn meet(self, other: Self) -> Self {
        Interval { low: self.low.max(other.low), high: self.high.min(other.high) }
    }
    fn unbounded(self) -> bool {
        self.low == i64::MIN || self.high == i64::MAX
    }
    /// Whether everything between the bounds of the other lies within these.
    pub(crate) fn contains(self, other: Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }
    pub(crate) fn negated(self) -> Self {
        let opposite = |bound: i64| match bound {
            i64::MAX => i64::MIN,
            bound => bound.checked_neg().unwrap_or(i64::MAX),
        };
        Interval { low: opposite(self.high), high: opposite(self.low) }
    }
    pub(crate) fn plus(self, other: Self) -> Self {
        let low = if self.low == i64::MIN || other.low == i64::MIN {
            i64::MIN.into()
        } else {
            i128::from(self.low) + i128::from(other.low)
        };
        let high = if self.high == i64::MAX || other.high == i64::MAX {
            i64::MAX.into()
        } else {
            i128::from(self.high) + i128::from(other.high)
        };
        Interval::of(low, high)
    }
    pub(crate) fn times(self, other: Self) -> Self {
        // Infinite bounds behave like very large ones, except against zero.
        let product = |a: i64, b: i64| i128::from(a) * i128::from(b);
        let corners = [
            product(self.low, other.low),
            product(self.low, other.high),
            product(self.high, other.low),
            product(self.high, other.high),
        ];
        let corners = corners.into_iter();
        Interval::of(corners.clone().min().expect("four"), corners.max().expect("four"))
    }
}

/// What is known of terms at one point of an evaluation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranges {
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
pub(crate) struct Declared {
    ranges: Vec<Option<Bounds>>,
    /// How many sub-terms were looked at so far.
    asked: Cell<usize>,
    /// Whether questions are worth more effort, because the model cannot be read without answers.
    thorough: Cell<bool>,
    /// The variables of terms, sorted, as far as anybody asked.
    vars: RefCell<FxHashMap<Term, Arc<[VarId]>>>,
}

impl Declared {
    /// The range of a variable.
    pub(crate) fn of(&self, var: VarId) -> Option<Bounds> {
        self.ranges.get(ir::Id::index(var)).copied().flatten()
    }
    /// Makes the table so long that all variables have an entry.
    pub(crate) fn resize(&mut self, length: usize) {
        self.ranges.resize(length, None);
    }
    /// Says the range of a variable.
    pub(crate) fn set(&mut self, var: VarId, bounds: Option<Bounds>) {
        self.resize(self.ranges.len().max(ir::Id::index(var) + 1));
        self.ranges[ir::Id::index(var)] = bounds;
    }
    /// Says whether questions are worth the whole effort from now on; gives what was said before.
    pub(crate) fn thorough(&self, whole: bool) -> bool {
        self.thorough.replace(whole)
    }
    /// The variables of a term, sorted.
    pub(crate) fn vars_of(&self, terms: &Terms, term: Term) -> Arc<[VarId]> {
        let mut known = self.vars.borrow_mut();
        known.entry(term).or_insert_with(|| terms.vars_of(term).into()).clone()
    }
}

impl Ranges {
    /// Whether nothing is known but what is declared.
    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
    /// Where an integer term lies, as far as that is seen at a glance.
    pub(crate) fn glance(&self, terms: &Terms, declared: &Declared, term: Term) -> Interval {
        self.of_term(&Eval::brief(terms, declared), term)
    }
    /// Whether a condition holds, as far as that is seen at a glance.
    pub(crate) fn truth_at_a_glance(&self, terms: &Terms, declared: &Declared, term: Term) -> Option<bool> {
        self.truth_of(&Eval::brief(terms, declared), term)
    }
    /// Where an integer term lies.
    pub(crate) fn of(&self, terms: &Terms, declared: &Declared, term: Term) -> Interval {
        self.of_term(&Eval::new(terms, declared), term)
    }
    /// Whether a condition certainly holds or certainly does not.
    pub(crate) fn truth(&self, terms: &Terms, declared: &Declared, term: Term) -> Option<bool> {
        self.truth_of(&Eval::new(terms, declared), term)
    }
    /// Narrows intervals by a condition that holds (or does not hold) here, as far as that is seen at a glance.
    pub(crate) fn learn_at_a_glance(
        &mut self,
        terms: &Terms,
        declared: &Declared,
        condition: Term,
        holds: bool,
    ) {
        self.learn_of(&Eval::brief(terms, declared), condition, holds);
    }
    /// Narrows intervals by a condition that holds (or does not hold) here.
    pub(crate) fn learn(&mut self, terms: &Terms, declared: &Declared, condition: Term, holds: bool) {
        self.learn_of(&Eval::new(terms, declared), condition, holds);
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
        let mut of = |t: Term| ir::deep(|| self.interval(eval, t, memo));
        let computed = match eval.terms.node(term) {
            Node::Const(value) => constant(value),
            Node::Var(var, _) => declared_range(eval.declared, *var),
            Node::Add(list) => list.iter().map(|t| of(*t)).reduce(Interval::plus).unwrap_or(Interval::one(0)),
            Node::Mul(list) => {
                list.iter().map(|t| of(*t)).reduce(Interval::times).unwrap_or(Interval::one(1))
            }
            Node::Ite(condition, then, otherwise) => match self.truth_of(eval, *condition) {
                Some(true) => of(*then),
                Some(false) => of(*otherwise),
                None => {
                    // Each side counts only where it is taken.
                    let side = |term: Term, holds: bool| {
                        let mut here = self.clone();
                        here.learn_of(eval, *condition, holds);
                        ir::deep(|| here.of_term(eval, term))
                    };
                    side(*then, true).join(side(*otherwise, false))
                }
            },
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
                    let most =
                        i64::try_from(a.low.unsigned_abs().max(a.high.unsigned_abs())).unwrap_or(i64::MAX);
                    Interval { low: -most, high: most }
                } else if a.low < 0 {
                    Interval { low: a.low, high: a.high.max(0) }
                } else {
                    Interval {
                        low: if b.high == i64::MAX { 0 } else { a.low / b.high },
                        high: a.high / b.low,
                    }
                }
            }
            Node::Mod(a, b) => {
                let (a, b) = (of(*a), of(*b));
                // The remainder is not negative and smaller than the divisor, whatever its sign.
                let size = b.low.unsigned_abs().max(b.high.unsigned_abs());
                let below = i64::try_from(size.saturating_sub(1)).unwrap_or(i64::MAX);
                if b.low <= 0 && 0 <= b.high {
                    // By zero it is the dividend.
                    Interval { low: 0, high: below }.join(a)
                } else if a.low >= 0 {
                    Interval { low: 0, high: below.min(a.high) }
                } else {
                    Interval { low: 0, high: below }
                }
            }
            _ => ALL,
        };
        let result = match self.known.get(&term) {
            Some(known) => computed.meet(*known),
            None => computed,
        };
        memo.insert(term, result);
        result
    }
    fn truth_of(&self, eval: &Eval<'_>, term: Term) -> Option<bool> {
        if eval.exhausted() { None } else { ir::deep(|| self.truth_here(eval, term)) }
    }
    fn truth_here(&self, eval: &Eval<'_>, term: Term) -> Option<bool> {
        let terms = eval.terms;
        let of = |t: Term| self.of_term(eval, t);
        let compare = |a: Interval, b: Interval, strict: bool| {
            let (holds, fails) =
                if strict { (a.high < b.low, a.low >= b.high) } else { (a.high <= b.low, a.low > b.high) };
            if fails && !(a.low == i64::MIN || b.high == i64::MAX) {
                Some(false)
            } else if holds && !(a.high == i64::MAX || b.low == i64::MIN) {
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
    pub(crate) fn impossible(&self, terms: &Terms, declared: &Declared) -> bool {
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
        ir::deep(|| match (terms.node(condition), holds) {
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
        let gap = i64::from(strict);
        if high.high != i64::MAX {
            low.high = low.high.min(high.high.saturating_sub(gap));
        }
        if low.low != i64::MIN {
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
    pub(crate) fn assign(
        &mut self,
        terms: &mut Terms,
        declared: &Declared,
        var: VarId,
        range: Option<Interval>,
    ) {
        self.forget(terms, declared, &[var]);
        if let Some(range) = range {
            let term = terms.var(var);
            self.known.insert(term, range);
        }
    }
    /// Variables change in an unknown way; `vars` is sorted.
    pub(crate) fn forget(&mut self, terms: &Terms, declared: &Declared, vars: &[VarId]) {
        let changes = |var: &VarId| vars.binary_search(var).is_ok();
        self.known.retain(|term, _| !declared.vars_of(terms, *term).iter().any(changes));
    }
    /// Keeps what holds on both of two ways.
    pub(crate) fn join(&mut self, terms: &Terms, declared: &Declared, other: &Ranges) {
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
    pub(crate) fn widen(&mut self, before: &Ranges) -> bool {
        let mut changed = false;
        self.known.retain(|term, range| {
            let Some(old) = before.known.get(term) else { return false };
            if range.low < old.low {
                range.low = i64::MIN;
                changed = true;
            }
            if range.high > old.high {
                range.high = i64::MAX;
                changed = true;
            }
            true
        });
        changed
    }
}

fn is_int(terms: &Terms, term: Term) -> bool {
    terms.type_of(term) == ir::Type::Int
}

fn declared_range(declared: &Declared, var: VarId) -> Interval {
    declared.of(var).map_or(ALL, |(low, high)| Interval { low, high })
}

fn constant(value: &Value) -> Interval {
    match value {
        Value::Int(value) => value.to_i64().map_or(ALL, Interval::one),
        Value::Array(array) => {
            array.entries().map(|(_, value)| constant(value)).fold(constant(array.default()), Interval::join)
        }
        _ => ALL,
    }
}
