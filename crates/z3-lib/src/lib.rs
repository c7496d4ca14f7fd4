//! Z3: found, loaded, and wrapped as far as Thetis needs it.
//!
//! The bindings are our own because they are loaded at run time rather than linked. That way every
//! binary, test and benchmark finds the library without a search path of its own, an engine that
//! needs no solver runs without one, a release ships the library beside the program, and a library
//! that is too old is refused with a message before it is used. A call through the table of functions
//! costs what a call into any shared library costs.
//!
//! This crate is the fence around `unsafe`: its handles count references, keep their context alive
//! and check types where Z3 would not.
//!
//! ```
//! use thetis_z3::{Check, Context, Solver};
//!
//! let context = Context::new()?;
//! let (solver, sort) = (Solver::new(&context)?, context.int_sort()?);
//! let (x, three) = (context.constant("x", &sort)?, context.small(3, &sort)?);
//! solver.assert(&context.eq(&x, &three)?)?;
//! assert_eq!(solver.check(&[])?, Check::Sat);
//! # Ok::<(), thetis_z3::Failure>(())
//! ```

mod ast;
mod context;
mod ffi;
mod fixedpoint;
mod library;
mod solver;

pub use ast::{Ast, Decl, Kind, Sort};
pub use context::{Context, Failure, Stop};
pub use fixedpoint::Fixedpoint;
pub use library::{LibraryInfo, LoadError, OLDEST, Refused, Why, library_info, memory_limit};
pub use solver::{Check, Model, Params, Solver};
