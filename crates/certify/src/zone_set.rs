//! Zone sets: discrete states with zones that contain the initial states and are closed under every
//! action.
//!
//! An entry `(s, Z)` stands for the states with discrete part `s` and clocks in `Z`. What is checked:
//! the initial states lie in entries; for every entry and every action, all successors lie in entries;
//! no entry is a fault or meets the target at observed locations. By induction along a run, every
//! reachable state lies in an entry, so none is a fault or an observed target. Successors are computed
//! here, from the statements, with exact zones; the entry that should contain one is only a hint, and
//! compared with it. Where differences of clocks are compared, a successor may lie in several entries
//! together; it is then cut along these differences, and each piece must lie in one.
//!
//! **Up to simulation.** If a set has constants `L` and `U` for the locations of `s`, the entry stands
//! for more: all states with clocks in a≼LU(Z), those that some valuation of `Z` simulates. `v ≼ w` means
//! for each clock `w(x) = v(x)`, or `L(x) < w(x) < v(x)`, or `U(x) < v(x) < w(x)`. The check still follows
//! `Z` only, and shows as it goes that `≼` is a simulation:
//! - A clock that an execution has set is equal in `v` and `w` from then on. A delay of the same length
//!   keeps `v ≼ w`.
//! - If `v` passes a constraint `x ≺ c` with `c <= U(x)`, or `c ≺ x` with `c <= L(x)`, so does `w`; the
//!   constants of every constraint met are compared, unless the clock has been set. So what `w` cannot
//!   pass, `v` cannot either, and an execution that has left the zone need not be followed. Differences of
//!   two clocks are refused unless both have been set. The target is such a condition too.
//! - On arrival, the constants of the target locations are at most those of the source for every clock
//!   that has not been set, so `v ≼ w` holds for them as well; and since `≼` is transitive, it is enough
//!   that the successors of `Z` lie in a≼LU of an entry there.

mod execution;
mod model;

use std::sync::atomic::{AtomicBool, Ordering};

use ir::{ClockRange, Id, LocationId, State, Stmt, System, Term, ZoneSet};

use crate::dbm::{Dbm, reversed};
use crate::{Rejection, check_shape, is_fault, wrong};
use execution::{At, Execution, Memory};
use model::{Constraint, Model};

/// Checks that `set` is closed and excludes the target and every fault.
pub fn check(system: &System, target: Term, set: &dyn ZoneSet, stop: &AtomicBool) -> Result<(), Rejection> {
    let mut model = Model::new(system.clone(), target, set);
    let mut memory = Memory::new(&model);
    check_initial(&mut model, &mut memory, set, stop)?;
    let mut source = Execution::default();
    for index in 0..set.len() {
        if stop.load(Ordering::Relaxed) {
            return Err(Rejection::Interrupted);
        }
        let (state, zone) = set.entry(index);
        let place = || format!("entry {index} of the set");
        check_shape(&model.system, &format_args!("entry {index} of the set"), &state)?;
        if model.clocks.iter().any(|clock| state.values[clock.slot].is_some()) {
            return Err(wrong(format!("{}: clocks have values of their own", place())));
        }
        if !source.zone.read(&zone, model.dim()) {
            return Err(wrong(format!("{}: this is no zone of the model's clocks", place())));
        }
        let vector = model.vector(&state.locations)?;
        let constants = model.constants_at(vector);
        match source.zone.close() {
            // An entry without valuations claims nothing, and contains nothing.
            None => continue,
            Some(true) if constants.is_some() => {
                return Err(wrong(format!("{}: the zone is not in closed form", place())));
            }
            Some(_) => {}
        }
        if is_fault(&model.system, &state) {
            return Err(wrong(format!("{} is a fault", place())));
        }
        source.load(&model, &state);
        let at = At { locations: &state.locations, constants };
        if model.meets_target(&at, vector, &source)? {
            return Err(wrong(format!("{} meets the target", place())));
        }
        for action in &model.place(vector).actions {
            if model.blocks_at_once(&at, action.stmt, &source, &mut memory.constraints)? {
                continue;
            }
            let missing = |end: &Execution, out: &mut Successor| {
                let arrival = model.constants_at(action.vector);
                check_constants(&model, constants, arrival, end)?;
                out.write(&model, model.locations(action.vector), end);
                Ok(!out.is_listed(set, arrival, &model.diagonals))
            };
            let then: &[Stmt] = if action.fault { &[] } else { &model.arrivals[action.vector.index()].stmts };
            if model.run(&at, (action.stmt, then), &source, &mut memory, stop, missing)? {
                return Err(wrong(format!("a successor of {} is not in the set", place())));
            }
        }
    }
    Ok(())
}

/// Checks that every initial state is listed.
fn check_initial(
    model: &mut Model<'_>,
    memory: &mut Memory,
    set: &dyn ZoneSet,
    stop: &AtomicBool,
) -> Result<(), Rejection> {
    let initial = ir::initial(&mut model.system);
    let locations = model.system.initial_locations();
    model.split_all(initial)?;
    let vector = model.vector(&locations)?;
    let open =
        State { locations: locations.clone(), values: model.state_vars.iter().map(|_| None).collect() };
    let mut source = Execution { zone: Dbm::all(model.dim()), ..Execution::default() };
    source.load(model, &open);
    let constants = model.constants_at(vector);
    let at = At { locations: &locations, constants: None };
    let missing = |end: &Execution, out: &mut Successor| {
        out.write(model, &locations, end);
        Ok(!out.is_listed(set, constants, &model.diagonals))
    };
    if model.run(&at, (initial, &[]), &source, memory, stop, missing)? {
        return Err(wrong("an initial state is not in the set"));
    }
    Ok(())
}

/// Checks, up to simulation, that what simulates at the source does so on arrival.
fn check_constants(
    model: &Model<'_>,
    source: Option<&[ClockRange]>,
    target: Option<&[ClockRange]>,
    end: &Execution,
) -> Result<(), Rejection> {
    let Some(source) = source else { return Ok(()) };
    let Some(target) = target else {
        return Err(wrong("simulation at some locations leads to others without"));
    };
    for (clock, (before, after)) in source.iter().zip(target).enumerate() {
        if !end.set[clock + 1] && (before.0 < after.0 || before.1 < after.1) {
            let name = &model.system.vars[model.clocks[clock].var].name;
            return Err(wrong(format!("simulation: the constants of `{name}` grow along an action")));
        }
    }
    Ok(())
}

/// A state and a zone in the form in which sets are asked for them.
struct Successor {
    state: State,
    zone: ir::Zone,
    dbm: Dbm,
    entry: Dbm,
}

impl Successor {
    fn write(&mut self, model: &Model<'_>, locations: &[LocationId], end: &Execution) {
        if *self.state.locations != *locations {
            self.state.locations = locations.into();
        }
        for (value, var) in self.state.values.iter_mut().zip(&model.state_vars) {
            value.clone_from(&end.values[var.index()]);
        }
        end.zone.write(&mut self.zone);
        self.dbm.copy(&end.zone);
    }
    /// Whether the entries that the set points at have this state and contain this zone, or all pieces
    /// of it along the `diagonals`.
    fn is_listed(
        &mut self,
        set: &dyn ZoneSet,
        constants: Option<&[ClockRange]>,
        diagonals: &[Constraint],
    ) -> bool {
        if self.is_within_one(set, constants) {
            return true;
        }
        let cuts = |(plus, minus, bound): &Constraint| {
            self.dbm.meets(*plus, *minus, *bound) && self.dbm.meets(*minus, *plus, reversed(*bound))
        };
        let Some(cut) = diagonals.iter().position(cuts) else { return false };
        let (plus, minus, bound) = diagonals[cut];
        let whole = self.dbm.clone();
        [(plus, minus, bound), (minus, plus, reversed(bound))].into_iter().all(|(plus, minus, bound)| {
            self.dbm.copy(&whole);
            self.dbm.constrain(plus, minus, bound);
            self.dbm.write(&mut self.zone);
            self.is_listed(set, constants, &diagonals[cut + 1..])
        })
    }
    fn is_within_one(&mut self, set: &dyn ZoneSet, constants: Option<&[ClockRange]>) -> bool {
        let Some(at) = set.find(&self.state, &self.zone).filter(|at| *at < set.len()) else { return false };
        let (state, zone) = set.entry(at);
        if state != self.state || !self.entry.read(&zone, self.zone.dim) {
            return false;
        }
        match constants {
            None => self.dbm.is_within(&self.entry),
            // Closed, or refused where the check comes by that entry.
            Some(constants) => self.dbm.is_simulated_within(&self.entry, constants),
        }
    }
}
