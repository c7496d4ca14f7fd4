//! Blocks: large-block encoding, after Beyer, Cimatti, Griggio, Keremoglu and Sebastiani, *Software model checking via
//! large-block encoding*, 2009.
//!
//! Of the locations of a program, some are *kept*, and the others are only *passed*. A block is everything that can
//! happen from one kept location to the next: its statement is the sequence of the statements along a path, and the
//! choice of several paths. No cycle of edges stays among passed locations, so blocks have an end.
//!
//! # What is kept of the runs
//! A run of the program comes from one kept location to the next by a path, which is an execution of the block between
//! them; and every execution of a block is such a path. So at kept locations both systems can be in the same states.
//! What goes wrong on a path goes wrong in the block: for each kept location there is one more edge for that, which
//! never passes. What is said of states at passed locations is lost, and so is which runs get stuck.
//!
//! Paths that come together are one choice from where they part: equal beginnings are written once, and two that begin
//! with a condition and its opposite are a branch. So the block of structured code is as long as the code.
//!
//! Locations and variables keep their numbers; edges are new.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::fault::Guarded;
use crate::id::{Id, IdVec};
use crate::stmt::{Stmt, StmtNode};
use crate::system::{Edge, EdgeId, LocationId, Process, ProcessId, Scope, Span, System};
use crate::term::{Terms, VarId};
use crate::value::Value;

/// Why a system has no blocks between these locations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoBlocks {
    /// It is not one process by itself that time has no part in.
    Shape,
    /// Runs start at this location, or something is said of states there.
    Needed(LocationId),
    /// There is a cycle through this location and others that are passed.
    Cycle(LocationId),
    /// Paths to these locations are too long to be written once more.
    Large(Vec<LocationId>),
}

/// A block with more statements than this is too large; shared ones count wherever they stand.
const LARGEST: u32 = 5_000;

/// The same program with an edge for each block between `kept` locations.
///
/// # Errors
/// Why there is no such program.
pub fn blocks(system: &System, kept: &[LocationId]) -> Result<System, NoBlocks> {
    let mut result = system.clone();
    let mut processes = system.processes.iter();
    let (Some(process), None) = (processes.next(), processes.next()) else { return Err(NoBlocks::Shape) };
    let timed = system.clocks().next().is_some() || system.delay.is_some();
    let alone = process.edges.iter().all(|edge| edge.sync.is_none());
    if timed || !alone || system.priorities.is_some() || system.monitor.is_some() {
        return Err(NoBlocks::Shape);
    }
    let graph = Graph::new(system, process, kept)?;
    let mut blocks =
        Blocks { system: &mut result, process, graph, sizes: FxHashMap::default(), large: vec![] };
    let mut edges = IdVec::new();
    for source in process.locations.ids() {
        if blocks.graph.kept[source.index()] {
            blocks.from(source, &mut edges);
        }
    }
    let large = blocks.large;
    if !large.is_empty() {
        return Err(NoBlocks::Large(large));
    }
    result.processes[ProcessId::at(0)].edges = edges;
    Ok(result)
}

/// The local variables of a statement: before it, they have any values.
pub fn locals(system: &System, stmt: Stmt) -> Vec<VarId> {
    let terms = &system.terms;
    let (mut vars, mut read) = (vec![], vec![]);
    terms.for_each_substmt(stmt, |part| {
        vars.extend(terms.stmt(part).written());
        terms.stmt(part).for_each_term(|term| read.push(term));
    });
    vars.extend(terms.vars_of_all(read));
    vars.retain(|var| system.vars[*var].scope == Scope::Local);
    vars.sort_unstable();
    vars.dedup();
    vars
}

/// Where edges lead, and in which order locations are passed.
struct Graph {
    kept: Vec<bool>,
    outgoing: Vec<Vec<EdgeId>>,
    /// The locations that are passed, each before those that edges lead to from it.
    order: Vec<LocationId>,
    /// By location: its number in that order.
    number: Vec<usize>,
}

impl Graph {
    fn new(system: &System, process: &Process, list: &[LocationId]) -> Result<Self, NoBlocks> {
        let count = process.locations.len();
        let mut kept = vec![false; count];
        for at in list {
            *kept.get_mut(at.index()).ok_or(NoBlocks::Shape)? = true;
        }
        let always = Some(&Value::Bool(true));
        for (at, location) in process.locations.entries().filter(|(at, _)| !kept[at.index()]) {
            let plain = system.terms.as_const(location.invariant) == always && location.undefined.is_none();
            if process.initial == Some(at) || !plain {
                return Err(NoBlocks::Needed(at));
            }
        }
        let mut outgoing = vec![vec![]; count];
        for (id, edge) in process.edges.entries() {
            outgoing[edge.source.index()].push(id);
        }
        let mut graph = Graph { kept, outgoing, order: vec![], number: vec![usize::MAX; count] };
        graph.sort(process)?;
        Ok(graph)
    }
    /// Puts passed locations in order: depth first, each after everything that comes after it, then backwards.
    fn sort(&mut self, process: &Process) -> Result<(), NoBlocks> {
        const OPEN: usize = usize::MAX - 1;
        for start in process.locations.ids() {
            if self.kept[start.index()] || self.number[start.index()] != usize::MAX {
                continue;
            }
            self.number[start.index()] = OPEN;
            let mut stack = vec![(start, 0)];
            while let Some((at, next)) = stack.last_mut() {
                let Some(edge) = self.outgoing[at.index()].get(*next) else {
                    self.number[at.index()] = 0;
                    self.order.push(*at);
                    stack.pop();
                    continue;
                };
                *next += 1;
                let target = process.edges[*edge].target;
                match self.number[target.index()] {
                    _ if self.kept[target.index()] => {}
                    OPEN => return Err(NoBlocks::Cycle(target)),
                    usize::MAX => {
                        self.number[target.index()] = OPEN;
                        stack.push((target, 0));
                    }
                    _ => {}
                }
            }
        }
        self.order.reverse();
        for (number, at) in self.order.iter().enumerate() {
            self.number[at.index()] = number;
        }
        Ok(())
    }
}

/// The statements along a path.
type Path = Vec<Stmt>;

struct Blocks<'a> {
    system: &'a mut System,
    process: &'a Process,
    graph: Graph,
    /// How many statements a statement is made of.
    sizes: FxHashMap<Stmt, u32>,
    /// Where paths have become too long.
    large: Vec<LocationId>,
}

impl Blocks<'_> {
    /// The blocks that begin at a location.
    fn from(&mut self, source: LocationId, edges: &mut IdVec<EdgeId, Edge>) {
        let mut ends = Ends::default();
        self.go_on(source, &[], &mut ends);
        while let Some((number, paths)) = ends.passed.pop_first() {
            let at = self.graph.order[number];
            let path = join(&mut self.system.terms, paths);
            let size = path.iter().fold(0, |sum: u32, part| sum.saturating_add(self.size(*part)));
            if size > LARGEST {
                if !self.large.contains(&at) {
                    self.large.push(at);
                }
                continue;
            }
            self.go_on(at, &path, &mut ends);
        }
        let Ends { kept, faults, .. } = ends;
        let always = self.system.terms.bool(true);
        let name = |at: LocationId| &self.process.locations[at].name;
        let mut edge = |target, update, label, span| {
            edges.push(Edge { source, target, guard: always, update, sync: None, label, span });
        };
        for (target, (span, paths)) in kept {
            let path = join(&mut self.system.terms, paths);
            let stmt = self.system.terms.seq(path);
            edge(target, Guarded::safe(stmt), format!("{} -> {}", name(source), name(target)), span);
        }
        if !faults.is_empty() {
            let path = join(&mut self.system.terms, faults);
            let (stmt, fault) = (self.system.terms.block(), self.system.terms.seq(path));
            let update = Guarded { stmt, fault: Some(fault) };
            edge(source, update, format!("{} goes wrong", name(source)), Span::default());
        }
    }
    /// Follows every edge from a location that `path` leads to.
    fn go_on(&mut self, at: LocationId, path: &[Stmt], ends: &mut Ends) {
        for id in self.graph.outgoing[at.index()].clone() {
            let Edge { target, guard, update, span, .. } = self.process.edges[id];
            for (half, is_fault) in [(Some(update.stmt), false), (update.fault, true)] {
                let Some(stmt) = half else { continue };
                let terms = &mut self.system.terms;
                let guard = terms.assume(guard);
                let stmt = terms.seq([guard, stmt]);
                if terms.is_block(stmt) {
                    continue;
                }
                let mut path = path.to_vec();
                // Only paths begin at kept locations.
                if !self.graph.kept[at.index()] {
                    let forgotten = locals(self.system, stmt);
                    path.extend(forgotten.into_iter().map(|var| self.system.terms.havoc(var)));
                }
                flatten(&self.system.terms, stmt, &mut path);
                match self.graph.kept[target.index()] {
                    _ if is_fault => ends.faults.push(path),
                    true => ends.kept.entry(target).or_insert_with(|| (span, vec![])).1.push(path),
                    false => ends.passed.entry(self.graph.number[target.index()]).or_default().push(path),
                }
            }
        }
    }
    fn size(&mut self, stmt: Stmt) -> u32 {
        if let Some(size) = self.sizes.get(&stmt) {
            return *size;
        }
        let mut list = vec![];
        self.system.terms.for_each_substmt(stmt, |part| list.push(part));
        for part in list {
            let mut size: u32 = 1;
            let node = self.system.terms.stmt(part);
            node.for_each_child(|child| size = size.saturating_add(self.sizes[&child]));
            self.sizes.insert(part, size);
        }
        self.sizes[&stmt]
    }
}

/// Where paths from a location have come to.
#[derive(Default)]
struct Ends {
    /// By number of the passed location.
    passed: BTreeMap<usize, Vec<Path>>,
    /// Paths that are whole blocks, with where the first of them is written.
    kept: IndexMap<LocationId, (Span, Vec<Path>)>,
    faults: Vec<Path>,
}

/// Appends the parts of a statement.
fn flatten(terms: &Terms, stmt: Stmt, out: &mut Path) {
    match terms.stmt(stmt) {
        StmtNode::Skip => {}
        StmtNode::Seq(list) => list.iter().for_each(|part| flatten(terms, *part, out)),
        _ => out.push(stmt),
    }
}

/// One of several paths, with what they begin with in common written once.
fn join(terms: &mut Terms, mut paths: Vec<Path>) -> Path {
    if paths.len() == 1 {
        return paths.remove(0);
    }
    let same = |a: &[Stmt], b: &[Stmt]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let Some(first) = paths.first() else { return vec![terms.block()] };
    let shared = paths[1..].iter().fold(first.len(), |most, other| same(&first[..most], other));
    let mut result = first[..shared].to_vec();
    let mut groups: IndexMap<Option<Stmt>, Vec<Path>> = IndexMap::new();
    for path in paths {
        let rest = path[shared..].to_vec();
        groups.entry(rest.first().copied()).or_default().push(rest);
    }
    if groups.len() == 1 {
        // Nothing is left of any of them.
        return result;
    }
    let ways: Vec<Path> = groups.into_values().map(|group| crate::deep(|| join(terms, group))).collect();
    result.push(branch(terms, &ways));
    result
}

/// A choice, or a branch if there are two ways with opposite conditions.
fn branch(terms: &mut Terms, ways: &[Path]) -> Stmt {
    if let [yes, no] = ways
        && let (Some(first), Some(second)) = (yes.first(), no.first())
        && let (StmtNode::Assume(a), StmtNode::Assume(b)) = (terms.stmt(*first), terms.stmt(*second))
    {
        let (a, b) = (*a, *b);
        if terms.not(a) == b {
            let (yes, no) = (terms.seq(yes[1..].iter().copied()), terms.seq(no[1..].iter().copied()));
            return terms.branch(a, yes, no);
        }
    }
    let ways: Vec<Stmt> = ways.iter().map(|way| terms.seq(way.iter().copied())).collect();
    terms.choice(ways)
}
