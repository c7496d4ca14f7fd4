//! Batches: jobs that are run together, one after the other, wherever somebody else puts them.
//!
//! Starting something on a cluster takes seconds, a job may take milliseconds. A batch is a file with ids; whoever runs
//! it skips what has a result, so a batch that is run again, or twice at once, loses nothing and harms nothing.

use std::collections::HashMap;
use std::time::Duration;

use super::{Campaign, local};
use crate::error::{Error, Outside};
use crate::folder::{self, Folder};
use crate::plan::{Job, Plan};

/// Between two looks at what has been done.
pub const LOOK: Duration = Duration::from_secs(2);

/// How many batches are made at most, unless somebody says how large they are; clusters limit arrays.
const MAX_BATCHES: usize = 1000;

/// How long a batch should run at least, so that its start does not count.
const SECONDS: f64 = 60.0;

/// Writes batches of all jobs without a result; their names.
///
/// # Errors
/// If one cannot be written.
pub fn write(campaign: &Campaign<'_>) -> Result<Vec<String>, Error> {
    let open = campaign.folder.open(campaign.plan);
    let size = campaign.per_batch.unwrap_or_else(|| size(campaign, open.len())).max(1);
    // Neighbours in the plan go to different batches, so that hard ones do not meet in one.
    let count = open.len().div_ceil(size);
    let mut names = vec![];
    for batch in 0..count {
        let ids: Vec<&str> = open.iter().skip(batch).step_by(count).map(|job| job.id.as_str()).collect();
        let name = batch.to_string();
        folder::write(&campaign.folder.batch_file(&name), (ids.join("\n") + "\n").as_bytes())?;
        names.push(name);
    }
    Ok(names)
}

/// A size of batches that keeps all slots busy and starts seldom.
fn size(campaign: &Campaign<'_>, jobs: usize) -> usize {
    let results = campaign.folder.results(campaign.plan);
    let seconds: f64 = results.values().map(|record| record.wall_seconds).sum();
    let mean = if results.is_empty() { 1.0 } else { (seconds / results.len() as f64).max(0.001) };
    let long_enough = (SECONDS / mean).ceil() as usize;
    let fair_share = jobs.div_ceil(4 * campaign.slots.max(1));
    long_enough.min(fair_share).max(jobs.div_ceil(MAX_BATCHES)).max(1)
}

/// The jobs of a batch that have no result.
///
/// # Errors
/// If there is no such batch.
pub fn read<'a>(plan: &'a Plan, folder: &Folder, batch: &str) -> Result<Vec<&'a Job>, Error> {
    let path = folder.batch_file(batch);
    let text = std::fs::read_to_string(&path).map_err(Error::unreadable(&path))?;
    let known: HashMap<&str, &Job> = plan.jobs.iter().map(|job| (job.id.as_str(), job)).collect();
    let jobs = text.lines().filter_map(|line| known.get(line.trim()).copied());
    Ok(jobs.filter(|job| folder.result(job).is_none()).collect())
}

/// Runs a batch here.
///
/// # Errors
/// As [`local::run`].
pub fn run(campaign: &Campaign<'_>, batch: &str) -> Result<(), Error> {
    let jobs = read(campaign.plan, campaign.folder, batch)?;
    local::run(campaign, &jobs)
}

/// Waits until everything has a result, or the back end has nothing more to do, or somebody wants to stop; `alive` says
/// what the back end knows, and `None` if it has ended.
///
/// # Errors
/// What `alive` says.
pub fn watch(
    campaign: &Campaign<'_>,
    mut alive: impl FnMut() -> Result<Option<String>, Error>,
) -> Result<Left, Error> {
    let all = campaign.plan.jobs.len();
    loop {
        // In this order: what ends in between is looked at once more.
        let known = alive()?;
        let left = all - campaign.folder.count(campaign.plan);
        campaign.observer.progress(all - left, all, known.as_deref().unwrap_or_default());
        if left == 0 || known.is_none() {
            return Ok(Left { jobs: left, stopped: false });
        }
        for _ in 0..20 {
            if campaign.stop.load(std::sync::atomic::Ordering::Relaxed) {
                return Ok(Left { jobs: left, stopped: true });
            }
            std::thread::sleep(LOOK / 20);
        }
    }
}

/// What is left when a back end has been watched.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Left {
    /// How many jobs have no result.
    pub jobs: usize,
    /// Whether somebody asked to stop.
    pub stopped: bool,
}

/// How often in a row a back end may come back without having done anything.
const MAX_IDLE_ROUNDS: u32 = 2;

/// Submits, watches, and submits again what was lost on the way, as long as that gets on.
///
/// # Errors
/// What `submit` and its watch say; [`Error::Stuck`] if nothing gets on.
pub fn rounds<W: FnMut() -> Result<Option<String>, Error>>(
    campaign: &Campaign<'_>,
    program: Outside,
    mut submit: impl FnMut(&[String]) -> Result<W, Error>,
) -> Result<Left, Error> {
    let mut idle = 0;
    let mut before = usize::MAX;
    loop {
        let batches = write(campaign)?;
        if batches.is_empty() {
            return Ok(Left { jobs: 0, stopped: false });
        }
        let left = watch(campaign, submit(&batches)?)?;
        if left.jobs == 0 || left.stopped {
            return Ok(left);
        }
        idle = if left.jobs < before { 0 } else { idle + 1 };
        before = left.jobs;
        if idle >= MAX_IDLE_ROUNDS {
            return Err(Error::Stuck { program, left: left.jobs });
        }
    }
}
