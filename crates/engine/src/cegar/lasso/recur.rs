//! Recurrent sets: sets of states from which a cycle can be gone around for ever ([`ir::Head`]).
//!
//! Once around a cycle with the branches and values of a run is a [straight line](ir::straight), which can be executed from
//! the states that satisfy a condition; so that the word is always the same, it is also a condition that every atom is
//! read as in the run. Of a list of facts that hold where the cycle begins, the largest part is kept that holds again once
//! around: facts are dropped until all that is left does (Houdini; Flanagan and Leino 2001). If the conditions
//! are among it, it is a recurrent set. First the conditions alone are tried, then also what the abstraction says there,
//! and then also how the values compare with those of the run.

use ir::{Head, Node, Run, State, Steps, Stmt, Term, Type, Value, VarId, at_locations, leads_to, straight};
use rustc_hash::FxHashMap;
use smt::{Answer, Lit, Solver};

use crate::answer::Reason;
use crate::cegar::cx::{Cx, is};
use crate::cegar::domain::Domain;
use crate::cegar::explore::{Exploration, facts};

use super::refine::Straight;

/// A recurrent set in which the cycle of a run begins, which goes along the lasso once; all atoms are read as in the run.
pub fn recurrent<D: Domain>(
    cx: &mut Cx,
    domain: &D,
    exploration: &Exploration<D>,
    lasso: &Straight,
    (run, atoms): (&Run, &[Term]),
) -> Result<Option<Head>, Reason> {
    let start = lasso.rounds[0];
    let states: Vec<&State> = run.states().skip(start).collect();
    let Some((line, conditions)) = around(cx, lasso, run, &states, atoms) else { return Ok(None) };
    let local = |fact: &Term| cx.system.terms.vars_of(*fact).iter().any(|var| !cx.is_state_var(*var));
    if conditions.iter().any(local) {
        return Ok(None);
    }
    let said = facts(cx, domain, &exploration.arg[lasso.trace.nodes[start]].state);
    let mut candidates = conditions.clone();
    for more in [vec![], said, compared(cx, states[0])] {
        candidates.extend(more);
        candidates.retain(|fact| cx.system.terms.as_const(*fact).is_none());
        let Some(kept) = preserved(cx, line, &candidates)? else { return Ok(None) };
        if conditions.iter().all(|condition| kept.contains(condition)) {
            let formula = cx.terms().and(kept);
            return Ok(Some(Head { terms: cx.system.terms.clone(), formula }));
        }
    }
    Ok(None)
}

/// The straight line of a cycle, and what must hold where it begins for it to be gone around once as in the run; `None` if
/// that cannot be said.
fn around(
    cx: &mut Cx,
    lasso: &Straight,
    run: &Run,
    states: &[&State],
    atoms: &[Term],
) -> Option<(Stmt, Vec<Term>)> {
    let start = lasso.rounds[0];
    let mut line = cx.terms().skip();
    let mut conditions = vec![];
    for (at, step) in run.steps[start..].iter().enumerate() {
        let system = &mut cx.system;
        if system.is_observed(&states[at].locations) {
            for atom in atoms {
                let atom = at_locations(system, *atom, &states[at].locations).ok()?;
                let read = value(system, atom, states[at])?;
                let read = if read { atom } else { system.terms.not(atom) };
                conditions.push(leads_to(&mut system.terms, line, read).ok()?);
            }
        }
        let stmt = lasso.trace.actions[start + at].stmt;
        let next = straight(system, stmt, states[at], &step.decisions, states[at + 1])?;
        line = system.terms.seq([line, next]);
    }
    let always = cx.terms().bool(true);
    conditions.push(leads_to(cx.terms(), line, always).ok()?);
    Some((line, conjuncts(cx, conditions)))
}

/// The truth value of a condition in a state, if that is known.
fn value(system: &mut ir::System, condition: Term, state: &State) -> Option<bool> {
    let vars: Vec<VarId> = system.state_vars().collect();
    let mut values = FxHashMap::default();
    for (var, value) in vars.into_iter().zip(&state.values) {
        values.insert(var, system.terms.constant(value.clone()?));
    }
    let condition = system.terms.substitute(condition, &values);
    system.terms.as_const(condition).map(Value::as_bool)
}

/// The conjuncts of conditions, but for those that hold anyway.
fn conjuncts(cx: &Cx, mut open: Vec<Term>) -> Vec<Term> {
    let mut list = vec![];
    while let Some(next) = open.pop() {
        match cx.system.terms.node(next) {
            Node::And(parts) => open.extend(parts.iter()),
            Node::Const(Value::Bool(true)) => {}
            _ => list.push(next),
        }
    }
    list.sort_unstable();
    list.dedup();
    list
}

/// How the values of a state compare with its own: equal, and for integers also at least and at most.
fn compared(cx: &mut Cx, state: &State) -> Vec<Term> {
    let vars: Vec<VarId> = cx.system.state_vars().collect();
    let mut list = vec![];
    for (var, value) in vars.into_iter().zip(&state.values) {
        let Some(value) = value else { continue };
        let terms = cx.terms();
        let (now, value) = (terms.var(var), terms.constant(value.clone()));
        list.push(is(terms, var, value));
        if terms.var_type(var) == Type::Int {
            list.extend([terms.ge(now, value), terms.le(now, value)]);
        }
    }
    list
}

/// The largest part of these facts that holds again after a line; `None` if that cannot be said.
fn preserved(cx: &mut Cx, line: Stmt, facts: &[Term]) -> Result<Option<Vec<Term>>, Reason> {
    let mut solver = cx.solver.sibling()?;
    let mut kept: Vec<(Term, Lit, Lit)> = vec![];
    for fact in facts {
        let Ok(after) = leads_to(cx.terms(), line, *fact) else { return Ok(None) };
        let [before, after] = [*fact, after].map(|term| solver.lit(&cx.system.terms, term, &Steps::start()));
        kept.push((*fact, before?, after?));
    }
    loop {
        cx.go_on()?;
        let lost = solver.activation()?;
        let clause: Vec<Lit> = kept.iter().map(|(_, _, after)| !*after).chain([!lost]).collect();
        solver.clause(&clause)?;
        let assumed: Vec<Lit> = kept.iter().map(|(_, before, _)| *before).chain([lost]).collect();
        if solver.check(&assumed)? == Answer::Unsat {
            return Ok(Some(kept.into_iter().map(|(fact, ..)| fact).collect()));
        }
        let mut left = vec![];
        for entry in &kept {
            if solver.truth(entry.2)? != Some(false) {
                left.push(*entry);
            }
        }
        debug_assert!(left.len() < kept.len(), "a model says which fact is lost");
        kept = left;
    }
}
