//! From the values at the nodes of a trace to a run that replays.
//!
//! The values before and after a step are known; what is missing is how the choices in between were made.
//! The step is unfolded once more, as the system has it and with these values, and a model says the value
//! of every variable at every point of it. A choice took the first branch that agrees with the model.

use ir::eval::eval;
use ir::interp::{Interp, Outcome};
use ir::replay::{self, Wanted};
use ir::{Action, Actions, Decision, Run, State, Steps, Stmt, StmtNode, System, Term, Terms, Value, VarId};
use smt::z3::Z3Solver;
use smt::{Answer, Model, Solver};

use crate::answer::Reason;
use crate::cause::{Contradiction, Unsupported};
use crate::cegar::cx::is;
use crate::stop::Stop;

/// What a step is executed with.
pub struct Tools<'a> {
    /// The system, in whose arena the statements are.
    pub system: &'a mut System,
    /// Questions are put to siblings of this one.
    pub solver: &'a Z3Solver,
    /// Whether to stop.
    pub stop: &'a Stop,
}

/// The run along `actions` through states with these values.
pub fn concretise(
    Tools { system, solver, stop }: Tools<'_>,
    actions: &[Action],
    states: &[Vec<(VarId, Value)>],
) -> Result<Run, Reason> {
    let steps = actions.iter().map(Wanted::from);
    let path = replay::along(system, &mut Actions::new(), steps, |system, leg| {
        let values: Box<[_]> = states[leg.number].iter().map(|(_, value)| Some(value.clone())).collect();
        let mut tools = Tools { system, solver, stop };
        let decisions = decisions(&mut tools, leg.stmt, leg.before, &values, &[])?;
        Ok::<_, Reason>(Some(Outcome { values, decisions, fixed: vec![] }))
    })?;
    Ok(path.into())
}

/// The decisions that lead from `source` to the values `target`, where open ones may become any, and where `facts` hold
/// afterwards.
pub fn decisions(
    cx: &mut Tools<'_>,
    stmt: Stmt,
    source: &State,
    target: &[Option<Value>],
    facts: &[Term],
) -> Result<Vec<Decision>, Reason> {
    let vars: Vec<VarId> = cx.system.state_vars().collect();
    let mut known = ir::Valuation::default();
    for (var, value) in vars.iter().zip(&source.values) {
        if let Some(value) = value {
            known.insert(*var, cx.system.terms.constant(value.clone()));
        }
    }
    let plain = unroll(&mut cx.system.terms, stmt, &mut known.clone());
    let mut after = Steps::start();
    let Ok(formula) = ir::unfold(&mut cx.system.terms, plain, &mut after) else {
        return searched(cx, stmt, source, target);
    };
    let mut solver = cx.solver.sibling()?;
    solver.assert(&cx.system.terms, formula, &Steps::start())?;
    for (values, steps) in [(&source.values[..], &Steps::start()), (target, &after)] {
        for (var, value) in vars.iter().zip(values) {
            let Some(value) = value else { continue };
            let value = cx.system.terms.constant(value.clone());
            let equal = is(&mut cx.system.terms, *var, value);
            solver.assert(&cx.system.terms, equal, steps)?;
        }
    }
    for fact in facts {
        solver.assert(&cx.system.terms, *fact, &after)?;
    }
    if solver.check(&[])? == Answer::Unsat {
        return Err(Contradiction::FeasibleWithInfeasibleStep.into());
    }
    let mut instances = vec![];
    cx.system.terms.for_each_subterm(formula, |t| {
        if let ir::Node::Var(var, step) = *cx.system.terms.node(t) {
            instances.push((var, step));
        }
    });
    // Also what is only asserted: values that are not looked at, and those of the last havoc.
    for (slot, var) in vars.iter().enumerate() {
        if source.values[slot].is_some() {
            instances.push((*var, 0));
        }
        if target[slot].is_some() {
            instances.push((*var, after.of(*var)));
        }
    }
    instances.sort_unstable();
    instances.dedup();
    let model = Model::of(&mut solver, &mut cx.system.terms, instances)?;
    let mut walk = Walk { system: cx.system, model, decisions: vec![] };
    let mut steps = Steps::start();
    if walk.agrees(plain, &mut steps) {
        let decisions = walk.decisions;
        return Ok(decisions);
    }
    searched(cx, stmt, source, target)
}

/// The same by trying all executions.
fn searched(
    cx: &mut Tools<'_>,
    stmt: Stmt,
    source: &State,
    target: &[Option<Value>],
) -> Result<Vec<Decision>, Reason> {
    let fits = |outcome: &Outcome| outcome.values.iter().zip(target).all(|(a, b)| a.is_none() || a == b);
    let found = Interp::new(cx.system, Some(cx.stop.flag())).first(stmt, source, None, fits);
    match found {
        _ if cx.stop.requested() => Err(cx.stop.reason()),
        Ok(Some(outcome)) => Ok(outcome.decisions),
        _ => Err(Unsupported::UnlistedRun.into()),
    }
}

/// A statement along a model.
struct Walk<'a> {
    system: &'a mut System,
    model: Model,
    decisions: Vec<Decision>,
}

impl Walk<'_> {
    fn value(&mut self, term: Term, steps: &Steps) -> Option<Value> {
        let term = steps.apply(&mut self.system.terms, term);
        eval(&self.system.terms, &self.model, term).ok().map(|value| value.into_owned())
    }
    /// Whether the statement, begun at `steps`, did what the model says; its decisions are appended.
    fn agrees(&mut self, stmt: Stmt, steps: &mut Steps) -> bool {
        ir::deep(|| match self.system.terms.stmt(stmt).clone() {
            StmtNode::Skip => true,
            StmtNode::Assume(condition) => self.value(condition, steps) == Some(Value::Bool(true)),
            StmtNode::Assign(var, value) => {
                let ty = self.system.terms.var_type(var);
                let value = self.value(value, steps).map(|value| value.held_as(ty));
                let next = advance(&mut self.system.terms, stmt, steps);
                let after = self.model.get(var, next).cloned();
                value.is_some() && (after.is_none() || value == after)
            }
            StmtNode::Havoc(var) => {
                let next = advance(&mut self.system.terms, stmt, steps);
                let value = self.model.get(var, next).cloned();
                let value = value.unwrap_or_else(|| self.system.any_value(var));
                self.model.set(var, next, value.clone());
                self.decisions.push(Decision::Value(Some(value)));
                true
            }
            StmtNode::Seq(list) => list.iter().all(|part| self.agrees(*part, steps)),
            StmtNode::Choice(list) => {
                let count = self.decisions.len();
                let mut done = false;
                let end = latest(&mut self.system.terms, &list, steps);
                for (number, branch) in list.iter().enumerate() {
                    let mut here = steps.clone();
                    self.decisions.truncate(count);
                    self.decisions.push(Decision::Branch(number as u32));
                    if self.agrees(*branch, &mut here) && self.joins(&here, &end) {
                        done = true;
                        break;
                    }
                }
                *steps = end;
                done
            }
            StmtNode::If(condition, then, otherwise) => {
                let end = latest(&mut self.system.terms, &[then, otherwise], steps);
                let side = match self.value(condition, steps) {
                    Some(Value::Bool(true)) => then,
                    Some(_) => otherwise,
                    None => return false,
                };
                let mut here = steps.clone();
                let agrees = self.agrees(side, &mut here) && self.joins(&here, &end);
                *steps = end;
                agrees
            }
            StmtNode::Delay | StmtNode::For { .. } | StmtNode::While(..) => false,
        })
    }
    /// Whether variables keep their values from the end of a branch to the end of all branches.
    fn joins(&mut self, here: &Steps, end: &Steps) -> bool {
        let moved: Vec<(VarId, u32)> = end.moved().collect();
        moved.into_iter().all(|(var, step)| {
            let (from, to) = (self.model.get(var, here.of(var)).cloned(), self.model.get(var, step).cloned());
            match (from, to) {
                (Some(from), None) => {
                    self.model.set(var, step, from);
                    true
                }
                (from, to) => from == to || from.is_none(),
            }
        })
    }
}

/// The steps after a statement, without its formula.
fn advance(terms: &mut Terms, stmt: Stmt, steps: &mut Steps) -> u32 {
    let var = terms.stmt(stmt).written().expect("a statement that writes");
    let _ = ir::unfold(terms, stmt, steps);
    steps.of(var)
}

/// Where branches that begin at `steps` end together.
fn latest(terms: &mut Terms, list: &[Stmt], steps: &Steps) -> Steps {
    let mut end = steps.clone();
    let choice = list.to_vec();
    let joined = terms.choice(choice);
    let _ = ir::unfold(terms, joined, &mut end);
    end
}

/// `stmt` with the loops unrolled whose rounds are known; everything else as it is, so that the same
/// choices are made in the same order.
fn unroll(terms: &mut Terms, stmt: Stmt, known: &mut ir::Valuation) -> Stmt {
    let mut has_loop = false;
    terms.for_each_substmt(stmt, |part| {
        has_loop |= matches!(terms.stmt(part), StmtNode::For { .. } | StmtNode::While(..));
    });
    if !has_loop {
        let assigned = match *terms.stmt(stmt) {
            StmtNode::Assign(var, value) => Some((var, terms.substitute(value, known))),
            _ => None,
        };
        forget(terms, stmt, known);
        known.extend(assigned.filter(|(_, value)| terms.as_const(*value).is_some()));
        return stmt;
    }
    match terms.stmt(stmt).clone() {
        StmtNode::Seq(list) => {
            let parts: Vec<Stmt> = list.iter().map(|part| unroll(terms, *part, known)).collect();
            terms.seq(parts)
        }
        StmtNode::For { var, from, to, body } => {
            let (from, to) = (terms.substitute(from, known), terms.substitute(to, known));
            let (Some(Value::Int(from)), Some(Value::Int(to))) = (terms.as_const(from), terms.as_const(to))
            else {
                forget(terms, stmt, known);
                return stmt;
            };
            let rounds =
                from.to_i64().zip(to.to_i64()).filter(|(from, to)| to.saturating_sub(*from) <= 10_000);
            let Some((mut next, to)) = rounds else {
                forget(terms, stmt, known);
                return stmt;
            };
            let mut parts = vec![];
            while next < to {
                let value = terms.int(next);
                known.insert(var, value);
                parts.push(terms.assign(var, value));
                parts.push(unroll(terms, body, known));
                next += 1;
            }
            terms.seq(parts)
        }
        StmtNode::If(condition, yes, no) => {
            let sides = [yes, no].map(|side| ir::deep(|| unroll(terms, side, &mut known.clone())));
            forget(terms, stmt, known);
            terms.branch(condition, sides[0], sides[1])
        }
        StmtNode::Choice(list) => {
            let mut branch = |part: &Stmt| ir::deep(|| unroll(terms, *part, &mut known.clone()));
            let parts: Vec<Stmt> = list.iter().map(&mut branch).collect();
            forget(terms, stmt, known);
            let choice = terms.choice(parts.iter().copied());
            // Branches that have become the same would be numbered anew.
            if *terms.stmt(choice) == StmtNode::Choice(parts.into()) { choice } else { stmt }
        }
        // Loops by condition are left to the search.
        _ => {
            forget(terms, stmt, known);
            stmt
        }
    }
}

/// Nothing is known of what a statement writes.
fn forget(terms: &Terms, stmt: Stmt, known: &mut ir::Valuation) {
    for var in terms.written_by(stmt) {
        known.remove(&var);
    }
}
