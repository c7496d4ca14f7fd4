//! XSTS and timed XSTS.
//!
//! An XSTS has state variables and three sections of alternative branches: after the initial values,
//! one branch of `init` runs once, then one of `env` and one of `trans` in turn, for ever. A branch is
//! one atomic step. Timed XSTS adds clocks, which grow together and only in `__delay`.
//!
//! The system has one process, `xsts`, with the locations `init`, `env` and `trans`, named after the
//! section that runs next; each branch is an edge. All states between branches are observed.

#[cfg(any(test, feature = "arbitrary"))]
pub mod arbitrary;
pub mod ast;
mod clock;
mod expr;
mod lexer;
mod lower;
mod ort;
mod parser;
mod print;
mod symbols;
#[cfg(test)]
mod tests;

use ir::{Claim, Property, Span, System};

pub use print::print;

use crate::diagnostic::{Diagnostic, Diagnostics};
use expr::Elaborator;
use lower::Lowered;
use symbols::Symbols;

/// A model that can be checked.
#[derive(Clone, Debug)]
pub struct Model {
    /// What it does.
    pub system: System,
    /// What its `prop` section claims, if it has one.
    pub property: Option<Property>,
    /// What may not be as intended.
    pub warnings: Vec<Diagnostic>,
    /// What the names of later properties mean.
    names: ast::Names,
    symbols: Symbols,
}

/// Reads a model.
///
/// # Errors
/// Everything that is wrong with the text, by place.
///
/// ```
/// let model = lang::xsts::load("var x : integer = 0 trans { x := x + 1; } prop { x >= 0 }").unwrap();
/// assert!(model.property.is_some());
/// let errors = lang::xsts::load("var count : integer trans { cuont := 1; }").unwrap_err();
/// assert_eq!(errors[0].message, "there is no variable `cuont`; did you mean `count`?");
/// ```
pub fn load(source: &str) -> Result<Model, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let parsed = parser::model(source, &mut diagnostics);
    if parsed.empty {
        if diagnostics.is_empty() {
            let message = "the file is empty; an XSTS model needs at least a `trans` section";
            diagnostics.push(Diagnostic::error(Span::default(), message));
        }
        return Err(diagnostics.finish());
    }
    let lowered = lower::lower(source, &parsed, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(diagnostics.finish());
    }
    let Lowered { system, property, symbols, mut warnings } = lowered;
    warnings.extend(clocks_that_stand_still(&system, &parsed.model));
    warnings.sort_by_key(|warning| warning.span);
    Ok(Model { system, property, warnings, names: parsed.model.names, symbols })
}

/// Whoever declares a clock means it to grow.
fn clocks_that_stand_still(system: &System, model: &ast::Model) -> Option<Diagnostic> {
    let clock = &system.vars[system.clocks().next()?];
    if model.stmts.iter().any(|stmt| matches!(stmt.kind, ast::StmtKind::Delay)) {
        return None;
    }
    let message = format!("time never passes, so clock `{}` stays as it is", clock.name);
    Some(
        Diagnostic::warning(clock.span, message)
            .help("let time pass with `__delay;`, usually in `env` or `trans`"),
    )
}

impl Model {
    /// Reads a property given from outside: `prop { e }` or `e` alone, or in the words of queries `A[] e`, which is
    /// the same, or `E<> e`, which claims that `e` holds in some state.
    ///
    /// # Errors
    /// Everything that is wrong with it; places point into `text`.
    pub fn parse_property(&mut self, name: &str, text: &str) -> Result<Property, Vec<Diagnostic>> {
        let mut diagnostics = Diagnostics::default();
        let parsed = parser::property(text, std::mem::take(&mut self.names), &mut diagnostics);
        if parsed.empty && diagnostics.is_empty() {
            let message = "the property is empty; write an expression that is to hold in every state";
            diagnostics.push(Diagnostic::error(Span::default(), message));
        }
        let claim = parsed.model.prop.and_then(|prop| {
            self.symbols.grow(parsed.model.names.len());
            Elaborator::new(text, &parsed.model, &mut self.system, &mut self.symbols, &mut diagnostics)
                .claim(prop.expr)
        });
        self.names = parsed.model.names;
        match claim {
            Some(term) if diagnostics.is_empty() => {
                let claim = if parsed.possibly { Claim::Possibly(term) } else { Claim::Always(term) };
                Ok(Property { name: name.to_owned(), claim, faults: vec![] })
            }
            _ => Err(diagnostics.finish()),
        }
    }
}

/// Reads the syntax of a model only, as far as it is intact; diagnostics are sorted by place.
pub fn parse(source: &str) -> (ast::Model, Vec<Diagnostic>) {
    let mut diagnostics = Diagnostics::default();
    let parsed = parser::model(source, &mut diagnostics);
    (parsed.model, diagnostics.finish())
}
