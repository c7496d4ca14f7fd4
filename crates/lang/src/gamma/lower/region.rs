//! Running regions: orthogonal ones in their schedule, and in each the transitions of its active state or what is inside.

use ir::Int;

use super::super::ast::*;
use super::{Lowering, x};

/// A transition of a state: one that leaves it, or a join of several that leave states inside.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The transition, or the first incoming one of the join.
    pub(super) first: TransitionId,
    /// The join node, with the composite state that is left.
    pub(super) join: Option<NodeId>,
}

impl Lowering<'_> {
    /// Runs orthogonal regions.
    pub(super) fn run_regions(&mut self, regions: &[RegionId], out: &mut Vec<x::StmtId>) {
        let schedule = self.chart_of(self.part).annotations.orthogonal_schedule.unwrap_or_default();
        match (schedule, regions) {
            (OrthogonalSchedule::Sequential, _) | (_, [] | [_]) => {
                regions.iter().for_each(|region| self.run_region(*region, out));
            }
            (OrthogonalSchedule::Unordered, _) => self.run_unordered(regions, out),
            (OrthogonalSchedule::Parallel, _) => self.run_parallel(regions, out),
        }
    }
    /// As many rounds as there are regions; in each, any of those that have not run.
    fn run_unordered(&mut self, regions: &[RegionId], out: &mut Vec<x::StmtId>) {
        let never = self.x.bool(false);
        let ran: Vec<x::Name> = regions.iter().map(|_| self.flag("ran", never, out)).collect();
        for _ in regions {
            let mut alternatives = vec![];
            for (region, ran) in regions.iter().zip(&ran) {
                let flag = self.x.name(*ran);
                let open = self.x.not(flag);
                let mut list = vec![self.x.assume(open)];
                self.set(*ran, &mut list);
                self.run_region(*region, &mut list);
                alternatives.push(list);
            }
            out.push(self.x.choice(alternatives));
        }
    }
    /// Each on the values before all of them; then what each has changed.
    fn run_parallel(&mut self, regions: &[RegionId], out: &mut Vec<x::StmtId>) {
        let before_count = self.x.model.stmts.len();
        let bodies: Vec<Vec<x::StmtId>> = regions
            .iter()
            .map(|region| {
                let mut list = vec![];
                self.run_region(*region, &mut list);
                list
            })
            .collect();
        // Every state variable, flag or buffer that one of them assigns; locals of their own are declared in them.
        let assigned = self.assigned_since(before_count);
        let originals: Vec<(x::Name, x::Name, x::TypeId)> = assigned
            .into_iter()
            .map(|(name, ty)| {
                let copy = self.x.fresh("_before_");
                let value = self.x.name(name);
                out.push(self.x.local(copy, ty, Some(value)));
                (name, copy, ty)
            })
            .collect();
        let mut results: Vec<Vec<x::Name>> = vec![];
        for body in bodies {
            let mut after = vec![];
            out.push(self.x.braced(body));
            for (name, copy, ty) in &originals {
                let result = self.x.fresh("_after_");
                let value = self.x.name(*name);
                out.push(self.x.local(result, *ty, Some(value)));
                let back = self.x.name(*copy);
                out.push(self.x.assign(*name, back));
                after.push(result);
            }
            results.push(after);
        }
        for (at, (name, copy, _)) in originals.iter().enumerate() {
            let copy = self.x.name(*copy);
            for after in &results {
                let result = self.x.name(after[at]);
                let same = self.x.equal(result, copy);
                let take = self.x.assign(*name, result);
                let changed = self.x.branch(same, vec![], vec![take]);
                out.extend(changed);
            }
        }
    }
    /// The variables that statements assign which were made after so many, except timers; those are not copied.
    fn assigned_since(&self, count: usize) -> Vec<(x::Name, x::TypeId)> {
        let mut locals = rustc_hash::FxHashMap::default();
        let mut inner = rustc_hash::FxHashSet::default();
        for (at, stmt) in self.x.model.stmts.iter().enumerate() {
            if let x::StmtKind::Local(ident, ty, _) = &stmt.kind {
                locals.insert(ident.name, *ty);
                if at >= count {
                    inner.insert(ident.name);
                }
            }
        }
        let states: rustc_hash::FxHashMap<x::Name, x::TypeId> =
            self.x.model.vars.iter().map(|var| (var.ident.name, var.ty)).collect();
        let mut list = vec![];
        let mut known = rustc_hash::FxHashSet::default();
        for stmt in self.x.model.stmts.iter().skip(count) {
            let x::StmtKind::Assign(ident, ..) = &stmt.kind else { continue };
            let name = ident.name;
            let is_timer = self.timers.iter().any(|(timer, _)| *timer == name);
            // A run that ends in one of them does not come to the next one.
            let is_stuck = self.stuck.is_some_and(|(stuck, _)| stuck == name);
            if inner.contains(&name) || is_timer || is_stuck || !known.insert(name) {
                continue;
            }
            if let Some(ty) = states.get(&name).or_else(|| locals.get(&name)) {
                list.push((name, *ty));
            }
        }
        list
    }
    fn run_region(&mut self, region: RegionId, out: &mut Vec<x::StmtId>) {
        let (_, literals) = self.region_types[&region].clone();
        let mut chain: Vec<(x::ExprId, Vec<x::StmtId>)> = vec![];
        for state in literals.states.keys() {
            let mut list = vec![];
            ir::deep(|| self.run_state(*state, &mut list));
            if !list.is_empty() {
                chain.push((self.is_active(*state), list));
            }
        }
        let stmts = self.alternatives(chain);
        out.extend(stmts);
    }
    /// `if … else if … else …`
    pub(super) fn alternatives(&mut self, chain: Vec<(x::ExprId, Vec<x::StmtId>)>) -> Vec<x::StmtId> {
        let mut rest = vec![];
        for (condition, list) in chain.into_iter().rev() {
            rest = self.x.branch(condition, list, rest);
        }
        rest
    }
    fn run_state(&mut self, node: NodeId, out: &mut Vec<x::StmtId>) {
        let NodeKind::State(state) = &self.project.ast.nodes[node].kind else { return };
        let regions = state.regions.clone();
        let candidates = self.candidates(node, &regions);
        let schedule = self.chart_of(self.part).annotations.region_schedule.unwrap_or_default();
        match schedule {
            RegionSchedule::TopDown => {
                let mut inside = vec![];
                self.run_regions(&regions, &mut inside);
                let stmts = self.fire_one(node, &candidates, inside);
                out.extend(stmts);
            }
            RegionSchedule::BottomUp if regions.is_empty() => {
                let stmts = self.fire_one(node, &candidates, vec![]);
                out.extend(stmts);
            }
            RegionSchedule::BottomUp => {
                let never = self.x.bool(false);
                let fired = self.flag("fired", never, out);
                self.fired.push(fired);
                self.run_regions(&regions, out);
                self.fired.pop();
                let own = self.fire_one(node, &candidates, vec![]);
                let fired = self.x.name(fired);
                let none = self.x.not(fired);
                let stmts = self.x.branch(none, own, vec![]);
                out.extend(stmts);
            }
        }
    }
    /// The transitions of a state, in order of the file.
    fn candidates(&self, node: NodeId, regions: &[RegionId]) -> Vec<Candidate> {
        let mut list: Vec<Candidate> = self.project.outgoing[node]
            .iter()
            .filter(|transition| {
                let to = self.project.node(self.project.ast.transitions[**transition].to);
                !matches!(self.project.ast.nodes[to].kind, NodeKind::Join)
            })
            .map(|transition| Candidate { first: *transition, join: None })
            .collect();
        // Joins whose sources lie in different regions of this state.
        let mut joins = vec![];
        for region in regions {
            for inner in self.nodes_below(*region) {
                for transition in &self.project.outgoing[inner] {
                    let to = self.project.node(self.project.ast.transitions[*transition].to);
                    if matches!(self.project.ast.nodes[to].kind, NodeKind::Join) && !joins.contains(&to) {
                        joins.push(to);
                    }
                }
            }
        }
        for join in joins {
            if self.joined_state(join) == Some(node) {
                list.push(Candidate { first: self.project.incoming[join][0], join: Some(join) });
            }
        }
        list.sort_by_key(|candidate| candidate.first);
        list
    }
    fn nodes_below(&self, region: RegionId) -> Vec<NodeId> {
        let mut open = vec![region];
        let mut list = vec![];
        while let Some(region) = open.pop() {
            for node in &self.project.ast.regions[region].nodes {
                list.push(*node);
                if let NodeKind::State(state) = &self.project.ast.nodes[*node].kind {
                    open.extend(&state.regions);
                }
            }
        }
        list
    }
    /// The innermost state that contains all sources of a join.
    pub(super) fn joined_state(&self, join: NodeId) -> Option<NodeId> {
        let sources: Vec<NodeId> = {
            let incoming = self.project.incoming[join].iter();
            incoming
                .map(|transition| self.project.node(self.project.ast.transitions[*transition].from))
                .collect()
        };
        let mut at = self.project.parent_state(self.project.node_region[*sources.first()?]);
        while let Some(state) = at {
            if sources.iter().all(|source| self.is_inside(*source, state)) {
                return Some(state);
            }
            at = self.project.parent_state(self.project.node_region[state]);
        }
        None
    }
    /// Whether a node lies inside a state.
    pub(super) fn is_inside(&self, node: NodeId, state: NodeId) -> bool {
        let mut at = self.project.parent_state(self.project.node_region[node]);
        while let Some(outer) = at {
            if outer == state {
                return true;
            }
            at = self.project.parent_state(self.project.node_region[outer]);
        }
        false
    }
    /// One of the enabled transitions fires, or else something happens.
    fn fire_one(
        &mut self,
        node: NodeId,
        candidates: &[Candidate],
        otherwise: Vec<x::StmtId>,
    ) -> Vec<x::StmtId> {
        let (others, last): (Vec<&Candidate>, Vec<&Candidate>) =
            candidates.iter().partition(|candidate| !self.is_else(candidate.first));
        let fire = |this: &mut Self, candidate: &Candidate| {
            let mut list = vec![];
            this.fire(node, candidate, &mut list);
            list
        };
        let mut groups: Vec<Vec<(x::ExprId, Vec<x::StmtId>)>> = vec![];
        for list in [others, last] {
            for group in self.by_priority(&list, |candidate| candidate.first) {
                let mut enabled = vec![];
                for candidate in group {
                    enabled.push((self.enabled(candidate), fire(self, candidate)));
                }
                groups.push(enabled);
            }
        }
        self.by_groups(groups, otherwise)
    }
    /// The first group of which something is enabled; of it, any that is.
    pub(super) fn by_groups(
        &mut self,
        groups: Vec<Vec<(x::ExprId, Vec<x::StmtId>)>>,
        otherwise: Vec<x::StmtId>,
    ) -> Vec<x::StmtId> {
        let mut rest = otherwise;
        for mut group in groups.into_iter().rev() {
            group.retain(|(condition, _)| self.x.known(*condition) != Some(false));
            rest = match group.len() {
                0 => rest,
                1 => {
                    let (condition, list) = group.remove(0);
                    self.x.branch(condition, list, rest)
                }
                _ => {
                    let conditions: Vec<x::ExprId> = group.iter().map(|(condition, _)| *condition).collect();
                    let any = self.x.or(&conditions);
                    let mut alternatives = vec![];
                    for (condition, list) in group {
                        let mut body = match self.x.known(condition) {
                            Some(true) => vec![],
                            _ => vec![self.x.assume(condition)],
                        };
                        body.extend(list);
                        alternatives.push(body);
                    }
                    let choice = self.x.choice(alternatives);
                    self.x.branch(any, vec![choice], rest)
                }
            };
        }
        rest
    }
    /// Groups of which the first counts most; in each, any.
    pub(super) fn by_priority<T: Copy>(
        &self,
        list: &[T],
        transition: impl Fn(&T) -> TransitionId,
    ) -> Vec<Vec<T>> {
        match self.chart_of(self.part).annotations.transition_priority.unwrap_or_default() {
            TransitionPriority::Off if list.is_empty() => vec![],
            TransitionPriority::Off => vec![list.to_vec()],
            TransitionPriority::OrderBased => list.iter().map(|item| vec![*item]).collect(),
            TransitionPriority::ValueBased => {
                let number = |item: &T| {
                    self.project.ast.transitions[transition(item)].priority.clone().unwrap_or(Int::ZERO)
                };
                let mut sorted = list.to_vec();
                sorted.sort_by_key(|item| std::cmp::Reverse(number(item)));
                let mut groups: Vec<Vec<T>> = vec![];
                for item in sorted {
                    match groups.last_mut() {
                        Some(group) if number(&group[0]) == number(&item) => group.push(item),
                        _ => groups.push(vec![item]),
                    }
                }
                groups
            }
        }
    }
}
