//! Published models: how many documents are read, why the others are not, and what becomes of their questions.
//!
//! A folder has a list, `manifest.csv`, with a line for each question: the model, the question, its kind, and what is
//! known of its answer. Documents that are only asked for probabilities or strategies are counted apart. An answer that
//! is not the one in the list is a mistake, of ours or of the list; those of the list are argued in a file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::compare::tasks::{corpus_folder, records};
use crate::fields::fields;
use crate::shell::{build_thetis, read, root, watch};

pub const HELP: &str = "\
usage: cargo xtask published [--folder DIR] [--program FILE] [--seconds N] [--only PART]

Reads every UPPAAL document of a folder with a list and asks its questions about reachability and values; prints how many
are accepted, why the others are not, which take longest to read, and how the answers compare with those in the list.
Fails where one differs, unless benches/published-argued.txt says why, and if one takes more than a second to read.

  --folder DIR     the folder with manifest.csv (the models from the wild of a corpus beside the workspace)
  --program FILE   the program (target/release/thetis, which is built first)
  --seconds N      the time limit of each question (2)
  --only PART      only models whose path contains this
";

/// Answers of lists that are wrong, each with the reason: `model  question  why`.
const ARGUED: &str = "benches/published-argued.txt";

/// Kinds of questions that are asked.
const ASKED: [&str; 3] = ["A[]", "E<>", "sup/inf"];

/// Kinds of questions that need no more of a model than its states and their order.
const SYMBOLIC: [&str; 6] = ["A[]", "E<>", "A<>", "E[]", "-->", "sup/inf"];

/// No document may take longer to read.
const LONGEST: Duration = Duration::from_secs(1);

/// How often one that takes longer is read again.
const ATTEMPTS: usize = 3;

/// So many of those that take longest are named.
const SLOWEST: usize = 5;

/// A line of the list.
struct Row {
    model: String,
    question: String,
    kind: String,
    expected: String,
}

pub fn run(arguments: &[String]) -> Result<(), String> {
    let (mut folder, mut program) = (corpus_folder().join("wild"), None);
    let (mut seconds, mut only) = (2.0_f64, String::new());
    let mut arguments = arguments.iter();
    while let Some(option) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("`{option}` needs a value\n\n{HELP}"))?;
        match option.as_str() {
            "--folder" => folder = PathBuf::from(value),
            "--program" => program = Some(PathBuf::from(value)),
            "--seconds" => seconds = value.parse().map_err(|_| format!("`{value}` is no number"))?,
            "--only" => only.clone_from(value),
            _ => return Err(format!("there is no option `{option}`\n\n{HELP}")),
        }
    }
    let list = folder.join("manifest.csv");
    let text = std::fs::read_to_string(&list).map_err(|error| format!("{}: {error}", list.display()))?;
    let rows: Vec<Row> = rows(&text)?.into_iter().filter(|row| row.model.contains(only.as_str())).collect();
    let program = program.map_or_else(build_thetis, Ok)?;
    let above = folder.parent().unwrap_or(&folder).to_owned();
    let (accepted, slow) = documents(&program, &above, &rows)?;
    let rows: Vec<&Row> = rows.iter().filter(|row| accepted.contains(&row.model)).collect();
    questions(&program, &above, &rows, seconds)?;
    match slow {
        0 => Ok(()),
        slow => Err(format!("{slow} documents take more than {} s to read", LONGEST.as_secs())),
    }
}

/// The lines of a list that are about UPPAAL documents.
fn rows(text: &str) -> Result<Vec<Row>, String> {
    let mut list = vec![];
    for line in records(text).iter().skip(1) {
        let [_, formalism, model, question, kind, expected, ..] = &fields(line)[..] else {
            return Err(format!("`{line}` has too few columns"));
        };
        if formalism == "xta" && kind != "pnml" {
            let [model, question, kind, expected] = [model, question, kind, expected].map(String::clone);
            list.push(Row { model, question, kind, expected });
        }
    }
    Ok(list)
}

/// Loads every document, says why some are refused and which take longest, and returns those that are accepted and how
/// many take too long.
fn documents(program: &Path, above: &Path, rows: &[Row]) -> Result<(BTreeSet<String>, usize), String> {
    let mut kinds: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    rows.iter().for_each(|row| kinds.entry(&row.model).or_default().push(&row.kind));
    let mut accepted = BTreeSet::new();
    let mut refused: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut counts = [(0, 0, 0), (0, 0, 0)];
    let mut took: Vec<(Duration, &str)> = vec![];
    for (model, kinds) in &kinds {
        let apart = kinds.iter().all(|kind| matches!(*kind, "smc" | "strategy"));
        let symbolic = !apart || kinds.iter().any(|kind| SYMBOLIC.contains(kind));
        let count = &mut counts[usize::from(!symbolic)];
        count.0 += 1;
        let (said, time) = loaded(program, &above.join(model))?;
        took.push((time, model));
        let code = if said.is_null() { Some("no-answer") } else { said["code"].as_str() };
        match code {
            None => {
                count.1 += 1;
                accepted.insert((*model).to_owned());
            }
            Some(code) => {
                count.2 += i32::from(!code.starts_with("unsupported."));
                let first = said["diagnostics"][0]["message"].as_str().or(said["message"].as_str());
                let why = format!("{code}: {}", first.unwrap_or_default());
                refused.entry(why).or_default().push(model);
            }
        }
    }
    for (what, (all, read, wrong)) in ["documents", "only stochastic or strategies"].iter().zip(counts) {
        let share = |of: i32| 100.0 * f64::from(read) / f64::from(of.max(1));
        println!(
            "{what:<32} {all:>5}, accepted {read:>5} ({:.1} %), mistakes of their own {wrong:>3}, \
             accepted of the others {:.1} %",
            share(all),
            share(all - wrong)
        );
    }
    let mut refused: Vec<_> = refused.into_iter().collect();
    refused.sort_by_key(|(_, models)| std::cmp::Reverse(models.len()));
    for (why, models) in refused {
        println!("  {:>3}  {why}  ({})", models.len(), models[0]);
    }
    took.sort_unstable_by(|a, b| b.cmp(a));
    println!("slowest to read");
    for (time, model) in took.iter().take(SLOWEST) {
        println!("  {:>5} ms  {model}", time.as_millis());
    }
    Ok((accepted, took.iter().filter(|(time, _)| *time > LONGEST).count()))
}

/// What the program says of a document, and how long it takes to read; the best of some attempts if that is too long,
/// because others may be at work on the machine.
fn loaded(program: &Path, document: &Path) -> Result<(Value, Duration), String> {
    let mut best = Duration::MAX;
    let mut said = Value::Null;
    for _ in 0..ATTEMPTS {
        let start = Instant::now();
        said = json(Command::new(program).arg("info").arg(document).arg("--json"))?;
        best = best.min(start.elapsed());
        if best <= LONGEST {
            break;
        }
    }
    Ok((said, best))
}

/// Asks the questions, and compares the answers with the list.
fn questions(program: &Path, above: &Path, rows: &[&Row], seconds: f64) -> Result<(), String> {
    let argued = read(ARGUED).unwrap_or_default();
    let argued: Vec<Vec<&str>> = argued
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split("  ").map(str::trim).filter(|part| !part.is_empty()).collect())
        .collect();
    let mut tally: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    let mut wrong = 0;
    for row in rows.iter().filter(|row| ASKED.contains(&row.kind.as_str())) {
        let timeout = format!("{}ms", (seconds * 1e3).ceil());
        let mut command = Command::new(program);
        command.current_dir(root()).arg("check").arg(above.join(&row.model)).args(["-p", &row.question]);
        let said = json(command.args(["--json", "--timeout", &timeout]))?;
        let answer = &said["properties"][0];
        let verdict = answer["verdict"].as_str().unwrap_or("refused");
        let expected = match row.expected.as_str() {
            "satisfied" => Some("holds"),
            "not satisfied" => Some("violated"),
            _ => None,
        };
        let column = match (verdict, expected) {
            ("holds" | "violated" | "value", None) => "decided".to_owned(),
            ("holds" | "violated", Some(expected)) if expected == verdict => "as listed".to_owned(),
            ("holds" | "violated", Some(expected)) => {
                let known = argued.iter().any(|line| line.starts_with(&[&row.model, &row.question]));
                if !known {
                    wrong += 1;
                    println!("{}: `{}` is listed as {expected}, and is {verdict}", row.model, row.question);
                }
                "not as listed".to_owned()
            }
            _ => {
                format!("{verdict} {}", answer["code"].as_str().or(said["code"].as_str()).unwrap_or_default())
            }
        };
        *tally.entry(&row.kind).or_default().entry(column).or_default() += 1;
    }
    for (kind, columns) in tally {
        println!("{kind}");
        columns.iter().for_each(|(what, count)| println!("  {count:>5}  {what}"));
    }
    if wrong > 0 {
        Err(format!("{wrong} answers are not as listed, and {ARGUED} does not say why"))
    } else {
        Ok(())
    }
}

/// What a command of the program says as JSON.
fn json(command: &mut Command) -> Result<Value, String> {
    let (_, text) = watch(command, |_| {})?;
    Ok(serde_json::from_str(&text).unwrap_or(Value::Null))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_of_uppaal_documents() {
        let text = "id,formalism,model,question,kind,expected\n\
                    1,xta,wild/a.xml,\"A[] a, b\",A[],holds\n\
                    2,pnml,wild/b.pnml,E<> b,E<>,holds\n";
        let rows = rows(text).unwrap();
        let [row] = &rows[..] else { panic!("one row is about a UPPAAL document") };
        assert_eq!((row.model.as_str(), row.question.as_str()), ("wild/a.xml", "A[] a, b"));
        assert_eq!((row.kind.as_str(), row.expected.as_str()), ("A[]", "holds"));
        assert!(super::rows("id,formalism\n1,xta\n").is_err());
    }
}
