//! The visited states: one row of bits each, numbered in order of arrival, and an index to find them.
//!
//! Rows lie end to end in one vector, and the index holds only row numbers, so a state costs its row,
//! four bytes for its parent and about eight for its place in the index.
//!
//! Invariant: rows are pairwise different, all in the current layout, and each is in the index exactly
//! once. A word that does not fit widens the layout and packs all rows again, which happens a few times
//! per field at most.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::layout::Layout;
use super::word::Word;

/// The parent of an initial state.
pub(crate) const NO_PARENT: u32 = u32::MAX;

/// A set of states with the state each was reached from.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    layout: Layout,
    rows: Vec<u64>,
    parents: Vec<u32>,
    index: HashTable<u32>,
    /// The row being looked up.
    row: Vec<u64>,
}

impl Store {
    /// No state yet.
    pub(crate) fn new(layout: Layout) -> Self {
        let row = vec![0; layout.width()];
        Store { layout, rows: vec![], parents: vec![], index: HashTable::new(), row }
    }
    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.parents.len()
    }
    /// How many components a state has.
    pub(crate) fn components(&self) -> usize {
        self.layout.len()
    }
    /// The way to a state by parents, from an initial one.
    pub(crate) fn path_to(&self, mut at: u32) -> Vec<u32> {
        let mut path = vec![];
        while at != NO_PARENT {
            path.push(at);
            at = self.parent(at);
        }
        path.reverse();
        path
    }
    /// Adds a state; its number and whether it is new, or `None` if it is and there are `limit` states
    /// already.
    pub(crate) fn insert(&mut self, words: &[Word], parent: u32, limit: u32) -> Option<(u32, bool)> {
        if !self.layout.encode(words, &mut self.row) {
            self.widen(words);
            let fits = self.layout.encode(words, &mut self.row);
            debug_assert!(fits, "a layout holds what it was widened for");
        }
        let (rows, row, width) = (&self.rows, &self.row, self.layout.width());
        let same = |other: &u32| row_at(rows, width, *other) == row.as_slice();
        match self.index.entry(hash(row), same, |other| hash(row_at(rows, width, *other))) {
            Entry::Occupied(place) => Some((*place.get(), false)),
            Entry::Vacant(place) => {
                let number = self.parents.len() as u32;
                if number >= limit {
                    return None;
                }
                place.insert(number);
                self.rows.extend_from_slice(&self.row);
                self.parents.push(parent);
                Some((number, true))
            }
        }
    }
    /// The number of a state, if it is there.
    pub(crate) fn find(&self, words: &[Word]) -> Option<u32> {
        let mut row = vec![0; self.layout.width()];
        if !self.layout.encode(words, &mut row) {
            return None;
        }
        let same = |other: &u32| row_at(&self.rows, self.layout.width(), *other) == row.as_slice();
        self.index.find(hash(&row), same).copied()
    }
    /// Unpacks state `number` into the first words of `words`.
    pub(crate) fn get(&self, number: u32, words: &mut [Word]) {
        self.layout.decode(row_at(&self.rows, self.layout.width(), number), words);
    }
    /// The state that `number` was first reached from, or [`NO_PARENT`].
    pub(crate) fn parent(&self, number: u32) -> u32 {
        self.parents[number as usize]
    }
    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<u64>()
            + self.parents.capacity() * size_of::<u32>()
            + self.index.allocation_size()
    }

    /// Makes room for `words` and packs all states again.
    fn widen(&mut self, words: &[Word]) {
        let old = self.layout.clone();
        self.layout.widen(words);
        let width = self.layout.width();
        let old_rows = std::mem::take(&mut self.rows);
        self.rows = vec![0; self.len() * width];
        self.row.resize(width, 0);
        self.index.clear();
        let mut words = vec![0; old.len()];
        for (number, old_row) in old_rows.chunks_exact(old.width()).enumerate() {
            old.decode(old_row, &mut words);
            let row = &mut self.rows[number * width..][..width];
            let fits = self.layout.encode(&words, row);
            debug_assert!(fits, "a wider layout holds what the narrower one held");
        }
        let rows = &self.rows;
        let hash_of = |number: &u32| hash(row_at(rows, width, *number));
        for number in 0..self.parents.len() as u32 {
            self.index.insert_unique(hash_of(&number), number, hash_of);
        }
    }
}

#[inline(always)]
fn row_at(rows: &[u64], width: usize, number: u32) -> &[u64] {
    &rows[number as usize * width..][..width]
}

/// Mixes all bits of a row; the index uses both ends of the result.
#[inline(always)]
fn hash(row: &[u64]) -> u64 {
    let mut hash: u64 = 0x9e37_79b9_7f4a_7c15;
    for word in row {
        let product = u128::from(hash ^ word) * 0xa076_1d64_78bd_642f;
        hash = (product as u64 ^ (product >> 64) as u64).wrapping_add(0x2545_f491_4f6c_dd1d);
    }
    hash
}

#[cfg(test)]
mod tests {
    use ir::{Span, System, Type, Variable};

    use super::super::word::OPEN;
    use super::*;

    #[test]
    fn keeps_numbers_and_parents_while_widening() {
        let mut system = System::default();
        for name in ["x", "y"] {
            system.declare(Type::Int, Variable::state(name, Span::default()));
        }
        let mut store = Store::new(Layout::new(&system));
        let states: Vec<[Word; 3]> =
            (0..40).map(|i| [i % 3, 1 << i, if i % 7 == 0 { OPEN } else { -i }]).collect();
        for (number, state) in states.iter().enumerate() {
            let parent = (number as u32).wrapping_sub(1);
            assert_eq!(store.insert(state, parent, 40), Some((number as u32, true)));
            assert_eq!(store.insert(state, 5, 40), Some((number as u32, false)));
        }
        for (number, state) in states.iter().enumerate() {
            let mut words = [0; 3];
            store.get(number as u32, &mut words);
            assert_eq!((words, store.find(state)), (*state, Some(number as u32)));
            assert_eq!(store.parent(number as u32), (number as u32).wrapping_sub(1));
        }
        assert_eq!(store.find(&[0, 3, 3]), None);
        assert_eq!(store.insert(&[0, 3, 3], 0, 40), None);
        assert_eq!(store.len(), 40);
    }
}
