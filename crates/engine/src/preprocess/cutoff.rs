//! Counter saturation: counters that are only compared with constants need not count for ever, and are cut off.
//!
//! A state variable `x` of integers without a range is cut off if it occurs only as `x := c`, `x := x + k`
//! with `k >= 0`, and `x ~ c` for a comparison `~` in any other term, of the model or the target, and its
//! initial value is a constant; nothing else reads it, nothing makes it arbitrary. Let `M` be the greatest constant it is
//! compared with, and `α(x) = min(x, M + 1)`. Then
//! - `x ~ c` is `α(x) ~ c`, because `c <= M`: if `x > M` both sides are compared with a smaller number;
//! - `α(x + k) = min(α(x) + k, M + 1)`, because `k >= 0`: if `x > M`, both are `M + 1`;
//! - `α(c)` is a constant.
//!
//! So replacing `x` by `α(x)` is a bisimulation, and the rewritten `x` stands for `min(x, M + 1)`.
//! Only counters for which no upper bound is found otherwise are cut off ([`crate::kind`] knows how): others
//! would only become more complicated.

use std::collections::BTreeMap;

use ir::{Int, Node, Stmt, Term, Terms, Type, Value, VarId};
use rustc_hash::FxHashMap;

use super::lift::Variables;
use super::rewrite::{self, Rewrite, Use};
use super::{RewriteKind, rewriting};
use crate::pass::{Lift, Pass, Preserves, Problem};
use crate::stop::Stop;

/// Cuts off what counts for ever.
pub struct CounterSaturation;

impl Pass for CounterSaturation {
    fn preserves(&self) -> Preserves {
        Preserves::ObservedRuns
    }
    fn apply(&self, problem: &mut Problem, stop: &Stop) -> Option<Box<dyn Lift>> {
        let mut candidates = candidates(problem);
        if candidates.is_empty() {
            return None;
        }
        let bounded = crate::kind::bounded_above(&problem.system, stop)?;
        candidates.retain(|var, _| !bounded.contains(var));
        (!candidates.is_empty()).then(|| Box::new(cut(problem, candidates)) as Box<dyn Lift>)
    }
}

/// Cuts counters off above the greatest constant that they are compared with.
fn cut(problem: &mut Problem, most: BTreeMap<VarId, Int>) -> Variables {
    let Problem { system, questions } = problem;
    let mut lift = Variables { merges: true, ..Variables::of(system) };
    // Above the greatest constant, all values are alike.
    let limits: Vec<(VarId, Value)> =
        most.into_iter().map(|(var, most)| (var, Value::Int(&most + &Int::ONE))).collect();
    for (var, limit) in &limits {
        let terms = &mut lift.before.terms;
        let (value, limit) = (terms.var(*var), terms.constant(limit.clone()));
        let was = least(terms, value, limit);
        lift.way_back.set(*var, was);
    }
    let vars: Vec<VarId> = limits.iter().map(|(var, _)| *var).collect();
    let limits: FxHashMap<VarId, Term> =
        limits.into_iter().map(|(var, limit)| (var, system.terms.constant(limit))).collect();
    for at in 0..system.initial.len() {
        let (var, value) = system.initial[at];
        if limits.contains_key(&var) {
            system.initial[at].1 = least(&mut system.terms, value, limits[&var]);
        }
    }
    rewrite::all(system, questions, &mut CutOff { limits: &limits });
    lift.summary.push(rewriting(system, RewriteKind::CutOff, &vars));
    lift
}

/// Variables that fulfil the conditions and count upwards, with the greatest constant they are compared
/// with.
fn candidates(Problem { system, questions }: &Problem) -> BTreeMap<VarId, Int> {
    let terms = &system.terms;
    let mut most: BTreeMap<VarId, Option<Int>> = system
        .state_vars()
        .filter(|var| terms.var_type(*var) == Type::Int && system.vars[*var].range.is_none())
        .filter(|var| system.initial.iter().filter(|(other, _)| other == var).count() == 1)
        .map(|var| (var, None))
        .collect();
    if let Some(fault) = system.fault {
        most.remove(&fault.which);
    }
    let mut counts: Vec<VarId> = vec![];
    let mut conditions = vec![];
    rewrite::uses(system, questions, |used| match used {
        Use::Condition(term) => conditions.push(term),
        Use::Arbitrary(var) => drop(most.remove(&var)),
        Use::Value(var, value) => match (terms.node(value), step(terms, var, value)) {
            (Node::Const(_), _) => {}
            (_, Some(more)) if !more.is_negative() => {
                if !more.is_zero() {
                    counts.push(var);
                }
            }
            _ => {
                most.remove(&var);
                conditions.push(value);
            }
        },
    });
    for (var, value) in &system.initial {
        if terms.as_const(*value).is_none() {
            most.remove(var);
        }
        terms.vars_of(*value).iter().for_each(|var| drop(most.remove(var)));
    }
    for condition in &conditions {
        if let Node::Var(var, _) = terms.node(*condition) {
            most.remove(var);
        }
    }
    terms.for_each_subterm_of(conditions, |t| {
        let compared = match *terms.node(t) {
            Node::Eq(a, b) | Node::Le(a, b) | Node::Lt(a, b) => comparison(terms, a, b),
            _ => None,
        };
        if let Some((var, constant)) = compared {
            if let Some(known) = most.get_mut(&var)
                && known.as_ref().is_none_or(|known| *known < constant)
            {
                *known = Some(constant);
            }
            return;
        }
        terms.node(t).for_each_child(|child| {
            if let Node::Var(var, _) = terms.node(child) {
                most.remove(var);
            }
        });
    });
    counts.sort_unstable();
    most.retain(|var, _| counts.binary_search(var).is_ok());
    most.into_iter().filter_map(|(var, most)| Some((var, most?))).collect()
}

/// A variable compared with a constant, on whichever side.
fn comparison(terms: &Terms, a: Term, b: Term) -> Option<(VarId, Int)> {
    let of = |var: Term, constant: Term| match (terms.node(var), terms.as_const(constant)) {
        (Node::Var(var, 0), Some(Value::Int(constant))) => Some((*var, constant.clone())),
        _ => None,
    };
    of(a, b).or_else(|| of(b, a))
}

/// The `k` of `var + k`.
fn step(terms: &Terms, var: VarId, value: Term) -> Option<Int> {
    match terms.node(value) {
        Node::Var(other, 0) if *other == var => Some(Int::ZERO),
        Node::Add(list) => match **list {
            [a, b] => {
                let of = |own: Term, constant: Term| match (terms.node(own), terms.as_const(constant)) {
                    (Node::Var(other, 0), Some(Value::Int(more))) if *other == var => Some(more.clone()),
                    _ => None,
                };
                of(a, b).or_else(|| of(b, a))
            }
            _ => None,
        },
        _ => None,
    }
}

struct CutOff<'a> {
    /// By variable: `M + 1`.
    limits: &'a FxHashMap<VarId, Term>,
}

/// The lesser of two terms.
fn least(terms: &mut Terms, a: Term, b: Term) -> Term {
    let below = terms.le(a, b);
    terms.ite(below, a, b)
}

impl Rewrite for CutOff<'_> {
    fn term(&mut self, _: &mut Terms, term: Term) -> Term {
        term
    }
    fn assign(&mut self, terms: &mut Terms, var: VarId, value: Term) -> Option<Stmt> {
        let value = self.limits.get(&var).map_or(value, |limit| least(terms, value, *limit));
        Some(terms.assign(var, value))
    }
    fn havoc(&mut self, _: VarId) -> bool {
        true
    }
}
