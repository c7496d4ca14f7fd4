//! Folding: variables that never change their initial value.
//!
//! A state variable is folded if its initial value is a constant and every assignment to it assigns that
//! constant again, once the folded variables are put in; it is never given an arbitrary value and is no
//! loop variable. Candidates are assumed to be constant all together and given up one by one, until those
//! that are left justify each other: they have their constants initially, and no statement that is executed
//! while they have them changes one. By induction they always have them.
//!
//! An initial value may use variables that are listed before it; only their constants are put in, because
//! before its own turn a variable has any value.

use ir::{Scope, Stmt, Term, Terms, VarId};
use rustc_hash::FxHashMap;

use super::Preprocessed;
use super::rewrite::{self, Rewrite, Use};

/// Folds what is constant.
pub fn fold(work: &mut Preprocessed) {
    let system = &mut work.system;
    let mut known: FxHashMap<VarId, Term> = FxHashMap::default();
    let mut given: Vec<VarId> = vec![];
    for (var, value) in system.initial.clone() {
        let value = system.terms.substitute(value, &known);
        let constant = system.terms.as_const(value).is_some();
        // Given twice, a variable is left alone.
        if constant && system.vars[var].scope == Scope::State && !given.contains(&var) {
            known.insert(var, value);
        } else {
            known.remove(&var);
        }
        given.push(var);
    }
    if let Some(fault) = system.fault {
        known.remove(&fault.which);
    }
    let mut assignments = vec![];
    rewrite::uses(system, &work.targets, |used| match used {
        Use::Value(var, value) => assignments.push((var, value)),
        Use::Arbitrary(var) => drop(known.remove(&var)),
        Use::Condition(_) => {}
    });
    loop {
        let before = known.len();
        for (var, value) in &assignments {
            if let Some(constant) = known.get(var).copied()
                && system.terms.substitute(*value, &known) != constant
            {
                known.remove(var);
            }
        }
        if known.len() == before {
            break;
        }
    }
    if known.is_empty() {
        return;
    }
    let mut folded: Vec<(VarId, Term)> = known.iter().map(|(var, value)| (*var, *value)).collect();
    folded.sort_unstable();
    let initial = std::mem::take(&mut system.initial);
    for (var, value) in initial {
        if !known.contains_key(&var) {
            // Folded variables that are listed later have no value yet; those before have.
            let value = substitute_earlier(&mut system.terms, value, &folded, &given, var);
            system.initial.push((var, value));
        }
    }
    rewrite::all(system, &mut work.targets, &mut Fold { known: &known });
    for (var, _) in &folded {
        system.vars[*var].scope = Scope::Local;
    }
    let vars: Vec<VarId> = folded.iter().map(|(var, _)| *var).collect();
    let constant = |term: Term| system.terms.as_const(term).cloned();
    work.folded = folded.into_iter().filter_map(|(var, value)| Some((var, constant(value)?))).collect();
    work.say("folded", &vars, ", which never change");
}

/// `value`, the initial one of `var`, with the constants of variables that are listed before it.
fn substitute_earlier(
    terms: &mut Terms,
    value: Term,
    folded: &[(VarId, Term)],
    given: &[VarId],
    var: VarId,
) -> Term {
    let turn = given.iter().position(|other| *other == var).unwrap_or(0);
    let earlier = folded.iter().filter(|(other, _)| given[..turn].contains(other)).copied().collect();
    terms.substitute(value, &earlier)
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
