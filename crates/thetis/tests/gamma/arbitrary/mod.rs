//! Random small compositions, as text.
//!
//! A model is made by a row of decisions: every number picks one of the ways to go on, 0 the plainest, and where the
//! row ends, only plain things follow. Shorter rows of smaller numbers are thus simpler models, which is how proptest
//! makes a failing one small. Everything that is written is well typed. Integers are kept small by `mod`, divisors
//! are never 0, and what the environment gives has few values, so that all that can happen in a step can be listed.

mod action;
mod chart;
mod compose;
mod expr;

use std::collections::BTreeSet;
use std::fmt::Write;

/// A model, its system, and what occurs in it.
#[derive(Clone, Debug)]
pub struct Model {
    pub text: String,
    pub features: BTreeSet<&'static str>,
}

/// What the system is called.
pub const SYSTEM: &str = "System";

pub fn model(decisions: &[u16]) -> Model {
    let mut writer = Writer { decisions, ..Writer::default() };
    writer.package();
    Model { text: writer.text, features: writer.features }
}

/// What is declared in a statechart that is being written.
#[derive(Clone, Debug, Default)]
struct Scope {
    /// Whether it has the port `q`, that requires what `p` provides.
    required: bool,
    /// Integers that can be read, and of them those that can be written.
    integers: Vec<String>,
    writable: Vec<String>,
    booleans: Vec<String>,
    has_array: bool,
    has_record: bool,
    has_enum: bool,
    has_timeout: bool,
    procedures: bool,
    /// Regions with a state of each, for `in-state`.
    states: Vec<(String, String)>,
    /// Whether only locals may be changed.
    pure: bool,
    /// How many locals there are.
    locals: usize,
}

#[derive(Debug, Default)]
struct Writer<'d> {
    decisions: &'d [u16],
    text: String,
    features: BTreeSet<&'static str>,
    /// Which of the events of the interface there are, beside `a`.
    flagged: bool,
    literal: bool,
    persistent: bool,
    scope: Scope,
}

impl Writer<'_> {
    fn next(&mut self) -> usize {
        match self.decisions.split_first() {
            Some((first, rest)) => {
                self.decisions = rest;
                usize::from(*first)
            }
            None => 0,
        }
    }
    /// A number below `ways`.
    fn below(&mut self, ways: usize) -> usize {
        self.next() % ways
    }
    /// True in so many of a hundred cases, false where decisions end.
    fn chance(&mut self, percent: usize) -> bool {
        self.next() % 100 >= 100 - percent
    }
    fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }
    fn saw(&mut self, feature: &'static str) {
        self.features.insert(feature);
    }
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{text}");
    }

    fn package(&mut self) {
        self.line("package random");
        self.line("const K : integer := 2");
        self.line("lambda twice(d : integer) : integer := d * K");
        self.line("type T : enum { X, Y }");
        self.line("type R : record { f : integer, g : boolean }");
        self.flagged = self.chance(60);
        self.literal = self.chance(40);
        self.persistent = self.chance(25);
        self.line("interface Base { in event a out event o }");
        let mut events = String::new();
        if self.flagged {
            events += " in event b(f : boolean)";
        }
        if self.literal {
            events += " in event c(t : T)";
        }
        if self.persistent {
            self.saw("persistent event");
            events += " in persistent event k(f : boolean)";
        }
        events += " out event n(x : integer, f : boolean) internal event i internal event j(x : integer)";
        self.line(&format!("interface Full extends Base {{{events} }}"));
        self.line("interface Control { in event go in event stop }");
        self.system();
    }
    /// The events that come in at `p`, with the types of their parameters.
    fn events_in(&self) -> Vec<(&'static str, Option<&'static str>)> {
        let all = [
            (true, ("a", None)),
            (self.flagged, ("b", Some("boolean"))),
            (self.literal, ("c", Some("T"))),
            (self.persistent, ("k", Some("boolean"))),
        ];
        all.into_iter().filter(|(there, _)| *there).map(|(_, event)| event).collect()
    }
}
