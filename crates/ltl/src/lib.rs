//! Linear temporal logic: formulas from text, and the automata that accept the words that satisfy them.
//!
//! A formula ([`ir::ltl::Formula`]) is read by [`parse`] with propositions in any language, and translated by
//! [`tableau`] into a generalised Büchi automaton, which [`reduce`] makes smaller. Nothing but the graph of the automaton
//! is changed there: formulas are not rewritten, so that a plain tableau can still be matched with the result, step by
//! step, by whoever does not trust it.
//!
//! ```
//! use thetis_ltl::parse::{Names, parse};
//!
//! let mut names = Names::default();
//! let formula = parse("G (request -> F answer)", &mut names).unwrap().formula;
//! let never = thetis_ltl::translate(&formula.negated()).unwrap();
//! assert_eq!(never.len(), 2);
//! let word = thetis_ltl::word::example(&never).unwrap();
//! assert!(!formula.holds_on(&word));
//! ```

pub mod parse;
pub mod patterns;
pub mod guard;
pub mod automaton;
pub mod tableau;
pub mod scc;
pub mod reduce;
pub mod degeneralise;
pub mod product;
pub mod word;
pub mod classify;
pub mod hoa;
pub mod dot;

pub use automaton::{Automaton, Edge, Marks, State};
pub use guard::{Cube, Guard, Guards};
pub use tableau::{Limits, TooLarge};

/// The reduced automaton that accepts exactly the words that satisfy the formula.
///
/// # Errors
/// If the automaton is too large before reduction, by the usual limits.
pub fn translate(formula: &ir::ltl::Formula) -> Result<Automaton, TooLarge> {
    Ok(reduce::reduce(tableau::tableau(formula, Limits::default())?))
}
