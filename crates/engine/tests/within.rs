//! Questions about the first time units: what lies beyond the limit decides nothing.

use std::cell::Cell;

use engine::{Answer, Config, Engine, Quiet, Stop};
use ir::{Claim, System, Term, within};
use lang::xsts::{self, arbitrary, ast};
use proptest::test_runner::{Config as Runs, TestCaseError, TestError, TestRunner};

/// Whether the target, or a fault, is reached, if the zone graph is small.
fn reached(system: &System, target: Term) -> Option<bool> {
    let (state_limit, step_limit) = (Some(2_000), Some(200_000));
    let config = Config { engine: Engine::Zone, state_limit, step_limit, ..Config::default() };
    match engine::search(system, target, &config, &Stop::new(), &mut Quiet).0 {
        Answer::Reachable(_) => Some(true),
        Answer::Unreachable(_) => Some(false),
        Answer::Unknown(_) => None,
    }
}

/// Makes late faults impossible, and a target of what violates a claim early; time goes on.
fn excused(system: &mut System, claim: Claim, most: u64) -> Result<Term, String> {
    let clock = within::clock(system)?;
    let target = system.target(claim);
    let (now, most) = (system.terms.var(clock), system.terms.int(most as i64));
    let early = system.terms.le(now, most);
    let in_time = system.terms.assume(early);
    let process = system.processes.ids().next().ok_or("no process")?;
    for edge in system.processes[process].edges.ids().collect::<Vec<_>>() {
        let update = &mut system.processes[process].edges[edge].update;
        update.fault = update.fault.map(|fault| system.terms.seq([fault, in_time]));
    }
    Ok(system.terms.and([early, target]))
}

fn compare(model: &ast::Model, compared: &mut [usize; 2]) -> Result<(), String> {
    let model = xsts::load(&xsts::print(model)).map_err(|errors| format!("{errors:?}"))?;
    let Some(property) = model.property else { return Ok(()) };
    if model.system.clocks().next().is_none() {
        return Ok(());
    }
    for most in [0, 1, 2, 5] {
        let (mut ended, mut asked) = (model.system.clone(), property.clone());
        within::limit(&mut ended, [&mut asked], most)?;
        let target = ended.target(asked.claim);
        let mut endless = model.system.clone();
        let narrowed = excused(&mut endless, property.claim, most)?;
        if let (Some(one), Some(other)) = (reached(&ended, target), reached(&endless, narrowed)) {
            if one != other {
                return Err(format!("within {most}: {one} if time ends, {other} if it goes on"));
            }
            compared[usize::from(one)] += 1;
        }
    }
    Ok(())
}

#[test]
fn random_models_answer_the_same_if_time_goes_on() {
    let runs = Runs { max_shrink_iters: 2_000, ..sampling::runs(200, 600) };
    let compared = Cell::new([0, 0]);
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
