//! Constant propagation: variables that never change their initial value are folded.
//!
//! A state variable is folded if its initial value is a constant and every assignment to it assigns that
//! constant again, once the folded variables are put in; it is never given an arbitrary value, is no loop
//! variable and no clock, which time changes. Candidates are assumed to be constant all together and given up
//! one by one, until those that are left justify each other: they have their constants initially, and no
//! statement that is executed while they have them changes one. By induction they always have them.
//!
//! An initial value may use variables that are listed before it; only their constants are put in, because
//! before its own turn a variable has any value.
//!
//! Leaving constants out of the states is one-to-one on reachable ones, and steps stay steps: a bisimulation.

use ir::{Scope, Stmt, Term, Terms, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::lift::Variables;
use super::rewrite::{self, Rewrite, Use};
use super::{RewriteKind, rewriting};
use crate::pass::{Lift, Pass, Preserves, Problem};
use crate::stop::Stop;

/// Folds what is constant.
pub struct ConstantPropagation;

impl Pass for ConstantPropagation {
    fn preserves(&self) -> Preserves {
        Preserves::ObservedRuns
    }
    fn apply(&self, problem: &mut Problem, _: &Stop) -> Option<Box<dyn Lift>> {
        let known = constants(problem);
        (!known.is_empty()).then(|| Box::new(fold(problem, &known)) as Box<dyn Lift>)
    }
}

/// The variables that are constant, and their values.
fn constants(problem: &mut Problem) -> FxHashMap<VarId, Term> {
    let Problem { system, questions } = problem;
    // Zones know arrays by their entries, and no constants that are arrays.
    let arrays = system.timed().is_none();
    let mut known: FxHashMap<VarId, Term> = FxHashMap::default();
    let mut given: FxHashSet<VarId> = FxHashSet::default();
    for (var, value) in system.initial.clone() {
        let value = system.terms.substitute(value, &known);
        let constant = system.terms.as_const(value).is_some();
        // Given twice, a variable is left alone.
        let stays = system.vars[var].scope == Scope::State
            && match system.terms.var_type(var) {
                Type::Clock => false,
                Type::Array(_) => arrays,
                _ => true,
            };
        if given.insert(var) && constant && stays {
            known.insert(var, value);
        } else {
            known.remove(&var);
        }
    }
    if let Some(fault) = system.fault {
        known.remove(&fault.which);
    }
    let mut assignments = vec![];
    rewrite::uses(system, questions, |used| match used {
        Use::Value(var, value) => assignments.push((var, value)),
        Use::Arbitrary(var) => drop(known.remove(&var)),
        Use::Condition(_) => {}
    });
    let mut readers: FxHashMap<VarId, Vec<usize>> = FxHashMap::default();
    for (at, (_, value)) in assignments.iter().enumerate() {
        for read in system.terms.vars_of(*value) {
            readers.entry(read).or_default().push(at);
        }
    }
    // Whoever is given up may have justified others.
    let mut doubtful: Vec<usize> = (0..assignments.len()).collect();
    while let Some(at) = doubtful.pop() {
        let (var, value) = assignments[at];
        if let Some(constant) = known.get(&var).copied()
            && system.terms.substitute(value, &known) != constant
        {
            known.remove(&var);
            doubtful.extend(readers.get(&var).into_iter().flatten());
        }
    }
    known
}

/// Puts constants in.
fn fold(problem: &mut Problem, known: &FxHashMap<VarId, Term>) -> Variables {
    let Problem { system, questions } = problem;
    let mut lift = Variables::of(system);
    let mut folded: Vec<(VarId, Term)> = known.iter().map(|(var, value)| (*var, *value)).collect();
    folded.sort_unstable();
    // Folded variables that are listed later have no value yet; those before have.
    let mut earlier: FxHashMap<VarId, Term> = FxHashMap::default();
    for (var, value) in std::mem::take(&mut system.initial) {
        match known.get(&var) {
            Some(constant) => drop(earlier.insert(var, *constant)),
            None => {
                let value = system.terms.substitute(value, &earlier);
                system.initial.push((var, value));
            }
        }
    }
    rewrite::all(system, questions, &mut Fold { known });
    for (var, _) in &folded {
        system.vars[*var].scope = Scope::Local;
    }
    let vars: Vec<VarId> = folded.iter().map(|(var, _)| *var).collect();
    let constant = |term: Term| system.terms.as_const(term).cloned();
    lift.folded = folded.into_iter().filter_map(|(var, value)| Some((var, constant(value)?))).collect();
    lift.summary.push(rewriting(system, RewriteKind::Folded, &vars));
    lift
}

struct Fold<'a> {
    known: &'a FxHashMap<VarId, Term>,
}

impl Rewrite for Fold<'_> {
    fn term(&mut self, terms: &mut Terms, term: Term) -> Term {
        terms.substitute(term, self.known)
    }
    fn assign(&mut self, terms: &mut Terms, var: VarId, value: Term) -> Option<Stmt> {
        (!self.known.contains_key(&var)).then(|| terms.assign(var, value))
    }
    fn havoc(&mut self, _: VarId) -> bool {
        true
    }
}
