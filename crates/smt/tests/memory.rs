//! The memory limit is one for the whole program, so its test is a program of its own.

extern crate thetis_smt as smt;

#[path = "../testing/traces.rs"]
mod traces;

use ir::{Steps, Terms, Type};
use smt::z3::{Z3Solver, memory_limit};
use smt::{
    Answer, Interpolation, Interpolator, Interrupt, NoInterpolants, Solver, Strategy, Trace, probe, verify,
};

#[test]
fn a_solver_stops_at_the_memory_limit_and_the_next_one_goes_on() {
    // The library keeps some memory for good where it ran out of it, so the lowest limits come last.
    interpolants_at_every_limit();
    probe::memory(200).unwrap();
    starved();
}

fn starved() {
    let mut terms = Terms::new();
    let x = terms.declare(Type::Int);
    let now = Steps::start();
    let ask = |terms: &mut Terms| {
        let (x, zero) = (terms.var(x), terms.int(0));
        let above = terms.lt(zero, x);
        let mut solver = Z3Solver::new()?;
        solver.assert(terms, above, &now)?;
        solver.check(&[])
    };
    assert_eq!(ask(&mut terms), Ok(Answer::Sat));
    // Less than what the library needs for itself: no answer, and nothing worse.
    memory_limit(1).unwrap();
    let starved = ask(&mut terms);
    memory_limit(0).unwrap();
    assert!(matches!(starved, Ok(Answer::Sat) | Err(Interrupt::Memory)), "{starved:?}");
    assert_eq!(ask(&mut terms), Ok(Answer::Sat));
}

/// Wherever in a long computation the limit is reached, there is a right answer or none.
fn interpolants_at_every_limit() {
    let (mut right, mut none) = (0, 0);
    for (at, megabytes) in (8..=30).rev().flat_map(|limit| [limit; 5]).enumerate() {
        let family = traces::FAMILIES[at % traces::FAMILIES.len()];
        let (mut terms, stmts) = traces::trace(family, 7);
        let trace = Trace::of(&mut terms, &stmts).unwrap();
        memory_limit(megabytes).unwrap();
        let found = Z3Solver::new()
            .and_then(|solver| Interpolation::new(&solver, Strategy::Auto))
            .map_err(NoInterpolants::Interrupt)
            .and_then(|mut interpolation| interpolation.sequence(&mut terms, &trace));
        memory_limit(0).unwrap();
        match found {
            Ok(interpolants) => {
                let solver = Z3Solver::new().unwrap();
                verify(&solver, &mut terms, &trace, &interpolants.sequence).unwrap();
                right += 1;
            }
            Err(NoInterpolants::Interrupt(Interrupt::Memory)) => none += 1,
            Err(other) => panic!("{family} with {megabytes} MB: {other}"),
        }
    }
    assert!(right > 0 && none > 0, "{right} {none}");
}
