//! What solver calls and interpolants cost: `cargo run --release -p smt --example bench_smt [TRACES]`.

#[path = "../testing/traces.rs"]
mod traces;

use std::time::{Duration, Instant};

use smt::z3::Z3Solver;
use smt::{Interpolation, Interpolator, NoInterpolants, Strategy, Trace, verify};

fn main() {
    let count: u64 = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(70);
    println!("{}", smt::z3::library_info().expect("a library"));
    println!(
        "\n{:<14} {:<12} {:>9} {:>9} {:>9} {:>9}",
        "strategy", "family", "valid", "median", "90 %", "max"
    );
    let strategies: Vec<Strategy> = match std::env::args().nth(2) {
        Some(name) => vec![name.parse().expect("a strategy")],
        None => std::iter::once(Strategy::Auto).chain(Strategy::BUILT_IN).collect(),
    };
    for strategy in strategies {
        let mut all = Table::default();
        for family in traces::FAMILIES {
            let seeds = if strategy == Strategy::Auto { count } else { (count / 5).max(4) };
            let table = run(&strategy, family, seeds);
            table.print(&strategy, family);
            all.merge(table);
        }
        all.print(&strategy, "all");
    }
}

#[derive(Default)]
struct Table {
    times: Vec<Duration>,
    wrong: usize,
    failed: usize,
    by: std::collections::BTreeMap<String, usize>,
}

impl Table {
    fn merge(&mut self, other: Table) {
        self.times.extend(other.times);
        self.wrong += other.wrong;
        self.failed += other.failed;
        for (by, count) in other.by {
            *self.by.entry(by).or_default() += count;
        }
    }
    fn print(&self, strategy: &Strategy, family: &str) {
        let mut times = self.times.clone();
        times.sort();
        let at = |share: f64| match times.len() {
            0 => "-".to_owned(),
            count => {
                let time = times[((count - 1) as f64 * share) as usize];
                format!("{:.2}", time.as_secs_f64() * 1000.0)
            }
        };
        let valid = format!("{}/{}", times.len() - self.wrong, times.len() + self.failed);
        print!(
            "{:<14} {family:<12} {valid:>9} {:>9} {:>9} {:>9}",
            strategy.to_string(),
            at(0.5),
            at(0.9),
            at(1.0)
        );
        println!("  {}", self.by.iter().map(|(by, n)| format!("{by} {n}")).collect::<Vec<_>>().join(", "));
    }
}

fn run(strategy: &Strategy, family: &str, count: u64) -> Table {
    let mut table = Table::default();
    for seed in 0..count {
        let (mut terms, stmts) = traces::trace(family, seed);
        let trace = Trace::of(&mut terms, &stmts).expect("a formula");
        let solver = Z3Solver::new().expect("a solver");
        let mut interpolation = Interpolation::new(&solver, strategy.clone()).expect("an interpolator");
        let started = Instant::now();
        let result = interpolation.sequence(&mut terms, &trace);
        let time = started.elapsed();
        match result {
            Ok(found) => {
                table.times.push(time);
                *table.by.entry(found.by.to_string()).or_default() += 1;
                if let Err(flaw) = verify(&solver, &mut terms, &trace, &found.sequence) {
                    println!("{family} {seed}: {flaw}");
                    table.wrong += 1;
                }
            }
            Err(NoInterpolants::Feasible) => {}
            Err(reason) => {
                if *strategy == Strategy::Auto {
                    println!("{family} {seed}: {reason}");
                }
                table.failed += 1;
            }
        }
    }
    table
}
