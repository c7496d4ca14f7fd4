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
use crate::covers::letters::admits;
use crate::tableau::{Edge, Set, StateId, Tableau, TooLarge};

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

/// The most pairs of what is left to satisfy and where an automaton can be that have to be looked at.
const MOST_PAIRS: usize = 10_000;
/// The most partial letters that are looked at for such a pair.
const MOST_LETTERS: usize = 1 << 16;

/// Whether an automaton can be in a sink after every good prefix of the formula that has a letter.
///
/// Prefixes are told apart by what the rest of a word must satisfy so that the whole does not satisfy the formula, and by
/// the states that the automaton can be in: after finitely many letters there are no new such pairs. Letters are told
/// apart by what they do to a pair: a *partial* one leaves atoms open, and is split by an atom on which it depends
/// what comes after.
///
/// # Errors
/// If there are too many of them, or on request.
pub fn shows_good_prefixes(
    formula: &Formula,
    automaton: &Automaton,
    stop: &AtomicBool,
) -> Result<bool, Hindrance> {
    let mut tableau = Tableau::new(&formula.negated())?;
    let mut leaving = vec![vec![]; automaton.sinks.len()];
    for transition in &automaton.transitions {
        leaving[transition.source as usize].push(transition);
    }
    let start = tableau.start();
    let first = Pair { rest: vec![tableau.state(start)?], states: vec![automaton.initial] };
    let mut pairs: IndexSet<Pair, FxBuildHasher> = IndexSet::default();
    if !automaton.sinks[automaton.initial as usize] {
        follow(&mut tableau, automaton, &leaving, &first, &mut pairs, stop)?;
    }
    let mut number = 0;
    while let Some(pair) = pairs.get_index(number).cloned() {
        number += 1;
        follow(&mut tableau, automaton, &leaving, &pair, &mut pairs, stop)?;
        if pairs.len() > MOST_PAIRS {
            return Err(Hindrance::TooLarge);
        }
    }
    let left: Vec<StateId> = pairs.iter().flat_map(|pair| pair.rest.iter().copied()).collect();
    let live = tableau.live(&left)?;
    Ok(pairs.iter().all(|pair| pair.rest.iter().any(|state| live[state.index()])))
}

/// What is known after a prefix.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Pair {
    /// The states of the tableau of the negated formula, one of which the rest of the word has to satisfy, in order.
    rest: Vec<StateId>,
    /// The states that the automaton can be in, in order.
    states: Vec<u32>,
}

/// Adds the pairs after one more letter, but for those where the automaton can be in a sink, and those where any rest of a
/// word does not satisfy the formula: so it is then for ever.
fn follow(
    tableau: &mut Tableau,
    automaton: &Automaton,
    leaving: &[Vec<&Transition>],
    pair: &Pair,
    pairs: &mut IndexSet<Pair, FxBuildHasher>,
    stop: &AtomicBool,
) -> Result<(), Hindrance> {
    let mut edges: Vec<Edge> = vec![];
    for state in &pair.rest {
        edges.extend_from_slice(tableau.edges(*state)?);
    }
    let transitions: Vec<&Transition> =
        pair.states.iter().flat_map(|state| leaving[*state as usize].iter().copied()).collect();
    let mut open: Vec<Vec<(u32, bool)>> = vec![vec![]];
    let mut seen = 0;
    while let Some(letter) = open.pop() {
        seen += 1;
        if seen > MOST_LETTERS {
            return Err(Hindrance::TooLarge);
        }
        if stop.load(Ordering::Relaxed) {
            return Err(Hindrance::Interrupted);
        }
        let enabled = transitions.iter().filter(|it| admits(&it.guard.cubes, &letter) == Ok(true));
        let mut states: Vec<u32> = enabled.map(|it| it.target).collect();
        if states.iter().any(|state| automaton.sinks[*state as usize]) {
            continue;
        }
        let mut rest: Vec<StateId> = vec![];
        let mut undecided: Vec<(u32, StateId)> = vec![];
        for edge in &edges {
            match admits(std::slice::from_ref(&edge.cube), &letter) {
                Ok(true) => rest.push(edge.target),
                Ok(false) => {}
                Err(atom) => undecided.push((atom, edge.target)),
            }
        }
        if rest.iter().any(|state| tableau.obligations(*state).is_empty()) {
            continue;
        }
        // What asks for more than something that is there anyway does not matter.
        let asks_more = |state: StateId, than: StateId| {
            let (more, less) = (tableau.obligations(state), tableau.obligations(than));
            less.iter().all(|sub| more.binary_search(sub).is_ok())
        };
        let matters = |(_, target): &&(u32, StateId)| !rest.iter().any(|known| asks_more(*target, *known));
        let by_rest = undecided.iter().find(matters).map(|(atom, _)| *atom);
        let split = by_rest.or_else(|| {
            let open = transitions.iter().filter(|it| !states.contains(&it.target));
            open.filter_map(|it| admits(&it.guard.cubes, &letter).err()).next()
        });
        if let Some(atom) = split {
            open.extend([true, false].map(|value| [&letter[..], &[(atom, value)]].concat()));
            continue;
        }
        rest.sort_unstable();
        rest.dedup();
        let least = |state: &StateId| !rest.iter().any(|other| other != state && asks_more(*state, *other));
        let rest = rest.iter().copied().filter(least).collect();
        states.sort_unstable();
        states.dedup();
        pairs.insert(Pair { rest, states });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
