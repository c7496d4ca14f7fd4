//! What solver calls and interpolants cost, against what was recorded and aimed at:
//! `cargo xtask bench smt`, or `cargo run --release -p thetis-smt --example bench_smt -- [TRACES [STRATEGY]]`.
//!
//! Times are those of the thread that works, so that a busy machine disturbs little; the call over a
//! pipe is wall time, because another process works for it.

extern crate thetis_smt as smt;

#[path = "../testing/recorded.rs"]
mod recorded;
#[path = "../testing/traces.rs"]
mod traces;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ir::{Int, Steps, Stmt, Term, Terms, Type, VarId};
use smt::smtlib::SmtlibSolver;
use smt::z3::Z3Solver;
use smt::{Answer, Interpolation, Interpolator, NoInterpolants, Solver, Strategy, Trace, verify};

/// A call should cost at most so many times what was recorded.
const FACTOR: f64 = 1.5;
/// Half of the traces should take less, in milliseconds.
const MEDIAN: f64 = 5.0;
/// Nine of ten traces should take less, in milliseconds.
const NINETY: f64 = 50.0;

fn main() {
    let (count, strategies) = arguments().unwrap_or_else(|message| {
        eprintln!("{message}; expected [TRACES [STRATEGY]]");
        std::process::exit(2);
    });
    println!("{}", smt::z3::library_info().expect("a library"));
    calls();

    println!("\ninterpolants, in ms; the aim is a median below {MEDIAN} and 90 % below {NINETY}, all valid");
    println!(
        "{:<14} {:<12} {:>6} {:>8} {:>5} {:>8} {:>8} {:>8}",
        "strategy", "family", "traces", "invalid", "lost", "median", "90 %", "max"
    );
    for strategy in strategies {
        let auto = strategy == Strategy::Auto;
        let seeds = if auto { count } else { (count / 5).max(4) };
        let (mut all, mut misses) = (Table::default(), vec![]);
        let families = traces::FAMILIES.into_iter().chain(["recorded"]);
        for family in families {
            eprintln!("  {strategy} on {family} ...");
            let mut table = Table::default();
            if family == "recorded" {
                recorded_family(&strategy, seeds, &mut table);
            } else {
                for seed in 0..seeds {
                    let (mut terms, stmts) = traces::trace(family, seed);
                    table.run(&strategy, &format!("{family} {seed}"), &mut terms, &stmts, &[]);
                }
            }
            table.print(&strategy, family);
            if auto {
                misses.extend(table.miss(family));
            }
            all.merge(table);
        }
        all.print(&strategy, "all");
        if auto {
            misses.extend(all.miss("all"));
            if misses.is_empty() {
                misses.push("every family meets the aim".to_owned());
            }
            println!("\n{}\n", misses.join("\n"));
        }
    }
}

/// How many traces of each family, and by which strategies.
fn arguments() -> Result<(u64, Vec<Strategy>), String> {
    let mut arguments = std::env::args().skip(1);
    let count = match arguments.next() {
        None => 70,
        Some(text) => {
            let count = text.parse().ok().filter(|count| *count > 0);
            count.ok_or_else(|| format!("`{text}` is no number of traces"))?
        }
    };
    let strategies = match arguments.next() {
        Some(name) => vec![name.parse::<Strategy>().map_err(|error| error.to_string())?],
        None => std::iter::once(Strategy::Auto).chain(Strategy::BUILT_IN).collect(),
    };
    match arguments.next() {
        None => Ok((count, strategies)),
        Some(other) => Err(format!("unexpected argument `{other}`")),
    }
}

/// Traces along paths of models, as many as asked for.
fn recorded_family(strategy: &Strategy, count: u64, table: &mut Table) {
    let sources = recorded::sources();
    let mut seed = 0;
    while table.count() < count as usize && seed < 20 {
        for source in &sources {
            // Few models at a time, so that all kinds of models come, and the larger ones more often.
            if table.count() >= count as usize {
                break;
            }
            if let Some(mut recorded) = recorded::record(source, seed) {
                let name = format!("{} {seed}", source.name);
                table.run(strategy, &name, &mut recorded.terms, &recorded.stmts, &recorded.ranges);
            }
        }
        seed += 1;
    }
}

/// The time this thread has been running.
fn cpu() -> Duration {
    cpu_time::ThreadTime::now().as_duration()
}

/// The mean cost of one call, in microseconds, beside what was recorded for it if anything was.
fn calls() {
    println!("\n{:<44} {:>9} {:>9} {:>6}", "call, in µs", "measured", "recorded", "ratio");
    let show = |name: &str, recorded: Option<f64>, measured: f64| match recorded {
        Some(recorded) => {
            let ratio = measured / recorded;
            let verdict = if ratio > FACTOR { format!("  above {FACTOR}") } else { String::new() };
            println!("{name:<44} {measured:>9.1} {recorded:>9.1} {ratio:>6.2}{verdict}");
        }
        None => println!("{name:<44} {measured:>9.1}"),
    };
    let print = |name: &str, recorded: Option<f64>, rounds: u32, run: &mut dyn FnMut()| {
        run();
        // The best of five: noise only adds.
        let mean = || {
            let started = cpu();
            (0..rounds / 5).for_each(|_| run());
            (cpu() - started).as_secs_f64() * 1e6 / f64::from(rounds / 5)
        };
        let best = std::iter::repeat_with(mean).take(5).fold(f64::INFINITY, f64::min);
        show(name, recorded, best);
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
    print("check with 3 assumptions, unsat", Some(5.0), 20_000, &mut || drop(solver.check(&unsat)));
    print("the same with its core", None, 20_000, &mut || {
        let _ = solver.check(&unsat);
        drop(solver.core());
    });
    print("check with 3 assumptions, sat", Some(13.0), 20_000, &mut || drop(solver.check(&sat)));
    print("the same with one truth value", None, 5_000, &mut || {
        let _ = solver.check(&sat);
        drop(solver.truth(lits[3].0));
    });
    let (x, y) = (terms.var(vars[0]), terms.var(vars[1]));
    print("model with two values", Some(72.0), 5_000, &mut || {
        let _ = solver.check(&sat);
        drop((solver.value(&terms, x, &now), solver.value(&terms, y, &now)));
    });
    let mut turn = 0;
    print("implication between 12 predicates, assumed", Some(28.0), 10_000, &mut || {
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
    print("implication between 12 predicates, pushed", Some(120.0), 2_000, &mut || {
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
    print("a sibling solver, asserted and checked", None, 300, &mut || {
        let mut sibling = solver.sibling().expect("a sibling");
        let _ = sibling.assert(&terms, formula, &now);
        let _ = sibling.check(&[]);
    });
    print("a new solver, asserted and checked", Some(1040.0), 100, &mut || {
        let mut new = Z3Solver::new().expect("a solver");
        let _ = new.assert(&terms, formula, &now);
        let _ = new.check(&[]);
    });
    if let Some(program) = &smt::z3::library_info().expect("a library").program {
        let command = format!("{} -in", program.display());
        let mut other = SmtlibSolver::start(&command).expect("a process");
        let lits = [x, y].map(|term| {
            let zero = terms.int(0);
            let above = terms.lt(zero, term);
            other.lit(&terms, above, &now).expect("a literal")
        });
        assert_eq!(other.check(&lits), Ok(Answer::Sat));
        let rounds = 2_000;
        let started = Instant::now();
        for _ in 0..rounds {
            let _ = other.check(&lits);
        }
        show("check over a pipe", Some(100.0), started.elapsed().as_secs_f64() * 1e6 / f64::from(rounds));
    }
}

/// What became of the traces of one family.
#[derive(Default)]
struct Table {
    times: Vec<(Duration, String)>,
    invalid: usize,
    lost: usize,
    by: BTreeMap<String, usize>,
}

impl Table {
    fn count(&self) -> usize {
        self.times.len() + self.lost
    }
    fn merge(&mut self, other: Table) {
        self.times.extend(other.times);
        self.invalid += other.invalid;
        self.lost += other.lost;
        for (by, count) in other.by {
            *self.by.entry(by).or_default() += count;
        }
    }
    /// The time, in milliseconds, that this share of the traces does not exceed.
    fn quantile(&self, share: f64) -> f64 {
        let mut times: Vec<Duration> = self.times.iter().map(|(time, _)| *time).collect();
        times.sort();
        let at = (times.len().saturating_sub(1) as f64 * share).round() as usize;
        times.get(at).map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
    }
    fn print(&self, strategy: &Strategy, family: &str) {
        let by: Vec<String> = self.by.iter().map(|(by, count)| format!("{by} {count}")).collect();
        println!(
            "{:<14} {family:<12} {:>6} {:>8} {:>5} {:>8.2} {:>8.2} {:>8.2}  {}",
            strategy.to_string(),
            self.count(),
            self.invalid,
            self.lost,
            self.quantile(0.5),
            self.quantile(0.9),
            self.quantile(1.0),
            by.join(", ")
        );
    }
    /// How the aim is missed and by which traces, if it is.
    fn miss(&self, family: &str) -> Option<String> {
        let (median, ninety) = (self.quantile(0.5), self.quantile(0.9));
        if median < MEDIAN && ninety < NINETY && self.invalid + self.lost == 0 {
            return None;
        }
        let mut slowest: Vec<&(Duration, String)> = self.times.iter().collect();
        slowest.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
        let slowest: Vec<String> = slowest
            .iter()
            .take(3)
            .map(|(time, how)| format!("{:.0} ms: {how}", time.as_secs_f64() * 1000.0))
            .collect();
        let slowest = slowest.join("\n  ");
        Some(format!("{family} misses the aim (median {median:.2}, 90 % {ninety:.2}); slowest:\n  {slowest}"))
    }
    fn run(
        &mut self,
        strategy: &Strategy,
        name: &str,
        terms: &mut Terms,
        stmts: &[Stmt],
        ranges: &[(VarId, (Int, Int))],
    ) {
        let trace = Trace::of(terms, stmts).expect("a formula");
        let solver = Z3Solver::new().expect("a solver");
        let mut interpolation = Interpolation::new(&solver, strategy.clone()).expect("an interpolator");
        for (var, range) in ranges {
            interpolation.declare(*var, Some(range.clone()));
        }
        let started = cpu();
        let result = interpolation.sequence(terms, &trace);
        let time = cpu() - started;
        match result {
            Ok(found) => {
                let mut how = format!("{name}, {} parts, {}", stmts.len(), found.by);
                for attempt in &found.failed {
                    how += &format!("; before, {}: {}", attempt.strategy, attempt.reason);
                }
                self.times.push((time, how));
                *self.by.entry(found.by.to_string()).or_default() += 1;
                if let Err(flaw) = verify(&solver, terms, &trace, &found.sequence) {
                    println!("{name}: {flaw}");
                    self.invalid += 1;
                }
            }
            Err(NoInterpolants::Feasible) => {}
            Err(reason) => {
                if *strategy == Strategy::Auto {
                    println!("{name}: {reason}");
                }
                self.lost += 1;
            }
        }
    }
}
