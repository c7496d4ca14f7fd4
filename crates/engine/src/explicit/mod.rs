//! Explicit-state model checking: exhaustive search over concrete states.
//!
//! The reachable states are the least set that contains the initial ones and the successors of its
//! members. The search lists them one by one, breadth or depth first, until it meets an observed state
//! where the target holds, or a fault, or has seen them all; then the list is the certificate.
//! Breadth first, the run to what it finds has the fewest steps.
//!
//! States are packed into rows of bits ([`crate::concrete`]); actions are compiled on the first visit
//! to their location vector ([`places`]) and run by a small machine. Whatever that machine
//! cannot do exactly, the plain interpreter does, with the same successors in the same order. A state
//! may have open values and then stands for a set of states ([`ir::State`]); open values that are
//! never read cost nothing.
//!
//! One search answers several questions: it looks for any of the targets, and when it has found some, it goes
//! on from where it is, looking for the others.
//!
//! Invariant: every stored state is reachable, and every successor of an expanded state is stored.

mod places;
mod closed_set;
pub(crate) mod cycles;
mod depth_first;
pub(crate) mod graph;
pub(crate) mod pairs;
pub(crate) mod returns;
mod survey;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use ir::interp::{Interp, Outcome, Stuck};
use ir::replay::{self, Path, Wanted};
use ir::{Certificate, Id, NamedVar, Question, Run, State, Stmt, System, Term, VectorId};

use crate::cause::Unsupported;
use crate::concrete::layout::Layout;
use crate::concrete::op::VECTOR;
use crate::concrete::store::{NO_PARENT, Store};
use crate::concrete::vm::{Halt, Untimed, Vm};
use crate::concrete::word::{OPEN, Values, Word};
use crate::description::{Description, Procedure, Timing};
use crate::preprocess::Rewritings;
use crate::several::{self, Hunt, Rest};
use crate::{Answer, Config, Engine, Observer, Phase, Progress, Reason, Search, Statistics, Stop};
use closed_set::Reached;
use graph::Graph;
use places::Places;
pub use survey::{Probe, Survey, survey};

/// How long an observer waits between two reports at least.
const REPORT_EVERY: Duration = Duration::from_millis(200);

/// So many bytes of digits count as a successor.
const DIGITS: u64 = 16;

/// What there is to say of it.
pub static ENGINE: Description = Description {
    name: "explicit",
    title: "explicit-state model checking",
    good_for: "finitely many states, shortest counterexamples",
    paper: "Courcoubetis, Vardi, Wolper and Yannakakis 1992",
    timing: Timing::None,
    refines: false,
    bounded: false,
    blocks: false,
    bits: false,
    solver: false,
    passes: Rewritings::All,
    procedure: Procedure::several(search_all),
};

/// Searches for a run that answers the question, or to a fault.
pub fn search(
    system: &System,
    question: &Question,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    several::one(question, Engine::Explicit, stop, |hunt| search_all(system, config, stop, observer, hunt))
}

/// Searches for what several questions ask for.
pub(crate) fn search_all(
    system: &System,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
    hunt: &mut Hunt<'_>,
) -> (Rest, Statistics) {
    if let Some(clock) = system.clocks().next() {
        let cause = Unsupported::Clock { clock: NamedVar::of(system, clock), engine: Engine::Explicit };
        return (Rest::Unknown(cause.into()), Statistics::default());
    }
    let mut system = system.clone();
    let target = hunt.target(&mut system);
    let mut explorer = Explorer::new(system, target, config, stop);
    explorer.goes_on = hunt.several();
    loop {
        let end = explorer.explore(observer);
        let statistics = explorer.statistics();
        let rest = match end {
            Ok(()) => Rest::Excluded(explorer.into_certificate()),
            Err(end) => match (explorer.report(hunt), end) {
                (Ok(false), _) => Rest::Nothing,
                (Ok(true), End::Found) => continue,
                (Err(reason), _) | (_, End::Unknown(reason)) => Rest::Unknown(reason),
                (Ok(true), End::Pause | End::Open) => unreachable!("only who searches for cycles does that"),
            },
        };
        return (rest, statistics);
    }
}

/// What ends a search before all states are seen.
enum End {
    /// Some of the new states are what was searched for.
    Found,
    /// So many states have been expanded as were to be.
    Pause,
    /// The machine cannot evaluate an atom.
    Open,
    Unknown(Reason),
}

impl From<Reason> for End {
    fn from(reason: Reason) -> Self {
        End::Unknown(reason)
    }
}

/// Everything a search keeps.
struct Explorer<'a> {
    places: Places<'a>,
    vm: Vm<'a>,
    visited: Visited,
    waitlist: Waitlist,
    /// New states that are what is searched for.
    hits: Vec<u32>,
    /// Whether an action is followed to its end when there is a hit.
    goes_on: bool,
    begun: bool,
    expanded: u64,
    /// How many states are expanded before the search pauses.
    pause: u64,
    /// Memory for what the monitor of a product may read in a state.
    readable: Vec<bool>,
    plain_expansions: u64,
    stop: &'a Stop,
}

/// The states so far.
struct Visited {
    store: Store,
    values: Values,
    transitions: u64,
    limit: u32,
    /// How many successors may be computed.
    most: u64,
    /// The transitions between the states, if somebody needs them.
    graph: Option<Graph>,
}

impl<'a> Explorer<'a> {
    fn new(system: System, target: Term, config: &Config, stop: &'a Stop) -> Self {
        let store = Store::new(Layout::new(&system));
        let limit = config.state_limit.map_or(NO_PARENT, |limit| u32::try_from(limit).unwrap_or(NO_PARENT));
        let most = config.step_limit.unwrap_or(u64::MAX);
        let mut vm = Vm::new(Untimed, stop);
        vm.most = most;
        Explorer {
            places: Places::new(system, target, stop),
            vm,
            visited: Visited { store, values: Values::default(), transitions: 0, limit, most, graph: None },
            waitlist: Waitlist::new(config.search),
            hits: vec![],
            goes_on: false,
            begun: false,
            expanded: 0,
            pause: u64::MAX,
            readable: vec![],
            plain_expansions: 0,
            stop,
        }
    }

    /// Visits all reachable states, or ends with what it found.
    fn explore(&mut self, observer: &mut dyn Observer) -> Result<(), End> {
        if !std::mem::replace(&mut self.begun, true) {
            self.begin()?;
        }
        let mut reported = Instant::now();
        while self.expanded < self.pause {
            let Some(state) = self.waitlist.take(self.visited.store.len()) else { return Ok(()) };
            self.expand(state)?;
            if self.expanded.is_multiple_of(256) {
                if self.stop.requested() {
                    return Err(End::Unknown(self.stop.reason()));
                }
                self.tell(&mut reported, observer);
            }
        }
        Err(End::Pause)
    }
    /// Tells an observer how far the search is, if the last time is long ago.
    fn tell(&self, reported: &mut Instant, observer: &mut dyn Observer) {
        if reported.elapsed() >= REPORT_EVERY {
            *reported = Instant::now();
            observer.progress(&self.progress());
        }
    }
    /// Stores the initial states.
    fn begin(&mut self) -> Result<(), End> {
        let initial = ir::initial(&mut self.places.system);
        let before = self.places.system.arbitrary_state();
        self.vm.slots.resize(self.visited.store.components(), OPEN);
        let vector = self.places.vector(&before.locations, &mut self.vm, &mut self.visited.values);
        let result = self.interpret(initial, &before, vector, NO_PARENT);
        // Becoming an initial state is no transition.
        self.visited.transitions = 0;
        self.waitlist.extend(self.visited.store.len());
        result?;
        if self.hits.is_empty() { Ok(()) } else { Err(End::Found) }
    }
    /// Stores the successors of a state.
    fn expand(&mut self, state: u32) -> Result<(), End> {
        self.visited.store.get(state, &mut self.vm.slots);
        let vector = VectorId::at(self.vm.slots[VECTOR as usize] as usize);
        self.expanded += 1;
        self.visited.graph.iter_mut().for_each(Graph::begin);
        let count = self.places.prepare(vector, &mut self.vm, &mut self.visited.values);
        let mut readable = std::mem::take(&mut self.readable);
        self.places.readable(vector, &mut self.vm, &mut readable);
        let before = self.visited.transitions;
        let mut happened = false;
        let open = self.vm.slots.contains(&OPEN);
        for at in 0..count {
            let movement = self.places.movement(vector, at);
            // The monitor moves alone in one way or another, once nothing else has happened; in some of the states that
            // one stands for, something else may and in others not.
            let stuck = movement.alone && (!happened || open);
            if movement.read.is_some_and(|read| !readable[read]) || movement.alone && !stuck {
                continue;
            }
            if !self.execute(vector, at, state)? {
                self.fall_back(vector, at, state)?;
            }
            happened |= !stuck && self.visited.transitions > before;
        }
        self.readable = readable;
        self.waitlist.extend(self.visited.store.len());
        // Numbers that grow with every step are work, too.
        match self.visited.values.digits() / DIGITS >= self.visited.most {
            _ if !self.hits.is_empty() => Err(End::Found),
            true => Err(End::Unknown(Reason::Steps(self.visited.most))),
            false => Ok(()),
        }
    }
    /// Runs the code of an action from the state in the machine; `false` if it has none or bails out.
    fn execute(&mut self, vector: VectorId, at: usize, parent: u32) -> Result<bool, End> {
        let movement = self.places.movement(vector, at);
        self.visited.graph.iter_mut().for_each(|graph| graph.marks = movement.marks);
        let Some(code) = &movement.code else { return Ok(false) };
        let before = (self.visited.transitions, self.visited.graph.as_ref().map_or(0, Graph::len));
        let mut more = self.vm.first(code);
        while more == Ok(true) {
            if self.visited.arrive(&self.vm, parent)?
                && self.places.inspect(&mut self.vm, &self.visited.values)?.is_some()
            {
                self.hits.push(self.visited.store.len() as u32 - 1);
                if !self.goes_on {
                    return Err(End::Found);
                }
            }
            more = self.vm.next(code);
        }
        match more {
            Ok(_) => Ok(true),
            Err(Halt::Interrupted) => Err(End::Unknown(self.stop.reason())),
            Err(Halt::Spent) => Err(End::Unknown(Reason::Steps(self.visited.most))),
            Err(Halt::Bail) => {
                // The interpreter will arrive at the same states once more.
                self.visited.transitions = before.0;
                self.visited.graph.iter_mut().for_each(|graph| graph.truncate(before.1));
                Ok(false)
            }
        }
    }
    /// Lets the plain interpreter do what the machine cannot.
    fn fall_back(&mut self, vector: VectorId, at: usize, parent: u32) -> Result<(), End> {
        self.plain_expansions += 1;
        let source = self.places.unpack(&self.visited.values, &self.vm.slots);
        let movement = self.places.movement(vector, at);
        self.interpret(movement.stmt, &source, movement.target, parent)?;
        self.visited.store.get(parent, &mut self.vm.slots);
        Ok(())
    }
    /// Stores all states that `stmt` leads to from `source`; the slots of the machine are overwritten.
    fn interpret(&mut self, stmt: Stmt, source: &State, target: VectorId, parent: u32) -> Result<(), End> {
        let Explorer { places, vm, visited, hits, goes_on, .. } = self;
        let mut end = Ok(());
        let mut interp = Interp::new(&places.system, Some(self.stop.flag()));
        interp.limit(vm.most.saturating_sub(vm.ticks));
        let mut words = vec![];
        let result = interp.successors(stmt, source, &mut |outcome| {
            words.clear();
            words.push(target.index() as Word);
            for (ty, value) in places.types.iter().zip(&outcome.values) {
                visited.values.words(places.system.types(), *ty, value.as_ref(), &mut words);
            }
            vm.slots[..words.len()].copy_from_slice(&words);
            end = visited.arrive(vm, parent).and_then(|new| {
                if new && places.inspect(vm, &visited.values)?.is_some() {
                    hits.push(visited.store.len() as u32 - 1);
                    if !*goes_on {
                        return Err(End::Found);
                    }
                }
                Ok(())
            });
            end.is_ok()
        });
        vm.ticks += interp.steps();
        end?;
        let most = vm.most;
        result.map_err(|stuck| {
            End::Unknown(match stuck {
                Stuck::Spent => Reason::Steps(most),
                stuck => reason(&self.places.system, stuck, self.stop),
            })
        })
    }

    fn progress(&self) -> Progress {
        let Statistics { states, expanded, transitions, depth, bytes, .. } = self.statistics();
        Progress { phase: Phase::Listing, states, expanded, transitions, depth, bytes, ..Progress::default() }
    }
    fn statistics(&self) -> Statistics {
        let graph = self.visited.graph.as_ref().map_or(0, Graph::bytes);
        let bytes = self.visited.store.bytes() + self.visited.values.bytes() + self.waitlist.bytes() + graph;
        Statistics {
            states: self.visited.store.len() as u64,
            expanded: self.expanded,
            transitions: self.visited.transitions,
            depth: self.waitlist.depth(self.visited.store.len()),
            bytes: bytes as u64,
            plain_expansions: self.plain_expansions,
            ..Statistics::default()
        }
    }
    fn into_certificate(self) -> Certificate {
        let Explorer { places, visited, .. } = self;
        let reached = Reached::new(&places.system, &places.actions, visited.store, visited.values);
        Certificate::ClosedSet(Box::new(reached))
    }
    /// Tells of the hits in order, as far as they still are what is searched for; whether anything else is.
    fn report(&mut self, hunt: &mut Hunt<'_>) -> Result<bool, Reason> {
        // The search may have ended in the middle of an action.
        self.vm.reset();
        for at in std::mem::take(&mut self.hits) {
            // A state with open values stands for many, and may be hit more than once.
            loop {
                self.visited.store.get(at, &mut self.vm.slots);
                let Some(last) = self.places.inspect(&mut self.vm, &self.visited.values)? else { break };
                let run = self.run_to(at, last)?;
                let statistics = self.statistics();
                let Some(target) = hunt.found(&mut self.places.system, run, statistics)? else {
                    return Ok(false);
                };
                self.goes_on = hunt.several();
                self.places.look_for(target, &mut self.vm, &mut self.visited.values);
            }
        }
        Ok(true)
    }
    /// The run to the first state that is what is searched for.
    fn run_to_first_hit(&mut self) -> Result<Run, Reason> {
        self.vm.reset();
        let at = *self.hits.first().expect("something was found");
        self.visited.store.get(at, &mut self.vm.slots);
        let last = self.places.inspect(&mut self.vm, &self.visited.values)?;
        self.run_to(at, last.expect("it was found here"))
    }
    /// The run to a stored state, which ends in `last`.
    fn run_to(&mut self, at: u32, last: State) -> Result<Run, Reason> {
        let path = self.replayed(&self.visited.store.path_to(at))?;
        Ok(path.closed(&self.places.system, last))
    }
    /// The way along stored states, from an initial one: between two of them the first action and execution that leads
    /// from the one to the other.
    fn replayed(&mut self, path: &[u32]) -> Result<Path, Reason> {
        let Visited { store, values, .. } = &self.visited;
        let mut words = vec![OPEN; store.components()];
        let unpack = |at: &u32| {
            store.get(*at, &mut words);
            self.places.unpack(values, &words)
        };
        let path: Vec<State> = path.iter().map(unpack).collect();
        let steps = path[1..].iter().map(|state| Wanted { edges: None, target: &state.locations });
        let Places { system, actions, .. } = &mut self.places;
        replay::along(system, actions, steps, |system, leg| {
            let leads_there = |outcome: &Outcome| outcome.values == path[leg.number].values;
            let mut interp = Interp::new(system, Some(self.stop.flag()));
            let found = interp.first(leg.stmt, leg.before, None, leads_there);
            found.map_err(|stuck| reason(system, stuck, self.stop))
        })
    }
}

impl Visited {
    /// Counts a successor and stores the state in the machine; whether it is new.
    fn arrive(&mut self, vm: &Vm, parent: u32) -> Result<bool, End> {
        if self.transitions >= self.most {
            return Err(End::Unknown(Reason::Steps(self.most)));
        }
        self.transitions += 1;
        let Some((at, new)) = self.store.insert(&vm.slots, parent, self.limit) else {
            return Err(End::Unknown(Reason::States(u64::from(self.limit))));
        };
        // Becoming an initial state is no transition.
        if parent != NO_PARENT {
            self.graph.iter_mut().for_each(|graph| graph.add(at));
        }
        Ok(new)
    }
}

/// The states that are still to be expanded. Breadth first that is simply the end of the store.
enum Waitlist {
    Queue { next: usize, depth: u64, level_end: usize },
    Stack { list: Vec<u32>, seen: usize },
}

impl Waitlist {
    fn new(search: Search) -> Self {
        match search {
            Search::Bfs | Search::Priority => Waitlist::Queue { next: 0, depth: 0, level_end: 0 },
            Search::Dfs => Waitlist::Stack { list: vec![], seen: 0 },
        }
    }
    /// The next state to expand, if `stored` states leave one.
    fn take(&mut self, stored: usize) -> Option<u32> {
        match self {
            Waitlist::Queue { next, depth, level_end } => {
                if *next == *level_end {
                    *depth += u64::from(*next > 0 && *next < stored);
                    *level_end = stored;
                }
                (*next < stored).then(|| {
                    *next += 1;
                    *next as u32 - 1
                })
            }
            Waitlist::Stack { list, .. } => list.pop(),
        }
    }
    /// Takes in the states that are new among `stored`; depth first, the first of them is next.
    fn extend(&mut self, stored: usize) {
        if let Waitlist::Stack { list, seen } = self {
            list.extend((*seen as u32..stored as u32).rev());
            *seen = stored;
        }
    }
    /// The greatest distance of `stored` states from the initial ones, where it is known.
    fn depth(&self, stored: usize) -> u64 {
        match self {
            Waitlist::Queue { depth, level_end, .. } => {
                depth + u64::from(*level_end > 0 && stored > *level_end)
            }
            Waitlist::Stack { .. } => 0,
        }
    }
    fn bytes(&self) -> usize {
        match self {
            Waitlist::Queue { .. } => 0,
            Waitlist::Stack { list, .. } => list.capacity() * size_of::<u32>(),
        }
    }
}

/// Why a stuck execution ends the search.
fn reason(system: &System, stuck: Stuck, stop: &Stop) -> Reason {
    match stuck {
        Stuck::NotEnumerable(var) => Unsupported::OpenVariable { var: NamedVar::of(system, var) }.into(),
        Stuck::Delay => Unsupported::Delay { engine: Engine::Explicit }.into(),
        Stuck::Interrupted => stop.reason(),
        Stuck::Needs(_) | Stuck::Misfit | Stuck::Spent => unreachable!("nothing is scripted or limited here"),
    }
}
