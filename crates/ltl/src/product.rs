//! Intersection of automata: both read the same word, and both accept it.
//!
//! States are pairs, an edge is one of each with a letter in common, and the acceptance sets are those of the first
//! followed by those of the second.

use indexmap::IndexSet;
use ir::Id;

use crate::automaton::{Automaton, Edge, Marks, State};
use crate::guard::{Guard, Guards};
use crate::tableau::TooLarge;

/// The automaton that accepts what both accept, as far as it is reachable; atoms are the same in both.
///
/// # Errors
/// If they have more than [`Marks::MOST`] acceptance sets between them.
pub fn product(first: &Automaton, second: &Automaton) -> Result<Automaton, TooLarge> {
    let sets = first.sets() + second.sets();
    if sets > Marks::MOST {
        return Err(TooLarge::Untils(sets as usize));
    }
    let mut guards = first.guards().clone();
    let imported = import(&mut guards, second);
    let mut pairs: IndexSet<(State, State)> = [(first.initial(), second.initial())].into_iter().collect();
    let mut edges = vec![];
    let mut next = 0;
    while let Some(&(one, other)) = pairs.get_index(next) {
        for a in first.outgoing(one) {
            for b in &imported[other.index()] {
                let guard = guards.and(a.guard, b.guard);
                if guard != Guard::FALSE {
                    let target = State::at(pairs.insert_full((a.target, b.target)).0);
                    // A shift by all bits there are is none: without sets there are no marks.
                    let shifted = b.marks.0.checked_shl(first.sets()).unwrap_or(0);
                    let marks = Marks(a.marks.0 | shifted);
                    edges.push(Edge { source: State::at(next), target, guard, marks });
                }
            }
        }
        next += 1;
    }
    let atoms = first.atoms().max(second.atoms());
    Ok(Automaton::new(guards, atoms, sets, pairs.len(), State::at(0), edges))
}

/// The edges of each state of an automaton, with their guards in another table.
fn import(guards: &mut Guards, automaton: &Automaton) -> Vec<Vec<Edge>> {
    let mut list = |state| -> Vec<Edge> {
        let edges = automaton.outgoing(state).iter();
        edges.map(|edge| Edge { guard: guards.import(automaton.guards(), edge.guard), ..*edge }).collect()
    };
    automaton.states().map(&mut list).collect()
}
