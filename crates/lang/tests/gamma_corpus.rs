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

#[test]
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
#[test]
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

#[test]
fn every_project_is_resolved() {
    let Some(corpus) = corpus() else { return };
    let (mut wrong, mut warnings) = (String::new(), String::new());
    for path in files_below(&corpus, "gcd").into_iter().filter(|path| !is_wrong(path)) {
        let mut files = Folder::of(&path, &corpus);
        match gamma::load_project(&std::fs::read_to_string(&path).unwrap(), &mut files) {
            Ok(project) => warnings += &shown(&files.files, &project.warnings),
            Err(said) => wrong += &shown(&files.files, &said),
        }
    }
    if let Ok(file) = std::env::var("GAMMA_WARNINGS") {
        std::fs::write(file, warnings).unwrap();
    }
    assert!(wrong.is_empty(), "{wrong}");
}
