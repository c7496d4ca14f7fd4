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

/// Yakindu statecharts beside what Gamma's importer made of them: the same states can be active together.
#[test]
fn pairs_of_yakindu_and_gamma_mean_the_same() {
    let corpus = root().join("../shared/corpus/gamma");
    if !corpus.exists() {
        eprintln!("skipped: {} is absent", corpus.display());
        return;
    }
    let tutorial = "tutorial/hu.bme.mit.gamma.tutorial";
    let tests = "tests/hu.bme.mit.gamma.tests/model/Crossroads";
    let pairs = [
        format!("{tests}/TrafficLight/TrafficLightCtrl"),
        format!("{tests}/Controller/Controller"),
        format!("{tests}/Monitor/Monitor"),
        format!("{tutorial}.finish/model/TrafficLight/TrafficLightCtrl"),
        format!("{tutorial}.finish/model/Controller/Controller"),
        format!("{tutorial}.extra/model/TrafficLight/TrafficLightCtrl"),
        format!("{tutorial}.extra/model/Controller/Controller"),
        format!("{tutorial}.extra/model/Monitor/Monitor"),
        "examples/hu.bme.mit.gamma.modes3.casestudy/model/Section/Yakindu/Section".to_owned(),
    ];
    for pair in pairs {
        for period in [None, Some("500ms")] {
            let reading =
                Reading { period: period.map(|period| period.parse().unwrap()), ..Reading::default() };
            let mut both =
                ["sct", "gcd"].map(|ending| load(&corpus.join(format!("{pair}.{ending}")), &reading));
            let states = both.each_ref().map(states);
            let common: Vec<&String> =
                states[0].iter().filter(|state| !state.starts_with("localReactionRegion")).collect();
            for state in &common {
                assert!(states[1].contains(state), "{pair}: {state} is in one only: {states:?}");
            }
            for (at, first) in common.iter().enumerate() {
                for second in &common[at..] {
                    let goal = format!("E F {{ state {first} and state {second} }}");
                    let [sct, gcd] = both.each_mut().map(|model| answer(model, &goal).0);
                    assert_eq!(sct, gcd, "{pair} {period:?}: {goal}");
                }
            }
        }
    }
}

/// The states of a model of one statechart, with their regions.
fn states(model: &Model) -> Vec<String> {
    let mut list = vec![];
    for configuration in &model.lowered.view.configurations {
        let names = configuration.cases.iter().map(|(_, state)| format!("{}.{state}", configuration.name));
        list.extend(names);
    }
    list
}

/// What a file of tasks asks for, as its questions.
fn asked(folder: &Path, name: &str, reading: &Reading) -> Result<Vec<String>, String> {
    let model = Languages::default().reading(reading.clone()).load(&folder.join(name));
    let model = model.map_err(|error| error.to_string())?;
    Ok(model
        .questions()
        .iter()
        .map(|asked| asked.as_ref().map_or_else(|it| it.name.clone(), |it| it.name.clone()))
        .collect())
}

#[test]
fn tasks_are_models_with_questions() {
    let folder = std::env::temp_dir().join(format!("thetis-gamma-tasks-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write(
        "Light.gcd",
        "package lights const PERIOD : integer := 250 interface I { out event go out event stop(why : boolean) } \
         statechart Light(limit : integer, on : boolean) [ port i : requires I, port o : provides I ] { \
         var n : integer := 0 timeout t region r { initial e state A { entry / set t := 1 s; } state B state C } \
         transition from e to A transition from A to B when timeout t [n < limit] / n := n + 1; raise o.go; \
         transition from B to C when i.go [not on] / raise o.stop(true); transition from C to A when cycle }",
    );
    write(
        "Light.gpd",
        "import \"Light.gcd\" component Light A G [ { variable n <= 3 } ] E F [ { state r.C } ]",
    );
    write(
        "one.ggen",
        "import \"Light.gcd\" analysis { component : Light(1, true) language : Theta state-coverage transition-coverage \
         out-event-coverage constraint : { minimum-orchestrating-period : PERIOD ms maximum-orchestrating-period : 2 * PERIOD ms } \
         optimize : true } verification { file : \"Light.xsts\" property-file : \".Light.gpd\" property-file : \"Light.gpd\" } \
         code { component : Light language : java }",
    );
    let whole = Reading::default();
    let questions = asked(&folder, "one.ggen", &whole).unwrap();
    let expected = [
        "state r.A",
        "state r.B",
        "state r.C",
        "transition A -> B",
        "transition B -> C",
        "transition C -> A",
        "event o.go",
        "event o.stop",
        "event o.stop::why = true",
        "event o.stop::why = false",
        "property 1",
        "property 2",
    ];
    assert_eq!(questions, expected);
    let mut model = load(&folder.join("one.ggen"), &whole);
    // The light is on: nothing leads to `C`, and `n` stays at the limit.
    assert_eq!(answer(&mut model, "state r.C").0, "violated");
    assert_eq!(answer(&mut model, "transition A -> B").0, "holds");
    assert_eq!(answer(&mut model, "A G { variable n <= 1 }").0, "holds");
    // At least two steps of 250 to 500 ms.
    assert_eq!(answer(&mut model, "E F { state r.B }"), ("holds".to_owned(), Some(3)));
    let ignored: Vec<&str> = model.lowered.warnings.iter().map(|it| it.code.code()).collect();
    assert_eq!(ignored.iter().filter(|code| **code == "ignored-part").count(), 3, "{ignored:?}");

    // Analyses that are the same but for the model checker are one; others are chosen by their numbers.
    write(
        "two.ggen",
        "import \"Light.gcd\" analysis { component : Light(1, true) language : Theta state-coverage } analysis { component : \
         Light(1, true) language : UPPAAL transition-coverage } analysis { component : Light(2, false) language : Theta \
         state-coverage { exclude : [ ] } }",
    );
    write("all.ggen", "include \"two.ggen\" include \"all.ggen\" include \"one.ggen\"");
    let tasks = Languages::default().tasks(&folder.join("all.ggen")).unwrap().unwrap();
    let period = "Light(1, true), PERIOD ms to 2 * PERIOD ms";
    assert_eq!(tasks, ["Light(1, true)", "Light(2, false)", period]);
    assert!(asked(&folder, "two.ggen", &whole).is_err());
    let second = Reading { task: Some(2), ..Reading::default() };
    assert_eq!(asked(&folder, "two.ggen", &second).unwrap().len(), 3);
    assert_eq!(answer(&mut load(&folder.join("two.ggen"), &second), "state r.C").0, "holds");

    // What is wrong is said; a file of properties that is missing is a question without an answer.
    write("wrong.ggen", "import \"Light.gcd\" analysis { component : Light(1) state-coverage }");
    assert!(asked(&folder, "wrong.ggen", &whole).is_err());
    write("none.ggen", "import \"Light.gcd\" code { component : Light language : java }");
    assert!(asked(&folder, "none.ggen", &whole).is_err());
    write(
        "lost.ggen",
        "import \"Light.gcd\" analysis { component : Light(1, true) property-file : \"Lost.gpd\" }",
    );
    assert_eq!(asked(&folder, "lost.ggen", &whole).unwrap(), ["Lost.gpd"]);
    // A verification alone is about the model that its properties import.
    write(
        "Plain.gcd",
        "package plain statechart Plain { region r { initial e state A } transition from e to A }",
    );
    write("Plain.gpd", "import \"Plain.gcd\" component Plain E F [ { state r.A } ]");
    write(
        "alone.ggen",
        "verification { language : Theta file : \"Plain.xsts\" property-file : \"Plain.gpd\" }",
    );
    assert_eq!(asked(&folder, "alone.ggen", &whole).unwrap(), ["property 1"]);
    fs::remove_dir_all(&folder).unwrap();
}

/// Every task file of the corpus is planned; its models are read but for those that are wrong or absent.
#[test]
fn task_files_of_the_corpus_are_read() {
    let corpus = root().join("../shared/corpus/gamma");
    if !corpus.exists() {
        eprintln!("skipped: {} is absent", corpus.display());
        return;
    }
    let mut open = vec![corpus];
    let (mut models, mut questions, mut nothing, mut absent, mut refused) = (0, 0, 0, 0, 0);
    let mut wrong = String::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            if path.extension().is_none_or(|ending| ending != "ggen") {
                continue;
            }
            let tasks = match Languages::default().tasks(&path) {
                Ok(tasks) => tasks.unwrap(),
                Err(error) if error.to_string().contains("nothing to check") => {
                    nothing += 1;
                    continue;
                }
                // Lists of tasks name files that are not part of the corpus.
                Err(thetis::Error::Text(error))
                    if error.diagnostics.iter().all(|it| it.code == lang::code::Code::MissingFile) =>
                {
                    absent += 1;
                    continue;
                }
                Err(error) => {
                    wrong += &format!("{}: {error}\n", path.display());
                    continue;
                }
            };
            // Those that only include others have what the others have.
            if fs::read_to_string(&path).unwrap().contains("include \"") {
                continue;
            }
            for number in 1..=tasks.len() {
                let reading = Reading { task: Some(number), ..Reading::default() };
                match Languages::default().reading(reading).load(&path) {
                    Ok(model) => {
                        models += 1;
                        questions += model.questions().len();
                    }
                    // Phases are refused by name, and some tasks name packages that are not part of the corpus.
                    Err(thetis::Error::Text(error))
                        if error.diagnostics.iter().any(|it| {
                            it.code.is_unsupported() || it.code == lang::code::Code::MissingFile
                        }) =>
                    {
                        refused += 1;
                    }
                    Err(error) => wrong += &format!("{} task {number}: {error}\n", path.display()),
                }
            }
        }
    }
    eprintln!(
        "{models} models, {questions} questions; {nothing} files have nothing to check, {absent} name absent ones"
    );
    assert!(wrong.is_empty(), "{wrong}");
    assert!(models > 80 && questions > 1000 && refused < 20, "{models} {questions} {refused}");
}
