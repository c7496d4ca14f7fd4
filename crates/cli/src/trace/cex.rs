//! Traces as the parenthesised text of the original xsts tool, which Gamma reads line by line.

use std::fmt::Write;

use super::{Datum, Trace};

/// The trace of an XSTS model as an `XstsStateSequence`.
pub fn render(trace: &Trace) -> Result<String, String> {
    let mut text = String::from("(XstsStateSequence");
    for state in trace.states() {
        // A location is named after the section that runs next.
        let words = match state.locations.as_slice() {
            [at] if at == "init" => "pre_init last_env",
            [at] if at == "env" => "post_init last_internal",
            [at] if at == "trans" => "post_init last_env",
            // A fault has no place in this format; the states before it do.
            [_] if trace.signature.processes.len() == 1 && is_xsts(trace) => continue,
            _ => return Err("only traces of XSTS models have this form".to_owned()),
        };
        let variables = trace.signature.variables.iter().zip(&state.values);
        let mut entries: Vec<(&str, String)> = variables
            .filter(|(variable, _)| variable.shown)
            .filter_map(|(variable, value)| Some((variable.name.as_str(), lisp(value.as_ref()?))))
            .collect();
        entries.sort_unstable();
        let _ = write!(text, "\n  (XstsState {words}\n    (ExplState");
        for (number, (name, value)) in entries.iter().enumerate() {
            let gap = if number == 0 { " " } else { "\n               " };
            let _ = write!(text, "{gap}({name} {value})");
        }
        text += "))";
    }
    Ok(text + ")\n")
}

fn is_xsts(trace: &Trace) -> bool {
    let has = |name: &str| trace.signature.processes[0].locations.iter().any(|location| location == name);
    has("init") && has("env") && has("trans")
}

fn lisp(datum: &Datum) -> String {
    match datum {
        Datum::Array { entries, default } => {
            let mut text = String::from("(array ");
            for (at, entry) in entries {
                let _ = write!(text, "({} {}) ", lisp(at), lisp(entry));
            }
            let _ = write!(text, "(default {}))", lisp(default));
            text
        }
        // Rationals are written `3%4` in this language.
        Datum::Text(text) => text.replace('/', "%"),
        other => other.to_string(),
    }
}
