//! Errors: what was given cannot be used, and why, as data.
//!
//! Each has a stable [`Error::code`] for programs; its words are for people and say nothing that the data do not.

use std::fmt;
use std::path::PathBuf;

use lang::FrontEnd;
use lang::diagnostic::{Diagnostic, lacking};

use crate::check::CannotCheck;
use crate::evidence::EvidenceError;
use crate::file::FileError;
use crate::pose::CannotPose;
use crate::source::Sources;

/// Why something that was given cannot be used.
#[derive(Clone, Debug)]
pub enum Error {
    /// A file cannot be read or written.
    File(FileError),
    /// Nobody knows the language of a model.
    Language(UnknownLanguage),
    /// The text of a model has nothing in it.
    Empty {
        /// What it is called.
        name: String,
        /// Its language.
        language: &'static FrontEnd,
    },
    /// A text has mistakes in it.
    Text(TextError),
    /// A file is no evidence about the model.
    Evidence(EvidenceError),
    /// A question cannot be checked.
    Check(CannotCheck),
}

/// A model whose language is not known.
#[derive(Clone, Debug)]
pub struct UnknownLanguage {
    /// The file, if it is one.
    pub path: Option<PathBuf>,
    /// The languages that there are.
    pub known: Vec<&'static FrontEnd>,
}

/// A text with mistakes in it.
#[derive(Clone, Debug)]
pub struct TextError {
    /// The text, with the files it imports.
    pub sources: Sources,
    /// What is wrong with it, by place.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the text is a question about a model in another text, which then has this name.
    pub about: Option<String>,
}

impl Error {
    /// The stable name of the error.
    pub fn code(&self) -> &'static str {
        match self {
            Error::File(error) => error.problem.code(),
            Error::Language(_) => "language.unknown",
            Error::Empty { .. } => "text.empty",
            Error::Text(_) => "text.mistakes",
            Error::Evidence(error) => error.problem.code(),
            Error::Check(why) => why.code(),
        }
    }
}

impl TextError {
    /// The first thing that it needs and Thetis lacks, if nothing else is wrong with it.
    pub fn unsupported(&self) -> Option<&Diagnostic> {
        lacking(&self.diagnostics)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::File(error) => error.fmt(f),
            Error::Language(error) => error.fmt(f),
            Error::Empty { name, language } => write!(f, "`{name}` is empty; {}", language.smallest),
            Error::Text(error) => error.fmt(f),
            Error::Evidence(error) => error.fmt(f),
            Error::Check(why) => why.fmt(f),
        }
    }
}

impl fmt::Display for UnknownLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(path) = &self.path else { return f.write_str("the text is in no language that is known") };
        match path.extension().map(|extension| extension.to_string_lossy()) {
            None => write!(f, "`{}` has no extension", path.display())?,
            Some(extension) => write!(f, "`{}` has the unknown extension `.{extension}`", path.display())?,
        }
        let extensions = |language: &&'static FrontEnd| {
            let title = language.title;
            language.extensions.iter().map(move |known| format!("`.{known}` ({title})"))
        };
        let known: Vec<String> = self.known.iter().flat_map(extensions).collect();
        write!(f, ", so its language is not known; Thetis reads {}", known.join(", "))
    }
}

impl fmt::Display for TextError {
    /// One line for each mistake.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, diagnostic) in self.diagnostics.iter().enumerate() {
            let end = if number == 0 { "" } else { "\n" };
            write!(f, "{end}{}: {}", self.sources.place(diagnostic.span), diagnostic.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        Error::File(error)
    }
}

impl From<EvidenceError> for Error {
    fn from(error: EvidenceError) -> Self {
        Error::Evidence(error)
    }
}

impl From<CannotPose> for Error {
    fn from(why: CannotPose) -> Self {
        Error::Check(why.into())
    }
}

impl From<CannotCheck> for Error {
    fn from(why: CannotCheck) -> Self {
        Error::Check(why)
    }
}
