//! Campaigns: configurations and models as one experiment, that can be stopped and resumed, on one core or a cluster.
//!
//! A *campaign file* ([`mod@file`]) says which models are asked what ([`tasks`]), under which configurations
//! ([`configuration`], [`pairwise`]), how often and within which limits. From it follows a [`plan`]: a list of jobs,
//! each a question under a configuration, with an id that is a hash of everything that its result depends on ([`id`]).
//! A job is one ordinary command, run apart and measured ([`child`]), and its result ([`record`]) is a file that is
//! written under another name and renamed ([`folder`]): it is there and whole, or not there. So whoever runs jobs
//! ([`backend`]) keeps no state, a campaign is resumed by running what has no result, and nothing is lost with a
//! machine but what was running on it.
//!
//! What the results say is worked out by [`statistics`] and [`compare`], shown by [`report`], and held against the
//! evidence by [`verify`].
//!
//! This crate knows neither models nor engines nor the command line: whoever uses it brings the [`Program`].

pub mod error;
pub mod options;
pub mod file;
pub mod pattern;
pub mod csv;
pub mod svcomp;
pub mod tasks;
pub mod configuration;
pub mod pairwise;
pub mod id;
pub mod program;
pub mod plan;
pub mod record;
pub mod machine;
pub mod folder;
#[cfg(target_os = "linux")]
pub mod child;
#[cfg(target_os = "linux")]
pub mod run;
#[cfg(target_os = "linux")]
pub mod backend;
pub mod statistics;
pub mod compare;
#[cfg(target_os = "linux")]
pub mod verify;
pub mod report;

pub use error::Error;
pub use options::{Options, Setting};
pub use plan::{Job, Plan, Question};
pub use program::Program;
pub use record::Record;
