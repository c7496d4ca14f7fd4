//! Symbolic runs: the zones of all runs that pass through the same discrete states by the same edges.
//!
//! The discrete part of a run is known, from a run with exact times or from what another tool says: where processes
//! are, the values of data, and which edges may have moved. [`follow`] takes the zone along, from all clocks at zero
//! through guards, resets, invariants and delays, exactly and without extrapolation. So the zone of a step holds the
//! valuations with which some run along these states can be there, after time has passed; its bounds are integers.
//! Where several executions fit, all are followed, state by state, except those that another one with the same data
//! and a larger zone makes needless.
//!
//! Invariant: every zone is the image of the one before it under the operations of its step.

use ir::{EdgeId, Edges, Id, ProcessId, Question, Run, State, System, VectorId};
use zones::{Op, Zone};

use super::places::Precision;
use super::run::{Leg, lost, moments};
use super::{End, Explorer};
use crate::concrete::op::VECTOR;
use crate::concrete::word::Word;
use crate::{Config, Reason, Stop};

/// What is known of a state on the way.
#[derive(Clone, Debug)]
pub struct Waypoint {
    /// For each process that moves to it, the edges that it may take, the likeliest first; nothing for the start.
    pub edges: Vec<(ProcessId, Vec<EdgeId>)>,
    /// Where processes are, and the values of data. An open value may be any; those of clocks are not looked at.
    pub state: State,
}

/// A run with a zone instead of the values of clocks.
#[derive(Debug)]
pub struct SymbolicRun {
    /// The start is the first.
    pub steps: Vec<SymbolicStep>,
    /// What is asked of clocks at its end.
    finish: Vec<Op>,
}

/// One step of a symbolic run.
#[derive(Debug)]
pub struct SymbolicStep {
    /// Where it leads; clocks are open.
    pub state: State,
    pub(super) leg: Leg,
    zone: Zone,
}

/// Why there is no symbolic run.
#[derive(Debug)]
pub enum Astray {
    /// Nothing leads to the state of this number, from 0.
    Nowhere(usize),
    /// It is not known.
    Unknown(Reason),
}

impl From<Reason> for Astray {
    fn from(reason: Reason) -> Self {
        Astray::Unknown(reason)
    }
}

/// A symbolic run through these states; if there are several, one with the likeliest edges.
///
/// # Errors
/// If there is none, or nobody knows.
pub fn follow(system: &System, way: &[Waypoint], stop: &Stop) -> Result<SymbolicRun, Astray> {
    let mut system = system.clone();
    let question = Question::never(&mut system.terms);
    follow_to(&system, way, &question, stop)
}

/// The same, ending where what a question searches for happens, if any of the runs does.
///
/// # Errors
/// If there is none, or nobody knows.
pub fn follow_to(
    system: &System,
    way: &[Waypoint],
    question: &Question,
    stop: &Stop,
) -> Result<SymbolicRun, Astray> {
    let mut explorer = explorer(system.clone(), question, stop)?;
    for vm in [&mut explorer.vm, &mut explorer.judge] {
        vm.time.keep_log();
    }
    let mut layers: Vec<Vec<Node>> = vec![];
    for (number, wanted) in way.iter().enumerate() {
        let found = match layers.last() {
            None => explorer.starts(&wanted.state),
            Some(before) => explorer.steps(before, wanted),
        };
        let found = thinned(found.map_err(End::reason)?);
        if found.is_empty() {
            return Err(Astray::Nowhere(number));
        }
        layers.push(found);
    }
    let (mut at, finish) = explorer.finish(&layers).map_err(End::reason)?;
    let mut steps = vec![];
    for mut layer in layers.into_iter().rev() {
        let node = layer.swap_remove(at);
        at = node.parent;
        steps.push(node.step);
    }
    steps.reverse();
    Ok(SymbolicRun { steps, finish })
}

impl SymbolicRun {
    /// One of its runs, at the earliest moments that lead to its end.
    ///
    /// # Errors
    /// If it cannot be walked through with exact times.
    pub fn run(&self, system: &System, stop: &Stop) -> Result<Run, Reason> {
        let mut system = system.clone();
        let question = Question::never(&mut system.terms);
        let explorer = explorer(system, &question, stop)?;
        let ops = self.steps.iter().flat_map(|step| &step.leg.ops).chain(&self.finish);
        let times = moments(explorer.dim, ops).ok_or_else(|| lost(None))?;
        let (states, legs): (Vec<State>, Vec<Leg>) =
            self.steps.iter().map(|step| (step.state.clone(), step.leg.clone())).unzip();
        explorer.walk(&states, &legs, &times)
    }
}

impl SymbolicStep {
    /// The edges that move, none for the start.
    pub fn edges(&self) -> &Edges {
        &self.leg.edges
    }
    /// The least bound on the difference of two clocks, numbered from 1 in the order of [`System::clocks`], and whether
    /// it is strict; 0 is the constant zero.
    pub fn bound(&self, plus: usize, minus: usize) -> Option<(i32, bool)> {
        let bound = self.zone.bound(plus, minus);
        Some((bound.constant()?, bound.is_strict()))
    }
}

/// A step with the words of its state, and where in the layer before it comes from.
pub(super) struct Node {
    pub(super) step: SymbolicStep,
    pub(super) words: Vec<Word>,
    pub(super) parent: usize,
    /// How unlikely the edges so far are.
    rank: usize,
}

pub(super) fn explorer<'a>(
    system: System,
    question: &Question,
    stop: &'a Stop,
) -> Result<Explorer<'a>, Reason> {
    Explorer::new(system, question, Precision::Exact, &Config::default(), stop)
}

impl Explorer<'_> {
    /// The initial nodes with this discrete state.
    pub(super) fn starts(&mut self, wanted: &State) -> Result<Vec<Node>, End> {
        let mut found = vec![];
        self.initial(&mut |explorer, _| {
            found.extend(explorer.node(Edges::new(), wanted));
            Ok(())
        })?;
        Ok(found)
    }
    /// The nodes that a step leads to as it is wanted.
    pub(super) fn steps(&mut self, before: &[Node], wanted: &Waypoint) -> Result<Vec<Node>, End> {
        let mut found = vec![];
        for (parent, from) in before.iter().enumerate() {
            let source = VectorId::at(from.words[VECTOR as usize] as usize);
            let moves = self.places.prepare(source)?;
            self.make_room();
            self.vm.slots[..from.words.len()].copy_from_slice(&from.words);
            self.vm.time.source.copy_from_slice(from.step.zone.bounds());
            for at in 0..moves {
                let edges = self.places.edges(self.places.movement(source, at)).clone();
                let Some(more) = rank(&wanted.edges, &edges) else { continue };
                self.take(source, at, |explorer, _| {
                    let node = explorer.node(edges.clone(), &wanted.state);
                    found.extend(node.map(|node| Node { parent, rank: from.rank + more, ..node }));
                    Ok(())
                })?;
            }
        }
        Ok(found)
    }
    /// The first node of the last layer where what is searched for happens, with what that asks of clocks; if there is
    /// none, the first of all.
    fn finish(&mut self, layers: &[Vec<Node>]) -> Result<(usize, Vec<Op>), End> {
        let Some((last, before)) = layers.split_last() else { return Ok((0, vec![])) };
        for (at, node) in last.iter().enumerate() {
            let (mut ops, mut parent) = (vec![&node.step.leg.ops], node.parent);
            for layer in before.iter().rev() {
                ops.push(&layer[parent].step.leg.ops);
                parent = layer[parent].parent;
            }
            let on_the_way: Vec<Op> = ops.into_iter().rev().flatten().copied().collect();
            let vector = VectorId::at(node.words[VECTOR as usize] as usize);
            self.places.prepare(vector)?;
            self.make_room();
            self.vm.slots[..node.words.len()].copy_from_slice(&node.words);
            self.vm.time.source.copy_from_slice(node.step.zone.bounds());
            self.vm.time.start();
            let (dim, mut found) = (self.dim, None);
            self.targets(vector, &mut |finish| {
                let possible = moments(dim, on_the_way.iter().chain(&finish)).is_some();
                found = possible.then_some(finish);
                !possible
            })?;
            if let Some(finish) = found {
                return Ok((at, finish));
            }
        }
        Ok((0, vec![]))
    }
    /// The state in the machine, if it is as wanted.
    fn node(&mut self, edges: Edges, wanted: &State) -> Option<Node> {
        let words = self.vm.slots[..self.store.components()].to_vec();
        let state = self.places.unpack(&words);
        let mut values = state.values.iter().zip(&wanted.values);
        let same = values.all(|(value, wanted)| value.is_none() || wanted.is_none() || value == wanted);
        (same && state.locations == wanted.locations).then(|| {
            let ops: Vec<Op> = self.vm.time.log().to_vec();
            let zone = Zone::from_closed(self.vm.time.zone(), self.dim);
            Node { step: SymbolicStep { state, leg: Leg { edges, ops }, zone }, words, parent: 0, rank: 0 }
        })
    }
}

/// How unlikely these edges are, if they may move together.
fn rank(wanted: &[(ProcessId, Vec<EdgeId>)], edges: &Edges) -> Option<usize> {
    let position = |(process, edge): &(ProcessId, EdgeId)| {
        let (_, list) = wanted.iter().find(|(wanted, _)| wanted == process)?;
        list.iter().position(|known| known == edge)
    };
    if wanted.len() != edges.len() {
        return None;
    }
    edges.iter().map(position).sum()
}

/// The likeliest first, without those that an earlier one contains.
pub(super) fn thinned(mut nodes: Vec<Node>) -> Vec<Node> {
    nodes.sort_by_key(|node| node.rank);
    let mut kept: Vec<Node> = vec![];
    for node in nodes {
        let covers = |other: &Node| other.words == node.words && other.step.zone.includes(&node.step.zone);
        if !kept.iter().any(covers) {
            kept.push(node);
        }
    }
    kept
}
