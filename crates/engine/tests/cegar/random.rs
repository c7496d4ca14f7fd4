//! Random models: what abstraction refinement says must be what exhaustive search says.
//!
//! The configurations of the covering array take turns, so that every two values of two options meet some
//! models. Models have arrays, locals, loops, arbitrary values, nested choices and divisions by zero; all
//! have few states. `PROPTEST_CASES` sets the number of models.

use std::cell::{Cell, RefCell};

use engine::{Config, Engine, Reason, Stop};
use ir::{Certificate, Question, State, System};
use lang::xsts::{self, arbitrary, ast};
use proptest::test_runner::Config as Runs;

use crate::{Said, ask, choices};

/// States that exhaustive search may store.
const STATES: u64 = 2_000;
/// Steps that exhaustive search may take.
const STEPS: u64 = 2_000_000;
/// Nodes that a graph may have.
const NODES: u64 = 1_500;

/// What the searches said.
#[derive(Debug, Default)]
struct Seen {
    never: usize,
    reached: usize,
    /// Given up because of its size.
    large: usize,
    no_progress: usize,
    /// Too large for exhaustive search.
    skipped: usize,
    longest: usize,
}

#[test]
fn random_models_get_the_answer_of_exhaustive_search() {
    let runs = Runs { max_shrink_iters: 3_000, ..sampling::runs(500, 4_711) };
    let cases = runs.cases;
    let configs = choices::committed();
    let (seen, turn) = (RefCell::new(Seen::default()), Cell::new(0));
    let failed = Cell::new(None);
    sampling::check(runs, &arbitrary::model(), xsts::print, |model| {
        // While a failure shrinks, its configuration stays.
        let now = failed.get().unwrap_or_else(|| turn.replace(turn.get() + 2));
        agree(&model, &configs, now, &mut seen.borrow_mut()).inspect_err(|_| failed.set(Some(now)))
    });
    let seen = seen.into_inner();
    eprintln!("{cases} random models: {seen:?}");
    if cases < 100 {
        return;
    }
    let cases = cases as usize;
    assert!(
        seen.never > cases / 5 && seen.reached > cases / 2 && seen.skipped < cases / 10,
        "the models are not varied enough: {seen:?}"
    );
    assert!(seen.large < cases / 10 && seen.no_progress < cases / 50, "too few are decided: {seen:?}");
}

/// Asks about the model's own property by one configuration, and about the last state found by the next.
fn agree(model: &ast::Model, configs: &[Config], turn: usize, seen: &mut Seen) -> Result<(), String> {
    let text = xsts::print(model);
    let (mut system, question) = crate::load(&text);
    let plain = Config {
        engine: Engine::Explicit,
        state_limit: Some(STATES),
        step_limit: Some(STEPS),
        ..Config::default()
    };
    let expected = ask(&system, &question, &plain, &Stop::new())?.0;
    if matches!(expected, Said::Unknown(_)) {
        seen.skipped += 1;
        return Ok(());
    }
    compare(&system, &question, &configs[turn % configs.len()], &expected, seen)?;
    if expected == Said::Never
        && let Some(question) = last_state(&mut system)
    {
        // The states are numbered breadth first, so the run is as long as any.
        let expected = ask(&system, &question, &plain, &Stop::new())?.0;
        compare(&system, &question, &configs[(turn + 1) % configs.len()], &expected, seen)?;
    }
    Ok(())
}

fn compare(
    system: &System,
    question: &Question,
    config: &Config,
    expected: &Said,
    seen: &mut Seen,
) -> Result<(), String> {
    let config = Config { state_limit: Some(NODES), ..config.clone() };
    let target = question.target().expect("about reachability");
    let about = || format!("{}: searching {}", choices::spell(&config), system.show(target));
    let said = ask(system, question, &config, &Stop::new()).map_err(|why| format!("{}: {why}", about()))?.0;
    match (&said, expected) {
        (Said::Never, Said::Never) => seen.never += 1,
        (Said::Reached(steps), Said::Reached(least)) if steps >= least => {
            seen.reached += 1;
            seen.longest = seen.longest.max(*steps);
        }
        (Said::Unknown(Reason::NoProgress(_)), _) => seen.no_progress += 1,
        (Said::Unknown(Reason::States(_) | Reason::Calls(_) | Reason::Work), _) => seen.large += 1,
        _ => return Err(format!("{}: {said:?}, but exhaustive search says {expected:?}", about())),
    }
    Ok(())
}

/// The state that breadth-first search finds last, if every state can be listed.
fn last_state(system: &mut System) -> Option<Question> {
    let nothing = Question::never(&mut system.terms);
    let config = Config {
        engine: Engine::Explicit,
        preprocess: false,
        state_limit: Some(STATES),
        step_limit: Some(STEPS),
        ..Config::default()
    };
    let (answer, _) = engine::search(system, &nothing, &config, &Stop::new(), &mut engine::Quiet);
    let engine::Answer::Excluded(Certificate::ClosedSet(set)) = answer else { return None };
    let State { values, .. } = set.state(set.len().checked_sub(1)?);
    let vars: Vec<_> = system.state_vars().collect();
    let mut equations = vec![];
    for (var, value) in vars.into_iter().zip(values) {
        let Some(value) = value else { continue };
        let (var, value) = (system.terms.var(var), system.terms.constant(value));
        equations.push(system.terms.eq(var, value));
    }
    Some(Question::Reach(system.terms.and(equations)))
}
