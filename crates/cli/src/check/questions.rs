//! What is asked: properties of the model, of files and of the command line.

use std::path::Path;
use std::rc::Rc;

use ir::Property;
use lang::diagnostic::Diagnostic;
use lang::pnml;

use super::Options;
use crate::exit::Failure;
use crate::load::{self, Loaded};
use crate::render;
use crate::source::Source;
use crate::trace;

/// A property with how it was given.
#[derive(Clone, Debug)]
pub struct Question {
    /// How the user knows it.
    pub name: String,
    /// What is asked, or what is wrong with it.
    pub property: Result<Property, Failure>,
    /// The expression as written.
    pub text: Option<String>,
    /// What it needs and Thetis lacks, if that is what is wrong with it.
    pub unsupported: Option<String>,
    /// The text that places in it point into; the model's if there is no other.
    pub source: Option<Rc<Source>>,
}

/// The properties that are asked for. A mistake in one of several is an answer like others; in the only
/// one, it is the end.
pub fn questions(loaded: &mut Loaded, options: &Options, colour: bool) -> Result<Vec<Question>, Failure> {
    let option = options.option.unwrap_or("-p");
    let mut list = vec![];
    let given = options.properties.len() + options.property_files.len();
    if (options.all || given == 0)
        && let Some(property) = loaded.model.property.clone()
    {
        let text = own_text(&loaded.source);
        list.push(Question {
            name: property.name.clone(),
            property: Ok(property),
            text,
            unsupported: None,
            source: None,
        });
    }
    if options.all || given == 0 {
        let own = std::mem::take(&mut loaded.model.queries);
        list.extend(own.into_iter().map(|query| asked(query, &loaded.source, None, colour)));
    }
    for file in options.property_files.iter().filter(|file| is_query_file(file)) {
        let source = Rc::new(Source::new(file.display().to_string(), load::text(file)?));
        let Some(queries) = loaded.model.parse_query_file(&source.text) else {
            return Err(Failure::Input(format!(
                "`{}` holds UPPAAL queries, and `{}` is no UPPAAL model",
                file.display(),
                loaded.source.name
            )));
        };
        list.extend(queries.into_iter().map(|query| asked(query, &source, Some(source.clone()), colour)));
    }
    for file in options.property_files.iter().filter(|file| is_examination(file)) {
        let source = Source::new(file.display().to_string(), load::text(file)?);
        let Some(questions) = loaded.model.parse_examination(&source.text) else {
            return Err(Failure::Input(format!(
                "`{}` holds formulas about Petri nets, and `{}` is none",
                file.display(),
                loaded.source.name
            )));
        };
        let questions = questions.map_err(|error| render::failure(&source, &[error], colour))?;
        list.extend(questions.into_iter().map(|question| {
            let pnml::Examination { name, text, property } = question;
            answerable(name, text, property, &source, colour)
        }));
    }
    let model = loaded.source.name.clone();
    let mut ask = |name: String, source: Result<Source, Failure>| {
        let text = source.as_ref().ok().map(|source| source.text.trim().to_owned());
        let mut missing = None;
        let source = source.map(Rc::new);
        let property = source.clone().and_then(|source| {
            let parsed = loaded.model.parse_property(&name, &source.text);
            parsed.map_err(|diagnostics| {
                missing = unsupported(&diagnostics);
                render::property(&source, diagnostics, &model, colour)
            })
        });
        list.push(Question { name, property, text, unsupported: missing, source: source.ok() });
    };
    let mut names: Vec<String> = options.properties.iter().map(|text| trace::one_line(text)).collect();
    for (name, text) in names.iter().zip(&options.properties) {
        ask(name.clone(), Ok(Source::new(option, text.as_str())));
    }
    for file in options.property_files.iter().filter(|file| !is_query_file(file) && !is_examination(file)) {
        let stem = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
        let name = if names.contains(&stem) { file.display().to_string() } else { stem };
        names.push(name.clone());
        ask(name, load::text(file).map(|text| Source::new(file.display().to_string(), text)));
    }
    match &list[..] {
        [] => Err(Failure::Input(format!(
            "`{}` has no property to check; {}",
            loaded.source.name,
            match (loaded.model.is_xsts(), loaded.model.net()) {
                (true, _) =>
                    format!("write one into it, `prop {{ x >= 0 }}`, or give one: {option} 'x >= 0'"),
                (_, Some(_)) => format!(
                    "give one: {option} deadlock-free, {option} 1-safe, or {option} 'p + q <= 3' for places p and q"
                ),
                _ => format!(
                    "give one, {option} 'A[] not P.bad' or {option} 'E<> P.good', or a file of queries: \
                     --property-file F.q"
                ),
            }
        ))),
        [Question { property: Err(failure), .. }] => Err(failure.clone()),
        _ => Ok(list),
    }
}

/// A query of a model or a file as a question; what is wrong with it points into `source`.
fn asked(query: lang::xta::Query, source: &Source, own: Option<Rc<Source>>, colour: bool) -> Question {
    let question = answerable(query.text.clone(), query.text, query.property, source, colour);
    Question { source: own, ..question }
}

fn answerable(
    name: String,
    text: String,
    property: Result<Property, Diagnostic>,
    source: &Source,
    colour: bool,
) -> Question {
    let mut missing = None;
    let property = property.map_err(|diagnostic| {
        missing = unsupported(std::slice::from_ref(&diagnostic));
        render::failure(source, &[diagnostic], colour)
    });
    Question { name, property, text: Some(text), unsupported: missing, source: None }
}

/// What a question needs and Thetis lacks, if nothing else is wrong with it.
fn unsupported(diagnostics: &[Diagnostic]) -> Option<String> {
    let only = diagnostics.iter().all(|diagnostic| diagnostic.unsupported);
    diagnostics.first().filter(|_| only).map(|diagnostic| diagnostic.message.clone())
}

fn is_query_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("q"))
}

/// Whether a file has the formulas of the Model Checking Contest in it.
fn is_examination(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml"))
}

/// The text of the model's own property.
pub fn own_text(source: &Source) -> Option<String> {
    let (model, _) = lang::xsts::parse(&source.text);
    model.prop.map(|prop| source.slice(model.exprs[prop.expr].span).to_owned())
}
