//! Büchi automata: which words of letters are accepted, as plain data.
//!
//! An [`Automaton`] reads a word letter by letter. It moves along a transition whose guard the letter satisfies, and
//! accepts if one of its infinite runs comes through every *acceptance set* again and again (generalised, transition
//! based). It need not be complete: where no transition fits, the run of the automaton ends, and accepts nothing.
//!
//! A *sink* accepts whatever comes. A word that leads there is accepted by its beginning alone, so that reaching a sink
//! is a matter of reachability; an automaton all of whose accepting cycles are in sinks is *terminal*.

use crate::term::{Term, Terms};

/// An automaton over letters, which are sets of atoms by their numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// For each state, whether it is a sink.
    pub sinks: Vec<bool>,
    /// Where it starts.
    pub initial: u32,
    /// How many acceptance sets there are, at most [`Automaton::MOST_SETS`]; with none, every infinite run accepts.
    pub sets: u32,
    /// How it moves.
    pub transitions: Vec<Transition>,
}

/// A move of an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// From this state
    pub source: u32,
    /// to this one,
    pub target: u32,
    /// on letters that satisfy this;
    pub guard: Guard,
    /// a bit for each acceptance set that it is in.
    pub marks: u64,
}

/// A set of letters: those that satisfy one of the cubes, which are conjunctions of literals.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Guard {
    /// The cubes; each is a list of atoms with what they are to be.
    pub cubes: Vec<Vec<(u32, bool)>>,
}

impl Guard {
    /// All letters.
    pub fn any() -> Self {
        Guard { cubes: vec![vec![]] }
    }
    /// Whether a letter is one of them.
    pub fn admits(&self, letter: impl Fn(u32) -> bool) -> bool {
        self.cubes.iter().any(|cube| cube.iter().all(|(atom, value)| letter(*atom) == *value))
    }
    /// The guard as a condition, given what the atoms stand for.
    pub fn condition(&self, terms: &mut Terms, atoms: &[Term]) -> Term {
        let mut cubes = vec![];
        for cube in &self.cubes {
            let literals: Vec<Term> = cube
                .iter()
                .map(|(atom, value)| {
                    let atom = atoms[*atom as usize];
                    if *value { atom } else { terms.not(atom) }
                })
                .collect();
            cubes.push(terms.and(literals));
        }
        terms.or(cubes)
    }
}

impl Automaton {
    /// The most acceptance sets.
    pub const MOST_SETS: u32 = 32;

    /// The bits of all acceptance sets.
    pub fn all_marks(&self) -> u64 {
        (1 << self.sets) - 1
    }
    /// The moves from a state.
    pub fn from(&self, state: u32) -> impl Iterator<Item = &Transition> {
        self.transitions.iter().filter(move |transition| transition.source == state)
    }
    /// Whether states, sets and atoms are those that there are, and every sink accepts whatever comes: it has a
    /// transition to itself on all letters that is in every set.
    pub fn is_well_formed(&self, atoms: usize) -> bool {
        let states = self.sinks.len() as u32;
        if self.sets > Self::MOST_SETS || self.initial >= states {
            return false;
        }
        let fits = |transition: &Transition| {
            let Transition { source, target, guard, marks } = transition;
            *source < states
                && *target < states
                && *marks <= self.all_marks()
                && guard.cubes.iter().flatten().all(|(atom, _)| (*atom as usize) < atoms)
        };
        let accepts_all = |state: u32| {
            self.from(state).any(|transition| {
                transition.target == state
                    && transition.marks == self.all_marks()
                    && transition.guard.cubes.iter().any(Vec::is_empty)
            })
        };
        self.transitions.iter().all(fits)
            && (0..states).all(|state| !self.sinks[state as usize] || accepts_all(state))
    }
    /// Whether all accepting cycles are in sinks: no strongly connected component of other states has transitions in every
    /// acceptance set.
    pub fn is_terminal(&self) -> bool {
        let components = self.components();
        let within = |transition: &&Transition| {
            let (source, target) = (transition.source as usize, transition.target as usize);
            components[source] == components[target] && !self.sinks[source]
        };
        let mut marks = vec![None; self.sinks.len()];
        for transition in self.transitions.iter().filter(within) {
            *marks[components[transition.source as usize] as usize].get_or_insert(0) |= transition.marks;
        }
        !marks.contains(&Some(self.all_marks()))
    }
    /// The strongly connected component of each state, as the least state of it.
    fn components(&self) -> Vec<u32> {
        let states = self.sinks.len();
        let reach = |backwards: bool, from: u32| {
            let mut seen = vec![false; states];
            let mut open = vec![from];
            seen[from as usize] = true;
            while let Some(at) = open.pop() {
                for transition in &self.transitions {
                    let (source, target) = match backwards {
                        false => (transition.source, transition.target),
                        true => (transition.target, transition.source),
                    };
                    if source == at && !std::mem::replace(&mut seen[target as usize], true) {
                        open.push(target);
                    }
                }
            }
            seen
        };
        let mut component: Vec<Option<u32>> = vec![None; states];
        for state in 0..states as u32 {
            if component[state as usize].is_none() {
                let (after, before) = (reach(false, state), reach(true, state));
                for other in 0..states {
                    if after[other] && before[other] {
                        component[other] = Some(state);
                    }
                }
            }
        }
        component.into_iter().map(|found| found.expect("a state reaches itself")).collect()
    }
}
