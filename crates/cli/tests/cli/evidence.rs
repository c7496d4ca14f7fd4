//! Traces and certificates: written, shown, exported, read back, and refused when wrong.

use serde_json::{Value, json};

use crate::{COUNTER, DIVISION, Dir, project};

#[track_caller]
fn assert_valid(schema: &str, document: &str) {
    let schema = std::fs::read_to_string(project("docs/schema").join(schema)).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let document: Value = serde_json::from_str(document).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{document:#}");
}

fn violated(name: &str) -> Dir {
    let dir = Dir::new(name);
    dir.file("m.xsts", COUNTER)
        .run(&["check", "m.xsts", "-p", "n < 2", "--trace", "t.json"])
        .expect(1, "violated");
    dir
}

fn holds(name: &str) -> Dir {
    let dir = Dir::new(name);
    dir.file("m.xsts", COUNTER).run(&["check", "m.xsts", "--certificate", "c.json"]).expect(0, "holds");
    dir
}

#[test]
fn outputs_follow_their_schemas() {
    let dir = violated("schemas");
    assert_valid("trace.schema.json", &dir.read("t.json"));
    dir.run(&["check", "m.xsts", "--certificate", "c.json"]);
    assert_valid("certificate.schema.json", &dir.read("c.json"));
    dir.file("d.xsts", DIVISION);
    dir.file("a.xsts", "var a : [integer] -> rational = [0 <- 1%2, default <- 0] trans { } init { } env { } prop { a[0] == 1%3 }");
    for arguments in [
        &["check", "m.xsts", "--json"][..],
        &["check", "m.xsts", "--json", "--all", "-p", "n < 3", "--check-states", "stable"],
        &["check", "m.xsts", "--json", "--state-limit", "2"],
        &["check", "d.xsts", "--json"],
        &["check", "a.xsts", "--json"],
    ] {
        assert_valid("result.schema.json", &dir.run(arguments).out);
    }
    let thermostat = std::fs::read_to_string(project("examples/thermostat.xsts")).unwrap();
    dir.file("t.xsts", thermostat);
    assert_valid("trace.schema.json", &dir.run(&["simulate", "t.xsts", "--random", "--json"]).out);
}

#[test]
fn a_trace_is_shown_without_its_model() {
    let dir = violated("show");
    let table = dir.run(&["check", "m.xsts", "-p", "n < 2"]).out;
    std::fs::remove_file(dir.0.join("m.xsts")).unwrap();
    let shown = dir.run(&["trace", "show", "t.json"]);
    assert_eq!(format!("violated\n{}", shown.out), table);
    insta::assert_snapshot!("full", dir.run(&["trace", "show", "t.json", "--full"]).out);
}

#[test]
fn a_trace_survives_the_round_trip() {
    let dir = violated("round-trip");
    assert_eq!(dir.run(&["trace", "export", "t.json", "--format", "json"]).out, dir.read("t.json"));
    assert!(dir.run(&["trace", "replay", "m.xsts", "t.json"]).out.contains("replayed"));
    let ran = dir.run(&["simulate", "m.xsts", "--follow", "t.json", "--trace", "u.json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let steps = |name: &str| serde_json::from_str::<Value>(&dir.read(name)).unwrap()["steps"].clone();
    assert_eq!(steps("t.json"), steps("u.json"));
}

#[test]
fn traces_are_exported() {
    let dir = violated("export");
    let export = |format: &str| {
        let ran = dir.run(&["trace", "export", "t.json", "--format", format]);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.out
    };
    insta::assert_snapshot!("dot", export("dot"));
    insta::assert_snapshot!("xsts_cex", export("xsts-cex"));
    insta::assert_snapshot!("itf", export("itf"));
    dir.run(&["trace", "export", "t.json", "--format", "dot", "-o", "t.dot"]);
    assert_eq!(dir.read("t.dot"), export("dot"));
}

#[test]
fn good_evidence_is_accepted() {
    let dir = violated("accept-trace");
    dir.run(&["validate", "m.xsts", "t.json"]).expect(
        0,
        "valid: a run of the model to a state where `n < 2` fails, 5 steps, every step re-executed",
    );
    let dir = holds("accept-certificate");
    let ran = dir.run(&["validate", "m.xsts", "c.json"]);
    assert!(ran.first().starts_with("valid: a closed set of "), "{ran:?}");
    assert!(ran.first().contains("`n <= 5` holds"), "{ran:?}");
    assert_eq!(dir.run(&["validate", "m.xsts", "c.json", "-p", "n <= 6"]).code, 0);
    dir.run(&["validate", "m.xsts", "c.json", "-p", "n <= 4"]).refused(&["c.json", "target"]);
}

/// Damages a file in one place; the result must be refused.
#[track_caller]
fn tampered(dir: &Dir, file: &str, damage: impl FnOnce(&mut Value)) -> String {
    let mut document: Value = serde_json::from_str(&dir.read(file)).unwrap();
    let before = document.clone();
    damage(&mut document);
    assert_ne!(before, document, "nothing was damaged");
    dir.file("bad.json", document.to_string());
    let ran = dir.run(&["validate", "m.xsts", "bad.json"]);
    ran.refused(&["bad.json"]);
    ran.err
}

#[test]
fn wrong_traces_are_refused() {
    let dir = violated("refuse-trace");
    tampered(&dir, "t.json", |t| t["steps"][2]["state"]["values"][1] = json!(7));
    tampered(&dir, "t.json", |t| t["steps"][2]["state"]["values"][1] = json!("seven"));
    tampered(&dir, "t.json", |t| t["steps"][2]["edges"][0]["edge"] = json!(99));
    tampered(&dir, "t.json", |t| t["steps"][2]["state"]["locations"][0] = json!("nowhere"));
    tampered(&dir, "t.json", |t| t["initial"]["state"]["values"][1] = json!(1));
    tampered(&dir, "t.json", |t| t["variables"][1]["name"] = json!("m"));
    tampered(&dir, "t.json", |t| drop(t["steps"].as_array_mut().unwrap().pop()));
    tampered(&dir, "t.json", |t| drop(t["steps"].as_array_mut().unwrap().remove(1)));
    tampered(&dir, "t.json", |t| t["version"] = json!(9));
    tampered(&dir, "t.json", |t| t["format"] = json!("other"));
    tampered(&dir, "t.json", |t| drop(t.as_object_mut().unwrap().remove("steps")));
    dir.file("bad.json", &dir.read("t.json")[..200]);
    dir.run(&["validate", "m.xsts", "bad.json"]).refused(&["bad.json"]);
    dir.run(&["trace", "show", "bad.json"]).refused(&["bad.json"]);
    dir.run(&["trace", "show", "m.xsts"]).refused(&["neither a trace nor a certificate"]);
}

#[test]
fn wrong_certificates_are_refused() {
    let dir = holds("refuse-certificate");
    for at in 0..3 {
        tampered(&dir, "c.json", |c| drop(c["states"].as_array_mut().unwrap().remove(at)));
    }
    tampered(&dir, "c.json", |c| drop(c["states"].as_array_mut().unwrap().pop()));
    tampered(&dir, "c.json", |c| c["states"] = json!([]));
    tampered(&dir, "c.json", |c| c["states"][3]["values"][1] = json!(-4));
    tampered(&dir, "c.json", |c| c["states"][3]["values"][0] = json!(true));
    tampered(&dir, "c.json", |c| c["property"]["text"] = json!("n <= 3"));
    tampered(&dir, "c.json", |c| c["property"]["text"] = json!("nothing"));
    tampered(&dir, "c.json", |c| c["kind"] = json!("magic"));
    dir.file("other.xsts", COUNTER.replace("n < 5", "n < 6"));
    dir.run(&["validate", "other.xsts", "c.json"]).refused(&["c.json", "other.xsts"]);
}

#[test]
fn several_properties_write_numbered_files() {
    let dir = Dir::new("numbered");
    dir.file("m.xsts", COUNTER);
    dir.run(&[
        "check",
        "m.xsts",
        "-p",
        "n < 1",
        "-p",
        "n < 2",
        "-p",
        "n < 9",
        "--trace",
        "t.json",
        "--certificate",
        "c.json",
    ]);
    for (file, model) in [("t-1.json", "m.xsts"), ("t-2.json", "m.xsts"), ("c-3.json", "m.xsts")] {
        assert_eq!(dir.run(&["validate", model, file]).code, 0, "{file}");
    }
}
