//! Files of evidence, traces and certificates: what can be wrong with one before it is checked.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::IgnoredAny;

/// A file that is no evidence about a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvidenceError {
    /// What the file is called.
    pub file: String,
    /// What is wrong with it.
    pub problem: EvidenceProblem,
}

/// What is wrong with a file of evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EvidenceProblem {
    /// It is no file of evidence, for this reason.
    Foreign(String),
    /// It is a file of another kind.
    OtherFormat {
        /// What it says it is.
        found: String,
        /// What is needed.
        needed: &'static str,
    },
    /// It is of a version that nobody here reads.
    OtherVersion {
        /// What it is.
        format: &'static str,
        /// Its version.
        found: u32,
        /// The newest that is read.
        newest: u32,
    },
    /// It says what it is, and is not: for this reason.
    Damaged {
        /// What it is.
        format: &'static str,
        /// What is missing or too much.
        why: String,
    },
}

ir::codes! {
    EvidenceProblem {
        EvidenceProblem::Foreign(_) => "evidence.foreign",
        EvidenceProblem::OtherFormat { .. } => "evidence.other-format",
        EvidenceProblem::OtherVersion { .. } => "evidence.other-version",
        EvidenceProblem::Damaged { .. } => "evidence.damaged",
    }
}

impl EvidenceProblem {
    /// The problem of this file.
    pub fn of(self, file: &str) -> EvidenceError {
        EvidenceError { file: file.to_owned(), problem: self }
    }
}

impl fmt::Display for EvidenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = &self.file;
        match &self.problem {
            EvidenceProblem::Foreign(why) => {
                write!(f, "`{file}` is neither a trace nor a certificate of Thetis: {why}")
            }
            EvidenceProblem::OtherFormat { found, needed } => {
                write!(f, "`{file}` is a `{found}` file, and a `{needed}` file is needed here")
            }
            EvidenceProblem::OtherVersion { format, found, newest } => {
                write!(
                    f,
                    "`{file}` is a `{format}` file of version {found}; this Thetis reads versions 1 to {newest}"
                )
            }
            EvidenceProblem::Damaged { format, why } => {
                write!(f, "`{file}` is a damaged `{format}` file: {why}")
            }
        }
    }
}

impl std::error::Error for EvidenceError {}

/// The part of a file that says what it is.
#[derive(Deserialize)]
pub struct Header {
    /// What kind of file.
    pub format: String,
    /// Which version of it.
    pub version: u32,
}

/// Reads what kind of file a text is.
///
/// # Errors
/// If it is none.
pub fn header(file: &str, text: &str) -> Result<Header, EvidenceError> {
    serde_json::from_str(text).map_err(|error| EvidenceProblem::Foreign(error.to_string()).of(file))
}

/// The version of a file, which must be of this kind and not newer than that.
pub(crate) fn version(
    file: &str,
    text: &str,
    needed: &'static str,
    newest: u32,
) -> Result<u32, EvidenceError> {
    let Header { format, version } = header(file, text)?;
    if format != needed {
        return Err(EvidenceProblem::OtherFormat { found: format, needed }.of(file));
    }
    if !(1..=newest).contains(&version) {
        return Err(EvidenceProblem::OtherVersion { format: needed, found: version, newest }.of(file));
    }
    Ok(version)
}

/// Refuses keys that a file may not have; `serde` cannot do that where names are flattened.
pub(crate) fn only_keys(text: &str, known: &[&str]) -> Result<(), String> {
    let keys: BTreeMap<String, IgnoredAny> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match keys.keys().find(|key| !known.contains(&key.as_str())) {
        Some(stranger) => Err(format!("unknown key `{stranger}`")),
        None => Ok(()),
    }
}

/// Refuses texts without some of these keys, and those with others.
pub(crate) fn exactly_keys(text: &str, common: &[&str], own: &[&str]) -> Result<(), String> {
    let keys: BTreeMap<String, IgnoredAny> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if let Some(missing) = common.iter().chain(own).find(|key| !keys.contains_key(**key)) {
        return Err(format!("missing field `{missing}`"));
    }
    only_keys(text, &[common, own].concat())
}
