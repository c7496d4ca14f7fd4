//! What is shown beside a verdict, in words: values, and why nothing can happen.

use thetis::deadlock::{Deadlock, Stopped};
use thetis::record::{ExtremumKind, ExtremumRecord, ValueRecord};

/// The values of an expression that were asked for, in a line.
pub fn value(value: &ValueRecord) -> String {
    let said = |which: &str, bound: &str, most: &str, found: &ExtremumRecord| {
        let what = format!("{which} {}", value.expression);
        match (found.kind, found.value) {
            (ExtremumKind::Attained, Some(value)) => format!("{what} = {value}"),
            (ExtremumKind::Approached, Some(value)) => {
                format!("{what} = {value} (approached, never attained)")
            }
            (ExtremumKind::Unbounded, _) => format!("{what} = {most}"),
            (ExtremumKind::Nowhere, _) => format!("{what}: there is no such state"),
            (_, Some(value)) => format!("{what} {bound} {value}"),
            (_, None) => format!("{what} is not known"),
        }
    };
    let least = value.least.as_ref().map(|found| said("inf", "<=", "-infinity", found));
    let greatest = value.greatest.as_ref().map(|found| said("sup", ">=", "infinity", found));
    least.into_iter().chain(greatest).collect::<Vec<_>>().join(", ")
}

/// Why nothing can happen in a state, a line for each process and edge.
pub fn deadlock(found: &Deadlock) -> Vec<String> {
    let mut lines = vec![];
    for Stopped { process, location, edges } in &found.processes {
        if edges.is_empty() {
            lines.push(format!("deadlock: no edge leaves `{location}` of `{process}`"));
        }
        lines.extend(edges.iter().map(|(title, bar)| format!("deadlock: {title}: {bar}")));
    }
    lines.extend(found.time.as_ref().map(|left| format!("deadlock: {left}")));
    lines
}
