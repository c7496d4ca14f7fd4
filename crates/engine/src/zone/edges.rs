//! The transitions between the nodes of a zone graph, where cycles are searched for.
//!
//! A node that is covered is not expanded, so that a transition leads to the node that covers what it leads to: a
//! *covering* counts as a transition. Each infinite path of the system is one of this graph, along the same actions, since
//! what covers a zone can do whatever the zone can. The other way round it is true only if coverings are equalities.
//!
//! Nodes are expanded in any order, and each once; those that are covered later are left out, and transitions to them lead
//! to the node that covers them.

use rustc_hash::FxHashMap;

use super::graph::Graph;
use crate::explicit::graph;

/// The transitions of the nodes that have been expanded.
#[derive(Debug, Default)]
pub(crate) struct Transitions {
    /// The nodes in the order of their expansion, each with where its transitions begin.
    starts: Vec<(u32, usize)>,
    /// The node that each leads to, and a bit for each acceptance set that it is in.
    list: Vec<(u32, u32)>,
    /// The acceptance sets of the transitions that are added now.
    pub(crate) marks: u32,
}

impl Transitions {
    /// Goes on with another node.
    pub(crate) fn begin(&mut self, node: u32) {
        self.starts.push((node, self.list.len()));
    }
    /// Adds a transition of that node.
    pub(crate) fn add(&mut self, target: u32) {
        self.list.push((target, self.marks));
    }
    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<(u32, usize)>() + self.list.capacity() * size_of::<(u32, u32)>()
    }
    /// The graph of the live nodes that have been expanded.
    pub(crate) fn among(&self, nodes: &Graph) -> Live {
        let live =
            |(at, (node, _)): (usize, &(u32, usize))| nodes.nodes[*node as usize].live.then_some((at, *node));
        let expanded: Vec<(usize, u32)> = self.starts.iter().enumerate().filter_map(live).collect();
        let positions: FxHashMap<u32, u32> =
            (0..).zip(&expanded).map(|(at, (_, node))| (*node, at)).collect();
        let mut graph = graph::Graph::default();
        for (at, _) in &expanded {
            graph.begin();
            let end = self.starts.get(at + 1).map_or(self.list.len(), |(_, end)| *end);
            for (target, marks) in &self.list[self.starts[*at].1..end] {
                graph.marks = *marks;
                // What waits has no number yet.
                graph.add(positions.get(&nodes.heir(*target)).copied().unwrap_or(u32::MAX));
            }
        }
        Live { nodes: expanded.into_iter().map(|(_, node)| node).collect(), positions, graph }
    }
}

/// Live nodes that have been expanded, numbered without gaps.
pub(crate) struct Live {
    /// The node of each number.
    pub(crate) nodes: Vec<u32>,
    /// The number of each node.
    pub(crate) positions: FxHashMap<u32, u32>,
    pub(crate) graph: graph::Graph,
}
