//! Good prefixes: beginnings of words that make sure that a formula holds.
//!
//! A finite word is a *good prefix* of a formula if every infinite word that begins with it satisfies the formula (a *bad*
//! one of its negation; Kupferman and Vardi 2001). The [tableau](crate::tableau) of the negated formula says, letter by
//! letter, what the rest of a word has to satisfy so that the whole does not satisfy the formula. The prefix is good if no
//! rest does.

use std::sync::atomic::{AtomicBool, Ordering};

use indexmap::IndexSet;
use ir::Id;
use ir::automaton::{Automaton, Transition};
use ir::ltl::Formula;
use rustc_hash::FxBuildHasher;

use crate::covers::Hindrance;
use crate::tableau::{Set, StateId, Tableau, TooLarge};

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

/// The most pairs of what is left to satisfy and where an automaton can be.
const MOST_PAIRS: usize = 10_000;
/// The most atoms: all letters over them are read.
const MOST_ATOMS: u32 = 12;

/// Whether an automaton can be in a sink after every good prefix of the formula.
///
/// Prefixes are told apart by what the rest of a word must satisfy so that the whole does not satisfy the formula, and by
/// the states that the automaton can be in: after finitely many letters there are no new such pairs.
///
/// # Errors
/// If there are too many of them, or on request.
pub fn shows_good_prefixes(
    formula: &Formula,
    automaton: &Automaton,
    stop: &AtomicBool,
) -> Result<bool, Hindrance> {
    let atoms = formula.atoms();
    if atoms > MOST_ATOMS {
        return Err(Hindrance::TooLarge);
    }
    let mut tableau = Tableau::new(&formula.negated())?;
    let first = (vec![tableau.start()], vec![automaton.initial]);
    let mut pairs: IndexSet<(Vec<Set>, Vec<u32>), FxBuildHasher> = IndexSet::from_iter([first]);
    let mut number = 0;
    while let Some((rest, states)) = pairs.get_index(number).cloned() {
        number += 1;
        // Whatever comes now is shown, or whatever comes can satisfy what is left.
        let shown = states.iter().any(|state| automaton.sinks[*state as usize]);
        if shown || rest.iter().any(|set| set.is_empty()) {
            continue;
        }
        if pairs.len() > MOST_PAIRS {
            return Err(Hindrance::TooLarge);
        }
        if stop.load(Ordering::Relaxed) {
            return Err(Hindrance::Interrupted);
        }
        for letter in 0..1_u32 << atoms {
            let read = |atom: u32| letter >> atom & 1 == 1;
            let after = tableau.after(&rest, read)?;
            pairs.insert((after, moved(automaton, &states, read)));
        }
    }
    let mut unshown = vec![];
    for (rest, states) in &pairs {
        if !states.iter().any(|state| automaton.sinks[*state as usize]) {
            let left: Result<Vec<StateId>, TooLarge> =
                rest.iter().map(|set| tableau.state(set.clone())).collect();
            unshown.push(left?);
        }
    }
    let live = tableau.live(&unshown.concat())?;
    Ok(unshown.iter().all(|left| left.iter().any(|state| live[state.index()])))
}

/// The states that an automaton can be in after one more letter, in order.
fn moved(automaton: &Automaton, states: &[u32], read: impl Fn(u32) -> bool) -> Vec<u32> {
    let fits =
        |transition: &&Transition| states.contains(&transition.source) && transition.guard.admits(&read);
    let mut after: Vec<u32> =
        automaton.transitions.iter().filter(fits).map(|transition| transition.target).collect();
    after.sort_unstable();
    after.dedup();
    after
}

#[cfg(test)]
mod tests;
