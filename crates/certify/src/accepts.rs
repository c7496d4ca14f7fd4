//! Whether an automaton accepts a word u·v^ω, where it is the automaton that is asked about.
//!
//! The automaton and the word together are a finite graph, of states at positions. The word is accepted if a path from the
//! beginning comes through every acceptance set again and again. The states at positions from which there is such a path
//! are the largest set Z in which, for each acceptance set, everybody has a way within Z to a transition of that set that
//! stays in Z (Emerson and Lei 1986). A *sink* has transitions like any other state.

use ir::automaton::Automaton;

/// Whether the word with so many letters, which goes on at `back` after them, is accepted; `read` tells whether an atom
/// holds at a position.
pub(crate) fn accepts(
    automaton: &Automaton,
    letters: usize,
    back: usize,
    read: impl Fn(usize, u32) -> bool,
) -> bool {
    let graph = Graph::new(automaton, letters, back, read);
    let sets: Vec<u64> = match automaton.sets {
        0 => vec![0],
        sets => (0..sets).map(|set| 1 << set).collect(),
    };
    let mut inside = vec![true; graph.nodes];
    loop {
        let before = inside.clone();
        for set in &sets {
            inside = graph.with_way_to(&inside, *set);
        }
        if inside == before {
            return inside[automaton.initial as usize];
        }
    }
}

/// Whether so many letters lead to a sink.
pub(crate) fn leads_to_sink(
    automaton: &Automaton,
    letters: usize,
    read: impl Fn(usize, u32) -> bool,
) -> bool {
    let mut here = vec![automaton.initial];
    for position in 0..letters {
        let goes = automaton.transitions.iter().filter(|it| here.contains(&it.source));
        let mut next: Vec<u32> =
            goes.filter(|it| it.guard.admits(|atom| read(position, atom))).map(|it| it.target).collect();
        next.sort_unstable();
        next.dedup();
        here = next;
    }
    here.iter().any(|state| automaton.sinks[*state as usize])
}

/// States at positions; a node is the position times the number of states, plus the state.
struct Graph {
    nodes: usize,
    /// Source, target and acceptance sets.
    edges: Vec<(usize, usize, u64)>,
}

impl Graph {
    fn new(automaton: &Automaton, letters: usize, back: usize, read: impl Fn(usize, u32) -> bool) -> Self {
        let states = automaton.sinks.len();
        let mut edges = vec![];
        for position in 0..letters {
            let next = if position + 1 == letters { back } else { position + 1 };
            for transition in &automaton.transitions {
                if transition.guard.admits(|atom| read(position, atom)) {
                    let source = position * states + transition.source as usize;
                    let target = next * states + transition.target as usize;
                    edges.push((source, target, transition.marks));
                }
            }
        }
        Graph { nodes: letters * states, edges }
    }
    /// Those that have a way within a set to an edge in the set that has these marks.
    fn with_way_to(&self, inside: &[bool], marks: u64) -> Vec<bool> {
        let mut found = vec![false; self.nodes];
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &(source, target, its) in self.edges.iter().rev() {
                if inside[source] && inside[target] && !found[source] {
                    found[source] = its & marks == marks || found[target];
                    changed |= found[source];
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests;
