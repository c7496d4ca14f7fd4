//! What the user can choose: plain data, named once.

use std::fmt;
use std::str::FromStr;

/// The choices of one search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// Which algorithm.
    pub engine: Engine,
    /// Whether the system is made smaller first; evidence is about the system as it was all the same.
    pub preprocess: bool,
    /// In which order.
    pub search: Search,
    /// When a node of a zone graph is covered.
    pub covering: Covering,
    /// What the abstract zones of lazy abstraction are.
    pub zone_strategy: ZoneStrategy,
    /// What lazy abstraction knows of data.
    pub data: DataStrategy,
    /// What is done with clocks; `None` for what fits the engine.
    pub clock_strategy: Option<ClockStrategy>,
    /// How many states may be stored; `None` for as many as fit.
    pub state_limit: Option<u64>,
    /// How many steps bounded search looks ahead, and how many states in a row induction; `None` for as
    /// many as it takes.
    pub bound: Option<u32>,
    /// How many successors a search that lists states may compute, and how often it may go back to a choice
    /// on the way; `None` for any number.
    pub step_limit: Option<u64>,
    /// How many questions solvers may be asked; `None` for any number.
    pub call_limit: Option<u64>,
    /// How much work a question may be for a solver, in its own unit; `None` for any amount.
    pub work_limit: Option<u32>,
    /// How many configurations `auto` runs side by side: one, or two.
    pub threads: u32,
    /// The choices of abstraction refinement.
    pub cegar: Cegar,
    /// Whether the observer is to see the graph, from engines that have one worth seeing.
    pub graph: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            engine: Engine::default(),
            preprocess: true,
            search: Search::default(),
            covering: Covering::default(),
            zone_strategy: ZoneStrategy::default(),
            data: DataStrategy::default(),
            clock_strategy: None,
            state_limit: None,
            bound: None,
            step_limit: None,
            call_limit: None,
            work_limit: None,
            threads: 1,
            cegar: Cegar::default(),
            graph: false,
        }
    }
}

impl Config {
    /// Checks that the choices fit together; names both options if not.
    pub fn check(&self) -> Result<(), ConfigError> {
        if self.engine.refines() && self.search == Search::Priority {
            return Err(ConfigError(format!(
                "`--search priority` does not go with `--engine {}`, which searches breadth first or depth first",
                self.engine
            )));
        }
        if let Some(strategy) = self.clock_strategy
            && !strategy.goes_with(self.engine)
        {
            let who = match strategy {
                ClockStrategy::RatEncode => {
                    "it is for engines that know data only, `--engine cegar`, `--engine bmc` and `--engine kind`"
                }
                _ => "it is about `--engine combined`",
            };
            return Err(ConfigError(format!(
                "`--clockstrategy {strategy}` does not go with `--engine {}`: {who}",
                self.engine
            )));
        }
        if self.engine.refines() && self.covering != Covering::Inclusion {
            return Err(ConfigError(format!(
                "`--covering {}` does not go with `--engine {}`: it is about `--engine zone`",
                self.covering, self.engine
            )));
        }
        let lazy = [
            ("zonestrategy", self.zone_strategy.to_string(), self.zone_strategy != ZoneStrategy::default()),
            ("data", self.data.to_string(), self.data != DataStrategy::default()),
        ];
        for (name, value, given) in lazy {
            let zones = name == "zonestrategy";
            if given && self.engine != Engine::Lazy && !(zones && self.engine == Engine::Combined) {
                let others = if zones { " and `--engine combined`" } else { "" };
                return Err(ConfigError(format!(
                    "`--{name} {value}` does not go with `--engine {}`: it is about `--engine lazy`{others}",
                    self.engine
                )));
            }
        }
        if self.engine == Engine::Lazy && self.covering != Covering::Inclusion {
            return Err(ConfigError(format!(
                "`--covering {}` does not go with `--engine lazy`, where `--zonestrategy` says what covers",
                self.covering
            )));
        }
        self.cegar.check()
    }
}

impl fmt::Display for Config {
    /// The options that choose this engine, as on the command line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--engine {}", self.engine)?;
        if self.engine.refines() {
            write!(f, " {}", self.cegar)?;
        }
        if self.engine == Engine::Combined && self.zone_strategy != ZoneStrategy::Auto {
            write!(f, " --zonestrategy {}", self.zone_strategy)?;
        }
        if self.engine == Engine::Lazy {
            write!(f, " --zonestrategy {} --data {}", self.zone_strategy, self.data)?;
        }
        if let Some(strategy) = self.clock_strategy {
            write!(f, " --clockstrategy {strategy}")?;
        }
        match self.search {
            Search::Bfs => Ok(()),
            other => write!(f, " --search {other}"),
        }
    }
}

/// The choices of abstraction refinement. What is `None` takes a default that fits the rest.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cegar {
    /// What abstract states say.
    pub domain: Domain,
    /// How the precision grows.
    pub refinement: Refinement,
    /// Where interpolants come from.
    pub interpolation: smt::Strategy,
    /// How much of the graph is built again.
    pub prune: Prune,
    /// What is tracked from the start.
    pub initial_precision: Option<InitialPrecision>,
    /// How interpolants become predicates.
    pub predicate_split: Option<PredicateSplit>,
    /// More successors than this are merged; 0 for no limit.
    pub max_enum: Option<u32>,
    /// Which variables of the combined product are tracked by their values.
    pub auto_expl: Option<AutoExpl>,
}

impl Cegar {
    /// Checks that the choices fit together; names both options if not.
    pub fn check(&self) -> Result<(), ConfigError> {
        let Cegar { domain, refinement, initial_precision, .. } = self;
        let clash = |given: String, needs: &str| {
            Err(ConfigError(format!("`{given}` does not go with `--domain {domain}`: it needs {needs}")))
        };
        if *refinement == Refinement::UnsatCore && *domain != Domain::Expl {
            return clash(
                format!("--refinement {refinement}"),
                "`--domain EXPL`: a core names variables only",
            );
        }
        let names_strategy = crate::cegar::strategy(*refinement).is_some();
        if (names_strategy || *refinement == Refinement::UnsatCore)
            && self.interpolation != smt::Strategy::Auto
        {
            return Err(ConfigError(format!(
                "`--refinement {refinement}` does not go with `--interpolation {}`: it says by itself how traces \
                 are explained",
                self.interpolation
            )));
        }
        if self.predicate_split.is_some() && !domain.has_predicates() {
            return clash("--predsplit".into(), "a domain with predicates");
        }
        if self.max_enum.is_some() && !domain.has_values() {
            return clash("--maxenum".into(), "a domain with explicit values");
        }
        if self.auto_expl.is_some() && *domain != Domain::ExplPredCombined {
            return clash("--autoexpl".into(), "`--domain EXPL_PRED_COMBINED`");
        }
        match initial_precision {
            Some(initial) if initial.needs_values() && !domain.has_values() => {
                clash(format!("--initprec {initial}"), "a domain with explicit values")
            }
            _ => Ok(()),
        }
    }
    /// The initial precision, by default what the domain makes best use of.
    pub fn initial_precision(&self) -> InitialPrecision {
        self.initial_precision.unwrap_or(match self.domain.has_values() {
            true => InitialPrecision::PropCtrl,
            false => InitialPrecision::Prop,
        })
    }
}

impl fmt::Display for Cegar {
    /// The options that were given, as on the command line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "--domain {} --refinement {} --interpolation {} --prunestrategy {}",
            self.domain, self.refinement, self.interpolation, self.prune
        )?;
        let optional = [
            ("initprec", self.initial_precision.map(|value| value.to_string())),
            ("predsplit", self.predicate_split.map(|value| value.to_string())),
            ("maxenum", self.max_enum.map(|value| value.to_string())),
            ("autoexpl", self.auto_expl.map(|value| value.to_string())),
        ];
        let given = optional.into_iter().filter_map(|(name, value)| Some((name, value?)));
        given.into_iter().try_for_each(|(name, value)| write!(f, " --{name} {value}"))
    }
}

/// Two choices that do not fit together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigError(String);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}

/// Declares an enumeration whose values have names on the command line. Names are read without
/// regard to case, and `-` equals `_`.
macro_rules! choices {
    (
        $(#[$doc:meta])* $name:ident: $what:literal { $($(#[$vdoc:meta])* $value:ident = $text:literal),+ $(,)? }
        $(also { $($alias:literal => $same:ident),+ })?
    ) => {
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
        pub enum $name { $($(#[$vdoc])* $value),+ }

        impl $name {
            /// All values, the default first.
            pub const ALL: &[$name] = &[$($name::$value),+];
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $($name::$value => $text),+ })
            }
        }

        impl FromStr for $name {
            type Err = UnknownChoice;
            fn from_str(text: &str) -> Result<Self, UnknownChoice> {
                let plain = |text: &str| text.to_lowercase().replace('_', "-");
                $($(if plain($alias) == plain(text) {
                    return Ok($name::$same);
                })+)?
                $name::ALL.iter().copied().find(|value| plain(&value.to_string()) == plain(text)).ok_or_else(|| {
                    let known = $name::ALL.iter().map(ToString::to_string).collect();
                    UnknownChoice { what: $what, given: text.to_owned(), known }
                })
            }
        }
    };
}

choices!(
    /// The algorithm that answers.
    Engine: "engine" {
        /// A schedule of the others, by what the model contains.
        #[default]
        Auto = "auto",
        /// Exhaustive search over concrete states.
        Explicit = "explicit",
        /// The zone graph of a timed model.
        Zone = "zone",
        /// Lazy abstraction of the zone graph: zones and data only as exact as what is impossible demands.
        Lazy = "lazy",
        /// The zone graph of a timed model, with zones only where a path without them leads to the target.
        ZoneCegar = "zone-cegar",
        /// Abstraction refinement: abstract states, refined where they show what cannot happen.
        Cegar = "cegar",
        /// Abstraction refinement for data, with zones for clocks that are abstracted lazily.
        Combined = "combined",
        /// Bounded search: runs of growing length, as formulas.
        Bmc = "bmc",
        /// Induction over several steps, and bounded search beside it.
        Kind = "kind",
        /// Linear invariants of counters, such as the places of a Petri net.
        Linear = "linear",
    }
);

impl Engine {
    /// Whether it refines an abstraction of data, so that the choices of abstraction refinement are its own.
    pub fn refines(self) -> bool {
        matches!(self, Engine::Cegar | Engine::Combined)
    }
    /// The domain that it works best with. Where every alternative of a statement is a successor by itself, values
    /// tell them apart many times quicker than predicates do, and what has no end is left to these.
    pub fn default_domain(self) -> Domain {
        match self {
            Engine::Combined => Domain::ExplPredCombined,
            _ => Domain::default(),
        }
    }
    /// Whether time has to be made data first.
    pub fn encodes_time(self) -> bool {
        matches!(self, Engine::Cegar | Engine::Bmc | Engine::Kind)
    }
}

choices!(
    /// What is done with clocks by an engine that abstracts data.
    ClockStrategy: "clock strategy" {
        /// They become rational variables, which a delay adds the same amount to.
        #[default]
        RatEncode = "RAT_ENCODE",
        /// Statements are split into alternatives of clock operations and data, all of which are followed.
        CfSplitAll = "CF_SPLIT_ALL",
        /// The same, but alternatives that the abstract data rule out are left alone.
        CfSplitFilter = "CF_SPLIT_FILTERCF",
    }
);

impl ClockStrategy {
    /// Whether an engine treats clocks like this.
    pub fn goes_with(self, engine: Engine) -> bool {
        match self {
            ClockStrategy::RatEncode => engine.encodes_time(),
            ClockStrategy::CfSplitAll | ClockStrategy::CfSplitFilter => engine == Engine::Combined,
        }
    }
}

choices!(
    /// The order in which states are visited.
    Search: "search order" {
        /// Breadth first: runs of searches without abstraction are as short as possible.
        #[default]
        Bfs = "bfs",
        /// Depth first.
        Dfs = "dfs",
        /// What covers more first: larger zones. Explicit search has no such order and goes breadth
        /// first.
        Priority = "priority",
    }
);

choices!(
    /// When a node of a zone graph needs no look of its own.
    Covering: "covering" {
        /// Another node of the same discrete state has a zone that includes its zone.
        #[default]
        Inclusion = "inclusion",
        /// Another node is the same.
        Equality = "equality",
        /// Another node has a zone whose valuations simulate all of its zone (a≼LU).
        Alu = "alu",
    }
);

choices!(
    /// What the abstract zones of lazy abstraction are.
    ZoneStrategy: "zone strategy" {
        /// BW_ITP; for the zone graph alone, LU where that is sound.
        #[default]
        Auto = "auto",
        /// All that an exact zone simulates by bounds that grow (a≼LU).
        Lu = "LU",
        /// Zones by interpolation, backwards along a path.
        BwItp = "BW_ITP",
        /// Zones by interpolation, forwards along a path.
        FwItp = "FW_ITP",
    }
);

choices!(
    /// What lazy abstraction knows of data.
    DataStrategy: "data strategy" {
        /// The values of the variables that matter.
        #[default]
        Visible = "VISIBLE",
        /// All values.
        Explicit = "EXPLICIT",
    }
);

choices!(
    /// What abstract states say.
    Domain: "domain" {
        /// One cube of predicates.
        #[default]
        PredCart = "PRED_CART",
        /// The values of tracked variables.
        Expl = "EXPL",
        /// The values of control variables, and one cube of predicates.
        ExplPredCart = "EXPL_PRED_CART",
        /// Any Boolean combination of predicates.
        PredBool = "PRED_BOOL",
        /// One cube of predicates, each successor cube by itself.
        PredSplit = "PRED_SPLIT",
        /// The values of control variables, and any Boolean combination of predicates.
        ExplPredBool = "EXPL_PRED_BOOL",
        /// The values of control variables, and single cubes of predicates.
        ExplPredSplit = "EXPL_PRED_SPLIT",
        /// Values and single cubes; which variables are tracked by value is found out on the way.
        ExplPredCombined = "EXPL_PRED_COMBINED",
    }
    also { "PROD" => ExplPredCart, "EXPL_PRED" => ExplPredSplit }
);

impl Domain {
    /// Whether some variables are tracked by their values.
    pub fn has_values(self) -> bool {
        !matches!(self, Domain::PredCart | Domain::PredBool | Domain::PredSplit)
    }
    /// Whether predicates are tracked.
    pub fn has_predicates(self) -> bool {
        self != Domain::Expl
    }
}

choices!(
    /// How the precision grows when a trace cannot be executed.
    Refinement: "refinement" {
        /// Interpolants for every state of the trace.
        #[default]
        SeqItp = "SEQ_ITP",
        /// One interpolant, after the longest feasible beginning.
        FwBinItp = "FW_BIN_ITP",
        /// One interpolant, before the longest feasible end.
        BwBinItp = "BW_BIN_ITP",
        /// Interpolants for every state of every trace of an exploration.
        MultiSeq = "MULTI_SEQ",
        /// The variables of a small core.
        UnsatCore = "UNSAT_CORE",
        /// Strongest postconditions.
        NwtSp = "NWT_SP",
        /// Weakest preconditions.
        NwtWp = "NWT_WP",
        /// Strongest postconditions over live variables.
        NwtSpLv = "NWT_SP_LV",
        /// Weakest preconditions over live variables.
        NwtWpLv = "NWT_WP_LV",
        /// Strongest postconditions of the statements in the core.
        NwtItSp = "NWT_IT_SP",
        /// Weakest preconditions of the statements in the core.
        NwtItWp = "NWT_IT_WP",
    }
);

choices!(
    /// How much of the graph is built again after a refinement.
    Prune: "prune strategy" {
        /// What comes after the first state that the refutation speaks of.
        #[default]
        Lazy = "LAZY",
        /// Everything.
        Full = "FULL",
    }
    also { "PRUNE_LAZY" => Lazy, "PRUNE_FULL" => Full }
);

choices!(
    /// What is tracked from the start.
    InitialPrecision: "initial precision" {
        /// Nothing.
        #[default]
        Empty = "EMPTY",
        /// The property: its variables, or its atoms as predicates.
        Prop = "PROP",
        /// The control variables, by their values.
        Ctrl = "CTRL",
        /// The property and the control variables. In a product, what is not control is tracked by predicates.
        PropCtrl = "PROP,CTRL",
        /// All variables, by their values.
        AllVars = "ALLVARS",
    }
    also { "CTRL,PROP" => PropCtrl }
);

impl InitialPrecision {
    fn needs_values(self) -> bool {
        matches!(self, InitialPrecision::Ctrl | InitialPrecision::PropCtrl | InitialPrecision::AllVars)
    }
}

choices!(
    /// How interpolants become predicates.
    PredicateSplit: "predicate split" {
        /// As they are.
        #[default]
        Whole = "WHOLE",
        /// Conjunct by conjunct.
        Conjuncts = "CONJUNCTS",
        /// Atom by atom.
        Atoms = "ATOMS",
    }
);

choices!(
    /// Which variables of the combined product are tracked by their values.
    AutoExpl: "automatic explicit tracking" {
        /// The control variables.
        #[default]
        Static = "STATIC",
        /// Also variables for which refinement keeps finding atoms that the model does not have.
        NewAtoms = "NEWATOMS",
        /// Also variables that refinement keeps comparing with terms the model does not compare them with.
        NewOperands = "NEWOPERANDS",
    }
);

/// A name that stands for none of the choices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownChoice {
    /// What was to be chosen.
    pub what: &'static str,
    /// What was given.
    pub given: String,
    /// What could have been.
    pub known: Vec<String>,
}

impl fmt::Display for UnknownChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} `{}`; choose {}", self.what, self.given, self.known.join(" or "))
    }
}

impl std::error::Error for UnknownChoice {}
