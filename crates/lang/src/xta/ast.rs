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
pub struct Ast {
    /// All names that occur.
    pub names: Names,
    /// Global declarations in order.
    pub decls: Vec<Decl>,
    /// The processes of the system line.
    pub system: Option<SystemLine>,
    /// Which channels go before others.
    pub priorities: Option<ChannelPriorities>,
    /// Explicit alphabets for CSP channels.
    pub alphabets: Vec<Alphabet>,
    /// The model's own queries.
    pub queries: Vec<Formula>,
    /// What `before_update` and `after_update` do.
    pub around_updates: Vec<ExprId>,
    /// Whether the text is of the oldest syntax, where parameters that are no constants are references.
    pub old: bool,
    /// What the text of a `.xta` model is made of, in order.
    pub pieces: Vec<Piece>,
    /// Templates.
    pub templates: IdVec<TemplateId, Template>,
    /// Functions, global and local.
    pub functions: IdVec<FunctionId, Function>,
    /// Expressions.
    pub exprs: IdVec<ExprId, Expr>,
    /// Statements of functions.
    pub stmts: IdVec<StmtId, Stmt>,
    /// Type expressions.
    pub types: IdVec<TypeId, TypeExpr>,
}

/// A part of a text, from its first word to its last.
#[derive(Copy, Clone, Debug)]
pub struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// Its place.
    pub span: Span,
}

/// What a part of a text is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum PieceKind {
    /// A declaration of something else than a process.
    Declaration,
    /// A template.
    Template,
    /// An instance, the system line, or something that follows it.
    System,
    /// Queries.
    Queries,
}

/// A table of distinct names.
#[derive(Clone, Debug, Default)]
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
    pub fn find(&self, text: &str) -> Option<Name> {
        self.table.get_index_of(text).map(ir::Id::at)
    }
    /// How `name` is written.
    pub fn text(&self, name: Name) -> &str {
        &self.table[ir::Id::index(name)]
    }
}

/// A name and where it is written.
#[derive(Copy, Clone, Debug)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Its place.
    pub span: Span,
}

/// A declaration.
#[derive(Clone, Debug)]
pub enum Decl {
    /// A variable, constant, clock or channel.
    Var(VarDecl),
    /// `typedef type name;`
    Typedef(VarDecl),
    /// A function.
    Function(FunctionId),
    /// A template; only global.
    Template(TemplateId),
    /// An instance; only global.
    Instance(Instance),
    /// A function of a library.
    External(External),
    /// A name that stands in a declaration which cannot be read.
    Unread(Ident),
}

impl Decl {
    /// The name it declares.
    pub fn ident(&self, ast: &Ast) -> Ident {
        match self {
            Decl::Var(var) | Decl::Typedef(var) => var.ident,
            Decl::Function(id) => ast.functions[*id].ident,
            Decl::Template(id) => ast.templates[*id].ident,
            Decl::Instance(instance) => instance.ident,
            Decl::External(function) => function.ident,
            Decl::Unread(ident) => *ident,
        }
    }
}

/// One declared name: `type name[dims] = initial`.
#[derive(Clone, Debug)]
pub struct VarDecl {
    /// The name it declares.
    pub ident: Ident,
    /// The type before the name.
    pub ty: TypeId,
    /// The dimensions behind the name, outermost first.
    pub dims: Vec<Dim>,
    /// The initial value.
    pub initial: Option<ExprId>,
}

/// The size of one dimension of an array.
#[derive(Copy, Clone, Debug)]
pub enum Dim {
    /// A number, or the name of a type.
    Size(ExprId),
    /// A type.
    Type(TypeId),
}

/// A formal parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name and type.
    pub var: VarDecl,
    /// Whether it is written with `&`.
    pub by_reference: bool,
}

/// `ty name(params) { body }`
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub ident: Ident,
    /// The type of its result.
    pub result: TypeId,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Its body, a block.
    pub body: StmtId,
}

/// `ty name(params);` within `import "library" { … }`
#[derive(Clone, Debug)]
pub struct External {
    /// Its name.
    pub ident: Ident,
    /// The type of its result.
    pub result: TypeId,
    /// Its parameters.
    pub params: Vec<Param>,
}

/// `process name(params) { … }`
#[derive(Clone, Debug)]
pub struct Template {
    /// Its name.
    pub ident: Ident,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Local declarations in order.
    pub decls: Vec<Decl>,
    /// Where these are written, comments included.
    pub declared: Span,
    /// Its locations in order.
    pub locations: Vec<Location>,
    /// The initial location, by position.
    pub initial: Option<usize>,
    /// Its edges from location to location, in order.
    pub edges: Vec<Edge>,
    /// Its branch points in order.
    pub branches: Vec<Branch>,
}

impl Template {
    /// All edges, also those to and from branch points.
    pub fn all_edges(&self) -> impl Iterator<Item = &Edge> {
        let branched = self.branches.iter().flat_map(|branch| branch.incoming.iter().chain(&branch.outgoing));
        self.edges.iter().chain(branched)
    }
}

/// A branch point: an edge that leads there goes on along one of those that leave it, in the same step.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Its name, or the number that a document knows it by.
    pub ident: Ident,
    /// Edges that lead there; their target says nothing.
    pub incoming: Vec<Edge>,
    /// Edges that leave it; their source says nothing.
    pub outgoing: Vec<Edge>,
}

/// A location of a template.
#[derive(Clone, Debug)]
pub struct Location {
    /// Its name.
    pub ident: Ident,
    /// Whether that is a name the user gave it, and no number that a document knows it by.
    pub named: bool,
    /// All of them hold while a process is here.
    pub invariant: Vec<ExprId>,
    /// Where its exponential rate is written, if it has one.
    pub rate: Option<Span>,
    /// Whether it is urgent or committed.
    pub kind: LocationKind,
}

/// An edge of a template; locations by position.
#[derive(Clone, Debug)]
pub struct Edge {
    /// From here,
    pub source: usize,
    /// to here.
    pub target: usize,
    /// Names with the types whose values they run through.
    pub select: Vec<(Ident, TypeId)>,
    /// All of them must hold.
    pub guard: Vec<ExprId>,
    /// With whom.
    pub sync: Option<Sync>,
    /// What it does, in order.
    pub update: Vec<ExprId>,
    /// Where its weight is written, if it has one.
    pub weight: Option<Span>,
    /// Where it is written.
    pub span: Span,
}

impl Edge {
    /// An edge without labels, written here.
    pub(crate) fn at(span: Span) -> Edge {
        Edge {
            source: 0,
            target: 0,
            select: vec![],
            guard: vec![],
            sync: None,
            update: vec![],
            weight: None,
            span,
        }
    }
}

/// `c!`, `c?` or `c`
#[derive(Copy, Clone, Debug)]
pub struct Sync {
    /// The channel, which may be an entry of an array.
    pub channel: ExprId,
    /// On which side.
    pub role: ir::Role,
}

/// `name(params) = template(args);`
#[derive(Clone, Debug)]
pub struct Instance {
    /// Its name.
    pub ident: Ident,
    /// Its own parameters, which arguments may use.
    pub params: Vec<Param>,
    /// The template or instance it is made of.
    pub template: Ident,
    /// What the parameters of that are given.
    pub args: Vec<ExprId>,
    /// Where it is written.
    pub span: Span,
}

/// `system a, b < c;`
#[derive(Clone, Debug)]
pub struct SystemLine {
    /// Templates and instances, in order.
    pub processes: Vec<Ident>,
    /// For each of them, how many `<` stand before it: its priority.
    pub levels: Vec<u32>,
}

/// `chan priority a, b[1] < default < c;`
#[derive(Clone, Debug)]
pub struct ChannelPriorities {
    /// Channels and arrays of them, `None` for `default`, each with how many `<` stand before it.
    pub channels: Vec<(Option<ExprId>, u32)>,
    /// Where it is written.
    pub span: Span,
}

/// `IO process { channels }`
#[derive(Clone, Debug)]
pub struct Alphabet {
    /// Who knows the channels.
    pub process: Ident,
    /// Which ones.
    pub channels: Vec<ExprId>,
}

/// The kinds of queries.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// `A[]`
    Always,
    /// `E<>`
    Possibly,
    /// `A<>`: on every run, some time.
    Inevitably,
    /// `E[]`: on some run, always.
    Invariably,
    /// `p --> q`, or `A[] (p imply A<> q)`: on every run, whenever the first holds, the second does some time.
    LeadsTo,
    /// `not (p --> q)`: on some run, the first holds and the second never does after it, or not in time.
    Unanswered,
}

/// A query: its text, and what it says if it is of a supported kind.
#[derive(Clone, Debug)]
pub struct Formula {
    /// What the user wrote, decoded; empty where it is the text at its place.
    pub text: String,
    /// Where it is written.
    pub span: Span,
    /// What it says, or why it cannot be read.
    pub body: Result<Query, crate::diagnostic::Diagnostic>,
    /// What is recorded about it beside it.
    pub recorded: Option<crate::Recorded>,
}

/// What a query says.
#[derive(Clone, Debug)]
pub struct Query {
    /// Its kind; one that asks for values asks whether there are any.
    pub quantifier: Quantifier,
    /// The condition.
    pub expr: ExprId,
    /// What the condition leads to, if that is asked.
    pub then: Option<ExprId>,
    /// How much time that may take, if there is a limit.
    pub within: Option<TimeBound>,
    /// Which values are asked for where the condition holds, if that is what it asks for.
    pub values: Option<Values>,
}

/// How much time something may take.
#[derive(Copy, Clone, Debug)]
pub struct TimeBound {
    /// The amount; none at all if it is not said.
    pub amount: Option<ExprId>,
    /// Whether it has to take less: `[<10]` instead of `[<=10]`.
    pub strict: bool,
}

/// The values that `sup`, `inf` and `bounds` ask for.
#[derive(Clone, Debug)]
pub struct Values {
    /// Which of them.
    pub extreme: crate::Extreme,
    /// The condition as it is written, if it is.
    pub condition: Option<String>,
    /// The expressions, and how they are written.
    pub of: Vec<(ExprId, String)>,
    /// `p --> q` as it is written, if what is asked for is how much time that takes.
    pub response: Option<String>,
}

/// A type expression with its place.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// What it is.
    pub kind: TypeKind,
    /// What stands before it.
    pub prefix: Prefix,
    /// Its place.
    pub span: Span,
}

/// What stands before a type.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub struct Prefix {
    /// `const`
    pub constant: bool,
    /// `urgent`
    pub urgent: bool,
    /// `broadcast`
    pub broadcast: bool,
    /// `meta`
    pub meta: bool,
    /// `hybrid`
    pub hybrid: bool,
}

/// A type expression.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `bool`
    Bool,
    /// `int` or `int[low, high]`
    Int(Option<(ExprId, ExprId)>),
    /// `clock`
    Clock,
    /// `chan`
    Chan,
    /// `void`
    Void,
    /// `scalar[size]`
    Scalar(ExprId),
    /// `struct { fields }`
    Struct(Vec<VarDecl>),
    /// The name of a type.
    Named(Name),
    /// `double`
    Double,
    /// `string`
    Text,
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Int(i64),
    /// `true` or `false`
    Bool(bool),
    /// A floating-point number.
    Double,
    /// A text in quotes.
    Text,
    /// `spawn P(a, b)`
    Spawn(Box<[ExprId]>),
    /// A name.
    Name(Name),
    /// `deadlock`
    Deadlock,
    /// `!a`
    Not(ExprId),
    /// `-a`
    Minus(ExprId),
    /// `+a`
    Plus(ExprId),
    /// Operands of one level: the first, and the others with the operator before each.
    Chain(ExprId, Box<[(Binary, ExprId)]>),
    /// `c ? a : b`
    Choose(ExprId, ExprId, ExprId),
    /// `a = b`, or with an operator `a += b`.
    Assign(Option<Binary>, ExprId, ExprId),
    /// `++a`, `a--`
    Step {
        /// What is changed.
        place: ExprId,
        /// Whether it grows.
        up: bool,
        /// Whether the value is the one after the change.
        prefix: bool,
    },
    /// `a[i]`
    Index(ExprId, ExprId),
    /// `a.f`
    Field(ExprId, Ident),
    /// `f(a, b)`
    Call(ExprId, Box<[ExprId]>),
    /// `forall (i : type) e`, or with another quantifier.
    Quantified(Quantification, Ident, TypeId, ExprId),
    /// `x'`
    Rate(ExprId),
    /// `{ a, b }` or `{ f: a }` in an initialiser.
    List(Box<[(Option<Ident>, ExprId)]>),
}

/// What a quantifier does with the values of its body.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Quantification {
    /// All are true.
    Forall,
    /// Some is true.
    Exists,
    /// They are added.
    Sum,
}

/// A binary operator.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// `||`
    Or,
    /// `imply`
    Imply,
    /// `xor`
    Xor,
    /// `&&`
    And,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&`
    BitAnd,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `<?`
    Min,
    /// `>?`
    Max,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `**`
    Power,
}

impl Binary {
    /// How it is written.
    pub fn text(self) -> &'static str {
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
            Binary::Power => "**",
        }
    }
}

/// A statement with its place.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Its place.
    pub span: Span,
}

/// A statement of a function.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Declarations and statements in a scope of their own.
    Block(Vec<Decl>, Vec<StmtId>),
    /// `e;`
    Expr(ExprId),
    /// `if (c) a else b`
    If(ExprId, StmtId, Option<StmtId>),
    /// `while (c) body`
    While(ExprId, StmtId),
    /// `do body while (c);`
    DoWhile(StmtId, ExprId),
    /// `for (init; condition; step) body`
    For([Vec<ExprId>; 3], StmtId),
    /// `for (name : type) body`
    Iterate(Ident, TypeId, StmtId),
    /// `return e;`
    Return(Option<ExprId>),
    /// `;`
    Empty,
}
