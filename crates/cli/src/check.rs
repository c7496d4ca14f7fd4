//! `thetis check`: load, search, certify, say.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::{Config, Observer, Reason, Statistics, Stop};
use ir::{LocationId, Property, System};
use lang::diagnostic::Diagnostic;

use crate::certificate;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::limits::{self, Limits};
use crate::load::{self, Loaded};
use crate::progress::Spinner;
use crate::render;
use crate::report::{self, Numbers, Outcome, Record, Report};
use crate::source::Source;
use crate::trace::lift::Lift;
use crate::trace::{self, CheckStates, Ends, PropertyRef, table};
use crate::verdict::{self, Decided, Evidence, NoVerdict, Verdict};

/// What to check, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Expressions given on the command line.
    pub properties: Vec<String>,
    /// Files with one property each.
    pub property_files: Vec<PathBuf>,
    /// Also the model's own property.
    pub all: bool,
    /// How to search.
    pub config: Config,
    /// How much may be used.
    pub limits: Limits,
    /// Where to write runs.
    pub trace: Option<PathBuf>,
    /// Where to write certificates.
    pub certificate: Option<PathBuf>,
    /// Whether evidence is checked.
    pub certify: bool,
    /// Which states properties look at.
    pub check_states: CheckStates,
    /// Whether stdout gets JSON instead of text.
    pub json: bool,
}

/// A search that has been judged.
#[derive(Debug)]
pub struct Judged {
    /// The verdict, or why there is none.
    pub result: Result<Verdict, NoVerdict>,
    /// What the search did.
    pub statistics: Statistics,
    /// Time of the search.
    pub search: Duration,
    /// Time of checking its evidence.
    pub certify: Duration,
}

/// Answers one property of a system: search, then have the evidence checked.
pub fn decide(
    system: &mut System,
    property: &Property,
    config: &Config,
    certify: bool,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Judged {
    let target = system.target(property.claim);
    let start = Instant::now();
    let (answer, statistics) = if stop.requested() {
        (engine::Answer::Unknown(stop.reason()), Statistics::default())
    } else {
        engine::search(system, target, config, stop, observer)
    };
    let search = start.elapsed();
    let start = Instant::now();
    observer.progress(&engine::Progress {
        phase: "certifying",
        states: statistics.states,
        ..Default::default()
    });
    let result = verdict::judge(system, property.claim, target, answer, certify, stop);
    Judged { result, statistics, search, certify: start.elapsed() }
}

/// Makes properties look only at the states of `states`.
///
/// The states of an XSTS after `init` and after `trans` are those where `env` comes next.
pub fn observe(system: &mut System, states: CheckStates) {
    if states == CheckStates::All {
        return;
    }
    for process in system.processes.ids() {
        let locations = &mut system.processes[process].locations;
        for id in locations.ids().collect::<Vec<LocationId>>() {
            if matches!(locations[id].name.as_str(), "init" | "trans") {
                locations[id].observed = false;
            }
        }
    }
}

/// A property with how it was given.
#[derive(Clone, Debug)]
pub struct Question {
    /// What is asked.
    pub property: Property,
    /// The expression as written; `None` for the model's own, see [`own_text`].
    pub text: Option<String>,
}

/// The properties that are asked for; all mistakes in them are reported at once.
pub fn questions(loaded: &mut Loaded, options: &Options, colour: bool) -> Result<Vec<Question>, Failure> {
    let mut texts: Vec<(String, Source)> = vec![];
    for text in &options.properties {
        let name = text.split_whitespace().collect::<Vec<_>>().join(" ");
        texts.push((name, Source::new("-p", text.as_str())));
    }
    for file in &options.property_files {
        let stem = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
        let taken = texts.iter().any(|(name, _)| *name == stem);
        let name = if taken { file.display().to_string() } else { stem };
        texts.push((name, Source::new(file.display().to_string(), load::text(file)?)));
    }
    let mut list = vec![];
    if (options.all || texts.is_empty())
        && let Some(property) = loaded.model.property.clone()
    {
        list.push(Question { property, text: None });
    }
    let mut failures: Vec<(Source, Vec<Diagnostic>)> = vec![];
    for (name, source) in texts {
        match loaded.model.parse_property(&name, &source.text) {
            Ok(property) => list.push(Question { property, text: Some(source.text.trim().to_owned()) }),
            Err(diagnostics) => failures.push((source, diagnostics)),
        }
    }
    if !failures.is_empty() {
        return Err(Failure::Text {
            rendered: failures
                .iter()
                .map(|(source, list)| render::diagnostics(source, list, colour))
                .collect(),
            diagnostics: failures.iter().flat_map(|(source, list)| render::findings(source, list)).collect(),
        });
    }
    if list.is_empty() {
        return Err(Failure::Input(format!(
            "`{}` has no property to check; write one into it, `prop {{ x >= 0 }}`, or give one: -p 'x >= 0'",
            loaded.source.name
        )));
    }
    Ok(list)
}

/// The text of the model's own property.
pub fn own_text(source: &Source) -> Option<String> {
    let (model, _) = lang::xsts::parse(&source.text);
    model.prop.map(|prop| source.slice(model.exprs[prop.expr].span).to_owned())
}

/// Runs the command.
pub fn run(path: &Path, options: &Options, console: &Console) -> Result<Exit, Failure> {
    let stop = Arc::new(Stop::new());
    let shared = Arc::new(Mutex::new(Tally {
        report: Report {
            format: report::FORMAT,
            version: report::VERSION,
            model: path.display().to_string(),
            engine: options.config.engine.to_string(),
            check_states: options.check_states,
            properties: vec![],
        },
        waiting: vec![],
        several: false,
        json: options.json,
        console: *console,
    }));
    let late = shared.clone();
    let _watch = limits::watch(options.limits, stop.clone(), move |reason| abandon(&late, &reason))?;

    let mut loaded = load::load(path, console)?;
    let mut questions = questions(&mut loaded, options, console.colour)?;
    observe(&mut loaded.model.system, options.check_states);
    if options.json || options.trace.is_some() || options.certificate.is_some() {
        for question in questions.iter_mut().filter(|question| question.text.is_none()) {
            question.text = own_text(&loaded.source);
        }
    }
    let several = questions.len() > 1;
    {
        let mut tally = lock(&shared);
        tally.several = several;
        tally.waiting = questions.iter().rev().map(|q| (q.property.name.clone(), q.text.clone())).collect();
    }

    let mut later = vec![];
    for (number, question) in questions.iter().enumerate() {
        let mut spinner = Spinner::new(&question.property.name);
        let system = &mut loaded.model.system;
        let judged =
            decide(system, &question.property, &options.config, options.certify, &stop, &mut spinner);
        drop(spinner);
        let context = Context { loaded: &loaded, question, options, console, several };
        let answered = context.record(&judged);
        if !several && let Some(failure) = answered.failure {
            return Err(failure);
        }
        lock(&shared).answer(answered.record.clone());
        if let Some(failure) = answered.failure {
            console.note(failure);
        }
        let number = several.then_some(number + 1);
        context.write_evidence(&judged, answered.record.trace.as_ref(), number)?;
        if let Some(fault) = answered.fault {
            console.note(fault.trim_end());
        }
        if !options.json {
            if several {
                later.extend(answered.record.trace.map(|trace| (question.property.name.clone(), trace)));
            } else {
                if let Some(trace) = &answered.record.trace {
                    console.print(table::render(trace, false));
                }
            }
            if let Some(numbers) = &answered.record.statistics {
                let name = if several { format!("{}: ", question.property.name) } else { String::new() };
                console.note(format!("{name}{}", numbers.line()));
            }
        }
    }
    for (name, trace) in later {
        console.print(format!("\n{name}:\n{}", table::render(&trace, false)));
    }
    let tally = lock(&shared);
    if options.json {
        console.json(&tally.report);
    }
    Ok(tally.report.exit())
}

/// What has been answered so far; shared with the watcher, which may have to finish the work.
struct Tally {
    report: Report,
    /// Names and texts of the properties not yet answered, the next one last.
    waiting: Vec<(String, Option<String>)>,
    several: bool,
    json: bool,
    console: Console,
}

impl Tally {
    fn answer(&mut self, record: Record) {
        self.waiting.pop();
        if !self.json {
            let name = if self.several { format!("{}: ", record.name) } else { String::new() };
            self.console.line(format!("{name}{}", record.line()));
        }
        self.report.properties.push(record);
    }
}

fn lock(tally: &Mutex<Tally>) -> std::sync::MutexGuard<'_, Tally> {
    tally.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The search has not listened: says what is known and ends the program.
fn abandon(tally: &Mutex<Tally>, reason: &Reason) {
    let mut tally = lock(tally);
    if tally.waiting.is_empty() && !tally.report.properties.is_empty() {
        // All is answered; what is left is writing it down.
        return;
    }
    if tally.waiting.is_empty() {
        // Still loading: the properties have no names yet.
        tally.waiting.push(("model".to_owned(), None));
    }
    while let Some((name, text)) = tally.waiting.last().cloned() {
        tally.answer(Record {
            name,
            text,
            verdict: Outcome::Unknown,
            certified: None,
            reason: Some(reason.to_string()),
            statistics: None,
            trace: None,
        });
    }
    if tally.json {
        tally.console.json(&tally.report);
    }
    std::process::exit(i32::from(tally.report.exit().code()));
}

/// What one answer is about.
struct Context<'a> {
    loaded: &'a Loaded,
    question: &'a Question,
    options: &'a Options,
    console: &'a Console,
    several: bool,
}

/// An answer ready to be shown.
struct Answered {
    record: Record,
    /// What ends the command if nothing else was asked.
    failure: Option<Failure>,
    /// The place of a fault, rendered.
    fault: Option<String>,
}

impl Context<'_> {
    fn record(&self, judged: &Judged) -> Answered {
        let record = |verdict, certified, reason: Option<String>, trace| Record {
            name: self.question.property.name.clone(),
            text: self.question.text.clone(),
            verdict,
            certified,
            reason,
            statistics: Some(Numbers {
                states: judged.statistics.states,
                transitions: judged.statistics.transitions,
                depth: judged.statistics.depth,
                bytes: judged.statistics.bytes,
                search_microseconds: judged.search.as_micros() as u64,
                certify_microseconds: judged.certify.as_micros() as u64,
            }),
            trace,
        };
        let lift = Lift { system: &self.loaded.model.system, source: &self.loaded.source };
        match &judged.result {
            Ok(verdict) => {
                let (outcome, reason) = match &verdict.answer {
                    Decided::Holds => (Outcome::Holds, None),
                    Decided::Violated => (Outcome::Violated, None),
                    Decided::Unknown(reason) => (Outcome::Unknown, Some(reason)),
                };
                let trace = match &verdict.evidence {
                    Evidence::Run(run) => Some(lift.trace(run, Some(self.reference()), Ends::Target)),
                    _ => None,
                };
                let certified = (outcome != Outcome::Unknown).then_some(verdict.certified);
                let failure = match reason {
                    Some(Reason::Unsupported(what)) => {
                        Some(Failure::Input(format!("`{}`: {what}", self.loaded.source.name)))
                    }
                    _ => None,
                };
                // One of several, it is a line like the others.
                let failure = failure.filter(|_| !self.several);
                let record = record(outcome, certified, reason.map(ToString::to_string), trace);
                Answered { record, failure, fault: None }
            }
            Err(NoVerdict::Fault(fault, run)) => {
                let fault = &self.loaded.model.system.faults[*fault];
                let trace = lift.trace(run, Some(self.reference()), Ends::Fault(fault.kind.to_string()));
                let mut place = Diagnostic::error(fault.span, format!("{} in a reachable state", fault.kind));
                place = place.label("goes wrong here").help("the steps that lead here are on stdout");
                let place = render::diagnostics(&self.loaded.source, &[place], self.console.colour);
                let (line, column) = self.loaded.source.start(fault.span);
                let reason = format!("{} at {}:{line}:{column}", fault.kind, self.loaded.source.name);
                let record = record(Outcome::Error, Some(self.options.certify), Some(reason), Some(trace));
                Answered { record, failure: None, fault: Some(place) }
            }
            Err(NoVerdict::Refused { answer, why }) => {
                let message = format!(
                    "the answer `{answer}` of engine `{}` (search order {}) for property `{}` of `{}` was refused \
                     when it was checked: {why}",
                    self.options.config.engine,
                    self.options.config.search,
                    self.question.property.name,
                    self.loaded.source.name
                );
                let record = record(Outcome::Internal, Some(false), Some(why.clone()), None);
                Answered { record, failure: Some(Failure::Internal(message)), fault: None }
            }
        }
    }
    fn reference(&self) -> PropertyRef {
        PropertyRef {
            name: self.question.property.name.clone(),
            text: self.question.text.clone().unwrap_or_default(),
            check_states: self.options.check_states,
        }
    }
    /// Writes what was asked for into files; several properties get numbered ones.
    fn write_evidence(
        &self,
        judged: &Judged,
        trace: Option<&trace::Trace>,
        number: Option<usize>,
    ) -> Result<(), Failure> {
        if let (Some(path), Some(trace)) = (&self.options.trace, trace) {
            let path = numbered(path, number);
            trace::write(&path, trace)?;
            self.console.note(format!("trace written to {}", path.display()));
        }
        let certificate = match &judged.result {
            Ok(Verdict { evidence: Evidence::Certificate(certificate), .. }) => Some(certificate),
            _ => None,
        };
        if let (Some(path), Some(certificate)) = (&self.options.certificate, certificate) {
            let path = numbered(path, number);
            let system = &self.loaded.model.system;
            certificate::write(&path, &self.loaded.source.name, system, self.reference(), certificate)?;
            self.console.note(format!("certificate written to {}", path.display()));
        }
        Ok(())
    }
}

/// `out.json` for one property, `out-2.json` for the second of several.
fn numbered(path: &Path, number: Option<usize>) -> PathBuf {
    let Some(number) = number else { return path.to_owned() };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension =
        path.extension().map_or(String::new(), |extension| format!(".{}", extension.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{extension}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_several_properties_are_numbered() {
        assert_eq!(numbered(Path::new("a/t.json"), None), Path::new("a/t.json"));
        assert_eq!(numbered(Path::new("a/t.json"), Some(2)), Path::new("a/t-2.json"));
        assert_eq!(numbered(Path::new("t"), Some(1)), Path::new("t-1"));
    }
}
