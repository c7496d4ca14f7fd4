//! Which names are visible where.
//!
//! A package sees what it declares, then what it imports, then what its imports import, nearest first; packages are
//! no namespaces. Types, interfaces, components and values (constants, functions, variables, parameters) are
//! different kinds of names and do not hide each other. Within a component its own names come first, and local ones
//! before those.

use std::collections::VecDeque;

use ir::{Id, IdVec};
use rustc_hash::FxHashMap;

use super::ast::*;
use super::import::Imports;
use super::project::Def;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::nearest::nearest;

/// A kind of names.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Space {
    Type,
    Interface,
    Component,
    Value,
}

/// What packages declare, and which packages see which.
pub(super) struct Globals {
    declared: FxHashMap<(PackageId, Space, Name), Def>,
    /// For each package those that it sees, itself first, nearer ones before others.
    visible: IdVec<PackageId, Vec<PackageId>>,
}

impl Globals {
    pub(super) fn new(ast: &Ast, imports: &Imports, diagnostics: &mut Diagnostics) -> Self {
        let mut declared: FxHashMap<_, Def> = FxHashMap::default();
        for (id, package) in ast.packages.entries() {
            for item in &package.items {
                let (space, def, ident) = match *item {
                    Item::Constant(id) => (Space::Value, Def::Variable(id), ast.variables[id].ident),
                    Item::Function(id) => (Space::Value, Def::Function(id), ast.functions[id].ident),
                    Item::Type(id) => (Space::Type, Def::Type(id), ast.type_decls[id].ident),
                    Item::Interface(id) => (Space::Interface, Def::Interface(id), ast.interfaces[id].ident),
                    Item::Component(id) => (Space::Component, Def::Component(id), ast.components[id].ident),
                };
                let key = (id, space, ident.name);
                match declared.get(&key) {
                    Some(first) => diagnostics.push(duplicate(ast, ident, place(ast, *first))),
                    None => drop(declared.insert(key, def)),
                }
            }
        }
        let visible = ast.packages.ids().map(|package| seen_by(package, imports)).collect();
        Globals { declared, visible }
    }
    /// What a package calls `name`.
    pub(super) fn find(&self, package: PackageId, space: Space, name: Name) -> Option<Def> {
        self.visible[package].iter().find_map(|seen| self.declared.get(&(*seen, space, name)).copied())
    }
    /// All names of a kind that a package sees.
    pub(super) fn names<'a>(
        &'a self,
        ast: &'a Ast,
        package: PackageId,
        space: Space,
    ) -> impl Iterator<Item = &'a str> {
        let seen = &self.visible[package];
        let of_space =
            move |(declared, kind, _): &&(PackageId, Space, Name)| *kind == space && seen.contains(declared);
        self.declared.keys().filter(of_space).map(|(_, _, name)| ast.names.text(*name))
    }
}

/// Packages in the order of how near they are.
fn seen_by(package: PackageId, imports: &Imports) -> Vec<PackageId> {
    let mut seen = vec![package];
    let mut known = vec![false; imports.len()];
    known[package.index()] = true;
    let mut next = VecDeque::from([package]);
    while let Some(package) = next.pop_front() {
        for &import in &imports[package] {
            if !std::mem::replace(&mut known[import.index()], true) {
                seen.push(import);
                next.push_back(import);
            }
        }
    }
    seen
}

/// Where something is declared.
pub(super) fn place(ast: &Ast, def: Def) -> Ident {
    match def {
        Def::Type(id) => ast.type_decls[id].ident,
        Def::Literal(ty, at) => match &ast.types[ty].kind {
            TypeKind::Enum(literals) => literals[at as usize],
            _ => unreachable!("a literal is one of an enumeration"),
        },
        Def::Field(ty, at) => match &ast.types[ty].kind {
            TypeKind::Record(fields) => fields[at as usize].ident,
            _ => unreachable!("a field is one of a record"),
        },
        Def::Variable(id) => ast.variables[id].ident,
        Def::Param(id) => ast.params[id].ident,
        Def::Function(id) => ast.functions[id].ident,
        Def::Interface(id) => ast.interfaces[id].ident,
        Def::Event(id) => ast.events[id].ident,
        Def::Port(id) => ast.ports[id].ident,
        Def::Component(id) => ast.components[id].ident,
        Def::Instance(id) => ast.instances[id].ident,
        Def::Region(id) => ast.regions[id].ident,
        Def::Node(id) => ast.nodes[id].ident,
        Def::Timeout(id) => ast.timeouts[id].ident,
        Def::Clock(id) => ast.clocks[id].ident,
    }
}

/// The error that a name is declared twice.
pub(super) fn duplicate(ast: &Ast, again: Ident, first: Ident) -> Diagnostic {
    let name = ast.text(again);
    let message = format!("`{name}` is declared twice; rename one of the two");
    Diagnostic::error(Code::DuplicateName, again.span, message).about(name).note(first.span, "first here")
}

/// Names of one component.
#[derive(Default)]
pub(super) struct Names {
    table: FxHashMap<Name, Def>,
}

impl Names {
    pub(super) fn add(&mut self, ast: &Ast, ident: Ident, def: Def, diagnostics: &mut Diagnostics) {
        match self.table.get(&ident.name) {
            Some(first) => diagnostics.push(duplicate(ast, ident, place(ast, *first))),
            None => drop(self.table.insert(ident.name, def)),
        }
    }
    pub(super) fn get(&self, name: Name) -> Option<Def> {
        self.table.get(&name).copied()
    }
    pub(super) fn near(&self, ast: &Ast, wanted: &str) -> Option<String> {
        let names = self.table.keys().map(|name| ast.names.text(*name));
        nearest(wanted, names).map(str::to_owned)
    }
    pub(super) fn texts<'a>(&'a self, ast: &'a Ast) -> impl Iterator<Item = &'a str> {
        self.table.keys().map(|name| ast.names.text(*name))
    }
}

/// What is visible at a place.
pub(super) struct Scope {
    /// The file.
    pub(super) package: PackageId,
    /// Variables, parameters and functions of the component.
    pub(super) values: Names,
    /// Its ports; for an adapter also those of what it wraps.
    pub(super) ports: Names,
    /// Its timeouts.
    pub(super) timeouts: Names,
    /// Its clocks.
    pub(super) clocks: Names,
    /// Its nodes.
    pub(super) nodes: Names,
    /// Its instances.
    pub(super) instances: Names,
    /// Local variables and parameters, outermost first.
    pub(super) locals: Vec<(Name, Def)>,
    /// The interface that `this` stands for.
    pub(super) this: Option<InterfaceId>,
}

impl Scope {
    /// What is visible in a package outside of components.
    pub(super) fn of_package(package: PackageId) -> Self {
        Scope {
            package,
            values: Names::default(),
            ports: Names::default(),
            timeouts: Names::default(),
            clocks: Names::default(),
            nodes: Names::default(),
            instances: Names::default(),
            locals: vec![],
            this: None,
        }
    }
}
