//! Temporal questions, as the program comes: the tasks of the corpus, and counters of any size.
//!
//! The counters are those with which the literature shows how abstraction refinement behaves on lassos: one that counts up
//! to a bound and stays there, and one that is forced through `cegar`, where nothing should depend on the bound. One of them
//! is also counted by the algorithm as it was first published, with a refinement for each of its values.

use std::path::{Path, PathBuf};

use crate::defaults::{Aims, Task, measure, wanted};
use crate::shell::{build_thetis, root, target_directory};

const AIMS: Aims = Aims { median: 0.05, worst: 0.3, megabytes: 200.0 };

/// Of the algorithm as it was first published.
const PUBLISHED_AIMS: Aims = Aims { median: 2.0, worst: 2.0, megabytes: 200.0 };

const TASKS: &str = "models with formulas";
const NETS: &str = "files of the contest";
const COUNTERS: &str = "counters";
const REFINED: &str = "counters by refinement";
const PUBLISHED: &str = "a counter by refinement as first published";

pub fn bench(arguments: &[String]) -> Result<(), String> {
    let mut tasks = listed();
    tasks.extend(counters()?);
    let (seconds, tasks) = wanted(arguments, tasks)?;
    let program = build_thetis()?;
    let (published, tasks): (Vec<Task>, Vec<Task>) =
        tasks.into_iter().partition(|task| task.family == PUBLISHED);
    measure(&program, tasks, &seconds, &[TASKS, NETS, COUNTERS, REFINED], AIMS)?;
    measure(&program, published, &seconds, &[PUBLISHED], PUBLISHED_AIMS)
}

/// The tasks of the corpus, if there is one.
fn listed() -> Vec<Task> {
    let corpus = root().join("..").join("shared").join("corpus");
    let manifest = std::fs::read_to_string(corpus.join("manifest.csv")).unwrap_or_default();
    let mut tasks: Vec<Task> = manifest.lines().filter_map(|line| task(&corpus, line)).collect();
    let folders = std::fs::read_dir(corpus.join("mcc")).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    folders.sort_unstable();
    for folder in folders {
        for file in ["LTLCardinality.xml", "LTLFireability.xml"] {
            let (model, formulas) = (folder.join("model.pnml"), folder.join(file));
            if formulas.is_file() {
                let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let arguments = vec!["--property-file".to_owned(), formulas.display().to_string()];
                let (id, expected) = (format!("{name} {file}"), String::new());
                tasks.push(Task { id, model, arguments, expected, family: NETS });
            }
        }
    }
    tasks
}

/// A line of the list that has a formula, without commas.
fn task(corpus: &Path, line: &str) -> Option<Task> {
    let fields: Vec<&str> = line.split(',').collect();
    let [id, "xsts" | "cfa", model, formula, "ltl", expected, ..] = fields[..] else { return None };
    let arguments = vec!["--ltl".to_owned(), formula.to_owned()];
    let (id, expected, family) = (id.to_owned(), expected.to_owned(), TASKS);
    Some(Task { id, model: corpus.join(model), arguments, expected, family })
}

/// The choices of the algorithm as it was first published.
const AS_PUBLISHED: [&str; 14] = [
    "--engine",
    "cegar",
    "--domain",
    "PRED_SPLIT",
    "--initprec",
    "EMPTY",
    "--lasso-search",
    "ndfs",
    "--lasso-refinement",
    "direct",
    "--refinement",
    "FW_BIN_ITP",
    "--prunestrategy",
    "FULL",
];

/// Counters to several bounds with the formulas of the literature, by default and by abstraction refinement.
fn counters() -> Result<Vec<Task>, String> {
    let folder = target_directory()?.join("counters");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut tasks = vec![];
    for bound in [100_u32, 1_000_000] {
        let model = folder.join(format!("counter{bound}.xsts"));
        let text = format!(
            "var x : integer = 0\ntrans {{ assume x < {bound}; x := x + 1; }} or {{ assume x >= {bound}; }}\ninit {{ }}\nenv {{ }}\n"
        );
        std::fs::write(&model, text).map_err(|error| format!("{}: {error}", model.display()))?;
        let half = bound / 2;
        // It counts up and stays at the bound, whatever happens.
        for formula in [
            format!("G F (x == {bound})"),
            format!("F G (x == {bound})"),
            format!("F (x == {bound})"),
            format!("(x < {half}) U (G (x >= {half}))"),
        ] {
            let mut add = |family: &'static str, by: &[&str]| {
                let mut arguments = vec!["--ltl".to_owned(), formula.clone()];
                arguments.extend(by.iter().map(|word| (*word).to_owned()));
                let (id, model) = (format!("counter{bound} {formula} {}", by.join(" ")), model.clone());
                tasks.push(Task { id, model, arguments, expected: "holds".to_owned(), family });
            };
            add(COUNTERS, &[]);
            add(REFINED, &["--engine", "cegar"]);
            if bound == 100 && formula.starts_with("F (") {
                add(PUBLISHED, &AS_PUBLISHED);
            }
        }
    }
    Ok(tasks)
}
