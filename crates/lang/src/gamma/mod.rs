//! Gamma statecharts and compositions: `.gcd` packages, `.gpd` properties, `.ggen` tasks and `.get` traces.
//!
//! A project is a file with everything that it imports. It becomes one tree ([`ast`]), whose names and types are
//! then resolved and checked ([`project`]); the lowering works from that.

pub mod ast;
pub mod instance;
mod lower;
pub mod project;
pub mod types;
