//! Diagnostics as people read them: file, line, column, the source line, and what is wrong with it.
//!
//! Only the lines a diagnostic talks about are handed to the renderer, and of a very long line only
//! the part around the place, so that the time does not depend on the size of the file.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use ir::Span;
use lang::diagnostic::{Diagnostic, Note, Severity};

use thetis::{Source, Sources, TextError};

use crate::exit::{Failure, Finding, Remark};

/// Everything said about `source`, one paragraph each.
pub fn diagnostics(sources: &Sources, list: &[Diagnostic], colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    list.iter().map(|diagnostic| one(sources, diagnostic, &renderer) + "\n").collect()
}

/// The failure of a command whose input has these errors.
pub fn failure(error: &TextError, colour: bool) -> Failure {
    let TextError { sources, diagnostics: list, about } = error;
    let mut list = list.clone();
    // The names are in another file, and none of them is near.
    let lost = |diagnostic: &&mut Diagnostic| {
        diagnostic.message.starts_with("there is no variable") && !diagnostic.message.contains("did you mean")
    };
    if let (Some(model), Some(first)) = (about, list.iter_mut().find(lost)) {
        let message = format!("`thetis info {model}` lists the variables and literals");
        first.notes.push(Note { span: None, message });
    }
    Failure::Text { rendered: diagnostics(sources, &list, colour), diagnostics: findings(sources, &list) }
}

/// The diagnostics for programs.
pub fn findings(sources: &Sources, list: &[Diagnostic]) -> Vec<Finding> {
    let region = |span| sources.of(span).region(span);
    let finding = |diagnostic: &Diagnostic| Finding {
        severity: severity(diagnostic),
        file: sources.of(diagnostic.span).name.clone(),
        region: region(diagnostic.span),
        message: diagnostic.message.clone(),
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

fn one(sources: &Sources, diagnostic: &Diagnostic, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = Group::with_title(level.primary_title(diagnostic.message.as_str()));
    let mut main = show(title, sources.of(diagnostic.span), diagnostic.span, &diagnostic.label);
    let mut others = vec![];
    for note in &diagnostic.notes {
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
