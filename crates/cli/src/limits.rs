//! Limits and interruption: time, memory, Ctrl-C.
//!
//! A watcher thread asks the search to stop. A search that does not listen within [`GRACE`] is ended
//! all the same: whoever started the watch says what is printed then.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use engine::{Reason, Stop};

use crate::exit::{Exit, Failure, leave};
use crate::words::Told;

/// How much a command may use.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Wall time.
    pub timeout: Option<Duration>,
    /// Resident bytes of the whole program.
    pub memory: Option<u64>,
}

impl Limits {
    /// Why something stopped, with the limit that was reached.
    pub fn explain(&self, reason: &Reason) -> String {
        match (reason, self.timeout, self.memory) {
            (Reason::Time, Some(limit), _) => format!("time limit of {} reached", shown_duration(limit)),
            (Reason::Memory, _, Some(limit)) => format!("memory limit of {} reached", shown_size(limit)),
            _ => reason.to_string(),
        }
    }
}

fn shown_duration(limit: Duration) -> String {
    match limit.as_millis() {
        millis if millis % 3_600_000 == 0 && millis > 0 => format!("{}h", millis / 3_600_000),
        millis if millis % 60_000 == 0 && millis > 0 => format!("{}m", millis / 60_000),
        millis if millis % 1000 == 0 => format!("{}s", millis / 1000),
        millis => format!("{millis}ms"),
    }
}

fn shown_size(limit: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1_000_000, "MB"), (1000, "kB")];
    let unit = units.into_iter().find(|(scale, _)| limit >= *scale && limit.is_multiple_of(*scale));
    unit.map_or_else(|| format!("{limit} bytes"), |(scale, name)| format!("{}{name}", limit / scale))
}

/// How long a search may take to notice that it is to stop.
pub const GRACE: Duration = Duration::from_millis(700);

const POLL: Duration = Duration::from_millis(10);

/// Ends when it is dropped.
pub struct Watch(Arc<AtomicBool>);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Watches the limits and Ctrl-C, and requests `stop`; calls `overrun` if nobody reacts.
pub fn watch(
    limits: Limits,
    stop: Arc<Stop>,
    overrun: impl FnOnce(Reason) + Send + 'static,
) -> Result<Watch, Failure> {
    if limits.memory.is_some() && resident().is_none() {
        let message = "--memory-limit cannot be enforced on this system, which does not tell how much memory a \
                       program uses; leave it out, or use --state-limit";
        return Err(Failure::Input(message.to_owned()));
    }
    listen(stop.clone());
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
    thread.map_err(|error| {
        Failure::Internal(Told::new("internal", format!("no thread for the limits: {error}")))
    })?;
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

/// The first Ctrl-C asks, another one ends the program. Whoever signals a process and then its group means one
/// thing, so what comes within a moment of the first is the same.
fn listen(stop: Arc<Stop>) {
    const MOMENT: Duration = Duration::from_secs(1);
    let first: OnceLock<Instant> = OnceLock::new();
    // A program that cannot listen still ends by Ctrl-C, only without its partial result.
    let _ = ctrlc::set_handler(move || {
        if first.get_or_init(Instant::now).elapsed() >= MOMENT {
            leave(Exit::Unknown);
        }
        stop.request(Reason::Interrupted);
    });
}

/// Bytes of memory the program has in use, where the system tells.
pub(crate) fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim_end().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Reads `500ms`, `60s`, `2m`, `1h`; a number alone is seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    if is_negative(text) {
        return Err("a time is not negative; write for example 500ms, 60s, 2m or 1h".to_owned());
    }
    let (number, unit) = split(text);
    let scale = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("`{unit}` is no unit of time; write for example 500ms, 60s, 2m or 1h")),
    };
    let number: f64 = number.parse().map_err(|_| "write for example 500ms, 60s, 2m or 1h".to_owned())?;
    Duration::try_from_secs_f64(number * scale).map_err(|_| format!("`{text}` is too long"))
}

/// Reads `500MB`, `4GB`, `2GiB`; a number alone is bytes, and must then be a plausible number of them.
pub fn size(text: &str) -> Result<u64, String> {
    if is_negative(text) {
        return Err("a size is not negative; write for example 500MB or 4GB".to_owned());
    }
    let (number, unit) = split(text);
    let scale: f64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(format!("`{unit}` is no unit of memory; write for example 500MB or 4GB")),
    };
    let number: f64 = number.parse().map_err(|_| "write for example 500MB or 4GB".to_owned())?;
    if unit.is_empty() && number < 1e6 {
        return Err(format!("{text} bytes is too little for anything; write a unit, for example {text}GB"));
    }
    Ok((number * scale) as u64)
}

fn is_negative(text: &str) -> bool {
    text.trim()
        .strip_prefix('-')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..at], text[at..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("60"), Ok(Duration::from_secs(60)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        for bad in ["", "s", "1x", "-1s", "1e99h"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("4GB"), Ok(4_000_000_000));
        assert_eq!(size("1 MiB"), Ok(1 << 20));
        assert_eq!(size("12000000"), Ok(12_000_000));
        assert_eq!(size("12 b"), Ok(12));
        assert!(size("4 apples").is_err());
        assert_eq!(
            size("5"),
            Err("5 bytes is too little for anything; write a unit, for example 5GB".into())
        );
    }

    #[test]
    fn limits_are_named_as_they_are_written() {
        let shown = |text: &str| shown_duration(duration(text).unwrap());
        assert_eq!(["2s", "300ms", "2m", "1h", "90"].map(shown), ["2s", "300ms", "2m", "1h", "90s"]);
        let shown = |text: &str| shown_size(size(text).unwrap());
        assert_eq!(["60MB", "4GB", "2GiB", "7b"].map(shown), ["60MB", "4GB", "2GiB", "7 bytes"]);
    }
}
