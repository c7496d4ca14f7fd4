//! Which nodes may cover a new one: expanded ones whose visible data agree with it.
//!
//! Nodes at one vector of locations see different sets of variables, few different ones. For each set
//! that occurs at the vector, the data of the new node restricted to it are looked up in one table. With explicit
//! data every node sees everything, and the table is keyed by the discrete state.

use ir::{Id, VectorId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::reads::{ALL, Mask};

/// Expanded nodes by what they see.
#[derive(Default)]
pub(super) struct Index {
    table: FxHashMap<u64, SmallVec<[u32; 3]>>,
    /// For each vector, the sets that are seen there, and by how many nodes each.
    sets: Vec<Vec<(Mask, u32)>>,
}

/// A state as the index sees it: its vector, its number and hashes of its variables.
pub(super) struct Key<'a> {
    pub(super) vector: VectorId,
    pub(super) discrete: u32,
    pub(super) hashes: &'a [u64],
}

impl Key<'_> {
    fn hash(&self, mask: Mask) -> u64 {
        if mask == ALL {
            return u64::from(self.discrete);
        }
        let mut hash = (self.vector.index() as u64 ^ (mask as u64).rotate_left(20) ^ (mask >> 64) as u64)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            | 1 << 63;
        let mut rest = mask;
        while rest != 0 {
            let var = rest.trailing_zeros() as usize;
            hash ^= self.hashes.get(var).copied().unwrap_or(0) >> 1;
            rest &= rest - 1;
        }
        hash
    }
}

impl Index {
    /// Adds a node that sees `mask`.
    pub(super) fn insert(&mut self, key: &Key<'_>, mask: Mask, node: u32) {
        self.table.entry(key.hash(mask)).or_default().push(node);
        if mask == ALL {
            return;
        }
        let at = key.vector.index();
        if self.sets.len() <= at {
            self.sets.resize(at + 1, vec![]);
        }
        match self.sets[at].iter_mut().find(|(set, _)| *set == mask) {
            Some((_, count)) => *count += 1,
            None => self.sets[at].push((mask, 1)),
        }
    }
    /// Takes a node out that has seen `mask`.
    pub(super) fn remove(&mut self, key: &Key<'_>, mask: Mask, node: u32) {
        let hash = key.hash(mask);
        if let Some(list) = self.table.get_mut(&hash) {
            list.retain(|other| *other != node);
            if list.is_empty() {
                self.table.remove(&hash);
            }
        }
        if let Some(sets) = self.sets.get_mut(key.vector.index())
            && let Some(at) = sets.iter().position(|(set, _)| *set == mask)
        {
            sets[at].1 -= 1;
            if sets[at].1 == 0 {
                sets.remove(at);
            }
        }
    }
    /// Pushes the nodes whose visible data seem to agree with a state; hashes may deceive.
    pub(super) fn candidates(&self, key: &Key<'_>, out: &mut Vec<u32>) {
        let mut push = |mask| out.extend(self.table.get(&key.hash(mask)).into_iter().flatten());
        push(ALL);
        if let Some(sets) = self.sets.get(key.vector.index()) {
            sets.iter().for_each(|(mask, _)| push(*mask));
        }
    }
    /// Bytes held, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.table.capacity() * (size_of::<(u64, SmallVec<[u32; 3]>)>() + 1)
            + self.sets.capacity() * size_of::<Vec<(Mask, u32)>>()
    }
}
