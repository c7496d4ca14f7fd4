//! The way back: from a rewritten system to the one the front-end made.
//!
//! A rewriting may drop variables, replace them or add some; it keeps processes, locations and
//! edges. What it returns beside the new system is a [`WayBack`], which says for every variable of
//! the new system what it was, as a term over the old one. Invariants are lifted by substitution;
//! runs are lifted by re-execution, guided by the edges taken, the values that are known, and the values
//! that the terms must have. A variable that was dropped must therefore not decide whether a step is
//! possible, which is what makes dropping it sound in the first place.

use std::sync::atomic::AtomicBool;

use rustc_hash::FxHashMap;

use crate::eval::{Env, eval};
use crate::evidence::{Decision, Run, State};
use crate::interp::{Interp, Outcome, Stuck};
use crate::number::Rat;
use crate::replay::{self, Leg, NoStep};
use crate::system::{LocationId, ProcessId, System};
use crate::term::{Node, Term, Terms, VarId};
use crate::value::Value;

/// What the variables of a rewritten system were in the original.
///
/// Variables that are not mentioned are the same in both.
#[derive(Clone, Debug, Default)]
pub struct WayBack {
    vars: FxHashMap<VarId, Term>,
}

/// Why a run has no original, or none that is found soon.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoWayBack {
    /// No execution of the original takes this step (0 is the initial state), or none of those tried.
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
    /// What `var` was, unless it is the same in both.
    pub fn get(&self, var: VarId) -> Option<Term> {
        self.vars.get(&var).copied()
    }
    /// Goes on with what variables of a system, rewritten again, were in the rewritten one: terms of the arena `from`.
    pub fn extend(&mut self, next: &WayBack, from: &Terms, original: &mut Terms) {
        let mut list: Vec<(VarId, Term)> = next.vars.iter().map(|(var, term)| (*var, *term)).collect();
        list.sort_unstable();
        for (_, term) in &mut list {
            *term = self.invariant(from, original, *term);
        }
        self.vars.extend(list);
    }
    /// An invariant of the rewritten system as one of the original.
    pub fn invariant(&self, rewritten: &Terms, original: &mut Terms, invariant: Term) -> Term {
        original.import(rewritten, invariant, &mut |original, var| {
            self.vars.get(&var).copied().unwrap_or_else(|| original.var(var))
        })
    }
    /// A run of the rewritten system as one of the original, which takes the same edges; at most so many
    /// executions of each step are tried, and `stop` interrupts it.
    ///
    /// The states of the result agree with `run` wherever a variable is the same in both, or is known to
    /// have been a term; its delays are those of `run`.
    pub fn run(
        &self,
        rewritten: &System,
        original: &System,
        run: &Run,
        most: usize,
        stop: Option<&AtomicBool>,
    ) -> Result<Run, NoWayBack> {
        let mut system = original.clone();
        replay::run(&mut system, run, |system, leg, (decided, after)| {
            self.step(rewritten, system, leg, (decided, after), most, stop)
        })
    }

    /// Whether `state` of the original may be what became `after` in the rewritten system; an open value
    /// may be any.
    pub fn agrees(&self, rewritten: &System, original: &System, state: &State, after: &State) -> bool {
        let values: FxHashMap<VarId, &Value> = original
            .state_vars()
            .zip(&state.values)
            .filter_map(|(var, value)| Some((var, value.as_ref()?)))
            .collect();
        let here = Here { state, values };
        rewritten.state_vars().zip(&after.values).all(|(var, known)| {
            let Some(known) = known else { return true };
            match self.vars.get(&var) {
                None => here.values.get(&var).is_none_or(|value| *value == known),
                Some(term) => eval(&original.terms, &here, *term).map_or(true, |value| *value == *known),
            }
        })
    }

    /// One execution of a step that agrees with `after`, with the delays of what was decided; what is still open gets
    /// the value that `after` says, or any.
    fn step(
        &self,
        rewritten: &System,
        original: &System,
        leg: &Leg<'_>,
        (decided, after): (&[Decision], &State),
        most: usize,
        stop: Option<&AtomicBool>,
    ) -> Result<Option<Outcome>, NoWayBack> {
        let (mut found, mut tried) = (None, 0);
        let delay = |decision: &Decision| match decision {
            Decision::Delay(amount) => Some(amount.clone()),
            _ => None,
        };
        let delays: Vec<Rat> = decided.iter().filter_map(delay).collect();
        let mut interp = Interp::new(original, stop);
        let search = interp.successors_with(leg.stmt, leg.before, &delays, &mut |outcome| {
            let state = State { locations: leg.target.into(), values: outcome.values.clone() };
            if self.agrees(rewritten, original, &state, after) {
                found = Some(outcome);
            }
            tried += 1;
            found.is_none() && tried < most
        });
        let Some(mut outcome) = found else {
            return search.map(|()| None).map_err(NoWayBack::Stuck);
        };
        let shared: FxHashMap<VarId, &Value> = rewritten
            .state_vars()
            .zip(&after.values)
            .filter(|(var, _)| !self.vars.contains_key(var))
            .filter_map(|(var, value)| Some((var, value.as_ref()?)))
            .collect();
        replay::close(original, &mut outcome.values, |_, var| shared.get(&var).map(|value| (*value).clone()));
        Ok(Some(outcome))
    }
}

impl From<NoStep> for NoWayBack {
    fn from(NoStep(number): NoStep) -> Self {
        NoWayBack::Step(number)
    }
}

/// The values of a state.
struct Here<'a> {
    state: &'a State,
    values: FxHashMap<VarId, &'a Value>,
}

impl Env for Here<'_> {
    fn var(&self, var: VarId, _: u32) -> Option<&Value> {
        self.values.get(&var).copied()
    }
    fn at(&self, process: ProcessId, location: LocationId) -> bool {
        self.state.locations[crate::Id::index(process)] == location
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
