//! Results: what is printed and what `--json` says, from the same records.

use serde::Serialize;
use thetis::CheckStates;
use thetis::trace::Trace;

use crate::exit::{Exit, Failure, Finding};
use crate::limits::Limits;
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
    /// The engine that was asked.
    pub engine: String,
    /// Which states properties look at.
    pub check_states: CheckStates,
    /// How much time since the start they look at, if not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<u64>,
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
    pub verdict: Outcome,
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
}

/// What came out.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The property holds.
    Holds,
    /// The property is violated.
    Violated,
    /// Not decided.
    Unknown,
    /// The model goes wrong before the question can be answered, or the question is wrong.
    Error,
    /// Thetis itself is wrong.
    Internal,
}

/// What a search did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Numbers {
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
    pub fn new(counted: &engine::CombinedStatistics) -> Self {
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
    pub fn new(counted: &engine::LazyStatistics) -> Self {
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
    pub fn new(counted: &engine::BoundedStatistics) -> Self {
        Depths {
            depth: counted.depth,
            induction: counted.induction,
            solver_calls: counted.solver_calls,
            solver_microseconds: counted.solver_time.as_micros() as u64,
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
    pub fn new(counted: &engine::ZoneCegarStatistics) -> Self {
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
    pub fn new(counted: &engine::CegarStatistics) -> Self {
        let micros = |time: std::time::Duration| time.as_micros() as u64;
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

impl Report {
    /// The exit code of the whole: the worst of all.
    pub fn exit(&self) -> Exit {
        self.properties.iter().fold(Exit::Holds, |worst, record| worst.worst(record.verdict.exit()))
    }
}

impl Record {
    /// A property without an answer, for this reason.
    pub fn unanswered(name: String, text: Option<String>, verdict: Outcome, told: &Told) -> Self {
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
        }
    }
    /// A property that cannot be asked.
    pub fn refused(name: String, text: Option<String>, failure: &Failure) -> Self {
        let verdict = if failure.exit() == Exit::Internal { Outcome::Internal } else { Outcome::Error };
        let told = Told::new(failure.code(), failure.summary());
        Record::with_diagnostics(name, text, verdict, &told, failure)
    }
    /// A property that needs what is not supported, and is right otherwise.
    pub fn unsupported(name: String, text: Option<String>, told: &Told, failure: &Failure) -> Self {
        Record::with_diagnostics(name, text, Outcome::Unknown, told, failure)
    }
    fn with_diagnostics(
        name: String,
        text: Option<String>,
        verdict: Outcome,
        told: &Told,
        failure: &Failure,
    ) -> Self {
        let diagnostics = match failure {
            Failure::Text { diagnostics, .. } => diagnostics.clone(),
            _ => vec![],
        };
        Record { diagnostics, ..Record::unanswered(name, text, verdict, told) }
    }
    /// The verdict as one line.
    pub fn line(&self) -> String {
        let doubt = if self.certified == Some(false) { " (not certified)" } else { "" };
        let reason = self.reason.as_deref().unwrap_or("not said");
        match self.verdict {
            Outcome::Holds => format!("holds{doubt}"),
            Outcome::Violated => format!("violated{doubt}"),
            Outcome::Unknown => format!("unknown ({reason})"),
            Outcome::Error => format!("error ({reason})"),
            Outcome::Internal => format!("internal error ({reason})"),
        }
    }
}

impl Outcome {
    /// The exit code for this alone.
    pub fn exit(self) -> Exit {
        match self {
            Outcome::Holds => Exit::Holds,
            Outcome::Violated => Exit::Violated,
            Outcome::Unknown => Exit::Unknown,
            Outcome::Error => Exit::Input,
            Outcome::Internal => Exit::Internal,
        }
    }
}

impl Numbers {
    /// The numbers as one line for people.
    pub fn line(&self) -> String {
        let seconds = |micros: u64| format!("{}.{:03} s", micros / 1_000_000, micros / 1000 % 1000);
        let many = |number: u64, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
        let depth = self.depth.map_or_else(String::new, |depth| format!(", depth {depth}"));
        let (search, certify) = (seconds(self.search_microseconds), seconds(self.certify_microseconds));
        if let Some(Depths { depth, induction, solver_calls, solver_microseconds }) = self.bounded {
            let induction = match induction {
                0 => String::new(),
                states => format!(", induction over {}", many(states, "state")),
            };
            return format!(
                "depth {depth}{induction}, {}; search {search} (solver {}), certification {certify}",
                many(solver_calls, "solver call"),
                seconds(solver_microseconds),
            );
        }
        if let Some(RefinedZones { paths, refined, unbounded }) = self.zone_cegar {
            return format!(
                "{}, {} with zones, {} without; search {search}, certification {certify}",
                many(paths, "path"),
                many(refined, "node"),
                unbounded,
            );
        }
        if let Some(lazy) = &self.lazy {
            return format!(
                "{}, {} ({} expanded, {} covered), {}, {} of {} visible; search {search}, certification {certify}",
                many(self.stored, "node"),
                many(self.transitions, "transition"),
                self.visited,
                self.covered,
                many(lazy.refinements, "refinement"),
                lazy.visible,
                many(lazy.variables, "variable"),
            );
        }
        match &self.cegar {
            Some(cegar) => format!(
                "{}, {} ({} covered), {} and {}, {}; search {search} (exploring {}, refining {}; solver {}), \
                 certification {certify}",
                many(cegar.iterations, "iteration"),
                many(cegar.nodes, "node"),
                cegar.covered,
                many(cegar.variables, "variable"),
                many(cegar.predicates, "predicate"),
                many(cegar.solver_calls, "solver call"),
                seconds(cegar.explore_microseconds),
                seconds(cegar.refine_microseconds),
                seconds(cegar.solver_microseconds),
            ),
            None => format!(
                "{}, {}{depth}; search {search}, certification {certify}",
                many(self.stored, "state"),
                many(self.transitions, "transition"),
            ),
        }
    }
}
