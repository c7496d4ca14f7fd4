//! Questions about timed statecharts, put to the program as it comes, as in [`crate::defaults`].
//!
//! Configurations are compared on them by `campaigns/timed-statecharts.toml` and `campaigns/timed-statecharts-engines.toml`.

use std::path::PathBuf;

use crate::defaults::{self, Aims, Task};
use crate::fields;
use crate::shell::{build_thetis, read, root};

/// The questions, each with its verdict.
const LIST: &str = "benches/timed-questions.csv";

const AIMS: Aims = Aims { median: 0.5, worst: 10.0, megabytes: 500.0 };

/// Of the corpus and our own, without and with a time limit.
const FAMILIES: [[&str; 2]; 2] = [
    ["the corpus, without a time limit", "the corpus, within a time limit"],
    ["our own models, without a time limit", "our own models, within a time limit"],
];

pub fn bench(arguments: &[String]) -> Result<(), String> {
    let (seconds, tasks) = defaults::wanted(arguments, tasks()?)?;
    let program = build_thetis()?;
    defaults::measure(&program, tasks, &seconds, FAMILIES.as_flattened(), AIMS)
}

/// The questions of the list; those about a corpus only if there is one.
pub fn tasks() -> Result<Vec<Task>, String> {
    let corpus = root().join("..").join("shared").join("corpus");
    let mut tasks = vec![];
    for line in read(LIST)?.lines().skip(1) {
        let fields = fields::fields(line);
        let [model, _, question, within, verdict, _] = &fields[..] else {
            return Err(format!("{LIST}: `{line}`"));
        };
        let place = |name: &str| -> PathBuf {
            name.strip_prefix("corpus/").map_or_else(|| root().join(name), |name| corpus.join(name))
        };
        let own = !model.starts_with("corpus/");
        if !own && !corpus.exists() {
            continue;
        }
        let (how, what) = match question.ends_with(".prop") {
            true => ("--property-file", place(question).display().to_string()),
            false => ("-p", question.clone()),
        };
        let mut arguments = vec![how.to_owned(), what];
        let mut id = format!("{} {question}", place(model).file_stem().unwrap_or_default().to_string_lossy());
        if !within.is_empty() {
            arguments.extend(["--within".to_owned(), within.clone()]);
            id += &format!(" within {within}");
        }
        let expected = if verdict == "unknown" { String::new() } else { verdict.clone() };
        let family = FAMILIES[usize::from(own)][usize::from(!within.is_empty())];
        tasks.push(Task { id, model: place(model), arguments, expected, family });
    }
    Ok(tasks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_of_the_list_can_be_asked() {
        let tasks = tasks().expect("a list");
        for task in &tasks {
            assert!(task.model.is_file(), "{}", task.model.display());
            assert!(matches!(task.expected.as_str(), "holds" | "violated" | ""), "{}", task.id);
            let limited = task.arguments.iter().any(|argument| argument == "--within");
            assert_eq!(task.family.ends_with("within a time limit"), limited, "{}", task.id);
        }
        let mut ids: Vec<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), tasks.len(), "two questions have the same name");
    }
}
