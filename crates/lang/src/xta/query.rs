//! Queries: `A[] e` and `E<> e` over locations, variables and clocks, and `sup`, `inf`, `bounds` of expressions; and about
//! whole runs, `A<> e`, `E[] e` and `p --> q`, which are formulas of temporal logic, and any other such formula.
//!
//! A query may name locations (`Process.location`), variables of processes (`Process.variable`) and
//! everything global. Where the evaluation of the expression itself goes wrong, the query has no answer:
//! such states are searched for together with those that decide it.

use std::ops::Range;
use std::sync::Arc;

use ir::ltl::{Builder, Node};
use ir::range::Ranges;
use ir::{Checked, Claim, Fault, Id, LocationId, ProcessId, Property, Response, Span, Term, clock_atom};

use crate::code::Code as Cause;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::nearest::nearest;
use crate::question::{Grain, Measure};
use crate::temporal::{Conditions, Path};
use crate::text::Text;
use crate::xta::ast::*;
use crate::xta::deadline::deadline;
use crate::xta::elaborate::{Elaborator, Hazard};
use crate::xta::expr::{Class, Operand, Val, then};
use crate::xta::kind::Kind;
use crate::xta::lexer::{Token, Tokens};
use crate::xta::scope::Symbol;

impl Elaborator {
    /// The property a query claims, and the values it asks for.
    pub(crate) fn property(
        &mut self,
        name: &str,
        query: &Query,
    ) -> Result<(Property, Vec<Measure>), Vec<Diagnostic>> {
        let (values, measures) = self.asked(query)?;
        let mut faults = vec![];
        for (condition, hazard) in values.iter().flat_map(|value| &value.faults) {
            let Hazard { kind, span, .. } = *self.hazards.get_index(hazard.index()).expect("a known hazard");
            if Ranges::default().truth(&self.system.terms, &self.declared, *condition) != Some(false) {
                faults.push((*condition, Fault { kind, span, limit: None }));
            }
        }
        let terms = &mut self.system.terms;
        let wrong = terms.or(faults.iter().map(|(condition, _)| *condition));
        let value = &values[0];
        let claim = match query.quantifier {
            Quantifier::Always => {
                let right = terms.not(wrong);
                Claim::Always(terms.and([right, value.term]))
            }
            // Nothing undefined is looked at: it goes wrong, or does not and holds.
            Quantifier::Possibly => Claim::Possibly(terms.or([wrong, value.term])),
            Quantifier::Inevitably
            | Quantifier::Invariably
            | Quantifier::LeadsTo
            | Quantifier::Unanswered => {
                let mut conditions: Vec<Term> = values.iter().map(|value| value.term).collect();
                let mut within = query.within.map(|bound| self.amount(bound)).transpose()?;
                if let (Quantifier::Inevitably, None, [condition]) =
                    (query.quantifier, within, &mut conditions[..])
                    && !self.has_uneven_clocks(*condition)
                    && let Some((rest, most, strict)) = deadline(&mut self.system, *condition)
                {
                    *condition = rest;
                    within = Some((most, strict));
                }
                self.path_claim(query.quantifier, &conditions, within, wrong)
            }
        };
        Ok((Property { name: name.to_owned(), claim, faults, faults_violate: false }, measures))
    }
    /// The conditions of a query, and the values it asks for.
    fn asked(&mut self, query: &Query) -> Result<(Vec<Checked>, Vec<Measure>), Vec<Diagnostic>> {
        let before = std::mem::take(&mut self.diagnostics);
        self.forget_reports();
        self.in_query = true;
        let value = self.pure(|cx| {
            let (mut condition, _) = cx.truth(query.expr)?;
            let measures =
                query.values.as_ref().map_or(Some(vec![]), |it| cx.measures(it, &mut condition))?;
            let mut conditions = vec![condition];
            if let Some(then) = query.then {
                conditions.push(cx.truth(then)?.0);
            }
            Some((conditions, measures))
        });
        if let Some((conditions, measures)) = &value {
            for (condition, expr) in
                conditions.iter().zip([Some(query.expr), query.then].into_iter().flatten())
            {
                self.reads_rate(None, condition.term, self.ast.exprs[expr].span);
            }
            let exprs = query.values.iter().flat_map(|values| &values.of);
            for (measure, (expr, _)) in measures.iter().zip(exprs) {
                let span = self.ast.exprs[*expr].span;
                measure.ways.iter().for_each(|(_, term)| self.reads_rate(None, *term, span));
            }
        }
        self.in_query = false;
        let found = std::mem::replace(&mut self.diagnostics, before);
        match value {
            Some(value) if found.is_empty() => Ok(value),
            None if found.is_empty() && self.lacks_processes => Err(vec![]),
            None if found.is_empty() => {
                let message = "the query is about something that is not read";
                let span = self.ast.exprs[query.expr].span;
                Err(vec![Diagnostic::error(Cause::WrongKind, span, message)])
            }
            _ => Err(found.finish()),
        }
    }
    /// How much time something may take.
    fn amount(&mut self, TimeBound { amount, strict }: TimeBound) -> Result<(i64, bool), Vec<Diagnostic>> {
        let Some(bound) = amount else { return Ok((0, strict)) };
        let before = std::mem::take(&mut self.diagnostics);
        let value = self.constant(bound, "an amount of time");
        let found = std::mem::replace(&mut self.diagnostics, before);
        match value.filter(|value| *value >= 0) {
            Some(value) if found.is_empty() => Ok((value, strict)),
            _ if !found.is_empty() => Err(found.finish()),
            _ => {
                let message = "this is to be a whole number of time units, such as 10";
                Err(vec![Diagnostic::error(Cause::TypeMismatch, self.ast.exprs[bound].span, message)])
            }
        }
    }
    /// A claim about runs, over one or two conditions, which cannot be evaluated where something is `wrong`.
    fn path_claim(
        &mut self,
        quantifier: Quantifier,
        conditions: &[Term],
        within: Option<(i64, bool)>,
        wrong: Term,
    ) -> Claim {
        let (mut atoms, mut builder) = (Conditions::default(), Builder::default());
        let of_some_run = matches!(quantifier, Quantifier::Invariably | Quantifier::Unanswered);
        if let (Some((within, strict)), [first, rest @ ..]) = (within, conditions) {
            let first = atoms.number(*first);
            let second = rest.first().map(|then| atoms.number(*then));
            let (from, to) = second.map_or((None, first), |second| (Some(first), second));
            let path = Path::responding(Response { from, to, within, strict }, atoms);
            let path = if of_some_run { path.of_some_run() } else { path };
            return path.undefined_where(wrong).claim(&mut self.system);
        }
        let mut parts = vec![];
        for condition in conditions {
            parts.push(builder.atom(atoms.number(*condition)));
        }
        let root = match (quantifier, &parts[..]) {
            (Quantifier::Invariably, [always]) => builder.add(Node::Globally(*always)),
            (_, [eventually]) => builder.add(Node::Finally(*eventually)),
            (_, [first, second, ..]) => {
                let finally = builder.add(Node::Finally(*second));
                let leads = builder.add(Node::Implies(*first, finally));
                let always = builder.add(Node::Globally(leads));
                if of_some_run { builder.add(Node::Not(always)) } else { always }
            }
            (_, []) => builder.add(Node::True),
        };
        let path = Path::new(builder.finish(root), atoms).undefined_where(wrong);
        let path = if of_some_run { path.of_some_run() } else { path };
        path.claim(&mut self.system)
    }
    /// The condition of a formula that is written in a part of a text. It must be one that can be evaluated everywhere.
    pub(crate) fn proposition(&mut self, text: &Text, at: Range<usize>) -> Result<Term, Vec<Diagnostic>> {
        let part = text.part(at);
        let mut diagnostics = Diagnostics::default();
        let mut warnings = vec![];
        let ast = Arc::make_mut(&mut self.ast);
        let mut parser = super::parser::Parser::new(&part, ast, &mut diagnostics, &mut warnings);
        let expr = parser.expr();
        if expr.is_ok() && parser.token != Token::End {
            let _ = parser.unexpected::<()>("an operator or the end of the condition");
        }
        let found = diagnostics.finish();
        let Some(expr) = expr.ok().filter(|_| found.is_empty()) else {
            let unread =
                || vec![Diagnostic::error(Cause::Syntax, part.end(), "the condition cannot be read")];
            return Err(if found.is_empty() { unread() } else { found });
        };
        let query = Query { quantifier: Quantifier::Possibly, expr, then: None, within: None, values: None };
        let (values, _) = self.asked(&query)?;
        for (condition, hazard) in &values[0].faults {
            if Ranges::default().truth(&self.system.terms, &self.declared, *condition) != Some(false) {
                let Hazard { kind, span, .. } =
                    *self.hazards.get_index(hazard.index()).expect("a known hazard");
                let message =
                    format!("a condition of a formula must not go wrong anywhere, and this can: {kind}");
                return Err(vec![Diagnostic::error(Cause::Undefined, span, message)]);
            }
        }
        Ok(values[0].term)
    }
    /// Whether something of the model is called so, or a process has a name that goes on from it.
    pub(crate) fn is_called(&self, word: &str) -> bool {
        let named = self.ast.names.find(word).is_some_and(|name| self.lookup(name).is_some());
        let process =
            |name: &str| name.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('('));
        named || self.processes.iter().any(|it| process(&it.name))
    }
    /// What is measured; it goes wrong where the condition holds and it does.
    fn measures(&mut self, values: &Values, condition: &mut Checked) -> Option<Vec<Measure>> {
        let response = |text: &String| Measure {
            text: text.clone(),
            condition: None,
            extreme: values.extreme,
            ways: vec![],
            grain: Grain::Response,
        };
        let mut measures: Vec<Measure> = values.response.iter().map(response).collect();
        for (expr, text) in &values.of {
            let value = self.value(*expr)?;
            let (ways, faults, grain) = match value {
                Operand { val: Val::Clock(ways), faults } => {
                    self.comparable(&ways, self.ast.exprs[*expr].span)?;
                    let uneven = self.has_uneven_clocks(condition.term);
                    (ways, faults, if uneven { Grain::Fraction } else { Grain::Clock })
                }
                other => {
                    let span = self.ast.exprs[*expr].span;
                    let Checked { term, faults } = self.as_int(other, span)?;
                    (vec![(self.system.terms.bool(true), term)], faults, Grain::Whole)
                }
            };
            let holds = condition.term;
            then(&mut self.system.terms, &mut condition.faults, Some(holds), faults);
            let (text, condition) = (text.clone(), values.condition.clone());
            measures.push(Measure { text, condition, extreme: values.extreme, ways, grain });
        }
        Some(measures)
    }
    /// Refuses sums of clocks that cannot be compared with numbers.
    fn comparable(&mut self, ways: &[(Term, Term)], span: Span) -> Option<()> {
        let terms = &mut self.system.terms;
        let zero = terms.int(0);
        let is_atom = |(_, term): &(Term, Term)| {
            let atom = terms.le(zero, *term);
            clock_atom(terms, atom).is_some()
        };
        if ways.iter().all(is_atom) {
            return Some(());
        }
        let message = "only clocks and differences of two clocks have extreme values here";
        self.fail(Cause::ClockMisuse, span, message)
    }
    /// `process.part`, if the expression before the dot names a process.
    pub(crate) fn process_part(&mut self, base: ExprId, part: Ident) -> Option<Option<Operand>> {
        let process = self.process_meant(base)?;
        Some(process.and_then(|process| self.part_of(process, part)))
    }
    /// The process that an expression names, by its number, if it looks like the name of one.
    pub(crate) fn process_meant(&mut self, base: ExprId) -> Option<Option<usize>> {
        let ast = self.ast.clone();
        let (name, span, args) = match &ast.exprs[base] {
            Expr { kind: ExprKind::Name(name), span } => (*name, *span, None),
            Expr { kind: ExprKind::Call(function, args), span } => match ast.exprs[*function].kind {
                ExprKind::Name(name) => (name, *span, Some(args)),
                _ => return None,
            },
            _ => return None,
        };
        if matches!(self.lookup(name), Some(Symbol::Place(_) | Symbol::Function(..))) {
            return None;
        }
        let mut full = self.text(name).to_owned();
        if let Some(args) = args {
            let mut values = vec![];
            for arg in args {
                match self.constant(*arg, "the argument of a process") {
                    Some(value) => values.push(value.to_string()),
                    None => return Some(None),
                }
            }
            full = format!("{full}({})", values.join(","));
        }
        let Some(process) = self.processes.iter().position(|process| process.name == full) else {
            if self.lacks_processes {
                return Some(None);
            }
            let known: Vec<String> = self.processes.iter().map(|process| process.name.clone()).collect();
            let near = nearest(&full, known.iter().map(String::as_str)).or_else(|| {
                known.iter().map(String::as_str).find(|known| known.starts_with(&format!("{full}(")))
            });
            self.report(Diagnostic::unknown(span, "process", &full, near));
            return Some(None);
        };
        Some(Some(process))
    }
    fn part_of(&mut self, process: usize, part: Ident) -> Option<Operand> {
        let text = self.text(part.name).to_owned();
        let id = ProcessId::at(process);
        if let Some(location) = self.location_named(id, &text) {
            return Some(location);
        }
        let scope = self.processes[process].scope;
        match self.scopes.own(scope, part.name) {
            Some(Symbol::Place(place)) => return Some(Operand::safe(Val::Place(place.clone()))),
            Some(Symbol::Broken) => return None,
            _ => {}
        }
        let process = &self.system.processes[id];
        let mut known: Vec<&str> = process.locations.iter().map(|location| location.name.as_str()).collect();
        known.extend(self.scopes.names_of(scope).map(|name| self.text(name)));
        let near = nearest(&text, known.into_iter());
        let guess = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let message = format!("`{}` has no location or variable `{text}`{guess}", process.name);
        let diagnostic =
            Diagnostic::error(Cause::UnknownName, part.span, message).about(text.as_str()).meaning(near);
        self.report(diagnostic);
        None
    }
    fn location_named(&mut self, process: ProcessId, name: &str) -> Option<Operand> {
        let locations = &self.system.processes[process].locations;
        let at: LocationId = locations.entries().find(|(_, location)| location.name == name)?.0;
        let term = self.system.terms.at(process, at);
        Some(Operand::safe(Val::Bool(term, Class::Data)))
    }
    /// `Process_location`, an older way to name a location.
    pub(crate) fn older_location(&mut self, name: Name, span: Span) -> Option<Operand> {
        let text = self.text(name).to_owned();
        for (at, _) in text.match_indices('_') {
            let (process, location) = (&text[..at], &text[at + 1..]);
            if let Some(process) = self.processes.iter().position(|known| known.name == process)
                && let Some(found) = self.location_named(ProcessId::at(process), location)
            {
                return Some(found);
            }
        }
        if let Some(process) = self.processes.iter().position(|process| process.name == text) {
            return self.names_a_process(process, span);
        }
        // A part of a process goes by the name of the process.
        let owner = self.processes.iter().enumerate().find(|(at, process)| {
            let locations = &self.system.processes[ProcessId::at(*at)].locations;
            self.scopes.own(process.scope, name).is_some()
                || locations.iter().any(|location| location.name == text)
        });
        if let Some((_, process)) = owner {
            let near = format!("{}.{text}", process.name);
            self.report(Diagnostic::unknown(span, "variable", &text, Some(&near)));
            return None;
        }
        if self.lacks_processes && text.contains('_') {
            return None;
        }
        self.unknown("variable", name, span)
    }
    /// A process stands where a condition should.
    fn names_a_process<T>(&mut self, process: usize, span: Span) -> Option<T> {
        let name = self.processes[process].name.clone();
        let first = self.system.processes[ProcessId::at(process)].locations.iter().next();
        let location = first.map_or("location", |location| location.name.as_str());
        self.fail(
            Cause::WrongKind,
            span,
            format!("`{name}` is a process; write where it is, such as `{name}.{location}`"),
        )
    }
    /// `P(1)` without a part, if it names a process.
    pub(crate) fn process_called(&mut self, name: Name, args: &[ExprId], span: Span) -> Option<()> {
        if !self.in_query || !matches!(self.lookup(name), Some(Symbol::Template(..) | Symbol::Instance(..))) {
            return Some(());
        }
        let mut values = vec![];
        for arg in args {
            values.push(self.constant(*arg, "the argument of a process")?.to_string());
        }
        let full = format!("{}({})", self.text(name), values.join(","));
        match self.processes.iter().position(|process| process.name == full) {
            Some(process) => self.names_a_process(process, span),
            None if self.lacks_processes => None,
            None => {
                self.report(Diagnostic::unknown(span, "process", &full, None));
                None
            }
        }
    }
}

/// Parses one query.
pub(crate) fn parse(text: &Text, ast: &mut Ast) -> Result<Query, Diagnostic> {
    let mut diagnostics = Diagnostics::default();
    let mut warnings = vec![];
    let mut parser = super::parser::Parser::new(text, ast, &mut diagnostics, &mut warnings);
    let formula = parser.formula();
    // A final semicolon is a habit; what follows it would be another query.
    while formula.is_ok() && parser.eat(Token::Semicolon) {}
    if formula.is_ok() && parser.token != Token::End {
        let _ = parser.unexpected::<()>("the end of the query; queries are given one by one");
    }
    // Characters that are no tokens are found before the parser meets them.
    match diagnostics.finish().into_iter().next() {
        Some(error) => Err(error),
        None => formula,
    }
}

/// Cuts a query file into queries: comments are dropped, lines that end in a backslash are joined,
/// and so are lines that go on with a query begun before. What begins like a query is one, whatever stands before it.
pub(crate) fn split(source: &str) -> Vec<Text> {
    let mut queries: Vec<Text> = vec![];
    let mut current = Text::at(0);
    let mut continued = false;
    let mut comment = false;
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let body = line.trim_end_matches(['\n', '\r']);
        let mut pieces = vec![];
        let mut rest = body;
        while !rest.is_empty() {
            let offset = start + (body.len() - rest.len());
            if comment {
                match rest.find("*/") {
                    Some(end) => {
                        comment = false;
                        rest = &rest[end + 2..];
                    }
                    None => rest = "",
                }
                continue;
            }
            let line_comment = rest.find("//");
            let block_comment = rest.find("/*");
            match (line_comment, block_comment) {
                (Some(line), block) if block.is_none_or(|block| line < block) => {
                    pieces.push((&rest[..line], offset));
                    rest = "";
                }
                (_, Some(block)) => {
                    pieces.push((&rest[..block], offset));
                    comment = true;
                    rest = &rest[block + 2..];
                }
                _ => {
                    pieces.push((rest, offset));
                    rest = "";
                }
            }
        }
        let goes_on = match pieces.last_mut() {
            Some((piece, _)) if piece.trim_end().ends_with('\\') => {
                *piece = piece.trim_end().strip_suffix('\\').unwrap_or(piece);
                true
            }
            _ => false,
        };
        let content: String = pieces.iter().map(|(piece, _)| *piece).collect();
        let blank = content.trim().is_empty();
        let joins = continued || !begins_query(content.trim(), &current.decoded);
        if !blank && !joins || blank && !continued && !comment && !open(&current.decoded) {
            finish(&mut queries, &mut current);
        }
        for (piece, offset) in pieces {
            current.push(piece, offset);
        }
        if !current.decoded.is_empty() {
            // The end of the line separates words.
            current.push_char(' ', at.saturating_sub(1), at);
        }
        continued = goes_on;
    }
    finish(&mut queries, &mut current);
    queries
}

fn finish(queries: &mut Vec<Text>, current: &mut Text) {
    let text = std::mem::take(current);
    if !text.decoded.trim().is_empty() {
        queries.push(text);
    }
}

/// Whether parentheses are still open.
fn open(text: &str) -> bool {
    let count = |c: char| text.matches(c).count();
    count('(') > count(')')
}

/// Whether a line begins a query of its own, and does not go on with the text before it, which may have an open
/// parenthesis by mistake. A game or a strategy is about a query that follows its `:` or `=`.
fn begins_query(line: &str, before: &str) -> bool {
    let kind = |text: &str| Kind::of(&Tokens::new(&Text::verbatim(text)).ahead().collect::<Vec<_>>());
    let announced =
        before.trim_end().ends_with([':', '=']) && matches!(kind(before), Some(Kind::Undecided(_)));
    kind(line).is_some() && !announced || line.contains("-->") && !open(before)
}
