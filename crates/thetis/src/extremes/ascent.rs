//! One extreme: what is known of it, and what to ask next.
//!
//! Numbers are turned around on the way down, so that more is always farther. Invariant: a state is as far as `low`, which
//! `shown` shows, and none is as far as `high`, which `excluded` shows. It is over when there is nothing between them.

use engine::Stop;
use engine::explicit::Probe;
use ir::{System, Term, Value};
use lang::{Grain, Measure, Question, Relation};

use super::growth::Growing;
use super::{Extremum, Found, GivenUp, Part, measured};
use crate::check::{Answered, Outcome};
use crate::load::Model;
use crate::trace::Ends;
use crate::trace::lift::Lift;

/// Clocks are compared with numbers up to this; what surpasses them is not followed further.
const FARTHEST: i64 = 1 << 28;

/// The same for integers, which have bounds of their own; so far, sums of such numbers are still numbers.
const FARTHEST_WHOLE: i64 = 1 << 60;

/// A run with more steps than this is not made longer in search of a bound of a clock that is not known to have one.
const LONGEST: usize = 1 << 11;

/// Which extreme is looked for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Way {
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

/// What is asked about an extreme.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Ask {
    /// Whether there is any state to look at.
    Somewhere,
    /// Whether one is as far as this.
    AsFar(i64),
    /// Whether one is farther than this, to which nothing is next.
    Farther(i64),
    /// Whether something is waited for without end.
    Endless,
}

/// The search for one extreme.
pub(super) struct Ascent<'a> {
    /// The number of the question.
    pub(super) number: usize,
    pub(super) question: &'a Question,
    pub(super) measure: &'a Measure,
    pub(super) way: Way,
    /// Whether only the first part of runs is looked at.
    pub(super) limited: bool,
    pub(super) stop: &'a Stop,
    /// What came out, once it is over.
    pub(super) found: Option<Found>,
    /// Whether it is over.
    over: bool,
    low: i64,
    shown: Option<Answered>,
    high: Option<i64>,
    excluded: Option<Answered>,
    /// As far as somebody has seen a state, without evidence.
    hint: Option<i64>,
    /// How much farther is asked next, while there is no bound.
    step: i64,
    /// An answer to what was asked last that says nothing.
    missing: Option<Answered>,
    /// Whether anything was learned by what was asked last.
    learned: bool,
    /// Whether nothing is waited for without end, as far as that is asked.
    ends: bool,
}

impl<'a> Ascent<'a> {
    pub(super) fn new(
        number: usize,
        (question, measure): (&'a Question, &'a Measure),
        way: Way,
        limited: bool,
        stop: &'a Stop,
    ) -> Self {
        Ascent {
            number,
            question,
            measure,
            way,
            limited,
            stop,
            found: None,
            over: false,
            low: i64::MIN,
            shown: None,
            high: None,
            excluded: None,
            hint: None,
            step: 1,
            missing: None,
            learned: false,
            ends: measure.grain != Grain::Response,
        }
    }
    pub(super) fn is_over(&self) -> bool {
        self.over
    }
    pub(super) fn is_clock(&self) -> bool {
        self.measure.grain != Grain::Whole
    }
    /// What to look at where `target` holds, to see how far states are.
    pub(super) fn probe(&self, system: &mut System, target: Term) -> Probe {
        let terms = &mut system.terms;
        let anywhere = terms.or(self.measure.ways.iter().map(|(when, _)| *when));
        let when = terms.and([target, anywhere]);
        let ways = self.measure.ways.iter().rev().copied();
        let value = ways.reduce(|(_, rest), (when, value)| (when, terms.ite(when, value, rest)));
        let value = value.map_or_else(|| terms.int(0), |(_, value)| value);
        let value = if self.way == Way::Up { value } else { terms.neg(value) };
        Probe { when, value }
    }
    /// Takes in how far somebody has seen a state.
    pub(super) fn seen(&mut self, far: Option<i64>) {
        self.hint = far.filter(|far| self.shown.is_none() || *far > self.low).or(self.hint);
    }
    /// What is to be asked now. There is something as long as it is not over and everything may be asked.
    pub(super) fn asks(&mut self, part: Part) -> Vec<Ask> {
        (self.missing, self.learned) = (None, false);
        match (self.hint, part) {
            (Some(far), Part::Seen) => vec![Ask::AsFar(far)],
            (Some(far), Part::All) => vec![Ask::AsFar(far), Ask::AsFar(far.saturating_add(1))],
            (None, Part::Beyond) if self.shown.is_some() => vec![Ask::AsFar(self.low.saturating_add(1))],
            (None, Part::All) => self.next().into_iter().collect(),
            _ => vec![],
        }
    }
    fn next(&mut self) -> Option<Ask> {
        let Some(shown) = &self.shown else { return Some(Ask::Somewhere) };
        if !self.ends {
            return Some(Ask::Endless);
        }
        let (low, high) = (self.low, self.high);
        if high == Some(low.saturating_add(1)) {
            return Some(Ask::Farther(low));
        }
        // Whole numbers are bounded by their types, and what has been excluded bounds the rest.
        let steps = shown.run().map_or(0, |run| run.steps.len());
        let next = match high {
            Some(high) => low + (high - low) / 2,
            None => low.saturating_add(self.step),
        };
        let farthest = self.farthest();
        let why = if !(-farthest..=farthest).contains(&low) || next > farthest {
            GivenUp::TooFar
        } else if self.is_clock() && high.is_none() && steps > LONGEST {
            GivenUp::TooLong(steps)
        } else {
            return Some(Ask::AsFar(next));
        };
        self.give_up(why);
        None
    }
    /// How far values are followed.
    fn farthest(&self) -> i64 {
        if self.is_clock() { FARTHEST } else { FARTHEST_WHOLE }
    }
    /// The question in the language of the model, if it can be asked.
    pub(super) fn question(&self, model: &mut Model, ask: Ask) -> Option<Question> {
        let (strict, far) = match ask {
            Ask::Somewhere => return Some(self.question.clone()),
            Ask::Endless => return model.ask(&format!("not ({})", self.measure.text)).ok(),
            Ask::AsFar(far) if far > self.farthest() => return None,
            Ask::AsFar(far) => (false, far),
            Ask::Farther(far) => (true, far),
        };
        let (relation, value) = (self.way.relation(strict), self.way.turned(far));
        let text = model.lowered.language.threshold(self.measure, relation, value)?;
        model.ask(&text).ok()
    }
    /// Takes in that something cannot be asked.
    pub(super) fn cannot_ask(&mut self) {
        if self.hint.take().is_none() {
            self.give_up(GivenUp::TooFar);
        }
    }
    /// Takes in an answer.
    pub(super) fn take(&mut self, model: &Model, ask: Ask, answered: Answered) {
        match (ask, &answered.outcome) {
            _ if self.over => {}
            (Ask::Somewhere, Outcome::Violated) => {
                self.end(Found::without_run(Extremum::Nowhere, answered));
            }
            (Ask::Somewhere, Outcome::Holds) => match self.reached(&answered) {
                Some(far) => self.show(model, far, answered),
                None => self.end(Found::given_up(Extremum::Open(None), answered, GivenUp::TooFar)),
            },
            (Ask::AsFar(far), Outcome::Holds) => {
                let far = self.reached(&answered).map_or(far, |reached| reached.max(far));
                self.step = self.step.saturating_mul(2);
                self.show(model, far, answered);
            }
            (Ask::AsFar(far), Outcome::Violated) => {
                if self.high.is_none_or(|high| far < high) {
                    (self.high, self.excluded, self.learned) = (Some(far), Some(answered), true);
                }
                self.hint = self.hint.filter(|hint| *hint < far);
                self.settle();
            }
            (Ask::Endless, Outcome::Holds) => self.end(Found::new(Extremum::Unbounded, answered)),
            (Ask::Endless, Outcome::Violated) => (self.ends, self.learned) = (true, true),
            (Ask::Farther(_), Outcome::Holds | Outcome::Violated) => self.approach(answered),
            _ => self.missing = Some(answered),
        }
    }
    /// Takes in a run to a state that is so far.
    fn show(&mut self, model: &Model, far: i64, answered: Answered) {
        if self.shown.is_none() || far > self.low {
            self.learned = true;
            if let Some(growing) = self.growing(&answered) {
                let found = unbounded(model, answered, &growing);
                return self.end(found);
            }
            (self.low, self.shown) = (far, Some(answered));
        }
        self.hint = self.hint.filter(|hint| *hint > self.low);
        self.settle();
    }
    /// Ends where nothing is between what is shown and what is excluded. A clock may still get beyond the one although it
    /// does not get as far as the other.
    fn settle(&mut self) {
        if self.is_clock() || self.shown.is_none() || self.high != Some(self.low.saturating_add(1)) {
            return;
        }
        let (shown, excluded) = (self.shown.take(), self.excluded.take().map(Box::new));
        let shown = shown.expect("there is one");
        self.end(Found { excluded, ..Found::new(Extremum::Attained(self.way.turned(self.low)), shown) });
    }
    /// Takes in whether a clock gets beyond `low`, where the next whole number is excluded.
    fn approach(&mut self, beyond: Answered) {
        let (low, way) = (self.low, self.way);
        let shown = self.shown.take().expect("a state is as far");
        let excluded = self.excluded.take().map(Box::new);
        let near = Found { excluded, ..Found::new(Extremum::Attained(way.turned(low)), shown) };
        let found = match beyond.outcome {
            Outcome::Violated => Found { excluded: Some(Box::new(beyond)), ..near },
            _ if self.measure.grain == Grain::Fraction => Found {
                extremum: Extremum::Open(Some(way.turned(low))),
                shown: Some(Box::new(beyond)),
                excluded: None,
                given_up: Some(GivenUp::Between(way.turned(low), way.turned(low + 1))),
                ..near
            },
            _ => {
                let extremum = Extremum::Approached(way.turned(low + 1));
                Found { extremum, shown: Some(Box::new(beyond)), ..near }
            }
        };
        self.end(found);
    }
    /// Ends if nothing was learned by what was asked last.
    pub(super) fn conclude(&mut self) {
        if self.over || self.learned {
            return;
        }
        // A hint that nobody can show is none.
        let Some(missing) = self.missing.take() else { return self.hint = None };
        let open = Extremum::Open(self.shown.is_some().then(|| self.way.turned(self.low)));
        let found = match self.shown.take() {
            Some(shown) => Found { excluded: Some(Box::new(missing)), ..Found::new(open, shown) },
            None => Found::without_run(open, missing),
        };
        self.end(found);
    }
    fn give_up(&mut self, why: GivenUp) {
        let open = Extremum::Open(self.shown.is_some().then(|| self.way.turned(self.low)));
        let shown = self.shown.take().map(Box::new);
        self.end(Found { extremum: open, shown, excluded: None, repeats: None, given_up: Some(why) });
    }
    fn end(&mut self, found: Found) {
        (self.over, self.found) = (true, Some(found));
    }
    /// How far the value at the end of a run is, rounded towards the near.
    fn reached(&self, answered: &Answered) -> Option<i64> {
        let run = answered.run().filter(|_| matches!(answered.outcome, Outcome::Holds))?;
        if self.measure.grain == Grain::Response {
            return Some(0);
        }
        let value = measured(&answered.system, run.last(), self.measure)?;
        let rounded = match (value, self.way) {
            (Value::Int(value), _) => value.to_i64()?,
            (Value::Rat(value), Way::Up) => value.floor().to_i64()?,
            (Value::Rat(value), Way::Down) => value.ceil().to_i64()?,
            _ => return None,
        };
        Some(self.way.turned(rounded))
    }
}

/// What is known once a run shows that there is no bound.
fn unbounded(model: &Model, mut shown: Answered, growing: &Growing) -> Found {
    let reference = Some(shown.reference.clone());
    shown.trace = Some(Lift::new(model, &shown.system).trace(&growing.run, reference, Ends::Target));
    Found { repeats: growing.repeats, ..Found::new(Extremum::Unbounded, shown) }
}
