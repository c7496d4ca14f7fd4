//! Differences between two builds that are meant to be.
//!
//! A list has one of them per line, in three columns with two blanks or more between them: which tasks, what
//! differs, and why. `#` begins a comment.

use std::fmt;
use std::path::Path;

use super::difference::{Difference, Kind};

/// A line of the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    /// The tasks; see [`matches()`].
    pattern: String,
    /// A kind, `exit`, or a kind and how it changes, `exit 2 -> 3`.
    what: String,
    pub reason: String,
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  {}  {}", self.pattern, self.what, self.reason)
    }
}

impl Expectation {
    /// Whether it is about this task, of which a question may be asked.
    pub fn is_about(&self, task: &str, question: &str) -> bool {
        matches(&self.pattern, &format!("{task} {question}"))
    }

    /// Whether it covers this difference.
    pub fn covers(&self, task: &str, difference: &Difference) -> bool {
        let what = self.what == difference.kind.word() || self.what == difference.to_string();
        what && self.is_about(task, &difference.question)
    }
}

/// Reads a list.
pub fn read(path: &Path) -> Result<Vec<Expectation>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines =
        text.lines().enumerate().filter(|(_, line)| !(line.trim().is_empty() || line.starts_with('#')));
    lines
        .map(|(number, line)| {
            let place = || format!("{}:{}", path.display(), number + 1);
            expectation(line).map_err(|why| format!("{}: {why}", place()))
        })
        .collect()
}

/// A line of a list.
pub fn expectation(line: &str) -> Result<Expectation, String> {
    let columns: Vec<&str> = line.split("  ").map(str::trim).filter(|column| !column.is_empty()).collect();
    let [pattern, what, reason] = columns[..] else {
        return Err(
            "three columns are needed, with two blanks between them: tasks, what differs, and why".to_owned()
        );
    };
    let word = what.split(' ').next().unwrap_or_default();
    if !Kind::ALL.iter().any(|kind| kind.word() == word) {
        let all: Vec<&str> = Kind::ALL.iter().map(|kind| kind.word()).collect();
        return Err(format!("nothing differs in `{word}`; there are {}", all.join(", ")));
    }
    Ok(Expectation { pattern: pattern.to_owned(), what: what.to_owned(), reason: reason.to_owned() })
}

/// Whether the parts of a pattern between its stars occur in a text, one after the other.
pub fn matches(pattern: &str, text: &str) -> bool {
    let mut rest = Some(text);
    for part in pattern.split('*') {
        rest = rest.and_then(|text| text.split_once(part)).map(|(_, rest)| rest);
    }
    rest.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::root;

    #[test]
    fn patterns_are_parts_in_order() {
        assert!(matches("", "cases/xta/a.xta -p 'E<> P.B'"));
        assert!(matches("xta/a", "cases/xta/a.xta"));
        assert!(matches("cases/*.xta*--engine zone", "cases/xta/a.xta -p x --engine zone"));
        assert!(!matches("--engine zone*cases/", "cases/xta/a.xta -p x --engine zone"));
        assert!(!matches("aa*a", "aa"));
    }

    #[test]
    fn an_expectation_covers_a_kind_or_a_change() {
        let check = |line: &str, task: &str, change: &str| {
            let difference =
                Difference { kind: Kind::Exit, question: "q1".to_owned(), change: change.to_owned() };
            expectation(line).expect("a line").covers(task, &difference)
        };
        assert!(check("cases/xta/  exit  Why not.", "cases/xta/a.xta", "2 -> 3"));
        assert!(check("*  exit 2 -> 3    Why not.", "cases/xta/a.xta", "2 -> 3"));
        assert!(check("xta*q1  exit  Why not.", "cases/xta/a.xta", "2 -> 3"));
        assert!(!check("*  exit 2 -> 3  Why not.", "cases/xta/a.xta", "2 -> 0"));
        assert!(!check("*  verdict  Why not.", "cases/xta/a.xta", "2 -> 3"));
        assert!(!check("cases/xsts/  exit  Why not.", "cases/xta/a.xta", "2 -> 3"));
    }

    #[test]
    fn mistakes_in_a_list_are_told() {
        let check = |line: &str, message: &str| {
            let why = expectation(line).map(|line| line.to_string()).unwrap_err();
            assert!(why.contains(message), "{why}");
        };
        check("cases/a.xsts exit Why not.", "three columns");
        check("cases/a.xsts  exit", "three columns");
        check("cases/a.xsts  exits  Why not.", "nothing differs in `exits`; there are verdict, exit,");
    }

    #[test]
    fn the_list_of_the_project_can_be_read() {
        read(&root().join(super::super::EXPECTED)).expect("a list");
    }
}
