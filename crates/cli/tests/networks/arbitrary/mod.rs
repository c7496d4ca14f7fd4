//! Random small networks, as text.
//!
//! A model is made by a row of decisions: every number picks one of the ways to go on, 0 the plainest, and where
//! the row ends, only plain things follow. Shorter rows of smaller numbers are thus simpler models, which is how
//! proptest makes a failing one small. Names come from a small pool, so that they hide each other in every scope
//! that may; what a name stands for is followed in order of declaration, and everything that is written is well
//! typed. Values may leave their ranges, positions their arrays, and divisors may be 0.
//!
//! Constraints on clocks are closed, in queries those of what is searched for, unless time is dense: see
//! [`super::naive`].

mod expr;
mod function;
mod system;
mod template;

use std::collections::BTreeSet;

/// A model and what occurs in it.
#[derive(Clone, Debug)]
pub struct Model {
    pub text: String,
    pub features: BTreeSet<&'static str>,
    /// Whether more happens than at whole times.
    pub dense: bool,
    /// Whether clocks that are read stand still at times.
    pub stopwatches: bool,
}

/// Everything that must occur.
pub const FEATURES: [&str; 57] = [
    "alone",
    "array",
    "binary",
    "block in a function",
    "branch point",
    "branch that guards",
    "branch that selects",
    "branch that synchronises",
    "broadcast",
    "call in a guard",
    "call with effects",
    "channel array",
    "channel parameter",
    "channel priority",
    "clock bound by data",
    "clock by a condition",
    "clock copy",
    "clock in a query",
    "clock parameter",
    "clock rate",
    "clock start",
    "committed",
    "conditional rate",
    "constant parameter",
    "csp",
    "declared after the template",
    "exponential rate",
    "family",
    "floating point",
    "function hides a function",
    "hidden after a function",
    "hidden by a function",
    "hidden by a template",
    "integer as a rate",
    "invariant",
    "list in a function",
    "loop",
    "loop behind a range",
    "loop on values",
    "loop over data",
    "partial instance",
    "power",
    "process priority",
    "quantifier",
    "reference parameter",
    "selection",
    "shift",
    "stopwatch",
    "strict constraint",
    "structure",
    "structure with a channel",
    "structure with a clock",
    "structures in an array",
    "urgent channel",
    "urgent clock guard",
    "urgent location",
    "weight",
];

/// Makes a model out of decisions, and its queries out of others.
pub fn model(network: &[u16], queries: &[u16]) -> Model {
    let mut writer = Writer { decisions: network, ..Writer::default() };
    writer.network();
    writer.decisions = queries;
    writer.queries();
    let stopwatches = writer.features.contains("stopwatch");
    Model { text: writer.text, features: writer.features, dense: writer.dense, stopwatches }
}

/// The bounds of an integer.
type Bounds = (i64, i64);

/// What a name stands for.
#[derive(Clone, PartialEq, Debug)]
enum Kind {
    Int {
        bounds: Bounds,
        fixed: bool,
    },
    Bool {
        fixed: bool,
    },
    Array {
        length: i64,
        bounds: Bounds,
        fixed: bool,
    },
    Struct,
    Clock,
    Chan(Chan),
    Type(Bounds),
    Function(Signature),
    /// A function within itself, which may not call it.
    Itself,
}

/// How a channel may be used.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Chan {
    style: Style,
    urgent: bool,
    array: bool,
}

#[derive(Copy, Clone, PartialEq, Debug)]
enum Style {
    Binary,
    Broadcast,
    Csp,
}

#[derive(Clone, PartialEq, Debug)]
struct Signature {
    /// What each parameter is, and whether it is given by reference.
    params: Vec<(Kind, bool)>,
    returns: bool,
    effects: bool,
}

/// A declaration in force.
#[derive(Clone, Debug)]
struct Entry {
    name: String,
    kind: Kind,
    /// Whether a change of it is an effect of the function that is being written.
    outside: bool,
}

/// What instances and queries need to know of a template.
#[derive(Clone, Debug)]
struct Template {
    name: String,
    params: Vec<(Kind, Passing)>,
    members: Vec<Entry>,
    locations: usize,
}

#[derive(Copy, Clone, PartialEq, Debug)]
enum Passing {
    Constant,
    Value,
    Reference,
}

/// Names of data, in every scope.
const DATA: [&str; 6] = ["a", "b", "c", "d", "e", "i"];
/// Names of functions.
const FUNCTIONS: [&str; 3] = ["f", "g", "h"];
/// Names of clocks, whose number decides how many states there are.
const CLOCKS: [&str; 2] = ["x", "y"];
/// The one type of structures.
const STRUCT: &str = "struct { int[0, 3] f; bool g; }";
const TYPES: [&str; 2] = ["T", "U"];
/// Ranges of integers; the first contains 0.
const BOUNDS: [Bounds; 5] = [(0, 3), (0, 1), (-1, 2), (0, 5), (1, 3)];
/// How many clocks a model has at most.
const MOST_CLOCKS: usize = 3;

#[derive(Default)]
struct Writer<'a> {
    decisions: &'a [u16],
    text: String,
    features: BTreeSet<&'static str>,
    scope: Vec<Entry>,
    /// Where the innermost scope begins, in which names are declared once.
    floor: usize,
    clocks: usize,
    /// How many structures with clocks or channels there are; each has a name of its own.
    mixed: usize,
    dense: bool,
    /// Whether clocks may get the values of others.
    copies: bool,
    /// Whether they may stand still.
    stops: bool,
    /// Whether the template that is being written has an integer that is 0 or 1: `run`.
    switched: bool,
    /// Whether there are a clock, a hybrid clock and a floating-point number that nothing depends on: `idle`,
    /// `flow` and `cost`.
    ignored: bool,
    /// Whether what is written may have effects.
    effects: bool,
    /// Whether the function that is being written has had some.
    had_effects: bool,
    /// Whether a template is being written, and whether it has a function already.
    in_template: bool,
    after_function: bool,
    templates: Vec<Template>,
    /// The names of processes, each with the position of its template.
    processes: Vec<(String, usize)>,
    line: Vec<String>,
}

impl Writer<'_> {
    // Decisions.

    /// A number below `count`; 0 when there are no more decisions.
    fn below(&mut self, count: usize) -> usize {
        let Some((first, rest)) = self.decisions.split_first() else { return 0 };
        self.decisions = rest;
        *first as usize % count
    }
    /// True so many times out of a hundred, and false when there are no more decisions.
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) >= 100 - percent
    }
    fn one_of<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }
    fn saw(&mut self, feature: &'static str) {
        self.features.insert(feature);
    }
    fn write(&mut self, text: &str) {
        self.text.push_str(text);
    }

    // Names.

    /// The declarations that names stand for here.
    fn visible(&self) -> Vec<Entry> {
        let mut seen = BTreeSet::new();
        self.scope.iter().rev().filter(|entry| seen.insert(&entry.name)).cloned().collect()
    }
    /// One of the visible names whose kind gives something.
    fn pick<T: Clone>(&mut self, wanted: impl Fn(&Kind) -> Option<T>) -> Option<(Entry, T)> {
        let fits: Vec<(Entry, T)> = self
            .visible()
            .into_iter()
            .filter_map(|entry| wanted(&entry.kind).map(|found| (entry, found)))
            .collect();
        if fits.is_empty() { None } else { Some(self.one_of(&fits)) }
    }
    /// A name that the innermost scope does not declare yet.
    fn fresh(&mut self, pool: &[&str]) -> Option<String> {
        let free = |name: &&str| self.scope[self.floor..].iter().all(|entry| entry.name != **name);
        let free: Vec<&str> = pool.iter().copied().filter(free).collect();
        if free.is_empty() { None } else { Some(self.one_of(&free).to_owned()) }
    }
    fn declare(&mut self, name: &str, kind: Kind) {
        let hides = self.scope[..self.floor].iter().any(|entry| entry.name == name);
        if hides && self.in_template {
            self.saw("hidden by a template");
            if self.after_function {
                self.saw("hidden after a function");
            }
        }
        self.scope.push(Entry { name: name.to_owned(), kind, outside: true });
    }
    /// Runs `f` in a scope of its own.
    fn within<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let (floor, height) = (self.floor, self.scope.len());
        self.floor = height;
        let result = f(self);
        self.scope.truncate(height);
        self.floor = floor;
        result
    }
}

fn prefixed(chan: Chan) -> String {
    let urgent = if chan.urgent { "urgent " } else { "" };
    let broadcast = if chan.style == Style::Broadcast { "broadcast " } else { "" };
    format!("{urgent}{broadcast}chan")
}

fn array(kind: &Kind) -> Option<(i64, Bounds)> {
    match kind {
        Kind::Array { length, bounds, .. } => Some((*length, *bounds)),
        _ => None,
    }
}

fn within(kind: &Kind, (low, high): Bounds) -> Option<()> {
    match kind {
        Kind::Int { bounds, .. } if low <= bounds.0 && bounds.1 <= high => Some(()),
        _ => None,
    }
}
