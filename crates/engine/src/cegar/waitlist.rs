//! The nodes that wait, in the order of the search.

use std::collections::VecDeque;

use crate::cegar::arg::NodeId;
use crate::config::Search;

/// Waiting nodes. May hold nodes that no longer wait; whoever takes one looks.
pub struct Waitlist {
    list: VecDeque<NodeId>,
    newest_first: bool,
}

impl Waitlist {
    /// An empty list. There is no order of its own for priority: preferring what says least made no graph
    /// smaller.
    pub fn new(search: Search) -> Self {
        Waitlist { list: VecDeque::new(), newest_first: search == Search::Dfs }
    }
    /// Adds a node.
    pub fn push(&mut self, node: NodeId) {
        self.list.push_back(node);
    }
    /// Takes the next node.
    pub fn pop(&mut self) -> Option<NodeId> {
        if self.newest_first { self.list.pop_back() } else { self.list.pop_front() }
    }
    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
    /// Forgets all nodes.
    pub fn clear(&mut self) {
        self.list.clear();
    }
}
