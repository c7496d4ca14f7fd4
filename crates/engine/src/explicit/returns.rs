//! Whether a goal can always be reached again, by listing all states.
//!
//! Once all states are listed with the transitions between them, a search backwards from those where the goal holds finds
//! how far each is from it. An observed state that is at no distance is in a *trap*: the run to the first of them, which is
//! a shortest one, is the answer. If there is none, the list with the distances is the certificate ([`ir::Returns`]).
//!
//! A state with open values stands for many. A trap is one whatever they are, if no transition at all leads out of it; but
//! for distances only those transitions count that are possible whatever they are, which the plain interpreter tells.

use std::collections::VecDeque;

use ir::eval::{Env, holds};
use ir::interp::Interp;
use ir::{
    Actions, Certificate, ClosedSet, Id, LocationId, NamedVar, ProcessId, Returns, State, System, Term,
    Value, VarId,
};

use super::graph::Graph;
use super::{End, Explorer, reason};
use crate::cause::Unsupported;
use crate::{Answer, Config, Engine, Observer, Reason, Search, Statistics, Stop};

/// Searches for a run into a trap, or to a fault.
pub(crate) fn search(
    system: &System,
    goal: Term,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    if let Some(clock) = system.clocks().next() {
        let cause = Unsupported::Clock { clock: NamedVar::of(system, clock), engine: Engine::Explicit };
        return (Answer::Unknown(cause.into()), Statistics::default());
    }
    let config = Config { search: Search::Bfs, ..config.clone() };
    let mut explorer = Explorer::new(system.clone(), goal, &config, stop);
    explorer.visited.graph = Some(Graph::default());
    explorer.goes_on = true;
    let answer = explorer.goals(observer).and_then(|found| match found {
        Listed::Fault(fault) => explorer.run_into(fault),
        Listed::Goals(goals) => explorer.trapped(&goals),
    });
    let statistics = explorer.statistics();
    let answer = match answer {
        Ok(Found::Run(run)) => Ok(Answer::Found(run)),
        Ok(Found::Distances(distances)) => certified(explorer, goal, distances, stop),
        Err(reason) => Err(reason),
    };
    (answer.unwrap_or_else(Answer::Unknown), statistics)
}

/// What listing the states has found.
enum Listed {
    /// This one is a fault.
    Fault(u32),
    /// In these, the goal holds, or may hold if values are open.
    Goals(Vec<u32>),
}

/// What there is to say then.
enum Found {
    /// A run into a trap, or to a fault.
    Run(ir::Run),
    /// There is none; the distances by all transitions.
    Distances(Vec<Option<u32>>),
}

impl Explorer<'_> {
    /// Lists all states.
    fn goals(&mut self, observer: &mut dyn Observer) -> Result<Listed, Reason> {
        let mut goals = vec![];
        loop {
            let end = self.explore(observer);
            for at in std::mem::take(&mut self.hits) {
                if self.places.system.is_fault(&self.stored(at).locations) {
                    return Ok(Listed::Fault(at));
                }
                goals.push(at);
            }
            match end {
                Ok(()) => return Ok(Listed::Goals(goals)),
                Err(End::Unknown(reason)) => return Err(reason),
                Err(End::Found | End::Pause | End::Open) => {}
            }
        }
    }
    /// The first observed state from which no goal can be reached, by a run; or how far all are.
    fn trapped(&mut self, goals: &[u32]) -> Result<Found, Reason> {
        let graph = self.visited.graph.as_ref().expect("transitions are kept");
        let states = self.visited.store.len();
        let arrows =
            (0..states as u32).flat_map(|from| graph.from(from).iter().map(move |it| (from, it.target)));
        let distances = backwards(states, arrows, goals);
        let is_trap = |at: &u32| {
            distances[*at as usize].is_none() && self.places.system.is_observed(&self.stored(*at).locations)
        };
        let trap = (0..states as u32).find(is_trap);
        trap.map_or(Ok(Found::Distances(distances)), |at| self.run_into(at))
    }
    /// A run to a stored state, whatever is open there.
    fn run_into(&mut self, at: u32) -> Result<Found, Reason> {
        // The search may have ended in the middle of an action.
        self.vm.reset();
        let path = self.replayed(&self.visited.store.path_to(at))?;
        let last = path.last().clone();
        Ok(Found::Run(path.closed(&self.places.system, last)))
    }
    fn stored(&self, at: u32) -> State {
        let mut words = vec![0; self.visited.store.components()];
        self.visited.store.get(at, &mut words);
        self.places.unpack(&self.visited.values, &words)
    }
}

/// The least number of arrows from each state to a goal.
fn backwards(states: usize, arrows: impl Iterator<Item = (u32, u32)>, goals: &[u32]) -> Vec<Option<u32>> {
    let mut before: Vec<Vec<u32>> = vec![vec![]; states];
    arrows.for_each(|(from, to)| before[to as usize].push(from));
    let mut distances = vec![None; states];
    goals.iter().for_each(|goal| distances[*goal as usize] = Some(0));
    let mut queue: VecDeque<u32> = goals.iter().copied().collect();
    while let Some(at) = queue.pop_front() {
        let next = distances[at as usize].map(|distance| distance + 1);
        for &from in &before[at as usize] {
            if distances[from as usize].is_none() {
                distances[from as usize] = next;
                queue.push_back(from);
            }
        }
    }
    distances
}

/// The certificate that there is no trap; the distances are right where no values are open.
fn certified(
    explorer: Explorer<'_>,
    goal: Term,
    distances: Vec<Option<u32>>,
    stop: &Stop,
) -> Result<Answer, Reason> {
    let (mut system, graph) = (explorer.places.system.clone(), explorer.visited.graph.clone());
    let Certificate::ClosedSet(set) = explorer.into_certificate() else {
        unreachable!("a list of states is a closed set")
    };
    let is_open = |at: u32| set.state(at as usize).values.iter().any(Option::is_none);
    let open: Vec<bool> = (0..set.len() as u32).map(is_open).collect();
    let Some(first) = open.iter().position(|open| *open) else {
        return Ok(Answer::Excluded(Certificate::Returns(Returns { set, distances })));
    };
    let graph = graph.expect("transitions are kept");
    let (mut arrows, mut goals) = (vec![], vec![]);
    let mut actions = Actions::new();
    for at in 0..set.len() as u32 {
        if !open[at as usize] {
            arrows.extend(graph.from(at).iter().map(|it| (at, it.target)));
            goals.extend((distances[at as usize] == Some(0)).then_some(at));
            continue;
        }
        let state = set.state(at as usize);
        if distances[at as usize] == Some(0) && holds_anyway(&mut system, goal, &state) {
            goals.push(at);
        }
        sure_steps(&mut system, &mut actions, &*set, &state, stop, |to| arrows.push((at, to)))?;
    }
    let distances = backwards(set.len(), arrows.into_iter(), &goals);
    let lost = |at: usize| distances[at].is_none() && system.is_observed(&set.state(at).locations);
    if (0..set.len()).any(lost) {
        let slot = set.state(first).values.iter().position(Option::is_none).expect("it has open values");
        let var = system.state_vars().nth(slot).expect("a value for each variable");
        return Err(Unsupported::OpenReturn { var: NamedVar::of(&system, var) }.into());
    }
    Ok(Answer::Excluded(Certificate::Returns(Returns { set, distances })))
}

/// Whether a condition holds whatever is open.
fn holds_anyway(system: &mut System, condition: Term, state: &State) -> bool {
    let Ok(here) = ir::at_state(system, condition, state) else { return false };
    holds(&system.terms, &At { system, state }, here) == Ok(true)
}

/// The steps that are possible whatever is open.
fn sure_steps(
    system: &mut System,
    actions: &mut Actions,
    set: &dyn ClosedSet,
    state: &State,
    stop: &Stop,
    mut to: impl FnMut(u32),
) -> Result<(), Reason> {
    let vector = actions.vector(&state.locations);
    let steps = actions.of(system, vector);
    let mut interp = Interp::new(system, Some(stop.flag()));
    for action in steps {
        let result = interp.successors(action.stmt, state, &mut |outcome| {
            let after = State { locations: action.target.clone(), values: outcome.values };
            if outcome.fixed.is_empty()
                && let Some(number) = set.find(&after)
            {
                to(number as u32);
            }
            true
        });
        result.map_err(|stuck| reason(system, stuck, stop))?;
    }
    Ok(())
}

/// A state as a source of values.
pub(super) struct At<'a> {
    pub(super) system: &'a System,
    pub(super) state: &'a State,
}

impl Env for At<'_> {
    fn var(&self, var: VarId, _: u32) -> Option<&Value> {
        let slot = self.system.state_vars().position(|known| known == var)?;
        self.state.values[slot].as_ref()
    }
    fn at(&self, process: ProcessId, location: LocationId) -> bool {
        self.state.locations[process.index()] == location
    }
}
