//! What has been answered so far, and what is said when time or memory is up.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::{Attempt, Choice, Config, Observer, Phase, Progress, Reason};

use thetis::record::OutcomeRecord;

use super::{Options, advice, recorded, summary};
use thetis::Limits;

use crate::console::Console;
use crate::exit::leave;
use crate::progress::Spinner;
use crate::report::{self, Expected, Record, Report};
use crate::words;

/// What has been answered so far; shared with the watcher, which may have to finish the work.
pub(super) struct Tally {
    pub(super) report: Report,
    /// Names and texts of all properties, in order, once they are known.
    pub(super) asked: Vec<(String, Option<String>)>,
    /// Answers that are not in the report, because an earlier question has none.
    early: BTreeMap<usize, Record>,
    json: bool,
    config: Config,
    narrowing: Vec<Choice>,
    /// Whether the model has clocks, so that one configuration runs at a time; taken for granted before it is known.
    pub(super) timed: bool,
    /// In which order engines were asked, if that was told.
    pub(super) order: Option<String>,
    limits: Limits,
    /// What is expected of the properties.
    pub(super) expected: Expected,
    /// What is being done about the next one.
    phase: Phase,
    /// Which configurations gave no answer, and whose turn it is, if several take turns.
    turns: (Vec<Attempt>, Vec<Config>),
    pub(super) spinner: Option<Spinner>,
    console: Console,
}

impl Tally {
    /// Nothing is answered, and nothing is known of the questions.
    pub(super) fn new(path: &Path, options: &Options, task: Option<String>, console: &Console) -> Self {
        Tally {
            report: Report {
                format: report::FORMAT,
                version: report::VERSION,
                model: path.display().to_string(),
                task,
                engine: options.config.engine.to_string(),
                check_states: options.check_states,
                within: options.within,
                stuck_runs: options.stuck_runs,
                zeno: options.zeno,
                fair: options.fair.iter().map(ToString::to_string).collect(),
                properties: vec![],
            },
            asked: vec![],
            early: BTreeMap::new(),
            json: options.json,
            config: options.config.clone(),
            narrowing: options.narrowing.clone(),
            timed: true,
            order: None,
            limits: options.limits,
            expected: options.expected,
            phase: Phase::default(),
            turns: (vec![], vec![]),
            spinner: None,
            console: console.clone(),
        }
    }
    /// Takes in the answer to a question. Lines are in the order of the questions, whatever is answered first.
    pub(super) fn answer(&mut self, number: usize, record: Record) {
        self.early.insert(number, record);
        let mut next = self.early.remove(&self.report.properties.len());
        while let Some(record) = next {
            if !self.json {
                if let Some(spinner) = &self.spinner {
                    spinner.clear();
                }
                let name = if self.asked.len() > 1 { format!("{}: ", record.name) } else { String::new() };
                self.console.line(format!("{name}{}", record.line()));
            }
            self.report.properties.push(record);
            next = self.early.remove(&self.report.properties.len());
        }
    }
    /// Says what comes after the lines: everything as JSON, or the runs and the table of several questions.
    pub(super) fn conclude(&self) {
        if self.expected == Expected::Recorded {
            self.console.note(format!("note: {}", recorded::tally(&self.report.properties)));
        }
        if self.json {
            return self.console.json(&self.report);
        }
        let looked = self.report.within.map(|most| {
            let units = thetis::first_units(most);
            format!("note: this is only about {units} of every run (`--within {most}`)")
        });
        if self.asked.len() < 2 {
            looked.into_iter().for_each(|note| self.console.note(note));
            return;
        }
        for record in &self.report.properties {
            let runs = record.runs();
            if !runs.is_empty() {
                self.console.print(format!("\n{}:\n{runs}", record.name));
            }
        }
        self.console.note(format!("\n{}", summary::table(&self.report.properties)));
        looked.into_iter().for_each(|note| self.console.note(note));
        if let Some(order) = &self.order {
            self.console.note(format!("order: {order}"));
        }
    }
    /// The first question that has no answer.
    fn unanswered(&self) -> Option<usize> {
        (0..self.asked.len()).find(|at| *at >= self.report.properties.len() && !self.early.contains_key(at))
    }
}

pub(super) fn lock(tally: &Mutex<Tally>) -> MutexGuard<'_, Tally> {
    tally.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows where a search is, and lets the watcher know.
pub(super) struct Watched<'a> {
    spinner: Spinner,
    tally: &'a Mutex<Tally>,
    pub(super) wants_graph: bool,
    pub(super) graph: Option<String>,
}

impl<'a> Watched<'a> {
    pub(super) fn new(name: &str, tally: &'a Mutex<Tally>) -> Self {
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
    fn turn(&mut self, before: &[Attempt], now: &[Config]) {
        lock(self.tally).turns = (before.to_vec(), now.to_vec());
    }
    fn graph(&mut self, dot: &dyn std::fmt::Display) {
        self.graph = self.wants_graph.then(|| dot.to_string());
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        self.spinner.clear();
        let mut tally = lock(self.tally);
        (tally.spinner, tally.phase, tally.turns) = (None, Phase::default(), (vec![], vec![]));
    }
}

/// The search has not listened: says what is known and ends the program.
pub(super) fn abandon(tally: &Mutex<Tally>, reason: &Reason) {
    let mut tally = lock(tally);
    if tally.asked.is_empty() {
        // Still loading: the properties have no names yet.
        tally.asked.push(("model".to_owned(), None));
    } else if tally.unanswered().is_none() {
        // All is answered; what is left is writing it down.
        return;
    }
    if let Some(spinner) = tally.spinner.take() {
        spinner.clear();
    }
    let why = words::reason(reason, &tally.limits);
    let mut now = why.clone();
    if tally.phase == Phase::Certifying {
        now.text += " while certifying";
    }
    let (mut attempts, running) = std::mem::take(&mut tally.turns);
    for configuration in running {
        attempts.retain(|attempt| !attempt.is_of(&configuration));
        attempts.push(Attempt { configuration, reason: reason.clone(), states: 0 });
    }
    let Tally { config, narrowing, timed, limits, report, .. } = &*tally;
    let remedies = words::advice(reason, &attempts, config, narrowing, (*timed, &report.model));
    let notes = advice::notes(&attempts, &remedies, limits);
    while let Some(number) = tally.unanswered() {
        let (name, text) = tally.asked[number].clone();
        let told = std::mem::replace(&mut now, why.clone());
        let record = Record::unanswered(name, text, OutcomeRecord::Unknown, &told);
        let (notes, remedies) = (notes.clone(), remedies.clone());
        tally.answer(number, Record { notes, remedies, ..record });
    }
    notes.iter().for_each(|note| tally.console.note(format!("note: {note}")));
    tally.conclude();
    let exit = tally.console.finish(tally.report.exit(tally.expected));
    leave(exit);
}
