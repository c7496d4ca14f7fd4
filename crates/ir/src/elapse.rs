//! Time as data: clocks as rational numbers that every delay adds the same amount to.
//!
//! [`spell_out`] is the encoding of section 5.1 of Cziborová, *Abstraction-based timed model checking for
//! software-intensive system models*, 2023: a delay becomes
//!
//! ```text
//! havoc δ;  assume 0 <= δ;  c := c + δ   for every clock c
//! ```
//!
//! with one fresh local variable `δ`; all clocks still start where they did. What is left is a system of data, whose
//! clocks differ from rational variables only in that solvers know them to be non-negative, which they are.
//! Clocks keep their numbers and their type, so that formulas about the one system are formulas about the
//! other, and a deadlock, which asks about *later*, still knows which variables grow.
//!
//! The way back is short: an invariant is one of both systems as it stands, and a run takes the same edges
//! through the same states. Only its decisions differ, a value for `δ` where the original decides how long to
//! wait; [`Elapsed::run`] puts that right. The statements are otherwise the same and take their decisions in
//! the same order.

use rustc_hash::FxHashMap;

use crate::evidence::{Decision, Run, State};
use crate::interp::{Interp, Need, Outcome, Stuck};
use crate::number::Rat;
use crate::replay::{self, NoStep};
use crate::stmt::{Stmt, StmtNode};
use crate::system::{Span, System, Variable};
use crate::term::{Terms, VarId};
use crate::value::{Type, Value};

/// Back from a system whose delays are spelled out.
#[derive(Clone, Debug)]
pub struct Elapsed {
    /// The system with delays.
    pub original: System,
    /// The length of a delay, in the other system.
    pub length: VarId,
}

/// `system` with every delay spelled out, and the way back.
pub fn spell_out(system: &System) -> (System, Elapsed) {
    let mut result = system.clone();
    let length = delay_length(&mut result);
    let delay = elapse(&mut result, length);
    let mut done = FxHashMap::default();
    for process in result.processes.ids().collect::<Vec<_>>() {
        for edge in result.processes[process].edges.ids().collect::<Vec<_>>() {
            let mut update = result.processes[process].edges[edge].update;
            let terms = &mut result.terms;
            update.stmt = rewrite(terms, update.stmt, delay, &mut done);
            update.fault = update.fault.map(|fault| rewrite(terms, fault, delay, &mut done));
            result.processes[process].edges[edge].update = update;
        }
    }
    for (var, value) in &mut result.initial {
        *value = result.terms.held_by(*var, *value);
    }
    result.delay = Some(delay);
    (result, Elapsed { original: system.clone(), length })
}

/// A new local variable for the length of a delay.
pub fn delay_length(system: &mut System) -> VarId {
    let variable = Variable { shown: false, ..Variable::local("elapsed", Span::default()) };
    system.declare(Type::Rat, variable)
}

/// What a delay of any length does to the clocks of `system`; `length` tells how long it was.
pub fn elapse(system: &mut System, length: VarId) -> Stmt {
    let clocks: Vec<VarId> = system.clocks().collect();
    let terms = &mut system.terms;
    let (amount, zero) = (terms.var(length), terms.constant(Value::rat(Rat::ZERO)));
    let forwards = terms.le(zero, amount);
    let mut parts = vec![terms.havoc(length), terms.assume(forwards)];
    for clock in clocks {
        let now = terms.var(clock);
        let later = terms.add([now, amount]);
        parts.push(terms.assign(clock, later));
    }
    terms.seq(parts)
}

/// `stmt` with `delay` in place of delays, and clocks set to rationals where they are set to constants.
pub fn replace_delays(terms: &mut Terms, stmt: Stmt, delay: Stmt) -> Stmt {
    rewrite(terms, stmt, delay, &mut FxHashMap::default())
}

fn rewrite(terms: &mut Terms, stmt: Stmt, delay: Stmt, done: &mut FxHashMap<Stmt, Stmt>) -> Stmt {
    let mut list = vec![];
    terms.for_each_substmt(stmt, |part| list.push(part));
    for part in list {
        if done.contains_key(&part) {
            continue;
        }
        let new = match terms.stmt(part).clone() {
            StmtNode::Delay => delay,
            StmtNode::Assign(var, value) if terms.var_type(var) == Type::Clock => {
                let value = terms.held_by(var, value);
                terms.assign(var, value)
            }
            StmtNode::Seq(parts) => terms.seq(parts.iter().map(|part| done[part])),
            StmtNode::Choice(parts) => terms.choice(parts.iter().map(|part| done[part])),
            StmtNode::If(condition, yes, no) => terms.branch(condition, done[&yes], done[&no]),
            StmtNode::For { var, from, to, body } => terms.for_loop(var, from, to, done[&body]),
            StmtNode::While(condition, body) => terms.while_loop(condition, done[&body]),
            StmtNode::Skip | StmtNode::Assume(_) | StmtNode::Assign(..) | StmtNode::Havoc(_) => part,
        };
        done.insert(part, new);
    }
    done[&stmt]
}

impl Elapsed {
    /// A run of the system without delays as one of the original; `None` if it is none.
    pub fn run(&self, run: &Run) -> Option<Run> {
        let mut system = self.original.clone();
        let lifted = replay::run(&mut system, run, |system, leg, (made, after)| {
            let decisions = delays(system, leg.stmt, leg.source(after), made);
            let as_before = |decisions| Outcome { values: after.values.clone(), decisions, fixed: vec![] };
            Ok::<_, NoStep>(decisions.map(as_before))
        });
        lifted.ok()
    }
}

/// The decisions of `stmt` from `before`, which is asked what it needs, one after the other.
fn delays(system: &System, stmt: Stmt, before: &State, made: &[Decision]) -> Option<Vec<Decision>> {
    if !made.iter().any(|decision| matches!(decision, Decision::Value(_))) {
        return Some(made.to_vec());
    }
    let mut interp = Interp::new(system, None);
    let mut script: Vec<Decision> = Vec::with_capacity(made.len());
    for decision in made {
        let wanted = match interp.follow(stmt, before, &script) {
            Err(Stuck::Needs(question)) => question,
            _ => return None,
        };
        script.push(match (wanted, decision) {
            (Need::Delay, Decision::Value(Some(length))) => Decision::Delay(length.as_rat()),
            (_, decision) => decision.clone(),
        });
    }
    Some(script)
}
