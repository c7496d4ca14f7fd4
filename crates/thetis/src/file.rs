//! Text files: everything that can be wrong with one before its language matters.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use crate::encoding::Encoding;

/// A file that cannot be read or written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileError {
    /// As it was given.
    pub path: PathBuf,
    /// What is wrong.
    pub problem: FileProblem,
}

/// What is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileProblem {
    /// There is none.
    Missing,
    /// It may not be read.
    Forbidden,
    /// It is a directory.
    Directory,
    /// It has more than [`LARGEST`] bytes.
    TooLarge,
    /// It is no text.
    Binary,
    /// It is no UTF-8.
    NotUtf8 {
        /// The first byte that does not belong there.
        byte: usize,
        /// Its line, from 1.
        line: usize,
    },
    /// Something else, in the words of the operating system.
    Unreadable(String),
    /// It cannot be written: its directory does not exist.
    NoDirectory,
    /// It may not be written.
    ReadOnly,
    /// It cannot be written: it is a directory.
    WrittenDirectory,
    /// It cannot be written, in the words of the operating system.
    Unwritable(String),
}

impl FileError {
    fn new(path: &Path, problem: FileProblem) -> Self {
        FileError { path: path.to_owned(), problem }
    }
    fn reading(path: &Path, error: &io::Error) -> Self {
        FileError::new(
            path,
            match error.kind() {
                io::ErrorKind::NotFound => FileProblem::Missing,
                io::ErrorKind::PermissionDenied => FileProblem::Forbidden,
                _ => FileProblem::Unreadable(error.to_string()),
            },
        )
    }
    /// What an attempt to write has come to.
    pub fn writing(path: &Path, error: &io::Error) -> Self {
        FileError::new(
            path,
            match error.kind() {
                io::ErrorKind::NotFound => FileProblem::NoDirectory,
                io::ErrorKind::PermissionDenied => FileProblem::ReadOnly,
                io::ErrorKind::IsADirectory => FileProblem::WrittenDirectory,
                _ => FileProblem::Unwritable(error.to_string()),
            },
        )
    }
}

ir::codes! {
    FileProblem {
        FileProblem::Missing => "file.missing",
        FileProblem::Forbidden => "file.forbidden",
        FileProblem::Directory => "file.directory",
        FileProblem::TooLarge => "file.too-large",
        FileProblem::Binary => "file.binary",
        FileProblem::NotUtf8 { .. } => "file.not-utf8",
        FileProblem::Unreadable(_) => "file.unreadable",
        FileProblem::NoDirectory
        | FileProblem::ReadOnly
        | FileProblem::WrittenDirectory
        | FileProblem::Unwritable(_) => "file.unwritable",
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.problem {
            FileProblem::Missing => {
                write!(f, "there is no file `{path}`; check the spelling and the directory")
            }
            FileProblem::Forbidden => write!(f, "`{path}` may not be read by you; check its permissions"),
            FileProblem::Directory => write!(f, "`{path}` is a directory; name a file in it"),
            FileProblem::TooLarge => {
                write!(f, "`{path}` is larger than 1 GB, which is more than Thetis reads")
            }
            FileProblem::Binary => write!(f, "`{path}` is a binary file, not a text; is it the right file?"),
            FileProblem::NotUtf8 { byte, line } => write!(
                f,
                "`{path}` is not UTF-8 text: byte {byte}, on line {line}, does not belong there; save the file as UTF-8"
            ),
            FileProblem::Unreadable(why) => write!(f, "`{path}` cannot be read: {why}"),
            FileProblem::NoDirectory => {
                write!(f, "`{path}` cannot be written, for its directory does not exist")
            }
            FileProblem::ReadOnly => write!(f, "`{path}` may not be written by you"),
            FileProblem::WrittenDirectory => write!(f, "`{path}` cannot be written, for it is a directory"),
            FileProblem::Unwritable(why) => write!(f, "`{path}` cannot be written: {why}"),
        }
    }
}

impl std::error::Error for FileError {}

/// How much of a file is looked at first.
const BEGINNING: u64 = 64 * 1024;

/// The largest file that is read.
pub const LARGEST: u64 = 1 << 30;

/// Reads a text file.
///
/// # Errors
/// What is wrong with it.
pub fn read(path: &Path) -> Result<String, FileError> {
    readable(path)?;
    let mut file = File::open(path).map_err(|error| FileError::reading(path, &error))?;
    let mut bytes = vec![];
    // The beginning tells whether the rest is worth reading, however long it is.
    for most in [BEGINNING, LARGEST + 1] {
        let rest = most - bytes.len() as u64;
        let read = (&mut file).take(rest).read_to_end(&mut bytes);
        read.map_err(|error| FileError::reading(path, &error))?;
        if most == BEGINNING && bytes.len() as u64 == BEGINNING {
            let cut = std::str::from_utf8(&bytes).map_or_else(|error| error.valid_up_to(), str::len);
            // A character may be cut in two at the end.
            let utf8 = Encoding::of(&bytes) == Encoding::Utf8;
            if utf8 && (cut + 4 <= bytes.len() || bytes.contains(&0)) {
                return decode(path, bytes);
            }
        }
    }
    if bytes.len() as u64 > LARGEST {
        return Err(FileError::new(path, FileProblem::TooLarge));
    }
    decode(path, bytes)
}

/// Reads a file of bytes as a text that has a character for each.
///
/// # Errors
/// What is wrong with it.
pub fn read_bytes(path: &Path) -> Result<String, FileError> {
    readable(path)?;
    let file = File::open(path).map_err(|error| FileError::reading(path, &error))?;
    let mut bytes = vec![];
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| FileError::reading(path, &error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(FileError::new(path, FileProblem::TooLarge));
    }
    Ok(bytes.into_iter().map(char::from).collect())
}

/// Refuses what is no file that can be read.
///
/// # Errors
/// What is wrong with it.
pub fn readable(path: &Path) -> Result<(), FileError> {
    let metadata = fs::metadata(path).map_err(|error| FileError::reading(path, &error))?;
    if metadata.is_dir() {
        return Err(FileError::new(path, FileProblem::Directory));
    }
    if metadata.len() > LARGEST {
        return Err(FileError::new(path, FileProblem::TooLarge));
    }
    Ok(())
}

fn decode(path: &Path, mut bytes: Vec<u8>) -> Result<String, FileError> {
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        bytes.drain(..3);
    }
    let encoding = Encoding::of(&bytes);
    if encoding != Encoding::Utf8 {
        let no_text = || FileError::new(path, FileProblem::Binary);
        return encoding.decoded(&bytes).filter(|text| !text.contains('\0')).ok_or_else(no_text);
    }
    if bytes.iter().take(BEGINNING as usize).any(|byte| *byte == 0) {
        return Err(FileError::new(path, FileProblem::Binary));
    }
    String::from_utf8(bytes).map_err(|error| {
        let byte = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..byte].iter().filter(|byte| **byte == b'\n').count() + 1;
        FileError::new(path, FileProblem::NotUtf8 { byte, line })
    })
}

/// Writes a file with `fill`.
///
/// # Errors
/// What is wrong with it.
pub fn create(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), FileError> {
    let file = File::create(path).map(BufWriter::new);
    file.and_then(|mut out| fill(&mut out).and_then(|()| out.flush()))
        .map_err(|error| FileError::writing(path, &error))
}

/// Refuses a path that cannot be written, before any work is done; leaves everything as it is.
///
/// # Errors
/// What is wrong with it.
pub fn writable(path: &Path) -> Result<(), FileError> {
    let new = !path.exists();
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.map_err(|error| FileError::writing(path, &error))?;
    if new {
        let _ = fs::remove_file(path);
    }
    Ok(())
}

/// Refuses a path that cannot be written, and removes a file of an earlier run: what is there in the end is of
/// this one. Devices, pipes and links stay.
///
/// # Errors
/// What is wrong with it.
pub fn renew(path: &Path) -> Result<(), FileError> {
    writable(path)?;
    match path.symlink_metadata() {
        Ok(entry) if entry.is_file() => {
            fs::remove_file(path).map_err(|error| FileError::writing(path, &error))
        }
        _ => Ok(()),
    }
}
