//! What a configuration makes of a question: a certified verdict, or why there is none, and what it cost.

use certify::{Reached, Rejection};
use engine::{Answer, Config, Quiet, Reason, Stop};
use ir::{Claim, System};

use crate::meter;

/// What a configuration made of a question.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// `holds`, `violated`, `fault`, `unknown`, `unread` if the model is not understood, or what went wrong.
    pub word: String,
    /// Why it is unknown, or what went wrong.
    pub reason: String,
    /// Seconds of the processor: of the search, and of certification.
    pub seconds: f64,
    pub certify: f64,
    /// Nodes stored; of abstraction refinement, those of the last graph.
    pub nodes: u64,
    /// Of abstraction refinement: questions to the solver, traces refuted in another way than the one asked
    /// for, explorations, and variables and predicates tracked.
    pub calls: u64,
    pub replaced: u64,
    pub iterations: u64,
    pub precision: u64,
    /// The clocks and the other variables of the model.
    pub clocks: usize,
    pub data: usize,
    /// The most memory that the process has used, in MB.
    pub megabytes: f64,
}

impl Outcome {
    /// One without numbers.
    pub fn of(word: &str, reason: String) -> Self {
        Outcome { word: word.to_owned(), reason, ..Outcome::default() }
    }
    /// Whether there is a certified verdict.
    pub fn is_decided(&self) -> bool {
        matches!(self.word.as_str(), "holds" | "violated" | "fault")
    }
    /// Whether it is a mistake: another verdict than the expected one, which is empty if nobody knows it; refused
    /// evidence, a failing solver, or a process that dies or does not listen.
    pub fn is_wrong(&self, expected: &str) -> bool {
        match self.is_decided() {
            true => !expected.is_empty() && self.word != expected,
            false => !matches!(self.word.as_str(), "unknown" | "unread"),
        }
    }
    /// As a line of text, which [`Outcome::read`] understands.
    pub fn line(&self) -> String {
        let Outcome { word, seconds, certify, nodes, calls, replaced, iterations, .. } = self;
        let Outcome { precision, clocks, data, megabytes, .. } = self;
        let reason = self.reason.replace(['\t', '\n'], " ");
        format!(
            "{word}\t{reason}\t{seconds}\t{certify}\t{nodes}\t{calls}\t{replaced}\t{iterations}\t{precision}\t\
             {clocks}\t{data}\t{megabytes}"
        )
    }
    pub fn read(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [word, reason, seconds, certify, nodes, calls, rest @ ..] = &fields[..] else { return None };
        let [replaced, iterations, precision, clocks, data, megabytes] = rest else { return None };
        Some(Outcome {
            word: (*word).to_owned(),
            reason: (*reason).to_owned(),
            seconds: seconds.parse().ok()?,
            certify: certify.parse().ok()?,
            nodes: nodes.parse().ok()?,
            calls: calls.parse().ok()?,
            replaced: replaced.parse().ok()?,
            iterations: iterations.parse().ok()?,
            precision: precision.parse().ok()?,
            clocks: clocks.parse().ok()?,
            data: data.parse().ok()?,
            megabytes: megabytes.parse().ok()?,
        })
    }
}

/// Searches and certifies, both together within so many seconds of the processor.
pub fn measure(system: &System, claim: Claim, config: &Config, limit: f64) -> Outcome {
    let (copy, config) = (system.clone(), config.clone());
    let measured = meter::within(limit, move |stop| judge(copy, claim, &config, stop));
    let outcome = measured.unwrap_or_else(|word| Outcome::of(word, String::new()));
    let clocks = system.clocks().count();
    let shown = system.state_vars().filter(|var| system.vars[*var].shown).count();
    Outcome { clocks, data: shown.saturating_sub(clocks), megabytes: meter::peak_megabytes(), ..outcome }
}

fn judge(mut system: System, claim: Claim, config: &Config, stop: &Stop) -> Outcome {
    let question = system.question(claim);
    let start = meter::processor();
    let (answer, statistics) = engine::search(&system, &question, config, stop, &mut Quiet);
    let searched = meter::processor();
    let always = matches!(claim, Claim::Always(_));
    let (word, reason) = match answer {
        Answer::Found(run) => match certify::check_run(&system, &question, &run, stop.flag()) {
            Ok(Reached::Target) if always => ("violated", String::new()),
            Ok(Reached::Target) => ("holds", String::new()),
            Ok(Reached::Fault(_)) => ("fault", String::new()),
            Err(why) => refused(&why),
        },
        Answer::Excluded(certificate) => {
            match certify::check_certificate(&system, &question, &certificate, stop.flag()) {
                Ok(()) if always => ("holds", String::new()),
                Ok(()) => ("violated", String::new()),
                Err(why) => refused(&why),
            }
        }
        Answer::Unknown(Reason::Internal(why)) => ("broken", why.to_string()),
        Answer::Unknown(reason @ Reason::Solver(_)) => ("solver", reason.to_string()),
        Answer::Unknown(reason) => ("unknown", reason.to_string()),
    };
    let nodes = statistics.cegar.as_ref().map_or(statistics.states, |cegar| cegar.nodes);
    let cegar = statistics.cegar.unwrap_or_default();
    Outcome {
        seconds: searched - start,
        certify: meter::processor() - searched,
        nodes,
        calls: cegar.solver_calls,
        replaced: cegar.replaced,
        iterations: cegar.iterations,
        precision: cegar.variables + cegar.predicates,
        ..Outcome::of(word, reason)
    }
}

fn refused(why: &Rejection) -> (&'static str, String) {
    match why {
        Rejection::Wrong(_) => ("refused", why.to_string()),
        _ => ("unknown", format!("not certified: {why}")),
    }
}
