//! Entries that stand for more than their zones: for all that these simulate.
//!
//! With constants `L` and `U` for every clock, `v ≼ w` means that for each clock `w(x) = v(x)`, or
//! `L(x) < w(x) < v(x)`, or `U(x) < v(x) < w(x)`. An entry with constants stands for a≼LU(Z), all `v` with
//! `v ≼ w` for some `w` of its zone `Z`. An entry without any stands for `Z`, as if its constants were
//! greater than all numbers, where only `w = v` is left. See Herbreteau, Srivathsan and Walukiewicz,
//! *Better abstractions for timed automata*, 2012. The relation is transitive, and smaller constants relate
//! more.
//!
//! The check follows `Z` only. Take an execution from some `v` of the entry, and `v ≼ w` in `Z`. Let `w` do
//! the same: data are the same, so it can take the same branches, and it waits as long and sets the same
//! clocks to the same values. All along, clocks that have been set are equal in both, and the others are
//! related as at the beginning, because a delay keeps each of the three cases. A clock that gets the value of another is
//! related as that one is, by its constants; the other is its *origin*, and otherwise each clock is its own.
//! - If `v` passes a constraint `x ≺ c` with `c <= U(o)`, or `c ≺ x` with `c <= L(o)`, where `o` is the origin of `x`, so
//!   does `w`; the same is true of any constraint on clocks that have been set. Such a constraint is *kept*.
//! - All other constraints, differences of clocks included, are left out on the way of `w`. So `w` gets to
//!   the end if `v` does. If what is kept blocks all of `Z`, then it blocks every `v`, and there is no
//!   successor by this execution.
//! - Otherwise what comes of `Z` must lie in a≼L'U'(Z') of an entry with the state on arrival, whose
//!   constants are at most `L` and `U` of its origin for every clock that has not been set. Let `v'` and `w'` be where `v`
//!   and `w` get, and `u` what simulates `w'` there. Then `v' ≼ w'` for `L'` and `U'` as well, so `v' ≼ u`.
//!
//! The same holds of the target: conditions that are not kept count as true, and if `Z` does not satisfy
//! the others together, no `v` satisfies all.
//!
//! An entry with no constants at all, `L = U = -∞`, contains every valuation, since its zone is not empty.
//! Whatever leads only to such entries needs no constants at its source; that is why a step that can be
//! taken need not be kept unless something is asked of what it leads to. Arriving includes the invariants
//! there, which may be left out like all else: what they exclude is only claimed in addition, and then has
//! to be closed and free of targets itself. Every successor looks for an entry of its own, so that others
//! at the same state have constants takes nothing away.
//!
//! Deadlocks are not kept: what simulates can do more than what it simulates. So they are refused here.

use ir::{ClockRange, Zone, ZoneSet};

use crate::dbm::{Dbm, LARGEST};
use crate::{Flaw, Place, Rejection};

/// Whether `entry` contains or simulates all valuations of `zone`, whose bounds are closed, with these
/// constants of the clocks. For whoever lists zones and must point at the one that covers another.
pub fn is_simulated(zone: &Zone, entry: &Zone, constants: &[ClockRange]) -> bool {
    let mut dbm = Dbm::default();
    constants.len() + 1 == zone.dim
        && constants.iter().all(is_moderate)
        && dbm.read(zone, zone.dim)
        && dbm.is_simulated_within(entry, constants)
}

/// Whether an entry with these constants, or without, has no greater ones than `most`.
pub fn are_at_most(constants: Option<&[ClockRange]>, most: &[ClockRange]) -> bool {
    match constants {
        Some(constants) => constants.iter().zip(most).all(|(one, most)| one.0 <= most.0 && one.1 <= most.1),
        None => most.iter().all(|most| *most == UNLIMITED),
    }
}

/// More than any constants.
const UNLIMITED: ClockRange = (Some(i64::MAX), Some(i64::MAX));

fn is_moderate((lower, upper): &ClockRange) -> bool {
    let fits = |constant: &Option<i64>| constant.is_none_or(|c| (0..=LARGEST).contains(&c));
    fits(lower) && fits(upper)
}

/// Makes `out` the constants of an entry, if it has any, for so many clocks.
pub(super) fn read<'a>(
    set: &dyn ZoneSet,
    entry: usize,
    clocks: usize,
    out: &'a mut Vec<ClockRange>,
) -> Result<Option<&'a [ClockRange]>, Rejection> {
    if !set.simulation(entry, out) {
        return Ok(None);
    }
    if out.len() != clocks || !out.iter().all(is_moderate) {
        return Err(Place::Zone(entry).wrong(Flaw::Constants));
    }
    Ok(Some(out))
}

/// The origin of each clock by number, 0 for those that have been set; only noted up to simulation.
#[derive(Clone, Default)]
pub(super) struct Touched(Vec<usize>);

impl Touched {
    /// No clock is set yet.
    pub(super) fn clear(&mut self, dim: usize) {
        self.0.clear();
        self.0.extend(0..dim);
    }
    /// Notes that a clock is set.
    pub(super) fn set(&mut self, clock: usize) {
        self.0[clock] = 0;
    }
    /// Notes that a clock gets the value of another.
    pub(super) fn copy(&mut self, clock: usize, from: usize) {
        self.0[clock] = self.0[from];
    }
    /// Makes `out` the greatest constants that what is reached from a source with `constants` may have.
    pub(super) fn most(&self, constants: &[ClockRange], out: &mut Vec<ClockRange>) {
        out.clear();
        let most = |origin: &usize| origin.checked_sub(1).map_or(UNLIMITED, |at| constants[at]);
        out.extend(self.0[1..].iter().map(most));
    }
}

/// No clock set yet.
pub(super) fn untouched(dim: usize) -> Touched {
    let mut touched = Touched::default();
    touched.clear(dim);
    touched
}

/// Whether whatever simulates a valuation that passes `plus - minus ≺ constant` passes it too.
pub(super) fn keep(
    constants: &[ClockRange],
    (plus, minus): (usize, usize),
    constant: i64,
    strict: bool,
    touched: &Touched,
) -> bool {
    match (touched.0[plus], touched.0[minus]) {
        (0, 0) => true,
        // `x ≺ c`, which nothing passes if `c` is below zero,
        (origin, 0) if minus == 0 => {
            constant < 0 || constant == 0 && strict || Some(constant) <= constants[origin - 1].1
        }
        // `-x ≺ c`, which everything passes if `-c` is.
        (0, origin) if plus == 0 => {
            constant > 0 || constant == 0 && !strict || Some(-constant) <= constants[origin - 1].0
        }
        // A difference.
        _ => false,
    }
}
