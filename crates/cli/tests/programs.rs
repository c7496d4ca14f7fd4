//! Control-flow automata, symbolic transition systems and circuits: our own cases, and those of other tools where they are
//! at hand.

#[path = "../../lang/testing/fields.rs"]
mod fields;

use std::fs;
use std::path::{Path, PathBuf};

use engine::{Cegar, Config, Engine, Quiet, Stop};
use lang::{FRONT_ENDS, FrontEnd, Model, NoFiles, Reading};
use thetis::decide;
use thetis::verdict::{Decided, NoVerdict};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files of a folder, sorted.
fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    paths.sort();
    paths
}

fn language(path: &Path) -> &'static FrontEnd {
    let extension = path.extension().unwrap().to_str().unwrap();
    FRONT_ENDS.iter().find(|language| language.extensions.contains(&extension)).unwrap()
}

fn load(path: &Path) -> Result<Model, Vec<lang::diagnostic::Diagnostic>> {
    (language(path).load)(&fs::read_to_string(path).unwrap(), &mut NoFiles, &Reading::default())
}

/// The default, and six ways of abstraction refinement. Values alone never cover variables that start with any number,
/// so each of them knows predicates.
fn configs() -> Vec<(String, Config)> {
    let mut configs = vec![("default".to_owned(), Config::default())];
    for (domain, refinement) in [
        ("PRED_CART", "NWT_IT_WP"),
        ("EXPL_PRED_COMBINED", "NWT_IT_WP"),
        ("PRED_CART", "SEQ_ITP"),
        ("PRED_CART", "BW_BIN_ITP"),
        ("PRED_BOOL", "SEQ_ITP"),
        ("PRED_SPLIT", "BW_BIN_ITP"),
    ] {
        let cegar = Cegar {
            domain: domain.parse().unwrap(),
            refinement: refinement.parse().unwrap(),
            ..Cegar::default()
        };
        configs.push((
            format!("{domain} {refinement}"),
            Config { engine: Engine::Cegar, cegar, ..Config::default() },
        ));
    }
    configs
}

/// The answer to a question in a word: `holds`, `violated`, `fault KIND`, or why there is none.
fn answer(model: &mut Model, question: &lang::Question, config: &Config) -> String {
    let judged =
        decide::decide(&mut model.system, &question.property, config, true, &Stop::new(), &mut Quiet);
    match judged.result {
        Ok(verdict) => match verdict.answer {
            Decided::Holds => "holds".to_owned(),
            Decided::Violated => "violated".to_owned(),
            Decided::Unknown(reason) => format!("unknown: {reason}"),
        },
        Err(NoVerdict::Fault(fault, _)) => {
            let kind = model.system.faults[fault].kind.code();
            kind.replacen("fault.", "fault ", 1)
        }
        Err(other) => format!("{other:?}"),
    }
}

/// The question that is known by a name, or else the text of one.
fn question(model: &mut Model, text: &str) -> Result<lang::Question, String> {
    let own = model.questions.iter().flatten().find(|question| question.name == text).cloned();
    match own {
        Some(question) => Ok(question),
        None => model.question("property", text).map_err(|errors| errors[0].message.clone()),
    }
}

/// What the comments of a file ask and expect, in order; what is expected before the first question is about the model's
/// own.
fn expectations(text: &str) -> Vec<(Option<String>, String)> {
    let (mut asked, mut list) = (None, vec![]);
    for line in text.lines() {
        let line = line.trim_start_matches("//").trim();
        if let Some(property) = line.strip_prefix("property: ") {
            asked = Some(property.to_owned());
        } else if let Some(expected) = line.strip_prefix("expect: ") {
            list.push((asked.clone(), expected.to_owned()));
        }
    }
    list
}

/// Each case says in its comments what is asked and what must come out, in every configuration; claims about runs by
/// default.
#[test]
fn cases_are_as_their_headers_say() {
    let paths: Vec<PathBuf> =
        ["cases/cfa", "cases/sts", "cases/aiger", "cases/c"].into_iter().flat_map(files).collect();
    assert!(paths.len() >= 18, "cases are missing");
    let mut wrong = vec![];
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let expected = expectations(&fs::read_to_string(&path).unwrap());
        assert!(!expected.is_empty(), "{name} expects nothing");
        for (config_name, config) in configs() {
            // Programs with pointers are no matter for refinement alone.
            if config_name != "default" && language(&path).name == "c" {
                continue;
            }
            let mut model = load(&path).unwrap_or_else(|errors| panic!("{name}: {}", errors[0].message));
            for (asked, expected) in &expected {
                let question = match asked {
                    Some(text) => question(&mut model, text),
                    None => Ok(model.questions[0].clone().unwrap()),
                };
                // How whole runs are searched is a matter of the engines, whatever the formalism.
                let about_runs =
                    |question: &lang::Question| matches!(question.property.claim, ir::Claim::Every(_));
                if config_name != "default" && question.as_ref().is_ok_and(about_runs) {
                    continue;
                }
                let found =
                    question.map_or_else(|why| why, |question| answer(&mut model, &question, &config));
                if found != *expected {
                    let asked = asked.as_deref().unwrap_or("its own");
                    wrong.push(format!("{name}: {asked}: {config_name}: {found}, not {expected}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Files that are refused say where and why, everything that is wrong in order.
#[test]
fn bad_cases_are_refused_as_their_headers_say() {
    let mut wrong = vec![];
    for path in ["cases/cfa/bad", "cases/sts/bad", "cases/c/bad"].into_iter().flat_map(files) {
        let text = fs::read_to_string(&path).unwrap();
        let found: Vec<String> = match load(&path) {
            Ok(_) => vec!["nothing is wrong".to_owned()],
            Err(errors) => errors
                .iter()
                .map(|error| {
                    let line = text[..error.span.start as usize].matches('\n').count() + 1;
                    format!("{line}: {}", error.message)
                })
                .collect(),
        };
        let expected: Vec<String> =
            text.lines().filter_map(|line| line.strip_prefix("// error: ")).map(str::to_owned).collect();
        if found != expected {
            wrong.push(format!("{}: {found:#?}, not {expected:#?}", path.display()));
        }
    }
    for path in files("cases/aiger/bad") {
        assert!(load(&path).is_err(), "{}", path.display());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Verdicts that were found by others, by default and by abstraction refinement; what needs floating-point numbers is
/// refused for that alone.
#[test]
fn the_corpus_agrees() {
    let corpus = root().join("../shared/corpus");
    let Ok(manifest) = fs::read_to_string(corpus.join("manifest.csv")) else {
        eprintln!("skipped: no corpus beside the workspace");
        return;
    };
    let (mut wrong, mut asked, mut refused) = (vec![], 0, 0);
    for line in manifest.lines().skip(1) {
        let fields = fields::fields(line);
        let [id, formalism, file, property, kind, expected, ..] = &fields[..] else { continue };
        if !["cfa", "sts", "aiger"].contains(&&**formalism) {
            continue;
        }
        let path = corpus.join(file);
        let floats = fs::read_to_string(&path).is_ok_and(|text| text.contains(": fp["));
        let loaded = load(&path);
        if floats {
            let errors = loaded.err().unwrap_or_default();
            let only = !errors.is_empty() && errors.iter().all(|error| error.code.is_unsupported());
            assert!(only, "{id}: {errors:?}");
            refused += 1;
            continue;
        }
        let mut model = match loaded {
            Ok(model) => model,
            Err(errors) => {
                wrong.push(format!("{id}: {}", errors[0].message));
                continue;
            }
        };
        let (text, verdict) = match (&**kind, &**expected) {
            ("reach" | "safety", "safe") => (None, "holds"),
            ("reach" | "safety", "unsafe") => (None, "violated"),
            ("ltl", "holds" | "violated") => (Some(format!("ltl: {property}")), &**expected),
            // Whether some run goes through a location again and again: that no run does is violated then.
            ("lasso", _) => {
                let location = property.trim_start_matches("accepting location: ");
                let none = format!("ltl: not G F {location}");
                (Some(none), if expected == "holds" { "violated" } else { "holds" })
            }
            _ => continue,
        };
        let configs = if kind == "ltl" || kind == "lasso" { configs()[..1].to_vec() } else { configs() };
        for (name, config) in configs {
            let question = match &text {
                Some(text) => model.question("property", text).map_err(|errors| errors[0].message.clone()),
                None => model.questions[0].clone().map_err(|_| "misread".to_owned()),
            };
            let found = question.map_or_else(|why| why, |question| answer(&mut model, &question, &config));
            if found != verdict {
                wrong.push(format!("{id}: {name}: {found}, not {verdict}"));
            }
            asked += 1;
        }
    }
    eprintln!("{asked} questions answered, {refused} files refused");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(asked >= 150 && refused >= 2, "only {asked} and {refused}");
}
