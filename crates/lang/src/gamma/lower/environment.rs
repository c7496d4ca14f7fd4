//! The environment: what comes in at the ports of the system, and what is forgotten at the beginning of a step.

use super::super::ast::*;
use super::super::instance::{Message, PartId, PartKind, coming_in};
use super::chart::Signal;
use super::route::{Arrival, inward, outward};
use super::{Lowering, Purpose, Role, x};

impl Lowering<'_> {
    /// Whether an event that goes out of a leaf goes out of the system.
    pub(super) fn reaches_system(&self, part: PartId, port: PortId, event: EventId) -> bool {
        let mut open = vec![(part, port, event)];
        while let Some((part, port, event)) = open.pop() {
            for route in outward(self.project, &self.tree, part, port, event) {
                match route.arrival {
                    Arrival::System(..) => return true,
                    Arrival::Pending(adapter, port, event) => open.push((adapter, port, event)),
                    Arrival::Leaf(..) | Arrival::Message(..) => {}
                }
            }
        }
        false
    }
    /// For each event that goes out of the system, where it is raised.
    pub(super) fn system_outs(&self) -> Vec<(super::PortEvent, super::PartEvent)> {
        let mut list = vec![];
        for part in self.tree.leaves(self.tree.root()) {
            for port in &self.project.component_ports[self.tree.parts[part].component] {
                for (event, way) in self.project.port_events(*port) {
                    if !way.is_out() {
                        continue;
                    }
                    let mut open = vec![(part, *port, event)];
                    while let Some((at, through, as_event)) = open.pop() {
                        for route in outward(self.project, &self.tree, at, through, as_event) {
                            match route.arrival {
                                Arrival::System(to, out) => list.push(((to, out), (part, *port, event))),
                                Arrival::Pending(adapter, port, event) => open.push((adapter, port, event)),
                                Arrival::Leaf(..) | Arrival::Message(..) => {}
                            }
                        }
                    }
                }
            }
        }
        list
    }
    /// The beginning of a step. `alone` is an adapter that gets exactly one event, if the system is such a one.
    pub(super) fn environment(&mut self, alone: Option<PartId>, out: &mut Vec<x::StmtId>) {
        self.forget(out);
        let root = self.tree.root();
        let is_synchronous = match self.tree.parts[root].kind {
            PartKind::Leaf => true,
            PartKind::Composite(kind) => !kind.is_asynchronous(),
            PartKind::Adapter(_) => false,
        };
        let ports = self.project.component_ports[self.tree.parts[root].component].clone();
        if self.purpose == Purpose::Check {
            for (port, event) in
                ports.iter().flat_map(|port| coming_in(self.project, *port)).collect::<Vec<_>>()
            {
                let signal = self.declare_signal(
                    root,
                    (port, event),
                    "Given",
                    "",
                    Role::Given(port, event),
                    Role::GivenParameter,
                );
                self.given.insert((port, event), signal);
            }
            for (_, signal) in self.given.clone() {
                self.clear(signal.flag, out);
            }
        }
        match (is_synchronous, alone) {
            (true, _) => self.synchronous_inputs(out),
            (false, Some(adapter)) => self.one_input(adapter, out),
            (false, None) => self.messages_from_outside(out),
        }
    }
    /// What was told about the step before.
    fn forget(&mut self, out: &mut Vec<x::StmtId>) {
        for part in self.tree.leaves(self.tree.root()) {
            let leaf = self.leaves[part].clone().expect("a leaf is declared");
            for signal in leaf.outs.values().chain(leaf.seen.values()) {
                self.clear(signal.flag, out);
            }
            let mut markers: Vec<x::Name> = leaf.markers.values().copied().collect();
            markers.sort_unstable();
            markers.into_iter().for_each(|marker| self.clear(marker, out));
        }
        let adapters: Vec<PartId> = self.tree.adapters().collect();
        for adapter in adapters {
            if let Some(ran) = self.adapters[&adapter].ran {
                self.clear(ran, out);
            }
        }
    }
    /// Where an event arrives that comes in at a port of the system.
    fn receivers(&self, port: PortId, event: EventId) -> Vec<Signal> {
        let arrivals = inward(self.project, &self.tree, self.tree.root(), port, event);
        let signals = arrivals.into_iter().filter_map(|arrival| match arrival {
            Arrival::Leaf(leaf, port, event) => self.leaves[leaf].as_ref()?.ins.get(&(port, event)).cloned(),
            _ => None,
        });
        signals.collect()
    }
    /// Each event, or not, with any values.
    fn synchronous_inputs(&mut self, out: &mut Vec<x::StmtId>) {
        let root = self.tree.root();
        let ports = self.project.component_ports[self.tree.parts[root].component].clone();
        for port in ports {
            for (port, event) in coming_in(self.project, port) {
                let receivers = self.receivers(port, event);
                let (source, targets) =
                    match (self.given.get(&(port, event)).cloned(), receivers.split_first()) {
                        (Some(given), _) => (given, receivers.clone()),
                        (None, Some((first, rest))) => (first.clone(), rest.to_vec()),
                        (None, None) => continue,
                    };
                out.push(self.x.havoc(source.flag));
                let mut then = vec![];
                for name in source.params.iter().flatten() {
                    then.push(self.x.havoc(*name));
                }
                let values = self.parameters(&source);
                for target in &targets {
                    for (names, value) in target.params.iter().zip(&values) {
                        for (name, value) in names.iter().zip(value) {
                            then.push(self.x.assign(*name, *value));
                        }
                    }
                }
                let flag = self.x.name(source.flag);
                let branch = self.x.branch(flag, then, vec![]);
                out.extend(branch);
                for target in targets {
                    let flag = self.x.name(source.flag);
                    out.push(self.x.assign(target.flag, flag));
                }
            }
        }
    }
    /// Exactly one of the events of the one queue of an adapter.
    fn one_input(&mut self, adapter: PartId, out: &mut Vec<x::StmtId>) {
        let inner = self.tree.parts[adapter].children[0];
        let entries = self.tree.wrapping(adapter).queues[0].entries.clone();
        let mut alternatives = vec![];
        for (message, _) in entries {
            let Message::Event(port, event) = message else { continue };
            let mut list = vec![];
            let values = self.any_values(port, event, &mut list);
            for arrival in inward(self.project, &self.tree, inner, port, event) {
                if let Arrival::Leaf(leaf, port, event) = arrival
                    && let Some(signal) =
                        self.leaves[leaf].as_ref().and_then(|leaf| leaf.ins.get(&(port, event)).cloned())
                {
                    self.send(&signal, &values, &mut list);
                }
            }
            alternatives.push(list);
        }
        out.push(self.x.choice(alternatives));
    }
    /// Any values of the parameters of an event that comes from outside; what was given is remembered.
    pub(super) fn any_values(
        &mut self,
        port: PortId,
        event: EventId,
        out: &mut Vec<x::StmtId>,
    ) -> Vec<super::Value> {
        let signal = match self.given.get(&(port, event)).cloned() {
            Some(given) => {
                self.set(given.flag, out);
                given
            }
            None => self.local_signal(event, out),
        };
        for name in signal.params.iter().flatten() {
            out.push(self.x.havoc(*name));
        }
        self.parameters(&signal)
    }
}
