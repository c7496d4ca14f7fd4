//! Programs as written: the syntax trees that the rest of the front-end reads.
//!
//! Nothing is resolved here. A declarator is a list of derivations in the order in which they are applied to the type
//! that is declared: of `int *a[3]`, a pointer first and then an array.

use ir::Span;

/// A name with its place.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub text: String,
    pub span: Span,
}

/// A file.
#[derive(Debug, Default)]
pub(super) struct Unit {
    pub declarations: Vec<Declaration>,
    pub functions: Vec<Function>,
    /// Both in their order: declarations by number, functions by number.
    pub order: Vec<Item>,
}

#[derive(Copy, Clone, Debug)]
pub(super) enum Item {
    Declaration(usize),
    Function(usize),
}

/// A function with its body.
#[derive(Debug)]
pub(super) struct Function {
    pub name: Name,
    pub base: Base,
    pub derived: Vec<Derived>,
    /// Declarations of parameters in the old style, between the brackets and the body.
    pub old_style: Vec<Declaration>,
    pub body: Stmt,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Storage {
    #[default]
    Plain,
    Typedef,
    Extern,
    Static,
    ThreadLocal,
}

#[derive(Debug)]
pub(super) struct Declaration {
    pub storage: Storage,
    pub base: Base,
    pub declarators: Vec<Declarator>,
}

/// A name that is declared.
#[derive(Debug)]
pub(super) struct Declarator {
    pub name: Option<Name>,
    pub derived: Vec<Derived>,
    pub init: Option<Init>,
    pub span: Span,
}

/// The type in front of declarators.
#[derive(Debug)]
pub(super) struct Base {
    pub kind: BaseKind,
    pub volatile: bool,
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum BaseKind {
    Void,
    Int(IntWord),
    /// A name that a `typedef` gave.
    Named(String),
    Record {
        union: bool,
        tag: Option<String>,
        fields: Option<Vec<Field>>,
    },
    Enum {
        tag: Option<String>,
        items: Vec<(Name, Option<Expr>)>,
    },
    TypeOf(Box<Expr>),
    TypeOfType(Box<TypeName>),
    /// What is not read, by the name of it.
    Unsupported(&'static str),
}

/// The integer types by the words for them.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum IntWord {
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
}

#[derive(Debug)]
pub(super) struct Field {
    pub base: Base,
    /// Name, derivations, and whether it is a bit-field.
    pub declarators: Vec<(Option<Name>, Vec<Derived>, bool)>,
}

#[derive(Debug)]
pub(super) enum Derived {
    Pointer,
    /// An array of so many, if that is written.
    Array(Option<Box<Expr>>),
    Function(Vec<Param>, Variadic),
    /// A function with the names of its parameters only.
    OldFunction(Vec<Name>),
    /// What is not read, by the name of it.
    Unsupported(&'static str),
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Variadic {
    No,
    Yes,
}

#[derive(Debug)]
pub(super) struct Param {
    pub base: Base,
    pub name: Option<Name>,
    pub derived: Vec<Derived>,
}

#[derive(Debug)]
pub(super) struct TypeName {
    pub base: Base,
    pub derived: Vec<Derived>,
}

#[derive(Debug)]
pub(super) enum Init {
    Expr(Expr),
    List(Vec<InitItem>),
}

#[derive(Debug)]
pub(super) struct InitItem {
    pub designators: Vec<Designator>,
    pub init: Init,
}

#[derive(Debug)]
pub(super) enum Designator {
    Index(Expr),
    Member(Name),
    Range(Expr, Expr),
}

#[derive(Debug)]
pub(super) struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum ExprKind {
    Name(String),
    Int(IntLiteral),
    Char(i64),
    Text(Vec<u8>),
    Unary(Unary, Box<Expr>),
    /// `++`, `--`: by 1 or -1, before or behind.
    Step(StepOp, Fixity, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// With an operator for `+=` and its like.
    Assign(Option<Binary>, Box<Expr>, Box<Expr>),
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    Comma(Vec<Expr>),
    Call(Box<Expr>, Vec<Expr>),
    Member(Box<Expr>, Name, Access),
    Index(Box<Expr>, Box<Expr>),
    Cast(Box<TypeName>, Box<Expr>),
    SizeOfType(Box<TypeName>),
    SizeOf(Box<Expr>),
    AlignOf(Box<TypeName>),
    Compound(Box<TypeName>, Vec<InitItem>),
    Block(Box<Stmt>),
    /// What is not read, by the name of it.
    Unsupported(&'static str),
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Access {
    Dot,
    Arrow,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Fixity {
    Prefix,
    Postfix,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum StepOp {
    Increment,
    Decrement,
}

/// A number as written: what it is does not tell its type yet.
#[derive(Copy, Clone, Debug)]
pub(super) struct IntLiteral {
    pub value: u128,
    pub decimal: bool,
    pub unsigned: bool,
    /// How many `l` it ends with.
    pub longs: u8,
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Unary {
    Plus,
    Minus,
    Complement,
    Not,
    Deref,
    Address,
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

#[derive(Debug)]
pub(super) struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum StmtKind {
    Labelled(Name, Box<Stmt>),
    /// One value, or a range of them.
    Case(Expr, Option<Expr>, Box<Stmt>),
    Default(Box<Stmt>),
    Block(Vec<BlockItem>),
    Expr(Option<Expr>),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    Switch(Expr, Box<Stmt>),
    While(Expr, Box<Stmt>),
    Do(Box<Stmt>, Expr),
    For(Box<ForInit>, Option<Expr>, Option<Expr>, Box<Stmt>),
    Goto(Name),
    Continue,
    Break,
    Return(Option<Expr>),
    /// What is not read, by the name of it.
    Unsupported(&'static str),
}

#[derive(Debug)]
pub(super) enum ForInit {
    Nothing,
    Expr(Expr),
    Declaration(Declaration),
}

#[derive(Debug)]
pub(super) enum BlockItem {
    Declaration(Declaration),
    Stmt(Stmt),
}
