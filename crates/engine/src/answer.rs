//! What an engine says.

use std::fmt;

use ir::{Certificate, Run};

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
    /// The abstraction is as fine as it gets and still shows a trace that cannot be executed; the text
    /// says what to try.
    NoProgress(String),
    /// Nothing was found within the bound that was given, in steps.
    Bound(u32),
    /// The solver failed; the text says how.
    Solver(String),
    /// There was an answer, but whether its evidence is right could not be decided; the text says why.
    Uncertified(String),
    /// The model uses something this engine cannot handle; the text names it and says what to do.
    Unsupported(String),
    /// A number outgrows what the engine computes with; the text says which.
    Outgrown(String),
    /// Thetis itself is wrong; the text says what could not be.
    Internal(String),
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
            Reason::NoProgress(hint) => write!(f, "no progress: {hint}"),
            Reason::Bound(1) => f.write_str("bound of 1 step reached"),
            Reason::Bound(steps) => write!(f, "bound of {steps} steps reached"),
            Reason::Solver(why) => write!(f, "solver: {why}"),
            Reason::Uncertified(why) => write!(f, "not certified: {why}"),
            Reason::Unsupported(what) => write!(f, "unsupported: {what}"),
            Reason::Outgrown(what) => f.write_str(what),
            Reason::Internal(what) => write!(f, "internal error: {what}"),
        }
    }
}
