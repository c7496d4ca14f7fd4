//! Runs configurations of abstraction refinement on a list of tasks and prints what they cost.
//!
//! `cargo run --release -p engine --example cegar_matrix -- MANIFEST.csv SECONDS FILTER CONFIG…`
//!
//! A configuration is named as in document 002 §5.3.4, with `+` and an initial precision where that is
//! not the default: `PC_L_SI_BW`, `E250_F_FBI_B+PROP`. The manifest lists model, property and verdict.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Answer, Config, Domain, Engine, Prune, Quiet, Refinement, Search, Stop};
use ir::{Claim, Property};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [manifest, seconds, filter, configs @ ..] = &arguments[..] else {
        panic!("usage: MANIFEST SECONDS FILTER CONFIG…")
    };
    let seconds: f64 = seconds.parse().expect("a number of seconds");
    let base = Path::new(manifest).parent().expect("a file in a folder");
    let list = std::fs::read_to_string(manifest).expect("a readable manifest");
    for name in configs {
        let config = parse(name).unwrap_or_else(|| panic!("no configuration is called `{name}`"));
        println!(
            "{name}\n{:44} {:>8} {:>9} {:>5} {:>8} {:>7} {:>4} {:>4} {:>8} {:>8} {:>7}",
            "task",
            "expected",
            "answer",
            "iter",
            "nodes",
            "covered",
            "vars",
            "pred",
            "calls",
            "refine",
            "seconds"
        );
        let (mut solved, mut total, mut times) = (0, 0, vec![]);
        for line in list.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let [id, "xsts", model, property, "safety", expected, ..] = fields[..] else { continue };
            if !id.contains(filter.as_str()) {
                continue;
            }
            let Ok(source) = std::fs::read_to_string(base.join(model)) else { continue };
            let property =
                std::fs::read_to_string(base.join(property)).unwrap_or_else(|_| property.to_owned());
            let Ok(mut loaded) = lang::xsts::load(&source) else { continue };
            let Ok(Property { claim: claim @ Claim::Always(_), .. }) = loaded.parse_property("p", &property)
            else {
                continue;
            };
            total += 1;
            let target = loaded.system.target(claim);
            let stop = Arc::new(Stop::new());
            let (late, limit) = (stop.clone(), Duration::from_secs_f64(seconds));
            let (done, waiting) = std::sync::mpsc::channel::<()>();
            let watch = std::thread::spawn(move || {
                if waiting.recv_timeout(limit).is_err() {
                    late.request(engine::Reason::Time);
                }
            });
            let start = Instant::now();
            let (answer, statistics) = engine::search(&loaded.system, target, &config, &stop, &mut Quiet);
            let time = start.elapsed().as_secs_f64();
            let _ = done.send(());
            let _ = watch.join();
            let fresh = Stop::new();
            let word = match &answer {
                Answer::Reachable(run) => match certify::check_run(&loaded.system, target, run, fresh.flag())
                {
                    Ok(_) => "unsafe".to_owned(),
                    Err(why) => format!("REFUSED {why}"),
                },
                Answer::Unreachable(certificate) => {
                    match certify::check_certificate(&loaded.system, target, certificate, fresh.flag()) {
                        Ok(()) => "safe".to_owned(),
                        Err(why) => format!("safe? {why}"),
                    }
                }
                Answer::Unknown(reason) => format!("? {reason}"),
            };
            if word.starts_with(expected) {
                solved += 1;
                times.push(time);
            }
            let cegar = statistics.cegar.unwrap_or_default();
            println!(
                "{id:44} {expected:>8} {:>9} {:>5} {:>8} {:>7} {:>4} {:>4} {:>8} {:>8} {time:>7.2}{}",
                word.split(' ').next().unwrap_or_default(),
                cegar.iterations,
                cegar.nodes,
                cegar.covered,
                cegar.variables,
                cegar.predicates,
                cegar.solver_calls,
                cegar.refine_calls,
                if word.contains(' ') { format!("  {word}") } else { String::new() }
            );
        }
        times.sort_by(f64::total_cmp);
        let median = times.get(times.len() / 2).copied().unwrap_or_default();
        let worst = times.last().copied().unwrap_or_default();
        println!("{name}: {solved} of {total}, median {median:.2} s, worst {worst:.2} s\n");
    }
}

/// The configuration of this name.
fn parse(name: &str) -> Option<Config> {
    let (name, initial) = name.split_once('+').map_or((name, None), |(name, initial)| (name, Some(initial)));
    let (name, strategy) = name.split_once('@').map_or((name, "auto"), |(name, strategy)| (name, strategy));
    let mut config = Config { engine: Engine::Cegar, ..Config::default() };
    config.cegar.interpolation = strategy.parse().ok()?;
    config.cegar.initial_precision = initial.map(|initial| initial.parse().ok()).unwrap_or_default();
    let parts: Vec<&str> = name.split('_').collect();
    let [domain, prune, refinement, last] = parts[..] else { return None };
    let digits = domain.find(|c: char| c.is_ascii_digit()).unwrap_or(domain.len());
    config.cegar.domain = match &domain[..digits] {
        "PC" => Domain::PredCart,
        "PB" => Domain::PredBool,
        "PS" => Domain::PredSplit,
        "E" => Domain::Expl,
        "P" => Domain::ExplPredCart,
        "EPB" => Domain::ExplPredBool,
        "EPS" => Domain::ExplPredSplit,
        "EPC" => Domain::ExplPredCombined,
        _ => return None,
    };
    config.cegar.max_enum = domain[digits..].parse().ok();
    config.cegar.prune = match prune {
        "L" => Prune::Lazy,
        "F" => Prune::Full,
        _ => return None,
    };
    config.cegar.refinement = match refinement {
        "FBI" => Refinement::FwBinItp,
        "BBI" => Refinement::BwBinItp,
        "SI" => Refinement::SeqItp,
        "MS" => Refinement::MultiSeq,
        "UC" => Refinement::UnsatCore,
        other => other.replace('-', "_").parse().ok()?,
    };
    let mut letters = last.chars();
    config.search = match letters.next()? {
        'B' => Search::Bfs,
        'D' => Search::Dfs,
        'P' => Search::Priority,
        _ => return None,
    };
    config.cegar.predicate_split = match letters.next() {
        None => None,
        Some('W') => Some(engine::PredicateSplit::Whole),
        Some('C') => Some(engine::PredicateSplit::Conjuncts),
        Some('A') => Some(engine::PredicateSplit::Atoms),
        Some(_) => return None,
    };
    Some(config)
}
