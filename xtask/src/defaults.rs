//! The program as it comes: `thetis check` with default options, one process for each question.
//!
//! Times are those of the processor, all threads of the process together, so that they do not depend on who
//! else is at work. They and the memory are looked at every millisecond, where the system tells: what happens
//! after the last look is missing.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::shell::{build_thetis, root, watch};

/// What is aimed at.
#[derive(Copy, Clone)]
pub struct Aims {
    /// Seconds in the median.
    pub median: f64,
    /// Seconds at worst.
    pub worst: f64,
    pub megabytes: f64,
}

const AIMS: Aims = Aims { median: 0.1, worst: 2.0, megabytes: 200.0 };

/// A question with its answer.
pub struct Task {
    pub id: String,
    pub model: PathBuf,
    /// How it is asked.
    pub arguments: Vec<String>,
    /// `holds`, `violated`, or empty if nobody knows.
    pub expected: String,
    pub family: &'static str,
}

/// What came of it.
struct Outcome {
    /// Of each question, if there are several.
    verdict: String,
    by: String,
    calls: u64,
    seconds: f64,
    megabytes: f64,
}

pub fn bench(arguments: &[String]) -> Result<(), String> {
    let all = arguments.iter().any(|argument| argument == "--all");
    let rest: Vec<String> = arguments.iter().filter(|argument| *argument != "--all").cloned().collect();
    let (seconds, tasks) = wanted(&rest, tasks()?)?;
    let program = build_thetis()?;
    match all {
        true => together(&program, &tasks, &seconds),
        false => measure(&program, tasks, &seconds, &[STATECHARTS, NETS, SMALL], AIMS),
    }
}

/// How many seconds each question has, and which are asked: `[--seconds N] [FILTER]`.
pub fn wanted(arguments: &[String], mut tasks: Vec<Task>) -> Result<(String, Vec<Task>), String> {
    let (mut seconds, mut filter) = ("60".to_owned(), "");
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--seconds" => {
                seconds.clone_from(rest.next().ok_or("`--seconds` needs a number; see --help")?);
                seconds
                    .parse::<u32>()
                    .map_err(|_| format!("`{seconds}` is no number of seconds; see --help"))?;
            }
            option if option.starts_with('-') => {
                return Err(format!("unexpected option `{option}`; see --help"));
            }
            name => filter = name,
        }
    }
    tasks.retain(|task| task.id.contains(filter));
    match tasks.is_empty() {
        true => Err(format!("no question is called `{filter}`")),
        false => Ok((seconds, tasks)),
    }
}

/// Asks every question by itself; fails if a verdict is wrong or missing.
pub fn measure(
    program: &Path,
    tasks: Vec<Task>,
    seconds: &str,
    families: &[&str],
    aims: Aims,
) -> Result<(), String> {
    let width = tasks.iter().map(|task| task.id.len()).max().unwrap_or(0);
    println!("{:<width$}  {:<9}{:>8}{:>8}{:>7}  by", "question", "verdict", "s", "MB", "calls");
    let mut done = vec![];
    let mut wrong = vec![];
    for task in tasks {
        let found = run(program, &task, seconds)?;
        let (s, mb) = (found.seconds, found.megabytes);
        let right = task.expected.is_empty() || found.verdict == task.expected;
        let mark = match right {
            false => "  WRONG",
            true if s > aims.worst || mb > aims.megabytes => "  MISSES",
            true => "",
        };
        println!(
            "{:<width$}  {:<9}{s:>8.3}{mb:>8.1}{:>7}  {}{mark}",
            task.id, found.verdict, found.calls, found.by
        );
        if !right {
            wrong.push(format!("{}: {}, not {}", task.id, found.verdict, task.expected));
        }
        done.push((task.family, s, mb));
    }
    println!();
    for family in families {
        let mut times: Vec<f64> = done.iter().filter(|(of, ..)| of == family).map(|(_, s, _)| *s).collect();
        if times.is_empty() {
            continue;
        }
        times.sort_by(f64::total_cmp);
        let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
        let memory = done.iter().filter(|(of, ..)| of == family).map(|(_, _, mb)| *mb).fold(0.0, f64::max);
        let judge = |value: f64, aim: f64| if value < aim { "within" } else { "MISSES" };
        println!("{family}, {} questions:", times.len());
        println!("  median  {median:>8.3} s   {} {} s", judge(median, aims.median), aims.median);
        println!("  worst   {worst:>8.3} s   {} {} s", judge(worst, aims.worst), aims.worst);
        println!("  memory  {memory:>8.1} MB  {} {} MB", judge(memory, aims.megabytes), aims.megabytes);
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// What all questions of a model are to cost at most, beside those of each.
const TOGETHER: f64 = 0.5;

/// All questions of each model in one run, beside a run for each of them.
fn together(program: &Path, tasks: &[Task], seconds: &str) -> Result<(), String> {
    let mut models: Vec<&Path> = tasks.iter().map(|task| task.model.as_path()).collect();
    models.sort_unstable();
    models.dedup();
    println!("{:<40}{:>10}{:>12}{:>12}{:>8}", "model", "questions", "each s", "together s", "ratio");
    let mut wrong = vec![];
    for model in models {
        let asked: Vec<&Task> = tasks.iter().filter(|task| task.model == model).collect();
        let name = model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        // A model's own question has no arguments, and is asked with the others by another option.
        if asked.len() < 2 || asked.iter().any(|task| task.arguments.is_empty()) {
            continue;
        }
        let (mut each, mut verdicts) = (0.0, vec![]);
        for task in &asked {
            let found = run(program, task, seconds)?;
            each += found.seconds;
            verdicts.push(found.verdict);
        }
        let arguments = asked.iter().flat_map(|task| task.arguments.clone()).collect();
        let (model, family) = (model.to_owned(), asked[0].family);
        let task = Task { id: name.clone(), model, arguments, expected: String::new(), family };
        let found = run(program, &task, seconds)?;
        let ratio = found.seconds / each;
        let mark = if ratio < TOGETHER { "" } else { "  MISSES" };
        println!("{name:<40}{:>10}{each:>12.3}{:>12.3}{ratio:>8.2}{mark}", asked.len(), found.seconds);
        let verdicts = verdicts.join(", ");
        if found.verdict != verdicts {
            wrong.push(format!("{name}: together {}, but each {verdicts}", found.verdict));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

const STATECHARTS: &str = "statecharts";
const NETS: &str = "Petri nets";
const SMALL: &str = "small models";

/// The questions of the corpus, or else those of our own nets.
fn tasks() -> Result<Vec<Task>, String> {
    let corpus = root().join("..").join("shared").join("corpus");
    match std::fs::read_to_string(corpus.join("manifest.csv")) {
        Ok(manifest) => Ok(manifest.lines().filter_map(|line| listed(&corpus, line)).collect()),
        Err(_) => cases(),
    }
}

fn listed(corpus: &Path, line: &str) -> Option<Task> {
    let fields: Vec<&str> = line.split(',').collect();
    let [id, formalism, model, property, kind, expected, ..] = fields[..] else { return None };
    let expected = match expected {
        "safe" => "holds",
        "unsafe" => "violated",
        _ => "",
    };
    let (family, arguments) = match (formalism, kind) {
        ("xsts", "safety") => {
            let large = ["COID", "INPE", "TrafficLight", "cross"].iter().any(|name| id.contains(name));
            let family = if large { STATECHARTS } else { SMALL };
            let file = corpus.join(property);
            (
                family,
                match property {
                    "" => vec![],
                    name if name.ends_with(".prop") => {
                        vec!["--property-file".to_owned(), file.display().to_string()]
                    }
                    text => vec!["-p".to_owned(), text.to_owned()],
                },
            )
        }
        ("petri", "safety") => (NETS, vec!["-p".to_owned(), "1-safe".to_owned()]),
        ("petri", "deadlock") => (NETS, vec!["-p".to_owned(), "deadlock-free".to_owned()]),
        _ => return None,
    };
    // Nobody says what is right of these, and small ones say nothing about speed.
    if expected.is_empty() && family == SMALL {
        return None;
    }
    let expected = expected.to_owned();
    Some(Task { id: id.to_owned(), model: corpus.join(model), arguments, expected, family })
}

/// Our own nets, each with what its comments ask.
fn cases() -> Result<Vec<Task>, String> {
    let folder = root().join("cases").join("pnml");
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut tasks = vec![];
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_file()) {
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let said = |key: &'static str| {
            let value = move |line: &str| {
                let comment = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?.trim();
                Some(comment.strip_prefix(key)?.to_owned())
            };
            text.lines().filter_map(value).collect::<Vec<String>>()
        };
        for (property, expect) in said("property: ").into_iter().zip(said("expect: ")) {
            let Some(expected) = ["holds", "violated"].into_iter().find(|word| expect.starts_with(word))
            else {
                continue;
            };
            tasks.push(Task {
                id: format!("{} {property}", path.file_stem().unwrap_or_default().to_string_lossy()),
                model: path.clone(),
                arguments: vec!["-p".to_owned(), property],
                expected: expected.to_owned(),
                family: NETS,
            });
        }
    }
    tasks.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(tasks)
}

fn run(program: &Path, task: &Task, seconds: &str) -> Result<Outcome, String> {
    let mut command = Command::new(program);
    command.arg("check").arg(&task.model).args(&task.arguments).args(["--timeout", seconds, "--json"]);
    let (mut used, mut memory) = (0, 0);
    let (_, text) = watch(&mut command, |child| {
        used = used.max(nanoseconds(child.id()));
        memory = memory.max(peak_kilobytes(child.id()));
    })?;
    let report: Value = serde_json::from_str(&text).map_err(|error| format!("{command:?}: {error}"))?;
    let record = &report["properties"][0];
    let statistics = &record["statistics"];
    let calls = ["cegar", "bounded"].iter().find_map(|of| statistics[of]["solver_calls"].as_u64());
    let verdict = |record: &Value| {
        let certified = record["certified"].as_bool() == Some(true);
        match record["verdict"].as_str().unwrap_or("none") {
            verdict if certified || verdict == "unknown" => verdict.to_owned(),
            verdict => format!("{verdict}, not certified"),
        }
    };
    let records = report["properties"].as_array().map_or(&[][..], Vec::as_slice);
    Ok(Outcome {
        verdict: records.iter().map(verdict).collect::<Vec<_>>().join(", "),
        by: statistics["configuration"].as_str().or(record["reason"].as_str()).unwrap_or("").to_owned(),
        calls: calls.unwrap_or(0),
        seconds: used as f64 / 1e9,
        megabytes: memory as f64 * 1024.0 / 1e6,
    })
}

/// How long all threads of a process have run on a processor.
pub fn nanoseconds(process: u32) -> u64 {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else { return 0 };
    let used = |thread: std::io::Result<std::fs::DirEntry>| {
        let text = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    };
    threads.filter_map(used).sum()
}

/// The most memory that a process has had resident.
fn peak_kilobytes(process: u32) -> u64 {
    let peak = || {
        let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().trim_end_matches("kB").trim_end().parse().ok()
    };
    peak().unwrap_or(0)
}
