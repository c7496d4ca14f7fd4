//! Reading such a document: its edges and values are followed by the rules of the model.

use std::collections::HashMap;

use engine::zone::symbolic::{self, Astray, Waypoint};
use engine::{Reason, Stop};
use ir::{EdgeId, Id, LocationId, ProcessId, State, System};
use lang::Question;
use roxmltree::{Document, Node, ParsingOptions};

use super::{Names, UppaalError, possible, value};
use crate::load::Model;
use crate::pose::{Posed, Scope, pose};
use crate::trace::lift::Lift;
use crate::trace::{Ends, Mismatch, Place, Trace};

/// The run that a document tells of, with exact times of its own.
///
/// # Errors
/// If it is no such document, or tells of no run of the model, or `stop` is requested.
pub fn parse(model: &Model, text: &str, stop: &Stop) -> Result<Trace, UppaalError> {
    let mut system = model.system().clone();
    let never = ir::Question::never(&mut system.terms);
    read(model, &system, &never, text, stop)
}

/// The same, with times at which the run decides a question, if there are any.
///
/// # Errors
/// As those of [`parse`].
pub fn parse_for(model: &Model, asked: &Question, text: &str, stop: &Stop) -> Result<Trace, UppaalError> {
    let Ok(Posed { mut system, properties, .. }) = pose(model, &[asked], &Scope::default()) else {
        return parse(model, text, stop);
    };
    let searched = properties.first().map(|property| system.question(property.claim));
    match searched {
        Some(searched @ ir::Question::Reach(_)) if asked.values.is_empty() => {
            match read(model, &system, &searched, text, stop) {
                // Not every question can be asked of zones.
                Err(UppaalError::Unknown(Reason::Unsupported(_))) => parse(model, text, stop),
                read => read,
            }
        }
        _ => parse(model, text, stop),
    }
}

/// The run that a document tells of, in a system of the model, with times at which what is searched for happens at its
/// end, if there are any.
fn read(
    model: &Model,
    system: &System,
    searched: &ir::Question,
    text: &str,
    stop: &Stop,
) -> Result<Trace, UppaalError> {
    possible(model)?;
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| UppaalError::Damaged(format!("it is no well-formed XML: {error}")))?;
    let names = Names::new(model);
    let reader = Reader::new(&names, document.root_element())?;
    let way = reader.way()?;
    let run = symbolic::follow_to(system, &way, searched, stop).map_err(|astray| match astray {
        Astray::Nowhere(0) => Mismatch::Start.into(),
        Astray::Nowhere(number) => reader.impossible(number),
        Astray::Unknown(reason) => UppaalError::Unknown(reason),
    })?;
    let run = run.run(system, stop).map_err(UppaalError::Unknown)?;
    Ok(Lift::new(model, system).trace(&run, None, Ends::Anywhere))
}

/// A document, and what its names mean in the model.
struct Reader<'m, 'd> {
    names: &'m Names<'m>,
    /// The first node.
    start: &'d str,
    transitions: Vec<Node<'d, 'd>>,
    /// The elements that others refer to, by kind and name.
    parts: HashMap<(&'d str, &'d str), Node<'d, 'd>>,
    locations: HashMap<String, (ProcessId, LocationId)>,
}

impl<'m, 'd> Reader<'m, 'd> {
    fn new(names: &'m Names<'m>, root: Node<'d, 'd>) -> Result<Self, UppaalError> {
        if !root.has_tag_name("trace") {
            return Err(damaged(format!("a `trace` is expected, not a `{}`", root.tag_name().name())));
        }
        let start = attribute(root, "initial_node")?;
        let elements = root.descendants().filter(Node::is_element);
        let part = |node: Node<'d, 'd>| Some(((node.tag_name().name(), node.attribute("id")?), node));
        let mut locations = HashMap::new();
        for process in names.processes() {
            for (at, location) in names.system.processes[process].locations.entries() {
                for name in [&location.name, &names.location(process, at)] {
                    locations.insert(names.id(Some(process), name), (process, at));
                }
            }
        }
        Ok(Reader {
            names,
            start,
            transitions: root.children().filter(|child| child.has_tag_name("transition")).collect(),
            parts: elements.filter_map(part).collect(),
            locations,
        })
    }
    /// The states in order.
    fn way(&self) -> Result<Vec<Waypoint>, UppaalError> {
        let (mut at, mut way) = (self.start, vec![]);
        let state = self.state(at).map_err(|error| error.at(Place::Initial))?;
        way.push(Waypoint { edges: vec![], state });
        for (number, transition) in (1..).zip(&self.transitions) {
            if attribute(*transition, "from")? != at {
                return Err(damaged(format!(
                    "transition {number} does not start where the one before it ends"
                )));
            }
            at = attribute(*transition, "to")?;
            let edges = attribute(*transition, "edges")?.split_whitespace().map(|id| self.edge(id));
            let here = |error: Wrong| error.at(Place::Step(number));
            let edges = edges.collect::<Result<_, _>>().map_err(here)?;
            way.push(Waypoint { edges, state: self.state(at).map_err(here)? });
        }
        Ok(way)
    }
    fn part(&self, kind: &'d str, id: &'d str) -> Result<Node<'d, 'd>, Wrong> {
        let missing = || Wrong::Damaged(format!("there is no `{kind}` called `{id}`"));
        self.parts.get(&(kind, id.trim())).copied().ok_or_else(missing)
    }
    fn location(&self, id: &str) -> Result<(ProcessId, LocationId), Wrong> {
        self.locations.get(id).copied().ok_or_else(|| Mismatch::Location(id.to_owned()).into())
    }
    fn state(&self, node: &'d str) -> Result<State, Wrong> {
        let system = self.names.system;
        let node = self.part("node", node)?;
        let mut locations = system.initial_locations();
        let vector = self.part("location_vector", attribute(node, "location_vector")?)?;
        for id in attribute(vector, "locations")?.split_whitespace() {
            let (process, location) = self.location(id)?;
            locations[process.index()] = location;
        }
        let mut numbers: HashMap<&str, i64> = HashMap::new();
        let vector = self.part("variable_vector", attribute(node, "variable_vector")?)?;
        for child in vector.children().filter(|child| child.has_tag_name("variable_state")) {
            let (name, said) = (attribute(child, "variable")?, attribute(child, "value")?);
            let wrong = || Wrong::Damaged(format!("`{said}` is no value of `{name}`"));
            numbers.insert(name, said.trim().parse().map_err(|_| wrong())?);
        }
        let mut given: Vec<Vec<Option<i64>>> = vec![vec![]; system.state_vars().count()];
        for entry in &self.names.entries {
            let id = self.names.id(entry.process, &entry.name);
            given[entry.slot].push(numbers.remove(id.as_str()));
        }
        // What is left are names that the model has no variables for: parameters and the like.
        let types = system.state_vars().map(|var| system.terms.var_type(var));
        let values = types.zip(given).map(|(ty, given)| value(system.types(), ty, &mut given.into_iter()));
        Ok(State { locations, values: values.collect() })
    }
    /// The process that takes an edge, and the edges that it may be, those with the same labels first.
    fn edge(&self, id: &'d str) -> Result<(ProcessId, Vec<EdgeId>), Wrong> {
        let node = self.part("edge", id)?;
        let (process, from) = self.location(attribute(node, "from")?)?;
        let (owner, to) = self.location(attribute(node, "to")?)?;
        if owner != process {
            return Err(Wrong::Damaged(format!("`{id}` leads from one process to another")));
        }
        let said = ["guard", "sync", "update"].map(|kind| {
            let label = node.children().find(|child| child.has_tag_name(kind));
            label.and_then(|label| label.text()).unwrap_or_default().trim().to_owned()
        });
        let edges = self.names.system.processes[process].edges.entries();
        let fitting = edges.filter(|(_, edge)| (edge.source, edge.target) == (from, to));
        let mut fitting: Vec<EdgeId> = fitting.map(|(id, _)| id).collect();
        fitting.sort_by_key(|edge| self.names.labels((process, *edge)) != said);
        Ok((process, fitting))
    }
    /// That the edges of a transition cannot be taken.
    fn impossible(&self, number: usize) -> UppaalError {
        let edges = self.transitions[number - 1].attribute("edges").unwrap_or_default();
        let titles: Vec<String> = edges.split_whitespace().map(|id| self.title(id)).collect();
        Mismatch::Impossible(titles.join(", ")).at(Place::Step(number)).into()
    }
    /// What an edge is called, whatever is chosen.
    fn title(&self, id: &'d str) -> String {
        let known = self.edge(id).ok().and_then(|(process, fitting)| Some((process, *fitting.first()?)));
        let view = self.names.model.view();
        match known.map(|edge| (edge, view.labels.get(&edge))) {
            Some((_, Some(labels))) => labels.title.clone(),
            Some((edge, None)) => view.title(self.names.system, edge),
            None => id.to_owned(),
        }
    }
}

/// What is wrong somewhere in a document.
enum Wrong {
    Damaged(String),
    Misfit(Mismatch),
}

impl Wrong {
    fn at(self, place: Place) -> UppaalError {
        match self {
            Wrong::Damaged(why) => UppaalError::Damaged(why),
            Wrong::Misfit(what) => what.at(place).into(),
        }
    }
}

impl From<Mismatch> for Wrong {
    fn from(what: Mismatch) -> Self {
        Wrong::Misfit(what)
    }
}

impl From<Wrong> for UppaalError {
    fn from(wrong: Wrong) -> Self {
        wrong.at(Place::File)
    }
}

fn damaged(why: String) -> UppaalError {
    UppaalError::Damaged(why)
}

fn attribute<'d>(node: Node<'d, 'd>, name: &str) -> Result<&'d str, Wrong> {
    let missing = || Wrong::Damaged(format!("a `{}` has no `{name}`", node.tag_name().name()));
    node.attribute(name).ok_or_else(missing)
}
