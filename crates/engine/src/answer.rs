//! What an engine says.

use std::fmt;

use ir::{Certificate, Run};

use crate::cause::{Contradiction, InternalError, NoProgress, Outgrown, SolverFailure, Unsupported};
use crate::choice::ConfigError;

/// The answer to a question.
#[derive(Debug)]
pub enum Answer {
    /// This run is what was searched for, or leads to a fault.
    Found(Run),
    /// Neither what was searched for nor a fault exists.
    Excluded(Certificate),
    /// Not decided.
    Unknown(Reason),
}

/// Why a search ended without an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The time is up.
    Time,
    /// The memory is used up.
    Memory,
    /// So many states were stored, and more are not allowed.
    States(u64),
    /// So many successors were computed, and more are not allowed.
    Steps(u64),
    /// So many questions were put to solvers, and more are not allowed.
    Calls(u64),
    /// One question to a solver was more work than is allowed.
    Work,
    /// So many configurations were tried, and none would get further with more.
    Exhausted(usize),
    /// Somebody asked to stop.
    Interrupted,
    /// Another configuration has answered.
    Overtaken,
    /// Nothing was found within the bound that was given, in steps.
    Bound(u32),
    /// Refining further would lead nowhere.
    NoProgress(NoProgress),
    /// The solver failed.
    Solver(SolverFailure),
    /// The engine cannot handle something of the model, the question or the configuration.
    Unsupported(Unsupported),
    /// A number outgrows what the engine computes with.
    Outgrown(Outgrown),
    /// Thetis itself is wrong.
    Internal(InternalError),
}

/// The codes of all reasons and causes.
pub fn codes() -> impl Iterator<Item = &'static str> {
    let causes = [
        Reason::CODES,
        NoProgress::CODES,
        SolverFailure::CODES,
        Unsupported::CODES,
        Outgrown::CODES,
        InternalError::CODES,
        ConfigError::CODES,
    ];
    causes.into_iter().flatten().copied()
}

impl Reason {
    /// The codes of the reasons that have no cause of their own; those of causes are listed there.
    pub const CODES: &'static [&'static str] = &[
        "time-limit",
        "memory-limit",
        "state-limit",
        "step-limit",
        "solver-call-limit",
        "solver-work-limit",
        "exhausted",
        "interrupted",
        "overtaken",
        "bound",
    ];
    /// The stable code of the reason, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Reason::Time => "time-limit",
            Reason::Memory => "memory-limit",
            Reason::States(_) => "state-limit",
            Reason::Steps(_) => "step-limit",
            Reason::Calls(_) => "solver-call-limit",
            Reason::Work => "solver-work-limit",
            Reason::Exhausted(_) => "exhausted",
            Reason::Interrupted => "interrupted",
            Reason::Overtaken => "overtaken",
            Reason::Bound(_) => "bound",
            Reason::NoProgress(cause) => cause.code(),
            Reason::Solver(cause) => cause.code(),
            Reason::Unsupported(cause) => cause.code(),
            Reason::Outgrown(cause) => cause.code(),
            Reason::Internal(cause) => cause.code(),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Time => f.write_str("time limit reached"),
            Reason::Memory => f.write_str("memory limit reached"),
            Reason::States(limit) => write!(f, "state limit of {limit} reached"),
            Reason::Steps(limit) => write!(f, "limit of {limit} successors reached"),
            Reason::Calls(limit) => write!(f, "limit of {limit} solver calls reached"),
            Reason::Work => f.write_str("a question to the solver was too much work"),
            Reason::Exhausted(count) => write!(f, "none of {count} configurations decides it"),
            Reason::Overtaken => f.write_str("another configuration has answered"),
            Reason::Interrupted => f.write_str("interrupted"),
            Reason::Bound(1) => f.write_str("bound of 1 step reached"),
            Reason::Bound(steps) => write!(f, "bound of {steps} steps reached"),
            Reason::NoProgress(cause) => write!(f, "no progress: {cause}"),
            Reason::Solver(cause) => write!(f, "solver: {cause}"),
            Reason::Unsupported(cause) => write!(f, "unsupported: {cause}"),
            Reason::Outgrown(cause) => cause.fmt(f),
            Reason::Internal(cause) => write!(f, "internal error: {cause}"),
        }
    }
}

macro_rules! reasons {
    ($($cause:ident => $reason:ident),+ $(,)?) => {
        $(impl From<$cause> for Reason {
            fn from(cause: $cause) -> Self {
                Reason::$reason(cause)
            }
        })+
    };
}

reasons! {
    NoProgress => NoProgress,
    SolverFailure => Solver,
    Unsupported => Unsupported,
    Outgrown => Outgrown,
    InternalError => Internal,
}

impl From<Contradiction> for Reason {
    fn from(cause: Contradiction) -> Self {
        Reason::Solver(SolverFailure::Contradiction(cause))
    }
}
