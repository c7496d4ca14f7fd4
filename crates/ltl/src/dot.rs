//! Automata for Graphviz.

use std::fmt::{self, Display};

use crate::automaton::{Automaton, marks};

/// The automaton in the language of Graphviz, with names for atoms. Edges in acceptance sets are bold.
pub fn dot<'a, N: Display>(automaton: &'a Automaton, name: impl Fn(u32) -> N + 'a) -> impl Display + 'a {
    Dot { automaton, name }
}

struct Dot<'a, F> {
    automaton: &'a Automaton,
    name: F,
}

impl<F: Fn(u32) -> N, N: Display> Display for Dot<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { automaton, name } = self;
        writeln!(f, "digraph automaton {{\n  rankdir=LR;\n  node [shape=circle];")?;
        writeln!(f, "  start [shape=point];\n  start -> {};", automaton.initial())?;
        for edge in automaton.edges() {
            let guard = automaton.guards().display(edge.guard, name).to_string();
            let label = ir::dot_text(&format!("{guard}{}", marks(edge.marks)));
            let style = if edge.marks.0 == 0 { "" } else { ", style=bold" };
            writeln!(f, "  {} -> {} [label=\"{label}\"{style}];", edge.source, edge.target)?;
        }
        writeln!(f, "}}")
    }
}
