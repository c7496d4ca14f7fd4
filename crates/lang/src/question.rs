//! Questions about a model, whatever its language.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use ir::{Claim, Property, Term};

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
    /// The values that are asked for in the states that it looks for; none where yes or no is the answer.
    pub values: Vec<Measure>,
    /// What somebody has recorded about it.
    pub recorded: Option<Recorded>,
    /// What may not be as intended; places point into the text that the question was read from.
    pub warnings: Vec<Diagnostic>,
    /// The model whose terms that is written in, if somebody keeps count of models.
    pub model: Option<ModelId>,
}

/// Something whose least or greatest value is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measure {
    /// As the user wrote it.
    pub text: String,
    /// Where it is looked at, as the user wrote it; everywhere if they did not.
    pub condition: Option<String>,
    /// What is asked for.
    pub extreme: Extreme,
    /// What it is: the term behind the first condition that holds.
    pub ways: Vec<(Term, Term)>,
    /// Which values it has.
    pub grain: Grain,
}

/// Which values something has whose extremes are asked for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Grain {
    /// Whole numbers.
    Whole,
    /// Those of clocks. They grow with time, and their least and greatest values are whole, attained or not.
    Clock,
    /// The time from one condition to another, which is that of a clock; the text is `p --> q`, and there are no terms.
    Response,
    /// Those of clocks where some stand still or are added up. Their least and greatest values may be fractions.
    Fraction,
}

/// Which value is asked for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Extreme {
    /// The least.
    Least,
    /// The greatest.
    Greatest,
    /// Both.
    Both,
}

/// How a value is compared with a number.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Relation {
    /// It is that or more.
    AtLeast,
    /// It is more.
    MoreThan,
    /// It is that or less.
    AtMost,
    /// It is less.
    LessThan,
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Relation::AtLeast => ">=",
            Relation::MoreThan => ">",
            Relation::AtMost => "<=",
            Relation::LessThan => "<",
        })
    }
}

/// What somebody has recorded about a question in the model: what they expect, or what another program answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// Whether the claim is recorded to be true; `None` if something else is recorded.
    pub holds: Option<bool>,
    /// What is recorded instead, as it is written.
    pub outcome: Option<String>,
    /// A value that is recorded with it.
    pub value: Option<String>,
    /// When, if it is a result.
    pub when: Option<String>,
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
    /// This expression over one state, or this formula over runs; the claim says which.
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
    /// A question whose claim is about an expression or a formula.
    pub fn new(
        name: impl Into<String>,
        text: impl Into<String>,
        expression: impl Into<String>,
        claim: Claim,
    ) -> Self {
        let name = name.into();
        let property = Property { name: name.clone(), claim, faults: vec![], faults_violate: false };
        let about = About::Expression(expression.into());
        Question {
            name,
            text: text.into(),
            about,
            property,
            values: vec![],
            recorded: None,
            warnings: vec![],
            model: None,
        }
    }
}

/// An expression on one line.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
