//! Affine forms of integer terms, and conjunctions of bounds that need no solver.
//!
//! Many questions of predicate abstraction are about one variable and constants, and there are many of them: what does
//! `x <= 4` say of `x + 1 <= 5`? A conjunction of bounds on single symbols is decided by the interval that each is in.

use std::collections::BTreeMap;

use ir::{Int, Node, System, Term, Terms, Type, Value};
use rustc_hash::FxHashMap;

/// A sum of symbols with factors, and a constant.
#[derive(Clone, Debug)]
pub struct Affine {
    /// The factors of symbols.
    pub factors: BTreeMap<Term, Int>,
    /// The constant.
    pub constant: Int,
}

impl Affine {
    /// The form of an integer term, if it has one.
    pub fn of(terms: &Terms, term: Term) -> Option<Affine> {
        let mut sum = Affine { factors: BTreeMap::new(), constant: Int::ZERO };
        sum.add(terms, term, &Int::from(1))?;
        Some(sum)
    }
    /// `a - b - less`.
    pub fn difference(terms: &Terms, a: Term, b: Term, less: i64) -> Option<Affine> {
        let mut sum = Affine::of(terms, a)?;
        sum.add(terms, b, &Int::from(-1))?;
        Some(sum.plus(&Int::from(-1), &Int::from(less)))
    }
    /// A symbol so many times.
    pub fn symbol(symbol: Term, factor: i64) -> Affine {
        Affine { factors: BTreeMap::from([(symbol, Int::from(factor))]), constant: Int::ZERO }
    }
    /// With so many times a number added.
    pub fn plus(mut self, times: &Int, number: &Int) -> Affine {
        self.constant = &self.constant + &(times * number);
        self
    }
    fn add(&mut self, terms: &Terms, term: Term, times: &Int) -> Option<()> {
        match terms.node(term) {
            Node::Const(Value::Int(value)) => self.constant = &self.constant + &(value * times),
            Node::Var(var, _) if terms.var_type(*var) == Type::Int => {
                let factor = self.factors.entry(term).or_insert(Int::ZERO);
                *factor = &*factor + times;
            }
            Node::Add(parts) => parts.iter().try_for_each(|part| self.add(terms, *part, times))?,
            Node::Mul(parts) => {
                let [factor, rest] = parts[..] else { return None };
                let Some(Value::Int(factor)) = terms.as_const(factor) else { return None };
                self.add(terms, rest, &(factor * times))?;
            }
            _ => return None,
        }
        Some(())
    }
}

/// What an atom says of one symbol.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Bound {
    /// It is at least this.
    Least(Int),
    /// It is at most this.
    Most(Int),
    /// It is this.
    Is(Int),
    /// It is not this.
    IsNot(Int),
}

/// The bound that an atom over integers, or its negation, is, and on which symbol.
pub fn bound(terms: &Terms, atom: Term) -> Option<(Term, Bound)> {
    let (atom, holds) = match terms.node(atom) {
        Node::Not(inner) => (*inner, false),
        _ => (atom, true),
    };
    let (a, b, less) = match (terms.node(atom), holds) {
        (Node::Le(a, b), true) => (*b, *a, 0),
        (Node::Le(a, b), false) => (*a, *b, 1),
        (Node::Lt(a, b), true) => (*b, *a, 1),
        (Node::Lt(a, b), false) => (*a, *b, 0),
        (Node::Eq(a, b), _) if terms.type_of(*a) == Type::Int => (*a, *b, 0),
        _ => return None,
    };
    let Affine { factors, constant } = Affine::difference(terms, a, b, less)?;
    let mut factors = factors.into_iter();
    let ((symbol, factor), None) = (factors.next()?, factors.next()) else { return None };
    let value = match factor.to_i64()? {
        1 => -&constant,
        -1 => constant,
        _ => return None,
    };
    let bound = match (terms.node(atom), holds) {
        (Node::Eq(..), true) => Bound::Is(value),
        (Node::Eq(..), false) => Bound::IsNot(value),
        _ if factor.is_negative() => Bound::Most(value),
        _ => Bound::Least(value),
    };
    Some((symbol, bound))
}

/// The values that a symbol may have.
#[derive(Clone, Default, Debug)]
struct Interval {
    least: Option<Int>,
    most: Option<Int>,
    not: Vec<Int>,
}

impl Interval {
    fn meet(&mut self, bound: &Bound) {
        if let Bound::Least(value) | Bound::Is(value) = bound
            && self.least.as_ref().is_none_or(|least| least < value)
        {
            self.least = Some(value.clone());
        }
        if let Bound::Most(value) | Bound::Is(value) = bound
            && self.most.as_ref().is_none_or(|most| most > value)
        {
            self.most = Some(value.clone());
        }
        if let Bound::IsNot(value) = bound {
            self.not.push(value.clone());
        }
    }
    fn is_empty(&self) -> bool {
        let (Some(least), Some(most)) = (&self.least, &self.most) else { return false };
        let mut not: Vec<&Int> = self.not.iter().filter(|value| least <= value && *value <= most).collect();
        not.sort_unstable();
        not.dedup();
        most - least < Int::from(not.len() as i64)
    }
    /// Whether a bound holds everywhere (`true`) or nowhere (`false`), as far as least and greatest values tell.
    fn says(&self, bound: &Bound) -> Option<bool> {
        let below = |value: &Int| self.most.as_ref().is_some_and(|most| most < value);
        let above = |value: &Int| self.least.as_ref().is_some_and(|least| least > value);
        let outside = |value: &Int| below(value) || above(value) || self.not.contains(value);
        let only = |value: &Int| self.least.as_ref() == Some(value) && self.most.as_ref() == Some(value);
        let (yes, no) = match bound {
            Bound::Least(value) => (self.least.as_ref().is_some_and(|least| least >= value), below(value)),
            Bound::Most(value) => (self.most.as_ref().is_some_and(|most| most <= value), above(value)),
            Bound::Is(value) => (only(value), outside(value)),
            Bound::IsNot(value) => (outside(value), only(value)),
        };
        if yes { Some(true) } else { no.then_some(false) }
    }
}

/// What bounds say together, within the ranges of their variables.
#[derive(Clone, Default, Debug)]
pub struct Bounds {
    intervals: FxHashMap<Term, Interval>,
}

impl Bounds {
    /// All of these.
    pub fn of<'b>(system: &System, bounds: impl IntoIterator<Item = &'b (Term, Bound)>) -> Self {
        let mut all = Bounds::default();
        for (symbol, bound) in bounds {
            let interval = all.intervals.entry(*symbol).or_insert_with(|| {
                let range = match *system.terms.node(*symbol) {
                    Node::Var(var, _) => system.vars[var].range.clone(),
                    _ => None,
                };
                let (least, most) = range.unzip();
                Interval { least, most, not: vec![] }
            });
            interval.meet(bound);
        }
        all
    }
    /// Whether they can hold together.
    pub fn are_compatible(&self) -> bool {
        !self.intervals.values().any(Interval::is_empty)
    }
    /// Whether another one holds wherever they do, or nowhere there; `None` if unsure.
    pub fn says(&self, (symbol, bound): &(Term, Bound)) -> Option<bool> {
        self.intervals.get(symbol)?.says(bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether these conditions on an integer `x` can hold together, each of them a bound.
    fn can(conditions: impl Fn(&mut Terms, Term) -> Vec<Term>) -> bool {
        let mut system = System::default();
        let var = system.declare(Type::Int, ir::Variable::state("x", ir::Span::default()));
        let x = system.terms.var(var);
        let list = conditions(&mut system.terms, x);
        let bounds: Vec<(Term, Bound)> =
            list.iter().map(|atom| bound(&system.terms, *atom).expect("a bound")).collect();
        Bounds::of(&system, &bounds).are_compatible()
    }

    #[test]
    fn integers_between_bounds() {
        // Strictly between 3 and 5 there is 4, and nothing else.
        let between = |terms: &mut Terms, x: Term| {
            let (three, five) = (terms.int(3), terms.int(5));
            vec![terms.lt(three, x), terms.lt(x, five)]
        };
        assert!(can(between));
        assert!(!can(|terms, x| {
            let four = terms.int(4);
            let is_four = terms.eq(x, four);
            [between(terms, x), vec![terms.not(is_four)]].concat()
        }));
    }

    #[test]
    fn what_follows_from_bounds() {
        let mut system = System::default();
        let var = system.declare(Type::Int, ir::Variable::state("x", ir::Span::default()));
        let x = system.terms.var(var);
        let [least, most] = [Bound::Least(Int::from(3)), Bound::Most(Int::from(3))];
        let only_three = Bounds::of(&system, &[(x, least.clone()), (x, most)]);
        let at_least_three = Bounds::of(&system, &[(x, least)]);
        for (bound, of_three, of_more) in [
            (Bound::Is(Int::from(3)), Some(true), None),
            (Bound::IsNot(Int::from(2)), Some(true), Some(true)),
            (Bound::Most(Int::from(2)), Some(false), Some(false)),
            (Bound::Least(Int::from(4)), Some(false), None),
        ] {
            let said = [&only_three, &at_least_three].map(|bounds| bounds.says(&(x, bound.clone())));
            assert_eq!(said, [of_three, of_more], "{bound:?}");
        }
    }

    #[test]
    fn bounds_of_sums() {
        // From `x + 1 <= 5` follows `x <= 4`.
        let next = |terms: &mut Terms, x: Term| {
            let (one, five) = (terms.int(1), terms.int(5));
            let next = terms.add([x, one]);
            terms.le(next, five)
        };
        assert!(!can(|terms, x| {
            let four = terms.int(4);
            let small = terms.le(x, four);
            vec![next(terms, x), terms.not(small)]
        }));
        assert!(can(|terms, x| {
            let three = terms.int(3);
            let small = terms.le(x, three);
            vec![next(terms, x), terms.not(small)]
        }));
    }
}
