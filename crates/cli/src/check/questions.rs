//! What is asked: properties of the model, of files and of the command line.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use ir::Claim;
use lang::diagnostic::lacking;
use lang::{About, Asked, FRONT_ENDS, FrontEnd};
use thetis::{Model, Source, Sources, file};

use super::Options;
use crate::console::Console;
use crate::exit::Failure;
use crate::load;
use crate::render;
use crate::words::{self, Told};

/// A question with how it was given.
#[derive(Clone, Debug)]
pub struct Question {
    /// How the user knows it.
    pub name: String,
    /// What is asked, or what is wrong with it.
    pub asked: Result<lang::Question, Failure>,
    /// As it was written, if it could be read at all.
    pub text: Option<String>,
    /// What it needs and Thetis lacks, if that is all that is wrong with it.
    pub unsupported: Option<Told>,
    /// The text that places in it point into; the model's if there is no other.
    pub source: Option<Rc<Source>>,
}

/// The properties that are asked for. A mistake in one of several is an answer like others; in the only
/// one, it is the end, unless it is only not supported.
pub fn questions(model: &mut Model, options: &Options, colour: bool) -> Result<Vec<Question>, Failure> {
    let option = options.option.unwrap_or("-p");
    let mut list = vec![];
    let Options { properties, formulas, never, property_files, .. } = options;
    let is_given =
        !(properties.is_empty() && formulas.is_empty() && never.is_empty() && property_files.is_empty());
    if options.all || !is_given || !options.reading.cover.is_empty() {
        list.extend(model.questions().iter().map(|asked| listed(model, asked.clone(), None, colour)));
    }
    let (collections, single): (Vec<&PathBuf>, Vec<&PathBuf>) =
        options.property_files.iter().partition(|file| holds_questions(model.language, file));
    for path in collections {
        let source = Rc::new(Source::new(path.display().to_string(), read(path, colour)?));
        let asked = model.ask_file(&source).unwrap_or_else(|| Ok(vec![]));
        let asked = asked.map_err(|error| load::failure(&error, colour))?;
        list.extend(asked.into_iter().map(|asked| listed(model, asked, Some(&source), colour)));
    }
    let mut ask = |name: String, source: Result<Source, Failure>| {
        let text = source.as_ref().ok().map(|source| source.text.trim().to_owned());
        let mut missing = None;
        let source = source.map(Rc::new);
        let asked = source.clone().and_then(|source| {
            model.ask_named(&name, &source).map_err(|error| {
                if let thetis::Error::Text(error) = &error {
                    missing = error.unsupported().map(words::lacking);
                }
                load::failure(&error, colour)
            })
        });
        list.push(Question { name, asked, text, unsupported: missing, source: source.ok() });
    };
    let mut names: Vec<String> = options.properties.iter().map(|text| lang::one_line(text)).collect();
    for (name, text) in names.iter().zip(&options.properties) {
        ask(name.clone(), Ok(Source::new(option, text.as_str())));
    }
    for formula in &options.formulas {
        let text = format!("ltl: {formula}");
        names.push(lang::one_line(&text));
        ask(lang::one_line(&text), Ok(Source::new("--ltl", text)));
    }
    for path in single {
        if let Some(other) = FRONT_ENDS.iter().find(|language| holds_questions(language, path)) {
            let kind = other.question_files.iter().find(|kind| has_extension(path, kind.extension));
            return Err(Failure::Input(format!(
                "`{}` holds {}, and `{}` is in another language",
                path.display(),
                kind.map_or("questions", |kind| kind.title),
                model.name()
            )));
        }
        let text = read(path, colour);
        ask(named_after(path, &mut names), text.map(|text| Source::new(path.display().to_string(), text)));
    }
    for path in never {
        // What comes before the automaton is on its first line, so that all others are where they were.
        let text = read(path, colour).map(|text| format!("never: {text}"));
        ask(named_after(path, &mut names), text.map(|text| Source::new(path.display().to_string(), text)));
    }
    if !options.assumptions.is_empty() {
        assume(model, &options.assumptions, &mut list, colour)?;
    }
    match &list[..] {
        [] => Err(Failure::Input(nothing_asked(model, option))),
        [Question { asked: Err(failure), unsupported: None, .. }] => Err(failure.clone()),
        _ => Ok(list),
    }
}

/// Makes formulas about runs ones about those runs of which the assumptions are true.
fn assume(
    model: &mut Model,
    assumptions: &[String],
    list: &mut [Question],
    colour: bool,
) -> Result<(), Failure> {
    const OPTION: &str = "--assume-ltl";
    let mut ask = |name: &str, text: String| {
        let source = Rc::new(Source::new(OPTION, text));
        let asked = model.ask_named(name, &source).map_err(|error| load::failure(&error, colour))?;
        Ok::<_, Failure>((asked, source))
    };
    // By themselves, so that what is wrong with one has its place, and without comments, which would go on.
    let mut assumed = vec![];
    for assumption in assumptions {
        let (asked, _) = ask(OPTION, format!("ltl: {assumption}"))?;
        assumed.push(match asked.about {
            About::Expression(formula) => formula,
            _ => assumption.clone(),
        });
    }
    for question in list {
        let Ok(asked) = &question.asked else { continue };
        match (asked.property.claim, &asked.about) {
            (Claim::Every(_), About::Expression(formula)) => {
                let text = format!("ltl: ({}) -> ({formula})", assumed.join(") & ("));
                let (asked, source) = ask(&question.name, text)?;
                question.text = Some(asked.text.clone());
                (question.asked, question.source) = (Ok(asked), Some(source));
            }
            (Claim::Every(_) | Claim::Some(_), _) => {
                let name = &question.name;
                return Err(Failure::Input(format!(
                    "`{OPTION}` is for formulas about every run that are written as text, and `{name}` is none"
                )));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The name of the question in a file: that of the file without its folder and ending, if nothing else is called so.
fn named_after(path: &Path, names: &mut Vec<String>) -> String {
    let stem = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let name = if names.contains(&stem) { path.display().to_string() } else { stem };
    names.push(name.clone());
    name
}

/// Says what in questions may not be as intended.
pub fn warn(model: &Model, questions: &[Question], console: &Console) {
    for question in questions {
        let Some(asked) = question.asked.as_ref().ok().filter(|asked| !asked.warnings.is_empty()) else {
            continue;
        };
        let own = question.source.as_deref().map(|source| Sources::new(source.clone()));
        let sources = own.as_ref().unwrap_or(&model.sources);
        console.note(render::diagnostics(sources, &asked.warnings, console.colour).trim_end());
    }
}

/// What to say where nothing is asked.
fn nothing_asked(model: &Model, option: &str) -> String {
    let FrontEnd { questions, question_files, own_question, .. } = model.language;
    let own = own_question.map_or(String::new(), |own| format!("write one into it, `{own}`, or "));
    let examples: Vec<String> = questions.iter().map(|example| format!("{option} '{example}'")).collect();
    let files = question_files.first();
    let file =
        files.map_or(String::new(), |kind| format!(", or a file: --property-file F.{}", kind.extension));
    format!("`{}` has no property to check; {own}give one: {}{file}", model.name(), examples.join(", or "))
}

/// A question of a model or a file; what is wrong with it points into that text.
fn listed(model: &Model, asked: Asked, source: Option<&Rc<Source>>, colour: bool) -> Question {
    match asked {
        Ok(question) => Question {
            name: question.name.clone(),
            text: Some(question.text.clone()),
            asked: Ok(question),
            unsupported: None,
            source: source.cloned(),
        },
        Err(misread) => {
            let missing = lacking(&misread.diagnostics).map(words::lacking);
            let error = match source {
                Some(source) => model.misread(source, misread.diagnostics),
                None => model.own_misread(&misread),
            };
            let failure = load::failure(&thetis::Error::Text(error), colour);
            Question {
                name: misread.name,
                asked: Err(failure),
                text: Some(misread.text),
                unsupported: missing,
                source: source.cloned(),
            }
        }
    }
}

/// Whether a file holds several questions in a language.
fn holds_questions(language: &FrontEnd, path: &Path) -> bool {
    language.question_files.iter().any(|kind| has_extension(path, kind.extension))
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

fn read(path: &Path, colour: bool) -> Result<String, Failure> {
    file::read(path).map_err(|error| load::failure(&error.into(), colour))
}
