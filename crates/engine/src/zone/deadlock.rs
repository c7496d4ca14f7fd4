//! The target in a zone, and deadlocks in particular.
//!
//! A state is deadlocked if no action is possible now or after any delay that the invariants and
//! urgency allow. A node's data are known, so each action runs on them, and what it asks of clocks is a
//! list of operations; taken backwards from all valuations, these give the zone from which it is
//! possible, and before a delay within the invariants those from which it will be. What is left of the
//! node's zone without all these zones is deadlocked, exactly. An action that goes wrong is one, too.
//! Valuations outside the invariants, which extrapolation may add, are not looked at.
//!
//! **Which extrapolation.** A node contains every reachable valuation it stands for, whatever the
//! extrapolation, so if none in any node is deadlocked, no reachable one is. The converse needs
//! bisimulation, since what simulates a deadlocked valuation may be able to do more: ExtraM. So a search
//! begins with ExtraLU+, and if it meets a deadlock, the run that leads there is looked for among the
//! exact valuations. Only if these have none does the search begin again, with ExtraM and the greatest
//! constants of each location, which keep bisimulation: guards and invariants, on which deadlocks depend,
//! are what the constants come from.

use ir::VectorId;
use zones::{Op, Zone, dbm};

use super::{Arrival, End, Explorer, Hurry, keep, outgrown};
use crate::concrete::vm::Halt;

impl Explorer<'_> {
    /// Whether the target holds somewhere in the zone of the machine.
    pub(crate) fn has_target(&mut self, vector: VectorId) -> Result<bool, End> {
        let mut found = false;
        self.targets(vector, &mut |_| {
            found = true;
            false
        })?;
        Ok(found)
    }
    /// Tells the ways in which the target holds in the zone of the machine, by what they ask of its clocks,
    /// until `tell` says no.
    pub(crate) fn targets(
        &mut self,
        vector: VectorId,
        tell: &mut dyn FnMut(Vec<Op>) -> bool,
    ) -> Result<(), End> {
        let target = self.places.target(vector);
        if target.is_never() {
            return Ok(());
        }
        if !target.asks_for_deadlocks() {
            let code = target.code(true).expect("it is not never");
            self.judge.time.source.copy_from_slice(self.vm.time.zone());
            self.targets_of(code, &[], tell)?;
            return Ok(());
        }
        let (mut alive, dead) = self.deadlocked(vector)?;
        if let Some(code) = target.code(true) {
            for zone in &dead {
                if !self.targets_within(code, zone, tell)? {
                    return Ok(());
                }
            }
        }
        if let Some(code) = target.code(false) {
            for zone in &dead {
                alive = without(&alive, zone).map_err(|_| outgrown())?;
            }
            for zone in &alive {
                if !self.targets_within(code, zone, tell)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
    fn targets_within(
        &mut self,
        code: u32,
        zone: &Zone,
        tell: &mut dyn FnMut(Vec<Op>) -> bool,
    ) -> Result<bool, End> {
        self.judge.time.source.copy_from_slice(zone.bounds());
        let within: Vec<Op> = zone.constraints().into_iter().map(Op::Constrain).collect();
        self.targets_of(code, &within, tell)
    }
    /// Tells the ways in which the condition `code` holds in the source zone of the judge.
    fn targets_of(
        &mut self,
        code: u32,
        within: &[Op],
        tell: &mut dyn FnMut(Vec<Op>) -> bool,
    ) -> Result<bool, End> {
        self.tell_judge();
        let Explorer { places, judge, .. } = self;
        let code = places.code(code);
        judge.reserve(code);
        judge.time.start();
        let mut more = judge.first(code);
        while more == Ok(true) {
            if !tell([within, judge.time.log()].concat()) {
                judge.reset();
                return Ok(false);
            }
            more = judge.next(code);
        }
        judge.reset();
        match more {
            Ok(_) => Ok(true),
            Err(halt) => Err(self.halted(halt)),
        }
    }
    /// Gives the judge the data of the state in the machine.
    fn tell_judge(&mut self) {
        let components = self.store.components();
        self.judge.slots[..components].copy_from_slice(&self.vm.slots[..components]);
    }

    /// The zone of the machine within the invariants, and what is deadlocked of it.
    fn deadlocked(&mut self, vector: VectorId) -> Result<(Vec<Zone>, Vec<Zone>), End> {
        let moves = self.places.prepare(vector)?;
        self.make_room();
        self.tell_judge();
        let here = Zone::from_closed(self.vm.time.zone(), self.dim);
        let hurries = self.hurries(vector)?;
        let limits = self.limits(vector, !hurries)?;
        // An initial state may be where evaluating an invariant goes wrong, which is possible now.
        let undefined = self.places.has_undefined(vector);
        let mut within = vec![];
        match undefined {
            true => within.push(here),
            false => {
                for limit in &limits {
                    within.extend(here.intersection(limit).map_err(|_| outgrown())?);
                }
            }
        }
        let mut rest = within.clone();
        if !hurries {
            self.take_away(vector, moves, Some(&limits), &mut rest)?;
        }
        if hurries || undefined {
            self.take_away(vector, moves, None, &mut rest)?;
        }
        Ok((within, rest))
    }
    /// Whether time stands still at the judge's data.
    fn hurries(&mut self, vector: VectorId) -> Result<bool, End> {
        let hurry = match self.places.arrival(vector) {
            Arrival::Simple(hurry) => hurry,
            Arrival::Compiled => self.places.limit(vector)?.1,
        };
        self.make_room();
        let result = match hurry {
            Hurry::Always => Ok(true),
            Hurry::Never => Ok(false),
            Hurry::When(code) => self.judge.test(self.places.code(code)),
        };
        result.map_err(|halt| self.halted(halt))
    }
    /// Zones that are together the zone of the machine, or what it can get to in time, within the
    /// invariants.
    fn limits(&mut self, vector: VectorId, time_passes: bool) -> Result<Vec<Zone>, End> {
        let source = &mut self.judge.time.source;
        source.copy_from_slice(self.vm.time.zone());
        if time_passes {
            dbm::up(source, self.dim);
        }
        let compiled = match self.places.arrival(vector) {
            Arrival::Simple(_) => None,
            Arrival::Compiled => Some(self.places.limit(vector)?.0),
        };
        let Explorer { places, judge, atoms, conditions, dim, .. } = self;
        judge.time.start();
        let mut limits = vec![];
        let result = (|| {
            let Some(code) = compiled else {
                places.invariants(vector, atoms, conditions);
                if keep(places, judge, atoms, conditions)? {
                    limits.push(Zone::from_closed(judge.time.zone(), *dim));
                }
                return Ok(());
            };
            let code = places.code(code);
            let mut more = judge.first(code)?;
            while more {
                limits.push(Zone::from_closed(judge.time.zone(), *dim));
                more = judge.next(code)?;
            }
            Ok(())
        })();
        result.map_err(|halt: Halt| self.halted(halt))?;
        Ok(limits)
    }
    /// Takes the valuations from `rest` from which some action is possible: within `limits` after a delay,
    /// or now.
    fn take_away(
        &mut self,
        vector: VectorId,
        moves: usize,
        limits: Option<&[Zone]>,
        rest: &mut Vec<Zone>,
    ) -> Result<(), End> {
        let Explorer { places, vm, judge, atoms, conditions, dim, .. } = self;
        let dim = *dim;
        judge.time.source.copy_from_slice(vm.time.zone());
        if limits.is_some() {
            dbm::up(&mut judge.time.source, dim);
        }
        let result = (|| {
            for at in 0..moves {
                if rest.is_empty() {
                    break;
                }
                let movement = places.movement(vector, at);
                let code = places.code(movement.code());
                if movement.arrives() {
                    places.invariants(movement.target, atoms, conditions);
                }
                judge.time.start();
                let mut more = judge.first(code)?;
                while more {
                    // Without a delay on arrival: invariants are the same on both sides of it.
                    if !movement.arrives() || keep(places, judge, atoms, conditions)? {
                        take_possible(judge.time.log(), dim, limits, rest)?;
                    }
                    more = judge.next(code)?;
                }
            }
            Ok(())
        })();
        self.judge.reset();
        result.map_err(|stuck| match stuck {
            Stuck::Halt(halt) => self.halted(halt),
            Stuck::Overflow => outgrown().into(),
        })
    }
}

enum Stuck {
    Halt(Halt),
    Overflow,
}

impl From<Halt> for Stuck {
    fn from(halt: Halt) -> Self {
        Stuck::Halt(halt)
    }
}

impl From<zones::Overflow> for Stuck {
    fn from(_: zones::Overflow) -> Self {
        Stuck::Overflow
    }
}

/// Takes the valuations from `rest` from which `ops` are possible, within `limits` after a delay or now.
fn take_possible(ops: &[Op], dim: usize, limits: Option<&[Zone]>, rest: &mut Vec<Zone>) -> Result<(), Stuck> {
    let mut now = Zone::universe(dim);
    if !zones::pre(now.bounds_mut(), dim, ops)? {
        return Ok(());
    }
    let Some(limits) = limits else {
        *rest = without(rest, &now)?;
        return Ok(());
    };
    for limit in limits {
        if let Some(mut possible) = now.intersection(limit)? {
            dbm::down(possible.bounds_mut(), dim);
            *rest = without(rest, &possible)?;
        }
    }
    Ok(())
}

/// What is left of `zones` without one.
fn without(zones: &[Zone], other: &Zone) -> Result<Vec<Zone>, zones::Overflow> {
    let mut rest = vec![];
    for zone in zones {
        if !other.includes(zone) {
            zones::set::subtract(zone.bounds(), other.bounds(), other.dim(), &mut rest)?;
        }
    }
    Ok(rest)
}
