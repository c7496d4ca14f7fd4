//! The greatest values of several terms in one list of states.
//!
//! What is searched for is a state where one of the terms is greater than anywhere before. Each that is found raises what is
//! searched for, and the search goes on from where it is. So all terms share one list, and a state where none of them is
//! greater costs what it costs in any search for something.
//!
//! What comes out has no evidence: it says where to ask. Nothing is lost if it is too small.

use ir::eval::{eval, holds};
use ir::{State, System, Term, Value};

use super::returns::At;
use super::{End, Explorer};
use crate::{Config, Observer, Stop};

/// A term that is looked at where a condition holds.
#[derive(Copy, Clone, Debug)]
pub struct Probe {
    /// The condition.
    pub when: Term,
    /// The term, an integer.
    pub value: Term,
}

/// What was seen of the values of terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Survey {
    /// The greatest value of each, if one was seen.
    pub greatest: Vec<Option<i64>>,
    /// Whether all reachable states have been looked at.
    pub complete: bool,
}

/// What no value that anybody asks for is below.
const LEAST: i64 = -(1 << 40);

/// So often is raised what is searched for: values that grow with every step are not followed for ever.
const MOST_RAISED: usize = 4096;

/// Lists the states of a system without clocks, within the limits, and looks at terms there.
pub fn survey(
    system: &System,
    probes: &[Probe],
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Survey {
    let mut seen = Seen { probes, greatest: vec![None; probes.len()], raised: 0 };
    let none = Survey { greatest: vec![None; probes.len()], complete: false };
    if system.clocks().next().is_some() {
        return none;
    }
    let mut system = system.clone();
    let target = seen.beyond(&mut system);
    let mut explorer = Explorer::new(system, target, config, stop);
    explorer.goes_on = true;
    let complete = loop {
        let end = explorer.explore(observer);
        if !explorer.raise(&mut seen) {
            break false;
        }
        match end {
            Ok(()) => break true,
            Err(End::Found) => {}
            Err(End::Pause | End::Open | End::Unknown(_)) => break false,
        }
    };
    Survey { greatest: seen.greatest, complete }
}

/// What has been seen so far.
struct Seen<'a> {
    probes: &'a [Probe],
    greatest: Vec<Option<i64>>,
    raised: usize,
}

impl Seen<'_> {
    /// That a term is greater than it has been.
    fn beyond(&self, system: &mut System) -> Term {
        let mut list = vec![];
        for (probe, greatest) in self.probes.iter().zip(&self.greatest) {
            // The code of this condition never gets longer than it is in the beginning.
            let most = system.terms.int(greatest.unwrap_or(LEAST));
            let greater = system.terms.gt(probe.value, most);
            list.push(system.terms.and([probe.when, greater]));
        }
        system.terms.or(list)
    }
    /// Looks at all terms in a state; whether one is greater than it has been.
    fn look(&mut self, system: &mut System, state: &State) -> bool {
        let mut greater = false;
        for (probe, greatest) in self.probes.iter().zip(&mut self.greatest) {
            // Where that cannot be spelled out, whoever asks will find it.
            let Ok(when) = ir::at_state(system, probe.when, state) else { continue };
            let at = At { system, state };
            if holds(&system.terms, &at, when) != Ok(true) {
                continue;
            }
            let value = match eval(&system.terms, &at, probe.value).as_deref() {
                Ok(Value::Int(value)) => value.to_i64(),
                _ => None,
            };
            if value > *greatest {
                *greatest = value;
                greater = true;
            }
        }
        greater
    }
}

impl Explorer<'_> {
    /// Looks at the states that were found; whether to go on.
    fn raise(&mut self, seen: &mut Seen<'_>) -> bool {
        // The search may have ended in the middle of an action.
        self.vm.reset();
        for at in std::mem::take(&mut self.hits) {
            // A state with open values stands for many, and may be hit more than once.
            loop {
                self.visited.store.get(at, &mut self.vm.slots);
                let state = match self.places.inspect(&mut self.vm, &self.visited.values) {
                    Ok(Some(state)) => state,
                    Ok(None) => break,
                    Err(_) => return false,
                };
                let fault = self.places.system.is_fault(&state.locations);
                seen.raised += 1;
                if fault || seen.raised > MOST_RAISED || !seen.look(&mut self.places.system, &state) {
                    return false;
                }
                let target = seen.beyond(&mut self.places.system);
                self.places.look_for(target, &mut self.vm, &mut self.visited.values);
            }
        }
        true
    }
}
