//! `thetis check --all`: every question of a case gets the answer that it gets alone, and what is printed of
//! answers that questions share follows the schema.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::Dir;
use crate::evidence::assert_valid;

/// The cases of a folder, sorted.
fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases").join(folder);
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    paths.sort();
    paths
}

/// What the comments of a case ask.
fn properties(text: &str) -> Vec<&str> {
    let asked =
        |line| str::strip_prefix(line, "// property: ").or_else(|| line.strip_prefix("<!-- property: "));
    let lines = text.lines().filter_map(|line| asked(line.trim()));
    lines.map(|text| text.strip_suffix("-->").unwrap_or(text).trim()).collect()
}

/// The answers of a run, in order; what is wrong with a single question is an answer, too.
fn answers(dir: &Dir, arguments: &[&str]) -> Vec<String> {
    let ran = dir.run(arguments);
    assert!(ran.code < 4, "{arguments:?}: {ran:?}");
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    match report["properties"].as_array() {
        Some(records) => {
            assert_valid("result.schema.json", &ran.out);
            let word = |record: &Value| match &record["verdict"] {
                Value::String(verdict) => verdict.clone(),
                other => panic!("{arguments:?}: {other}"),
            };
            records.iter().map(word).collect()
        }
        None => {
            assert_valid("error.schema.json", &ran.out);
            vec!["error".to_owned()]
        }
    }
}

#[test]
fn every_question_gets_the_answer_that_it_gets_alone() {
    let dir = Dir::new("all");
    let (mut models, mut compared) = (0, 0);
    for path in ["xsts", "pnml"].iter().flat_map(|folder| cases(folder)) {
        let (text, model) = (std::fs::read_to_string(&path).unwrap(), path.to_str().unwrap());
        let asked = properties(&text);
        if asked.len() < 2 || text.contains("states: stable") {
            continue;
        }
        let mut arguments = vec!["check", model, "--json"];
        asked.iter().for_each(|text| arguments.extend(["-p", text]));
        let together = answers(&dir, &arguments);
        let alone: Vec<String> =
            asked.iter().flat_map(|text| answers(&dir, &["check", model, "--json", "-p", text])).collect();
        assert_eq!(together, alone, "{model}");
        models += 1;
        compared += alone.len();
    }
    println!("{models} models, {compared} questions");
    assert!(models > 50 && compared > 120, "{models} models, {compared} questions");
}
