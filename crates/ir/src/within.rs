//! Questions about the first so many units of time.
//!
//! [`limit`] adds a clock that nothing resets, so that it tells the time since the start, and leaves the system
//! as it is otherwise. What is searched for is then a state that decides the property while that clock is at
//! most so much; evidence is about the system with the clock. Whoever keeps evidence keeps the limit with the
//! property, so that whoever reads it makes the same system.

use crate::number::Rat;
use crate::system::{Claim, Property, Span, System, Variable};
use crate::term::{Term, VarId};
use crate::value::Type;

/// No name that a user could give.
const CLOCK: &str = "$elapsed";

/// The clock that tells the time since the start; fails if no time passes in the system.
pub fn clock(system: &mut System) -> Result<VarId, &'static str> {
    let is_it = |clock: &VarId| !system.vars[*clock].shown && system.vars[*clock].name == CLOCK;
    if let Some(known) = system.clocks().find(is_it) {
        return Ok(known);
    }
    if system.clocks().next().is_none() {
        return Err("the model has no clocks, so no time passes in it");
    }
    let variable = Variable { shown: false, ..Variable::state(CLOCK, Span::default()) };
    Ok(system.declare(Type::Clock, variable))
}

/// Makes a property one about the first `most` units of time.
pub fn limit(system: &mut System, property: &mut Property, most: u64) -> Result<(), String> {
    let clock = clock(system)?;
    let most = i64::try_from(most).map_err(|_| format!("{most} time units are too many"))?;
    let terms = &mut system.terms;
    let (now, most) = (terms.var(clock), terms.int(most));
    let early = terms.le(now, most);
    let mut both = |term: Term| terms.and([early, term]);
    property.faults.iter_mut().for_each(|(condition, _)| *condition = both(*condition));
    property.claim = match property.claim {
        Claim::Always(term) => Claim::Always(terms.implies(early, term)),
        Claim::Possibly(term) => Claim::Possibly(terms.and([early, term])),
    };
    Ok(())
}

/// Reads a number of time units.
pub fn amount(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| match text.parse::<Rat>() {
        Ok(amount) if !amount.is_negative() => {
            "clocks are compared with whole numbers; to ask for a part of a time unit, multiply all constants \
             that the model compares clocks with"
                .to_owned()
        }
        _ => "a whole number of time units is needed, for example 100".to_owned(),
    })
}
