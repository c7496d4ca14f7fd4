//! The seeds of the fuzzer, as an ordinary test without libFuzzer.

#[path = "../../fuzz/src/front_end.rs"]
mod front_end;

use std::path::{Path, PathBuf};

fn seeds(language: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(language);
    let entries = std::fs::read_dir(folder).expect("the seeds are committed");
    let mut seeds: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    seeds.sort();
    seeds
}

#[test]
fn every_seed_is_handled() {
    every(&seeds("xsts"), 24, front_end::check_xsts);
    every(&seeds("xta"), 2, front_end::check_xta);
}

fn every(seeds: &[PathBuf], least: usize, check: fn(&[u8])) {
    assert!(seeds.len() >= least, "seeds are missing");
    for seed in seeds {
        println!("{}", seed.display());
        check(&std::fs::read(seed).expect("a readable seed"));
    }
}

#[test]
fn names_of_seeds_tell_whether_they_are_accepted() {
    for seed in seeds("xsts") {
        let name = seed.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = String::from_utf8_lossy(&std::fs::read(&seed).expect("a readable seed")).into_owned();
        match lang::xsts::load(&text) {
            Ok(_) => assert!(name.starts_with("good-"), "{name} is accepted"),
            Err(errors) => assert!(name.starts_with("bad-"), "{name}: {}", errors[0].message),
        }
    }
}
