//! The nodes that wait, in the order of the search.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::cegar::arg::NodeId;
use crate::config::Search;

/// Waiting nodes. May hold nodes that no longer wait; whoever takes one looks.
pub enum Waitlist {
    /// Oldest first.
    Bfs(VecDeque<NodeId>),
    /// Newest first.
    Dfs(Vec<NodeId>),
    /// What says least first, since it covers most; then the nearest to the start, then the oldest.
    Priority(BinaryHeap<Reverse<(u32, u32, u64, NodeId)>>, u64),
}

impl Waitlist {
    /// An empty list.
    pub fn new(search: Search) -> Self {
        match search {
            Search::Bfs => Waitlist::Bfs(VecDeque::new()),
            Search::Dfs => Waitlist::Dfs(vec![]),
            Search::Priority => Waitlist::Priority(BinaryHeap::new(), 0),
        }
    }
    /// Adds a node that knows `facts` things, `depth` steps from the start.
    pub fn push(&mut self, node: NodeId, facts: usize, depth: u32) {
        match self {
            Waitlist::Bfs(list) => list.push_back(node),
            Waitlist::Dfs(list) => list.push(node),
            Waitlist::Priority(list, age) => {
                *age += 1;
                list.push(Reverse((facts as u32, depth, *age, node)));
            }
        }
    }
    /// Takes the next node.
    pub fn pop(&mut self) -> Option<NodeId> {
        match self {
            Waitlist::Bfs(list) => list.pop_front(),
            Waitlist::Dfs(list) => list.pop(),
            Waitlist::Priority(list, _) => list.pop().map(|Reverse((.., node))| node),
        }
    }
    /// Forgets all nodes.
    pub fn clear(&mut self) {
        match self {
            Waitlist::Bfs(list) => list.clear(),
            Waitlist::Dfs(list) => list.clear(),
            Waitlist::Priority(list, _) => list.clear(),
        }
    }
}
