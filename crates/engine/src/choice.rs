//! Single choices of a configuration, and which of them do not fit together.
//!
//! A [`Choice`] is an option with its value, as data: a shell knows how its users give it. What a configuration
//! cannot be ([`ConfigError`]) names two of them, and what would help ([`crate::Remedy`]) is made of them.

use std::fmt;

use crate::config::{
    AutoExpl, ClockStrategy, Config, Covering, DataStrategy, Domain, Encoding, Engine, InitialPrecision,
    LassoRefinement, LassoSearch, PredicateSplit, Prune, Refinement, Search, Theory, ZoneStrategy,
};

/// One option of a configuration with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// The algorithm.
    Engine(Engine),
    /// What a step of a program is.
    Encoding(Encoding),
    /// What integers are to solvers.
    Theory(Theory),
    /// The order of the search.
    Search(Search),
    /// When a node of a zone graph is covered.
    Covering(Covering),
    /// What abstract zones are.
    ZoneStrategy(ZoneStrategy),
    /// What lazy abstraction knows of data.
    Data(DataStrategy),
    /// What is done with clocks.
    ClockStrategy(ClockStrategy),
    /// How far bounded search and induction look.
    Bound(u32),
    /// How many configurations run side by side.
    Threads(u32),
    /// What abstract states say.
    Domain(Domain),
    /// How the precision grows.
    Refinement(Refinement),
    /// Where interpolants come from.
    Interpolation(smt::Strategy),
    /// How much of the graph is built again.
    Prune(Prune),
    /// What is tracked from the start.
    InitialPrecision(InitialPrecision),
    /// How interpolants become predicates.
    PredicateSplit(PredicateSplit),
    /// How many successors are too many.
    MaxEnum(u32),
    /// Which variables are tracked by their values.
    AutoExpl(AutoExpl),
    /// How accepting cycles are looked for.
    LassoSearch(LassoSearch),
    /// How abstract lassos are excluded.
    LassoRefinement(LassoRefinement),
    /// How many times a cycle is gone around at most.
    Unroll(u32),
    /// That the graph of the search is to be seen.
    Graph,
}

impl Choice {
    /// What is chosen, in words.
    pub fn option(&self) -> &'static str {
        match self {
            Choice::Engine(_) => "engine",
            Choice::Encoding(_) => "encoding",
            Choice::Theory(_) => "theory",
            Choice::Search(_) => "search order",
            Choice::Covering(_) => "covering",
            Choice::ZoneStrategy(_) => "zone strategy",
            Choice::Data(_) => "data strategy",
            Choice::ClockStrategy(_) => "clock strategy",
            Choice::Bound(_) => "bound",
            Choice::Threads(_) => "threads",
            Choice::Domain(_) => "domain",
            Choice::Refinement(_) => "refinement",
            Choice::Interpolation(_) => "interpolation",
            Choice::Prune(_) => "prune strategy",
            Choice::InitialPrecision(_) => "initial precision",
            Choice::PredicateSplit(_) => "predicate split",
            Choice::MaxEnum(_) => "enumeration limit",
            Choice::AutoExpl(_) => "automatic explicit tracking",
            Choice::LassoSearch(_) => "lasso search",
            Choice::LassoRefinement(_) => "lasso refinement",
            Choice::Unroll(_) => "limit of unrolling",
            Choice::Graph => "graph",
        }
    }
    /// The value, by its name.
    pub fn value(&self) -> String {
        match self {
            Choice::Engine(value) => value.to_string(),
            Choice::Encoding(value) => value.to_string(),
            Choice::Theory(value) => value.to_string(),
            Choice::Search(value) => value.to_string(),
            Choice::Covering(value) => value.to_string(),
            Choice::ZoneStrategy(value) => value.to_string(),
            Choice::Data(value) => value.to_string(),
            Choice::ClockStrategy(value) => value.to_string(),
            Choice::Bound(value)
            | Choice::Threads(value)
            | Choice::MaxEnum(value)
            | Choice::Unroll(value) => value.to_string(),
            Choice::Domain(value) => value.to_string(),
            Choice::Refinement(value) => value.to_string(),
            Choice::Interpolation(value) => value.to_string(),
            Choice::Prune(value) => value.to_string(),
            Choice::InitialPrecision(value) => value.to_string(),
            Choice::PredicateSplit(value) => value.to_string(),
            Choice::AutoExpl(value) => value.to_string(),
            Choice::LassoSearch(value) => value.to_string(),
            Choice::LassoRefinement(value) => value.to_string(),
            Choice::Graph => "wanted".to_owned(),
        }
    }
    /// The engines that the option is about; all of them know it where this is empty.
    pub fn engines(&self) -> &'static [Engine] {
        match self {
            Choice::Engine(_) | Choice::Encoding(_) | Choice::Search(_) => &[],
            Choice::Theory(_) => &[Engine::Auto, Engine::Bmc, Engine::Kind, Engine::Spacer, Engine::Ic3],
            Choice::Threads(_) => &[Engine::Auto],
            Choice::Covering(_) => &[Engine::Zone],
            Choice::ZoneStrategy(_) => &[Engine::Lazy, Engine::Combined],
            Choice::Data(_) => &[Engine::Lazy],
            Choice::ClockStrategy(ClockStrategy::RatEncode) => {
                &[Engine::Cegar, Engine::Bmc, Engine::Kind, Engine::Spacer, Engine::Ic3]
            }
            Choice::ClockStrategy(_) => &[Engine::Combined],
            Choice::Bound(_) => &[Engine::Bmc, Engine::Kind, Engine::Ic3],
            Choice::LassoSearch(_) => &[Engine::Cegar, Engine::Explicit],
            Choice::LassoRefinement(_) | Choice::Unroll(_) => &[Engine::Cegar],
            Choice::Domain(_)
            | Choice::Refinement(_)
            | Choice::Interpolation(_)
            | Choice::Prune(_)
            | Choice::InitialPrecision(_)
            | Choice::PredicateSplit(_)
            | Choice::MaxEnum(_)
            | Choice::AutoExpl(_)
            | Choice::Graph => &[Engine::Cegar, Engine::Combined],
        }
    }
    /// Whether an engine knows the option.
    pub fn goes_with(&self, engine: Engine) -> bool {
        self.engines().is_empty() || self.engines().contains(&engine)
    }
    /// Chooses this. Another engine forgets what only others know.
    pub fn apply(&self, config: &mut Config) {
        match self {
            Choice::Engine(engine) => *config = config.for_engine(*engine),
            Choice::Encoding(value) => config.encoding = *value,
            Choice::Theory(value) => config.theory = *value,
            Choice::Search(value) => config.search = *value,
            Choice::Covering(value) => config.covering = *value,
            Choice::ZoneStrategy(value) => config.zone_strategy = *value,
            Choice::Data(value) => config.data = *value,
            Choice::ClockStrategy(value) => config.clock_strategy = Some(*value),
            Choice::Bound(value) => config.bound = Some(*value),
            Choice::Threads(value) => config.threads = *value,
            Choice::Domain(value) => config.cegar = config.cegar.for_domain(*value),
            Choice::Refinement(value) => config.cegar.refinement = *value,
            Choice::Interpolation(value) => config.cegar.interpolation = value.clone(),
            Choice::Prune(value) => config.cegar.prune = *value,
            Choice::InitialPrecision(value) => config.cegar.initial_precision = Some(*value),
            Choice::PredicateSplit(value) => config.cegar.predicate_split = Some(*value),
            Choice::MaxEnum(value) => config.cegar.max_enum = Some(*value),
            Choice::AutoExpl(value) => config.cegar.auto_expl = Some(*value),
            Choice::LassoSearch(value) => config.cegar.lasso_search = *value,
            Choice::LassoRefinement(value) => config.cegar.lasso_refinement = *value,
            Choice::Unroll(value) => config.cegar.unroll = Some(*value),
            Choice::Graph => config.graph = true,
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.option(), self.value())
    }
}

/// Two choices that do not fit together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConfigError {
    /// The engine does not know what is `given`.
    Engine {
        /// What was chosen.
        given: Choice,
        /// The engine that was chosen.
        engine: Engine,
    },
    /// Abstraction refinement has only two orders.
    Order {
        /// The order that was chosen.
        search: Search,
        /// The engine that was chosen.
        engine: Engine,
    },
    /// In lazy abstraction, abstract zones say what covers; in local time, simulation does.
    Covering {
        /// When a node was to be covered.
        covering: Covering,
        /// The engine that was chosen.
        engine: Engine,
    },
    /// The domain does not have what is `given`.
    Domain {
        /// What was chosen.
        given: Choice,
        /// The domain that was chosen.
        domain: Domain,
        /// What the choice needs.
        needs: Needs,
    },
    /// The refinement says by itself where explanations come from.
    Interpolation {
        /// The refinement that was chosen.
        refinement: Refinement,
        /// The interpolation that was chosen.
        interpolation: smt::Strategy,
    },
}

/// What a choice needs of a domain.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Needs {
    /// Variables that are tracked by their values.
    Values,
    /// Predicates.
    Predicates,
    /// Exactly this domain.
    Domain(Domain),
}

ir::codes! {
    ConfigError {
        ConfigError::Engine { .. } => "option.engine",
        ConfigError::Order { .. } => "option.search",
        ConfigError::Covering { .. } => "option.covering",
        ConfigError::Domain { .. } => "option.domain",
        ConfigError::Interpolation { .. } => "option.interpolation",
    }
}

impl ConfigError {
    /// What was chosen, and what it does not go with.
    pub fn choices(&self) -> [Choice; 2] {
        match self {
            ConfigError::Engine { given, engine } => [given.clone(), Choice::Engine(*engine)],
            ConfigError::Order { search, engine } => [Choice::Search(*search), Choice::Engine(*engine)],
            ConfigError::Covering { covering, engine } => {
                [Choice::Covering(*covering), Choice::Engine(*engine)]
            }
            ConfigError::Domain { given, domain, .. } => [given.clone(), Choice::Domain(*domain)],
            ConfigError::Interpolation { refinement, interpolation } => {
                [Choice::Refinement(*refinement), Choice::Interpolation(interpolation.clone())]
            }
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [given, other] = self.choices();
        write!(f, "{given} does not go with {other}")
    }
}

impl std::error::Error for ConfigError {}
