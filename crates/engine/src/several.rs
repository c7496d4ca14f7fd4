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
use ir::{Certificate, Id, Run, State, System, Term};

use crate::answer::{Answer, Reason};
use crate::config::{Config, Engine};
use crate::observer::{Observer, Statistics};
use crate::preprocess::Preprocessed;
use crate::stop::Stop;

/// An answer to some of several questions.
#[derive(Debug)]
pub struct Found {
    /// The numbers of the questions, in order.
    pub questions: Vec<usize>,
    /// The answer to each of them.
    pub answer: Answer,
    /// What the search had done by then.
    pub statistics: Statistics,
}

/// What a search has to say in the end of what is still open.
#[expect(clippy::large_enum_variant, reason = "there is one for each search")]
pub(crate) enum Rest {
    /// Nothing is.
    Nothing,
    /// It is never reached, and neither is a fault.
    Unreachable(Certificate),
    /// It is not decided.
    Unknown(Reason),
}

/// What engines search for, and who is told.
pub(crate) struct Hunt<'a> {
    /// What is searched for by every question, in the system that is searched.
    targets: &'a [Term],
    /// The questions that are not answered, in order.
    open: &'a mut Vec<usize>,
    /// What the system was made from; answers are about that.
    work: Option<&'a Preprocessed>,
    /// Questions whose evidence could not be lifted.
    lost: Vec<usize>,
    tell: &'a mut dyn FnMut(Found),
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
    /// What is searched for now; a term of an arena that has all targets.
    pub(crate) fn target(&self, system: &mut System) -> Term {
        system.terms.or(self.open.iter().map(|at| self.targets[*at]))
    }
    /// Takes in a run to what was searched for; what is to be searched for then, if anything is.
    pub(crate) fn found(
        &mut self,
        system: &mut System,
        run: Run,
        statistics: Statistics,
    ) -> Result<Option<Term>, Reason> {
        let last = run.last();
        let faulty = system.fault.is_some_and(|at| last.locations[at.process.index()] == at.location);
        let mut hit = vec![];
        for at in self.open.iter().copied() {
            if self.open.len() == 1 || faulty || holds(system, self.targets[at], last, self.stop)? {
                hit.push(at);
            }
        }
        if hit.is_empty() {
            return Err(Reason::Internal("a run was found that answers no question".to_owned()));
        }
        self.open.retain(|at| !hit.contains(at));
        self.answered(hit, Answer::Reachable(run), statistics);
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
            Some(answer) => (self.tell)(Found { questions, answer, statistics }),
            None => self.lost.extend(questions),
        }
    }
}

/// Whether `target` holds in a state that was reached.
fn holds(system: &mut System, target: Term, state: &State, stop: &Stop) -> Result<bool, Reason> {
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
    (system, targets): (&System, &[Term]),
    work: Option<&Preprocessed>,
    open: &mut Vec<usize>,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
    tell: &mut dyn FnMut(Found),
) -> Option<(Reason, Statistics)> {
    let (inner, inner_targets) = match work {
        Some(work) => (&work.system, &work.targets[..]),
        None => (system, targets),
    };
    let mut hunt = Hunt { targets: inner_targets, open, work, lost: vec![], tell, stop };
    let (rest, mut statistics) = crate::run(inner, config, observer, &mut hunt);
    let reason = match rest {
        Rest::Nothing => None,
        Rest::Unreachable(certificate) => {
            let questions = std::mem::take(hunt.open);
            hunt.answered(questions, Answer::Unreachable(certificate), statistics.clone());
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
    let again = match work {
        _ if stop.requested() => Some((stop.reason(), statistics)),
        Some(work) if work.is_plain() => {
            Some((Reason::Internal("a run without delays is none with them".to_owned()), statistics))
        }
        _ => {
            let plainer = work.and_then(|work| work.plainer(targets));
            attempt((system, targets), plainer.as_ref(), &mut lost, config, stop, observer, tell)
        }
    };
    open.append(&mut lost);
    open.sort_unstable();
    failed.or(again)
}

/// Searches by one engine for what is open: at once, and one by one where that is no good.
pub(crate) fn shared(
    question: (&System, &[Term]),
    work: Option<&Preprocessed>,
    open: &mut Vec<usize>,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
    tell: &mut dyn FnMut(Found),
) -> Vec<(Vec<usize>, Reason, Statistics)> {
    if open.len() > 1 && config.engine != Engine::Kind {
        let together = match config.engine {
            Engine::Cegar | Engine::Combined => {
                Config { state_limit: within(config.state_limit), ..config.clone() }
            }
            _ => config.clone(),
        };
        let failed = attempt(question, work, open, &together, stop, observer, tell);
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
            attempt(question, work, &mut one, config, stop, observer, tell)
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
    mut search: impl FnMut(&System, Term) -> (Answer, Statistics),
) -> (Rest, Statistics) {
    let mut system = system.clone();
    let mut target = hunt.target(&mut system);
    loop {
        let (answer, statistics) = search(&system, target);
        let rest = match answer {
            Answer::Unknown(reason) => Rest::Unknown(reason),
            Answer::Unreachable(certificate) => Rest::Unreachable(certificate),
            Answer::Reachable(run) => match hunt.found(&mut system, run, statistics.clone()) {
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
    target: Term,
    stop: &Stop,
    search: impl FnOnce(&mut Hunt<'_>) -> (Rest, Statistics),
) -> (Answer, Statistics) {
    let mut answer = None;
    let mut tell = |found: Found| answer = Some(found.answer);
    let mut open = vec![0];
    let mut hunt =
        Hunt { targets: &[target], open: &mut open, work: None, lost: vec![], tell: &mut tell, stop };
    let (rest, statistics) = search(&mut hunt);
    let answer = match rest {
        Rest::Nothing => answer.expect("a question that is not open has been answered"),
        Rest::Unreachable(certificate) => Answer::Unreachable(certificate),
        Rest::Unknown(reason) => Answer::Unknown(reason),
    };
    (answer, statistics)
}
