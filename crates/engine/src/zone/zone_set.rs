//! The finished zone graph as a certificate.
//!
//! When the search ends without a find, the live nodes contain the initial states, and every exact
//! successor of a live node lies in one of them (or is simulated by one, with a≼LU covering): that is
//! what [`ir::ZoneSet`] claims. Zones are unpacked on demand.

use std::cell::RefCell;

use ir::{ClockRange, Id, Limit, State, VectorId, ZoneSet};
use zones::{Bound, Probe, dbm};

use super::graph::{Graph, Node};
use super::places::{Arrays, Places};
use crate::concrete::op::VECTOR;
use crate::concrete::store::Store;
use crate::concrete::word::Word;
use crate::config::Covering;

/// The live nodes of a finished search, those of one discrete state together.
pub(super) struct Covered {
    places: RefCell<Places>,
    store: Store,
    graph: Graph,
    live: Vec<u32>,
    /// For each discrete state, where its nodes begin in `live`, and its vector.
    starts: Vec<(u32, VectorId)>,
    dim: usize,
    covering: Covering,
    memory: RefCell<Memory>,
}

#[derive(Default)]
struct Memory {
    probe: Probe,
    scratch: Vec<Bound>,
    zone: Vec<Bound>,
    words: Vec<Word>,
    arrays: Arrays,
}

impl Covered {
    pub(super) fn new(places: Places, store: Store, graph: Graph, dim: usize, covering: Covering) -> Self {
        let (mut live, mut starts) = (vec![], vec![]);
        let mut words = vec![0; store.components()];
        for discrete in 0..store.len() as u32 {
            store.get(discrete, &mut words);
            starts.push((live.len() as u32, VectorId::at(words[VECTOR as usize] as usize)));
            live.extend_from_slice(graph.at(discrete));
        }
        let places = RefCell::new(places);
        Covered { places, store, graph, live, starts, dim, covering, memory: RefCell::default() }
    }
    fn node(&self, index: usize) -> Node {
        self.graph.nodes[self.live[index] as usize]
    }
    fn vector(&self, node: Node) -> VectorId {
        self.starts[node.discrete as usize].1
    }
}

impl ZoneSet for Covered {
    fn len(&self) -> usize {
        self.live.len()
    }
    fn state(&self, index: usize, out: &mut State) {
        let Memory { words, arrays, .. } = &mut *self.memory.borrow_mut();
        words.resize(self.store.components(), 0);
        self.store.get(self.node(index).discrete, words);
        self.places.borrow().unpack_into(words, arrays, out);
    }
    fn zone(&self, index: usize, out: &mut ir::Zone) {
        let Memory { scratch, zone, .. } = &mut *self.memory.borrow_mut();
        let node = self.node(index);
        let vector = self.vector(node);
        let mut places = self.places.borrow_mut();
        places.look_at(vector);
        let keep = places.keep_at(vector);
        zone.resize(dbm::len(self.dim), Bound::INFINITY);
        self.graph.pool.load_into(node.zone, keep, self.dim, scratch, zone);
        out.dim = self.dim;
        out.limits.clear();
        for row in zone.chunks_exact(dbm::stride(self.dim)) {
            out.limits.extend(row[..self.dim].iter().map(|bound| Limit::from_code(bound.code())));
        }
    }
    /// Constants are those of the locations, which grow along no action; so whatever contains a successor
    /// has at most those of its source.
    fn find(&self, like: usize, zone: &ir::Zone, _: Option<&[ClockRange]>) -> Option<usize> {
        let Memory { probe, .. } = &mut *self.memory.borrow_mut();
        let node = self.node(like);
        let vector = self.vector(node);
        let mut places = self.places.borrow_mut();
        places.look_at(vector);
        let keep = places.keep_at(vector);
        probe.load_cells(keep, |i, j| Bound::from_code(zone.limits[i * self.dim + j].code()));
        let here = self.graph.at(node.discrete);
        let zone = |node: &u32| self.graph.nodes[*node as usize].zone;
        let found = match self.covering {
            Covering::Alu => {
                let kept = places.bounds(vector).project(keep);
                here.iter().position(|node| self.graph.pool.lu_covers(zone(node), probe, &kept))
            }
            Covering::Inclusion | Covering::Equality => {
                here.iter().position(|node| self.graph.pool.covers(zone(node), probe))
            }
        };
        Some(self.starts[node.discrete as usize].0 as usize + found?)
    }
    fn simulation(&self, index: usize, out: &mut Vec<ClockRange>) -> bool {
        if self.covering != Covering::Alu {
            return false;
        }
        let vector = self.vector(self.node(index));
        let mut places = self.places.borrow_mut();
        places.look_at(vector);
        let bounds = places.bounds(vector);
        let constant = |value: Option<i32>| value.map(i64::from);
        out.clear();
        out.extend((1..self.dim).map(|clock| (constant(bounds.lower(clock)), constant(bounds.upper(clock)))));
        true
    }
}
