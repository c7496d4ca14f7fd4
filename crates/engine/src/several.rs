//! Several questions about one system, answered by one search where that is possible.
//!
//! What is searched for is the disjunction of the targets that are still *open*. A run to a state where it
//! holds answers every question whose own target holds there; a run to a fault answers all of them, since
//! the model goes wrong whatever was asked. Then the search goes on with what is left. Evidence that nothing
//! of a disjunction is reachable excludes each of its parts, so when the search is over, one certificate
//! answers all questions that are still open.
//!
//! Two things are not shared. Induction may assume that no earlier state was bad, and a disjunction makes
//! more states bad than its parts: what is inductive for the whole need not be for a part, so whoever checks
//! the certificate for one question would refuse it. And a search that fails for all may succeed for some,
//! because one of them asks for something that an engine lacks, or because together they need too fine an
//! abstraction: then the questions are asked one by one.
//!
//! Invariant: every question is told of exactly once.

use ir::interp::Interp;
use ir::{Certificate, Question, Run, State, System, Term};

use crate::answer::{Answer, Reason};
use crate::cause::{InternalError, Unsupported};
use crate::config::{Config, Engine};
use crate::observer::{Observer, Statistics};
use crate::pass::Pipeline;
use crate::preprocess;
use crate::stop::Stop;

/// An answer to some of several questions.
#[derive(Debug)]
pub struct Answered {
    /// The numbers of the questions, in order.
    pub questions: Vec<usize>,
    /// The answer to each of them.
    pub answer: Answer,
    /// What the search had done by then.
    pub statistics: Statistics,
}

/// What a search has to say in the end of what is still open.
pub(crate) enum Rest {
    /// Nothing is.
    Nothing,
    /// None of it exists, and neither does a fault.
    Excluded(Certificate),
    /// It is not decided.
    Unknown(Reason),
}

/// What engines search for, and who is told.
pub(crate) struct Hunt<'a> {
    /// All questions, of the system that is searched.
    questions: &'a [Question],
    /// The questions that are not answered, in order.
    open: &'a mut Vec<usize>,
    /// What the system was made from; answers are about that.
    work: Option<&'a Pipeline>,
    /// Questions whose evidence could not be lifted.
    lost: Vec<usize>,
    tell: &'a mut dyn FnMut(Answered),
    stop: &'a Stop,
}

impl<'a> Hunt<'a> {
    /// The request to stop that the search looks at.
    pub(crate) fn stop(&self) -> &'a Stop {
        self.stop
    }
    /// Whether more than one question is open.
    pub(crate) fn several(&self) -> bool {
        self.open.len() > 1
    }
    /// The states that are searched for now; in an arena that has all questions.
    ///
    /// # Panics
    /// If a question is about whole runs: what excludes the targets of the others does not answer it.
    pub(crate) fn target(&self, system: &mut System) -> Term {
        let target = |at: &usize| self.questions[*at].target().expect("questions about runs are asked alone");
        system.terms.or(self.open.iter().map(target))
    }
    /// Takes in a run that was searched for; what is to be searched for then, if anything is.
    pub(crate) fn found(
        &mut self,
        system: &mut System,
        run: Run,
        statistics: Statistics,
    ) -> Result<Option<Term>, Reason> {
        let last = run.last();
        let faulty = system.is_fault(&last.locations);
        let mut hit = vec![];
        for at in self.open.iter().copied() {
            if self.open.len() == 1 || faulty || answers(system, &self.questions[at], last, self.stop)? {
                hit.push(at);
            }
        }
        if hit.is_empty() {
            return Err(InternalError::UnaskedRun.into());
        }
        self.open.retain(|at| !hit.contains(at));
        self.answered(hit, Answer::Found(run), statistics);
        Ok((!self.open.is_empty()).then(|| self.target(system)))
    }
    /// Tells of an answer, or keeps the questions for another search.
    fn answered(&mut self, questions: Vec<usize>, answer: Answer, mut statistics: Statistics) {
        let lifted = match self.work {
            None => Some(answer),
            Some(work) => {
                statistics.preprocessing.clone_from(&work.summary);
                work.lift(answer, self.stop)
            }
        };
        match lifted {
            Some(answer) => (self.tell)(Answered { questions, answer, statistics }),
            None => self.lost.extend(questions),
        }
    }
}

/// Whether a run to this state answers a question.
fn answers(system: &mut System, question: &Question, state: &State, stop: &Stop) -> Result<bool, Reason> {
    let Some(target) = question.target() else { return Ok(false) };
    // Where the target cannot be spelled out, its own search will find that.
    let Ok(here) = ir::at_state(system, target, state) else { return Ok(false) };
    match Interp::new(system, Some(stop.flag())).find(state, here) {
        Ok(found) => Ok(found.is_some()),
        Err(_) if stop.requested() => Err(stop.reason()),
        Err(_) => Ok(false),
    }
}

/// Searches by one engine for all open questions at once, in what was prepared; evidence is for the system as
/// it is. Why the rest is still open, if anything is.
pub(crate) fn attempt(
    (system, questions): (&System, &[Question]),
    work: Option<&Pipeline>,
    open: &mut Vec<usize>,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
    tell: &mut dyn FnMut(Answered),
) -> Option<(Reason, Statistics)> {
    let (inner, inner_questions) = match work {
        Some(work) => (&work.problem.system, &work.problem.questions[..]),
        None => (system, questions),
    };
    let mut hunt = Hunt { questions: inner_questions, open, work, lost: vec![], tell, stop };
    let (rest, mut statistics) = crate::run(inner, config, observer, &mut hunt);
    let reason = match rest {
        Rest::Nothing => None,
        Rest::Excluded(certificate) => {
            let open = std::mem::take(hunt.open);
            hunt.answered(open, Answer::Excluded(certificate), statistics.clone());
            None
        }
        Rest::Unknown(reason) => Some(reason),
    };
    let mut lost = hunt.lost;
    if let Some(work) = work {
        statistics.preprocessing.clone_from(&work.summary);
    }
    let failed = reason.map(|reason| (reason, statistics.clone()));
    if lost.is_empty() {
        return failed;
    }
    let again = if stop.requested() {
        Some((stop.reason(), statistics))
    } else if config.preprocess {
        let plain = Config { preprocess: false, ..config.clone() };
        let work = preprocess::prepare(system, questions, &plain, stop);
        attempt((system, questions), work.as_ref(), &mut lost, &plain, stop, observer, tell)
    } else {
        Some((InternalError::LostDelays.into(), statistics))
    };
    open.append(&mut lost);
    open.sort_unstable();
    failed.or(again)
}

/// Searches by one engine for what is open: at once, and one by one where that is no good.
pub(crate) fn shared(
    asked: (&System, &[Question]),
    work: Option<&Pipeline>,
    open: &mut Vec<usize>,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
    tell: &mut dyn FnMut(Answered),
) -> Vec<(Vec<usize>, Reason, Statistics)> {
    if open.len() > 1 && config.engine != Engine::Kind {
        let together = match config.engine {
            Engine::Cegar | Engine::Combined => {
                Config { state_limit: within(config.state_limit), ..config.clone() }
            }
            _ => config.clone(),
        };
        let failed = attempt(asked, work, open, &together, stop, observer, tell);
        let Some((reason, statistics)) = failed else { return vec![] };
        let limited = |limit: Option<u64>, most| limit.is_some_and(|limit| limit <= most);
        let is_final = match &reason {
            Reason::States(most) => limited(config.state_limit, *most),
            // A list of concrete states gets shorter with fewer questions.
            Reason::Steps(most) => config.engine != Engine::Explicit && limited(config.step_limit, *most),
            Reason::Calls(_) | Reason::Bound(_) => true,
            _ => false,
        };
        if stop.requested() || is_final {
            return vec![(open.clone(), reason, statistics)];
        }
    }
    let mut failed = vec![];
    for at in std::mem::take(open) {
        let mut one = vec![at];
        if stop.requested() {
            failed.push((one.clone(), stop.reason(), Statistics::default()));
        } else if let Some((reason, statistics)) =
            attempt(asked, work, &mut one, config, stop, observer, tell)
        {
            failed.push((one.clone(), reason, statistics));
        }
        open.append(&mut one);
    }
    failed
}

/// The most nodes of a graph for several questions: predicates of many make it larger than each needs it.
fn within(limit: Option<u64>) -> Option<u64> {
    const TOGETHER: u64 = 20_000;
    Some(limit.map_or(TOGETHER, |limit| limit.min(TOGETHER)))
}

/// Several questions by an engine that knows only one: it begins again after every run that it finds.
pub(crate) fn again(
    system: &System,
    hunt: &mut Hunt<'_>,
    mut search: impl FnMut(&System, &Question) -> (Answer, Statistics),
) -> (Rest, Statistics) {
    let mut system = system.clone();
    let mut target = hunt.target(&mut system);
    loop {
        let (answer, statistics) = search(&system, &Question::Reach(target));
        let rest = match answer {
            Answer::Unknown(reason) => Rest::Unknown(reason),
            Answer::Excluded(certificate) => Rest::Excluded(certificate),
            Answer::Found(run) => match hunt.found(&mut system, run, statistics.clone()) {
                Ok(Some(left)) => {
                    target = left;
                    continue;
                }
                Ok(None) => Rest::Nothing,
                Err(reason) => Rest::Unknown(reason),
            },
        };
        return (rest, statistics);
    }
}

/// A single question by an engine that knows several.
pub(crate) fn one(
    question: &Question,
    engine: Engine,
    stop: &Stop,
    search: impl FnOnce(&mut Hunt<'_>) -> (Rest, Statistics),
) -> (Answer, Statistics) {
    if question.target().is_none() {
        let cause = Unsupported::Endless { engine };
        return (Answer::Unknown(cause.into()), Statistics::default());
    }
    let mut answer = None;
    let mut tell = |found: Answered| answer = Some(found.answer);
    let mut open = vec![0];
    let questions = std::slice::from_ref(question);
    let mut hunt = Hunt { questions, open: &mut open, work: None, lost: vec![], tell: &mut tell, stop };
    let (rest, statistics) = search(&mut hunt);
    let answer = match rest {
        Rest::Nothing => answer.expect("a question that is not open has been answered"),
        Rest::Excluded(certificate) => Answer::Excluded(certificate),
        Rest::Unknown(reason) => Answer::Unknown(reason),
    };
    (answer, statistics)
}
