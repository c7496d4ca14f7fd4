//! One acceptance set instead of several.
//!
//! A copy of the automaton for each set waits for that set: in copy `i`, an edge of set `i` leads on to the next copy, and
//! through further ones as long as it is in their sets. An edge that has passed the last copy is accepting, and goes on
//! from the first. So an accepting edge is taken again and again if and only if an edge of each set is. Where the run
//! leaves a component for good it starts over in the first copy, since what it has seen does not matter.

use indexmap::IndexSet;
use ir::Id;

use crate::automaton::{Automaton, Edge, Marks, State};
use crate::reduce::reduce;
use crate::scc::Components;

/// An automaton with exactly one acceptance set that accepts the same words.
#[must_use]
pub fn degeneralise(automaton: &Automaton) -> Automaton {
    let sets = automaton.sets();
    let components = Components::new(automaton, |_| true);
    let mut copies: IndexSet<(State, u32)> = [(automaton.initial(), 0)].into_iter().collect();
    let mut edges = vec![];
    let mut next = 0;
    while let Some(&(state, waits)) = copies.get_index(next) {
        for edge in automaton.outgoing(state) {
            let (then, accepting) =
                if components.inside(edge) { advance(waits, edge.marks, sets) } else { (0, false) };
            let target = State::at(copies.insert_full((edge.target, then)).0);
            let marks = Marks(u64::from(accepting));
            edges.push(Edge { source: State::at(next), target, guard: edge.guard, marks });
        }
        next += 1;
    }
    let guards = automaton.guards().clone();
    let one = Automaton::new(guards, automaton.atoms(), 1, copies.len(), State::at(0), edges);
    with_one_set(reduce(one))
}

/// The copy after an edge with these marks, and whether the last one was passed.
fn advance(waits: u32, marks: Marks, sets: u32) -> (u32, bool) {
    let beyond = |from: u32| (from..sets).find(|&set| !marks.has(set));
    match beyond(waits) {
        Some(set) => (set, false),
        None => (beyond(0).unwrap_or(0), true),
    }
}

/// Reduction may find that every infinite run is accepted; then every edge is in the set.
fn with_one_set(automaton: Automaton) -> Automaton {
    if automaton.sets() == 1 {
        return automaton;
    }
    automaton.remarked(1, |_| Marks(1))
}
