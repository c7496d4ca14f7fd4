//! Trees of nodes with exact zones, whose abstract zones are strengthened where that is asked for.
//!
//! A node has an exact zone Z and, but for the roots, operations that lead to it from its parent. What it stands
//! for is Ẑ ⊇ Z: a zone ([`Hulled`]), or a≼LU(Z) by bounds of its own ([`Bounded`]). Nodes cover others, which
//! must be looked at when Ẑ gets smaller.

use zones::{Bound, Constraint, LuBounds, Op, Pool, Probe, ZoneId, dbm};

use crate::stop::Stop;

/// Abstraction need not end; with more nodes than this it is given up.
pub(crate) const MOST_NODES: usize = 1 << 22;

/// With a limit of nodes, they may be strengthened this many times as often.
pub(crate) const STRENGTHENED: u64 = 64;

/// A pool that has the zone without constraints, a probe for it, and the number of that zone.
pub(crate) fn universal_pool(dim: usize) -> (Pool, Probe, ZoneId) {
    let (mut pool, mut probe) = (Pool::new(), Probe::new());
    let mut zone = vec![Bound::INFINITY; dbm::len(dim)];
    dbm::init_universe(&mut zone, dim);
    probe.load_all(&zone, dim);
    let (universe, _) = pool.insert(&mut probe);
    (pool, probe, universe)
}

/// Nodes with exact zones Z, each but the roots with a step from its parent.
pub(crate) trait Tree {
    /// Clocks plus one.
    fn dim(&self) -> usize;
    /// Where the zones are.
    fn pool(&self) -> &Pool;
    /// The exact zone of a node.
    fn zone(&self, node: u32) -> ZoneId;
    /// The parent of a node, if it is no root.
    fn parent(&self, node: u32) -> Option<u32>;
    /// The operations of the step from the parent.
    fn ops(&self, node: u32) -> &[Op];
    /// Whether to stop.
    fn stop(&self) -> &Stop;
}

/// Nodes whose abstract zones Ẑ are zones.
pub(crate) trait Hulled: Tree {
    /// The number of a zone.
    fn intern(&mut self, zone: &[Bound]) -> ZoneId;
    /// The number of the zone without constraints.
    fn universe(&self) -> ZoneId;
    /// The abstract zone of a node.
    fn hull(&self, node: u32) -> ZoneId;
    /// Gives a node another abstract zone, smaller by these constraints; what it covers then no more waits
    /// again. The memory is for a zone.
    fn strengthen(&mut self, node: u32, hull: ZoneId, constraints: &[Constraint], memory: &mut [Bound]);
}

/// Nodes that stand for a≼LU(Z), each with bounds L and U.
pub(crate) trait Bounded: Tree {
    /// The bounds of a node.
    fn bounds(&self, node: u32) -> &LuBounds;
    /// Gives a node other bounds, which are greater.
    fn raise(&mut self, node: u32, bounds: &LuBounds);
    /// Pushes the nodes that a node covers.
    fn covered(&self, node: u32, out: &mut Vec<u32>);
    /// Lets nodes that a node covers wait again; they are in the order in which [`Bounded::covered`] pushes them.
    fn uncover(&mut self, node: u32, lost: &[u32]);
}
