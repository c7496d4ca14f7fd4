//! Closed sets: a list of states that contains the initial ones and is closed under every action.
//!
//! If no state of such a list is a fault or an observed target, none that is reachable is. The list
//! is trusted for nothing but what it lists: its hints are compared with what they point at.
//!
//! Most actions are impossible in most states, and running one costs as much as the state is large. So what
//! an action begins by assuming is evaluated first: where that is false, it has no executions.

use std::sync::atomic::{AtomicBool, Ordering};

use ir::eval::{Env, holds};
use ir::interp::Interp;
use ir::{
    Action, Actions, ClosedSet, Id, LocationId, ProcessId, State, Stmt, StmtNode, System, Term, Value, VarId,
    VectorId,
};

use crate::progress::Descending;
use crate::{Flaw, Place, Rejection, check_shape, stuck};

/// Checks that `set` is closed, that it excludes the target and every fault, and that its steps descend, if they have to.
pub(crate) fn check(
    system: &System,
    target: Term,
    set: &dyn ClosedSet,
    descent: Option<&Descending<'_>>,
    stop: &AtomicBool,
) -> Result<(), Rejection> {
    let mut walk = Walk::new(system, set, stop);
    walk.initial(&mut |_| {})?;
    let mut closed = Closed { target, descent, targets: vec![] };
    walk.steps(0..set.len(), &mut closed)
}

/// What is asked of listed states and of the steps between them.
pub(crate) trait Visitor {
    /// Before any state with this vector of locations is visited.
    fn vector(&mut self, system: &mut System, vector: VectorId, locations: &[LocationId])
    -> Result<(), Flaw>;
    /// A state, with its vector.
    fn state(&mut self, interp: &mut Interp<'_>, vector: VectorId, at: &Visited<'_>)
    -> Result<(), Rejection>;
    /// A step of one listed state to another.
    fn step(&mut self, from: usize, action: &Action, to: usize) -> Result<(), Flaw>;
}

/// A state that is visited.
pub(crate) struct Visited<'a> {
    pub(crate) system: &'a System,
    pub(crate) number: usize,
    pub(crate) env: Listed<'a>,
}

/// A walk over listed states, whose actions are composed anew.
pub(crate) struct Walk<'a> {
    pub(crate) system: System,
    actions: Actions,
    /// The vectors that visitors have seen.
    seen: Vec<bool>,
    set: &'a dyn ClosedSet,
    /// What some of the states are, by their numbers.
    kept: &'a [Option<State>],
    stop: &'a AtomicBool,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(system: &System, set: &'a dyn ClosedSet, stop: &'a AtomicBool) -> Self {
        Walk { system: system.clone(), actions: Actions::new(), seen: vec![], set, kept: &[], stop }
    }
    /// The same walk by somebody who knows what some of the states are.
    pub(crate) fn with(self, kept: &'a [Option<State>]) -> Self {
        Walk { kept, ..self }
    }
    /// The number under which a state really is listed.
    fn listed(set: &dyn ClosedSet, kept: &[Option<State>], state: &State) -> Option<usize> {
        set.find(state).filter(|at| match kept.get(*at) {
            Some(Some(known)) => known == state,
            _ => *at < set.len() && set.state(*at) == *state,
        })
    }
    /// Checks that the initial states are listed, and calls `tell` with their numbers.
    pub(crate) fn initial(&mut self, tell: &mut dyn FnMut(usize)) -> Result<(), Rejection> {
        let initial = ir::initial(&mut self.system);
        let start = self.system.arbitrary_state();
        let mut missing = false;
        Interp::new(&self.system, Some(self.stop))
            .successors(initial, &start, &mut |outcome| {
                let state = State { locations: start.locations.clone(), values: outcome.values };
                let number = Self::listed(self.set, self.kept, &state);
                missing = number.is_none();
                number.into_iter().for_each(&mut *tell);
                !missing
            })
            .map_err(|why| stuck(&self.system, Place::InitialStates, &why))?;
        if missing { Err(Place::Whole.wrong(Flaw::InitialState)) } else { Ok(()) }
    }
    /// Visits the states with these numbers, and executes every action from each of them.
    pub(crate) fn steps(
        &mut self,
        numbers: impl Iterator<Item = usize>,
        visitor: &mut impl Visitor,
    ) -> Result<(), Rejection> {
        let (set, kept, stop) = (self.set, self.kept, self.stop);
        let slots = Listed::slots(&self.system);
        let mut numbers = numbers.peekable();
        while let Some(&first) = numbers.peek() {
            // Composing the actions of a new vector of locations changes the system, so the interpreter
            // starts anew for each; there are few vectors and many states.
            let state = set.state(first);
            check_shape(&self.system, Place::Listed(first), &state)?;
            let vector = self.actions.vector(&state.locations);
            self.actions.of(&mut self.system, vector);
            visitor
                .vector(&mut self.system, vector, &state.locations)
                .map_err(|flaw| Place::Whole.wrong(flaw))?;
            self.seen.resize(self.seen.len().max(self.actions.len()), false);
            self.seen[vector.index()] = true;
            let (system, actions) = (&self.system, &self.actions);
            let mut interp = Interp::new(system, Some(stop));
            let mut after = State::default();
            while let Some(&number) = numbers.peek() {
                let state = set.state(number);
                let Some(steps) = actions.known(&state.locations) else { break };
                let vector = actions.known_vector(&state.locations).expect("its actions are known");
                if !self.seen.get(vector.index()).is_some_and(|seen| *seen) {
                    break;
                }
                if number % 1024 == 0 && stop.load(Ordering::Relaxed) {
                    return Err(Rejection::Interrupted);
                }
                let env = Listed { slots: &slots, state: &state };
                let at = Visited { system, number, env };
                check_shape(system, Place::Listed(number), &state)?;
                visitor.state(&mut interp, vector, &at)?;
                let impossible = |stmt| {
                    guard(system, stmt).is_some_and(|it| holds(&system.terms, &at.env, it) == Ok(false))
                };
                for action in steps.iter().filter(|action| !impossible(action.stmt)) {
                    let mut flaw = None;
                    interp
                        .successors(action.stmt, &state, &mut |outcome| {
                            after.locations.clone_from(&action.target);
                            after.values = outcome.values;
                            flaw = match Self::listed(set, kept, &after) {
                                None => Some(Flaw::Successor { action: None, loose: false }),
                                Some(to) => visitor.step(number, action, to).err(),
                            };
                            flaw.is_none()
                        })
                        .map_err(|why| stuck(system, Place::Listed(number), &why))?;
                    if let Some(flaw) = flaw {
                        return Err(Place::Listed(number).wrong(flaw));
                    }
                }
                numbers.next();
            }
        }
        Ok(())
    }
}

/// That no target and no fault is listed, and that steps descend, if they have to.
struct Closed<'a> {
    target: Term,
    descent: Option<&'a Descending<'a>>,
    /// The target at each vector that was seen.
    targets: Vec<Option<Term>>,
}

impl Visitor for Closed<'_> {
    fn vector(
        &mut self,
        system: &mut System,
        vector: VectorId,
        locations: &[LocationId],
    ) -> Result<(), Flaw> {
        let here = ir::at_locations(system, self.target, locations).map_err(|_| Flaw::NoCondition)?;
        self.targets.resize(self.targets.len().max(vector.index() + 1), None);
        self.targets[vector.index()] = Some(here);
        Ok(())
    }
    fn state(
        &mut self,
        interp: &mut Interp<'_>,
        vector: VectorId,
        at: &Visited<'_>,
    ) -> Result<(), Rejection> {
        let Visited { system, number, env } = at;
        let (place, state) = (Place::Listed(*number), env.state);
        if system.is_fault(&state.locations) {
            return Err(place.wrong(Flaw::Fault));
        }
        if !system.is_observed(&state.locations) {
            return Ok(());
        }
        let target = self.targets[vector.index()].expect("its vector was seen");
        if holds(&system.terms, env, target) == Ok(false) {
            return Ok(());
        }
        match interp.find(state, target) {
            Ok(None) => Ok(()),
            Ok(Some(_)) => Err(place.wrong(Flaw::Target)),
            Err(why) => Err(stuck(system, place, &why)),
        }
    }
    fn step(&mut self, from: usize, action: &Action, to: usize) -> Result<(), Flaw> {
        let descends = self.descent.is_none_or(|descent| descent.allows(from, action, to));
        if descends { Ok(()) } else { Err(Flaw::Ascent) }
    }
}

/// What a statement begins by assuming.
fn guard(system: &System, stmt: Stmt) -> Option<Term> {
    let first = match system.terms.stmt(stmt) {
        StmtNode::Seq(list) => *list.first()?,
        _ => stmt,
    };
    match system.terms.stmt(first) {
        StmtNode::Assume(condition) => Some(*condition),
        _ => None,
    }
}

/// A listed state; what is no part of it is open.
pub(crate) struct Listed<'a> {
    /// Where states have each variable.
    pub(crate) slots: &'a [Option<usize>],
    pub(crate) state: &'a State,
}

impl Listed<'_> {
    /// Where the states of a system have each variable.
    pub(crate) fn slots(system: &System) -> Vec<Option<usize>> {
        let mut slots = vec![None; system.vars.len()];
        for (slot, var) in system.state_vars().enumerate() {
            slots[var.index()] = Some(slot);
        }
        slots
    }
}

impl Env for Listed<'_> {
    fn var(&self, var: VarId, _step: u32) -> Option<&Value> {
        self.state.values[(*self.slots.get(var.index())?)?].as_ref()
    }
    fn at(&self, process: ProcessId, location: LocationId) -> bool {
        self.state.locations[process.index()] == location
    }
}
