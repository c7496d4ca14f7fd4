//! Syntax trees of XSTS, as written.
//!
//! Nodes live in arenas and refer to each other by number, so that dropping or cloning a tree never
//! recurses. Parentheses are not kept. Operators of one level are kept flat, `a + b - c` as one node,
//! so the depth of a tree is the nesting of the text and not the length of its sums.
//!
//! Two models are equal if they have the same structure and names; places do not count.

use indexmap::IndexSet;
use ir::{IdVec, Int, Span};
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
    /// A statement.
    StmtId
);
ir::id!(
    /// A type expression.
    TypeId
);

/// A model as written.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// All names that occur.
    pub names: Names,
    /// Enumerations.
    pub types: Vec<TypeDecl>,
    /// State variables.
    pub vars: Vec<VarDecl>,
    /// What the system does.
    pub trans: Option<Section>,
    /// What is done once.
    pub init: Option<Section>,
    /// What the environment does.
    pub env: Option<Section>,
    /// What is claimed.
    pub prop: Option<Prop>,
    /// What is claimed of runs.
    pub ltl: Vec<Ltl>,
    /// Expressions.
    pub exprs: IdVec<ExprId, Expr>,
    /// Statements.
    pub stmts: IdVec<StmtId, Stmt>,
    /// Type expressions.
    pub type_exprs: IdVec<TypeId, TypeExpr>,
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
    /// The number of `text`, if it occurs.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.table.get_index_of(text).map(ir::Id::at)
    }
    /// How `name` is written.
    pub fn text(&self, name: Name) -> &str {
        &self.table[ir::Id::index(name)]
    }
    /// How many names there are.
    pub fn len(&self) -> usize {
        self.table.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
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

/// `type T : { A, B }`
#[derive(Clone, Debug)]
pub struct TypeDecl {
    /// The name of the type.
    pub ident: Ident,
    /// Its literals.
    pub literals: Vec<Ident>,
}

/// `ctrl var x : T = e`
#[derive(Clone, Debug)]
pub struct VarDecl {
    /// Whether it is marked `ctrl`.
    pub control: bool,
    /// The name of the variable.
    pub ident: Ident,
    /// Its type.
    pub ty: TypeId,
    /// Its initial value.
    pub initial: Option<ExprId>,
}

/// `trans`, `init` or `env` with its branches.
#[derive(Clone, Debug)]
pub struct Section {
    /// The keyword.
    pub span: Span,
    /// The alternatives, at least one unless the text is broken.
    pub branches: Vec<StmtId>,
}

/// `prop { e }`
#[derive(Copy, Clone, Debug)]
pub struct Prop {
    /// The keyword.
    pub span: Span,
    /// What is claimed.
    pub expr: ExprId,
}

/// `ltl { f }`
#[derive(Clone, Debug)]
pub struct Ltl {
    /// The keyword.
    pub span: Span,
    /// Where the formula is.
    pub formula: Span,
    /// The formula on one line, without comments.
    pub text: String,
}

/// A type expression with its place.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// What it is.
    pub kind: TypeKind,
    /// Its place.
    pub span: Span,
}

/// A type expression.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// A built-in type or an enumeration.
    Named(Name),
    /// `[index] -> element`
    Array(TypeId, TypeId),
    /// Not a type; reported.
    Error,
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
    /// `true` or `false`
    Bool(bool),
    /// `12`
    Int(Int),
    /// A variable or a literal of an enumeration.
    Name(Name),
    /// `!e`, `-e` or `+e`
    Unary(UnaryOp, ExprId),
    /// One comparison.
    Compare(CompareOp, ExprId, ExprId),
    /// Two or more operands of one level.
    Chain(Box<Chain>),
    /// `if c then a else b`
    Ite(ExprId, ExprId, ExprId),
    /// `e[i][j <- v]…`, at least one.
    Postfix(ExprId, Box<[Postfix]>),
    /// `[i <- v, <t> default <- d]`
    Array(Box<ArrayLiteral>),
}

/// A prefix operator.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Minus,
    /// `+`
    Plus,
}

/// A comparison.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum CompareOp {
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
}

/// Operands of one level of binding.
///
/// `iff`, `=>` and `xor` group from the right, the others from the left.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The first operand.
    pub first: ExprId,
    /// The others, each with the operator before it; all of one level.
    pub rest: Vec<(ChainOp, ExprId)>,
}

impl Chain {
    /// All operands.
    pub fn operands(&self) -> impl Iterator<Item = ExprId> + '_ {
        std::iter::once(self.first).chain(self.rest.iter().map(|(_, operand)| *operand))
    }
}

/// An operator that can be repeated.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum ChainOp {
    /// `iff`
    Iff,
    /// `=>`, also written `->`
    Implies,
    /// `||`
    Or,
    /// `xor`
    Xor,
    /// `&&`
    And,
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
    /// `rem`
    Rem,
}

/// What follows an array.
#[derive(Copy, Clone, Debug)]
pub enum Postfix {
    /// `[i]`
    Read(ExprId),
    /// `[i <- v]`
    Write(ExprId, ExprId),
}

/// `[i <- v, <t> default <- d]`
#[derive(Clone, Debug)]
pub struct ArrayLiteral {
    /// Positions and their values.
    pub entries: Vec<(ExprId, ExprId)>,
    /// The type of positions, if given.
    pub index: Option<TypeId>,
    /// The value everywhere else.
    pub default: ExprId,
}

/// A statement with its place.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Its place.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `{ … }`
    Block(Box<[StmtId]>),
    /// `local var x : t = e;`
    Local(Ident, TypeId, Option<ExprId>),
    /// `x[i] := e;` with any number of positions.
    Assign(Ident, Box<[ExprId]>, ExprId),
    /// `havoc x;`
    Havoc(Ident),
    /// `assume e;`
    Assume(ExprId),
    /// `choice … or …`
    Choice(Box<[StmtId]>),
    /// `if (c) … else …`
    If(ExprId, StmtId, Option<StmtId>),
    /// `for x from a to b do …`
    For(Ident, ExprId, ExprId, StmtId),
    /// `ort {…} {…}`
    Ort(Box<[StmtId]>),
    /// `__delay;`
    Delay,
}

/// How tightly an expression binds, loosest first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// `if then else`
    Ite,
    /// `iff`
    Iff,
    /// `=>`
    Implies,
    /// `||`
    Or,
    /// `xor`
    Xor,
    /// `&&`
    And,
    /// `!`
    Not,
    /// `==` and `!=`
    Equality,
    /// `<` and its kin
    Relation,
    /// `+` and `-`
    Sum,
    /// `*`, `/`, `%` and `rem`
    Product,
    /// Signs
    Sign,
    /// `a[i]`
    Postfix,
    /// Names, numbers, parentheses
    Primary,
}

impl Level {
    /// The next tighter level.
    pub fn tighter(self) -> Level {
        use Level::*;
        match self {
            Ite => Iff,
            Iff => Implies,
            Implies => Or,
            Or => Xor,
            Xor => And,
            And => Not,
            Not => Equality,
            Equality => Relation,
            Relation => Sum,
            Sum => Product,
            Product => Sign,
            Sign => Postfix,
            Postfix | Primary => Primary,
        }
    }
}

impl ChainOp {
    /// How tightly the operator binds.
    pub fn level(self) -> Level {
        match self {
            ChainOp::Iff => Level::Iff,
            ChainOp::Implies => Level::Implies,
            ChainOp::Or => Level::Or,
            ChainOp::Xor => Level::Xor,
            ChainOp::And => Level::And,
            ChainOp::Add | ChainOp::Sub => Level::Sum,
            ChainOp::Mul | ChainOp::Div | ChainOp::Mod | ChainOp::Rem => Level::Product,
        }
    }
    /// How the operator is written.
    pub fn text(self) -> &'static str {
        match self {
            ChainOp::Iff => "iff",
            ChainOp::Implies => "=>",
            ChainOp::Or => "||",
            ChainOp::Xor => "xor",
            ChainOp::And => "&&",
            ChainOp::Add => "+",
            ChainOp::Sub => "-",
            ChainOp::Mul => "*",
            ChainOp::Div => "/",
            ChainOp::Mod => "%",
            ChainOp::Rem => "rem",
        }
    }
}

impl CompareOp {
    /// How tightly the operator binds.
    pub fn level(self) -> Level {
        match self {
            CompareOp::Eq | CompareOp::Ne => Level::Equality,
            _ => Level::Relation,
        }
    }
    /// How the operator is written.
    pub fn text(self) -> &'static str {
        match self {
            CompareOp::Eq => "==",
            CompareOp::Ne => "!=",
            CompareOp::Lt => "<",
            CompareOp::Le => "<=",
            CompareOp::Gt => ">",
            CompareOp::Ge => ">=",
        }
    }
}

impl ExprKind {
    /// Calls `visit` on every direct part, as written.
    pub fn for_each_child(&self, mut visit: impl FnMut(ExprId)) {
        match self {
            ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Name(_) => {}
            ExprKind::Unary(_, operand) => visit(*operand),
            ExprKind::Compare(_, a, b) => [*a, *b].into_iter().for_each(visit),
            ExprKind::Chain(chain) => chain.operands().for_each(visit),
            ExprKind::Ite(condition, a, b) => [*condition, *a, *b].into_iter().for_each(visit),
            ExprKind::Postfix(base, list) => {
                visit(*base);
                for postfix in list {
                    match postfix {
                        Postfix::Read(at) => visit(*at),
                        Postfix::Write(at, value) => [*at, *value].into_iter().for_each(&mut visit),
                    }
                }
            }
            ExprKind::Array(literal) => {
                literal.entries.iter().flat_map(|(at, value)| [*at, *value]).for_each(&mut visit);
                visit(literal.default);
            }
        }
    }
    /// How tightly the expression binds.
    pub fn level(&self) -> Level {
        match self {
            ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Name(_) | ExprKind::Array(_) => Level::Primary,
            ExprKind::Unary(UnaryOp::Not, _) => Level::Not,
            ExprKind::Unary(..) => Level::Sign,
            ExprKind::Compare(op, ..) => op.level(),
            ExprKind::Chain(chain) => chain.rest.first().map_or(Level::Primary, |(op, _)| op.level()),
            ExprKind::Ite(..) => Level::Ite,
            ExprKind::Postfix(..) => Level::Postfix,
        }
    }
}

impl PartialEq for Model {
    fn eq(&self, other: &Model) -> bool {
        Pair(self, other).models()
    }
}

/// Two models compared piece by piece.
#[derive(Copy, Clone)]
struct Pair<'a>(&'a Model, &'a Model);

impl Pair<'_> {
    fn models(self) -> bool {
        let Pair(a, b) = self;
        all(&a.types, &b.types, |a, b| {
            self.idents(a.ident, b.ident) && all(&a.literals, &b.literals, |a, b| self.idents(*a, *b))
        }) && all(&a.vars, &b.vars, |a, b| {
            a.control == b.control
                && self.idents(a.ident, b.ident)
                && self.types(a.ty, b.ty)
                && both(a.initial, b.initial, |a, b| self.exprs(a, b))
        }) && [(&a.trans, &b.trans), (&a.init, &b.init), (&a.env, &b.env)].into_iter().all(|(a, b)| {
            both(a.as_ref(), b.as_ref(), |a, b| all(&a.branches, &b.branches, |a, b| self.stmts(*a, *b)))
        }) && both(a.prop, b.prop, |a, b| self.exprs(a.expr, b.expr))
            && all(&a.ltl, &b.ltl, |a, b| a.text == b.text)
    }
    fn names(self, a: Name, b: Name) -> bool {
        self.0.names.text(a) == self.1.names.text(b)
    }
    fn idents(self, a: Ident, b: Ident) -> bool {
        self.names(a.name, b.name)
    }
    fn types(self, a: TypeId, b: TypeId) -> bool {
        ir::deep(|| match (&self.0.type_exprs[a].kind, &self.1.type_exprs[b].kind) {
            (TypeKind::Named(a), TypeKind::Named(b)) => self.names(*a, *b),
            (TypeKind::Array(a, c), TypeKind::Array(b, d)) => self.types(*a, *b) && self.types(*c, *d),
            (TypeKind::Error, TypeKind::Error) => true,
            _ => false,
        })
    }
    fn exprs(self, a: ExprId, b: ExprId) -> bool {
        use ExprKind::*;
        ir::deep(|| match (&self.0.exprs[a].kind, &self.1.exprs[b].kind) {
            (Bool(a), Bool(b)) => a == b,
            (Int(a), Int(b)) => a == b,
            (Name(a), Name(b)) => self.names(*a, *b),
            (Unary(op, a), Unary(other, b)) => op == other && self.exprs(*a, *b),
            (Compare(op, a, c), Compare(other, b, d)) => {
                op == other && self.exprs(*a, *b) && self.exprs(*c, *d)
            }
            (Chain(a), Chain(b)) => {
                self.exprs(a.first, b.first)
                    && all(&a.rest, &b.rest, |a, b| a.0 == b.0 && self.exprs(a.1, b.1))
            }
            (Ite(a, c, e), Ite(b, d, f)) => self.exprs(*a, *b) && self.exprs(*c, *d) && self.exprs(*e, *f),
            (Postfix(a, c), Postfix(b, d)) => self.exprs(*a, *b) && all(c, d, |a, b| self.postfixes(*a, *b)),
            (Array(a), Array(b)) => {
                all(&a.entries, &b.entries, |a, b| self.exprs(a.0, b.0) && self.exprs(a.1, b.1))
                    && both(a.index, b.index, |a, b| self.types(a, b))
                    && self.exprs(a.default, b.default)
            }
            _ => false,
        })
    }
    fn postfixes(self, a: Postfix, b: Postfix) -> bool {
        match (a, b) {
            (Postfix::Read(a), Postfix::Read(b)) => self.exprs(a, b),
            (Postfix::Write(a, c), Postfix::Write(b, d)) => self.exprs(a, b) && self.exprs(c, d),
            _ => false,
        }
    }
    fn stmts(self, a: StmtId, b: StmtId) -> bool {
        use StmtKind::*;
        ir::deep(|| match (&self.0.stmts[a].kind, &self.1.stmts[b].kind) {
            (Block(a), Block(b)) | (Choice(a), Choice(b)) | (Ort(a), Ort(b)) => {
                all(a, b, |a, b| self.stmts(*a, *b))
            }
            (Local(a, c, e), Local(b, d, f)) => {
                self.idents(*a, *b) && self.types(*c, *d) && both(*e, *f, |a, b| self.exprs(a, b))
            }
            (Assign(a, c, e), Assign(b, d, f)) => {
                self.idents(*a, *b) && all(c, d, |a, b| self.exprs(*a, *b)) && self.exprs(*e, *f)
            }
            (Havoc(a), Havoc(b)) => self.idents(*a, *b),
            (Assume(a), Assume(b)) => self.exprs(*a, *b),
            (If(a, c, e), If(b, d, f)) => {
                self.exprs(*a, *b) && self.stmts(*c, *d) && both(*e, *f, |a, b| self.stmts(a, b))
            }
            (For(a, c, e, g), For(b, d, f, h)) => {
                self.idents(*a, *b) && self.exprs(*c, *d) && self.exprs(*e, *f) && self.stmts(*g, *h)
            }
            (Delay, Delay) => true,
            _ => false,
        })
    }
}

fn all<T>(a: &[T], b: &[T], mut same: impl FnMut(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}
fn both<T>(a: Option<T>, b: Option<T>, same: impl FnOnce(T, T) -> bool) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => same(a, b),
        (None, None) => true,
        _ => false,
    }
}
