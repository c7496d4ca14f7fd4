//! Instances, bindings and channels: how events travel and synchronous components run (5, 5.1, 5.2).

use lang::gamma::ast::*;

use super::names::Kind;
use super::{Machine, Maybe, Model, Side, Slot, Value, unable};

/// Where an event comes to on its way.
#[derive(Copy, Clone, Debug)]
pub enum Stage {
    /// The ports of the system.
    System,
    /// It goes out of what an adapter wraps, and travels when the activation ends.
    Sent(usize, PortId),
    /// Through a channel of the first part to a port of the second one.
    Arrives(usize, usize, PortId),
}

impl Model {
    pub fn composite(&self, part: usize) -> &Composite {
        match &self.ast.components[self.parts[part].component].kind {
            ComponentKind::Composite(composite) => composite,
            other => panic!("{other:?} is no composition"),
        }
    }
    pub fn children(&self, part: usize) -> Vec<usize> {
        match &self.parts[part].kind {
            Kind::Composite(children) => children.clone(),
            other => panic!("{other:?} has no children"),
        }
    }
    /// The instance of a composition that is called so.
    pub fn instance(&self, part: usize, name: RefId) -> Maybe<usize> {
        let name = self.ast.ref_text(name);
        let found = self
            .children(part)
            .into_iter()
            .find(|it| self.parts[*it].path.last().is_some_and(|it| it == name));
        found.map_or_else(|| unable(format!("no instance {name}")), Ok)
    }
    fn end(&self, part: usize, end: InstancePort) -> Maybe<(usize, PortId)> {
        let instance = self.instance(part, end.instance)?;
        Ok((instance, self.port(self.parts[instance].component, self.ast.ref_text(end.port))?))
    }
    /// Where what goes out of a port of a part comes to, in order of bindings, channels and receivers.
    pub fn ways(&self, part: usize, port: PortId) -> Maybe<Vec<Stage>> {
        let Some(around) = self.parts[part].parent else { return Ok(vec![Stage::System]) };
        if self.parts[around].kind == Kind::Adapter(part) || self.parts[around].kind == Kind::Implied(part) {
            return Ok(vec![Stage::Sent(around, port)]);
        }
        let composite = self.composite(around);
        let mut found = vec![];
        for binding in &composite.bindings {
            if self.end(around, binding.inner)? == (part, port) {
                let outer = self.port(self.parts[around].component, self.ast.ref_text(binding.port))?;
                found.extend(self.ways(around, outer)?);
            }
        }
        for channel in &composite.channels {
            let provided = self.end(around, channel.provided)?;
            for required in &channel.required {
                let required = self.end(around, *required)?;
                if provided == (part, port) {
                    found.push(Stage::Arrives(around, required.0, required.1));
                }
                if required == (part, port) {
                    found.push(Stage::Arrives(around, provided.0, provided.1));
                }
            }
        }
        Ok(found)
    }
    /// The ports of instances that a port of a composition is bound to.
    pub fn bound(&self, part: usize, port: PortId) -> Maybe<Vec<(usize, PortId)>> {
        let mut found = vec![];
        for binding in &self.composite(part).bindings {
            if self.port(self.parts[part].component, self.ast.ref_text(binding.port))? == port {
                found.push(self.end(part, binding.inner)?);
            }
        }
        Ok(found)
    }
    /// The order in which instances run.
    pub fn order(&self, part: usize, list: &[RefId]) -> Maybe<Vec<usize>> {
        if list.is_empty() {
            return Ok(self.children(part));
        }
        list.iter().map(|name| self.instance(part, *name)).collect()
    }
    /// The leaves and adapters that an event comes to which comes in at a port of a part, with the event there.
    pub fn receivers(&self, part: usize, port: PortId, event: &str) -> Maybe<Vec<(usize, PortId, EventId)>> {
        if let Kind::Composite(_) = self.parts[part].kind {
            let mut found = vec![];
            for (inner, port) in self.bound(part, port)? {
                found.extend(self.receivers(inner, port, event)?);
            }
            return Ok(found);
        }
        let known = self.events(port);
        let fits = |(id, direction): &(EventId, Direction)| {
            matches!(direction, Direction::In | Direction::InOut)
                && self.ast.text(self.ast.events[*id].ident) == event
        };
        Ok(known.into_iter().find(fits).map(|(id, _)| (part, port, id)).into_iter().collect())
    }
}

impl Machine<'_, '_> {
    /// A leaf raises an event (2, 3, 5).
    pub fn raise(&mut self, leaf: usize, port: PortId, event: EventId, values: &[Value]) {
        let model = self.model;
        let direction = model.events(port).into_iter().find(|(it, _)| *it == event).map(|(_, it)| it);
        if direction == Some(Direction::Internal) {
            self.put(Side::Raised, leaf, (port, event), values);
            return;
        }
        self.put(Side::Out, leaf, (port, event), values);
        let name = model.ast.text(model.ast.events[event].ident);
        for way in model.ways(leaf, port).expect("ports are known") {
            match way {
                Stage::System => {}
                Stage::Sent(adapter, port) => {
                    let (event, _) = model.event(port, name).expect("an event by its name");
                    self.put(Side::Sent(adapter), adapter, (port, event), values);
                }
                Stage::Arrives(around, part, port) => {
                    let at_once = self.starting || model.composite(around).kind != CompositeKind::Sync;
                    let side = if at_once { Side::In } else { Side::Next(around) };
                    for (leaf, port, event) in model.receivers(part, port, name).expect("ports are known") {
                        self.put(side, leaf, (port, event), values);
                    }
                }
            }
        }
    }
    fn put(&mut self, side: Side, part: usize, event: (PortId, EventId), values: &[Value]) {
        self.set_parameters(side, part, event, values);
        self.set_flag(side, part, event, true);
    }
    /// Takes what is on this side away: the events with their values.
    pub fn take(&mut self, side: Side) -> Vec<(usize, PortId, EventId, Vec<Value>)> {
        let slots: Vec<Slot> = self.state.keys().copied().collect();
        let mut found = vec![];
        for slot in &slots {
            if let Slot::Flag(it, part, port, event) = slot
                && *it == side
            {
                found.push((*part, *port, *event, vec![]));
                self.state.remove(slot);
            }
        }
        for slot in &slots {
            if let Slot::Parameter(it, part, port, event, _) = slot
                && *it == side
            {
                let value = self.state.remove(slot).expect("it was there");
                let whose =
                    found.iter_mut().find(|entry| (entry.0, entry.1, entry.2) == (*part, *port, *event));
                whose.expect("parameters have a flag").3.push(value);
            }
        }
        found
    }

    /// One cycle of a synchronous part.
    pub fn run(&mut self, part: usize) -> Maybe<()> {
        let model = self.model;
        match &model.parts[part].kind {
            Kind::Leaf => self.cycle(part),
            Kind::Composite(children) => match model.composite(part).kind {
                CompositeKind::Sync => {
                    for child in children {
                        self.run(*child)?;
                    }
                    for (leaf, port, event, values) in self.take(Side::Next(part)) {
                        self.put(Side::In, leaf, (port, event), &values);
                    }
                    Ok(())
                }
                CompositeKind::Cascade => {
                    for child in model.order(part, &model.composite(part).execution)? {
                        self.run(child)?;
                    }
                    Ok(())
                }
                _ => unable("a cycle of something asynchronous"),
            },
            _ => unable("a cycle of an adapter"),
        }
    }

    /// Initialises all leaves of a part, and then runs `initial execute` lists (5).
    pub fn initialise(&mut self, part: usize) -> Maybe<()> {
        let leaves = self.model.leaves(part);
        self.starting = true;
        for leaf in &leaves {
            self.leaf_variables(*leaf)?;
        }
        let mut plans = vec![];
        for leaf in &leaves {
            plans.push(self.leaf_states(*leaf)?);
        }
        for (leaf, plan) in leaves.iter().zip(&plans) {
            self.entered(*leaf, plan)?;
        }
        for leaf in &leaves {
            self.invariants(*leaf)?;
        }
        for leaf in &leaves {
            for port in self.model.ports(self.model.parts[*leaf].component) {
                for (event, _) in self.model.events(port) {
                    self.deliver_internal(*leaf, (port, event));
                }
            }
        }
        self.starting = false;
        self.initially(part)
    }
    fn initially(&mut self, part: usize) -> Maybe<()> {
        let model = self.model;
        match &model.parts[part].kind {
            Kind::Leaf => Ok(()),
            Kind::Adapter(inner) | Kind::Implied(inner) => self.initially(*inner),
            Kind::Composite(children) => {
                for child in children {
                    self.initially(*child)?;
                }
                for name in &model.composite(part).initial_execution {
                    let child = model.instance(part, *name)?;
                    match model.composite(part).kind {
                        CompositeKind::Sync | CompositeKind::Cascade => self.run(child)?,
                        _ => self.activate_part(child)?,
                    }
                }
                Ok(())
            }
        }
    }
}
