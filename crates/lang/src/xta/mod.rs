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
mod code;
mod constant;
mod declaration;
mod effects;
mod elaborate;
mod expr;
mod function;
mod instance;
mod lexer;
mod lower;
mod names;
mod operator;
mod parser;
mod query;
mod range;
mod scope;
#[cfg(test)]
mod tests;
mod text;
mod types;
mod xml;

pub use types::entry_name;

use std::sync::Arc;

use ir::{FaultId, Property, Span, System, Term};

use crate::diagnostic::{Diagnostic, Diagnostics};
use elaborate::Elaborator;
use text::Text;

/// How a model is written.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Plain text.
    Xta,
    /// An XML document with an `nta` element.
    Xml,
}

/// A model that can be checked.
#[derive(Debug)]
pub struct Model {
    /// What it does.
    pub system: System,
    /// Its own queries.
    pub queries: Vec<Query>,
    /// What may not be as intended.
    pub warnings: Vec<Diagnostic>,
    /// What the names of later queries mean.
    elaborator: Elaborator,
}

/// A question of a model or a query file.
#[derive(Clone, Debug)]
pub struct Query {
    /// As the user wrote it, on one line.
    pub text: String,
    /// What it claims, or why it cannot be checked.
    pub property: Result<Property, Diagnostic>,
}

/// Reads a model.
///
/// # Errors
/// Everything that is wrong with the text, by place.
///
/// ```
/// use lang::xta::{Format, load};
/// let source = "process P() { clock x; state A { x <= 3 }, B; init A; trans A -> B { guard x >= 2; }; }
///               system P;";
/// let mut model = load(source, Format::Xta).unwrap();
/// assert!(model.parse_query("reach", "E<> P.B && P.x > 2").is_ok());
/// let errors = load(&source.replace("x >= 2", "y >= 2"), Format::Xta).unwrap_err();
/// assert_eq!(errors[0].message, "there is no variable `y`");
/// ```
pub fn load(source: &str, format: Format) -> Result<Model, Vec<Diagnostic>> {
    let (mut ast, diagnostics, warnings) = read(source, format);
    if !diagnostics.is_empty() {
        // Names may be missing because of these; what would be said about them means little.
        return Err(diagnostics.finish());
    }
    let queries = std::mem::take(&mut ast.queries);
    let mut elaborator = Elaborator::new(ast, diagnostics);
    lower::lower(&mut elaborator);
    if !elaborator.diagnostics.is_empty() {
        return Err(std::mem::take(&mut elaborator.diagnostics).finish());
    }
    let mut model = Model { system: System::default(), queries: vec![], warnings, elaborator };
    std::mem::swap(&mut model.system, &mut model.elaborator.system);
    for formula in queries {
        let text = match formula.text.is_empty() {
            true => &source[formula.span.start as usize..formula.span.end as usize],
            false => &formula.text,
        };
        let text = one_line(text);
        let property = formula.body.and_then(|(quantifier, expr)| {
            model.with_elaborator(|cx| cx.property(&text, quantifier, expr)).map_err(first)
        });
        model.queries.push(Query { text, property });
    }
    Ok(model)
}

/// Reads the syntax of a model only, as far as it is intact; diagnostics are sorted by place.
pub fn parse(source: &str, format: Format) -> (ast::Ast, Vec<Diagnostic>) {
    let (ast, diagnostics, _) = read(source, format);
    (ast, diagnostics.finish())
}

/// The syntax of a model, what is wrong with it, and what may not be as intended.
fn read(source: &str, format: Format) -> (ast::Ast, Diagnostics, Vec<Diagnostic>) {
    let (mut ast, mut diagnostics, mut warnings) = (ast::Ast::default(), Diagnostics::default(), vec![]);
    match format {
        _ if source.len() > parser::LONGEST => {
            let message = "the text is longer than 1 GiB; split the model";
            diagnostics.push(Diagnostic::error(Span::default(), message));
        }
        Format::Xta => {
            declaration::model(&Text::verbatim(source), &mut ast, &mut diagnostics, &mut warnings);
        }
        Format::Xml => xml::model(source, &mut ast, &mut diagnostics, &mut warnings),
    }
    (ast, diagnostics, warnings)
}

impl Model {
    /// Reads a query given from outside.
    ///
    /// # Errors
    /// Everything that is wrong with it; places point into `text`.
    pub fn parse_query(&mut self, name: &str, text: &str) -> Result<Property, Vec<Diagnostic>> {
        self.parse_text(name, &Text::verbatim(text))
    }
    /// Reads a query file: one query after the other, with comments and continued lines.
    ///
    /// Places of errors point into `text`.
    pub fn parse_query_file(&mut self, text: &str) -> Vec<Query> {
        let pieces = query::split(text);
        let mut queries = vec![];
        for piece in pieces {
            let text = one_line(&piece.decoded);
            let property = self.parse_text(&text, &piece).map_err(first);
            queries.push(Query { text, property });
        }
        queries
    }
    /// The value that leaves its range when a fault happens, and that range; where it is a matter of one.
    pub fn limit(&self, fault: FaultId) -> Option<(Term, (i64, i64))> {
        self.elaborator.limits.get(fault).copied().flatten()
    }
    fn parse_text(&mut self, name: &str, text: &Text) -> Result<Property, Vec<Diagnostic>> {
        let ast = Arc::make_mut(&mut self.elaborator.ast);
        if text.decoded.trim().is_empty() {
            let message = "the query is empty; write `A[]` or `E<>` and an expression";
            return Err(vec![Diagnostic::error(text.end(), message)]);
        }
        let (quantifier, expr) = query::parse(text, ast).map_err(|error| vec![error])?;
        self.with_elaborator(|cx| cx.property(name, quantifier, expr))
    }
    fn with_elaborator<T>(&mut self, f: impl FnOnce(&mut Elaborator) -> T) -> T {
        std::mem::swap(&mut self.system, &mut self.elaborator.system);
        let result = f(&mut self.elaborator);
        std::mem::swap(&mut self.system, &mut self.elaborator.system);
        result
    }
}

fn first(errors: Vec<Diagnostic>) -> Diagnostic {
    let unknown = || Diagnostic::error(Span::default(), "the query cannot be read");
    errors.into_iter().next().unwrap_or_else(unknown)
}

/// A query on one line, without the semicolon that some end it with.
fn one_line(text: &str) -> String {
    let text = text.trim_end_matches(|c: char| c == ';' || c.is_whitespace());
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
