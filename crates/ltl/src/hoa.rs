//! The Hanoi omega-automata format, version 1 (Babiak et al. 2015): automata for other tools, and from them.
//!
//! Read is what is a generalised Büchi automaton: one run at a time (no alternation), a conjunction of `Inf` of acceptance
//! sets on states or transitions. A state in a set is one whose edges are. Several initial states become one that has
//! the edges of all; labels may be on edges, on states, or implicit, and may use aliases. Everything else is refused, by
//! its name if it has one, and so is a header that begins with a capital letter and is not known, as the format demands.

mod lexer;
mod read;

use std::fmt::{self, Display};

pub use read::{HoaError, Problem, read};

use crate::automaton::{Automaton, marks};

/// An automaton with the names of its atoms.
#[derive(Clone, Debug)]
pub struct Hoa {
    /// The automaton.
    pub automaton: Automaton,
    /// The atoms' names, in the order of their numbers.
    pub names: Vec<String>,
    /// Where each of them is written, if the automaton was read: the bytes of the quotes before them.
    pub places: Vec<usize>,
    /// What the automaton is called.
    pub name: Option<String>,
}

/// The automaton in the Hanoi format, with transition-based acceptance.
impl Display for Hoa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { automaton, names, name, .. } = self;
        writeln!(f, "HOA: v1")?;
        if let Some(name) = name {
            writeln!(f, "name: {}", Quoted(name))?;
        }
        writeln!(f, "States: {}\nStart: {}", automaton.len(), automaton.initial())?;
        write!(f, "AP: {}", names.len())?;
        names.iter().try_for_each(|name| write!(f, " {}", Quoted(name)))?;
        let infinite: Vec<String> = (0..automaton.sets()).map(|set| format!("Inf({set})")).collect();
        match automaton.sets() {
            0 => writeln!(f, "\nacc-name: all\nAcceptance: 0 t")?,
            1 => writeln!(f, "\nacc-name: Buchi\nAcceptance: 1 Inf(0)")?,
            sets => {
                let condition = infinite.join("&");
                writeln!(f, "\nacc-name: generalized-Buchi {sets}\nAcceptance: {sets} {condition}")?;
            }
        }
        writeln!(f, "properties: trans-labels explicit-labels trans-acc\n--BODY--")?;
        for state in automaton.states() {
            writeln!(f, "State: {state}")?;
            for edge in automaton.outgoing(state) {
                let cubes = automaton.guards().cubes(edge.guard);
                writeln!(f, "[{}] {}{}", label(&cubes), edge.target, marks(edge.marks))?;
            }
        }
        writeln!(f, "--END--")
    }
}

/// A guard as the format writes it.
fn label(cubes: &[Vec<(u32, bool)>]) -> String {
    let literal = |&(atom, holds): &(u32, bool)| if holds { format!("{atom}") } else { format!("!{atom}") };
    let cube = |cube: &Vec<(u32, bool)>| match cube.is_empty() {
        true => "t".to_owned(),
        false => cube.iter().map(literal).collect::<Vec<_>>().join("&"),
    };
    cubes.iter().map(cube).collect::<Vec<_>>().join(" | ")
}

/// Text in quotes.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            f.write_str(if matches!(c, '"' | '\\') { "\\" } else { "" })?;
            write!(f, "{c}")?;
        }
        f.write_str("\"")
    }
}

#[cfg(test)]
mod tests;
