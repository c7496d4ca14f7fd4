//! `thetis check`: load, search, certify, say.

mod advice;
mod answer;
mod questions;
mod recorded;
mod summary;
mod tally;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use engine::{Choice, Config, Engine, Stop};
use ir::{Property, System};
use thetis::extremes::Measured;
use thetis::lang::Reading;
use thetis::{
    Certification, Check, CheckStates, Fair, Limits, Model, Posed, Scope, StuckRuns, ZenoRuns, file,
    obligations, pose,
};

use crate::apart::Apart;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::limits;
use crate::load;
use crate::report::{self, Expected, Record};
use crate::trace;
use crate::validate::unwritten;
use crate::words;
use answer::{Answered, Context};
pub use questions::{Question, questions, warn};
use tally::{Tally, Watched, abandon, lock};

/// What to check, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How the model is meant.
    pub reading: Reading,
    /// Expressions given on the command line.
    pub properties: Vec<String>,
    /// Formulas of linear temporal logic given there.
    pub formulas: Vec<String>,
    /// Files with automata of words that must not happen.
    pub never: Vec<PathBuf>,
    /// The option they are given by, if it is not `-p`.
    pub option: Option<&'static str>,
    /// Files with one property each.
    pub property_files: Vec<PathBuf>,
    /// Also the model's own property.
    pub all: bool,
    /// How to search.
    pub config: Config,
    /// The choice that chose the engine, if nobody named it.
    pub chosen_by: Option<Choice>,
    /// Choices that are about some engines only, as they were given.
    pub narrowing: Vec<Choice>,
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
    /// Who checks evidence.
    pub certify: Certification,
    /// Which states properties look at.
    pub check_states: CheckStates,
    /// How much time since the start properties look at, in the units of clocks; `None` for all.
    pub within: Option<u64>,
    /// What becomes of runs that get stuck; `None` for what the language of the model says.
    pub stuck_runs: Option<StuckRuns>,
    /// Whether infinite runs that take a bounded time count.
    pub zeno: ZenoRuns,
    /// What runs are fair to.
    pub fair: Vec<Fair>,
    /// Formulas that are assumed of every run.
    pub assumptions: Vec<String>,
    /// Whether nobody asks if temporal properties hold vacuously.
    pub no_vacuity: bool,
    /// What decides the exit code.
    pub expected: Expected,
    /// Whether stdout gets JSON instead of text.
    pub json: bool,
    /// Whether the schedule of the portfolio is told on stderr.
    pub verbose: bool,
}

/// Runs the command: for the model of a file, or for each of those that its tasks are about.
pub fn run(path: &Path, options: &Options, console: &Console) -> Result<Exit, Failure> {
    let tasks = match options.reading.task {
        Some(_) => vec![],
        None => load::tasks(path, console)?,
    };
    let stop = Arc::new(Stop::new());
    if tasks.len() < 2 {
        return one(path, options, None, &stop, console);
    }
    let written = [
        ("--trace", options.trace.is_some()),
        ("--certificate", options.certificate.is_some()),
        ("--arg", options.graph.is_some()),
        ("--obligations", options.obligations.is_some()),
    ];
    if let Some((option, _)) = written.iter().find(|(_, given)| *given) {
        return Err(Failure::Input(format!(
            "`{option}` writes files of one model, and the tasks of `{}` are about {}; choose one by `--task N`",
            path.display(),
            tasks.len()
        )));
    }
    let (mut exit, start) = (Exit::Holds, Instant::now());
    for (number, title) in tasks.iter().enumerate() {
        if stop.requested() {
            console.note(format!("note: tasks from {} on were not looked at", number + 1));
            return Ok(exit.worst(Exit::Unknown));
        }
        let heading = format!("task {} of {}: {title}", number + 1, tasks.len());
        if !options.json {
            console.line(if number == 0 { heading } else { format!("\n{heading}") });
        }
        let mut options = options.clone();
        options.reading.task = Some(number + 1);
        // Limits cover the whole command.
        options.limits.timeout = options.limits.timeout.map(|most| most.saturating_sub(start.elapsed()));
        // One model that cannot be read is no reason to leave the others out.
        exit = exit.worst(match one(path, &options, Some(title.clone()), &stop, console) {
            Ok(exit) => exit,
            Err(failure) => {
                console.note(&failure);
                failure.exit()
            }
        });
    }
    Ok(exit)
}

/// Checks one model; `task` is what the user knows it by, if a file has several.
fn one(
    path: &Path,
    options: &Options,
    task: Option<String>,
    stop: &Arc<Stop>,
    console: &Console,
) -> Result<Exit, Failure> {
    let shared = Arc::new(Mutex::new(Tally::new(path, options, task, console)));
    let late = shared.clone();
    let _watch = limits::watch(options.limits, stop.clone(), move |reason| abandon(&late, &reason))?;

    let mut model = load::load(path, &options.reading, console)?;
    options.trace.as_deref().map_or(Ok(()), |file| trace::writable(file, &model))?;
    let questions = questions(&mut model, options, console.colour)?;
    warn(&model, &questions, console);
    let readable: Vec<&lang::Question> = questions.iter().filter_map(|q| q.asked.as_ref().ok()).collect();
    let Options { check_states, within, .. } = *options;
    let stuck = options.stuck_runs.map(Into::into);
    let scope = Scope { check_states, within, stuck, fair: options.fair.clone(), zeno: options.zeno.into() };
    let Posed { system, properties } =
        pose(&model, &readable, &scope).map_err(|why| Failure::Refused(words::unposed(&why)))?;
    let several = questions.len() > 1;
    prepare(path, options, several.then_some(questions.len()), console)?;
    let timed = system.clocks().next().is_some();
    {
        let mut tally = lock(&shared);
        tally.asked = questions.iter().map(|q| (q.name.clone(), q.text.clone())).collect();
        tally.timed = timed;
    }
    if !properties.iter().any(is_about_runs) {
        let given = [
            (options.stuck_runs.is_some(), "--stuck-runs"),
            (!options.zeno.is_usual(), "--zeno"),
            (!options.fair.is_empty(), "--fair"),
            (!options.assumptions.is_empty(), "--assume-ltl"),
        ];
        for (_, option) in given.iter().filter(|(given, _)| *given) {
            console.note(format!("note: `{option}` does nothing here: it is for temporal properties"));
        }
    }
    if let Some(why) = alone(&options.config, timed) {
        console.note(format!(
            "note: `--threads` does nothing here: it is for several configurations, and {why}"
        ));
    }
    let mut writing = Writing {
        options,
        console,
        questions: &questions,
        shared: &shared,
        stop,
        scope: scope.clone(),
        written: Exit::Holds,
    };
    // The limits are watched above, from before the model is read.
    let limits = Limits::default();
    let check = Check { config: options.config.clone(), scope, certify: options.certify.clone(), limits };
    let mut properties = properties.iter();
    let (mut searched, mut measured) = (vec![], vec![]);
    for (number, question) in questions.iter().enumerate() {
        match &question.asked {
            Ok(asked) => {
                let property = properties.next().expect("one for each question that is asked");
                let list = if asked.values.is_empty() { &mut searched } else { &mut measured };
                list.push((number, (asked, property)));
            }
            Err(failure) => writing.refuse(number, question, failure),
        }
    }
    let system = Arc::new(system);
    // A graph is that of one question.
    let size = if options.graph.is_some() { 1 } else { searched.len().max(1) };
    for group in searched.chunks(size) {
        let (numbers, asked): (Vec<usize>, Vec<_>) = group.iter().copied().unzip();
        writing.search(&model, &numbers, &asked, &system, &check)?;
    }
    // A value takes several answers, and may never be found.
    if !measured.is_empty() {
        let (numbers, asked): (Vec<usize>, Vec<_>) =
            measured.into_iter().map(|(number, (asked, _))| (number, asked)).unzip();
        writing.measure(&mut model, &numbers, &asked, &system, &check)?;
    }
    let written = writing.written;
    let tally = lock(&shared);
    tally.conclude();
    Ok(tally.report.exit(options.expected).worst(written))
}

/// Makes sure that what is to be written can be, and that nothing of an earlier run is taken for it.
fn prepare(
    model: &Path,
    options: &Options,
    several: Option<usize>,
    console: &Console,
) -> Result<(), Failure> {
    apart(model, options, several)?;
    for number in numbers(several) {
        for path in [&options.trace, &options.certificate, &options.graph].into_iter().flatten() {
            file::renew(&numbered(path, number))
                .map_err(|error| load::failure(&error.into(), console.colour))?;
        }
        if let Some(dir) = &options.obligations {
            obligations::prepare(&numbered(dir, number)).map_err(unwritten)?;
        }
    }
    Ok(())
}

/// Whether a property is about whole runs.
fn is_about_runs(property: &Property) -> bool {
    property.claim.path().is_some()
}

/// Why only one configuration is at work at a time although several threads were asked for.
fn alone(config: &Config, timed: bool) -> Option<String> {
    match config.engine {
        _ if config.threads <= 1 => None,
        Engine::Auto if timed => Some("those for timed models take turns".to_owned()),
        Engine::Auto => None,
        engine => Some(format!("`--engine {engine}` is one")),
    }
}

/// What answers need to be shown and written.
struct Writing<'a> {
    options: &'a Options,
    console: &'a Console,
    questions: &'a [Question],
    shared: &'a Arc<Mutex<Tally>>,
    stop: &'a Arc<Stop>,
    /// Which part of the runs is looked at.
    scope: Scope,
    /// What became of the files.
    written: Exit,
}

impl Writing<'_> {
    /// Answers questions together, and writes the graph of the search for a single one.
    fn search(
        &mut self,
        model: &Model,
        numbers: &[usize],
        asked: &[(&lang::Question, &Property)],
        system: &Arc<System>,
        check: &Check,
    ) -> Result<(), Failure> {
        let Writing { options, console, questions, shared, stop, .. } = *self;
        let name = match numbers {
            [number] => questions[*number].name.clone(),
            list => format!("{} properties", list.len()),
        };
        let mut observer = Watched::new(&name, shared);
        observer.wants_graph = options.graph.is_some();
        let mut result = Ok(());
        model.answer(system, asked, check, stop, &mut observer, &mut |at, found| {
            let answered = self.answer(model, numbers[at], &found);
            result = std::mem::replace(&mut result, Ok(())).and(answered);
        });
        let graph = observer.graph.take();
        drop(observer);
        result?;
        if let (Some(path), Some(graph)) = (&options.graph, graph) {
            let path = numbered(path, self.several().then_some(numbers[0] + 1));
            match file::create(&path, |out| out.write_all(graph.as_bytes())) {
                Ok(()) => console.note(format!("graph written to {}", path.display())),
                Err(error) => self.failed(&load::failure(&error.into(), console.colour)),
            }
        }
        Ok(())
    }
    /// Finds the values that questions ask for.
    fn measure(
        &mut self,
        model: &mut Model,
        numbers: &[usize],
        asked: &[&lang::Question],
        system: &System,
        check: &Check,
    ) -> Result<(), Failure> {
        let name = match numbers {
            [number] => self.questions[*number].name.clone(),
            list => format!("{} values", list.len()),
        };
        let mut observer = Watched::new(&name, self.shared);
        let (stop, mut result) = (self.stop, Ok(()));
        let found = model.extremes_all(asked, check, stop, &mut observer, &mut |model, at, measured| {
            let said = self.values(model, numbers[at], system, &measured);
            result = std::mem::replace(&mut result, Ok(())).and(said);
        });
        drop(observer);
        found.map_err(|why| Failure::Refused(words::unchecked(&why)))?;
        result
    }
    /// Takes what cannot be read for the answer.
    fn refuse(&self, number: usize, question: &Question, failure: &Failure) {
        let (name, text) = (question.name.clone(), question.text.clone());
        let record = match &question.unsupported {
            Some(told) => Record::unsupported(name, text, told, failure),
            None => Record::refused(name, text, failure),
        };
        lock(self.shared).answer(number, record);
        self.console.note(failure);
    }
    fn several(&self) -> bool {
        self.questions.len() > 1
    }
    /// Shows an answer and writes the files that were asked for; fails if it is the end of the command.
    fn answer(&mut self, model: &Model, number: usize, found: &thetis::Answered) -> Result<(), Failure> {
        let (several, question) = (self.several(), &self.questions[number]);
        let Writing { options, console, .. } = *self;
        let context = Context { model, system: &found.system, question, options, console, several };
        let answered = context.record(found, &self.scope, self.stop);
        self.say(number, &answered)?;
        // Whatever happens to the files, the answer has been given.
        let number = several.then_some(number + 1);
        let mut failures = context.write_evidence(found, number);
        failures.extend(context.write_obligations(found, number, self.stop).err());
        failures.iter().for_each(|failure| self.failed(failure));
        self.note(question, &answered);
        let statistics = &found.judged.statistics;
        // Several have a table in the end, and the order after it.
        if several {
            let order = statistics.order.as_ref().filter(|_| options.verbose);
            order.iter().for_each(|order| lock(self.shared).order = Some(order.to_string()));
        } else if let Some(numbers) = answered.record.statistics.filter(|_| !options.json) {
            let named = options.config.engine != Engine::Auto && options.chosen_by.is_none();
            let by = match (&statistics.answered_by, statistics.attempts.last()) {
                _ if named => String::new(),
                (None, Some(last)) => format!("; of the last, {}", words::options(&last.configuration)),
                (by, _) => format!("; by {}", context.who(by.as_ref(), statistics)),
            };
            console.note(format!("{}{by}", report::line(&numbers.counts)));
            if let Some(order) = numbers.order.as_ref().filter(|_| options.verbose) {
                console.note(format!("order: {order}"));
            }
        }
        Ok(())
    }
    /// Shows the values that a question asked for, and writes the run to a single one.
    fn values(
        &mut self,
        model: &Model,
        number: usize,
        system: &System,
        measured: &[Measured],
    ) -> Result<(), Failure> {
        let (several, question) = (self.several(), &self.questions[number]);
        let Writing { options, console, .. } = *self;
        let context = Context { model, system, question, options, console, several };
        let answered = context.values(measured);
        self.say(number, &answered)?;
        let trace = answered.record.trace.as_ref();
        if options.trace.is_some() && trace.is_none() {
            console.note(
                "no trace written: it is written where a single value is asked for and known, as by `sup: x`; \
                 `--json` has all runs",
            );
        }
        if options.certificate.is_some() || options.obligations.is_some() {
            console.note(
                "no certificate written: a value has two answers; \
                 ask for each with `E<>` to get its evidence",
            );
        }
        let failures = context.write_trace(trace, several.then_some(number + 1));
        failures.iter().for_each(|failure| self.failed(failure));
        self.note(question, &answered);
        Ok(())
    }
    /// Says what came out; fails if it is the end of the command.
    fn say(&self, number: usize, answered: &Answered) -> Result<(), Failure> {
        if let Some(failure) = answered.failure.as_ref().filter(|_| !self.several()) {
            return Err(failure.clone());
        }
        lock(self.shared).answer(number, answered.record.clone());
        if let Some(failure) = &answered.failure {
            self.console.note(failure);
        }
        if !self.options.json && !self.several() {
            self.console.print(answered.record.runs());
        }
        Ok(())
    }
    /// Says what there is to know besides.
    fn note(&self, question: &Question, answered: &Answered) {
        if let Some(place) = &answered.place {
            self.console.note(place.trim_end());
        }
        let name = if self.several() { format!("{}: ", question.name) } else { String::new() };
        for note in &answered.record.notes {
            self.console.note(format!("note: {name}{note}"));
        }
    }
    /// A file could not be written.
    fn failed(&mut self, failure: &Failure) {
        self.console.note(failure);
        self.written = self.written.worst(failure.exit());
    }
}

/// Refuses files that would be written over the model, a file of properties, or each other.
fn apart(model: &Path, options: &Options, several: Option<usize>) -> Result<(), Failure> {
    let mut files = Apart::from_model(model);
    for file in &options.property_files {
        files.read("--property-file", file);
    }
    for file in &options.never {
        files.read("--never", file);
    }
    let written = [
        ("--trace", &options.trace),
        ("--certificate", &options.certificate),
        ("--arg", &options.graph),
        ("--obligations", &options.obligations),
    ];
    for (option, path) in written {
        let Some(path) = path else { continue };
        files.write(option, path, numbers(several).map(|number| numbered(path, number)))?;
    }
    Ok(())
}

/// The numbers of files: none for one property, one for each of several.
fn numbers(several: Option<usize>) -> impl Iterator<Item = Option<usize>> {
    let count = several.unwrap_or(1);
    (1..=count).map(move |number| several.map(|_| number))
}

/// `out.json` for one property, `out-2.json` for the second of several.
pub fn numbered(path: &Path, number: Option<usize>) -> PathBuf {
    let Some(number) = number else { return path.to_owned() };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension =
        path.extension().map_or(String::new(), |extension| format!(".{}", extension.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{extension}"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use engine::{Observer, Phase, Progress, Reason};

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
                if progress.phase == Phase::Certifying {
                    self.0.request(Reason::Time);
                }
            }
        }
        let text = "var n : integer = 0 trans { } prop { n == 0 }";
        let mut model = Model::from_text("m.xsts", text).unwrap();
        let options = Options {
            limits: Limits { timeout: Some(Duration::from_secs(2)), memory: None },
            ..Options::default()
        };
        let [question] = &questions(&mut model, &options, false).unwrap()[..] else { panic!("one question") };
        let stop = Arc::new(Stop::new());
        let (asked, mut watching) = (question.asked.as_ref().unwrap(), Impatient(&stop));
        let mut line = String::new();
        let told = model.check_all(&[asked], &Check::default(), &stop, &mut watching, &mut |_, found| {
            let (system, console) = (&*found.system, &Console::default());
            let context =
                Context { model: &model, system, question, options: &options, console, several: false };
            line = context.record(&found, &Scope::default(), &stop).record.line();
        });
        told.unwrap();
        assert_eq!(
            line,
            "unknown (time limit of 2s reached while certifying; the search found no violation)"
        );
    }
}
