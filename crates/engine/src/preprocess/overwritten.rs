//! Values that are overwritten before anybody reads them.
//!
//! Within one statement, a variable is *live* at a point if some execution reads it after that point before it
//! sets it anew; at the end of the statement all variables are. An assignment to a variable that is not live, or
//! an arbitrary value for it, changes nothing that is seen at the end or on the way there, so it is left out; and
//! so is a branch between alternatives that are the same then, whose condition then reads nothing. Terms are total
//! and what can go wrong is an assumption of its own, which stays. So the statement leads from the same states to
//! the same states, by fewer executions: inputs that are read and then set to something else make many of one.
//!
//! Liveness is followed backwards, from the end of each update. A loop may read whatever it mentions, and is left
//! as it is.

use std::collections::BTreeSet;
use std::rc::Rc;

use ir::{Guarded, Stmt, StmtNode, System, Term, Terms, VarId};
use rustc_hash::FxHashMap;

use super::Preprocessed;

/// Leaves out what is overwritten.
pub fn leave_out(work: &mut Preprocessed) {
    let System { terms, processes, vars, .. } = &mut work.system;
    let all: Live = Rc::new(vars.ids().collect());
    let mut pass = Pass { done: FxHashMap::default(), left_out: BTreeSet::new() };
    for process in processes.ids().collect::<Vec<_>>() {
        for edge in processes[process].edges.ids().collect::<Vec<_>>() {
            let Guarded { stmt, fault } = processes[process].edges[edge].update;
            let mut of = |stmt: Stmt| pass.before(terms, stmt, &all).0;
            processes[process].edges[edge].update = Guarded { stmt: of(stmt), fault: fault.map(of) };
        }
    }
    let vars: Vec<VarId> = pass.left_out.into_iter().collect();
    if !vars.is_empty() {
        work.say("left out values of", &vars, " that are overwritten");
    }
}

/// The variables that may be read before they are set.
type Live = Rc<BTreeSet<VarId>>;

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
