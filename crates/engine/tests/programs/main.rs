//! Programs: large blocks against single edges, and every engine against exhaustive search.
//!
//! `PROPTEST_CASES` sets the number of programs.

extern crate thetis_engine as engine;

mod arbitrary;

use std::cell::RefCell;
use std::collections::BTreeSet;

use engine::{Answer, Config, Encoding, Engine, Quiet, Stop, Theory};
use ir::blocks::{NoBlocks, blocks};
use ir::interp::Interp;
use ir::{Actions, Certificate, LocationId, Question, State, System};
use proptest::prelude::*;

fn load(text: &str) -> (System, Question) {
    let mut model = lang::cfa::load(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let property = model.property().expect("an error location");
    let question = model.system.question(property.claim);
    (model.system, question)
}

/// Whether the error location or a fault can be reached; `None` if that is not known. Evidence that is refused is an
/// error.
fn ask(system: &System, question: &Question, config: &Config) -> Result<Option<bool>, String> {
    let stop = Stop::new();
    let (answer, _) = engine::search(system, question, config, &stop, &mut Quiet);
    match answer {
        Answer::Found(run) => {
            let checked = certify::check_run(system, question, &run, stop.flag());
            checked.map_err(|why| format!("{config}: the run was refused: {why}"))?;
            Ok(Some(true))
        }
        Answer::Excluded(certificate) => {
            let checked = certify::check_certificate(system, question, &certificate, stop.flag());
            checked.map_err(|why| format!("{config}: the certificate was refused: {why}"))?;
            Ok(Some(false))
        }
        Answer::Unknown(_) => Ok(None),
    }
}

/// As much as is enough for most programs.
fn limited() -> Config {
    let (state_limit, call_limit, work_limit) = (Some(500), Some(600), Some(2_000_000));
    Config { state_limit, call_limit, work_limit, bound: Some(12), ..Config::default() }
}

/// All states that can be reached, by the plain interpreter.
fn reachable(system: &System) -> Vec<State> {
    let mut system = system.clone();
    let mut actions = Actions::new();
    let stmt = ir::initial(&mut system);
    let open = system.arbitrary_state();
    let mut states: indexmap::IndexSet<State> = indexmap::IndexSet::new();
    let mut begin = |outcome: ir::interp::Outcome| {
        states.insert(State { locations: open.locations.clone(), values: outcome.values });
        true
    };
    Interp::new(&system, None).successors(stmt, &open, &mut begin).unwrap();
    let mut next = 0;
    while let Some(state) = states.get_index(next).cloned() {
        next += 1;
        let vector = actions.vector(&state.locations);
        for action in actions.of(&mut system, vector).to_vec() {
            let mut emit = |outcome: ir::interp::Outcome| {
                states.insert(State { locations: action.target.clone(), values: outcome.values });
                true
            };
            Interp::new(&system, None).successors(action.stmt, &state, &mut emit).unwrap();
        }
    }
    states.into_iter().collect()
}

/// Those at kept locations, and those after a fault.
fn at(system: &System, kept: &[LocationId]) -> BTreeSet<String> {
    let shown = |state: &State| kept.contains(&state.locations[0]) || system.is_fault(&state.locations);
    reachable(system).iter().filter(|state| shown(state)).map(|state| format!("{state:?}")).collect()
}

/// At kept locations, and after faults, blocks lead to exactly the states that single edges lead to.
#[test]
fn blocks_lead_to_the_same_states() {
    let seen = RefCell::new((0, 0));
    let cases = (arbitrary::program(), any::<u64>());
    let show = |(program, _): &(arbitrary::Program, u64)| arbitrary::print(program);
    sampling::check(sampling::runs(300, 1_809), &cases, show, |(program, chance)| {
        let (system, _) = load(&arbitrary::print(&program));
        let process = system.processes.iter().next().unwrap();
        let mut kept: Vec<LocationId> = process.initial.into_iter().collect();
        kept.extend(process.locations.ids().filter(|at| chance >> ir::Id::index(*at) & 3 == 3));
        let made = loop {
            match blocks(&system, &kept) {
                Ok(made) => break made,
                Err(NoBlocks::Cycle(at) | NoBlocks::Needed(at)) => kept.push(at),
                Err(other) => return Err(format!("{other:?}")),
            }
        };
        let (expected, got) = (at(&system, &kept), at(&made, &kept));
        let mut seen = seen.borrow_mut();
        seen.0 += process.locations.ids().filter(|at| !kept.contains(at)).count();
        seen.1 += expected.len();
        if expected == got { Ok(()) } else { Err(format!("{kept:?}: {expected:#?}\n{got:#?}")) }
    });
    let (passed, states) = seen.into_inner();
    assert!(passed > 300 && states > 1_000, "{passed} locations passed, {states} states");
}

/// Every engine says of every program what exhaustive search says of it, by large blocks and by single edges.
#[test]
fn engines_agree_on_random_programs() {
    let seen = RefCell::new([0; 3]);
    sampling::check(sampling::runs(150, 2_009), &arbitrary::program(), arbitrary::print, |program| {
        let (system, question) = load(&arbitrary::print(&program));
        let plain = Config { engine: Engine::Explicit, ..Config::default() };
        let expected = ask(&system, &question, &plain)?.ok_or("exhaustive search does not know")?;
        let mut seen = seen.borrow_mut();
        seen[usize::from(expected)] += 1;
        for engine in [Engine::Cegar, Engine::Bmc, Engine::Kind, Engine::Spacer, Engine::Ic3] {
            for encoding in [Encoding::Lbe, Encoding::Sbe] {
                let config = Config { engine, encoding, ..limited() };
                match ask(&system, &question, &config)? {
                    None => seen[2] += 1,
                    Some(said) if said == expected => {}
                    Some(said) => return Err(format!("{config}: {said}, and not {expected}")),
                }
            }
        }
        Ok(())
    });
    let [holds, violated, unknown] = seen.into_inner();
    println!("{holds} hold, {violated} do not, {unknown} answers are missing");
    assert!(holds >= 15 && violated >= 30, "{holds} hold, {violated} do not");
}

/// Engines that ask about vectors of bits say what exhaustive search says, too.
#[test]
fn bits_agree_on_random_programs() {
    let seen = RefCell::new([0; 3]);
    sampling::check(sampling::runs(80, 3_301), &arbitrary::program(), arbitrary::print_bits, |program| {
        let (system, question) = load(&arbitrary::print_bits(&program));
        let plain = Config { engine: Engine::Explicit, ..Config::default() };
        let expected = ask(&system, &question, &plain)?.ok_or("exhaustive search does not know")?;
        let mut seen = seen.borrow_mut();
        seen[usize::from(expected)] += 1;
        for engine in [Engine::Bmc, Engine::Kind, Engine::Spacer, Engine::Ic3] {
            let config = Config { engine, theory: Theory::Bits, ..limited() };
            match ask(&system, &question, &config)? {
                None => seen[2] += 1,
                Some(said) if said == expected => {}
                Some(said) => return Err(format!("{config}: {said}, and not {expected}")),
            }
        }
        Ok(())
    });
    let [holds, violated, unknown] = seen.into_inner();
    println!("{holds} hold, {violated} do not, {unknown} answers are missing");
    assert!(
        holds >= 8 && violated >= 15 && unknown < 40,
        "{holds} hold, {violated} do not, {unknown} unknown"
    );
}

/// A chain of branches is as long as it is written, however many paths it has.
#[test]
fn the_block_of_a_chain_of_branches_is_small() {
    let count = 200;
    let mut text = "main process p { var x : int var y : int init loc L0 error loc E\n".to_owned();
    for at in 1..=count {
        text += &format!("loc L{at} ");
    }
    for at in 0..count {
        let next = at + 1;
        text += &format!(
            "L{at} -> L{next} {{ assume x > {at} y := y + 1 }} L{at} -> L{next} {{ assume x <= {at} }}\n"
        );
    }
    text += &format!("L{count} -> E {{ assume y < 0 }} }}");
    let (system, _) = load(&text);
    let process = system.processes.iter().next().unwrap();
    let error = process.locations.entries().find(|(_, at)| at.name == "E").unwrap().0;
    let made = blocks(&system, &[process.initial.unwrap(), error]).unwrap();
    let mut sizes = made.processes.iter().next().unwrap().edges.iter().map(|edge| {
        let mut size = 0;
        made.terms.for_each_substmt(edge.update.stmt, |_| size += 1);
        size
    });
    assert!(sizes.len() == 1 && sizes.next().unwrap() < 5 * count);
}

/// What the judge of blocks has to find out by itself.
#[test]
fn forged_blocks_are_refused() {
    let text = "
        main process p { var x : int init loc A loc B loc C error loc E final loc F
            A -> B { x := 0 } B -> C { x := x + 1 } C -> B { assume x < 5 } C -> F {} C -> E { assume x > 9 } }
    ";
    let (system, question) = load(text);
    let config = Config { engine: Engine::Kind, ..Config::default() };
    let stop = Stop::new();
    let (answer, _) = engine::search(&system, &question, &config, &stop, &mut Quiet);
    let Answer::Excluded(Certificate::Blocks(mut proof)) = answer else { panic!("{answer:?}") };
    let whole = proof.kept.clone();
    // Each location that is kept is needed: the start, the error, and one of the loop.
    assert_eq!(whole.len(), 3);
    for left_out in 0..whole.len() {
        proof.kept = whole.clone();
        proof.kept.remove(left_out);
        let forged = Certificate::Blocks(proof);
        let checked = certify::check_certificate(&system, &question, &forged, stop.flag());
        assert!(checked.is_err(), "without {:?}", whole[left_out]);
        let Certificate::Blocks(back) = forged else { unreachable!() };
        proof = back;
    }
    proof.kept = whole;
    let checked = certify::check_certificate(&system, &question, &Certificate::Blocks(proof), stop.flag());
    assert_eq!(checked, Ok(()));
}
