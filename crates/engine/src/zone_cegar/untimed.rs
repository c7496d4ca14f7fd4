//! The initial abstraction: every discrete state with `z∞`, the zone of all clock valuations.
//!
//! Its edges are what actions do to data when clocks may have any value, so every edge of the zone graph is
//! one of them. The graph is built on demand, as far as the search for a path asks for it. What is asked is
//! only whether a *bad* state, one where the target or a fault is possible at some valuation, can be reached
//! from a state, and by which move first.
//!
//! **Online search.** The graph never changes once it is there, so what has been found out stays true, and
//! a search goes on from what the searches before it left. As soon as a state turns out to be bad, everything known to
//! lead there is told, backwards along edges, each of which is used for that once. A search that comes to an
//! end without meeting such a state has seen all there is, so everything it has seen is *hopeless*: closed
//! under all actions, and free of targets. Each state is expanded once.
//!
//! Invariant: an expanded state is *hopeful* if one of its successors is; the successors of hopeless states
//! are hopeless.

use std::ops::Range;

use ir::VectorId;
use zones::{Bound, dbm};

use crate::Reason;
use crate::cause::InternalError;
use crate::stop::SUCCESSOR;
use crate::zone::{End, Explorer};

/// The graph so far; states are numbered as the explorer numbers discrete states.
pub(super) struct Untimed {
    nodes: Vec<Node>,
    /// All edges, those of a state together, in the order of their moves.
    edges: Vec<Edge>,
    /// The zone of all valuations.
    pub(super) all: Vec<Bound>,
    /// States expanded.
    pub(super) expanded: u64,
    /// The number of the current search.
    search: u32,
    /// Memory for the states of a search, and for those to be told.
    queue: Vec<u32>,
    told: Vec<u32>,
}

#[derive(Copy, Clone)]
struct Node {
    fate: Fate,
    /// Where its edges are; it begins with `NONE` until they are known.
    edges: (u32, u32),
    /// The last edge into it, or `NONE`.
    incoming: u32,
    /// The last search that has seen it.
    seen: u32,
}

/// What is known of the ways from a state.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// Nothing yet.
    Open,
    /// It is bad.
    Bad,
    /// This move leads to a state from which a bad one can be reached.
    Hopeful(u32),
    /// No bad state can be reached.
    Hopeless,
}

impl Fate {
    fn is_hopeful(self) -> bool {
        matches!(self, Fate::Bad | Fate::Hopeful(_))
    }
}

#[derive(Copy, Clone)]
struct Edge {
    source: u32,
    /// The number of the move.
    at: u32,
    target: u32,
    /// Another edge into the same state, or `NONE`.
    next: u32,
}

const NONE: u32 = u32::MAX;

impl Untimed {
    /// No state.
    pub(super) fn new(dim: usize) -> Self {
        let mut all = vec![Bound::INFINITY; dbm::len(dim)];
        dbm::init_universe(&mut all, dim);
        Untimed { nodes: vec![], edges: vec![], all, expanded: 0, search: 0, queue: vec![], told: vec![] }
    }
    /// How many states there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }
    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.edges.capacity() * size_of::<Edge>()
    }
    /// What is known of the ways from a state.
    pub(super) fn fate(&self, state: u32) -> Fate {
        self.nodes[state as usize].fate
    }
    /// The edges of an expanded state, by number.
    pub(super) fn edges(&self, state: u32) -> Range<u32> {
        let (start, count) = self.nodes[state as usize].edges;
        start..start + count
    }
    /// The move of the first of some edges.
    pub(super) fn move_of(&self, edges: &Range<u32>) -> Option<u32> {
        (!edges.is_empty()).then(|| self.edges[edges.start as usize].at)
    }
    /// The edges of an expanded state that are of one move.
    pub(super) fn edges_of(&self, state: u32, at: u32) -> Range<u32> {
        let Range { start, end } = self.edges(state);
        let all = &self.edges[start as usize..end as usize];
        let before = |limit: u32| start + all.partition_point(|edge| edge.at < limit) as u32;
        before(at)..before(at + 1)
    }
    fn target(&self, edge: u32) -> u32 {
        self.edges[edge as usize].target
    }

    /// Takes in the discrete state in the machine; its number.
    pub(super) fn meet(&mut self, explorer: &mut Explorer<'_>, vector: VectorId) -> Result<u32, End> {
        explorer.stop.spend(SUCCESSOR);
        let number = explorer.store_discrete()?;
        if number as usize == self.nodes.len() {
            explorer.vm.time.zone().copy_from_slice(&self.all);
            let bad = explorer.places.faulty(vector) || explorer.has_target(vector)?;
            let fate = if bad { Fate::Bad } else { Fate::Open };
            self.nodes.push(Node { fate, edges: (NONE, 0), incoming: NONE, seen: 0 });
            if explorer.graph.stored + self.nodes.len() as u64 > explorer.limit {
                return Err(Reason::States(explorer.limit).into());
            }
        }
        Ok(number)
    }
    /// Makes the state in the machine a refined node, unless its discrete state is hopeless.
    pub(super) fn refine(
        &self,
        explorer: &mut Explorer<'_>,
        vector: VectorId,
        parent: u32,
    ) -> Result<(), End> {
        let number = explorer.store_discrete()?;
        match self.nodes.get(number as usize).map(|node| node.fate) {
            Some(Fate::Hopeless) => Ok(()),
            Some(_) => explorer.arrive(vector, parent),
            None => Err(Reason::from(InternalError::LostZone).into()),
        }
    }
    /// Makes sure that the edges of a state are known.
    pub(super) fn expand(&mut self, explorer: &mut Explorer<'_>, state: u32) -> Result<(), End> {
        if self.nodes[state as usize].edges.0 != NONE {
            return Ok(());
        }
        self.expanded += 1;
        if self.expanded.is_multiple_of(64) && explorer.stop.requested() {
            return Err(explorer.stop.reason().into());
        }
        let source = explorer.load_discrete(state)?;
        explorer.vm.time.source.copy_from_slice(&self.all);
        let first = self.edges.len();
        let mut hopeful = None;
        for at in 0..explorer.places.prepare(source)? {
            let start = self.edges.len();
            explorer.take(source, at, |explorer, vector| {
                let target = self.meet(explorer, vector)?;
                if self.edges[start..].last().is_none_or(|last| last.target != target) {
                    let node = &mut self.nodes[target as usize];
                    let number = self.edges.len() as u32;
                    let next = std::mem::replace(&mut node.incoming, number);
                    if node.fate.is_hopeful() {
                        hopeful.get_or_insert(at as u32);
                    }
                    self.edges.push(Edge { source: state, at: at as u32, target, next });
                }
                Ok(())
            })?;
        }
        if self.edges.len() >= NONE as usize {
            return Err(Reason::States(u64::from(NONE)).into());
        }
        let node = &mut self.nodes[state as usize];
        node.edges = (first as u32, (self.edges.len() - first) as u32);
        if node.fate == Fate::Open
            && let Some(at) = hopeful
        {
            node.fate = Fate::Hopeful(at);
            self.tell(state);
        }
        Ok(())
    }
    /// Tells all states that are known to lead to a hopeful one.
    fn tell(&mut self, state: u32) {
        self.told.clear();
        self.told.push(state);
        let mut head = 0;
        while head < self.told.len() {
            let mut edge = self.nodes[self.told[head] as usize].incoming;
            head += 1;
            while edge != NONE {
                let Edge { source, at, next, .. } = self.edges[edge as usize];
                let node = &mut self.nodes[source as usize];
                if node.fate == Fate::Open {
                    node.fate = Fate::Hopeful(at);
                    self.told.push(source);
                }
                edge = next;
            }
        }
    }
    /// Finds out of all edges of a move whether they lead to hopeful states; whether one does.
    pub(super) fn decide(&mut self, explorer: &mut Explorer<'_>, state: u32, at: u32) -> Result<bool, End> {
        let mut hopeful = false;
        for edge in self.edges_of(state, at) {
            hopeful |= self.is_hopeful(explorer, self.target(edge))?;
        }
        Ok(hopeful)
    }
    /// Whether a bad state can be reached from this one; searches until that is known.
    pub(super) fn is_hopeful(&mut self, explorer: &mut Explorer<'_>, state: u32) -> Result<bool, End> {
        match self.fate(state) {
            Fate::Bad | Fate::Hopeful(_) => return Ok(true),
            Fate::Hopeless => return Ok(false),
            Fate::Open => {}
        }
        self.search += 1;
        self.queue.clear();
        self.see(state);
        let mut head = 0;
        while head < self.queue.len() {
            let here = self.queue[head];
            head += 1;
            self.expand(explorer, here)?;
            if self.fate(state).is_hopeful() {
                return Ok(true);
            }
            for edge in self.edges(here) {
                self.see(self.target(edge));
            }
        }
        for seen in &self.queue {
            self.nodes[*seen as usize].fate = Fate::Hopeless;
        }
        Ok(false)
    }
    /// Puts a state into the queue, unless it is there or known to be hopeless.
    fn see(&mut self, state: u32) {
        let node = &mut self.nodes[state as usize];
        if node.seen != self.search && node.fate == Fate::Open {
            node.seen = self.search;
            self.queue.push(state);
        }
    }
}
