//! Progress on stderr: one live line, and only on a terminal.

use std::time::Duration;

use engine::{Observer, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A spinner that shows where a search is; invisible unless stderr is a terminal.
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
    /// Says what is being done now.
    pub fn phase(&self, what: &'static str) {
        self.0.set_message(what);
    }
}

impl Observer for Spinner {
    fn progress(&mut self, progress: &Progress) {
        let Progress { phase, states, expanded, transitions, depth, bytes } = progress;
        let megabytes = bytes / 1_000_000;
        self.0.set_message(format!(
            "{phase}, {states} states ({expanded} expanded), {transitions} transitions, depth {depth}, {megabytes} MB"
        ));
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
