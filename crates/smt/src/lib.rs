//! Solvers for terms: satisfiability, models, cores, and interpolants.
//!
//! Engines talk to a [`Solver`], whichever it is; [`z3`] is the one that is always there, [`smtlib`]
//! talks to any other program over a pipe. What engines ask again and again is in [`services`], and
//! [`interpolate`] explains why a trace cannot be executed.

mod interrupt;
mod solver;
pub mod z3;
pub mod services;

pub use interrupt::{Interrupt, Interrupter};
pub use solver::{Answer, Limits, Lit, Model, Solver};
