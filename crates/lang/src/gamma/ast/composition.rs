//! Compositions and adapters.

use ir::{Int, Span};

use super::{ClockId, Duration, EventRefId, ExprId, Ident, InstanceId, QueueId, RefId};

/// What a composition is made of.
#[derive(Clone, PartialEq, Debug)]
pub struct Composite {
    /// How its instances run.
    pub kind: CompositeKind,
    /// Its instances, in order.
    pub instances: Vec<InstanceId>,
    /// Ports of instances that are ports of the composition, in order.
    pub bindings: Vec<Binding>,
    /// Connections of ports of instances, in order.
    pub channels: Vec<Channel>,
    /// `initial execute …`: what runs once at the beginning.
    pub initial_execution: Vec<RefId>,
    /// `execute …`: what runs in each cycle, in order; empty if nothing is written, which means all instances.
    pub execution: Vec<RefId>,
}

/// How the instances of a composition run.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum CompositeKind {
    /// `sync`
    Sync,
    /// `cascade`
    Cascade,
    /// `async`
    Async,
    /// `scheduled-async`
    ScheduledAsync,
}

impl CompositeKind {
    /// The word that declares it.
    pub fn word(self) -> &'static str {
        match self {
            CompositeKind::Sync => "sync",
            CompositeKind::Cascade => "cascade",
            CompositeKind::Async => "async",
            CompositeKind::ScheduledAsync => "scheduled-async",
        }
    }
    /// Whether its instances communicate by queues.
    pub fn is_asynchronous(self) -> bool {
        matches!(self, CompositeKind::Async | CompositeKind::ScheduledAsync)
    }
}

/// `component name : Type(arguments)`
#[derive(Clone, PartialEq, Debug)]
pub struct Instance {
    /// Its name.
    pub ident: Ident,
    /// What it is an instance of.
    pub component: RefId,
    /// Values of the parameters of that.
    pub arguments: Vec<ExprId>,
}

/// A port of an instance: `instance.port`
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct InstancePort {
    /// The instance.
    pub instance: RefId,
    /// Its port.
    pub port: RefId,
}

/// `bind port -> instance.port`
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    /// The port of the composition.
    pub port: RefId,
    /// The port of an instance.
    pub inner: InstancePort,
}

/// `channel [instance.port] -o)- [instance.port, …]`
#[derive(Clone, PartialEq, Debug)]
pub struct Channel {
    /// The port that provides.
    pub provided: InstancePort,
    /// The ports that require; several are a broadcast.
    pub required: Vec<InstancePort>,
    /// Its place.
    pub span: Span,
}

/// What an adapter is made of; its own ports are those of the component.
#[derive(Clone, PartialEq, Debug)]
pub struct Adapter {
    /// What it wraps.
    pub instance: InstanceId,
    /// Its clocks, in order.
    pub clocks: Vec<ClockId>,
    /// When it runs, in order.
    pub controls: Vec<Control>,
    /// Its queues, in order.
    pub queues: Vec<QueueId>,
}

/// `clock name(rate = 5 ms)`
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Clock {
    /// Its name.
    pub ident: Ident,
    /// How often it ticks.
    pub rate: Duration,
}

/// `when trigger / function`
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Control {
    /// Which message it is about.
    pub trigger: ControlTrigger,
    /// What is done then.
    pub function: ControlFunction,
    /// Its place.
    pub span: Span,
}

/// Which messages a control specification is about.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ControlTrigger {
    /// `any`
    Any,
    /// `cycle`
    Cycle,
    /// These.
    Event(EventRefId),
}

/// What an adapter does with a message.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum ControlFunction {
    /// `run`: one cycle
    Run,
    /// `full-step`: cycles until nothing happens
    FullStep,
    /// `reset`
    Reset,
    /// `reset-queue`
    ResetQueue,
    /// `reset-queues`
    ResetQueues,
    /// `reset-other-queues`
    ResetOtherQueues,
}

/// `queue name(priority = 1, capacity = 4, discard = oldest) { … }`
#[derive(Clone, PartialEq, Debug)]
pub struct Queue {
    /// Its name.
    pub ident: Ident,
    /// Larger ones come first.
    pub priority: Int,
    /// How many messages it holds.
    pub capacity: ExprId,
    /// What is dropped when it is full, if that is written.
    pub discard: Option<Discard>,
    /// What it holds, in order.
    pub events: Vec<QueuedEvent>,
}

/// What a full queue drops.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Discard {
    /// What comes.
    #[default]
    Incoming,
    /// What has waited longest.
    Oldest,
}

/// `event -> inner event`
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct QueuedEvent {
    /// What is put into the queue.
    pub event: EventRefId,
    /// What it becomes for the wrapped component, if that is something else.
    pub becomes: Option<EventRefId>,
}
