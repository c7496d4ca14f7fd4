//! Abstract zones a≼LU(Z) by bounds L and U that grow.
//!
//! A node begins without bounds, and stands for all valuations. A step that is impossible in the exact
//! zone gives the node the constants of a few constraints that make it so. A step that is possible gives
//! it, as soon as the child has any bound, the bounds of the child for clocks that are not reset **and the
//! constants of its own constraints**: what simulates a valuation must be able to follow it, and be
//! simulated afterwards. A node that another covers has the bounds of that one at least.
//!
//! A constraint on a clock that the step has reset before says nothing about the clock at the source.
//!
//! Not for constraints on differences of clocks, which do not respect the simulation, nor for
//! deadlocks, which simulation does not preserve. See Herbreteau, Srivathsan and Walukiewicz, *Lazy
//! abstractions for timed automata*, 2013.

use zones::{Bound, Constraint, LuBounds, Op, dbm};

use super::Explorer;
use super::graph::NONE;
use crate::zone::{End, outgrown};

/// Memory for bounds under construction.
pub(super) struct Growth {
    work: Vec<(u32, LuBounds)>,
    zone: Vec<Bound>,
    other: Vec<Bound>,
}

impl Growth {
    pub(super) fn new(dim: usize) -> Self {
        let zone = || vec![Bound::INFINITY; dbm::len(dim)];
        Growth { work: vec![], zone: zone(), other: zone() }
    }
}

impl Explorer<'_> {
    /// Gives a node the bounds by which `ops`, impossible in its exact zone, are impossible in what that
    /// simulates.
    pub(super) fn disable_by_bounds(&mut self, node: u32, ops: &[Op]) -> Result<(), End> {
        let dim = self.graph.dim;
        let zone = &mut self.growth.zone;
        // Perhaps the bounds that there are suffice.
        self.graph.load_zone(node, zone);
        let possible = is_possible(ops, zone, dim, self.graph.bounds(node));
        if !possible.map_err(|zones::Overflow| outgrown())? {
            return Ok(());
        }
        let mut possible = |ops: &[Op]| {
            self.graph.load_zone(node, zone);
            zones::post(zone, dim, ops).map_err(|zones::Overflow| outgrown())
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
        add_atoms(&kept, &mut bounds).map_err(|zones::Overflow| outgrown())?;
        self.grow(node, bounds)
    }
    /// Gives a node, whose exact zone another simulates, the bounds of that one.
    pub(super) fn cover_by_bounds(&mut self, node: u32, by: u32) -> Result<(), End> {
        let bounds = self.graph.bounds(by).clone();
        self.grow(node, bounds)
    }
    /// Raises the bounds of a node, and what that asks for elsewhere.
    fn grow(&mut self, node: u32, bounds: LuBounds) -> Result<(), End> {
        let dim = self.graph.dim;
        let mut work = std::mem::take(&mut self.growth.work);
        work.push((node, bounds));
        while let Some((node, mut bounds)) = work.pop() {
            let known = self.graph.nodes[node as usize];
            if !bounds.merge_into(self.graph.bounds(node)) {
                continue;
            }
            self.refinements += 1;
            let label = self.graph.bounds.insert_full(bounds).0;
            self.graph.nodes[node as usize].label = label as u32;
            let bounds = &self.graph.bounds[label];
            if known.parent != NONE {
                let ops = self.steps.ops(known.ops);
                let mut before = bounds.clone();
                for op in ops {
                    if let Op::Reset(clock, _) = op {
                        before.forget(*clock as usize);
                    }
                }
                add_atoms(ops, &mut before).map_err(|zones::Overflow| outgrown())?;
                work.push((known.parent, before));
            }
            if known.covers == NONE {
                continue;
            }
            let bounds = bounds.clone();
            let Growth { zone, other, .. } = &mut self.growth;
            self.graph.load_zone(node, zone);
            let mut covered = known.covers;
            let mut lost = vec![];
            while covered != NONE {
                self.graph.load_zone(covered, other);
                match zones::lu_covers(zone, other, dim, &bounds) {
                    true => work.push((covered, bounds.clone())),
                    false => lost.push(covered),
                }
                covered = self.graph.nodes[covered as usize].next;
            }
            lost.into_iter().for_each(|covered| self.uncover(covered));
        }
        self.growth.work = work;
        Ok(())
    }
}

/// Whether operations are possible from what a zone simulates by bounds: from the zone, without the
/// constraints whose constants are beyond the bounds, of clocks that have not been reset before.
pub(super) fn is_possible(
    ops: &[Op],
    zone: &mut [Bound],
    dim: usize,
    bounds: &LuBounds,
) -> Result<bool, zones::Overflow> {
    for (at, op) in ops.iter().enumerate() {
        if let Op::Constrain(constraint) = op
            && !is_reset(&ops[..at], *constraint)
            && !is_within(*constraint, bounds)
        {
            continue;
        }
        if !zones::post(zone, dim, std::slice::from_ref(op))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the clock of a constraint is reset by operations.
fn is_reset(ops: &[Op], constraint: Constraint) -> bool {
    let clock = constraint.left + constraint.right;
    ops.iter().any(|op| matches!(op, Op::Reset(other, _) if *other == clock))
}

/// Whether the constant of a constraint on one clock is within the bounds.
fn is_within(Constraint { left, right, bound }: Constraint, bounds: &LuBounds) -> bool {
    let Some(constant) = bound.constant() else { return true };
    match right {
        0 => bounds.upper(left as usize).is_some_and(|upper| constant.max(0) <= upper),
        _ => bounds.lower(right as usize).is_some_and(|lower| (-constant).max(0) <= lower),
    }
}

/// Adds the constants of the constraints on clocks that have not been reset before.
pub(super) fn add_atoms(ops: &[Op], bounds: &mut LuBounds) -> Result<(), zones::Overflow> {
    for (at, op) in ops.iter().enumerate() {
        let Op::Constrain(constraint) = op else { continue };
        let Constraint { left, right, bound } = *constraint;
        let Some(constant) = bound.constant() else { continue };
        if is_reset(&ops[..at], *constraint) {
            continue;
        }
        match right {
            0 => bounds.raise_upper(left as usize, constant.into())?,
            _ => bounds.raise_lower(right as usize, -i64::from(constant))?,
        };
    }
    Ok(())
}
