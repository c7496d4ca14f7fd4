//! Between runs of a model and traces in files.

use ir::{Decision, FaultId, Id, IdVec, LocationId, Process, ProcessId, Rat, Run, State, System, Type};

use super::datum::{Datum, type_name};
use super::{
    Choice, EdgeRecord, Ends, EnumRecord, FaultRecord, ProcessRecord, PropertyRef, Signature, Start,
    StateRecord, Step, Trace, VariableRecord, decimal,
};
use crate::source::Source;

/// A system with the text it came from: what gives runs their names and places.
#[derive(Copy, Clone)]
pub struct Lift<'a> {
    /// The system.
    pub system: &'a System,
    /// Its text.
    pub source: &'a Source,
}

impl Lift<'_> {
    /// The run as a trace.
    pub fn trace(&self, run: &Run, property: Option<PropertyRef>, ends: Ends) -> Trace {
        Trace {
            format: super::FORMAT.to_owned(),
            version: super::VERSION,
            model: self.source.name.clone(),
            property,
            ends,
            signature: signature(self.system),
            initial: self.start(run),
            steps: run.steps.iter().map(|step| self.step(step)).collect(),
        }
    }
    /// The beginning of a run.
    pub fn start(&self, run: &Run) -> Start {
        Start { decisions: self.decisions(&run.decisions), state: state(self.system, &run.initial) }
    }
    /// One step of a run.
    pub fn step(&self, step: &ir::Step) -> Step {
        let edge = |(process, id): &(ProcessId, ir::EdgeId)| {
            let body = &self.system.processes[*process];
            let edge = &body.edges[*id];
            let (line, column) = self.source.written_at(edge.span).unzip();
            let process = body.name.clone();
            EdgeRecord { process, edge: id.index() as u32, label: edge.label.clone(), line, column }
        };
        let delays: Vec<&Rat> = step
            .decisions
            .iter()
            .filter_map(|d| if let Decision::Delay(amount) = d { Some(amount) } else { None })
            .collect();
        let total = delays.iter().fold(Rat::ZERO, |sum, amount| &sum + amount);
        Step {
            edges: step.edges.iter().map(edge).collect(),
            decisions: self.decisions(&step.decisions),
            delay: (!delays.is_empty()).then(|| total.to_string()),
            delay_decimal: (!delays.is_empty()).then(|| decimal(&total)).flatten(),
            state: state(self.system, &step.state),
        }
    }
    /// A run that ends in this fault.
    pub fn fault(&self, fault: FaultId) -> Ends {
        let fault = &self.system.faults[fault];
        let (line, column) = self.source.start(fault.span);
        Ends::Fault(FaultRecord { kind: fault.kind.to_string(), line, column })
    }
    /// Whether what `trace` shows of its steps is what the model says of `run`, which was read from it.
    /// The places of edges are left out unless `places`: they change when a model is edited.
    pub fn agrees(&self, trace: &Trace, run: &Run, places: bool) -> Result<(), String> {
        for (number, (said, step)) in trace.steps.iter().zip(&run.steps).enumerate() {
            let here = |why: String| Err(format!("step {}: {why}", number + 1));
            let known = self.step(step);
            let amount = |delay: &Option<String>| delay.as_ref().map(|delay| delay.parse::<Rat>().ok());
            if amount(&said.delay) != amount(&known.delay) {
                let words = |delay: &Option<String>| match delay {
                    Some(delay) => format!("a delay of {delay}"),
                    None => "no delay".to_owned(),
                };
                return here(format!(
                    "it shows {}, but its choices make {}",
                    words(&said.delay),
                    words(&known.delay)
                ));
            }
            for (said, known) in said.edges.iter().zip(&known.edges) {
                if places && (said.line, said.column) != (known.line, known.column) {
                    let words = |edge: &EdgeRecord| match (edge.line, edge.column) {
                        (Some(line), Some(column)) => format!("at line {line}, column {column}"),
                        _ => "nowhere".to_owned(),
                    };
                    return here(format!(
                        "it shows `{}` {}, but in the model that is {}; if the model was edited, \
                         `thetis trace replay` shows the run as it is now",
                        said.label,
                        words(said),
                        words(known)
                    ));
                }
            }
        }
        Ok(())
    }
    fn decisions(&self, list: &[Decision]) -> Vec<Choice> {
        let types = self.system.types();
        let choice = |decision: &Decision| match decision {
            Decision::Branch(branch) => Choice::Branch { branch: *branch },
            Decision::Delay(amount) => Choice::Delay { delay: amount.to_string(), decimal: decimal(amount) },
            Decision::Value(value) => Choice::Value {
                value: value.as_ref().map(|value| Datum::new(types, value)),
                ty: value.as_ref().map(|value| type_name(types, types.type_of(value))),
            },
        };
        list.iter().map(choice).collect()
    }
}

/// The names of a system.
pub fn signature(system: &System) -> Signature {
    let types = system.types();
    let locations =
        |process: &Process| process.locations.iter().map(|location| location.name.clone()).collect();
    let variable = |var| VariableRecord {
        name: system.vars[var].name.clone(),
        ty: type_name(types, system.terms.var_type(var)),
        shown: system.vars[var].shown,
    };
    Signature {
        types: types
            .enums()
            .map(|(_, ty)| EnumRecord { name: ty.name.clone(), literals: ty.literals.clone() })
            .collect(),
        processes: shown(system)
            .map(|(_, process)| ProcessRecord { name: process.name.clone(), locations: locations(process) })
            .collect(),
        variables: system.state_vars().map(variable).collect(),
    }
}

/// A state by names.
pub fn state(system: &System, state: &State) -> StateRecord {
    let types = system.types();
    StateRecord {
        locations: locations(system, &state.locations),
        values: state
            .values
            .iter()
            .map(|value| value.as_ref().map(|value| Datum::new(types, value)))
            .collect(),
    }
}

/// Locations by names.
pub fn locations(system: &System, locations: &[LocationId]) -> Vec<String> {
    let name = |(id, process): (ProcessId, &Process)| process.locations[locations[id.index()]].name.clone();
    shown(system).map(name).collect()
}

/// Locations by names, and behind them those of hidden processes that are not where they started.
pub fn all_locations(system: &System, at: &[LocationId]) -> Vec<String> {
    let mut names = locations(system, at);
    names.extend(hidden(system).filter(|(id, _, place)| at[id.index()] == *place).map(|(_, name, _)| name));
    names
}

/// The locations that hidden processes can go to, with the names they have in files.
fn hidden(system: &System) -> impl Iterator<Item = (ProcessId, String, LocationId)> {
    let start = system.initial_locations();
    let unseen = |id: &ProcessId| !shown(system).any(|(other, _)| other == *id);
    system.processes.entries().filter(move |(id, _)| unseen(id)).flat_map(move |(id, process)| {
        let name = move |(at, location): (LocationId, &ir::Location)| {
            (id, format!("{}.{}", process.name, location.name), at)
        };
        let start = start[id.index()];
        process.locations.entries().filter(move |(at, _)| *at != start).map(name)
    })
}

/// The processes that the user wrote. The one that tells of faults is elsewhere only at the end of a run to
/// a fault, and then the run says so.
fn shown(system: &System) -> impl Iterator<Item = (ProcessId, &Process)> {
    let hidden = |id: ProcessId| system.processes[id].name.starts_with('$');
    system.processes.entries().filter(move |(id, _)| !hidden(*id))
}

/// A reader of files about one system; it refuses what the system does not have.
pub struct Lower<'a> {
    system: &'a System,
    types: Vec<Type>,
}

impl<'a> Lower<'a> {
    /// A reader, if the names of a file are those of `system`.
    pub fn new(system: &'a System, found: &Signature) -> Result<Self, String> {
        let expected = signature(system);
        if expected.variables != found.variables {
            let known = |name: &str| expected.variables.iter().any(|variable| variable.name == name);
            return Err(match found.variables.iter().find(|variable| !known(&variable.name)) {
                Some(stranger) => {
                    format!("it speaks of a variable `{}`, which the model does not have", stranger.name)
                }
                None => "its variables are not those of the model".to_owned(),
            });
        }
        if expected.types != found.types {
            return Err("its enumerations are not those of the model".to_owned());
        }
        if expected.processes != found.processes {
            return Err("its locations are not those of the model".to_owned());
        }
        Ok(Lower { system, types: system.state_vars().map(|var| system.terms.var_type(var)).collect() })
    }
    /// The run a trace tells of.
    pub fn run(&self, trace: &Trace) -> Result<Run, String> {
        let mut steps = vec![];
        for (number, step) in trace.steps.iter().enumerate() {
            let here = |why: String| format!("step {}: {why}", number + 1);
            steps.push(ir::Step {
                edges: step
                    .edges
                    .iter()
                    .map(|edge| self.edge(edge))
                    .collect::<Result<_, _>>()
                    .map_err(here)?,
                decisions: self.decisions(&step.decisions).map_err(here)?,
                state: self.state(&step.state).map_err(here)?,
            });
        }
        if let (Ends::Fault(_), Some(fault), Some(last)) = (&trace.ends, self.system.fault, steps.last_mut())
        {
            last.state.locations[fault.process.index()] = fault.location;
        }
        let here = |why: String| format!("initial state: {why}");
        Ok(Run {
            decisions: self.decisions(&trace.initial.decisions).map_err(here)?,
            initial: self.state(&trace.initial.state).map_err(here)?,
            steps,
            cycle: None,
        })
    }
    /// The state a record tells of.
    pub fn state(&self, record: &StateRecord) -> Result<State, String> {
        if record.locations.len() != shown(self.system).count() || record.values.len() != self.types.len() {
            return Err("the state has another number of locations or values than the model".to_owned());
        }
        let locations = self.locations(&record.locations);
        let mut values = Vec::with_capacity(self.types.len());
        for ((datum, ty), var) in record.values.iter().zip(&self.types).zip(self.system.state_vars()) {
            let value = datum.as_ref().map(|datum| {
                datum.value(self.system.types(), *ty).ok_or_else(|| {
                    let ty = type_name(self.system.types(), *ty);
                    format!(
                        "`{datum}` is no value of `{}`, which is of type {ty}",
                        self.system.vars[var].name
                    )
                })
            });
            values.push(value.transpose()?);
        }
        Ok(State { locations: locations?, values: values.into() })
    }
    /// The locations that these names tell of.
    pub fn locations(&self, names: &[String]) -> Result<Box<[LocationId]>, String> {
        let Some((own, others)) = names.split_at_checked(shown(self.system).count()) else {
            return Err("there are fewer locations than the model has processes".to_owned());
        };
        let no = |name: &String| format!("there is no location `{name}`");
        let mut locations = self.system.initial_locations();
        for ((id, process), name) in shown(self.system).zip(own) {
            let at = position(&process.locations, |location| location.name == *name);
            locations[id.index()] = at.ok_or_else(|| no(name))?;
        }
        for name in others {
            let found = hidden(self.system).find(|(_, known, _)| known == name);
            let (id, _, at) = found.ok_or_else(|| no(name))?;
            locations[id.index()] = at;
        }
        Ok(locations)
    }
    fn edge(&self, record: &EdgeRecord) -> Result<(ProcessId, ir::EdgeId), String> {
        let process = position(&self.system.processes, |process| process.name == record.process)
            .ok_or_else(|| format!("there is no process `{}`", record.process))?;
        let edges = &self.system.processes[process].edges;
        let edge = edges.ids().nth(record.edge as usize).filter(|edge| edges[*edge].label == record.label);
        let edge =
            edge.ok_or_else(|| format!("the model has no `{}` with number {}", record.label, record.edge))?;
        Ok((process, edge))
    }
    fn decisions(&self, list: &[Choice]) -> Result<Vec<Decision>, String> {
        let types = self.system.types();
        let decision = |choice: &Choice| match choice {
            Choice::Branch { branch } => Ok(Decision::Branch(*branch)),
            Choice::Delay { delay, .. } => {
                delay.parse().map(Decision::Delay).map_err(|_| format!("`{delay}` is no amount of time"))
            }
            Choice::Value { value: None, .. } => Ok(Decision::Value(None)),
            Choice::Value { value: Some(datum), ty } => {
                let ty = ty.as_deref().unwrap_or("");
                let known = self.system.vars.ids().map(|var| self.system.terms.var_type(var));
                let value = known.into_iter().find(|known| type_name(types, *known) == ty);
                let value = value.and_then(|ty| datum.value(types, ty));
                value
                    .map(|value| Decision::Value(Some(value)))
                    .ok_or_else(|| format!("`{datum}` is no value of type `{ty}`"))
            }
        };
        list.iter().map(decision).collect()
    }
}

fn position<I: Id, T>(items: &IdVec<I, T>, is: impl Fn(&T) -> bool) -> Option<I> {
    items.entries().find(|(_, item)| is(item)).map(|(id, _)| id)
}
