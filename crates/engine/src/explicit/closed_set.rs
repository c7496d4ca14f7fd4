//! All reachable states as a certificate.
//!
//! When the search ends without a find, the store contains the initial states and every successor of
//! every state in it, which is what [`ir::ClosedSet`] claims. States are unpacked on demand.

use ir::{Actions, ClosedSet, Id, LocationId, State, System, Type, Types, VectorId};
use rustc_hash::FxHashMap;

use super::places::unpack;
use crate::concrete::store::Store;
use crate::concrete::word::{Values, Word};

/// The states of a finished search.
pub(super) struct Reached {
    store: Store,
    values: Values,
    table: Types,
    types: Vec<Type>,
    vectors: Vec<Box<[LocationId]>>,
    numbers: FxHashMap<Box<[LocationId]>, Word>,
}

impl Reached {
    /// The states in `store`, whose vectors are those of `actions`.
    pub(super) fn new(system: &System, actions: &Actions, store: Store, values: Values) -> Self {
        let types = system.state_vars().map(|var| system.terms.var_type(var)).collect();
        let vectors: Vec<Box<[LocationId]>> =
            (0..actions.len()).map(|index| actions.locations(VectorId::at(index)).into()).collect();
        let numbers = vectors.iter().cloned().zip(0..).collect();
        Reached { store, values, table: system.types().clone(), types, vectors, numbers }
    }
}

impl ClosedSet for Reached {
    fn len(&self) -> usize {
        self.store.len()
    }
    fn state(&self, index: usize) -> State {
        let mut words = vec![0; self.store.components()];
        self.store.get(u32::try_from(index).expect("the number of a state"), &mut words);
        unpack(&self.values, &self.table, &self.types, &self.vectors[words[0] as usize], &words)
    }
    fn find(&self, state: &State) -> Option<usize> {
        let mut words = vec![*self.numbers.get(&state.locations)?];
        for (ty, value) in self.types.iter().zip(&state.values) {
            if !self.values.known_words(&self.table, *ty, value.as_ref(), &mut words) {
                return None;
            }
        }
        self.store.find(&words).map(|number| number as usize)
    }
}
