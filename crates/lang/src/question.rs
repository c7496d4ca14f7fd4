//! Questions about a model, whatever its language.

use std::sync::atomic::{AtomicU64, Ordering};

use ir::{Claim, Property};

use crate::diagnostic::Diagnostic;

/// A question about a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// How the user knows it.
    pub name: String,
    /// As the user wrote it.
    pub text: String,
    /// What its claim is about.
    pub about: About,
    /// What it claims.
    pub property: Property,
    /// The model whose terms that is written in, if somebody keeps count of models.
    pub model: Option<ModelId>,
}

/// Tells one model from all others of the same program.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct ModelId(u64);

impl ModelId {
    /// That of a model that nobody has seen before.
    pub fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        ModelId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// What a claim is about.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum About {
    /// This expression over one state.
    Expression(String),
    /// A formula that says little to people; the question is known by its name.
    Formula,
    /// That no place of a net ever has more than one token.
    OneSafety,
}

/// A question as it was read: what it asks, or why nobody can answer it.
pub type Asked = Result<Question, Misread>;

/// A question that cannot be asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misread {
    /// How the user knows it.
    pub name: String,
    /// As the user wrote it.
    pub text: String,
    /// What is wrong with it; places point into the text that the question was read from.
    pub diagnostics: Vec<Diagnostic>,
}

impl Question {
    /// A question whose claim is about an expression.
    pub fn new(
        name: impl Into<String>,
        text: impl Into<String>,
        expression: impl Into<String>,
        claim: Claim,
    ) -> Self {
        let name = name.into();
        let property = Property { name: name.clone(), claim, faults: vec![] };
        let about = About::Expression(expression.into());
        Question { name, text: text.into(), about, property, model: None }
    }
}

/// An expression on one line.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
