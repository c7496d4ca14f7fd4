//! Invariants in files, and their obligations for other solvers.

use certify::Rejection;
use engine::{Answer, Config, Engine, Quiet, Stop};
use ir::{Certificate, Claim, Invariant, InvariantEntry, Question, System, VarId};
use lang::xsts::arbitrary;
use proptest::prelude::*;
use serde_json::{Value, json};
use thetis::certificate;
use thetis::trace::PropertyRef;
use thetis::trace::lift::Lift;
use thetis::{Model, Scope, Source};

use crate::evidence::{assert_valid, tampered};
use crate::{COUNTER, Dir};

/// The states that explicit search finds, each as a formula; every successor is somewhere among all of
/// them. None if the target can be reached, or there are too many.
fn state_by_state(system: &System, question: &Question) -> Option<Invariant> {
    let config =
        Config { engine: Engine::Explicit, preprocess: false, state_limit: Some(200), ..Config::default() };
    let (answer, _) = engine::search(system, question, &config, &Stop::new(), &mut Quiet);
    let Answer::Excluded(Certificate::ClosedSet(set)) = answer else { return None };
    let mut terms = system.terms.clone();
    let vars: Vec<VarId> = system.state_vars().collect();
    let all: Vec<u32> = (0..set.len() as u32).collect();
    let entry = |at: &u32| {
        let state = set.state(*at as usize);
        let mut parts = vec![];
        for (var, value) in vars.iter().zip(&state.values) {
            if let Some(value) = value {
                let (var, value) = (terms.var(*var), terms.constant(value.clone()));
                parts.push(terms.eq(var, value));
            }
        }
        InvariantEntry { locations: state.locations, formula: terms.and(parts), successors: all.clone() }
    };
    let entries = all.iter().map(entry).collect();
    Some(Invariant { terms, initial: all.clone(), entries })
}

/// A directory with the counter and an invariant of it in `i.json`.
fn written(name: &str) -> Dir {
    let dir = Dir::new(name);
    dir.file("m.xsts", COUNTER);
    let mut model = Model::from_text("m.xsts", COUNTER).unwrap();
    let question = model.ask_named("prop", &Source::new("-p", "n <= 5")).unwrap();
    let mut system = model.system().clone();
    let searched = system.question(question.property.claim);
    let invariant = state_by_state(&system, &searched).expect("it holds");
    let about = PropertyRef::new(&question, &Scope::default());
    let (lift, certificate) = (Lift::new(&model, &system), Certificate::Invariant(invariant));
    certificate::write(&dir.0.join("i.json"), lift, about, &searched, &certificate).unwrap();
    dir
}

#[test]
fn an_invariant_is_written_and_accepted() {
    let dir = written("invariant");
    assert_valid("certificate.schema.json", &dir.read("i.json"));
    let ran = dir.run(&["validate", "m.xsts", "i.json"]);
    assert!(ran.first().starts_with("valid: an invariant of "), "{ran:?}");
    assert!(ran.first().contains("`n <= 5` holds"), "{ran:?}");
    dir.run(&["validate", "m.xsts", "i.json", "-p", "n <= 4"])
        .refused(&["i.json", "contains a state that violates the property"]);
}

#[test]
fn damaged_and_forged_invariants_are_refused() {
    let dir = written("refuse-invariant");
    let entries = |c: &mut Value| c["entries"].as_array_mut().unwrap().clone();
    let count = entries(&mut serde_json::from_str(&dir.read("i.json")).unwrap()).len();
    for at in 0..count {
        tampered(&dir, "i.json", |c| drop(c["entries"].as_array_mut().unwrap().remove(at)));
        tampered(&dir, "i.json", |c| c["entries"][at]["formula"] = json!("false"));
        tampered(&dir, "i.json", |c| c["entries"][at]["formula"] = json!("(= |n| 7)"));
        tampered(&dir, "i.json", |c| c["entries"][at]["locations"] = json!(["fault"]));
    }
    let formula = |text: &str| tampered(&dir, "i.json", |c| c["entries"][1]["formula"] = json!(text));
    assert!(formula("true").contains("contains a state that violates the property"));
    assert!(formula("(< |m| 7)").contains("entry 1: there is no variable |m|"));
    assert!(formula("|n|").contains("entry 1: the formula is not a truth value"));
    assert!(formula("(and |n| true)").contains("`and` cannot be applied"));
    assert!(formula("(= |mode| (as |Down| |Mode|))").contains("|Mode| has no literal |Down|"));
    assert!(formula("(= |mode| 0)").contains("`=` cannot be applied"));
    formula("");
    formula("(((((");
    formula(&"(".repeat(1_000_000));
    formula(&"(not ".repeat(1_000_000));
    let both = |value: Value| {
        move |c: &mut Value| {
            for entry in c["entries"].as_array_mut().unwrap() {
                entry["formula"] = value.clone();
            }
        }
    };
    tampered(&dir, "i.json", both(json!("true")));
    tampered(&dir, "i.json", both(json!("false")));
    tampered(&dir, "i.json", both(json!(true)));
    tampered(&dir, "i.json", |c| c["initial"] = json!([]));
    tampered(&dir, "i.json", |c| c["initial"] = json!([9999]));
    tampered(&dir, "i.json", |c| c["initial"] = json!([-1]));
    tampered(&dir, "i.json", |c| c["entries"] = json!([]));
    tampered(&dir, "i.json", |c| c["entries"][2]["successors"] = json!([]));
    tampered(&dir, "i.json", |c| c["entries"][2]["successors"] = json!([4_000_000_000_u32]));
    tampered(&dir, "i.json", |c| c["entries"][2]["successors"] = json!(["all"]));
    tampered(&dir, "i.json", |c| c["entries"][2]["locations"] = json!(["nowhere"]));
    tampered(&dir, "i.json", |c| c["entries"][2]["locations"] = json!([]));
    tampered(&dir, "i.json", |c| c["entries"][2]["note"] = json!("trust me"));
    tampered(&dir, "i.json", |c| c["states"] = json!([]));
    tampered(&dir, "i.json", |c| c["kind"] = json!("closed-set"));
    tampered(&dir, "i.json", |c| drop(c.as_object_mut().unwrap().remove("entries")));
    tampered(&dir, "i.json", |c| drop(c.as_object_mut().unwrap().remove("initial")));
    tampered(&dir, "i.json", |c| c["variables"][1]["name"] = json!("m"));
    let why = tampered(&dir, "i.json", |c| c["version"] = json!(4));
    assert!(why.contains("of version 4"), "{why}");
    // Of a model that is almost the same.
    dir.file("other.xsts", COUNTER.replace("n < 5", "n < 6"));
    dir.run(&["validate", "other.xsts", "i.json"]).refused(&["i.json", "other.xsts"]);
}

#[test]
fn obligations_can_be_put_to_other_solvers() {
    let dir = written("obligations");
    let ran = dir.run(&["validate", "m.xsts", "i.json", "--obligations", "o"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("obligations written to o"), "{ran:?}");
    let text = dir.read("o/obligations-00001.smt2");
    assert!(text.starts_with("; Obligations 1 to "), "{text}");
    assert!(text.contains("; `n` after 0 changes"), "{text}");
    let answers = smt::z3::script(&text).unwrap();
    assert_eq!(answers.lines().count(), text.matches("(check-sat)").count());
    assert!(answers.lines().all(|answer| answer == "unsat"), "{answers}");
    // Earlier obligations may be replaced, other files may not.
    assert_eq!(dir.run(&["validate", "m.xsts", "i.json", "--obligations", "o"]).code, 0);
    dir.file("o/mine.txt", "precious");
    dir.run(&["validate", "m.xsts", "i.json", "--obligations", "o"]).refused(&["`o`", "other files"]);
    dir.run(&["check", "m.xsts", "--obligations", "o"]).refused(&["`o`", "other files"]);
    assert_eq!(dir.read("o/mine.txt"), "precious");
}

#[test]
fn certificates_without_obligations_say_so() {
    let dir = Dir::new("no-obligations");
    let ran = dir.file("m.xsts", COUNTER).run(&["check", "m.xsts", "--obligations", "o"]);
    ran.expect(0, "holds");
    assert!(ran.err.contains("no obligations were written"), "{ran:?}");
}

#[test]
fn names_of_parts_do_not_matter() {
    // The same formula, spelt with parts and without.
    let dir = written("parts");
    let mut file: Value = serde_json::from_str(&dir.read("i.json")).unwrap();
    let text = file["entries"][1]["formula"].as_str().unwrap().to_owned();
    file["entries"][1]["formula"] = json!(format!("(let ((?7 {text})) (and ?7 (or ?7 false)))"));
    dir.file("p.json", file.to_string());
    assert_eq!(dir.run(&["validate", "m.xsts", "p.json"]).code, 0);
}

proptest! {
    #![proptest_config(sampling::runs(200, 2026))]

    /// What search finds in random models is an invariant, before and after it has been in a file, and other
    /// solvers would say so too.
    #[test]
    fn random_models_have_the_invariants_that_search_finds(model in arbitrary::model(), cut in 0..200_usize) {
        let Ok(mut model) = lang::xsts::load(&lang::xsts::print(&model)) else { return Ok(()) };
        let never = Question::never(&mut model.system.terms);
        let claim = model.property().as_ref().map(|property| property.claim);
        let question = match claim {
            Some(claim @ Claim::Always(_)) => model.system.question(claim),
            _ => never.clone(),
        };
        let found = state_by_state(&model.system, &question).map(|found| (question, found));
        let found = found.or_else(|| Some((never.clone(), state_by_state(&model.system, &never)?)));
        let Some((question, invariant)) = found else { return Ok(()) };
        let (system, stop) = (&model.system, Stop::new());
        let effort = certify::check_invariant(system, &question, &invariant, stop.flag());
        prop_assert!(effort.is_ok(), "{effort:?}");

        let writer = certificate::formula::Writer::new(system);
        let reader = certificate::formula::Reader::new(system);
        let mut read = invariant.clone();
        read.terms = system.terms.clone();
        for (copy, entry) in read.entries.iter_mut().zip(&invariant.entries) {
            let text = writer.text(&invariant.terms, entry.formula);
            copy.formula = reader.formula(&mut read.terms, &text).unwrap();
        }
        prop_assert_eq!(certify::check_invariant(system, &question, &read, stop.flag()), effort);

        // Few of them, for starting a solver takes time.
        let mut count = 0;
        let whole = Certificate::Invariant(invariant);
        let exported = certify::export_obligations(system, &question, &whole, stop.flag(), &mut |script| {
            count += 1;
            let answer = smt::z3::script(&format!("{}(check-sat)", script.text)).unwrap();
            assert_eq!(answer.trim(), "unsat", "{}\n{}", script.about, script.text);
            count < 5
        });
        prop_assert_eq!(exported, Ok(certify::Exported::All));

        // With one state less it is either still one (another entry contains that state) or refused.
        if !read.entries.is_empty() {
            let cut = cut % read.entries.len();
            read.entries[cut].formula = read.terms.bool(false);
            let result = certify::check_invariant(system, &question, &read, stop.flag());
            prop_assert!(matches!(result, Ok(_) | Err(Rejection::Wrong(_))), "{result:?}");
        }
    }
}
