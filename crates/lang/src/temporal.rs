//! Claims about runs: formulas of linear temporal logic, with propositions in the language of the model.
//!
//! [`ltl::parse`] finds the tree of temporal operators and connectives. Every maximal part without temporal operators is
//! a *proposition*, an expression over one state, which the language reads with the code that reads its properties
//! ([`Propositions`]). Before that, comments are blanked and quoted names are filled with letters, in place: so nothing
//! in them is taken for an operator, and every place is one of the user's text.
//!
//! A formula is announced, `ltl: f` or `ltl { f }`; so is an automaton of words that must not happen, `never: HOA: v1 …`,
//! in the Hanoi format, whose atoms are propositions. One claim of branching time is known by its operators, `AG EF p`; all
//! others are refused. A text that is not announced and that the language reads as a property
//! is a property; if it does not, and the text is a formula with a temporal operator, then it is meant as one
//! ([`instead`]).

mod conditions;

use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use ir::automaton::Automaton;
use ir::ltl::Formula;
use ir::{Claim, PathClaim, PathId, PathWords, Response, Span, System, Term};
use ltl::hoa;
use ltl::parse::{Atoms, Error, Problem, Warning, WarningKind};

pub(crate) use self::conditions::Conditions;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, lacking};
use crate::question::{About, Question, one_line};

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

/// What is claimed of every run, or of some run, over conditions.
pub(crate) struct Path {
    words: PathWords,
    /// Whether it is claimed of some run only.
    of_some_run: bool,
    /// Whether its text tells people what is claimed.
    readable: bool,
    atoms: Conditions,
    /// Where evaluating an atom goes wrong; nowhere unless it is said.
    undefined: Option<Term>,
    /// What may not be as intended.
    pub(crate) warnings: Vec<Diagnostic>,
}

impl Path {
    /// A formula that every reader reads alike.
    pub(crate) fn new(formula: Formula, atoms: Conditions) -> Self {
        let words = PathWords::Satisfy(formula);
        Path { words, of_some_run: false, readable: true, atoms, undefined: None, warnings: vec![] }
    }
    /// That something is always answered in time.
    pub(crate) fn responding(response: Response, atoms: Conditions) -> Self {
        let words = PathWords::Respond(response);
        Path { words, of_some_run: false, readable: true, atoms, undefined: None, warnings: vec![] }
    }
    /// The same, where evaluating an atom goes wrong in some states.
    pub(crate) fn undefined_where(self, wrong: Term) -> Self {
        Path { undefined: Some(wrong), ..self }
    }
    /// The same, claimed of some run.
    pub(crate) fn of_some_run(self) -> Self {
        Path { of_some_run: true, ..self }
    }
    /// Whether it is claimed of some run only.
    pub(crate) fn is_about_some_run(&self) -> bool {
        self.of_some_run
    }
    /// The same with another formula, which may be about more conditions; automata stay as they are.
    pub(crate) fn rewritten(mut self, new: impl FnOnce(&Formula, &mut Conditions) -> Formula) -> Self {
        if let PathWords::Satisfy(formula) = &mut self.words {
            *formula = new(formula, &mut self.atoms);
        }
        self
    }
    /// Whether it is a formula that looks at other states than the first.
    fn is_temporal(&self) -> bool {
        matches!(&self.words, PathWords::Satisfy(formula) if formula.is_temporal())
    }
    /// The question whether that is so, which is written in a part of a text.
    pub(crate) fn question(
        mut self,
        system: &mut System,
        name: &str,
        text: &str,
        at: Range<usize>,
    ) -> Question {
        let warnings = std::mem::take(&mut self.warnings);
        let about = match self.readable {
            true => About::Expression(one_line(&without_comments(&text[at]))),
            false => About::Formula,
        };
        Question { warnings, about, ..Question::new(name, text.trim(), "", self.claim(system)) }
    }
    /// The claim that this is so; equal claims are one.
    pub(crate) fn claim(self, system: &mut System) -> Claim {
        let mut atoms = self.atoms.into_terms();
        let words = match self.words {
            PathWords::Satisfy(formula) => {
                PathWords::Satisfy(conditions::taken_apart(&formula, &mut atoms, system))
            }
            words => words,
        };
        let undefined = self.undefined.unwrap_or_else(|| system.terms.bool(false));
        let path = PathClaim { words, atoms, undefined };
        let known = system.paths.entries().find(|(_, known)| **known == path).map(|(id, _): (PathId, _)| id);
        let path = known.unwrap_or_else(|| system.paths.push(path));
        if self.of_some_run { Claim::Some(path) } else { Claim::Every(path) }
    }
}

/// What a text announces.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A formula of linear temporal logic: `ltl`.
    Formula,
    /// An automaton of words that must not happen: `never`.
    Automaton,
}

/// What a text announces and where that is: `ltl: f`, `ltl { f }`, `never: a` or `never { a }`.
pub(crate) fn announced(text: &str) -> Option<(Kind, Range<usize>)> {
    let text = plain(text, 0..text.len());
    let kinds = [("ltl", Kind::Formula), ("never", Kind::Automaton)];
    let begins = |(word, kind)| Some((kind, text.trim_start().strip_prefix(word)?.trim_start()));
    let (kind, rest) = kinds.into_iter().find_map(begins)?;
    let end = text.trim_end().len();
    let inside = text.len() - rest.len() + 1;
    match rest.chars().next()? {
        ':' => Some((kind, inside..end)),
        '{' if text[..end].ends_with('}') => Some((kind, inside..end - 1)),
        _ => None,
    }
}

/// Where the condition is in a text that claims that it can always be reached again, in the words of branching time (CTL):
/// `AG EF p`, `A G E F { p }`, `A[] E<> p`, `ag ef: p`.
pub(crate) fn returning(text: &str) -> Option<Range<usize>> {
    let text = plain(text, 0..text.len());
    let mut rest = text.trim_start();
    for (quantifier, operators) in [("Aa", ["G", "g", "[]", "□"]), ("Ee", ["F", "f", "<>", "◇"])] {
        rest = rest.strip_prefix(|c| quantifier.contains(c))?.trim_start();
        rest = operators.iter().find_map(|operator| rest.strip_prefix(operator))?;
        // A word ends here.
        if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return None;
        }
        rest = rest.trim_start();
    }
    let (start, end) = (text.len() - rest.len(), text.trim_end().len());
    match rest.chars().next()? {
        ':' => Some(start + 1..end),
        '{' if text[..end].ends_with('}') => Some(start + 1..end - 1),
        _ => Some(start..end),
    }
}

/// The question whether a condition, written in a part of a text, can always be reached again.
///
/// # Errors
/// If it is not clear where the condition ends: `EF` binds more tightly than connectives do, and there are no brackets.
pub(crate) fn return_to(
    name: &str,
    text: &str,
    at: Range<usize>,
    condition: Term,
) -> Result<Question, Vec<Diagnostic>> {
    let expression = one_line(&without_comments(&text[at.clone()]));
    let tight = text[..at.start].trim_end().ends_with(['F', 'f']);
    if let Some(place) = connective(&plain(text, at.clone()), at.start).filter(|_| tight) {
        let message = "what `EF` is about may end here; put all of it in parentheses";
        return Err(vec![Diagnostic::error(Code::Syntax, Span::new(place, place + 1), message)]);
    }
    Ok(Question::new(name, text.trim(), expression, Claim::AlwaysPossibly(condition)))
}

/// Where the first connective is that is in no brackets.
fn connective(text: &str, from: usize) -> Option<usize> {
    const WORDS: [&str; 6] = ["and", "or", "imply", "implies", "iff", "xor"];
    let mut depth = 0_usize;
    let mut word = from;
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at < from) {
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '&' | '|' | '∧' | '∨' if depth == 0 => return Some(at),
            '>' if depth == 0 && text[..at].ends_with(['-', '=']) => return Some(at),
            _ => {}
        }
        if !is_letter(c) {
            if depth == 0 && WORDS.contains(&&text[word..at]) {
                return Some(word);
            }
            word = at + c.len_utf8();
        }
    }
    None
}

/// What is wrong with a text that has path quantifiers of branching time in it, which are no names, with the nearest
/// formula of linear time: the one without them, which means the same if any does (Clarke and Draghicescu 1988).
pub(crate) fn branching(text: &str, mut is_name: impl FnMut(&str) -> bool) -> Option<Diagnostic> {
    const OPERATORS: [&str; 6] = ["AG", "AF", "AX", "EG", "EF", "EX"];
    let mut words = vec![];
    let mut at = 0;
    for word in plain(text, 0..text.len()).split(|c: char| !c.is_alphanumeric() && c != '_') {
        if OPERATORS.contains(&word) && !is_name(word) {
            words.push(at);
        }
        // The character between two words has as many bytes as it takes to the next.
        at += word.len();
        at = next_boundary(text, at);
    }
    let first = *words.first()?;
    let mut nearest = text.to_owned();
    words.iter().rev().for_each(|at| nearest.replace_range(*at..at + 1, ""));
    let message = format!(
        "of temporal formulas, only those about every run are supported, and `AG EF p`, that `p` can always be reached \
         again; the nearest one is `ltl: {}`, and `E<> p` asks whether some state has `p`",
        one_line(&nearest)
    );
    Some(Diagnostic::error(Code::UnsupportedTemporalFormula, Span::new(first, first + 2), message))
}

/// The most states and transitions of an automaton together.
const MOST_PARTS: usize = 20_000;

/// Reads the automaton in a part of a text; `condition` reads a proposition that is a text of its own.
///
/// # Errors
/// Everything that is wrong with it; places point into the text.
pub(crate) fn automaton(
    text: &str,
    at: Range<usize>,
    mut condition: impl FnMut(&str) -> Result<Term, Vec<Diagnostic>>,
) -> Result<Path, Vec<Diagnostic>> {
    let start = at.start;
    let wrong = |code, from: usize, to: usize, message: String| {
        vec![Diagnostic::error(code, Span::new(from, to), message)]
    };
    let hoa = hoa::read(&text[at.clone()]).map_err(|error| {
        let code = match error.problem {
            hoa::Problem::Acceptance(_) | hoa::Problem::Alternation | hoa::Problem::Header(_) => {
                Code::UnsupportedTemporalFormula
            }
            hoa::Problem::TooLarge => Code::TooLarge,
            _ => Code::Syntax,
        };
        let place = (start + error.at).min(at.end);
        wrong(code, place, next_boundary(text, place).min(at.end), error.problem.to_string())
    })?;
    let too_large = || {
        let (states, sets) = (MOST_PARTS, Automaton::MOST_SETS);
        let message = format!(
            "the automaton is too large: it may have {states} states and transitions, and {sets} acceptance sets"
        );
        wrong(Code::TooLarge, at.start, at.end, message)
    };
    let automaton = &hoa.automaton;
    if automaton.len() + automaton.edges().len() > MOST_PARTS {
        return Err(too_large());
    }
    let mut atoms = vec![];
    let mut errors = vec![];
    for (name, place) in hoa.names.iter().zip(&hoa.places) {
        let quote = start + place;
        match condition(name) {
            Ok(term) => atoms.push(term),
            Err(list) => errors.extend(list.into_iter().map(|mut error| {
                // A name with an escaped character is another text than the one between its quotes.
                let inside = if text[quote + 1..].starts_with(name.as_str()) { name.len() } else { 0 };
                let (from, to) =
                    ((error.span.start as usize).min(inside), (error.span.end as usize).min(inside));
                error.span = Span::new(quote + 1 + from, quote + 1 + to);
                error
            })),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut plain = automaton.plain(&automaton.loops()).ok_or_else(too_large)?;
    // Equal propositions are one.
    let mut conditions = Conditions::default();
    let numbers: Vec<u32> = atoms.into_iter().map(|atom| conditions.number(atom)).collect();
    for transition in &mut plain.transitions {
        for cube in &mut transition.guard.cubes {
            cube.iter_mut().for_each(|(atom, _)| *atom = numbers[*atom as usize]);
            cube.sort_unstable();
            cube.dedup();
        }
        // What contradicts itself admits nothing.
        transition.guard.cubes.retain(|cube| cube.windows(2).all(|pair| pair[0].0 != pair[1].0));
    }
    Ok(Path {
        words: PathWords::Avoid(Arc::new(plain)),
        of_some_run: false,
        readable: false,
        atoms: conditions,
        undefined: None,
        warnings: vec![],
    })
}

/// The first place after this one where a character begins.
fn next_boundary(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(at, |c| at + c.len_utf8())
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
    Ok(Path { warnings, ..Path::new(parsed.formula, numbered.atoms) })
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
        Ok(path) if path.is_temporal() => Ok(path),
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
    MARKS.iter().chain(&ARROWS).any(|mark| text.get(start..).is_some_and(|rest| rest.starts_with(mark)))
        || ARROWS.iter().any(|arrow| text.get(..end).is_some_and(|rest| rest.ends_with(arrow)))
        || text.get(start..end).is_some_and(|word| WORDS.contains(&word))
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
