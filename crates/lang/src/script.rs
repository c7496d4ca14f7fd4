//! Scripts: runs that somebody has written down, to be executed and compared.
//!
//! A script says for each step what comes in and how much time passes, and what holds then. What it leaves open, the
//! model may decide in any way; a script fits a model if some run does what it says.

use ir::{Rat, Span, Term, Value, VarId};
use rustc_hash::FxHashMap;

use crate::diagnostic::Diagnostic;

/// A run that is prescribed.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// What it is called.
    pub name: String,
    /// Its steps.
    pub steps: Vec<ScriptStep>,
    /// The number of steps before those that repeat for ever, if there are such ones.
    pub cycle: Option<usize>,
    /// Whether it is meant not to fit.
    pub negative: bool,
    /// Holds in all states that a step may lead to.
    pub going: Option<Term>,
    /// What it says that has no influence.
    pub warnings: Vec<Diagnostic>,
}

/// A step of a script.
#[derive(Clone, Debug)]
pub struct ScriptStep {
    /// The steps of the model that it consists of, in order; usually one.
    pub moves: Vec<Given>,
    /// What holds after it, and where that is written.
    pub claims: Vec<(Term, Span)>,
    /// Its place.
    pub span: Span,
}

/// What is said about one step of a model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Given {
    /// The values that variables have after the step, and that are chosen for them in it.
    pub values: FxHashMap<VarId, Value>,
    /// How much time passes, where the model leaves that open; none if nothing is said.
    pub delay: Option<Rat>,
}
