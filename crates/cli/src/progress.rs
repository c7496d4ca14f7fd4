//! Progress on stderr: one live line, and only on a terminal.

use std::time::Duration;

use engine::{Observer, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A spinner that shows where a search is; invisible unless stderr is a terminal.
///
/// Copies are the same spinner, which goes when one of them is told to.
#[derive(Clone)]
pub struct Spinner(ProgressBar);

impl Spinner {
    /// A spinner for the search for `what`.
    pub fn new(what: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(
            ProgressStyle::with_template("{spinner} {prefix}: {msg} [{elapsed}]").expect("a fixed template"),
        );
        bar.set_prefix(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Spinner(bar)
    }
    /// Takes the line away, so that other lines can be printed.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}

impl Observer for Spinner {
    fn progress(&mut self, progress: &Progress) {
        self.0.set_message(line(progress));
    }
}

/// How far a list of jobs is, with an estimate of what is left; invisible unless stderr is a terminal.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar for `what`, of which so many jobs of so many are done.
    pub fn new(what: &str, done: usize, all: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(all as u64), ProgressDrawTarget::stderr_with_hz(4));
        let style = "{prefix}: {bar:24} {pos} of {len} [{elapsed}, about {eta} left] {msg}";
        bar.set_style(ProgressStyle::with_template(style).expect("a fixed template"));
        bar.set_prefix(what.to_owned());
        bar.set_position(done as u64);
        bar.reset_eta();
        Bar(bar)
    }
    /// So many more jobs are done, with this result.
    pub fn finished(&self, count: usize, result: &str) {
        self.0.inc(count as u64);
        self.0.set_message(result.to_owned());
    }
    /// So many of so many are done, and somebody says this.
    pub fn at(&self, done: usize, all: usize, said: &str) {
        self.0.set_length(all as u64);
        self.0.set_position(done as u64);
        self.0.set_message(said.to_owned());
    }
    /// Takes the line away.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}

/// Where a search is, as one line.
fn line(progress: &Progress) -> String {
    let Progress { phase, states, expanded, transitions, depth, bytes, .. } = progress;
    if progress.iterations > 0 {
        let Progress { iterations, covered, precision, solver_calls, .. } = progress;
        return format!(
            "{phase}, iteration {iterations}, {states} nodes ({covered} covered), precision {precision}, \
             {solver_calls} solver calls"
        );
    }
    let mut text = format!("{phase}, {states} states");
    if *expanded > 0 {
        text += &format!(" ({expanded} expanded), {transitions} transitions");
    }
    if *depth > 0 {
        text += &format!(", depth {depth}");
    }
    if *bytes > 0 {
        text += &format!(", {} MB", bytes / 1_000_000);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Phase;

    #[test]
    fn every_engine_has_its_line() {
        let states =
            Progress { phase: Phase::Listing, states: 7, expanded: 3, transitions: 9, ..Default::default() };
        assert_eq!(line(&states), "search, 7 states (3 expanded), 9 transitions");
        let nodes = Progress {
            phase: Phase::Exploring,
            states: 12,
            iterations: 3,
            covered: 4,
            precision: 5,
            solver_calls: 60,
            ..Progress::default()
        };
        assert_eq!(
            line(&nodes),
            "exploring abstract states, iteration 3, 12 nodes (4 covered), precision 5, 60 solver calls"
        );
    }
}
