//! Time in the abstract reachability graph: lazy abstraction of zones inside abstraction refinement.
//!
//! A node has, beside what it says of data, the exact zone Z that the clock operations on the way to it lead
//! to, and stands for Ẑ ⊇ Z: an abstract zone, or all that Z simulates by bounds, which is a≼LU(Z). Statements are
//! split into [alternatives](Alternative) of clock operations and data. Always:
//!
//! - **consecution**: Z of a child is what its operations lead to from Z of the parent, and its Ẑ contains
//!   what they lead to from Ẑ of the parent;
//! - **coverage**: Ẑ of a covered node is within that of the node that covers it;
//! - **simulation**: an alternative of an expanded node that its data allow and that has no child is
//!   impossible from Ẑ; so is the target.
//!
//! Then what the expanded nodes say of data, together with Ẑ, is an invariant. Data alone may show paths
//! that cannot be executed, and refinement asks about data alone: time is exact on every path, so a path
//! whose data statements can be executed is one of the system. Coverings and impossible alternatives
//! strengthen Ẑ, by interpolation ([`Hulls`]) or by greater bounds ([`Growth`]), and never the data. Whether the
//! data of an alternative can be executed is asked of the abstract data alone; with Z in the question, an
//! alternative could be left out that Ẑ allows. See algorithms 6 and 7 of Cziborová, *Abstraction-based timed model
//! checking for software-intensive system models*, 2023.
//!
//! Bounds are for alternatives that compare each clock with numbers: differences of clocks do not respect the
//! simulation, and an alternative that has one is refused. The target is made of alternatives as well, also where
//! it asks for states that are stuck, so nothing else has to be preserved.

mod nodes;

use std::rc::Rc;

use ir::{Id, Stmt, System, Term, Terms, VarId};
use zones::{Bound, Constraint, LuBounds, Op, Overflow, ZoneId, dbm};

use crate::answer::Reason;
use crate::cause::{Feature, NoProgress};
use crate::cegar::arg::{Arg, NodeId, Status};
use crate::cegar::cx::Cx;
use crate::cegar::waitlist::Waitlist;
use crate::config::{ClockStrategy, ZoneStrategy};
use crate::lazy::interpolating::Hulls;
use crate::lazy::lu::{Growth, is_possible};
use crate::lazy::tree::{MOST_NODES, STRENGTHENED};
use crate::lazy::unsound;
use crate::observer::CombinedStatistics;
use crate::split::{Alternative, Alternatives, Splitter, Which};
use crate::stop::Stop;
use crate::zone::outgrown;
use nodes::{Coverings, Timed, Zones};

/// What is known of time at the nodes of a graph.
pub struct Time {
    splitter: Splitter,
    /// Whether alternatives that data rule out are left alone, at the cost of a question for each.
    pub filter: bool,
    zones: Zones,
    abstraction: Abstraction,
    /// Scratch memory.
    zone: Vec<Bound>,
    /// How often Ẑ of a node has become smaller.
    strengthened: u64,
}

/// How Ẑ is found.
enum Abstraction {
    /// By interpolation of zones.
    Hulls(Hulls),
    /// By bounds that grow.
    Bounds(Growth),
}

/// A statement of the system, or what is searched for.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Part {
    /// An action, or the beginning.
    Step,
    /// The target; whether it asks for states that are stuck, which says by itself how clocks differ.
    Target {
        /// Whether it does.
        stuck: bool,
    },
}

/// Where time stands after an alternative.
#[derive(Clone)]
pub struct Arrival {
    /// How.
    pub way: Rc<Alternative>,
    zone: ZoneId,
}

impl Time {
    /// For the clocks of the system.
    pub fn new(splitter: Splitter, zone_strategy: ZoneStrategy, filter: bool) -> Self {
        let dim = splitter.dim();
        let abstraction = match zone_strategy {
            ZoneStrategy::Lu => Abstraction::Bounds(Growth::new(dim)),
            given => Abstraction::Hulls(Hulls::new(given == ZoneStrategy::FwItp, dim)),
        };
        let zone = vec![Bound::INFINITY; dbm::len(dim)];
        Time { splitter, filter, zones: Zones::new(dim), abstraction, zone, strengthened: 0 }
    }
    /// What was done, for reports.
    pub fn statistics(&self) -> CombinedStatistics {
        let zone_strategy = match &self.abstraction {
            Abstraction::Hulls(hulls) if hulls.forwards() => ZoneStrategy::FwItp,
            Abstraction::Hulls(_) => ZoneStrategy::BwItp,
            Abstraction::Bounds(_) => ZoneStrategy::Lu,
        };
        let clock_strategy =
            if self.filter { ClockStrategy::CfSplitFilter } else { ClockStrategy::CfSplitAll };
        CombinedStatistics {
            zone_strategy,
            clock_strategy,
            alternatives: self.splitter.made(),
            strengthened: self.strengthened,
        }
    }
    /// Fails if abstraction, which need not end, has been at it for too long: with this many nodes, or where
    /// there is a limit of them, with few that are strengthened again and again.
    pub fn go_on(&self, limit: Option<u64>) -> Result<(), Reason> {
        let strengthened = limit.is_some_and(|limit| self.strengthened > limit.saturating_mul(STRENGTHENED));
        if self.zones.nodes.len() < MOST_NODES && !strengthened {
            return Ok(());
        }
        let (nodes, strengthened) = (self.zones.nodes.len() as u64, self.strengthened);
        Err(NoProgress::ZoneAbstraction { nodes, strengthened }.into())
    }
    /// Forgets all nodes.
    pub fn clear(&mut self) {
        self.zones.nodes.clear();
    }
    /// The alternatives of a statement that has been simplified under what a state with these facts knows.
    pub fn split(
        &mut self,
        cx: &mut Cx,
        part: Part,
        stmt: Stmt,
        facts: &[Term],
    ) -> Result<Alternatives, Reason> {
        let which = if self.filter { Which::Feasible(facts) } else { Which::All };
        let ways = self.splitter.split(&mut cx.system, stmt, which, (&cx.solver, cx.stop))?;
        let bounds = matches!(self.abstraction, Abstraction::Bounds(_));
        if bounds && ways.iter().any(|way| way.ops.iter().any(is_difference)) {
            return Err(unsound(match part {
                Part::Target { stuck: true } => Feature::Deadlock,
                _ => Feature::Differences,
            }));
        }
        Ok(ways)
    }
    /// Where an alternative leads from the exact zone of a node, or from the beginning; else the operations
    /// up to the one that is impossible.
    pub fn follow(
        &mut self,
        node: Option<NodeId>,
        way: &Rc<Alternative>,
    ) -> Result<Result<Arrival, usize>, Reason> {
        match node {
            Some(node) => self.zones.pool.load(self.zones.nodes[node.index()].zone, &mut self.zone),
            None => dbm::init_zero(&mut self.zone, self.zones.dim),
        }
        if let Some(blocked) = self.run(&way.ops)? {
            return Ok(Err(blocked));
        }
        let zone = self.zones.intern(&self.zone);
        Ok(Ok(Arrival { way: way.clone(), zone }))
    }
    /// The operation that is impossible after an arrival, if one is.
    pub fn blocked(&mut self, arrival: &Arrival, ops: &[Op]) -> Result<Option<usize>, Reason> {
        self.zones.pool.load(arrival.zone, &mut self.zone);
        self.run(ops)
    }
    fn run(&mut self, ops: &[Op]) -> Result<Option<usize>, Reason> {
        for (at, op) in ops.iter().enumerate() {
            let possible = zones::post(&mut self.zone, self.zones.dim, std::slice::from_ref(op));
            if !possible.map_err(|Overflow| outgrown())? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }
    /// Adds the next node.
    pub fn add(
        &mut self,
        id: NodeId,
        parent: Option<NodeId>,
        arrival: Arrival,
        target: Option<Rc<Alternative>>,
    ) {
        assert_eq!(id.index(), self.zones.nodes.len(), "nodes have the same numbers");
        let Arrival { way, zone } = arrival;
        let parent = parent.map(|parent| parent.index() as u32);
        self.zones.add(zone, parent, way, target);
    }
    /// How the parent of a node led to it.
    pub fn way(&self, node: NodeId) -> &Rc<Alternative> {
        &self.zones.nodes[node.index()].way
    }
    /// How a node came to be where it is.
    pub fn arrival(&self, node: NodeId) -> Arrival {
        let Timed { way, zone, .. } = &self.zones.nodes[node.index()];
        Arrival { way: way.clone(), zone: *zone }
    }
    /// How a node is a target.
    pub fn target(&self, node: NodeId) -> Option<&Rc<Alternative>> {
        self.zones.nodes[node.index()].target.as_ref()
    }
    /// Says how a node is a target, if it is one.
    pub fn set_target(&mut self, node: NodeId, target: Option<Rc<Alternative>>) {
        self.zones.nodes[node.index()].target = target;
    }
    /// Makes operations impossible in the abstract zone of a node that are impossible in its exact zone.
    pub fn disable<S>(
        &mut self,
        (arg, waitlist): (&mut Arg<S>, &mut Waitlist),
        stop: &Stop,
        node: NodeId,
        ops: &[Op],
    ) -> Result<(), Reason> {
        let Time { zones, abstraction, strengthened, .. } = self;
        let mut tree = Coverings { zones, arg, waitlist, strengthened, stop };
        match abstraction {
            Abstraction::Hulls(hulls) => hulls.disable(&mut tree, node.index() as u32, ops),
            Abstraction::Bounds(growth) => growth.disable(&mut tree, node.index() as u32, ops),
        }
    }
    /// Makes a node fit under another one, if its exact zone does; whether it does in the end.
    pub fn cover<S>(
        &mut self,
        (arg, waitlist): (&mut Arg<S>, &mut Waitlist),
        stop: &Stop,
        node: NodeId,
        by: NodeId,
    ) -> Result<bool, Reason> {
        let Time { zones, abstraction, strengthened, zone, .. } = self;
        zones.pool.load(zones.nodes[node.index()].zone, zone);
        zones.probe.load_all(zone, zones.dim);
        let Timed { zone: exact, hull, .. } = zones.nodes[by.index()];
        let contains = match abstraction {
            Abstraction::Hulls(_) => zones.pool.covers(hull, &mut zones.probe),
            Abstraction::Bounds(_) => zones.pool.lu_covers(exact, &zones.probe, zones.bounds(by.index())),
        };
        if !contains {
            return Ok(false);
        }
        let mut tree = Coverings { zones, arg, waitlist, strengthened, stop };
        let (node, by) = (node.index() as u32, by.index() as u32);
        match abstraction {
            Abstraction::Hulls(hulls) => hulls.cover(&mut tree, node, by),
            Abstraction::Bounds(growth) => growth.cover(&mut tree, node, by),
        }
    }
    /// What the abstract zone of a node says: of each pair of constraints, one holds.
    fn constraints(&mut self, node: NodeId) -> Vec<(Constraint, Option<Constraint>)> {
        let (Zones { pool, nodes, dim, .. }, zone) = (&self.zones, &mut self.zone);
        let Timed { zone: exact, hull, .. } = nodes[node.index()];
        let mut pairs = vec![];
        match self.abstraction {
            Abstraction::Hulls(_) => {
                pool.load(hull, zone);
                let mut constraints = vec![];
                zones::set::minimal(zone, *dim, &mut constraints);
                pairs.extend(constraints.into_iter().map(|constraint| (constraint, None)));
            }
            Abstraction::Bounds(_) => {
                pool.load(exact, zone);
                zones::lu_constraints(zone, *dim, self.zones.bounds(node.index()), &mut pairs);
            }
        }
        pairs
    }
    /// The same in words, for people.
    pub fn texts(&mut self, system: &System, node: NodeId) -> Vec<String> {
        let name = |number: u32| {
            let clock = system.clocks().nth(number as usize - 1).expect("a clock of the zone");
            let told = system.elapsed == Some(clock);
            if told { "time since the start".to_owned() } else { system.vars[clock].name.clone() }
        };
        let text = |constraint: Constraint| {
            let constant = constraint.bound.constant().expect("only constraints that say something");
            let (less, greater) = if constraint.bound.is_strict() { ("<", ">") } else { ("<=", ">=") };
            match (constraint.left, constraint.right) {
                (0, right) => format!("{} {greater} {}", name(right), -constant),
                (left, 0) => format!("{} {less} {constant}", name(left)),
                (left, right) => format!("{} - {} {less} {constant}", name(left), name(right)),
            }
        };
        let either = |(one, other): (Constraint, Option<Constraint>)| match other {
            Some(other) => format!("({} or {})", text(one), text(other)),
            None => text(one),
        };
        self.constraints(node).into_iter().map(either).collect()
    }
    /// Pushes what the abstract zone of a node says.
    pub fn facts(&mut self, cx: &mut Cx, node: NodeId, out: &mut Vec<Term>) {
        let pairs = self.constraints(node);
        let clocks: Vec<VarId> = cx.system.clocks().collect();
        let term = |terms: &mut Terms, constraint: Constraint| {
            let clock = |number: u32| (number > 0).then(|| clocks[number as usize - 1]);
            let constant = constraint.bound.constant().expect("only constraints that say something");
            let (plus, minus) = (clock(constraint.left), clock(constraint.right));
            let (bound, strict) = (terms.int(i64::from(constant)), constraint.bound.is_strict());
            ir::ClockAtom { plus, minus, bound, strict }.term(terms)
        };
        out.extend(pairs.into_iter().map(|(one, other)| {
            let terms = cx.terms();
            let ways = [Some(one), other].map(|constraint| Some(term(terms, constraint?)));
            terms.or(ways.into_iter().flatten())
        }));
    }

    /// Checks consecution and coverage.
    pub fn assert_well_formed<S>(&self, arg: &Arg<S>) {
        let dim = self.zones.dim;
        for (id, node) in arg.nodes() {
            let Timed { zone, parent, way, .. } = &self.zones.nodes[id.index()];
            assert_eq!(node.parent.map(|(parent, _)| parent.index() as u32), *parent, "the same tree");
            if let Some(parent) = parent {
                let mut exact = self.load(self.zones.nodes[*parent as usize].zone);
                assert_eq!(zones::post(&mut exact, dim, &way.ops), Ok(true), "a child has a way");
                assert_eq!(exact, self.load(*zone), "zones are exact");
            }
            let (number, parent) = (id.index(), parent.map(|parent| parent as usize));
            let by = match node.status {
                Status::Covered(by) => Some(by.index()),
                _ => None,
            };
            match self.abstraction {
                Abstraction::Hulls(_) => self.assert_hull(number, parent, by),
                Abstraction::Bounds(_) => self.assert_bounds(number, parent, by),
            }
        }
    }
    /// Checks the abstract zone of a node against its parent and the node that covers it.
    fn assert_hull(&self, node: usize, parent: Option<usize>, by: Option<usize>) {
        let hull_of = |node: usize| self.load(self.zones.nodes[node].hull);
        let Timed { zone, way, .. } = &self.zones.nodes[node];
        let hull = hull_of(node);
        assert!(dbm::includes(&hull, &self.load(*zone)), "an abstract zone contains the exact one");
        if let Some(parent) = parent {
            let mut wider = hull_of(parent);
            // A wider zone may have bounds that no matrix holds where the exact one has none; that is no mistake.
            if let Ok(possible) = zones::post(&mut wider, self.zones.dim, &way.ops) {
                assert!(possible, "a wider zone has it, too");
                assert!(dbm::includes(&hull, &wider), "an abstract zone contains what comes to it");
            }
        }
        if let Some(by) = by {
            assert!(dbm::includes(&hull_of(by), &hull), "a covered node is within its coverer");
        }
    }
    /// Checks the bounds of a node against its parent and the node that covers it.
    fn assert_bounds(&self, node: usize, parent: Option<usize>, by: Option<usize>) {
        let bounds = self.zones.bounds(node);
        let Timed { zone, way, .. } = &self.zones.nodes[node];
        let at_least = |big: &LuBounds, small: &LuBounds| !small.clone().merge_into(big);
        if let Some(parent) = parent
            && !bounds.is_empty()
        {
            let mut before = bounds.clone();
            before.pull_back(&way.ops).expect("they were pulled back before");
            assert!(at_least(self.zones.bounds(parent), &before), "a parent has the bounds of its child");
        }
        if let Some(by) = by {
            let others = self.zones.bounds(by);
            assert!(at_least(bounds, others), "a covered node has the bounds of its coverer");
            let (big, small) = (self.load(self.zones.nodes[by].zone), self.load(*zone));
            assert!(zones::lu_covers(&big, &small, self.zones.dim, others), "a covered node is simulated");
        }
    }
    fn load(&self, zone: ZoneId) -> Vec<Bound> {
        let mut bounds = vec![Bound::INFINITY; dbm::len(self.zones.dim)];
        self.zones.pool.load(zone, &mut bounds);
        bounds
    }
    /// Whether operations are possible from the abstract zone of a node.
    pub fn allows(&mut self, node: NodeId, ops: &[Op]) -> Result<bool, Reason> {
        let Timed { zone: exact, hull, .. } = self.zones.nodes[node.index()];
        match self.abstraction {
            Abstraction::Hulls(_) => {
                self.zones.pool.load(hull, &mut self.zone);
                Ok(self.run(ops)?.is_none())
            }
            Abstraction::Bounds(_) => {
                self.zones.pool.load(exact, &mut self.zone);
                let bounds = self.zones.bounds(node.index());
                is_possible(ops, &mut self.zone, self.zones.dim, bounds).map_err(|Overflow| outgrown())
            }
        }
    }
}

/// Whether an operation compares the difference of two clocks.
fn is_difference(op: &Op) -> bool {
    matches!(op, Op::Constrain(Constraint { left, right, .. }) if *left > 0 && *right > 0)
}
