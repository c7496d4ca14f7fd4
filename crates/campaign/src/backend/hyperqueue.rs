//! Jobs under HyperQueue: a job definition file whose tasks are batches, run by its workers, wherever they are.
//!
//! Workers are started by hand (`hq worker start`), or by HyperQueue in allocations of Slurm and PBS (`hq alloc add`).

use std::fmt::Write;
use std::process::Command;

use serde::Deserialize;

use super::batch::{self, Left};
use super::{Campaign, printed};
use crate::error::{Error, Outside};
use crate::folder;

/// Runs the campaign; what is left if somebody asked to stop.
///
/// # Errors
/// If HyperQueue is not there, refuses the job, or does not get on.
pub fn run(campaign: &Campaign<'_>) -> Result<Left, Error> {
    let mut jobs = vec![];
    let left = batch::rounds(campaign, Outside::Hq, |batches| {
        let job = submit(campaign, batches)?;
        jobs.push(job);
        Ok(move || state(job))
    });
    if !matches!(left, Ok(Left { stopped: false, .. })) {
        jobs.iter()
            .for_each(|job| drop(Command::new("hq").args(["job", "cancel"]).arg(job.to_string()).output()));
    }
    left
}

fn hq() -> Command {
    let mut command = Command::new("hq");
    command.arg("--output-mode=json");
    command
}

/// What is printed about a job that was submitted.
#[derive(Deserialize)]
struct Submitted {
    id: u64,
}

fn submit(campaign: &Campaign<'_>, batches: &[String]) -> Result<u64, Error> {
    let path = campaign.folder.path().join("hyperqueue.toml");
    folder::write(&path, definition(campaign, batches).as_bytes())?;
    let said = printed(Outside::Hq, hq().args(["job", "submit-file"]).args(campaign.more).arg(&path))?;
    let job: Submitted = read(&said)?;
    Ok(job.id)
}

/// The job definition file.
fn definition(campaign: &Campaign<'_>, batches: &[String]) -> String {
    // Strings of JSON are strings of TOML.
    let quoted = |text: &str| serde_json::Value::String(text.to_owned()).to_string();
    let mut text = format!("name = {}\n", quoted(&campaign.plan.name));
    for (number, batch) in batches.iter().enumerate() {
        let words = campaign.program.work(campaign.folder.path(), batch);
        let command: Vec<String> = std::iter::once(campaign.program.executable().display().to_string())
            .chain(words.iter().map(|word| word.to_string_lossy().into_owned()))
            .map(|word| quoted(&word))
            .collect();
        let _ = write!(
            text,
            "\n[[task]]\nid = {number}\nstdout = \"none\"\nstderr = \"none\"\ncommand = [{}]\n\n[[task.request]]\nresources \
             = {{ \"cpus\" = 1 }}\n",
            command.join(", ")
        );
    }
    text
}

/// What is printed about a job.
#[derive(Deserialize)]
struct Told {
    info: Info,
}

#[derive(Deserialize)]
struct Info {
    task_stats: Counts,
}

#[derive(Deserialize)]
struct Counts {
    running: u64,
    waiting: u64,
}

fn state(job: u64) -> Result<Option<String>, Error> {
    let said = printed(Outside::Hq, hq().args(["job", "info"]).arg(job.to_string()))?;
    // A list with one job, or that job, depending on the version.
    let told: Told = read(&said).or_else(|_| {
        let list: Vec<Told> = read(&said)?;
        list.into_iter().next().ok_or(Error::Failed { program: Outside::Hq, said: said.clone() })
    })?;
    let Counts { running, waiting } = told.info.task_stats;
    Ok((running + waiting > 0).then(|| format!("{running} running, {waiting} waiting")))
}

fn read<T: for<'a> Deserialize<'a>>(said: &str) -> Result<T, Error> {
    serde_json::from_str(said)
        .map_err(|error| Error::Failed { program: Outside::Hq, said: format!("{error}: {said}") })
}
