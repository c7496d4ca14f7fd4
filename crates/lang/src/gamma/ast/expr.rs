//! Expressions.

use ir::{Int, Span};

use super::{EventRefId, ExprId, Ident, Name, ParamId, RefId, Unit};

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// `else`, as a whole guard.
    Else,
    /// `true` or `false`
    Bool(bool),
    /// `12`
    Integer(Int),
    /// `1 % 2`
    Rational(Int, Int),
    /// `1.5`, as written.
    Decimal(Name),
    /// `"text"`, whose meaning is that of another language.
    Opaque(Name),
    /// `infinity`
    Infinity,
    /// `time 5 ms`
    Time(ExprId, Unit),
    /// A variable, constant, parameter or function.
    Name(RefId),
    /// `Type::LITERAL`
    Literal {
        /// The type.
        ty: RefId,
        /// The literal.
        literal: RefId,
    },
    /// `port.event::parameter`, or `this.event::parameter` in the invariant of an interface or a port.
    EventParameter {
        /// The port; `None` for `this`.
        port: Option<RefId>,
        /// The event.
        event: RefId,
        /// Its parameter.
        param: RefId,
    },
    /// `port.event::`, which is whether the event is there.
    Raised(EventRefId),
    /// `in-state(Region.State)`
    InState {
        /// The region.
        region: RefId,
        /// The state.
        state: RefId,
    },
    /// `time-elapsed(timeout)`
    Elapsed(RefId),
    /// `#[1, 2]`
    Array(Vec<ExprId>),
    /// `#Type { a := 1, b := true }`
    Record {
        /// The type.
        ty: RefId,
        /// Values of fields, in the order of the text.
        fields: Vec<(RefId, ExprId)>,
    },
    /// `<+ 0 .. 9 +>`, where `+` includes the end and `-` does not.
    Range {
        /// The lower end.
        from: ExprId,
        /// Whether it belongs to the range.
        from_included: bool,
        /// The upper end.
        to: ExprId,
        /// Whether it belongs to the range.
        to_included: bool,
    },
    /// `array[index]`
    Index(ExprId, ExprId),
    /// `record.field`
    Field(ExprId, RefId),
    /// `function(arguments)`
    Call(ExprId, Vec<ExprId>),
    /// `range -> select`: any of its values.
    Select(ExprId),
    /// `-e`
    Negate(ExprId),
    /// `+e`
    Plus(ExprId),
    /// `a * b / c div d mod e`, from the left.
    Product(ExprId, Vec<(MulOp, ExprId)>),
    /// `a + b - c`, from the left.
    Sum(ExprId, Vec<(AddOp, ExprId)>),
    /// `a < b`
    Compare(CompareOp, ExprId, ExprId),
    /// `not e`
    Not(ExprId),
    /// `forall (x : T) : e`
    Quantified(Quantifier, Vec<ParamId>, ExprId),
    /// At least two operands of one operator; `imply` from the right.
    Logic(LogicOp, Vec<ExprId>),
    /// `condition ? yes : no`
    Conditional(ExprId, ExprId, ExprId),
    /// What properties and traces say about instances.
    Observed(Observed),
}

/// An operator of a product.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum MulOp {
    /// `*`
    Times,
    /// `/`
    Divide,
    /// `div`, of integers
    Div,
    /// `mod`
    Mod,
}

/// An operator of a sum.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum AddOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
}

/// A comparison.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum CompareOp {
    /// `=` or `==`
    Equal,
    /// `/=` or `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

/// An operator of truth values.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum LogicOp {
    /// `and`
    And,
    /// `xor`
    Xor,
    /// `or`
    Or,
    /// `imply`
    Imply,
}

/// A quantifier over values.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    /// `forall`
    Forall,
    /// `exists`
    Exists,
}

/// `state a -> b.region.State` and the like, in properties and traces: a path of names, not yet told apart.
///
/// In `state i.r.S` the instance is `i`, but a user may leave the region or the instance out; whoever knows the
/// instances decides. Flattened names (`a_b`) are one name here.
#[derive(Clone, PartialEq, Debug)]
pub struct Observed {
    /// What it is about.
    pub kind: ObservedKind,
    /// Names before the last `->`, and the one behind it.
    pub instances: Vec<Ident>,
    /// Names behind dots.
    pub rest: Vec<Ident>,
    /// The name behind `::`.
    pub parameter: Option<Ident>,
    /// Arguments that an event is raised with, in traces.
    pub arguments: Vec<ExprId>,
}

/// What is observed.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum ObservedKind {
    /// `state inst.region.State`
    State,
    /// `variable inst.x`
    Variable,
    /// `event inst.port.event`
    Event,
    /// `parameter inst.port.event::p`
    Parameter,
    /// `raise port.event(arguments)`, in traces: it goes out of the system, with these values.
    Raise,
    /// Without a word before it, or after `element`: whatever has that name.
    Element,
}
