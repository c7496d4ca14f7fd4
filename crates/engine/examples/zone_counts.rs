//! Explores the zone graphs of UPPAAL models and prints what they cost.
//!
//! `cargo run --release -p thetis-engine --example zone_counts -- [bfs|dfs|priority] [inclusion|equality|alu] MODEL.xta…`

extern crate thetis_engine as engine;

use std::time::Instant;

use engine::{Answer, Config, Covering, Engine, Quiet, Search, Stop};

fn main() {
    let mut config = Config { engine: Engine::Zone, ..Config::default() };
    println!(
        "{:28} {:>9} {:>9} {:>11} {:>8} {:>8} {:>7}  answer",
        "model", "visited", "stored", "transitions", "seconds", "us/trans", "B/state"
    );
    for argument in std::env::args().skip(1) {
        if let Ok(search) = argument.parse::<Search>() {
            config.search = search;
            continue;
        }
        if let Ok(covering) = argument.parse::<Covering>() {
            config.covering = covering;
            continue;
        }
        let source = std::fs::read_to_string(&argument).expect("a readable model");
        let mut model = match lang::xta::load(&source, lang::xta::Format::Xta) {
            Ok(model) => model,
            Err(errors) => {
                println!("{argument}: {}", errors[0].message);
                continue;
            }
        };
        let never = ir::Question::never(&mut model.system.terms);
        let start = Instant::now();
        let (answer, statistics) = engine::search(&model.system, &never, &config, &Stop::new(), &mut Quiet);
        let seconds = start.elapsed().as_secs_f64();
        let name = argument.rsplit('/').next().unwrap_or(&argument);
        let per = |total: f64, count: u64| total / count.max(1) as f64;
        println!(
            "{name:28} {:>9} {:>9} {:>11} {seconds:>8.3} {:>8.3} {:>7.0}  {}",
            statistics.expanded,
            statistics.states,
            statistics.transitions,
            per(seconds * 1e6, statistics.transitions),
            per(statistics.bytes as f64, statistics.states),
            match answer {
                Answer::Found(_) => "reached".to_owned(),
                Answer::Excluded(_) => "all seen".to_owned(),
                Answer::Unknown(reason) => reason.to_string(),
            }
        );
    }
}
