//! How much processor time checking a certificate of zones takes beside the search that made it.
//!
//! `cargo run --release -p thetis-engine --example zone_certify -- [bfs|dfs] [equality|inclusion|alu]
//! [-p QUERY] MODEL...`; an order, a covering or a query counts for the models after it. Without a
//! query the whole zone graph is explored.

extern crate thetis_engine as engine;

use std::time::{SystemTime, UNIX_EPOCH};

use engine::{Answer, Config, Covering, Engine, Quiet, Search, Stop};

fn main() {
    let mut config = Config { engine: Engine::Zone, ..Config::default() };
    let mut query = None;
    println!(
        "{:28} {:>9} {:>11} {:>8} {:>8} {:>7} {:>6} {:>8}  answer",
        "model", "stored", "transitions", "seconds", "us/trans", "B/state", "ratio", "peak MB"
    );
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if let Ok(search) = argument.parse::<Search>() {
            config.search = search;
            continue;
        }
        if let Ok(covering) = argument.parse::<Covering>() {
            config.covering = covering;
            continue;
        }
        if argument == "-p" {
            query = arguments.next();
            continue;
        }
        let source = std::fs::read_to_string(&argument).expect("a readable model");
        let mut model = lang::xta::load(&source, lang::xta::Format::Xta).expect("a model without errors");
        let question = match &query {
            None => ir::Question::never(&mut model.system.terms),
            Some(text) => {
                let property = model.parse_property("question", text).expect("a query");
                model.system.question(property.claim)
            }
        };
        let stop = Stop::new();
        let start = seconds();
        let (answer, statistics) = engine::search(&model.system, &question, &config, &stop, &mut Quiet);
        let searched = seconds() - start;
        let start = seconds();
        let verdict = match &answer {
            Answer::Excluded(certificate) => {
                match certify::check_certificate(&model.system, &question, certificate, stop.flag()) {
                    Ok(()) => "all seen, accepted".to_owned(),
                    Err(rejection) => format!("all seen, REJECTED: {rejection}"),
                }
            }
            Answer::Found(run) => format!("reached in {} steps", run.steps.len()),
            Answer::Unknown(reason) => reason.to_string(),
        };
        let ratio = (seconds() - start) / searched;
        let name = argument.rsplit('/').next().unwrap_or(&argument);
        let per = |total: f64, count: u64| total / count.max(1) as f64;
        println!(
            "{name:28} {:>9} {:>11} {searched:>8.3} {:>8.3} {:>7.0} {ratio:>6.2} {:>8.0}  {verdict}",
            statistics.states,
            statistics.transitions,
            per(searched * 1e6, statistics.transitions),
            per(statistics.bytes as f64, statistics.states),
            peak_megabytes(),
        );
    }
}

/// The time this thread has had a processor, where the system says; the time of day elsewhere.
fn seconds() -> f64 {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    match times.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()) {
        Some(nanoseconds) => nanoseconds / 1e9,
        None => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64()),
    }
}

/// The most memory this process ever had, where the system says.
fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}
