//! `thetis info`: what is in a model.

use std::collections::BTreeMap;
use std::fmt::Write;

use lang::Question;
use serde::Serialize;
use thetis::info::{Feature, Info, OutlineInfo, PartInfo, info};
use thetis::trace::{ConfigurationRecord, VariableRecord};
use thetis::{Model, Source};

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::load;

/// What `--json` says; see `docs/schema/info.schema.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Report {
    /// Always `thetis-info`.
    pub format: &'static str,
    /// Always 2.
    pub version: u32,
    /// What is in the model.
    #[serde(flatten)]
    pub info: Info,
    /// What preprocessing would do before a search for an answer to the only question, in words; of a timed model, before
    /// a search by zones; `null` where there is no question, or several.
    pub preprocessing: Option<Vec<String>>,
    /// In which order engines are asked about a timed model if that is left to Thetis, and why; `null` where no time
    /// passes.
    pub order: Option<String>,
}

/// Runs the command; preprocessing is for `property` rather than for the model's own, if that is given.
pub fn run(mut model: Model, property: Option<&str>, json: bool, console: &Console) -> Result<Exit, Failure> {
    let mut info = info(&model);
    let question = match (property, model.questions()) {
        (Some(text), _) => {
            let asked = model.ask_named(&lang::one_line(text), &Source::new("-p", text));
            let question = asked.map_err(|error| load::misread(&error, console.colour))?;
            info.questions = vec![question.text.clone()];
            Some(question)
        }
        (None, [Ok(own)]) => Some(own.clone()),
        (None, _) => None,
    };
    let (preprocessing, order) = (preprocessing(&model, question.as_ref()), order(&model, question.as_ref()));
    let report = Report { format: "thetis-info", version: 2, info, preprocessing, order };
    if json {
        console.json(&report);
    } else {
        console.print(render(&report));
    }
    Ok(Exit::Holds)
}

/// In which order engines would be asked about a timed model, and a question if there is one.
fn order(model: &Model, question: Option<&Question>) -> Option<String> {
    let mut system = model.system().clone();
    let question = question.map(|question| system.question(question.property.claim));
    engine::auto::order(&system, question.as_slice()).map(|order| order.to_string())
}

/// What preprocessing would do, if there is a question to do it for.
fn preprocessing(model: &Model, question: Option<&Question>) -> Option<Vec<String>> {
    let claim = question?.property.claim;
    let mut system = model.system().clone();
    let which = if system.timed().is_some() { engine::Rewritings::Zones } else { engine::Rewritings::All };
    let question = system.question(claim);
    let done = engine::preprocess(&system, &[question], which, &engine::Stop::new()).summary;
    Some(done.iter().map(ToString::to_string).collect())
}

fn render(report: &Report) -> String {
    let info = &report.info;
    let mut lines: Vec<(String, String)> = vec![];
    let mut line = |title: &str, rest: String| lines.push((title.to_owned(), rest));
    let mut by_type: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for variable in &info.variables {
        by_type.entry(variable.ty.to_string()).or_default().push(&variable.name);
    }
    for (ty, names) in by_type {
        line(&count(names.len(), &ty), names.join(", "));
    }
    for VariableRecord { name, values, .. } in info.variables.iter().filter(|it| !it.values.is_empty()) {
        let values: Vec<String> = values.iter().map(|(value, name)| format!("{value} is {name}")).collect();
        line("values", format!("{name}: {}", values.join(", ")));
    }
    for ConfigurationRecord { name, .. } in &info.configurations {
        line("configuration", name.clone());
    }
    if !info.control.is_empty() {
        line("control", info.control.join(", "));
    }
    if !info.uninitialised.is_empty() {
        line("arbitrary", format!("{} (no initial value)", info.uninitialised.join(", ")));
    }
    for (name, literals) in &info.enumerations {
        line("enumeration", format!("{name} {{ {} }}", literals.join(", ")));
    }
    for PartInfo { kind, name, counts, locations } in &info.parts {
        let counts: Vec<String> = counts.iter().map(|(what, number)| count(*number, what)).collect();
        let name = name.as_ref().map_or(String::new(), |name| format!("{name}: "));
        line(kind, name + &counts.join(", ") + &named(locations));
    }
    if !info.channels.is_empty() {
        line("channels", info.channels.join(", "));
    }
    for fault in &info.faults {
        line("may go wrong", format!("{} at {}:{}:{}", fault.kind.0, fault.file, fault.line, fault.column));
    }
    let features: Vec<&str> = info.features.iter().map(feature).collect();
    let basic = features.is_empty();
    line("features", if basic { "none beyond the basics".to_owned() } else { features.join(", ") });
    for question in &info.questions {
        line("question", question.clone());
    }
    if info.questions.is_empty() {
        line("question", "none; give one with `thetis check -p`".to_owned());
    }
    match report.preprocessing.as_deref() {
        None => {}
        Some([]) => line("preprocessing", "nothing to do".to_owned()),
        Some(list) => list.iter().for_each(|done| line("preprocessing", done.clone())),
    }
    if let Some(order) = &report.order {
        line("order", order.clone());
    }
    let width = lines.iter().map(|(title, _)| title.chars().count()).max().unwrap_or(0);
    let mut text = format!("{}\n", info.model);
    for (title, rest) in lines {
        let indent = format!("\n{}", " ".repeat(width + 4));
        let _ =
            writeln!(text, "  {title:width$}  {}", wrapped(&rest, WIDE.saturating_sub(width + 4), &indent));
    }
    for outline in &info.outline {
        draw(outline, "  ", "  ", &mut text);
    }
    text
}

/// Draws what is in something below it.
fn draw(outline: &OutlineInfo, first: &str, rest: &str, text: &mut String) {
    let about = if outline.about.is_empty() { String::new() } else { format!(" ({})", outline.about) };
    let _ = writeln!(text, "{first}{} {}{about}", outline.kind, outline.name);
    for (number, part) in outline.parts.iter().enumerate() {
        let last = number + 1 == outline.parts.len();
        let (branch, trunk) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        ir::deep(|| draw(part, &format!("{rest}{branch}"), &format!("{rest}{trunk}"), text));
    }
}

/// The names of locations, at most so many that people look at them.
fn named(locations: &[String]) -> String {
    let listed = locations.iter().take(MOST_NAMES).cloned().collect::<Vec<_>>().join(", ");
    match locations.len().saturating_sub(MOST_NAMES) {
        _ if locations.is_empty() => String::new(),
        0 => format!("; locations {listed}"),
        more => format!("; locations {listed}, and {more} more"),
    }
}

/// So many locations of a process are named.
const MOST_NAMES: usize = 20;

/// A feature, in words.
fn feature(feature: &Feature) -> &'static str {
    match feature {
        Feature::Csp => "synchronisation of all (sync c;)",
        Feature::UrgentChannels => "urgent channels",
        other => other.code(),
    }
}

/// How wide a line is.
const WIDE: usize = 100;

/// A list broken after commas into lines of at most `width` characters, if its items allow that.
fn wrapped(list: &str, width: usize, indent: &str) -> String {
    let mut text = String::new();
    let mut column = 0;
    for (number, item) in list.split(", ").enumerate() {
        let length = item.chars().count();
        let gap = match number {
            0 => "",
            _ if column + length + 3 > width => {
                column = 0;
                indent
            }
            _ => " ",
        };
        let comma = if number == 0 { "" } else { "," };
        text += &format!("{comma}{gap}{item}");
        column += length + 2;
    }
    text
}

fn count(number: usize, what: &str) -> String {
    let ending = match what {
        what if number == 1 || what.starts_with(['[']) || what.starts_with(char::is_uppercase) => "",
        "branch" => "es",
        _ => "s",
    };
    format!("{number} {what}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_broken_after_commas() {
        assert_eq!(wrapped("alpha, beta, gamma", 80, "\n  "), "alpha, beta, gamma");
        assert_eq!(wrapped("alpha, beta, gamma, delta", 15, "\n  "), "alpha, beta,\n  gamma, delta");
        assert_eq!(wrapped("n <= 5", 3, "\n  "), "n <= 5");
    }
}
