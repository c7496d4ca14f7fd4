//! Rules of compositions and adapters.

use ir::Id;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Validator;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::gamma::ast::*;
use crate::gamma::project::Def;

impl Validator<'_> {
    pub(super) fn compositions(&mut self) {
        self.containment();
        for (id, component) in self.ast().components.entries() {
            match &component.kind {
                ComponentKind::Statechart(_) => {}
                ComponentKind::Composite(composite) => self.composite(id, composite),
                ComponentKind::Adapter(adapter) => self.adapter(id, adapter),
            }
        }
    }
    fn component_of(&self, instance: InstanceId) -> Option<ComponentId> {
        match self.project.defs[self.ast().instances[instance].component] {
            Some(Def::Component(component)) => Some(component),
            _ => None,
        }
    }
    /// No component contains itself.
    fn containment(&mut self) {
        let mut colour = vec![0u8; self.ast().components.len()];
        for id in self.ast().components.ids() {
            self.contained(id, &mut colour);
        }
    }
    fn contained(&mut self, id: ComponentId, colour: &mut [u8]) {
        let ast = self.ast();
        if colour[id.index()] == 2 {
            return;
        }
        let component = &ast.components[id];
        if colour[id.index()] == 1 {
            let message = format!("component `{}` contains itself", ast.text(component.ident));
            self.error(Code::CircularReference, component.ident.span, message);
            return;
        }
        colour[id.index()] = 1;
        let instances = match &component.kind {
            ComponentKind::Statechart(_) => vec![],
            ComponentKind::Composite(composite) => composite.instances.clone(),
            ComponentKind::Adapter(adapter) => vec![adapter.instance],
        };
        for instance in instances {
            if let Some(inner) = self.component_of(instance) {
                ir::deep(|| self.contained(inner, colour));
            }
        }
        colour[id.index()] = 2;
    }
    /// Whether a component communicates by queues.
    fn is_asynchronous(&self, id: ComponentId) -> bool {
        match &self.ast().components[id].kind {
            ComponentKind::Statechart(chart) => chart.asynchronous,
            ComponentKind::Composite(composite) => composite.kind.is_asynchronous(),
            ComponentKind::Adapter(_) => true,
        }
    }

    // Composites.

    fn composite(&mut self, id: ComponentId, composite: &Composite) {
        let ast = self.ast();
        let word = composite.kind.word();
        if composite.instances.is_empty() {
            let ident = ast.components[id].ident;
            let message = format!("component `{}` has no instances; it does nothing", ast.text(ident));
            self.warn(Code::Empty, ident.span, message);
        }
        for &instance in &composite.instances {
            let Some(inner) = self.component_of(instance) else { continue };
            let ident = ast.instances[instance].ident;
            let name = ast.text(ast.components[inner].ident);
            match (composite.kind.is_asynchronous(), self.is_asynchronous(inner)) {
                (true, false) => {
                    let message =
                        format!("`{name}` is synchronous and cannot be in `{word}`; wrap it in an `adapter`");
                    self.error(Code::WrongKind, ident.span, message);
                }
                (false, true) => {
                    let message = format!(
                        "`{name}` is asynchronous and cannot be in `{word}`; use `async` or `scheduled-async`"
                    );
                    self.error(Code::WrongKind, ident.span, message);
                }
                _ => {}
            }
        }
        let mut connected = Connections::default();
        self.bindings(id, composite, &mut connected);
        self.channels(composite, &mut connected);
        if !composite.execution.is_empty() {
            let listed: FxHashSet<_> =
                composite.execution.iter().filter_map(|used| self.project.defs[*used]).collect();
            for &instance in &composite.instances {
                if !listed.contains(&Def::Instance(instance)) {
                    let ident = ast.instances[instance].ident;
                    let message =
                        format!("instance `{}` is not in the execution list; it never runs", ast.text(ident));
                    self.warn(Code::Unused, ident.span, message);
                }
            }
        }
    }
    /// The instance and the port that are meant, if both are known.
    fn end(&self, port: InstancePort) -> Option<(InstanceId, PortId)> {
        match (self.project.defs[port.instance], self.project.defs[port.port]) {
            (Some(Def::Instance(instance)), Some(Def::Port(port))) => Some((instance, port)),
            _ => None,
        }
    }
    fn shown(&self, (instance, port): (InstanceId, PortId)) -> String {
        let ast = self.ast();
        format!("{}.{}", ast.text(ast.instances[instance].ident), ast.text(ast.ports[port].ident))
    }
    fn interface(&self, port: PortId) -> Option<InterfaceId> {
        match self.project.defs[self.ast().ports[port].interface] {
            Some(Def::Interface(interface)) => Some(interface),
            _ => None,
        }
    }
    fn bindings(&mut self, id: ComponentId, composite: &Composite, connected: &mut Connections) {
        let ast = self.ast();
        let mut bound = FxHashSet::default();
        for binding in &composite.bindings {
            let span = ast.refs[binding.inner.port].span;
            let Some(Def::Port(outer)) = self.project.defs[binding.port] else { continue };
            bound.insert(outer);
            let Some(end) = self.end(binding.inner) else { continue };
            let (shown, name) = (self.shown(end), ast.text(ast.ports[outer].ident));
            if self.interface(outer) != self.interface(end.1) {
                let message =
                    format!("`{name}` and `{shown}` have different interfaces; they cannot be bound");
                self.error(Code::Misconnected, span, message);
            } else if ast.ports[outer].mode != ast.ports[end.1].mode {
                let message = format!(
                    "one of `{name}` and `{shown}` provides and the other requires; bound ports do the same"
                );
                self.error(Code::Misconnected, span, message);
            }
            if let Some(first) = connected.bound.insert(end, span) {
                let message = format!("port `{shown}` is bound twice; remove one of the bindings");
                let said = Diagnostic::error(Code::RepeatedPart, span, message);
                self.diagnostics.push(said.about(shown).note(first, "first bound here"));
            }
        }
        for &port in &ast.components[id].ports {
            if !bound.contains(&port) {
                let ident = ast.ports[port].ident;
                let message =
                    format!("port `{}` is bound to no instance; nothing goes through it", ast.text(ident));
                self.warn(Code::Unused, ident.span, message);
            }
        }
    }
    fn channels(&mut self, composite: &Composite, connected: &mut Connections) {
        let ast = self.ast();
        for channel in &composite.channels {
            let provided = self.end(channel.provided);
            if let Some(end) = provided {
                let span = ast.refs[channel.provided.port].span;
                if ast.ports[end.1].mode != PortMode::Provides {
                    let message = format!(
                        "port `{}` requires; left of `-o)-` is a port that provides",
                        self.shown(end)
                    );
                    self.error(Code::Misconnected, span, message);
                }
            }
            for &required in &channel.required {
                let Some(end) = self.end(required) else { continue };
                let span = ast.refs[required.port].span;
                let shown = self.shown(end);
                if ast.ports[end.1].mode != PortMode::Requires {
                    let message = format!("port `{shown}` provides; right of `-o)-` are ports that require");
                    self.error(Code::Misconnected, span, message);
                }
                if let Some(provided) = provided
                    && self.interface(provided.1) != self.interface(end.1)
                {
                    let message = format!(
                        "`{}` and `{shown}` have different interfaces; they cannot be connected",
                        self.shown(provided)
                    );
                    self.error(Code::Misconnected, span, message);
                }
                self.not_bound(end, span, connected);
                if let Some(first) = connected.required.insert(end, span) {
                    let message =
                        format!("port `{shown}` is connected twice; it cannot tell the senders apart");
                    let said = Diagnostic::warning(Code::RepeatedPart, span, message);
                    self.warnings.push(said.about(shown).note(first, "first connected here"));
                }
            }
        }
    }
    fn not_bound(&mut self, end: (InstanceId, PortId), span: ir::Span, connected: &Connections) {
        if let Some(&first) = connected.bound.get(&end) {
            let shown = self.shown(end);
            let message = format!("port `{shown}` is bound and connected; it cannot tell the senders apart");
            let said = Diagnostic::warning(Code::RepeatedPart, span, message);
            self.warnings.push(said.about(shown).note(first, "bound here"));
        }
    }

    // Adapters.

    fn adapter(&mut self, id: ComponentId, adapter: &Adapter) {
        let ast = self.ast();
        if let Some(inner) = self.component_of(adapter.instance)
            && self.is_asynchronous(inner)
        {
            let span = ast.instances[adapter.instance].ident.span;
            let name = ast.text(ast.components[inner].ident);
            self.error(
                Code::WrongKind,
                span,
                format!("`{name}` is asynchronous; an adapter wraps what is not"),
            );
        }
        let runs =
            |control: &Control| matches!(control.function, ControlFunction::Run | ControlFunction::FullStep);
        if !adapter.controls.iter().any(runs) {
            let ident = ast.components[id].ident;
            let message =
                format!("adapter `{}` never runs what it wraps; add `when any / run`", ast.text(ident));
            self.warn(Code::MissingPart, ident.span, message);
        }
        let mut held = FxHashSet::default();
        let mut any = FxHashSet::default();
        for &queue in &adapter.queues {
            let queue = &ast.queues[queue];
            let name = ast.text(queue.ident);
            if let Some(capacity) = self.project.integer_value(queue.capacity)
                && (capacity.is_zero() || capacity.is_negative())
            {
                let message =
                    format!("queue `{name}` has capacity {capacity}; everything that is put there is lost");
                self.warn(Code::OutOfRange, ast.exprs[queue.capacity].span, message);
            }
            for event in &queue.events {
                match ast.event_refs[event.event].kind {
                    EventRefKind::PortEvent(port, event) => {
                        held.insert((self.project.defs[port], self.project.defs[event]));
                    }
                    EventRefKind::PortAny(port) => drop(any.insert(self.project.defs[port])),
                    _ => {}
                }
            }
        }
        for &port in &self.project.component_ports[id] {
            if any.contains(&Some(Def::Port(port))) || self.interface(port).is_none() {
                continue;
            }
            for (event, direction) in self.project.port_events(port) {
                if direction.is_in() && !held.contains(&(Some(Def::Port(port)), Some(Def::Event(event)))) {
                    let (port, event) = (ast.ports[port].ident, ast.events[event].ident);
                    let message = format!(
                        "no queue of adapter `{}` holds event `{}` of port `{}`; it is lost",
                        ast.text(ast.components[id].ident),
                        ast.text(event),
                        ast.text(port)
                    );
                    self.warn(Code::Unused, ast.components[id].ident.span, message);
                }
            }
        }
    }
}

/// Which ports of instances are bound or connected, and where.
#[derive(Default)]
struct Connections {
    bound: FxHashMap<(InstanceId, PortId), ir::Span>,
    required: FxHashMap<(InstanceId, PortId), ir::Span>,
}
