//! Posing: from questions to the problem that engines and the judge are given.
//!
//! A question may look at a part of the runs only: at stable states, at the first so many units of time, or at those that
//! never get stuck. That changes the system it is about. [`pose`] is the one place that does so; whoever checks, validates, replays or
//! simulates poses the question first, and all evidence is about the posed system. A posed system has the processes,
//! edges and variables of the model, and perhaps one more clock behind them, so that the view of the model is
//! also one of it.

use std::fmt;

use ir::within::{self, WithinError};
use ir::{Claim, Property, Stuck, System};
use lang::Question;
use serde::{Deserialize, Serialize};

use crate::load::Model;

/// Which part of the runs questions look at.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Scope {
    /// Which states.
    pub check_states: CheckStates,
    /// How much time since the start, in the units of clocks; `None` for all.
    pub within: Option<u64>,
    /// What becomes of runs that get stuck, for questions about whole runs; `None` for what the language says.
    pub stuck: Option<Stuck>,
}

/// What becomes of runs that get stuck, as files and options call it; see [`Stuck`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StuckRuns {
    /// They do not count.
    Ignore,
    /// They repeat their last state for ever.
    Repeat,
}

impl From<Stuck> for StuckRuns {
    fn from(stuck: Stuck) -> Self {
        match stuck {
            Stuck::Ignored => StuckRuns::Ignore,
            Stuck::Repeat => StuckRuns::Repeat,
        }
    }
}

impl From<StuckRuns> for Stuck {
    fn from(stuck: StuckRuns) -> Self {
        match stuck {
            StuckRuns::Ignore => Stuck::Ignored,
            StuckRuns::Repeat => Stuck::Repeat,
        }
    }
}

impl Scope {
    /// What becomes of stuck runs, if that was chosen and a claim is about whole runs.
    pub fn stuck_runs(self, claim: Claim) -> Option<StuckRuns> {
        self.stuck.filter(|_| matches!(claim, Claim::Every(_))).map(StuckRuns::from)
    }
}

/// The states a question looks at.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStates {
    /// Every state.
    #[default]
    All,
    /// Only those where a step of the user's has ended: in an XSTS, after `init` and after `trans`.
    Stable,
}

/// Questions about a system.
#[derive(Clone, Debug)]
pub struct Posed {
    /// The system that they are about, and all evidence with them.
    pub system: System,
    /// What they claim of it, in order.
    pub properties: Vec<Property>,
}

/// Why a question cannot be posed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CannotPose {
    /// It is about the first so many units of time, and not so for this reason.
    Within(u64, WithinError),
    /// It was asked of another model than this one: the names in it mean something else there.
    OtherModel {
        /// How the user knows the question.
        question: String,
        /// The model that it was to be about.
        model: String,
    },
}

ir::codes! {
    CannotPose {
        CannotPose::Within(..) => "question.within",
        CannotPose::OtherModel { .. } => "question.model",
    }
}

impl fmt::Display for CannotPose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CannotPose::Within(most, why) => {
                write!(f, "the question cannot be asked about {} only: {why}", first_units(*most))
            }
            CannotPose::OtherModel { question, model } => {
                write!(f, "`{question}` was asked of another model than `{model}`; ask this one")
            }
        }
    }
}

impl std::error::Error for CannotPose {}

/// Poses questions about a model.
///
/// # Errors
/// If they cannot be asked about that part of its runs.
pub fn pose(model: &Model, questions: &[&Question], scope: Scope) -> Result<Posed, CannotPose> {
    if let Some(foreign) = questions.iter().find(|question| !model.is_asked(question)) {
        let (question, model) = (foreign.name.clone(), model.name().to_owned());
        return Err(CannotPose::OtherModel { question, model });
    }
    let mut system = model.lowered.system.clone();
    let mut properties: Vec<Property> = questions.iter().map(|question| question.property.clone()).collect();
    if let Some(most) = scope.within {
        within::limit(&mut system, &mut properties, most).map_err(|why| CannotPose::Within(most, why))?;
    }
    if scope.check_states == CheckStates::Stable {
        system.observe_stable();
    }
    system.stuck = scope.stuck.unwrap_or(system.stuck);
    Ok(Posed { system, properties })
}

/// The first so many units of time, in words.
pub fn first_units(most: u64) -> String {
    match most {
        1 => "the first time unit".to_owned(),
        _ => format!("the first {most} time units"),
    }
}
