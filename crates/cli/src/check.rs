//! `thetis check`: load, search, certify, say.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engine::{Answer, Attempt, Config, Engine, Observer, Progress, Reason, Search, Statistics, Stop};
use ir::{Certificate, LocationId, Property, System, VarId};
use lang::diagnostic::Diagnostic;
use lang::pnml;

use crate::certificate;
use crate::console::{Console, printable};
use crate::doctor;
use crate::exit::{Exit, Failure, first_line, leave};
use crate::limits::{self, Limits};
use crate::load::{self, Loaded};
use crate::obligations;
use crate::progress::Spinner;
use crate::render;
use crate::report::{self, Depths, Numbers, Outcome, Record, Refinements, Report, Tried};
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
    /// Where to write the graph of the search.
    pub graph: Option<PathBuf>,
    /// Where to write the obligations of invariants.
    pub obligations: Option<PathBuf>,
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
    /// Whether there was a search at all.
    pub started: bool,
    /// What the search had found when checking that was interrupted.
    pub uncertified: Option<&'static str>,
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
        (Answer::Unknown(stop.reason()), Statistics::default())
    } else {
        engine::search(system, target, config, stop, observer)
    };
    let search = start.elapsed();
    let started = statistics != Statistics::default() || !matches!(answer, Answer::Unknown(_));
    let start = Instant::now();
    let found = match &answer {
        Answer::Unreachable(_) => Some("the search found no violation"),
        Answer::Reachable(run) if verdict::fault_of(system, run.last()).is_some() => {
            Some("the search found that the model goes wrong")
        }
        Answer::Reachable(_) => Some("the search found a violation"),
        Answer::Unknown(_) => None,
    };
    if certify && found.is_some() {
        let states = statistics.states;
        observer.progress(&engine::Progress { phase: CERTIFYING, states, ..Default::default() });
    }
    let result = verdict::judge(system, property, target, answer, certify, stop);
    let undone = matches!(result, Ok(Verdict { answer: Decided::Unknown(_), .. }));
    let uncertified = found.filter(|_| undone);
    Judged { result, statistics, search, certify: start.elapsed(), started, uncertified }
}

/// What is being done while evidence is checked.
const CERTIFYING: &str = "certifying";

/// Makes properties look only at the states of `states`.
///
/// The states of an XSTS after `init` and after `trans` are those where `env` comes next.
pub fn observe(system: &mut System, states: CheckStates) {
    if states == CheckStates::All {
        return;
    }
    // Only the process of an XSTS is called that.
    for process in
        system.processes.ids().filter(|process| system.processes[*process].name == "xsts").collect::<Vec<_>>()
    {
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
        ask(name.clone(), Ok(Source::new("-p", text.as_str())));
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
                (true, _) => "write one into it, `prop { x >= 0 }`, or give one: -p 'x >= 0'",
                (_, Some(_)) =>
                    "give one: -p deadlock-free, -p 1-safe, or -p 'p + q <= 3' for places p and q",
                _ =>
                    "give one, -p 'A[] not P.bad' or -p 'E<> P.good', or a file of queries: --property-file F.q",
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
        limits: options.limits,
        phase: "",
        spinner: None,
        console: console.clone(),
    }));
    let late = shared.clone();
    let _watch = limits::watch(options.limits, stop.clone(), move |reason| abandon(&late, &reason))?;

    let mut loaded = load::load(path, console)?;
    let questions = questions(&mut loaded, options, console.colour)?;
    observe(&mut loaded.model.system, options.check_states);
    let several = questions.len() > 1;
    apart(path, options, several.then_some(questions.len()))?;
    for path in [&options.trace, &options.certificate, &options.graph].into_iter().flatten() {
        trace::writable(&numbered(path, several.then_some(1)))?;
    }
    if let Some(dir) = &options.obligations {
        for number in 1..=questions.len() {
            obligations::prepare(&numbered(dir, several.then_some(number)))?;
        }
    }
    {
        let mut tally = lock(&shared);
        tally.several = several;
        tally.waiting = questions.iter().rev().map(|q| (q.name.clone(), q.text.clone())).collect();
    }

    let mut later = vec![];
    let mut written = Exit::Holds;
    for (number, question) in questions.iter().enumerate() {
        let property = match &question.property {
            Ok(property) => property,
            Err(failure) => {
                let (name, text) = (question.name.clone(), question.text.clone());
                let record = match &question.unsupported {
                    Some(what) => {
                        Record::unanswered(name, text, Outcome::Unknown, format!("unsupported: {what}"))
                    }
                    None => Record::refused(name, text, failure),
                };
                lock(&shared).answer(record);
                console.note(failure);
                continue;
            }
        };
        let mut observer = Watched::new(&question.name, &shared);
        observer.wants_graph = options.graph.is_some();
        let system = &mut loaded.model.system;
        let judged = decide(system, property, &options.config, options.certify, &stop, &mut observer);
        let graph = observer.graph.take();
        drop(observer);
        let context = Context { loaded: &loaded, question, options, console, several };
        let answered = context.record(&judged);
        if !several && let Some(failure) = answered.failure {
            return Err(failure);
        }
        lock(&shared).answer(answered.record.clone());
        if let Some(failure) = answered.failure {
            console.note(failure);
        }
        if !options.json {
            match answered.record.trace.clone() {
                Some(trace) if several => later.push((question.name.clone(), trace)),
                Some(trace) => console.print(table::render(&trace, false)),
                None => {}
            }
        }
        // Whatever happens to the files, the answer has been given.
        let number = several.then_some(number + 1);
        let mut failures = context.write_evidence(&judged, answered.record.trace.as_ref(), number);
        failures.extend(context.write_obligations(&judged, property, number, &stop).err());
        if let (Some(path), Some(graph)) = (&options.graph, graph) {
            let path = numbered(path, number);
            match trace::create(&path, |out| out.write_all(graph.as_bytes())) {
                Ok(()) => console.note(format!("graph written to {}", path.display())),
                Err(failure) => failures.push(failure),
            }
        }
        for failure in failures {
            console.note(&failure);
            written = written.worst(failure.exit());
        }
        if let Some(fault) = answered.fault {
            console.note(fault.trim_end());
        }
        let name = if several { format!("{}: ", question.name) } else { String::new() };
        for note in &answered.record.notes {
            console.note(format!("note: {name}{note}"));
        }
        if let Some(numbers) = answered.record.statistics.filter(|_| !options.json) {
            let by = match options.config.engine {
                Engine::Auto => format!("; by {}", numbers.configuration),
                _ => String::new(),
            };
            console.note(format!("{name}{}{by}", numbers.line()));
        }
    }
    for (name, trace) in later {
        console.print(format!("\n{name}:\n{}", table::render(&trace, false)));
    }
    let tally = lock(&shared);
    if options.json {
        console.json(&tally.report);
    }
    Ok(tally.report.exit().worst(written))
}

/// Refuses files that would be written over the model, a file of properties, or each other.
fn apart(model: &Path, options: &Options, several: Option<usize>) -> Result<(), Failure> {
    let mut known: Vec<(PathBuf, String)> = vec![(real(model), "the model".to_owned())];
    for file in &options.property_files {
        known.push((real(file), format!("--property-file {}", file.display())));
    }
    let written = [
        ("--trace", &options.trace),
        ("--certificate", &options.certificate),
        ("--arg", &options.graph),
        ("--obligations", &options.obligations),
    ];
    for (option, path) in written {
        let Some(path) = path else { continue };
        let numbers: Vec<Option<usize>> = several.map_or(vec![None], |count| (1..=count).map(Some).collect());
        let mut own = vec![];
        for number in numbers {
            let file = numbered(path, number);
            let place = real(&file);
            if let Some((_, other)) = known.iter().find(|(known, _)| *known == place) {
                return Err(Failure::Input(format!(
                    "`{option} {}` would write `{}`, which is {other}; name another file",
                    path.display(),
                    file.display()
                )));
            }
            own.push((place, format!("what `{option} {}` writes", path.display())));
        }
        known.extend(own);
    }
    Ok(())
}

/// Where a file is or would be, whatever it is called.
pub fn real(path: &Path) -> PathBuf {
    let parent = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(parent).unwrap_or_else(|| path.to_owned())
}

/// What has been answered so far; shared with the watcher, which may have to finish the work.
struct Tally {
    report: Report,
    /// Names and texts of the properties not yet answered, the next one last.
    waiting: Vec<(String, Option<String>)>,
    several: bool,
    json: bool,
    limits: Limits,
    /// What is being done about the next one.
    phase: &'static str,
    spinner: Option<Spinner>,
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

fn lock(tally: &Mutex<Tally>) -> MutexGuard<'_, Tally> {
    tally.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows where a search is, and lets the watcher know.
struct Watched<'a> {
    spinner: Spinner,
    tally: &'a Mutex<Tally>,
    wants_graph: bool,
    graph: Option<String>,
}

impl<'a> Watched<'a> {
    fn new(name: &str, tally: &'a Mutex<Tally>) -> Self {
        let spinner = Spinner::new(name);
        lock(tally).spinner = Some(spinner.clone());
        Watched { spinner, tally, wants_graph: false, graph: None }
    }
}

impl Observer for Watched<'_> {
    fn progress(&mut self, progress: &Progress) {
        lock(self.tally).phase = progress.phase;
        self.spinner.progress(progress);
    }
    fn graph(&mut self, dot: &dyn std::fmt::Display) {
        self.graph = self.wants_graph.then(|| dot.to_string());
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        self.spinner.clear();
        let mut tally = lock(self.tally);
        (tally.spinner, tally.phase) = (None, "");
    }
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
    if let Some(spinner) = tally.spinner.take() {
        spinner.clear();
    }
    let why = tally.limits.explain(reason);
    let mut now = if tally.phase == CERTIFYING { format!("{why} while certifying") } else { why.clone() };
    while let Some((name, text)) = tally.waiting.last().cloned() {
        let reason = std::mem::replace(&mut now, why.clone());
        tally.answer(Record::unanswered(name, text, Outcome::Unknown, reason));
    }
    if tally.json {
        tally.console.json(&tally.report);
    }
    let exit = tally.console.finish(tally.report.exit());
    leave(exit);
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
            name: self.question.name.clone(),
            text: self.question.text.clone(),
            verdict,
            certified,
            reason,
            notes: self.notes(judged),
            diagnostics: vec![],
            statistics: judged.started.then(|| Numbers {
                states: judged.statistics.states,
                visited: judged.statistics.expanded,
                stored: judged.statistics.states,
                transitions: judged.statistics.transitions,
                covered: judged.statistics.covered,
                depth: self.depth(&judged.statistics),
                bytes: judged.statistics.bytes,
                bytes_per_state: judged.statistics.bytes.div_ceil(judged.statistics.states.max(1)),
                search_microseconds: judged.search.as_micros() as u64,
                certify_microseconds: judged.certify.as_micros() as u64,
                cegar: judged.statistics.cegar.as_ref().map(Refinements::new),
                configuration: match &judged.statistics.answered_by {
                    Some(options) => options.clone(),
                    None => self.options.config.to_string(),
                },
                attempts: judged.statistics.attempts.iter().map(Tried::new).collect(),
                bounded: judged.statistics.bounded.as_ref().map(Depths::new),
                preprocessing: judged.statistics.preprocessing.clone(),
            }),
            trace,
        };
        let lift = Lift { system: &self.loaded.model.system, source: &self.loaded.source };
        match &judged.result {
            Ok(verdict) => {
                let (outcome, reason) = match &verdict.answer {
                    Decided::Holds => (Outcome::Holds, None),
                    Decided::Violated => (Outcome::Violated, None),
                    Decided::Unknown(reason @ Reason::Internal(_)) => (Outcome::Internal, Some(reason)),
                    Decided::Unknown(reason) => (Outcome::Unknown, Some(reason)),
                };
                let trace = match &verdict.evidence {
                    Evidence::Run(run) => Some(lift.trace(run, Some(self.reference()), Ends::Target)),
                    _ => None,
                };
                let certified =
                    (!matches!(outcome, Outcome::Unknown | Outcome::Internal)).then_some(verdict.certified);
                let failure = match reason {
                    Some(Reason::Internal(what)) => Some(self.internal(what)),
                    // One of several, it is a line like the others.
                    Some(Reason::Unsupported(what)) if !self.several => Some(self.unsupported(what)),
                    _ => None,
                };
                let reason = reason.map(|reason| {
                    let text = self.options.limits.explain(reason);
                    match (judged.uncertified, reason) {
                        (Some(found), Reason::Uncertified(_)) => format!("{text}; {found}"),
                        (Some(found), _) => format!("{text} while certifying; {found}"),
                        (None, _) => text,
                    }
                });
                // The verdict is a line, whatever a solver has to say.
                let (reason, details) = reason.map(|reason| first_line(&printable(&reason))).unzip();
                let mut record = record(outcome, certified, reason, trace);
                if outcome == Outcome::Unknown {
                    record.notes.extend(tried(self.options.config.engine, &judged.statistics.attempts));
                }
                record.notes.extend(details.flatten());
                if matches!(verdict.answer, Decided::Unknown(Reason::Solver(_) | Reason::Uncertified(_))) {
                    record.notes.extend(doctor::hint().map(str::to_owned));
                }
                Answered { record, failure, fault: None }
            }
            Err(NoVerdict::Fault(fault, run)) => {
                let trace = lift.trace(run, Some(self.reference()), lift.fault(*fault));
                let limit = self.loaded.model.limit(*fault, run.last());
                let fault = &self.loaded.model.system.faults[*fault];
                self.goes_wrong(fault, &self.loaded.source, limit, "", |reason| {
                    record(Outcome::Error, Some(self.options.certify), Some(reason), Some(trace))
                })
            }
            Err(NoVerdict::Undefined(fault, run)) => {
                let ends = Ends::Undefined(fault.kind.to_string());
                let trace = lift.trace(run, Some(self.reference()), ends);
                let source = self.question.source.as_deref().unwrap_or(&self.loaded.source);
                self.goes_wrong(fault, source, None, " in the query", |reason| {
                    record(Outcome::Error, Some(self.options.certify), Some(reason), Some(trace))
                })
            }
            Err(NoVerdict::Refused { answer, why }) => {
                let choices = match self.options.config.engine {
                    Engine::Cegar => format!(", {}", self.options.config.cegar),
                    _ => String::new(),
                };
                let message = format!(
                    "the answer `{answer}` of engine `{}` (search order {}{choices}) for property `{}` of `{}` was \
                     refused when it was checked: {why}",
                    self.options.config.engine,
                    self.options.config.search,
                    self.question.name,
                    self.loaded.source.name
                );
                let record = record(Outcome::Internal, Some(false), Some(why.clone()), None);
                Answered { record, failure: Some(Failure::Internal(message)), fault: None }
            }
        }
    }
    /// The answer that something goes wrong in a reachable state; `limit` says how.
    fn goes_wrong(
        &self,
        fault: &ir::Fault,
        source: &Source,
        limit: Option<String>,
        within: &str,
        record: impl FnOnce(String) -> Record,
    ) -> Answered {
        let limit = limit.map_or_else(String::new, |limit| format!(": {limit}"));
        let mut place =
            Diagnostic::error(fault.span, format!("{}{within} in a reachable state{limit}", fault.kind));
        place = place.label("goes wrong here").help("the steps that lead here are on stdout");
        let place = render::diagnostics(source, &[place], self.console.colour);
        let (line, column) = source.start(fault.span);
        let record = record(format!("{} at {}:{line}:{column}{limit}", fault.kind, source.name));
        Answered { record, failure: None, fault: Some(place) }
    }
    /// Something that cannot be; everything needed to report it.
    fn internal(&self, what: &str) -> Failure {
        Failure::Internal(format!(
            "engine `{}` (search order {}) failed for property `{}` of `{}`: {what}",
            self.options.config.engine,
            self.options.config.search,
            self.question.name,
            self.loaded.source.name
        ))
    }
    fn reference(&self) -> PropertyRef {
        PropertyRef {
            name: self.question.name.clone(),
            text: self.question.text.clone().unwrap_or_default(),
            check_states: self.options.check_states,
        }
    }
    /// How far the search went, if it counted that.
    fn depth(&self, statistics: &Statistics) -> Option<u64> {
        let counted = self.options.config.search == Search::Bfs
            && statistics.cegar.is_none()
            && (statistics.depth > 0 || statistics.transitions == 0);
        counted.then_some(statistics.depth)
    }
    /// What a verdict does not say of itself.
    fn notes(&self, judged: &Judged) -> Vec<String> {
        let system = &self.loaded.model.system;
        let Ok(Verdict { answer, evidence: Evidence::Certificate(certificate), .. }) = &judged.result else {
            return vec![];
        };
        let unobserved = match certificate {
            Certificate::ClosedSet(set) => {
                !(0..set.len()).any(|at| system.is_observed(&set.state(at).locations))
            }
            Certificate::Invariant(invariant) => {
                !invariant.entries.iter().any(|entry| system.is_observed(&entry.locations))
            }
            Certificate::KInductive(proof) => {
                !proof.lemma.entries.iter().any(|entry| system.is_observed(&entry.locations))
            }
            Certificate::Zones(_) => false,
        };
        let nothing = match (&judged.statistics.bounded, certificate) {
            (None, _) => judged.statistics.states == 0,
            (Some(counted), Certificate::KInductive(proof)) => {
                proof.argument == ir::Argument::Exhaustion && counted.depth == 0
            }
            _ => false,
        };
        let note = match answer {
            Decided::Holds if nothing => "the model has no initial state, so every property holds",
            Decided::Violated if nothing => "the model has no initial state, so nothing is reachable",
            Decided::Holds if unobserved => {
                "no state was examined, so every property would hold: the model stops before it reaches a state \
                 that properties look at"
            }
            _ => return vec![],
        };
        vec![note.to_owned()]
    }
    /// The engine cannot handle the model; the place is that of the variable in question.
    fn unsupported(&self, what: &str) -> Failure {
        let Loaded { source, model } = self.loaded;
        let timed = model.system.clocks().next().is_some();
        let other = match self.options.config.engine {
            Engine::Explicit => ", and `--engine auto` searches it",
            _ => "",
        };
        let help =
            timed.then(|| format!("`thetis simulate {}` steps through a timed model{other}", source.name));
        match mentioned(&model.system, what) {
            Some(var) => {
                let place = Diagnostic::error(model.system.vars[var].span, what).label("declared here");
                let place = help.into_iter().fold(place, Diagnostic::help);
                render::failure(source, &[place], self.console.colour)
            }
            None => {
                let help = help.map_or_else(String::new, |help| format!("; {help}"));
                Failure::Input(format!("`{}`: {what}{help}", source.name))
            }
        }
    }
    /// Writes the obligations of an invariant, if that was asked for.
    fn write_obligations(
        &self,
        judged: &Judged,
        property: &Property,
        number: Option<usize>,
        stop: &Stop,
    ) -> Result<(), Failure> {
        let (Some(dir), Ok(Verdict { evidence: Evidence::Certificate(certificate), .. })) =
            (&self.options.obligations, &judged.result)
        else {
            return Ok(());
        };
        let Loaded { source, model } = self.loaded;
        let mut system = model.system.clone();
        let target = system.target(property.claim);
        let dir = numbered(dir, number);
        let count = obligations::write(&dir, &source.name, &system, target, certificate, stop.flag())?;
        self.console.note(match count {
            Some(count) => format!("{count} obligations written to {}", dir.display()),
            None => format!("note: {}", obligations::NONE),
        });
        Ok(())
    }
    /// Writes what was asked for into files; several properties get numbered ones.
    fn write_evidence(
        &self,
        judged: &Judged,
        trace: Option<&trace::Trace>,
        number: Option<usize>,
    ) -> Vec<Failure> {
        let mut failures = vec![];
        let mut tell = |what: &str, path: &Path, result: Result<(), Failure>| match result {
            Ok(()) => self.console.note(format!("{what} written to {}", path.display())),
            Err(failure) => failures.push(failure),
        };
        match (&self.options.trace, trace) {
            (Some(path), Some(trace)) => {
                let path = numbered(path, number);
                tell("trace", &path, trace::write(&path, trace));
            }
            (Some(path), None)
                if matches!(judged.result, Ok(Verdict { evidence: Evidence::Certificate(_), .. })) =>
            {
                let path = numbered(path, number);
                self.console.note(format!(
                    "no trace written to {}: no run decides the property, and `--certificate FILE` writes why",
                    path.display()
                ));
            }
            _ => {}
        }
        if let (Some(path), Ok(Verdict { evidence: Evidence::Certificate(certificate), .. })) =
            (&self.options.certificate, &judged.result)
        {
            let path = numbered(path, number);
            let Loaded { source, model } = self.loaded;
            let result =
                certificate::write(&path, &source.name, &model.system, self.reference(), certificate);
            tell("certificate", &path, result);
        }
        failures
    }
}

/// Why each of several configurations stopped, and what to do about it.
fn tried(engine: Engine, attempts: &[Attempt]) -> Vec<String> {
    let Some(last) = attempts.last() else {
        return match engine {
            Engine::Auto => vec![],
            _ => vec!["to go on: `--engine auto`, which tries several configurations".to_owned()],
        };
    };
    let mut notes: Vec<String> = attempts
        .iter()
        .map(|attempt| format!("tried `{}`: {}", attempt.configuration, attempt.reason))
        .collect();
    let ended = matches!(last.reason, Reason::Time | Reason::Memory | Reason::Interrupted);
    notes.push(match ended {
        true => "to go on: a higher limit, or `--threads 2`, which tries two at a time".to_owned(),
        false => "to go on: other options of abstraction refinement (`--domain`, `--refinement`, \
                  `--interpolation`), or a model that says more, such as ranges of its variables"
            .to_owned(),
    });
    notes
}

/// The first variable that a message names in backticks, if it is the only one of that name.
fn mentioned(system: &System, message: &str) -> Option<VarId> {
    message.split('`').skip(1).step_by(2).find_map(|word| {
        let mut named = system.vars.ids().filter(|var| system.vars[*var].name == word);
        named.next().filter(|_| named.next().is_none())
    })
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

    #[test]
    fn a_limit_that_ends_certification_says_what_was_found() {
        /// Asks to stop as soon as the search is over.
        struct Impatient<'a>(&'a Stop);
        impl Observer for Impatient<'_> {
            fn progress(&mut self, progress: &Progress) {
                if progress.phase == CERTIFYING {
                    self.0.request(Reason::Time);
                }
            }
        }
        let source = Source::new("m.xsts", "var n : integer = 0 trans { } prop { n == 0 }");
        let mut loaded = load::load_source(source, load::Format::Xsts, &Console::default()).unwrap();
        let options = Options {
            limits: Limits { timeout: Some(Duration::from_secs(2)), memory: None },
            ..Options::default()
        };
        let [question] = &questions(&mut loaded, &options, false).unwrap()[..] else {
            panic!("one question")
        };
        let stop = Stop::new();
        let property = question.property.as_ref().unwrap();
        let system = &mut loaded.model.system;
        let judged = decide(system, property, &options.config, true, &stop, &mut Impatient(&stop));
        let context = Context {
            loaded: &loaded,
            question,
            options: &options,
            console: &Console::default(),
            several: false,
        };
        assert_eq!(
            context.record(&judged).record.line(),
            "unknown (time limit of 2s reached while certifying; the search found no violation)"
        );
    }
}
