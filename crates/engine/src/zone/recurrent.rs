//! Cycles of the zone graph that can be gone around for ever, and the lassos with them.
//!
//! A cycle of nodes is a list of operations on clocks, one after the other. Let `D` be the valuations from which it can be
//! gone around for ever. It is the greatest fixpoint of the pre-image of the cycle, so it is what is left of all valuations
//! when that is taken again and again: zones that only shrink, and finitely many, since each is a union of regions. If
//! nothing is left, no run follows the cycle for ever, though one may go around it very often. Else every run into `D` has
//! a continuation around the cycle that comes back to `D`: a *recurrent* set.
//!
//! A cycle whose transitions are no coverings can be gone around as often as one likes from the first node of it, by runs
//! that begin with any way there, since nodes keep what can happen later. So in a graph without coverings `D` is never
//! empty, and met by the way there (G. Li, *Checking timed Büchi automata emptiness using LU-abstractions*, 2009).

use ir::replay::{self, Wanted};
use ir::{Actions, ClockAtom, Head, Id, Rat, Run, State};
use zones::{Constraint, Op, Point, Zone, dbm};

use super::graph::NO_PARENT;
use super::run::{Leg, attempt, between, lost, moments, set_clocks};
use super::{End, Explorer, outgrown};
use crate::Reason;
use crate::concrete::op::VECTOR;
use crate::concrete::word::Word;

/// A cycle of nodes: where it begins, and the nodes and the acceptance sets of its transitions.
pub(super) struct Round {
    pub(super) head: u32,
    pub(super) transitions: Vec<(u32, u32)>,
}

impl Explorer<'_> {
    /// A lasso around a cycle of nodes, whose pre-image is taken so many times at most; `None` if no run follows it for
    /// ever, or that is not known by then.
    pub(super) fn lasso(&mut self, round: &Round, most: usize) -> Result<Option<Run>, Reason> {
        self.log_all();
        let path = self.path_to(round.head);
        let mut legs = self.legs_along(&path)?;
        let mut states: Vec<State> = path.iter().map(|node| self.discrete(*node)).collect();
        let stem = legs.len();
        // Units of time are told from one round to the next, so that one of two rounds takes as long as one may have to.
        let timer = self.places.system.monitor.as_ref().and_then(|monitor| monitor.timer);
        let rounds = if timer.is_some() { 2 } else { 1 };
        let mut from = round.head;
        for (to, marks) in std::iter::repeat_n(&round.transitions, rounds).flatten() {
            legs.push(self.covered_leg(from, *to, *marks)?);
            states.push(self.discrete(*to));
            from = *to;
        }
        let length = rounds * round.transitions.len();
        let around: Vec<Op> = legs[stem..].iter().flat_map(|leg| &leg.ops).copied().collect();
        let Some(recurrent) = recurrent(self.dim, &around, most)? else { return Ok(None) };
        // Twice around: values that nobody reads may take a round to come again.
        legs.extend_from_within(stem..);
        states.extend_from_within(stem..);
        let mut ops = vec![];
        for (number, leg) in legs.iter().enumerate() {
            if number == stem || number == stem + length {
                ops.extend(within(&recurrent));
            }
            ops.extend_from_slice(&leg.ops);
        }
        ops.extend(within(&recurrent));
        let Some(times) = moments(self.dim, ops.iter()) else { return Ok(None) };
        let run = self.walk_around(&states, &legs, &times, stem - 1 + length)?;
        let head = self.head(recurrent);
        Ok(Some(run.around(stem - 1 + length).within(Some(head))))
    }
    /// Makes the machine tell what it does to clocks. What the search has walked through is walked through once more.
    fn log_all(&mut self) {
        self.vm.reset();
        self.vm.time.keep_log();
        self.vm.most = u64::MAX;
    }
    /// Ends that.
    pub(super) fn end_log(&mut self) {
        self.vm.reset();
        self.vm.time.end_log();
        self.vm.most = self.judge.most;
    }
    /// The nodes from an initial one to this.
    pub(crate) fn path_to(&self, node: u32) -> Vec<u32> {
        let mut path = vec![node];
        while let Some(parent) = path.last().map(|at| self.graph.nodes[*at as usize].parent)
            && parent != NO_PARENT
        {
            path.push(parent);
        }
        path.reverse();
        path
    }
    /// How a move with these acceptance sets leads from one node to what another covers.
    fn covered_leg(&mut self, from: u32, to: u32, marks: u32) -> Result<Leg, Reason> {
        let source = self.load(from)?;
        for at in 0..self.places.prepare(source)? {
            let movement = self.places.movement(source, at);
            if self.places.marks(movement) != marks {
                continue;
            }
            let (target, code, arrives) = (movement.target, movement.code(), movement.arrives());
            let code = self.places.code(code).clone();
            self.vm.time.start();
            let mut more = self.vm.first(&code);
            while more == Ok(true) {
                if !arrives || self.settle(target).map_err(End::reason)? {
                    let ops = self.vm.time.log().to_vec();
                    self.vm.slots[VECTOR as usize] = target.index() as Word;
                    let found = self.is_covered_by(target, to)?;
                    self.vm.slots[VECTOR as usize] = source.index() as Word;
                    if found {
                        self.vm.reset();
                        let edges = self.places.edges(movement).clone();
                        return Ok(Leg { edges, ops });
                    }
                }
                more = self.vm.next(&code);
            }
            if let Err(halt) = more {
                return Err(lost(Some(halt)));
            }
        }
        Err(lost(None))
    }
    /// Whether a node covers the state in the machine, or a piece of it.
    fn is_covered_by(&mut self, vector: ir::VectorId, node: u32) -> Result<bool, Reason> {
        let components = self.store.components();
        let wanted = self.graph.nodes[node as usize].discrete;
        if self.store.find(&self.vm.slots[..components]) != Some(wanted) {
            return Ok(false);
        }
        let mut zone = self.vm.time.zone().to_vec();
        self.places.look_at(vector);
        let dim = self.dim;
        if self.places.diagonals().is_empty() {
            self.places.extrapolate(&mut zone, dim, vector)?;
            let (keep, bounds) = (self.places.keep_at(vector), self.places.bounds(vector));
            return Ok(self.graph.has(node, &zone, dim, keep, bounds));
        }
        let mut pieces = vec![];
        self.places.split(&zone, dim, vector, &mut pieces)?;
        let (keep, bounds) = (self.places.keep_at(vector), self.places.bounds(vector));
        Ok(pieces.iter().any(|piece| self.graph.has(node, piece.bounds(), dim, keep, bounds)))
    }
    /// Walks along discrete states at the given moments; what is open at the end is what it is after so many steps, where
    /// the last round begins.
    pub(super) fn walk_around(
        &mut self,
        path: &[State],
        legs: &[Leg],
        times: &Point,
        start: usize,
    ) -> Result<Run, Reason> {
        let (mut moment, stop) = (0, self.stop);
        let steps = path
            .iter()
            .zip(legs)
            .skip(1)
            .map(|(state, leg)| Wanted { edges: Some(&leg.edges), target: &state.locations });
        let system = &mut self.places.system;
        let walked = replay::along(system, &mut Actions::new(), steps, |system, step| {
            let (leg, mut after) = (&legs[step.number], path[step.number].clone());
            let count = leg.ops.iter().filter(|op| matches!(op, Op::Delay)).count();
            let delays: Vec<Rat> = (moment..moment + count).map(|at| between(times, at, at + 1)).collect();
            moment += count;
            set_clocks(system, step.before, leg, &delays, &mut after);
            attempt(system, step, &delays, &after.values, stop).map(Some)
        })?;
        let any = walked.clone().closed(system, walked.last().clone());
        let first = any.states().nth(start).expect("the cycle begins on the path").clone();
        // What is known at the end stays.
        let mut last = walked.last().clone();
        let open = last.values.iter_mut().zip(&first.values).filter(|(value, _)| value.is_none());
        open.for_each(|(value, first)| value.clone_from(first));
        Ok(walked.closed(system, last))
    }
    /// A recurrent set of valuations as a formula; those of the monitor's own clocks are left out.
    fn head(&self, mut recurrent: Zone) -> Head {
        let system = &self.places.system;
        let clocks: Vec<_> = system.clocks().collect();
        for own in system.monitor.iter().flat_map(ir::monitor::Monitor::clocks) {
            let clock = clocks.iter().position(|clock| *clock == own).expect("a clock of the product");
            dbm::free(recurrent.bounds_mut(), self.dim, clock + 1);
        }
        let mut terms = system.terms.clone();
        let parts: Vec<_> =
            recurrent.constraints().into_iter().filter_map(|it| term(&mut terms, &clocks, it)).collect();
        let formula = terms.and(parts);
        Head { terms, formula }
    }
}

/// A bound on clocks as a condition, unless it says nothing.
fn term(terms: &mut ir::Terms, clocks: &[ir::VarId], constraint: Constraint) -> Option<ir::Term> {
    let clock = |number: u32| (number > 0).then(|| clocks[number as usize - 1]);
    let (plus, minus) = (clock(constraint.left), clock(constraint.right));
    let constant = constraint.bound.constant()?;
    // No clock is negative.
    if plus.is_none() && constant == 0 && !constraint.bound.is_strict() {
        return None;
    }
    let bound = terms.int(i64::from(constant));
    Some(ClockAtom { plus, minus, bound, strict: constraint.bound.is_strict() }.term(terms))
}

/// The valuations from which operations can be gone around for ever; `None` if there are none, or it is not known after
/// so many rounds.
fn recurrent(dim: usize, around: &[Op], most: usize) -> Result<Option<Zone>, Reason> {
    let mut zone = Zone::universe(dim);
    for _ in 0..most {
        let mut before = zone.clone();
        if !zones::pre(before.bounds_mut(), dim, around).map_err(|_| outgrown())? {
            return Ok(None);
        }
        if before == zone {
            return Ok(Some(zone));
        }
        zone = before;
    }
    Ok(None)
}

/// That a valuation is one of a zone.
fn within(zone: &Zone) -> impl Iterator<Item = Op> {
    zone.constraints().into_iter().map(Op::Constrain)
}
