//! Proofs that no run satisfies a formula: see [`ir::Progress`] for what they consist of.
//!
//! Three things are shown. The automaton accepts every word that satisfies the formula, by a tableau of the judge's own
//! ([`covers`]); what the automaton was made of is not asked. The base contains whatever can be reached in
//! the product of the system with the automaton, and neither a target nor a fault, as for any other system. And if
//! the automaton has accepting cycles other than in sinks, a measure decreases along each of its runs, again and again
//! but for steps that are not in one acceptance set: then no run comes through that set for ever.

use std::sync::atomic::AtomicBool;

use ir::monitor::{NoProduct, product};
use ir::{Action, Certificate, Measure, PathQuestion, Progress, Question, System};

use crate::covers::covers;
use crate::{Flaw, Place, Rejection, Undecided, check_certificate, closed_set};

/// Checks that no run satisfies the formula.
pub(crate) fn check(
    system: &System,
    question: &PathQuestion,
    proof: &Progress,
    stop: &AtomicBool,
) -> Result<(), Rejection> {
    let Progress { automaton, base, measures } = proof;
    if system.timed().is_some() {
        // Runs may wait for ever, which no step of the product shows.
        return Err(Place::Whole.wrong(Flaw::Delay));
    }
    if !automaton.is_well_formed(question.atoms.len()) {
        return Err(Place::Whole.wrong(Flaw::Automaton));
    }
    match covers(&question.formula, automaton, stop) {
        Ok(true) => {}
        Ok(false) => return Err(Undecided::NotCovered.into()),
        Err(why) => return Err(why.into()),
    }
    let (product, asked) = product(system, question, automaton).map_err(|why| match why {
        NoProduct::Deadlock(_) | NoProduct::Processes => Rejection::from(Undecided::NoCondition),
    })?;
    match (asked, base) {
        (Question::Cycle(target), Certificate::ClosedSet(set)) => {
            if measures.len() != set.len() {
                return Err(Place::Whole.wrong(Flaw::Measures));
            }
            let descent = Descent { product: &product, measures };
            closed_set::check(&product, target, &**set, Some(&descent), stop)
        }
        (Question::Cycle(_), _) => Err(Place::Whole.wrong(Flaw::Measures)),
        (reach, base) => check_certificate(&product, &reach, base, stop),
    }
}

/// What must be true of every step between listed states.
pub(crate) struct Descent<'a> {
    product: &'a System,
    measures: &'a [Measure],
}

impl Descent<'_> {
    /// Whether a step from one listed state to another is allowed: the rank decreases, or nothing changes and the step is
    /// not in the acceptance set that is missing.
    pub(crate) fn allows(&self, from: usize, action: &Action, to: usize) -> bool {
        let (from, to) = (self.measures[from], self.measures[to]);
        let Some(monitor) = &self.product.monitor else { return false };
        let marks = monitor.marks_of(&action.edges);
        to.rank < from.rank
            || to == from && u32::from(from.missing) < monitor.sets && marks >> from.missing & 1 == 0
    }
}
