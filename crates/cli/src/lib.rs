//! Thetis on the command line: load a model, search it, have the answer checked, and say so.
//!
//! The pipeline is [`load`] (files to systems), [`check`] (search), [`verdict`] (what an answer means
//! for the property, once `certify` has accepted it) and [`report`]. [`trace`], [`certificate`] and [`obligations`]
//! carry evidence to files and back. Everything else is one sub-command each.
//!
//! The verdict is the first line on stdout; exit codes are in [`Exit`].

pub mod check;
pub mod cli;
pub mod console;
pub mod convert;
pub mod doctor;
pub mod exit;
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
