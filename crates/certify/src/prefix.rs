//! Good prefixes: beginnings of words that make sure that a formula holds.
//!
//! A finite word is a *good prefix* of a formula if every infinite word that begins with it satisfies the formula (a *bad*
//! one of its negation; Kupferman and Vardi 2001). The [tableau](crate::tableau) of the negated formula says, letter by
//! letter, what the rest of a word has to satisfy so that the whole does not satisfy the formula. The prefix is good if no
//! rest does.

use ir::ltl::Formula;

use crate::tableau::{Set, Tableau, TooLarge};

/// Whether every infinite word that begins with so many letters satisfies the formula; `read` tells whether an atom holds
/// at a position.
///
/// # Errors
/// If the tableau of the negated formula is too large.
pub fn is_good_prefix(
    formula: &Formula,
    letters: usize,
    read: impl Fn(usize, u32) -> bool,
) -> Result<bool, TooLarge> {
    let mut tableau = Tableau::new(&formula.negated())?;
    let mut rest: Vec<Set> = vec![tableau.start()];
    for position in 0..letters {
        rest = tableau.after(&rest, |atom| read(position, atom))?;
    }
    let mut states = vec![];
    for set in rest {
        states.push(tableau.state(set)?);
    }
    let live = tableau.live(&states)?;
    Ok(!live.contains(&true))
}

#[cfg(test)]
mod tests;
