//! Certificates in files: versioned JSON, written and checked state by state.
//!
//! A closed set lists every reachable state, one on each line (`docs/schema/certificate.schema.json`).
//! Reading one gives back an [`ir::Certificate`] whose hints come from an index built anew, so a file
//! is trusted for nothing but its list.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use ir::{Certificate, ClosedSet, State, System};
use serde::{Deserialize, Serialize};

use crate::exit::Failure;
use crate::trace::{self, PropertyRef, Signature, StateRecord, lift};

/// The `format` of a certificate file.
pub const FORMAT: &str = "thetis-certificate";
/// The newest `version` of a certificate file.
pub const VERSION: u32 = 1;

/// Everything in a certificate file but its states.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Preamble {
    /// Always [`FORMAT`].
    pub format: String,
    /// At most [`VERSION`].
    pub version: u32,
    /// What the states are.
    pub kind: Kind,
    /// The file of the model, as it was given.
    pub model: String,
    /// What is certified.
    pub property: PropertyRef,
    /// The names in the states.
    #[serde(flatten)]
    pub signature: Signature,
}

/// The kinds of certificates.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// All reachable states, listed.
    ClosedSet,
}

/// A certificate file.
#[derive(Deserialize)]
pub struct File {
    /// What it is about.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The states.
    pub states: Vec<StateRecord>,
}

/// Writes a certificate of `system` for `property`, one state at a time.
pub fn write(
    path: &Path,
    model: &str,
    system: &System,
    property: PropertyRef,
    certificate: &Certificate,
) -> Result<(), Failure> {
    let Certificate::ClosedSet(set) = certificate;
    let preamble = Preamble {
        format: FORMAT.to_owned(),
        version: VERSION,
        kind: Kind::ClosedSet,
        model: model.to_owned(),
        property,
        signature: lift::signature(system),
    };
    let text = serde_json::to_string_pretty(&preamble).expect("plain data");
    let open = text.trim_end().trim_end_matches('}').trim_end();
    trace::create(path, |out| {
        write!(out, "{open},\n  \"states\": [")?;
        for index in 0..set.len() {
            out.write_all(if index == 0 { b"\n    " } else { b",\n    " })?;
            serde_json::to_writer(&mut *out, &lift::state(system, &set.state(index)))?;
        }
        writeln!(out, "\n  ]\n}}")
    })
}

/// Reads the text of a certificate file.
pub fn parse(path: &Path, text: &str) -> Result<File, Failure> {
    let shown = path.display();
    let header = trace::header(path, text)?;
    if header.version > VERSION {
        let found = header.version;
        return Err(Failure::Input(format!(
            "`{shown}` is a certificate of version {found}; this Thetis reads up to {VERSION}: use a newer one"
        )));
    }
    serde_json::from_str(text)
        .map_err(|error| Failure::Input(format!("`{shown}` is a damaged certificate: {error}")))
}

/// The certificate for `system` that a file tells of.
pub fn lower(system: &System, file: File) -> Result<Certificate, String> {
    let reader = lift::Lower::new(system, &file.preamble.signature)?;
    let mut list = Listed::default();
    for (number, record) in file.states.into_iter().enumerate() {
        let state = reader.state(&record).map_err(|why| format!("state {number} of the set: {why}"))?;
        list.index.entry(state.clone()).or_insert(number);
        list.states.push(state);
    }
    Ok(Certificate::ClosedSet(Box::new(list)))
}

#[derive(Default)]
struct Listed {
    states: Vec<State>,
    index: HashMap<State, usize>,
}

impl ClosedSet for Listed {
    fn len(&self) -> usize {
        self.states.len()
    }
    fn state(&self, index: usize) -> State {
        self.states[index].clone()
    }
    fn find(&self, state: &State) -> Option<usize> {
        self.index.get(state).copied()
    }
}
