//! Diagnostics as people read them: file, line, column, the source line, and what is wrong with it.
//!
//! Only the lines a diagnostic talks about are handed to the renderer, and of a very long line only
//! the part around the place, so that the time does not depend on the size of the file.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use ir::Span;
use lang::code::Code;
use lang::diagnostic::{Diagnostic, Note, Severity};

use thetis::{Source, Sources, TextError};

use crate::exit::{Failure, Finding, Remark};

/// Something said about a text.
#[derive(Clone, Debug)]
pub struct Message {
    level: Level<'static>,
    title: String,
    /// Where, with a few words for the place itself.
    place: Option<(Span, String)>,
    notes: Vec<Note>,
}

impl Message {
    /// Something that is wrong.
    pub fn error(title: impl Into<String>) -> Self {
        Message { level: Level::ERROR, title: title.into(), place: None, notes: vec![] }
    }
    /// Something worth knowing.
    pub fn note(title: impl Into<String>) -> Self {
        Message { level: Level::NOTE, ..Message::error(title) }
    }
    /// The same with a place.
    pub fn at(self, span: Span, label: impl Into<String>) -> Self {
        Message { place: Some((span, label.into())), ..self }
    }
    /// The same with a remark, usually what to do.
    pub fn help(mut self, message: impl Into<String>) -> Self {
        self.notes.push(Note { span: None, message: message.into() });
        self
    }
    fn of(diagnostic: &Diagnostic) -> Self {
        let message = match diagnostic.severity {
            Severity::Error => Message::error(diagnostic.message.as_str()),
            Severity::Warning => {
                Message { level: Level::WARNING, ..Message::error(diagnostic.message.as_str()) }
            }
        };
        let message = message.at(diagnostic.span, diagnostic.label.as_str());
        Message { notes: diagnostic.notes.clone(), ..message }
    }
}

/// What is said about a text, as a paragraph.
pub fn message(sources: &Sources, message: &Message, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    one(sources, message, &renderer) + "\n"
}

/// Everything said about `source`, one paragraph each.
pub fn diagnostics(sources: &Sources, list: &[Diagnostic], colour: bool) -> String {
    list.iter().map(|diagnostic| message(sources, &Message::of(diagnostic), colour)).collect()
}

/// The failure of a command whose input has these errors.
pub fn failure(error: &TextError, colour: bool) -> Failure {
    let TextError { sources, diagnostics: list, about } = error;
    let mut list = list.clone();
    // The names are in another file, and none of them is near.
    let lost = |diagnostic: &&mut Diagnostic| {
        diagnostic.code == Code::UnknownName && diagnostic.suggestion.is_none()
    };
    if let (Some(model), Some(first)) = (about, list.iter_mut().find(lost)) {
        let message = format!("`thetis info {model}` lists the variables and literals");
        first.notes.push(Note { span: None, message });
    }
    let stuck = |diagnostic: &&mut Diagnostic| diagnostic.code == Code::UnsupportedDeadlock;
    if let (Some(model), Some(first)) = (about, list.iter_mut().find(stuck)) {
        let message = format!("`thetis simulate {model} --random` stops where no step is possible");
        first.notes.push(Note { span: None, message });
    }
    Failure::Text { rendered: diagnostics(sources, &list, colour), diagnostics: findings(sources, &list) }
}

/// The diagnostics for programs.
pub fn findings(sources: &Sources, list: &[Diagnostic]) -> Vec<Finding> {
    let region = |span| sources.of(span).region(span);
    let finding = |diagnostic: &Diagnostic| Finding {
        code: diagnostic.code.code(),
        severity: severity(diagnostic),
        file: sources.of(diagnostic.span).name.clone(),
        region: region(diagnostic.span),
        message: diagnostic.message.clone(),
        subject: diagnostic.subject.as_deref().map(str::to_owned),
        suggestion: diagnostic.suggestion.as_deref().map(str::to_owned),
        notes: diagnostic
            .notes
            .iter()
            .map(|note| Remark { message: note.message.clone(), place: note.span.map(region) })
            .collect(),
    };
    list.iter().map(finding).collect()
}

fn severity(diagnostic: &Diagnostic) -> &'static str {
    match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn one(sources: &Sources, message: &Message, renderer: &Renderer) -> String {
    let mut main = Group::with_title(message.level.clone().primary_title(message.title.as_str()));
    if let Some((span, label)) = &message.place {
        main = show(main, sources.of(*span), *span, label);
    }
    let mut others = vec![];
    for note in &message.notes {
        match note.span {
            None => main = main.element(Level::HELP.message(note.message.as_str())),
            Some(span) => {
                let title = Group::with_title(Level::NOTE.secondary_title(note.message.as_str()));
                others.push(show(title, sources.of(span), span, ""));
            }
        }
    }
    others.insert(0, main);
    renderer.render(&others)
}

/// The group with the place and the text of a span.
fn show<'a>(group: Group<'a>, source: &'a Source, span: Span, label: &'a str) -> Group<'a> {
    let (line, column) = source.start(span);
    let (window, marked) = window(source, line, span);
    let annotation: Annotation<'_> = AnnotationKind::Primary.span(marked).label(label);
    let snippet = Snippet::source(&source.text[window.clone()]).line_start(line).annotation(annotation);
    if window.start == source.line(line).start {
        return group.element(snippet.path(&source.name));
    }
    // The renderer would count columns from where the shown part begins.
    let place = format!("this is {}:{line}:{column}, of which only a part is shown", source.name);
    group.element(snippet).element(Level::NOTE.message(place))
}

/// Longest text of a snippet; longer lines are cut on both sides of the place.
const WIDE: usize = 160;

/// The part of the source to show for a span, and the span within it: the line where it starts.
fn window(source: &Source, line: usize, span: Span) -> (Range<usize>, Range<usize>) {
    let mut shown = source.line(line);
    let start = source.boundary(span.start as usize).clamp(shown.start, shown.end);
    if shown.len() > WIDE {
        let from = source.boundary(start.saturating_sub(WIDE / 2)).max(shown.start);
        let to = source.boundary(start + WIDE / 2).min(shown.end);
        shown = from..to;
    }
    let end = source.boundary(span.end as usize).clamp(start, shown.end);
    let marked = start - shown.start..end - shown.start;
    (shown, marked)
}
