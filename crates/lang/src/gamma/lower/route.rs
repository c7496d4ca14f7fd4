//! Where an event goes that is raised: along bindings outwards, over a channel, along bindings inwards.

use super::super::ast::*;
use super::super::instance::{PartId, PartKind, Tree, namesake};
use super::super::project::Project;

/// Where an event arrives.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Arrival {
    /// At a port of a leaf.
    Leaf(PartId, PortId, EventId),
    /// At a port of an adapter, as a message.
    Message(PartId, PortId, EventId),
    /// It goes out of what an adapter wraps, and travels on after the activation.
    Pending(PartId, PortId, EventId),
    /// At a port of the system.
    System(PortId, EventId),
}

/// A way of an event.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Route {
    pub(crate) arrival: Arrival,
    /// The `sync` composition whose channel it went over, at the end of whose cycle it arrives.
    pub(crate) through: Option<PartId>,
}

/// Where an event arrives that goes out of a part at a port.
pub(crate) fn outward(
    project: &Project,
    tree: &Tree,
    part: PartId,
    port: PortId,
    event: EventId,
) -> Vec<Route> {
    let mut routes = vec![];
    Ways { project, tree, routes: &mut routes }.outward(part, port, event);
    routes
}

/// Where an event arrives that comes in at a part.
pub(crate) fn inward(
    project: &Project,
    tree: &Tree,
    part: PartId,
    port: PortId,
    event: EventId,
) -> Vec<Arrival> {
    let mut routes = vec![];
    Ways { project, tree, routes: &mut routes }.inward(part, port, event, None);
    routes.into_iter().map(|route| route.arrival).collect()
}

struct Ways<'a> {
    project: &'a Project,
    tree: &'a Tree,
    routes: &'a mut Vec<Route>,
}

impl Ways<'_> {
    fn outward(&mut self, part: PartId, port: PortId, event: EventId) {
        let Some(parent) = self.tree.parts[part].parent else {
            self.routes.push(Route { arrival: Arrival::System(port, event), through: None });
            return;
        };
        let outer = &self.tree.parts[parent];
        let PartKind::Composite(kind) = outer.kind else {
            self.routes.push(Route { arrival: Arrival::Pending(parent, port, event), through: None });
            return;
        };
        let ComponentKind::Composite(composite) = &self.project.ast.components[outer.component].kind else {
            return;
        };
        let through = (kind == CompositeKind::Sync).then_some(parent);
        let here = |end: &InstancePort| {
            self.tree.child(parent, self.project.instance(end.instance)) == part
                && self.project.port(end.port) == port
        };
        let mut ends = vec![];
        for channel in &composite.channels {
            if here(&channel.provided) {
                ends.extend(channel.required.iter().copied());
            }
            if channel.required.iter().any(here) {
                ends.push(channel.provided);
            }
        }
        let bound: Vec<PortId> = {
            let bindings = composite.bindings.iter().filter(|binding| here(&binding.inner));
            bindings.map(|binding| self.project.port(binding.port)).collect()
        };
        for end in ends {
            let (part, port) =
                (self.tree.child(parent, self.project.instance(end.instance)), self.project.port(end.port));
            self.inward(part, port, event, through);
        }
        for port in bound {
            if let Some(event) = namesake(self.project, port, event) {
                self.outward(parent, port, event);
            }
        }
    }
    fn inward(&mut self, part: PartId, port: PortId, event: EventId, through: Option<PartId>) {
        let Some(event) = namesake(self.project, port, event) else { return };
        if !self.project.direction(port, event).is_in() {
            return;
        }
        let here = &self.tree.parts[part];
        match here.kind {
            PartKind::Leaf => self.routes.push(Route { arrival: Arrival::Leaf(part, port, event), through }),
            PartKind::Adapter(_) => {
                self.routes.push(Route { arrival: Arrival::Message(part, port, event), through });
            }
            PartKind::Composite(_) => {
                let ComponentKind::Composite(composite) = &self.project.ast.components[here.component].kind
                else {
                    return;
                };
                for Binding { port: bound, inner } in &composite.bindings {
                    if self.project.port(*bound) == port {
                        let child = self.tree.child(part, self.project.instance(inner.instance));
                        self.inward(child, self.project.port(inner.port), event, through);
                    }
                }
            }
        }
    }
}
