//! Extrapolation for automata with diagonal constraints: split, extrapolate, constrain again.
//!
//! ExtraM alone may lose a diagonal constraint that every valuation of the zone satisfies or violates.
//! So the zone is first cut along all diagonal constraints of the automaton, each piece is extrapolated,
//! and then cut back by the constraints that it decided before. A constant of a diagonal constraint
//! counts for both its clocks in `M`. See Bengtsson and Yi, *On clock difference constraints and
//! termination in reachability analysis of timed automata*, 2003.

use crate::bound::{Bound, Constraint, Overflow};
use crate::dbm::{constrain_all, satisfies};
use crate::extra::extra_m;
use crate::lu::LuBounds;
use crate::zone::Zone;

/// Pushes the pieces of the zone, disjoint and together exact: in each piece, every one of the
/// `diagonals` either holds everywhere or fails everywhere.
pub fn split(
    zone: &[Bound],
    dim: usize,
    diagonals: &[Constraint],
    out: &mut Vec<Zone>,
) -> Result<(), Overflow> {
    let start = out.len();
    out.push(Zone::from_closed(zone, dim));
    for diagonal in diagonals {
        for index in start..out.len() {
            // The piece keeps its place if the constraint does not cut it.
            if let Some(outside) = out[index].and(diagonal.negated())?
                && let Some(inside) = out[index].and(*diagonal)?
            {
                out[index] = inside;
                out.push(outside);
            }
        }
    }
    Ok(())
}

/// Pushes the extrapolated pieces of the zone: together they contain it, and each satisfies the same
/// ones of the `diagonals` as the piece it came from. `bounds` must be symmetric.
pub fn extra_m_split(
    zone: &[Bound],
    dim: usize,
    bounds: &LuBounds,
    diagonals: &[Constraint],
    out: &mut Vec<Zone>,
) -> Result<(), Overflow> {
    let start = out.len();
    split(zone, dim, diagonals, out)?;
    let mut decided = Vec::with_capacity(diagonals.len());
    for piece in &mut out[start..] {
        decided.clear();
        decided.extend(diagonals.iter().map(|diagonal| {
            if satisfies(piece.bounds(), dim, *diagonal) { *diagonal } else { diagonal.negated() }
        }));
        extra_m(piece.bounds_mut(), dim, bounds)?;
        let nonempty = constrain_all(piece.bounds_mut(), dim, &decided)?;
        debug_assert!(nonempty, "the piece itself satisfies what was decided");
    }
    Ok(())
}
