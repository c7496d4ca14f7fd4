//! Exact numbers: integers that never wrap and rationals.
//!
//! An [`Int`] is a machine word until an operation leaves 64 bits; then it widens. The representation
//! is canonical (wide only when it must be), so equality and hashing are structural.
//! Division is Euclidean: `a = b * (a / b) + a % b` with `0 <= a % b < |b|`.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};
use std::str::FromStr;

use dashu_int::IBig;
use dashu_int::ops::{DivEuclid, RemEuclid};
use dashu_ratio::RBig;

/// An integer of any size.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Int(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    /// Never holds a value that fits `Small`.
    Wide(Box<IBig>),
}

impl Int {
    /// Zero.
    pub const ZERO: Int = Int(Repr::Small(0));
    /// One.
    pub const ONE: Int = Int(Repr::Small(1));

    /// The value as a machine word, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(value) => Some(value),
            Repr::Wide(_) => None,
        }
    }
    /// The value as two machine words, if it fits.
    pub fn to_i128(&self) -> Option<i128> {
        match &self.0 {
            Repr::Small(value) => Some(i128::from(*value)),
            Repr::Wide(value) => i128::try_from(&**value).ok(),
        }
    }
    /// The integer that two machine words hold.
    pub fn from_i128(value: i128) -> Int {
        match i64::try_from(value) {
            Ok(small) => Int(Repr::Small(small)),
            Err(_) => Int(Repr::Wide(Box::new(IBig::from(value)))),
        }
    }
    /// Two to the power of `exponent`.
    pub fn power_of_two(exponent: u32) -> Int {
        if exponent < 63 { Int::from(1i64 << exponent) } else { Int::from(IBig::ONE << exponent as usize) }
    }
    /// The exponent, if this is a power of two.
    pub fn log2(&self) -> Option<u32> {
        if *self <= Int::ZERO {
            return None;
        }
        let exponent = u32::try_from(self.bits() - 1).ok()?;
        (*self == Int::power_of_two(exponent)).then_some(exponent)
    }
    /// The bits that both have, in two's complement with infinitely many bits.
    pub fn bit_and(&self, other: &Int) -> Int {
        self.combine(other, |a, b| Some(a & b), |a, b| a & b)
    }
    /// The bits that one of both has.
    pub fn bit_or(&self, other: &Int) -> Int {
        self.combine(other, |a, b| Some(a | b), |a, b| a | b)
    }
    /// The bits in which both differ.
    pub fn bit_xor(&self, other: &Int) -> Int {
        self.combine(other, |a, b| Some(a ^ b), |a, b| a ^ b)
    }
    /// Whether this is zero.
    pub fn is_zero(&self) -> bool {
        self.0 == Repr::Small(0)
    }
    /// Whether this is below zero.
    pub fn is_negative(&self) -> bool {
        *self < Int::ZERO
    }
    /// The Euclidean quotient; `None` when dividing by zero.
    pub fn div(&self, by: &Int) -> Option<Int> {
        if by.is_zero() {
            return None;
        }
        Some(self.combine(by, i64::checked_div_euclid, |a, b| a.div_euclid(b)))
    }
    /// How many bits the number has, apart from its sign.
    pub fn bits(&self) -> u64 {
        use dashu_int::ops::BitTest;
        match self.to_i64() {
            Some(small) => u64::from(u64::BITS - small.unsigned_abs().leading_zeros()),
            None => self.to_wide().bit_len() as u64,
        }
    }
    /// The Euclidean remainder, never negative; `None` when dividing by zero.
    pub fn modulo(&self, by: &Int) -> Option<Int> {
        if by.is_zero() {
            return None;
        }
        Some(self.combine(by, i64::checked_rem_euclid, |a, b| IBig::from(a.rem_euclid(b))))
    }
    /// `self % by` for positive `by`, its negation for negative `by`; `None` when dividing by zero.
    pub fn rem(&self, by: &Int) -> Option<Int> {
        let modulo = self.modulo(by)?;
        Some(if by.is_negative() { -&modulo } else { modulo })
    }

    fn combine(
        &self,
        other: &Int,
        narrow: fn(i64, i64) -> Option<i64>,
        wide: impl FnOnce(IBig, IBig) -> IBig,
    ) -> Int {
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0)
            && let Some(result) = narrow(*a, *b)
        {
            return Int(Repr::Small(result));
        }
        Int::from(wide(self.to_wide(), other.to_wide()))
    }
    fn to_wide(&self) -> IBig {
        match &self.0 {
            Repr::Small(value) => IBig::from(*value),
            Repr::Wide(value) => (**value).clone(),
        }
    }
}

impl From<i64> for Int {
    fn from(value: i64) -> Self {
        Int(Repr::Small(value))
    }
}

impl From<IBig> for Int {
    fn from(value: IBig) -> Self {
        match i64::try_from(&value) {
            Ok(small) => Int(Repr::Small(small)),
            Err(_) => Int(Repr::Wide(Box::new(value))),
        }
    }
}

impl Add for &Int {
    type Output = Int;
    fn add(self, other: &Int) -> Int {
        self.combine(other, i64::checked_add, |a, b| a + b)
    }
}

impl Sub for &Int {
    type Output = Int;
    fn sub(self, other: &Int) -> Int {
        self.combine(other, i64::checked_sub, |a, b| a - b)
    }
}

impl Mul for &Int {
    type Output = Int;
    fn mul(self, other: &Int) -> Int {
        self.combine(other, i64::checked_mul, |a, b| a * b)
    }
}

impl Neg for &Int {
    type Output = Int;
    fn neg(self) -> Int {
        &Int::ZERO - self
    }
}

impl Ord for Int {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
            _ => self.to_wide().cmp(&other.to_wide()),
        }
    }
}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl FromStr for Int {
    type Err = NumberError;
    fn from_str(text: &str) -> Result<Self, NumberError> {
        if let Ok(small) = text.parse::<i64>() {
            return Ok(Int::from(small));
        }
        IBig::from_str_radix(text, 10).map(Int::from).map_err(|_| NumberError)
    }
}

/// The text is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberError;

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a number")
    }
}

impl std::error::Error for NumberError {}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(value) => write!(f, "{value}"),
            Repr::Wide(value) => write!(f, "{value}"),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A rational number in lowest terms.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rat(RBig);

impl Rat {
    /// Zero.
    pub const ZERO: Rat = Rat(RBig::ZERO);

    /// `numerator / denominator`; `None` when the denominator is zero.
    pub fn new(numerator: &Int, denominator: &Int) -> Option<Rat> {
        if denominator.is_zero() {
            return None;
        }
        Some(Rat(RBig::from(numerator.to_wide()) / RBig::from(denominator.to_wide())))
    }
    /// The numerator, carrying the sign.
    pub fn numerator(&self) -> Int {
        Int::from(self.0.numerator().clone())
    }
    /// The denominator, positive.
    pub fn denominator(&self) -> Int {
        Int::from(IBig::from(self.0.denominator().clone()))
    }
    /// Whether this is below zero.
    pub fn is_negative(&self) -> bool {
        *self < Rat::ZERO
    }
    /// Whether this is zero.
    pub fn is_zero(&self) -> bool {
        *self == Rat::ZERO
    }
    /// The quotient; `None` when dividing by zero.
    pub fn div(&self, by: &Rat) -> Option<Rat> {
        if by.is_zero() { None } else { Some(Rat(&self.0 / &by.0)) }
    }
    /// The greatest integer that is not greater.
    pub fn floor(&self) -> Int {
        Int::from(self.0.floor())
    }
    /// The least integer that is not less.
    pub fn ceil(&self) -> Int {
        Int::from(self.0.ceil())
    }
    /// The nearest decimal with six digits after the point, for people.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64().value()
    }
}

impl From<&Int> for Rat {
    fn from(value: &Int) -> Self {
        Rat(RBig::from(value.to_wide()))
    }
}

impl From<i64> for Rat {
    fn from(value: i64) -> Self {
        Rat(RBig::from(IBig::from(value)))
    }
}

impl Add for &Rat {
    type Output = Rat;
    fn add(self, other: &Rat) -> Rat {
        Rat(&self.0 + &other.0)
    }
}

impl Sub for &Rat {
    type Output = Rat;
    fn sub(self, other: &Rat) -> Rat {
        Rat(&self.0 - &other.0)
    }
}

impl Mul for &Rat {
    type Output = Rat;
    fn mul(self, other: &Rat) -> Rat {
        Rat(&self.0 * &other.0)
    }
}

/// Reads `7`, `-3/4`, `3%4` and decimals such as `0.25`.
impl FromStr for Rat {
    type Err = NumberError;
    fn from_str(text: &str) -> Result<Self, NumberError> {
        if let Some((numerator, denominator)) = text.split_once(['/', '%']) {
            return Rat::new(&numerator.trim().parse()?, &denominator.trim().parse()?).ok_or(NumberError);
        }
        let Some((whole, fraction)) = text.split_once('.') else {
            return Ok(Rat::from(&text.parse::<Int>()?));
        };
        if !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(NumberError);
        }
        let scale = "1".to_owned() + &"0".repeat(fraction.len());
        Rat::new(&format!("{whole}{fraction}").parse()?, &scale.parse()?).ok_or(NumberError)
    }
}

/// `7` for whole numbers, `3/4` otherwise.
impl fmt::Display for Rat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let denominator = self.denominator();
        if denominator == Int::ONE {
            write!(f, "{}", self.numerator())
        } else {
            write!(f, "{}/{}", self.numerator(), denominator)
        }
    }
}

impl fmt::Debug for Rat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: i64, b: i64, div: i64, modulo: i64, rem: i64) {
        let (a, b) = (Int::from(a), Int::from(b));
        assert_eq!(a.div(&b), Some(Int::from(div)), "{a} / {b}");
        assert_eq!(a.modulo(&b), Some(Int::from(modulo)), "{a} % {b}");
        assert_eq!(a.rem(&b), Some(Int::from(rem)), "{a} rem {b}");
    }

    #[test]
    fn division_is_euclidean() {
        check(5, 3, 1, 2, 2);
        check(-5, 3, -2, 1, 1);
        check(5, -3, -1, 2, -2);
        check(-5, -3, 2, 1, -1);
        check(6, 3, 2, 0, 0);
        assert_eq!(Int::ONE.div(&Int::ZERO), None);
    }

    #[test]
    fn integers_widen_and_come_back() {
        let max = Int::from(i64::MAX);
        let wide = &max + &Int::ONE;
        assert_eq!(wide.to_string(), "9223372036854775808");
        assert_eq!(wide.to_i64(), None);
        assert_eq!(&wide - &Int::ONE, max);
        assert_eq!(wide, "9223372036854775808".parse().unwrap());
        assert!(wide > max);
        // The one division that leaves the machine word.
        assert_eq!(Int::from(i64::MIN).div(&Int::from(-1)), Some(wide.clone()));
        assert_eq!(wide.modulo(&Int::from(10)), Some(Int::from(8)));
    }

    #[test]
    fn rationals_read_what_they_print() {
        for (text, printed) in [("6/4", "3/2"), ("-0.25", "-1/4"), ("3%4", "3/4"), ("7", "7"), ("10.0", "10")]
        {
            let value: Rat = text.parse().unwrap();
            assert_eq!(value.to_string(), printed);
            assert_eq!(printed.parse(), Ok(value));
        }
        for bad in ["", "1/0", "1.x", "a", "1.-5"] {
            assert_eq!(bad.parse::<Rat>(), Err(NumberError), "{bad}");
        }
    }
}
