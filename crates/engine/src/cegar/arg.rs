//! The abstract reachability graph: nodes in an arena, tree edges to their parents, and coverings.
//!
//! A node is *waiting* (some of its actions have not been followed), *expanded*, *covered* by another node
//! that contains it, a *target*, or gone. Only nodes that wait or are expanded start to cover others, so
//! following coverings ends at a node that is one of the two. When nothing waits and there is no target, the
//! expanded nodes contain every reachable state.
//!
//! The number of a node is never given to another, so whatever still mentions one that is gone can tell; only
//! when all are gone does everything begin anew.
//!
//! Nodes that can cover a state are looked up by its locations and by the facts that they have in common:
//! the nodes of a vector of locations are grouped by what they know something of, and hashed by what they
//! know of it.

use std::fmt;

use ir::{Action, Actions, System, VectorId, dot_text};
use rustc_hash::FxHashMap;

ir::id!(
    /// A node of the graph.
    NodeId
);

/// A node.
pub struct Node<S> {
    /// Where the processes are.
    pub vector: VectorId,
    /// What is known of the data.
    pub state: S,
    /// The node and the number of its action that led here; `None` for initial nodes.
    pub parent: Option<(NodeId, u32)>,
    /// What is to be done about it.
    pub status: Status,
    /// The actions that have not been followed, the next one last.
    pub todo: Vec<u32>,
    /// The nodes that its actions led to.
    pub children: Vec<NodeId>,
    /// The nodes that it covers.
    pub covers: Vec<NodeId>,
    /// The size of the precision when it was made.
    pub revision: usize,
}

/// What is to be done about a node.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// Some of its actions have not been followed.
    Waiting,
    /// All its actions have been followed.
    Expanded,
    /// Another node contains it.
    Covered(NodeId),
    /// It may be what is searched for.
    Target,
    /// It has been removed.
    Gone,
}

/// An abstract reachability graph over states `S`.
pub struct Arg<S> {
    nodes: Vec<Node<S>>,
    /// How many nodes are not gone.
    live: usize,
    roots: Vec<NodeId>,
    index: FxHashMap<VectorId, Vec<Group>>,
    /// Nodes made so far, those that are gone included.
    pub made: u64,
}

/// The nodes that know something of the same things.
struct Group {
    about: Box<[u32]>,
    nodes: FxHashMap<Box<[u32]>, Vec<NodeId>>,
}

impl<S> Default for Arg<S> {
    fn default() -> Self {
        Arg { nodes: vec![], live: 0, roots: vec![], index: FxHashMap::default(), made: 0 }
    }
}

impl<S> std::ops::Index<NodeId> for Arg<S> {
    type Output = Node<S>;
    fn index(&self, id: NodeId) -> &Node<S> {
        &self.nodes[ir::Id::index(id)]
    }
}

impl<S> std::ops::IndexMut<NodeId> for Arg<S> {
    fn index_mut(&mut self, id: NodeId) -> &mut Node<S> {
        &mut self.nodes[ir::Id::index(id)]
    }
}

impl<S> Arg<S> {
    /// The nodes that are there, in order of their numbers.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node<S>)> {
        let ids = self.nodes.iter().enumerate().map(|(at, node)| (ir::Id::at(at), node));
        ids.filter(|(_, node)| node.status != Status::Gone)
    }
    /// How many nodes are there.
    pub fn len(&self) -> usize {
        self.live
    }
    /// Initial nodes.
    pub fn roots(&self) -> &[NodeId] {
        &self.roots
    }
    /// Adds a node; `key` is what it knows, for look-ups.
    pub fn add(&mut self, node: Node<S>, key: &[(u32, u32)]) -> NodeId {
        self.made += 1;
        self.live += 1;
        let (vector, parent) = (node.vector, node.parent);
        let id = ir::Id::at(self.nodes.len());
        self.nodes.push(node);
        match parent {
            Some((parent, _)) => self[parent].children.push(id),
            None => self.roots.push(id),
        }
        let about: Box<[u32]> = key.iter().map(|(about, _)| *about).collect();
        let what: Box<[u32]> = key.iter().map(|(_, what)| *what).collect();
        let groups = self.index.entry(vector).or_default();
        let at = groups.iter().position(|group| group.about == about).unwrap_or_else(|| {
            groups.push(Group { about, nodes: FxHashMap::default() });
            groups.len() - 1
        });
        groups[at].nodes.entry(what).or_default().push(id);
        id
    }
    /// Pushes the nodes that may cover a state with this key at these locations.
    pub fn candidates(&mut self, vector: VectorId, key: &[(u32, u32)], out: &mut Vec<NodeId>) {
        let Some(groups) = self.index.get_mut(&vector) else { return };
        let mut what = vec![];
        groups.retain_mut(|group| {
            what.clear();
            let mut rest = key.iter();
            let common = group.about.iter().map(|about| rest.find(|(other, _)| other == about));
            if !common.into_iter().all(|found| {
                what.extend(found.map(|(_, what)| *what));
                found.is_some()
            }) {
                return true;
            }
            if let Some(list) = group.nodes.get_mut(&what[..]) {
                let status = |id: &NodeId| self.nodes[ir::Id::index(*id)].status;
                list.retain(|id| status(id) != Status::Gone);
                if list.is_empty() {
                    group.nodes.remove(&what[..]);
                } else {
                    let can = |id: &&NodeId| matches!(status(id), Status::Waiting | Status::Expanded);
                    out.extend(list.iter().filter(can));
                }
            }
            !group.nodes.is_empty()
        });
    }
    /// Marks `small` as covered by `big`.
    pub fn cover(&mut self, small: NodeId, big: NodeId) {
        self[small].status = Status::Covered(big);
        self[big].covers.push(small);
    }
    /// Lets nodes that `big` covers wait again, but for those that it still contains.
    pub fn uncover(
        &mut self,
        big: NodeId,
        mut contains: impl FnMut(&NodeId) -> bool,
        mut again: impl FnMut(NodeId),
    ) {
        let (kept, gone) = std::mem::take(&mut self[big].covers).into_iter().partition(|id| contains(id));
        self[big].covers = kept;
        let gone: Vec<NodeId> = gone;
        for id in gone {
            self[id].status = Status::Waiting;
            again(id);
        }
    }
    /// The nodes from an initial one to `last`, with the actions between them.
    pub fn path(&self, last: NodeId) -> (Vec<NodeId>, Vec<u32>) {
        let (mut nodes, mut actions) = (vec![last], vec![]);
        let mut at = last;
        while let Some((parent, action)) = self[at].parent {
            nodes.push(parent);
            actions.push(action);
            at = parent;
        }
        nodes.reverse();
        actions.reverse();
        (nodes, actions)
    }
    /// Removes `node` with everything its parent's action led to, and what came of that. Nodes that
    /// have to be looked at again are pushed: the parent, which has to follow the action again, and what
    /// was covered by removed nodes. Removing an initial node removes everything.
    pub fn prune(&mut self, node: NodeId, again: &mut Vec<NodeId>) {
        let mut open = match self[node].parent {
            None => std::mem::take(&mut self.roots),
            Some((parent, action)) => {
                let by_action = |id: &NodeId| self[*id].parent == Some((parent, action));
                let (gone, kept) = self[parent].children.iter().partition(|id| by_action(id));
                let parent_node = &mut self[parent];
                parent_node.children = kept;
                parent_node.todo.push(action);
                parent_node.status = Status::Waiting;
                again.push(parent);
                gone
            }
        };
        let (mut uncovered, mut coverers): (Vec<NodeId>, Vec<NodeId>) = (vec![], vec![]);
        while let Some(next) = open.pop() {
            let node = &mut self[next];
            open.append(&mut node.children);
            uncovered.append(&mut node.covers);
            node.todo = vec![];
            if let Status::Covered(by) = std::mem::replace(&mut node.status, Status::Gone) {
                coverers.push(by);
            }
            self.live -= 1;
        }
        if self.live == 0 {
            *self = Arg { made: self.made, ..Arg::default() };
            return;
        }
        coverers.sort_unstable();
        coverers.dedup();
        for by in coverers {
            let mut covers = std::mem::take(&mut self[by].covers);
            covers.retain(|id| self[*id].status == Status::Covered(by));
            self[by].covers = covers;
        }
        for id in uncovered {
            if self[id].status != Status::Gone {
                self[id].status = Status::Waiting;
                again.push(id);
            }
        }
    }
    /// The node that stands for `id`: itself, or the one that covers it in the end.
    pub fn representative(&self, mut id: NodeId) -> NodeId {
        while let Status::Covered(by) = self[id].status {
            id = by;
        }
        id
    }

    /// Checks the invariants of the structure.
    pub fn assert_well_formed(&self) {
        for (id, node) in self.nodes() {
            for child in &node.children {
                assert_eq!(
                    self[*child].parent.map(|(parent, _)| parent),
                    Some(id),
                    "a child knows its parent"
                );
            }
            if let Some((parent, _)) = node.parent {
                assert!(self[parent].children.contains(&id), "a parent knows its child");
            }
            if let Status::Covered(by) = node.status {
                assert!(self[by].covers.contains(&id), "a covering node knows what it covers");
                assert!(node.children.is_empty(), "a covered node has no children");
                assert_eq!(self[by].vector, node.vector, "coverings stay at their locations");
            }
            let unfinished = node.status == Status::Expanded && !node.todo.is_empty();
            assert!(!unfinished, "an expanded node has followed all its actions");
        }
    }
}

/// A graph as DOT: nodes with what they say, actions, and coverings as dashed edges.
pub struct Dot<'a, S> {
    /// The graph.
    pub arg: &'a Arg<S>,
    /// The system.
    pub system: &'a System,
    /// Its actions.
    pub actions: &'a Actions,
    /// What each node says, by number.
    pub labels: &'a FxHashMap<NodeId, String>,
}

impl<S> fmt::Display for Dot<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Dot { arg, system, actions, labels } = self;
        writeln!(f, "digraph arg {{\n  node [shape=box, fontname=\"monospace\"];")?;
        for (id, node) in arg.nodes() {
            let locations = actions.locations(node.vector);
            let names: Vec<&str> = system
                .processes
                .iter()
                .zip(locations)
                .map(|(process, at)| process.locations[*at].name.as_str())
                .collect();
            let label = labels.get(&id).map_or("", String::as_str);
            let style = match node.status {
                Status::Target => ", color=red",
                Status::Covered(_) => ", style=dashed",
                Status::Waiting => ", style=dotted",
                Status::Expanded | Status::Gone => "",
            };
            let text = dot_text(&format!("{}\n{label}", names.join(" ")));
            writeln!(f, "  n{} [label=\"{text}\"{style}];", ir::Id::index(id))?;
            if let Some((parent, action)) = node.parent {
                let known = actions.known(actions.locations(arg[parent].vector)).unwrap_or_default();
                let label =
                    known.get(action as usize).map_or(String::new(), |action| names_of(system, action));
                let (from, to) = (ir::Id::index(parent), ir::Id::index(id));
                writeln!(f, "  n{from} -> n{to} [label=\"{}\"];", dot_text(&label))?;
            }
            if let Status::Covered(by) = node.status {
                let (from, to) = (ir::Id::index(id), ir::Id::index(by));
                writeln!(f, "  n{from} -> n{to} [style=dashed, constraint=false];")?;
            }
        }
        writeln!(f, "}}")
    }
}

fn names_of(system: &System, action: &Action) -> String {
    let label =
        |(process, edge): &(ir::ProcessId, ir::EdgeId)| system.processes[*process].edges[*edge].label.clone();
    action.edges.iter().map(label).collect::<Vec<_>>().join(", ")
}
