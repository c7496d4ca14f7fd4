//! The state of elaboration: names, types and declarations, and the system under construction.
//!
//! Templates are elaborated once for each instance, with parameters bound, so that sizes and bounds
//! may depend on them; an error that comes up in several instances is told once.

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use ir::range::{Declared, Ranges};
use ir::{
    EdgeId, FaultId, FaultKind, Id, Int, LocationId, ProcessId, Span, Stuck, System, Term, Type, VarId,
    Variable,
};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::code::Code as Cause;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::nearest::nearest;
use crate::xta::ast::*;
use crate::xta::code::Code;
use crate::xta::constant::Tree;
use crate::xta::effects::written_by;
use crate::xta::expr::{Operand, Val};
use crate::xta::function::{CallKey, Frame};
use crate::xta::lower::{Conjuncts, Use, Wording};
use crate::xta::opaque::{Opaque, Rates};
use crate::xta::scope::{ExternalFunction, NotYet, Point, ScopeId, Scopes, Symbol};
use crate::xta::stopwatch::Stopwatches;
use crate::xta::types::*;

/// How many single values one declaration may have.
const LARGEST: u64 = 1 << 20;
/// How deep arrays and structures may be nested in a type.
const DEEPEST: usize = 100;
/// How many values a quantifier, a selection or a family may run through.
pub(crate) const WIDEST: u64 = 100_000;

/// Everything known while a model is elaborated, and afterwards for its queries.
#[derive(Debug)]
pub(crate) struct Elaborator {
    pub(crate) ast: Arc<Ast>,
    pub(crate) system: System,
    pub(crate) scopes: Scopes,
    /// The declared range of every variable; of the entries for arrays.
    pub(crate) declared: Declared,
    pub(crate) channels: Vec<ChannelDecl>,
    /// Places where evaluation can go wrong, by provisional number.
    pub(crate) hazards: IndexSet<Hazard, FxBuildHasher>,
    /// Provisional numbers of those that remain, with their number in the system.
    pub(crate) faults: FxHashMap<FaultId, FaultId>,
    /// The variable that records faults, if there are any.
    pub(crate) which: Option<VarId>,
    /// What is known of values where the current expression is evaluated.
    pub(crate) context: Ranges,
    /// The number of that: as long as it is the same, so is what is known.
    pub(crate) known: u64,
    /// The highest number so far.
    most_known: u64,
    /// Terms computed with more than 32 bits, because of constants beyond them.
    pub(crate) wide: FxHashSet<Term>,
    /// Where effects of expressions go; `None` where there may be none.
    pub(crate) code: Option<Vec<Code>>,
    /// Functions being inlined.
    pub(crate) calls: Vec<FunctionId>,
    /// The innermost of them.
    pub(crate) frame: Frame,
    /// Whether statements are made only to learn ranges.
    pub(crate) probing: bool,
    pub(crate) locals: Locals,
    pub(crate) processes: Vec<ProcessInfo>,
    /// Whether processes of the system line could not be made, so that nothing can be said of those that are not there.
    pub(crate) lacks_processes: bool,
    /// Synchronisations found so far.
    pub(crate) uses: Vec<Use>,
    /// How edges are called.
    pub(crate) wordings: FxHashMap<(ProcessId, EdgeId), Wording>,
    /// The edges that can never be taken, for some choice: from where, to where, and how they are called.
    pub(crate) impossible: Vec<(ProcessId, [LocationId; 2], Wording)>,
    /// The parts of the guard that is being looked at.
    pub(crate) conjuncts: Conjuncts,
    /// The clocks whose rate is not told to be 0 or 1.
    pub(crate) rates: Rates,
    /// The clocks that stand still at times.
    pub(crate) stopwatches: Stopwatches,
    /// Where `x' == e` counts that stands here, if it may stand here.
    pub(crate) rates_count: Option<Term>,
    /// Whether a rate is read, of which nobody learns what it is if it depends on clocks.
    pub(crate) in_rate: bool,
    /// The variables that `before_update` and `after_update` set.
    around_updates: FxHashSet<Name>,
    /// Whether names of processes and locations mean something.
    pub(crate) in_query: bool,
    /// The call in a query that is being inlined: places within the function are those of another text.
    pub(crate) asked: Option<Span>,
    pub(crate) diagnostics: Diagnostics,
    /// Whether nothing is reported, because what is looked at is looked at again.
    pub(crate) silent: bool,
    /// How many mistakes were met, reported before or not.
    pub(crate) met: u64,
    /// What was reported, by place and kind: what is wrong in a template is wrong in all its instances.
    reported: IndexMap<(Span, Cause), Vec<Told>, FxBuildHasher>,
    /// The process that is being made.
    pub(crate) making: Option<ProcessId>,
    /// Whether expressions have effects, as far as looked at.
    pub(crate) effects: FxHashMap<ExprId, bool>,
    /// Whether functions have effects, as far as looked at.
    pub(crate) function_effects: FxHashMap<FunctionId, bool>,
    /// What calls give that only look.
    pub(crate) pure_calls: FxHashMap<CallKey, Operand>,
    /// How many bodies of quantifiers were written out; an inlined call counts like many.
    expansions: u64,
}

/// A mistake that was reported.
#[derive(Debug)]
struct Told {
    /// Its number among the diagnostics.
    at: usize,
    /// What was said of the first process that has it.
    message: String,
    /// Whether other words were said of others, so that it is told of this one.
    varies: bool,
    /// All processes that have it.
    processes: FxHashSet<ProcessId>,
}

/// A place where evaluation can go wrong.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Hazard {
    pub(crate) kind: FaultKind,
    pub(crate) span: Span,
    /// The value that leaves these bounds.
    pub(crate) limit: Option<(Term, Bounds)>,
}

/// How many bodies of quantifiers may be written out; what needs more would not end.
const MOST_EXPANSIONS: u64 = 2_000_000;
/// How many of them a call counts for.
pub(crate) const CALL: u64 = 20;

/// A channel or an array of channels.
#[derive(Clone, Debug)]
pub(crate) struct ChannelDecl {
    pub(crate) name: String,
    pub(crate) urgent: bool,
    pub(crate) broadcast: bool,
    /// The dimensions, outermost first.
    pub(crate) dims: Vec<Bounds>,
    /// The priority of each of its channels; none if all of them have that of the others.
    pub(crate) levels: Box<[u32]>,
}

impl ChannelDecl {
    /// The name of one channel of the array, by its number among all of them.
    pub(crate) fn part(&self, at: i64) -> String {
        let mut positions = vec![];
        let mut rest = at;
        for dim in self.dims.iter().rev() {
            let size = (count(*dim) as i64).max(1);
            positions.push(dim.0 + rest % size);
            rest /= size;
        }
        positions.iter().rev().fold(self.name.clone(), |name, at| entry_name(&name, &at.to_string()))
    }
}

/// A process as queries know it.
#[derive(Clone, Debug)]
pub(crate) struct ProcessInfo {
    pub(crate) name: String,
    pub(crate) scope: ScopeId,
    pub(crate) template: TemplateId,
    /// The numbers of its own variables.
    pub(crate) vars: std::ops::Range<usize>,
}

/// Variables that live within a step, for reuse.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locals {
    free: FxHashMap<LocalKey, Vec<VarId>>,
    used: Vec<(LocalKey, VarId)>,
}

/// The name of a local, whether the user has written it, its type and its range.
type LocalKey = (String, bool, Type, Option<Bounds>);

/// Where a declared variable lives.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Storage {
    State,
    Local,
}

impl Elaborator {
    pub(crate) fn new(mut ast: Ast, diagnostics: Diagnostics) -> Self {
        let mut elaborator = Elaborator {
            around_updates: written_by(&ast, &ast.around_updates),
            ast: Arc::default(),
            // Runs may let time pass for ever where nothing has to happen.
            system: System { stuck: Stuck::Idle, ..System::default() },
            scopes: Scopes::new(),
            declared: Declared::default(),
            channels: vec![],
            hazards: IndexSet::default(),
            faults: FxHashMap::default(),
            which: None,
            context: Ranges::default(),
            known: 0,
            most_known: 0,
            wide: FxHashSet::default(),
            code: None,
            calls: vec![],
            frame: Frame::default(),
            probing: false,
            locals: Locals::default(),
            processes: vec![],
            lacks_processes: false,
            uses: vec![],
            wordings: FxHashMap::default(),
            impossible: vec![],
            conjuncts: Conjuncts::default(),
            rates: Rates::default(),
            stopwatches: Stopwatches::default(),
            rates_count: None,
            in_rate: false,
            in_query: false,
            asked: None,
            diagnostics,
            silent: false,
            met: 0,
            reported: IndexMap::default(),
            making: None,
            effects: FxHashMap::default(),
            function_effects: FxHashMap::default(),
            pure_calls: FxHashMap::default(),
            expansions: 0,
        };
        elaborator.predefine(&mut ast);
        elaborator.ast = ast.into();
        elaborator
    }

    // Errors.

    pub(crate) fn error(&mut self, code: Cause, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(code, span, message));
    }
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.report_about(self.making, diagnostic);
    }
    /// Reports what is wrong with a process. What another one has at the same place is the same mistake, even if it
    /// names other things.
    pub(crate) fn report_about(&mut self, process: Option<ProcessId>, mut diagnostic: Diagnostic) {
        if self.silent {
            return;
        }
        self.met += u64::from(diagnostic.severity == Severity::Error);
        if let Some(call) = self.asked {
            (diagnostic.span, diagnostic.notes) = (call, vec![]);
        }
        let told = self.reported.entry((diagnostic.span, diagnostic.code)).or_default();
        let elsewhere = |told: &Told| {
            let new = |process| !told.processes.is_empty() && !told.processes.contains(&process);
            process.is_some_and(new)
        };
        let same = told.iter().position(|told| told.message == diagnostic.message);
        if let Some(same) = same.or_else(|| told.iter().position(elsewhere)) {
            told[same].processes.extend(process);
            told[same].varies |= told[same].message != diagnostic.message;
        } else if !self.diagnostics.is_full() {
            let (at, message) = (self.diagnostics.number(&diagnostic), diagnostic.message.clone());
            told.push(Told { at, message, varies: false, processes: process.into_iter().collect() });
            self.diagnostics.push(diagnostic);
        }
    }
    /// What is wrong; where it is told of a process, with how many others it is wrong in.
    pub(crate) fn mistakes(&mut self) -> Vec<Diagnostic> {
        let mut processes: IndexMap<usize, FxHashSet<ProcessId>, FxBuildHasher> = IndexMap::default();
        for told in self.reported.values().flatten().filter(|told| told.varies) {
            processes.entry(told.at).or_default().extend(&told.processes);
        }
        for (at, processes) in processes {
            if let others @ 1.. = processes.len().saturating_sub(1) {
                let processes = if others == 1 { "process" } else { "processes" };
                self.diagnostics.remark(at, format!("the same in {others} more {processes}"));
            }
        }
        std::mem::take(&mut self.diagnostics).finish()
    }
    /// Errors told before may be told again; for the next query.
    pub(crate) fn forget_reports(&mut self) {
        self.reported.clear();
    }
    /// Counts a call or the body of a quantifier by what it costs; fails when it has been too much.
    pub(crate) fn labour(&mut self, cost: u64, span: Span) -> Option<()> {
        self.expansions += cost;
        if self.expansions <= MOST_EXPANSIONS {
            return Some(());
        }
        let message = "the functions and quantifiers of the model stand for too many calls and conditions to write \
                       them all out; the one here is one too many";
        self.fail(Cause::TooLarge, span, message)
    }
    /// Reports and gives nothing.
    pub(crate) fn fail<T>(&mut self, code: Cause, span: Span, message: impl Into<String>) -> Option<T> {
        self.error(code, span, message);
        None
    }
    pub(crate) fn text(&self, name: Name) -> &str {
        self.ast.names.text(name)
    }
    /// The provisional number of a fault.
    pub(crate) fn hazard(&mut self, kind: FaultKind, span: Span, limit: Option<(Term, Bounds)>) -> FaultId {
        let span = self.asked.unwrap_or(span);
        FaultId::at(self.hazards.insert_full(Hazard { kind, span, limit }).0)
    }

    // Names.

    pub(crate) fn lookup(&self, name: Name) -> Option<&Symbol> {
        self.scopes.lookup(name)
    }
    pub(crate) fn unknown<T>(&mut self, what: &str, name: Name, span: Span) -> Option<T> {
        if let Some((declared, why)) = self.scopes.announced(name) {
            return self.too_early(name, span, declared, why);
        }
        let mut known: Vec<&str> = self.scopes.visible().map(|name| self.text(name)).collect();
        if self.in_query {
            known.extend(self.processes.iter().map(|process| process.name.as_str()).chain(["deadlock"]));
        } else {
            // `retrun a;` reads like a declaration, `retrun (a);` like a call.
            known.push("return");
        }
        let wanted = self.text(name);
        let diagnostic = Diagnostic::unknown(span, what, wanted, nearest(wanted, known.into_iter()));
        self.report(diagnostic);
        None
    }
    /// A name that is declared, but not where it is used.
    pub(crate) fn too_early<T>(&mut self, name: Name, span: Span, declared: Span, why: NotYet) -> Option<T> {
        let name = self.text(name);
        let message = match why {
            NotYet::Later => format!("`{name}` is used before it is declared"),
            NotYet::Parameter => format!("parameters do not see each other, and `{name}` is one"),
        };
        self.report(Diagnostic::error(Cause::UsedEarly, span, message).note(declared, "it is declared here"));
        None
    }
    pub(crate) fn declare(&mut self, ident: Ident, symbol: Symbol) {
        if let Some(first) = self.scopes.declare(ident, symbol)
            && first != ident.span
        {
            let message = format!("`{}` is declared twice; rename one", self.text(ident.name));
            self.report(
                Diagnostic::error(Cause::DuplicateName, ident.span, message)
                    .note(first, "the first one is here"),
            );
        }
    }
    /// Runs `f` in a new scope at a point.
    pub(crate) fn within<T>(&mut self, at: Point, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.scopes.enter(at);
        let result = f(self);
        self.scopes.leave(before);
        result
    }
    /// Runs `f` in a new scope within the current one.
    pub(crate) fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.within(self.scopes.here(), f)
    }
    /// Learns what holds (or does not) where the next expression is evaluated.
    pub(crate) fn learn(&mut self, condition: Term, holds: bool) {
        self.context.learn(&self.system.terms, &self.declared, condition, holds);
        self.learned();
    }
    /// Something else is known than before.
    pub(crate) fn learned(&mut self) {
        self.most_known += 1;
        self.known = self.most_known;
    }
    /// Runs `f` where expressions have no effects.
    pub(crate) fn pure<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let code = self.code.take();
        let result = f(self);
        self.code = code;
        result
    }

    // Types.

    /// The type that a declaration gives its name.
    pub(crate) fn declared_type(&mut self, decl: &VarDecl) -> Option<Ty> {
        let ty = self.resolve(decl.ty)?;
        self.with_dims(ty, &decl.dims, decl.ident)
    }
    /// The types of parameters, which see what is around them but not each other.
    pub(crate) fn param_types(&mut self, params: &[Param]) -> Option<Vec<Ty>> {
        self.scopes.announce(params.iter().map(|param| param.var.ident), NotYet::Parameter);
        params.iter().map(|param| self.declared_type(&param.var)).collect()
    }
    fn with_dims(&mut self, ty: Ty, dims: &[Dim], ident: Ident) -> Option<Ty> {
        let mut bounds = vec![];
        for dim in dims {
            bounds.push(self.dimension(*dim)?);
        }
        if ty.depth() + bounds.len() > DEEPEST {
            let message =
                format!("the type of `{}` is nested more than {DEEPEST} times", self.text(ident.name));
            return self.fail(Cause::TooDeep, ident.span, message);
        }
        let ty = bounds.into_iter().rev().fold(ty, |ty, bounds| Ty::Array(bounds, ty.into()));
        if *ty.element() == Ty::Void {
            return self.fail(
                Cause::TypeMismatch,
                ident.span,
                format!("`{}` cannot be of type `void`", self.text(ident.name)),
            );
        }
        if ty.size() > LARGEST {
            let message = format!("`{}` has more than {LARGEST} entries", self.text(ident.name));
            return self.fail(Cause::TooLarge, ident.span, message);
        }
        Some(ty)
    }
    fn dimension(&mut self, dim: Dim) -> Option<Bounds> {
        let ty = match dim {
            Dim::Type(ty) => self.resolve(ty)?,
            Dim::Size(size) => {
                let named = match self.ast.exprs[size].kind {
                    ExprKind::Name(name) => match self.lookup(name) {
                        Some(Symbol::Type(ty)) => Some(ty.clone()),
                        _ => None,
                    },
                    _ => None,
                };
                match named {
                    Some(ty) => ty,
                    None => {
                        let span = self.ast.exprs[size].span;
                        let size = self.constant(size, "the size of an array")?;
                        if size < 1 {
                            return self.fail(
                                Cause::OutOfRange,
                                span,
                                format!("an array needs a positive size, not {size}"),
                            );
                        }
                        Ty::Int((0, size - 1))
                    }
                }
            }
        };
        let span = match dim {
            Dim::Type(ty) => self.ast.types[ty].span,
            Dim::Size(size) => self.ast.exprs[size].span,
        };
        match ty {
            Ty::Int((low, high)) if low > high => {
                let message =
                    format!("an array needs positions, and there is no integer from {low} to {high}");
                self.fail(Cause::OutOfRange, span, message)
            }
            Ty::Int(bounds) => Some(bounds),
            Ty::Bool => Some((0, 1)),
            _ => self.fail(Cause::TypeMismatch, span, "the positions of an array are integers"),
        }
    }
    pub(crate) fn resolve(&mut self, id: TypeId) -> Option<Ty> {
        ir::deep(|| self.resolve_here(id))
    }
    fn resolve_here(&mut self, id: TypeId) -> Option<Ty> {
        let ast = self.ast.clone();
        let TypeExpr { kind, prefix, span } = &ast.types[id];
        let ty = match kind {
            TypeKind::Bool => Ty::Bool,
            TypeKind::Clock if prefix.hybrid => Ty::Opaque(Opaque::Hybrid),
            TypeKind::Clock => Ty::Clock,
            TypeKind::Void => Ty::Void,
            TypeKind::Double => Ty::Opaque(Opaque::Double),
            TypeKind::Text => Ty::Opaque(Opaque::Text),
            TypeKind::Chan => Ty::Chan { urgent: prefix.urgent, broadcast: prefix.broadcast },
            TypeKind::Int(None) => Ty::Int(INT),
            TypeKind::Int(Some((low, high))) => {
                let low = self.constant(*low, "a bound of a type");
                let high = self.constant(*high, "a bound of a type");
                Ty::Int((low?, high?))
            }
            TypeKind::Scalar(size) => {
                let size = self.constant(*size, "the size of a scalar set")?;
                if size < 1 {
                    return self.fail(
                        Cause::OutOfRange,
                        *span,
                        format!("a scalar set needs a positive size, not {size}"),
                    );
                }
                Ty::Int((0, size - 1))
            }
            TypeKind::Struct(fields) => {
                let mut list: Vec<(Name, Ty)> = vec![];
                for field in fields {
                    let ty = self.declared_type(field)?;
                    if list.iter().any(|(name, _)| *name == field.ident.name) {
                        let message = format!("there are two fields `{}`", self.text(field.ident.name));
                        return self.fail(Cause::DuplicateName, field.ident.span, message);
                    }
                    list.push((field.ident.name, ty));
                }
                Ty::Struct(list.into())
            }
            TypeKind::Named(name) => match self.lookup(*name) {
                Some(Symbol::Type(ty)) => match ty.clone() {
                    Ty::Chan { urgent, broadcast } => {
                        Ty::Chan { urgent: urgent || prefix.urgent, broadcast: broadcast || prefix.broadcast }
                    }
                    ty => ty,
                },
                Some(Symbol::Broken) => return None,
                Some(_) => {
                    return self.fail(
                        Cause::WrongKind,
                        *span,
                        format!("`{}` is not a type", self.text(*name)),
                    );
                }
                None => return self.unknown("type", *name, *span),
            },
        };
        if (prefix.urgent || prefix.broadcast) && !matches!(ty.element(), Ty::Chan { .. }) {
            return self.fail(Cause::ChannelMisuse, *span, "only channels are `urgent` or `broadcast`");
        }
        Some(ty)
    }
    /// The values a quantifier, selection or family runs through.
    pub(crate) fn finite(&mut self, ty: &Ty, span: Span) -> Option<Bounds> {
        let bounds = match ty {
            Ty::Int(bounds) => *bounds,
            Ty::Bool => (0, 1),
            _ => {
                return self.fail(
                    Cause::TypeMismatch,
                    span,
                    format!("this needs a bounded integer, not {}", ty.show()),
                );
            }
        };
        if count(bounds) > WIDEST || bounds == INT {
            let message = format!("the type has {} values; give it narrower bounds", count(bounds));
            return self.fail(Cause::TooLarge, span, message);
        }
        Some(bounds)
    }
    /// A value of a finite type as a constant term.
    pub(crate) fn value_of(&mut self, ty: &Ty, value: i64) -> Term {
        match ty {
            Ty::Bool => self.system.terms.bool(value != 0),
            _ => self.system.terms.int(value),
        }
    }

    // Declarations.

    /// Declares everything of a list, in order; prefixes names of variables.
    pub(crate) fn declare_all(&mut self, decls: &[Decl], prefix: &str) {
        let ast = self.ast.clone();
        self.scopes.announce(decls.iter().map(|decl| decl.ident(&ast)), NotYet::Later);
        for (at, decl) in decls.iter().enumerate() {
            match decl {
                Decl::Var(var) => {
                    let symbol = self.variable(var, prefix).map_or(Symbol::Broken, Symbol::Place);
                    self.declare(var.ident, symbol);
                }
                Decl::Typedef(var) => {
                    let symbol = self.declared_type(var).map_or(Symbol::Broken, Symbol::Type);
                    self.declare(var.ident, symbol);
                }
                Decl::Function(id) => {
                    let here = self.scopes.here();
                    self.declare(ast.functions[*id].ident, Symbol::Function(*id, here.after_next()));
                    self.names_of_function(&ast.functions[*id]);
                }
                Decl::Template(id) => {
                    let here = self.scopes.here();
                    self.declare(ast.templates[*id].ident, Symbol::Template(*id, here));
                }
                Decl::Instance(instance) => {
                    let here = self.scopes.here();
                    self.declare(instance.ident, Symbol::Instance(at, here));
                }
                Decl::External(function) => {
                    let symbol = self.external(function).map_or(Symbol::Broken, Symbol::External);
                    self.declare(function.ident, symbol);
                }
                // Another declaration of the name, or one around, is probably meant.
                Decl::Unread(ident) if self.lookup(ident.name).is_some() => {}
                Decl::Unread(ident) => self.declare(*ident, Symbol::Broken),
            }
        }
    }
    /// A variable that is part of states, or a constant.
    fn variable(&mut self, decl: &VarDecl, prefix: &str) -> Option<Place> {
        let mut ty = self.declared_type(decl)?;
        let constant = self.ast.types[decl.ty].prefix.constant;
        if constant && ty == Ty::Int(INT) {
            ty = Ty::Int(CONSTANT);
        }
        self.inhabited(&ty, decl.ident)?;
        let name = format!("{prefix}{}", self.text(decl.ident.name));
        if prefix.is_empty() && !constant && self.around_updates.contains(&decl.ident.name) {
            ty = ty.made_opaque(Opaque::AroundUpdates);
        }
        if constant && !ty.is_data() {
            let message = format!("the constant `{name}` holds a clock or a channel, which are no values");
            return self.fail(Cause::Misplaced, decl.ident.span, message);
        }
        if ty == Ty::Clock
            && let Some(initial) = decl.initial
            && let Some(why) = self.uncomputed_start(initial)?
        {
            return Some(Place::new(Object::Opaque, ty.made_opaque(why), false));
        }
        if constant && decl.initial.is_none() {
            let message = format!("the constant `{name}` needs a value");
            return self.fail(Cause::MissingPart, decl.ident.span, message);
        }
        let initial = match decl.initial {
            Some(initial) => Some(self.tree(&ty, initial)?),
            None => None,
        };
        if constant {
            let object = self.constant_object(&ty, &ty, initial.as_ref().expect("just tested"), &mut vec![]);
            return Some(Place::new(object, ty, true));
        }
        let object = self.object(&name, &ty, &mut vec![], Storage::State, decl.ident.span);
        let place = Place::new(object, ty, false);
        self.set_initial(&place, initial.as_ref());
        Some(place)
    }
    /// Why nothing is known of a clock with this start, if that is so: floating-point numbers are not computed.
    fn uncomputed_start(&mut self, initial: ExprId) -> Option<Option<Opaque>> {
        Some(match self.pure(|cx| cx.value(initial))?.val {
            Val::Opaque(Opaque::Double) => Some(Opaque::Start),
            Val::Opaque(why) => Some(why),
            _ => None,
        })
    }
    /// Refuses a variable for which its type has no value.
    pub(crate) fn inhabited(&mut self, ty: &Ty, ident: Ident) -> Option<()> {
        let Some((low, high)) = ty.empty() else { return Some(()) };
        let name = self.text(ident.name);
        let message = format!("`{name}` has no value: there is no integer from {low} to {high}");
        self.fail(Cause::OutOfRange, ident.span, message)
    }
    /// A function of a library, whose type must be one.
    fn external(&mut self, function: &External) -> Option<ExternalFunction> {
        let name = function.ident.name;
        let void = self.resolve(function.result)? == Ty::Void;
        let types = self.nested(|cx| cx.param_types(&function.params))?;
        // Arrays are given to libraries by reference.
        let changes = function.params.iter().zip(&types).any(|(param, ty)| {
            let constant = self.ast.types[param.var.ty].prefix.constant;
            !constant && (param.by_reference || matches!(ty, Ty::Array(..)))
        });
        Some(ExternalFunction { name, void, changes })
    }
    /// A process-local copy of a parameter that is given by value and changed.
    pub(crate) fn parameter_copy(&mut self, name: &str, ty: Ty, initial: &Tree, span: Span) -> Place {
        let object = self.object(name, &ty, &mut vec![], Storage::State, span);
        let place = Place::new(object, ty, false);
        self.set_initial(&place, Some(initial));
        place
    }
    /// Gives every leaf its first value, also where clocks and channels are leaves beside it: a variable without one
    /// would start anywhere, and an array would even leave its range.
    fn set_initial(&mut self, place: &Place, initial: Option<&Tree>) {
        for (leaf, path) in paths(&place.object) {
            match (leaf, initial) {
                (Object::Var(var), Some(tree)) => {
                    let value = self.project(&place.ty, tree, &path);
                    self.system.initial.push((var, value));
                }
                (Object::Var(var), None) => {
                    let ty = path.iter().fold(place.ty.clone(), |ty, at| field_type(&ty, *at));
                    let value = default_term(&mut self.system.terms, &ty);
                    self.system.initial.push((var, value));
                }
                (Object::Clocks(clocks), Some(tree)) => {
                    let mut starts = vec![];
                    tree.along(&place.ty, &path, &mut starts);
                    // Clocks start at 0 unless something else is said.
                    let zero = self.system.terms.int(0);
                    let said = clocks.iter().copied().zip(starts).filter(|(_, start)| *start != zero);
                    self.system.initial.extend(said);
                }
                _ => {}
            }
        }
    }
    /// Makes the variables behind a name.
    pub(crate) fn object(
        &mut self,
        name: &str,
        ty: &Ty,
        dims: &mut Vec<Bounds>,
        storage: Storage,
        span: Span,
    ) -> Object {
        match ty {
            Ty::Array(bounds, element) => {
                dims.push(*bounds);
                let object = self.object(name, element, dims, storage, span);
                dims.pop();
                object
            }
            Ty::Struct(fields) => {
                let mut objects = vec![];
                for (field, ty) in fields.iter() {
                    // Each array around keeps a place for its position, see `entry_name`.
                    let open = "[]".repeat(dims.len() - name.matches("[]").count());
                    let name = format!("{name}{open}.{}", self.text(*field));
                    objects.push(self.object(&name, ty, dims, storage, span));
                }
                Object::Fields(objects.into())
            }
            Ty::Clock => {
                let mut names = vec![name.to_owned()];
                for (low, high) in dims.iter() {
                    names = names
                        .iter()
                        .flat_map(|name| (*low..=*high).map(|at| entry_name(name, &at.to_string())))
                        .collect();
                }
                let declare = |name: String| self.new_var(Type::Clock, Variable::state(name, span), None);
                Object::Clocks(names.into_iter().map(declare).collect::<Vec<_>>().into())
            }
            Ty::Chan { urgent, broadcast } => {
                self.channels.push(ChannelDecl {
                    name: name.to_owned(),
                    urgent: *urgent,
                    broadcast: *broadcast,
                    dims: dims.clone(),
                    levels: Box::default(),
                });
                Object::Channel(self.channels.len() - 1)
            }
            Ty::Opaque(_) => Object::Opaque,
            Ty::Bool | Ty::Int(_) | Ty::Void => {
                let whole = dims.iter().rev().fold(ty.clone(), |ty, dim| Ty::Array(*dim, ty.into()));
                let (whole, bounds) = match ty {
                    Ty::Void => (Type::Bool, None),
                    Ty::Int(bounds) => (leaf_type(&mut self.system.terms, &whole), Some(*bounds)),
                    _ => (leaf_type(&mut self.system.terms, &whole), None),
                };
                Object::Var(match storage {
                    Storage::State => self.new_var(whole, Variable::state(name, span), bounds),
                    Storage::Local => self.local(name, whole, bounds, span),
                })
            }
        }
    }
    pub(crate) fn new_var(&mut self, ty: Type, mut variable: Variable, bounds: Option<Bounds>) -> VarId {
        if ty == Type::Int {
            variable.range = bounds.map(|(low, high)| (Int::from(low), Int::from(high)));
        }
        let var = self.system.declare(ty, variable);
        self.declared.set(var, bounds.map(interval));
        var
    }
    /// A variable that lives within a step.
    pub(crate) fn local(&mut self, name: &str, ty: Type, bounds: Option<Bounds>, span: Span) -> VarId {
        self.take(ty, Variable::local(name, span), bounds)
    }
    /// A variable that lives within a step and that the user has not written.
    pub(crate) fn hidden(&mut self, name: &str, ty: Type, bounds: Option<Bounds>, span: Span) -> VarId {
        self.take(ty, Variable { shown: false, ..Variable::local(name, span) }, bounds)
    }
    fn take(&mut self, ty: Type, local: Variable, bounds: Option<Bounds>) -> VarId {
        let key = (local.name.clone(), local.shown, ty, bounds);
        let var = match self.locals.free.get_mut(&key).and_then(Vec::pop) {
            Some(var) => var,
            None => self.new_var(ty, local, bounds),
        };
        self.locals.used.push((key, var));
        var
    }
    /// How many locals are in use; for [`Elaborator::release`].
    pub(crate) fn mark(&self) -> usize {
        self.locals.used.len()
    }
    /// The locals taken since `mark`.
    pub(crate) fn taken(&self, mark: usize) -> FxHashSet<VarId> {
        self.locals.used[mark..].iter().map(|(_, var)| *var).collect()
    }
    /// Gives locals taken since `mark` back for reuse.
    pub(crate) fn release(&mut self, mark: usize) {
        for (key, var) in self.locals.used.split_off(mark) {
            self.locals.free.entry(key).or_default().push(var);
        }
    }
}

/// The leaves of an object with the fields that lead to them.
fn paths(object: &Object) -> Vec<(Object, Vec<usize>)> {
    match object {
        Object::Fields(objects) => {
            let mut all = vec![];
            for (at, object) in objects.iter().enumerate() {
                for (leaf, path) in paths(object) {
                    all.push((leaf, [vec![at], path].concat()));
                }
            }
            all
        }
        leaf => vec![(leaf.clone(), vec![])],
    }
}
