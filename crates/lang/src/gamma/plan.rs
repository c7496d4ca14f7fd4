//! What a task file asks for: models, and questions about each of them.
//!
//! A task of analysis says which component is looked at, with which arguments, and how time passes. Those that say the
//! same are one *job* here, whatever model checker they are written for. What is to be covered by runs are questions of
//! the job, and so are the files of properties: those of the analysis, and those of a verification that names the file
//! which the analysis makes. A verification of something else is a job about the model that its properties import.
//!
//! Gamma writes the goals of an analysis into a hidden file of properties first, `.Name.gpd`. Where a task names such a
//! file and there is none, there is nothing to read: the goals themselves are asked. Other files that are missing are
//! mistakes, each where its questions would be.

use std::sync::Arc;

use ir::{FileId, Span};

use super::ast::{Ast, Import};
use super::coverage::Criterion;
use super::import::{self, Found};
use super::property;
use super::task::{self, Analysis, Coverage, TaskFile, TaskKind, Verification};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::front_end::Files;
use crate::question::one_line;

/// How many task files belong together at most.
const MAX_FILES: usize = 4_096;

/// What is asked.
pub(super) struct Plan {
    /// Models with their questions, in order.
    pub(super) jobs: Vec<Job>,
    /// What is written and has no influence.
    pub(super) warnings: Vec<Diagnostic>,
}

/// A model, and what is asked about it.
pub(super) struct Job {
    /// What the user knows it by.
    pub(super) title: String,
    /// Where it is said which model that is.
    pub(super) subject: Subject,
    /// What is to be covered by runs.
    pub(super) coverages: Vec<(Criterion, Coverage, Arc<Ast>)>,
    /// Files of properties.
    pub(super) properties: Vec<Properties>,
}

/// Where it is said which model is meant.
#[derive(Clone)]
pub(super) enum Subject {
    /// The so-manieth task of a file, which is an analysis.
    Analysis { file: FileId, text: Arc<str>, number: usize },
    /// A file of properties.
    Properties { file: FileId, text: Arc<str> },
}

/// A file of properties, or what is wrong with it.
pub(super) struct Properties {
    pub(super) path: String,
    pub(super) found: Result<Found, Diagnostic>,
}

/// What makes two analyses the same model.
#[derive(PartialEq)]
struct Key {
    imports: Vec<Option<FileId>>,
    component: String,
    period: String,
}

/// A task file that was read.
struct Opened {
    file: FileId,
    text: Arc<str>,
    tasks: TaskFile,
}

/// Reads a task file and those that it includes.
///
/// # Errors
/// Everything that is wrong with them, or that there is nothing to check.
pub(super) fn plan(text: &str, files: &mut dyn Files) -> Result<Plan, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let opened = open(text, files, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(diagnostics.finish());
    }
    let mut planning = Planning { files, jobs: vec![], warnings: vec![], ignored: Ignored::default() };
    for one in &opened {
        planning.analyses(one, &mut diagnostics);
    }
    for one in &opened {
        planning.verifications(one);
    }
    let Planning { mut jobs, mut warnings, ignored, .. } = planning;
    // Nothing is asked where only other kinds of goals are to be covered.
    let asks = |job: &Job| !job.coverages.is_empty() || !job.properties.is_empty();
    if jobs.iter().any(|(job, _, _)| asks(job)) {
        jobs.retain(|(job, _, _)| asks(job));
    }
    if jobs.is_empty() {
        let message = "there is nothing to check here: no `analysis` with a component, and no `verification` with a \
                       file of properties that is there";
        diagnostics.push(Diagnostic::error(Code::MissingPart, Span::default(), message));
    }
    warnings.extend(ignored.told());
    if diagnostics.is_empty() {
        return Ok(Plan { jobs: jobs.into_iter().map(|(job, _, _)| job).collect(), warnings });
    }
    let mut said = diagnostics.finish();
    said.append(&mut warnings);
    Err(said)
}

/// The file and everything that it includes, each once, in the order of the text.
fn open(text: &str, files: &mut dyn Files, diagnostics: &mut Diagnostics) -> Vec<Opened> {
    let mut list: Vec<Opened> = vec![];
    let mut next: Vec<Found> = vec![(FileId::default(), text.into())];
    while let Some((file, text)) = next.pop() {
        if list.iter().any(|known| known.file == file) {
            continue;
        }
        let mut ast = Ast::default();
        let tasks = task::read(&text, file, &mut ast, diagnostics);
        let mut included = vec![];
        for include in &tasks.includes {
            if list.len() + next.len() + included.len() >= MAX_FILES {
                let message = format!("tasks are in at most {MAX_FILES} files");
                diagnostics.push(Diagnostic::error(Code::TooLarge, include.span, message));
                return list;
            }
            match import::find_other(file, include, "ggen", files) {
                Ok(found) => included.push(found),
                Err(diagnostic) => diagnostics.push(diagnostic),
            }
        }
        next.extend(included.into_iter().rev());
        list.push(Opened { file, text, tasks: TaskFile { ast, ..tasks } });
    }
    list
}

struct Planning<'a> {
    files: &'a mut dyn Files,
    /// Jobs with what they are the same by, and the names of what Gamma would make of them.
    jobs: Vec<(Job, Option<Key>, Vec<String>)>,
    warnings: Vec<Diagnostic>,
    ignored: Ignored,
}

impl Planning<'_> {
    fn analyses(&mut self, opened: &Opened, diagnostics: &mut Diagnostics) {
        let ast = Arc::new(opened.tasks.ast.clone());
        for (word, import) in &opened.tasks.other_imports {
            self.ignored.import(word, import.span);
        }
        for (number, task) in opened.tasks.tasks.iter().enumerate() {
            self.ignored.keys(&task.ignored);
            match &task.kind {
                TaskKind::Analysis(analysis) => {
                    if let Err(error) = self.analysis(opened, &ast, number, analysis) {
                        diagnostics.push(error);
                    }
                }
                TaskKind::Verification(_) => {}
                TaskKind::Other(word) => self.ignored.task(word, task.span),
            }
        }
    }
    fn analysis(
        &mut self,
        opened: &Opened,
        ast: &Arc<Ast>,
        number: usize,
        analysis: &Analysis,
    ) -> Result<(), Diagnostic> {
        let Some(component) = analysis.component else {
            let message = "this analysis names no component; add `component : Name`";
            return Err(Diagnostic::error(Code::MissingPart, opened.tasks.tasks[number].span, message));
        };
        if let Some(one) = analysis.constraints.iter().find(|constraint| constraint.instance.is_some()) {
            let message =
                "how much time passes for single instances is not supported; say it for the whole component";
            return Err(Diagnostic::error(Code::UnsupportedPart, one.span, message));
        }
        let text = |span: Span| opened.text.get(span.start as usize..span.end as usize).unwrap_or("");
        let mut period = String::new();
        for constraint in &analysis.constraints {
            let (Some(least), Some(most)) = (constraint.minimum, constraint.maximum) else {
                let message = "say both the minimum and the maximum of the period; they may be the same";
                return Err(Diagnostic::error(Code::MissingPart, constraint.span, message));
            };
            let shown = [least, most].map(|time| {
                let value = one_line(text(ast.exprs[time.value].span));
                format!("{value} {}", time.unit.word())
            });
            period = if shown[0] == shown[1] { shown[0].clone() } else { shown.join(" to ") };
        }
        let imports = opened.tasks.imports.iter();
        let imports =
            imports.map(|import| import::find(opened.file, import, self.files).ok().map(|found| found.0));
        let component = match analysis.arguments.is_empty() {
            true => ast.ref_text(component).to_owned(),
            false => one_line(text(analysis.place)),
        };
        let key = Key { imports: imports.collect(), component, period };
        let mut names: Vec<String> = analysis.files.iter().map(|file| stem(file).to_owned()).collect();
        if names.is_empty() {
            names = opened.tasks.imports.iter().map(|import| stem(&import.path).to_owned()).collect();
        }
        let at = match self.jobs.iter().position(|(_, known, _)| known.as_ref() == Some(&key)) {
            Some(at) => at,
            None => {
                let passing = if key.period.is_empty() { String::new() } else { format!(", {}", key.period) };
                let title = format!("{}{passing}", key.component);
                let subject = Subject::Analysis { file: opened.file, text: opened.text.clone(), number };
                let job = Job { title, subject, coverages: vec![], properties: vec![] };
                self.jobs.push((job, Some(key), vec![]));
                self.jobs.len() - 1
            }
        };
        self.jobs[at].2.extend(names);
        for coverage in &analysis.coverages {
            match Criterion::of(coverage.kind) {
                Some(criterion) => {
                    if !coverage.settings.is_empty() {
                        let keys: Vec<_> =
                            coverage.settings.iter().map(|(key, _)| (key.clone(), coverage.span)).collect();
                        self.ignored.keys(&keys);
                    }
                    self.jobs[at].0.coverages.push((criterion, coverage.clone(), ast.clone()));
                }
                None => self.ignored.coverage(coverage.kind.word(), coverage.span),
            }
        }
        for import in &analysis.property_files {
            self.properties(opened.file, import, Some(at));
        }
        Ok(())
    }
    fn verifications(&mut self, opened: &Opened) {
        for task in &opened.tasks.tasks {
            let TaskKind::Verification(verification) = &task.kind else { continue };
            let Verification { files, property_files, query_files, .. } = &**verification;
            let makes =
                |names: &[String]| files.iter().any(|file| names.iter().any(|name| name == stem(file)));
            let at = self.jobs.iter().position(|(_, _, names)| makes(names));
            for import in property_files {
                self.properties(opened.file, import, at);
            }
            for import in query_files {
                self.ignored.query(&import.path, import.span);
            }
        }
    }
    /// Asks what a file of properties asks: about a job, or else about the model that the file imports.
    fn properties(&mut self, from: FileId, import: &Import, at: Option<usize>) {
        let found = import::find_other(from, import, "gpd", self.files);
        let hidden = import.path.rsplit('/').next().is_some_and(|name| name.starts_with('.'));
        if hidden && found.as_ref().is_err_and(|error| error.code == Code::MissingFile) {
            return self.ignored.generated(&import.path, import.span);
        }
        let path = import.path.to_string();
        let same = |known: &Properties| match (&known.found, &found) {
            (Ok((known, _)), Ok((file, _))) => known == file,
            _ => known.path == path,
        };
        match (at, &found) {
            (Some(at), _) => {
                let asked = &mut self.jobs[at].0.properties;
                if !asked.iter().any(same) {
                    asked.push(Properties { path, found });
                }
            }
            (None, Ok((file, text))) => {
                let known = self.jobs.iter().any(|(job, _, _)| job.properties.iter().any(same));
                if known {
                    return;
                }
                let (head, _) = property::parse(text);
                let title = head.component.map_or(path.clone(), |name| head.ast.text(name).to_owned());
                let subject = Subject::Properties { file: *file, text: text.clone() };
                let job =
                    Job { title, subject, coverages: vec![], properties: vec![Properties { path, found }] };
                self.jobs.push((job, None, vec![]));
            }
            (None, Err(error)) => {
                let message = format!("{}; its properties are not asked", error.message);
                self.warnings.push(Diagnostic::warning(Code::MissingFile, import.span, message));
            }
        }
    }
}

/// The name of a file without folders, ending, and the dot of hidden ones.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.trim_start_matches('.');
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// What is written and has no influence, each word once, with its first place.
#[derive(Default)]
struct Ignored {
    keys: Vec<(String, Span)>,
    tasks: Vec<(String, Span)>,
    coverages: Vec<(String, Span)>,
    queries: Vec<(String, Span)>,
    generated: Vec<(String, Span)>,
    imports: Vec<(String, Span)>,
}

fn once(list: &mut Vec<(String, Span)>, word: &str, span: Span) {
    if !list.iter().any(|(known, _)| known == word) {
        list.push((word.to_owned(), span));
    }
}

impl Ignored {
    fn keys(&mut self, keys: &[(Box<str>, Span)]) {
        keys.iter().for_each(|(word, span)| once(&mut self.keys, word, *span));
    }
    fn task(&mut self, word: &str, span: Span) {
        once(&mut self.tasks, word, span);
    }
    fn coverage(&mut self, word: &str, span: Span) {
        once(&mut self.coverages, word, span);
    }
    fn query(&mut self, path: &str, span: Span) {
        once(&mut self.queries, path, span);
    }
    fn generated(&mut self, path: &str, span: Span) {
        once(&mut self.generated, path, span);
    }
    fn import(&mut self, word: &str, span: Span) {
        once(&mut self.imports, word, span);
    }
    /// One sentence for each kind.
    fn told(self) -> Vec<Diagnostic> {
        let kinds = [
            (self.tasks, "only `analysis` and `verification` are executed; these tasks are not"),
            (self.coverages, "goals of these kinds are not asked"),
            (
                self.queries,
                "queries in the languages of other model checkers are not asked; write them as `.gpd`",
            ),
            (
                self.generated,
                "these are made by Gamma from what is to be covered, which is asked here directly",
            ),
            (self.imports, "these imports are not needed here"),
            (self.keys, "these settings have no influence here"),
        ];
        let told = kinds.into_iter().filter(|(words, _)| !words.is_empty()).map(|(words, sentence)| {
            let listed: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
            let message = format!("{sentence}: {}", listed.join(", "));
            Diagnostic::warning(Code::IgnoredPart, words[0].1, message)
        });
        told.collect()
    }
}
