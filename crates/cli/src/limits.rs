//! Limits and interruption, as they are written and told: time, memory, Ctrl-C.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use engine::{Reason, Stop};
use thetis::limits::{self, CannotWatch, Limits, Watch};

use crate::console::Console;
use crate::exit::{Exit, Failure, leave};
use crate::words::{self, Told};

/// Why something stopped, with the limit that was reached.
pub fn explain(limits: &Limits, reason: &Reason) -> String {
    match (reason, limits.timeout, limits.memory) {
        (Reason::Time, Some(limit), _) => format!("time limit of {} reached", shown_duration(limit)),
        (Reason::Memory, _, Some(limit)) => format!("memory limit of {} reached", shown_size(limit)),
        _ => reason.to_string(),
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

/// Watches the limits and Ctrl-C, and requests `stop`; calls `overrun` if nobody reacts.
pub fn watch(
    given: Limits,
    stop: Arc<Stop>,
    overrun: impl FnOnce(Reason) + Send + 'static,
) -> Result<Watch, Failure> {
    listen(stop.clone());
    limits::watch(given, stop, overrun).map_err(|why| match why {
        CannotWatch::Memory => Failure::Refused(Told::new(
            why.code(),
            "--memory-limit cannot be enforced on this system, which does not tell how much memory a program uses; \
             leave it out, or use --state-limit",
        )),
        CannotWatch::Thread(_) => Failure::Internal(Told::new(why.code(), why.to_string())),
    })
}

/// Watches the limits of a command that has nothing to show for it when they are reached, and Ctrl-C.
pub fn give_up(given: Limits, stop: &Arc<Stop>, console: &Console) -> Result<Watch, Failure> {
    let late = console.clone();
    watch(given, stop.clone(), move |reason| {
        late.line(Failure::Unknown(words::reason(&reason, &given)));
        leave(late.finish(Exit::Unknown));
    })
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
