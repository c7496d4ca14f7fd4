//! What keeps a campaign from being planned, run or read, as data.

use std::fmt;
use std::path::{Path, PathBuf};

/// A program of others that is called.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Outside {
    /// Slurm submits.
    Sbatch,
    /// Slurm tells of its queue.
    Squeue,
    /// HyperQueue.
    Hq,
    /// BenchExec.
    Benchexec,
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outside::Sbatch => "sbatch",
            Outside::Squeue => "squeue",
            Outside::Hq => "hq",
            Outside::Benchexec => "benchexec",
        })
    }
}

/// Why something cannot be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// A file or a folder cannot be read, for this reason of the system's.
    Unreadable(PathBuf, String),
    /// A file or a folder cannot be written, for this reason of the system's.
    Unwritable(PathBuf, String),
    /// A file is not what it should be.
    Syntax {
        /// Which.
        path: PathBuf,
        /// Where, counted from 1, if it is known.
        line: Option<usize>,
        /// What is wrong.
        why: String,
    },
    /// A list or a pattern gives no task.
    NoTasks(String),
    /// The same configuration or question twice.
    Twice(String),
    /// The program does not take these options.
    Options {
        /// Whose they are.
        configuration: String,
        /// What the program says.
        why: String,
    },
    /// More combinations of values than can be looked at.
    TooMany {
        /// How many there are.
        combinations: u128,
        /// How many can be looked at.
        most: u128,
    },
    /// More jobs than a plan can have.
    TooManyJobs {
        /// How many there are.
        jobs: u128,
        /// How many there can be.
        most: u128,
    },
    /// A covering array that does not cover these two values.
    Uncovered {
        /// Where the array is.
        path: PathBuf,
        /// One option with its value, and another one.
        pair: [String; 2],
    },
    /// The files of this model, or its property, are not what they were when the campaign was planned.
    Changed(PathBuf),
    /// Somebody else runs the campaign in this folder.
    Busy(PathBuf),
    /// There is nothing of a campaign in this folder.
    NoCampaign(PathBuf),
    /// A program that is needed is not there.
    NoProgram(Outside),
    /// A program that was called failed.
    Failed {
        /// Which.
        program: Outside,
        /// What it said.
        said: String,
    },
    /// A back end does not get on: jobs are left that it no longer knows.
    Stuck {
        /// Which.
        program: Outside,
        /// How many jobs have no result.
        left: usize,
    },
}

impl Error {
    /// The codes of all variants.
    pub const CODES: &'static [&'static str] = &[
        "campaign.unreadable",
        "campaign.unwritable",
        "campaign.syntax",
        "campaign.no-tasks",
        "campaign.twice",
        "campaign.options",
        "campaign.too-many",
        "campaign.uncovered",
        "campaign.busy",
        "campaign.no-campaign",
        "campaign.no-program",
        "campaign.program-failed",
        "campaign.stuck",
        "campaign.changed",
    ];

    /// The stable code, for programs.
    pub fn code(&self) -> &'static str {
        let at = match self {
            Error::Unreadable(..) => 0,
            Error::Unwritable(..) => 1,
            Error::Syntax { .. } => 2,
            Error::NoTasks(_) => 3,
            Error::Twice(_) => 4,
            Error::Options { .. } => 5,
            Error::TooMany { .. } | Error::TooManyJobs { .. } => 6,
            Error::Uncovered { .. } => 7,
            Error::Busy(_) => 8,
            Error::NoCampaign(_) => 9,
            Error::NoProgram(_) => 10,
            Error::Failed { .. } => 11,
            Error::Stuck { .. } => 12,
            Error::Changed(_) => 13,
        };
        Error::CODES[at]
    }
    /// That a file cannot be read.
    pub(crate) fn unreadable(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.to_owned();
        move |why| Error::Unreadable(path, why.to_string())
    }
    /// That a file cannot be written.
    pub(crate) fn unwritable(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.to_owned();
        move |why| Error::Unwritable(path, why.to_string())
    }
    /// That a file is not what it should be.
    pub(crate) fn syntax(path: &Path, line: Option<usize>, why: impl Into<String>) -> Error {
        Error::Syntax { path: path.to_owned(), line, why: why.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unreadable(path, why) => write!(f, "{} cannot be read: {why}", path.display()),
            Error::Unwritable(path, why) => write!(f, "{} cannot be written: {why}", path.display()),
            Error::Syntax { path, line: Some(line), why } => write!(f, "{}:{line}: {why}", path.display()),
            Error::Syntax { path, line: None, why } => write!(f, "{}: {why}", path.display()),
            Error::NoTasks(what) => write!(f, "{what} gives no task"),
            Error::Twice(what) => write!(f, "{what} is there twice"),
            Error::Options { configuration, why } => write!(f, "configuration {configuration}: {why}"),
            Error::TooMany { combinations, most } => write!(
                f,
                "the values have {combinations} combinations, and at most {most} are looked at; fix some options, or \
                 give fewer values"
            ),
            Error::TooManyJobs { jobs, most } => {
                write!(
                    f,
                    "the campaign has {jobs} jobs, and at most {most} are planned; ask less, or give a `sample`"
                )
            }
            Error::Changed(model) => write!(
                f,
                "{}, a file that it imports, or its property is not what it was when the campaign was planned",
                model.display()
            ),
            Error::Uncovered { path, pair: [one, other] } => {
                write!(f, "{} does not let `{one}` and `{other}` meet, which is possible", path.display())
            }
            Error::Busy(folder) => write!(f, "somebody else runs the campaign in {}", folder.display()),
            Error::NoCampaign(folder) => write!(f, "{} has no campaign in it", folder.display()),
            Error::NoProgram(name) => write!(f, "the program `{name}` is not found"),
            Error::Failed { program, said } => write!(f, "`{program}` failed: {said}"),
            Error::Stuck { program, left } => {
                write!(f, "{left} jobs have no result, and `{program}` knows nothing more of them")
            }
        }
    }
}

impl std::error::Error for Error {}
