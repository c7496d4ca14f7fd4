//! Targets at known locations: location atoms decided, `deadlock` spelled out.
//!
//! A state is deadlocked if no action is possible now or after any delay that the invariants and
//! urgency allow. At known locations that is a condition on variables and clocks: for every action,
//! not even after a delay do its guards hold and its updates lead to a state within the target's
//! invariants, or go wrong. The delay is eliminated exactly (see [`crate::eventually`]). Where a loop
//! depends on data, or a clock is compared with what an update made of an array, there is no such
//! condition without quantifiers; with all data known, there is ([`at_state`]).

use crate::action::{Joint, Outgoing, goes_wrong, has_undefined, invariant, movable, step};
use crate::clock::NoCubes;
use crate::evidence::{Edges, State};
use crate::id::Id;
use crate::simplify::{Valuation, simplify};
use crate::stmt::Stmt;
use crate::system::{EdgeId, LocationId, ProcessId, System};
use crate::term::{Node, Term};
use crate::uneven::{eventually_with, stopped};
use crate::urgency::{delays, urgency};
use crate::value::Type;
use crate::wp::wp;

/// Why a target cannot be spelled out.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum NoTarget {
    /// What this statement of an action does to a deadlock needs quantifiers.
    Stmt(Stmt),
    /// The condition of an action over clocks is too complex.
    Clocks(NoCubes),
}

/// `target` as a condition on variables and clocks alone, at these locations.
pub fn at_locations(system: &mut System, target: Term, locations: &[LocationId]) -> Result<Term, NoTarget> {
    spelled_out(system, target, locations, &Valuation::default())
}

/// `target` as a condition on clocks and open data, at the locations and with the data of a state; it
/// means nothing at other states.
pub fn at_state(system: &mut System, target: Term, state: &State) -> Result<Term, NoTarget> {
    let mut known = Valuation::default();
    let vars: Vec<_> = system.state_vars().collect();
    for (var, value) in vars.into_iter().zip(&state.values) {
        if let Some(value) = value
            && system.terms.var_type(var) != Type::Clock
        {
            known.insert(var, system.terms.constant(value.clone()));
        }
    }
    let here = spelled_out(system, target, &state.locations, &known)?;
    Ok(system.terms.substitute(here, &known))
}

/// `target` at these locations, for states that are deadlocked or for those that are not.
pub fn given_deadlock(system: &mut System, target: Term, locations: &[LocationId], deadlocked: bool) -> Term {
    let deadlocked = system.terms.bool(deadlocked);
    decided(system, target, locations, Some(deadlocked))
}

/// Whether `target` asks for a deadlock.
pub fn mentions_deadlock(system: &System, target: Term) -> bool {
    let mut found = false;
    system.terms.for_each_subterm(target, |t| found |= *system.terms.node(t) == Node::Deadlock);
    found
}

fn spelled_out(
    system: &mut System,
    target: Term,
    locations: &[LocationId],
    known: &Valuation,
) -> Result<Term, NoTarget> {
    let deadlock = match mentions_deadlock(system, target) {
        true => Some(deadlock(system, locations, known)?),
        false => None,
    };
    Ok(decided(system, target, locations, deadlock))
}

fn decided(system: &mut System, target: Term, locations: &[LocationId], deadlock: Option<Term>) -> Term {
    system.terms.rewrite(target, &mut |terms, t| match *terms.node(t) {
        Node::At(process, at) => Some(terms.bool(locations[process.index()] == at)),
        Node::Deadlock => deadlock,
        _ => None,
    })
}

fn deadlock(system: &mut System, locations: &[LocationId], known: &Valuation) -> Result<Term, NoTarget> {
    let outgoing = Outgoing::new(system);
    let urgency = urgency(system, &outgoing, locations);
    let mut stopped = stopped(system, locations);
    for still in &mut stopped {
        still.when = system.terms.substitute(still.when, known);
    }
    let hurry = system.terms.substitute(urgency.now, known);
    let mut delays = delays(&mut system.terms, &urgency);
    for (before, after) in &mut delays {
        [*before, *after] = [*before, *after].map(|term| system.terms.substitute(term, known));
    }
    let here = invariant(system, locations);
    let here = system.terms.substitute(here, known);
    let mut possible = vec![];
    // Something is possible iff something is enabled, whatever goes before what.
    for joint in movable(system, &outgoing, locations) {
        let now = possible_now(system, &joint, locations, known)?;
        let mut later = vec![];
        for (before, after) in &delays {
            let within = system.terms.and([here, *after, now]);
            let within = eventually_with(&mut system.terms, within, &stopped).map_err(NoTarget::Clocks)?;
            later.push(system.terms.and([*before, within]));
        }
        let later = system.terms.or(later);
        possible.push(system.terms.ite(hurry, now, later));
        if has_undefined(system, locations) {
            // An initial state may be where no invariant holds, and goes wrong now.
            possible.push(now);
        }
    }
    let any = system.terms.or(possible);
    Ok(system.terms.not(any))
}

/// Where edges can move together at these locations, without delay.
fn possible_now(
    system: &mut System,
    joint: &Joint,
    locations: &[LocationId],
    known: &Valuation,
) -> Result<Term, NoTarget> {
    // Possible iff not every execution fails, that is, not wp(step; arrive, false). The delay on
    // arrival does not matter: the invariants on both sides of it are the same, so that an arrival
    // that is possible with some delay is possible with none.
    let step = step(system, joint);
    let target = joint.target(system, locations);
    let fault = goes_wrong(system, step, &target);
    let arrives = invariant(system, &target);
    let arrives = system.terms.assume(arrives);
    let mut stmt = system.terms.seq([step.stmt, arrives]);
    // A step that goes wrong is a step, and no deadlock.
    if let Some(fault) = fault {
        stmt = system.terms.choice([stmt, fault]);
    }
    let stmt = simplify(&mut system.terms, stmt, &mut known.clone());
    let never = system.terms.bool(false);
    let blocked = wp(&mut system.terms, stmt, never).map_err(NoTarget::Stmt)?;
    Ok(system.terms.not(blocked))
}

/// Where an edge that moves alone can do so, at these locations, one of which it starts from.
///
/// # Errors
/// If that is no condition without quantifiers.
pub(crate) fn enabled(
    system: &mut System,
    edge: (ProcessId, EdgeId),
    locations: &[LocationId],
) -> Result<Term, NoTarget> {
    let condition = system.terms.bool(true);
    let joint = Joint { edges: Edges::from_slice(&[edge]), condition };
    possible_now(system, &joint, locations, &Valuation::default())
}
