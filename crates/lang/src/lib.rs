//! Front-ends: text in a modelling language becomes a [`ir::System`] and its properties.
//!
//! A front-end reports everything wrong with its input at once, as [`diagnostic::Diagnostic`]s that
//! name the user's thing and the fix; shells render them.

pub mod diagnostic;
pub mod nearest;
pub mod pnml;
mod xml;
pub mod xsts;
pub mod xta;
