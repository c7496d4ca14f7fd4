//! Syntax trees of expressions and types, as written, in arenas.

use ir::{IdVec, Int, Span};

ir::id!(
    /// An expression.
    ExprId
);
ir::id!(
    /// A type as written.
    TypeId
);

/// The expressions and types of a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub(crate) exprs: IdVec<ExprId, Expr>,
    pub(crate) types: IdVec<TypeId, (TypeKind, Span)>,
}

/// A name where it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ident {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// `x : int`.
#[derive(Clone, Debug)]
pub(crate) struct Decl {
    pub(crate) ident: Ident,
    pub(crate) ty: TypeId,
}

/// A type.
#[derive(Clone, Debug)]
pub(crate) enum TypeKind {
    Bool,
    Int,
    Rat,
    Bits(u32),
    /// Indices and elements.
    Array(Vec<TypeId>, TypeId),
    /// It has been reported that this is none, or none that is supported.
    Wrong,
}

/// An expression and where it is written.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Bool(bool),
    Int(Int),
    Rat(Int, Int),
    Bits(Int, u32),
    Name(String),
    /// The next value.
    Prime(ExprId),
    Unary(Unary, ExprId),
    Binary(Binary, ExprId, ExprId),
    /// Conjunction or disjunction of two or more.
    All(Vec<ExprId>),
    Any(Vec<ExprId>),
    Ite(ExprId, ExprId, ExprId),
    /// `forall` and `exists`.
    Quantified(Quantifier, Vec<Decl>, ExprId),
    Read(ExprId, ExprId),
    Write(ExprId, ExprId, ExprId),
    /// The bits from `from` to just before `until`.
    Extract {
        of: ExprId,
        until: u32,
        from: u32,
    },
    Extend {
        of: ExprId,
        width: u32,
        signed: bool,
    },
    Array {
        entries: Vec<(ExprId, ExprId)>,
        index: Option<TypeId>,
        default: ExprId,
    },
    /// It has been reported that this is none, or none that is supported.
    Wrong,
}

/// Whether something holds for all values or for some.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Quantifier {
    Forall,
    Exists,
}

/// An operator with one operand.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Unary {
    Not,
    Plus,
    Minus,
    BvPos,
    BvNeg,
    BvNot,
}

macro_rules! operators {
    ($($name:ident $text:literal,)*) => {
        /// An operator with two operands.
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub(crate) enum Binary { $($name,)* }

        impl Binary {
            /// The operator that is written so in models.
            pub(crate) fn of(text: &str) -> Option<Binary> {
                match text { $($text => Some(Binary::$name),)* _ => None }
            }
            /// How it is written in models.
            pub(crate) fn text(self) -> &'static str {
                match self { $(Binary::$name => $text,)* }
            }
            /// All of them.
            #[cfg(test)]
            pub(crate) const ALL: &[Binary] = &[$(Binary::$name,)*];
        }
    };
}

operators! {
    Iff "iff",
    Imply "imply",
    Xor "xor",
    Eq "=",
    Ne "/=",
    Lt "<",
    Le "<=",
    Gt ">",
    Ge ">=",
    BvUlt "bvult",
    BvUle "bvule",
    BvUgt "bvugt",
    BvUge "bvuge",
    BvSlt "bvslt",
    BvSle "bvsle",
    BvSgt "bvsgt",
    BvSge "bvsge",
    BvOr "bvor",
    BvXor "bvxor",
    BvAnd "bvand",
    BvShl "bvshl",
    BvAshr "bvashr",
    BvLshr "bvlshr",
    BvRol "bvrol",
    BvRor "bvror",
    Add "+",
    Sub "-",
    BvAdd "bvadd",
    BvSub "bvsub",
    Mul "*",
    Div "/",
    Mod "mod",
    Rem "rem",
    BvMul "bvmul",
    BvUdiv "bvudiv",
    BvSdiv "bvsdiv",
    BvSmod "bvsmod",
    BvUrem "bvurem",
    BvSrem "bvsrem",
    Concat "++",
}

impl Binary {
    /// How tightly it binds; and how operators of one level group.
    pub(crate) fn level(self) -> (Level, Grouping) {
        use Binary::*;
        match self {
            Iff => (Level::Iff, Grouping::Right),
            Imply => (Level::Imply, Grouping::Right),
            Xor => (Level::Xor, Grouping::Right),
            Eq | Ne => (Level::Equality, Grouping::Single),
            Lt | Le | Gt | Ge | BvUlt | BvUle | BvUgt | BvUge | BvSlt | BvSle | BvSgt | BvSge => {
                (Level::Relation, Grouping::Single)
            }
            BvOr => (Level::BitOr, Grouping::Single),
            BvXor => (Level::BitXor, Grouping::Single),
            BvAnd => (Level::BitAnd, Grouping::Single),
            BvShl | BvAshr | BvLshr | BvRol | BvRor => (Level::Shift, Grouping::Single),
            Add | Sub | BvAdd | BvSub => (Level::Sum, Grouping::Left),
            Mul | Div | Mod | Rem | BvMul | BvUdiv | BvSdiv | BvSmod | BvUrem | BvSrem => {
                (Level::Product, Grouping::Left)
            }
            Concat => (Level::Concat, Grouping::Left),
        }
    }
}

/// How tightly operators bind, the loosest first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Level {
    Ite,
    Iff,
    Imply,
    Quantified,
    Or,
    Xor,
    And,
    Not,
    Equality,
    Relation,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Product,
    Concat,
    Extend,
    Unary,
}

/// How operators of one level group.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Grouping {
    Left,
    Right,
    /// Only one of them may stand without parentheses.
    Single,
}
