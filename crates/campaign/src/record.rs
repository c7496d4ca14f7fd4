//! Results of jobs: what a command answered, what it cost, and how it ended.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::Id;
use crate::tasks::Expected;

/// The `format` of a result.
pub const FORMAT: &str = "thetis-campaign-result";

/// The result of a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// Always [`FORMAT`].
    pub format: String,
    /// Always 1.
    pub version: u32,
    /// Which job.
    pub id: Id,
    /// How its process ended.
    pub end: End,
    /// What it answered, if that can be read.
    pub answer: Option<Answer>,
    /// Seconds of the processor, of all processes of the job.
    pub cpu_seconds: f64,
    /// Seconds on the wall.
    pub wall_seconds: f64,
    /// The most memory that a process of the job had at once, in bytes.
    pub memory_bytes: u64,
    /// The machine.
    pub host: String,
    /// When it began, in seconds since 1970.
    pub began: u64,
    /// The last that it said to its error output, if it gave no verdict.
    pub said: String,
}

/// How a process ended.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// By itself, with this code.
    Exit(i32),
    /// By a signal that nobody of us sent.
    Signal(i32),
    /// It used up a limit and was ended.
    Limit(Limit),
}

/// What a process may use up.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Time of the processor.
    Cpu,
    /// Time on the wall.
    Wall,
    /// Memory.
    Memory,
}

/// What the program answered.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Answer {
    /// A verdict for each question.
    pub verdicts: Vec<Verdict>,
    /// Whether the evidence of every verdict was accepted.
    pub certified: bool,
    /// Why something is unknown or wrong: the first code.
    pub code: Option<String>,
    /// Who answered, as options.
    pub by: Option<String>,
    /// What was counted, by names such as `cegar.iterations`; over all questions.
    pub counts: BTreeMap<String, f64>,
}

/// A verdict of the program.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The property holds.
    Holds,
    /// It does not.
    Violated,
    /// A value was asked for and found.
    Value,
    /// The model, or the question, goes wrong in a state that can be reached: a run shows it.
    Fault,
    /// Nobody knows.
    Unknown,
    /// The model or the question cannot be used.
    Error,
    /// The program is.
    Internal,
}

/// What a job came to, in one word.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// All properties hold.
    Holds,
    /// A property is violated, and all are decided.
    Violated,
    /// The model goes wrong.
    Fault,
    /// A limit of time was reached.
    Time,
    /// The limit of memory was reached.
    Memory,
    /// Not decided.
    Unknown,
    /// The model or the question cannot be used, or the model goes wrong.
    Error,
    /// The program ended without an answer.
    Crash,
    /// The program says that it is wrong, or a verdict has no accepted evidence.
    Refused,
}

impl Status {
    /// All of them.
    pub const ALL: [Status; 9] = [
        Status::Holds,
        Status::Violated,
        Status::Fault,
        Status::Time,
        Status::Memory,
        Status::Unknown,
        Status::Error,
        Status::Crash,
        Status::Refused,
    ];

    /// Whether there is a verdict.
    pub fn is_solved(self) -> bool {
        matches!(self, Status::Holds | Status::Violated | Status::Fault)
    }
    /// Whether it says that the command ended without any answer about the model: it cannot be used, or the program fell.
    pub fn is_failure(self) -> bool {
        matches!(self, Status::Error | Status::Crash)
    }
    /// Whether both cannot be true of one model. One that goes wrong may violate a property as well, and who searches
    /// finds one of them first; but what holds has been shown of all runs, without faults.
    pub fn excludes(self, other: Status) -> bool {
        self.is_solved() && other.is_solved() && (self == Status::Holds) != (other == Status::Holds)
    }
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Status::Holds => "holds",
            Status::Violated => "violated",
            Status::Fault => "fault",
            Status::Time => "time",
            Status::Memory => "memory",
            Status::Unknown => "unknown",
            Status::Error => "error",
            Status::Crash => "crash",
            Status::Refused => "refused",
        }
    }
}

/// The codes by which the program says that it reached a limit of its own.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum OwnLimit {
    TimeLimit,
    MemoryLimit,
}

impl Record {
    /// What it came to.
    pub fn status(&self) -> Status {
        match (self.end, &self.answer) {
            (End::Limit(Limit::Cpu | Limit::Wall), _) => Status::Time,
            (End::Limit(Limit::Memory), _) => Status::Memory,
            (_, None) => Status::Crash,
            (_, Some(answer)) => answer.status(),
        }
    }
    /// Whether it contradicts what is expected.
    pub fn contradicts(&self, expected: Option<Expected>) -> bool {
        match (self.status(), expected) {
            (Status::Refused, _) => true,
            (Status::Holds, Some(expected)) => expected != Expected::Holds,
            (Status::Violated, Some(expected)) => expected != Expected::Violated,
            (Status::Fault, Some(expected)) => expected != Expected::Fault,
            _ => false,
        }
    }
}

impl Answer {
    /// Reads what the program printed as JSON; `None` if it is no answer.
    pub fn read(printed: &[u8]) -> Option<Answer> {
        let report: Report = serde_json::from_slice(printed).ok()?;
        match report {
            Report::Result { properties } => Some(Answer::of(properties)),
            Report::Failure { kind, code } => {
                let verdict = match kind {
                    Kind::Input => Verdict::Error,
                    Kind::Unknown => Verdict::Unknown,
                    Kind::Internal => Verdict::Internal,
                };
                Some(Answer {
                    verdicts: vec![verdict],
                    certified: true,
                    code: Some(code),
                    ..Answer::default()
                })
            }
        }
    }
    fn of(properties: Vec<Property>) -> Answer {
        let mut answer = Answer { certified: true, ..Answer::default() };
        for property in properties {
            answer.verdicts.push(property.said());
            answer.certified &= property.certified.unwrap_or(true);
            answer.code = answer.code.or(property.code);
            let Some(statistics) = property.statistics else { continue };
            answer.by =
                answer.by.or(statistics.get("configuration").and_then(|it| Some(it.as_str()?.to_owned())));
            flatten("", &statistics, &mut answer.counts);
        }
        answer
    }
    fn status(&self) -> Status {
        let any = |verdict: Verdict| self.verdicts.contains(&verdict);
        let own_limit = || {
            let code = serde_json::Value::String(self.code.clone()?);
            serde_json::from_value::<OwnLimit>(code).ok()
        };
        match () {
            () if any(Verdict::Internal) => Status::Refused,
            // What cannot be read has no evidence that could be refused.
            () if any(Verdict::Error) || self.verdicts.is_empty() => Status::Error,
            () if !self.certified => Status::Refused,
            () if any(Verdict::Fault) => Status::Fault,
            () if any(Verdict::Unknown) => match own_limit() {
                Some(OwnLimit::TimeLimit) => Status::Time,
                Some(OwnLimit::MemoryLimit) => Status::Memory,
                None => Status::Unknown,
            },
            () if any(Verdict::Violated) => Status::Violated,
            () => Status::Holds,
        }
    }
}

/// Numbers by the names of what they are in.
fn flatten(prefix: &str, value: &serde_json::Value, counts: &mut BTreeMap<String, f64>) {
    for (name, inner) in value.as_object().into_iter().flatten() {
        let name = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match inner {
            serde_json::Value::Number(number) => {
                *counts.entry(name).or_default() += number.as_f64().unwrap_or(0.0);
            }
            inner => flatten(&name, inner, counts),
        }
    }
}

/// What the program prints.
#[derive(Deserialize)]
#[serde(tag = "format")]
enum Report {
    #[serde(rename = "thetis-result")]
    Result { properties: Vec<Property> },
    #[serde(rename = "thetis-error")]
    Failure { kind: Kind, code: String },
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Input,
    Unknown,
    Internal,
}

#[derive(Deserialize)]
struct Property {
    verdict: Verdict,
    certified: Option<bool>,
    code: Option<String>,
    statistics: Option<serde_json::Value>,
    trace: Option<Trace>,
}

impl Property {
    /// An error is the answer if a run leads to it.
    fn said(&self) -> Verdict {
        match (self.verdict, &self.trace) {
            (Verdict::Error, Some(Trace { ends: Ends::Fault(_) | Ends::Undefined(_) })) => Verdict::Fault,
            (verdict, _) => verdict,
        }
    }
}

/// A run that is printed; only its end matters.
#[derive(Deserialize)]
struct Trace {
    ends: Ends,
}

/// What a run ends in.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Ends {
    Fault(serde::de::IgnoredAny),
    Undefined(serde::de::IgnoredAny),
    #[serde(other)]
    Else,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(printed: &str) -> Option<Status> {
        Some(Answer::read(printed.as_bytes())?.status())
    }

    #[test]
    fn a_model_that_goes_wrong_may_violate_as_well_but_not_hold() {
        use Status::{Fault, Holds, Unknown, Violated};
        assert!(Holds.excludes(Fault) && Violated.excludes(Holds));
        assert!(!Fault.excludes(Violated) && !Holds.excludes(Holds) && !Holds.excludes(Unknown));
    }

    #[test]
    fn answers_are_read_as_the_program_prints_them() {
        let property = |verdict: &str, certified: &str, code: &str| {
            format!(
                r#"{{"verdict": "{verdict}", "certified": {certified}, "code": {code}, "statistics":
                   {{"states": 3, "cegar": {{"iterations": 2}}, "configuration": "x", "lazy": null}}}}"#
            )
        };
        let report =
            |list: &[String]| format!(r#"{{"format": "thetis-result", "properties": [{}]}}"#, list.join(","));
        let holds = property("holds", "true", "null");
        assert_eq!(status(&report(std::slice::from_ref(&holds))), Some(Status::Holds));
        let violated = property("violated", "true", "null");
        assert_eq!(status(&report(&[holds.clone(), violated])), Some(Status::Violated));
        let late = property("unknown", "null", "\"time-limit\"");
        assert_eq!(status(&report(&[late])), Some(Status::Time));
        let believed = property("holds", "false", "null");
        assert_eq!(status(&report(&[believed])), Some(Status::Refused));
        let error = r#"{"format": "thetis-error", "kind": "input", "code": "usage", "message": ""}"#;
        assert_eq!(status(error), Some(Status::Error));
        assert_eq!(status("{}"), None);
        let run = |ends: &str| {
            format!(
                r#"{{"verdict": "error", "certified": true, "code": "c", "statistics": null, "trace": {{"ends": {ends}, "x": 1}}}}"#
            )
        };
        let division = run(r#"{"fault": {"kind": "division-by-zero", "line": 1, "column": 2}}"#);
        assert_eq!(status(&report(std::slice::from_ref(&division))), Some(Status::Fault));
        assert_eq!(status(&report(&[run(r#"{"undefined": "division-by-zero"}"#)])), Some(Status::Fault));
        // Without a run that leads there, an error is none of the model's.
        assert_eq!(status(&report(&[run(r#""anywhere""#)])), Some(Status::Error));
        assert_eq!(status(&report(&[division, property("holds", "true", "null")])), Some(Status::Fault));
        let answer = Answer::read(report(&[holds.clone(), holds]).as_bytes()).expect("an answer");
        assert_eq!((answer.counts["states"], answer.counts["cegar.iterations"]), (6.0, 4.0));
    }
}
