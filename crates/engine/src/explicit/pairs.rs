//! Many automata on one list of states.
//!
//! The product of a system with an automaton consists of *pairs*: a state of the system and one of the automaton. Most of
//! the work is in the former, and the same for every automaton. So the states of the system are listed once, with the
//! transitions between them, and each automaton walks over that list; whatever a walk needs that no earlier one has
//! needed is expanded on the way ([`Listing`]). What the atoms of a formula say is looked up once for each state.
//!
//! The pairs are those of [`ir::monitor`]: where a state is read, the automaton moves along with every transition of the
//! system, and alone if nothing can happen and runs repeat their last state; elsewhere it stays where it is. Faults, and
//! atoms that cannot be evaluated, must be seen on every run, so that systems with those are left to the product itself,
//! as are atoms that the machine cannot evaluate, because a value is open or too large.
//!
//! Invariant: every successor of an expanded state is listed, and every pair is reachable.

use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::Instant;

use ir::automaton::Automaton;
use ir::{Certificate, ClosedSet, Descent, Id, LocationId, Pairs, PathQuestion, Run, State, Stuck, System};
use ir::{Term, VectorId};
use rustc_hash::FxHashMap;

use super::closed_set::Reached;
use super::cycles::{Unfolding, measures, seek};
use super::depth_first::{Cycle, OnDemand, Unfolded, depth_first};
use super::graph::{Graph, Transition};
use super::{End, Explorer};
use crate::cause::Unsupported;
use crate::concrete::op::{Code, VECTOR};
use crate::concrete::store::NO_PARENT;
use crate::concrete::vm::Halt;
use crate::concrete::word::OPEN;
use crate::{Answer, Config, Observer, Reason, Search, Statistics, Stop};

/// So many steps over numbers take as long as executing one.
const CHEAP: u64 = 16;

/// The states of a system, as far as somebody has asked for them.
pub(crate) struct Listing<'a> {
    states: OnDemand<'a>,
    /// The states as they were when a certificate was made of them.
    copy: Option<(usize, Arc<Reached>)>,
    stop: &'a Stop,
}

impl<'a> Listing<'a> {
    /// Whether the pairs of a system with an automaton can be listed: nothing can go wrong in the system or in an atom, and
    /// every atom is about a state alone.
    pub(crate) fn applies(system: &System, question: &PathQuestion) -> bool {
        let fine = Some(&false.into());
        let about_states = |atom: &Term| !ir::mentions_deadlock(system, *atom);
        system.fault.is_none()
            && system.stuck != Stuck::Idle
            && ir::monitor::reads_what_is_repeated(system)
            && system.clocks().next().is_none()
            && system.terms.as_const(question.undefined) == fine
            && question.atoms.len() <= 64
            && question.atoms.iter().all(about_states)
    }
    /// No state yet.
    pub(crate) fn new(system: &System, stop: &'a Stop) -> Self {
        let mut system = system.clone();
        let never = system.terms.bool(false);
        let config = Config { search: Search::Bfs, ..Config::default() };
        Listing { states: OnDemand::new(system, never, &config, stop), copy: None, stop }
    }
    /// Searches for a run whose word an automaton accepts; also says why there is none. `None` if the machine cannot
    /// evaluate what the automaton reads.
    pub(crate) fn search(
        &mut self,
        question: &PathQuestion,
        automaton: &Automaton,
        config: &Config,
        observer: &mut dyn Observer,
    ) -> Option<(Answer, Descent, Statistics)> {
        self.states.allow(config);
        if let Err(reason) = self.states.begin() {
            return Some((Answer::Unknown(reason), Descent::Terminal, Statistics::default()));
        }
        let mut walk = Walk::new(self, question, automaton, config);
        let all = walk.all;
        let end = match depth_first(&mut walk, all, config) {
            Ok(Some(Cycle { path, start })) => {
                let run = walk.run(&path, Some(start));
                let statistics = walk.statistics();
                return Some((
                    run.map_or_else(Answer::Unknown, Answer::Found),
                    Descent::Terminal,
                    statistics,
                ));
            }
            Ok(None) => seek(&mut walk, all, config, observer),
            Err(end) => Err(end),
        };
        let end = match end {
            Err(End::Open) => return None,
            Err(End::Unknown(reason)) => Err(reason),
            Err(End::Found) => {
                let path = walk.path_to(walk.hit.expect("something was found"));
                walk.run(&path, None)
            }
            Err(End::Pause) => unreachable!("it is gone on then"),
            Ok((components, Some(head))) => {
                let mut path = walk.path_to(head);
                let start = path.len() - 1;
                path.extend(walk.graph.states_around(head, &components, all));
                walk.run(&path, Some(start))
            }
            Ok((components, None)) => {
                let descent = match automaton.is_terminal() {
                    true => Descent::Terminal,
                    false => Descent::Measures(measures(&components)),
                };
                let statistics = walk.statistics();
                let Walk { list, index, .. } = walk;
                let set = PairSet { base: self.copy(), list, index };
                return Some((Answer::Excluded(Certificate::ClosedSet(Box::new(set))), descent, statistics));
            }
        };
        let statistics = walk.statistics();
        Some((end.map_or_else(Answer::Unknown, Answer::Found), Descent::Terminal, statistics))
    }
    /// The states as they are now.
    fn copy(&mut self) -> Arc<Reached> {
        let Explorer { places, visited, .. } = &self.states.explorer;
        let count = visited.store.len();
        if self.copy.as_ref().is_none_or(|(then, _)| *then != count) {
            let (store, values) = (visited.store.clone(), visited.values.clone());
            self.copy = Some((count, Arc::new(Reached::new(&places.system, &places.actions, store, values))));
        }
        self.copy.as_ref().expect("it was made").1.clone()
    }
}

/// What an automaton reads of a state: a bit for each atom, or nothing where states are not read.
type Letter = Option<u64>;

/// A cube of a guard: the atoms it is about, and what they are to be.
#[derive(Copy, Clone)]
struct Cube {
    about: u64,
    value: u64,
}

/// A transition of an automaton.
struct Move {
    cubes: Vec<Cube>,
    target: u32,
    marks: u32,
}

/// An automaton on its way over the states of a system.
struct Walk<'w, 'a> {
    listing: &'w mut Listing<'a>,
    atoms: &'w [Term],
    sinks: &'w [bool],
    /// By source.
    moves: Vec<Vec<Move>>,
    /// The bits of all acceptance sets.
    all: u32,
    repeats: bool,
    /// The pairs, in order of arrival, each with the one before it.
    list: Vec<(u32, u32)>,
    parents: Vec<u32>,
    index: FxHashMap<(u32, u32), u32>,
    graph: Graph,
    /// Memory for the transitions of one pair.
    list_of_one: Vec<Transition>,
    /// How many transitions have been followed.
    steps: u64,
    /// A pair from which the automaton moves to a sink.
    hit: Option<u32>,
    letters: Vec<Option<Letter>>,
    /// The code of the atoms at each vector, as far as it is compiled; nothing where states are not read.
    readings: FxHashMap<VectorId, Option<Vec<Option<Code>>>>,
    limit: u64,
    most: u64,
    reported: Instant,
}

impl<'w, 'a> Walk<'w, 'a> {
    fn new(
        listing: &'w mut Listing<'a>,
        question: &'w PathQuestion,
        automaton: &'w Automaton,
        config: &Config,
    ) -> Self {
        let mut moves: Vec<Vec<Move>> = automaton.sinks.iter().map(|_| vec![]).collect();
        for transition in &automaton.transitions {
            // What contradicts itself admits nothing.
            let cube = |literals: &Vec<(u32, bool)>| {
                let of = |wanted: bool| {
                    let some = literals.iter().filter(|(_, value)| *value == wanted);
                    some.fold(0_u64, |bits, (atom, _)| bits | 1 << atom)
                };
                let (value, denied) = (of(true), of(false));
                (value & denied == 0).then_some(Cube { about: value | denied, value })
            };
            // Without acceptance sets, every transition is in the only one.
            let marks = if automaton.sets == 0 { 1 } else { transition.marks as u32 };
            let cubes = transition.guard.cubes.iter().filter_map(cube).collect();
            moves[transition.source as usize].push(Move { cubes, target: transition.target, marks });
        }
        let all = if automaton.sets == 0 { 1 } else { automaton.all_marks() as u32 };
        let repeats = listing.states.explorer.places.system.stuck == Stuck::Repeat;
        let mut walk = Walk {
            atoms: &question.atoms,
            sinks: &automaton.sinks,
            moves,
            all,
            repeats,
            list: vec![],
            parents: vec![],
            index: FxHashMap::default(),
            graph: Graph::default(),
            list_of_one: vec![],
            steps: 0,
            hit: None,
            letters: vec![],
            readings: FxHashMap::default(),
            limit: config.state_limit.unwrap_or(u64::from(NO_PARENT)),
            most: config.step_limit.unwrap_or(u64::MAX).saturating_mul(CHEAP),
            reported: Instant::now(),
            listing,
        };
        for state in 0..walk.listing.states.initial {
            walk.enter((state, automaton.initial), NO_PARENT);
        }
        walk
    }
    /// Adds a pair, unless it is known; its number.
    fn enter(&mut self, pair: (u32, u32), parent: u32) -> u32 {
        match self.index.entry(pair) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(free) => {
                let number = *free.insert(self.list.len() as u32);
                self.list.push(pair);
                self.parents.push(parent);
                number
            }
        }
    }
    /// Adds the transitions of the next pair to the graph.
    fn expand(&mut self) -> Result<(), End> {
        let mut list = std::mem::take(&mut self.list_of_one);
        let end = self.transitions(self.graph.expanded() as u32, &mut list);
        self.graph.begin();
        for Transition { target, marks } in list.drain(..) {
            self.graph.marks = marks;
            self.graph.add(target);
        }
        self.list_of_one = list;
        end
    }
    /// The transitions of a pair.
    fn transitions(&mut self, at: u32, list: &mut Vec<Transition>) -> Result<(), End> {
        list.clear();
        let (state, place) = self.list[at as usize];
        let Some(letter) = self.letter(state)? else {
            return self.follow(at, (place, 0), list);
        };
        let fits = |step: &Move| step.cubes.iter().any(|cube| letter & cube.about == cube.value);
        let moves = std::mem::take(&mut self.moves[place as usize]);
        let accepts = |step: &Move| self.sinks[step.target as usize] && fits(step);
        let end = if self.sinks[place as usize] || moves.iter().any(accepts) {
            self.hit = Some(at);
            Err(End::Found)
        } else {
            let mut fitting = moves.iter().filter(|step| fits(step));
            fitting.try_for_each(|step| self.follow(at, (step.target, step.marks), list))
        };
        self.moves[place as usize] = moves;
        end
    }
    /// Adds the transitions of a pair on which the automaton moves to a place, with these acceptance sets.
    fn follow(&mut self, at: u32, (place, marks): (u32, u32), list: &mut Vec<Transition>) -> Result<(), End> {
        let state = self.list[at as usize].0;
        self.listing.states.expand(state)?;
        let degree = self.listing.states.degree(state);
        for number in 0..degree {
            let pair = (self.listing.states.successor(state, number), place);
            let target = self.enter(pair, at);
            list.push(Transition { target, marks });
        }
        if degree == 0 && self.repeats && self.letters[state as usize] != Some(None) {
            let target = self.enter((state, place), at);
            list.push(Transition { target, marks });
        }
        self.steps += list.len() as u64;
        match self.list.len() as u64 {
            pairs if pairs > self.limit => Err(Reason::States(self.limit).into()),
            _ if self.steps > self.most => Err(Reason::Steps(self.most / CHEAP).into()),
            _ => Ok(()),
        }
    }
    /// What is read of a state.
    fn letter(&mut self, state: u32) -> Result<Letter, End> {
        let at = state as usize;
        if self.letters.len() <= at {
            self.letters.resize(self.listing.states.explorer.visited.store.len(), None);
        }
        if let Some(letter) = self.letters[at] {
            return Ok(letter);
        }
        let Explorer { places, vm, visited, .. } = &mut self.listing.states.explorer;
        visited.store.get(state, &mut vm.slots);
        if self.repeats && vm.slots.contains(&OPEN) {
            // It stands for many states, of which some may be stuck and others not.
            return Err(End::Open);
        }
        let vector = VectorId::at(vm.slots[VECTOR as usize] as usize);
        let atoms = match self.readings.entry(vector) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => {
                let locations = places.actions.locations(vector).to_vec();
                let read = places.system.is_read(&locations);
                let mut atom = |atom: &Term| {
                    let term = ir::at_locations(&mut places.system, *atom, &locations)
                        .map_err(|_| Reason::from(Unsupported::DeadlockCondition))?;
                    Ok::<_, Reason>(places.condition(term, &locations, vm, &mut visited.values))
                };
                let atoms = read.then(|| self.atoms.iter().map(&mut atom).collect::<Result<_, _>>());
                free.insert(atoms.transpose()?)
            }
        };
        let letter = match atoms {
            None => None,
            Some(atoms) => {
                let mut bits = 0;
                for (number, atom) in atoms.iter().enumerate() {
                    let value = atom.as_ref().map_or(Err(Halt::Bail), |code| vm.test(code));
                    bits |= u64::from(value.map_err(|_| End::Open)?) << number;
                }
                Some(bits)
            }
        };
        self.letters[at] = Some(letter);
        Ok(letter)
    }
    /// The pairs on the way to one of them.
    fn path_to(&self, mut at: u32) -> Vec<u32> {
        let mut path = vec![];
        while at != NO_PARENT {
            path.push(at);
            at = self.parents[at as usize];
        }
        path.reverse();
        path
    }
    /// The run along pairs, which goes on from the end to that number on the path, if there is one.
    fn run(&mut self, path: &[u32], start: Option<usize>) -> Result<Run, Reason> {
        let states: Vec<u32> = path.iter().map(|pair| self.list[*pair as usize].0).collect();
        // Where nothing can happen the automaton moves alone, and does for ever after.
        let stuck =
            states[..states.len() - 1].iter().position(|state| self.listing.states.degree(*state) == 0);
        let explorer = &mut self.listing.states.explorer;
        explorer.vm.reset();
        match (stuck, start) {
            (None, Some(start)) => explorer.run_around(&states, start),
            (stuck, _) => {
                let path = explorer.replayed(&states[..stuck.map_or(states.len(), |at| at + 1)])?;
                let last = path.last().clone();
                let run = path.closed(&explorer.places.system, last);
                let end = run.steps.len();
                Ok(if stuck.is_some() { run.around(end) } else { run })
            }
        }
    }
    fn statistics(&self) -> Statistics {
        let of_pairs = self.list.capacity() * (size_of::<(u32, u32)>() + 2 * size_of::<[u32; 3]>());
        let below = self.listing.states.explorer.statistics();
        Statistics {
            states: self.list.len() as u64,
            expanded: self.graph.expanded() as u64,
            transitions: self.graph.len() as u64,
            bytes: below.bytes + (of_pairs + self.graph.bytes()) as u64,
            ..below
        }
    }
}

impl Unfolding for Walk<'_, '_> {
    fn unfold(&mut self, expanded: u64, observer: &mut dyn Observer) -> Result<(), End> {
        while (self.graph.expanded() as u64) < expanded {
            if self.graph.expanded() == self.list.len() {
                return Ok(());
            }
            self.expand()?;
            if self.graph.expanded().is_multiple_of(256) {
                if self.listing.stop.requested() {
                    return Err(End::Unknown(self.listing.stop.reason()));
                }
                self.listing.states.explorer.tell(&mut self.reported, observer);
            }
        }
        Err(End::Pause)
    }
    fn graph(&self) -> &Graph {
        &self.graph
    }
}

impl Unfolded for Walk<'_, '_> {
    fn roots(&mut self) -> Result<u32, End> {
        Ok(self.listing.states.initial)
    }
    fn transitions_of(&mut self, state: u32) -> Result<Vec<Transition>, End> {
        if self.listing.stop.requested() {
            return Err(End::Unknown(self.listing.stop.reason()));
        }
        let mut list = vec![];
        self.transitions(state, &mut list)?;
        Ok(list)
    }
}

/// The pairs of a finished search.
struct PairSet {
    base: Arc<Reached>,
    list: Vec<(u32, u32)>,
    index: FxHashMap<(u32, u32), u32>,
}

impl ClosedSet for PairSet {
    fn len(&self) -> usize {
        self.list.len()
    }
    fn state(&self, index: usize) -> State {
        let (state, place) = self.list[index];
        let State { locations, values } = self.base.state(state as usize);
        let locations = locations.into_iter().chain([LocationId::at(place as usize)]).collect();
        State { locations, values }
    }
    fn find(&self, state: &State) -> Option<usize> {
        let (place, locations) = state.locations.split_last()?;
        let below = State { locations: locations.into(), values: state.values.clone() };
        let pair = (self.base.find(&below)? as u32, place.index() as u32);
        self.index.get(&pair).map(|number| *number as usize)
    }
    fn pairs(&self) -> Option<Pairs<'_>> {
        Some(Pairs { base: self.base.clone(), list: &self.list })
    }
}
