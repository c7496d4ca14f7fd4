//! Models of other tools with the verdicts their own tests list, where they are at hand.

#[path = "../../lang/testing/fields.rs"]
mod fields;

use std::fs;
use std::path::{Path, PathBuf};

use engine::{
    Cegar, ClockStrategy, Config, Domain, Engine, Prune, Quiet, Reason, Search, Stop, ZoneStrategy,
};
use lang::{pnml, xsts};
use thetis::decide;
use thetis::verdict::{Cause, Decided, NoVerdict};

/// How many states a search may store here.
const STATE_LIMIT: u64 = 300_000;

/// The only listed tasks that exhaustive search may leave open: their counters grow for ever.
const INFINITE: [&str; 2] = ["xsts-if1-if1", "xsts-COID-tran12"];

fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if path.join("manifest.csv").is_file() {
        return Some(path);
    }
    eprintln!("skipped: no corpus beside the workspace");
    None
}

/// One line of the manifest.
struct Task {
    id: String,
    formalism: String,
    model: String,
    property: String,
    kind: String,
    expected: String,
}

fn tasks(corpus: &Path) -> Vec<Task> {
    let manifest = fs::read_to_string(corpus.join("manifest.csv")).expect("the manifest is a text");
    let task = |line: &str| {
        let mut fields = fields::fields(line).into_iter();
        let mut next = || fields.next().unwrap_or_else(|| panic!("too few fields: {line}"));
        let (id, formalism, model) = (next(), next(), next());
        Task { id, formalism, model, property: next(), kind: next(), expected: next() }
    };
    manifest.lines().skip(1).map(task).collect()
}

/// A model with the property of a task, or the first thing that is wrong with them.
fn load(corpus: &Path, task: &Task) -> Result<(lang::Model, ir::Property), String> {
    let read = |path: &str| fs::read_to_string(corpus.join(path)).map_err(|error| format!("{path}: {error}"));
    let mut model = xsts::load(&read(&task.model)?).map_err(|errors| errors[0].message.clone())?;
    let given = match task.property.as_str() {
        "" => None,
        file if file.ends_with(".prop") => Some(read(file)?),
        text => Some(text.to_owned()),
    };
    let property = match given {
        Some(text) => model.parse_property("given", &text).map_err(|errors| errors[0].message.clone())?,
        None => model.property().ok_or("there is no property")?,
    };
    Ok((model, property))
}

fn parse_tasks_are_accepted_or_rejected() {
    let Some(corpus) = corpus() else { return };
    let tasks: Vec<Task> =
        tasks(&corpus).into_iter().filter(|task| task.formalism == "xsts" && task.kind == "parse").collect();
    assert!(!tasks.is_empty());
    let wrong: Vec<String> = tasks
        .iter()
        .filter_map(|task| {
            let result = load(&corpus, task);
            let right = result.is_ok() == (task.expected == "accept");
            (!right).then(|| format!("{}: {}, but {:?}", task.id, task.expected, result.err()))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn timed_models_load() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("xsts/timed");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder of timed models").map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "xsts"));
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let text = fs::read_to_string(&path).expect("models are texts");
        if let Err(errors) = xsts::load(&text) {
            panic!("{}: {errors:#?}", path.display());
        }
    }
}

fn finite_models_get_the_listed_verdict() {
    let Some(corpus) = corpus() else { return };
    let (mut wrong, mut undecided, mut decided) = (vec![], vec![], vec![]);
    for task in tasks(&corpus) {
        let verdict = match task.expected.as_str() {
            "safe" => Decided::Holds,
            "unsafe" => Decided::Violated,
            _ => continue,
        };
        if task.formalism != "xsts" || task.kind != "safety" {
            continue;
        }
        let id = &task.id;
        let (mut model, property) = match load(&corpus, &task) {
            Ok(loaded) => loaded,
            Err(why) => {
                wrong.push(format!("{id}: {why}"));
                continue;
            }
        };
        let engine = Engine::Explicit;
        let config =
            Config { engine, search: Search::Bfs, state_limit: Some(STATE_LIMIT), ..Config::default() };
        let judged = decide::decide(&mut model.system, &property, &config, true, &Stop::new(), &mut Quiet);
        let states = judged.statistics.states;
        match judged.result {
            Ok(found) if found.answer == verdict && found.certified => decided.push((task.id, states)),
            Ok(found) => match found.answer {
                Decided::Unknown(Cause::Search(reason @ Reason::States(_)))
                    if INFINITE.contains(&id.as_str()) =>
                {
                    undecided.push(format!("{id}: {reason}"));
                }
                _ => wrong.push(format!("{id}: listed as {}, but {found}", task.expected)),
            },
            Err(NoVerdict::Fault(fault, _)) => {
                let kind = &model.system.faults[fault].kind;
                wrong.push(format!("{id}: listed as {}, but there is a {kind}", task.expected));
            }
            Err(NoVerdict::Undefined(fault, _)) => {
                wrong.push(format!("{id}: listed as {}, but there is a {}", task.expected, fault.kind));
            }
            Err(NoVerdict::Refused { answer, why }) => {
                wrong.push(format!("{id}: the answer {answer:?} was refused: {why}"));
            }
        }
    }
    eprintln!("{} tasks decided as listed, {} not:", decided.len(), undecided.len());
    for line in &undecided {
        eprintln!("  {line}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn abstraction_refinement_gives_the_listed_verdict() {
    let Some(corpus) = corpus() else { return };
    let (mut wrong, mut decided) = (vec![], vec![]);
    for task in tasks(&corpus) {
        let verdict = match task.expected.as_str() {
            "safe" => Decided::Holds,
            "unsafe" => Decided::Violated,
            _ => continue,
        };
        if task.formalism != "xsts" || task.kind != "safety" {
            continue;
        }
        let (mut model, property) = match load(&corpus, &task) {
            Ok(loaded) => loaded,
            Err(why) => {
                wrong.push(format!("{}: {why}", task.id));
                continue;
            }
        };
        let config = Config { engine: Engine::Cegar, state_limit: Some(STATE_LIMIT), ..Config::default() };
        let judged = decide::decide(&mut model.system, &property, &config, true, &Stop::new(), &mut Quiet);
        match judged.result {
            Ok(found) if found.answer == verdict && found.certified => decided.push(task.id),
            Ok(found) => wrong.push(format!("{}: listed as {}, but {found}", task.id, task.expected)),
            Err(why) => wrong.push(format!("{}: {why:?}", task.id)),
        }
    }
    eprintln!("{} tasks decided as listed by abstraction refinement", decided.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // What exhaustive search must leave open is decided by abstraction.
    for id in INFINITE {
        assert!(decided.iter().any(|decided| decided == id), "{id} is not decided");
    }
}

/// Abstraction refinement with zones for clocks: every way of splitting statements and abstracting zones, with
/// the domains and ways of pruning that such models are known to ask for. A question without a listed verdict
/// must get the same one every time.
fn timed_models_get_the_listed_verdict_with_lazy_zones() {
    let Some(corpus) = corpus() else { return };
    let mut configs = vec![];
    for clock_strategy in [ClockStrategy::CfSplitAll, ClockStrategy::CfSplitFilter].map(Some) {
        for zone_strategy in [ZoneStrategy::BwItp, ZoneStrategy::FwItp, ZoneStrategy::Lu] {
            for domain in [Domain::Expl, Domain::ExplPredSplit] {
                for prune in Prune::ALL.iter().copied() {
                    let cegar = Cegar { domain, prune, ..Cegar::default() };
                    let engine = Engine::Combined;
                    configs.push(Config {
                        engine,
                        clock_strategy,
                        zone_strategy,
                        cegar,
                        ..Config::default()
                    });
                }
            }
        }
    }
    let (mut wrong, mut asked) = (vec![], 0);
    for task in tasks(&corpus).into_iter().filter(|task| task.formalism == "txsts") {
        let mut verdict = match task.expected.as_str() {
            "safe" => Some(Decided::Holds),
            "unsafe" => Some(Decided::Violated),
            _ => None,
        };
        asked += 1;
        for config in &configs {
            let (mut model, property) = match load(&corpus, &task) {
                Ok(loaded) => loaded,
                Err(why) => {
                    wrong.push(format!("{}: {why}", task.id));
                    break;
                }
            };
            let judged = decide::decide(&mut model.system, &property, config, true, &Stop::new(), &mut Quiet);
            // It compares the difference of its clocks, with which LU is not sound.
            let refused = task.id == "txsts-clocks" && config.zone_strategy == ZoneStrategy::Lu;
            match judged.result {
                Ok(found) if refused && found.to_string().contains("not sound with differences") => {}
                Ok(found)
                    if found.certified && *verdict.get_or_insert(found.answer.clone()) == found.answer => {}
                Ok(found) => wrong.push(format!("{}: {config}: {found}", task.id)),
                Err(why) => wrong.push(format!("{}: {config}: {why:?}", task.id)),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(asked >= 11, "only {asked} questions");
}

/// Nobody has to choose: what a user gets without any option is the listed verdict, certified, for every
/// question with a known one.
fn the_default_decides_every_question() {
    let Some(corpus) = corpus() else { return };
    let (mut wrong, mut decided) = (vec![], 0);
    for task in tasks(&corpus) {
        let verdict = match task.expected.as_str() {
            "safe" => Decided::Holds,
            "unsafe" => Decided::Violated,
            _ => continue,
        };
        let asked = match (task.formalism.as_str(), task.kind.as_str()) {
            ("xsts", "safety") => load(&corpus, &task).map(|(model, property)| (model.system, property)),
            // Linear invariants show it, but after seconds of the solver: `cargo xtask bench auto` asks it.
            ("petri", "safety") if task.model.contains("aslink") => continue,
            ("petri", "safety") => net(&corpus, &task, "1-safe"),
            ("petri", "deadlock") => net(&corpus, &task, "deadlock-free"),
            _ => continue,
        };
        let (mut system, property) = match asked {
            Ok(asked) => asked,
            Err(why) => {
                wrong.push(format!("{}: {why}", task.id));
                continue;
            }
        };
        let judged =
            decide::decide(&mut system, &property, &Config::default(), true, &Stop::new(), &mut Quiet);
        match judged.result {
            Ok(found) if found.answer == verdict && found.certified => decided += 1,
            Ok(found) => wrong.push(format!("{}: listed as {}, but {found}", task.id, task.expected)),
            Err(why) => wrong.push(format!("{}: {why:?}", task.id)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(decided >= 60, "only {decided} questions");
}

fn net(corpus: &Path, task: &Task, property: &str) -> Result<(ir::System, ir::Property), String> {
    let text = fs::read_to_string(corpus.join(&task.model)).map_err(|error| error.to_string())?;
    let mut model = pnml::load(&text).map_err(|errors| errors[0].message.clone())?;
    let property = model.parse_property(property, property).map_err(|errors| errors[0].message.clone())?;
    Ok((model.system, property))
}

sampling::with_corpus!(
    parse_tasks_are_accepted_or_rejected,
    timed_models_load,
    finite_models_get_the_listed_verdict,
    abstraction_refinement_gives_the_listed_verdict,
    timed_models_get_the_listed_verdict_with_lazy_zones,
    the_default_decides_every_question
);
