//! What is shown beside a verdict, in words: values, and why nothing can happen.

use thetis::deadlock::{Deadlock, Stopped};
use thetis::extremes::GivenUp;
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
            (ExtremumKind::Unbounded, _) => match found.repeats {
                None => format!("{what} = {most}"),
                Some((first, last)) if first == last => {
                    format!("{what} = {most} (step {first} can be repeated for ever)")
                }
                Some((first, last)) => {
                    format!("{what} = {most} (steps {first} to {last} can be repeated for ever)")
                }
            },
            (ExtremumKind::Nowhere, _) => format!("{what}: there is no such state"),
            (_, Some(value)) => format!("{what} {bound} {value}"),
            (_, None) => format!("{what} is not known"),
        }
    };
    let least = value.least.as_ref().map(|found| said("inf", "<=", "-infinity", found));
    let greatest = value.greatest.as_ref().map(|found| said("sup", ">=", "infinity", found));
    least.into_iter().chain(greatest).collect::<Vec<_>>().join(", ")
}

/// Why a value was not looked for any further.
pub fn given_up(why: GivenUp) -> String {
    match why {
        GivenUp::TooFar => "larger values than 2^28 are not looked for".to_owned(),
        GivenUp::Between(from, to) => format!(
            "the value is between {from} and {to}; where clocks stand still or are added up it need not be whole"
        ),
        GivenUp::TooLong(steps) => {
            format!("no bound was found, and the run to the value that was has {steps} steps")
        }
    }
}

/// What can be done then.
pub fn after_giving_up(why: GivenUp) -> &'static str {
    match why {
        GivenUp::Between(..) => {
            "to go on: smaller units of time, that is, all numbers that clocks are compared with or set to multiplied by \
             the same, for a narrower answer"
        }
        GivenUp::TooFar | GivenUp::TooLong(_) => {
            "to go on: a condition that bounds it, as in `sup{p}: e`, or limited time (`--within`)"
        }
    }
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
