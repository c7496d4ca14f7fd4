//! The finished zone graph as a certificate.
//!
//! When the search ends without a find, the live nodes contain the initial states, and every exact
//! successor of a live node lies in one of them (or is simulated by one, with a≼LU covering): that is
//! what [`ir::ZoneSet`] claims. Zones are unpacked on demand.

use std::cell::RefCell;

use ir::{ClockRange, Limit, LocationId, State, ZoneSet};
use zones::{Bound, Pool, Probe, dbm};

use super::graph::Graph;
use super::places::Places;
use crate::concrete::store::Store;
use crate::concrete::word::Word;
use crate::config::Covering;

/// The live nodes of a finished search.
pub(super) struct Covered {
    places: Places,
    store: Store,
    graph: Graph,
    live: Vec<u32>,
    dim: usize,
    covering: Covering,
    memory: RefCell<Memory>,
}

#[derive(Default)]
struct Memory {
    probe: Probe,
    zone: Vec<Bound>,
    words: Vec<Word>,
}

impl Covered {
    pub(super) fn new(places: Places, store: Store, graph: Graph, dim: usize, covering: Covering) -> Self {
        let live = (0..graph.nodes.len() as u32).filter(|node| graph.nodes[*node as usize].live).collect();
        Covered { places, store, graph, live, dim, covering, memory: RefCell::default() }
    }
}

impl ZoneSet for Covered {
    fn len(&self) -> usize {
        self.live.len()
    }
    fn entry(&self, index: usize) -> (State, ir::Zone) {
        let node = self.graph.nodes[self.live[index] as usize];
        let mut words = vec![0; self.store.components()];
        self.store.get(node.discrete, &mut words);
        let state = self.places.unpack(&words);
        let vector = ir::Id::at(words[0] as usize);
        let keep = self.places.keep_at(vector);
        let mut zone = vec![Bound::INFINITY; dbm::len(self.dim)];
        self.graph.pool.load_into(node.zone, keep, self.dim, &mut vec![], &mut zone);
        let limit = |bound: Bound| {
            bound.constant().map(|constant| Limit { bound: constant.into(), strict: bound.is_strict() })
        };
        let cells = (0..self.dim).flat_map(|i| (0..self.dim).map(move |j| (i, j)));
        let limits = cells.map(|(i, j)| limit(zone[dbm::at(self.dim, i, j)])).collect();
        (state, ir::Zone { dim: self.dim, limits })
    }
    fn find(&self, state: &State, zone: &ir::Zone) -> Option<usize> {
        let Memory { probe, zone: memory, words } = &mut *self.memory.borrow_mut();
        let vector = self.places.actions.known_vector(&state.locations)?;
        if !self.places.pack_known(vector, &state.values, words) {
            return None;
        }
        let discrete = self.store.find(words)?;
        memory.clear();
        memory.resize(dbm::len(self.dim), Bound::INFINITY);
        for i in 0..self.dim {
            for j in 0..self.dim {
                if let Some(limit) = zone.limits[i * self.dim + j] {
                    memory[dbm::at(self.dim, i, j)] = Bound::new(limit.bound, limit.strict).ok()?;
                }
            }
        }
        probe.load(memory, self.dim, self.places.keep_at(vector));
        let covers = |pool: &Pool, node: u32, probe: &mut Probe| {
            let id = self.graph.nodes[node as usize].zone;
            match self.covering {
                Covering::Alu => {
                    let kept = self.places.bounds(vector).project(self.places.keep_at(vector));
                    pool.lu_covers(id, probe, &kept)
                }
                Covering::Inclusion | Covering::Equality => pool.covers(id, probe),
            }
        };
        let node = self.graph.at(discrete).iter().find(|node| covers(&self.graph.pool, **node, probe))?;
        self.live.binary_search(node).ok()
    }
    fn simulation(&self, locations: &[LocationId]) -> Option<Vec<ClockRange>> {
        if self.covering != Covering::Alu {
            return None;
        }
        let vector = self.places.actions.known_vector(locations)?;
        let bounds = self.places.bounds(vector);
        let constant = |value: Option<i32>| value.map(i64::from);
        Some(
            (1..self.dim)
                .map(|clock| (constant(bounds.lower(clock)), constant(bounds.upper(clock))))
                .collect(),
        )
    }
}
