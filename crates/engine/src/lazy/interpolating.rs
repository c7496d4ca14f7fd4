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
use zones::{Bound, Constraint, Op, ZoneId, dbm};

use super::Explorer;
use super::graph::NONE;
use crate::config::ZoneStrategy;
use crate::zone::{End, outgrown};

/// Memory for zones.
#[derive(Default)]
pub(super) struct Scratch {
    /// Nodes with zones to block at them; the zones lie end to end.
    nodes: Vec<u32>,
    zones: Vec<Bound>,
    a: Vec<Bound>,
    b: Vec<Bound>,
    c: Vec<Bound>,
    constraints: Vec<Constraint>,
    halves: Vec<Constraint>,
}

impl Scratch {
    pub(super) fn new(dim: usize) -> Self {
        let zone = || vec![Bound::INFINITY; dbm::len(dim)];
        Scratch { a: zone(), b: zone(), c: zone(), ..Scratch::default() }
    }
    fn push(&mut self, node: u32, zone: &[Bound]) {
        self.nodes.push(node);
        self.zones.extend_from_slice(zone);
    }
    /// Takes the last node; its zone goes to `b`.
    fn pop(&mut self) -> Option<u32> {
        let node = self.nodes.pop()?;
        let start = self.zones.len() - self.b.len();
        self.b.copy_from_slice(&self.zones[start..]);
        self.zones.truncate(start);
        Some(node)
    }
}

impl Explorer<'_> {
    /// Disables `ops`, which are impossible in the exact zone of a node, in its abstract zone.
    pub(super) fn disable_by_zone(&mut self, node: u32, ops: &[Op]) -> Result<(), End> {
        let dim = self.graph.dim;
        let mut scratch = std::mem::take(&mut self.scratch);
        let result = (|| {
            let Scratch { a, b, .. } = &mut scratch;
            self.graph.load_hull(node, a);
            if !zones::post(a, dim, ops)? {
                return Ok(());
            }
            dbm::init_universe(b, dim);
            if zones::pre(b, dim, ops)? {
                let zone = std::mem::take(b);
                scratch.push(node, &zone);
                scratch.b = zone;
                self.block(&mut scratch)?;
            }
            Ok(())
        })();
        self.scratch = scratch;
        result.map_err(|zones::Overflow| outgrown().into())
    }
    /// Strengthens a node, whose exact zone is within the abstract zone of another, to be within it as a
    /// whole; whether that is so in the end, for the other node may have become stronger as well.
    pub(super) fn cover_by_zone(&mut self, node: u32, by: u32) -> Result<bool, End> {
        let dim = self.graph.dim;
        let mut scratch = std::mem::take(&mut self.scratch);
        let result = (|| {
            let hull = self.graph.nodes[by as usize].label;
            if hull != self.graph.universe.index() as u32 {
                self.graph.load_hull(by, &mut scratch.c);
                let mut halves = std::mem::take(&mut scratch.halves);
                halves.clear();
                zones::set::complement(&scratch.c, dim, &mut halves);
                for half in &halves {
                    dbm::init_universe(&mut scratch.b, dim);
                    if dbm::constrain(&mut scratch.b, dim, *half)? {
                        let zone = std::mem::take(&mut scratch.b);
                        scratch.push(node, &zone);
                        scratch.b = zone;
                        self.block(&mut scratch)?;
                    }
                }
                scratch.halves = halves;
            }
            Ok(self.hull_within(node, by, &mut scratch))
        })();
        self.scratch = scratch;
        result.map_err(|zones::Overflow| outgrown().into())
    }
    /// Whether the abstract zone of one node is within that of another.
    fn hull_within(&self, node: u32, by: u32, scratch: &mut Scratch) -> bool {
        let [small, big] = [node, by].map(|node| self.graph.nodes[node as usize].label);
        if small == big {
            return true;
        }
        self.graph.load_hull(node, &mut scratch.a);
        self.graph.load_hull(by, &mut scratch.b);
        dbm::includes(&scratch.b, &scratch.a)
    }
    fn block(&mut self, scratch: &mut Scratch) -> Result<(), zones::Overflow> {
        match self.strategy {
            ZoneStrategy::FwItp => self.block_forwards(scratch),
            _ => self.block_backwards(scratch),
        }
    }
    /// Blocks the zones on the list, and what that asks for.
    fn block_backwards(&mut self, scratch: &mut Scratch) -> Result<(), zones::Overflow> {
        let dim = self.graph.dim;
        while let Some(node) = scratch.pop() {
            self.graph.load_hull(node, &mut scratch.a);
            if disjoint(&scratch.a, &scratch.b, dim, &mut scratch.c)? {
                continue;
            }
            self.graph.load_zone(node, &mut scratch.c);
            let mut constraints = std::mem::take(&mut scratch.constraints);
            constraints.clear();
            let found = interpolate(&scratch.c, &scratch.b, dim, &mut constraints);
            assert!(found, "only what is disjoint from the exact zone is blocked");
            constraints.retain(|constraint| !dbm::satisfies(&scratch.a, dim, *constraint));
            let parent = self.graph.nodes[node as usize].parent;
            if parent != NONE {
                let ops = self.graph.nodes[node as usize].ops;
                for constraint in &constraints {
                    dbm::init_universe(&mut scratch.b, dim);
                    if dbm::constrain(&mut scratch.b, dim, constraint.negated())?
                        && zones::pre(&mut scratch.b, dim, self.steps.ops(ops))?
                    {
                        let zone = std::mem::take(&mut scratch.b);
                        scratch.push(parent, &zone);
                        scratch.b = zone;
                    }
                }
            }
            self.strengthen(node, &constraints, scratch)?;
            scratch.constraints = constraints;
        }
        Ok(())
    }
    /// Blocks the one zone on the list: its pre-images on the way to an ancestor where nothing is to do,
    /// then interpolants on the way back.
    fn block_forwards(&mut self, scratch: &mut Scratch) -> Result<(), zones::Overflow> {
        let (dim, len) = (self.graph.dim, scratch.b.len());
        // `c` becomes the interpolant at the node whose turn it is.
        loop {
            let last = scratch.nodes.len() - 1;
            let node = scratch.nodes[last];
            let zone = &scratch.zones[last * len..];
            self.graph.load_hull(node, &mut scratch.a);
            if disjoint(&scratch.a, zone, dim, &mut scratch.c)? {
                scratch.c.copy_from_slice(&scratch.a);
                scratch.pop();
                break;
            }
            let parent = self.graph.nodes[node as usize].parent;
            if parent == NONE {
                self.graph.load_zone(node, &mut scratch.c);
                scratch.pop();
                self.strengthen_by(node, scratch)?;
                break;
            }
            scratch.b.copy_from_slice(zone);
            if !zones::pre(&mut scratch.b, dim, self.steps.ops(self.graph.nodes[node as usize].ops))? {
                self.graph.load_hull(parent, &mut scratch.c);
                break;
            }
            let zone = std::mem::take(&mut scratch.b);
            scratch.push(parent, &zone);
            scratch.b = zone;
        }
        while let Some(node) = scratch.pop() {
            let ops = self.graph.nodes[node as usize].ops;
            let possible = zones::post(&mut scratch.c, dim, self.steps.ops(ops))?;
            assert!(possible, "the step is possible in the exact zone");
            self.strengthen_by(node, scratch)?;
        }
        Ok(())
    }
    /// Strengthens a node by an interpolant of `c` and `b`, which becomes `c`.
    fn strengthen_by(&mut self, node: u32, scratch: &mut Scratch) -> Result<(), zones::Overflow> {
        let dim = self.graph.dim;
        let mut constraints = std::mem::take(&mut scratch.constraints);
        constraints.clear();
        let found = interpolate(&scratch.c, &scratch.b, dim, &mut constraints);
        assert!(found, "the parent has been strengthened enough");
        self.graph.load_hull(node, &mut scratch.a);
        self.strengthen(node, &constraints, scratch)?;
        dbm::init_universe(&mut scratch.c, dim);
        let possible = dbm::constrain_all(&mut scratch.c, dim, &constraints)?;
        assert!(possible, "an interpolant contains the exact zone");
        scratch.constraints = constraints;
        Ok(())
    }
    /// Adds constraints to the abstract zone of a node, which is in `a`; what it covers then no more waits
    /// again.
    fn strengthen(
        &mut self,
        node: u32,
        constraints: &[Constraint],
        scratch: &mut Scratch,
    ) -> Result<(), zones::Overflow> {
        let dim = self.graph.dim;
        let possible = dbm::constrain_all(&mut scratch.a, dim, constraints)?;
        assert!(possible, "an abstract zone contains the exact zone");
        let hull = self.graph.intern(&scratch.a).index() as u32;
        let known = &mut self.graph.nodes[node as usize];
        if known.label == hull {
            return Ok(());
        }
        self.refinements += 1;
        known.label = hull;
        let mut covered = known.covers;
        while covered != NONE {
            let next = self.graph.nodes[covered as usize].next;
            let label = ZoneId::at(self.graph.nodes[covered as usize].label as usize);
            self.graph.pool.load(label, &mut scratch.a);
            if !constraints.iter().all(|constraint| dbm::satisfies(&scratch.a, dim, *constraint)) {
                self.uncover(covered);
            }
            covered = next;
        }
        Ok(())
    }
}

/// Whether two zones have no valuation in common; `memory` is overwritten.
fn disjoint(a: &[Bound], b: &[Bound], dim: usize, memory: &mut [Bound]) -> Result<bool, zones::Overflow> {
    memory.copy_from_slice(a);
    Ok(!dbm::intersect(memory, b, dim)?)
}
