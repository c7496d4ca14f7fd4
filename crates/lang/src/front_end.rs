//! Front-ends: one description for each language, and the table of them.
//!
//! A new language is a folder with a [`FrontEnd`] in it and a line of [`FRONT_ENDS`]. Everything that reads models
//! goes by this description, so that a language which is not in the table, but in somebody else's program, is
//! read in just the same way.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use ir::FileId;

use crate::c::DataModel;
use crate::diagnostic::Diagnostic;
use crate::gamma::{Criterion, Period};
use crate::model::Model;

/// A language that models are written in.
#[derive(Debug)]
pub struct FrontEnd {
    /// A word for it: `xsts`.
    pub name: &'static str,
    /// What it is called: `XSTS and timed XSTS`.
    pub title: &'static str,
    /// How the names of its files end, without the dot.
    pub extensions: &'static [&'static str],
    /// Of these, the ones whose files are bytes rather than texts: each byte is a character of the text that is read.
    pub binary: &'static [&'static str],
    /// Whether a text looks like one of its models, for texts without a name.
    pub recognises: fn(&str) -> bool,
    /// Reads a model; what it imports comes from the [`Files`].
    pub load: Loader,
    /// Files of questions about its models.
    pub question_files: &'static [QuestionFiles],
    /// Files of runs that are prescribed for its models.
    pub script_files: Option<ScriptFiles>,
    /// Lists the models of a text, in languages whose texts have several; [`Reading::task`] says which is meant.
    pub tasks: Option<TaskLister>,
    /// What its models can be written as.
    pub conversions: &'static [Conversion],
    /// The reference of the language.
    pub guide: &'static str,
    /// Models to start from.
    pub examples: &'static [Example],
    /// What the smallest model needs, as a clause: ``a model needs at least a `trans` section``.
    pub smallest: &'static str,
    /// Questions about its models, as examples.
    pub questions: &'static [&'static str],
    /// How a model says what is asked of it, as an example, if it can.
    pub own_question: Option<&'static str>,
}

/// Another form of a model: another language, or the same one in another spelling.
#[derive(Copy, Clone, Debug)]
pub struct Conversion {
    /// How the names of such files end, without the dot.
    pub extension: &'static str,
    /// What it is: `XSTS in normal form`.
    pub title: &'static str,
    /// Writes it.
    pub convert: Converter,
}

impl Conversion {
    /// Into XSTS in normal form.
    pub const fn to_xsts(convert: Converter) -> Self {
        Conversion { extension: "xsts", title: "XSTS in normal form", convert }
    }
}

impl FrontEnd {
    /// How a model becomes a file whose name ends so.
    pub fn conversion(&self, extension: &str) -> Option<&'static Conversion> {
        self.conversions.iter().find(|conversion| conversion.extension.eq_ignore_ascii_case(extension))
    }
}

/// Reads the model of a text; what it imports comes from the [`Files`].
pub type Loader = fn(&str, &mut dyn Files, &Reading) -> Result<Model, Vec<Diagnostic>>;

/// Writes the model of a text in another form; what it imports comes from the [`Files`].
pub type Converter = fn(&str, &mut dyn Files, &Reading) -> Result<String, Vec<Diagnostic>>;

/// What each of the models of a text is about, in order; what it imports comes from the [`Files`].
pub type TaskLister = fn(&str, &mut dyn Files) -> Result<Vec<String>, Vec<Diagnostic>>;

/// How a model is meant, where its text leaves that open. Most languages leave nothing open and do not look.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reading {
    /// Which component is the system, in languages that have several in a file; else the language chooses.
    pub component: Option<String>,
    /// Values of its parameters, as the language writes them.
    pub arguments: Vec<String>,
    /// How much time passes in each step, in languages with steps; any amount if nothing is said.
    pub period: Option<Period>,
    /// How much time passes in each step at most, in milliseconds, in languages where any amount may; more is left out.
    pub cycle_within: Option<u64>,
    /// What the invariants of a model are, in languages where they are assumptions.
    pub invariants: Invariants,
    /// How wide integer types are, in languages that leave it open.
    pub data_model: DataModel,
    /// What is to be covered by runs, in languages that have such questions; they are asked besides those of the model.
    pub cover: Vec<Criterion>,
    /// Which model of a text is meant, from 1, in languages whose texts have several.
    pub task: Option<usize>,
}

/// What the invariants of a model are.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Invariants {
    /// Assumptions: what violates them does not happen.
    #[default]
    Assumed,
    /// Claims: whether something violates them is asked.
    Checked,
}

/// Files of questions.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct QuestionFiles {
    /// How their names end, without the dot.
    pub extension: &'static str,
    /// What they hold: `UPPAAL queries`.
    pub title: &'static str,
}

/// Files of runs that somebody prescribes; see [`crate::Script`].
#[derive(Copy, Clone, Debug)]
pub struct ScriptFiles {
    /// How their names end, without the dot.
    pub extension: &'static str,
    /// What they hold: `Gamma execution traces`.
    pub title: &'static str,
    /// Says how the model of such a text is meant, where that was left open.
    pub settle: fn(&str, &mut Reading),
}

/// A model to start from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Example {
    /// Its name.
    pub name: &'static str,
    /// A few words about it.
    pub about: &'static str,
    /// The model.
    pub text: &'static str,
}

/// Where the files come from that a model imports.
pub trait Files {
    /// The file that is called `name` in the file `from`, and its text.
    ///
    /// # Errors
    /// Why it cannot be had.
    fn import(&mut self, from: FileId, name: &str) -> Result<(FileId, Arc<str>), ImportError>;
    /// The nearest file around the file `from` whose name ends so, and whose text is what is looked for; for languages
    /// that call files by what is in them.
    ///
    /// # Errors
    /// Why there is none: unless somebody knows how to look around, there are no files beside a text.
    fn import_where(
        &mut self,
        _from: FileId,
        extension: &str,
        _wanted: &mut dyn FnMut(&str) -> bool,
    ) -> Result<(FileId, Arc<str>), ImportError> {
        Err(ImportError::Alone(format!("*.{extension}")))
    }
}

/// Why a file that a model imports cannot be had; its words are a clause: ``there is no file `x` ``.
#[derive(Clone, Debug)]
pub enum ImportError {
    /// There are no files beside the text that names this one.
    Alone(String),
    /// The model has as many files as can be told apart.
    TooMany,
    /// It cannot be read, as whoever reads files for the model says.
    Unreadable(Arc<dyn Error + Send + Sync>),
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::Alone(name) => {
                write!(f, "`{name}` is another file, and there are none beside this text")
            }
            ImportError::TooMany => {
                write!(f, "a model has at most {} files", usize::from(u16::MAX) + 1)
            }
            ImportError::Unreadable(why) => why.fmt(f),
        }
    }
}

impl Error for ImportError {}

/// There are no other files.
pub struct NoFiles;

impl Files for NoFiles {
    fn import(&mut self, _: FileId, name: &str) -> Result<(FileId, Arc<str>), ImportError> {
        Err(ImportError::Alone(name.to_owned()))
    }
}

/// The languages that come with Thetis.
pub const FRONT_ENDS: &[&FrontEnd] = &[
    &crate::xsts::FRONT_END,
    &crate::xta::FRONT_END,
    &crate::pnml::FRONT_END,
    &crate::gamma::FRONT_END,
    &crate::gamma::TASKS,
    &crate::yakindu::FRONT_END,
    &crate::cfa::FRONT_END,
    &crate::sts::FRONT_END,
    &crate::aiger::FRONT_END,
    &crate::c::FRONT_END,
];
