//! Every term and statement of a system, looked at or replaced.

use ir::{Guarded, IdVec, Question, Stmt, StmtNode, System, Term, Terms, Type, VarId};
use rustc_hash::FxHashMap;

/// What is looked at, and by whom.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Use {
    /// It decides what happens or what is found.
    Condition(Term),
    /// A variable gets this value.
    Value(ir::VarId, Term),
    /// A variable gets an arbitrary value, or those of a loop.
    Arbitrary(ir::VarId),
}

/// Calls `visit` on every use of terms in statements, guards, invariants and synchronisations, on what a monitor reads, and
/// on the questions; not on initial values.
pub fn uses(system: &System, questions: &[Question], mut visit: impl FnMut(Use)) {
    outside_updates(system, questions, &mut visit);
    let updates = system.processes.iter().flat_map(|process| process.edges.iter()).map(|edge| edge.update);
    for stmt in updates.flat_map(|update| [Some(update.stmt), update.fault]).flatten() {
        system.terms.for_each_substmt(stmt, |part| match *system.terms.stmt(part) {
            StmtNode::Assume(term) | StmtNode::If(term, ..) | StmtNode::While(term, _) => {
                visit(Use::Condition(term));
            }
            StmtNode::Assign(var, term) => visit(Use::Value(var, term)),
            StmtNode::Havoc(var) => visit(Use::Arbitrary(var)),
            StmtNode::For { var, from, to, .. } => {
                visit(Use::Condition(from));
                visit(Use::Condition(to));
                visit(Use::Arbitrary(var));
            }
            StmtNode::Skip | StmtNode::Delay | StmtNode::Seq(_) | StmtNode::Choice(_) => {}
        });
    }
}

/// The same without statements.
pub fn outside_updates(system: &System, questions: &[Question], mut visit: impl FnMut(Use)) {
    questions.iter().flat_map(Question::conditions).for_each(|condition| visit(Use::Condition(condition)));
    let atoms = system.monitor.iter().flat_map(|monitor| &monitor.atoms);
    atoms.for_each(|atom| visit(Use::Condition(*atom)));
    for process in system.processes.iter() {
        for location in process.locations.iter() {
            visit(Use::Condition(location.invariant));
            location.undefined.into_iter().for_each(|undefined| visit(Use::Condition(undefined.condition)));
            location.stopped.iter().for_each(|stopped| visit(Use::Condition(stopped.when)));
        }
        for edge in process.edges.iter() {
            visit(Use::Condition(edge.guard));
            edge.sync.and_then(|sync| sync.index).into_iter().for_each(|index| visit(Use::Condition(index)));
        }
    }
}

/// The data that clocks are set to.
pub fn set_clocks(system: &System) -> Vec<VarId> {
    let is_clock = |var: VarId| system.terms.var_type(var) == Type::Clock;
    let mut values: Vec<Term> =
        system.initial.iter().filter(|(var, _)| is_clock(*var)).map(|(_, value)| *value).collect();
    uses(system, &[], |used| match used {
        Use::Value(var, value) if is_clock(var) => values.push(value),
        _ => {}
    });
    values.sort_unstable();
    values.dedup();
    values.into_iter().flat_map(|value| system.terms.vars_of(value)).filter(|var| !is_clock(*var)).collect()
}

/// How statements are rewritten.
pub trait Rewrite {
    /// The term in place of a condition or a value.
    fn term(&mut self, terms: &mut Terms, term: Term) -> Term;
    /// The statement in place of `var := value`, which has been rewritten; `None` to leave it out.
    fn assign(&mut self, terms: &mut Terms, var: ir::VarId, value: Term) -> Option<Stmt>;
    /// Whether a variable keeps arbitrary values.
    fn havoc(&mut self, var: ir::VarId) -> bool;
}

/// Rewrites everything in `system` but its initial values, and the questions.
pub fn all(system: &mut System, questions: &mut [Question], by: &mut dyn Rewrite) {
    let mut done = FxHashMap::default();
    let terms = &mut system.terms;
    let mut processes = IdVec::new();
    for process in system.processes.iter() {
        let mut process = process.clone();
        for id in process.locations.ids().collect::<Vec<_>>() {
            let location = &mut process.locations[id];
            location.invariant = by.term(terms, location.invariant);
            if let Some(undefined) = &mut location.undefined {
                undefined.condition = by.term(terms, undefined.condition);
            }
            for stopped in &mut location.stopped {
                stopped.when = by.term(terms, stopped.when);
            }
        }
        for id in process.edges.ids().collect::<Vec<_>>() {
            let edge = &mut process.edges[id];
            edge.guard = by.term(terms, edge.guard);
            if let Some(index) = edge.sync.as_mut().and_then(|sync| sync.index.as_mut()) {
                *index = by.term(terms, *index);
            }
            let Guarded { stmt, fault } = edge.update;
            edge.update = Guarded {
                stmt: rewrite(terms, stmt, by, &mut done),
                fault: fault.map(|fault| rewrite(terms, fault, by, &mut done)),
            };
        }
        processes.push(process);
    }
    system.processes = processes;
    for atom in system.monitor.iter_mut().flat_map(|monitor| &mut monitor.atoms) {
        *atom = by.term(&mut system.terms, *atom);
    }
    for question in questions {
        question.rewrite(|condition| by.term(&mut system.terms, condition));
    }
}

fn rewrite(terms: &mut Terms, stmt: Stmt, by: &mut dyn Rewrite, done: &mut FxHashMap<Stmt, Stmt>) -> Stmt {
    let mut list = vec![];
    terms.for_each_substmt(stmt, |part| list.push(part));
    for part in list {
        if done.contains_key(&part) {
            continue;
        }
        let new = match terms.stmt(part).clone() {
            StmtNode::Skip | StmtNode::Delay => part,
            StmtNode::Assume(condition) => {
                let condition = by.term(terms, condition);
                terms.assume(condition)
            }
            StmtNode::Assign(var, value) => {
                let value = by.term(terms, value);
                by.assign(terms, var, value).unwrap_or_else(|| terms.skip())
            }
            StmtNode::Havoc(var) if by.havoc(var) => part,
            StmtNode::Havoc(_) => terms.skip(),
            StmtNode::Seq(parts) => terms.seq(parts.iter().map(|part| done[part])),
            StmtNode::Choice(parts) => terms.choice(parts.iter().map(|part| done[part])),
            StmtNode::If(condition, then, otherwise) => {
                let condition = by.term(terms, condition);
                terms.branch(condition, done[&then], done[&otherwise])
            }
            StmtNode::For { var, from, to, body } => {
                let (from, to) = (by.term(terms, from), by.term(terms, to));
                terms.for_loop(var, from, to, done[&body])
            }
            StmtNode::While(condition, body) => {
                let condition = by.term(terms, condition);
                terms.while_loop(condition, done[&body])
            }
        };
        done.insert(part, new);
    }
    done[&stmt]
}
