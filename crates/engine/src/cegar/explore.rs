//! Exploration: the abstract reachability graph grows until it is complete or shows targets.
//!
//! With time, the statement of an action is split, and every alternative is followed by itself: its operations
//! from the exact zone, its data from the abstract state ([`crate::cegar::time`]).

use std::rc::Rc;

use ir::{Action, Actions, NoTarget, Stmt, Term, VarId, VectorId, at_locations};
use rustc_hash::FxHashMap;
use smt::{Answer, Solver};
use zones::Op;

use crate::answer::Reason;
use crate::cause::Unsupported;
use crate::cegar::arg::{Arg, Node, NodeId, Status};
use crate::cegar::cx::{Cx, relevant, remember};
use crate::cegar::domain::{Context, Domain};
use crate::cegar::paths::fixes;
use crate::cegar::time::{Arrival, Part, Time};
use crate::cegar::waitlist::Waitlist;
use crate::config::{Covering, Search};
use crate::split::Alternative;
use crate::stop::{ABSTRACT_NODE, Stop};

/// A graph that grows.
pub struct Exploration<D: Domain> {
    /// The graph.
    pub arg: Arg<D::State>,
    /// The actions of the system.
    pub actions: Actions,
    /// The zones of its nodes, if the system has clocks.
    pub time: Option<Time>,
    waitlist: Waitlist,
    target: Term,
    /// What is searched for at locations seen so far; `None` where nothing is.
    bad: FxHashMap<VectorId, Option<Term>>,
    /// Whether states with these facts can be targets.
    hits: FxHashMap<(Term, Vec<Term>), bool>,
    /// Targets that are left from what was searched for before.
    left: Vec<NodeId>,
    /// Goes on after a target until the graph is complete.
    all_targets: bool,
    /// When a node needs no look of its own.
    covering: Covering,
    limit: Option<u64>,
    /// Scratch memory.
    key: Vec<(u32, u32)>,
    candidates: Vec<NodeId>,
}

impl<D: Domain> Exploration<D> {
    /// A graph without nodes, for a search of `target`.
    pub fn new(
        target: Term,
        time: Option<Time>,
        search: Search,
        all_targets: bool,
        covering: Covering,
        limit: Option<u64>,
    ) -> Self {
        Exploration {
            arg: Arg::default(),
            actions: Actions::new(),
            time,
            waitlist: Waitlist::new(search),
            target,
            bad: FxHashMap::default(),
            hits: FxHashMap::default(),
            left: vec![],
            all_targets,
            covering,
            limit,
            key: vec![],
            candidates: vec![],
        }
    }
    /// Goes on until there is a target, or all of them, or nothing is left to do.
    pub fn run(
        &mut self,
        cx: &mut Cx,
        domain: &mut D,
        precision: &D::Precision,
        report: &mut dyn FnMut(&Arg<D::State>, &Cx),
    ) -> Result<Vec<NodeId>, Reason> {
        self.run_up_to(cx, domain, precision, usize::MAX, report)
    }
    /// The same, but no further once there are so many nodes.
    pub fn run_up_to(
        &mut self,
        cx: &mut Cx,
        domain: &mut D,
        precision: &D::Precision,
        nodes: usize,
        report: &mut dyn FnMut(&Arg<D::State>, &Cx),
    ) -> Result<Vec<NodeId>, Reason> {
        let mut targets = self.begin(cx, domain, precision)?;
        while (self.all_targets || targets.is_empty()) && self.arg.len() < nodes {
            let Some(node) = self.waitlist.pop() else { break };
            report(&self.arg, cx);
            self.look_at(cx, domain, precision, node, &mut targets)?;
        }
        Ok(targets)
    }
    /// Makes the initial nodes if there are none; returns the targets that are known.
    pub fn begin(
        &mut self,
        cx: &mut Cx,
        domain: &mut D,
        precision: &D::Precision,
    ) -> Result<Vec<NodeId>, Reason> {
        let mut targets = std::mem::take(&mut self.left);
        if self.arg.roots().is_empty() {
            let initial = ir::initial(&mut cx.system);
            let vector = self.actions.vector(&cx.system.initial_locations());
            let top = domain.top();
            self.follow(cx, domain, precision, (None, &top), (initial, vector), &mut targets)?;
        }
        Ok(targets)
    }
    /// Whether nothing is left to do but to look at targets.
    pub fn is_complete(&self) -> bool {
        self.waitlist.is_empty()
    }
    /// Covers or expands a node that waits.
    pub fn look_at(
        &mut self,
        cx: &mut Cx,
        domain: &mut D,
        precision: &D::Precision,
        node: NodeId,
        targets: &mut Vec<NodeId>,
    ) -> Result<(), Reason> {
        if self.arg[node].status != Status::Waiting {
            return Ok(());
        }
        cx.stop.spend(ABSTRACT_NODE);
        cx.go_on()?;
        if let Some(limit) = self.limit.filter(|limit| self.arg.len() as u64 > *limit) {
            return Err(Reason::States(limit));
        }
        self.time.as_ref().map_or(Ok(()), |time| time.go_on(self.limit))?;
        // A node that has followed actions before keeps what came of them.
        if self.arg[node].children.is_empty()
            && let Some(by) = self.covering(cx, domain, node)?
        {
            self.arg.cover(node, by);
            return Ok(());
        }
        self.expand(cx, domain, precision, node, targets)
    }
    /// Searches for less from now on; nodes that are no longer targets wait.
    pub fn look_for(&mut self, cx: &mut Cx, domain: &D, target: Term) -> Result<(), Reason> {
        self.target = target;
        self.bad.clear();
        self.hits.clear();
        self.left.clear();
        let targets = self.arg.nodes().filter(|(_, node)| node.status == Status::Target);
        for id in targets.map(|(id, _)| id).collect::<Vec<_>>() {
            let (vector, state) = (self.arg[id].vector, self.arg[id].state.clone());
            let arrival = self.time.as_ref().map(|time| time.arrival(id));
            let (is_target, way) = self.is_target(cx, domain, (vector, &state), arrival.as_ref())?;
            if let Some(time) = &mut self.time {
                time.set_target(id, way);
            }
            if is_target {
                self.left.push(id);
            } else {
                self.arg[id].status = Status::Waiting;
                self.waitlist.push(id);
            }
        }
        Ok(())
    }
    /// Removes what a refutation has made obsolete.
    pub fn prune(&mut self, node: NodeId) {
        if self.arg.len() == 0 || self.arg[node].status == Status::Gone {
            return;
        }
        let mut again = vec![];
        self.arg.prune(node, &mut again);
        if self.arg.len() == 0 {
            self.waitlist.clear();
            self.time.iter_mut().for_each(Time::clear);
        }
        for node in again {
            self.waitlist.push(node);
        }
    }
    /// The statement of an action.
    pub fn action(&mut self, cx: &mut Cx, vector: VectorId, action: u32) -> Action {
        self.actions.of(&mut cx.system, vector)[action as usize].clone()
    }
    /// What is searched for at a vector of locations; `true` where a fault shows.
    pub fn bad(&mut self, cx: &mut Cx, vector: VectorId) -> Result<Option<Term>, Reason> {
        if let Some(known) = self.bad.get(&vector) {
            return Ok(*known);
        }
        let locations = self.actions.locations(vector).to_vec();
        let bad = if cx.system.is_fault(&locations) {
            Some(cx.terms().bool(true))
        } else if cx.system.is_observed(&locations) {
            Some(at_locations(&mut cx.system, self.target, &locations).map_err(|why| match why {
                NoTarget::Stmt(_) => Unsupported::DeadlockCondition,
                NoTarget::Clocks(_) => Unsupported::DeadlockOverClocks,
            })?)
        } else {
            None
        };
        self.bad.insert(vector, bad);
        Ok(bad)
    }

    fn expand(
        &mut self,
        cx: &mut Cx,
        domain: &mut D,
        precision: &D::Precision,
        node: NodeId,
        targets: &mut Vec<NodeId>,
    ) -> Result<(), Reason> {
        let vector = self.arg[node].vector;
        let state = self.arg[node].state.clone();
        self.disable_target(cx, domain, node, (vector, &state))?;
        while let Some(action) = self.arg[node].todo.pop() {
            let Action { stmt, target, .. } = self.action(cx, vector, action);
            let after = self.actions.vector(&target);
            let parent = (Some((node, action)), &state);
            if let Err(reason) = self.follow(cx, domain, precision, parent, (stmt, after), targets) {
                self.arg[node].todo.push(action);
                return Err(reason);
            }
            if !targets.is_empty() && !self.all_targets {
                break;
            }
        }
        if self.arg[node].todo.is_empty() {
            self.arg[node].status = Status::Expanded;
        } else {
            self.waitlist.push(node);
        }
        Ok(())
    }
    /// Adds what a statement leads to: by which action of which node, and from what it says.
    fn follow(
        &mut self,
        cx: &mut Cx,
        domain: &mut D,
        precision: &D::Precision,
        (parent, state): (Option<(NodeId, u32)>, &D::State),
        (stmt, after): (Stmt, VectorId),
        targets: &mut Vec<NodeId>,
    ) -> Result<(), Reason> {
        let known = known(cx, domain, state);
        let mut states = vec![];
        let Some(time) = &mut self.time else {
            let stmt = cx.simplify(stmt, &known);
            if cx.system.terms.is_block(stmt) {
                return Ok(());
            }
            domain.post(cx, state, &Context::default(), stmt, precision, &mut states)?;
            for state in states {
                self.add(cx, domain, precision, (parent, after, state), None, targets)?;
            }
            return Ok(());
        };
        let within = cx.simplify_within(stmt, &known);
        let facts = facts(cx, domain, state);
        for way in time.split(cx, Part::Step, within, &facts)?.iter() {
            cx.go_on()?;
            let data = cx.simplify(way.data, &known);
            if cx.system.terms.is_block(data) {
                continue;
            }
            let time = self.time.as_mut().expect("as before");
            let node = parent.map(|(node, _)| node);
            let arrival = match (time.follow(node, way)?, node) {
                (Ok(arrival), _) => arrival,
                (Err(blocked), Some(node)) => {
                    self.disable(cx, domain, (node, state), &way.ops[..=blocked], data)?;
                    continue;
                }
                (Err(_), None) => continue,
            };
            domain.post(cx, state, &Context::default(), data, precision, &mut states)?;
            for state in states.drain(..) {
                let arrival = Some(arrival.clone());
                self.add(cx, domain, precision, (parent, after, state), arrival, targets)?;
            }
        }
        Ok(())
    }
    /// Makes operations impossible in the abstract zone of a node, unless data already rule out what goes with
    /// them. To ask data only here, where time is against it, is enough: elsewhere their successors tell.
    fn disable(
        &mut self,
        cx: &mut Cx,
        domain: &D,
        (node, state): (NodeId, &D::State),
        ops: &[Op],
        data: Stmt,
    ) -> Result<(), Reason> {
        let time = self.time.as_mut().expect("there are operations");
        if !time.allows(node, ops)? || time.filter && !self.is_executable(cx, domain, state, data)? {
            return Ok(());
        }
        let time = self.time.as_mut().expect("there are operations");
        time.disable((&mut self.arg, &mut self.waitlist), cx.stop, node, ops)
    }
    /// Makes the target impossible in the abstract zone of a node, as far as data do not.
    fn disable_target(
        &mut self,
        cx: &mut Cx,
        domain: &D,
        node: NodeId,
        (vector, state): (VectorId, &D::State),
    ) -> Result<(), Reason> {
        for way in self.target_ways(cx, domain, vector, state)? {
            let Some(time) = &mut self.time else { break };
            let arrival = time.arrival(node);
            if let Some(blocked) = time.blocked(&arrival, &way.ops)? {
                time.disable((&mut self.arg, &mut self.waitlist), cx.stop, node, &way.ops[..=blocked])?;
            }
        }
        Ok(())
    }
    /// Adds a node: by which action of which node, where, and what it says.
    fn add(
        &mut self,
        cx: &mut Cx,
        domain: &mut D,
        precision: &D::Precision,
        (parent, vector, state): (Option<(NodeId, u32)>, VectorId, D::State),
        arrival: Option<Arrival>,
        targets: &mut Vec<NodeId>,
    ) -> Result<(), Reason> {
        let (is_target, way) = self.is_target(cx, domain, (vector, &state), arrival.as_ref())?;
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        domain.key(&state, &mut key);
        key.sort_unstable();
        let (variables, predicates) = domain.size(precision);
        let todo = (0..self.actions.of(&mut cx.system, vector).len() as u32).rev().collect();
        let status = if is_target { Status::Target } else { Status::Waiting };
        let revision = variables + predicates;
        let (children, covers) = (vec![], vec![]);
        let node = Node { vector, state, parent, status, todo, children, covers, revision };
        let id = self.arg.add(node, &key);
        if let (Some(time), Some(arrival)) = (&mut self.time, arrival) {
            time.add(id, parent.map(|(node, _)| node), arrival, way);
        }
        if is_target {
            targets.push(id);
        } else if let Some(by) = self.covered_by(cx, domain, id, &key)? {
            self.arg.cover(id, by);
        } else {
            self.waitlist.push(id);
        }
        self.key = key;
        Ok(())
    }
    fn covering(&mut self, cx: &mut Cx, domain: &mut D, node: NodeId) -> Result<Option<NodeId>, Reason> {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        domain.key(&self.arg[node].state, &mut key);
        key.sort_unstable();
        let result = self.covered_by(cx, domain, node, &key);
        self.key = key;
        result
    }
    /// A node that contains `node`, if there is one.
    fn covered_by(
        &mut self,
        cx: &mut Cx,
        domain: &mut D,
        node: NodeId,
        key: &[(u32, u32)],
    ) -> Result<Option<NodeId>, Reason> {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        self.arg.candidates(self.arg[node].vector, key, &mut candidates);
        let mut found = None;
        for other in &candidates {
            let (big, small) = (&self.arg[*other].state, &self.arg[node].state);
            if *other != node
                && match self.covering {
                    Covering::Equality => big == small,
                    Covering::Inclusion | Covering::Alu => domain.covers(cx, big, small)?,
                }
                && self.is_within(cx.stop, node, *other)?
            {
                found = Some(*other);
                break;
            }
        }
        self.candidates = candidates;
        Ok(found)
    }
    /// Whether time at one node can be as at another, which strengthens the former.
    fn is_within(&mut self, stop: &Stop, node: NodeId, other: NodeId) -> Result<bool, Reason> {
        let Some(time) = &mut self.time else { return Ok(true) };
        let Node { status, children, .. } = &self.arg[other];
        // A node that has not been looked at says nothing of time.
        let expanded = *status == Status::Expanded || !children.is_empty();
        Ok(expanded && time.cover((&mut self.arg, &mut self.waitlist), stop, node, other)?)
    }
    /// Whether a state contains a concrete one that is searched for, and if time matters, how.
    fn is_target(
        &mut self,
        cx: &mut Cx,
        domain: &D,
        (vector, state): (VectorId, &D::State),
        arrival: Option<&Arrival>,
    ) -> Result<(bool, Option<Rc<Alternative>>), Reason> {
        if let Some(arrival) = arrival {
            for way in self.target_ways(cx, domain, vector, state)? {
                let time = self.time.as_mut().expect("there is an arrival");
                if time.blocked(arrival, &way.ops)?.is_none() {
                    return Ok((true, Some(way)));
                }
            }
            return Ok((false, None));
        }
        let Some(bad) = self.bad(cx, vector)? else { return Ok((false, None)) };
        let values: FxHashMap<VarId, Term> = known(cx, domain, state).into_iter().collect();
        let bad = cx.terms().substitute(bad, &values);
        if let Some(value) = cx.system.terms.as_const(bad) {
            return Ok((value.as_bool(), None));
        }
        Ok((self.is_possible(cx, domain, state, bad)?, None))
    }
    /// The alternatives of being a target that data allow; none without time.
    fn target_ways(
        &mut self,
        cx: &mut Cx,
        domain: &D,
        vector: VectorId,
        state: &D::State,
    ) -> Result<Vec<Rc<Alternative>>, Reason> {
        if self.time.is_none() {
            return Ok(vec![]);
        }
        let Some(bad) = self.bad(cx, vector)? else { return Ok(vec![]) };
        let bad = cx.terms().assume(bad);
        let known = known(cx, domain, state);
        let bad = cx.simplify_within(bad, &known);
        let facts = facts(cx, domain, state);
        let mut ways = vec![];
        let part = Part::Target { stuck: ir::mentions_deadlock(&cx.system, self.target) };
        let time = self.time.as_mut().expect("looked at before");
        for way in time.split(cx, part, bad, &facts)?.iter() {
            let data = cx.simplify(way.data, &known);
            if !cx.system.terms.is_block(data) && self.is_executable(cx, domain, state, data)? {
                ways.push(way.clone());
            }
        }
        Ok(ways)
    }
    /// Whether a statement, simplified under what a state knows, can be executed from some state of it.
    fn is_executable(
        &mut self,
        cx: &mut Cx,
        domain: &D,
        state: &D::State,
        stmt: Stmt,
    ) -> Result<bool, Reason> {
        let statement = cx.statement(stmt)?;
        // Often there is nothing to ask: one way is free, or all are barred.
        let open = match &statement.ends {
            Some(ends) if ends.is_empty() => return Ok(false),
            Some(ends) => !ends.iter().any(|end| end.condition.is_empty()),
            None => true,
        };
        let facts = facts(cx, domain, state);
        let said = |fact: &Term| fixes(&mut cx.system.terms, *fact).is_some();
        if !open && facts.iter().all(said) {
            return Ok(true);
        }
        self.is_possible(cx, domain, state, statement.formula)
    }
    /// Whether `term` can hold in a state.
    fn is_possible(&mut self, cx: &mut Cx, domain: &D, state: &D::State, term: Term) -> Result<bool, Reason> {
        let vars = cx.system.terms.vars_of(term);
        let facts = facts(cx, domain, state);
        let relevant = relevant(&cx.system.terms, &vars, &facts);
        let key = (term, relevant);
        if let Some(known) = self.hits.get(&key) {
            return Ok(*known);
        }
        cx.renew()?;
        let start = ir::Steps::start();
        let mut lits = vec![cx.solver.lit(&cx.system.terms, term, &start)?];
        for fact in &key.1 {
            lits.push(cx.solver.lit(&cx.system.terms, *fact, &start)?);
        }
        let hit = cx.solver.check(&lits)? == Answer::Sat;
        remember(&mut self.hits, key, hit);
        Ok(hit)
    }

    /// Checks what is always true of a graph and, of one that is complete, simulation: what has no child is
    /// impossible by data or from the abstract zone.
    pub fn assert_well_formed(&mut self, cx: &mut Cx, domain: &D, complete: bool) -> Result<(), Reason> {
        self.arg.assert_well_formed();
        let Some(time) = &self.time else { return Ok(()) };
        time.assert_well_formed(&self.arg);
        let nodes: Vec<NodeId> = self.arg.nodes().map(|(id, _)| id).collect();
        for node in nodes.into_iter().filter(|_| complete) {
            if self.arg[node].status != Status::Expanded {
                continue;
            }
            let (vector, state) = (self.arg[node].vector, self.arg[node].state.clone());
            for way in self.target_ways(cx, domain, vector, &state)? {
                let time = self.time.as_mut().expect("looked at before");
                assert!(!time.allows(node, &way.ops)?, "a target is possible in an abstract zone");
            }
            let known = known(cx, domain, &state);
            for action in self.actions.of(&mut cx.system, vector).to_vec() {
                let stmt = cx.simplify_within(action.stmt, &known);
                let time = self.time.as_mut().expect("looked at before");
                let facts = facts(cx, domain, &state);
                for way in time.split(cx, Part::Step, stmt, &facts)?.iter() {
                    let time = self.time.as_mut().expect("looked at before");
                    let exact = time.follow(Some(node), way)?.is_ok();
                    if !exact && time.allows(node, &way.ops)? {
                        let data = cx.simplify(way.data, &known);
                        let possible = self.is_executable(cx, domain, &state, data)?;
                        assert!(!possible, "an alternative is possible in an abstract zone only");
                    }
                }
            }
        }
        Ok(())
    }
}

/// What a state says.
pub fn facts<D: Domain>(cx: &mut Cx, domain: &D, state: &D::State) -> Vec<Term> {
    let mut facts = vec![];
    domain.facts(cx, state, &mut facts);
    facts
}

/// What a state knows of single variables, sorted.
pub fn known<D: Domain>(cx: &mut Cx, domain: &D, state: &D::State) -> Vec<(VarId, Term)> {
    let mut known = vec![];
    domain.known(cx, state, &mut known);
    known.sort_unstable();
    known.dedup_by_key(|(var, _)| *var);
    known
}
