//! What the compiler does not see: the code map is complete, and random tests draw the same cases each time.

use std::path::{Path, PathBuf};

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
