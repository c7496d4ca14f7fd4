//! Entries with open data.
//!
//! A variable whose value is open in an entry can have every value of its type and range there,
//! independently of all others; so the entry stands for many discrete states at once, as abstractions
//! that see only some variables have them. All of them are checked together, in one of two ways.
//!
//! **Coarse.** Statements are executed with values that may be *unknown*, which always means: any of those
//! that some state of the entry leads to. A term has a value if its known parts decide it, whatever the
//! others are; otherwise it is unknown. An assumption that is unknown passes, an `if` goes both ways, and
//! what is assigned an unknown value becomes open; a variable never leaves its range, since the half of a
//! statement that runs where nothing goes wrong blocks there. An array becomes open as a whole. Loops,
//! clocks and bounds of clocks on unknown numbers are refused. So each execution of each state of the entry
//! is an instance of a coarse one, with the same operations on clocks, and ends in a state that is an
//! instance of its end. It is not asked whether a coarse execution has any instances, which can refuse what
//! is right and never accept what is wrong.
//!
//! **Exact.** Where that finds a flaw, one execution is followed for each value of a variable when it is
//! first read, if these can be enumerated; a variable that is never read stays open. What was chosen
//! without knowing is then a fact about the data of this execution alone.
//!
//! A value that a statement itself leaves open (`havoc`) is enumerated in both, if that is possible. A number
//! without limits is enumerated where a condition asks for it, if this and what directly follows let only few pass.
//!
//! **Arrival.** A state with some open values lies in an entry if each of its variables is open there or
//! has the same value, which must then be in range. The values that are open in listed entries are few
//! different sets at each vector of locations; a state is looked for with each of these opened.
//!
//! **Targets** may hold if some value makes them hold: what is unknown counts as true, and if that meets
//! one, the values are tried one after the other. **Deadlocks** are the other way round: what is possible
//! for some value says nothing about the others. So each execution notes whether it *guessed*: passed a
//! condition that was unknown, or was followed for one value of several. Only what is possible without a
//! guess excludes a deadlock, from its guards to the invariants on arrival; whatever may be possible counts
//! where a target asks that there is none. A value that the statement leaves open itself is no guess, since
//! it is enough that there is one with which the action can be taken.

use ir::VectorId;

use super::model::Model;
use super::states::States;

/// How open data are read.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Reading {
    /// As unknown.
    #[default]
    Coarse,
    /// One value after the other.
    Exact,
}

/// Sets of open variables at one vector, as positions of words.
pub(super) type Masks = Vec<Box<[u32]>>;

impl Model {
    /// The positions of the words of open data.
    pub(super) fn open_positions<'a>(&'a self, words: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
        let data = |slot: &usize| self.numbers[ir::Id::index(self.state_vars[*slot])] == 0;
        let open = |slot: &usize| self.columns[*slot].is_open(words[slot + 1]);
        (0..self.columns.len()).filter(move |slot| open(slot) && data(slot)).map(|slot| slot as u32 + 1)
    }
    /// Pushes all listed states that contain the one with these words, by number and first entry.
    pub(super) fn candidates(&self, states: &States, words: &[u32], out: &mut Vec<(u32, usize)>) {
        out.extend(states.get(words));
        let masks = states.masks(Model::vector_of(words));
        let mut wider = vec![];
        for mask in masks {
            wider.clear();
            wider.extend_from_slice(words);
            for at in mask {
                wider[*at as usize] = self.columns[*at as usize - 1].open().expect("open in a listed state");
            }
            let opened = |at: &&u32| wider[**at as usize] != words[**at as usize];
            if mask.iter().any(|at| opened(&at))
                && mask.iter().filter(opened).all(|at| self.is_in_range(*at, words[*at as usize]))
            {
                out.extend(states.get(&wider));
            }
        }
    }
    fn is_in_range(&self, at: u32, word: u32) -> bool {
        let slot = at as usize - 1;
        let value = self.columns[slot].value(word).as_ref();
        value.is_none_or(|value| self.system.admits(self.state_vars[slot], value))
    }
}

impl States {
    /// The sets of open variables at a vector, but for the empty one.
    fn masks(&self, vector: VectorId) -> &[Box<[u32]>] {
        self.masks.get(ir::Id::index(vector)).map_or(&[], Vec::as_slice)
    }
    /// Notes which variables are open in a new state.
    pub(super) fn note_mask(&mut self, vector: VectorId, mask: &[u32]) {
        let vector = ir::Id::index(vector);
        self.masks.resize_with(self.masks.len().max(vector + 1), Vec::new);
        let masks = &mut self.masks[vector];
        if !masks.iter().any(|known| **known == *mask) {
            masks.push(mask.into());
        }
    }
}
