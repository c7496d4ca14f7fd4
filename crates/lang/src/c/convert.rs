//! Promotions and conversions: C11 6.3.1, all of it that is about integers.
//!
//! An operator first promotes its operands (what is narrower than `int` becomes `int`), then brings both to one type (the
//! usual arithmetic conversions), and computes in that. Every conversion is the number of the new type that is congruent
//! modulo 2^width, as gcc defines it where C leaves it open; one to `_Bool` asks whether the number is zero.

use ir::range::{Declared, Interval, Ranges};
use ir::{Term, Terms};

use super::DataModel;
use super::ast::{IntLiteral, IntWord};

impl DataModel {
    /// How many bits a value has; one to `_Bool`.
    pub(super) fn width(self, word: IntWord) -> u32 {
        match word {
            IntWord::Bool => 1,
            IntWord::Char | IntWord::SignedChar | IntWord::UnsignedChar => 8,
            IntWord::Short | IntWord::UnsignedShort => 16,
            IntWord::Int | IntWord::UnsignedInt => 32,
            IntWord::Long | IntWord::UnsignedLong => match self {
                DataModel::Ilp32 => 32,
                DataModel::Lp64 => 64,
            },
            IntWord::LongLong | IntWord::UnsignedLongLong => 64,
        }
    }
    pub(super) fn pointer_bytes(self) -> u64 {
        match self {
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 8,
        }
    }
    /// The type of `sizeof`.
    pub(super) fn size_type(self) -> IntWord {
        match self {
            DataModel::Ilp32 => IntWord::UnsignedInt,
            DataModel::Lp64 => IntWord::UnsignedLong,
        }
    }
    /// The type of differences of pointers.
    pub(super) fn difference_type(self) -> IntWord {
        match self {
            DataModel::Ilp32 => IntWord::Int,
            DataModel::Lp64 => IntWord::Long,
        }
    }
    /// The values of a type.
    pub(super) fn range(self, word: IntWord) -> Interval {
        Interval::of_width(self.width(word), word.signed())
    }
    /// The type of a number as written: the first of those that its spelling allows that holds it.
    pub(super) fn literal(self, literal: IntLiteral) -> Option<IntWord> {
        let signed = [IntWord::Int, IntWord::Long, IntWord::LongLong];
        let unsigned = [IntWord::UnsignedInt, IntWord::UnsignedLong, IntWord::UnsignedLongLong];
        let value = i128::try_from(literal.value).ok()?;
        let from = usize::from(literal.longs.min(2));
        for size in from..3 {
            if !literal.unsigned && self.range(signed[size]).high >= value {
                return Some(signed[size]);
            }
            if (literal.unsigned || !literal.decimal) && self.range(unsigned[size]).high >= value {
                return Some(unsigned[size]);
            }
        }
        // A decimal number too large for `long long`: gcc makes it unsigned.
        (self.range(IntWord::UnsignedLongLong).high >= value).then_some(IntWord::UnsignedLongLong)
    }
    /// The type that two operands are brought to.
    pub(super) fn usual(self, a: IntWord, b: IntWord) -> IntWord {
        let (a, b) = (a.promoted(), b.promoted());
        if a.signed() == b.signed() {
            return if a.rank() >= b.rank() { a } else { b };
        }
        let (signed, unsigned) = if a.signed() { (a, b) } else { (b, a) };
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if self.width(signed) > self.width(unsigned) {
            signed
        } else {
            signed.unsigned()
        }
    }
    /// A constant, converted.
    pub(super) fn converted(self, value: i128, to: IntWord) -> i128 {
        if to == IntWord::Bool {
            return i128::from(value != 0);
        }
        let width = self.width(to);
        let rest = value.rem_euclid(1 << width);
        if to.signed() && rest >= 1 << (width - 1) { rest - (1 << width) } else { rest }
    }
    /// A term, converted; as it is where intervals show that it fits.
    pub(super) fn convert(
        self,
        terms: &mut Terms,
        context: &Ranges,
        declared: &Declared,
        term: Term,
        to: IntWord,
    ) -> Term {
        if to == IntWord::Bool {
            let zero = terms.int(0);
            let is_zero = terms.eq(term, zero);
            let one = terms.int(1);
            return terms.ite(is_zero, zero, one);
        }
        context.wrap(terms, declared, term, self.width(to), to.signed())
    }
}

impl IntWord {
    /// Whether there are negative values; plain `char` has them.
    pub(super) fn signed(self) -> bool {
        matches!(
            self,
            IntWord::Char
                | IntWord::SignedChar
                | IntWord::Short
                | IntWord::Int
                | IntWord::Long
                | IntWord::LongLong
        )
    }
    fn rank(self) -> u8 {
        match self {
            IntWord::Bool => 0,
            IntWord::Char | IntWord::SignedChar | IntWord::UnsignedChar => 1,
            IntWord::Short | IntWord::UnsignedShort => 2,
            IntWord::Int | IntWord::UnsignedInt => 3,
            IntWord::Long | IntWord::UnsignedLong => 4,
            IntWord::LongLong | IntWord::UnsignedLongLong => 5,
        }
    }
    /// The type after promotion: `int` holds every value of a narrower type.
    pub(super) fn promoted(self) -> IntWord {
        if self.rank() < IntWord::Int.rank() { IntWord::Int } else { self }
    }
    fn unsigned(self) -> IntWord {
        match self {
            IntWord::Int => IntWord::UnsignedInt,
            IntWord::Long => IntWord::UnsignedLong,
            IntWord::LongLong => IntWord::UnsignedLongLong,
            other => other,
        }
    }
}
