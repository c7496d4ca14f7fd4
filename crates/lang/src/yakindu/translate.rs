//! A statechart of Yakindu as one of Gamma, the way Gamma's own importer does it.
//!
//! - Transitions of a vertex have priority in the order of the document. Parents go first, unless the chart says otherwise.
//! - `after` is a timeout that is set when its state is entered; `every` one that is set again each time.
//! - Reactions of a state that are no transitions become regions of it, each with one state and a transition to itself: they
//!   happen in every cycle in which the state is not left.
//! - A final state is a state that nothing leaves.

use ir::Span;
use rustc_hash::FxHashMap;

use super::definition::{self, Definitions};
use super::document::{self, Arrow, Chart, Vertex, VertexKind};
use super::names::{Build, Distinct, identifier};
use super::reaction::{self, Cause, Guard, Reaction};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::gamma::ast::*;

/// Makes a package of a statechart.
pub(super) fn package(chart: &Chart, build: &mut Build<'_>) {
    let called = Called::new(chart, build);
    let definitions = definition::read(&chart.specification, build);
    let name = identifier(&chart.name, "Statechart");
    let mut items: Vec<Item> = definitions.constants.iter().map(|id| Item::Constant(*id)).collect();
    let interfaces: Vec<InterfaceId> = definitions.interfaces.clone();
    let with_events: Vec<InterfaceId> =
        interfaces.into_iter().filter(|id| !build.ast.interfaces[*id].events.is_empty()).collect();
    items.extend(with_events.iter().map(|id| Item::Interface(*id)));
    if !chart.regions.is_empty() {
        let component = component(chart, &name, called, definitions, &with_events, build);
        items.push(Item::Component(component));
    }
    if build.has_texts {
        let texts = build.text_type(chart.span);
        items.insert(0, Item::Type(texts));
    }
    let ident = build.ast.ident(&name.to_lowercase(), chart.span);
    build.ast.packages.push(Package { ident: Some(ident), file: chart.span.file, imports: vec![], items });
}

fn component(
    chart: &Chart,
    name: &str,
    called: Called,
    definitions: Definitions,
    interfaces: &[InterfaceId],
    build: &mut Build<'_>,
) -> ComponentId {
    let Definitions { variables, child_first, reactions, .. } = definitions;
    let ports = interfaces.iter().map(|id| {
        let ident = build.ast.interfaces[*id].ident;
        let interface = build.ast.refs.push(ident);
        build.ast.ports.push(Port { ident, mode: PortMode::Provides, interface, invariants: vec![] })
    });
    let ports = ports.collect();
    let mut translation = Translation {
        build,
        called,
        timeouts: vec![],
        transitions: vec![],
        numbers: 0,
        children_first: child_first == Some(true),
    };
    if child_first.is_none() && has_composite(chart) {
        let message = "the chart does not say whether parents or children go first; up to version 3 parents do, which is \
                       taken here. Write `@ChildFirstExecution` or `@ParentFirstExecution`";
        translation.build.warnings.push(Diagnostic::warning(Code::UnclearClaim, chart.span, message));
    }
    let mut regions: Vec<RegionId> = translation.reactions(&reactions, "chart");
    regions.extend(chart.regions.iter().map(|region| translation.region(region)));
    let Translation { timeouts, transitions, .. } = translation;
    let annotations = Annotations {
        transition_priority: Some(TransitionPriority::OrderBased),
        region_schedule: (child_first == Some(true)).then_some(RegionSchedule::BottomUp),
        ..Annotations::default()
    };
    let statechart =
        Statechart { annotations, variables, timeouts, regions, transitions, ..Statechart::default() };
    let ident = build.ast.ident(name, chart.span);
    let kind = ComponentKind::Statechart(Box::new(statechart));
    build.ast.components.push(Component { ident, params: vec![], ports, kind, span: chart.span })
}

fn has_composite(chart: &Chart) -> bool {
    chart.regions.iter().flat_map(|region| &region.vertices).any(|vertex| !vertex.regions.is_empty())
}

/// What everything is called.
struct Called {
    /// Vertices, by their ids.
    vertices: FxHashMap<String, String>,
    /// Regions, by where they are written.
    regions: FxHashMap<u32, String>,
    nodes: Distinct,
    areas: Distinct,
    /// How many transitions lead to each vertex.
    incoming: FxHashMap<String, usize>,
}

impl Called {
    /// Gives everything its name: states first, so that they keep theirs.
    fn new(chart: &Chart, build: &mut Build<'_>) -> Self {
        let mut called = Called {
            vertices: FxHashMap::default(),
            regions: FxHashMap::default(),
            nodes: Distinct::default(),
            areas: Distinct::default(),
            incoming: FxHashMap::default(),
        };
        let mut pseudo = vec![];
        let mut open: Vec<&document::Region> = chart.regions.iter().rev().collect();
        while let Some(region) = open.pop() {
            let plain = identifier(&region.name, "region");
            let area = called.areas.name(&plain, "");
            called.regions.insert(region.span.start, area.clone());
            for vertex in &region.vertices {
                match vertex.kind {
                    VertexKind::State | VertexKind::Final => {
                        let otherwise = if vertex.kind == VertexKind::Final { "Final" } else { "State" };
                        let wanted = identifier(&vertex.name, otherwise);
                        let name = called.nodes.name(&wanted, &plain);
                        build.add_state(&plain, &wanted, (area.clone(), name.clone()));
                        called.vertices.insert(vertex.id.clone(), name);
                    }
                    _ => pseudo.push(vertex),
                }
                for arrow in &vertex.outgoing {
                    *called.incoming.entry(arrow.target.clone()).or_default() += 1;
                }
                open.extend(vertex.regions.iter().rev());
            }
        }
        for (number, vertex) in pseudo.into_iter().enumerate() {
            let word = match vertex.kind {
                VertexKind::Choice => "Choice",
                VertexKind::Synchronization => "Synchronization",
                _ => "Entry",
            };
            let name = called.nodes.name(&format!("{word}{number}"), "");
            called.vertices.insert(vertex.id.clone(), name);
        }
        called
    }
}

struct Translation<'b, 'd> {
    build: &'b mut Build<'d>,
    called: Called,
    timeouts: Vec<TimeoutId>,
    transitions: Vec<TransitionId>,
    numbers: usize,
    children_first: bool,
}

impl Translation<'_, '_> {
    fn number(&mut self) -> usize {
        self.numbers += 1;
        self.numbers - 1
    }
    fn region(&mut self, region: &document::Region) -> RegionId {
        let mut nodes = vec![];
        for vertex in &region.vertices {
            nodes.push(ir::deep(|| self.vertex(vertex)));
        }
        let name = self.called.regions.get(&region.span.start).cloned().unwrap_or_default();
        let ident = self.build.ast.ident(&name, region.span);
        self.build.ast.regions.push(Region { ident, nodes })
    }
    fn vertex(&mut self, vertex: &Vertex) -> NodeId {
        let name = self.called.vertices.get(&vertex.id).cloned().unwrap_or_default();
        let kind = match vertex.kind {
            VertexKind::Initial => NodeKind::Initial,
            VertexKind::ShallowHistory => NodeKind::ShallowHistory,
            VertexKind::DeepHistory => NodeKind::DeepHistory,
            VertexKind::Choice => NodeKind::Choice,
            VertexKind::Synchronization => self.synchronization(vertex),
            VertexKind::State | VertexKind::Final => {
                let state = self.state(vertex, &name);
                NodeKind::State(Box::new(state))
            }
        };
        if !matches!(vertex.kind, VertexKind::State | VertexKind::Final) {
            for arrow in &vertex.outgoing {
                self.pseudo_transition(vertex, &name, arrow);
            }
        }
        let ident = self.build.ast.ident(&name, vertex.span);
        self.build.ast.nodes.push(Node { ident, kind })
    }
    fn synchronization(&mut self, vertex: &Vertex) -> NodeKind {
        let incoming = self.called.incoming.get(&vertex.id).copied().unwrap_or(0);
        match (incoming, vertex.outgoing.len()) {
            (0 | 1, _) => NodeKind::Fork,
            (_, 0 | 1) => NodeKind::Join,
            _ => {
                let message = "a synchronization that is both a fork and a join is not supported; use two";
                self.build.error(Code::UnsupportedPart, vertex.span, message);
                NodeKind::Fork
            }
        }
    }
    fn state(&mut self, vertex: &Vertex, name: &str) -> State {
        let mut state = State::default();
        let mut local = vec![];
        for reaction in reaction::read(&vertex.specification, self.build) {
            match reaction.triggers[..] {
                [Cause::Entry] => state.entry.extend(self.guarded(&reaction)),
                [Cause::Exit] => state.exit.extend(self.guarded(&reaction)),
                _ => local.push(reaction),
            }
        }
        if self.children_first && !local.is_empty() && !vertex.outgoing.is_empty() {
            let message = format!(
                "`{name}` has reactions of its own beside transitions, which is not supported where children go first"
            );
            self.build.error(Code::UnsupportedPart, local[0].span, message);
        }
        let mut sets = vec![];
        for arrow in &vertex.outgoing {
            self.transitions_of(name, arrow, &mut sets);
        }
        sets.append(&mut state.entry);
        state.entry = sets;
        let local = self.reactions(&local, name);
        let inner: Vec<RegionId> = vertex.regions.iter().map(|region| self.region(region)).collect();
        state.regions = local.into_iter().chain(inner).collect();
        state
    }
    /// What happens on entry or exit, if its guard holds.
    fn guarded(&mut self, reaction: &Reaction) -> Vec<ActionId> {
        let Some(Guard::Condition(guard)) = reaction.guard else { return reaction.effects.clone() };
        let span = reaction.span;
        let kind = ActionKind::Block(reaction.effects.clone());
        let action = self.build.ast.actions.push(Action { kind, span });
        let kind = ActionKind::If { branches: vec![Branch { guard, action }], otherwise: None };
        vec![self.build.ast.actions.push(Action { kind, span })]
    }
    /// The transitions of a state, and the statements that set their timeouts.
    fn transitions_of(&mut self, from: &str, arrow: &Arrow, sets: &mut Vec<ActionId>) {
        let Some(to) = self.target(arrow) else { return };
        let mut reactions = reaction::read(&arrow.specification, self.build);
        let Some(reaction) = reactions.pop() else {
            let message = format!("this transition of `{from}` waits for nothing, and never happens");
            self.build.warnings.push(Diagnostic::warning(Code::Unreachable, arrow.span, message));
            return;
        };
        if !reactions.is_empty() {
            let message = "a transition has one reaction; separate effects by `;`";
            return self.build.error(Code::Syntax, reaction.span, message);
        }
        self.waiting(from, &to, &reaction, arrow.span, sets);
    }
    /// Transitions for the triggers of a reaction: one for those that the language has, and one for its own events.
    fn waiting(&mut self, from: &str, to: &str, reaction: &Reaction, span: Span, sets: &mut Vec<ActionId>) {
        let (mut waits, mut locals, mut always, mut otherwise) = (vec![], vec![], false, false);
        for cause in &reaction.triggers {
            match cause {
                Cause::Event(port, event, at) => {
                    let event = self.build.event(port, event, *at);
                    waits.push(self.trigger(TriggerKind::Event(event), *at));
                }
                Cause::Local(flag, at) => locals.push(self.build.variable(flag, *at)),
                Cause::After(time, at) | Cause::Every(time, at) => {
                    let (event, set) = self.timeout(from, *time, *at);
                    sets.push(set);
                    waits.push(self.trigger(TriggerKind::Event(event), *at));
                }
                Cause::Always => always = true,
                Cause::Else => otherwise = true,
                Cause::Entry | Cause::Exit => {
                    let message =
                        "`entry` and `exit` are reactions of states alone, not one trigger of several";
                    return self.build.error(Code::Misplaced, reaction.span, message);
                }
            }
        }
        let mut guard = match reaction.guard {
            Some(Guard::Condition(condition)) => Some(condition),
            Some(Guard::Else) => {
                otherwise = true;
                None
            }
            None => None,
        };
        if otherwise {
            guard = Some(self.build.expr(ExprKind::Else, span));
        }
        if always || (waits.is_empty() && locals.is_empty()) {
            let cycle = self.trigger(TriggerKind::Cycle, span);
            return self.transition(from, to, Some(cycle), guard, &reaction.effects, span);
        }
        if !waits.is_empty() {
            let trigger = match waits[..] {
                [only] => only,
                _ => self.trigger(TriggerKind::Chain(TriggerOp::Or, waits), span),
            };
            self.transition(from, to, Some(trigger), guard, &reaction.effects, span);
        }
        if !locals.is_empty() {
            let raised = match locals[..] {
                [only] => only,
                _ => self.build.expr(ExprKind::Logic(LogicOp::Or, locals), span),
            };
            let both =
                guard.map(|guard| self.build.expr(ExprKind::Logic(LogicOp::And, vec![raised, guard]), span));
            let cycle = self.trigger(TriggerKind::Cycle, span);
            self.transition(from, to, Some(cycle), Some(both.unwrap_or(raised)), &reaction.effects, span);
        }
    }
    /// A transition of a pseudo-state, which waits for nothing.
    fn pseudo_transition(&mut self, vertex: &Vertex, from: &str, arrow: &Arrow) {
        let Some(to) = self.target(arrow) else { return };
        let reactions = reaction::read(&arrow.specification, self.build);
        let Some(reaction) = reactions.first() else {
            // The way that is left where a choice has others.
            let otherwise = vertex.kind == VertexKind::Choice && vertex.outgoing.len() > 1;
            let guard = otherwise.then(|| self.build.expr(ExprKind::Else, arrow.span));
            return self.transition(from, &to, None, guard, &[], arrow.span);
        };
        let otherwise =
            matches!(reaction.triggers[..], [Cause::Else]) || matches!(reaction.guard, Some(Guard::Else));
        let guard = match reaction.guard {
            Some(Guard::Condition(condition)) => Some(condition),
            _ if otherwise => Some(self.build.expr(ExprKind::Else, arrow.span)),
            _ => None,
        };
        let waits = !reaction.triggers.is_empty() && !otherwise;
        if vertex.kind == VertexKind::Choice && waits {
            return self.waiting(from, &to, reaction, arrow.span, &mut vec![]);
        }
        if waits || (guard.is_some() && vertex.kind != VertexKind::Choice) {
            let message = "only effects can be written here; this transition is always taken";
            return self.build.error(Code::Misplaced, reaction.span, message);
        }
        self.transition(from, &to, None, guard, &reaction.effects, arrow.span);
    }
    fn target(&mut self, arrow: &Arrow) -> Option<String> {
        let found = self.called.vertices.get(&arrow.target).cloned();
        if found.is_none() {
            let message =
                "this transition leads to nothing that is in the chart, or to what is not supported";
            self.build.error(Code::Misconnected, arrow.span, message);
        }
        found
    }
    fn trigger(&mut self, kind: TriggerKind, span: Span) -> TriggerId {
        self.build.ast.triggers.push(Trigger { kind, span })
    }
    fn transition(
        &mut self,
        from: &str,
        to: &str,
        trigger: Option<TriggerId>,
        guard: Option<ExprId>,
        effects: &[ActionId],
        span: Span,
    ) {
        let (from, to) = (self.build.ast.refer(from, span), self.build.ast.refer(to, span));
        let effects = effects.to_vec();
        let transition = Transition { ids: vec![], priority: None, from, to, trigger, guard, effects, span };
        self.transitions.push(self.build.ast.transitions.push(transition));
    }
    /// A timeout of a state, and the statement that sets it.
    fn timeout(&mut self, state: &str, time: Duration, span: Span) -> (EventRefId, ActionId) {
        let name = format!("{state}Timeout{}", self.number());
        let ident = self.build.ast.ident(&name, span);
        self.timeouts.push(self.build.ast.timeouts.push(Timeout { ident }));
        let timeout = self.build.ast.refer(&name, span);
        let set = self.build.ast.actions.push(Action { kind: ActionKind::Set { timeout, time }, span });
        let used = self.build.ast.refer(&name, span);
        let event = self.build.ast.event_refs.push(EventRef { kind: EventRefKind::Timeout(used), span });
        (event, set)
    }
    /// A region for each reaction, in which it happens again and again.
    fn reactions(&mut self, reactions: &[Reaction], of: &str) -> Vec<RegionId> {
        let mut regions = vec![];
        for reaction in reactions {
            if matches!(reaction.triggers[..], [Cause::Entry | Cause::Exit]) {
                let message = format!("what `{of}` does at its beginning or end is not supported");
                self.build.error(Code::UnsupportedPart, reaction.span, message);
                continue;
            }
            let (number, span) = (self.number(), reaction.span);
            let entry = self.called.nodes.name(&format!("LocalReactionEntry{number}"), "");
            let name = self.called.nodes.name(&format!("LocalReactionState{number}"), "");
            self.transition(&entry, &name, None, None, &[], span);
            let mut state = State::default();
            let once = reaction.triggers.iter().any(|cause| matches!(cause, Cause::After(..)));
            let done = once.then(|| self.called.nodes.name(&format!("LocalReactionDone{number}"), ""));
            self.waiting(&name, done.as_deref().unwrap_or(&name), reaction, span, &mut state.entry);
            let entry = self.build.ast.ident(&entry, span);
            let mut nodes = vec![self.build.ast.nodes.push(Node { ident: entry, kind: NodeKind::Initial })];
            let ident = self.build.ast.ident(&name, span);
            nodes.push(self.build.ast.nodes.push(Node { ident, kind: NodeKind::State(Box::new(state)) }));
            if let Some(done) = done {
                let ident = self.build.ast.ident(&done, span);
                let kind = NodeKind::State(Box::default());
                nodes.push(self.build.ast.nodes.push(Node { ident, kind }));
            }
            let name = self.called.areas.name(&format!("localReactionRegion{number}"), "");
            let ident = self.build.ast.ident(&name, span);
            regions.push(self.build.ast.regions.push(Region { ident, nodes }));
        }
        regions
    }
}
