//! Traces for people: what happened in each step, and only what it changed.

use std::collections::HashMap;
use std::fmt::Write;

use super::{
    Choice, Datum, OccurrenceKindRecord, OccurrenceRecord, ProcessRecord, Signature, Start, StateRecord,
    Step, TimeRecord, Trace, TypeRecord, VariableRecord,
};

/// The whole trace; with `full`, every variable in every state.
pub fn render(trace: &Trace, full: bool) -> String {
    render_until(trace, full, trace.ending())
}

/// The same with something else to say of its end.
pub fn render_until(trace: &Trace, full: bool, ending: Option<String>) -> String {
    let mut text = initial(&trace.signature, &trace.initial);
    let mut before = &trace.initial.state;
    let mut number = 0;
    let cycle = trace.cycle.unwrap_or(usize::MAX);
    for step in trace.steps.chunk_by(|step, _| step.goes_on) {
        if let [.., last] = step {
            let starts = (number..number + step.len()).contains(&cycle);
            text += &remark(starts.then(|| "from here on, the run repeats:".to_owned()));
            number += step.len();
            text += &self::step(&trace.signature, number, before, step, full);
            before = &last.state;
        }
    }
    text += &remark(trace.repetition());
    text += &remark(ending);
    text
}

/// What is special about the state above, on a line of its own.
pub fn remark(what: Option<String>) -> String {
    what.map_or_else(String::new, |what| format!("{INDENT}{what}\n"))
}

/// The initial state.
pub fn initial(signature: &Signature, start: &Start) -> String {
    match start.delay().filter(|_| is_even(signature)) {
        Some(delay) => {
            let first = before_delay(signature, &start.state, &delay);
            let values = values(signature, &first);
            format!("{:>4}  initially\n{values}{}", 0, passing(signature, &start.state, &delay))
        }
        None => format!("{:>4}  {}\n", 0, beginning(start)) + &values(signature, &start.state),
    }
}

/// How a run begins: time may pass before the first step.
pub fn beginning(start: &Start) -> String {
    match start.delay().filter(|delay| delay != "0") {
        Some(delay) => format!("initially, delay {}", amount(&delay)),
        None => "initially".to_owned(),
    }
}

/// One step of the user's, which may have several parts, and what it changed. Where time passes after a step, what it
/// sets is shown as it is before that, and the delay on a line of its own, unless not all clocks run alike.
pub fn step(
    signature: &Signature,
    number: usize,
    before: &StateRecord,
    parts: &[Step],
    full: bool,
) -> String {
    let Some((step, earlier)) = parts.split_last() else { return String::new() };
    let earlier: String = earlier.iter().map(|step| heading(step) + "; ").collect();
    let delay = step.delay.as_ref().filter(|_| is_even(signature));
    let after = match delay {
        Some(delay) => &before_delay(signature, &step.state, delay),
        None => &step.state,
    };
    let changes = if full { values(signature, after) } else { changes(signature, before, after) };
    let happened: String = parts.iter().map(|step| happenings(&step.happened)).collect();
    let changes = match happened.is_empty() && changes.is_empty() {
        true => format!("{INDENT}(nothing changes)\n"),
        false => happened + &changes,
    };
    match delay {
        Some(delay) => {
            format!(
                "{number:>4}  {earlier}{}\n{changes}{}",
                taken(step),
                passing(signature, &step.state, delay)
            )
        }
        None => format!("{number:>4}  {earlier}{}\n{changes}", heading(step)),
    }
}

/// What happens in a step, one line each.
pub fn happenings(list: &[OccurrenceRecord]) -> String {
    list.iter().fold(String::new(), |mut text, occurrence| {
        let word = match occurrence.kind {
            OccurrenceKindRecord::Time => "time",
            OccurrenceKindRecord::Input => "in",
            OccurrenceKindRecord::Run => "runs",
            OccurrenceKindRecord::Transition => "fires",
            OccurrenceKindRecord::Output => "out",
        };
        let place = match (occurrence.kind, occurrence.line, &occurrence.file) {
            (OccurrenceKindRecord::Transition, Some(line), None) => format!(" (line {line})"),
            (OccurrenceKindRecord::Transition, Some(line), Some(file)) => format!(" ({file}, line {line})"),
            _ => String::new(),
        };
        let _ = writeln!(text, "{INDENT}{word:5} {}{place}", called(occurrence));
        text
    })
}

/// An event with its values: `port.event(x = 3)`; an amount of time: `500 ms`.
pub fn called(occurrence: &OccurrenceRecord) -> String {
    let value = |(name, value): &(String, Option<Datum>)| match value {
        Some(value) => format!("{name} = {value}"),
        None => format!("{name} = any"),
    };
    if occurrence.kind == OccurrenceKindRecord::Time {
        let amount = |(unit, value): &(String, Option<Datum>)| match value {
            Some(value) => format!("{value} {unit}"),
            None => "any".to_owned(),
        };
        return occurrence.values.iter().map(amount).collect();
    }
    match occurrence.values.is_empty() {
        true => occurrence.name.clone(),
        false => {
            let values: Vec<String> = occurrence.values.iter().map(value).collect();
            format!("{}({})", occurrence.name, values.join(", "))
        }
    }
}

/// Whether time passes between steps, and is the same for all clocks, so that a state tells what was before a delay.
fn is_even(signature: &Signature) -> bool {
    signature.time == TimeRecord::AfterStep && !signature.variables.iter().any(|variable| variable.stopwatch)
}

/// The clocks of the user's, by their number among the variables.
fn clocks(signature: &Signature) -> impl Iterator<Item = (usize, &VariableRecord)> {
    signature
        .variables
        .iter()
        .enumerate()
        .filter(|(_, variable)| variable.ty == TypeRecord::Clock && variable.shown)
}

/// A state before time passed: all clocks run at the same speed.
fn before_delay(signature: &Signature, state: &StateRecord, delay: &str) -> StateRecord {
    let mut state = state.clone();
    let Ok(delay) = delay.parse::<ir::Rat>() else { return state };
    for (at, _) in clocks(signature) {
        let value = state.values[at].as_ref().and_then(|value| value.to_string().parse::<ir::Rat>().ok());
        state.values[at] = value.map(|value| Datum::Text((&value - &delay).to_string()));
    }
    state
}

/// That time passes, if it does, and what clocks then say, if they are few.
fn passing(signature: &Signature, after: &StateRecord, delay: &str) -> String {
    if delay == "0" {
        return String::new();
    }
    let known = |(at, variable): (usize, &VariableRecord)| {
        Some(format!("{} = {}", variable.name, shown(variable, Some(after.values[at].as_ref()?))))
    };
    let list: Vec<String> = clocks(signature).filter_map(known).collect();
    let delay = amount(delay);
    match list.len() {
        1..=MOST_SHOWN => format!("{INDENT}delay {delay}, then {}\n", list.join(", ")),
        _ => format!("{INDENT}delay {delay}\n"),
    }
}

/// How many clocks are shown after a delay, and how many delays of a step.
const MOST_SHOWN: usize = 6;

/// What was taken, where it is written, and how much time passed: each time by itself, and in all.
pub fn heading(step: &Step) -> String {
    let mut text = taken(step);
    if let Some(delay) = &step.delay {
        let parts: Vec<&str> = step.decisions.iter().filter_map(Choice::delay).collect();
        let parts =
            if (2..=MOST_SHOWN).contains(&parts.len()) { parts.join(" + ") + " = " } else { String::new() };
        let _ = write!(text, ", delay {parts}{}", amount(delay));
    }
    text
}

/// An amount of time, exactly, and as a decimal where it is no whole number: `1/3 (0.333…)`. What is too long to be read
/// is rounded: `≈ 1.797e308`.
pub fn amount(text: &str) -> String {
    let whole = ir::Int::from(1);
    let Ok(value) = text.parse::<ir::Rat>() else { return text.to_owned() };
    if text.len() > LONGEST_EXACT {
        return rounded(&value);
    }
    if value.denominator() == whole {
        return text.to_owned();
    }
    let thousand = ir::Int::from(1_000);
    let scaled = &value.numerator() * &thousand;
    let (Some(digits), Some(rest)) = (scaled.div(&value.denominator()), scaled.modulo(&value.denominator()))
    else {
        return text.to_owned();
    };
    let (Some(units), Some(part)) = (digits.div(&thousand), digits.modulo(&thousand)) else {
        return text.to_owned();
    };
    let part = format!("{:0>3}", part.to_string());
    match rest.is_zero() {
        true => format!("{text} ({units}.{})", part.trim_end_matches('0')),
        false => format!("{text} ({units}.{part}…)"),
    }
}

/// So many characters of an amount are shown before it is rounded.
const LONGEST_EXACT: usize = 20;

/// A number that is not negative, in four digits, with as many zeros as an exponent says if they are many.
fn rounded(value: &ir::Rat) -> String {
    let number = value.to_f64();
    if number < 1e6 {
        return format!("≈ {number:.3}");
    }
    let digits = value.floor().to_string();
    format!("≈ {}.{}e{}", &digits[..1], &digits[1..4], digits.len() - 1)
}

/// What was taken and where it is written.
fn taken(step: &Step) -> String {
    let mut text = String::new();
    for (number, edge) in step.edges.iter().enumerate() {
        let comma = if number == 0 { "" } else { ", " };
        let _ = write!(text, "{comma}{}", edge.title);
        match (edge.line, &edge.file) {
            (Some(line), None) => drop(write!(text, " (line {line})")),
            (Some(line), Some(file)) => drop(write!(text, " ({file}, line {line})")),
            (None, _) => {}
        }
    }
    text
}

/// The value of every variable the user wrote, one line each.
pub fn values(signature: &Signature, state: &StateRecord) -> String {
    let values = signature.variables.iter().zip(&state.values).filter(|(variable, _)| variable.shown);
    let rows = values.map(|(variable, value)| {
        let few = entries(variable, value.as_ref()).is_some_and(|list| list.len() <= LISTED);
        let list = value.as_ref().filter(|_| few).and_then(|value| listed(&variable.ty, value));
        (variable.name.clone(), list.unwrap_or_else(|| shown(variable, value.as_ref())))
    });
    let places = places(signature).map(|(at, process)| (process.to_owned(), state.locations[at].clone()));
    let active = active(signature, state);
    columns(signature, '=', &places.chain(active).chain(rows).collect::<Vec<_>>())
}

/// The variables with different values in two states, one line each.
pub fn changes(signature: &Signature, before: &StateRecord, after: &StateRecord) -> String {
    let mut rows: Vec<(String, String)> = places(signature)
        .filter(|(at, _)| before.locations[*at] != after.locations[*at])
        .map(|(at, process)| {
            (process.to_owned(), format!("{} -> {}", before.locations[at], after.locations[at]))
        })
        .collect();
    let configurations = active(signature, before).zip(active(signature, after));
    let changed = configurations.filter(|(old, new)| old != new);
    rows.extend(changed.map(|((name, old), (_, new))| (name, format!("{old} -> {new}"))));
    for (variable, old, new) in differences(signature, before, after) {
        let changed = changed_entries(variable, old, new);
        rows.extend(changed.into_iter().map(|(name, old, new)| (name, format!("{old} -> {new}"))));
    }
    columns(signature, ':', &rows)
}

/// What changes of a variable: of an array, only the entries that do.
fn changed_entries(
    variable: &VariableRecord,
    old: Option<&Datum>,
    new: Option<&Datum>,
) -> Vec<(String, String, String)> {
    if let (Some(before), Some(after)) = (entries(variable, old), entries(variable, new)) {
        let pairs = before.into_iter().zip(after).filter(|((_, old), (_, new))| old != new);
        return pairs.map(|((name, old), (_, new))| (name, old.to_string(), new.to_string())).collect();
    }
    if let (Some(Datum::Array { entries: a, default: x }), Some(Datum::Array { entries: b, default: y })) =
        (old, new)
        && x == y
    {
        let positions: Vec<&Datum> = a.iter().chain(b).map(|(at, _)| at).collect();
        let at = |list: &[(Datum, Datum)], position: &Datum| {
            list.iter().find(|(at, _)| at == position).map_or((**x).clone(), |(_, entry)| entry.clone())
        };
        let mut changed = vec![];
        for (index, position) in positions.iter().enumerate() {
            let (old, new) = (at(a, position), at(b, position));
            if old != new && !positions[..index].contains(position) {
                let name = entry_name(&variable.name, &position.to_string());
                changed.push((name, old.to_string(), new.to_string()));
            }
        }
        return changed;
    }
    vec![(variable.name.clone(), shown(variable, old), shown(variable, new))]
}

/// An array over known positions as its declaration would be initialised: `{ 1, 2, 3 }`.
fn listed(ty: &TypeRecord, value: &Datum) -> Option<String> {
    let Some((first, last, element)) = ty.listed() else { return Some(value.to_string()) };
    let Datum::Array { entries, default } = value else { return None };
    let at = |at: i64| {
        let entry = entries.iter().find(|(known, _)| *known == Datum::Number(at));
        listed(element, entry.map_or(default, |(_, entry)| entry))
    };
    let list: Option<Vec<String>> = (first..=last).map(at).collect();
    Some(format!("{{ {} }}", list?.join(", ")))
}

/// The entries of an array over known positions by name, unless they are too many to look at.
fn entries<'a>(variable: &VariableRecord, value: Option<&'a Datum>) -> Option<Vec<(String, &'a Datum)>> {
    let mut list = vec![(variable.name.clone(), value?)];
    let mut ty = &variable.ty;
    while let Some((first, last, element)) = ty.listed() {
        let count = usize::try_from(last.checked_sub(first)?).ok()?.checked_add(1)?;
        if count.checked_mul(list.len())? > MOST {
            return None;
        }
        let mut longer = Vec::with_capacity(count * list.len());
        for (name, value) in list {
            let Datum::Array { entries, default } = value else { return None };
            let known: HashMap<i64, &Datum> = entries
                .iter()
                .filter_map(|(at, entry)| if let Datum::Number(at) = at { Some((*at, entry)) } else { None })
                .collect();
            longer.extend(
                (first..=last).map(|at| {
                    (entry_name(&name, &at.to_string()), known.get(&at).copied().unwrap_or(default))
                }),
            );
        }
        list = longer;
        ty = element;
    }
    (*ty != variable.ty && !matches!(ty, TypeRecord::Array(_))).then_some(list)
}

/// The name of an entry of an array: the position goes to the first place that the name of the array leaves for one,
/// or behind it.
fn entry_name(name: &str, position: &str) -> String {
    match name.split_once("[]") {
        Some((before, after)) => format!("{before}[{position}]{after}"),
        None => format!("{name}[{position}]"),
    }
}

/// The most entries of an array that are compared one by one, and the most that are listed so.
const MOST: usize = 4096;
const LISTED: usize = 64;

/// The processes whose locations are news to the user, by number.
fn places(signature: &Signature) -> impl Iterator<Item = (usize, &str)> {
    let located = |(at, process): (usize, &'_ ProcessRecord)| process.located.then_some(at);
    let located = signature.processes.iter().enumerate().filter_map(located);
    located.map(|at| (at, signature.processes[at].name.as_str()))
}

/// What several variables are together, by name.
fn active(signature: &Signature, state: &StateRecord) -> impl Iterator<Item = (String, String)> {
    let names = signature.configurations.iter().map(|configuration| configuration.name.clone());
    let cases = |cases: &Vec<String>| if cases.is_empty() { "none".to_owned() } else { cases.join(", ") };
    names.zip(state.configurations.iter().map(cases))
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
    let change = |(variable, old, new): Difference<'_>| {
        let changed = changed_entries(variable, old, new);
        changed.into_iter().map(|(name, _, new)| format!("{name} := {new}")).collect::<Vec<_>>()
    };
    let moved = places(signature).filter(|(at, _)| before.locations[*at] != after.locations[*at]);
    let moved = moved.map(|(at, process)| format!("{process} -> {}", after.locations[at]));
    let configurations = active(signature, before).zip(active(signature, after));
    let switched = configurations.filter(|(old, new)| old != new);
    let switched = switched.map(|(_, (name, case))| format!("{name} -> {case}"));
    let changed = differences(signature, before, after).flat_map(change);
    moved.chain(switched).chain(changed).collect::<Vec<_>>().join(", ")
}

/// A value as its variable's type shows it: literals short, clocks like delays, unknown ones as `any`.
pub fn shown(variable: &VariableRecord, value: Option<&Datum>) -> String {
    match value {
        None => "any".to_owned(),
        Some(Datum::Number(number)) => {
            let called = variable.values.iter().find(|(value, _)| value == number);
            called.map_or_else(|| number.to_string(), |(_, name)| name.clone())
        }
        Some(Datum::Text(text)) => match &variable.ty {
            TypeRecord::Clock => amount(text),
            TypeRecord::Enum(name) => {
                let short = text.strip_prefix(name).and_then(|rest| rest.strip_prefix('.'));
                short.unwrap_or(text).to_owned()
            }
            _ => text.clone(),
        },
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
