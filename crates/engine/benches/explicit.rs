//! Speed and size of explicit search: `cargo bench -p engine --bench explicit -- MODEL.xsts...`.
//!
//! Searches all states of each model (or as many as the limit allows) and prints successors per second
//! and bytes per stored state.

use std::time::Instant;

use engine::{Answer, Config, Quiet, Search, Stop, explicit};

fn main() {
    for path in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        let text = std::fs::read_to_string(&path).expect("a readable model");
        let mut system = lang::xsts::load(&text).expect("a correct model").system;
        let never = system.terms.bool(false);
        for search in [Search::Bfs, Search::Dfs] {
            let config = Config { search, state_limit: Some(5_000_000), ..Config::default() };
            let start = Instant::now();
            let (answer, statistics) = explicit::search(&system, never, &config, &Stop::new(), &mut Quiet);
            let seconds = start.elapsed().as_secs_f64();
            let end = match answer {
                Answer::Reachable(run) => format!("fault after {} steps", run.steps.len()),
                Answer::Unreachable(_) => "all states".to_owned(),
                Answer::Unknown(reason) => reason.to_string(),
            };
            println!(
                "{path} {search}: {} states, {} transitions, {} plain, {seconds:.2} s, {:.0}/s, {:.1} bytes/state; {end}",
                statistics.states,
                statistics.transitions,
                statistics.plain_expansions,
                statistics.transitions as f64 / seconds,
                statistics.bytes as f64 / statistics.states as f64,
            );
        }
    }
}
