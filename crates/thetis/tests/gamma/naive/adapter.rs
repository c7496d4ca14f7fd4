//! Adapters, their queues, and asynchronous compositions (5.3 to 5.5).

use lang::gamma::ast::*;

use super::compose::Stage;
use super::names::Kind;
use super::value::Message;
use super::{Machine, Maybe, Model, Side, Slot, Value, unable};

/// A queue of an adapter, whether it is written or implied.
pub struct QueueOf {
    pub priority: i64,
    pub capacity: i128,
    oldest: bool,
    lists: Vec<(Listed, Option<Listed>)>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Listed {
    Port(PortId),
    Event(PortId, EventId),
    Clock(ClockId),
}

impl Listed {
    fn lists(self, message: &Message) -> bool {
        match (self, message) {
            (Listed::Port(port), Message::Event(its, ..)) => port == *its,
            (Listed::Event(port, event), Message::Event(its_port, its_event, _)) => {
                (port, event) == (*its_port, *its_event)
            }
            (Listed::Clock(clock), Message::Tick(its)) => clock == *its,
            _ => false,
        }
    }
}

impl QueueOf {
    pub fn takes(&self, message: &Message) -> bool {
        self.lists.iter().any(|(listed, _)| listed.lists(message))
    }
    pub fn passes(&self) -> bool {
        self.lists.iter().any(|(_, becomes)| becomes.is_some())
    }
}

impl Model {
    pub fn adapter(&self, part: usize) -> Option<&Adapter> {
        match &self.ast.components[self.parts[part].component].kind {
            ComponentKind::Adapter(adapter) => Some(adapter),
            _ => None,
        }
    }
    pub fn inner(&self, part: usize) -> usize {
        match self.parts[part].kind {
            Kind::Adapter(inner) | Kind::Implied(inner) => inner,
            _ => panic!("no adapter"),
        }
    }
    fn clock(&self, part: usize, name: RefId) -> Maybe<ClockId> {
        let name = self.ast.ref_text(name);
        let mut clocks = self.adapter(part).into_iter().flat_map(|adapter| adapter.clocks.iter().copied());
        let found = clocks.find(|it| self.ast.text(self.ast.clocks[*it].ident) == name);
        found.map_or_else(|| unable(format!("no clock {name}")), Ok)
    }
    fn listed(&self, part: usize, event: EventRefId) -> Maybe<Listed> {
        let component = self.parts[part].component;
        Ok(match self.ast.event_refs[event].kind {
            EventRefKind::Timeout(_) => return unable("a timeout in a queue"),
            EventRefKind::PortAny(port) => Listed::Port(self.port(component, self.ast.ref_text(port))?),
            EventRefKind::PortEvent(port, event) => {
                let port = self.port(component, self.ast.ref_text(port))?;
                Listed::Event(port, self.event(port, self.ast.ref_text(event))?.0)
            }
            EventRefKind::Clock(name) => Listed::Clock(self.clock(part, name)?),
        })
    }
    pub fn queues(&self, part: usize) -> Maybe<Vec<QueueOf>> {
        let Some(adapter) = self.adapter(part) else {
            let capacity = match self.chart(part).capacity {
                Some(capacity) => self.known(part, capacity)?.int()?,
                None => 4,
            };
            let lists = self.ports(self.parts[part].component).into_iter().map(|it| (Listed::Port(it), None));
            return Ok(vec![QueueOf { priority: 1, capacity, oldest: false, lists: lists.collect() }]);
        };
        let mut queues = vec![];
        for queue in &adapter.queues {
            let queue = &self.ast.queues[*queue];
            let mut lists = vec![];
            for event in &queue.events {
                let becomes = event.becomes.map(|becomes| self.listed(part, becomes)).transpose()?;
                lists.push((self.listed(part, event.event)?, becomes));
            }
            queues.push(QueueOf {
                priority: queue.priority.to_i64().unwrap_or(0),
                capacity: self.known(part, queue.capacity)?.int()?,
                oldest: queue.discard == Some(Discard::Oldest),
                lists,
            });
        }
        Ok(queues)
    }
    /// Whether it is the case of 6 without idle steps.
    pub fn is_direct(&self, part: usize) -> Maybe<bool> {
        let queues = self.queues(part)?;
        let [queue] = &queues[..] else { return Ok(false) };
        let run_upon_any = match self.adapter(part) {
            None => true,
            Some(adapter) => {
                let controls = &adapter.controls;
                adapter.clocks.is_empty()
                    && controls.len() == 1
                    && controls[0].trigger == ControlTrigger::Any
                    && controls[0].function == ControlFunction::Run
            }
        };
        Ok(run_upon_any && queue.capacity >= 1 && !queue.passes())
    }
}

impl Machine<'_, '_> {
    pub(super) fn queue(&self, part: usize, at: usize) -> Vec<Message> {
        match self.state.get(&Slot::Queue(part, at)) {
            Some(Value::Queue(messages)) => messages.clone(),
            _ => vec![],
        }
    }
    pub(super) fn append(&mut self, part: usize, at: usize, queue: &QueueOf, message: Message) {
        let mut messages = self.queue(part, at);
        if queue.capacity <= 0 {
            return;
        }
        if messages.len() as i128 >= queue.capacity {
            if !queue.oldest {
                return;
            }
            messages.remove(0);
        }
        messages.push(message);
        self.state.insert(Slot::Queue(part, at), Value::Queue(messages));
    }
    /// A message arrives at an adapter: it is put into every queue that lists it.
    pub(super) fn arrive(&mut self, part: usize, message: &Message) -> Maybe<()> {
        for (at, queue) in self.model.queues(part)?.iter().enumerate() {
            if queue.takes(message) {
                self.append(part, at, queue, message.clone());
            }
        }
        Ok(())
    }

    /// One activation of an asynchronous part.
    pub fn activate_part(&mut self, part: usize) -> Maybe<()> {
        let model = self.model;
        match &model.parts[part].kind {
            Kind::Adapter(_) | Kind::Implied(_) => self.activate_adapter(part),
            Kind::Composite(children) => match model.composite(part).kind {
                CompositeKind::Async => {
                    let chosen = self.tape.choose(children.len());
                    self.activate_part(children[chosen])
                }
                CompositeKind::ScheduledAsync => {
                    for child in model.order(part, &model.composite(part).execution)? {
                        self.activate_part(child)?;
                    }
                    Ok(())
                }
                _ => unable("an activation of something synchronous"),
            },
            Kind::Leaf => unable("an activation of a statechart"),
        }
    }
    fn activate_adapter(&mut self, part: usize) -> Maybe<()> {
        let model = self.model;
        let inner = model.inner(part);
        let queues = model.queues(part)?;
        let mut from: Option<usize> = None;
        for (at, queue) in queues.iter().enumerate() {
            let better = from.is_none_or(|best| queues[best].priority < queue.priority);
            if better && !self.queue(part, at).is_empty() {
                from = Some(at);
            }
        }
        let message = from.map(|at| {
            let mut messages = self.queue(part, at);
            let message = messages.remove(0);
            self.state.insert(Slot::Queue(part, at), Value::Queue(messages));
            message
        });
        if let (Some(at), Some(message @ Message::Event(port, event, values))) = (from, &message) {
            let name = model.ast.text(model.ast.events[*event].ident);
            let listed = queues[at].lists.iter().find(|(listed, _)| listed.lists(message));
            let inner_port = model.ports(model.parts[inner].component).contains(port);
            let handed = match listed.and_then(|(_, becomes)| *becomes) {
                Some(Listed::Port(port)) => Some((port, name)),
                Some(Listed::Event(port, event)) => {
                    Some((port, model.ast.text(model.ast.events[event].ident)))
                }
                Some(Listed::Clock(_)) => return unable("an event that becomes a clock"),
                None if inner_port => Some((*port, name)),
                None => None,
            };
            if let Some((port, name)) = handed {
                for (leaf, port, event) in model.receivers(inner, port, name)? {
                    self.set_parameters(Side::In, leaf, (port, event), values);
                    self.set_flag(Side::In, leaf, (port, event), true);
                }
            }
        }
        self.control(part, from, message.as_ref())?;
        self.travel(part)
    }
    fn control(&mut self, part: usize, from: Option<usize>, message: Option<&Message>) -> Maybe<()> {
        let model = self.model;
        let inner = model.inner(part);
        let Some(adapter) = model.adapter(part) else {
            return if message.is_some() { self.run(inner) } else { Ok(()) };
        };
        let mut collected = vec![];
        for control in &adapter.controls {
            let matches = match control.trigger {
                ControlTrigger::Cycle => true,
                ControlTrigger::Any => message.is_some(),
                ControlTrigger::Event(event) => {
                    let listed = model.listed(part, event)?;
                    message.is_some_and(|message| listed.lists(message))
                }
            };
            if matches {
                collected.push(control.function);
            }
        }
        let resets: Vec<ControlFunction> = collected
            .iter()
            .copied()
            .filter(|it| {
                use ControlFunction::{ResetOtherQueues, ResetQueue, ResetQueues};
                matches!(it, ResetQueue | ResetQueues | ResetOtherQueues)
            })
            .collect();
        if collected.contains(&ControlFunction::FullStep) {
            return unable("full-step");
        }
        if let Some(reset) = resets.first() {
            if resets.iter().any(|other| other != reset) {
                return unable("two kinds of queue resets at once");
            }
            for at in 0..adapter.queues.len() {
                let empties = match reset {
                    ControlFunction::ResetQueue => Some(at) == from,
                    ControlFunction::ResetQueues => true,
                    _ => Some(at) != from,
                };
                if empties {
                    self.state.insert(Slot::Queue(part, at), Value::Queue(vec![]));
                }
            }
            return Ok(());
        }
        if collected.contains(&ControlFunction::Reset) {
            return self.initialise(inner);
        }
        if collected.contains(&ControlFunction::Run) {
            return self.run(inner);
        }
        Ok(())
    }
    /// What the inner component of an adapter raised travels (5.3, 4).
    pub(super) fn travel(&mut self, part: usize) -> Maybe<()> {
        let model = self.model;
        let sent = self.take(Side::Sent(part));
        let inner = model.inner(part);
        let queues = model.queues(part)?;
        for port in model.ports(model.parts[inner].component) {
            for (event, _) in model.events(port) {
                let Some((_, _, _, values)) = sent.iter().find(|it| (it.1, it.2) == (port, event)) else {
                    continue;
                };
                let name = model.ast.text(model.ast.events[event].ident);
                let message = Message::Event(port, event, values.clone());
                for (at, queue) in queues.iter().enumerate() {
                    if queue.lists.iter().any(|(listed, becomes)| becomes.is_some() && listed.lists(&message))
                    {
                        self.append(part, at, queue, message.clone());
                    }
                }
                for way in model.ways(part, port)? {
                    let Stage::Arrives(_, part, port) = way else { continue };
                    for (adapter, port, event) in model.receivers(part, port, name)? {
                        self.arrive(adapter, &Message::Event(port, event, values.clone()))?;
                    }
                }
            }
        }
        Ok(())
    }
}
