//! What is shown beside a verdict, in words: values, and why nothing can happen.

use thetis::deadlock::{Bar, Barred, Deadlock, Stopped};
use thetis::extremes::GivenUp;
use thetis::record::{ExtremumKind, ExtremumRecord, ValueRecord};
use thetis::trace::table;

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

/// The ends of values that were asked for: which, and what to say where the run to each of them ends.
pub fn ends(value: &ValueRecord) -> Vec<(String, &ExtremumRecord, Option<String>)> {
    let what = &value.expression;
    let ending = |found: &ExtremumRecord, far: &str| match (found.kind, &found.reached, found.value) {
        (ExtremumKind::Unbounded, ..) if found.trace.as_ref().is_some_and(|it| it.cycle.is_some()) => {
            Some(format!("here `{what}` takes for ever"))
        }
        (ExtremumKind::Unbounded, ..) => Some(match found.repeats {
            None => format!("here `{what}` is as {far} as one likes, the longer a delay is made"),
            Some(_) => {
                format!("here `{what}` is as {far} as one likes, the more often these steps are repeated")
            }
        }),
        (ExtremumKind::Approached, Some(reached), Some(limit)) => {
            let reached = table::amount(reached);
            Some(format!("here `{what}` is {reached}; other runs come as near to {limit} as one likes"))
        }
        (_, reached, _) => {
            reached.as_ref().map(|reached| format!("here `{what}` is {}", table::amount(reached)))
        }
    };
    let end = |which: &str, far: &str, found| (format!("{which} {what}"), found, ending(found, far));
    let least = value.least.as_ref().map(|found| end("inf", "small", found));
    let greatest = value.greatest.as_ref().map(|found| end("sup", "large", found));
    least.into_iter().chain(greatest).collect()
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
        lines.extend(edges.iter().map(|edge| format!("deadlock: {}: {}", edge.title, barred(edge))));
    }
    lines.extend(found.time.as_ref().map(|left| format!("deadlock: {left}")));
    lines
}

/// What stands in the way of an edge, whatever is chosen.
fn barred(edge: &Barred) -> String {
    let told = |(bar, count): &(Bar, u64)| match &edge.bars[..] {
        [_] => bar.to_string(),
        _ => format!("{bar} ({count})"),
    };
    let bars = edge.bars.iter().map(told).collect::<Vec<_>>().join(", ");
    let names: Vec<String> = edge.selected.iter().map(|name| format!("`{name}`")).collect();
    let count: u64 = edge.bars.iter().map(|(_, count)| count).sum();
    match (&names[..], count) {
        ([], _) => edge.bars.iter().map(|(bar, _)| bar.to_string()).collect::<Vec<_>>().join(", "),
        ([name], 1) => format!("not for the only value of {name}: {bars}"),
        ([name], _) => format!("for none of the {count} values of {name}: {bars}"),
        (names, _) => format!("for none of the {count} choices of {}: {bars}", names.join(", ")),
    }
}
