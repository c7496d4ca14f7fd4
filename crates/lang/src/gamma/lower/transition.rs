//! Transitions: when they are enabled, and what happens when one fires.
//!
//! A transition is followed segment by segment. The *scope* is the region up to which states have been left; it grows
//! with the segments, and everything from it down to the target is entered at the end.

use ir::Span;
use rustc_hash::FxHashMap;

use super::super::ast::*;
use super::entry::Goal;
use super::region::Candidate;
use super::{FindingKind, Lowering, x};
use crate::code::Code;

/// How many segments a transition may have one after the other.
const MOST_SEGMENTS: usize = 1000;

impl Lowering<'_> {
    pub(super) fn is_else(&self, transition: TransitionId) -> bool {
        let guard = self.project.ast.transitions[transition].guard;
        guard.is_some_and(|guard| matches!(self.project.ast.exprs[guard].kind, ExprKind::Else))
    }
    /// Whether trigger and guard hold; an `else` holds where it is its turn.
    pub(super) fn enabled(&mut self, candidate: &Candidate) -> x::ExprId {
        let transitions = match candidate.join {
            Some(join) => self.project.incoming[join].clone(),
            None => vec![candidate.first],
        };
        let mut parts = vec![];
        for transition in transitions {
            if candidate.join.is_some() {
                let from = self.project.node(self.project.ast.transitions[transition].from);
                parts.push(self.is_active(from));
            }
            let (trigger, guard) = match self.guards.get(&transition) {
                Some(known) => *known,
                None => self.trigger_and_guard(transition),
            };
            parts.extend([trigger, guard]);
        }
        self.x.and(&parts)
    }
    pub(super) fn trigger_and_guard(&mut self, transition: TransitionId) -> (x::ExprId, x::ExprId) {
        let decl = &self.project.ast.transitions[transition];
        let (trigger, guard) = (decl.trigger, decl.guard);
        let trigger = match trigger {
            Some(trigger) => self.trigger(trigger),
            None => self.x.bool(true),
        };
        let guard = match guard {
            Some(guard) => self.condition(guard),
            None => self.x.bool(true),
        };
        (trigger, guard)
    }
    fn trigger(&mut self, trigger: TriggerId) -> x::ExprId {
        let Trigger { kind, span } = &self.project.ast.triggers[trigger];
        let outer = std::mem::replace(&mut self.x.span, *span);
        let value = ir::deep(|| match kind {
            TriggerKind::Cycle => self.x.bool(true),
            TriggerKind::Any => self.any_of(None),
            TriggerKind::Event(event) => match self.project.ast.event_refs[*event].kind {
                EventRefKind::Timeout(timeout) => self.timeout_holds(self.project.timeout(timeout)),
                EventRefKind::PortAny(port) => self.any_of(Some(self.project.port(port))),
                EventRefKind::PortEvent(port, event) => {
                    self.raised(self.project.port(port), self.project.event(event))
                }
                EventRefKind::Clock(_) => {
                    self.error(Code::Misplaced, *span, "clocks trigger adapters, not transitions");
                    self.x.bool(false)
                }
            },
            TriggerKind::Opaque(_) => {
                self.error(
                    Code::UnsupportedOperator,
                    *span,
                    "a trigger in another language is not supported",
                );
                self.x.bool(false)
            }
            TriggerKind::Not(inner) => {
                let inner = self.trigger(*inner);
                self.x.not(inner)
            }
            TriggerKind::Chain(op, operands) => {
                let operands: Vec<x::ExprId> =
                    operands.iter().map(|operand| self.trigger(*operand)).collect();
                match op {
                    TriggerOp::And => self.logic(LogicOp::And, &operands),
                    TriggerOp::Or => self.logic(LogicOp::Or, &operands),
                    TriggerOp::Xor => self.logic(LogicOp::Xor, &operands),
                    TriggerOp::Imply => self.logic(LogicOp::Imply, &operands),
                    TriggerOp::Equal => {
                        let (first, rest) = operands.split_first().expect("an operator has operands");
                        rest.iter().fold(*first, |a, b| {
                            let differ = self.x.xor(a, *b);
                            self.x.not(differ)
                        })
                    }
                }
            }
        });
        self.x.span = outer;
        value
    }
    /// The innermost region that contains two nodes.
    fn common(&self, a: NodeId, b: NodeId) -> Option<RegionId> {
        let around = |node: NodeId| {
            let mut list = vec![];
            let mut at = Some(self.project.node_region[node]);
            while let Some(region) = at {
                list.push(region);
                at = self.project.parent_state(region).map(|state| self.project.node_region[state]);
            }
            list
        };
        let b = around(b);
        around(a).into_iter().find(|region| b.contains(region))
    }
    /// The state of a region that is a node or contains it.
    fn child_of(&self, region: RegionId, node: NodeId) -> NodeId {
        let mut at = node;
        while self.project.node_region[at] != region {
            match self.project.parent_state(self.project.node_region[at]) {
                Some(state) => at = state,
                None => return at,
            }
        }
        at
    }
    /// An active state and those around it, up to `outermost`, are the active ones of their regions.
    fn active_around(&self, state: NodeId, outermost: NodeId, known: &mut FxHashMap<RegionId, NodeId>) {
        let mut at = state;
        while at != outermost {
            known.insert(self.project.node_region[at], at);
            match self.project.parent_state(self.project.node_region[at]) {
                Some(parent) => at = parent,
                None => break,
            }
        }
    }
    /// Whether a region is another one, or contains it.
    fn contains_region(&self, outer: RegionId, inner: RegionId) -> bool {
        let mut at = Some(inner);
        while let Some(region) = at {
            if region == outer {
                return true;
            }
            at = self.project.parent_state(region).map(|state| self.project.node_region[state]);
        }
        false
    }
    /// A transition of a state fires.
    pub(super) fn fire(&mut self, state: NodeId, candidate: &Candidate, out: &mut Vec<x::StmtId>) {
        let span = self.project.ast.transitions[candidate.first].span;
        let outer = std::mem::replace(&mut self.x.span, span);
        for fired in self.fired.clone() {
            self.set(fired, out);
        }
        match candidate.join {
            None => self.segment(candidate.first, state, None, 0, out),
            Some(join) => {
                let incoming = self.project.incoming[join].clone();
                incoming.iter().for_each(|transition| self.mark(*transition, out));
                let Some(next) = self.project.outgoing[join].first().copied() else {
                    self.x.span = outer;
                    return;
                };
                let target = self.project.node(self.project.ast.transitions[next].to);
                let Some(scope) = self.common(state, target) else {
                    self.no_common(span);
                    return;
                };
                // What is left is known as far as the sources are.
                let outermost = self.child_of(scope, state);
                let mut known = FxHashMap::default();
                for transition in &incoming {
                    let from = self.project.node(self.project.ast.transitions[*transition].from);
                    self.active_around(from, outermost, &mut known);
                }
                self.leave(scope, outermost, &known, out);
                for transition in incoming {
                    let effects = self.project.ast.transitions[transition].effects.clone();
                    self.actions(&effects, out);
                }
                self.segment(next, state, Some(scope), 0, out);
            }
        }
        self.x.span = outer;
    }
    fn no_common(&mut self, span: Span) {
        let message = "a transition cannot lead from one region of a statechart to another one beside it";
        self.error(Code::Misconnected, span, message);
    }
    pub(super) fn mark(&mut self, transition: TransitionId, out: &mut Vec<x::StmtId>) {
        let marker = self.leaves[self.part].as_ref().and_then(|leaf| leaf.markers.get(&transition).copied());
        if let Some(marker) = marker {
            self.set(marker, out);
        }
    }
    /// Follows a segment: leaves what has to be left, does what it says, goes on from where it leads. `source` is the
    /// state that the transition left, `left` the scope so far.
    fn segment(
        &mut self,
        transition: TransitionId,
        source: NodeId,
        left: Option<RegionId>,
        depth: usize,
        out: &mut Vec<x::StmtId>,
    ) {
        let decl = &self.project.ast.transitions[transition];
        let (span, target, effects) = (decl.span, self.project.node(decl.to), decl.effects.clone());
        if depth > MOST_SEGMENTS {
            self.error(
                Code::TooDeep,
                span,
                "this transition never comes to a state: choices and merges lead in a circle",
            );
            return;
        }
        let outer = std::mem::replace(&mut self.x.span, span);
        let from = self.project.node(self.project.ast.transitions[transition].from);
        let Some(scope) = self.common(from, target).or(left) else {
            self.no_common(span);
            return;
        };
        self.mark(transition, out);
        let scope = match left {
            Some(left) if self.contains_region(left, scope) => left,
            Some(_) => {
                // It contains what was left so far, and so the source; a join may lie elsewhere.
                let state = self.child_of(scope, source);
                self.leave(scope, state, &FxHashMap::default(), out);
                scope
            }
            None => {
                let state = self.child_of(scope, source);
                let mut known = FxHashMap::default();
                self.active_around(source, state, &mut known);
                self.leave(scope, state, &known, out);
                scope
            }
        };
        self.actions(&effects, out);
        self.follow(target, source, scope, depth, span, out);
        self.x.span = outer;
    }
    /// Goes on from where a segment leads.
    fn follow(
        &mut self,
        target: NodeId,
        source: NodeId,
        scope: RegionId,
        depth: usize,
        span: Span,
        out: &mut Vec<x::StmtId>,
    ) {
        let node = &self.project.ast.nodes[target];
        match &node.kind {
            NodeKind::Merge | NodeKind::Join => match self.project.outgoing[target].first().copied() {
                Some(next) => ir::deep(|| self.segment(next, source, Some(scope), depth + 1, out)),
                None => self.dead_end(target),
            },
            NodeKind::Choice => {
                let stmts = self.choose(target, &mut |this, next, list| {
                    ir::deep(|| this.segment(next, source, Some(scope), depth + 1, list));
                });
                out.extend(stmts);
            }
            NodeKind::Fork => {
                let mut goals = FxHashMap::default();
                for next in self.project.outgoing[target].clone() {
                    self.mark(next, out);
                    let decl = &self.project.ast.transitions[next];
                    let (to, effects) = (self.project.node(decl.to), decl.effects.clone());
                    self.actions(&effects, out);
                    if !matches!(self.project.ast.nodes[to].kind, NodeKind::State(_))
                        && !self.project.ast.nodes[to].kind.is_entry()
                    {
                        self.error(Code::Misconnected, span, "a fork leads to states");
                        return;
                    }
                    self.aim(to, scope, &mut goals);
                }
                self.enter(scope, &goals, out);
            }
            NodeKind::State(_) | NodeKind::Initial | NodeKind::ShallowHistory | NodeKind::DeepHistory => {
                let mut goals = FxHashMap::default();
                self.aim(target, scope, &mut goals);
                self.enter(scope, &goals, out);
            }
        }
    }
    pub(super) fn dead_end(&mut self, node: NodeId) {
        let decl = &self.project.ast.nodes[node];
        let message = format!("nothing leads away from `{}`", self.project.ast.text(decl.ident));
        let span = decl.ident.span;
        self.error(Code::MissingPart, span, message);
    }
    /// The branches of a choice node.
    pub(super) fn choose(
        &mut self,
        node: NodeId,
        go: &mut dyn FnMut(&mut Self, TransitionId, &mut Vec<x::StmtId>),
    ) -> Vec<x::StmtId> {
        let outgoing = self.project.outgoing[node].clone();
        let (others, last): (Vec<TransitionId>, Vec<TransitionId>) =
            outgoing.into_iter().partition(|transition| !self.is_else(*transition));
        let mut ordered = self.by_priority(&others, |transition| *transition);
        ordered.extend(self.by_priority(&last, |transition| *transition));
        let mut groups = vec![];
        for group in ordered {
            let mut branches = vec![];
            for next in group {
                let (trigger, guard) = self.trigger_and_guard(next);
                let enabled = self.x.and(&[trigger, guard]);
                let mut list = vec![];
                go(self, next, &mut list);
                branches.push((enabled, list));
            }
            groups.push(branches);
        }
        let decl = &self.project.ast.nodes[node];
        let (span, name) = (decl.ident.span, self.project.ast.text(decl.ident).to_owned());
        // Where one of them always holds, nobody can get stuck.
        let complete = groups.iter().flatten().any(|(condition, _)| self.x.known(*condition) == Some(true));
        let stuck = if complete { vec![] } else { self.finding(FindingKind::Choice, span, Some(name)) };
        self.by_groups(groups, stuck)
    }
    /// What a region is entered by, and those around it up to the scope.
    fn aim(&mut self, target: NodeId, scope: RegionId, goals: &mut FxHashMap<RegionId, Goal>) {
        let mut region = self.project.node_region[target];
        let goal = match self.project.ast.nodes[target].kind {
            NodeKind::State(_) => Goal::State(target),
            _ => Goal::Node(target),
        };
        goals.insert(region, goal);
        while region != scope {
            let Some(state) = self.project.parent_state(region) else { return };
            region = self.project.node_region[state];
            goals.insert(region, Goal::State(state));
        }
    }
    /// Leaves an active state of a region with everything in it. `known` tells which states are active in it for sure.
    fn leave(
        &mut self,
        scope: RegionId,
        state: NodeId,
        known: &FxHashMap<RegionId, NodeId>,
        out: &mut Vec<x::StmtId>,
    ) {
        self.exit_actions(state, known, out);
        self.deactivate_inside(state, known, out);
        self.deactivate(scope, Some(state), out);
    }
    fn exit_actions(&mut self, state: NodeId, known: &FxHashMap<RegionId, NodeId>, out: &mut Vec<x::StmtId>) {
        let NodeKind::State(decl) = &self.project.ast.nodes[state].kind else { return };
        let (regions, exit) = (decl.regions.clone(), decl.exit.clone());
        for region in regions {
            if let Some(inner) = known.get(&region) {
                ir::deep(|| self.exit_actions(*inner, known, out));
                continue;
            }
            let states: Vec<NodeId> = self.region_types[&region].1.states.keys().copied().collect();
            let mut chain = vec![];
            for inner in states {
                let mut list = vec![];
                ir::deep(|| self.exit_actions(inner, known, &mut list));
                if !list.is_empty() {
                    chain.push((self.is_active(inner), list));
                }
            }
            let stmts = self.alternatives(chain);
            out.extend(stmts);
        }
        self.actions(&exit, out);
    }
    fn deactivate_inside(
        &mut self,
        state: NodeId,
        known: &FxHashMap<RegionId, NodeId>,
        out: &mut Vec<x::StmtId>,
    ) {
        let NodeKind::State(decl) = &self.project.ast.nodes[state].kind else { return };
        for region in decl.regions.clone() {
            let states: Vec<NodeId> = match known.get(&region) {
                Some(inner) => vec![*inner],
                None => self.region_types[&region].1.states.keys().copied().collect(),
            };
            for inner in states {
                ir::deep(|| self.deactivate_inside(inner, known, out));
            }
            self.deactivate(region, known.get(&region).copied(), out);
        }
    }
    /// A region becomes inactive, and remembers what was active if it does such things.
    fn deactivate(&mut self, region: RegionId, known: Option<NodeId>, out: &mut Vec<x::StmtId>) {
        let (_, literals) = self.region_types[&region].clone();
        let name = self.leaves[self.part].as_ref().expect("we are in a leaf").regions[&region];
        let remembers = literals.states.values().any(|(_, remembered)| remembered.is_some());
        let remembered = known.and_then(|state| literals.states.get(&state)?.1);
        let value = match (remembers, remembered) {
            (false, _) => self.x.name(literals.inactive),
            (true, Some(remembered)) => self.x.name(remembered),
            (true, None) => {
                // Where it is inactive already, it stays as it is.
                let mut value = self.x.name(name);
                for (state, (_, remembered)) in literals.states.iter().rev() {
                    let active = self.is_active(*state);
                    let remembered = self.x.name(remembered.expect("the region remembers"));
                    value = self.x.ite(active, remembered, value);
                }
                value
            }
        };
        out.push(self.x.assign(name, value));
    }
}
