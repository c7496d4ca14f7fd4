//! The executions of a statement, path by path, over symbols.
//!
//! A symbol is the value that a variable had before the statement (`v` at step 0) or got by a havoc (`v`
//! at a later step). An execution maps variables to terms over symbols, under a condition on them. A
//! condition that fixes a symbol (`v`, `!v`, `v == c`) is not kept: the symbol is replaced everywhere. So
//! where the rest of the condition is empty, the execution is possible, and no solver needs to be asked.

use ir::{Node, Stmt, StmtNode, System, Term, Terms, Type, Value, VarId};
use rustc_hash::FxHashMap;

use crate::stop::Stop;

/// One execution.
#[derive(Clone, Debug)]
pub struct End {
    /// The variables that have another value than before, or whose value before is known; sorted.
    pub values: Box<[(VarId, Term)]>,
    /// What the symbols must satisfy besides; empty if nothing.
    pub condition: Box<[Term]>,
    /// The values before, where the execution needs certain ones.
    pub fixed: Box<[(VarId, Term)]>,
}

/// The executions of `stmt` whose condition is not obviously false, if they are at most `limit` and it has
/// no loops or delays; none if somebody asked to stop.
pub fn paths(system: &mut System, stmt: Stmt, limit: usize, stop: &Stop) -> Option<Vec<End>> {
    let mut ends = vec![];
    let mut open = vec![Path { todo: vec![stmt], ..Path::default() }];
    let mut branched = 0;
    while let Some(mut path) = open.pop() {
        loop {
            let Some(next) = path.todo.pop() else {
                let mut values: Vec<(VarId, Term)> = path.values.into_iter().collect();
                values.sort_unstable();
                let (condition, fixed) = (path.condition.into(), path.fixed.into());
                ends.push(End { values: values.into(), condition, fixed });
                break;
            };
            match system.terms.stmt(next).clone() {
                StmtNode::Skip => {}
                StmtNode::Assume(condition) => {
                    let condition = system.terms.substitute(condition, &path.values);
                    if !path.assume(system, condition) {
                        break;
                    }
                }
                StmtNode::Assign(var, value) => {
                    let value = system.terms.substitute(value, &path.values);
                    path.values.insert(var, value);
                }
                StmtNode::Havoc(var) => {
                    path.havocs += 1;
                    let symbol = system.terms.var_at(var, path.havocs);
                    path.values.insert(var, symbol);
                }
                StmtNode::Seq(list) => path.todo.extend(list.iter().rev()),
                StmtNode::Choice(list) => {
                    branched += list.len();
                    for branch in list.iter().rev() {
                        let mut path = path.clone();
                        path.todo.push(*branch);
                        open.push(path);
                    }
                    break;
                }
                StmtNode::If(condition, then, otherwise) => {
                    let condition = system.terms.substitute(condition, &path.values);
                    if let Some(Value::Bool(value)) = system.terms.as_const(condition) {
                        path.todo.push(if *value { then } else { otherwise });
                        continue;
                    }
                    branched += 2;
                    let negation = system.terms.not(condition);
                    for (holds, side) in [(negation, otherwise), (condition, then)] {
                        let mut path = path.clone();
                        path.todo.push(side);
                        if path.assume(system, holds) {
                            open.push(path);
                        }
                    }
                    break;
                }
                StmtNode::Delay | StmtNode::For { .. } | StmtNode::While(..) => return None,
            }
        }
        if ends.len() > limit || branched > 8 * limit || stop.requested() {
            return None;
        }
    }
    Some(ends)
}

/// An execution under way.
#[derive(Clone, Default)]
struct Path {
    values: FxHashMap<VarId, Term>,
    condition: Vec<Term>,
    fixed: Vec<(VarId, Term)>,
    todo: Vec<Stmt>,
    havocs: u32,
}

impl Path {
    /// Adds a condition over symbols; `false` if it cannot hold.
    fn assume(&mut self, system: &mut System, condition: Term) -> bool {
        let mut list = vec![condition];
        while let Some(next) = list.pop() {
            if let Some(value) = system.terms.as_const(next) {
                if !value.as_bool() {
                    return false;
                }
                continue;
            }
            if let Node::And(parts) = system.terms.node(next) {
                list.extend(parts.iter().rev());
                continue;
            }
            if let Some((var, step, value)) = fixes(&mut system.terms, next) {
                let constant = system.terms.as_const(value).expect("a constant").clone();
                if !system.admits(var, &constant) {
                    return false;
                }
                // What is still to be added may speak of the symbol, too.
                self.condition.append(&mut list);
                list = self.fix(&mut system.terms, var, step, value);
                continue;
            }
            if self.condition.contains(&next) {
                continue;
            }
            let negation = system.terms.not(next);
            if self.condition.contains(&negation) {
                return false;
            }
            self.condition.push(next);
        }
        true
    }
    /// Replaces a symbol by its value; the conditions, which may say more now, are returned.
    fn fix(&mut self, terms: &mut Terms, var: VarId, step: u32, value: Term) -> Vec<Term> {
        let symbol = terms.var_at(var, step);
        let replace =
            |terms: &mut Terms, term| terms.rewrite(term, &mut |_, t| (t == symbol).then_some(value));
        for known in self.values.values_mut() {
            if terms.as_const(*known).is_none() {
                *known = replace(terms, *known);
            }
        }
        if step == 0 {
            self.values.entry(var).or_insert(value);
            self.fixed.push((var, value));
        }
        let conditions = std::mem::take(&mut self.condition);
        conditions.into_iter().map(|condition| replace(terms, condition)).collect()
    }
}

/// The symbol and its value, if `condition` says no more and no less.
pub fn fixes(terms: &mut Terms, condition: Term) -> Option<(VarId, u32, Term)> {
    match *terms.node(condition) {
        Node::Var(var, step) => Some((var, step, terms.bool(true))),
        Node::Not(inner) => match *terms.node(inner) {
            Node::Var(var, step) => Some((var, step, terms.bool(false))),
            _ => None,
        },
        Node::Eq(a, b) if terms.as_const(b).is_some() => match *terms.node(a) {
            Node::Var(var, step)
                if terms.var_type(var) == terms.type_of(b) && terms.var_type(var) != Type::Clock =>
            {
                Some((var, step, b))
            }
            _ => None,
        },
        _ => None,
    }
}
