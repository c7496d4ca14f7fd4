//! Statecharts: the variables of a leaf, its initialisation and its cycle.

use indexmap::IndexMap;
use ir::Int;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::super::ast::*;
use super::super::instance::PartId;
use super::super::project::Parent;
use super::entry::Entered;
use super::types::Slot;
use super::{FindingKind, Lowering, Purpose, Role, Value, x};
use crate::code::Code;

/// What a region is where none of its states is active.
pub(super) const INACTIVE: &str = "__Inactive__";

/// The variables of an event: whether it is there, and its parameters with their slots.
#[derive(Clone, Debug)]
pub(super) struct Signal {
    pub(super) flag: x::Name,
    pub(super) params: Vec<Vec<x::Name>>,
}

/// Events by port.
pub(super) type Signals = IndexMap<(PortId, EventId), Signal, FxBuildHasher>;

/// Events on their way, by where they arrive.
pub(super) type Buffer = IndexMap<super::PartEvent, Signal, FxBuildHasher>;

/// How the active state of a region is written.
#[derive(Clone, Debug)]
pub(super) struct Literals {
    pub(super) inactive: x::Name,
    /// For each state, its literal, and the one for "was active when the region was left".
    pub(super) states: IndexMap<NodeId, (x::Name, Option<x::Name>), FxBuildHasher>,
}

/// An instance of a statechart.
#[derive(Clone, Debug, Default)]
pub(super) struct Leaf {
    pub(super) regions: FxHashMap<RegionId, x::Name>,
    pub(super) variables: FxHashMap<VariableId, Vec<x::Name>>,
    /// Timers with the time at which they are over; those that are never set have none.
    pub(super) timeouts: FxHashMap<TimeoutId, (x::Name, Int)>,
    pub(super) ins: Signals,
    pub(super) outs: Signals,
    /// Internal events that were raised in this cycle.
    pub(super) internal: Signals,
    /// Events that were there in this step.
    pub(super) seen: Signals,
    pub(super) markers: FxHashMap<TransitionId, x::Name>,
}

impl Leaf {
    /// What expressions read of an event.
    pub(super) fn signal(&self, port: PortId, event: EventId) -> Option<&Signal> {
        self.ins.get(&(port, event)).or_else(|| self.outs.get(&(port, event)))
    }
}

impl Lowering<'_> {
    pub(super) fn chart_of(&self, part: PartId) -> &Statechart {
        self.project.statechart(self.tree.parts[part].component).expect("a leaf is a statechart")
    }
    fn leaf(&self) -> &Leaf {
        self.leaves[self.part].as_ref().expect("we are in a leaf")
    }

    // Variables.

    pub(super) fn declare_leaf(&mut self, part: PartId) {
        self.part = part;
        let component = self.tree.parts[part].component;
        let chart = self.chart_of(part).clone();
        let flat = self.tree.flat(part);
        self.refuse_phases(&chart);
        let mut leaf = Leaf::default();
        for port in self.project.component_ports[component].clone() {
            let events: Vec<(EventId, Direction)> = self.project.port_events(port).collect();
            for (event, way) in events {
                if way.is_in() || way == Direction::Internal {
                    let signal = self.declare_signal(
                        part,
                        (port, event),
                        "In",
                        &flat,
                        Role::In(port, event),
                        Role::InParameter,
                    );
                    leaf.ins.insert((port, event), signal);
                }
                if way.is_out() && (self.purpose == Purpose::Check || self.reaches_system(part, port, event))
                {
                    let signal = self.declare_signal(
                        part,
                        (port, event),
                        "Out",
                        &flat,
                        Role::Out(port, event),
                        Role::OutParameter,
                    );
                    leaf.outs.insert((port, event), signal);
                }
                if way == Direction::Internal {
                    let hidden = |_, _, _, _| Role::Hidden;
                    let signal = self.declare_signal(part, (port, event), "Out", &flat, Role::Hidden, hidden);
                    leaf.internal.insert((port, event), signal);
                }
            }
        }
        for region in self.all_regions(&chart.regions) {
            let (ty, literals) = self.region_type(component, region);
            let text = lowered_first(self.project.ast.text(self.project.ast.regions[region].ident));
            let states = literals.states.keys().copied().collect();
            let slot = Slot::Own(ty, literals.inactive);
            let name =
                self.declare(&format!("{text}_{flat}"), &slot, Some(part), Role::Region(region, states));
            leaf.regions.insert(region, name);
        }
        for variable in &chart.variables {
            let decl = &self.project.ast.variables[*variable];
            if decl.constant {
                continue;
            }
            self.x.span = decl.ident.span;
            let text = self.project.ast.text(decl.ident).to_owned();
            let mut names = vec![];
            for (suffix, slot) in self.slots(self.project.written[decl.ty]) {
                let role = Role::Variable(*variable, suffix.clone());
                names.push(self.declare(&format!("{text}{suffix}_{flat}"), &slot, Some(part), role));
            }
            leaf.variables.insert(*variable, names);
        }
        for timeout in &chart.timeouts {
            if let Some(value) = self.timeout_value(*timeout) {
                let text = self.project.ast.text(self.project.ast.timeouts[*timeout].ident).to_owned();
                let name =
                    self.declare_timer(&format!("{text}_{flat}"), part, Role::Timeout(*timeout), &value);
                leaf.timeouts.insert(*timeout, (name, value));
            }
        }
        if self.purpose == Purpose::Check {
            let ins: Vec<(PortId, EventId)> = leaf.ins.keys().copied().collect();
            for (port, event) in ins {
                let role = Role::Seen(port, event);
                let signal =
                    self.declare_signal(part, (port, event), "Seen", &flat, role, Role::SeenParameter);
                leaf.seen.insert((port, event), signal);
            }
            for transition in &chart.transitions {
                let name = self.transition_name(*transition);
                let marker = self.declare(
                    &format!("{name}_{flat}"),
                    &Slot::Bool,
                    Some(part),
                    Role::Fired(*transition),
                );
                leaf.markers.insert(*transition, marker);
            }
        }
        self.leaves[part] = Some(leaf);
    }
    /// What a transition is called: its `@(id)`, or where it leads.
    fn transition_name(&self, transition: TransitionId) -> String {
        let ast = &self.project.ast;
        let decl = &ast.transitions[transition];
        match decl.ids.first() {
            Some(id) => ast.text(*id).to_owned(),
            None => format!(
                "__id_{}_{}_{}_",
                ast.ref_text(decl.from),
                ir::Id::index(transition),
                ast.ref_text(decl.to)
            ),
        }
    }
    pub(super) fn declare_signal(
        &mut self,
        part: PartId,
        (port, event): (PortId, EventId),
        way: &str,
        flat: &str,
        role: Role,
        param_role: impl Fn(PortId, EventId, usize, String) -> Role,
    ) -> Signal {
        let ast = &self.project.ast;
        let base = format!("{}_{}_{way}", ast.text(ast.ports[port].ident), ast.text(ast.events[event].ident));
        let ending = if flat.is_empty() { String::new() } else { format!("_{flat}") };
        let params = ast.events[event].params.clone();
        let flag = self.declare(&format!("{base}{ending}"), &Slot::Bool, Some(part), role);
        let mut list = vec![];
        for (number, param) in params.into_iter().enumerate() {
            let decl = &self.project.ast.params[param];
            let text = self.project.ast.text(decl.ident).to_owned();
            let mut names = vec![];
            for (suffix, slot) in self.slots(self.project.written[decl.ty]) {
                let role = param_role(port, event, number, suffix.clone());
                names.push(self.declare(&format!("{base}_{text}{suffix}{ending}"), &slot, Some(part), role));
            }
            list.push(names);
        }
        Signal { flag, params: list }
    }
    /// Local variables for an event that is on its way.
    pub(super) fn local_signal(&mut self, event: EventId, out: &mut Vec<x::StmtId>) -> Signal {
        let never = self.x.bool(false);
        let text = self.project.ast.text(self.project.ast.events[event].ident).to_owned();
        let flag = self.flag(&text, never, out);
        let mut params = vec![];
        for param in self.project.ast.events[event].params.clone() {
            let ty = self.project.written[self.project.ast.params[param].ty];
            let (slots, value) = (self.slots(ty), self.default_of(ty));
            params.push(self.local(&text, &slots, &value, out));
        }
        Signal { flag, params }
    }
    /// The values of the parameters of an event.
    pub(super) fn parameters(&mut self, signal: &Signal) -> Vec<Value> {
        let params = signal.params.iter();
        params.map(|names| names.iter().map(|name| self.x.name(*name)).collect()).collect()
    }
    fn all_regions(&self, regions: &[RegionId]) -> Vec<RegionId> {
        let mut list = vec![];
        let mut open: Vec<RegionId> = regions.iter().rev().copied().collect();
        while let Some(region) = open.pop() {
            list.push(region);
            for node in self.project.ast.regions[region].nodes.iter().rev() {
                if let NodeKind::State(state) = &self.project.ast.nodes[*node].kind {
                    open.extend(state.regions.iter().rev());
                }
            }
        }
        list
    }
    fn region_type(&mut self, component: ComponentId, region: RegionId) -> (x::Name, Literals) {
        if let Some(known) = self.region_types.get(&region) {
            return known.clone();
        }
        let ast = &self.project.ast;
        let nodes: Vec<NodeId> = {
            let nodes = ast.regions[region].nodes.iter().copied();
            nodes.filter(|node| ast.nodes[*node].kind.is_state()).collect()
        };
        let remembers = self.remembers(region);
        let mut texts = vec![INACTIVE.to_owned()];
        texts.extend(nodes.iter().map(|node| ast.text(ast.nodes[*node].ident).to_owned()));
        if remembers {
            texts.extend(nodes.iter().map(|node| format!("{}_Inactive_", ast.text(ast.nodes[*node].ident))));
        }
        let names = self.x.literals(texts.iter().map(String::as_str));
        let states = nodes
            .iter()
            .enumerate()
            .map(|(at, node)| (*node, (names[1 + at], remembers.then(|| names[1 + nodes.len() + at]))));
        let literals = Literals { inactive: names[0], states: states.collect() };
        let text = raised_first(ast.text(ast.regions[region].ident));
        let ty = self.x.enumeration(&format!("{text}_{}", ast.text(ast.components[component].ident)), &names);
        self.region_types.insert(region, (ty, literals.clone()));
        (ty, literals)
    }
    /// Whether a region remembers which state was active: it has a history node, or lies below a deep one.
    pub(super) fn remembers(&self, region: RegionId) -> bool {
        let has = |region: RegionId, wanted: fn(&NodeKind) -> bool| {
            let nodes = self.project.ast.regions[region].nodes.iter();
            nodes.clone().any(|node| wanted(&self.project.ast.nodes[*node].kind))
        };
        if has(region, |kind| matches!(kind, NodeKind::ShallowHistory | NodeKind::DeepHistory)) {
            return true;
        }
        let mut at = region;
        while let Parent::State(state) = self.project.region_parent[at] {
            at = self.project.node_region[state];
            if has(at, |kind| matches!(kind, NodeKind::DeepHistory)) {
                return true;
            }
        }
        false
    }
    fn refuse_phases(&mut self, chart: &Statechart) {
        let span = self.project.ast.components[self.tree.parts[self.part].component].ident.span;
        if chart.annotations.contracts.iter().any(|contract| matches!(contract, ContractAnnotation::Phase)) {
            self.error(Code::UnsupportedPart, span, "`@PhaseStatechart` is not supported");
        }
        for region in self.all_regions(&chart.regions) {
            for node in self.project.ast.regions[region].nodes.clone() {
                let decl = &self.project.ast.nodes[node];
                if let NodeKind::State(state) = &decl.kind
                    && state
                        .annotations
                        .iter()
                        .any(|annotation| matches!(annotation, StateAnnotation::Phase(_)))
                {
                    let span = decl.ident.span;
                    self.error(Code::UnsupportedPart, span, "`@Phase` is not supported");
                }
            }
        }
    }

    // What expressions and triggers read.

    /// Whether an event is there.
    pub(super) fn raised(&mut self, port: PortId, event: EventId) -> x::ExprId {
        match self.leaf().signal(port, event).map(|signal| signal.flag) {
            Some(flag) => self.x.name(flag),
            None => self.x.bool(false),
        }
    }
    /// Whether one of the events is there that come in, at a port or anywhere.
    pub(super) fn any_of(&mut self, port: Option<PortId>) -> x::ExprId {
        let ins = self.leaf().ins.iter();
        let flags: Vec<x::Name> = ins
            .filter(|((at, _), _)| port.is_none_or(|port| port == *at))
            .map(|(_, signal)| signal.flag)
            .collect();
        let flags: Vec<x::ExprId> = flags.into_iter().map(|flag| self.x.name(flag)).collect();
        self.x.or(&flags)
    }
    /// Whether a state is active.
    pub(super) fn is_active(&mut self, state: NodeId) -> x::ExprId {
        let region = self.project.node_region[state];
        let (Some(name), Some((_, literals))) =
            (self.leaf().regions.get(&region).copied(), self.region_types.get(&region))
        else {
            return self.x.bool(false);
        };
        let literal = literals.states[&state].0;
        let (name, literal) = (self.x.name(name), self.x.name(literal));
        self.x.equal(name, literal)
    }
    /// The port whose invariant is read now.
    pub(super) fn this_port(&self) -> Option<PortId> {
        self.this
    }

    // Initialisation.

    /// Variables get their initial values.
    pub(super) fn initialise_variables(&mut self, part: PartId, out: &mut Vec<x::StmtId>) {
        self.part = part;
        let chart = self.chart_of(part).clone();
        let leaf = self.leaf().clone();
        for signals in [&leaf.ins, &leaf.outs, &leaf.internal] {
            for ((_, event), signal) in signals {
                self.clear(signal.flag, out);
                self.reset_parameters(*event, signal, out);
            }
        }
        for variable in &chart.variables {
            self.reset_variable(*variable, out);
        }
        for timeout in &chart.timeouts {
            if let Some((name, value)) = leaf.timeouts.get(timeout) {
                let value = self.x.int(value.clone());
                out.push(self.x.assign(*name, value));
            }
        }
        for region in self.all_regions(&chart.regions) {
            let inactive = self.region_types[&region].1.inactive;
            let inactive = self.x.name(inactive);
            out.push(self.x.assign(leaf.regions[&region], inactive));
        }
    }
    fn reset_parameters(&mut self, event: EventId, signal: &Signal, out: &mut Vec<x::StmtId>) {
        for (param, names) in self.project.ast.events[event].params.clone().into_iter().zip(&signal.params) {
            let value = self.default_of(self.project.written[self.project.ast.params[param].ty]);
            for (name, value) in names.iter().zip(value) {
                out.push(self.x.assign(*name, value));
            }
        }
    }
    fn reset_variable(&mut self, variable: VariableId, out: &mut Vec<x::StmtId>) {
        let Some(names) = self.leaf().variables.get(&variable).cloned() else { return };
        let decl = &self.project.ast.variables[variable];
        let ty = self.project.written[decl.ty];
        let outer = std::mem::replace(&mut self.x.span, decl.ident.span);
        let value = match decl.initial {
            Some(initial) => self.value(initial, ty),
            None => self.default_of(ty),
        };
        for (name, value) in names.into_iter().zip(value) {
            out.push(self.x.assign(name, value));
        }
        self.x.span = outer;
    }
    /// The regions of the statechart get their active states.
    pub(super) fn initialise_states(&mut self, part: PartId, out: &mut Vec<x::StmtId>) -> Vec<Entered> {
        self.part = part;
        let regions = self.chart_of(part).regions.clone();
        regions.into_iter().map(|region| self.enter_region(region, &FxHashMap::default(), out)).collect()
    }
    /// What is done on entry.
    pub(super) fn initialise_actions(&mut self, part: PartId, entered: &[Entered], out: &mut Vec<x::StmtId>) {
        self.part = part;
        for entered in entered {
            self.entry_actions(entered, out);
        }
    }
    /// What happens when all statecharts have done what is done on entry: as at the end of a cycle.
    pub(super) fn end_initialisation(&mut self, leaves: &[PartId], out: &mut Vec<x::StmtId>) {
        for leaf in leaves {
            self.part = *leaf;
            self.invariants(out);
        }
        for leaf in leaves {
            self.part = *leaf;
            self.deliver_internal(out);
        }
    }

    // The cycle.

    /// One cycle of a statechart.
    pub(super) fn run_leaf(&mut self, part: PartId, out: &mut Vec<x::StmtId>) {
        self.part = part;
        let chart = self.chart_of(part).clone();
        let mut cycle = vec![];
        self.reset_annotated(&chart, VariableAnnotation::Resettable, &mut cycle);
        self.remember_seen(&mut cycle);
        self.port_invariants(&mut cycle);
        self.guards.clear();
        if chart.annotations.guard_evaluation == Some(GuardEvaluation::BeginningOfStep) {
            self.evaluate_guards(&chart, &mut cycle);
        }
        self.run_regions(&chart.regions, &mut cycle);
        self.guards.clear();
        self.invariants(&mut cycle);
        let leaf = self.leaf().clone();
        for ((_, event), signal) in &leaf.ins {
            self.clear(signal.flag, &mut cycle);
            if self.project.ast.events[*event].persistency != Some(Persistency::Persistent) {
                self.reset_parameters(*event, signal, &mut cycle);
            }
        }
        self.deliver_internal(&mut cycle);
        self.reset_annotated(&chart, VariableAnnotation::Transient, &mut cycle);
        let needed = match chart.annotations.run_upon {
            None => {
                out.push(self.x.braced(cycle));
                return;
            }
            Some(RunUpon::ExternalEvent) => self.any_of(None),
            Some(RunUpon::ExternalEventOrInternalTimeout) => {
                let mut parts = vec![self.any_of(None)];
                parts.extend(chart.timeouts.iter().map(|timeout| self.timeout_holds(*timeout)));
                self.x.or(&parts)
            }
        };
        let branch = self.x.branch(needed, cycle, vec![]);
        out.extend(branch);
    }
    fn reset_annotated(&mut self, chart: &Statechart, wanted: VariableAnnotation, out: &mut Vec<x::StmtId>) {
        for variable in &chart.variables {
            if self.project.ast.variables[*variable].annotations.contains(&wanted) {
                self.reset_variable(*variable, out);
            }
        }
    }
    /// What is there now was there in this step.
    fn remember_seen(&mut self, out: &mut Vec<x::StmtId>) {
        let leaf = self.leaf().clone();
        for (key, seen) in &leaf.seen {
            let signal = &leaf.ins[key];
            let values = self.parameters(signal);
            let mut then = vec![];
            self.send(seen, &values, &mut then);
            let flag = self.x.name(signal.flag);
            let branch = self.x.branch(flag, then, vec![]);
            out.extend(branch);
        }
    }
    /// Internal events that were raised come in.
    fn deliver_internal(&mut self, out: &mut Vec<x::StmtId>) {
        let leaf = self.leaf().clone();
        for (key, raised) in &leaf.internal {
            let values = self.parameters(raised);
            let mut then = vec![];
            self.send(&leaf.ins[key], &values, &mut then);
            self.clear(raised.flag, &mut then);
            let flag = self.x.name(raised.flag);
            let branch = self.x.branch(flag, then, vec![]);
            out.extend(branch);
        }
    }
    /// Triggers and guards of all states, evaluated now.
    fn evaluate_guards(&mut self, chart: &Statechart, out: &mut Vec<x::StmtId>) {
        for transition in &chart.transitions {
            let from = self.project.node(self.project.ast.transitions[*transition].from);
            if !self.project.ast.nodes[from].kind.is_state() {
                continue;
            }
            let (trigger, guard) = self.trigger_and_guard(*transition);
            let (trigger, guard) = (self.flag("trigger", trigger, out), self.flag("guard", guard, out));
            let values = (self.x.name(trigger), self.x.name(guard));
            self.guards.insert(*transition, values);
        }
    }

    // Invariants.

    fn assume_invariant(&mut self, invariant: ExprId, out: &mut Vec<x::StmtId>) {
        let condition = self.condition(invariant);
        let span = self.project.ast.exprs[invariant].span;
        let outer = std::mem::replace(&mut self.x.span, span);
        if self.settings.check_invariants {
            let ends = self.finding(FindingKind::Invariant, span, None);
            let branch = self.x.branch(condition, vec![], ends);
            out.extend(branch);
        } else if self.x.known(condition) != Some(true) {
            out.push(self.x.assume(condition));
        }
        self.x.span = outer;
    }
    /// Those of the statechart and of its active states.
    fn invariants(&mut self, out: &mut Vec<x::StmtId>) {
        let chart = self.chart_of(self.part).clone();
        for invariant in chart.invariants {
            self.assume_invariant(invariant, out);
        }
        for region in self.all_regions(&chart.regions) {
            for node in self.project.ast.regions[region].nodes.clone() {
                let NodeKind::State(state) = &self.project.ast.nodes[node].kind else { continue };
                let mut then = vec![];
                for invariant in state.invariants.clone() {
                    self.assume_invariant(invariant, &mut then);
                }
                if !then.is_empty() {
                    let active = self.is_active(node);
                    let branch = self.x.branch(active, then, vec![]);
                    out.extend(branch);
                }
            }
        }
    }
    /// Those of ports and their interfaces.
    fn port_invariants(&mut self, out: &mut Vec<x::StmtId>) {
        let component = self.tree.parts[self.part].component;
        for port in self.project.component_ports[component].clone() {
            let decl = &self.project.ast.ports[port];
            let interface = self.project.interface(decl.interface);
            let invariants: Vec<ExprId> = decl
                .invariants
                .iter()
                .chain(&self.project.ast.interfaces[interface].invariants)
                .copied()
                .collect();
            self.this = Some(port);
            for invariant in invariants {
                self.assume_invariant(invariant, out);
            }
            self.this = None;
        }
    }
}

fn lowered_first(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_lowercase);
    first.chain(chars).collect()
}

fn raised_first(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}
