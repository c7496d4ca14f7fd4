//! Entering regions: first all of them get their active states, then what is done on entry is done.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::super::ast::*;
use super::{Lowering, x};
use crate::code::Code;

/// What a region is entered by, if not as usual.
#[derive(Copy, Clone, Debug)]
pub(super) enum Goal {
    /// This state.
    State(NodeId),
    /// This entry node.
    Node(NodeId),
}

/// A region that has been entered.
#[derive(Clone, Debug)]
pub(super) struct Entered {
    region: RegionId,
    /// The states that may be active now, with the regions inside that were entered. Where there are several, the value
    /// of the region tells.
    states: Vec<(NodeId, Vec<Entered>)>,
    /// A direct transition of an entry node with effects that led here, and a flag that tells whether it did, if that
    /// is not sure.
    effect: Option<(TransitionId, Option<x::Name>)>,
}

/// Which regions were entered along the transitions of their entry nodes, where history decides that.
#[derive(Default)]
pub(super) struct First {
    flags: IndexMap<RegionId, x::Name, FxBuildHasher>,
    /// In how many regions with history we are.
    depth: usize,
}

/// How history is treated.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Mode {
    /// As the entry nodes say.
    Usual,
    /// What is remembered counts.
    Deep,
}

impl Lowering<'_> {
    /// Enters a region and does what is done then.
    pub(super) fn enter(
        &mut self,
        region: RegionId,
        goals: &FxHashMap<RegionId, Goal>,
        out: &mut Vec<x::StmtId>,
    ) {
        let entered = self.enter_region(region, goals, out);
        self.entry_actions(&entered, out);
    }
    /// A region gets its active state, and so do those inside.
    pub(super) fn enter_region(
        &mut self,
        region: RegionId,
        goals: &FxHashMap<RegionId, Goal>,
        out: &mut Vec<x::StmtId>,
    ) -> Entered {
        let mut body = vec![];
        let entered = self.enter_in(region, goals, Mode::Usual, &mut body);
        // Whoever reads the flags comes behind all branches that set them.
        let never = self.x.bool(false);
        for (_, flag) in std::mem::take(&mut self.first.flags) {
            let ty = self.x.named("boolean");
            out.push(self.x.local(flag, ty, Some(never)));
        }
        out.extend(body);
        entered
    }
    /// The flag that tells whether a region was entered along the transition of its entry node.
    fn first_flag(&mut self, region: RegionId) -> x::Name {
        if let Some(flag) = self.first.flags.get(&region) {
            return *flag;
        }
        let flag = self.x.fresh("_first_");
        self.first.flags.insert(region, flag);
        flag
    }
    fn enter_in(
        &mut self,
        region: RegionId,
        goals: &FxHashMap<RegionId, Goal>,
        mode: Mode,
        out: &mut Vec<x::StmtId>,
    ) -> Entered {
        ir::deep(|| match (goals.get(&region), mode) {
            (Some(Goal::State(state)), _) => self.enter_state(region, *state, goals, Mode::Usual, out),
            (Some(Goal::Node(node)), _) => self.enter_by(region, *node, out),
            (None, Mode::Deep) => self.enter_remembered(region, Mode::Deep, None, out),
            (None, Mode::Usual) => match self.entry_node(region) {
                Some(node) => self.enter_by(region, node, out),
                None => {
                    let decl = &self.project.ast.regions[region];
                    let message = format!(
                        "region `{}` has no initial or history node to be entered by",
                        self.project.ast.text(decl.ident)
                    );
                    let span = decl.ident.span;
                    self.error(Code::MissingPart, span, message);
                    Entered { region, states: vec![], effect: None }
                }
            },
        })
    }
    fn entry_node(&self, region: RegionId) -> Option<NodeId> {
        let nodes = &self.project.ast.regions[region].nodes;
        let kind = |node: &NodeId| &self.project.ast.nodes[*node].kind;
        let initial = nodes.iter().find(|node| matches!(kind(node), NodeKind::Initial));
        initial.or_else(|| nodes.iter().find(|node| kind(node).is_entry())).copied()
    }
    /// A state becomes active.
    fn enter_state(
        &mut self,
        region: RegionId,
        state: NodeId,
        goals: &FxHashMap<RegionId, Goal>,
        mode: Mode,
        out: &mut Vec<x::StmtId>,
    ) -> Entered {
        self.activate_state(region, state, out);
        let inside = self.enter_inside(state, goals, mode, out);
        Entered { region, states: vec![(state, inside)], effect: None }
    }
    fn activate_state(&mut self, region: RegionId, state: NodeId, out: &mut Vec<x::StmtId>) {
        let literal = self.region_types[&region].1.states[&state].0;
        let name = self.leaves[self.part].as_ref().expect("we are in a leaf").regions[&region];
        let literal = self.x.name(literal);
        out.push(self.x.assign(name, literal));
    }
    fn enter_inside(
        &mut self,
        state: NodeId,
        goals: &FxHashMap<RegionId, Goal>,
        mode: Mode,
        out: &mut Vec<x::StmtId>,
    ) -> Vec<Entered> {
        let NodeKind::State(decl) = &self.project.ast.nodes[state].kind else { return vec![] };
        let regions = decl.regions.clone();
        regions.into_iter().map(|region| self.enter_in(region, goals, mode, out)).collect()
    }
    fn enter_by(&mut self, region: RegionId, node: NodeId, out: &mut Vec<x::StmtId>) -> Entered {
        match self.project.ast.nodes[node].kind {
            NodeKind::ShallowHistory => self.enter_remembered(region, Mode::Usual, Some(node), out),
            NodeKind::DeepHistory => self.enter_remembered(region, Mode::Deep, Some(node), out),
            _ => self.enter_along(region, node, out),
        }
    }
    /// Along the outgoing transition of an entry node.
    fn enter_along(&mut self, region: RegionId, node: NodeId, out: &mut Vec<x::StmtId>) -> Entered {
        let none = FxHashMap::default();
        let Some(transition) = self.project.outgoing[node].first().copied() else {
            self.dead_end(node);
            return Entered { region, states: vec![], effect: None };
        };
        let decl = &self.project.ast.transitions[transition];
        let (target, has_effects, span) = (self.project.node(decl.to), !decl.effects.is_empty(), decl.span);
        self.mark(transition, out);
        if self.project.node_region[target] != region {
            let message = "the transition of an initial or history node leads to a node of the same region";
            self.error(Code::Misconnected, span, message);
            return Entered { region, states: vec![], effect: None };
        }
        if self.project.ast.nodes[target].kind.is_state() {
            let mut entered = self.enter_state(region, target, &none, Mode::Usual, out);
            if has_effects {
                let flag = (self.first.depth > 0).then(|| self.first_flag(region));
                if let Some(flag) = flag {
                    self.set(flag, out);
                }
                entered.effect = Some((transition, flag));
            }
            return entered;
        }
        let mut states = vec![];
        let effects = self.project.ast.transitions[transition].effects.clone();
        self.actions(&effects, out);
        self.enter_through(region, target, 0, &mut states, out);
        Entered { region, states, effect: None }
    }
    /// On through merges and choices.
    fn enter_through(
        &mut self,
        region: RegionId,
        node: NodeId,
        depth: usize,
        states: &mut Vec<(NodeId, Vec<Entered>)>,
        out: &mut Vec<x::StmtId>,
    ) {
        let decl = &self.project.ast.nodes[node];
        let span = decl.ident.span;
        if self.project.node_region[node] != region || depth > 1000 {
            self.error(
                Code::Misconnected,
                span,
                "the way from an initial or history node leads to a state of the same region",
            );
            return;
        }
        let mut go = |this: &mut Self, next: TransitionId, list: &mut Vec<x::StmtId>| {
            this.mark(next, list);
            let decl = &this.project.ast.transitions[next];
            let (target, effects) = (this.project.node(decl.to), decl.effects.clone());
            this.actions(&effects, list);
            ir::deep(|| this.enter_through(region, target, depth + 1, states, list));
        };
        match decl.kind {
            NodeKind::State(_) => {
                self.activate_state(region, node, out);
                let inside = self.enter_inside(node, &FxHashMap::default(), Mode::Usual, out);
                // One that can be reached in two ways is entered in the same way.
                if !states.iter().any(|(known, _)| *known == node) {
                    states.push((node, inside));
                }
            }
            NodeKind::Merge => match self.project.outgoing[node].first().copied() {
                Some(next) => go(self, next, out),
                None => self.dead_end(node),
            },
            NodeKind::Choice => {
                let stmts = self.choose(node, &mut go);
                out.extend(stmts);
            }
            _ => self.error(
                Code::Misconnected,
                span,
                "the way from an initial or history node leads to a state of the same region",
            ),
        }
    }
    /// What is remembered becomes active; if nothing is, the region is entered by a node, or as usual.
    fn enter_remembered(
        &mut self,
        region: RegionId,
        mode: Mode,
        node: Option<NodeId>,
        out: &mut Vec<x::StmtId>,
    ) -> Entered {
        let none = FxHashMap::default();
        let (_, literals) = self.region_types[&region].clone();
        let name = self.leaves[self.part].as_ref().expect("we are in a leaf").regions[&region];
        self.first.depth += 1;
        let mut fresh = vec![];
        let first = match node {
            Some(node) => self.enter_along(region, node, &mut fresh),
            None => self.enter_in(region, &none, Mode::Usual, &mut fresh),
        };
        let effect = first.effect;
        let mut restored: Vec<(x::ExprId, Vec<x::StmtId>)> = vec![];
        let mut states: Vec<(NodeId, Vec<Entered>)> = vec![];
        for (state, (_, remembered)) in &literals.states {
            let mut list = vec![];
            self.activate_state(region, *state, &mut list);
            let inside = self.enter_inside(*state, &none, mode, &mut list);
            let Some(remembered) = remembered else { continue };
            let (value, literal) = (self.x.name(name), self.x.name(*remembered));
            restored.push((self.x.equal(value, literal), list));
            states.push((*state, inside));
        }
        // Inside a state that is entered for the first time, other things may have been entered than inside one that is
        // restored; what is done on entry looks at what is active, so that both are told by the larger of the two.
        for (state, inside) in first.states {
            if let Some((_, known)) = states.iter_mut().find(|(known, _)| *known == state) {
                *known = merged(std::mem::take(known), inside);
            }
        }
        self.first.depth -= 1;
        let (value, inactive) = (self.x.name(name), self.x.name(literals.inactive));
        let nothing = self.x.equal(value, inactive);
        let mut chain = vec![(nothing, fresh)];
        chain.extend(restored);
        let stmts = self.alternatives(chain);
        out.extend(stmts);
        Entered { region, states, effect }
    }
    /// What is done when regions have been entered.
    pub(super) fn entry_actions(&mut self, entered: &Entered, out: &mut Vec<x::StmtId>) {
        if let Some((transition, flag)) = entered.effect {
            let effects = self.project.ast.transitions[transition].effects.clone();
            let mut list = vec![];
            self.actions(&effects, &mut list);
            match flag {
                None => out.extend(list),
                Some(flag) => {
                    let flag = self.x.name(flag);
                    let branch = self.x.branch(flag, list, vec![]);
                    out.extend(branch);
                }
            }
        }
        let mut chain = vec![];
        for (state, inside) in &entered.states {
            let mut list = vec![];
            if let NodeKind::State(decl) = &self.project.ast.nodes[*state].kind {
                let entry = decl.entry.clone();
                self.actions(&entry, &mut list);
            }
            for inner in inside {
                ir::deep(|| self.entry_actions(inner, &mut list));
            }
            if !list.is_empty() {
                chain.push((*state, list));
            }
        }
        match entered.states.len() {
            1 => out.extend(chain.into_iter().flat_map(|(_, list)| list)),
            _ => {
                // Entry actions may not change which state is active, but what they do is decided before they run.
                let chain = chain.into_iter().map(|(state, list)| (self.is_active(state), list)).collect();
                let stmts = self.alternatives(chain);
                out.extend(stmts);
            }
        }
    }
}

/// What was entered inside a state in two ways.
fn merged(a: Vec<Entered>, b: Vec<Entered>) -> Vec<Entered> {
    a.into_iter()
        .zip(b)
        .map(|(a, b)| {
            let mut states = a.states;
            for (state, inside) in b.states {
                match states.iter_mut().find(|(known, _)| *known == state) {
                    Some((_, known)) => *known = merged(std::mem::take(known), inside),
                    None => states.push((state, inside)),
                }
            }
            Entered { region: a.region, states, effect: a.effect.or(b.effect) }
        })
        .collect()
}
