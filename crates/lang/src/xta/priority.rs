//! Priorities of channels and processes: `chan priority a < default < b[1];` and `system P < Q, R;`.
//!
//! What stands further to the right of a `<` goes first. Channels that are not listed, and edges without a
//! synchronisation, have the priority of `default`, or the lowest one if `default` is not listed either. What that
//! means for actions is told by [`ir::Priorities`].

use ir::{EdgeId, Priorities, ProcessId};

use crate::code::Code as Cause;
use crate::xta::ast::*;
use crate::xta::elaborate::Elaborator;
use crate::xta::expr::Val;
use crate::xta::types::*;

impl Elaborator {
    /// Gives channels their levels, if anything goes before anything.
    pub(crate) fn start_priorities(&mut self) {
        let ast = self.ast.clone();
        let listed = ast.priorities.iter().flat_map(|priorities| &priorities.channels);
        let levels = ast.system.iter().flat_map(|line| line.levels.iter().copied());
        if levels.chain(listed.clone().map(|(_, level)| *level)).all(|level| level == 0) {
            for channel in listed.filter_map(|(channel, _)| *channel) {
                self.prioritised(channel);
            }
            return;
        }
        let default = listed.clone().find(|(channel, _)| channel.is_none());
        let alone = default.map_or(0, |(_, level)| *level);
        self.system.priorities = Some(Priorities { alone, ..Priorities::default() });
        for (channel, level) in listed {
            if let Some(channel) = channel {
                self.give_channel(*channel, *level, alone);
            }
        }
    }
    /// The channels that an expression of the list names: their declaration, the first of them and how many.
    fn prioritised(&mut self, expr: ExprId) -> Option<(usize, usize, usize)> {
        let span = self.ast.exprs[expr].span;
        let operand = self.pure(|cx| cx.operand(expr))?;
        let Val::Place(Place { object: Object::Channel(channel), ty, mut indices, .. }) = operand.val else {
            return self.fail(Cause::TypeMismatch, span, "this is no channel");
        };
        let size = ty.size() as usize;
        let chosen = indices.len();
        for dim in &self.channels[channel].dims[chosen..] {
            indices.push((self.system.terms.int(dim.0), *dim));
        }
        let place = Place { object: Object::Channel(channel), ty, indices, constant: true };
        let first = match place.flat_index(&mut self.system.terms) {
            None => 0,
            Some(index) => match self.system.terms.as_const(index) {
                Some(ir::Value::Int(at)) if operand.faults.is_empty() => at.to_i64()?,
                _ => {
                    let message = "the position of a channel must be a constant here, and within its array";
                    return self.fail(Cause::NotConstant, span, message);
                }
            },
        };
        Some((channel, first as usize, size))
    }
    fn give_channel(&mut self, expr: ExprId, level: u32, alone: u32) -> Option<()> {
        let (channel, first, size) = self.prioritised(expr)?;
        let decl = &mut self.channels[channel];
        if decl.levels.is_empty() {
            let all: u64 = decl.dims.iter().map(|dim| count(*dim)).product();
            decl.levels = vec![alone; all as usize].into();
        }
        decl.levels.get_mut(first..first + size)?.fill(level);
        Some(())
    }
    /// Gives the processes that have none yet a level.
    pub(crate) fn give_level(&mut self, level: u32) {
        let count = self.system.processes.len();
        if let Some(priorities) = &mut self.system.priorities {
            while priorities.processes.len() < count {
                priorities.processes.push(level);
            }
        }
    }
    /// Takes down that an edge is an evaluation and no action.
    pub(crate) fn evaluates(&mut self, process: ProcessId, edge: EdgeId) {
        if let Some(priorities) = &mut self.system.priorities {
            priorities.evaluations.insert((process, edge));
        }
    }
    /// Takes down that an edge is what another one is.
    pub(crate) fn evaluates_like(&mut self, process: ProcessId, first: EdgeId, edge: EdgeId) {
        if let Some(priorities) = &mut self.system.priorities
            && priorities.evaluations.contains(&(process, first))
        {
            priorities.evaluations.insert((process, edge));
        }
    }
    /// Takes down the levels of a channel of the system: of all channels of a declaration, or of one.
    pub(crate) fn keep_levels(&mut self, channel: usize, at: Option<usize>) {
        let Some(priorities) = &mut self.system.priorities else { return };
        let levels = &self.channels[channel].levels;
        let alone = [priorities.alone];
        let levels = match at {
            _ if levels.is_empty() => &alone[..],
            None => levels,
            Some(at) => &levels[at..=at],
        };
        priorities.channels.push(levels.into());
    }
    /// Refuses priorities where there is no condition that an action is enabled.
    pub(crate) fn check_priorities(&mut self) {
        if self.system.priorities.is_some()
            && let Some((process, edge)) = ir::needs_quantifiers(&mut self.system)
        {
            let span = self.system.processes[process].edges[edge].span;
            let message =
                "priorities are not supported together with this update, whose loop depends on data";
            self.error(Cause::UnsupportedPriority, span, message);
        }
    }
}
