//! Traces as Graphviz pictures: a box for each state, an arrow for each step.

use std::fmt::Write;

use super::{Trace, table};

/// The trace as a DOT graph.
pub fn render(trace: &Trace) -> String {
    let mut text = String::from("digraph trace {\n  node [shape=box, fontname=\"monospace\"];\n");
    let mut before = None;
    for (number, state) in trace.states().enumerate() {
        let lines = match before {
            None => table::values(&trace.signature, state),
            Some(before) => table::changes(&trace.signature, before, state),
        };
        let place = state.locations.join(", ");
        let mut label = format!("{number}: {}\\l", escape(&place));
        for line in lines.lines() {
            let _ = write!(label, "{}\\l", escape(line.trim_start()));
        }
        let bad = if number == trace.steps.len() { ", peripheries=2" } else { "" };
        let _ = writeln!(text, "  s{number} [label=\"{label}\"{bad}];");
        before = Some(state);
    }
    for (number, step) in trace.steps.iter().enumerate() {
        let label = escape(&table::heading(step));
        let _ = writeln!(text, "  s{number} -> s{} [label=\"{label}\"];", number + 1);
    }
    text + "}\n"
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
