use std::collections::BTreeSet;

use ir::automaton::Guard;
use proptest::prelude::*;
use sampling::runs;

use super::*;

/// Guards over three atoms; a cube may contradict itself.
fn guards() -> impl Strategy<Value = Guard> {
    let cube = proptest::collection::vec((0..3_u32, any::<bool>()), 0..=3);
    proptest::collection::vec(cube, 0..=3).prop_map(|cubes| Guard { cubes })
}

/// All eight letters are tried.
#[test]
fn the_letters_of_a_cube_are_told_apart_by_what_they_enable() {
    let first = proptest::option::of(any::<bool>());
    let cases = (first, proptest::collection::vec(guards(), 0..=3));
    sampling::check(
        runs(1_000, 1),
        &cases,
        |case| format!("{case:?}"),
        |(first, guards)| {
            let transition = |guard| Transition { source: 0, target: 0, guard, marks: 0 };
            let transitions: Vec<Transition> = guards.into_iter().map(transition).collect();
            let mut expected = BTreeSet::new();
            for letter in (0..8_u32).filter(|letter| first.is_none_or(|value| (letter & 1 == 1) == value)) {
                let admits = |it: &Transition| it.guard.admits(|atom| letter >> atom & 1 == 1);
                let all = transitions.iter().enumerate();
                expected
                    .insert(all.filter(|(_, it)| admits(it)).map(|(number, _)| number).collect::<Vec<_>>());
            }
            let cube: Vec<(u32, bool)> = first.map(|value| (0, value)).into_iter().collect();
            let stop = AtomicBool::new(false);
            let found = enabled(&cube, &transitions.iter().collect::<Vec<_>>(), &stop).expect("few letters");
            let found: BTreeSet<Vec<usize>> = found.into_iter().collect();
            if found == expected { Ok(()) } else { Err(format!("{found:?} instead of {expected:?}")) }
        },
    );
}

/// Each of 17 transitions waits for an atom of its own, so that all 2^17 letters enable different ones.
#[test]
fn too_many_letters_are_refused() {
    let wait = |atom| Transition {
        source: 0,
        target: 0,
        guard: Guard { cubes: vec![vec![(atom, true)]] },
        marks: 0,
    };
    let transitions: Vec<Transition> = (0..17).map(wait).collect();
    let found = enabled(&[], &transitions.iter().collect::<Vec<_>>(), &AtomicBool::new(false));
    assert_eq!(found, Err(Hindrance::TooLarge));
}

#[test]
fn a_request_to_stop_is_heard() {
    assert_eq!(enabled(&[], &[], &AtomicBool::new(true)), Err(Hindrance::Interrupted));
}
