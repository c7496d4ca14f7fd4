//! Abstract zones Ẑ by interpolation.
//!
//! Ẑ begins as the universe. To *block* a zone B at a node, where it is disjoint from the exact zone Z,
//! is to strengthen Ẑ until it is disjoint from B, and the ancestors so that post(Ẑ of the parent) ⊆ Ẑ
//! stays true. An interpolant I of Z and B has few and weak constraints.
//!
//! - Backwards: Ẑ becomes Ẑ ∩ I, and for every half-space H of ¬I the pre-image of H along the step is
//!   blocked at the parent.
//! - Forwards: the pre-image of B is blocked at the parent first, which answers with an interpolant I'
//!   there; then I is an interpolant of post(I') and B.
//!
//! A step is disabled by blocking the pre-image of all valuations along the operations up to the one that
//! is impossible; a node n is covered by n' by blocking the half-spaces of ¬Ẑ of n' at n.
//!
//! Nothing forces this to end: exact zones may go on for ever without being covered. See Tóth and Majzik,
//! *Lazy reachability checking for timed automata using interpolants*, 2017.

use zones::interpolate::interpolate;
use zones::{Bound, Constraint, Op, Overflow, Pool, ZoneId, dbm};

use super::Explorer;
use super::graph::{NONE, Node};
use super::tree::{Hulled, Tree};
use crate::answer::Reason;
use crate::stop::{Stop, zone_work};
use crate::zone::{End, outgrown};

/// How often an interpolant goes through a zone, with what surrounds it.
const INTERPOLANT: u64 = 12;

/// Why zones could not be blocked.
enum Halt {
    Outgrown,
    Stopped,
}

impl From<Overflow> for Halt {
    fn from(Overflow: Overflow) -> Self {
        Halt::Outgrown
    }
}

impl Halt {
    fn reason(self, tree: &impl Tree) -> Reason {
        match self {
            Halt::Outgrown => outgrown(),
            Halt::Stopped => tree.stop().reason(),
        }
    }
}

/// Strengthens abstract zones.
#[derive(Default)]
pub(crate) struct Hulls {
    forwards: bool,
    /// Nodes with zones to block at them; the zones lie end to end.
    nodes: Vec<u32>,
    zones: Vec<Bound>,
    a: Vec<Bound>,
    b: Vec<Bound>,
    c: Vec<Bound>,
    constraints: Vec<Constraint>,
    halves: Vec<Constraint>,
}

impl Hulls {
    /// By interpolation forwards or backwards, over `dim - 1` clocks.
    pub(crate) fn new(forwards: bool, dim: usize) -> Self {
        let zone = || vec![Bound::INFINITY; dbm::len(dim)];
        Hulls { forwards, a: zone(), b: zone(), c: zone(), ..Hulls::default() }
    }
    /// Whether by interpolation forwards.
    pub(crate) fn forwards(&self) -> bool {
        self.forwards
    }
    /// Disables `ops`, which are impossible in the exact zone of a node, in its abstract zone.
    pub(crate) fn disable(&mut self, tree: &mut impl Hulled, node: u32, ops: &[Op]) -> Result<(), Reason> {
        self.disabled(tree, node, ops).map_err(|halt| halt.reason(tree))
    }
    fn disabled(&mut self, tree: &mut impl Hulled, node: u32, ops: &[Op]) -> Result<(), Halt> {
        let dim = tree.dim();
        tree.pool().load(tree.hull(node), &mut self.a);
        if !zones::post(&mut self.a, dim, ops)? {
            return Ok(());
        }
        dbm::init_universe(&mut self.b, dim);
        if zones::pre(&mut self.b, dim, ops)? {
            self.push(node);
            self.block(tree)?;
        }
        Ok(())
    }
    /// Strengthens a node, whose exact zone is within the abstract zone of another, to be within it as a
    /// whole; whether that is so in the end, for the other node may have become stronger as well.
    pub(crate) fn cover(&mut self, tree: &mut impl Hulled, node: u32, by: u32) -> Result<bool, Reason> {
        self.covered(tree, node, by).map_err(|halt| halt.reason(tree))
    }
    fn covered(&mut self, tree: &mut impl Hulled, node: u32, by: u32) -> Result<bool, Halt> {
        let (dim, hull) = (tree.dim(), tree.hull(by));
        if hull != tree.universe() {
            tree.pool().load(hull, &mut self.c);
            let mut halves = std::mem::take(&mut self.halves);
            halves.clear();
            zones::set::complement(&self.c, dim, &mut halves);
            for half in &halves {
                dbm::init_universe(&mut self.b, dim);
                if dbm::constrain(&mut self.b, dim, *half)? {
                    self.push(node);
                    self.block(tree)?;
                }
            }
            self.halves = halves;
        }
        let (small, big) = (tree.hull(node), tree.hull(by));
        if small == big {
            return Ok(true);
        }
        tree.pool().load(small, &mut self.a);
        tree.pool().load(big, &mut self.b);
        Ok(dbm::includes(&self.b, &self.a))
    }

    /// Adds the zone in `b`, to be blocked at a node.
    fn push(&mut self, node: u32) {
        self.nodes.push(node);
        self.zones.extend_from_slice(&self.b);
    }
    /// Takes the last node; its zone goes to `b`.
    fn pop(&mut self) -> Option<u32> {
        let node = self.nodes.pop()?;
        let start = self.zones.len() - self.b.len();
        self.b.copy_from_slice(&self.zones[start..]);
        self.zones.truncate(start);
        Some(node)
    }
    fn block(&mut self, tree: &mut impl Hulled) -> Result<(), Halt> {
        let done = if self.forwards { self.block_forwards(tree) } else { self.block_backwards(tree) };
        // Nothing is left for the next time, even if this ended early.
        self.nodes.clear();
        self.zones.clear();
        done
    }
    /// Blocks the zones on the list, and what that asks for.
    fn block_backwards(&mut self, tree: &mut impl Hulled) -> Result<(), Halt> {
        let dim = tree.dim();
        while let Some(node) = self.pop() {
            tree.stop().spend(INTERPOLANT * zone_work(dim));
            if tree.stop().requested() {
                return Err(Halt::Stopped);
            }
            tree.pool().load(tree.hull(node), &mut self.a);
            if disjoint(&self.a, &self.b, dim, &mut self.c)? {
                continue;
            }
            tree.pool().load(tree.zone(node), &mut self.c);
            let mut constraints = std::mem::take(&mut self.constraints);
            constraints.clear();
            let found = interpolate(&self.c, &self.b, dim, &mut constraints);
            assert!(found, "only what is disjoint from the exact zone is blocked");
            constraints.retain(|constraint| !dbm::satisfies(&self.a, dim, *constraint));
            if let Some(parent) = tree.parent(node) {
                for constraint in &constraints {
                    dbm::init_universe(&mut self.b, dim);
                    if dbm::constrain(&mut self.b, dim, constraint.negated())?
                        && zones::pre(&mut self.b, dim, tree.ops(node))?
                    {
                        self.push(parent);
                    }
                }
            }
            self.strengthen(tree, node, &constraints)?;
            self.constraints = constraints;
        }
        Ok(())
    }
    /// Blocks the one zone on the list: its pre-images on the way to an ancestor where nothing is to do,
    /// then interpolants on the way back.
    fn block_forwards(&mut self, tree: &mut impl Hulled) -> Result<(), Halt> {
        let (dim, len) = (tree.dim(), self.b.len());
        // `c` becomes the interpolant at the node whose turn it is.
        loop {
            tree.stop().spend(INTERPOLANT * zone_work(dim));
            if tree.stop().requested() {
                return Err(Halt::Stopped);
            }
            let last = self.nodes.len() - 1;
            let node = self.nodes[last];
            let zone = &self.zones[last * len..];
            tree.pool().load(tree.hull(node), &mut self.a);
            if disjoint(&self.a, zone, dim, &mut self.c)? {
                self.c.copy_from_slice(&self.a);
                self.pop();
                break;
            }
            let Some(parent) = tree.parent(node) else {
                tree.pool().load(tree.zone(node), &mut self.c);
                self.pop();
                self.strengthen_by(tree, node)?;
                break;
            };
            self.b.copy_from_slice(zone);
            if !zones::pre(&mut self.b, dim, tree.ops(node))? {
                tree.pool().load(tree.hull(parent), &mut self.c);
                break;
            }
            self.push(parent);
        }
        while let Some(node) = self.pop() {
            let possible = zones::post(&mut self.c, dim, tree.ops(node))?;
            assert!(possible, "the step is possible in the exact zone");
            self.strengthen_by(tree, node)?;
        }
        Ok(())
    }
    /// Strengthens a node by an interpolant of `c` and `b`, which becomes `c`.
    fn strengthen_by(&mut self, tree: &mut impl Hulled, node: u32) -> Result<(), Overflow> {
        let dim = tree.dim();
        let mut constraints = std::mem::take(&mut self.constraints);
        constraints.clear();
        let found = interpolate(&self.c, &self.b, dim, &mut constraints);
        assert!(found, "the parent has been strengthened enough");
        tree.pool().load(tree.hull(node), &mut self.a);
        self.strengthen(tree, node, &constraints)?;
        dbm::init_universe(&mut self.c, dim);
        let possible = dbm::constrain_all(&mut self.c, dim, &constraints)?;
        assert!(possible, "an interpolant contains the exact zone");
        self.constraints = constraints;
        Ok(())
    }
    /// Adds constraints to the abstract zone of a node, which is in `a`.
    fn strengthen(
        &mut self,
        tree: &mut impl Hulled,
        node: u32,
        constraints: &[Constraint],
    ) -> Result<(), Overflow> {
        let possible = dbm::constrain_all(&mut self.a, tree.dim(), constraints)?;
        assert!(possible, "an abstract zone contains the exact zone");
        let hull = tree.intern(&self.a);
        if hull != tree.hull(node) {
            tree.strengthen(node, hull, constraints, &mut self.a);
        }
        Ok(())
    }
}

impl Explorer<'_> {
    /// Disables `ops`, which are impossible in the exact zone of a node, in its abstract zone.
    pub(super) fn disable_by_zone(&mut self, node: u32, ops: &[Op]) -> Result<(), End> {
        let mut hulls = std::mem::take(&mut self.hulls);
        let done = hulls.disable(self, node, ops);
        self.hulls = hulls;
        Ok(done?)
    }
    /// Strengthens a node to be within another; whether it is in the end.
    pub(super) fn cover_by_zone(&mut self, node: u32, by: u32) -> Result<bool, End> {
        let mut hulls = std::mem::take(&mut self.hulls);
        let done = hulls.cover(self, node, by);
        self.hulls = hulls;
        Ok(done?)
    }
    fn node(&self, node: u32) -> &Node {
        &self.graph.nodes[node as usize]
    }
}

impl Tree for Explorer<'_> {
    fn dim(&self) -> usize {
        self.graph.dim
    }
    fn pool(&self) -> &Pool {
        &self.graph.pool
    }
    fn zone(&self, node: u32) -> ZoneId {
        self.node(node).zone
    }
    fn parent(&self, node: u32) -> Option<u32> {
        Some(self.node(node).parent).filter(|parent| *parent != NONE)
    }
    fn ops(&self, node: u32) -> &[Op] {
        self.steps.ops(self.node(node).ops)
    }
    fn stop(&self) -> &Stop {
        self.stop
    }
}

impl Hulled for Explorer<'_> {
    fn intern(&mut self, zone: &[Bound]) -> ZoneId {
        self.graph.intern(zone)
    }
    fn universe(&self) -> ZoneId {
        self.graph.universe
    }
    fn hull(&self, node: u32) -> ZoneId {
        ZoneId::at(self.node(node).label as usize)
    }
    fn strengthen(&mut self, node: u32, hull: ZoneId, constraints: &[Constraint], memory: &mut [Bound]) {
        self.refinements += 1;
        self.graph.nodes[node as usize].label = hull.index() as u32;
        let mut covered = self.node(node).covers;
        while covered != NONE {
            let next = self.node(covered).next;
            self.graph.pool.load(self.hull(covered), memory);
            if !constraints.iter().all(|constraint| dbm::satisfies(memory, self.graph.dim, *constraint)) {
                self.uncover(covered);
            }
            covered = next;
        }
    }
}

/// Whether two zones have no valuation in common; `memory` is overwritten.
fn disjoint(a: &[Bound], b: &[Bound], dim: usize, memory: &mut [Bound]) -> Result<bool, Overflow> {
    memory.copy_from_slice(a);
    Ok(!dbm::intersect(memory, b, dim)?)
}
