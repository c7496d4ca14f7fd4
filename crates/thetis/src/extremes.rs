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
use crate::limits::Limits;
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

/// A delay after which every clock is greater than any number that a model computes: 2^1024. Its variables and constants
/// have at most 64 bits.
fn long() -> Rat {
    (0..5).fold(Rat::from(1 << 32), |number, _| &number * &number)
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
        let _watch = check.watch(stop)?;
        // The limits are those of all answers together.
        let check = &Check { limits: Limits::default(), ..check.clone() };
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
        let first = self.answer(self.question)?;
        match first.outcome {
            Outcome::Holds => {}
            Outcome::Violated => return Ok(Found::without_run(Extremum::Nowhere, first)),
            _ => return Ok(Found::without_run(Extremum::Open(None), first)),
        }
        let Some(low) = self.reached(&first, way) else {
            return Ok(Found {
                extremum: Extremum::Open(None),
                shown: Some(Box::new(first)),
                excluded: None,
            });
        };
        self.climb(way, low, first)
    }
    /// Goes on from a state that is so far, which the run of an answer leads to.
    fn climb(&mut self, way: Way, mut low: i64, mut shown: Answered) -> Result<Found, CannotCheck> {
        // Everything from `high` on is out of reach, once that is known.
        let (mut high, mut excluded): (Option<i64>, Option<Answered>) = (None, None);
        let mut step = 1;
        if let Some(run) = self.stretched(&shown, way) {
            return Ok(self.unbounded(shown, &run));
        }
        while high != Some(low.saturating_add(1)) {
            if !(-FARTHEST..=FARTHEST).contains(&low) {
                return Ok(self.open(way, low, shown, None));
            }
            let next = match high {
                Some(high) => low + (high - low) / 2,
                None => low.saturating_add(step),
            };
            let answered = if next > FARTHEST { None } else { self.compared(way, false, next)? };
            match answered {
                Some(answered) if answered.outcome == Outcome::Violated => {
                    (high, excluded) = (Some(next), Some(answered));
                }
                Some(answered) if answered.outcome == Outcome::Holds => {
                    low = self.reached(&answered, way).map_or(next, |far| far.max(next));
                    step *= 2;
                    shown = answered;
                    if let Some(run) = self.stretched(&shown, way) {
                        return Ok(self.unbounded(shown, &run));
                    }
                }
                open => return Ok(self.open(way, low, shown, open)),
            }
        }
        let attained = Found {
            extremum: Extremum::Attained(way.turned(low)),
            shown: Some(Box::new(shown)),
            excluded: excluded.map(Box::new),
        };
        if self.measure.dense { self.approach(way, low, attained) } else { Ok(attained) }
    }
    /// The same for a clock, which may get beyond `low` although it does not get as far as the next whole number.
    fn approach(&mut self, way: Way, low: i64, near: Found) -> Result<Found, CannotCheck> {
        let beyond = self.compared(way, true, low)?.map(Box::new);
        Ok(match beyond.as_ref().map(|beyond| &beyond.outcome) {
            Some(Outcome::Violated) => Found { excluded: beyond, ..near },
            Some(Outcome::Holds) => {
                Found { extremum: Extremum::Approached(way.turned(low + 1)), shown: beyond, ..near }
            }
            _ => Found { extremum: Extremum::Open(Some(way.turned(low))), excluded: beyond, ..near },
        })
    }
    /// What is known once a run shows that there is no bound.
    fn unbounded(&self, mut shown: Answered, run: &Run) -> Found {
        let reference = Some(shown.reference.clone());
        shown.trace = Some(Lift::new(self.model, &shown.system).trace(run, reference, Ends::Target));
        Found { extremum: Extremum::Unbounded, shown: Some(Box::new(shown)), excluded: None }
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
    /// A run like that of an answer on which more time passes somewhere than any number of the model, and what is
    /// measured grows with it, if there is one.
    fn stretched(&self, answered: &Answered, way: Way) -> Option<Run> {
        let run = answered.run().filter(|_| self.measure.dense)?;
        let mut system = System::clone(&answered.system);
        let question = system.question(answered.property.claim);
        for at in (0..=run.steps.len()).rev().take(MOST_STRETCHED) {
            let Some(longer) = self.stretched_at(&mut system, run, at) else { continue };
            let reaches = || certify::check_run(&system, &question, &longer, self.stop.flag());
            if self.grows(&system, run, &longer, way) && reaches() == Ok(Reached::Target) {
                return Some(longer);
            }
        }
        None
    }
    /// The run with more time in this step, where 0 is before the first, if its statements can be executed so.
    fn stretched_at(&self, system: &mut System, run: &Run, at: usize) -> Option<Run> {
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
        let longer = replay::run(system, &longer, |system, leg, (decisions, after)| {
            let mut interp = Interp::new(system, Some(self.stop.flag()));
            Ok::<_, NoStep>(interp.follow(leg.stmt, leg.source(after), decisions).ok().flatten())
        });
        longer.ok()
    }
    /// Whether what is measured at the end of a run grows by all of the time that it is longer.
    fn grows(&self, system: &System, run: &Run, longer: &Run, way: Way) -> bool {
        let value = |run: &Run| match measured(system, run.last(), self.measure)? {
            Value::Rat(value) => Some(*value),
            _ => None,
        };
        let (Some(before), Some(after)) = (value(run), value(longer)) else { return false };
        match way {
            Way::Up => &after - &before >= long(),
            Way::Down => &before - &after >= long(),
        }
    }
}

/// What is measured in a state, if its value is known.
pub(crate) fn measured(system: &System, state: &State, measure: &Measure) -> Option<Value> {
    let (_, term) = measure.ways.iter().find(|(when, _)| holds(system, state, *when))?;
    let at = At { system, state };
    let value = eval(&system.terms, &at, *term).ok()?;
    Some(value.into_owned())
}

fn holds(system: &System, state: &State, condition: Term) -> bool {
    matches!(eval(&system.terms, &At { system, state }, condition).as_deref(), Ok(Value::Bool(true)))
}

impl Found {
    /// What an answer says that no run leads to such a state, or that is missing.
    fn without_run(extremum: Extremum, answered: Answered) -> Self {
        Found { extremum, shown: None, excluded: Some(Box::new(answered)) }
    }
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
