//! Every model in `cases/` against what its header says.
//!
//! A header is the comment lines `// key: value` of a model:
//!
//! - `property: EXPR` asks a question; what follows is about it. What stands before the first one is about
//!   the model's own property.
//! - `states: stable` looks only at stable states.
//! - `options: search=dfs limit=100` runs one search order only, or limits the number of states.
//! - `expect: holds [states=N]`, `violated [steps=N]`, `fault KIND [line=N] [steps=N]`, `error "TEXT"` or
//!   `unknown "TEXT"`; each question has one. The number of steps is the shortest, found breadth first,
//!   unless a search order is given.
//! - `error: LINE: TEXT`, in `bad/` only: what is wrong with the model, everything and in order.
//!
//! Each question runs under every search order and some configurations of abstraction refinement, and is
//! certified; runs and certificates survive being
//! written and read. Where the naive reading is able, it must agree.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use engine::{
    AutoExpl, Cegar, ClockStrategy, Config, Domain, Engine, PredicateSplit, Prune, Quiet, Refinement, Search,
    Stop, ZoneStrategy,
};
use ir::Run;
use lang::{Reading, xsts};
use thetis::CheckStates;
use thetis::decide::{self, Judged};
use thetis::trace::lift::{Lift, Lower};
use thetis::trace::{self, Ends, PropertyRef};
use thetis::verdict::{Decided, Evidence, NoVerdict, Verdict};
use thetis::{Model, Posed, Scope, pose};
use thetis::{certificate, trace::table};
use thetis_cli::check::{self, Options};
use thetis_cli::console::Console;
use thetis_cli::exit::Failure;
use thetis_cli::load;

use common::{Patience, agreement, naive};

/// How many states the naive search may visit.
const NAIVE_STATES: usize = 3_000;

/// What the header of a model says.
#[derive(Debug, Default)]
struct Header {
    questions: Vec<Question>,
    /// Lines and messages.
    errors: Vec<(usize, String)>,
}

/// A property with what is expected of it.
#[derive(Debug, Default)]
struct Question {
    /// `None` for the model's own.
    property: Option<String>,
    states: CheckStates,
    search: Option<Search>,
    limit: Option<u64>,
    expect: Option<Expect>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Expect {
    Holds { states: Option<u64> },
    Violated { steps: Option<usize> },
    Fault { kind: String, line: Option<usize>, steps: Option<usize> },
    Error(String),
    Unknown(String),
}

#[test]
fn cases_are_as_their_headers_say() {
    let mut failures = vec![];
    let (mut answers, mut compared, mut decided, mut abstractions) = (0, 0, 0, 0);
    let paths = models("xsts");
    for path in &paths {
        let name = file_name(path);
        match run(path) {
            Ok((summary, abstracted)) => {
                answers += summary.len();
                compared += summary.iter().filter(|line| line.ends_with("the same")).count();
                decided += abstracted.iter().filter(|line| !line.contains(": open")).count();
                abstractions += abstracted.len();
                summary.iter().chain(&abstracted).for_each(|line| println!("{name}: {line}"));
            }
            Err(list) => failures.extend(list.iter().map(|why| format!("{name}: {why}"))),
        }
    }
    println!("{} models, {answers} answers, {compared} compared with the naive reading", paths.len());
    println!("{decided} of {abstractions} answers by abstraction refinement");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(compared * 2 > answers, "the naive reading was able to follow only {compared} of {answers}");
}

#[test]
fn bad_models_are_refused_with_everything_that_is_wrong() {
    let mut failures = vec![];
    for path in models("xsts/bad") {
        match refused(&path) {
            Ok(count) => println!("{}: {count} errors", file_name(&path)),
            Err(why) => failures.push(format!("{}: {why}", file_name(&path))),
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn headers_are_read_strictly() {
    let check = |text: &str, message: &str| {
        let why = header(text).map(|header| format!("{header:?}")).unwrap_err();
        assert!(why.contains(message), "{text}: {why}");
    };
    check("// expects: holds", "unknown key `expects`");
    check("// property: x > 0", "no expectation");
    check("// expect: holds\n// expect: violated", "two expectations");
    check("// expect: safe", "unknown expectation `safe`");
    check("// expect: holds steps=3", "`steps=3` does not belong here");
    check("// expect: violated steps=many", "`steps=many` does not belong here");
    check("// expect: error no quotes", "in quotes");
    check("// expect: holds\n// states: all", "unknown states `all`");
    check("// expect: holds\n// options: order=dfs", "unknown option `order=dfs`");
    check("// error: a message", "line number");
    check("var x : integer;\ntrans { }", "no expectation");
    assert!(header("// A comment: with a colon.\n// expect: holds").is_ok());
}

// The files.

/// The models of a folder, in order.
fn models(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases").join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    assert!(!paths.is_empty(), "{} has no cases", folder.display());
    paths
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Reads the header of a model.
fn header(text: &str) -> Result<Header, String> {
    let mut header = Header::default();
    let mut now = Question::default();
    let mut asked = false;
    for line in text.lines() {
        let Some((key, value)) = entry(line) else { continue };
        match key {
            "property" => {
                if asked {
                    header.questions.push(std::mem::take(&mut now));
                }
                now.property = Some(value.to_owned());
            }
            "expect" if now.expect.is_some() => return Err("two expectations for one property".to_owned()),
            "expect" => now.expect = Some(expectation(value)?),
            "states" if value == "stable" => now.states = CheckStates::Stable,
            "states" => return Err(format!("unknown states `{value}`")),
            "options" => {
                for option in value.split_whitespace() {
                    let unknown = || format!("unknown option `{option}`");
                    match option.split_once('=') {
                        Some(("search", order)) => now.search = Some(order.parse().map_err(|_| unknown())?),
                        Some(("limit", limit)) => now.limit = Some(limit.parse().map_err(|_| unknown())?),
                        _ => return Err(unknown()),
                    }
                }
            }
            "error" => {
                let (line, message) = value.split_once(':').unwrap_or((value, ""));
                let line = line.parse().map_err(|_| format!("`error: {value}` has no line number"))?;
                header.errors.push((line, message.trim().to_owned()));
                continue;
            }
            _ => return Err(format!("unknown key `{key}`")),
        }
        asked = true;
    }
    if asked {
        header.questions.push(now);
    }
    if let Some(question) = header.questions.iter().find(|question| question.expect.is_none()) {
        return Err(format!("no expectation for {:?}", question.property));
    }
    match (header.questions.is_empty(), header.errors.is_empty()) {
        (true, true) => Err("no expectation".to_owned()),
        (false, false) => Err("a model that is refused has no verdict".to_owned()),
        _ => Ok(header),
    }
}

/// The key and value of a comment line; a key is one word of small letters.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim_start().strip_prefix("//")?.trim_start().split_once(':')?;
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_key && (value.is_empty() || value.starts_with(' '))).then_some((key, value.trim()))
}

fn expectation(text: &str) -> Result<Expect, String> {
    let (verdict, rest) = text.split_once(' ').unwrap_or((text, ""));
    let quoted = || {
        let inner = rest.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        inner.map(str::to_owned).ok_or_else(|| format!("`{verdict}` needs a text in quotes"))
    };
    let mut words: Vec<&str> = rest.split_whitespace().collect();
    // Takes out `name=N`.
    let mut number = |name: &str| {
        let value = |word: &str| word.strip_prefix(name)?.strip_prefix('=')?.parse::<usize>().ok();
        let at = words.iter().position(|word| value(word).is_some())?;
        value(words.remove(at))
    };
    let expect = match verdict {
        "error" => return quoted().map(Expect::Error),
        "unknown" => return quoted().map(Expect::Unknown),
        "holds" => Expect::Holds { states: number("states").map(|states| states as u64) },
        "violated" => Expect::Violated { steps: number("steps") },
        "fault" => {
            let (line, steps) = (number("line"), number("steps"));
            let kind = if words.is_empty() { "" } else { words.remove(0) };
            Expect::Fault { kind: kind.replace('-', " "), line, steps }
        }
        _ => return Err(format!("unknown expectation `{verdict}`")),
    };
    match words.first() {
        Some(word) => Err(format!("`{word}` does not belong here")),
        None => Ok(expect),
    }
}

// Models that are refused.

/// Whether everything that is wrong with a model is said; how much that is.
fn refused(path: &Path) -> Result<usize, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let expected = header(&text)?.errors;
    let found: Vec<(usize, String)> = match load::load(path, &Reading::default(), &Console::default()) {
        Ok(_) => return Err("loads, though it should not".to_owned()),
        Err(Failure::Text { diagnostics, .. }) => {
            diagnostics.into_iter().map(|finding| (finding.region.line, finding.message)).collect()
        }
        Err(other) => vec![(1, other.to_string())],
    };
    let same = found.len() == expected.len()
        && found
            .iter()
            .zip(&expected)
            .all(|(found, expected)| found.0 == expected.0 && found.1.contains(&expected.1));
    if same { Ok(found.len()) } else { Err(format!("expected {expected:?}, found {found:?}")) }
}

// Models that are checked.

/// Answers every question of a model in every way; what was found, or everything that is wrong.
fn run(path: &Path) -> Result<(Vec<String>, Vec<String>), Vec<String>> {
    let one = |why: String| vec![why];
    let text = fs::read_to_string(path).map_err(|error| one(error.to_string()))?;
    let header = header(&text).map_err(one)?;
    if !header.errors.is_empty() {
        return Err(one("models that are refused belong to `bad`".to_owned()));
    }
    survives_printing(&text).map_err(one)?;
    let (mut summary, mut abstracted, mut failures) = (vec![], vec![], vec![]);
    for question in &header.questions {
        let asked = question.property.as_deref().unwrap_or("its own property");
        for search in Search::ALL {
            if question.search.is_some_and(|only| only != *search) {
                continue;
            }
            match answer(path, &text, question, *search) {
                Ok(line) => summary.push(format!("{asked}: {search}: {line}")),
                Err(why) => failures.push(format!("{asked}: {search}: {why}")),
            }
        }
        let abstractions = abstractions().map(|(name, cegar)| {
            (name, Config { engine: Engine::Cegar, state_limit: Some(NODES), cegar, ..Config::default() })
        });
        for (name, config) in abstractions.into_iter().chain(others()) {
            match abstractly(path, question, name, config) {
                Ok(line) => abstracted.push(format!("{asked}: {name}: {line}")),
                Err(why) => failures.push(format!("{asked}: {name}: {why}")),
            }
        }
    }
    let timed = xsts::load(&text).is_ok_and(|model| model.system.clocks().next().is_some());
    let with_zones = if timed { with_zones() } else { vec![] };
    let asked =
        header.questions.iter().flat_map(|question| with_zones.iter().map(move |config| (question, config)));
    for (question, config) in asked {
        match abstractly(path, question, "zones", config.clone()) {
            Ok(line) => abstracted.push(format!("{:?}: {config}: {line}", question.property)),
            Err(why) => failures.push(format!("{:?}: {config}: {why}", question.property)),
        }
    }
    if failures.is_empty() { Ok((summary, abstracted)) } else { Err(failures) }
}

fn survives_printing(text: &str) -> Result<(), String> {
    let (model, _) = xsts::parse(text);
    let printed = xsts::print(&model);
    let (again, errors) = xsts::parse(&printed);
    match errors.first() {
        None if again == model => Ok(()),
        None => Err(format!("is another model when printed:\n{printed}")),
        Some(error) => Err(format!("cannot be read when printed: {}\n{printed}", error.message)),
    }
}

/// Which part of the runs a question is about.
fn scope(question: &Question) -> Scope {
    Scope { check_states: question.states, ..Scope::default() }
}

/// The system that a question is about, and what it claims of it.
fn posed(model: &Model, asked: &lang::Question, question: &Question) -> (ir::System, ir::Property) {
    let Posed { system, mut properties } =
        pose(model, &[asked], &scope(question)).expect("no question about some time only");
    (system, properties.pop().expect("one property"))
}

/// Answers one question in one way.
fn answer(path: &Path, text: &str, question: &Question, search: Search) -> Result<String, String> {
    let expect = question.expect.as_ref().ok_or("no expectation")?;
    let console = Console::default();
    let mut loaded =
        load::load(path, &Reading::default(), &console).map_err(|failure| failure.to_string())?;
    let options = Options { properties: question.property.iter().cloned().collect(), ..Options::default() };
    let asked = match (check::questions(&mut loaded, &options, false), expect) {
        (Ok(list), _) => list[0].asked.clone().map_err(|failure| failure.to_string())?,
        (Err(failure), Expect::Error(part)) if failure.to_string().contains(part) => {
            return Ok(format!("error {part:?}"));
        }
        (Err(failure), _) => return Err(failure.to_string()),
    };
    let (mut system, property) = posed(&loaded, &asked, question);
    // As it is: the very states are compared.
    let engine = if system.clocks().next().is_some() { Engine::Zone } else { Engine::Explicit };
    let config =
        Config { engine, search, preprocess: false, state_limit: question.limit, ..Config::default() };
    let judged = decide::decide(&mut system, &property, &config, true, &Stop::new(), &mut Quiet);

    // Without a search order in the header, lengths are those of breadth first.
    let exact = search == Search::Bfs || question.search.is_some();
    let mut line = compare(&loaded, &judged, expect, exact)?;
    let searched = system.question(property.claim);
    let reference = PropertyRef::new(&asked, &scope(question));
    survives_writing(path, Lift::new(&loaded, &system), &reference, search, &judged, &searched)?;
    if matches!(expect, Expect::Unknown(_)) {
        return Ok(line);
    }
    let Some(ast) = with_property(text, question) else { return Ok(line) };
    match naive::explore(&ast, question.states == CheckStates::Stable, NAIVE_STATES) {
        Ok(expected) => {
            agreement::check(&ast, &system, search, &judged, &expected)
                .map_err(|why| format!("the naive reading disagrees: {why}"))?;
            line += "; the naive reading finds the same";
        }
        Err(naive::Unable(why)) => line += &format!("; not for the naive reading: {why}"),
    }
    Ok(line)
}

/// Configurations of abstraction refinement that every question runs under, by name.
fn abstractions() -> [(&'static str, Cegar); 6] {
    let with = |domain: Domain| Cegar { domain, ..Cegar::default() };
    [
        ("default", Cegar::default()),
        ("product", with(Domain::ExplPredCart)),
        ("values", with(Domain::Expl)),
        ("boolean", Cegar { predicate_split: Some(PredicateSplit::Atoms), ..with(Domain::PredBool) }),
        ("split", Cegar { predicate_split: Some(PredicateSplit::Atoms), ..with(Domain::PredSplit) }),
        (
            "combined",
            Cegar {
                refinement: Refinement::NwtSpLv,
                auto_expl: Some(AutoExpl::NewOperands),
                prune: Prune::Full,
                ..with(Domain::ExplPredCombined)
            },
        ),
    ]
}

/// Abstraction refinement with zones, in the ways that every question about a timed model is asked.
fn with_zones() -> Vec<Config> {
    let mut list = vec![];
    for clock_strategy in [ClockStrategy::CfSplitAll, ClockStrategy::CfSplitFilter].map(Some) {
        for zone_strategy in [ZoneStrategy::BwItp, ZoneStrategy::FwItp, ZoneStrategy::Lu] {
            for (_, cegar) in abstractions() {
                for prune in Prune::ALL.iter().copied() {
                    let cegar = Cegar { prune, ..cegar.clone() };
                    let (engine, state_limit) = (Engine::Combined, Some(NODES));
                    let config =
                        Config { engine, state_limit, clock_strategy, zone_strategy, ..Config::default() };
                    list.push(Config { cegar, ..config });
                }
            }
        }
    }
    list
}

/// Other ways that every question is asked, by name.
fn others() -> [(&'static str, Config); 3] {
    let bounded = |engine| Config { engine, bound: Some(10), ..Config::default() };
    [
        ("preprocessed", Config { engine: Engine::Explicit, state_limit: Some(10_000), ..Config::default() }),
        ("bmc", bounded(Engine::Bmc)),
        ("kind", bounded(Engine::Kind)),
    ]
}

/// Questions that abstraction refinement leaves open: the model, how, and why.
///
/// What is `slow` is not asked: numbers that grow over many steps, and arrays, are not for predicates.
/// `unsupported` are loops whose rounds are not known from what is tracked, and clocks for explicit search;
/// explicit values are no good for clocks, which make no progress.
const OPEN: &[(&str, &str, &str)] = &[
    ("arbitrary_values_are_tried_beside_a_clock.xsts", "preprocessed", "unsupported"),
    ("arbitrary_values_are_tried_beside_a_clock.xsts", "values", "no progress"),
    ("array_write_is_a_value.xsts", "values", "slow"),
    ("bounded_buffer.xsts", "default", "slow"),
    ("bounded_buffer.xsts", "product", "slow"),
    ("bounded_buffer.xsts", "boolean", "slow"),
    ("bounded_buffer.xsts", "split", "slow"),
    ("bounded_buffer.xsts", "combined", "slow"),
    ("branches_with_more_delays_than_others.xsts", "preprocessed", "unsupported"),
    ("bubble_sort.xsts", "boolean", "slow"),
    ("bubble_sort.xsts", "split", "slow"),
    ("bubble_sort.xsts", "combined", "slow"),
    ("clock_reaches_its_bound.xsts", "preprocessed", "unsupported"),
    ("clocks_choose_literals.xsts", "preprocessed", "unsupported"),
    ("clocks_choose_literals.xsts", "values", "no progress"),
    ("clocks_choose_what_is_compared.xsts", "preprocessed", "unsupported"),
    ("clocks_choose_what_is_compared.xsts", "values", "no progress"),
    ("collatz_from_27.xsts", "default", "slow"),
    ("collatz_from_27.xsts", "product", "slow"),
    ("collatz_from_27.xsts", "boolean", "slow"),
    ("collatz_from_27.xsts", "split", "slow"),
    ("dining_philosophers_can_starve.xsts", "default", "slow"),
    ("dining_philosophers_can_starve.xsts", "product", "slow"),
    ("dining_philosophers_can_starve.xsts", "boolean", "slow"),
    ("dining_philosophers_can_starve.xsts", "split", "slow"),
    ("dining_philosophers_can_starve.xsts", "combined", "slow"),
    ("division_by_zero_in_a_loop_bound.xsts", "default", "unsupported"),
    ("division_by_zero_in_a_loop_bound.xsts", "product", "unsupported"),
    ("division_by_zero_in_a_loop_bound.xsts", "boolean", "unsupported"),
    ("division_by_zero_in_a_loop_bound.xsts", "split", "unsupported"),
    ("division_by_zero_in_a_loop_bound.xsts", "combined", "unsupported"),
    ("data_suffice_beside_clocks.xsts", "preprocessed", "unsupported"),
    ("executions_that_differ_in_clocks.xsts", "preprocessed", "unsupported"),
    ("fibonacci_number_100.xsts", "combined", "slow"),
    ("greatest_common_divisor.xsts", "default", "no progress"),
    ("greatest_common_divisor.xsts", "product", "no progress"),
    ("greatest_common_divisor.xsts", "boolean", "slow"),
    ("greatest_common_divisor.xsts", "split", "slow"),
    ("greatest_common_divisor.xsts", "combined", "slow"),
    ("lift_moves_with_closed_doors.xsts", "product", "slow"),
    ("lift_moves_with_closed_doors.xsts", "combined", "slow"),
    ("long_deterministic_loop.xsts", "all", "unsupported"),
    ("loop_bounds_are_read_once.xsts", "all", "unsupported"),
    ("loop_from_a_negative_number.xsts", "all", "unsupported"),
    ("loop_over_an_arbitrary_bound_beside_a_clock.xsts", "preprocessed", "unsupported"),
    ("loop_over_an_arbitrary_bound_beside_a_clock.xsts", "default", "unsupported"),
    ("loop_over_an_arbitrary_bound_beside_a_clock.xsts", "product", "unsupported"),
    ("loop_over_an_arbitrary_bound_beside_a_clock.xsts", "values", "unsupported"),
    ("loop_over_an_arbitrary_bound_beside_a_clock.xsts", "boolean", "unsupported"),
    ("loop_over_an_arbitrary_bound_beside_a_clock.xsts", "split", "unsupported"),
    ("loop_over_an_arbitrary_bound_beside_a_clock.xsts", "combined", "unsupported"),
    ("loop_over_an_arbitrary_bound_beside_a_clock.xsts", "bmc", "unsupported"),
    ("loop_over_an_arbitrary_bound_beside_a_clock.xsts", "kind", "unsupported"),
    ("many_cases_over_clocks_and_data.xsts", "preprocessed", "unsupported"),
    ("many_conditions_over_clocks_in_a_value.xsts", "preprocessed", "unsupported"),
    ("many_conditions_over_clocks_in_a_value.xsts", "values", "no progress"),
    ("many_disjunctions_over_two_clocks.xsts", "preprocessed", "unsupported"),
    ("many_disjunctions_over_two_clocks.xsts", "values", "no progress"),
    ("many_disjunctions_over_two_clocks.xsts", "split", "no progress"),
    ("many_equivalences_over_a_clock.xsts", "preprocessed", "unsupported"),
    ("many_equivalences_over_a_clock.xsts", "values", "no progress"),
    ("ort_that_resets_a_clock.xsts", "preprocessed", "unsupported"),
    ("ort_that_resets_a_clock.xsts", "values", "no progress"),
    ("peterson.xsts", "default", "slow"),
    ("peterson.xsts", "product", "slow"),
    ("peterson.xsts", "boolean", "slow"),
    ("peterson.xsts", "split", "slow"),
    ("peterson.xsts", "combined", "slow"),
    ("priority_of_a_timeout_inside.xsts", "preprocessed", "unsupported"),
    ("priority_of_a_timeout_inside.xsts", "values", "no progress"),
    ("time_and_data_belong_together.xsts", "preprocessed", "unsupported"),
    ("time_and_data_belong_together.xsts", "values", "no progress"),
    ("tower_of_hanoi.xsts", "all", "unsupported"),
    ("vending_machine.xsts", "default", "slow"),
    ("vending_machine.xsts", "product", "slow"),
    ("vending_machine.xsts", "boolean", "slow"),
    ("vending_machine.xsts", "split", "slow"),
    ("violation_within_an_infinite_space.xsts", "default", "slow"),
    ("violation_within_an_infinite_space.xsts", "product", "slow"),
    ("violation_within_an_infinite_space.xsts", "boolean", "slow"),
    ("violation_within_an_infinite_space.xsts", "split", "slow"),
];

/// Nodes that a graph may have here.
const NODES: u64 = 2_000;

/// Answers one question in another way than plain exhaustive search.
fn abstractly(path: &Path, question: &Question, name: &str, config: Config) -> Result<String, String> {
    let file = file_name(path);
    let listed = |reason: &str| {
        let open = |(model, how, why): &(&str, &str, &str)| {
            *model == file && (*how == "all" || *how == name) && reason.starts_with(why)
        };
        OPEN.iter().any(open)
    };
    if listed("slow") {
        return Ok("open (not asked)".to_owned());
    }
    let expect = match question.expect.as_ref().ok_or("no expectation")? {
        Expect::Holds { .. } => Expect::Holds { states: None },
        // The length is that of another search order.
        Expect::Violated { .. } if question.search.is_some() => Expect::Violated { steps: None },
        other => other.clone(),
    };
    let mut loaded =
        load::load(path, &Reading::default(), &Console::default()).map_err(|failure| failure.to_string())?;
    let options = Options { properties: question.property.iter().cloned().collect(), ..Options::default() };
    let Ok(list) = check::questions(&mut loaded, &options, false) else {
        return Ok("no question".to_owned());
    };
    let asked = list[0].asked.clone().map_err(|failure| failure.to_string())?;
    let (mut system, property) = posed(&loaded, &asked, question);
    let stop = Stop::new();
    let judged = decide::decide(&mut system, &property, &config, true, &stop, &mut Patience(&stop));
    if let Ok(Verdict { answer: Decided::Unknown(reason), .. }) = &judged.result {
        let reason = reason.to_string();
        // What exhaustive search cannot decide may be open here, too.
        let bounded = config.bound.is_some() && reason.starts_with("bound");
        return match bounded || listed(&reason) || matches!(expect, Expect::Unknown(_)) {
            true => Ok(format!("open ({reason})")),
            false => Err(format!("unknown ({reason})")),
        };
    }
    if matches!(expect, Expect::Unknown(_)) {
        // More than exhaustive search can do; the evidence has been certified.
        return Ok(judged.result.map_or_else(|fault| format!("{fault:?}"), |verdict| verdict.to_string()));
    }
    compare(&loaded, &judged, &expect, false)
}

/// Whether an answer is the expected one; how it reads.
fn compare(loaded: &Model, judged: &Judged, expect: &Expect, exact: bool) -> Result<String, String> {
    let (found, line) = match &judged.result {
        Ok(verdict) if !verdict.certified => return Err(format!("not certified: {verdict}")),
        Ok(verdict) => match (&verdict.answer, &verdict.evidence) {
            (Decided::Holds, _) => {
                let states = judged.statistics.states;
                (Expect::Holds { states: Some(states) }, format!("holds states={states}"))
            }
            (Decided::Violated, Evidence::Run(run)) => {
                let steps = run.steps.len();
                (Expect::Violated { steps: Some(steps) }, format!("violated steps={steps}"))
            }
            (Decided::Violated, _) => return Err("violated, but there is no run".to_owned()),
            (Decided::Unknown(reason), _) => {
                (Expect::Unknown(reason.to_string()), format!("unknown {:?}", reason.to_string()))
            }
        },
        Err(NoVerdict::Fault(fault, run)) => {
            let fault = &loaded.system().faults[*fault];
            let (line, steps) = (loaded.sources.of(fault.span).start(fault.span).0, run.steps.len());
            let kind = fault.kind.to_string();
            let said = format!("fault {} line={line} steps={steps}", kind.replace(' ', "-"));
            (Expect::Fault { kind, line: Some(line), steps: Some(steps) }, said)
        }
        Err(NoVerdict::Undefined(fault, _)) => {
            return Err(format!("the property goes wrong: {}", fault.kind));
        }
        Err(NoVerdict::Refused { answer, why }) => return Err(format!("`{answer:?}` was refused: {why}")),
    };
    let length = |found: &Option<usize>, wanted: &Option<usize>| match (found, wanted) {
        (Some(found), Some(wanted)) if exact => found == wanted,
        (Some(found), Some(wanted)) => found >= wanted,
        _ => true,
    };
    let right = match (&found, expect) {
        (Expect::Holds { states: found }, Expect::Holds { states: wanted }) => {
            wanted.is_none() || found == wanted
        }
        (Expect::Violated { steps: found }, Expect::Violated { steps: wanted }) => length(found, wanted),
        (
            Expect::Fault { kind: found, line, steps },
            Expect::Fault { kind: wanted, line: wanted_line, steps: wanted_steps },
        ) => found == wanted && (wanted_line.is_none() || line == wanted_line) && length(steps, wanted_steps),
        (Expect::Unknown(found), Expect::Unknown(part)) => found.contains(part),
        _ => false,
    };
    if right { Ok(line) } else { Err(format!("expected {expect:?}, found {line}")) }
}

/// The model with the property in question as its own, if that can be told by the text alone.
fn with_property(text: &str, question: &Question) -> Option<lang::xsts::ast::Model> {
    let (model, _) = xsts::parse(text);
    match (&question.property, model.prop.is_some()) {
        (None, true) => Some(model),
        (Some(property), false) => {
            let (model, errors) = xsts::parse(&format!("{text}\nprop {{ {property} }}"));
            errors.is_empty().then_some(model)
        }
        _ => None,
    }
}

/// Evidence is the same after it has been written and read, and is accepted again.
fn survives_writing(
    path: &Path,
    lift: Lift<'_>,
    reference: &PropertyRef,
    search: Search,
    judged: &Judged,
    searched: &ir::Question,
) -> Result<(), String> {
    let system = lift.system;
    let (run, ends): (&Run, Ends) = match &judged.result {
        Ok(verdict) => match &verdict.evidence {
            Evidence::Run(run) => (run, Ends::Target),
            Evidence::Certificate(found) => {
                let name = format!("{}.{search}.json", file_name(path));
                let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
                certificate::write(&file, lift, reference.clone(), searched, found)
                    .map_err(|failure| failure.to_string())?;
                let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
                let _ = fs::remove_file(&file);
                let read = certificate::parse("certificate", &text).map_err(|failure| failure.to_string())?;
                let read = certificate::lower(system, searched, read).map_err(|why| why.to_string())?;
                return certify::check_certificate(system, searched, &read, Stop::new().flag())
                    .map_err(|why| format!("the certificate is refused after reading: {why}"));
            }
            Evidence::None => return Ok(()),
        },
        Err(NoVerdict::Fault(fault, run)) => (run, lift.fault(*fault)),
        Err(NoVerdict::Undefined(..) | NoVerdict::Refused { .. }) => return Ok(()),
    };
    let trace = lift.trace(run, Some(reference.clone()), ends);
    let text = serde_json::to_string(&trace).map_err(|error| error.to_string())?;
    let read = trace::parse("trace.json", &text).map_err(|failure| failure.to_string())?;
    if read != trace {
        return Err(format!("the trace is another one after reading:\n{}", table::render(&read, true)));
    }
    let again = Lower::new(system, &read.signature).and_then(|reader| reader.run(&read));
    let again = again.map_err(|why| why.to_string())?;
    if again != *run {
        return Err(format!("the run is another one after reading: {again:?}"));
    }
    certify::check_run(system, searched, &again, Stop::new().flag())
        .map(drop)
        .map_err(|why| format!("the run is refused after reading: {why}"))
}
