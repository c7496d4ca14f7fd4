//! Formulas of linear temporal logic, by the laws of their operators.
//!
//! Every temporal operator is a fixed point of its law, which says what it is here by what it is at the next position:
//!
//! | operator | law | fixed point |
//! |---|---|---|
//! | `F g` | `g ∨ X F g` | least |
//! | `G f` | `f ∧ X G f` | greatest |
//! | `f U g`, `f W g` | `g ∨ (f ∧ X …)` | least, greatest |
//! | `f M g`, `f R g` | `g ∧ (f ∨ X …)` | least, greatest |
//!
//! On a lasso, fixed points are computed by iteration. For what words can come, a *state* says of each temporal operator
//! whether it holds at the next position, in any combination (Clarke, Grumberg and Hamaguchi 1994). A letter and the next
//! state decide every sub-formula here, and must agree with what this state says. A path of states is one of a word if
//! it does not put off a fixed point for ever: again and again, each operator is what it would be if it were not true
//! (least), or were true (greatest), at the next position.

use ir::Id;
use ir::ltl::{Formula, Node, Sub};
use rustc_hash::FxHashMap;

/// Whether a temporal operator is a greatest fixed point.
fn is_greatest(node: Node) -> bool {
    matches!(node, Node::Globally(_) | Node::WeakUntil(..) | Node::Release(..))
}

/// The value of a sub-formula, given the values of older ones and what it is, or what is under `X`, at the next position.
fn law(node: Node, value: &dyn Fn(Sub) -> bool, letter: &dyn Fn(u32) -> bool, later: bool) -> bool {
    match node {
        Node::True => true,
        Node::False => false,
        Node::Atom(atom) => letter(atom),
        Node::Not(f) => !value(f),
        Node::And(f, g) => value(f) && value(g),
        Node::Or(f, g) => value(f) || value(g),
        Node::Implies(f, g) => !value(f) || value(g),
        Node::Iff(f, g) => value(f) == value(g),
        Node::Next(_) => later,
        Node::Finally(g) => value(g) || later,
        Node::Globally(f) => value(f) && later,
        Node::Until(f, g) | Node::WeakUntil(f, g) => value(g) || value(f) && later,
        Node::Release(f, g) | Node::StrongRelease(f, g) => value(g) && (value(f) || later),
    }
}

/// Whether the word with these letters, which goes on at `back` after the last, satisfies a formula.
pub(super) fn holds(formula: &Formula, letters: &[Vec<bool>], back: usize) -> bool {
    let after = |at: usize| if at + 1 == letters.len() { back } else { at + 1 };
    let mut values: Vec<Vec<bool>> = vec![];
    for node in formula.nodes().iter() {
        let mut row = vec![is_greatest(*node); letters.len()];
        // Each round settles one more position, seen from where the fixed point is decided.
        for _ in 0..=2 * letters.len() {
            for at in (0..letters.len()).rev() {
                let later = match node {
                    Node::Next(f) => values[f.index()][after(at)],
                    _ => row[after(at)],
                };
                row[at] =
                    law(*node, &|sub| values[sub.index()][at], &|atom| letters[at][atom as usize], later);
            }
        }
        values.push(row);
    }
    values[formula.root().index()][0]
}

/// What temporal operators are at the next position, a bit for each in their order.
type State = u64;

/// Whether every infinite word that begins with these letters satisfies a formula; `None` if it has too many operators.
pub(super) fn is_good_prefix(formula: &Formula, letters: &[Vec<bool>]) -> Option<bool> {
    let tableau = Tableau::new(formula)?;
    // Where a path of a word can be that does not satisfy the formula.
    let mut states: Vec<State> = match letters.split_first() {
        None => return Some(false),
        Some((first, _)) => {
            tableau.all().filter(|state| !tableau.value(first, *state, tableau.root)).collect()
        }
    };
    for (before, letter) in letters.iter().zip(&letters[1..]) {
        let _ = before;
        let follows = |after: &State| states.iter().any(|state| tableau.agrees(*state, letter, *after));
        states = tableau.all().filter(follows).collect();
    }
    let live = tableau.live();
    Some(!states.iter().any(|state| live.contains_key(state)))
}

struct Tableau {
    nodes: Vec<Node>,
    root: Sub,
    /// The temporal sub-formulas.
    temporal: Vec<Sub>,
    atoms: u32,
}

impl Tableau {
    fn new(formula: &Formula) -> Option<Self> {
        let nodes: Vec<Node> = formula.nodes().iter().copied().collect();
        let temporal: Vec<Sub> =
            (0..nodes.len()).filter(|at| nodes[*at].is_temporal()).map(Sub::at).collect();
        let fits = temporal.len() + formula.atoms() as usize <= 16;
        fits.then(|| Tableau { nodes, root: formula.root(), temporal, atoms: formula.atoms() })
    }
    fn all(&self) -> impl Iterator<Item = State> + use<> {
        0..1 << self.temporal.len()
    }
    fn letters(&self) -> impl Iterator<Item = Vec<bool>> + use<'_> {
        (0..1_u64 << self.atoms).map(|set| (0..self.atoms).map(|atom| set >> atom & 1 == 1).collect())
    }
    /// The values of all sub-formulas, given a letter and what is said of the next position.
    fn values(&self, letter: &[bool], state: State) -> Vec<bool> {
        let mut values: Vec<bool> = vec![];
        for (at, node) in self.nodes.iter().enumerate() {
            let bit = self.temporal.iter().position(|sub| sub.index() == at);
            let later = bit.is_some_and(|bit| state >> bit & 1 == 1);
            let value = law(*node, &|sub| values[sub.index()], &|atom| letter[atom as usize], later);
            values.push(value);
        }
        values
    }
    fn value(&self, letter: &[bool], state: State, sub: Sub) -> bool {
        self.values(letter, state)[sub.index()]
    }
    /// Whether a state can be followed by this letter, with another state after it.
    fn agrees(&self, state: State, letter: &[bool], after: State) -> bool {
        let values = self.values(letter, after);
        self.temporal.iter().enumerate().all(|(bit, sub)| {
            let said = match self.nodes[sub.index()] {
                Node::Next(f) => values[f.index()],
                _ => values[sub.index()],
            };
            said == (state >> bit & 1 == 1)
        })
    }
    /// A bit for each operator that is not put off by a letter and the state after it.
    fn marks(&self, letter: &[bool], after: State) -> u64 {
        let values = self.values(letter, after);
        let mut marks = 0;
        for (bit, sub) in self.temporal.iter().enumerate() {
            let node = self.nodes[sub.index()];
            let decided = law(node, &|sub| values[sub.index()], &|_| false, is_greatest(node));
            if matches!(node, Node::Next(_)) || decided == values[sub.index()] {
                marks |= 1 << bit;
            }
        }
        marks
    }
    /// The states from which some word goes on for ever.
    fn live(&self) -> FxHashMap<State, ()> {
        let mut edges = vec![];
        for letter in self.letters() {
            for after in self.all() {
                let marks = self.marks(&letter, after);
                let before = self.all().filter(|state| self.agrees(*state, &letter, after));
                edges.extend(before.map(|state| (state as usize, after as usize, marks)));
            }
        }
        let live = fair(1 << self.temporal.len(), &edges, self.temporal.len() as u32);
        self.all().filter(|state| live[*state as usize]).map(|state| (state, ())).collect()
    }
}

/// The nodes of a graph from which a path goes on for ever and comes through edges with each of so many marks again and
/// again: the largest set in which each node has a way, inside the set, to an edge of it with each mark (Emerson and Lei
/// 1986).
pub(super) fn fair(nodes: usize, edges: &[(usize, usize, u64)], marks: u32) -> Vec<bool> {
    let mut inside = vec![true; nodes];
    loop {
        let before = inside.clone();
        for mark in 0..marks.max(1) {
            let has = |marked: u64| marks == 0 || marked >> mark & 1 == 1;
            let mut reaches = vec![false; nodes];
            let mut changed = true;
            while std::mem::take(&mut changed) {
                for &(from, to, marked) in edges.iter().rev() {
                    if inside[from] && inside[to] && !reaches[from] && (has(marked) || reaches[to]) {
                        (reaches[from], changed) = (true, true);
                    }
                }
            }
            inside = reaches;
        }
        if inside == before {
            return inside;
        }
    }
}
