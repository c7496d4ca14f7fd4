//! The letters of a cube, told apart by what they enable.
//!
//! A letter gives every atom a value, and there are too many to look at each. A *partial* letter leaves atoms open. Where
//! it decides all guards, all letters that it stands for enable the same transitions. Where it does not, there is an
//! open atom that a guard waits for, and the partial letter is split by its two values. So the letters that come out
//! are a partition of the cube, and each of its letters is one of them.

use std::sync::atomic::{AtomicBool, Ordering};

use ir::automaton::Transition;

use super::Hindrance;

/// The most partial letters that are looked at for a cube.
const MOST_LETTERS: usize = 1 << 16;

/// For the letters in a cube, the transitions that they enable, by their numbers.
///
/// # Errors
/// If there are too many letters, or on request.
pub fn enabled(
    cube: &[(u32, bool)],
    transitions: &[&Transition],
    stop: &AtomicBool,
) -> Result<Vec<Vec<usize>>, Hindrance> {
    let mut open = vec![cube.to_vec()];
    let (mut all, mut seen) = (vec![], 0);
    while let Some(letter) = open.pop() {
        seen += 1;
        if seen > MOST_LETTERS {
            return Err(Hindrance::TooLarge);
        }
        if stop.load(Ordering::Relaxed) {
            return Err(Hindrance::Interrupted);
        }
        match enabled_by(&letter, transitions) {
            Ok(enabled) => all.push(enabled),
            Err(atom) => open.extend([true, false].map(|value| {
                let mut split = letter.clone();
                split.push((atom, value));
                split
            })),
        }
    }
    Ok(all)
}

/// The transitions that all letters enable which a partial one stands for; the others do not enable them. Or else an atom
/// on which that depends.
fn enabled_by(letter: &[(u32, bool)], transitions: &[&Transition]) -> Result<Vec<usize>, u32> {
    let mut enabled = vec![];
    for (number, transition) in transitions.iter().enumerate() {
        if admits(&transition.guard.cubes, letter)? {
            enabled.push(number);
        }
    }
    Ok(enabled)
}

/// Whether one of some cubes admits each letter that a partial one stands for, or none does any. Or else an open atom that
/// they mention.
pub fn admits(cubes: &[Vec<(u32, bool)>], letter: &[(u32, bool)]) -> Result<bool, u32> {
    let value = |atom: u32| letter.iter().find(|(known, _)| *known == atom).map(|(_, value)| *value);
    let mut open = None;
    for cube in cubes {
        if cube.iter().any(|(atom, wanted)| value(*atom) == Some(!wanted)) {
            continue;
        }
        match cube.iter().find(|(atom, _)| value(*atom).is_none()) {
            None => return Ok(true),
            Some((atom, _)) => open = Some(*atom),
        }
    }
    open.map_or(Ok(false), Err)
}

#[cfg(test)]
mod tests;
