//! Jobs on this machine: a pool with a core for each slot.
//!
//! A slot is a thread that stays on a core of its own, and what it starts stays there, too. A job that ends leaves its
//! slot to the next one; nothing else is shared but the list of what is left.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::Campaign;
use crate::error::Error;
use crate::machine::Machine;
use crate::plan::Job;
use crate::run;

/// Runs these jobs, so many at a time.
///
/// # Errors
/// If a command cannot be run or a result not be written; other jobs are then not begun.
pub fn run(campaign: &Campaign<'_>, jobs: &[&Job]) -> Result<(), Error> {
    if !jobs.is_empty() {
        campaign.folder.note(&Machine::here(campaign.program.solver()))?;
    }
    let cores = cores();
    let slots = campaign.slots.min(jobs.len()).max(1);
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let problem: Mutex<Option<Error>> = Mutex::new(None);
    let work = |slot: usize| {
        // With more slots than cores, sharing is what was asked for.
        if campaign.pinned && slots <= cores.len() {
            pin(cores[slot]);
        }
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            if campaign.stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed) {
                return;
            }
            match run::run(campaign.plan, job, campaign.folder, campaign.program, campaign.stop) {
                Ok(Some(record)) => campaign.observer.finished(&record),
                Ok(None) => return,
                Err(error) => {
                    failed.store(true, Ordering::Relaxed);
                    problem.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert(error);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for slot in 0..slots {
            let work = &work;
            scope.spawn(move || work(slot));
        }
    });
    let problem = problem.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    problem.map_or(Ok(()), Err)
}

/// The cores that this process may use.
pub fn cores() -> Vec<usize> {
    let Ok(allowed) = sched_getaffinity(None) else { return vec![] };
    (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core)).collect()
}

/// Keeps this thread, and what it starts, on a core; where that is forbidden, measurements are only less steady.
fn pin(core: usize) {
    let mut set = CpuSet::new();
    set.set(core);
    let _ = sched_setaffinity(None, &set);
}
