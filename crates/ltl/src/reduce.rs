//! Smaller automata with the same language.
//!
//! Four reductions, repeated until none helps:
//! - **trimming**: states from which no accepting component is reached are dropped, and marks where they decide nothing;
//! - **acceptance**: a set is dropped if every run that is accepted without it has it again and again;
//! - **forward direct simulation** (Dill, Hu, Wong-Toi 1991; Etessami, Wilke, Schuller 2001): `t` simulates `s` if for each
//!   edge of `s` and each letter that it reads there is an edge of `t` with at least the same marks, to a state that
//!   simulates its target. States that simulate each other are one, and an edge is dropped beside one that reads more,
//!   has more marks and leads to a state that simulates its target;
//! - **backward direct simulation**: the same with edges reversed, where only an initial state simulates one.
//!
//! States that are bisimilar are made one before that, as a partition is refined much faster than a relation.

mod simulation;

use ir::{Id, IdVec};
use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, Edge, Marks, State};
use crate::guard::{Guard, Guards};
use crate::scc::Components;

/// An automaton with the same language that has no more states, edges and acceptance sets.
#[must_use]
pub fn reduce(automaton: Automaton) -> Automaton {
    let mut best = quotient_by_bisimulation(trim(automaton));
    loop {
        let size = (best.len(), best.edges().len(), best.sets());
        best = trim(drop_sets(best));
        best = trim(simulation::quotient(best, simulation::Direction::Forward));
        best = trim(simulation::quotient(best, simulation::Direction::Backward));
        if (best.len(), best.edges().len(), best.sets()) == size {
            return best;
        }
    }
}

/// The same automaton without states that are not reached, or from which nothing is accepted; marks remain on
/// edges inside accepting components only, since no others are taken again and again by a run that is accepted.
#[must_use]
pub fn trim(automaton: Automaton) -> Automaton {
    let components = Components::new(&automaton, |_| true);
    let mut useful: IdVec<State, bool> =
        automaton.states().map(|state| components.accepting(state)).collect();
    // A component's number is greater than those of the components that it leads to, but states of one component
    // have to agree.
    let mut order: Vec<State> = automaton.states().collect();
    order.sort_by_key(|&state| components.of(state));
    for group in order.chunk_by(|&a, &b| components.of(a) == components.of(b)) {
        let leads = |&state: &State| automaton.outgoing(state).iter().any(|edge| useful[edge.target]);
        let any = group.iter().any(|state| useful[*state] || leads(state));
        group.iter().for_each(|&state| useful[state] = any);
    }
    let kept = |edge: &Edge| useful[edge.source] && useful[edge.target];
    let reached = reached(&automaton, kept);
    let mut number: IdVec<State, Option<State>> = automaton.states().map(|_| None).collect();
    for (new, state) in reached.iter().enumerate() {
        number[*state] = Some(State::at(new));
    }
    let edges = automaton.edges().iter().filter(|edge| kept(edge)).filter_map(|edge| {
        let matters = components.inside(edge) && components.accepting(edge.source);
        let marks = if matters { edge.marks } else { Marks::default() };
        Some(Edge { source: number[edge.source]?, target: number[edge.target]?, marks, ..*edge })
    });
    let edges = edges.collect();
    let sets = automaton.sets();
    automaton.rebuilt(sets, reached.len(), State::at(0), edges)
}

/// The states that are reached by such edges, in the order of a breadth-first search; the first is the initial one.
fn reached(automaton: &Automaton, kept: impl Fn(&Edge) -> bool) -> Vec<State> {
    let mut seen: IdVec<State, bool> = automaton.states().map(|_| false).collect();
    seen[automaton.initial()] = true;
    let mut list = vec![automaton.initial()];
    let mut next = 0;
    while let Some(&state) = list.get(next) {
        for edge in automaton.outgoing(state).iter().filter(|edge| kept(edge)) {
            if !std::mem::replace(&mut seen[edge.target], true) {
                list.push(edge.target);
            }
        }
        next += 1;
    }
    list
}

/// The automaton with each class of states made one; classes are numbers from 0.
fn quotient(automaton: Automaton, class: &IdVec<State, u32>) -> Automaton {
    let new = |state: State| State::at(class[state] as usize);
    let states = class.iter().max().map_or(0, |most| *most as usize + 1);
    let edge = |edge: &Edge| Edge { source: new(edge.source), target: new(edge.target), ..*edge };
    let edges = automaton.edges().iter().map(edge).collect();
    let (sets, initial) = (automaton.sets(), new(automaton.initial()));
    automaton.rebuilt(sets, states, initial, edges)
}

/// States are one if they have the same guards and marks to the same classes, and so on.
fn quotient_by_bisimulation(mut automaton: Automaton) -> Automaton {
    let mut class: IdVec<State, u32> = automaton.states().map(|_| 0).collect();
    let mut classes = 1;
    let (guards, edges) = automaton.split();
    loop {
        let mut signatures: IdVec<State, Vec<(u32, Marks, Guard)>> = class.iter().map(|_| vec![]).collect();
        for edge in edges {
            signatures[edge.source].push((class[edge.target], edge.marks, edge.guard));
        }
        let mut known = FxHashMap::default();
        let refined = signatures.iter_mut().zip(class.iter()).map(|(signature, &class)| {
            let key = (class, normal(guards, std::mem::take(signature)));
            let next = known.len() as u32;
            *known.entry(key).or_insert(next)
        });
        class = refined.collect();
        if known.len() == classes {
            return quotient(automaton, &class);
        }
        classes = known.len();
    }
}

/// A signature with one guard for each class and marks.
fn normal(guards: &mut Guards, mut signature: Vec<(u32, Marks, Guard)>) -> Vec<(u32, Marks, Guard)> {
    signature.sort_unstable();
    signature.dedup_by(|entry, first| {
        let same = (entry.0, entry.1) == (first.0, first.1);
        if same {
            first.2 = guards.or(first.2, entry.2);
        }
        same
    });
    signature
}

/// Leaves out acceptance sets without which the same runs are accepted: cycles that avoid such a set lack another.
fn drop_sets(automaton: Automaton) -> Automaton {
    let mut needed = Marks::all(automaton.sets());
    for set in (0..automaton.sets()).rev() {
        let others = Marks(needed.0 & !(1 << set));
        let avoiding = Components::new(&automaton, |edge| !edge.marks.has(set));
        if !avoiding.some_has(others) {
            needed = others;
        }
    }
    if needed == Marks::all(automaton.sets()) {
        return automaton;
    }
    let renumber = |marks: Marks| {
        let bits = needed.iter().enumerate().filter(|&(_, old)| marks.has(old)).map(|(new, _)| 1 << new);
        Marks(bits.sum())
    };
    automaton.remarked(needed.0.count_ones(), renumber)
}
