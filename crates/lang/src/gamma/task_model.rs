//! Task files as models: the component that an analysis is about, and what it asks as questions.
//!
//! See [`plan`](super::plan) for which tasks are which models. A file with several has to be told which is meant
//! ([`Reading::task`](crate::Reading)); whoever checks all of them asks for the list.

use ir::{FileId, Span};

use super::ast::*;
use super::coverage::Criterion;
use super::instance::PartId;
use super::model::{self, Built};
use super::plan::{self, Job, Plan, Properties, Subject};
use super::project::Project;
use super::task::{self, Coverage, TaskKind};
use super::{finish, import, property};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::front_end::{Files, Reading};
use crate::model::Language;
use crate::question::{Asked as AskedQuestion, Misread};
use crate::{Conversion, FrontEnd, Model, ScriptFiles};

/// Task files of Gamma.
pub const TASKS: FrontEnd = FrontEnd {
    name: "gamma-tasks",
    title: "tasks of Gamma: components with what is asked about them",
    extensions: &["ggen"],
    binary: &[],
    recognises: |text| {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-'));
        let first = words.find(|word| !word.is_empty());
        matches!(first, Some("analysis" | "verification" | "include"))
    },
    load,
    question_files: model::FRONT_END.question_files,
    script_files: Some(ScriptFiles { extension: "get", title: "Gamma execution traces", settle: |_, _| {} }),
    tasks: Some(titles),
    conversions: &[
        Conversion::to_xsts(to_xsts),
        Conversion { extension: "dot", title: "a picture for Graphviz", convert: to_dot },
    ],
    guide: include_str!("tasks.md"),
    examples: &[],
    smallest: "a task file needs an analysis, for example `import \"Crossroads.gcd\" analysis { component : Crossroads \
               state-coverage }`",
    questions: model::FRONT_END.questions,
    own_question: Some("state-coverage"),
};

/// What each model of a task file is about.
///
/// # Errors
/// Everything that is wrong with the file.
fn titles(text: &str, files: &mut dyn Files) -> Result<Vec<String>, Vec<Diagnostic>> {
    let plan = plan::plan(text, files)?;
    Ok(plan.jobs.into_iter().map(|job| job.title).collect())
}

fn load(text: &str, files: &mut dyn Files, reading: &Reading) -> Result<Model, Vec<Diagnostic>> {
    let (job, warnings) = chosen(text, files, reading)?;
    let project = project(&job.subject, files)?;
    let mut built = model::covering(model::build(project, reading)?, reading);
    // What the whole file leaves out is said once.
    if reading.task.is_none_or(|number| number == 1) {
        built.warnings.extend(warnings);
    }
    for (criterion, coverage, ast) in &job.coverages {
        goals(&mut built, *criterion, coverage, ast)?;
    }
    for properties in &job.properties {
        ask(&mut built, properties, job.properties.len() > 1);
    }
    Ok(built.into())
}

fn to_xsts(text: &str, files: &mut dyn Files, reading: &Reading) -> Result<String, Vec<Diagnostic>> {
    let (job, _) = chosen(text, files, reading)?;
    model::as_xsts(&project(&job.subject, files)?, reading)
}

fn to_dot(text: &str, files: &mut dyn Files, reading: &Reading) -> Result<String, Vec<Diagnostic>> {
    let (job, _) = chosen(text, files, reading)?;
    model::as_dot(&project(&job.subject, files)?, reading)
}

/// The job that is meant, and what has no influence on it.
fn chosen(
    text: &str,
    files: &mut dyn Files,
    reading: &Reading,
) -> Result<(Job, Vec<Diagnostic>), Vec<Diagnostic>> {
    let Plan { mut jobs, warnings } = plan::plan(text, files)?;
    let listed = || {
        let titles = jobs.iter().enumerate().map(|(at, job)| format!("{} is `{}`", at + 1, job.title));
        titles.collect::<Vec<_>>().join(", ")
    };
    let wrong = |message: String| {
        vec![Diagnostic::error(Code::AmbiguousName, Span::default(), message).help(listed())]
    };
    let number = match (reading.task, jobs.len()) {
        (None, 1) => 1,
        (None, count) => {
            return Err(wrong(format!("this file has tasks about {count} models; choose one by its number")));
        }
        (Some(number), count) if number == 0 || number > count => {
            return Err(wrong(format!("there is no task {number}; the file has tasks about {count} models")));
        }
        (Some(number), _) => number,
    };
    Ok((jobs.swap_remove(number - 1), warnings))
}

/// The packages that a job is about, and what it asks for in them.
fn project(subject: &Subject, files: &mut dyn Files) -> Result<Project, Vec<Diagnostic>> {
    let (mut ast, mut diagnostics) = (Ast::default(), Diagnostics::default());
    let (file, wanted, imports, component, arguments, period) = match subject {
        Subject::Analysis { file, text, number } => {
            let mut read = task::read(text, *file, &mut ast, &mut diagnostics);
            let task = read.tasks.swap_remove(*number);
            let TaskKind::Analysis(analysis) = task.kind else {
                unreachable!("the plan says that it is an analysis");
            };
            let last = analysis.constraints.last();
            let period = last.and_then(|it| Some([it.minimum?, it.maximum?]));
            (*file, task.span, read.imports, analysis.component, analysis.arguments, period)
        }
        Subject::Properties { file, text } => {
            let (head, _) = property::parse(text);
            let place = |span: Span| span.in_file(*file);
            let imports = head.imports.iter();
            let imports = imports.map(|it| Import { path: it.path.clone(), span: place(it.span) }).collect();
            let component = head.component.map(|name| {
                let text = head.ast.text(name).to_owned();
                ast.refer(&text, place(name.span))
            });
            (*file, Span::default().in_file(*file), imports, component, vec![], None)
        }
    };
    let Some(component) = component else {
        let message = "nobody says which component this is about";
        return Err(vec![Diagnostic::error(Code::MissingPart, wanted, message)]);
    };
    let package = ast.packages.push(Package { ident: None, file, imports, items: vec![] });
    let imports = import::follow(&mut ast, package, files, &mut diagnostics);
    let ident = ast.refs[component];
    let instance = ast.instances.push(Instance { ident, component, arguments });
    ast.asked = Some(Asked { package, instance, period });
    finish(ast, &imports, diagnostics)
}

/// Asks for the goals of a coverage, in the instances that it names.
fn goals(
    built: &mut Built,
    criterion: Criterion,
    coverage: &Coverage,
    ast: &Ast,
) -> Result<(), Vec<Diagnostic>> {
    let tree = &built.scope.tree;
    let mut wrong = vec![];
    let mut parts = |paths: &[Vec<Ident>]| -> Vec<PartId> {
        let mut list = vec![];
        for path in paths {
            let names: Vec<&str> = path.iter().map(|name| ast.text(*name)).collect();
            match tree.parts.ids().find(|part| tree.path(*part) == names) {
                Some(part) => list.push(part),
                None => {
                    let all: Vec<String> =
                        tree.parts.ids().map(|part| tree.path(part).join(" -> ")).collect();
                    let near = crate::nearest::nearest(&names.join(" -> "), all.iter().map(String::as_str));
                    wrong.push(Diagnostic::unknown(path[0].span, "instance", &names.join(" -> "), near));
                }
            }
        }
        list
    };
    let (include, exclude) = (parts(&coverage.include), parts(&coverage.exclude));
    if !wrong.is_empty() {
        return Err(wrong);
    }
    // An instance stands for everything in it.
    let within = |part: PartId, list: &[PartId]| {
        std::iter::successors(Some(part), |at| tree.parts[*at].parent).any(|at| list.contains(&at))
    };
    let counts = |part: PartId| (include.is_empty() || within(part, &include)) && !within(part, &exclude);
    let goals = built.scope.goals(&mut built.system, criterion, &counts);
    for goal in goals {
        if !built.questions.iter().flatten().any(|known| known.name == goal.name) {
            built.questions.push(Ok(goal));
        }
    }
    Ok(())
}

/// Asks what a file of properties asks.
fn ask(built: &mut Built, properties: &Properties, several: bool) {
    let misread = |diagnostics| {
        Err(Misread { name: properties.path.clone(), text: properties.path.clone(), diagnostics })
    };
    let (file, text) = match &properties.found {
        Ok(found) => found,
        Err(error) => return built.questions.push(misread(vec![error.clone()])),
    };
    let asked = built.scope.question_file(&mut built.system, text);
    let asked = match asked.expect("the language has files of properties") {
        Ok(asked) => asked,
        Err(said) => return built.questions.push(misread(placed(said, *file))),
    };
    for mut question in asked {
        let name = match &mut question {
            Ok(question) => &mut question.name,
            Err(misread) => &mut misread.name,
        };
        if several {
            *name = format!("{}: {name}", properties.path);
        }
        built.questions.push(placed_question(question, *file));
    }
}

fn placed_question(asked: AskedQuestion, file: FileId) -> AskedQuestion {
    match asked {
        Ok(mut question) => {
            question.warnings = placed(question.warnings, file);
            Ok(question)
        }
        Err(misread) => Err(Misread { diagnostics: placed(misread.diagnostics, file), ..misread }),
    }
}

/// The same, in a file.
fn placed(mut said: Vec<Diagnostic>, file: FileId) -> Vec<Diagnostic> {
    for diagnostic in &mut said {
        diagnostic.span = diagnostic.span.in_file(file);
        for note in &mut diagnostic.notes {
            note.span = note.span.map(|span| span.in_file(file));
        }
    }
    said
}
