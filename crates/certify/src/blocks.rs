//! Proofs about the blocks of a program ([`ir::blocks`]): see [`ir::Blocks`] for what they consist of.
//!
//! The blocks are made here, from the program as the front-end made it. Every run of the program passes through the
//! kept locations as a run of the blocks does, and whatever goes wrong on the way goes wrong in a block. So what is
//! excluded of the blocks at kept locations is excluded of the program there; it remains to be seen that nothing is
//! searched for elsewhere. Which states are deadlocked is another matter in blocks, so nothing is shown about these.

use ir::blocks::blocks;
use ir::{Blocks, System, Term, Value};

use crate::{Flaw, Place, Rejection};

/// The system that the base of `proof` is about, if what it excludes is excluded of `system`.
pub fn system(system: &System, target: Term, proof: &Blocks) -> Result<System, Rejection> {
    let wrong = |flaw| Err(Place::Whole.wrong(flaw));
    if ir::mentions_deadlock(system, target) {
        return wrong(Flaw::NoCondition);
    }
    let Ok(result) = blocks(system, &proof.kept) else { return wrong(Flaw::Blocks) };
    let mut whole = system.clone();
    for (at, location) in system.processes.iter().flat_map(|process| process.locations.entries()) {
        let never = Some(&Value::Bool(false));
        if proof.kept.contains(&at) || system.is_fault(&[at]) || !location.observed {
            continue;
        }
        match ir::at_locations(&mut whole, target, &[at]) {
            Ok(here) if whole.terms.as_const(here) == never => {}
            _ => return wrong(Flaw::Target),
        }
    }
    Ok(result)
}
