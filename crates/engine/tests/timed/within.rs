//! Questions about the first time units, against the region graph of the model whose time goes on.

use std::cell::RefCell;

use ir::{Claim, System, Term, within};
use lang::xsts::{self, arbitrary, ast};
use proptest::test_runner::Config as Runs;

use super::regions::Regions;

/// How many of all configurations are asked about one limit; the others have their turn.
const AT_ONCE: usize = 3;

/// How often something was asked and how often that was answered, by what the region graph says.
#[derive(Debug, Default)]
struct Seen {
    asked: [usize; 2],
    said: [usize; 2],
    skipped: usize,
}

/// Makes late faults impossible, and a target of what violates a claim early; time goes on.
fn excused(system: &mut System, claim: Claim, most: u64) -> Result<Term, String> {
    let clock = within::clock(system).map_err(|why| why.to_string())?;
    let target = system.question(claim).target().expect("about reachability");
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

fn compare(model: &ast::Model, seen: &mut Seen) -> Result<(), String> {
    let model = xsts::load(&xsts::print(model)).map_err(|errors| format!("{errors:?}"))?;
    let Some(property) = model.property() else { return Ok(()) };
    if model.system.clocks().next().is_none() {
        return Ok(());
    }
    for most in [0, 1, 3] {
        let mut endless = model.system.clone();
        let narrowed = excused(&mut endless, property.claim, most)?;
        let Ok(expected) = Regions::new(&endless, super::FUEL).reaches(narrowed) else {
            seen.skipped += 1;
            continue;
        };
        let (mut ended, mut asked) = (model.system.clone(), property.clone());
        within::limit(&mut ended, [&mut asked], most).map_err(|why| why.to_string())?;
        let question = ended.question(asked.claim);
        let number: usize = seen.asked.iter().sum();
        let configs = super::configs(number);
        let turn = number * AT_ONCE % configs.len();
        for (name, config) in configs.iter().cycle().skip(turn).take(AT_ONCE) {
            let here = |why| format!("within {most}, {name}, {config}: {why}");
            let said = super::ask(&ended, &question, config).map_err(here)?;
            if said.is_some_and(|said| said != expected) {
                return Err(here(format!("the region graph says {expected}")));
            }
            seen.asked[usize::from(expected)] += 1;
            seen.said[usize::from(expected)] += usize::from(said.is_some());
        }
    }
    Ok(())
}

#[test]
fn random_models_answer_as_if_time_went_on() {
    let runs = Runs { max_shrink_iters: 2_000, ..sampling::runs(120, 600) };
    let cases = runs.cases as usize;
    let seen = RefCell::new(Seen::default());
    sampling::check(runs, &arbitrary::timed_model(), xsts::print, |model| {
        compare(&model, &mut seen.borrow_mut())
    });
    let seen = seen.into_inner();
    eprintln!("{cases} random models: {seen:?}");
    if cases >= 100 {
        assert!(seen.said.iter().all(|said| *said > cases), "too little was compared: {seen:?}");
    }
}
