//! The zone graph as it grows: nodes, and which of them cover which.
//!
//! A node is a discrete state and a zone. For each discrete state the nodes that are still wanted are
//! listed; a new zone is compared with those only. Zones live in one pool, over the clocks that matter
//! at their locations, packed and shared; nodes know their parent and nothing else of the graph.
//!
//! Invariant: the zone of a live node is in no other live node's zone of the same discrete state
//! (equality covering: is no other's), and every node that ever was is covered by a live one.

use smallvec::SmallVec;
use zones::{Bound, LuBounds, Pool, Probe, ZoneId, dbm};

use crate::config::Covering;

/// The parent of an initial node.
pub(super) const NO_PARENT: u32 = u32::MAX;

/// A node of the zone graph.
#[derive(Copy, Clone, Debug)]
pub(super) struct Node {
    /// The number of its discrete state.
    pub(super) discrete: u32,
    pub(super) zone: ZoneId,
    pub(super) parent: u32,
    /// Whether no other node covers it.
    pub(super) live: bool,
}

/// All nodes so far.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) pool: Pool,
    /// The live nodes of each discrete state.
    live: Vec<SmallVec<[u32; 4]>>,
    probe: Probe,
    /// Memory for zones that are compared by simulation.
    new: Vec<Bound>,
    old: Vec<Bound>,
    covering: Covering,
    /// How many nodes are live.
    pub(super) stored: u64,
    /// How many zones were covered on arrival.
    pub(super) covered: u64,
}

impl Graph {
    /// No node.
    pub(super) fn new(covering: Covering) -> Self {
        Graph {
            nodes: vec![],
            pool: Pool::new(),
            live: vec![],
            probe: Probe::new(),
            new: vec![],
            old: vec![],
            covering,
            stored: 0,
            covered: 0,
        }
    }
    /// Adds a zone, over the clocks in `keep`, to a discrete state, unless it is covered there.
    pub(super) fn add(
        &mut self,
        discrete: u32,
        zone: &[Bound],
        dim: usize,
        keep: &[u32],
        bounds: &LuBounds,
        parent: u32,
    ) -> Option<u32> {
        let Graph { nodes, pool, live, probe, covering, new, old, .. } = self;
        if live.len() <= discrete as usize {
            live.resize_with(discrete as usize + 1, SmallVec::new);
        }
        probe.load(zone, dim, keep);
        let here = &mut live[discrete as usize];
        let known = pool.get(probe);
        let same = |id: ZoneId| known == Some(id);
        let covered = match covering {
            Covering::Equality => here.iter().any(|node| same(nodes[*node as usize].zone)),
            Covering::Inclusion => {
                here.iter().any(|node| same(nodes[*node as usize].zone))
                    || here.iter().any(|node| pool.covers(nodes[*node as usize].zone, probe))
            }
            Covering::Alu => {
                let kept = bounds.project(keep);
                here.iter().any(|node| pool.lu_covers(nodes[*node as usize].zone, probe, &kept))
            }
        };
        if covered {
            self.covered += 1;
            return None;
        }
        if *covering != Covering::Equality {
            let before = here.len();
            let simulation = (*covering == Covering::Alu).then(|| {
                new.resize(dbm::len(keep.len()), Bound::INFINITY);
                old.resize(dbm::len(keep.len()), Bound::INFINITY);
                dbm::project(zone, dim, keep, new);
                bounds.project(keep)
            });
            here.retain(|node| {
                let id = nodes[*node as usize].zone;
                let smaller = match &simulation {
                    Some(bounds) => {
                        pool.load(id, old);
                        zones::lu_covers(new, old, keep.len(), bounds)
                    }
                    None => pool.is_covered(id, probe),
                };
                nodes[*node as usize].live = !smaller;
                !smaller
            });
            self.stored -= (before - here.len()) as u64;
        }
        let (zone, _) = pool.insert(probe);
        let number = nodes.len() as u32;
        nodes.push(Node { discrete, zone, parent, live: true });
        here.push(number);
        self.stored += 1;
        Some(number)
    }
    /// The live nodes of a discrete state.
    pub(super) fn at(&self, discrete: u32) -> &[u32] {
        self.live.get(discrete as usize).map_or(&[], |list| list)
    }
    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let lists: usize =
            self.live.iter().filter(|list| list.spilled()).map(|list| list.capacity() * 4).sum();
        self.nodes.capacity() * size_of::<Node>()
            + self.live.capacity() * size_of::<SmallVec<[u32; 4]>>()
            + lists
            + self.pool.bytes()
    }
}
