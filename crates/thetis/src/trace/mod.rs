//! Traces: runs in files, readable without the model.
//!
//! A trace file is versioned JSON (`docs/schema/trace.schema.json`). It names variables, types, locations and edges,
//! carries source lines and what of the [`lang::View`] is needed to show it, so that [`table`], [`dot`], [`itf`] and
//! [`cex`] need nothing else; [`lift`] goes between it and a [`ir::Run`] of a model. What the schema does not know
//! is refused, and what it requires must be there. Files of version 1 are read by [`v1`].

pub mod cex;
pub mod datum;
pub mod dot;
pub mod itf;
pub mod lift;
mod misfit;
pub mod program;
pub mod table;
pub mod types;
pub mod uppaal;
mod v1;

use std::io::Write;
use std::path::Path;

use ir::{Claim, FaultKind, Rat};
use lang::{About, Question};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Number, Value};

use crate::error::Error;
use crate::evidence::{self, EvidenceError, EvidenceProblem};
use crate::file::{self, FileError};
use crate::pose::{CheckStates, Fair, NoFair, Scope, StuckRuns, ZenoRuns};
pub use datum::Datum;
pub use misfit::{Misfit, Mismatch, Place, Shown};
pub use types::TypeRecord;
pub(crate) use v1::upgrade;

/// The `format` of a trace file.
pub const FORMAT: &str = "thetis-trace";
/// The newest `version` of a trace file.
pub const VERSION: u32 = 2;

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
    /// The number of the state that the last step leads back to, from where the steps repeat for ever; `null` if the
    /// run ends.
    #[serde(rename = "loop", deserialize_with = "present")]
    pub cycle: Option<usize>,
    /// Whether the loop comes back to the same state.
    #[serde(default, skip_serializing_if = "Repeats::is_exact")]
    pub repeats: Repeats,
    /// Whether it was read from a file of version 1, which does not say how steps and variables are shown.
    #[serde(skip)]
    pub upgraded: bool,
}

/// How the steps of a loop come again.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Repeats {
    /// With the same values: the last step leads to the very state that the loop begins in.
    #[default]
    Exact,
    /// With other values, in the same way: every round begins in a state of this set.
    Recurrent(HeadRecord),
    /// There are none: only time passes, for ever, and nothing has to happen.
    Idle,
}

/// A set of states that every round of a loop begins in; see [`ir::Head`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeadRecord {
    /// What is true of the states, in the spelling of certificates.
    pub formula: String,
    /// The same for people.
    pub text: String,
}

impl Repeats {
    /// Whether values come again.
    pub fn is_exact(&self) -> bool {
        *self == Repeats::Exact
    }
    /// What is true of the states that rounds begin in, for people, if these are not always the same.
    pub fn head(&self) -> Option<&str> {
        if let Repeats::Recurrent(head) = self { Some(&head.text) } else { None }
    }
}

/// The property a file is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PropertyRef {
    /// How the user knows it.
    pub name: String,
    /// As the user wrote it.
    pub text: String,
    /// Whether it claims that something is always so, or that it is possible.
    pub claim: ClaimRecord,
    /// What that is.
    pub about: AboutRecord,
    /// Which states it is about.
    pub check_states: CheckStates,
    /// How much time since the start it is about, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<u64>,
    /// What becomes of runs that get stuck, if it is not what the language of the model says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stuck_runs: Option<StuckRuns>,
    /// What the runs are fair to that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fair: Vec<FairRecord>,
    /// Whether infinite runs that take a bounded time count.
    #[serde(default, skip_serializing_if = "ZenoRuns::is_usual")]
    pub zeno: ZenoRuns,
}

/// Fairness in files; see [`Fair`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FairRecord(pub Fair);

impl TryFrom<String> for FairRecord {
    type Error = NoFair;

    fn try_from(text: String) -> Result<Self, NoFair> {
        text.parse().map(FairRecord)
    }
}

impl From<FairRecord> for String {
    fn from(FairRecord(fair): FairRecord) -> Self {
        fair.to_string()
    }
}

/// What is claimed of all runs, or of their states.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimRecord {
    /// All of them are so.
    Always,
    /// One of them is so.
    Possibly,
    /// Every run is so.
    Every,
    /// Some run is so.
    Some,
    /// From all of them, one that is so can be reached.
    AlwaysPossibly,
}

/// What a claim is about; see [`About`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AboutRecord {
    /// This expression.
    Expression(String),
    /// A formula that says little to people.
    Formula,
    /// 1-safety of a net.
    OneSafety,
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
    Undefined(FaultKindRecord),
    /// Nothing special.
    Anywhere,
}

/// What goes wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultRecord {
    /// What goes wrong.
    pub kind: FaultKindRecord,
    /// The file it is written in, if that is not the one that was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where it is written, from 1.
    pub line: usize,
    /// Where in the line, from 1.
    pub column: usize,
}

/// What can go wrong; see [`FaultKind`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", remote = "FaultKind")]
enum FaultKindDef {
    DivisionByZero,
    OutOfRange,
    IndexOutOfRange,
    InvalidShift,
    InvalidPointer,
    DivisionOverflow,
    Undefined,
}

/// What goes wrong.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FaultKindRecord(#[serde(with = "FaultKindDef")] pub FaultKind);

/// The names that states and steps of a file use, and how they are shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Signature {
    /// Where in a step time passes.
    pub time: TimeRecord,
    /// The enumerations.
    pub types: Vec<EnumRecord>,
    /// The processes.
    pub processes: Vec<ProcessRecord>,
    /// The variables; values of a state follow this order.
    pub variables: Vec<VariableRecord>,
    /// What several variables are together; see [`lang::Configuration`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub configurations: Vec<ConfigurationRecord>,
}

/// Where in a step time passes; see [`lang::Time`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeRecord {
    /// After it.
    AfterStep,
    /// In it.
    InStep,
}

/// Which section of an XSTS runs next; see [`lang::Section`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SectionRecord {
    /// `init`.
    Init,
    /// `env`.
    Env,
    /// `trans`.
    Trans,
    /// All of them.
    Whole,
}

/// What several variables are together.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigurationRecord {
    /// Its name.
    pub name: String,
    /// What it belongs to, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub group: Vec<String>,
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
    /// Whether its location is news.
    pub located: bool,
    /// For each location, which section of an XSTS runs next, for readers that know nothing else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Option<SectionRecord>>,
}

/// A variable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariableRecord {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: TypeRecord,
    /// Whether the user wrote it.
    pub shown: bool,
    /// Whether it is a clock that stands still at some locations.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopwatch: bool,
    /// What it belongs to, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub group: Vec<String>,
    /// What its values are called, where it is an integer that stands for something else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<(i64, String)>,
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
    /// The cases of each configuration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub configurations: Vec<Vec<String>>,
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
    /// Whether the step of the user's that it is a part of goes on after it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub goes_on: bool,
    /// What happens in it, as the model tells; see [`lang::Occurrence`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub happened: Vec<OccurrenceRecord>,
    /// Where it leads.
    pub state: StateRecord,
}

/// Something that happens in a step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OccurrenceRecord {
    /// What it is.
    pub kind: OccurrenceKindRecord,
    /// How the user knows it.
    pub name: String,
    /// What it comes with, by name; `null` for any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<(String, Option<Datum>)>,
    /// The file it is written in, if that is not the one that was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where it is written, from 1; `null` for what the user did not write.
    #[serde(deserialize_with = "present")]
    pub line: Option<usize>,
    /// Where in the line, from 1.
    #[serde(deserialize_with = "present")]
    pub column: Option<usize>,
}

/// What happens in a step; see [`lang::OccurrenceKind`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OccurrenceKindRecord {
    /// Time passes, as a period says; the value is by its unit.
    Time,
    /// An event comes in.
    Input,
    /// A component is run.
    Run,
    /// A transition fires.
    Transition,
    /// An event goes out.
    Output,
}

/// An edge that was taken.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeRecord {
    /// Its process.
    pub process: String,
    /// Its number in the process.
    pub edge: u32,
    /// What it is called in its process.
    pub label: String,
    /// How the user knows it.
    pub title: String,
    /// The file it is written in, if that is not the one that was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
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
        ty: Option<TypeRecord>,
    },
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
            self.decisions.iter().filter_map(Choice::delay).filter_map(|delay| delay.parse::<Rat>().ok());
        let first = delays.next()?;
        Some(delays.fold(first, |sum, delay| &sum + &delay).to_string())
    }
}

impl Signature {
    /// Whether another signature has the same names and types; how they are shown may differ.
    pub fn names_what(&self, other: &Signature) -> bool {
        let variables = |list: &[VariableRecord]| -> Vec<(String, TypeRecord, bool)> {
            list.iter().map(|var| (var.name.clone(), var.ty.clone(), var.shown)).collect()
        };
        let processes = |list: &[ProcessRecord]| -> Vec<(String, Vec<String>)> {
            list.iter().map(|process| (process.name.clone(), process.locations.clone())).collect()
        };
        self.types == other.types
            && processes(&self.processes) == processes(&other.processes)
            && variables(&self.variables) == variables(&other.variables)
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
        let amounts = delays.filter_map(|delay| delay.parse::<Rat>().ok());
        amounts.fold(Rat::ZERO, |sum, delay| &sum + &delay).to_string()
    }
    /// The first step beyond the time that the property is about, if there is one.
    pub fn late(&self) -> Option<Misfit> {
        let most = self.property.as_ref()?.within?;
        let limit = most.to_string().parse::<Rat>().ok()?;
        let amount = |delay: Option<String>| delay.and_then(|delay| delay.parse::<Rat>().ok());
        let delays =
            std::iter::once(self.initial.delay()).chain(self.steps.iter().map(|step| step.delay.clone()));
        let mut now = Rat::ZERO;
        for (number, delay) in delays.enumerate() {
            now = &now + &amount(delay).unwrap_or(Rat::ZERO);
            if now > limit {
                let time = table::amount(&now.to_string());
                return Some(Mismatch::Late(time, most).at(Place::Step(number)));
            }
        }
        None
    }
    /// Whether it goes around a loop for ever, in words.
    pub fn repetition(&self) -> Option<String> {
        self.cycle.map(|start| match start == self.steps.len() {
            true if self.repeats == Repeats::Idle => {
                "↻ nothing has to happen here, and time passes for ever".to_owned()
            }
            true => "↻ nothing can happen here, and this state is repeated for ever".to_owned(),
            false => {
                let time = self.round().map_or(String::new(), |time| match time == Rat::ZERO {
                    true => "; this loop takes no time: a Zeno run".to_owned(),
                    false => format!("; a round takes {}", table::amount(&time.to_string())),
                });
                match self.repeats.head() {
                    None => format!("↻ back to {start}{time}"),
                    Some(head) => format!("↻ back to {start}, every round in: {head}{time}"),
                }
            }
        })
    }
    /// How long the recorded round of a loop takes, if time passes in the model.
    pub fn round(&self) -> Option<Rat> {
        let steps = self.steps.get(self.cycle?..).filter(|steps| !steps.is_empty())?;
        let delays: Vec<Rat> =
            steps.iter().filter_map(|step| step.delay.as_ref()?.parse::<Rat>().ok()).collect();
        (!delays.is_empty()).then(|| delays.iter().fold(Rat::ZERO, |sum, delay| &sum + delay))
    }
    /// What is special about the last state, or about the run, in words.
    pub fn ending(&self) -> Option<String> {
        match (&self.ends, &self.property) {
            (Ends::Fault(FaultRecord { kind, file, line, column }), _) => {
                let file = file.as_ref().unwrap_or(&self.model);
                Some(format!("here the model goes wrong: {} at {file}:{line}:{column}", kind.0))
            }
            (Ends::Undefined(kind), _) => Some(format!("here the query goes wrong: {}", kind.0)),
            (Ends::Target, Some(property)) if self.cycle.is_some() => {
                Some(format!("this run {} `{}`", property.verb(), property.expression()))
            }
            (Ends::Target, Some(property)) if property.is_about_runs() => Some(property.decided()),
            (Ends::Target, Some(property)) => {
                let when = property.within.map(|_| format!(", at time {}", table::amount(&self.duration())));
                Some(format!("here {}{}", property.decided(), when.unwrap_or_default()))
            }
            _ => None,
        }
    }
}

impl PropertyRef {
    /// What files say of a question.
    pub fn new(question: &Question, scope: &Scope) -> Self {
        PropertyRef {
            name: question.name.clone(),
            text: question.text.clone(),
            claim: match question.property.claim {
                Claim::Always(_) => ClaimRecord::Always,
                Claim::Possibly(_) => ClaimRecord::Possibly,
                Claim::Every(_) => ClaimRecord::Every,
                Claim::Some(_) => ClaimRecord::Some,
                Claim::AlwaysPossibly(_) => ClaimRecord::AlwaysPossibly,
            },
            about: match &question.about {
                About::Expression(expression) => AboutRecord::Expression(expression.clone()),
                About::Formula => AboutRecord::Formula,
                About::OneSafety => AboutRecord::OneSafety,
            },
            check_states: scope.check_states,
            within: scope.within,
            stuck_runs: scope.stuck_runs(question.property.claim),
            fair: scope.fairness(question.property.claim).into_iter().map(FairRecord).collect(),
            zeno: scope.zeno_runs(question.property.claim),
        }
    }
    /// Which part of the runs it is about.
    pub fn scope(&self) -> Scope {
        let stuck = self.stuck_runs.map(Into::into);
        let fair = self.fair.iter().map(|FairRecord(fair)| fair.clone()).collect();
        let zeno = self.zeno.into();
        Scope { check_states: self.check_states, within: self.within, stuck, fair, zeno }
    }
    /// What is so at the end of a run that decides the property, in words.
    pub fn decided(&self) -> String {
        match (&self.about, self.claim) {
            (_, ClaimRecord::Every) => {
                format!("the states so far violate `{}`, however the run goes on", self.expression())
            }
            (_, ClaimRecord::Some) => {
                format!("the states so far satisfy `{}`, however the run goes on", self.expression())
            }
            (AboutRecord::Formula, _) => format!("`{}` is decided", self.name),
            (_, ClaimRecord::Always) => format!("`{}` is false", self.expression()),
            (_, ClaimRecord::Possibly) => format!("`{}` is true", self.expression()),
            (_, ClaimRecord::AlwaysPossibly) => format!("`{}` cannot be reached any more", self.expression()),
        }
    }
    /// Whether it is about whole runs.
    pub fn is_about_runs(&self) -> bool {
        matches!(self.claim, ClaimRecord::Every | ClaimRecord::Some)
    }
    /// What a run does to it that decides it.
    pub fn verb(&self) -> &'static str {
        match self.claim {
            ClaimRecord::Some | ClaimRecord::Possibly => "satisfies",
            ClaimRecord::Always | ClaimRecord::Every | ClaimRecord::AlwaysPossibly => "violates",
        }
    }
    /// What is so in all states if none of them decides the property, in words.
    pub fn everywhere(&self) -> String {
        match self.claim {
            ClaimRecord::Always => format!("`{}` holds in all", self.expression()),
            ClaimRecord::Possibly => format!("`{}` is false in all", self.expression()),
            ClaimRecord::Every => format!("`{}` holds on every run", self.expression()),
            ClaimRecord::Some => format!("`{}` holds on no run", self.expression()),
            ClaimRecord::AlwaysPossibly => format!("`{}` can be reached from all", self.expression()),
        }
    }
    /// What its claim is about, as short as it can be said.
    pub fn expression(&self) -> String {
        match &self.about {
            AboutRecord::Expression(expression) => expression.clone(),
            // Its text is a piece of a document.
            AboutRecord::Formula => self.name.clone(),
            AboutRecord::OneSafety => lang::one_line(&self.text),
        }
    }
}

/// An amount of time as a decimal, rounded to what a machine number can say.
pub fn decimal(amount: &Rat) -> Option<Number> {
    let (numerator, denominator) = (amount.numerator(), amount.denominator());
    match (numerator.to_i64(), denominator == ir::Int::ONE) {
        (Some(whole), true) => Some(whole.into()),
        _ => {
            let number = |text: String| text.parse::<f64>().ok();
            Number::from_f64(number(numerator.to_string())? / number(denominator.to_string())?)
        }
    }
}

/// Reads an optional value whose key must be there all the same.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(from)
}

const KEYS: &[&str] = &[
    "format",
    "version",
    "model",
    "property",
    "ends",
    "time",
    "types",
    "processes",
    "variables",
    "configurations",
    "initial",
    "steps",
    "loop",
    "repeats",
];

/// Reads a trace file.
///
/// # Errors
/// What is wrong with it.
pub fn read(path: &Path) -> Result<Trace, Error> {
    Ok(parse(&path.display().to_string(), &file::read(path)?)?)
}

/// Reads the text of a trace file.
///
/// # Errors
/// What is wrong with it.
pub fn parse(file: &str, text: &str) -> Result<Trace, EvidenceError> {
    let version = evidence::version(file, text, FORMAT, VERSION)?;
    let damaged = |why: String| EvidenceProblem::Damaged { format: FORMAT, why }.of(file);
    let trace: Trace = match version {
        1 => {
            let old: Value = serde_json::from_str(text).map_err(|error| damaged(error.to_string()))?;
            let trace = serde_json::from_value(upgrade(old)).map_err(|error| damaged(error.to_string()))?;
            Trace { upgraded: true, ..trace }
        }
        _ => {
            let trace = serde_json::from_str(text).map_err(|error| damaged(error.to_string()))?;
            evidence::only_keys(text, KEYS).map_err(damaged)?;
            trace
        }
    };
    let Signature { variables, processes, configurations, .. } = &trace.signature;
    let shape = |state: &StateRecord| {
        state.values.len() == variables.len()
            && state.locations.len() == processes.len()
            && state.configurations.len() == configurations.len()
    };
    if let Some(number) = trace.states().position(|state| !shape(state)) {
        return Err(damaged(format!(
            "state {number} does not have one value per variable and one location per process"
        )));
    }
    let around = trace.cycle.is_some_and(|start| start < trace.steps.len());
    match trace.cycle {
        _ if trace.repeats.head().is_some() && !around => {
            Err(damaged("its `repeats` is about the rounds of a loop, and it has none".to_owned()))
        }
        _ if trace.repeats == Repeats::Idle && trace.cycle != Some(trace.steps.len()) => {
            Err(damaged("its `repeats` is about its last state, and something happens after it".to_owned()))
        }
        Some(number) if number > trace.steps.len() => {
            Err(damaged(format!("its loop starts at state {number}, and it has no such state")))
        }
        _ => Ok(trace),
    }
}

/// Writes a trace file.
///
/// # Errors
/// What is wrong with the file.
pub fn write(path: &Path, trace: &Trace) -> Result<(), FileError> {
    file::create(path, |out| {
        serde_json::to_writer_pretty(&mut *out, trace)?;
        writeln!(out)
    })
}
