//! The tableau of a formula of linear temporal logic: an automaton that accepts the words that satisfy it.
//!
//! The automata in evidence come from an engine, and are not trusted. This one is the judge's own, and naive: formulas are
//! not rewritten and states not merged, so that it can be read against the meaning of the operators.
//!
//! **Construction** (Couvreur 1999). A state is a set of formulas in negation normal form, the *obligations*: all of them
//! hold at this position. To *unfold* a set is to say what it asks of the letter here and of the position after it, by
//! the laws
//!
//! - `f U g = g | (f & X (f U g))`
//! - `f R g = g & (f | X (f R g))`
//!
//! with a branch for each way to choose a side of every disjunction. A branch that goes through has a *cube* of literals for
//! the letter, and the obligations of the next position, which it found under `X`. Branches with `false` or with a literal
//! and its opposite lead nowhere.
//!
//! **Acceptance.** The law of `U` may be used to put `g` off for ever, which the formula does not allow. A branch that puts
//! it off *promises* the formula. There is an acceptance set for every `f U g`: the edges that do not promise it. A run is
//! accepting if it comes through every set again and again.
//!
//! **Why it accepts every word of the formula**, on which the judge relies. Let a word satisfy all obligations of a state.
//! At each disjunction choose a side that holds, and `g` rather than putting it off wherever `g` holds. Then the letter
//! satisfies the cube, the rest of the word satisfies the next obligations, and so on for ever. If `f U g` were promised by
//! all edges from some position on, it would hold there, but `g` nowhere: this cannot be. Conversely, what the
//! automaton accepts satisfies the formula, by induction on sub-formulas; without that the judge would only accept less.
//!
//! **Branches left out.** A branch is left out beside one that asks for no more: for a part of its literals, of its next
//! obligations and of its promises. Nothing is lost. Given an accepting run with states `T`, there is one with states
//! `S ⊆ T` that uses only what is left: the branch of `T` contains one of `S`, which makes the same choices for fewer
//! formulas; beside this there is one left that asks for no more, hence leads to a part of what `T` leads to, on
//! the same letter and with no more promises. (Inclusion is a *direct simulation*.)
//!
//! **Limits.** A set may have exponentially many branches, and there may be exponentially many sets. All work is counted,
//! and too much of it is an error.

mod live;

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexSet;
use ir::Id;
use ir::ltl::{Formula, Node, Sub};
use rustc_hash::FxBuildHasher;

/// The most states of a tableau.
const MOST_STATES: usize = 20_000;
/// The most edges of a tableau.
const MOST_EDGES: usize = 200_000;
/// The most work with a tableau: formulas unfolded or copied with a branch, branches and sets compared.
const MOST_WORK: usize = 10_000_000;
/// How much more work may be done for each letter of a word that is read.
const WORK_PER_LETTER: usize = 10_000;
/// The most acceptance sets.
const MOST_SETS: usize = 64;

/// There is more to look at than the judge is willing to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TooLarge;

ir::id!(
    /// A state of a [`Tableau`].
    StateId
);

/// Obligations, in order and each once.
pub type Set = Box<[Sub]>;

/// The tableau of a formula; states and edges come into being when they are asked for.
pub struct Tableau {
    /// In negation normal form.
    formula: Formula,
    /// The untils, in the order of their acceptance sets.
    untils: IndexSet<Sub, FxBuildHasher>,
    states: IndexSet<Set, FxBuildHasher>,
    /// For each state, the edges from it, if they are known.
    edges: Vec<Option<Box<[Edge]>>>,
    edge_count: usize,
    work: Work,
}

/// The work that may still be done.
#[derive(Copy, Clone, Debug)]
struct Work(usize);

impl Work {
    fn spend(&mut self, steps: usize) -> Result<(), TooLarge> {
        self.0 = self.0.checked_sub(steps).ok_or(TooLarge)?;
        Ok(())
    }
}

/// A way on from a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// What the letter must be: atoms in ascending order, each once.
    pub cube: Vec<(u32, bool)>,
    /// The state after it.
    pub target: StateId,
    /// A bit for each acceptance set that the edge is in.
    pub marks: u64,
}

impl Tableau {
    /// The tableau of a formula.
    ///
    /// # Errors
    /// If it has too many acceptance sets.
    pub fn new(formula: &Formula) -> Result<Self, TooLarge> {
        let formula = formula.nnf();
        let is_until = |(sub, node): (Sub, &Node)| matches!(node, Node::Until(..)).then_some(sub);
        let untils: IndexSet<_, _> = formula.nodes().entries().filter_map(is_until).collect();
        if untils.len() > MOST_SETS {
            return Err(TooLarge);
        }
        let states = IndexSet::default();
        Ok(Self { formula, untils, states, edges: vec![], edge_count: 0, work: Work(MOST_WORK) })
    }
    /// What a word has to satisfy that satisfies the formula: the formula.
    pub fn start(&self) -> Set {
        [self.formula.root()].into()
    }
    /// How many acceptance sets there are.
    pub fn sets(&self) -> u32 {
        self.untils.len() as u32
    }
    /// The bits of all acceptance sets.
    fn all_marks(&self) -> u64 {
        (0..self.sets()).fold(0, |marks, set| marks | 1 << set)
    }

    /// The state that has these obligations.
    ///
    /// # Errors
    /// If there are too many.
    pub fn state(&mut self, set: Set) -> Result<StateId, TooLarge> {
        let (index, new) = self.states.insert_full(set);
        if new {
            self.edges.push(None);
        }
        if self.states.len() > MOST_STATES { Err(TooLarge) } else { Ok(StateId::at(index)) }
    }

    /// What the rest of a word has to satisfy in a state, in order.
    pub fn obligations(&self, state: StateId) -> &[Sub] {
        &self.states[state.index()]
    }

    /// The edges from a state.
    ///
    /// # Errors
    /// If there are too many, or too many states.
    pub fn edges(&mut self, state: StateId) -> Result<&[Edge], TooLarge> {
        if self.edges[state.index()].is_none() {
            let mut work = self.work;
            let branches = self.unfold(&self.states[state.index()], |_| None, &mut work)?;
            self.work = work;
            let mut edges = vec![];
            for Branch { cube, next, promises, .. } in branches {
                let target = self.state(next.into_iter().collect())?;
                let marks = self.all_marks() & !promises;
                edges.push(Edge { cube: cube.into_iter().collect(), target, marks });
            }
            self.edge_count += edges.len();
            if self.edge_count > MOST_EDGES {
                return Err(TooLarge);
            }
            self.edges[state.index()] = Some(edges.into());
        }
        Ok(self.edges[state.index()].as_deref().expect("they have just been found"))
    }

    /// What the rest of a word must satisfy, one of these, so that the word with `letter` before it satisfies one of `sets`.
    /// Sets that ask for more than others do are left out.
    ///
    /// # Errors
    /// If there are too many.
    pub fn after(&mut self, sets: &[Set], letter: impl Fn(u32) -> bool) -> Result<Vec<Set>, TooLarge> {
        let mut work = Work(self.work.0 + WORK_PER_LETTER);
        let mut after: BTreeSet<BTreeSet<Sub>> = BTreeSet::new();
        for set in sets {
            let branches = self.unfold(set, |atom| Some(letter(atom)), &mut work)?;
            after.extend(branches.into_iter().map(|branch| branch.next));
        }
        work.spend(after.len() * after.len())?;
        self.work = work;
        let asks_more = |set: &&BTreeSet<Sub>| after.iter().any(|less| less != *set && less.is_subset(set));
        let least = after.iter().filter(|set| !asks_more(set));
        Ok(least.map(|set| set.iter().copied().collect()).collect())
    }

    /// The branches that go through and are not left out; `known` says what is known of the letter.
    fn unfold(
        &self,
        set: &[Sub],
        known: impl Fn(u32) -> Option<bool>,
        work: &mut Work,
    ) -> Result<Vec<Branch>, TooLarge> {
        let mut open = vec![Branch { here: set.to_vec(), ..Branch::default() }];
        let mut through: Vec<Branch> = vec![];
        'branches: while let Some(mut branch) = open.pop() {
            while let Some(sub) = branch.here.pop() {
                let (others, copied) = (open.len(), branch.unfolded.len() + branch.here.len());
                if branch.unfolded.insert(sub) && !self.demand(sub, &mut branch, &known, &mut open) {
                    continue 'branches;
                }
                work.spend(if open.len() > others { 1 + copied } else { 1 })?;
            }
            work.spend(through.len())?;
            if !through.iter().any(|other| branch.asks_for(other)) {
                through.retain(|other| !other.asks_for(&branch));
                through.push(branch);
            }
        }
        Ok(through)
    }

    /// Has a branch satisfy one of the sub-formulas, and adds the other branches that this gives to `open`; tells whether
    /// the branch is still possible.
    fn demand(
        &self,
        sub: Sub,
        branch: &mut Branch,
        known: impl Fn(u32) -> Option<bool>,
        open: &mut Vec<Branch>,
    ) -> bool {
        use Node::*;
        let node = |sub: Sub| self.formula.nodes()[sub];
        match node(sub) {
            True => {}
            False => return false,
            Atom(atom) => return branch.read(atom, true, known),
            Not(f) => match node(f) {
                Atom(atom) => return branch.read(atom, false, known),
                _ => unreachable!("only atoms are negated in negation normal form"),
            },
            And(f, g) => branch.here.extend([f, g]),
            Or(f, g) => {
                let mut other = branch.clone();
                other.here.push(g);
                open.push(other);
                branch.here.push(f);
            }
            Next(f) => {
                if node(f) != True {
                    branch.next.insert(f);
                }
            }
            Until(f, g) => {
                let mut later = branch.clone();
                later.here.push(f);
                later.next.insert(sub);
                later.promises |= 1 << self.untils.get_index_of(&sub).expect("every until has its set");
                open.push(later);
                branch.here.push(g);
            }
            Release(f, g) => {
                branch.here.push(g);
                let mut later = branch.clone();
                later.next.insert(sub);
                open.push(later);
                branch.here.push(f);
            }
            Implies(..) | Iff(..) | Finally(_) | Globally(_) | WeakUntil(..) | StrongRelease(..) => {
                unreachable!("not in negation normal form")
            }
        }
        true
    }
}

/// One way to satisfy obligations, as far as it has been chosen.
#[derive(Clone, Default, Debug)]
struct Branch {
    /// What is still to be unfolded here.
    here: Vec<Sub>,
    /// What has been.
    unfolded: BTreeSet<Sub>,
    /// What the letter must be.
    cube: BTreeMap<u32, bool>,
    /// The obligations of the next position.
    next: BTreeSet<Sub>,
    /// A bit for each until that is put off.
    promises: u64,
}

impl Branch {
    /// Whether it asks for all that another asks for of the letter and of what comes after it.
    fn asks_for(&self, other: &Self) -> bool {
        other.promises & !self.promises == 0
            && other.next.is_subset(&self.next)
            && other.cube.iter().all(|(atom, value)| self.cube.get(atom) == Some(value))
    }
    /// Has the letter give this value to an atom; tells whether it can.
    fn read(&mut self, atom: u32, value: bool, known: impl Fn(u32) -> Option<bool>) -> bool {
        match known(atom) {
            Some(is) => is == value,
            None => *self.cube.entry(atom).or_insert(value) == value,
        }
    }
}

#[cfg(test)]
pub mod tests;
