//! The seeds of the fuzzer, as an ordinary test without libFuzzer.

#[path = "../../fuzz/src/front_end.rs"]
mod front_end;
#[path = "../../fuzz/src/submission.rs"]
mod submission;
#[path = "../../fuzz/src/temporal.rs"]
mod temporal;

use std::path::{Path, PathBuf};

use certify::Rejection;
use thetis::validate::{Invalid, Submission};

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
    every(&seeds("pnml"), 3, front_end::check_pnml);
    every(&seeds("gamma"), 5, front_end::check_gamma);
    every(&seeds("cfa"), 5, front_end::check_cfa);
    every(&seeds("c"), 5, front_end::check_c);
    every(&seeds("sts"), 3, front_end::check_sts);
    every(&seeds("aiger"), 3, front_end::check_aiger);
    every(&seeds("evidence"), 5, submission::check_evidence);
    every(&seeds("ltl"), 6, temporal::check_ltl);
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

#[test]
fn names_of_formulas_and_automata_tell_whether_they_are_accepted() {
    for seed in seeds("ltl") {
        let name = seed.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&seed).expect("a readable seed");
        let accepted = match seed.extension().is_some_and(|extension| extension == "hoa") {
            true => ltl::hoa::read(&text).is_ok(),
            false => ltl::parse::parse(&text, &mut ltl::parse::Names::default()).is_ok(),
        };
        assert_eq!(name.starts_with("good-"), accepted, "{name}");
    }
}

#[test]
fn names_of_evidence_tell_whether_it_is_accepted() {
    for seed in seeds("evidence") {
        let name = seed.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = String::from_utf8_lossy(&std::fs::read(&seed).expect("a readable seed")).into_owned();
        let mut model =
            thetis::Model::from_text("fuzz.xsts", submission::MODEL).expect("the model of the seeds");
        let submission = Submission::read(&mut model, &name, &text, None);
        let checked = submission.and_then(|submission| submission.check(&thetis::engine::Stop::new()));
        match checked {
            Ok(_) => assert!(name.starts_with("good-"), "{name} is accepted"),
            // Invariants need a solver.
            Err(why) if matches!(*why, Invalid::Rejected(Rejection::Undecided(_))) => {}
            Err(why) => assert!(name.starts_with("bad-"), "{name}: {why}"),
        }
    }
}
