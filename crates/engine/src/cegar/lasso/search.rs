//! Searches for accepting cycles of the abstract reachability graph.
//!
//! The nodes of the graph are the expanded ones; a transition leads from a node to the one that stands for what an action
//! leads to, itself or the node that covers it. Acceptance sets are on transitions. A lasso is a path from an initial node
//! whose end is a cycle through every acceptance set.
//!
//! - **Components** ([`Snapshot`]): a graph has an accepting cycle if and only if it has a strongly connected component
//!   whose own transitions are in all sets. The lasso goes to a nearest such component, and around in it by shortest ways.
//! - **Guided depth-first search** ([`guided`]) follows accepting transitions first. The search that the literature
//!   describes under this name never enters a node twice, and so misses cycles through nodes that it has left; here the
//!   nodes on a cycle are merged, with the sets of its transitions, as soon as it is closed (Couvreur 1999), so that none
//!   is missed.
//! - **Nested depth-first search** ([`nested`]; Courcoubetis, Vardi, Wolper and Yannakakis 1992) knows one acceptance set
//!   only. So it visits nodes in *layers*: a node in layer `n` has come through the first `n` sets in order since the last
//!   round. The last layer is accepting, and a second search from each of its nodes, in the order in which the first one
//!   leaves them, looks for a way back.
//!
//! The last two expand nodes on the way; whoever gives them the [`Space`] sees in which order.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::explicit::graph::{Components, Graph};

/// A transition of the abstract graph. Nodes are given by their numbers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it starts.
    pub source: u32,
    /// The number of the action at its source.
    pub action: u32,
    /// The node that the action led to.
    pub made: u32,
    /// The node that stands for it.
    pub target: u32,
    /// A bit for each acceptance set that it is in.
    pub marks: u32,
}

/// A path from an initial node that ends in a cycle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// The initial node.
    pub first: u32,
    /// The transitions, those of the cycle last.
    pub edges: Vec<Edge>,
    /// How many transitions come before the cycle.
    pub stem: usize,
}

/// A graph that is made while it is searched.
pub trait Space {
    /// Why a search ends early.
    type End;
    /// The initial nodes.
    fn roots(&mut self) -> Result<Vec<u32>, Self::End>;
    /// The transitions from a node.
    fn from(&mut self, node: u32) -> Result<Vec<Edge>, Self::End>;
}

/// The transitions between expanded nodes at some point, with their components.
pub struct Snapshot {
    /// The nodes, and what they are called here.
    pub nodes: Vec<u32>,
    numbers: FxHashMap<u32, u32>,
    /// The transitions in order of their sources.
    pub edges: Vec<Edge>,
    roots: Vec<u32>,
    /// All acceptance sets.
    pub all: u32,
}

impl Snapshot {
    /// The graph of these nodes with these transitions, in the order of the nodes, as far as it can be reached: what is
    /// behind a node that waits to be expanded again does not count until that is done.
    pub fn new(nodes: Vec<u32>, edges: Vec<Edge>, roots: Vec<u32>, all: u32) -> Self {
        let expanded: FxHashSet<u32> = nodes.iter().copied().collect();
        let mut from: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for edge in &edges {
            from.entry(edge.source).or_default().push(edge.target);
        }
        let mut reached = FxHashSet::default();
        let mut open: Vec<u32> = roots.clone();
        while let Some(node) = open.pop() {
            if expanded.contains(&node) && reached.insert(node) {
                open.extend(from.get(&node).into_iter().flatten());
            }
        }
        let nodes: Vec<u32> = nodes.into_iter().filter(|node| reached.contains(node)).collect();
        let edges = edges.into_iter().filter(|edge| reached.contains(&edge.source)).collect();
        let numbers = nodes.iter().zip(0..).map(|(node, number)| (*node, number)).collect();
        Snapshot { nodes, numbers, edges, roots, all }
    }
    /// The number of a node here, if it is expanded.
    pub fn number(&self, node: u32) -> Option<u32> {
        self.numbers.get(&node).copied()
    }
    /// The components of what these transitions make of all nodes, and for each transition of that graph which it is.
    pub fn components(&self, kept: impl Fn(usize) -> bool) -> Parts {
        let mut graph = Graph::default();
        let mut which = vec![];
        let mut edges = self.edges.iter().enumerate().peekable();
        for node in &self.nodes {
            graph.begin();
            while let Some((at, edge)) = edges.next_if(|(_, edge)| edge.source == *node) {
                if let Some(target) = self.number(edge.target).filter(|_| kept(at)) {
                    graph.marks = edge.marks;
                    graph.add(target);
                    which.push(at);
                }
            }
        }
        let components = graph.components();
        Parts { graph, components, which }
    }
    /// A lasso to the nearest of the nodes that are wanted, and around in its component, which must accept.
    pub fn lasso(&self, parts: &Parts, wanted: impl Fn(u32) -> bool) -> Option<Lasso> {
        let mut from: Vec<Vec<usize>> = vec![vec![]; self.nodes.len()];
        for (at, edge) in self.edges.iter().enumerate() {
            from[self.number(edge.source)? as usize].push(at);
        }
        let mut arrivals: FxHashMap<u32, Option<usize>> = FxHashMap::default();
        let mut queue: VecDeque<u32> = self.roots.iter().filter_map(|root| self.number(*root)).collect();
        arrivals.extend(queue.iter().map(|root| (*root, None)));
        while let Some(node) = queue.pop_front() {
            if wanted(node) {
                let mut edges = vec![];
                let mut at = node;
                while let Some(by) = arrivals[&at] {
                    edges.push(self.edges[by]);
                    at = self.number(self.edges[by].source)?;
                }
                edges.reverse();
                let stem = edges.len();
                let around = parts.graph.around(node, &parts.components, self.all);
                edges.extend(around.into_iter().map(|position| self.edges[parts.which[position]]));
                return Some(Lasso { first: self.nodes[at as usize], edges, stem });
            }
            for at in &from[node as usize] {
                let Some(target) = self.number(self.edges[*at].target) else { continue };
                if let std::collections::hash_map::Entry::Vacant(entry) = arrivals.entry(target) {
                    entry.insert(Some(*at));
                    queue.push_back(target);
                }
            }
        }
        None
    }
}

/// Some transitions of a snapshot, as a graph with its components.
pub struct Parts {
    /// The graph.
    graph: Graph,
    /// Its components.
    pub components: Components,
    /// Which transition of the snapshot each one of the graph is.
    which: Vec<usize>,
}

impl Parts {
    /// Whether the component of a node is accepting.
    pub fn accepts(&self, node: u32, all: u32) -> bool {
        self.components.marks[self.components.of[node as usize] as usize] == Some(all)
    }
    /// An acceptance set that the component of a node does not have, if it is not accepting.
    pub fn missing(&self, node: u32) -> u8 {
        let component = self.components.of[node as usize] as usize;
        self.components.marks[component].unwrap_or(0).trailing_ones() as u8
    }
}

/// A node that a depth-first search is at.
struct Frame<N> {
    node: N,
    edges: Vec<Edge>,
    next: usize,
    /// How it was come to.
    by: Option<Edge>,
}

impl<N> Frame<N> {
    fn new(node: N, edges: Vec<Edge>, by: Option<Edge>) -> Self {
        Frame { node, edges, next: 0, by }
    }
    fn go_on(&mut self) -> Option<Edge> {
        let edge = self.edges.get(self.next).copied();
        self.next += 1;
        edge
    }
}

/// The transitions by which a depth-first search has come to where it is.
fn path<N>(stack: &[Frame<N>]) -> impl Iterator<Item = Edge> + '_ {
    stack.iter().filter_map(|frame| frame.by)
}

/// Guided depth-first search.
pub fn guided<S: Space>(space: &mut S, all: u32) -> Result<Option<Lasso>, S::End> {
    let mut search =
        Guided { all, entered: FxHashMap::default(), open: vec![], merged: vec![], stack: vec![] };
    for root in space.roots()? {
        if !search.entered.contains_key(&root)
            && let Some(lasso) = search.from(space, root)?
        {
            return Ok(Some(lasso));
        }
    }
    Ok(None)
}

/// A search that merges the nodes of cycles.
struct Guided {
    all: u32,
    /// When nodes were entered; `None` once their component is complete.
    entered: FxHashMap<u32, Option<usize>>,
    /// The nodes that are in no complete component, in the order in which they were entered, with their transitions.
    open: Vec<(u32, Vec<Edge>)>,
    /// Parts of components that lie one behind the other on the path.
    merged: Vec<Merged>,
    stack: Vec<Frame<u32>>,
}

/// Nodes that reach each other.
struct Merged {
    /// The first of them, by when it was entered.
    root: usize,
    /// The sets of the transition that led there,
    before: u32,
    /// and of those within.
    within: u32,
}

impl Guided {
    fn from<S: Space>(&mut self, space: &mut S, root: u32) -> Result<Option<Lasso>, S::End> {
        self.enter(space, root, None)?;
        while let Some(frame) = self.stack.last_mut() {
            let Some(edge) = frame.go_on() else {
                let node = frame.node;
                self.stack.pop();
                self.leave(node);
                continue;
            };
            match self.entered.get(&edge.target) {
                None => self.enter(space, edge.target, Some(edge))?,
                Some(None) => {}
                Some(Some(when)) => {
                    let when = *when;
                    if self.merge(when, edge.marks) == self.all {
                        return Ok(Some(self.lasso(root)));
                    }
                }
            }
        }
        Ok(None)
    }
    fn enter<S: Space>(&mut self, space: &mut S, node: u32, by: Option<Edge>) -> Result<(), S::End> {
        let mut edges = space.from(node)?;
        edges.sort_by_key(|edge| std::cmp::Reverse(edge.marks.count_ones()));
        let root = self.open.len();
        self.entered.insert(node, Some(root));
        self.open.push((node, edges.clone()));
        self.merged.push(Merged { root, before: by.map_or(0, |edge| edge.marks), within: 0 });
        self.stack.push(Frame::new(node, edges, by));
        Ok(())
    }
    /// Merges everything since a node was entered, which a transition with these sets leads back to; the sets that are
    /// within now.
    fn merge(&mut self, when: usize, marks: u32) -> u32 {
        let mut within = marks;
        while let Some(part) = self.merged.pop_if(|part| part.root > when) {
            within |= part.before | part.within;
        }
        let part = self.merged.last_mut().expect("what is open is part of something");
        part.within |= within;
        part.within
    }
    fn leave(&mut self, node: u32) {
        let when = self.entered[&node];
        if self.merged.pop_if(|part| Some(part.root) == when).is_some() {
            for (node, _) in self.open.split_off(when.expect("it is open")) {
                self.entered.insert(node, None);
            }
        }
    }
    /// The lasso around in the last part, which has all sets.
    fn lasso(&self, first: u32) -> Lasso {
        let root = self.merged.last().expect("just merged").root;
        let nodes: Vec<u32> = self.open[root..].iter().map(|(node, _)| *node).collect();
        let edges = self.open[root..].iter().flat_map(|(_, edges)| edges).copied().collect();
        let snapshot = Snapshot::new(nodes, edges, vec![self.open[root].0], self.all);
        let around = snapshot.lasso(&snapshot.components(|_| true), |node| node == 0);
        let to_root: Vec<Edge> = path(&self.stack)
            .take_while(|edge| self.entered[&edge.target].is_some_and(|when| when <= root))
            .collect();
        let stem = to_root.len();
        let around = around.expect("a part with all sets has a cycle");
        Lasso { first, edges: to_root.into_iter().chain(around.edges).collect(), stem }
    }
}

/// Nested depth-first search.
pub fn nested<S: Space>(space: &mut S, all: u32) -> Result<Option<Lasso>, S::End> {
    let mut nested =
        Nested { last: all.count_ones(), seen: FxHashSet::default(), again: FxHashSet::default() };
    for first in space.roots()? {
        if let Some((edges, stem)) = nested.from(space, first)? {
            return Ok(Some(Lasso { first, edges, stem }));
        }
    }
    Ok(None)
}

/// A node in a layer.
type Layered = (u32, u32);

struct Nested {
    /// The accepting layer.
    last: u32,
    /// What the first search has seen,
    seen: FxHashSet<Layered>,
    /// and what the second has.
    again: FxHashSet<Layered>,
}

impl Nested {
    /// Where a transition leads.
    fn after(&self, (_, layer): Layered, edge: &Edge) -> Layered {
        let layer = if layer == self.last { 0 } else { layer };
        (edge.target, layer + (edge.marks >> layer).trailing_ones().min(self.last - layer))
    }
    fn from<S: Space>(&mut self, space: &mut S, root: u32) -> Result<Option<(Vec<Edge>, usize)>, S::End> {
        if !self.seen.insert((root, 0)) {
            return Ok(None);
        }
        let mut stack = vec![Frame::new((root, 0), space.from(root)?, None)];
        while let Some(frame) = stack.last_mut() {
            if let Some(edge) = frame.go_on() {
                let to = self.after(frame.node, &edge);
                if self.seen.insert(to) {
                    stack.push(Frame::new(to, space.from(to.0)?, Some(edge)));
                }
                continue;
            }
            let node = frame.node;
            if node.1 == self.last
                && let Some(cycle) = self.back(space, node)?
            {
                let mut edges: Vec<Edge> = path(&stack).collect();
                let stem = edges.len();
                edges.extend(cycle);
                return Ok(Some((edges, stem)));
            }
            stack.pop();
        }
        Ok(None)
    }
    /// A way from a node to itself.
    fn back<S: Space>(&mut self, space: &mut S, seed: Layered) -> Result<Option<Vec<Edge>>, S::End> {
        let mut stack = vec![Frame::new(seed, space.from(seed.0)?, None)];
        while let Some(frame) = stack.last_mut() {
            let Some(edge) = frame.go_on() else {
                stack.pop();
                continue;
            };
            let to = self.after(frame.node, &edge);
            if to == seed {
                return Ok(Some(path(&stack).chain([edge]).collect()));
            }
            if self.again.insert(to) {
                stack.push(Frame::new(to, space.from(to.0)?, Some(edge)));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A graph that is there.
    struct There(Vec<Vec<Edge>>);

    impl Space for There {
        type End = std::convert::Infallible;
        fn roots(&mut self) -> Result<Vec<u32>, Self::End> {
            Ok(vec![0])
        }
        fn from(&mut self, node: u32) -> Result<Vec<Edge>, Self::End> {
            Ok(self.0[node as usize].clone())
        }
    }

    fn edge(source: u32, target: u32, marks: u32) -> Edge {
        Edge { source, action: 0, made: target, target, marks }
    }

    /// What each search finds, first by components.
    fn searched(graph: Vec<Vec<Edge>>, all: u32) -> [Option<Lasso>; 3] {
        let nodes = (0..graph.len() as u32).collect();
        let snapshot = Snapshot::new(nodes, graph.concat(), vec![0], all);
        let parts = snapshot.components(|_| true);
        let by_components = snapshot.lasso(&parts, |node| parts.accepts(node, all));
        let mut space = There(graph);
        let (Ok(guided), Ok(nested)) = (guided(&mut space, all), nested(&mut space, all));
        [by_components, guided, nested]
    }

    /// Whether a lasso is a path that ends in an accepting cycle.
    fn is_accepting(lasso: &Lasso, all: u32) -> bool {
        let Lasso { first, edges, stem } = lasso;
        let follow = |at: Option<u32>, edge: &Edge| at.filter(|at| *at == edge.source).map(|_| edge.target);
        let start = edges[..*stem].iter().fold(Some(*first), follow);
        let end = edges[*stem..].iter().fold(start, follow);
        let marks = edges[*stem..].iter().fold(0, |marks, edge| marks | edge.marks);
        *first == 0 && start.is_some() && start == end && marks == all
    }

    #[test]
    fn no_search_misses_the_cycle_through_a_node_that_was_left() {
        // From `a` to `b` and back, or by way of `c`, to which only the second transition is accepting: whoever leaves `b`
        // for good does not see the cycle by way of `c`.
        let (a, b, c) = (0, 1, 2);
        let graph = vec![vec![edge(a, b, 0), edge(a, c, 1)], vec![edge(b, a, 0)], vec![edge(c, b, 0)]];
        for lasso in searched(graph, 1) {
            assert!(lasso.is_some_and(|lasso| is_accepting(&lasso, 1)));
        }
    }

    #[test]
    fn all_searches_agree_on_random_graphs() {
        // For each node up to three transitions: to which node, in which sets, and whether in any.
        let transition = (0..8_u32, 0..8_u32, 0..4_u8);
        let nodes = proptest::collection::vec(proptest::collection::vec(transition, 0..4), 2..9);
        let runs = sampling::runs(3_000, 1_992);
        let (cases, found) = (runs.cases as usize, Cell::new(0));
        let show = |case: &_| format!("{case:?}");
        sampling::check(runs, &(nodes, 1..4_u32), show, |(nodes, sets)| {
            let (all, count) = ((1 << sets) - 1, nodes.len() as u32);
            let edge = |source: usize, (target, marks, in_any): &(u32, u32, u8)| {
                edge(source as u32, target % count, if *in_any == 0 { marks & all } else { 0 })
            };
            let edges = |(at, list): (usize, &Vec<_>)| list.iter().map(|it| edge(at, it)).collect();
            let searches = searched(nodes.iter().enumerate().map(edges).collect(), all);
            found.set(found.get() + usize::from(searches[0].is_some()));
            let agree = searches.iter().all(|lasso| lasso.is_some() == searches[0].is_some());
            let accepting = searches.iter().flatten().all(|lasso| is_accepting(lasso, all));
            if agree && accepting { Ok(()) } else { Err(format!("{searches:?}")) }
        });
        let found = found.into_inner();
        assert!(cases < 1_000 || (cases / 10..cases * 9 / 10).contains(&found), "not varied enough: {found}");
    }
}
