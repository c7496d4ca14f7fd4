//! From a trace with time to a run: moments for its delays, and the values of clocks at its nodes.
//!
//! The clock operations on a path can happen one after the other, so there are moments for them; the earliest
//! give every clock a value at every node. With the values of data from a model, the steps are then those of a
//! system whose delays are spelled out ([`ir::spell_out`]), and a solver says how they are made.

use ir::{Action, Rat, Run, System, Type, Value, VarId};
use smt::Solver;
use smt::z3::Z3Solver;
use zones::Op;

use crate::answer::Reason;
use crate::cegar::run::{self, Tools};
use crate::cegar::trace::AbstractTrace;
use crate::stop::Stop;
use crate::zone::run::{between, lost, moments};

/// The run of `system` along a trace, through states with these values of data.
pub fn concretise(
    system: &System,
    trace: &AbstractTrace,
    mut states: Vec<Vec<(VarId, Value)>>,
    stop: &Stop,
) -> Result<Run, Reason> {
    let clocks: Vec<VarId> = system.clocks().collect();
    let dim = clocks.len() + 1;
    let times = moments(dim, trace.ways.iter().flat_map(|way| way.ops.iter())).ok_or_else(|| lost(None))?;
    // A clock is the time since a moment, plus what it was set to then.
    let mut since = vec![(0, 0); dim];
    let mut now = 0;
    for (way, state) in trace.ways.iter().zip(&mut states) {
        for op in &way.ops {
            match *op {
                Op::Delay => now += 1,
                Op::Reset(clock, value) => since[clock as usize] = (now, value),
                Op::Copy(clock, other) => since[clock as usize] = since[other as usize],
                Op::Constrain(_) | Op::Free(_) => {}
            }
        }
        let values = state.iter_mut().filter(|(var, _)| system.terms.var_type(*var) == Type::Clock);
        for ((_, value), (moment, start)) in values.zip(&since[1..]) {
            let start = Rat::from(*start);
            *value = Value::rat(&between(&times, *moment, now) + &start);
        }
    }
    let (mut spelled, elapsed) = ir::spell_out(system);
    let mut actions = vec![];
    let mut locations = spelled.initial_locations();
    for Action { edges, target, .. } in &trace.actions {
        let here = ir::actions(&mut spelled, &locations);
        let taken = |action: &Action| action.edges == *edges && action.target == *target;
        actions.push(here.into_iter().find(taken).ok_or_else(|| lost(None))?);
        locations.clone_from(target);
    }
    let mut solver = Z3Solver::new()?;
    for (var, variable) in spelled.vars.entries() {
        solver.declare(var, variable.range.clone());
    }
    let interrupter = solver.interrupter();
    let _listening = stop.listen(move || interrupter.interrupt());
    let run = run::concretise(Tools { system: &mut spelled, solver: &solver, stop }, &actions, &states)?;
    elapsed.run(run).ok_or_else(|| lost(None))
}
