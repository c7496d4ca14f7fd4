//! The finished graph as a certificate: the labels of its expanded nodes.
//!
//! They contain the initial states, and by consecution and coverage what every action leads to; by
//! simulation, an action that no child stands for is impossible. An entry is ν̂ and Ẑ, or with bounds ν̂ and Z with L
//! and U, meaning a≼LU(Z).

use std::cell::RefCell;

use ir::{Certificate, ClockRange, Limit, ZoneSet};
use zones::{Bound, LuBounds, Pool, Probe, ZoneId, dbm};

use super::Explorer;
use super::data::Variables;
use super::graph::{Graph, Node, State};
use super::reads::ALL;
use crate::concrete::store::Store;
use crate::concrete::word::Word;
use crate::config::ZoneStrategy;
use crate::zone::places::{Arrays, Places};

/// The expanded nodes, those with equal ν̂ one after the other.
struct Labels {
    places: RefCell<Places>,
    store: Store,
    variables: Variables,
    nodes: Vec<Node>,
    pool: Pool,
    bounds: Vec<LuBounds>,
    /// For each entry, where those with its ν̂ begin and end.
    groups: Vec<(u32, u32)>,
    lu: bool,
    dim: usize,
    memory: RefCell<Memory>,
}

#[derive(Default)]
struct Memory {
    probe: Probe,
    zone: Vec<Bound>,
    words: Vec<Word>,
    arrays: Arrays,
    all: Vec<u32>,
}

impl Explorer<'_> {
    pub(super) fn into_certificate(self) -> Certificate {
        let Explorer { base, steps, graph, strategy, sight, .. } = self;
        let (places, store) = (base.places, base.store);
        let Graph { nodes, pool, bounds, dim, .. } = graph;
        let variables = steps.variables;
        let mut nodes: Vec<Node> = nodes.into_iter().filter(|node| node.state == State::Expanded).collect();
        // A stable sort keeps the order of nodes.
        let groups = if sight == ALL {
            nodes.sort_by_key(|node| node.discrete);
            group(&nodes, |a, b| a.discrete == b.discrete)
        } else {
            let restricted = |node: &Node| {
                let mut words = vec![0; store.components()];
                store.get(node.discrete, &mut words);
                variables.restrict(&mut words, node.mask);
                words
            };
            let mut rows: Vec<(Vec<Word>, Node)> =
                nodes.into_iter().map(|node| (restricted(&node), node)).collect();
            rows.sort_by(|a, b| a.0.cmp(&b.0));
            let groups = group(&rows, |a, b| a.0 == b.0);
            nodes = rows.into_iter().map(|(_, node)| node).collect();
            groups
        };
        Certificate::Zones(Box::new(Labels {
            places: RefCell::new(places),
            store,
            variables,
            nodes,
            pool,
            bounds: bounds.into_iter().collect(),
            groups,
            lu: strategy == ZoneStrategy::Lu,
            dim,
            memory: RefCell::default(),
        }))
    }
}

/// For each element, where its group begins and ends.
fn group<T>(list: &[T], same: impl Fn(&T, &T) -> bool) -> Vec<(u32, u32)> {
    let mut groups = vec![];
    for group in list.chunk_by(same) {
        let start = groups.len() as u32;
        groups.resize(groups.len() + group.len(), (start, start + group.len() as u32));
    }
    groups
}

impl Labels {
    /// The zone that is listed for a node.
    fn zone_of(&self, node: &Node) -> ZoneId {
        if self.lu { node.zone } else { ZoneId::at(node.label as usize) }
    }
    fn bounds_of(&self, node: &Node) -> &LuBounds {
        &self.bounds[node.label as usize]
    }
}

impl ZoneSet for Labels {
    fn len(&self) -> usize {
        self.nodes.len()
    }
    fn state(&self, index: usize, out: &mut ir::State) {
        let Memory { words, arrays, .. } = &mut *self.memory.borrow_mut();
        words.resize(self.store.components(), 0);
        let node = &self.nodes[index];
        self.store.get(node.discrete, words);
        self.variables.restrict(words, node.mask);
        self.places.borrow().unpack_into(words, arrays, out);
    }
    fn zone(&self, index: usize, out: &mut ir::Zone) {
        let Memory { zone, .. } = &mut *self.memory.borrow_mut();
        zone.resize(dbm::len(self.dim), Bound::INFINITY);
        self.pool.load(self.zone_of(&self.nodes[index]), zone);
        out.dim = self.dim;
        out.limits.clear();
        for row in zone.chunks_exact(dbm::stride(self.dim)) {
            out.limits.extend(row[..self.dim].iter().map(|bound| Limit::from_code(bound.code())));
        }
    }
    fn find(&self, like: usize, zone: &ir::Zone, most: Option<&[ClockRange]>) -> Option<usize> {
        let Memory { probe, all, .. } = &mut *self.memory.borrow_mut();
        all.clear();
        all.extend(0..self.dim as u32);
        probe.load_cells(all, |i, j| Bound::from_code(zone.limits[i * self.dim + j].code()));
        let (start, end) = self.groups[like];
        (start as usize..end as usize).find(|at| {
            let node = &self.nodes[*at];
            match self.lu {
                true => {
                    let bounds = self.bounds_of(node);
                    most.is_none_or(|most| is_within(bounds, most))
                        && self.pool.lu_covers(node.zone, probe, bounds)
                }
                false => self.pool.covers(self.zone_of(node), probe),
            }
        })
    }
    fn simulation(&self, index: usize, out: &mut Vec<ClockRange>) -> bool {
        if self.lu {
            let bounds = self.bounds_of(&self.nodes[index]);
            out.clear();
            out.extend((1..self.dim).map(|clock| range(bounds, clock)));
        }
        self.lu
    }
}

fn range(bounds: &LuBounds, clock: usize) -> ClockRange {
    (bounds.lower(clock).map(i64::from), bounds.upper(clock).map(i64::from))
}

/// Whether bounds are at most these, or there are none, so that all is simulated.
fn is_within(bounds: &LuBounds, most: &[ClockRange]) -> bool {
    let at_most = |(clock, most): (usize, &ClockRange)| {
        let (lower, upper) = range(bounds, clock);
        lower <= most.0 && upper <= most.1
    };
    (1..).zip(most).all(at_most)
}
