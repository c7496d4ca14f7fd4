//! The target in a zone, and deadlocks in particular.
//!
//! A state is deadlocked if nothing can happen now or after a delay within the invariants. What can
//! happen from the state at hand is listed as paths; taken backwards from all valuations, a path gives
//! exactly those from which it is possible. What is left of an entry's zone without these is deadlocked.
//! With open data, what is possible for some values only is left out there; see [`super::open`].
//! Here a zone that is too large would hide a deadlock, so sums of constants must stay within bounds.

use ir::{ClockRange, VectorId};

use super::Check;
use super::execution::Question;
use super::model::{Model, Program};
use super::path::Op;
use crate::dbm::{Dbm, LARGEST, bound};
use crate::{Flaw, Place, Rejection, Undecided};

/// What is asked about a state.
#[derive(Default)]
pub(super) struct Questions {
    /// The target for valuations that are deadlocked, and for those that are not.
    pub(super) dead: Option<Question>,
    pub(super) alive: Option<Question>,
    /// What matters of time, if deadlocks do.
    pub(super) moments: Option<Moments>,
}

/// What becomes of a state in time.
pub(super) struct Moments {
    /// The invariants, in each of the ways in which they can hold.
    within: Vec<Dbm>,
    /// Where something can happen now or later; first, so many where that is so whatever is open.
    possible: Vec<Dbm>,
    sure: usize,
}

impl Questions {
    /// Whether the target holds somewhere in a zone at the state.
    pub(super) fn are_met(
        &self,
        model: &Model,
        vector: VectorId,
        zone: &Dbm,
        constants: Option<&[ClockRange]>,
    ) -> Result<bool, Rejection> {
        if self.dead.is_none() && self.alive.is_none() {
            return Ok(false);
        }
        let Some(Moments { within, possible, sure }) = &self.moments else {
            return self
                .dead
                .as_ref()
                .map_or(Ok(false), |question| model.meets_target(question, vector, zone, constants));
        };
        if constants.is_some() {
            return Err(Place::Whole.wrong(Flaw::SimulatedDeadlock));
        }
        for limit in within {
            // Entries may be larger, but no state is where its invariants fail.
            let mut here = limit.clone();
            if !here.intersect(zone) {
                continue;
            }
            if let Some(question) = &self.dead
                && is_met_outside(model, question, vector, &here, &possible[..*sure])?
            {
                return Ok(true);
            }
            let Some(question) = &self.alive else { continue };
            for part in possible {
                let mut part = part.clone();
                if part.intersect(&here) && model.meets_target(question, vector, &part, None)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// Whether a question is met in a zone outside all others.
fn is_met_outside(
    model: &Model,
    question: &Question,
    vector: VectorId,
    zone: &Dbm,
    others: &[Dbm],
) -> Result<bool, Rejection> {
    let Some((first, others)) = others.split_first() else {
        return model.meets_target(question, vector, zone, None);
    };
    let mut parts = vec![];
    zone.without(first, &mut parts);
    for part in &parts {
        if ir::deep(|| is_met_outside(model, question, vector, part, others))? {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Check<'_> {
    /// What becomes in time of a state, whose paths are listed.
    pub(super) fn moments(
        &mut self,
        model: &mut Model,
        vector: VectorId,
        words: &[u32],
    ) -> Result<Moments, Rejection> {
        if model.is_urgent_in_time(vector) {
            return Err(Undecided::Property.into());
        }
        // On arrival there were invariants, a delay if time may pass, and the invariants again.
        let arrivals = model.programs(vector, words, self.stop)?;
        let (mut delays, mut within) = (vec![], vec![]);
        for Program { ops: arrival, guessed, .. } in arrivals.iter() {
            let delay = arrival.iter().position(|op| *op == Op::Delay);
            delays.push((delay.map_or(&[][..], |at| &arrival[at..]), *guessed));
            within.extend(before(model, &[], delay.map_or(&arrival[..], |at| &arrival[at + 1..]))?);
        }
        if ir::has_undefined(&model.system, model.locations(vector)) {
            // An initial state may be where evaluating an invariant goes wrong, which is possible now.
            delays.push((&[], false));
            within = vec![Dbm::all(model.dim())];
        }
        if delays.iter().all(|(_, guessed)| *guessed) {
            // Whatever becomes of time, what is possible now is possible.
            delays.push((&[], false));
        }
        let (mut possible, mut unsure) = (vec![], vec![]);
        for path in &self.paths {
            for (delay, guessed) in &delays {
                let list = if *guessed || path.guessed { &mut unsure } else { &mut possible };
                list.extend(before(model, delay, &self.ops[path.ops.clone()])?);
            }
        }
        let sure = possible.len();
        possible.extend(unsure);
        Ok(Moments { within, possible, sure })
    }
}

/// The valuations from which a delay and then a path are possible; closed.
fn before(model: &Model, delay: &[Op], path: &[Op]) -> Result<Option<Dbm>, Rejection> {
    let mut zone = Dbm::all(model.dim());
    // Every bound that follows from others is a sum in which each occurs once at most.
    let mut sum = 0;
    for op in delay.iter().chain(path).rev() {
        let some = match *op {
            Op::Constrain { plus, minus, constant, strict } => {
                sum += i64::from(constant).abs();
                zone.constrain(plus as usize, minus as usize, bound(constant.into(), strict))
            }
            Op::Set { clock, value } => {
                sum += 2 * i64::from(value);
                zone.before_reset(clock as usize, value.into())
            }
            Op::Delay => {
                zone.before_delay();
                true
            }
            Op::Copy { clock, from } => zone.before_copy(clock as usize, from as usize),
            // What is possible for some value need not be possible for the right one, unless it is for any.
            Op::Free { clock } if !zone.is_free(clock as usize) => return Err(Undecided::Property.into()),
            Op::Free { .. } => true,
            Op::Refuse(why) => return Err(model.refusals[why as usize].clone().into()),
        };
        if sum > LARGEST {
            return Err(Undecided::LargeConstants.into());
        }
        if !some {
            return Ok(None);
        }
    }
    Ok(Some(zone))
}
