//! Gamma statecharts and compositions: `.gcd` packages, `.gpd` properties, `.ggen` tasks, `.get` traces and
//! `.gsc` scenarios.
//!
//! A project is a file with everything that it imports. It becomes one tree ([`ast`]), whose names and types are
//! then resolved and checked ([`project`]); the lowering works from that.

pub mod ast;
mod lexer;
mod parser;
mod import;
pub mod types;
pub mod project;
mod scope;
mod resolve;
mod infer;
mod statement;
mod component;
mod constant;
mod asked;
pub mod instance;
mod lower;
mod model;
mod occurrence;
mod outline;
mod dot;
mod question;
mod formula;
mod script;
mod atom;
mod validate;
pub mod print;
pub mod property;
pub mod task;
mod plan;
mod coverage;
mod task_model;
pub mod execution_trace;
pub mod scenario;

use ir::FileId;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::front_end::{Files, Reading};
use crate::model::Model;
use project::Project;

pub use coverage::{Criterion, NoCriterion};
pub use lower::Period;
pub use model::{FRONT_END, load};
pub(crate) use model::{as_dot, as_xsts};
pub(crate) use script::settle;
pub use task_model::TASKS;

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

/// Reads a file with everything that it imports; names are resolved, types and rules checked.
///
/// # Errors
/// Everything that is wrong with any of the files; warnings come behind that.
pub fn load_project(text: &str, files: &mut dyn Files) -> Result<Project, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let (ast, imports) = import::project(text, files, &mut diagnostics);
    finish(ast, &imports, diagnostics)
}

/// Reads the packages that a file of properties, tasks or a trace imports, which is the first of the [`Files`]; such a
/// file may name the unfolded form of a package as well (`.gsm`), which stands for the package.
///
/// # Errors
/// Everything that is wrong with any of them.
pub fn load_imports(imports: &[ast::Import], files: &mut dyn Files) -> Result<Project, Vec<Diagnostic>> {
    let (mut ast, mut diagnostics) = (ast::Ast::default(), Diagnostics::default());
    let package =
        ast::Package { ident: None, file: FileId::default(), imports: imports.to_vec(), items: vec![] };
    let first = ast.packages.push(package);
    let imports = import::follow(&mut ast, first, files, &mut diagnostics);
    finish(ast, &imports, diagnostics)
}

/// Resolves and checks a tree that was built otherwise, all of whose packages see each other.
///
/// # Errors
/// Everything that is wrong with it.
pub fn check_tree(ast: ast::Ast) -> Result<Project, Vec<Diagnostic>> {
    tree(ast, Diagnostics::default())
}

/// A tree that somebody has built as a model; what went wrong before is told with the rest.
///
/// # Errors
/// Everything that is wrong with it.
pub(crate) fn load_tree(
    ast: ast::Ast,
    diagnostics: Diagnostics,
    reading: &Reading,
) -> Result<Model, Vec<Diagnostic>> {
    let built = model::build(tree(ast, diagnostics)?, reading)?;
    Ok(model::covering(built, reading).into())
}

/// A tree that somebody has built, resolved and checked; all its packages see each other.
///
/// # Errors
/// Everything that is wrong with it.
pub(crate) fn tree(ast: ast::Ast, diagnostics: Diagnostics) -> Result<Project, Vec<Diagnostic>> {
    let all: Vec<_> = ast.packages.ids().collect();
    let imports = ast.packages.ids().map(|_| all.clone()).collect();
    finish(ast, &imports, diagnostics)
}

fn finish(
    ast: ast::Ast,
    imports: &import::Imports,
    mut diagnostics: Diagnostics,
) -> Result<Project, Vec<Diagnostic>> {
    // What cannot be read declares nothing, so that unknown names mean little then.
    let unread = !diagnostics.is_empty();
    let mut found = Diagnostics::default();
    let mut project = resolve::resolve(ast, imports, &mut found);
    if !unread {
        validate::validate(&mut project, &mut found);
    }
    for diagnostic in found.finish() {
        if !unread || diagnostic.code != Code::UnknownName {
            diagnostics.push(diagnostic);
        }
    }
    project.warnings.sort_by_key(|warning| warning.span);
    if diagnostics.is_empty() {
        return Ok(project);
    }
    let mut said = diagnostics.finish();
    said.append(&mut project.warnings);
    Err(said)
}
