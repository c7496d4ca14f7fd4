//! Steps of the system: its initialisation, the environment, and time (5 to 7).

use lang::gamma::ast::*;

use super::adapter::QueueOf;
use super::names::Kind;
use super::value::Message;
use super::{Machine, Maybe, Side, Slot, Value, unable};

/// What the environment does in a step.
#[derive(Clone, Debug)]
pub enum Input {
    /// Anything; integers are one of these.
    Free(Vec<i128>),
    /// These events with these values, by the names of ports and events of the system.
    Given(Vec<(String, String, Vec<Value>)>),
}

impl Machine<'_, '_> {
    pub fn start(&mut self) -> Maybe<()> {
        let model = self.model;
        for (part, it) in model.parts.iter().enumerate() {
            if !matches!(it.kind, Kind::Adapter(_) | Kind::Implied(_)) {
                continue;
            }
            for at in 0..model.queues(part)?.len() {
                self.state.insert(Slot::Queue(part, at), Value::Queue(vec![]));
            }
            for clock in model.adapter(part).map(|adapter| adapter.clocks.clone()).unwrap_or_default() {
                self.state.insert(Slot::Clock(part, clock), Value::Int(0));
            }
        }
        self.forget_environment()?;
        self.initialise(0)?;
        for adapter in model.adapters(0) {
            self.travel(adapter)?;
        }
        Ok(())
    }

    /// The events that come in at ports of the system.
    fn inputs(&self) -> Vec<(PortId, EventId)> {
        let mut found = vec![];
        for port in self.model.ports(self.model.parts[0].component) {
            for (event, direction) in self.model.events(port) {
                if matches!(direction, Direction::In | Direction::InOut) {
                    found.push((port, event));
                }
            }
        }
        found
    }
    fn forget_environment(&mut self) -> Maybe<()> {
        for (port, event) in self.inputs() {
            self.set_flag(Side::Environment, 0, (port, event), false);
            self.set_parameters(Side::Environment, 0, (port, event), &self.model.defaults(event)?);
        }
        Ok(())
    }

    /// One step (6).
    pub fn step(&mut self, input: &Input, elapsed: i128) -> Maybe<()> {
        let model = self.model;
        for (slot, value) in &mut self.state {
            if let Slot::Flag(Side::Out, ..) = slot {
                *value = Value::Bool(false);
            }
        }
        self.forget_environment()?;
        let adapters = model.adapters(0);
        if adapters.is_empty() {
            self.environment(input)?;
            self.elapse(elapsed)?;
            return self.run(0);
        }
        if adapters == [0] && model.is_direct(0)? {
            let queue = &model.queues(0)?[0];
            let inputs = self.queued(0, queue)?;
            let message = match input {
                Input::Free(integers) => {
                    if inputs.is_empty() {
                        return unable("a direct adapter that nothing comes to");
                    }
                    let (port, event) = inputs[self.tape.choose(inputs.len())];
                    (port, event, self.any_values(event, integers)?)
                }
                Input::Given(given) => {
                    let [(port, event, values)] = &given[..] else { return unable("not one event") };
                    let port = model.port(model.parts[0].component, port)?;
                    (port, model.event(port, event)?.0, values.clone())
                }
            };
            let (port, event, values) = message;
            self.note(port, event, &values);
            let name = model.ast.text(model.ast.events[event].ident);
            for (leaf, port, event) in model.receivers(model.inner(0), port, name)? {
                self.set_parameters(Side::In, leaf, (port, event), &values);
                self.set_flag(Side::In, leaf, (port, event), true);
            }
            self.elapse(elapsed)?;
            self.run(model.inner(0))?;
            return self.travel(0);
        }
        self.messages(input)?;
        self.elapse(elapsed)?;
        for adapter in adapters {
            self.tick(adapter)?;
        }
        self.activate_part(0)
    }
    fn note(&mut self, port: PortId, event: EventId, values: &[Value]) {
        self.set_flag(Side::Environment, 0, (port, event), true);
        self.set_parameters(Side::Environment, 0, (port, event), values);
    }
    /// The environment of a synchronous system.
    fn environment(&mut self, input: &Input) -> Maybe<()> {
        let model = self.model;
        for (port, event) in self.inputs() {
            let name = model.ast.text(model.ast.events[event].ident);
            let raised = match input {
                Input::Free(integers) => match self.tape.choose(2) {
                    0 => None,
                    _ => Some(self.any_values(event, integers)?),
                },
                Input::Given(given) => {
                    let port = model.ast.text(model.ast.ports[port].ident);
                    let found = given.iter().find(|it| (&*it.0, &*it.1) == (port, name));
                    found.map(|(_, _, values)| values.clone())
                }
            };
            for (leaf, port, event) in model.receivers(0, port, name)? {
                self.set_flag(Side::In, leaf, (port, event), raised.is_some());
                if let Some(values) = &raised {
                    self.set_parameters(Side::In, leaf, (port, event), values);
                }
            }
            if let Some(values) = &raised {
                self.note(port, event, values);
            }
        }
        Ok(())
    }
    /// Which events of system ports a queue lists, by system port.
    fn queued(&self, adapter: usize, queue: &QueueOf) -> Maybe<Vec<(PortId, EventId)>> {
        let mut found = vec![];
        for (port, event) in self.inputs() {
            if self.as_message(adapter, queue, port, event, &[])?.is_some() {
                found.push((port, event));
            }
        }
        Ok(found)
    }
    /// The message that an event of a system port is for a queue that lists it.
    fn as_message(
        &self,
        adapter: usize,
        queue: &QueueOf,
        port: PortId,
        event: EventId,
        values: &[Value],
    ) -> Maybe<Option<Message>> {
        let name = self.model.ast.text(self.model.ast.events[event].ident);
        for (receiver, port, event) in self.model.receivers(0, port, name)? {
            let message = Message::Event(port, event, values.to_vec());
            if receiver == adapter && queue.takes(&message) {
                return Ok(Some(message));
            }
        }
        Ok(None)
    }
    /// The environment of an asynchronous system.
    fn messages(&mut self, input: &Input) -> Maybe<()> {
        let model = self.model;
        if let Input::Given(given) = input {
            for (port, event, values) in given {
                let port = model.port(model.parts[0].component, port)?;
                let name = event;
                self.note(port, model.event(port, event)?.0, values);
                for (adapter, port, event) in model.receivers(0, port, name)? {
                    self.arrive(adapter, &Message::Event(port, event, values.clone()))?;
                }
            }
            return Ok(());
        }
        let Input::Free(integers) = input else { return Ok(()) };
        for adapter in model.adapters(0) {
            for (at, queue) in model.queues(adapter)?.iter().enumerate() {
                let inputs = self.queued(adapter, queue)?;
                if inputs.is_empty() {
                    continue;
                }
                for _ in 0..self.activations(adapter)?.max(1) {
                    let chosen = self.tape.choose(inputs.len() + 1);
                    let Some(chosen) = chosen.checked_sub(1) else { continue };
                    let (port, event) = inputs[chosen];
                    let values = self.any_values(event, integers)?;
                    self.note(port, event, &values);
                    let message = self.as_message(adapter, queue, port, event, &values)?;
                    self.append(adapter, at, queue, message.expect("it is listed"));
                }
            }
        }
        Ok(())
    }
    /// How often an adapter is activated in a step, at most.
    fn activations(&self, part: usize) -> Maybe<usize> {
        let Some(around) = self.model.parts[part].parent else { return Ok(1) };
        let composite = self.model.composite(around);
        let here = match composite.kind {
            CompositeKind::Async => 1,
            _ => {
                let order = self.model.order(around, &composite.execution)?;
                order.into_iter().filter(|it| *it == part).count()
            }
        };
        Ok(here * self.activations(around)?)
    }
    fn any_values(&mut self, event: EventId, integers: &[i128]) -> Maybe<Vec<Value>> {
        let mut values = vec![];
        for param in &self.model.ast.events[event].params {
            values.push(self.any_value(self.model.ast.params[*param].ty, integers)?);
        }
        Ok(values)
    }
    fn any_value(&mut self, ty: TypeId, integers: &[i128]) -> Maybe<Value> {
        let model = self.model;
        let ty = model.plain(ty)?;
        let all = match &model.ast.types[ty].kind {
            TypeKind::Integer | TypeKind::IntegerRange | TypeKind::Subrange { .. }
                if !integers.is_empty() =>
            {
                integers.iter().copied().map(Value::Int).collect()
            }
            _ => model.values(ty)?,
        };
        let chosen = self.tape.choose(all.len());
        Ok(all[chosen].clone())
    }

    /// Time passes (7).
    fn elapse(&mut self, elapsed: i128) -> Maybe<()> {
        let slots: Vec<Slot> = self.state.keys().copied().collect();
        for slot in slots {
            let Value::Int(old) = self.state[&slot] else { continue };
            match slot {
                Slot::Timer(leaf, timeout) => {
                    let most = self.duration(leaf, timeout)?.unwrap_or(0);
                    self.state.insert(slot, Value::Int((old + elapsed).min(most)));
                }
                Slot::Clock(..) => drop(self.state.insert(slot, Value::Int(old + elapsed))),
                _ => {}
            }
        }
        Ok(())
    }
    /// The clocks of an adapter tick (5.3).
    fn tick(&mut self, part: usize) -> Maybe<()> {
        let model = self.model;
        for clock in model.adapter(part).map(|adapter| adapter.clocks.clone()).unwrap_or_default() {
            let rate = model.milliseconds(part, model.ast.clocks[clock].rate)?;
            let slot = Slot::Clock(part, clock);
            if self.state[&slot].int()? >= rate {
                self.arrive(part, &Message::Tick(clock))?;
                self.state.insert(slot, Value::Int(0));
            }
        }
        Ok(())
    }
}
