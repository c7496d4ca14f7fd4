//! Inductive invariants: formulas at vectors of locations.
//!
//! Shown by a solver, one question after the other, each to a solver of its own:
//! - *initiation*: every initial state is in an entry that the certificate names for that;
//! - *consecution*: from every state of an entry, every execution of every action ends in an entry that this one points at;
//! - *exclusion*: no state of an entry is a target where properties look, and an entry at a fault has none.
//!
//! So every reachable state is in an entry, and none is a target or a fault. Delays are data here, see [`ir::spell_out`].

use ir::{Actions, Invariant, LocationId, System, Term};

use super::{Cx, formula, is_vector};
use crate::{Flaw, Place, Rejection, Undecided};

/// Checks that a list of formulas is an invariant, and excludes the target and every fault if there is one to exclude.
pub(super) fn check(
    cx: &Cx<'_>,
    system: &System,
    target: Option<Term>,
    invariant: &Invariant,
) -> Result<(), Rejection> {
    let mut system = without_delays(system);
    let entries = entries(&mut system, invariant)?;
    initiation(cx, &mut system, &entries, &invariant.initial)?;
    let mut actions = Actions::new();
    for (number, entry) in entries.iter().enumerate() {
        let place = Place::Entry(number);
        if let Some(target) = target {
            exclusion(cx, &mut system, target, entry, place)?;
        }
        let vector = actions.vector(&entry.locations);
        for action in actions.of(&mut system, vector).to_vec() {
            let successors = &invariant.entries[number].successors;
            let goal = one_of(&mut system, &entries, successors, &action.target);
            let flaw = Flaw::Successor { action: None, loose: false };
            cx.ends_in(&mut system, (&[entry.formula], action.stmt, goal), place, flaw)?;
        }
    }
    Ok(())
}

/// An entry, in the arena of the system.
pub(super) struct Entry {
    pub(super) locations: Box<[LocationId]>,
    pub(super) formula: Term,
}

/// The system with every delay spelled out, as a change of data.
pub(super) fn without_delays(system: &System) -> System {
    if system.clocks().next().is_some() { ir::spell_out(system).0 } else { system.clone() }
}

/// The entries of an invariant, all of which have locations and formulas of the system and point at entries.
pub(super) fn entries(system: &mut System, invariant: &Invariant) -> Result<Vec<Entry>, Rejection> {
    let count = invariant.entries.len();
    let unknown = |list: &[u32]| list.iter().copied().find(|hint| *hint as usize >= count);
    if let Some(hint) = unknown(&invariant.initial) {
        return Err(Place::InitialStates.wrong(Flaw::NoSuchEntry(hint)));
    }
    let mut entries = vec![];
    for (number, entry) in invariant.entries.iter().enumerate() {
        let place = Place::Entry(number);
        if !is_vector(system, &entry.locations) {
            return Err(place.wrong(Flaw::Locations));
        }
        if let Some(hint) = unknown(&entry.successors) {
            return Err(place.wrong(Flaw::NoSuchEntry(hint)));
        }
        let formula = formula::import(system, &invariant.terms, entry.formula, place)?;
        entries.push(Entry { locations: entry.locations.clone(), formula });
    }
    Ok(entries)
}

/// Checks that every initial state is in one of some entries.
pub(super) fn initiation(
    cx: &Cx<'_>,
    system: &mut System,
    entries: &[Entry],
    initial: &[u32],
) -> Result<(), Rejection> {
    let stmt = ir::initial(system);
    let start = system.initial_locations();
    let goal = one_of(system, entries, initial, &start);
    cx.ends_in(system, (&[], stmt, goal), Place::InitialStates, Flaw::InitialState)
}

/// Checks that an entry has no target and no fault.
pub(super) fn exclusion(
    cx: &Cx<'_>,
    system: &mut System,
    target: Term,
    entry: &Entry,
    place: Place,
) -> Result<(), Rejection> {
    let (bad, flaw) = match system.is_fault(&entry.locations) {
        true => (system.terms.bool(true), Flaw::Fault),
        false if !system.is_observed(&entry.locations) => return Ok(()),
        false => {
            let here = ir::at_locations(system, target, &entry.locations);
            (here.map_err(|_| Undecided::NoCondition)?, Flaw::Target)
        }
    };
    match cx.satisfiable(system, &[entry.formula, bad], place)? {
        true => Err(place.wrong(flaw)),
        false => Ok(()),
    }
}

/// That one of some entries, those at these locations, holds.
pub(super) fn one_of(
    system: &mut System,
    entries: &[Entry],
    which: &[u32],
    locations: &[LocationId],
) -> Term {
    let named = which.iter().map(|number| &entries[*number as usize]);
    let here: Vec<Term> =
        named.filter(|entry| *entry.locations == *locations).map(|entry| entry.formula).collect();
    system.terms.or(here)
}
