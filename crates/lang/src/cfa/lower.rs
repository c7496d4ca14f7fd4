//! From a control-flow automaton to a [`System`]: one process with the locations as written and an edge for each.
//!
//! An edge is one step, whatever statements it has; nobody looks in between. What is known of values is carried along
//! an edge, and on from a location that only one edge leads to, so that a counter which a guard keeps small needs no
//! wrapping around.
//!
//! Claims about runs read states from the first edge on. A location that is the initial one and that edges lead to is
//! therefore two: one where runs start, and one that they come back to.

use std::collections::VecDeque;

use ir::range::Ranges;
use ir::{
    Edge, FaultState, Guarded, Id, IdVec, Location, LocationId, LocationKind, Process, ProcessId, Span,
    System, Term, Type, VarId, Variable,
};
use rustc_hash::FxHashMap;

use super::ast::{self, File, LocKind, Stmt};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::nearest::nearest;
use crate::theta::{Binding, Dialect, Elaborator, Scope, Ty};

/// What a file becomes; usable only if no error is reported.
pub(crate) struct Lowered {
    pub(crate) system: System,
    pub(crate) scope: Scope,
    /// The locations by name, each with all places of the system that are it.
    pub(crate) places: FxHashMap<String, Vec<LocationId>>,
    /// Where the file says that something is wrong.
    pub(crate) error: Option<String>,
    /// The locations where a run ends: they are repeated for ever.
    pub(crate) ends: Vec<LocationId>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// How many edges what is known is carried along.
const FAR: u32 = 16;

/// Lowers the main process of a file as far as it is intact.
pub(crate) fn lower(file: &File, diagnostics: &mut Diagnostics) -> Lowered {
    let mut lowered = Lowered {
        system: System::default(),
        scope: Scope::default(),
        places: FxHashMap::default(),
        error: None,
        ends: vec![],
        warnings: vec![],
    };
    let mut mains = file.processes.iter().filter(|process| process.main);
    let Some(main) = mains.next() else {
        if diagnostics.is_empty() {
            let message = "there is no `main process`; a file needs exactly one";
            diagnostics.push(Diagnostic::error(Code::MissingPart, Span::default(), message));
        }
        return lowered;
    };
    for other in mains {
        let message = "there are two main processes; a file has exactly one";
        diagnostics.push(
            Diagnostic::error(Code::RepeatedPart, other.ident.span, message)
                .note(main.ident.span, "the first one is here"),
        );
    }
    for other in file.processes.iter().filter(|process| !process.main) {
        let message = format!("process `{}` is not the main one and is left out", other.ident.text);
        lowered.warnings.push(Diagnostic::warning(Code::IgnoredPart, other.ident.span, message));
    }
    Lowering { file, main, lowered: &mut lowered, diagnostics, which: None }.run();
    lowered
}

struct Lowering<'a> {
    file: &'a File,
    main: &'a ast::Process,
    lowered: &'a mut Lowered,
    diagnostics: &'a mut Diagnostics,
    /// The variable that holds the number of a fault, where there can be one.
    which: Option<VarId>,
}

impl Lowering<'_> {
    fn run(mut self) {
        self.variables();
        let mut process = Process { name: self.main.ident.text.clone(), ..Process::default() };
        self.locations(&mut process);
        if !self.main.locations.iter().any(|location| location.kind == LocKind::Init) {
            if self.diagnostics.is_empty() {
                let message = format!("process `{}` has no `init loc`", self.main.ident.text);
                self.error(Code::MissingPart, self.main.ident.span, message);
            }
            return;
        }
        self.edges(&mut process);
        if let Some(which) = self.which {
            let always = self.lowered.system.terms.bool(true);
            let location = Location::new("fault", always, LocationKind::Urgent);
            let location = process.locations.push(Location { observed: false, read: false, ..location });
            self.lowered.system.fault = Some(FaultState { process: ProcessId::at(0), location, which });
        }
        self.lowered.system.processes.push(process);
        self.lowered.system.program = true;
        self.name_places();
    }
    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }
    fn twice(&mut self, what: &str, ident: &crate::theta::ast::Ident, first: Span) {
        let message = format!("{what} `{}` is declared twice; rename or remove one", ident.text);
        self.diagnostics.push(
            Diagnostic::error(Code::DuplicateName, ident.span, message).note(first, "first declared here"),
        );
    }
    fn elaborator(&mut self) -> Elaborator<'_> {
        let lowered = &mut *self.lowered;
        Elaborator::new(
            Dialect::Cfa,
            &self.file.tree,
            &mut lowered.system,
            &mut lowered.scope,
            self.diagnostics,
        )
    }
    fn variables(&mut self) {
        for decl in self.file.globals.iter().chain(&self.main.vars) {
            let ident = &decl.ident;
            let mut cx = self.elaborator();
            let ty = cx.ty(decl.ty);
            // What has an error is never run.
            let var = cx.declare(ty.as_ref().unwrap_or(&Ty::Bool), Variable::state(&*ident.text, ident.span));
            let now = cx.system.terms.var(var);
            if let Some(first) = self.lowered.scope.names.get(&ident.text) {
                let first = first.span;
                self.twice("variable", ident, first);
                continue;
            }
            let binding = Binding { ty, now, next: None, span: ident.span };
            self.lowered.scope.names.insert(ident.text.clone(), binding);
        }
    }
    fn locations(&mut self, process: &mut Process) {
        let always = self.lowered.system.terms.bool(true);
        let mut firsts: FxHashMap<&str, Span> = FxHashMap::default();
        let mut kinds: Vec<(LocKind, Span)> = vec![];
        let comes_back = |name: &str| self.main.edges.iter().any(|edge| edge.target.text == name);
        for ast::Loc { kind, ident } in &self.main.locations {
            if let Some(first) = firsts.get(&*ident.text) {
                let first = *first;
                self.twice("location", ident, first);
                continue;
            }
            firsts.insert(&ident.text, ident.span);
            if let Some((_, first)) = kinds.iter().find(|(known, _)| known == kind) {
                let word = match kind {
                    LocKind::Init => "init",
                    LocKind::Final => "final",
                    _ => "error",
                };
                let message =
                    format!("a process has one `{word}` location at most; `{}` is another", ident.text);
                let first = *first;
                self.diagnostics.push(
                    Diagnostic::error(Code::RepeatedPart, ident.span, message)
                        .note(first, "the first one is here"),
                );
                continue;
            }
            // There are no clocks, and this way nobody needs to look for them.
            let location = Location::new(&*ident.text, always, LocationKind::Urgent);
            let here = process.locations.push(location.clone());
            let mut places = vec![here];
            match kind {
                LocKind::Plain => {}
                LocKind::Init => {
                    let start = match comes_back(&ident.text) {
                        false => here,
                        true => {
                            let name = format!("{} (start)", ident.text);
                            let start = process.locations.push(Location { name, ..location });
                            places.push(start);
                            start
                        }
                    };
                    process.locations[start].read = false;
                    process.initial = Some(start);
                }
                LocKind::Final => self.lowered.ends.push(here),
                LocKind::Error => {
                    self.lowered.error = Some(ident.text.clone());
                    self.lowered.ends.push(here);
                }
            }
            if *kind != LocKind::Plain {
                kinds.push((*kind, ident.span));
            }
            self.lowered.places.insert(ident.text.clone(), places);
        }
    }
    /// The places of a location that edges name.
    fn place(&mut self, ident: &crate::theta::ast::Ident) -> Option<Vec<LocationId>> {
        if let Some(places) = self.lowered.places.get(&ident.text) {
            return Some(places.clone());
        }
        let near = nearest(&ident.text, self.lowered.places.keys().map(String::as_str)).map(str::to_owned);
        self.diagnostics.push(Diagnostic::unknown(ident.span, "location", &ident.text, near.as_deref()));
        None
    }
    fn edges(&mut self, process: &mut Process) {
        let main = self.main;
        let ends = self.lowered.ends.clone();
        // Where each edge leads, and which edges start at each location.
        let mut ways: Vec<Option<(Vec<LocationId>, LocationId)>> = vec![];
        let mut outgoing: IdVec<LocationId, Vec<usize>> = process.locations.iter().map(|_| vec![]).collect();
        let mut incoming: IdVec<LocationId, u32> = process.locations.iter().map(|_| 0).collect();
        for (number, edge) in main.edges.iter().enumerate() {
            let (sources, targets) = (self.place(&edge.source), self.place(&edge.target));
            let Some((sources, targets)) = sources.zip(targets) else {
                ways.push(None);
                continue;
            };
            if ends.contains(&sources[0]) {
                let message = format!(
                    "an edge starts at `{}`, which is a `final` or `error` location and has no way out",
                    edge.source.text
                );
                self.error(Code::Misconnected, edge.source.span, message);
            }
            for source in &sources {
                outgoing[*source].push(number);
            }
            incoming[targets[0]] += 1;
            ways.push(Some((sources, targets[0])));
        }
        // In the order in which runs come to them, then those that none comes to.
        let mut known: FxHashMap<LocationId, (Ranges, u32)> = FxHashMap::default();
        let mut updates: Vec<Option<Guarded>> = vec![None; main.edges.len()];
        let mut open: VecDeque<LocationId> = process.initial.into_iter().collect();
        let mut seen: IdVec<LocationId, bool> = process.locations.iter().map(|_| false).collect();
        open.iter().for_each(|at| seen[*at] = true);
        let mut rest = process.locations.ids();
        while let Some(at) = open.pop_front().or_else(|| rest.find(|at| !seen[*at])) {
            seen[at] = true;
            for number in outgoing[at].clone() {
                if updates[number].is_some() {
                    continue;
                }
                let (sources, target) = ways[number].clone().expect("the edge starts somewhere");
                let (before, hops) = match sources[..] {
                    [source] => known.get(&source).cloned().unwrap_or_default(),
                    _ => Default::default(),
                };
                let (update, after) = self.statements(&main.edges[number].stmts, before);
                updates[number] = Some(update);
                if incoming[target] == 1 && hops < FAR {
                    known.insert(target, (after, hops + 1));
                }
                if !seen[target] {
                    seen[target] = true;
                    open.push_back(target);
                }
            }
        }
        let always = self.lowered.system.terms.bool(true);
        for (number, edge) in main.edges.iter().enumerate() {
            let (Some((sources, target)), Some(update)) = (&ways[number], updates[number]) else { continue };
            for source in sources {
                process.edges.push(Edge {
                    source: *source,
                    target: *target,
                    guard: always,
                    update,
                    sync: None,
                    label: format!("{} -> {}", edge.source.text, edge.target.text),
                    span: edge.span,
                });
            }
        }
    }
    /// Statements one after the other, and what is known behind them.
    fn statements(&mut self, list: &[Stmt], before: Ranges) -> (Guarded, Ranges) {
        let mut context = before;
        let mut parts = vec![];
        for stmt in list {
            let mut cx = self.elaborator();
            cx.context = std::mem::take(&mut context);
            let made = match stmt {
                Stmt::Assume(condition) => cx.expect(*condition, &Ty::Bool).map(|value| {
                    let Elaborator { system, scope, context, .. } = &mut cx;
                    context.learn(&system.terms, &scope.declared, value.term, true);
                    (value, None)
                }),
                Stmt::Havoc(ident) => target(&mut cx, ident)
                    .map(|(var, _)| {
                        cx.context.forget(&cx.system.terms, &cx.scope.declared, &[var]);
                        let stmt = cx.system.terms.havoc(var);
                        parts.push(Guarded::safe(stmt));
                        var
                    })
                    .and(None),
                Stmt::Assign(ident, value) => {
                    let place = target(&mut cx, ident);
                    let value = match &place {
                        Some((_, ty)) => cx.expect(*value, &ty.clone()),
                        None => cx.expr(*value).map(|typed| typed.value),
                    };
                    place.zip(value).map(|((var, _), value)| {
                        let Elaborator { system, scope, context, .. } = &mut cx;
                        let range = (system.terms.var_type(var) == Type::Int)
                            .then(|| context.of(&system.terms, &scope.declared, value.term));
                        context.assign(&mut system.terms, &scope.declared, var, range);
                        (value, Some(var))
                    })
                }
            };
            context = std::mem::take(&mut cx.context);
            if let Some((value, var)) = made {
                let which = self.which(!value.faults.is_empty());
                let terms = &mut self.lowered.system.terms;
                parts.push(Guarded::using(terms, which, value, |terms, term| match var {
                    Some(var) => terms.assign(var, term),
                    None => terms.assume(term),
                }));
            }
        }
        let update = match parts[..] {
            [only] => only,
            _ => Guarded::seq(&mut self.lowered.system.terms, &parts),
        };
        (update, context)
    }
    /// The variable that holds the number of a fault; any variable will do where there is no fault.
    fn which(&mut self, faults: bool) -> VarId {
        match self.which {
            Some(which) => which,
            None if !faults => VarId::at(0),
            None => {
                let system = &mut self.lowered.system;
                let variable = Variable { shown: false, ..Variable::state("$fault", Span::default()) };
                let which = system.declare(Type::Int, variable);
                let none = system.terms.int(-1);
                system.initial.push((which, none));
                self.which = Some(which);
                which
            }
        }
    }
    /// Lets questions speak of locations, where no variable has the name.
    fn name_places(&mut self) {
        let lowered = &mut *self.lowered;
        for (name, places) in &lowered.places {
            let ways: Vec<Term> =
                places.iter().map(|at| lowered.system.terms.at(ProcessId::at(0), *at)).collect();
            let now = lowered.system.terms.or(ways);
            let binding = Binding { ty: Some(Ty::Bool), now, next: None, span: Span::default() };
            lowered.scope.names.entry(name.clone()).or_insert(binding);
        }
    }
}

/// The variable that a statement changes.
fn target(cx: &mut Elaborator<'_>, ident: &crate::theta::ast::Ident) -> Option<(VarId, Ty)> {
    let Some(binding) = cx.scope.names.get(&ident.text) else {
        let near = nearest(&ident.text, cx.scope.names.keys().map(String::as_str)).map(str::to_owned);
        cx.diagnostics.push(Diagnostic::unknown(ident.span, "variable", &ident.text, near.as_deref()));
        return None;
    };
    match *cx.system.terms.node(binding.now) {
        ir::Node::Var(var, 0) => Some((var, binding.ty.clone()?)),
        _ => None,
    }
}
