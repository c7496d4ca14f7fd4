//! Progress: a search reports what it does and knows neither logger nor terminal.

use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::answer::Reason;
use crate::auto::Order;
use crate::config::{ClockStrategy, Config, DataStrategy, ZoneStrategy};
use crate::preprocess::Rewriting;

/// Somebody who watches a search.
pub trait Observer {
    /// Called every now and then, many times a second at most.
    fn progress(&mut self, progress: &Progress);
    /// Called where several configurations take turns: which of them did not answer so far, and those whose turn
    /// it is.
    fn turn(&mut self, _before: &[Attempt], _now: &[Config]) {}
    /// Called at the end with the graph that was built, as DOT, by engines that build one worth seeing.
    fn graph(&mut self, _dot: &dyn std::fmt::Display) {}
}

/// What is being done.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Phase {
    /// Concrete states are listed.
    #[default]
    Listing,
    /// Zones are listed.
    Zones,
    /// Zones are computed where a path without them leads to the target.
    RefiningZones,
    /// The zone graph is abstracted lazily.
    Lazy,
    /// Abstract states are explored.
    Exploring,
    /// Ranking functions of abstract states are searched for.
    Ranking,
    /// An abstract trace is executed or refuted.
    Refuting,
    /// Runs of growing length are looked at.
    Bounded,
    /// Induction over several steps.
    Induction,
    /// Evidence is checked.
    Certifying,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Listing => "search",
            Phase::Zones => "zones",
            Phase::RefiningZones => "refining zones",
            Phase::Lazy => "lazy",
            Phase::Exploring => "exploring abstract states",
            Phase::Ranking => "ranking abstract states",
            Phase::Refuting => "looking at an abstract trace",
            Phase::Bounded => "bounded search",
            Phase::Induction => "induction",
            Phase::Certifying => "certifying",
        })
    }
}

/// Where a search is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// What is being done.
    pub phase: Phase,
    /// States stored so far.
    pub states: u64,
    /// States whose successors are known.
    pub expanded: u64,
    /// Successors computed, repeated ones included.
    pub transitions: u64,
    /// Steps from the initial states, breadth first.
    pub depth: u64,
    /// Bytes held by the search.
    pub bytes: u64,
    /// Refinements so far, if there are any.
    pub iterations: u64,
    /// Nodes that others cover.
    pub covered: u64,
    /// Variables and predicates that the abstraction tracks.
    pub precision: u64,
    /// Questions to a solver.
    pub solver_calls: u64,
}

/// What a search did, for reports.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// States stored.
    pub states: u64,
    /// States whose successors were computed.
    pub expanded: u64,
    /// Successors computed, repeated ones included.
    pub transitions: u64,
    /// Successors that were covered on arrival, in a zone graph.
    pub covered: u64,
    /// Greatest distance from an initial state, breadth first.
    pub depth: u64,
    /// Bytes held by stored states and their index at the end.
    pub bytes: u64,
    /// Expansions that the plain interpreter had to do because the compiled code could not.
    pub plain_expansions: u64,
    /// What abstraction refinement did.
    pub cegar: Option<CegarStatistics>,
    /// What lazy abstraction did.
    pub lazy: Option<LazyStatistics>,
    /// What refinement of a zone graph did.
    pub zone_cegar: Option<ZoneCegarStatistics>,
    /// What bounded search or induction did.
    pub bounded: Option<BoundedStatistics>,
    /// Who answered, if that was left to Thetis.
    pub answered_by: Option<Config>,
    /// What the model contains and in which order engines are asked then, if that was left to Thetis and depends on it.
    pub order: Option<Order>,
    /// Who else was asked, if that was left to Thetis, and why there was no answer.
    pub attempts: Vec<Attempt>,
    /// What preprocessing did.
    pub preprocessing: Vec<Rewriting>,
}

/// A configuration that did not answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// Which, with what it was allowed.
    pub configuration: Config,
    /// Why it stopped.
    pub reason: Reason,
    /// States that it stored.
    pub states: u64,
}

impl Attempt {
    /// Whether it was this configuration, whatever that was allowed.
    pub fn is_of(&self, config: &Config) -> bool {
        self.configuration.without_limits() == config.without_limits()
    }
}

/// What lazy abstraction did, for reports.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct LazyStatistics {
    /// What abstract zones were.
    #[serde(serialize_with = "by_name")]
    pub zone_strategy: ZoneStrategy,
    /// What was known of data.
    #[serde(serialize_with = "by_name")]
    pub data: DataStrategy,
    /// Nodes that were covered and then no more.
    pub uncovered: u64,
    /// How often a label became stronger.
    pub refinements: u64,
    /// Variables that some node sees.
    pub visible: u64,
    /// Variables that there are.
    pub variables: u64,
}

/// What bounded search or induction did, for reports.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct BoundedStatistics {
    /// The longest runs that were looked at, in steps.
    pub depth: u64,
    /// States in a row of the longest induction step; 0 without induction.
    pub induction: u64,
    /// Questions to the solver.
    pub solver_calls: u64,
    /// Time in the solver.
    #[serde(rename = "solver_microseconds", serialize_with = "in_microseconds")]
    pub solver_time: Duration,
}

/// What refinement of a zone graph did, for reports.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ZoneCegarStatistics {
    /// Paths that were analysed with zones.
    pub paths: u64,
    /// Nodes with zones at the end.
    pub refined: u64,
    /// Discrete states that were met without regard to clocks.
    pub unbounded: u64,
}

/// What abstraction refinement did, for reports.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct CegarStatistics {
    /// Explorations, the last one included.
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
    /// Traces that were refuted in another way than the one asked for, which failed or told nothing new.
    pub replaced: u64,
    /// Questions to the solver.
    pub solver_calls: u64,
    /// Of these, those to refute traces.
    pub refine_calls: u64,
    /// Time in the solver.
    #[serde(rename = "solver_microseconds", serialize_with = "in_microseconds")]
    pub solver_time: Duration,
    /// Time of exploring the abstract states.
    #[serde(rename = "explore_microseconds", serialize_with = "in_microseconds")]
    pub explore_time: Duration,
    /// Time of deciding whether traces can be executed, and why not.
    #[serde(rename = "refine_microseconds", serialize_with = "in_microseconds")]
    pub refine_time: Duration,
    /// What was done with time, if that was not data.
    #[serde(skip)]
    pub combined: Option<CombinedStatistics>,
}

/// What abstraction refinement did with time, for reports.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct CombinedStatistics {
    /// What abstract zones were.
    #[serde(serialize_with = "by_name")]
    pub zone_strategy: ZoneStrategy,
    /// What was done with clocks.
    #[serde(serialize_with = "by_name")]
    pub clock_strategy: ClockStrategy,
    /// Alternatives that statements were split into.
    pub alternatives: u64,
    /// How often an abstract zone became smaller.
    #[serde(rename = "refinements")]
    pub strengthened: u64,
}

fn in_microseconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(time.as_micros() as u64)
}

fn by_name<S: Serializer>(choice: &impl fmt::Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(choice)
}

/// Nobody watches.
pub struct Quiet;

impl Observer for Quiet {
    fn progress(&mut self, _: &Progress) {}
}
