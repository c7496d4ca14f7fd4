//! What can be seen of a stable state (8), by the names of the model.

use std::collections::BTreeMap;

use lang::gamma::ast::*;

use super::{Model, Side, Slot, State, Value};

/// The positions of arrays that are looked at.
pub const POSITIONS: std::ops::RangeInclusive<i64> = -1..=4;

/// A value, the fields of records one by one and arrays at a few positions.
fn flatten(name: String, value: &Value, seen: &mut Observation) {
    match value {
        Value::Record(fields) => {
            for (field, value) in fields {
                flatten(format!("{name}.{field}"), value, seen);
            }
        }
        Value::Array(..) => {
            let entry = |at: i64| value.at(at.into()).map_or("?".to_owned(), |value| value.to_string());
            seen.insert(name, POSITIONS.map(entry).collect::<Vec<_>>().join(" "));
        }
        value => drop(seen.insert(name, value.to_string())),
    }
}

/// What is seen, by what is looked at: `region a.b.main`, `variable a.b.x`, `out a.b.port.event`, or `sent` if that does
/// not leave the system.
pub type Observation = BTreeMap<String, String>;

impl Model {
    fn dotted(&self, part: usize, names: &[Ident]) -> String {
        let path = self.parts[part].path.iter().map(String::as_str);
        path.chain(names.iter().map(|it| self.ast.text(*it))).collect::<Vec<_>>().join(".")
    }
    pub fn observe(&self, state: &State) -> Observation {
        let ast = &self.ast;
        let mut seen = Observation::new();
        for (slot, value) in state {
            match (slot, value) {
                (Slot::Region(leaf, region), Value::Node(node)) => {
                    let name = format!("region {}", self.dotted(*leaf, &[ast.regions[*region].ident]));
                    let shown = node.map_or("-", |node| ast.text(ast.nodes[node].ident));
                    seen.insert(name, shown.to_owned());
                }
                (Slot::Variable(leaf, variable), value) => {
                    let name = format!("variable {}", self.dotted(*leaf, &[ast.variables[*variable].ident]));
                    flatten(name, value, &mut seen);
                }
                (Slot::Flag(side @ (Side::Out | Side::Environment), leaf, port, event), value) => {
                    let word = match side {
                        Side::Out if self.outer(*leaf, *port).is_empty() => "sent",
                        Side::Out => "out",
                        _ => "in",
                    };
                    let names = [ast.ports[*port].ident, ast.events[*event].ident];
                    let path = if *side == Side::Out {
                        self.dotted(*leaf, &names)
                    } else {
                        names.map(|it| ast.text(it)).join(".")
                    };
                    let raised = *value == Value::Bool(true);
                    seen.insert(format!("{word} {path}"), raised.to_string());
                    for (at, param) in ast.events[*event].params.iter().enumerate() {
                        let value = &state[&Slot::Parameter(*side, *leaf, *port, *event, at)];
                        let name = format!("{word} {path}::{}", ast.text(ast.params[*param].ident));
                        // Of what was not raised, nobody asks for values.
                        if raised {
                            flatten(name, value, &mut seen);
                        }
                    }
                }
                _ => {}
            }
        }
        seen
    }
    /// What goes out of the system: by the names of its ports and events, with the values.
    pub fn outputs(&self, state: &State) -> BTreeMap<(String, String), Vec<Value>> {
        let mut found = BTreeMap::new();
        for (slot, value) in state {
            if let Slot::Flag(Side::Out, leaf, port, event) = slot
                && *value == Value::Bool(true)
            {
                let values = (0..self.ast.events[*event].params.len())
                    .map(|at| state[&Slot::Parameter(Side::Out, *leaf, *port, *event, at)].clone())
                    .collect::<Vec<_>>();
                let event = self.ast.text(self.ast.events[*event].ident).to_owned();
                for port in self.outer(*leaf, *port) {
                    let port = self.ast.text(self.ast.ports[port].ident).to_owned();
                    found.insert((port, event.clone()), values.clone());
                }
            }
        }
        found
    }
    /// The ports of the system that a port of a part is bound to.
    fn outer(&self, part: usize, port: PortId) -> Vec<PortId> {
        use super::compose::Stage;
        let Some(around) = self.parts[part].parent else { return vec![port] };
        if let Ok(ways) = self.ways(part, port)
            && ways.iter().any(|way| matches!(way, Stage::Sent(..)))
        {
            return self.outer(around, port);
        }
        let component = self.parts[around].component;
        let mut found = vec![];
        for outer in self.ports(component) {
            if self.bound(around, outer).is_ok_and(|inner| inner.contains(&(part, port))) {
                found.extend(self.outer(around, outer));
            }
        }
        found
    }
}
