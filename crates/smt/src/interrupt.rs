//! Early ends of solver work, and how another thread causes one.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use z3_lib::LoadError;

/// Why there is no answer. Never a wrong answer instead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Interrupt {
    /// Another thread asked to stop.
    Stopped,
    /// The time limit is reached.
    Time,
    /// The memory limit is reached.
    Memory,
    /// The limit of work for one call is reached.
    Budget,
    /// The solver gave up, for this reason.
    Unknown(String),
    /// The solver has no way to express this.
    Unsupported(String),
    /// The library that solves could not be loaded.
    Library(LoadError),
    /// The solver could not be used, or did not behave as a solver.
    Broken {
        /// The library or the command.
        solver: String,
        /// What went wrong.
        problem: String,
        /// The last lines it wrote.
        output: String,
    },
}

ir::codes! {
    Interrupt {
        Interrupt::Stopped => "interrupted",
        Interrupt::Time => "time-limit",
        Interrupt::Memory => "memory-limit",
        Interrupt::Budget => "solver-work-limit",
        Interrupt::Unknown(_) => "solver.gave-up",
        Interrupt::Unsupported(_) => "solver.unsupported",
        Interrupt::Library(_) => "solver.missing",
        Interrupt::Broken { .. } => "solver.broken",
    }
}

impl Interrupt {
    /// Whether everything should end, rather than something else be tried.
    pub fn is_final(&self) -> bool {
        matches!(self, Interrupt::Stopped | Interrupt::Time | Interrupt::Memory)
    }
}

impl fmt::Display for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Interrupt::Stopped => f.write_str("stopped"),
            Interrupt::Time => f.write_str("out of time"),
            Interrupt::Memory => f.write_str("out of memory"),
            Interrupt::Budget => f.write_str("out of budget"),
            Interrupt::Unknown(reason) => write!(f, "the solver gave up: {reason}"),
            Interrupt::Unsupported(what) => write!(f, "the solver does not support {what}"),
            Interrupt::Library(error) => write!(f, "Z3: {error}"),
            Interrupt::Broken { solver, problem, output } => {
                write!(f, "{solver}: {problem}")?;
                if !output.is_empty() {
                    write!(f, "; its last lines were:\n{output}")?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for Interrupt {}

/// Stops a solver from any thread. Every further question fails too, until the solver's limits are
/// set again.
#[derive(Clone)]
pub struct Interrupter {
    flag: Arc<AtomicBool>,
    act: Arc<dyn Fn() + Send + Sync>,
}

impl Interrupter {
    /// An interrupter that sets `flag` and then calls `act`.
    pub(crate) fn new(flag: Arc<AtomicBool>, act: impl Fn() + Send + Sync + 'static) -> Self {
        Interrupter { flag, act: Arc::new(act) }
    }
    /// Stops the solver.
    pub fn interrupt(&self) {
        self.flag.store(true, Ordering::SeqCst);
        (self.act)();
    }
}
