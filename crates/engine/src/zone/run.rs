//! From a path in the zone graph to a run with exact times.
//!
//! Extrapolation keeps simulation, so the actions of a path can really be taken, one after the other.
//! What they demand of time is a list of bounds on differences between moments: a clock is the time
//! since its last reset, and every delay is a moment of its own. The earliest solution gives the delays;
//! the plain interpreter then walks along and records its decisions.

use ir::interp::{Interp, Outcome, Stuck};
use ir::replay::{self, NoStep, Wanted};
use ir::{Actions, Edges, Id, Int, NamedVar, Rat, Run, State, System, Value, VectorId};
use zones::{Bound, Constraint, Op, Point};

use super::{End, Explorer};
use crate::cause::{InternalError, Unsupported};
use crate::concrete::op::VECTOR;
use crate::concrete::vm::Halt;
use crate::concrete::word::Word;
use crate::{Reason, Stop};

/// What happens to clocks in one step, and its action.
#[derive(Clone, Debug)]
pub(crate) struct Leg {
    /// The edges that move, none for the initial statement.
    pub(crate) edges: Edges,
    pub(crate) ops: Vec<Op>,
}

impl Explorer<'_> {
    /// A run to `node`, where what was searched for happens; `None` if extrapolation added all valuations
    /// where it does.
    pub(crate) fn run_to(mut self, node: u32) -> Result<Option<Run>, Reason> {
        let path = self.path_to(node);
        // The search may have ended in the middle of an action.
        for vm in [&mut self.vm, &mut self.judge] {
            vm.reset();
            vm.time.keep_log();
            // What the search has walked through is walked through once more.
            vm.most = u64::MAX;
        }
        let legs = self.legs_along(&path)?;
        let times = self.times(node, &legs)?;
        let states: Vec<State> = path.iter().map(|node| self.discrete(*node)).collect();
        times.map(|times| self.walk(&states, &legs, &times)).transpose()
    }

    /// How nodes lead to the next ones, the first being an initial one.
    pub(super) fn legs_along(&mut self, path: &[u32]) -> Result<Vec<Leg>, Reason> {
        let mut legs = vec![self.first_leg(path[0])?];
        for pair in path.windows(2) {
            legs.push(self.leg(pair[0], pair[1])?);
        }
        Ok(legs)
    }
    /// How the initial statement leads to `node`.
    fn first_leg(&mut self, node: u32) -> Result<Leg, Reason> {
        let initial = ir::initial(&mut self.places.system);
        let locations = self.places.system.initial_locations();
        let vector = self.places.vector(&locations)?;
        let code = self.places.compile(initial, &Edges::new(), &locations, Some(vector.index() as u32))?;
        let code = self.places.code(code).clone();
        self.make_room();
        let discrete = self.graph.nodes[node as usize].discrete;
        self.store.get(discrete, &mut self.vm.slots);
        zones::dbm::init_zero(&mut self.vm.time.source, self.dim);
        self.vm.time.start();
        let mut more = self.vm.first(&code);
        while more == Ok(true) {
            let ops = self.vm.time.log().to_vec();
            if self.leads_to(vector, node)? {
                self.vm.reset();
                return Ok(Leg { edges: Edges::new(), ops });
            }
            more = self.vm.next(&code);
        }
        Err(lost(more.err()))
    }
    /// How some action leads from one node to the next.
    fn leg(&mut self, from: u32, to: u32) -> Result<Leg, Reason> {
        let source = self.load(from)?;
        for at in 0..self.places.prepare(source)? {
            let movement = self.places.movement(source, at);
            let (target, code, arrives) = (movement.target, movement.code(), movement.arrives());
            let code = self.places.code(code).clone();
            self.vm.time.start();
            let mut more = self.vm.first(&code);
            while more == Ok(true) {
                if !arrives || self.settle(target).map_err(End::reason)? {
                    let ops = self.vm.time.log().to_vec();
                    self.vm.slots[VECTOR as usize] = target.index() as Word;
                    let found = self.leads_to(target, to)?;
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
    /// Whether the state in the machine becomes `node`.
    pub(crate) fn leads_to(&mut self, vector: VectorId, node: u32) -> Result<bool, Reason> {
        let wanted = self.graph.nodes[node as usize];
        let components = self.store.components();
        if self.store.find(&self.vm.slots[..components]) != Some(wanted.discrete) {
            return Ok(false);
        }
        // The pieces are compared in scratch memory, since the machine goes on from its zone.
        let mut zone = self.vm.time.zone().to_vec();
        self.places.look_at(vector);
        let keep = self.places.keep_at(vector);
        let mut probe = zones::Probe::new();
        let mut is_wanted = |zone: &[Bound]| {
            probe.load(zone, self.dim, keep);
            self.graph.pool.get(&mut probe) == Some(wanted.zone)
        };
        if self.places.diagonals().is_empty() {
            self.places.extrapolate(&mut zone, self.dim, vector)?;
            return Ok(is_wanted(&zone));
        }
        let mut pieces = vec![];
        self.places.split(&zone, self.dim, vector, &mut pieces)?;
        Ok(pieces.iter().any(|piece| is_wanted(piece.bounds())))
    }
    /// Moments for the legs to `node`, so that what was searched for happens there.
    fn times(&mut self, node: u32, legs: &[Leg]) -> Result<Option<Point>, Reason> {
        let vector = self.load(node)?;
        let dim = self.dim;
        let on_the_way: Vec<Op> = legs.iter().flat_map(|leg| &leg.ops).copied().collect();
        if self.places.faulty(vector) {
            return Ok(moments(dim, on_the_way.iter()));
        }
        self.vm.time.start();
        let mut times = None;
        let mut follow = |last: Vec<Op>| {
            times = moments(dim, on_the_way.iter().chain(&last));
            times.is_none()
        };
        self.targets(vector, &mut follow).map_err(End::reason)?;
        Ok(times)
    }

    /// Walks along discrete states at the given moments.
    pub(crate) fn walk(mut self, path: &[State], legs: &[Leg], times: &Point) -> Result<Run, Reason> {
        // Any value will do for what is open, unless a later step asks for it.
        match self.walk_by(path, legs, times, true) {
            Err(Reason::Internal(_)) => self.walk_by(path, legs, times, false),
            run => run,
        }
    }
    /// The same, where what is open after a step gets a value at once, or only as later steps need it.
    fn walk_by<'p>(
        &mut self,
        path: &'p [State],
        legs: &'p [Leg],
        times: &Point,
        at_once: bool,
    ) -> Result<Run, Reason> {
        let mut moment = 0;
        let stop = self.stop;
        let wanted =
            |(state, leg): (&'p State, &'p Leg)| Wanted { edges: Some(&leg.edges), target: &state.locations };
        let steps = path.iter().zip(legs).skip(1).map(wanted);
        let system = &mut self.places.system;
        let walked = replay::along(system, &mut Actions::new(), steps, |system, step| {
            let (leg, mut after) = (&legs[step.number], path[step.number].clone());
            let count = leg.ops.iter().filter(|op| matches!(op, Op::Delay)).count();
            let delays: Vec<Rat> = (moment..moment + count).map(|at| between(times, at, at + 1)).collect();
            moment += count;
            set_clocks(system, step.before, leg, &delays, &mut after);
            let mut outcome = attempt(system, step, &delays, &after.values, stop)?;
            if at_once {
                replay::close(system, &mut outcome.values, |_, _| None);
            }
            Ok::<_, Reason>(Some(outcome))
        })?;
        let last = walked.last().clone();
        Ok(walked.closed(system, last))
    }
    /// The vector of a node.
    pub(crate) fn vector_of(&self, node: u32) -> VectorId {
        let mut words = vec![0; self.store.components()];
        self.store.get(self.graph.nodes[node as usize].discrete, &mut words);
        VectorId::at(words[VECTOR as usize] as usize)
    }
    /// The discrete part of a node.
    pub(crate) fn discrete(&self, node: u32) -> State {
        let mut words = vec![0; self.store.components()];
        self.store.get(self.graph.nodes[node as usize].discrete, &mut words);
        self.places.unpack(&words)
    }
}

/// Gives the clocks of `after` their values when a leg is taken with these delays: executions that do the same to data
/// may do different things to clocks.
pub(super) fn set_clocks(system: &System, before: &State, leg: &Leg, delays: &[Rat], after: &mut State) {
    let slots: Vec<usize> =
        system.clocks().filter_map(|clock| system.state_vars().position(|var| var == clock)).collect();
    let value = |slot: &usize| before.values[*slot].as_ref().map_or(Rat::ZERO, Value::as_rat);
    let mut clocks: Vec<Rat> = slots.iter().map(value).collect();
    let mut delays = delays.iter();
    for op in &leg.ops {
        match *op {
            Op::Delay => {
                let delay = delays.next().cloned().unwrap_or(Rat::ZERO);
                clocks.iter_mut().for_each(|clock| *clock = &*clock + &delay);
            }
            Op::Reset(clock, value) => clocks[clock as usize - 1] = Rat::from(value),
            Op::Copy(clock, source) => clocks[clock as usize - 1] = clocks[source as usize - 1].clone(),
            Op::Constrain(_) | Op::Free(_) => {}
        }
    }
    for (slot, clock) in slots.into_iter().zip(clocks) {
        after.values[slot] = Some(Value::rat(clock));
    }
}

/// An execution of a step with these delays that leads to the values `after`, where open ones may be any; what nobody
/// has asked for stays open.
pub(crate) fn attempt(
    system: &System,
    step: &replay::Leg<'_>,
    delays: &[Rat],
    after: &[Option<Value>],
    stop: &Stop,
) -> Result<Outcome, Reason> {
    // What is left open may be anything, so also what is wanted.
    let agrees = |outcome: &Outcome| {
        let mut pairs = outcome.values.iter().zip(after);
        pairs.all(|(value, wanted)| value.is_none() || wanted.is_none() || value == wanted)
    };
    let mut interp = Interp::new(system, Some(stop.flag()));
    match interp.first(step.stmt, step.before, Some(delays), agrees) {
        Ok(Some(mut outcome)) => {
            let open = outcome.values.iter_mut().zip(after).filter(|(value, _)| value.is_none());
            open.for_each(|(value, wanted)| value.clone_from(wanted));
            Ok(outcome)
        }
        Err(Stuck::Interrupted) => Err(stop.reason()),
        Err(Stuck::NotEnumerable(var)) => Err(Unsupported::OpenRun { var: NamedVar::of(system, var) }.into()),
        _ => Err(lost(None)),
    }
}

/// The earliest moments, number 0 being the start, at which the operations can happen.
pub(crate) fn moments<'a>(dim: usize, ops: impl Iterator<Item = &'a Op>) -> Option<Point> {
    let mut since = Since::new(dim);
    let mut constraints = vec![];
    for op in ops {
        match *op {
            Op::Delay => constraints.push(Constraint::new(since.now, since.now + 1, Bound::LE_ZERO)),
            Op::Constrain(constraint) => {
                let ((left, a), (right, b)) = (since.clock(constraint.left), since.clock(constraint.right));
                let Some(constant) = constraint.bound.constant() else { continue };
                let bound = Bound::new(i64::from(constant) - a + b, constraint.bound.is_strict()).ok()?;
                // (now - left + a) - (now - right + b) is right - left + a - b.
                constraints.push(Constraint::new(right, left, bound));
            }
            Op::Free(_) => return None,
            Op::Reset(..) | Op::Copy(..) => {}
        }
        since.after(op);
    }
    zones::earliest(since.now + 1, &constraints)
}

/// Clocks on a path: each is the time since a moment, plus what it was set to then.
pub(crate) struct Since {
    /// The number of the last moment.
    pub now: usize,
    clocks: Vec<(usize, i64)>,
}

impl Since {
    /// At the start of the path, over `dim - 1` clocks.
    pub fn new(dim: usize) -> Self {
        Since { now: 0, clocks: vec![(0, 0); dim] }
    }
    /// Goes on by an operation.
    pub fn after(&mut self, op: &Op) {
        match *op {
            Op::Delay => self.now += 1,
            Op::Reset(clock, value) => self.clocks[clock as usize] = (self.now, value),
            Op::Copy(clock, other) => self.clocks[clock as usize] = self.clocks[other as usize],
            Op::Constrain(_) | Op::Free(_) => {}
        }
    }
    /// The moment that a clock counts from, and what it was then; 0 is the constant zero.
    pub fn clock(&self, clock: u32) -> (usize, i64) {
        if clock == 0 { (self.now, 0) } else { self.clocks[clock as usize] }
    }
}

/// The time from one moment to another.
pub(crate) fn between(times: &Point, from: usize, to: usize) -> Rat {
    let difference = times.numerators[to] - times.numerators[from];
    Rat::new(&Int::from(difference), &Int::from(times.denominator)).expect("denominators are positive")
}

/// A path that cannot be followed: cannot happen, and is never shown as a run.
pub(crate) fn lost(halt: Option<Halt>) -> Reason {
    match halt {
        Some(Halt::Interrupted) => Reason::Interrupted,
        _ => InternalError::LostPath.into(),
    }
}

impl From<NoStep> for Reason {
    fn from(_: NoStep) -> Self {
        lost(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_the_earliest_that_satisfy_all_constraints() {
        let at_least = |clock, value| Op::Constrain(Constraint::at_least(clock, value).unwrap());
        let more_than = |clock, value| Op::Constrain(Constraint::lower(clock, value, true).unwrap());
        // x >= 3 after the first delay, then x := 0; y > 4 after the second, for which 5 is a number as good as any.
        let ops = [Op::Delay, at_least(1, 3), Op::Reset(1, 0), Op::Delay, more_than(2, 4)];
        let point = moments(3, ops.iter()).unwrap();
        let time = |at: usize| point.numerators[at] as f64 / point.denominator as f64;
        assert_eq!((time(0), time(1), time(2)), (0.0, 3.0, 5.0));
        let late = [Op::Delay, at_least(1, 3), Op::Constrain(Constraint::at_most(2, 2).unwrap())];
        assert_eq!(moments(3, late.iter()), None);
    }
}
