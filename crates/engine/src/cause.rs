//! Why a search ends without an answer, in detail and as data.
//!
//! Each cause holds the variables, expressions and numbers that it is about, and has a stable code. Its text is
//! plain English without any shell's options; what would help is said by [`crate::Reason::remedies`].

use std::fmt;

use ir::NamedVar;

use crate::choice::{Choice, ConfigError};
use crate::config::Engine;

/// What of a model, a question or a configuration an engine cannot handle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unsupported {
    /// Two choices do not fit together.
    Choices(ConfigError),
    /// There is a clock, and the engine knows data only.
    Clock {
        /// The clock.
        clock: NamedVar,
        /// The engine.
        engine: Engine,
    },
    /// Time passes, and the engine knows data only.
    Delay {
        /// The engine.
        engine: Engine,
    },
    /// A variable has infinitely many values where it is read.
    OpenVariable {
        /// The variable.
        var: NamedVar,
    },
    /// A run was found on which a variable has a value that trying does not find.
    OpenRun {
        /// The variable.
        var: NamedVar,
    },
    /// A run was found through a loop, or through choices, that cannot be listed.
    UnlistedRun,
    /// A value does not fit into the words that zones are searched with.
    WideValue,
    /// A condition or a step is beyond what zones are searched with.
    ZoneData {
        /// The condition, or the labels of the step.
        place: String,
    },
    /// A loop whose number of rounds is not known.
    Loop {
        /// What the number depends on; empty where it is only too large.
        depends_on: Vec<NamedVar>,
    },
    /// A loop that touches clocks and whose number of rounds is not known.
    ClockLoop {
        /// What the number depends on; empty where the user wrote nothing of it.
        depends_on: Vec<NamedVar>,
    },
    /// A deadlock that cannot be written as a condition on variables.
    DeadlockCondition,
    /// A deadlock that depends on clocks in too complex a way.
    DeadlockOverClocks,
    /// There are too many combinations of locations, or too many actions, for formulas.
    ManyLocations,
    /// A clock gets an arbitrary value.
    ClockHavoc {
        /// The clock.
        clock: NamedVar,
    },
    /// A clock does not run like the others, or gets the value of another, and the engine knows zones only.
    UnevenClock {
        /// The clock.
        clock: NamedVar,
    },
    /// A clock is compared with an expression that has many values.
    ManyBounds {
        /// What the expression depends on.
        depends_on: Vec<NamedVar>,
        /// How many values are not too many.
        most: u64,
    },
    /// A statement touches clocks in many ways.
    ManyWays {
        /// How many ways are not too many.
        most: u64,
        /// Whether only those were counted that one abstract state allows.
        filtered: bool,
    },
    /// A condition uses clocks in another way than in differences.
    NotADifference {
        /// The condition.
        term: String,
    },
    /// A clock is compared with an expression without a greatest value.
    UnboundedConstraint {
        /// The expression.
        bound: String,
    },
    /// A clock that is part of a difference is set to an expression without a greatest value.
    UnboundedReset,
    /// A difference of clocks is compared with an expression that is not constant.
    VaryingDifference {
        /// The expression.
        bound: String,
    },
    /// A choice is not sound for the model or the question.
    Unsound {
        /// The choice.
        choice: Choice,
        /// What it is not sound with.
        with: Feature,
    },
    /// The model does more than counting, or is too large for linear invariants.
    NotCounting,
    /// A question about whole runs, which the engine does not search for.
    Endless {
        /// The engine.
        engine: Engine,
    },
    /// A question about what can be reached again, which the engine does not answer.
    Branching {
        /// The engine.
        engine: Engine,
    },
    /// A question about what can be reached again, and whether it can depends on the value of a variable that is open.
    OpenReturn {
        /// The variable.
        var: NamedVar,
    },
    /// A question about whole runs that reads a clock, whose value changes between two steps, or asks for deadlocks that
    /// depend on one.
    EndlessTime {
        /// The clock.
        clock: NamedVar,
    },
    /// A formula whose automaton is too large.
    LargeFormula,
    /// Runs that get stuck repeat their last state, and when that is so cannot be written as a condition.
    StuckCondition,
}

/// What of a model or a question makes a choice unsound.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Feature {
    /// Clocks are compared with each other.
    Differences,
    /// The question is about deadlocks.
    Deadlock,
    /// Time stands still while a channel can be used.
    UrgentChannels,
    /// Some actions go before others.
    Priorities,
    /// A monitor reads every step.
    Monitor,
    /// Time passes in the middle of steps.
    Delays,
    /// An invariant is no conjunction of bounds on clocks and conditions on data, or can go wrong.
    Invariants,
}

ir::codes! {
    Unsupported {
        Unsupported::Choices(_) => "unsupported.choices",
        Unsupported::Clock { .. } => "unsupported.clock",
        Unsupported::Delay { .. } => "unsupported.delay",
        Unsupported::OpenVariable { .. } => "unsupported.open-variable",
        Unsupported::OpenRun { .. } => "unsupported.open-run",
        Unsupported::UnlistedRun => "unsupported.unlisted-run",
        Unsupported::WideValue => "unsupported.wide-value",
        Unsupported::ZoneData { .. } => "unsupported.zone-data",
        Unsupported::Loop { .. } => "unsupported.loop",
        Unsupported::ClockLoop { .. } => "unsupported.clock-loop",
        Unsupported::DeadlockCondition => "unsupported.deadlock-condition",
        Unsupported::DeadlockOverClocks => "unsupported.deadlock-over-clocks",
        Unsupported::ManyLocations => "unsupported.many-locations",
        Unsupported::ClockHavoc { .. } => "unsupported.clock-havoc",
        Unsupported::UnevenClock { .. } => "unsupported.uneven-clock",
        Unsupported::ManyBounds { .. } => "unsupported.many-bounds",
        Unsupported::ManyWays { .. } => "unsupported.many-ways",
        Unsupported::NotADifference { .. } => "unsupported.not-a-difference",
        Unsupported::UnboundedConstraint { .. } => "unsupported.unbounded-constraint",
        Unsupported::UnboundedReset => "unsupported.unbounded-reset",
        Unsupported::VaryingDifference { .. } => "unsupported.varying-difference",
        Unsupported::Unsound { .. } => "unsupported.unsound",
        Unsupported::NotCounting => "unsupported.not-counting",
        Unsupported::Endless { .. } => "unsupported.endless",
        Unsupported::Branching { .. } => "unsupported.branching",
        Unsupported::OpenReturn { .. } => "unsupported.open-return",
        Unsupported::EndlessTime { .. } => "unsupported.endless-time",
        Unsupported::LargeFormula => "unsupported.large-formula",
        Unsupported::StuckCondition => "unsupported.stuck-condition",
    }
}

impl Unsupported {
    /// The variables that it is about.
    pub fn variables(&self) -> &[NamedVar] {
        match self {
            Unsupported::Clock { clock: var, .. }
            | Unsupported::EndlessTime { clock: var }
            | Unsupported::ClockHavoc { clock: var }
            | Unsupported::UnevenClock { clock: var }
            | Unsupported::OpenVariable { var }
            | Unsupported::OpenReturn { var }
            | Unsupported::OpenRun { var } => std::slice::from_ref(var),
            Unsupported::Loop { depends_on }
            | Unsupported::ClockLoop { depends_on }
            | Unsupported::ManyBounds { depends_on, .. } => depends_on,
            _ => &[],
        }
    }
}

fn listed(vars: &[NamedVar]) -> String {
    vars.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// What an engine that knows data only does.
fn method(engine: Engine) -> &'static str {
    match engine {
        Engine::Explicit => "explicit search",
        Engine::Bmc => "bounded search",
        Engine::Kind => "induction",
        Engine::Spacer => "solving Horn clauses",
        Engine::Ic3 => "IC3",
        Engine::Cegar | Engine::Combined => "abstraction refinement",
        _ => "this search",
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsupported::Choices(error) => error.fmt(f),
            Unsupported::Clock { clock, engine } => {
                write!(f, "{} handles untimed models, and {clock} is a clock", method(*engine))
            }
            Unsupported::Delay { engine } => {
                write!(f, "{} handles untimed models, and time passes here", method(*engine))
            }
            Unsupported::OpenVariable { var } => {
                write!(f, "the variable {var} can take infinitely many values where it is read")
            }
            Unsupported::OpenRun { var } => {
                write!(f, "a run on which {var} takes a value that cannot be found by trying")
            }
            Unsupported::UnlistedRun => {
                f.write_str("a run through a loop, or through choices, that cannot be listed")
            }
            Unsupported::WideValue => f.write_str("a value leaves 64 bits in a timed model"),
            Unsupported::ZoneData { place } => write!(
                f,
                "zones need integers, booleans, enumerations and arrays over fixed positions, and no more than some \
                 thousand cases of conditions over clocks within others, in `{place}`"
            ),
            Unsupported::Loop { depends_on } if depends_on.is_empty() => {
                f.write_str("a loop with more rounds than can be written out")
            }
            Unsupported::Loop { depends_on } => write!(
                f,
                "a loop whose number of rounds depends on {}, which is not known from the tracked values",
                listed(depends_on)
            ),
            Unsupported::ClockLoop { depends_on } => {
                f.write_str("a loop that touches clocks and whose number of rounds depends on ")?;
                match &depends_on[..] {
                    [] => f.write_str("what is not tracked"),
                    vars => f.write_str(&listed(vars)),
                }
            }
            Unsupported::DeadlockCondition => f.write_str(
                "a `deadlock` that cannot be written as a condition, because an action has a loop, or a havoc that \
                 its success depends on",
            ),
            Unsupported::DeadlockOverClocks => f.write_str("a `deadlock` over clocks"),
            Unsupported::ManyLocations => {
                f.write_str("too many combinations of locations, or too many actions, for formulas")
            }
            Unsupported::ClockHavoc { clock } => write!(f, "any value for clock {clock} beside zones"),
            Unsupported::UnevenClock { clock } => {
                write!(f, "the clock {clock}, which stands still or gets the value of another, in zones")
            }
            Unsupported::ManyBounds { depends_on, most } => write!(
                f,
                "a clock compared with what depends on {}, with more than {most} values there, beside zones",
                listed(depends_on)
            ),
            Unsupported::ManyWays { most, filtered } => write!(
                f,
                "a statement that touches clocks in more than {most} different ways{}, beside zones",
                if *filtered { " from one abstract state" } else { "" }
            ),
            Unsupported::NotADifference { term } => {
                write!(f, "`{term}`, which uses clocks in another way than in differences, beside zones")
            }
            Unsupported::UnboundedConstraint { bound } => {
                write!(f, "the clock constraint with the bound `{bound}` has no greatest constant")
            }
            Unsupported::UnboundedReset => {
                f.write_str("a clock in a difference is set to a value without a greatest one")
            }
            Unsupported::VaryingDifference { bound } => {
                write!(f, "the difference of two clocks is compared with `{bound}`, which is not constant")
            }
            Unsupported::Unsound { choice, with } => write!(f, "{choice} is not sound with {with}"),
            Unsupported::NotCounting => {
                f.write_str("linear invariants are for Petri nets that are not too large, and models as simple")
            }
            Unsupported::Endless { engine } => {
                write!(f, "{} looks for states, and the property is about runs without end", method(*engine))
            }
            Unsupported::Branching { engine } => {
                write!(f, "{} cannot tell from where something can be reached", method(*engine))
            }
            Unsupported::OpenReturn { var } => {
                write!(f, "whether it can be reached again depends on the value of {var}, which is not known")
            }
            Unsupported::EndlessTime { clock } => {
                write!(f, "the property is about whole runs and depends on {clock}, a clock that changes between steps")
            }
            Unsupported::LargeFormula => f.write_str("the formula has an automaton that is too large"),
            Unsupported::StuckCondition => f.write_str(
                "runs that get stuck repeat their last state, which here is not always one that is read and can be told by a \
                 condition",
            ),
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Feature::Differences => "differences of clocks",
            Feature::Deadlock => "`deadlock`",
            Feature::UrgentChannels => "urgent channels",
            Feature::Priorities => "priorities",
            Feature::Monitor => "a property that a monitor reads step by step",
            Feature::Delays => "delays in the middle of steps",
            Feature::Invariants => "invariants that are more than bounds on clocks and conditions on data",
        })
    }
}

/// Why refining further would lead nowhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoProgress {
    /// Abstract states are as fine as the domain allows, and still show a trace that cannot be executed.
    Tracked,
    /// No linear invariant excludes the target.
    NoInvariant,
    /// There are runs that come through all acceptance sets more often than this, and larger limits are not tried.
    Rounds {
        /// How often.
        most: u32,
    },
    /// An abstract cycle through all acceptance sets can be gone around, but whether for ever is not found out.
    Lasso {
        /// The variables that it changes.
        variables: Vec<NamedVar>,
    },
    /// No run is longer than this, and none comes back to where it was; bounded search has no proof of that.
    RunsEnd {
        /// How many steps the longest has.
        depth: u32,
    },
    /// The labels of few nodes are strengthened again and again.
    Strengthening,
    /// Interpolation of zones has made so many nodes that it need not end.
    Interpolation {
        /// How many.
        nodes: u64,
    },
    /// Abstraction of zones beside that of data need not end.
    ZoneAbstraction {
        /// How many nodes it has made.
        nodes: u64,
        /// How often it has strengthened one of them.
        strengthened: u64,
    },
}

ir::codes! {
    NoProgress {
        NoProgress::Tracked => "no-progress.tracked",
        NoProgress::NoInvariant => "no-progress.no-invariant",
        NoProgress::Rounds { .. } => "no-progress.rounds",
        NoProgress::Lasso { .. } => "no-progress.lasso",
        NoProgress::RunsEnd { .. } => "no-progress.runs-end",
        NoProgress::Strengthening => "no-progress.strengthening",
        NoProgress::Interpolation { .. } => "no-progress.interpolation",
        NoProgress::ZoneAbstraction { .. } => "no-progress.zone-abstraction",
    }
}

impl fmt::Display for NoProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoProgress::Tracked => f.write_str("everything that refutes the trace is tracked already"),
            NoProgress::NoInvariant => f.write_str("no linear invariant excludes it"),
            NoProgress::Rounds { most } => {
                write!(f, "there are runs that come through all acceptance sets more than {most} times")
            }
            NoProgress::Lasso { variables } if variables.is_empty() => {
                f.write_str("whether a cycle that changes no variable can be gone around for ever")
            }
            NoProgress::Lasso { variables } => {
                write!(f, "whether a cycle that changes {} can be gone around for ever", listed(variables))
            }
            NoProgress::RunsEnd { depth } => {
                write!(
                    f,
                    "no run has more than {depth} steps, and none comes back to where it was, which bounded search \
                           cannot show"
                )
            }
            NoProgress::Strengthening => {
                f.write_str("the labels of few nodes are strengthened again and again")
            }
            NoProgress::Interpolation { nodes } => {
                write!(f, "interpolation of zones has made {nodes} nodes and need not end")
            }
            NoProgress::ZoneAbstraction { nodes, strengthened } => write!(
                f,
                "abstraction of zones has made {nodes} nodes, has strengthened them {strengthened} times and need \
                 not end"
            ),
        }
    }
}

/// Which number outgrows what zones compute with: a bound is at most 2^28.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outgrown {
    /// A constant that a clock is compared with.
    Constant,
    /// The time that the question is about.
    Within,
    /// A bound that was computed.
    Bound,
    /// The number of clocks.
    Clocks {
        /// How many there are.
        clocks: u64,
        /// What one zone of these takes.
        megabytes: u64,
        /// How many there may be.
        most: u64,
    },
}

ir::codes! {
    Outgrown {
        Outgrown::Constant => "outgrown.constant",
        Outgrown::Within => "outgrown.within",
        Outgrown::Bound => "outgrown.bound",
        Outgrown::Clocks { .. } => "outgrown.clocks",
    }
}

impl fmt::Display for Outgrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outgrown::Constant => f.write_str("a clock is compared with a constant beyond 2^28"),
            Outgrown::Within => {
                f.write_str("the question is about more than 2^28 time units, which zones cannot count")
            }
            Outgrown::Bound => f.write_str("a clock bound outgrows 2^28"),
            Outgrown::Clocks { clocks, megabytes, most } => write!(
                f,
                "the model has {clocks} clocks, and a single zone of these takes {megabytes} MB; zones have at most \
                 {most} clocks"
            ),
        }
    }
}

/// How a solver failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolverFailure {
    /// It gave up, does not know something, or could not be used.
    Interrupt(smt::Interrupt),
    /// No strategy found interpolants.
    NoInterpolants(Vec<smt::Attempt>),
    /// Two of its answers contradict each other.
    Contradiction(Contradiction),
}

/// Answers of a solver that cannot both be right.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Contradiction {
    /// A trace is infeasible, and has a model.
    InfeasibleWithModel,
    /// A trace is infeasible as a whole, and feasible in parts.
    InfeasibleInNoPart,
    /// A trace is feasible, and one of its steps is not.
    FeasibleWithInfeasibleStep,
    /// A model takes a step that does not exist.
    NoSuchStep,
    /// A model is at locations that do not exist.
    NoSuchLocation,
}

impl SolverFailure {
    /// The codes of all of them.
    pub const CODES: &'static [&'static str] = &[
        "solver.gave-up",
        "solver.unsupported",
        "solver.missing",
        "solver.broken",
        "solver.no-interpolants",
        "solver.contradiction",
    ];
    /// The stable code of this one, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            SolverFailure::Interrupt(interrupt) => interrupt.code(),
            SolverFailure::NoInterpolants(_) => "solver.no-interpolants",
            SolverFailure::Contradiction(_) => "solver.contradiction",
        }
    }
}

impl fmt::Display for SolverFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolverFailure::Interrupt(interrupt) => interrupt.fmt(f),
            SolverFailure::NoInterpolants(attempts) => {
                f.write_str("no strategy found interpolants")?;
                let tried = |attempt: &smt::Attempt| write!(f, "; {}: {}", attempt.strategy, attempt.reason);
                attempts.iter().try_for_each(tried)
            }
            SolverFailure::Contradiction(contradiction) => contradiction.fmt(f),
        }
    }
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Contradiction::InfeasibleWithModel => "an infeasible trace has a model",
            Contradiction::InfeasibleInNoPart => "a trace was infeasible as a whole and feasible in parts",
            Contradiction::FeasibleWithInfeasibleStep => "a feasible trace has an infeasible step",
            Contradiction::NoSuchStep => "a model takes a step that does not exist",
            Contradiction::NoSuchLocation => "a model is at a place that does not exist",
        })
    }
}

/// What could not be, and is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InternalError {
    /// A run was found, and no question asks for it.
    UnaskedRun,
    /// A run without delays has no counterpart with them.
    LostDelays,
    /// The path to the target that a search found cannot be followed.
    LostPath,
    /// A zone leads where no valuation does.
    LostZone,
    /// The system gave no thread; what it said.
    NoThread(String),
}

ir::codes! {
    InternalError {
        InternalError::UnaskedRun => "internal.unasked-run",
        InternalError::LostDelays => "internal.lost-delays",
        InternalError::LostPath => "internal.lost-path",
        InternalError::LostZone => "internal.lost-zone",
        InternalError::NoThread(_) => "internal.no-thread",
    }
}

impl fmt::Display for InternalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InternalError::UnaskedRun => f.write_str("a run was found that answers no question"),
            InternalError::LostDelays => f.write_str("a run without delays is none with them"),
            InternalError::LostPath => {
                f.write_str("the way to the target found in the zone graph could not be followed")
            }
            InternalError::LostZone => f.write_str("a zone leads where no valuation does"),
            InternalError::NoThread(why) => write!(f, "there is no thread for the search: {why}"),
        }
    }
}
