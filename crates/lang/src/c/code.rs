//! Programs after names, types and calls are resolved, and before pointers are: a graph of points and edges.
//!
//! Functions are inlined, side effects are instructions in the order in which they happen, and what is left of an
//! expression is a *value* without effects. A *place* is an object or what a pointer points to, with the fields and indices
//! that lead into it. There is one object for each variable of each function: without recursion, a function is never active
//! twice.

use ir::{FaultKind, IdVec, Span};

use super::ast::Binary;
use super::types::TyId;

ir::id!(
    /// Something that has an address: a variable, a text, a temporary.
    ObjectId
);
ir::id!(
    /// A value: an expression without effects.
    ValueId
);
ir::id!(
    /// A place that can be read or written.
    PlaceId
);
ir::id!(
    /// A point of the program.
    PointId
);

#[derive(Debug)]
pub(super) struct Object {
    pub name: String,
    pub ty: TyId,
    pub kind: ObjectKind,
    pub span: Span,
    /// The function that it belongs to.
    pub function: Option<usize>,
    /// Whether every read may give another value.
    pub volatile: bool,
}

#[derive(Debug)]
pub(super) enum ObjectKind {
    /// Has these values when the program starts, and zero elsewhere.
    Static(Vec<(PlaceId, ValueId)>),
    /// Defined elsewhere: anything.
    External,
    /// Lives while its function does.
    Local,
    /// What nobody wrote.
    Hidden,
}

#[derive(Clone, Debug)]
pub(super) struct Place {
    pub base: Base,
    pub steps: Vec<Step>,
    pub ty: TyId,
    pub span: Span,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Base {
    Object(ObjectId),
    Deref(ValueId),
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    Field(u32),
    /// An element, with the type of the array.
    Index(ValueId, TyId),
}

#[derive(Copy, Clone, Debug)]
pub(super) struct Value {
    pub node: ValueNode,
    pub ty: TyId,
    pub span: Span,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum ValueNode {
    Int(i128),
    Null,
    Load(PlaceId),
    /// An integer of another type, or a pointer.
    Convert(ValueId),
    Negate(ValueId),
    Complement(ValueId),
    /// Of integers that are of one type, or a shift; computed in the type of the value.
    Binary(Binary, ValueId, ValueId),
    /// Of integers or of pointers.
    Compare(Binary, ValueId, ValueId),
    Not(ValueId),
    And(ValueId, ValueId),
    Or(ValueId, ValueId),
    Cond(ValueId, ValueId, ValueId),
    Address(PlaceId),
    /// A pointer, and how many elements further.
    Advance(ValueId, ValueId, Sign),
    Distance(ValueId, ValueId),
    /// Whether the program is at one of some points; only in questions.
    At(u32),
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Sign {
    Plus,
    Minus,
}

#[derive(Clone, Debug)]
pub(super) enum Instr {
    Set(PlaceId, ValueId),
    /// Any value, which a call returned.
    Nondet(PlaceId),
    /// Nothing is known of an object any more: it is declared here.
    Undefine(ObjectId),
    /// All parts of an object are zero.
    Clear(ObjectId),
    /// One whole array becomes the same as another.
    Copy(PlaceId, PlaceId),
    /// The program goes on only where this is so (or not).
    Assume(ValueId, bool),
    /// Something goes wrong unless this is so.
    Demand(ValueId, FaultKind, Span),
}

/// A point that the program comes to.
#[derive(Clone, Debug, Default)]
pub(super) struct Point {
    /// The statements that begin here.
    pub starts: Vec<Span>,
    /// Labels that stand here.
    pub labels: Vec<String>,
    /// The function that is entered here.
    pub enters: Option<usize>,
    /// Whether a loop comes back here.
    pub head: bool,
    pub function: usize,
    pub role: Role,
    /// Whether an edge leads here.
    pub reached: bool,
}

impl Point {
    /// Whether a question can name it.
    pub fn is_place(&self) -> bool {
        !self.starts.is_empty()
            || !self.labels.is_empty()
            || self.enters.is_some()
            || self.role != Role::Plain
    }
}

/// What is special about a point.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Role {
    #[default]
    Plain,
    /// This function was called, which does not return.
    Stop(String),
    /// The program has ended.
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub from: PointId,
    pub to: PointId,
    pub instrs: Vec<Instr>,
    pub span: Span,
    pub branch: Option<bool>,
    /// Whether another edge from the same point evaluates the same, and tells how that goes wrong.
    pub silent: bool,
}

/// A program.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub objects: IdVec<ObjectId, Object>,
    pub values: IdVec<ValueId, Value>,
    pub places: IdVec<PlaceId, Place>,
    pub points: IdVec<PointId, Point>,
    pub edges: Vec<Edge>,
    pub entry: Option<PointId>,
    /// Accesses in no order that must not meet: where, and which.
    pub conflicts: Vec<(PlaceId, PlaceId, Span)>,
}

impl Code {
    /// Adds an edge.
    pub fn link(&mut self, edge: Edge) {
        self.points[edge.to].reached = true;
        self.edges.push(edge);
    }
    pub fn value(&mut self, node: ValueNode, ty: TyId, span: Span) -> ValueId {
        self.values.push(Value { node, ty, span })
    }
    pub fn place(&mut self, base: Base, steps: Vec<Step>, ty: TyId, span: Span) -> PlaceId {
        self.places.push(Place { base, steps, ty, span })
    }
}
