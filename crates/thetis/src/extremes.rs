//! Extremes: the least and the greatest value that something has in the reachable states that a question looks for.
//!
//! That `sup e = v` is two answers about reachability: a run to a state where `e >= v`, and a proof that none leads to
//! one where `e > v`. Both are asked as the user could ask them, in the language of the model, so that their evidence can
//! be written, shown and validated like any other.
//!
//! Values of one model share their work. Where its states can be listed, one list tells how large everything gets
//! ([`engine::explicit::survey`]); then a second one answers all questions at once, and is checked once. Where they cannot,
//! what was seen so far says where to ask, and linear invariants may exclude what is beyond. Otherwise where to ask is found
//! by doubling steps and then halving them ([`ascent`]). Clocks have their own searches, since the numbers that one of them
//! is compared with make the zones of all others finer.
//!
//! A clock may only approach its extreme. All constants of a timed automaton are whole, so that its reachable valuations
//! are a union of regions, and within a region a clock that is not whole has every value between two whole numbers. So if
//! `x >= v + 1` is out of reach and `x > v` is not, then the supremum is `v + 1`, and no state has it. That is so no more
//! where clocks stand still or are added up; then the supremum is only known to be between the two.
//!
//! That a clock has no bound is shown by a run with a delay that may be any longer, or with steps that can be repeated for
//! ever ([`growth`]). Where neither is found, the search ends at long runs and large numbers, and says how far it got.

mod ascent;
mod growth;

use std::sync::Arc;

use engine::explicit::survey;
use engine::{Config, Engine, Observer, Stop};
use ir::eval::eval;
use ir::{Claim, Run, State, System, Term, Value};
use lang::{Extreme, Measure, Question};

use crate::check::{Answered, CannotCheck, Check};
use crate::extremes::ascent::{Ascent, Ask, Way};
use crate::limits::Limits;
use crate::load::Model;
use crate::pose::pose;
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

/// How many states are listed to see how large values get, one time after the other, and how many questions about linear
/// invariants are asked about each value then. Both are a fraction of a second first.
const SURVEYS: [(u64, u64); 3] = [(20_000, 4_000), (160_000, 32_000), (1_280_000, 256_000)];

impl Model {
    /// The extremes that a question asks for ([`Question::values`]).
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
        let mut list = None;
        self.extremes_all(&[question], check, stop, observer, &mut |_, _, found| list = Some(found))?;
        Ok(list.expect("every question is answered"))
    }
    /// The extremes that several questions ask for, found together; `tell` gets those of each question with its number,
    /// once they are known.
    ///
    /// # Errors
    /// If their part of the runs cannot be looked at.
    pub fn extremes_all(
        &mut self,
        questions: &[&Question],
        check: &Check,
        stop: &Arc<Stop>,
        observer: &mut dyn Observer,
        tell: &mut dyn FnMut(&Model, usize, Vec<Measured>),
    ) -> Result<(), CannotCheck> {
        let _watch = check.watch(stop)?;
        // The limits are those of all answers together.
        let check = &Check { limits: Limits::default(), ..check.clone() };
        let told = vec![false; questions.len()];
        let ascents = ascents(questions, check, stop);
        let mut search = Search { model: self, questions, check, stop, observer, tell, ascents, told };
        let all = 0..search.ascents.len();
        let (clocks, whole): (Vec<usize>, Vec<usize>) = all.partition(|at| search.ascents[*at].is_clock());
        search.tell();
        search.look_around(&whole)?;
        search.finish(&whole)?;
        clocks.iter().try_for_each(|at| search.finish(&[*at]))
    }
}

/// What is to be found.
fn ascents<'a>(questions: &[&'a Question], check: &Check, stop: &'a Stop) -> Vec<Ascent<'a>> {
    let mut list = vec![];
    for (number, question) in questions.iter().enumerate() {
        for measure in &question.values {
            let ways: &[Way] = match measure.extreme {
                Extreme::Least => &[Way::Down],
                Extreme::Greatest => &[Way::Up],
                Extreme::Both => &[Way::Down, Way::Up],
            };
            let limited = check.scope.within.is_some();
            list.extend(ways.iter().map(|way| Ascent::new(number, (question, measure), *way, limited, stop)));
        }
    }
    list
}

/// The search for all extremes of some questions.
struct Search<'a, 's> {
    model: &'s mut Model,
    questions: &'s [&'a Question],
    check: &'s Check,
    stop: &'s Arc<Stop>,
    observer: &'s mut dyn Observer,
    tell: &'s mut dyn FnMut(&Model, usize, Vec<Measured>),
    ascents: Vec<Ascent<'a>>,
    /// Which questions have been told of.
    told: Vec<bool>,
}

/// What is asked about extremes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Part {
    /// Whether they get as far as has been seen.
    Seen,
    /// Whether they get farther.
    Beyond,
    /// Whatever there is to ask.
    All,
}

impl Search<'_, '_> {
    /// Lists some of the states, and decides what that and linear invariants decide.
    fn look_around(&mut self, group: &[usize]) -> Result<(), CannotCheck> {
        let own = self.check.config.clone();
        if !matches!(own.engine, Engine::Auto | Engine::Explicit) || group.is_empty() {
            return Ok(());
        }
        for (states, calls) in SURVEYS {
            if self.stop.requested() || self.open(group).is_empty() {
                return Ok(());
            }
            let within = |limit: Option<u64>, most: u64| Some(limit.map_or(most, |limit| limit.min(most)));
            let state_limit = within(own.state_limit, states);
            // The list has been short enough without preprocessing.
            let listing = Config { engine: Engine::Explicit, preprocess: false, state_limit, ..own.clone() };
            let Some(complete) = self.survey(group, &listing)? else { return Ok(()) };
            if complete {
                self.ask(group, Part::All, &listing)?;
                return Ok(());
            }
            self.ask(group, Part::Seen, &listing)?;
            if own.engine == Engine::Auto {
                let call_limit = within(own.call_limit, calls);
                let linear = Config { engine: Engine::Linear, call_limit, ..own.clone() };
                for one in self.open(group) {
                    self.ask(&[one], Part::Beyond, &linear)?;
                }
            }
            if own.state_limit.is_some_and(|most| most <= states) {
                return Ok(());
            }
        }
        Ok(())
    }
    /// Asks as the user wants to, until everything is found or known to be open.
    fn finish(&mut self, group: &[usize]) -> Result<(), CannotCheck> {
        let config = self.check.config.clone();
        loop {
            let open = self.open(group);
            if open.is_empty() {
                return Ok(());
            }
            self.ask(&open, Part::All, &config)?;
            for at in open {
                self.ascents[at].conclude();
            }
            self.tell();
        }
    }
    fn open(&self, group: &[usize]) -> Vec<usize> {
        group.iter().copied().filter(|at| !self.ascents[*at].is_over()).collect()
    }
    /// Looks how large values get in a list of states, and whether that is all of them; nothing where states have no list.
    fn survey(&mut self, group: &[usize], config: &Config) -> Result<Option<bool>, CannotCheck> {
        let posed = pose(self.model, self.questions, &self.check.scope)?;
        let (mut system, open) = (posed.system, self.open(group));
        if system.clocks().next().is_some() {
            return Ok(None);
        }
        let mut probes = vec![];
        for at in &open {
            let ascent = &self.ascents[*at];
            let Claim::Possibly(target) = posed.properties[ascent.number].claim else { return Ok(None) };
            probes.push(ascent.probe(&mut system, target));
        }
        let seen = survey(&system, &probes, config, self.stop, &mut *self.observer);
        for (at, greatest) in open.into_iter().zip(seen.greatest) {
            self.ascents[at].seen(greatest);
        }
        Ok(Some(seen.complete))
    }
    /// Asks about extremes, all in one search.
    fn ask(&mut self, group: &[usize], part: Part, config: &Config) -> Result<(), CannotCheck> {
        let mut asked: Vec<(usize, Ask, Question)> = vec![];
        for at in self.open(group) {
            for ask in self.ascents[at].asks(part) {
                let ascent = &mut self.ascents[at];
                match ascent.question(self.model, ask) {
                    Some(question) => asked.push((at, ask, question)),
                    None => {
                        ascent.cannot_ask();
                        break;
                    }
                }
            }
        }
        if !asked.is_empty() {
            let questions: Vec<&Question> = asked.iter().map(|(_, _, question)| question).collect();
            let check = Check { config: config.clone(), ..self.check.clone() };
            let Search { model, ascents, .. } = self;
            let mut answers: Vec<(usize, Answered)> = vec![];
            model.check_all(
                &questions,
                &check,
                self.stop,
                &mut *self.observer,
                &mut |number, answered| {
                    answers.push((number, answered));
                },
            )?;
            for (number, answered) in answers {
                let (at, ask, _) = &asked[number];
                ascents[*at].take(model, *ask, answered);
            }
        }
        self.tell();
        Ok(())
    }
    /// Tells of the questions that have all their extremes.
    fn tell(&mut self) {
        let questions = self.questions;
        for (number, question) in questions.iter().enumerate() {
            let mut own = self.ascents.iter().filter(|ascent| ascent.number == number);
            if self.told[number] || !own.all(Ascent::is_over) {
                continue;
            }
            self.told[number] = true;
            let own = self.ascents.iter_mut().filter(|ascent| ascent.number == number);
            let mut found = own.map(|ascent| ascent.found.take().expect("it is over"));
            let mut next = |wanted: bool| if wanted { found.next() } else { None };
            let measured = |measure: &Measure| Measured {
                measure: measure.clone(),
                least: next(measure.extreme != Extreme::Greatest),
                greatest: next(measure.extreme != Extreme::Least),
            };
            let list = question.values.iter().map(measured).collect();
            (self.tell)(self.model, number, list);
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
