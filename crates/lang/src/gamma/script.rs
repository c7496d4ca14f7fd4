//! Execution traces as runs to be executed ([`Script`]), and runs written as execution traces.
//!
//! `reset` is the initialisation, and each `schedule` a step: what was raised since the one before comes in, nothing else,
//! and the time that `elapse` says passes. With a period, a step that says nothing lets the period pass.

use ir::{Decision, Id, Int, Rat, Run, Span, State, System, Value, VarId};

use super::ast::*;
use super::atom::Elaborate;
use super::execution_trace::{self, Act, ActKind, Step, Trace};
use super::instance::{PartId, PartKind};
use super::lower::Role;
use super::print::Printer;
use super::question::Scope;
use super::types::{Ty, TyKind};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::front_end::Reading;
use crate::nearest::nearest;
use crate::script::{Given, Script, ScriptStep};

/// The component that a trace is of is the one that is meant.
pub(crate) fn settle(text: &str, reading: &mut Reading) {
    let (trace, _) = execution_trace::parse(text);
    if reading.component.is_none() {
        reading.component = trace.component.map(|used| trace.ast.ref_text(used).to_owned());
        let values = Printer::new(&trace.ast).arguments(&trace.arguments);
        let values = values.trim_start_matches('(').trim_end_matches(')');
        reading.arguments.extend((!values.is_empty()).then(|| values.to_owned()));
    }
}

/// An event that comes in at a port of the system, with the variables that tell it.
pub(super) struct Incoming {
    pub(super) port: PortId,
    pub(super) event: EventId,
    pub(super) flag: VarId,
    /// For each parameter, its slots.
    pub(super) params: Vec<Vec<VarId>>,
}

impl Scope {
    /// The events that come in at the ports of the system.
    pub(super) fn incoming(&self) -> Vec<Incoming> {
        let table = || self.table.iter().enumerate().map(|(at, entry)| (VarId::at(at), &entry.role));
        let flags = table().filter_map(|(var, role)| match role {
            Role::Given(port, event) => Some((var, *port, *event)),
            _ => None,
        });
        let with_params = flags.map(|(flag, port, event)| {
            let slots = |number: usize| {
                let is = move |role: &Role| matches!(role, Role::GivenParameter(at, of, param, _) if (*at, *of, *param) == (port, event, number));
                table().filter(move |(_, role)| is(role)).map(|(var, _)| var).collect()
            };
            let params = (0..self.project.ast.events[event].params.len()).map(slots).collect();
            Incoming { port, event, flag, params }
        });
        with_params.collect()
    }
    /// The adapters with the variables that tell whether they were activated.
    pub(super) fn activated(&self) -> Vec<(PartId, VarId)> {
        let table = self.table.iter().enumerate();
        let ran = table.filter_map(|(at, entry)| match entry.role {
            Role::Ran => Some((entry.part?, VarId::at(at))),
            _ => None,
        });
        ran.collect()
    }
    /// The variable that tells how much time passed, where there is one.
    pub(super) fn passed(&self) -> Option<VarId> {
        self.table.iter().position(|entry| matches!(entry.role, Role::Passed)).map(VarId::at)
    }

    // Reading.

    /// The run that a trace prescribes.
    pub(super) fn read_script(&self, system: &mut System, text: &str) -> Result<Script, Vec<Diagnostic>> {
        let (trace, errors) = execution_trace::parse(text);
        if !errors.is_empty() {
            return Err(errors);
        }
        let root = &self.tree.parts[self.tree.root()];
        let mut reader = Reader {
            scope: self,
            system,
            trace: &trace,
            errors: vec![],
            next: Given::default(),
            delay: None,
        };
        if let Some(used) = trace.component
            && trace.ast.ref_text(used)
                != self.project.ast.text(self.project.ast.components[root.component].ident)
        {
            let name = trace.ast.ref_text(used);
            let message = format!(
                "this trace is of `{name}`, and the model was read as `{}`; read it as `{name}`",
                root.name
            );
            reader.error(Code::UnknownName, trace.ast.refs[used].span, message);
        }
        if let Some(variable) = trace.variables.first() {
            let span = trace.ast.variables[*variable].ident.span;
            reader.error(
                Code::UnsupportedPart,
                span,
                "variables of traces are not supported; write their values",
            );
        }
        reader.next = reader.nothing();
        let mut steps = vec![];
        for step in trace.steps.iter().chain(&trace.cycle) {
            steps.push(reader.step(step, steps.is_empty()));
        }
        let errors = std::mem::take(&mut reader.errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        let stuck = self.is_stuck(system);
        Ok(Script {
            name: trace.ident.map_or(String::new(), |ident| trace.ast.text(ident).to_owned()),
            steps,
            cycle: (!trace.cycle.is_empty()).then_some(trace.steps.len()),
            negative: trace.negative,
            going: Some(system.terms.not(stuck)),
            warnings: waiting(&trace).into_iter().collect(),
        })
    }
}

/// Waiting that a trace allows is not tried; none may be allowed, and then nothing is left out.
fn waiting(trace: &Trace) -> Option<Diagnostic> {
    let (_, most) = trace.allowed_waiting?;
    let most = &trace.ast.exprs[most];
    let none = matches!(&most.kind, ExprKind::Integer(most) if *most == Int::ZERO);
    let message = "no waiting is tried between the steps of this trace, which is executed as it is written; \
                   write the steps in which nothing comes in";
    (!none).then(|| Diagnostic::warning(Code::IgnoredPart, most.span, message))
}

struct Reader<'a> {
    scope: &'a Scope,
    system: &'a mut System,
    trace: &'a Trace,
    errors: Vec<Diagnostic>,
    /// What is known of the next step of the model.
    next: Given,
    /// How much time passes in it, if that is said.
    delay: Option<Rat>,
}

impl Reader<'_> {
    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::error(code, span, message));
    }
    /// A step in which nothing comes in.
    fn nothing(&self) -> Given {
        let flags = self.scope.incoming().into_iter().map(|incoming| (incoming.flag, Value::Bool(false)));
        Given { values: flags.collect(), delay: None }
    }
    fn step(&mut self, step: &Step, first: bool) -> ScriptStep {
        let mut moves = vec![];
        if first {
            moves.push(Given::default());
        }
        for (number, act) in step.acts.iter().enumerate() {
            self.act(act, first && number == 0, &mut moves);
        }
        let mut claims = vec![];
        for assert in &step.asserts {
            let mut elaborate = Elaborate { ast: &self.trace.ast, scope: self.scope, system: self.system };
            match elaborate.truth(*assert) {
                Ok(term) => claims.push((term, self.trace.ast.exprs[*assert].span)),
                Err(error) => self.errors.push(error),
            }
        }
        ScriptStep { moves, claims, span: step.span }
    }
    fn act(&mut self, act: &Act, first: bool, moves: &mut Vec<Given>) {
        match &act.kind {
            ActKind::Reset if first => {}
            ActKind::Reset => {
                let message =
                    "only the first step of a trace may reset; write another trace that starts here";
                self.error(Code::Misplaced, act.span, message);
            }
            ActKind::Raise { port, event, arguments } => self.raise(act.span, *port, *event, arguments),
            ActKind::Elapse(time) => {
                if let Some(time) = self.time(*time) {
                    self.delay = Some(self.delay.take().map_or(time.clone(), |before| &before + &time));
                }
            }
            ActKind::Assign(..) => {
                let message = "a trace cannot change variables of the model here; raise events instead";
                self.error(Code::UnsupportedPart, act.span, message);
            }
            ActKind::ScheduleComponent => self.schedule(act.span, moves),
            ActKind::ScheduleInstance(path) => {
                let names: Vec<&str> = path.iter().map(|ident| self.trace.ast.text(*ident)).collect();
                let tree = &self.scope.tree;
                let is_meant = |part: PartId| {
                    tree.path(part) == names || (names.len() == 1 && tree.flat(part) == names[0])
                };
                let activated = self.scope.activated();
                if activated.iter().any(|(part, _)| is_meant(*part)) {
                    let ran = activated.iter().map(|(part, var)| (*var, Value::Bool(is_meant(*part))));
                    self.next.values.extend(ran);
                } else if !tree.parts.ids().any(is_meant) {
                    let message = format!("there is no instance `{}`", names.join(" -> "));
                    self.error(Code::UnknownName, act.span, message);
                }
                self.schedule(act.span, moves);
            }
        }
    }
    /// A step of the model with what was said about it.
    fn schedule(&mut self, span: Span, moves: &mut Vec<Given>) {
        let nothing = self.nothing();
        let mut given = std::mem::replace(&mut self.next, nothing);
        let said = self.delay.take();
        match self.scope.period {
            None => given.delay = Some(said.unwrap_or(Rat::ZERO)),
            Some(period) => {
                if said.is_none()
                    && let Some(passed) = self.scope.passed()
                {
                    given.values.insert(passed, Value::Int(Int::from(period.least as i64)));
                } else if let Some(time) = said {
                    let within = |time: &Rat| {
                        let (least, most) = (
                            Rat::from(&Int::from(period.least as i64)),
                            Rat::from(&Int::from(period.most as i64)),
                        );
                        *time >= least && *time <= most && time.denominator() == Int::ONE
                    };
                    if !within(&time) {
                        let message = format!(
                            "{time} ms pass here, but the period is {period}; replay the trace without a period"
                        );
                        self.error(Code::OutOfRange, span, message);
                    } else if let Some(passed) = self.scope.passed() {
                        given.values.insert(passed, Value::Int(time.numerator()));
                    }
                }
            }
        }
        moves.push(given);
    }
    /// An amount of time.
    fn time(&mut self, expr: ExprId) -> Option<Rat> {
        let value = self.constants(expr)?;
        let time = match value.as_slice() {
            [Value::Int(value)] => Some(Rat::from(value)),
            [Value::Rat(value)] => Some((**value).clone()),
            _ => None,
        };
        let time = time.filter(|time| !time.is_negative());
        if time.is_none() {
            self.error(Code::TypeMismatch, self.trace.ast.exprs[expr].span, "this is no amount of time");
        }
        time
    }
    /// The values of an expression, one for each slot.
    fn constants(&mut self, expr: ExprId) -> Option<Vec<Value>> {
        let mut elaborate = Elaborate { ast: &self.trace.ast, scope: self.scope, system: self.system };
        let terms = match elaborate.expr(expr) {
            Ok(terms) => terms,
            Err(error) => {
                self.errors.push(error);
                return None;
            }
        };
        let values: Option<Vec<Value>> =
            terms.iter().map(|term| self.system.terms.as_const(*term).cloned()).collect();
        if values.is_none() {
            self.error(Code::TypeMismatch, self.trace.ast.exprs[expr].span, "this must be a value");
        }
        values
    }
    fn raise(&mut self, span: Span, port: RefId, event: RefId, arguments: &[ExprId]) {
        let ast = &self.scope.project.ast;
        let (port, event) = (self.trace.ast.ref_text(port), self.trace.ast.ref_text(event));
        let name = |incoming: &Incoming| {
            format!(
                "{}.{}",
                ast.text(ast.ports[incoming.port].ident),
                ast.text(ast.events[incoming.event].ident)
            )
        };
        let wanted = format!("{port}.{event}");
        let all = self.scope.incoming();
        let Some(incoming) = all.iter().find(|incoming| name(incoming) == wanted) else {
            let names: Vec<String> = all.iter().map(name).collect();
            let mut message = format!("no event `{wanted}` comes in at the ports of the system");
            if let Some(near) = nearest(&wanted, names.iter().map(String::as_str)) {
                message += &format!("; did you mean `{near}`?");
            }
            return self.error(Code::UnknownName, span, message);
        };
        if arguments.len() != incoming.params.len() {
            let message = format!(
                "`{wanted}` has {} parameters, and {} values are given",
                incoming.params.len(),
                arguments.len()
            );
            return self.error(Code::WrongCount, span, message);
        }
        let before = self.next.values.insert(incoming.flag, Value::Bool(true));
        if before == Some(Value::Bool(true)) && !self.scope.activated().is_empty() {
            let message = format!(
                "`{wanted}` was raised already, and one message comes in with a step; schedule in between"
            );
            return self.error(Code::DuplicateName, span, message);
        }
        for (argument, slots) in arguments.iter().zip(&incoming.params) {
            let Some(values) = self.constants(*argument) else { return };
            let held: Vec<Value> = slots
                .iter()
                .zip(values)
                .map(|(var, value)| value.held_as(self.system.terms.var_type(*var)))
                .collect();
            let fits = held.len() == slots.len()
                && slots.iter().zip(&held).all(|(var, value)| {
                    self.system.types().type_of(value) == self.system.terms.var_type(*var)
                });
            if !fits {
                self.error(
                    Code::TypeMismatch,
                    self.trace.ast.exprs[*argument].span,
                    "this is no value of that parameter",
                );
                return;
            }
            self.next.values.extend(slots.iter().copied().zip(held));
        }
    }
}

// Writing.

impl Scope {
    /// A run as a trace; `file` is that of the model.
    pub(super) fn written(&self, file: &str, run: &Run) -> String {
        let root = &self.tree.parts[self.tree.root()];
        let component = self.project.ast.text(self.project.ast.components[root.component].ident);
        let mut trace = Trace::default();
        let name = std::path::Path::new(file)
            .file_stem()
            .map_or(file.to_owned(), |stem| stem.to_string_lossy().into_owned());
        trace.import = Some(Import { path: name.into(), span: Span::default() });
        trace.ident = Some(trace.ast.ident(&format!("{component}Trace"), Span::default()));
        trace.component = Some(trace.ast.refer(component, Span::default()));
        let mut writer = Writer { scope: self, trace };
        let mut number = 0;
        for step in &run.steps {
            let step = writer.step(step, number == 0);
            writer.trace.steps.push(step);
            number += 1;
        }
        for step in run.cycle.iter().flat_map(|cycle| &cycle.steps) {
            let step = writer.step(step, number == 0);
            // What repeats is a step of the system, never the initialisation.
            match number {
                0 => writer.trace.steps.push(step),
                _ => writer.trace.cycle.push(step),
            }
            number += 1;
        }
        execution_trace::print(&writer.trace)
    }
    /// A value as an expression of a trace; `None` for those that are not written, such as arrays.
    fn value(
        &self,
        trace: &mut Trace,
        ty: Ty,
        slots: &mut dyn Iterator<Item = Option<&Value>>,
    ) -> Option<ExprId> {
        let ast = &self.project.ast;
        let name_of =
            |id: TypeId| ast.type_decls.iter().find(|decl| decl.ty == id).map(|decl| ast.text(decl.ident));
        let kind = match self.project.kind(ty) {
            TyKind::Record(id) => {
                let TypeKind::Record(fields) = &ast.types[*id].kind else { return None };
                let record = trace.ast.refer(name_of(*id)?, Span::default());
                let mut list = vec![];
                for field in fields {
                    let value = ir::deep(|| self.value(trace, self.project.written[field.ty], slots))?;
                    list.push((trace.ast.refer(ast.text(field.ident), Span::default()), value));
                }
                ExprKind::Record { ty: record, fields: list }
            }
            TyKind::Enum(id) => {
                let TypeKind::Enum(literals) = &ast.types[*id].kind else { return None };
                // Where any value will do, the first one does.
                let at = match slots.next()? {
                    Some(Value::Enum(_, at)) => *at as usize,
                    _ => 0,
                };
                let ty = trace.ast.refer(name_of(*id)?, Span::default());
                ExprKind::Literal {
                    ty,
                    literal: trace.ast.refer(ast.text(*literals.get(at)?), Span::default()),
                }
            }
            TyKind::Boolean => ExprKind::Bool(matches!(slots.next()?, Some(Value::Bool(true)))),
            TyKind::Integer
            | TyKind::Subrange { .. }
            | TyKind::IntegerRange
            | TyKind::Decimal
            | TyKind::Rational => {
                return match slots.next()? {
                    Some(Value::Int(value)) => Some(number(trace, &Rat::from(value))),
                    Some(Value::Rat(value)) => Some(number(trace, value)),
                    _ => Some(number(trace, &Rat::ZERO)),
                };
            }
            _ => return None,
        };
        Some(trace.expr(kind))
    }
}

/// A number as an expression.
fn number(trace: &mut Trace, value: &Rat) -> ExprId {
    let size = if value.is_negative() { &Rat::ZERO - value } else { value.clone() };
    let kind = match size.denominator() == Int::ONE {
        true => ExprKind::Integer(size.numerator()),
        false => ExprKind::Rational(size.numerator(), size.denominator()),
    };
    let size = trace.expr(kind);
    if value.is_negative() { trace.expr(ExprKind::Negate(size)) } else { size }
}

struct Writer<'a> {
    scope: &'a Scope,
    trace: Trace,
}

impl Writer<'_> {
    fn at<'s>(&self, state: &'s State, var: VarId) -> Option<&'s Value> {
        // The variables of the state come first, and those that are asked for are such ones.
        state.values.get(var.index())?.as_ref()
    }
    fn step(&mut self, step: &ir::Step, first: bool) -> Step {
        let acts = match first {
            true => vec![ActKind::Reset],
            false => self.acts(step),
        };
        let acts = acts.into_iter().map(|kind| Act { kind, span: Span::default() }).collect();
        Step { acts, asserts: self.asserts(&step.state), span: Span::default() }
    }
    fn acts(&mut self, step: &ir::Step) -> Vec<ActKind> {
        let scope = self.scope;
        let ast = &scope.project.ast;
        let is_true = |value: Option<&Value>| matches!(value, Some(Value::Bool(true)));
        let mut acts = vec![];
        let delays = step.decisions.iter().filter_map(|decision| match decision {
            Decision::Delay(amount) => Some(amount),
            _ => None,
        });
        let mut passed = delays.fold(Rat::ZERO, |sum, amount| &sum + amount);
        if let Some(period) = scope.period {
            passed = match scope.passed().and_then(|var| self.at(&step.state, var)) {
                Some(Value::Int(value)) => Rat::from(value),
                _ => Rat::from(&Int::from(period.least as i64)),
            };
        }
        if passed != Rat::ZERO {
            acts.push(ActKind::Elapse(number(&mut self.trace, &passed)));
        }
        for Incoming { port, event, flag, params } in scope.incoming() {
            if !is_true(self.at(&step.state, flag)) {
                continue;
            }
            let mut arguments = vec![];
            for (param, slots) in ast.events[event].params.iter().zip(params) {
                let ty = scope.project.written[ast.params[*param].ty];
                let values: Vec<Option<&Value>> =
                    slots.iter().map(|var| self.at(&step.state, *var)).collect();
                arguments.extend(scope.value(&mut self.trace, ty, &mut values.into_iter()));
            }
            let port = self.trace.ast.refer(ast.text(ast.ports[port].ident), Span::default());
            let event = self.trace.ast.refer(ast.text(ast.events[event].ident), Span::default());
            acts.push(ActKind::Raise { port, event, arguments });
        }
        let one_of_many =
            matches!(scope.tree.parts[scope.tree.root()].kind, PartKind::Composite(CompositeKind::Async));
        let ran: Vec<PartId> = scope
            .activated()
            .into_iter()
            .filter(|(_, var)| is_true(self.at(&step.state, *var)))
            .map(|(part, _)| part)
            .collect();
        acts.push(match ran.as_slice() {
            [only] if one_of_many => {
                let path = scope.tree.path(*only);
                ActKind::ScheduleInstance(
                    path.iter().map(|name| self.trace.ast.ident(name, Span::default())).collect(),
                )
            }
            _ => ActKind::ScheduleComponent,
        });
        acts
    }
    /// What holds in a state: what went out, active states, and variables.
    fn asserts(&mut self, state: &State) -> Vec<ExprId> {
        let scope = self.scope;
        let ast = &scope.project.ast;
        let mut asserts = vec![];
        for occurrence in scope.outgoing() {
            let (port, event) = occurrence;
            let mut given = None;
            for ((_, _), (leaf, at, of)) in scope.system_outs.iter().filter(|(out, _)| *out == (port, event))
            {
                let raised = scope
                    .entry(*leaf, |role| matches!(role, Role::Out(port, event) if (port, event) == (at, of)));
                if raised.is_some_and(|var| matches!(self.at(state, var), Some(Value::Bool(true)))) {
                    given = Some((*leaf, *at, *of));
                }
            }
            let Some((leaf, at, of)) = given else { continue };
            let mut arguments = vec![];
            for (position, param) in ast.events[of].params.iter().enumerate() {
                let ty = scope.project.written[ast.params[*param].ty];
                let slots = scope.entries(leaf, |role| {
                    matches!(role, Role::OutParameter(port, event, number, _) if (*port, *event, *number) == (at, of, position))
                });
                let values: Vec<Option<&Value>> = slots.into_iter().map(|var| self.at(state, var)).collect();
                arguments.extend(scope.value(&mut self.trace, ty, &mut values.into_iter()));
            }
            // What cannot be written is not claimed.
            if arguments.len() < ast.events[of].params.len() {
                arguments.clear();
            }
            let (port, event) = (ast.text(ast.ports[port].ident), ast.text(ast.events[event].ident));
            asserts.push(self.trace.raised(port, event, arguments));
        }
        let mut at = 0;
        while let Some(entry) = scope.table.get(at) {
            let var = VarId::at(at);
            at += 1;
            let Some(part) = entry.part else { continue };
            let path = scope.tree.path(part);
            match &entry.role {
                Role::Region(region, states) => {
                    // The literal 0 is for no state, and those behind the states are for remembered ones.
                    if let Some(Value::Enum(_, number)) = self.at(state, var)
                        && let Some(node) =
                            (*number as usize).checked_sub(1).and_then(|number| states.get(number))
                    {
                        let (region, state) =
                            (ast.text(ast.regions[*region].ident), ast.text(ast.nodes[*node].ident));
                        asserts.push(self.trace.state(&path, region, state));
                    }
                }
                Role::Variable(variable, _) => {
                    let same = |other: &Role| matches!(other, Role::Variable(of, _) if of == variable);
                    let first = at - 1;
                    while scope.table.get(at).is_some_and(|next| next.part == entry.part && same(&next.role))
                    {
                        at += 1;
                    }
                    let values: Vec<Option<&Value>> =
                        (first..at).map(|at| self.at(state, VarId::at(at))).collect();
                    if values.iter().any(Option::is_none) {
                        continue;
                    }
                    let ty = scope.project.written[ast.variables[*variable].ty];
                    if let Some(value) = scope.value(&mut self.trace, ty, &mut values.into_iter()) {
                        let variable = self.trace.variable(&path, ast.text(ast.variables[*variable].ident));
                        asserts.push(self.trace.expr(ExprKind::Compare(CompareOp::Equal, variable, value)));
                    }
                }
                _ => {}
            }
        }
        asserts
    }
}

impl Scope {
    /// The variables of a part that are of some kind.
    pub(super) fn entries(&self, part: PartId, is: impl Fn(&Role) -> bool) -> Vec<VarId> {
        let table = self.table.iter().enumerate();
        table
            .filter(|(_, entry)| entry.part == Some(part) && is(&entry.role))
            .map(|(at, _)| VarId::at(at))
            .collect()
    }
    fn entry(&self, part: PartId, is: impl Fn(&Role) -> bool) -> Option<VarId> {
        self.entries(part, is).first().copied()
    }
    /// The events that go out of the system, each once.
    pub(super) fn outgoing(&self) -> Vec<(PortId, EventId)> {
        let mut list: Vec<(PortId, EventId)> = vec![];
        for (out, _) in &self.system_outs {
            if !list.contains(out) {
                list.push(*out);
            }
        }
        list
    }
}
