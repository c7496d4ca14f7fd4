//! The adaptive simulation graph: a tree of nodes, and which of them cover which.
//!
//! A node has exact data and an exact zone Z, both packed and shared, and labels that are strengthened
//! later: the variables it sees, and Ẑ, which is a zone or, by simulation, the bounds L and U. The
//! operations on clocks of the step from its parent are kept, so that pre-images can be taken. Nodes
//! that one node covers form a list through the nodes themselves.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use zones::{Bound, LuBounds, Pool, Probe, ZoneId};

use super::reads::Mask;
use super::tree::universal_pool;

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// What has become of a node.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// It waits to be covered or expanded.
    Waiting,
    /// Its successors are there.
    Expanded,
    /// Another node stands for it.
    Covered,
}

/// A node.
#[derive(Copy, Clone, Debug)]
pub(super) struct Node {
    /// The variables it sees.
    pub(super) mask: Mask,
    /// The number of its discrete state.
    pub(super) discrete: u32,
    /// Its exact zone.
    pub(super) zone: ZoneId,
    /// Its abstract zone, or its bounds: a number in the pool or in the list of bounds.
    pub(super) label: u32,
    pub(super) parent: u32,
    /// The operations, the effect and the code of the step from the parent.
    pub(super) ops: u32,
    pub(super) effect: u32,
    pub(super) code: u32,
    /// The node that covers it.
    pub(super) coverer: u32,
    /// The first node that it covers, and the next one that its coverer covers.
    pub(super) covers: u32,
    pub(super) next: u32,
    pub(super) state: State,
}

/// All nodes.
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) pool: Pool,
    /// Bounds that nodes have; the first has none.
    pub(super) bounds: IndexSet<LuBounds, FxBuildHasher>,
    pub(super) probe: Probe,
    pub(super) dim: usize,
    /// The number of the universal zone.
    pub(super) universe: ZoneId,
}

impl Graph {
    /// No node, over `dim - 1` clocks.
    pub(super) fn new(dim: usize) -> Self {
        let (pool, probe, universe) = universal_pool(dim);
        let mut bounds = IndexSet::default();
        bounds.insert(LuBounds::new(dim));
        Graph { nodes: vec![], pool, bounds, probe, dim, universe }
    }
    /// The number of a zone.
    pub(super) fn intern(&mut self, zone: &[Bound]) -> ZoneId {
        self.probe.load_all(zone, self.dim);
        self.pool.insert(&mut self.probe).0
    }
    /// Unpacks the exact zone of a node.
    pub(super) fn load_zone(&self, node: u32, out: &mut [Bound]) {
        self.pool.load(self.nodes[node as usize].zone, out);
    }
    /// Unpacks the abstract zone of a node.
    pub(super) fn load_hull(&self, node: u32, out: &mut [Bound]) {
        self.pool.load(ZoneId::at(self.nodes[node as usize].label as usize), out);
    }
    /// The bounds of a node.
    pub(super) fn bounds(&self, node: u32) -> &LuBounds {
        &self.bounds[self.nodes[node as usize].label as usize]
    }
    /// Lets one node cover another.
    pub(super) fn cover(&mut self, node: u32, by: u32) {
        let first = std::mem::replace(&mut self.nodes[by as usize].covers, node);
        let node = &mut self.nodes[node as usize];
        debug_assert_eq!(node.state, State::Waiting);
        (node.state, node.coverer, node.next) = (State::Covered, by, first);
    }
    /// Takes a covering back.
    pub(super) fn uncover(&mut self, node: u32) {
        let Node { coverer, next, .. } = self.nodes[node as usize];
        if self.nodes[coverer as usize].covers == node {
            self.nodes[coverer as usize].covers = next;
        } else {
            let mut at = self.nodes[coverer as usize].covers;
            while self.nodes[at as usize].next != node {
                at = self.nodes[at as usize].next;
            }
            self.nodes[at as usize].next = next;
        }
        let node = &mut self.nodes[node as usize];
        (node.state, node.coverer, node.next) = (State::Waiting, NONE, NONE);
    }
    /// Bytes held, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.pool.bytes()
    }
}
