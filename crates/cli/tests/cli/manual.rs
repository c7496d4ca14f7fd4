//! The manual is made from the definitions, and its examples work.

use std::process::Command;

use crate::{Dir, project};

#[test]
fn the_manual_is_up_to_date() {
    let made = Dir::new("manual").run(&["manual"]).out;
    let kept = std::fs::read_to_string(project("docs/cli.md")).unwrap_or_default();
    assert!(
        made == kept,
        "docs/cli.md is not up to date; run `cargo run -p thetis-cli -- manual > docs/cli.md`"
    );
}

#[test]
fn the_codes_are_up_to_date() {
    let made = Dir::new("codes").run(&["manual", "codes"]).out;
    let kept = std::fs::read_to_string(project("docs/codes.md")).unwrap_or_default();
    assert!(
        made == kept,
        "docs/codes.md is not up to date; run `cargo run -p thetis-cli -- manual codes > docs/codes.md`"
    );
}

#[test]
fn codes_are_explained() {
    let dir = Dir::new("explain");
    let all = dir.run(&["explain"]);
    for code in ["time-limit", "unsupported.open-variable", "evidence.successor", "type-mismatch"] {
        assert!(all.out.contains(code), "{all:#?}");
        dir.run(&["explain", code]).expect(0, code);
    }
    dir.run(&["explain", "typemismatch"]).refused(&["no code `typemismatch`", "`type-mismatch`"]);
    // What results carry is what can be asked for.
    let ran = dir.file("m.xsts", "var n : integer = tru trans { }").run(&["check", "m.xsts", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&json["code"], &json["diagnostics"][0]["code"]), (&"unknown-name".into(), &json["code"]));
    assert_eq!(json["diagnostics"][0]["subject"], "tru");
    dir.run(&["explain", json["code"].as_str().unwrap()]).expect(0, "unknown-name");
}

#[test]
fn the_examples_of_the_manual_work() {
    let dir = Dir::new("manual-examples");
    let manual = dir.run(&["manual"]).out;
    let examples: Vec<&str> = manual
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| line.starts_with("thetis "))
        .collect();
    assert!(examples.len() >= 20, "{examples:?}");
    for example in examples {
        let line = example.replacen("thetis", env!("CARGO_BIN_EXE_thetis"), 1);
        let output = Command::new("sh").args(["-c", &line]).current_dir(&dir.0).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{example}: {output:?}");
    }
}

#[test]
fn texts_come_with_the_program() {
    let dir = Dir::new("guide");
    for name in ["traffic_light", "queue", "thermostat", "watchdog"] {
        let kept = std::fs::read_to_string(project("examples").join(format!("{name}.xsts"))).unwrap();
        assert_eq!(dir.run(&["example", name]).out, kept);
        assert!(dir.run(&["example"]).out.contains(name));
    }
    dir.run(&["example", "queu"]).refused(&["`queu`", "`queue`"]);
    dir.run(&["language", "xsts"]).expect(0, "# XSTS");
    dir.run(&["language", "xta"]).expect(0, "# Timed automata");
}

#[test]
fn the_models_of_the_language_reference_hold() {
    let dir = Dir::new("language");
    let page = dir.run(&["language", "xsts"]).out;
    let models: Vec<&str> =
        page.split("```xsts\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(models.len(), 5);
    for model in models {
        dir.file("m.xsts", model).run(&["check", "m.xsts"]).expect(0, "holds");
    }
    // Every reserved word is listed, and every one that is listed is reserved.
    let list = page.split("These words are reserved: `").nth(1).unwrap().split('`').next().unwrap();
    for word in list.split_whitespace() {
        dir.file("w.xsts", format!("var {word} : integer trans {{ }}"));
        dir.run(&["check", "w.xsts"]).refused(&["reserved word"]);
    }
}

#[test]
fn the_examples_say_what_their_comments_say() {
    let dir = Dir::new("examples");
    let example = |name: &str| project("examples").join(name).display().to_string();
    dir.run(&["check", &example("traffic_light.xsts")]).expect(0, "holds");
    dir.run(&["check", &example("traffic_light.xsts"), "-p", "!requested || car != Red"])
        .expect(1, "violated");
    dir.run(&["check", &example("queue.xsts")]).expect(1, "violated");
    dir.run(&["check", &example("queue.xsts"), "-p", "length <= 4"]).expect(0, "holds");
}
