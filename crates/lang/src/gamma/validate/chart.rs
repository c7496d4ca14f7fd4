//! Rules of statecharts.

use std::collections::VecDeque;

use ir::{Id, Int};
use rustc_hash::FxHashSet;

use super::Validator;
use crate::code::Code;
use crate::gamma::ast::*;
use crate::gamma::project::{Def, Parent};

/// How many guards of one choice are compared with each other.
const MAX_COMPARED_GUARDS: usize = 64;

impl Validator<'_> {
    pub(super) fn charts(&mut self) {
        let charts: Vec<ComponentId> = self.statecharts().map(|(id, _)| id).collect();
        let waited = self.ast().event_refs.iter().filter_map(|event| match event.kind {
            EventRefKind::Timeout(used) => self.project.defs[used],
            _ => None,
        });
        let waited: FxHashSet<Def> = waited.collect();
        for id in charts {
            let Some(chart) = self.project.statechart(id) else { continue };
            // Where a node is unknown, counting transitions and following them tells nothing.
            let known = |used: RefId| self.node(used).is_some();
            let ends = chart.transitions.iter().map(|id| &self.ast().transitions[*id]);
            if ends.into_iter().all(|transition| known(transition.from) && known(transition.to)) {
                self.regions(id, chart);
            }
            for &transition in &chart.transitions {
                self.transition(transition);
            }
            self.timeouts(chart, &waited);
            self.variables(chart);
            if chart.capacity.is_some() && !chart.asynchronous {
                let message = "only an `@Asynchronous` statechart has a queue with a capacity";
                self.error(Code::Misplaced, self.ast().components[id].ident.span, message);
            }
        }
        self.pseudo_loops();
    }

    // Regions and nodes.

    fn regions(&mut self, id: ComponentId, chart: &Statechart) {
        let ast = self.ast();
        if chart.regions.is_empty() {
            let component = ast.components[id].ident;
            let message = format!("statechart `{}` has no region; it does nothing", ast.text(component));
            self.error(Code::MissingPart, component.span, message);
        }
        let all = self.regions_of(chart);
        for &region in &all {
            self.region(region);
        }
        self.unreachable(chart, &all);
    }
    fn regions_of(&self, chart: &Statechart) -> Vec<RegionId> {
        let mut all = chart.regions.clone();
        let mut at = 0;
        while at < all.len() {
            for &node in &self.ast().regions[all[at]].nodes {
                if let NodeKind::State(state) = &self.ast().nodes[node].kind {
                    all.extend(&state.regions);
                }
            }
            at += 1;
        }
        all
    }
    fn region(&mut self, id: RegionId) {
        let ast = self.ast();
        let region = &ast.regions[id];
        let name = ast.text(region.ident);
        let of_kind = |kind: fn(&NodeKind) -> bool| {
            region.nodes.iter().copied().filter(move |node| kind(&ast.nodes[*node].kind))
        };
        if of_kind(NodeKind::is_entry).next().is_none() {
            let message =
                format!("region `{name}` cannot be entered; add an `initial` node and its transition");
            self.error(Code::MissingPart, region.ident.span, message);
        }
        for kind in [
            (|kind: &NodeKind| *kind == NodeKind::Initial) as fn(&NodeKind) -> bool,
            |kind| *kind == NodeKind::ShallowHistory,
            |kind| *kind == NodeKind::DeepHistory,
        ] {
            for again in of_kind(kind).skip(1) {
                let node = &ast.nodes[again];
                let message = format!("region `{name}` has another `{}` node already", node.kind.word());
                self.error(Code::RepeatedPart, node.ident.span, message);
            }
        }
        for &node in &region.nodes {
            self.check_node(node, id);
        }
    }
    fn check_node(&mut self, id: NodeId, region: RegionId) {
        let ast = self.ast();
        let node = &ast.nodes[id];
        let (name, word, span) = (ast.text(node.ident), node.kind.word(), node.ident.span);
        let (outgoing, incoming) = (&self.project.outgoing[id], &self.project.incoming[id]);
        match node.kind {
            NodeKind::Initial | NodeKind::ShallowHistory | NodeKind::DeepHistory => {
                if outgoing.len() != 1 {
                    let message = format!(
                        "`{word}` node `{name}` needs one transition that leaves it, and has {}",
                        outgoing.len()
                    );
                    self.error(Code::WrongCount, span, message);
                }
                for &transition in outgoing {
                    let Some(target) = self.node(ast.transitions[transition].to) else { continue };
                    if !self.within(self.project.node_region[target], region) {
                        let message = format!(
                            "`{word}` node `{name}` leads out of its region `{}`; it says where the region begins",
                            ast.text(ast.regions[region].ident)
                        );
                        self.error(Code::Misconnected, ast.transitions[transition].span, message);
                    }
                }
            }
            NodeKind::Choice => {
                if outgoing.is_empty() {
                    let message = format!("no transition leaves choice `{name}`; a run gets stuck in it");
                    self.error(Code::WrongCount, span, message);
                } else if !self.is_complete(outgoing) {
                    let message = format!(
                        "choice `{name}` has no `[else]`; a run gets stuck in it where no guard holds"
                    );
                    self.warn(Code::IncompleteChoice, span, message);
                }
            }
            NodeKind::Merge => {
                if outgoing.len() != 1 {
                    let message = format!(
                        "merge `{name}` needs one transition that leaves it, and has {}",
                        outgoing.len()
                    );
                    self.error(Code::WrongCount, span, message);
                }
            }
            NodeKind::Fork => {
                if outgoing.len() < 2 {
                    let message = format!(
                        "fork `{name}` needs several transitions that leave it, and has {}",
                        outgoing.len()
                    );
                    self.error(Code::WrongCount, span, message);
                }
            }
            NodeKind::Join => {
                if outgoing.len() != 1 {
                    let message = format!(
                        "join `{name}` needs one transition that leaves it, and has {}",
                        outgoing.len()
                    );
                    self.error(Code::WrongCount, span, message);
                }
                if incoming.len() < 2 {
                    let message = format!(
                        "join `{name}` waits for several transitions, but {} leads to it",
                        incoming.len()
                    );
                    self.warn(Code::WrongCount, span, message);
                }
            }
            NodeKind::State(_) => {}
        }
    }
    /// Whether a region is another one or in it.
    fn within(&self, mut inner: RegionId, outer: RegionId) -> bool {
        loop {
            if inner == outer {
                return true;
            }
            match self.project.region_parent[inner] {
                Parent::State(state) => inner = self.project.node_region[state],
                Parent::Statechart(_) => return false,
            }
        }
    }
    /// Whether some branch is open whatever happens, as far as the guards show by themselves.
    fn is_complete(&self, outgoing: &[TransitionId]) -> bool {
        let ast = self.ast();
        let mut guards = vec![];
        for &transition in outgoing {
            let Transition { trigger, guard, .. } = &ast.transitions[transition];
            if trigger.is_some() {
                continue;
            }
            match *guard {
                None => return true,
                Some(guard) => match &ast.exprs[guard].kind {
                    ExprKind::Else | ExprKind::Bool(true) => return true,
                    _ => guards.push(guard),
                },
            }
        }
        guards.truncate(MAX_COMPARED_GUARDS);
        guards
            .iter()
            .enumerate()
            .any(|(at, one)| guards[at + 1..].iter().any(|other| self.opposite(*one, *other)))
    }
    /// Whether one guard is plainly the negation of another.
    fn opposite(&self, one: ExprId, other: ExprId) -> bool {
        use CompareOp::*;
        let exprs = &self.ast().exprs;
        match (&exprs[one].kind, &exprs[other].kind) {
            (ExprKind::Not(inner), _) if self.alike(*inner, other) => true,
            (_, ExprKind::Not(inner)) if self.alike(one, *inner) => true,
            (ExprKind::Compare(op, a, b), ExprKind::Compare(po, c, d)) => {
                let negated = matches!(
                    (op, po),
                    (Equal, NotEqual)
                        | (NotEqual, Equal)
                        | (Less, GreaterEqual)
                        | (GreaterEqual, Less)
                        | (Greater, LessEqual)
                        | (LessEqual, Greater)
                        // These overlap, and leave nothing out.
                        | (LessEqual, GreaterEqual)
                        | (GreaterEqual, LessEqual)
                );
                negated && self.alike(*a, *c) && self.alike(*b, *d)
            }
            _ => false,
        }
    }
    /// Whether two expressions are the same.
    pub(super) fn alike(&self, one: ExprId, other: ExprId) -> bool {
        let ast = self.ast();
        let alike = |a: ExprId, b: ExprId| ir::deep(|| self.alike(a, b));
        let same = |a: RefId, b: RefId| {
            self.project.defs[a].is_some() && self.project.defs[a] == self.project.defs[b]
        };
        let all =
            |a: &[ExprId], b: &[ExprId]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(*a, *b));
        match (&ast.exprs[one].kind, &ast.exprs[other].kind) {
            (ExprKind::Name(a), ExprKind::Name(b)) => same(*a, *b),
            (ExprKind::Literal { literal: a, .. }, ExprKind::Literal { literal: b, .. }) => same(*a, *b),
            (
                ExprKind::EventParameter { port: Some(p), param: a, .. },
                ExprKind::EventParameter { port: Some(q), param: b, .. },
            ) => same(*p, *q) && same(*a, *b),
            (ExprKind::Field(a, f), ExprKind::Field(b, g)) => same(*f, *g) && alike(*a, *b),
            (ExprKind::Index(a, i), ExprKind::Index(b, j)) => alike(*a, *b) && alike(*i, *j),
            (ExprKind::Not(a), ExprKind::Not(b)) | (ExprKind::Negate(a), ExprKind::Negate(b)) => {
                alike(*a, *b)
            }
            (ExprKind::Compare(p, a, b), ExprKind::Compare(q, c, d)) => {
                p == q && alike(*a, *c) && alike(*b, *d)
            }
            (ExprKind::Logic(p, a), ExprKind::Logic(q, b)) => p == q && all(a, b),
            (ExprKind::Sum(a, r), ExprKind::Sum(b, s)) => {
                alike(*a, *b)
                    && r.len() == s.len()
                    && r.iter().zip(s).all(|((p, a), (q, b))| p == q && alike(*a, *b))
            }
            (ExprKind::Product(a, r), ExprKind::Product(b, s)) => {
                alike(*a, *b)
                    && r.len() == s.len()
                    && r.iter().zip(s).all(|((p, a), (q, b))| p == q && alike(*a, *b))
            }
            (ExprKind::Integer(a), ExprKind::Integer(b)) => a == b,
            (ExprKind::Bool(a), ExprKind::Bool(b)) => a == b,
            _ => false,
        }
    }
    /// Nodes that no path of transitions leads to, whatever the guards.
    fn unreachable(&mut self, chart: &Statechart, all: &[RegionId]) {
        let ast = self.ast();
        let mut reached = FxHashSet::default();
        let mut next = VecDeque::new();
        let mut entered = FxHashSet::default();
        for &region in &chart.regions {
            self.enter(region, &mut entered, &mut next);
        }
        while let Some(node) = next.pop_front() {
            if !reached.insert(node) {
                continue;
            }
            // Whoever is in a node is in everything around it.
            let region = self.project.node_region[node];
            if let Some(parent) = self.project.parent_state(region) {
                next.push_back(parent);
            }
            if let NodeKind::State(state) = &ast.nodes[node].kind {
                for &inner in &state.regions {
                    self.enter(inner, &mut entered, &mut next);
                }
            }
            for &transition in &self.project.outgoing[node] {
                next.extend(self.node(ast.transitions[transition].to));
            }
        }
        for &region in all {
            for &node in &ast.regions[region].nodes {
                if !reached.contains(&node) {
                    let Node { ident, kind } = &ast.nodes[node];
                    let message = format!("nothing leads to {} `{}`", kind.word(), ast.text(*ident));
                    self.warn(Code::Unreachable, ident.span, message);
                }
            }
        }
    }
    fn enter(&self, region: RegionId, entered: &mut FxHashSet<RegionId>, next: &mut VecDeque<NodeId>) {
        if entered.insert(region) {
            let nodes = self.ast().regions[region].nodes.iter().copied();
            next.extend(nodes.filter(|node| self.ast().nodes[*node].kind.is_entry()));
        }
    }

    // Transitions.

    fn transition(&mut self, id: TransitionId) {
        let ast = self.ast();
        let transition = &ast.transitions[id];
        let (Some(from), Some(to)) = (self.node(transition.from), self.node(transition.to)) else { return };
        let (source, target) = (&ast.nodes[from], &ast.nodes[to]);
        let (name, span) = (ast.text(source.ident), transition.span);
        let is_else = transition.guard.is_some_and(|guard| ast.exprs[guard].kind == ExprKind::Else);
        match (&source.kind, transition.trigger) {
            (NodeKind::State(_), None) => {
                let message = format!(
                    "this transition leaves state `{name}` without a trigger; write `when cycle` if it needs no event"
                );
                self.error(Code::MissingPart, span, message);
            }
            (NodeKind::State(_), _) | (_, None) => {}
            (NodeKind::Choice, Some(_)) => {
                let message = format!(
                    "this transition leaves choice `{name}`, where nothing is waited for; the trigger is one more guard"
                );
                self.warn(Code::Misplaced, span, message);
            }
            (kind, Some(_)) => {
                let message = format!(
                    "this transition leaves {} `{name}`, where nothing is waited for; remove the trigger",
                    kind.word()
                );
                self.error(Code::Misplaced, span, message);
            }
        }
        if is_else && transition.trigger.is_some() && !source.kind.is_state() {
            let message =
                "`else` is what happens if no other branch is open; remove the trigger or the guard";
            self.error(Code::Misplaced, span, message);
        }
        let guarded = transition.guard.is_some();
        if guarded && !matches!(source.kind, NodeKind::State(_) | NodeKind::Choice) {
            let message =
                format!("a transition that leaves {} `{name}` has no guard; remove it", source.kind.word());
            self.error(Code::Misplaced, span, message);
        }
        if target.kind == NodeKind::Initial {
            let message =
                format!("`{}` is the initial node of a region; nothing leads there", ast.text(target.ident));
            self.error(Code::Misconnected, span, message);
        }
        self.crossing(from, to, id);
    }
    /// A transition from one orthogonal region into another leaves both of them and enters both of them, as the state
    /// around them is left and entered; hardly anybody means that.
    fn crossing(&mut self, from: NodeId, to: NodeId, id: TransitionId) {
        let ast = self.ast();
        if ast.nodes[from].kind == NodeKind::Fork || ast.nodes[to].kind == NodeKind::Join {
            return;
        }
        let (one, other) = (self.path(from), self.path(to));
        let shared = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
        // A path is of regions and states in turn; where both go on with different regions, these are orthogonal.
        if let (Some(Step::Region(a)), Some(Step::Region(b))) = (one.get(shared), other.get(shared)) {
            let message = format!(
                "this transition leads from region `{}` into region `{}` beside it; the state around them is left and \
                 entered again",
                ast.text(ast.regions[*a].ident),
                ast.text(ast.regions[*b].ident)
            );
            if shared == 0 {
                let message = format!("{message}, but there is none: these regions are never left");
                self.error(Code::Misconnected, ast.transitions[id].span, message);
            } else {
                self.warn(Code::Misconnected, ast.transitions[id].span, message);
            }
        }
    }
    fn path(&self, node: NodeId) -> Vec<Step> {
        let mut path = vec![Step::Node(node)];
        let mut region = self.project.node_region[node];
        loop {
            path.push(Step::Region(region));
            match self.project.region_parent[region] {
                Parent::State(state) => {
                    path.push(Step::Node(state));
                    region = self.project.node_region[state];
                }
                Parent::Statechart(_) => break,
            }
        }
        path.reverse();
        path
    }
    /// Transitions through pseudo-states come to a state.
    fn pseudo_loops(&mut self) {
        let ast = self.ast();
        let mut colour = vec![0u8; ast.nodes.len()];
        for start in ast.nodes.ids() {
            // Depth-first, with the next transition to try of each open node.
            let mut stack = vec![(start, 0usize)];
            while let Some((node, at)) = stack.last_mut() {
                let (node, next) = (*node, *at);
                *at += 1;
                let index = node.index();
                if next == 0 {
                    if colour[index] != 0 || ast.nodes[node].kind.is_state() {
                        stack.pop();
                        continue;
                    }
                    colour[index] = 1;
                }
                let Some(&transition) = self.project.outgoing[node].get(next) else {
                    colour[index] = 2;
                    stack.pop();
                    continue;
                };
                let Some(target) = self.node(ast.transitions[transition].to) else { continue };
                if ast.nodes[target].kind.is_state() {
                    continue;
                }
                match colour[target.index()] {
                    0 => stack.push((target, 0)),
                    1 => {
                        let message = format!(
                            "this leads back to {} `{}` without coming to a state; a run would never end its step",
                            ast.nodes[target].kind.word(),
                            ast.text(ast.nodes[target].ident)
                        );
                        self.error(Code::CircularReference, ast.transitions[transition].span, message);
                    }
                    _ => {}
                }
            }
        }
    }

    // Timeouts and variables.

    fn timeouts(&mut self, chart: &Statechart, waited: &FxHashSet<Def>) {
        let ast = self.ast();
        for &timeout in &chart.timeouts {
            let ident = ast.timeouts[timeout].ident;
            let name = ast.text(ident);
            let sets = &self.project.timeout_sets[timeout];
            if sets.is_empty() {
                let message = format!("timeout `{name}` is never set, so it is always over");
                self.warn(Code::Unused, ident.span, message);
            } else if !waited.contains(&Def::Timeout(timeout)) {
                let message = format!("timeout `{name}` is set, and nothing waits for it");
                self.warn(Code::Unused, ident.span, message);
            }
            let Some((&first, rest)) = sets.split_first() else { continue };
            for &other in rest {
                if !self.same_time(first, other) {
                    let message = format!(
                        "timeout `{name}` is set to another value elsewhere; declare one for each value"
                    );
                    let span = ast.actions[other].span;
                    let said = crate::diagnostic::Diagnostic::error(Code::DifferentValues, span, message);
                    self.diagnostics.push(said.note(ast.actions[first].span, "first set here"));
                }
            }
        }
    }
    fn same_time(&self, one: ActionId, other: ActionId) -> bool {
        let ast = self.ast();
        let (ActionKind::Set { time: one, .. }, ActionKind::Set { time: other, .. }) =
            (&ast.actions[one].kind, &ast.actions[other].kind)
        else {
            return false;
        };
        let value = |time: &Duration| {
            let factor = Int::from(i64::from(time.unit.milliseconds()));
            Some(&self.project.integer_value(time.value)? * &factor)
        };
        match (value(one), value(other)) {
            (Some(one), Some(other)) => one == other,
            _ => one.unit == other.unit && self.alike(one.value, other.value),
        }
    }
    fn variables(&mut self, chart: &Statechart) {
        for &variable in &chart.variables {
            let variable = &self.ast().variables[variable];
            let has = |annotation| variable.annotations.contains(&annotation);
            if has(VariableAnnotation::Transient) && has(VariableAnnotation::Resettable) {
                let message = format!(
                    "`{}` is reset before and after each cycle; one of the annotations is enough",
                    self.ast().text(variable.ident)
                );
                self.warn(Code::IgnoredPart, variable.ident.span, message);
            }
        }
    }
}

/// A part of the way from a statechart to a node.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Step {
    Region(RegionId),
    Node(NodeId),
}
