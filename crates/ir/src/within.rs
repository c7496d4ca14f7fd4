//! Questions about the first so many units of time.
//!
//! [`limit`] adds a clock that nothing resets, so that it tells the time since the start. What is searched for is
//! then a state that decides the property while that clock is at most so much; evidence is about the system with
//! the clock, which [`System::elapsed`] names. Whoever keeps evidence keeps the limit with the property, so that whoever
//! reads it makes the same system.
//!
//! This is a way to *pose* a question, and no pass that helps to answer one: properties, with the conditions under which
//! they go wrong, are changed before there are questions, and runs and certificates are about the system with the
//! clock, so there is nothing to lift. What it preserves is reachability within the limit: as all runs end there, no
//! question about infinite runs can be posed like that.
//!
//! Since nothing resets the clock, no run comes back from beyond the limit, and what lies there decides nothing.
//! So time ends there: that it is not too late is an invariant of every location, and asked for wherever a step
//! goes wrong. A run to a state, or to a fault, within the limit is one of both systems. A `deadlock` is not told
//! by its state alone but by what could happen later, beyond the limit too, be it that something goes wrong; who
//! asks for it gets that time as well.

use std::fmt;

use crate::number::{Int, Rat};
use crate::system::{Claim, Property, Span, System, Variable};
use crate::target::mentions_deadlock;
use crate::term::{Term, VarId};
use crate::value::Type;

/// Why a question cannot be asked about the first so many units of time.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum WithinError {
    /// The system has no clocks.
    NoClocks,
    /// So many units cannot be counted.
    TooMany,
    /// Only whole units can be asked for.
    Fraction,
    /// This is no amount of time.
    NotAnAmount,
    /// It is about whole runs, which have no end.
    Endless,
}

impl fmt::Display for WithinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WithinError::NoClocks => f.write_str("the model has no clocks, so time decides nothing in it"),
            WithinError::TooMany => write!(f, "at most {} time units can be asked for", i64::MAX),
            WithinError::Fraction => f.write_str(
                "clocks are compared with whole numbers; to ask for a part of a time unit, multiply all constants \
                 that the model compares clocks with",
            ),
            WithinError::NotAnAmount => {
                f.write_str("a whole number of time units is needed, for example 100")
            }
            WithinError::Endless => f.write_str(
                "a temporal property is about runs without end; ask about the states within that time instead, or for a \
                 bounded response (`p -->[<=10] q`)",
            ),
        }
    }
}

impl std::error::Error for WithinError {}

/// The clock that tells the time since the start.
///
/// # Errors
/// If the system has no clocks.
pub fn clock(system: &mut System) -> Result<VarId, WithinError> {
    if let Some(known) = system.elapsed {
        return Ok(known);
    }
    if system.clocks().next().is_none() {
        return Err(WithinError::NoClocks);
    }
    // No name that a user could give.
    let variable = Variable { shown: false, ..Variable::state("$elapsed", Span::default()) };
    let clock = system.declare(Type::Clock, variable);
    system.elapsed = Some(clock);
    Ok(clock)
}

/// Makes properties ones about the first `most` units of time.
///
/// # Errors
/// If that cannot be asked of the system.
pub fn limit<'a>(
    system: &mut System,
    properties: impl IntoIterator<Item = &'a mut Property>,
    most: u64,
) -> Result<(), WithinError> {
    let early = early(system, most)?;
    let mut later = false;
    for property in properties {
        later |= narrow(system, property, early)?;
    }
    if !later {
        end(system, early);
    }
    Ok(())
}

/// Whether it is not too late.
fn early(system: &mut System, most: u64) -> Result<Term, WithinError> {
    let clock = clock(system)?;
    let most = i64::try_from(most).map_err(|_| WithinError::TooMany)?;
    let terms = &mut system.terms;
    let (now, most) = (terms.var(clock), terms.int(most));
    Ok(terms.le(now, most))
}

/// Lets no time pass, and nothing go wrong, but early. One process is enough to wait: all of them do together.
fn end(system: &mut System, early: Term) {
    let in_time = system.terms.assume(early);
    for (at, process) in system.processes.iter_mut().enumerate() {
        for edge in process.edges.iter_mut() {
            let fault = &mut edge.update.fault;
            *fault = fault.map(|fault| system.terms.seq([fault, in_time]));
        }
        for location in process.locations.iter_mut().filter(|_| at == 0) {
            location.invariant = system.terms.and([location.invariant, early]);
        }
    }
}

/// Makes a property one about the early states; whether it asks for deadlocks.
fn narrow(system: &mut System, property: &mut Property, early: Term) -> Result<bool, WithinError> {
    let terms = &mut system.terms;
    let (term, claim) = match property.claim {
        Claim::Always(term) => (term, Claim::Always(terms.implies(early, term))),
        Claim::Possibly(term) => (term, Claim::Possibly(terms.and([early, term]))),
        Claim::Every(_) | Claim::Some(_) | Claim::AlwaysPossibly(_) => return Err(WithinError::Endless),
    };
    property.claim = claim;
    property.faults.iter_mut().for_each(|(condition, _)| *condition = terms.and([early, *condition]));
    Ok(mentions_deadlock(system, term))
}

/// Reads a number of time units.
///
/// # Errors
/// If it is none.
pub fn amount(text: &str) -> Result<u64, WithinError> {
    match text.parse::<Rat>() {
        // Also one that is written `5.0` or `60/2`.
        Ok(amount) if amount.denominator() == Int::ONE && !amount.is_negative() => {
            let most = amount.numerator().to_i64().and_then(|most| u64::try_from(most).ok());
            most.ok_or(WithinError::TooMany)
        }
        Ok(amount) if !amount.is_negative() => Err(WithinError::Fraction),
        _ => Err(WithinError::NotAnAmount),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_it_cannot_be_asked_is_data() {
        assert_eq!(amount("60/2"), Ok(30));
        assert_eq!(amount("5.5"), Err(WithinError::Fraction));
        assert_eq!(amount("-1"), Err(WithinError::NotAnAmount));
        assert_eq!(amount("soon"), Err(WithinError::NotAnAmount));
        assert_eq!(amount("9223372036854775808"), Err(WithinError::TooMany));
        assert_eq!(limit(&mut System::default(), [], 5), Err(WithinError::NoClocks));
        let mut system = System::default();
        system.declare(Type::Clock, Variable::state("c", Span::default()));
        assert_eq!(limit(&mut system, [], 1 << 63), Err(WithinError::TooMany));
        assert_eq!(limit(&mut system, [], 5), Ok(()));
    }
}
