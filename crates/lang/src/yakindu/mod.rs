//! Yakindu statecharts (`.sct`, `.ysc`): read as statecharts of Gamma.
//!
//! A document is read ([`document`]), its texts are parsed while the tree of a Gamma package is built from them
//! ([`parser`], [`translate`]), and from there on it is one: names, types, rules, lowering, questions and traces are those
//! of [`crate::gamma`]. What the translation decides is told by the guide and by the modules.

mod definition;
mod document;
mod lexer;
mod names;
mod parser;
mod reaction;
mod translate;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::front_end::{Files, Reading};
use crate::gamma::{self, ast::Ast};
use crate::{Conversion, FrontEnd, Model, ScriptFiles};
use names::Build;

/// Yakindu statecharts.
pub const FRONT_END: FrontEnd = FrontEnd {
    name: "yakindu",
    title: "Yakindu statecharts",
    extensions: &["sct", "ysc"],
    binary: &[],
    recognises: |text| text.trim_start().starts_with('<') && text.contains("sgraph:Statechart"),
    load,
    question_files: gamma::FRONT_END.question_files,
    script_files: Some(ScriptFiles {
        extension: "get",
        title: "Gamma execution traces",
        settle: gamma::settle,
    }),
    tasks: None,
    conversions: &[
        Conversion { extension: "gcd", title: "a Gamma package", convert: to_gamma },
        Conversion::to_xsts(|text, _, reading| {
            gamma::as_xsts(&gamma::tree(tree(text)?.0, Diagnostics::default())?, reading)
        }),
        Conversion {
            extension: "dot",
            title: "a picture for Graphviz",
            convert: |text, _, reading| {
                gamma::as_dot(&gamma::tree(tree(text)?.0, Diagnostics::default())?, reading)
            },
        },
    ],
    guide: include_str!("guide.md"),
    examples: &[],
    smallest: "a document of Yakindu has an `sgraph:Statechart` with a region",
    questions: &["E F { state main_region.Operating }", "A G { not error }"],
    own_question: None,
};

/// Reads a statechart.
///
/// # Errors
/// Everything that is wrong with it, by place.
pub fn load(text: &str, _: &mut dyn Files, reading: &Reading) -> Result<Model, Vec<Diagnostic>> {
    let (ast, warnings) = tree(text)?;
    let mut model = gamma::load_tree(ast, Diagnostics::default(), reading)?;
    model.warnings.extend(warnings);
    Ok(model)
}

/// The statechart as a Gamma package.
fn to_gamma(text: &str, _: &mut dyn Files, _: &Reading) -> Result<String, Vec<Diagnostic>> {
    let (ast, _) = tree(text)?;
    let package = ast.packages.ids().next().expect("a translation makes a package");
    Ok(gamma::print::package(&ast, package))
}

/// The tree of a Gamma package that means the same, and what may not be as intended.
fn tree(text: &str) -> Result<(Ast, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let chart = document::read(text, &mut diagnostics).map_err(|error| vec![error])?;
    let mut build = Build::new(&mut diagnostics);
    translate::package(&chart, &mut build);
    let Build { ast, warnings, .. } = build;
    let said = diagnostics.finish();
    if said.is_empty() { Ok((ast, warnings)) } else { Err(said) }
}
