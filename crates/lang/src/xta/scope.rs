//! Names and what they stand for; scopes within scopes.

use ir::Span;
use rustc_hash::FxHashMap;

use crate::xta::ast::{FunctionId, Name, TemplateId};
use crate::xta::types::{Place, Ty};

ir::id!(
    /// A scope.
    ScopeId
);

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Symbol {
    /// A variable, constant, clock or channel.
    Place(Place),
    Type(Ty),
    /// A function and the scope it is declared in.
    Function(FunctionId, ScopeId),
    Template(TemplateId),
    /// An instance, by its number among the declarations.
    Instance(usize),
    /// Declared, but wrong; reported already.
    Broken,
}

/// The names declared together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub(crate) parent: Option<ScopeId>,
    names: FxHashMap<Name, (Symbol, Span)>,
}

impl Scope {
    /// An empty scope within another.
    pub(crate) fn within(parent: ScopeId) -> Self {
        Scope { parent: Some(parent), names: FxHashMap::default() }
    }
    /// Declares a name; the place of an earlier declaration if there is one.
    pub(crate) fn declare(&mut self, name: Name, symbol: Symbol, span: Span) -> Option<Span> {
        self.names.insert(name, (symbol, span)).map(|(_, span)| span)
    }
    /// What a name stands for here, without the scopes around.
    pub(crate) fn own(&self, name: Name) -> Option<&Symbol> {
        self.names.get(&name).map(|(symbol, _)| symbol)
    }
    /// All names declared here.
    pub(crate) fn names(&self) -> impl Iterator<Item = Name> + '_ {
        self.names.keys().copied()
    }
}
