//! What is said about an answer, and the files that show it.

use std::path::Path;

use engine::{Choice, ClockStrategy, Config, Reason, Statistics, Stop, Unsupported};
use ir::fairness::Strength;
use ir::{Certificate, Claim, Descent, Progress, Run, Stuck, System};
use lang::About;
use thetis::decide::Judged;
use thetis::extremes::{Extremum, Found, GivenUp, Measured, TOO_FAR};
use thetis::record::{Counts, OutcomeRecord, ValueRecord};
use thetis::trace::Trace;
use thetis::verdict::{self, Cause, Claimed, Decided, Evidence, Verdict};
use thetis::zeno::{self, Others};
use thetis::{Model, Outcome, Scope, Sources, deadlock, neglect, obligations, vacuity};

use super::questions::Question;
use super::{Options, advice, numbered, recorded};
use crate::console::Console;
use crate::exit::Failure;
use crate::load;
use crate::render::{self, Message};
use crate::report::{Numbers, Record, Tried};
use crate::trace;
use crate::validate::{said_of, unwritten};
use crate::words::{self, Told};

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
    /// The place that it is about, rendered: of a fault, or of a variable that is not supported.
    pub(super) place: Option<String>,
}

impl Context<'_> {
    /// What is said about an answer.
    pub(super) fn record(&self, found: &thetis::Answered, scope: &Scope, stop: &Stop) -> Answered {
        let mut answered = self.compared(self.answered(found));
        let record = &mut answered.record;
        match found.outcome {
            Outcome::Holds => {
                record.vacuous = self.vacuous(found, scope, stop);
                let vacuous = record.vacuous.iter();
                record.notes.extend(vacuous.map(|why| format!("it holds vacuously: {why}")));
                record.notes.extend(self.zeno(found, stop));
            }
            Outcome::Violated => {
                record.notes.extend(self.neglected(found, stop));
                record.notes.extend(self.zeno(found, stop));
            }
            _ => {}
        }
        answered
    }
    /// Why a property about runs holds vacuously, if it does. Those of the contest were made by chance.
    fn vacuous(&self, found: &thetis::Answered, scope: &Scope, stop: &Stop) -> Option<String> {
        let about = &self.question.asked.as_ref().ok()?.about;
        if self.options.no_vacuity || *about == About::Formula {
            return None;
        }
        let why = vacuity::vacuous(self.system, &found.property, scope, &self.options.config, stop)?;
        Some(why.to_string())
    }
    /// That nothing changes around the loop of a run, and what could.
    fn neglected(&self, found: &thetis::Answered, stop: &Stop) -> Option<String> {
        let fair = neglect::neglected(self.system, found.run()?, stop)?;
        let item = &fair.item;
        let often = match fair.strength {
            Strength::Weak => "all the time",
            Strength::Strong => "again and again",
        };
        Some(format!(
            "nothing changes around the loop, although `{item}` could happen {often}; `--fair '{fair}'` leaves such runs out"
        ))
    }
    /// That the run which was found takes a bounded time, and whether others do what it does.
    fn zeno(&self, found: &thetis::Answered, stop: &Stop) -> Option<String> {
        let others = zeno::others(self.system, &found.property, found.run()?, &self.options.config, stop)?;
        Some(match others {
            Others::None => {
                "only runs with infinitely many steps in a bounded time (Zeno runs) are like this: `--zeno forbid` leaves \
                 them out"
            }
            Others::Some => {
                "the run has infinitely many steps in a bounded time (a Zeno run), and there are others: `--zeno forbid` \
                 shows one"
            }
            Others::Unknown => {
                "the run has infinitely many steps in a bounded time (a Zeno run); whether there are others was not found \
                 out: `--zeno forbid`"
            }
        }
        .to_owned())
    }
    /// What is said about the values that a question asked for.
    pub(super) fn values(&self, measured: &[Measured]) -> Answered {
        self.compared(self.valued(measured))
    }
    /// The same with what is recorded about the question, and whether that is so.
    fn compared(&self, mut answered: Answered) -> Answered {
        if let Some(recorded) = self.question.asked.as_ref().ok().and_then(|asked| asked.recorded.as_ref()) {
            recorded::compare(&mut answered.record, recorded);
        }
        answered
    }
    fn answered(&self, found: &thetis::Answered) -> Answered {
        let trace = found.trace.clone();
        match &found.outcome {
            Outcome::Unknown(cause) => self.undecided(&found.judged, cause),
            outcome @ (Outcome::Holds | Outcome::Violated) => {
                let verdict = match outcome {
                    Outcome::Violated => OutcomeRecord::Violated,
                    _ => OutcomeRecord::Holds,
                };
                let certified = Some(found.certified);
                let record = Record { certified, trace, ..self.blank(&found.judged, verdict, None) };
                Answered { record, failure: None, place: None }
            }
            Outcome::Fault(fault) => {
                let last = found.run().map(Run::last);
                let limit = last.and_then(|last| verdict::out_of_range(self.system, *fault, last));
                let (fault, limit) = (&self.system.faults[*fault], limit.map(|limit| limit.to_string()));
                self.goes_wrong(&found.judged, fault, &self.model.sources, limit, "", trace)
            }
            Outcome::Undefined(fault) => {
                let own = self.question.source.as_deref().map(|source| Sources::new(source.clone()));
                let sources = own.as_ref().unwrap_or(&self.model.sources);
                self.goes_wrong(&found.judged, fault, sources, None, " in the query", trace)
            }
            Outcome::Refused(answer, why) => self.refused(&found.judged, *answer, why),
        }
    }
    /// The record of an answer without what shows it.
    fn blank(&self, judged: &Judged, verdict: OutcomeRecord, told: Option<&Told>) -> Record {
        Record {
            name: self.question.name.clone(),
            text: self.question.text.clone(),
            verdict,
            certified: None,
            reason: told.map(|told| told.text.clone()),
            code: told.map(|told| told.code),
            remedies: vec![],
            notes: self.notes(judged),
            diagnostics: vec![],
            statistics: self.numbers(judged),
            trace: None,
            values: vec![],
            recorded: None,
            vacuous: None,
        }
    }
    /// What the search did.
    fn numbers(&self, judged: &Judged) -> Option<Numbers> {
        let statistics = &judged.statistics;
        let config = statistics.answered_by.as_ref().unwrap_or(&self.options.config);
        let attempts = statistics.attempts.iter();
        Some(Numbers {
            counts: Counts::new(judged, self.options.config.search)?,
            configuration: words::options(config),
            order: statistics.order.as_ref().map(ToString::to_string),
            attempts: attempts.map(|attempt| Tried::new(attempt, &self.options.limits)).collect(),
            preprocessing: statistics.preprocessing.iter().map(ToString::to_string).collect(),
        })
    }
    /// The options that choose who answered, and for a timed model also what was done with clocks.
    pub(super) fn who(&self, by: Option<&Config>, statistics: &Statistics) -> String {
        let config = by.unwrap_or(&self.options.config);
        let encoded = self.timed() && config.engine.encodes_time();
        let combined = statistics.cegar.as_ref().and_then(|cegar| cegar.combined.as_ref());
        let strategy = match combined {
            Some(combined) => Some(combined.clock_strategy),
            None => encoded.then_some(ClockStrategy::RatEncode),
        };
        let told = strategy.filter(|_| config.clock_strategy.is_none()).map(Choice::ClockStrategy);
        let told = told.map_or(String::new(), |choice| format!(" {}", words::option(&choice)));
        format!("{}{told}", words::options(config))
    }
    fn timed(&self) -> bool {
        self.system.clocks().next().is_some()
    }
    fn valued(&self, measured: &[Measured]) -> Answered {
        let found = || measured.iter().flat_map(|it| [&it.least, &it.greatest]).flatten();
        let open = found().find(|found| matches!(found.extremum, Extremum::Open(_)));
        let values: Vec<ValueRecord> = measured.iter().map(ValueRecord::from).collect();
        let Some(last) = found().last().and_then(|found| found.excluded.as_ref().or(found.shown.as_ref()))
        else {
            unreachable!("every value that is asked for has been looked for")
        };
        let mut answered = match open.map(|open| (&open.excluded, open.given_up)) {
            Some((Some(missing), _)) => {
                let mut answered = self.answered(missing);
                answered.record.trace = None;
                answered
            }
            Some((None, why)) => {
                let told = Told::new(TOO_FAR, words::given_up(why.unwrap_or(GivenUp::TooFar)));
                let mut record = self.blank(&last.judged, OutcomeRecord::Unknown, Some(&told));
                let next =
                    "to go on: a condition that bounds it, as in `sup{p}: e`, or limited time (`--within`)";
                record.notes.push(next.to_owned());
                Answered { record, failure: None, place: None }
            }
            None => {
                let certified = Some(found().all(Found::is_certified));
                // The run to the only value that is asked for is the run of the answer.
                let trace = match &values[..] {
                    [ValueRecord { least: Some(only), greatest: None, .. }]
                    | [ValueRecord { least: None, greatest: Some(only), .. }] => only.trace.clone(),
                    _ => None,
                };
                let record = self.blank(&last.judged, OutcomeRecord::Value, None);
                let record = Record { certified, trace, values, notes: vec![], ..record };
                return Answered { record, failure: None, place: None };
            }
        };
        // What was found before the search ended is not lost.
        let known = values.iter().filter(|value| value.is_known());
        answered.record.notes.splice(0..0, known.map(|value| format!("so far: {}", words::value(value))));
        answered.record.values = values;
        answered
    }
    /// A question without an answer, with why, and what to do about it.
    fn undecided(&self, judged: &Judged, cause: &Cause) -> Answered {
        if let Cause::Search(Reason::Internal(error)) = cause {
            let told = Told::new(error.code(), error.to_string());
            let record = self.blank(judged, OutcomeRecord::Internal, Some(&told));
            return Answered { record, failure: Some(self.internal(&told)), place: None };
        }
        let told = words::unconfirmed(cause, judged.uncertified, &self.options.limits);
        let mut record = self.blank(judged, OutcomeRecord::Unknown, Some(&told));
        if let Cause::Search(reason) = cause {
            let attempts = &judged.statistics.attempts;
            let Options { config, narrowing, limits, .. } = self.options;
            let model = (self.timed(), self.model.name());
            record.remedies = words::advice(reason, attempts, config, narrowing, model);
            record.notes.extend(advice::notes(attempts, &record.remedies, limits));
        }
        record.notes.extend(told.details);
        record.notes.extend(words::hint(cause).map(str::to_owned));
        let place = match cause {
            Cause::Search(Reason::Unsupported(what)) if !self.several => self.declaration(what),
            _ => None,
        };
        Answered { record, failure: None, place }
    }
    /// Where the variable is declared that is not supported, if it is one of the model's own.
    fn declaration(&self, what: &Unsupported) -> Option<String> {
        let named = what.variables().first()?;
        let variable = self.system.vars.get(named.var).filter(|variable| variable.shown)?;
        let place = Message::note(format!("this is about {named}")).at(variable.span, "declared here");
        Some(render::message(&self.model.sources, &place, self.console.colour))
    }
    /// The answer that something goes wrong in a reachable state; `limit` says how.
    fn goes_wrong(
        &self,
        judged: &Judged,
        fault: &ir::Fault,
        sources: &Sources,
        limit: Option<String>,
        within: &str,
        trace: Option<Trace>,
    ) -> Answered {
        let limit = limit.map_or_else(String::new, |limit| format!(": {limit}"));
        let place = Message::error(format!("{}{within} in a reachable state{limit}", fault.kind))
            .at(fault.span, "goes wrong here")
            .help("the steps that lead here are on stdout");
        let place = render::message(sources, &place, self.console.colour);
        let text = format!("{} at {}{limit}", fault.kind, sources.place(fault.span));
        let told = Told::new(fault.kind.code(), text);
        let certified = Some(self.options.certify.is_on());
        let record = Record { certified, trace, ..self.blank(judged, OutcomeRecord::Error, Some(&told)) };
        Answered { record, failure: None, place: Some(place) }
    }
    /// An answer whose evidence was refused; everything needed to report it.
    fn refused(&self, judged: &Judged, answer: Claimed, why: &certify::Wrong) -> Answered {
        let answer = words::claimed(answer);
        let config = &self.options.config;
        let choices: Vec<String> = match config.engine.refines() {
            true => config.cegar.choices().iter().map(words::option).collect(),
            false => vec![],
        };
        let choices = if choices.is_empty() { String::new() } else { format!(", {}", choices.join(" ")) };
        let told = Told::new(why.flaw.code(), why.to_string());
        let message = format!(
            "the answer `{answer}` of engine `{}` (search order {}{choices}) for property `{}` of `{}` was refused \
             when it was checked: {why}",
            config.engine,
            config.search,
            self.question.name,
            self.model.name()
        );
        let certified = Some(false);
        let record = Record { certified, ..self.blank(judged, OutcomeRecord::Internal, Some(&told)) };
        let failure = Failure::Internal(Told { text: message, ..told });
        Answered { record, failure: Some(failure), place: None }
    }
    /// Something that cannot be; everything needed to report it.
    fn internal(&self, what: &Told) -> Failure {
        let text = format!(
            "engine `{}` (search order {}) failed for property `{}` of `{}`: {}",
            self.options.config.engine,
            self.options.config.search,
            self.question.name,
            self.model.name(),
            what.text
        );
        Failure::Internal(Told { text, ..what.clone() })
    }
    /// What a verdict does not say of itself.
    fn notes(&self, judged: &Judged) -> Vec<String> {
        let system = self.system;
        if let Ok(Verdict { evidence: Evidence::Run(run), .. }) = &judged.result {
            return self.crowded(run).into_iter().chain(self.deadlocked(run)).collect();
        }
        let Ok(Verdict { answer, evidence: Evidence::Certificate(certificate), .. }) = &judged.result else {
            return vec![];
        };
        if let Certificate::Progress(proof) = &**certificate {
            return self.dead_ends(proof).into_iter().collect();
        }
        let certificate = match &**certificate {
            Certificate::Blocks(proof) => &proof.base,
            other => other,
        };
        let unobserved = match certificate {
            Certificate::ClosedSet(set) => {
                !(0..set.len()).any(|at| system.is_observed(&set.state(at).locations))
            }
            Certificate::Invariant(invariant) => {
                !invariant.entries.iter().any(|entry| system.is_observed(&entry.locations))
            }
            Certificate::KInductive(proof) => {
                !proof.lemma.entries.iter().any(|entry| system.is_observed(&entry.locations))
            }
            Certificate::Returns(proof) => {
                !(0..proof.set.len()).any(|at| system.is_observed(&proof.set.state(at).locations))
            }
            Certificate::Zones(_) | Certificate::Progress(_) | Certificate::Blocks(_) => false,
        };
        let nothing = match (&judged.statistics.bounded, certificate) {
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
    /// That runs get stuck and do not count, if that is known.
    fn dead_ends(&self, proof: &Progress) -> Option<String> {
        if self.system.stuck != Stuck::Ignored {
            return None;
        }
        let count = match deadlock::dead_ends(self.system, proof) {
            // What is violated by a beginning is, stuck or not.
            None if proof.descent == Descent::Terminal => return None,
            None => {
                let said = "runs that get stuck do not count, and whether there are any was not found out: \
                            `--stuck-runs repeat`";
                return Some(said.to_owned());
            }
            Some(count) => Some(count).filter(|count| *count > 0)?,
        };
        let (states, there) = match count {
            1 => ("in 1 reachable state".to_owned(), "there"),
            _ => (format!("in {count} reachable states"), "in one of them"),
        };
        Some(format!(
            "{states} nothing can happen any more; runs that get stuck {there} do not count: `--stuck-runs repeat`"
        ))
    }
    /// Why nothing can happen at the end of a run to a deadlock.
    fn deadlocked(&self, run: &Run) -> Vec<String> {
        let Ok(asked) = &self.question.asked else { return vec![] };
        let (Claim::Always(term) | Claim::Possibly(term)) = asked.property.claim else { return vec![] };
        if !ir::mentions_deadlock(self.system, term) {
            return vec![];
        }
        let Some(found) = deadlock::explain(self.model, self.system, run.last()) else {
            return vec![];
        };
        words::deadlock(&found)
    }
    /// Which places of a net that is not 1-safe have several tokens at the end of a run.
    fn crowded(&self, run: &Run) -> Option<String> {
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
    /// Writes the obligations of an invariant, if that was asked for.
    pub(super) fn write_obligations(
        &self,
        found: &thetis::Answered,
        number: Option<usize>,
        stop: &Stop,
    ) -> Result<(), Failure> {
        let (Some(dir), Some(certificate)) = (&self.options.obligations, found.certificate()) else {
            return Ok(());
        };
        let (system, question) = found.searched();
        let (dir, name) = (numbered(dir, number), self.model.name());
        let written = obligations::write(&dir, name, &system, &question, certificate, stop.flag());
        self.console.note(said_of(&written.map_err(unwritten)?, &dir));
        Ok(())
    }
    /// Writes what was asked for into files; several properties get numbered ones.
    pub(super) fn write_evidence(&self, found: &thetis::Answered, number: Option<usize>) -> Vec<Failure> {
        let mut failures = self.write_trace(found.trace.as_ref(), number);
        if let (Some(path), None, Some(_)) = (&self.options.trace, &found.trace, found.certificate()) {
            self.console.note(format!(
                "no trace written to {}: no run decides the property, and `--certificate FILE` writes why",
                numbered(path, number).display()
            ));
        }
        if let Some(path) = self.options.certificate.as_ref().filter(|_| found.certificate().is_some()) {
            let path = numbered(path, number);
            let result = found.write_certificate(self.model, &path).map(drop);
            let result = result.map_err(|error| load::failure(&error.into(), self.console.colour));
            failures.extend(self.written("certificate", &path, result));
        }
        failures
    }
    /// Writes a run into the file that was asked for.
    pub(super) fn write_trace(&self, trace: Option<&Trace>, number: Option<usize>) -> Vec<Failure> {
        let (Some(path), Some(trace)) = (&self.options.trace, trace) else { return vec![] };
        let path = numbered(path, number);
        let result = trace::write(&path, self.model, trace, self.console);
        self.written("trace", &path, result).into_iter().collect()
    }
    /// Says that a file was written; why not, if it was not.
    fn written(&self, what: &str, path: &Path, result: Result<(), Failure>) -> Option<Failure> {
        match result {
            Ok(()) => {
                self.console.note(format!("{what} written to {}", path.display()));
                None
            }
            Err(failure) => Some(failure),
        }
    }
}
