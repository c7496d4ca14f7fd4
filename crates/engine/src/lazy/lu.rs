//! Abstract zones a≼LU(Z) by bounds L and U that grow.
//!
//! A node begins without bounds, and stands for all valuations. A step that is impossible in the exact
//! zone gives the node the constants of a few constraints that make it so. A step that is possible gives
//! it, as soon as the child has any bound, the bounds of the child for clocks that are not reset **and the
//! constants of its own constraints**: what simulates a valuation must be able to follow it, and be
//! simulated afterwards. A node that another covers has the bounds of that one at least.
//!
//! Bounds are *pulled back* through the operations of a step, the last one first. A constraint raises those of its
//! clock. A clock that is reset, or set freely, has none before; one that is copied passes them on.
//!
//! Not for constraints on differences of clocks, which do not respect the simulation. Nor does simulation preserve
//! deadlocks: whoever asks zones for them cannot use it, and whoever makes constraints of them first, like of any
//! target, can where these are not about differences. See Herbreteau, Srivathsan and Walukiewicz, *Lazy
//! abstractions for timed automata*, 2013.

use zones::{Bound, Constraint, LuBounds, Op, Overflow, dbm};

use super::Explorer;
use super::graph::NONE;
use super::tree::Bounded;
use crate::answer::Reason;
use crate::stop::{SUCCESSOR, zone_work};
use crate::zone::{End, outgrown};

/// Raises bounds.
#[derive(Default)]
pub(crate) struct Growth {
    work: Vec<(u32, LuBounds)>,
    covered: Vec<u32>,
    zone: Vec<Bound>,
    other: Vec<Bound>,
}

impl Growth {
    /// Over `dim - 1` clocks.
    pub(crate) fn new(dim: usize) -> Self {
        let zone = || vec![Bound::INFINITY; dbm::len(dim)];
        Growth { zone: zone(), other: zone(), ..Growth::default() }
    }
    /// Gives a node the bounds by which `ops`, impossible in its exact zone, are impossible in what that
    /// simulates.
    pub(crate) fn disable(&mut self, tree: &mut impl Bounded, node: u32, ops: &[Op]) -> Result<(), Reason> {
        self.disabled(tree, node, ops).map_err(|Overflow| outgrown())
    }
    fn disabled(&mut self, tree: &mut impl Bounded, node: u32, ops: &[Op]) -> Result<(), Overflow> {
        let (dim, zone) = (tree.dim(), &mut self.zone);
        tree.stop().spend(ops.len() as u64 * zone_work(dim));
        // Perhaps the bounds that there are suffice.
        tree.pool().load(tree.zone(node), zone);
        if !is_possible(ops, zone, dim, tree.bounds(node))? {
            return Ok(());
        }
        let mut possible = |ops: &[Op]| {
            tree.pool().load(tree.zone(node), zone);
            zones::post(zone, dim, ops)
        };
        // Else drop what is not needed, the last constraint last.
        let mut kept = ops.to_vec();
        for at in (0..ops.len() - 1).rev() {
            if matches!(kept[at], Op::Constrain(_)) {
                let op = kept.remove(at);
                if possible(&kept)? {
                    kept.insert(at, op);
                }
            }
        }
        let mut bounds = LuBounds::new(dim);
        bounds.pull_back(&kept)?;
        self.grow(tree, node, bounds)
    }
    /// Gives a node, whose exact zone another simulates, the bounds of that one; whether it is simulated in the
    /// end, for the bounds of the other node may have grown as well.
    pub(crate) fn cover(&mut self, tree: &mut impl Bounded, node: u32, by: u32) -> Result<bool, Reason> {
        loop {
            let mut bounds = tree.bounds(by).clone();
            if !bounds.merge_into(tree.bounds(node)) {
                return Ok(self.simulates(tree, by, node));
            }
            self.grow(tree, node, bounds).map_err(|Overflow| outgrown())?;
            if !self.simulates(tree, by, node) {
                return Ok(false);
            }
        }
    }
    /// Whether one node simulates the exact zone of another.
    fn simulates(&mut self, tree: &impl Bounded, big: u32, small: u32) -> bool {
        tree.pool().load(tree.zone(big), &mut self.zone);
        tree.pool().load(tree.zone(small), &mut self.other);
        zones::lu_covers(&self.zone, &self.other, tree.dim(), tree.bounds(big))
    }
    /// Raises the bounds of a node, and what that asks for elsewhere.
    fn grow(&mut self, tree: &mut impl Bounded, node: u32, bounds: LuBounds) -> Result<(), Overflow> {
        self.work.clear();
        self.work.push((node, bounds));
        while let Some((node, mut bounds)) = self.work.pop() {
            if !bounds.merge_into(tree.bounds(node)) {
                continue;
            }
            tree.raise(node, &bounds);
            tree.stop().spend(SUCCESSOR);
            if let Some(parent) = tree.parent(node) {
                let mut before = bounds.clone();
                before.pull_back(tree.ops(node))?;
                self.work.push((parent, before));
            }
            let mut covered = std::mem::take(&mut self.covered);
            covered.clear();
            tree.covered(node, &mut covered);
            if !covered.is_empty() {
                let dim = tree.dim();
                tree.pool().load(tree.zone(node), &mut self.zone);
                tree.stop().spend(covered.len() as u64 * 3 * zone_work(dim));
                covered.retain(|covered| {
                    tree.pool().load(tree.zone(*covered), &mut self.other);
                    let covers = zones::lu_covers(&self.zone, &self.other, dim, &bounds);
                    if covers {
                        self.work.push((*covered, bounds.clone()));
                    }
                    !covers
                });
                tree.uncover(node, &covered);
            }
            self.covered = covered;
        }
        Ok(())
    }
}

/// Whether operations are possible from what a zone simulates by bounds: from the zone, without the
/// constraints whose constants are beyond the bounds of the clocks that they are about.
pub(crate) fn is_possible(
    ops: &[Op],
    zone: &mut [Bound],
    dim: usize,
    bounds: &LuBounds,
) -> Result<bool, Overflow> {
    for (at, op) in ops.iter().enumerate() {
        if let Op::Constrain(constraint) = op
            && let Some(clock) = source(&ops[..at], constraint.left + constraint.right)
            && !is_within(*constraint, clock as usize, bounds)
        {
            continue;
        }
        if !zones::post(zone, dim, std::slice::from_ref(op))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The clock that has, before operations, the value of a clock afterwards, but for time that passes; `None` if
/// it is set on the way.
fn source(ops: &[Op], mut clock: u32) -> Option<u32> {
    for op in ops.iter().rev() {
        match *op {
            Op::Reset(other, _) | Op::Free(other) if other == clock => return None,
            Op::Copy(other, source) if other == clock => clock = source,
            _ => {}
        }
    }
    Some(clock)
}

/// Whether the constant of a constraint on one clock is within the bounds of a clock.
fn is_within(Constraint { right, bound, .. }: Constraint, clock: usize, bounds: &LuBounds) -> bool {
    let Some(constant) = bound.constant() else { return true };
    match right {
        0 => bounds.upper(clock).is_some_and(|upper| constant.max(0) <= upper),
        _ => bounds.lower(clock).is_some_and(|lower| (-constant).max(0) <= lower),
    }
}

impl Explorer<'_> {
    /// Disables `ops`, which are impossible in the exact zone of a node, in what that simulates.
    pub(super) fn disable_by_bounds(&mut self, node: u32, ops: &[Op]) -> Result<(), End> {
        let mut growth = std::mem::take(&mut self.growth);
        let done = growth.disable(self, node, ops);
        self.growth = growth;
        Ok(done?)
    }
    /// Gives a node the bounds of another; whether that simulates it in the end.
    pub(super) fn cover_by_bounds(&mut self, node: u32, by: u32) -> Result<bool, End> {
        let mut growth = std::mem::take(&mut self.growth);
        let done = growth.cover(self, node, by);
        self.growth = growth;
        Ok(done?)
    }
}

impl Bounded for Explorer<'_> {
    fn bounds(&self, node: u32) -> &LuBounds {
        self.graph.bounds(node)
    }
    fn raise(&mut self, node: u32, bounds: &LuBounds) {
        self.refinements += 1;
        let list = &mut self.graph.bounds;
        let label = list.get_index_of(bounds).unwrap_or_else(|| list.insert_full(bounds.clone()).0);
        self.graph.nodes[node as usize].label = label as u32;
    }
    fn covered(&self, node: u32, out: &mut Vec<u32>) {
        let mut covered = self.graph.nodes[node as usize].covers;
        while covered != NONE {
            out.push(covered);
            covered = self.graph.nodes[covered as usize].next;
        }
    }
    fn uncover(&mut self, _: u32, lost: &[u32]) {
        lost.iter().for_each(|covered| self.uncover(*covered));
    }
}
