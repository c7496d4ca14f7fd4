//! A job run here: the command, its limits, and its result, which is kept.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::child;
use crate::error::Error;
use crate::folder::Folder;
use crate::machine;
use crate::plan::{Job, Plan};
use crate::program::Program;
use crate::record::{self, Answer, End, Record};

/// Runs a job and keeps its result; `None` if `stop` was set before its end, and then there is no result.
///
/// # Errors
/// If the command cannot be run, or the result cannot be written.
pub fn run(
    plan: &Plan,
    job: &Job,
    folder: &Folder,
    program: &dyn Program,
    stop: &AtomicBool,
) -> Result<Option<Record>, Error> {
    let evidence = plan.evidence.then(|| folder.evidence(&job.id));
    if let Some(parent) = evidence.as_deref().and_then(Path::parent) {
        std::fs::create_dir_all(parent).map_err(Error::unwritable(parent))?;
    }
    let options = &plan.configuration(job).options;
    let arguments = program.ask(plan.question(job), options, &plan.limits, evidence.as_deref());
    let began = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let ran = child::run(program.executable(), &arguments, &plan.limits, stop)
        .map_err(Error::unreadable(program.executable()))?;
    let Some(ran) = ran else { return Ok(None) };
    let answer = Answer::read(&ran.output);
    let undecided = !matches!(ran.end, End::Exit(0 | 1)) || answer.is_none();
    let record = Record {
        format: record::FORMAT.to_owned(),
        version: 1,
        id: job.id.clone(),
        end: ran.end,
        answer,
        cpu_seconds: ran.cpu_seconds,
        wall_seconds: ran.wall_seconds,
        memory_bytes: ran.memory_bytes,
        host: machine::host(),
        began,
        said: if undecided { ran.said } else { String::new() },
    };
    folder.keep(&record)?;
    Ok(Some(record))
}
