//! Leaving and entering states, and history (4.4 and 4.5).

use lang::gamma::ast::*;

use super::{Machine, Maybe, Slot, Value, unable};

/// A state that was entered: its actions have yet to run.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The direct transition of an entry node that led to it.
    by: Option<TransitionId>,
    state: NodeId,
}

impl Machine<'_, '_> {
    /// Leaves the state of `scope` that is or contains `source`.
    pub fn leave(&mut self, leaf: usize, scope: RegionId, source: NodeId) -> Maybe<()> {
        let Some(state) = self.active(leaf, scope) else { return Ok(()) };
        if self.model.containing(scope, source) != Some(state) {
            return Ok(());
        }
        let mut left = vec![];
        self.exit(leaf, scope, state, &mut left)?;
        for region in left {
            let active = self.active(leaf, region);
            if active.is_some() && self.model.remembers(region) {
                self.state.insert(Slot::Memory(leaf, region), Value::Node(active));
            }
            self.state.insert(Slot::Region(leaf, region), Value::Node(None));
        }
        Ok(())
    }
    /// Exit actions from inner to outer, and the regions that are left.
    fn exit(&mut self, leaf: usize, region: RegionId, state: NodeId, left: &mut Vec<RegionId>) -> Maybe<()> {
        let model = self.model;
        for inner in model.regions_of(state) {
            if let Some(active) = self.active(leaf, inner) {
                self.exit(leaf, inner, active, left)?;
            }
        }
        left.push(region);
        match &model.ast.nodes[state].kind {
            NodeKind::State(state) => self.actions(leaf, &state.exit),
            _ => unable("an active node that is no state"),
        }
    }

    /// Enters the targets, from the scope inwards.
    pub fn enter(&mut self, leaf: usize, scope: RegionId, targets: &[NodeId]) -> Maybe<()> {
        let mut plan = vec![];
        self.determine(leaf, scope, targets, &mut plan)?;
        self.entered(leaf, &plan)
    }
    /// The actions of states that were entered.
    pub fn entered(&mut self, leaf: usize, plan: &[Planned]) -> Maybe<()> {
        let model = self.model;
        for Planned { by, state } in plan {
            if let Some(transition) = by {
                self.actions(leaf, &model.ast.transitions[*transition].effects)?;
            }
            if let NodeKind::State(state) = &model.ast.nodes[*state].kind {
                self.actions(leaf, &state.entry)?;
            }
        }
        Ok(())
    }

    /// Determines the active states of a region and those inside: by the targets that it contains, else as usual.
    pub fn determine(
        &mut self,
        leaf: usize,
        region: RegionId,
        targets: &[NodeId],
        plan: &mut Vec<Planned>,
    ) -> Maybe<()> {
        let model = self.model;
        let inside: Vec<NodeId> =
            targets.iter().copied().filter(|it| model.around(*it).contains(&region)).collect();
        let Some(first) = inside.first() else {
            return self.as_usual(leaf, region, plan);
        };
        let Some(node) = model.containing(region, *first) else { return unable("a target that is nowhere") };
        if !model.ast.nodes[node].kind.is_state() {
            return self.by_entry(leaf, region, node, plan);
        }
        self.activate(leaf, region, node, None, plan);
        for inner in model.regions_of(node) {
            self.determine(leaf, inner, &inside, plan)?;
        }
        Ok(())
    }
    fn activate(
        &mut self,
        leaf: usize,
        region: RegionId,
        state: NodeId,
        by: Option<TransitionId>,
        plan: &mut Vec<Planned>,
    ) {
        self.state.insert(Slot::Region(leaf, region), Value::Node(Some(state)));
        plan.push(Planned { by, state });
    }
    fn as_usual(&mut self, leaf: usize, region: RegionId, plan: &mut Vec<Planned>) -> Maybe<()> {
        let ast = &self.model.ast;
        let nodes = &ast.regions[region].nodes;
        let initial = nodes.iter().find(|it| ast.nodes[**it].kind == NodeKind::Initial);
        let history = nodes.iter().find(|it| ast.nodes[**it].kind.is_entry());
        match initial.or(history) {
            Some(node) => self.by_entry(leaf, region, *node, plan),
            None => unable("a region without entry"),
        }
    }
    fn remembered(&self, leaf: usize, region: RegionId) -> Option<NodeId> {
        match self.state[&Slot::Memory(leaf, region)] {
            Value::Node(node) => node,
            _ => None,
        }
    }
    fn by_entry(
        &mut self,
        leaf: usize,
        region: RegionId,
        node: NodeId,
        plan: &mut Vec<Planned>,
    ) -> Maybe<()> {
        let model = self.model;
        let remembered = self.remembered(leaf, region);
        match (&model.ast.nodes[node].kind, remembered) {
            (NodeKind::ShallowHistory, Some(state)) => {
                self.activate(leaf, region, state, None, plan);
                for inner in model.regions_of(state) {
                    self.as_usual(leaf, inner, plan)?;
                }
                return Ok(());
            }
            (NodeKind::DeepHistory, Some(_)) => return self.deeply(leaf, region, plan),
            (kind, _) if kind.is_entry() => {}
            _ => return unable("a region entered by something else"),
        }
        let outgoing = model.outgoing(leaf, node)?;
        let [first] = outgoing[..] else { return unable("an entry node without one way out") };
        let mut target = model.to(leaf, first)?;
        let mut by = Some(first);
        if !model.ast.nodes[target].kind.is_state() {
            by = None;
            self.actions(leaf, &model.ast.transitions[first].effects)?;
            while matches!(model.ast.nodes[target].kind, NodeKind::Merge | NodeKind::Choice) {
                let next = self.branch(leaf, target)?;
                self.actions(leaf, &model.ast.transitions[next].effects)?;
                target = model.to(leaf, next)?;
            }
        }
        if !model.ast.regions[region].nodes.contains(&target) || !model.ast.nodes[target].kind.is_state() {
            return unable("an entry that leads elsewhere");
        }
        self.activate(leaf, region, target, by, plan);
        for inner in model.regions_of(target) {
            self.as_usual(leaf, inner, plan)?;
        }
        Ok(())
    }
    /// By deep history: what is remembered, however deep.
    fn deeply(&mut self, leaf: usize, region: RegionId, plan: &mut Vec<Planned>) -> Maybe<()> {
        let Some(state) = self.remembered(leaf, region) else { return self.as_usual(leaf, region, plan) };
        self.activate(leaf, region, state, None, plan);
        for inner in self.model.regions_of(state) {
            self.deeply(leaf, inner, plan)?;
        }
        Ok(())
    }
}
