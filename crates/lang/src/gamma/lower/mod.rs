//! From a project to a system: `docs/statecharts.md`, as XSTS.
//!
//! The system is built as a tree of XSTS ([`emit`]), with the places of the `.gcd` files in it, and that is lowered by
//! the front-end of XSTS: one step of the environment, then one of the system. So what `convert` writes and what is
//! checked come from the same lowering. What is checked has, besides, variables that no XSTS file needs
//! ([`Purpose::Check`]): which transitions fired, which events were there, where a run ended. A question that is not
//! about them loses them to slicing.
//!
//! A value of the language is a list of *slots*, one for each scalar in it: a record has those of its fields, an array of
//! records an array for each slot of the record ([`types`]).

mod action;
mod adapter;
mod chart;
mod composite;
mod emit;
mod ending;
mod entry;
mod environment;
mod expr;
mod function;
mod region;
mod route;
mod time;
mod transition;
mod types;

use indexmap::IndexMap;
use ir::{IdVec, Int, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::*;
use super::instance::{PartId, PartKind, Tree};
use super::project::{Def, Project};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::xsts::ast as x;
use chart::Leaf;
use emit::Emit;
use types::Slot;

pub use time::Period;

/// What the result is for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// To be checked, and to be told about in the user's words.
    Check,
    /// To be written as XSTS.
    Export,
}

/// How a model is meant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    /// How much time passes in each step; any amount if nothing is said.
    pub(crate) period: Option<Period>,
    /// How many milliseconds a cycle takes at most, if time is not counted by it.
    pub(crate) cycle_within: Option<u64>,
    /// Whether invariants are checked, and not assumed.
    pub(crate) check_invariants: bool,
    /// The parameters of the system, as constant expressions of the project.
    pub(crate) arguments: Vec<ExprId>,
}

/// An event of a port.
pub(crate) type PortEvent = (PortId, EventId);
/// An event of a port of a part.
pub(crate) type PartEvent = (PartId, PortId, EventId);

/// A value: its slots.
pub(crate) type Value = Vec<x::ExprId>;

/// What the lowering has made.
pub(crate) struct Lowered {
    /// The model as XSTS.
    pub(crate) model: x::Model,
    pub(crate) tree: Tree,
    /// What each state variable is, in order.
    pub(crate) table: Vec<Entry>,
    /// What can end a run; `stuck` is the number of one of them, from 1.
    pub(crate) findings: Vec<Finding>,
    /// The variable that tells it, if there are any.
    pub(crate) stuck: Option<usize>,
    /// For each event that goes out of the system, where it is raised.
    pub(crate) system_outs: Vec<(PortEvent, PartEvent)>,
    /// Enumerations, and what they are called in the XSTS.
    pub(crate) enums: Vec<(TypeId, x::Name)>,
}

/// A state variable and what it is to the user.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// What it belongs to.
    pub(crate) part: Option<PartId>,
    pub(crate) role: Role,
}

/// What a state variable is to the user.
#[derive(Clone, Debug)]
pub(crate) enum Role {
    /// The active state of a region: the states in order of the literals, from number 1 on; remembered ones follow.
    Region(RegionId, Vec<NodeId>),
    /// A slot of a variable.
    Variable(VariableId, String),
    /// A timer.
    Timeout(TimeoutId),
    /// A timer of an adapter.
    Clock(ClockId),
    /// An event that waits for the next cycle.
    In(PortId, EventId),
    /// A slot of a parameter of one.
    InParameter(PortId, EventId, usize, String),
    /// An event that went out in this step.
    Out(PortId, EventId),
    /// A slot of a parameter of one.
    OutParameter(PortId, EventId, usize, String),
    /// An event that was there in this step.
    Seen(PortId, EventId),
    /// A slot of a parameter of one.
    SeenParameter(PortId, EventId, usize, String),
    /// An event that the environment raised in this step, at a port of the system.
    Given(PortId, EventId),
    /// A slot of a parameter of one.
    GivenParameter(PortId, EventId, usize, String),
    /// A transition that fired in this step.
    Fired(TransitionId),
    /// An adapter that was activated in this step.
    Ran,
    /// How much time passed in this step.
    Passed,
    /// A part of a queue.
    Queue(usize),
    /// Something that nobody need see.
    Hidden,
}

/// A place where a run can end.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) kind: FindingKind,
    pub(crate) span: Span,
    pub(crate) part: PartId,
    /// What the user calls it, if it has a name.
    pub(crate) name: Option<String>,
}

/// Why a run can end.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum FindingKind {
    /// No branch of a choice node is enabled.
    Choice,
    /// No branch of a choice statement is.
    ChoiceStatement,
    /// An assertion fails.
    Assertion,
    /// An invariant does not hold.
    Invariant,
}

/// What a name of the text stands for in the target.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    /// Variables, one for each slot.
    Variables(Vec<x::Name>),
    /// A value.
    Value(Value),
}

/// Lowers a component with everything in it.
///
/// # Errors
/// What cannot be lowered, by place.
pub(crate) fn lower(
    project: &Project,
    component: ComponentId,
    settings: &Settings,
    purpose: Purpose,
) -> Result<Lowered, Vec<Diagnostic>> {
    let tree = Tree::new(project, component).map_err(|error| vec![error])?;
    let mut lowering = Lowering {
        project,
        tree,
        settings,
        purpose,
        x: Emit::default(),
        diagnostics: Diagnostics::default(),
        table: vec![],
        enums: FxHashMap::default(),
        region_types: FxHashMap::default(),
        arguments: FxHashMap::default(),
        leaves: IdVec::new(),
        adapters: FxHashMap::default(),
        part: ir::Id::at(0),
        locals: vec![],
        frames: vec![],
        hoisted: None,
        calls: vec![],
        pure: FxHashMap::default(),
        fired: vec![],
        first: entry::First::default(),
        guards: FxHashMap::default(),
        buffers: FxHashMap::default(),
        pending: FxHashMap::default(),
        timers: vec![],
        given: IndexMap::default(),
        findings: vec![],
        stuck: None,
        this: None,
        refused: FxHashSet::default(),
    };
    lowering.system();
    let system_outs = lowering.system_outs();
    let enums = lowering.enums.iter().map(|(ty, (name, _))| (*ty, *name)).collect();
    let Lowering { x, tree, table, findings, stuck, diagnostics, .. } = lowering;
    if !diagnostics.is_empty() {
        return Err(diagnostics.finish());
    }
    let stuck = stuck.map(|(_, at)| at);
    Ok(Lowered { model: x.model, tree, table, findings, stuck, system_outs, enums })
}

/// The state of the lowering.
struct Lowering<'a> {
    project: &'a Project,
    tree: Tree,
    settings: &'a Settings,
    purpose: Purpose,
    x: Emit,
    diagnostics: Diagnostics,
    table: Vec<Entry>,
    /// Enumerations with the names of their literals.
    enums: FxHashMap<TypeId, (x::Name, Vec<x::Name>)>,
    /// The types of regions, which all instances share.
    region_types: FxHashMap<RegionId, (x::Name, chart::Literals)>,
    /// Values of component parameters.
    arguments: FxHashMap<(PartId, ParamId), Value>,
    /// Statecharts, by part.
    leaves: IdVec<PartId, Option<Leaf>>,
    adapters: FxHashMap<PartId, adapter::Wrapper>,

    // Where we are.
    /// The part whose names are in scope.
    part: PartId,
    /// What local names stand for, the innermost last.
    locals: Vec<(Def, Bound)>,
    /// Procedures and loops that are being inlined.
    frames: Vec<action::Frame>,
    /// Statements that have to happen before the expression that is being read, where there may be any.
    hoisted: Option<Vec<x::StmtId>>,
    /// Functions that are being inlined.
    calls: Vec<FunctionId>,
    /// Which functions change nothing but their own variables.
    pure: FxHashMap<FunctionId, bool>,
    /// What is set when a transition fires.
    fired: Vec<x::Name>,
    /// Regions that were entered along the transitions of their entry nodes.
    first: entry::First,
    /// Guards that were evaluated at the beginning of the step: trigger and guard.
    guards: FxHashMap<TransitionId, (x::ExprId, x::ExprId)>,
    /// For each `sync` composition that is running, what arrives at the end of its cycle.
    buffers: FxHashMap<PartId, chart::Buffer>,
    /// For each adapter that is active, what its component has raised.
    pending: FxHashMap<PartId, chart::Signals>,
    /// Timers with the values beyond which they need not grow.
    timers: Vec<(x::Name, Int)>,
    /// What the environment raises at the ports of the system.
    given: chart::Signals,
    findings: Vec<Finding>,
    /// The variable that tells which of them has happened.
    stuck: Option<(x::Name, usize)>,
    /// The port whose invariant is read.
    this: Option<PortId>,
    /// What has been refused already, by place.
    refused: FxHashSet<Span>,
}

impl Lowering<'_> {
    /// Says once that something is wrong.
    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        if self.refused.insert(span) {
            self.diagnostics.push(Diagnostic::error(code, span, message));
        }
    }
    /// Declares a state variable.
    fn declare(&mut self, wanted: &str, slot: &Slot, part: Option<PartId>, role: Role) -> x::Name {
        let name = self.x.fresh(wanted);
        let ty = self.slot_type(slot);
        let initial = self.slot_default(slot);
        let control = matches!(role, Role::Region(..));
        self.x.variable(name, ty, Some(initial), control);
        self.table.push(Entry { part, role });
        name
    }
    /// Declares a local variable for each slot, with a value.
    fn local(
        &mut self,
        wanted: &str,
        slots: &[(String, Slot)],
        value: &[x::ExprId],
        out: &mut Vec<x::StmtId>,
    ) -> Vec<x::Name> {
        let mut names = vec![];
        for ((suffix, slot), value) in slots.iter().zip(value) {
            let name = self.x.fresh(&format!("_{wanted}{suffix}_"));
            let ty = self.slot_type(slot);
            out.push(self.x.local(name, ty, Some(*value)));
            names.push(name);
        }
        names
    }
    /// A local truth value.
    fn flag(&mut self, wanted: &str, value: x::ExprId, out: &mut Vec<x::StmtId>) -> x::Name {
        self.local(wanted, &[(String::new(), Slot::Bool)], &[value], out)[0]
    }
    /// What happens where a run ends.
    fn finding(&mut self, kind: FindingKind, span: Span, name: Option<String>) -> Vec<x::StmtId> {
        if self.purpose == Purpose::Export {
            let never = self.x.bool(false);
            return vec![self.x.assume(never)];
        }
        let stuck = match self.stuck {
            Some((stuck, _)) => stuck,
            None => {
                let at = self.table.len();
                let stuck = self.declare("__stuck__", &Slot::Int, None, Role::Hidden);
                self.stuck = Some((stuck, at));
                stuck
            }
        };
        let known = self
            .findings
            .iter()
            .position(|known| known.span == span && known.part == self.part && known.kind == kind);
        let number = known.unwrap_or_else(|| {
            self.findings.push(Finding { kind, span, part: self.part, name });
            self.findings.len() - 1
        });
        let number = self.x.int(number as i64 + 1);
        vec![self.x.assign(stuck, number)]
    }
    /// The whole system: variables, initialisation, environment and steps.
    fn system(&mut self) {
        let root = self.tree.root();
        self.reserve_literals();
        self.bind_arguments();
        for _ in 0..self.tree.parts.len() {
            self.leaves.push(None);
        }
        for part in self.tree.leaves(root) {
            self.declare_leaf(part);
        }
        self.declare_adapters();
        let mut init = vec![];
        self.initialise_system(&mut init);
        let mut trans = vec![];
        self.pass_time(&mut trans);
        let mut run = vec![];
        let alone = self.simple_adapter();
        let mut env = vec![];
        self.environment(alone, &mut env);
        self.ticks(&mut run);
        match alone {
            Some(adapter) => {
                let inner = self.tree.parts[adapter].children[0];
                self.open_pending(adapter, &mut run);
                self.cycle(inner, &mut run);
                self.close_pending(adapter, &mut run);
                self.mark_ran(adapter, &mut run);
            }
            None => match self.tree.parts[root].kind {
                PartKind::Leaf | PartKind::Composite(CompositeKind::Sync | CompositeKind::Cascade) => {
                    self.cycle(root, &mut run);
                }
                _ => self.activate(root, &mut run),
            },
        }
        trans.extend(run);
        let (init, trans) = (self.until_stuck(init), self.until_stuck(trans));
        if let Some((stuck, _)) = self.stuck {
            let (stuck, zero) = (self.x.name(stuck), self.x.int(0));
            let going = self.x.compare(x::CompareOp::Eq, stuck, zero);
            env.insert(0, self.x.assume(going));
        }
        let span = self.project.ast.components[self.tree.parts[root].component].ident.span;
        for (section, list) in [(0, init), (1, env), (2, trans)] {
            let block = self.x.braced(list);
            let section_tree = Some(x::Section { span, branches: vec![block] });
            match section {
                0 => self.x.model.init = section_tree,
                1 => self.x.model.env = section_tree,
                _ => self.x.model.trans = section_tree,
            }
        }
    }
    /// Literals may be written in several types, but no variable may be called like one.
    fn reserve_literals(&mut self) {
        for ty in self.project.ast.types.iter() {
            if let TypeKind::Enum(literals) = &ty.kind {
                literals.iter().for_each(|literal| self.x.reserve(self.project.ast.text(*literal)));
            }
        }
        self.x.reserve(chart::INACTIVE);
        for node in self.project.ast.nodes.iter().filter(|node| node.kind.is_state()) {
            let text = self.project.ast.text(node.ident);
            self.x.reserve(text);
            self.x.reserve(&format!("{text}_Inactive_"));
        }
    }
    /// Evaluates the arguments of all instances, from outer to inner.
    fn bind_arguments(&mut self) {
        let ids: Vec<PartId> = self.tree.parts.ids().collect();
        for part in ids {
            let Some(parent) = self.tree.parts[part].parent else {
                self.root_arguments(part);
                continue;
            };
            let component = self.tree.parts[part].component;
            let params = self.project.ast.components[component].params.clone();
            let Some(instance) = self.tree.parts[part].instance else {
                // The statechart in its own adapter has the arguments of the adapter.
                for param in params {
                    let value = self.arguments[&(parent, param)].clone();
                    self.arguments.insert((part, param), value);
                }
                continue;
            };
            let arguments = self.project.ast.instances[instance].arguments.clone();
            self.part = parent;
            for (at, param) in params.into_iter().enumerate() {
                let value = match arguments.get(at) {
                    Some(argument) => {
                        let wanted = self.project.written[self.project.ast.params[param].ty];
                        self.value(*argument, wanted)
                    }
                    None => self.default_of(self.project.written[self.project.ast.params[param].ty]),
                };
                self.arguments.insert((part, param), value);
            }
        }
    }
    fn root_arguments(&mut self, part: PartId) {
        let component = self.tree.parts[part].component;
        let params = self.project.ast.components[component].params.clone();
        if params.len() != self.settings.arguments.len() && !params.is_empty() {
            let decl = &self.project.ast.components[component];
            let text = self.project.ast.text(decl.ident);
            let message = format!(
                "`{text}` has parameters, whose values nobody has given; check a composition that has an instance of it, or give values"
            );
            let span = decl.ident.span;
            self.error(Code::WrongCount, span, message);
        }
        self.part = part;
        for (at, param) in params.into_iter().enumerate() {
            let ty = self.project.written[self.project.ast.params[param].ty];
            let value = match self.settings.arguments.get(at) {
                Some(argument) => self.value(*argument, ty),
                None => self.default_of(ty),
            };
            self.arguments.insert((part, param), value);
        }
    }
}
