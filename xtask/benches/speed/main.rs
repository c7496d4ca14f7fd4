//! Speed of the front-end, of exhaustive search, of zones, of their certificates, of the translation of temporal
//! formulas and their products with systems, and of the program as a whole.
//!
//! Every number is the best of a few repetitions, because noise only ever adds time. Numbers are
//! compared with `benches/baseline.json` as ratios; they depend on the machine, so nothing fails.

mod baseline;
mod models;
mod networks;
mod zone;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use engine::{Answer, Config, Engine, Quiet, Stop};
use ir::Claim;

use baseline::Baseline;

/// Numbers of one case by name, in the order they are printed.
type Numbers = Vec<(&'static str, f64)>;

fn main() {
    // Cargo adds `--bench` of its own.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let save = arguments.iter().any(|argument| argument == "--save");
    let filter = arguments.iter().find(|argument| !argument.starts_with('-')).map_or("", String::as_str);
    let root = std::env::var_os("THETIS_ROOT").map(PathBuf::from);
    let root = root.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    if let [flag, name] = &arguments[..]
        && flag == zone::CHILD
    {
        return zone::child(name, &root);
    }
    let path = root.join("benches").join("baseline.json");
    let mut baseline = Baseline::read(&path);

    let mut report = |name: &str, measure: &dyn Fn() -> Option<Numbers>| {
        println!("{name}");
        let Some(numbers) = measure() else {
            return println!("  skipped: there is no corpus beside the workspace");
        };
        for (what, number) in &numbers {
            println!("  {what:<24}{:>14}  {}", baseline::human(*number), baseline.ratio(name, what, *number));
        }
        baseline.set(name, &numbers);
    };
    let wanted = |name: &str| name.contains(filter);

    if wanted("parse 20 MB") {
        report("parse 20 MB", &|| Some(reading(&models::large(20_000_000))));
    }
    for (name, source) in models::families() {
        if wanted(name) {
            report(name, &|| Some(searching(&source, None)));
        }
    }
    let corpus = root.join("..").join("shared").join("corpus").join("xsts");
    // The space of COID is infinite.
    for (file, limit) in [("TrafficLightWrapper", None), ("ANTIVAL_CHK_COID_System", Some(1_000_000))] {
        if !wanted(file) {
            continue;
        }
        let source = std::fs::read_to_string(corpus.join(format!("{file}.xsts"))).ok();
        report(file, &|| Some(searching(source.as_ref()?, limit)));
    }
    for case in zone::cases() {
        if !wanted(case.name) {
            continue;
        }
        report(case.name, &|| case.measure(&root));
    }
    if wanted("known formulas") {
        report("known formulas", &|| translating(&corpus.join("../ltl/known-formulas.csv")));
    }
    if wanted("turns 15") {
        report("turns 15", &|| Some(walking(&models::turns(15), "ltl: G F turn")));
    }
    for count in [5, 15] {
        let name = format!("locks {count}");
        if wanted(&name) {
            report(&name, &|| Some(deciding(&models::locks(count))));
        }
    }
    for file in ["counter5_true", "plc/BasicCode", "plc/SclGotoStatement", "plc/ArrayAssignment"] {
        if wanted(file) {
            let source = std::fs::read_to_string(corpus.join(format!("../cfa/{file}.cfa"))).ok();
            report(file, &|| Some(deciding(source.as_ref()?)));
        }
    }
    if wanted("start-up") {
        match std::env::var_os("THETIS") {
            Some(program) => report("start-up", &|| Some(starting(Path::new(&program)))),
            None => println!("start-up\n  skipped: run `cargo xtask bench`, which builds the program"),
        }
    }
    if save {
        baseline.write(&path);
        println!("\nsaved as the baseline");
    }
}

/// Text to syntax tree, and text to system.
fn reading(source: &str) -> Numbers {
    let megabytes = source.len() as f64 / 1e6;
    let parse = best(|| drop(std::hint::black_box(lang::xsts::parse(source))));
    let load = best(|| drop(std::hint::black_box(load(source))));
    vec![
        ("megabytes", megabytes),
        ("parse ms", parse * 1e3),
        ("parse MB/s", megabytes / parse),
        ("load ms", load * 1e3),
        ("load MB/s", megabytes / load),
    ]
}

/// The whole space, by a property that always holds, and the check of the certificate.
fn searching(source: &str, state_limit: Option<u64>) -> Numbers {
    let load_seconds = best(|| drop(std::hint::black_box(load(source))));
    let mut system = load(source).system;
    let holds = system.terms.bool(true);
    let question = system.question(Claim::Always(holds));
    let config = Config { engine: Engine::Explicit, preprocess: false, state_limit, ..Config::default() };

    let mut outcome = None;
    let seconds = best(|| {
        outcome = None;
        outcome = Some(engine::search(&system, &question, &config, &Stop::new(), &mut Quiet));
    });
    let (answer, statistics) = outcome.expect("searched at least once");
    let mut numbers = vec![
        ("load ms", load_seconds * 1e3),
        ("load MB/s", source.len() as f64 / 1e6 / load_seconds),
        ("state variables", system.state_vars().count() as f64),
        ("states", statistics.states as f64),
        ("successors", statistics.transitions as f64),
        ("successors/s", statistics.transitions as f64 / seconds),
        ("bytes/state", statistics.bytes as f64 / statistics.states.max(1) as f64),
        ("plain expansions", statistics.plain_expansions as f64),
    ];
    match answer {
        Answer::Excluded(certificate) => {
            let start = Instant::now();
            let check = certify::check_certificate(&system, &question, &certificate, &AtomicBool::new(false));
            check.expect("a certificate that holds");
            numbers.push(("certified states/s", statistics.states as f64 / start.elapsed().as_secs_f64()));
        }
        Answer::Unknown(reason) => println!("  ({reason})"),
        Answer::Found(_) => panic!("a fault is reachable in a benchmark model"),
    }
    numbers
}

/// A program whose error location cannot be reached, by the default configuration, and the check of its certificate.
fn deciding(source: &str) -> Numbers {
    let mut model = lang::cfa::load(source).expect("a program");
    let property = model.property().expect("an error location");
    let question = model.system.question(property.claim);
    let mut outcome = None;
    let search = best(|| {
        outcome = None;
        let stop = Stop::new();
        outcome = Some(engine::search(&model.system, &question, &Config::default(), &stop, &mut Quiet));
    });
    let (answer, statistics) = outcome.expect("searched at least once");
    let Answer::Excluded(certificate) = answer else {
        panic!("the error location of a benchmark is reached")
    };
    let check = best(|| {
        let stop = AtomicBool::new(false);
        certify::check_certificate(&model.system, &question, &certificate, &stop).expect("it holds");
    });
    vec![
        ("search ms", search * 1e3),
        ("states or nodes", statistics.states as f64),
        ("certification ms", check * 1e3),
    ]
}

/// Published temporal formulas and their negations to reduced automata, all together.
fn translating(table: &Path) -> Option<Numbers> {
    let table = std::fs::read_to_string(table).ok()?;
    let formula = |line: &str| {
        let text = line.split(',').nth(2)?;
        ltl::parse::parse(text, &mut ltl::parse::Names::default()).ok().map(|parsed| parsed.formula)
    };
    let formulas: Vec<_> = table.lines().skip(1).filter_map(formula).collect();
    let both = formulas.iter().flat_map(|formula| [formula.clone(), formula.negated()]);
    let both: Vec<_> = both.collect();
    let mut states = 0;
    let seconds = best(|| {
        let automata = both.iter().map(|formula| ltl::translate(formula).expect("a small automaton"));
        states = automata.map(|automaton| automaton.len()).sum();
    });
    Some(vec![("formulas", both.len() as f64), ("states", states as f64), ("translate ms", seconds * 1e3)])
}

/// A formula that holds, beside a property that does: how much longer a state of the product takes than one of the system,
/// and the check of the certificate than the search.
fn walking(source: &str, formula: &str) -> Numbers {
    let mut model = load(source);
    let claim = model.parse_property("given", formula).expect("a formula").claim;
    let mut system = model.system;
    let holds = system.terms.bool(true);
    let [plain, temporal] = [Claim::Always(holds), claim].map(|claim| system.question(claim));
    let config = Config { engine: Engine::Explicit, preprocess: false, ..Config::default() };
    let measured = |question| {
        let mut outcome = None;
        let seconds = best(|| {
            outcome = None;
            outcome = Some(engine::search(&system, question, &config, &Stop::new(), &mut Quiet));
        });
        let (answer, statistics) = outcome.expect("searched at least once");
        let Answer::Excluded(certificate) = answer else { panic!("it holds in a benchmark model") };
        let checked = best(|| {
            let check = certify::check_certificate(&system, question, &certificate, &AtomicBool::new(false));
            check.expect("a certificate that holds");
        });
        (seconds, statistics.states as f64, checked)
    };
    let ((plain, states, _), (seconds, pairs, checked)) = (measured(&plain), measured(&temporal));
    vec![
        ("states", states),
        ("pairs", pairs),
        ("pairs/s", pairs / seconds),
        ("time per pair/state", (seconds / pairs) / (plain / states)),
        ("certification/search", checked / seconds),
    ]
}

/// The program from its start to its end, on ten lines.
fn starting(program: &Path) -> Numbers {
    let model = std::env::temp_dir().join(format!("thetis-bench-{}.xsts", std::process::id()));
    std::fs::write(&model, models::SMALL).expect("a place for temporary files");
    let mut times: Vec<f64> = (0..50)
        .map(|_| {
            let start = Instant::now();
            let output = Command::new(program).arg("check").arg(&model).output().expect("the program runs");
            let seconds = start.elapsed().as_secs_f64();
            assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
            seconds
        })
        .collect();
    let _ = std::fs::remove_file(&model);
    times.sort_by(f64::total_cmp);
    vec![("fastest ms", times[0] * 1e3), ("median ms", times[times.len() / 2] * 1e3)]
}

fn load(source: &str) -> lang::Model {
    lang::xsts::load(source).unwrap_or_else(|errors| panic!("{}", errors[0].message))
}

/// Seconds of the fastest of at most ten repetitions, within two seconds if it can be.
fn best(mut work: impl FnMut()) -> f64 {
    let begin = Instant::now();
    let mut best = f64::INFINITY;
    for _ in 0..10 {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed().as_secs_f64());
        if begin.elapsed() > Duration::from_secs(2) {
            break;
        }
    }
    best
}
