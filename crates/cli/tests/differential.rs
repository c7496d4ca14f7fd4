//! The product against a naive reading of the same text, on random models.
//!
//! Verdicts, shortest lengths and the very sets of reachable states must agree, breadth first and
//! depth first, with all evidence certified. `PROPTEST_CASES` sets the number of models.

mod common;

use std::cell::RefCell;

use engine::{Config, Quiet, Search, Stop};
use lang::xsts::{self, arbitrary, ast};
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
    states: usize,
    longest: usize,
}

#[test]
fn random_models_mean_what_the_naive_reading_says() {
    let given = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases: u32 = given.unwrap_or(400);
    let runs = Runs {
        cases,
        rng_seed: RngSeed::Fixed(20_240_229),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Runs::default()
    };
    let seen = RefCell::new(Seen::default());
    let result = TestRunner::new(runs).run(&arbitrary::model(), |model| {
        let mut now = Seen::default();
        agree(&model, &mut now).map_err(TestCaseError::fail)?;
        seen.borrow_mut().add(now);
        Ok(())
    });
    match result {
        Ok(()) => {}
        Err(TestError::Fail(why, model)) => panic!("{why}\n\nshrunk from:\n{}", xsts::print(&model)),
        Err(other) => panic!("{other}"),
    }
    let seen = seen.into_inner();
    eprintln!("{cases} random models: {seen:?}");
    let few = cases as usize / 20;
    assert!(
        seen.holds > few && seen.violated > few && seen.fault > few && seen.skipped <= few,
        "the models are not varied enough: {seen:?}"
    );
}

/// Whether the product and the naive reading agree on a model, whatever is claimed of it.
///
/// First nothing is claimed, so that everything reachable is compared; then what the model claims; then
/// that the state found last is never reached, whose run is as long as the model has any.
fn agree(ast: &ast::Model, seen: &mut Seen) -> Result<(), String> {
    let everything = compare(&claiming(ast, "true")?, seen)?;
    compare(ast, seen)?;
    match everything {
        Some(everything) => compare(&claiming(ast, &never(&everything))?, seen).map(drop),
        None => Ok(()),
    }
}

/// The model with another property.
fn claiming(ast: &ast::Model, claim: &str) -> Result<ast::Model, String> {
    let silent = ast::Model { prop: None, ..ast.clone() };
    let text = format!("{}\nprop {{ {claim} }}\n", xsts::print(&silent));
    match xsts::parse(&text) {
        (model, errors) if errors.is_empty() => Ok(model),
        (_, errors) => Err(format!("{errors:?}\n{text}")),
    }
}

/// That the last state in order is never reached, arrays left aside.
fn never(reachable: &naive::Reachable) -> String {
    let (_, state) = reachable.last.as_ref().expect("there is an initial state");
    let equations: Vec<String> = state
        .iter()
        .filter_map(|(name, value)| match value {
            naive::Value::Bool(true) => Some(name.clone()),
            naive::Value::Bool(false) => Some(format!("!{name}")),
            naive::Value::Int(value) => Some(format!("{name} == {value}")),
            naive::Value::Literal(value) => Some(format!("{name} == {value}")),
            naive::Value::Array(..) => None,
        })
        .collect();
    format!("!({})", equations.join(" && "))
}

/// Compares the product with the naive reading, breadth first and depth first.
fn compare(ast: &ast::Model, seen: &mut Seen) -> Result<Option<naive::Reachable>, String> {
    if std::env::var("DBG").is_ok() { eprintln!("{:?} N", std::time::SystemTime::now()); std::fs::write("/tmp/cur.xsts", xsts::print(ast)).unwrap(); }
    let expected = match naive::explore(ast, false, NAIVE_STATES) {
        Ok(expected) => expected,
        Err(naive::Unable(why)) if why == naive::TOO_MANY => {
            seen.skipped += 1;
            return Ok(None);
        }
        Err(naive::Unable(why)) => return Err(format!("the naive reading is not able: {why}")),
    };
    if std::env::var("DBG").is_ok() { eprintln!("{:?} P {}", std::time::SystemTime::now(), expected.states.len()); }
    seen.count(&expected);
    let text = xsts::print(ast);
    let mut model = xsts::load(&text).map_err(|errors| format!("does not load: {errors:?}\n{text}"))?;
    let property = model.property.take().ok_or("has no property")?;
    for search in Search::ALL {
        let config = Config { search: *search, state_limit: Some(100_000), ..Config::default() };
        let judged = check::decide(&mut model.system, &property, &config, true, &Stop::new(), &mut Quiet);
        agreement::check(ast, &model.system, *search, &judged, &expected)
            .map_err(|why| format!("{search}: {why}\n{text}"))?;
    }
    Ok(Some(expected))
}

impl Seen {
    fn count(&mut self, found: &naive::Reachable) {
        match (found.violated, found.fault) {
            (None, None) => self.holds += 1,
            (None, Some(_)) => self.fault += 1,
            _ => self.violated += 1,
        }
        self.states += found.states.len();
        let nearest = found.violated.into_iter().chain(found.fault).min();
        self.longest = self.longest.max(nearest.unwrap_or(0));
    }
    fn add(&mut self, other: Seen) {
        self.holds += other.holds;
        self.violated += other.violated;
        self.fault += other.fault;
        self.skipped += other.skipped;
        self.states += other.states;
        self.longest = self.longest.max(other.longest);
    }
}
