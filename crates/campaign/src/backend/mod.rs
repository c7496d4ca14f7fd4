//! Who runs the jobs of a campaign. None of them is asked what has been done: the folder says so.

pub mod local;
pub mod batch;
pub mod slurm;
pub mod hyperqueue;
pub mod benchexec;

use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use crate::error::{Error, Outside};
use crate::folder::Folder;
use crate::plan::Plan;
use crate::program::Program;
use crate::record::Record;

/// What a back end works on, and whom it tells.
pub struct Campaign<'a> {
    /// What is to be done.
    pub plan: &'a Plan,
    /// Where results go.
    pub folder: &'a Folder,
    /// What is run.
    pub program: &'a dyn Program,
    /// How many jobs run at a time.
    pub slots: usize,
    /// Whether each slot has a core of its own.
    pub pinned: bool,
    /// How many jobs are run together, where that matters; else as many as make a reasonable number of batches.
    pub per_batch: Option<usize>,
    /// More options for the program of the back end.
    pub more: &'a [String],
    /// Set by whoever wants the campaign to stop.
    pub stop: &'a AtomicBool,
    /// Told of progress.
    pub observer: &'a dyn Observer,
}

/// Somebody who follows a campaign.
pub trait Observer: Sync {
    /// A job has a result.
    fn finished(&self, record: &Record);
    /// So many of so many jobs have a result, and the back end says this.
    fn progress(&self, done: usize, all: usize, said: &str);
}

/// What a program prints.
///
/// # Errors
/// If it is not there or fails.
pub(crate) fn printed(name: Outside, command: &mut Command) -> Result<String, Error> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::NoProgram(name),
        _ => Error::Failed { program: name, said: error.to_string() },
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Error::Failed { program: name, said: format!("{}: {said}", output.status) });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
