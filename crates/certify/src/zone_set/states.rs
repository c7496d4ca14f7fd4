//! The discrete states of a set, numbered, so that states and values are compared as numbers.
//!
//! A state is a list of words: the number of its location vector, and for each variable the number of
//! its value among those that this variable has been seen with. Two states are equal iff their words
//! are.

use indexmap::{IndexMap, IndexSet};
use ir::{State, Types, Value, VectorId};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::model::Model;
use super::open::Masks;
use crate::{Flaw, Place, Rejection, check_shape};

/// The states of a set.
#[derive(Default)]
pub(super) struct States {
    /// The words of each state, with the first entry that has it.
    list: IndexMap<Box<[u32]>, usize, FxBuildHasher>,
    /// For each entry, the number of its state.
    of: Vec<u32>,
    /// The key is [`VectorId`]: which variables are open.
    pub(super) masks: Vec<Masks>,
}

impl States {
    /// Takes in the state of the next entry; whether it is new.
    pub(super) fn push(&mut self, words: &[u32]) -> bool {
        let known = self.list.get_index_of(words);
        let number = known.unwrap_or_else(|| self.list.insert_full(words.into(), self.of.len()).0);
        self.of.push(number as u32);
        known.is_none()
    }
    /// The number of an entry's state.
    pub(super) fn number(&self, entry: usize) -> u32 {
        self.of[entry]
    }
    /// The number of a state and the first entry that has it, if any has.
    pub(super) fn get(&self, words: &[u32]) -> Option<(u32, usize)> {
        self.list.get_full(words).map(|(number, _, first)| (number as u32, *first))
    }
    /// For each state, the entries that have it.
    pub(super) fn entries(&self) -> Vec<Vec<u32>> {
        let mut entries = vec![vec![]; self.list.len()];
        for (entry, number) in (0..).zip(&self.of) {
            entries[*number as usize].push(entry);
        }
        entries
    }
    /// The words of a state.
    pub(super) fn words(&self, number: u32) -> &[u32] {
        self.list.get_index(number as usize).expect("a known state").0
    }
}

/// More results of writing into arrays than this are not kept.
const MANY_WRITES: usize = 1 << 16;

/// The values that one variable has been seen with.
#[derive(Default)]
pub(super) struct Column {
    values: IndexSet<Option<Value>, FxBuildHasher>,
    /// How many of the first values are known to fit the variable.
    fit: Vec<bool>,
    last: u32,
    /// The number of the open value, if it has been seen.
    open: Option<u32>,
    /// Positions with entries that have been written into arrays, and what came of it, by the number of
    /// the array and that of the entry.
    entries: IndexSet<(Value, Value), FxBuildHasher>,
    written: FxHashMap<(u32, u32), u32>,
}

impl Column {
    /// The number of a value.
    pub(super) fn word(&mut self, value: &Option<Value>) -> u32 {
        if self.values.get_index(self.last as usize) == Some(value) {
            return self.last;
        }
        let known = self.values.get_index_of(value);
        self.last = known.unwrap_or_else(|| self.values.insert_full(value.clone()).0) as u32;
        if value.is_none() {
            self.open = Some(self.last);
        }
        self.last
    }
    /// The number of the open value, if it has been seen.
    pub(super) fn open(&self) -> Option<u32> {
        self.open
    }
    /// Whether this is the number of the open value.
    pub(super) fn is_open(&self, word: u32) -> bool {
        self.open == Some(word)
    }
    /// The number of an entry at a position.
    pub(super) fn entry(&mut self, index: Value, entry: Value) -> u32 {
        self.entries.insert_full((index, entry)).0 as u32
    }
    /// The number of the array that comes of writing an entry into one; `None` if that is open.
    pub(super) fn write(&mut self, types: &Types, array: u32, entry: u32) -> Option<u32> {
        if let Some(known) = self.written.get(&(array, entry)) {
            return Some(*known);
        }
        let Some(Value::Array(value)) = self.value(array) else { return None };
        let (index, new) = self.entries[entry as usize].clone();
        let value = types.write(value, index, new);
        let word = self.word(&Some(Value::Array(value.into())));
        if self.written.len() >= MANY_WRITES {
            self.written.clear();
        }
        self.written.insert((array, entry), word);
        Some(word)
    }
    /// The value with a number.
    pub(super) fn value(&self, word: u32) -> &Option<Value> {
        self.values.get_index(word as usize).expect("a known value")
    }
}

impl Model {
    /// The words of an entry's state, which must have the shape of the model's states.
    pub(super) fn read(&mut self, entry: usize, state: &State, out: &mut Vec<u32>) -> Result<(), Rejection> {
        let place = Place::Zone(entry);
        if state.values.len() != self.columns.len() || state.locations.len() != self.system.processes.len() {
            return Err(place.wrong(Flaw::Shape));
        }
        let mut fits = self.vectors.known_vector(&state.locations).is_some();
        out.clear();
        out.push(0);
        for (column, value) in self.columns.iter_mut().zip(&state.values) {
            let word = column.word(value);
            out.push(word);
            fits &= column.fit.get(word as usize) == Some(&true);
        }
        if !fits {
            check_shape(&self.system, place, state)?;
            if self.clocks.iter().any(|slot| state.values[*slot].is_some()) {
                return Err(place.wrong(Flaw::ClockValues));
            }
            for (column, word) in self.columns.iter_mut().zip(&out[1..]) {
                let length = column.fit.len().max(*word as usize + 1);
                column.fit.resize(length, false);
                column.fit[*word as usize] = true;
            }
        }
        out[0] = self.number(&state.locations);
        Ok(())
    }
    /// The vector of a state.
    pub(super) fn vector_of(words: &[u32]) -> VectorId {
        ir::Id::at(words[0] as usize)
    }
}
