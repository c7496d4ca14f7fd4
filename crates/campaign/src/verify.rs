//! Evidence checked again: every trace and every certificate of a campaign, without any search.
//!
//! A verdict that is recorded is believed only if a file of evidence shows that very verdict of that very question: the
//! checker is told what was asked, and what it says of the file is compared with the record. What came out is kept
//! beside a hash of everything it depends on, the files, the record and the checker; so nothing is checked twice, and a
//! file that was changed, or is gone, is looked at again.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::child;
use crate::error::Error;
use crate::folder::{Folder, read_json, write_json};
use crate::id::{Contents, Hash, Id};
use crate::plan::{Job, Limits, Plan};
use crate::program::Program;
use crate::record::{End, Record, Verdict};

/// What became of the evidence for a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Checked {
    /// Which job.
    pub id: Id,
    /// The hash of what was looked at.
    pub seen: Id,
    /// What came out.
    pub outcome: Outcome,
    /// Seconds of the processor.
    pub cpu_seconds: f64,
    /// Why it was not accepted, if it was not.
    pub said: String,
}

/// What a checker says of evidence, from the best to the worst.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is right.
    Accepted,
    /// There is none.
    Missing,
    /// It could not be decided within the limits.
    Open,
    /// It is not right.
    Refused,
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

/// What the checker prints of a file of evidence.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Shown {
    /// Whether it is right.
    pub valid: bool,
    /// Which verdict it shows of the question that it was said to be about.
    pub verdict: Option<Verdict>,
}

impl Shown {
    /// Reads what was printed; `None` if it is nothing of the kind.
    pub fn read(printed: &[u8]) -> Option<Shown> {
        serde_json::from_slice(printed).ok()
    }
}

/// Checks the evidence of every job with a verdict that has not been checked as it is; so many at a time. `None` if
/// `stop` was set.
///
/// # Errors
/// If a model is another one now, the checker cannot be run, or what it says not be written.
pub fn verify(
    plan: &Plan,
    folder: &Folder,
    program: &dyn Program,
    slots: usize,
    stop: &AtomicBool,
    observer: &(dyn Fn(usize, usize) + Sync),
) -> Result<Option<Tally>, Error> {
    plan.assert_unchanged(program)?;
    let mut checker = Hash::default();
    checker.add(Contents::default().of(program.executable())?).add(program.version());
    let verifier = Verifier { plan, folder, program, checker: checker.id(), stop };
    let results = folder.results(plan);
    let jobs: Vec<(&Job, &Record)> = plan
        .jobs
        .iter()
        .filter_map(|job| Some((job, results.get(&job.id)?)))
        .filter(|(_, record)| claims(record).next().is_some())
        .collect();
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let problem: Mutex<Option<Error>> = Mutex::new(None);
    let all: Mutex<Vec<(usize, Outcome)>> = Mutex::new(vec![]);
    let work = || {
        while !stop.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((job, record)) = jobs.get(at) else { return };
            match verifier.check(job, record) {
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
        let job = jobs[at].0;
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

/// The verdicts that a record claims, each with its number if it is one of several.
fn claims(record: &Record) -> impl Iterator<Item = (Option<usize>, Verdict)> {
    let verdicts = record.answer.as_ref().map_or(&[][..], |answer| &answer.verdicts);
    let several = verdicts.len() > 1;
    let numbered = verdicts.iter().enumerate().map(move |(at, it)| (several.then_some(at + 1), *it));
    numbered.filter(|(_, verdict)| {
        matches!(verdict, Verdict::Holds | Verdict::Violated | Verdict::Fault | Verdict::Value)
    })
}

/// Who checks evidence.
struct Verifier<'a> {
    plan: &'a Plan,
    folder: &'a Folder,
    program: &'a dyn Program,
    /// The hash of the checker.
    checker: Id,
    stop: &'a AtomicBool,
}

impl Verifier<'_> {
    /// The files of evidence that are there for a claim.
    fn files(&self, job: &Job, number: Option<usize>) -> Vec<PathBuf> {
        let files = self.program.evidence(&self.folder.evidence(&job.id), number);
        files.into_iter().filter(|file| file.exists()).collect()
    }
    /// The hash of all that the outcome of a job depends on.
    fn seen(&self, job: &Job, record: &Record) -> Result<Id, Error> {
        let mut hash = Hash::default();
        hash.add(self.checker.as_str()).add(&self.plan.question(job).digest);
        let mut contents = Contents::default();
        for (number, verdict) in claims(record) {
            hash.add(format!("{number:?} {verdict:?}"));
            for file in self.files(job, number) {
                hash.add(contents.of(&file)?);
            }
        }
        Ok(hash.id())
    }
    /// Checks the evidence of one job, unless that has been done; the worst of all that it claims counts.
    fn check(&self, job: &Job, record: &Record) -> Result<Option<Outcome>, Error> {
        let (path, seen) = (self.folder.checked_file(&job.id), self.seen(job, record)?);
        if let Some(known) = read_json::<Checked>(&path).filter(|known| known.seen == seen) {
            return Ok(Some(known.outcome));
        }
        let mut checked = Checked {
            id: job.id.clone(),
            seen,
            outcome: Outcome::Accepted,
            cpu_seconds: 0.0,
            said: String::new(),
        };
        for (number, verdict) in claims(record) {
            let Some(outcome) = self.claim(job, number, verdict, &mut checked)? else { return Ok(None) };
            checked.outcome = checked.outcome.max(outcome);
        }
        write_json(&path, &checked)?;
        Ok(Some(checked.outcome))
    }
    /// Checks the evidence for one verdict.
    fn claim(
        &self,
        job: &Job,
        number: Option<usize>,
        verdict: Verdict,
        checked: &mut Checked,
    ) -> Result<Option<Outcome>, Error> {
        let Verifier { plan, program, .. } = self;
        let files = self.files(job, number);
        // Files of its kind show whether something is so, and not which value is the greatest.
        if files.is_empty() || verdict == Verdict::Value {
            return Ok(Some(Outcome::Missing));
        }
        let mut worst = Outcome::Accepted;
        for file in files {
            let options = &plan.configuration(job).options;
            let arguments = program.validate(plan.question(job), options, number, &file);
            let ran = child::run(program.executable(), &arguments, &more(&plan.limits), self.stop)
                .map_err(Error::unreadable(program.executable()))?;
            let Some(ran) = ran else { return Ok(None) };
            checked.cpu_seconds += ran.cpu_seconds;
            let shown = Shown::read(&ran.output);
            let (outcome, said) = match (ran.end, shown) {
                (End::Exit(0), Some(Shown { valid: true, verdict: Some(shown) })) if shown == verdict => {
                    (Outcome::Accepted, String::new())
                }
                (End::Exit(0), shown) => {
                    (Outcome::Refused, format!("{verdict:?} is recorded, and this is shown: {shown:?}"))
                }
                (End::Exit(3) | End::Limit(_), _) => (Outcome::Open, ran.said),
                (End::Exit(_) | End::Signal(_), _) => (Outcome::Refused, ran.said),
            };
            if outcome != Outcome::Accepted {
                checked.said = said;
            }
            worst = worst.max(outcome);
        }
        Ok(Some(worst))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_counts() {
        assert!(Outcome::Accepted < Outcome::Missing && Outcome::Missing < Outcome::Open);
        assert!(Outcome::Open < Outcome::Refused);
    }

    #[test]
    fn what_the_checker_prints_is_read() {
        let shown =
            Shown::read(br#"{"format": "thetis-validation", "valid": true, "verdict": "fault", "x": []}"#);
        assert_eq!(shown, Some(Shown { valid: true, verdict: Some(Verdict::Fault) }));
        assert_eq!(Shown::read(br#"{"valid": false, "verdict": null}"#).map(|it| it.valid), Some(false));
        assert_eq!(Shown::read(b"valid"), None);
    }
}
