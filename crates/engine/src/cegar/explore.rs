//! Exploration: the abstract reachability graph grows until it is complete or shows targets.

use ir::{Action, Actions, Id, NoTarget, Stmt, Term, VarId, VectorId, at_locations};
use rustc_hash::FxHashMap;
use smt::{Answer, Solver};

use crate::answer::Reason;
use crate::cegar::arg::{Arg, Node, NodeId, Status};
use crate::cegar::cx::{Cx, relevant, remember};
use crate::cegar::domain::{Context, Domain};
use crate::cegar::waitlist::Waitlist;
use crate::config::Search;

/// A graph that grows.
pub struct Exploration<D: Domain> {
    /// The graph.
    pub arg: Arg<D::State>,
    /// The actions of the system.
    pub actions: Actions,
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
    limit: Option<u64>,
    /// Scratch memory.
    known: Vec<(VarId, Term)>,
    key: Vec<(u32, u32)>,
    candidates: Vec<NodeId>,
}

impl<D: Domain> Exploration<D> {
    /// A graph without nodes, for a search of `target`.
    pub fn new(target: Term, search: Search, all_targets: bool, limit: Option<u64>) -> Self {
        Exploration {
            arg: Arg::default(),
            actions: Actions::new(),
            waitlist: Waitlist::new(search),
            target,
            bad: FxHashMap::default(),
            hits: FxHashMap::default(),
            left: vec![],
            all_targets,
            limit,
            known: vec![],
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
        let mut targets = std::mem::take(&mut self.left);
        if self.arg.roots().is_empty() {
            let initial = ir::initial(&mut cx.system);
            let initial = cx.simplify(initial, &[]);
            let vector = self.actions.vector(&cx.system.initial_locations());
            let top = domain.top();
            let mut states = vec![];
            domain.post(cx, &top, &Context::default(), initial, precision, &mut states)?;
            for state in states {
                self.add(cx, domain, precision, (None, vector, state), &mut targets)?;
            }
        }
        while self.all_targets || targets.is_empty() {
            let Some(node) = self.waitlist.pop() else { break };
            if self.arg[node].status != Status::Waiting {
                continue;
            }
            cx.go_on()?;
            if let Some(limit) = self.limit.filter(|limit| self.arg.len() as u64 > *limit) {
                return Err(Reason::States(limit));
            }
            report(&self.arg, cx);
            // A node that has followed actions before keeps what came of them.
            if self.arg[node].children.is_empty()
                && let Some(by) = self.covering(cx, domain, node)?
            {
                self.arg.cover(node, by);
                continue;
            }
            self.expand(cx, domain, precision, node, &mut targets)?;
        }
        Ok(targets)
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
            if self.is_target(cx, domain, vector, &state)? {
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
        let faulty = cx.system.fault.is_some_and(|fault| locations[fault.process.index()] == fault.location);
        let bad = if faulty {
            Some(cx.terms().bool(true))
        } else if cx.system.is_observed(&locations) {
            Some(at_locations(&mut cx.system, self.target, &locations).map_err(|why| {
                match why {
                    NoTarget::Stmt(_) => Reason::Unsupported(
                        "`deadlock` where an action has a loop, or a havoc that its success depends on; try \
                     `--engine explicit`"
                            .into(),
                    ),
                    NoTarget::Clocks(_) => {
                        Reason::Unsupported("`deadlock` over clocks; try `--engine zone`".into())
                    }
                }
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
        let mut known = std::mem::take(&mut self.known);
        known.clear();
        domain.known(cx, &state, &mut known);
        known.sort_unstable();
        known.dedup_by_key(|(var, _)| *var);
        let mut states = vec![];
        while let Some(action) = self.arg[node].todo.pop() {
            let Action { stmt, target, .. } = self.action(cx, vector, action);
            let stmt: Stmt = cx.simplify(stmt, &known);
            if cx.system.terms.is_block(stmt) {
                continue;
            }
            let after = self.actions.vector(&target);
            if let Err(reason) = domain.post(cx, &state, &Context::default(), stmt, precision, &mut states) {
                self.arg[node].todo.push(action);
                return Err(reason);
            }
            for state in states.drain(..) {
                self.add(cx, domain, precision, (Some((node, action)), after, state), targets)?;
            }
            if !targets.is_empty() && !self.all_targets {
                break;
            }
        }
        self.known = known;
        if self.arg[node].todo.is_empty() {
            self.arg[node].status = Status::Expanded;
        } else {
            self.waitlist.push(node);
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
        targets: &mut Vec<NodeId>,
    ) -> Result<(), Reason> {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        domain.key(&state, &mut key);
        key.sort_unstable();
        let is_target = self.is_target(cx, domain, vector, &state)?;
        let (variables, predicates) = domain.size(precision);
        let todo = (0..self.actions.of(&mut cx.system, vector).len() as u32).rev().collect();
        let status = if is_target { Status::Target } else { Status::Waiting };
        let revision = variables + predicates;
        let (children, covers) = (vec![], vec![]);
        let node = Node { vector, state, parent, status, todo, children, covers, revision };
        let id = self.arg.add(node, &key);
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
            if *other != node && domain.covers(cx, &self.arg[*other].state, &self.arg[node].state)? {
                found = Some(*other);
                break;
            }
        }
        self.candidates = candidates;
        Ok(found)
    }
    /// Whether a state contains a concrete one that is searched for.
    fn is_target(
        &mut self,
        cx: &mut Cx,
        domain: &D,
        vector: VectorId,
        state: &D::State,
    ) -> Result<bool, Reason> {
        let Some(bad) = self.bad(cx, vector)? else { return Ok(false) };
        let mut known = std::mem::take(&mut self.known);
        known.clear();
        domain.known(cx, state, &mut known);
        let values: FxHashMap<VarId, Term> = known.iter().copied().collect();
        self.known = known;
        let bad = cx.terms().substitute(bad, &values);
        if let Some(value) = cx.system.terms.as_const(bad) {
            return Ok(value.as_bool());
        }
        let vars = cx.system.terms.vars_of(bad);
        let mut facts = vec![];
        domain.facts(cx, state, &mut facts);
        let relevant = relevant(&cx.system.terms, &vars, &facts);
        let key = (bad, relevant);
        if let Some(known) = self.hits.get(&key) {
            return Ok(*known);
        }
        cx.renew()?;
        let start = ir::Steps::start();
        let mut lits = vec![cx.solver.lit(&cx.system.terms, bad, &start)?];
        for fact in &key.1 {
            lits.push(cx.solver.lit(&cx.system.terms, *fact, &start)?);
        }
        let hit = cx.solver.check(&lits)? == Answer::Sat;
        remember(&mut self.hits, key, hit);
        Ok(hit)
    }
}
