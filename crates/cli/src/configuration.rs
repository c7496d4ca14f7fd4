//! From the choices that somebody made to a configuration.
//!
//! An engine is named, or follows from the other choices: those about clocks, zones and abstraction are about some
//! engines only.

use engine::{Cegar, Choice, Config, ConfigError, Engine};

/// Whether a choice is one of abstraction refinement.
fn refines(choice: &Choice) -> bool {
    match choice {
        Choice::Domain(_)
        | Choice::Refinement(_)
        | Choice::Interpolation(_)
        | Choice::Prune(_)
        | Choice::InitialPrecision(_)
        | Choice::PredicateSplit(_)
        | Choice::MaxEnum(_)
        | Choice::AutoExpl(_)
        | Choice::LassoSearch(_)
        | Choice::LassoRefinement(_)
        | Choice::Unroll(_)
        | Choice::Graph => true,
        Choice::Engine(_)
        | Choice::Encoding(_)
        | Choice::Theory(_)
        | Choice::Search(_)
        | Choice::Covering(_)
        | Choice::ZoneStrategy(_)
        | Choice::Data(_)
        | Choice::ClockStrategy(_)
        | Choice::Bound(_)
        | Choice::Threads(_) => false,
    }
}

/// The engine; if it is not named, the one that other choices are about, and the choice that chose it.
pub fn engine(choices: &[Choice]) -> (Engine, Option<Choice>) {
    let first = |wanted: fn(&Choice) -> bool| choices.iter().find(|choice| wanted(choice)).cloned();
    let named = choices.iter().find_map(|choice| match choice {
        Choice::Engine(engine) if *engine != Engine::Auto => Some(*engine),
        _ => None,
    });
    let clocks = choices.iter().find_map(|choice| match choice {
        Choice::ClockStrategy(strategy) => Some(*strategy),
        _ => None,
    });
    let zones = first(|choice| matches!(choice, Choice::ZoneStrategy(_)));
    let data = first(|choice| matches!(choice, Choice::Data(_)));
    let refinement = first(refines);
    match (named, clocks) {
        (Some(engine), _) => (engine, None),
        (None, Some(strategy)) => {
            let goes = |engine: &&Engine| strategy.goes_with(**engine);
            let engine = *[Engine::Cegar, Engine::Combined].iter().find(goes).expect("one of the two");
            (engine, Some(Choice::ClockStrategy(strategy)))
        }
        (None, None) if zones.is_some() && refinement.is_some() => (Engine::Combined, zones),
        (None, None) if zones.is_some() || data.is_some() => (Engine::Lazy, zones.or(data)),
        (None, None) if refinement.is_some() => (Engine::Cegar, refinement),
        (None, None) => (Engine::Auto, None),
    }
}

/// The configuration of an engine that has all these choices.
///
/// # Errors
/// If two do not go together.
pub fn config(engine: Engine, choices: &[Choice]) -> Result<Config, ConfigError> {
    let narrow = |choice: &&Choice| matches!(choice, Choice::Bound(_)) || refines(choice);
    if let Some(given) = choices.iter().filter(narrow).find(|choice| !choice.goes_with(engine)) {
        return Err(ConfigError::Engine { given: given.clone(), engine });
    }
    let cegar = Cegar { domain: engine.default_domain(), ..Cegar::default() };
    let mut config = Config { engine, cegar, ..Config::default() };
    // A domain forgets what it does not have, so it comes before what might clash with it.
    let is_domain = |choice: &&Choice| matches!(choice, Choice::Domain(_));
    let others = choices.iter().filter(|choice| !is_domain(choice) && !matches!(choice, Choice::Engine(_)));
    choices.iter().filter(is_domain).chain(others).for_each(|choice| choice.apply(&mut config));
    config.check()?;
    Ok(config)
}
