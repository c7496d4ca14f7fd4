//! A thread that passes a request to stop on to a solver, and ends with the check.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::Duration;

use smt::Interrupter;

/// How often the flag is looked at.
const PERIOD: Duration = Duration::from_millis(50);

/// Looks at a flag for a solver that cannot.
pub struct Watch<'a> {
    stop: &'a AtomicBool,
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    solver: Option<Interrupter>,
    over: bool,
}

impl<'a> Watch<'a> {
    /// A watch over `stop` that is not running.
    pub fn new(stop: &'a AtomicBool) -> Self {
        Watch { stop, state: Mutex::default(), wake: Condvar::new() }
    }
    /// Whether somebody asked to stop.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
    /// Names the solver to be stopped.
    pub fn solver(&self, solver: Interrupter) {
        self.state().solver = Some(solver);
    }
    /// Starts the thread, which ends when the result is dropped.
    pub fn start<'scope, 'env>(&'env self, scope: &'scope Scope<'scope, 'env>) -> End<'env, 'a> {
        scope.spawn(|| {
            let mut state = self.state();
            while !state.over {
                if self.stopped()
                    && let Some(solver) = &state.solver
                {
                    // Again and again: there may be another solver by now.
                    solver.interrupt();
                }
                state = self.wake.wait_timeout(state, PERIOD).unwrap_or_else(PoisonError::into_inner).0;
            }
        });
        End(self)
    }
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the thread of a watch when dropped.
pub struct End<'env, 'a>(&'env Watch<'a>);

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        self.0.state().over = true;
        self.0.wake.notify_all();
    }
}
