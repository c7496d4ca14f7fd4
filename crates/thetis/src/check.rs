//! Checking: a question about a model is posed, decided and answered in the user's terms.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use certify::Wrong;
use engine::{Config, Observer, Quiet, Search, Statistics, Stop};
use ir::{Certificate, Fault, FaultId, Property, Run, System};
use lang::Question;

use crate::certificate;
use crate::decide::{Certification, Judged, decide_all};
use crate::file::FileError;
use crate::limits::{CannotWatch, Limits, Watch, watch};
use crate::load::Model;
use crate::pose::{CannotPose, Posed, Scope, pose};
use crate::trace::lift::Lift;
use crate::trace::{Ends, FaultKindRecord, PropertyRef, Trace};
use crate::verdict::{Cause, Claimed, Decided, Evidence, NoVerdict, Verdict};

/// How a question is checked.
#[derive(Clone, Debug)]
pub struct Check {
    /// How the search is done.
    pub config: Config,
    /// Which part of the runs is looked at.
    pub scope: Scope,
    /// Who checks evidence before it counts.
    pub certify: Certification,
    /// How much time and memory it may take.
    pub limits: Limits,
}

/// Why a question cannot be checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CannotCheck {
    /// It cannot be posed.
    Pose(CannotPose),
    /// The limits cannot be kept.
    Limits(CannotWatch),
}

impl CannotCheck {
    /// The stable name of the reason.
    pub fn code(&self) -> &'static str {
        match self {
            CannotCheck::Pose(why) => why.code(),
            CannotCheck::Limits(why) => why.code(),
        }
    }
}

impl fmt::Display for CannotCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CannotCheck::Pose(why) => why.fmt(f),
            CannotCheck::Limits(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for CannotCheck {}

impl From<CannotPose> for CannotCheck {
    fn from(why: CannotPose) -> Self {
        CannotCheck::Pose(why)
    }
}

/// The answer to a question. It stays on its thread, for certificates are read lazily; [`Answered::record`] may leave.
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
    /// The question, as it was posed.
    pub property: Property,
    /// How files name it.
    pub reference: PropertyRef,
    /// The system that evidence is about.
    pub system: Arc<System>,
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
    /// Evaluating the property goes wrong like this.
    Undefined(Box<Fault>),
    /// Thetis itself is wrong: it has an answer whose evidence is refused, for this reason.
    Refused(Claimed, Wrong),
}

impl Default for Check {
    /// By whatever engine knows first, about all states, certified, without limits.
    fn default() -> Self {
        Check {
            config: Config::default(),
            scope: Scope::default(),
            certify: Certification::default(),
            limits: Limits::default(),
        }
    }
}

impl Check {
    /// Somebody who watches the limits, if there are any, as long as this lives.
    ///
    /// # Errors
    /// If they cannot be watched.
    pub(crate) fn watch(&self, stop: &Arc<Stop>) -> Result<Option<Watch>, CannotCheck> {
        let limited = self.limits != Limits::default();
        let watched = limited.then(|| watch(self.limits, stop.clone(), |_| {}));
        watched.transpose().map_err(CannotCheck::Limits)
    }
}

impl Model {
    /// Answers a question.
    ///
    /// # Errors
    /// If the question cannot be posed, or the limits cannot be kept.
    pub fn check(&self, question: &Question, check: &Check) -> Result<Answered, CannotCheck> {
        let mut answer = None;
        let stop = Arc::new(Stop::new());
        self.check_all(&[question], check, &stop, &mut Quiet, &mut |_, answered| answer = Some(answered))?;
        Ok(answer.expect("every question is answered"))
    }
    /// Answers several questions in one search; `tell` gets each answer with the number of its question. Somebody else
    /// may ask to `stop`, and `observer` is told how far the search is.
    ///
    /// # Errors
    /// If a question cannot be posed, or the limits cannot be kept.
    pub fn check_all(
        &self,
        questions: &[&Question],
        check: &Check,
        stop: &Arc<Stop>,
        observer: &mut dyn Observer,
        tell: &mut dyn FnMut(usize, Answered),
    ) -> Result<(), CannotCheck> {
        let _watch = check.watch(stop)?;
        let Posed { system, properties } = pose(self, questions, &check.scope)?;
        let asked: Vec<(&Question, &Property)> = questions.iter().copied().zip(&properties).collect();
        self.answer(&Arc::new(system), &asked, check, stop, observer, tell);
        Ok(())
    }
    /// Answers questions that were posed in the scope of `check`, whose limits somebody else watches; `tell` gets each
    /// answer with the number of its question.
    pub fn answer(
        &self,
        system: &Arc<System>,
        asked: &[(&Question, &Property)],
        check: &Check,
        stop: &Stop,
        observer: &mut dyn Observer,
        tell: &mut dyn FnMut(usize, Answered),
    ) {
        let properties: Vec<&Property> = asked.iter().map(|(_, property)| *property).collect();
        let mut searched = System::clone(system);
        let Check { config, certify, .. } = check;
        decide_all(&mut searched, &properties, config, certify.clone(), stop, observer, &mut |at, judged| {
            tell(at, self.answered(asked[at], check, system, judged));
        });
    }
    fn answered(
        &self,
        (question, property): (&Question, &Property),
        check: &Check,
        system: &Arc<System>,
        judged: Judged,
    ) -> Answered {
        let lift = Lift::new(self, system);
        let reference = PropertyRef::new(question, &check.scope);
        let trace = |run: &Run, ends| Some(lift.trace(run, Some(reference.clone()), ends));
        let (outcome, trace) = match &judged.result {
            Ok(Verdict { answer, evidence, .. }) => {
                let outcome = match answer {
                    Decided::Holds => Outcome::Holds,
                    Decided::Violated => Outcome::Violated,
                    Decided::Unknown(cause) => Outcome::Unknown(cause.clone()),
                };
                let trace = match evidence {
                    Evidence::Run(run) => {
                        let fault = system.fault_of(run.last());
                        trace(run, fault.map_or(Ends::Target, |fault| lift.fault(fault)))
                    }
                    Evidence::Certificate(_) | Evidence::None => None,
                };
                (outcome, trace)
            }
            Err(NoVerdict::Fault(fault, run)) => (Outcome::Fault(*fault), trace(run, lift.fault(*fault))),
            Err(NoVerdict::Undefined(fault, run)) => {
                let ends = Ends::Undefined(FaultKindRecord(fault.kind));
                (Outcome::Undefined(fault.clone()), trace(run, ends))
            }
            Err(NoVerdict::Refused { answer, why }) => (Outcome::Refused(*answer, why.clone()), None),
        };
        let certified =
            check.certify.is_on() && !matches!(outcome, Outcome::Unknown(_) | Outcome::Refused(..));
        let (property, system, search) = (property.clone(), system.clone(), check.config.search);
        Answered { outcome, certified, trace, judged, property, reference, system, search }
    }
}

impl Answered {
    /// What the search did.
    pub fn statistics(&self) -> &Statistics {
        &self.judged.statistics
    }
    /// What shows that there is no run that answers the question, if that is so.
    pub fn certificate(&self) -> Option<&Certificate> {
        match &self.judged.result {
            Ok(Verdict { evidence: Evidence::Certificate(certificate), .. }) => Some(certificate),
            _ => None,
        }
    }
    /// What was searched for, in a system with the terms of that.
    pub fn searched(&self) -> (System, ir::Question) {
        let mut system = System::clone(&self.system);
        let question = system.question(self.property.claim);
        (system, question)
    }
    /// Writes that into a file, if it is so; whether it was.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_certificate(&self, model: &Model, path: &Path) -> Result<bool, FileError> {
        let Some(certificate) = self.certificate() else { return Ok(false) };
        let (system, question) = self.searched();
        certificate::write(path, Lift::new(model, &system), self.reference.clone(), &question, certificate)?;
        Ok(true)
    }
    /// The run that answers the question or goes wrong, if there is one.
    pub fn run(&self) -> Option<&Run> {
        match &self.judged.result {
            Ok(Verdict { evidence: Evidence::Run(run), .. })
            | Err(NoVerdict::Fault(_, run) | NoVerdict::Undefined(_, run)) => Some(run),
            _ => None,
        }
    }
}
