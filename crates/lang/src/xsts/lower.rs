//! From declarations and statements to a [`System`].
//!
//! Each branch of a section is an edge, whose update is the branch together with the ways it can go
//! wrong; see [`ir::Guarded`]. Where there are any, a location `fault` shows them. State variables
//! come first, in order of declaration; every local and loop variable is a variable of its own.

use ir::{
    ArrayType, Checked, Edge, FaultState, Guarded, Id, Location, LocationId, LocationKind, Process,
    ProcessId, Span, System, Term, Type, Value, VarId, Variable,
};

use super::ast::*;
use super::expr::{Elaborator, Place};
use super::formula::Formulas;
use super::parser::Parsed;
use super::symbols::{Binding, Kind, Symbols};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::temporal::Path;

/// What a model becomes; usable only if no error is reported.
pub(crate) struct Lowered {
    pub(crate) system: System,
    /// What `prop` claims of every state.
    pub(crate) claim: Option<Term>,
    /// What each `ltl` section claims of runs.
    pub(crate) paths: Vec<Path>,
    pub(crate) symbols: Symbols,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Lowers a model as far as it is intact.
pub(crate) fn lower(source: &str, parsed: &Parsed, diagnostics: &mut Diagnostics) -> Lowered {
    let model = &parsed.model;
    let mut system = System::default();
    let mut symbols = Symbols::default();
    symbols.incomplete = parsed.lost_names;
    symbols.grow(model.names.len());
    // A section that could not be read is not a missing one.
    if model.trans.is_none() && diagnostics.is_empty() {
        let message = "there is no `trans` section; a model needs one, if only `trans {}`";
        diagnostics.push(Diagnostic::error(Code::MissingPart, Span::default(), message));
    }
    let mut cx = Elaborator::new(source, model, &mut system, &mut symbols, diagnostics);
    cx.types();
    cx.variables();
    cx.process();
    let claim = model.prop.and_then(|prop| cx.claim(prop.expr));
    let warnings = cx.warnings;
    let mut names = model.names.clone();
    let mut formulas = Formulas::new(source, &mut names, &mut symbols, &mut system);
    let mut paths = vec![];
    for Ltl { formula, .. } in &model.ltl {
        match formulas.read(formula.start as usize..formula.end as usize) {
            Ok(path) => paths.push(path),
            Err(errors) => errors.into_iter().for_each(|error| diagnostics.push(error)),
        }
    }
    Lowered { system, claim, paths, symbols, warnings }
}

impl Elaborator<'_> {
    fn types(&mut self) {
        let ast = self.ast;
        for decl in &ast.types {
            let TypeDecl { ident, literals } = decl;
            let text = self.text(ident.name);
            if matches!(text, "boolean" | "integer" | "rational" | "clock") {
                self.error(
                    Code::NameClash,
                    ident.span,
                    format!("`{text}` is a built-in type; choose another name"),
                );
                continue;
            }
            if let Some((_, first)) = self.symbols.type_named(ident.name) {
                self.twice("type", ident, first);
                continue;
            }
            let names = literals.iter().map(|literal| self.text(literal.name).to_owned()).collect();
            let id = self.system.terms.types.add_enum(text, names);
            self.symbols.add_type(*ident, id);
            for (position, literal) in literals.iter().enumerate() {
                if let Err(first) = self.symbols.add_literal(id, *literal, position as u32) {
                    self.twice(&format!("in type `{text}`, literal"), literal, first);
                }
            }
        }
    }
    fn twice(&mut self, what: &str, ident: &Ident, first: Span) {
        let message = format!("{what} `{}` is declared twice; rename or remove one", self.text(ident.name));
        self.diagnostics.push(
            Diagnostic::error(Code::DuplicateName, ident.span, message).note(first, "first declared here"),
        );
    }
    /// Refuses a variable that is named like a literal.
    fn not_a_literal(&mut self, ident: &Ident) {
        let text = self.text(ident.name);
        let alone = self.symbols.owners(ident.name).first().copied();
        let qualified = || {
            let (id, literal) = self.symbols.qualified(&self.ast.names, ident.name)?;
            let literal = &self.system.types().enum_type(id).literals[literal as usize];
            let owners = self.symbols.owners(self.ast.names.find(literal)?);
            owners.iter().find(|(owner, _)| *owner == id).copied()
        };
        let Some((id, place)) = alone.or_else(qualified) else { return };
        let owner = &self.system.types().enum_type(id).name;
        let message = format!("variable `{text}` is named like a literal of `{owner}`; rename one of them");
        self.diagnostics
            .push(Diagnostic::error(Code::NameClash, ident.span, message).note(place, "the literal is here"));
    }
    fn variables(&mut self) {
        let ast = self.ast;
        let mut declared = Vec::with_capacity(ast.vars.len());
        for (number, decl) in ast.vars.iter().enumerate() {
            let ident = &decl.ident;
            let ty = self.resolve_type(decl.ty, "");
            let text = self.text(ident.name);
            if ty == Some(Type::Clock) && decl.control {
                let message = format!("clock `{text}` cannot be `ctrl`; remove the `ctrl`");
                self.error(Code::ClockMisuse, ident.span, message);
            }
            let variable = Variable { control: decl.control, ..Variable::state(text, ident.span) };
            let var = self.system.declare(ty.unwrap_or(Type::Bool), variable);
            declared.push((var, ty));
            match self.symbols.get(ident.name).map(|first| first.span) {
                Some(first) => self.twice("variable", ident, first),
                None => {
                    let binding = Binding { var, ty, kind: Kind::State(number), span: ident.span };
                    self.not_a_literal(ident);
                    self.symbols.bind_state(ident.name, binding);
                }
            }
        }
        for (number, (decl, (var, ty))) in ast.vars.iter().zip(declared).enumerate() {
            let Some(initial) = decl.initial else { continue };
            self.initialising = Some(number);
            let value = match ty {
                Some(Type::Clock) => {
                    self.clock_starts_at_zero(&decl.ident, initial);
                    None
                }
                Some(ty) => self.expect(initial, ty, Place::Assigned),
                None => {
                    self.look_at(initial);
                    None
                }
            };
            if let Some(value) = value {
                self.no_fault(&decl.ident, &value);
                self.system.initial.push((var, value.term));
            }
        }
        self.initialising = None;
    }
    fn clock_starts_at_zero(&mut self, ident: &Ident, initial: ExprId) {
        let Expr { kind, span } = &self.ast.exprs[initial];
        if !matches!(kind, ExprKind::Int(value) if value.is_zero()) {
            let text = self.text(ident.name);
            let message =
                format!("clock `{text}` has an initial value; clocks start at 0, set it in `init` instead");
            self.error(Code::ClockMisuse, *span, message);
        }
    }
    fn no_fault(&mut self, ident: &Ident, value: &Checked) {
        for (condition, fault) in &value.faults {
            let text = self.text(ident.name);
            let message = match self.system.terms.as_const(*condition) {
                Some(Value::Bool(true)) => format!("the initial value of `{text}` divides by zero"),
                _ => {
                    format!("the initial value of `{text}` may divide by zero; compute it in `init` instead")
                }
            };
            self.error(Code::Undefined, self.system.faults[*fault].span, message);
        }
    }

    fn process(&mut self) {
        let ast = self.ast;
        let mut process = Process { name: "xsts".to_owned(), ..Process::default() };
        let always = self.system.terms.bool(true);
        let location = |name: &str| Location::new(name, always, LocationKind::Urgent);
        // The states after `init` and after `trans` are those where `env` comes next; runs are read from the first on.
        let [init, env, trans] = [("init", false), ("env", true), ("trans", false)]
            .map(|(name, stable)| process.locations.push(Location { stable, ..location(name) }));
        process.locations[init].read = false;
        process.initial = Some(init);
        let sections = [
            ("init", &ast.init, init, env),
            ("env", &ast.env, env, trans),
            ("trans", &ast.trans, trans, env),
        ];
        for (name, section, source, target) in sections {
            let Some(section) = section else {
                let update = Guarded::safe(self.system.terms.skip());
                process.edges.push(edge(source, target, always, update, name, Span::default()));
                continue;
            };
            let many = section.branches.len() > 1;
            for (number, branch) in section.branches.iter().enumerate() {
                let label = if many { format!("{name} {}", number + 1) } else { name.to_owned() };
                let span = ast.stmts[*branch].span;
                let update = self.scoped(*branch);
                process.edges.push(edge(source, target, always, update, &label, span));
            }
        }
        if let Some(which) = self.which {
            let location =
                process.locations.push(Location { observed: false, read: false, ..location("fault") });
            self.system.fault = Some(FaultState { process: ProcessId::at(0), location, which });
        }
        self.system.processes.push(process);
    }
    /// The variable that holds the number of a fault; any variable will do where there is no fault.
    fn which(&mut self, faults: bool) -> VarId {
        match self.which {
            Some(which) => which,
            None if !faults => VarId::at(0),
            None => {
                let variable = Variable { shown: false, ..Variable::state("$fault", Span::default()) };
                let which = self.system.declare(Type::Int, variable);
                let none = self.system.terms.int(-1);
                self.system.initial.push((which, none));
                self.which = Some(which);
                which
            }
        }
    }

    /// A statement with a scope of its own.
    pub(crate) fn scoped(&mut self, stmt: StmtId) -> Guarded {
        let outer = std::mem::replace(&mut self.scope, self.symbols.enter());
        let result = self.stmt(stmt);
        self.symbols.leave(self.scope);
        self.scope = outer;
        result
    }
    fn stmt(&mut self, stmt: StmtId) -> Guarded {
        let ast = self.ast;
        let result = match &ast.stmts[stmt].kind {
            StmtKind::Block(list) => Some(ir::deep(|| self.block(list))),
            StmtKind::Local(ident, ty, initial) => self.local(ident, *ty, *initial),
            StmtKind::Assign(target, positions, value) => self.assign(target, positions, *value),
            StmtKind::Havoc(ident) => self.havoc(ident),
            StmtKind::Assume(condition) => {
                self.expect(*condition, Type::Bool, Place::Condition).map(|condition| {
                    let which = self.which(!condition.faults.is_empty());
                    Guarded::using(&mut self.system.terms, which, condition, |terms, term| terms.assume(term))
                })
            }
            StmtKind::Choice(list) => ir::deep(|| {
                let list: Vec<Guarded> = list.iter().map(|branch| self.scoped(*branch)).collect();
                Some(Guarded::choice(&mut self.system.terms, &list))
            }),
            StmtKind::If(condition, then, otherwise) => ir::deep(|| {
                let condition = self.expect(*condition, Type::Bool, Place::Condition);
                let then = self.scoped(*then);
                let otherwise = match otherwise {
                    Some(otherwise) => self.scoped(*otherwise),
                    None => Guarded::safe(self.system.terms.skip()),
                };
                let condition = condition?;
                let which = self.which(!condition.faults.is_empty());
                Some(Guarded::branch(&mut self.system.terms, which, condition, then, otherwise))
            }),
            StmtKind::For(ident, from, to, body) => ir::deep(|| self.for_loop(ident, *from, *to, *body)),
            StmtKind::Ort(blocks) => Some(ir::deep(|| self.ort(blocks))),
            // Without clocks, nobody notices that time passes.
            StmtKind::Delay if self.system.clocks().next().is_none() => None,
            StmtKind::Delay if self.at_once => {
                let message = "time cannot pass in a block of an `ort`, for it passes for all blocks alike; put the \
                               `__delay` before the `ort` or behind it";
                self.error(Code::Misplaced, ast.stmts[stmt].span, message);
                None
            }
            StmtKind::Delay => Some(Guarded::safe(self.system.terms.delay())),
        };
        // What has an error is never run.
        result.unwrap_or_else(|| Guarded::safe(self.system.terms.skip()))
    }
    fn block(&mut self, list: &[StmtId]) -> Guarded {
        let outer = std::mem::replace(&mut self.scope, self.symbols.enter());
        let parts: Vec<Guarded> = list.iter().map(|stmt| self.stmt(*stmt)).collect();
        self.symbols.leave(self.scope);
        self.scope = outer;
        self.seq(&parts)
    }
    pub(crate) fn seq(&mut self, parts: &[Guarded]) -> Guarded {
        match parts {
            [only] => *only,
            _ => Guarded::seq(&mut self.system.terms, parts),
        }
    }
    fn local(&mut self, ident: &Ident, ty: TypeId, initial: Option<ExprId>) -> Option<Guarded> {
        let ty = self.resolve_type(ty, "a local variable");
        // The initial value is read before the name changes its meaning.
        let value = match (initial, ty) {
            (Some(initial), Some(ty)) => self.expect(initial, ty, Place::Assigned),
            (Some(initial), None) => {
                self.look_at(initial);
                None
            }
            (None, _) => None,
        };
        self.not_a_literal(ident);
        if let Some(first) = self.symbols.get(ident.name)
            && first.kind == Kind::Local(self.scope)
        {
            let first = first.span;
            self.twice("in one block, variable", ident, first);
        }
        let variable = Variable::local(self.text(ident.name), ident.span);
        let var = self.system.declare(ty.unwrap_or(Type::Bool), variable);
        self.symbols.bind(ident.name, Binding { var, ty, kind: Kind::Local(self.scope), span: ident.span });
        if initial.is_none() {
            return Some(Guarded::safe(self.system.terms.havoc(var)));
        }
        let value = value?;
        Some(self.store(var, value))
    }
    /// Gives a variable a value.
    fn store(&mut self, var: VarId, value: Checked) -> Guarded {
        let which = self.which(!value.faults.is_empty());
        let stmt = self.system.assign_by_cases(var, value.term);
        Guarded::using(&mut self.system.terms, which, value, |_, _| stmt)
    }
    /// The variable behind `ident`, if it may change here.
    fn changing(&mut self, ident: &Ident, verb: &str) -> Option<(VarId, Type)> {
        let text = self.text(ident.name);
        let Some(&Binding { var, ty, kind, span }) = self.symbols.get(ident.name) else {
            let message = if !self.symbols.owners(ident.name).is_empty() {
                format!("`{text}` is a literal, not a variable; it cannot be {verb}")
            } else if self.symbols.type_named(ident.name).is_some() {
                format!("`{text}` is a type, not a variable; it cannot be {verb}")
            } else {
                self.unknown(ident.name, ident.span, "variable", None);
                return None;
            };
            self.error(Code::WrongKind, ident.span, message);
            return None;
        };
        if kind == Kind::Loop {
            let message = format!("loop variable `{text}` cannot be {verb}; the loop itself counts it");
            self.diagnostics.push(
                Diagnostic::error(Code::NotAssignable, ident.span, message).note(span, "the loop is here"),
            );
            return None;
        }
        if let Some(bound) = self.frozen.get(&var) {
            let message = format!(
                "`{text}` cannot be {verb} here, for the bounds of the loop depend on it; use a copy"
            );
            self.diagnostics.push(
                Diagnostic::error(Code::NotAssignable, ident.span, message)
                    .note(*bound, "the bounds are here"),
            );
            return None;
        }
        Some((var, ty?))
    }
    fn havoc(&mut self, ident: &Ident) -> Option<Guarded> {
        let (var, ty) = self.changing(ident, "havocked")?;
        if ty == Type::Clock {
            let text = self.text(ident.name);
            self.error(
                Code::ClockMisuse,
                ident.span,
                format!("clock `{text}` cannot be havocked; let time pass with `__delay`"),
            );
            return None;
        }
        Some(Guarded::safe(self.system.terms.havoc(var)))
    }
    fn assign(&mut self, target: &Ident, positions: &[ExprId], value: ExprId) -> Option<Guarded> {
        let Some((var, ty)) = self.changing(target, "assigned") else {
            self.look_at(value);
            return None;
        };
        if ty == Type::Clock && positions.is_empty() {
            let value = self.reset(target.name, value)?;
            let value = self.system.terms.constant(Value::Int(value));
            return Some(Guarded::safe(self.system.terms.assign(var, value)));
        }
        let mut parts = Vec::with_capacity(positions.len() + 1);
        let mut element = ty;
        for (level, position) in positions.iter().enumerate() {
            let Type::Array(id) = element else {
                let (text, noun) = (self.text(target.name), self.noun(element));
                let message = match level {
                    0 => format!("`{text}` is {noun}; only arrays have positions"),
                    _ => format!("too many positions after `{text}`: after {level}, the value is {noun}"),
                };
                self.error(Code::TypeMismatch, target.span, message);
                return None;
            };
            let array: ArrayType = self.system.types().array_type(id);
            parts.push(self.expect(*position, array.index, Place::Position)?);
            element = array.element;
        }
        parts.push(self.expect(value, element, Place::Assigned)?);
        let value = match parts.len() {
            1 => parts.remove(0),
            _ => Checked::strict(&mut self.system.terms, parts, |terms, v| {
                let (value, positions) = v.split_last().expect("the value comes last");
                // Reads down to the innermost array, writes on the way back.
                let mut array = terms.var(var);
                let mut arrays: Vec<Term> = vec![];
                for position in positions {
                    arrays.push(array);
                    array = terms.read(array, *position);
                }
                arrays
                    .iter()
                    .zip(positions)
                    .rev()
                    .fold(*value, |value, (array, position)| terms.write(*array, *position, value))
            }),
        };
        Some(self.store(var, value))
    }
    fn for_loop(&mut self, ident: &Ident, from: ExprId, to: ExprId, body: StmtId) -> Option<Guarded> {
        let bounds = self.ast.exprs[from].span.to(self.ast.exprs[to].span);
        let from = self.expect(from, Type::Int, Place::Bound);
        let to = self.expect(to, Type::Int, Place::Bound);
        self.not_a_literal(ident);
        if let Some(first) = self.symbols.get(ident.name).map(|first| first.span) {
            let text = self.text(ident.name);
            let message = format!(
                "loop variable `{text}` must be new, but there is a variable `{text}`; choose another name"
            );
            self.diagnostics
                .push(Diagnostic::error(Code::NameClash, ident.span, message).note(first, "declared here"));
        }
        let var = self.system.declare(Type::Int, Variable::local(self.text(ident.name), ident.span));
        let mut fixed = vec![];
        for bound in [&from, &to].into_iter().flatten() {
            fixed.extend(self.system.terms.vars_of(bound.term));
        }
        fixed.retain(|var| self.frozen.insert(*var, bounds).is_none());
        let outer = std::mem::replace(&mut self.scope, self.symbols.enter());
        self.symbols
            .bind(ident.name, Binding { var, ty: Some(Type::Int), kind: Kind::Loop, span: ident.span });
        let body = self.scoped(body);
        self.symbols.leave(self.scope);
        self.scope = outer;
        for var in fixed {
            self.frozen.remove(&var);
        }
        let (from, to) = (from?, to?);
        let which = self.which(!(from.faults.is_empty() && to.faults.is_empty()));
        Some(self.system.guarded_for(which, var, [from, to], body))
    }
}

fn edge(
    source: LocationId,
    target: LocationId,
    guard: Term,
    update: Guarded,
    label: &str,
    span: Span,
) -> Edge {
    Edge { source, target, guard, update, sync: None, label: label.to_owned(), span }
}
