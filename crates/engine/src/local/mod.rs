//! Local time: the zone graph of networks whose processes run ahead of each other.
//!
//! In a network, steps of different processes often have nothing to do with each other, and yet the zone graph keeps
//! all their orders apart, since a zone knows which clock was reset first. In *local time* every process `p` has a
//! *reference clock* `t_p`, which runs whenever `p` likes, and a clock `x` is the time since its *stamp* `x̃`, the
//! moment at which it was reset: `t_p - x̃` where `p` looks at it. Processes that step together must agree on the time,
//! so that equal reference clocks are part of the step, and nothing else orders them; steps of different processes
//! commute. A *local zone* `Z` is a set of valuations of reference clocks and stamps ([`zone`]). See Bengtsson,
//! Jonsson, Lilius and Yi, *Partial order reductions for timed systems*, 1998; Govind, Herbreteau, Srivathsan and
//! Walukiewicz, *Revisiting local time semantics for networks of timed automata*, 2019.
//!
//! Data and clocks that several processes use have a reference clock of their own if nobody else's will do
//! ([`references`]): whoever uses them agrees with it on the time.
//!
//! **What is excluded.** Let `sync(Z)` be the valuations of `Z` whose reference clocks are equal: a zone of ordinary
//! clock valuations, exactly those that runs reach along the path of `Z`. A step of the whole system is a step in
//! local time in which all reference clocks are equal before and grow alike after it. So what an action makes of
//! `sync(Z)` lies in `sync` of what it makes of `Z` in local time, and the zones `sync(Z)` of all nodes contain
//! whatever can be reached. They are covered by simulation, a≼LU, as in [`crate::zone`], and so they are a certificate
//! like any other ([`ir::ZoneSet`]): whoever checks it need not have heard of local time. There are finitely many, as
//! a≼LU has finitely many zones. Nodes at which nobody can agree on a time, `sync(Z) = ∅`, are not explored, as they
//! contain nothing that is reached, and what they lead to is reached in another order as well.
//!
//! **What is found.** Local zones are never extrapolated. So the path to a node where the target holds is one of exact
//! steps, and sorted by their moments they are a run ([`run`]).
//!
//! Invariant: every live node has been expanded or waits with its local zone, and what an action makes of the
//! ordinary zone of an expanded node is covered by those of live nodes.

mod applies;
mod references;
mod clocks;
mod zone;
mod run;

use std::rc::Rc;
use std::time::Instant;

use ir::{Id, LocationKind, ProcessId, Question, System, VectorId};
use rustc_hash::FxHashMap;
use zones::Op;

use crate::cause::Unsupported;
use crate::choice::Choice;
use crate::concrete::op::VECTOR;
use crate::concrete::vm::{Halt, Vm};
use crate::concrete::word::Word;
use crate::config::{Covering, Engine};
use crate::description::{Description, Procedure, Timing};
use crate::preprocess::Rewritings;
use crate::zone::graph::NO_PARENT;
use crate::zone::places::Precision;
use crate::zone::{End, Explorer as Ordinary, REPORT_EVERY, check_size, outgrown};
use crate::{Answer, Config, Observer, Reason, Statistics, Stop};
pub use applies::applies;
use clocks::Clocks;
use references::References;
use zone::Packed;

/// What there is to say of it.
pub static ENGINE: Description = Description {
    name: "local",
    title: "local-time zone graph",
    good_for: "timed models of many processes that meet now and then",
    paper: "Govind, Herbreteau, Srivathsan and Walukiewicz 2019",
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
    let mut explorer = match Explorer::new(system, question, config, stop) {
        Ok(explorer) => explorer,
        Err(reason) => return (Answer::Unknown(reason), Statistics::default()),
    };
    let end = explorer.explore(observer);
    let statistics = explorer.statistics();
    let answer = match end {
        Ok(()) => Answer::Excluded(explorer.base.into_certificate()),
        Err(End::Found(node)) => {
            explorer.run_to(node, system, question).map_or_else(Answer::Unknown, Answer::Found)
        }
        Err(End::Unknown(reason)) => Answer::Unknown(reason),
    };
    (answer, statistics)
}

/// Everything a search keeps.
struct Explorer<'a> {
    /// Places, discrete states and ordinary zones, as the search of the zone graph has them.
    base: Ordinary<'a>,
    vm: Vm<'a, Clocks>,
    references: References,
    /// The reference clocks that are equal in a step, by the number of its code.
    meetings: Vec<Option<Rc<[u32]>>>,
    /// The local zones of the nodes that wait, and how many bytes these have.
    waiting: FxHashMap<u32, Packed>,
    bytes: usize,
    /// For each process and location, whether time stands still there.
    urgent: Vec<Vec<bool>>,
    /// Memory for a row of a local zone.
    row: Vec<zones::Bound>,
    stop: &'a Stop,
}

impl<'a> Explorer<'a> {
    fn new(system: &System, question: &Question, config: &Config, stop: &'a Stop) -> Result<Self, Reason> {
        applies(system, question)?;
        let references = References::new(system);
        let dim = references.len() + system.clocks().count();
        check_size(dim)?;
        let config = Config { covering: Covering::Alu, ..config.clone() };
        let base = Ordinary::new(system.clone(), question, Precision::Simulation, &config, stop);
        let base = base.map_err(|reason| match reason {
            // What covering by simulation does not go with, local time does not go with either.
            Reason::Unsupported(Unsupported::Unsound { with, .. }) => applies::refused(with),
            other => other,
        })?;
        if !base.places.has_simple_invariants() {
            return Err(applies::refused(crate::Feature::Invariants));
        }
        let mut vm = Vm::new(Clocks::new(references.len(), dim), stop);
        (vm.most, vm.tick_work) = (base.vm.most, base.vm.tick_work);
        let stands = |process: &ir::Process| {
            process.locations.iter().map(|location| location.kind != LocationKind::Normal).collect()
        };
        let urgent = system.processes.iter().map(stands).collect();
        let (meetings, waiting) = (vec![], FxHashMap::default());
        Ok(Explorer { base, vm, references, meetings, waiting, bytes: 0, urgent, row: vec![], stop })
    }

    /// Visits the whole graph, or ends with what it found.
    fn explore(&mut self, observer: &mut dyn Observer) -> Result<(), End> {
        for root in self.roots()? {
            if self.enter(&root)? {
                self.arrive(root.vector, NO_PARENT)?;
            }
        }
        self.base.transitions = 0;
        let mut reported = Instant::now();
        while let Some(node) = self.base.waitlist.take() {
            let Some(zone) = self.waiting.remove(&node) else { unreachable!("it waits") };
            self.bytes -= zone.bytes();
            if !self.base.graph.nodes[node as usize].live {
                continue;
            }
            self.expand(node, &zone)?;
            if self.base.visited.is_multiple_of(64) {
                if self.stop.requested() {
                    return Err(End::Unknown(self.stop.reason()));
                }
                if reported.elapsed() >= REPORT_EVERY {
                    reported = Instant::now();
                    observer.progress(&self.base.progress());
                }
            }
        }
        Ok(())
    }
    /// The initial states.
    fn roots(&mut self) -> Result<Vec<Root>, End> {
        let mut roots = vec![];
        self.base.vm.time.keep_log();
        self.base.initial(&mut |base, vector| {
            let words = base.vm.slots[..base.store.components()].to_vec();
            // What comes after them is the arrival.
            let resets = base.vm.time.log().iter().take_while(|op| **op != Op::Delay);
            roots.push(Root { vector, words, resets: resets.copied().collect() });
            Ok(())
        })?;
        self.base.vm.time.end_log();
        Ok(roots)
    }
    /// Puts an initial state into the machine; `false` if it cannot be.
    fn enter(&mut self, root: &Root) -> Result<bool, End> {
        self.base.make_room();
        self.make_room();
        self.vm.slots[..root.words.len()].copy_from_slice(&root.words);
        let all: Vec<u32> = (0..self.references.len() as u32).collect();
        let started = self.vm.time.begin(&root.resets);
        started.map_err(|halt| self.halted(halt))?;
        self.settle(root.vector, &all)
    }
    /// Gives the machine as many slots as that of the ordinary search has.
    fn make_room(&mut self) {
        let slots = self.base.vm.slots.len();
        self.vm.slots.resize(slots.max(self.vm.slots.len()), crate::concrete::word::OPEN);
    }
    /// Puts a node with this local zone into the machine.
    fn load(&mut self, node: u32, zone: &Packed) -> Result<VectorId, Reason> {
        let vector = self.base.load_discrete(self.base.graph.nodes[node as usize].discrete)?;
        self.make_room();
        let components = self.base.store.components();
        self.vm.slots[..components].copy_from_slice(&self.base.vm.slots[..components]);
        zone.unpack(&mut self.vm.time.source);
        Ok(vector)
    }
    /// Adds the successors of a node.
    fn expand(&mut self, node: u32, zone: &Packed) -> Result<(), End> {
        self.base.visited += 1;
        let source = self.load(node, zone)?;
        for at in 0..self.base.places.prepare(source)? {
            self.take(source, at, |explorer, target| explorer.arrive(target, node))?;
        }
        Ok(())
    }
    /// Visits the states that move number `at` leads to from the state in the machine, which is at `source`;
    /// each is in the machine then.
    fn take(
        &mut self,
        source: VectorId,
        at: usize,
        mut visit: impl FnMut(&mut Self, VectorId) -> Result<(), End>,
    ) -> Result<(), End> {
        let movement = self.base.places.movement(source, at);
        let (target, code, arrives) = (movement.target, movement.code(), movement.arrives());
        let meeting = self.meeting(code);
        let agreed = self.vm.time.start(&meeting);
        if !agreed.map_err(|halt| self.halted(halt))? {
            return Ok(());
        }
        let mut more = self.vm.first(self.base.places.code(code));
        while more == Ok(true) {
            if !arrives || self.settle(target, &meeting)? {
                self.vm.slots[VECTOR as usize] = target.index() as Word;
                visit(self, target)?;
                self.vm.slots[VECTOR as usize] = source.index() as Word;
            }
            more = self.vm.next(self.base.places.code(code));
        }
        more.map_err(|halt| self.halted(halt)).map(|_| ())
    }
    /// The reference clocks that are equal in a step with this code.
    fn meeting(&mut self, code: u32) -> Rc<[u32]> {
        let at = code as usize;
        if self.meetings.len() <= at {
            self.meetings.resize(at + 1, None);
        }
        let Explorer { meetings, references, base, .. } = self;
        meetings[at].get_or_insert_with(|| references.of(base.places.edges_of(code)).into()).clone()
    }
    /// Those who have met: their invariants, a delay of each where time may pass, and their invariants again; `false` if
    /// that is not possible. The others are as they were, after any delay of theirs.
    fn settle(&mut self, vector: VectorId, meeting: &[u32]) -> Result<bool, End> {
        let result = self.settled(vector, meeting);
        result.map_err(|halt| self.halted(halt))
    }
    fn settled(&mut self, vector: VectorId, meeting: &[u32]) -> Result<bool, Halt> {
        let Explorer { base, vm, urgent, .. } = self;
        let processes = urgent.len();
        for after in [false, true] {
            for &reference in meeting {
                let process = ProcessId::at(reference as usize);
                let at = (process.index() < processes).then(|| base.places.vectors.location(vector, process));
                if after && !at.is_some_and(|at| urgent[process.index()][at.index()]) {
                    vm.time.elapse(reference)?;
                }
                let Some((atoms, conditions)) = at.map(|at| base.places.invariant_at(process, at)) else {
                    continue;
                };
                vm.time.now = reference;
                for atom in atoms {
                    if !vm.constrain(*atom)? {
                        return Ok(false);
                    }
                }
                for code in conditions.iter().filter(|_| !after) {
                    if !vm.test(base.places.code(*code))? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }
    /// Makes the ordinary state of what is in the machine, in the machine of the ordinary search; `false` if its
    /// processes cannot agree on a time.
    fn synchronise(&mut self, vector: VectorId) -> Result<bool, End> {
        let Explorer { base, vm, references, row, .. } = self;
        let zone = vm.time.zone().map_err(|_| outgrown())?;
        if !zone::sync(zone, references.len(), row, &mut base.vm.time.source, base.dim) {
            return Ok(false);
        }
        base.vm.time.start();
        let components = base.store.components();
        base.vm.slots[..components].copy_from_slice(&vm.slots[..components]);
        base.vm.slots[VECTOR as usize] = vector.index() as Word;
        Ok(true)
    }
    /// Takes in the state in the machine, unless its processes cannot agree on a time.
    fn arrive(&mut self, vector: VectorId, parent: u32) -> Result<(), End> {
        if !self.synchronise(vector)? {
            return Ok(());
        }
        let number = self.base.graph.nodes.len();
        self.base.arrive(vector, parent)?;
        if self.base.graph.nodes.len() > number {
            let zone = self.waiting_zone(vector)?;
            self.bytes += zone.bytes();
            self.waiting.insert(number as u32, zone);
        }
        Ok(())
    }
    /// The local zone in the machine, without the stamps of clocks that do not matter from here on.
    fn waiting_zone(&mut self, vector: VectorId) -> Result<Packed, Reason> {
        let Explorer { base, vm, references, .. } = self;
        base.places.look_at(vector);
        let keep = base.places.keep_at(vector);
        let zone = vm.time.zone().map_err(|_| outgrown())?;
        let dim = references.len() + references.homes().len();
        // Other executions of the step may go on from the zone in the machine.
        let mut local = zone.to_vec();
        for (clock, home) in (1..).zip(references.homes()) {
            if keep.binary_search(&clock).is_err() {
                zone::forget(&mut local, dim, references.len() + clock as usize - 1, *home as usize);
            }
        }
        zones::dbm::assert_closed(&local, dim);
        Ok(Packed::new(&local))
    }
    fn halted(&self, halt: Halt) -> End {
        match halt {
            Halt::Bail if self.vm.time.overflow => outgrown().into(),
            Halt::Bail => self.base.inexact(self.vm.open.get()).into(),
            other => self.base.halted(other),
        }
    }
    fn statistics(&self) -> Statistics {
        let statistics = self.base.statistics();
        let held = self.bytes + self.waiting.capacity() * size_of::<(u32, Packed)>();
        Statistics { bytes: statistics.bytes + held as u64, ..statistics }
    }
}

/// An initial state, at its vector, with what happens to its clocks before anybody arrives.
struct Root {
    vector: VectorId,
    words: Vec<Word>,
    resets: Vec<Op>,
}

/// The choice that is refused.
const CHOICE: Choice = Choice::Engine(Engine::Local);
