//! Zone sets as invariants, for solvers.
//!
//! What an entry stands for is a formula over the values of variables and clocks: the values that are not
//! open, the ranges of those that are, and a formula for the clocks; where deadlocks are asked for, also the
//! invariants of the locations, without which a state would seem to be stuck that is none. For a zone, the
//! formula is the conjunction of its bounds. For a≼LU(Z) with `Z` closed it is, over all pairs of clocks `x`
//! and `y`, zero included with `L = U = 0`, and the bound `y - x ≺ c` of `Z`:
//!
//! > `x <= U(x)` implies `y - x ≺ c` if `y <= L(y)`, and `L(y) - x < c` if `y > L(y)`
//!
//! which says nothing where `U(x)` or `L(y)` is below all numbers. That is the definition, not the test of
//! [`crate::dbm`], so a solver that agrees has seen another argument.
//!
//! The check of a set with matrices is what verdicts rest on: it takes microseconds per successor, and a
//! solver takes milliseconds. The formulas are for whoever wants to ask another judge. The entries that
//! contain the successors of each are those that the check of the set has found.

use std::sync::atomic::AtomicBool;

use ir::{ClockRange, Invariant, InvariantEntry, Question, State, System, Term, Terms, VarId, Zone, ZoneSet};

use super::simulation;
use crate::dbm::{Dbm, LE_ZERO, NONE};
use crate::{Flaw, Place, Rejection, check_shape};

/// Sets with more entries than this are not turned into formulas.
pub const MOST_ENTRIES_AS_FORMULAS: usize = 20_000;

/// The invariant that a set stands for. Every entry points at those that contain its successors, and at
/// all if the set is not closed.
pub fn as_invariant(
    system: &System,
    question: &Question,
    set: &dyn ZoneSet,
    stop: &AtomicBool,
) -> Result<Invariant, Rejection> {
    let target = crate::target(question)?;
    let mut hints = vec![];
    match super::follow_all(system, target, set, None, stop, Some(&mut hints)) {
        Err(Rejection::Interrupted) => return Err(Rejection::Interrupted),
        Err(_) => hints = vec![(0..set.len() as u32).collect(); set.len() + 1],
        Ok(()) => {}
    }
    let mut terms = system.terms.clone();
    let asks_for_deadlocks = question.mentions_deadlock(system);
    let clocks: Vec<VarId> = system.clocks().collect();
    let (mut state, mut zone, mut constants) = (State::default(), Zone::default(), vec![]);
    let mut hints = hints.into_iter();
    let initial = hints.next().expect("those of the initial states");
    let mut entries = vec![];
    for (index, successors) in hints.enumerate() {
        set.state(index, &mut state);
        set.zone(index, &mut zone);
        check_shape(system, Place::Zone(index), &state)?;
        let constants = simulation::read(set, index, clocks.len(), &mut constants)?;
        let mut parts = vec![];
        data(system, &mut terms, &state, &mut parts);
        if asks_for_deadlocks {
            invariants(system, &state, &mut parts);
        }
        let mut matrix = Dbm::default();
        if !matrix.read(&zone, clocks.len() + 1) {
            return Err(Place::Zone(index).wrong(Flaw::NoZone));
        }
        matrix.drop_negative();
        Clocks { terms: &mut terms, clocks: &clocks }.formula(&matrix, constants, &mut parts);
        let formula = terms.and(parts);
        entries.push(InvariantEntry { locations: state.locations.clone(), formula, successors });
    }
    Ok(Invariant { terms, initial, entries })
}

/// Pushes what a state says of data.
fn data(system: &System, terms: &mut Terms, state: &State, parts: &mut Vec<Term>) {
    for (var, value) in system.state_vars().zip(&state.values) {
        let term = terms.var(var);
        match (value, &system.vars[var].range) {
            (Some(value), _) => {
                let value = terms.constant(value.clone());
                parts.push(terms.eq(term, value));
            }
            (None, Some((least, greatest))) => {
                let ends = [least, greatest].map(|end| terms.constant(ir::Value::Int(end.clone())));
                parts.push(terms.le(ends[0], term));
                parts.push(terms.le(term, ends[1]));
            }
            (None, None) => {}
        }
    }
}

/// Pushes what holds at the locations of a state, unless asking for it can go wrong there.
fn invariants(system: &System, state: &State, parts: &mut Vec<Term>) {
    if !ir::has_undefined(system, &state.locations) {
        let here = system.processes.iter().zip(&state.locations);
        parts.extend(here.map(|(process, at)| process.locations[*at].invariant));
    }
}

/// What is said of clocks.
struct Clocks<'a> {
    terms: &'a mut Terms,
    clocks: &'a [VarId],
}

impl Clocks<'_> {
    fn formula(&mut self, zone: &Dbm, constants: Option<&[ClockRange]>, parts: &mut Vec<Term>) {
        let dim = zone.dim();
        for y in 0..dim {
            for x in 0..dim {
                let limit = zone.limit(y, x);
                match constants {
                    _ if limit == NONE || x == y && limit >= LE_ZERO => {}
                    None => parts.push(self.bound(y, x, limit)),
                    Some(constants) => parts.extend(self.simulated(y, x, limit, constants)),
                }
            }
            if y > 0 && constants.is_some() {
                // No clock is negative.
                parts.push(self.bound(0, y, LE_ZERO));
            }
        }
    }
    /// What the bound `y - x ≺ c` asks of a valuation that is simulated.
    fn simulated(&mut self, y: usize, x: usize, limit: i32, constants: &[ClockRange]) -> Option<Term> {
        let range = |clock: usize| if clock == 0 { (Some(0), Some(0)) } else { constants[clock - 1] };
        let (upper, lower) = (range(x).1?, range(y).0?);
        let within = self.compare(y, lower);
        let close = self.bound(y, x, limit);
        let close = self.terms.implies(within, close);
        // `L(y) - x < c` is `L(y) - c < x`.
        let beyond = self.terms.not(within);
        let far = self.compare(x, lower - i64::from(limit >> 1));
        let far = self.terms.not(far);
        let far = self.terms.implies(beyond, far);
        let both = self.terms.and([close, far]);
        let counts = self.compare(x, upper);
        Some(self.terms.implies(counts, both))
    }
    /// `clock <= constant`.
    fn compare(&mut self, clock: usize, constant: i64) -> Term {
        if clock == 0 {
            return self.terms.bool(0 <= constant);
        }
        let (clock, constant) = (self.terms.var(self.clocks[clock - 1]), self.terms.int(constant));
        self.terms.le(clock, constant)
    }
    /// `y - x ≺ c`.
    fn bound(&mut self, y: usize, x: usize, limit: i32) -> Term {
        let constant = i64::from(limit >> 1);
        let terms = &mut *self.terms;
        let var = |terms: &mut Terms, clock: usize| terms.var(self.clocks[clock - 1]);
        let (left, right) = match (y, x) {
            (0, 0) => return terms.bool(limit >= LE_ZERO),
            (0, x) => (terms.int(-constant), var(terms, x)),
            (y, 0) => (var(terms, y), terms.int(constant)),
            (y, x) => {
                let (y, x) = (var(terms, y), var(terms, x));
                (terms.sub(y, x), terms.int(constant))
            }
        };
        if limit & 1 == 1 { terms.le(left, right) } else { terms.lt(left, right) }
    }
}
