//! Names within statecharts, compositions and adapters.

use rustc_hash::FxHashMap;

use super::ast::*;
use super::project::Def;
use super::resolve::Resolver;
use super::scope::{Scope, Space, duplicate};
use crate::code::Code;

impl Resolver<'_> {
    pub(super) fn statechart(&mut self, chart: &Statechart, scope: &mut Scope) {
        let ast = self.ast;
        for &timeout in &chart.timeouts {
            scope.timeouts.add(ast, ast.timeouts[timeout].ident, Def::Timeout(timeout), self.diagnostics);
        }
        for &function in &chart.functions {
            scope.values.add(ast, ast.functions[function].ident, Def::Function(function), self.diagnostics);
        }
        if let Some(capacity) = chart.capacity {
            self.expr(capacity, scope);
            self.expect_integer(capacity, "a capacity");
        }
        for &variable in &chart.variables {
            // A value may refer to variables before it.
            self.initial(variable, scope);
            scope.values.add(ast, ast.variables[variable].ident, Def::Variable(variable), self.diagnostics);
        }
        let mut regions = vec![];
        for &region in &chart.regions {
            self.nodes(region, scope, &mut regions);
        }
        for &function in &chart.functions {
            self.function_signature(function, scope);
        }
        for &function in &chart.functions {
            self.function(function, scope);
        }
        for &invariant in &chart.invariants {
            self.condition(invariant, scope, "an invariant");
        }
        for region in regions {
            for &node in &ast.regions[region].nodes {
                if let NodeKind::State(state) = &ast.nodes[node].kind {
                    self.state(state, scope);
                }
            }
        }
        for &transition in &chart.transitions {
            self.transition(&ast.transitions[transition], scope);
        }
        self.contracts(&chart.annotations, scope);
    }
    /// The nodes of a region and of those within it, whose names differ in the whole statechart.
    fn nodes(&mut self, region: RegionId, scope: &mut Scope, regions: &mut Vec<RegionId>) {
        regions.push(region);
        let ast = self.ast;
        for &node in &ast.regions[region].nodes {
            scope.nodes.add(ast, ast.nodes[node].ident, Def::Node(node), self.diagnostics);
            self.node_region.insert(node, region);
            if let NodeKind::State(state) = &ast.nodes[node].kind {
                for &inner in &state.regions {
                    ir::deep(|| self.nodes(inner, scope, regions));
                }
            }
        }
    }
    fn state(&mut self, state: &State, scope: &mut Scope) {
        for &invariant in &state.invariants {
            self.condition(invariant, scope, "an invariant");
        }
        self.actions(&state.entry, scope, None);
        self.actions(&state.exit, scope, None);
        for annotation in &state.annotations {
            match annotation {
                StateAnnotation::Accepting => {}
                StateAnnotation::Contract { contracts, .. } => {
                    for contract in contracts {
                        self.quietly(contract.statechart, scope);
                    }
                }
                StateAnnotation::Phase(phases) => {
                    for phase in phases {
                        self.quietly(self.ast.instances[phase.instance].component, scope);
                    }
                }
            }
        }
    }
    /// What contracts watch; they are not interpreted, so what is missing does not matter.
    fn contracts(&mut self, annotations: &Annotations, scope: &mut Scope) {
        for contract in &annotations.contracts {
            match contract {
                ContractAnnotation::Adaptive(component) | ContractAnnotation::Scenario { component, .. } => {
                    self.quietly(*component, scope);
                }
                ContractAnnotation::AllowedWait(from, to) => {
                    self.expr(*from, scope);
                    self.expr(*to, scope);
                }
                _ => {}
            }
        }
    }
    fn quietly(&mut self, used: RefId, scope: &Scope) {
        if let Some(def) = self.globals.find(scope.package, Space::Component, self.ast.refs[used].name) {
            self.define(used, def);
        }
    }
    fn transition(&mut self, transition: &Transition, scope: &mut Scope) {
        self.own(&scope.nodes, "state or pseudo-state", transition.from);
        self.own(&scope.nodes, "state or pseudo-state", transition.to);
        if let Some(trigger) = transition.trigger {
            self.trigger(trigger, scope);
        }
        if let Some(guard) = transition.guard {
            self.guard(guard, scope);
        }
        self.actions(&transition.effects, scope, None);
    }
    fn trigger(&mut self, trigger: TriggerId, scope: &Scope) {
        let ast = self.ast;
        match &ast.triggers[trigger].kind {
            TriggerKind::Cycle | TriggerKind::Any | TriggerKind::Opaque(_) => {}
            TriggerKind::Event(event) => self.event_ref(*event, scope),
            TriggerKind::Not(inner) => ir::deep(|| self.trigger(*inner, scope)),
            TriggerKind::Chain(_, operands) => {
                for &operand in operands {
                    ir::deep(|| self.trigger(operand, scope));
                }
            }
        }
    }
    /// An event that a component waits for: it comes in, or is its own.
    pub(super) fn event_ref(&mut self, id: EventRefId, scope: &Scope) {
        let ast = self.ast;
        match ast.event_refs[id].kind {
            EventRefKind::Timeout(timeout) => drop(self.own(&scope.timeouts, "timeout", timeout)),
            EventRefKind::PortAny(port) => drop(self.own(&scope.ports, "port", port)),
            EventRefKind::Clock(clock) => drop(self.own(&scope.clocks, "clock", clock)),
            EventRefKind::PortEvent(port, event) => {
                let Some((port, event)) = self.port_event(port, event, scope) else { return };
                if self.direction(port, event) == Direction::Out {
                    let message = format!(
                        "event `{}` goes out of port `{}`; nobody can wait for it there",
                        ast.text(ast.events[event].ident),
                        ast.text(ast.ports[port].ident)
                    );
                    self.error(Code::WrongKind, ast.event_refs[id].span, message);
                }
            }
        }
    }
    fn port_event(&mut self, port: RefId, event: RefId, scope: &Scope) -> Option<(PortId, EventId)> {
        let Some(Def::Port(port)) = self.own(&scope.ports, "port", port) else { return None };
        let event = self.event_of(self.interface_of(port)?, event)?;
        Some((port, event))
    }
    fn direction(&self, port: PortId, event: EventId) -> Direction {
        let direction = self.ast.events[event].direction;
        match self.ast.ports[port].mode {
            PortMode::Provides => direction,
            PortMode::Requires => direction.reversed(),
        }
    }
    /// An event that is raised goes out, or is the component's own.
    pub(super) fn raised(&mut self, id: EventRefId, arguments: &[ExprId], scope: &Scope) {
        let ast = self.ast;
        let EventRefKind::PortEvent(port, event) = ast.event_refs[id].kind else { return };
        let Some((port, event)) = self.port_event(port, event, scope) else { return };
        let (span, name) = (ast.event_refs[id].span, ast.text(ast.events[event].ident));
        if self.direction(port, event) == Direction::In {
            let port = ast.text(ast.ports[port].ident);
            let message = format!("event `{name}` comes in through port `{port}`; it cannot be raised there");
            self.error(Code::WrongKind, span, message);
        }
        let params: Vec<_> = ast.events[event].params.iter().map(|param| self.param_ty(*param)).collect();
        if arguments.is_empty() && !params.is_empty() {
            let message = format!("event `{name}` is raised without its parameters; they keep their values");
            self.warn(Code::WrongCount, span, message);
            return;
        }
        self.arguments(arguments, &params, span, &format!("event `{name}`"));
    }
    fn function_signature(&mut self, id: FunctionId, scope: &mut Scope) {
        let function = &self.ast.functions[id];
        for &param in function.params.iter().flatten() {
            self.ty(self.ast.params[param].ty, scope);
        }
        self.ty(function.result, scope);
    }

    // Compositions.

    pub(super) fn composite(&mut self, composite: &Composite, scope: &mut Scope) {
        let ast = self.ast;
        for &instance in &composite.instances {
            self.instance(instance, scope);
            scope.instances.add(
                ast,
                ast.instances[instance].ident,
                Def::Instance(instance),
                self.diagnostics,
            );
        }
        for binding in &composite.bindings {
            self.own(&scope.ports, "port", binding.port);
            self.instance_port(binding.inner, scope);
        }
        for channel in &composite.channels {
            self.instance_port(channel.provided, scope);
            for &required in &channel.required {
                self.instance_port(required, scope);
            }
        }
        for &used in composite.initial_execution.iter().chain(&composite.execution) {
            self.own(&scope.instances, "instance", used);
        }
    }
    pub(super) fn instance(&mut self, id: InstanceId, scope: &mut Scope) {
        let ast = self.ast;
        let instance = &ast.instances[id];
        for &argument in &instance.arguments {
            self.expr(argument, scope);
        }
        let def = match self.defs[instance.component] {
            Some(def) => Some(def),
            // What an adapter wraps has been looked for already.
            None if self.wrapped.contains(&instance.component) => None,
            None => self.global(scope.package, Space::Component, "component", instance.component),
        };
        let Some(Def::Component(component)) = def else { return };
        let params = ast.components[component].params.clone();
        let params: Vec<_> = params.iter().map(|param| self.param_ty(*param)).collect();
        let of = format!("component `{}`", ast.text(ast.components[component].ident));
        self.arguments(&instance.arguments, &params, instance.ident.span, &of);
    }
    fn instance_port(&mut self, port: InstancePort, scope: &Scope) {
        if let Some(Def::Instance(instance)) = self.own(&scope.instances, "instance", port.instance)
            && let Some(Def::Component(component)) = self.defs[self.ast.instances[instance].component]
        {
            self.port_of(component, port.port);
        }
    }
    pub(super) fn adapter(&mut self, adapter: &Adapter, scope: &mut Scope) {
        let ast = self.ast;
        self.instance(adapter.instance, scope);
        for &clock in &adapter.clocks {
            let Clock { ident, rate } = ast.clocks[clock];
            scope.clocks.add(ast, ident, Def::Clock(clock), self.diagnostics);
            self.expr(rate.value, scope);
            self.expect_integer(rate.value, "a time");
        }
        for control in &adapter.controls {
            if let ControlTrigger::Event(event) = control.trigger {
                self.event_ref(event, scope);
            }
        }
        let mut names: FxHashMap<Name, Ident> = FxHashMap::default();
        for &queue in &adapter.queues {
            let content = &ast.queues[queue];
            if let Some(first) = names.insert(content.ident.name, content.ident) {
                self.diagnostics.push(duplicate(ast, content.ident, first));
            }
            self.expr(content.capacity, scope);
            self.expect_integer(content.capacity, "a capacity");
            for event in &content.events {
                self.event_ref(event.event, scope);
                if let Some(becomes) = event.becomes {
                    self.event_ref(becomes, scope);
                }
            }
        }
    }
}
