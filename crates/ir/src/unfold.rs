//! Unfolding: statements as formulas over variables at steps.
//!
//! Every write of a variable makes a new step of it (static single assignment): `x := x + 1` from
//! step 0 is `x@1 == x@0 + 1`. Branches that end at different steps are brought to the same one.
//! The formula is satisfiable exactly by the executions of the statement.
//!
//! Ranges of variables are not part of it: whoever solves it declares them with the variables.
//! Delays have no formula here: encode clocks as rationals first. Loops must have been unrolled by
//! [`crate::simplify`].

use rustc_hash::FxHashMap;

use crate::stmt::{Stmt, StmtNode};
use crate::term::{Node, Term, Terms, VarId};

/// The current step of every variable.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Steps {
    steps: FxHashMap<VarId, u32>,
}

impl Steps {
    /// Every variable at step 0.
    pub fn start() -> Self {
        Self::default()
    }
    /// The step of a variable.
    pub fn of(&self, var: VarId) -> u32 {
        self.steps.get(&var).copied().unwrap_or(0)
    }
    /// The variables that are beyond step 0, in no particular order.
    pub fn moved(&self) -> impl Iterator<Item = (VarId, u32)> {
        self.steps.iter().map(|(var, step)| (*var, *step)).filter(|(_, step)| *step != 0)
    }
    /// Where a formula that ends at `next` when begun at step 0 ends when begun here.
    pub fn then(&self, next: &Steps) -> Steps {
        let mut sum = self.clone();
        for (var, step) in next.moved() {
            *sum.steps.entry(var).or_insert(0) += step;
        }
        sum
    }
    pub(crate) fn advance(&mut self, var: VarId) -> u32 {
        let step = self.steps.entry(var).or_insert(0);
        *step += 1;
        *step
    }
    /// `term`, which speaks of now, at these steps.
    pub fn apply(&self, terms: &mut Terms, term: Term) -> Term {
        terms.rewrite(term, &mut |terms, t| match *terms.node(t) {
            Node::Var(var, 0) => Some(terms.var_at(var, self.of(var))),
            _ => None,
        })
    }
}

/// The formula of `stmt` from `steps`, which afterwards hold where it ends; or the statement that has
/// no formula.
pub fn unfold(terms: &mut Terms, stmt: Stmt, steps: &mut Steps) -> Result<Term, Stmt> {
    crate::deep(|| match terms.stmt(stmt).clone() {
        StmtNode::Skip => Ok(terms.bool(true)),
        StmtNode::Assume(condition) => Ok(steps.apply(terms, condition)),
        StmtNode::Assign(var, value) => {
            let value = steps.apply(terms, value);
            let next = steps.advance(var);
            let next = terms.var_at(var, next);
            Ok(terms.eq(next, value))
        }
        StmtNode::Havoc(var) => {
            steps.advance(var);
            Ok(terms.bool(true))
        }
        StmtNode::Seq(list) => {
            let parts = list.iter().map(|part| unfold(terms, *part, steps)).collect::<Result<Vec<_>, _>>()?;
            Ok(terms.and(parts))
        }
        StmtNode::Choice(list) => {
            let guarded = list.iter().map(|part| (None, *part)).collect();
            branches(terms, guarded, steps)
        }
        StmtNode::If(condition, then, otherwise) => {
            let condition = steps.apply(terms, condition);
            let negation = terms.not(condition);
            branches(terms, vec![(Some(condition), then), (Some(negation), otherwise)], steps)
        }
        StmtNode::Delay | StmtNode::For { .. } | StmtNode::While(..) => Err(stmt),
    })
}

fn branches(terms: &mut Terms, list: Vec<(Option<Term>, Stmt)>, steps: &mut Steps) -> Result<Term, Stmt> {
    let mut ends = Vec::with_capacity(list.len());
    for (guard, stmt) in list {
        let mut here = steps.clone();
        let formula = unfold(terms, stmt, &mut here)?;
        let formula = terms.and(guard.into_iter().chain([formula]));
        ends.push((formula, here));
    }
    Ok(merge(terms, ends, steps))
}

/// The disjunction of `ends`, each continued to the latest step of every variable; `steps` then is
/// that.
pub(crate) fn merge(terms: &mut Terms, ends: Vec<(Term, Steps)>, steps: &mut Steps) -> Term {
    let mut latest = steps.clone();
    for (_, end) in &ends {
        for (var, step) in &end.steps {
            let known = latest.steps.entry(*var).or_insert(0);
            *known = (*known).max(*step);
        }
    }
    let mut moved: Vec<VarId> = latest.steps.keys().copied().collect();
    moved.sort_unstable();
    let mut parts = Vec::with_capacity(ends.len());
    for (formula, end) in ends {
        let mut all = vec![formula];
        for var in &moved {
            let (from, to) = (end.of(*var), latest.of(*var));
            if from != to {
                let (from, to) = (terms.var_at(*var, from), terms.var_at(*var, to));
                all.push(terms.eq(to, from));
            }
        }
        parts.push(terms.and(all));
    }
    *steps = latest;
    terms.or(parts)
}
