//! Ids of jobs: hashes (BLAKE3) of everything that a result depends on.
//!
//! Equal ids mean the same model, question, options, limits and program, whatever the files are called; so a result is
//! used again exactly where it would come out again. Parts are hashed with their lengths, so that no two lists of parts
//! look the same.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// How many hexadecimal digits of a hash are kept: 128 bits, far from any collision by chance.
const DIGITS: usize = 32;

/// The id of a job, in hexadecimal digits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Id(String);

impl Id {
    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A hash in the making.
#[derive(Clone, Debug, Default)]
pub struct Hash(blake3::Hasher);

impl Hash {
    /// Adds a part.
    pub fn add(&mut self, part: impl AsRef<[u8]>) -> &mut Self {
        let part = part.as_ref();
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part);
        self
    }
    /// The id of all parts.
    pub fn id(&self) -> Id {
        Id(self.0.finalize().to_hex()[..DIGITS].to_owned())
    }
}

/// What is in files, hashed once for each.
#[derive(Clone, Debug, Default)]
pub struct Contents(HashMap<PathBuf, [u8; 32]>);

impl Contents {
    /// The hash of what is in a file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of(&mut self, path: &Path) -> Result<[u8; 32], Error> {
        if let Some(known) = self.0.get(path) {
            return Ok(*known);
        }
        let bytes = std::fs::read(path).map_err(Error::unreadable(path))?;
        let hash = *blake3::hash(&bytes).as_bytes();
        self.0.insert(path.to_owned(), hash);
        Ok(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(parts: &[&str]) -> Id {
        let mut hash = Hash::default();
        for part in parts {
            hash.add(part);
        }
        hash.id()
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(id(&["ab", "c"]), id(&["a", "bc"]));
        assert_ne!(id(&["a"]), id(&["a", ""]));
        assert_eq!(id(&["a", "b"]), id(&["a", "b"]));
        assert_eq!(id(&[]).as_str().len(), DIGITS);
    }

    /// The hash of the empty input is known from the specification of BLAKE3.
    #[test]
    fn the_hash_is_the_standard_one() {
        let known = "af1349b9f5f9a1a6a0404dea36dcc949";
        assert_eq!(id(&[]).as_str(), known);
    }
}
