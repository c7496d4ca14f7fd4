//! What is said about an answer, and the files that show it.

use std::path::Path;

use engine::{Attempt, Engine, Reason, Search, Statistics, Stop};
use ir::{Certificate, Property, System, VarId};
use lang::About;
use lang::diagnostic::Diagnostic;
use thetis::decide::Judged;
use thetis::file::FileError;
use thetis::trace::lift::Lift;
use thetis::trace::{self, Ends, FaultKindRecord, PropertyRef};
use thetis::verdict::{self, Decided, Evidence, NoVerdict, Verdict};
use thetis::{Model, Scope, Sources, certificate, obligations};

use super::questions::Question;
use super::{Options, advice, numbered};
use crate::console::{Console, printable};
use crate::doctor;
use crate::exit::{Failure, first_line};
use crate::load;
use crate::render;
use crate::report::{
    Depths, Numbers, Outcome, Record, RefinedZones, Refinements, Splittings, Strengthenings, Tried,
};
use crate::validate::{said_of, unwritten};

/// What one answer is about.
pub(super) struct Context<'a> {
    pub(super) model: &'a Model,
    /// The system that evidence is about.
    pub(super) system: &'a System,
    pub(super) question: &'a Question,
    pub(super) options: &'a Options,
    pub(super) console: &'a Console,
    pub(super) several: bool,
}

/// An answer ready to be shown.
pub(super) struct Answered {
    pub(super) record: Record,
    /// What ends the command if nothing else was asked.
    pub(super) failure: Option<Failure>,
    /// The place of a fault, rendered.
    pub(super) fault: Option<String>,
}

impl Context<'_> {
    pub(super) fn record(&self, judged: &Judged) -> Answered {
        let record = |verdict, certified, reason: Option<String>, trace| Record {
            name: self.question.name.clone(),
            text: self.question.text.clone(),
            verdict,
            certified,
            reason,
            notes: self.notes(judged),
            diagnostics: vec![],
            statistics: judged.started.then(|| Numbers {
                states: judged.statistics.states,
                visited: judged.statistics.expanded,
                stored: judged.statistics.states,
                transitions: judged.statistics.transitions,
                covered: judged.statistics.covered,
                depth: self.depth(&judged.statistics),
                bytes: judged.statistics.bytes,
                bytes_per_state: judged.statistics.bytes.div_ceil(judged.statistics.states.max(1)),
                search_microseconds: judged.search.as_micros() as u64,
                certify_microseconds: judged.certify.as_micros() as u64,
                cegar: judged.statistics.cegar.as_ref().map(Refinements::new),
                zone_cegar: judged.statistics.zone_cegar.as_ref().map(RefinedZones::new),
                configuration: match &judged.statistics.answered_by {
                    Some(options) => options.clone(),
                    None => self.options.config.to_string(),
                },
                order: judged.statistics.order.clone(),
                attempts: judged.statistics.attempts.iter().map(Tried::new).collect(),
                bounded: judged.statistics.bounded.as_ref().map(Depths::new),
                combined: judged
                    .statistics
                    .cegar
                    .as_ref()
                    .and_then(|cegar| cegar.combined.as_ref())
                    .map(Splittings::new),
                lazy: judged.statistics.lazy.as_ref().map(Strengthenings::new),
                preprocessing: judged.statistics.preprocessing.clone(),
            }),
            trace,
        };
        let lift = Lift::new(self.model, self.system);
        match &judged.result {
            Ok(verdict) => {
                let (outcome, reason) = match &verdict.answer {
                    Decided::Holds => (Outcome::Holds, None),
                    Decided::Violated => (Outcome::Violated, None),
                    Decided::Unknown(reason @ Reason::Internal(_)) => (Outcome::Internal, Some(reason)),
                    Decided::Unknown(reason) => (Outcome::Unknown, Some(reason)),
                };
                let trace = match &verdict.evidence {
                    Evidence::Run(run) => Some(lift.trace(run, Some(self.reference()), Ends::Target)),
                    _ => None,
                };
                let certified =
                    (!matches!(outcome, Outcome::Unknown | Outcome::Internal)).then_some(verdict.certified);
                let failure = match reason {
                    Some(Reason::Internal(what)) => Some(self.internal(what)),
                    // One of several, it is a line like the others.
                    Some(Reason::Unsupported(what)) if !self.several => {
                        Some(self.unsupported(what, &judged.statistics.attempts))
                    }
                    _ => None,
                };
                let reason = reason.map(|reason| {
                    let text = self.options.limits.explain(reason);
                    match (judged.uncertified, reason) {
                        (Some(found), Reason::Uncertified(_)) => format!("{text}; {found}"),
                        (Some(found), _) => format!("{text} while certifying; {found}"),
                        (None, _) => text,
                    }
                });
                // The verdict is a line, whatever a solver has to say.
                let (reason, details) = reason.map(|reason| first_line(&printable(&reason))).unzip();
                let mut record = record(outcome, certified, reason, trace);
                if let Decided::Unknown(reason) = &verdict.answer
                    && outcome == Outcome::Unknown
                {
                    let attempts = &judged.statistics.attempts;
                    let asked = advice::Asked {
                        config: &self.options.config,
                        narrowing: &self.options.narrowing,
                        side_by_side: self.system.clocks().next().is_none(),
                    };
                    record.notes.extend(advice::notes(&asked, reason, attempts));
                }
                record.notes.extend(details.flatten());
                if matches!(verdict.answer, Decided::Unknown(Reason::Solver(_) | Reason::Uncertified(_))) {
                    record.notes.extend(doctor::hint().map(str::to_owned));
                }
                Answered { record, failure, fault: None }
            }
            Err(NoVerdict::Fault(fault, run)) => {
                let trace = lift.trace(run, Some(self.reference()), lift.fault(*fault));
                let limit = verdict::out_of_range(self.system, *fault, run.last());
                let fault = &self.system.faults[*fault];
                let limit = limit.map(|limit| limit.to_string());
                self.goes_wrong(fault, &self.model.sources, limit, "", |reason| {
                    record(Outcome::Error, Some(self.options.certify), Some(reason), Some(trace))
                })
            }
            Err(NoVerdict::Undefined(fault, run)) => {
                let ends = Ends::Undefined(FaultKindRecord(fault.kind));
                let trace = lift.trace(run, Some(self.reference()), ends);
                let own = self.question.source.as_deref().map(|source| Sources::new(source.clone()));
                self.goes_wrong(
                    fault,
                    own.as_ref().unwrap_or(&self.model.sources),
                    None,
                    " in the query",
                    |reason| record(Outcome::Error, Some(self.options.certify), Some(reason), Some(trace)),
                )
            }
            Err(NoVerdict::Refused { answer, why }) => {
                let choices = match self.options.config.engine {
                    engine if engine.refines() => format!(", {}", self.options.config.cegar),
                    _ => String::new(),
                };
                let message = format!(
                    "the answer `{answer}` of engine `{}` (search order {}{choices}) for property `{}` of `{}` was \
                     refused when it was checked: {why}",
                    self.options.config.engine,
                    self.options.config.search,
                    self.question.name,
                    self.model.name()
                );
                let record = record(Outcome::Internal, Some(false), Some(why.clone()), None);
                Answered { record, failure: Some(Failure::Internal(message)), fault: None }
            }
        }
    }
    /// The answer that something goes wrong in a reachable state; `limit` says how.
    fn goes_wrong(
        &self,
        fault: &ir::Fault,
        sources: &Sources,
        limit: Option<String>,
        within: &str,
        record: impl FnOnce(String) -> Record,
    ) -> Answered {
        let limit = limit.map_or_else(String::new, |limit| format!(": {limit}"));
        let mut place =
            Diagnostic::error(fault.span, format!("{}{within} in a reachable state{limit}", fault.kind));
        place = place.label("goes wrong here").help("the steps that lead here are on stdout");
        let place = render::diagnostics(sources, &[place], self.console.colour);
        let record = record(format!("{} at {}{limit}", fault.kind, sources.place(fault.span)));
        Answered { record, failure: None, fault: Some(place) }
    }
    /// Something that cannot be; everything needed to report it.
    fn internal(&self, what: &str) -> Failure {
        Failure::Internal(format!(
            "engine `{}` (search order {}) failed for property `{}` of `{}`: {what}",
            self.options.config.engine,
            self.options.config.search,
            self.question.name,
            self.model.name()
        ))
    }
    fn reference(&self) -> PropertyRef {
        let asked = self.question.asked.as_ref().expect("only what can be asked is answered");
        PropertyRef::new(
            asked,
            Scope { check_states: self.options.check_states, within: self.options.within },
        )
    }
    /// How far the search went, if it counted that.
    fn depth(&self, statistics: &Statistics) -> Option<u64> {
        let counted = self.options.config.search == Search::Bfs
            && statistics.cegar.is_none()
            && (statistics.depth > 0 || statistics.transitions == 0);
        counted.then_some(statistics.depth)
    }
    /// What a verdict does not say of itself.
    fn notes(&self, judged: &Judged) -> Vec<String> {
        let system = self.system;
        if let Ok(Verdict { answer: Decided::Violated, evidence: Evidence::Run(run), .. }) = &judged.result {
            return self.crowded(run).into_iter().collect();
        }
        let Ok(Verdict { answer, evidence: Evidence::Certificate(certificate), .. }) = &judged.result else {
            return vec![];
        };
        let unobserved = match &**certificate {
            Certificate::ClosedSet(set) => {
                !(0..set.len()).any(|at| system.is_observed(&set.state(at).locations))
            }
            Certificate::Invariant(invariant) => {
                !invariant.entries.iter().any(|entry| system.is_observed(&entry.locations))
            }
            Certificate::KInductive(proof) => {
                !proof.lemma.entries.iter().any(|entry| system.is_observed(&entry.locations))
            }
            Certificate::Zones(_) => false,
        };
        let nothing = match (&judged.statistics.bounded, &**certificate) {
            (None, _) => judged.statistics.states == 0,
            (Some(counted), Certificate::KInductive(proof)) => {
                proof.argument == ir::Argument::Exhaustion && counted.depth == 0
            }
            _ => false,
        };
        let note = match answer {
            Decided::Holds if nothing => "the model has no initial state, so every property holds",
            Decided::Violated if nothing => "the model has no initial state, so nothing is reachable",
            Decided::Holds if unobserved => {
                "no state was examined, so every property would hold: the model stops before it reaches a state \
                 that properties look at"
            }
            _ => return vec![],
        };
        vec![note.to_owned()]
    }
    /// Which places of a net that is not 1-safe have several tokens at the end of a run.
    fn crowded(&self, run: &ir::Run) -> Option<String> {
        let system = self.system;
        if self.question.asked.as_ref().ok()?.about != About::OneSafety {
            return None;
        }
        let one = ir::Int::from(1);
        let several = system.state_vars().zip(&run.last().values).filter_map(|(var, value)| match value {
            Some(ir::Value::Int(count)) if *count > one => {
                Some(format!("`{}` has {count} tokens", system.vars[var].name))
            }
            _ => None,
        });
        let several: Vec<String> = several.collect();
        Some(format!("in the last marking, {}", several.join(" and ")))
    }
    /// No engine can handle the model, each for its reason; the place is that of the variable in question.
    fn unsupported(&self, what: &str, attempts: &[Attempt]) -> Failure {
        let Context { model, system, .. } = *self;
        let timed = system.clocks().next().is_some();
        let other = match self.options.config.engine {
            Engine::Explicit => ", and `--engine auto` searches it",
            Engine::Auto => "",
            _ => ", and `--engine auto` tries other configurations",
        };
        // Another option, or none, is all that is needed where one cannot be used.
        let help = (timed && !what.starts_with("`--"))
            .then(|| format!("`thetis simulate {}` steps through a timed model{other}", model.name()));
        let mut others: Vec<String> = vec![];
        for attempt in attempts {
            if let Reason::Unsupported(why) = &attempt.reason
                && why != what
                && !others.iter().any(|other| other.ends_with(why.as_str()))
            {
                others.push(format!("`{}` does not get further: {why}", attempt.configuration));
            }
        }
        match mentioned(system, what) {
            Some(var) => {
                let place = Diagnostic::error(system.vars[var].span, what).label("declared here");
                let place = others.into_iter().chain(help).fold(place, Diagnostic::help);
                let error = thetis::TextError {
                    sources: model.sources.clone(),
                    diagnostics: vec![place],
                    about: None,
                };
                render::failure(&error, self.console.colour)
            }
            None => {
                let more: String = help.into_iter().chain(others).map(|more| format!("; {more}")).collect();
                Failure::Input(format!("`{}`: {what}{more}", model.name()))
            }
        }
    }
    /// Writes the obligations of an invariant, if that was asked for.
    pub(super) fn write_obligations(
        &self,
        judged: &Judged,
        property: &Property,
        number: Option<usize>,
        stop: &Stop,
    ) -> Result<(), Failure> {
        let (Some(dir), Ok(Verdict { evidence: Evidence::Certificate(certificate), .. })) =
            (&self.options.obligations, &judged.result)
        else {
            return Ok(());
        };
        let mut system = self.system.clone();
        let question = system.question(property.claim);
        let (dir, name) = (numbered(dir, number), self.model.name());
        let written = obligations::write(&dir, name, &system, &question, certificate, stop.flag());
        self.console.note(said_of(&written.map_err(unwritten)?, &dir));
        Ok(())
    }
    /// Writes what was asked for into files; several properties get numbered ones.
    pub(super) fn write_evidence(
        &self,
        judged: &Judged,
        trace: Option<&trace::Trace>,
        number: Option<usize>,
    ) -> Vec<Failure> {
        let mut failures = vec![];
        let mut tell = |what: &str, path: &Path, result: Result<(), FileError>| match result {
            Ok(()) => self.console.note(format!("{what} written to {}", path.display())),
            Err(error) => failures.push(load::failure(&error.into(), self.console.colour)),
        };
        match (&self.options.trace, trace) {
            (Some(path), Some(trace)) => {
                let path = numbered(path, number);
                tell("trace", &path, trace::write(&path, trace));
            }
            (Some(path), None)
                if matches!(judged.result, Ok(Verdict { evidence: Evidence::Certificate(_), .. })) =>
            {
                let path = numbered(path, number);
                self.console.note(format!(
                    "no trace written to {}: no run decides the property, and `--certificate FILE` writes why",
                    path.display()
                ));
            }
            _ => {}
        }
        if let (Some(path), Ok(Verdict { evidence: Evidence::Certificate(certificate), .. })) =
            (&self.options.certificate, &judged.result)
        {
            let path = numbered(path, number);
            let lift = Lift::new(self.model, self.system);
            let result = certificate::write(&path, lift, self.reference(), certificate);
            tell("certificate", &path, result);
        }
        failures
    }
}

/// The first variable that a message names in backticks, if it is the only one of that name.
fn mentioned(system: &System, message: &str) -> Option<VarId> {
    message.split('`').skip(1).step_by(2).find_map(|word| {
        let mut named = system.vars.ids().filter(|var| system.vars[*var].name == word);
        named.next().filter(|_| named.next().is_none())
    })
}
