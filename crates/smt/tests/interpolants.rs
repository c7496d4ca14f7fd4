//! Every strategy on random and on recorded infeasible traces; every sequence is verified.

extern crate thetis_smt as smt;

#[path = "../testing/recorded.rs"]
mod recorded;
#[path = "../testing/traces.rs"]
mod traces;

use ir::{Int, Steps, Terms, VarId};
use smt::z3::Z3Solver;
use smt::{
    Answer, Direction, Interpolation, Interpolator, Newton, NoInterpolants, Solver, Strategy, Trace,
    verify_over,
};

/// How many traces; `TRACES` asks for more of them, from other seeds too if `TRACES_SEED` is set.
fn count(usual: u64) -> u64 {
    number("TRACES").unwrap_or(usual)
}

fn first_seed() -> u64 {
    number("TRACES_SEED").unwrap_or(0)
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")))
}

/// What came of a trace.
#[derive(PartialEq, Eq, Debug)]
enum Outcome {
    Found,
    Failed,
    Feasible,
}

fn check(
    name: &str,
    strategy: &Strategy,
    (terms, trace): (&mut Terms, &Trace),
    ranges: &[(VarId, (Int, Int))],
) -> Outcome {
    let solver = Z3Solver::new().unwrap();
    let mut interpolation = Interpolation::new(&solver, strategy.clone()).unwrap();
    for (var, range) in ranges {
        interpolation.declare(*var, Some(range.clone()));
    }
    match interpolation.sequence(terms, trace) {
        Ok(interpolants) => {
            verify_over(&solver, terms, trace, &interpolants.sequence, interpolants.by.vocabulary())
                .unwrap_or_else(|flaw| panic!("{name} by {}: {flaw}", interpolants.by));
            Outcome::Found
        }
        Err(NoInterpolants::Feasible) => {
            let mut plain = Z3Solver::new().unwrap();
            for (var, range) in ranges {
                plain.declare(*var, Some(range.clone()));
            }
            for part in trace.parts() {
                plain.assert(terms, part.formula, &Steps::start()).unwrap();
            }
            assert_eq!(plain.check(&[]), Ok(Answer::Sat), "{name} by {strategy}");
            Outcome::Feasible
        }
        Err(NoInterpolants::Failed(attempts)) => {
            assert!(*strategy != Strategy::Auto, "{name}: {attempts:?}");
            Outcome::Failed
        }
        Err(NoInterpolants::Interrupt(interrupt)) => panic!("{name}: {interrupt}"),
    }
}

/// How many traces of a family were explained, and of how many infeasible ones.
fn check_family(strategy: &Strategy, family: &str, seeds: std::ops::Range<u64>) -> (usize, usize) {
    let (mut found, mut all) = (0, 0);
    for seed in seeds {
        let (mut terms, stmts) = traces::trace(family, seed);
        let trace = Trace::of(&mut terms, &stmts).expect("no loops and no delays");
        let outcome = check(&format!("{family} {seed}"), strategy, (&mut terms, &trace), &[]);
        found += usize::from(outcome == Outcome::Found);
        all += usize::from(outcome != Outcome::Feasible);
    }
    (found, all)
}

/// At least `TRACES` infeasible ones together, each of them explained.
#[test]
fn auto_always_answers() {
    let each = count(120).div_ceil(traces::FAMILIES.len() as u64);
    for family in traces::FAMILIES {
        // Few are feasible, which is not known before.
        let (mut found, mut seed) = (0, first_seed());
        while found < each as usize {
            found += check_family(&Strategy::Auto, family, seed..seed + 1).0;
            seed += 1;
            assert!(seed < first_seed() + 4 * each, "{family} has infeasible traces");
        }
        println!("{family}: {found} explained");
    }
}

/// How many per cent of the traces a strategy explains at least.
fn share(strategy: &Strategy) -> usize {
    match strategy {
        // Whole statements with many branches are too much for formulas without a solver.
        Strategy::Newton(Newton { direction: Direction::Forwards, core: false, .. }) => 25,
        Strategy::Atoms => 25,
        Strategy::NewtonWp | Strategy::Newton(Newton { direction: Direction::Backwards, .. }) => 60,
        _ => 80,
    }
}

#[test]
fn each_strategy_is_right_when_it_answers() {
    // Some strategies take seconds where they are not the right one.
    let (start, each) = (first_seed() + 1000, (count(120) / 40).min(20));
    for strategy in Strategy::BUILT_IN.into_iter().chain(Newton::ALL.map(Strategy::Newton)) {
        let (mut found, mut all) = (0, 0);
        for family in traces::FAMILIES {
            let (one, of) = check_family(&strategy, family, start..start + each);
            println!("{strategy} on {family}: {one} of {of}");
            (found, all) = (found + one, all + of);
        }
        assert!(found * 100 >= all * share(&strategy), "{strategy} explains {found} of {all}");
    }
}

#[test]
fn traces_recorded_from_models_are_explained() {
    let sources = recorded::sources();
    assert!(sources.len() > 100, "the cases of the project are there");
    let mut found = 0;
    let rounds = count(100).div_ceil(100).min(20);
    for round in 0..rounds {
        for source in &sources {
            let seed = first_seed() + round;
            let Some(recorded) = recorded::record(source, seed) else { continue };
            let recorded::Recorded { mut terms, ranges, stmts } = recorded;
            let trace = Trace::of(&mut terms, &stmts).expect("a formula was there while recording");
            let name = format!("{} {seed}", source.name);
            let outcome = check(&name, &Strategy::Auto, (&mut terms, &trace), &ranges);
            assert_eq!(outcome, Outcome::Found, "{name} is infeasible");
            found += 1;
        }
    }
    assert!(found > 30 * rounds, "{found} traces were recorded");
    println!("recorded: {found} explained");
}
