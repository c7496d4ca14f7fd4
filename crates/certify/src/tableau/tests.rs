#[path = "../../../ir/testing/formulas.rs"]
mod formulas;

use std::collections::BTreeSet;

use ir::automaton::{Automaton, Guard, Transition};
use ir::ltl::{Builder, Lasso};
use proptest::prelude::*;
use sampling::runs;

use super::*;
pub use formulas::formulas;

pub fn shown(formula: &Formula) -> String {
    formula.display(|atom| ["p", "q"][atom as usize]).to_string()
}

/// `operator` on two formulas.
pub fn joined(operator: fn(Sub, Sub) -> Node, first: &Formula, second: &Formula) -> Formula {
    let mut builder = Builder::default();
    let [first, second] = [first, second].map(|formula| builder.graft(formula, |to, atom| to.atom(atom)));
    let root = builder.add(operator(first, second));
    builder.finish(root)
}

/// All finite words with so many letters over two atoms.
pub fn finite_words(letters: usize) -> Vec<Vec<u64>> {
    let mut words = vec![vec![]];
    for _ in 0..letters {
        words = words
            .iter()
            .flat_map(|word: &Vec<u64>| (0..4).map(|letter| [&word[..], &[letter]].concat()))
            .collect();
    }
    words
}

/// All lassos with at most so many letters over two atoms.
pub fn lassos(most: usize) -> Vec<Lasso<u64>> {
    let words = (1..=most).flat_map(finite_words);
    words.flat_map(|word| (0..word.len()).map(move |back| Lasso::new(word.clone(), back))).collect()
}

/// Whether there is a path from a node to a cycle through all sets, by the definition: two nodes are on a cycle together if
/// each can be reached from the other.
pub fn reaches_accepting_cycle(edges: &[Vec<(usize, u64)>], all_marks: u64, from: usize) -> bool {
    let reached = |from: usize| {
        let mut seen = BTreeSet::from([from]);
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            open.extend(edges[at].iter().map(|(target, _)| *target).filter(|target| seen.insert(*target)));
        }
        seen
    };
    let after: Vec<BTreeSet<usize>> = (0..edges.len()).map(reached).collect();
    after[from].iter().any(|&node| {
        let inner: Vec<u64> = after[node]
            .iter()
            .filter(|&&other| after[other].contains(&node))
            .flat_map(|&other| &edges[other])
            .filter(|(target, _)| after[*target].contains(&node))
            .map(|(_, marks)| *marks)
            .collect();
        !inner.is_empty() && inner.iter().fold(0, |all, marks| all | marks) == all_marks
    })
}

/// Whether an automaton accepts a word: its product with the positions has an accepting cycle.
pub fn accepts(automaton: &Automaton, word: &Lasso<u64>) -> bool {
    let positions = word.letters().len();
    let node = |state: u32, position: usize| state as usize * positions + position;
    let mut edges = vec![vec![]; automaton.sinks.len() * positions];
    for Transition { source, target, guard, marks } in &automaton.transitions {
        for (position, letter) in word.letters().iter().enumerate() {
            if guard.admits(|atom| letter >> atom & 1 == 1) {
                edges[node(*source, position)].push((node(*target, word.after(position)), *marks));
            }
        }
    }
    reaches_accepting_cycle(&edges, automaton.all_marks(), node(automaton.initial, 0))
}

/// The tableau of a formula as a plain automaton, if it is small.
pub fn automaton(formula: &Formula) -> Option<Automaton> {
    let mut tableau = Tableau::new(formula).ok().filter(|tableau| tableau.sets() <= Automaton::MOST_SETS)?;
    tableau.state(tableau.start()).ok()?;
    let mut transitions = vec![];
    let mut source = 0;
    while source < tableau.states.len() {
        for Edge { cube, target, marks } in tableau.edges(StateId::at(source)).ok()? {
            let (target, guard) = (target.index() as u32, Guard { cubes: vec![cube.clone()] });
            transitions.push(Transition { source: source as u32, target, guard, marks: *marks });
        }
        source += 1;
        if source > 60 {
            return None;
        }
    }
    Some(Automaton { sinks: vec![false; source], initial: 0, sets: tableau.sets(), transitions })
}

/// A formula made by hand.
pub fn formula(make: impl Fn(&mut Builder, Sub, Sub) -> Sub) -> Formula {
    let mut builder = Builder::default();
    let (p, q) = (builder.atom(0), builder.atom(1));
    let root = make(&mut builder, p, q);
    builder.finish(root)
}

/// What a formula means on lassos is defined elsewhere, and has nothing to do with automata.
#[test]
fn the_tableau_accepts_the_words_of_the_formula() {
    let words = lassos(3);
    sampling::check(runs(300, 1), &formulas(2, 8), shown, |formula| {
        let Some(automaton) = automaton(&formula) else { return Ok(()) };
        for word in &words {
            if formula.holds_on(word) != accepts(&automaton, word) {
                return Err(format!("wrong on {word:?}"));
            }
        }
        Ok(())
    });
}

/// `F p` has the states "`F p`" and "nothing": it is met now, or promised.
#[test]
fn an_eventuality_is_met_or_promised() {
    let eventually = formula(|to, p, _| to.add(Node::Finally(p)));
    let mut tableau = Tableau::new(&eventually).unwrap();
    let start = tableau.state(tableau.start()).unwrap();
    let nothing = tableau.state([].into()).unwrap();
    let met = Edge { cube: vec![(0, true)], target: nothing, marks: 1 };
    let promised = Edge { cube: vec![], target: start, marks: 0 };
    assert_eq!(tableau.edges(start), Ok(&[met, promised][..]));
    assert_eq!(tableau.edges(nothing), Ok(&[Edge { cube: vec![], target: nothing, marks: 1 }][..]));
}

/// The obligations of `G (p -> X X … X q)` say at which of the last 20 positions `p` held, or may have: 2^20 states.
#[test]
fn too_many_states_are_refused() {
    let remembers = formula(|to, p, q| {
        let later = (0..20).fold(q, |later, _| to.add(Node::Next(later)));
        let each = to.add(Node::Implies(p, later));
        to.add(Node::Globally(each))
    });
    let mut tableau = Tableau::new(&remembers).unwrap();
    let start = tableau.state(tableau.start()).unwrap();
    assert_eq!(tableau.live(&[start]), Err(TooLarge));
}

/// A state with 40 disjunctions that have nothing in common has 2^40 branches.
#[test]
fn too_many_branches_are_refused() {
    let wide = formula(|to, p, _| {
        (1..=40).fold(p, |all, number| {
            let atom = to.atom(number);
            let next = to.add(Node::Next(atom));
            let either = to.add(Node::Or(atom, next));
            to.add(Node::And(all, either))
        })
    });
    let mut tableau = Tableau::new(&wide).unwrap();
    let start = tableau.state(tableau.start()).unwrap();
    assert_eq!(tableau.edges(start).map(<[Edge]>::len), Err(TooLarge));
}

/// Formulas of 10,000 operators need no deep stack: the first holds if the letter has `p`, and asks for `q` after it;
/// the second has too many branches, one for each place in it.
#[test]
fn deep_formulas_are_unfolded() {
    let conjunction = formula(|to, p, q| {
        let next = to.add(Node::Next(q));
        (0..10_000).fold(p, |f, _| to.add(Node::And(f, next)))
    });
    let mut tableau = Tableau::new(&conjunction).unwrap();
    assert_eq!(tableau.after(&[tableau.start()], |_| true).map(|sets| sets.len()), Ok(1));
    assert_eq!(tableau.after(&[tableau.start()], |_| false).map(|sets| sets.len()), Ok(0));
    let disjunction = formula(|to, p, q| {
        (0..10_000).fold(p, |f, _| {
            let both = to.add(Node::And(q, f));
            to.add(Node::Or(both, q))
        })
    });
    let mut tableau = Tableau::new(&disjunction).unwrap();
    assert_eq!(tableau.after(&[tableau.start()], |_| true), Err(TooLarge));
}
