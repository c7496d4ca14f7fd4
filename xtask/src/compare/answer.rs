//! What a build of the program answers, as far as two builds can be compared.
//!
//! Other versions say more, or say it elsewhere, so the JSON is read tolerantly: answers are the records of the first
//! list whose records have a verdict, and every number of their statistics is a count, but for times and memory.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use serde_json::{Number, Value};

use super::tasks::Task;
use crate::defaults::nanoseconds;
use crate::shell::{root, watch};

/// What a run may use.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Limits {
    /// By the clock on the wall.
    pub seconds: f64,
    /// To be stored; 0 for as many as there are.
    pub states: u64,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exit {
    Code(i32),
    /// It broke down.
    Signal(ExitStatus),
    /// It did not stop when it was told to.
    Killed,
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Code(code) => code.fmt(f),
            Exit::Signal(status) => status.fmt(f),
            Exit::Killed => f.write_str("killed"),
        }
    }
}

/// What one run of the program said.
#[derive(Clone, Debug)]
pub struct Answer {
    pub exit: Exit,
    /// Seconds of processor time, where the system tells; a tenth may be missing.
    pub used: f64,
    /// Whether the time was used up, so that whatever is not decided is open.
    pub late: bool,
    pub questions: Vec<Question>,
}

/// The answer to one question.
#[derive(Clone, Debug, Default)]
pub struct Question {
    pub name: String,
    pub verdict: String,
    pub certified: bool,
    /// Steps of the run that decides it, if there is one.
    pub trace: Option<usize>,
    /// Numbers by what they count; a list of records has as many of each.
    pub counts: BTreeMap<String, Vec<Number>>,
}

/// Puts a task to a program.
pub fn ask(program: &Path, task: &Task, limits: Limits) -> Result<Answer, String> {
    let mut command = Command::new(program);
    command.current_dir(root()).arg("check").args(&task.arguments).args(limits.arguments(task)).arg("--json");
    let start = Instant::now();
    // Who does not stop by itself is stopped, but not because the machine was busy.
    let patience = Duration::from_secs_f64(2.0 * limits.seconds + 5.0);
    let (mut killed, mut used, mut looked) = (false, 0, Duration::ZERO);
    let (status, text) = watch(&mut command, |child| {
        let elapsed = start.elapsed();
        // Looking costs something, and a tenth more or less is near enough.
        if elapsed >= looked.mul_f64(1.1) {
            (used, looked) = (used.max(nanoseconds(child.id())), elapsed);
        }
        if !killed && elapsed > patience {
            killed = child.kill().is_ok();
        }
    })?;
    let late = start.elapsed().as_secs_f64() >= limits.seconds;
    let exit = match status.code() {
        Some(code) => Exit::Code(code),
        None if killed => Exit::Killed,
        None => Exit::Signal(status),
    };
    Ok(Answer { exit, used: used as f64 / 1e9, late, questions: questions(&text) })
}

impl Limits {
    /// As options of the program; a task may have a limit of states of its own.
    fn arguments(self, task: &Task) -> Vec<String> {
        let mut arguments = vec!["--timeout".to_owned(), format!("{}ms", (self.seconds * 1e3).ceil())];
        if self.states > 0 && !task.arguments.iter().any(|argument| argument == "--state-limit") {
            arguments.extend(["--state-limit".to_owned(), self.states.to_string()]);
        }
        arguments
    }
}

impl Answer {
    /// What was said to a question, unless there was no time for it: more might decide it.
    pub fn settled(&self, question: usize) -> Option<&Question> {
        let decided = |one: &&Question| matches!(one.verdict.as_str(), "holds" | "violated") && one.certified;
        self.questions.get(question).filter(|one| !self.late || decided(one))
    }
}

/// The answers in what the program printed; none if it refused the model or broke down.
fn questions(text: &str) -> Vec<Question> {
    let Ok(Value::Object(report)) = serde_json::from_str(text) else { return vec![] };
    let lists = report.values().filter_map(Value::as_array);
    let answers = |list: &&Vec<Value>| list.iter().any(|record| record.get("verdict").is_some());
    lists.into_iter().find(answers).map_or_else(Vec::new, |list| list.iter().map(question).collect())
}

fn question(record: &Value) -> Question {
    let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
    let mut counts = BTreeMap::new();
    count("", &record["statistics"], &mut counts);
    Question {
        name: text("name"),
        verdict: text("verdict"),
        certified: record["certified"] == true,
        trace: record["trace"]["steps"].as_array().map(Vec::len),
        counts,
    }
}

/// Collects the numbers of a value, each under the names on the way to it.
fn count(name: &str, value: &Value, counts: &mut BTreeMap<String, Vec<Number>>) {
    match value {
        Value::Number(number) => counts.entry(name.to_owned()).or_default().push(number.clone()),
        Value::Array(list) => list.iter().for_each(|one| count(name, one, counts)),
        Value::Object(record) => {
            for (key, one) in record {
                // Times and memory are different each time.
                if !(key.contains("seconds") || key.contains("bytes")) {
                    let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                    count(&name, one, counts);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_found_whatever_the_list_is_called() {
        for list in ["properties", "answers"] {
            let text = format!(
                r#"{{"format": "any", "models": ["a"], "{list}": [
                    {{"name": "x > 0", "verdict": "violated", "certified": true, "later": 1, "reason": null,
                      "statistics": {{"states": 4, "depth": null, "search_microseconds": 17, "bytes": 90,
                                      "cegar": {{"nodes": 5, "bytes_per_state": 2}},
                                      "attempts": [{{"states": 2, "reason": "no 7"}}, {{"states": 3}}]}},
                      "trace": {{"version": 1, "steps": [{{}}, {{}}]}}}},
                    {{"verdict": "unknown", "certified": false, "trace": null}}]}}"#
            );
            let found = questions(&text);
            assert_eq!(found.len(), 2, "{text}");
            assert_eq!((found[0].name.as_str(), found[0].verdict.as_str()), ("x > 0", "violated"));
            assert_eq!((found[0].certified, found[0].trace), (true, Some(2)));
            let counts: Vec<String> =
                found[0].counts.iter().map(|(name, numbers)| format!("{name} {numbers:?}")).collect();
            let expected =
                ["attempts.states [Number(2), Number(3)]", "cegar.nodes [Number(5)]", "states [Number(4)]"];
            assert_eq!(counts, expected);
            assert_eq!((found[1].certified, found[1].trace), (false, None));
            assert!(found[1].counts.is_empty());
        }
    }

    #[test]
    fn a_refusal_has_no_answers() {
        assert!(questions(r#"{"diagnostics": [{"line": 3}], "format": "thetis-error"}"#).is_empty());
        assert!(questions("thread 'main' panicked").is_empty());
    }

    #[test]
    fn a_late_answer_settles_only_what_it_decides_and_certifies() {
        let listed = [("holds", true), ("violated", true), ("holds", false), ("unknown", false)];
        let question = |(verdict, certified): (&str, bool)| Question {
            verdict: verdict.to_owned(),
            certified,
            ..Question::default()
        };
        let questions: Vec<Question> = listed.into_iter().map(question).collect();
        let settled = |late| {
            let answer = Answer { exit: Exit::Code(3), used: 1.0, late, questions: questions.clone() };
            [0, 1, 2, 3, 4].map(|question| answer.settled(question).is_some())
        };
        assert_eq!(settled(true), [true, true, false, false, false]);
        assert_eq!(settled(false), [true, true, true, true, false]);
    }

    #[test]
    fn a_task_keeps_its_own_limit_of_states() {
        let limits = Limits { seconds: 0.5, states: 9 };
        let given = |line: &str, limits: Limits| {
            let arguments = line.split_whitespace().map(str::to_owned).collect();
            limits.arguments(&Task { arguments }).join(" ")
        };
        assert_eq!(given("a.xsts", limits), "--timeout 500ms --state-limit 9");
        assert_eq!(given("a.xsts --state-limit 3", limits), "--timeout 500ms");
        assert_eq!(given("a.xsts", Limits { states: 0, ..limits }), "--timeout 500ms");
    }
}
