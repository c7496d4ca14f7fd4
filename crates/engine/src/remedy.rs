//! What would let a search go on that ended without an answer.
//!
//! A remedy is a change of the configuration, of a limit, of the question or of the model, as data. A shell makes a
//! sentence of it, with the options that its users have.

use std::fmt;

use ir::NamedVar;

use crate::answer::Reason;
use crate::cause::{NoProgress, Outgrown, SolverFailure, Unsupported};
use crate::choice::Choice;
use crate::config::{
    ClockStrategy, Config, Covering, Domain, Engine, InitialPrecision, LassoRefinement, ZoneStrategy,
};
use crate::observer::Attempt;

/// Something to try where there was no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Remedy {
    /// Other choices of the configuration, all at once.
    Choose(Vec<Choice>),
    /// Other choices of abstraction refinement; which of them cannot be told.
    OtherRefinement,
    /// More time.
    RaiseTimeLimit,
    /// More memory.
    RaiseMemoryLimit,
    /// More states.
    RaiseStateLimit,
    /// More steps of bounded search or induction, or any number.
    RaiseBound,
    /// A solver that can be used.
    InstallSolver,
    /// A question about less time.
    ShorterTime,
    /// A question without `deadlock`.
    WithoutDeadlock,
    /// A variable that is bounded from both sides right after it becomes arbitrary.
    BoundVariable(NamedVar),
    /// A variable with an initial value.
    InitialValue(NamedVar),
    /// Variables with ranges.
    Ranges,
    /// Smaller constants for clocks.
    ScaleConstants,
    /// Differences of clocks that are compared with constants only, in one edge for each.
    ConstantDifferences,
    /// A model with fewer values or fewer parts.
    SmallerModel,
    /// To step through the model instead.
    Simulate,
}

ir::codes! {
    Remedy {
        Remedy::Choose(_) => "choose",
        Remedy::OtherRefinement => "other-refinement",
        Remedy::RaiseTimeLimit => "raise-time-limit",
        Remedy::RaiseMemoryLimit => "raise-memory-limit",
        Remedy::RaiseStateLimit => "raise-state-limit",
        Remedy::RaiseBound => "raise-bound",
        Remedy::InstallSolver => "install-solver",
        Remedy::ShorterTime => "shorter-time",
        Remedy::WithoutDeadlock => "without-deadlock",
        Remedy::BoundVariable(_) => "bound-variable",
        Remedy::InitialValue(_) => "initial-value",
        Remedy::Ranges => "ranges",
        Remedy::ScaleConstants => "scale-constants",
        Remedy::ConstantDifferences => "constant-differences",
        Remedy::SmallerModel => "smaller-model",
        Remedy::Simulate => "simulate",
    }
}

impl Remedy {
    fn engine(engine: Engine) -> Self {
        Remedy::Choose(vec![Choice::Engine(engine)])
    }
    /// The configuration with this remedy, if it is one of the configuration.
    pub fn apply(&self, config: &Config) -> Option<Config> {
        let Remedy::Choose(choices) = self else { return None };
        let mut config = config.clone();
        choices.iter().for_each(|choice| choice.apply(&mut config));
        Some(config)
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remedy::Choose(choices) => {
                let choices: Vec<String> = choices.iter().map(ToString::to_string).collect();
                f.write_str(&choices.join(" and "))
            }
            Remedy::OtherRefinement => f.write_str("other choices of abstraction refinement"),
            Remedy::RaiseTimeLimit => f.write_str("more time"),
            Remedy::RaiseMemoryLimit => f.write_str("more memory"),
            Remedy::RaiseStateLimit => f.write_str("more states"),
            Remedy::RaiseBound => f.write_str("a higher bound, or none"),
            Remedy::InstallSolver => f.write_str("a solver that can be used"),
            Remedy::ShorterTime => f.write_str("a question about less time"),
            Remedy::WithoutDeadlock => f.write_str("a question without `deadlock`"),
            Remedy::BoundVariable(var) => {
                write!(f, "an `assume` that bounds {var} from both sides right after it becomes arbitrary")
            }
            Remedy::InitialValue(var) => write!(f, "an initial value for {var}"),
            Remedy::Ranges => f.write_str("a model that says more, such as ranges of its variables"),
            Remedy::ScaleConstants => f.write_str("smaller constants in the model"),
            Remedy::ConstantDifferences => {
                f.write_str("differences of clocks that are compared with constants, in one edge for each")
            }
            Remedy::SmallerModel => {
                f.write_str("a smaller model: ranges for its variables, fewer values, fewer parts")
            }
            Remedy::Simulate => f.write_str("a simulation, which steps through a timed model"),
        }
    }
}

impl Reason {
    /// What would help where a search by `config` ended for this reason, and several configurations for theirs if it
    /// was left to them; `timed` says whether the model has clocks.
    pub fn remedies(&self, attempts: &[Attempt], config: &Config, timed: bool) -> Vec<Remedy> {
        let mut list = vec![];
        for cause in self.causes(attempts) {
            for remedy in cause.own_remedies(config, timed) {
                // Whoever is left the choice has asked the others already, but for those whose numbers have no limits.
                let asked = config.engine == Engine::Auto && !matches!(cause, Reason::Outgrown(_));
                let useless = match remedy.apply(config) {
                    Some(changed) => asked || changed == *config || changed.check().is_err(),
                    None => false,
                };
                if !useless && !list.contains(&remedy) {
                    list.push(remedy);
                }
            }
        }
        let stopped = matches!(self, Reason::Time | Reason::Interrupted);
        if config.engine != Engine::Auto && *self != Reason::Memory {
            list.push(Remedy::engine(Engine::Auto));
        } else if stopped && config.engine == Engine::Auto && config.threads < 2 && !timed {
            list.push(Remedy::Choose(vec![Choice::Threads(2)]));
        }
        if let Reason::Unsupported(cause) = self
            && timed
            && !matches!(cause, Unsupported::Choices(_) | Unsupported::Unsound { .. })
        {
            list.push(Remedy::Simulate);
        }
        list
    }
    /// This reason, or those of the configurations that it stands for.
    fn causes<'a>(&'a self, attempts: &'a [Attempt]) -> Vec<&'a Reason> {
        match self {
            Reason::Exhausted(_) | Reason::Unsupported(_) if !attempts.is_empty() => {
                attempts.iter().map(|attempt| &attempt.reason).collect()
            }
            one => vec![one],
        }
    }
    fn own_remedies(&self, config: &Config, timed: bool) -> Vec<Remedy> {
        match self {
            Reason::Time => vec![Remedy::RaiseTimeLimit],
            Reason::Memory => vec![Remedy::RaiseMemoryLimit, Remedy::SmallerModel],
            Reason::States(limit) if config.state_limit.is_some_and(|most| most <= *limit) => {
                vec![Remedy::RaiseStateLimit]
            }
            // Whoever stores no states stops with those who do.
            Reason::Calls(_) | Reason::Work | Reason::Bound(_) if config.state_limit.is_some() => {
                vec![Remedy::RaiseStateLimit]
            }
            Reason::Bound(_) if config.bound.is_some() => vec![Remedy::RaiseBound],
            Reason::Outgrown(cause) => cause.remedies(config),
            Reason::NoProgress(cause) => cause.remedies(config, timed),
            Reason::Unsupported(cause) => cause.remedies(config, timed),
            Reason::Solver(SolverFailure::Interrupt(smt::Interrupt::Library(_))) => {
                vec![Remedy::InstallSolver, Remedy::engine(lists_states(timed))]
            }
            _ => vec![],
        }
    }
}

/// The engine that lists states, which needs neither formulas nor a solver.
fn lists_states(timed: bool) -> Engine {
    if timed { Engine::Zone } else { Engine::Explicit }
}

/// Every variable by its value from the start.
fn all_values() -> Remedy {
    Remedy::Choose(vec![Choice::Domain(Domain::Expl), Choice::InitialPrecision(InitialPrecision::AllVars)])
}

/// Time as data.
fn encoded() -> Remedy {
    Remedy::Choose(vec![Choice::Engine(Engine::Cegar), Choice::ClockStrategy(ClockStrategy::RatEncode)])
}

/// Clocks by zones, beside abstract data.
fn split() -> Remedy {
    let strategy = Choice::ClockStrategy(ClockStrategy::CfSplitFilter);
    Remedy::Choose(vec![Choice::Engine(Engine::Combined), strategy])
}

impl Outgrown {
    fn remedies(&self, config: &Config) -> Vec<Remedy> {
        let unlimited = (config.engine != Engine::Cegar).then(|| Remedy::engine(Engine::Cegar));
        let smaller = match self {
            Outgrown::Within => Remedy::ShorterTime,
            Outgrown::Constant | Outgrown::Bound => Remedy::ScaleConstants,
            Outgrown::Clocks { .. } => Remedy::SmallerModel,
        };
        unlimited.into_iter().chain([smaller]).collect()
    }
}

impl NoProgress {
    fn remedies(&self, config: &Config, timed: bool) -> Vec<Remedy> {
        match self {
            NoProgress::Tracked => {
                let others = [Domain::ExplPredCombined, Domain::PredCart];
                let others = others.into_iter().filter(|other| *other != config.cegar.domain);
                let mut list: Vec<Remedy> =
                    others.map(|other| Remedy::Choose(vec![Choice::Domain(other)])).collect();
                list.extend((timed && config.engine == Engine::Cegar).then(split));
                list.extend([Remedy::OtherRefinement, Remedy::Ranges]);
                list
            }
            NoProgress::NoInvariant | NoProgress::Rounds { .. } | NoProgress::RunsEnd { .. } => {
                vec![Remedy::engine(Engine::Explicit)]
            }
            NoProgress::Lasso { .. } => {
                let chosen = config.cegar.lasso_refinement != LassoRefinement::Auto;
                let all = Remedy::Choose(vec![Choice::LassoRefinement(LassoRefinement::Auto)]);
                let others = [Remedy::engine(Engine::Explicit), Remedy::OtherRefinement, Remedy::Ranges];
                chosen.then_some(all).into_iter().chain(others).collect()
            }
            NoProgress::Strengthening => vec![Remedy::engine(Engine::Zone)],
            NoProgress::Interpolation { .. } => {
                let bounds = Remedy::Choose(vec![Choice::ZoneStrategy(ZoneStrategy::Lu)]);
                vec![bounds, Remedy::engine(Engine::Zone)]
            }
            NoProgress::ZoneAbstraction { .. } => {
                let bounds = vec![Choice::Engine(Engine::Lazy), Choice::ZoneStrategy(ZoneStrategy::Lu)];
                vec![Remedy::engine(Engine::Zone), Remedy::Choose(bounds)]
            }
        }
    }
}

impl Unsupported {
    fn remedies(&self, config: &Config, timed: bool) -> Vec<Remedy> {
        let refines = config.engine.refines();
        match self {
            Unsupported::Choices(_)
            | Unsupported::ZoneData { .. }
            | Unsupported::NotCounting
            | Unsupported::EndlessTime { .. }
            | Unsupported::LargeFormula
            | Unsupported::StuckCondition => vec![],
            Unsupported::Endless { .. } | Unsupported::Branching { .. } => {
                vec![Remedy::engine(Engine::Explicit)]
            }
            Unsupported::OpenReturn { var } => vec![Remedy::InitialValue(var.clone())],
            Unsupported::Clock { .. } | Unsupported::Delay { .. } | Unsupported::DeadlockOverClocks => {
                vec![Remedy::engine(Engine::Zone)]
            }
            Unsupported::OpenVariable { var } => {
                let abstracted = (config.engine != Engine::Cegar).then(|| Remedy::engine(Engine::Cegar));
                let bound = [Remedy::BoundVariable(var.clone()), Remedy::InitialValue(var.clone())];
                bound.into_iter().chain(abstracted).collect()
            }
            Unsupported::OpenRun { var } => vec![Remedy::BoundVariable(var.clone())],
            Unsupported::UnlistedRun => vec![Remedy::engine(lists_states(timed))],
            Unsupported::WideValue => vec![Remedy::engine(Engine::Cegar)],
            Unsupported::Loop { depends_on } => {
                let known = (refines && !depends_on.is_empty()).then(all_values);
                known.into_iter().chain([Remedy::engine(lists_states(timed))]).collect()
            }
            Unsupported::ClockLoop { .. } => vec![all_values(), Remedy::engine(Engine::Zone)],
            Unsupported::DeadlockCondition if config.engine == Engine::Explicit => {
                vec![Remedy::WithoutDeadlock]
            }
            Unsupported::DeadlockCondition => vec![Remedy::engine(lists_states(timed))],
            Unsupported::ManyLocations => {
                vec![Remedy::engine(lists_states(timed)), Remedy::engine(Engine::Cegar)]
            }
            Unsupported::ClockHavoc { .. } | Unsupported::NotADifference { .. } => vec![encoded()],
            Unsupported::UnevenClock { .. } => vec![Remedy::engine(Engine::Cegar)],
            Unsupported::ManyBounds { .. } => {
                vec![all_values(), encoded(), Remedy::engine(Engine::Zone)]
            }
            Unsupported::ManyWays { filtered, .. } => {
                let fewer = (!filtered).then(split);
                fewer.into_iter().chain([encoded(), Remedy::engine(Engine::Zone)]).collect()
            }
            Unsupported::UnboundedConstraint { .. } | Unsupported::UnboundedReset => vec![Remedy::Ranges],
            Unsupported::VaryingDifference { .. } => vec![Remedy::ConstantDifferences],
            Unsupported::Unsound { choice: Choice::Covering(_), .. } => {
                vec![Remedy::Choose(vec![Choice::Covering(Covering::Inclusion)])]
            }
            Unsupported::Unsound { choice: Choice::Engine(_), .. } => vec![Remedy::engine(Engine::Zone)],
            Unsupported::Unsound { .. } => [ZoneStrategy::BwItp, ZoneStrategy::FwItp]
                .map(|strategy| Remedy::Choose(vec![Choice::ZoneStrategy(strategy)]))
                .into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cause::Feature;
    use ir::{Id, VarId};

    /// One of each cause that has remedies.
    fn causes() -> Vec<Reason> {
        let var = || NamedVar { var: VarId::at(0), name: "x".to_owned() };
        let unsound = |choice| Unsupported::Unsound { choice, with: Feature::Deadlock };
        let unsupported = [
            Unsupported::Clock { clock: var(), engine: Engine::Explicit },
            Unsupported::OpenVariable { var: var() },
            Unsupported::OpenRun { var: var() },
            Unsupported::UnlistedRun,
            Unsupported::WideValue,
            Unsupported::Loop { depends_on: vec![var()] },
            Unsupported::ClockLoop { depends_on: vec![] },
            Unsupported::DeadlockCondition,
            Unsupported::DeadlockOverClocks,
            Unsupported::ManyLocations,
            Unsupported::ClockHavoc { clock: var() },
            Unsupported::UnevenClock { clock: var() },
            Unsupported::ManyBounds { depends_on: vec![var()], most: 9 },
            Unsupported::ManyWays { most: 9, filtered: false },
            Unsupported::UnboundedReset,
            Unsupported::VaryingDifference { bound: "x".to_owned() },
            unsound(Choice::Covering(Covering::Alu)),
            unsound(Choice::ZoneStrategy(ZoneStrategy::Lu)),
            unsound(Choice::Engine(Engine::Local)),
        ];
        let stuck = [
            NoProgress::Tracked,
            NoProgress::NoInvariant,
            NoProgress::Strengthening,
            NoProgress::Interpolation { nodes: 9 },
            NoProgress::ZoneAbstraction { nodes: 9, strengthened: 9 },
        ];
        let outgrown =
            [Outgrown::Constant, Outgrown::Within, Outgrown::Clocks { clocks: 9, megabytes: 9, most: 8 }];
        let plain = [Reason::Time, Reason::Memory, Reason::States(9), Reason::Work, Reason::Bound(9)];
        let causes = unsupported.map(Reason::from).into_iter().chain(stuck.map(Reason::from));
        causes.chain(outgrown.map(Reason::from)).chain(plain).collect()
    }

    /// A configuration of each engine, with choices that others do not know.
    fn configs() -> impl Iterator<Item = Config> {
        Engine::ALL.iter().map(|engine| {
            let mut config = Config { state_limit: Some(9), ..Config::default().for_engine(*engine) };
            if *engine == Engine::Combined {
                config.zone_strategy = ZoneStrategy::FwItp;
                config.clock_strategy = Some(ClockStrategy::CfSplitAll);
            }
            if matches!(engine, Engine::Bmc | Engine::Kind) {
                config.bound = Some(9);
            }
            assert_eq!(config.check(), Ok(()));
            config
        })
    }

    #[test]
    fn every_remedy_of_the_configuration_is_one_that_can_be_chosen() {
        let mut applied = 0;
        for cause in causes() {
            for config in configs() {
                for timed in [false, true] {
                    for remedy in cause.remedies(&[], &config, timed) {
                        let Some(changed) = remedy.apply(&config) else { continue };
                        assert_eq!(changed.check(), Ok(()), "{remedy} for {cause} by {config}");
                        assert_ne!(changed, config, "{remedy} for {cause} by {config}");
                        applied += 1;
                    }
                }
            }
        }
        assert!(applied > 300, "{applied}");
    }

    #[test]
    fn whoever_is_left_the_choice_is_told_only_of_what_it_did_not_try() {
        let config = Config { state_limit: Some(9), ..Config::default() };
        let attempt =
            |engine, reason| Attempt { configuration: config.for_engine(engine), reason, states: 0 };
        let open = Unsupported::OpenVariable { var: NamedVar { var: VarId::at(0), name: "x".to_owned() } };
        let attempts = [
            attempt(Engine::Explicit, Reason::States(9)),
            attempt(Engine::Bmc, Reason::Bound(6)),
            attempt(Engine::Kind, open.into()),
        ];
        let remedies = Reason::Exhausted(3).remedies(&attempts, &config, false);
        let codes: Vec<&str> = remedies.iter().map(Remedy::code).collect();
        assert_eq!(codes, ["raise-state-limit", "bound-variable", "initial-value"]);
        let twice = Reason::Time.remedies(&[], &config, false);
        assert_eq!(twice, [Remedy::RaiseTimeLimit, Remedy::Choose(vec![Choice::Threads(2)])]);
        // Timed systems have no two at a time.
        assert_eq!(Reason::Time.remedies(&[], &config, true), [Remedy::RaiseTimeLimit]);
    }

    #[test]
    fn codes_are_distinct() {
        let mut codes: Vec<&str> = crate::codes().collect();
        let count = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), count);
    }
}
