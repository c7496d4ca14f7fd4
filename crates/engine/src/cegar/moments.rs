//! From a trace with time to a run: moments for its delays, and the values of clocks at its nodes.
//!
//! The clock operations on a path can happen one after the other, so there are moments for them; the earliest
//! give every clock a value at every node. With the values of data from a model, the steps are then those of a
//! system whose delays are spelled out ([`ir::spell_out`]), and a solver says how they are made; where it cannot,
//! their executions are tried.

use ir::{Action, LocationId, Rat, Run, State, Step, System, Type, Value, VarId};
use smt::Solver;
use smt::z3::Z3Solver;
use zones::{Op, Point};

use crate::answer::Reason;
use crate::cegar::run::{self, Tools};
use crate::cegar::trace::AbstractTrace;
use crate::stop::Stop;
use crate::zone::run::{Since, between, execute, lost, moments};

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
    match run::concretise(Tools { system: &mut spelled, solver: &solver, stop }, &actions, &states) {
        Ok(run) => elapsed.run(run).ok_or_else(|| lost(None)),
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
    let state = |locations: &[LocationId], at: usize| State {
        locations: locations.into(),
        values: states[at].iter().map(|(_, value)| Some(value.clone())).collect(),
    };
    let initial = ir::initial(&mut system);
    let (open, first) = (system.arbitrary_state(), state(&system.initial_locations(), 0));
    let (initial, decisions) = execute(&system, initial, &open, &delays(0), &first, stop)?;
    let mut run = Run::begin(decisions, initial);
    for (at, Action { edges, target, .. }) in trace.actions.iter().enumerate() {
        let before = run.last().clone();
        let here = ir::actions(&mut system, &before.locations);
        let taken = |action: &&Action| action.edges == *edges && action.target == *target;
        let stmt = here.iter().find(taken).ok_or_else(|| lost(None))?.stmt;
        let after = state(target, at + 1);
        let (state, decisions) = execute(&system, stmt, &before, &delays(at + 1), &after, stop)?;
        run.steps.push(Step { edges: edges.clone(), decisions, state });
    }
    Ok(run)
}
