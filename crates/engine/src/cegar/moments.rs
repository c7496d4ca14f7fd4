//! From a trace with time to a run: moments for its delays, and the values of clocks at its nodes.
//!
//! The clock operations on a path can happen one after the other, so there are moments for them; the earliest
//! give every clock a value at every node. With the values of data from a model, the steps are then those of a
//! system whose delays are spelled out ([`ir::spell_out`]), and a solver says how they are made; where it cannot,
//! their executions are tried.

use ir::replay::{self, Wanted};
use ir::{Actions, Rat, Run, System, Type, Value, VarId};
use smt::Solver;
use smt::z3::Z3Solver;
use zones::{Op, Point};

use crate::answer::Reason;
use crate::cegar::run::{self, Tools};
use crate::cegar::trace::AbstractTrace;
use crate::stop::Stop;
use crate::zone::run::{Since, attempt, between, lost, moments};

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
    let mut since = Since::new(dim);
    for (way, state) in trace.ways.iter().zip(&mut states) {
        way.ops.iter().for_each(|op| since.after(op));
        let values = state.iter_mut().filter(|(var, _)| system.terms.var_type(*var) == Type::Clock);
        for ((_, value), clock) in values.zip(1..) {
            let (moment, start) = since.clock(clock);
            *value = Value::rat(&between(&times, moment, since.now) + &Rat::from(start));
        }
    }
    let (mut spelled, elapsed) = ir::spell_out(system);
    let mut solver = Z3Solver::new()?;
    for (var, variable) in spelled.vars.entries() {
        solver.declare(var, variable.range.clone());
    }
    let interrupter = solver.interrupter();
    let _listening = stop.listen(move || interrupter.interrupt());
    match run::concretise(Tools { system: &mut spelled, solver: &solver, stop }, &trace.actions, &states) {
        Ok(run) => elapsed.run(&run).ok_or_else(|| lost(None)),
        Err(Reason::Unsupported(_)) => tried(system, trace, &times, &states, stop),
        Err(reason) => Err(reason),
    }
}

/// The same by trying executions with the delays that are known.
fn tried(
    system: &System,
    trace: &AbstractTrace,
    times: &Point,
    states: &[Vec<(VarId, Value)>],
    stop: &Stop,
) -> Result<Run, Reason> {
    let mut system = system.clone();
    let mut moment = 0;
    let mut delays = |at: usize| -> Vec<Rat> {
        let count = trace.ways[at].ops.iter().filter(|op| **op == Op::Delay).count();
        moment += count;
        (moment - count..moment).map(|at| between(times, at, at + 1)).collect()
    };
    let steps = trace.actions.iter().map(Wanted::from);
    let path = replay::along(&mut system, &mut Actions::new(), steps, |system, leg| {
        let after: Vec<_> = states[leg.number].iter().map(|(_, value)| Some(value.clone())).collect();
        let mut outcome = attempt(system, leg, &delays(leg.number), &after, stop)?;
        replay::close(system, &mut outcome.values, |_, _| None);
        Ok::<_, Reason>(Some(outcome))
    })?;
    Ok(path.into())
}
