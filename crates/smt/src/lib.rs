//! Solvers for terms: satisfiability, models, cores, and interpolants.
//!
//! Engines talk to a [`Solver`], whichever it is; [`z3`] is the one that is always there, [`smtlib`]
//! talks to any other program over a pipe. What engines ask again and again is in [`services`],
//! [`interpolate`] explains why a trace cannot be executed, and [`probe`] tries whether limits hold here.

pub mod interpolate;
mod interrupt;
pub mod probe;
pub mod services;
pub mod smtlib;
mod solver;
mod sorts;
mod trace;
mod verify;
pub mod z3;

pub use interpolate::{
    Attempt, Direction, Interpolants, Interpolation, Interpolator, Newton, NoInterpolants, Strategy,
    UnknownStrategy,
};
pub use interrupt::{Interrupt, Interrupter};
pub use solver::{Answer, Limits, Lit, Model, Solver};
pub use trace::{Part, Trace};
pub use verify::{Flaw, Vocabulary, verify, verify_binary, verify_over};
