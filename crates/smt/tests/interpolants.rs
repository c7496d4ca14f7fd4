//! Every strategy on random infeasible traces; every sequence is verified.

#[path = "../testing/traces.rs"]
mod traces;

use smt::z3::Z3Solver;
use smt::{Interpolation, Interpolator, NoInterpolants, Strategy, Trace, verify};

/// How many traces of each family; `TRACES` asks for more.
fn count() -> u64 {
    std::env::var("TRACES").ok().and_then(|count| count.parse().ok()).unwrap_or(24)
}

fn check(strategy: &Strategy, family: &str, seeds: std::ops::Range<u64>) -> (usize, usize) {
    let (mut found, mut failed) = (0, 0);
    for seed in seeds {
        let (mut terms, stmts) = traces::trace(family, seed);
        let trace = Trace::of(&mut terms, &stmts).expect("no loops and no delays");
        let solver = Z3Solver::new().unwrap();
        let mut interpolation = Interpolation::new(&solver, strategy.clone()).unwrap();
        match interpolation.sequence(&mut terms, &trace) {
            Ok(interpolants) => {
                verify(&solver, &mut terms, &trace, &interpolants.sequence)
                    .unwrap_or_else(|flaw| panic!("{family} {seed} by {}: {flaw}", interpolants.by));
                found += 1;
            }
            Err(NoInterpolants::Feasible) => {}
            Err(NoInterpolants::Failed(attempts)) => {
                assert!(*strategy != Strategy::Auto, "{family} {seed}: {attempts:?}");
                failed += 1;
            }
            Err(NoInterpolants::Interrupt(interrupt)) => panic!("{family} {seed}: {interrupt}"),
        }
    }
    (found, failed)
}

#[test]
fn auto_always_answers() {
    for family in traces::FAMILIES {
        let (found, _) = check(&Strategy::Auto, family, 0..count());
        assert!(found > 0, "{family} has infeasible traces");
    }
}

#[test]
fn each_strategy_is_right_when_it_answers() {
    for strategy in Strategy::BUILT_IN {
        let mut all = 0;
        for family in traces::FAMILIES {
            all += check(&strategy, family, 1000..1000 + count() / 6).0;
        }
        assert!(all > 0, "{strategy} answers sometimes");
    }
}
