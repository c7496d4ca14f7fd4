//! Questions about programs: calls, lines and labels that are never reached, expressions that hold everywhere or at a
//! place, overflow, the end of the program, and temporal formulas over all of these.
//!
//! Places are written as if they were functions: `line(12)`, `label(L)`, `call(f)`; `end` is where the program ends. Names of
//! variables are those of C; a local variable `x` of a function `f` is `f.x`, or just `x` where that is clear.

use std::cell::RefCell;
use std::ops::Range;

use ir::{Claim, Edge, Fault, Guarded, IdVec, LocationId, Property, Span, Stmt, System, Term};
use rustc_hash::FxHashMap;

use super::ast::{Access, Expr, ExprKind, Name, Unit};
use super::call::{ASSERTION, ERRORS};
use super::code::{Code as Program, ObjectKind, PointId, Role};
use super::elaborate::{Elaborator, Scope, Symbol};
use super::expr::has_effects;
use super::memory::Memory;
use super::types::Types;
use super::value::Values;
use super::{at, parse, prp};
use crate::Language;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::question::{Asked, Misread, Question, one_line};
use crate::temporal::{self, Kind, Path, Propositions};

/// A condition on states, and how its evaluation goes wrong.
type Condition = (Term, Vec<(Term, Fault)>);

/// What is needed to ask questions about a program.
pub(super) struct Asking {
    pub memory: Memory,
    pub locations: IdVec<PointId, Option<LocationId>>,
    overflow: LocationId,
    overflows: Vec<(LocationId, Stmt, Span)>,
    /// Constants and types of file scope.
    names: FxHashMap<String, Symbol>,
    /// Whether the edges to the overflow location are there.
    overflow_asked: bool,
    /// Whether runs stay for ever where they end.
    repeats: bool,
}

impl Asking {
    pub fn new(
        memory: Memory,
        locations: IdVec<PointId, Option<LocationId>>,
        overflow: LocationId,
        overflows: Vec<(LocationId, Stmt, Span)>,
        names: FxHashMap<String, Symbol>,
    ) -> Self {
        Asking { memory, locations, overflow, overflows, names, overflow_asked: false, repeats: false }
    }
    /// What the program asks itself: that no error is called.
    pub fn own(&mut self, system: &mut System) -> Option<Question> {
        let stops = self.stops(|_| true);
        (!stops.is_empty()).then(|| self.unreach_call(system, "unreach-call", "unreach-call"))
    }
    fn unreach_call(&mut self, system: &mut System, name: &str, text: &str) -> Question {
        let stops = self.stops(|_| true);
        let claim = never(system, &stops);
        Question::new(name, text, "unreach-call", claim)
    }
    /// Where calls lead that do not return.
    fn stops(&self, wanted: impl Fn(&str) -> bool) -> Vec<LocationId> {
        self.places(|point| matches!(&point.role, Role::Stop(name) if wanted(name)))
    }
    fn places(&self, wanted: impl Fn(&super::code::Point) -> bool) -> Vec<LocationId> {
        let points = self.locations.entries();
        points
            .filter(|(id, _)| wanted(&self.memory.code.points[*id]))
            .filter_map(|(_, place)| *place)
            .collect()
    }
    /// Where a function is called.
    fn calls(&self, function: &str) -> Vec<LocationId> {
        let mut list = self.stops(|name| name == function);
        if function == "__assert_fail" {
            list.extend(self.stops(|name| name == ASSERTION));
        }
        let number = self.memory.functions.iter().position(|name| name == function);
        if let Some(number) = number {
            list.extend(self.places(|point| point.enters == Some(number)));
        }
        list
    }
    fn line(&self, line: usize) -> Vec<LocationId> {
        self.places(|point| point.starts.iter().any(|start| self.memory.line(*start) == line))
    }
    fn label(&self, label: &str) -> Vec<LocationId> {
        self.places(|point| point.labels.iter().any(|known| known == label))
    }
    fn ends(&self) -> Vec<LocationId> {
        self.places(|point| point.role != Role::Plain)
    }
    /// The places that are called so in a question.
    fn place(&self, word: &str, argument: Option<&str>) -> Option<Vec<LocationId>> {
        let list = match (word, argument) {
            ("line", Some(number)) => self.line(number.parse().ok()?),
            ("label", Some(label)) => self.label(label),
            ("call", Some(function)) => self.calls(function),
            ("end", None) => self.ends(),
            _ => return None,
        };
        (!list.is_empty()).then_some(list)
    }

    /// Signed arithmetic never overflows.
    fn no_overflow(&mut self, system: &mut System, name: &str, text: &str) -> Question {
        if !std::mem::replace(&mut self.overflow_asked, true) {
            let always = system.terms.bool(true);
            for process in system.processes.iter_mut().take(1) {
                for (source, stmt, span) in &self.overflows {
                    process.edges.push(Edge {
                        source: *source,
                        target: self.overflow,
                        guard: always,
                        update: Guarded::safe(*stmt),
                        sync: None,
                        label: format!("line {}: signed overflow", self.memory.line(*span)),
                        span: *span,
                    });
                }
            }
        }
        let claim = never(system, &[self.overflow]);
        Question::new(name, text, "no-overflow", claim)
    }
    /// Every run comes to an end.
    fn termination(
        &mut self,
        system: &mut System,
        name: &str,
        text: &str,
    ) -> Result<Question, Vec<Diagnostic>> {
        const FORMULA: &str = "F end";
        let path = self.formula(system, FORMULA, 0..FORMULA.len())?;
        let mut question = path.question(system, name, FORMULA, 0..FORMULA.len());
        question.text = text.to_owned();
        Ok(question)
    }
    /// Lets runs stay for ever where they end, as claims about runs need it.
    fn repeat(&mut self, system: &mut System) {
        if std::mem::replace(&mut self.repeats, true) {
            return;
        }
        let ends = self.ends();
        let (always, skip) = (system.terms.bool(true), system.terms.skip());
        for process in system.processes.iter_mut().take(1) {
            for end in ends.iter().copied() {
                let name = process.locations[end].name.clone();
                process.edges.push(Edge {
                    source: end,
                    target: end,
                    guard: always,
                    update: Guarded::safe(skip),
                    sync: None,
                    label: format!("{name} for ever"),
                    span: Span::default(),
                });
            }
        }
    }
    fn formula(
        &mut self,
        system: &mut System,
        text: &str,
        at: Range<usize>,
    ) -> Result<Path, Vec<Diagnostic>> {
        let path = temporal::read(text, at, &mut Conditions { text, asking: self, system })?;
        self.repeat(system);
        Ok(path)
    }

    /// What a property file asks.
    fn check(
        &mut self,
        system: &mut System,
        name: Option<&str>,
        asked: &prp::Asked,
        text: &str,
        span: Span,
    ) -> Result<Question, Vec<Diagnostic>> {
        match asked {
            prp::Asked::NoCall(function) => {
                let known = ERRORS.contains(&&**function);
                let name = name.unwrap_or(if known { "unreach-call" } else { text });
                let places = self.calls(function);
                let claim = never(system, &places);
                let mut question = Question::new(name, text, format!("no call of {function}"), claim);
                if places.is_empty() && !known && !self.memory.functions.contains(function) {
                    let message = format!("the program has no function `{function}`");
                    question.warnings.push(Diagnostic::warning(Code::UnknownName, span, message));
                }
                Ok(question)
            }
            prp::Asked::NoOverflow => Ok(self.no_overflow(system, name.unwrap_or("no-overflow"), text)),
            prp::Asked::Termination => self.termination(system, name.unwrap_or("termination"), text),
            prp::Asked::Unsupported(what) => {
                let message = format!("the property `{}` is not supported", one_line(what));
                Err(vec![Diagnostic::error(Code::UnsupportedQuery, span, message)])
            }
        }
    }
    /// Questions with a name of their own.
    fn known(
        &mut self,
        system: &mut System,
        name: &str,
        text: &str,
    ) -> Option<Result<Question, Vec<Diagnostic>>> {
        let trimmed = text.trim();
        match trimmed {
            "unreach-call" | "no-assertion-violation" => {
                return Some(Ok(self.unreach_call(system, name, trimmed)));
            }
            "no-overflow" => return Some(Ok(self.no_overflow(system, name, trimmed))),
            "termination" => return Some(self.termination(system, name, trimmed)),
            "no-faults" => {
                let claim = Claim::Always(system.terms.bool(true));
                let mut question = Question::new(name, trimmed, "no-faults", claim);
                question.property.faults_violate = true;
                return Some(Ok(question));
            }
            _ => {}
        }
        if let [(asked, at)] = &prp::checks(trimmed)[..]
            && at.start == 0
        {
            return Some(self.check(system, Some(name), asked, trimmed, Span::new(0, text.len())));
        }
        self.place_question(system, name, text)
    }
    /// `line 12`, `label L`, `call f`: never reached; with a colon, what holds there.
    fn place_question(
        &mut self,
        system: &mut System,
        name: &str,
        text: &str,
    ) -> Option<Result<Question, Vec<Diagnostic>>> {
        let trimmed = text.trim_start();
        let start = text.len() - trimmed.len();
        let (body, skipped) = match trimmed.strip_prefix("unreachable ") {
            Some(rest) => (rest, start + "unreachable ".len()),
            None => (trimmed, start),
        };
        let (head, rest) = match body.split_once(':') {
            Some((head, rest)) => (head, Some(rest)),
            None => (body, None),
        };
        let mut words = head.split_whitespace();
        let (word, argument) = (words.next()?, words.next());
        if words.next().is_some() || !["line", "label", "call", "end"].contains(&word) {
            return None;
        }
        if argument.is_none() && word != "end" || (word == "end" && rest.is_none() && skipped == start) {
            return None;
        }
        let span = Span::new(skipped, skipped + head.trim_end().len());
        let Some(places) = self.place(word, argument) else {
            let message = match word {
                "line" => {
                    format!("no statement that `main` reaches begins in line {}", argument.unwrap_or(""))
                }
                "label" => format!("`main` reaches no label `{}`", argument.unwrap_or("")),
                _ => format!("`main` reaches no call of `{}`", argument.unwrap_or("")),
            };
            return Some(Err(vec![Diagnostic::error(Code::UnknownName, span, message)]));
        };
        let Some(rest) = rest else {
            let claim = never(system, &places);
            return Some(Ok(Question::new(name, text.trim(), one_line(text), claim)));
        };
        let from = text.len() - rest.len();
        Some(self.condition(system, text, from..text.len()).map(|(term, faults)| {
            let there = at(system, &places);
            let faults: Vec<(Term, Fault)> =
                faults.into_iter().map(|(wrong, fault)| (system.terms.and([there, wrong]), fault)).collect();
            // Where the condition has no value, that is found, too.
            let wrong = system.terms.or(faults.iter().map(|(wrong, _)| *wrong));
            let (claimed, defined) = (system.terms.implies(there, term), system.terms.not(wrong));
            let claim = Claim::Always(system.terms.and([claimed, defined]));
            let mut question = Question::new(name, text.trim(), one_line(text), claim);
            question.property = Property { faults, ..question.property };
            question
        }))
    }
    fn property(&mut self, system: &mut System, name: &str, text: &str) -> Result<Question, Vec<Diagnostic>> {
        let start = text.len() - text.trim_start().len();
        let (always, start) = match &text[start..] {
            rest if rest.starts_with("A[]") => (true, start + 3),
            rest if rest.starts_with("E<>") => (false, start + 3),
            _ => (true, start),
        };
        let (term, faults) = self.condition(system, text, start..text.len())?;
        // What an overflow left half done is no state of the program.
        let aside = at(system, &[self.overflow]);
        let inside = system.terms.not(aside);
        let faults: Vec<(Term, Fault)> =
            faults.into_iter().map(|(wrong, fault)| (system.terms.and([inside, wrong]), fault)).collect();
        // Where the condition has no value, that is found, too.
        let wrong = system.terms.or(faults.iter().map(|(wrong, _)| *wrong));
        let claim = match always {
            true => {
                let (claimed, defined) = (system.terms.or([aside, term]), system.terms.not(wrong));
                Claim::Always(system.terms.and([claimed, defined]))
            }
            false => {
                let found = system.terms.and([inside, term]);
                Claim::Possibly(system.terms.or([found, wrong]))
            }
        };
        let mut question = Question::new(name, text.trim(), one_line(&text[start..]), claim);
        question.property = Property { faults, ..question.property };
        Ok(question)
    }
    /// A condition on states, and how its evaluation goes wrong.
    fn condition(
        &mut self,
        system: &mut System,
        text: &str,
        range: Range<usize>,
    ) -> Result<Condition, Vec<Diagnostic>> {
        if text[range.clone()].trim().is_empty() {
            let message = "the property is empty; write a condition that is to hold in every state";
            let span = Span::new(range.start, range.end);
            return Err(vec![Diagnostic::error(Code::Empty, span, message)]);
        }
        super::with_stack(|| self.read_condition(system, &text[range.clone()])).map_err(|mut errors| {
            for error in &mut errors {
                error.span.start += range.start as u32;
                error.span.end += range.start as u32;
            }
            errors
        })
    }
    fn read_condition(&mut self, system: &mut System, text: &str) -> Result<Condition, Vec<Diagnostic>> {
        let mut diagnostics = Diagnostics::default();
        let Some(mut expr) = parse::expression(text, &mut diagnostics) else {
            return Err(diagnostics.finish());
        };
        if has_effects_beyond_atoms(&expr) {
            let message = "a property looks at the program and must not change anything";
            return Err(vec![Diagnostic::error(Code::SideEffect, expr.span, message)]);
        }
        self.qualify(&mut expr);
        let atoms: RefCell<Vec<Vec<LocationId>>> = RefCell::default();
        let value = self.elaborate(&expr, &atoms, &mut diagnostics);
        let atoms: Vec<Term> = atoms.into_inner().iter().map(|places| at(system, places)).collect();
        let before = system.faults.len();
        let read = value.map(|value| {
            let mut values = Values {
                memory: &mut self.memory,
                system,
                diagnostics: &mut diagnostics,
                context: ir::range::Ranges::default(),
                atoms: &atoms,
            };
            let made = values.truth(value);
            (made.term, made.checks.faults)
        });
        match read {
            Some((term, faults)) if diagnostics.is_empty() => {
                let faults = faults
                    .into_iter()
                    .map(|(condition, fault)| (condition, system.faults[fault].clone()))
                    .collect();
                let _ = before;
                Ok((term, faults))
            }
            _ => Err(diagnostics.finish()),
        }
    }
    /// `f.x` of a function `f` becomes one name.
    fn qualify(&self, expr: &mut Expr) {
        if let ExprKind::Member(base, Name { text, .. }, Access::Dot) = &expr.kind
            && let ExprKind::Name(function) = &base.kind
            && self.memory.functions.contains(function)
        {
            expr.kind = ExprKind::Name(format!("{function}.{text}"));
            return;
        }
        let mut parts: Vec<&mut Expr> = vec![];
        match &mut expr.kind {
            ExprKind::Unary(_, a) | ExprKind::Cast(_, a) | ExprKind::Member(a, ..) | ExprKind::SizeOf(a) => {
                parts.push(a);
            }
            ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Index(a, b) => {
                parts.extend([&mut **a, &mut **b])
            }
            ExprKind::Cond(a, b, c) => parts.extend([&mut **a, &mut **b, &mut **c]),
            ExprKind::Comma(list) => parts.extend(list),
            _ => {}
        }
        for part in parts {
            ir::deep(|| self.qualify(part));
        }
    }
    fn elaborate(
        &mut self,
        expr: &Expr,
        atoms: &RefCell<Vec<Vec<LocationId>>>,
        diagnostics: &mut Diagnostics,
    ) -> Option<super::code::ValueId> {
        let scope = self.scope();
        let empty = Unit::default();
        let model = self.memory.types.model;
        let code = std::mem::take(&mut self.memory.code);
        let types = std::mem::replace(&mut self.memory.types, Types::new(model));
        // What places are is known without the program.
        let points = &code.points;
        let find = |name: &str, arguments: &[Expr]| -> Option<Option<u32>> {
            let argument = match arguments {
                [] => None,
                [Expr { kind: ExprKind::Name(name), .. }] => Some(name.clone()),
                [Expr { kind: ExprKind::Int(number), .. }] => Some(number.value.to_string()),
                _ => return None,
            };
            if !["line", "label", "call", "end"].contains(&name) {
                return None;
            }
            Some(self.place_in(points, name, argument.as_deref()).map(|places| {
                let mut atoms = atoms.borrow_mut();
                atoms.push(places);
                atoms.len() as u32 - 1
            }))
        };
        // Found first, so that nothing of the program is borrowed while values are made.
        let mut named: FxHashMap<String, Option<u32>> = FxHashMap::default();
        collect(expr, &mut |name, arguments| {
            if let Some(found) = find(name, arguments) {
                named.insert(key(name, arguments), found);
            }
        });
        let lookup = |name: &str, arguments: &[Expr]| named.get(&key(name, arguments)).copied();
        let mut cx = Elaborator::new(&empty, model, diagnostics);
        cx.types = types;
        cx.code = code;
        cx.scopes = vec![scope];
        cx.atoms = Some(&lookup);
        let value = cx.value(expr).and_then(|value| cx.scalar(value));
        self.memory.code = cx.code;
        self.memory.types = cx.types;
        value
    }
    fn place_in(
        &self,
        points: &IdVec<PointId, super::code::Point>,
        word: &str,
        argument: Option<&str>,
    ) -> Option<Vec<LocationId>> {
        let list = |wanted: &dyn Fn(&super::code::Point) -> bool| -> Vec<LocationId> {
            let all = self.locations.entries();
            all.filter(|(id, _)| wanted(&points[*id])).filter_map(|(_, place)| *place).collect()
        };
        let found = match (word, argument) {
            ("line", Some(number)) => {
                let number: usize = number.parse().ok()?;
                list(&|point| point.starts.iter().any(|start| self.memory.line(*start) == number))
            }
            ("label", Some(label)) => list(&|point| point.labels.iter().any(|known| known == label)),
            ("call", Some(function)) => {
                let number = self.memory.functions.iter().position(|name| name == function);
                list(&|point| {
                    matches!(&point.role, Role::Stop(name) if name == function)
                        || (number.is_some() && point.enters == number)
                })
            }
            ("end", None) => list(&|point| point.role != Role::Plain),
            _ => return None,
        };
        (!found.is_empty()).then_some(found)
    }
    /// The names that a question may use.
    fn scope(&self) -> Scope {
        let mut scope = Scope { symbols: self.names.clone(), ..Scope::default() };
        let Program { objects, .. } = &self.memory.code;
        let mut locals: FxHashMap<&str, Vec<super::code::ObjectId>> = FxHashMap::default();
        for (id, object) in objects.entries() {
            if matches!(object.kind, ObjectKind::Hidden) {
                continue;
            }
            match object.function.and_then(|function| self.memory.functions.get(function)) {
                None => {
                    scope.symbols.insert(object.name.clone(), Symbol::Object(id));
                }
                Some(function) => {
                    locals.entry(&object.name).or_default().push(id);
                    let name = format!("{function}.{}", object.name);
                    scope.symbols.entry(name).or_insert(Symbol::Object(id));
                }
            }
        }
        for (name, list) in locals {
            if let [only] = list[..] {
                scope.symbols.entry(name.to_owned()).or_insert(Symbol::Object(only));
            }
        }
        scope
    }
}

/// The calls of an expression that may be places, and its names.
fn collect(expr: &Expr, visit: &mut dyn FnMut(&str, &[Expr])) {
    let parts: Vec<&Expr> = match &expr.kind {
        ExprKind::Name(name) => {
            visit(name, &[]);
            vec![]
        }
        ExprKind::Call(callee, arguments) => {
            if let ExprKind::Name(name) = &callee.kind {
                visit(name, arguments);
            }
            vec![]
        }
        ExprKind::Unary(_, a) | ExprKind::Cast(_, a) | ExprKind::Member(a, ..) => vec![a],
        ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Index(a, b) => {
            vec![a, b]
        }
        ExprKind::Cond(a, b, c) => vec![a, b, c],
        ExprKind::Comma(list) => list.iter().collect(),
        _ => vec![],
    };
    for part in parts {
        ir::deep(|| collect(part, visit));
    }
}

fn key(name: &str, arguments: &[Expr]) -> String {
    match arguments {
        [Expr { kind: ExprKind::Name(argument), .. }] => format!("{name}({argument})"),
        [Expr { kind: ExprKind::Int(number), .. }] => format!("{name}({})", number.value),
        _ => name.to_owned(),
    }
}

/// Whether an expression does anything but look at places.
fn has_effects_beyond_atoms(expr: &Expr) -> bool {
    let any = |list: &[&Expr]| list.iter().any(|part| ir::deep(|| has_effects_beyond_atoms(part)));
    match &expr.kind {
        ExprKind::Call(callee, _) => {
            !matches!(&callee.kind, ExprKind::Name(name) if ["line", "label", "call"].contains(&&**name))
        }
        ExprKind::Unary(_, a) | ExprKind::Cast(_, a) | ExprKind::Member(a, ..) => any(&[a]),
        ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Index(a, b) => {
            any(&[a, b])
        }
        ExprKind::Cond(a, b, c) => any(&[a, b, c]),
        ExprKind::Comma(list) => list.iter().any(has_effects_beyond_atoms),
        _ => has_effects(expr),
    }
}

/// The claim that none of some places is reached.
fn never(system: &mut System, places: &[LocationId]) -> Claim {
    let there = at(system, places);
    Claim::Always(system.terms.not(there))
}

impl Language for Asking {
    fn question(&mut self, system: &mut System, name: &str, text: &str) -> Result<Question, Vec<Diagnostic>> {
        if let Some((kind, at)) = temporal::announced(text) {
            let path = match kind {
                Kind::Formula => self.formula(system, text, at.clone())?,
                Kind::Automaton => {
                    let path = temporal::automaton(text, at.clone(), |atom| {
                        Conditions { text: atom, asking: self, system }.condition(0..atom.len())
                    })?;
                    self.repeat(system);
                    path
                }
            };
            return Ok(path.question(system, name, text, at));
        }
        if let Some(result) = self.known(system, name, text) {
            return result;
        }
        if let Some(at) = temporal::returning(text) {
            let condition = Conditions { text, asking: self, system }.condition(at.clone())?;
            return temporal::return_to(name, text, at, condition);
        }
        let errors = match self.property(system, name, text) {
            Err(errors) => errors,
            question => return question,
        };
        let scope = self.scope();
        if let Some(error) = temporal::branching(text, |word| scope.symbols.contains_key(word)) {
            return Err(vec![error]);
        }
        let path = self.formula(system, text, 0..text.len());
        let path = temporal::instead(text, errors, path)?;
        Ok(path.question(system, name, text, 0..text.len()))
    }
    fn question_file(
        &mut self,
        system: &mut System,
        text: &str,
    ) -> Option<Result<Vec<Asked>, Vec<Diagnostic>>> {
        let checks = prp::checks(text);
        if checks.is_empty() {
            let message =
                "this file asks nothing; write `CHECK( init(main()), LTL(G ! call(reach_error())) )`";
            let error = Diagnostic::error(Code::MissingPart, Span::new(0, text.len().min(1)), message);
            return Some(Err(vec![error]));
        }
        let mut list = vec![];
        for (asked, range) in checks {
            let check = one_line(&text[range.clone()]);
            let span = Span::new(range.start, range.end);
            list.push(self.check(system, None, &asked, &check, span).map_err(|diagnostics| {
                let name = match &asked {
                    prp::Asked::Unsupported(what) => one_line(what),
                    _ => check.clone(),
                };
                Misread { name, text: check.clone(), diagnostics }
            }));
        }
        Some(Ok(list))
    }
}

/// A text with conditions on states of a program.
struct Conditions<'a> {
    text: &'a str,
    asking: &'a mut Asking,
    system: &'a mut System,
}

impl Propositions for Conditions<'_> {
    fn is_name(&self, word: &str) -> bool {
        self.asking.scope().symbols.contains_key(word)
            || self.asking.memory.functions.iter().any(|name| name == word)
    }
    fn condition(&mut self, at: Range<usize>) -> Result<Term, Vec<Diagnostic>> {
        let (term, faults) = self.asking.condition(self.system, self.text, at.clone())?;
        if faults.is_empty() {
            return Ok(term);
        }
        let message = "this may go wrong, and a formula over runs cannot say what then; guard it with `&&`";
        Err(vec![Diagnostic::error(Code::Undefined, Span::new(at.start, at.end), message)])
    }
}
