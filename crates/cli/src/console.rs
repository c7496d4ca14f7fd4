//! Where output goes: verdicts and results to stdout, everything else to stderr.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

/// The two streams of the program, and whether they may be coloured.
///
/// A reader that goes away (`thetis check … | head -1`) is no error: what it no longer wants is
/// dropped, and the exit code stays the one of the verdict.
#[derive(Copy, Clone, Debug)]
pub struct Console {
    /// Whether diagnostics are coloured.
    pub colour: bool,
}

impl Console {
    /// Coloured if stderr is a terminal and `NO_COLOR` is not set.
    pub fn new() -> Self {
        Console { colour: io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() }
    }
    /// A line, or several, for stdout.
    pub fn line(&self, text: impl Display) {
        let mut out = io::stdout().lock();
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    }
    /// Text for stdout that ends its own lines.
    pub fn print(&self, text: impl Display) {
        let mut out = io::stdout().lock();
        let _ = write!(out, "{text}").and_then(|()| out.flush());
    }
    /// A value for stdout as JSON.
    pub fn json(&self, value: &impl serde::Serialize) {
        let mut out = io::BufWriter::new(io::stdout().lock());
        let _ = serde_json::to_writer_pretty(&mut out, value);
        let _ = writeln!(out).and_then(|()| out.flush());
    }
    /// A line, or several, for stderr.
    pub fn note(&self, text: impl Display) {
        let _ = writeln!(io::stderr().lock(), "{text}");
    }
}

impl Default for Console {
    fn default() -> Self {
        Self::new()
    }
}
