//! `thetis check --engine cegar`: what it prints, writes and refuses.

use serde_json::{Value, json};

use crate::evidence::{assert_valid, tampered};
use crate::{COUNTER, DIVISION, Dir, timeless};

/// Two numbers that grow for ever and stay equal: no list of states can show it.
const TWINS: &str = "\
var x : integer = 0
var y : integer = 0
trans {
    x := x + 1;
    y := y + 1;
}
prop { x == y }
";

/// Violated, but only after so many steps that no abstraction gets there.
const ENDLESS: &str = "\
var x : integer = 0
trans {
    x := x + 1;
}
prop { x < 100000000 }
";

#[test]
fn verdicts_and_statistics() {
    let dir = Dir::new("cegar");
    dir.file("m.xsts", COUNTER).file("t.xsts", TWINS).file("d.xsts", DIVISION);
    let ran = dir.run(&["check", "t.xsts", "--engine", "cegar"]);
    ran.expect(0, "holds");
    let text = timeless(&ran.err);
    assert!(text.contains("1 iteration, 4 nodes (1 covered), 0 variables and 1 predicate, "), "{text}");
    assert!(text.contains(" solver call") && text.contains("; search …"), "{text}");
    let ran = dir.run(&["check", "m.xsts", "--engine", "cegar", "-p", "n < 2"]);
    ran.expect(1, "violated");
    assert!(ran.out.contains("here `n < 2` is false"), "{}", ran.out);
    let ran = dir.run(&["check", "d.xsts", "--engine", "cegar"]);
    ran.expect(2, "error (division by zero at d.xsts:4:10)");
    // Explicit values ask no solver here, so every number is the same each time.
    let ran = dir.run(&["check", "m.xsts", "--domain", "EXPL", "--initprec", "ALLVARS"]);
    insta::assert_snapshot!("cegar_holds", format!("{}---\n{}", ran.out, timeless(&ran.err)));
}

#[test]
fn the_model_may_have_no_states_at_all() {
    let dir = Dir::new("cegar-vacuous");
    dir.file("m.xsts", "var n : integer = 0 trans { } init { assume n > 0; } prop { n == 7 }");
    let ran = dir.run(&["check", "m.xsts", "--check-states", "stable", "--engine", "cegar"]);
    ran.expect(0, "holds");
    assert!(ran.err.contains("note: no state was examined"), "{}", ran.err);
}

#[test]
fn json_has_the_numbers_of_every_phase() {
    let dir = Dir::new("cegar-json");
    dir.file("m.xsts", COUNTER);
    let ran = dir.run(&["check", "m.xsts", "--domain", "PRED_CART", "--initprec", "EMPTY", "--json"]);
    assert_eq!(ran.code, 0);
    assert_valid("result.schema.json", &ran.out);
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["engine"], "cegar");
    let cegar = &json["properties"][0]["statistics"]["cegar"];
    let number = |name: &str| cegar[name].as_u64().unwrap_or_else(|| panic!("no {name} in {cegar}"));
    assert!(number("iterations") > 1 && number("predicates") > 0 && number("solver_calls") > 0, "{cegar}");
    assert!(number("nodes_made") >= number("nodes") && number("nodes") > number("covered"), "{cegar}");
    assert!(number("refine_calls") <= number("solver_calls"), "{cegar}");
    assert!(number("explore_microseconds") > 0 && number("refine_microseconds") > 0, "{cegar}");
    assert_eq!(number("variables"), 0);
    // Other engines have none of this.
    let ran = dir.run(&["check", "m.xsts", "--json"]);
    assert_valid("result.schema.json", &ran.out);
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["properties"][0]["statistics"]["cegar"], Value::Null);
}

#[test]
fn an_option_chooses_the_engine() {
    let dir = Dir::new("cegar-implied");
    dir.file("t.xsts", TWINS);
    for option in [
        ["--domain", "pred-cart"],
        ["--refinement", "seq_itp"],
        ["--interpolation", "spacer"],
        ["--prunestrategy", "full"],
        ["--initprec", "prop"],
        ["--predsplit", "atoms"],
        ["--arg", "arg.dot"],
    ] {
        let ran = dir.run(&[&["check", "t.xsts"][..], &option].concat());
        ran.expect(0, "holds");
        assert!(ran.err.contains(" nodes ("), "{option:?}: {}", ran.err);
        for engine in ["zone", "explicit"] {
            let ran = dir.run(&[&["check", "t.xsts", "--engine", engine][..], &option].concat());
            ran.refused(&[option[0], &format!("`--engine {engine}`"), "`--engine cegar`"]);
        }
    }
}

#[test]
fn options_that_clash_are_refused_before_the_model_is_read() {
    let dir = Dir::new("cegar-clash");
    let clash = |arguments: &[&str], names: &[&str]| {
        dir.run(&[&["check", "missing.xsts"][..], arguments].concat()).refused(names);
    };
    clash(
        &["--refinement", "UNSAT_CORE", "--domain", "PRED_CART"],
        &["`--refinement UNSAT_CORE`", "`--domain PRED_CART`"],
    );
    clash(&["--predsplit", "ATOMS", "--domain", "EXPL"], &["`--predsplit ATOMS`", "`--domain EXPL`"]);
    clash(&["--maxenum", "3", "--domain", "PRED_BOOL"], &["`--maxenum 3`", "`--domain PRED_BOOL`"]);
    clash(&["--autoexpl", "STATIC"], &["`--autoexpl STATIC`", "`--domain PRED_CART`"]);
    clash(&["--initprec", "CTRL", "--domain", "PRED_SPLIT"], &["`--initprec CTRL`", "`--domain PRED_SPLIT`"]);
    clash(&["--domain", "WISHFUL"], &["WISHFUL", "EXPL_PRED_COMBINED"]);
}

#[test]
fn the_graph_is_written_as_dot() {
    let dir = Dir::new("cegar-dot");
    dir.file("m.xsts", COUNTER);
    let ran = dir.run(&["check", "m.xsts", "--domain", "EXPL", "--initprec", "ALLVARS", "--arg", "arg.dot"]);
    ran.expect(0, "holds");
    assert!(ran.err.contains("graph written to arg.dot"), "{}", ran.err);
    insta::assert_snapshot!("cegar_dot", dir.read("arg.dot"));
    dir.run(&["check", "m.xsts", "--arg", "gone/arg.dot"]).refused(&["`gone/arg.dot`"]);
}

#[test]
fn proofs_are_written_and_accepted_and_forged_ones_are_not() {
    let dir = Dir::new("cegar-proof");
    dir.file("t.xsts", TWINS);
    dir.run(&["check", "t.xsts", "--engine", "cegar", "--certificate", "c.json", "--obligations", "o"])
        .expect(0, "holds");
    assert_valid("certificate.schema.json", &dir.read("c.json"));
    let ran = dir.run(&["validate", "t.xsts", "c.json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.first().starts_with("valid: an invariant of "), "{ran:?}");
    let answers = smt::z3::script(&dir.read("o/obligations-00001.smt2")).unwrap();
    assert!(!answers.is_empty() && answers.lines().all(|answer| answer == "unsat"), "{answers}");
    // The file is named after the model.
    dir.file("m.xsts", TWINS);
    let count =
        serde_json::from_str::<Value>(&dir.read("c.json")).unwrap()["entries"].as_array().unwrap().len();
    for at in 0..count {
        tampered(&dir, "c.json", |c| drop(c["entries"].as_array_mut().unwrap().remove(at)));
        tampered(&dir, "c.json", |c| c["entries"][at]["formula"] = json!("(= |x| 0)"));
        tampered(&dir, "c.json", |c| c["entries"][at]["successors"] = json!([]));
    }
    tampered(&dir, "c.json", |c| {
        for entry in c["entries"].as_array_mut().unwrap() {
            entry["formula"] = json!("true");
        }
    });
    // Of a model that is almost the same.
    dir.file("other.xsts", TWINS.replace("y + 1", "y + 2"));
    dir.run(&["validate", "other.xsts", "c.json"]).refused(&["c.json", "other.xsts"]);
}

#[test]
fn a_time_limit_is_kept() {
    let dir = Dir::new("cegar-timeout");
    dir.file("m.xsts", ENDLESS);
    for domain in ["EXPL", "PRED_CART", "EXPL_PRED_BOOL"] {
        dir.run(&["check", "m.xsts", "--domain", domain, "--timeout", "300ms"])
            .expect(3, "unknown (time limit of 300ms reached)");
    }
}

#[cfg(unix)]
#[test]
fn an_interruption_is_heard() {
    let dir = Dir::new("cegar-interrupt");
    dir.file("m.xsts", ENDLESS);
    let ran = crate::limits::interrupted(
        &dir,
        &["check", "m.xsts", "--domain", "EXPL", "--maxenum", "0"],
        std::process::Stdio::null(),
    );
    ran.expect(3, "unknown (interrupted)");
}
