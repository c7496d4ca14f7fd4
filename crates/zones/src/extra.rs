//! Extrapolation: coarser zones of which there are only finitely many.
//!
//! Given a closed matrix with bounds `c_ij` on `x_i - x_j`, extrapolation replaces bounds by greater
//! ones, so that the result contains the zone: it may contain more, never less. All four preserve
//! reachability of locations for automata **without diagonal constraints**, if the constants cover what
//! is compared from here on; with diagonals use [`crate::split`]. The LU versions do not preserve
//! deadlocks. Definitions (comparisons are between constants, `M(0) = L(0) = U(0) = 0`, first case that
//! applies, diagonal excepted):
//!
//! | | `∞` if | `(<, -U_j)` if |
//! |---|---|---|
//! | ExtraM | `c_ij > M_i` | `-c_ij > M_j` |
//! | ExtraM+ | `c_ij > M_i`, or `-c_0i > M_i`, or `-c_0j > M_j` and `i != 0` | `-c_0j > M_j`, `i = 0` |
//! | ExtraLU | `c_ij > L_i` | `-c_ij > U_j` |
//! | ExtraLU+ | `c_ij > L_i`, or `-c_0i > L_i`, or `-c_0j > U_j` and `i != 0` | `-c_0j > U_j`, `i = 0` |
//!
//! Clocks stay non-negative where `U_j` is -∞. ExtraM is ExtraLU with `L = U = M`, and likewise with
//! plus. ExtraM ⊆ ExtraM+ ⊆ ExtraLU+ and ExtraM ⊆ ExtraLU ⊆ ExtraLU+ ⊆ a≼LU. See Behrmann, Bouyer,
//! Larsen and Pelánek, *Lower and upper bounds in zone-based abstractions of timed automata*, 2006.
//!
//! Results are closed. Only rows with a replaced bound are closed again: a bound that was not replaced
//! was the tightest before, and the zone only grew.

use crate::bound::{Bound, Overflow};
use crate::dbm::assert_well_formed;
use crate::kernel::{self, Closing, RowSet};
use crate::lu::LuBounds;

/// ExtraM; `bounds` must be symmetric, see [`LuBounds::make_symmetric`].
pub fn extra_m(zone: &mut [Bound], dim: usize, bounds: &LuBounds) -> Result<(), Overflow> {
    debug_assert!(is_symmetric(bounds));
    extra_lu(zone, dim, bounds)
}

/// ExtraM+; `bounds` must be symmetric, see [`LuBounds::make_symmetric`].
pub fn extra_m_plus(zone: &mut [Bound], dim: usize, bounds: &LuBounds) -> Result<(), Overflow> {
    debug_assert!(is_symmetric(bounds));
    extra_lu_plus(zone, dim, bounds)
}

/// ExtraLU.
pub fn extra_lu(zone: &mut [Bound], dim: usize, bounds: &LuBounds) -> Result<(), Overflow> {
    debug_assert_eq!(bounds.dim(), dim);
    let (lower, upper) = bounds.limits();
    let changed = kernel::extra_lu(zone, dim, lower, upper);
    close_again(zone, dim, changed)
}

/// ExtraLU+.
#[inline]
pub fn extra_lu_plus(zone: &mut [Bound], dim: usize, bounds: &LuBounds) -> Result<(), Overflow> {
    debug_assert_eq!(bounds.dim(), dim);
    let (lower, upper) = bounds.limits();
    let in_range = kernel::extra_lu_plus(zone, dim, lower, upper);
    if !in_range {
        return Err(Overflow);
    }
    assert_well_formed(zone, dim);
    Ok(())
}

fn close_again(zone: &mut [Bound], dim: usize, changed: RowSet) -> Result<(), Overflow> {
    if !changed.is_empty(dim) && kernel::close_rows(zone, dim, changed) == Closing::Overflow {
        return Err(Overflow);
    }
    assert_well_formed(zone, dim);
    Ok(())
}

fn is_symmetric(bounds: &LuBounds) -> bool {
    (0..bounds.dim()).all(|clock| bounds.lower(clock) == bounds.upper(clock))
}
