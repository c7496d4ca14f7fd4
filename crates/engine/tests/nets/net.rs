//! Nets made by chance.
//!
//! A list of numbers decides every choice, one after the other; when it is used up, every choice is the first and
//! simplest one. So proptest shrinks nets by shrinking lists.

/// The numbers that are left.
pub struct Choices(std::vec::IntoIter<u32>);

impl Choices {
    pub fn new(numbers: Vec<u32>) -> Self {
        Choices(numbers.into_iter())
    }
    /// A number below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        self.0.next().unwrap_or(0) as usize % count
    }
    /// True once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }
    pub fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// A place/transition net.
#[derive(Clone, Debug)]
pub struct Net {
    pub places: Vec<Node>,
    /// The tokens of each place at the start.
    pub tokens: Vec<u64>,
    pub transitions: Vec<Node>,
    pub arcs: Vec<Arc>,
}

/// A place or a transition.
#[derive(Clone, Debug)]
pub struct Node {
    pub id: String,
    pub name: Option<String>,
}

#[derive(Copy, Clone, Debug)]
pub struct Arc {
    pub place: usize,
    pub transition: usize,
    pub kind: Kind,
    pub weight: u64,
}

/// What an arc does.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    Take,
    Give,
    Read,
    Inhibit,
}

/// Some are no identifiers, one is a keyword, one may be the id of another place, and few nodes share none.
const NAMES: [&str; 7] = ["ready", "a b", "x<y&z", "deadlock", "p1", "it's", "Ünder"];

/// A small net, which mostly gives no more tokens than it takes.
pub fn net(choices: &mut Choices) -> Net {
    let places: Vec<Node> = (0..=choices.below(6)).map(|at| node(choices, 'p', at)).collect();
    let tokens = places.iter().map(|_| choices.one_of(&[1, 0, 2, 1, 3])).collect();
    let transitions: Vec<Node> = (0..choices.below(14)).map(|at| node(choices, 't', at)).collect();
    let mut arcs = vec![];
    for transition in 0..transitions.len() {
        let mut arc = |choices: &mut Choices, kind, weight| {
            arcs.push(Arc { place: choices.below(places.len()), transition, kind, weight });
        };
        let mut taken = 0;
        for _ in 0..choices.one_of(&[1, 1, 1, 1, 2, 1, 1, 1, 2, 0]) {
            let weight = choices.one_of(&[1, 1, 1, 1, 1, 1, 2]);
            arc(choices, Kind::Take, weight);
            taken += weight;
        }
        let most = if choices.once_in(25) { taken + 1 } else { taken };
        let mut given = 0;
        while given < most && !choices.once_in(15) {
            let weight = choices.one_of(&[1, 1, 1, 2, 3]).min(most - given);
            arc(choices, Kind::Give, weight);
            given += weight;
        }
        for kind in [Kind::Read, Kind::Inhibit] {
            for _ in 0..choices.one_of(&[0, 0, 0, 0, 0, 0, 1, 2]) {
                let weight = choices.one_of(&[1, 2, 2, 3]);
                arc(choices, kind, weight);
            }
        }
    }
    Net { places, tokens, transitions, arcs }
}

fn node(choices: &mut Choices, letter: char, at: usize) -> Node {
    let id = match choices.below(4) {
        2 => format!("{letter}.{at}"),
        3 => format!("{letter}-{at}"),
        _ => format!("{letter}{at}"),
    };
    let name = choices.once_in(2).then(|| choices.one_of(&NAMES).to_owned());
    Node { id, name }
}

/// The node's name, if it means this one of `nodes` and no other: ids come first, then names that one node has.
pub fn unique_name(nodes: &[Node], at: usize) -> Option<&str> {
    let name = nodes[at].name.as_deref()?;
    let others = nodes.iter().enumerate().filter(|(other, _)| *other != at);
    let mut meanings = others.flat_map(|(_, node)| [Some(node.id.as_str()), node.name.as_deref()]).flatten();
    meanings.all(|other| other != name).then_some(name)
}
