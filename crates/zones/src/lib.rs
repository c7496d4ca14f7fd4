//! Sets of clock valuations: bounds, difference bound matrices, abstractions and storage.
//!
//! Clocks are numbered from 1; number 0 is the constant zero. A *zone* is a set of non-negative
//! valuations described by bounds on differences, and is stored as a matrix `D` where `D[i][j]` bounds
//! `x_i - x_j`. Matrices are flat slices with an explicit dimension (clocks plus one), see [`dbm`] for
//! their layout; [`Zone`] owns one. Unless a function says otherwise, matrices that come in are
//! *closed* (every bound is the tightest implied one) and not empty, and so are those that go out.
//!
//! The crate knows no model: callers translate guards to [`Constraint`]s and edges to [`Op`]s.
//!
//! ```
//! use thetis_zones::{Constraint, Op, Zone, post};
//!
//! // From zero, wait at most until x = 5, reset y, and wait again.
//! let stay = Op::Constrain(Constraint::at_most(1, 5)?);
//! let mut zone = Zone::zero(3);
//! assert!(post(zone.bounds_mut(), 3, &[Op::Delay, stay, Op::Reset(2, 0), Op::Delay])?);
//! assert_eq!(zone.show(&["x", "y"]).to_string(), "x - y <= 5 && y - x <= 0");
//! # Ok::<(), thetis_zones::Overflow>(())
//! ```

mod bound;
pub mod dbm;
pub mod extra;
pub mod interpolate;
mod kernel;
mod lu;
mod packed;
mod point;
pub mod set;
pub mod slow;
pub mod split;
mod step;
mod zone;

pub use bound::{Bound, Constraint, Overflow};
pub use lu::{LuBounds, lu_constraints, lu_contains, lu_covers};
pub use packed::{Pool, Probe, Sign, ZoneId};
pub use point::{Delays, Point, delays, earliest};
pub use step::{Op, post, pre};
pub use zone::{Shown, Zone};
