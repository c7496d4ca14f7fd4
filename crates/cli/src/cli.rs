//! The commands and their options, each defined and documented here and nowhere else.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use engine::{
    AutoExpl, Choice, ClockStrategy, Config, ConfigError, Covering, DataStrategy, Domain, Encoding, Engine,
    InitialPrecision, LassoRefinement, LassoSearch, PredicateSplit, Prune, Refinement, Search, Theory,
    ZoneStrategy,
};

use lang::c::DataModel;
use lang::gamma::{Criterion, Period};
use lang::{Invariants, Reading};
use thetis::certify::{Checker, SolverChoice};
use thetis::{Certification, CheckStates, Fair, Limits, Scope, StuckRuns, ZenoRuns, lang};

use crate::campaign::CampaignCommand;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::limits;
use crate::report::Expected;
use crate::words::{self, Told};
use crate::{
    campaign, check, configuration, convert, doctor, formula, guide, info, load, simulate, theta, trace,
    validate,
};

/// Thetis checks models of reactive and real-time systems.
#[derive(Parser, Debug)]
#[command(name = "thetis", version, max_term_width = 100, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 holds, 1 violated, 2 bad input or usage, 3 unknown, not supported or interrupted, 4 internal error.
`thetis explain CODE` says more about a code of a message or a result.
`thetis language NAME` prints a language of models; `thetis language --help` lists them.

Examples:
  thetis example traffic_light > traffic_light.xsts
  thetis check traffic_light.xsts";

const CHECK: &str = "\
Examples:
  thetis example traffic_light > traffic_light.xsts
  thetis check traffic_light.xsts --certificate proof.json
  thetis check traffic_light.xsts -p '!requested || car != Red' --trace run.json
  thetis check traffic_light.xsts --ltl 'G (requested -> F (walk == Walk))'

Timed models, in which `__delay` lets time pass for all clocks, need no options either. To choose what is done
with time: zones (`--engine zone`, `--engine lazy`), rational numbers (`--clockstrategy RAT_ENCODE`), or zones
beside abstract data (`--clockstrategy CF_SPLIT_FILTERCF` or `CF_SPLIT_ALL`), and `--within T` asks about the
first T time units only:
  thetis example watchdog > watchdog.xsts
  thetis check watchdog.xsts -p 'mode != Stopped' --within 29
  thetis check watchdog.xsts --clockstrategy RAT_ENCODE
  thetis check watchdog.xsts --clockstrategy CF_SPLIT_FILTERCF --domain EXPL --zonestrategy FW_ITP

Of UPPAAL models also values can be asked for. `--all --expect recorded` compares the answers with what a document
records about its queries, and says how many were compared:
  thetis example fischer > fischer.xta
  thetis check fischer.xta -p 'sup{P(1).req}: P(1).x'";

const SIMULATE: &str = "\
Ctrl-C ends with the run so far: it is written as asked, and the exit code is 3.

Examples:
  thetis example thermostat > thermostat.xsts
  thetis simulate thermostat.xsts --random --seed 7 --steps 10";

const TRACE: &str = "\
Examples:
  thetis example traffic_light > traffic_light.xsts
  thetis check traffic_light.xsts -p '!requested || car != Red' --trace run.json
  thetis trace show run.json";

const VALIDATE: &str = "\
Examples:
  thetis example traffic_light > traffic_light.xsts
  thetis check traffic_light.xsts --certificate proof.json
  thetis validate traffic_light.xsts proof.json";

const LTL: &str = "\
Examples:
  thetis ltl 'G (request -> F answer)'
  thetis ltl 'absence(p) between q and r' --negate --format hoa";

const DOCTOR: &str = "\
Exit codes: 0 ready, 2 no solver that can be used, 3 a limit that is not enforced or could not be tried, or
interrupted.

Examples:
  thetis doctor
  thetis doctor --json";

#[derive(Subcommand, Debug)]
enum Command {
    /// Decide whether properties hold, and show why not
    Check(Box<CheckArgs>),
    /// Simulate a model: interactively, at random, or along a trace
    Simulate(SimulateArgs),
    /// Show, replay or export a trace
    #[command(subcommand, after_help = TRACE)]
    Trace(TraceCommand),
    /// Say what is in a model
    Info(InfoArgs),
    /// Convert a model to another format or into normal form
    Convert(ConvertArgs),
    /// Check a trace or a certificate without any engine
    Validate(ValidateArgs),
    /// Say what a formula of linear temporal logic says: its automaton, and a word for it and one against it
    Ltl(LtlArgs),
    /// Compare configurations on many models, on this machine or a cluster, and report
    #[command(subcommand, after_help = campaign::HELP)]
    Campaign(CampaignCommand),
    /// Say which solver there is, and whether limits are enforced here
    Doctor(DoctorArgs),
    /// Say more about a code that a message or a result carries, or list all codes
    #[command(after_help = "Examples:\n  thetis explain\n  thetis explain unsupported.open-variable")]
    Explain {
        /// Which one; without it, all are listed
        code: Option<String>,
    },
    /// Print an example model, or list them
    #[command(after_help = "Examples:\n  thetis example\n  thetis example queue > queue.xsts")]
    Example {
        /// Which one; without it, all are listed
        name: Option<String>,
    },
    /// Print the reference of a modelling language
    #[command(after_help = language_examples())]
    Language {
        /// Which one
        #[arg(value_parser = languages(), default_value = "xsts")]
        name: String,
    },
    /// Drop-in for `theta-xsts-cli`: its flags, its last line, its counterexample file
    #[command(
        disable_help_flag = true,
        after_help = "Examples:\n  thetis theta --help\n  thetis theta --model m.xsts --property 'x < 3' --cex run.cex"
    )]
    Theta {
        /// The flags of that program; `--help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Print a page of the manual
    #[command(hide = true)]
    Manual {
        /// Which one
        #[arg(value_enum, default_value_t)]
        page: Page,
    },
}

/// The verdict is the first line on stdout: `holds`, `violated` or `unknown (reason)`; with several
/// properties there is one such line for each. A violated property is followed by the steps that
/// violate it. Every verdict has been checked independently of the search before it is printed.
///
/// Limits of time and memory cover the whole command: reading, searching and certifying.
#[derive(Args, Debug)]
#[command(after_help = CHECK)]
struct CheckArgs {
    /// The model
    model: PathBuf,
    /// Files with properties, as by `--property-file`
    #[arg(value_name = "PROPERTIES")]
    properties: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Of a Gamma model, what is to be covered by runs: `state`, `transition`, `out-event`, or several with commas. For
    /// each state, transition or event that goes out it is asked whether some run comes to it
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = str::parse::<Criterion>)]
    cover: Vec<Criterion>,
    /// What to check instead of the model's own: `A[] e`, that an expression holds in every state, or `E<> e`, that it
    /// holds in some state. `e` alone is `A[] e`, except of a UPPAAL model. Of that also values: `sup: e`,
    /// `inf{c}: e` and `bounds: e` ask for the greatest and the least value of `e`, where `c` holds. Of others also
    /// `ltl: FORMULA`, about every run, and `AG EF e`, that `e` can always be reached again
    #[arg(short, long = "property", value_name = "PROP", allow_hyphen_values = true)]
    property: Vec<String>,
    /// A formula of linear temporal logic that is to hold on every run, such as `G (request -> F answer)`; the same as
    /// `-p 'ltl: FORMULA'`. `thetis ltl` shows what a formula says
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    ltl: Vec<String>,
    /// A location of a control-flow automaton that is never to be reached; the same as `-p 'unreachable NAME'`
    #[arg(long, value_name = "NAME")]
    errorloc: Vec<String>,
    /// A file with an automaton in the Hanoi format (HOA) that accepts what must not happen: no run may have a word that
    /// it accepts. The names of its atoms (`AP:`) are expressions in the language of the model
    #[arg(long, value_name = "FILE")]
    never: Vec<PathBuf>,
    /// A file with a property: `prop { … }` or an expression; or with several: UPPAAL queries (`.q`), formulas
    /// of the Model Checking Contest (`.xml`)
    #[arg(long, value_name = "FILE")]
    property_file: Vec<PathBuf>,
    /// Check every property: the model's own and all that are given
    #[arg(long)]
    all: bool,
    #[arg(long, default_value_t, value_name = "ENGINE", help = engines())]
    engine: Engine,
    /// The order of the search: bfs (shortest runs), dfs, or priority (larger zones first; not for `--engine
    /// cegar` and `--engine combined`)
    #[arg(long, default_value_t, value_name = "ORDER")]
    search: Search,
    /// Subsumption between zones, by which one needs no look of its own: inclusion, equality or alu
    #[arg(long, default_value_t, value_name = "WHEN")]
    covering: Covering,
    /// What `--engine lazy` and `--engine combined` abstract zones to: LU (all that they simulate by bounds that
    /// grow; refused where clocks are compared with each other), BW_ITP or FW_ITP (zones by interpolation, backwards
    /// or forwards), or auto (BW_ITP, but LU with `--engine lazy` where that is sound). Given without an engine,
    /// any but auto chooses `--engine lazy`, or `--engine combined` beside options of abstraction refinement
    #[arg(long = "zonestrategy", default_value_t, value_name = "STRATEGY")]
    zone_strategy: ZoneStrategy,
    /// What `--engine lazy` knows of data: VISIBLE (the variables that matter) or EXPLICIT (all), which given
    /// without an engine chooses that one
    #[arg(long, default_value_t, value_name = "STRATEGY")]
    data: DataStrategy,
    /// What is done with clocks. `--engine cegar`, `--engine bmc` and `--engine kind`: RAT_ENCODE (they become
    /// rational variables, which a delay adds the same amount to). `--engine combined`: CF_SPLIT_FILTERCF
    /// (statements are split into alternatives of clock operations and data, which are followed as far as the
    /// abstract data allow) or CF_SPLIT_ALL (all of them are followed). Given alone, it chooses `--engine cegar`
    /// or `--engine combined`
    #[arg(long, value_name = "HOW")]
    clockstrategy: Option<ClockStrategy>,
    /// What a step of a program is, for engines that look at formulas: LBE (large-block encoding: from the head of a
    /// loop to the next, or to what is asked about) or SBE (single-block encoding: an edge as it is written).
    /// Traces show every edge either way
    #[arg(long, default_value_t, value_name = "HOW")]
    encoding: Encoding,
    /// What integers are to solvers of `--engine bmc`, `kind`, `spacer` and `ic3`: int, or bits (vectors of as many bits as
    /// their ranges need, exactly; models whose integers have no ranges are refused)
    #[arg(long, default_value_t, value_name = "THEORY")]
    theory: Theory,
    /// Search the model as it is, without blocks of a program, constant propagation, cone of influence, counter
    /// saturation and dead stores
    #[arg(long)]
    no_preprocess: bool,
    /// How many steps `--engine bmc` and `--engine kind` look ahead, and how many frames `--engine ic3` has; without it,
    /// as many as it takes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32), allow_negative_numbers = true)]
    bound: Option<u32>,
    /// How many configurations `--engine auto` tries at a time: 1 or 2; timed models have one at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=2))]
    threads: u32,
    /// Stop after this time, certification included, for example 500ms, 60s, 2m; a number alone is in seconds
    #[arg(long, value_name = "TIME", value_parser = limits::duration, allow_hyphen_values = true)]
    timeout: Option<Duration>,
    /// Stop when the program uses this much memory, certification included, for example 500MB, 4GB
    #[arg(long, value_name = "SIZE", value_parser = limits::size, allow_hyphen_values = true)]
    memory_limit: Option<u64>,
    /// Stop after storing so many states. Engines that store none go on by themselves; `--engine auto` gives
    /// them no more rounds than those that do, and the limit is one for each
    #[arg(long, value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    state_limit: Option<u64>,
    /// Write the run that decides the property as JSON, or for UPPAAL if the name ends in `.xml`; several properties
    /// get numbered files. A file of that name is removed before the search, so one that is there afterwards is of
    /// this run
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write the certificate of a property that holds as JSON; several get numbered files. A file of that name is
    /// removed before the search
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Write what makes an invariant or a set of zones one as SMT-LIB files, for any other solver; several get numbered
    /// directories
    #[arg(long, value_name = "DIR")]
    obligations: Option<PathBuf>,
    /// Skip certification: believe the search; verdicts then say `(not certified)`
    #[arg(long, conflicts_with_all = ["certify", "solver"])]
    no_certify: bool,
    #[command(flatten)]
    checker: CheckerArgs,
    /// Which states properties look at: all, or only those after init and after trans
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    check_states: States,
    /// Ask only about the first T time units of every run, a whole number of the units that the model compares its
    /// clocks with: whether the property holds, or what it searches for can be reached, within that time. What
    /// happens, or goes wrong, later is not looked at, unless a `deadlock` is asked for
    #[arg(long, value_name = "T", value_parser = ir::within::amount, allow_negative_numbers = true)]
    within: Option<u64>,
    /// What becomes of runs that get stuck, in temporal properties: they do not count, or repeat their last state for
    /// ever [default: idle for UPPAAL models, repeat for Petri nets, else ignore]
    #[arg(long, value_enum, value_name = "HOW")]
    stuck_runs: Option<Stuck>,
    /// In temporal properties about models with time: whether infinite runs count that take a bounded time (Zeno runs)
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    zeno: Zeno,
    /// In temporal properties, look only at runs that are fair to ITEM, an edge or a transition as traces name it (such as
    /// `trans 2`), all edges of a process by its name, or `all`, each by itself. With `weak:ITEM` runs do not leave it enabled for ever without taking it, with
    /// `strong:ITEM` they do not leave it enabled again and again without taking it
    #[arg(long, value_name = "HOW:ITEM", value_parser = str::parse::<Fair>)]
    fair: Vec<Fair>,
    /// In temporal properties, look only at runs that satisfy this formula of linear temporal logic
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    assume_ltl: Vec<String>,
    /// Do not look whether a temporal property that holds does so vacuously, because what it is about never happens
    #[arg(long)]
    no_vacuity: bool,
    /// What decides the exit code: that all properties hold, or that they are as the model records, as an `expect` or
    /// `result` element of a UPPAAL query does; then 1 says that a verdict is not the one that is recorded
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    expect: Expected,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Say more on stderr: of a timed model, the schedule of the portfolio as a line `order:`
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    cegar: CegarArgs,
}

/// The options of `--engine cegar` and `--engine combined`; giving one chooses the first, unless options about time
/// choose the second.
#[derive(Args, Debug)]
#[command(next_help_heading = "Abstraction refinement (--engine cegar and --engine combined)")]
struct CegarArgs {
    /// What abstract states say: EXPL, PRED_CART, PRED_BOOL, PRED_SPLIT, EXPL_PRED_CART (or PROD),
    /// EXPL_PRED_BOOL, EXPL_PRED_SPLIT (or EXPL_PRED), EXPL_PRED_COMBINED [default: PRED_CART; with `--engine combined`
    /// EXPL_PRED_COMBINED]
    #[arg(long, value_name = "DOMAIN")]
    domain: Option<Domain>,
    /// How the precision grows: SEQ_ITP, FW_BIN_ITP, BW_BIN_ITP, MULTI_SEQ, UNSAT_CORE, NWT_SP, NWT_WP,
    /// NWT_SP_LV, NWT_WP_LV, NWT_IT_SP, NWT_IT_WP [default: SEQ_ITP]. The NWT names and UNSAT_CORE say by
    /// themselves how traces are explained; the others leave it to `--interpolation`
    #[arg(long, value_name = "HOW")]
    refinement: Option<Refinement>,
    /// Where interpolants come from: auto, atoms, newton-sp, newton-wp, mbi-forward, mbi-backward, spacer,
    /// smtlib:COMMAND for another program that interpolates, or another member of the Newton family:
    /// newton-plain-sp, newton-sp-lv, newton-it-sp, newton-it-sp-lv, and the same with wp [default: auto]
    #[arg(long, value_name = "HOW", value_parser = interpolation)]
    interpolation: Option<smt::Strategy>,
    /// How much is explored again after a refinement: LAZY or FULL [default: LAZY]
    #[arg(long, value_name = "WHAT")]
    prunestrategy: Option<Prune>,
    /// What is tracked from the start: EMPTY, PROP, CTRL, PROP,CTRL or ALLVARS [default: PROP, and PROP,CTRL
    /// where values are tracked]
    #[arg(long, value_name = "WHAT")]
    initprec: Option<InitialPrecision>,
    /// How interpolants become predicates: WHOLE, CONJUNCTS or ATOMS [default: WHOLE]
    #[arg(long, value_name = "HOW")]
    predsplit: Option<PredicateSplit>,
    /// More explicit successors of a step than this are merged into what they agree on; 0 for no limit, but
    /// what has values without end is unknown even then [default: 250]
    #[arg(long, value_name = "N")]
    maxenum: Option<u32>,
    /// Which variables of EXPL_PRED_COMBINED are tracked by value: STATIC, NEWATOMS or NEWOPERANDS [default:
    /// STATIC]
    #[arg(long, value_name = "WHICH")]
    autoexpl: Option<AutoExpl>,
    /// For temporal properties, how `cegar` and `explicit` look for accepting cycles: scc (components, while the graph grows), gdfs
    /// (depth first along accepting transitions, components merged on the way), ndfs (nested depth-first search), full
    /// (components of the whole graph) [default: scc]
    #[arg(long, value_name = "HOW")]
    lasso_search: Option<LassoSearch>,
    /// For temporal properties, how abstract lassos are excluded: rank (ranking functions and recurrent sets, then as direct),
    /// direct (the interpolant against closing), unroll (the cycle gone around more often), auto (all of them) [default: auto]
    #[arg(long, value_name = "HOW")]
    lasso_refinement: Option<LassoRefinement>,
    /// How many times the cycle of an abstract lasso is gone around at most [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    unroll: Option<u32>,
    /// Write the abstract reachability graph as DOT; several properties get numbered files
    #[arg(long, value_name = "FILE")]
    arg: Option<PathBuf>,
}

impl CegarArgs {
    /// The choices that were made.
    fn given(&self) -> impl Iterator<Item = Choice> {
        let list = [
            self.domain.map(Choice::Domain),
            self.refinement.map(Choice::Refinement),
            self.interpolation.clone().map(Choice::Interpolation),
            self.prunestrategy.map(Choice::Prune),
            self.initprec.map(Choice::InitialPrecision),
            self.predsplit.map(Choice::PredicateSplit),
            self.maxenum.map(Choice::MaxEnum),
            self.autoexpl.map(Choice::AutoExpl),
            self.lasso_search.map(Choice::LassoSearch),
            self.lasso_refinement.map(Choice::LassoRefinement),
            self.unroll.map(Choice::Unroll),
            self.arg.is_some().then_some(Choice::Graph),
        ];
        list.into_iter().flatten()
    }
}

impl CheckArgs {
    /// The choices about abstract zones and the data beside them, if they were made.
    fn about_zones(&self) -> [Option<Choice>; 2] {
        let zones = (self.zone_strategy != ZoneStrategy::default())
            .then_some(Choice::ZoneStrategy(self.zone_strategy));
        let data = (self.data != DataStrategy::default()).then_some(Choice::Data(self.data));
        [zones, data]
    }
    /// The choices that were made, those of a default apart.
    pub(crate) fn choices(&self) -> Vec<Choice> {
        let engine = (self.engine != Engine::default()).then_some(Choice::Engine(self.engine));
        let search = (self.search != Search::default()).then_some(Choice::Search(self.search));
        let covering = (self.covering != Covering::default()).then_some(Choice::Covering(self.covering));
        let threads = (self.threads != 1).then_some(Choice::Threads(self.threads));
        let encoding = (self.encoding != Encoding::default()).then_some(Choice::Encoding(self.encoding));
        let theory = (self.theory != Theory::default()).then_some(Choice::Theory(self.theory));
        let about_all = [engine, encoding, theory, search, covering, threads].into_iter().flatten();
        about_all.chain(self.narrowing()).collect()
    }
    /// How to search.
    fn config(&self, engine: Engine) -> Result<Config, ConfigError> {
        let config = configuration::config(engine, &self.choices())?;
        Ok(Config { preprocess: !self.no_preprocess, state_limit: self.state_limit, ..config })
    }
    /// The choices that were made and that are about some engines only.
    fn narrowing(&self) -> Vec<Choice> {
        let clocks = self.clockstrategy.map(Choice::ClockStrategy);
        let [zones, data] = self.about_zones();
        let bound = self.bound.map(Choice::Bound);
        let about_time = [clocks, zones, data, bound].into_iter().flatten();
        about_time.chain(self.cegar.given()).collect()
    }
}

/// Commands are read from the terminal or from a pipe: a number takes that step, `r` a random one, `b`
/// goes back, `s` shows the state, `h` lists the others. Values and delays that the model leaves open
/// are asked for.
#[derive(Args, Debug)]
#[command(after_help = SIMULATE)]
struct SimulateArgs {
    /// The model
    model: PathBuf,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Take random steps
    #[arg(long)]
    random: bool,
    /// Where random choices start; the same seed gives the same run
    #[arg(long, value_name = "N", default_value_t = 0, requires = "random", value_parser = whole)]
    seed: u64,
    /// How many random steps
    #[arg(long, value_name = "K", default_value_t = 20, requires = "random", value_parser = whole)]
    steps: u64,
    /// Follow this trace first
    #[arg(long, value_name = "TRACE")]
    follow: Option<PathBuf>,
    /// Say where this property is false, instead of the model's own `prop`
    #[arg(short, long, value_name = "PROP", allow_hyphen_values = true)]
    property: Option<String>,
    /// Write the run as JSON at the end, or for UPPAAL if the name ends in `.xml`
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Print the run as JSON at the end
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

/// How a model is meant, where its language leaves that open.
#[derive(Args, Clone, Debug)]
pub struct ReadingArgs {
    /// Of a Gamma model, the component to look at, with values of its parameters if it has some: `Light`, `Light(3, true)`;
    /// else the last one of the file that is part of no other
    #[arg(long, value_name = "NAME")]
    component: Option<String>,
    /// Of a Gamma model, how much time passes in each cycle: 500ms, 2s, or a range 400ms..600ms; else any amount of time
    #[arg(long, value_name = "TIME", value_parser = str::parse::<Period>)]
    period: Option<Period>,
    /// Of a Gamma model without a period, how much time passes in each cycle at most: 500ms, 2s; so a cycle comes before
    /// more than that has passed
    #[arg(long, value_name = "TIME", value_parser = Period::time, conflicts_with = "period")]
    cycle_within: Option<u64>,
    /// Check the invariants of a Gamma model instead of assuming them
    #[arg(long)]
    check_invariants: bool,
    /// Of a C program, how wide integer types are: ILP32 (`long` and pointers have 32 bits) or LP64 (64 bits)
    #[arg(long, default_value_t, value_name = "MODEL", value_parser = str::parse::<DataModel>)]
    data_model: DataModel,
    /// Of a file of tasks that are about several models, the number of the one to look at; without it, `check` looks at
    /// all of them, in turn
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    task: Option<u32>,
}

impl From<ReadingArgs> for Reading {
    fn from(args: ReadingArgs) -> Self {
        let invariants = if args.check_invariants { Invariants::Checked } else { Invariants::Assumed };
        let (component, values) = match &args.component {
            None => (None, None),
            Some(text) => match text.split_once('(') {
                None => (Some(text.trim().to_owned()), None),
                Some((name, values)) => {
                    let values = values.trim_end();
                    let values = values.strip_suffix(')').unwrap_or(values).trim();
                    (Some(name.trim().to_owned()), (!values.is_empty()).then(|| values.to_owned()))
                }
            },
        };
        Reading {
            component,
            arguments: values.into_iter().collect(),
            period: args.period,
            cycle_within: args.cycle_within,
            invariants,
            cover: vec![],
            task: args.task.map(|number| number as usize),
            data_model: args.data_model,
        }
    }
}

/// How much a command may use that does not search.
#[derive(Args, Copy, Clone, Debug)]
pub struct LimitArgs {
    /// Stop after this time, for example 500ms, 60s, 2m; a number alone is in seconds
    #[arg(long, value_name = "TIME", value_parser = limits::duration, allow_hyphen_values = true)]
    timeout: Option<Duration>,
    /// Stop when the program uses this much memory, for example 500MB, 4GB
    #[arg(long, value_name = "SIZE", value_parser = limits::size, allow_hyphen_values = true)]
    memory_limit: Option<u64>,
}

impl From<LimitArgs> for Limits {
    fn from(args: LimitArgs) -> Self {
        Limits { timeout: args.timeout, memory: args.memory_limit }
    }
}

/// What is done with traces.
#[derive(Subcommand, Debug)]
pub enum TraceCommand {
    /// Show a trace: what happened in each step, and what it changed
    #[command(after_help = TRACE)]
    Show {
        /// The trace
        file: PathBuf,
        /// Every variable in every state
        #[arg(long)]
        full: bool,
        /// Print the trace as JSON
        #[arg(long)]
        json: bool,
    },
    /// Execute a trace again, step by step
    #[command(after_help = TRACE.to_owned() + "\n  thetis trace replay traffic_light.xsts run.json")]
    Replay {
        /// The model
        model: PathBuf,
        /// The trace
        file: PathBuf,
        /// How the model is meant
        #[command(flatten)]
        reading: ReadingArgs,
        /// Print the trace as JSON
        #[arg(long)]
        json: bool,
        /// How much it may use
        #[command(flatten)]
        limits: LimitArgs,
    },
    /// Write a trace in another format
    #[command(after_help = TRACE.to_owned() + "\n  thetis trace export run.json --format dot -o run.dot")]
    Export {
        /// The trace
        file: PathBuf,
        /// How the model is meant
        #[command(flatten)]
        reading: ReadingArgs,
        /// The format
        #[arg(long, value_enum, required_unless_present = "json")]
        format: Option<TraceFormat>,
        /// Where to; stdout if not given
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// The same as --format json
        #[arg(long, conflicts_with = "format")]
        json: bool,
    },
}

/// The forms of a trace.
#[derive(Copy, Clone, Debug, ValueEnum)]
pub enum TraceFormat {
    /// Thetis' own
    Json,
    /// A picture for Graphviz
    Dot,
    /// The Informal Trace Format
    Itf,
    /// The counterexample text of the original xsts tool
    XstsCex,
    /// The XML trace of UPPAAL, for its models; the model that the trace names is read
    Uppaal,
    /// An execution trace of Gamma, for its models; the model that the trace names is read
    Get,
}

/// The pages of the manual that are made from the program.
#[derive(Copy, Clone, Debug, Default, ValueEnum)]
enum Page {
    /// The command line
    #[default]
    Cli,
    /// The codes
    Codes,
}

/// The names of the languages that models are written in.
fn languages() -> PossibleValuesParser {
    lang::FRONT_ENDS.iter().map(|language| PossibleValue::new(language.name).help(language.title)).into()
}

/// A line for each of them.
fn language_examples() -> String {
    let lines = lang::FRONT_ENDS.iter().map(|language| format!("\n  thetis language {}", language.name));
    format!("Examples:{}", lines.collect::<String>())
}

/// The states that properties look at.
#[derive(Copy, Clone, Debug, Default, ValueEnum)]
enum States {
    /// Every state: before `init`, between `env` and `trans`, and after `trans`.
    #[default]
    All,
    /// Only the states after `init` and after `trans`.
    Stable,
}

impl From<States> for CheckStates {
    fn from(states: States) -> Self {
        match states {
            States::All => CheckStates::All,
            States::Stable => CheckStates::Stable,
        }
    }
}

/// What becomes of runs that get stuck.
#[derive(Copy, Clone, Debug, ValueEnum)]
enum Stuck {
    /// They do not count: only infinite runs do, and finite ones that have violated the property already.
    Ignore,
    /// Their last state is repeated for ever.
    Repeat,
    /// Their last state is repeated for ever; and time may pass for ever where nothing has to happen.
    Idle,
}

/// Whether Zeno runs count.
#[derive(Copy, Clone, Debug, Default, ValueEnum)]
enum Zeno {
    /// They do, as in UPPAAL.
    #[default]
    Allow,
    /// Only runs count in which time diverges, or that end.
    Forbid,
}

impl From<Zeno> for ZenoRuns {
    fn from(zeno: Zeno) -> Self {
        match zeno {
            Zeno::Allow => ZenoRuns::Allow,
            Zeno::Forbid => ZenoRuns::Forbid,
        }
    }
}

impl From<Stuck> for StuckRuns {
    fn from(stuck: Stuck) -> Self {
        match stuck {
            Stuck::Ignore => StuckRuns::Ignore,
            Stuck::Repeat => StuckRuns::Repeat,
            Stuck::Idle => StuckRuns::Idle,
        }
    }
}

/// Variables by type, enumerations, sections, places that may go wrong, features used.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  thetis example traffic_light > traffic_light.xsts\n  thetis info traffic_light.xsts"
)]
struct InfoArgs {
    /// The model
    model: PathBuf,
    #[command(flatten)]
    reading: ReadingArgs,
    /// What preprocessing would do before a search for this property, instead of the model's own
    #[arg(short, long, value_name = "PROP", allow_hyphen_values = true)]
    property: Option<String>,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// XSTS can be brought into normal form: current spelling, one statement on each line. Petri nets become
/// XSTS, with a variable for each place. UPPAAL models become XML documents, with positions for what has none.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  thetis example traffic_light > traffic_light.xsts\n  thetis convert traffic_light.xsts -"
)]
struct ConvertArgs {
    /// The model
    input: PathBuf,
    /// Where to, by extension; `-` for stdout
    output: PathBuf,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Print errors as JSON
    #[arg(long)]
    json: bool,
}

/// Re-executes a trace step by step, or checks that the states or formulas of a certificate contain every
/// initial state and every successor. Exit code 0 if the file is right, 2 if it is not.
#[derive(Args, Debug)]
#[command(after_help = VALIDATE)]
struct ValidateArgs {
    /// The model
    model: PathBuf,
    #[command(flatten)]
    reading: ReadingArgs,
    /// The trace or certificate
    file: PathBuf,
    /// The property it is to be about, instead of the one it names. Which states and runs are looked at is said by the
    /// options that `thetis check` has for that
    #[arg(short, long, value_name = "PROP", allow_hyphen_values = true, group = "about")]
    property: Option<String>,
    /// The same about a formula of linear temporal logic
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true, group = "about")]
    ltl: Option<String>,
    /// The same about the property in a file
    #[arg(long, value_name = "FILE", group = "about")]
    property_file: Option<PathBuf>,
    /// The same about the model's own property, as it is now
    #[arg(long, group = "about")]
    own: bool,
    /// With a property: which of several, as `thetis check` numbers the files that it writes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), requires = "about")]
    number: Option<u32>,
    /// With a property: which states it looks at
    #[arg(long, value_enum, default_value_t, value_name = "WHICH", requires = "about")]
    check_states: States,
    /// With a property: ask only about the first T time units of every run
    #[arg(long, value_name = "T", value_parser = ir::within::amount, allow_negative_numbers = true, requires = "about")]
    within: Option<u64>,
    /// With a property: what becomes of runs that get stuck
    #[arg(long, value_enum, value_name = "HOW", requires = "about")]
    stuck_runs: Option<Stuck>,
    /// With a property: whether infinite runs count that take a bounded time
    #[arg(long, value_enum, value_name = "HOW", default_value_t, requires = "about")]
    zeno: Zeno,
    /// With a property: look only at runs that are fair to ITEM
    #[arg(long, value_name = "HOW:ITEM", value_parser = str::parse::<Fair>, requires = "about")]
    fair: Vec<Fair>,
    /// With a property: look only at runs that satisfy this formula of linear temporal logic
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true, requires = "about")]
    assume_ltl: Vec<String>,
    /// Write what makes an invariant or a set of zones one as SMT-LIB files, for any other solver
    #[arg(long, value_name = "DIR")]
    obligations: Option<PathBuf>,
    #[command(flatten)]
    checker: CheckerArgs,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

/// Who checks evidence.
#[derive(Args, Debug)]
struct CheckerArgs {
    /// Which checker judges runs and certificates: the fast one, or the reference checker, which is short enough to be
    /// read and may take a thousand times as long
    #[arg(long, value_enum, default_value_t, value_name = "CHECKER")]
    certify: CheckerName,
    /// Which solver the reference checker asks: z3, or smtlib:COMMAND for any other program that speaks SMT-LIB 2
    #[arg(long, value_name = "SOLVER", value_parser = solver, default_value = "z3")]
    solver: SolverName,
}

/// The checkers by name.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug, ValueEnum)]
enum CheckerName {
    #[default]
    Fast,
    Reference,
}

/// A solver of one's choice.
#[derive(Clone, PartialEq, Eq, Debug)]
struct SolverName(SolverChoice);

impl std::fmt::Display for SolverName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            SolverChoice::Z3 => f.write_str("z3"),
            SolverChoice::Smtlib(command) => write!(f, "smtlib:{command}"),
        }
    }
}

fn solver(text: &str) -> Result<SolverName, String> {
    match (text, text.strip_prefix("smtlib:")) {
        ("z3", _) => Ok(SolverName(SolverChoice::Z3)),
        (_, Some(command)) if !command.trim().is_empty() => {
            Ok(SolverName(SolverChoice::Smtlib(command.to_owned())))
        }
        _ => {
            Err("`z3` or `smtlib:` with a command is needed, for example `smtlib:cvc5 --incremental`"
                .to_owned())
        }
    }
}

impl CheckerArgs {
    /// The checker; a solver of one's choice chooses the one that can ask it.
    fn checker(self) -> Checker {
        match (self.certify, self.solver.0) {
            (CheckerName::Fast, SolverChoice::Z3) => Checker::Fast,
            (_, solver) => Checker::Reference(solver),
        }
    }
}

/// Atoms are plain names here, or any text in double quotes. The first line is the formula as it was read, with
/// patterns such as `response(p, s) after q` written out. A word has a letter for each state, and the last ones are
/// repeated for ever: `p; !q; cycle{p & q}`.
#[derive(Args, Debug)]
#[command(after_help = LTL)]
struct LtlArgs {
    /// The formula
    #[arg(allow_hyphen_values = true)]
    formula: String,
    /// How it is shown
    #[arg(long, value_enum, default_value_t)]
    format: formula::Format,
    /// Show the negated formula, whose automaton is the one that a search looks for
    #[arg(long)]
    negate: bool,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

/// The first line is `ready` or `not ready (reason)`. Limits are tried, not believed, which takes about a
/// second. Other solvers that are found are listed; none of them is needed.
#[derive(Args, Debug)]
#[command(after_help = DOCTOR)]
struct DoctorArgs {
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// What the engines are, by their descriptions.
fn engines() -> String {
    let described = |engine: &Engine| format!("{engine} ({})", engine.description().title);
    let list: Vec<String> = Engine::ALL.iter().map(described).collect();
    format!("The algorithm: {}", list.join(", "))
}

/// A way to interpolate; another program has a name.
fn interpolation(text: &str) -> Result<smt::Strategy, String> {
    match text.parse() {
        Ok(smt::Strategy::Smtlib(command)) if command.trim().is_empty() => {
            Err("`smtlib:` is followed by a command, for example `smtlib:opensmt -p`".to_owned())
        }
        Ok(strategy) => Ok(strategy),
        Err(error) => Err(error.to_string()),
    }
}

/// A whole number that is not negative.
fn whole(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "a whole number is needed, for example 100".to_owned())
}

/// Runs the program with these arguments, the first of which is its name.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let console = Console::new();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if theta::is_called(arguments.first()) {
        return theta::main(&arguments[1..], &console);
    }
    let json = arguments.iter().take_while(|word| *word != "--").any(|word| word == "--json");
    let exit = match Cli::try_parse_from(arguments) {
        Ok(cli) => {
            let json = cli.command.json();
            run(cli.command, &console).unwrap_or_else(|failure| tell(&failure, json, &console))
        }
        Err(error) => {
            // Help and version are what was asked for; everything else is bad usage.
            let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            let printed = error.print().and_then(|()| std::io::stdout().flush());
            if asked {
                console.keep(printed);
            } else if json {
                let message = error.render().to_string();
                let message = message.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
                console.json(&Failure::Refused(Told::new("usage", message.trim())).json());
            }
            if asked { Exit::Holds } else { Exit::Input }
        }
    };
    console.finish(exit)
}

fn tell(failure: &Failure, json: bool, console: &Console) -> Exit {
    if json {
        console.json(&failure.json());
    }
    match failure {
        Failure::Unknown(told) if !json => {
            console.line(failure);
            if let Some(details) = &told.details {
                console.note(format!("note: {details}"));
            }
        }
        Failure::Unknown(_) => {}
        _ => console.note(failure),
    }
    failure.exit()
}

impl Command {
    fn json(&self) -> bool {
        match self {
            Command::Check(args) => args.json,
            Command::Simulate(args) => args.json,
            Command::Trace(
                TraceCommand::Show { json, .. }
                | TraceCommand::Replay { json, .. }
                | TraceCommand::Export { json, .. },
            ) => *json,
            Command::Info(args) => args.json,
            Command::Convert(args) => args.json,
            Command::Validate(args) => args.json,
            Command::Campaign(command) => command.json(),
            Command::Doctor(args) => args.json,
            Command::Ltl(args) => args.json || args.format == formula::Format::Json,
            Command::Manual { .. }
            | Command::Explain { .. }
            | Command::Example { .. }
            | Command::Language { .. }
            | Command::Theta { .. } => false,
        }
    }
}

fn run(command: Command, console: &Console) -> Result<Exit, Failure> {
    match command {
        Command::Check(args) => {
            let args = *args;
            let (engine, chosen_by) = configuration::engine(&args.choices());
            let config = args.config(engine).map_err(|error| {
                Failure::Refused(Told::new(error.code(), words::clash(&error, chosen_by.as_ref())))
            })?;
            let reading = Reading { cover: args.cover.clone(), ..args.reading.clone().into() };
            let options = check::Options {
                reading,
                narrowing: args.narrowing(),
                properties: args
                    .property
                    .into_iter()
                    .chain(args.errorloc.iter().map(|name| format!("unreachable {name}")))
                    .collect(),
                formulas: args.ltl,
                never: args.never,
                option: None,
                property_files: args.properties.into_iter().chain(args.property_file).collect(),
                all: args.all,
                config,
                chosen_by,
                limits: Limits { timeout: args.timeout, memory: args.memory_limit },
                trace: args.trace,
                certificate: args.certificate,
                graph: args.cegar.arg,
                obligations: args.obligations,
                certify: Certification((!args.no_certify).then(|| args.checker.checker())),
                check_states: args.check_states.into(),
                within: args.within,
                stuck_runs: args.stuck_runs.map(Into::into),
                zeno: args.zeno.into(),
                fair: args.fair,
                assumptions: args.assume_ltl,
                no_vacuity: args.no_vacuity,
                expected: args.expect,
                json: args.json,
                verbose: args.verbose,
            };
            check::run(&args.model, &options, console)
        }
        Command::Simulate(args) => {
            let options = simulate::Options {
                reading: args.reading.into(),
                random: args.random.then_some((args.seed, usize::try_from(args.steps).unwrap_or(usize::MAX))),
                follow: args.follow,
                property: args.property,
                trace: args.trace,
                json: args.json,
                interactive: std::io::stdin().is_terminal(),
                limits: args.limits.into(),
            };
            simulate::run(&args.model, &options, console)
        }
        Command::Trace(command) => trace::run(command, console),
        Command::Info(args) => {
            let loaded = load::load(&args.model, &args.reading.into(), console)?;
            info::run(loaded, args.property.as_deref(), args.json, console)
        }
        Command::Convert(args) => convert::run(&args.input, &args.output, &args.reading.into(), console),
        Command::Validate(args) => {
            let scope = Scope {
                check_states: args.check_states.into(),
                within: args.within,
                stuck: args.stuck_runs.map(|stuck| StuckRuns::from(stuck).into()),
                fair: args.fair,
                zeno: ZenoRuns::from(args.zeno).into(),
            };
            let reading: Reading = args.reading.into();
            // A property is read as `check` reads it.
            let about = validate::Asking {
                questions: check::Options {
                    reading: reading.clone(),
                    properties: args.property.into_iter().collect(),
                    formulas: args.ltl.into_iter().collect(),
                    property_files: args.property_file.into_iter().collect(),
                    assumptions: args.assume_ltl,
                    all: args.own,
                    ..check::Options::default()
                },
                number: args.number.map(|number| number as usize),
                scope,
            };
            let options = validate::Options {
                reading,
                about: about.is_given().then_some(&about),
                obligations: args.obligations.as_deref(),
                checker: args.checker.checker(),
                limits: args.limits.into(),
                json: args.json,
            };
            validate::run(&args.model, &args.file, options, console)
        }
        Command::Campaign(command) => campaign::run(command, console),
        Command::Doctor(args) => doctor::run(args.json, console),
        Command::Ltl(args) => {
            let format = if args.json { formula::Format::Json } else { args.format };
            formula::run(&args.formula, format, args.negate, args.limits.into(), console)
        }
        Command::Explain { code } => {
            console.print(code.map_or_else(|| Ok(words::list()), |code| words::explain(&code))?);
            Ok(Exit::Holds)
        }
        Command::Example { name } => {
            console.print(guide::example(name.as_deref())?);
            Ok(Exit::Holds)
        }
        Command::Language { name } => {
            console.print(guide::language(&name)?);
            Ok(Exit::Holds)
        }
        Command::Theta { arguments } => Ok(theta::main(&arguments, console)),
        Command::Manual { page } => {
            console.print(match page {
                Page::Cli => manual(),
                Page::Codes => words::page(),
            });
            Ok(Exit::Holds)
        }
    }
}

/// The choices that one option of `thetis check` makes, if it is one; what is wrong with it, if it is not.
pub(crate) fn choices_of(option: &str) -> Result<Vec<Choice>, String> {
    let words = ["thetis", "check", "model", option];
    match Cli::try_parse_from(words).map(|cli| cli.command) {
        Ok(Command::Check(args)) => Ok(args.choices()),
        Ok(_) => Ok(vec![]),
        Err(error) => {
            let message = error.render().to_string();
            let message = message.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
            Err(message.split_whitespace().collect::<Vec<_>>().join(" "))
        }
    }
}

/// The manual page `docs/cli.md`, made from the definitions above.
pub fn manual() -> String {
    let mut text =
        String::from("# The command line\n\n<!-- Made by `thetis manual`; a test compares the two. -->\n\n");
    let mut root = Cli::command().term_width(100);
    root.build();
    let mut page = |title: &str, command: &clap::Command| {
        let help = command.clone().render_long_help().to_string();
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        text += &format!("## {title}\n\n```text\n{}\n```\n\n", lines.join("\n").trim_end());
    };
    page("thetis", &root);
    for command in
        root.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help")
    {
        page(&format!("thetis {}", command.get_name()), command);
        let shown = |inner: &&clap::Command| inner.get_name() != "help" && !inner.is_hide_set();
        for inner in command.get_subcommands().filter(shown) {
            page(&format!("thetis {} {}", command.get_name(), inner.get_name()), inner);
        }
    }
    text.trim_end().to_owned() + "\n"
}
