//! Slicing to the cone of influence: variables that decide nothing are dropped.
//!
//! A variable *decides* if it occurs in an assumption, a guard, an invariant, the condition of a branch or a
//! loop, the bound of a loop, a fault condition, the index of a channel or the target, or if it flows into
//! a variable that does: the value of the latter is computed from it, initially or in a statement. All
//! others are dropped, with their assignments. Fault conditions need no care of their own, because they are
//! assumptions of the statements that front-ends make, and terms are total.
//!
//! Then the rest of a state decides alone which steps are possible and what the rest is afterwards, so that
//! leaving the others out is a bisimulation. The variable that holds the number of a fault stays.
//!
//! # Clocks
//! A clock is a variable like any other, and decides if it occurs in one of these places or is copied to a clock
//! that does. What makes this right although time passes for all of them at once: how long a delay may take is
//! decided by invariants, guards and assumptions that come after it, all of which decide; the clocks in these stay,
//! and with them every bound on every delay. A clock that is in none of them is changed by a delay and changes
//! nothing, so a step of the rest is a step of the whole by the same delays.
//!
//! Where time passes, data that a clock is set to stay even if the clock goes, because lists of zones have no
//! place for a clock that is set to an unknown number; and one clock always stays, so that time still passes.

use ir::{Scope, Stmt, Term, Terms, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::lift::Variables;
use super::rewrite::{self, Rewrite, Use};
use super::{RewriteKind, rewriting};
use crate::pass::{Lift, Pass, Preserves, Problem};
use crate::stop::Stop;

/// Drops what decides nothing.
pub struct Slicing;

impl Pass for Slicing {
    fn preserves(&self) -> Preserves {
        Preserves::ObservedRuns
    }
    fn apply(&self, problem: &mut Problem, _: &Stop) -> Option<Box<dyn Lift>> {
        let deciding = deciding(problem);
        let dropped: Vec<VarId> = problem.system.state_vars().filter(|var| !deciding.contains(var)).collect();
        (!dropped.is_empty()).then(|| Box::new(drop_vars(problem, &deciding, &dropped)) as Box<dyn Lift>)
    }
}

/// The variables that decide.
fn deciding(Problem { system, questions }: &Problem) -> FxHashSet<VarId> {
    let mut deciding: FxHashSet<VarId> = system.fault.iter().map(|fault| fault.which).collect();
    let mut flows: FxHashMap<VarId, Vec<Term>> = FxHashMap::default();
    let mut conditions = vec![];
    rewrite::uses(system, questions, |used| match used {
        Use::Condition(term) => conditions.push(term),
        Use::Value(var, value) => flows.entry(var).or_default().push(value),
        Use::Arbitrary(_) => {}
    });
    if system.timed().is_some() {
        deciding.extend(rewrite::set_clocks(system));
    }
    for (var, value) in &system.initial {
        flows.entry(*var).or_default().push(*value);
    }
    deciding.extend(system.terms.vars_of_all(conditions));
    let mut waiting: Vec<VarId> = deciding.iter().copied().collect();
    while let Some(var) = waiting.pop() {
        let from = system.terms.vars_of_all(flows.remove(&var).unwrap_or_default());
        waiting.extend(from.into_iter().filter(|var| deciding.insert(*var)));
    }
    if system.timed().is_some() && system.clocks().all(|clock| !deciding.contains(&clock)) {
        // One that always runs, if there is one.
        let stopped = ir::stopwatches(system);
        let runs = system.clocks().find(|clock| !stopped.contains(clock));
        deciding.extend(runs.or_else(|| system.clocks().next()));
    }
    deciding
}

fn drop_vars(problem: &mut Problem, deciding: &FxHashSet<VarId>, dropped: &[VarId]) -> Variables {
    let Problem { system, questions } = problem;
    let mut lift = Variables { merges: true, ..Variables::of(system) };
    system.initial.retain(|(var, _)| deciding.contains(var));
    rewrite::all(system, questions, &mut Slice { deciding });
    for var in dropped {
        system.vars[*var].scope = Scope::Local;
    }
    lift.summary.push(rewriting(system, RewriteKind::Dropped, dropped));
    lift
}

struct Slice<'a> {
    deciding: &'a FxHashSet<VarId>,
}

impl Rewrite for Slice<'_> {
    fn term(&mut self, _: &mut Terms, term: Term) -> Term {
        term
    }
    fn assign(&mut self, terms: &mut Terms, var: VarId, value: Term) -> Option<Stmt> {
        self.deciding.contains(&var).then(|| terms.assign(var, value))
    }
    fn havoc(&mut self, var: VarId) -> bool {
        self.deciding.contains(&var)
    }
}
