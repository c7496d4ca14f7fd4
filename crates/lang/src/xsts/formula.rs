//! Propositions of temporal formulas: boolean expressions, read like those of properties.
//!
//! In a formula, `=`, `/=`, `and`, `or` and `not` are understood as well. Temporal operators bind as tightly as `!`, and
//! formulas do not know `xor` and `if`, which bind less than `&&`: beside operators of formulas they need parentheses.

use std::ops::Range;

use ir::{System, Term};

use super::ast::{ChainOp, Expr, ExprKind, Name, Names};
use super::expr::Elaborator;
use super::parser;
use super::symbols::Symbols;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::temporal::{self, Path, Propositions};

/// A text with formulas about a model.
pub(crate) struct Formulas<'a> {
    source: &'a str,
    names: &'a mut Names,
    symbols: &'a mut Symbols,
    system: &'a mut System,
}

impl<'a> Formulas<'a> {
    pub(crate) fn new(
        source: &'a str,
        names: &'a mut Names,
        symbols: &'a mut Symbols,
        system: &'a mut System,
    ) -> Self {
        symbols.grow(names.len());
        Formulas { source, names, symbols, system }
    }
    /// The formula in a part of the text.
    pub(crate) fn read(&mut self, at: Range<usize>) -> Result<Path, Vec<Diagnostic>> {
        temporal::read(self.source, at, self)
    }
    fn is_known(&self, name: Name) -> bool {
        self.symbols.get(name).is_some()
            || self.symbols.type_named(name).is_some()
            || !self.symbols.owners(name).is_empty()
    }
}

impl Propositions for Formulas<'_> {
    fn is_name(&self, word: &str) -> bool {
        let mut dotted = self.symbols.variables().chain(self.symbols.type_names());
        let goes_on =
            |name| self.names.text(name).strip_prefix(word).is_some_and(|rest| rest.starts_with('.'));
        self.names.find(word).is_some_and(|name| self.is_known(name)) || dotted.any(goes_on)
    }
    fn condition(&mut self, at: Range<usize>) -> Result<Term, Vec<Diagnostic>> {
        let mut diagnostics = Diagnostics::default();
        let names = std::mem::take(self.names);
        let parsed = parser::proposition(self.source, at.clone(), names, &mut diagnostics);
        self.symbols.grow(parsed.model.names.len());
        let term = parsed.model.prop.filter(|_| diagnostics.is_empty()).and_then(|prop| {
            if let Some(error) = ungrouped(&parsed.model.exprs[prop.expr], at) {
                diagnostics.push(error);
            }
            Elaborator::new(self.source, &parsed.model, self.system, self.symbols, &mut diagnostics)
                .claim(prop.expr)
        });
        *self.names = parsed.model.names;
        term.filter(|_| diagnostics.is_empty()).ok_or_else(|| diagnostics.finish())
    }
}

/// What is wrong with an expression that is all of a proposition, without parentheses around it.
fn ungrouped(expr: &Expr, at: Range<usize>) -> Option<Diagnostic> {
    let operator = match &expr.kind {
        ExprKind::Ite(..) => "if … then … else …",
        ExprKind::Chain(chain) if chain.rest[0].0 == ChainOp::Xor => "xor",
        _ => return None,
    };
    let bare = (expr.span.start as usize, expr.span.end as usize) == (at.start, at.end);
    let message = format!("in a formula, `{operator}` needs parentheses around it");
    bare.then(|| Diagnostic::error(Code::Syntax, expr.span, message))
}
