//! Deciding: search, then have the evidence checked.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use certify::{Checker, Judge};
use engine::{Answer, Attempt, Config, Observer, Phase, Progress, Statistics, Stop};
use ir::{Property, System};

use crate::verdict::{self, Claimed, Decided, NoVerdict, Verdict};

/// Who checks the evidence of a search before it becomes a verdict; nobody, if there is no checker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certification(pub Option<Checker>);

impl Certification {
    /// Whether evidence is checked at all.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }
}

impl Default for Certification {
    fn default() -> Self {
        Certification(Some(Checker::Fast))
    }
}

impl From<bool> for Certification {
    fn from(certify: bool) -> Self {
        Certification(certify.then(Checker::default))
    }
}

/// A search that has been judged.
#[derive(Debug)]
pub struct Judged {
    /// The verdict, or why there is none.
    pub result: Result<Verdict, NoVerdict>,
    /// What the search did.
    pub statistics: Statistics,
    /// Time of the search.
    pub search: Duration,
    /// Time of checking its evidence.
    pub certify: Duration,
    /// Whether there was a search at all.
    pub started: bool,
    /// What the search had found when checking that was interrupted.
    pub uncertified: Option<Claimed>,
}

/// Answers one property of a system: search, then have the evidence checked.
pub fn decide(
    system: &mut System,
    property: &Property,
    config: &Config,
    certify: impl Into<Certification>,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Judged {
    let mut answer = None;
    decide_all(system, &[property], config, certify, stop, observer, &mut |_, judged| answer = Some(judged));
    answer.expect("every property is answered")
}

/// Answers several properties of a system in one search; `tell` gets each with its number once it is judged.
pub fn decide_all(
    system: &mut System,
    properties: &[&Property],
    config: &Config,
    certify: impl Into<Certification>,
    stop: &Stop,
    observer: &mut dyn Observer,
    tell: &mut dyn FnMut(usize, Judged),
) {
    let asked: Vec<ir::Question> =
        properties.iter().map(|property| system.question(property.claim)).collect();
    let system = &*system;
    let observer = RefCell::new(observer);
    // Time of the search counts for the answer that it led to.
    let mut since = Instant::now();
    let mut court = certify.into().0.map(|checker| Judge::by(checker, system));
    let certify = court.is_some();
    let mut judge = |found: engine::Answered| {
        let engine::Answered { questions, answer, statistics } = found;
        let mut search = since.elapsed();
        let started = statistics != Statistics::default() || !matches!(answer, Answer::Unknown(_));
        let what = match &answer {
            Answer::Excluded(_) => Some(Claimed::Excluded),
            Answer::Found(run) if system.fault_of(run.last()).is_some() => Some(Claimed::Fault),
            Answer::Found(_) => Some(Claimed::Found),
            Answer::Unknown(_) => None,
        };
        if certify && what.is_some() {
            let states = statistics.states;
            let progress = Progress { phase: Phase::Certifying, states, ..Progress::default() };
            observer.borrow_mut().progress(&progress);
        }
        let mut checking = Instant::now();
        let judged: Vec<_> = questions.iter().map(|at| (properties[*at], &asked[*at])).collect();
        verdict::judge_all(system, &judged, answer, court.as_mut(), stop, &mut |at, result| {
            let undone = matches!(result, Ok(Verdict { answer: Decided::Unknown(_), .. }));
            let judged = Judged {
                result,
                statistics: statistics.clone(),
                search: std::mem::take(&mut search),
                certify: checking.elapsed(),
                started,
                uncertified: what.filter(|_| undone),
            };
            tell(questions[at], judged);
            checking = Instant::now();
        });
        since = Instant::now();
    };
    if stop.requested() {
        let (questions, answer) = ((0..asked.len()).collect(), Answer::Unknown(stop.reason()));
        return judge(engine::Answered { questions, answer, statistics: Statistics::default() });
    }
    engine::search_all(system, &asked, config, stop, &mut Borrowed(&observer), &mut judge);
}

/// An observer that others use between its reports.
struct Borrowed<'a, 'o>(&'a RefCell<&'o mut dyn Observer>);

impl Observer for Borrowed<'_, '_> {
    fn progress(&mut self, progress: &Progress) {
        self.0.borrow_mut().progress(progress);
    }
    fn turn(&mut self, before: &[Attempt], now: &[Config]) {
        self.0.borrow_mut().turn(before, now);
    }
    fn graph(&mut self, dot: &dyn std::fmt::Display) {
        self.0.borrow_mut().graph(dot);
    }
}
