//! Control flow splitting, section 5.2 of Cziborová, *Abstraction-based timed model checking for
//! software-intensive system models*, 2023: a statement over data and clocks as alternatives, each of them a
//! sequence of operations on clocks beside a statement over data.
//!
//! # Why
//! Domains of data and zones of clocks compute successors by themselves. For a whole statement, combining what
//! each finds would be wrong: after `if (c >= 5) { x := 1; } else { x := 0; }`, data says 0 or 1, time says less
//! than 5 or not, and only two of the four combinations exist. In one [`Alternative`], every branching that
//! looks at clocks or leads to what touches them has been decided.
//!
//! # What
//! Let a statement be a sequence of parts, each of which touches data only or is one operation on clocks with
//! constants: a bound on a difference, a reset, a delay. A part of the one kind neither reads nor writes what
//! the other kind does, so neighbours of different kinds can be exchanged without changing where executions
//! lead. So `(d, v)` leads to `(d', v')` exactly if the data parts, in order, lead from `d` to `d'` and the
//! operations, in order, from `v` to `v'`. The executions of the statement are the union over its alternatives.
//!
//! # How
//! [`flags`] rewrites the statement so that every such branching asks a Boolean flag, and says which flags go
//! together. All solutions for the flags are the alternatives ([`Which::All`]), or those for which data and
//! time permit an execution from an abstract state ([`Which::Feasible`]): the statement as a formula, time as
//! data, with what is known of data and nothing of time. More alternatives than necessary are harmless.
//!
//! What is left asks no clock that data decides and no data that a clock decides; that is looked at whenever an
//! alternative is made. A loop over clocks whose rounds are not known, and a bound that is not known, are
//! refused by name. Everything is kept by the simplified statement.

mod flags;

use std::rc::Rc;

use indexmap::IndexSet;
use ir::{Node, Steps, Stmt, StmtNode, System, Term, Terms, Type, Valuation, Value, VarId};
use rustc_hash::FxHashMap;
use smt::Solver;
use smt::services::all_values;
use smt::z3::Z3Solver;
use zones::{Bound, Constraint, Op};

use crate::answer::Reason;
use flags::Flagged;

/// One way through a statement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Alternative {
    /// What happens to clocks; these are numbered from 1, in the order of [`System::clocks`].
    pub ops: Box<[Op]>,
    /// What happens to data.
    pub data: Stmt,
}

/// Which alternatives are wanted.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Which {
    /// All that the text of the statement has.
    All,
    /// Those that can be executed from a state where this holds, whatever the clocks are; a formula over data.
    Feasible(Term),
}

/// Splits the statements of one system.
#[derive(Debug)]
pub struct Splitter {
    clocks: FxHashMap<VarId, u32>,
    /// What a delay does to data, clocks among them.
    delay: Stmt,
    flags: Vec<VarId>,
    flagged: FxHashMap<Stmt, Rc<Flagged>>,
    done: FxHashMap<(Stmt, Which), Rc<[Alternative]>>,
}

/// More alternatives of one statement than this are refused.
const MOST: usize = 4096;

impl Splitter {
    /// For statements of `system`, which gets some variables of the splitter's own.
    pub fn new(system: &mut System) -> Self {
        let length = ir::delay_length(system);
        let clocks = system.clocks().zip(1..).collect();
        let (flagged, done) = (FxHashMap::default(), FxHashMap::default());
        Splitter { clocks, delay: ir::elapse(system, length), flags: vec![], flagged, done }
    }
    /// The alternatives of `stmt` from states that agree with `known`. Questions are put to siblings of `solver`.
    pub fn split(
        &mut self,
        (system, solver): (&mut System, &Z3Solver),
        stmt: Stmt,
        known: &Valuation,
        which: Which,
    ) -> Result<Rc<[Alternative]>, Reason> {
        let stmt = ir::simplify(&mut system.terms, stmt, &mut known.clone());
        if let Some(known) = self.done.get(&(stmt, which)) {
            return Ok(known.clone());
        }
        let flagged = match self.flagged.get(&stmt) {
            Some(known) => known.clone(),
            None => {
                let made = Rc::new(flags::flag(system, stmt, &mut self.flags)?);
                self.flagged.insert(stmt, made.clone());
                made
            }
        };
        let mut list: IndexSet<Alternative> = IndexSet::new();
        for choice in self.choices(system, solver, &flagged, which)? {
            let mut chosen: Valuation = flagged.flags.iter().copied().zip(choice).collect();
            let way = ir::simplify(&mut system.terms, flagged.stmt, &mut chosen);
            if !system.terms.is_block(way) {
                list.insert(self.alternative(system, way)?);
            }
        }
        let list: Rc<[Alternative]> = list.into_iter().collect();
        self.done.insert((stmt, which), list.clone());
        Ok(list)
    }

    /// The values of the flags, all together; constants.
    fn choices(
        &self,
        system: &mut System,
        solver: &Z3Solver,
        flagged: &Flagged,
        which: Which,
    ) -> Result<Vec<Vec<Term>>, Reason> {
        if flagged.flags.is_empty() && which == Which::All {
            return Ok(vec![vec![]]);
        }
        let mut solver = solver.sibling()?;
        let start = Steps::start();
        solver.assert(&system.terms, flagged.constraint, &start)?;
        if let Which::Feasible(state) = which {
            let plain = ir::replace_delays(&mut system.terms, flagged.stmt, self.delay);
            // Where data has a loop that has no formula, nothing is left out.
            if let Ok(formula) = ir::unfold(&mut system.terms, plain, &mut Steps::start()) {
                solver.assert(&system.terms, state, &start)?;
                solver.assert(&system.terms, formula, &start)?;
            }
        }
        let list: Vec<Term> = flagged.flags.iter().map(|flag| system.terms.var(*flag)).collect();
        let mut rows = vec![];
        all_values(&mut solver, &mut system.terms, &[], &list, &start, &mut |row| {
            rows.push(row.to_vec());
            rows.len() <= MOST && !row.is_empty()
        })?;
        if rows.len() > MOST {
            return Err(Reason::Unsupported(format!(
                "a step with more than {MOST} ways through its conditions over clocks; try `--engine zone`"
            )));
        }
        // In a fixed order, whatever the solver's is.
        rows.sort_unstable();
        Ok(rows
            .into_iter()
            .map(|row| row.into_iter().map(|value| system.terms.constant(value)).collect())
            .collect())
    }

    /// A sequence without branching over clocks as what happens to clocks and what happens to data.
    fn alternative(&self, system: &mut System, way: Stmt) -> Result<Alternative, Reason> {
        let (mut ops, mut data) = (vec![], vec![]);
        let mut stack = vec![way];
        while let Some(part) = stack.pop() {
            match system.terms.stmt(part).clone() {
                StmtNode::Seq(list) => stack.extend(list.iter().rev()),
                StmtNode::Delay => ops.push(Op::Delay),
                StmtNode::Assume(condition) if system.terms.has_clock(condition) => {
                    self.constraints(system, condition, &mut ops)?;
                }
                StmtNode::Havoc(var) if self.clocks.contains_key(&var) => {
                    ops.push(Op::Free(self.clocks[&var]))
                }
                StmtNode::Assign(var, value) if self.clocks.contains_key(&var) => {
                    let clock = self.clocks[&var];
                    ops.push(match system.terms.node(value) {
                        Node::Var(other, 0) if self.clocks.contains_key(other) => {
                            Op::Copy(clock, self.clocks[other])
                        }
                        _ => Op::Reset(clock, whole(system, var, value)?),
                    });
                }
                _ => data.push(part),
            }
        }
        let data = system.terms.seq(data);
        debug_assert!(!flags::touches_clocks(&system.terms, data), "time is left in {data:?}");
        Ok(Alternative { ops: ops.into(), data })
    }
    /// An atom as bounds on a difference.
    fn constraints(&self, system: &mut System, condition: Term, ops: &mut Vec<Op>) -> Result<(), Reason> {
        let atoms = ir::clock_atom(&mut system.terms, condition).ok_or_else(|| {
            Reason::Internal("a condition over data and clocks was not taken apart".to_owned())
        })?;
        for atom in atoms {
            let number = |clock: Option<VarId>| clock.map_or(0, |clock| self.clocks[&clock] as usize);
            let named = atom.plus.or(atom.minus).expect("an atom over clocks has one");
            let bound = Bound::new(whole(system, named, atom.bound)?, atom.strict)
                .map_err(|_| large(system, named))?;
            ops.push(Op::Constrain(Constraint::new(number(atom.plus), number(atom.minus), bound)));
        }
        Ok(())
    }
}

/// The constant that a clock is compared with or set to.
fn whole(system: &System, clock: VarId, value: Term) -> Result<i64, Reason> {
    match system.terms.as_const(value) {
        Some(Value::Int(value)) => value.to_i64().ok_or_else(|| large(system, clock)),
        Some(Value::Rat(value)) if value.denominator() == ir::Int::ONE => {
            value.numerator().to_i64().ok_or_else(|| large(system, clock))
        }
        _ => {
            let names: Vec<String> =
                system.terms.vars_of(value).iter().map(|var| named(system, *var)).collect();
            Err(Reason::Unsupported(format!(
                "clock {} is compared with or set to a value that is not known there, of {}; try `--engine zone`",
                named(system, clock),
                names.join(", ")
            )))
        }
    }
}

fn large(system: &System, clock: VarId) -> Reason {
    Reason::Outgrown(format!("clock {} is compared with a constant beyond 2^28", named(system, clock)))
}

fn named(system: &System, var: VarId) -> String {
    format!("`{}`", system.vars[var].name)
}

/// Whether a variable is a clock.
fn is_clock(terms: &Terms, var: VarId) -> bool {
    terms.var_type(var) == Type::Clock
}

#[cfg(test)]
mod tests;
