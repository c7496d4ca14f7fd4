//! Difference bound matrices in flat slices.
//!
//! The zone of a matrix `D` is the set of valuations with `x_i - x_j ≺ D[i][j]` for all `i`, `j`, where
//! `x_0 = 0`. It is *closed* if `D[i][j] <= D[i][k] + D[k][j]` for all `k`; then each bound is the
//! tightest one, the zone is non-empty, inclusion is comparison of bounds, and projection is a
//! submatrix. See Bengtsson and Yi, *Timed Automata: Semantics, Algorithms and Tools*, 2004.
//!
//! **Layout.** Row-major; rows are padded with infinity to [`stride`], a multiple of eight, so that the
//! kernels need no remainders. A slice of [`len`]`(dim)` bounds holds a matrix; [`at`] finds an entry.
//!
//! **Contract.** Matrices are closed, with `<= 0` on the diagonal and clocks non-negative, before and
//! after every function except [`close`]. Functions that may empty the zone return whether it is
//! non-empty; after `false` and after an error the contents mean nothing, and the matrix must be
//! initialised again. Nothing allocates.

use crate::bound::{Bound, Constraint, Overflow};
use crate::kernel::{self, Closing, LANES};
use crate::point::Point;

/// The bounds from one row to the next.
#[inline]
pub const fn stride(dim: usize) -> usize {
    dim.next_multiple_of(LANES)
}

/// The bounds in a matrix.
#[inline]
pub const fn len(dim: usize) -> usize {
    dim * stride(dim)
}

/// The place of the bound on `x_i - x_j`.
#[inline]
pub const fn at(dim: usize, i: usize, j: usize) -> usize {
    i * stride(dim) + j
}

/// How two zones relate.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Relation {
    /// The same set.
    Equal,
    /// The first is strictly contained in the second.
    Subset,
    /// The first strictly contains the second.
    Superset,
    /// Neither contains the other.
    Incomparable,
}

/// Makes `zone` the set where all clocks are 0.
pub fn init_zero(zone: &mut [Bound], dim: usize) {
    for row in zone[..len(dim)].chunks_exact_mut(stride(dim)) {
        row[..dim].fill(Bound::LE_ZERO);
        row[dim..].fill(Bound::INFINITY);
    }
}

/// Makes `zone` the set of all non-negative valuations.
pub fn init_universe(zone: &mut [Bound], dim: usize) {
    zone[..len(dim)].fill(Bound::INFINITY);
    zone[..dim].fill(Bound::LE_ZERO);
    for i in 0..dim {
        zone[at(dim, i, i)] = Bound::LE_ZERO;
    }
}

/// Closes a matrix whose diagonal is `<= 0` and padding infinite; false if it is empty. O(n³).
pub fn close(zone: &mut [Bound], dim: usize) -> Result<bool, Overflow> {
    match kernel::close(&mut zone[..len(dim)], dim) {
        Closing::Closed => {
            assert_well_formed(zone, dim);
            Ok(true)
        }
        Closing::Empty => Ok(false),
        Closing::Overflow => Err(Overflow),
    }
}

/// Intersects with one constraint; false if nothing remains (the matrix is then unchanged). O(n²).
#[inline]
pub fn constrain(zone: &mut [Bound], dim: usize, constraint: Constraint) -> Result<bool, Overflow> {
    let possible = constrain_differences(zone, dim, constraint)?;
    assert_well_formed(zone, dim);
    Ok(possible)
}

/// The same for a matrix none of whose rows stands for zero, so that any number may be negative.
#[inline]
pub fn constrain_differences(
    zone: &mut [Bound],
    dim: usize,
    constraint: Constraint,
) -> Result<bool, Overflow> {
    let (i, j) = constraint.cell();
    if constraint.bound >= zone[at(dim, i, j)] {
        return Ok(true);
    }
    if zone[at(dim, j, i)].plus(constraint.bound) < Bound::LE_ZERO {
        return Ok(false);
    }
    if !kernel::tighten(zone, dim, i, j, constraint.bound) {
        return Err(Overflow);
    }
    Ok(true)
}

/// Intersects with all constraints; false if nothing remains.
pub fn constrain_all(zone: &mut [Bound], dim: usize, constraints: &[Constraint]) -> Result<bool, Overflow> {
    for constraint in constraints {
        if !constrain(zone, dim, *constraint)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether some valuation of the zone satisfies the constraint.
#[inline]
pub fn meets(zone: &[Bound], dim: usize, constraint: Constraint) -> bool {
    let (i, j) = constraint.cell();
    zone[at(dim, j, i)].plus(constraint.bound) >= Bound::LE_ZERO
}

/// Whether all valuations of the zone satisfy the constraint.
#[inline]
pub fn satisfies(zone: &[Bound], dim: usize, constraint: Constraint) -> bool {
    let (i, j) = constraint.cell();
    zone[at(dim, i, j)] <= constraint.bound
}

/// Lets time pass: all valuations reached by a delay.
#[inline]
pub fn up(zone: &mut [Bound], dim: usize) {
    for i in 1..dim {
        zone[at(dim, i, 0)] = Bound::INFINITY;
    }
    assert_well_formed(zone, dim);
}

/// Takes time back: all non-negative valuations from which a delay reaches the zone.
pub fn down(zone: &mut [Bound], dim: usize) {
    kernel::down(zone, dim);
    assert_well_formed(zone, dim);
}

/// Whether every delay from the zone stays in it.
pub fn is_elapsed(zone: &[Bound], dim: usize) -> bool {
    (1..dim).all(|i| zone[at(dim, i, 0)].is_infinite())
}

/// Sets a clock to a non-negative constant.
pub fn reset(zone: &mut [Bound], dim: usize, clock: usize, value: i64) -> Result<(), Overflow> {
    debug_assert!(clock != 0 && value >= 0, "clock {clock} set to {value}");
    let (to, from) = (Bound::le(value)?, Bound::le(-value)?);
    if value == 0 {
        copy(zone, dim, clock, 0);
        return Ok(());
    }
    for j in 0..dim {
        zone[at(dim, clock, j)] = to.plus(zone[at(dim, 0, j)]).checked()?;
        zone[at(dim, j, clock)] = zone[at(dim, j, 0)].plus(from).checked()?;
    }
    zone[at(dim, clock, clock)] = Bound::LE_ZERO;
    assert_well_formed(zone, dim);
    Ok(())
}

/// Sets a clock to the value of another; 0 stands for zero.
#[inline]
pub fn copy(zone: &mut [Bound], dim: usize, clock: usize, source: usize) {
    if clock == source {
        return;
    }
    let row = at(dim, source, 0);
    zone.copy_within(row..row + stride(dim), at(dim, clock, 0));
    for j in 0..dim {
        zone[at(dim, j, clock)] = zone[at(dim, j, source)];
    }
    assert_well_formed(zone, dim);
}

/// Forgets a clock: it may have any non-negative value.
pub fn free(zone: &mut [Bound], dim: usize, clock: usize) {
    let row = at(dim, clock, 0);
    zone[row..row + stride(dim)].fill(Bound::INFINITY);
    for j in 0..dim {
        zone[at(dim, j, clock)] = zone[at(dim, j, 0)];
    }
    zone[at(dim, clock, clock)] = Bound::LE_ZERO;
    assert_well_formed(zone, dim);
}

/// All valuations that `clock := value` takes into the zone; false if there are none.
pub fn undo_reset(zone: &mut [Bound], dim: usize, clock: usize, value: i64) -> Result<bool, Overflow> {
    let equal = [Constraint::at_most(clock, value)?, Constraint::at_least(clock, value)?];
    let nonempty = constrain_all(zone, dim, &equal)?;
    if nonempty {
        free(zone, dim, clock);
    }
    Ok(nonempty)
}

/// All valuations that `clock := source` takes into the zone; false if there are none.
pub fn undo_copy(zone: &mut [Bound], dim: usize, clock: usize, source: usize) -> Result<bool, Overflow> {
    if clock == source {
        return Ok(true);
    }
    let le = |i, j| Constraint::new(i, j, Bound::LE_ZERO);
    let nonempty = constrain_all(zone, dim, &[le(clock, source), le(source, clock)])?;
    if nonempty {
        free(zone, dim, clock);
    }
    Ok(nonempty)
}

/// Intersects with `other`; false if nothing remains.
pub fn intersect(zone: &mut [Bound], other: &[Bound], dim: usize) -> Result<bool, Overflow> {
    // A few new constraints are cheaper one by one.
    let mut new = 0;
    for (bound, other) in zone.iter().zip(other) {
        new += usize::from(other < bound);
    }
    if new > dim {
        kernel::minimum(zone, other);
        return close(zone, dim);
    }
    for i in (0..dim).take_while(|_| new > 0) {
        for j in 0..dim {
            let bound = other[at(dim, i, j)];
            if bound < zone[at(dim, i, j)] && !constrain(zone, dim, Constraint::new(i, j, bound))? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Whether `big` contains `small`. Exact.
#[inline]
pub fn includes(big: &[Bound], small: &[Bound]) -> bool {
    debug_assert_eq!(big.len(), small.len());
    kernel::includes(big, small)
}

/// How `a` relates to `b`.
pub fn relation(a: &[Bound], b: &[Bound]) -> Relation {
    match (includes(b, a), includes(a, b)) {
        (true, true) => Relation::Equal,
        (true, false) => Relation::Subset,
        (false, true) => Relation::Superset,
        (false, false) => Relation::Incomparable,
    }
}

/// Makes `zone` the least zone that contains it and `other`: more than the union, never less.
pub fn hull(zone: &mut [Bound], other: &[Bound], dim: usize) {
    kernel::maximum(zone, other);
    assert_well_formed(zone, dim);
}

/// A hash; equal zones of one dimension have equal hashes.
pub fn hash(zone: &[Bound]) -> u64 {
    kernel::hash(zone)
}

/// Whether the point lies in the zone.
pub fn contains(zone: &[Bound], dim: usize, point: &Point) -> bool {
    let value = |i: usize| point.numerators[i];
    let admits = |i, j| zone[at(dim, i, j)].admits(value(i) - value(j), point.denominator);
    (0..dim).all(|i| (0..dim).all(|j| admits(i, j)))
}

/// Projects `zone` to the clocks in `keep`, which is sorted and starts with 0. Exact.
pub fn project(zone: &[Bound], dim: usize, keep: &[u32], out: &mut [Bound]) {
    let small = keep.len();
    for (i, from) in keep.iter().enumerate() {
        let row = &zone[at(dim, *from as usize, 0)..];
        let out = &mut out[at(small, i, 0)..][..stride(small)];
        out.fill(Bound::INFINITY);
        for (out, from) in out.iter_mut().zip(keep) {
            *out = row[*from as usize];
        }
    }
}

/// The opposite of [`project`]: clocks not in `keep` may have any non-negative value.
pub fn embed(zone: &[Bound], keep: &[u32], dim: usize, out: &mut [Bound]) {
    let small = keep.len();
    out[..len(dim)].fill(Bound::INFINITY);
    out[..dim].fill(Bound::LE_ZERO);
    for (i, to) in keep.iter().enumerate() {
        let row = &zone[at(small, i, 0)..][..small];
        let out = &mut out[at(dim, *to as usize, 0)..][..dim];
        // What bounds a clock by zero bounds it by every clock about which nothing is known.
        out.fill(row[0]);
        for (bound, to) in row.iter().zip(keep) {
            out[*to as usize] = *bound;
        }
    }
    for i in 0..dim {
        out[at(dim, i, i)] = Bound::LE_ZERO;
    }
    assert_well_formed(&out[..len(dim)], dim);
}

/// Panics in debug builds unless the matrix is closed, non-empty, padded and non-negative.
#[inline]
pub fn assert_well_formed(zone: &[Bound], dim: usize) {
    if cfg!(debug_assertions) {
        assert_closed(zone, dim);
        assert!(zone[..dim].iter().all(|bound| *bound <= Bound::LE_ZERO), "some clock may be negative");
    }
}

/// Panics in debug builds unless the matrix is closed, non-empty and padded.
#[inline]
pub fn assert_closed(zone: &[Bound], dim: usize) {
    if cfg!(debug_assertions) {
        assert_eq!(zone.len(), len(dim), "the slice does not hold a matrix of dimension {dim}");
        for i in 0..dim {
            let row = &zone[at(dim, i, 0)..][..stride(dim)];
            assert_eq!(row[i], Bound::LE_ZERO, "diagonal at {i}");
            assert!(row[dim..].iter().all(|bound| bound.is_infinite()), "padding of row {i}");
            for (k, through) in row[..dim].iter().enumerate() {
                for j in 0..dim {
                    assert!(row[j] <= through.plus(zone[at(dim, k, j)]), "not closed: {i}, {k}, {j}");
                }
            }
        }
    }
}
