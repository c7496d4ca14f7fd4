//! What happens in a step, for the view: what came in, which adapters ran, which transitions fired, what went out.

use ir::{Id, Int, System, Term, Value, VarId};

use super::ast::*;
use super::atom::Elaborate;
use super::lower::{Entry, Role};
use super::question::Scope;
use crate::view::{Elapsed, Input, Occurrence, OccurrenceKind, View};

impl Scope {
    /// Adds what happens in steps to the view.
    pub(super) fn occurrences(&self, system: &mut System, view: &mut View) {
        let ast = &self.project.ast;
        let name = |port: PortId, event: EventId| {
            format!("{}.{}", ast.text(ast.ports[port].ident), ast.text(ast.events[event].ident))
        };
        for incoming in self.incoming() {
            let mut values = vec![];
            for (param, slots) in ast.events[incoming.event].params.iter().zip(&incoming.params) {
                let param = ast.text(ast.params[*param].ident);
                values.extend(slots.iter().map(|var| (self.slot_name(param, *var), *var)));
            }
            let name = name(incoming.port, incoming.event);
            let terms = values.iter().map(|(name, var)| (name.clone(), system.terms.var(*var))).collect();
            view.occurrences.push(Occurrence {
                kind: OccurrenceKind::Input,
                name: name.clone(),
                happened: system.terms.var(incoming.flag),
                values: terms,
                span: ast.ports[incoming.port].ident.span,
            });
            view.inputs.push(Input { name, flag: incoming.flag, values });
        }
        for (part, var) in self.activated() {
            let component = self.tree.parts[part].component;
            let span = match self.tree.parts[part].instance {
                Some(instance) => ast.instances[instance].ident.span,
                None => ast.components[component].ident.span,
            };
            let path = self.tree.path(part);
            view.occurrences.push(Occurrence {
                kind: OccurrenceKind::Run,
                name: if path.is_empty() { self.tree.parts[part].name.clone() } else { path.join(".") },
                happened: system.terms.var(var),
                values: vec![],
                span,
            });
        }
        for (at, Entry { part, role }) in self.table.iter().enumerate() {
            let (Role::Fired(transition), Some(part)) = (role, part) else { continue };
            let decl = &ast.transitions[*transition];
            let mut path = self.tree.path(*part).join(".");
            if !path.is_empty() {
                path += ": ";
            }
            view.occurrences.push(Occurrence {
                kind: OccurrenceKind::Transition,
                name: format!("{path}{} -> {}", ast.ref_text(decl.from), ast.ref_text(decl.to)),
                happened: system.terms.var(VarId::at(at)),
                values: vec![],
                span: decl.span,
            });
        }
        for (port, event) in self.outgoing() {
            let names = [ast.text(ast.ports[port].ident), ast.text(ast.events[event].ident)];
            let root = self.tree.root();
            let mut elaborate = Elaborate { ast, scope: self, system };
            let Some([happened]) = elaborate
                .inside(root, &names, ObservedKind::Raise, None)
                .as_deref()
                .map(|it: &[Term]| <[Term; 1]>::try_from(it))
                .and_then(Result::ok)
            else {
                continue;
            };
            let mut values = vec![];
            for param in &ast.events[event].params {
                let param = ast.text(ast.params[*param].ident);
                let slots =
                    elaborate.inside(root, &names, ObservedKind::Parameter, Some(param)).unwrap_or_default();
                values.extend(slots.into_iter().map(|term| (param.to_owned(), term)));
            }
            view.occurrences.push(Occurrence {
                kind: OccurrenceKind::Output,
                name: name(port, event),
                happened,
                values,
                span: ast.ports[port].ident.span,
            });
        }
    }
    /// How much time passes in each step, if a period says so.
    pub(super) fn elapsed(&self, system: &mut System) -> Option<Elapsed> {
        let period = self.period?;
        let amount = match self.passed() {
            Some(passed) => system.terms.var(passed),
            None if period.least == period.most => {
                system.terms.constant(Value::Int(Int::from(period.least as i64)))
            }
            // Nobody counts it.
            None => return None,
        };
        Some(Elapsed { amount, unit: "ms" })
    }
    /// A parameter, or a field of it.
    fn slot_name(&self, param: &str, var: VarId) -> String {
        match &self.table[var.index()].role {
            Role::GivenParameter(.., suffix) => format!("{param}{}", suffix.replacen('_', ".", 1)),
            _ => param.to_owned(),
        }
    }
}
