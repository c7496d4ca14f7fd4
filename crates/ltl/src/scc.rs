//! Strongly connected components (Tarjan 1972), without recursion.
//!
//! Components are numbered in the order in which they are complete: every edge leads to the same component or to one
//! with a smaller number. One is *accepting* if a cycle can take edges of every acceptance set in it, that is, if the
//! edges inside it have all marks between them, and there is one.

use ir::IdVec;

use crate::automaton::{Automaton, Edge, Marks, State};

/// The components of an automaton, all states included, reachable or not.
pub struct Components {
    /// The component of each state.
    of: IdVec<State, u32>,
    /// The marks of the edges inside each component; `None` if there is no edge.
    inside: Vec<Option<Marks>>,
    all: Marks,
}

impl Components {
    /// The components that the edges have which satisfy `kept`.
    #[must_use]
    pub fn new(automaton: &Automaton, kept: impl Fn(&Edge) -> bool) -> Self {
        let mut of: IdVec<State, u32> = automaton.states().map(|_| OPEN).collect();
        let count = tarjan(automaton, &kept, &mut of);
        let mut inside = vec![None; count as usize];
        for edge in automaton.edges().iter().filter(|edge| kept(edge)) {
            if of[edge.source] == of[edge.target] {
                let marks: &mut Option<Marks> = &mut inside[of[edge.source] as usize];
                *marks = Some(Marks(marks.unwrap_or_default().0 | edge.marks.0));
            }
        }
        Self { of, inside, all: Marks::all(automaton.sets()) }
    }

    /// The number of a state's component.
    #[must_use]
    pub fn of(&self, state: State) -> u32 {
        self.of[state]
    }
    /// Whether an edge lies inside a component.
    #[must_use]
    pub fn inside(&self, edge: &Edge) -> bool {
        self.of[edge.source] == self.of[edge.target]
    }
    /// Whether the component of a state is accepting.
    #[must_use]
    pub fn accepting(&self, state: State) -> bool {
        self.inside[self.of[state] as usize] == Some(self.all)
    }
    /// Whether some component has all of these marks.
    #[must_use]
    pub fn some_has(&self, marks: Marks) -> bool {
        self.inside.iter().flatten().any(|inside| marks.within(*inside))
    }
}

const OPEN: u32 = u32::MAX;

/// Numbers the components; `of` says `OPEN` for all states before.
fn tarjan(automaton: &Automaton, kept: &impl Fn(&Edge) -> bool, of: &mut IdVec<State, u32>) -> u32 {
    let (mut components, mut visited) = (0, 0);
    let mut low: IdVec<State, u32> = automaton.states().map(|_| 0).collect();
    // States whose component is open, in the order of their visit; and those on the way from the root, each with
    // the number of its edges that were followed, and its own number.
    let (mut open, mut way) = (vec![], vec![]);
    for root in automaton.states() {
        if low[root] == 0 {
            way.push((root, 0, 0));
        }
        while let Some(&mut (state, ref mut followed, ref mut number)) = way.last_mut() {
            if *number == 0 {
                visited += 1;
                (*number, low[state]) = (visited, visited);
                open.push(state);
            }
            if let Some(edge) = automaton.outgoing(state).get(*followed) {
                *followed += 1;
                let target = edge.target;
                if !kept(edge) || of[target] != OPEN {
                } else if low[target] == 0 {
                    way.push((target, 0, 0));
                } else {
                    low[state] = low[state].min(low[target]);
                }
                continue;
            }
            if low[state] == *number {
                let first = open.iter().rposition(|&other| other == state).unwrap_or(0);
                open.drain(first..).for_each(|member| of[member] = components);
                components += 1;
            }
            way.pop();
            if let Some(&(parent, ..)) = way.last() {
                low[parent] = low[parent].min(low[state]);
            }
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use ir::Id;

    use super::*;
    use crate::guard::{Guard, Guards};

    fn graph(states: usize, edges: &[(usize, usize)]) -> Automaton {
        let edge = |&(source, target): &(usize, usize)| Edge {
            source: State::at(source),
            target: State::at(target),
            guard: Guard::TRUE,
            marks: Marks(0),
        };
        let edges = edges.iter().map(edge).collect();
        Automaton::new(Guards::default(), 0, 0, states, State::at(0), edges)
    }

    /// Two cycles, {0, 1} and {2, 3, 4}, the first leading to the second, and a state 5 by itself behind both.
    #[test]
    fn components_are_cycles_in_reverse_order() {
        let graph = graph(6, &[(0, 1), (1, 0), (1, 2), (2, 3), (3, 4), (4, 2), (4, 5), (0, 5)]);
        let components = Components::new(&graph, |_| true);
        let numbers: Vec<u32> = graph.states().map(|state| components.of(state)).collect();
        assert_eq!(numbers, [2, 2, 1, 1, 1, 0]);
        // With no acceptance set, a cycle is enough; 5 has none.
        assert!(components.accepting(State::at(2)) && !components.accepting(State::at(5)));
    }

    /// A ring of 100,000 states is one component, and a chain of as many is as many.
    #[test]
    fn long_ways_need_no_deep_stack() {
        let edges: Vec<_> = (1..100_000).map(|state| (state - 1, state)).collect();
        let chain = graph(100_000, &edges);
        let components = Components::new(&chain, |_| true);
        assert_eq!(components.of(State::at(0)), 99_999);
        let ring = graph(100_000, &[&edges[..], &[(99_999, 0)]].concat());
        let components = Components::new(&ring, |_| true);
        assert!(ring.states().all(|state| components.of(state) == 0 && components.accepting(state)));
    }
}
