//! Executions of statements from concrete data and a zone of clocks.
//!
//! Like the plain interpreter, but a delay takes a whole zone along, and a condition on clocks goes on in
//! every case in which it can hold.

use std::sync::atomic::{AtomicBool, Ordering};

use ir::eval::{Env, Open, eval, holds};
use ir::{
    ClockRange, Id, Int, LocationId, ProcessId, Scope, State, Stmt, StmtNode, Term, Type, Value, VarId,
    VectorId,
};

use super::Successor;
use super::model::{Amount, Atom, Case, Constraint, Formula, Model, Split, small};
use crate::dbm::{Dbm, bound};
use crate::{Rejection, wrong};

/// Where an execution starts.
pub(super) struct At<'a> {
    pub(super) locations: &'a [LocationId],
    /// The constants of the clocks, if entries here stand for what they simulate.
    pub(super) constants: Option<&'a [ClockRange]>,
}

/// An execution in progress: data, a zone and what is left to do.
#[derive(Clone, Default)]
pub(super) struct Execution {
    /// The key is [`VarId`].
    pub(super) values: Vec<Option<Value>>,
    pub(super) zone: Dbm,
    /// By clock number, the clocks that have been set.
    pub(super) set: Vec<bool>,
    /// The next one last.
    pub(super) todo: Vec<Todo>,
}

#[derive(Clone)]
pub(super) enum Todo {
    Run(Stmt),
    /// The iterations of a loop that are left.
    Iterate(Stmt, Int, Int),
}

/// Memory that is used again and again.
pub(super) struct Memory {
    /// Executions that are still to be followed.
    pub(super) stack: Vec<Execution>,
    pub(super) spare: Vec<Execution>,
    pub(super) successor: Successor,
    pub(super) constraints: Vec<Constraint>,
    pub(super) ticks: u32,
}

/// Why an execution needs somebody's help.
enum Halt {
    Open(VarId),
    Rejected(Rejection),
}

impl From<Open> for Halt {
    fn from(Open(var): Open) -> Self {
        Halt::Open(var)
    }
}

impl From<Rejection> for Halt {
    fn from(rejection: Rejection) -> Self {
        Halt::Rejected(rejection)
    }
}

impl Execution {
    /// Takes the values of a state; the zone stays.
    pub(super) fn load(&mut self, model: &Model<'_>, state: &State) {
        self.values.clear();
        self.values.resize(model.system.vars.len(), None);
        for (var, value) in model.state_vars.iter().zip(&state.values) {
            self.values[var.index()].clone_from(value);
        }
        self.set.clear();
        self.set.resize(model.dim(), false);
    }
    fn copy(&mut self, other: &Execution) {
        self.values.clone_from(&other.values);
        self.zone.copy(&other.zone);
        self.set.clone_from(&other.set);
        self.todo.clone_from(&other.todo);
    }
}

impl Memory {
    pub(super) fn new(model: &Model<'_>) -> Self {
        let successor = Successor {
            state: State {
                locations: Box::default(),
                values: model.state_vars.iter().map(|_| None).collect(),
            },
            zone: ir::Zone { dim: model.dim(), limits: vec![None; model.dim() * model.dim()].into() },
            dbm: Dbm::default(),
            entry: Dbm::default(),
        };
        Memory { stack: vec![], spare: vec![], successor, constraints: vec![], ticks: 0 }
    }
    /// Adds an execution to be followed, like `like`.
    fn push(&mut self, like: &Execution) -> &mut Execution {
        let mut copy = self.spare.pop().unwrap_or_default();
        copy.copy(like);
        self.stack.push(copy);
        self.stack.last_mut().expect("just pushed")
    }
}

struct Values<'a> {
    values: &'a [Option<Value>],
    locations: &'a [LocationId],
}

impl Env for Values<'_> {
    fn var(&self, var: VarId, _step: u32) -> Option<&Value> {
        self.values[var.index()].as_ref()
    }
    fn at(&self, process: ProcessId, location: LocationId) -> bool {
        self.locations[process.index()] == location
    }
}

impl Model<'_> {
    /// Follows every execution of a statement and then others from `source` and calls `end` where one ends; true as soon as
    /// that answers true.
    pub(super) fn run(
        &self,
        at: &At<'_>,
        (stmt, then): (Stmt, &[Stmt]),
        source: &Execution,
        memory: &mut Memory,
        stop: &AtomicBool,
        mut end: impl FnMut(&Execution, &mut Successor) -> Result<bool, Rejection>,
    ) -> Result<bool, Rejection> {
        memory.stack.clear();
        let start = memory.push(source);
        start.todo.extend(then.iter().rev().map(|part| Todo::Run(*part)));
        start.todo.push(Todo::Run(stmt));
        while let Some(mut execution) = memory.stack.pop() {
            let done = loop {
                let Some(todo) = execution.todo.pop() else { break true };
                memory.ticks = memory.ticks.wrapping_add(1);
                if memory.ticks.is_multiple_of(4096) && stop.load(Ordering::Relaxed) {
                    return Err(Rejection::Interrupted);
                }
                match self.step(at, &todo, &mut execution, memory) {
                    Ok(true) => {}
                    Ok(false) => break false,
                    Err(Halt::Rejected(rejection)) => return Err(rejection),
                    Err(Halt::Open(var)) => {
                        // One execution for each value, from here again.
                        for value in self.values_of(var)? {
                            let copy = memory.push(&execution);
                            copy.values[var.index()] = Some(value);
                            copy.todo.push(todo.clone());
                        }
                        break false;
                    }
                }
            };
            if done && end(&execution, &mut memory.successor)? {
                return Ok(true);
            }
            memory.spare.push(execution);
        }
        Ok(false)
    }
    /// Does one thing; false if the execution ends here, or goes on in others on the stack only.
    fn step(&self, at: &At<'_>, todo: &Todo, now: &mut Execution, memory: &mut Memory) -> Result<bool, Halt> {
        let terms = &self.system.terms;
        let stmt = match todo {
            Todo::Run(stmt) => *stmt,
            Todo::Iterate(stmt, current, end) => {
                let StmtNode::For { var, body, .. } = terms.stmt(*stmt) else { unreachable!("a loop") };
                if current < end {
                    now.values[var.index()] = Some(Value::Int(current.clone()));
                    now.todo.push(Todo::Iterate(*stmt, current + &Int::ONE, end.clone()));
                    now.todo.push(Todo::Run(*body));
                }
                return Ok(true);
            }
        };
        let env = Values { values: &now.values, locations: at.locations };
        match terms.stmt(stmt) {
            StmtNode::Skip => Ok(true),
            StmtNode::Seq(list) => {
                now.todo.extend(list.iter().rev().map(|part| Todo::Run(*part)));
                Ok(true)
            }
            StmtNode::Assume(condition) => match self.known(*condition) {
                Split::Data => Ok(holds(terms, &env, *condition)?),
                Split::Clocks { yes, .. } => self.assume(at, yes, None, now, memory),
            },
            StmtNode::If(condition, then, otherwise) => match self.known(*condition) {
                Split::Data => {
                    let branch = if holds(terms, &env, *condition)? { then } else { otherwise };
                    now.todo.push(Todo::Run(*branch));
                    Ok(true)
                }
                Split::Clocks { yes, no } => {
                    let mut other = now.clone();
                    if self.assume(at, no, Some(*otherwise), &mut other, memory)? {
                        memory.push(&other);
                    }
                    self.assume(at, yes, Some(*then), now, memory)
                }
            },
            StmtNode::While(condition, body) => match self.known(*condition) {
                Split::Data => {
                    if holds(terms, &env, *condition)? {
                        now.todo.extend([Todo::Run(stmt), Todo::Run(*body)]);
                    }
                    Ok(true)
                }
                Split::Clocks { .. } => Err(wrong("a loop on clocks cannot be followed").into()),
            },
            StmtNode::For { from, to, .. } => {
                let from = eval(terms, &env, *from)?.as_int().clone();
                let to = eval(terms, &env, *to)?.as_int().clone();
                now.todo.push(Todo::Iterate(stmt, from, to));
                Ok(true)
            }
            StmtNode::Assign(var, term) => {
                let value = eval(terms, &env, *term)?.into_owned();
                match self.numbers[var.index()] {
                    0 => now.values[var.index()] = Some(value),
                    clock => {
                        let Some(value) = small(&value).filter(|value| *value >= 0) else {
                            let name = &self.system.vars[*var].name;
                            return Err(wrong(format!("`{name}` is set to what no zone can show")).into());
                        };
                        now.zone.reset(clock, value);
                        now.set[clock] = true;
                    }
                }
                Ok(true)
            }
            StmtNode::Havoc(var) => {
                if self.numbers[var.index()] > 0 {
                    return Err(wrong("a clock gets an arbitrary value").into());
                }
                now.values[var.index()] = None;
                // As in the plain interpreter, finite parts of a state get their values at once.
                if self.system.vars[*var].scope == Scope::State && self.is_finite(*var) {
                    for value in self.values_of(*var)? {
                        memory.push(now).values[var.index()] = Some(value);
                    }
                    return Ok(false);
                }
                Ok(true)
            }
            StmtNode::Delay => {
                now.zone.delay();
                Ok(true)
            }
            StmtNode::Choice(list) => {
                for branch in list.iter() {
                    memory.push(now).todo.push(Todo::Run(*branch));
                }
                Ok(false)
            }
        }
    }
    /// Goes on, with `then`, in every case that is possible.
    fn assume(
        &self,
        at: &At<'_>,
        cases: &[Case],
        then: Option<Stmt>,
        now: &mut Execution,
        memory: &mut Memory,
    ) -> Result<bool, Halt> {
        for (number, case) in cases.iter().enumerate() {
            let mut constraints = std::mem::take(&mut memory.constraints);
            let holds = self.constraints(at, case, now, &mut constraints);
            let last = number + 1 == cases.len();
            let go_on = |now: &mut Execution| {
                now.todo.extend(then.map(Todo::Run));
                constraints.iter().all(|(plus, minus, bound)| now.zone.constrain(*plus, *minus, *bound))
            };
            let result = match holds {
                Ok(true) if last => Ok(go_on(now)),
                Ok(true) => {
                    let copy = memory.push(now);
                    if !go_on(copy) {
                        let copy = memory.stack.pop().expect("just pushed");
                        memory.spare.push(copy);
                    }
                    Ok(false)
                }
                other => other,
            };
            memory.constraints = constraints;
            if result? {
                return Ok(true);
            }
        }
        Ok(false)
    }
    /// The constraints of a case on clocks, in `out`; false if its data conditions fail.
    fn constraints(
        &self,
        at: &At<'_>,
        case: &Case,
        now: &Execution,
        out: &mut Vec<Constraint>,
    ) -> Result<bool, Halt> {
        let env = Values { values: &now.values, locations: at.locations };
        out.clear();
        for condition in &case.data {
            if !holds(&self.system.terms, &env, *condition)? {
                return Ok(false);
            }
        }
        for atom in &case.clocks {
            out.push(self.constraint(at, atom, now)?);
        }
        Ok(true)
    }
    /// A constraint with its bound; up to simulation, only if that keeps it.
    fn constraint(&self, at: &At<'_>, atom: &Atom, now: &Execution) -> Result<Constraint, Halt> {
        let Atom { plus, minus, strict, .. } = *atom;
        let constant = match atom.bound {
            Amount::Constant(constant) => constant,
            Amount::Term(term) => {
                let env = Values { values: &now.values, locations: at.locations };
                small(&*eval(&self.system.terms, &env, term)?)
                    .ok_or_else(|| wrong("a clock is compared with what no zone can show"))?
            }
        };
        if let Some(constants) = at.constants {
            preserved((plus, minus), constant, strict, constants, &now.set)?;
        }
        Ok((plus, minus, bound(constant, strict)))
    }
    /// Whether a statement blocks in its first condition; false when unsure.
    pub(super) fn blocks_at_once(
        &self,
        at: &At<'_>,
        stmt: Stmt,
        source: &Execution,
        buffer: &mut Vec<Constraint>,
    ) -> Result<bool, Rejection> {
        let terms = &self.system.terms;
        let first = match terms.stmt(stmt) {
            StmtNode::Seq(list) => list[0],
            _ => stmt,
        };
        let StmtNode::Assume(condition) = terms.stmt(first) else { return Ok(false) };
        let env = Values { values: &source.values, locations: at.locations };
        match self.known(*condition) {
            Split::Data => Ok(holds(terms, &env, *condition) == Ok(false)),
            Split::Clocks { yes, .. } => match self.possible(at, yes, source, buffer) {
                Ok(possible) => Ok(!possible),
                Err(Halt::Open(_)) => Ok(false),
                Err(Halt::Rejected(rejection)) => Err(rejection),
            },
        }
    }
    /// Whether the data conditions of some case hold and each of its constraints meets the zone.
    fn possible(
        &self,
        at: &At<'_>,
        cases: &[Case],
        source: &Execution,
        buffer: &mut Vec<Constraint>,
    ) -> Result<bool, Halt> {
        for case in cases {
            if self.constraints(at, case, source, buffer)?
                && buffer.iter().all(|(plus, minus, bound)| source.zone.meets(*plus, *minus, *bound))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
    /// Whether the target holds somewhere in an entry.
    pub(super) fn meets_target(
        &self,
        at: &At<'_>,
        vector: VectorId,
        source: &Execution,
    ) -> Result<bool, Rejection> {
        match self.meets(at, &mut vec![&self.place(vector).target], source, &source.zone) {
            Ok(meets) => Ok(meets),
            Err(Halt::Rejected(rejection)) => Err(rejection),
            // Open data: one value after the other.
            Err(Halt::Open(var)) => {
                for value in self.values_of(var)? {
                    let mut narrower = source.clone();
                    narrower.values[var.index()] = Some(value);
                    if ir::deep(|| self.meets_target(at, vector, &narrower))? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }
    /// Whether all `goals` hold together somewhere in a zone; they are the same afterwards.
    fn meets(
        &self,
        at: &At<'_>,
        goals: &mut Vec<&Formula>,
        source: &Execution,
        zone: &Dbm,
    ) -> Result<bool, Halt> {
        let Some(goal) = goals.pop() else { return Ok(true) };
        let length = goals.len();
        let result = match goal {
            Formula::Data(condition) => {
                let env = Values { values: &source.values, locations: at.locations };
                if holds(&self.system.terms, &env, *condition)? {
                    self.meets(at, goals, source, zone)
                } else {
                    Ok(false)
                }
            }
            Formula::Clocks(atom) => {
                let (plus, minus, bound) = self.constraint(at, atom, source)?;
                let mut zone = zone.clone();
                if zone.constrain(plus, minus, bound) {
                    ir::deep(|| self.meets(at, goals, source, &zone))
                } else {
                    Ok(false)
                }
            }
            Formula::And(parts) => {
                goals.extend(parts.iter().rev());
                ir::deep(|| self.meets(at, goals, source, zone))
            }
            Formula::Or(parts) => {
                for part in parts {
                    goals.push(part);
                    if ir::deep(|| self.meets(at, goals, source, zone))? {
                        return Ok(true);
                    }
                    goals.pop();
                }
                Ok(false)
            }
        };
        goals.truncate(length);
        goals.push(goal);
        result
    }
    fn known(&self, condition: Term) -> &Split {
        self.splits[condition.index()].as_ref().expect("split before")
    }
    fn is_finite(&self, var: VarId) -> bool {
        let scalar = matches!(self.system.terms.var_type(var), Type::Bool | Type::Enum(_));
        scalar || self.system.vars[var].range.is_some()
    }
    /// All values of a variable.
    fn values_of(&self, var: VarId) -> Result<Vec<Value>, Rejection> {
        let unlimited =
            || wrong(format!("the values of `{}` cannot be enumerated", self.system.vars[var].name));
        if let Some((least, greatest)) = &self.system.vars[var].range {
            let (Some(least), Some(greatest)) = (least.to_i64(), greatest.to_i64()) else {
                return Err(unlimited());
            };
            return Ok((least..=greatest).map(Value::int).collect());
        }
        match self.system.terms.var_type(var) {
            ty @ (Type::Bool | Type::Enum(_)) => {
                let types = self.system.types();
                let count = types.cardinality(ty).ok_or_else(unlimited)?;
                Ok((0..count).filter_map(|ordinal| types.nth(ty, ordinal)).collect())
            }
            _ => Err(unlimited()),
        }
    }
}

/// Whether whatever simulates a valuation that passes a constraint passes it too.
fn preserved(
    (plus, minus): (usize, usize),
    constant: i64,
    strict: bool,
    constants: &[ClockRange],
    set: &[bool],
) -> Result<(), Rejection> {
    let (free_plus, free_minus) = (plus > 0 && !set[plus], minus > 0 && !set[minus]);
    let fine = match (plus, minus) {
        _ if !free_plus && !free_minus => true,
        // `x ≺ c`, which nothing passes if `c` is below zero,
        (_, 0) => constant < 0 || constant == 0 && strict || Some(constant) <= constants[plus - 1].1,
        // `-x ≺ c`, which everything passes if `-c` is.
        (0, _) => constant > 0 || constant == 0 && !strict || Some(-constant) <= constants[minus - 1].0,
        _ => return Err(wrong("simulation does not keep differences of clocks")),
    };
    if fine { Ok(()) } else { Err(wrong("simulation: a clock is compared with more than its constants")) }
}
