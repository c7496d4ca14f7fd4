//! Limits: how much time and memory a search may use.
//!
//! A thread watches them and asks the search to stop. A search that does not listen within [`GRACE`] is given up:
//! whoever started the watch says what happens then.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use engine::{Reason, Stop};

/// How much a search may use.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Wall time.
    pub timeout: Option<Duration>,
    /// Resident bytes of the whole program.
    pub memory: Option<u64>,
}

/// Why limits cannot be watched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CannotWatch {
    /// The system does not tell how much memory a program uses.
    Memory,
    /// There is no thread for it, for this reason of the system's.
    Thread(String),
}

ir::codes! {
    CannotWatch {
        CannotWatch::Memory => "limits.memory",
        CannotWatch::Thread(_) => "limits.thread",
    }
}

impl fmt::Display for CannotWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CannotWatch::Memory => f.write_str(
                "a limit of memory cannot be kept: this system does not tell how much a program uses",
            ),
            CannotWatch::Thread(why) => write!(f, "no thread for the limits: {why}"),
        }
    }
}

impl std::error::Error for CannotWatch {}

/// How long a search may take to notice that it is to stop.
pub const GRACE: Duration = Duration::from_millis(700);

const POLL: Duration = Duration::from_millis(10);

/// Somebody who watches, until this is dropped.
#[derive(Debug)]
pub struct Watch(Arc<AtomicBool>);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Watches the limits and requests `stop`, as others may do; calls `overrun` if nobody reacts.
///
/// # Errors
/// If they cannot be watched.
pub fn watch(
    limits: Limits,
    stop: Arc<Stop>,
    overrun: impl FnOnce(Reason) + Send + 'static,
) -> Result<Watch, CannotWatch> {
    if limits.memory.is_some() && resident().is_none() {
        return Err(CannotWatch::Memory);
    }
    let over = Arc::new(AtomicBool::new(false));
    let watch = Watch(over.clone());
    let start = Instant::now();
    let look = move || {
        let mut asked = None;
        while !over.load(Ordering::Acquire) {
            let late = limits.timeout.is_some_and(|limit| start.elapsed() >= limit);
            let large = || limits.memory.is_some_and(|limit| resident().is_some_and(|used| used > limit));
            let reason = if late { Some(Reason::Time) } else { large().then_some(Reason::Memory) };
            match (&asked, reason) {
                (Some((since, reason)), _) if Instant::elapsed(since) >= GRACE => {
                    overrun(Reason::clone(reason));
                    return;
                }
                (Some(_), _) => {}
                (None, Some(reason)) => {
                    asked = Some((Instant::now(), reason.clone()));
                    ask(stop.clone(), reason);
                }
                (None, None) if stop.requested() => asked = Some((Instant::now(), stop.reason())),
                (None, None) => {}
            }
            std::thread::sleep(POLL);
        }
    };
    let thread = std::thread::Builder::new().name("limits".to_owned()).spawn(look);
    thread.map_err(|error| CannotWatch::Thread(error.to_string()))?;
    Ok(watch)
}

/// Asks from a thread of its own: a solver that computes with huge numbers may keep whoever interrupts it
/// waiting.
fn ask(stop: Arc<Stop>, reason: Reason) {
    let request = move || stop.request(reason);
    // Without a thread, waiting is better than not asking.
    if std::thread::Builder::new().spawn(request.clone()).is_err() {
        request();
    }
}

/// Bytes of memory the program has in use, where the system tells.
pub fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim_end().parse().ok()?;
    Some(kilobytes * 1024)
}
