//! The zones of nodes, and who covers whom: the tree that [`Hulls`](crate::lazy::interpolating::Hulls) or
//! [`Growth`](crate::lazy::lu::Growth) strengthen.

use std::rc::Rc;

use indexmap::IndexSet;
use ir::Id;
use rustc_hash::FxBuildHasher;
use zones::{Bound, Constraint, LuBounds, Op, Pool, Probe, ZoneId, dbm};

use crate::cegar::arg::{Arg, NodeId};
use crate::cegar::waitlist::Waitlist;
use crate::lazy::tree::{Bounded, Hulled, Tree, universal_pool};
use crate::split::Alternative;
use crate::stop::Stop;

/// The zones of nodes, which have the same numbers as in the graph.
pub(super) struct Zones {
    pub(super) dim: usize,
    pub(super) pool: Pool,
    pub(super) probe: Probe,
    pub(super) universe: ZoneId,
    /// Bounds that nodes have; the first has none.
    bounds: IndexSet<LuBounds, FxBuildHasher>,
    pub(super) nodes: Vec<Timed>,
}

/// What is known of time at one node.
#[derive(Clone)]
pub(super) struct Timed {
    pub(super) zone: ZoneId,
    /// The abstract zone, if it is one.
    pub(super) hull: ZoneId,
    /// The bounds, if the abstract zone is what the exact one simulates by them: a number in the list.
    pub(super) bounds: u32,
    pub(super) parent: Option<u32>,
    /// How the parent led here.
    pub(super) way: Rc<Alternative>,
    /// How it is a target, if it is one.
    pub(super) target: Option<Rc<Alternative>>,
}

impl Zones {
    /// No node, over `dim - 1` clocks.
    pub(super) fn new(dim: usize) -> Self {
        let (pool, probe, universe) = universal_pool(dim);
        let bounds = std::iter::once(LuBounds::new(dim)).collect();
        Zones { dim, pool, probe, universe, bounds, nodes: vec![] }
    }
    /// The number of a zone.
    pub(super) fn intern(&mut self, zone: &[Bound]) -> ZoneId {
        self.probe.load_all(zone, self.dim);
        self.pool.insert(&mut self.probe).0
    }
    /// Adds a node that stands for all valuations.
    pub(super) fn add(
        &mut self,
        zone: ZoneId,
        parent: Option<u32>,
        way: Rc<Alternative>,
        target: Option<Rc<Alternative>>,
    ) {
        self.nodes.push(Timed { zone, hull: self.universe, bounds: 0, parent, way, target });
    }
    /// The bounds of a node.
    pub(super) fn bounds(&self, node: usize) -> &LuBounds {
        &self.bounds[self.nodes[node].bounds as usize]
    }
}

/// The zones together with who covers whom.
pub(super) struct Coverings<'a, S> {
    pub(super) zones: &'a mut Zones,
    pub(super) arg: &'a mut Arg<S>,
    pub(super) waitlist: &'a mut Waitlist,
    pub(super) strengthened: &'a mut u64,
    pub(super) stop: &'a Stop,
}

impl<S> Tree for Coverings<'_, S> {
    fn dim(&self) -> usize {
        self.zones.dim
    }
    fn pool(&self) -> &Pool {
        &self.zones.pool
    }
    fn zone(&self, node: u32) -> ZoneId {
        self.zones.nodes[node as usize].zone
    }
    fn parent(&self, node: u32) -> Option<u32> {
        self.zones.nodes[node as usize].parent
    }
    fn ops(&self, node: u32) -> &[Op] {
        &self.zones.nodes[node as usize].way.ops
    }
    fn stop(&self) -> &Stop {
        self.stop
    }
}

impl<S> Hulled for Coverings<'_, S> {
    fn intern(&mut self, zone: &[Bound]) -> ZoneId {
        self.zones.intern(zone)
    }
    fn universe(&self) -> ZoneId {
        self.zones.universe
    }
    fn hull(&self, node: u32) -> ZoneId {
        self.zones.nodes[node as usize].hull
    }
    fn strengthen(&mut self, node: u32, hull: ZoneId, constraints: &[Constraint], memory: &mut [Bound]) {
        *self.strengthened += 1;
        self.zones.nodes[node as usize].hull = hull;
        let Coverings { zones, arg, waitlist, .. } = self;
        let within = |id: &NodeId| {
            zones.pool.load(zones.nodes[id.index()].hull, memory);
            constraints.iter().all(|constraint| dbm::satisfies(memory, zones.dim, *constraint))
        };
        arg.uncover(NodeId::at(node as usize), within, |id| waitlist.push(id));
    }
}

impl<S> Bounded for Coverings<'_, S> {
    fn bounds(&self, node: u32) -> &LuBounds {
        self.zones.bounds(node as usize)
    }
    fn raise(&mut self, node: u32, bounds: &LuBounds) {
        *self.strengthened += 1;
        let list = &mut self.zones.bounds;
        let number = list.get_index_of(bounds).unwrap_or_else(|| list.insert_full(bounds.clone()).0);
        self.zones.nodes[node as usize].bounds = number as u32;
    }
    fn covered(&self, node: u32, out: &mut Vec<u32>) {
        out.extend(self.arg[NodeId::at(node as usize)].covers.iter().map(|id| id.index() as u32));
    }
    fn uncover(&mut self, node: u32, lost: &[u32]) {
        let Coverings { arg, waitlist, .. } = self;
        let mut lost = lost.iter().peekable();
        let kept = |id: &NodeId| lost.next_if(|next| **next == id.index() as u32).is_none();
        arg.uncover(NodeId::at(node as usize), kept, |id| waitlist.push(id));
    }
}
