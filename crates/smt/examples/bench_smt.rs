//! What solver calls and interpolants cost: `cargo run --release -p smt --example bench_smt [TRACES]`.

#[path = "../testing/traces.rs"]
mod traces;

use std::time::Duration;

use ir::{Steps, Term, Terms, Type};
use smt::z3::Z3Solver;
use smt::{Answer, Interpolation, Interpolator, NoInterpolants, Solver, Strategy, Trace, verify};

fn main() {
    let count: u64 = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(70);
    println!("{}", smt::z3::library_info().expect("a library"));
    calls();
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

/// The time this thread has been running, so that a busy machine does not disturb.
fn cpu() -> Duration {
    cpu_time::ThreadTime::now().as_duration()
}

/// The mean cost of one call, in microseconds.
fn calls() {
    println!("\n{:<44} {:>9}", "call", "µs");
    let print = |name: &str, rounds: u32, run: &mut dyn FnMut()| {
        run();
        let started = cpu();
        for _ in 0..rounds {
            run();
        }
        println!("{name:<44} {:>9.1}", (cpu() - started).as_secs_f64() * 1e6 / f64::from(rounds));
    };
    let now = Steps::start();
    let mut terms = Terms::new();
    let vars: Vec<_> = (0..12).map(|_| terms.declare(Type::Int)).collect();
    let mut solver = Z3Solver::new().expect("a solver");
    // Each variable is one more than the one before, and so is its next value.
    let mut lits = vec![];
    let (mut stmts, one) = (vec![], terms.int(1));
    for pair in vars.windows(2) {
        let a = terms.var(pair[0]);
        let sum = terms.add([a, one]);
        stmts.push(terms.assign(pair[1], sum));
    }
    let stmt = terms.seq(stmts);
    let mut next = Steps::start();
    let formula = ir::unfold(&mut terms, stmt, &mut next).expect("a formula");
    solver.assert(&terms, formula, &now).expect("asserted");
    for (at, var) in vars.iter().enumerate() {
        let (var, bound) = (terms.var(*var), terms.int(at as i64));
        let low = terms.le(bound, var);
        lits.push((
            solver.lit(&terms, low, &now).expect("a literal"),
            solver.lit(&terms, low, &next).expect("one"),
        ));
    }
    // v0 >= 0 now implies v1 >= 1 afterwards.
    let unsat = [lits[0].0, !lits[1].1, lits[5].0];
    let sat = [lits[0].0, lits[1].1, lits[5].0];
    assert_eq!(solver.check(&unsat), Ok(Answer::Unsat));
    assert_eq!(solver.check(&sat), Ok(Answer::Sat));
    print("check with 3 assumptions, unsat", 20_000, &mut || drop(solver.check(&unsat)));
    print("the same with its core", 20_000, &mut || {
        let _ = solver.check(&unsat);
        drop(solver.core());
    });
    print("check with 3 assumptions, sat", 20_000, &mut || drop(solver.check(&sat)));
    print("the same with one truth value", 5_000, &mut || {
        let _ = solver.check(&sat);
        drop(solver.truth(lits[3].0));
    });
    let (x, y) = (terms.var(vars[0]), terms.var(vars[1]));
    print("model with two values", 5_000, &mut || {
        let _ = solver.check(&sat);
        drop((solver.value(&terms, x, &now), solver.value(&terms, y, &now)));
    });
    let mut turn = 0;
    print("implication between 12 predicates, assumed", 10_000, &mut || {
        turn = (turn + 1) % 11;
        let assumptions: Vec<_> = lits.iter().map(|(now, _)| *now).chain([!lits[turn + 1].1]).collect();
        let _ = solver.check(&assumptions);
    });
    let truth: Vec<Term> = (0..12)
        .map(|at| {
            let (var, bound) = (terms.var(vars[at]), terms.int(at as i64));
            terms.le(bound, var)
        })
        .collect();
    print("implication between 12 predicates, pushed", 2_000, &mut || {
        turn = (turn + 1) % 11;
        let _ = solver.push();
        for term in &truth {
            let _ = solver.assert(&terms, *term, &now);
        }
        let goal = terms.not(truth[turn + 1]);
        let _ = solver.assert(&terms, goal, &next);
        let _ = solver.check(&[]);
        let _ = solver.pop();
    });
    print("a sibling solver, asserted and checked", 300, &mut || {
        let mut sibling = solver.sibling().expect("a sibling");
        let _ = sibling.assert(&terms, formula, &now);
        let _ = sibling.check(&[]);
    });
    print("a new solver, asserted and checked", 100, &mut || {
        let mut new = Z3Solver::new().expect("a solver");
        let _ = new.assert(&terms, formula, &now);
        let _ = new.check(&[]);
    });
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
        let started = cpu();
        let result = interpolation.sequence(&mut terms, &trace);
        let time = cpu() - started;
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
