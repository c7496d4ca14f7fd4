//! From a path in local time to a run in global time.
//!
//! The steps of a path are exact, so there are moments for all of them: each reference clock sees its steps in order,
//! guards and invariants are bounds on differences between the moment of a step and those of resets, and at the end
//! everybody agrees on the time. The earliest solution sorts the steps. Steps that depend on each other share a
//! reference clock and keep their order, as those of one moment do; the others commute, so that the sorted steps lead to
//! the same state. An invariant is convex, and holds at both ends of a stay. What the sorted steps do to data is what
//! they did on the path, and an exact search along them finds the run ([`symbolic::follow_to`]).

use ir::{Edges, Question, Run, State, System};
use zones::{Bound, Constraint, Op, Overflow, Point, earliest};

use super::Explorer;
use crate::Reason;
use crate::zone::run::lost;
use crate::zone::symbolic::{self, Astray, Waypoint};
use crate::zone::{End, outgrown};

/// One step of a path.
struct Step {
    /// The edges that move, none for the initial statement.
    edges: Edges,
    /// The reference clocks that are equal.
    meeting: Vec<u32>,
    /// What happens to clocks, each at the time of a reference clock; what comes after a delay of that is so until its
    /// next step.
    log: Vec<(u32, Op)>,
    /// Where it leads.
    state: State,
}

impl Explorer<'_> {
    /// A run to `node`, where what was searched for happens.
    pub(super) fn run_to(mut self, node: u32, system: &System, question: &Question) -> Result<Run, Reason> {
        let path = self.base.path_to(node);
        // The search may have ended in the middle of an action, and what it has walked through is walked through again.
        self.vm.reset();
        self.vm.time.keep_log();
        self.base.judge.time.keep_log();
        self.vm.most = u64::MAX;
        let steps = self.steps_along(&path).map_err(End::reason)?;
        let times = self.times(node, &steps).map_err(End::reason)?.ok_or_else(|| lost(None))?;
        let way = sorted(&steps, &times);
        let lost = |astray| match astray {
            Astray::Nowhere(_) => lost(None),
            Astray::Unknown(reason) => reason,
        };
        let run = symbolic::follow_to(system, &way, question, self.stop).map_err(lost)?;
        run.run(system, self.stop)
    }
    /// How the nodes of a path lead to each other; the last one is in the machine then.
    fn steps_along(&mut self, path: &[u32]) -> Result<Vec<Step>, End> {
        let mut steps = vec![self.first_step(path[0])?];
        for pair in path.windows(2) {
            steps.push(self.step(pair[0], pair[1])?);
        }
        Ok(steps)
    }
    fn first_step(&mut self, node: u32) -> Result<Step, End> {
        for root in &self.roots()? {
            if self.enter(root)? && self.synchronise(root.vector)? && self.base.leads_to(root.vector, node)? {
                let meeting = (0..self.references.len() as u32).collect();
                return self.taken(node, Edges::new(), meeting);
            }
        }
        Err(lost(None).into())
    }
    /// How some action leads from one node, the last that was come to, to the next.
    fn step(&mut self, from: u32, to: u32) -> Result<Step, End> {
        let zone = self.waiting.remove(&from).ok_or_else(|| lost(None))?;
        let source = self.load(from, &zone)?;
        let mut found = None;
        for at in 0..self.base.places.prepare(source)? {
            let code = self.base.places.movement(source, at).code();
            self.take(source, at, |explorer, target| {
                // The first that leads there has made the node, since it covers those behind it.
                if found.is_none() && explorer.synchronise(target)? && explorer.base.leads_to(target, to)? {
                    let edges = explorer.base.places.edges_of(code).clone();
                    let meeting = explorer.meeting(code).to_vec();
                    found = Some(explorer.taken(to, edges, meeting)?);
                }
                Ok(())
            })?;
        }
        found.ok_or_else(|| lost(None).into())
    }
    /// The step that has led to a node, which is in the machine.
    fn taken(&mut self, node: u32, edges: Edges, meeting: Vec<u32>) -> Result<Step, End> {
        let vector = self.base.vector_of(node);
        let zone = self.waiting_zone(vector)?;
        self.waiting.insert(node, zone);
        let state = self.base.discrete(node);
        Ok(Step { edges, meeting, log: self.vm.time.log().to_vec(), state })
    }
    /// Moments for the steps to `node`, the last that was come to, so that what was searched for happens there.
    fn times(&mut self, node: u32, steps: &[Step]) -> Result<Option<Point>, End> {
        let mut moments = Moments::new(self.references.len(), self.base.dim);
        for step in steps {
            moments.step(step).map_err(|Overflow| outgrown())?;
        }
        moments.meet().map_err(|Overflow| outgrown())?;
        let zone = self.waiting.remove(&node).ok_or_else(|| lost(None))?;
        let vector = self.load(node, &zone)?;
        if self.base.places.faulty(vector) {
            return Ok(moments.earliest(&[]));
        }
        self.vm.time.start(&[0]).map_err(|halt| self.halted(halt))?;
        self.synchronise(vector)?;
        let mut times = None;
        self.base.targets(vector, &mut |last| {
            times = moments.earliest(&last);
            times.is_none()
        })?;
        Ok(times)
    }
}

/// The moments of steps, as numbers with bounds on their differences.
struct Moments {
    /// The moment of the last step.
    now: usize,
    /// For each reference clock, the moment of its last step, and what must hold up to its next one.
    stays: Vec<Stay>,
    /// For each clock, the moment of its last reset and what it was set to.
    stamps: Vec<(usize, i64)>,
    constraints: Vec<Constraint>,
}

/// What a reference clock does between two steps.
#[derive(Clone, Default)]
struct Stay {
    since: usize,
    /// Whether no time passes.
    stands: bool,
    /// What holds at its end.
    within: Vec<Constraint>,
}

impl Moments {
    fn new(references: usize, dim: usize) -> Self {
        let (stays, stamps) = (vec![Stay::default(); references], vec![(0, 0); dim]);
        Moments { now: 0, stays, stamps, constraints: vec![] }
    }
    /// Goes on by a step; the first one is at moment 0.
    fn step(&mut self, step: &Step) -> Result<(), Overflow> {
        if !step.edges.is_empty() {
            self.now += 1;
            self.end(step.meeting.iter().map(|reference| *reference as usize))?;
        }
        for reference in &step.meeting {
            let since = self.now;
            self.stays[*reference as usize] = Stay { since, stands: true, within: vec![] };
        }
        for (reference, op) in &step.log {
            let stay = &mut self.stays[*reference as usize];
            match *op {
                Op::Delay => stay.stands = false,
                Op::Constrain(constraint) if !stay.stands => stay.within.push(constraint),
                Op::Constrain(constraint) => self.demand(constraint)?,
                Op::Reset(clock, value) => self.stamps[clock as usize] = (self.now, value),
                Op::Copy(clock, from) => self.stamps[clock as usize] = self.stamps[from as usize],
                Op::Free(_) => unreachable!("clocks get values"),
            }
        }
        Ok(())
    }
    /// Goes on to a moment at which all reference clocks are equal.
    fn meet(&mut self) -> Result<(), Overflow> {
        self.now += 1;
        self.end(0..self.stays.len())
    }
    /// Ends what these reference clocks have done since their last steps.
    fn end(&mut self, meeting: impl Iterator<Item = usize>) -> Result<(), Overflow> {
        for reference in meeting {
            let Stay { since, stands, within } = std::mem::take(&mut self.stays[reference]);
            self.constraints.push(Constraint::new(since, self.now, Bound::LE_ZERO));
            if stands {
                self.constraints.push(Constraint::new(self.now, since, Bound::LE_ZERO));
            }
            within.into_iter().try_for_each(|constraint| self.demand(constraint))?;
        }
        Ok(())
    }
    /// Demands something of clocks now.
    fn demand(&mut self, constraint: Constraint) -> Result<(), Overflow> {
        self.constraints.extend(self.demanded(constraint)?);
        Ok(())
    }
    fn demanded(&self, constraint: Constraint) -> Result<Option<Constraint>, Overflow> {
        let stamp = |clock: u32| if clock == 0 { (self.now, 0) } else { self.stamps[clock as usize] };
        let ((left, a), (right, b)) = (stamp(constraint.left), stamp(constraint.right));
        let Some(constant) = constraint.bound.constant() else { return Ok(None) };
        // (now - left + a) - (now - right + b) is right - left + a - b.
        let bound = Bound::new(i64::from(constant) - a + b, constraint.bound.is_strict())?;
        Ok(Some(Constraint::new(right, left, bound)))
    }
    /// The earliest moments at the last of which these operations are possible.
    fn earliest(&self, last: &[Op]) -> Option<Point> {
        let mut constraints = self.constraints.clone();
        for op in last {
            if let Op::Constrain(constraint) = op {
                constraints.extend(self.demanded(*constraint).ok()?);
            }
        }
        earliest(self.now + 1, &constraints)
    }
}

/// The states of a path with its steps sorted by their moments.
fn sorted(steps: &[Step], times: &Point) -> Vec<Waypoint> {
    let mut order: Vec<usize> = (1..steps.len()).collect();
    order.sort_by_key(|step| times.numerators[*step]);
    let mut state = steps[0].state.clone();
    let mut way = vec![Waypoint { edges: vec![], state: state.clone() }];
    for step in order {
        let (before, after) = (&steps[step - 1].state, &steps[step].state);
        for (to, (before, after)) in
            state.locations.iter_mut().zip(before.locations.iter().zip(&after.locations))
        {
            if before != after {
                *to = *after;
            }
        }
        for (to, (before, after)) in state.values.iter_mut().zip(before.values.iter().zip(&after.values)) {
            if before != after {
                to.clone_from(after);
            }
        }
        let edges = steps[step].edges.iter().map(|(process, edge)| (*process, vec![*edge])).collect();
        way.push(Waypoint { edges, state: state.clone() });
    }
    way
}
