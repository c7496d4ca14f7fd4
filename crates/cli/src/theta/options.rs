//! The flags of the original xsts, cfa and sts programs, of all their releases at once.

use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use engine::{Cegar, ClockStrategy, Config, ConfigError, Domain, Engine, ZoneStrategy};
use lang::nearest::nearest;
use thetis::{CheckStates, Limits};

use crate::exit::Failure;
use crate::limits;
use crate::words::{self, Told};
use thetis::trace::cex::Style;

/// What is to be done.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) mode: Mode,
    model: Option<PathBuf>,
    pub(super) property: Option<Asked>,
    pub(super) config: Config,
    /// Which states properties look at.
    pub(super) check_states: CheckStates,
    pub(super) limits: Limits,
    /// Where a counterexample goes, and how it looks.
    pub(super) cex: Option<PathBuf>,
    pub(super) style: Style,
    /// Where a picture of it goes.
    pub(super) visualize: Option<PathBuf>,
    /// Whether a row of numbers is printed instead of the result.
    pub(super) benchmark: bool,
}

/// What the program does.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Check,
    Metrics,
    Header,
    Version,
    Help,
}

/// How a property is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Asked {
    Text(String),
    File(PathBuf),
    /// A formula about whole runs.
    Formula(String),
}

impl Options {
    /// The model, which is needed for all that looks at one.
    pub(super) fn model(&self) -> Result<&Path, Failure> {
        self.model.as_deref().ok_or_else(|| Failure::Input("`--model FILE` is missing".to_owned()))
    }
}

pub(super) const HELP: &str = "\
Thetis, called like the original xsts program. The last line on stdout is (SafetyResult Safe),
(SafetyResult Unsafe Trace length: N) or (SafetyResult Unknown); the exit code is 1 after an error, else 0.

Usage: theta-xsts-cli [CEGAR|BOUNDED|MDD|PN_MDD|CHC|IC3|LTLCEGAR|metrics|header] --model FILE [OPTION...]
       theta-cfa-cli, theta-sts-cli [the same]

  --model FILE                      the model
  --property TEXT|FILE              the property; a name that ends in .prop is a file
  --inline-property TEXT            the property
  --pn-property KIND                of a Petri net: FULL_EXPLORATION, TARGET_MARKING, DEADLOCK, PN_SAFE
  --errorloc NAME                   of a control-flow automaton: this location is never reached
  --cex FILE, --cexfile FILE        write a counterexample
  --cex-layout multiline|folded     short elements on lines of their own, or folded (Gamma needs the first)
  --cex-literals qualified|bare     literals with their types, or without
  --visualize FILE                  write a counterexample as DOT
  --domain, --refinement, --search, --maxenum, --initprec, --predsplit, --prunestrategy, --autoexpl
                                    a configuration of abstraction refinement; without any, Thetis chooses
  --clockstrategy RAT_ENCODE|CF_SPLIT_ALL|CF_SPLIT_FILTERCF
                                    what is done with clocks: rational variables, or statements split into
                                    alternatives, all of them or those that the abstract data allow
  --combined                        abstract zones for clocks, beside the abstraction of data
  --zonestrategy BW_ITP|FW_ITP|LU   how these zones are refined
  --ltl-expression FORMULA          with LTLCEGAR: what is to hold on every run, in linear temporal logic
  --envtran-separation COMBINED|SEPARATE
                                    with LTLCEGAR: the formula reads all states, or only those after init and after
                                    trans, as the original does with --domain EXPL and not as its help says
  --search-strategy GDFS|NDFS|FULL  with LTLCEGAR: how accepting cycles are looked for; `GDFS` misses none here
  --refiner-strategy DIRECT_REFINEMENT|BOUNDED_UNROLLING
                                    with LTLCEGAR: how abstract lassos are excluded; unrolling keeps the stem here
  --ltl2buchi-command               with LTLCEGAR: makes no difference here
  --benchmark [true|false]          print a row of numbers instead; --header prints what they are
  --metrics, --version, --help      instead of checking
  --timeout TIME, --memory-limit SIZE
                                    stop after this, with (SafetyResult Unknown)
";

/// What follows a flag.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Takes {
    Nothing,
    Value,
    /// `true` or `false`, or nothing.
    Truth,
}

/// All flags; those that make no difference here are known, so that calls need not change.
const FLAGS: &[(&str, Takes)] = &[
    ("model", Takes::Value),
    ("property", Takes::Value),
    ("inline-property", Takes::Value),
    ("pn-property", Takes::Value),
    ("errorloc", Takes::Value),
    ("error-loc", Takes::Value),
    ("initialmarking", Takes::Value),
    ("cex", Takes::Value),
    ("cexfile", Takes::Value),
    ("cex-layout", Takes::Value),
    ("cex-literals", Takes::Value),
    ("visualize", Takes::Value),
    ("domain", Takes::Value),
    ("refinement", Takes::Value),
    ("search", Takes::Value),
    ("maxenum", Takes::Value),
    ("initprec", Takes::Value),
    ("predsplit", Takes::Value),
    ("prunestrategy", Takes::Value),
    ("autoexpl", Takes::Value),
    ("clockstrategy", Takes::Value),
    ("clock-strategy", Takes::Value),
    ("zonestrategy", Takes::Value),
    ("zone-strategy", Takes::Value),
    ("combined", Takes::Nothing),
    ("ltl-expression", Takes::Value),
    ("ltl2buchi-command", Takes::Value),
    ("search-strategy", Takes::Value),
    ("refiner-strategy", Takes::Value),
    ("envtran-separation", Takes::Value),
    ("algorithm", Takes::Value),
    ("variant", Takes::Value),
    ("timeout", Takes::Value),
    ("memory-limit", Takes::Value),
    ("benchmark", Takes::Truth),
    ("metrics", Takes::Nothing),
    ("header", Takes::Nothing),
    ("version", Takes::Nothing),
    ("help", Takes::Nothing),
    ("tracegen", Takes::Nothing),
    // Without a difference here.
    ("stacktrace", Takes::Nothing),
    ("no-stuck-check", Takes::Nothing),
    ("loglevel", Takes::Value),
    ("log-level", Takes::Value),
    ("optimizestmts", Takes::Value),
    ("encoding", Takes::Value),
    ("precgranularity", Takes::Value),
    ("prec-granularity", Takes::Value),
    ("flatten-depth", Takes::Value),
    ("solver", Takes::Value),
    ("refinement-solver", Takes::Value),
    ("abstraction-solver", Takes::Value),
    ("smt-home", Takes::Value),
    ("iteration-strategy", Takes::Value),
    ("reversed", Takes::Nothing),
    ("livetosafe", Takes::Nothing),
    ("abstracted", Takes::Nothing),
];

/// The words a command line of the newer style begins with: those answered by a configuration of our own,
/// and those that are not supported.
const ANSWERED: &[&str] =
    &["CEGAR", "BOUNDED", "BMC", "KINDUCTION", "IMC", "MDD", "PN_MDD", "CHC", "IC3", "LTLCEGAR"];
/// The flags of `LTLCEGAR`.
const LTL_FLAGS: &[&str] =
    &["ltl-expression", "ltl2buchi-command", "search-strategy", "refiner-strategy", "envtran-separation"];
const REFUSED: &[(&str, &str)] = &[
    ("CTL", "CTL properties are not supported yet"),
    ("TRACEGEN", "generating all traces is not supported"),
];

/// Reads a command line; notes say what is done another way than asked.
pub(super) fn read(arguments: &[OsString]) -> Result<(Options, Vec<String>), Failure> {
    let mut words = vec![];
    for argument in arguments {
        let text = argument.to_str();
        let unreadable = || Failure::Input(format!("`{}` is no UTF-8 text", argument.display()));
        words.push(text.ok_or_else(unreadable)?);
    }
    let mut options = Options {
        mode: Mode::Check,
        model: None,
        property: None,
        config: Config::default(),
        check_states: CheckStates::default(),
        limits: Limits::default(),
        cex: None,
        style: Style::default(),
        visualize: None,
        benchmark: false,
    };
    let mut reader = Reader { options: &mut options, notes: vec![], choices: Choices::default() };
    let mut rest = words.as_slice();
    if words.is_empty() {
        reader.options.mode = Mode::Help;
    }
    if let Some((first, others)) = words.split_first()
        && !first.starts_with('-')
    {
        reader.command(first)?;
        rest = others;
    }
    while let Some((word, others)) = rest.split_first() {
        rest = others;
        let Some(flag) = word.strip_prefix("--") else {
            return Err(Failure::Input(format!("`{word}` is no option; options begin with `--`")));
        };
        let (name, mut value) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (flag, None),
        };
        let known = FLAGS.iter().find(|(known, _)| *known == plain(name));
        let Some((known, takes)) = known else { return Err(unknown(name)) };
        match takes {
            Takes::Value if value.is_none() => {
                let missing = || Failure::Input(format!("`--{name}` is followed by a value"));
                let (next, others) = rest.split_first().ok_or_else(missing)?;
                (value, rest) = (Some(*next), others);
            }
            Takes::Truth if value.is_none() => {
                if let Some((next @ (&"true" | &"false"), others)) = rest.split_first() {
                    (value, rest) = (Some(*next), others);
                }
            }
            Takes::Nothing if value.is_some() => {
                return Err(Failure::Input(format!("`--{name}` takes no value")));
            }
            _ => {}
        }
        reader.flag(known, value.unwrap_or_default())?;
    }
    reader.configure()?;
    let notes = reader.notes;
    Ok((options, notes))
}

/// Newer releases write `--logLevel` as `--log-level`.
fn plain(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            text.push('-');
        }
        text.push(c.to_ascii_lowercase());
    }
    text
}

fn unknown(name: &str) -> Failure {
    let near = nearest(name, FLAGS.iter().map(|(known, _)| *known));
    let near =
        near.map_or_else(|| "`--help` lists all".to_owned(), |near| format!("did you mean `--{near}`?"));
    Failure::Input(format!("there is no option `--{name}`; {near}"))
}

/// The configuration as it was given.
#[derive(Default)]
struct Choices {
    chosen: bool,
    cegar: Cegar,
    clocks: Option<ClockStrategy>,
    zones: Option<ZoneStrategy>,
    combined: bool,
    /// Whether the command is `LTLCEGAR`.
    temporal: bool,
    /// The flags that go with that command only, with their values.
    of_temporal: Vec<(&'static str, String)>,
    /// The flags that were given, as far as that command is to know.
    given: Vec<&'static str>,
}

struct Reader<'a> {
    options: &'a mut Options,
    notes: Vec<String>,
    choices: Choices,
}

impl Reader<'_> {
    fn command(&mut self, word: &str) -> Result<(), Failure> {
        let upper = word.to_ascii_uppercase();
        match upper.as_str() {
            "METRICS" => self.options.mode = Mode::Metrics,
            "HEADER" => self.options.mode = Mode::Header,
            "CEGAR" => {}
            "LTLCEGAR" => self.choices.temporal = true,
            _ if ANSWERED.contains(&upper.as_str()) => self.instead(&upper),
            _ => {
                if let Some((_, why)) = REFUSED.iter().find(|(name, _)| *name == upper) {
                    return Err(Failure::Input(format!("`{word}`: {why}")));
                }
                let near = nearest(&upper, ANSWERED.iter().copied());
                let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                return Err(Failure::Input(format!("there is no command `{word}`{near}")));
            }
        }
        Ok(())
    }
    fn instead(&mut self, what: &str) {
        // Bounded search and induction are part of the default.
        let why = match what {
            "BOUNDED" | "BMC" | "KINDUCTION" => "is one of several here",
            _ => "does not exist here",
        };
        self.notes.push(format!("`{what}` {why}; the default configuration answers instead"));
    }
    fn flag(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        let options = &mut *self.options;
        if let Some((known, _)) = FLAGS.iter().find(|(known, _)| *known == name) {
            self.choices.given.push(known);
        }
        match name {
            "model" => options.model = Some(value.into()),
            "property" if value.ends_with(".prop") || Path::new(value).is_file() => {
                options.property = Some(Asked::File(value.into()));
            }
            "property" => options.property = Some(Asked::Text(value.to_owned())),
            // A file has priority.
            "inline-property" if options.property.is_none() => {
                options.property = Some(Asked::Text(value.to_owned()));
            }
            "pn-property" => {
                let text = match value.to_ascii_uppercase().as_str() {
                    "FULL_EXPLORATION" => "true",
                    "DEADLOCK" => "deadlock-free",
                    "PN_SAFE" => "1-safe",
                    "TARGET_MARKING" => return Ok(()),
                    _ => {
                        let known = "FULL_EXPLORATION, TARGET_MARKING, DEADLOCK or PN_SAFE";
                        return Err(Failure::Input(format!("`--pn-property {value}`: choose {known}")));
                    }
                };
                options.property = Some(Asked::Text(text.to_owned()));
            }
            "errorloc" | "error-loc" => options.property = Some(Asked::Text(format!("unreachable {value}"))),
            "encoding" => options.config.encoding = choice(name, value)?,
            "precgranularity" | "prec-granularity" => one_of(name, value, &["GLOBAL", "LOCAL"])?,
            "search" if value.eq_ignore_ascii_case("ERR") => {
                self.notes
                    .push("`--search ERR` does not exist here; states are searched breadth first".to_owned());
            }
            "initialmarking" if !value.is_empty() => {
                let message = "`--initialmarking` is not supported; write the marking into the net";
                return Err(Failure::Input(message.to_owned()));
            }
            "cex" | "cexfile" => options.cex = Some(value.into()),
            "cex-layout" => options.style.folded = either(name, value, "multiline", "folded")?,
            "cex-literals" => options.style.bare = either(name, value, "qualified", "bare")?,
            "visualize" => options.visualize = Some(value.into()),
            "timeout" => options.limits.timeout = Some(limited(name, limits::duration(value))?),
            "memory-limit" => options.limits.memory = Some(limited(name, limits::size(value))?),
            "benchmark" => options.benchmark = value != "false",
            "metrics" => options.mode = Mode::Metrics,
            "header" => options.mode = Mode::Header,
            "version" => options.mode = Mode::Version,
            "help" => options.mode = Mode::Help,
            "tracegen" => return self.command("TRACEGEN"),
            "algorithm" => return self.command(value),
            "ltl-expression" | "ltl2buchi-command" | "search-strategy" | "refiner-strategy"
            | "envtran-separation" => {
                let known = LTL_FLAGS.iter().find(|known| **known == name).copied().unwrap_or_default();
                self.choices.of_temporal.push((known, value.to_owned()));
            }
            "search" => options.config.search = choice(name, value)?,
            "domain" | "refinement" | "maxenum" | "initprec" | "predsplit" | "prunestrategy" | "autoexpl"
            | "clockstrategy" | "clock-strategy" | "zonestrategy" | "zone-strategy" | "combined" => {
                return self.choose(name, value);
            }
            _ => {}
        }
        Ok(())
    }
    fn choose(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        self.choices.chosen = true;
        let cegar = &mut self.choices.cegar;
        match name {
            "domain" => cegar.domain = choice(name, value)?,
            // Those over live variables that are missing here differ in the size of their predicates only.
            "refinement" => {
                let upper = value.to_ascii_uppercase();
                let nearest = upper.strip_suffix("_LV").filter(|_| upper.starts_with("NWT_IT"));
                cegar.refinement = choice(name, nearest.unwrap_or(value))?;
            }
            "maxenum" => cegar.max_enum = Some(choice(name, value)?),
            "initprec" => cegar.initial_precision = Some(choice(name, value)?),
            "predsplit" => cegar.predicate_split = Some(choice(name, value)?),
            "prunestrategy" => cegar.prune = choice(name, value)?,
            "clockstrategy" | "clock-strategy" => self.choices.clocks = Some(choice(name, value)?),
            "zonestrategy" | "zone-strategy" => self.choices.zones = Some(choice(name, value)?),
            "combined" => self.choices.combined = true,
            _ => cegar.auto_expl = Some(choice(name, value)?),
        }
        Ok(())
    }
    /// The question of `LTLCEGAR`. Whoever chooses how lassos are refined gets that, and else the default configuration
    /// answers. What the original takes and does not look at is refused.
    fn ask_about_runs(&mut self) -> Result<(), Failure> {
        let given = std::mem::take(&mut self.choices.given);
        let ignored = ["refinement", "refinement-solver", "maxenum", "prunestrategy", "autoexpl", "search"];
        if let Some(flag) = given.iter().find(|flag| ignored.contains(flag)) {
            let message = format!("`LTLCEGAR` of the original takes no notice of `--{flag}`; leave it out");
            return Err(Failure::Input(message));
        }
        let domain = given.contains(&"domain").then_some(self.choices.cegar.domain);
        let products =
            [Domain::ExplPredCart, Domain::ExplPredBool, Domain::ExplPredSplit, Domain::ExplPredCombined];
        if domain.is_some_and(|domain| products.contains(&domain)) {
            let message = "`LTLCEGAR` of the original checks nothing with such a `--domain`: choose EXPL, PRED_CART, \
                           PRED_BOOL or PRED_SPLIT";
            return Err(Failure::Input(message.to_owned()));
        }
        let explicit = domain == Some(Domain::Expl);
        let (mut formula, mut separate) = (None, explicit);
        for (flag, value) in std::mem::take(&mut self.choices.of_temporal) {
            match flag {
                "ltl-expression" => formula = Some(value),
                "ltl2buchi-command" => {
                    self.notes.push(format!("`--{flag}` is not run: formulas are translated here"));
                }
                "search-strategy" => {
                    one_of(flag, &value, &["GDFS", "NDFS", "FULL"])?;
                    self.choices.cegar.lasso_search = choice(flag, &value)?;
                }
                "refiner-strategy" => {
                    one_of(flag, &value, &["DIRECT_REFINEMENT", "BOUNDED_UNROLLING"])?;
                    self.choices.cegar.lasso_refinement = choice(flag, &value)?;
                }
                _ => {
                    one_of(flag, &value, &["COMBINED", "SEPARATE"])?;
                    separate = value.eq_ignore_ascii_case("SEPARATE");
                    if separate && !explicit {
                        let message = "`--envtran-separation SEPARATE`: the original takes notice of it with `--domain \
                                       EXPL` only, and reads all states otherwise";
                        return Err(Failure::Input(message.to_owned()));
                    }
                }
            }
        }
        let missing = || Failure::Input("`--ltl-expression FORMULA` is missing".to_owned());
        self.options.property = Some(Asked::Formula(formula.ok_or_else(missing)?));
        if separate {
            self.options.check_states = CheckStates::Stable;
            self.notes.push("the formula reads the states after `init` and after `trans` only".to_owned());
        }
        self.options.config = Config::default();
        let chosen = ["domain", "predsplit", "initprec", "search-strategy", "refiner-strategy"];
        if !given.iter().any(|flag| chosen.contains(flag)) {
            return Ok(());
        }
        self.options.config.engine = Engine::Cegar;
        self.fit_domain();
        self.check()
    }
    /// Makes a configuration of the choices.
    fn configure(&mut self) -> Result<(), Failure> {
        if self.choices.temporal {
            return self.ask_about_runs();
        }
        if let Some((flag, _)) = self.choices.of_temporal.first() {
            return Err(Failure::Input(format!("`--{flag}` goes with the command `LTLCEGAR`")));
        }
        if !self.choices.chosen {
            return Ok(());
        }
        self.fit_domain();
        self.treat_clocks();
        self.check()
    }
    /// Takes the choices of refinement over; what does not go with the domain is dropped.
    fn fit_domain(&mut self) {
        let mut cegar = std::mem::take(&mut self.choices.cegar);
        let drops: [fn(&mut Cegar); 4] = [
            |cegar| cegar.predicate_split = None,
            |cegar| cegar.max_enum = None,
            |cegar| cegar.auto_expl = None,
            |cegar| cegar.initial_precision = None,
        ];
        for drop in drops {
            let Err(error) = cegar.check() else { break };
            let mut without = cegar.clone();
            drop(&mut without);
            if without.check().as_ref().err() != Some(&error) {
                self.notes.push(format!("{}; it is left out", words::clash(&error, None)));
                cegar = without;
            }
        }
        self.options.config.cegar = cegar;
    }
    /// Refuses choices that do not fit together.
    fn check(&self) -> Result<(), Failure> {
        let clash = |error: ConfigError| Told::new(error.code(), words::clash(&error, None));
        self.options.config.check().map_err(|error| Failure::Refused(clash(error)))
    }
    /// Zones for clocks if anything asks for them, and rationals if these are asked for.
    fn treat_clocks(&mut self) {
        let Choices { clocks, zones, combined, .. } = self.choices;
        let config = &mut self.options.config;
        config.clock_strategy = clocks;
        config.engine = Engine::Cegar;
        if clocks == Some(ClockStrategy::RatEncode) {
            let given = [("combined", combined), ("zonestrategy", zones.is_some())];
            for (name, _) in given.iter().filter(|(_, given)| *given) {
                self.notes.push(format!(
                    "`--{name}` does not go with `--clockstrategy RAT_ENCODE`, which leaves no clocks; it is left out"
                ));
            }
        } else if clocks.is_some() || zones.is_some() || combined {
            config.engine = Engine::Combined;
            config.zone_strategy = zones.unwrap_or_default();
        }
    }
}

/// A value of a choice; upper and lower case are the same.
fn choice<T: FromStr<Err: Display>>(name: &str, value: &str) -> Result<T, Failure> {
    value.parse().map_err(|error| Failure::Input(format!("`--{name} {value}`: {error}")))
}

fn limited<T>(name: &str, value: Result<T, String>) -> Result<T, Failure> {
    value.map_err(|why| Failure::Input(format!("`--{name}`: {why}")))
}

/// Refuses other words than these.
fn one_of(name: &str, value: &str, words: &[&str]) -> Result<(), Failure> {
    match words.iter().any(|word| word.eq_ignore_ascii_case(value)) {
        true => Ok(()),
        false => Err(Failure::Input(format!("`--{name} {value}`: choose {}", words.join(" or ")))),
    }
}

/// Whether the second of two words is given.
fn either(name: &str, value: &str, first: &str, second: &str) -> Result<bool, Failure> {
    match value {
        value if value == first => Ok(false),
        value if value == second => Ok(true),
        _ => Err(Failure::Input(format!("`--{name} {value}`: choose {first} or {second}"))),
    }
}
