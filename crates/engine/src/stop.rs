//! A request to stop, from a limit or a person, shared between threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::answer::Reason;

/// Whether to stop, and why; the first reason given stays.
#[derive(Default)]
pub struct Stop {
    flag: AtomicBool,
    reason: OnceLock<Reason>,
    listeners: Mutex<Vec<(u64, Listener)>>,
}

type Listener = Box<dyn Fn() + Send>;

impl Stop {
    /// No request yet.
    pub fn new() -> Self {
        Self::default()
    }
    /// Asks everybody who looks to stop.
    pub fn request(&self, reason: Reason) {
        let _ = self.reason.set(reason);
        self.flag.store(true, Ordering::Release);
        self.listeners().iter().for_each(|(_, act)| act());
    }
    /// Calls `act` when somebody asks to stop, at once if somebody has, for as long as the result lives.
    /// For work that cannot look at the flag.
    pub fn listen(&self, act: impl Fn() + Send + 'static) -> Listening<'_> {
        let mut listeners = self.listeners();
        let number = listeners.last().map_or(0, |(last, _)| last + 1);
        if self.requested() {
            act();
        }
        listeners.push((number, Box::new(act)));
        Listening { stop: self, number }
    }
    fn listeners(&self) -> std::sync::MutexGuard<'_, Vec<(u64, Listener)>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
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

/// Somebody who is told when to stop, until this is dropped.
pub struct Listening<'a> {
    stop: &'a Stop,
    number: u64,
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        self.stop.listeners().retain(|(number, _)| *number != self.number);
    }
}
