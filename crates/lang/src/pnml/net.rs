//! A net as its document tells it, with all references resolved.

use ir::{Int, Span, VarId};
use rustc_hash::FxHashMap;

/// A place/transition net.
#[derive(Clone, Debug, Default)]
pub(crate) struct Net {
    /// How the user knows it.
    pub(crate) name: String,
    /// In the order of the document.
    pub(crate) places: Vec<Place>,
    /// In the order of the document.
    pub(crate) transitions: Vec<Transition>,
}

/// What places and transitions have in common.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// What arcs refer to.
    pub(crate) id: String,
    /// What pictures show.
    pub(crate) name: Option<String>,
    /// Its opening tag.
    pub(crate) span: Span,
}

/// A place with its tokens at the start.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) node: Node,
    pub(crate) tokens: Int,
}

/// A transition with its arcs.
#[derive(Clone, Debug)]
pub(crate) struct Transition {
    pub(crate) node: Node,
    pub(crate) arcs: Vec<Arc>,
}

/// An arc between a transition and a place.
#[derive(Clone, Debug)]
pub(crate) struct Arc {
    /// The number of the place.
    pub(crate) place: usize,
    pub(crate) kind: ArcKind,
    /// At least 1.
    pub(crate) weight: Int,
}

/// What an arc does when its transition fires.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum ArcKind {
    /// Takes tokens from the place.
    Take,
    /// Gives tokens to the place.
    Give,
    /// Asks for tokens and leaves them.
    Read,
    /// Asks for fewer tokens than its weight.
    Inhibit,
}

impl Arc {
    pub(crate) fn inhibits(&self) -> bool {
        self.kind == ArcKind::Inhibit
    }
}

/// What the names in properties mean: ids first, then names that only one node has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// The variable of each place, by number.
    pub(crate) tokens: Vec<VarId>,
    places: FxHashMap<String, Option<usize>>,
    transitions: FxHashMap<String, Option<usize>>,
}

impl Names {
    /// The names of a net whose places are these variables.
    pub(crate) fn new(net: &Net, tokens: Vec<VarId>) -> Self {
        Names {
            tokens,
            places: table(net.places.iter().map(|place| &place.node)),
            transitions: table(net.transitions.iter().map(|transition| &transition.node)),
        }
    }
    /// The number of a place.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied().flatten()
    }
    /// The number of a transition.
    pub(crate) fn transition(&self, name: &str) -> Option<usize> {
        self.transitions.get(name).copied().flatten()
    }
    /// Whether several places or transitions have this name, so that it means none of them.
    pub(crate) fn is_shared(&self, name: &str) -> bool {
        [&self.places, &self.transitions].iter().any(|table| table.get(name) == Some(&None))
    }
    /// All names that mean a place.
    pub(crate) fn places(&self) -> impl Iterator<Item = &str> {
        self.places.iter().filter(|(_, number)| number.is_some()).map(|(name, _)| name.as_str())
    }
    /// All names that mean a transition.
    pub(crate) fn transitions(&self) -> impl Iterator<Item = &str> {
        self.transitions.iter().filter(|(_, number)| number.is_some()).map(|(name, _)| name.as_str())
    }
}

fn table<'a>(nodes: impl Iterator<Item = &'a Node> + Clone) -> FxHashMap<String, Option<usize>> {
    let mut table: FxHashMap<String, Option<usize>> = FxHashMap::default();
    for (number, node) in nodes.clone().enumerate() {
        if let Some(name) = &node.name {
            table.entry(name.clone()).and_modify(|known| *known = None).or_insert(Some(number));
        }
    }
    table.extend(nodes.enumerate().map(|(number, node)| (node.id.clone(), Some(number))));
    table
}

/// What each node is called in what is shown: its name if that means this node, else its id.
pub(crate) fn titles<'a>(nodes: impl Iterator<Item = &'a Node> + Clone) -> Vec<&'a str> {
    let meaning = table(nodes.clone());
    let title = |(number, node): (usize, &'a Node)| match &node.name {
        Some(name) if meaning[name] == Some(number) => name.as_str(),
        _ => node.id.as_str(),
    };
    nodes.enumerate().map(title).collect()
}
