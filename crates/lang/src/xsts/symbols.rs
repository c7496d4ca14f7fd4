//! What names mean.
//!
//! A name is bound to at most one variable at a time. Locals and loop variables shadow or add
//! bindings; the scope they live in undoes that when it ends. Types and variables are different
//! worlds, but a variable may not be named like a literal, so that a literal can be written short.

use ir::{EnumId, Id, Span, Type, VarId};
use rustc_hash::FxHashMap;

use super::ast::{Ident, Name, Names};

/// The meaning of all names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    /// By name, the variable it stands for here.
    bindings: Vec<Option<Binding>>,
    /// What to restore when scopes end.
    shadowed: Vec<(Name, Option<Binding>)>,
    types: FxHashMap<Name, (EnumId, Span)>,
    literals: FxHashMap<(EnumId, Name), u32>,
    /// The types that have a literal of this name.
    owners: FxHashMap<Name, Vec<(EnumId, Span)>>,
    /// Whether declarations are missing, so that an unknown name is not the user's mistake.
    pub(crate) incomplete: bool,
}

/// A variable that a name stands for.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) var: VarId,
    /// `None` if its declaration is broken, which is reported already.
    pub(crate) ty: Option<Type>,
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// Where a variable comes from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A state variable; they are numbered as declared.
    State(usize),
    /// A local variable, with the scope it lives in.
    Local(usize),
    /// A loop variable.
    Loop,
}

impl Symbols {
    /// Makes room for this many names.
    pub(crate) fn grow(&mut self, names: usize) {
        if self.bindings.len() < names {
            self.bindings.resize(names, None);
        }
    }
    pub(crate) fn get(&self, name: Name) -> Option<&Binding> {
        self.bindings[name.index()].as_ref()
    }
    /// Opens a scope; [`Symbols::leave`] with the result ends it.
    pub(crate) fn enter(&self) -> usize {
        self.shadowed.len()
    }
    pub(crate) fn leave(&mut self, scope: usize) {
        for (name, before) in self.shadowed.drain(scope..).rev() {
            self.bindings[name.index()] = before;
        }
    }
    /// Binds `name` until the current scope ends.
    pub(crate) fn bind(&mut self, name: Name, binding: Binding) {
        let before = self.bindings[name.index()].replace(binding);
        self.shadowed.push((name, before));
    }
    /// Binds `name` for good.
    pub(crate) fn bind_state(&mut self, name: Name, binding: Binding) {
        self.bindings[name.index()] = Some(binding);
    }

    pub(crate) fn add_type(&mut self, ident: Ident, id: EnumId) {
        self.types.insert(ident.name, (id, ident.span));
    }
    pub(crate) fn type_named(&self, name: Name) -> Option<(EnumId, Span)> {
        self.types.get(&name).copied()
    }
    pub(crate) fn type_names(&self) -> impl Iterator<Item = Name> + '_ {
        self.types.keys().copied()
    }
    /// Adds a literal; the place of the first one if the type has it already.
    pub(crate) fn add_literal(&mut self, id: EnumId, ident: Ident, position: u32) -> Result<(), Span> {
        let owners = self.owners.entry(ident.name).or_default();
        if self.literals.contains_key(&(id, ident.name)) {
            return Err(owners.iter().find(|(owner, _)| *owner == id).map_or(ident.span, |(_, span)| *span));
        }
        self.literals.insert((id, ident.name), position);
        owners.push((id, ident.span));
        Ok(())
    }
    pub(crate) fn literal(&self, id: EnumId, name: Name) -> Option<u32> {
        self.literals.get(&(id, name)).copied()
    }
    /// The types that have a literal of this name, with its place.
    pub(crate) fn owners(&self, name: Name) -> &[(EnumId, Span)] {
        self.owners.get(&name).map_or(&[], Vec::as_slice)
    }
    /// The literal that `Type.Literal` stands for; both parts may contain dots.
    pub(crate) fn qualified(&self, names: &Names, name: Name) -> Option<(EnumId, u32)> {
        let text = names.text(name);
        text.match_indices('.').find_map(|(dot, _)| {
            let (id, _) = self.type_named(names.find(&text[..dot])?)?;
            Some((id, self.literal(id, names.find(&text[dot + 1..])?)?))
        })
    }
    /// All names that stand for a variable here.
    pub(crate) fn variables(&self) -> impl Iterator<Item = Name> + '_ {
        self.bindings
            .iter()
            .enumerate()
            .filter(|(_, binding)| binding.is_some())
            .map(|(index, _)| Name::at(index))
    }
}
