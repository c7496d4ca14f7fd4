//! Control-flow automata: the CFA of the Theta tools, in `.cfa` and `.theta` files.
//!
//! A program is a graph of locations. An edge from one to the next runs its statements in order: it assigns, gives a
//! variable any value (`havoc`), or is blocked where an assumption fails. Variables start with any value. The question
//! that comes with a file is whether its `error` location can be reached.
//!
//! The system has one process with these locations and edges. Claims about runs read every state after the first edge;
//! a run that comes to the `final` or the `error` location stays there for ever, and one that gets stuck elsewhere does
//! not count.

mod ast;
mod lower;
mod parser;
#[cfg(test)]
mod tests;

use std::ops::Range;

use ir::{Claim, Edge, Guarded, Id, LocationId, ProcessId, Span, System, Term};
use rustc_hash::FxHashMap;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::nearest::nearest;
use crate::question::{Question, one_line};
use crate::temporal::{self, Kind, Path, Propositions};
use crate::theta::{self, Dialect, Elaborator, Parser, Token};
use crate::view::{ProcessView, Time, View};
use crate::{Contents, Example, FrontEnd, Language, Model, Part};
use lower::Lowered;

/// Control-flow automata.
pub const FRONT_END: FrontEnd = FrontEnd {
    name: "cfa",
    title: "control-flow automata",
    extensions: &["cfa", "theta"],
    binary: &[],
    recognises: |text| {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect::<Vec<_>>();
        words.windows(2).any(|pair| pair == ["main", "process"])
    },
    load: |text, _, _| load(text),
    script_files: None,
    tasks: None,
    question_files: &[],
    conversions: &[],
    guide: include_str!("guide.md"),
    examples: &[Example {
        name: "counter",
        about: "a control-flow automaton with a counter of 4 bits",
        text: include_str!("examples/counter.cfa"),
    }],
    smallest: "a file needs a `main process` with an `init loc`",
    questions: &["unreachable L", "L imply x < 5", "G (x > 0 -> F x = 0)"],
    own_question: Some("error loc L"),
};

/// Reads a file.
///
/// # Errors
/// Everything that is wrong with the text, by place.
///
/// ```
/// let text = "main process p { var x : int init loc A error loc E A -> E { assume x < 0 } }";
/// assert!(thetis_lang::cfa::load(text).unwrap().property().is_some());
/// let errors = thetis_lang::cfa::load(&text.replace("x <", "y <")).unwrap_err();
/// assert_eq!(errors[0].message, "there is no variable `y`");
/// ```
pub fn load(source: &str) -> Result<Model, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let file = parser::file(source, &mut diagnostics);
    let lowered = lower::lower(&file, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(diagnostics.finish());
    }
    let Lowered { mut system, scope, places, error, ends, warnings } = lowered;
    let main = file.processes.iter().find(|process| process.main);
    let contents = main.map_or_else(Contents::default, |main| contents(main, &file));
    let mut language = Scope { scope, places, ends, repeats: false };
    let questions = error
        .map(|error| {
            let text = format!("unreachable {error}");
            Question::new("error", &*text, &*text, language.unreachable(&mut system, &error))
        })
        .into_iter()
        .map(Ok)
        .collect();
    let process = ProcessView { named: false, ..ProcessView::default() };
    let view = View { time: Time::AfterStep, processes: [process].into_iter().collect(), ..View::default() };
    Ok(Model { system, view, questions, contents, warnings, language: Box::new(language) })
}

fn contents(main: &ast::Process, file: &ast::File) -> Contents {
    let statements = main.edges.iter().map(|edge| edge.stmts.len()).sum();
    let counts = vec![
        ("variable", file.globals.len() + main.vars.len()),
        ("location", main.locations.len()),
        ("edge", main.edges.len()),
        ("statement", statements),
    ];
    let locations = main.locations.iter().map(|location| location.ident.text.clone()).collect();
    let part = Part { kind: "process", name: Some(main.ident.text.clone()), counts, locations };
    Contents { parts: vec![part], features: vec![], outline: vec![] }
}

/// What the names of later questions mean.
struct Scope {
    scope: theta::Scope,
    /// The locations by name.
    places: FxHashMap<String, Vec<LocationId>>,
    /// Where runs end.
    ends: Vec<LocationId>,
    /// Whether these are repeated already.
    repeats: bool,
}

impl Scope {
    /// The claim that a location is never reached.
    fn unreachable(&mut self, system: &mut System, name: &str) -> Claim {
        let terms = &mut system.terms;
        let ways: Vec<Term> = self.places[name].iter().map(|at| terms.at(ProcessId::at(0), *at)).collect();
        let there = terms.or(ways);
        Claim::Always(terms.not(there))
    }
    /// `unreachable L`.
    fn location(
        &mut self,
        system: &mut System,
        name: &str,
        text: &str,
    ) -> Option<Result<Question, Vec<Diagnostic>>> {
        let wanted = text.trim().strip_prefix("unreachable")?;
        if !wanted.starts_with(char::is_whitespace) || self.scope.names.contains_key("unreachable") {
            return None;
        }
        let wanted = wanted.trim();
        if self.places.contains_key(wanted) {
            let claim = self.unreachable(system, wanted);
            return Some(Ok(Question::new(name, text.trim(), one_line(text), claim)));
        }
        let near = nearest(wanted, self.places.keys().map(String::as_str));
        let start = text.find(wanted).unwrap_or(0);
        let span = Span::new(start, start + wanted.len());
        Some(Err(vec![Diagnostic::unknown(span, "location", wanted, near)]))
    }
    /// A claim about states: `e` or `A[] e`, which is the same, or `E<> e`, that it holds in some.
    fn property(&mut self, system: &mut System, name: &str, text: &str) -> Result<Question, Vec<Diagnostic>> {
        let start = text.len() - text.trim_start().len();
        let (always, start) = match &text[start..] {
            rest if rest.starts_with("A[]") => (true, start + 3),
            rest if rest.starts_with("E<>") => (false, start + 3),
            _ => (true, start),
        };
        let condition = Conditions { text, scope: &mut self.scope, system }.condition(start..text.len())?;
        let claim = if always { Claim::Always(condition) } else { Claim::Possibly(condition) };
        Ok(Question::new(name, text.trim(), one_line(&text[start..]), claim))
    }
    /// Lets runs stay for ever where they end, as claims about runs need it.
    fn repeat(&mut self, system: &mut System) {
        if std::mem::replace(&mut self.repeats, true) {
            return;
        }
        let (always, skip) = (system.terms.bool(true), system.terms.skip());
        for process in system.processes.iter_mut().take(1) {
            for end in &self.ends {
                let name = process.locations[*end].name.clone();
                process.edges.push(Edge {
                    source: *end,
                    target: *end,
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
        let path = temporal::read(text, at, &mut Conditions { text, scope: &mut self.scope, system })?;
        self.repeat(system);
        Ok(path)
    }
}

impl Language for Scope {
    fn question(&mut self, system: &mut System, name: &str, text: &str) -> Result<Question, Vec<Diagnostic>> {
        if let Some((kind, at)) = temporal::announced(text) {
            let path = match kind {
                Kind::Formula => self.formula(system, text, at.clone())?,
                Kind::Automaton => {
                    let path = temporal::automaton(text, at.clone(), |atom| {
                        Conditions { text: atom, scope: &mut self.scope, system }.condition(0..atom.len())
                    })?;
                    self.repeat(system);
                    path
                }
            };
            return Ok(path.question(system, name, text, at));
        }
        if let Some(at) = temporal::returning(text) {
            let condition = Conditions { text, scope: &mut self.scope, system }.condition(at.clone())?;
            return temporal::return_to(name, text, at, condition);
        }
        if let Some(result) = self.location(system, name, text) {
            return result;
        }
        let errors = match self.property(system, name, text) {
            Err(errors) => errors,
            question => return question,
        };
        if let Some(error) = temporal::branching(text, |word| self.scope.names.contains_key(word)) {
            return Err(vec![error]);
        }
        let path = self.formula(system, text, 0..text.len());
        let path = temporal::instead(text, errors, path)?;
        Ok(path.question(system, name, text, 0..text.len()))
    }
}

/// A text with conditions on states of a model.
pub(crate) struct Conditions<'a> {
    pub(crate) text: &'a str,
    pub(crate) scope: &'a mut theta::Scope,
    pub(crate) system: &'a mut System,
}

impl Propositions for Conditions<'_> {
    fn is_name(&self, word: &str) -> bool {
        self.scope.names.contains_key(word)
    }
    fn condition(&mut self, at: Range<usize>) -> Result<Term, Vec<Diagnostic>> {
        let mut diagnostics = Diagnostics::default();
        let mut parser = Parser::new(self.text, at.clone(), Dialect::Question, &mut diagnostics);
        if parser.token() == Token::End {
            let message = "the property is empty; write a condition that is to hold in every state";
            parser.report(Code::Empty, Span::new(at.start, at.end), message);
            return Err(diagnostics.finish());
        }
        let expr = parser.expr();
        if expr.is_ok() && parser.token() != Token::End {
            let _ = parser.expected::<()>("an operator or the end");
        }
        let tree = std::mem::take(&mut parser.tree);
        let term = match expr {
            Ok(expr) if diagnostics.is_empty() => {
                Elaborator::new(Dialect::Question, &tree, self.system, self.scope, &mut diagnostics)
                    .condition(expr)
            }
            _ => None,
        };
        term.filter(|_| diagnostics.is_empty()).ok_or_else(|| diagnostics.finish())
    }
}
