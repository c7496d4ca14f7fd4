//! Traces for people: what happened in each step, and only what it changed.

use std::fmt::Write;

use super::{Datum, Signature, Start, StateRecord, Step, Trace, VariableRecord};

/// The whole trace; with `full`, every variable in every state.
pub fn render(trace: &Trace, full: bool) -> String {
    let mut text = initial(&trace.signature, &trace.initial);
    let mut before = &trace.initial.state;
    for (number, step) in trace.steps.iter().enumerate() {
        text += &self::step(&trace.signature, number + 1, before, step, full);
        before = &step.state;
    }
    text += &remark(trace.ending());
    text
}

/// What is special about the state above, on a line of its own.
pub fn remark(what: Option<String>) -> String {
    what.map_or_else(String::new, |what| format!("{INDENT}{what}\n"))
}

/// The initial state.
pub fn initial(signature: &Signature, start: &Start) -> String {
    format!("{:>4}  {}\n", 0, beginning(start)) + &values(signature, &start.state)
}

/// How a run begins: time may pass before the first step.
pub fn beginning(start: &Start) -> String {
    match start.delay().filter(|delay| delay != "0") {
        Some(delay) => format!("initially, delay {delay}"),
        None => "initially".to_owned(),
    }
}

/// One step and what it changed.
pub fn step(signature: &Signature, number: usize, before: &StateRecord, step: &Step, full: bool) -> String {
    let changes = if full { values(signature, &step.state) } else { changes(signature, before, &step.state) };
    let changes = if changes.is_empty() { format!("{INDENT}(nothing changes)\n") } else { changes };
    format!("{number:>4}  {}\n{changes}", heading(step))
}

/// What was taken, where it is written, and how much time passed.
pub fn heading(step: &Step) -> String {
    let mut text = String::new();
    for (number, edge) in step.edges.iter().enumerate() {
        let comma = if number == 0 { "" } else { ", " };
        let _ = write!(text, "{comma}{}", edge.title());
        if let Some(line) = edge.line {
            let _ = write!(text, " (line {line})");
        }
    }
    if let Some(delay) = &step.delay {
        let _ = write!(text, ", delay {delay}");
    }
    text
}

/// The value of every variable the user wrote, one line each.
pub fn values(signature: &Signature, state: &StateRecord) -> String {
    let values = signature.variables.iter().zip(&state.values).filter(|(variable, _)| variable.shown);
    let rows = values.map(|(variable, value)| (variable.name.clone(), shown(variable, value.as_ref())));
    let places = places(signature).map(|(at, process)| (process.to_owned(), state.locations[at].clone()));
    columns(signature, '=', &places.chain(rows).collect::<Vec<_>>())
}

/// The variables with different values in two states, one line each.
pub fn changes(signature: &Signature, before: &StateRecord, after: &StateRecord) -> String {
    let mut rows: Vec<(String, String)> = places(signature)
        .filter(|(at, _)| before.locations[*at] != after.locations[*at])
        .map(|(at, process)| {
            (process.to_owned(), format!("{} -> {}", before.locations[at], after.locations[at]))
        })
        .collect();
    for (variable, old, new) in differences(signature, before, after) {
        if let (Some(Datum::Array { entries: a, default: x }), Some(Datum::Array { entries: b, default: y })) =
            (old, new)
            && x == y
        {
            // Of an array, only the entries that change.
            let positions: Vec<&Datum> = a.iter().chain(b).map(|(at, _)| at).collect();
            let at = |list: &[(Datum, Datum)], position: &Datum| {
                list.iter().find(|(at, _)| at == position).map_or((**x).clone(), |(_, entry)| entry.clone())
            };
            for (index, position) in positions.iter().enumerate() {
                let (old, new) = (at(a, position), at(b, position));
                if old != new && !positions[..index].contains(position) {
                    rows.push((format!("{}[{position}]", variable.name), format!("{old} -> {new}")));
                }
            }
            continue;
        }
        let (old, new) = (shown(variable, old), shown(variable, new));
        rows.push((variable.name.clone(), format!("{old} -> {new}")));
    }
    columns(signature, ':', &rows)
}

/// The processes whose locations the user knows, by number: all of a network that the user wrote.
fn places(signature: &Signature) -> impl Iterator<Item = (usize, &str)> {
    let names = signature.processes.iter().map(|process| process.name.as_str()).enumerate();
    let is_net = signature.is_net();
    names.filter(move |(_, name)| *name != "xsts" && !name.starts_with('$') && !is_net)
}

/// Names and what there is to say of them, in two columns.
fn columns(signature: &Signature, mark: char, rows: &[(String, String)]) -> String {
    let wide = |names: &mut dyn Iterator<Item = &String>| names.map(|name| name.chars().count()).max();
    let all =
        &mut signature.variables.iter().filter(|variable| variable.shown).map(|variable| &variable.name);
    // One very long name does not push every other step to the right.
    let usual = wide(all).unwrap_or(0).min(WIDE);
    let width = wide(&mut rows.iter().map(|(name, _)| name)).unwrap_or(0).max(usual);
    rows.iter().fold(String::new(), |mut text, (name, rest)| {
        let _ = writeln!(text, "{INDENT}{name:width$} {mark} {rest}");
        text
    })
}

/// What changes between two states, on one line.
pub fn summary(signature: &Signature, before: &StateRecord, after: &StateRecord) -> String {
    let change = |(variable, _, new): (&VariableRecord, _, Option<&Datum>)| {
        format!("{} := {}", variable.name, shown(variable, new))
    };
    let moved = places(signature).filter(|(at, _)| before.locations[*at] != after.locations[*at]);
    let moved = moved.map(|(at, process)| format!("{process} -> {}", after.locations[at]));
    moved.chain(differences(signature, before, after).map(change)).collect::<Vec<_>>().join(", ")
}

/// A value as its variable's type shows it: literals short, unknown ones as `any`.
pub fn shown(variable: &VariableRecord, value: Option<&Datum>) -> String {
    match value {
        None => "any".to_owned(),
        Some(Datum::Text(text)) => {
            let short = text.strip_prefix(&variable.ty).and_then(|rest| rest.strip_prefix('.'));
            short.unwrap_or(text).to_owned()
        }
        Some(value) => value.to_string(),
    }
}

type Difference<'a> = (&'a VariableRecord, Option<&'a Datum>, Option<&'a Datum>);

/// The variables of the user's that differ, with both values.
pub fn differences<'a>(
    signature: &'a Signature,
    before: &'a StateRecord,
    after: &'a StateRecord,
) -> impl Iterator<Item = Difference<'a>> {
    let values = before.values.iter().zip(&after.values);
    signature
        .variables
        .iter()
        .zip(values)
        .filter(|(variable, (old, new))| variable.shown && old != new)
        .map(|(variable, (old, new))| (variable, old.as_ref(), new.as_ref()))
}

const INDENT: &str = "        ";

/// How wide the column of names is at most, unless a name is wider.
const WIDE: usize = 32;
