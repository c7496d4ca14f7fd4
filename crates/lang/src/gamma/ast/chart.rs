//! Statecharts: regions, nodes, transitions, triggers and annotations.

use ir::{Int, Span};

use super::{
    ActionId, Binding, EventRefId, ExprId, FunctionId, Ident, InstanceId, Name, NodeId, RefId, RegionId,
    TimeoutId, TransitionId, TriggerId, VariableId,
};

/// What a statechart is made of.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Statechart {
    /// What is written before it.
    pub annotations: Annotations,
    /// Whether it is `@Asynchronous`: an adapter with one queue over itself.
    pub asynchronous: bool,
    /// The capacity of that queue.
    pub capacity: Option<ExprId>,
    /// Its variables, in order.
    pub variables: Vec<VariableId>,
    /// Its timeouts, in order.
    pub timeouts: Vec<TimeoutId>,
    /// What always holds.
    pub invariants: Vec<ExprId>,
    /// Its outermost regions, in order.
    pub regions: Vec<RegionId>,
    /// All its transitions, in order.
    pub transitions: Vec<TransitionId>,
    /// Its functions, in order.
    pub functions: Vec<FunctionId>,
}

/// What is written before a statechart; `None` where nothing is, which means the default of each.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Annotations {
    /// `@RegionSchedule`
    pub region_schedule: Option<RegionSchedule>,
    /// `@OrthogonalRegionSchedule`
    pub orthogonal_schedule: Option<OrthogonalSchedule>,
    /// `@TransitionPriority`, and `@PrioritizedTransitions` in old texts
    pub transition_priority: Option<TransitionPriority>,
    /// `@GuardEvaluation`
    pub guard_evaluation: Option<GuardEvaluation>,
    /// `@RunUponExternalEvent…`
    pub run_upon: Option<RunUpon>,
    /// `@WrapperComponent`
    pub wrapper: bool,
    /// What is said about contracts and phases; it is not interpreted.
    pub contracts: Vec<ContractAnnotation>,
}

/// Whether outer or inner transitions come first.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum RegionSchedule {
    /// Outer ones.
    #[default]
    TopDown,
    /// Inner ones.
    BottomUp,
}

/// In which order orthogonal regions run.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum OrthogonalSchedule {
    /// As they are declared.
    #[default]
    Sequential,
    /// In any order, one after the other.
    Unordered,
    /// At the same time.
    Parallel,
}

/// Which of several enabled transitions of one source fires.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum TransitionPriority {
    /// Any of them.
    #[default]
    Off,
    /// The one that is written first.
    OrderBased,
    /// One with the largest number.
    ValueBased,
}

/// When guards are evaluated.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum GuardEvaluation {
    /// When their transition has its turn.
    #[default]
    OnTheFly,
    /// All of them before anything happens.
    BeginningOfStep,
}

/// What a cycle needs, or else it is skipped.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum RunUpon {
    /// An event from outside.
    ExternalEvent,
    /// An event from outside or a timeout that is over.
    ExternalEventOrInternalTimeout,
}

/// What is said about contracts and phases before a statechart.
#[derive(Clone, PartialEq, Debug)]
pub enum ContractAnnotation {
    /// `@AdaptiveContractStatechart = Component`
    Adaptive(RefId),
    /// `@ScenarioContractStatechart = Component (strict)`
    Scenario {
        /// What is watched.
        component: RefId,
        /// How strictly.
        mode: Option<ContractMode>,
    },
    /// `@ScenarioAllowedWait = 0 .. 1`
    AllowedWait(ExprId, ExprId),
    /// `@HasInitialOutputsBlock`
    HasInitialOutputs,
    /// `@NegativeContractStatechart`
    Negative,
    /// `@PhaseStatechart`
    Phase,
}

/// How strictly a contract is meant.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum ContractMode {
    /// Nothing else may happen.
    Strict,
    /// Other things may happen.
    Permissive,
}

/// `timeout name`
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Timeout {
    /// Its name.
    pub ident: Ident,
}

/// `region name { … }`
#[derive(Clone, PartialEq, Debug)]
pub struct Region {
    /// Its name.
    pub ident: Ident,
    /// Its states and pseudo-states, in order.
    pub nodes: Vec<NodeId>,
}

/// A state or a pseudo-state.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// Its name.
    pub ident: Ident,
    /// What it is.
    pub kind: NodeKind,
}

/// What a node is.
#[derive(Clone, PartialEq, Debug)]
pub enum NodeKind {
    /// `initial`
    Initial,
    /// `shallow history`
    ShallowHistory,
    /// `deep history`
    DeepHistory,
    /// `choice`
    Choice,
    /// `merge`
    Merge,
    /// `fork`
    Fork,
    /// `join`
    Join,
    /// `state`
    State(Box<State>),
}

impl NodeKind {
    /// Whether a region is entered there.
    pub fn is_entry(&self) -> bool {
        matches!(self, NodeKind::Initial | NodeKind::ShallowHistory | NodeKind::DeepHistory)
    }
    /// Whether it is a state, where a cycle can end.
    pub fn is_state(&self) -> bool {
        matches!(self, NodeKind::State(_))
    }
    /// The word that declares it.
    pub fn word(&self) -> &'static str {
        match self {
            NodeKind::Initial => "initial",
            NodeKind::ShallowHistory => "shallow history",
            NodeKind::DeepHistory => "deep history",
            NodeKind::Choice => "choice",
            NodeKind::Merge => "merge",
            NodeKind::Fork => "fork",
            NodeKind::Join => "join",
            NodeKind::State(_) => "state",
        }
    }
}

/// What a state is made of.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {
    /// What is written before it; it is not interpreted.
    pub annotations: Vec<StateAnnotation>,
    /// What holds in it.
    pub invariants: Vec<ExprId>,
    /// What is done when it is entered.
    pub entry: Vec<ActionId>,
    /// What is done when it is left.
    pub exit: Vec<ActionId>,
    /// Its regions, in order.
    pub regions: Vec<RegionId>,
}

/// What is written before a state.
#[derive(Clone, PartialEq, Debug)]
pub enum StateAnnotation {
    /// `@SpecialState accepting`
    Accepting,
    /// `@StatechartContract component history = Ref(args), …`
    Contract {
        /// What is watched.
        watched: Option<Watched>,
        /// What becomes of it when the state is left.
        history: Option<History>,
        /// The contracts.
        contracts: Vec<StateContract>,
    },
    /// `@Phase = [ … ]`
    Phase(Vec<Phase>),
}

/// What the contract of a state watches.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Watched {
    /// `self`
    Itself,
    /// `component`
    Component,
}

/// A contract of a state.
#[derive(Clone, PartialEq, Debug)]
pub struct StateContract {
    /// The statechart that says it.
    pub statechart: RefId,
    /// Its arguments.
    pub arguments: Vec<ExprId>,
}

/// What becomes of a component when its state is left.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum History {
    /// `no-history`
    None,
    /// `history`
    Any,
    /// `shallow`
    Shallow,
    /// `deep`
    Deep,
}

/// A component that runs while a state is active.
#[derive(Clone, PartialEq, Debug)]
pub struct Phase {
    /// What becomes of it when the state is left.
    pub history: Option<History>,
    /// The component.
    pub instance: InstanceId,
    /// Its ports.
    pub bindings: Vec<Binding>,
    /// Its variables.
    pub ties: Vec<Tie>,
}

/// `tie x -> instance.y`
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Tie {
    /// The variable of the statechart.
    pub variable: RefId,
    /// The instance.
    pub instance: RefId,
    /// Its variable.
    pub inner: RefId,
}

/// `transition(priority) from a to b when trigger [guard] / effects`
#[derive(Clone, PartialEq, Debug)]
pub struct Transition {
    /// `@(name)`
    pub ids: Vec<Ident>,
    /// Its priority.
    pub priority: Option<Int>,
    /// The node that it leaves.
    pub from: RefId,
    /// The node that it leads to.
    pub to: RefId,
    /// What it waits for.
    pub trigger: Option<TriggerId>,
    /// When it is enabled.
    pub guard: Option<ExprId>,
    /// What it does.
    pub effects: Vec<ActionId>,
    /// Its place, without annotations and effects.
    pub span: Span,
}

/// What a transition waits for.
#[derive(Clone, PartialEq, Debug)]
pub struct Trigger {
    /// What it is.
    pub kind: TriggerKind,
    /// Its place.
    pub span: Span,
}

/// What a trigger is.
#[derive(Clone, PartialEq, Debug)]
pub enum TriggerKind {
    /// `cycle`: always
    Cycle,
    /// `any`: some event from outside
    Any,
    /// An event.
    Event(EventRefId),
    /// `"text"`, whose meaning is that of another language.
    Opaque(Name),
    /// `!(…)`
    Not(TriggerId),
    /// At least two operands of one operator; `->` from the right.
    Chain(TriggerOp, Vec<TriggerId>),
}

/// An operator of triggers, those that bind tighter first.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum TriggerOp {
    /// `&&`
    And,
    /// `^`
    Xor,
    /// `||`
    Or,
    /// `->`
    Imply,
    /// `==`
    Equal,
}

/// An event as it is named in triggers, queues and actions.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct EventRef {
    /// What it is.
    pub kind: EventRefKind,
    /// Its place.
    pub span: Span,
}

/// What an event is named by.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum EventRefKind {
    /// `timeout t`
    Timeout(RefId),
    /// `port.any`
    PortAny(RefId),
    /// `port.event`
    PortEvent(RefId, RefId),
    /// `name`: a clock of an adapter.
    Clock(RefId),
}
