//! What the languages of the Theta tools have in common: tokens, types and expressions of CFA and STS.
//!
//! Integers are exact, rationals too, and `/`, `mod` and `rem` are Euclidean. A bit-vector of n bits is an integer from
//! 0 to 2^n - 1, and what its operators mean is said once, in [`bits`]. The two languages differ in a few words; a
//! [`Dialect`] says which is read.

pub(crate) mod ast;
mod bits;
mod expr;
mod parser;
mod token;

pub(crate) use expr::{Binding, Elaborator, Scope, Ty};
pub(crate) use parser::{Failed, Parse, Parser};
pub(crate) use token::Token;

/// Which of the languages is read.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Dialect {
    /// Control-flow automata.
    Cfa,
    /// Symbolic transition systems, where `x'` is the next value of `x`.
    Sts,
    /// An expression in a question about one of them, where other languages' spellings are understood as well.
    Question,
}
