//! Traces: runs in files, readable without the model.
//!
//! A trace file is versioned JSON (`docs/schema/trace.schema.json`). It names variables, types,
//! locations and edges and carries source lines, so that [`table`], [`dot`], [`itf`] and [`cex`] need
//! nothing else; [`lift`] goes between it and a [`ir::Run`] of a model. What the schema does not know
//! is refused, and what it requires must be there.

pub mod cex;
pub mod datum;
pub mod dot;
pub mod itf;
pub mod lift;
pub mod table;

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Number;

use crate::exit::Failure;
use crate::load;
pub use datum::Datum;

/// The `format` of a trace file.
pub const FORMAT: &str = "thetis-trace";
/// The newest `version` of a trace file.
pub const VERSION: u32 = 1;

/// A run with everything needed to show it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Trace {
    /// Always [`FORMAT`].
    pub format: String,
    /// At most [`VERSION`].
    pub version: u32,
    /// The file of the model, as it was given.
    pub model: String,
    /// What the run decides, if anything.
    #[serde(deserialize_with = "present")]
    pub property: Option<PropertyRef>,
    /// What the run ends in.
    pub ends: Ends,
    /// The names in the states.
    #[serde(flatten)]
    pub signature: Signature,
    /// How the run starts.
    pub initial: Start,
    /// What happens then.
    pub steps: Vec<Step>,
}

/// The property a file is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PropertyRef {
    /// How the user knows it.
    pub name: String,
    /// The expression.
    pub text: String,
    /// Which states it is about.
    pub check_states: CheckStates,
    /// How much time since the start it is about, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<u64>,
}

/// The states a property looks at.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum CheckStates {
    /// Every state: before `init`, between `env` and `trans`, and after `trans`.
    #[default]
    All,
    /// Only the states after `init` and after `trans`.
    Stable,
}

/// What a run ends in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ends {
    /// A state that decides the property.
    Target,
    /// A fault of the model.
    Fault(FaultRecord),
    /// A state where evaluating the property goes wrong in this way.
    Undefined(String),
    /// Nothing special.
    Anywhere,
}

/// What goes wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultRecord {
    /// What goes wrong.
    pub kind: String,
    /// Where it is written, from 1.
    pub line: usize,
    /// Where in the line, from 1.
    pub column: usize,
}

/// The names that states and steps of a file use.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Signature {
    /// The enumerations.
    pub types: Vec<EnumRecord>,
    /// The processes.
    pub processes: Vec<ProcessRecord>,
    /// The variables; values of a state follow this order.
    pub variables: Vec<VariableRecord>,
}

/// An enumeration.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnumRecord {
    /// Its name.
    pub name: String,
    /// Its literals in order.
    pub literals: Vec<String>,
}

/// A process.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessRecord {
    /// Its name.
    pub name: String,
    /// The names of its locations.
    pub locations: Vec<String>,
}

/// A variable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariableRecord {
    /// Its name.
    pub name: String,
    /// Its type as the user would write it.
    #[serde(rename = "type")]
    pub ty: String,
    /// Whether the user wrote it.
    pub shown: bool,
}

/// The start of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// How the initial values were chosen.
    pub decisions: Vec<Choice>,
    /// The first state.
    pub state: StateRecord,
}

/// A state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateRecord {
    /// The location of each process, by name.
    pub locations: Vec<String>,
    /// The value of each variable; `null` for any.
    pub values: Vec<Option<Datum>>,
}

/// A step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The edges that move together.
    pub edges: Vec<EdgeRecord>,
    /// How its choices were resolved, in order.
    pub decisions: Vec<Choice>,
    /// How much time passes in all, if time can pass.
    #[serde(deserialize_with = "present")]
    pub delay: Option<String>,
    /// The same as a decimal, which may be rounded, for readers that know no fractions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_decimal: Option<Number>,
    /// Where it leads.
    pub state: StateRecord,
}

/// An edge that was taken.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeRecord {
    /// Its process.
    pub process: String,
    /// Its number in the process.
    pub edge: u32,
    /// How the user knows it.
    pub label: String,
    /// Where it is written, from 1; `null` for what the user did not write.
    #[serde(deserialize_with = "present")]
    pub line: Option<usize>,
    /// Where in the line, from 1.
    #[serde(deserialize_with = "present")]
    pub column: Option<usize>,
}

/// One choice within a step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Choice {
    /// This branch of a `choice`, from 0.
    Branch {
        /// Its number.
        branch: u32,
    },
    /// This much time.
    Delay {
        /// A rational.
        delay: String,
        /// The same as a decimal, which may be rounded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        decimal: Option<Number>,
    },
    /// This value at a `havoc`; `null` where it does not matter.
    Value {
        /// The value.
        #[serde(deserialize_with = "present")]
        value: Option<Datum>,
        /// Its type.
        #[serde(rename = "type", deserialize_with = "present")]
        ty: Option<String>,
    },
}

impl EdgeRecord {
    /// Its label, behind its process; the only process of an XSTS goes without saying.
    pub fn title(&self) -> String {
        if self.process == "xsts" { self.label.clone() } else { format!("{} {}", self.process, self.label) }
    }
}

impl Choice {
    /// How much time passes, if it is about that.
    pub fn delay(&self) -> Option<&str> {
        match self {
            Choice::Delay { delay, .. } => Some(delay),
            _ => None,
        }
    }
}

impl Start {
    /// How much time passes before the first step in all, if time can pass.
    pub fn delay(&self) -> Option<String> {
        let mut delays =
            self.decisions.iter().filter_map(Choice::delay).filter_map(|delay| delay.parse::<ir::Rat>().ok());
        let first = delays.next()?;
        Some(delays.fold(first, |sum, delay| &sum + &delay).to_string())
    }
}

impl Signature {
    /// Whether these are the names of a Petri net, whose only location is no news.
    pub fn is_net(&self) -> bool {
        let [process] = self.processes.as_slice() else { return false };
        matches!(process.locations.as_slice(), [only] if only == "net")
    }
}

impl Trace {
    /// All states in order, the initial one first.
    pub fn states(&self) -> impl Iterator<Item = &StateRecord> {
        std::iter::once(&self.initial.state).chain(self.steps.iter().map(|step| &step.state))
    }
    /// How much time passes in all.
    pub fn duration(&self) -> String {
        let delays =
            self.initial.delay().into_iter().chain(self.steps.iter().filter_map(|s| s.delay.clone()));
        let amounts = delays.filter_map(|delay| delay.parse::<ir::Rat>().ok());
        amounts.fold(ir::Rat::ZERO, |sum, delay| &sum + &delay).to_string()
    }
    /// The first step beyond the time that the property is about, in words, if there is one.
    pub fn late(&self) -> Option<String> {
        let most = self.property.as_ref()?.within?;
        let limit = most.to_string().parse::<ir::Rat>().ok()?;
        let amount = |delay: Option<String>| delay.and_then(|delay| delay.parse::<ir::Rat>().ok());
        let delays =
            std::iter::once(self.initial.delay()).chain(self.steps.iter().map(|step| step.delay.clone()));
        let mut now = ir::Rat::ZERO;
        for (number, delay) in delays.enumerate() {
            now = &now + &amount(delay).unwrap_or(ir::Rat::ZERO);
            if now > limit {
                let (time, units) = (table::amount(&now.to_string()), first_units(most));
                return Some(format!("step {number} ends at time {time}, and it is only about {units}"));
            }
        }
        None
    }
    /// What is special about the last state, in words.
    pub fn ending(&self) -> Option<String> {
        match (&self.ends, &self.property) {
            (Ends::Fault(FaultRecord { kind, line, column }), _) => {
                Some(format!("here the model goes wrong: {kind} at {}:{line}:{column}", self.model))
            }
            (Ends::Undefined(kind), _) => Some(format!("here the query goes wrong: {kind}")),
            (Ends::Target, Some(property)) => {
                let when = property.within.map(|_| format!(", at time {}", table::amount(&self.duration())));
                Some(format!("here {}{}", property.decided(), when.unwrap_or_default()))
            }
            _ => None,
        }
    }
}

impl PropertyRef {
    /// What is so in a state that decides the property, in words.
    pub fn decided(&self) -> String {
        // A formula in XML is known by its name.
        if self.text.trim_start().starts_with('<') {
            return format!("`{}` is decided", self.name);
        }
        let (claim, value) = self.claim();
        format!("`{claim}` is {value}")
    }
    /// What is so in all states if none of them decides the property, in words.
    pub fn everywhere(&self) -> String {
        match self.claim() {
            (claim, false) => format!("`{claim}` holds in all"),
            (claim, true) => format!("`{claim}` is false in all"),
        }
    }
    /// The expression about states, and its value in those that decide the property.
    fn claim(&self) -> (String, bool) {
        let text = one_line(&self.text);
        // Queries say themselves which states they are about.
        let meant = [("A[]", false), ("E<>", true)].into_iter().find_map(|(which, value)| {
            let rest = text.strip_prefix(&which[..1])?.trim_start();
            Some((rest.strip_prefix(&which[1..])?.trim_start(), value))
        });
        let in_words = || {
            [("AG", false), ("EF", true)].into_iter().find_map(|(which, value)| {
                let rest = text.strip_prefix(which)?.trim_start();
                rest.starts_with('(').then_some((rest, value))
            })
        };
        let (claim, value) = meant.or_else(in_words).unwrap_or((&text, false));
        (claim.to_owned(), value)
    }
}

/// The first so many units of time, in words.
pub fn first_units(most: u64) -> String {
    match most {
        1 => "the first time unit".to_owned(),
        _ => format!("the first {most} time units"),
    }
}

/// An amount of time as a decimal, rounded to what a machine number can say.
pub fn decimal(amount: &ir::Rat) -> Option<Number> {
    let (numerator, denominator) = (amount.numerator(), amount.denominator());
    match (numerator.to_i64(), denominator == ir::Int::ONE) {
        (Some(whole), true) => Some(whole.into()),
        _ => {
            let number = |text: String| text.parse::<f64>().ok();
            Number::from_f64(number(numerator.to_string())? / number(denominator.to_string())?)
        }
    }
}

/// An expression on one line.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads an optional value whose key must be there all the same.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(from)
}

/// The keys that a file may have; names that are flattened into it cannot be refused by `serde`.
pub fn only_keys(text: &str, known: &[&str]) -> Result<(), String> {
    let keys: BTreeMap<String, IgnoredAny> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match keys.keys().find(|key| !known.contains(&key.as_str())) {
        Some(stranger) => Err(format!("unknown key `{stranger}`")),
        None => Ok(()),
    }
}

/// Refuses texts without some of these keys, and those with others.
pub fn exactly_keys(text: &str, common: &[&str], own: &[&str]) -> Result<(), String> {
    let keys: BTreeMap<String, IgnoredAny> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if let Some(missing) = common.iter().chain(own).find(|key| !keys.contains_key(**key)) {
        return Err(format!("missing field `{missing}`"));
    }
    only_keys(text, &[common, own].concat())
}

const KEYS: &[&str] = &[
    "format",
    "version",
    "model",
    "property",
    "ends",
    "types",
    "processes",
    "variables",
    "initial",
    "steps",
];

/// The part of a file that says what it is.
#[derive(Deserialize)]
pub struct Header {
    /// What kind of file.
    pub format: String,
    /// Which version of it.
    pub version: u32,
}

/// Reads what kind of file a text is.
pub fn header(path: &Path, text: &str) -> Result<Header, Failure> {
    serde_json::from_str(text).map_err(|error| {
        Failure::Input(format!(
            "`{}` is neither a trace nor a certificate of Thetis: {error}; `thetis check --trace FILE` writes a trace",
            path.display()
        ))
    })
}

/// Reads a trace file.
pub fn read(path: &Path) -> Result<Trace, Failure> {
    parse(path, &load::text(path)?)
}

/// Reads the text of a trace file.
pub fn parse(path: &Path, text: &str) -> Result<Trace, Failure> {
    let shown = path.display();
    let header = header(path, text)?;
    if header.format != FORMAT {
        let found = header.format;
        return Err(Failure::Input(format!(
            "`{shown}` is a `{found}` file, and a `{FORMAT}` file is needed here"
        )));
    }
    if header.version != VERSION {
        let found = header.version;
        return Err(Failure::Input(format!(
            "`{shown}` is a trace of version {found}; this Thetis reads version {VERSION}"
        )));
    }
    let damaged = |why: String| Failure::Input(format!("`{shown}` is a damaged trace: {why}"));
    let trace: Trace = serde_json::from_str(text).map_err(|error| damaged(error.to_string()))?;
    only_keys(text, KEYS).map_err(damaged)?;
    let (variables, processes) = (trace.signature.variables.len(), trace.signature.processes.len());
    let shape = |state: &StateRecord| state.values.len() == variables && state.locations.len() == processes;
    let misshapen = trace.states().position(|state| !shape(state));
    match misshapen {
        Some(number) => Err(Failure::Input(format!(
            "`{shown}` is a damaged trace: state {number} does not have one value per variable and one location per process"
        ))),
        None => Ok(trace),
    }
}

/// Writes a trace file.
pub fn write(path: &Path, trace: &Trace) -> Result<(), Failure> {
    create(path, |out| {
        serde_json::to_writer_pretty(&mut *out, trace)?;
        writeln!(out)
    })
}

/// Writes a file with `fill`.
pub fn create(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), Failure> {
    let file = File::create(path).map(BufWriter::new);
    file.and_then(|mut out| fill(&mut out).and_then(|()| out.flush()))
        .map_err(|error| cannot_write(path, &error))
}

/// Refuses a path that cannot be written, before any work is done; leaves everything as it is.
pub fn writable(path: &Path) -> Result<(), Failure> {
    let new = !path.exists();
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.map_err(|error| cannot_write(path, &error))?;
    if new {
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

/// Refuses a path that cannot be written, and removes a file of an earlier run: what is there in the end is of
/// this one. Devices, pipes and links stay.
pub fn renew(path: &Path) -> Result<(), Failure> {
    writable(path)?;
    match path.symlink_metadata() {
        Ok(entry) if entry.is_file() => {
            std::fs::remove_file(path).map_err(|error| cannot_write(path, &error))
        }
        _ => Ok(()),
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    let path = path.display();
    Failure::Input(match error.kind() {
        io::ErrorKind::NotFound => format!("`{path}` cannot be written, for its directory does not exist"),
        io::ErrorKind::PermissionDenied => format!("`{path}` may not be written by you"),
        io::ErrorKind::IsADirectory => format!("`{path}` cannot be written, for it is a directory"),
        _ => format!("`{path}` cannot be written: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_say_what_decides_them() {
        let check = |text: &str, decided: &str, everywhere: &str| {
            let states = CheckStates::default();
            let property =
                PropertyRef { name: "p".into(), text: text.into(), check_states: states, within: None };
            assert_eq!(property.decided(), decided);
            assert_eq!(property.everywhere(), everywhere);
        };
        check("x > 0", "`x > 0` is false", "`x > 0` holds in all");
        check("A[] P.a", "`P.a` is false", "`P.a` holds in all");
        check("E <> P.a", "`P.a` is true", "`P.a` is false in all");
        check("AG (p <= 1)", "`(p <= 1)` is false", "`(p <= 1)` holds in all");
        check("EF(p > 1)", "`(p > 1)` is true", "`(p > 1)` is false in all");
        // A variable may have such a name.
        check("EF > 1", "`EF > 1` is false", "`EF > 1` holds in all");
    }
}
