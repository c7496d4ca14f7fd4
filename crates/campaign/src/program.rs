//! What a campaign has to be told about the program that it runs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::options::{Options, Setting};
use crate::plan::{Limits, Question};

/// The program whose configurations are compared.
pub trait Program: Sync {
    /// The file that is run.
    fn executable(&self) -> &Path;
    /// Its version and that of what it solves with, in words.
    fn version(&self) -> String;
    /// What it solves with here, and which version.
    fn solver(&self) -> String;
    /// Says why an option with this value cannot be given at all.
    ///
    /// # Errors
    /// In words.
    fn knows(&self, name: &str, setting: &Setting) -> Result<(), String>;
    /// Says why these options do not go together, each of which the program [knows](Program::knows).
    ///
    /// # Errors
    /// In words.
    fn takes(&self, options: &[(&str, &Setting)]) -> Result<(), String>;
    /// The files that a model consists of, with all that it imports, the model first.
    fn files(&self, model: &Path) -> Vec<PathBuf>;
    /// The arguments that ask a question: what is asked, and the options that belong to it; not the model.
    fn asked(&self, question: &Question) -> Vec<OsString>;
    /// The arguments that choose a configuration.
    fn chosen(&self, options: &Options) -> Vec<OsString>;
    /// The arguments that ask a question under a configuration; evidence goes to files that begin so. What the command
    /// prints is read by [`crate::record::Answer::read`].
    fn ask(
        &self,
        question: &Question,
        options: &Options,
        limits: &Limits,
        evidence: Option<&Path>,
    ) -> Vec<OsString>;
    /// The files of evidence that begin so, for a run and for a proof; of several properties, for that with this number.
    fn evidence(&self, stem: &Path, number: Option<usize>) -> [PathBuf; 2];
    /// The arguments that check a file of evidence about a question under a configuration; of several properties, about
    /// that with this number, from 1. The command ends with 0 if it is right, and what it prints is read by
    /// [`crate::verify::Shown::read`].
    fn validate(
        &self,
        question: &Question,
        options: &Options,
        number: Option<usize>,
        evidence: &Path,
    ) -> Vec<OsString>;
    /// The arguments that run a batch of a campaign in this folder.
    fn work(&self, folder: &Path, batch: &str) -> Vec<OsString>;
}
