//! The way back: from a rewritten system to the one the front-end made.
//!
//! A rewriting may drop variables, replace them or add some; it keeps processes, locations and
//! edges. What it returns beside the new system is a [`WayBack`], which says for every variable of
//! the new system what it was, as a term over the old one. Invariants are lifted by substitution;
//! runs are lifted by re-execution, guided by the edges taken and the values that are known. A variable
//! that was dropped must therefore not decide whether a step is possible, which is what makes dropping
//! it sound in the first place.

use rustc_hash::FxHashMap;

use crate::action::Action;
use crate::evidence::{Decision, Run, State, Step};
use crate::interp::{Interp, Outcome, Stuck};
use crate::stmt::Stmt;
use crate::system::System;
use crate::term::{Node, Term, Terms, VarId};
use crate::value::Value;

/// What the variables of a rewritten system were in the original.
///
/// Variables that are not mentioned are the same in both.
#[derive(Clone, Debug, Default)]
pub struct WayBack {
    vars: FxHashMap<VarId, Term>,
}

/// Why a run has no original.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoWayBack {
    /// No execution of the original takes this step (0 is the initial state).
    Step(usize),
    /// The original cannot be executed by itself there.
    Stuck(Stuck),
}

impl WayBack {
    /// Nothing was changed.
    pub fn identity() -> Self {
        Self::default()
    }
    /// Records that `var` of the rewritten system was `term` of the original.
    pub fn set(&mut self, var: VarId, term: Term) {
        self.vars.insert(var, term);
    }
    /// An invariant of the rewritten system as one of the original.
    pub fn invariant(&self, rewritten: &Terms, original: &mut Terms, invariant: Term) -> Term {
        original.import(rewritten, invariant, &mut |original, var| {
            self.vars.get(&var).copied().unwrap_or_else(|| original.var(var))
        })
    }
    /// A run of the rewritten system as one of the original, which takes the same edges.
    ///
    /// The states of the result agree with `run` wherever a variable is the same in both.
    pub fn run(&self, rewritten: &System, original: &System, run: &Run) -> Result<Run, NoWayBack> {
        let mut system = original.clone();
        let stmt = crate::initial(&mut system);
        let open = system.arbitrary_state();
        let (initial, decisions) = self.step(rewritten, &system, stmt, &open, &run.initial, 0)?;
        let mut result = Run { decisions, initial, steps: vec![] };
        for (number, step) in run.steps.iter().enumerate() {
            let actions = crate::actions(&mut system, &result.last().locations);
            let leads =
                |action: &&Action| action.edges == step.edges && action.target == step.state.locations;
            let action = actions.iter().find(leads);
            let action = action.ok_or(NoWayBack::Step(number + 1))?;
            let (mut state, decisions) =
                self.step(rewritten, &system, action.stmt, result.last(), &step.state, number + 1)?;
            state.locations.clone_from(&action.target);
            result.steps.push(Step { edges: step.edges.clone(), decisions, state });
        }
        Ok(result)
    }

    /// One execution of `stmt` that agrees with `after` on the variables both systems have.
    fn step(
        &self,
        rewritten: &System,
        original: &System,
        stmt: Stmt,
        before: &State,
        after: &State,
        number: usize,
    ) -> Result<(State, Vec<Decision>), NoWayBack> {
        let shared: FxHashMap<VarId, &Value> = rewritten
            .state_vars()
            .zip(&after.values)
            .filter(|(var, _)| !self.vars.contains_key(var))
            .filter_map(|(var, value)| Some((var, value.as_ref()?)))
            .collect();
        let agrees = |outcome: &Outcome| {
            original.state_vars().zip(&outcome.values).all(|(var, value)| match (shared.get(&var), value) {
                (Some(known), Some(value)) => *known == value,
                _ => true,
            })
        };
        let mut found = None;
        let mut interp = Interp::new(original, None);
        let search = interp.successors(stmt, before, &mut |outcome| {
            if agrees(&outcome) {
                found = Some(outcome);
            }
            found.is_none()
        });
        let Some(outcome) = found else {
            return Err(search.err().map_or(NoWayBack::Step(number), NoWayBack::Stuck));
        };
        // What is still open gets the value the run says, or any.
        let values = original.state_vars().zip(outcome.values).map(|(var, value)| {
            let value = value.or_else(|| shared.get(&var).map(|value| (*value).clone()));
            Some(value.unwrap_or_else(|| original.any_value(var)))
        });
        let state = State { locations: before.locations.clone(), values: values.collect() };
        Ok((state, outcome.decisions))
    }
}

impl Terms {
    /// `term` of another arena over the same types, with its variables replaced by `var`.
    pub fn import(
        &mut self,
        from: &Terms,
        term: Term,
        var: &mut dyn FnMut(&mut Terms, VarId) -> Term,
    ) -> Term {
        let mut done: FxHashMap<Term, Term> = FxHashMap::default();
        // Children are older than parents, so they are imported first.
        from.for_each_subterm(term, |t| {
            let copy = match from.node(t) {
                Node::Var(v, _) => var(self, *v),
                node => self.rebuild(node, &mut |child| done[&child]),
            };
            done.insert(t, copy);
        });
        done[&term]
    }
}
