//! Thetis, a model checker for reactive and real-time systems, as a library.

pub mod certificate;
pub mod decide;
mod error;
mod evidence;
pub mod file;
pub mod info;
mod load;
pub mod obligations;
mod pose;
mod source;
pub mod simulate;
pub mod trace;
pub mod validate;
pub mod verdict;

pub use error::{Error, TextError, UnknownLanguage};
pub use evidence::{EvidenceError, EvidenceProblem, Header, header};
pub use load::{Alone, Disk, Languages, Model, Resolver};
pub use pose::{CannotPose, CheckStates, Posed, Scope, first_units, pose};
pub use source::{Region, Source, Sources};
