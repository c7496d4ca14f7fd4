//! Syntax trees of symbolic transition systems, as written.

use ir::Span;

use crate::theta::ast::{Decl, ExprId, Ident, Tree};

/// A specification.
#[derive(Clone, Debug, Default)]
pub(crate) struct Specification {
    pub(crate) tree: Tree,
    /// Constants without values, as parameters are.
    pub(crate) params: Vec<Decl>,
    pub(crate) consts: Vec<Const>,
    pub(crate) vars: Vec<Decl>,
    pub(crate) systems: Vec<SystemDecl>,
    pub(crate) properties: Vec<Property>,
    /// Values of variables, which have no meaning.
    pub(crate) ignored: Vec<Span>,
}

/// `const c : int := 5`.
#[derive(Clone, Debug)]
pub(crate) struct Const {
    pub(crate) decl: Decl,
    pub(crate) value: Option<ExprId>,
}

/// `system S(p : int) := ...`.
#[derive(Clone, Debug)]
pub(crate) struct SystemDecl {
    pub(crate) ident: Ident,
    pub(crate) params: Vec<Decl>,
    pub(crate) sts: Sts,
}

/// A system, or the name of one.
#[derive(Clone, Debug)]
pub(crate) enum Sts {
    Body(Body),
    Named(Ident, Vec<ExprId>),
}

/// What a system consists of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub(crate) consts: Vec<Const>,
    pub(crate) vars: Vec<Decl>,
    pub(crate) invariants: Vec<ExprId>,
    pub(crate) initial: Vec<ExprId>,
    pub(crate) transitions: Vec<ExprId>,
}

/// `property P : S models G(e)`.
#[derive(Clone, Debug)]
pub(crate) struct Property {
    pub(crate) ident: Ident,
    pub(crate) sts: Sts,
    pub(crate) claim: ExprId,
}
