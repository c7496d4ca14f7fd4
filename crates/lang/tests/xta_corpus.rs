//! Every timed automaton of the shared corpus loads or is refused with the construct named, and every
//! query listed for one can be read. Skipped where the corpus is absent.

extern crate thetis_lang as lang;

#[path = "../testing/fields.rs"]
mod fields;

use std::path::{Path, PathBuf};

use lang::Model;
use lang::xta::{Format, load};

/// Models that are refused, with a part of the reason.
const REFUSED: [(&str, &str); 1] = [
    // A stray `=` in the list of locations.
    ("critical-2-25-50.xta", "expected the name of a location, found `=`"),
];

fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: {} is absent", path.display());
    None
}

fn refusal(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    REFUSED.iter().find(|(refused, _)| *refused == name).map(|(_, reason)| *reason)
}

fn load_file(path: &Path) -> Result<Model, String> {
    let source = std::fs::read_to_string(path).expect("a readable file");
    let line = |at: u32| source[..at as usize].matches('\n').count() + 1;
    load(&source, Format::Xta).map_err(|errors| {
        let shown: Vec<String> =
            errors.iter().map(|error| format!("{}: {}", line(error.span.start), error.message)).collect();
        shown.join("\n")
    })
}

fn every_model_loads_or_is_refused_by_name() {
    let Some(corpus) = corpus() else { return };
    let mut failures = vec![];
    let mut seen = 0;
    for folder in ["xta", "xta/families"] {
        let mut files: Vec<PathBuf> = std::fs::read_dir(corpus.join(folder))
            .expect("a readable folder")
            .map(|entry| entry.expect("a readable entry").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "xta"))
            .collect();
        files.sort();
        for path in files {
            seen += 1;
            match (load_file(&path), refusal(&path)) {
                (Ok(model), None) => assert!(!model.system.processes.is_empty()),
                (Err(errors), Some(reason)) if errors.contains(reason) => {}
                (Err(errors), _) => failures.push(format!("{}:\n{errors}", path.display())),
                (Ok(_), Some(_)) => failures.push(format!("{} is not refused any more", path.display())),
            }
        }
    }
    assert!(seen > 50, "only {seen} models");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn every_listed_query_can_be_read() {
    let Some(corpus) = corpus() else { return };
    let manifest = std::fs::read_to_string(corpus.join("manifest.csv")).expect("the manifest");
    let mut failures = vec![];
    let mut seen = 0;
    for row in manifest.lines().skip(1) {
        let fields = fields::fields(row);
        if fields.get(1).map(String::as_str) != Some("xta") || fields[3].starts_with("none") {
            continue;
        }
        let path = corpus.join(&fields[2]);
        if refusal(&path).is_some() {
            continue;
        }
        seen += 1;
        let read = load_file(&path).and_then(|mut model| {
            model.parse_property(&fields[0], &fields[3]).map_err(|errors| errors[0].message.clone())
        });
        if let Err(errors) = read {
            failures.push(format!("{}: {}\n{errors}", fields[0], fields[3]));
        }
    }
    assert!(seen > 40, "only {seen} queries");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

sampling::with_corpus!(every_model_loads_or_is_refused_by_name, every_listed_query_can_be_read);
