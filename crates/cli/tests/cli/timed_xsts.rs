//! Timed XSTS as those who are new to them meet them: limits of time, choices by options, mistakes, what is written.

use serde_json::Value;

use crate::{COUNTER, Dir, project};

/// The examples about time.
fn examples(name: &str) -> Dir {
    let dir = Dir::new(name);
    for example in ["thermostat", "watchdog"] {
        let text = std::fs::read_to_string(project(&format!("examples/{example}.xsts"))).unwrap();
        dir.file(&format!("{example}.xsts"), text);
    }
    dir
}

/// Waits for 4 time units and a part of one, then is ready for less than one.
const GATE: &str = "\
type Gate : { Closed, Open }
ctrl var gate : Gate = Closed
var t : clock
trans { assume gate == Closed && t > 4 && t < 5; gate := Open; t := 0; }
    or { assume gate == Open && t > 1 && t < 2; gate := Closed; t := 0; }
env { __delay; }
prop { gate == Closed }
";

#[test]
fn whole_amounts_of_time_may_be_written_in_any_way() {
    let dir = examples("whole-amounts");
    let ask = |most: &str| dir.run(&["check", "watchdog.xsts", "-p", "mode != Stopped", "--within", most]);
    // The example says that it stops at time 30 at the earliest.
    for most in ["29", "29.0", "29.", "58/2"] {
        ask(most).expect(0, "holds");
    }
    ask("30.0").expect(1, "violated");
    ask("2.5").refused(&["whole numbers"]);
    ask("soon").refused(&["a whole number of time units is needed"]);
    ask("1e3").refused(&["a whole number of time units is needed"]);
    for most in ["9223372036854775808", "99999999999999999999"] {
        ask(most).refused(&["at most 9223372036854775807 time units"]);
    }
    // Zones have bounds up to 2^28, whatever the constants of the model are.
    let far = ["check", "watchdog.xsts", "--engine", "zone", "--within", "268435457"];
    let ran = dir.run(&far);
    ran.expect(3, "unknown (`--within` asks about more than 2^28 time units, which zones cannot count)");
    assert!(ran.err.contains("or a smaller `--within`"), "{ran:#?}");
    assert!(!ran.err.contains("constants of the model"), "{ran:#?}");
}

#[test]
fn a_limit_of_time_is_said_with_the_verdict() {
    let dir = examples("limit-said");
    let question = ["check", "watchdog.xsts", "-p", "mode != Stopped", "--within", "29"];
    let ran = dir.run(&question);
    ran.expect(0, "holds");
    let note = "note: this is only about the first 29 time units of every run (`--within 29`)\n";
    assert!(ran.err.contains(note), "{ran:#?}");
    let several = dir.run(&[&question[..], &["-p", "A[] mode != Stopped"]].concat());
    assert_eq!(several.err.matches(note).count(), 1, "{several:#?}");
    let json = dir.run(&[&question[..], &["--json"]].concat());
    let report: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((&report["within"], json.err.as_str()), (&29.into(), ""), "{json:#?}");
    assert!(!dir.run(&["check", "watchdog.xsts"]).err.contains("time units"));
    // Without a clock, time can pass and nobody can tell.
    dir.file("untold.xsts", "var n : integer = 0 trans { n := 1; } env { __delay; } prop { n == 0 }");
    dir.run(&["check", "untold.xsts", "--within", "5"]).refused(&["no clocks, so time decides nothing"]);
}

#[test]
fn an_engine_that_options_choose_is_named() {
    let dir = examples("named");
    let named = |options: &[&str], expected: &str| {
        let ran = dir.run(&[&["check", "watchdog.xsts"], options].concat());
        ran.expect(0, "holds");
        assert!(ran.err.contains(expected), "no `{expected}` in {}", ran.err);
    };
    named(&["--zonestrategy", "LU"], "; by --engine lazy --zonestrategy LU --data VISIBLE\n");
    named(&["--data", "EXPLICIT"], "; by --engine lazy ");
    named(&["--clockstrategy", "CF_SPLIT_ALL"], "; by --engine combined --domain EXPL_PRED_COMBINED ");
    named(&["--clockstrategy", "CF_SPLIT_ALL"], " --clockstrategy CF_SPLIT_ALL\n");
    named(&["--domain", "EXPL", "--zonestrategy", "BW_ITP"], "; by --engine combined --domain EXPL ");
    named(&["--domain", "EXPL", "--zonestrategy", "BW_ITP"], " --clockstrategy CF_SPLIT_FILTERCF\n");
    named(&["--clockstrategy", "RAT_ENCODE"], "; by --engine cegar --domain PRED_CART ");
    named(&["--domain", "EXPL_PRED_COMBINED"], "; by --engine cegar --domain EXPL_PRED_COMBINED ");
    named(&["--domain", "EXPL_PRED_COMBINED"], " --clockstrategy RAT_ENCODE\n");
    // Whoever names it knows it.
    let ran = dir.run(&["check", "watchdog.xsts", "--engine", "lazy"]);
    assert!(!ran.err.contains("; by "), "{ran:#?}");
}

#[test]
fn options_that_do_not_go_together_are_those_that_were_given() {
    let dir = examples("clashes");
    let clash = |options: &[&str], expected: &str| {
        dir.run(&[&["check", "watchdog.xsts"], options].concat()).refused(&[expected]);
    };
    clash(
        &["--clockstrategy", "RAT_ENCODE", "--zonestrategy", "BW_ITP"],
        "`--zonestrategy BW_ITP` does not go with `--clockstrategy RAT_ENCODE`, which chooses `--engine cegar`",
    );
    clash(
        &["--data", "EXPLICIT", "--domain", "EXPL"],
        "`--domain EXPL` does not go with `--data EXPLICIT`, which chooses `--engine lazy`",
    );
    clash(
        &["--domain", "EXPL", "--covering", "alu"],
        "`--covering alu` does not go with `--domain EXPL`, which chooses `--engine cegar`",
    );
    clash(
        &["--bound", "3"],
        "`--bound 3` needs an engine: it is about `--engine bmc`, `--engine kind` and `--engine ic3`",
    );
    clash(&["--engine", "zone", "--domain", "EXPL"], "`--domain EXPL` does not go with `--engine zone`:");
    clash(&["--timeout", "-3s"], "a time is not negative");
    clash(&["--memory-limit", "-3GB"], "a size is not negative");
    clash(&["--state-limit", "-3"], "a whole number is needed");
}

/// Bounds are refused for what they are not sound with: differences in the model, or what a deadlock says of them.
#[test]
fn bounds_are_refused_with_their_cause() {
    let dir = Dir::new("unsound");
    dir.file(
        "plain.xta",
        "clock x, y; int[0,3] n;
         process P() { state A { y <= 9 }; init A;
             trans A -> A { guard x >= 2 && y <= 7; assign x := 0, n := (n + 1) % 4; }, A -> A { guard y >= 3; assign y := 0; }; }
         system P;",
    );
    dir.file(
        "diagonal.xsts",
        "var c : clock var d : clock trans { __delay; assume c - d < 3; d := 0; } prop { c >= d }",
    );
    let bounds = ["--engine", "combined", "--zonestrategy", "LU"];
    let ran = dir.run(&[&["check", "plain.xta", "-p", "A[] not deadlock"], &bounds[..]].concat());
    ran.unsupported(&[
        "`--zonestrategy LU` is not sound with `deadlock`",
        "to go on: `--zonestrategy BW_ITP`; or `--zonestrategy FW_ITP`",
    ]);
    assert!(!ran.err.contains("simulate"), "{ran:#?}");
    // Nothing is wrong with the model itself.
    dir.run(&[&["check", "plain.xta", "-p", "A[] n <= 3"], &bounds[..]].concat()).expect(0, "holds");
    for engine in ["combined", "lazy"] {
        let ran = dir.run(&["check", "diagonal.xsts", "--engine", engine, "--zonestrategy", "LU"]);
        ran.unsupported(&["is not sound with differences of clocks)", "to go on: `--zonestrategy BW_ITP`"]);
        assert!(!ran.err.contains("simulate") && !ran.err.contains("deadlock"), "{ran:#?}");
    }
}

/// A clock that is data has values without end, of which no list says enough.
#[test]
fn a_domain_that_cannot_say_enough_is_told_with_others() {
    let dir = examples("tracked");
    let question = ["check", "thermostat.xsts", "-p", "heater == Off", "--within", "4"];
    let ran = dir.run(&[&question[..], &["--clockstrategy", "RAT_ENCODE", "--domain", "EXPL"]].concat());
    assert_eq!(ran.code, 3, "{ran:#?}");
    let others: [&[&str]; 3] = [
        &["--domain", "EXPL_PRED_COMBINED"],
        &["--domain", "PRED_CART"],
        &["--engine", "combined", "--clockstrategy", "CF_SPLIT_FILTERCF"],
    ];
    for other in others {
        assert!(ran.err.contains(&format!("`{}`", other.join(" "))), "{ran:#?}");
        // What is advised helps.
        dir.run(&[&question[..], other].concat()).expect(0, "holds");
    }
    assert!(!ran.out.contains("--maxenum"), "{ran:#?}");
}

#[test]
fn queries_about_an_xsts_are_answered_and_certified() {
    let dir = Dir::new("xsts-queries");
    dir.file("m.xsts", COUNTER);
    // What is reachable: 5 and no more.
    let asked = [
        ("A[] n <= 5", 0, "holds"),
        ("E<> n == 5", 0, "holds"),
        ("E<> n == 6", 1, "violated"),
        ("A[] n < 5", 1, "violated"),
    ];
    for (query, code, verdict) in asked {
        for engine in ["auto", "explicit", "cegar", "kind"] {
            let ran = dir.run(&[
                "check",
                "m.xsts",
                "-p",
                query,
                "--engine",
                engine,
                "--trace",
                "t.json",
                "--certificate",
                "c.json",
            ]);
            ran.expect(code, verdict);
            let run = query.starts_with('E') == (code == 0);
            let file = if run { "t.json" } else { "c.json" };
            let valid = dir.run(&["validate", "m.xsts", file]);
            assert_eq!(valid.code, 0, "{query}: {valid:#?}");
            if run {
                assert_eq!(dir.run(&["trace", "replay", "m.xsts", file]).code, 0, "{query}");
            }
        }
        let json = dir.run(&["check", "m.xsts", "-p", query, "--json"]);
        let report: Value = serde_json::from_str(&json.out).unwrap();
        let record = &report["properties"][0];
        assert_eq!((&record["text"], &record["verdict"]), (&query.into(), &verdict.into()), "{json:#?}");
    }
    let ran = dir.run(&["check", "m.xsts", "-p", "E<> n == 2"]);
    assert!(ran.out.ends_with("here `n == 2` is true\n"), "{ran:#?}");
    dir.run(&["check", "m.xsts", "-p", "!deadlock"])
        .unsupported(&["cannot ask for a `deadlock`", "`thetis simulate m.xsts --random`"]);
    let ran = dir.run(&["theta", "--model", "m.xsts", "--property", "E<> n == 2"]);
    assert!(ran.err.contains("`thetis check` also answers what is possible"), "{ran:#?}");
}

#[test]
fn pictures_of_abstract_states_show_clocks() {
    let dir = Dir::new("drawn-zones");
    dir.file("m.xsts", GATE.replace("prop { gate == Closed }", "prop { gate == Closed || t < 9 || t > 3 }"));
    let draw = |property: &[&str]| {
        let options = ["check", "m.xsts", "--engine", "combined", "--domain", "EXPL", "--arg", "g.dot"];
        dir.run(&[&options[..], property].concat()).expect(0, "holds");
        dir.read("g.dot")
    };
    // Clocks do not matter for what holds at any time.
    let dot = draw(&[]);
    assert!(dot.contains("gate == Gate.Closed\\nclocks: any values\""), "{dot}");
    // Before time 4 the gate does not open.
    let dot = draw(&["-p", "gate == Closed", "--within", "4"]);
    assert!(
        dot.contains("\\nclocks: t <= ") || dot.contains("\\nclocks: t - time since the start <= "),
        "{dot}"
    );
    assert!(!dot.contains("$elapsed"), "{dot}");
}

#[test]
fn clocks_have_one_form_in_each_format() {
    let dir = Dir::new("clock-forms");
    dir.file("m.xsts", GATE);
    let ran = dir.run(&["check", "m.xsts", "--trace", "t.json"]);
    ran.expect(1, "violated");
    // It opens strictly between 4 and 5, which is no whole number.
    let changes = ran.out.lines().filter(|line| line.trim_start().starts_with("t "));
    let parts: Vec<&str> = changes.filter(|line| line.contains('/')).collect();
    assert!(!parts.is_empty() && parts.iter().all(|line| line.contains("(4.")), "{ran:#?}");
    let itf = dir.run(&["trace", "export", "t.json", "--format", "itf"]).out;
    let itf: Value = serde_json::from_str(&itf).unwrap();
    let clocks: Vec<&Value> = itf["states"].as_array().unwrap().iter().map(|state| &state["t"]).collect();
    assert!(clocks.iter().all(|clock| clock.is_string()), "{clocks:?}");
    assert!(clocks.contains(&&"0".into()), "{clocks:?}");
    // The same for rational variables, also in arrays.
    dir.file(
        "r.xsts",
        "var r : rational = 1%2 var a : [integer] -> rational var n : integer = 0
         trans { r := r + 1%2; a[1] := r; n := 12345678901234567890; } prop { r < 2%1 }",
    );
    dir.run(&["check", "r.xsts", "--trace", "r.json"]).expect(1, "violated");
    let itf = dir.run(&["trace", "export", "r.json", "--format", "itf"]).out;
    let itf: Value = serde_json::from_str(&itf).unwrap();
    let last = itf["states"].as_array().unwrap().last().unwrap();
    assert_eq!(last["r"], "2", "{last}");
    assert_eq!(last["a"]["entries"]["#map"][0][1], "2", "{last}");
    assert_eq!(last["n"]["#bigint"], "12345678901234567890", "{last}");
}

#[test]
fn a_limit_that_a_run_goes_beyond_is_named() {
    let dir = examples("edited-limit");
    let question = ["check", "watchdog.xsts", "-p", "mode != Stopped", "--within", "30", "--trace", "t.json"];
    dir.run(&question).expect(1, "violated");
    dir.file("edited.json", dir.read("t.json").replace("\"within\": 30", "\"within\": 26"));
    let expected = "and it is only about the first 26 time units";
    dir.run(&["validate", "watchdog.xsts", "edited.json"]).refused(&["ends at time", expected]);
    let ran = dir.run(&["trace", "replay", "watchdog.xsts", "edited.json"]);
    assert!(ran.code == 2 && ran.err.contains(expected), "{ran:#?}");
}

#[test]
fn a_question_within_a_step_can_be_left() {
    let dir = Dir::new("left");
    dir.file(
        "m.xsts",
        "var x : integer = 0 var c : clock trans { havoc x; assume x > 0; __delay; } init { } env { }",
    );
    let prompts = ["1\n1\n1\nq\n", "1\n1\n1\n", "1\n1\n1\n3\nquit\n", "1\n1\n1\n3\n", "1\n1\n1\n3\n0\nq\n"];
    for (number, typed) in prompts.into_iter().enumerate() {
        let ran = dir.type_in(&["simulate", "m.xsts", "--trace", "t.json"], typed);
        assert_eq!(ran.code, 0, "{ran:#?}");
        assert!(!ran.out.contains("not possible") && !ran.out.contains("is no value"), "{ran:#?}");
        // Only the last one has answered all.
        let trace: Value = serde_json::from_str(&dir.read("t.json")).unwrap();
        let taken = if number == 4 { 3 } else { 2 };
        assert_eq!(trace["steps"].as_array().unwrap().len(), taken, "{typed:?}: {ran:#?}");
    }
    // Where it is a value, it is one.
    dir.file("q.xsts", "type T : { p, q } var t : T = p trans { havoc t; assume t == q; }");
    let ran = dir.type_in(&["simulate", "q.xsts"], "1\n1\n1\nq\ns\n");
    assert!(!ran.out.contains("not possible"), "{ran:#?}");
}
