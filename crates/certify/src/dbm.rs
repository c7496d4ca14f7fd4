//! Zones as difference bound matrices, small and plain.
//!
//! Bounds are codes of [`ir::Limit`]: `x - y < c` is the number `2c`, `x - y <= c` is `2c + 1`, so a
//! smaller number is a tighter bound, and [`NONE`] is no bound. Row and column 0 stand for the constant
//! zero. A matrix is *closed* if no bound follows from two others with a smaller number. One that is not
//! closed is still a zone; what is computed from it may be larger than what follows from the zone,
//! never smaller.
//!
//! Sums are kept within ±2^29: beyond, an upper bound is dropped and a lower one weakened. A zone may
//! so become larger, never smaller, and a check of a larger zone is stricter.

use ir::{ClockRange, Limit, Zone};

/// No bound; more than any sum of bounds.
pub const NONE: i32 = Limit::NONE.code();
/// `<= 0`.
pub const LE_ZERO: i32 = Limit::LE_ZERO.code();

/// All bounds lie between this and its negation, so three of them, [`NONE`] included, can be added.
const LIMIT: i32 = 2 * LARGEST as i32 + 1;
/// Constants beyond this are refused where they come in.
pub const LARGEST: i64 = Limit::LARGEST;

const _: () = assert!(NONE > 2 * LIMIT, "no sum of a bound and none is mistaken for a bound");

/// `< constant` or `<= constant`.
pub fn bound(constant: i64, strict: bool) -> i32 {
    debug_assert!(constant.abs() <= LARGEST, "constants are checked where they come in");
    2 * constant as i32 + i32::from(!strict)
}

/// The bound on `y - x` that says the opposite of one on `x - y`.
pub fn reversed(bound: i32) -> i32 {
    1 - bound
}

/// The bound of a sum: of both constants, and not strict only if neither is.
#[inline(always)]
fn add(a: i32, b: i32) -> i32 {
    let sum = a + b - ((a | b) & 1);
    if sum > LIMIT { NONE } else { sum.max(-LIMIT) }
}

/// A set of clock valuations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dbm {
    dim: usize,
    /// Row by row; the bound on the difference of the row's clock and the column's.
    cells: Vec<i32>,
    /// Memory for a row.
    row: Vec<i32>,
}

impl Dbm {
    /// All valuations of `dim - 1` clocks.
    pub fn all(dim: usize) -> Dbm {
        let mut zone = Dbm { dim, cells: vec![NONE; dim * dim], row: vec![] };
        for clock in 0..dim {
            zone.cells[clock] = LE_ZERO;
            zone.cells[clock * dim + clock] = LE_ZERO;
        }
        zone
    }
    /// Clocks plus one.
    pub fn dim(&self) -> usize {
        self.dim
    }
    /// The bound on a difference.
    pub fn limit(&self, plus: usize, minus: usize) -> i32 {
        self.cells[plus * self.dim + minus]
    }
    /// Becomes a copy of `other`.
    pub fn copy(&mut self, other: &Dbm) {
        self.dim = other.dim;
        self.cells.clone_from(&other.cells);
    }
    /// Becomes what `zone` lists, as it is; false if that is no zone of `dim - 1` clocks.
    pub fn read(&mut self, zone: &Zone, dim: usize) -> bool {
        if zone.dim != dim || zone.limits.len() != dim * dim {
            return false;
        }
        self.dim = dim;
        self.cells.clear();
        self.cells.extend(zone.limits.iter().map(|limit| limit.code()));
        true
    }
    /// Lists the bounds in `zone`.
    pub fn write(&self, zone: &mut Zone) {
        zone.dim = self.dim;
        zone.limits.clear();
        zone.limits.extend(self.cells.iter().map(|cell| Limit::from_code(*cell)));
    }
    /// Drops valuations with negative clocks; says whether that changed the matrix.
    pub fn drop_negative(&mut self) -> bool {
        let mut changed = false;
        for clock in 0..self.dim {
            for at in [clock, clock * self.dim + clock] {
                changed |= self.cells[at] > LE_ZERO;
                self.cells[at] = self.cells[at].min(LE_ZERO);
            }
        }
        changed
    }
    /// Closes the matrix; says whether that changed it, or `None` if no valuation is left.
    pub fn close(&mut self) -> Option<bool> {
        let dim = self.dim;
        let mut changed = false;
        for via in 0..dim {
            self.row.clear();
            self.row.extend_from_slice(&self.cells[via * dim..][..dim]);
            for from in self.cells.chunks_exact_mut(dim) {
                let first = from[via];
                if first == NONE {
                    continue;
                }
                for (cell, second) in from.iter_mut().zip(&self.row) {
                    let sum = add(first, *second);
                    changed |= sum < *cell;
                    *cell = sum.min(*cell);
                }
            }
        }
        (0..dim).all(|clock| self.cells[clock * dim + clock] >= LE_ZERO).then_some(changed)
    }
    /// Whether some valuation of a closed matrix has `plus - minus ≺ limit`.
    pub fn meets(&self, plus: usize, minus: usize, limit: i32) -> bool {
        add(limit, self.cells[minus * self.dim + plus]) >= LE_ZERO
    }
    /// Keeps the valuations with `plus - minus ≺ limit`; closed stays closed. False if none is left.
    pub fn constrain(&mut self, plus: usize, minus: usize, limit: i32) -> bool {
        let dim = self.dim;
        if !self.meets(plus, minus, limit) {
            return false;
        }
        if self.cells[plus * dim + minus] <= limit {
            return true;
        }
        // The row of `minus` does not change: a way from there back to it is not negative.
        self.row.clear();
        self.row.extend_from_slice(&self.cells[minus * dim..][..dim]);
        for from in self.cells.chunks_exact_mut(dim) {
            let first = add(from[plus], limit);
            if first == NONE {
                continue;
            }
            for (cell, second) in from.iter_mut().zip(&self.row) {
                *cell = (*cell).min(add(first, *second));
            }
        }
        true
    }
    /// Lets any time pass; closed stays closed.
    pub fn delay(&mut self) {
        for clock in 1..self.dim {
            self.cells[clock * self.dim] = NONE;
        }
    }
    /// Gives a clock a value; closed stays closed.
    pub fn reset(&mut self, clock: usize, value: i64) {
        let dim = self.dim;
        let (up, down) = (bound(value, false), bound(-value, false));
        for other in 0..dim {
            self.cells[clock * dim + other] = add(up, self.cells[other]);
            self.cells[other * dim + clock] = add(self.cells[other * dim], down);
        }
        self.cells[clock * dim + clock] = LE_ZERO;
    }
    /// Gives a clock the value of another; closed stays closed.
    pub fn copy_clock(&mut self, clock: usize, from: usize) {
        if clock == from {
            return;
        }
        let dim = self.dim;
        for other in 0..dim {
            self.cells[clock * dim + other] = self.cells[from * dim + other];
            self.cells[other * dim + clock] = self.cells[other * dim + from];
        }
        for (plus, minus) in [(clock, clock), (clock, from), (from, clock)] {
            self.cells[plus * dim + minus] = LE_ZERO;
        }
    }
    /// Becomes the valuations that giving a clock the value of another takes into the zone; closed stays closed.
    /// False if there are none.
    pub fn before_copy(&mut self, clock: usize, from: usize) -> bool {
        if clock == from {
            return true;
        }
        if !self.constrain(clock, from, LE_ZERO) || !self.constrain(from, clock, LE_ZERO) {
            return false;
        }
        self.free(clock);
        true
    }
    /// Lets any time have passed before; closed stays closed.
    pub fn before_delay(&mut self) {
        for clock in 1..self.dim {
            let least = (0..self.dim).skip(1).map(|other| self.cells[other * self.dim + clock]).min();
            self.cells[clock] = LE_ZERO.min(least.unwrap_or(LE_ZERO));
        }
    }
    /// Becomes the valuations that a reset of a clock to a value takes into the zone; closed stays closed.
    /// False if there are none.
    pub fn before_reset(&mut self, clock: usize, value: i64) -> bool {
        if !self.constrain(clock, 0, bound(value, false)) || !self.constrain(0, clock, bound(-value, false)) {
            return false;
        }
        self.free(clock);
        true
    }
    /// Gives a clock any value; closed stays closed.
    pub fn free(&mut self, clock: usize) {
        let dim = self.dim;
        for other in 0..dim {
            self.cells[clock * dim + other] = NONE;
            self.cells[other * dim + clock] = self.cells[other * dim];
        }
        self.cells[clock * dim + clock] = LE_ZERO;
    }
    /// Whether a clock may have any value, whatever the others are; of a closed zone.
    pub fn is_free(&self, clock: usize) -> bool {
        let any = |other: usize| {
            self.limit(clock, other) == NONE && self.limit(other, clock) == self.limit(other, 0)
        };
        (0..self.dim).all(|other| other == clock || any(other))
    }
    /// Keeps the valuations that are in `other` as well; false if there are none.
    pub fn intersect(&mut self, other: &Dbm) -> bool {
        let dim = self.dim;
        (0..dim * dim).all(|at| {
            let (plus, minus) = (at / dim, at % dim);
            plus == minus || self.constrain(plus, minus, other.cells[at])
        })
    }
    /// Pushes disjoint zones that together are this one without `other`; closed ones if both are closed.
    pub fn without(&self, other: &Dbm, out: &mut Vec<Dbm>) {
        let mut rest = self.clone();
        for plus in 0..self.dim {
            for minus in (0..self.dim).filter(|minus| *minus != plus) {
                let limit = other.cells[plus * self.dim + minus];
                if limit == NONE || !rest.meets(minus, plus, reversed(limit)) {
                    continue;
                }
                let mut outside = rest.clone();
                if outside.constrain(minus, plus, reversed(limit)) {
                    out.push(outside);
                }
                if !rest.constrain(plus, minus, limit) {
                    return;
                }
            }
        }
    }
    /// Whether every valuation lies in the zone that `other` lists, which need not be closed; exact if
    /// `self` is closed.
    pub fn is_within(&self, other: &Zone) -> bool {
        let fits = other.dim == self.dim && other.limits.len() == self.cells.len();
        // Without an early end, which compares many at once.
        let outside = |more, (small, big): (&i32, &Limit)| more | (*small > big.code());
        fits && !self.cells.iter().zip(&other.limits).fold(false, outside)
    }
    /// Whether every valuation is LU-simulated by one of `other`; both closed, exact.
    ///
    /// A valuation `v` is in a≼LU(Z') iff for all `x` and `y`, zero included, with the bound `c` of `Z'`
    /// on `y - x`: `v(x) <= U(x)` implies `v(y) - v(x) ≺ c` if `v(y) <= L(y)` and `L(y) - v(x) < c`
    /// else. So some valuation of the closed Z is not iff for some pair Z has one with `v(x) <= U(x)`,
    /// its bound on `y - x` is weaker than `c`, and `c - L(y)`, strictly, is tighter than its bound on
    /// `-x`. See Herbreteau, Srivathsan and Walukiewicz, *Better abstractions for timed automata*, 2012.
    pub fn is_simulated_within(&self, other: &Zone, constants: &[ClockRange]) -> bool {
        let dim = self.dim;
        if other.dim != dim || other.limits.len() != self.cells.len() {
            return false;
        }
        let constant = |clock: usize| if clock == 0 { (Some(0), Some(0)) } else { constants[clock - 1] };
        for x in 0..dim {
            let low = self.cells[x];
            let Some(upper) = constant(x).1 else { continue };
            if low < bound(-upper, false) {
                continue;
            }
            for y in 0..dim {
                let (mine, its) = (self.cells[y * dim + x], other.limits[y * dim + x].code());
                if its < mine
                    && let Some(lower) = constant(y).0
                    && add(its, bound(-lower, true)) < low
                {
                    return false;
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests;
