//! Checking: a question about a model is posed, decided and answered in the user's terms.

use engine::{Config, Observer, Quiet, Search, Statistics, Stop};
use ir::{FaultId, Run, System};
use lang::Question;

use crate::decide::{Judged, decide_all};
use crate::load::Model;
use crate::pose::{CannotPose, Posed, Scope, pose};
use crate::trace::lift::Lift;
use crate::trace::{Ends, FaultKindRecord, PropertyRef, Trace};
use crate::verdict::{Cause, Decided, Evidence, NoVerdict, Verdict};

/// How a question is checked.
#[derive(Clone, Debug)]
pub struct Check {
    /// How the search is done.
    pub config: Config,
    /// Which part of the runs is looked at.
    pub scope: Scope,
    /// Whether evidence is checked before it counts.
    pub certify: bool,
}

/// The answer to a question.
#[derive(Debug)]
pub struct Answered {
    /// What came out.
    pub outcome: Outcome,
    /// Whether `certify` has accepted what shows it.
    pub certified: bool,
    /// The run that shows it, if one does.
    pub trace: Option<Trace>,
    /// Everything that is known: the verdict with its evidence, and what the search did.
    pub judged: Judged,
    /// The system that evidence is about.
    pub system: System,
    /// The order in which states were taken.
    pub search: Search,
}

/// What came out.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// The property holds.
    Holds,
    /// The property is violated.
    Violated,
    /// Not decided, for this reason.
    Unknown(Cause),
    /// The model goes wrong before the question can be answered.
    Fault(FaultId),
    /// Evaluating the property goes wrong.
    Undefined,
    /// Thetis itself is wrong: it has an answer whose evidence is refused.
    Refused,
}

impl Default for Check {
    /// By whatever engine knows first, about all states, certified.
    fn default() -> Self {
        Check { config: Config::default(), scope: Scope::default(), certify: true }
    }
}

impl Model {
    /// Answers a question.
    ///
    /// # Errors
    /// If the question cannot be posed.
    pub fn check(&self, question: &Question, check: &Check) -> Result<Answered, CannotPose> {
        let mut answer = None;
        let stop = Stop::new();
        self.check_all(&[question], check, &stop, &mut Quiet, &mut |_, answered| answer = Some(answered))?;
        Ok(answer.expect("every question is answered"))
    }
    /// Answers several questions in one search; `tell` gets each answer with the number of its question. Somebody else
    /// may ask to `stop`, and `observer` is told how far the search is.
    ///
    /// # Errors
    /// If a question cannot be posed.
    pub fn check_all(
        &self,
        questions: &[&Question],
        check: &Check,
        stop: &Stop,
        observer: &mut dyn Observer,
        tell: &mut dyn FnMut(usize, Answered),
    ) -> Result<(), CannotPose> {
        let Posed { system, properties } = pose(self, questions, check.scope)?;
        let properties: Vec<&ir::Property> = properties.iter().collect();
        let mut searched = system.clone();
        decide_all(
            &mut searched,
            &properties,
            &check.config,
            check.certify,
            stop,
            observer,
            &mut |at, judged| tell(at, self.answered(questions[at], check, system.clone(), judged)),
        );
        Ok(())
    }
    fn answered(&self, question: &Question, check: &Check, system: System, judged: Judged) -> Answered {
        let lift = Lift::new(self, &system);
        let trace =
            |run: &Run, ends| Some(lift.trace(run, Some(PropertyRef::new(question, check.scope)), ends));
        let (outcome, trace) = match &judged.result {
            Ok(Verdict { answer, evidence, .. }) => {
                let outcome = match answer {
                    Decided::Holds => Outcome::Holds,
                    Decided::Violated => Outcome::Violated,
                    Decided::Unknown(cause) => Outcome::Unknown(cause.clone()),
                };
                let trace = match evidence {
                    Evidence::Run(run) => trace(run, Ends::Target),
                    Evidence::Certificate(_) | Evidence::None => None,
                };
                (outcome, trace)
            }
            Err(NoVerdict::Fault(fault, run)) => (Outcome::Fault(*fault), trace(run, lift.fault(*fault))),
            Err(NoVerdict::Undefined(fault, run)) => {
                (Outcome::Undefined, trace(run, Ends::Undefined(FaultKindRecord(fault.kind))))
            }
            Err(NoVerdict::Refused { .. }) => (Outcome::Refused, None),
        };
        let certified = check.certify && !matches!(outcome, Outcome::Unknown(_) | Outcome::Refused);
        Answered { outcome, certified, trace, judged, system, search: check.config.search }
    }
}

impl Answered {
    /// What the search did.
    pub fn statistics(&self) -> &Statistics {
        &self.judged.statistics
    }
}
