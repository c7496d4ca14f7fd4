//! Extremes: the least and the greatest value that something has in the reachable states that a question looks for.
//!
//! That `sup e = v` is two answers about reachability: a run to a state where `e >= v`, and a proof that none leads to
//! one where `e > v`. Both are asked as the user could ask them, in the language of the model, so that their evidence can
//! be written, shown and validated like any other. Where to ask is found by doubling steps and then halving them.
//!
//! A clock may only approach its extreme. All constants of a timed automaton are whole, so that its reachable valuations
//! are a union of regions, and within a region a clock that is not whole has every value between two whole numbers. So if
//! `x >= v + 1` is out of reach and `x > v` is not, then the supremum is `v + 1`, and no state has it.
//!
//! A clock is unbounded if it grows with a delay of a run that is made larger than all numbers of the model: if that delay
//! grows still more, all comparisons on the way come out as before, and the clock grows with it.

use std::sync::Arc;

use certify::Reached;
use engine::{Observer, Stop};
use ir::eval::eval;
use ir::interp::Interp;
use ir::replay::{self, NoStep};
use ir::{Decision, Rat, Run, State, System, Term, Value};
use lang::{Extreme, Measure, Question, Relation};

use crate::check::{Answered, CannotCheck, Check, Outcome};
use crate::load::Model;
use crate::trace::Ends;
use crate::trace::lift::Lift;
use crate::verdict::At;

/// What is known of the extremes of one expression.
#[derive(Debug)]
pub struct Measured {
    /// What was measured.
    pub measure: Measure,
    /// The least value, if it was asked for.
    pub least: Option<Found>,
    /// The greatest value, if it was asked for.
    pub greatest: Option<Found>,
}

/// What is known of an extreme.
#[derive(Debug)]
pub struct Found {
    /// What it is.
    pub extremum: Extremum,
    /// The last answer that there is a state with such a value, with its run.
    pub shown: Option<Box<Answered>>,
    /// The last answer that there is none beyond, or the one that is missing.
    pub excluded: Option<Box<Answered>>,
}

/// An extreme value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Extremum {
    /// This value, and a state has it.
    Attained(i64),
    /// This value, which states come as near to as one likes; none has it.
    Approached(i64),
    /// Any value is surpassed.
    Unbounded,
    /// There is no state that the question looks for.
    Nowhere,
    /// Not known; at least this value is attained or surpassed, if one is known.
    Open(Option<i64>),
}

/// The stable code of a value that is beyond what is looked for.
pub const TOO_FAR: &str = "value-limit";

/// Numbers up to this are compared with; what surpasses them is not followed further.
const FARTHEST: i64 = 1 << 28;

/// A delay after which every clock is greater than any number in a model, which has 64 bits: 2^80.
fn long() -> Rat {
    let half = Rat::from(1 << 40);
    &half * &half
}

/// In so many of the last steps of a run, more time is tried to pass.
const MOST_STRETCHED: usize = 64;

impl Model {
    /// The extremes that a question asks for ([`Question::values`]), one after the other.
    ///
    /// # Errors
    /// If its part of the runs cannot be looked at.
    pub fn extremes(
        &mut self,
        question: &Question,
        check: &Check,
        stop: &Arc<Stop>,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Measured>, CannotCheck> {
        let mut list = vec![];
        for measure in &question.values {
            let mut ascent = Ascent { model: self, question, measure, check, stop, observer };
            let least = match measure.extreme {
                Extreme::Least | Extreme::Both => Some(ascent.find(Way::Down)?),
                Extreme::Greatest => None,
            };
            let greatest = match measure.extreme {
                Extreme::Greatest | Extreme::Both => Some(ascent.find(Way::Up)?),
                Extreme::Least => None,
            };
            list.push(Measured { measure: measure.clone(), least, greatest });
        }
        Ok(list)
    }
}

/// Which extreme is looked for. Numbers are turned around on the way down, so that more is always farther.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Way {
    Down,
    Up,
}

impl Way {
    /// The number as the user counts, from how far it is, and back.
    fn turned(self, far: i64) -> i64 {
        match self {
            Way::Up => far,
            Way::Down => far.saturating_neg(),
        }
    }
    fn relation(self, strict: bool) -> Relation {
        match (self, strict) {
            (Way::Up, false) => Relation::AtLeast,
            (Way::Up, true) => Relation::MoreThan,
            (Way::Down, false) => Relation::AtMost,
            (Way::Down, true) => Relation::LessThan,
        }
    }
}

/// The search for one extreme.
struct Ascent<'a> {
    model: &'a mut Model,
    question: &'a Question,
    measure: &'a Measure,
    check: &'a Check,
    stop: &'a Arc<Stop>,
    observer: &'a mut dyn Observer,
}

impl Ascent<'_> {
    fn find(&mut self, way: Way) -> Result<Found, CannotCheck> {
        let first = self.answer(&self.question.clone())?;
        let mut low = match self.reached(&first, way) {
            Some(low) => low,
            None => {
                let extremum = match first.outcome {
                    Outcome::Violated => Extremum::Nowhere,
                    _ => Extremum::Open(None),
                };
                return Ok(Found { extremum, shown: None, excluded: Some(Box::new(first)) });
            }
        };
        let mut shown = first;
        // Everything from `high` on is out of reach, once that is known.
        let (mut high, mut excluded): (Option<i64>, Option<Answered>) = (None, None);
        let mut step = 1;
        while high != Some(low.saturating_add(1)) {
            if !(-FARTHEST..=FARTHEST).contains(&low) {
                return Ok(self.open(way, low, shown, None));
            }
            if let Some(run) = self.stretched(&shown, way).filter(|_| self.measure.dense) {
                let reference = Some(shown.reference.clone());
                shown.trace = Some(Lift::new(self.model, &shown.system).trace(&run, reference, Ends::Target));
                let shown = Some(Box::new(shown));
                return Ok(Found { extremum: Extremum::Unbounded, shown, excluded: None });
            }
            let next = match high {
                Some(high) => low + (high - low) / 2,
                None => low.saturating_add(step),
            };
            let answered = if next > FARTHEST { None } else { self.compared(way, false, next)? };
            match answered {
                Some(answered) if matches!(answered.outcome, Outcome::Violated) => {
                    (high, excluded) = (Some(next), Some(answered));
                }
                Some(answered) if matches!(answered.outcome, Outcome::Holds) => {
                    low = self.reached(&answered, way).map_or(next, |far| far.max(next));
                    step *= 2;
                    shown = answered;
                }
                open => return Ok(self.open(way, low, shown, open)),
            }
        }
        let mut extremum = Extremum::Attained(way.turned(low));
        if self.measure.dense {
            let Some(beyond) = self.compared(way, true, low)? else {
                return Ok(self.open(way, low, shown, None));
            };
            match beyond.outcome {
                Outcome::Violated => excluded = Some(beyond),
                Outcome::Holds => {
                    extremum = Extremum::Approached(way.turned(low + 1));
                    shown = beyond;
                }
                _ => return Ok(self.open(way, low, shown, Some(beyond))),
            }
        }
        Ok(Found { extremum, shown: Some(Box::new(shown)), excluded: excluded.map(Box::new) })
    }
    fn open(&self, way: Way, low: i64, shown: Answered, open: Option<Answered>) -> Found {
        let extremum = Extremum::Open(Some(way.turned(low)));
        Found { extremum, shown: Some(Box::new(shown)), excluded: open.map(Box::new) }
    }
    /// Whether a state is reachable with a value as far as this, or farther; `None` if that cannot be asked.
    fn compared(&mut self, way: Way, strict: bool, far: i64) -> Result<Option<Answered>, CannotCheck> {
        let (relation, value) = (way.relation(strict), way.turned(far));
        let text = self.model.lowered.language.threshold(self.measure, relation, value);
        let asked = text.and_then(|text| self.model.ask(&text).ok());
        asked.map(|asked| self.answer(&asked)).transpose()
    }
    fn answer(&mut self, question: &Question) -> Result<Answered, CannotCheck> {
        let mut answer = None;
        let tell = &mut |_: usize, answered: Answered| answer = Some(answered);
        self.model.check_all(&[question], self.check, self.stop, self.observer, tell)?;
        Ok(answer.expect("every question is answered"))
    }
    /// How far the value at the end of a run is, rounded towards the near.
    fn reached(&self, answered: &Answered, way: Way) -> Option<i64> {
        let run = answered.run().filter(|_| matches!(answered.outcome, Outcome::Holds))?;
        let value = measured(&answered.system, run.last(), self.measure)?;
        let rounded = match (value, way) {
            (Value::Int(value), _) => value.to_i64()?,
            (Value::Rat(value), Way::Up) => value.floor().to_i64()?,
            (Value::Rat(value), Way::Down) => value.ceil().to_i64()?,
            _ => return None,
        };
        Some(way.turned(rounded))
    }
    /// A run like that of an answer on which more time passes somewhere than any constant of the model, if there is one.
    fn stretched(&self, answered: &Answered, way: Way) -> Option<Run> {
        let run = answered.run()?;
        let delays = (0..=run.steps.len()).rev().take(MOST_STRETCHED);
        delays.filter_map(|at| self.stretched_at(answered, run, at, way)).next()
    }
    /// The same if the time passes in this step, where 0 is before the first.
    fn stretched_at(&self, answered: &Answered, run: &Run, at: usize, way: Way) -> Option<Run> {
        let mut longer = run.clone();
        let decisions = match at.checked_sub(1) {
            None => &mut longer.decisions,
            Some(step) => &mut longer.steps[step].decisions,
        };
        let delay = decisions.iter_mut().rev().find_map(|decision| match decision {
            Decision::Delay(amount) => Some(amount),
            _ => None,
        })?;
        *delay = &*delay + &long();
        let mut system = System::clone(&answered.system);
        let longer = replay::run(&mut system, &longer, |system, leg, (decisions, after)| {
            let followed =
                Interp::new(system, Some(self.stop.flag())).follow(leg.stmt, leg.source(after), decisions);
            Ok::<_, NoStep>(followed.ok().flatten())
        });
        let longer = longer.ok()?;
        let value = |state: &State| match measured(&system, state, self.measure)? {
            Value::Rat(value) => Some(*value),
            Value::Int(value) => Some(Rat::from(value.to_i64()?)),
            _ => None,
        };
        let grown = &value(longer.last())? - &value(run.last())?;
        let far = match way {
            Way::Up => grown >= long(),
            Way::Down => grown <= &Rat::ZERO - &long(),
        };
        let question = system.question(answered.property.claim);
        let right =
            far && certify::check_run(&system, &question, &longer, self.stop.flag()) == Ok(Reached::Target);
        right.then_some(longer)
    }
}

/// What is measured in a state, if its value is known.
fn measured(system: &System, state: &State, measure: &Measure) -> Option<Value> {
    let (_, term) = measure.ways.iter().find(|(when, _)| holds(system, state, *when))?;
    let at = At { system, state };
    let value = eval(&system.terms, &at, *term).ok()?;
    Some(value.into_owned())
}

fn holds(system: &System, state: &State, condition: Term) -> bool {
    matches!(eval(&system.terms, &At { system, state }, condition).as_deref(), Ok(Value::Bool(true)))
}

impl Found {
    /// The run to a state with the extreme value, or one near to it.
    pub fn run(&self) -> Option<&Run> {
        self.shown.as_ref()?.run()
    }
    /// Whether everything that shows it has been checked.
    pub fn is_certified(&self) -> bool {
        let mut shown = [&self.shown, &self.excluded].into_iter().flatten();
        shown.all(|answered| answered.certified)
    }
}
