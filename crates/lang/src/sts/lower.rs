//! From a specification to a [`System`].
//!
//! The system has one process: from a location that nobody looks at, a step to the initial states of a transition
//! system leads to a location where its transitions go around. What several properties are about may be several
//! systems; each has a location and variables of its own, and a run is one of one of them.
//!
//! Invariants restrict: they hold initially and after every step, whatever else is said.

use std::rc::Rc;

use ir::{
    Edge, Guarded, Id, Location, LocationId, LocationKind, Process, ProcessId, Span, System, Term, Variable,
};
use rustc_hash::FxHashMap;

use super::ast::*;
use super::step::{Pair, step};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::nearest::nearest;
use crate::theta::ast::{Decl, ExprId, Ident};
use crate::theta::{Binding, Dialect, Elaborator, Scope, Ty};

/// What a specification becomes; usable only if no error is reported.
pub(crate) struct Lowered {
    pub(crate) system: System,
    /// The properties: their names, where their conditions are written, and what they claim of every state.
    pub(crate) claims: Vec<(String, Span, Term)>,
    /// What names mean in the first system, and where it is.
    pub(crate) scope: Scope,
    pub(crate) location: Option<Term>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// The deepest chain of systems that are other systems.
const DEEPEST: usize = 100;

/// Names, as they are put aside while a system is looked at.
type Names = FxHashMap<String, Binding>;

/// A system with its arguments: what tells it from others.
type Key = (Rc<str>, Vec<Term>);

/// Lowers a specification as far as it is intact.
pub(crate) fn lower(spec: &Specification, diagnostics: &mut Diagnostics) -> Lowered {
    let mut lowered = Lowered {
        system: System::default(),
        claims: vec![],
        scope: Scope::default(),
        location: None,
        warnings: vec![],
    };
    for span in &spec.ignored {
        let message = "the value of a variable has no meaning here; write `initial x = e` instead";
        lowered.warnings.push(Diagnostic::warning(Code::IgnoredPart, *span, message));
    }
    if spec.properties.is_empty() && spec.systems.is_empty() && diagnostics.is_empty() {
        let message = "there is no `property` and no `system`";
        diagnostics.push(Diagnostic::error(Code::MissingPart, Span::default(), message));
        return lowered;
    }
    Lowering { spec, lowered: &mut lowered, diagnostics, made: vec![], process: Process::default() }.run();
    lowered
}

struct Lowering<'a> {
    spec: &'a Specification,
    lowered: &'a mut Lowered,
    diagnostics: &'a mut Diagnostics,
    /// The systems that have been made, with what names mean in them.
    made: Vec<(Key, LocationId, Names)>,
    process: Process,
}

impl Lowering<'_> {
    fn run(mut self) {
        let always = self.lowered.system.terms.bool(true);
        let start = Location::new("start", always, LocationKind::Urgent);
        let start = self.process.locations.push(Location { observed: false, read: false, ..start });
        self.process.initial = Some(start);
        self.process.name = "sts".to_owned();
        for decl in &self.spec.params {
            self.constant(decl, None);
        }
        for Const { decl, value } in &self.spec.consts {
            self.constant(decl, *value);
        }
        let mut pairs = vec![];
        for decl in &self.spec.vars {
            pairs.extend(self.variable(decl, None));
        }
        let mut claims = vec![];
        for property in &self.spec.properties {
            let outside = self.lowered.scope.names.clone();
            if let Some((location, names)) = self.sts(&property.sts, &property.ident, &pairs, 0) {
                self.lowered.scope.names = names;
                let span = self.spec.tree.exprs[property.claim].span;
                if let Some(claim) = self.elaborator().condition(property.claim) {
                    claims.push((property.ident.text.clone(), span, location, claim));
                }
            }
            self.lowered.scope.names = outside;
        }
        // Without a property, the systems are there to be asked about.
        if self.spec.properties.is_empty() {
            for system in self.spec.systems.iter().filter(|system| system.params.is_empty()) {
                let named = Sts::Named(system.ident.clone(), vec![]);
                self.sts(&named, &system.ident, &pairs, 0);
            }
        }
        let alone = self.made.len() <= 1;
        if let Some((_, location, names)) = self.made.first() {
            self.lowered.scope.names = names.clone();
            let at = self.lowered.system.terms.at(ProcessId::at(0), *location);
            self.lowered.location = (!alone).then_some(at);
        } else if self.diagnostics.is_empty() {
            let message = "no system can be looked at; give a `property` that is about one";
            self.error(Code::MissingPart, Span::default(), message);
        }
        for (name, span, location, claim) in claims {
            let terms = &mut self.lowered.system.terms;
            let claim = match alone {
                true => claim,
                false => {
                    let here = terms.at(ProcessId::at(0), location);
                    terms.implies(here, claim)
                }
            };
            self.lowered.claims.push((name, span, claim));
        }
        self.lowered.system.processes.push(self.process);
    }
    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }
    fn elaborator(&mut self) -> Elaborator<'_> {
        let lowered = &mut *self.lowered;
        Elaborator::new(
            Dialect::Sts,
            &self.spec.tree,
            &mut lowered.system,
            &mut lowered.scope,
            self.diagnostics,
        )
    }
    fn bind(&mut self, ident: &Ident, binding: Binding) {
        if let Some(first) = self.lowered.scope.names.get(&ident.text) {
            let message = format!("`{}` is declared twice; rename or remove one", ident.text);
            let error = Diagnostic::error(Code::DuplicateName, ident.span, message);
            self.diagnostics.push(error.note(first.span, "first declared here"));
            return;
        }
        self.lowered.scope.names.insert(ident.text.clone(), binding);
    }
    /// A constant: one that never changes, if it has no value.
    fn constant(&mut self, decl: &Decl, value: Option<ExprId>) {
        let ident = &decl.ident;
        let mut cx = self.elaborator();
        let ty = cx.ty(decl.ty);
        let now = match (value, &ty) {
            (Some(value), Some(ty)) => match cx.expect(value, ty) {
                Some(value) if value.faults.is_empty() => value.term,
                Some(_) => {
                    let message = format!("the value of `{}` may divide by zero", ident.text);
                    cx.error(Code::Undefined, ident.span, message);
                    return;
                }
                None => cx.system.terms.bool(true),
            },
            _ => {
                let variable = Variable::state(&*ident.text, ident.span);
                let var = cx.declare(ty.as_ref().unwrap_or(&Ty::Bool), variable);
                cx.system.terms.var(var)
            }
        };
        self.bind(ident, Binding { ty, now, next: None, span: ident.span });
    }
    fn variable(&mut self, decl: &Decl, owner: Option<&str>) -> Option<Pair> {
        let ident = &decl.ident;
        let name = match owner {
            None => ident.text.clone(),
            Some(owner) => format!("{owner}.{}", ident.text),
        };
        let mut cx = self.elaborator();
        let ty = cx.ty(decl.ty);
        let kept = ty.clone().unwrap_or(Ty::Bool);
        let now = cx.declare(&kept, Variable::state(&*name, ident.span));
        let next =
            cx.declare(&kept, Variable { shown: false, ..Variable::local(format!("{name}'"), ident.span) });
        let pair = Pair { now, next };
        let (now, next) = (cx.system.terms.var(now), cx.system.terms.var(next));
        self.bind(ident, Binding { ty, now, next: Some(next), span: ident.span });
        Some(pair)
    }
    /// The location of a system, and what names mean in it.
    fn sts(
        &mut self,
        sts: &Sts,
        owner: &Ident,
        globals: &[Pair],
        depth: usize,
    ) -> Option<(LocationId, Names)> {
        match sts {
            Sts::Body(body) => {
                let key = (Rc::from(format!("{} at {}", owner.text, owner.span.start)), vec![]);
                self.body(body, key, owner, globals)
            }
            Sts::Named(ident, arguments) => self.named(ident, arguments, globals, depth),
        }
    }
    fn named(
        &mut self,
        ident: &Ident,
        arguments: &[ExprId],
        globals: &[Pair],
        depth: usize,
    ) -> Option<(LocationId, Names)> {
        let spec = self.spec;
        let Some(declared) = spec.systems.iter().find(|system| system.ident.text == ident.text) else {
            let near = nearest(&ident.text, spec.systems.iter().map(|system| &*system.ident.text));
            self.diagnostics.push(Diagnostic::unknown(ident.span, "system", &ident.text, near));
            return None;
        };
        if depth >= DEEPEST {
            let message = format!("system `{}` is defined by itself", ident.text);
            self.error(Code::CircularReference, ident.span, message);
            return None;
        }
        if declared.params.len() != arguments.len() {
            let message = format!(
                "system `{}` has {} parameters, and is given {}",
                ident.text,
                declared.params.len(),
                arguments.len()
            );
            self.error(Code::WrongCount, ident.span, message);
            return None;
        }
        let outside = self.lowered.scope.names.clone();
        let mut values = vec![];
        for (param, argument) in declared.params.iter().zip(arguments) {
            let mut cx = self.elaborator();
            let ty = cx.ty(param.ty)?;
            let value = cx.expect(*argument, &ty)?;
            values.push((param, ty, value.term));
        }
        for (param, ty, now) in &values {
            let binding = Binding { ty: Some(ty.clone()), now: *now, next: None, span: param.ident.span };
            self.lowered.scope.names.insert(param.ident.text.clone(), binding);
        }
        let result = match &declared.sts {
            Sts::Body(body) => {
                let key = (Rc::from(&*ident.text), values.iter().map(|(.., value)| *value).collect());
                self.body(body, key, &declared.ident, globals)
            }
            Sts::Named(other, arguments) => ir::deep(|| self.named(other, arguments, globals, depth + 1)),
        };
        self.lowered.scope.names = outside;
        result
    }
    fn body(
        &mut self,
        body: &Body,
        key: Key,
        owner: &Ident,
        globals: &[Pair],
    ) -> Option<(LocationId, Names)> {
        if let Some((_, location, names)) = self.made.iter().find(|(known, ..)| *known == key) {
            return Some((*location, names.clone()));
        }
        let outside = self.lowered.scope.names.clone();
        for Const { decl, value } in &body.consts {
            self.constant(decl, *value);
        }
        // The variables of the first system bear their names alone.
        let prefix = (!self.made.is_empty()).then_some(&*owner.text);
        let mut pairs = globals.to_vec();
        for decl in &body.vars {
            pairs.extend(self.variable(decl, prefix));
        }
        let mut all = |list: &[ExprId]| -> Vec<Term> {
            list.iter().filter_map(|expr| self.elaborator().condition(*expr)).collect()
        };
        let (invariants, initial, transitions) =
            (all(&body.invariants), all(&body.initial), all(&body.transitions));
        let names = std::mem::replace(&mut self.lowered.scope.names, outside);
        if let Some(primed) = initial.iter().chain(&invariants).position(|term| {
            let vars = self.lowered.system.terms.vars_of(*term);
            pairs.iter().any(|pair| vars.contains(&pair.next))
        }) {
            let expr = body.initial.iter().chain(&body.invariants).nth(primed);
            let span = expr.map_or(owner.span, |expr| self.spec.tree.exprs[*expr].span);
            let message = "only transitions speak of the next state; remove the `'`";
            self.error(Code::Misplaced, span, message);
        }
        let system = &mut self.lowered.system;
        let next: FxHashMap<ir::VarId, Term> =
            pairs.iter().map(|pair| (pair.now, system.terms.var(pair.next))).collect();
        let primed: Vec<Term> =
            invariants.iter().map(|invariant| system.terms.substitute(*invariant, &next)).collect();
        let steps: Vec<Term> = transitions.iter().copied().chain(primed.iter().copied()).collect();
        let steps = step(system, &pairs, steps);
        // The initial states are those that can come next to anything.
        let first: Vec<Term> = initial
            .iter()
            .map(|condition| system.terms.substitute(*condition, &next))
            .chain(primed)
            .collect();
        let first = step(system, &pairs, first);
        let always = system.terms.bool(true);
        let number = self.made.len();
        let name = if number == 0 { "state".to_owned() } else { format!("{} {number}", owner.text) };
        let here = self.process.locations.push(Location::new(name, always, LocationKind::Urgent));
        for (source, update, label) in [(LocationId::at(0), first, "initial"), (here, steps, "transition")] {
            self.process.edges.push(Edge {
                source,
                target: here,
                guard: always,
                update: Guarded::safe(update),
                sync: None,
                label: label.to_owned(),
                span: owner.span,
            });
        }
        self.made.push((key, here, names.clone()));
        Some((here, names))
    }
}
