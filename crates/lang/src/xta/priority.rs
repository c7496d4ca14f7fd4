//! Priorities of channels and processes: `chan priority a < default < b[1];` and `system P < Q, R;`.
//!
//! What stands further to the right of a `<` goes first. Channels that are not listed, and edges without a
//! synchronisation, have the priority of `default`, or the lowest one if `default` is not listed either. What that
//! means for actions is told by [`ir::Priorities`].

use ir::{EdgeId, Priorities, ProcessId, Span};
use rustc_hash::FxHashMap;

use crate::code::Code as Cause;
use crate::diagnostic::Diagnostic;
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
        let matter = levels.chain(listed.clone().map(|(_, level)| *level)).any(|level| level > 0);
        let mut defaults = listed.clone().filter(|(channel, _)| channel.is_none());
        let alone = defaults.next().map_or(0, |(_, level)| *level);
        if let (Some(_), Some(priorities)) = (defaults.next(), &ast.priorities) {
            let message = "`default` is listed twice";
            self.error(Cause::DuplicateName, priorities.span, message);
        }
        let mut given = FxHashMap::default();
        for (channel, level) in listed {
            if let Some(channel) = channel {
                self.give_channel(*channel, matter.then_some((*level, alone)), &mut given);
            }
        }
        if matter {
            self.system.priorities = Some(Priorities { alone, ..Priorities::default() });
        }
    }
    /// The channels that an expression of the list names: their declaration, the first of them and how many.
    fn prioritised(&mut self, expr: ExprId) -> Option<(usize, usize, usize)> {
        let span = self.ast.exprs[expr].span;
        self.in_order(expr)?;
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
    /// Refuses a channel that is declared after the list.
    fn in_order(&mut self, expr: ExprId) -> Option<()> {
        let ast = self.ast.clone();
        let (mut root, span) = (expr, ast.exprs[expr].span);
        while let ExprKind::Index(array, _) = ast.exprs[root].kind {
            root = array;
        }
        match ast.exprs[root].kind {
            ExprKind::Name(name) => match self.scopes.announced(name) {
                Some((declared, why)) if declared > span => self.too_early(name, span, declared, why),
                _ => Some(()),
            },
            _ => Some(()),
        }
    }
    /// Gives the channels that an expression names a level, among others with that of `default`, if levels matter. None
    /// may have been given one before.
    fn give_channel(
        &mut self,
        expr: ExprId,
        levels: Option<(u32, u32)>,
        given: &mut FxHashMap<(usize, usize), Span>,
    ) -> Option<()> {
        let (channel, first, size) = self.prioritised(expr)?;
        let span = self.ast.exprs[expr].span;
        for at in first..first + size {
            if let Some(earlier) = given.insert((channel, at), span) {
                let name = self.channels[channel].part(at as i64);
                let message = format!("`{name}` is listed twice");
                let diagnostic = Diagnostic::error(Cause::DuplicateName, span, message);
                self.report(diagnostic.note(earlier, "the first one is here"));
                return None;
            }
        }
        let (level, alone) = levels?;
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
