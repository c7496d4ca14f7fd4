//! Processes with their locations and edges, and the channels between them.
//!
//! A channel array is one channel of the system whose position partners agree on, except where it is
//! used CSP-style: "all who know the channel" is said of single channels, so there each position is a
//! channel of its own. Where a guard, an invariant or the position of a channel can go wrong, an edge
//! of its own leads from that location to the fault, and the guard or the invariant is false. While other
//! processes are committed that edge is held back, but partners of theirs are asked all the same: a
//! synchronising edge then has twins that go wrong together with its partners.

use indexmap::IndexMap;
use ir::range::Ranges;
use ir::{
    Channel, ChannelId, ChannelKind, Checked, EdgeId, FaultState, Faults, Guarded, Id, IdVec, LocationId,
    LocationKind, Process, ProcessId, Role, Span, Term, Undefined, VarId,
};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::code::Code as Cause;
use crate::diagnostic::Diagnostic;
use crate::view::Labels;
use crate::xta::ast::*;
use crate::xta::elaborate::{Elaborator, WIDEST};
use crate::xta::expr::{Class, Val, then};
use crate::xta::instance::Instantiated;
use crate::xta::scope::{Point, Symbol};
use crate::xta::selection::Selected;
use crate::xta::types::*;

/// An edge and the channel it uses, before channels are made.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    process: ProcessId,
    edge: EdgeId,
    tie: Tie,
    heading: Heading,
}

/// What distinguishes an edge of the system from others of its process.
#[derive(Clone, Debug)]
pub(super) struct Heading {
    /// Which edge of the template it comes from.
    pub(super) at: usize,
    /// The values of what is selected.
    pub(super) chosen: Vec<String>,
    /// What is selected, and from how many values each.
    pub(super) selected: Vec<(String, u64)>,
}

/// The parts of a guard that the user joined by `&&`, and what each of them says once that is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conjuncts {
    wanted: Vec<ExprId>,
    found: Vec<(Span, Term)>,
}

impl Conjuncts {
    /// Looks for the parts of these conditions.
    fn want(&mut self, ast: &Ast, conditions: &[ExprId]) {
        let mut open: Vec<ExprId> = conditions.iter().rev().copied().collect();
        while let Some(expr) = open.pop() {
            match &ast.exprs[expr].kind {
                ExprKind::Chain(first, rest) if rest.iter().all(|(op, _)| *op == Binary::And) => {
                    open.extend(rest.iter().rev().map(|(_, expr)| *expr).chain([*first]));
                }
                _ => self.wanted.push(expr),
            }
        }
    }
    /// What an expression says, which may be one of the parts.
    pub(crate) fn note(&mut self, expr: ExprId, span: Span, term: Term) {
        if self.wanted.contains(&expr) {
            self.found.push((span, term));
        }
    }
    /// What was found, and is looked for no more.
    fn take(&mut self) -> Vec<(Span, Term)> {
        std::mem::take(self).found
    }
}

/// What the title of an edge is made of besides its locations.
#[derive(Clone, Debug)]
pub(crate) struct Wording {
    /// Where its guard and the rest are written.
    pub(crate) labels: Labels,
    /// The channel that it uses, and what was chosen.
    pub(crate) rest: String,
}

impl Heading {
    /// The label of the edge, which files know it by: its number, and the rest.
    fn label(&self, rest: &str) -> String {
        format!("trans {}{rest}", self.at + 1)
    }
    /// The channel that the edge uses, and what was chosen.
    fn rest(&self, channel: Option<(String, Role)>) -> String {
        let channel = channel.map_or_else(String::new, |(name, role)| match role {
            Role::Emit => format!(" {name}!"),
            Role::Receive => format!(" {name}?"),
            Role::Join => format!(" {name}"),
        });
        let chosen = match &self.chosen[..] {
            [] => String::new(),
            chosen => format!(" ({})", chosen.join(", ")),
        };
        format!("{channel}{chosen}")
    }
}

/// A use of a channel.
#[derive(Copy, Clone, Debug)]
struct Tie {
    channel: usize,
    /// The flat position in an array of channels.
    index: Option<Term>,
    role: Role,
    span: Span,
}

/// Elaborates the whole model.
pub(crate) fn lower(cx: &mut Elaborator) {
    let ast = cx.ast.clone();
    cx.declare_all(&ast.decls, "");
    cx.start_priorities();
    cx.instantiate();
    cx.check_speeds();
    cx.check_rates();
    cx.connect();
    cx.check_priorities();
    cx.check_many_urgent();
    cx.check_stopwatches();
    if let Some(which) = cx.which {
        let yes = cx.system.terms.bool(true);
        let location = |name: &str| ir::Location::new(name, yes, LocationKind::Normal);
        let mut locations = IdVec::new();
        let initial = locations.push(location("ok"));
        let fault = locations.push(ir::Location { observed: false, ..location("fault") });
        let (name, initial) = ("$fault".to_owned(), Some(initial));
        let process = Process { name, shown: false, locations, initial, ..Process::default() };
        let process = cx.system.processes.push(process);
        cx.system.fault = Some(FaultState { process, location: fault, which });
    }
}

impl Elaborator {
    /// Makes a process; parameters are declared in the current scope, `first_var` is the first of its
    /// own variables.
    pub(crate) fn process(&mut self, instance: &Instantiated, first_var: usize) {
        let ast = self.ast.clone();
        let template = &ast.templates[instance.template];
        self.making = Some(ProcessId::at(self.system.processes.len()));
        self.declare_all(&template.decls, &format!("{}.", instance.name));
        let family = (self.text(template.ident.name).to_owned(), instance.family.clone());
        let mut process = Process {
            name: instance.name.clone(),
            initial: template.initial.map(LocationId::at),
            family: Some(family),
            ..Process::default()
        };
        let mut out = Out {
            process: ProcessId::at(self.system.processes.len()),
            template: instance.template,
            first_var,
            edges: IdVec::new(),
            refused: 0,
            fault_edges: IndexMap::default(),
        };
        for (at, location) in template.locations.iter().enumerate() {
            self.rates_count = Some(self.system.terms.bool(true));
            let invariant = self.conditions(&location.invariant, "invariant");
            self.rates_count = None;
            let stopped = self.stopped();
            if location.named {
                self.declare(location.ident, Symbol::Location);
            }
            if template.initial == Some(at) {
                self.starts(&instance.name, location, &invariant);
            }
            let invariant = self.remaining(&invariant, &mut Ranges::default());
            let (invariant, undefined) =
                self.faulty(LocationId::at(at), &invariant, location.ident.span, &mut out);
            let name = self.text(location.ident.name);
            process.locations.push(ir::Location {
                undefined,
                stopped,
                ..ir::Location::new(name, invariant, location.kind)
            });
        }
        for (at, edge) in template.edges.iter().enumerate() {
            self.selected(&[edge], at, &mut Selected::default(), &mut out);
        }
        let mut at = template.edges.len();
        for branch in &template.branches {
            if branch.outgoing.is_empty() && !branch.incoming.is_empty() {
                let message = "no edge leaves this branch point";
                self.error(Cause::Misconnected, branch.ident.span, message);
                // What leads there is checked all the same.
                for first in &branch.incoming {
                    self.selected(&[first], at, &mut Selected::default(), &mut out);
                }
            }
            if branch.incoming.is_empty() {
                self.names_of_branches(template, branch);
            }
            for first in &branch.incoming {
                for second in &branch.outgoing {
                    self.selected(&[first, second], at, &mut Selected::default(), &mut out);
                    at += 1;
                }
            }
        }
        out.fault_edges.values().for_each(|edge| self.evaluates(out.process, *edge));
        process.edges = out.edges;
        let made = self.system.processes.push(process);
        debug_assert_eq!(made, out.process);
        self.making = None;
    }
    /// Refuses an initial location whose invariant goes wrong or does not hold at the start.
    fn starts(&mut self, process: &str, location: &Location, invariant: &Checked) {
        let (Some(first), Some(last)) = (location.invariant.first(), location.invariant.last()) else {
            return;
        };
        let span = self.ast.exprs[*first].span.to(self.ast.exprs[*last].span);
        let zero = self.system.terms.constant(ir::Value::rat(ir::Rat::ZERO));
        let mut start: FxHashMap<VarId, Term> = self.system.clocks().map(|clock| (clock, zero)).collect();
        for (var, value) in &self.system.initial {
            start.insert(*var, self.system.terms.held_by(*var, *value));
        }
        let mut is = |term: Term, value: bool| {
            let term = self.system.terms.substitute(term, &start);
            self.system.terms.as_const(term) == Some(&value.into())
        };
        let undefined = invariant.faults.iter().any(|(condition, _)| is(*condition, true));
        let fails = !undefined && is(invariant.term, false);
        let name = format!("`{process}.{}`", self.text(location.ident.name));
        if undefined {
            self.error(Cause::Undefined, span, format!("this invariant of {name} goes wrong at the start"));
        } else if fails {
            let message =
                format!("this invariant of {name} does not hold at the start, so there is no initial state");
            self.error(Cause::NoInitialState, span, message);
        }
    }
    /// A guard or an invariant: all of the conditions, left to right.
    pub(super) fn conditions(&mut self, list: &[ExprId], what: &str) -> Checked {
        let mut parts = vec![];
        for expr in list {
            let Some((condition, class)) = self.pure(|cx| cx.truth(*expr)) else { continue };
            if class == Class::Constraint {
                let span = self.ast.exprs[*expr].span;
                let message = format!(
                    "clocks may stand in this {what} only in conjunctions, not under `||`, `!` or `!=`"
                );
                self.error(Cause::ClockMisuse, span, message);
            }
            parts.push(condition);
        }
        Checked::junction(&mut self.system.terms, parts, false)
    }
    /// An edge of the system: one of the template, or one to a branch point and one from there.
    pub(super) fn edge(
        &mut self,
        path: &[&Edge],
        heading: Heading,
        points: &[Point],
        out: &mut Out,
    ) -> Option<()> {
        let (first, last) = (path[0], path[path.len() - 1]);
        let source = LocationId::at(first.source);
        let (mut conditions, mut conjuncts) = (vec![], vec![]);
        for (edge, point) in path.iter().zip(points) {
            self.conjuncts.want(&self.ast, &edge.guard);
            conditions.push(self.within(*point, |cx| cx.conditions(&edge.guard, "guard")));
            conjuncts.extend(self.conjuncts.take());
        }
        let mut condition = Checked::junction(&mut self.system.terms, conditions, false);
        let mut tie = None;
        for (edge, point) in path.iter().zip(points) {
            let Some(sync) = edge.sync else { continue };
            if tie.is_some() {
                let span = self.ast.exprs[sync.channel].span;
                let message = "an edge from a branch point cannot synchronise if one that leads there does";
                return self.fail(Cause::Misconnected, span, message);
            }
            tie = self.within(*point, |cx| cx.tie(edge, sync, &conjuncts, &mut condition));
            if tie.is_none() {
                self.update(path, points, condition.term, true, out);
                return None;
            }
        }
        let rest = heading.rest(tie.map(|tie| (self.channel_name(tie), tie.role)));
        let label = heading.label(&rest);
        let condition = self.remaining(&condition, &mut Ranges::default());
        let (guard, _) = self.faulty(source, &condition, first.span, out);
        if let Some(tie) = tie.filter(|_| self.asked_while_others_are_committed(out.template, source)) {
            for twin in self.twins(source, &condition, &label, first.span) {
                let edge = out.edges.push(twin);
                self.evaluates(out.process, edge);
                self.uses.push(Use { process: out.process, edge, tie, heading: heading.clone() });
            }
        }
        let role = tie.map(|tie| tie.role);
        let never = self.system.terms.as_const(guard) == Some(&false.into());
        let wording = Wording { labels: self.labels(path, &heading, conjuncts), rest };
        if never && role != Some(Role::Join) {
            // It is checked all the same.
            self.update(path, points, guard, true, out);
            let known = |(process, _, known): &(ProcessId, _, Wording)| {
                *process == out.process && known.labels.number == wording.labels.number
            };
            if !self.impossible.last().is_some_and(known) {
                self.impossible.push((out.process, [source, LocationId::at(last.target)], wording));
            }
            return Some(());
        }
        let alone = !matches!(role, Some(Role::Receive | Role::Join));
        let update = self.update(path, points, guard, alone, out);
        let id = out.edges.push(ir::Edge {
            source,
            target: LocationId::at(last.target),
            guard,
            update,
            sync: None,
            label,
            span: first.span,
        });
        self.wordings.insert((out.process, id), wording);
        if let Some(tie) = tie {
            self.uses.push(Use { process: out.process, edge: id, tie, heading });
        }
        Some(())
    }
    /// Where edges that follow each other are written.
    fn labels(&self, path: &[&Edge], heading: &Heading, conjuncts: Vec<(Span, Term)>) -> Labels {
        let written = |expr: &ExprId| self.ast.exprs[*expr].span;
        let sync = path.iter().find_map(|edge| edge.sync);
        Labels {
            number: heading.at,
            title: String::new(),
            selected: heading.selected.iter().map(|(name, _)| name.clone()).collect(),
            choices: heading.selected.iter().fold(1, |all, (_, count)| all.saturating_mul(*count)),
            conjuncts,
            guard: path.iter().flat_map(|edge| &edge.guard).map(written).collect(),
            synchronisation: sync.map(|sync| (written(&sync.channel), sync.role)),
            update: path.iter().flat_map(|edge| &edge.update).map(written).collect(),
        }
    }
    /// The channel that an edge uses; `condition` also fails where finding it goes wrong.
    fn tie(
        &mut self,
        edge: &Edge,
        sync: Sync,
        conjuncts: &[(Span, Term)],
        condition: &mut Checked,
    ) -> Option<Tie> {
        let (channel, index, faults) = self.channel(sync.channel)?;
        let span = self.ast.exprs[sync.channel].span;
        let guard = condition.term;
        // The position is looked at only where the guard holds.
        then(&mut self.system.terms, &mut condition.faults, Some(guard), faults);
        // A broadcast is possible whoever receives it.
        let asked = !self.channels[channel].broadcast || sync.role != Role::Receive;
        if self.channels[channel].urgent && asked && self.system.terms.has_clock(guard) {
            let place = edge.guard.first().map_or(span, |guard| self.ast.exprs[*guard].span);
            self.check_urgent(channel, guard, conjuncts, place);
        }
        Some(Tie { channel, index, role: sync.role, span })
    }
    /// The name of the channel that an edge uses, as far as its position is known.
    fn channel_name(&self, tie: Tie) -> String {
        let decl = &self.channels[tie.channel];
        match tie.index.map(|index| self.system.terms.as_const(index)) {
            None => decl.name.clone(),
            Some(Some(ir::Value::Int(at))) => decl.part(at.to_i64().unwrap_or(0)),
            Some(_) => format!("{}[…]", decl.name),
        }
    }
    /// The statement of an edge; `alone` if nothing is updated before it.
    fn update(&mut self, path: &[&Edge], points: &[Point], guard: Term, alone: bool, out: &Out) -> Guarded {
        let mut ranges = Ranges::default();
        for part in conjuncts(&self.system.terms, guard) {
            // A partner may have changed shared variables since the guard was tested.
            let own = |var: &ir::VarId| var.index() >= out.first_var;
            if alone || self.system.terms.vars_of(part).iter().all(own) {
                ranges.learn(&self.system.terms, &self.declared, part, true);
            }
        }
        let mark = self.mark();
        let outer = self.code.replace(vec![]);
        self.context = ranges.clone();
        self.learned();
        for (edge, point) in path.iter().zip(points) {
            self.within(*point, |cx| {
                for expr in &edge.update {
                    cx.discard(*expr);
                }
            });
        }
        self.context = Ranges::default();
        let code = std::mem::replace(&mut self.code, outer).unwrap_or_default();
        let update = self.statement(&code, &mut ranges);
        self.release(mark);
        update
    }
    /// An edge for the faults of a guard or an invariant at a location, if there are any; and the
    /// condition that it is defined and holds.
    fn faulty(
        &mut self,
        at: LocationId,
        condition: &Checked,
        span: Span,
        out: &mut Out,
    ) -> (Term, Option<Undefined>) {
        if condition.faults.is_empty() {
            return (condition.term, None);
        }
        let fault = self.going_wrong(condition.clone());
        let holds = self.defined(condition);
        let undefined = self.system.terms.or(condition.faults.iter().map(|(condition, _)| *condition));
        let edge = *out.fault_edges.entry((at, fault)).or_insert_with(|| {
            let guard = self.system.terms.bool(true);
            let stmt = self.system.terms.block();
            let update = Guarded { stmt, fault: Some(fault) };
            let label = "evaluation".to_owned();
            out.edges.push(ir::Edge { source: at, target: at, guard, update, sync: None, label, span })
        });
        (holds, Some(Undefined { condition: undefined, edge }))
    }
    /// The statement that goes wrong as a condition does.
    fn going_wrong(&mut self, condition: Checked) -> ir::Stmt {
        let which = self.which_for(&condition.faults).expect("there are faults");
        let update = Guarded::using(&mut self.system.terms, which, condition, |terms, _| terms.skip());
        update.fault.expect("there are faults")
    }
    /// Whether a process may be asked to take part in a step from a location while others are committed, but
    /// not to take one alone.
    fn asked_while_others_are_committed(&self, template: TemplateId, at: LocationId) -> bool {
        let templates = &self.ast.templates;
        let committed = |location: &Location| location.kind == LocationKind::Committed;
        !committed(&templates[template].locations[at.index()])
            && templates.iter().any(|template| template.locations.iter().any(committed))
    }
    /// Edges like one that synchronises, each of which goes wrong in one of the ways that its condition does:
    /// before the step, whatever partners do to what it depends on.
    fn twins(&mut self, at: LocationId, condition: &Checked, label: &str, span: Span) -> Vec<ir::Edge> {
        let mut twins = vec![];
        for (guard, fault) in &condition.faults {
            let always = self.system.terms.bool(true);
            let wrong = Checked { term: condition.term, faults: Faults::from_iter([(always, *fault)]) };
            let fault = Some(self.going_wrong(wrong));
            let update = Guarded { stmt: self.system.terms.block(), fault };
            let (guard, label) = (*guard, label.to_owned());
            twins.push(ir::Edge { source: at, target: at, guard, update, sync: None, label, span });
        }
        twins
    }
    /// That nothing goes wrong and the condition holds, in this order, so that nothing undefined is
    /// looked at.
    fn defined(&mut self, condition: &Checked) -> Term {
        let terms = &mut self.system.terms;
        let holds: FxHashSet<Term> = conjuncts(terms, condition.term).into_iter().collect();
        let mut faults = vec![];
        for (fault, _) in &condition.faults {
            // A constraint on clocks that the condition asks for anyway need not be asked here too, and
            // clocks stay in conjunctions.
            let mut parts = conjuncts(terms, *fault);
            parts.retain(|part| !holds.contains(part) || !terms.has_clock(*part));
            faults.push(terms.and(parts));
        }
        let any = terms.or(faults);
        let none = terms.not(any);
        terms.and([none, condition.term])
    }
    /// The channel an expression names: its number, the position in an array, and how finding it goes
    /// wrong.
    fn channel(&mut self, expr: ExprId) -> Option<(usize, Option<Term>, Faults)> {
        let span = self.ast.exprs[expr].span;
        let operand = self.pure(|cx| cx.operand(expr))?;
        let Val::Place(place) = &operand.val else {
            return self.fail(Cause::TypeMismatch, span, "this is no channel");
        };
        match (&place.object, &place.ty) {
            (Object::Channel(channel), Ty::Chan { .. }) => {
                let index = place.flat_index(&mut self.system.terms);
                Some((*channel, index, operand.faults))
            }
            (Object::Channel(_), _) => {
                self.fail(Cause::TypeMismatch, span, "this is an array of channels; select one")
            }
            _ => self.fail(Cause::TypeMismatch, span, format!("this is {}, not a channel", place.ty.show())),
        }
    }

    // Channels.

    /// Makes the channels of the system and ties edges to them.
    fn connect(&mut self) {
        let uses = std::mem::take(&mut self.uses);
        let mut styles: IndexMap<usize, (bool, bool), FxBuildHasher> = IndexMap::default();
        for Use { tie, .. } in &uses {
            let style = styles.entry(tie.channel).or_default();
            let join = tie.role == Role::Join;
            *style = (style.0 | join, style.1 | !join);
        }
        for Use { process, tie, .. } in &uses {
            let decl = &self.channels[tie.channel];
            if tie.role == Role::Join && (styles[&tie.channel].1 || decl.broadcast) {
                let name = &decl.name;
                let message = if decl.broadcast {
                    format!("`{name}` is a broadcast channel; write `{name}!` or `{name}?`")
                } else {
                    format!(
                        "`{name}` is also used with `!` or `?`; `sync {name};` needs a channel of its own"
                    )
                };
                self.report_about(Some(*process), Diagnostic::error(Cause::ChannelMisuse, tie.span, message));
            }
        }
        let mut made = Made { whole: vec![None; self.channels.len()], parts: IndexMap::default() };
        for at in 0..self.channels.len() {
            let decl = &self.channels[at];
            if styles.get(&at).is_some_and(|style| !style.0) {
                let kind = if decl.broadcast { ChannelKind::Broadcast } else { ChannelKind::Binary };
                let channel = Channel { name: decl.name.clone(), kind, urgent: decl.urgent };
                made.whole[at] = Some(self.system.channels.push(channel));
                self.keep_levels(at, None);
            }
        }
        for used in &uses {
            if let Some(channel) = made.whole[used.tie.channel] {
                let sync = ir::Sync { channel, index: used.tie.index, role: used.tie.role };
                self.system.processes[used.process].edges[used.edge].sync = Some(sync);
            } else {
                self.join(used, &mut made);
            }
        }
        self.alphabets(&styles, &mut made);
    }
    /// Ties an edge to every single channel it may join.
    fn join(&mut self, used: &Use, made: &mut Made) {
        let Use { process, edge, tie, .. } = *used;
        let ways: Vec<(i64, Term)> = match tie.index {
            None => vec![(0, self.system.terms.bool(true))],
            Some(index) => {
                let size = self.channels[tie.channel].dims.iter().map(|dim| count(*dim)).product::<u64>();
                let range = Ranges::default().of(&self.system.terms, &self.declared, index);
                let (low, high) = range.words();
                let (low, high) = (low.max(0), high.min(size as i64 - 1));
                if low <= high && count((low, high)) > WIDEST {
                    let message = "this stands for too many channels to join them all";
                    let diagnostic = Diagnostic::error(Cause::TooLarge, tie.span, message);
                    return self.report_about(Some(process), diagnostic);
                }
                (low..=high)
                    .map(|at| {
                        let value = self.system.terms.int(at);
                        (at, self.system.terms.eq(index, value))
                    })
                    .collect()
            }
        };
        let original = self.system.processes[process].edges[edge].clone();
        for (nth, (at, when)) in ways.into_iter().enumerate() {
            let channel = self.single(tie.channel, at, made);
            let guard = self.system.terms.and([original.guard, when]);
            let sync = Some(ir::Sync { channel, index: None, role: Role::Join });
            let rest = used.heading.rest(Some((self.system.channels[channel].name.clone(), tie.role)));
            let label = used.heading.label(&rest);
            let way = ir::Edge { guard, sync, label, ..original.clone() };
            let edges = &mut self.system.processes[process].edges;
            let id = match nth {
                0 => edge,
                _ => edges.push(way.clone()),
            };
            edges[id] = way;
            self.evaluates_like(process, edge, id);
            if let Some(Wording { labels, .. }) = self.wordings.get(&(process, edge)).cloned() {
                self.wordings.insert((process, id), Wording { labels, rest });
            }
        }
    }
    /// One channel of an array that is used CSP-style.
    fn single(&mut self, channel: usize, at: i64, made: &mut Made) -> ChannelId {
        if let Some(known) = made.parts.get(&(channel, at)) {
            return *known;
        }
        let decl = &self.channels[channel];
        let name = decl.part(at);
        let id = self.system.channels.push(Channel { name, kind: ChannelKind::Csp, urgent: decl.urgent });
        self.keep_levels(channel, Some(at as usize));
        made.parts.insert((channel, at), id);
        id
    }
    /// A process that lists a channel takes part in it even if it never offers it.
    fn alphabets(&mut self, styles: &IndexMap<usize, (bool, bool), FxBuildHasher>, made: &mut Made) {
        let ast = self.ast.clone();
        for alphabet in &ast.alphabets {
            let name = self.text(alphabet.process.name).to_owned();
            let process = self.processes.iter().position(|process| process.name == name).map(ProcessId::at);
            if process.is_none() {
                self.report(Diagnostic::unknown(alphabet.process.span, "process", &name, None));
            }
            for expr in &alphabet.channels {
                let span = self.ast.exprs[*expr].span;
                let (Some((channel, index, _)), Some(process)) = (self.channel(*expr), process) else {
                    continue;
                };
                if !styles.get(&channel).is_some_and(|style| style.0) {
                    continue;
                }
                let at = match index.map(|index| self.system.terms.as_const(index).cloned()) {
                    None => 0,
                    Some(Some(ir::Value::Int(at))) => at.to_i64().unwrap_or(0),
                    Some(_) => {
                        self.error(
                            Cause::NotConstant,
                            span,
                            "the position of a channel must be a constant here",
                        );
                        continue;
                    }
                };
                let channel = self.single(channel, at, made);
                let body = &self.system.processes[process];
                let takes_part = |edge: &ir::Edge| edge.sync.is_some_and(|sync| sync.channel == channel);
                if body.edges.iter().any(takes_part) {
                    continue;
                }
                let Some(initial) = body.initial else { continue };
                let terms = &mut self.system.terms;
                let edge = ir::Edge {
                    source: initial,
                    target: initial,
                    guard: terms.bool(false),
                    update: Guarded::safe(terms.skip()),
                    sync: Some(ir::Sync { channel, index: None, role: Role::Join }),
                    label: "IO".to_owned(),
                    span,
                };
                self.system.processes[process].edges.push(edge);
            }
        }
    }
}

/// A process under construction.
pub(super) struct Out {
    pub(super) process: ProcessId,
    template: TemplateId,
    first_var: usize,
    pub(super) edges: IdVec<EdgeId, ir::Edge>,
    /// How many of them are of edges that select too much.
    pub(super) refused: u64,
    fault_edges: IndexMap<(LocationId, ir::Stmt), EdgeId, FxBuildHasher>,
}

/// Channels made so far: whole ones, and the single ones of CSP arrays.
struct Made {
    whole: Vec<Option<ChannelId>>,
    parts: IndexMap<(usize, i64), ChannelId, FxBuildHasher>,
}

fn conjuncts(terms: &ir::Terms, condition: Term) -> Vec<Term> {
    match terms.node(condition) {
        ir::Node::And(list) => list.to_vec(),
        _ => vec![condition],
    }
}
