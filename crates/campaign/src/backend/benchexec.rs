//! Jobs under BenchExec: a benchmark definition with a run definition for each configuration, a task definition for each
//! question, and results that are read back from its XML.
//!
//! BenchExec measures and enforces limits by control groups, and makes tables of its own; what it finds out becomes
//! results of the campaign all the same. Evidence is not kept, since it runs commands in folders that it throws away.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Campaign, printed};
use crate::error::{Error, Outside};
use crate::folder;
use crate::id::Id;
use crate::plan::{Job, Limits};
use crate::record::{self, Answer, End, Limit, Record};
use crate::tasks::Expected;

/// Runs what has no result, and reads the results.
///
/// # Errors
/// If BenchExec is not there or fails, or its results are not understood.
pub fn run(campaign: &Campaign<'_>) -> Result<(), Error> {
    let open = campaign.folder.open(campaign.plan);
    if open.is_empty() {
        return Ok(());
    }
    let path = campaign.folder.path().join("benchexec");
    let here = std::path::absolute(&path).map_err(Error::unreadable(&path))?;
    let _ = std::fs::remove_dir_all(&here);
    let sets = tasks(campaign, &open, &here)?;
    folder::write(&here.join("campaign.xml"), definition(campaign, &sets).as_bytes())?;
    let mut command = Command::new("benchexec");
    command.arg("campaign.xml").args(["--no-compress-results", "--outputpath", "output/"]);
    command.args(["--numOfThreads", &campaign.slots.to_string()]).args(campaign.more).current_dir(&here);
    command.env("PATH", with_program(campaign)).env("PYTHONPATH", with_module(campaign));
    printed(Outside::Benchexec, &mut command)?;
    read_back(campaign, &sets, &here)
}

/// The path with the folder of the program in front.
fn with_program(campaign: &Campaign<'_>) -> std::ffi::OsString {
    in_front(campaign.program.executable().parent().map(Path::to_owned), "PATH")
}

/// Where Python finds the tool-info module: `integrations` beside the program, as in the tree of sources, or wherever the
/// environment says.
fn with_module(campaign: &Campaign<'_>) -> std::ffi::OsString {
    let current = std::env::current_dir().unwrap_or_default();
    let around = campaign.program.executable().ancestors().chain(current.ancestors());
    let mut folders = around.map(|folder| folder.join("integrations"));
    in_front(folders.find(|folder| folder.join("bench").join("thetis.py").is_file()), "PYTHONPATH")
}

fn in_front(folder: Option<PathBuf>, variable: &str) -> std::ffi::OsString {
    let known = std::env::var_os(variable).unwrap_or_default();
    let known = std::env::split_paths(&known).filter(|path| !path.as_os_str().is_empty());
    std::env::join_paths(folder.into_iter().chain(known)).unwrap_or_default()
}

/// The jobs of a configuration in one repetition: their name, and which task is which job.
struct Set<'a> {
    name: String,
    configuration: usize,
    jobs: HashMap<String, &'a Job>,
}

/// Writes task definitions and which of them each configuration has.
fn tasks<'a>(campaign: &Campaign<'_>, open: &[&'a Job], here: &Path) -> Result<Vec<Set<'a>>, Error> {
    let mut sets: Vec<Set<'a>> = vec![];
    for job in open {
        let name = format!("c{}r{}", job.configuration, job.repetition);
        let task = format!("q{}.yml", job.question);
        let text = task_definition(campaign, job);
        folder::write(&here.join(&task), text.as_bytes())?;
        let at = sets.iter().position(|set| set.name == name).unwrap_or_else(|| {
            sets.push(Set { name, configuration: job.configuration, jobs: HashMap::new() });
            sets.len() - 1
        });
        sets[at].jobs.insert(task, job);
    }
    for set in &sets {
        let mut list: Vec<&str> = set.jobs.keys().map(String::as_str).collect();
        list.sort_unstable();
        folder::write(&here.join(&set.name).with_extension("set"), (list.join("\n") + "\n").as_bytes())?;
    }
    folder::write(&here.join("question.prp"), b"As the task says.\n")?;
    Ok(sets)
}

fn task_definition(campaign: &Campaign<'_>, job: &Job) -> String {
    let question = campaign.plan.question(job);
    // Strings of JSON are strings of YAML.
    let quoted = |text: String| serde_json::Value::String(text).to_string();
    let arguments: Vec<String> = campaign
        .program
        .asked(question)
        .into_iter()
        .map(|word| quoted(word.to_string_lossy().into_owned()))
        .collect();
    let expected = match question.expected {
        Some(Expected::Holds) => "\n    expected_verdict: true",
        Some(Expected::Violated) => "\n    expected_verdict: false",
        Some(Expected::Fault) | None => "",
    };
    format!(
        "format_version: '2.0'\ninput_files: {}\nproperties:\n  - property_file: question.prp{expected}\noptions:\n  arguments: \
         [{}]\n",
        quoted(question.model.display().to_string()),
        arguments.join(", ")
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The benchmark definition.
fn definition(campaign: &Campaign<'_>, sets: &[Set<'_>]) -> String {
    let Limits { cpu_seconds, wall_seconds, memory_mb } = campaign.plan.limits;
    let mut limits = String::new();
    if let Some(seconds) = cpu_seconds {
        let seconds = seconds.ceil().max(1.0);
        let _ = write!(limits, " timelimit=\"{seconds} s\" hardtimelimit=\"{} s\"", seconds + 2.0);
    }
    if let Some(seconds) = wall_seconds {
        let _ = write!(limits, " walltimelimit=\"{} s\"", seconds.ceil().max(1.0));
    }
    if let Some(most) = memory_mb {
        let _ = write!(limits, " memlimit=\"{most} MB\"");
    }
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE benchmark PUBLIC \"+//IDN sosy-lab.org//DTD BenchExec benchmark 2.3//EN\" \
         \"https://www.sosy-lab.org/benchexec/benchmark-2.3.dtd\">\n<benchmark tool=\"bench.thetis\" displayName=\"{}\"{limits}>\n",
        escaped(&campaign.plan.name)
    );
    for set in sets {
        let _ = writeln!(text, "  <rundefinition name=\"{}\">", set.name);
        for word in campaign.program.chosen(&campaign.plan.configurations[set.configuration].options) {
            let _ = writeln!(text, "    <option name=\"{}\"/>", escaped(&word.to_string_lossy()));
        }
        let _ = writeln!(
            text,
            "    <tasks name=\"questions\"><includesfile>{}.set</includesfile></tasks>",
            set.name
        );
        text += "  </rundefinition>\n";
    }
    text + "  <propertyfile>question.prp</propertyfile>\n</benchmark>\n"
}

/// Makes results of what BenchExec wrote.
fn read_back(campaign: &Campaign<'_>, sets: &[Set<'_>], here: &Path) -> Result<(), Error> {
    let output = here.join("output");
    let files: Vec<PathBuf> = std::fs::read_dir(&output)
        .map_err(Error::unreadable(&output))?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    let logs = files.iter().find(|path| path.is_dir());
    for path in files.iter().filter(|path| path.extension().is_some_and(|it| it == "xml")) {
        let text = std::fs::read_to_string(path).map_err(Error::unreadable(path))?;
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
        let document = roxmltree::Document::parse_with_options(&text, options)
            .map_err(|error| Error::syntax(path, None, error.to_string()))?;
        for run in document.descendants().filter(|node| node.has_tag_name("run")) {
            let Some((set, job)) = job_of(path, &run, sets) else { continue };
            let log = logs.map(|logs| logs.join(format!("{}.{}.log", set.name, task_name(&run))));
            let record = record_of(&job.id, &run, log.as_deref());
            campaign.folder.keep(&record)?;
            campaign.observer.finished(&record);
        }
    }
    Ok(())
}

fn task_name(run: &roxmltree::Node<'_, '_>) -> String {
    let name = run.attribute("name").unwrap_or_default();
    Path::new(name).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Which job a run of a result file was. There is a file for each run definition and one for each set of tasks in it.
fn job_of<'a, 'b>(
    path: &Path,
    run: &roxmltree::Node<'_, '_>,
    sets: &'b [Set<'a>],
) -> Option<(&'b Set<'a>, &'a Job)> {
    let name = path.file_name()?.to_str()?;
    let words: Vec<&str> = name.split('.').collect();
    let set = sets.iter().find(|set| words.contains(&set.name.as_str()))?;
    Some((set, set.jobs.get(&task_name(run)).copied()?))
}

/// Why BenchExec ended a run.
#[derive(serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Reason {
    Cputime,
    CputimeSoft,
    Walltime,
    Memory,
    #[serde(other)]
    Else,
}

fn record_of(id: &Id, run: &roxmltree::Node<'_, '_>, log: Option<&Path>) -> Record {
    let column = |title: &str| {
        let columns = run.children().filter(|node| node.has_tag_name("column"));
        columns
            .into_iter()
            .find(|node| node.attribute("title") == Some(title))
            .and_then(|node| node.attribute("value"))
    };
    let number = |title: &str| -> f64 {
        let digits = |text: &str| text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().ok();
        column(title).and_then(digits).unwrap_or(0.0)
    };
    let reason = column("terminationreason").map(|text| serde_json::Value::String(text.to_owned()));
    let end = match reason.map(|it| serde_json::from_value(it).unwrap_or(Reason::Else)) {
        Some(Reason::Cputime | Reason::CputimeSoft) => End::Limit(Limit::Cpu),
        Some(Reason::Walltime) => End::Limit(Limit::Wall),
        Some(Reason::Memory) => End::Limit(Limit::Memory),
        Some(Reason::Else) => End::Signal(0),
        None => match column("exitsignal") {
            Some(signal) => End::Signal(signal.parse().unwrap_or(0)),
            None => End::Exit(number("returnvalue") as i32),
        },
    };
    let text = log.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    Record {
        format: record::FORMAT.to_owned(),
        version: 1,
        id: id.clone(),
        end,
        answer: text.find("\n{\n").and_then(|at| answer(&text[at..])),
        cpu_seconds: number("cputime"),
        wall_seconds: number("walltime"),
        memory_bytes: number("memory") as u64,
        host: crate::run::host(),
        began: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        said: column("status").unwrap_or_default().to_owned(),
    }
}

/// The answer at the beginning of a text, whatever follows.
fn answer(text: &str) -> Option<Answer> {
    let value = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>().next()?.ok()?;
    Answer::read(value.to_string().as_bytes())
}
