//! A request to stop, from a limit or a person, shared between threads; and an allowance of work, where searches take
//! turns.
//!
//! Work is counted in units of roughly a nanosecond, by constants that were measured once and never by a clock, so that
//! the same search is interrupted at the same place on any machine.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::answer::Reason;

/// What a choice point of the machine that runs updates costs, clocks aside.
pub(crate) const TICK: u64 = 5;
/// What a successor costs that has to be found, stored and looked up.
pub(crate) const SUCCESSOR: u64 = 300;
/// What a node of an abstract reachability graph costs, questions to solvers aside.
pub(crate) const ABSTRACT_NODE: u64 = 5_000;
/// What a question to a solver costs, most of which are small.
pub(crate) const CALL: u64 = 100_000;

/// What going through a zone of so many clocks costs, plus one.
pub(crate) fn zone_work(dim: usize) -> u64 {
    let dim = dim as u64;
    dim * dim / 2
}

/// Whether to stop, and why; the first reason given stays.
#[derive(Default)]
pub struct Stop {
    flag: AtomicBool,
    reason: OnceLock<Reason>,
    listeners: Mutex<Vec<(u64, Listener)>>,
    allowance: Option<Allowance>,
}

/// How much work may be done before somebody else has a turn.
#[derive(Default)]
struct Allowance {
    spent: AtomicU64,
    granted: AtomicU64,
    /// Whether whoever works waits for more.
    waits: Mutex<bool>,
    changed: Condvar,
    /// Called before waiting.
    paused: Option<Box<dyn Fn() + Send + Sync>>,
}

type Listener = Box<dyn Fn() + Send>;

impl Stop {
    /// No request yet.
    pub fn new() -> Self {
        Self::default()
    }
    /// No request yet, and no work allowed before [`Stop::grant`]; `paused` is called whenever what was granted is used up.
    pub(crate) fn with_turns(paused: impl Fn() + Send + Sync + 'static) -> Self {
        let allowance = Allowance { paused: Some(Box::new(paused)), ..Allowance::default() };
        Stop { allowance: Some(allowance), ..Stop::default() }
    }
    /// Allows so much work in all; whoever waits for that goes on.
    pub(crate) fn grant(&self, work: u64) {
        let Some(allowance) = &self.allowance else { return };
        allowance.granted.store(work, Ordering::Release);
        *allowance.waits() = false;
        allowance.changed.notify_all();
    }
    /// Notes work that was done; returns when more is granted, at once if it is or turns are not taken.
    #[inline]
    pub(crate) fn spend(&self, work: u64) {
        if let Some(allowance) = &self.allowance {
            // Only whoever works adds to it.
            let spent = allowance.spent.load(Ordering::Relaxed).saturating_add(work);
            allowance.spent.store(spent, Ordering::Relaxed);
            if spent > allowance.granted.load(Ordering::Acquire) {
                self.wait(allowance, spent);
            }
        }
    }
    #[cold]
    fn wait(&self, allowance: &Allowance, spent: u64) {
        let mut waits = allowance.waits();
        while spent > allowance.granted.load(Ordering::Acquire) && !self.requested() {
            *waits = true;
            if let Some(paused) = &allowance.paused {
                paused();
            }
            while *waits {
                waits = allowance.changed.wait(waits).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
    /// Asks everybody who looks to stop.
    pub fn request(&self, reason: Reason) {
        let _ = self.reason.set(reason);
        self.flag.store(true, Ordering::Release);
        if let Some(allowance) = &self.allowance {
            *allowance.waits() = false;
            allowance.changed.notify_all();
        }
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
    fn listeners(&self) -> MutexGuard<'_, Vec<(u64, Listener)>> {
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

impl Allowance {
    fn waits(&self) -> MutexGuard<'_, bool> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
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
