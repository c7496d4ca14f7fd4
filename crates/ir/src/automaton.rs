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
    /// From which states a letter is accepted that comes again and again for ever.
    pub fn accepts_for_ever(&self, letter: impl Fn(u32) -> bool) -> Vec<bool> {
        let mut same = self.clone();
        same.transitions.retain(|transition| transition.guard.admits(&letter));
        let components = same.components();
        let mut marks = vec![None; self.sinks.len()];
        for Transition { source, target, marks: its, .. } in &same.transitions {
            if components[*source as usize] == components[*target as usize] {
                *marks[components[*source as usize] as usize].get_or_insert(0) |= its;
            }
        }
        let all = self.all_marks();
        let mut accepts: Vec<bool> = (0..self.sinks.len())
            .map(|state| self.sinks[state] || marks[components[state] as usize] == Some(all))
            .collect();
        let mut grew = true;
        while std::mem::take(&mut grew) {
            for Transition { source, target, .. } in &same.transitions {
                if accepts[*target as usize] && !std::mem::replace(&mut accepts[*source as usize], true) {
                    grew = true;
                }
            }
        }
        accepts
    }
    /// The atoms that guards look at, in order.
    pub fn atoms(&self) -> Vec<u32> {
        let cubes = self.transitions.iter().flat_map(|transition| &transition.guard.cubes);
        let mut atoms: Vec<u32> = cubes.flatten().map(|(atom, _)| *atom).collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }
    /// The strongly connected component of each state, as the number of a state of it (Tarjan 1972).
    fn components(&self) -> Vec<u32> {
        let states = self.sinks.len();
        let mut after = vec![vec![]; states];
        for transition in &self.transitions {
            after[transition.source as usize].push(transition.target);
        }
        const NONE: u32 = u32::MAX;
        let mut component = vec![NONE; states];
        // When each state was found, and the earliest state on the path that it is known to lead back to.
        let (mut found, mut earliest) = (vec![NONE; states], vec![NONE; states]);
        let mut count = 0;
        // States whose component is not complete, in the order they were found.
        let mut open: Vec<u32> = vec![];
        for root in 0..states as u32 {
            if found[root as usize] != NONE {
                continue;
            }
            // The path, with how many transitions of each state have been followed.
            let mut path = vec![(root, 0)];
            while let Some((state, next)) = path.last_mut() {
                let at = *state as usize;
                if *next == 0 {
                    (found[at], earliest[at]) = (count, count);
                    count += 1;
                    open.push(*state);
                }
                if let Some(&target) = after[at].get(*next) {
                    *next += 1;
                    let to = target as usize;
                    if found[to] == NONE {
                        path.push((target, 0));
                    } else if component[to] == NONE {
                        earliest[at] = earliest[at].min(found[to]);
                    }
                    continue;
                }
                let state = *state;
                path.pop();
                if let Some((parent, _)) = path.last() {
                    let parent = *parent as usize;
                    earliest[parent] = earliest[parent].min(earliest[at]);
                }
                if earliest[at] == found[at] {
                    while let Some(member) = open.pop() {
                        component[member as usize] = state;
                        if member == state {
                            break;
                        }
                    }
                }
            }
        }
        component
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An automaton with these transitions in the only acceptance set, each on every letter.
    fn automaton(states: u32, transitions: &[(u32, u32)]) -> Automaton {
        let transition = |(source, target): &(u32, u32)| {
            let (source, target, guard) = (*source, *target, Guard::any());
            Transition { source, target, guard, marks: 1 }
        };
        let transitions = transitions.iter().map(transition).collect();
        Automaton { sinks: vec![false; states as usize], initial: 0, sets: 1, transitions }
    }

    /// Two components as what can be reached both ways says, for graphs with bridges, loops and parts nobody reaches.
    #[test]
    fn states_in_one_component_reach_each_other() {
        let mut random = 1_u64;
        let mut next = |below: u32| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as u32 % below
        };
        for _ in 0..300 {
            let states = 1 + next(7);
            let edges: Vec<(u32, u32)> = (0..next(12)).map(|_| (next(states), next(states))).collect();
            let mut reach: Vec<Vec<bool>> =
                (0..states).map(|from| (0..states).map(|to| from == to).collect()).collect();
            for _ in 0..states {
                for (from, to) in &edges {
                    for row in &mut reach {
                        row[*to as usize] |= row[*from as usize];
                    }
                }
            }
            let components = automaton(states, &edges).components();
            for a in 0..states as usize {
                for b in 0..states as usize {
                    let together = reach[a][b] && reach[b][a];
                    assert_eq!(components[a] == components[b], together, "{a} and {b} in {edges:?}");
                }
            }
        }
    }

    /// Neither deep recursion nor a number of steps that grows faster than the automaton does.
    #[test]
    fn a_long_chain_is_terminal_unless_it_is_closed() {
        let length = 100_000;
        let mut chain: Vec<(u32, u32)> = (1..length).map(|to| (to - 1, to)).collect();
        assert!(automaton(length, &chain).is_terminal());
        chain.push((length - 1, 0));
        assert!(!automaton(length, &chain).is_terminal());
    }
}
