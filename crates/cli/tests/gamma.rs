//! Statecharts and compositions: our own cases, and the known verdicts of the shared corpus where it is at hand.
//!
//! A case says in its comments what is asked: `component: NAME` for what follows, then `property: P` or `own: Q` for a question
//! of the model's own, `period: T` if time passes so, and `expect: holds [steps=N]` or `violated [steps=N]`. Initialisation is
//! the first step.

use std::fs;
use std::path::{Path, PathBuf};

use engine::{Config, Quiet, Stop};
use lang::Reading;
use thetis::decide;
use thetis::verdict::{Decided, Evidence};
use thetis::{Languages, Model};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn load(path: &Path, reading: &Reading) -> Model {
    let languages = Languages::default().reading(reading.clone());
    languages.load(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The verdict, and how many steps its run has.
fn answer(model: &mut Model, question: &str) -> (String, Option<usize>) {
    let own = model.lowered.questions.iter().flatten().find(|own| own.name == question);
    let property = match own {
        Some(own) => own.property.clone(),
        None => {
            let read = model.lowered.parse_property("property", question);
            read.unwrap_or_else(|errors| panic!("{question}: {}", errors[0].message))
        }
    };
    let system = &mut model.lowered.system;
    let judged = decide::decide(system, &property, &Config::default(), true, &Stop::new(), &mut Quiet);
    let verdict = judged.result.unwrap_or_else(|refused| panic!("{question}: {refused:?}"));
    let word = match &verdict.answer {
        Decided::Holds => "holds".to_owned(),
        Decided::Violated => "violated".to_owned(),
        Decided::Unknown(reason) => reason.to_string(),
    };
    assert!(verdict.certified, "{question}: {word}");
    let steps = match verdict.evidence {
        Evidence::Run(run) => Some(run.steps.len()),
        _ => None,
    };
    (word, steps)
}

#[test]
fn cases_are_as_their_headers_say() {
    let mut wrong = vec![];
    let mut count = 0;
    let mut paths: Vec<PathBuf> =
        fs::read_dir(root().join("cases/gamma")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "gcd"));
    paths.sort();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let mut reading = Reading::default();
        let mut question = None;
        for line in text.lines() {
            let Some((key, value)) = line.strip_prefix("// ").and_then(|line| line.split_once(": ")) else {
                continue;
            };
            match key {
                "component" => reading.component = Some(value.to_owned()),
                "property" | "own" => {
                    assert!(question.is_none(), "{}: a question without expectation", path.display());
                    question = Some(value.to_owned());
                    reading.period = None;
                }
                "period" => reading.period = Some(value.parse().unwrap()),
                "expect" => {
                    let asked = question.take().expect("a question comes before what is expected");
                    let (word, steps) = answer(&mut load(&path, &reading), &asked);
                    let found = match steps {
                        Some(steps) if value.contains("steps=") => format!("{word} steps={steps}"),
                        _ => word,
                    };
                    count += 1;
                    if found != value {
                        wrong.push(format!("{}: {asked}: {found}, not {value}", path.display()));
                    }
                }
                _ => {}
            }
        }
    }
    assert!(count >= 20, "{count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Both lights can be green with the controller of the tests, and cannot with the corrected one of the tutorial: whether
/// instances run at once or in turn, whatever the period, and with free time.
#[test]
fn known_verdicts_of_the_crossroads() {
    let corpus = root().join("../shared/corpus/gamma");
    if !corpus.exists() {
        eprintln!("skipped: {} is absent", corpus.display());
        return;
    }
    let tests = "tests/hu.bme.mit.gamma.tests/model/Crossroads/System";
    let tutorial = "tutorial/hu.bme.mit.gamma.tutorial";
    let models = [
        (format!("{tests}/Synchronous/Crossroad.gcd"), "second", "holds", Some(7)),
        (format!("{tests}/Cascade/Crossroad.gcd"), "second", "holds", Some(5)),
        (format!("{tutorial}.finish/model/Crossroad.gcd"), "secondary", "violated", None),
        (format!("{tutorial}.extra/model/Crossroad.gcd"), "secondary", "violated", None),
    ];
    for (model, second, expected, shortest) in models {
        for period in [None, Some("500ms"), Some("1000ms")] {
            let reading =
                Reading { period: period.map(|period| period.parse().unwrap()), ..Reading::default() };
            let mut loaded = load(&corpus.join(&model), &reading);
            let (word, steps) =
                answer(&mut loaded, &format!("E F {{ prior in Green and {second} in Green }}"));
            assert_eq!(word, expected, "{model} {period:?}");
            // With free time, so many cycles are the fewest; initialisation is one more step.
            if let (Some(shortest), None) = (shortest, period) {
                assert!(steps >= Some(shortest), "{model}: {steps:?}");
            }
        }
    }
}

/// The golden pairs: what we write as timed XSTS has the same reachable states of regions and the same outputs as what Gamma
/// wrote for the same models.
#[test]
fn goals_of_the_golden_exports_have_the_same_verdicts() {
    let corpus = root().join("../shared/corpus");
    if !corpus.exists() {
        eprintln!("skipped: {} is absent", corpus.display());
        return;
    }
    let tests = "gamma/tests/hu.bme.mit.gamma.tests/model";
    let pairs = [
        (format!("{tests}/Crossroads/System/Cascade/Crossroad.gcd"), "Crossroad-Theta_timed", 40),
        (
            format!("{tests}/COID/System/ANTIVAL_CHK_COID/ANTIVAL_CHK_COID_System.gcd"),
            "ANTIVAL_CHK_COID_System_timed",
            25,
        ),
    ];
    let languages = Languages::default();
    for (model, golden, fewest) in pairs {
        let theirs = fs::read_to_string(corpus.join(format!("xsts/timed/{golden}.xsts"))).unwrap();
        let to_xsts = lang::gamma::FRONT_END.conversion("xsts").unwrap();
        let ours = languages.convert(&corpus.join(&model), to_xsts).unwrap();
        let mut both =
            [theirs, ours].map(|text| Languages::default().from_text("model.xsts", &text).unwrap());
        let goals = goals(&both[0]);
        assert!(goals.len() >= fewest, "{golden}: {}", goals.len());
        for goal in goals {
            let [theirs, ours] = both.each_mut().map(|model| answer(model, &goal).0);
            assert_eq!(theirs, ours, "{golden}: {goal}");
        }
    }
}

/// A goal for each literal of each control variable, and for each output.
fn goals(model: &Model) -> Vec<String> {
    let system = &model.lowered.system;
    let mut goals = vec![];
    for var in system.state_vars() {
        let variable = &system.vars[var];
        match system.terms.var_type(var) {
            ir::Type::Enum(id) if variable.control => {
                let literals = &system.types().enum_type(id).literals;
                goals.extend(literals.iter().map(|literal| format!("E<> {} == {literal}", variable.name)));
            }
            ir::Type::Bool if variable.name.contains("_Out_") => goals.push(format!("E<> {}", variable.name)),
            _ => {}
        }
    }
    goals
}
