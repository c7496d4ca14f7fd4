//! Executions of statements: what they do to data, and the operations they leave for clocks.
//!
//! Like the plain interpreter, but a delay, a reset and a condition on clocks become operations, and an
//! execution goes on in every way in which such a condition can hold, see [`super::pieces`]. What comes out
//! depends on the values of the variables that the statement mentions, and so it is kept for those values:
//! whatever zone comes along, it passes by the same operations. What becomes of open data says
//! [`super::open`].

use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use indexmap::IndexSet;
use ir::eval::{Env, Open, eval, holds};
use ir::{
    ClockRange, Id, Int, LocationId, NamedVar, Node, ProcessId, Scope, Stmt, StmtNode, Term, Terms, Type,
    Value, VarId, VectorId,
};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::condition::Formula;
use super::model::{Amount, Atom, Guard, Judgement, Model, Split, Step, small};
use super::open::Reading;
use super::path::Op;
use super::pieces::{Constraint, Left, Residue, TooMany, Within};
use super::simulation::{Touched, keep, untouched};
use crate::dbm::{Dbm, bound};
use crate::{Rejection, Undecided};

/// For which data a condition is asked.
struct Asked<'a> {
    env: &'a Values<'a>,
    /// Which variables are unknown if they have no value.
    unknown: &'a dyn Fn(VarId) -> bool,
    /// Whether comparing a clock with what is unknown is as unknown, and not refused.
    passes_bounds: bool,
}

/// What is left of a condition, and of its parts that are conditions with parts themselves.
#[derive(Default)]
struct Settled {
    residue: Residue,
    known: FxHashMap<u32, Left>,
}

/// How a statement can end.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Outcome {
    pub(super) ops: Box<[Op]>,
    /// The words that change, by position.
    pub(super) writes: Box<[(u32, u32)]>,
    /// The entries of arrays that change after that, by position and the number of the entry if it is
    /// known.
    pub(super) entries: Box<[(u32, Option<u32>)]>,
    /// Whether that depends on open data.
    pub(super) guessed: bool,
}

/// Whether the target holds, asked at one state.
#[derive(Clone)]
pub(super) struct Question {
    judgement: u32,
    /// The key is [`VarId`].
    values: Vec<Option<Value>>,
}

/// If there are more ways on clocks than this for each on data, which no zone rules out, they are not listed
/// without regard for zones;
const MOST_CLOCK_WAYS_PER_DATA_WAY: usize = 64;
/// nor are more than this of both.
const MOST_WAYS_LISTED: usize = 1 << 12;
/// Where there is a zone, a condition for which it falls into more pieces than this is not decided.
const MANY_PIECES: usize = 1 << 16;
/// A statement that mentions at most so many variables need not have its guard tried first.
const MOST_VARIABLES_WITHOUT_GUARD: usize = 2;
/// Variables with more values than this are not tried value by value.
const MANY_TO_TRY: i64 = 1 << 16;
/// More lists of outcomes than this are not kept,
const MANY_VALUES: usize = 1 << 14;
/// nor more outcomes than this in all of them.
const MANY_KEPT: usize = MANY_VALUES * MOST_CLOCK_WAYS_PER_DATA_WAY;

/// An execution in progress: data, what happened to clocks, and what is left to do.
#[derive(Clone)]
struct Execution {
    /// The step of which this is one.
    step: u32,
    /// The key is [`VarId`].
    values: Vec<Option<Value>>,
    /// The variables whose values are unknown, as opposed to those that a statement has left open.
    unknown: Vec<VarId>,
    /// The variables of data that have been written.
    written: Vec<VarId>,
    /// Whether an unknown condition was passed, or a value chosen for an unknown one.
    guessed: bool,
    /// Whether a number without limits was left open.
    unlimited: bool,
    /// The entries of arrays that have been written, with the position and the entry if both are known,
    /// where a step needs no more of an array.
    entries: Vec<(VarId, Option<(Value, Value)>)>,
    ops: Vec<Op>,
    /// The zone now, if only executions for one are of interest.
    zone: Option<Dbm>,
    /// Up to simulation, the constants of the source and the clocks set since: the zone blocks only what
    /// is blocked for everything that it simulates.
    simulation: Option<(Rc<[ClockRange]>, Touched)>,
    /// The next one last.
    todo: Vec<Todo>,
}

#[derive(Clone)]
enum Todo {
    Run(Stmt),
    /// The iterations of a loop that are left.
    Iterate(Stmt, Int, Int),
    /// The constraints that come before a step.
    Begin(u32),
}

/// An execution that has ended, and why if it cannot be followed further.
type Ended = (Execution, Option<Undecided>);

/// Why an execution needs somebody's help.
enum Halt {
    Open(VarId),
    /// This condition can hold in more ways than are listed.
    Many(Term),
    Rejected(Rejection),
}

impl From<Open> for Halt {
    fn from(Open(var): Open) -> Self {
        Halt::Open(var)
    }
}

impl From<Undecided> for Halt {
    fn from(why: Undecided) -> Self {
        Halt::Rejected(why.into())
    }
}

impl From<Rejection> for Halt {
    fn from(rejection: Rejection) -> Self {
        Halt::Rejected(rejection)
    }
}

impl Execution {
    /// A variable gets a value, or an unknown one.
    fn learn(&mut self, var: VarId, value: Option<Value>) {
        self.forget(var);
        if value.is_none() {
            self.unknown.push(var);
        }
        self.values[var.index()] = value;
    }
    /// Notes that a variable is written.
    fn note(&mut self, var: VarId) {
        if !self.written.contains(&var) {
            self.written.push(var);
        }
    }
    /// A variable is left open.
    fn forget(&mut self, var: VarId) {
        self.unknown.retain(|other| *other != var);
        self.values[var.index()] = None;
    }
    /// Passes a condition that is unknown.
    fn guess(&mut self) -> bool {
        self.guessed = true;
        true
    }
    /// Does something to clocks; false if the zone shows that this is impossible.
    fn emit(&mut self, op: Op) -> bool {
        self.ops.push(op);
        let Some(zone) = &mut self.zone else { return true };
        match op {
            Op::Constrain { plus, minus, constant, strict } => {
                let (plus, minus) = (plus as usize, minus as usize);
                if let Some((constants, touched)) = &self.simulation
                    && !keep(constants, (plus, minus), constant.into(), strict, touched)
                {
                    return true;
                }
                return zone.constrain(plus, minus, bound(constant.into(), strict));
            }
            Op::Set { clock, value } => {
                zone.reset(clock as usize, value.into());
                if let Some((_, touched)) = &mut self.simulation {
                    touched.set(clock as usize);
                }
            }
            Op::Copy { clock, from } => {
                zone.copy_clock(clock as usize, from as usize);
                if let Some((_, touched)) = &mut self.simulation {
                    touched.copy(clock as usize, from as usize);
                }
            }
            Op::Free { clock } => {
                zone.free(clock as usize);
                if let Some((_, touched)) = &mut self.simulation {
                    touched.set(clock as usize);
                }
            }
            Op::Delay => zone.delay(),
            Op::Refuse(_) => {}
        }
        true
    }
}

struct Values<'a> {
    values: &'a [Option<Value>],
    locations: &'a [LocationId],
}

/// A state as words.
struct InWords<'a> {
    model: &'a Model,
    words: &'a [u32],
}

impl Env for InWords<'_> {
    fn var(&self, var: VarId, _step: u32) -> Option<&Value> {
        let slot = self.model.slots[var.index()]? as usize;
        self.model.columns[slot].value(self.words[slot + 1]).as_ref()
    }
    fn at(&self, process: ProcessId, location: LocationId) -> bool {
        self.model.locations(Model::vector_of(self.words))[process.index()] == location
    }
}

impl Env for Values<'_> {
    fn var(&self, var: VarId, _step: u32) -> Option<&Value> {
        self.values[var.index()].as_ref()
    }
    fn at(&self, process: ProcessId, location: LocationId) -> bool {
        self.locations[process.index()] == location
    }
}

/// The positions and entries that `var := term` writes, if it keeps all others.
pub(super) fn entries_written(terms: &Terms, var: VarId, mut term: Term) -> Option<Vec<(Term, Term)>> {
    let mut written = vec![];
    while let Node::Write(array, index, entry) = *terms.node(term) {
        written.push((index, entry));
        term = array;
    }
    written.reverse();
    (*terms.node(term) == Node::Var(var, 0) && !written.is_empty()).then_some(written)
}

impl Model {
    /// How a step can end from a state; a zone is needed for those that can end in too many ways, whose
    /// outcomes are then for this zone only, with the constants there if it stands for what it simulates.
    pub(super) fn outcomes(
        &mut self,
        step: u32,
        words: &[u32],
        zone: Option<(&Dbm, Option<&Rc<[ClockRange]>>)>,
        stop: &AtomicBool,
    ) -> Result<Rc<[Outcome]>, Rejection> {
        let known = &self.steps[step as usize];
        if known.keys.len() > MOST_VARIABLES_WITHOUT_GUARD
            && let Some(Guard { data, rest }) = &known.guard
        {
            match self.hold(data, words) {
                Ok(true) => return self.outcomes(*rest, words, zone, stop),
                Ok(false) => return Ok(Rc::clone(&self.nothing)),
                Err(Open(_)) => {}
            }
        }
        let known = &self.steps[step as usize];
        let is_open = |at: &u32| *at > 0 && self.columns[*at as usize - 1].is_open(words[*at as usize]);
        let enumerates = self.reading == Reading::Exact && known.keys.iter().any(is_open);
        let direct = known.direct && zone.is_some();
        // A memo is no use where values hardly ever come again, and is for the usual reading.
        let remembers = !enumerates && (known.misses < 1000 || known.hits > known.misses);
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        key.extend(known.keys.iter().map(|at| words[*at as usize]));
        if remembers && let Some(outcomes) = known.memo.get(&*key) {
            let outcomes = Rc::clone(outcomes);
            self.steps[step as usize].hits += 1;
            self.key = key;
            return Ok(outcomes);
        }
        // Where no zone comes to help, more are listed.
        let many = if zone.is_some() { MOST_CLOCK_WAYS_PER_DATA_WAY } else { MOST_WAYS_LISTED };
        let ended = if direct { None } else { self.executions(step, words, None, many, stop)? };
        let outcomes = if let Some(ended) = ended {
            let outcomes = self.collect(step, words, ended);
            let Step { memo, kept, misses, .. } = &mut self.steps[step as usize];
            *misses += 1;
            if !remembers || memo.len() >= MANY_VALUES || *kept >= MANY_KEPT {
                memo.clear();
                *kept = 0;
            }
            if remembers {
                *kept += outcomes.len();
                memo.insert(key.as_slice().into(), Rc::clone(&outcomes));
            }
            outcomes
        } else {
            let zone = zone.ok_or(Undecided::Invariant)?;
            self.steps[step as usize].direct |= !enumerates;
            self.by_zone = true;
            let ended = self.executions(step, words, Some(zone), many, stop)?;
            self.collect(step, words, ended.expect("no limit with a zone"))
        };
        self.key = key;
        Ok(outcomes)
    }
    /// Whether all these conditions hold at a state.
    fn hold(&self, conditions: &[Term], words: &[u32]) -> Result<bool, Open> {
        let env = InWords { model: self, words };
        for condition in conditions {
            if !holds(&self.system.terms, &env, *condition)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
    fn collect(&mut self, step: u32, words: &[u32], ended: Vec<Ended>) -> Rc<[Outcome]> {
        let mut outcomes: IndexSet<Outcome, FxBuildHasher> = IndexSet::default();
        for (execution, refused) in ended {
            let mut ops = execution.ops;
            if let Some(why) = refused {
                ops.push(Op::Refuse(self.refusals.len() as u32));
                self.refusals.push(why);
            }
            let mut writes = vec![];
            for at in self.steps[step as usize].keys.iter().filter(|at| **at > 0) {
                let slot = *at as usize - 1;
                let (column, value) =
                    (&mut self.columns[slot], &execution.values[self.state_vars[slot].index()]);
                if column.value(words[*at as usize]) != value {
                    writes.push((*at, column.word(value)));
                }
            }
            // What it does not depend on is written over, whatever it was.
            for var in &execution.written {
                let Some(at) = self.slots[var.index()].map(|slot| slot + 1) else { continue };
                if self.steps[step as usize].keys.binary_search(&at).is_err() {
                    let value = &execution.values[var.index()];
                    writes.push((at, self.columns[at as usize - 1].word(value)));
                }
            }
            writes.sort_unstable();
            let mut entries = vec![];
            for (var, written) in execution.entries {
                let slot = self.slots[var.index()].expect("part of the state");
                let column = &mut self.columns[slot as usize];
                entries.push((slot + 1, written.map(|(index, entry)| column.entry(index, entry))));
            }
            outcomes.insert(Outcome {
                ops: ops.into(),
                writes: writes.into(),
                entries: entries.into(),
                guessed: execution.guessed,
            });
        }
        outcomes.into_iter().collect()
    }
    /// Follows every execution of a step from a state, and from a zone if there is one; `None` if there is
    /// none and there are many executions, more than `many` on clocks for each on data in particular.
    fn executions(
        &self,
        step: u32,
        words: &[u32],
        zone: Option<(&Dbm, Option<&Rc<[ClockRange]>>)>,
        many: usize,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<Ended>>, Rejection> {
        let Step { stmt, keys, .. } = &self.steps[step as usize];
        let values = self.values_at(keys, words);
        let data = keys.iter().filter(|at| **at > 0).map(|at| self.state_vars[*at as usize - 1]);
        let locations = self.locations(Self::vector_of(words));
        let mut ended = vec![];
        let start = Execution {
            step,
            unknown: data.filter(|var| values[var.index()].is_none()).collect(),
            written: vec![],
            guessed: false,
            unlimited: false,
            values,
            entries: vec![],
            ops: vec![],
            zone: zone.map(|(zone, _)| zone.clone()),
            simulation: zone.and_then(|(_, constants)| Some((Rc::clone(constants?), untouched(self.dim())))),
            todo: vec![Todo::Run(*stmt), Todo::Begin(step)],
        };
        let mut stack = vec![start];
        let mut ticks = 0u32;
        // How many executions have gone off others, because of clocks and because of data.
        let (mut on_clocks, mut on_data) = (0, 0);
        while let Some(mut execution) = stack.pop() {
            let count = ended.len() + stack.len();
            if zone.is_none() && (count > MOST_WAYS_LISTED || on_clocks > many * (on_data + 1)) {
                return Ok(None);
            }
            loop {
                let Some(todo) = execution.todo.pop() else {
                    ended.push((execution, None));
                    break;
                };
                ticks = ticks.wrapping_add(1);
                if ticks.is_multiple_of(4096) && stop.load(Ordering::Relaxed) {
                    return Err(Rejection::Interrupted);
                }
                let before = stack.len();
                let result = match self.step(locations, &todo, &mut execution, &mut stack) {
                    // One execution for each value, from here again.
                    Err(Halt::Open(var)) => match self.values_of(var) {
                        Ok(values) => {
                            for value in values {
                                let mut copy = execution.clone();
                                copy.guessed |= copy.unknown.contains(&var);
                                copy.learn(var, Some(value));
                                copy.todo.push(todo.clone());
                                stack.push(copy);
                            }
                            Ok(false)
                        }
                        Err(rejection) => Err(rejection),
                    },
                    Err(Halt::Many(_)) if zone.is_none() => return Ok(None),
                    Err(Halt::Many(condition)) => Err(self.too_complex(condition)),
                    Err(Halt::Rejected(rejection)) => Err(rejection),
                    Ok(more) => Ok(more),
                };
                let went_on = usize::from(matches!(result, Ok(false)));
                let more = (stack.len() - before).saturating_sub(went_on);
                *(if self.is_on_clocks(&todo) { &mut on_clocks } else { &mut on_data }) += more;
                match result {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(Rejection::Undecided(why)) => {
                        ended.push((execution, Some(why)));
                        break;
                    }
                    Err(other) => return Err(other),
                }
            }
        }
        Ok(Some(ended))
    }
    /// Whether what comes next is a condition on clocks.
    fn is_on_clocks(&self, todo: &Todo) -> bool {
        let Todo::Run(stmt) = todo else { return false };
        match self.system.terms.stmt(*stmt) {
            StmtNode::Assume(condition) | StmtNode::If(condition, ..) => {
                matches!(self.known(*condition), Ok(Split::Clocks { .. }))
            }
            _ => false,
        }
    }
    /// Does one thing; false if the execution ends here, or goes on in others on the stack only.
    fn step(
        &self,
        locations: &[LocationId],
        todo: &Todo,
        now: &mut Execution,
        stack: &mut Vec<Execution>,
    ) -> Result<bool, Halt> {
        let terms = &self.system.terms;
        let stmt = match todo {
            Todo::Run(stmt) => *stmt,
            Todo::Begin(step) => {
                let env = Values { values: &now.values, locations };
                let before = &self.steps[*step as usize].before;
                let constraint = |atom| match self.constraint(&env, atom) {
                    Err(Halt::Open(var)) if self.is_unknown(now, var) => Err(self.unknown_bound(var).into()),
                    constraint => constraint,
                };
                let constraints = before.iter().map(constraint).collect::<Result<Vec<_>, Halt>>()?;
                return Ok(constraints.into_iter().all(|one| now.emit(one.op())));
            }
            Todo::Iterate(stmt, current, end) => {
                let StmtNode::For { var, body, .. } = terms.stmt(*stmt) else { unreachable!("a loop") };
                if current < end {
                    now.note(*var);
                    now.learn(*var, Some(Value::Int(current.clone())));
                    now.todo.push(Todo::Iterate(*stmt, current + &Int::ONE, end.clone()));
                    now.todo.push(Todo::Run(*body));
                }
                return Ok(true);
            }
        };
        let env = Values { values: &now.values, locations };
        match terms.stmt(stmt) {
            StmtNode::Assume(condition) | StmtNode::If(condition, ..)
                if let Some((var, values)) = self.limited(&env, now, stmt, *condition) =>
            {
                stack.extend(values.into_iter().map(|value| {
                    let mut copy = now.clone();
                    copy.guessed |= copy.unknown.contains(&var);
                    copy.learn(var, Some(value));
                    copy.todo.push(todo.clone());
                    copy
                }));
                Ok(false)
            }
            StmtNode::Skip => Ok(true),
            StmtNode::Seq(list) => {
                now.todo.extend(list.iter().rev().map(|part| Todo::Run(*part)));
                Ok(true)
            }
            StmtNode::Assume(condition) => match self.known(*condition)? {
                Split::Data => Ok(self.truth(&env, now, *condition)?.unwrap_or_else(|| now.guess())),
                Split::Clocks { yes, .. } => {
                    let ways = self.assume(locations, yes, None, now)?;
                    stack.extend(ways.ok_or(Halt::Many(*condition))?);
                    Ok(false)
                }
            },
            StmtNode::If(condition, then, otherwise) => match self.known(*condition)? {
                Split::Data => {
                    let holds = self.truth(&env, now, *condition)?.unwrap_or_else(|| {
                        now.guess();
                        let mut other = now.clone();
                        other.todo.push(Todo::Run(*otherwise));
                        stack.push(other);
                        true
                    });
                    now.todo.push(Todo::Run(if holds { *then } else { *otherwise }));
                    Ok(true)
                }
                Split::Clocks { yes, no } => {
                    let no = self.assume(locations, no, Some(*otherwise), now)?;
                    let yes = self.assume(locations, yes, Some(*then), now)?;
                    let ways = yes.zip(no).ok_or(Halt::Many(*condition))?;
                    stack.extend(ways.0);
                    stack.extend(ways.1);
                    Ok(false)
                }
            },
            StmtNode::While(condition, body) => match self.known(*condition)? {
                Split::Data => {
                    let holds = self.truth(&env, now, *condition)?;
                    if holds.ok_or(Undecided::OpenLoop)? {
                        now.todo.extend([Todo::Run(stmt), Todo::Run(*body)]);
                    }
                    Ok(true)
                }
                Split::Clocks { .. } => Err(Undecided::ClockLoop.into()),
            },
            StmtNode::For { from, to, .. } => {
                let ends = (self.value(&env, now, *from)?, self.value(&env, now, *to)?);
                let (Some(from), Some(to)) = ends else {
                    return Err(Undecided::OpenLoop.into());
                };
                now.todo.push(Todo::Iterate(stmt, from.as_int().clone(), to.as_int().clone()));
                Ok(true)
            }
            StmtNode::Assign(var, term) if self.steps[now.step as usize].by_entry.contains(var) => {
                let mut written = vec![];
                for (index, entry) in entries_written(terms, *var, *term).expect("written by entry") {
                    let index = self.value(&env, now, index)?;
                    written.push((*var, index.zip(self.value(&env, now, entry)?)));
                }
                now.entries.extend(written);
                Ok(true)
            }
            StmtNode::Assign(var, term) => {
                let value = self.value(&env, now, *term)?;
                match self.numbers[var.index()] {
                    0 => {
                        now.note(*var);
                        now.learn(*var, value);
                    }
                    clock if let Some(from) = self.clock_of(*term) => {
                        now.emit(Op::Copy { clock: clock as u32, from });
                    }
                    clock if terms.has_clock(*term) || terms.type_of(*term) == Type::Rat => {
                        now.emit(Op::Free { clock: clock as u32 });
                    }
                    clock => {
                        let Some(value) = value.as_ref().and_then(small).filter(|value| *value >= 0) else {
                            let clock = NamedVar::of(&self.system, *var);
                            return Err(Undecided::ClockValue(clock).into());
                        };
                        now.emit(Op::Set { clock: clock as u32, value: value as i32 });
                    }
                }
                Ok(true)
            }
            StmtNode::Havoc(var) => {
                if self.numbers[var.index()] > 0 {
                    return Err(Undecided::ClockHavoc.into());
                }
                now.note(*var);
                now.forget(*var);
                // As in the plain interpreter, finite parts of a state get their values at once.
                if self.system.vars[*var].scope == Scope::State && self.is_enumerable(*var) {
                    for value in self.values_of(*var)? {
                        let mut copy = now.clone();
                        copy.learn(*var, Some(value));
                        stack.push(copy);
                    }
                    return Ok(false);
                }
                now.unlimited |= !self.is_enumerable(*var);
                Ok(true)
            }
            StmtNode::Delay => Ok(now.emit(Op::Delay)),
            StmtNode::Choice(list) => {
                for branch in list.iter() {
                    let mut copy = now.clone();
                    copy.todo.push(Todo::Run(*branch));
                    stack.push(copy);
                }
                Ok(false)
            }
        }
    }
    /// The number of the clock that a term is.
    fn clock_of(&self, term: Term) -> Option<u32> {
        match self.system.terms.node(term) {
            Node::Var(var, 0) => Some(self.numbers[var.index()] as u32).filter(|number| *number > 0),
            _ => None,
        }
    }
    /// What goes on, with `then`, in every way in which a condition can hold; `None` if these are too many.
    fn assume(
        &self,
        locations: &[LocationId],
        condition: u32,
        then: Option<Stmt>,
        now: &Execution,
    ) -> Result<Option<Vec<Execution>>, Halt> {
        let env = Values { values: &now.values, locations };
        let asked = Asked { env: &env, unknown: &|var| self.is_unknown(now, var), passes_bounds: false };
        let (residue, root) = self.settle(condition, &asked)?;
        let simulation = now.simulation.as_ref().map(|(constants, touched)| (&**constants, touched));
        let within = now.zone.as_ref().map(|zone| Within { zone, simulation });
        let most = if within.is_some() { MANY_PIECES } else { MOST_WAYS_LISTED };
        let Ok(ways) = residue.ways(root, within.as_ref(), self.dim(), most) else { return Ok(None) };
        let mut possible = vec![];
        for way in ways {
            let mut copy = now.clone();
            copy.guessed |= way.guessed;
            copy.todo.extend(then.map(Todo::Run));
            if way.constraints.into_iter().all(|one| copy.emit(one.op())) {
                possible.push(copy);
            }
        }
        Ok(Some(possible))
    }
    /// What is left of a condition when the values of data are put in.
    fn settle(&self, condition: u32, asked: &Asked<'_>) -> Result<(Residue, Left), Halt> {
        let mut settled = Settled::default();
        let root = self.settle_part(condition, asked, &mut settled)?;
        Ok((settled.residue, root))
    }
    fn settle_part(&self, condition: u32, asked: &Asked<'_>, settled: &mut Settled) -> Result<Left, Halt> {
        let (every, parts) = match &self.formulas[condition as usize] {
            Formula::Data(condition) => {
                return match holds(&self.system.terms, asked.env, *condition) {
                    Err(Open(var)) if (asked.unknown)(var) => Ok(Left::Unknown),
                    result => Ok(Left::Known(result?)),
                };
            }
            Formula::Clocks(atom) => {
                return match self.constraint(asked.env, atom) {
                    Err(Halt::Open(var)) if (asked.unknown)(var) => match asked.passes_bounds {
                        true => Ok(Left::Unknown),
                        false => Err(self.unknown_bound(var).into()),
                    },
                    constraint => Ok(settled.residue.constraint(constraint?)),
                };
            }
            Formula::And(parts) => (true, parts),
            Formula::Or(parts) => (false, parts),
        };
        if let Some(known) = settled.known.get(&condition) {
            return Ok(*known);
        }
        let mut left = vec![];
        for part in parts {
            match ir::deep(|| self.settle_part(*part, asked, settled))? {
                Left::Known(holds) if holds == every => {}
                decided @ Left::Known(_) => {
                    left = vec![decided];
                    break;
                }
                other => left.push(other),
            }
        }
        let left = settled.residue.join(every, left);
        settled.known.insert(condition, left);
        Ok(left)
    }
    /// A number without limits that a condition asks for while it is open, and the values of it with which this
    /// statement and the assumptions that follow can pass, if those are few.
    fn limited(
        &self,
        env: &Values<'_>,
        now: &Execution,
        stmt: Stmt,
        condition: Term,
    ) -> Option<(VarId, Vec<Value>)> {
        let reads_unknown = self.reading == Reading::Exact;
        if !now.unlimited && (!reads_unknown || now.unknown.is_empty()) {
            return None;
        }
        let terms = &self.system.terms;
        terms.vars_of(condition).into_iter().find_map(|var| {
            let open = now.values[var.index()].is_none() && terms.var_type(var) == Type::Int;
            if !open || self.is_enumerable(var) || !reads_unknown && now.unknown.contains(&var) {
                return None;
            }
            let (mut all, mut goes_on) = ir::passable(terms, env, var, stmt);
            for next in now.todo.iter().rev() {
                let Todo::Run(next) = next else { break };
                if !goes_on {
                    break;
                }
                let here;
                (here, goes_on) = ir::passable(terms, env, var, *next);
                all = all.meet(here);
            }
            if all.empty {
                return Some((var, vec![]));
            }
            let (least, greatest) = (all.least?.to_i64()?, all.greatest?.to_i64()?);
            let few = greatest.checked_sub(least)? < MANY_TO_TRY;
            few.then(|| (var, (least..=greatest).map(Value::int).collect()))
        })
    }
    /// The truth value of a condition, unless it is unknown.
    fn truth(&self, env: &Values<'_>, now: &Execution, condition: Term) -> Result<Option<bool>, Halt> {
        match holds(&self.system.terms, env, condition) {
            Err(Open(var)) if self.is_unknown(now, var) => Ok(None),
            result => Ok(Some(result?)),
        }
    }
    /// The value of a term, unless it is unknown.
    fn value(&self, env: &Values<'_>, now: &Execution, term: Term) -> Result<Option<Value>, Halt> {
        match eval(&self.system.terms, env, term) {
            Err(Open(var)) if self.is_unknown(now, var) => Ok(None),
            result => Ok(Some(result?.into_owned())),
        }
    }
    /// Whether values are not tried one after the other for an open variable.
    fn is_unknown(&self, now: &Execution, var: VarId) -> bool {
        self.reading == Reading::Coarse && now.unknown.contains(&var) || !self.is_enumerable(var)
    }
    /// Why a number that is unknown cannot be done without.
    fn unknown_bound(&self, var: VarId) -> Rejection {
        Undecided::OpenBound(NamedVar::of(&self.system, var)).into()
    }
    fn too_complex(&self, condition: Term) -> Rejection {
        Undecided::Condition(self.system.show(condition).to_string()).into()
    }
    /// A constraint with its bound.
    fn constraint(&self, env: &Values<'_>, atom: &Atom) -> Result<Constraint, Halt> {
        let Atom { plus, minus, strict, .. } = *atom;
        let constant = match atom.bound {
            Amount::Constant(constant) => constant,
            Amount::Term(term) => {
                small(&*eval(&self.system.terms, env, term)?).ok_or(Undecided::WideBound)?
            }
        };
        Ok(Constraint { plus: plus as u32, minus: minus as u32, constant: constant as i32, strict })
    }

    /// What a state needs for a target; `None` if no zone can meet it there.
    pub(super) fn question(&mut self, judgement: Option<u32>, words: &[u32]) -> Option<Question> {
        let vector = Self::vector_of(words);
        let judgement = judgement?;
        let Judgement { formula, keys, memo, .. } = &self.judgements[judgement as usize];
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        key.extend(keys.iter().map(|at| words[*at as usize]));
        let possible = match memo.get(&*key) {
            Some(possible) => *possible,
            None => {
                let values = self.values_at(keys, words);
                let env = Values { values: &values, locations: self.locations(vector) };
                let possible = self.may_hold(&env, *formula);
                self.judgements[judgement as usize].memo.insert(key.as_slice().into(), possible);
                possible
            }
        };
        self.key = key;
        possible.then(|| Question {
            judgement,
            values: self.values_at(&self.judgements[judgement as usize].keys, words),
        })
    }
    fn values_at(&self, keys: &[u32], words: &[u32]) -> Vec<Option<Value>> {
        let mut values = vec![None; self.system.vars.len()];
        for at in keys.iter().filter(|at| **at > 0) {
            let slot = *at as usize - 1;
            values[self.state_vars[slot].index()].clone_from(self.columns[slot].value(words[*at as usize]));
        }
        values
    }
    /// Whether a condition holds if all its parts on clocks and on open data do.
    fn may_hold(&self, env: &Values<'_>, formula: u32) -> bool {
        let asked = Asked { env, unknown: &|_| true, passes_bounds: true };
        !matches!(self.settle(formula, &asked), Ok((_, Left::Known(false))))
    }
    /// Whether the target holds somewhere in a zone; up to simulation, conditions that the constants do not
    /// keep count as true.
    pub(super) fn meets_target(
        &self,
        question: &Question,
        vector: VectorId,
        zone: &Dbm,
        constants: Option<&[ClockRange]>,
    ) -> Result<bool, Rejection> {
        let formula = self.judgements[question.judgement as usize].formula;
        let env = Values { values: &question.values, locations: self.locations(vector) };
        // What is unknown counts as true.
        let coarse = |var: VarId| self.reading == Reading::Coarse || !self.is_enumerable(var);
        match self.settle(formula, &Asked { env: &env, unknown: &coarse, passes_bounds: true }) {
            Ok((residue, root)) => {
                let touched = untouched(if constants.is_some() { self.dim() } else { 0 });
                let simulation = constants.map(|constants| (constants, &touched));
                let meets = residue.can_hold(root, &Within { zone, simulation }, MANY_PIECES);
                meets.map_err(|TooMany| Undecided::Property.into())
            }
            Err(Halt::Rejected(rejection)) => Err(rejection),
            Err(Halt::Many(condition)) => Err(self.too_complex(condition)),
            // Open data: one value after the other.
            Err(Halt::Open(var)) => {
                for value in self.values_of(var)? {
                    let mut narrower = question.clone();
                    narrower.values[var.index()] = Some(value);
                    if ir::deep(|| self.meets_target(&narrower, vector, zone, constants))? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }
    fn known(&self, condition: Term) -> Result<Split, Rejection> {
        let split = self.splits[condition.index()].expect("split before");
        split.map_err(|why| self.refusals[why as usize].clone().into())
    }
    /// Whether the values of a variable can be tried one after the other.
    fn is_enumerable(&self, var: VarId) -> bool {
        match (&self.system.vars[var].range, self.system.terms.var_type(var)) {
            (Some((least, greatest)), _) => {
                (greatest - least).to_i64().is_some_and(|width| width < MANY_TO_TRY)
            }
            (None, ty) => matches!(ty, Type::Bool | Type::Enum(_)),
        }
    }
    /// All values of a variable.
    fn values_of(&self, var: VarId) -> Result<Vec<Value>, Rejection> {
        let unlimited = || Rejection::from(Undecided::NotEnumerable(NamedVar::of(&self.system, var)));
        if !self.is_enumerable(var) {
            return Err(unlimited());
        }
        if let Some((least, greatest)) = &self.system.vars[var].range {
            let (Some(least), Some(greatest)) = (least.to_i64(), greatest.to_i64()) else {
                return Err(unlimited());
            };
            return Ok((least..=greatest).map(Value::int).collect());
        }
        let (types, ty) = (self.system.types(), self.system.terms.var_type(var));
        let count = types.cardinality(ty).ok_or_else(unlimited)?;
        Ok((0..count).filter_map(|ordinal| types.nth(ty, ordinal)).collect())
    }
}
