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
        let Progress { phase, states, expanded, transitions, depth, bytes, .. } = progress;
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
        self.0.set_message(text);
    }
}
