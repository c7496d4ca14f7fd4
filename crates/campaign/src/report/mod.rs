//! The report of a campaign: one HTML file that needs nothing else, comma-separated values, and plots as SVG.
//!
//! The file has the numbers as JSON, and a script of our own that shows them: tables that are sorted and filtered, a heat
//! map, quantile and scatter plots. Nothing is loaded from anywhere.

pub mod svg;
pub mod table;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use crate::id::Id;
use crate::machine::Machine;
use crate::plan::Plan;
use crate::record::{Record, Status};
use crate::statistics::{self, Disagreement, Effect, Statistics, Summary};

/// What the script is given.
#[derive(Serialize)]
struct Data<'a> {
    name: &'a str,
    about: &'a str,
    program: &'a str,
    build: &'a str,
    limits: &'a crate::plan::Limits,
    repetitions: u32,
    done: usize,
    jobs: usize,
    failed: usize,
    missing: &'a [String],
    /// How many results each machine gave.
    hosts: BTreeMap<&'a str, usize>,
    machines: &'a [Machine],
    began: [u64; 2],
    statuses: Vec<&'static str>,
    /// How many of these, the first ones, are answers.
    answers: usize,
    configurations: Vec<Configuration<'a>>,
    questions: Vec<Question<'a>>,
    summaries: &'a [Summary],
    virtual_best: &'a Summary,
    effects: Vec<Effect>,
    disagreements: &'a [Disagreement],
    cells: Cells<'a>,
}

#[derive(Serialize)]
struct Configuration<'a> {
    name: &'a str,
    options: String,
}

#[derive(Serialize)]
struct Question<'a> {
    name: &'a str,
    set: &'a str,
    expected: Option<crate::tasks::Expected>,
}

/// Cells, column by column: question by question, for each all configurations; what has no result has no status.
#[derive(Default, Serialize)]
struct Cells<'a> {
    status: Vec<Option<usize>>,
    cpu: Vec<f64>,
    spread: Vec<f64>,
    wall: Vec<f64>,
    memory: Vec<f64>,
    stored: Vec<f64>,
    wrong: Vec<u8>,
    code: Vec<usize>,
    codes: Vec<&'a str>,
}

/// The report as a file.
pub fn html(
    plan: &Plan,
    results: &HashMap<Id, Record>,
    statistics: &Statistics,
    machines: &[Machine],
) -> String {
    let data = serde_json::to_string(&data(plan, results, statistics, machines)).unwrap_or_default();
    // Within a script, a text must not look like its end.
    let data = data.replace('<', "\\u003c");
    include_str!("page.html")
        .replace("/*style*/", include_str!("page.css"))
        .replace("/*title*/", &escaped(&plan.name))
        .replace("/*script*/", include_str!("page.js"))
        .replace("/*data*/", &data)
}

/// A text within HTML or XML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn data<'a>(
    plan: &'a Plan,
    results: &'a HashMap<Id, Record>,
    statistics: &'a Statistics,
    machines: &'a [Machine],
) -> Data<'a> {
    let mut hosts = BTreeMap::new();
    results.values().for_each(|record| *hosts.entry(record.host.as_str()).or_default() += 1);
    let began = results.values().map(|record| record.began);
    let configurations = plan.configurations.iter();
    let questions = plan.questions.iter();
    Data {
        name: &plan.name,
        about: &plan.about,
        program: &plan.program,
        build: plan.build.as_str(),
        limits: &plan.limits,
        repetitions: plan.repetitions(),
        done: statistics.done,
        jobs: statistics.jobs,
        failed: statistics.failed,
        missing: &plan.missing,
        hosts,
        machines,
        began: [began.clone().min().unwrap_or(0), began.max().unwrap_or(0)],
        statuses: Status::ALL.iter().map(|status| status.word()).collect(),
        answers: Status::ALL.iter().take_while(|status| status.is_solved()).count(),
        configurations: configurations
            .map(|it| Configuration { name: &it.name, options: it.options.to_string() })
            .collect(),
        questions: questions
            .map(|it| Question { name: &it.name, set: &it.set, expected: it.expected })
            .collect(),
        summaries: &statistics.summaries,
        virtual_best: &statistics.virtual_best,
        effects: statistics::effects(plan, statistics),
        disagreements: &statistics.disagreements,
        cells: cells(plan, statistics),
    }
}

fn cells<'a>(plan: &Plan, statistics: &'a Statistics) -> Cells<'a> {
    let short = |number: f64| (number * 1e4).round() / 1e4;
    let all = || {
        let pairs =
            (0..plan.questions.len()).flat_map(|at| (0..plan.configurations.len()).map(move |it| (at, it)));
        pairs.map(|(question, configuration)| statistics.cell(question, configuration))
    };
    let codes: BTreeSet<&str> = all().flatten().filter_map(|cell| cell.code.as_deref()).collect();
    let mut cells = Cells { codes: codes.into_iter().collect(), ..Cells::default() };
    for cell in all() {
        let number = |status: Status| Status::ALL.iter().position(|known| *known == status);
        cells.status.push(cell.and_then(|cell| number(cell.status)));
        cells.cpu.push(short(cell.map_or(0.0, |cell| cell.cpu[0])));
        cells.spread.push(short(cell.map_or(0.0, |cell| cell.cpu[2] - cell.cpu[1])));
        cells.wall.push(short(cell.map_or(0.0, |cell| cell.wall)));
        cells.memory.push(short(cell.map_or(0.0, |cell| cell.memory as f64 / 1e6)));
        cells.stored.push(cell.map_or(0.0, |cell| cell.stored));
        cells.wrong.push(u8::from(cell.is_some_and(|cell| cell.wrong)));
        let code = cell.and_then(|cell| cells.codes.binary_search(&cell.code.as_deref()?).ok());
        cells.code.push(code.map_or(0, |code| code + 1));
    }
    cells
}
