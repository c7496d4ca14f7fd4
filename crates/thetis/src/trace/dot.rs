//! Traces as Graphviz pictures: a box for each state, an arrow for each step.

use std::fmt::Write;

use ir::dot_text;

use super::{Ends, Trace, table};

/// The trace as a DOT graph; a state that violates the property or goes wrong has a double border.
pub fn render(trace: &Trace) -> String {
    let mut text = String::from("digraph trace {\n  node [shape=box, fontname=\"monospace\"];\n");
    let mut before = &trace.initial.state;
    for (number, state) in trace.states().enumerate() {
        let (title, lines) = match number.checked_sub(1).map(|at| &trace.steps[at]) {
            None => (table::beginning(&trace.initial), table::values(&trace.signature, state)),
            Some(step) => {
                let changes = table::changes(&trace.signature, before, state);
                let changes = if changes.is_empty() { "(nothing changes)".to_owned() } else { changes };
                (format!("after {}", table::heading(step)), changes)
            }
        };
        let ending = if number == trace.steps.len() { trace.ending() } else { None };
        let mut label = format!("{number}: {}\\l", dot_text(&title));
        for line in lines.lines().chain(ending.as_deref()) {
            let _ = write!(label, "{}\\l", dot_text(line.trim_start()));
        }
        let bad = number == trace.steps.len() && trace.ends != Ends::Anywhere;
        let border = if bad { ", peripheries=2" } else { "" };
        let _ = writeln!(text, "  s{number} [label=\"{label}\"{border}];");
        before = state;
    }
    for (number, step) in trace.steps.iter().enumerate() {
        let label = dot_text(&table::heading(step));
        let _ = writeln!(text, "  s{number} -> s{} [label=\"{label}\"];", number + 1);
    }
    if let Some(start) = trace.cycle {
        let last = trace.steps.len();
        let label = match trace.repeats.head() {
            None => "again".to_owned(),
            Some(head) => format!("again, every round in: {}", dot_text(head)),
        };
        let _ = writeln!(text, "  s{last} -> s{start} [style=dashed, label=\"{label}\"];");
    }
    text + "}\n"
}
