//! What front-ends say about their input.
//!
//! A diagnostic points into the text the user gave and is rendered only in the shells. A front-end
//! goes on after an error, so that all errors of a file come at once, but not for ever: a list is
//! cut after [`LIMIT`] entries.

use ir::Span;
use rustc_hash::FxHashMap;

use crate::code::Code;

/// How many errors of one file are kept.
pub const LIMIT: usize = 100;

/// One thing worth saying about the input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// What kind of thing it is, for programs.
    pub code: Code,
    /// Whether the input is unusable.
    pub severity: Severity,
    /// Where.
    pub span: Span,
    /// What, as a whole sentence that names the user's thing and the fix.
    pub message: String,
    /// A few words for the place itself; may be empty.
    pub label: String,
    /// Other places and remarks.
    pub notes: Vec<Note>,
    /// The name that it is about, if it is about one.
    pub subject: Option<Box<str>>,
    /// The name that was probably meant instead, if there is one.
    pub suggestion: Option<Box<str>>,
}

/// How bad it is.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input can be used, but may not mean what was intended.
    Warning,
}

/// A remark that belongs to a diagnostic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// Where, if it has a place of its own.
    pub span: Option<Span>,
    /// What.
    pub message: String,
}

/// The first thing that a text needs and Thetis lacks, if nothing else is wrong with it.
pub fn lacking(diagnostics: &[Diagnostic]) -> Option<&Diagnostic> {
    let only = diagnostics.iter().all(|diagnostic| diagnostic.code.is_unsupported());
    diagnostics.first().filter(|_| only)
}

impl Diagnostic {
    /// An error.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: Severity::Error,
            span,
            message: message.into(),
            label: String::new(),
            notes: vec![],
            subject: None,
            suggestion: None,
        }
    }
    /// Something that can be used and may not be as intended.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }
    /// The error that nothing has the name `name`, where `near` was probably meant.
    pub fn unknown(span: Span, what: &str, name: &str, near: Option<&str>) -> Self {
        let guess = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let message = format!("there is no {what} `{name}`{guess}");
        Diagnostic::error(Code::UnknownName, span, message).about(name).meaning(near)
    }
    /// The same, saying which name it is about.
    pub fn about(mut self, name: impl Into<Box<str>>) -> Self {
        self.subject = Some(name.into());
        self
    }
    /// The same, saying which name was probably meant.
    pub fn meaning(mut self, near: Option<&str>) -> Self {
        self.suggestion = near.map(Box::from);
        self
    }
    /// The same with a few words for the place itself.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }
    /// The same with another place.
    pub fn note(mut self, span: Span, message: impl Into<String>) -> Self {
        self.notes.push(Note { span: Some(span), message: message.into() });
        self
    }
    /// The same with a remark, usually how to fix it.
    pub fn help(mut self, message: impl Into<String>) -> Self {
        self.notes.push(Note { span: None, message: message.into() });
        self
    }
}

/// The diagnostics of one text under construction.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    list: Vec<Diagnostic>,
    dropped: Option<Span>,
    /// Where each sentence is said again, if it is said once with all its places.
    again: Option<Again>,
}

/// For each sentence, which diagnostic says it, and where else it holds.
type Again = FxHashMap<(Code, String), (usize, Vec<Span>)>;

/// How many further places of one sentence are shown.
const SHOWN: usize = 8;

impl Diagnostics {
    /// Diagnostics where the same sentence is said once, with the number of places that it is about.
    pub(crate) fn once_each() -> Self {
        Diagnostics { again: Some(FxHashMap::default()), ..Diagnostics::default() }
    }
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if let Some(again) = &mut self.again {
            let key = (diagnostic.code, diagnostic.message.clone());
            if let Some((_, places)) = again.get_mut(&key) {
                return places.push(diagnostic.span);
            }
            again.insert(key, (self.list.len(), vec![]));
        }
        if self.is_full() {
            self.dropped.get_or_insert(diagnostic.span);
        } else {
            self.list.push(diagnostic);
        }
    }
    /// The number of the one that says this, or of the next one.
    pub(crate) fn number(&self, diagnostic: &Diagnostic) -> usize {
        let key = (diagnostic.code, diagnostic.message.clone());
        let known = self.again.as_ref().and_then(|again| again.get(&key));
        known.map_or(self.list.len(), |(at, _)| *at)
    }
    /// Adds a remark to one of them, by its number.
    pub(crate) fn remark(&mut self, at: usize, message: String) {
        if let Some(diagnostic) = self.list.get_mut(at) {
            diagnostic.notes.push(Note { span: None, message });
        }
    }
    /// Whether further ones are dropped; then there is no need to compose them with care.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= LIMIT
    }
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
    /// All of them by place; the last one says if there were more.
    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        let mut list = self.list;
        for (at, mut places) in self.again.into_iter().flat_map(FxHashMap::into_values) {
            let Some(diagnostic) = list.get_mut(at) else { continue };
            places.sort_unstable();
            places.dedup();
            let count = places.len();
            for place in places.into_iter().take(SHOWN) {
                diagnostic.notes.push(Note { span: Some(place), message: "and here".to_owned() });
            }
            if count > SHOWN {
                let message = format!("and at {} more places", count - SHOWN);
                diagnostic.notes.push(Note { span: None, message });
            }
        }
        list.sort_by_key(|diagnostic| diagnostic.span);
        if let Some(span) = self.dropped {
            let message = format!("too many errors; only the first {LIMIT} found are shown");
            list.push(Diagnostic::error(Code::TooManyErrors, span, message));
        }
        list
    }
}
