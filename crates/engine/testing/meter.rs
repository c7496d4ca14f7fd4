//! What a piece of work costs: seconds of the processor, whoever else uses it.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use engine::{Reason, Stop};

/// How many seconds work may take to stop once it is asked to.
const PATIENCE: f64 = 5.0;

/// Does work in a thread of its own, which is asked to stop after so many seconds of the processor. Without a
/// result, a word for why: it is `deaf` and still runs, or has `panicked`.
pub fn within<T: Send + 'static>(
    limit: f64,
    work: impl FnOnce(&Stop) -> T + Send + 'static,
) -> Result<T, &'static str> {
    let stop = Arc::new(Stop::new());
    let (send, receive) = channel();
    let watched = stop.clone();
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(move || {
        let _ = send.send(work(&watched));
    });
    let Ok(thread) = thread else { return Err("panicked") };
    let mut result = Err(RecvTimeoutError::Timeout);
    let before = spent();
    for until in [limit, PATIENCE + 5.0 * limit] {
        while matches!(result, Err(RecvTimeoutError::Timeout)) && spent() - before < until {
            result = receive.recv_timeout(Duration::from_millis(20));
        }
        // The search may just have ended, and certification takes its own time.
        stop.request(Reason::Time);
    }
    if result.is_ok() {
        // What it has used must be counted in full before the next one begins.
        let _ = thread.join();
    }
    result.map_err(|error| if error == RecvTimeoutError::Timeout { "deaf" } else { "panicked" })
}

/// Seconds of the processor that this thread has used; of the clock where nobody tells.
pub fn processor() -> f64 {
    // The system brings the number up to date when a thread pauses, and else only with its own clock's ticks.
    std::thread::sleep(Duration::from_nanos(1));
    nanoseconds("/proc/thread-self/schedstat")
}

/// The most memory that this process has used, in MB; 0 where nobody tells.
pub fn peak_megabytes() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        line.and_then(|line| line.split_whitespace().next()).and_then(|number| number.parse().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}

/// Seconds of the processor that the threads of this process have used; of the clock where nobody tells.
fn spent() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().filter_map(Result::ok);
    let sum: f64 =
        threads.map(|thread| nanoseconds(&thread.path().join("schedstat").to_string_lossy())).sum();
    if sum > 0.0 { sum } else { nanoseconds("") }
}

/// The first number of a file, as nanoseconds; else what the clock says.
fn nanoseconds(path: &str) -> f64 {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let number: Option<f64> = text.split_whitespace().next().and_then(|number| number.parse().ok());
    number.map_or_else(|| START.elapsed().as_secs_f64(), |number| number * 1e-9)
}
