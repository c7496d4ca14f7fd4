//! Tasks: a timed model, a question, and what should come out; each run in a process of its own.

#[path = "../../../lang/testing/fields.rs"]
mod fields;

use std::path::{Path, PathBuf};

use engine::Config;
use ir::{Claim, System};
use lang::{xsts, xta};

use crate::outcome::Outcome;
use crate::{apart, choice, outcome};

/// A question with its answer.
#[derive(Clone, Debug)]
pub struct Task {
    /// Its name.
    pub id: String,
    model: PathBuf,
    /// What is asked; empty for the model's own property.
    question: String,
    /// `holds`, `violated`, or empty if nobody says.
    pub expected: String,
    /// Whether it is of the corpus.
    pub listed: bool,
}

/// The timed tasks of a corpus beside the workspace, if there is one, and those of the project.
pub fn all() -> Result<Vec<Task>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let corpus = root.join("../shared/corpus");
    let mut tasks = match std::fs::read_to_string(corpus.join("manifest.csv")) {
        Ok(manifest) => listed(&corpus, &manifest),
        Err(_) => vec![],
    };
    for folder in ["examples", "cases/xta", "cases/xsts"] {
        own(&root.join(folder), &mut tasks)?;
    }
    Ok(tasks)
}

fn listed(corpus: &Path, manifest: &str) -> Vec<Task> {
    let mut tasks = vec![];
    for line in manifest.lines().skip(1) {
        let fields = fields::fields(line);
        let [id, formalism, model, question, _, expected, ..] = &fields[..] else { continue };
        if formalism == "xta" {
            let question = if question.starts_with("none") { "A[] true" } else { question };
            let expected = if expected == "unknown" { "" } else { expected };
            tasks.push(Task {
                id: id.trim_start_matches("xta-").to_owned(),
                model: corpus.join(model),
                question: question.to_owned(),
                expected: expected.to_owned(),
                listed: true,
            });
        }
    }
    tasks
}

/// The questions in the comments of models that have a verdict, or else a model's own.
fn own(folder: &Path, tasks: &mut Vec<Task>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut models: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    models.retain(|model| model.is_file());
    models.sort();
    for model in models {
        let text = std::fs::read_to_string(&model).map_err(|error| error.to_string())?;
        let timed = matches!(ending(&model), "xta" | "xml") || text.contains("clock");
        if !timed || ending(&model) == "pnml" || text.contains("// states: ") {
            continue;
        }
        let stem = model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut number = 0;
        let mut add = |question: &str, expected: &str| {
            number += 1;
            let id = if number == 1 { stem.clone() } else { format!("{stem} {number}") };
            let (model, question, expected) = (model.clone(), question.to_owned(), expected.to_owned());
            tasks.push(Task { id, model, question, expected, listed: false });
        };
        let (mut question, mut asked) = (String::new(), false);
        for line in text.lines().map(|line| line.trim().trim_start_matches("<!-- ").trim_end_matches(" -->"))
        {
            let said = |key: &str| line.trim_start_matches("// ").strip_prefix(key).map(str::trim);
            if let Some(next) = said("query: ").or(said("property: ")) {
                question = next.to_owned();
            }
            if let Some(expected) = said("expect: ").and_then(|text| text.split_whitespace().next()) {
                asked = true;
                if matches!(expected, "holds" | "violated") {
                    add(&question, expected);
                }
            }
        }
        if !asked {
            add("", "");
        }
    }
    Ok(())
}

fn ending(path: &Path) -> &str {
    path.extension().and_then(|ending| ending.to_str()).unwrap_or_default()
}

impl Task {
    /// Runs it under every configuration, in one process as long as that lives.
    pub fn run(&self, configs: &[String], seconds: f64) -> Result<Vec<Outcome>, String> {
        let seconds = seconds.to_string();
        apart::run(&[self.model.as_ref(), self.question.as_ref(), seconds.as_ref()], configs, false)
    }
}

/// Runs configurations on one model and prints a line for each.
pub fn child(arguments: &[String]) -> Result<(), String> {
    let [model, question, seconds, configs @ ..] = arguments else {
        return Err("usage: task MODEL QUESTION SECONDS CONFIG…".to_owned());
    };
    let seconds: f64 = seconds.parse().map_err(|_| "no number of seconds".to_owned())?;
    let loaded = load(Path::new(model), question);
    apart::answer(configs, |config| match &loaded {
        Err(reason) => Ok(Outcome::of("unread", reason.clone())),
        Ok((system, claim)) => Ok(quickest(system, *claim, &choice::read(config)?, seconds)),
    })
}

/// What a configuration makes of a question; what is over soon is repeated, and the quickest counts.
fn quickest(system: &System, claim: Claim, config: &Config, seconds: f64) -> Outcome {
    let (mut best, mut rounds) = (Outcome::default(), 0);
    while rounds == 0 || rounds < 3 && best.is_decided() && best.seconds < 0.05 {
        let next = outcome::measure(system, claim, config, seconds);
        if rounds == 0 || next.seconds < best.seconds {
            best = next;
        }
        rounds += 1;
    }
    best
}

fn load(path: &Path, question: &str) -> Result<(System, Claim), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let first = |errors: Vec<lang::diagnostic::Diagnostic>| errors[0].message.clone();
    if ending(path) == "xsts" {
        let mut model = xsts::load(&text).map_err(first)?;
        let property = match question {
            "" => model.property().ok_or("the model has no property")?,
            text => model.parse_property("p", text).map_err(first)?,
        };
        return Ok((model.system, property.claim));
    }
    let format = if ending(path) == "xml" { xta::Format::Xml } else { xta::Format::Xta };
    let mut model = xta::load(&text, format).map_err(first)?;
    let question = match (question, model.questions.first()) {
        ("", Some(Ok(own))) => own.text.clone(),
        ("", Some(Err(misread))) => misread.text.clone(),
        ("", None) => "A[] true".to_owned(),
        (question, _) => question.to_owned(),
    };
    let property = model.parse_property("p", &question).map_err(first)?;
    Ok((model.system, property.claim))
}
