//! Recurrent sets: sets of states from which a cycle can be gone around for ever ([`ir::Head`]).
//!
//! Once around a cycle with the branches and values of a run is a condition on the states before, and an assignment.
//! What is kept of a list of facts that hold where the cycle begins is the largest part that implies itself after the
//! assignment: facts are dropped until all of what is left does (Houdini; Flanagan and Leino 2001). If the
//! condition is among it, it is a recurrent set. First the condition alone is tried, then also what the abstraction says
//! there, and then also how the values compare with those of the run.

use ir::{Decision, Head, Id, Node, Run, Steps, Stmt, StmtNode, Term, Type, Value, VarId};
use rustc_hash::FxHashMap;
use smt::{Answer, Lit, Solver};

use crate::answer::Reason;
use crate::cegar::cx::{Cx, is};
use crate::cegar::domain::Domain;
use crate::cegar::explore::{Exploration, facts};

use super::refine::Straight;

/// A recurrent set in which the cycle of a run begins, which goes along the lasso once.
pub fn recurrent<D: Domain>(
    cx: &mut Cx,
    domain: &D,
    exploration: &Exploration<D>,
    straight: &Straight,
    run: &Run,
) -> Result<Option<Head>, Reason> {
    let start = straight.rounds[0];
    let state = run.states().nth(start).expect("the cycle begins on the run").clone();
    let vars: Vec<VarId> = cx.system.state_vars().collect();
    let mut values = FxHashMap::default();
    for (var, value) in vars.iter().zip(&state.values) {
        let Some(value) = value else { return Ok(None) };
        values.insert(*var, cx.terms().constant(value.clone()));
    }
    let mut round = Round { values, now: FxHashMap::default(), conditions: vec![] };
    for (action, step) in straight.trace.actions.iter().zip(&run.steps).skip(start) {
        if round.execute(cx, action.stmt, &mut step.decisions.iter()).is_none() {
            return Ok(None);
        }
    }
    let conditions = round.pieces(cx);
    if conditions.iter().any(|part| cx.system.terms.vars_of(*part).iter().any(|var| !cx.is_state_var(*var))) {
        return Ok(None);
    }
    let said = facts(cx, domain, &exploration.arg[straight.trace.nodes[start]].state);
    let mut compared = vec![];
    for var in &vars {
        let value = round.values[var];
        compared.push(is(cx.terms(), *var, value));
        if cx.system.terms.var_type(*var) == Type::Int {
            let now = cx.terms().var(*var);
            compared.extend([cx.terms().ge(now, value), cx.terms().le(now, value)]);
        }
    }
    let mut candidates = conditions.clone();
    for more in [vec![], said, compared] {
        candidates.extend(more);
        candidates.retain(|fact| cx.system.terms.as_const(*fact).is_none());
        let kept = round.preserved(cx, &candidates)?;
        if conditions.iter().all(|condition| kept.contains(condition)) {
            let formula = cx.terms().and(kept);
            return Ok(Some(Head { terms: cx.system.terms.clone(), formula }));
        }
    }
    Ok(None)
}

/// Once around a cycle.
struct Round {
    /// The values of state variables where it begins.
    values: FxHashMap<VarId, Term>,
    /// The values of variables that have changed, over those where it begins.
    now: FxHashMap<VarId, Term>,
    /// What must hold there.
    conditions: Vec<Term>,
}

impl Round {
    /// Executes a statement with decisions; `None` if it cannot be followed.
    fn execute(
        &mut self,
        cx: &mut Cx,
        stmt: Stmt,
        decisions: &mut std::slice::Iter<'_, Decision>,
    ) -> Option<()> {
        ir::deep(|| match cx.system.terms.stmt(stmt).clone() {
            StmtNode::Skip => Some(()),
            StmtNode::Assume(condition) => {
                let condition = cx.terms().substitute(condition, &self.now);
                self.conditions.push(condition);
                Some(())
            }
            StmtNode::Assign(var, value) => {
                let value = cx.terms().substitute(value, &self.now);
                let value = cx.terms().held_by(var, value);
                self.now.insert(var, value);
                Some(())
            }
            StmtNode::Havoc(var) => {
                let Some(Decision::Value(Some(value))) = decisions.next() else { return None };
                let value = cx.terms().constant(value.clone());
                self.now.insert(var, value);
                Some(())
            }
            StmtNode::Seq(list) => list.iter().try_for_each(|part| self.execute(cx, *part, decisions)),
            StmtNode::Choice(list) => {
                let Some(Decision::Branch(branch)) = decisions.next() else { return None };
                self.execute(cx, *list.get(*branch as usize)?, decisions)
            }
            StmtNode::If(condition, then, otherwise) => {
                let condition = cx.terms().substitute(condition, &self.now);
                let here = cx.terms().substitute(condition, &self.values);
                let holds = cx.system.terms.as_const(here)?.as_bool();
                let condition = if holds { condition } else { cx.terms().not(condition) };
                self.conditions.push(condition);
                self.execute(cx, if holds { then } else { otherwise }, decisions)
            }
            StmtNode::Delay | StmtNode::For { .. } | StmtNode::While(..) => None,
        })
    }
    /// The conditions, conjunct by conjunct.
    fn pieces(&self, cx: &Cx) -> Vec<Term> {
        let (mut list, mut open) = (vec![], self.conditions.clone());
        while let Some(next) = open.pop() {
            match cx.system.terms.node(next) {
                Node::And(parts) => open.extend(parts.iter()),
                Node::Const(Value::Bool(true)) => {}
                _ => list.push(next),
            }
        }
        list.sort_unstable_by_key(|term| term.index());
        list.dedup();
        list
    }
    /// The largest part of these facts that implies itself once around.
    fn preserved(&self, cx: &mut Cx, facts: &[Term]) -> Result<Vec<Term>, Reason> {
        let mut solver = cx.solver.sibling()?;
        let mut kept: Vec<(Term, Lit, Lit)> = vec![];
        for fact in facts {
            let after = cx.terms().substitute(*fact, &self.now);
            let lits = [*fact, after].map(|term| solver.lit(&cx.system.terms, term, &Steps::start()));
            let [before, after] = lits;
            kept.push((*fact, before?, after?));
        }
        loop {
            cx.go_on()?;
            let lost = solver.activation()?;
            let clause: Vec<Lit> = kept.iter().map(|(_, _, after)| !*after).chain([!lost]).collect();
            solver.clause(&clause)?;
            let assumed: Vec<Lit> = kept.iter().map(|(_, before, _)| *before).chain([lost]).collect();
            if solver.check(&assumed)? == Answer::Unsat {
                return Ok(kept.into_iter().map(|(fact, ..)| fact).collect());
            }
            let count = kept.len();
            let mut left = vec![];
            for entry in kept {
                if solver.truth(entry.2)? != Some(false) {
                    left.push(entry);
                }
            }
            kept = left;
            debug_assert!(kept.len() < count, "a model says which fact is lost");
        }
    }
}
