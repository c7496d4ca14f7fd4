//! What is known somewhere on a path: values of data, and a zone of clocks.
//!
//! [`Known`] stands for all states in which every variable with a value has it and the clocks lie in the
//! zone; variables without one can have any value. Everything here errs to the side of more states:
//! - [`Known::truth`] says that a condition holds, or fails, only if it does so in all of these states. A
//!   comparison of clocks is read as `x - y ≺ c`; it holds if the bound of the zone on `x - y` is at most
//!   `≺ c`, and fails if no valuation meets both. For a zone with more valuations, fewer conditions are
//!   decided.
//! - [`Known::learn`] drops only states in which a condition fails. What it cannot read, it leaves out.
//! - A clock that is set to something else than a small natural number can have any value afterwards.
//!   Negative ones are refused: no clock is negative, here and for a solver.
//! - A comparison with a constant that is no integer, or beyond what a matrix holds, is not read; neither
//!   is one with several clocks of the same sign, or with multiples of clocks.
//!
//! The matrix drops bounds that get too large, which again makes the zone larger; see [`crate::dbm`].

use std::borrow::Cow;

use ir::eval::{Env, Open, eval};
use ir::{Id, Int, Interval, LocationId, Node, ProcessId, Stmt, System, Term, Terms, Type, Value, VarId};

use crate::dbm::{Dbm, LARGEST, bound, reversed};

/// Why the truth of a condition is not known.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Doubt {
    /// The value of this variable is open.
    Value(VarId),
    /// It compares clocks in a way that bounds of a zone cannot say.
    Unread,
    /// The zone has valuations that meet this bound, and others.
    Bound(Bound),
}

/// `plus - minus ≺ c`, over numbers of clocks, of which 0 is none.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    plus: usize,
    minus: usize,
    limit: i32,
}

impl Bound {
    /// What holds iff this does not.
    pub fn opposite(self) -> Bound {
        Bound { plus: self.minus, minus: self.plus, limit: reversed(self.limit) }
    }
}

/// Values and a zone, with a way back.
pub struct Known {
    values: Values,
    /// Values that were replaced, to be put back.
    trail: Vec<(VarId, Option<Value>)>,
    /// Closed, and not empty.
    zone: Dbm,
    /// By variable: the number of a clock, 0 for data.
    numbers: Vec<usize>,
}

/// A moment to return to.
pub struct Mark {
    trail: usize,
    zone: Option<Dbm>,
}

#[derive(Default)]
struct Values(Vec<Option<Value>>);

impl Env for Values {
    fn var(&self, var: VarId, _: u32) -> Option<&Value> {
        self.0[var.index()].as_ref()
    }
    fn at(&self, _: ProcessId, _: LocationId) -> bool {
        false
    }
}

/// With more clocks than this, a matrix costs more than a solver.
const MOST_CLOCKS: usize = 255;

impl Known {
    /// Whether there are few enough clocks for a zone.
    pub fn fits(system: &System) -> bool {
        system.clocks().nth(MOST_CLOCKS).is_none()
    }
    /// Nothing is known of any variable. For a system that [fits](Known::fits) only.
    pub fn new(system: &System) -> Self {
        let mut numbers = vec![0; system.vars.len()];
        let mut clocks = 0;
        for clock in system.clocks() {
            clocks += 1;
            numbers[clock.index()] = clocks;
        }
        let values = Values(vec![None; system.vars.len()]);
        Known { values, trail: vec![], zone: Dbm::all(clocks + 1), numbers }
    }
    /// Forgets everything.
    pub fn clear(&mut self) {
        for (var, _) in self.trail.drain(..) {
            self.values.0[var.index()] = None;
        }
        if self.is_timed() {
            self.zone = Dbm::all(self.zone.dim());
        }
    }
    /// The present moment.
    pub fn mark(&self) -> Mark {
        Mark { trail: self.trail.len(), zone: self.is_timed().then(|| self.zone.clone()) }
    }
    /// Goes back to what was known at a moment.
    pub fn back(&mut self, mark: Mark) {
        for (var, old) in self.trail.drain(mark.trail..).rev() {
            self.values.0[var.index()] = old;
        }
        if let Some(zone) = mark.zone {
            self.zone = zone;
        }
    }
    fn is_timed(&self) -> bool {
        self.zone.dim() > 1
    }
    /// The value of a variable, if it is known.
    pub fn value(&self, var: VarId) -> Option<&Value> {
        self.values.0[var.index()].as_ref()
    }
    /// The value of a term, by values alone.
    pub fn eval<'a>(&'a self, terms: &'a Terms, term: Term) -> Result<Cow<'a, Value>, Doubt> {
        eval(terms, &self.values, term).map_err(|Open(var)| Doubt::Value(var))
    }

    /// The values of a variable with which a statement can be passed, by values alone, and whether what follows
    /// counts as well.
    pub fn passable(&self, terms: &Terms, var: VarId, stmt: Stmt) -> (Interval, bool) {
        ir::passable(terms, &self.values, var, stmt)
    }

    /// Gives a variable of data a value, or any.
    pub fn set(&mut self, var: VarId, value: Option<Value>) {
        let old = std::mem::replace(&mut self.values.0[var.index()], value);
        self.trail.push((var, old));
    }
    /// Sets a clock; `None` if to a number below zero.
    pub fn set_clock(&mut self, clock: VarId, value: Option<&Value>) -> Option<()> {
        let number = self.numbers[clock.index()];
        match value {
            Some(Value::Int(value)) if value.is_negative() => return None,
            Some(Value::Rat(value)) if value.is_negative() => return None,
            _ => {}
        }
        match value.and_then(integral) {
            Some(value) => self.zone.reset(number, value),
            None => self.zone.free(number),
        }
        Some(())
    }
    /// Whether a variable is a clock.
    pub fn is_clock(&self, var: VarId) -> bool {
        self.numbers[var.index()] > 0
    }
    /// Lets any time pass.
    pub fn delay(&mut self) {
        self.zone.delay();
    }
    /// Drops the states that do not meet a bound; whether there are others.
    pub fn keep(&mut self, bound: Bound) -> bool {
        self.zone.constrain(bound.plus, bound.minus, bound.limit)
    }
    /// Takes over what a condition says of single variables and differences of clocks if it holds, or if it
    /// does not; false if no states are left.
    pub fn learn(&mut self, terms: &Terms, condition: Term, holds: bool) -> bool {
        match (terms.node(condition), holds) {
            (Node::And(list), true) | (Node::Or(list), false) => {
                list.iter().all(|part| self.learn_literal(terms, *part, holds))
            }
            _ => self.learn_literal(terms, condition, holds),
        }
    }
    fn learn_literal(&mut self, terms: &Terms, part: Term, holds: bool) -> bool {
        if let Some((var, value)) = super::literal(terms, part, holds)
            && !self.is_clock(var)
        {
            if self.value(var).is_none() {
                self.set(var, Some(value));
            }
            return true;
        }
        if !self.is_timed() {
            return true;
        }
        if let Node::Not(inner) = terms.node(part) {
            return ir::deep(|| self.learn_literal(terms, *inner, !holds));
        }
        match (self.bounds(terms, part), holds) {
            (Ok(bounds), true) => bounds.into_iter().flatten().all(|bound| self.keep(bound)),
            (Ok([Some(bound), None]), false) => self.keep(bound.opposite()),
            _ => true,
        }
    }

    /// Whether a condition holds.
    pub fn truth(&self, terms: &Terms, condition: Term) -> Result<bool, Doubt> {
        let truth = |part: Term| ir::deep(|| self.truth(terms, part));
        match *terms.node(condition) {
            _ if !self.is_timed() || !terms.has_clock(condition) => self.plain(terms, condition),
            Node::Not(inner) => truth(inner).map(|holds| !holds),
            Node::And(ref list) => junction(list.iter().map(|part| truth(*part)), false),
            Node::Or(ref list) => junction(list.iter().map(|part| truth(*part)), true),
            Node::Ite(condition, then, otherwise) => truth(if truth(condition)? { then } else { otherwise }),
            Node::Eq(a, b) if terms.type_of(a) == Type::Bool => Ok(truth(a)? == truth(b)?),
            Node::Le(..) | Node::Lt(..) | Node::Eq(..) => match self.plain(terms, condition) {
                Err(Doubt::Value(var)) if self.is_clock(var) => {
                    let bounds = self.bounds(terms, condition)?;
                    junction(bounds.into_iter().flatten().map(|bound| self.meets(bound)), false)
                }
                other => other,
            },
            _ => self.plain(terms, condition),
        }
    }
    /// The same by values alone.
    fn plain(&self, terms: &Terms, condition: Term) -> Result<bool, Doubt> {
        self.eval(terms, condition).map(|value| *value == Value::Bool(true))
    }
    /// Whether all valuations of the zone meet a bound, or none does.
    fn meets(&self, bound: Bound) -> Result<bool, Doubt> {
        match bound {
            Bound { plus, minus, limit } if self.zone.limit(plus, minus) <= limit => Ok(true),
            Bound { plus, minus, limit } if !self.zone.meets(plus, minus, limit) => Ok(false),
            _ => Err(Doubt::Bound(bound)),
        }
    }
    /// The bounds that together say what a comparison of numbers says: two for an equality.
    fn bounds(&self, terms: &Terms, comparison: Term) -> Result<[Option<Bound>; 2], Doubt> {
        let (a, b, strict, both) = match *terms.node(comparison) {
            Node::Le(a, b) => (a, b, false, false),
            Node::Lt(a, b) => (a, b, true, false),
            Node::Eq(a, b) => (a, b, false, true),
            _ => return Err(Doubt::Unread),
        };
        let mut sum = Sum::default();
        self.add(terms, a, 1, &mut sum)?;
        self.add(terms, b, -1, &mut sum)?;
        let Sum { plus, minus, constant } = sum;
        if constant.abs() > LARGEST {
            return Err(Doubt::Unread);
        }
        let upper = Bound { plus, minus, limit: bound(-constant, strict) };
        let lower = Bound { plus: minus, minus: plus, limit: bound(constant, strict) };
        Ok([Some(upper), both.then_some(lower)])
    }
    /// Adds a number, or subtracts it if the sign is -1.
    fn add(&self, terms: &Terms, number: Term, sign: i64, sum: &mut Sum) -> Result<(), Doubt> {
        let mut next = |part: Term, sign: i64| ir::deep(|| self.add(terms, part, sign, sum));
        match terms.node(number) {
            Node::Add(list) => list.iter().try_for_each(|part| next(*part, sign)),
            Node::Mul(list) if list.len() == 2 && terms.as_const(list[0]) == Some(&Value::int(-1)) => {
                next(list[1], -sign)
            }
            Node::Var(var, _) if self.is_clock(*var) => {
                let place = if sign > 0 { &mut sum.plus } else { &mut sum.minus };
                let other = std::mem::replace(place, self.numbers[var.index()]);
                if other == 0 { Ok(()) } else { Err(Doubt::Unread) }
            }
            _ => {
                let value = integral(&*self.eval(terms, number)?).ok_or(Doubt::Unread)?;
                sum.constant += sign * value;
                Ok(())
            }
        }
    }
}

/// `plus - minus + constant`, over numbers of clocks, of which 0 is none.
#[derive(Default)]
struct Sum {
    plus: usize,
    minus: usize,
    constant: i64,
}

/// An integer of moderate size.
fn integral(value: &Value) -> Option<i64> {
    let value = match value {
        Value::Int(value) => value.to_i64()?,
        Value::Rat(value) if value.denominator() == Int::ONE => value.numerator().to_i64()?,
        _ => return None,
    };
    (-LARGEST..=LARGEST).contains(&value).then_some(value)
}

/// A conjunction, which `false` decides whatever else is in doubt, or a disjunction, which `true` does.
fn junction(parts: impl Iterator<Item = Result<bool, Doubt>>, decided_by: bool) -> Result<bool, Doubt> {
    let mut doubt = None;
    for part in parts {
        match part {
            Ok(holds) if holds == decided_by => return Ok(decided_by),
            Ok(_) => {}
            Err(why) => doubt = doubt.or(Some(why)),
        }
    }
    doubt.map_or(Ok(!decided_by), Err)
}
