//! Syntax trees of UPPAAL models, as written; `.xta` and `.xml` give the same trees.
//!
//! Nodes live in arenas and refer to each other by number, so that dropping or cloning a tree never
//! recurses. Parentheses are not kept. Operators of one level are kept flat, `a + b - c` as one node,
//! so the depth of a tree is the nesting of the text and not the length of its sums.

use indexmap::IndexSet;
use ir::{IdVec, LocationKind, Span};
use rustc_hash::FxBuildHasher;

ir::id!(
    /// An interned name.
    Name
);
ir::id!(
    /// An expression.
    ExprId
);
ir::id!(
    /// A statement of a function.
    StmtId
);
ir::id!(
    /// A type expression.
    TypeId
);
ir::id!(
    /// A function.
    FunctionId
);
ir::id!(
    /// A template.
    TemplateId
);

/// A model as written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ast {
    pub(crate) names: Names,
    /// Global declarations in order.
    pub(crate) decls: Vec<Decl>,
    /// The processes of the system line.
    pub(crate) system: Option<SystemLine>,
    /// Explicit alphabets for CSP channels.
    pub(crate) alphabets: Vec<Alphabet>,
    /// The model's own queries.
    pub(crate) queries: Vec<Formula>,
    pub(crate) templates: IdVec<TemplateId, Template>,
    pub(crate) functions: IdVec<FunctionId, Function>,
    pub(crate) exprs: IdVec<ExprId, Expr>,
    pub(crate) stmts: IdVec<StmtId, Stmt>,
    pub(crate) types: IdVec<TypeId, TypeExpr>,
}

/// A table of distinct names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    table: IndexSet<Box<str>, FxBuildHasher>,
}

impl Names {
    /// The number of `text`, new if it has none yet.
    pub(crate) fn intern(&mut self, text: &str) -> Name {
        let index = match self.table.get_index_of(text) {
            Some(index) => index,
            None => self.table.insert_full(text.into()).0,
        };
        ir::Id::at(index)
    }
    /// How `name` is written.
    pub(crate) fn text(&self, name: Name) -> &str {
        &self.table[ir::Id::index(name)]
    }
}

/// A name and where it is written.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Ident {
    pub(crate) name: Name,
    pub(crate) span: Span,
}

/// A declaration.
#[derive(Clone, Debug)]
pub(crate) enum Decl {
    Var(VarDecl),
    Typedef(VarDecl),
    Function(FunctionId),
    Template(TemplateId),
    Instance(Instance),
}

/// One declared name: `type name[dims] = initial`.
#[derive(Clone, Debug)]
pub(crate) struct VarDecl {
    pub(crate) ident: Ident,
    pub(crate) ty: TypeId,
    pub(crate) dims: Vec<Dim>,
    pub(crate) initial: Option<ExprId>,
}

/// The size of one dimension of an array.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Dim {
    /// A number, or the name of a type.
    Size(ExprId),
    /// A type.
    Type(TypeId),
}

/// A formal parameter.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) var: VarDecl,
    pub(crate) by_reference: bool,
}

/// `ty name(params) { body }`
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) ident: Ident,
    pub(crate) result: TypeId,
    pub(crate) params: Vec<Param>,
    pub(crate) body: StmtId,
}

/// `process name(params) { … }`
#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub(crate) ident: Ident,
    pub(crate) params: Vec<Param>,
    pub(crate) decls: Vec<Decl>,
    pub(crate) locations: Vec<Location>,
    pub(crate) initial: Option<usize>,
    pub(crate) edges: Vec<Edge>,
}

/// A location of a template.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    pub(crate) ident: Ident,
    pub(crate) invariant: Vec<ExprId>,
    pub(crate) kind: LocationKind,
}

/// An edge of a template; locations by position.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) source: usize,
    pub(crate) target: usize,
    pub(crate) select: Vec<(Ident, TypeId)>,
    /// All of them must hold.
    pub(crate) guard: Vec<ExprId>,
    pub(crate) sync: Option<Sync>,
    pub(crate) update: Vec<ExprId>,
    pub(crate) span: Span,
}

/// `c!`, `c?` or `c`
#[derive(Copy, Clone, Debug)]
pub(crate) struct Sync {
    pub(crate) channel: ExprId,
    pub(crate) role: ir::Role,
}

/// `name(params) = template(args);`
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) ident: Ident,
    pub(crate) params: Vec<Param>,
    pub(crate) template: Ident,
    pub(crate) args: Vec<ExprId>,
    pub(crate) span: Span,
}

/// `system a, b, c;`
#[derive(Clone, Debug)]
pub(crate) struct SystemLine {
    pub(crate) processes: Vec<Ident>,
}

/// `IO process { channels }`
#[derive(Clone, Debug)]
pub(crate) struct Alphabet {
    pub(crate) process: Ident,
    pub(crate) channels: Vec<ExprId>,
}

/// The kinds of queries.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Quantifier {
    /// `A[]`
    Always,
    /// `E<>`
    Possibly,
}

/// A query: its text, and what it says if it is of a supported kind.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    pub(crate) text: String,
    pub(crate) span: Span,
    pub(crate) body: Result<(Quantifier, ExprId), crate::diagnostic::Diagnostic>,
}

/// A type expression with its place.
#[derive(Clone, Debug)]
pub(crate) struct TypeExpr {
    pub(crate) kind: TypeKind,
    pub(crate) prefix: Prefix,
    pub(crate) span: Span,
}

/// What stands before a type.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Prefix {
    pub(crate) constant: bool,
    pub(crate) urgent: bool,
    pub(crate) broadcast: bool,
    pub(crate) meta: bool,
}

/// A type expression.
#[derive(Clone, Debug)]
pub(crate) enum TypeKind {
    Bool,
    Int(Option<(ExprId, ExprId)>),
    Clock,
    Chan,
    Void,
    Scalar(ExprId),
    Struct(Vec<VarDecl>),
    Named(Name),
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Int(i64),
    Bool(bool),
    Name(Name),
    Deadlock,
    Not(ExprId),
    Minus(ExprId),
    Plus(ExprId),
    /// Operands of one level: the first, and the others with the operator before each.
    Chain(ExprId, Box<[(Binary, ExprId)]>),
    /// `c ? a : b`
    Choose(ExprId, ExprId, ExprId),
    /// `a = b`, or with an operator `a += b`.
    Assign(Option<Binary>, ExprId, ExprId),
    /// `++a`, `a--`
    Step {
        place: ExprId,
        up: bool,
        prefix: bool,
    },
    Index(ExprId, ExprId),
    Field(ExprId, Ident),
    Call(ExprId, Box<[ExprId]>),
    Quantified(Quantification, Ident, TypeId, ExprId),
    /// `x'`
    Rate(ExprId),
    /// `{ a, b }` or `{ f: a }` in an initialiser.
    List(Box<[(Option<Ident>, ExprId)]>),
}

/// What a quantifier does with the values of its body.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Quantification {
    Forall,
    Exists,
    Sum,
}

/// A binary operator.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Binary {
    Or,
    Imply,
    Xor,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Min,
    Max,
    ShiftLeft,
    ShiftRight,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}

impl Binary {
    /// How it is written.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Binary::Or => "||",
            Binary::Imply => "imply",
            Binary::Xor => "xor",
            Binary::And => "&&",
            Binary::BitOr => "|",
            Binary::BitXor => "^",
            Binary::BitAnd => "&",
            Binary::Eq => "==",
            Binary::Ne => "!=",
            Binary::Lt => "<",
            Binary::Le => "<=",
            Binary::Gt => ">",
            Binary::Ge => ">=",
            Binary::Min => "<?",
            Binary::Max => ">?",
            Binary::ShiftLeft => "<<",
            Binary::ShiftRight => ">>",
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "/",
            Binary::Mod => "%",
        }
    }
}

/// A statement with its place.
#[derive(Clone, Debug)]
pub(crate) struct Stmt {
    pub(crate) kind: StmtKind,
    pub(crate) span: Span,
}

/// A statement of a function.
#[derive(Clone, Debug)]
pub(crate) enum StmtKind {
    /// Declarations and statements in a scope of their own.
    Block(Vec<Decl>, Vec<StmtId>),
    Expr(ExprId),
    If(ExprId, StmtId, Option<StmtId>),
    While(ExprId, StmtId),
    DoWhile(StmtId, ExprId),
    /// `for (init; condition; step) body`
    For([Vec<ExprId>; 3], StmtId),
    /// `for (name : type) body`
    Iterate(Ident, TypeId, StmtId),
    Return(Option<ExprId>),
    Empty,
}
