//! Claims about runs: formulas of linear temporal logic, with propositions in the language of the model.
//!
//! [`ltl::parse`] finds the tree of temporal operators and connectives. Every maximal part without temporal operators is
//! a *proposition*, an expression over one state, which the language reads with the code that reads its properties
//! ([`Propositions`]). Before that, comments are blanked and quoted names are filled with letters, in place: so nothing
//! in them is taken for an operator, and every place is one of the user's text.
//!
//! A formula is announced, `ltl: f` or `ltl { f }`. A text that is not announced and that the language reads as a property
//! is a property; if it does not, and the text is a formula with a temporal operator, then it is meant as one
//! ([`instead`]).

use std::fmt::Write;
use std::ops::Range;

use indexmap::IndexSet;
use ir::ltl::Formula;
use ir::{Claim, PathFormula, PathId, Span, System, Term};
use ltl::parse::{Atoms, Error, Problem, Warning, WarningKind};
use rustc_hash::FxBuildHasher;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, lacking};
use crate::question::{Question, one_line};

/// What propositions mean: a language, as far as formulas need it.
pub(crate) trait Propositions {
    /// Whether the model calls something by this name, or by one that goes on with a dot.
    fn is_name(&self, word: &str) -> bool;
    /// The condition on states that is written in a part of the text.
    ///
    /// # Errors
    /// Everything that is wrong with it; then parts of it may be asked for.
    fn condition(&mut self, at: Range<usize>) -> Result<Term, Vec<Diagnostic>>;
}

/// A formula over conditions.
pub(crate) struct Path {
    formula: Formula,
    atoms: Conditions,
    /// What may not be as intended.
    pub(crate) warnings: Vec<Diagnostic>,
}

/// The conditions that atoms stand for, by number; equal ones are one.
#[derive(Default)]
pub(crate) struct Conditions {
    terms: IndexSet<Term, FxBuildHasher>,
}

impl Conditions {
    /// The number of a condition.
    pub(crate) fn number(&mut self, condition: Term) -> u32 {
        u32::try_from(self.terms.insert_full(condition).0).expect("fewer conditions than characters")
    }
}

impl Path {
    /// A formula that every reader reads alike.
    pub(crate) fn new(formula: Formula, atoms: Conditions) -> Self {
        Path { formula, atoms, warnings: vec![] }
    }
    /// The question whether every run satisfies the formula, which is written in a part of a text.
    pub(crate) fn question(
        mut self,
        system: &mut System,
        name: &str,
        text: &str,
        at: Range<usize>,
    ) -> Question {
        let warnings = std::mem::take(&mut self.warnings);
        let formula = one_line(&without_comments(&text[at]));
        Question { warnings, ..Question::new(name, text.trim(), formula, self.claim(system)) }
    }
    /// The claim that every run satisfies the formula; equal formulas are one.
    pub(crate) fn claim(self, system: &mut System) -> Claim {
        let atoms = self.atoms.terms.into_iter().collect();
        let path = PathFormula { formula: self.formula, atoms, undefined: system.terms.bool(false) };
        let known = system.paths.entries().find(|(_, known)| **known == path).map(|(id, _): (PathId, _)| id);
        Claim::Every(known.unwrap_or_else(|| system.paths.push(path)))
    }
}

/// Where the formula is in a text that announces one: `ltl: f` or `ltl { f }`.
pub(crate) fn announced(text: &str) -> Option<Range<usize>> {
    let text = plain(text, 0..text.len());
    let rest = text.trim_start().strip_prefix("ltl")?.trim_start();
    let end = text.trim_end().len();
    let inside = text.len() - rest.len() + 1;
    match rest.chars().next()? {
        ':' => Some(inside..end),
        '{' if text[..end].ends_with('}') => Some(inside..end - 1),
        _ => None,
    }
}

/// Reads the formula in a part of a text.
///
/// # Errors
/// Everything that is wrong with it; places point into the text.
pub(crate) fn read(
    text: &str,
    at: Range<usize>,
    language: &mut impl Propositions,
) -> Result<Path, Vec<Diagnostic>> {
    let plain = plain(text, at.clone());
    if plain.trim().is_empty() {
        let message = "the formula is empty; write one such as `G (p -> F q)`";
        return Err(vec![Diagnostic::error(Code::Empty, Span::new(at.start, at.end), message)]);
    }
    let mut numbered = Numbered { language, atoms: Conditions::default() };
    let parsed = ltl::parse::parse(&plain, &mut numbered).map_err(|error| match error {
        Error::Syntax(at, problem) => vec![wrong(at, problem)],
        Error::Atom(_, diagnostics) => diagnostics,
    })?;
    let mut warnings: Vec<Diagnostic> = parsed.warnings.into_iter().map(doubtful).collect();
    if !parsed.formula.is_temporal() {
        let message = "without a temporal operator, the formula is about the first state only; write `G (…)` for what \
                       is to hold in every state";
        let start = plain.len() - plain.trim_start().len();
        let span = Span::new(start, plain.trim_end().len());
        warnings.push(Diagnostic::warning(Code::NoTemporalOperator, span, message));
    }
    Ok(Path { formula: parsed.formula, atoms: numbered.atoms, warnings })
}

/// What a text means that is no property of the language because of `errors`: a formula, if it is a temporal one.
///
/// # Errors
/// What is wrong with the formula if the property fails at an operator of formulas, else what is wrong with the property; of
/// two refusals of what is not supported, that of the property.
pub(crate) fn instead(
    text: &str,
    errors: Vec<Diagnostic>,
    formula: Result<Path, Vec<Diagnostic>>,
) -> Result<Path, Vec<Diagnostic>> {
    let looks_temporal = || errors.iter().any(|error| is_operator(text, error.span));
    match formula {
        Ok(path) if path.formula.is_temporal() => Ok(path),
        Err(better) if looks_temporal() && !(unsupported(&errors) && unsupported(&better)) => Err(better),
        _ => Err(errors),
    }
}

fn unsupported(errors: &[Diagnostic]) -> bool {
    lacking(errors).is_some()
}

/// Whether a temporal operator is written at a place; of an arrow, the end is enough.
fn is_operator(text: &str, at: Span) -> bool {
    const MARKS: [&str; 5] = ["[]", "<>", "□", "◇", "○"];
    const ARROWS: [&str; 2] = ["-->", "~>"];
    const WORDS: [&str; 18] = [
        "G",
        "F",
        "X",
        "U",
        "W",
        "R",
        "V",
        "M",
        "always",
        "globally",
        "eventually",
        "finally",
        "next",
        "until",
        "unless",
        "release",
        "releases",
        "leadsto",
    ];
    let (start, end) = (at.start as usize, at.end as usize);
    MARKS.iter().chain(&ARROWS).any(|mark| text[start..].starts_with(mark))
        || ARROWS.iter().any(|arrow| text[..end].ends_with(arrow))
        || WORDS.contains(&&text[start..end])
}

/// Propositions, numbered.
struct Numbered<'a, L> {
    language: &'a mut L,
    atoms: Conditions,
}

impl<L: Propositions> Atoms for Numbered<'_, L> {
    type Error = Vec<Diagnostic>;

    fn is_name(&self, word: &str) -> bool {
        self.language.is_name(word)
    }
    fn atom(&mut self, _: &str, at: Range<usize>) -> Result<u32, Vec<Diagnostic>> {
        Ok(self.atoms.number(self.language.condition(at)?))
    }
}

fn wrong(at: Range<usize>, problem: Problem) -> Diagnostic {
    let code = match problem {
        Problem::ExpectedOperand | Problem::Unexpected | Problem::Between => Code::Syntax,
        Problem::NotClosed => Code::Unclosed,
        Problem::TemporalInside => Code::TypeMismatch,
        Problem::TooDeep => Code::TooDeep,
        Problem::Arguments { .. } => Code::WrongCount,
    };
    Diagnostic::error(code, Span::new(at.start, at.end), problem.to_string())
}

fn doubtful(Warning { at, kind }: Warning) -> Diagnostic {
    let message = match kind {
        WarningKind::Chain => {
            "not everyone groups these operators alike; this is read as `a U (b U c)`, put in the parentheses"
        }
        WarningKind::Negation => {
            "not everyone reads a negation here alike; this is read as `(!a) U b`, put in the parentheses"
        }
    };
    Diagnostic::warning(Code::DoubtfulGrouping, Span::new(at.start, at.end), message)
}

/// What a character belongs to.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Piece {
    Comment,
    Quoted,
    Plain,
}

/// The comments, the quoted names and all other characters of a text, in order. What never ends is none of the former.
fn pieces(text: &str) -> impl Iterator<Item = (Piece, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let (piece, length) = if rest.starts_with("//") {
            (Piece::Comment, rest.find('\n').or(Some(rest.len())))
        } else if let Some(inside) = rest.strip_prefix("/*") {
            (Piece::Comment, inside.find("*/").map(|end| end + 4))
        } else if matches!(first, '"' | '\'') {
            (Piece::Quoted, rest[1..].find(first).map(|end| end + 2))
        } else {
            (Piece::Plain, None)
        };
        let (found, after) = rest.split_at(length.unwrap_or(first.len_utf8()));
        rest = after;
        Some((if length.is_some() { piece } else { Piece::Plain }, found))
    })
}

/// A part of a text with blanks for what is before it and for comments, and letters for what is quoted.
fn plain(text: &str, at: Range<usize>) -> String {
    let mut plain = " ".repeat(at.start);
    for (piece, found) in pieces(&text[at]) {
        let _ = match piece {
            Piece::Comment => write!(plain, "{:1$}", "", found.len()),
            Piece::Quoted => write!(plain, "\"{:_<1$}\"", "", found.len() - 2),
            Piece::Plain => write!(plain, "{found}"),
        };
    }
    plain
}

/// A text with a blank for every comment.
pub(crate) fn without_comments(text: &str) -> String {
    pieces(text).map(|(piece, found)| if piece == Piece::Comment { " " } else { found }).collect()
}

/// Where the bracket is closed that has just been opened: before how many bytes of a text.
pub(crate) fn closing_brace(text: &str) -> Option<usize> {
    let (mut open, mut at) = (0_usize, 0);
    for (piece, found) in pieces(text) {
        match (piece, found) {
            (Piece::Plain, "{") => open += 1,
            (Piece::Plain, "}") if open == 0 => return Some(at),
            (Piece::Plain, "}") => open -= 1,
            _ => {}
        }
        at += found.len();
    }
    None
}
