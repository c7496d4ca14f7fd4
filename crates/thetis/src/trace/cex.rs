//! Traces as the parenthesised text of the original xsts tool, which Gamma reads line by line.
//!
//! A trace is an `XstsStateSequence` of `XstsState`s, each with two words (whether `init` has run, and
//! which section ran last) and an `ExplState` with the variables by name. Gamma needs each of them to begin
//! a line. The original folds what is short onto one line; that layout is there for other readers. Entries are
//! split at the first blank, so blanks and parentheses in names, which only nets have, are written as `%20`,
//! `%28` and so on, and `%` as `%25`.
//!
//! A run for ever has two halves, each a sequence of its own: the states up to the first of the loop, and those from there
//! until it comes again. The original finds such runs, and has no text for them.

use std::fmt::{self, Write};

use super::{Datum, SectionRecord, StateRecord, Trace};

/// How the text looks.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Style {
    /// Whether an element shorter than [`SHORT`] characters stands on one line.
    pub folded: bool,
    /// Whether literals stand without their types, as older releases wrote them.
    pub bare: bool,
}

/// From this length on, elements are broken in the folded layout.
const SHORT: usize = 75;

const BEFORE: &str = "pre_init last_env";
const INTERNAL: &str = "post_init last_internal";
const ENVIRONMENT: &str = "post_init last_env";

/// Why a trace does not have this form.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CexError {
    /// It does not say which section of an XSTS runs next.
    NoSections,
}

impl fmt::Display for CexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CexError::NoSections => f.write_str("only traces of XSTS models and Petri nets have this form"),
        }
    }
}

impl std::error::Error for CexError {}

/// The trace of an XSTS model or a Petri net as an `XstsStateSequence`.
///
/// # Errors
/// If it is one of something else.
pub fn render(trace: &Trace, style: Style) -> Result<String, CexError> {
    let states = states(trace)?;
    let Some(start) = trace.cycle else { return Ok(sequence(trace, &states, style)) };
    let first = states.iter().rposition(|state| state.number == start).ok_or(CexError::NoSections)?;
    let (stem, cycle) = (&states[..=first], &states[first..]);
    Ok(sequence(trace, stem, style) + &sequence(trace, cycle, style))
}

/// States as one `XstsStateSequence`.
fn sequence(trace: &Trace, states: &[Entry<'_>], style: Style) -> String {
    let states: Vec<String> = states.iter().map(|entry| element(trace, entry, style)).collect();
    let line = format!("(XstsStateSequence {})", states.join(" "));
    if style.folded && line.chars().count() < SHORT && !line.contains('\n') {
        return line + "\n";
    }
    format!("(XstsStateSequence\n  {})\n", states.join("\n  "))
}

/// A state of the text.
#[derive(Copy, Clone)]
struct Entry<'a> {
    /// What the original says of it.
    words: &'static str,
    /// The number of the state of the trace that it is, or stands before.
    number: usize,
    state: &'a StateRecord,
}

/// How many steps the original would count: one less than the states.
///
/// # Errors
/// If it is no trace of an XSTS model or a Petri net.
pub fn length(trace: &Trace) -> Result<usize, CexError> {
    Ok(states(trace)?.len().saturating_sub(1))
}

fn states(trace: &Trace) -> Result<Vec<Entry<'_>>, CexError> {
    let [process] = trace.signature.processes.as_slice() else { return Err(CexError::NoSections) };
    if process.sections.is_empty() {
        return Err(CexError::NoSections);
    }
    if process.sections.contains(&Some(SectionRecord::Whole)) {
        return Ok(net_states(trace));
    }
    let mut list = vec![];
    for (number, state) in trace.states().enumerate() {
        let mut push = |words| list.push(Entry { words, number, state });
        let at = process.locations.iter().position(|name| state.locations.contains(name));
        let next = at.and_then(|at| process.sections.get(at).copied().flatten());
        match next {
            Some(SectionRecord::Init) => push(BEFORE),
            Some(SectionRecord::Env) => push(INTERNAL),
            Some(SectionRecord::Trans) => push(ENVIRONMENT),
            // A fault has no place in this format; the states before it do.
            Some(SectionRecord::Whole) | None => {}
        }
    }
    Ok(list)
}

/// A net as an XSTS does nothing in `init` and in `env`, and fires a transition in `trans`.
fn net_states(trace: &Trace) -> Vec<Entry<'_>> {
    let mut list: Vec<Entry<'_>> = vec![];
    for (number, state) in trace.states().enumerate() {
        match list.last().copied() {
            None => list.push(Entry { words: BEFORE, number, state }),
            Some(before) => {
                if number == 1 {
                    list.push(Entry { words: INTERNAL, ..before });
                }
                list.push(Entry { words: ENVIRONMENT, number, ..before });
                list.push(Entry { words: INTERNAL, number, state });
            }
        }
    }
    list
}

fn element(trace: &Trace, Entry { words, state, .. }: &Entry<'_>, style: Style) -> String {
    let variables = trace.signature.variables.iter().zip(&state.values);
    let mut entries: Vec<(&str, String)> = variables
        .filter(|(variable, _)| variable.shown)
        .filter_map(|(variable, value)| {
            Some((variable.name.as_str(), lisp(value.as_ref()?, trace, style.bare)))
        })
        .collect();
    entries.sort_unstable();
    let entries: Vec<String> =
        entries.iter().map(|(name, value)| format!(" ({} {value})", escaped(name))).collect();
    let values = format!("(ExplState{})", entries.concat());
    let line = format!("(XstsState {words} {values})");
    let is_short = |text: &str| style.folded && text.chars().count() < SHORT;
    if is_short(&line) {
        return line;
    }
    let values =
        if is_short(&values) { values } else { format!("(ExplState{})", entries.join("\n              ")) };
    format!("(XstsState {words}\n    {values})")
}

/// A name without blanks, control characters and parentheses.
pub(super) fn escaped(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if c.is_whitespace() || c.is_control() || matches!(c, '(' | ')' | '%') {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(text, "%{byte:02X}");
            }
        } else {
            text.push(c);
        }
    }
    text
}

pub(super) fn lisp(datum: &Datum, trace: &Trace, bare: bool) -> String {
    match datum {
        Datum::Array { entries, default } => {
            let mut text = String::from("(array ");
            for (at, entry) in entries {
                let _ = write!(text, "({} {}) ", lisp(at, trace, bare), lisp(entry, trace, bare));
            }
            let _ = write!(text, "(default {}))", lisp(default, trace, bare));
            text
        }
        Datum::Text(text) => {
            let literal = trace.signature.types.iter().find_map(|ty| {
                let short = text.strip_prefix(&ty.name)?.strip_prefix('.')?;
                ty.literals.iter().any(|literal| literal == short).then_some(short)
            });
            match literal {
                Some(short) if bare => short.to_owned(),
                Some(_) => text.clone(),
                // Rationals are written `3%4` in this language.
                None => text.replace('/', "%"),
            }
        }
        other => other.to_string(),
    }
}
