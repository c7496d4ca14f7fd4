//! Sequences of operations forwards and backwards: post and pre of an edge.
//!
//! An edge is a list such as guard, resets, invariant, delay, invariant. [`post`] gives exactly the
//! valuations it leads to from the zone, [`pre`] exactly those from which it can lead into the zone.
//! The pre-image of a half-space is `pre` of the universe with one constraint.

use crate::bound::{Bound, Constraint, Overflow};
use crate::dbm;

/// One operation on valuations.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Only valuations that satisfy this go on.
    Constrain(Constraint),
    /// `clock := value`, where the value is not negative.
    Reset(u32, i64),
    /// `clock := other`.
    Copy(u32, u32),
    /// The clock takes any non-negative value.
    Free(u32),
    /// Any time passes.
    Delay,
}

/// Replaces the zone by what `ops` lead to; false if that is empty.
pub fn post(zone: &mut [Bound], dim: usize, ops: &[Op]) -> Result<bool, Overflow> {
    for op in ops {
        match *op {
            Op::Constrain(constraint) => {
                if !dbm::constrain(zone, dim, constraint)? {
                    return Ok(false);
                }
            }
            Op::Reset(clock, value) => dbm::reset(zone, dim, clock as usize, value)?,
            Op::Copy(clock, source) => dbm::copy(zone, dim, clock as usize, source as usize),
            Op::Free(clock) => dbm::free(zone, dim, clock as usize),
            Op::Delay => dbm::up(zone, dim),
        }
    }
    Ok(true)
}

/// Replaces the zone by all valuations from which `ops` can lead into it; false if there are none.
pub fn pre(zone: &mut [Bound], dim: usize, ops: &[Op]) -> Result<bool, Overflow> {
    for op in ops.iter().rev() {
        let nonempty = match *op {
            Op::Constrain(constraint) => dbm::constrain(zone, dim, constraint)?,
            Op::Reset(clock, value) => dbm::undo_reset(zone, dim, clock as usize, value)?,
            Op::Copy(clock, source) => dbm::undo_copy(zone, dim, clock as usize, source as usize)?,
            Op::Free(clock) => {
                dbm::free(zone, dim, clock as usize);
                true
            }
            Op::Delay => {
                dbm::down(zone, dim);
                true
            }
        };
        if !nonempty {
            return Ok(false);
        }
    }
    Ok(true)
}
