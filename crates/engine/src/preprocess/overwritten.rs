//! Dead stores: values that are overwritten before anybody reads them.
//!
//! Within one statement, a variable is *live* at a point if some execution reads it after that point before it
//! sets it anew; at the end of the statement all variables are. An assignment to a variable that is not live, or
//! an arbitrary value for it, changes nothing that is seen at the end or on the way there, so it is left out; and
//! so is a branch between alternatives that are the same then, whose condition then reads nothing. Terms are total
//! and what can go wrong is an assumption of its own, which stays. So the statement leads from the same states to
//! the same states, by fewer executions: inputs that are read and then set to something else make many of one.
//!
//! A variable that is live at the beginning of no update, and that no guard, invariant or target reads, is set anew
//! before anybody can read it: whatever it was at the end of a step is forgotten. It gets one and the same value
//! there, and states that differed in nothing else are one. Each update is looked at by itself, so the same is true
//! of any that happen one after the other in one step. Which variables these are depends on which are dead at the
//! end, so all are assumed to be, and those that are not are given up until the others justify each other
//! ([`demand`]). Lists of
//! zones leave such variables open, and whoever checks them reads nothing before it is set but what decides
//! nothing; only that a clock can be set to it, and that a step is possible for *every* value, which is what
//! deadlocks ask for, cannot be seen like that, so then nothing is forgotten.
//!
//! Forgetting such a variable is a bisimulation: what it was decides neither which steps are possible nor what the rest of
//! the state is afterwards.
//!
//! Liveness is followed backwards, from the end of each update. A loop may read whatever it mentions, and is left
//! as it is.

use std::collections::BTreeSet;

use ir::{Guarded, Id, Stmt, StmtNode, System, Term, Terms, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::lift::Variables;
use super::rewrite::{self, Use};
use super::{RewriteKind, demand, rewriting};
use crate::pass::{Lift, Pass, Preserves, Problem};
use crate::stop::Stop;

/// Leaves out what is overwritten.
pub struct DeadStores {
    /// Data that must not be forgotten because clocks are set to it, in the system that evidence is about in the end.
    set_clocks: Vec<VarId>,
}

impl DeadStores {
    /// The pass for what other passes make of `system`.
    pub fn before(system: &System) -> Self {
        DeadStores { set_clocks: rewrite::set_clocks(system) }
    }
    /// The variables that are set in every step before anybody reads them.
    fn forgotten(&self, Problem { system, questions }: &Problem, stop: &Stop) -> BTreeSet<VarId> {
        if questions.iter().any(|question| question.mentions_deadlock(system)) {
            return BTreeSet::new();
        }
        let is_data = |var: &VarId| system.terms.var_type(*var) != Type::Clock;
        let mut candidates: FxHashSet<VarId> = system.state_vars().filter(is_data).collect();
        if let Some(fault) = system.fault {
            candidates.remove(&fault.which);
        }
        self.set_clocks.iter().for_each(|var| _ = candidates.remove(var));
        let mut read: Vec<Term> = system.initial.iter().map(|(_, value)| *value).collect();
        rewrite::outside_updates(system, questions, |used| {
            if let Use::Condition(term) = used {
                read.push(term);
            }
        });
        for var in read.into_iter().flat_map(|term| system.terms.vars_of(term)) {
            candidates.remove(&var);
        }
        let edges = system.processes.iter().flat_map(|process| process.edges.iter());
        let updates = edges.flat_map(|edge| [Some(edge.update.stmt), edge.update.fault]);
        let mut updates: Vec<Stmt> = updates.flatten().collect();
        updates.sort_unstable();
        updates.dedup();
        demand::unneeded(&system.terms, &updates, candidates, stop).into_iter().collect()
    }
}

impl Pass for DeadStores {
    fn preserves(&self) -> Preserves {
        Preserves::ObservedRuns
    }
    fn apply(&self, problem: &mut Problem, stop: &Stop) -> Option<Box<dyn Lift>> {
        let forgotten = self.forgotten(problem, stop);
        if stop.requested() {
            return None;
        }
        let lift = leave_out(&mut problem.system, &forgotten.into_iter().collect::<Vec<_>>());
        (!lift.summary.is_empty()).then(|| Box::new(lift) as Box<dyn Lift>)
    }
}

/// Leaves out what is overwritten; what is forgotten gets one and the same value after every step.
fn leave_out(system: &mut System, forgotten: &[VarId]) -> Variables {
    let mut lift = Variables { merges: !forgotten.is_empty(), ..Variables::of(system) };
    let mut ends: FxHashMap<VarId, Term> = FxHashMap::default();
    for var in forgotten {
        let value = system.any_value(*var);
        ends.insert(*var, system.terms.constant(value.clone()));
        let was = lift.before.terms.constant(value);
        lift.way_back.set(*var, was);
    }
    let System { terms, processes, vars, initial, .. } = &mut *system;
    let kept = Live::of(vars.ids().filter(|var| !ends.contains_key(var)));
    let mut walk = Walk::default();
    for process in processes.ids().collect::<Vec<_>>() {
        for edge in processes[process].edges.ids().collect::<Vec<_>>() {
            let Guarded { stmt, fault } = processes[process].edges[edge].update;
            let mut of = |stmt: Stmt| {
                let mut live = kept.clone();
                let mut parts = vec![walk.before(terms, stmt, &mut live)];
                debug_assert!(live.is_within(&kept), "what was forgotten is read");
                for var in terms.written_by(parts[0]) {
                    parts.extend(ends.get(&var).map(|end| terms.assign(var, *end)));
                }
                terms.seq(parts)
            };
            processes[process].edges[edge].update = Guarded { stmt: of(stmt), fault: fault.map(of) };
        }
    }
    initial.retain(|(var, _)| !ends.contains_key(var));
    initial.extend(forgotten.iter().map(|var| (*var, ends[var])));
    let left_out: Vec<VarId> = walk.left_out.into_iter().filter(|var| !ends.contains_key(var)).collect();
    if !forgotten.is_empty() {
        lift.summary.push(rewriting(system, RewriteKind::Forgot, forgotten));
    }
    if !left_out.is_empty() {
        lift.summary.push(rewriting(system, RewriteKind::LeftOut, &left_out));
    }
    lift
}

/// The variables that may be read before they are set, a bit for each.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Live(Vec<u64>);

impl Live {
    fn of(vars: impl Iterator<Item = VarId>) -> Self {
        let mut result = Live::default();
        vars.for_each(|var| result.insert(var));
        result
    }
    fn contains(&self, var: VarId) -> bool {
        self.0.get(var.index() / 64).is_some_and(|bits| bits >> (var.index() % 64) & 1 == 1)
    }
    fn insert(&mut self, var: VarId) {
        let word = var.index() / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (var.index() % 64);
    }
    fn remove(&mut self, var: VarId) {
        if let Some(bits) = self.0.get_mut(var.index() / 64) {
            *bits &= !(1 << (var.index() % 64));
        }
    }
    fn read(&mut self, terms: &Terms, term: Term) {
        terms.vars_of(term).into_iter().for_each(|var| self.insert(var));
    }
    fn unite(&mut self, other: &Live) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        self.0.iter_mut().zip(&other.0).for_each(|(bits, others)| *bits |= others);
    }
    fn is_within(&self, other: &Live) -> bool {
        let others = other.0.iter().copied().chain(std::iter::repeat(0));
        self.0.iter().zip(others).all(|(bits, others)| bits & !others == 0)
    }
}

/// A statement followed backwards.
#[derive(Default)]
struct Walk {
    /// By branching statement and what is live after it: the statement without what is overwritten, and what is
    /// live before it.
    done: FxHashMap<(Stmt, Live), (Stmt, Live)>,
    left_out: BTreeSet<VarId>,
}

impl Walk {
    /// The statement without what is overwritten; makes what is live after it what is live before it.
    fn before(&mut self, terms: &mut Terms, stmt: Stmt, live: &mut Live) -> Stmt {
        match terms.stmt(stmt).clone() {
            StmtNode::Skip | StmtNode::Delay => stmt,
            StmtNode::Assume(condition) => {
                live.read(terms, condition);
                stmt
            }
            StmtNode::Assign(var, value) if live.contains(var) => {
                live.remove(var);
                live.read(terms, value);
                stmt
            }
            StmtNode::Havoc(var) if live.contains(var) => {
                live.remove(var);
                stmt
            }
            StmtNode::Assign(var, _) | StmtNode::Havoc(var) => {
                self.left_out.insert(var);
                terms.skip()
            }
            StmtNode::Seq(parts) => {
                let mut list: Vec<Stmt> =
                    parts.iter().rev().map(|part| ir::deep(|| self.before(terms, *part, live))).collect();
                list.reverse();
                terms.seq(list)
            }
            StmtNode::Choice(_) | StmtNode::If(..) => {
                let key = (stmt, live.clone());
                if !self.done.contains_key(&key) {
                    let result = self.before_branches(terms, stmt, live);
                    self.done.insert(key.clone(), result);
                }
                let (result, before) = &self.done[&key];
                live.clone_from(before);
                *result
            }
            StmtNode::For { .. } | StmtNode::While(..) => {
                demand::mentioned(terms, stmt).into_iter().for_each(|var| live.insert(var));
                stmt
            }
        }
    }
    fn before_branches(&mut self, terms: &mut Terms, stmt: Stmt, live: &Live) -> (Stmt, Live) {
        let mut either = Live::default();
        let mut side = |part: Stmt, terms: &mut Terms| {
            let mut live = live.clone();
            let part = ir::deep(|| self.before(terms, part, &mut live));
            either.unite(&live);
            part
        };
        match terms.stmt(stmt).clone() {
            StmtNode::If(condition, then, otherwise) => {
                let (then, otherwise) = (side(then, terms), side(otherwise, terms));
                if then != otherwise {
                    either.read(terms, condition);
                }
                (terms.branch(condition, then, otherwise), either)
            }
            StmtNode::Choice(parts) => {
                let list: Vec<Stmt> = parts.iter().map(|part| side(*part, terms)).collect();
                (terms.choice(list), either)
            }
            _ => unreachable!("it branches"),
        }
    }
}
