//! What it costs to start the program.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::shell::root;

const RUNS: usize = 50;

/// A line of the program, and what it is called in the table.
const LINES: [(&str, &[&str]); 2] = [
    ("thetis --version", &["--version"]),
    ("check of a tiny model", &["check", "cases/xsts/init_runs_once.xsts", "-p", "n <= 1"]),
];

/// The medians of both builds for each line, as a table. They take turns, so that a busy moment meets both.
pub fn table(old: &Path, new: &Path) -> Result<String, String> {
    let mut text =
        format!("{:<24}{:>10}{:>10}{:>8}\n", format!("median of {RUNS} runs"), "old ms", "new ms", "ratio");
    for (name, line) in LINES {
        let (mut before, mut after) = (vec![], vec![]);
        for _ in 0..RUNS {
            before.push(time(old, line)?);
            after.push(time(new, line)?);
        }
        let (before, after) = (median(before), median(after));
        text += &format!("{name:<24}{before:>10.2}{after:>10.2}{:>8.2}\n", after / before);
    }
    Ok(text)
}

fn time(program: &Path, line: &[&str]) -> Result<Duration, String> {
    let mut command = Command::new(program);
    command.current_dir(root()).args(line).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    let time = start.elapsed();
    // Whatever the verdict, the model was read.
    if status.code() == Some(2) { Err(format!("{command:?}: {status}")) } else { Ok(time) }
}

/// In milliseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    let half = times.len() / 2;
    let two = times[half] + times[(times.len() - 1) / 2];
    two.as_secs_f64() * 1e3 / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let of = |list: &[u64]| median(list.iter().copied().map(Duration::from_millis).collect());
        assert!((of(&[5, 1, 90]) - 5.0).abs() < 1e-9);
        assert!((of(&[5, 1, 90, 7]) - 6.0).abs() < 1e-9);
    }
}
