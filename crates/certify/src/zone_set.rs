//! Zone sets: discrete states with zones that contain the initial states and are closed under every
//! action.
//!
//! An entry `(s, Z)` stands for the states with discrete part `s` and clocks in `Z`. What is checked:
//! the initial states lie in entries; for every entry and every action, all successors lie in entries;
//! no entry is a fault or meets the target at observed locations. By induction along a run, every
//! reachable state lies in an entry, so none is a fault or an observed target. Successors are computed
//! here, from the statements, with exact zones; the entry that should contain one is only a hint, and
//! compared with it. Where differences of clocks are compared, a successor may lie in several entries
//! together; it is then cut along these differences, and each piece must lie in one.
//!
//! **Up to simulation.** If a set has constants `L` and `U` for the locations of `s`, the entry stands
//! for more: all states with clocks in a≼LU(Z), those that some valuation of `Z` simulates. `v ≼ w` means
//! for each clock `w(x) = v(x)`, or `L(x) < w(x) < v(x)`, or `U(x) < v(x) < w(x)`. The check still follows
//! `Z` only, and shows as it goes that `≼` is a simulation:
//! - A clock that an execution has set is equal in `v` and `w` from then on. A delay of the same length
//!   keeps `v ≼ w`.
//! - If `v` passes a constraint `x ≺ c` with `c <= U(x)`, or `c ≺ x` with `c <= L(x)`, so does `w`; the
//!   constants of every constraint met are compared, unless the clock has been set. So what `w` cannot
//!   pass, `v` cannot either, and an execution that has left the zone need not be followed. Differences of
//!   two clocks are refused unless both have been set. The target is such a condition too.
//! - On arrival, the constants of the target locations are at most those of the source for every clock
//!   that has not been set, so `v ≼ w` holds for them as well; and since `≼` is transitive, it is enough
//!   that the successors of `Z` lie in a≼LU of an entry there.

use std::sync::atomic::{AtomicBool, Ordering};

use ir::eval::{Env, Open, eval, holds};
use ir::{
    Action, Actions, ClockRange, Id, Int, LocationId, Node, ProcessId, Scope, State, Stmt, StmtNode, System,
    Term, Type, Value, VarId, VectorId, ZoneSet,
};

use crate::dbm::{Dbm, LARGEST, bound, reversed};
use crate::{Rejection, check_shape, is_fault, wrong};

/// Checks that `set` is closed and excludes the target and every fault.
pub fn check(system: &System, target: Term, set: &dyn ZoneSet, stop: &AtomicBool) -> Result<(), Rejection> {
    let mut model = Model::new(system.clone(), target, set);
    let mut memory = Memory::new(&model);
    check_initial(&mut model, &mut memory, set, stop)?;
    let mut source = Execution::default();
    for index in 0..set.len() {
        if stop.load(Ordering::Relaxed) {
            return Err(Rejection::Interrupted);
        }
        let (state, zone) = set.entry(index);
        let place = || format!("entry {index} of the set");
        check_shape(&model.system, &format_args!("entry {index} of the set"), &state)?;
        if model.clocks.iter().any(|clock| state.values[clock.slot].is_some()) {
            return Err(wrong(format!("{}: clocks have values of their own", place())));
        }
        if !source.zone.read(&zone, model.dim()) {
            return Err(wrong(format!("{}: this is no zone of the model's clocks", place())));
        }
        let vector = model.vector(&state.locations)?;
        let constants = model.place(vector).constants.as_deref();
        match source.zone.close() {
            // An entry without valuations claims nothing, and contains nothing.
            None => continue,
            Some(true) if constants.is_some() => {
                return Err(wrong(format!("{}: the zone is not in closed form", place())));
            }
            Some(_) => {}
        }
        if is_fault(&model.system, &state) {
            return Err(wrong(format!("{} is a fault", place())));
        }
        source.load(&model, &state);
        let at = At { locations: &state.locations, constants };
        if model.meets_target(&at, vector, &source)? {
            return Err(wrong(format!("{} meets the target", place())));
        }
        for action in &model.place(vector).actions {
            if model.blocks_at_once(&at, action.stmt, &source, &mut memory.constraints)? {
                continue;
            }
            let missing = |end: &Execution, out: &mut Successor| {
                let arrival = action.constants.as_deref();
                check_constants(&model, constants, arrival, end)?;
                out.write(&model, &action.target, end);
                Ok(!out.is_listed(set, arrival, &model.diagonals))
            };
            if model.run(&at, action.stmt, &source, &mut memory, stop, missing)? {
                return Err(wrong(format!("a successor of {} is not in the set", place())));
            }
        }
    }
    Ok(())
}

/// Checks that every initial state is listed.
fn check_initial(
    model: &mut Model<'_>,
    memory: &mut Memory,
    set: &dyn ZoneSet,
    stop: &AtomicBool,
) -> Result<(), Rejection> {
    let initial = ir::initial(&mut model.system);
    let locations = model.system.initial_locations();
    model.split_all(initial)?;
    let vector = model.vector(&locations)?;
    let open =
        State { locations: locations.clone(), values: model.state_vars.iter().map(|_| None).collect() };
    let mut source = Execution { zone: Dbm::all(model.dim()), ..Execution::default() };
    source.load(model, &open);
    let constants = model.place(vector).constants.as_deref();
    let at = At { locations: &locations, constants: None };
    let missing = |end: &Execution, out: &mut Successor| {
        out.write(model, &locations, end);
        Ok(!out.is_listed(set, constants, &model.diagonals))
    };
    if model.run(&at, initial, &source, memory, stop, missing)? {
        return Err(wrong("an initial state is not in the set"));
    }
    Ok(())
}

/// Checks, up to simulation, that what simulates at the source does so on arrival.
fn check_constants(
    model: &Model<'_>,
    source: Option<&[ClockRange]>,
    target: Option<&[ClockRange]>,
    end: &Execution,
) -> Result<(), Rejection> {
    let Some(source) = source else { return Ok(()) };
    let Some(target) = target else {
        return Err(wrong("simulation at some locations leads to others without"));
    };
    for (clock, (before, after)) in source.iter().zip(target).enumerate() {
        if !end.set[clock + 1] && (before.0 < after.0 || before.1 < after.1) {
            let name = &model.system.vars[model.clocks[clock].var].name;
            return Err(wrong(format!("simulation: the constants of `{name}` grow along an action")));
        }
    }
    Ok(())
}

/// Where an execution starts.
struct At<'a> {
    locations: &'a [LocationId],
    /// The constants of the clocks, if entries here stand for what they simulate.
    constants: Option<&'a [ClockRange]>,
}

/// The system with what has been composed and split of it.
struct Model<'a> {
    system: System,
    actions: Actions,
    target: Term,
    set: &'a dyn ZoneSet,
    clocks: Vec<Clock>,
    state_vars: Vec<VarId>,
    /// The number of each variable's clock; 0 for data.
    numbers: Vec<usize>,
    /// The differences of clocks that are compared with constants.
    diagonals: Vec<Constraint>,
    /// The key is [`Term`]: conditions of statements, split.
    splits: Vec<Option<Split>>,
    /// The key is [`VectorId`].
    places: Vec<Option<Place>>,
}

/// A clock, and where states have it.
struct Clock {
    var: VarId,
    slot: usize,
}

/// A vector of locations.
struct Place {
    actions: Vec<Step>,
    /// When the target holds here; never where nobody looks.
    target: Formula,
    constants: Option<Vec<ClockRange>>,
}

/// An action.
struct Step {
    stmt: Stmt,
    target: Box<[LocationId]>,
    /// The constants there.
    constants: Option<Vec<ClockRange>>,
}

/// A condition.
enum Split {
    /// On data only.
    Data,
    /// On clocks too: the ways in which it can hold, and those in which it can fail.
    Clocks { yes: Vec<Case>, no: Vec<Case> },
}

/// A conjunction of conditions on data and on clocks.
struct Case {
    data: Vec<Term>,
    clocks: Vec<Atom>,
}

/// A condition with negations at its atoms only.
///
/// A deadlock is a conjunction of many disjunctions, which has too many cases to be split.
enum Formula {
    Data(Term),
    Clocks(Atom),
    /// Conditions on data come first.
    And(Vec<Formula>),
    Or(Vec<Formula>),
}

/// `plus - minus ≺ bound`, over clock numbers.
struct Atom {
    plus: usize,
    minus: usize,
    bound: Amount,
    strict: bool,
}

enum Amount {
    Constant(i64),
    Term(Term),
}

/// An atom whose bound is known.
type Constraint = (usize, usize, i64);

/// An execution in progress: data, a zone and what is left to do.
#[derive(Clone, Default)]
struct Execution {
    /// The key is [`VarId`].
    values: Vec<Option<Value>>,
    zone: Dbm,
    /// By clock number, the clocks that have been set.
    set: Vec<bool>,
    /// The next one last.
    todo: Vec<Todo>,
}

#[derive(Clone)]
enum Todo {
    Run(Stmt),
    /// The iterations of a loop that are left.
    Iterate(Stmt, Int, Int),
}

/// Memory that is used again and again.
struct Memory {
    /// Executions that are still to be followed.
    stack: Vec<Execution>,
    spare: Vec<Execution>,
    successor: Successor,
    constraints: Vec<Constraint>,
    ticks: u32,
}

/// A state and a zone in the form in which sets are asked for them.
struct Successor {
    state: State,
    zone: ir::Zone,
    dbm: Dbm,
    entry: Dbm,
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
    fn load(&mut self, model: &Model<'_>, state: &State) {
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
    fn new(model: &Model<'_>) -> Self {
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

impl Successor {
    fn write(&mut self, model: &Model<'_>, locations: &[LocationId], end: &Execution) {
        if *self.state.locations != *locations {
            self.state.locations = locations.into();
        }
        for (value, var) in self.state.values.iter_mut().zip(&model.state_vars) {
            value.clone_from(&end.values[var.index()]);
        }
        end.zone.write(&mut self.zone);
        self.dbm.copy(&end.zone);
    }
    /// Whether the entries that the set points at have this state and contain this zone, or all pieces
    /// of it along the `diagonals`.
    fn is_listed(
        &mut self,
        set: &dyn ZoneSet,
        constants: Option<&[ClockRange]>,
        diagonals: &[Constraint],
    ) -> bool {
        if self.is_within_one(set, constants) {
            return true;
        }
        let cuts = |(plus, minus, bound): &Constraint| {
            self.dbm.meets(*plus, *minus, *bound) && self.dbm.meets(*minus, *plus, reversed(*bound))
        };
        let Some(cut) = diagonals.iter().position(cuts) else { return false };
        let (plus, minus, bound) = diagonals[cut];
        let whole = self.dbm.clone();
        [(plus, minus, bound), (minus, plus, reversed(bound))].into_iter().all(|(plus, minus, bound)| {
            self.dbm.copy(&whole);
            self.dbm.constrain(plus, minus, bound);
            self.dbm.write(&mut self.zone);
            self.is_listed(set, constants, &diagonals[cut + 1..])
        })
    }
    fn is_within_one(&mut self, set: &dyn ZoneSet, constants: Option<&[ClockRange]>) -> bool {
        let Some(at) = set.find(&self.state, &self.zone).filter(|at| *at < set.len()) else { return false };
        let (state, zone) = set.entry(at);
        if state != self.state || !self.entry.read(&zone, self.zone.dim) {
            return false;
        }
        match constants {
            None => self.dbm.is_within(&self.entry),
            // Closed, or refused where the check comes by that entry.
            Some(constants) => self.dbm.is_simulated_within(&self.entry, constants),
        }
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

/// Preparation: everything that needs new terms.
impl<'a> Model<'a> {
    fn new(mut system: System, target: Term, set: &'a dyn ZoneSet) -> Self {
        let mut numbers = vec![0; system.vars.len()];
        let mut clocks = vec![];
        for clock in system.clocks() {
            // A clock that is no part of the state has no slot; there is none in any front-end.
            let slot = system.state_vars().position(|var| var == clock).expect("clocks are part of states");
            clocks.push(Clock { var: clock, slot });
            numbers[clock.index()] = clocks.len();
        }
        let diagonals = diagonals(&mut system, &numbers);
        Model {
            diagonals,
            state_vars: system.state_vars().collect(),
            system,
            actions: Actions::new(),
            target,
            set,
            clocks,
            numbers,
            splits: vec![],
            places: vec![],
        }
    }
    fn dim(&self) -> usize {
        self.clocks.len() + 1
    }
    fn place(&self, vector: VectorId) -> &Place {
        self.places[vector.index()].as_ref().expect("furnished before")
    }
    /// The number of a vector, furnished.
    fn vector(&mut self, locations: &[LocationId]) -> Result<VectorId, Rejection> {
        let vector = self.actions.vector(locations);
        if self.places.get(vector.index()).is_none_or(Option::is_none) {
            self.furnish(vector)?;
        }
        Ok(vector)
    }
    fn furnish(&mut self, vector: VectorId) -> Result<(), Rejection> {
        let locations: Box<[LocationId]> = self.actions.locations(vector).into();
        let mut actions = vec![];
        for Action { stmt, target, .. } in self.actions.of(&mut self.system, vector).to_vec() {
            self.split_all(stmt)?;
            let constants = self.constants(&target)?;
            actions.push(Step { stmt, target, constants });
        }
        let mut target = Formula::Or(vec![]);
        if self.system.is_observed(&locations) {
            let here = ir::at_locations(&mut self.system, self.target, &locations)
                .map_err(|_| wrong("the target cannot be spelled out at some locations"))?;
            target = self.formula(here, true)?;
        }
        let constants = self.constants(&locations)?;
        if self.places.len() < self.actions.len() {
            self.places.resize_with(self.actions.len(), || None);
        }
        self.places[vector.index()] = Some(Place { actions, target, constants });
        Ok(())
    }
    /// The constants at some locations, if entries there stand for what they simulate.
    fn constants(&self, locations: &[LocationId]) -> Result<Option<Vec<ClockRange>>, Rejection> {
        let Some(constants) = self.set.simulation(locations) else { return Ok(None) };
        let fits = |constant: Option<i64>| constant.is_none_or(|c| (0..=LARGEST).contains(&c));
        if constants.len() != self.clocks.len()
            || !constants.iter().all(|range| fits(range.0) && fits(range.1))
        {
            return Err(wrong("simulation: the constants do not fit the model's clocks"));
        }
        Ok(Some(constants))
    }
    /// Splits every condition in a statement.
    fn split_all(&mut self, stmt: Stmt) -> Result<(), Rejection> {
        let mut conditions = vec![];
        self.system.terms.for_each_substmt(stmt, |part| match self.system.terms.stmt(part) {
            StmtNode::Assume(condition) => conditions.push((*condition, false)),
            StmtNode::If(condition, ..) | StmtNode::While(condition, _) => {
                conditions.push((*condition, true))
            }
            _ => {}
        });
        conditions.into_iter().try_for_each(|(condition, both)| self.split(condition, both))
    }
    fn split(&mut self, condition: Term, both: bool) -> Result<(), Rejection> {
        if self.splits.len() <= condition.index() {
            self.splits.resize_with(condition.index() + 1, || None);
        }
        let split = match &self.splits[condition.index()] {
            Some(Split::Data) => return Ok(()),
            Some(Split::Clocks { no, .. }) if !both || !no.is_empty() => return Ok(()),
            _ if !self.system.terms.has_clock(condition) => Split::Data,
            _ => {
                let negation = self.system.terms.not(condition);
                let no = if both { self.cases(negation)? } else { vec![] };
                Split::Clocks { yes: self.cases(condition)?, no }
            }
        };
        self.splits[condition.index()] = Some(split);
        Ok(())
    }
    fn cases(&mut self, condition: Term) -> Result<Vec<Case>, Rejection> {
        let cubes = ir::cubes(&mut self.system.terms, condition).map_err(|_| {
            wrong(format!("the condition `{}` is too complex on clocks", self.system.show(condition)))
        })?;
        let atom = |atom: &ir::ClockAtom| self.atom(atom);
        Ok(cubes
            .into_iter()
            .map(|cube| Case { clocks: cube.clocks.iter().map(atom).collect(), data: cube.data })
            .collect())
    }
    fn atom(&self, atom: &ir::ClockAtom) -> Atom {
        let number = |clock: Option<VarId>| clock.map_or(0, |clock| self.numbers[clock.index()]);
        let constant = self.system.terms.as_const(atom.bound).and_then(small);
        Atom {
            plus: number(atom.plus),
            minus: number(atom.minus),
            bound: constant.map_or(Amount::Term(atom.bound), Amount::Constant),
            strict: atom.strict,
        }
    }
    fn formulas(&mut self, list: &[Term], positive: bool) -> Result<Vec<Formula>, Rejection> {
        let mut parts = vec![];
        for part in list {
            parts.push(ir::deep(|| self.formula(*part, positive))?);
        }
        parts.sort_by_key(|part| match part {
            Formula::Data(_) => 0,
            Formula::Clocks(_) => 1,
            Formula::And(_) | Formula::Or(_) => 2,
        });
        Ok(parts)
    }
    /// A condition or, unless `positive`, its negation.
    fn formula(&mut self, term: Term, positive: bool) -> Result<Formula, Rejection> {
        let terms = &mut self.system.terms;
        if !terms.has_clock(term) {
            return Ok(Formula::Data(if positive { term } else { terms.not(term) }));
        }
        match terms.node(term).clone() {
            Node::Not(inner) => ir::deep(|| self.formula(inner, !positive)),
            Node::And(list) if positive => Ok(Formula::And(self.formulas(&list, positive)?)),
            Node::Or(list) if !positive => Ok(Formula::And(self.formulas(&list, positive)?)),
            Node::And(list) | Node::Or(list) => Ok(Formula::Or(self.formulas(&list, positive)?)),
            _ => {
                // Atoms have few cases, and so have conditionals after the condition is known.
                let one = match *terms.node(term) {
                    Node::Ite(condition, then, otherwise) => Some((condition, then, otherwise)),
                    Node::Eq(a, b) if terms.type_of(a) == Type::Bool => Some((a, b, terms.not(b))),
                    _ => None,
                };
                if let Some((condition, then, otherwise)) = one {
                    let mut side = |holds: bool, then: Term| -> Result<Formula, Rejection> {
                        let condition = ir::deep(|| self.formula(condition, holds))?;
                        Ok(Formula::And(vec![condition, ir::deep(|| self.formula(then, positive))?]))
                    };
                    return Ok(Formula::Or(vec![side(true, then)?, side(false, otherwise)?]));
                }
                let condition = if positive { term } else { terms.not(term) };
                let cases = self.cases(condition)?.into_iter();
                let conjunction = |case: Case| {
                    let data = case.data.into_iter().map(Formula::Data);
                    Formula::And(data.chain(case.clocks.into_iter().map(Formula::Clocks)).collect())
                };
                Ok(Formula::Or(cases.map(conjunction).collect()))
            }
        }
    }
}

/// Execution.
impl Model<'_> {
    /// Follows every execution of `stmt` from `source` and calls `end` where one ends; true as soon as
    /// that answers true.
    fn run(
        &self,
        at: &At<'_>,
        stmt: Stmt,
        source: &Execution,
        memory: &mut Memory,
        stop: &AtomicBool,
        mut end: impl FnMut(&Execution, &mut Successor) -> Result<bool, Rejection>,
    ) -> Result<bool, Rejection> {
        memory.stack.clear();
        memory.push(source).todo.push(Todo::Run(stmt));
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
    fn blocks_at_once(
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
    fn meets_target(&self, at: &At<'_>, vector: VectorId, source: &Execution) -> Result<bool, Rejection> {
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
    fn meets<'f>(
        &self,
        at: &At<'_>,
        goals: &mut Vec<&'f Formula>,
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

/// The differences of clocks that are compared with constants anywhere in the arena of a system.
fn diagonals(system: &mut System, numbers: &[usize]) -> Vec<Constraint> {
    let mut found: Vec<Constraint> = vec![];
    for term in (0..system.terms.len()).map(Term::at) {
        let terms = &mut system.terms;
        let (Node::Le(a, b) | Node::Lt(a, b) | Node::Eq(a, b)) = *terms.node(term) else { continue };
        if terms.type_of(a) != Type::Clock && terms.type_of(b) != Type::Clock {
            continue;
        }
        for atom in ir::clock_atom(terms, term).into_iter().flatten() {
            if let (Some(plus), Some(minus)) = (atom.plus, atom.minus)
                && let Some(constant) = terms.as_const(atom.bound).and_then(small)
            {
                let (plus, minus) = (numbers[plus.index()], numbers[minus.index()]);
                let limit = bound(constant, atom.strict);
                if ![(plus, minus, limit), (minus, plus, reversed(limit))]
                    .iter()
                    .any(|one| found.contains(one))
                {
                    found.push((plus, minus, limit));
                }
            }
        }
    }
    found
}

/// An integer of moderate size.
fn small(value: &Value) -> Option<i64> {
    match value {
        Value::Int(value) => value.to_i64().filter(|value| value.abs() <= LARGEST),
        _ => None,
    }
}
