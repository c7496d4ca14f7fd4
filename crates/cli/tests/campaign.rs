//! Campaigns as people run them: a file and a folder, stopped and resumed, reported, compared and verified.

#![cfg(target_os = "linux")]

#[path = "campaign/backends.rs"]
mod backends;
#[path = "campaign/trust.rs"]
mod trust;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// A folder of its own for one test.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Dir {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("campaign").join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Dir(path)
    }
    fn file(&self, name: &str, text: &str) -> &Dir {
        std::fs::write(self.0.join(name), text).unwrap();
        self
    }
    fn thetis(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_thetis"));
        command.arg("campaign").args(arguments).current_dir(&self.0).stdin(Stdio::null());
        command
    }
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.thetis(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().expect("an exit code"), text(output.stdout), text(output.stderr))
    }
    fn results(&self, folder: &str) -> BTreeMap<String, Value> {
        let mut found = BTreeMap::new();
        for part in std::fs::read_dir(self.0.join(folder).join("results")).into_iter().flatten() {
            for file in std::fs::read_dir(part.unwrap().path()).unwrap() {
                let path = file.unwrap().path();
                if path.extension().is_some_and(|ending| ending == "json") {
                    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                    // What another process is about to rename is not there any more.
                    if let Ok(text) = std::fs::read_to_string(path) {
                        found.insert(name, serde_json::from_str(&text).expect("a whole result"));
                    }
                }
            }
        }
        found
    }
}

/// A counter that stops at `top`.
fn counter(top: u32) -> String {
    format!("var n : integer = 0 trans {{ assume n < {top}; n := n + 1; }} prop {{ n <= {top} }}")
}

/// What does not depend on the moment: everything but times, memory and the machine.
fn essence(results: &BTreeMap<String, Value>) -> BTreeMap<&str, Value> {
    let strip = |record: &Value| {
        let mut answer = record["answer"].clone();
        let counts = answer["counts"].as_object_mut().expect("counts");
        counts.retain(|name, _| !name.ends_with("microseconds"));
        serde_json::json!([record["id"], record["end"], answer])
    };
    results.iter().map(|(id, record)| (id.as_str(), strip(record))).collect()
}

/// Five models with ten questions each under ten configurations.
fn five_hundred(dir: &Dir) {
    let properties: Vec<String> = (0..10).map(|bound| format!("\"n != {}\"", bound + 3)).collect();
    for top in 4..9 {
        dir.file(&format!("c{top}.xsts"), &counter(top));
    }
    let text = format!(
        "name = \"many\"\nseed = 3\n[limits]\ncpu-seconds = 20\nwall-seconds = 60\n[[tasks]]\nmodels = [\"c*.xsts\"]\nproperty = \
         [{}]\n[[configurations]]\nname = \"{{engine}}-{{search}}-{{no-preprocess}}\"\nproduct = {{ engine = [\"explicit\", \"auto\"], search \
         = [\"bfs\", \"dfs\"], no-preprocess = [true, false] }}\n[[configurations]]\nname = \"{{engine}}\"\nproduct = {{ engine = \
         [\"bmc\", \"kind\"] }}\n",
        properties.join(", ")
    );
    dir.file("many.toml", &text);
}

#[test]
fn killed_at_any_moment_a_campaign_is_resumed_without_loss() {
    let dir = Dir::new("killed");
    five_hundred(&dir);
    let (code, out, err) = dir.run(&["run", "many.toml", "--into", "whole"]);
    assert!(code == 0 && out.starts_with("finished: 500 results, no wrong answer\n"), "{code} {out}{err}");
    let whole = dir.results("whole");
    assert_eq!(whole.len(), 500);
    // Killed when so many results are there: moments by chance, not by the clock.
    let mut chance = 22_u64;
    let mut least = 0;
    for _ in 0..5 {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        least += 20 + (chance >> 33) as usize % 60;
        let mut child = dir
            .thetis(&["run", "many.toml", "--into", "broken"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while dir.results("broken").len() < least {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let there = dir.results("broken").len();
        assert!((least..500).contains(&there), "{there}");
    }
    let (code, out, _) = dir.run(&["status", "broken"]);
    assert!(code == 3 && out.starts_with("unfinished: ") && out.contains("; about "), "{code} {out}");
    let (_, out, _) = dir.run(&["status", "broken", "--json"]);
    let told: Value = serde_json::from_str(&out).unwrap();
    assert!(told["seconds_left"].as_f64().is_some_and(|left| left > 0.0), "{out}");
    let (code, out, err) = dir.run(&["resume", "broken"]);
    assert!(code == 0 && out.starts_with("finished: 500 results, no wrong answer\n"), "{code} {out}{err}");
    let broken = dir.results("broken");
    assert_eq!(essence(&broken), essence(&whole));
    // What is done is not done again.
    let (code, _, _) = dir.run(&["resume", "broken"]);
    assert_eq!((code, dir.results("broken")), (0, broken));
}

/// What comes to the same has one result, and counts as often as it is there.
#[test]
fn equal_models_and_configurations_are_finished() {
    let dir = Dir::new("equal");
    dir.file("a.xsts", &counter(3)).file("b.xsts", &counter(3));
    dir.file(
        "e.toml",
        "name = \"e\"\n[[tasks]]\nmodels = [\"*.xsts\"]\n[[configurations]]\nname = \"one\"\noptions = { engine = \"explicit\" \
         }\n[[configurations]]\nname = \"other\"\noptions = { engine = \"explicit\" }\n",
    );
    for _ in 0..2 {
        let (code, out, err) = dir.run(&["run", "e.toml"]);
        assert!(code == 0 && out.starts_with("finished: 4 results, no wrong answer\n"), "{code} {out}{err}");
        assert_eq!(dir.results("e.results").len(), 1);
    }
    let (code, out, _) = dir.run(&["report", "e.results", "--json"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &report["done"], &report["configurations"][1]["solved"]), (0, &4.into(), &2.into()));
}

/// Whatever a model imports is part of it: a result of before is none of after.
#[test]
fn another_import_is_another_model() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let dir = Dir::new("imports");
    let lights = std::fs::read_to_string(root.join("crates/lang/src/gamma/examples/crossroads.gcd")).unwrap();
    let main = "extern void reach_error(void);\nint main(void) { return 0; }\n";
    dir.file("crossroads.gcd", &lights).file("p.c", main);
    dir.file(
        "t.ggen",
        "import \"crossroads.gcd\"\nanalysis {\n    component : Crossroads\n    language : Theta\n}\n",
    );
    dir.file("u.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    dir.file("p.yml", "format_version: '2.0'\ninput_files: 'p.c'\nproperties:\n  - property_file: u.prp\n    expected_verdict: true\n");
    let digest = |model: &str| {
        let text =
            format!("name = \"i\"\n[[tasks]]\nmodels = [\"{model}\"]\n[[configurations]]\nname = \"x\"\n");
        let (code, out, err) = dir.file("i.toml", &text).run(&["plan", "i.toml", "--json"]);
        assert_eq!(code, 0, "{err}");
        let plan: Value = serde_json::from_str(&out).unwrap();
        plan["jobs"][0]["id"].as_str().expect("an id").to_owned()
    };
    let before = ["t.ggen", "p.yml", "crossroads.gcd"].map(digest);
    assert_eq!(["t.ggen", "p.yml", "crossroads.gcd"].map(digest), before);
    dir.file("crossroads.gcd", &format!("{lights}\n// another one\n"))
        .file("p.c", &format!("{main}\n// too\n"));
    let after = ["t.ggen", "p.yml", "crossroads.gcd"].map(digest);
    assert!(before.iter().zip(&after).all(|(before, after)| before != after), "{before:?} {after:?}");
}

/// A model that was edited while the campaign was stopped is another one.
#[test]
fn what_was_planned_is_what_is_resumed() {
    let dir = Dir::new("edited");
    dir.file("c.xsts", &counter(3));
    dir.file(
        "a.toml",
        "name = \"a\"\n[[tasks]]\nmodels = [\"c.xsts\"]\n[[configurations]]\nname = \"default\"\n",
    );
    assert_eq!(dir.run(&["run", "a.toml"]).0, 0);
    dir.file("c.xsts", &counter(4));
    for command in ["resume", "verify"] {
        let (code, _, err) = dir.run(&[command, "a.results"]);
        assert!(
            code == 2 && err.contains("is not what it was when the campaign was planned"),
            "{code} {err}"
        );
    }
    let (code, out, err) = dir.run(&["run", "a.toml"]);
    assert!(code == 0 && out.starts_with("finished: 1 result, "), "{out}{err}");
    assert_eq!(dir.results("a.results").len(), 2);
}

/// A file that a machine left half-written when it died is no result.
#[test]
fn damaged_results_are_made_anew() {
    let dir = Dir::new("damaged");
    dir.file("c.xsts", &counter(3));
    let text = "name = \"d\"\n[[tasks]]\nmodels = [\"c.xsts\"]\nproperty = [\"n <= 3\", \"n <= 2\", \"n <= 1\"]\n[[configurations]]\nname \
                = \"default\"\n";
    dir.file("d.toml", text);
    assert_eq!(dir.run(&["run", "d.toml"]).0, 0);
    let whole = dir.results("d.results");
    let path = |id: &str| dir.0.join("d.results/results").join(&id[..2]).join(id).with_extension("json");
    let ids: Vec<&String> = whole.keys().collect();
    let text = std::fs::read_to_string(path(ids[0])).unwrap();
    std::fs::write(path(ids[0]), &text[..text.len() / 2]).unwrap();
    std::fs::write(path(ids[1]), "").unwrap();
    // A result of another job.
    std::fs::write(path(ids[2]), &text).unwrap();
    let (code, out, _) = dir.run(&["status", "d.results"]);
    assert!(code == 3 && out.starts_with("unfinished: 0 of 3 results"), "{code} {out}");
    let (code, out, err) = dir.run(&["resume", "d.results"]);
    assert!(code == 0 && out.starts_with("finished: 3 results"), "{code} {out}{err}");
    assert_eq!(essence(&dir.results("d.results")), essence(&whole));
}

/// Going wrong is an answer, which no other may contradict, and what cannot be asked is not passed over.
#[test]
fn faults_contradict_and_errors_are_seen() {
    let dir = Dir::new("faults");
    // 6 / n with n = 0 after three steps.
    let faulty = "var n : integer = 3 var m : integer = 0 trans { assume n > 0; n := n - 1; m := 6 / n; } prop { n <= 3 }";
    dir.file("f.xsts", faulty);
    let text = |expected: &str| {
        format!(
            "name = \"f\"\n[[tasks]]\nmodels = [\"f.xsts\"]\n{expected}\n[[configurations]]\nname = \"default\"\n"
        )
    };
    let (code, out, _) = dir.file("f.toml", &text("expected = \"HOLDS\"")).run(&["run", "f.toml"]);
    assert!(code == 1 && out.contains("  f: expected holds, `fault` says default\n"), "{code} {out}");
    let (code, out, _) = dir.file("f.toml", &text("expected = \"fault\"")).run(&["run", "f.toml"]);
    assert!(code == 0 && out.starts_with("finished: 1 result, no wrong answer\n"), "{code} {out}");
    let (code, out, err) = dir.run(&["verify", "f.results"]);
    assert_eq!((code, out.as_str()), (0, "verified: the evidence of all 1 answer is right\n"), "{err}");
    // Another configuration is said to have found that it holds.
    let both = text("") + "[[configurations]]\nname = \"explicit\"\noptions = { engine = \"explicit\" }\n";
    assert_eq!(dir.file("g.toml", &both).run(&["run", "g.toml"]).0, 0);
    let results = dir.results("g.results");
    let (id, record) = results.iter().next().expect("a result");
    let mut record = record.clone();
    record["answer"]["verdicts"][0] = "holds".into();
    record["end"]["exit"] = 0.into();
    let path = dir.0.join("g.results/results").join(&id[..2]).join(id).with_extension("json");
    std::fs::write(path, record.to_string()).unwrap();
    let (code, out, _) = dir.run(&["status", "g.results"]);
    assert!(code == 1 && out.starts_with("WRONG ANSWERS to 1 question; 2 of 2 results\n"), "{code} {out}");
    assert!(out.contains("`holds` says ") && out.contains("`fault` says "), "{out}");
    // A property that cannot be read.
    let (code, out, _) = dir.file("h.toml", &text("property = \"nothing <= 3\"")).run(&["run", "h.toml"]);
    assert!(
        code == 2 && out.starts_with("finished: 1 result, no wrong answer, 1 job without an answer"),
        "{code} {out}"
    );
}

#[test]
fn lists_say_what_is_expected_or_are_refused() {
    let dir = Dir::new("expected");
    dir.file("c.xsts", &counter(3));
    dir.file(
        "l.toml",
        "name = \"l\"\n[[tasks]]\nlist = \"list.csv\"\n[[configurations]]\nname = \"default\"\n",
    );
    let list = |word: &str| {
        dir.file("list.csv", &format!("model,property,expected\nc.xsts,n <= 3,{word}\n"))
            .run(&["plan", "l.toml", "--json"])
    };
    let said = [
        ("SAFE", "holds"),
        ("Holds", "holds"),
        ("True", "holds"),
        ("Unsafe", "violated"),
        ("FAULT", "fault"),
        ("Unknown", ""),
        ("", ""),
    ];
    for (word, expected) in said {
        let (code, out, err) = list(word);
        assert_eq!(code, 0, "{word}: {err}");
        let plan: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(plan["questions"][0]["expected"].as_str().unwrap_or(""), expected, "{word}");
    }
    let (code, _, err) = list("maybe");
    assert!(
        code == 2 && err.contains("list.csv:2: `maybe` is no verdict; there are holds, safe, "),
        "{code} {err}"
    );
    // Several files of one program would be asked about as if the first were all.
    dir.file(
        "l.toml",
        "name = \"l\"\n[[tasks]]\nsv-comp = [\"*.yml\"]\n[[configurations]]\nname = \"default\"\n",
    );
    dir.file("p.yml", "input_files: ['a.c', 'b.c']\n")
        .file("p.yml", "input_files:\n  - 'a.c'\n  - 'b.c'\nproperties:\n  - property_file: u.prp\n");
    let (code, _, err) = dir.run(&["plan", "l.toml"]);
    assert!(code == 2 && err.contains("a program of several files is not read: a.c, b.c"), "{code} {err}");
}

#[test]
fn a_wrong_answer_stops_the_presses() {
    let dir = Dir::new("wrong");
    dir.file("c.xsts", &counter(3));
    let text = "name = \"wrong\"\n[[tasks]]\nlist = \"list.csv\"\n[[configurations]]\nname = \"default\"\n[[configurations]]\nname = \
                \"explicit\"\noptions = { engine = \"explicit\" }\n";
    dir.file("wrong.toml", text);
    // The second line of the list is false.
    dir.file("list.csv", "model,property,expected\nc.xsts,n <= 3,safe\nc.xsts,n <= 2,safe\n");
    let (code, out, _) = dir.run(&["run", "wrong.toml"]);
    assert_eq!(code, 1);
    let said: Vec<&str> = out.lines().collect();
    assert_eq!(said[0], "WRONG ANSWERS to 1 question; 4 of 4 results");
    assert_eq!(said[1], "  c n <= 2: expected holds, `violated` say default and 1 more");
    let (code, out, _) = dir.run(&["report", "wrong.results", "--json"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &report["disagreements"][0]["question"]), (1, &Value::from("c n <= 2")));
    assert_eq!(report["configurations"][0]["wrong"], 1);
    let page = std::fs::read_to_string(dir.0.join("wrong.results/report.html")).unwrap();
    // The name of a language is no address that anything is loaded from.
    let page = page.replace("http://www.w3.org/2000/svg", "");
    assert!(page.contains("c n \\u003c= 2") && !page.contains("http://") && !page.contains("https://"));
}

#[test]
fn two_runs_are_compared() {
    let dir = Dir::new("compare");
    dir.file("c.xsts", &counter(3));
    let text = |options: &str| {
        format!(
            "name = \"c\"\n[[tasks]]\nmodels = [\"c.xsts\"]\n[[configurations]]\nname = \"one\"\noptions = {{ engine = \"bmc\", bound = \
             {options} }}\n"
        )
    };
    // Bounded search without induction cannot prove anything; explicit search can.
    dir.file("a.toml", &text("2")).file("b.toml", &text("2").replace("bmc\", bound = 2", "explicit\""));
    assert_eq!((dir.run(&["run", "a.toml"]).0, dir.run(&["run", "b.toml"]).0), (0, 0));
    let (code, out, _) = dir.run(&["compare", "a.results", "b.results"]);
    assert!(code == 0 && out.contains("1 won, 0 lost"), "{out}");
    let (code, out, _) = dir.run(&["compare", "b.results", "a.results", "--json"]);
    let found: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &found["lost"][0]["question"]), (1, &Value::from("c")));
}

#[test]
fn senseless_combinations_are_left_out() {
    let dir = Dir::new("pairwise");
    dir.file("c.xsts", &counter(3));
    let text = "name = \"p\"\n[[tasks]]\nmodels = [\"c.xsts\"]\n[[configurations]]\noptions = { engine = \"cegar\" }\narray = \
                \"p.txt\"\n[configurations.pairwise]\ndomain = [\"EXPL\", \"PRED_CART\"]\npredsplit = [\"WHOLE\", \"ATOMS\"]\nmaxenum = [1, \
                250]\nsearch = [\"bfs\", \"dfs\"]\n";
    dir.file("p.toml", text);
    let (code, out, err) = dir.run(&["plan", "p.toml", "--write-arrays"]);
    assert_eq!(code, 0, "{err}");
    let array = std::fs::read_to_string(dir.0.join("p.txt")).unwrap();
    assert!(out.contains(&array), "{out}");
    let rows: Vec<&str> = array.lines().filter(|line| !line.starts_with('#')).collect();
    // Predicates have no limit of enumeration, values are not split.
    assert!(rows.iter().all(|row| row.contains("EXPL") == row.contains("maxenum")), "{array}");
    assert!(rows.iter().all(|row| row.contains("PRED_CART") == row.contains("predsplit")), "{array}");
    assert_eq!(rows.len(), 8, "values with orders, and splittings with orders: {array}");
    // An array with a row less is refused.
    dir.file("p.txt", &rows[1..].join("\n"));
    let (code, _, err) = dir.run(&["plan", "p.toml"]);
    assert!(
        code == 2 && err.contains("which is possible; `thetis campaign plan FILE --write-arrays`"),
        "{err}"
    );
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let dir = Dir::new("mistakes");
    dir.file("c.xsts", &counter(3));
    let check = |configuration: &str, words: &str| {
        let text = format!(
            "name = \"m\"\n[[tasks]]\nmodels = [\"c.xsts\"]\n[[configurations]]\nname = \"x\"\n{configuration}\n"
        );
        let (code, _, err) = dir.file("m.toml", &text).run(&["plan", "m.toml"]);
        assert!(code == 2 && err.contains(words), "{configuration}: {err}");
    };
    check("options = { engin = \"cegar\" }", "unexpected argument '--engin'");
    check("options = { domain = \"EXP\" }", "invalid value 'EXP' for '--domain");
    check("options = { engine = \"zone\", domain = \"EXPL\" }", "does not go with `--engine zone`");
    check("options = { json = true }", "`json` is given by the campaign itself");
    check("product = { search = [\"bfs\", \"dfs\"] }", "the configuration `x` is there twice");
    check("product = 3", "m.toml:6: invalid type: integer `3`");
    check("product = { engine = [] }", "`engine` of `product` in `x` has no value");
    check(
        "[[configurations]]\noptions = { engin = \"cegar\" }",
        "configuration number 2 of `[[configurations]]`: ",
    );
    check("[limits]\ncpu-seconds = -3", "`cpu-seconds` is a number above 0");
    let many = "name = \"m\"\nrepetitions = 2000000000\n[[tasks]]\nmodels = [\"c.xsts\"]\n[[configurations]]\nname = \"x\"\n";
    let (code, _, err) = dir.file("m.toml", many).run(&["plan", "m.toml"]);
    assert!(
        code == 2 && err.contains("the campaign has 2000000000 jobs, and at most 10000000 are planned"),
        "{err}"
    );
    let (code, _, err) = dir.run(&["status", "nowhere"]);
    assert!(code == 2 && err.contains("nowhere has no campaign in it"), "{err}");
    let (code, _, err) = dir.run(&["run", "none.toml"]);
    assert!(code == 2 && err.contains("none.toml cannot be read"), "{err}");
}

/// Whether a value is what a schema of `docs/schema` says.
fn assert_valid(schema: &str, value: &Value) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("docs/schema").join(schema)).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path)).collect();
    assert!(errors.is_empty(), "{schema}: {errors:?}");
}

#[test]
fn schemas_are_true() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for file in std::fs::read_dir(root.join("campaigns")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let text = std::fs::read_to_string(&path).unwrap();
            assert_valid("campaign.schema.json", &toml::from_str::<Value>(&text).unwrap());
        }
    }
    let dir = Dir::new("schema");
    assert_eq!(dir.file("c.xsts", &counter(3)).run(&["new", "first.toml", "*.xsts"]).0, 0);
    let text = std::fs::read_to_string(dir.0.join("first.toml")).unwrap();
    assert_valid("campaign.schema.json", &toml::from_str::<Value>(&text).unwrap());
    let (code, out, err) = dir.run(&["run", "first.toml", "--json"]);
    assert_eq!(code, 0, "{err}");
    assert_valid("campaign-summary.schema.json", &serde_json::from_str(&out).unwrap());
}

/// The campaigns of the project can be planned, whether there is a corpus or not, and their arrays cover all pairs.
#[test]
fn the_campaigns_of_the_project_can_be_planned() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let dir = Dir::new("planned");
    let mut count = 0;
    for file in std::fs::read_dir(root.join("campaigns")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let (code, out, err) = dir.run(&["plan", path.to_str().unwrap()]);
            assert_eq!(code, 0, "{}: {err}", path.display());
            let array = path.with_extension("txt");
            assert!(
                !array.exists() || out.contains(&std::fs::read_to_string(array).unwrap()),
                "{}",
                path.display()
            );
            count += 1;
        }
    }
    assert_eq!(count, 6);
}
