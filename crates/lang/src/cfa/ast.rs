//! Syntax trees of control-flow automata, as written.

use ir::Span;

use crate::theta::ast::{Decl, ExprId, Ident, Tree};

/// A file.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub(crate) tree: Tree,
    /// Variables outside of processes.
    pub(crate) globals: Vec<Decl>,
    pub(crate) processes: Vec<Process>,
}

/// A process.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) main: bool,
    pub(crate) ident: Ident,
    pub(crate) vars: Vec<Decl>,
    pub(crate) locations: Vec<Loc>,
    pub(crate) edges: Vec<Edge>,
}

/// A location.
#[derive(Clone, Debug)]
pub(crate) struct Loc {
    pub(crate) kind: LocKind,
    pub(crate) ident: Ident,
}

/// What a location is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum LocKind {
    Plain,
    Init,
    Final,
    Error,
}

/// `a -> b { ... }`.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) source: Ident,
    pub(crate) target: Ident,
    pub(crate) stmts: Vec<Stmt>,
    pub(crate) span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    Assign(Ident, ExprId),
    Havoc(Ident),
    Assume(ExprId),
}
