//! Traces and certificates: written, shown, exported, read back, and refused when wrong.

use serde_json::{Value, json};

use crate::{COUNTER, DIVISION, Dir, project};

#[track_caller]
pub fn assert_valid(schema: &str, document: &str) {
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
    assert_eq!(shown.out.replace("a run of m.xsts about `n < 2`\n", "violated\n"), table);
    assert!(table.ends_with("        here `n < 2` is false\n"), "{table}");
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
        "valid: a run of the model to a state where `n < 2` is false, 5 steps, every step re-executed",
    );
    let dir = holds("accept-certificate");
    let ran = dir.run(&["validate", "m.xsts", "c.json"]);
    assert!(ran.first().starts_with("valid: a closed set of "), "{ran:?}");
    assert!(ran.first().contains("`n <= 5` holds"), "{ran:?}");
    assert_eq!(dir.run(&["validate", "m.xsts", "c.json", "-p", "n <= 6"]).code, 0);
    dir.run(&["validate", "m.xsts", "c.json", "-p", "n <= 4"]).refused(&["c.json", "violates the property"]);
    let ran = dir.run(&["validate", "m.xsts", "c.json", "-p", "n <= 4", "--json"]);
    assert_valid("validation.schema.json", &ran.out);
    let said: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&said["valid"], &said["code"]), (&json!(false), &json!("evidence.target")));
}

/// Damages a file in one place; the result must be refused.
#[track_caller]
pub fn tampered(dir: &Dir, file: &str, damage: impl FnOnce(&mut Value)) -> String {
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
    // What is shown must be true as well.
    let why = tampered(&dir, "t.json", |t| t["steps"][2]["delay"] = json!("99"));
    assert!(why.contains("step 3: it shows a delay of 99, but its choices make no delay"), "{why}");
    let why = tampered(&dir, "t.json", |t| t["steps"][2]["edges"][0]["line"] = json!(1));
    assert!(why.contains("step 3: it shows `trans 1` at line 1"), "{why}");
    tampered(&dir, "t.json", |t| t["steps"][2]["edges"][0]["column"] = json!(null));
    tampered(&dir, "t.json", |t| t["steps"][2]["edges"][0]["label"] = json!("env"));
    tampered(&dir, "t.json", |t| {
        t["ends"] = json!({"fault": {"kind": "division by zero", "line": 1, "column": 1}})
    });
    // Nothing the schema does not know, everything it requires.
    let places: [fn(&mut Value) -> &mut Value; 6] = [
        |t| t,
        |t| &mut t["property"],
        |t| &mut t["variables"][0],
        |t| &mut t["initial"],
        |t| &mut t["steps"][0],
        |t| &mut t["steps"][0]["edges"][0],
    ];
    for place in places {
        tampered(&dir, "t.json", |t| place(t)["note"] = json!("trust me"));
    }
    tampered(&dir, "t.json", |t| t["steps"][0]["decisions"] = json!([{}]));
    tampered(&dir, "t.json", |t| drop(t["steps"][0].as_object_mut().unwrap().remove("delay")));
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
    tampered(&dir, "c.json", |c| c["note"] = json!("trust me"));
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

#[test]
fn a_rejection_is_a_result_for_programs() {
    let dir = violated("rejection-json");
    dir.run(&["check", "m.xsts", "--certificate", "c.json"]).expect(0, "holds");
    for file in ["t.json", "c.json"] {
        let ran = dir.run(&["validate", "m.xsts", file, "--json"]);
        assert_valid("validation.schema.json", &ran.out);
        assert!(ran.code == 0 && ran.out.contains("\"valid\": true"), "{ran:?}");
    }
    let mut trace: Value = serde_json::from_str(&dir.read("t.json")).unwrap();
    trace["steps"][2]["state"]["values"][1] = json!(7);
    dir.file("bad.json", trace.to_string()).file("no.json", "{");
    for file in ["bad.json", "no.json"] {
        let ran = dir.run(&["validate", "m.xsts", file, "--json"]);
        assert_valid("validation.schema.json", &ran.out);
        let said: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!((ran.code, &said["valid"]), (2, &json!(false)));
        assert!(said["reason"].as_str().unwrap().contains(file), "{said}");
    }
    // What could not be looked at is an error.
    let ran = dir.run(&["validate", "m.xsts", "gone.json", "--json"]);
    assert_valid("error.schema.json", &ran.out);
    let two = "var x : integer = 0\nvar x : boolean\ntrans { }";
    dir.file("two.xsts", two);
    let ran = dir.run(&["info", "two.xsts", "--json"]);
    assert_valid("error.schema.json", &ran.out);
    let said: Value = serde_json::from_str(&ran.out).unwrap();
    let found = &said["diagnostics"][0];
    assert_eq!([&found["line"], &found["column"], &found["end_line"], &found["end_column"]], [2, 5, 2, 6]);
    assert_eq!(found["notes"][0]["place"]["line"], 1, "{said}");
    assert_eq!(said["message"], "1 problem in the text");
    assert_valid("info.schema.json", &dir.run(&["info", "m.xsts", "--json"]).out);
}

#[test]
fn a_file_about_another_property_is_noticed() {
    let dir = holds("another-property");
    let file = dir.read("c.json").replace("n <= 5", "n <= 9");
    dir.file("c.json", file);
    let ran = dir.run(&["validate", "m.xsts", "c.json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("note: the file is about `n <= 9`, but the model's own `prop` is `n <= 5`"));
}

#[test]
fn a_replay_shows_the_model_and_how_it_ends() {
    let dir = violated("replay");
    let ran = dir.run(&["trace", "replay", "m.xsts", "t.json"]);
    ran.expect(0, "a run of m.xsts about `n < 2`");
    assert!(
        ran.out.ends_with("here `n < 2` is false\nreplayed: 5 steps that fit the model\n"),
        "{}",
        ran.out
    );
    // Lines are those of the model as it is now.
    dir.file("m.xsts", format!("// A comment.\n{COUNTER}"));
    let ran = dir.run(&["trace", "replay", "m.xsts", "t.json"]);
    assert!(ran.out.contains("trans 1 (line 5)") && ran.err.contains("edited"), "{ran:?}");
    let mut trace: Value = serde_json::from_str(&dir.read("t.json")).unwrap();
    trace["steps"][1]["delay"] = json!("99");
    dir.file("bad.json", trace.to_string());
    assert_eq!(dir.run(&["trace", "replay", "m.xsts", "bad.json"]).code, 2);
    trace["steps"][1]["delay"] = json!(null);
    trace["property"]["text"] = json!("n < 9");
    dir.file("bad.json", trace.to_string());
    let ran = dir.run(&["trace", "replay", "m.xsts", "bad.json"]);
    assert!(ran.code == 2 && ran.err.contains("`n < 9` is not false in its last state"), "{ran:?}");

    dir.file("d.xsts", DIVISION);
    dir.run(&["check", "d.xsts", "--trace", "d.json"]);
    let fault = "here the model goes wrong: division by zero at d.xsts:4:10\n";
    assert!(dir.run(&["trace", "replay", "d.xsts", "d.json"]).out.contains(fault));
    let shown = dir.run(&["trace", "show", "d.json"]);
    shown.expect(0, "a run of d.xsts about `q <= 10`");
    assert!(shown.out.ends_with(fault), "{}", shown.out);
    insta::assert_snapshot!("dot_fault", dir.run(&["trace", "export", "d.json", "--format", "dot"]).out);
    assert_eq!(dir.run(&["trace", "export", "d.json", "--json"]).out, dir.read("d.json"));
}

#[test]
fn a_run_to_nowhere_special_is_drawn_without_a_double_border() {
    let dir = Dir::new("dot-anywhere");
    dir.file("m.xsts", COUNTER).run(&["simulate", "m.xsts", "--random", "--steps", "3", "--trace", "t.json"]);
    assert!(!dir.run(&["trace", "export", "t.json", "--format", "dot"]).out.contains("peripheries"));
}
