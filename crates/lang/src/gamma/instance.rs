//! Instances: the component that is checked, with everything in it, as a tree of *parts*.
//!
//! A part is an instance of a component. The root is the system itself; its ports are the system's. A statechart is a
//! leaf, a composition has its instances below it, and an adapter what it wraps. A statechart that is `@Asynchronous`
//! becomes an adapter part with the leaf below it, so that nothing else need know about it.
//!
//! Ports of an adapter and of what it wraps are the same ones ([`PortId`]), as the language has it.

use ir::{Id, IdVec, Int, Span};

use super::ast::*;
use super::project::Project;
use crate::code::Code;
use crate::diagnostic::Diagnostic;

ir::id!(
    /// A part of the system.
    PartId
);

/// How deep compositions may be nested.
const MOST_NESTING: usize = 100;
/// How many instances there may be.
const MOST_PARTS: usize = 100_000;

/// The system as a tree of instances.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The parts; a part comes before those below it, and they are in order of declaration.
    pub parts: IdVec<PartId, Part>,
}

/// An instance of a component.
#[derive(Clone, Debug)]
pub struct Part {
    /// What the user calls it; the root has the name of its component.
    pub name: String,
    /// What it is in.
    pub parent: Option<PartId>,
    /// What it is an instance of.
    pub component: ComponentId,
    /// The instance; none for the root, and for the statechart in an adapter that goes without saying.
    pub instance: Option<InstanceId>,
    /// The parts below it, in order of declaration.
    pub children: Vec<PartId>,
    /// What it does.
    pub kind: PartKind,
}

/// What a part is.
#[derive(Clone, Debug)]
pub enum PartKind {
    /// A statechart.
    Leaf,
    /// A composition.
    Composite(CompositeKind),
    /// An adapter.
    Adapter(Wrapping),
}

/// What an adapter does.
#[derive(Clone, Debug)]
pub struct Wrapping {
    /// Its clocks.
    pub clocks: Vec<ClockId>,
    /// Its queues.
    pub queues: Vec<MessageQueue>,
    /// Its controls.
    pub controls: Vec<(Matched, ControlFunction, Span)>,
}

/// A queue of messages.
#[derive(Clone, Debug)]
pub struct MessageQueue {
    /// Its name.
    pub name: String,
    /// Larger ones come first.
    pub priority: Int,
    /// How many messages it holds; `None` if that is not written.
    pub capacity: Option<ExprId>,
    /// What is dropped when it is full.
    pub discard: Discard,
    /// What it holds: each message, and the event it becomes for the wrapped component if that is another one.
    pub entries: Vec<(Message, Option<(PortId, EventId)>)>,
    /// Its place.
    pub span: Span,
}

/// What a message is.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// An event of a port.
    Event(PortId, EventId),
    /// A tick of a clock.
    Tick(ClockId),
}

/// Which messages a control is about.
#[derive(Clone, Debug)]
pub enum Matched {
    /// Every activation, with or without a message.
    Cycle,
    /// Every message.
    Any,
    /// These.
    Messages(Vec<Message>),
}

impl Tree {
    /// The parts of a component.
    ///
    /// # Errors
    /// If it contains itself or is too large.
    pub fn new(project: &Project, component: ComponentId) -> Result<Tree, Diagnostic> {
        let mut tree = Tree::default();
        let name = project.ast.text(project.ast.components[component].ident).to_owned();
        tree.add(project, name, component, None, None, 0)?;
        Ok(tree)
    }
    /// The root.
    pub fn root(&self) -> PartId {
        PartId::at(0)
    }
    fn add(
        &mut self,
        project: &Project,
        name: String,
        component: ComponentId,
        instance: Option<InstanceId>,
        parent: Option<PartId>,
        depth: usize,
    ) -> Result<PartId, Diagnostic> {
        let ast = &project.ast;
        let decl = &ast.components[component];
        let place = instance.map_or(decl.ident.span, |instance| ast.instances[instance].ident.span);
        if depth > MOST_NESTING {
            let text = ast.text(decl.ident);
            let message = format!(
                "`{text}` is nested too deeply, or contains itself; at most {MOST_NESTING} levels are possible"
            );
            return Err(Diagnostic::error(Code::TooDeep, place, message));
        }
        if self.parts.len() >= MOST_PARTS {
            let message = format!("there are more than {MOST_PARTS} instances");
            return Err(Diagnostic::error(Code::TooLarge, place, message));
        }
        let part = self.parts.push(Part {
            name,
            parent,
            component,
            instance,
            children: vec![],
            kind: PartKind::Leaf,
        });
        match &decl.kind {
            ComponentKind::Statechart(chart) if chart.asynchronous => {
                self.parts[part].kind = PartKind::Adapter(all_events(project, component, chart.capacity));
                let inner = lowered_first(ast.text(decl.ident));
                let leaf = Part {
                    name: inner,
                    parent: Some(part),
                    component,
                    instance: None,
                    children: vec![],
                    kind: PartKind::Leaf,
                };
                let leaf = self.parts.push(leaf);
                self.parts[part].children.push(leaf);
            }
            ComponentKind::Statechart(_) => {}
            ComponentKind::Composite(composite) => {
                self.parts[part].kind = PartKind::Composite(composite.kind);
                for instance in &composite.instances {
                    let child = self.instance(project, *instance, part, depth)?;
                    self.parts[part].children.push(child);
                }
            }
            ComponentKind::Adapter(adapter) => {
                self.parts[part].kind = PartKind::Adapter(wrapping(project, adapter));
                let child = self.instance(project, adapter.instance, part, depth)?;
                self.parts[part].children.push(child);
            }
        }
        Ok(part)
    }
    fn instance(
        &mut self,
        project: &Project,
        instance: InstanceId,
        parent: PartId,
        depth: usize,
    ) -> Result<PartId, Diagnostic> {
        let decl = &project.ast.instances[instance];
        let name = project.ast.text(decl.ident).to_owned();
        let component = project.component(decl.component);
        ir::deep(|| self.add(project, name, component, Some(instance), Some(parent), depth + 1))
    }
    /// The part of an instance of a composition or an adapter.
    pub fn child(&self, part: PartId, instance: InstanceId) -> PartId {
        let children = self.parts[part].children.iter();
        *children
            .clone()
            .find(|child| self.parts[**child].instance == Some(instance))
            .expect("an instance has a part")
    }
    /// Names from below the root to a part.
    pub fn path(&self, part: PartId) -> Vec<&str> {
        let mut names = vec![];
        let mut at = part;
        while let Some(parent) = self.parts[at].parent {
            names.push(self.parts[at].name.as_str());
            at = parent;
        }
        names.reverse();
        names
    }
    /// The name of a part as Gamma flattens it; that of the system itself is that of its component.
    pub fn flat(&self, part: PartId) -> String {
        match self.path(part) {
            path if path.is_empty() => self.parts[part].name.clone(),
            path => path.join("_"),
        }
    }
    /// The leaves below a part, in order.
    pub fn leaves(&self, part: PartId) -> Vec<PartId> {
        let mut open = vec![part];
        let mut leaves = vec![];
        while let Some(part) = open.pop() {
            match self.parts[part].kind {
                PartKind::Leaf => leaves.push(part),
                _ => open.extend(self.parts[part].children.iter().rev()),
            }
        }
        leaves
    }
    /// The adapters, in order.
    pub fn adapters(&self) -> impl Iterator<Item = PartId> + '_ {
        self.parts.ids().filter(|part| matches!(self.parts[*part].kind, PartKind::Adapter(_)))
    }
    /// What an adapter does.
    pub fn wrapping(&self, part: PartId) -> &Wrapping {
        match &self.parts[part].kind {
            PartKind::Adapter(wrapping) => wrapping,
            _ => panic!("part {part:?} is no adapter"),
        }
    }
    /// Which parts run in a cycle of a composition, in order.
    pub fn execution(&self, project: &Project, part: PartId) -> Vec<PartId> {
        let ComponentKind::Composite(composite) = &project.ast.components[self.parts[part].component].kind
        else {
            return self.parts[part].children.clone();
        };
        match composite.execution.as_slice() {
            [] => self.parts[part].children.clone(),
            list => list.iter().map(|instance| self.child(part, project.instance(*instance))).collect(),
        }
    }
    /// Which parts run once at the beginning, in order.
    pub fn initial_execution(&self, project: &Project, part: PartId) -> Vec<PartId> {
        match &project.ast.components[self.parts[part].component].kind {
            ComponentKind::Composite(composite) => {
                let list = composite.initial_execution.iter();
                list.map(|instance| self.child(part, project.instance(*instance))).collect()
            }
            _ => vec![],
        }
    }
    /// How often a part is activated in a step: once where one of several is chosen.
    pub fn activations(&self, project: &Project, part: PartId) -> usize {
        let Some(parent) = self.parts[part].parent else { return 1 };
        let here = match self.parts[parent].kind {
            PartKind::Composite(CompositeKind::Async) => 1,
            _ => self.execution(project, parent).iter().filter(|child| **child == part).count(),
        };
        here.saturating_mul(self.activations(project, parent))
    }
}

/// One queue with all events that come in, each of which lets the statechart run.
fn all_events(project: &Project, component: ComponentId, capacity: Option<ExprId>) -> Wrapping {
    let ports = project.component_ports[component].iter();
    let events = ports.flat_map(|port| coming_in(project, *port));
    let entries = events.map(|(port, event)| (Message::Event(port, event), None)).collect();
    let span = project.ast.components[component].ident.span;
    let queue = MessageQueue {
        name: "messages".to_owned(),
        priority: Int::ONE,
        capacity,
        discard: Discard::Incoming,
        entries,
        span,
    };
    Wrapping {
        clocks: vec![],
        queues: vec![queue],
        controls: vec![(Matched::Any, ControlFunction::Run, span)],
    }
}

/// The events that come in at a port.
pub fn coming_in(project: &Project, port: PortId) -> Vec<(PortId, EventId)> {
    let events = project.port_events(port);
    events.filter(|(_, way)| way.is_in()).map(|(event, _)| (port, event)).collect()
}

/// The event of a port that has the name of another one.
pub fn namesake(project: &Project, port: PortId, event: EventId) -> Option<EventId> {
    let name = project.ast.events[event].ident.name;
    project
        .port_events(port)
        .map(|(event, _)| event)
        .find(|event| project.ast.events[*event].ident.name == name)
}

fn wrapping(project: &Project, adapter: &Adapter) -> Wrapping {
    let queues = adapter.queues.iter().map(|queue| {
        let queue = &project.ast.queues[*queue];
        let mut entries = vec![];
        for QueuedEvent { event, becomes } in &queue.events {
            for message in messages(project, *event, becomes.is_some()) {
                let becomes = becomes.and_then(|becomes| inner(project, message, becomes));
                if !entries.iter().any(|(known, _)| *known == message) {
                    entries.push((message, becomes));
                }
            }
        }
        MessageQueue {
            name: project.ast.text(queue.ident).to_owned(),
            priority: queue.priority.clone(),
            capacity: Some(queue.capacity),
            discard: queue.discard.unwrap_or_default(),
            entries,
            span: queue.ident.span,
        }
    });
    let controls = adapter.controls.iter().map(|control| {
        let matched = match control.trigger {
            ControlTrigger::Any => Matched::Any,
            ControlTrigger::Cycle => Matched::Cycle,
            ControlTrigger::Event(event) => Matched::Messages(messages(project, event, true)),
        };
        (matched, control.function, control.span)
    });
    Wrapping { clocks: adapter.clocks.clone(), queues: queues.collect(), controls: controls.collect() }
}

/// The messages that are named by a reference; with `all`, of events that go out as well.
fn messages(project: &Project, event: EventRefId, all: bool) -> Vec<Message> {
    match project.ast.event_refs[event].kind {
        EventRefKind::PortAny(port) => {
            let port = project.port(port);
            let events = project.port_events(port).filter(|(_, way)| way.is_in() || (all && way.is_out()));
            events.map(|(event, _)| Message::Event(port, event)).collect()
        }
        EventRefKind::PortEvent(port, event) => {
            vec![Message::Event(project.port(port), project.event(event))]
        }
        EventRefKind::Clock(clock) => vec![Message::Tick(project.clock(clock))],
        EventRefKind::Timeout(_) => vec![],
    }
}

/// The event that a message becomes.
fn inner(project: &Project, message: Message, becomes: EventRefId) -> Option<(PortId, EventId)> {
    match (project.ast.event_refs[becomes].kind, message) {
        (EventRefKind::PortAny(port), Message::Event(_, event)) => {
            let port = project.port(port);
            Some((port, namesake(project, port, event)?))
        }
        (EventRefKind::PortEvent(port, event), _) => Some((project.port(port), project.event(event))),
        _ => None,
    }
}

fn lowered_first(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_lowercase);
    first.chain(chars).collect()
}
