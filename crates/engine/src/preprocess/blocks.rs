//! Large-block encoding: a program becomes one with an edge for each block ([`ir::blocks`]).
//!
//! Kept are the location where runs start, those at which something that is searched for can be, and a location of
//! every cycle, which for structured code is the head of the loop. All others are passed, unless a block would become
//! too large. Which states can be reached at kept locations stays the same, and whether something goes wrong; which
//! states are deadlocked does not, so questions about these get no blocks.
//!
//! # The way back
//! A **certificate** about the blocks is one about the program, given the kept locations, because whoever checks it
//! makes the same blocks ([`ir::Blocks`]). A **run** takes a step for each block; each is taken apart into edges by
//! following these from location to location with the values that the step has found, until one arrives where it did.

use std::collections::VecDeque;

use ir::blocks::{NoBlocks, blocks, locals};
use ir::interp::{Interp, Need, Outcome, Stuck};
use ir::{
    Action, Actions, Blocks, Certificate, Decision, Id, LocationId, Process, Question, Run, State, Step,
    System, Value, VarId,
};
use rustc_hash::FxHashSet;

use super::{RewriteKind, Rewriting};
use crate::pass::{Lift, Pass, Preserves, Problem};
use crate::stop::Stop;

/// Makes blocks of a program.
pub struct LargeBlocks;

impl Pass for LargeBlocks {
    fn preserves(&self) -> Preserves {
        Preserves::Reachability
    }
    fn apply(&self, problem: &mut Problem, stop: &Stop) -> Option<Box<dyn Lift>> {
        let Problem { system, questions } = &*problem;
        if !system.program || questions.iter().any(|question| question.mentions_deadlock(system)) {
            return None;
        }
        let mut kept = wanted(system, questions)?;
        loop {
            match blocks(system, &kept) {
                _ if stop.requested() => return None,
                Ok(made) => {
                    let passed = reachable(system)?.iter().filter(|at| !kept.contains(at)).count();
                    if passed == 0 {
                        return None;
                    }
                    let before = std::mem::replace(&mut problem.system, made);
                    return Some(Box::new(Passed { before, kept, passed }));
                }
                Err(NoBlocks::Needed(at) | NoBlocks::Cycle(at)) => kept.push(at),
                Err(NoBlocks::Large(list)) => kept.extend(list),
                Err(NoBlocks::Shape) => return None,
            }
        }
    }
}

/// The locations that runs can come to along edges; `None` if there is no process, or several.
fn reachable(system: &System) -> Option<FxHashSet<LocationId>> {
    let process = only(system)?;
    let start = process.initial?;
    let mut seen = FxHashSet::from_iter([start]);
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        let targets = process.edges.iter().filter(|edge| edge.source == at).map(|edge| edge.target);
        open.extend(targets.filter(|target| seen.insert(*target)));
    }
    Some(seen)
}

fn only(system: &System) -> Option<&Process> {
    let mut processes = system.processes.iter();
    processes.next().filter(|_| processes.next().is_none())
}

/// The locations that have to be kept: where runs start, where something is searched for, and one of each cycle.
fn wanted(system: &System, questions: &[Question]) -> Option<Vec<LocationId>> {
    let process = only(system)?;
    let start = process.initial?;
    let mut whole = system.clone();
    let never = Some(&Value::Bool(false));
    let mut is_read = |at: LocationId| {
        process.locations[at].observed
            && questions.iter().flat_map(Question::conditions).any(|condition| {
                let here = ir::at_locations(&mut whole, condition, &[at]);
                !here.is_ok_and(|here| whole.terms.as_const(here) == never)
            })
    };
    let mut outgoing = vec![vec![]; process.locations.len()];
    process.edges.iter().for_each(|edge| outgoing[edge.source.index()].push(edge.target));
    // Also where no edge leads: what is kept is all that is looked at.
    let mut kept = vec![start];
    kept.extend(process.locations.ids().filter(|at| *at != start && is_read(*at)));
    // Depth first; an edge back to a location on the way closes a cycle there.
    let mut state = vec![Visit::New; process.locations.len()];
    state[start.index()] = Visit::Open;
    let mut stack = vec![(start, 0)];
    while let Some((at, next)) = stack.last_mut() {
        let Some(target) = outgoing[at.index()].get(*next).copied() else {
            state[at.index()] = Visit::Done;
            stack.pop();
            continue;
        };
        *next += 1;
        match state[target.index()] {
            Visit::New => {
                state[target.index()] = Visit::Open;
                stack.push((target, 0));
            }
            Visit::Open if !kept.contains(&target) => kept.push(target),
            _ => {}
        }
    }
    Some(kept)
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Visit {
    New,
    Open,
    Done,
}

/// The way back to the locations that are passed.
struct Passed {
    before: System,
    kept: Vec<LocationId>,
    /// How many these are.
    passed: usize,
}

impl Lift for Passed {
    fn summary(&self) -> Vec<Rewriting> {
        vec![Rewriting { what: RewriteKind::Passed, variables: vec![], hidden: self.passed }]
    }
    fn before(&self) -> &System {
        &self.before
    }
    fn run(&self, _: &System, run: &Run, stop: &Stop) -> Option<Run> {
        let mut system = self.before.clone();
        let mut actions = Actions::new();
        let mut result = Run::begin(run.decisions.clone(), run.initial.clone());
        for step in &run.steps {
            let before = result.last().clone();
            let mut search = Search {
                system: &mut system,
                actions: &mut actions,
                kept: &self.kept,
                wanted: &step.state,
                values: step.decisions.iter().filter(|it| matches!(it, Decision::Value(_))).collect(),
                left: TRIES,
                stop,
            };
            result.steps.extend(search.path(&before)?);
        }
        run.cycle.is_none().then_some(result)
    }
    fn certificate(&self, _: &System, base: Certificate, _: &Stop) -> Option<Certificate> {
        Some(Certificate::Blocks(Box::new(Blocks { kept: self.kept.clone(), base })))
    }
}

/// How many executions of edges are tried to take a block apart.
const TRIES: u32 = 200_000;

/// A search for a path through a block.
struct Search<'a> {
    system: &'a mut System,
    actions: &'a mut Actions,
    kept: &'a [LocationId],
    /// The state that the block led to.
    wanted: &'a State,
    /// The values that variables got on the way, in order.
    values: VecDeque<&'a Decision>,
    left: u32,
    stop: &'a Stop,
}

/// A place on a path through a block: the step there, and what is still to be tried.
struct Point {
    step: Option<Step>,
    rest: Vec<(Step, usize)>,
}

impl Search<'_> {
    /// The steps from a state to the one that is wanted, depth first.
    fn path(&mut self, before: &State) -> Option<Vec<Step>> {
        let rest = self.steps(before, 0, true)?;
        let mut path = vec![Point { step: None, rest }];
        loop {
            let Some((step, used)) = path.last_mut()?.rest.pop() else {
                path.pop();
                continue;
            };
            if step.state.locations == self.wanted.locations {
                if step.state.values == self.wanted.values {
                    let taken = path.into_iter().filter_map(|point| point.step);
                    return Some(taken.chain([step]).collect());
                }
                continue;
            }
            if self.kept.contains(&step.state.locations[0]) {
                continue;
            }
            let rest = self.steps(&step.state, used, false)?;
            path.push(Point { step: Some(step), rest });
        }
    }
    /// What can happen in a state, the first one last; with how many values are used up then. `None` if there is too
    /// much to be tried.
    fn steps(&mut self, state: &State, used: usize, first: bool) -> Option<Vec<(Step, usize)>> {
        let vector = self.actions.vector(&state.locations);
        let list = self.actions.of(self.system, vector).to_vec();
        let mut found = vec![];
        for action in list {
            // Before every edge but the first, a block gives locals any values.
            let forgotten = if first { 0 } else { locals(self.system, action.stmt).len() };
            self.execute(&action, state, used + forgotten, &mut found)?;
        }
        found.reverse();
        Some(found)
    }
    /// All executions of an action with these values, in order.
    fn execute(
        &mut self,
        action: &Action,
        state: &State,
        used: usize,
        found: &mut Vec<(Step, usize)>,
    ) -> Option<()> {
        let system = &*self.system;
        let mut interp = Interp::new(system, Some(self.stop.flag()));
        let mut scripts: Vec<(Vec<Decision>, usize)> = vec![(vec![], used)];
        while let Some((mut script, used)) = scripts.pop() {
            self.left = self.left.checked_sub(1)?;
            match interp.follow(action.stmt, state, &script) {
                Ok(None) => {}
                Ok(Some(Outcome { values, .. })) => {
                    let state = State { locations: action.target.clone(), values };
                    let step = Step { edges: action.edges.clone(), decisions: script, state };
                    found.push((step, used));
                }
                Err(Stuck::Needs(Need::Branch(count))) => {
                    for branch in (0..count).rev() {
                        let mut longer = script.clone();
                        longer.push(Decision::Branch(branch));
                        scripts.push((longer, used));
                    }
                }
                Err(Stuck::Needs(Need::Value(var))) => {
                    script.push(Decision::Value(Some(self.value(var, used)?)));
                    scripts.push((script, used + 1));
                }
                Err(_) => return None,
            }
        }
        Some(())
    }
    /// The value that a variable got; if that never mattered, the one it has in the end, or any.
    fn value(&self, var: VarId, used: usize) -> Option<Value> {
        match self.values.get(used) {
            Some(Decision::Value(Some(value))) => Some(value.clone()),
            Some(_) => {
                let slot = self.system.state_vars().position(|other| other == var);
                let last = slot.and_then(|slot| self.wanted.values[slot].clone());
                Some(last.unwrap_or_else(|| self.system.any_value(var)))
            }
            // A path that the step has not taken.
            None => Some(self.system.any_value(var)),
        }
    }
}
