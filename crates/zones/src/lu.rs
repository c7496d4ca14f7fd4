//! Lower and upper clock bounds, and the abstraction a≼LU.
//!
//! `L(x)` is the greatest constant in a constraint `x > c` or `x >= c` that matters from here on, `U(x)`
//! that in `x < c` or `x <= c`; -∞ if there is none. A valuation `v'` *LU-simulates* `v` if for each
//! clock `v'(x) = v(x)`, or `L(x) < v'(x) < v(x)`, or `U(x) < v(x) < v'(x)`. The set a≼LU(Z) has all
//! valuations that some valuation of Z LU-simulates; it is the coarsest sound abstraction for automata
//! without diagonal constraints, and not convex, so it is never built.
//!
//! With `Z` closed and `c_yx` the bound on `y - x`: `v ∈ a≼LU(Z)` iff for all `x`, `y`, zero included,
//! `v(x) <= U(x)` implies `v(y) - v(x) ≺ c_yx` if `v(y) <= L(y)`, and `L(y) - v(x) < c_yx` otherwise.
//! And `Z ⊄ a≼LU(Z')` iff for some `x`, `y`: `Z_0x >= (<=, -U(x))`, `Z'_yx < Z_yx` and
//! `Z'_yx + (<, -L(y)) < Z_0x`. See Herbreteau, Srivathsan and Walukiewicz, *Better abstractions for
//! timed automata*, 2012.

use crate::bound::{Bound, Constraint, Overflow};
use crate::dbm::{at, stride};
use crate::kernel;
use crate::point::Point;
use crate::step::Op;

/// The constants `L(x)` and `U(x)` of every clock, each possibly -∞.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LuBounds {
    dim: usize,
    /// `2 L(x) + 1`, the greatest bound with that constant; the least integer for -∞.
    lower: Vec<i32>,
    /// `-2 U(x)`, the bound `< -U(x)`; the greatest integer for -∞ and the least one in the padding.
    upper: Vec<i32>,
}

impl LuBounds {
    /// No constants: -∞ for every clock of a zone with dimension `dim`.
    pub fn new(dim: usize) -> LuBounds {
        let mut bounds = LuBounds { dim, lower: Vec::new(), upper: Vec::new() };
        bounds.clear();
        bounds
    }
    /// Forgets all constants.
    pub fn clear(&mut self) {
        self.lower.clear();
        self.lower.resize(stride(self.dim), i32::MIN);
        self.upper.clear();
        self.upper.resize(self.dim, i32::MAX);
        self.upper.resize(stride(self.dim), i32::MIN);
        (self.lower[0], self.upper[0]) = (1, 0);
    }
    /// Clocks plus one.
    pub fn dim(&self) -> usize {
        self.dim
    }
    /// Takes `x > constant` or `x >= constant` into account; true if `L(x)` grew.
    ///
    /// A negative constant counts as 0, which is always sound.
    pub fn raise_lower(&mut self, clock: usize, constant: i64) -> Result<bool, Overflow> {
        let limit = Bound::le(constant.max(0))?.0;
        let grew = limit > self.lower[clock];
        self.lower[clock] = self.lower[clock].max(limit);
        Ok(grew)
    }
    /// Takes `x < constant` or `x <= constant` into account; true if `U(x)` grew.
    ///
    /// A negative constant counts as 0, which is always sound.
    pub fn raise_upper(&mut self, clock: usize, constant: i64) -> Result<bool, Overflow> {
        let limit = Bound::lt(-constant.max(0))?.0;
        let grew = limit < self.upper[clock];
        self.upper[clock] = self.upper[clock].min(limit);
        Ok(grew)
    }
    /// Raises both constants of a clock; true if one grew.
    pub fn raise(&mut self, clock: usize, constant: i64) -> Result<bool, Overflow> {
        Ok(self.raise_lower(clock, constant)? | self.raise_upper(clock, constant)?)
    }
    /// The greater of all constants; true if one grew.
    pub fn merge(&mut self, other: &LuBounds) -> bool {
        let mut grew = false;
        for (lower, other) in self.lower.iter_mut().zip(&other.lower) {
            grew |= other > lower;
            *lower = (*lower).max(*other);
        }
        for (upper, other) in self.upper.iter_mut().zip(&other.upper) {
            grew |= other < upper;
            *upper = (*upper).min(*other);
        }
        grew
    }
    /// Raises one clock to the bounds that `other` has for it; true if one grew.
    pub fn merge_clock(&mut self, clock: usize, other: &LuBounds) -> bool {
        self.merge_clock_with(clock, other, clock)
    }
    /// Raises one clock to the bounds that `other` has for another one; true if one grew.
    pub fn merge_clock_with(&mut self, clock: usize, other: &LuBounds, with: usize) -> bool {
        let grew = other.lower[with] > self.lower[clock] || other.upper[with] < self.upper[clock];
        self.lower[clock] = self.lower[clock].max(other.lower[with]);
        self.upper[clock] = self.upper[clock].min(other.upper[with]);
        grew
    }
    /// Raises all constants to those of `other` at least; true if some were greater than those.
    pub fn merge_into(&mut self, other: &LuBounds) -> bool {
        let mut more = false;
        for (lower, other) in self.lower.iter_mut().zip(&other.lower) {
            more |= *lower > *other;
            *lower = (*lower).max(*other);
        }
        for (upper, other) in self.upper.iter_mut().zip(&other.upper) {
            more |= *upper < *other;
            *upper = (*upper).min(*other);
        }
        more
    }
    /// Forgets the constants of one clock.
    pub fn forget(&mut self, clock: usize) {
        (self.lower[clock], self.upper[clock]) = (i32::MIN, i32::MAX);
    }
    /// Turns constants that matter after operations into those that matter before: what simulates a valuation by
    /// the latter can follow it through all operations, to what simulates it by the former.
    ///
    /// A constraint raises the constants of its clock, which must be one clock alone. A clock that is set has none
    /// before; one that is copied passes its own on.
    pub fn pull_back(&mut self, ops: &[Op]) -> Result<(), Overflow> {
        for op in ops.iter().rev() {
            match *op {
                Op::Constrain(Constraint { left, right, bound }) => {
                    debug_assert!(left == 0 || right == 0, "a difference of clocks");
                    match (left, right, bound.constant()) {
                        (0, 0, _) | (_, _, None) => {}
                        (_, 0, Some(constant)) => _ = self.raise_upper(left as usize, constant.into())?,
                        (.., Some(constant)) => _ = self.raise_lower(right as usize, -i64::from(constant))?,
                    }
                }
                Op::Copy(clock, source) if clock == source => {}
                Op::Copy(clock, source) => {
                    let (clock, source) = (clock as usize, source as usize);
                    self.lower[source] = self.lower[source].max(self.lower[clock]);
                    self.upper[source] = self.upper[source].min(self.upper[clock]);
                    self.forget(clock);
                }
                Op::Reset(clock, _) | Op::Free(clock) => self.forget(clock as usize),
                Op::Delay => {}
            }
        }
        Ok(())
    }
    /// Whether no clock has a constant.
    pub fn is_empty(&self) -> bool {
        (1..self.dim).all(|clock| self.lower(clock).is_none() && self.upper(clock).is_none())
    }
    /// Sets both constants of each clock to the greater one, the `M` of ExtraM.
    pub fn make_symmetric(&mut self) {
        for clock in 1..self.dim {
            let most = self.lower(clock).max(self.upper(clock));
            if let Some(most) = most {
                (self.lower[clock], self.upper[clock]) = (2 * most + 1, -2 * most);
            }
        }
    }
    /// `L(clock)`, `None` for -∞.
    pub fn lower(&self, clock: usize) -> Option<i32> {
        (self.lower[clock] != i32::MIN).then_some(self.lower[clock] >> 1)
    }
    /// `U(clock)`, `None` for -∞.
    pub fn upper(&self, clock: usize) -> Option<i32> {
        (self.upper[clock] != i32::MAX).then_some(-(self.upper[clock] >> 1))
    }
    /// The constants for the clocks in `keep` only; see [`crate::dbm::project`].
    pub fn project(&self, keep: &[u32]) -> LuBounds {
        let mut small = LuBounds::new(keep.len());
        for (i, from) in keep.iter().enumerate() {
            small.lower[i] = self.lower[*from as usize];
            small.upper[i] = self.upper[*from as usize];
        }
        small
    }
    /// The limits as the kernels take them.
    pub(crate) fn limits(&self) -> (&[i32], &[i32]) {
        (&self.lower, &self.upper)
    }
}

/// Whether every valuation of `small` is in a≼LU(`big`). Exact, O(n²).
///
/// Not sound for automata with diagonal constraints, nor for deadlocks.
pub fn lu_covers(big: &[Bound], small: &[Bound], dim: usize, bounds: &LuBounds) -> bool {
    debug_assert_eq!(bounds.dim, dim);
    kernel::lu_covers(big, small, dim, &bounds.lower, &bounds.upper)
}

/// Whether the point is in a≼LU(`zone`), by the formula above.
pub fn lu_contains(zone: &[Bound], dim: usize, bounds: &LuBounds, point: &Point) -> bool {
    let (value, scale) = (|i: usize| point.numerators[i], point.denominator);
    let times = |constant: i32| i64::from(constant) * scale;
    let holds = |x: usize, y: usize| {
        let bound = zone[at(dim, y, x)];
        if bounds.upper(x).is_none_or(|upper| value(x) > times(upper)) {
            return true;
        }
        match bounds.lower(y) {
            None => true,
            Some(lower) if value(y) <= times(lower) => bound.admits(value(y) - value(x), scale),
            // Strictly, whatever the bound: a valuation of the zone with y beyond L(y) is needed.
            Some(lower) => {
                Bound(bound.0 & !i32::from(!bound.is_infinite())).admits(times(lower) - value(x), scale)
            }
        }
    };
    (0..dim).all(|x| (0..dim).all(|y| holds(x, y)))
}

/// Pushes what describes a≼LU(`zone`) among the non-negative valuations: of each pair, one must hold, and where
/// there is no second constraint, the first.
///
/// With `m` the lesser of `U(x)` and `L(y) - c`, what is asked for `y - x ≺ c` is `y - x ≺ c` or `x > m`: below
/// `U(x)`, a `y` up to `L(y)` satisfies the former if `x > L(y) - c`, and for a greater `y` the former implies
/// that. So it says nothing where `m < 0`, and it is one constraint where `x` or `y` is zero. What these imply
/// is left out.
pub fn lu_constraints(
    zone: &[Bound],
    dim: usize,
    bounds: &LuBounds,
    out: &mut Vec<(Constraint, Option<Constraint>)>,
) {
    let bound = |y: usize, x: usize| zone[at(dim, y, x)];
    for x in 0..dim {
        let Some(upper) = bounds.upper(x) else { continue };
        for y in (0..dim).filter(|y| *y != x) {
            let own = Constraint::new(y, x, bound(y, x));
            let (Some(lower), Some(constant)) = (bounds.lower(y), own.bound.constant()) else { continue };
            let most = upper.min(lower - constant);
            if most < 0 || own.is_trivial() {
                continue;
            }
            let beyond = Constraint::new(0, x, Bound(-2 * most));
            match (x, y) {
                (0, _) => out.push((own, None)),
                (_, 0) if -constant <= upper => out.push((own, None)),
                (_, 0) => out.push((beyond, None)),
                _ => {
                    let below = bound(y, 0).constant().is_some_and(|constant| constant <= lower);
                    let implied = below && bound(y, 0).plus(bound(0, x)) <= own.bound;
                    if !implied && bound(0, x) > beyond.bound {
                        out.push((own, Some(beyond)));
                    }
                }
            }
        }
    }
}
