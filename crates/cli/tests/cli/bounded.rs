//! `thetis check --engine bmc` and `--engine kind`: what they print, write and refuse.

use serde_json::{Value, json};

use crate::evidence::{assert_valid, tampered};
use crate::{Dir, timeless};

/// Goes round 0 to 4; `last` is one behind.
const ROUND: &str = "\
var n : integer = 0
var last : integer = 0
trans {
    last := n;
    if (n == 4) { n := 0; } else { n := n + 1; }
}
prop { last <= 4 }
";

#[test]
fn verdicts_and_statistics() {
    let dir = Dir::new("bounded");
    dir.file("m.xsts", ROUND);
    let ran = dir.run(&["check", "m.xsts", "--engine", "bmc", "-p", "last < 2"]);
    ran.expect(1, "violated");
    assert!(ran.err.contains("depth 7, "), "{}", ran.err);
    let ran = dir.run(&["check", "m.xsts", "--engine", "kind"]);
    ran.expect(0, "holds");
    assert!(timeless(&ran.err).contains("induction over 1 state"), "{}", ran.err);
    let ran = dir.run(&["check", "m.xsts", "--engine", "bmc", "--bound", "4"]);
    ran.expect(3, "unknown (bound of 4 steps reached)");
    dir.run(&["check", "m.xsts", "--bound", "4"]).refused(&["`--bound 4` needs an engine", "`--engine bmc`"]);
    let ran = dir.run(&["check", "m.xsts", "--engine", "kind", "--json"]);
    assert_valid("result.schema.json", &ran.out);
    let result: Value = serde_json::from_str(&ran.out).unwrap();
    let counted = &result["properties"][0]["statistics"]["bounded"];
    assert_eq!((&counted["induction"], &counted["depth"]), (&json!(1), &json!(0)));
}

/// The lemma speaks of states after a fault, too, in which processes are where they were before it.
#[test]
fn lemmas_tell_faults_from_states() {
    let dir = Dir::new("bounded-fault");
    let network = "
        clock x;
        int[0,3] n;
        process P() {
          state A, B;
          init A;
          trans A -> A { guard x < 0; assign n := n + 1; }, A -> B { guard x > 1; };
        }
        system P;";
    dir.file("m.xta", network);
    for engine in ["kind", "bmc"] {
        let asked = ["check", "m.xta", "--engine", engine, "-p", "A[] n < 4", "--certificate", "c.json"];
        dir.run(&asked).expect(0, "holds");
        assert_valid("certificate.schema.json", &dir.read("c.json"));
        assert!(dir.read("c.json").contains("[\"A\",\"$fault.fault\"]"));
        assert!(dir.run(&["validate", "m.xta", "c.json"]).first().starts_with("valid: "));
        let forged = dir.read("c.json").replace("$fault.fault", "$fault.elsewhere");
        dir.file("forged.json", forged);
        dir.run(&["validate", "m.xta", "forged.json"]).refused(&["there is no location `$fault.elsewhere`"]);
    }
}

#[test]
fn inductions_are_written_and_accepted_and_forgeries_refused() {
    let dir = Dir::new("bounded-certificate");
    dir.file("m.xsts", ROUND);
    dir.run(&["check", "m.xsts", "--engine", "kind", "--certificate", "c.json"]).expect(0, "holds");
    assert_valid("certificate.schema.json", &dir.read("c.json"));
    let ran = dir.run(&["validate", "m.xsts", "c.json", "--obligations", "o"]);
    assert!(ran.first().starts_with("valid: the first state of every run looked at"), "{ran:?}");
    let text = dir.read("o/obligations-00001.smt2");
    let answers = smt::z3::script(&text).unwrap();
    assert_eq!(answers.lines().count(), text.matches("(check-sat)").count());
    assert!(answers.lines().all(|answer| answer == "unsat"), "{answers}");

    dir.run(&["validate", "m.xsts", "c.json", "-p", "last <= 3"]).refused(&["c.json", "comes a target"]);
    tampered(&dir, "c.json", |c| c["induction"]["k"] = json!(0));
    tampered(&dir, "c.json", |c| c["induction"]["k"] = json!(-1));
    tampered(&dir, "c.json", |c| c["induction"]["argument"] = json!("exhaustion"));
    tampered(&dir, "c.json", |c| c["induction"]["argument"] = json!("trust me"));
    tampered(&dir, "c.json", |c| drop(c.as_object_mut().unwrap().remove("induction")));
    tampered(&dir, "c.json", |c| drop(c.as_object_mut().unwrap().remove("entries")));
    tampered(&dir, "c.json", |c| c["states"] = json!([]));
    tampered(&dir, "c.json", |c| c["kind"] = json!("closed-set"));
    let all = |formula: &str| {
        tampered(&dir, "c.json", |c| {
            for entry in c["entries"].as_array_mut().unwrap() {
                entry["formula"] = json!(formula);
            }
        })
    };
    assert!(all("true").contains("comes a target"), "nothing is known of `n` then");
    assert!(all("false").contains("the lemma: an initial state"));
    assert!(all("(<= |n| 3)").contains("the lemma: a successor"));
    assert!(all("(<= |m| 3)").contains("there is no variable |m|"));
}

#[test]
fn preprocessing_is_told_and_can_be_turned_off() {
    let dir = Dir::new("preprocess");
    let model = "var n : integer = 0 var log : integer = 0 var two : integer = 2
        trans { assume n < two; n := n + 1; log := log + n; } or { n := 0; log := log + 1; } prop { n <= 2 }";
    dir.file("m.xsts", model);
    let told = ["folded `two`, which never changes", "dropped `log`, which decides nothing"];
    let ran = dir.run(&["info", "m.xsts", "--json"]);
    assert_valid("info.schema.json", &ran.out);
    let info: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(info["preprocessing"], json!(told));
    // `log` grows for ever, so only a smaller model has finitely many states.
    let ran = dir.run(&["check", "m.xsts", "--engine", "explicit", "--json", "--certificate", "c.json"]);
    let result: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(result["properties"][0]["statistics"]["preprocessing"], json!(told));
    assert_eq!(dir.run(&["validate", "m.xsts", "c.json"]).code, 0);
    let ran =
        dir.run(&["check", "m.xsts", "--engine", "explicit", "--no-preprocess", "--state-limit", "500"]);
    ran.expect(3, "unknown (state limit of 500 reached)");
}
