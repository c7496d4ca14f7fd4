//! Syntax trees of Gamma models, as written; one tree holds all files of a project.
//!
//! Nodes live in arenas and refer to each other by number, so that dropping or cloning a tree never recurses.
//! Everything that is declared has an arena of its own, and every *use* of a name is a [`Ref`] with a number of its
//! own ([`RefId`]); what it stands for is found once, by resolution, and kept in a table beside the tree (see
//! [`super::project::Project`]). Parentheses are not kept. Operators of one level are kept flat, `a + b - c` as one
//! node, so the depth of a tree is the nesting of the text and not the length of its sums.
//!
//! A name is kept without the `^` that escapes a keyword. All places know their file. Only references that other
//! tables are indexed by are numbers: a tree can be built by hand (an importer does) with places that are empty.

mod action;
mod chart;
mod composition;
mod expr;

use indexmap::IndexSet;
use ir::{FileId, IdVec, Int, Span};
use rustc_hash::FxBuildHasher;

pub use action::{Action, ActionKind, Branch, Duration, Unit};
pub use chart::{
    Annotations, ContractAnnotation, ContractMode, EventRef, EventRefKind, GuardEvaluation, History, Node,
    NodeKind, OrthogonalSchedule, Phase, Region, RegionSchedule, RunUpon, State, StateAnnotation,
    StateContract, Statechart, Tie, Timeout, Transition, TransitionPriority, Trigger, TriggerKind, TriggerOp,
    Watched,
};
pub use composition::{
    Adapter, Binding, Channel, Clock, Composite, CompositeKind, Control, ControlFunction, ControlTrigger,
    Discard, Instance, InstancePort, Queue, QueuedEvent,
};
pub use expr::{AddOp, CompareOp, Expr, ExprKind, LogicOp, MulOp, Observed, ObservedKind, Quantifier};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)+) => { $(ir::id!($(#[$doc])* $name);)+ };
}

ids! {
    /// An interned name.
    Name
    /// A use of a name.
    RefId
    /// A package, which is a file.
    PackageId
    /// An interface.
    InterfaceId
    /// An event of an interface.
    EventId
    /// A parameter of an event, a component, a function, a loop or a quantifier.
    ParamId
    /// A port of a component.
    PortId
    /// A type as written.
    TypeId
    /// A name for a type.
    TypeDeclId
    /// A variable or a constant, global or local.
    VariableId
    /// A function.
    FunctionId
    /// An expression.
    ExprId
    /// A statement.
    ActionId
    /// A component: a statechart, a composition or an adapter.
    ComponentId
    /// A region of a statechart.
    RegionId
    /// A node of a region: a state or a pseudo-state.
    NodeId
    /// A transition of a statechart.
    TransitionId
    /// A timeout of a statechart.
    TimeoutId
    /// What a transition waits for.
    TriggerId
    /// An event as it is named in triggers, queues and actions.
    EventRefId
    /// A component within another one.
    InstanceId
    /// A clock of an adapter.
    ClockId
    /// A message queue of an adapter.
    QueueId
}

/// All files of a project.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ast {
    /// All names that occur.
    pub names: Names,
    /// All uses of names.
    pub refs: IdVec<RefId, Ref>,
    /// The files, in the order in which they were read; the first is the one that was named.
    pub packages: IdVec<PackageId, Package>,
    /// Interfaces.
    pub interfaces: IdVec<InterfaceId, Interface>,
    /// Events of interfaces.
    pub events: IdVec<EventId, Event>,
    /// Parameters.
    pub params: IdVec<ParamId, Param>,
    /// Ports of components.
    pub ports: IdVec<PortId, Port>,
    /// Types as written.
    pub types: IdVec<TypeId, Type>,
    /// Names for types.
    pub type_decls: IdVec<TypeDeclId, TypeDecl>,
    /// Variables and constants.
    pub variables: IdVec<VariableId, Variable>,
    /// Functions.
    pub functions: IdVec<FunctionId, Function>,
    /// Expressions.
    pub exprs: IdVec<ExprId, Expr>,
    /// Statements.
    pub actions: IdVec<ActionId, Action>,
    /// Components.
    pub components: IdVec<ComponentId, Component>,
    /// Regions.
    pub regions: IdVec<RegionId, Region>,
    /// States and pseudo-states.
    pub nodes: IdVec<NodeId, Node>,
    /// Transitions.
    pub transitions: IdVec<TransitionId, Transition>,
    /// Timeouts.
    pub timeouts: IdVec<TimeoutId, Timeout>,
    /// Triggers.
    pub triggers: IdVec<TriggerId, Trigger>,
    /// Events as they are named.
    pub event_refs: IdVec<EventRefId, EventRef>,
    /// Instances of components.
    pub instances: IdVec<InstanceId, Instance>,
    /// Clocks of adapters.
    pub clocks: IdVec<ClockId, Clock>,
    /// Queues of adapters.
    pub queues: IdVec<QueueId, Queue>,
    /// What is asked about, if somebody says more than the name of a component.
    pub asked: Option<Asked>,
}

/// A component that is asked about, as a task or a command says it: an instance that is part of no composition.
#[derive(Clone, PartialEq, Debug)]
pub struct Asked {
    /// The package whose names count.
    pub package: PackageId,
    /// The component with values of its parameters.
    pub instance: InstanceId,
    /// How much time passes between cycles: at least, and at most.
    pub period: Option<[Duration; 2]>,
}

impl Ast {
    /// How a declared name is written, without an escape.
    pub fn text(&self, ident: Ident) -> &str {
        self.names.text(ident.name)
    }
    /// How a used name is written, without an escape.
    pub fn ref_text(&self, id: RefId) -> &str {
        self.names.text(self.refs[id].name)
    }
    /// A name at a place.
    pub fn ident(&mut self, text: &str, span: Span) -> Ident {
        Ident { name: self.names.intern(text), span }
    }
    /// A use of a name at a place.
    pub fn refer(&mut self, text: &str, span: Span) -> RefId {
        let name = self.names.intern(text);
        self.refs.push(Ref { name, span })
    }
}

/// A table of distinct names.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Names {
    table: IndexSet<Box<str>, FxBuildHasher>,
}

impl Names {
    /// The number of `text`, new if it has none yet.
    pub fn intern(&mut self, text: &str) -> Name {
        let index = match self.table.get_index_of(text) {
            Some(index) => index,
            None => self.table.insert_full(text.into()).0,
        };
        ir::Id::at(index)
    }
    /// The number of `text`, if it has one.
    pub fn get(&self, text: &str) -> Option<Name> {
        self.table.get_index_of(text).map(ir::Id::at)
    }
    /// How `name` is written.
    pub fn text(&self, name: Name) -> &str {
        &self.table[ir::Id::index(name)]
    }
}

/// A declared name and where it is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Its place.
    pub span: Span,
}

/// A use of a name; its [`RefId`] tells what it stands for.
pub type Ref = Ident;

/// `package name import "…" …`: a file.
#[derive(Clone, PartialEq, Debug)]
pub struct Package {
    /// Its name, if the text has got that far.
    pub ident: Option<Ident>,
    /// The file it is.
    pub file: FileId,
    /// What it imports, in order.
    pub imports: Vec<Import>,
    /// What it declares, in order.
    pub items: Vec<Item>,
}

/// `import "path"`
#[derive(Clone, PartialEq, Debug)]
pub struct Import {
    /// What is between the quotation marks.
    pub path: Box<str>,
    /// The place of the path with its quotation marks.
    pub span: Span,
}

/// What a package declares.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// `const …`
    Constant(VariableId),
    /// `lambda …` or `procedure …`
    Function(FunctionId),
    /// `type …`
    Type(TypeDeclId),
    /// `interface …`
    Interface(InterfaceId),
    /// A statechart, a composition or an adapter.
    Component(ComponentId),
}

/// `interface name extends … { … }`
#[derive(Clone, PartialEq, Debug)]
pub struct Interface {
    /// Its name.
    pub ident: Ident,
    /// The interfaces whose events it has as well.
    pub extends: Vec<RefId>,
    /// Its own events.
    pub events: Vec<EventId>,
    /// What always holds of its events.
    pub invariants: Vec<ExprId>,
}

/// `out persistent event name(params) priority = 1`
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Its name.
    pub ident: Ident,
    /// Which way it goes, seen from a port that provides the interface.
    pub direction: Direction,
    /// Whether its parameters are kept, if that is written.
    pub persistency: Option<Persistency>,
    /// Its parameters.
    pub params: Vec<ParamId>,
    /// Its priority.
    pub priority: Option<Int>,
}

/// Which way an event goes, seen from a port that provides its interface.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// To whoever has the port.
    In,
    /// From whoever has the port.
    Out,
    /// Both ways.
    InOut,
    /// From the component to itself.
    Internal,
}

impl Direction {
    /// The same, seen from the other end.
    pub fn reversed(self) -> Self {
        match self {
            Direction::In => Direction::Out,
            Direction::Out => Direction::In,
            same => same,
        }
    }
    /// Whether it can come in.
    pub fn is_in(self) -> bool {
        matches!(self, Direction::In | Direction::InOut)
    }
    /// Whether it can go out.
    pub fn is_out(self) -> bool {
        matches!(self, Direction::Out | Direction::InOut)
    }
}

/// Whether parameters of an event outlive the cycle.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Persistency {
    /// They are kept.
    Persistent,
    /// They are reset after each cycle, which is the default.
    Transient,
}

/// `name : type`
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// Its name.
    pub ident: Ident,
    /// Its type.
    pub ty: TypeId,
}

/// `port name : provides Interface { invariant … }`
#[derive(Clone, PartialEq, Debug)]
pub struct Port {
    /// Its name.
    pub ident: Ident,
    /// Which end of the interface it is.
    pub mode: PortMode,
    /// The interface.
    pub interface: RefId,
    /// What always holds of its events.
    pub invariants: Vec<ExprId>,
}

/// Which end of an interface a port is.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum PortMode {
    /// Events go as the interface says.
    Provides,
    /// Events go the other way.
    Requires,
}

/// `type name : type`
#[derive(Clone, PartialEq, Debug)]
pub struct TypeDecl {
    /// Its name.
    pub ident: Ident,
    /// What it stands for.
    pub ty: TypeId,
}

/// A type as written.
#[derive(Clone, PartialEq, Debug)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Its place.
    pub span: Span,
}

/// What a type is.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeKind {
    /// `void`
    Void,
    /// `boolean`
    Boolean,
    /// `integer`
    Integer,
    /// `decimal`
    Decimal,
    /// `rational`
    Rational,
    /// `integer range`
    IntegerRange,
    /// The name of a type.
    Named(RefId),
    /// `[size] element`
    Array {
        /// How many there are.
        size: ExprId,
        /// What they are.
        element: TypeId,
    },
    /// `enum { A, B }`
    Enum(Vec<Ident>),
    /// `record { a : integer, b : boolean }`
    Record(Vec<Param>),
    /// `#[0 to 9]`; `None` where it is `-inf` or `inf`.
    Subrange {
        /// The least value.
        from: Option<ExprId>,
        /// The greatest value.
        to: Option<ExprId>,
    },
    /// `function (integer) : boolean`
    Function {
        /// Types of the arguments.
        params: Vec<TypeId>,
        /// The type of the result.
        result: TypeId,
    },
}

/// `var name : type := initial`, or the same with `const`
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// Its name.
    pub ident: Ident,
    /// Whether it is a `const`.
    pub constant: bool,
    /// What is written before it, in order.
    pub annotations: Vec<VariableAnnotation>,
    /// Its type.
    pub ty: TypeId,
    /// Its initial value.
    pub initial: Option<ExprId>,
}

/// What is written before a variable.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum VariableAnnotation {
    /// It has its initial value again after each cycle.
    Transient,
    /// It has its initial value again before each cycle.
    Resettable,
    /// It is not optimised away.
    Unremovable,
    /// A generator has put it there.
    Injected,
}

/// A function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its name.
    pub ident: Ident,
    /// Its parameters; `None` if there is no list, not even an empty one.
    pub params: Option<Vec<ParamId>>,
    /// The type of its result.
    pub result: TypeId,
    /// What it does.
    pub body: FunctionBody,
}

/// What a function does.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum FunctionBody {
    /// `lambda f : integer := e`
    Lambda(Option<ExprId>),
    /// `procedure f : integer { … }`, a block.
    Procedure(ActionId),
}

/// A statechart, a composition or an adapter.
#[derive(Clone, PartialEq, Debug)]
pub struct Component {
    /// Its name.
    pub ident: Ident,
    /// Its parameters.
    pub params: Vec<ParamId>,
    /// The ports that are written; an adapter has those of what it wraps as well.
    pub ports: Vec<PortId>,
    /// What it is.
    pub kind: ComponentKind,
    /// Its place, from the first annotation to the last brace.
    pub span: Span,
}

/// What a component is.
#[derive(Clone, PartialEq, Debug)]
pub enum ComponentKind {
    /// `statechart`
    Statechart(Box<Statechart>),
    /// `sync`, `cascade`, `async` or `scheduled-async`
    Composite(Box<Composite>),
    /// `adapter … of component …`
    Adapter(Box<Adapter>),
}
