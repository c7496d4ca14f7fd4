//! Questions about the first so many units of time.
//!
//! `--within T` adds a clock that nothing resets, so that it tells the time since the start, and leaves the model
//! as it is otherwise. What is searched for is then a state that decides the property while that clock is at
//! most T; evidence is about the system with the clock. Files carry the limit with the property, so that whoever
//! reads them makes the same system.
//!
//! Since nothing resets the clock, no run comes back from beyond T, and what lies there decides nothing. So time
//! ends at T: `clock <= T` is an invariant of every location ([`end`]), and a run to a state within the limit is
//! one of both systems. A `deadlock` is not told by its state alone but by what could happen later, beyond T too;
//! who asks for it gets the time after T as well.

use ir::{Claim, Property, Span, System, Term, Type, VarId, Variable, mentions_deadlock};

/// No name that a user could give.
const CLOCK: &str = "$elapsed";

/// The clock that tells the time since the start; fails if no time passes in the system.
pub fn clock(system: &mut System) -> Result<VarId, &'static str> {
    let is_it = |clock: &VarId| !system.vars[*clock].shown && system.vars[*clock].name == CLOCK;
    if let Some(known) = system.clocks().find(is_it) {
        return Ok(known);
    }
    if system.clocks().next().is_none() {
        return Err("the model has no clocks, so no time passes in it");
    }
    let variable = Variable { shown: false, ..Variable::state(CLOCK, Span::default()) };
    Ok(system.declare(Type::Clock, variable))
}

/// Makes properties ones about the first `most` units of time.
pub fn limit<'a>(
    system: &mut System,
    properties: impl IntoIterator<Item = &'a mut Property>,
    most: u64,
) -> Result<(), String> {
    let early = early(system, most)?;
    let mut later = false;
    for property in properties {
        let (Claim::Always(term) | Claim::Possibly(term)) = property.claim;
        later |= mentions_deadlock(system, term);
        narrow(system, property, early);
    }
    if !later {
        end(system, early);
    }
    Ok(())
}

/// Whether it is not too late.
fn early(system: &mut System, most: u64) -> Result<Term, String> {
    let clock = clock(system)?;
    let most = i64::try_from(most).map_err(|_| format!("{most} time units are too many"))?;
    let terms = &mut system.terms;
    let (now, most) = (terms.var(clock), terms.int(most));
    Ok(terms.le(now, most))
}

/// Lets no time pass but early. One process is enough: all of them wait together.
fn end(system: &mut System, early: Term) {
    let Some(process) = system.processes.ids().next() else { return };
    for at in system.processes[process].locations.ids() {
        let location = &mut system.processes[process].locations[at];
        location.invariant = system.terms.and([location.invariant, early]);
    }
}

fn narrow(system: &mut System, property: &mut Property, early: Term) {
    let terms = &mut system.terms;
    let mut both = |term: Term| terms.and([early, term]);
    property.faults.iter_mut().for_each(|(condition, _)| *condition = both(*condition));
    property.claim = match property.claim {
        Claim::Always(term) => Claim::Always(terms.implies(early, term)),
        Claim::Possibly(term) => Claim::Possibly(terms.and([early, term])),
    };
}

/// Reads a number of time units.
pub fn amount(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| match text.parse::<ir::Rat>() {
        Ok(amount) if !amount.is_negative() => {
            "clocks are compared with whole numbers; to ask for a part of a time unit, multiply all constants \
             that the model compares clocks with"
                .to_owned()
        }
        _ => "a whole number of time units is needed, for example 100".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use engine::{Answer, Config, Engine, Quiet, Stop};
    use lang::xsts::{self, arbitrary, ast};
    use proptest::test_runner::{Config as Runs, RngSeed, TestCaseError, TestError, TestRunner};

    use super::*;

    /// Whether something is reached that decides the property early, if the zone graph is small.
    fn reached(system: &mut System, property: &Property) -> Option<bool> {
        let target = system.target(property.claim);
        let (state_limit, step_limit) = (Some(2_000), Some(200_000));
        let config = Config { engine: Engine::Zone, state_limit, step_limit, ..Config::default() };
        match engine::search(system, target, &config, &Stop::new(), &mut Quiet).0 {
            Answer::Reachable(_) => Some(true),
            Answer::Unreachable(_) => Some(false),
            Answer::Unknown(_) => None,
        }
    }

    fn compare(model: &ast::Model, compared: &mut [usize; 2]) -> Result<(), String> {
        let model = xsts::load(&xsts::print(model)).map_err(|errors| format!("{errors:?}"))?;
        let Some(property) = model.property else { return Ok(()) };
        // Where something can go wrong, it may do so later.
        if model.system.fault.is_some() || model.system.clocks().next().is_none() {
            return Ok(());
        }
        for most in [0, 1, 2, 5] {
            let (mut ended, mut asked) = (model.system.clone(), property.clone());
            limit(&mut ended, [&mut asked], most)?;
            let (mut endless, mut narrowed) = (model.system.clone(), property.clone());
            let early = early(&mut endless, most)?;
            narrow(&mut endless, &mut narrowed, early);
            if let (Some(one), Some(other)) = (reached(&mut ended, &asked), reached(&mut endless, &narrowed))
            {
                if one != other {
                    return Err(format!("within {most}: {one} if time ends, {other} if it goes on"));
                }
                compared[usize::from(one)] += 1;
            }
        }
        Ok(())
    }

    /// What lies beyond the limit decides nothing.
    #[test]
    fn random_models_answer_the_same_if_time_goes_on() {
        let runs = Runs {
            cases: 200,
            rng_seed: RngSeed::Fixed(600),
            failure_persistence: None,
            max_shrink_iters: 2_000,
            ..Runs::default()
        };
        let compared = std::cell::Cell::new([0, 0]);
        let result = TestRunner::new(runs).run(&arbitrary::timed_model(), |model| {
            let mut counts = compared.get();
            let same = compare(&model, &mut counts);
            compared.set(counts);
            same.map_err(TestCaseError::fail)
        });
        match result {
            Ok(()) => {}
            Err(TestError::Fail(why, model)) => panic!("{why}\n\nshrunk to:\n{}", xsts::print(&model)),
            Err(other) => panic!("{other}"),
        }
        let [never, reached] = compared.get();
        assert!(never > 50 && reached > 50, "too little was compared: {never} and {reached}");
    }
}
