//! The folder of a campaign: its plan, its results, and the evidence for them.
//!
//! ```text
//! plan.json             what is to be done
//! results/ab/abcd….json the result of the job with that id
//! evidence/ab/abcd….*   its trace or certificate
//! checked/ab/abcd….json what became of the evidence when it was checked again
//! batches/N             ids of jobs that are run together elsewhere
//! machines/NAME.json    a machine that ran some of them
//! ```
//!
//! Files are written under another name, brought to the disk and renamed, so that one that is there is whole, however many
//! write at a time and whenever one of them, or the machine, dies. What is damaged all the same is no result, and is made
//! anew. There is no other state: no list of what is running, no database, no queue.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::id::Id;
use crate::machine::Machine;
use crate::plan::{Job, Plan};
use crate::record::Record;

/// The folder of a campaign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// A folder that is there or will be made.
    pub fn new(path: impl Into<PathBuf>) -> Folder {
        Folder(path.into())
    }
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
    fn plan_file(&self) -> PathBuf {
        self.0.join("plan.json")
    }
    fn in_part(&self, part: &str, id: &Id) -> PathBuf {
        self.0.join(part).join(&id.as_str()[..2]).join(id.as_str())
    }
    /// The file of a result.
    pub fn result_file(&self, id: &Id) -> PathBuf {
        self.in_part("results", id).with_extension("json")
    }
    /// How the names of files with evidence for a job begin.
    pub fn evidence(&self, id: &Id) -> PathBuf {
        self.in_part("evidence", id)
    }
    /// The file that says what became of the evidence of a job.
    pub fn checked_file(&self, id: &Id) -> PathBuf {
        self.in_part("checked", id).with_extension("json")
    }
    /// The file with the ids of a batch.
    pub fn batch_file(&self, batch: &str) -> PathBuf {
        self.0.join("batches").join(batch)
    }
    /// Makes the folder and writes the plan.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn prepare(&self, plan: &Plan) -> Result<(), Error> {
        std::fs::create_dir_all(&self.0).map_err(Error::unwritable(&self.0))?;
        write_json(&self.plan_file(), plan)
    }
    /// The plan.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn plan(&self) -> Result<Plan, Error> {
        let path = self.plan_file();
        if !path.exists() {
            return Err(Error::NoCampaign(self.0.clone()));
        }
        let text = std::fs::read_to_string(&path).map_err(Error::unreadable(&path))?;
        serde_json::from_str(&text)
            .map_err(|error| Error::syntax(&path, Some(error.line()), error.to_string()))
    }
    /// Writes a result.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep(&self, record: &Record) -> Result<(), Error> {
        write_json(&self.result_file(&record.id), record)
    }
    /// The result of a job. A file that is not understood, or is about another job, is no result.
    pub fn result(&self, job: &Job) -> Option<Record> {
        read_json(&self.result_file(&job.id)).filter(|record: &Record| record.id == job.id)
    }
    /// The jobs without a result; those that come to the same, once.
    pub fn open<'a>(&self, plan: &'a Plan) -> Vec<&'a Job> {
        let done = self.results(plan);
        let mut seen: HashSet<&Id> = HashSet::new();
        let open = plan.jobs.iter().filter(|job| !done.contains_key(&job.id));
        open.filter(|job| seen.insert(&job.id)).collect()
    }
    /// How many jobs have a file for their result, whatever is in it: a look that costs little.
    pub fn count(&self, plan: &Plan) -> usize {
        let done = self.ids();
        plan.jobs.iter().filter(|job| done.contains(job.id.as_str())).count()
    }
    /// The ids of all results that are there.
    fn ids(&self) -> HashSet<String> {
        let parts = std::fs::read_dir(self.0.join("results")).into_iter().flatten().flatten();
        let files = parts.flat_map(|part| std::fs::read_dir(part.path()).into_iter().flatten().flatten());
        let whole =
            files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|it| it == "json"));
        whole.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect()
    }
    /// The results of a plan, by ids.
    pub fn results(&self, plan: &Plan) -> HashMap<Id, Record> {
        let done = self.ids();
        let there = plan.jobs.iter().filter(|job| done.contains(job.id.as_str()));
        there.filter_map(|job| Some((job.id.clone(), self.result(job)?))).collect()
    }
    /// Takes down a machine that runs jobs.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn note(&self, machine: &Machine) -> Result<(), Error> {
        let name = machine.host.replace(['/', '.'], "_");
        write_json(&self.0.join("machines").join(name).with_extension("json"), machine)
    }
    /// The machines that have run jobs.
    pub fn machines(&self) -> Vec<Machine> {
        let files = std::fs::read_dir(self.0.join("machines")).into_iter().flatten().flatten();
        let mut list: Vec<Machine> = files.filter_map(|file| read_json(&file.path())).collect();
        list.sort_by(|a, b| a.host.cmp(&b.host));
        list
    }
    /// Lets nobody else run the campaign here while what is returned lives.
    ///
    /// # Errors
    /// If somebody does, or the folder cannot be written.
    #[cfg(target_os = "linux")]
    pub fn lock(&self) -> Result<Lock, Error> {
        use rustix::fs::{FlockOperation, flock};
        let path = self.0.join("lock");
        let file = File::create(&path).map_err(Error::unwritable(&path))?;
        flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|_| Error::Busy(self.0.clone()))?;
        Ok(Lock { _file: file })
    }
}

/// That nobody else runs a campaign; the system forgets it with the process.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Writes a file as a whole or not at all.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(Error::unwritable(folder))?;
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let draft = path.with_extension(format!("{}-{number}.draft", std::process::id()));
    // A name must not be on the disk before what it stands for, or it stands for nothing when the machine dies.
    let written = File::create(&draft).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_data()
    });
    written.and_then(|()| std::fs::rename(&draft, path)).map_err(|error| {
        let _ = std::fs::remove_file(&draft);
        Error::unwritable(path)(error)
    })
}

/// The same with a value, as JSON.
///
/// # Errors
/// If it cannot be written.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    let text =
        serde_json::to_vec(value).map_err(|error| Error::Unwritable(path.to_owned(), error.to_string()))?;
    write(path, &text)
}

/// A value of a file; nothing if it is not there or not understood.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_whole_and_leaves_no_draft() {
        let folder = std::env::temp_dir().join(format!("thetis-folder-{}", std::process::id()));
        let path = folder.join("a").join("b.json");
        write_json(&path, &[1, 2]).expect("written");
        write_json(&path, &[3]).expect("written again");
        assert_eq!(read_json::<Vec<u32>>(&path), Some(vec![3]));
        assert_eq!(std::fs::read_dir(folder.join("a")).unwrap().count(), 1);
        assert!(matches!(Folder::new(&folder).plan(), Err(Error::NoCampaign(_))));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
