//! UPPAAL timed automata: `.xta`, `.xml` and queries.
//!
//! A model is a network of processes, instances of templates, over shared variables, clocks and
//! channels. Each process of the `system` line becomes one process of the system, under the name the
//! user knows it by (`P`, `P(1)`), in that order; variables of a process are named `P(1).x`.
//!
//! The language has run-time errors: a variable leaves its range, an array is accessed outside its
//! positions, something is divided by zero. They become faults of the system (see [`ir::Checked`]),
//! except where ranges show that they cannot happen.

mod arith;
mod assign;
pub mod ast;
mod chart;
mod code;
mod constant;
mod deadline;
mod declaration;
mod document;
mod effects;
mod elaborate;
mod execution;
mod expr;
mod function;
mod instance;
mod kind;
mod layout;
mod lexer;
mod lower;
mod names;
mod opaque;
mod operator;
mod parser;
mod predefined;
mod priority;
mod query;
mod scope;
mod selection;
#[cfg(test)]
mod tests;
mod stopwatch;
mod types;
mod urgent;
mod xml;

pub use types::entry_name;

use std::ops::Range;
use std::sync::Arc;

use ir::{Id, LocationId, LocationKind, Span, System, Term, VarId};

use crate::code::Code as Cause;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::question::{Asked, Grain, Measure, Misread, Question, Relation, one_line};
use crate::temporal;
use crate::text::Text;
use crate::view::{Labels, LocationView, ProcessView, Time, VariableView, View};
use crate::{Contents, Conversion, Example, FrontEnd, Language, Model, Part, QuestionFiles};
use ast::Quantifier;
use elaborate::Elaborator;
use lower::Wording;

/// How a model is written.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Plain text.
    Xta,
    /// An XML document with an `nta` element.
    Xml,
}

/// UPPAAL timed automata, as text and as XML.
pub const FRONT_END: FrontEnd = FrontEnd {
    name: "xta",
    title: "UPPAAL timed automata",
    extensions: &["xta", "xml", "ta"],
    binary: &[],
    recognises: |text| match Format::of(text) {
        Format::Xml => text.contains("<nta"),
        Format::Xta => text.contains("process") && text.contains("system"),
    },
    load: |text, _, _| load(text, Format::of(text)),
    question_files: &[QuestionFiles { extension: "q", title: "UPPAAL queries" }],
    script_files: None,
    tasks: None,
    conversions: &[Conversion {
        extension: "xml",
        title: "a UPPAAL document, with positions for what has none",
        convert: |text, _, _| to_document(text),
    }],
    guide: include_str!("guide.md"),
    examples: &[Example {
        name: "fischer",
        about: "UPPAAL timed automata",
        text: include_str!("examples/fischer.xta"),
    }],
    smallest: "a model needs a process and a system line, for example `process P() { state A; init A; } system P;`, \
               or an `nta` element with templates and a system line",
    questions: &["A[] not P.bad", "E<> P.good", "A<> P.good", "P.asked --> P.answered"],
    own_question: None,
};

impl Format {
    /// How a text is written: XML begins with a tag.
    pub fn of(text: &str) -> Format {
        if text.trim_start().starts_with('<') { Format::Xml } else { Format::Xta }
    }
}

/// What the names of later queries mean. The system is elsewhere in the meantime.
struct Scope {
    elaborator: Elaborator,
}

/// Reads a model.
///
/// # Errors
/// Everything that is wrong with the text, by place.
///
/// ```
/// use thetis_lang::xta::{Format, load};
/// let source = "process P() { clock x; state A { x <= 3 }, B; init A; trans A -> B { guard x >= 2; }; }
///               system P;";
/// let mut model = load(source, Format::Xta).unwrap();
/// assert!(model.question("reach", "E<> P.B && P.x > 2").is_ok());
/// let errors = load(&source.replace("x >= 2", "y >= 2"), Format::Xta).unwrap_err();
/// assert_eq!(errors[0].message, "there is no variable `y`");
/// ```
pub fn load(source: &str, format: Format) -> Result<Model, Vec<Diagnostic>> {
    let (mut ast, diagnostics, warnings) = read(source, format);
    let queries = std::mem::take(&mut ast.queries);
    let intact = diagnostics.is_empty();
    if ast.system.is_none() && !intact {
        // The line may be missing because of these, and without it there is nothing to look at.
        return Err(with_queries(diagnostics.finish(), &queries, |_, _| vec![]));
    }
    let mut elaborator = Elaborator::new(ast, diagnostics);
    lower::lower(&mut elaborator);
    if !elaborator.diagnostics.is_empty() {
        let mistakes = elaborator.mistakes();
        let ask = |text: &str, query: &ast::Query| {
            // What a query speaks of must be there to be known.
            if intact { elaborator.property(text, query).err().unwrap_or_default() } else { vec![] }
        };
        return Err(with_queries(mistakes, &queries, ask));
    }
    let mut system = std::mem::take(&mut elaborator.system);
    let mut scope = Scope { elaborator };
    let mut own = vec![];
    for formula in queries {
        let text = match formula.text.is_empty() {
            true => &source[formula.span.start as usize..formula.span.end as usize],
            false => &formula.text,
        };
        let text = on_one_line(text);
        let asked = formula.body.map_err(|error| vec![error]);
        let asked = asked.and_then(|query| scope.ask(&mut system, &text, &query));
        let recorded = formula.recorded;
        let asked = asked.map(|question| Question { recorded, ..question });
        own.push(asked.map_err(|diagnostics| Misread { name: text.clone(), text, diagnostics }));
    }
    let (view, contents) = (view(&scope.elaborator, &system, source), contents(&system));
    Ok(Model { system, view, questions: own, contents, warnings, language: Box::new(scope) })
}

/// What is wrong with a model, together with what is wrong with its queries: with their syntax, and with what `ask` says
/// of the others. What they need and is not supported is no mistake.
fn with_queries(
    mut mistakes: Vec<Diagnostic>,
    queries: &[ast::Formula],
    mut ask: impl FnMut(&str, &ast::Query) -> Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    for formula in queries {
        let wrong = match &formula.body {
            Ok(query) => ask(&formula.text, query),
            Err(error) => vec![error.clone()],
        };
        mistakes.extend(wrong.into_iter().filter(|wrong| !wrong.code.is_unsupported()));
    }
    mistakes.sort_by_key(|mistake| mistake.span);
    mistakes
}

/// Writes a model as an XML document: one that is a document stays as it is, and what has no position gets one.
///
/// # Errors
/// Everything that is wrong with the text, by place.
pub fn to_document(source: &str) -> Result<String, Vec<Diagnostic>> {
    let format = Format::of(source);
    load(source, format)?;
    let document = match format {
        Format::Xta => document::document(source, &parse(source, format).0),
        Format::Xml => source.to_owned(),
    };
    layout::laid_out(&document).map_err(|error| vec![error])
}

/// Reads the syntax of a model only, as far as it is intact; diagnostics are sorted by place.
pub fn parse(source: &str, format: Format) -> (ast::Ast, Vec<Diagnostic>) {
    let (ast, diagnostics, _) = read(source, format);
    (ast, diagnostics.finish())
}

/// The syntax of a model, what is wrong with it, and what may not be as intended.
fn read(source: &str, format: Format) -> (ast::Ast, Diagnostics, Vec<Diagnostic>) {
    let (mut ast, mut diagnostics, mut warnings) = (ast::Ast::default(), Diagnostics::once_each(), vec![]);
    match format {
        _ if source.len() > parser::LONGEST => {
            let message = "the text is longer than 1 GiB; split the model";
            diagnostics.push(Diagnostic::error(Cause::TooLong, Span::default(), message));
        }
        Format::Xta => {
            declaration::model(&Text::verbatim(source), &mut ast, &mut diagnostics, &mut warnings);
        }
        Format::Xml => xml::model(source, &mut ast, &mut diagnostics, &mut warnings),
    }
    warnings.extend(function::unreturned(&ast));
    let mut told = Diagnostics::once_each();
    warnings.into_iter().for_each(|warning| told.push(warning));
    (ast, diagnostics, told.finish())
}

/// Every process that the user wrote is a group, with the variables that its template declares. An edge is called by
/// the locations that it connects, its guard, and what it synchronises over.
fn view(elaborator: &Elaborator, system: &System, source: &str) -> View {
    let mut view = View { time: Time::AfterStep, ..View::default() };
    for ((process, id), Wording { labels, rest }) in &elaborator.wordings {
        let body = &system.processes[*process];
        let start = title(body, [body.edges[*id].source, body.edges[*id].target], labels, source);
        let written = start.clone() + &synchronisation(labels, source);
        view.titles.insert((*process, *id), start + rest);
        view.labels.insert((*process, *id), Labels { title: written, ..labels.clone() });
    }
    for (process, [from, to], Wording { labels, .. }) in &elaborator.impossible {
        let title = title(&system.processes[*process], [*from, *to], labels, source);
        let title = title + &synchronisation(labels, source);
        view.impossible.entry((*process, *from)).or_default().push(Labels { title, ..labels.clone() });
    }
    for process in &elaborator.processes {
        let group = Some(view.group(&process.name, None));
        let id = view.processes.push(ProcessView { group, ..ProcessView::default() });
        for (at, location) in elaborator.ast.templates[process.template].locations.iter().enumerate() {
            let written = |expr: &ast::ExprId| elaborator.ast.exprs[*expr].span;
            view.invariants
                .insert((id, LocationId::at(at)), location.invariant.iter().map(written).collect());
            if !location.named {
                let unnamed = LocationView { unnamed: true, ..LocationView::default() };
                view.processes[id].locations.insert(LocationId::at(at), unnamed);
            }
        }
        for var in process.vars.clone().map(VarId::at).filter(|var| system.vars[*var].shown) {
            view.variables.insert(var, VariableView { group, ..VariableView::default() });
        }
    }
    view
}

/// The process, the locations and the guard of an edge.
fn title(process: &ir::Process, ends: [LocationId; 2], labels: &Labels, source: &str) -> String {
    let [from, to] = ends.map(|at| process.locations[at].name.as_str());
    let guard = match &labels.guard[..] {
        [] => String::new(),
        parts => {
            format!(" [{}]", parts.iter().map(|part| shown(source, *part)).collect::<Vec<_>>().join(", "))
        }
    };
    format!("{}: {from} -> {to}{guard}", process.name)
}

/// How the synchronisation of an edge is written, if it has one.
fn synchronisation(labels: &Labels, source: &str) -> String {
    labels.synchronisation.map_or_else(String::new, |(channel, role)| {
        let side = match role {
            ir::Role::Emit => "!",
            ir::Role::Receive => "?",
            ir::Role::Join => "",
        };
        format!(" {}{side}", written(source, channel))
    })
}

/// How an expression is written, on one line.
pub fn written(source: &str, span: Span) -> String {
    let text = source.get(span.start as usize..span.end as usize).unwrap_or_default();
    one_line(&text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&"))
}

/// The same, and not too long.
fn shown(source: &str, span: Span) -> String {
    let text = written(source, span);
    match text.chars().count() > LONGEST_GUARD {
        true => text.chars().take(LONGEST_GUARD).chain(['…']).collect(),
        false => text,
    }
}

/// So many characters of a guard are part of a title.
const LONGEST_GUARD: usize = 60;

/// The processes with what is in them.
fn contents(system: &System) -> Contents {
    let processes = system.processes.iter().filter(|process| process.shown);
    let part = |process: &ir::Process| Part {
        kind: "process",
        name: Some(process.name.clone()),
        counts: vec![("location", process.locations.len()), ("edge", process.edges.len())],
        locations: process.locations.iter().map(|location| location.name.clone()).collect(),
    };
    let located = |kind| {
        let mut locations = system.processes.iter().flat_map(|process| process.locations.iter());
        locations.any(|location| location.kind == kind)
    };
    let used = [
        ("urgent locations", located(LocationKind::Urgent)),
        ("committed locations", located(LocationKind::Committed)),
    ];
    let features = used.into_iter().filter(|(_, used)| *used).map(|(name, _)| name).collect();
    Contents { parts: processes.map(part).collect(), features, outline: vec![] }
}

impl Scope {
    /// The question that a query on one line asks.
    fn ask(
        &mut self,
        system: &mut System,
        text: &str,
        query: &ast::Query,
    ) -> Result<Question, Vec<Diagnostic>> {
        std::mem::swap(system, &mut self.elaborator.system);
        let property = self.elaborator.property(text, query);
        std::mem::swap(system, &mut self.elaborator.system);
        let (property, values) = property?;
        let after = |ends: char| text.split_once(ends).map_or(text, |(_, rest)| rest.trim_start());
        let expression = match (&query.values, query.quantifier) {
            (Some(values), _) => values.condition.as_deref().unwrap_or("true"),
            (None, Quantifier::Always) => after(']'),
            (None, Quantifier::Possibly) => after('>'),
            (
                None,
                Quantifier::Inevitably
                | Quantifier::Invariably
                | Quantifier::LeadsTo
                | Quantifier::Unanswered,
            ) => text,
        };
        let asked = Question::new(text, text, expression, property.claim);
        Ok(Question { property, values, ..asked })
    }
    fn read(&mut self, system: &mut System, text: &Text) -> Result<Question, Vec<Diagnostic>> {
        let ast = Arc::make_mut(&mut self.elaborator.ast);
        if text.decoded.trim().is_empty() {
            let message = "the query is empty; write `A[]`, `E<>`, `A<>` or `E[]` and an expression, `p --> q`, or `sup:`, `inf:` or \
                 `bounds:`";
            return Err(vec![Diagnostic::error(Cause::Empty, text.end(), message)]);
        }
        if let Some((kind, at)) = temporal::announced(&text.decoded) {
            return self.formula(system, text, kind, at);
        }
        let query = query::parse(text, ast).map_err(|error| vec![error])?;
        self.ask(system, &on_one_line(&text.decoded), &query)
    }
}

/// The conditions of a formula about a model.
struct Propositions<'a> {
    elaborator: &'a mut Elaborator,
    text: &'a Text,
}

impl temporal::Propositions for Propositions<'_> {
    fn is_name(&self, word: &str) -> bool {
        self.elaborator.is_called(word)
    }
    fn condition(&mut self, at: Range<usize>) -> Result<Term, Vec<Diagnostic>> {
        self.elaborator.proposition(self.text, at)
    }
}

impl Scope {
    /// A formula of temporal logic, or an automaton, that is announced in a text.
    fn formula(
        &mut self,
        system: &mut System,
        text: &Text,
        kind: temporal::Kind,
        at: Range<usize>,
    ) -> Result<Question, Vec<Diagnostic>> {
        let Scope { elaborator } = self;
        std::mem::swap(system, &mut elaborator.system);
        let path = match kind {
            temporal::Kind::Formula => {
                temporal::read(&text.decoded, at.clone(), &mut Propositions { elaborator, text })
            }
            temporal::Kind::Automaton => temporal::automaton(&text.decoded, at.clone(), |atom| {
                elaborator.proposition(&Text::verbatim(atom), 0..atom.len())
            }),
        };
        std::mem::swap(system, &mut elaborator.system);
        let name = on_one_line(&text.decoded);
        Ok(path?.question(system, &name, &text.decoded, at))
    }
}

impl Language for Scope {
    fn question(&mut self, system: &mut System, name: &str, text: &str) -> Result<Question, Vec<Diagnostic>> {
        let mut question = self.read(system, &Text::verbatim(text))?;
        question.property.name = name.to_owned();
        Ok(Question { name: name.to_owned(), text: text.trim().to_owned(), ..question })
    }
    fn threshold(&self, measure: &Measure, relation: Relation, value: i64) -> Option<String> {
        if measure.grain == Grain::Response {
            let (asked, answer) = measure.text.split_once("-->")?;
            // What takes so much time does not take less.
            let bound = if relation == Relation::AtLeast { "<" } else { "<=" };
            return Some(format!("not ({asked}-->[{bound}{value}]{answer})"));
        }
        let condition = measure.condition.as_ref().map_or_else(String::new, |it| format!("({it}) && "));
        Some(format!("E<> {condition}({}) {relation} {value}", measure.text))
    }
    /// One query after the other, with comments and continued lines.
    fn question_file(
        &mut self,
        system: &mut System,
        text: &str,
    ) -> Option<Result<Vec<Asked>, Vec<Diagnostic>>> {
        let pieces = query::split(text);
        let read = |piece: &Text| {
            let text = on_one_line(&piece.decoded);
            let wrong = |diagnostics| Misread { name: text.clone(), text: text.clone(), diagnostics };
            self.read(system, piece).map_err(wrong)
        };
        Some(Ok(pieces.iter().map(read).collect()))
    }
}

/// A query on one line, without the semicolon that some end it with.
fn on_one_line(text: &str) -> String {
    one_line(text.trim_end_matches(|c: char| c == ';' || c.is_whitespace()))
}
