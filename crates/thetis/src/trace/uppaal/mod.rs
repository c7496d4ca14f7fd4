//! UPPAAL's XML traces, as its verifier `verifyta` writes them with the option `-X`.
//!
//! # The format
//! A `trace` element of three parts. The `system` has what occurs: clocks, variables and processes, these with their own
//! clocks and variables, and with the locations and edges that the trace visits, an edge with its `guard`, `sync` and
//! `update`. Then come vectors, each under a name: the locations of all processes, the values of all variables, and for
//! clocks a matrix of bounds on all differences (a DBM), where the clock `sys.t(0)` is the constant zero. A `node` is a
//! state: one vector of each kind. A `transition` leads from a node to a node by edges, who sends first. What is global
//! is called `sys.x`, what belongs to a process `P.x`; truth values are 0 and 1, an entry of an array is a variable of
//! its own, `a[2]`; a location without a name is `_id8` if its document calls it `id8`. Lists are separated by blanks,
//! so names are written without them.
//!
//! # What is exact
//! The trace is symbolic: its zones are those of all runs that take these edges through these values, see
//! [`engine::zone::symbolic`], and so their bounds are integers. Exact times are lost. When a trace is read, its edges
//! and values are followed by the rules of the model, whatever its zones say, and the run has the earliest times; if a
//! question is asked about it, the earliest of those that decide it. An edge is known by its ends; of several with the same ends, those with the same labels come first, and only those are left
//! that lead to the state which follows.

mod read;
mod write;

use std::fmt;

use engine::Reason;
use ir::{EdgeId, LocationId, ProcessId, Span, System, Type, Types, Value, VarId};
use lang::{FrontEnd, xta};

use super::{Misfit, Mismatch};
use crate::load::Model;
pub use read::{parse, parse_for};
pub use write::render;

/// How the names of such files end, without the dot.
pub const EXTENSION: &str = "xml";

/// Why a run has no such form, or such a file is no run.
#[derive(Clone, Debug)]
pub enum UppaalError {
    /// It is one of a model in this language.
    Language(&'static FrontEnd),
    /// It repeats for ever.
    Endless,
    /// The file is not as such files are, for this reason.
    Damaged(String),
    /// It is no run of the model.
    Misfit(Misfit),
    /// Zones cannot follow a clock of the model, for this reason.
    NoZones(Reason),
    /// Its zones are not known.
    Unknown(Reason),
}

impl fmt::Display for UppaalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UppaalError::Language(language) => write!(
                f,
                "only runs of UPPAAL models have this form, and the model is one in {}; for those there are the \
                 formats json, dot, itf and, if they are untimed, xsts-cex",
                language.title
            ),
            UppaalError::Endless => f.write_str("a run that repeats for ever has no such form"),
            UppaalError::Damaged(why) => write!(f, "it is no trace as UPPAAL writes them: {why}"),
            UppaalError::Misfit(misfit) => misfit.fmt(f),
            UppaalError::NoZones(reason) => write!(
                f,
                "it consists of zones, and there are none here ({reason}); a file that ends in `.json` keeps the run"
            ),
            UppaalError::Unknown(reason) => write!(f, "its zones are not known: {reason}"),
        }
    }
}

impl std::error::Error for UppaalError {}

impl From<Misfit> for UppaalError {
    fn from(misfit: Misfit) -> Self {
        UppaalError::Misfit(misfit)
    }
}

impl From<Mismatch> for UppaalError {
    fn from(mismatch: Mismatch) -> Self {
        UppaalError::Misfit(mismatch.into())
    }
}

/// Whether a text is such a file, or meant to be one: it begins with a tag, as no other file of evidence does.
pub fn recognises(text: &str) -> bool {
    text.trim_start().starts_with('<')
}

/// Whether the runs of a model have this form.
///
/// # Errors
/// If they do not.
pub fn possible(model: &Model) -> Result<(), UppaalError> {
    match model.language.name == xta::FRONT_END.name {
        true => engine::zone::check_even(model.system()).map_err(UppaalError::NoZones),
        false => Err(UppaalError::Language(model.language)),
    }
}

/// What such files call the parts of a model.
struct Names<'m> {
    model: &'m Model,
    system: &'m System,
    /// The variables that are shown, entry by entry.
    entries: Vec<Entry>,
}

/// A variable, or an entry of an array.
struct Entry {
    name: String,
    /// The process it belongs to.
    process: Option<ProcessId>,
    /// The place of the variable in a state.
    slot: usize,
    /// The positions in arrays within arrays, the outermost first.
    at: Vec<i64>,
}

/// An array with more entries than this is left out.
const MOST_ENTRIES: usize = 1 << 16;

impl<'m> Names<'m> {
    fn new(model: &'m Model) -> Self {
        let mut names = Names { model, system: model.system(), entries: vec![] };
        for (slot, var) in names.system.state_vars().enumerate() {
            let ty = names.system.terms.var_type(var);
            if names.system.vars[var].shown && ty != Type::Clock {
                let (process, name) = names.owned(var);
                let mut list = vec![];
                if spread(names.system.types(), ty, &name, &[], &mut list).is_some() {
                    let entry = |(name, at)| Entry { name, process, slot, at };
                    names.entries.extend(list.into_iter().map(entry));
                }
            }
        }
        names
    }
    /// The process that a variable belongs to, and its name there.
    fn owned(&self, var: VarId) -> (Option<ProcessId>, String) {
        let (view, name) = (self.model.view(), &self.system.vars[var].name);
        let group = view.variables.get(&var).and_then(|variable| variable.group);
        let owner = view.processes.entries().find(|(_, process)| group.is_some() && process.group == group);
        let short = |process: ProcessId| {
            let owner = &self.system.processes[process].name;
            name.strip_prefix(owner.as_str()).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name)
        };
        match owner {
            Some((process, _)) => (Some(process), short(process).to_owned()),
            None => (None, name.clone()),
        }
    }
    /// What a process is called.
    fn process(&self, process: ProcessId) -> String {
        self.system.processes[process].name.replace(' ', "")
    }
    /// What something of a process, or of nobody, is called everywhere.
    fn id(&self, process: Option<ProcessId>, name: &str) -> String {
        let owner = process.map_or_else(|| "sys".to_owned(), |process| self.process(process));
        format!("{owner}.{}", name.replace(' ', ""))
    }
    /// What a location is called in its process.
    fn location(&self, process: ProcessId, location: LocationId) -> String {
        let name = &self.system.processes[process].locations[location].name;
        match self.model.view().location(process, location).unnamed {
            true => format!("_{name}"),
            false => name.clone(),
        }
    }
    /// The clocks, with their owners and names there.
    fn clocks(&self) -> Vec<(Option<ProcessId>, String)> {
        self.system.clocks().map(|clock| self.owned(clock)).collect()
    }
    /// The processes that the user wrote.
    fn processes(&self) -> impl Iterator<Item = ProcessId> {
        self.system.processes.entries().filter(|(_, process)| process.shown).map(|(id, _)| id)
    }
    /// The guard, the synchronisation and the update of an edge.
    fn labels(&self, edge: (ProcessId, EdgeId)) -> [String; 3] {
        let known = self.model.view().labels.get(&edge).cloned().unwrap_or_default();
        let sync = known.synchronisation.map(|(channel, role)| {
            let side = match role {
                ir::Role::Emit => "!",
                ir::Role::Receive => "?",
                ir::Role::Join => "",
            };
            self.written(&[channel], "") + side
        });
        let or = |text: String, none: &str| if text.is_empty() { none.to_owned() } else { text };
        [
            or(self.written(&known.guard, " && "), "1"),
            sync.unwrap_or_else(|| "tau".to_owned()),
            or(self.written(&known.update, ", "), "1"),
        ]
    }
    /// What the user wrote at some places.
    fn written(&self, places: &[Span], between: &str) -> String {
        let text = &self.model.sources.main().text;
        places.iter().map(|place| xta::written(text, *place)).collect::<Vec<_>>().join(between)
    }
}

/// The entries of something of a type, by name and position; `None` if they are too many or have no positions.
fn spread(types: &Types, ty: Type, name: &str, at: &[i64], out: &mut Vec<(String, Vec<i64>)>) -> Option<()> {
    let Type::Array(id) = ty else {
        out.push((name.to_owned(), at.to_vec()));
        return (out.len() <= MOST_ENTRIES).then_some(());
    };
    let array = types.array_type(id);
    let (first, last) = array.range?;
    for position in first..=last {
        let name = xta::entry_name(name, &position.to_string());
        spread(types, array.element, &name, &[at, &[position]].concat(), out)?;
    }
    Some(())
}

/// The number at a place of a value.
fn number(value: &Value, at: &[i64]) -> Option<i64> {
    match (value, at) {
        (Value::Array(array), [first, rest @ ..]) => number(array.read(&Value::int(*first)), rest),
        (Value::Bool(value), []) => Some(i64::from(*value)),
        (Value::Int(value), []) => value.to_i64(),
        _ => None,
    }
}

/// The value of a type with the numbers that `given` says for its entries, in order.
fn value(types: &Types, ty: Type, given: &mut impl Iterator<Item = Option<i64>>) -> Option<Value> {
    match ty {
        Type::Bool => given.next()?.map(|number| Value::Bool(number != 0)),
        Type::Int => given.next()?.map(Value::int),
        Type::Array(id) => {
            let array = types.array_type(id);
            let (first, last) = array.range?;
            let entry = |at: i64| Some((Value::int(at), value(types, array.element, given)?));
            let entries: Option<Vec<(Value, Value)>> = (first..=last).map(entry).collect();
            let default = types.default_value(array.element);
            Some(Value::Array(types.array_value(id, default, entries?).into()))
        }
        Type::Rat | Type::Clock | Type::Enum(_) => None,
    }
}
