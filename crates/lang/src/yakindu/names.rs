//! What names of the definition section stand for, and the tree that is built of the rest.
//!
//! A scope with a name is an interface, and its port is called like it; the one without a name is the port `Interface`.
//! Variables of all scopes are those of the statechart; where two have the same name, the name of the scope is part of it. An event
//! of the statechart itself is a boolean variable that is false again after each cycle: it is seen by what runs after the
//! place where it was raised, in the same cycle.
//!
//! Texts are compared and never taken apart, so their type is an enumeration: every text that is written somewhere, the empty one first,
//! and one that stands for all others.

use indexmap::IndexMap;
use ir::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::gamma::ast::*;
use crate::nearest::nearest;

/// What a value is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    Boolean,
    Integer,
    Real,
    Text,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// An event of a port, with the type of its value.
    Event { port: String, event: String, value: Option<Ty> },
    /// An event of the statechart itself: a variable, and one for its value.
    Local { flag: String, value: Option<(String, Ty)> },
    /// A variable or a constant.
    Variable { name: String, ty: Ty },
    /// Something of another program.
    Operation,
}

/// The name of the type of texts.
pub(super) const TEXT: &str = "Text";
/// What stands for all texts that are written nowhere.
const OTHER: &str = "other_text_";

/// A tree under construction.
pub(super) struct Build<'d> {
    pub(super) ast: Ast,
    pub(super) diagnostics: &'d mut Diagnostics,
    pub(super) warnings: Vec<Diagnostic>,
    names: IndexMap<String, Meaning>,
    /// Names of variables and constants that are taken.
    values: FxHashSet<String>,
    /// States by the names of their regions and their own, with what both are called in the tree.
    states: FxHashMap<(String, String), Vec<(String, String)>>,
    /// Texts with the names of their literals.
    texts: IndexMap<String, String>,
    /// Whether there are texts at all.
    pub(super) has_texts: bool,
}

impl<'d> Build<'d> {
    pub(super) fn new(diagnostics: &'d mut Diagnostics) -> Self {
        let mut build = Build {
            ast: Ast::default(),
            diagnostics,
            warnings: vec![],
            names: IndexMap::new(),
            values: FxHashSet::default(),
            states: FxHashMap::default(),
            texts: IndexMap::new(),
            has_texts: false,
        };
        build.literal("");
        build
    }
    pub(super) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }
    /// Declares what a name of a scope stands for.
    pub(super) fn declare(&mut self, scope: Option<&str>, name: &str, meaning: Meaning, span: Span) {
        let path = scope.map_or(name.to_owned(), |scope| format!("{scope}.{name}"));
        if self.names.insert(path.clone(), meaning).is_some() {
            let message = format!("`{path}` is declared twice; rename one of the two");
            self.error(Code::DuplicateName, span, message);
        }
    }
    /// Remembers what a state and its region are called.
    pub(super) fn add_state(&mut self, region: &str, state: &str, called: (String, String)) {
        self.states.entry((region.to_owned(), state.to_owned())).or_default().push(called);
    }
    /// What a state and its region are called; tells if there is none, or several.
    pub(super) fn find_state(&mut self, region: &str, state: &str, span: Span) -> Option<(String, String)> {
        let key = (identifier(region, "region"), identifier(state, "State"));
        match self.states.get(&key).map(Vec::as_slice) {
            Some([only]) => return Some(only.clone()),
            Some(_) => {
                let message = format!("several states are called `{region}.{state}`; rename them");
                self.error(Code::AmbiguousName, span, message);
            }
            None => {
                let mut known: Vec<String> = self.states.keys().map(|(r, s)| format!("{r}.{s}")).collect();
                known.sort_unstable();
                let path = format!("{region}.{state}");
                let near = nearest(&path, known.iter().map(String::as_str));
                self.diagnostics.push(Diagnostic::unknown(span, "state", &path, near));
            }
        }
        None
    }
    /// A name for a variable that no other has.
    pub(super) fn value_name(&mut self, scope: Option<&str>, name: &str) -> String {
        let mut chosen = name.to_owned();
        if let (true, Some(scope)) = (self.values.contains(&chosen), scope) {
            chosen = format!("{scope}_{name}");
        }
        let mut number = 1;
        while !self.values.insert(chosen.clone()) {
            number += 1;
            chosen = format!("{name}_{number}");
        }
        chosen
    }
    /// What a path stands for; tells if it is nothing.
    pub(super) fn find(&mut self, path: &str, span: Span) -> Option<Meaning> {
        if let Some(meaning) = self.names.get(path) {
            return Some(meaning.clone());
        }
        let near = nearest(path, self.names.keys().map(String::as_str)).map(str::to_owned);
        self.diagnostics.push(Diagnostic::unknown(
            span,
            "event, variable or operation",
            path,
            near.as_deref(),
        ));
        None
    }
    /// The name of the literal for a text.
    pub(super) fn literal(&mut self, text: &str) -> String {
        if let Some(known) = self.texts.get(text) {
            return known.clone();
        }
        let mut name = if text.is_empty() { "empty_text_".to_owned() } else { identifier(text, "text") };
        while name == OTHER || self.texts.values().any(|known| *known == name) {
            name.push('_');
        }
        self.texts.insert(text.to_owned(), name.clone());
        name
    }
    /// The enumeration of all texts.
    pub(super) fn text_type(&mut self, span: Span) -> TypeDeclId {
        let names: Vec<String> = self.texts.values().cloned().chain([OTHER.to_owned()]).collect();
        let literals = names.iter().map(|name| self.ast.ident(name, span)).collect();
        let ty = self.ast.types.push(Type { kind: TypeKind::Enum(literals), span });
        let ident = self.ast.ident(TEXT, span);
        self.ast.type_decls.push(TypeDecl { ident, ty })
    }
    /// A type as the tree has it.
    pub(super) fn ty(&mut self, ty: Ty, span: Span) -> TypeId {
        let kind = match ty {
            Ty::Boolean => TypeKind::Boolean,
            Ty::Integer => TypeKind::Integer,
            Ty::Real => TypeKind::Decimal,
            Ty::Text => {
                self.has_texts = true;
                TypeKind::Named(self.ast.refer(TEXT, span))
            }
        };
        self.ast.types.push(Type { kind, span })
    }
    pub(super) fn expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.ast.exprs.push(Expr { kind, span })
    }
    pub(super) fn variable(&mut self, name: &str, span: Span) -> ExprId {
        let used = self.ast.refer(name, span);
        self.expr(ExprKind::Name(used), span)
    }
    pub(super) fn assign(&mut self, target: &str, value: ExprId, span: Span) -> ActionId {
        let target = self.variable(target, span);
        self.ast.actions.push(Action { kind: ActionKind::Assign { target, value }, span })
    }
    pub(super) fn event(&mut self, port: &str, event: &str, span: Span) -> EventRefId {
        let (port, event) = (self.ast.refer(port, span), self.ast.refer(event, span));
        self.ast.event_refs.push(EventRef { kind: EventRefKind::PortEvent(port, event), span })
    }
}

/// A text as an identifier: what cannot be part of one is `_`.
pub(super) fn identifier(text: &str, otherwise: &str) -> String {
    let mut name: String =
        text.trim().chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if name.is_empty() {
        name = otherwise.to_owned();
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    name
}

/// Names that differ, made of those that are wanted.
#[derive(Default)]
pub(super) struct Distinct {
    taken: FxHashMap<String, usize>,
}

impl Distinct {
    /// The name, or if it is taken one with what it is in, or else with a number.
    pub(super) fn name(&mut self, wanted: &str, around: &str) -> String {
        let mut chosen = wanted.to_owned();
        if self.taken.contains_key(&chosen) && !around.is_empty() {
            chosen = format!("{wanted}_{around}");
        }
        let base = chosen.clone();
        while self.taken.contains_key(&chosen) {
            let number = self.taken.entry(base.clone()).or_insert(1);
            *number += 1;
            chosen = format!("{base}_{number}");
        }
        self.taken.insert(chosen.clone(), 1);
        chosen
    }
}
