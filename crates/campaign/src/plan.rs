//! The plan of a campaign: questions, configurations, and the jobs that are made of them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::configuration::{self, Configuration};
use crate::error::Error;
use crate::file::File;
use crate::id::{Contents, Hash, Id};
use crate::options::Options;
use crate::program::Program;
use crate::tasks::{self, Asked, Expected};

/// The `format` of a plan.
pub const FORMAT: &str = "thetis-campaign";
/// The `version` of a plan. It is part of every id.
pub const VERSION: u32 = 1;

/// How many jobs a plan has at most; each takes some hundred bytes of it.
const MAX_JOBS: u128 = 10_000_000;

/// What is to be done.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// Always [`FORMAT`].
    pub format: String,
    /// Always [`VERSION`].
    pub version: u32,
    /// What the campaign is called.
    pub name: String,
    /// What it is about.
    pub about: String,
    /// The program that is run.
    pub executable: PathBuf,
    /// Its version and that of its solver, in words.
    pub program: String,
    /// The hash of the program.
    pub build: Id,
    /// Whether evidence is kept.
    pub evidence: bool,
    /// What every job may use.
    pub limits: Limits,
    /// What is asked.
    pub questions: Vec<Question>,
    /// How.
    pub configurations: Vec<Configuration>,
    /// Everything under every configuration, in the order in which it is done.
    pub jobs: Vec<Job>,
    /// What was left out because it is not there.
    pub missing: Vec<String>,
}

/// How much a job may use.
#[derive(Copy, Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Time of the processor.
    #[serde(alias = "cpu-seconds")]
    pub cpu_seconds: Option<f64>,
    /// Time on the wall.
    #[serde(alias = "wall-seconds")]
    pub wall_seconds: Option<f64>,
    /// Memory, in millions of bytes.
    #[serde(alias = "memory-mb")]
    pub memory_mb: Option<u64>,
}

/// A question about a model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// What it is called; no two questions of a campaign are called the same.
    pub name: String,
    /// The set that it belongs to.
    pub set: String,
    /// The file of the model.
    pub model: PathBuf,
    /// What is asked of it.
    pub asked: Asked,
    /// Options that belong to the question.
    pub options: Options,
    /// What should come out, if somebody knows.
    pub expected: Option<Expected>,
    /// The hash of its files.
    pub digest: String,
}

/// A question under a configuration.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The hash of all that matters.
    pub id: Id,
    /// Which question.
    pub question: usize,
    /// Which configuration.
    pub configuration: usize,
    /// The how-manieth time, from 0.
    pub repetition: u32,
}

impl Plan {
    /// Plans the campaign of a file; what it names is seen from `base`.
    ///
    /// # Errors
    /// If something in it cannot be used.
    pub fn new(file: &File, base: &Path, program: &dyn Program) -> Result<Plan, Error> {
        let tasks::Found { mut questions, missing } = tasks::find(file, base)?;
        if let Some(most) = file.sample {
            let chosen = Dice(file.seed).some(questions.len(), most);
            questions = chosen.into_iter().map(|at| questions[at].clone()).collect();
        }
        let mut contents = Contents::default();
        for question in &mut questions {
            for (name, setting) in question.options.iter() {
                let refused = |why| Error::Options { configuration: format!("of `{}`", question.name), why };
                program.knows(name, setting).map_err(refused)?;
            }
            absolute(&mut question.model)?;
            if let Asked::File(file) = &mut question.asked {
                absolute(file)?;
            }
            question.digest = question.digest(program, &mut contents)?;
        }
        let configurations = configuration::all(file, base, program)?;
        let executable = program.executable().to_owned();
        let mut build = Hash::default();
        build.add(contents.of(&executable)?);
        let mut plan = Plan {
            format: FORMAT.to_owned(),
            version: VERSION,
            name: file.name.clone(),
            about: file.about.clone(),
            executable,
            program: program.version(),
            build: build.id(),
            evidence: file.evidence,
            limits: file.limits,
            questions,
            configurations,
            jobs: vec![],
            missing,
        };
        let jobs = [plan.questions.len(), plan.configurations.len()].map(|count| count as u128);
        let jobs = jobs[0] * jobs[1] * u128::from(file.repetitions);
        if jobs > MAX_JOBS {
            return Err(Error::TooManyJobs { jobs, most: MAX_JOBS });
        }
        plan.jobs = plan.all_jobs(file.repetitions);
        Dice(file.seed).shuffle(&mut plan.jobs);
        Ok(plan)
    }
    fn all_jobs(&self, repetitions: u32) -> Vec<Job> {
        let mut jobs = vec![];
        for (question, asked) in self.questions.iter().enumerate() {
            for (configuration, options) in self.configurations.iter().enumerate() {
                for repetition in 0..repetitions {
                    let id = self.id(asked, &options.options, repetition);
                    jobs.push(Job { id, question, configuration, repetition });
                }
            }
        }
        jobs
    }
    fn id(&self, question: &Question, options: &Options, repetition: u32) -> Id {
        let mut hash = Hash::default();
        hash.add(VERSION.to_le_bytes()).add(self.build.as_str()).add(&self.program).add(&question.digest);
        hash.add(match &question.asked {
            // What the file is called does not matter; what is in it does.
            Asked::File(_) => "file".to_owned(),
            asked => format!("{asked:?}"),
        });
        hash.add(question.options.to_string()).add(options.to_string());
        hash.add(format!("{:?}", self.limits)).add(repetition.to_le_bytes());
        hash.id()
    }
    /// Makes sure that all models and properties are what they were when the campaign was planned, so that no result is
    /// taken for one of another model.
    ///
    /// # Errors
    /// If one is not.
    pub fn assert_unchanged(&self, program: &dyn Program) -> Result<(), Error> {
        let mut contents = Contents::default();
        for question in &self.questions {
            if question.digest(program, &mut contents)? != question.digest {
                return Err(Error::Changed(question.model.clone()));
            }
        }
        Ok(())
    }
    /// The question of a job.
    pub fn question(&self, job: &Job) -> &Question {
        &self.questions[job.question]
    }
    /// The configuration of a job.
    pub fn configuration(&self, job: &Job) -> &Configuration {
        &self.configurations[job.configuration]
    }
    /// How often everything is asked.
    pub fn repetitions(&self) -> u32 {
        self.jobs.iter().map(|job| job.repetition + 1).max().unwrap_or(1)
    }
}

impl Question {
    /// The hash of its files as they are now: the model with all that it imports, and the property.
    fn digest(&self, program: &dyn Program, contents: &mut Contents) -> Result<String, Error> {
        let mut hash = Hash::default();
        for part in program.files(&self.model) {
            hash.add(contents.of(&part)?);
        }
        if let Asked::File(file) = &self.asked {
            hash.add(contents.of(file)?);
        }
        Ok(hash.id().to_string())
    }
}

fn absolute(path: &mut PathBuf) -> Result<(), Error> {
    *path = std::fs::canonicalize(&path).map_err(Error::unreadable(path))?;
    Ok(())
}

/// Numbers by chance, the same for the same seed (SplitMix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
    fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next() % most.max(1) as u64).unwrap_or(0)
    }
    /// Every order is as likely as any other (Fisher and Yates).
    fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }
    /// So many of the first `count` numbers, in order.
    fn some(&mut self, count: usize, most: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..count).collect();
        self.shuffle(&mut all);
        all.truncate(most);
        all.sort_unstable();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_depends_on_its_seed_only() {
        let some = |seed| Dice(seed).some(100, 10);
        assert_eq!(some(1), some(1));
        assert_ne!(some(1), some(2));
        assert_eq!(some(1).len(), 10);
        assert_eq!(Dice(3).some(4, 10), [0, 1, 2, 3]);
    }
}
