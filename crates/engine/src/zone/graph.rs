//! The zone graph as it grows: nodes, and which of them cover which.
//!
//! A node is a discrete state and a zone. For each discrete state the nodes that are still wanted are
//! listed; a new zone is compared with those only. Zones live in one pool, over the clocks that matter
//! at their locations, packed and shared; nodes know their parent and nothing else of the graph.
//!
//! Invariant: the zone of a live node is in no other live node's zone of the same discrete state
//! (equality covering: is no other's), and every node that ever was is covered by a live one.

use rustc_hash::FxHashMap;
use zones::{Bound, LuBounds, Pool, Probe, Sign, ZoneId, dbm};

use crate::Reason;
use crate::config::Covering;
use crate::stop::zone_work;

/// The parent of an initial node.
pub(crate) const NO_PARENT: u32 = u32::MAX;

/// A node of the zone graph.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Node {
    /// The number of its discrete state.
    pub(crate) discrete: u32,
    pub(crate) zone: ZoneId,
    pub(crate) parent: u32,
    /// Whether no other node covers it.
    pub(crate) live: bool,
}

/// What has become of a zone.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Added {
    /// It is a node of this number.
    New(u32),
    /// The node of this number covers it.
    Covered(u32),
}

/// All nodes so far.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) pool: Pool,
    /// For each discrete state, its live node, or with [`LIST_BIT`] the number of its list, or [`EMPTY`].
    heads: Vec<u32>,
    lists: Vec<List>,
    probe: Probe,
    /// Memory for zones that are compared by simulation.
    new: Vec<Bound>,
    old: Vec<Bound>,
    covering: Covering,
    /// For nodes that are not live any more, which node covers them, if somebody wants to know.
    heirs: Option<FxHashMap<u32, u32>>,
    /// How many nodes are live.
    pub(crate) stored: u64,
    /// How many zones were covered on arrival.
    pub(crate) covered: u64,
    /// How much work comparisons were since somebody asked.
    work: u64,
}

/// The live nodes of a discrete state that has had several, with what tells quickly that one does not
/// cover another.
#[derive(Debug, Default)]
struct List {
    nodes: Vec<u32>,
    signs: Vec<Sign>,
}

const EMPTY: u32 = u32::MAX;
/// Tells the number of a list from that of a node.
const LIST_BIT: u32 = 1 << 31;

impl Graph {
    /// No node.
    pub(crate) fn new(covering: Covering) -> Self {
        Graph {
            nodes: vec![],
            pool: Pool::new(),
            heads: vec![],
            lists: vec![],
            probe: Probe::new(),
            new: vec![],
            old: vec![],
            covering,
            heirs: None,
            stored: 0,
            covered: 0,
            work: 0,
        }
    }
    /// How much work comparisons were since this was asked the last time.
    pub(crate) fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.work)
    }
    /// Adds a zone, over the clocks in `keep`, to a discrete state, unless it is covered there; an error
    /// if there are too many nodes to be numbered.
    pub(crate) fn add(
        &mut self,
        discrete: u32,
        zone: &[Bound],
        dim: usize,
        keep: &[u32],
        bounds: &LuBounds,
        parent: u32,
    ) -> Result<Added, Reason> {
        let at = discrete as usize;
        if self.heads.len() <= at {
            let more = at + 1 - self.heads.len();
            super::reserve(&mut self.heads, more);
            self.heads.resize(at + 1, EMPTY);
        }
        self.probe.load(zone, dim, keep);
        let head = self.heads[at];
        let number = self.nodes.len() as u32;
        if number >= LIST_BIT {
            return Err(Reason::States(u64::from(LIST_BIT)));
        }
        if head == EMPTY {
            self.heads[at] = number;
        } else {
            // Only here are bounds over the kept clocks needed.
            let kept = bounds.project(keep);
            if self.covering == Covering::Alu {
                self.new.resize(dbm::len(keep.len()), Bound::INFINITY);
                self.old.resize(dbm::len(keep.len()), Bound::INFINITY);
                dbm::project(zone, dim, keep, &mut self.new);
            }
            let covering = match head & LIST_BIT == 0 {
                true => self.join_one(at, head, number, &kept),
                false => self.join_list(head & !LIST_BIT, number, &kept),
            };
            if let Some(node) = covering {
                self.covered += 1;
                return Ok(Added::Covered(node));
            }
        }
        let (zone, _) = self.pool.insert(&mut self.probe);
        super::reserve(&mut self.nodes, 1);
        self.nodes.push(Node { discrete, zone, parent, live: true });
        self.stored += 1;
        Ok(Added::New(number))
    }
    /// From now on, remembers which nodes cover those that are not live any more.
    pub(crate) fn keep_heirs(&mut self) {
        self.heirs = Some(FxHashMap::default());
    }
    /// The live node that covers a node.
    pub(crate) fn heir(&self, mut node: u32) -> u32 {
        while let Some(heir) = self.heirs.as_ref().and_then(|heirs| heirs.get(&node)) {
            node = *heir;
        }
        node
    }
    /// A node is not live any more.
    fn cover(&mut self, node: u32, by: u32) {
        self.nodes[node as usize].live = false;
        self.stored -= 1;
        if let Some(heirs) = &mut self.heirs {
            heirs.insert(node, by);
        }
    }
    /// Adds node `number` with the loaded zone to a discrete state with one node, unless that covers it; then, which it
    /// is.
    fn join_one(&mut self, discrete: usize, other: u32, number: u32, bounds: &LuBounds) -> Option<u32> {
        let id = self.nodes[other as usize].zone;
        if self.covers(id, bounds) {
            return Some(other);
        }
        if self.is_covered(id, bounds) {
            self.cover(other, number);
            self.heads[discrete] = number;
            return None;
        }
        let simulation = self.covering == Covering::Alu;
        let signs = vec![self.pool.sign(id, bounds, simulation), self.probe.sign(bounds, simulation)];
        self.heads[discrete] = LIST_BIT | self.lists.len() as u32;
        self.lists.push(List { nodes: vec![other, number], signs });
        None
    }
    /// Adds node `number` with the loaded zone to a list, unless a node there covers it; then, which it is.
    fn join_list(&mut self, list: u32, number: u32, bounds: &LuBounds) -> Option<u32> {
        let List { mut nodes, mut signs } = std::mem::take(&mut self.lists[list as usize]);
        let sign = self.probe.sign(bounds, self.covering == Covering::Alu);
        // Signs are compared twice; that is most of the work where lists are long.
        self.work += 2 * nodes.len() as u64;
        let zone = |graph: &Graph, node: u32| graph.nodes[node as usize].zone;
        let found = (0..nodes.len())
            .find(|at| signs[*at].may_cover(&sign) && self.covers(zone(self, nodes[*at]), bounds));
        if let Some(found) = found {
            let node = nodes[found];
            // What covers one zone is likely to cover the next.
            nodes.swap(found, found / 2);
            signs.swap(found, found / 2);
            self.lists[list as usize] = List { nodes, signs };
            return Some(node);
        }
        let mut kept = 0;
        for at in 0..nodes.len() {
            let node = nodes[at];
            if sign.may_cover(&signs[at]) && self.is_covered(zone(self, node), bounds) {
                self.cover(node, number);
                continue;
            }
            (nodes[kept], signs[kept]) = (node, signs[at]);
            kept += 1;
        }
        nodes.truncate(kept);
        signs.truncate(kept);
        nodes.push(number);
        signs.push(sign);
        self.lists[list as usize] = List { nodes, signs };
        None
    }
    /// Whether a stored zone covers the loaded one.
    fn covers(&mut self, id: ZoneId, bounds: &LuBounds) -> bool {
        self.work += zone_work(bounds.dim()) / 2;
        match self.covering {
            Covering::Equality => self.pool.equals(id, &mut self.probe),
            Covering::Inclusion => self.pool.covers(id, &mut self.probe),
            Covering::Alu => self.pool.lu_covers(id, &self.probe, bounds),
        }
    }
    /// Whether the loaded zone, which is also in `new`, covers a stored one that does not cover it.
    fn is_covered(&mut self, id: ZoneId, bounds: &LuBounds) -> bool {
        self.work += zone_work(bounds.dim()) / 2;
        match self.covering {
            Covering::Equality => false,
            Covering::Inclusion => self.pool.is_covered(id, &mut self.probe),
            Covering::Alu => {
                self.pool.load(id, &mut self.old);
                zones::lu_covers(&self.new, &self.old, bounds.dim(), bounds)
            }
        }
    }
    /// Whether a node covers a zone over the clocks in `keep` of the same discrete state.
    pub(crate) fn has(
        &mut self,
        node: u32,
        zone: &[Bound],
        dim: usize,
        keep: &[u32],
        bounds: &LuBounds,
    ) -> bool {
        self.probe.load(zone, dim, keep);
        let id = self.nodes[node as usize].zone;
        let bounds = bounds.project(keep);
        self.covers(id, &bounds)
    }
    /// The live nodes of a discrete state.
    pub(crate) fn at(&self, discrete: u32) -> &[u32] {
        match self.heads.get(discrete as usize) {
            None | Some(&EMPTY) => &[],
            Some(head) if head & LIST_BIT == 0 => std::slice::from_ref(head),
            Some(list) => &self.lists[(list & !LIST_BIT) as usize].nodes,
        }
    }
    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let list = |list: &List| list.nodes.capacity() * 4 + list.signs.capacity() * size_of::<Sign>();
        self.nodes.capacity() * size_of::<Node>()
            + self.heads.capacity() * 4
            + self.lists.capacity() * size_of::<List>()
            + self.lists.iter().map(list).sum::<usize>()
            + self.pool.bytes()
            + self.heirs.as_ref().map_or(0, |heirs| heirs.capacity() * 9)
    }
}
