//! Reference clocks: one for each process, and one for what several processes use.
//!
//! Two steps may be taken in any order unless something depends on it. So everything that a step reads or writes has
//! a *home*, a reference clock that agrees on the time with whoever uses it: then the uses are ordered by that clock,
//! and any order of steps that keeps those of every reference clock gives the same data and the same stamps. The home
//! is a process that takes part in every use, if there is one: the only one who knows the variable, the server that
//! all clients write to. Else it is a reference clock that belongs to the variable, and to all that are used by the
//! same edges. What nobody writes has no home, as it is the same at all times.
//!
//! Who receives a broadcast depends on all who could, so that all of them agree on the time with its emitter.
//!
//! An invariant is read all the time. So whoever writes what it reads agrees on the time with the process that has the
//! invariant.
//!
//! Invariant: two steps of which one writes what the other one reads or writes have a reference clock in common.

use std::collections::BTreeSet;

use ir::{ChannelId, ChannelKind, EdgeId, Edges, Id, ProcessId, Role, Scope, Sync, System, Term, VarId};
use rustc_hash::FxHashMap;

/// Who agrees with whom on the time. Those of the processes come first.
pub(super) struct References {
    count: usize,
    /// For each process and edge, those that it needs, sorted.
    edges: Vec<Vec<Vec<u32>>>,
    /// For each clock, one that is never behind its stamp.
    homes: Vec<u32>,
}

impl References {
    /// The reference clocks of a network.
    pub(super) fn new(system: &System) -> Self {
        let processes = system.processes.len();
        let uses = Uses::new(system);
        let (mut count, mut shared) = (processes, FxHashMap::<&[(ProcessId, EdgeId)], u32>::default());
        let mut homes = FxHashMap::<VarId, u32>::default();
        let mut written: Vec<_> = uses.written.keys().copied().collect();
        written.sort_unstable();
        for var in written {
            let edges = &uses.edges[&var];
            let home = uses.owner(system, var).unwrap_or_else(|| {
                *shared.entry(edges).or_insert_with(|| {
                    count += 1;
                    count as u32 - 1
                })
            });
            homes.insert(var, home);
        }
        let mut edges: Vec<Vec<Vec<u32>>> = vec![];
        for (process, body) in system.processes.entries() {
            edges.push(vec![vec![process.index() as u32]; body.edges.len()]);
        }
        for (var, home) in &homes {
            for (process, edge) in &uses.edges[var] {
                edges[process.index()][edge.index()].push(*home);
            }
            for (process, edge) in &uses.written[var] {
                let looking = uses.invariants.get(var).into_iter().flatten();
                edges[process.index()][edge.index()].extend(looking.map(|process| process.index() as u32));
            }
        }
        for (edge, listening) in listeners(system) {
            for (process, other) in listening {
                let theirs = edges[process.index()][other.index()].clone();
                edges[edge.0.index()][edge.1.index()].extend(theirs);
            }
        }
        edges.iter_mut().flatten().for_each(sort);
        let homes = system.clocks().map(|clock| homes.get(&clock).copied().unwrap_or(0)).collect();
        References { count, edges, homes }
    }
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }
    /// For each clock, a reference clock that is never behind its stamp.
    pub(super) fn homes(&self) -> &[u32] {
        &self.homes
    }
    /// Those that are equal when these edges are taken together.
    pub(super) fn of(&self, edges: &Edges) -> Vec<u32> {
        let mut all = vec![];
        for (process, edge) in edges {
            all.extend_from_slice(&self.edges[process.index()][edge.index()]);
        }
        sort(&mut all);
        all
    }
}

fn sort(list: &mut Vec<u32>) {
    list.sort_unstable();
    list.dedup();
}

/// An edge of a process.
type EdgeOf = (ProcessId, EdgeId);

/// For each edge that emits a broadcast, the edges of others that may receive it: whether they do depends on where their
/// processes are, and on their guards.
fn listeners(system: &System) -> Vec<(EdgeOf, Vec<EdgeOf>)> {
    let mut all = vec![];
    for (process, body) in system.processes.entries() {
        all.extend(body.edges.entries().filter_map(|(edge, body)| Some(((process, edge), body.sync?))));
    }
    let emits = |(_, sync): &&((ProcessId, EdgeId), Sync)| {
        sync.role == Role::Emit && system.channels[sync.channel].kind == ChannelKind::Broadcast
    };
    let mut found = vec![];
    for (edge, sync) in all.iter().filter(emits) {
        let listens = |(other, its): &&((ProcessId, EdgeId), Sync)| {
            other.0 != edge.0 && its.channel == sync.channel && may_meet(system, *sync, *its)
        };
        found.push((*edge, all.iter().filter(listens).map(|(other, _)| *other).collect()));
    }
    found
}

/// Who uses which variable.
#[derive(Default)]
struct Uses {
    /// The edges that read or write it.
    edges: FxHashMap<VarId, Vec<(ProcessId, EdgeId)>>,
    /// Those that write it.
    written: FxHashMap<VarId, Vec<(ProcessId, EdgeId)>>,
    /// The processes whose invariants read it.
    invariants: FxHashMap<VarId, BTreeSet<ProcessId>>,
}

impl Uses {
    fn new(system: &System) -> Self {
        let mut uses = Uses::default();
        for (process, body) in system.processes.entries() {
            for location in body.locations.iter() {
                for var in system.terms.vars_of(location.invariant) {
                    uses.invariants.entry(var).or_default().insert(process);
                }
            }
            for (id, edge) in body.edges.entries() {
                let (mut read, mut written) = (vec![], vec![]);
                let mut terms: Vec<Term> = vec![edge.guard];
                terms.extend(edge.sync.and_then(|sync| sync.index));
                for stmt in [Some(edge.update.stmt), edge.update.fault].into_iter().flatten() {
                    system.terms.for_each_substmt(stmt, |part| {
                        let node = system.terms.stmt(part);
                        node.for_each_term(|term| terms.push(term));
                        written.extend(node.written());
                    });
                }
                read.extend(system.terms.vars_of_all(terms));
                let mut used: Vec<VarId> = read.into_iter().chain(written.iter().copied()).collect();
                for (list, uses) in [(&mut used, &mut uses.edges), (&mut written, &mut uses.written)] {
                    list.sort_unstable();
                    list.dedup();
                    for var in list.iter().filter(|var| is_kept(system, **var)) {
                        uses.entry(*var).or_default().push((process, id));
                    }
                }
            }
        }
        uses
    }
    /// A process that takes part whenever the variable is used, or one whose invariant reads it.
    fn owner(&self, system: &System, var: VarId) -> Option<u32> {
        let mut common: Option<BTreeSet<ProcessId>> = None;
        for edge in &self.edges[&var] {
            let there = participants(system, *edge);
            common = Some(match common {
                Some(common) => common.intersection(&there).copied().collect(),
                None => there,
            });
        }
        let looking = self.invariants.get(&var);
        let common = common.unwrap_or_default();
        let owner = match looking {
            Some(looking) => looking.intersection(&common).next().or_else(|| looking.first()),
            None => common.first(),
        };
        owner.map(|process| process.index() as u32)
    }
}

/// Whether a variable is part of the state that steps see. The number of a fault is not: nothing happens after one.
fn is_kept(system: &System, var: VarId) -> bool {
    system.vars[var].scope == Scope::State && system.fault.is_none_or(|fault| fault.which != var)
}

/// Processes that certainly take part when an edge is taken.
fn participants(system: &System, (process, edge): (ProcessId, EdgeId)) -> BTreeSet<ProcessId> {
    let mut sure = BTreeSet::from([process]);
    let Some(sync) = system.processes[process].edges[edge].sync else { return sure };
    let partners: BTreeSet<ProcessId> = users(system, sync.channel)
        .filter(|(other, its)| *other != process && may_meet(system, sync, *its))
        .map(|(other, _)| other)
        .collect();
    // A broadcast is emitted whether anybody receives it or not, and received from its emitter.
    let alone = system.channels[sync.channel].kind == ChannelKind::Broadcast && sync.role == Role::Emit;
    if sync.role == Role::Join || partners.len() == 1 && !alone {
        sure.extend(partners);
    }
    sure
}

/// The processes that use a channel, and how.
fn users(system: &System, channel: ChannelId) -> impl Iterator<Item = (ProcessId, Sync)> {
    system.processes.entries().flat_map(move |(process, body)| {
        let its = body.edges.iter().filter_map(|edge| edge.sync);
        its.filter(move |sync| sync.channel == channel).map(move |sync| (process, sync))
    })
}

/// Whether the two sides of a channel may be partners.
fn may_meet(system: &System, one: Sync, other: Sync) -> bool {
    let number = |sync: Sync| sync.index.and_then(|index| system.terms.as_const(index));
    let apart = matches!((number(one), number(other)), (Some(a), Some(b)) if a != b);
    (one.role == Role::Join || one.role != other.role) && !apart
}
