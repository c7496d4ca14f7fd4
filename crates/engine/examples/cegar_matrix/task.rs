//! Tasks: a model, a property, and what should come out; each run in processes of their own.

use std::path::{Path, PathBuf};

use lang::xsts;

use crate::outcome::Outcome;
use crate::{apart, choices, outcome};

/// A question with its answer.
#[derive(Clone, Debug)]
pub struct Task {
    /// Its name.
    pub id: String,
    model: PathBuf,
    /// The text of the property; empty for the model's own.
    property: String,
    /// `holds`, `violated`, `fault`, or empty if nobody knows.
    pub expected: String,
}

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The tasks of the corpus beside the workspace, or else the cases of the project, and which they are.
pub fn all() -> Result<(String, Vec<Task>), String> {
    let corpus = root().join("../shared/corpus");
    match std::fs::read_to_string(corpus.join("manifest.csv")) {
        Ok(manifest) => Ok(("the XSTS safety tasks of the corpus".to_owned(), listed(&corpus, &manifest)?)),
        Err(_) => Ok(("the cases in `cases/xsts`".to_owned(), cases()?)),
    }
}

fn listed(corpus: &Path, manifest: &str) -> Result<Vec<Task>, String> {
    let mut tasks = vec![];
    for line in manifest.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [id, "xsts", model, property, "safety", expected, ..] = fields[..] else { continue };
        let property = match property.ends_with(".prop") {
            true => std::fs::read_to_string(corpus.join(property))
                .map_err(|error| format!("{property}: {error}"))?,
            false => property.to_owned(),
        };
        let expected = match expected {
            "safe" => "holds",
            "unsafe" => "violated",
            _ => "",
        };
        let (model, id) = (corpus.join(model), id.trim_start_matches("xsts-").to_owned());
        tasks.push(Task { id, model, property, expected: expected.to_owned() });
    }
    Ok(tasks)
}

/// The questions of the cases that have a verdict.
fn cases() -> Result<Vec<Task>, String> {
    let folder = root().join("cases/xsts");
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    let mut tasks: Vec<Task> = vec![];
    for model in paths {
        let text = std::fs::read_to_string(&model).map_err(|error| error.to_string())?;
        let stem = model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut property = String::new();
        for line in text.lines() {
            if let Some(next) = line.strip_prefix("// property: ") {
                property = next.trim().to_owned();
            }
            // Questions about some of the states only are left out.
            let expected = line.strip_prefix("// expect: ").and_then(|text| text.split_whitespace().next());
            let Some(expected @ ("holds" | "violated" | "fault")) = expected else { continue };
            if !text.contains("// states: ") {
                let id = format!("{stem}-{}", tasks.len());
                let (model, property) = (model.clone(), property.clone());
                tasks.push(Task { id, model, property, expected: expected.to_owned() });
            }
        }
    }
    Ok(tasks)
}

impl Task {
    /// Runs it under every configuration, in one process as long as that lives, or in one for each.
    pub fn run(&self, configs: &[String], seconds: f64, each: bool) -> Result<Vec<Outcome>, String> {
        let seconds = seconds.to_string();
        apart::run(&[self.model.as_ref(), self.property.as_ref(), seconds.as_ref()], configs, each)
    }
}

/// Runs configurations on one model and prints a line for each.
pub fn child(arguments: &[String]) -> Result<(), String> {
    let [model, property, seconds, configs @ ..] = arguments else {
        return Err("usage: task MODEL PROPERTY SECONDS CONFIG…".to_owned());
    };
    let seconds: f64 = seconds.parse().map_err(|_| "no number of seconds".to_owned())?;
    let source = std::fs::read_to_string(model).map_err(|error| format!("{model}: {error}"))?;
    let first = |errors: Vec<lang::diagnostic::Diagnostic>| errors[0].message.clone();
    let mut model = xsts::load(&source).map_err(first)?;
    let property = match property.as_str() {
        "" => model.property().ok_or("the model has no property")?,
        text => model.parse_property("p", text).map_err(first)?,
    };
    apart::answer(configs, |config| {
        Ok(outcome::measure(&model.system, property.claim, &choices::read(config)?, seconds))
    })
}
