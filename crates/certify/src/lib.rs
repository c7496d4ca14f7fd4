//! The judge: nothing is a verdict before it has been checked here.
//!
//! Checks use only `ir` and its plain interpreter, against the system as the front-end produced it.

use std::fmt;
use std::sync::atomic::AtomicBool;

use ir::{Certificate, Run, System, Term};

/// What a valid run reaches at its end.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Reached {
    /// The target, in an observed state.
    Target,
    /// A fault of the model.
    Fault(ir::FaultId),
}

/// Why evidence is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// The evidence is wrong; the text says where and how.
    Wrong(String),
    /// The check was interrupted.
    Interrupted,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::Wrong(why) => f.write_str(why),
            Rejection::Interrupted => f.write_str("the check was interrupted"),
        }
    }
}

/// Re-executes `run` step by step and says what it reaches.
pub fn check_run(system: &System, target: Term, run: &Run, stop: &AtomicBool) -> Result<Reached, Rejection> {
    let _ = (system, target, run, stop);
    Err(Rejection::Interrupted)
}

/// Checks that `certificate` excludes the target and every fault.
pub fn check_certificate(
    system: &System,
    target: Term,
    certificate: &Certificate,
    stop: &AtomicBool,
) -> Result<(), Rejection> {
    let _ = (system, target, certificate, stop);
    Err(Rejection::Interrupted)
}
