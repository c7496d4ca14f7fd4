//! Statements.

use ir::Span;

use super::{ActionId, EventRefId, ExprId, ParamId, RefId, VariableId};

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Action {
    /// What it is.
    pub kind: ActionKind,
    /// Its place.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, PartialEq, Debug)]
pub enum ActionKind {
    /// `{ … }`
    Block(Vec<ActionId>),
    /// `var x : T := e;` or `const x : T := e;`
    Declare(VariableId),
    /// `return e;`
    Return(Option<ExprId>),
    /// `break;`
    Break,
    /// `target := value;`, where the target is a name, a field of a target, or an entry of one.
    Assign {
        /// What is changed.
        target: ExprId,
        /// Its new value.
        value: ExprId,
    },
    /// `assert(e);`
    Assert(ExprId),
    /// `no operation;`
    Nothing,
    /// `f(1);`
    Expr(ExprId),
    /// `raise port.event(arguments);`
    Raise {
        /// What is raised, of the form `port.event`.
        event: EventRefId,
        /// Values of its parameters.
        arguments: Vec<ExprId>,
    },
    /// `set timeout := 5 s;`
    Set {
        /// The timeout.
        timeout: RefId,
        /// When it is over.
        time: Duration,
    },
    /// `if (e) … elseif (e) … else …`
    If {
        /// The conditions with what is done then, in order.
        branches: Vec<Branch>,
        /// What is done otherwise.
        otherwise: Option<ActionId>,
    },
    /// `switch (e) { case e : … default : … }`, without fall-through
    Switch {
        /// What is looked at.
        value: ExprId,
        /// The values with what is done then, in order.
        cases: Vec<Branch>,
        /// What is done otherwise.
        default: Option<ActionId>,
    },
    /// `for (i : T in e) …`
    For {
        /// What each value is called.
        param: ParamId,
        /// A range or an array.
        values: ExprId,
        /// What is done with each.
        body: ActionId,
    },
    /// `choice { branch [e] … }`: any branch whose guard holds
    Choice(Vec<Branch>),
}

/// A condition, or a value of a `switch`, and what is done then.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    /// The condition or the value.
    pub guard: ExprId,
    /// What is done.
    pub action: ActionId,
}

/// A time, such as `5 s`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Duration {
    /// How many.
    pub value: ExprId,
    /// Of what.
    pub unit: Unit,
}

/// A unit of time.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Unit {
    /// `ms`
    Millisecond,
    /// `s`
    Second,
    /// `h`
    Hour,
}

impl Unit {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Unit::Millisecond => "ms",
            Unit::Second => "s",
            Unit::Hour => "h",
        }
    }
    /// How many milliseconds it is.
    pub fn milliseconds(self) -> u32 {
        match self {
            Unit::Millisecond => 1,
            Unit::Second => 1000,
            Unit::Hour => 3_600_000,
        }
    }
}
