//! The product against a naive reading of the same text, on random models.
//!
//! Verdicts, shortest lengths and the very sets of reachable states must agree, breadth first and
//! depth first, with all evidence certified. `PROPTEST_CASES` sets the number of models.

mod common;

use std::cell::RefCell;

use engine::{Config, Quiet, Search, Stop};
use lang::xsts::{self, ast, arbitrary};
use proptest::test_runner::{Config as Runs, RngSeed, TestCaseError, TestError, TestRunner};
use thetis::check;

use common::{agreement, naive};

/// How many states the naive search may visit.
const NAIVE_STATES: usize = 3_000;

/// What the models turned out to be.
#[derive(Debug, Default)]
struct Seen {
    holds: usize,
    violated: usize,
    fault: usize,
    skipped: usize,
}

#[test]
fn random_models_mean_what_the_naive_reading_says() {
    let given = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = given.unwrap_or(400);
    let runs = Runs {
        cases,
        rng_seed: RngSeed::Fixed(20_240_229),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Runs::default()
    };
    let seen = RefCell::new(Seen::default());
    let result = TestRunner::new(runs).run(&arbitrary::model(), |model| {
        agree(&model, &seen).map_err(TestCaseError::fail)
    });
    let seen = seen.into_inner();
    match result {
        Ok(()) => {}
        Err(TestError::Fail(why, model)) => panic!("{why}\n{}", xsts::print(&model)),
        Err(other) => panic!("{other}"),
    }
    eprintln!("{cases} random models: {seen:?}");
    let enough = cases as usize / 20;
    assert!(
        seen.holds > enough && seen.violated > enough && seen.fault > 0 && seen.skipped < cases as usize / 4,
        "the models are not varied enough: {seen:?}"
    );
}

/// Whether the product and the naive reading agree on a model, however it is searched.
fn agree(ast: &ast::Model, seen: &RefCell<Seen>) -> Result<(), String> {
    let expected = match naive::explore(ast, false, NAIVE_STATES) {
        Ok(expected) => expected,
        Err(naive::Unable(why)) if why == "more states than allowed" => {
            seen.borrow_mut().skipped += 1;
            return Ok(());
        }
        Err(naive::Unable(why)) => return Err(format!("the naive reading is not able: {why}")),
    };
    {
        let mut seen = seen.borrow_mut();
        match (expected.violated, expected.fault) {
            (None, None) => seen.holds += 1,
            (None, Some(_)) => seen.fault += 1,
            _ => seen.violated += 1,
        }
    }
    let text = xsts::print(ast);
    let mut model = xsts::load(&text).map_err(|errors| format!("does not load: {errors:?}"))?;
    let property = model.property.take().ok_or("has no property")?;
    for search in Search::ALL {
        let config = Config { search: *search, state_limit: Some(100_000), ..Config::default() };
        let judged = check::decide(&mut model.system, &property, &config, true, &Stop::new(), &mut Quiet);
        agreement::check(ast, &model.system, *search, &judged, &expected)
            .map_err(|why| format!("{search}: {why}"))?;
    }
    Ok(())
}
