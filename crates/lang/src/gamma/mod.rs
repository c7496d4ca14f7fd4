//! Gamma statecharts and compositions: `.gcd` packages, `.gpd` properties, `.ggen` tasks and `.get` traces.
//!
//! A project is a file with everything that it imports. It becomes one tree ([`ast`]), whose names and types are
//! then resolved and checked ([`project`]); the lowering works from that.

pub mod ast;
mod lexer;
mod parser;
mod import;
pub mod types;
pub mod project;
pub mod instance;
mod lower;
mod model;
mod question;

use ir::FileId;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::front_end::Files;

pub use lower::Period;
pub use model::{FRONT_END, load};

/// Parses one file, without what it imports.
pub fn parse(text: &str) -> (ast::Ast, Vec<Diagnostic>) {
    let (mut ast, mut diagnostics) = (ast::Ast::default(), Diagnostics::default());
    parser::package(text, FileId::default(), &mut ast, &mut diagnostics);
    (ast, diagnostics.finish())
}

/// Parses a file with everything that it imports; names are not resolved.
pub fn parse_project(text: &str, files: &mut dyn Files) -> (ast::Ast, Vec<Diagnostic>) {
    let mut diagnostics = Diagnostics::default();
    let (ast, _) = import::project(text, files, &mut diagnostics);
    (ast, diagnostics.finish())
}

/// A file with everything that it imports, resolved and checked.
fn resolved(text: &str, files: &mut dyn Files) -> Result<project::Project, Vec<Diagnostic>> {
    let _ = (text, files);
    unimplemented!("resolution")
}
