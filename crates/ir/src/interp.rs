//! The plain interpreter: what a statement means, exactly and one execution at a time.
//!
//! A statement is run by a small machine with an explicit continuation (no recursion, so the length
//! of a run does not matter) and a trail of undone writes. Wherever there is a choice, the machine
//! leaves a choice point, and backtracking to the latest one enumerates all executions in a fixed
//! order: branches from first to last, values upwards.
//!
//! A `havoc` of a state variable of finite type branches at once. Any other leaves the variable
//! *open*: it gets its value when it is first read. A read in an `assume` that bounds it (`n > 0 &&
//! n < 15`, also spread over directly following assumes and their branches) enumerates the values within the bounds;
//! any other read of a variable with infinitely many values cannot be enumerated and says so. A
//! variable that is overwritten before it is read therefore costs nothing, whatever its type.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::eval::{Env, Open, eval, holds};
use crate::evidence::{Decision, State};
use crate::interval::{Interval, interval, passable, passable_all};
use crate::number::{Int, Rat};
use crate::stmt::{Stmt, StmtNode};
use crate::system::{LocationId, ProcessId, Scope, System};
use crate::term::{Term, VarId, plus};
use crate::value::{Type, Value};

/// Why an execution cannot go on by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stuck {
    /// As many steps as were allowed have been made.
    Spent,
    /// The values of this variable matter here and cannot be enumerated.
    NotEnumerable(VarId),
    /// Time passes here, and real amounts cannot be enumerated.
    Delay,
    /// The script is used up here.
    Needs(Need),
    /// The script does not fit the statement.
    Misfit,
    /// Asked to stop.
    Interrupted,
}

/// What a script must say next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Need {
    /// Which branch of so many.
    Branch(u32),
    /// Which value for a variable.
    Value(VarId),
    /// How much time passes.
    Delay,
}

/// One complete execution.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The values of the state variables afterwards.
    pub values: Box<[Option<Value>]>,
    /// The choices that led here.
    pub decisions: Vec<Decision>,
    /// The values that variables, open before, turned out to have had.
    pub fixed: Vec<(VarId, Value)>,
}

/// A machine for the statements of one system; keeps its memory between runs.
pub struct Interp<'a> {
    system: &'a System,
    state_vars: Vec<VarId>,
    locations: Box<[LocationId]>,
    cells: Vec<Cell>,
    frames: Vec<(Frame, u32)>,
    choices: Vec<ChoicePoint>,
    trail: Vec<Undo>,
    decisions: Vec<Decision>,
    fixed: Vec<(VarId, Value)>,
    /// The amounts of the delays, where they are known, and how many have passed.
    delays: Option<Vec<Rat>>,
    /// Whether an execution that needs more of them is left out.
    leaves_out: bool,
    passed: usize,
    /// Grows with every choice point made or gone back to.
    epoch: u64,
    stop: Option<&'a AtomicBool>,
    ticks: u64,
    most: u64,
}

/// The value of a variable while a statement runs.
#[derive(Clone, Debug)]
struct Cell {
    value: Option<Value>,
    /// For an open variable, the decision that will say its value; [`BEFORE`] if it was open before.
    opened_by: u32,
    /// When it was last trailed; once between two choice points is enough.
    trailed: u64,
}

/// A type with more values than this counts as infinite.
pub const MOST_VALUES: u64 = 1 << 16;

const BEFORE: u32 = u32::MAX;
const END: u32 = u32::MAX;

#[derive(Clone, Debug)]
enum Frame {
    Run(Stmt),
    /// The parts of a sequence from this index on.
    Rest(Stmt, u32),
    /// The iterations of a loop that are left.
    Iterate(Stmt, Int, Int),
}

enum Undo {
    Cell(VarId, Cell),
    /// A decision that got its value later.
    Decision(u32),
}

struct ChoicePoint {
    /// The frame to run again, with its continuation.
    frame: Frame,
    next: u32,
    frames: usize,
    trail: usize,
    decisions: usize,
    fixed: usize,
    passed: usize,
    alternatives: Alternatives,
}

enum Alternatives {
    /// Branches of a choice from this index on.
    Branches(Stmt, usize),
    /// Values for a variable that is read.
    Read(VarId, Domain),
    /// Values for a variable at its havoc.
    Havoc(VarId, Domain),
}

/// Values to try for an open variable.
enum Candidates {
    /// All that can matter.
    All(Domain),
    /// Some of infinitely many.
    Some(Vec<Value>),
}

/// Values in order, finitely many.
#[derive(Clone, Debug)]
enum Domain {
    /// Of a type with so many values: the next ordinal and the number of them.
    Finite(Type, u64, u64),
    /// Integers from the first to the second.
    Between(Int, Int),
}

impl<'a> Interp<'a> {
    /// A machine for `system`; `stop` interrupts long executions.
    pub fn new(system: &'a System, stop: Option<&'a AtomicBool>) -> Self {
        let open = Cell { value: None, opened_by: BEFORE, trailed: 0 };
        Interp {
            system,
            state_vars: system.state_vars().collect(),
            locations: Box::default(),
            cells: vec![open; system.vars.len()],
            frames: vec![],
            choices: vec![],
            trail: vec![],
            decisions: vec![],
            fixed: vec![],
            delays: None,
            leaves_out: false,
            passed: 0,
            epoch: 1,
            stop,
            ticks: 0,
            most: u64::MAX,
        }
    }
    /// Gives up with [`Stuck::Spent`] after about so many steps more, however they are spent.
    pub fn limit(&mut self, steps: u64) {
        self.most = self.ticks.saturating_add(steps);
    }
    /// How many steps have been made.
    pub fn steps(&self) -> u64 {
        self.ticks
    }

    /// Calls `emit` on every execution of `stmt` from `state`, in order, until it answers `false`.
    pub fn successors(
        &mut self,
        stmt: Stmt,
        state: &State,
        emit: &mut dyn FnMut(Outcome) -> bool,
    ) -> Result<(), Stuck> {
        self.load(state);
        let mut at = self.push(Frame::Run(stmt), END);
        loop {
            if at == END {
                if !emit(self.outcome()) {
                    return Ok(());
                }
                match self.backtrack() {
                    Some(next) => at = next,
                    None => return Ok(()),
                }
                continue;
            }
            at = match self.step(at, None)? {
                Some(next) => next,
                None => match self.backtrack() {
                    Some(next) => next,
                    None => return Ok(()),
                },
            };
        }
    }

    /// Like [`Interp::successors`], with the amounts of the delays given in order of execution.
    pub fn successors_after(
        &mut self,
        stmt: Stmt,
        state: &State,
        delays: &[Rat],
        emit: &mut dyn FnMut(Outcome) -> bool,
    ) -> Result<(), Stuck> {
        self.delays = Some(delays.to_vec());
        let result = self.successors(stmt, state, emit);
        self.delays = None;
        result
    }
    /// The same, but only for executions that need no more delays than these.
    pub fn successors_with(
        &mut self,
        stmt: Stmt,
        state: &State,
        delays: &[Rat],
        emit: &mut dyn FnMut(Outcome) -> bool,
    ) -> Result<(), Stuck> {
        self.leaves_out = true;
        let result = self.successors_after(stmt, state, delays, emit);
        self.leaves_out = false;
        result
    }

    /// The first execution of `stmt` from `state` that fits, if there is one; where the amounts of delays are given, of
    /// those that [`Interp::successors_with`] lists.
    pub fn first(
        &mut self,
        stmt: Stmt,
        state: &State,
        delays: Option<&[Rat]>,
        mut fits: impl FnMut(&Outcome) -> bool,
    ) -> Result<Option<Outcome>, Stuck> {
        let mut found = None;
        let mut emit = |outcome: Outcome| {
            found = fits(&outcome).then_some(outcome);
            found.is_none()
        };
        match delays {
            None => self.successors(stmt, state, &mut emit)?,
            Some(delays) => self.successors_with(stmt, state, delays, &mut emit)?,
        }
        Ok(found)
    }

    /// Runs `stmt` from `state` as `script` says; `None` if that blocks.
    pub fn follow(
        &mut self,
        stmt: Stmt,
        state: &State,
        script: &[Decision],
    ) -> Result<Option<Outcome>, Stuck> {
        self.load(state);
        let mut script = script.iter();
        let mut at = self.push(Frame::Run(stmt), END);
        while at != END {
            match self.step(at, Some(&mut script))? {
                Some(next) => at = next,
                None => return Ok(None),
            }
        }
        if script.next().is_some() { Err(Stuck::Misfit) } else { Ok(Some(self.outcome())) }
    }

    /// A state within `state` (which may have open values) where `term` holds, if there is one.
    pub fn find(&mut self, state: &State, term: Term) -> Result<Option<State>, Stuck> {
        let mut undecided = None;
        // Depth first over the open variables in the order in which they are read.
        let mut levels: Vec<(usize, Candidates)> = vec![];
        let mut state = state.clone();
        loop {
            self.tick()?;
            self.load(&state);
            match holds(&self.system.terms, self, term) {
                Ok(true) => return Ok(Some(state)),
                Ok(false) => {}
                Err(Open(var)) => {
                    let slot =
                        self.state_vars.binary_search(&var).expect("terms of states read state variables");
                    let candidates = self.candidates(var, term);
                    if let Candidates::Some(_) = candidates {
                        undecided = Some(Stuck::NotEnumerable(var));
                    }
                    levels.push((slot, candidates));
                }
            }
            loop {
                let Some((slot, candidates)) = levels.last_mut() else {
                    return undecided.map_or(Ok(None), Err);
                };
                state.values[*slot] = match candidates {
                    Candidates::All(domain) => take(self.system, domain),
                    Candidates::Some(values) => values.pop(),
                };
                if state.values[*slot].is_some() {
                    break;
                }
                levels.pop();
            }
        }
    }

    /// Values worth trying for an open variable in a term.
    fn candidates(&self, var: VarId, term: Term) -> Candidates {
        if let Some(domain) =
            self.domain_of(var).or_else(|| self.bounds(var, interval(&self.system.terms, self, var, term)))
        {
            return Candidates::All(domain);
        }
        let mut values = vec![];
        if self.system.terms.var_type(var) == Type::Int {
            self.system.terms.for_each_subterm(term, |t| {
                if let Some(Value::Int(constant)) = self.system.terms.as_const(t) {
                    values.extend([-1, 0, 1].map(|offset| Value::Int(constant + &Int::from(offset))));
                }
            });
        }
        values.push(self.system.types().default_value(self.system.terms.var_type(var)));
        Candidates::Some(values)
    }

    fn tick(&mut self) -> Result<(), Stuck> {
        self.ticks += 1;
        if self.ticks > self.most {
            return Err(Stuck::Spent);
        }
        let stop =
            self.ticks.is_multiple_of(4096) && self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        if stop { Err(Stuck::Interrupted) } else { Ok(()) }
    }

    fn load(&mut self, state: &State) {
        self.frames.clear();
        self.choices.clear();
        self.trail.clear();
        self.decisions.clear();
        self.fixed.clear();
        self.passed = 0;
        self.locations.clone_from(&state.locations);
        for cell in &mut self.cells {
            *cell = Cell { value: None, opened_by: BEFORE, trailed: 0 };
        }
        for (var, value) in self.state_vars.iter().zip(&state.values) {
            self.cells[crate::Id::index(*var)].value.clone_from(value);
        }
    }
    fn outcome(&self) -> Outcome {
        Outcome {
            values: self.state_vars.iter().map(|var| self.cell(*var).value.clone()).collect(),
            decisions: self.decisions.clone(),
            fixed: self.fixed.clone(),
        }
    }
    fn cell(&self, var: VarId) -> &Cell {
        &self.cells[crate::Id::index(var)]
    }
    fn push(&mut self, frame: Frame, next: u32) -> u32 {
        self.frames.push((frame, next));
        (self.frames.len() - 1) as u32
    }
    /// Takes a frame; its memory is given back unless a choice point still needs it.
    fn pop(&mut self, at: u32) -> (Frame, u32) {
        let kept = self.choices.last().map_or(0, |choice| choice.frames);
        if at as usize + 1 == self.frames.len() && at as usize >= kept {
            self.frames.pop().expect("the frame just measured")
        } else {
            self.frames[at as usize].clone()
        }
    }
    fn set(&mut self, var: VarId, value: Option<Value>, opened_by: u32) {
        let new = Cell { value, opened_by, trailed: self.epoch };
        let old = std::mem::replace(&mut self.cells[crate::Id::index(var)], new);
        if !self.choices.is_empty() && old.trailed != self.epoch {
            self.trail.push(Undo::Cell(var, old));
        }
    }

    /// Runs one frame: the next one, or `None` if it blocks.
    fn step(
        &mut self,
        at: u32,
        script: Option<&mut std::slice::Iter<'_, Decision>>,
    ) -> Result<Option<u32>, Stuck> {
        self.tick()?;
        let (frame, next) = self.pop(at);
        let scripted = script.is_some();
        match self.run_frame(&frame, next, script) {
            Ok(next) => Ok(next),
            Err(Halt::Stuck(stuck)) => Err(stuck),
            Err(Halt::Open(Open(var))) if scripted => Err(Stuck::NotEnumerable(var)),
            Err(Halt::Open(Open(var))) => {
                let values =
                    |var| self.domain_of(var).or_else(|| self.bounds(var, self.reachable(var, &frame, next)));
                // What bounds it may be open itself, and come first.
                let others =
                    || self.open_in(&frame).into_iter().find_map(|other| Some((other, values(other)?)));
                let first = values(var).map(|domain| (var, domain)).or_else(others);
                let (var, domain) = first.ok_or(Stuck::NotEnumerable(var))?;
                self.choose(frame, next, Alternatives::Read(var, domain));
                Ok(None)
            }
        }
    }

    fn run_frame(
        &mut self,
        frame: &Frame,
        next: u32,
        script: Option<&mut std::slice::Iter<'_, Decision>>,
    ) -> Result<Option<u32>, Halt> {
        let system = self.system;
        let stmt = match frame {
            Frame::Run(stmt) => *stmt,
            Frame::Rest(seq, index) => {
                let StmtNode::Seq(list) = system.terms.stmt(*seq) else { unreachable!("a sequence") };
                let rest = *index as usize + 1;
                let next =
                    if rest < list.len() { self.push(Frame::Rest(*seq, rest as u32), next) } else { next };
                return Ok(Some(self.push(Frame::Run(list[*index as usize]), next)));
            }
            Frame::Iterate(stmt, current, end) => {
                let StmtNode::For { var, body, .. } = system.terms.stmt(*stmt) else {
                    unreachable!("a loop")
                };
                if current >= end {
                    return Ok(Some(next));
                }
                self.set(*var, Some(Value::Int(current.clone())), BEFORE);
                let next = self.push(Frame::Iterate(*stmt, current + &Int::ONE, end.clone()), next);
                return Ok(Some(self.push(Frame::Run(*body), next)));
            }
        };
        match system.terms.stmt(stmt) {
            StmtNode::Skip => Ok(Some(next)),
            StmtNode::Assume(condition) => Ok(self.holds(*condition)?.then_some(next)),
            StmtNode::Assign(var, term) => {
                let value = eval(&system.terms, self, *term)?.into_owned();
                self.set(*var, Some(value.held_as(system.terms.var_type(*var))), BEFORE);
                Ok(Some(next))
            }
            StmtNode::Havoc(var) => self.havoc(*var, frame, next, script),
            StmtNode::Delay => {
                let amount = match script.map(Iterator::next) {
                    None => match self.delays.as_ref().map(|delays| delays.get(self.passed).cloned()) {
                        None => return Err(Stuck::Delay.into()),
                        Some(None) if self.leaves_out => return Ok(None),
                        Some(None) => return Err(Stuck::Misfit.into()),
                        Some(Some(amount)) => amount,
                    },
                    Some(None) => return Err(Stuck::Needs(Need::Delay).into()),
                    Some(Some(Decision::Delay(amount))) if !amount.is_negative() => amount.clone(),
                    Some(Some(_)) => return Err(Stuck::Misfit.into()),
                };
                self.passed += 1;
                self.elapse(&amount)?;
                self.decisions.push(Decision::Delay(amount));
                Ok(Some(next))
            }
            StmtNode::Seq(_) => Ok(Some(self.push(Frame::Rest(stmt, 0), next))),
            StmtNode::Choice(list) => match script.map(Iterator::next) {
                None => {
                    self.choose(frame.clone(), next, Alternatives::Branches(stmt, 0));
                    Ok(None)
                }
                Some(None) => Err(Stuck::Needs(Need::Branch(list.len() as u32)).into()),
                Some(Some(Decision::Branch(index))) if (*index as usize) < list.len() => {
                    self.decisions.push(Decision::Branch(*index));
                    Ok(Some(self.push(Frame::Run(list[*index as usize]), next)))
                }
                Some(Some(_)) => Err(Stuck::Misfit.into()),
            },
            StmtNode::If(condition, then, otherwise) => {
                let branch = if self.holds(*condition)? { then } else { otherwise };
                Ok(Some(self.push(Frame::Run(*branch), next)))
            }
            StmtNode::For { from, to, .. } => {
                let from = eval(&system.terms, self, *from)?.as_int().clone();
                let to = eval(&system.terms, self, *to)?.as_int().clone();
                Ok(Some(self.push(Frame::Iterate(stmt, from, to), next)))
            }
            StmtNode::While(condition, body) => {
                if !self.holds(*condition)? {
                    return Ok(Some(next));
                }
                let next = self.push(Frame::Run(stmt), next);
                Ok(Some(self.push(Frame::Run(*body), next)))
            }
        }
    }

    fn holds(&self, condition: Term) -> Result<bool, Open> {
        holds(&self.system.terms, self, condition)
    }

    fn havoc(
        &mut self,
        var: VarId,
        frame: &Frame,
        next: u32,
        script: Option<&mut std::slice::Iter<'_, Decision>>,
    ) -> Result<Option<u32>, Halt> {
        match script.map(Iterator::next) {
            None => {
                let domain = self.domain_of(var).filter(|_| self.system.vars[var].scope == Scope::State);
                if let Some(domain) = domain {
                    self.choose(frame.clone(), next, Alternatives::Havoc(var, domain));
                    return Ok(None);
                }
                self.set(var, None, self.decisions.len() as u32);
                self.decisions.push(Decision::Value(None));
                Ok(Some(next))
            }
            Some(None) => Err(Stuck::Needs(Need::Value(var)).into()),
            Some(Some(Decision::Value(value))) => {
                if value.as_ref().is_some_and(|value| !self.system.admits(var, value)) {
                    return Err(Stuck::Misfit.into());
                }
                let opened_by = self.decisions.len() as u32;
                self.set(var, value.clone(), opened_by);
                self.decisions.push(Decision::Value(value.clone()));
                Ok(Some(next))
            }
            Some(Some(_)) => Err(Stuck::Misfit.into()),
        }
    }

    fn elapse(&mut self, amount: &Rat) -> Result<(), Open> {
        let amount = Value::rat(amount.clone());
        let clocks: Vec<VarId> = self.system.clocks().collect();
        for clock in clocks {
            let now = self.cell(clock).value.as_ref().ok_or(Open(clock))?;
            let later = plus(now, &amount);
            self.set(clock, Some(later), BEFORE);
        }
        Ok(())
    }

    /// Leaves a choice point; the caller then blocks, and backtracking takes the first alternative.
    fn choose(&mut self, frame: Frame, next: u32, alternatives: Alternatives) {
        self.epoch += 1;
        self.choices.push(ChoicePoint {
            frame,
            next,
            frames: self.frames.len(),
            trail: self.trail.len(),
            decisions: self.decisions.len(),
            fixed: self.fixed.len(),
            passed: self.passed,
            alternatives,
        });
    }

    /// Goes back to the latest choice point with an alternative left and takes that.
    fn backtrack(&mut self) -> Option<u32> {
        loop {
            let mut choice = self.choices.pop()?;
            self.epoch += 1;
            self.frames.truncate(choice.frames);
            self.decisions.truncate(choice.decisions);
            self.fixed.truncate(choice.fixed);
            self.passed = choice.passed;
            for undo in self.trail.drain(choice.trail..).rev() {
                match undo {
                    Undo::Cell(var, cell) => self.cells[crate::Id::index(var)] = cell,
                    Undo::Decision(at) => {
                        if let Some(Decision::Value(value)) = self.decisions.get_mut(at as usize) {
                            *value = None;
                        }
                    }
                }
            }
            let next = choice.next;
            match &mut choice.alternatives {
                Alternatives::Branches(stmt, index) => {
                    let StmtNode::Choice(list) = self.system.terms.stmt(*stmt) else {
                        unreachable!("a choice")
                    };
                    let Some(branch) = list.get(*index).copied() else { continue };
                    let taken = *index as u32;
                    *index += 1;
                    self.choices.push(choice);
                    self.decisions.push(Decision::Branch(taken));
                    return Some(self.push(Frame::Run(branch), next));
                }
                Alternatives::Havoc(var, domain) => {
                    let (var, value) = (*var, take(self.system, domain));
                    let Some(value) = value else { continue };
                    self.choices.push(choice);
                    self.set(var, Some(value.clone()), BEFORE);
                    self.decisions.push(Decision::Value(Some(value)));
                    return Some(next);
                }
                Alternatives::Read(var, domain) => {
                    let (var, value) = (*var, take(self.system, domain));
                    let Some(value) = value else { continue };
                    let frame = choice.frame.clone();
                    self.choices.push(choice);
                    self.fix(var, value);
                    return Some(self.push(frame, next));
                }
            }
        }
    }
    /// An open variable turns out to have had this value all along.
    fn fix(&mut self, var: VarId, value: Value) {
        let opened_by = self.cell(var).opened_by;
        self.set(var, Some(value.clone()), opened_by);
        if opened_by == BEFORE {
            self.fixed.push((var, value));
        } else {
            self.decisions[opened_by as usize] = Decision::Value(Some(value));
            self.trail.push(Undo::Decision(opened_by));
        }
    }

    /// All values of a variable, if it has finitely many.
    fn domain_of(&self, var: VarId) -> Option<Domain> {
        if let Some((least, greatest)) = &self.system.vars[var].range {
            return Some(Domain::Between(least.clone(), greatest.clone()));
        }
        let ty = self.system.terms.var_type(var);
        let count = self.system.types().cardinality(ty).filter(|count| *count <= MOST_VALUES)?;
        Some(Domain::Finite(ty, 0, count))
    }

    /// The variables that are open in the condition of a frame.
    fn open_in(&self, frame: &Frame) -> Vec<VarId> {
        let terms = &self.system.terms;
        let mut vars = match frame {
            Frame::Run(stmt) => match terms.stmt(*stmt) {
                StmtNode::Assume(condition) | StmtNode::If(condition, ..) => terms.vars_of(*condition),
                _ => vec![],
            },
            _ => vec![],
        };
        vars.retain(|var| self.cell(*var).value.is_none());
        vars
    }

    /// An interval that contains every value of `var` with which a frame and the assumptions that
    /// directly follow it can pass.
    fn reachable(&self, var: VarId, frame: &Frame, next: u32) -> Interval {
        let Frame::Run(stmt) = frame else { return Interval::ALL };
        let terms = &self.system.terms;
        let (mut all, mut go_on) = passable(terms, self, var, *stmt);
        let mut at = next;
        while go_on && at != END {
            let (frame, next) = &self.frames[at as usize];
            let here;
            (here, go_on) = match frame {
                Frame::Run(stmt) => passable(terms, self, var, *stmt),
                Frame::Rest(seq, from) => match terms.stmt(*seq) {
                    StmtNode::Seq(list) => passable_all(terms, self, var, &list[*from as usize..]),
                    _ => (Interval::ALL, false),
                },
                Frame::Iterate(..) => (Interval::ALL, false),
            };
            all = all.meet(here);
            at = *next;
        }
        all
    }
    /// The integers of an interval, if it is bounded on both sides.
    fn bounds(&self, var: VarId, all: Interval) -> Option<Domain> {
        if self.system.terms.var_type(var) != Type::Int {
            return None;
        }
        match (all.least, all.greatest) {
            _ if all.empty => Some(Domain::Between(Int::ONE, Int::ZERO)),
            (Some(least), Some(greatest)) => Some(Domain::Between(least, greatest)),
            _ => None,
        }
    }
}

/// The next value of a domain.
fn take(system: &System, domain: &mut Domain) -> Option<Value> {
    match domain {
        Domain::Finite(ty, next, count) => {
            let value = (next < count).then(|| system.types().nth(*ty, *next)).flatten();
            *next += 1;
            value
        }
        Domain::Between(next, last) => (*next <= *last).then(|| {
            let following = &*next + &Int::ONE;
            Value::Int(std::mem::replace(next, following))
        }),
    }
}

/// What ends a frame early.
enum Halt {
    Open(Open),
    Stuck(Stuck),
}

impl From<Open> for Halt {
    fn from(open: Open) -> Self {
        Halt::Open(open)
    }
}

impl From<Stuck> for Halt {
    fn from(stuck: Stuck) -> Self {
        Halt::Stuck(stuck)
    }
}

impl Env for Interp<'_> {
    fn var(&self, var: VarId, _step: u32) -> Option<&Value> {
        self.cell(var).value.as_ref()
    }
    fn at(&self, process: ProcessId, location: LocationId) -> bool {
        self.locations[crate::Id::index(process)] == location
    }
}

impl System {
    /// Whether `value` is of the type of `var` and within its range.
    pub fn admits(&self, var: VarId, value: &Value) -> bool {
        let fits = match (self.terms.var_type(var), value) {
            (Type::Clock, Value::Rat(value)) => !value.is_negative(),
            (ty, value) => ty == self.types().type_of(value),
        };
        let in_range = match (&self.vars[var].range, value) {
            (Some((least, greatest)), Value::Int(value)) => least <= value && value <= greatest,
            _ => true,
        };
        fits && in_range
    }
}
