//! Jobs under BenchExec: a benchmark definition with a run definition for each configuration, a task definition for each
//! question, and results that are read back from its XML.
//!
//! BenchExec measures and enforces limits by control groups, and makes tables of its own; what it finds out becomes
//! results of the campaign all the same. Evidence is not kept, since it runs commands in folders that it throws away.
//!
//! Each start is a *round* with a folder of its own, in which a list says which task of which run definition is which job.
//! So whatever a round has finished is read back however it ends, or later, when somebody goes on.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::process::{Pid, Signal};

use super::Campaign;
use crate::error::{Error, Outside};
use crate::folder::{self, read_json, write_json};
use crate::id::Id;
use crate::machine::{self, Machine};
use crate::plan::{Job, Limits};
use crate::record::{self, Answer, End, Limit, Record};
use crate::tasks::Expected;

/// Runs what has no result, and reads the results.
///
/// # Errors
/// If BenchExec is not there or fails, or its results are not understood.
pub fn run(campaign: &Campaign<'_>) -> Result<(), Error> {
    let path = campaign.folder.path().join("benchexec");
    let path = std::path::absolute(&path).map_err(Error::unreadable(&path))?;
    let rounds = rounds(&path);
    rounds.iter().try_for_each(|round| read_back(campaign, &path.join(round.to_string())))?;
    let open = campaign.folder.open(campaign.plan);
    if open.is_empty() {
        return Ok(());
    }
    let here = path.join((rounds.last().unwrap_or(&0) + 1).to_string());
    let sets = tasks(campaign, &open, &here)?;
    folder::write(&here.join("campaign.xml"), definition(campaign, &sets).as_bytes())?;
    write_json(&here.join(JOBS), &sets.iter().map(|set| (&set.name, &set.jobs)).collect::<BTreeMap<_, _>>())?;
    campaign.folder.note(&Machine::here(campaign.program.solver()))?;
    let ended = benchexec(campaign, &here, open.len());
    // However it ended, what it has finished is not lost.
    let read = read_back(campaign, &here);
    ended.and(read)
}

/// The file that says which task of which run definition is which job.
const JOBS: &str = "jobs.json";

/// The numbers of the rounds so far, in order.
fn rounds(path: &Path) -> Vec<u32> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut list: Vec<u32> =
        entries.filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok())).collect();
    list.sort_unstable();
    list
}

/// Runs BenchExec, and asks it to end when that is wanted.
fn benchexec(campaign: &Campaign<'_>, here: &Path, jobs: usize) -> Result<(), Error> {
    let failed = |said: String| Error::Failed { program: Outside::Benchexec, said };
    let log = here.join("benchexec.log");
    let said = std::fs::File::create(&log).map_err(Error::unwritable(&log))?;
    let mut command = Command::new("benchexec");
    command.arg("campaign.xml").args(["--no-compress-results", "--outputpath", "output/"]);
    command.args(["--numOfThreads", &campaign.slots.to_string()]).args(campaign.more).current_dir(here);
    command.env("PATH", with_program(campaign)).env("PYTHONPATH", with_module(campaign));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said);
    let mut child = command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::NoProgram(Outside::Benchexec),
        _ => failed(error.to_string()),
    })?;
    let before = campaign.plan.jobs.len() - jobs;
    let mut asked = false;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| failed(error.to_string()))? {
            break status;
        }
        if !asked && campaign.stop.load(Ordering::Relaxed) {
            asked = true;
            // So it writes down what it has.
            let _ = rustix::process::kill_process(Pid::from_child(&child), Signal::INT);
        }
        campaign.observer.progress(before + logs(here), campaign.plan.jobs.len(), "under BenchExec");
        std::thread::sleep(LOOK);
    };
    if status.success() || asked {
        return Ok(());
    }
    let text = std::fs::read_to_string(&log).unwrap_or_default();
    let last: Vec<&str> = text.lines().rev().take(20).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    Err(failed(format!("{status}: {}", last.join("\n"))))
}

/// Between two looks at what it has done.
const LOOK: std::time::Duration = std::time::Duration::from_millis(200);

/// How many runs of a round have begun to write something.
fn logs(here: &Path) -> usize {
    let output = std::fs::read_dir(here.join("output")).into_iter().flatten().flatten();
    let folders = output.map(|entry| entry.path()).filter(|path| path.is_dir());
    folders.map(|path| std::fs::read_dir(path).into_iter().flatten().count()).sum()
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
struct Set {
    name: String,
    configuration: usize,
    jobs: BTreeMap<String, Id>,
}

/// Writes task definitions and which of them each configuration has.
fn tasks(campaign: &Campaign<'_>, open: &[&Job], here: &Path) -> Result<Vec<Set>, Error> {
    let mut sets: Vec<Set> = vec![];
    for job in open {
        let name = format!("c{}r{}", job.configuration, job.repetition);
        let task = format!("q{}.yml", job.question);
        let text = task_definition(campaign, job);
        folder::write(&here.join(&task), text.as_bytes())?;
        let at = sets.iter().position(|set| set.name == name).unwrap_or_else(|| {
            sets.push(Set { name, configuration: job.configuration, jobs: BTreeMap::new() });
            sets.len() - 1
        });
        sets[at].jobs.insert(task, job.id.clone());
    }
    for set in &sets {
        let list: Vec<&str> = set.jobs.keys().map(String::as_str).collect();
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
fn definition(campaign: &Campaign<'_>, sets: &[Set]) -> String {
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

/// Makes results of what BenchExec wrote in a round, as far as there are none.
fn read_back(campaign: &Campaign<'_>, here: &Path) -> Result<(), Error> {
    let Some(sets) = read_json::<BTreeMap<String, BTreeMap<String, Id>>>(&here.join(JOBS)) else {
        return Ok(());
    };
    let open: HashSet<&Id> = campaign.folder.open(campaign.plan).into_iter().map(|job| &job.id).collect();
    let entries = std::fs::read_dir(here.join("output")).into_iter().flatten().flatten();
    let files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    let logs = files.iter().find(|path| path.is_dir());
    for path in files.iter().filter(|path| path.extension().is_some_and(|it| it == "xml")) {
        let text = std::fs::read_to_string(path).map_err(Error::unreadable(path))?;
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
        // What it was writing when it was killed says nothing.
        let Ok(document) = roxmltree::Document::parse_with_options(&text, options) else { continue };
        for run in document.descendants().filter(|node| node.has_tag_name("run")) {
            let Some((set, id)) = job_of(path, &run, &sets).filter(|(_, id)| open.contains(id)) else {
                continue;
            };
            let log = logs.map(|logs| logs.join(format!("{set}.{}.log", task_name(&run))));
            if let Some(record) = record_of(id, &run, log.as_deref()) {
                campaign.folder.keep(&record)?;
                campaign.observer.finished(&record);
            }
        }
    }
    Ok(())
}

fn task_name(run: &roxmltree::Node<'_, '_>) -> String {
    let name = run.attribute("name").unwrap_or_default();
    Path::new(name).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Which job a run of a result file was, and its run definition. There is a file for each run definition and one for each
/// set of tasks in it.
fn job_of<'a>(
    path: &Path,
    run: &roxmltree::Node<'_, '_>,
    sets: &'a BTreeMap<String, BTreeMap<String, Id>>,
) -> Option<(&'a str, &'a Id)> {
    let name = path.file_name()?.to_str()?;
    let (set, jobs) = name.split('.').find_map(|word| sets.get_key_value(word))?;
    Some((set, jobs.get(&task_name(run))?))
}

/// Why BenchExec ended a run.
#[derive(serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Reason {
    Cputime,
    CputimeSoft,
    Walltime,
    Memory,
    /// Somebody stopped BenchExec.
    Killed,
    #[serde(other)]
    Else,
}

/// The result of a run; nothing if it has not ended by itself or at a limit.
fn record_of(id: &Id, run: &roxmltree::Node<'_, '_>, log: Option<&Path>) -> Option<Record> {
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
    // A run that has not begun, or not ended, has no time.
    column("walltime")?;
    let reason = column("terminationreason").map(|text| serde_json::Value::String(text.to_owned()));
    let end = match reason.map(|it| serde_json::from_value(it).unwrap_or(Reason::Else)) {
        Some(Reason::Cputime | Reason::CputimeSoft) => End::Limit(Limit::Cpu),
        Some(Reason::Walltime) => End::Limit(Limit::Wall),
        Some(Reason::Memory) => End::Limit(Limit::Memory),
        Some(Reason::Killed) => return None,
        Some(Reason::Else) => End::Signal(0),
        None => match column("exitsignal") {
            Some(signal) => End::Signal(signal.parse().unwrap_or(0)),
            None => End::Exit(number("returnvalue") as i32),
        },
    };
    let text = log.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    Some(Record {
        format: record::FORMAT.to_owned(),
        version: 1,
        id: id.clone(),
        end,
        answer: text.find("\n{\n").and_then(|at| answer(&text[at..])),
        cpu_seconds: number("cputime"),
        wall_seconds: number("walltime"),
        memory_bytes: number("memory") as u64,
        host: machine::host(),
        began: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        said: column("status").unwrap_or_default().to_owned(),
    })
}

/// The answer at the beginning of a text, whatever follows.
fn answer(text: &str) -> Option<Answer> {
    let value = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>().next()?.ok()?;
    Answer::read(value.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As BenchExec 3 writes it, shortened: one run that ended, one that somebody stopped, one that never began.
    const RESULT: &str = r#"<result><run name="../q0.yml"><column title="status" value="true"/><column title="cputime"
        value="0.02s"/><column title="walltime" value="0.03s"/><column title="memory" value="1000B"/><column
        title="returnvalue" value="0"/></run><run name="../q1.yml"><column title="walltime" value="9s"/><column
        title="terminationreason" value="killed"/></run><run name="../q2.yml"/></result>"#;

    #[test]
    fn only_runs_that_have_ended_are_results() {
        let document = roxmltree::Document::parse(RESULT).expect("a document");
        let id = crate::id::Hash::default().id();
        let runs = document.descendants().filter(|node| node.has_tag_name("run"));
        let records: Vec<Option<Record>> = runs.map(|run| record_of(&id, &run, None)).collect();
        assert_eq!(records.len(), 3);
        let ended = records[0].as_ref().expect("a result");
        assert_eq!((ended.end, ended.cpu_seconds, ended.memory_bytes), (End::Exit(0), 0.02, 1000));
        assert_eq!(records[1..], [None, None]);
    }

    #[test]
    fn runs_are_known_by_the_list_of_their_round() {
        let id = crate::id::Hash::default().id();
        let jobs = BTreeMap::from([("q0.yml".to_owned(), id.clone())]);
        let sets = BTreeMap::from([("c1r0".to_owned(), jobs)]);
        let document = roxmltree::Document::parse(RESULT).expect("a document");
        let run = document.descendants().find(|node| node.has_tag_name("run")).expect("a run");
        let of = |name: &str| job_of(Path::new(name), &run, &sets);
        assert_eq!(of("campaign.2026-01-01_00-00-00.results.c1r0.questions.xml"), Some(("c1r0", &id)));
        assert_eq!(of("campaign.2026-01-01_00-00-00.results.c10r0.xml"), None);
    }
}
