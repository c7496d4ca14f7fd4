//! Vectors of locations, numbered and packed.
//!
//! There may be as many as there are discrete states, so each is a row of bytes: one for each process if
//! no process has more than 256 locations, and four otherwise. Rows lie end to end.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use ir::{Id, LocationId, ProcessId, System, VectorId};
use rustc_hash::FxBuildHasher;

/// The vectors met so far.
#[derive(Debug)]
pub(crate) struct Vectors {
    rows: Vec<u8>,
    count: usize,
    processes: usize,
    /// Bytes for each location.
    size: usize,
    index: HashTable<u32>,
    /// The row being looked up.
    row: Vec<u8>,
}

impl Vectors {
    /// No vector of a system.
    pub(crate) fn new(system: &System) -> Self {
        let small = system.processes.iter().all(|process| process.locations.len() <= 256);
        Vectors {
            rows: vec![],
            count: 0,
            processes: system.processes.len(),
            size: if small { 1 } else { 4 },
            index: HashTable::new(),
            row: vec![],
        }
    }
    fn pack(size: usize, locations: &[LocationId], row: &mut Vec<u8>) {
        row.clear();
        for location in locations {
            row.extend_from_slice(&(location.index() as u32).to_le_bytes()[..size]);
        }
    }
    /// The number of a vector, and whether it is new.
    pub(crate) fn insert(&mut self, locations: &[LocationId]) -> (VectorId, bool) {
        Self::pack(self.size, locations, &mut self.row);
        let (rows, width, row) = (&self.rows, self.processes * self.size, &self.row);
        let at = |number: &u32| &rows[*number as usize * width..][..width];
        match self.index.entry(hash(row), |other| at(other) == row.as_slice(), |other| hash(at(other))) {
            Entry::Occupied(place) => (VectorId::at(*place.get() as usize), false),
            Entry::Vacant(place) => {
                place.insert(self.count as u32);
                super::reserve(&mut self.rows, width);
                self.rows.extend_from_slice(&self.row);
                self.count += 1;
                (VectorId::at(self.count - 1), true)
            }
        }
    }
    fn row(&self, vector: VectorId) -> &[u8] {
        let width = self.processes * self.size;
        &self.rows[vector.index() * width..][..width]
    }
    /// The locations of a vector, process by process.
    pub(crate) fn locations(&self, vector: VectorId) -> impl Iterator<Item = LocationId> {
        self.row(vector).chunks_exact(self.size).map(|bytes| match bytes {
            [byte] => LocationId::at(usize::from(*byte)),
            bytes => {
                let bytes = bytes.try_into().expect("four bytes for a location");
                LocationId::at(u32::from_le_bytes(bytes) as usize)
            }
        })
    }
    /// The location of a process at a vector.
    pub(crate) fn location(&self, vector: VectorId, process: ProcessId) -> LocationId {
        self.locations(vector).nth(process.index()).expect("every process has a location")
    }
    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.capacity() + self.index.allocation_size()
    }
}

fn hash(row: &[u8]) -> u64 {
    FxBuildHasher.hash_one(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_back_at_both_sizes() {
        for size in [1, 4] {
            let mut vectors = Vectors { processes: 3, size, ..Vectors::new(&System::default()) };
            let vector = |n: usize| [n % 7, n / 7, 200].map(LocationId::at);
            for n in 0..300 {
                assert_eq!(vectors.insert(&vector(n)), (VectorId::at(n), true));
                assert_eq!(vectors.insert(&vector(n)), (VectorId::at(n), false));
            }
            for n in 0..300 {
                assert_eq!(vectors.locations(VectorId::at(n)).collect::<Vec<_>>(), vector(n));
            }
        }
    }
}
