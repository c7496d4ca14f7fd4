//! Actions: edges composed into steps of the whole system, in one place.
//!
//! From a vector of locations, an action is one edge, a pair over a binary channel, an emitter with
//! every receiver of a broadcast that can receive, or all users of a CSP channel. Its statement is:
//! the guards of all its edges; their updates, emitter first, receivers in the order of processes;
//! the invariants of the target; a delay if time may pass there; the invariants again. Time may pass
//! where no location is urgent or committed and no synchronisation over an urgent channel is
//! possible ([`crate::urgency`]). States are thus always *after* the delay, and the initial state delays too.
//!
//! If any process is in a committed location, an action must leave one. With priorities, nothing of higher priority
//! may be enabled ([`crate::priority`]). In a product with a monitor, that one moves along ([`crate::monitor`]).
//!
//! Where evaluating an invariant goes wrong, a step that would arrive there goes wrong instead, whoever
//! takes it. An initial state cannot: it exists, and the only thing it is good for is the edge that goes
//! wrong ([`crate::Undefined`]).

use std::hash::BuildHasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;

use crate::evidence::Edges;
use crate::fault::Guarded;
use crate::id::Id;
use crate::monitor;
use crate::number::Rat;
use crate::stmt::Stmt;
use crate::system::{
    ChannelId, ChannelKind, Edge, EdgeId, Location, LocationId, LocationKind, ProcessId, Role, Sync, System,
};
use crate::term::Term;
use crate::urgency::passing;
use crate::value::Value;

/// A step of the whole system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Action {
    /// The edges that move together, in order of their updates.
    pub edges: Edges,
    /// Where the processes are afterwards.
    pub target: Box<[LocationId]>,
    /// What happens, guards included.
    pub stmt: Stmt,
}

impl Action {
    /// Whether it is these edges that move, and this is where they lead: the second is a question of its own, because a
    /// step may go wrong.
    pub fn takes(&self, edges: &[(ProcessId, EdgeId)], target: &[LocationId]) -> bool {
        self.edges[..] == *edges && *self.target == *target
    }
}

/// The actions of every vector of locations visited so far, of one system.
///
/// Vectors are interned in order of first visit; their actions are composed once and kept.
#[derive(Clone, Debug, Default)]
pub struct Actions {
    /// All vectors end to end, each as long as `width`, and how many there are.
    locations: Vec<LocationId>,
    width: usize,
    count: usize,
    index: HashTable<u32>,
    /// The key is [`VectorId`].
    actions: Vec<Option<Vec<Action>>>,
    outgoing: Option<Outgoing>,
}

crate::id!(
    /// An interned vector of locations.
    VectorId
);

impl Actions {
    /// No vector visited.
    pub fn new() -> Self {
        Self::default()
    }
    /// The number of a vector.
    pub fn vector(&mut self, locations: &[LocationId]) -> VectorId {
        if self.count == 0 {
            self.width = locations.len();
        }
        assert_eq!(locations.len(), self.width, "a location for each process");
        let (list, width) = (&self.locations, self.width);
        let at = |number: &u32| &list[*number as usize * width..][..width];
        match self.index.entry(hash(locations), |other| at(other) == locations, |other| hash(at(other))) {
            Entry::Occupied(place) => VectorId::at(*place.get() as usize),
            Entry::Vacant(place) => {
                let vector = VectorId::at(self.count);
                place.insert(self.count as u32);
                self.locations.extend_from_slice(locations);
                self.count += 1;
                vector
            }
        }
    }
    /// The number of a vector, if it has been seen.
    pub fn known_vector(&self, locations: &[LocationId]) -> Option<VectorId> {
        let same = |other: &u32| self.locations(VectorId::at(*other as usize)) == locations;
        self.index.find(hash(locations), same).map(|number| VectorId::at(*number as usize))
    }
    /// The locations of a vector.
    pub fn locations(&self, vector: VectorId) -> &[LocationId] {
        &self.locations[vector.index() * self.width..][..self.width]
    }
    /// How many vectors have been seen.
    pub fn len(&self) -> usize {
        self.count
    }
    /// Whether no vector has been seen.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
    /// Bytes held for vectors.
    pub fn bytes(&self) -> usize {
        self.locations.capacity() * size_of::<LocationId>() + self.index.allocation_size()
    }
    /// The actions from these locations, if they have been composed already.
    pub fn known(&self, locations: &[LocationId]) -> Option<&[Action]> {
        self.actions.get(self.known_vector(locations)?.index())?.as_deref()
    }
    /// The actions from a vector.
    pub fn of(&mut self, system: &mut System, vector: VectorId) -> &[Action] {
        if self.actions.len() <= vector.index() {
            self.actions.resize(vector.index() + 1, None);
        }
        if self.actions[vector.index()].is_none() {
            let outgoing = self.outgoing.get_or_insert_with(|| Outgoing::new(system));
            let locations = &self.locations[vector.index() * self.width..][..self.width];
            self.actions[vector.index()] = Some(compose(system, outgoing, locations));
        }
        self.actions[vector.index()].as_deref().expect("composed just now")
    }
}

fn hash(locations: &[LocationId]) -> u64 {
    FxBuildHasher.hash_one(locations)
}

/// The statement that makes the initial states out of arbitrary values.
pub fn initial(system: &mut System) -> Stmt {
    let locations = system.initial_locations();
    let clocks: Vec<_> = system.clocks().collect();
    // Data has values of its own type.
    let zero = match system.delay {
        None => system.terms.int(0),
        Some(_) => system.terms.constant(Value::rat(Rat::ZERO)),
    };
    let mut parts: Vec<Stmt> = clocks.into_iter().map(|clock| system.terms.assign(clock, zero)).collect();
    for (var, value) in system.initial.clone() {
        parts.push(system.terms.assign(var, value));
    }
    let outgoing = Outgoing::new(system);
    let here: Vec<_> =
        at(system, &locations).map(|location| (location.invariant, location.undefined)).collect();
    let mut invariants = vec![];
    for (invariant, undefined) in here {
        let undefined = undefined.map(|undefined| undefined.condition);
        invariants.push(system.terms.or(undefined.into_iter().chain([invariant])));
    }
    let invariant = system.terms.and(invariants);
    parts.extend(arrival(system, &outgoing, &locations, invariant));
    system.terms.seq(parts)
}

/// All actions from a vector of locations, in a fixed order.
///
/// Where a step can go wrong, a second action with the same edges runs up to the place where it does
/// and leads to the fault location. From there nothing happens.
pub fn actions(system: &mut System, locations: &[LocationId]) -> Vec<Action> {
    let outgoing = Outgoing::new(system);
    compose(system, &outgoing, locations)
}

fn compose(system: &mut System, outgoing: &Outgoing, locations: &[LocationId]) -> Vec<Action> {
    let mut result = vec![];
    for joint in joints(system, outgoing, locations) {
        let step = step(system, &joint);
        let target = joint.target(system, locations);
        let fault = goes_wrong(system, step, &target);
        let invariant = invariant(system, &target);
        let arrival = arrival(system, outgoing, &target, invariant);
        let Guarded { stmt, .. } = step;
        let stmt = system.terms.seq([stmt].into_iter().chain(arrival));
        if !system.terms.is_block(stmt) {
            result.push(Action { edges: joint.edges.clone(), target, stmt });
        }
        if let (Some(stmt), Some(target)) = (fault, fault_target(system, locations)) {
            result.push(Action { edges: joint.edges, target, stmt });
        }
    }
    result
}

/// The edges from every location of every process, and who answers whom over binary channels.
#[derive(Clone, Debug, Default)]
pub struct Outgoing {
    edges: Vec<Vec<Vec<EdgeId>>>,
    /// For each process and edge that emits over a binary channel.
    partners: Vec<Vec<Vec<Partner>>>,
}

/// Somebody who may receive over a binary channel.
#[derive(Copy, Clone, Debug)]
struct Partner {
    edge: (ProcessId, EdgeId),
    source: LocationId,
    condition: Term,
}

impl Outgoing {
    /// Sorts the edges of `system` by their sources.
    pub fn new(system: &mut System) -> Self {
        let by_source = |process: &crate::Process| {
            let mut edges = vec![vec![]; process.locations.len()];
            for (id, edge) in process.edges.entries() {
                edges[edge.source.index()].push(id);
            }
            edges
        };
        let edges = system.processes.iter().map(by_source).collect();
        let mut syncs = vec![];
        for (process, body) in system.processes.entries() {
            let sync = |(id, edge): (EdgeId, &Edge)| Some(((process, id), edge.source, edge.sync?));
            syncs.extend(body.edges.entries().filter_map(sync));
        }
        let mut partners: Vec<Vec<Vec<Partner>>> =
            system.processes.iter().map(|process| vec![vec![]; process.edges.len()]).collect();
        for (emitter, _, sync) in &syncs {
            if sync.role != Role::Emit || system.channels[sync.channel].kind != ChannelKind::Binary {
                continue;
            }
            let others =
                syncs.iter().filter(|(other, _, its)| other.0 != emitter.0 && its.channel == sync.channel);
            for (edge, source, _) in others {
                if let Some(condition) = partners_agree(system, *sync, *edge)
                    && system.terms.as_const(condition) != Some(&false.into())
                {
                    let partner = Partner { edge: *edge, source: *source, condition };
                    partners[emitter.0.index()][emitter.1.index()].push(partner);
                }
            }
        }
        Outgoing { edges, partners }
    }
    fn from(&self, locations: &[LocationId]) -> Vec<(ProcessId, EdgeId)> {
        let at = |(process, location): (usize, &LocationId)| {
            self.edges[process][location.index()].iter().map(move |edge| (ProcessId::at(process), *edge))
        };
        locations.iter().enumerate().flat_map(at).collect()
    }
}

/// Edges that can move together where `condition` holds besides their guards.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Joint {
    /// The edges, in order of their updates.
    pub edges: Edges,
    /// That partners agree, that nobody who could receive a broadcast is left out, and that nothing of higher
    /// priority is enabled.
    pub condition: Term,
}

impl Joint {
    /// Where the processes are afterwards.
    pub fn target(&self, system: &System, locations: &[LocationId]) -> Box<[LocationId]> {
        let mut target: Box<[LocationId]> = locations.into();
        self.go(system, &mut target);
        target
    }
    /// Moves the processes whose edges these are.
    pub fn go(&self, system: &System, locations: &mut [LocationId]) {
        for at in &self.edges {
            locations[at.0.index()] = edge(system, *at).target;
        }
    }
}

/// What is possible from a vector of locations, in a fixed order: what can move, unless something of higher priority
/// can.
pub fn joints(system: &mut System, outgoing: &Outgoing, locations: &[LocationId]) -> Vec<Joint> {
    let moves = match system.priorities {
        Some(_) => crate::priority::highest(system, outgoing, locations),
        None => movable(system, outgoing, locations),
    };
    monitor::joined(system, moves, locations)
}

/// What can move from a vector of locations, whatever its priority, in a fixed order; nothing after a fault, and only
/// what leaves a committed location if there is one, or goes wrong with an invariant. A monitor does not move by itself.
pub(crate) fn movable(system: &mut System, outgoing: &Outgoing, locations: &[LocationId]) -> Vec<Joint> {
    if system.is_fault(locations) {
        return vec![];
    }
    let mut result = synchronisations(system, outgoing, locations);
    let committed = |process: ProcessId| {
        let at = locations[process.index()];
        system.processes[process].locations[at].kind == LocationKind::Committed
    };
    let evaluates = |(process, edge): (ProcessId, EdgeId)| {
        let at = locations[process.index()];
        system.processes[process].locations[at].undefined.is_some_and(|undefined| undefined.edge == edge)
    };
    if system.processes.ids().any(committed) {
        result.retain(|joint| joint.edges.iter().any(|edge| committed(edge.0) || evaluates(*edge)));
    }
    result
}

/// The guards of all edges, then their updates; and how that can go wrong.
pub fn step(system: &mut System, joint: &Joint) -> Guarded {
    // What the monitor reads is decided at the locations and part of the condition.
    let reads = |at: &&(ProcessId, EdgeId)| system.monitor.as_ref().is_some_and(|it| it.process == at.0);
    let acting = joint.edges.iter().filter(|at| !reads(at));
    let guards: Vec<Term> = acting.map(|at| edge(system, *at).guard).collect();
    let guard = system.terms.and(guards.into_iter().chain([joint.condition]));
    let mut parts = vec![Guarded::safe(system.terms.assume(guard))];
    parts.extend(joint.edges.iter().map(|at| edge(system, *at).update));
    let Guarded { stmt, fault } = Guarded::seq(&mut system.terms, &parts);
    Guarded { stmt, fault: fault.filter(|stmt| !system.terms.is_block(*stmt)) }
}

/// How guards and updates that lead to `target` go wrong, or after them the invariants there.
pub fn goes_wrong(system: &mut System, step: Guarded, target: &[LocationId]) -> Option<Stmt> {
    let mut faults = vec![];
    for (process, at) in system.processes.iter().zip(target) {
        let undefined = process.locations[*at].undefined;
        faults.extend(undefined.and_then(|undefined| process.edges[undefined.edge].update.fault));
    }
    if faults.is_empty() {
        return step.fault;
    }
    let late = system.terms.choice(faults);
    let late = system.terms.seq([step.stmt, late]);
    let either = system.terms.choice(step.fault.into_iter().chain([late]));
    (!system.terms.is_block(either)).then_some(either)
}

/// Whether evaluating an invariant at these locations can go wrong.
pub fn has_undefined(system: &System, locations: &[LocationId]) -> bool {
    at(system, locations).any(|location| location.undefined.is_some())
}

/// Where a step that goes wrong leads.
pub fn fault_target(system: &System, locations: &[LocationId]) -> Option<Box<[LocationId]>> {
    let fault = system.fault?;
    let mut target: Box<[LocationId]> = locations.into();
    target[fault.process.index()] = fault.location;
    Some(target)
}

pub(crate) fn edge(system: &System, (process, edge): (ProcessId, EdgeId)) -> &Edge {
    &system.processes[process].edges[edge]
}

/// The location of each process.
fn at<'a>(system: &'a System, locations: &'a [LocationId]) -> impl Iterator<Item = &'a Location> {
    system.processes.iter().zip(locations).map(|(process, at)| &process.locations[*at])
}

/// Invariants; a delay where time may pass; invariants again.
fn arrival(system: &mut System, outgoing: &Outgoing, locations: &[LocationId], invariant: Term) -> Vec<Stmt> {
    let invariant = system.terms.assume(invariant);
    let (skip, delay) = (system.terms.skip(), passing(system, outgoing, locations));
    if delay == skip { vec![invariant] } else { vec![invariant, delay, invariant] }
}

/// What holds whenever the system is at these locations.
pub fn invariant(system: &mut System, locations: &[LocationId]) -> Term {
    let here: Vec<Term> = at(system, locations).map(|location| location.invariant).collect();
    system.terms.and(here)
}

/// The sets of edges that can move together from here.
pub(crate) fn synchronisations(
    system: &mut System,
    outgoing: &Outgoing,
    locations: &[LocationId],
) -> Vec<Joint> {
    let mut result = vec![];
    let always = system.terms.bool(true);
    let mut joined: Vec<ChannelId> = vec![];
    // Only synchronisations of many need all edges at once.
    let mut all = None;
    let reader = system.monitor.as_ref().map(|monitor| monitor.process.index());
    for (process, at) in locations.iter().enumerate().filter(|(process, _)| Some(*process) != reader) {
        for &id in &outgoing.edges[process][at.index()] {
            let first = (ProcessId::at(process), id);
            let Some(sync) = edge(system, first).sync else {
                result.push(Joint { edges: Edges::from_slice(&[first]), condition: always });
                continue;
            };
            match (system.channels[sync.channel].kind, sync.role) {
                (ChannelKind::Binary, Role::Emit) => {
                    for partner in &outgoing.partners[process][id.index()] {
                        if locations[partner.edge.0.index()] == partner.source {
                            let edges = Edges::from_slice(&[first, partner.edge]);
                            result.push(Joint { edges, condition: partner.condition });
                        }
                    }
                }
                (ChannelKind::Broadcast, Role::Emit) => {
                    let all = all.get_or_insert_with(|| outgoing.from(locations));
                    broadcast(system, first, sync, all, &mut result);
                }
                (ChannelKind::Csp, _) if !joined.contains(&sync.channel) => {
                    joined.push(sync.channel);
                    let all = all.get_or_insert_with(|| outgoing.from(locations));
                    join(system, sync.channel, all, &mut result);
                }
                _ => {}
            }
        }
    }
    result
}

/// The condition under which `second` receives what `emitter` emits, if it may at all.
fn partners_agree(system: &mut System, emitter: Sync, second: (ProcessId, EdgeId)) -> Option<Term> {
    let sync = edge(system, second).sync?;
    if sync.channel != emitter.channel || sync.role != Role::Receive {
        return None;
    }
    Some(same_index(system, emitter, sync))
}

fn same_index(system: &mut System, a: Sync, b: Sync) -> Term {
    match (a.index, b.index) {
        (Some(a), Some(b)) => system.terms.eq(a, b),
        _ => system.terms.bool(true),
    }
}

/// Every way the other processes can answer a broadcast: each takes one of its receiving edges, or
/// none, and then none of them may be enabled.
fn broadcast(
    system: &mut System,
    emitter: (ProcessId, EdgeId),
    sync: Sync,
    outgoing: &[(ProcessId, EdgeId)],
    result: &mut Vec<Joint>,
) {
    let always = system.terms.bool(true);
    let mut partial = vec![(Edges::from_slice(&[emitter]), always)];
    let others: Vec<ProcessId> = system.processes.ids().filter(|process| *process != emitter.0).collect();
    for process in others {
        let mut answers = vec![];
        let mut enabled = vec![];
        for &receiver in outgoing.iter().filter(|edge| edge.0 == process) {
            if let Some(agree) = partners_agree(system, sync, receiver) {
                let guard = edge(system, receiver).guard;
                // The guard comes first: it tells where the position of a channel is defined.
                enabled.push(system.terms.and([guard, agree]));
                answers.push((Some(receiver), agree));
            }
        }
        if answers.is_empty() {
            continue;
        }
        let any = system.terms.or(enabled);
        answers.push((None, system.terms.not(any)));
        let mut longer = vec![];
        for (edges, condition) in &partial {
            for (receiver, agree) in &answers {
                let condition = system.terms.and([*condition, *agree]);
                if system.terms.as_const(condition) == Some(&false.into()) {
                    continue;
                }
                let mut edges = edges.clone();
                edges.extend(*receiver);
                longer.push((edges, condition));
            }
        }
        partial = longer;
    }
    result.extend(partial.into_iter().map(|(edges, condition)| Joint { edges, condition }));
}

/// Every way all users of a CSP channel move together.
fn join(system: &mut System, channel: ChannelId, outgoing: &[(ProcessId, EdgeId)], result: &mut Vec<Joint>) {
    let uses = |e: &Edge| e.sync.is_some_and(|sync| sync.channel == channel);
    let users: Vec<ProcessId> = system
        .processes
        .entries()
        .filter(|(_, process)| process.edges.iter().any(uses))
        .map(|(id, _)| id)
        .collect();
    let always = system.terms.bool(true);
    let mut partial = vec![(Edges::new(), always)];
    for user in users {
        let offers: Vec<_> =
            outgoing.iter().filter(|at| at.0 == user && uses(edge(system, **at))).copied().collect();
        let mut longer = vec![];
        for (edges, condition) in &partial {
            for &next in &offers {
                let agree = match edges.first() {
                    Some(first) => {
                        let (a, b) = (edge(system, *first).sync, edge(system, next).sync);
                        same_index(system, a.expect("filtered by use"), b.expect("filtered by use"))
                    }
                    None => always,
                };
                let condition = system.terms.and([*condition, agree]);
                let mut edges = edges.clone();
                edges.push(next);
                longer.push((edges, condition));
            }
        }
        partial = longer;
    }
    let joined = partial.into_iter().filter(|(edges, _)| !edges.is_empty());
    result.extend(joined.map(|(edges, condition)| Joint { edges, condition }));
}
