//! Thetis on the command line: load a model, search it, have the answer checked, and say so.
//!
//! A shell over the library `thetis`: [`cli`] reads options, each sub-command is a module, and [`words`] makes sentences
//! and options out of what the library says as data. [`load`] and [`render`] say what is wrong with a text, [`report`] is
//! what `--json` says.
//!
//! The verdict is the first line on stdout; exit codes are in [`Exit`].
//!
//! ```
//! use thetis_cli::exit::Exit;
//! use thetis_cli::limits;
//!
//! assert_eq!(limits::duration("1.5m").map(|limit| limit.as_secs()), Ok(90));
//! // Of several verdicts, the worst decides.
//! assert_eq!(Exit::Unknown.worst(Exit::Violated).code(), 1);
//! ```

pub mod apart;
pub mod campaign;
pub mod check;
pub mod cli;
pub mod configuration;
pub mod console;
pub mod convert;
pub mod doctor;
pub mod exit;
pub mod formula;
pub mod guide;
pub mod info;
pub mod limits;
pub mod load;
pub mod progress;
pub mod render;
pub mod report;
pub mod simulate;
pub mod theta;
pub mod trace;
pub mod validate;
pub mod words;

pub use exit::{Exit, Failure};
