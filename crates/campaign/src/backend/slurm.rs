//! Jobs on a cluster under Slurm: one array, whose elements are batches, with a throttle.
//!
//! The queue is asked (`squeue`) only whether something is still to come; what has been done, the folder says. An
//! element that is requeued, because its node died, runs its batch again and skips what has a result.

use std::ffi::OsString;
use std::process::Command;

use super::batch::{self, Left};
use super::{Campaign, printed};
use crate::error::{Error, Outside};
use crate::folder;

/// Runs the campaign; what is left if somebody asked to stop.
///
/// # Errors
/// If Slurm is not there, refuses the array, or does not get on.
pub fn run(campaign: &Campaign<'_>) -> Result<Left, Error> {
    let mut jobs = vec![];
    let left = batch::rounds(campaign, Outside::Sbatch, |batches| {
        let job = submit(campaign, batches)?;
        jobs.push(job.clone());
        Ok(move || queued(&job))
    });
    if !matches!(left, Ok(Left { stopped: false, .. })) {
        // Nobody waits for them any more.
        jobs.iter().for_each(|job| drop(Command::new("scancel").arg(job).output()));
    }
    left
}

/// Submits an array; its number.
fn submit(campaign: &Campaign<'_>, batches: &[String]) -> Result<String, Error> {
    let script = campaign.folder.path().join("slurm.sh");
    folder::write(&script, text(campaign, batches.len()).as_bytes())?;
    let mut command = Command::new("sbatch");
    command.arg("--parsable").args(named(campaign)).args(campaign.more).arg(&script);
    let said = printed(Outside::Sbatch, &mut command)?;
    // `NUMBER`, or `NUMBER;CLUSTER`.
    Ok(said.trim().split(';').next().unwrap_or_default().to_owned())
}

/// What may contain any character is no part of the script, whose lines for Slurm know no quotes.
fn named(campaign: &Campaign<'_>) -> [OsString; 2] {
    // A percent sign begins a pattern, unless there are two; a backslash would switch patterns off.
    let mut output = OsString::from("--output=");
    output.push(campaign.folder.path().display().to_string().replace('%', "%%"));
    output.push("/slurm-%A-%a.log");
    [format!("--job-name={}", campaign.plan.name).into(), output]
}

fn text(campaign: &Campaign<'_>, batches: usize) -> String {
    let words = campaign.program.work(campaign.folder.path(), "BATCH");
    let quoted = |word: &str| format!("'{}'", word.replace('\'', "'\\''"));
    let words: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy())
        .map(|word| if word == "BATCH" { "\"$SLURM_ARRAY_TASK_ID\"".to_owned() } else { quoted(&word) })
        .collect();
    let memory = match campaign.plan.limits.memory_mb {
        // What a job may use, and what is needed beside it.
        Some(most) => format!("#SBATCH --mem={}M\n", most + 200),
        None => String::new(),
    };
    format!(
        "#!/bin/sh\n#SBATCH --array=0-{}%{}\n#SBATCH --cpus-per-task=1\n#SBATCH --requeue\n#SBATCH --open-mode=append\n\
         {memory}exec {} {}\n",
        batches - 1,
        campaign.slots,
        quoted(&campaign.program.executable().display().to_string()),
        words.join(" "),
    )
}

/// What the queue says of an array; `None` once it says nothing.
fn queued(job: &str) -> Result<Option<String>, Error> {
    let mut command = Command::new("squeue");
    command.args(["--noheader", "--array", "--states=all", "--format=%T", "--jobs", job]);
    let states = match printed(Outside::Squeue, &mut command) {
        Ok(states) => states,
        // It has forgotten what has ended long ago.
        Err(Error::Failed { said, .. }) if said.contains("Invalid job id") => return Ok(None),
        // A controller that is away for a moment is no news about the jobs.
        Err(Error::Failed { said, .. }) => return Ok(Some(said)),
        Err(error) => return Err(error),
    };
    let over = [
        "COMPLETED",
        "FAILED",
        "CANCELLED",
        "TIMEOUT",
        "OUT_OF_MEMORY",
        "BOOT_FAIL",
        "DEADLINE",
        "NODE_FAIL",
    ];
    let mut counts: Vec<(&str, usize)> = vec![];
    for state in states.lines().map(str::trim).filter(|state| !over.contains(state)) {
        match counts.iter_mut().find(|(known, _)| *known == state) {
            Some((_, count)) => *count += 1,
            None => counts.push((state, 1)),
        }
    }
    let said: Vec<String> =
        counts.iter().map(|(state, count)| format!("{count} {}", state.to_lowercase())).collect();
    Ok((!said.is_empty()).then(|| said.join(", ")))
}
