//! What is accepted, what is refused and how, and what models become and do.

mod errors;
mod lowering;
mod queries;
mod robustness;
mod semantics;
mod xml;

use std::fmt::Write;

use super::*;

/// `line:column: message` with notes, one per line.
fn rendered(source: &str, diagnostics: &[Diagnostic]) -> String {
    let place = |span: Span| {
        let before = &source[..span.start as usize];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let text = &source[span.start as usize..span.end as usize];
        format!("{line}:{column} [{}]", text.lines().next().unwrap_or_default())
    };
    let mut out = String::new();
    for diagnostic in diagnostics {
        let _ = writeln!(out, "{}: {}", place(diagnostic.span), diagnostic.message);
        for note in &diagnostic.notes {
            let _ = writeln!(out, "    {}: {}", note.span.map_or_else(String::new, place), note.message);
        }
    }
    out
}
/// The errors of a model.
fn errors(source: &str) -> String {
    match load(source, Format::Xta) {
        Ok(_) => "no errors".to_owned(),
        Err(diagnostics) => rendered(source, &diagnostics),
    }
}
/// A model that must load.
fn loaded(source: &str) -> Model {
    load(source, Format::Xta).unwrap_or_else(|errors| panic!("{}", rendered(source, &errors)))
}
/// What a model becomes.
fn lowered(source: &str) -> String {
    loaded(source).system.to_string()
}
/// A process with one location and one edge, after global declarations.
fn one_edge(globals: &str, edge: &str) -> String {
    format!("{globals}\nprocess P() {{ state A; init A; trans A -> A {{ {edge} }}; }}\nsystem P;")
}
