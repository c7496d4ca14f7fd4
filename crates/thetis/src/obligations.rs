//! `--obligations`: what makes a certificate with formulas one, as SMT-LIB files for any other solver. Zones
//! are such formulas, too.
//!
//! Each file holds up to [`EACH`] obligations in scopes of their own; a solver answers `unsat` to every
//! one of them if the certificate is right. Of a proof about whole runs, those of its base are written: that nothing but
//! what it contains can be reached in the product with the automaton, and that rankings of its entries decrease if there
//! are any. That the automaton accepts what it has to, and that measures of listed states decrease, is no matter for a
//! solver.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use certify::{Exported, Rejection};
use ir::{Certificate, Question, System};

use crate::file::{self, FileError};

/// How many obligations a file holds.
const EACH: usize = 1_000;

/// What became of obligations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Written {
    /// So many were written.
    All(usize),
    /// So many were written about the product of the model with an automaton; what that accepts, and how measures
    /// of listed states decrease, is not among them.
    Base(usize),
    /// None: the certificate lists states, which are checked by execution.
    States,
    /// None: the certificate has so many zones, too many to be put to a solver.
    ManyZones(usize),
}

/// Why obligations could not be written.
#[derive(Clone, PartialEq, Debug)]
pub enum Unwritten {
    /// A file or the directory cannot be written.
    File(FileError),
    /// The directory holds other files.
    Occupied(PathBuf),
    /// The certificate has none that can be told.
    Rejected(Rejection),
}

/// Makes the directory, or empties it of earlier obligations, unless it holds something else.
///
/// # Errors
/// Why it cannot be used.
pub fn prepare(dir: &Path) -> Result<(), Unwritten> {
    let failed = |error: std::io::Error| Unwritten::File(FileError::writing(dir, &error));
    if !dir.exists() {
        return fs::create_dir_all(dir).map_err(failed);
    }
    let Some(files) = earlier(dir).map_err(failed)? else {
        return Err(Unwritten::Occupied(dir.to_owned()));
    };
    files.into_iter().try_for_each(fs::remove_file).map_err(failed)
}

/// The files of earlier obligations, if there is nothing else.
fn earlier(dir: &Path) -> std::io::Result<Option<Vec<PathBuf>>> {
    let mut files = vec![];
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let number = name.strip_prefix("obligations-").and_then(|name| name.strip_suffix(".smt2"));
        let is_ours = number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        if !is_ours || !entry.file_type()?.is_file() {
            return Ok(None);
        }
        files.push(entry.path());
    }
    Ok(Some(files))
}

/// Writes every obligation of `certificate` into a directory that has been prepared; says how many, or why
/// none.
///
/// # Errors
/// Why that was not possible.
pub fn write(
    dir: &Path,
    model: &str,
    system: &System,
    question: &Question,
    certificate: &Certificate,
    stop: &AtomicBool,
) -> Result<Written, Unwritten> {
    prepare(dir)?;
    let mut batch: Vec<certify::Script> = vec![];
    let (mut written, mut failure) = (0, None);
    let mut flush = |batch: &mut Vec<certify::Script>| {
        let first = written + 1;
        written += batch.len();
        let path = dir.join(format!("obligations-{:05}.smt2", first.div_ceil(EACH)));
        file::create(&path, |out| {
            let model = model.replace(char::is_control, " ");
            writeln!(out, "; Obligations {first} to {written} about `{model}`, by Thetis.")?;
            writeln!(
                out,
                "; The certificate is right if the answer to every one is `unsat`.\n(set-logic ALL)"
            )?;
            for (at, script) in batch.iter().enumerate() {
                writeln!(out, "\n; {}: {}", first + at, script.about)?;
                writeln!(out, "(push 1)\n{}(check-sat)\n(pop 1)", script.text)?;
            }
            Ok(())
        })
        .inspect(|()| batch.clear())
    };
    let result = certify::export_obligations(system, question, certificate, stop, &mut |script| {
        batch.push(script.clone());
        if batch.len() == EACH {
            failure = flush(&mut batch).err();
        }
        failure.is_none()
    });
    let base = result == Ok(Exported::Base);
    match (failure, result) {
        (Some(failure), _) => return Err(Unwritten::File(failure)),
        (None, Err(why)) => return Err(Unwritten::Rejected(why)),
        (None, Ok(Exported::All | Exported::Base)) => {}
        (None, Ok(Exported::States)) => return Ok(Written::States),
        (None, Ok(Exported::ManyZones(count))) => return Ok(Written::ManyZones(count)),
    }
    if !batch.is_empty() {
        flush(&mut batch).map_err(Unwritten::File)?;
    }
    Ok(if base { Written::Base(written) } else { Written::All(written) })
}
