//! Lower and upper clock bounds for every location, by static guard analysis.
//!
//! `L(l, x)` is the greatest constant that `x` is compared with from below on some path from `l` before
//! `x` is reset, `U(l, x)` likewise from above: the least solution of `B(l) >= atoms of l's invariant`,
//! and for every edge from `l` to `l'`, `B(l) >= atoms of the edge` and `B(l, x) >= B(l', x)` unless the
//! edge surely resets `x`. Each process is analysed alone; a vector of locations has the maximum. The
//! fixpoint goes backwards along edges and only where something grew. See Behrmann, Bouyer, Fleury and
//! Larsen, *Static guard analysis in timed automata verification*, 2003.
//!
//! Where a clock gets the value of another, `y := x`, what `y` is compared with afterwards counts for `x`. Others may look
//! at `y` wherever they are, so the greatest constants of `y` at any location count for `x` everywhere (P. Bouyer,
//! *Forward analysis of updatable timed automata*, 2004, has the same inequalities).
//!
//! A difference of two clocks counts for both, with its constant and the greatest value the other one is
//! ever set to. The atoms of the target hold everywhere. A bound that depends on data counts with its greatest
//! value.

use ir::range::{ALL, Interval};
use ir::{ClockAtom, Id, LocationId, Node, ProcessId, Stmt, StmtNode, System, Term, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use zones::{Bound, Constraint, LuBounds};

use crate::Reason;
use crate::cause::{Outgrown, Unsupported};
use crate::concrete::code::{ClockAtoms, note_atoms};

/// The clock bounds of a system.
pub(super) struct Bounds {
    /// For each process and location, with the clocks that have any there.
    local: Vec<Vec<(LuBounds, Vec<u32>)>>,
    /// Those of the target.
    everywhere: LuBounds,
    /// The constraints on differences of two clocks, if there are any.
    pub(super) diagonals: Vec<Constraint>,
}

impl Bounds {
    /// Analyses `system`; notes the clock constraints it meets in `atoms`.
    pub(super) fn new(system: &mut System, target: Term, atoms: &mut ClockAtoms) -> Result<Bounds, Reason> {
        let dim = system.clocks().count() + 1;
        let mut analysis = Analysis { system, atoms, dim, diagonals: vec![], set_to: vec![] };
        analysis.set_to = analysis.greatest_values();
        let mut everywhere = LuBounds::new(dim);
        analysis.term(target, false, &mut everywhere)?;
        let processes: Vec<ProcessId> = analysis.system.processes.ids().collect();
        let mut local = vec![];
        for process in processes {
            let clocked = |bounds: LuBounds| {
                let bounded = |clock: &u32| {
                    bounds.lower(*clock as usize).is_some() || bounds.upper(*clock as usize).is_some()
                };
                let clocks = (1..dim as u32).filter(bounded).collect();
                (bounds, clocks)
            };
            local.push(analysis.process(process)?.into_iter().map(clocked).collect());
        }
        let copies = analysis.copies();
        let diagonals = analysis.diagonals;
        let mut bounds = Bounds { local, everywhere, diagonals };
        bounds.flow(&copies);
        Ok(bounds)
    }
    /// Passes the bounds of copies on to what they are copies of.
    fn flow(&mut self, copies: &[(usize, usize)]) {
        let mut grew = true;
        while std::mem::take(&mut grew) {
            for (clock, from) in copies {
                for (bounds, _) in self.local.iter().flatten() {
                    grew |= self.everywhere.merge_clock_with(*from, bounds, *clock);
                }
                let everywhere = self.everywhere.clone();
                grew |= self.everywhere.merge_clock_with(*from, &everywhere, *clock);
            }
        }
    }
    /// Whether a difference of two clocks has been met.
    pub(super) fn knows(&self, system: &System, atom: &ClockAtom) -> bool {
        let number = |clock| system.clocks().position(|other| Some(other) == clock).map_or(0, |at| at + 1);
        let Some((_, constant)) = interval(system, atom.bound) else { return false };
        let Ok(bound) = Bound::new(constant, atom.strict) else { return false };
        let difference = Constraint::new(number(atom.plus), number(atom.minus), bound);
        self.diagonals.contains(&difference) || self.diagonals.contains(&difference.negated())
    }
    /// The bounds at a vector of locations.
    pub(super) fn at(&self, locations: impl Iterator<Item = LocationId>, out: &mut LuBounds) {
        out.clone_from(&self.everywhere);
        for (process, location) in self.local.iter().zip(locations) {
            let (bounds, clocks) = &process[location.index()];
            for clock in clocks {
                out.merge_clock(*clock as usize, bounds);
            }
        }
    }
}

struct Analysis<'a> {
    system: &'a mut System,
    atoms: &'a mut ClockAtoms,
    dim: usize,
    diagonals: Vec<Constraint>,
    /// The greatest value each clock is set to anywhere; `None` if there is no greatest.
    set_to: Vec<Option<i64>>,
}

impl Analysis<'_> {
    fn greatest_values(&self) -> Vec<Option<i64>> {
        let terms = &self.system.terms;
        let mut greatest = vec![Some(0); self.dim];
        let mut set = |var: VarId, value: Term| {
            if let Some(clock) = self.number(Some(var)) {
                let value = interval(self.system, value).map(|(_, most)| most);
                greatest[clock] = greatest[clock].zip(value).map(|(a, b)| a.max(b));
            }
        };
        self.system.initial.iter().for_each(|(var, value)| set(*var, *value));
        for edge in self.system.processes.iter().flat_map(|process| process.edges.iter()) {
            terms.for_each_substmt(edge.update.stmt, |part| {
                if let StmtNode::Assign(var, value) = terms.stmt(part) {
                    set(*var, *value);
                }
            });
        }
        greatest
    }
    /// The clocks that get the values of others, each with the other.
    fn copies(&self) -> Vec<(usize, usize)> {
        let pairs = ir::copies(self.system);
        let number = |clock: VarId| self.number(Some(clock)).expect("a clock of the state");
        pairs.into_iter().map(|(clock, from)| (number(clock), number(from))).collect()
    }
    fn process(&mut self, process: ProcessId) -> Result<Vec<LuBounds>, Reason> {
        let body = self.system.processes[process].clone();
        // Whoever is of lower priority asks for the negation of guards, and of invariants after them.
        let prioritised = self.system.priorities.is_some();
        let mut bounds = vec![LuBounds::new(self.dim); body.locations.len()];
        for (id, location) in body.locations.entries() {
            self.term(location.invariant, prioritised, &mut bounds[id.index()])?;
        }
        // For each location, the edges into it with the clocks they leave alone.
        let mut incoming: Vec<Vec<(usize, Vec<usize>)>> = vec![vec![]; body.locations.len()];
        for edge in body.edges.iter() {
            let source = edge.source.index();
            // A broadcast leaves out only those who cannot receive, which asks for the negated guard.
            let broadcast =
                |sync: ir::Sync| self.system.channels[sync.channel].kind == ir::ChannelKind::Broadcast;
            // Time passes while no urgent channel can be used, which asks for it too.
            let urgent = |sync: ir::Sync| self.system.channels[sync.channel].urgent;
            let both = prioritised
                || edge.sync.is_some_and(urgent)
                || edge.sync.is_some_and(|sync| sync.role == ir::Role::Receive && broadcast(sync));
            self.term(edge.guard, both, &mut bounds[source])?;
            for stmt in [Some(edge.update.stmt), edge.update.fault].into_iter().flatten() {
                self.stmt(stmt, &mut bounds[source])?;
            }
            let reset = self.surely_reset(edge.update.stmt);
            let kept = (1..self.dim).filter(|clock| !reset.contains(clock)).collect();
            incoming[edge.target.index()].push((source, kept));
        }
        let mut work: Vec<usize> = (0..bounds.len()).collect();
        while let Some(location) = work.pop() {
            for (source, kept) in &incoming[location] {
                let target = bounds[location].clone();
                let mut grew = false;
                for clock in kept {
                    grew |= bounds[*source].merge_clock(*clock, &target);
                }
                if grew && !work.contains(source) {
                    work.push(*source);
                }
            }
        }
        Ok(bounds)
    }
    /// The clocks that every execution of `stmt` resets.
    fn surely_reset(&self, stmt: Stmt) -> Vec<usize> {
        match self.system.terms.stmt(stmt) {
            StmtNode::Assign(var, _) => {
                self.number(Some(*var)).into_iter().filter(|clock| *clock > 0).collect()
            }
            StmtNode::Seq(list) => {
                list.iter().flat_map(|part| ir::deep(|| self.surely_reset(*part))).collect()
            }
            _ => vec![],
        }
    }
    fn number(&self, clock: Option<VarId>) -> Option<usize> {
        match clock {
            None => Some(0),
            Some(clock) => self.system.clocks().position(|other| other == clock).map(|at| at + 1),
        }
    }
    fn stmt(&mut self, stmt: Stmt, bounds: &mut LuBounds) -> Result<(), Reason> {
        let mut terms = vec![];
        self.system.terms.for_each_substmt(stmt, |part| {
            let node = self.system.terms.stmt(part);
            let assumed = matches!(node, StmtNode::Assume(_));
            node.for_each_term(|term| terms.push((term, !assumed)));
        });
        terms.into_iter().try_for_each(|(term, both)| self.term(term, both, bounds))
    }
    /// Takes the clock constraints in a condition into account, and those in its negation if `both`.
    fn term(&mut self, term: Term, both: bool, bounds: &mut LuBounds) -> Result<(), Reason> {
        note_atoms(self.system, term, self.atoms);
        let mut found = vec![];
        self.find_atoms(term, both, &mut FxHashSet::default(), &mut found);
        for (t, both) in found {
            for atom in self.atoms.differences[&t].clone() {
                self.atom(atom, bounds, both)?;
            }
        }
        Ok(())
    }
    /// The constraints in a condition, each with whether its negation matters too: conjunction and
    /// disjunction keep the side, anything else may reverse it.
    fn find_atoms(
        &self,
        term: Term,
        both: bool,
        seen: &mut FxHashSet<(Term, bool)>,
        found: &mut Vec<(Term, bool)>,
    ) {
        if !self.system.terms.has_clock(term) || !seen.insert((term, both)) {
            return;
        }
        let node = self.system.terms.node(term);
        if self.atoms.differences.contains_key(&term) {
            found.push((term, both || matches!(node, Node::Eq(..))));
            return;
        }
        let both = both || !matches!(node, Node::And(_) | Node::Or(_));
        let mut children = vec![];
        node.for_each_child(|child| children.push(child));
        for child in children {
            ir::deep(|| self.find_atoms(child, both, seen, found));
        }
    }
    fn atom(&mut self, atom: ClockAtom, bounds: &mut LuBounds, both: bool) -> Result<(), Reason> {
        let system = &*self.system;
        let (plus, minus) = (self.number(atom.plus), self.number(atom.minus));
        let (plus, minus) = (plus.expect("atoms are about clocks"), minus.expect("atoms are about clocks"));
        let Some((least, greatest)) = interval(system, atom.bound) else {
            return Err(
                Unsupported::UnboundedConstraint { bound: system.show(atom.bound).to_string() }.into()
            );
        };
        let too_large = |_| {
            let told = |clock: Option<VarId>| clock.is_some() && clock == system.elapsed;
            match told(atom.plus) || told(atom.minus) {
                true => Reason::Outgrown(Outgrown::Within),
                false => Reason::Outgrown(Outgrown::Constant),
            }
        };
        if plus > 0 && minus > 0 {
            // Before `x := v`, a bound `x - y ≺ c` is one on `y` alone, at `v - c`.
            let most = least.saturating_abs().max(greatest.saturating_abs());
            for (clock, other) in [(plus, minus), (minus, plus)] {
                let Some(set_to) = self.set_to[other] else {
                    return Err(Unsupported::UnboundedReset.into());
                };
                bounds.raise(clock, most.saturating_add(set_to)).map_err(too_large)?;
            }
            if least != greatest {
                return Err(
                    Unsupported::VaryingDifference { bound: system.show(atom.bound).to_string() }.into()
                );
            }
            let bound = Bound::new(greatest, atom.strict).map_err(too_large)?;
            let diagonal = Constraint::new(plus, minus, bound);
            if !self.diagonals.contains(&diagonal) && !self.diagonals.contains(&diagonal.negated()) {
                self.diagonals.push(diagonal);
            }
        } else if plus > 0 {
            bounds.raise_upper(plus, greatest).map_err(too_large)?;
            if both {
                bounds.raise_lower(plus, greatest).map_err(too_large)?;
            }
        } else {
            bounds.raise_lower(minus, least.saturating_neg()).map_err(too_large)?;
            if both {
                bounds.raise_upper(minus, least.saturating_neg()).map_err(too_large)?;
            }
        }
        Ok(())
    }
}

/// The least and the greatest value of an integer term, by the ranges of its variables.
pub(super) fn interval(system: &System, term: Term) -> Option<(i64, i64)> {
    interval_of(system, term, &mut FxHashMap::default())
}

/// The same; `done` has those of large parts, which may be shared often.
fn interval_of(
    system: &System,
    term: Term,
    done: &mut FxHashMap<Term, Option<(i64, i64)>>,
) -> Option<(i64, i64)> {
    if !system.terms.is_large(term) {
        return interval_of_node(system, term, done);
    }
    if let Some(known) = done.get(&term) {
        return *known;
    }
    let found = interval_of_node(system, term, done);
    done.insert(term, found);
    found
}

fn interval_of_node(
    system: &System,
    term: Term,
    done: &mut FxHashMap<Term, Option<(i64, i64)>>,
) -> Option<(i64, i64)> {
    let terms = &system.terms;
    let mut both = |term: Term| ir::deep(|| interval_of(system, term, done));
    match terms.node(term) {
        Node::Const(Value::Int(value)) => value.to_i64().map(|value| (value, value)),
        Node::Var(var, 0) => range(system, *var),
        Node::Read(array, _) => {
            let mut array = *array;
            while let Node::Read(outer, _) = terms.node(array) {
                array = *outer;
            }
            match terms.node(array) {
                Node::Var(var, 0) => range(system, *var),
                Node::Const(value) => entries(value),
                _ => None,
            }
        }
        Node::Add(list) => list.iter().try_fold((0i64, 0i64), |(low, high), part| {
            let (least, greatest) = both(*part)?;
            Some((low.checked_add(least)?, high.checked_add(greatest)?))
        }),
        Node::Mul(list) => list.iter().try_fold((1i64, 1i64), |(low, high), part| {
            let (least, greatest) = both(*part)?;
            let mut corners = vec![];
            for a in [low, high] {
                for b in [least, greatest] {
                    corners.push(a.checked_mul(b)?);
                }
            }
            Some((*corners.iter().min()?, *corners.iter().max()?))
        }),
        Node::Ite(_, then, otherwise) => {
            let (a, b) = (both(*then)?, both(*otherwise)?);
            Some((a.0.min(b.0), a.1.max(b.1)))
        }
        Node::Mod(_, divisor) => {
            let (least, greatest) = both(*divisor)?;
            (least > 0).then_some((0, greatest - 1))
        }
        Node::Div(a, b) => {
            let ((low, high), (least, _)) = (both(*a)?, both(*b)?);
            // By zero it is 0.
            (least >= 0).then(|| (low.min(0), high.max(0)))
        }
        node @ (Node::BitAnd(..) | Node::BitOr(..) | Node::BitXor(..)) => {
            let range = Interval::of_node(node, |part| match both(part) {
                Some((low, high)) => Interval { low: low.into(), high: high.into() },
                None => ALL,
            });
            Some((i64::try_from(range.low).ok()?, i64::try_from(range.high).ok()?))
        }
        _ => None,
    }
}

fn range(system: &System, var: VarId) -> Option<(i64, i64)> {
    let (least, greatest) = system.vars[var].range.as_ref()?;
    Some((least.to_i64()?, greatest.to_i64()?))
}

/// The least and the greatest integer within a constant array.
fn entries(value: &Value) -> Option<(i64, i64)> {
    match value {
        Value::Int(value) => value.to_i64().map(|value| (value, value)),
        Value::Array(array) => {
            let parts = array.entries().map(|(_, entry)| entry).chain([array.default()]);
            parts.map(entries).reduce(|a, b| {
                let (a, b) = (a?, b?);
                Some((a.0.min(b.0), a.1.max(b.1)))
            })?
        }
        _ => None,
    }
}
