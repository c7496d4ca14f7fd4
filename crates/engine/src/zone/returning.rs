//! Rounds that come back to the same data.
//!
//! A lasso may be found where variables that decide nothing had been left out (cone of influence). What it does to clocks
//! is possible with them, too, and so is every further round, since the recurrent zone that rounds begin in says nothing of
//! data. But what was left out need not be after a round what it was before: a variable may count rounds. So the
//! edges of the round are followed on and on, until all data are what they were where some earlier round began; the rounds from there on
//! are the cycle, with the same zone. Data with few values come back soon, and where they do not, nothing is said.

use ir::{ClockAtom, Cycle, EdgeId, Head, Question, Run, State, Step, System, Type, Value, VarId};
use zones::{Bound, Constraint, Op};

use super::End;
use super::run::{Leg, moments};
use super::symbolic::{Node, Waypoint, explorer, thinned};
use crate::{Reason, Stop};

/// How many steps of rounds are followed, and how many ways to take each.
const MOST_STEPS: usize = 1 << 12;
const MOST_WAYS: usize = 16;

/// The lasso around as many rounds of its cycle as it takes until all data come back, if that is known soon. In each of
/// them, the variables that are `kept` have the values that they have in the recorded one.
pub(crate) fn returning(
    system: &System,
    run: &Run,
    kept: &[VarId],
    stop: &Stop,
) -> Result<Option<Run>, Reason> {
    let Some(Cycle { steps, head: Some(head) }) = &run.cycle else { return Ok(None) };
    let mut system = system.clone();
    let Some(recurrent) = constraints(&mut system, head) else { return Ok(None) };
    let (begin, length) = (run.steps.len(), steps.len());
    let way = recorded(run);
    let later: Vec<Waypoint> = way[begin + 1..].iter().map(|it| among(&system, it, kept)).collect();
    let question = Question::never(&mut system.terms);
    let mut explorer = explorer(system, &question, stop)?;
    for vm in [&mut explorer.vm, &mut explorer.judge] {
        vm.time.keep_log();
    }
    let mut layers: Vec<Vec<Node>> = vec![];
    for number in 0..=begin + length.max(MOST_STEPS) {
        if stop.requested() {
            return Err(stop.reason());
        }
        let wanted = way.get(number).unwrap_or_else(|| &later[(number - begin - 1) % length]);
        let found = match layers.last() {
            None => explorer.starts(&wanted.state),
            Some(before) => explorer.steps(before, wanted),
        };
        let mut found = thinned(found.map_err(End::reason)?);
        found.truncate(MOST_WAYS);
        layers.push(found);
        if number <= begin || (number - begin) % length > 0 {
            continue;
        }
        for last in 0..layers[number].len() {
            let path = path(&layers, last);
            let rounds = (begin..number).step_by(length).rev();
            let Some(start) = rounds.into_iter().find(|start| path[*start].words == path[number].words)
            else {
                continue;
            };
            let mut ops = vec![];
            for (at, node) in path.iter().enumerate() {
                ops.extend_from_slice(&node.step.leg.ops);
                if [begin, start, number].contains(&at) {
                    ops.extend_from_slice(&recurrent);
                }
            }
            let Some(times) = moments(explorer.dim, ops.iter()) else { continue };
            let (states, legs): (Vec<State>, Vec<Leg>) =
                path.iter().map(|node| (node.step.state.clone(), node.step.leg.clone())).unzip();
            let walked = explorer.walk_around(&states, &legs, &times, start)?;
            return Ok(Some(walked.around(start).within(Some((**head).clone()))));
        }
    }
    Ok(None)
}

/// The nodes that lead to one of the last layer, and it.
fn path(layers: &[Vec<Node>], last: usize) -> Vec<&Node> {
    let (mut path, mut at) = (vec![], last);
    for layer in layers.iter().rev() {
        path.push(&layer[at]);
        at = layer[at].parent;
    }
    path.reverse();
    path
}

/// The way of a lasso, once around its cycle.
fn recorded(run: &Run) -> Vec<Waypoint> {
    let first = Waypoint { edges: vec![], state: run.initial.clone() };
    let edges = |step: &Step| {
        step.edges.iter().map(|(process, edge): &(_, EdgeId)| (*process, vec![*edge])).collect()
    };
    let steps = run.all_steps().map(|step| Waypoint { edges: edges(step), state: step.state.clone() });
    std::iter::once(first).chain(steps).collect()
}

/// The same, where only some variables are known.
fn among(system: &System, way: &Waypoint, kept: &[VarId]) -> Waypoint {
    let values = system.state_vars().zip(&way.state.values);
    let values = values.map(|(var, value)| value.clone().filter(|_| kept.contains(&var))).collect();
    let state = State { locations: way.state.locations.clone(), values };
    Waypoint { edges: way.edges.clone(), state }
}

/// What a recurrent set asks of clocks, if it is a zone.
fn constraints(system: &mut System, head: &Head) -> Option<Vec<Op>> {
    let clocks: Vec<VarId> = system.clocks().collect();
    let formula = system.terms.import(&head.terms, head.formula, &mut |terms, var| terms.var(var));
    let cubes = ir::cubes(&mut system.terms, formula).ok()?;
    let [cube] = &cubes[..] else { return None };
    let number = |clock: Option<VarId>| match clock {
        None => Some(0),
        Some(clock) => clocks.iter().position(|other| *other == clock).map(|at| at + 1),
    };
    let constraint = |atom: &ClockAtom| {
        let Some(Value::Int(bound)) = system.terms.as_const(atom.bound) else { return None };
        let bound = Bound::new(bound.to_i64()?, atom.strict).ok()?;
        Some(Op::Constrain(Constraint::new(number(atom.plus)?, number(atom.minus)?, bound)))
    };
    cube.clocks.iter().map(constraint).collect()
}

/// Whether all data are where the cycle of a lasso ends what they are where it begins.
pub(crate) fn returns(system: &System, run: &Run) -> bool {
    let Some(end) = run.cycle.as_ref().and_then(|cycle| cycle.steps.last()) else { return true };
    let data = system.state_vars().zip(run.last().values.iter().zip(&end.state.values));
    let mut data = data.filter(|(var, _)| system.terms.var_type(*var) != Type::Clock);
    run.last().locations == end.state.locations && data.all(|(_, (before, after))| before == after)
}
