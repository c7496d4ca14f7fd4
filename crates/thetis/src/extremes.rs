//! Extremes: the least and the greatest value that something has in the reachable states that a question looks for.
//!
//! That `sup e = v` is two answers about reachability: a run to a state where `e >= v`, and a proof that none leads to
//! one where `e > v`. Both are asked as the user could ask them, in the language of the model, so that their evidence can
//! be written, shown and validated like any other. Where to ask is found by doubling steps and then halving them.
//!
//! A clock may only approach its extreme. All constants of a timed automaton are whole, so that its reachable valuations
//! are a union of regions, and within a region a clock that is not whole has every value between two whole numbers. So if
//! `x >= v + 1` is out of reach and `x > v` is not, then the supremum is `v + 1`, and no state has it. That is so no more
//! where clocks stand still or are added up; then the supremum is only known to be between the two.
//!
//! That a clock has no bound is shown by a run with a delay that may be any longer, or with steps that can be repeated for
//! ever ([`growth`]). Where neither is found, the search ends at long runs and large numbers, and says how far it got.

mod growth;

use std::sync::Arc;

use engine::{Observer, Stop};
use ir::eval::eval;
use ir::{Run, State, System, Term, Value};
use lang::{Extreme, Grain, Measure, Question, Relation};

use crate::check::{Answered, CannotCheck, Check, Outcome};
use crate::extremes::growth::Growing;
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
    /// The steps of the run, from the first to the last, that surpass any value if they are repeated often enough.
    pub repeats: Option<(usize, usize)>,
    /// Why no further question was asked, where the extreme is open for that reason.
    pub given_up: Option<GivenUp>,
}

/// Why the search for an extreme was given up.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum GivenUp {
    /// The value is beyond the numbers that are compared with, or cannot be compared.
    TooFar,
    /// The run to a value has too many steps, so many, for one to a greater value.
    TooLong(usize),
    /// The first value is surpassed, the second is not, and what is between need not be whole.
    Between(i64, i64),
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

/// Clocks are compared with numbers up to this; what surpasses them is not followed further.
const FARTHEST: i64 = 1 << 28;

/// The same for integers, which have bounds of their own; so far, sums of such numbers are still numbers.
const FARTHEST_WHOLE: i64 = 1 << 60;

/// A run with more steps than this is not made longer in search of a bound of a clock that is not known to have one.
const LONGEST: usize = 1 << 11;

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
            return Ok(Found::given_up(Extremum::Open(None), first, GivenUp::TooFar));
        };
        self.climb(way, low, first)
    }
    /// Goes on from a state that is so far, which the run of an answer leads to.
    fn climb(&mut self, way: Way, mut low: i64, mut shown: Answered) -> Result<Found, CannotCheck> {
        // Everything from `high` on is out of reach, once that is known.
        let (mut high, mut excluded): (Option<i64>, Option<Answered>) = (None, None);
        let mut step = 1;
        if let Some(run) = self.growing(&shown, way) {
            return Ok(self.unbounded(shown, &run));
        }
        while high != Some(low.saturating_add(1)) {
            if let Some(why) = self.given_up(low, high, &shown) {
                return Ok(Found::given_up(Extremum::Open(Some(way.turned(low))), shown, why));
            }
            let next = match high {
                Some(high) => low + (high - low) / 2,
                None => low.saturating_add(step),
            };
            let answered = if next > self.farthest() { None } else { self.compared(way, false, next)? };
            match answered {
                Some(answered) if answered.outcome == Outcome::Violated => {
                    (high, excluded) = (Some(next), Some(answered));
                }
                Some(answered) if answered.outcome == Outcome::Holds => {
                    low = self.reached(&answered, way).map_or(next, |far| far.max(next));
                    step = step.saturating_mul(2);
                    shown = answered;
                    if let Some(run) = self.growing(&shown, way) {
                        return Ok(self.unbounded(shown, &run));
                    }
                }
                Some(open) => {
                    let excluded = Some(Box::new(open));
                    return Ok(Found {
                        excluded,
                        ..Found::new(Extremum::Open(Some(way.turned(low))), shown)
                    });
                }
                None => {
                    let open = Extremum::Open(Some(way.turned(low)));
                    return Ok(Found::given_up(open, shown, GivenUp::TooFar));
                }
            }
        }
        let excluded = excluded.map(Box::new);
        let attained = Found { excluded, ..Found::new(Extremum::Attained(way.turned(low)), shown) };
        if self.is_clock() { self.approach(way, low, attained) } else { Ok(attained) }
    }
    /// The same for a clock, which may get beyond `low` although it does not get as far as the next whole number.
    fn approach(&mut self, way: Way, low: i64, near: Found) -> Result<Found, CannotCheck> {
        let beyond = self.compared(way, true, low)?.map(Box::new);
        Ok(match beyond.as_ref().map(|beyond| &beyond.outcome) {
            Some(Outcome::Violated) => Found { excluded: beyond, ..near },
            Some(Outcome::Holds) if self.measure.grain == Grain::Fraction => Found {
                extremum: Extremum::Open(Some(way.turned(low))),
                shown: beyond,
                excluded: None,
                given_up: Some(GivenUp::Between(way.turned(low), way.turned(low + 1))),
                ..near
            },
            Some(Outcome::Holds) => {
                Found { extremum: Extremum::Approached(way.turned(low + 1)), shown: beyond, ..near }
            }
            _ => Found { extremum: Extremum::Open(Some(way.turned(low))), excluded: beyond, ..near },
        })
    }
    /// What is known once a run shows that there is no bound.
    fn unbounded(&self, mut shown: Answered, growing: &Growing) -> Found {
        let reference = Some(shown.reference.clone());
        shown.trace = Some(Lift::new(self.model, &shown.system).trace(&growing.run, reference, Ends::Target));
        Found { repeats: growing.repeats, ..Found::new(Extremum::Unbounded, shown) }
    }
    /// How far values are followed.
    fn farthest(&self) -> i64 {
        if self.is_clock() { FARTHEST } else { FARTHEST_WHOLE }
    }
    fn is_clock(&self) -> bool {
        self.measure.grain != Grain::Whole
    }
    /// Why nothing farther is looked for. Whole numbers are bounded by their types, and what has been excluded bounds
    /// the rest.
    fn given_up(&self, low: i64, high: Option<i64>, shown: &Answered) -> Option<GivenUp> {
        let steps = shown.run().map_or(0, |run| run.steps.len());
        if !(-self.farthest()..=self.farthest()).contains(&low) {
            return Some(GivenUp::TooFar);
        }
        (self.is_clock() && high.is_none() && steps > LONGEST).then_some(GivenUp::TooLong(steps))
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
    /// What the run of an answer shows.
    fn new(extremum: Extremum, shown: Answered) -> Self {
        Found { extremum, shown: Some(Box::new(shown)), excluded: None, repeats: None, given_up: None }
    }
    /// What an answer says that no run leads to such a state, or that is missing.
    fn without_run(extremum: Extremum, answered: Answered) -> Self {
        Found { extremum, shown: None, excluded: Some(Box::new(answered)), repeats: None, given_up: None }
    }
    fn given_up(extremum: Extremum, shown: Answered, why: GivenUp) -> Self {
        Found { given_up: Some(why), ..Found::new(extremum, shown) }
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
