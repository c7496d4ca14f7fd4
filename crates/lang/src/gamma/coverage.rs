//! Coverage: what runs are to visit, as questions. A goal is reachable if some stable state shows that it was visited; one that
//! is not is a dead part of the model.
//!
//! - *state coverage*: each state of each region of each statechart is active;
//! - *transition coverage*: each transition fires, except those that leave an entry node, which their region cannot do without;
//! - *out-event coverage*: each event that can go out of the system does, with each value of a boolean or enumeration parameter.

use std::fmt;
use std::str::FromStr;

use ir::{Claim, Id, System, Term, Type, Value, VarId};
use rustc_hash::FxHashMap;

use super::instance::PartId;
use super::lower::Role;
use super::question::Scope;
use super::task::CoverageKind;
use crate::question::Question;

/// What is to be covered by runs.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Criterion {
    /// Every state.
    State,
    /// Every transition.
    Transition,
    /// Every event that goes out of the system.
    OutEvent,
}

impl Criterion {
    /// All of them.
    pub const ALL: &[Criterion] = &[Criterion::State, Criterion::Transition, Criterion::OutEvent];

    /// What a task asks for, if that is asked here.
    pub(super) fn of(kind: CoverageKind) -> Option<Self> {
        match kind {
            CoverageKind::State => Some(Criterion::State),
            CoverageKind::Transition => Some(Criterion::Transition),
            CoverageKind::OutEvent => Some(Criterion::OutEvent),
            CoverageKind::TransitionPair
            | CoverageKind::Interaction
            | CoverageKind::Dataflow
            | CoverageKind::InteractionDataflow
            | CoverageKind::UnstableState => None,
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Criterion::State => "state",
            Criterion::Transition => "transition",
            Criterion::OutEvent => "out-event",
        })
    }
}

/// A word is no criterion.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct NoCriterion;

impl fmt::Display for NoCriterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what can be covered is `state`, `transition` and `out-event`")
    }
}

impl std::error::Error for NoCriterion {}

impl FromStr for Criterion {
    type Err = NoCriterion;

    fn from_str(text: &str) -> Result<Criterion, NoCriterion> {
        let known = Criterion::ALL.iter().find(|criterion| criterion.to_string() == text);
        known.copied().ok_or(NoCriterion)
    }
}

impl Scope {
    /// The goals of a criterion in these parts of the system, each whether some run comes to it.
    pub(super) fn goals(
        &self,
        system: &mut System,
        criterion: Criterion,
        counts: &dyn Fn(PartId) -> bool,
    ) -> Vec<Question> {
        let goals = match criterion {
            Criterion::State => self.states(system, counts),
            Criterion::Transition => self.transitions(system, counts),
            Criterion::OutEvent => self.out_events(system),
        };
        let mut seen: FxHashMap<String, usize> = FxHashMap::default();
        let mut questions = vec![];
        for (name, text, condition) in goals {
            // Two transitions may connect the same nodes.
            let number = seen.entry(name.clone()).or_default();
            *number += 1;
            let name = if *number > 1 { format!("{name} ({number})") } else { name };
            let stuck = self.is_stuck(system);
            let going = system.terms.not(stuck);
            let condition = system.terms.and([condition, going]);
            let text = text.unwrap_or_else(|| name.clone());
            questions.push(Question::new(name, text.clone(), text, Claim::Possibly(condition)));
        }
        questions
    }
    fn states(&self, system: &mut System, counts: &dyn Fn(PartId) -> bool) -> Vec<Goal> {
        let ast = &self.project.ast;
        let mut goals = vec![];
        for (var, part, role) in self.roles() {
            let (Role::Region(region, states), Some(part)) = (role, part) else { continue };
            let Type::Enum(id) = system.terms.var_type(var) else { continue };
            if !counts(part) {
                continue;
            }
            let region = ast.text(ast.regions[*region].ident);
            for (number, state) in states.iter().enumerate() {
                let value = system.terms.var(var);
                let literal = system.terms.constant(Value::Enum(id, number as u32 + 1));
                let active = system.terms.eq(value, literal);
                let state = ast.text(ast.nodes[*state].ident);
                let path = self.tree.path(part);
                let name = format!("state {}{region}.{state}", dotted(&path));
                let text = format!("E F {{ state {}{region}.{state} }}", arrows(&path));
                goals.push((name, Some(text), active));
            }
        }
        goals
    }
    fn transitions(&self, system: &mut System, counts: &dyn Fn(PartId) -> bool) -> Vec<Goal> {
        let ast = &self.project.ast;
        let mut goals = vec![];
        for (var, part, role) in self.roles() {
            let (Role::Fired(transition), Some(part)) = (role, part) else { continue };
            let decl = &ast.transitions[*transition];
            if !counts(part) || ast.nodes[self.project.node(decl.from)].kind.is_entry() {
                continue;
            }
            let id = decl.ids.first().map_or(String::new(), |id| format!(" @({})", ast.text(*id)));
            let (from, to) = (ast.ref_text(decl.from), ast.ref_text(decl.to));
            let name = format!("transition {}{from} -> {to}{id}", dotted(&self.tree.path(part)));
            goals.push((name, None, system.terms.var(var)));
        }
        goals
    }
    fn out_events(&self, system: &mut System) -> Vec<Goal> {
        let ast = &self.project.ast;
        let mut goals: Vec<Goal> = vec![];
        let mut add = |system: &mut System, name: String, condition: Term| {
            match goals.iter_mut().find(|(known, _, _)| *known == name) {
                // What several instances raise goes out of one port.
                Some((_, _, known)) => *known = system.terms.or([*known, condition]),
                None => goals.push((name, None, condition)),
            }
        };
        for ((port, event), (part, of_port, of_event)) in &self.system_outs {
            let name =
                format!("event {}.{}", ast.text(ast.ports[*port].ident), ast.text(ast.events[*event].ident));
            let own = |at: Option<PartId>, known: &(super::ast::PortId, super::ast::EventId)| {
                at == Some(*part) && *known == (*of_port, *of_event)
            };
            let flag = self.roles().find_map(|(var, at, role)| match role {
                Role::Out(port, event) if own(at, &(*port, *event)) => Some(var),
                _ => None,
            });
            let Some(flag) = flag else { continue };
            let raised = system.terms.var(flag);
            add(system, name.clone(), raised);
            for (var, at, role) in self.roles() {
                let Role::OutParameter(port, event, number, suffix) = role else { continue };
                if !own(at, &(*port, *event)) {
                    continue;
                }
                let param = ast.events[*event].params[*number];
                let param =
                    format!("{name}::{}{}", ast.text(ast.params[param].ident), suffix.replace('_', "."));
                for (word, is) in values(system, var) {
                    let both = system.terms.and([raised, is]);
                    add(system, format!("{param} = {word}"), both);
                }
            }
        }
        goals
    }
    fn roles(&self) -> impl Iterator<Item = (VarId, Option<PartId>, &Role)> {
        self.table.iter().enumerate().map(|(at, entry)| (VarId::at(at), entry.part, &entry.role))
    }
}

/// The name of a goal, how one asks for it, if there is a way, and what shows that it is reached.
type Goal = (String, Option<String>, Term);

fn dotted(path: &[&str]) -> String {
    path.iter().map(|name| format!("{name}.")).collect()
}

fn arrows(path: &[&str]) -> String {
    if path.is_empty() { String::new() } else { format!("{}.", path.join(" -> ")) }
}

/// The values of a boolean or an enumeration variable, and when it has them; none for others.
fn values(system: &mut System, var: VarId) -> Vec<(String, Term)> {
    let value = system.terms.var(var);
    match system.terms.var_type(var) {
        Type::Bool => {
            let no = system.terms.not(value);
            vec![("true".to_owned(), value), ("false".to_owned(), no)]
        }
        Type::Enum(id) => {
            let literals = system.types().enum_type(id).literals.clone();
            let is = literals.iter().enumerate().map(|(number, literal)| {
                let constant = system.terms.constant(Value::Enum(id, number as u32));
                (literal.to_string(), system.terms.eq(value, constant))
            });
            is.collect()
        }
        _ => vec![],
    }
}
