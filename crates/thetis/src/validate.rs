//! Validation: is a trace or a certificate right? No engine is asked.
//!
//! [`Submission::read`] turns a file into evidence about a model: the question it names is posed anew, and everything
//! in the file must fit the system that this gives. [`Submission::check`] then has it judged.

use std::fmt;

use certify::{Checker, Evidence, Judge, Reached, Rejection};
use engine::Stop;
use ir::{Argument, Certificate, Claim, Descent, FaultKind, Property, Run, Span};
use lang::Question;
use lang::code::Code;
use lang::diagnostic::Diagnostic;

use crate::certificate;
use crate::error::TextError;
use crate::evidence::{EvidenceError, EvidenceProblem, header};
use crate::load::Model;
use crate::pose::{CannotPose, Posed, Scope, pose};
use crate::source::Source;
use crate::trace::lift::{Lift, Lower, Places};
use crate::trace::{self, Ends, FaultKindRecord, Misfit, Mismatch, PropertyRef, Shown as Part, Trace};
use crate::verdict;

/// Evidence about a model that nobody has checked.
pub struct Submission<'m> {
    model: &'m Model,
    posed: Posed,
    searched: ir::Question,
    /// What it is about; a run may be about nothing.
    pub question: Option<PropertyRef>,
    body: Body,
}

/// A property that evidence is to be about, instead of the one that it names.
#[derive(Copy, Clone, Debug)]
pub struct Asked<'a> {
    /// As the user wrote it.
    pub text: &'a str,
    /// Which part of the runs it looks at, which must be the part that the evidence is about.
    pub scope: &'a Scope,
}

/// What is to be checked.
enum Body {
    Run(Box<Trace>, Run),
    Certificate(Certificate, usize),
}

/// What right evidence shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Valid {
    /// What it is about; a run may be about nothing.
    pub question: Option<PropertyRef>,
    /// What it is.
    pub shown: Shown,
}

/// What right evidence is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shown {
    /// A run of the model of so many steps; every step was executed again.
    Run(usize, End),
    /// So many states that contain every initial state and every successor, without faults.
    ClosedSet(usize),
    /// So many formulas at locations of which the same is true.
    Invariant(usize),
    /// The first `k` states of every run are fine, and nothing bad follows; with a lemma of so many formulas.
    Induction(u32, Argument, usize),
    /// So many states of which the same is true, each with how far it is from what can be reached from all of them.
    Returns(usize),
    /// An automaton accepts every run that is searched for, and none of the model's.
    Progress {
        /// How many states it has.
        states: usize,
        /// What is true of its product with the model.
        base: Box<Shown>,
        /// Why no run is accepted: by measures, because rounds are limited, or because no run reaches a state that accepts.
        descent: Descended,
    },
}

/// Why no run of a product is accepted.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Descended {
    /// No run leads to a state that accepts whatever comes, and there are no others that accept.
    Terminal,
    /// Measures decrease.
    Measures,
    /// No run comes through all acceptance sets more often than so many times.
    Rounds(u32),
    /// Ranks decrease.
    Ranks,
}

impl Shown {
    /// What a certificate with lists of so many entries shows.
    fn of(certificate: &Certificate, count: usize) -> Self {
        match certificate {
            Certificate::Invariant(_) => Shown::Invariant(count),
            Certificate::KInductive(proof) => Shown::Induction(proof.k, proof.argument, count),
            Certificate::ClosedSet(_) | Certificate::Zones(_) => Shown::ClosedSet(count),
            Certificate::Returns(_) => Shown::Returns(count),
            Certificate::Blocks(proof) => Shown::of(&proof.base, count),
            Certificate::Progress(proof) => Shown::Progress {
                states: proof.automaton.sinks.len(),
                base: Box::new(Shown::of(&proof.base, count)),
                descent: match proof.descent {
                    Descent::Terminal => Descended::Terminal,
                    Descent::Measures(_) => Descended::Measures,
                    Descent::Rounds(most) => Descended::Rounds(most),
                    Descent::Ranks(_) => Descended::Ranks,
                },
            },
        }
    }
}

/// What a run ends in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// Nothing special.
    Anywhere,
    /// A state that decides the question, or a beginning that does.
    Decided,
    /// None: it goes around a loop that begins in this state, for ever, and decides the question so.
    Repeats(usize),
    /// The same, with other values in every round, which begins in states of which this is true.
    Recurs(usize, String),
    /// A state where evaluating the question goes wrong.
    Undefined(FaultKind),
    /// A fault of the model, with its place.
    Fault(FaultKind, String),
}

/// Why a file is not accepted.
#[derive(Clone, Debug)]
pub enum Invalid {
    /// It is no evidence.
    File(EvidenceError),
    /// It does not fit the model.
    Misfit(Misfit),
    /// Its question has mistakes in it.
    Question(TextError),
    /// Its question cannot be posed.
    Pose(CannotPose),
    /// The judge does not accept it.
    Rejected(Rejection),
}

impl<'m> Submission<'m> {
    /// Reads a trace or a certificate of `model`; `asked` replaces the question that it names.
    ///
    /// # Errors
    /// Why it is no evidence about the model.
    pub fn read(
        model: &'m mut Model,
        file: &str,
        text: &str,
        asked: Option<Asked<'_>>,
    ) -> Result<Self, Box<Invalid>> {
        let format = header(file, text)?.format;
        if format == trace::FORMAT {
            Submission::trace(model, trace::parse(file, text)?, asked)
        } else if format == certificate::FORMAT {
            Submission::certificate(model, certificate::parse(file, text)?, asked)
        } else {
            let needed = "thetis-trace` or a `thetis-certificate";
            Err(EvidenceProblem::OtherFormat { found: format, needed }.of(file).into())
        }
    }
    /// The same for a trace that has been read; `asked` replaces the question that it names.
    ///
    /// # Errors
    /// Why it is no run of the model.
    pub fn trace(model: &'m mut Model, trace: Trace, asked: Option<Asked<'_>>) -> Result<Self, Box<Invalid>> {
        let scope = match (&trace.property, asked) {
            (Some(recorded), _) => recorded.scope(),
            (None, Some(asked)) => asked.scope.clone(),
            (None, None) => Scope::default(),
        };
        let question = match (asked, &trace.property) {
            (Some(asked), _) => Some(asked_instead(model, asked, &scope)?),
            (None, Some(recorded)) => Some(ask(model, &recorded.name, &recorded.text)?),
            (None, None) => None,
        };
        let (mut posed, property) = posed(model, question.as_ref(), &scope)?;
        let run = Lower::new(&posed.system, &trace.signature)?.run(&trace)?;
        Lift::new(model, &posed.system).agrees(&trace, &run, Places::Compared)?;
        let searched = match &property {
            Some(property) => posed.system.question(property.claim),
            None => ir::Question::Reach(posed.system.terms.bool(true)),
        };
        // Who asks nothing is shown a run that goes on for ever as well as one that ends.
        let run = if question.is_some() { run } else { run.once_around() };
        let question = question.map(|question| PropertyRef::new(&question, &scope));
        if asked.is_none() && !trace.upgraded && question != trace.property {
            return Err(Mismatch::Shown(Part::Property).into());
        }
        // What decides something is about something.
        if question.is_none() && matches!(trace.ends, Ends::Target | Ends::Undefined(_)) {
            return Err(Mismatch::Shown(Part::Property).into());
        }
        Ok(Submission { model, posed, searched, question, body: Body::Run(Box::new(trace), run) })
    }
    fn certificate(
        model: &'m mut Model,
        file: certificate::File,
        asked: Option<Asked<'_>>,
    ) -> Result<Self, Box<Invalid>> {
        let recorded = &file.preamble.property;
        let scope = recorded.scope();
        let question = match asked {
            Some(asked) => asked_instead(model, asked, &scope)?,
            None => ask(model, &recorded.name, &recorded.text)?,
        };
        let (mut posed, property) = posed(model, Some(&question), &scope)?;
        let property = property.expect("the property of a question");
        let searched = posed.system.question(property.claim);
        let question = PropertyRef::new(&question, &scope);
        // What an older file says of this, and of how it is shown, was made up when it was read.
        let whole = file.preamble.version == certificate::VERSION;
        if whole && asked.is_none() && question != *recorded {
            return Err(Mismatch::Shown(Part::Property).into());
        }
        let signature = file.preamble.signature.clone();
        let count = file.body.states.len().max(file.body.entries.len());
        let certificate = certificate::lower(&posed.system, &searched, file)?;
        if whole {
            Lift::new(model, &posed.system).shows(&signature)?;
        }
        let body = Body::Certificate(certificate, count);
        Ok(Submission { model, posed, searched, question: Some(question), body })
    }
    /// The certificate with the system and the target that it is about, if it is one.
    pub fn claimed(&self) -> Option<(&ir::System, &ir::Question, &Certificate)> {
        match &self.body {
            Body::Certificate(certificate, _) => Some((&self.posed.system, &self.searched, certificate)),
            Body::Run(..) => None,
        }
    }
    /// Whether the file is about the model's own question of its name, and that is another one now.
    pub fn outdated(&self) -> Option<&'m Question> {
        let question = self.question.as_ref()?;
        let own = self.model.questions().iter().flatten().find(|own| own.name == question.name)?;
        (lang::one_line(&own.text) != lang::one_line(&question.text)).then_some(own)
    }
    /// What the question claims, if there is one.
    pub fn claim(&self) -> Option<Claim> {
        self.posed.properties.first().map(|property| property.claim)
    }
    /// Has the evidence judged.
    ///
    /// # Errors
    /// Why it is not right.
    pub fn check(&self, stop: &Stop) -> Result<Valid, Box<Invalid>> {
        self.check_by(&Checker::default(), stop)
    }
    /// Has the evidence judged by a checker of one's choice.
    ///
    /// # Errors
    /// Why it is not right.
    pub fn check_by(&self, checker: &Checker, stop: &Stop) -> Result<Valid, Box<Invalid>> {
        let shown = match &self.body {
            Body::Run(trace, run) => self.check_run(trace, run, checker, stop)?,
            Body::Certificate(certificate, count) => {
                let Submission { posed, searched, .. } = self;
                Judge::by(checker.clone(), &posed.system)
                    .check(searched, Evidence::Certificate(certificate), stop.flag())
                    .map_err(|why| Box::new(Invalid::Rejected(why)))?;
                Shown::of(certificate, *count)
            }
        };
        Ok(Valid { question: self.question.clone(), shown })
    }
    fn check_run(
        &self,
        trace: &Trace,
        run: &Run,
        checker: &Checker,
        stop: &Stop,
    ) -> Result<Shown, Box<Invalid>> {
        let system = &self.posed.system;
        let property = self.posed.properties.first();
        let undefined = property.and_then(|property| verdict::undefined(system, property, run, stop));
        let end = match (&trace.ends, undefined.map(|fault| fault.kind)) {
            (Ends::Undefined(FaultKindRecord(kind)), found) if found != Some(*kind) => {
                return Err(Mismatch::NotUndefined(*kind).into());
            }
            (Ends::Target, Some(_)) => return Err(Mismatch::Undefined.into()),
            (Ends::Undefined(FaultKindRecord(kind)), _) => End::Undefined(*kind),
            _ if self.question.is_none() => End::Anywhere,
            _ => match (trace.cycle, trace.repeats.head()) {
                (None, _) => End::Decided,
                (Some(start), None) => End::Repeats(start),
                (Some(start), Some(head)) => End::Recurs(start, head.to_owned()),
            },
        };
        let judged =
            Judge::by(checker.clone(), system).check(&self.searched, Evidence::Run(run), stop.flag());
        let reached = judged.map(|shown| match shown {
            certify::Shown::Reached(reached) => reached,
            certify::Shown::Excluded => unreachable!("a run excludes nothing"),
        });
        let rejected = |why| match (why, trace.late()) {
            (Rejection::Wrong(_), Some(late)) => Box::new(Invalid::Misfit(late)),
            (why, _) => Box::new(Invalid::Rejected(why)),
        };
        let end = match (reached.map_err(rejected)?, &trace.ends) {
            (Reached::Target, Ends::Fault(_)) => return Err(Mismatch::NoFault.into()),
            (Reached::Target, _) => end,
            (Reached::Fault(fault), Ends::Fault(_)) => {
                if trace.ends != Lift::new(self.model, system).fault(fault) {
                    return Err(Mismatch::OtherFault.into());
                }
                let fault = &system.faults[fault];
                End::Fault(fault.kind, self.model.sources.place(fault.span))
            }
            (Reached::Fault(_), _) => return Err(Mismatch::Fault.into()),
        };
        Ok(Shown::Run(run.all_steps().count(), end))
    }
}

/// The question that replaces the one that a file with this scope names. One about other runs is refused, and one for a
/// value: no file shows that by itself.
fn asked_instead(
    model: &mut Model,
    Asked { text, scope }: Asked<'_>,
    recorded: &Scope,
) -> Result<Question, Box<Invalid>> {
    let question = ask(model, &lang::one_line(text), text)?;
    let usual = model.lowered.system.stuck.into();
    let part = |scope: &Scope| {
        let PropertyRef { check_states, within, stuck_runs, fair, zeno, .. } =
            PropertyRef::new(&question, scope);
        (check_states, within, stuck_runs.unwrap_or(usual), fair, zeno)
    };
    if part(scope) != part(recorded) {
        return Err(Mismatch::Scope(Box::new(recorded.clone())).into());
    }
    if question.values.is_empty() {
        return Ok(question);
    }
    let message = "a value is shown by two files together, a trace that leads to it and a certificate that excludes \
                   others beyond it; each names the question that it answers, and is validated without another";
    let span = Span { start: 0, end: u32::try_from(text.len()).unwrap_or(u32::MAX), ..Span::default() };
    let diagnostic = Diagnostic::error(Code::UnsupportedQuery, span, message);
    let source = Source::new("the question", text);
    Err(Box::new(Invalid::Question(model.misread(&source, vec![diagnostic]))))
}

/// Reads the question of a file.
fn ask(model: &mut Model, name: &str, text: &str) -> Result<Question, Box<Invalid>> {
    let asked = model.lowered.question(name, text);
    asked.map_err(|diagnostics| {
        let source = Source::new("the question of the file", text);
        Box::new(Invalid::Question(model.misread(&source, diagnostics)))
    })
}

fn posed(
    model: &Model,
    question: Option<&Question>,
    scope: &Scope,
) -> Result<(Posed, Option<Property>), Box<Invalid>> {
    let asked: Vec<&Question> = question.into_iter().collect();
    let posed = pose(model, &asked, scope).map_err(Invalid::Pose)?;
    let property = posed.properties.first().cloned();
    Ok((posed, property))
}

impl Invalid {
    /// The stable code of the reason, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Invalid::File(error) => error.problem.code(),
            Invalid::Misfit(misfit) => misfit.what.code(),
            Invalid::Question(error) => {
                error.diagnostics.first().map_or("text.mistakes", |first| first.code.code())
            }
            Invalid::Pose(why) => why.code(),
            Invalid::Rejected(why) => why.code(),
        }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Invalid::File(error) => error.fmt(f),
            Invalid::Misfit(misfit) => misfit.fmt(f),
            Invalid::Question(error) => error.fmt(f),
            Invalid::Pose(why) => why.fmt(f),
            Invalid::Rejected(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for Invalid {}

impl From<EvidenceError> for Box<Invalid> {
    fn from(error: EvidenceError) -> Self {
        Box::new(Invalid::File(error))
    }
}

impl From<Misfit> for Box<Invalid> {
    fn from(misfit: Misfit) -> Self {
        Box::new(Invalid::Misfit(misfit))
    }
}

impl From<Mismatch> for Box<Invalid> {
    fn from(what: Mismatch) -> Self {
        Box::new(Invalid::Misfit(what.into()))
    }
}
