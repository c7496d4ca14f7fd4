//! Words that an automaton accepts.
//!
//! An automaton accepts some word if and only if an accepting component is reached (see [`crate::scc`]), and then one of
//! the form u·v^ω: a way to the component, and a cycle inside it through edges with all marks. Both are found breadth
//! first. The cycle goes to the nearest edge with a mark that is missing, again and again, and then back; it need not be
//! the shortest one, which is hard to find, but the state that it starts from is the best one of all.

use std::collections::VecDeque;

use ir::ltl::{Lasso, Letter};
use ir::{Id, IdVec};

use crate::automaton::{Automaton, Edge, Marks, State};
use crate::guard::{Cube, Guards};
use crate::product::product;
use crate::scc::Components;

/// A word that is accepted, as literals for the atoms that matter; none if there is no such word.
#[must_use]
pub fn example(automaton: &Automaton) -> Option<Lasso<Cube>> {
    let components = Components::new(automaton, |_| true);
    let mut best: Option<(Vec<Edge>, Vec<Edge>)> = None;
    for (head, stem) in ways(automaton) {
        let length = best.as_ref().map_or(usize::MAX, |(stem, cycle)| stem.len() + cycle.len());
        if stem.len() >= length {
            break;
        }
        if components.accepting(head) {
            let cycle = cycle(automaton, &components, head);
            if stem.len() + cycle.len() < length {
                best = Some((stem, cycle));
            }
        }
    }
    let (stem, cycle) = best?;
    let letter = |edge: &Edge| automaton.guards().some_cube(edge.guard);
    let letters = stem.iter().chain(&cycle).map(letter).collect::<Option<_>>()?;
    Some(Lasso::new(letters, stem.len()))
}

/// Whether no word is accepted.
#[must_use]
pub fn is_empty(automaton: &Automaton) -> bool {
    let components = Components::new(automaton, |_| true);
    !reached(automaton).any(|state| components.accepting(state))
}

/// Whether the automaton accepts the word.
#[must_use]
pub fn accepts<L: Letter>(automaton: &Automaton, word: &Lasso<L>) -> bool {
    let word = of_word(word, automaton.atoms());
    !is_empty(&product(automaton, &word).expect("a word has no acceptance sets of its own"))
}

/// The automaton that accepts this word and, as far as so many atoms tell, no other.
#[must_use]
pub fn of_word<L: Letter>(word: &Lasso<L>, atoms: u32) -> Automaton {
    let mut guards = Guards::default();
    let edges = word.letters().iter().enumerate().map(|(position, letter)| {
        let cube: Cube = (0..atoms).map(|atom| (atom, letter.has(atom))).collect();
        let (source, target) = (State::at(position), State::at(word.after(position)));
        Edge { source, target, guard: guards.cube(&cube), marks: Marks::default() }
    });
    let edges = edges.collect();
    Automaton::new(guards, atoms, 0, word.letters().len(), State::at(0), edges)
}

fn reached(automaton: &Automaton) -> impl Iterator<Item = State> {
    search(automaton, automaton.initial(), |_| true).0.into_iter()
}

/// The reachable states with a shortest way to each, nearest first.
fn ways(automaton: &Automaton) -> impl Iterator<Item = (State, Vec<Edge>)> {
    let (order, by) = search(automaton, automaton.initial(), |_| true);
    order.into_iter().map(move |state| (state, way(&by, automaton.initial(), state)))
}

/// Breadth-first search: the states in the order in which they are found, and the edge that found each.
fn search(
    automaton: &Automaton,
    from: State,
    kept: impl Fn(&Edge) -> bool,
) -> (Vec<State>, IdVec<State, Option<Edge>>) {
    let mut by: IdVec<State, Option<Edge>> = automaton.states().map(|_| None).collect();
    let mut order = vec![from];
    let mut open = VecDeque::from([from]);
    while let Some(state) = open.pop_front() {
        for edge in automaton.outgoing(state).iter().filter(|edge| kept(edge)) {
            if edge.target != from && by[edge.target].is_none() {
                by[edge.target] = Some(*edge);
                order.push(edge.target);
                open.push_back(edge.target);
            }
        }
    }
    (order, by)
}

fn way(by: &IdVec<State, Option<Edge>>, from: State, to: State) -> Vec<Edge> {
    let mut way = vec![];
    let mut state = to;
    while let Some(edge) = by[state].filter(|_| state != from) {
        way.push(edge);
        state = edge.source;
    }
    way.reverse();
    way
}

/// A cycle from `head` inside its accepting component, with all marks.
fn cycle(automaton: &Automaton, components: &Components, head: State) -> Vec<Edge> {
    let mut missing = Marks::all(automaton.sets());
    let mut cycle: Vec<Edge> = vec![];
    let mut state = head;
    while missing != Marks::default() || cycle.is_empty() {
        let helps = |edge: &Edge| missing == Marks::default() || edge.marks.0 & missing.0 != 0;
        let step = to_edge(automaton, components, state, helps);
        step.iter().for_each(|edge| missing.0 &= !edge.marks.0);
        state = step.last().map_or(state, |edge| edge.target);
        cycle.extend(step);
    }
    let (_, by) = search(automaton, state, |edge| components.inside(edge));
    cycle.extend(way(&by, state, head));
    cycle
}

/// A shortest way inside a component that ends with such an edge; the component has one.
fn to_edge(
    automaton: &Automaton,
    components: &Components,
    from: State,
    last: impl Fn(&Edge) -> bool,
) -> Vec<Edge> {
    let (order, by) = search(automaton, from, |edge| components.inside(edge));
    let found = order.into_iter().find_map(|state| {
        let edge = automaton.outgoing(state).iter().find(|edge| components.inside(edge) && last(edge))?;
        let mut steps = way(&by, from, state);
        steps.push(*edge);
        Some(steps)
    });
    found.expect("an accepting component has an edge with each mark")
}
