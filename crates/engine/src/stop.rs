//! A request to stop, from a limit or a person, shared between threads.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::answer::Reason;

/// Whether to stop, and why; the first reason given stays.
#[derive(Debug, Default)]
pub struct Stop {
    flag: AtomicBool,
    reason: OnceLock<Reason>,
}

impl Stop {
    /// No request yet.
    pub fn new() -> Self {
        Self::default()
    }
    /// Asks everybody who looks to stop.
    pub fn request(&self, reason: Reason) {
        let _ = self.reason.set(reason);
        self.flag.store(true, Ordering::Release);
    }
    /// Whether somebody asked.
    pub fn requested(&self) -> bool {
        self.flag.load(Ordering::Acquire)
    }
    /// The flag itself, for loops that only look.
    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }
    /// Why; `Interrupted` if nobody said.
    pub fn reason(&self) -> Reason {
        self.reason.get().cloned().unwrap_or(Reason::Interrupted)
    }
}
