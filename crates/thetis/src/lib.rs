//! Thetis, a model checker for reactive and real-time systems, as a library.
//!
//! A [`Model`] is read from a file or a text, in one of the [`Languages`] or in one of your own; it is asked
//! [`Question`](lang::Question)s, in its own language; and each is answered with evidence that a separate checker has
//! accepted.
//!
//! ```
//! use thetis::{Check, Model, Outcome};
//!
//! let text = "var n : integer = 0 trans { assume n < 3; n := n + 1; } prop { n <= 3 }";
//! let mut model = Model::from_text("counter.xsts", text)?;
//! let question = model.ask("n <= 2")?;
//! let answer = model.check(&question, &Check::default())?;
//! assert_eq!(answer.outcome, Outcome::Violated);
//! assert!(answer.certified);
//! println!("{}", thetis::trace::table::render(&answer.trace.expect("a run"), false));
//! # Ok::<(), thetis::Error>(())
//! ```
//!
//! The way of a question: [`pose()`] makes a problem of it, [`decide`] has it searched for and the answer judged,
//! [`verdict`] says what that means, and [`trace::lift`] tells of a run in the user's terms. [`trace`] and [`certificate`]
//! carry evidence to files and back, [`validate`] checks it later without any search, [`simulate`] takes one step after
//! the other. Errors are data ([`Error`]); nothing here prints, reads options, or ends the program.
//!
//! A language of your own is a [`lang::FrontEnd`]: a description with a function that loads a text. `Languages::with`
//! adds it, and everything above works for it.

mod error;
mod evidence;
mod encoding;
pub mod file;
mod source;
mod load;
mod pose;
pub mod limits;
mod check;
pub mod decide;
pub mod deadlock;
pub mod neglect;
pub mod vacuity;
pub mod zeno;
pub mod extremes;
pub mod record;
pub mod verdict;
pub mod trace;
pub mod certificate;
pub mod obligations;
pub mod validate;
pub mod simulate;
pub mod script;
pub mod info;

pub use check::{Answered, CannotCheck, Check, Outcome};
pub use decide::Certification;
pub use error::{Error, TextError, UnknownLanguage};
pub use evidence::{EvidenceError, EvidenceProblem, Header, header};
pub use limits::Limits;
pub use load::{Alone, Disk, Languages, Model, Resolver};
pub use pose::{CannotPose, CheckStates, Fair, NoFair, Posed, Scope, StuckRuns, ZenoRuns, first_units, pose};
pub use source::{Region, Source, Sources};

pub use {certify, engine, ir, lang};

/// The codes of everything that can be wrong with what this library is given; those of the crates behind it are
/// listed there.
pub fn codes() -> impl Iterator<Item = &'static str> {
    let own = [
        "language.unknown",
        "text.empty",
        "text.mistakes",
        extremes::TOO_FAR,
        script::ScriptFailure::TOO_MANY,
    ];
    let lists = [
        file::FileProblem::CODES,
        EvidenceProblem::CODES,
        CannotPose::CODES,
        simulate::NoStart::CODES,
        limits::CannotWatch::CODES,
        trace::Mismatch::CODES,
    ];
    own.into_iter().chain(lists.into_iter().flatten().copied())
}
