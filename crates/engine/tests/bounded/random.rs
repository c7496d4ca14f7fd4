//! Random models: what bounded search and induction say must be what exhaustive search says.
//!
//! `PROPTEST_CASES` sets the number of models.

use std::cell::RefCell;

use engine::{Config, Engine, Reason, Stop};
use lang::xsts::{self, arbitrary, ast};
use proptest::test_runner::Config as Runs;

use crate::{Said, ask};

/// States that exhaustive search may store.
const STATES: u64 = 2_000;
/// Steps that are looked at.
const BOUND: u32 = 12;

/// What the searches said.
#[derive(Debug, Default)]
struct Seen {
    reached: usize,
    /// No run is longer than what was looked at.
    exhausted: usize,
    induction: usize,
    open: usize,
    skipped: usize,
}

#[test]
fn random_models_get_the_answer_of_exhaustive_search() {
    let given = sampling::runs(300, 2_003);
    // Each case is many questions to a solver.
    let cases = given.cases.min(10_000);
    let runs = Runs { cases, max_shrink_iters: 2_000, ..given };
    let seen = RefCell::new(Seen::default());
    sampling::check(runs, &arbitrary::model(), xsts::print, |model| agree(&model, &mut seen.borrow_mut()));
    let seen = seen.into_inner();
    eprintln!("{cases} random models: {seen:?}");
    if cases < 100 {
        return;
    }
    let few = cases as usize / 20;
    assert!(seen.reached > few && seen.induction > few, "the models are not varied enough: {seen:?}");
    assert!(seen.open < cases as usize && seen.skipped < 2 * few, "too few are decided: {seen:?}");
}

fn agree(model: &ast::Model, seen: &mut Seen) -> Result<(), String> {
    let text = xsts::print(model);
    let (system, question) = crate::load(&text);
    let plain = Config { engine: Engine::Explicit, state_limit: Some(STATES), ..Config::default() };
    let expected = ask(&system, &question, &plain, &Stop::new())?.0;
    if matches!(expected, Said::Unknown(_)) {
        seen.skipped += 1;
        return Ok(());
    }
    for engine in [Engine::Bmc, Engine::Kind] {
        let config = Config { engine, bound: Some(BOUND), ..Config::default() };
        let said =
            ask(&system, &question, &config, &Stop::new()).map_err(|why| format!("{engine}: {why}"))?.0;
        match (&said, &expected) {
            // As short as any.
            (Said::Reached(steps), Said::Reached(least)) if steps == least => seen.reached += 1,
            (Said::Never(Some((_, ir::Argument::Exhaustion))), Said::Never(_)) => seen.exhausted += 1,
            (Said::Never(_), Said::Never(_)) => seen.induction += 1,
            (Said::Unknown(Reason::Bound(_)), Said::Never(_)) => seen.open += 1,
            (Said::Unknown(Reason::Bound(_)), Said::Reached(least)) if *least > BOUND as usize => {
                seen.open += 1
            }
            _ => return Err(format!("{engine}: {said:?}, but exhaustive search says {expected:?}")),
        }
    }
    Ok(())
}
