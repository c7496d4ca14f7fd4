//! Compositions: initialisation of everything, cycles of `sync` and `cascade`, activations of `async` and
//! `scheduled-async`.

use indexmap::IndexMap;

use super::super::ast::*;
use super::super::instance::{PartId, PartKind};
use super::route::{Arrival, outward};
use super::{Lowering, x};

impl Lowering<'_> {
    /// Everything gets its initial values and states, and what is done on entry is done.
    pub(super) fn initialise_system(&mut self, out: &mut Vec<x::StmtId>) {
        let root = self.tree.root();
        self.initialise_adapters(out);
        let adapters: Vec<PartId> = self.tree.adapters().collect();
        adapters.iter().for_each(|adapter| self.open_pending(*adapter, out));
        self.initialise(root, out);
        let ids: Vec<PartId> = self.tree.parts.ids().collect();
        for part in ids.into_iter().rev() {
            for child in self.tree.initial_execution(self.project, part) {
                match self.is_synchronous(child) {
                    true => self.cycle(child, out),
                    false => self.activate(child, out),
                }
            }
        }
        adapters.iter().for_each(|adapter| self.close_pending(*adapter, out));
    }
    /// The statecharts of a part are initialised.
    pub(super) fn initialise(&mut self, part: PartId, out: &mut Vec<x::StmtId>) {
        let leaves = self.tree.leaves(part);
        leaves.iter().for_each(|leaf| self.initialise_variables(*leaf, out));
        let entered: Vec<_> = leaves.iter().map(|leaf| self.initialise_states(*leaf, out)).collect();
        for (leaf, entered) in leaves.iter().zip(entered) {
            self.initialise_actions(*leaf, &entered, out);
        }
        self.end_initialisation(&leaves, out);
    }
    fn is_synchronous(&self, part: PartId) -> bool {
        match self.tree.parts[part].kind {
            PartKind::Leaf => true,
            PartKind::Composite(kind) => !kind.is_asynchronous(),
            PartKind::Adapter(_) => false,
        }
    }
    /// One cycle of a synchronous component.
    pub(super) fn cycle(&mut self, part: PartId, out: &mut Vec<x::StmtId>) {
        match self.tree.parts[part].kind {
            PartKind::Leaf => self.run_leaf(part, out),
            PartKind::Composite(CompositeKind::Sync) => {
                let mut block = vec![];
                self.open_buffer(part, &mut block);
                for child in self.tree.parts[part].children.clone() {
                    ir::deep(|| self.cycle(child, &mut block));
                }
                self.close_buffer(part, &mut block);
                out.push(self.x.braced(block));
            }
            PartKind::Composite(_) => {
                for child in self.tree.execution(self.project, part) {
                    ir::deep(|| self.cycle(child, out));
                }
            }
            PartKind::Adapter(_) => self.activate(part, out),
        }
    }
    /// What travels over the channels of a `sync` composition from now on arrives at the end of its cycle.
    fn open_buffer(&mut self, part: PartId, out: &mut Vec<x::StmtId>) {
        let mut arrivals = vec![];
        for leaf in self.tree.leaves(part) {
            for port in self.project.component_ports[self.tree.parts[leaf].component].clone() {
                let events: Vec<EventId> = self
                    .project
                    .port_events(port)
                    .filter(|(_, way)| way.is_out())
                    .map(|(event, _)| event)
                    .collect();
                for event in events {
                    for route in outward(self.project, &self.tree, leaf, port, event) {
                        if let (Some(through), Arrival::Leaf(to, port, event)) =
                            (route.through, route.arrival)
                            && through == part
                            && !arrivals.contains(&(to, port, event))
                        {
                            arrivals.push((to, port, event));
                        }
                    }
                }
            }
        }
        let mut buffer = IndexMap::default();
        for (to, port, event) in arrivals {
            let signal = self.local_signal(event, out);
            buffer.insert((to, port, event), signal);
        }
        self.buffers.insert(part, buffer);
    }
    fn close_buffer(&mut self, part: PartId, out: &mut Vec<x::StmtId>) {
        for ((to, port, event), buffered) in self.buffers.remove(&part).unwrap_or_default() {
            let Some(signal) =
                self.leaves[to].as_ref().and_then(|leaf| leaf.ins.get(&(port, event)).cloned())
            else {
                continue;
            };
            let values = self.parameters(&buffered);
            let mut then = vec![];
            self.send(&signal, &values, &mut then);
            let flag = self.x.name(buffered.flag);
            let branch = self.x.branch(flag, then, vec![]);
            out.extend(branch);
        }
    }
    /// One activation of an asynchronous component.
    pub(super) fn activate(&mut self, part: PartId, out: &mut Vec<x::StmtId>) {
        match self.tree.parts[part].kind {
            PartKind::Adapter(_) => self.activate_adapter(part, out),
            PartKind::Composite(CompositeKind::Async) => {
                let children = self.tree.parts[part].children.clone();
                let mut alternatives = vec![];
                for child in children {
                    let mut list = vec![];
                    ir::deep(|| self.activate(child, &mut list));
                    alternatives.push(list);
                }
                match alternatives.len() {
                    0 => {}
                    1 => out.extend(alternatives.remove(0)),
                    _ => out.push(self.x.choice(alternatives)),
                }
            }
            PartKind::Composite(CompositeKind::ScheduledAsync) => {
                for child in self.tree.execution(self.project, part) {
                    ir::deep(|| self.activate(child, out));
                }
            }
            _ => self.cycle(part, out),
        }
    }
}
