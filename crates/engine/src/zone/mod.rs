//! The zone graph: discrete states with zones of clock valuations, explored eagerly.
//!
//! A node stands for a discrete state and all valuations in its zone. The successor of a node by an action
//! takes the zone through guards, resets, invariants and the delay exactly, and then extrapolates it by the
//! clock bounds of the target locations ([`bounds`]), so that there are finitely many. Extrapolation adds
//! only valuations that some valuation of the zone simulates; hence the target is reached in the graph iff it
//! is reached in the system, and along the same actions. ExtraLU+ is used where it is sound; with constraints
//! on differences of clocks, zones are split along these and extrapolated by ExtraM. LU keeps simulation but
//! not bisimulation, so a `deadlock` that is found with it is only reported if an exact run leads there, and
//! looked for by ExtraM else ([`deadlock`]). See Behrmann, Bouyer, Larsen and Pelánek, *Lower and upper
//! bounds in zone-based abstractions of timed automata*, 2006.
//!
//! A node that another one of the same discrete state covers is not explored ([`graph`]).
//!
//! Invariant: every live node has been expanded or waits, and every successor of an expanded node is
//! covered by a live one.

mod bounds;
pub(crate) mod clocks;
pub(crate) mod cycles;
mod deadlock;
mod edges;
pub(crate) mod graph;
pub(crate) mod places;
mod recurrent;
pub(crate) mod returning;
pub(crate) mod run;
pub mod symbolic;
pub(crate) mod vectors;
mod zone_set;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::{Duration, Instant};

use ir::interp::{Interp, Stuck};
use ir::{Certificate, Id, NamedVar, Question, System, VectorId};
use zones::{Bound, dbm};

use crate::cause::{Feature, Outgrown, Unsupported};
use crate::choice::Choice;
use crate::concrete::layout::Layout;
use crate::concrete::op::{Atom, Slot, VECTOR};
use crate::concrete::store::Store;
use crate::concrete::vm::{Halt, Time, Vm};
use crate::concrete::word::{OPEN, Word};
use crate::config::{Covering, Engine};
use crate::description::{Description, Procedure, Timing};
use crate::preprocess::Rewritings;
use crate::stop::{SUCCESSOR, TICK, zone_work};
use crate::{Answer, Config, Observer, Phase, Progress, Reason, Search, Statistics, Stop};
use clocks::Clocks;
use edges::Transitions;
pub(crate) use graph::NO_PARENT;
use graph::{Added, Graph};
use places::{Arrival, Hurry, Places, Precision};
use zone_set::Covered;

/// How long an observer waits between two reports at least.
pub(crate) const REPORT_EVERY: Duration = Duration::from_millis(200);

/// What there is to say of it.
pub static ENGINE: Description = Description {
    name: "zone",
    title: "zone graph of timed automata",
    good_for: "timed models",
    paper: "Behrmann, Bouyer, Larsen and Pelánek 2006",
    timing: Timing::Own,
    refines: false,
    bounded: false,
    blocks: false,
    bits: false,
    solver: false,
    passes: Rewritings::Zones,
    procedure: Procedure::one(search),
};

/// Searches for a run that answers the question, or to a fault.
pub fn search(
    system: &System,
    question: &Question,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    search_by(system, question, config, stop, |explorer| {
        let end = explorer.explore(observer);
        (end, explorer.statistics())
    })
}

/// Searches by `explore`, which leaves a closed graph behind or ends with what it found: with the coarser
/// extrapolation first, and with the finer one if that found a deadlock that it has made up.
pub(crate) fn search_by<'a>(
    system: &System,
    question: &Question,
    config: &Config,
    stop: &'a Stop,
    mut explore: impl FnMut(&mut Explorer<'a>) -> (Result<(), End>, Statistics),
) -> (Answer, Statistics) {
    for precision in [Precision::Simulation, Precision::Bisimulation] {
        let mut explorer = match Explorer::new(system.clone(), question, precision, config, stop) {
            Ok(explorer) => explorer,
            Err(reason) => return (Answer::Unknown(reason), Statistics::default()),
        };
        let (end, statistics) = explore(&mut explorer);
        let last = explorer.places.symmetric() || !question.mentions_deadlock(system);
        let answer = match end {
            Ok(()) => Answer::Excluded(explorer.into_certificate()),
            Err(End::Found(node)) => match explorer.run_to(node) {
                Ok(Some(run)) => Answer::Found(run),
                Ok(None) if last => Answer::Unknown(run::lost(None)),
                Ok(None) => continue,
                Err(reason) => Answer::Unknown(reason),
            },
            Err(End::Unknown(reason)) => Answer::Unknown(reason),
        };
        return (answer, statistics);
    }
    unreachable!("the last search ends with an answer")
}

/// What ends a search before all nodes are seen.
pub(crate) enum End {
    /// This node has what was searched for.
    Found(u32),
    Unknown(Reason),
}

impl End {
    pub(crate) fn reason(self) -> Reason {
        match self {
            End::Unknown(reason) => reason,
            End::Found(_) => unreachable!("settling finds nothing"),
        }
    }
}

impl From<Reason> for End {
    fn from(reason: Reason) -> Self {
        End::Unknown(reason)
    }
}

/// Everything a search keeps.
pub(crate) struct Explorer<'a> {
    pub(crate) places: Places,
    pub(crate) vm: Vm<'a, Clocks>,
    /// Looks for the target while `vm` is in the middle of an action.
    pub(crate) judge: Vm<'a, Clocks>,
    /// The discrete states.
    pub(crate) store: Store,
    pub(crate) graph: Graph,
    pub(crate) waitlist: Waitlist,
    /// The transitions between nodes, where cycles are searched for.
    transitions_kept: Option<Transitions>,
    /// How many nodes are expanded before the search pauses.
    pause: u64,
    /// Memory for unpacking zones, and for the invariants of a vector.
    scratch: Vec<Bound>,
    pub(crate) atoms: Vec<Atom>,
    pub(crate) conditions: Vec<u32>,
    words: Vec<Word>,
    pub(crate) dim: usize,
    covering: Covering,
    pub(crate) limit: u64,
    pub(crate) visited: u64,
    pub(crate) transitions: u64,
    pub(crate) stop: &'a Stop,
}

/// Refuses clocks that zones cannot follow.
///
/// # Errors
/// If there is one.
pub fn check_even(system: &System) -> Result<(), Reason> {
    match ir::uneven_clock(system) {
        Some(clock) => Err(Unsupported::UnevenClock { clock: ir::NamedVar::of(system, clock) }.into()),
        None => Ok(()),
    }
}

impl<'a> Explorer<'a> {
    pub(crate) fn new(
        system: System,
        question: &Question,
        precision: Precision,
        config: &Config,
        stop: &'a Stop,
    ) -> Result<Self, Reason> {
        let dim = system.clocks().count() + 1;
        check_size(dim)?;
        check_even(&system)?;
        let store = Store::new(Layout::new(&system));
        let target = crate::temporal::target(question, config.engine)?;
        let asks_for_deadlocks = ir::mentions_deadlock(&system, target);
        let places = Places::new(system, target, precision)?;
        if config.covering == Covering::Alu && (places.symmetric() || asks_for_deadlocks) {
            let with = if asks_for_deadlocks { Feature::Deadlock } else { Feature::Differences };
            return Err(Unsupported::Unsound { choice: Choice::Covering(config.covering), with }.into());
        }
        let machine = || {
            let mut vm = Vm::new(Clocks::new(dim), stop);
            vm.most = config.step_limit.unwrap_or(u64::MAX);
            vm.tick_work = TICK + zone_work(dim);
            vm
        };
        let mut judge = machine();
        if asks_for_deadlocks {
            judge.time.keep_log();
        }
        Ok(Explorer {
            places,
            vm: machine(),
            judge,
            store,
            graph: Graph::new(config.covering),
            waitlist: Waitlist::new(config.search),
            transitions_kept: None,
            pause: u64::MAX,
            scratch: vec![],
            atoms: vec![],
            conditions: vec![],
            words: vec![],
            dim,
            covering: config.covering,
            limit: config.state_limit.unwrap_or(u64::MAX),
            visited: 0,
            transitions: 0,
            stop,
        })
    }

    /// Visits the whole graph, or ends with what it found.
    fn explore(&mut self, observer: &mut dyn Observer) -> Result<(), End> {
        self.begin()?;
        self.go_on(observer)
    }
    /// Visits what waits, until there is nothing left or it is time for a pause.
    fn go_on(&mut self, observer: &mut dyn Observer) -> Result<(), End> {
        let mut reported = Instant::now();
        while self.visited < self.pause
            && let Some(node) = self.waitlist.take()
        {
            if !self.graph.nodes[node as usize].live {
                continue;
            }
            self.expand(node)?;
            if self.visited.is_multiple_of(64) {
                if self.stop.requested() {
                    return Err(End::Unknown(self.stop.reason()));
                }
                if reported.elapsed() >= REPORT_EVERY {
                    reported = Instant::now();
                    observer.progress(&self.progress());
                }
            }
        }
        Ok(())
    }
    /// Adds the initial nodes.
    fn begin(&mut self) -> Result<(), End> {
        self.initial(&mut |explorer, vector| explorer.arrive(vector, NO_PARENT))?;
        self.transitions = 0;
        Ok(())
    }
    /// Tells of every initial state while it is in the machine: initial data with all clocks at zero, through
    /// the initial statement.
    pub(crate) fn initial(
        &mut self,
        tell: &mut dyn FnMut(&mut Self, VectorId) -> Result<(), End>,
    ) -> Result<(), End> {
        let initial = ir::initial(&mut self.places.system);
        let locations = self.places.system.initial_locations();
        let vector = self.places.vector(&locations)?;
        let open = self.places.system.arbitrary_state();
        // The data first, with no delay; then the clocks, from zero, by compiled code on that data.
        let mut data = vec![];
        let zeros = [ir::Rat::ZERO];
        Interp::new(&self.places.system, Some(self.stop.flag()))
            .successors_after(initial, &open, &zeros, &mut |outcome| {
                data.push(outcome.values);
                true
            })
            .map_err(|stuck| match stuck {
                Stuck::NotEnumerable(var) => {
                    let var = NamedVar::of(&self.places.system, var);
                    Reason::from(Unsupported::OpenVariable { var })
                }
                Stuck::Interrupted | Stuck::Spent => self.stop.reason(),
                Stuck::Delay | Stuck::Needs(_) | Stuck::Misfit => {
                    Unsupported::Delay { engine: Engine::Zone }.into()
                }
            })?;
        let code = self.places.compile(
            initial,
            &Default::default(),
            &open.locations,
            Some(vector.index() as u32),
        )?;
        for values in data {
            let mut words = std::mem::take(&mut self.words);
            self.places.pack(vector, &values, &mut words);
            self.make_room();
            self.vm.slots[..words.len()].copy_from_slice(&words);
            self.words = words;
            dbm::init_zero(&mut self.vm.time.source, self.dim);
            self.vm.time.start();
            let mut more = self.vm.first(self.places.code(code));
            while more == Ok(true) {
                tell(self, vector)?;
                more = self.vm.next(self.places.code(code));
            }
            more.map_err(|halt| self.halted(halt))?;
        }
        Ok(())
    }
    /// Gives the machines slots for all code.
    pub(crate) fn make_room(&mut self) {
        let slots = self.places.slots().max(self.store.components());
        for vm in [&mut self.vm, &mut self.judge] {
            if vm.slots.len() < slots {
                vm.slots.resize(slots, OPEN);
            }
        }
    }
    /// Adds the successors of a node.
    fn expand(&mut self, node: u32) -> Result<(), End> {
        self.visited += 1;
        let source = self.load(node)?;
        if let Some(transitions) = &mut self.transitions_kept {
            transitions.begin(node);
        }
        for at in 0..self.places.prepare(source)? {
            if let Some(transitions) = &mut self.transitions_kept {
                transitions.marks = self.places.marks(self.places.movement(source, at));
            }
            self.take(source, at, |explorer, target| explorer.arrive(target, node))?;
        }
        Ok(())
    }
    /// Visits the states that move number `at` leads to from the state in the machine, which is at `source`;
    /// each is in the machine then.
    pub(crate) fn take(
        &mut self,
        source: VectorId,
        at: usize,
        mut visit: impl FnMut(&mut Self, VectorId) -> Result<(), End>,
    ) -> Result<(), End> {
        let movement = self.places.movement(source, at);
        let (target, code, arrives) = (movement.target, movement.code(), movement.arrives());
        self.vm.time.start();
        let mut more = self.vm.first(self.places.code(code));
        while more == Ok(true) {
            if !arrives || self.settle(target)? {
                self.vm.slots[VECTOR as usize] = target.index() as Word;
                visit(self, target)?;
                self.vm.slots[VECTOR as usize] = source.index() as Word;
            }
            more = self.vm.next(self.places.code(code));
        }
        more.map_err(|halt| self.halted(halt)).map(|_| ())
    }
    /// Invariants, a delay where time may pass, and invariants again; `false` if that is not possible.
    fn settle(&mut self, vector: VectorId) -> Result<bool, End> {
        let Explorer { places, vm, judge, store, atoms, conditions: data, .. } = self;
        let Arrival::Simple(hurry) = places.arrival(vector) else { unreachable!("compiled into the action") };
        places.invariants(vector, atoms, data);
        let result = (|| {
            if !keep(places, vm, atoms, data)? {
                return Ok(false);
            }
            let hurries = match hurry {
                Hurry::Always => true,
                Hurry::Never => false,
                Hurry::When(code) => {
                    let components = store.components();
                    judge.slots[..components].copy_from_slice(&vm.slots[..components]);
                    judge.test(places.code(code))?
                }
            };
            if !hurries {
                vm.time.delay()?;
                return keep(places, vm, atoms, &[]);
            }
            Ok(true)
        })();
        result.map_err(|halt| self.halted(halt))
    }
    /// Puts a discrete state into the machine, without clocks.
    pub(crate) fn load_discrete(&mut self, discrete: u32) -> Result<VectorId, Reason> {
        self.store.get(discrete, &mut self.vm.slots);
        let vector = VectorId::at(self.vm.slots[VECTOR as usize] as usize);
        self.places.prepare(vector)?;
        self.make_room();
        Ok(vector)
    }
    /// Puts a node into the machine.
    pub(crate) fn load(&mut self, node: u32) -> Result<VectorId, Reason> {
        let node = self.graph.nodes[node as usize];
        let vector = self.load_discrete(node.discrete)?;
        self.places.look_at(vector);
        let keep = self.places.keep_at(vector);
        self.graph.pool.load_into(node.zone, keep, self.dim, &mut self.scratch, &mut self.vm.time.source);
        Ok(vector)
    }
    /// The number of the discrete state in the machine.
    pub(crate) fn store_discrete(&mut self) -> Result<u32, Reason> {
        let components = self.store.components();
        let inserted = self.store.insert(&self.vm.slots[..components], NO_PARENT, NO_PARENT);
        inserted.map(|(discrete, _)| discrete).ok_or(Reason::States(u64::from(NO_PARENT)))
    }
    /// Takes in the state in the machine: extrapolates its zone and adds it.
    pub(crate) fn arrive(&mut self, vector: VectorId, parent: u32) -> Result<(), End> {
        if self.transitions >= self.vm.most {
            return Err(End::Unknown(Reason::Steps(self.vm.most)));
        }
        self.transitions += 1;
        self.stop.spend(SUCCESSOR + 4 * zone_work(self.dim) + self.graph.take_work());
        let discrete = self.store_discrete()?;
        self.places.look_at(vector);
        if self.places.diagonals().is_empty() {
            let zone = self.vm.time.zone();
            self.places.extrapolate(zone, self.dim, vector)?;
            let (keep, bounds) = (self.places.keep_at(vector), self.places.bounds(vector));
            let added = self.graph.add(discrete, zone, self.dim, keep, bounds, parent)?;
            self.note(added, parent);
            if let Added::New(new) = added {
                self.inspect(new, vector)?;
            }
            return Ok(());
        }
        let mut pieces = vec![];
        self.places.split(self.vm.time.zone(), self.dim, vector, &mut pieces)?;
        for piece in pieces {
            let (keep, bounds) = (self.places.keep_at(vector), self.places.bounds(vector));
            let added = self.graph.add(discrete, piece.bounds(), self.dim, keep, bounds, parent)?;
            self.note(added, parent);
            if let Added::New(new) = added {
                self.vm.time.zone().copy_from_slice(piece.bounds());
                self.inspect(new, vector)?;
            }
        }
        Ok(())
    }
    /// Keeps a transition of the node that is being expanded; initial nodes have no source.
    fn note(&mut self, added: Added, parent: u32) {
        if let Some(transitions) = &mut self.transitions_kept
            && parent != NO_PARENT
        {
            let (Added::New(node) | Added::Covered(node)) = added;
            transitions.add(node);
        }
    }
    /// Ends the search if a new node has what it looks for; else the node waits.
    fn inspect(&mut self, node: u32, vector: VectorId) -> Result<(), End> {
        if self.graph.stored > self.limit {
            return Err(End::Unknown(Reason::States(self.limit)));
        }
        if self.places.faulty(vector) {
            return Err(End::Found(node));
        }
        if self.has_target(vector)? {
            return Err(End::Found(node));
        }
        let weight = if self.waitlist.weighs() { volume(self.vm.time.zone()) } else { 0 };
        self.waitlist.put(node, weight);
        Ok(())
    }
    /// Why zones are of no use where the machine bails out, if this slot was open.
    pub(crate) fn inexact(&self, open: Option<Slot>) -> Reason {
        Reason::Unsupported(match open.and_then(|slot| self.places.var(slot)) {
            Some(var) => Unsupported::OpenVariable { var },
            None => Unsupported::WideValue,
        })
    }
    pub(crate) fn halted(&self, halt: Halt) -> End {
        End::Unknown(match halt {
            Halt::Interrupted => self.stop.reason(),
            Halt::Spent => Reason::Steps(self.vm.most),
            Halt::Bail if self.vm.time.overflow || self.judge.time.overflow => outgrown(),
            Halt::Bail => self.inexact(self.vm.open.get().or(self.judge.open.get())),
        })
    }

    pub(crate) fn progress(&self) -> Progress {
        let Statistics { states, expanded, transitions, bytes, .. } = self.statistics();
        Progress { phase: Phase::Zones, states, expanded, transitions, bytes, ..Progress::default() }
    }
    pub(crate) fn statistics(&self) -> Statistics {
        let kept = self.transitions_kept.as_ref().map_or(0, Transitions::bytes);
        let bytes = self.store.bytes() + self.graph.bytes() + self.places.bytes() + kept;
        Statistics {
            states: self.graph.stored,
            expanded: self.visited,
            transitions: self.transitions,
            covered: self.graph.covered,
            bytes: bytes as u64,
            ..Statistics::default()
        }
    }
    pub(crate) fn into_certificate(self) -> Certificate {
        Certificate::Zones(Box::new(Covered::new(
            self.places,
            self.store,
            self.graph,
            self.dim,
            self.covering,
        )))
    }
}

/// Keeps the valuations that satisfy constraints on clocks, and none unless conditions on data hold;
/// `false` if there are none.
fn keep(places: &Places, vm: &mut Vm<'_, Clocks>, atoms: &[Atom], data: &[u32]) -> Result<bool, Halt> {
    for atom in atoms {
        if !vm.constrain(*atom)? {
            return Ok(false);
        }
    }
    for code in data {
        if !vm.test(places.code(*code))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The most bytes that the matrix of one zone may take; a search keeps some in memory at once.
const LARGEST_ZONE: u64 = 64 << 20;

/// Refuses so many clocks that a single zone is too large.
pub(crate) fn check_size(dim: usize) -> Result<(), Reason> {
    let bytes = (dim as u64).saturating_mul(dim as u64).saturating_mul(size_of::<Bound>() as u64);
    if bytes <= LARGEST_ZONE {
        return Ok(());
    }
    let most = (LARGEST_ZONE / size_of::<Bound>() as u64).isqrt() - 1;
    Err(Outgrown::Clocks { clocks: dim as u64 - 1, megabytes: bytes >> 20, most }.into())
}

pub(crate) fn outgrown() -> Reason {
    Outgrown::Bound.into()
}

/// Makes room for `more` elements, growing large vectors by a quarter only: they are most of the memory.
fn reserve<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact(more.max(list.len() / 4).max(64));
    }
}

/// How large a zone is, roughly: the sum of its finite bounds and many for each infinite one.
pub(crate) fn volume(zone: &[Bound]) -> u64 {
    let many = 1 << 20;
    zone.iter()
        .map(|bound| bound.constant().map_or(many, |constant| i64::from(constant).clamp(-many, many)))
        .sum::<i64>() as u64
}

/// The nodes that are still to be expanded.
pub(crate) enum Waitlist {
    Queue(VecDeque<u32>),
    Stack(Vec<u32>),
    /// Larger zones first, then older nodes.
    Heap(BinaryHeap<(u64, Reverse<u32>)>),
}

impl Waitlist {
    pub(crate) fn new(search: Search) -> Self {
        match search {
            Search::Bfs => Waitlist::Queue(VecDeque::new()),
            Search::Dfs => Waitlist::Stack(vec![]),
            Search::Priority => Waitlist::Heap(BinaryHeap::new()),
        }
    }
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Waitlist::Queue(list) => list.is_empty(),
            Waitlist::Stack(list) => list.is_empty(),
            Waitlist::Heap(list) => list.is_empty(),
        }
    }
    pub(crate) fn weighs(&self) -> bool {
        matches!(self, Waitlist::Heap(_))
    }
    pub(crate) fn put(&mut self, node: u32, weight: u64) {
        match self {
            Waitlist::Queue(list) => list.push_back(node),
            Waitlist::Stack(list) => list.push(node),
            Waitlist::Heap(list) => list.push((weight, Reverse(node))),
        }
    }
    pub(crate) fn take(&mut self) -> Option<u32> {
        match self {
            Waitlist::Queue(list) => list.pop_front(),
            Waitlist::Stack(list) => list.pop(),
            Waitlist::Heap(list) => list.pop().map(|(_, Reverse(node))| node),
        }
    }
}
