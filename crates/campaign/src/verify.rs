//! Evidence checked again: every trace and every certificate of a campaign, without any search.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::child;
use crate::error::Error;
use crate::folder::{Folder, read_json, write_json};
use crate::id::Id;
use crate::plan::{Job, Limits, Plan};
use crate::program::Program;
use crate::record::{End, Record};

/// What became of the evidence for a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Checked {
    /// Which job.
    pub id: Id,
    /// What came out.
    pub outcome: Outcome,
    /// Seconds of the processor.
    pub cpu_seconds: f64,
    /// What the checker said, if it did not accept.
    pub said: String,
}

/// What a checker says of evidence.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is right.
    Accepted,
    /// It is not.
    Refused,
    /// It could not be decided within the limits.
    Open,
    /// There is none.
    Missing,
}

/// How many of each.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Tally {
    /// Right.
    pub accepted: usize,
    /// Wrong: the names of questions with those of configurations.
    pub refused: Vec<[String; 2]>,
    /// Not decided.
    pub open: Vec<[String; 2]>,
    /// Solved, but without evidence.
    pub missing: usize,
}

/// Checks the evidence of every solved job that has not been checked; so many at a time. `None` if `stop` was set.
///
/// # Errors
/// If the checker cannot be run, or what it says not be written.
pub fn verify(
    plan: &Plan,
    folder: &Folder,
    program: &dyn Program,
    slots: usize,
    stop: &AtomicBool,
    observer: &(dyn Fn(usize, usize) + Sync),
) -> Result<Option<Tally>, Error> {
    let results = folder.results(plan);
    let solved = |job: &&Job| results.get(&job.id).is_some_and(|record: &Record| record.status().is_solved());
    let jobs: Vec<&Job> = plan.jobs.iter().filter(solved).collect();
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let problem: Mutex<Option<Error>> = Mutex::new(None);
    let all: Mutex<Vec<(usize, Outcome)>> = Mutex::new(vec![]);
    let work = || {
        while !stop.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(at) else { return };
            match check(plan, job, folder, program, stop) {
                Ok(Some(outcome)) => all.lock().unwrap_or_else(PoisonError::into_inner).push((at, outcome)),
                Ok(None) => return,
                Err(error) => {
                    problem.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    return;
                }
            }
            observer(done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
        }
    };
    std::thread::scope(|scope| {
        (0..slots.max(1)).for_each(|_| drop(scope.spawn(work)));
    });
    if let Some(error) = problem.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_unstable_by_key(|(at, _)| *at);
    let mut tally = Tally::default();
    for (at, outcome) in all {
        let job = jobs[at];
        let name = || [plan.question(job).name.clone(), plan.configuration(job).name.clone()];
        match outcome {
            Outcome::Accepted => tally.accepted += 1,
            Outcome::Refused => tally.refused.push(name()),
            Outcome::Open => tally.open.push(name()),
            Outcome::Missing => tally.missing += 1,
        }
    }
    Ok(Some(tally))
}

/// Checks the evidence of one job, unless that has been done.
fn check(
    plan: &Plan,
    job: &Job,
    folder: &Folder,
    program: &dyn Program,
    stop: &AtomicBool,
) -> Result<Option<Outcome>, Error> {
    let path = folder.checked_file(&job.id);
    if let Some(known) = read_json::<Checked>(&path).filter(|known| known.outcome != Outcome::Missing) {
        return Ok(Some(known.outcome));
    }
    let files: Vec<PathBuf> =
        program.evidence(&folder.evidence(&job.id)).into_iter().filter(|file| file.exists()).collect();
    let mut checked =
        Checked { id: job.id.clone(), outcome: Outcome::Missing, cpu_seconds: 0.0, said: String::new() };
    for file in files {
        let arguments = program.validate(plan.question(job), &file);
        let ran = child::run(program.executable(), &arguments, &more(&plan.limits), stop)
            .map_err(Error::unreadable(program.executable()))?;
        let Some(ran) = ran else { return Ok(None) };
        checked.cpu_seconds += ran.cpu_seconds;
        let outcome = match ran.end {
            End::Exit(0) => Outcome::Accepted,
            End::Exit(3) | End::Limit(_) => Outcome::Open,
            End::Exit(_) | End::Signal(_) => Outcome::Refused,
        };
        if outcome != Outcome::Accepted {
            checked.said = ran.said;
        }
        // The worst of both counts.
        checked.outcome = match (checked.outcome, outcome) {
            (Outcome::Refused, _) | (_, Outcome::Refused) => Outcome::Refused,
            (Outcome::Open, _) => Outcome::Open,
            (_, outcome) => outcome,
        };
    }
    write_json(&path, &checked)?;
    Ok(Some(checked.outcome))
}

/// A checker may use more than the search did, but not for ever.
fn more(limits: &Limits) -> Limits {
    const FACTOR: f64 = 10.0;
    Limits {
        cpu_seconds: limits.cpu_seconds.map(|seconds| seconds * FACTOR),
        wall_seconds: limits.wall_seconds.map(|seconds| seconds * FACTOR),
        memory_mb: limits.memory_mb.map(|most| most * 4),
    }
}
