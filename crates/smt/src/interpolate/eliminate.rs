//! Exact elimination of variables, as far as it needs no solver.
//!
//! `exists y. F` is rewritten, conjunct by conjunct: equations are solved for `y` and put into the
//! rest, integers and rationals between linear bounds are combined pairwise, disjunctions are split
//! and finite types are enumerated. What none of this removes is left to other strategies: so are
//! integers that are compared with something that may be a fraction, because there the next integer is
//! not one further.

use ir::{Node, Term, Terms, Type, Value, compare, times};

use crate::interrupt::Interrupt;
use crate::trace::instances;
use crate::z3::Instance;

/// How many conjunctions one elimination may look at.
const BUDGET: usize = 400;
/// How many literals a type may have to be enumerated.
const LITERALS: u64 = 8;

/// A formula over what `keep` accepts that holds exactly where `formula` can.
pub fn eliminate(
    terms: &mut Terms,
    formula: Term,
    keep: &dyn Fn(Instance) -> bool,
) -> Result<Term, Interrupt> {
    let mut budget = BUDGET;
    Eliminator { terms, keep, budget: &mut budget }.formula(formula)
}

struct Eliminator<'a> {
    terms: &'a mut Terms,
    keep: &'a dyn Fn(Instance) -> bool,
    budget: &'a mut usize,
}

impl Eliminator<'_> {
    fn formula(&mut self, formula: Term) -> Result<Term, Interrupt> {
        let mut formula = formula;
        loop {
            *self.budget = self.budget.checked_sub(1).ok_or(Interrupt::Budget)?;
            let (mut clean, mut rest) = (vec![], vec![]);
            for conjunct in conjuncts(self.terms, formula) {
                if self.gone(conjunct).is_empty() { clean.push(conjunct) } else { rest.push(conjunct) }
            }
            if rest.is_empty() {
                return Ok(formula);
            }
            let next = if let Some(next) = self.solve(&rest).or_else(|| self.combine(&rest)) {
                next
            } else if let Some(at) = rest.iter().position(|part| self.alternatives(*part).is_some()) {
                // The conjuncts without variables to eliminate stay outside.
                let alternatives = self.alternatives(rest[at]).expect("just found");
                let mut results = Vec::with_capacity(alternatives.len());
                for alternative in alternatives {
                    rest[at] = alternative;
                    let branch = self.terms.and(rest.iter().copied());
                    results.push(ir::deep(|| self.formula(branch))?);
                }
                self.terms.or(results)
            } else {
                self.enumerate(&rest)?
            };
            clean.push(next);
            formula = self.terms.and(clean);
        }
    }
    /// The variables of `term` that are to be eliminated.
    fn gone(&self, term: Term) -> Vec<Instance> {
        instances(self.terms, term).into_iter().filter(|instance| !(self.keep)(*instance)).collect()
    }
    /// Solves one conjunct for a variable and puts the solution into the others.
    fn solve(&mut self, rest: &[Term]) -> Option<Term> {
        for (at, conjunct) in rest.iter().enumerate() {
            for instance in self.gone(*conjunct) {
                let Some(solution) = solution(self.terms, *conjunct, instance) else { continue };
                let others = rest.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, term)| *term);
                let others = self.terms.and(others.collect::<Vec<_>>());
                return Some(replace(self.terms, others, instance, solution));
            }
        }
        None
    }
    /// Combines the bounds of a variable that has nothing else.
    fn combine(&mut self, rest: &[Term]) -> Option<Term> {
        let all: Vec<Instance> = rest.iter().flat_map(|conjunct| self.gone(*conjunct)).collect();
        'next: for instance in all {
            let (mut lower, mut upper, mut result) = (vec![], vec![], vec![]);
            for conjunct in rest {
                if instances(self.terms, *conjunct).binary_search(&instance).is_err() {
                    result.push(*conjunct);
                    continue;
                }
                match bound(self.terms, *conjunct, instance) {
                    Some(found) if found.is_lower => lower.push(found),
                    Some(found) => upper.push(found),
                    None => continue 'next,
                }
            }
            if lower.len() * upper.len() > 16 {
                continue;
            }
            for low in &lower {
                for high in &upper {
                    result.push(if low.strict || high.strict {
                        self.terms.lt(low.value, high.value)
                    } else {
                        self.terms.le(low.value, high.value)
                    });
                }
            }
            return Some(self.terms.and(result));
        }
        None
    }
    /// The branches of a conjunct that is or can be made a disjunction.
    fn alternatives(&mut self, conjunct: Term) -> Option<Vec<Term>> {
        match *self.terms.node(conjunct) {
            Node::Or(ref list) => Some(list.to_vec()),
            Node::Ite(condition, then, otherwise) => {
                let not = self.terms.not(condition);
                Some(vec![self.terms.and([condition, then]), self.terms.and([not, otherwise])])
            }
            Node::Eq(a, b) if self.terms.type_of(a) == Type::Bool => {
                let (not_a, not_b) = (self.terms.not(a), self.terms.not(b));
                Some(vec![self.terms.and([a, b]), self.terms.and([not_a, not_b])])
            }
            Node::Not(inner) => match *self.terms.node(inner) {
                Node::And(ref list) => {
                    let list = list.to_vec();
                    Some(list.into_iter().map(|part| self.terms.not(part)).collect())
                }
                Node::Or(ref list) => {
                    let list = list.to_vec();
                    let list: Vec<Term> = list.into_iter().map(|part| self.terms.not(part)).collect();
                    Some(vec![self.terms.and(list)])
                }
                Node::Eq(a, b) => match self.terms.type_of(a) {
                    Type::Int | Type::Rat | Type::Clock => {
                        Some(vec![self.terms.lt(a, b), self.terms.lt(b, a)])
                    }
                    Type::Bool => {
                        let (not_a, not_b) = (self.terms.not(a), self.terms.not(b));
                        Some(vec![self.terms.and([a, not_b]), self.terms.and([not_a, b])])
                    }
                    _ => None,
                },
                Node::Ite(condition, then, otherwise) => {
                    let (not, then, otherwise) =
                        (self.terms.not(condition), self.terms.not(then), self.terms.not(otherwise));
                    Some(vec![self.terms.and([condition, then]), self.terms.and([not, otherwise])])
                }
                _ => None,
            },
            _ => {
                // A condition inside the atom is decided outside.
                let mut found = None;
                self.terms.for_each_subterm(conjunct, |t| {
                    if let Node::Ite(condition, then, otherwise) = *self.terms.node(t) {
                        found = found.or(Some((t, condition, then, otherwise)));
                    }
                });
                let (ite, condition, then, otherwise) = found?;
                let not = self.terms.not(condition);
                let mut side = |holds: Term, value: Term| {
                    let atom = self.terms.rewrite(conjunct, &mut |_, t| (t == ite).then_some(value));
                    self.terms.and([holds, atom])
                };
                Some(vec![side(condition, then), side(not, otherwise)])
            }
        }
    }
    /// Tries all values of a variable of a small type.
    fn enumerate(&mut self, rest: &[Term]) -> Result<Term, Interrupt> {
        let all: Vec<Instance> = rest.iter().flat_map(|conjunct| self.gone(*conjunct)).collect();
        let body = self.terms.and(rest.iter().copied());
        for instance in all {
            let ty = self.terms.var_type(instance.0);
            let scalar = matches!(ty, Type::Bool | Type::Enum(_));
            let Some(count) = self.terms.types.cardinality(ty).filter(|count| scalar && *count <= LITERALS)
            else {
                continue;
            };
            let mut results = vec![];
            for ordinal in 0..count {
                let value = self.terms.types.nth(ty, ordinal).expect("counted");
                let value = self.terms.constant(value);
                let branch = replace(self.terms, body, instance, value);
                results.push(ir::deep(|| self.formula(branch))?);
            }
            return Ok(self.terms.or(results));
        }
        Err(Interrupt::Unsupported("eliminating a variable here".into()))
    }
}

/// The parts of a conjunction.
fn conjuncts(terms: &Terms, formula: Term) -> Vec<Term> {
    match terms.node(formula) {
        Node::And(list) => list.to_vec(),
        Node::Const(Value::Bool(true)) => vec![],
        _ => vec![formula],
    }
}

/// `term` with a variable at a step replaced.
pub fn replace(terms: &mut Terms, term: Term, instance: Instance, by: Term) -> Term {
    terms.rewrite(term, &mut |terms, t| match *terms.node(t) {
        Node::Var(var, step) if (var, step) == instance => Some(by),
        _ => None,
    })
}

/// What `instance` must be for `conjunct` to hold, if that is one term without it, and enough.
pub fn solution(terms: &mut Terms, conjunct: Term, instance: Instance) -> Option<Term> {
    let is = |terms: &Terms, term: Term| matches!(*terms.node(term), Node::Var(v, s) if (v, s) == instance);
    let free = |terms: &Terms, term: Term| instances(terms, term).binary_search(&instance).is_err();
    if is(terms, conjunct) {
        return Some(terms.bool(true));
    }
    match *terms.node(conjunct) {
        Node::Not(inner) if is(terms, inner) => Some(terms.bool(false)),
        Node::Not(inner) => match *terms.node(inner) {
            Node::Eq(a, b) if terms.type_of(a) == Type::Bool => {
                let (a, b) = if is(terms, a) { (a, b) } else { (b, a) };
                if is(terms, a) && free(terms, b) { Some(terms.not(b)) } else { None }
            }
            _ => None,
        },
        Node::Eq(a, b) => {
            let ty = terms.var_type(instance.0);
            for (one, other) in [(a, b), (b, a)] {
                if is(terms, one) && free(terms, other) {
                    // An integer is equal to no term that may be a fraction.
                    let fits = match ty {
                        Type::Rat | Type::Clock => true,
                        _ => terms.type_of(other) == ty,
                    };
                    return fits.then_some(other);
                }
            }
            if !matches!(terms.type_of(a), Type::Int | Type::Rat | Type::Clock) {
                return None;
            }
            let difference = terms.sub(a, b);
            let linear = Linear::of(terms, difference, instance)?;
            linear.solve(terms)
        }
        _ => None,
    }
}

struct Bound {
    is_lower: bool,
    strict: bool,
    value: Term,
}

/// The bound that `conjunct` sets to `instance`.
fn bound(terms: &mut Terms, conjunct: Term, instance: Instance) -> Option<Bound> {
    let (a, b, strict) = match *terms.node(conjunct) {
        Node::Le(a, b) => (a, b, false),
        Node::Lt(a, b) => (a, b, true),
        _ => return None,
    };
    let difference = terms.sub(a, b);
    let linear = Linear::of(terms, difference, instance)?;
    // factor * instance + rest <= 0.
    let is_lower = compare(&linear.factor, &Value::int(0)).is_lt();
    let value = linear.solve(terms)?;
    if terms.var_type(instance.0) == Type::Int && strict {
        // Over the integers, strict bounds are one further.
        let one = terms.int(if is_lower { 1 } else { -1 });
        return Some(Bound { is_lower, strict: false, value: terms.add([value, one]) });
    }
    Some(Bound { is_lower, strict, value })
}

/// `factor * instance + rest`.
struct Linear {
    integral: bool,
    factor: Value,
    rest: Term,
}

impl Linear {
    fn of(terms: &mut Terms, sum: Term, instance: Instance) -> Option<Linear> {
        let var = terms.var_at(instance.0, instance.1);
        let summands = match terms.node(sum) {
            Node::Add(list) => list.to_vec(),
            _ => vec![sum],
        };
        let (mut factor, mut rest) = (None, vec![]);
        for summand in summands {
            match terms.node(summand) {
                _ if summand == var => factor = Some(Value::int(1)),
                Node::Mul(list) if list.len() == 2 && list[1] == var => {
                    factor = Some(terms.as_const(list[0])?.clone());
                }
                _ => rest.push(summand),
            }
        }
        let integral = terms.var_type(instance.0) == Type::Int;
        if rest.iter().any(|term| instances(terms, *term).binary_search(&instance).is_ok())
            || (integral && rest.iter().any(|term| terms.type_of(*term) != Type::Int))
        {
            return None;
        }
        let rest = if rest.is_empty() && !integral {
            terms.constant(Value::rat(ir::Rat::ZERO))
        } else {
            terms.add(rest)
        };
        Some(Linear { integral, factor: factor?, rest })
    }
    /// What the variable is where the sum is zero.
    fn solve(&self, terms: &mut Terms) -> Option<Term> {
        let factor = if self.integral {
            let unit = |sign: i64| self.factor == Value::int(sign);
            if !unit(1) && !unit(-1) {
                return None;
            }
            times(&self.factor, &Value::int(-1))
        } else {
            let inverse = ir::Rat::from(-1).div(&self.factor.as_rat())?;
            Value::rat(inverse)
        };
        let factor = terms.constant(factor);
        Some(terms.mul([factor, self.rest]))
    }
}
