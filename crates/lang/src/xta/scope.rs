//! Names and what they stand for; scopes within scopes.
//!
//! Names are resolved in order of declaration: a name stands for the innermost of the declarations that
//! come before its use. What is read at once follows from that alone, because declarations are made in
//! the order of the text. The bodies of functions and templates are read later, when they are called and
//! instantiated; they are read at the [`Point`] where they are declared, so that they see nothing that
//! comes after it. Parameters see what is around them, but not each other.

use indexmap::IndexMap;
use ir::{IdVec, Span};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::xta::ast::{FunctionId, Ident, Name, TemplateId};
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
    /// A function; its body sees what is declared before it, and itself.
    Function(FunctionId, Point),
    /// A template; it sees what is declared before it.
    Template(TemplateId, Point),
    /// An instance, by its number among the declarations; it sees what is declared before it.
    Instance(usize, Point),
    /// A function of a library.
    External(ExternalFunction),
    /// A location of the template around.
    Location,
    /// Declared, but wrong and reported already; or of no interest where only names matter.
    Broken,
}

/// A function of a library, as far as calls need to know it.
#[derive(Copy, Clone, Debug)]
pub(crate) struct ExternalFunction {
    pub(crate) name: Name,
    /// Whether it gives nothing.
    pub(crate) void: bool,
    /// Whether it may change what it is given.
    pub(crate) changes: bool,
}

/// A point of the text as names see it: a scope, and how many of its declarations come before.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Point {
    scope: ScopeId,
    before: usize,
}

impl Point {
    /// The point after the next declaration.
    pub(crate) fn after_next(self) -> Point {
        Point { before: self.before + 1, ..self }
    }
}

/// Why a name that a scope declares is not known yet.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum NotYet {
    /// Its declaration comes later.
    Later,
    /// It is a parameter, and so is what uses it.
    Parameter,
}

/// The names declared together.
#[derive(Clone, Debug, Default)]
struct Scope {
    parent: Option<Point>,
    /// In order of declaration.
    names: IndexMap<Name, (Symbol, Span), FxBuildHasher>,
    /// All names that are or will be declared here, and where; for messages.
    announced: FxHashMap<Name, (Span, NotYet)>,
}

/// All scopes, and the one where names are declared and looked up.
#[derive(Debug)]
pub(crate) struct Scopes {
    list: IdVec<ScopeId, Scope>,
    current: ScopeId,
}

impl Scopes {
    /// An empty scope with nothing around.
    pub(crate) fn new() -> Self {
        let mut list = IdVec::new();
        let current = list.push(Scope::default());
        Scopes { list, current }
    }
    pub(crate) fn current(&self) -> ScopeId {
        self.current
    }
    /// The point after everything that is declared so far.
    pub(crate) fn here(&self) -> Point {
        Point { scope: self.current, before: self.list[self.current].names.len() }
    }
    /// Goes to a new scope at a point; gives the scope to come back to.
    pub(crate) fn enter(&mut self, at: Point) -> ScopeId {
        let scope = self.list.push(Scope { parent: Some(at), ..Scope::default() });
        std::mem::replace(&mut self.current, scope)
    }
    /// Goes back to a scope.
    pub(crate) fn leave(&mut self, to: ScopeId) {
        self.current = to;
    }
    /// Declares a name; the place of an earlier declaration if there is one.
    pub(crate) fn declare(&mut self, ident: Ident, symbol: Symbol) -> Option<Span> {
        let names = &mut self.list[self.current].names;
        names.insert(ident.name, (symbol, ident.span)).map(|(_, span)| span)
    }
    /// Says that names will be declared here.
    pub(crate) fn announce(&mut self, idents: impl IntoIterator<Item = Ident>, why: NotYet) {
        let announced = &mut self.list[self.current].announced;
        for ident in idents {
            announced.entry(ident.name).or_insert((ident.span, why));
        }
    }
    /// What a name stands for.
    pub(crate) fn lookup(&self, name: Name) -> Option<&Symbol> {
        self.around().find_map(|point| {
            let (at, _, (symbol, _)) = self.list[point.scope].names.get_full(&name)?;
            (at < point.before).then_some(symbol)
        })
    }
    /// The declaration of a name that nothing stands for yet.
    pub(crate) fn announced(&self, name: Name) -> Option<(Span, NotYet)> {
        self.around().find_map(|point| self.list[point.scope].announced.get(&name).copied())
    }
    /// What a name stands for in a scope, without those around.
    pub(crate) fn own(&self, scope: ScopeId, name: Name) -> Option<&Symbol> {
        self.list[scope].names.get(&name).map(|(symbol, _)| symbol)
    }
    /// The names declared in a scope, without those around.
    pub(crate) fn names_of(&self, scope: ScopeId) -> impl Iterator<Item = Name> + '_ {
        self.list[scope].names.keys().copied()
    }
    /// All names that stand for something here, without locations and what is predefined.
    pub(crate) fn visible(&self) -> impl Iterator<Item = Name> + '_ {
        self.around().filter(|point| self.list[point.scope].parent.is_some()).flat_map(|point| {
            let names = self.list[point.scope].names.iter().take(point.before);
            names.filter(|(_, (symbol, _))| !matches!(symbol, Symbol::Location)).map(|(name, _)| *name)
        })
    }
    /// The points that names are looked up at, from the inside out.
    fn around(&self) -> impl Iterator<Item = Point> + '_ {
        std::iter::successors(Some(self.here()), |point| self.list[point.scope].parent)
    }
}
