//! Tasks: a model, a property, and what should come out; each run in processes of their own.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use engine::{Answer, Quiet, Reason, Stop};
use lang::xsts;

use crate::{choices, meter};

/// A question with its answer.
#[derive(Clone, Debug)]
pub struct Task {
    /// Its name.
    pub id: String,
    model: PathBuf,
    /// The text of the property; empty for the model's own.
    property: String,
    /// `safe`, `unsafe`, or empty if nobody knows.
    pub expected: String,
}

/// What a configuration made of a task.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// `safe`, `unsafe`, `unknown`, or what went wrong.
    pub word: String,
    /// Why it is unknown, or what went wrong.
    pub reason: String,
    /// Time of the search.
    pub seconds: f64,
    /// Time of certification.
    pub certify: f64,
    /// Questions to the solver.
    pub calls: u64,
    /// Traces refuted in another way than the one asked for.
    pub replaced: u64,
    /// Nodes of the last graph.
    pub nodes: u64,
    /// Explorations.
    pub iterations: u64,
    /// Variables and predicates tracked.
    pub precision: u64,
    /// The most memory that the process used, in MB.
    pub megabytes: f64,
}

impl Outcome {
    /// Whether there is a certified verdict.
    pub fn is_decided(&self) -> bool {
        matches!(self.word.as_str(), "safe" | "unsafe")
    }
    /// Whether it is a mistake: another verdict, refused evidence, a panic, or a failing solver.
    pub fn is_wrong(&self, task: &Task) -> bool {
        match self.word.as_str() {
            "safe" | "unsafe" => !task.expected.is_empty() && self.word != task.expected,
            word => word != "unknown",
        }
    }
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
        let expected = if expected == "unknown" { "" } else { expected };
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
            let expected = match expected {
                Some("holds") => "safe",
                Some("violated" | "fault") => "unsafe",
                _ => continue,
            };
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
    pub fn run(&self, configs: &[String], seconds: f64, apart: bool) -> Result<Vec<Outcome>, String> {
        let mut outcomes: Vec<Outcome> = vec![];
        while outcomes.len() < configs.len() {
            let rest = &configs[outcomes.len()..];
            let rest = if apart { &rest[..1] } else { rest };
            let program = std::env::current_exe().map_err(|error| error.to_string())?;
            let mut command = Command::new(program);
            command.arg("task").arg(&self.model).arg(&self.property).arg(seconds.to_string()).args(rest);
            let output = command.output().map_err(|error| error.to_string())?;
            let before = outcomes.len();
            outcomes.extend(String::from_utf8_lossy(&output.stdout).lines().filter_map(Outcome::read));
            if outcomes.len() == before
                || (outcomes.len() - before < rest.len() && output.status.code() != Some(9))
            {
                let text = String::from_utf8_lossy(&output.stderr).into_owned();
                let reason =
                    format!("{}: {}", output.status, text.lines().take(3).collect::<Vec<_>>().join(" "));
                outcomes.push(Outcome { word: "died".into(), reason, ..Outcome::default() });
            }
        }
        Ok(outcomes)
    }
}

impl Outcome {
    fn line(&self) -> String {
        let Outcome {
            word,
            reason,
            seconds,
            certify,
            calls,
            replaced,
            nodes,
            iterations,
            precision,
            megabytes,
        } = self;
        let reason = reason.replace(['\t', '\n'], " ");
        format!(
            "{word}\t{reason}\t{seconds}\t{certify}\t{calls}\t{replaced}\t{nodes}\t{iterations}\t{precision}\t{megabytes}"
        )
    }
    fn read(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [word, reason, seconds, certify, calls, replaced, nodes, iterations, precision, megabytes] =
            fields[..]
        else {
            return None;
        };
        Some(Outcome {
            word: word.to_owned(),
            reason: reason.to_owned(),
            seconds: seconds.parse().ok()?,
            certify: certify.parse().ok()?,
            calls: calls.parse().ok()?,
            replaced: replaced.parse().ok()?,
            nodes: nodes.parse().ok()?,
            iterations: iterations.parse().ok()?,
            precision: precision.parse().ok()?,
            megabytes: megabytes.parse().ok()?,
        })
    }
}

/// Runs configurations on one model and prints a line for each.
pub fn child(arguments: &[String]) -> Result<(), String> {
    let [model, property, seconds, configs @ ..] = arguments else {
        return Err("usage: task MODEL PROPERTY SECONDS CONFIG…".to_owned());
    };
    let seconds: f64 = seconds.parse().map_err(|_| "no number of seconds".to_owned())?;
    let source = std::fs::read_to_string(model).map_err(|error| format!("{model}: {error}"))?;
    for config in configs {
        let outcome = measure(&source, property, seconds, config)?;
        let late = outcome.word == "deaf";
        println!("{}", outcome.line());
        let _ = std::io::stdout().flush();
        if late {
            // The search still runs in another thread.
            std::process::exit(9);
        }
    }
    Ok(())
}

fn measure(source: &str, property: &str, limit: f64, config: &str) -> Result<Outcome, String> {
    let config = choices::read(config)?;
    let first = |errors: Vec<lang::diagnostic::Diagnostic>| errors[0].message.clone();
    let mut model = xsts::load(source).map_err(first)?;
    let property = match property {
        "" => model.property.take().ok_or("the model has no property")?,
        text => model.parse_property("p", text).map_err(first)?,
    };
    let target = model.system.target(property.claim);
    let measured = meter::within(limit, move |stop| {
        let start = meter::processor();
        let (answer, statistics) = engine::search(&model.system, target, &config, stop, &mut Quiet);
        let (start, seconds) = (meter::processor(), meter::processor() - start);
        let fresh = Stop::new();
        let (word, reason) = match answer {
            Answer::Reachable(run) => match certify::check_run(&model.system, target, &run, fresh.flag()) {
                Ok(_) => ("unsafe", String::new()),
                Err(why) => ("refused", why.to_string()),
            },
            Answer::Unreachable(certificate) => {
                match certify::check_certificate(&model.system, target, &certificate, fresh.flag()) {
                    Ok(()) => ("safe", String::new()),
                    Err(why) => ("refused", why.to_string()),
                }
            }
            Answer::Unknown(reason @ Reason::Solver(_)) => ("solver", reason.to_string()),
            Answer::Unknown(reason) => ("unknown", reason.to_string()),
        };
        let cegar = statistics.cegar.unwrap_or_default();
        Outcome {
            word: word.to_owned(),
            reason,
            seconds,
            certify: meter::processor() - start,
            calls: cegar.solver_calls,
            replaced: cegar.replaced,
            nodes: cegar.nodes,
            iterations: cegar.iterations,
            precision: cegar.variables + cegar.predicates,
            megabytes: 0.0,
        }
    });
    let outcome = measured.unwrap_or_else(|word| Outcome { word: word.into(), ..Outcome::default() });
    Ok(Outcome { megabytes: peak(), ..outcome })
}

/// The most memory that this process has used, in MB; 0 where nobody tells.
fn peak() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        line.and_then(|line| line.split_whitespace().next()).and_then(|number| number.parse().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}
