//! Values that are overwritten before anybody reads them.
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
//! end, so all are assumed to be, and those that are not are given up until the others justify each other. Lists of
//! zones leave such variables open, and whoever checks them reads nothing before it is set but what decides
//! nothing; only that a clock can be set to it, and that a step is possible for *every* value, which is what
//! deadlocks ask for, cannot be seen like that, so then nothing is forgotten.
//!
//! Liveness is followed backwards, from the end of each update. A loop may read whatever it mentions, and is left
//! as it is.

use std::collections::BTreeSet;
use std::rc::Rc;

use ir::{Guarded, Stmt, StmtNode, System, Term, Terms, Type, Value, VarId};
use rustc_hash::FxHashMap;

use super::Preprocessed;
use super::rewrite::{self, Use};

/// Leaves out what is overwritten.
pub fn leave_out(work: &mut Preprocessed) {
    let forgotten: Vec<(VarId, Value)> =
        forgotten(work).into_iter().map(|var| (var, work.system.any_value(var))).collect();
    let System { terms, processes, vars, initial, .. } = &mut work.system;
    let ends: FxHashMap<VarId, Term> =
        forgotten.iter().map(|(var, value)| (*var, terms.constant(value.clone()))).collect();
    let kept: Live = Rc::new(vars.ids().filter(|var| !ends.contains_key(var)).collect());
    let mut pass = Pass::default();
    for process in processes.ids().collect::<Vec<_>>() {
        for edge in processes[process].edges.ids().collect::<Vec<_>>() {
            let Guarded { stmt, fault } = processes[process].edges[edge].update;
            let mut of = |stmt: Stmt| {
                let mut parts = vec![pass.before(terms, stmt, &kept).0];
                for var in terms.written_by(parts[0]) {
                    parts.extend(ends.get(&var).map(|end| terms.assign(var, *end)));
                }
                terms.seq(parts)
            };
            processes[process].edges[edge].update = Guarded { stmt: of(stmt), fault: fault.map(of) };
        }
    }
    initial.retain(|(var, _)| !ends.contains_key(var));
    initial.extend(forgotten.iter().map(|(var, _)| (*var, ends[var])));
    let left_out: Vec<VarId> = pass.left_out.into_iter().filter(|var| !ends.contains_key(var)).collect();
    if !forgotten.is_empty() {
        work.merges = true;
        let vars: Vec<VarId> = forgotten.iter().map(|(var, _)| *var).collect();
        for (var, value) in forgotten {
            let value = work.original.terms.constant(value);
            work.way_back.set(var, value);
        }
        work.say("forgot", &vars, " between steps, which are set before they are read");
    }
    if !left_out.is_empty() {
        work.say("left out values of", &left_out, " that are overwritten");
    }
}

/// The variables that are set in every step before anybody reads them.
fn forgotten(work: &mut Preprocessed) -> BTreeSet<VarId> {
    let system = &mut work.system;
    if work.targets.iter().any(|target| ir::mentions_deadlock(system, *target)) {
        return BTreeSet::new();
    }
    let is_data = |var: &VarId| system.terms.var_type(*var) != Type::Clock;
    let mut candidates: BTreeSet<VarId> = system.state_vars().filter(is_data).collect();
    if let Some(fault) = system.fault {
        candidates.remove(&fault.which);
    }
    rewrite::set_clocks(&work.original).iter().for_each(|var| _ = candidates.remove(var));
    let mut read: Vec<Term> = system.initial.iter().map(|(_, value)| *value).collect();
    rewrite::outside_updates(system, &work.targets, |used| {
        if let Use::Condition(term) = used {
            read.push(term);
        }
    });
    for var in read.into_iter().flat_map(|term| system.terms.vars_of(term)) {
        candidates.remove(&var);
    }
    let updates = system.processes.iter().flat_map(|process| process.edges.iter()).map(|edge| edge.update);
    let mut updates: Vec<Stmt> =
        updates.flat_map(|Guarded { stmt, fault }| [Some(stmt), fault]).flatten().collect();
    updates.sort_unstable();
    updates.dedup();
    loop {
        let after: Live = Rc::new(system.vars.ids().filter(|var| !candidates.contains(var)).collect());
        let mut pass = Pass::default();
        let count = candidates.len();
        for stmt in &updates {
            let (_, live) = pass.before(&mut system.terms, *stmt, &after);
            candidates.retain(|var| !live.contains(var));
        }
        if candidates.len() == count || candidates.is_empty() {
            return candidates;
        }
    }
}

/// The variables that may be read before they are set.
type Live = Rc<BTreeSet<VarId>>;

#[derive(Default)]
struct Pass {
    /// By statement and what is live after it: the statement without what is overwritten, and what is live
    /// before it.
    done: FxHashMap<(Stmt, Live), (Stmt, Live)>,
    left_out: BTreeSet<VarId>,
}

impl Pass {
    fn before(&mut self, terms: &mut Terms, stmt: Stmt, live: &Live) -> (Stmt, Live) {
        let key = (stmt, live.clone());
        if let Some(known) = self.done.get(&key) {
            return known.clone();
        }
        let result = match terms.stmt(stmt).clone() {
            StmtNode::Skip | StmtNode::Delay => (stmt, live.clone()),
            StmtNode::Assume(condition) => (stmt, reads(terms, live, &[condition])),
            StmtNode::Assign(var, value) if live.contains(&var) => {
                (stmt, reads(terms, &without(live, var), &[value]))
            }
            StmtNode::Havoc(var) if live.contains(&var) => (stmt, without(live, var)),
            StmtNode::Assign(var, _) | StmtNode::Havoc(var) => {
                self.left_out.insert(var);
                (terms.skip(), live.clone())
            }
            StmtNode::Seq(parts) => {
                let mut live = live.clone();
                let mut list = vec![];
                for part in parts.iter().rev() {
                    let (part, before) = ir::deep(|| self.before(terms, *part, &live));
                    list.push(part);
                    live = before;
                }
                (terms.seq(list.into_iter().rev()), live)
            }
            StmtNode::Choice(parts) => {
                let mut either = BTreeSet::new();
                let mut list = vec![];
                for part in &parts {
                    let (part, before) = ir::deep(|| self.before(terms, *part, live));
                    list.push(part);
                    either.extend(before.iter().copied());
                }
                (terms.choice(list), Rc::new(either))
            }
            StmtNode::If(condition, then, otherwise) => {
                let (then, first) = ir::deep(|| self.before(terms, then, live));
                let (otherwise, second) = ir::deep(|| self.before(terms, otherwise, live));
                let either: Live = Rc::new(first.union(&second).copied().collect());
                let asks: &[Term] = if then == otherwise { &[] } else { &[condition] };
                (terms.branch(condition, then, otherwise), reads(terms, &either, asks))
            }
            StmtNode::For { .. } | StmtNode::While(..) => (stmt, mentions(terms, live, stmt)),
        };
        self.done.insert(key, result.clone());
        result
    }
}

fn without(live: &Live, var: VarId) -> Live {
    Rc::new(live.iter().copied().filter(|other| *other != var).collect())
}

fn reads(terms: &Terms, live: &Live, read: &[Term]) -> Live {
    let mut result = live.clone();
    for var in read.iter().flat_map(|term| terms.vars_of(*term)) {
        if !result.contains(&var) {
            Rc::make_mut(&mut result).insert(var);
        }
    }
    result
}

/// With everything that a statement has anything to do with.
fn mentions(terms: &Terms, live: &Live, stmt: Stmt) -> Live {
    let mut result: BTreeSet<VarId> = (**live).clone();
    terms.for_each_substmt(stmt, |part| {
        let node = terms.stmt(part);
        result.extend(node.written());
        match *node {
            StmtNode::Assume(term)
            | StmtNode::Assign(_, term)
            | StmtNode::If(term, ..)
            | StmtNode::While(term, _) => result.extend(terms.vars_of(term)),
            StmtNode::For { from, to, .. } => {
                result.extend(terms.vars_of(from).into_iter().chain(terms.vars_of(to)));
            }
            _ => {}
        }
    });
    Rc::new(result)
}
