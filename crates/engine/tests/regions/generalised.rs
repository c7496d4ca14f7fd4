//! Zone sets of random networks that stand for more than the engine listed.
//!
//! Where the oracle says that nothing is reached, the engine's certificate stays one if variables that
//! nothing reads are open, and if every entry stands for all it simulates up to the greatest constant. Other
//! changes, drawn at random, may or may not leave a certificate: if the judge accepts it, so must a solver
//! that is given the formulas. Where something is reached there is no certificate at all, so that whatever is
//! made of the zone graph must be refused.

use ir::{Certificate, ClockRange};

use super::listed::Listed;
use super::*;

/// Sets with more entries than this are not put to a solver.
const FEW: usize = 12;

fn zones(system: &System, question: &Question, covering: Covering) -> Option<Listed> {
    let config = Config { engine: Engine::Zone, covering, ..Config::default() };
    match engine::zone::search(system, question, &config, &Stop::new(), &mut Quiet).0 {
        Answer::Excluded(Certificate::Zones(set)) => Some(Listed::of(&*set)),
        _ => None,
    }
}

/// Where states have the integers, and whether anything but their own updates may read them.
fn integers(net: &Net, text: bool, system: &System) -> Vec<(usize, bool)> {
    let edges = || net.processes.iter().flat_map(|process| &process.edges);
    let is_read = |int: usize| {
        // Networks in text read them in more ways.
        text || edges().any(|edge| edge.data.iter().any(|(var, ..)| *var == int))
            || net.target.data.is_some_and(|(var, _)| var == int)
    };
    let slot = |int: usize| {
        let name = format!("n{int}");
        system.state_vars().position(|var| system.vars[var].name == name).expect("an integer")
    };
    (0..net.ints).map(|int| (slot(int), is_read(int))).collect()
}

fn constants(dice: &mut Dice, clocks: usize) -> Vec<ClockRange> {
    let mut constant = || Some(dice.roll(MOST as usize + 2) as i64 - 1).filter(|constant| *constant >= 0);
    (0..clocks).map(|_| (constant(), constant())).collect()
}

/// Changes a set in ways that may make it wrong.
fn change(dice: &mut Dice, net: &Net, slots: &[(usize, bool)], set: &Listed) -> Listed {
    set.with(|entries| {
        let (open, simulate, drop) = (dice.once_in(2), dice.once_in(2), dice.once_in(2));
        let shared = constants(dice, net.clocks);
        for entry in entries.iter_mut() {
            for (slot, _) in slots {
                if open && dice.once_in(2) {
                    entry.state.values[*slot] = None;
                }
            }
            if simulate && !dice.once_in(8) {
                let own = dice.once_in(3);
                entry.constants = Some(if own { constants(dice, net.clocks) } else { shared.clone() });
            }
        }
        if drop && entries.len() > 1 {
            entries.remove(dice.roll(entries.len()));
        }
    })
}

#[derive(Default, Debug)]
struct Tally {
    open: u32,
    simulated: u32,
    changed: u32,
    solved: u32,
    refused: u32,
}

fn nothing_is_reached(dice: &mut Dice, net: &Net, tally: &mut Tally) -> Result<(), String> {
    let (system, question) = system(dice, net)?;
    let slots = integers(net, dice.text, &system);
    let set = zones(&system, &question, Covering::Inclusion).ok_or("no certificate")?;
    if slots.iter().any(|(_, is_read)| !is_read) {
        let open = set.with(|entries| {
            for entry in entries {
                for (slot, _) in slots.iter().filter(|(_, is_read)| !is_read) {
                    entry.state.values[*slot] = None;
                }
            }
        });
        open.check(&system, &question).map_err(|why| format!("what nothing reads is open: {why}"))?;
        tally.open += 1;
    }
    if !net.has_diagonals() && !net.target.deadlock {
        let simulating = set.with(|entries| {
            for entry in entries {
                entry.constants = Some(vec![(Some(MOST), Some(MOST)); net.clocks]);
            }
        });
        simulating.check(&system, &question).map_err(|why| format!("up to simulation: {why}"))?;
        tally.simulated += 1;
    }
    for _ in 0..8 {
        let changed = change(dice, net, &slots, &set);
        if changed.check(&system, &question).is_err() {
            continue;
        }
        tally.changed += 1;
        if changed.0.len() <= FEW {
            changed
                .check_formulas(&system, &question)
                .map_err(|why| format!("accepted, but not by a solver: {why}\n{changed:#?}"))?;
            tally.solved += 1;
        }
    }
    Ok(())
}

fn something_is_reached(dice: &mut Dice, net: &Net, tally: &mut Tally) -> Result<(), String> {
    let (mut system, question) = system(dice, net)?;
    let slots = integers(net, dice.text, &system);
    let never = Question::never(&mut system.terms);
    // There is no whole graph if something goes wrong.
    let Some(whole) = zones(&system, &never, Covering::Inclusion) else { return Ok(()) };
    let last = LocationId::at(net.processes[0].locations.len() - 1);
    let elsewhere = whole.with(|entries| {
        entries.retain(|entry| net.target.location.is_none() || entry.state.locations[0] != last);
    });
    for set in [&whole, &elsewhere] {
        for _ in 0..6 {
            let forged = change(dice, net, &slots, set);
            if forged.check(&system, &question).is_ok() {
                return Err(format!("there is no certificate, and one was accepted\n{forged:#?}"));
            }
            tally.refused += 1;
        }
    }
    Ok(())
}

fn system(dice: &Dice, net: &Net) -> Result<(System, Question), String> {
    if dice.text { read(net) } else { Ok(build(net)) }
}

#[test]
fn sets_that_stand_for_more_are_judged_rightly() {
    let Tally { open, simulated, changed, solved, refused } = judge_generalised(false);
    assert!([open, simulated, changed, solved, refused].iter().all(|count| *count > 0));
}

#[test]
fn sets_that_stand_for_more_are_judged_rightly_on_networks_in_text() {
    let Tally { simulated, changed, solved, refused, .. } = judge_generalised(true);
    assert!([simulated, changed, solved, refused].iter().all(|count| *count > 0));
}

fn judge_generalised(text: bool) -> Tally {
    let first = number("REGIONS_SEED", 0);
    let mut tally = Tally::default();
    for seed in first..first + number("REGIONS_CASES", 300) {
        let net = Dice::new(seed, text).net();
        let mut dice = Dice::new(seed + 1_000_000, text);
        let result = match net.reaches() {
            None => continue,
            Some(expected) if expected == Expected::default() => {
                nothing_is_reached(&mut dice, &net, &mut tally)
            }
            Some(_) => something_is_reached(&mut dice, &net, &mut tally),
        };
        if let Err(what) = result {
            let written = if text { written(&net) } else { format!("{net:#?}") };
            panic!("seed {seed}: {what}\n{written}");
        }
    }
    println!("{tally:?}");
    tally
}
