//! Temporal questions that others have published with their verdicts, where they are at hand.

#[path = "../../lang/testing/fields.rs"]
mod fields;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fields::fields;
use thetis::engine::{Quiet, Stop};
use thetis::extremes::{Extremum, Measured};
use thetis::{Answered, Check, Model, Outcome, Source};

fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if path.join("manifest.csv").is_file() {
        return Some(path);
    }
    eprintln!("skipped: no corpus beside the workspace");
    None
}

/// What was found, in the words of the lists.
fn word(answered: &Answered) -> &'static str {
    match &answered.outcome {
        Outcome::Holds if answered.certified => "holds",
        Outcome::Violated if answered.certified => "violated",
        _ => "open",
    }
}

fn models_with_formulas_get_the_listed_verdict() {
    let Some(corpus) = corpus() else { return };
    let manifest = fs::read_to_string(corpus.join("manifest.csv")).expect("a list");
    let mut wrong = vec![];
    let mut count = 0;
    for line in manifest.lines().skip(1) {
        let fields = fields(line);
        let [id, formalism, model, property, kind, expected, ..] = &fields[..] else { panic!("{line}") };
        let formula = match (formalism.as_str(), kind.as_str()) {
            ("xsts", "ltl") => property.clone(),
            // Whether a cycle comes through a state that satisfies the property.
            ("xsts", "lasso") => {
                let text = fs::read_to_string(corpus.join(property)).expect("a property");
                let condition = text.trim().trim_start_matches("prop").trim();
                format!("F G !({})", condition.trim_start_matches('{').trim_end_matches('}'))
            }
            _ => continue,
        };
        let expected = match (kind.as_str(), expected.as_str()) {
            ("lasso", "holds") => "violated",
            ("lasso", _) => "holds",
            (_, expected) => expected,
        };
        let mut model = Model::load(corpus.join(model)).expect("a model");
        let question = model.ask(&format!("ltl: {formula}")).unwrap_or_else(|why| panic!("{id}: {why}"));
        let found = word(&model.check(&question, &Check::default()).expect("it can be asked"));
        count += 1;
        if found != expected {
            wrong.push(format!("{id}: {found}, not {expected}"));
        }
    }
    assert!(count >= 25, "only {count} tasks");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// All formulas of a file share one list of states.
fn formulas_of_the_contest_get_the_verdict_of_the_majority() {
    let Some(corpus) = corpus() else { return };
    let nets = corpus.join("mcc");
    let Ok(verdicts) = fs::read_to_string(nets.join("verdicts.csv")) else {
        return eprintln!("skipped: no nets of the contest");
    };
    let mut expected: HashMap<String, &str> = HashMap::new();
    let mut folders = vec![];
    for line in verdicts.lines().skip(1) {
        let fields = fields(line);
        let [net, kind, id, verdict] = &fields[..] else { panic!("{line}") };
        if kind.starts_with("LTL") {
            folders.push((net.clone(), kind.clone()));
            expected.insert(id.clone(), if verdict == "TRUE" { "holds" } else { "violated" });
        }
    }
    folders.sort_unstable();
    folders.dedup();
    let (mut wrong, mut count) = (vec![], 0);
    for (net, kind) in folders {
        let folder = nets.join(&net);
        let mut model = Model::load(folder.join("model.pnml")).expect("a net");
        let text = fs::read_to_string(folder.join(format!("{kind}.xml"))).expect("formulas");
        let asked = model.ask_file(&Source::new(kind.as_str(), text)).expect("nets have such files");
        let asked: Vec<_> =
            asked.expect("formulas").into_iter().map(|asked| asked.expect("a formula")).collect();
        let (questions, stop) = (asked.iter().collect::<Vec<_>>(), Arc::new(Stop::new()));
        let mut tell = |at: usize, answered: Answered| {
            // The lists leave the year out of the names.
            let name = asked[at].name.replace("-2025-", "-").replace("-2024-", "-");
            let Some(expected) = expected.get(&name) else { return };
            let found = word(&answered);
            count += 1;
            if found != *expected {
                wrong.push(format!("{name}: {found}, not {expected}"));
            }
        };
        model
            .check_all(&questions, &Check::default(), &stop, &mut Quiet, &mut tell)
            .expect("they can be asked");
    }
    assert!(count >= 1_000, "only {count} formulas");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// All bounds of a file share one list of states.
fn bounds_of_the_contest_are_those_of_the_majority() {
    let Some(corpus) = corpus() else { return };
    let nets = corpus.join("mcc");
    let Ok(verdicts) = fs::read_to_string(nets.join("verdicts.csv")) else {
        return eprintln!("skipped: no nets of the contest");
    };
    let mut expected: HashMap<String, i64> = HashMap::new();
    let mut folders = vec![];
    for line in verdicts.lines().skip(1) {
        let fields = fields(line);
        let [net, kind, id, verdict] = &fields[..] else { panic!("{line}") };
        if kind == "UpperBounds" {
            folders.push(net.clone());
            expected.insert(id.clone(), verdict.parse().expect("a number"));
        }
    }
    folders.sort_unstable();
    folders.dedup();
    let (mut wrong, mut count) = (vec![], 0);
    for net in folders {
        let folder = nets.join(&net);
        let mut model = Model::load(folder.join("model.pnml")).expect("a net");
        let text = fs::read_to_string(folder.join("UpperBounds.xml")).expect("bounds");
        let asked = model.ask_file(&Source::new("UpperBounds", text)).expect("nets have such files");
        let asked: Vec<_> = asked.expect("bounds").into_iter().map(|asked| asked.expect("a bound")).collect();
        let (questions, stop) = (asked.iter().collect::<Vec<_>>(), Arc::new(Stop::new()));
        let mut tell = |_: &Model, at: usize, measured: Vec<Measured>| {
            // The lists leave the year out of the names.
            let name = asked[at].name.replace("-2025-", "-").replace("-2024-", "-");
            let expected = expected[&name];
            let found = measured[0].greatest.as_ref().expect("the greatest value is asked for");
            count += 1;
            if found.extremum != Extremum::Attained(expected) || !found.is_certified() {
                wrong.push(format!("{name}: {:?}, not {expected}", found.extremum));
            }
        };
        model
            .extremes_all(&questions, &Check::default(), &stop, &mut Quiet, &mut tell)
            .expect("they can be asked");
    }
    assert_eq!(count, 576);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

sampling::with_corpus!(
    models_with_formulas_get_the_listed_verdict,
    formulas_of_the_contest_get_the_verdict_of_the_majority,
    bounds_of_the_contest_are_those_of_the_majority
);
