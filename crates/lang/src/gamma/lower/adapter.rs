//! Adapters: queues of messages, clocks, and one activation.
//!
//! A queue is an array of numbers of messages with its length, and an array for each slot of each parameter of each
//! message, at the same positions. A queue for one message needs neither arrays nor a length. What is not used has its
//! default, so that equal queues are equal states.

use ir::Int;

use super::super::ast::*;
use super::super::instance::{Matched, Message, MessageQueue, PartId, PartKind};
use super::chart::Signal;
use super::route::{Arrival, inward, outward};
use super::types::Slot;
use super::{Lowering, Purpose, Role, Value, x};
use crate::code::Code;

/// What a queue holds at most if nothing is said.
const USUAL_CAPACITY: i64 = 4;
/// What a queue may hold at most.
const MOST_CAPACITY: i64 = 10_000;

/// The variables of an adapter.
#[derive(Clone, Debug, Default)]
pub(super) struct Wrapper {
    queues: Vec<QueueVars>,
    clocks: Vec<(ClockId, x::Name, Int)>,
    /// Whether it was activated in this step.
    pub(super) ran: Option<x::Name>,
}

#[derive(Clone, Debug)]
struct QueueVars {
    capacity: i64,
    empty: x::Name,
    /// The number of each message.
    ids: Vec<x::Name>,
    master: x::Name,
    /// How many messages there are; none for a queue of one.
    size: Option<x::Name>,
    /// For each message, for each parameter, its slots.
    params: Vec<Vec<Vec<(x::Name, Slot)>>>,
}

/// What an adapter does with a message.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Todo {
    Nothing = 0,
    Run = 1,
    Reset = 2,
    ResetQueue = 3,
    ResetQueues = 4,
    ResetOtherQueues = 5,
}

impl Lowering<'_> {
    pub(super) fn declare_adapters(&mut self) {
        let adapters: Vec<PartId> = self.tree.adapters().collect();
        let alone = self.simple_adapter();
        for part in adapters {
            self.part = part;
            let wrapping = self.tree.wrapping(part).clone();
            let flat = self.tree.flat(part);
            let mut wrapper = Wrapper::default();
            for (number, queue) in wrapping.queues.iter().enumerate() {
                let vars = match alone {
                    Some(_) => None,
                    None => Some(self.declare_queue(part, number, queue, &flat)),
                };
                wrapper.queues.extend(vars);
            }
            for clock in &wrapping.clocks {
                let decl = self.project.ast.clocks[*clock];
                if let Some(rate) = self.milliseconds(decl.rate, "the rate of a clock") {
                    let text = self.project.ast.text(decl.ident).to_owned();
                    let name =
                        self.declare_timer(&format!("{text}_{flat}"), part, Role::Clock(*clock), &rate);
                    wrapper.clocks.push((*clock, name, rate));
                }
            }
            if self.purpose == Purpose::Check {
                wrapper.ran =
                    Some(self.declare(&format!("__ran_{flat}"), &Slot::Bool, Some(part), Role::Ran));
            }
            for (_, function, span) in &wrapping.controls {
                if *function == ControlFunction::FullStep {
                    self.error(Code::UnsupportedPart, *span, "`full-step` is not supported");
                }
            }
            self.adapters.insert(part, wrapper);
        }
    }
    fn declare_queue(&mut self, part: PartId, number: usize, queue: &MessageQueue, flat: &str) -> QueueVars {
        let capacity = match queue.capacity {
            None => USUAL_CAPACITY,
            Some(capacity) => match self.known_integer(capacity, "the capacity of a queue") {
                Some(capacity) => capacity.to_i64().unwrap_or(i64::MAX),
                None => 1,
            },
        };
        if capacity > MOST_CAPACITY {
            self.error(
                Code::TooLarge,
                queue.span,
                format!("a queue holds at most {MOST_CAPACITY} messages here"),
            );
        }
        let capacity = capacity.min(MOST_CAPACITY);
        let mut texts = vec!["EMPTY".to_owned()];
        texts.extend((1..=queue.entries.len()).map(|number| format!("_{number}")));
        texts.iter().for_each(|text| self.x.reserve(text));
        let ids = self.x.literals(texts.iter().map(String::as_str));
        let ty = self.x.enumeration(&format!("{}Of{flat}", raised(&queue.name)), &ids);
        let (empty, ids) = (ids[0], ids[1..].to_vec());
        let array = |slot: Slot| if capacity > 1 { Slot::Array(Box::new(slot)) } else { slot };
        let master = array(Slot::Own(ty, empty));
        let master =
            self.declare(&format!("master_{}Of{flat}", queue.name), &master, Some(part), Role::Queue(number));
        let size = (capacity > 1).then(|| {
            let wanted = format!("sizeMaster{}Of{flat}", raised(&queue.name));
            self.declare(&wanted, &Slot::Int, Some(part), Role::Queue(number))
        });
        let mut params = vec![];
        for (message, _) in &queue.entries {
            let mut of_message = vec![];
            if let Message::Event(port, event) = message {
                let ast = &self.project.ast;
                let port = ast.text(ast.ports[*port].ident).to_owned();
                for param in ast.events[*event].params.clone() {
                    let decl = &self.project.ast.params[param];
                    let text = self.project.ast.text(decl.ident).to_owned();
                    let mut names = vec![];
                    for (suffix, slot) in self.slots(self.project.written[decl.ty]) {
                        let wanted = format!("slave_{port}_{text}{suffix}Of{flat}");
                        let name =
                            self.declare(&wanted, &array(slot.clone()), Some(part), Role::Queue(number));
                        names.push((name, slot));
                    }
                    of_message.push(names);
                }
            }
            params.push(of_message);
        }
        QueueVars { capacity, empty, ids, master, size, params }
    }
    /// The system, if it is an adapter that need not have its queue.
    pub(super) fn simple_adapter(&self) -> Option<PartId> {
        let root = self.tree.root();
        let PartKind::Adapter(wrapping) = &self.tree.parts[root].kind else { return None };
        let [queue] = wrapping.queues.as_slice() else { return None };
        let [(Matched::Any, ControlFunction::Run, _)] = wrapping.controls.as_slice() else { return None };
        let plain = wrapping.clocks.is_empty()
            && !queue.entries.is_empty()
            && queue.entries.iter().all(|(message, becomes)| {
                becomes.is_none() && matches!(message, Message::Event(port, event) if self.project.direction(*port, *event).is_in())
            });
        let holds = queue.capacity.is_none_or(|capacity| match &self.project.ast.exprs[capacity].kind {
            ExprKind::Integer(capacity) => *capacity >= Int::ONE,
            ExprKind::Negate(_) => false,
            _ => true,
        });
        (plain && holds).then_some(root)
    }
    pub(super) fn initialise_adapters(&mut self, out: &mut Vec<x::StmtId>) {
        let adapters: Vec<PartId> = self.tree.adapters().collect();
        for part in adapters {
            let wrapper = self.adapters[&part].clone();
            wrapper.queues.iter().for_each(|queue| self.empty(queue, out));
            for (_, timer, _) in &wrapper.clocks {
                let zero = self.x.int(0);
                out.push(self.x.assign(*timer, zero));
            }
        }
    }
    /// Drops all messages of a queue.
    fn empty(&mut self, queue: &QueueVars, out: &mut Vec<x::StmtId>) {
        let nothing = self.x.name(queue.empty);
        let nothing = if queue.capacity > 1 { self.x.array(vec![], nothing) } else { nothing };
        out.push(self.x.assign(queue.master, nothing));
        if let Some(size) = queue.size {
            let zero = self.x.int(0);
            out.push(self.x.assign(size, zero));
        }
        for (name, slot) in queue.params.iter().flatten().flatten() {
            let default = self.slot_default(slot);
            let default = if queue.capacity > 1 { self.x.array(vec![], default) } else { default };
            out.push(self.x.assign(*name, default));
        }
    }
    fn is_empty(&mut self, queue: &QueueVars) -> x::ExprId {
        match queue.size {
            Some(size) => {
                let (size, zero) = (self.x.name(size), self.x.int(0));
                self.x.compare(x::CompareOp::Eq, size, zero)
            }
            None => {
                let (master, empty) = (self.x.name(queue.master), self.x.name(queue.empty));
                self.x.equal(master, empty)
            }
        }
    }
    /// A message arrives in a queue.
    fn put(
        &mut self,
        queue: &QueueVars,
        discard: Discard,
        entry: usize,
        values: &[Value],
        out: &mut Vec<x::StmtId>,
    ) {
        if queue.capacity < 1 {
            return;
        }
        let id = self.x.name(queue.ids[entry]);
        let pairs: Vec<(x::Name, x::ExprId)> = queue.params[entry]
            .iter()
            .zip(values)
            .flat_map(|(names, value)| names.iter().map(|(name, _)| *name).zip(value.iter().copied()))
            .collect();
        let Some(size) = queue.size else {
            let mut list = vec![];
            if discard == Discard::Oldest {
                self.empty(queue, &mut list);
            }
            list.push(self.x.assign(queue.master, id));
            for (name, value) in pairs {
                list.push(self.x.assign(name, value));
            }
            let room = match discard {
                Discard::Incoming => self.is_empty(queue),
                Discard::Oldest => self.x.bool(true),
            };
            let branch = self.x.branch(room, list, vec![]);
            out.extend(branch);
            return;
        };
        let capacity = self.x.int(queue.capacity);
        let length = self.x.name(size);
        let room = self.x.compare(x::CompareOp::Lt, length, capacity);
        let mut list = vec![self.x.assign_at(queue.master, &[length], id)];
        for (name, value) in pairs {
            list.push(self.x.assign_at(name, &[length], value));
        }
        let one = self.x.int(1);
        let more = self.x.arithmetic(x::ChainOp::Add, length, one);
        list.push(self.x.assign(size, more));
        match discard {
            Discard::Incoming => {
                let branch = self.x.branch(room, list, vec![]);
                out.extend(branch);
            }
            Discard::Oldest => {
                let mut dropped = vec![];
                self.pop(queue, &mut dropped);
                let branch = self.x.branch(room, vec![], dropped);
                out.extend(branch);
                out.extend(list);
            }
        }
    }
    /// The first message is gone; the others move up.
    fn pop(&mut self, queue: &QueueVars, out: &mut Vec<x::StmtId>) {
        let Some(size) = queue.size else {
            self.empty(queue, out);
            return;
        };
        let nothing = self.x.name(queue.empty);
        let mut arrays = vec![(queue.master, nothing)];
        for (name, slot) in queue.params.iter().flatten().flatten() {
            arrays.push((*name, self.slot_default(slot)));
        }
        for (array, default) in arrays {
            // A chain of writes that read the array as it was.
            let old = self.x.name(array);
            let mut entries = vec![];
            for position in 1..queue.capacity {
                let (from, to) = (self.x.int(position), self.x.int(position - 1));
                entries.push((to, self.x.read(old, from)));
            }
            let moved = self.x.array(entries, default);
            out.push(self.x.assign(array, moved));
        }
        let (length, one) = (self.x.name(size), self.x.int(1));
        let less = self.x.arithmetic(x::ChainOp::Sub, length, one);
        out.push(self.x.assign(size, less));
    }
    /// The values of the first message of a queue.
    fn first(&mut self, queue: &QueueVars, entry: usize) -> Vec<Value> {
        let mut values = vec![];
        for param in &queue.params[entry] {
            let mut value = vec![];
            for (name, _) in param {
                let all = self.x.name(*name);
                value.push(match queue.size {
                    Some(_) => {
                        let zero = self.x.int(0);
                        self.x.read(all, zero)
                    }
                    None => all,
                });
            }
            values.push(value);
        }
        values
    }
    /// Puts a message into all queues of an adapter that list it.
    pub(super) fn deliver(
        &mut self,
        adapter: PartId,
        message: Message,
        values: &[Value],
        out: &mut Vec<x::StmtId>,
    ) {
        let wrapping = self.tree.wrapping(adapter).clone();
        let vars = self.adapters[&adapter].queues.clone();
        for (queue, vars) in wrapping.queues.iter().zip(&vars) {
            if let Some(entry) = queue.entries.iter().position(|(known, _)| *known == message) {
                self.put(vars, queue.discard, entry, values, out);
            }
        }
    }
    /// Clocks whose time has come put ticks into queues.
    pub(super) fn ticks(&mut self, out: &mut Vec<x::StmtId>) {
        let adapters: Vec<PartId> = self.tree.adapters().collect();
        for part in adapters {
            for (clock, timer, rate) in self.adapters[&part].clocks.clone() {
                let mut then = vec![];
                self.deliver(part, Message::Tick(clock), &[], &mut then);
                let zero = self.x.int(0);
                then.push(self.x.assign(timer, zero));
                let over = self.is_over(timer, &rate);
                let branch = self.x.branch(over, then, vec![]);
                out.extend(branch);
            }
        }
    }
    /// For each queue that the environment feeds, nothing or one message, as often as the adapter is activated.
    pub(super) fn messages_from_outside(&mut self, out: &mut Vec<x::StmtId>) {
        let root = self.tree.root();
        let ports = self.project.component_ports[self.tree.parts[root].component].clone();
        let mut fed: Vec<(super::PortEvent, super::PartEvent)> = vec![];
        for port in ports {
            for (port, event) in super::super::instance::coming_in(self.project, port) {
                for arrival in inward(self.project, &self.tree, root, port, event) {
                    if let Arrival::Message(adapter, to, arrived) = arrival {
                        fed.push(((port, event), (adapter, to, arrived)));
                    }
                }
            }
        }
        let adapters: Vec<PartId> = self.tree.adapters().collect();
        for adapter in adapters {
            let wrapping = self.tree.wrapping(adapter).clone();
            let vars = self.adapters[&adapter].queues.clone();
            let times = self.tree.activations(self.project, adapter).max(1);
            for (queue, vars) in wrapping.queues.iter().zip(&vars) {
                let mut sources = vec![];
                for (entry, (message, _)) in queue.entries.iter().enumerate() {
                    let Message::Event(port, event) = message else { continue };
                    let from = fed.iter().filter(|(_, to)| *to == (adapter, *port, *event));
                    sources.extend(from.map(|(source, _)| (*source, entry)));
                }
                if sources.is_empty() || vars.capacity < 1 {
                    continue;
                }
                for _ in 0..times {
                    let mut alternatives = vec![vec![]];
                    for ((port, event), entry) in &sources {
                        let mut list = vec![];
                        let values = self.any_values(*port, *event, &mut list);
                        self.put(vars, queue.discard, *entry, &values, &mut list);
                        alternatives.push(list);
                    }
                    out.push(self.x.choice(alternatives));
                }
            }
        }
    }
    /// What the component of an adapter raises from now on travels when it has finished.
    pub(super) fn open_pending(&mut self, adapter: PartId, out: &mut Vec<x::StmtId>) {
        let inner = self.tree.parts[adapter].children[0];
        let ports = self.project.component_ports[self.tree.parts[inner].component].clone();
        let mut pending = indexmap::IndexMap::default();
        for port in ports {
            let events: Vec<(EventId, Direction)> = self.project.port_events(port).collect();
            for (event, way) in events {
                if way.is_out() && !self.destinations(adapter, port, event).is_empty() {
                    let signal = self.local_signal(event, out);
                    pending.insert((port, event), signal);
                }
            }
        }
        self.pending.insert(adapter, pending);
    }
    /// The queues of adapters that an event arrives in that goes out of the component of an adapter.
    fn destinations(&self, adapter: PartId, port: PortId, event: EventId) -> Vec<(PartId, PortId, EventId)> {
        let wrapping = self.tree.wrapping(adapter);
        let mut list = vec![];
        let own = |(message, becomes): &(Message, Option<_>)| {
            *message == Message::Event(port, event) && becomes.is_some()
        };
        if self.adapters[&adapter].queues.len() == wrapping.queues.len()
            && wrapping.queues.iter().any(|queue| queue.entries.iter().any(own))
        {
            list.push((adapter, port, event));
        }
        for route in outward(self.project, &self.tree, adapter, port, event) {
            if let Arrival::Message(to, port, event) = route.arrival {
                list.push((to, port, event));
            }
        }
        list
    }
    pub(super) fn close_pending(&mut self, adapter: PartId, out: &mut Vec<x::StmtId>) {
        for ((port, event), signal) in self.pending.remove(&adapter).unwrap_or_default() {
            let values = self.parameters(&signal);
            let mut then = vec![];
            for (to, port, event) in self.destinations(adapter, port, event) {
                self.deliver(to, Message::Event(port, event), &values, &mut then);
            }
            let flag = self.x.name(signal.flag);
            let branch = self.x.branch(flag, then, vec![]);
            out.extend(branch);
        }
    }
    pub(super) fn mark_ran(&mut self, adapter: PartId, out: &mut Vec<x::StmtId>) {
        if let Some(ran) = self.adapters[&adapter].ran {
            self.set(ran, out);
        }
    }
    /// What happens with a message, or without one.
    fn todo(&self, adapter: PartId, message: Option<Message>) -> Todo {
        let controls = self.tree.wrapping(adapter).controls.iter();
        let matching: Vec<ControlFunction> = controls
            .filter(|(matched, ..)| match (matched, message) {
                (Matched::Cycle, _) | (Matched::Any, Some(_)) => true,
                (Matched::Messages(list), Some(message)) => list.contains(&message),
                _ => false,
            })
            .map(|(_, function, _)| *function)
            .collect();
        let has = |function| matching.contains(&function);
        use ControlFunction::{Reset, ResetOtherQueues, ResetQueue, ResetQueues, Run};
        match () {
            () if has(ResetQueues) || (has(ResetQueue) && has(ResetOtherQueues)) => Todo::ResetQueues,
            () if has(ResetQueue) => Todo::ResetQueue,
            () if has(ResetOtherQueues) => Todo::ResetOtherQueues,
            () if has(Reset) => Todo::Reset,
            () if has(Run) => Todo::Run,
            () => Todo::Nothing,
        }
    }
    /// One activation.
    pub(super) fn activate_adapter(&mut self, adapter: PartId, out: &mut Vec<x::StmtId>) {
        let inner = self.tree.parts[adapter].children[0];
        let wrapping = self.tree.wrapping(adapter).clone();
        let queues = self.adapters[&adapter].queues.clone();
        let mut block = vec![];
        self.mark_ran(adapter, &mut block);
        let nothing = self.x.int(self.todo(adapter, None) as i64);
        let todo = self.local("todo", &[(String::new(), Slot::Int)], &[nothing], &mut block)[0];
        let mut order: Vec<usize> = (0..queues.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(wrapping.queues[*at].priority.clone()));
        let mut used = vec![self.todo(adapter, None)];
        let mut chain = vec![];
        for at in order {
            let (queue, vars) = (&wrapping.queues[at], &queues[at]);
            if vars.capacity < 1 {
                continue;
            }
            let mut list = vec![];
            let mut cases = vec![];
            for (entry, (message, becomes)) in queue.entries.iter().enumerate() {
                let mut case = vec![];
                let arrives = match (becomes, message) {
                    (Some(becomes), _) => Some(*becomes),
                    (None, Message::Event(port, event)) => Some((*port, *event)),
                    (None, Message::Tick(_)) => None,
                };
                if let Some((port, event)) = arrives {
                    let values = self.first(vars, entry);
                    for signal in self.inner_signals(inner, port, event) {
                        self.send(&signal, &values, &mut case);
                    }
                }
                let what = self.todo(adapter, Some(*message));
                if !used.contains(&what) {
                    used.push(what);
                }
                let what = self.x.int(what as i64);
                case.push(self.x.assign(todo, what));
                let head = self.x.name(vars.master);
                let head = match vars.size {
                    Some(_) => {
                        let zero = self.x.int(0);
                        self.x.read(head, zero)
                    }
                    None => head,
                };
                let id = self.x.name(vars.ids[entry]);
                cases.push((self.x.equal(head, id), case));
            }
            let cases = self.alternatives(cases);
            list.extend(cases);
            self.pop(vars, &mut list);
            for (what, emptied) in [
                (Todo::ResetQueue, vec![at]),
                (Todo::ResetQueues, (0..queues.len()).collect()),
                (Todo::ResetOtherQueues, (0..queues.len()).filter(|other| *other != at).collect()),
            ] {
                if used.contains(&what) {
                    let mut then = vec![];
                    emptied.into_iter().for_each(|at| self.empty(&queues[at], &mut then));
                    let is = self.is_todo(todo, what);
                    let branch = self.x.branch(is, then, vec![]);
                    list.extend(branch);
                }
            }
            let empty = self.is_empty(vars);
            chain.push((self.x.not(empty), list));
        }
        let taken = self.alternatives(chain);
        block.extend(taken);
        let outer = self.pending.remove(&adapter);
        self.open_pending(adapter, &mut block);
        let (mut run, mut reset) = (vec![], vec![]);
        if used.contains(&Todo::Run) {
            self.cycle(inner, &mut run);
        }
        if used.contains(&Todo::Reset) {
            self.initialise(inner, &mut reset);
        }
        let (is_run, is_reset) = (self.is_todo(todo, Todo::Run), self.is_todo(todo, Todo::Reset));
        let stmts = self.alternatives(vec![(is_run, run), (is_reset, reset)]);
        block.extend(stmts);
        self.close_pending(adapter, &mut block);
        if let Some(outer) = outer {
            self.pending.insert(adapter, outer);
        }
        out.push(self.x.braced(block));
    }
    fn is_todo(&mut self, todo: x::Name, what: Todo) -> x::ExprId {
        let (todo, what) = (self.x.name(todo), self.x.int(what as i64));
        self.x.compare(x::CompareOp::Eq, todo, what)
    }
    /// The in-events that an event of the component of an adapter leads to; none for control ports.
    fn inner_signals(&self, inner: PartId, port: PortId, event: EventId) -> Vec<Signal> {
        if !self.project.component_ports[self.tree.parts[inner].component].contains(&port) {
            return vec![];
        }
        let arrivals = inward(self.project, &self.tree, inner, port, event).into_iter();
        let signals = arrivals.filter_map(|arrival| match arrival {
            Arrival::Leaf(leaf, port, event) => self.leaves[leaf].as_ref()?.ins.get(&(port, event)).cloned(),
            _ => None,
        });
        signals.collect()
    }
}

fn raised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}
