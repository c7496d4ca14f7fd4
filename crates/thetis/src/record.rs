//! Answers as plain records: what a file, a table or another program needs of them.
//!
//! A record has no words beyond the names that the user knows; why something is open or wrong is a code.

use std::time::Duration;

use engine::{
    BoundedStatistics, CegarStatistics, CombinedStatistics, LazyStatistics, Search, Statistics,
    ZoneCegarStatistics,
};
use lang::Measure;
use serde::Serialize;

use crate::check::{Answered, Outcome};
use crate::decide::Judged;
use crate::extremes::{self, Extremum, Found, Measured};
use crate::trace::{Datum, Trace};

/// The answer to a question.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AnswerRecord {
    /// What came out.
    pub verdict: OutcomeRecord,
    /// Whether the evidence has been checked; `null` if there is none.
    pub certified: Option<bool>,
    /// The stable code of why it is unknown or what goes wrong.
    pub code: Option<&'static str>,
    /// What the search counted; `null` if it never started.
    pub statistics: Option<Counts>,
    /// The run that shows it, if one does.
    pub trace: Option<Trace>,
}

/// What came out.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OutcomeRecord {
    /// The property holds.
    Holds,
    /// The property is violated.
    Violated,
    /// Values were asked for, and are known.
    Value,
    /// Not decided.
    Unknown,
    /// The model goes wrong before the question can be answered, or the question is wrong.
    Error,
    /// Thetis itself is wrong.
    Internal,
}

/// What a search counted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Counts {
    /// States stored.
    pub states: u64,
    /// States whose successors were computed, also those that a larger one replaced later.
    pub visited: u64,
    /// States in store at the end; a state of a timed model is a discrete state with a zone.
    pub stored: u64,
    /// Successors computed, repeated ones included.
    pub transitions: u64,
    /// Successors that a stored state covered on arrival; none where states have no zones.
    pub covered: u64,
    /// Greatest distance from an initial state; known only breadth first.
    pub depth: Option<u64>,
    /// Bytes held by stored states and their index; of a timed model: discrete states, zones, nodes,
    /// location vectors with their moves, not compiled code and the list of those that wait.
    pub bytes: u64,
    /// These bytes for each stored state, rounded up.
    pub bytes_per_state: u64,
    /// Time of the search.
    pub search_microseconds: u64,
    /// Time of checking the evidence.
    pub certify_microseconds: u64,
    /// What abstraction refinement did; `null` for other engines.
    pub cegar: Option<CegarStatistics>,
    /// What abstraction refinement did with clocks; `null` where they are data, or there are none.
    pub combined: Option<CombinedStatistics>,
    /// What refinement of a zone graph did; `null` for other engines.
    pub zone_cegar: Option<ZoneCegarStatistics>,
    /// What bounded search or induction did; `null` for other engines.
    pub bounded: Option<BoundedStatistics>,
    /// What lazy abstraction did; `null` for other engines.
    pub lazy: Option<LazyStatistics>,
}

/// The extremes of an expression, as far as they were asked for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ValueRecord {
    /// As the user wrote it.
    pub expression: String,
    /// The least value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<ExtremumRecord>,
    /// The greatest value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub greatest: Option<ExtremumRecord>,
}

/// An extreme value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ExtremumRecord {
    /// What is known of it.
    pub kind: ExtremumKind,
    /// The value; where it is open, one that is known to be reached or surpassed.
    pub value: Option<i64>,
    /// Whether everything that shows it has been checked.
    pub certified: bool,
    /// The question whose answer shows that there is no value beyond, or is missing.
    pub excluded: Option<String>,
    /// A run to a state with that value, or near to it.
    pub trace: Option<Trace>,
    /// The value at the end of this run, unless it only shows that there is no bound.
    pub reached: Option<String>,
    /// The first and the last step of that run that surpass any value if they are repeated often enough, where there is
    /// no bound for that reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<(usize, usize)>,
}

/// What is known of an extreme value.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExtremumKind {
    /// A state has the value.
    Attained,
    /// States come as near to it as one likes, and none has it.
    Approached,
    /// There is none.
    Unbounded,
    /// No state is looked at.
    Nowhere,
    /// Not known.
    Open,
}

impl ValueRecord {
    /// Whether anything is known of it.
    pub fn is_known(&self) -> bool {
        let known = |found: &ExtremumRecord| found.kind != ExtremumKind::Open || found.value.is_some();
        self.least.iter().chain(&self.greatest).any(known)
    }
}

impl From<&Measured> for ValueRecord {
    fn from(measured: &Measured) -> Self {
        let record =
            |found: &Option<Found>| found.as_ref().map(|found| ExtremumRecord::new(found, &measured.measure));
        ValueRecord {
            expression: measured.measure.text.clone(),
            least: record(&measured.least),
            greatest: record(&measured.greatest),
        }
    }
}

impl ExtremumRecord {
    /// The record of what was found where this was measured.
    fn new(found: &Found, measure: &Measure) -> Self {
        let (kind, value) = match found.extremum {
            Extremum::Attained(value) => (ExtremumKind::Attained, Some(value)),
            Extremum::Approached(value) => (ExtremumKind::Approached, Some(value)),
            Extremum::Unbounded => (ExtremumKind::Unbounded, None),
            Extremum::Nowhere => (ExtremumKind::Nowhere, None),
            Extremum::Open(value) => (ExtremumKind::Open, value),
        };
        ExtremumRecord {
            kind,
            value,
            certified: found.is_certified(),
            // Where the extreme is open, the last answer is the one that is missing, and excludes nothing.
            excluded: found
                .excluded
                .as_ref()
                .filter(|_| !matches!(found.extremum, Extremum::Open(_)))
                .map(|answered| answered.reference.text.clone()),
            trace: found.shown.as_ref().and_then(|answered| answered.trace.clone()),
            reached: found.shown.as_ref().filter(|_| kind != ExtremumKind::Unbounded).and_then(|answered| {
                let value = extremes::measured(&answered.system, answered.run()?.last(), measure)?;
                Some(Datum::new(answered.system.types(), &value).to_string())
            }),
            repeats: found.repeats,
        }
    }
}

impl Counts {
    /// What is known of a search that states were taken from in the order of `search`; nothing if there was none.
    pub fn new(judged: &Judged, search: Search) -> Option<Self> {
        let statistics = &judged.statistics;
        let combined = statistics.cegar.as_ref().and_then(|cegar| cegar.combined.as_ref());
        judged.started.then(|| Counts {
            states: statistics.states,
            visited: statistics.expanded,
            stored: statistics.states,
            transitions: statistics.transitions,
            covered: statistics.covered,
            depth: depth(statistics, search),
            bytes: statistics.bytes,
            bytes_per_state: statistics.bytes.div_ceil(statistics.states.max(1)),
            search_microseconds: micros(judged.search),
            certify_microseconds: micros(judged.certify),
            cegar: statistics.cegar.clone(),
            combined: combined.cloned(),
            zone_cegar: statistics.zone_cegar.clone(),
            bounded: statistics.bounded.clone(),
            lazy: statistics.lazy.clone(),
        })
    }
}

/// How far the search went, if it counted that.
fn depth(statistics: &Statistics, search: Search) -> Option<u64> {
    let counted = search == Search::Bfs
        && statistics.cegar.is_none()
        && (statistics.depth > 0 || statistics.transitions == 0);
    counted.then_some(statistics.depth)
}

fn micros(time: Duration) -> u64 {
    time.as_micros() as u64
}

impl Answered {
    /// The answer as a plain record.
    pub fn record(&self) -> AnswerRecord {
        let (verdict, code) = match &self.outcome {
            Outcome::Holds => (OutcomeRecord::Holds, None),
            Outcome::Violated => (OutcomeRecord::Violated, None),
            Outcome::Unknown(cause) => (OutcomeRecord::Unknown, Some(cause.code())),
            Outcome::Fault(fault) => (OutcomeRecord::Error, Some(self.system.faults[*fault].kind.code())),
            Outcome::Undefined(fault) => (OutcomeRecord::Error, Some(fault.kind.code())),
            Outcome::Refused(_, why) => (OutcomeRecord::Internal, Some(why.flaw.code())),
        };
        AnswerRecord {
            verdict,
            certified: (verdict != OutcomeRecord::Unknown).then_some(self.certified),
            code,
            statistics: Counts::new(&self.judged, self.search),
            trace: self.trace.clone(),
        }
    }
}
