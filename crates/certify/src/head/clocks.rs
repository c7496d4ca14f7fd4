//! Recurrent zones: a round that can be gone around for ever, although no valuation of clocks comes again.
//!
//! Data come back as they were, so that what the recorded round does to data is what every round does. What it asks of
//! clocks is a list of operations: constraints, resets and delays. A delay may be another one in every round, so the head,
//! a zone, must be contained in the pre-image of itself under these operations, which the matrices of the judge show
//! exactly. Where a condition can hold in several ways, every round has to hold in the way of the recorded one; and where a
//! state is read, every atom has to be what it is there.
//!
//! If time has to diverge, one more clock tells how long a round takes: from every valuation of the head, there must be one
//! that takes a unit of time and leads back to the head.

use ir::eval::{Env, eval, holds};
use ir::{
    ClockAtom, Decision, Id, Int, LocationId, Node, PathQuestion, ProcessId, Rat, State, Stmt, StmtNode,
    System, Term, Valuation, Value, VarId, Zeno,
};

use super::Lap;
use crate::dbm::{Dbm, LARGEST, bound};
use crate::{Flaw, Place, Rejection, Undecided};

/// What happens to clocks.
#[derive(Copy, Clone)]
enum Op {
    /// `plus - minus` is less than `constant`, or at most that.
    Constrain {
        plus: usize,
        minus: usize,
        constant: i64,
        strict: bool,
    },
    Set {
        clock: usize,
        value: i64,
    },
    Copy {
        clock: usize,
        from: usize,
    },
    Delay,
}

/// Checks that a round leads from a zone back to it, whatever valuation of it it begins with, and reads the same letters.
pub(crate) fn check(
    system: &mut System,
    question: &PathQuestion,
    head: Term,
    round: &[Lap<'_>],
) -> Result<(), Rejection> {
    let (Some(first), Some(last)) = (round.first(), round.last()) else {
        return Err(Place::Whole.wrong(Flaw::NoReturn));
    };
    if ir::uneven_clock(system).is_some() {
        return Err(Undecided::Property.into());
    }
    let clocks: Vec<VarId> = system.clocks().collect();
    let data = |(slot, var): (usize, VarId)| (!clocks.contains(&var)).then_some(slot);
    let slots: Vec<usize> = system.state_vars().enumerate().filter_map(data).collect();
    if slots.iter().any(|slot| first.before.values[*slot] != last.after.values[*slot]) {
        return Err(Place::LastState.wrong(Flaw::NoReturn));
    }
    let mut line = Line::new(system, clocks, first.before);
    line.pass(head, true).map_err(|_| Undecided::Property)?;
    let zone = std::mem::take(&mut line.ops);
    for lap in round {
        line.lap(question, lap)?;
    }
    // One more clock than the system has tells how long a round takes.
    let timer = line.clocks.len() + 1;
    let round = std::mem::take(&mut line.ops);
    let begin = Op::Set { clock: timer, value: 0 };
    let mut end = vec![];
    if system.zeno == Zeno::Forbidden {
        end.push(Op::Constrain { plus: 0, minus: timer, constant: -1, strict: false });
    }
    let around: Vec<Op> = [begin].into_iter().chain(round).chain(end).chain(zone.iter().copied()).collect();
    let before = pre_image(timer + 1, &around)?;
    let head = pre_image(timer + 1, &zone)?.ok_or_else(|| Place::Head.wrong(Flaw::OutsideHead))?;
    let mut listed = ir::Zone::default();
    match before {
        Some(before) => before.write(&mut listed),
        None => return Err(Place::Head.wrong(Flaw::NotRecurrent)),
    }
    if head.is_within(&listed) { Ok(()) } else { Err(Place::Head.wrong(Flaw::NotRecurrent)) }
}

/// The valuations from which these operations are possible, one after the other, with some delays.
fn pre_image(dim: usize, ops: &[Op]) -> Result<Option<Dbm>, Rejection> {
    let mut zone = Dbm::all(dim);
    // Every bound that follows from others is a sum in which each occurs once at most. A sum that is too large would make
    // the zone larger than it is.
    let mut sum = 0;
    for op in ops.iter().rev() {
        let some = match *op {
            Op::Constrain { plus, minus, constant, strict } => {
                sum += constant.abs();
                sum <= LARGEST && zone.constrain(plus, minus, bound(constant, strict))
            }
            Op::Set { clock, value } => {
                sum += 2 * value;
                sum <= LARGEST && zone.before_reset(clock, value)
            }
            Op::Copy { clock, from } => zone.before_copy(clock, from),
            Op::Delay => {
                zone.before_delay();
                true
            }
        };
        if sum > LARGEST {
            return Err(Undecided::LargeConstants.into());
        }
        if !some {
            return Ok(None);
        }
    }
    Ok(Some(zone))
}

/// A recorded execution, followed once more.
struct Line<'a> {
    system: &'a mut System,
    clocks: Vec<VarId>,
    /// The key is [`VarId`].
    values: Vec<Option<Value>>,
    locations: Box<[LocationId]>,
    ops: Vec<Op>,
}

/// Something in an execution that is not followed.
struct Lost;

impl Env for Line<'_> {
    fn var(&self, var: VarId, _step: u32) -> Option<&Value> {
        self.values[var.index()].as_ref()
    }
    fn at(&self, process: ProcessId, location: LocationId) -> bool {
        self.locations[process.index()] == location
    }
}

impl<'a> Line<'a> {
    fn new(system: &'a mut System, clocks: Vec<VarId>, state: &State) -> Self {
        let values = vec![None; system.vars.len()];
        let mut line = Line { system, clocks, values, locations: Box::default(), ops: vec![] };
        line.begin(state);
        line
    }
    /// Goes on from a state.
    fn begin(&mut self, state: &State) {
        self.values.fill(None);
        let vars: Vec<VarId> = self.system.state_vars().collect();
        for (var, value) in vars.into_iter().zip(&state.values) {
            self.values[var.index()].clone_from(value);
        }
        self.locations.clone_from(&state.locations);
    }
    /// What is read before a step, and the step.
    fn lap(&mut self, question: &PathQuestion, lap: &Lap<'_>) -> Result<(), Rejection> {
        self.begin(lap.before);
        if let Some(letter) = lap.letter {
            let atoms = question.atoms.iter().copied().zip(letter.iter().copied());
            for (atom, value) in atoms.chain([(question.undefined, false)]) {
                let here = ir::at_state(self.system, atom, lap.before).map_err(|_| Undecided::NoCondition)?;
                self.pass(here, value).map_err(|_| Undecided::NoCondition)?;
            }
        }
        let mut decisions = lap.decisions.iter();
        let taken = self.take(lap.stmt, &mut decisions, lap.after);
        match taken {
            Ok(()) if decisions.as_slice().is_empty() => Ok(()),
            _ => Err(Undecided::Loop(Place::Head).into()),
        }
    }
    /// Goes along a statement, as it was executed.
    fn take(
        &mut self,
        stmt: Stmt,
        decisions: &mut std::slice::Iter<'_, Decision>,
        after: &State,
    ) -> Result<(), Lost> {
        ir::deep(|| match self.system.terms.stmt(stmt).clone() {
            StmtNode::Skip => Ok(()),
            StmtNode::Assume(condition) => self.pass(condition, true),
            StmtNode::Assign(var, value) => self.assign(var, value),
            StmtNode::Havoc(var) => {
                let Some(Decision::Value(value)) = decisions.next() else { return Err(Lost) };
                let slot = self.system.state_vars().position(|other| other == var);
                let known = || slot.and_then(|slot| after.values[slot].clone());
                self.values[var.index()] = value.clone().or_else(known);
                if self.number(var).is_some() { Err(Lost) } else { Ok(()) }
            }
            StmtNode::Delay => {
                let Some(Decision::Delay(delay)) = decisions.next() else { return Err(Lost) };
                self.ops.push(Op::Delay);
                for clock in &self.clocks {
                    let now = self.values[clock.index()].as_ref().ok_or(Lost)?.as_rat();
                    self.values[clock.index()] = Some(Value::rat(&now + delay));
                }
                Ok(())
            }
            StmtNode::Seq(list) => list.iter().try_for_each(|part| self.take(*part, decisions, after)),
            StmtNode::Choice(list) => {
                let Some(Decision::Branch(branch)) = decisions.next() else { return Err(Lost) };
                self.take(*list.get(*branch as usize).ok_or(Lost)?, decisions, after)
            }
            StmtNode::If(condition, yes, no) => {
                let holds = self.value(condition)?.as_bool();
                self.pass(condition, holds)?;
                self.take(if holds { yes } else { no }, decisions, after)
            }
            StmtNode::For { var, from, to, body } => {
                let (Value::Int(mut next), Value::Int(end)) = (self.value(from)?, self.value(to)?) else {
                    return Err(Lost);
                };
                while next < end {
                    self.values[var.index()] = Some(Value::Int(next.clone()));
                    self.take(body, decisions, after)?;
                    next = &next + &Int::ONE;
                }
                Ok(())
            }
            StmtNode::While(condition, body) => {
                while self.value(condition)?.as_bool() {
                    self.pass(condition, true)?;
                    self.take(body, decisions, after)?;
                }
                self.pass(condition, false)
            }
        })
    }
    fn assign(&mut self, var: VarId, value: Term) -> Result<(), Lost> {
        let result = self.value(value)?.held_as(self.system.terms.var_type(var));
        match (self.number(var), self.system.terms.has_clock(value)) {
            (None, false) => {}
            (None, true) => return Err(Lost),
            (Some(clock), false) => self.ops.push(Op::Set { clock, value: whole(&result).ok_or(Lost)? }),
            (Some(clock), true) => {
                let Node::Var(other, 0) = *self.system.terms.node(value) else { return Err(Lost) };
                self.ops.push(Op::Copy { clock, from: self.number(other).ok_or(Lost)? });
            }
        }
        self.values[var.index()] = Some(result);
        Ok(())
    }
    /// What a condition asks of clocks, in the way in which it holds or fails now.
    fn pass(&mut self, condition: Term, positive: bool) -> Result<(), Lost> {
        let condition = if positive { condition } else { self.system.terms.not(condition) };
        if !self.value(condition)?.as_bool() {
            return Err(Lost);
        }
        if !self.system.terms.has_clock(condition) {
            return Ok(());
        }
        let mut known = Valuation::default();
        for var in self.system.terms.vars_of(condition) {
            if let (None, Some(value)) = (self.number(var), &self.values[var.index()]) {
                known.insert(var, self.system.terms.constant(value.clone()));
            }
        }
        let condition = self.system.terms.substitute(condition, &known);
        for cube in ir::cubes(&mut self.system.terms, condition).map_err(|_| Lost)? {
            let data = cube.data.iter().all(|part| matches!(self.value(*part), Ok(Value::Bool(true))));
            let atoms: Vec<Term> = cube.clocks.iter().map(|atom| atom.term(&mut self.system.terms)).collect();
            if data && atoms.iter().all(|atom| holds(&self.system.terms, self, *atom) == Ok(true)) {
                return cube.clocks.iter().try_for_each(|atom| self.constrain(atom));
            }
        }
        Err(Lost)
    }
    fn constrain(&mut self, atom: &ClockAtom) -> Result<(), Lost> {
        let number = |clock: Option<VarId>| clock.map_or(Some(0), |clock| self.number(clock)).ok_or(Lost);
        let (plus, minus) = (number(atom.plus)?, number(atom.minus)?);
        let constant = whole(&self.value(atom.bound)?).ok_or(Lost)?;
        self.ops.push(Op::Constrain { plus, minus, constant, strict: atom.strict });
        Ok(())
    }
    fn value(&self, term: Term) -> Result<Value, Lost> {
        eval(&self.system.terms, self, term).map(|value| value.into_owned()).map_err(|_| Lost)
    }
    /// The number of a clock.
    fn number(&self, var: VarId) -> Option<usize> {
        self.clocks.iter().position(|clock| *clock == var).map(|at| at + 1)
    }
}

/// A whole number that bounds may have.
fn whole(value: &Value) -> Option<i64> {
    let number = match value {
        Value::Int(number) => number.to_i64()?,
        Value::Rat(_) => {
            let number: Rat = value.as_rat();
            (number.denominator() == Int::ONE).then(|| number.numerator().to_i64())??
        }
        _ => return None,
    };
    (number.abs() <= LARGEST).then_some(number)
}
