//! What the compiler does not see: the code map is complete, random tests draw the same cases each time, nothing is
//! decided by a text, and libraries know no command line.

mod production;

use std::path::{Path, PathBuf};

use production::Production;

fn sources(folder: &Path, list: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            sources(&path, list);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            list.push(path);
        }
    }
}

#[test]
fn every_source_file_is_in_the_code_map() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let mut missing = vec![];
    for entry in std::fs::read_dir(root.join("crates")).expect("crates") {
        let folder = entry.expect("a readable folder").path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let section = text.split("\n### ").find(|section| section.starts_with(&format!("`crates/{name}`")));
        let section = section.unwrap_or_else(|| panic!("ARCHITECTURE.md has no section `crates/{name}`"));
        let mut files = vec![];
        sources(&folder.join("src"), &mut files);
        for file in files {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            // Roots, and tests that belong to the file above them, go without saying.
            let test = file.components().any(|part| part.as_os_str() == "tests");
            let known = test || matches!(stem.as_str(), "lib" | "main" | "mod" | "tests");
            if !known && !section.contains(&format!("{stem}.rs")) {
                missing.push(format!("{name}: {stem}.rs"));
            }
        }
    }
    missing.sort();
    assert!(missing.is_empty(), "ARCHITECTURE.md does not list {}", missing.join(", "));
}

/// What is published may depend on what is published only, by a version. Tests may need more: Cargo leaves
/// dependencies of tests out that have a path and no version.
#[test]
fn every_crate_could_be_published() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: PathBuf| std::fs::read_to_string(path).expect("a manifest");
    let workspace = read(root.join("Cargo.toml"));
    let declared = |name: &str| workspace.lines().find(|line| line.contains(&format!("\"crates/{name}\"")));
    let mut private = vec![];
    for entry in std::fs::read_dir(root.join("crates")).expect("crates") {
        let folder = entry.expect("a readable folder").path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let manifest = read(folder.join("Cargo.toml"));
        let is_private = manifest.contains("publish = false");
        for key in ["description = ", "version.workspace = true", "license.workspace = true"] {
            assert!(manifest.contains(key), "{name} does not say `{key}`");
        }
        assert!(
            !manifest.contains("path = \"../"),
            "{name} depends on a crate that the workspace does not name"
        );
        if let Some(line) = declared(&name) {
            assert_eq!(line.contains("version = "), !is_private, "{name}");
        }
        private.extend(is_private.then_some(name));
    }
    assert_eq!(private, ["sampling"], "all else is for others, too");
}

#[test]
fn every_random_test_has_its_seed() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut files = vec![];
    sources(&crates, &mut files);
    let random = |text: &str| text.contains("proptest! {") || text.contains("TestRunner::new");
    let read = |file: &PathBuf| std::fs::read_to_string(file).expect("a readable file");
    files.retain(|file| random(&read(file)));
    assert!(files.len() > 10, "random tests are spelt otherwise now: only {files:?}");
    files.retain(|file| !read(file).contains("sampling::runs("));
    assert!(files.is_empty(), "without `sampling::runs`: {files:?}");
}

/// Files that look at texts because that is their work, by what they look at.
const READERS: &[(&str, &[&str])] = &[
    (
        "texts in a modelling language become tokens, trees and meanings",
        &[
            "lang/src/gamma/atom.rs",
            "lang/src/gamma/execution_trace.rs",
            "lang/src/gamma/import.rs",
            "lang/src/gamma/lexer.rs",
            "lang/src/gamma/lower/time.rs",
            "lang/src/gamma/model.rs",
            "lang/src/gamma/parser.rs",
            "lang/src/gamma/plan.rs",
            "lang/src/gamma/parser/action.rs",
            "lang/src/gamma/parser/annotation.rs",
            "lang/src/gamma/parser/chart.rs",
            "lang/src/gamma/parser/composition.rs",
            "lang/src/gamma/parser/declaration.rs",
            "lang/src/gamma/parser/expr.rs",
            "lang/src/gamma/property.rs",
            "lang/src/gamma/question.rs",
            "lang/src/gamma/scenario.rs",
            "lang/src/gamma/task.rs",
            "lang/src/gamma/task_model.rs",
            "lang/src/aiger/mod.rs",
            "lang/src/aiger/read.rs",
            "lang/src/c/call.rs",
            "lang/src/c/elaborate.rs",
            "lang/src/c/mod.rs",
            "lang/src/c/parse.rs",
            "lang/src/c/prp.rs",
            "lang/src/c/question.rs",
            "lang/src/c/task.rs",
            "lang/src/cfa/mod.rs",
            "lang/src/cfa/parser.rs",
            "lang/src/pnml/contest.rs",
            "lang/src/pnml/document.rs",
            "lang/src/pnml/mod.rs",
            "lang/src/pnml/property.rs",
            "lang/src/pnml/token.rs",
            "lang/src/sts/mod.rs",
            "lang/src/sts/parser.rs",
            "lang/src/temporal.rs",
            "lang/src/theta/parser.rs",
            "lang/src/theta/token.rs",
            "lang/src/xsts/expr.rs",
            "lang/src/xsts/formula.rs",
            "lang/src/xsts/lexer.rs",
            "lang/src/xsts/lower.rs",
            "lang/src/xsts/mod.rs",
            "lang/src/xsts/parser.rs",
            "lang/src/xsts/parser/expr.rs",
            "lang/src/xta/kind.rs",
            "lang/src/xta/declaration.rs",
            "lang/src/xta/lexer.rs",
            "lang/src/xta/mod.rs",
            "lang/src/xta/parser.rs",
            "lang/src/xta/query.rs",
            "lang/src/xta/xml.rs",
            "lang/src/xml.rs",
            "lang/src/yakindu/definition.rs",
            "lang/src/yakindu/document.rs",
            "lang/src/yakindu/lexer.rs",
            "lang/src/yakindu/mod.rs",
            "lang/src/yakindu/names.rs",
            "lang/src/yakindu/parser.rs",
            "lang/src/yakindu/reaction.rs",
        ],
    ),
    (
        "names of choices, options, files and their endings are read from the command line",
        &[
            "cli/src/cli.rs",
            "cli/src/convert.rs",
            "cli/src/guide.rs",
            "cli/src/limits.rs",
            "cli/src/simulate/dialogue.rs",
            "cli/src/theta/options.rs",
            "engine/src/config.rs",
            "smt/src/interpolate/mod.rs",
            "thetis/src/pose.rs",
        ],
    ),
    (
        "values and formulas are read from files that Thetis wrote",
        &["thetis/src/certificate/formula.rs", "thetis/src/trace/datum.rs", "thetis/src/trace/v1.rs"],
    ),
    (
        "formulas and automata are read: temporal logic, specification patterns, the Hanoi format",
        &["ltl/src/hoa/lexer.rs", "ltl/src/hoa/read.rs", "ltl/src/parse.rs", "ltl/src/parse/skeleton.rs"],
    ),
    (
        "campaign files, lists of tasks and what clusters answer are read: names of columns and files, comments of models",
        &[
            "campaign/src/backend/benchexec.rs",
            "campaign/src/backend/slurm.rs",
            "campaign/src/configuration.rs",
            "campaign/src/folder.rs",
            "campaign/src/pattern.rs",
            "campaign/src/svcomp.rs",
            "campaign/src/tasks.rs",
        ],
    ),
    ("the system tells how much memory is used", &["thetis/src/limits.rs"]),
    (
        "files are told from others: by a byte order mark, by the encoding that they declare, and by the names that \
         Thetis gives",
        &["thetis/src/encoding.rs", "thetis/src/file.rs", "thetis/src/obligations.rs"],
    ),
    (
        "what solvers answer is read; they speak in texts",
        &[
            "smt/src/smtlib/mod.rs",
            "smt/src/smtlib/read.rs",
            "smt/src/z3/bits.rs",
            "smt/src/z3/translate.rs",
            "z3-lib/src/context.rs",
        ],
    ),
    (
        "texts are laid out: lines that end as on Windows, sharing in a script, names of entries of arrays and within \
         processes, plurals, values that are shown short, quotation marks",
        &[
            "campaign/src/report/mod.rs",
            "cli/src/info.rs",
            "lang/src/gamma/print.rs",
            "lang/src/xta/types.rs",
            "smt/src/smtlib/print.rs",
            "thetis/src/source.rs",
            "thetis/src/trace/cex.rs",
            "thetis/src/trace/table.rs",
            "thetis/src/trace/uppaal/mod.rs",
        ],
    ),
];

#[test]
fn nothing_is_decided_by_a_text() {
    let known: Vec<&str> = READERS.iter().flat_map(|(_, files)| files.iter().copied()).collect();
    let (mut found, mut needless) = (vec![], known.clone());
    for (name, code) in Production::of_all_crates() {
        let hits: Vec<String> =
            code.decisions_by_text().map(|(line, text)| format!("{line}: {text}")).collect();
        needless.retain(|other| *other != name || hits.is_empty());
        if !hits.is_empty() && !known.contains(&name.as_str()) {
            found.push(format!("{name}\n  {}", hits.join("\n  ")));
        }
    }
    assert!(
        found.is_empty(),
        "what is meant is a field or an enumeration, and a text is never read back:\n{}",
        found.join("\n")
    );
    assert!(needless.is_empty(), "these need no exception any more: {needless:?}");
}

/// Files that call programs of others, whose options they name.
const CALLERS: &[&str] = &[
    "campaign/src/backend/benchexec.rs",
    "campaign/src/backend/hyperqueue.rs",
    "campaign/src/backend/slurm.rs",
];

#[test]
fn libraries_know_no_command_line() {
    let mut found = vec![];
    let libraries = |name: &str| !name.starts_with("cli/") && !CALLERS.contains(&name);
    for (name, code) in Production::of_all_crates().filter(|(name, _)| libraries(name)) {
        let spoken = code.texts.iter().filter(|text| production::names_a_command(text));
        found.extend(spoken.map(|text| format!("{name}: {text:?}")));
    }
    assert!(found.is_empty(), "words with options are made in `cli::words`:\n{}", found.join("\n"));
}
