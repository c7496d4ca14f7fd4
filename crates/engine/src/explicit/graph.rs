//! The transitions between stored states, and the strongly connected components that they form.
//!
//! Transitions lie end to end in one vector, those of one state after those of the state before it, so a state costs the
//! place where its own begin and a transition its target and its acceptance sets. States are expanded in order; those
//! that are not yet have no transitions.
//!
//! A *component* is a largest set of states that can all reach each other. Components are found by Tarjan's algorithm,
//! without recursion, and numbered such that transitions lead to the same or to a lower number. A component *accepts* if
//! its own transitions are in all acceptance sets together: then a cycle through each of these transitions is accepting,
//! and every accepting cycle is in such a component.

use std::collections::VecDeque;
use std::ops::Range;

use rustc_hash::FxHashMap;

/// A transition.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Transition {
    /// The state it leads to.
    pub(crate) target: u32,
    /// A bit for each acceptance set that it is in.
    pub(crate) marks: u32,
}

/// The transitions so far.
#[derive(Clone, Default, Debug)]
pub(crate) struct Graph {
    /// Where the transitions of each expanded state begin.
    starts: Vec<usize>,
    transitions: Vec<Transition>,
    /// The acceptance sets of the transitions that are added now.
    pub(crate) marks: u32,
}

impl Graph {
    /// Goes on with the next state.
    pub(crate) fn begin(&mut self) {
        self.starts.push(self.transitions.len());
    }
    /// Adds a transition of the present state.
    pub(crate) fn add(&mut self, target: u32) {
        self.transitions.push(Transition { target, marks: self.marks });
    }
    /// How many states have been expanded.
    pub(super) fn expanded(&self) -> usize {
        self.starts.len()
    }
    /// Takes the last state and its transitions back.
    pub(super) fn take_back(&mut self) {
        if let Some(start) = self.starts.pop() {
            self.transitions.truncate(start);
        }
    }
    /// How many transitions there are.
    pub(crate) fn len(&self) -> usize {
        self.transitions.len()
    }
    /// Forgets the last transitions.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.transitions.truncate(len);
    }
    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<usize>() + self.transitions.capacity() * size_of::<Transition>()
    }
    /// The transitions of a state.
    pub(crate) fn from(&self, state: u32) -> &[Transition] {
        &self.transitions[self.positions(state)]
    }
    /// Where the transitions of a state are among all.
    pub(crate) fn positions(&self, state: u32) -> Range<usize> {
        let at = state as usize;
        let Some(start) = self.starts.get(at) else { return 0..0 };
        *start..self.starts.get(at + 1).copied().unwrap_or(self.transitions.len())
    }
    /// A transition by its position.
    pub(crate) fn transition(&self, position: usize) -> Transition {
        self.transitions[position]
    }
    /// The components of the states that have been expanded.
    pub(crate) fn components(&self) -> Components {
        Tarjan::new(self).run()
    }
    /// The positions of the transitions on a way from `head` to itself within its component, through every acceptance
    /// set; the component must accept.
    pub(crate) fn around(&self, head: u32, components: &Components, all: u32) -> Vec<usize> {
        let mut path = vec![];
        let (mut at, mut left) = (head, all);
        while left != 0 {
            let way = self.shortest(at, components, |transition| transition.marks & left != 0);
            left = way.iter().fold(left, |left, position| left & !self.transitions[*position].marks);
            path.extend(way);
            at = path.last().map_or(head, |position| self.transitions[*position].target);
        }
        if at != head {
            path.extend(self.shortest(at, components, |transition| transition.target == head));
        }
        path
    }
    /// The states after `head` on that way.
    pub(super) fn states_around(&self, head: u32, components: &Components, all: u32) -> Vec<u32> {
        let way = self.around(head, components, all);
        way.into_iter().map(|position| self.transition(position).target).collect()
    }
    /// A shortest way within a component whose last transition is wanted; there is one.
    fn shortest(
        &self,
        from: u32,
        components: &Components,
        wanted: impl Fn(&Transition) -> bool,
    ) -> Vec<usize> {
        let component = components.of[from as usize];
        let mut arrivals: FxHashMap<u32, (u32, usize)> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        while let Some(state) = queue.pop_front() {
            for position in self.positions(state) {
                let transition = &self.transitions[position];
                if components.of.get(transition.target as usize) != Some(&component) {
                    continue;
                }
                if wanted(transition) {
                    let mut way = vec![position];
                    let mut at = state;
                    while at != from {
                        let (before, position) = arrivals[&at];
                        way.push(position);
                        at = before;
                    }
                    way.reverse();
                    return way;
                }
                if transition.target != from && !arrivals.contains_key(&transition.target) {
                    arrivals.insert(transition.target, (state, position));
                    queue.push_back(transition.target);
                }
            }
        }
        unreachable!("states of a component reach each other, and its transitions are in every set")
    }
}

/// The components of a graph.
#[derive(Clone, Debug)]
pub(crate) struct Components {
    /// The component of each expanded state.
    pub(crate) of: Vec<u32>,
    /// For each component, the acceptance sets of its own transitions; `None` if it has none.
    pub(crate) marks: Vec<Option<u32>>,
}

/// The search for components: states in the order of a depth-first search, each with the earliest one on the stack that
/// it is known to reach.
struct Tarjan<'a> {
    graph: &'a Graph,
    /// When each state was entered, from 1; 0 for those that were not.
    entered: Vec<u32>,
    clock: u32,
    /// Entered states that belong to no component yet.
    stack: Vec<u32>,
    frames: Vec<Frame>,
    found: Components,
}

struct Frame {
    state: u32,
    /// The transition to look at next.
    next: usize,
    /// When the earliest state was entered that this one reaches.
    low: u32,
}

const NONE: u32 = u32::MAX;

impl<'a> Tarjan<'a> {
    fn new(graph: &'a Graph) -> Self {
        let states = graph.starts.len();
        let found = Components { of: vec![NONE; states], marks: vec![] };
        Tarjan { graph, entered: vec![0; states], clock: 0, stack: vec![], frames: vec![], found }
    }
    fn run(mut self) -> Components {
        for state in 0..self.entered.len() as u32 {
            if self.entered[state as usize] == 0 {
                self.enter(state);
                while let Some(frame) = self.frames.pop() {
                    self.go_on(frame);
                }
            }
        }
        let Components { of, marks } = &mut self.found;
        for (state, own) in of.iter().enumerate() {
            let within = |it: &&Transition| of.get(it.target as usize) == Some(own);
            for transition in self.graph.from(state as u32).iter().filter(within) {
                *marks[*own as usize].get_or_insert(0) |= transition.marks;
            }
        }
        self.found
    }
    fn enter(&mut self, state: u32) {
        self.clock += 1;
        self.entered[state as usize] = self.clock;
        self.stack.push(state);
        self.frames.push(Frame { state, next: 0, low: self.clock });
    }
    fn go_on(&mut self, mut frame: Frame) {
        let transitions = self.graph.from(frame.state);
        while let Some(transition) = transitions.get(frame.next) {
            let target = transition.target as usize;
            frame.next += 1;
            match self.entered.get(target) {
                Some(0) => {
                    self.frames.push(frame);
                    self.enter(target as u32);
                    return;
                }
                // It is still on the stack.
                Some(when) if self.found.of[target] == NONE => frame.low = frame.low.min(*when),
                _ => {}
            }
        }
        if let Some(parent) = self.frames.last_mut() {
            parent.low = parent.low.min(frame.low);
        }
        if frame.low == self.entered[frame.state as usize] {
            let number = self.found.marks.len() as u32;
            self.found.marks.push(None);
            while let Some(state) = self.stack.pop() {
                self.found.of[state as usize] = number;
                if state == frame.state {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(lists: &[&[(u32, u32)]]) -> Graph {
        let mut graph = Graph::default();
        for list in lists {
            graph.begin();
            for (target, marks) in *list {
                graph.marks = *marks;
                graph.add(*target);
            }
        }
        graph
    }

    #[test]
    fn components_are_numbered_from_the_end() {
        // 0 -> 1 <-> 2 -> 3, which is not expanded; 4 has a transition to itself.
        let graph = graph(&[&[(1, 1)], &[(2, 1)], &[(1, 2), (3, 4)]]);
        let Components { of, marks } = graph.components();
        assert_eq!(of, [1, 0, 0]);
        assert_eq!(marks, [Some(3), None]);
    }

    #[test]
    fn a_state_alone_is_a_cycle_only_by_a_transition_to_itself() {
        let graph = graph(&[&[(0, 0), (1, 1)], &[]]);
        let Components { of, marks } = graph.components();
        assert_eq!((of, marks), (vec![1, 0], vec![None, Some(0)]));
    }
}
