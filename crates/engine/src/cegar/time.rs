//! Time in the abstract reachability graph: lazy abstraction of zones inside abstraction refinement.
//!
//! A node has, beside what it says of data, the exact zone Z that the clock operations on the way to it lead
//! to, and an abstract zone Ẑ ⊇ Z. Statements are split into [alternatives](Alternative) of clock operations
//! and data. Always:
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
//! strengthen Ẑ by interpolation ([`Hulls`]) and never the data. Whether the data of an alternative can be
//! executed is asked of the abstract data alone; with Z in the question, an alternative could be left out
//! that Ẑ allows. See algorithms 6 and 7 of Cziborová, *Abstraction-based timed model checking for
//! software-intensive system models*, 2023.

use std::rc::Rc;

use ir::{Id, Stmt, Term, VarId};
use zones::{Bound, Constraint, Op, Overflow, Pool, Probe, ZoneId, dbm};

use crate::answer::Reason;
use crate::cegar::arg::{Arg, NodeId, Status};
use crate::cegar::cx::Cx;
use crate::cegar::waitlist::Waitlist;
use crate::config::{ClockStrategy, ZoneStrategy};
use crate::lazy::interpolating::{Hulls, Tree};
use crate::observer::CombinedStatistics;
use crate::split::{Alternative, Alternatives, Splitter, Which};
use crate::stop::Stop;
use crate::zone::outgrown;

/// With more nodes than this, interpolation is given up.
const MOST_NODES: usize = 1 << 22;
/// With a limit of nodes, they may be strengthened this many times as often.
const STRENGTHENED: u64 = 64;

/// What is known of time at the nodes of a graph.
pub struct Time {
    splitter: Splitter,
    /// Whether alternatives that data rule out are left alone, at the cost of a question for each.
    pub filter: bool,
    zones: Zones,
    hulls: Hulls,
    /// Scratch memory.
    zone: Vec<Bound>,
    /// How often Ẑ of a node has become smaller.
    strengthened: u64,
}

/// The zones of nodes, which have the same numbers as in the graph.
struct Zones {
    dim: usize,
    pool: Pool,
    probe: Probe,
    universe: ZoneId,
    nodes: Vec<Timed>,
}

/// What is known of time at one node.
#[derive(Clone)]
struct Timed {
    zone: ZoneId,
    hull: ZoneId,
    parent: Option<u32>,
    /// How the parent led here.
    way: Rc<Alternative>,
    /// How it is a target, if it is one.
    target: Option<Rc<Alternative>>,
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
    pub fn new(splitter: Splitter, forwards: bool, filter: bool) -> Self {
        let dim = splitter.dim();
        let (mut pool, mut probe) = (Pool::new(), Probe::new());
        let mut zone = vec![Bound::INFINITY; dbm::len(dim)];
        dbm::init_universe(&mut zone, dim);
        probe.load_all(&zone, dim);
        let (universe, _) = pool.insert(&mut probe);
        Time {
            splitter,
            filter,
            zones: Zones { dim, pool, probe, universe, nodes: vec![] },
            hulls: Hulls::new(forwards, dim),
            zone,
            strengthened: 0,
        }
    }
    /// What was done, for reports.
    pub fn statistics(&self) -> CombinedStatistics {
        let zone_strategy = if self.hulls.forwards() { ZoneStrategy::FwItp } else { ZoneStrategy::BwItp };
        let clock_strategy =
            if self.filter { ClockStrategy::CfSplitFilter } else { ClockStrategy::CfSplitAll };
        CombinedStatistics {
            zone_strategy: zone_strategy.to_string(),
            clock_strategy: clock_strategy.to_string(),
            alternatives: self.splitter.made(),
            strengthened: self.strengthened,
        }
    }
    /// Fails if interpolation, which need not end, has been at it for too long: with this many nodes, or where
    /// there is a limit of them, with few that are strengthened again and again.
    pub fn go_on(&self, limit: Option<u64>) -> Result<(), Reason> {
        let strengthened = limit.is_some_and(|limit| self.strengthened > limit.saturating_mul(STRENGTHENED));
        if self.zones.nodes.len() < MOST_NODES && !strengthened {
            return Ok(());
        }
        Err(Reason::NoProgress(format!(
            "interpolation of zones has made {} nodes, has strengthened them {} times and need not end; try \
             `--engine zone` or `--engine lazy --zonestrategy LU`",
            self.zones.nodes.len(),
            self.strengthened
        )))
    }
    /// Forgets all nodes.
    pub fn clear(&mut self) {
        self.zones.nodes.clear();
    }
    /// The alternatives of a statement that has been simplified under what a state with these facts knows.
    pub fn split(&mut self, cx: &mut Cx, stmt: Stmt, facts: &[Term]) -> Result<Alternatives, Reason> {
        let which = if self.filter { Which::Feasible(facts) } else { Which::All };
        self.splitter.split(&mut cx.system, stmt, which, (&cx.solver, cx.stop))
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
        self.zones.nodes.push(Timed { zone, hull: self.zones.universe, parent, way, target });
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
        let Time { zones, hulls, strengthened, .. } = self;
        let mut tree = Coverings { zones, arg, waitlist, strengthened, stop };
        hulls.disable(&mut tree, node.index() as u32, ops)
    }
    /// Makes a node fit under another one, if its exact zone does; whether it does in the end.
    pub fn cover<S>(
        &mut self,
        (arg, waitlist): (&mut Arg<S>, &mut Waitlist),
        stop: &Stop,
        node: NodeId,
        by: NodeId,
    ) -> Result<bool, Reason> {
        let Time { zones, hulls, strengthened, zone, .. } = self;
        zones.pool.load(zones.nodes[node.index()].zone, zone);
        zones.probe.load_all(zone, zones.dim);
        if !zones.pool.covers(zones.nodes[by.index()].hull, &mut zones.probe) {
            return Ok(false);
        }
        let mut tree = Coverings { zones, arg, waitlist, strengthened, stop };
        hulls.cover(&mut tree, node.index() as u32, by.index() as u32)
    }
    /// Pushes what the abstract zone of a node says.
    pub fn facts(&mut self, cx: &mut Cx, node: NodeId, out: &mut Vec<Term>) {
        self.zones.pool.load(self.zones.nodes[node.index()].hull, &mut self.zone);
        let mut constraints = vec![];
        zones::set::minimal(&self.zone, self.zones.dim, &mut constraints);
        let clocks: Vec<VarId> = cx.system.clocks().collect();
        out.extend(constraints.into_iter().filter_map(|constraint| {
            let clock = |number: u32| (number > 0).then(|| clocks[number as usize - 1]);
            let bound = cx.terms().int(i64::from(constraint.bound.constant()?));
            let (plus, minus) = (clock(constraint.left), clock(constraint.right));
            let atom = ir::ClockAtom { plus, minus, bound, strict: constraint.bound.is_strict() };
            Some(atom.term(cx.terms()))
        }));
    }

    /// Checks consecution and coverage.
    pub fn assert_well_formed<S>(&self, arg: &Arg<S>) {
        let dim = self.zones.dim;
        let load = |zone: ZoneId| {
            let mut bounds = vec![Bound::INFINITY; dbm::len(dim)];
            self.zones.pool.load(zone, &mut bounds);
            bounds
        };
        for (id, node) in arg.nodes() {
            let Timed { zone, hull, parent, way, .. } = &self.zones.nodes[id.index()];
            let (zone, hull) = (load(*zone), load(*hull));
            assert!(dbm::includes(&hull, &zone), "an abstract zone contains the exact one");
            assert_eq!(node.parent.map(|(parent, _)| parent.index() as u32), *parent, "the same tree");
            if let Some(parent) = parent {
                let parent = &self.zones.nodes[*parent as usize];
                let mut exact = load(parent.zone);
                assert_eq!(zones::post(&mut exact, dim, &way.ops), Ok(true), "a child has a way");
                assert_eq!(exact, zone, "zones are exact");
                let mut wider = load(parent.hull);
                // A wider zone may have bounds that no matrix holds where the exact one has none; that is no mistake.
                if let Ok(possible) = zones::post(&mut wider, dim, &way.ops) {
                    assert!(possible, "a wider zone has it, too");
                    assert!(dbm::includes(&hull, &wider), "an abstract zone contains what comes to it");
                }
            }
            if let Status::Covered(by) = node.status {
                let big = load(self.zones.nodes[by.index()].hull);
                assert!(dbm::includes(&big, &hull), "a covered node is within its coverer");
            }
        }
    }
    /// Whether operations are possible from the abstract zone of a node.
    pub fn allows(&mut self, node: NodeId, ops: &[Op]) -> Result<bool, Reason> {
        self.zones.pool.load(self.zones.nodes[node.index()].hull, &mut self.zone);
        Ok(self.run(ops)?.is_none())
    }
}

impl Zones {
    fn intern(&mut self, zone: &[Bound]) -> ZoneId {
        self.probe.load_all(zone, self.dim);
        self.pool.insert(&mut self.probe).0
    }
}

/// The zones together with who covers whom.
struct Coverings<'a, S> {
    zones: &'a mut Zones,
    arg: &'a mut Arg<S>,
    waitlist: &'a mut Waitlist,
    strengthened: &'a mut u64,
    stop: &'a Stop,
}

impl<S> Tree for Coverings<'_, S> {
    fn dim(&self) -> usize {
        self.zones.dim
    }
    fn pool(&self) -> &Pool {
        &self.zones.pool
    }
    fn intern(&mut self, zone: &[Bound]) -> ZoneId {
        self.zones.intern(zone)
    }
    fn universe(&self) -> ZoneId {
        self.zones.universe
    }
    fn zone(&self, node: u32) -> ZoneId {
        self.zones.nodes[node as usize].zone
    }
    fn hull(&self, node: u32) -> ZoneId {
        self.zones.nodes[node as usize].hull
    }
    fn strengthen(&mut self, node: u32, hull: ZoneId, constraints: &[Constraint], memory: &mut [Bound]) {
        *self.strengthened += 1;
        self.zones.nodes[node as usize].hull = hull;
        let Coverings { zones, arg, waitlist, .. } = self;
        let within = |id: &NodeId| {
            zones.pool.load(zones.nodes[id.index()].hull, memory);
            constraints.iter().all(|constraint| dbm::satisfies(memory, zones.dim, *constraint))
        };
        arg.uncover(NodeId::at(node as usize), within, |id| waitlist.push(id));
    }
    fn parent(&self, node: u32) -> Option<u32> {
        self.zones.nodes[node as usize].parent
    }
    fn ops(&self, node: u32) -> &[Op] {
        &self.zones.nodes[node as usize].way.ops
    }
    fn stop(&self) -> &Stop {
        self.stop
    }
}
