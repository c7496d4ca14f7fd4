//! Temporal questions, as the program comes: the tasks of the corpus, and counters of any size.
//!
//! The counters are those with which the literature shows how abstraction refinement behaves on lassos: one that counts up
//! to a bound and stays there, and one that is forced through `cegar`, where nothing should depend on the bound.

use std::path::{Path, PathBuf};

use crate::defaults::{Aims, Task, measure, wanted};
use crate::shell::{build_thetis, root, target_directory};

const AIMS: Aims = Aims { median: 0.05, worst: 0.3, megabytes: 200.0 };

const TASKS: &str = "models with formulas";
const NETS: &str = "files of the contest";
const COUNTERS: &str = "counters";
const REFINED: &str = "counters by refinement";

pub fn bench(arguments: &[String]) -> Result<(), String> {
    let mut tasks = listed();
    tasks.extend(counters()?);
    let (seconds, tasks) = wanted(arguments, tasks)?;
    measure(&build_thetis()?, tasks, &seconds, &[TASKS, NETS, COUNTERS, REFINED], AIMS)
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
    let [id, "xsts", model, formula, "ltl", expected, ..] = fields[..] else { return None };
    let arguments = vec!["--ltl".to_owned(), formula.to_owned()];
    let (id, expected, family) = (id.to_owned(), expected.to_owned(), TASKS);
    Some(Task { id, model: corpus.join(model), arguments, expected, family })
}

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
        }
    }
    Ok(tasks)
}
