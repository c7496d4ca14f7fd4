//! A list of zones of a rewritten system as one of the system as it was.
//!
//! An entry of the rewritten system stands for all states of the old one that become one of its states: folded
//! variables have their constants, dropped and forgotten ones any value, and dropped clocks any time, independently of
//! everything else. In the matrix of a zone that means no limit for the dropped clock `x` itself, `0 - x <= 0`,
//! and for another clock `y` that `y - x` is at most what `y` is: so closed limits stay closed. As no condition
//! speaks of a dropped clock, it needs no constants where an entry stands for what it simulates.
//!
//! The list is closed because the rewritten one is, and a step of the old system is one of the rewritten.

use std::cell::RefCell;

use ir::{ClockRange, Limit, State, System, Term, Value, VarId, Zone, ZoneSet};

use super::lift::Variables;

/// Entries of a rewritten system, widened.
pub(super) struct Widened {
    set: Box<dyn ZoneSet>,
    /// For every variable of the old states, where its value comes from.
    slots: Vec<Slot>,
    /// For number 0 and every clock of the old system, its number in the new one if it has any.
    clocks: Vec<Option<usize>>,
    memory: RefCell<Memory>,
}

enum Slot {
    /// The state of the rewritten system.
    Kept,
    Constant(Value),
    /// Anything, whatever that state says.
    Forgotten,
    /// Anything; that state has no place for it.
    Dropped,
}

#[derive(Default)]
struct Memory {
    state: State,
    zone: Zone,
    ranges: Vec<ClockRange>,
}

impl Widened {
    /// `None` if something was done to variables that a list of zones cannot show.
    pub(super) fn new(lift: &Variables, after: &System, set: Box<dyn ZoneSet>) -> Option<Self> {
        let Variables { before, way_back, folded, .. } = lift;
        let kept: Vec<VarId> = after.state_vars().collect();
        let is_constant = |term: Term| before.terms.as_const(term).is_some();
        if kept.iter().filter_map(|var| way_back.get(*var)).any(|term| !is_constant(term)) {
            return None;
        }
        let slot = |var: VarId| match folded.iter().find(|(folded, _)| *folded == var) {
            Some((_, value)) => Slot::Constant(value.clone()),
            None if kept.contains(&var) && way_back.get(var).is_some() => Slot::Forgotten,
            None if kept.contains(&var) => Slot::Kept,
            None => Slot::Dropped,
        };
        let slots = before.state_vars().map(slot).collect();
        let number = |clock: VarId| Some(after.clocks().position(|kept| kept == clock)? + 1);
        let clocks = std::iter::once(Some(0)).chain(before.clocks().map(number)).collect();
        Some(Widened { set, slots, clocks, memory: RefCell::default() })
    }
}

impl ZoneSet for Widened {
    fn len(&self) -> usize {
        self.set.len()
    }
    fn state(&self, index: usize, out: &mut State) {
        let Memory { state, .. } = &mut *self.memory.borrow_mut();
        self.set.state(index, state);
        out.locations.clone_from(&state.locations);
        let mut kept = state.values.iter_mut();
        let value = |slot: &Slot| match slot {
            Slot::Kept => kept.next().and_then(Option::take),
            Slot::Constant(value) => Some(value.clone()),
            Slot::Forgotten => kept.next().and(None),
            Slot::Dropped => None,
        };
        out.values = self.slots.iter().map(value).collect();
    }
    fn zone(&self, index: usize, out: &mut Zone) {
        let Memory { zone, .. } = &mut *self.memory.borrow_mut();
        self.set.zone(index, zone);
        let limit = |row: usize, column: usize| match (self.clocks[row], self.clocks[column]) {
            _ if row == column => Limit::LE_ZERO,
            (Some(left), Some(right)) => zone.limits[left * zone.dim + right],
            (Some(left), None) => zone.limits[left * zone.dim],
            (None, _) => Limit::NONE,
        };
        let dim = self.clocks.len();
        out.dim = dim;
        out.limits.clear();
        out.limits.extend((0..dim * dim).map(|at| limit(at / dim, at % dim)));
    }
    fn find(&self, like: usize, zone: &Zone, most: Option<&[ClockRange]>) -> Option<usize> {
        let kept = || (0..self.clocks.len()).filter(|clock| self.clocks[*clock].is_some());
        let limits = kept().flat_map(|row| kept().map(move |column| zone.limits[row * zone.dim + column]));
        let narrow = Zone { dim: kept().count(), limits: limits.collect() };
        let most: Option<Vec<ClockRange>> =
            most.map(|most| kept().skip(1).map(|clock| most[clock - 1]).collect());
        self.set.find(like, &narrow, most.as_deref())
    }
    fn simulation(&self, index: usize, out: &mut Vec<ClockRange>) -> bool {
        let Memory { ranges, .. } = &mut *self.memory.borrow_mut();
        let simulates = self.set.simulation(index, ranges);
        out.clear();
        if simulates {
            let range = |number: &Option<usize>| number.map_or((None, None), |at| ranges[at - 1]);
            out.extend(self.clocks[1..].iter().map(range));
        }
        simulates
    }
}
