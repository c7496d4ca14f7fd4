//! `thetis check`: first lines and exit codes of each outcome.

use crate::evidence::assert_valid;
use crate::{COUNTER, DIVISION, Dir, ENDLESS, timeless};

#[test]
fn holds_is_the_first_line_and_zero() {
    let dir = Dir::new("holds");
    let ran = dir.file("m.xsts", COUNTER).run(&["check", "m.xsts"]);
    ran.expect(0, "holds");
    assert_eq!(ran.out, "holds\n");
    assert!(ran.err.contains("states, "), "{}", ran.err);
}

#[test]
fn violated_shows_the_shortest_run() {
    let dir = Dir::new("violated");
    let ran = dir.file("m.xsts", COUNTER).run(&["check", "m.xsts", "-p", "n < 2"]);
    ran.expect(1, "violated");
    insta::assert_snapshot!("violated", format!("{}---\n{}", ran.out, timeless(&ran.err)));
}

#[test]
fn depth_first_finds_a_run_as_well() {
    let dir = Dir::new("dfs");
    dir.file("m.xsts", COUNTER);
    dir.run(&["check", "m.xsts", "-p", "n < 2", "--search", "DFS"]).expect(1, "violated");
    dir.run(&["check", "m.xsts", "--search", "dfs"]).expect(0, "holds");
}

#[test]
fn several_properties_get_one_line_each_and_the_worst_code() {
    let dir = Dir::new("several");
    dir.file("m.xsts", COUNTER).file("small.prop", "prop { n < 3 }");
    let ran = dir.run(&["check", "m.xsts", "--all", "-p", "n >= 0", "--property-file", "small.prop"]);
    assert_eq!(ran.code, 1);
    let lines: Vec<&str> = ran.out.lines().take(3).collect();
    assert_eq!(lines, ["prop: holds", "n >= 0: holds", "small: violated"]);
    // A table in the end. Three rounds of `env` and `trans` after `init` are seven steps.
    let table: Vec<Vec<&str>> =
        ran.err.lines().rev().take(3).map(|line| line.split_whitespace().take(4).collect()).collect();
    assert_eq!(table[0], ["small", "violated", "yes", "7"], "{}", ran.err);
    assert_eq!(table[2][..3], ["prop", "holds", "yes"], "{}", ran.err);
    let ran = dir.run(&[
        "check",
        "m.xsts",
        "-p",
        "n >= 0",
        "-p",
        "n  <= 5",
        "--state-limit",
        "3",
        "--engine",
        "explicit",
    ]);
    assert_eq!(ran.code, 3);
    assert_eq!(ran.first(), "n >= 0: unknown (state limit of 3 reached)");
}

#[test]
fn a_given_property_replaces_the_models_own() {
    let dir = Dir::new("replaces");
    let ran = dir.file("m.xsts", COUNTER).run(&["check", "m.xsts", "-p", "n <= 4"]);
    ran.expect(1, "violated");
    assert!(!ran.out.contains("prop:"));
}

#[test]
fn a_fault_is_a_model_error_with_its_place_and_run() {
    let dir = Dir::new("fault");
    let ran = dir.file("m.xsts", DIVISION).run(&["check", "m.xsts", "--trace", "t.json"]);
    ran.expect(2, "error (division by zero at m.xsts:4:10)");
    insta::assert_snapshot!("fault", format!("{}---\n{}", ran.out, timeless(&ran.err)));
    assert!(
        dir.run(&["validate", "m.xsts", "t.json"])
            .expect(0, dir.run(&["validate", "m.xsts", "t.json"]).first())
            .out
            .contains("fault")
    );
}

#[test]
fn without_certification_the_verdict_says_so() {
    let dir = Dir::new("no-certify");
    dir.file("m.xsts", COUNTER).file("d.xsts", DIVISION);
    dir.run(&["check", "m.xsts", "--no-certify"]).expect(0, "holds (not certified)");
    dir.run(&["check", "m.xsts", "--no-certify", "-p", "n < 2"]).expect(1, "violated (not certified)");
    assert_eq!(dir.run(&["check", "d.xsts", "--no-certify"]).code, 2);
}

#[test]
fn stable_states_are_those_after_init_and_trans() {
    let dir = Dir::new("stable");
    // Between env and trans the flag is up; trans takes it down again.
    dir.file(
        "m.xsts",
        "var up : boolean = false trans { up := false; } init { } env { up := true; } prop { !up }",
    );
    dir.run(&["check", "m.xsts"]).expect(1, "violated");
    dir.run(&["check", "m.xsts", "--check-states", "stable"]).expect(0, "holds");
}

#[test]
fn what_an_engine_cannot_do_is_a_line_alone_and_among_others() {
    let dir = Dir::new("unsupported");
    dir.file("m.xsts", "var c : clock trans { __delay; } init { } env { } prop { c >= 0 }");
    let engine = ["--engine", "explicit"];
    dir.run(&[&["check", "m.xsts"][..], &engine].concat()).unsupported(&[
        "explicit search handles untimed models, and `c` is a clock",
        "m.xsts:1:5",
        "declared here",
        "to go on: `--engine zone`; or `--engine auto`",
        "`thetis simulate m.xsts`",
    ]);
    let ran = dir.run(&[&["check", "m.xsts", "--json"][..], &engine].concat());
    assert_eq!(ran.code, 3);
    assert_valid("result.schema.json", &ran.out);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let record = &json["properties"][0];
    assert_eq!((&record["verdict"], &record["code"]), (&"unknown".into(), &"unsupported.clock".into()));
    let zone = serde_json::json!([{ "option": "--engine", "value": "zone" }]);
    assert_eq!(
        (&record["remedies"][0]["code"], &record["remedies"][0]["options"]),
        (&"choose".into(), &zone)
    );
    let ran = dir.run(&[&["check", "m.xsts", "--all", "-p", "true"][..], &engine].concat());
    assert_eq!(ran.code, 3);
    assert!(ran.first().starts_with("prop: unknown (unsupported: "), "{}", ran.out);
}

#[test]
fn json_has_everything() {
    let dir = Dir::new("json");
    let ran = dir.file("m.xsts", COUNTER).run(&["check", "m.xsts", "--all", "-p", "n < 1", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(ran.code, 1);
    assert_eq!(json["properties"][0]["verdict"], "holds");
    assert_eq!(json["properties"][0]["text"], "n <= 5");
    assert_eq!(json["properties"][1]["verdict"], "violated");
    assert_eq!(json["properties"][1]["trace"]["steps"][2]["edges"][0]["line"], 4);
}

#[test]
fn a_reader_that_goes_away_changes_nothing() {
    let dir = Dir::new("pipe");
    dir.file("m.xsts", COUNTER);
    let mut child = dir
        .command(&["check", "m.xsts", "-p", "n < 5"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("internal error"));
}

#[test]
fn an_endless_model_can_still_be_violated() {
    let dir = Dir::new("endless-violated");
    dir.file("m.xsts", ENDLESS).run(&["check", "m.xsts", "-p", "n < 10"]).expect(1, "violated");
}

#[test]
fn convert_prints_a_model_with_the_same_meaning() {
    let dir = Dir::new("convert");
    dir.file("m.xsts", COUNTER);
    assert_eq!(dir.run(&["convert", "m.xsts", "n.xsts"]).code, 0);
    dir.run(&["check", "n.xsts"]).expect(0, "holds");
    assert_eq!(dir.run(&["convert", "n.xsts", "-"]).out, dir.read("n.xsts"));
    dir.run(&["convert", "m.xsts", "m.pnml"]).refused(&["`m.pnml`", "`.xsts`"]);
}

#[test]
fn info_counts_what_is_there() {
    let dir = Dir::new("info");
    dir.file("m.xsts", COUNTER).file("d.xsts", DIVISION);
    insta::assert_snapshot!("info", dir.run(&["info", "m.xsts"]).out + &dir.run(&["info", "d.xsts"]).out);
    let json: serde_json::Value = serde_json::from_str(&dir.run(&["info", "m.xsts", "--json"]).out).unwrap();
    assert_eq!(json["control"][0], "mode");
    let mode = serde_json::json!({ "name": "mode", "type": { "enum": "Mode" }, "shown": true });
    assert_eq!(json["variables"][0], mode);
    let json: serde_json::Value = serde_json::from_str(&dir.run(&["info", "d.xsts", "--json"]).out).unwrap();
    assert_eq!(
        (&json["features"], &json["faults"][0]["kind"]),
        (&["faults"].into(), &"division-by-zero".into())
    );
}

#[test]
fn a_variable_without_bounds_is_shown_where_it_is_declared() {
    let dir = Dir::new("unbounded");
    dir.file("m.xsts", "var n : integer = 0\nvar k : integer\ntrans { n := k; }\nprop { n == 0 }\n");
    dir.run(&["check", "m.xsts", "--engine", "explicit"]).unsupported(&[
        "infinitely many values",
        "m.xsts:2:5",
        "declared here",
        "an `assume` that bounds `k` from both sides",
    ]);
    // Formulas need no list of the values.
    dir.run(&["check", "m.xsts"]).expect(1, "violated");
}

#[test]
fn a_run_says_the_values_of_what_decides_nothing() {
    // `d` is left out of the search; its values are found among a thousand million others.
    let dir = Dir::new("lifted");
    dir.file(
        "m.xsts",
        "var a : integer = 0 var b : integer = 0 var c : integer = 0 var d : integer = 0
         trans { havoc a; havoc b; havoc c; d := a;
             assume 0 <= a && a < 1000 && 0 <= b && b < 1000 && 0 <= c && c < 1000; }
         prop { a + b + c != 2990 }",
    );
    for engine in ["cegar", "bmc"] {
        let ran = dir.run(&["check", "m.xsts", "--engine", engine]);
        ran.expect(1, "violated");
        assert!(ran.out.contains("d : 0 -> "), "{}", ran.out);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let dir = Dir::new("full");
    dir.file("m.xsts", COUNTER);
    for arguments in [&["check", "m.xsts"][..], &["info", "m.xsts", "--json"], &["--help"], &["language"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = dir.command(arguments).stdout(full).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {err}");
        assert!(err.contains("error: the output cannot be written"), "{err}");
    }
}

#[test]
fn files_that_cannot_be_written_do_not_cost_the_answer() {
    let dir = Dir::new("unwritable");
    dir.file("m.xsts", COUNTER);
    // Known before the search.
    for option in ["--trace", "--certificate"] {
        dir.run(&["check", "m.xsts", "-p", "n < 2", option, "gone/t.json"])
            .refused(&["`gone/t.json` cannot be written, for its directory does not exist"]);
    }
    dir.run(&["simulate", "m.xsts", "--random", "--trace", "gone/t.json"]).refused(&["`gone/t.json`"]);
    // A look leaves nothing behind.
    dir.run(&["check", "m.xsts", "--trace", "t.json"]).expect(0, "holds");
    assert!(!dir.0.join("t.json").exists());
    if cfg!(target_os = "linux") {
        let ran = dir.run(&["check", "m.xsts", "-p", "n < 2", "--trace", "/dev/full"]);
        ran.expect(2, "violated");
        assert!(ran.out.contains("here `n < 2` is false"), "{}", ran.out);
        assert!(ran.err.contains("`/dev/full` cannot be written"), "{}", ran.err);
    }
}

#[test]
fn an_empty_answer_says_so() {
    let dir = Dir::new("vacuous");
    // Nothing is ever stable.
    dir.file("m.xsts", "var n : integer = 0 trans { } init { assume n > 0; } prop { n == 7 }");
    let ran = dir.run(&["check", "m.xsts", "--check-states", "stable"]);
    ran.expect(0, "holds");
    assert!(ran.err.contains("note: no state was examined"), "{}", ran.err);
    let ran = dir.run(&["check", "m.xsts", "--check-states", "stable", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["properties"][0]["notes"].as_array().unwrap().len(), 1, "{json}");
    dir.run(&["check", "m.xsts"]).expect(1, "violated");
}

#[test]
fn unknown_depth_is_left_out() {
    let dir = Dir::new("depth");
    dir.file("m.xsts", COUNTER);
    assert!(dir.run(&["check", "m.xsts"]).err.contains(", depth "));
    assert!(!dir.run(&["check", "m.xsts", "--search", "dfs"]).err.contains("depth"));
}

#[test]
fn long_names_stand_in_columns() {
    let dir = Dir::new("columns");
    let long = "a".repeat(40);
    dir.file(
        "m.xsts",
        format!("var {long} : integer = 0\nvar b : integer = 1\ntrans {{ {long} := 1; b := 2; }}\nprop {{ b == 1 }}"),
    );
    let ran = dir.run(&["check", "m.xsts"]);
    let columns: Vec<usize> = ran.out.lines().filter_map(|line| line.find(" = ")).collect();
    assert_eq!(columns, [48, 48], "{}", ran.out);
}

/// A transition that makes two tokens of one.
const NET: &str = "<pnml><net id='n' type='ptnet'>\
    <place id='a b'><initialMarking><text>1</text></initialMarking></place><place id='q'/>\
    <transition id='t'/><arc id='1' source='a b' target='t'/>\
    <arc id='2' source='t' target='q'><inscription><text>2</text></inscription></arc></net></pnml>";

#[test]
fn a_net_that_is_not_1_safe_names_the_place() {
    let dir = Dir::new("one-safe");
    dir.file("n.pnml", NET);
    let ran = dir.run(&["check", "n.pnml", "-p", "1-safe"]);
    ran.expect(1, "violated");
    assert!(ran.err.contains("note: in the last marking, `q` has 2 tokens"), "{}", ran.err);
    for (wrong, right) in
        [("deadlockfree", "deadlock-free"), ("DeadlockFree", "deadlock-free"), ("safe", "1-safe")]
    {
        dir.run(&["check", "n.pnml", "-p", wrong]).refused(&[&format!("did you mean `{right}`?")]);
    }
}

#[test]
fn files_of_an_earlier_run_are_removed() {
    let dir = Dir::new("stale");
    dir.file("m.xsts", COUNTER).file("t.json", "old").file("c.json", "old");
    dir.run(&["check", "m.xsts", "-p", "nobody < 1", "--trace", "t.json"]).refused(&["nobody"]);
    assert_eq!(dir.read("t.json"), "old", "nothing was searched for");
    dir.run(&["check", "m.xsts", "--trace", "t.json", "--certificate", "c.json"]).expect(0, "holds");
    assert!(!dir.0.join("t.json").exists());
    assert!(dir.read("c.json").contains("thetis-certificate"));
    let ran = dir.run(&["check", "m.xsts", "-p", "n < 1", "-p", "n >= 0", "--certificate", "c.json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(!dir.0.join("c-1.json").exists() && dir.0.join("c-2.json").exists());
}

#[test]
fn wrong_usage_is_json_too() {
    let dir = Dir::new("usage-json");
    let ran = dir.run(&["check", "m.xsts", "--json", "--no-such-option"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert_valid("error.schema.json", &ran.out);
    assert!(ran.out.contains("--no-such-option"), "{ran:?}");
    assert!(ran.err.contains("--no-such-option"), "{ran:?}");
}

#[test]
fn a_second_thread_that_nobody_uses_is_told() {
    let dir = Dir::new("threads");
    dir.file("m.xsts", COUNTER);
    let ran = dir.run(&["check", "m.xsts", "--threads", "2", "--engine", "explicit"]);
    ran.expect(0, "holds");
    assert!(ran.err.contains("`--threads` does nothing here"), "{ran:?}");
    let ran = dir.run(&["check", "m.xsts", "--threads", "2"]);
    ran.expect(0, "holds");
    assert!(!ran.err.contains("`--threads`"), "{ran:?}");
}

#[test]
fn info_says_what_preprocessing_would_do_for_a_property() {
    let dir = Dir::new("info-property");
    dir.file("m.xsts", "var n : integer = 0 var log : integer = 0 trans { n := 1 - n; log := log + n; } prop { n + log >= 0 }");
    let said = |arguments: &[&str]| dir.run(arguments).out;
    assert!(said(&["info", "m.xsts"]).contains("preprocessing  nothing to do"));
    let text = said(&["info", "m.xsts", "-p", "n <= 1"]);
    assert!(text.contains("dropped `log`") && text.contains("n <= 1"), "{text}");
    dir.run(&["info", "m.xsts", "-p", "m <= 1"]).refused(&["`m`"]);
}

/// A file is one however its path is written, and wherever the program is started: else the interfaces of both ends of a
/// binding would be different ones.
#[test]
fn imports_have_one_name_each() {
    let around = Dir::new("project_with_imports");
    for folder in ["Interfaces", "Charts", "System"] {
        std::fs::create_dir(around.0.join(folder)).unwrap();
    }
    let chart = "package charts import \"/project_with_imports/Interfaces/Go.gcd\"
        statechart Chart [ port p : requires Go ] { region main { initial i state A } transition from i to A }";
    let system = "package system import \"Interfaces/Go.gcd\" import \"Charts/Chart.gcd\"
        sync System [ port p : requires Go ] { component chart : Chart bind p -> chart.p }";
    around
        .file("Interfaces/Go.gcd", "package interfaces interface Go { out event go }")
        .file("Charts/Chart.gcd", chart)
        .file("System/System.gcd", system);
    for (folder, path) in
        [("", "System/System.gcd"), ("System", "System.gcd"), ("Charts", "../System/System.gcd")]
    {
        let dir = Dir(around.0.join(folder));
        let ran = dir.run(&["check", path, "-p", "E F { state chart.main.A }"]);
        ran.expect(0, "holds");
    }
}
