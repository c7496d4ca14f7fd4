//! Results: what is printed and what `--json` says, from the same records.

use std::time::Duration;

use serde::Serialize;
use thetis::engine::{BoundedStatistics, ZoneCegarStatistics};
use thetis::record::{Counts, OutcomeRecord, ValueRecord};
use thetis::trace::{Trace, table};
use thetis::{CheckStates, Limits, StuckRuns, ZenoRuns};

use crate::exit::{Exit, Failure, Finding};
use crate::words::{self, Advice, Told};

/// The `format` of a result.
pub const FORMAT: &str = "thetis-result";
/// The `version` of a result.
pub const VERSION: u32 = 1;

/// The result of `thetis check`; see `docs/schema/result.schema.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Report {
    /// Always [`FORMAT`].
    pub format: &'static str,
    /// Always [`VERSION`].
    pub version: u32,
    /// The file of the model, as it was given.
    pub model: String,
    /// Which of several models of that file it is about, as the user knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The engine that was asked.
    pub engine: String,
    /// Which states properties look at.
    pub check_states: CheckStates,
    /// How much time since the start they look at, if not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<u64>,
    /// What becomes of runs that get stuck, if it was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stuck_runs: Option<StuckRuns>,
    /// Whether infinite runs that take a bounded time count, if they do not.
    #[serde(skip_serializing_if = "ZenoRuns::is_usual")]
    pub zeno: ZenoRuns,
    /// What the runs are fair to that temporal properties look at, if anything was chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fair: Vec<String>,
    /// One entry for each property that has been answered.
    pub properties: Vec<Record>,
}

/// The answer for one property.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Record {
    /// How the user knows the property.
    pub name: String,
    /// The property itself.
    pub text: Option<String>,
    /// What came out.
    pub verdict: OutcomeRecord,
    /// Whether the evidence has been checked; `null` if there is none.
    pub certified: Option<bool>,
    /// Why it is unknown, or what the error is.
    pub reason: Option<String>,
    /// The stable code of that.
    pub code: Option<&'static str>,
    /// What would let the search go on.
    pub remedies: Vec<Advice>,
    /// What is worth knowing about the answer, for example that it is empty.
    pub notes: Vec<String>,
    /// What is wrong with the property, if that is the error.
    pub diagnostics: Vec<Finding>,
    /// What the search did; `null` if it never started.
    pub statistics: Option<Numbers>,
    /// The run that shows it, if one does.
    pub trace: Option<Trace>,
    /// The values that were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ValueRecord>,
    /// What is recorded about the property in the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<RecordedRecord>,
    /// What never happens, if the property holds because of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vacuous: Option<String>,
}

/// What is recorded about a property in the model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RecordedRecord {
    /// Whether the property is recorded to hold; `null` if something else is recorded.
    pub holds: Option<bool>,
    /// A value that is recorded.
    pub value: Option<String>,
    /// When that was, if it is a result.
    pub when: Option<String>,
    /// Whether that is so; `null` where it cannot be said.
    pub agrees: Option<bool>,
}

/// What a search did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Numbers {
    /// What it counted.
    #[serde(flatten)]
    pub counts: Counts,
    /// The options that choose who answered, or who was asked.
    pub configuration: String,
    /// What a timed model contains, and the engines in the order in which they are asked then; `null` elsewhere.
    pub order: Option<String>,
    /// Who else was asked.
    pub attempts: Vec<Tried>,
    /// What was done to the model before the search, in words.
    pub preprocessing: Vec<String>,
}

/// A configuration that did not answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Tried {
    /// The options that choose it.
    pub configuration: String,
    /// Why it stopped.
    pub reason: String,
    /// The stable code of that.
    pub code: &'static str,
    /// States that it stored.
    pub states: u64,
}

impl Tried {
    /// The record of what the engine noted.
    pub fn new(attempt: &engine::Attempt, limits: &Limits) -> Self {
        let Told { code, text, .. } = words::reason(&attempt.reason, limits);
        let configuration = words::options(&attempt.configuration);
        Tried { configuration, reason: text, code, states: attempt.states }
    }
}

impl Report {
    /// The exit code of the whole: the worst of all. If what is recorded is expected, a verdict that is recorded
    /// counts as one that holds, and one that is not as one that is violated.
    pub fn exit(&self, expected: Expected) -> Exit {
        let exit = |record: &Record| match (record.verdict, &record.recorded) {
            (OutcomeRecord::Holds | OutcomeRecord::Violated | OutcomeRecord::Value, recorded)
                if expected == Expected::Recorded =>
            {
                match recorded.as_ref().and_then(|recorded| recorded.agrees) {
                    Some(false) => Exit::Violated,
                    _ => Exit::Holds,
                }
            }
            (verdict, _) => verdict.into(),
        };
        self.properties.iter().map(exit).fold(Exit::Holds, Exit::worst)
    }
}

/// What is expected of properties.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum Expected {
    /// All of them hold
    #[default]
    Holds,
    /// They are as the model records; what is not recorded may hold or not
    Recorded,
}

impl Record {
    /// A property without an answer, for this reason.
    pub fn unanswered(name: String, text: Option<String>, verdict: OutcomeRecord, told: &Told) -> Self {
        Record {
            name,
            text,
            verdict,
            certified: None,
            reason: Some(told.text.clone()),
            code: Some(told.code),
            remedies: vec![],
            notes: vec![],
            diagnostics: vec![],
            statistics: None,
            trace: None,
            values: vec![],
            recorded: None,
            vacuous: None,
        }
    }
    /// A property that cannot be asked.
    pub fn refused(name: String, text: Option<String>, failure: &Failure) -> Self {
        let verdict =
            if failure.exit() == Exit::Internal { OutcomeRecord::Internal } else { OutcomeRecord::Error };
        let told = Told::new(failure.code(), failure.summary());
        Record::with_diagnostics(name, text, verdict, &told, failure)
    }
    /// A property that needs what is not supported, and is right otherwise.
    pub fn unsupported(name: String, text: Option<String>, told: &Told, failure: &Failure) -> Self {
        Record::with_diagnostics(name, text, OutcomeRecord::Unknown, told, failure)
    }
    fn with_diagnostics(
        name: String,
        text: Option<String>,
        verdict: OutcomeRecord,
        told: &Told,
        failure: &Failure,
    ) -> Self {
        let diagnostics = match failure {
            Failure::Text { diagnostics, .. } => diagnostics.clone(),
            _ => vec![],
        };
        Record { diagnostics, ..Record::unanswered(name, text, verdict, told) }
    }
    /// The runs that show the answer, as people read them: one, or one for each end of the values that were asked for.
    pub fn runs(&self) -> String {
        let ends: Vec<_> = self.values.iter().flat_map(words::ends).collect();
        if ends.is_empty() {
            return self.trace.as_ref().map_or_else(String::new, |trace| table::render(trace, false));
        }
        let mut text = String::new();
        for (which, found, ending) in &ends {
            let Some(trace) = &found.trace else { continue };
            if ends.len() > 1 {
                text += &format!("run to {which}:\n");
            }
            text += &table::render_until(trace, false, ending.clone());
        }
        text
    }
    /// The verdict as one line.
    pub fn line(&self) -> String {
        let doubt = if self.certified == Some(false) { " (not certified)" } else { "" };
        let reason = self.reason.as_deref().unwrap_or("not said");
        match self.verdict {
            OutcomeRecord::Holds => format!("holds{doubt}"),
            OutcomeRecord::Violated => format!("violated{doubt}"),
            OutcomeRecord::Value => {
                self.values.iter().map(words::value).collect::<Vec<_>>().join(", ") + doubt
            }
            OutcomeRecord::Unknown => format!("unknown ({reason})"),
            OutcomeRecord::Error => format!("error ({reason})"),
            OutcomeRecord::Internal => format!("internal error ({reason})"),
        }
    }
}

impl From<OutcomeRecord> for Exit {
    /// The exit code for this alone.
    fn from(outcome: OutcomeRecord) -> Self {
        match outcome {
            OutcomeRecord::Holds | OutcomeRecord::Value => Exit::Holds,
            OutcomeRecord::Violated => Exit::Violated,
            OutcomeRecord::Unknown => Exit::Unknown,
            OutcomeRecord::Error => Exit::Input,
            OutcomeRecord::Internal => Exit::Internal,
        }
    }
}

/// The counts as one line for people.
pub fn line(counts: &Counts) -> String {
    let seconds = |micros: u64| format!("{}.{:03} s", micros / 1_000_000, micros / 1000 % 1000);
    let time = |time: Duration| seconds(time.as_micros() as u64);
    let many = |number: u64, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    let depth = counts.depth.map_or_else(String::new, |depth| format!(", depth {depth}"));
    let (search, certify) = (seconds(counts.search_microseconds), seconds(counts.certify_microseconds));
    if let Some(BoundedStatistics { depth, induction, solver_calls, solver_time }) = counts.bounded {
        let induction = match induction {
            0 => String::new(),
            states => format!(", induction over {}", many(states, "state")),
        };
        return format!(
            "depth {depth}{induction}, {}; search {search} (solver {}), certification {certify}",
            many(solver_calls, "solver call"),
            time(solver_time),
        );
    }
    if let Some(ZoneCegarStatistics { paths, refined, unbounded }) = counts.zone_cegar {
        return format!(
            "{}, {} with zones, {} without; search {search}, certification {certify}",
            many(paths, "path"),
            many(refined, "node"),
            unbounded,
        );
    }
    if let Some(lazy) = &counts.lazy {
        return format!(
            "{}, {} ({} expanded, {} covered), {}, {} of {} visible; search {search}, certification {certify}",
            many(counts.stored, "node"),
            many(counts.transitions, "transition"),
            counts.visited,
            counts.covered,
            many(lazy.refinements, "refinement"),
            lazy.visible,
            many(lazy.variables, "variable"),
        );
    }
    match &counts.cegar {
        Some(cegar) => format!(
            "{}, {} ({} covered), {} and {}, {}; search {search} (exploring {}, refining {}; solver {}), \
             certification {certify}",
            many(cegar.iterations, "iteration"),
            many(cegar.nodes, "node"),
            cegar.covered,
            many(cegar.variables, "variable"),
            many(cegar.predicates, "predicate"),
            many(cegar.solver_calls, "solver call"),
            time(cegar.explore_time),
            time(cegar.refine_time),
            time(cegar.solver_time),
        ),
        None => format!(
            "{}, {}{depth}; search {search}, certification {certify}",
            many(counts.stored, "state"),
            many(counts.transitions, "transition"),
        ),
    }
}
