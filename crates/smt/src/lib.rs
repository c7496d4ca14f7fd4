//! Solvers for terms: satisfiability, models, cores, and interpolants.
//!
//! Engines talk to a [`Solver`], whichever it is; [`z3`] is the one that is always there, [`smtlib`]
//! talks to any other program over a pipe. What engines ask again and again is in [`services`],
//! [`interpolate`] explains why a trace cannot be executed, and [`probe`] tries whether limits hold here.
//!
//! ```
//! use ir::{Span, Steps, System, Type, Variable};
//! use thetis_smt::z3::Z3Solver;
//! use thetis_smt::{Answer, Solver};
//!
//! let mut system = System::default();
//! let n = system.declare(Type::Int, Variable::state("n", Span::default()));
//! let (now, three) = (system.terms.var(n), system.terms.int(3));
//! let (less, more) = (system.terms.lt(now, three), system.terms.gt(now, three));
//! let mut solver = Z3Solver::new()?;
//! solver.declare(n, None);
//! solver.assert(&system.terms, less, &Steps::default())?;
//! assert_eq!(solver.check(&[])?, Answer::Sat);
//! solver.assert(&system.terms, more, &Steps::default())?;
//! assert_eq!(solver.check(&[])?, Answer::Unsat);
//! # Ok::<(), thetis_smt::Interrupt>(())
//! ```

pub mod horn;
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
pub use z3::Theory;
