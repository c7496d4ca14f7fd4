//! Writing a run: its discrete states are followed with zones, and what occurs gets a name.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use engine::Stop;
use engine::zone::symbolic::{self, Astray, SymbolicStep, Waypoint};
use ir::{EdgeId, Id, LocationId, ProcessId, State};
use lang::xml::escaped;

use super::{Names, UppaalError, number, possible};
use crate::load::Model;
use crate::trace::{EdgeRecord, Ends, Mismatch, Place, StateRecord, Trace};

/// A run of a model as such a document. Of a run that goes wrong, the step that does has no place in it, and is left out.
///
/// # Errors
/// If it has no such form, or `stop` is requested.
pub fn render(model: &Model, trace: &Trace, stop: &Stop) -> Result<String, UppaalError> {
    possible(model)?;
    if trace.cycle.is_some() {
        return Err(UppaalError::Endless);
    }
    let names = Names::new(model);
    let way = way(&names, trace)?;
    let run = symbolic::follow(names.system, &way, stop).map_err(|astray| match astray {
        Astray::Nowhere(0) => Mismatch::Start.into(),
        Astray::Nowhere(number) => Mismatch::NoExecution.at(Place::Step(number)).into(),
        Astray::Unknown(reason) => UppaalError::Unknown(reason),
    })?;
    Ok(document(&names, &run.steps))
}

/// The discrete states of a trace, with the edges between them.
fn way(names: &Names<'_>, trace: &Trace) -> Result<Vec<Waypoint>, UppaalError> {
    let whole =
        trace.steps.len() - usize::from(matches!(trace.ends, Ends::Fault(_)) && !trace.steps.is_empty());
    let at = |number: usize| if number == 0 { Place::Initial } else { Place::Step(number) };
    let mut way = vec![];
    for (number, record) in trace.states().take(whole + 1).enumerate() {
        let here = |what: Mismatch| what.at(at(number));
        let edges = number.checked_sub(1).map_or(&[][..], |step| &trace.steps[step].edges);
        let edges = edges.iter().map(|record| edge(names, record).map_err(here));
        let edges = edges.map(|edge| edge.map(|(process, edge)| (process, vec![edge])));
        let state = state(names, trace, record).map_err(here)?;
        way.push(Waypoint { edges: edges.collect::<Result<_, _>>()?, state });
    }
    Ok(way)
}

fn edge(names: &Names<'_>, record: &EdgeRecord) -> Result<(ProcessId, EdgeId), Mismatch> {
    let process = names.processes().find(|id| names.system.processes[*id].name == record.process);
    let process = process.ok_or_else(|| Mismatch::Process(record.process.clone()))?;
    let mut edges = names.system.processes[process].edges.entries();
    let known = edges.nth(record.edge as usize).filter(|(_, edge)| edge.label == record.label);
    let (edge, _) = known.ok_or_else(|| Mismatch::Edge(record.title.clone()))?;
    Ok((process, edge))
}

/// A discrete state by the names in a trace, which may have more variables than the model.
fn state(names: &Names<'_>, trace: &Trace, record: &StateRecord) -> Result<State, Mismatch> {
    let system = names.system;
    let mut locations = system.initial_locations();
    for (process, name) in names.processes().zip(&record.locations) {
        let mut known = system.processes[process].locations.entries();
        let found = known.find(|(_, location)| location.name == *name);
        locations[process.index()] = found.ok_or_else(|| Mismatch::Location(name.clone()))?.0;
    }
    let said = |var| {
        let at = trace.signature.variables.iter().position(|known| known.name == system.vars[var].name)?;
        record.values.get(at)?.as_ref()?.value(system.types(), system.terms.var_type(var))
    };
    Ok(State { locations, values: system.state_vars().map(said).collect() })
}

fn document(names: &Names<'_>, steps: &[SymbolicStep]) -> String {
    let taken = Taken::new(steps);
    let [mut locations, mut variables, mut zones] = [(); 3].map(|()| Numbered::default());
    let (mut nodes, mut transitions) = (String::new(), String::new());
    for (number, step) in (1..).zip(steps) {
        let location = locations.number(location_vector(names, &step.state));
        let variable = variables.number(variable_vector(names, &step.state));
        let zone = zones.number(dbm(names, step));
        let _ = writeln!(
            nodes,
            "<node id=\"State{number}\" location_vector=\"LocVec{location}\" dbm_instance=\"DBM{zone} \" \
             variable_vector=\"varvec.{variable}\"/>"
        );
        if number > 1 {
            let edges = step.edges().iter().map(|edge| escaped(&taken.id(names, *edge)) + " ");
            let (before, edges) = (number - 1, edges.collect::<String>());
            let _ = writeln!(
                transitions,
                "<transition from=\"State{before}\" to=\"State{number}\" edges=\"{edges}\"/>"
            );
        }
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<trace initial_node=\"State1\" trace_options=\"symbolic\">\n\
         {}{}{}{nodes}{}{transitions}</trace>\n",
        system(names, steps, &taken),
        locations.elements("location_vector", "LocVec"),
        variables.elements("variable_vector", "varvec."),
        zones.elements("dbm_instance", "DBM"),
    )
}

/// The edges of a run, in the order in which they are first taken.
struct Taken {
    edges: Vec<(ProcessId, EdgeId)>,
}

impl Taken {
    fn new(steps: &[SymbolicStep]) -> Self {
        let mut edges = vec![];
        for edge in steps.iter().flat_map(SymbolicStep::edges) {
            if !edges.contains(edge) {
                edges.push(*edge);
            }
        }
        Taken { edges }
    }
    /// Those of a process.
    fn of(&self, process: ProcessId) -> impl Iterator<Item = (ProcessId, EdgeId)> {
        self.edges.iter().copied().filter(move |(owner, _)| *owner == process)
    }
    fn id(&self, names: &Names<'_>, edge: (ProcessId, EdgeId)) -> String {
        let number = self.of(edge.0).take_while(|other| *other != edge).count() + 1;
        names.id(Some(edge.0), &format!("Edge{number}"))
    }
}

/// Vectors of one kind, numbered from 1 as they come: attributes after the name, and content.
#[derive(Default)]
struct Numbered {
    known: HashMap<(String, String), usize>,
    list: Vec<(String, String)>,
}

impl Numbered {
    fn number(&mut self, vector: (String, String)) -> usize {
        let next = self.list.len() + 1;
        let number = *self.known.entry(vector.clone()).or_insert(next);
        if number == next {
            self.list.push(vector);
        }
        number
    }
    fn elements(&self, tag: &str, prefix: &str) -> String {
        let element = |(number, (attributes, content)): (usize, &(String, String))| {
            let start = format!("<{tag} id=\"{prefix}{number}\"{attributes}");
            match content.is_empty() {
                true => format!("{start}/>\n"),
                false => format!("{start}>\n{content}</{tag}>\n"),
            }
        };
        (1..).zip(&self.list).map(element).collect()
    }
}

/// What occurs in a run.
fn system(names: &Names<'_>, steps: &[SymbolicStep], taken: &Taken) -> String {
    let mut out = String::from("<system>\n<clock name=\"t(0)\" id=\"sys.t(0)\"/>\n");
    declared(names, None, &mut out);
    for process in names.processes() {
        let name = escaped(&names.process(process));
        let _ = writeln!(out, "<process id=\"{name}\" name=\"{name}\">");
        declared(names, Some(process), &mut out);
        let visited: BTreeSet<LocationId> =
            steps.iter().map(|step| step.state.locations[process.index()]).collect();
        for location in visited {
            let name = names.location(process, location);
            let written = names.model.view().invariants.get(&(process, location));
            let invariant = names.written(written.map_or(&[], Vec::as_slice), " && ");
            let (id, name) = (escaped(&names.id(Some(process), &name)), escaped(&name));
            let _ = writeln!(out, "<location id=\"{id}\" name=\"{name}\">{}</location>", escaped(&invariant));
        }
        for edge in taken.of(process) {
            let body = &names.system.processes[process].edges[edge.1];
            let end = |at: LocationId| escaped(&names.id(Some(process), &names.location(process, at)));
            let (id, from, to) = (escaped(&taken.id(names, edge)), end(body.source), end(body.target));
            let [guard, sync, update] = names.labels(edge).map(|label| escaped(&label));
            let _ = writeln!(
                out,
                "<edge id=\"{id}\" from=\"{from}\" to=\"{to}\">\
                 <guard>{guard}</guard><sync>{sync}</sync><update>{update}</update></edge>"
            );
        }
        out.push_str("</process>\n");
    }
    out + "</system>\n"
}

/// The clocks and variables of a process, or the global ones.
fn declared(names: &Names<'_>, owner: Option<ProcessId>, out: &mut String) {
    let mut declare = |kind: &str, name: &str| {
        let (id, name) = (escaped(&names.id(owner, name)), escaped(name));
        let _ = writeln!(out, "<{kind} name=\"{name}\" id=\"{id}\"/>");
    };
    for (_, name) in names.clocks().iter().filter(|(process, _)| *process == owner) {
        declare("clock", name);
    }
    for entry in names.entries.iter().filter(|entry| entry.process == owner) {
        declare("variable", &entry.name);
    }
}

fn location_vector(names: &Names<'_>, state: &State) -> (String, String) {
    let id = |process: ProcessId| {
        let name = names.location(process, state.locations[process.index()]);
        escaped(&names.id(Some(process), &name)) + " "
    };
    (format!(" locations=\"{}\"", names.processes().map(id).collect::<String>()), String::new())
}

fn variable_vector(names: &Names<'_>, state: &State) -> (String, String) {
    let mut content = String::new();
    for entry in &names.entries {
        if let Some(number) = state.values[entry.slot].as_ref().and_then(|value| number(value, &entry.at)) {
            let id = escaped(&names.id(entry.process, &entry.name));
            let _ = writeln!(content, "<variable_state variable=\"{id}\" value=\"{number}\"/>");
        }
    }
    (String::new(), content)
}

fn dbm(names: &Names<'_>, step: &SymbolicStep) -> (String, String) {
    let own = names.clocks();
    let own = own.iter().map(|(process, name)| escaped(&names.id(*process, name)));
    let clocks: Vec<String> = std::iter::once("sys.t(0)".to_owned()).chain(own).collect();
    let mut content = String::new();
    for (plus, left) in clocks.iter().enumerate() {
        for (minus, right) in clocks.iter().enumerate() {
            let (bound, comp) = match step.bound(plus, minus) {
                Some((bound, false)) => (bound.to_string(), "&lt;="),
                Some((bound, true)) => (bound.to_string(), "&lt;"),
                None => ("inf".to_owned(), "&lt;"),
            };
            let _ = writeln!(
                content,
                "<clockbound clock1=\"{left}\" clock2=\"{right}\" bound=\"{bound}\" comp=\"{comp}\"/>"
            );
        }
    }
    (String::new(), content)
}
