//! The cycle of a statechart, its regions and transitions (4.2 to 4.4), and its initialisation (4.8).

use std::collections::BTreeMap;

use lang::gamma::ast::*;

use super::enter::Planned;
use super::expr::Frame;
use super::{Machine, Maybe, Model, Side, Slot, Stop, Value, unable};

/// A transition of a state: one that is written, or all that lead to a join.
#[derive(Copy, Clone, Debug)]
enum Way {
    Plain(TransitionId),
    Join(NodeId),
}

/// Something that may be taken.
struct Candidate<T> {
    way: T,
    number: i64,
    enabled: bool,
    /// Whether it is an `else` whose trigger holds.
    otherwise: bool,
}

impl Machine<'_, '_> {
    /// Variables, timeouts and flags of a leaf as they are at first.
    pub fn leaf_variables(&mut self, leaf: usize) -> Maybe<()> {
        let model = self.model;
        let chart = model.chart(leaf);
        for region in model.regions(chart) {
            self.state.insert(Slot::Region(leaf, region), Value::Node(None));
            self.state.insert(Slot::Memory(leaf, region), Value::Node(None));
        }
        for port in model.ports(model.parts[leaf].component) {
            for (event, direction) in model.events(port) {
                let sides = [
                    (Side::In, Model::comes_in(direction)),
                    (Side::Out, Model::goes_out(direction)),
                    (Side::Raised, direction == Direction::Internal),
                ];
                for (side, _) in sides.into_iter().filter(|(_, there)| *there) {
                    self.set_flag(side, leaf, (port, event), false);
                    self.set_parameters(side, leaf, (port, event), &model.defaults(event)?);
                }
            }
        }
        for timeout in &chart.timeouts {
            let value = self.duration(leaf, *timeout)?.unwrap_or(0);
            self.state.insert(Slot::Timer(leaf, *timeout), Value::Int(value));
        }
        for variable in &chart.variables {
            let value = self.initial(leaf, *variable)?;
            self.state.insert(Slot::Variable(leaf, *variable), value);
        }
        Ok(())
    }
    pub(super) fn set_parameters(
        &mut self,
        side: Side,
        part: usize,
        (port, event): (PortId, EventId),
        to: &[Value],
    ) {
        for (at, value) in to.iter().enumerate() {
            self.state.insert(Slot::Parameter(side, part, port, event, at), value.clone());
        }
    }
    /// Enters all regions; the actions come later.
    pub fn leaf_states(&mut self, leaf: usize) -> Maybe<Vec<Planned>> {
        let mut plan = vec![];
        for region in self.model.chart(leaf).regions.clone() {
            self.determine(leaf, region, &[], &mut plan)?;
        }
        Ok(plan)
    }

    pub(super) fn timeout(&self, leaf: usize, name: RefId) -> Maybe<TimeoutId> {
        let ast = &self.model.ast;
        let name = ast.ref_text(name);
        let mut all = self.model.chart(leaf).timeouts.iter().copied();
        let found = all.find(|it| ast.text(ast.timeouts[*it].ident) == name);
        found.map_or_else(|| unable(format!("no timeout {name}")), Ok)
    }
    /// What a timeout is set to, if it is set (7).
    pub(super) fn duration(&self, leaf: usize, timeout: TimeoutId) -> Maybe<Option<i128>> {
        let ast = &self.model.ast;
        let text = ast.text(ast.timeouts[timeout].ident);
        // All statements of the file of the statechart are looked at; those of others name other timeouts.
        let span = ast.components[self.model.parts[leaf].component].span;
        let mut found = None;
        for action in ast.actions.iter() {
            let within = action.span.file == span.file
                && span.start <= action.span.start
                && action.span.start < span.end;
            if let ActionKind::Set { timeout: name, time } = action.kind
                && within
                && ast.ref_text(name) == text
            {
                let value = self.model.milliseconds(leaf, time)?;
                if found.is_some_and(|found| found != value) {
                    return unable("a timeout with two values");
                }
                found = Some(value);
            }
        }
        Ok(found)
    }

    /// Whether an event is there, in a trigger (4.3).
    pub(super) fn happens(&self, leaf: usize, event: EventRefId) -> Maybe<bool> {
        let model = self.model;
        let component = model.parts[leaf].component;
        match model.ast.event_refs[event].kind {
            EventRefKind::Timeout(name) => {
                let timeout = self.timeout(leaf, name)?;
                self.elapsed(leaf, timeout)
            }
            EventRefKind::PortAny(port) => {
                Ok(self.any_at(leaf, model.port(component, model.ast.ref_text(port))?))
            }
            EventRefKind::PortEvent(port, event) => {
                let port = model.port(component, model.ast.ref_text(port))?;
                let (event, _) = model.event(port, model.ast.ref_text(event))?;
                Ok(self.flag(Side::In, leaf, port, event))
            }
            EventRefKind::Clock(_) => unable("a clock in a statechart"),
        }
    }
    pub(super) fn elapsed(&self, leaf: usize, timeout: TimeoutId) -> Maybe<bool> {
        Ok(match self.duration(leaf, timeout)? {
            None => true,
            Some(value) => self.state[&Slot::Timer(leaf, timeout)].int()? >= value,
        })
    }
    fn any_at(&self, leaf: usize, port: PortId) -> bool {
        self.model.events(port).iter().any(|(event, _)| self.flag(Side::In, leaf, port, *event))
    }
    fn any(&self, leaf: usize) -> bool {
        let ports = self.model.ports(self.model.parts[leaf].component);
        ports.into_iter().any(|port| self.any_at(leaf, port))
    }
    fn triggered(&self, leaf: usize, trigger: TriggerId) -> Maybe<bool> {
        Ok(match &self.model.ast.triggers[trigger].kind {
            TriggerKind::Cycle => true,
            TriggerKind::Any => self.any(leaf),
            TriggerKind::Event(event) => self.happens(leaf, *event)?,
            TriggerKind::Opaque(_) => return unable("a string as trigger"),
            TriggerKind::Not(inner) => !self.triggered(leaf, *inner)?,
            TriggerKind::Chain(op, all) => {
                let mut values = vec![];
                for trigger in all {
                    values.push(self.triggered(leaf, *trigger)?);
                }
                let last = values.pop().expect("operands");
                // `->` is from the right; of the others the side does not matter.
                values.into_iter().rev().fold(last, |right, left| match op {
                    TriggerOp::And => left && right,
                    TriggerOp::Or => left || right,
                    TriggerOp::Xor => left ^ right,
                    TriggerOp::Imply => !left || right,
                    TriggerOp::Equal => left == right,
                })
            }
        })
    }

    /// One cycle (4.2).
    pub fn cycle(&mut self, leaf: usize) -> Maybe<()> {
        let model = self.model;
        let chart = model.chart(leaf);
        if let Some(needs) = chart.annotations.run_upon {
            let mut runs = self.any(leaf);
            if needs == RunUpon::ExternalEventOrInternalTimeout {
                for timeout in &chart.timeouts {
                    runs |= self.elapsed(leaf, *timeout)?;
                }
            }
            if !runs {
                return Ok(());
            }
        }
        self.reinitialise(leaf, VariableAnnotation::Resettable)?;
        for port in model.ports(model.parts[leaf].component) {
            let interfaces = model.interfaces(port);
            let of_interfaces = interfaces.iter().flat_map(|it| &model.ast.interfaces[*it].invariants);
            for invariant in of_interfaces.chain(&model.ast.ports[port].invariants) {
                let mut frame = Frame::of(leaf);
                frame.this = Some(port);
                if !self.holds(&mut frame, *invariant)? {
                    return Err(Stop::NoRun);
                }
            }
        }
        if chart.annotations.guard_evaluation == Some(GuardEvaluation::BeginningOfStep) {
            let mut guards = BTreeMap::new();
            for transition in &chart.transitions {
                if model.ast.nodes[model.from(leaf, *transition)?].kind.is_state() {
                    guards.insert(*transition, self.enabled_now(leaf, *transition)?);
                }
            }
            self.guards = Some(guards);
        }
        self.run_regions(leaf, &chart.regions)?;
        self.guards = None;
        self.invariants(leaf)?;
        for port in model.ports(model.parts[leaf].component) {
            for (event, direction) in model.events(port) {
                if !Model::comes_in(direction) {
                    continue;
                }
                self.set_flag(Side::In, leaf, (port, event), false);
                if model.ast.events[event].persistency != Some(Persistency::Persistent) {
                    self.set_parameters(Side::In, leaf, (port, event), &model.defaults(event)?);
                }
                self.deliver_internal(leaf, (port, event));
            }
        }
        self.reinitialise(leaf, VariableAnnotation::Transient)
    }
    /// An internal event that was raised comes in (3).
    pub fn deliver_internal(&mut self, leaf: usize, (port, event): (PortId, EventId)) {
        if !self.flag(Side::Raised, leaf, port, event) {
            return;
        }
        self.set_flag(Side::Raised, leaf, (port, event), false);
        self.set_flag(Side::In, leaf, (port, event), true);
        let params = 0..self.model.ast.events[event].params.len();
        let raised = |at| self.state[&Slot::Parameter(Side::Raised, leaf, port, event, at)].clone();
        let values: Vec<Value> = params.map(raised).collect();
        self.set_parameters(Side::In, leaf, (port, event), &values);
    }
    fn reinitialise(&mut self, leaf: usize, which: VariableAnnotation) -> Maybe<()> {
        for variable in &self.model.chart(leaf).variables {
            if self.model.ast.variables[*variable].annotations.contains(&which) {
                let value = self.initial(leaf, *variable)?;
                self.state.insert(Slot::Variable(leaf, *variable), value);
            }
        }
        Ok(())
    }
    /// Assumes the invariants of the statechart and of its active states (4.7).
    pub fn invariants(&mut self, leaf: usize) -> Maybe<()> {
        let model = self.model;
        let chart = model.chart(leaf);
        let mut all = chart.invariants.clone();
        for region in model.regions(chart) {
            if let Some(node) = self.active(leaf, region)
                && let NodeKind::State(state) = &model.ast.nodes[node].kind
            {
                all.extend(state.invariants.iter().copied());
            }
        }
        for invariant in all {
            if !self.holds(&mut Frame::of(leaf), invariant)? {
                return Err(Stop::NoRun);
            }
        }
        Ok(())
    }

    /// Runs orthogonal regions (4.3); whether a transition fired.
    fn run_regions(&mut self, leaf: usize, regions: &[RegionId]) -> Maybe<bool> {
        let schedule = self.model.chart(leaf).annotations.orthogonal_schedule.unwrap_or_default();
        let mut fired = false;
        match schedule {
            OrthogonalSchedule::Sequential => {
                for region in regions {
                    fired |= self.run_region(leaf, *region)?;
                }
            }
            OrthogonalSchedule::Unordered => {
                let mut left = regions.to_vec();
                while !left.is_empty() {
                    let next = left.remove(self.tape.choose(left.len()));
                    fired |= self.run_region(leaf, next)?;
                }
            }
            OrthogonalSchedule::Parallel => {
                let before = self.state.clone();
                let mut after = vec![];
                for region in regions {
                    let mut copy = before.clone();
                    let timers = self.state.iter().filter(|(slot, _)| matches!(slot, Slot::Timer(..)));
                    copy.extend(timers.map(|(slot, value)| (*slot, value.clone())));
                    self.state = copy;
                    fired |= self.run_region(leaf, *region)?;
                    after.push(self.state.clone());
                }
                let mut merged = before.clone();
                for state in after {
                    let changed = |slot: &Slot, value: &Value| {
                        matches!(slot, Slot::Timer(..)) || before.get(slot) != Some(value)
                    };
                    merged.extend(state.into_iter().filter(|(slot, value)| changed(slot, value)));
                }
                self.state = merged;
            }
        }
        Ok(fired)
    }
    /// Runs a region (4.3); whether a transition fired in it.
    fn run_region(&mut self, leaf: usize, region: RegionId) -> Maybe<bool> {
        let Some(state) = self.active(leaf, region) else { return Ok(false) };
        let inner = self.model.regions_of(state);
        let bottom_up = self.model.chart(leaf).annotations.region_schedule == Some(RegionSchedule::BottomUp);
        if bottom_up && self.run_regions(leaf, &inner)? {
            return Ok(true);
        }
        if let Some(way) = self.enabled_way(leaf, state)? {
            self.fire(leaf, state, way)?;
            return Ok(true);
        }
        if bottom_up { Ok(false) } else { self.run_regions(leaf, &inner) }
    }

    /// Whether trigger and guard hold now; of an `else` the trigger.
    fn enabled_now(&mut self, leaf: usize, transition: TransitionId) -> Maybe<bool> {
        let ast = &self.model.ast;
        let it = &ast.transitions[transition];
        if let Some(trigger) = it.trigger
            && !self.triggered(leaf, trigger)?
        {
            return Ok(false);
        }
        match it.guard {
            Some(guard) if !self.is_else(transition) => {
                if self.calls_change(leaf, guard)? {
                    return unable("a guard that changes something");
                }
                self.holds(&mut Frame::of(leaf), guard)
            }
            _ => Ok(true),
        }
    }
    fn is_else(&self, transition: TransitionId) -> bool {
        let ast = &self.model.ast;
        let guard = ast.transitions[transition].guard;
        guard.is_some_and(|guard| matches!(ast.exprs[guard].kind, ExprKind::Else))
    }
    /// The same, at the beginning of the step if that is wanted.
    fn holds_of_state(&mut self, leaf: usize, transition: TransitionId) -> Maybe<bool> {
        match self.guards.as_ref().and_then(|guards| guards.get(&transition)) {
            Some(held) => Ok(*held),
            None => self.enabled_now(leaf, transition),
        }
    }
    fn number(&self, transition: TransitionId) -> i64 {
        let number = self.model.ast.transitions[transition].priority.as_ref();
        number.and_then(ir::Int::to_i64).unwrap_or(0)
    }
    /// Which of the candidates, given in order of the file, is taken.
    fn pick<T: Copy>(&mut self, leaf: usize, candidates: &[Candidate<T>]) -> Option<T> {
        let mut enabled: Vec<&Candidate<T>> = candidates.iter().filter(|it| it.enabled).collect();
        if enabled.is_empty() {
            enabled = candidates.iter().filter(|it| it.otherwise).collect();
        }
        match self.model.chart(leaf).annotations.transition_priority.unwrap_or_default() {
            TransitionPriority::Off => {}
            TransitionPriority::OrderBased => enabled.truncate(1),
            TransitionPriority::ValueBased => {
                let largest = enabled.iter().map(|it| it.number).max();
                enabled.retain(|it| Some(it.number) == largest);
            }
        }
        if enabled.is_empty() {
            return None;
        }
        let chosen = self.tape.choose(enabled.len());
        Some(enabled[chosen].way)
    }

    /// The composite state that a join leaves: the innermost one that contains all sources (4.4).
    fn joined(&self, leaf: usize, join: NodeId) -> Maybe<NodeId> {
        let model = self.model;
        let mut common: Option<Vec<NodeId>> = None;
        for transition in model.incoming(leaf, join)? {
            let around = model.around(model.from(leaf, transition)?);
            let states: Vec<NodeId> =
                around.into_iter().filter_map(|region| model.state_of(region)).collect();
            common = Some(match common {
                None => states,
                Some(known) => known.into_iter().filter(|it| states.contains(it)).collect(),
            });
        }
        match common.and_then(|states| states.first().copied()) {
            Some(state) => Ok(state),
            None => unable("a join of no composite state"),
        }
    }
    /// The transition of a state that fires, if one does.
    fn enabled_way(&mut self, leaf: usize, state: NodeId) -> Maybe<Option<Way>> {
        let model = self.model;
        let mut candidates = vec![];
        let mut joins = vec![];
        for transition in &model.chart(leaf).transitions {
            let to = model.to(leaf, *transition)?;
            if model.ast.nodes[to].kind == NodeKind::Join {
                if joins.contains(&to) || self.joined(leaf, to)? != state {
                    continue;
                }
                joins.push(to);
                let mut enabled = true;
                for segment in model.incoming(leaf, to)? {
                    let source = model.from(leaf, segment)?;
                    if !model.ast.nodes[source].kind.is_state() || self.is_else(segment) {
                        return unable("a join of something else than states");
                    }
                    enabled &= self.active(leaf, model.region_of(source)) == Some(source)
                        && self.holds_of_state(leaf, segment)?;
                }
                let number = self.number(*transition);
                candidates.push(Candidate { way: Way::Join(to), number, enabled, otherwise: false });
            } else if model.from(leaf, *transition)? == state {
                let holds = self.holds_of_state(leaf, *transition)?;
                let is_else = self.is_else(*transition);
                candidates.push(Candidate {
                    way: Way::Plain(*transition),
                    number: self.number(*transition),
                    enabled: holds && !is_else,
                    otherwise: holds && is_else,
                });
            }
        }
        Ok(self.pick(leaf, &candidates))
    }

    /// Fires a transition (4.4).
    fn fire(&mut self, leaf: usize, state: NodeId, way: Way) -> Maybe<()> {
        let model = self.model;
        match way {
            Way::Plain(transition) => {
                let to = model.to(leaf, transition)?;
                let scope = model.scope(state, to)?;
                self.leave(leaf, scope, state)?;
                self.actions(leaf, &model.ast.transitions[transition].effects)?;
                self.go_on(leaf, to, scope)
            }
            Way::Join(join) => {
                let outgoing = model.outgoing(leaf, join)?;
                let [outgoing] = outgoing[..] else { return unable("a join with several ways out") };
                let scope = model.scope(state, model.to(leaf, outgoing)?)?;
                self.leave(leaf, scope, state)?;
                for segment in model.incoming(leaf, join)? {
                    self.actions(leaf, &model.ast.transitions[segment].effects)?;
                }
                let scope = self.segment(leaf, outgoing, scope)?;
                self.go_on(leaf, model.to(leaf, outgoing)?, scope)
            }
        }
    }
    /// Leaves what a segment behind the first one leaves, and has its effect; the scope then.
    fn segment(&mut self, leaf: usize, segment: TransitionId, scope: RegionId) -> Maybe<RegionId> {
        let model = self.model;
        let (from, to) = (model.from(leaf, segment)?, model.to(leaf, segment)?);
        let own = model.scope(from, to)?;
        let mut outermost = scope;
        // Whether its scope contains the scope so far: the state that the latter is in lies in it.
        if own != scope
            && let Some(state) = model.state_of(scope)
            && model.around(state).contains(&own)
        {
            outermost = own;
            self.leave(leaf, own, state)?;
        }
        self.actions(leaf, &model.ast.transitions[segment].effects)?;
        Ok(outermost)
    }
    /// Goes on where a segment led.
    fn go_on(&mut self, leaf: usize, node: NodeId, scope: RegionId) -> Maybe<()> {
        let model = self.model;
        match &model.ast.nodes[node].kind {
            NodeKind::State(_) | NodeKind::Initial | NodeKind::ShallowHistory | NodeKind::DeepHistory => {
                self.enter(leaf, scope, &[node])
            }
            NodeKind::Merge | NodeKind::Choice => {
                let next = self.branch(leaf, node)?;
                let scope = self.segment(leaf, next, scope)?;
                self.go_on(leaf, model.to(leaf, next)?, scope)
            }
            NodeKind::Fork => {
                let (mut scope, mut targets) = (scope, vec![]);
                for segment in model.outgoing(leaf, node)? {
                    scope = self.segment(leaf, segment, scope)?;
                    targets.push(model.to(leaf, segment)?);
                }
                self.enter(leaf, scope, &targets)
            }
            NodeKind::Join => unable("a join behind another node"),
        }
    }
    /// The segment that is taken behind a merge or choice.
    pub(super) fn branch(&mut self, leaf: usize, node: NodeId) -> Maybe<TransitionId> {
        let outgoing = self.model.outgoing(leaf, node)?;
        if self.model.ast.nodes[node].kind == NodeKind::Merge {
            let [next] = outgoing[..] else { return unable("a merge with several ways out") };
            return Ok(next);
        }
        let mut candidates = vec![];
        for segment in outgoing {
            let holds = self.enabled_now(leaf, segment)?;
            let is_else = self.is_else(segment);
            candidates.push(Candidate {
                way: segment,
                number: self.number(segment),
                enabled: holds && !is_else,
                otherwise: holds && is_else,
            });
        }
        self.pick(leaf, &candidates).ok_or(Stop::Incomplete)
    }
}
