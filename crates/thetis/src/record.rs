//! Answers as plain records: what a file, a table or another program needs of them.
//!
//! A record has no words beyond the names that the user knows; why something is open or wrong is a code.

use std::time::Duration;

use engine::{Search, Statistics};
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
    pub cegar: Option<Refinements>,
    /// What abstraction refinement did with clocks; `null` where they are data, or there are none.
    pub combined: Option<Splittings>,
    /// What refinement of a zone graph did; `null` for other engines.
    pub zone_cegar: Option<RefinedZones>,
    /// What bounded search or induction did; `null` for other engines.
    pub bounded: Option<Depths>,
    /// What lazy abstraction did; `null` for other engines.
    pub lazy: Option<Strengthenings>,
}

/// What abstraction refinement did with clocks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Splittings {
    /// What abstract zones were.
    pub zone_strategy: String,
    /// What was done with clocks.
    pub clock_strategy: String,
    /// Alternatives that statements were split into.
    pub alternatives: u64,
    /// How often an abstract zone became smaller.
    pub refinements: u64,
}

impl Splittings {
    /// The record of what the engine counted.
    fn new(counted: &engine::CombinedStatistics) -> Self {
        Splittings {
            zone_strategy: counted.zone_strategy.to_string(),
            clock_strategy: counted.clock_strategy.to_string(),
            alternatives: counted.alternatives,
            refinements: counted.strengthened,
        }
    }
}

/// What lazy abstraction did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Strengthenings {
    /// What abstract zones were.
    pub zone_strategy: String,
    /// What was known of data.
    pub data: String,
    /// Nodes that were covered and then no more.
    pub uncovered: u64,
    /// How often a label became stronger.
    pub refinements: u64,
    /// Variables that some node sees.
    pub visible: u64,
    /// Variables that there are.
    pub variables: u64,
}

impl Strengthenings {
    /// The record of what the engine counted.
    fn new(counted: &engine::LazyStatistics) -> Self {
        Strengthenings {
            zone_strategy: counted.zone_strategy.to_string(),
            data: counted.data.to_string(),
            uncovered: counted.uncovered,
            refinements: counted.refinements,
            visible: counted.visible,
            variables: counted.variables,
        }
    }
}

/// What bounded search or induction did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Depths {
    /// The longest runs that were looked at, in steps.
    pub depth: u64,
    /// States in a row of the longest induction step; 0 without induction.
    pub induction: u64,
    /// Questions to the solver.
    pub solver_calls: u64,
    /// Time in the solver.
    pub solver_microseconds: u64,
}

impl Depths {
    /// The record of what the engine counted.
    fn new(counted: &engine::BoundedStatistics) -> Self {
        Depths {
            depth: counted.depth,
            induction: counted.induction,
            solver_calls: counted.solver_calls,
            solver_microseconds: micros(counted.solver_time),
        }
    }
}

/// What refinement of a zone graph did.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RefinedZones {
    /// Paths that were analysed with zones.
    pub paths: u64,
    /// Nodes with zones at the end.
    pub refined: u64,
    /// Discrete states that were met without regard to clocks.
    pub unbounded: u64,
}

impl RefinedZones {
    /// The record of what the engine counted.
    fn new(counted: &engine::ZoneCegarStatistics) -> Self {
        let engine::ZoneCegarStatistics { paths, refined, unbounded } = *counted;
        RefinedZones { paths, refined, unbounded }
    }
}

/// What abstraction refinement did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Refinements {
    /// Explorations of the graph, the last one included.
    pub iterations: u64,
    /// Nodes of the last graph.
    pub nodes: u64,
    /// Nodes made over all iterations.
    pub nodes_made: u64,
    /// Nodes of the last graph that others cover.
    pub covered: u64,
    /// Variables tracked by their values at the end.
    pub variables: u64,
    /// Predicates tracked at the end.
    pub predicates: u64,
    /// Traces that were refuted in another way than the one asked for.
    pub replaced: u64,
    /// Questions to the solver.
    pub solver_calls: u64,
    /// Of these, those that execute or refute traces.
    pub refine_calls: u64,
    /// Time in the solver.
    pub solver_microseconds: u64,
    /// Time of exploring abstract states.
    pub explore_microseconds: u64,
    /// Time of executing or refuting traces.
    pub refine_microseconds: u64,
}

impl Refinements {
    /// The record of what the engine counted.
    fn new(counted: &engine::CegarStatistics) -> Self {
        Refinements {
            iterations: counted.iterations,
            nodes: counted.nodes,
            nodes_made: counted.nodes_made,
            covered: counted.covered,
            variables: counted.variables,
            predicates: counted.predicates,
            replaced: counted.replaced,
            solver_calls: counted.solver_calls,
            refine_calls: counted.refine_calls,
            solver_microseconds: micros(counted.solver_time),
            explore_microseconds: micros(counted.explore_time),
            refine_microseconds: micros(counted.refine_time),
        }
    }
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
            cegar: statistics.cegar.as_ref().map(Refinements::new),
            combined: combined.map(Splittings::new),
            zone_cegar: statistics.zone_cegar.as_ref().map(RefinedZones::new),
            bounded: statistics.bounded.as_ref().map(Depths::new),
            lazy: statistics.lazy.as_ref().map(Strengthenings::new),
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
