//! What two builds are asked: every model of the project and of a corpus beside it, with its questions.
//!
//! Questions stand in the headers of cases, in the lists of a corpus, in the models, and in files beside them. Of a
//! model without any, a net is asked whether it is safe and free of deadlocks, a network of timed automata is searched
//! as a whole, and everything else says itself what it claims.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::fields::fields;
use crate::shell::root;
use crate::timed;

/// Engines that cases are also put to, beside the default: what they refuse is compared as well. Runs of growing
/// length have a bound, for a limit of states is none to them.
const ENGINES: [&[&str]; 9] = [
    &["--engine", "explicit"],
    &["--engine", "zone"],
    &["--engine", "lazy"],
    &["--engine", "zone-cegar"],
    &["--engine", "cegar"],
    &["--engine", "combined"],
    &["--engine", "bmc", "--bound", "6"],
    &["--engine", "kind", "--bound", "6"],
    &["--engine", "linear"],
];

/// One run of `thetis check`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// The model, seen from the root, and how it is asked.
    pub arguments: Vec<String>,
}

impl Task {
    fn of(model: &Path, arguments: &[String]) -> Task {
        let inside = |path: &Path| path.strip_prefix(root()).unwrap_or(path).display().to_string();
        let arguments = arguments.iter().map(|argument| inside(Path::new(argument)));
        Task { arguments: std::iter::once(inside(model)).chain(arguments).collect() }
    }

    /// Its name: what follows `thetis check` in a shell at the root.
    pub fn line(&self) -> String {
        self.arguments.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-+=./,:".contains(&byte);
    match !word.is_empty() && word.bytes().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Where a corpus would be.
pub fn corpus_folder() -> PathBuf {
    root().join("..").join("shared").join("corpus")
}

/// The cases: each question by itself to each engine, all questions of a model at once, and what
/// is listed about timed statecharts.
pub fn cases() -> Result<Vec<Task>, String> {
    let mut tasks = vec![];
    for model in files(&root().join("cases"), &["xsts", "xta", "xml", "pnml"])? {
        let text =
            std::fs::read_to_string(&model).map_err(|error| format!("{}: {error}", model.display()))?;
        let questions = header(&text);
        if questions.is_empty() {
            // It is wrong, and is refused before any engine sees it.
            tasks.push(Task::of(&model, &[]));
        }
        for question in &questions {
            tasks.push(Task::of(&model, question));
            for engine in ENGINES {
                let engine = engine.iter().map(|&word| word.to_owned());
                tasks.push(Task::of(&model, &question.iter().cloned().chain(engine).collect::<Vec<_>>()));
            }
        }
        let together: Vec<String> =
            questions.iter().filter(|one| one.len() == 2).flatten().cloned().collect();
        if together.len() > 2 {
            tasks.push(Task::of(&model, &together));
        }
    }
    tasks.extend(timed_questions()?.into_iter().filter(|task| task.arguments[0].starts_with("cases")));
    Ok(once(tasks))
}

/// The models of a corpus, each with its questions under the default engine.
pub fn corpus(folder: &Path) -> Result<Vec<Task>, String> {
    let mut tasks = vec![];
    let mut listed = BTreeSet::new();
    for list in ["manifest.csv", "wild/manifest.csv"] {
        let Ok(text) = std::fs::read_to_string(folder.join(list)) else { continue };
        for line in records(&text).iter().skip(1) {
            let fields = fields(line);
            let [_, formalism, model, property, kind, ..] = &fields[..] else {
                return Err(format!("{list}: `{line}`"));
            };
            let model = folder.join(model);
            // Those in the document are asked at once, as they stand there.
            if has_extension(&model, &["xml"]) && !listed.contains(&model) {
                tasks.push(Task::of(&model, &["--all".to_owned()]));
            }
            let net = formalism == "petri" || kind == "pnml";
            tasks.extend(asked(folder, net, property).iter().map(|question| Task::of(&model, question)));
            listed.insert(model);
        }
    }
    for model in files(folder, &["xsts", "xta", "pnml"])? {
        if !listed.contains(&model) {
            tasks.extend(unlisted(&model)?.iter().map(|question| Task::of(&model, question)));
        }
    }
    tasks.extend(timed_questions()?.into_iter().filter(|task| !task.arguments[0].starts_with("cases")));
    Ok(once(tasks))
}

fn timed_questions() -> Result<Vec<Task>, String> {
    Ok(timed::tasks()?.iter().map(|task| Task::of(&task.model, &task.arguments)).collect())
}

/// Each task once.
fn once(mut tasks: Vec<Task>) -> Vec<Task> {
    let mut seen = BTreeSet::new();
    tasks.retain(|task| seen.insert(task.arguments.clone()));
    tasks
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|extension| extensions.iter().any(|one| extension == *one))
}

/// The files below a folder with one of these extensions, in order.
fn files(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut paths: Vec<PathBuf> = vec![];
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.sort();
    let mut list = vec![];
    for path in paths {
        match path.is_dir() {
            true => list.extend(files(&path, extensions)?),
            false if has_extension(&path, extensions) => list.push(path),
            false => {}
        }
    }
    Ok(list)
}

fn property(text: &str) -> Vec<String> {
    vec!["-p".to_owned(), text.to_owned()]
}

fn property_file(path: &Path) -> Vec<String> {
    vec!["--property-file".to_owned(), path.display().to_string()]
}

/// The questions in the header of a case; `cases/README.md` says what its keys mean.
fn header(text: &str) -> Vec<Vec<String>> {
    let mut questions: Vec<Vec<String>> = vec![];
    for (key, value) in text.lines().filter_map(entry) {
        match key {
            "property" | "query" => questions.push(property(value)),
            "expect" | "states" | "options" if questions.is_empty() => questions.push(vec![]),
            _ => {}
        }
        let Some(question) = questions.last_mut() else { continue };
        match key {
            "states" => question.extend(["--check-states".to_owned(), value.to_owned()]),
            "options" => {
                for (name, value) in value.split_whitespace().filter_map(|option| option.split_once('=')) {
                    let name = if name == "limit" { "--state-limit".to_owned() } else { format!("--{name}") };
                    question.extend([name, value.to_owned()]);
                }
            }
            _ => {}
        }
    }
    questions
}

/// The key and the value of a comment.
fn entry(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let markup = || line.strip_prefix("<!--")?.strip_suffix("-->");
    let (key, value) = line.strip_prefix("//").or_else(markup)?.trim().split_once(": ")?;
    Some((key, value.trim()))
}

/// The records of a list, some of which have quoted fields of several lines.
pub fn records(text: &str) -> Vec<String> {
    let mut records: Vec<String> = vec![];
    let mut open = false;
    for line in text.lines() {
        match records.last_mut().filter(|_| open) {
            Some(record) => *record += &format!("\n{line}"),
            None => records.push(line.to_owned()),
        }
        open ^= line.matches('"').count() % 2 == 1;
    }
    records
}

/// How a property of a list is asked: a file of the corpus or a text. Some lists say in words what they mean.
fn asked(folder: &Path, net: bool, text: &str) -> Vec<Vec<String>> {
    let file = folder.join(text);
    match text {
        "" => vec![vec![]],
        _ if file.is_file() => vec![property_file(&file)],
        _ if text.starts_with("none") => vec![property(if net { "true" } else { "A[] true" })],
        // A file of formulas that is not there.
        _ if net && (text.contains(".xml#") || text.ends_with(".xml")) => safe_and_live(),
        _ if net => {
            text.split("; ").map(|one| property(one.split(" (every").next().unwrap_or(one))).collect()
        }
        _ => vec![property(text)],
    }
}

fn safe_and_live() -> Vec<Vec<String>> {
    vec![property("1-safe"), property("deadlock-free")]
}

/// What a model is asked that no list mentions.
fn unlisted(model: &Path) -> Result<Vec<Vec<String>>, String> {
    if has_extension(model, &["xta"]) {
        return Ok(vec![property("A[] true"), property("A[] not deadlock")]);
    }
    let folder = model.parent().unwrap_or(model);
    if has_extension(model, &["pnml"]) {
        let formulas = files(folder, &["xml"])?;
        return Ok(safe_and_live()
            .into_iter()
            .chain(formulas.iter().map(|file| property_file(file)))
            .collect());
    }
    let beside = model.with_extension("prop");
    Ok(if beside.is_file() { vec![property_file(&beside)] } else { vec![vec![]] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_say_what_is_asked() {
        let check = |text: &str, expected: &[&str]| {
            let questions: Vec<String> = header(text).iter().map(|one| one.join(" ")).collect();
            assert_eq!(questions, expected, "{text}");
        };
        check("// property: x <= 5\n// expect: holds\nvar x : integer;", &["-p x <= 5"]);
        check(
            "// expect: holds\n// property: x > 6\n// states: stable\n// options: search=dfs limit=9\n// expect: holds",
            &["", "-p x > 6 --check-states stable --search dfs --state-limit 9"],
        );
        check("<!-- query: E<> P.A -->\n<!-- expect: holds -->\n<!-- A comment. -->", &["-p E<> P.A"]);
        check("// error: 3: there is no `x`", &[]);
    }

    #[test]
    fn records_may_have_several_lines() {
        let list = "id,property\na,\"x\ny\"\nb,\"say \"\"z\"\", now\"\nc,";
        let records = records(list);
        assert_eq!(records, ["id,property", "a,\"x\ny\"", "b,\"say \"\"z\"\", now\"", "c,"]);
        assert_eq!(fields(&records[1]), ["a", "x\ny"]);
        assert_eq!(fields(&records[2]), ["b", "say \"z\", now"]);
        assert_eq!(fields("\"\",\"\"\"\",x"), ["", "\"", "x"]);
    }

    #[test]
    fn a_list_may_ask_in_words() {
        let check = |net: bool, text: &str, expected: &[&str]| {
            let questions: Vec<String> =
                asked(Path::new("/nowhere"), net, text).iter().map(|one| one.join(" ")).collect();
            assert_eq!(questions, expected, "{text}");
        };
        check(false, "", &[""]);
        check(false, "A[] not deadlock", &["-p A[] not deadlock"]);
        check(false, "none (explore all)", &["-p A[] true"]);
        check(true, "none (explore all)", &["-p true"]);
        check(true, "1-safe (every place <= 1 token)", &["-p 1-safe"]);
        check(true, "deadlock-free; 1-safe", &["-p deadlock-free", "-p 1-safe"]);
        check(true, "net/query.xml#F-1", &["-p 1-safe", "-p deadlock-free"]);
    }

    #[test]
    fn a_task_is_called_as_a_shell_would_read_it() {
        let task = Task::of(&root().join("cases/a.xsts"), &["-p".to_owned(), "it's > 0".to_owned()]);
        assert_eq!(task.line(), r"cases/a.xsts -p 'it'\''s > 0'");
    }

    #[test]
    fn every_case_is_asked_something_once() {
        let tasks = cases().expect("cases");
        let mut lines: Vec<String> = tasks.iter().map(Task::line).collect();
        for model in files(&root().join("cases"), &["xsts", "xta", "xml", "pnml"]).expect("cases") {
            let name = model.strip_prefix(root()).expect("below the root").display().to_string();
            let own: Vec<&Task> = tasks.iter().filter(|task| task.arguments[0] == name).collect();
            let bad = model.parent().is_some_and(|folder| folder.ends_with("bad"));
            // A model that is refused has no questions; every question meets every engine.
            assert_eq!(own.len() == 1 && own[0].arguments.len() == 1, bad, "{name}");
            assert!(bad || own.len() > ENGINES.len(), "{name}");
        }
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), tasks.len(), "two tasks have the same name");
    }
}
