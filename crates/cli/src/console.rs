//! Where output goes: verdicts and results to stdout, everything else to stderr.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, OnceLock};

use crate::exit::Exit;

/// The two streams of the program, and whether they may be coloured.
///
/// A reader that goes away (`thetis check … | head -1`) is no error: what it no longer wants is
/// dropped, and the exit code stays the one of the verdict. Any other failure to write to stdout is
/// kept, see [`Console::finish`].
#[derive(Clone, Debug, Default)]
pub struct Console {
    /// Whether diagnostics are coloured.
    pub colour: bool,
    failure: Arc<OnceLock<String>>,
}

impl Console {
    /// Coloured if stderr is a terminal and `NO_COLOR` is not set.
    pub fn new() -> Self {
        let colour = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Console { colour, ..Console::default() }
    }
    /// A line, or several, for stdout.
    pub fn line(&self, text: impl Display) {
        let mut out = io::stdout().lock();
        self.keep(writeln!(out, "{text}").and_then(|()| out.flush()));
    }
    /// Text for stdout that ends its own lines.
    pub fn print(&self, text: impl Display) {
        let mut out = io::stdout().lock();
        self.keep(write!(out, "{text}").and_then(|()| out.flush()));
    }
    /// A value for stdout as JSON.
    pub fn json(&self, value: &impl serde::Serialize) {
        let mut out = io::BufWriter::new(io::stdout().lock());
        let written = serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from);
        self.keep(written.and_then(|()| writeln!(out)).and_then(|()| out.flush()));
    }
    /// How the program ends: with `exit`, unless something could not be written to stdout.
    pub fn finish(&self, exit: Exit) -> Exit {
        let Some(why) = self.failure.get() else { return exit };
        self.note(format!("error: {why}"));
        exit.worst(Exit::Input)
    }
    /// Remembers that stdout could not be written.
    pub(crate) fn keep(&self, written: io::Result<()>) {
        if let Err(error) = written
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            let _ = self.failure.set(format!("the output cannot be written: {error}"));
        }
    }
    /// A line, or several, for stderr.
    pub fn note(&self, text: impl Display) {
        let _ = writeln!(io::stderr().lock(), "{text}");
    }
}

/// What another program wrote, with control characters spelt out, so that they do nothing to a terminal.
pub fn printable(text: &str) -> String {
    let spelt = |c: char| match c.is_control() && c != '\n' {
        true => c.escape_default().collect(),
        false => c.to_string(),
    };
    text.chars().map(spelt).collect()
}

/// A line cut between words into lines of at most so many characters, where words allow it.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("there is one");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_spelt_out() {
        assert_eq!(printable("a\u{1b}[31m\u{7}\tb\nä"), "a\\u{1b}[31m\\u{7}\\tb\nä");
    }

    #[test]
    fn lines_are_cut_between_words() {
        let wrapped = |text: &str| wrapped(text, 80);
        assert_eq!(wrapped("a b"), ["a b"]);
        let (long, path) = ("word ".repeat(20), "/".repeat(90));
        assert_eq!(wrapped(long.trim_end()), ["word ".repeat(16).trim_end(), "word ".repeat(4).trim_end()]);
        assert_eq!(wrapped(&format!("at {path} now")), ["at", &path, "now"]);
    }
}
