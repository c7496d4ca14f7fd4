//! What the user can choose: plain data, named once.

use std::fmt;
use std::str::FromStr;

use crate::choice::{Choice, ConfigError, Needs};
use crate::description::Description;

/// The choices of one search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// Which algorithm.
    pub engine: Engine,
    /// Whether the system is made smaller first; evidence is about the system as it was all the same.
    pub preprocess: bool,
    /// What a step of a program is.
    pub encoding: Encoding,
    /// What integers are to solvers.
    pub theory: Theory,
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
            encoding: Encoding::default(),
            theory: Theory::default(),
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
        let Config { engine, search, covering, .. } = *self;
        if engine.refines() && search == Search::Priority {
            return Err(ConfigError::Order { search, engine });
        }
        if matches!(engine, Engine::Lazy | Engine::Local) && covering != Covering::Inclusion {
            return Err(ConfigError::Covering { covering, engine });
        }
        let clocks = self.clock_strategy.map(Choice::ClockStrategy);
        let theory = (self.theory != Theory::Int).then_some(Choice::Theory(self.theory));
        let zones = (self.zone_strategy != ZoneStrategy::default())
            .then_some(Choice::ZoneStrategy(self.zone_strategy));
        let data = (self.data != DataStrategy::default()).then_some(Choice::Data(self.data));
        // Engines without zones that cover each other may be given one all the same, and make nothing of it.
        let covers =
            (engine.refines() && covering != Covering::Inclusion).then_some(Choice::Covering(covering));
        let unknown = |given: &Choice| !given.goes_with(engine);
        match [clocks, covers, zones, data, theory].into_iter().flatten().find(unknown) {
            Some(given) => Err(ConfigError::Engine { given, engine }),
            None => self.cegar.check(),
        }
    }
    /// The same for another engine, without what only others know.
    pub fn for_engine(&self, engine: Engine) -> Config {
        let covers = !engine.refines() && !matches!(engine, Engine::Lazy | Engine::Local);
        let zones = matches!(engine, Engine::Lazy | Engine::Combined);
        let priority = self.search == Search::Priority && engine.refines();
        let cegar = match (engine.refines(), self.engine.refines()) {
            (true, true) => self.cegar.clone(),
            _ => Cegar { domain: engine.default_domain(), ..Cegar::default() },
        };
        Config {
            engine,
            search: if priority { Search::Bfs } else { self.search },
            covering: if covers { self.covering } else { Covering::default() },
            zone_strategy: if zones { self.zone_strategy } else { ZoneStrategy::default() },
            data: if engine == Engine::Lazy { self.data } else { DataStrategy::default() },
            clock_strategy: self.clock_strategy.filter(|strategy| strategy.goes_with(engine)),
            bound: self.bound.filter(|_| engine.description().bounded),
            theory: if engine.knows_bits() { self.theory } else { Theory::Int },
            threads: if engine == Engine::Auto { self.threads } else { 1 },
            graph: self.graph && engine.refines(),
            cegar,
            ..self.clone()
        }
    }
    /// The same without any limit: how to search, and not how long.
    pub fn without_limits(&self) -> Config {
        let (state_limit, step_limit, call_limit) = (None, None, None);
        Config { state_limit, step_limit, call_limit, bound: None, work_limit: None, ..self.clone() }
    }
    /// The choices that tell this configuration from others, the engine first.
    pub fn choices(&self) -> Vec<Choice> {
        let mut list = vec![Choice::Engine(self.engine)];
        if self.engine.refines() {
            list.extend(self.cegar.choices());
        }
        let given = self.zone_strategy != ZoneStrategy::Auto;
        if self.engine == Engine::Lazy || (self.engine == Engine::Combined && given) {
            list.push(Choice::ZoneStrategy(self.zone_strategy));
        }
        if self.engine == Engine::Lazy {
            list.push(Choice::Data(self.data));
        }
        list.extend(self.clock_strategy.map(Choice::ClockStrategy));
        if self.theory != Theory::Int {
            list.push(Choice::Theory(self.theory));
        }
        if self.encoding != Encoding::Lbe {
            list.push(Choice::Encoding(self.encoding));
        }
        if self.covering != Covering::Inclusion {
            list.push(Choice::Covering(self.covering));
        }
        if self.search != Search::Bfs {
            list.push(Choice::Search(self.search));
        }
        list
    }
}

impl fmt::Display for Config {
    /// The engine, and in parentheses what else was chosen.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let choices = self.choices();
        let others: Vec<String> = choices[1..].iter().map(ToString::to_string).collect();
        match &others[..] {
            [] => write!(f, "{}", self.engine),
            list => write!(f, "{} ({})", self.engine, list.join(", ")),
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
    /// How accepting cycles are looked for.
    pub lasso_search: LassoSearch,
    /// How abstract lassos that cannot be executed are excluded.
    pub lasso_refinement: LassoRefinement,
    /// How many times the cycle of a lasso is gone around at most before something else is tried.
    pub unroll: Option<u32>,
}

impl Cegar {
    /// Checks that the choices fit together; names both options if not.
    pub fn check(&self) -> Result<(), ConfigError> {
        let Cegar { domain, refinement, initial_precision, .. } = *self;
        let clash = |given: Choice, needs: Needs| Err(ConfigError::Domain { given, domain, needs });
        if refinement == Refinement::UnsatCore && domain != Domain::Expl {
            return clash(Choice::Refinement(refinement), Needs::Domain(Domain::Expl));
        }
        let names_strategy = crate::cegar::strategy(refinement).is_some();
        if (names_strategy || refinement == Refinement::UnsatCore)
            && self.interpolation != smt::Strategy::Auto
        {
            let interpolation = self.interpolation.clone();
            return Err(ConfigError::Interpolation { refinement, interpolation });
        }
        if let Some(split) = self.predicate_split.filter(|_| !domain.has_predicates()) {
            return clash(Choice::PredicateSplit(split), Needs::Predicates);
        }
        if let Some(most) = self.max_enum.filter(|_| !domain.has_values()) {
            return clash(Choice::MaxEnum(most), Needs::Values);
        }
        if let Some(which) = self.auto_expl.filter(|_| domain != Domain::ExplPredCombined) {
            return clash(Choice::AutoExpl(which), Needs::Domain(Domain::ExplPredCombined));
        }
        match initial_precision {
            Some(initial) if initial.needs_values() && !domain.has_values() => {
                clash(Choice::InitialPrecision(initial), Needs::Values)
            }
            _ => Ok(()),
        }
    }
    /// The same for another domain, without what only others have.
    pub fn for_domain(&self, domain: Domain) -> Cegar {
        let values = domain.has_values();
        Cegar {
            domain,
            refinement: match self.refinement {
                Refinement::UnsatCore if domain != Domain::Expl => Refinement::default(),
                other => other,
            },
            initial_precision: self.initial_precision.filter(|initial| values || !initial.needs_values()),
            predicate_split: self.predicate_split.filter(|_| domain.has_predicates()),
            max_enum: self.max_enum.filter(|_| values),
            auto_expl: self.auto_expl.filter(|_| domain == Domain::ExplPredCombined),
            ..self.clone()
        }
    }
    /// The choices, of those that have a fitting default only what was given.
    pub fn choices(&self) -> Vec<Choice> {
        let mut list = vec![
            Choice::Domain(self.domain),
            Choice::Refinement(self.refinement),
            Choice::Interpolation(self.interpolation.clone()),
            Choice::Prune(self.prune),
        ];
        list.extend(self.initial_precision.map(Choice::InitialPrecision));
        list.extend(self.predicate_split.map(Choice::PredicateSplit));
        list.extend(self.max_enum.map(Choice::MaxEnum));
        list.extend(self.auto_expl.map(Choice::AutoExpl));
        let searched = (self.lasso_search != LassoSearch::default()).then_some(self.lasso_search);
        list.extend(searched.map(Choice::LassoSearch));
        let refined = (self.lasso_refinement != LassoRefinement::default()).then_some(self.lasso_refinement);
        list.extend(refined.map(Choice::LassoRefinement));
        list.extend(self.unroll.map(Choice::Unroll));
        list
    }
    /// The initial precision, by default what the domain makes best use of.
    pub fn initial_precision(&self) -> InitialPrecision {
        self.initial_precision.unwrap_or(match self.domain.has_values() {
            true => InitialPrecision::PropCtrl,
            false => InitialPrecision::Prop,
        })
    }
}

/// Declares an enumeration whose values have names. Names are read without
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

/// Declares the engines, each with its description.
macro_rules! engines {
    ($($(#[$doc:meta])* $value:ident = $description:path),+ $(,)?) => {
        /// The algorithm that answers.
        #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
        pub enum Engine {
            $($(#[$doc])* $value,)+
            /// One of another crate, by its description.
            Other(&'static Description),
        }

        impl Engine {
            /// All engines of this crate, the default first.
            pub const ALL: &[Engine] = &[$(Engine::$value),+];

            /// What there is to say of it.
            pub fn description(self) -> &'static Description {
                match self {
                    $(Engine::$value => &$description,)+
                    Engine::Other(description) => description,
                }
            }
        }
    };
}

engines! {
    /// Portfolio: a schedule of the others, by what the model contains.
    #[default]
    Auto = crate::auto::ENGINE,
    /// Explicit-state model checking: exhaustive search over concrete states.
    Explicit = crate::explicit::ENGINE,
    /// The zone graph of a timed model.
    Zone = crate::zone::ENGINE,
    /// Lazy abstraction of the zone graph: zones and data only as exact as what is impossible demands.
    Lazy = crate::lazy::ENGINE,
    /// The zone graph in local time: processes agree on the time only where they meet.
    Local = crate::local::ENGINE,
    /// Refinement of the zone graph, with zones only where a path without them leads to the target.
    ZoneCegar = crate::zone_cegar::ENGINE,
    /// Counterexample-guided abstraction refinement (CEGAR): abstract states, refined where they show what cannot happen.
    Cegar = crate::cegar::ENGINE,
    /// Abstraction refinement for data, with zones for clocks that are abstracted lazily.
    Combined = crate::cegar::COMBINED,
    /// Bounded model checking: runs of growing length, as formulas.
    Bmc = crate::bmc::ENGINE,
    /// k-induction: induction over several steps, and bounded model checking beside it.
    Kind = crate::kind::ENGINE,
    /// Place invariants: linear invariants of counters, such as the places of a Petri net.
    Linear = crate::linear::ENGINE,
    /// Constrained Horn clauses by Z3's engine Spacer.
    Spacer = crate::spacer::ENGINE,
    /// IC3 with implicit predicate abstraction.
    Ic3 = crate::ic3::ENGINE,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.description().name)
    }
}

impl FromStr for Engine {
    type Err = UnknownChoice;
    fn from_str(text: &str) -> Result<Self, UnknownChoice> {
        let plain = |text: &str| text.to_lowercase().replace('_', "-");
        let found = Engine::ALL.iter().copied().find(|engine| engine.description().name == plain(text));
        found.ok_or_else(|| UnknownChoice {
            what: "engine",
            given: text.to_owned(),
            known: Engine::ALL.iter().map(ToString::to_string).collect(),
        })
    }
}

impl Engine {
    /// The domain that it works best with. Where every alternative of a statement is a successor by itself, values
    /// tell them apart many times quicker than predicates do, and what has no end is left to these.
    pub fn default_domain(self) -> Domain {
        match self {
            Engine::Combined => Domain::ExplPredCombined,
            _ => Domain::default(),
        }
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
    /// What integers are to solvers.
    Theory: "theory" {
        /// Integers.
        #[default]
        Int = "int",
        /// Vectors of as many bits as their ranges need; models whose integers have no ranges are refused.
        Bits = "bits",
    }
);

impl From<Theory> for smt::Theory {
    fn from(theory: Theory) -> Self {
        match theory {
            Theory::Int => smt::Theory::Int,
            Theory::Bits => smt::Theory::Bits,
        }
    }
}

choices!(
    /// What a step of a program is.
    Encoding: "encoding" {
        /// Large-block encoding: everything from the head of a loop to the next, or to what is asked about.
        #[default]
        Lbe = "LBE",
        /// Single-block encoding: an edge as it is written.
        Sbe = "SBE",
    }
);

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
    /// How accepting cycles are looked for, of an abstraction or of concrete states.
    LassoSearch: "lasso search" {
        /// Strongly connected components with the acceptance sets of their transitions, now and then while the graph
        /// grows.
        #[default]
        Scc = "scc",
        /// Guided depth-first search: along accepting transitions first, components merged on the way.
        Gdfs = "gdfs",
        /// Nested depth-first search, which comes through the acceptance sets one after the other.
        Ndfs = "ndfs",
        /// The whole graph is built first, and its components looked at then.
        Full = "full",
    }
);

choices!(
    /// How an abstract lasso that can be executed, but is no lasso of the system, is excluded.
    LassoRefinement: "lasso refinement" {
        /// All of these, one after the other.
        #[default]
        Auto = "auto",
        /// Ranking functions of accepting components, and recurrent sets; then as `direct`.
        Rank = "rank",
        /// The interpolant between a lasso and that it closes, with the values it began with filled in.
        Direct = "direct",
        /// The cycle is gone around more and more often.
        Unroll = "unroll",
    }
    also { "DIRECT_REFINEMENT" => Direct, "BOUNDED_UNROLLING" => Unroll }
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
