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
//! operations, in order, from `v` to `v'`. The executions of the statement are the union over its
//! alternatives, and alternatives with the same operations are one, whose data branch.
//!
//! # How
//! [All](Which::All) ways are followed one by one ([`ways`]), without a solver. The number of sequences of
//! operations may be exponential in the length of a statement where few of them are [feasible](Which::Feasible)
//! from one abstract state. Then [`flags`] rewrites the statement so that every branching that matters to clocks
//! asks a Boolean flag, and all solutions for the flags are listed, with the statement as a formula, time as data,
//! what is known of data and nothing of time; each is a sequence that has one way. As long as all ways can be listed,
//! to ask about one after the other is several times quicker than to ask for those that are feasible, and the list
//! serves every state.
//!
//! Afterwards, no statement of data reads, writes or lets grow a clock, in no branch and no condition; that is
//! looked at whenever alternatives are made. Everything is kept by the simplified statement.

mod flags;
mod ways;

use std::rc::Rc;

use ir::{Steps, Stmt, StmtNode, System, Term, Terms, Type, Valuation, VarId};
use rustc_hash::FxHashMap;
use smt::Solver;
use smt::services::all_values;
use smt::z3::Z3Solver;
use zones::Op;

use crate::answer::Reason;
use crate::cause::Unsupported;
use crate::cegar::cx::{relevant, remember};
use crate::stop::Stop;
use flags::Flagged;
use ways::No;

/// Executions of a statement: what they do to clocks, and what they do to data.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Alternative {
    /// On clocks, numbered from 1 in the order of [`System::clocks`].
    pub ops: Box<[Op]>,
    /// Without clocks and delays.
    pub data: Stmt,
}

/// Alternatives of one statement, which are shared.
pub type Alternatives = Rc<[Rc<Alternative>]>;

/// Which alternatives are wanted.
#[derive(Copy, Clone, Debug)]
pub enum Which<'a> {
    /// All that the text of the statement has.
    All,
    /// At least those that can be executed from a state where these facts about data hold, whatever the clocks
    /// are.
    Feasible(&'a [Term]),
}

/// A statement with more alternatives than this is given up.
const MOST: usize = 2048;

/// Splits the statements of one system.
#[derive(Debug)]
pub struct Splitter {
    clocks: Clocks,
    touching: Touching,
    /// All alternatives; `None` where there are too many.
    all: FxHashMap<Stmt, Option<Alternatives>>,
    /// Where there are more alternatives than this, those that are feasible are asked for.
    few: usize,
    /// For statements with too many alternatives.
    flagged: FxHashMap<Stmt, Rc<Flagged>>,
    feasible: FxHashMap<(Stmt, Vec<Term>), Alternatives>,
    flags: Vec<VarId>,
    /// What a delay does to clocks as data; made when it is needed.
    delay: Option<Stmt>,
    /// Alternatives made so far.
    made: u64,
}

impl Splitter {
    /// For the clocks of `system`.
    pub fn new(system: &System) -> Self {
        Splitter {
            clocks: Clocks { numbers: system.clocks().zip(1..).collect() },
            touching: Touching::default(),
            all: FxHashMap::default(),
            few: MOST,
            flagged: FxHashMap::default(),
            feasible: FxHashMap::default(),
            flags: vec![],
            delay: None,
            made: 0,
        }
    }
    /// The same, but those that are feasible are asked for where there are more alternatives than `few`, rather
    /// than where there are too many to be listed.
    pub fn asking_beyond(self, few: usize) -> Self {
        Splitter { few, ..self }
    }
    /// Clocks plus one.
    pub fn dim(&self) -> usize {
        self.clocks.dim()
    }
    /// How many alternatives have been made.
    pub fn made(&self) -> u64 {
        self.made
    }
    /// The alternatives of a statement that has been simplified. The system may get variables of the splitter's
    /// own; questions are put to siblings of the solver.
    pub fn split(
        &mut self,
        system: &mut System,
        stmt: Stmt,
        which: Which<'_>,
        tools: (&Z3Solver, &Stop),
    ) -> Result<Alternatives, Reason> {
        if !self.all.contains_key(&stmt) {
            let made = match ways::alternatives((&self.clocks, &mut self.touching), system, &[stmt], tools) {
                Ok(list) => Some(self.finished(system, list)),
                Err(No::TooMany) => None,
                Err(No::Other(reason)) => return Err(reason),
            };
            remember(&mut self.all, stmt, made);
        }
        match (&self.all[&stmt], which) {
            (Some(list), Which::All) => Ok(list.clone()),
            (Some(list), _) if list.len() <= self.few => Ok(list.clone()),
            (None, Which::All) => Err(too_many(which)),
            (all, Which::Feasible(facts)) => {
                let all = all.clone();
                match self.feasible(system, stmt, facts, tools) {
                    Err(No::TooMany) => all.ok_or_else(|| too_many(which)),
                    Err(No::Other(reason)) => Err(reason),
                    Ok(list) => Ok(list),
                }
            }
        }
    }
    fn feasible(
        &mut self,
        system: &mut System,
        stmt: Stmt,
        facts: &[Term],
        tools: (&Z3Solver, &Stop),
    ) -> Result<Alternatives, No> {
        let flagged = match self.flagged.get(&stmt) {
            Some(known) => known.clone(),
            None => {
                let made = Rc::new(flags::flag(system, &mut self.touching, stmt, &mut self.flags)?);
                remember(&mut self.flagged, stmt, made.clone());
                made
            }
        };
        let mut vars = vec![];
        system.terms.for_each_substmt(stmt, |part| {
            system.terms.stmt(part).for_each_term(|term| vars.extend(system.terms.vars_of(term)));
        });
        let facts = relevant(&system.terms, &vars, facts);
        let key = (stmt, facts);
        if let Some(known) = self.feasible.get(&key) {
            return Ok(known.clone());
        }
        let mut stmts = vec![];
        for mut chosen in self.solutions(system, &flagged, &key.1, tools)? {
            let way = ir::simplify(&mut system.terms, flagged.stmt, &mut chosen);
            if !system.terms.is_block(way) {
                stmts.push(way);
            }
        }
        if cfg!(debug_assertions) {
            stmts.iter().for_each(|way| self.assert_sequential(&system.terms, *way));
        }
        let list = ways::alternatives((&self.clocks, &mut self.touching), system, &stmts, tools)?;
        let list = self.finished(system, list);
        remember(&mut self.feasible, key, list.clone());
        Ok(list)
    }
    /// The values of the flags, all together, for which something can be executed.
    fn solutions(
        &mut self,
        system: &mut System,
        flagged: &Flagged,
        facts: &[Term],
        (solver, stop): (&Z3Solver, &Stop),
    ) -> Result<Vec<Valuation>, No> {
        let delay = *self.delay.get_or_insert_with(|| {
            let length = ir::delay_length(system);
            ir::elapse(system, length)
        });
        let mut solver = solver.sibling().map_err(Reason::from)?;
        let start = Steps::start();
        let mut assert = |terms: &Terms, term: Term| solver.assert(terms, term, &start).map_err(Reason::from);
        assert(&system.terms, flagged.constraint)?;
        let plain = ir::replace_delays(&mut system.terms, flagged.stmt, delay);
        // Where data has a loop that has no formula, nothing is left out.
        if let Ok(formula) = ir::unfold(&mut system.terms, plain, &mut Steps::start()) {
            assert(&system.terms, formula)?;
            for fact in facts {
                assert(&system.terms, *fact)?;
            }
        }
        let list: Vec<Term> = flagged.flags.iter().map(|flag| system.terms.var(*flag)).collect();
        let mut rows = vec![];
        all_values(&mut solver, &mut system.terms, &[], &list, &start, &mut |row| {
            rows.push(row.to_vec());
            rows.len() <= MOST && !row.is_empty() && !stop.requested()
        })
        .map_err(Reason::from)?;
        if stop.requested() {
            return Err(stop.reason().into());
        }
        if rows.len() > MOST {
            return Err(No::TooMany);
        }
        // In a fixed order, whatever the solver's is.
        rows.sort_unstable();
        let mut valuation = |row: Vec<ir::Value>| {
            let values = row.into_iter().map(|value| system.terms.constant(value));
            flagged.flags.iter().copied().zip(values).collect()
        };
        Ok(rows.into_iter().map(&mut valuation).collect())
    }
    /// Checks that what is left under values for the flags is a sequence: no branch is left that contains an
    /// operation on clocks.
    fn assert_sequential(&mut self, terms: &Terms, way: Stmt) {
        let mut open = vec![way];
        while let Some(part) = open.pop() {
            match terms.stmt(part) {
                StmtNode::Seq(list) => open.extend(list.iter()),
                StmtNode::Choice(_) | StmtNode::If(..) | StmtNode::For { .. } | StmtNode::While(..) => {
                    assert!(!self.touching.clocks(terms, part), "a branch with clocks is left in {part:?}");
                }
                _ => {}
            }
        }
    }
    /// Shares alternatives, after a look at what is said of them: no statement of data, in whichever branch, is an
    /// operation on clocks, and no condition or value in it mentions one. That operations have no data, their type
    /// says.
    fn finished(&mut self, system: &System, list: Vec<Alternative>) -> Alternatives {
        if cfg!(debug_assertions) {
            let terms = &system.terms;
            for Alternative { data, .. } in &list {
                terms.for_each_substmt(*data, |part| {
                    let node = terms.stmt(part);
                    assert!(*node != StmtNode::Delay, "a delay is left in {data:?}");
                    let writes = node.written().is_some_and(|var| terms.var_type(var) == Type::Clock);
                    assert!(!writes, "a clock is written in {data:?}");
                    node.for_each_term(|term| {
                        let clocks =
                            terms.vars_of(term).into_iter().filter(|var| terms.var_type(*var) == Type::Clock);
                        assert_eq!(clocks.count(), 0, "a clock is read in {data:?}");
                    });
                });
            }
        }
        self.made += list.len() as u64;
        list.into_iter().map(Rc::new).collect()
    }
}

/// The clocks of a system.
#[derive(Debug)]
struct Clocks {
    numbers: FxHashMap<VarId, u32>,
}

impl Clocks {
    fn dim(&self) -> usize {
        self.numbers.len() + 1
    }
    /// The number of a clock; `None` for data.
    fn number(&self, var: VarId) -> Option<u32> {
        self.numbers.get(&var).copied()
    }
}

/// Which statements touch clocks.
#[derive(Debug, Default)]
struct Touching {
    known: FxHashMap<Stmt, bool>,
}

impl Touching {
    /// Whether a statement reads, writes or lets grow a clock.
    fn clocks(&mut self, terms: &Terms, stmt: Stmt) -> bool {
        if let Some(known) = self.known.get(&stmt) {
            return *known;
        }
        let mut list = vec![];
        terms.for_each_substmt(stmt, |part| list.push(part));
        for part in list {
            let node = terms.stmt(part);
            let mut touches = *node == StmtNode::Delay;
            touches |= node.written().is_some_and(|var| terms.var_type(var) == Type::Clock);
            node.for_each_term(|term| touches |= terms.has_clock(term));
            node.for_each_child(|child| touches |= self.known[&child]);
            self.known.insert(part, touches);
        }
        self.known[&stmt]
    }
}

fn too_many(which: Which<'_>) -> Reason {
    let filtered = matches!(which, Which::Feasible(_));
    Unsupported::ManyWays { most: MOST as u64, filtered }.into()
}

#[cfg(test)]
mod tests;
