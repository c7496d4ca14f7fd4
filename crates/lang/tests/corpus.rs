//! Models of other tools, where they are at hand.

extern crate thetis_lang as lang;

#[path = "../testing/fields.rs"]
mod fields;

use std::fs;
use std::path::{Path, PathBuf};

use lang::xsts;

fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if !path.is_dir() {
        eprintln!("skipped: no corpus at {}", path.display());
        return None;
    }
    Some(path)
}

fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "xsts") {
            found.push(path);
        }
    }
}

fn models_load_and_survive_printing() {
    let Some(corpus) = corpus() else { return };
    let mut paths = vec![];
    models(&corpus.join("xsts"), &mut paths);
    models(&corpus.join("ltl"), &mut paths);
    assert!(!paths.is_empty());
    for path in paths {
        if path.file_name().unwrap().to_string_lossy().starts_with("bad_") {
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        let loaded = xsts::load(&source);
        assert!(loaded.is_ok(), "{}: {:#?}", path.display(), loaded.err());
        let (model, _) = xsts::parse(&source);
        let (again, errors) = xsts::parse(&xsts::print(&model));
        assert_eq!(errors, [], "{}", path.display());
        assert!(again == model, "{}", path.display());
    }
}

fn tasks_are_accepted_or_rejected_as_listed() {
    let Some(corpus) = corpus() else { return };
    let mut seen = 0;
    for line in fs::read_to_string(corpus.join("manifest.csv")).unwrap().lines().skip(1) {
        let row = fields::fields(line);
        let [id, formalism, model, property, kind, expected, ..] = &row[..] else { panic!("{line}") };
        if !["xsts", "txsts"].contains(&formalism.as_str())
            || !["safety", "parse", "lasso"].contains(&kind.as_str())
        {
            continue;
        }
        seen += 1;
        let source = fs::read_to_string(corpus.join(model)).unwrap();
        let given = match property.ends_with(".prop") {
            true => Some(fs::read_to_string(corpus.join(property)).unwrap()),
            false => Some(property.clone()).filter(|text| !text.is_empty()),
        };
        let result = xsts::load(&source).and_then(|mut model| match given {
            Some(text) => model.parse_property("given", &text).map(Some),
            None => Ok(model.property()),
        });
        let accepted = matches!(result, Ok(Some(_)));
        assert_eq!(accepted, expected != "reject", "{id}: {result:#?}");
    }
    assert!(seen > 50, "only {seen} tasks found");
}

sampling::with_corpus!(models_load_and_survive_printing, tasks_are_accepted_or_rejected_as_listed);
