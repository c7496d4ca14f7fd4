//! Words for causes and remedies: the one place where data of the libraries become sentences with options.
//!
//! Libraries say why something is unknown, refused or wrong as data with a stable code, and know no command line.
//! Here they get the names that its users know: options, commands, and properties instead of targets. What is
//! written here is read by people only; programs have the codes.

mod cause;
mod choice;
mod codes;
mod refusal;
mod remedy;
mod shown;

pub use cause::{claimed, hint, lacking, reason, unchecked, unconfirmed, unposed};
pub use choice::{clash, flag, option, options};
pub use codes::{explain, list, page};
pub use refusal::{uncertified, wrong};
pub use remedy::{Advice, advice};
pub use shown::{after_giving_up, deadlock, ends, given_up, value};

/// Something said to people, with its code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// The stable code of what it is about.
    pub code: &'static str,
    /// What is said, in a line.
    pub text: String,
    /// What else there is to say, in any number of lines.
    pub details: Option<String>,
}

impl Told {
    /// A line without anything else.
    pub fn new(code: &'static str, text: impl Into<String>) -> Self {
        Told { code, text: text.into(), details: None }
    }
    /// The same with more text.
    fn map(self, with: impl FnOnce(String) -> String) -> Self {
        Told { text: with(self.text), ..self }
    }
}
