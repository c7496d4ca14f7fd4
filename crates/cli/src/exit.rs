//! How the program ends.

use std::fmt;

use serde::Serialize;
use thetis::Region;

use crate::words::Told;

/// What the exit code says.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Exit {
    /// The property holds, or the command did what was asked.
    Holds,
    /// The property is violated.
    Violated,
    /// Bad input, bad usage, or a model that goes wrong.
    Input,
    /// Not decided.
    Unknown,
    /// Thetis itself is wrong.
    Internal,
}

impl Exit {
    /// The number the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Exit::Holds => 0,
            Exit::Violated => 1,
            Exit::Input => 2,
            Exit::Unknown => 3,
            Exit::Internal => 4,
        }
    }
    /// The worse of two: internal error, bad input, violated, unknown, holds.
    pub fn worst(self, other: Exit) -> Exit {
        let badness = |exit: Exit| match exit {
            Exit::Holds => 0,
            Exit::Unknown => 1,
            Exit::Violated => 2,
            Exit::Input => 3,
            Exit::Internal => 4,
        };
        if badness(other) > badness(self) { other } else { self }
    }
}

/// Ends the program here and now, whatever its other threads are doing. Solver processes end with it.
pub fn leave(exit: Exit) -> ! {
    smt::smtlib::end_all();
    std::process::exit(i32::from(exit.code()));
}

/// Why a command could not do what was asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Something the user gave cannot be used; one paragraph that names it and the next step.
    Input(String),
    /// Something the user gave is refused, for a reason that has a code.
    Refused(Told),
    /// Errors in a text, rendered with their places.
    Text {
        /// For people.
        rendered: String,
        /// For programs.
        diagnostics: Vec<Finding>,
    },
    /// Not decided, for this reason.
    Unknown(Told),
    /// Thetis itself is wrong; everything needed to report it.
    Internal(Told),
}

/// An error or a warning with its place, for programs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// The stable code of what it is about.
    pub code: &'static str,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// The file, or what else the text came from.
    pub file: String,
    /// Where.
    #[serde(flatten)]
    pub region: Region,
    /// What is wrong.
    pub message: String,
    /// The name that it is about, if it is about one.
    pub subject: Option<String>,
    /// The name that was probably meant instead, if there is one.
    pub suggestion: Option<String>,
    /// Remarks.
    pub notes: Vec<Remark>,
}

/// A remark, for programs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Remark {
    /// What.
    pub message: String,
    /// Where in the same text, if it has a place of its own.
    pub place: Option<Region>,
}

impl Failure {
    /// What is wrong, on one line.
    pub fn summary(&self) -> String {
        match self {
            Failure::Text { diagnostics, .. } => {
                let first = diagnostics.first().map_or("", |finding| finding.message.as_str());
                match diagnostics.len() {
                    0 | 1 => first.to_owned(),
                    many => format!("{first}, and {} more", many - 1),
                }
            }
            Failure::Input(message) => message.clone(),
            Failure::Refused(told) | Failure::Unknown(told) | Failure::Internal(told) => told.text.clone(),
        }
    }
    /// The stable code of what is wrong, that of the first error of a text.
    pub fn code(&self) -> &'static str {
        match self {
            Failure::Input(_) => "input",
            Failure::Text { diagnostics, .. } => diagnostics.first().map_or("input", |finding| finding.code),
            Failure::Refused(told) | Failure::Unknown(told) | Failure::Internal(told) => told.code,
        }
    }
    /// That somebody asked to stop before there was anything to say.
    pub fn interrupted(when: &str) -> Self {
        Failure::Unknown(Told::new("interrupted", format!("interrupted{when}")))
    }
    /// The exit code of a command that fails like this.
    pub fn exit(&self) -> Exit {
        match self {
            Failure::Input(_) | Failure::Refused(_) | Failure::Text { .. } => Exit::Input,
            Failure::Unknown(_) => Exit::Unknown,
            Failure::Internal(_) => Exit::Internal,
        }
    }
    /// The failure as JSON.
    pub fn json(&self) -> serde_json::Value {
        let (kind, message, diagnostics) = match self {
            Failure::Input(message) => ("input", message.clone(), &[][..]),
            Failure::Text { diagnostics, .. } => {
                let (count, ending) = (diagnostics.len(), if diagnostics.len() == 1 { "" } else { "s" });
                ("input", format!("{count} problem{ending} in the text"), &diagnostics[..])
            }
            Failure::Refused(told) => ("input", told.text.clone(), &[][..]),
            Failure::Unknown(told) => ("unknown", told.text.clone(), &[][..]),
            Failure::Internal(told) => ("internal", told.text.clone(), &[][..]),
        };
        serde_json::json!({
            "format": "thetis-error",
            "version": 1,
            "kind": kind,
            "code": self.code(),
            "message": message,
            "diagnostics": diagnostics,
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(message) | Failure::Refused(Told { text: message, .. }) => {
                write!(f, "error: {message}")
            }
            Failure::Text { rendered, .. } => f.write_str(rendered.trim_end()),
            Failure::Unknown(told) => write!(f, "unknown ({})", told.text),
            Failure::Internal(told) => write!(f, "internal error: {}\n{REPORT}", told.text),
        }
    }
}

/// What to do about an internal error.
pub const REPORT: &str = "This is a mistake in Thetis, not in your model. Please report it with the lines above, \
     the model, and the command you ran.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_exit_wins() {
        let order = [Exit::Holds, Exit::Unknown, Exit::Violated, Exit::Input, Exit::Internal];
        for (at, better) in order.iter().enumerate() {
            for worse in &order[at..] {
                assert_eq!(better.worst(*worse), *worse);
                assert_eq!(worse.worst(*better), *worse);
            }
        }
    }
}
