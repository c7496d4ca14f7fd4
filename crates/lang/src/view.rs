//! The view: how a system is shown to the person who wrote the model.
//!
//! A lowering is free to split and merge what the user wrote: a step of the user's may be several steps of the
//! system, the active state of a statechart several variables, and some processes and variables are nobody's. So
//! every lowering returns a view beside the system. Traces, simulation and messages read it and nothing else; no
//! name of the system is ever looked at to find out what is meant.
//!
//! What a view does not mention is shown as the system has it: [`ir::Process::shown`] and [`ir::Variable::shown`] say
//! whether, their names say how.

use ir::{EdgeId, Edges, Id, IdVec, LocationId, ProcessId, Role, Span, System, Term, VarId};
use rustc_hash::FxHashMap;

ir::id!(
    /// A group of a view.
    GroupId
);

/// How a system is shown.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Where in a step time passes.
    pub time: Time,
    /// What variables and processes belong to: processes, components, regions.
    pub groups: IdVec<GroupId, Group>,
    /// What is known of each process; there may be fewer than the system has.
    pub processes: IdVec<ProcessId, ProcessView>,
    /// What is known of variables, where their declaration does not say it.
    pub variables: FxHashMap<VarId, VariableView>,
    /// Variables that together are one thing, as the user sees it.
    pub configurations: Vec<Configuration>,
    /// What happens in steps, in the order in which it is told.
    pub occurrences: Vec<Occurrence>,
    /// How much time passes in the steps of these edges, where the system itself counts it.
    pub elapsed: FxHashMap<(ProcessId, EdgeId), Elapsed>,
    /// What somebody outside decides before each step.
    pub inputs: Vec<Input>,
    /// The titles of edges that differ from their labels.
    pub titles: FxHashMap<(ProcessId, EdgeId), String>,
    /// What the user wrote at edges, for languages where that has parts.
    pub labels: FxHashMap<(ProcessId, EdgeId), Labels>,
    /// What the user wrote at edges that the system leaves out, since their guards never hold, for all choices or for
    /// some; by where they start, and one for each that the user wrote.
    pub impossible: FxHashMap<(ProcessId, LocationId), Vec<Labels>>,
    /// Where the invariants of locations are written, those that the user wrote.
    pub invariants: FxHashMap<(ProcessId, LocationId), Vec<Span>>,
}

/// Where the parts of an edge are written. Several edges of the system may come from one that the user wrote.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Labels {
    /// Which of the edges of its process that the user wrote, counted from 0.
    pub number: usize,
    /// What all edges that come from it are called, whatever is chosen.
    pub title: String,
    /// The names that a value is chosen for.
    pub selected: Vec<String>,
    /// How many ways there are to choose them.
    pub choices: u64,
    /// All of these must hold.
    pub guard: Vec<Span>,
    /// The same as far as conjunctions are taken apart, with what each part says for this edge.
    pub conjuncts: Vec<(Span, Term)>,
    /// The channel, and the side that the edge is on.
    pub synchronisation: Option<(Span, Role)>,
    /// What it does, in order.
    pub update: Vec<Span>,
}

/// Where in a step time passes.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Time {
    /// After it: a step takes no time, and what it sets is shown as it is before time passes.
    #[default]
    AfterStep,
    /// In it, where the user wrote so.
    InStep,
}

/// Something that variables and processes belong to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// What the user calls it.
    pub name: String,
    /// What it belongs to itself.
    pub parent: Option<GroupId>,
}

/// How a process is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessView {
    /// Whether its location is news to the user.
    pub located: bool,
    /// Whether the title of its steps begins with its name.
    pub named: bool,
    /// What it belongs to.
    pub group: Option<GroupId>,
    /// What is known of its locations; those that are not listed are [`LocationView::default`].
    pub locations: FxHashMap<LocationId, LocationView>,
}

/// How a location is shown.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct LocationView {
    /// Which section of an XSTS runs next, for readers that know nothing else.
    pub next: Option<Section>,
    /// Whether a step of the user's goes on here: what leads here and what leads away are parts of one.
    pub within_step: bool,
    /// Whether the user gave it no name, so that it is called by how its document refers to it.
    pub unnamed: bool,
}

/// A section of an XSTS.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Section {
    /// `init`.
    Init,
    /// `env`.
    Env,
    /// `trans`.
    Trans,
    /// A step of the system stands for both: `init` and `env` would do nothing.
    Whole,
}

/// How a variable is shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VariableView {
    /// What it belongs to.
    pub group: Option<GroupId>,
    /// What its values are called, where it is an integer that stands for something else.
    pub values: Vec<(i64, String)>,
}

/// Variables that together are one thing: the active state of a region, for example. They are not shown one by one
/// if they are not [`ir::Variable::shown`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Configuration {
    /// What the user calls it.
    pub name: String,
    /// What it belongs to.
    pub group: Option<GroupId>,
    /// Its cases: a name wherever a term holds.
    pub cases: Vec<(Term, String)>,
}

/// Something that happens in a step, as the state after it tells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// What it is.
    pub kind: OccurrenceKind,
    /// What the user calls it.
    pub name: String,
    /// Holds after the steps in which it happened.
    pub happened: Term,
    /// What it comes with, by name.
    pub values: Vec<(String, Term)>,
    /// Where it is written, for what is.
    pub span: Span,
}

/// What happens in a step.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum OccurrenceKind {
    /// An event comes in.
    Input,
    /// A component is run.
    Run,
    /// A transition fires.
    Transition,
    /// An event goes out.
    Output,
}

/// Time that passes in a step, as the state after it tells.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Elapsed {
    /// How much.
    pub amount: Term,
    /// Of what: `ms`.
    pub unit: &'static str,
}

/// Something that may come in before a step, or not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// What the user calls it.
    pub name: String,
    /// Says after the step whether it came in.
    pub flag: VarId,
    /// What it comes with, by name.
    pub values: Vec<(String, VarId)>,
}

impl Default for ProcessView {
    fn default() -> Self {
        ProcessView { located: true, named: true, group: None, locations: FxHashMap::default() }
    }
}

impl View {
    /// The view of a system with one process that goes without saying.
    pub fn of_one_process(time: Time, locations: FxHashMap<LocationId, LocationView>) -> View {
        let process = ProcessView { located: false, named: false, group: None, locations };
        View { time, processes: [process].into_iter().collect(), ..View::default() }
    }
    /// Adds a group.
    pub fn group(&mut self, name: impl Into<String>, parent: Option<GroupId>) -> GroupId {
        self.groups.push(Group { name: name.into(), parent })
    }
    /// The names of a group and of what it belongs to, the outermost first.
    pub fn path(&self, group: Option<GroupId>) -> Vec<String> {
        let mut names = vec![];
        let mut at = group;
        while let Some(group) = at {
            names.push(self.groups[group].name.clone());
            at = self.groups[group].parent;
        }
        names.reverse();
        names
    }
    /// How a process is shown.
    pub fn process(&self, process: ProcessId) -> ProcessView {
        self.processes.get(process).cloned().unwrap_or_default()
    }
    /// How a location is shown.
    pub fn location(&self, process: ProcessId, location: LocationId) -> LocationView {
        let known = self.processes.get(process).and_then(|process| process.locations.get(&location));
        known.copied().unwrap_or_default()
    }
    /// What an edge is called.
    pub fn title(&self, system: &System, (process, edge): (ProcessId, EdgeId)) -> String {
        let body = &system.processes[process];
        match self.titles.get(&(process, edge)) {
            Some(title) => title.clone(),
            None if self.processes.get(process).is_none_or(|view| view.named) => {
                format!("{} {}", body.name, body.edges[edge].label)
            }
            None => body.edges[edge].label.clone(),
        }
    }
    /// What a step is called.
    pub fn step(&self, system: &System, edges: &Edges) -> String {
        let titles: Vec<String> = edges.iter().map(|edge| self.title(system, *edge)).collect();
        titles.join(", ")
    }
    /// Whether a step of the user's goes on where the processes are at these locations.
    pub fn within_step(&self, locations: &[LocationId]) -> bool {
        let mut at = locations.iter().enumerate();
        at.any(|(process, location)| self.location(ProcessId::at(process), *location).within_step)
    }
}
