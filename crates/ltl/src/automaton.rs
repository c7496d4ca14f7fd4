//! Generalised Büchi automata with acceptance on transitions.
//!
//! An automaton reads a word letter by letter along its edges, from the initial state; an edge can be taken if its guard
//! contains the letter. A run is accepted if for each *acceptance set* it takes edges of that set again and again, and
//! a word if some run on it is. With no set at all, every infinite run is accepted.
//!
//! Invariant: edges are sorted by source, target and marks, of which no two have the same; guards belong to the automaton's
//! table, and none is empty. So automata are written in one way only, but for the numbers of their states.

use std::fmt::{self, Display};

use ir::{Id, IdVec};

use crate::guard::{Guard, Guards};

ir::id!(
    /// A state of an automaton.
    State
);

impl Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Acceptance sets, one bit each; at most 64.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Marks(pub u64);

impl Marks {
    /// How many sets there can be.
    pub const MOST: u32 = u64::BITS;

    /// The sets from 0 to `sets - 1`.
    #[must_use]
    pub const fn all(sets: u32) -> Self {
        Self(if sets >= Self::MOST { u64::MAX } else { (1 << sets) - 1 })
    }
    /// Whether this set is among them.
    #[must_use]
    pub const fn has(self, set: u32) -> bool {
        self.0 >> set & 1 == 1
    }
    /// Whether the other ones contain all of these.
    #[must_use]
    pub const fn within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }
    /// The sets, in order.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..Self::MOST).filter(move |&set| self.has(set))
    }
}

/// A transition.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// Where it starts.
    pub source: State,
    /// Where it leads.
    pub target: State,
    /// The acceptance sets that it is in.
    pub marks: Marks,
    /// Which letters it reads.
    pub guard: Guard,
}

/// An automaton.
#[derive(Clone, Debug)]
pub struct Automaton {
    guards: Guards,
    atoms: u32,
    sets: u32,
    initial: State,
    edges: Vec<Edge>,
    /// Where the edges of each state end; those of the first begin at 0.
    ends: IdVec<State, u32>,
}

impl Automaton {
    /// An automaton with so many states, and edges in any order. Those with empty guards are left out, and those that
    /// differ in their guards only become one.
    ///
    /// # Panics
    /// If `initial`, an edge, its guard or its marks mention what there is not.
    #[must_use]
    pub fn new(
        mut guards: Guards,
        atoms: u32,
        sets: u32,
        states: usize,
        initial: State,
        mut edges: Vec<Edge>,
    ) -> Self {
        let known = |state: State| state.index() < states;
        assert!(sets <= Marks::MOST && known(initial));
        assert!(edges.iter().all(|edge| known(edge.source) && known(edge.target) && guards.has(edge.guard)));
        assert!(edges.iter().all(|edge| edge.marks.within(Marks::all(sets))));
        edges.retain(|edge| edge.guard != Guard::FALSE);
        edges.sort_unstable();
        edges.dedup_by(|edge, first| {
            let same = (edge.source, edge.target, edge.marks) == (first.source, first.target, first.marks);
            if same {
                first.guard = guards.or(first.guard, edge.guard);
            }
            same
        });
        let mut ends: IdVec<State, u32> = (0..states).map(|_| 0).collect();
        for edge in &edges {
            ends[edge.source] += 1;
        }
        let mut sum = 0;
        for end in ends.iter_mut() {
            sum += *end;
            *end = sum;
        }
        Self { guards, atoms, sets, initial, edges, ends }
    }

    /// Where runs begin.
    #[must_use]
    pub const fn initial(&self) -> State {
        self.initial
    }
    /// How many acceptance sets there are.
    #[must_use]
    pub const fn sets(&self) -> u32 {
        self.sets
    }
    /// How many atoms letters tell about; one more than the greatest of a guard, or more.
    #[must_use]
    pub const fn atoms(&self) -> u32 {
        self.atoms
    }
    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }
    /// Never: there is an initial state.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
    /// The states, in order.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = State> + ExactSizeIterator + use<> {
        self.ends.ids()
    }
    /// All edges, sorted by their source.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }
    /// The edges of one state.
    #[must_use]
    pub fn outgoing(&self, state: State) -> &[Edge] {
        let start = state.index().checked_sub(1).map_or(0, |before| self.ends[State::at(before)]);
        &self.edges[start as usize..self.ends[state] as usize]
    }
    /// What the guards of edges mean.
    #[must_use]
    pub const fn guards(&self) -> &Guards {
        &self.guards
    }
    /// The table of guards, to make more of them, and the edges.
    pub(crate) fn split(&mut self) -> (&mut Guards, &[Edge]) {
        (&mut self.guards, &self.edges)
    }
    /// The states that accept whatever comes because each of them stays where it is on every letter, in all acceptance
    /// sets.
    pub fn loops(&self) -> IdVec<State, bool> {
        let all = Marks::all(self.sets);
        let stays =
            |edge: &Edge| edge.source == edge.target && edge.guard == Guard::TRUE && all.within(edge.marks);
        self.states().map(|state| self.outgoing(state).iter().any(stays)).collect()
    }
    /// The automaton as plain data; a state that is called a sink, and so must accept every word, has one loop for all of
    /// them. `None` if it has more than [`ir::automaton::Automaton::MOST_SETS`] acceptance sets.
    pub fn plain(&self, sinks: &IdVec<State, bool>) -> Option<ir::automaton::Automaton> {
        use ir::automaton::{Automaton, Guard, Transition};
        if self.sets > Automaton::MOST_SETS {
            return None;
        }
        let mut transitions = vec![];
        for state in self.states() {
            let source = state.index() as u32;
            if sinks[state] {
                let (guard, marks) = (Guard::any(), Marks::all(self.sets).0);
                transitions.push(Transition { source, target: source, guard, marks });
                continue;
            }
            for edge in self.outgoing(state) {
                let guard = Guard { cubes: self.guards.cubes(edge.guard) };
                let target = edge.target.index() as u32;
                transitions.push(Transition { source, target, guard, marks: edge.marks.0 });
            }
        }
        let sinks = self.states().map(|state| sinks[state]).collect();
        Some(Automaton { sinks, initial: self.initial.index() as u32, sets: self.sets, transitions })
    }
    /// An automaton over the same guards and atoms.
    pub(crate) fn rebuilt(self, sets: u32, states: usize, initial: State, edges: Vec<Edge>) -> Self {
        Self::new(self.guards, self.atoms, sets, states, initial, edges)
    }
    /// The same automaton with other acceptance sets.
    pub(crate) fn remarked(self, sets: u32, marks: impl Fn(Marks) -> Marks) -> Self {
        let (states, initial) = (self.len(), self.initial);
        let edges = self.edges.iter().map(|edge| Edge { marks: marks(edge.marks), ..*edge }).collect();
        self.rebuilt(sets, states, initial, edges)
    }

    /// The automaton as text: a line for each state and each edge, with names for atoms.
    pub fn display<'a, N: Display>(&'a self, name: impl Fn(u32) -> N + 'a) -> impl Display + 'a {
        Shown { automaton: self, name }
    }
}

struct Shown<'a, F> {
    automaton: &'a Automaton,
    name: F,
}

impl<F: Fn(u32) -> N, N: Display> Display for Shown<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Automaton { guards, initial, .. } = self.automaton;
        for state in self.automaton.states() {
            let start = if state == *initial { " (initial)" } else { "" };
            writeln!(f, "{state}{start}")?;
            for edge in self.automaton.outgoing(state) {
                let guard = guards.display(edge.guard, &self.name);
                writeln!(f, "  -> {} [{guard}]{}", edge.target, marks(edge.marks))?;
            }
        }
        Ok(())
    }
}

/// The automaton with its atoms by number.
impl Display for Automaton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display(|atom| atom).fmt(f)
    }
}

/// Acceptance sets as the Hanoi format writes them, after a space; nothing if there are none.
pub(crate) fn marks(marks: Marks) -> String {
    let list: Vec<String> = marks.iter().map(|set| set.to_string()).collect();
    if list.is_empty() { String::new() } else { format!(" {{{}}}", list.join(" ")) }
}
