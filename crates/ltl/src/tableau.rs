//! From formulas to automata: the tableau of obligations (Couvreur 1999).
//!
//! A state is a set of formulas in negation normal form, the *obligations*: the words read from it are those that satisfy
//! all of them. Each formula *unfolds* into alternatives, that is, a guard for the present letter, obligations for the
//! rest of the word, and promises:
//!
//! | formula | alternatives |
//! |---|---|
//! | `p`, `!p` | the guard, and nothing else |
//! | `f & g`, `f \| g` | all pairs of alternatives of both; those of either |
//! | `X f` | `f` is to hold next |
//! | `f U g` | those of `g`; those of `f` with `f U g` next, and the *promise* that `g` will come |
//! | `f R g` | those of `g` with those of `f`; those of `g` with `f R g` next |
//!
//! The edges of a state are the alternatives of the conjunction of its obligations. One acceptance set for each until:
//! the edges that do not promise it. A run that makes a promise for ever, and never keeps it, is thus not accepted.
//!
//! An alternative is left out if another asks less in every respect: it reads more letters, with a part of the
//! obligations and of the promises; whatever the first accepts, so does that one, with more marks. States with the
//! same edges are one. Nothing else is simplified, and formulas are not rewritten. Two things that look harmless are
//! not. An obligation may not be left out because another implies it: `F (p & F q)` implies `F q`, but does not make its
//! promise. And edges are those of the set as it is, not of its conjunction in another form, for the same reason.

use std::fmt;
use std::hash::Hash;

use indexmap::IndexMap;
use ir::ltl::{Formula, Node, Sub};
use ir::{Id, IdVec};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use crate::automaton::{Automaton, Edge, Marks, State};
use crate::guard::{Guard, Guards};

/// How large an automaton may become.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most states before reduction.
    pub states: usize,
    /// The most edges of one state before reduction, and the most alternatives of one formula.
    pub edges: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { states: 20_000, edges: 4_096 }
    }
}

/// So many times the edges of one state may all states have, and the pairs of which those edges are made.
const EDGES_IN_ALL: usize = 256;

/// Why there is no automaton for a formula.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum TooLarge {
    /// More states than this.
    States(usize),
    /// More edges than this, or more alternatives of one formula.
    Edges(usize),
    /// More different untils than acceptance sets, of which there are at most [`Marks::MOST`].
    Untils(usize),
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::States(most) => write!(f, "the automaton of the formula has more than {most} states"),
            Self::Edges(most) => {
                write!(f, "the automaton of the formula needs more than {most} edges")
            }
            Self::Untils(number) => {
                write!(f, "the formula has {number} eventualities, more than {}", Marks::MOST)
            }
        }
    }
}

impl std::error::Error for TooLarge {}

/// The automaton that accepts the words that satisfy the formula, as the tableau gives it.
///
/// # Errors
/// If it would be larger than allowed.
pub fn tableau(formula: &Formula, limits: Limits) -> Result<Automaton, TooLarge> {
    let nnf = formula.nnf();
    let mut tableau = Tableau::new(&nnf, limits)?;
    let obligations = tableau.conjuncts(nnf.root());
    let initial = tableau.state(&obligations)?;
    let mut edges = vec![];
    let mut next = 0;
    while let Some((alternatives, _)) = tableau.states.get_index(next) {
        let source = State::at(next);
        for Alternative { guard, next, promises } in alternatives.clone() {
            let target = tableau.state(&next)?;
            let marks = Marks(Marks::all(tableau.untils).0 & !promises);
            edges.push(Edge { source, target, guard, marks });
        }
        if edges.len() > EDGES_IN_ALL * limits.edges {
            return Err(TooLarge::Edges(EDGES_IN_ALL * limits.edges));
        }
        next += 1;
    }
    let Tableau { guards, untils, states, .. } = tableau;
    Ok(Automaton::new(guards, nnf.atoms(), untils, states.len(), initial, edges))
}

/// A set of sub-formulas, one bit each.
type Set = SmallVec<[u64; 2]>;

fn within(small: &Set, big: &Set) -> bool {
    small.iter().zip(big).all(|(small, big)| small & !big == 0)
}

/// One way in which a formula can hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Alternative {
    guard: Guard,
    next: Set,
    /// A bit for each until that is promised.
    promises: u64,
}

struct Tableau<'a> {
    formula: &'a Formula,
    limits: Limits,
    guards: Guards,
    untils: u32,
    /// The alternatives of each sub-formula that can be part of an obligation.
    unfolded: IdVec<Sub, Vec<Alternative>>,
    /// A state is known by its edges; it goes by the number of the entry.
    states: IndexMap<Vec<Alternative>, (), FxBuildHasher>,
    /// The state for a set of obligations.
    known: FxHashMap<Set, State>,
}

impl<'a> Tableau<'a> {
    /// Unfolds all sub-formulas that are met in a state.
    fn new(formula: &'a Formula, limits: Limits) -> Result<Self, TooLarge> {
        let untils = formula.nodes().iter().filter(|node| matches!(node, Node::Until(..))).count();
        if untils > Marks::MOST as usize {
            return Err(TooLarge::Untils(untils));
        }
        let mut tableau = Self {
            formula,
            limits,
            guards: Guards::default(),
            untils: 0,
            unfolded: IdVec::new(),
            states: IndexMap::default(),
            known: FxHashMap::default(),
        };
        let met = tableau.met();
        for sub in formula.nodes().ids() {
            let alternatives = if contains(&met, sub) { tableau.unfold(sub)? } else { vec![] };
            tableau.unfolded.push(alternatives);
        }
        Ok(tableau)
    }

    /// The sub-formulas whose alternatives are needed. Conjunctions in obligations are split, so that theirs are not.
    fn met(&self) -> Set {
        let nodes = self.formula.nodes();
        let mut met = self.conjuncts(self.formula.root());
        for (sub, &node) in nodes.entries().rev().filter(|(_, node)| !matches!(node, Node::Not(_))) {
            if !contains(&met, sub) {
                continue;
            }
            match node {
                Node::Next(f) => met.iter_mut().zip(self.conjuncts(f)).for_each(|(met, more)| *met |= more),
                _ => node.children().for_each(|child| insert(&mut met, child)),
            }
        }
        met
    }

    fn empty(&self) -> Set {
        smallvec::smallvec![0; self.formula.nodes().len().div_ceil(64)]
    }

    /// The parts of a conjunction, and the parts of those.
    fn conjuncts(&self, sub: Sub) -> Set {
        let mut set = self.empty();
        let mut open = vec![sub];
        let mut seen = self.empty();
        while let Some(sub) = open.pop() {
            if contains(&seen, sub) {
                continue;
            }
            insert(&mut seen, sub);
            match self.formula.nodes()[sub] {
                Node::And(f, g) => open.extend([f, g]),
                Node::True => {}
                _ => insert(&mut set, sub),
            }
        }
        set
    }

    /// The alternatives of a sub-formula; those of its operands are known.
    fn unfold(&mut self, sub: Sub) -> Result<Vec<Alternative>, TooLarge> {
        let now = |guard| Alternative { guard, next: self.empty(), promises: 0 };
        let later = |set| Alternative { guard: Guard::TRUE, next: set, promises: 0 };
        Ok(match self.formula.nodes()[sub] {
            Node::True => vec![now(Guard::TRUE)],
            Node::Atom(number) => {
                let alternative = now(Guard::TRUE);
                vec![Alternative { guard: self.guards.literal(number, true), ..alternative }]
            }
            Node::Not(atom) => {
                let Node::Atom(number) = self.formula.nodes()[atom] else {
                    unreachable!("negations stand before atoms")
                };
                let alternative = now(Guard::TRUE);
                vec![Alternative { guard: self.guards.literal(number, false), ..alternative }]
            }
            Node::Next(f) => vec![later(self.conjuncts(f))],
            Node::And(f, g) => self.product(&self.unfolded[f].clone(), &self.unfolded[g].clone())?,
            Node::Or(f, g) => {
                let either = [&self.unfolded[f][..], &self.unfolded[g]].concat();
                self.simplified(either)?
            }
            Node::Until(f, g) => {
                let promise = 1 << self.untils;
                self.untils += 1;
                let again = Alternative { promises: promise, ..later(self.conjuncts(sub)) };
                let mut wait = self.product(&self.unfolded[f].clone(), &[again])?;
                wait.extend_from_slice(&self.unfolded[g]);
                self.simplified(wait)?
            }
            Node::Release(f, g) => {
                let mut either = self.unfolded[f].clone();
                either.push(later(self.conjuncts(sub)));
                self.product(&self.unfolded[g].clone(), &either)?
            }
            // `false` has no alternative; other operators are not in normal forms.
            _ => vec![],
        })
    }

    /// The ways in which both can hold.
    fn product(
        &mut self,
        first: &[Alternative],
        second: &[Alternative],
    ) -> Result<Vec<Alternative>, TooLarge> {
        if first.len() * second.len() > EDGES_IN_ALL * self.limits.edges {
            return Err(TooLarge::Edges(self.limits.edges));
        }
        let mut both = vec![];
        for one in first {
            for other in second {
                let guard = self.guards.and(one.guard, other.guard);
                if guard != Guard::FALSE {
                    let next = one.next.iter().zip(&other.next).map(|(one, other)| one | other).collect();
                    both.push(Alternative { guard, next, promises: one.promises | other.promises });
                }
            }
        }
        self.simplified(both)
    }

    /// Joins alternatives that differ in their guards only, and leaves out those that ask more than another.
    fn simplified(&mut self, mut list: Vec<Alternative>) -> Result<Vec<Alternative>, TooLarge> {
        list.sort_unstable_by(|a, b| (&a.next, a.promises).cmp(&(&b.next, b.promises)));
        let mut joined: Vec<Alternative> = vec![];
        for one in list {
            match joined.last_mut() {
                Some(last) if last.next == one.next && last.promises == one.promises => {
                    last.guard = self.guards.or(last.guard, one.guard);
                }
                _ => joined.push(one),
            }
        }
        if joined.len() > self.limits.edges {
            return Err(TooLarge::Edges(self.limits.edges));
        }
        let asks_less = |guards: &mut Guards, less: &Alternative, more: &Alternative| {
            less.promises & !more.promises == 0
                && within(&less.next, &more.next)
                && guards.implies(more.guard, less.guard)
        };
        let mut index = 0;
        while index < joined.len() {
            let others = (0..joined.len()).filter(|&other| other != index);
            let mut others = others.map(|other| &joined[other]);
            if others.any(|other| asks_less(&mut self.guards, other, &joined[index])) {
                joined.remove(index);
            } else {
                index += 1;
            }
        }
        Ok(joined)
    }

    /// The state for a set of obligations.
    fn state(&mut self, obligations: &Set) -> Result<State, TooLarge> {
        if let Some(&state) = self.known.get(obligations) {
            return Ok(state);
        }
        let mut edges = vec![Alternative { guard: Guard::TRUE, next: self.empty(), promises: 0 }];
        for sub in self.formula.nodes().ids().filter(|&sub| contains(obligations, sub)) {
            let alternatives = self.unfolded[sub].clone();
            edges = self.product(&edges, &alternatives)?;
        }
        let state = State::at(self.states.insert_full(edges, ()).0);
        if self.states.len() > self.limits.states {
            return Err(TooLarge::States(self.limits.states));
        }
        self.known.insert(obligations.clone(), state);
        Ok(state)
    }
}

fn contains(set: &Set, sub: Sub) -> bool {
    set[sub.index() / 64] >> (sub.index() % 64) & 1 == 1
}

fn insert(set: &mut Set, sub: Sub) {
    set[sub.index() / 64] |= 1 << (sub.index() % 64);
}
