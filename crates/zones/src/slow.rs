//! The obvious versions of the fast loops: one bound at a time, no shortcuts.
//!
//! They are the oracle of the tests and the baseline of the measurements.

use crate::bound::{Bound, Constraint, Overflow};
use crate::dbm::{at, len};
use crate::lu::LuBounds;

/// See [`crate::dbm::close`].
pub fn close(zone: &mut [Bound], dim: usize) -> Result<bool, Overflow> {
    for k in 0..dim {
        for i in 0..dim {
            for j in 0..dim {
                let sum = zone[at(dim, i, k)].plus(zone[at(dim, k, j)]);
                zone[at(dim, i, j)] = zone[at(dim, i, j)].min(sum);
            }
        }
        if (0..dim).any(|i| zone[at(dim, i, i)] < Bound::LE_ZERO) {
            return Ok(false);
        }
        zone.iter().try_for_each(|bound| bound.checked().map(drop))?;
    }
    Ok(true)
}

/// See [`crate::dbm::constrain`].
pub fn constrain(zone: &mut [Bound], dim: usize, constraint: Constraint) -> Result<bool, Overflow> {
    let (i, j) = constraint.cell();
    let entry = &mut zone[at(dim, i, j)];
    *entry = constraint.bound.min(*entry);
    close(zone, dim)
}

/// The textbook O(n²) closing after one constraint, bound by bound.
pub fn constrain_by_entry(zone: &mut [Bound], dim: usize, constraint: Constraint) -> Result<bool, Overflow> {
    let (i, j) = constraint.cell();
    if constraint.bound >= zone[at(dim, i, j)] {
        return Ok(true);
    }
    if zone[at(dim, j, i)].plus(constraint.bound) < Bound::LE_ZERO {
        return Ok(false);
    }
    for p in 0..dim {
        let through = zone[at(dim, p, i)].plus(constraint.bound);
        for q in 0..dim {
            let sum = through.plus(zone[at(dim, j, q)]);
            if sum < zone[at(dim, p, q)] {
                zone[at(dim, p, q)] = sum.checked()?;
            }
        }
    }
    Ok(true)
}

/// See [`crate::dbm::includes`].
pub fn includes(big: &[Bound], small: &[Bound]) -> bool {
    big.iter().zip(small).all(|(big, small)| small <= big)
}

/// See [`crate::dbm::down`].
pub fn down(zone: &mut [Bound], dim: usize) {
    for j in 1..dim {
        zone[j] = (1..dim).map(|i| zone[at(dim, i, j)]).fold(Bound::LE_ZERO, Bound::min);
    }
}

/// See [`crate::extra::extra_lu`].
pub fn extra_lu(zone: &mut [Bound], dim: usize, bounds: &LuBounds) -> Result<(), Overflow> {
    extrapolate(zone, dim, |old, i, j| {
        let bound = old[at(dim, i, j)];
        if above(bound, bounds.lower(i)) {
            Bound::INFINITY
        } else if below(bound, bounds.upper(j)) {
            beyond(i, bounds.upper(j))
        } else {
            bound
        }
    })
}

/// See [`crate::extra::extra_lu_plus`].
pub fn extra_lu_plus(zone: &mut [Bound], dim: usize, bounds: &LuBounds) -> Result<(), Overflow> {
    extrapolate(zone, dim, |old, i, j| {
        let bound = old[at(dim, i, j)];
        if above(bound, bounds.lower(i)) || below(old[i], bounds.lower(i)) {
            Bound::INFINITY
        } else if below(old[j], bounds.upper(j)) {
            if i == 0 { beyond(0, bounds.upper(j)) } else { Bound::INFINITY }
        } else {
            bound
        }
    })
}

fn extrapolate(
    zone: &mut [Bound],
    dim: usize,
    entry: impl Fn(&[Bound], usize, usize) -> Bound,
) -> Result<(), Overflow> {
    let old = zone[..len(dim)].to_vec();
    for i in 0..dim {
        for j in (0..dim).filter(|j| *j != i) {
            zone[at(dim, i, j)] = entry(&old, i, j);
        }
    }
    let nonempty = close(zone, dim)?;
    debug_assert!(nonempty, "extrapolation only adds valuations");
    Ok(())
}

/// Whether the constant of `bound` exceeds `limit`, `None` being -∞.
fn above(bound: Bound, limit: Option<i32>) -> bool {
    limit.is_none_or(|limit| bound.constant().is_none_or(|constant| constant > limit))
}

/// Whether the constant of `-bound` exceeds `limit`, `None` being -∞.
fn below(bound: Bound, limit: Option<i32>) -> bool {
    limit.is_none_or(|limit| bound.constant().is_some_and(|constant| -constant > limit))
}

/// The bound `< -limit` in row `i`, but clocks stay non-negative.
fn beyond(i: usize, limit: Option<i32>) -> Bound {
    match limit {
        Some(limit) => Bound::lt(-i64::from(limit)).expect("limits are in range"),
        None if i == 0 => Bound::LE_ZERO,
        None => Bound::INFINITY,
    }
}

/// See [`crate::lu_covers`].
pub fn lu_covers(big: &[Bound], small: &[Bound], dim: usize, bounds: &LuBounds) -> bool {
    let witness = |x: usize, y: usize| {
        let (Some(upper), Some(lower)) = (bounds.upper(x), bounds.lower(y)) else { return false };
        let (upper, lower) = (Bound::le(-i64::from(upper)), Bound::lt(-i64::from(lower)));
        let (upper, lower) = (upper.expect("in range"), lower.expect("in range"));
        let (big, small_yx, small_0x) = (big[at(dim, y, x)], small[at(dim, y, x)], small[x]);
        small_0x >= upper && big < small_yx && big.plus(lower) < small_0x
    };
    !(0..dim).any(|x| (0..dim).any(|y| witness(x, y)))
}
