//! Rules that a modeller expects to be checked, beyond names and types.
//!
//! An error is what has no meaning, or another one than anybody would guess; a warning is what has a meaning that is
//! probably not intended. Each rule is a function of its own.

mod chart;
mod composition;
mod function;

use ir::Span;

use super::ast::*;
use super::project::{Def, Project};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// Checks all rules of a project whose names are resolved.
pub(super) fn validate(project: &mut Project, diagnostics: &mut Diagnostics) {
    let mut validator = Validator { project, diagnostics, warnings: vec![] };
    validator.constants();
    validator.functions();
    validator.charts();
    validator.compositions();
    if validator.diagnostics.is_empty() {
        // What is not understood may use them.
        validator.unused_events();
    }
    validator.contracts();
    let mut warnings = validator.warnings;
    project.warnings.append(&mut warnings);
}

struct Validator<'a> {
    project: &'a Project,
    diagnostics: &'a mut Diagnostics,
    warnings: Vec<Diagnostic>,
}

impl<'a> Validator<'a> {
    fn ast(&self) -> &'a Ast {
        &self.project.ast
    }
    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }
    fn warn(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.warnings.push(Diagnostic::warning(code, span, message));
    }
    fn node(&self, used: RefId) -> Option<NodeId> {
        match self.project.defs[used] {
            Some(Def::Node(node)) => Some(node),
            _ => None,
        }
    }
    fn statecharts(&self) -> impl Iterator<Item = (ComponentId, &'a Statechart)> + use<'a> {
        self.ast().components.entries().filter_map(|(id, component)| match &component.kind {
            ComponentKind::Statechart(chart) => Some((id, &**chart)),
            _ => None,
        })
    }

    /// No constant depends on itself.
    fn constants(&mut self) {
        // 0: not yet, 1: open, 2: done.
        let mut colour = vec![0u8; self.ast().variables.len()];
        for id in self.ast().variables.ids() {
            self.constant(id, &mut colour);
        }
    }
    fn constant(&mut self, id: VariableId, colour: &mut [u8]) {
        let variable = &self.ast().variables[id];
        let at = ir::Id::index(id);
        if !variable.constant || colour[at] == 2 {
            return;
        }
        if colour[at] == 1 {
            let message = format!("the value of `{}` depends on itself", self.ast().text(variable.ident));
            self.error(Code::CircularReference, variable.ident.span, message);
            return;
        }
        colour[at] = 1;
        let mut used = vec![];
        if let Some(initial) = variable.initial {
            names_in(self.ast(), initial, &mut used);
        }
        for used in used {
            if let Some(Def::Variable(other)) = self.project.defs[used] {
                ir::deep(|| self.constant(other, colour));
            }
        }
        colour[at] = 2;
    }
    /// Events that no statechart waits for and none raises; only where there are statecharts with such ports.
    fn unused_events(&mut self) {
        let ast = self.ast();
        let mut used = vec![false; ast.events.len()];
        let mut offered = vec![false; ast.events.len()];
        for def in self.project.defs.iter().flatten() {
            if let Def::Event(event) = def {
                used[ir::Id::index(*event)] = true;
            }
        }
        let mut by_any = vec![];
        for event in ast.event_refs.iter() {
            if let EventRefKind::PortAny(port) = event.kind {
                by_any.push(port);
            }
        }
        let any = ast.triggers.iter().any(|trigger| trigger.kind == TriggerKind::Any);
        for (id, _) in self.statecharts() {
            for &port in &ast.components[id].ports {
                let Some(Def::Interface(interface)) = self.project.defs[ast.ports[port].interface] else {
                    continue;
                };
                for event in &self.project.interface_events[interface] {
                    offered[ir::Id::index(*event)] = true;
                }
            }
        }
        for port in by_any {
            let Some(Def::Port(port)) = self.project.defs[port] else { continue };
            let Some(Def::Interface(interface)) = self.project.defs[ast.ports[port].interface] else {
                continue;
            };
            for event in &self.project.interface_events[interface] {
                used[ir::Id::index(*event)] = true;
            }
        }
        for (id, event) in ast.events.entries() {
            let at = ir::Id::index(id);
            if offered[at] && !used[at] && !any {
                let message =
                    format!("event `{}` is never raised and never waited for", ast.text(event.ident));
                self.warn(Code::Unused, event.ident.span, message);
            }
        }
    }
    /// One warning for everything that contracts and phases say.
    fn contracts(&mut self) {
        let ast = self.ast();
        let mut first = None;
        let mut count = 0usize;
        for (id, chart) in self.statecharts() {
            let said = chart.annotations.contracts.len();
            if said > 0 {
                count += said;
                first.get_or_insert(ast.components[id].ident.span);
            }
        }
        for node in ast.nodes.iter() {
            if let NodeKind::State(state) = &node.kind
                && !state.annotations.is_empty()
            {
                count += state.annotations.len();
                first.get_or_insert(node.ident.span);
            }
        }
        if let Some(span) = first {
            let message =
                format!("contracts and phases are not interpreted; {count} annotations are skipped");
            self.warn(Code::IgnoredPart, span, message);
        }
    }
}

/// All names that are used in an expression.
pub(super) fn names_in(ast: &Ast, expr: ExprId, used: &mut Vec<RefId>) {
    if let ExprKind::Name(name) = ast.exprs[expr].kind {
        used.push(name);
    }
    each_child(&ast.exprs[expr].kind, &mut |child| ir::deep(|| names_in(ast, child, used)));
}

/// The operands of an expression.
pub(super) fn each_child(kind: &ExprKind, visit: &mut dyn FnMut(ExprId)) {
    match kind {
        ExprKind::Else
        | ExprKind::Bool(_)
        | ExprKind::Integer(_)
        | ExprKind::Rational(..)
        | ExprKind::Decimal(_)
        | ExprKind::Opaque(_)
        | ExprKind::Infinity
        | ExprKind::Name(_)
        | ExprKind::Literal { .. }
        | ExprKind::EventParameter { .. }
        | ExprKind::Raised(_)
        | ExprKind::InState { .. }
        | ExprKind::Elapsed(_) => {}
        ExprKind::Time(value, _)
        | ExprKind::Field(value, _)
        | ExprKind::Select(value)
        | ExprKind::Negate(value)
        | ExprKind::Plus(value)
        | ExprKind::Not(value)
        | ExprKind::Quantified(_, _, value) => visit(*value),
        ExprKind::Array(list) | ExprKind::Logic(_, list) => list.iter().copied().for_each(visit),
        ExprKind::Record { fields, .. } => fields.iter().for_each(|(_, value)| visit(*value)),
        ExprKind::Range { from, to, .. } => {
            visit(*from);
            visit(*to);
        }
        ExprKind::Index(one, other) | ExprKind::Compare(_, one, other) => {
            visit(*one);
            visit(*other);
        }
        ExprKind::Call(function, arguments) => {
            visit(*function);
            arguments.iter().copied().for_each(visit);
        }
        ExprKind::Product(first, rest) => {
            visit(*first);
            rest.iter().for_each(|(_, operand)| visit(*operand));
        }
        ExprKind::Sum(first, rest) => {
            visit(*first);
            rest.iter().for_each(|(_, operand)| visit(*operand));
        }
        ExprKind::Conditional(condition, yes, no) => {
            visit(*condition);
            visit(*yes);
            visit(*no);
        }
        ExprKind::Observed(observed) => observed.arguments.iter().copied().for_each(visit),
    }
}
