//! Statecharts and statements as text.

use super::Printer;
use crate::gamma::ast::*;

impl Printer<'_> {
    pub(super) fn annotations(&mut self, chart: &Statechart) {
        let all = &chart.annotations;
        let mut lines = vec![];
        lines.extend(all.region_schedule.map(|schedule| match schedule {
            RegionSchedule::TopDown => "@RegionSchedule = top-down",
            RegionSchedule::BottomUp => "@RegionSchedule = bottom-up",
        }));
        lines.extend(all.orthogonal_schedule.map(|schedule| match schedule {
            OrthogonalSchedule::Sequential => "@OrthogonalRegionSchedule = sequential",
            OrthogonalSchedule::Unordered => "@OrthogonalRegionSchedule = unordered",
            OrthogonalSchedule::Parallel => "@OrthogonalRegionSchedule = parallel",
        }));
        lines.extend(all.transition_priority.map(|priority| match priority {
            TransitionPriority::Off => "@TransitionPriority = off",
            TransitionPriority::OrderBased => "@TransitionPriority = order-based",
            TransitionPriority::ValueBased => "@TransitionPriority = value-based",
        }));
        lines.extend(all.guard_evaluation.map(|evaluation| match evaluation {
            GuardEvaluation::OnTheFly => "@GuardEvaluation = on-the-fly",
            GuardEvaluation::BeginningOfStep => "@GuardEvaluation = beginning-of-step",
        }));
        lines.extend(all.run_upon.map(|upon| match upon {
            RunUpon::ExternalEvent => "@RunUponExternalEvent",
            RunUpon::ExternalEventOrInternalTimeout => "@RunUponExternalEventOrInternalTimeout",
        }));
        lines.extend(all.wrapper.then_some("@WrapperComponent"));
        for line in lines {
            self.line(line);
        }
        for contract in &all.contracts {
            let text = match contract {
                ContractAnnotation::Adaptive(used) => {
                    format!("@AdaptiveContractStatechart = {}", self.used(*used))
                }
                ContractAnnotation::Scenario { component, mode } => {
                    let mode = match mode {
                        Some(ContractMode::Strict) => " (strict)",
                        Some(ContractMode::Permissive) => " (permissive)",
                        None => "",
                    };
                    format!("@ScenarioContractStatechart = {}{mode}", self.used(*component))
                }
                ContractAnnotation::AllowedWait(from, to) => {
                    format!("@ScenarioAllowedWait = {} .. {}", self.expr(*from), self.expr(*to))
                }
                ContractAnnotation::HasInitialOutputs => "@HasInitialOutputsBlock".to_owned(),
                ContractAnnotation::Negative => "@NegativeContractStatechart".to_owned(),
                ContractAnnotation::Phase => "@PhaseStatechart".to_owned(),
            };
            self.line(&text);
        }
        if chart.asynchronous {
            self.line("@Asynchronous");
        }
    }
    pub(super) fn statechart(&mut self, chart: &Statechart) {
        for &variable in &chart.variables {
            let text = self.variable(variable);
            self.line(&text);
        }
        for &timeout in &chart.timeouts {
            let text = format!("timeout {}", self.ident(self.ast.timeouts[timeout].ident));
            self.line(&text);
        }
        self.invariants(&chart.invariants);
        for &region in &chart.regions {
            self.region(region);
        }
        for &transition in &chart.transitions {
            self.transition(&self.ast.transitions[transition]);
        }
        for &function in &chart.functions {
            self.function(function);
        }
    }
    fn region(&mut self, id: RegionId) {
        let region = &self.ast.regions[id];
        let head = format!("region {}", self.ident(region.ident));
        self.braced(&head, |printer| {
            for &node in &region.nodes {
                printer.node(&printer.ast.nodes[node]);
            }
        });
    }
    fn node(&mut self, node: &Node) {
        let head = format!("{} {}", node.kind.word(), self.ident(node.ident));
        let NodeKind::State(state) = &node.kind else { return self.line(&head) };
        for annotation in &state.annotations {
            self.state_annotation(annotation);
        }
        let plain = state.invariants.is_empty()
            && state.entry.is_empty()
            && state.exit.is_empty()
            && state.regions.is_empty();
        if plain {
            return self.line(&head);
        }
        self.braced(&head, |printer| {
            printer.invariants(&state.invariants);
            for (word, list) in [("entry /", &state.entry), ("exit /", &state.exit)] {
                if !list.is_empty() {
                    printer.line(word);
                    printer.indented(|printer| printer.actions(list));
                }
            }
            for &region in &state.regions {
                printer.region(region);
            }
        });
    }
    fn state_annotation(&mut self, annotation: &StateAnnotation) {
        let history = |history: &Option<History>| match history {
            Some(History::None) => "no-history ",
            Some(History::Any) => "history ",
            Some(History::Shallow) => "shallow ",
            Some(History::Deep) => "deep ",
            None => "",
        };
        match annotation {
            StateAnnotation::Accepting => self.line("@SpecialState accepting"),
            StateAnnotation::Contract { watched, history: kept, contracts } => {
                let watched = match watched {
                    Some(Watched::Itself) => "self ",
                    Some(Watched::Component) => "component ",
                    None => "",
                };
                let list: Vec<String> = contracts
                    .iter()
                    .map(|contract| self.used(contract.statechart) + &self.arguments(&contract.arguments))
                    .collect();
                let text = format!("@StatechartContract {watched}{}= {}", history(kept), list.join(", "));
                self.line(&text);
            }
            StateAnnotation::Phase(phases) => {
                self.line("@Phase = [");
                for phase in phases {
                    let head = format!("{}{}", history(&phase.history), self.instance(phase.instance));
                    self.braced(&head, |printer| {
                        for binding in &phase.bindings {
                            let text = printer.binding(binding);
                            printer.line(&text);
                        }
                        for tie in &phase.ties {
                            let (variable, instance) =
                                (printer.used(tie.variable), printer.used(tie.instance));
                            let text = format!("tie {variable} -> {instance}.{}", printer.used(tie.inner));
                            printer.line(&text);
                        }
                    });
                }
                self.line("]");
            }
        }
    }

    // Transitions.

    fn transition(&mut self, transition: &Transition) {
        for id in &transition.ids {
            let text = format!("@({})", self.ident(*id));
            self.line(&text);
        }
        let mut text = "transition".to_owned();
        if let Some(priority) = &transition.priority {
            text += &format!("({priority})");
        }
        text += &format!(" from {} to {}", self.used(transition.from), self.used(transition.to));
        if let Some(trigger) = transition.trigger {
            text += &format!(" when {}", self.trigger(trigger, 0));
        }
        if let Some(guard) = transition.guard {
            text += &format!(" [{}]", self.expr(guard));
        }
        if transition.effects.is_empty() {
            return self.line(&text);
        }
        self.line(&(text + " /"));
        self.indented(|printer| printer.actions(&transition.effects));
    }
    /// A trigger; one that binds less tightly than `needed` is put in parentheses.
    pub(in crate::gamma) fn trigger(&self, id: TriggerId, needed: u8) -> String {
        ir::deep(|| match &self.ast.triggers[id].kind {
            TriggerKind::Cycle => "cycle".to_owned(),
            TriggerKind::Any => "any".to_owned(),
            TriggerKind::Event(event) => self.event_ref(*event),
            TriggerKind::Opaque(text) => Self::quoted(self.ast.names.text(*text)),
            TriggerKind::Not(inner) => format!("!({})", self.trigger(*inner, 0)),
            TriggerKind::Chain(op, operands) => {
                let (mark, level) = match op {
                    TriggerOp::Equal => (" == ", 1),
                    TriggerOp::Imply => (" -> ", 2),
                    TriggerOp::Or => (" || ", 3),
                    TriggerOp::Xor => (" ^ ", 4),
                    TriggerOp::And => (" && ", 5),
                };
                let list: Vec<String> = operands.iter().map(|id| self.trigger(*id, level + 1)).collect();
                let text = list.join(mark);
                if level < needed { format!("({text})") } else { text }
            }
        })
    }
    pub(in crate::gamma) fn event_ref(&self, id: EventRefId) -> String {
        match self.ast.event_refs[id].kind {
            EventRefKind::Timeout(timeout) => format!("timeout {}", self.used(timeout)),
            EventRefKind::PortAny(port) => format!("{}.any", self.used(port)),
            EventRefKind::PortEvent(port, event) => format!("{}.{}", self.used(port), self.used(event)),
            EventRefKind::Clock(clock) => self.used(clock),
        }
    }

    // Statements.

    pub(super) fn actions(&mut self, list: &[ActionId]) {
        for &action in list {
            self.action(action);
        }
    }
    pub(super) fn action(&mut self, id: ActionId) {
        match &self.ast.actions[id].kind {
            ActionKind::Block(list) => {
                self.line("{");
                self.indented(|printer| printer.actions(list));
                self.line("}");
            }
            ActionKind::If { branches, otherwise } => {
                for (at, branch) in branches.iter().enumerate() {
                    let word = if at == 0 { "if" } else { "elseif" };
                    let head = format!("{word} ({})", self.expr(branch.guard));
                    let followed = at + 1 < branches.len() || otherwise.is_some();
                    if followed && self.ends_open(branch.action) {
                        // An `else` behind it would belong to it; no text without braces has this tree.
                        self.braced(&head, |printer| printer.action(branch.action));
                    } else {
                        self.body(&head, branch.action);
                    }
                }
                if let Some(otherwise) = otherwise {
                    self.body("else", *otherwise);
                }
            }
            ActionKind::Switch { value, cases, default } => {
                let head = format!("switch ({})", self.expr(*value));
                self.braced(&head, |printer| {
                    for case in cases {
                        let head = format!("case {} :", printer.expr(case.guard));
                        printer.body(&head, case.action);
                    }
                    if let Some(default) = default {
                        printer.body("default :", *default);
                    }
                });
            }
            ActionKind::For { param, values, body } => {
                let param = self.param(&self.ast.params[*param]);
                let head = format!("for ({param} in {})", self.expr(*values));
                self.body(&head, *body);
            }
            ActionKind::Choice(branches) => self.braced("choice", |printer| {
                for branch in branches {
                    let head = format!("branch [{}]", printer.expr(branch.guard));
                    printer.body(&head, branch.action);
                }
            }),
            kind => {
                let text = self.inline(kind) + ";";
                self.line(&text);
            }
        }
    }
    /// Whether an `else` could be added to the end of a statement.
    fn ends_open(&self, action: ActionId) -> bool {
        match &self.ast.actions[action].kind {
            ActionKind::If { otherwise: None, .. } => true,
            ActionKind::If { otherwise: Some(last), .. } | ActionKind::For { body: last, .. } => {
                ir::deep(|| self.ends_open(*last))
            }
            _ => false,
        }
    }
    /// A statement below what it belongs to.
    fn body(&mut self, head: &str, action: ActionId) {
        if let ActionKind::Block(list) = &self.ast.actions[action].kind {
            return self.braced(head, |printer| printer.actions(list));
        }
        self.line(head);
        self.indented(|printer| printer.action(action));
    }
    fn inline(&self, kind: &ActionKind) -> String {
        match kind {
            ActionKind::Declare(variable) => self.variable(*variable),
            ActionKind::Return(None) => "return".to_owned(),
            ActionKind::Return(Some(value)) => format!("return {}", self.expr(*value)),
            ActionKind::Break => "break".to_owned(),
            ActionKind::Assign { target, value } => {
                format!("{} := {}", self.target(*target), self.expr(*value))
            }
            ActionKind::Assert(claim) => format!("assert({})", self.expr(*claim)),
            ActionKind::Nothing => "no operation".to_owned(),
            ActionKind::Expr(value) => match self.ast.exprs[*value].kind {
                ExprKind::Call(..) => self.expr(*value),
                // It may begin with what begins no statement.
                _ => format!("({})", self.expr(*value)),
            },
            ActionKind::Raise { event, arguments } => {
                format!("raise {}{}", self.event_ref(*event), self.arguments(arguments))
            }
            ActionKind::Set { timeout, time } => {
                format!("set {} := {}", self.used(*timeout), self.duration(time))
            }
            ActionKind::Block(_)
            | ActionKind::If { .. }
            | ActionKind::Switch { .. }
            | ActionKind::For { .. }
            | ActionKind::Choice(_) => unreachable!("printed on lines of its own"),
        }
    }
}
