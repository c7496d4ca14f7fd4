//! A thread that acts at a point in time, unless told otherwise before.
//!
//! One sleeping thread per limit costs nothing per check, unlike a timer that is set for each.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

/// Acts at its deadline; dropping it before prevents that.
pub struct Watchdog {
    /// `None` only while being dropped.
    calm: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    pub fn new(deadline: Instant, act: impl FnOnce() + Send + 'static) -> Self {
        let (calm, calmed) = channel::<()>();
        let thread = std::thread::spawn(move || {
            let left = deadline.saturating_duration_since(Instant::now());
            if calmed.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                act();
            }
        });
        Watchdog { calm: Some(calm), thread: Some(thread) }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.calm = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
