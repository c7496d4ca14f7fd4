//! Campaigns as people run them: a file and a folder, stopped and resumed, reported, compared and verified.

#![cfg(target_os = "linux")]

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
    assert!(code == 3 && out.starts_with("unfinished: "), "{code} {out}");
    let (code, out, err) = dir.run(&["resume", "broken"]);
    assert!(code == 0 && out.starts_with("finished: 500 results, no wrong answer\n"), "{code} {out}{err}");
    let broken = dir.results("broken");
    assert_eq!(essence(&broken), essence(&whole));
    // What is done is not done again.
    let (code, _, _) = dir.run(&["resume", "broken"]);
    assert_eq!((code, dir.results("broken")), (0, broken));
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
fn evidence_is_verified_and_a_forged_one_refused() {
    let dir = Dir::new("verify");
    dir.file("c.xsts", &counter(3));
    let text = "name = \"v\"\n[[tasks]]\nmodels = [\"c.xsts\"]\nproperty = [\"n <= 3\", \"n <= 2\"]\n[[configurations]]\nname = \
                \"explicit\"\noptions = { engine = \"explicit\" }\n";
    dir.file("v.toml", text);
    assert_eq!(dir.run(&["run", "v.toml"]).0, 0);
    let (code, out, err) = dir.run(&["verify", "v.results"]);
    assert_eq!((code, out.as_str()), (0, "verified: the evidence of all 2 answers is right\n"), "{err}");
    // A run that is said to have gone elsewhere.
    let traces: Vec<PathBuf> = std::fs::read_dir(dir.0.join("v.results/evidence"))
        .unwrap()
        .flat_map(|part| std::fs::read_dir(part.unwrap().path()).unwrap())
        .map(|file| file.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".trace.json"))
        .collect();
    assert_eq!(traces.len(), 1);
    let mut trace: Value = serde_json::from_str(&std::fs::read_to_string(&traces[0]).unwrap()).unwrap();
    let last = trace["steps"].as_array_mut().and_then(|steps| steps.last_mut()).expect("a step");
    last["state"]["values"][0] = 7.into();
    std::fs::write(&traces[0], trace.to_string()).unwrap();
    std::fs::remove_dir_all(dir.0.join("v.results/checked")).unwrap();
    let (code, out, _) = dir.run(&["verify", "v.results"]);
    assert!(code == 1 && out.starts_with("REFUSED: the evidence of 1 answer is not right\n"), "{code} {out}");
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

#[test]
fn a_back_end_that_is_not_there_is_named() {
    let dir = Dir::new("absent");
    dir.file("c.xsts", &counter(3));
    dir.file(
        "a.toml",
        "name = \"a\"\n[[tasks]]\nmodels = [\"c.xsts\"]\n[[configurations]]\nname = \"default\"\n",
    );
    for (back_end, program) in [("hyperqueue", "hq"), ("slurm", "sbatch"), ("benchexec", "benchexec")] {
        let output = dir.thetis(&["run", "a.toml", "--on", back_end]).env("PATH", "").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("the program `{program}` is not found")), "{said}");
    }
}
