//! Traces of control-flow automata and transition systems as the parenthesised text of the original tools.
//!
//! A `Trace` has states and actions in turn. The state of an automaton is a `CfaState`, with the location and an
//! `ExplState` of the variables by name; that of a transition system is the `ExplState` alone, and nobody sees the place
//! where it starts.

use std::fmt::Write;

use super::cex::{escaped, lisp};
use super::{StateRecord, Trace};

/// The trace of a system with one process.
pub fn render(trace: &Trace) -> Option<String> {
    let [process] = trace.signature.processes.as_slice() else { return None };
    let skipped = skipped(trace);
    let mut text = String::from("(Trace");
    for (number, state) in trace.states().enumerate().skip(skipped) {
        if number > skipped {
            let action = match process.located {
                true => format!("(CfaAction {})", trace.steps[number - 1].edges.first()?.label),
                false => "(StsAction)".to_owned(),
            };
            let _ = write!(text, "\n  {action}");
        }
        let values = values(trace, state);
        let _ = match process.located {
            true => write!(text, "\n  (CfaState {} {values})", escaped(state.locations.first()?)),
            false => write!(text, "\n  {values}"),
        };
    }
    Some(text + ")\n")
}

/// How many actions the trace has.
pub fn length(trace: &Trace) -> usize {
    trace.steps.len().saturating_sub(skipped(trace))
}

/// How many states come before what the user calls the first: the place where a transition system starts.
fn skipped(trace: &Trace) -> usize {
    match trace.signature.processes.as_slice() {
        [process] if !process.located && process.locations.len() > 1 => 1,
        _ => 0,
    }
}

fn values(trace: &Trace, state: &StateRecord) -> String {
    let variables = trace.signature.variables.iter().zip(&state.values);
    let mut entries: Vec<(&str, String)> = variables
        .filter(|(variable, _)| variable.shown)
        .filter_map(|(variable, value)| Some((variable.name.as_str(), lisp(value.as_ref()?, trace, false))))
        .collect();
    entries.sort_unstable();
    let entries: Vec<String> =
        entries.iter().map(|(name, value)| format!(" ({} {value})", escaped(name))).collect();
    format!("(ExplState{})", entries.concat())
}
