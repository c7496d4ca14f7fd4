//! Bounds `≺ c` with `≺` one of `<` and `<=`, and constraints `x_i - x_j ≺ c`.
//!
//! A bound is one integer, `2c` for `< c` and `2c + 1` for `<= c`, so that the order of integers is the
//! order of bounds: a smaller bound admits fewer values. Infinity is the greatest integer.
//!
//! Constants lie strictly between -2²⁸ and 2²⁸. The constructors check this, and every operation on
//! matrices that adds bounds checks its results and returns [`Overflow`]; nothing saturates. A sum of
//! three bounds in range does not wrap around, so checking results is enough.

use std::fmt;

/// An upper bound on a difference of clocks, or no bound.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Bound(pub(crate) i32);

/// A constant outside the range of [`Bound`] was given or would arise.
///
/// The matrix that was being changed holds no meaningful zone any more.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Overflow;

/// The constraint `x_left - x_right ≺ c`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Constraint {
    /// The clock that counts positively; 0 for none.
    pub left: u32,
    /// The clock that counts negatively; 0 for none.
    pub right: u32,
    /// The bound on the difference.
    pub bound: Bound,
}

impl Bound {
    /// No bound.
    pub const INFINITY: Bound = Bound(i32::MAX);
    /// `<= 0`, the neutral element of addition.
    pub const LE_ZERO: Bound = Bound(1);
    /// `< 0`, the greatest bound that no cycle may have.
    pub const LT_ZERO: Bound = Bound(0);
    /// The greatest constant; its negation is the least one.
    pub const MAX_CONSTANT: i32 = (1 << 28) - 1;

    /// `<= constant`.
    pub const fn le(constant: i64) -> Result<Bound, Overflow> {
        Bound::new(constant, false)
    }
    /// `< constant`.
    pub const fn lt(constant: i64) -> Result<Bound, Overflow> {
        Bound::new(constant, true)
    }
    /// `< constant` if strict, `<= constant` otherwise.
    pub const fn new(constant: i64, strict: bool) -> Result<Bound, Overflow> {
        if constant.unsigned_abs() > Bound::MAX_CONSTANT as u64 {
            return Err(Overflow);
        }
        Ok(Bound((constant as i32) << 1 | !strict as i32))
    }
    /// The constant, unless infinite.
    pub const fn constant(self) -> Option<i32> {
        if self.is_infinite() { None } else { Some(self.0 >> 1) }
    }
    /// The integer that stands for this bound: `2c`, `2c + 1`, or for infinity the greatest one.
    #[inline]
    pub const fn code(self) -> i32 {
        self.0
    }
    /// The bound with this code, infinity if that is out of range above; below, the least bound.
    #[inline]
    pub const fn from_code(code: i32) -> Bound {
        let (least, most) = (-2 * Bound::MAX_CONSTANT, 2 * Bound::MAX_CONSTANT + 1);
        if code > most {
            Bound::INFINITY
        } else if code < least {
            Bound(least)
        } else {
            Bound(code)
        }
    }
    /// Whether there is no bound.
    pub const fn is_infinite(self) -> bool {
        self.0 == i32::MAX
    }
    /// Whether the constant itself is excluded; false for infinity.
    pub const fn is_strict(self) -> bool {
        self.0 & 1 == 0
    }
    /// The bound of a sum, whose terms have these bounds.
    ///
    /// Terms in range give the exact sum, which may itself be out of range (see [`Bound::checked`]).
    #[inline]
    pub const fn plus(self, other: Bound) -> Bound {
        let sum = self.0.wrapping_add(other.0).wrapping_sub((self.0 | other.0) & 1);
        if self.is_infinite() | other.is_infinite() { Bound::INFINITY } else { Bound(sum) }
    }
    /// This bound, if its constant is in range.
    #[inline]
    pub const fn checked(self) -> Result<Bound, Overflow> {
        // See `kernel::out_of_range` for the arithmetic.
        if self.0.wrapping_add(1 << 29) & 1 << 30 == 0 { Ok(self) } else { Err(Overflow) }
    }
    /// The bound `b` such that `d ≺ c` fails exactly if `-d` satisfies `b`. Not for infinity.
    pub const fn negated(self) -> Bound {
        debug_assert!(!self.is_infinite());
        Bound(1 - self.0)
    }
    /// Whether `numerator / denominator` satisfies this bound.
    pub fn admits(self, numerator: i64, denominator: i64) -> bool {
        let Some(constant) = self.constant() else { return true };
        let limit = i128::from(constant) * i128::from(denominator);
        if self.is_strict() { i128::from(numerator) < limit } else { i128::from(numerator) <= limit }
    }
}

impl Constraint {
    /// `x_left - x_right ≺ c`.
    pub const fn new(left: usize, right: usize, bound: Bound) -> Constraint {
        Constraint { left: left as u32, right: right as u32, bound }
    }
    /// `x <= value`.
    pub const fn at_most(clock: usize, value: i64) -> Result<Constraint, Overflow> {
        Constraint::upper(clock, value, false)
    }
    /// `x >= value`.
    pub const fn at_least(clock: usize, value: i64) -> Result<Constraint, Overflow> {
        Constraint::lower(clock, value, false)
    }
    /// `x < value` or `x <= value`.
    pub const fn upper(clock: usize, value: i64, strict: bool) -> Result<Constraint, Overflow> {
        match Bound::new(value, strict) {
            Ok(bound) => Ok(Constraint::new(clock, 0, bound)),
            Err(overflow) => Err(overflow),
        }
    }
    /// `x > value` or `x >= value`.
    pub const fn lower(clock: usize, value: i64, strict: bool) -> Result<Constraint, Overflow> {
        match Bound::new(value.saturating_neg(), strict) {
            Ok(bound) => Ok(Constraint::new(0, clock, bound)),
            Err(overflow) => Err(overflow),
        }
    }
    /// The half-space of all valuations that violate this constraint. Not for infinite bounds.
    pub const fn negated(self) -> Constraint {
        Constraint { left: self.right, right: self.left, bound: self.bound.negated() }
    }
    /// The row and column this constraint bounds.
    pub(crate) const fn cell(self) -> (usize, usize) {
        (self.left as usize, self.right as usize)
    }
    /// Whether every non-negative valuation satisfies it.
    pub fn is_trivial(self) -> bool {
        self.bound.is_infinite() || self.left == 0 && self.bound >= Bound::LE_ZERO
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.constant() {
            None => write!(f, "< inf"),
            Some(constant) => write!(f, "{} {constant}", if self.is_strict() { "<" } else { "<=" }),
        }
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a clock bound left the range of ±{}", Bound::MAX_CONSTANT)
    }
}

impl std::error::Error for Overflow {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_strict_if_a_term_is() {
        let (le, lt) = (|c| Bound::le(c).unwrap(), |c| Bound::lt(c).unwrap());
        assert_eq!(le(3).plus(le(-5)), le(-2));
        assert_eq!(le(3).plus(lt(-5)), lt(-2));
        assert_eq!(lt(3).plus(lt(5)), lt(8));
        assert_eq!(lt(-3).plus(Bound::INFINITY), Bound::INFINITY);
        assert_eq!(le(7).plus(Bound::LE_ZERO), le(7));
        assert!(lt(3) < le(3) && le(3) < lt(4) && le(1 << 27) < Bound::INFINITY);
    }
    #[test]
    fn the_negation_excludes_exactly_the_bound() {
        let le = Bound::le(3).unwrap();
        assert_eq!(le.negated(), Bound::lt(-3).unwrap());
        assert_eq!(le.negated().negated(), le);
    }
    #[test]
    fn constants_out_of_range_are_refused() {
        let most = i64::from(Bound::MAX_CONSTANT);
        for constant in [most, -most] {
            let (le, lt) = (Bound::le(constant).unwrap(), Bound::lt(constant).unwrap());
            assert_eq!((le.checked(), lt.checked()), (Ok(le), Ok(lt)));
            assert_eq!(le.plus(Bound::le(constant).unwrap()).checked(), Err(Overflow));
            assert_eq!(Bound::le(constant + constant.signum()), Err(Overflow));
        }
        assert_eq!(Bound::INFINITY.checked(), Ok(Bound::INFINITY));
        assert_eq!(Bound::le(i64::MIN), Err(Overflow));
    }
}
