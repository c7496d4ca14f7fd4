//! Every Gamma file of the shared corpus is read. Skipped where the corpus is absent.

extern crate thetis_lang as lang;

#[path = "../testing/folder.rs"]
mod folder;

use std::path::{Path, PathBuf};

use folder::{Folder, files_below};
use lang::diagnostic::Diagnostic;
use lang::gamma;

fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/gamma");
    if let Ok(path) = path.canonicalize() {
        return Some(path);
    }
    eprintln!("skipped: {} is absent", path.display());
    None
}

fn shown(files: &[PathBuf], said: &[Diagnostic]) -> String {
    let line = |diagnostic: &Diagnostic| {
        let path = &files[usize::from(diagnostic.span.file.0)];
        let text = std::fs::read_to_string(path).unwrap();
        let line = text[..diagnostic.span.start as usize].matches('\n').count() + 1;
        format!("{}:{line}: {}\n", path.display(), diagnostic.message)
    };
    said.iter().map(line).collect()
}

fn every_package_parses() {
    let Some(corpus) = corpus() else { return };
    let mut wrong = String::new();
    for path in files_below(&corpus, "gcd") {
        let (_, said) = gamma::parse(&std::fs::read_to_string(&path).unwrap());
        wrong += &shown(&[path], &said);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// One file of tutorial.start imports three that have to be compiled from Yakindu first.
fn every_import_is_found() {
    let Some(corpus) = corpus() else { return };
    let mut wrong = String::new();
    for path in files_below(&corpus, "gcd") {
        let mut files = Folder::of(&path, &corpus);
        let (_, said) = gamma::parse_project(&std::fs::read_to_string(&path).unwrap(), &mut files);
        if path.ends_with("hu.bme.mit.gamma.tutorial.start/model/Crossroad.gcd") {
            assert_eq!(said.len(), 3, "{}", shown(&files.files, &said));
            continue;
        }
        wrong += &shown(&files.files, &said);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Those that are meant to be wrong, and the one whose imports are missing.
fn is_wrong(path: &Path) -> bool {
    path.ends_with("hu.bme.mit.gamma.tutorial.start/model/Crossroad.gcd")
        || path.components().any(|part| part.as_os_str() == "hu.bme.mit.gamma.expression.validation.test")
}

fn every_project_is_resolved() {
    let Some(corpus) = corpus() else { return };
    let mut wrong = String::new();
    for path in files_below(&corpus, "gcd").into_iter().filter(|path| !is_wrong(path)) {
        let mut files = Folder::of(&path, &corpus);
        match gamma::load_project(&std::fs::read_to_string(&path).unwrap(), &mut files) {
            Ok(project) => assert_eq!(project.ast.packages.len(), files.files.len()),
            Err(said) => wrong += &shown(&files.files, &said),
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The words and numbers of a text, sorted; without those that printing leaves out or spells anew.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![];
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
        } else if c.is_alphanumeric() || c == '_' {
            // `5s` is a number and a unit.
            let digits = c.is_ascii_digit();
            let part = |c: char| if digits { c.is_ascii_digit() } else { c.is_alphanumeric() || c == '_' };
            let end = rest.find(|c: char| !part(c)).unwrap_or(rest.len());
            words.push(rest[..end].trim_end_matches("Annotation").to_owned());
            rest = &rest[end..];
        } else {
            rest = &rest[c.len_utf8()..];
        }
    }
    for word in &mut words {
        if word == "PrioritizedTransitions" {
            *word = "TransitionPriority".to_owned();
        }
    }
    words.sort_unstable();
    words
}

/// Nothing is lost, and what is printed means the same.
fn every_package_survives_printing() {
    let Some(corpus) = corpus() else { return };
    for path in files_below(&corpus, "gcd") {
        let text = std::fs::read_to_string(&path).unwrap();
        let (ast, _) = gamma::parse(&text);
        let package = ast.packages.ids().next().unwrap();
        let printed = gamma::print::package(&ast, package);
        let (again, said) = gamma::parse(&printed);
        assert!(said.is_empty(), "{}: {said:?}\n{printed}", path.display());
        assert_eq!(gamma::print::package(&again, package), printed, "{}", path.display());
        // An `exit /` or `entry /` without statements is left out, and `!` becomes `not`.
        let (before, after) = (words(&text), words(&printed));
        let counted = |word: &String, list: &[String]| {
            let from = list.partition_point(|other| other < word);
            list.partition_point(|other| other <= word) - from
        };
        let all =
            before.iter().chain(&after).filter(|word| !matches!(word.as_str(), "entry" | "exit" | "not"));
        let differ = all.filter(|word| counted(word, &before) != counted(word, &after));
        let mut differ: Vec<_> = differ.collect();
        differ.dedup();
        assert!(differ.is_empty(), "{}: {differ:?}", path.display());
    }
}

fn every_property_file_parses() {
    let Some(corpus) = corpus() else { return };
    let mut count = 0;
    for path in files_below(&corpus, "gpd") {
        let (file, said) = gamma::property::parse(&std::fs::read_to_string(&path).unwrap());
        assert!(said.is_empty(), "{}", shown(&[path], &said));
        assert!(file.component.is_some());
        count += file.properties.len();
    }
    // Counted by hand.
    assert_eq!(count, 12);
}

fn every_task_file_parses() {
    let Some(corpus) = corpus() else { return };
    let (mut wrong, mut analyses, mut verifications) = (String::new(), 0, 0);
    for path in files_below(&corpus, "ggen") {
        let (file, said) = gamma::task::parse(&std::fs::read_to_string(&path).unwrap());
        for task in &file.tasks {
            match task.kind {
                gamma::task::TaskKind::Analysis(_) => analyses += 1,
                gamma::task::TaskKind::Verification(_) => verifications += 1,
                gamma::task::TaskKind::Other(_) => {}
            }
        }
        wrong += &shown(&[path], &said);
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(analyses > 100 && verifications > 50, "{analyses} {verifications}");
}

fn every_trace_parses_and_survives_printing() {
    let Some(corpus) = corpus() else { return };
    for path in files_below(&corpus, "get") {
        let (trace, said) = gamma::execution_trace::parse(&std::fs::read_to_string(&path).unwrap());
        assert!(said.is_empty(), "{}", shown(&[path], &said));
        assert!(!trace.steps.is_empty(), "{}", path.display());
        let printed = gamma::execution_trace::print(&trace);
        let (again, said) = gamma::execution_trace::parse(&printed);
        assert!(said.is_empty(), "{said:?}\n{printed}");
        assert_eq!(gamma::execution_trace::print(&again), printed);
        assert_eq!(again.steps.len(), trace.steps.len());
    }
}

/// Each declaration below the line `// ERROR` of the suite is there to be complained about.
fn what_is_wrong_on_purpose_is_complained_about() {
    let Some(corpus) = corpus() else { return };
    let suite = corpus.join("tests/hu.bme.mit.gamma.expression.validation.test/model");
    let lines = |name: &str| {
        let path = suite.join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        let mut files = Folder::of(&path, &corpus);
        let said = match gamma::load_project(&text, &mut files) {
            Ok(project) => project.warnings,
            Err(said) => said,
        };
        let own = said.iter().filter(|said| said.span.file == ir::FileId::default());
        let mut lines: Vec<usize> =
            own.map(|said| text[..said.span.start as usize].matches('\n').count() + 1).collect();
        lines.sort_unstable();
        lines.dedup();
        (text, lines)
    };
    // Each constant below the mark is wrong.
    let (text, found) = lines("ExpressionLanguage/ExpressionValidationError.gcd");
    let below = text.find("// ERROR").unwrap();
    for (at, line) in text.lines().enumerate() {
        let offset: usize = text.lines().take(at).map(|line| line.len() + 1).sum();
        if offset > below && line.trim_start().starts_with("const ") {
            assert!(found.contains(&(at + 1)), "line {}: {line}", at + 1);
        }
    }
    let (text, found) = lines("ExpressionLanguage/ExpressionValidationInfo.gcd");
    let below = text.lines().position(|line| line.contains("// INFO")).unwrap();
    for (at, line) in text.lines().enumerate().skip(below) {
        assert!(!line.starts_with("const") || found.contains(&(at + 1)), "line {}: {line}", at + 1);
    }
    let (text, found) = lines("Types/Types.gcd");
    let line = |part: &str| {
        text.lines().collect::<Vec<_>>().iter().rposition(|line| line.contains(part)).unwrap() + 1
    };
    for part in ["type uniqueName", "type typeDeclaration"] {
        assert!(found.contains(&line(part)), "{part}: {found:?}");
    }
    // Of each circle of records one is told.
    assert!((line("type rec0")..=line("type rec1")).any(|line| found.contains(&line)), "{found:?}");
    assert!((line("type rec2")..=line("type rec4")).any(|line| found.contains(&line)), "{found:?}");
    let (text, found) = lines("ActionLanguage/ActionValidationError.gcd");
    let line = |part: &str| text.lines().position(|line| line.contains(part)).unwrap() + 1;
    for part in [
        "proc0",
        "proc1",
        "proc2",
        "proc3",
        "proc4",
        "proc5",
        "proc6",
        "proc7",
        "b := bb",
        "var a : decimal",
        "int1 := 12",
        "case 12:",
        "case int1:",
        "switch (b)",
        "if (int1)",
        "elseif (12)",
        "branch [int1]",
        "branch [dir]",
        "for (i : dec",
        "for (i : int in dec1)",
        "assert(int1)",
        "assert(dir)",
        "assert(1.1)",
    ] {
        assert!(found.contains(&line(part)), "{part}: {found:?}");
    }
    let (text, found) = lines("ActionLanguage/ActionValidationWarning.gcd");
    let line = |part: &str| text.lines().position(|line| line.contains(part)).unwrap() + 1;
    for part in ["procedure example ()", "break;"] {
        assert!(found.contains(&line(part)), "{part}: {found:?}");
    }
}

/// Properties, tasks and traces are about packages that they import; of an unfolded form (`.gsm`) the package is meant.
fn packages_of_properties_and_traces_are_found() {
    let Some(corpus) = corpus() else { return };
    let mut asked = vec![];
    for path in files_below(&corpus, "gpd") {
        let (file, _) = gamma::property::parse(&std::fs::read_to_string(&path).unwrap());
        let component = file.ast.text(file.component.unwrap()).to_owned();
        asked.push((path, file.imports, component));
    }
    for path in files_below(&corpus, "get") {
        let (trace, _) = gamma::execution_trace::parse(&std::fs::read_to_string(&path).unwrap());
        let component = trace.ast.ref_text(trace.component.unwrap()).to_owned();
        asked.push((path, trace.import.into_iter().collect(), component));
    }
    assert!(asked.len() >= 30);
    for (path, imports, component) in asked {
        let mut files = Folder::of(&path, &corpus);
        let project = gamma::load_imports(&imports, &mut files);
        let project = project.unwrap_or_else(|said| panic!("{}: {said:?}", path.display()));
        assert!(project.find_component(&component).is_some(), "{}: {component}", path.display());
    }
}

fn every_scenario_file_parses() {
    let Some(corpus) = corpus() else { return };
    let mut count = 0;
    for path in files_below(&corpus, "gsc") {
        let (file, said) = gamma::scenario::parse(&std::fs::read_to_string(&path).unwrap());
        assert!(said.is_empty(), "{}", shown(&[path], &said));
        count += file.scenarios.len();
    }
    assert!(count > 30, "{count}");
}

sampling::with_corpus!(
    every_package_parses,
    every_import_is_found,
    every_project_is_resolved,
    every_package_survives_printing,
    every_property_file_parses,
    every_task_file_parses,
    every_trace_parses_and_survives_printing,
    what_is_wrong_on_purpose_is_complained_about,
    packages_of_properties_and_traces_are_found,
    every_scenario_file_parses
);
