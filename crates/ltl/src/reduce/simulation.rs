//! Direct simulation, forward and backward, and what it makes needless.
//!
//! The relation is the greatest one in which every pair has matching edges: all pairs at first, then those go that have
//! none, until none goes. An edge may be matched by several together, one for each letter.
//!
//! After the quotient the relation is a partial order. Among edges that read the same, lead to (come from) comparable
//! states and have comparable marks, the greatest remain; two different edges never dominate each other, so all that
//! are dominated can go at once.

use ir::{Id, IdVec};

use super::quotient as by_class;
use crate::automaton::{Automaton, Edge, State};
use crate::guard::{Guard, Guards};

/// Which way edges are followed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    /// What can still be accepted.
    Forward,
    /// How a state can be reached.
    Backward,
}

impl Direction {
    /// The end of an edge that is to be simulated, and the end that is then to be.
    const fn ends(self, edge: &Edge) -> (State, State) {
        match self {
            Self::Forward => (edge.source, edge.target),
            Self::Backward => (edge.target, edge.source),
        }
    }
    /// The edges of each state that are to be simulated.
    fn beside(self, automaton: &Automaton) -> IdVec<State, Vec<Edge>> {
        let mut beside: IdVec<State, Vec<Edge>> = automaton.states().map(|_| vec![]).collect();
        automaton.edges().iter().for_each(|edge| beside[self.ends(edge).0].push(*edge));
        beside
    }
}

/// Makes states one that simulate each other, and drops the edges that others simulate.
pub(super) fn quotient(mut automaton: Automaton, direction: Direction) -> Automaton {
    let relation = Relation::greatest(&mut automaton, direction);
    let (class, members) = relation.classes();
    let least = |small: State, big: State| relation.has(members[small], members[big]);
    drop_dominated(by_class(automaton, &class), direction, least)
}

fn drop_dominated(
    mut automaton: Automaton,
    direction: Direction,
    least: impl Fn(State, State) -> bool,
) -> Automaton {
    let beside = direction.beside(&automaton);
    let (guards, edges) = automaton.split();
    let mut dominated = |edge: &Edge| {
        let (near, far) = direction.ends(edge);
        beside[near].iter().any(|other| {
            other != edge
                && edge.marks.within(other.marks)
                && least(far, direction.ends(other).1)
                && guards.implies(edge.guard, other.guard)
        })
    };
    let kept = edges.iter().filter(|edge| !dominated(edge)).copied().collect();
    let (sets, states, initial) = (automaton.sets(), automaton.len(), automaton.initial());
    automaton.rebuilt(sets, states, initial, kept)
}

/// Which state is simulated by which.
struct Relation {
    states: usize,
    holds: Vec<bool>,
}

impl Relation {
    fn has(&self, small: State, big: State) -> bool {
        self.holds[small.index() * self.states + big.index()]
    }

    fn greatest(automaton: &mut Automaton, direction: Direction) -> Self {
        let beside = direction.beside(automaton);
        let (states, initial) = (automaton.len(), automaton.initial());
        let (guards, _) = automaton.split();
        let ids = || (0..states).map(State::at);
        let start = |small, big| direction == Direction::Forward || small != initial || big == initial;
        let holds = ids().flat_map(|small| ids().map(move |big| start(small, big))).collect();
        let mut relation = Self { states, holds };
        loop {
            let mut changed = false;
            for small in ids() {
                for big in ids().filter(|&big| big != small) {
                    let matched = |edge| relation.matches(guards, direction, edge, &beside[big]);
                    if relation.has(small, big) && !beside[small].iter().all(matched) {
                        relation.holds[small.index() * states + big.index()] = false;
                        changed = true;
                    }
                }
            }
            if !changed {
                return relation;
            }
        }
    }

    /// Whether for each letter of the edge one of the others has its marks and an end that simulates its own.
    fn matches(&self, guards: &mut Guards, direction: Direction, edge: &Edge, others: &[Edge]) -> bool {
        let far = direction.ends(edge).1;
        let mut missing = edge.guard;
        for other in others {
            if edge.marks.within(other.marks) && self.has(far, direction.ends(other).1) {
                missing = guards.minus(missing, other.guard);
                if missing == Guard::FALSE {
                    return true;
                }
            }
        }
        false
    }

    /// The class of each state, and a member of each class.
    fn classes(&self) -> (IdVec<State, u32>, IdVec<State, State>) {
        let mut members: IdVec<State, State> = IdVec::new();
        let mut class = IdVec::new();
        for state in (0..self.states).map(State::at) {
            let same = |&(_, &member): &(State, &State)| self.has(state, member) && self.has(member, state);
            let known = members.entries().find(same).map(|(number, _)| number);
            class.push(known.unwrap_or_else(|| members.push(state)).index() as u32);
        }
        (class, members)
    }
}
