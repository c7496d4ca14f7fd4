//! Networks of timed automata as people use them: queries from everywhere, traces, simulation.

use serde_json::Value;

use crate::Dir;
use crate::evidence::assert_valid;

/// A sender that needs an invariant to hurry, a receiver, and a second step over an array of channels.
const NETWORK: &str = "\
clock x;
chan go, all[2];
process A() {
    state S { x <= 3 }, W, E;
    init S;
    trans S -> W { guard x >= 1; sync go!; assign x = 0; },
          W -> E { select i : int[0,1]; guard x == 2; sync all[i]!; };
}
process B() {
    clock y;
    state S, T { y <= 2 };
    init S;
    trans S -> T { sync go?; assign y = 0; }, T -> S { guard y >= 1; sync all[1]?; };
}
system A, B;
query { E<> A.E; A[] not A.E; A.S --> A.E; }
";

fn network(name: &str) -> Dir {
    let dir = Dir::new(name);
    dir.file("m.xta", NETWORK);
    dir
}

/// A run as a trace of UPPAAL, there and back, and what is said where that cannot be done.
#[test]
fn traces_of_uppaal_are_written_and_read() {
    let dir = network("uppaal-traces");
    dir.run(&["check", "m.xta", "-p", "E<> A.E", "--trace", "t.xml"]).expect(0, "holds");
    let replayed = dir.run(&["trace", "replay", "m.xta", "t.xml"]);
    assert!(replayed.code == 0 && replayed.out.ends_with("replayed: 2 steps that fit the model\n"));
    assert_valid("trace.schema.json", &dir.run(&["trace", "replay", "m.xta", "t.xml", "--json"]).out);
    let followed = dir.run(&["simulate", "m.xta", "--follow", "t.xml", "--random", "--steps", "0", "--json"]);
    assert_valid("trace.schema.json", &followed.out);
    dir.run(&["check", "m.xta", "-p", "E<> A.E", "--trace", "t.json"]).expect(0, "holds");
    let exported = dir.run(&["trace", "export", "t.json", "--format", "uppaal"]);
    assert_eq!(exported.out, dir.read("t.xml"));
    // What it is, its text says and not its name.
    dir.file("t.txt", dir.read("t.xml"));
    assert_eq!(dir.run(&["trace", "replay", "m.xta", "t.txt"]).out, replayed.out);
    dir.run(&["validate", "m.xta", "t.txt"])
        .expect(0, "valid: a run of the model, 2 steps, every step re-executed");
    let decided = dir.run(&["validate", "m.xta", "t.xml", "-p", "E<> A.E"]);
    assert!(decided.code == 0 && decided.out.contains("`A.E` is true"), "{decided:#?}");
    assert_eq!(dir.run(&["validate", "m.xta", "t.xml", "-p", "E<> A.S"]).code, 2);
    // At 3, `B` has left; edges are called as everywhere.
    dir.file("late.xta", NETWORK.replace("x == 2", "x == 3"));
    dir.run(&["trace", "replay", "late.xta", "t.xml"])
        .refused(&["step 2: `A: W -> E [x == 3] all[i]!, B: T -> S [y >= 1] all[1]?` is not possible there"]);
    dir.run(&["trace", "show", "t.xml"]).refused(&["`t.xml`", "`thetis trace replay MODEL t.xml`"]);
    dir.file("bad.xml", "<trace/>");
    dir.run(&["trace", "replay", "m.xta", "bad.xml"]).refused(&["`bad.xml`", "initial_node"]);
    dir.file("c.xsts", crate::COUNTER);
    dir.run(&["check", "c.xsts", "-p", "n < 2", "--trace", "c.xml"]).refused(&[
        "`c.xml`",
        "XSTS",
        "json, dot, itf",
    ]);
}

/// The earliest run to `B` gets there at 2 with x = 0; where more is asked for, a run waits for it. What no run along these
/// edges does is refused: `v` is 1 in `B`, and `x` is set at 4 at the latest. Zones are no evidence, and the result says so.
#[test]
fn traces_of_uppaal_are_read_for_what_is_asked() {
    let dir = Dir::new("uppaal-asked");
    let model = "clock x; int[0,3] v; broadcast chan b;
        process P() { clock y; state A {x<=4}, B; init A; trans A->B {guard y>=2; sync b!; assign v=1;}; }
        process Q() { state A, B; init A; trans A->B {sync b?; assign x=0;}; }
        system P, Q;";
    dir.file("m.xta", model);
    for query in ["E<> P.B && x > 3", "E<> P.B && P.y - x == 3", "A[] P.B imply x <= 7"] {
        dir.run(&["check", "m.xta", "-p", query, "--trace", "t.xml"]);
        let ran = dir.run(&["validate", "m.xta", "t.xml", "-p", query]);
        assert!(ran.code == 0 && ran.out.starts_with("valid: "), "{query}: {ran:#?}");
        assert!(ran.err.contains("zones are not compared"), "{ran:#?}");
    }
    for query in ["E<> P.B && v == 2", "E<> P.B && P.y - x > 4"] {
        assert_eq!(dir.run(&["validate", "m.xta", "t.xml", "-p", query]).code, 2, "{query}");
    }
}

/// Documents may be in other encodings, and their own names for short texts count; a converted one is UTF-8.
#[test]
fn documents_are_read_in_their_encodings() {
    let dir = Dir::new("encodings");
    let document = |encoding: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"{encoding}\"?>\n<!DOCTYPE nta [<!ENTITY N \"3\">]>\n<nta><declaration>\
             // äß\nint[0,&N;] n;</declaration><template><name>P</name><location id=\"a\"><name>A</name></location>\
             <init ref=\"a\"/><transition><source ref=\"a\"/><target ref=\"a\"/><label kind=\"guard\">n &lt; &N;</label>\
             <label kind=\"assignment\">n++</label></transition></template><system>system P;</system></nta>"
        )
    };
    let latin: Vec<u8> = document("ISO-8859-1").chars().map(|c| u8::try_from(c).unwrap()).collect();
    let units = "\u{feff}".encode_utf16().chain(document("UTF-16").encode_utf16().collect::<Vec<_>>());
    let utf16: Vec<u8> = units.flat_map(u16::to_be_bytes).collect();
    dir.file("utf8.xml", document("utf-8")).file("latin.xml", &latin).file("utf16.xml", &utf16);
    for file in ["utf8.xml", "latin.xml", "utf16.xml"] {
        dir.run(&["check", file, "-p", "E<> n == 3"]).expect(0, "holds");
        dir.run(&["check", file, "-p", "E<> n > 3"]).expect(1, "violated");
        let converted = format!("converted-{file}");
        assert_eq!(dir.run(&["convert", file, &converted]).code, 0);
        let text = dir.read(&converted);
        assert!(text.contains("encoding=\"utf-8\"") && text.contains("// äß"), "{text}");
    }
    dir.file("odd.xml", &utf16[..utf16.len() - 1]);
    dir.run(&["check", "odd.xml"]).refused(&["`odd.xml` is a binary file"]);
}

/// `B` can be left at 113 only, a number that nobody writes, and `C` only before that: all delays are looked at, also
/// after the last step that is followed.
#[test]
fn a_simulation_looks_at_all_delays() {
    let dir = Dir::new("all-delays");
    dir.file(
        "m.xta",
        "clock x; int n = 37;
         process P() { state A, B { x <= 200 }, C, D; init A;
             trans A -> B { guard x >= 1; }, B -> C { guard x == 3 * n + 2; }, C -> D { guard x < 113; }; }
         system P;",
    );
    dir.run(&["check", "m.xta", "-p", "E<> P.B", "--trace", "t.json"]).expect(0, "holds");
    let ran = dir.run(&["simulate", "m.xta", "--follow", "t.json", "--random", "--trace", "u.json"]);
    assert_eq!(ran.code, 0);
    insta::assert_snapshot!("all_delays", ran.out);
    assert_eq!(dir.run(&["validate", "m.xta", "u.json"]).code, 0);
}

/// The run to a value ends with the value; one is shown for each end, and numbers nobody reads are rounded.
#[test]
fn runs_to_values_end_with_them() {
    let dir = Dir::new("runs-to-values");
    dir.file(
        "m.xta",
        "clock x; int[0,9] v; process P() { state A { x < 3 }, B; init A; trans A -> B { assign v = 7; }; } system P;",
    );
    for query in ["sup: v", "bounds: v", "sup{P.A}: x", "sup: x"] {
        let ran = dir.run(&["check", "m.xta", "-p", query]);
        assert_eq!(ran.code, 0, "{ran:#?}");
        insta::assert_snapshot!(format!("run_to_{query}").replace([':', ' ', '{', '}', '.'], "_"), ran.out);
    }
    assert_valid("result.schema.json", &dir.run(&["check", "m.xta", "-p", "bounds: v, x", "--json"]).out);
}

/// Where processes can be, for those who write a query.
#[test]
fn locations_are_named() {
    let dir = network("locations");
    let said = dir.run(&["info", "m.xta"]).out;
    // `W -> E` counts twice: it selects one of two channels.
    assert!(said.contains("A: 3 locations, 3 edges; locations S, W, E\n"), "{said}");
    assert_valid("info.schema.json", &dir.run(&["info", "m.xta", "--json"]).out);
}

/// A model as a document has the same answers.
#[test]
fn a_model_becomes_a_document() {
    let dir = network("documents");
    assert_eq!(dir.run(&["convert", "m.xta", "m.xml"]).code, 0);
    let answers = |model: &str| dir.run(&["check", model, "--all", "--json"]).out;
    let outcomes = |model: &str| -> Vec<Value> {
        let json: Value = serde_json::from_str(&answers(model)).unwrap();
        json["properties"].as_array().unwrap().iter().map(|result| result["verdict"].clone()).collect()
    };
    assert_eq!(outcomes("m.xml"), outcomes("m.xta"));
    assert_eq!(dir.run(&["convert", "m.xml", "-"]).out, dir.read("m.xml"));
    dir.run(&["convert", "m.xta", "m.xsts"]).refused(&["`m.xsts`", "`.xml`"]);
}

/// Whatever a process is called, it is one like any other: stable where every process of a network is, shown, and known
/// again in files.
#[test]
fn nothing_is_inferred_from_names() {
    let dir = Dir::new("names");
    let process = |name: &str| {
        format!(
            "process {name}() {{ state init, other; init init; trans init -> other {{ }}; }} system {name};"
        )
    };
    dir.file("m.xta", process("xsts"));
    for states in ["all", "stable"] {
        let ran = dir.run(&["check", "m.xta", "-p", "A[] not xsts.init", "--check-states", states]);
        assert_eq!((ran.code, ran.first()), (1, "violated"), "{states}");
    }
    dir.file("d.xta", process("$P"));
    let files = ["--trace", "t.json", "--certificate", "c.json"];
    let reached = [&["check", "d.xta", "-p", "E<> $P.other"][..], &files].concat();
    assert_eq!(dir.run(&reached).first(), "holds");
    assert_eq!(dir.run(&["validate", "d.xta", "t.json"]).code, 0);
    let never = [&["check", "d.xta", "-p", "A[] $P.init or $P.other"][..], &files].concat();
    assert_eq!(dir.run(&never).first(), "holds");
    assert_eq!(dir.run(&["validate", "d.xta", "c.json"]).code, 0);
}

#[test]
fn own_queries_are_answered_one_by_one() {
    let dir = network("own-queries");
    let ran = dir.run(&["check", "m.xta", "--all"]);
    let lines: Vec<&str> = ran.out.lines().take(3).collect();
    let expected = ["E<> A.E: holds", "A[] not A.E: violated", "A.S --> A.E: holds"];
    assert_eq!((lines.as_slice(), ran.code), (expected.as_slice(), 1), "{ran:#?}");
}

#[test]
fn unsupported_queries_are_unknown_to_every_command() {
    let dir = network("unsupported-everywhere");
    dir.run(&["simulate", "m.xta", "--random", "--steps", "1", "--trace", "t.json"]);
    let mut trace: serde_json::Value = serde_json::from_str(&dir.read("t.json")).unwrap();
    trace["property"] = serde_json::json!({
        "name": "q", "text": "A[A.S U A.E]", "claim": "always", "about": "formula", "check_states": "all",
    });
    dir.file("q.json", trace.to_string());
    for command in [
        &["check", "m.xta", "-p", "A[A.S U A.E]"][..],
        &["simulate", "m.xta", "--random", "-p", "A[A.S U A.E]"],
        &["info", "m.xta", "-p", "A[A.S U A.E]"],
        &["validate", "m.xta", "t.json", "-p", "A[A.S U A.E]"],
        &["validate", "m.xta", "q.json"],
        &["trace", "replay", "m.xta", "q.json"],
    ] {
        let ran = dir.run(command);
        let said = format!("{}{}", ran.out, ran.err);
        assert!(ran.code == 3 && said.contains("`U` and `W`") && said.contains("not supported"), "{ran:#?}");
    }
    // What cannot be read stays an error.
    assert_eq!(dir.run(&["simulate", "m.xta", "--random", "-p", "E<> ("]).code, 2);
}

#[test]
fn unsupported_queries_are_unknown_alone_as_among_others() {
    let dir = network("unsupported");
    for (query, name) in [("A[A.S U A.E]", "until"), ("E[A.S W A.E]", "until")] {
        let ran = dir.run(&["check", "m.xta", "-p", query]);
        ran.unsupported(&[name, "not supported"]);
        assert!(ran.err.contains("--> -p:1:"), "no place in {ran:#?}");
        let ran = dir.run(&["check", "m.xta", "-p", query, "--json"]);
        assert_eq!(ran.code, 3, "{ran:#?}");
        assert_valid("result.schema.json", &ran.out);
        let report: Value = serde_json::from_str(&ran.out).unwrap();
        let record = &report["properties"][0];
        let code = "unsupported.query";
        assert_eq!((&record["verdict"], &record["code"]), (&"unknown".into(), &code.into()), "{ran:#?}");
        assert_eq!(record["diagnostics"][0]["code"], code, "{ran:#?}");
        // Among others, it is the same line.
        let ran = dir.run(&["check", "m.xta", "-p", query, "-p", "E<> A.S"]);
        assert!(ran.first().starts_with(&format!("{query}: unknown (unsupported: ")), "{ran:#?}");
        assert_eq!(ran.code, 3, "{ran:#?}");
    }
    // What cannot be read is another matter.
    dir.run(&["check", "m.xta", "-p", "A[] ("]).refused(&["expected an expression"]);
}

#[test]
fn clock_bounds_that_zones_cannot_hold_are_left_to_others() {
    let dir = Dir::new("large-bounds");
    dir.file(
        "m.xta",
        "clock x; const int c = 300000000; process P() { state A, B; init A; trans A -> B { guard x > c; }; } system P;",
    );
    let ran = dir.run(&["check", "m.xta", "-p", "E<> P.B", "--engine", "zone"]);
    assert_eq!(ran.code, 3, "{ran:#?}");
    assert!(ran.out.starts_with("unknown (a clock is compared with a constant beyond 2^28"), "{ran:#?}");
    assert!(ran.err.contains("to go on: `--engine cegar`"), "{ran:#?}");
    // Others are asked by default, whose numbers have no limits.
    let ran = dir.run(&["check", "m.xta", "-p", "E<> P.B"]);
    assert_eq!((ran.code, ran.out.starts_with("holds")), (0, true), "{ran:#?}");
}

#[test]
fn questions_about_some_time_are_answered_by_all_engines() {
    let dir = network("within");
    // A leaves S at time 1 at the earliest, and W exactly 2 later.
    for engine in ["zone", "lazy", "zone-cegar", "combined", "cegar"] {
        let question = ["check", "m.xta", "-p", "E<> A.E", "--engine", engine, "--within", "2"];
        let early = dir.run(&[&question[..], &["--certificate", "c.json"]].concat());
        assert_eq!((early.code, early.out.trim()), (1, "violated"), "{early:#?}");
        let checked = dir.run(&["validate", "m.xta", "c.json"]);
        assert_eq!(checked.code, 0, "{checked:#?}");
        assert!(checked.out.contains("(looking only at the first 2 time units)"), "{checked:#?}");
        // Without the limit, it shows nothing.
        let text = std::fs::read_to_string(dir.0.join("c.json")).unwrap();
        dir.file("forged.json", text.replace("\"within\": 2", "\"within\": 3"));
        assert_eq!(dir.run(&["validate", "m.xta", "forged.json"]).code, 2);
    }
    for engine in ["zone", "cegar", "bmc", "kind"] {
        let ran = dir.run(&[
            "check",
            "m.xta",
            "-p",
            "E<> A.E",
            "-p",
            "A[] not A.E",
            "--engine",
            engine,
            "--within",
            "3",
            "--trace",
            "t.json",
        ]);
        let lines: Vec<&str> = ran.out.lines().take(2).collect();
        assert_eq!(lines, ["E<> A.E: holds", "A[] not A.E: violated"], "{ran:#?}");
        assert!(
            ran.out.contains("here `A.E` is true, at time 3\n") && !ran.out.contains("elapsed"),
            "{ran:#?}"
        );
        for command in [vec!["validate", "m.xta"], vec!["trace", "replay", "m.xta"]] {
            let checked = dir.run(&[&command[..], &["t-1.json"]].concat());
            assert_eq!(checked.code, 0, "{checked:#?}");
        }
        let followed = dir.run(&["simulate", "m.xta", "--random", "--steps", "0", "--follow", "t-1.json"]);
        assert_eq!(followed.code, 0, "{followed:#?}");
    }
    let json = dir.run(&["check", "m.xta", "-p", "E<> A.E", "--within", "3", "--json"]);
    let report: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(report["within"], 3);
}

/// What could happen only later is no deadlock now.
#[test]
fn deadlocks_within_some_time_look_beyond_it() {
    let dir = Dir::new("deadlock-within");
    dir.file(
        "m.xta",
        "clock x; process A() { state S, E; init S; trans S -> E { guard x >= 5; }; } system A;",
    );
    for (most, code) in [("4", 0), ("5", 1)] {
        let ran = dir.run(&["check", "m.xta", "-p", "A[] not deadlock", "-p", "A[] A.S", "--within", most]);
        assert_eq!(ran.code, code, "within {most}: {ran:#?}");
        let alone = dir.run(&["check", "m.xta", "-p", "A[] not deadlock", "--within", most]);
        assert_eq!(alone.code, code, "within {most}: {alone:#?}");
    }
}

#[test]
fn runs_to_deadlocks_are_replayed() {
    let dir = Dir::new("deadlock-replayed");
    dir.file(
        "m.xta",
        "clock x; process P() { state A, B { x < 2 }; init A; trans A -> B { guard x < 1; }; } system P;",
    );
    assert_eq!(dir.run(&["check", "m.xta", "-p", "E<> deadlock", "--trace", "t.json"]).code, 0);
    let ran = dir.run(&["trace", "replay", "m.xta", "t.json"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert!(ran.out.contains("here `deadlock` is true"), "{ran:#?}");
}

#[test]
fn constants_at_the_end_of_64_bits_are_read() {
    let dir = Dir::new("large-constants");
    dir.file(
        "m.xsts",
        "var x : clock var y : clock var b : boolean = false
         trans { assume x >= 9223372036854775808 && y <= 9223372036854775807; b := true; }
         or { assume x - y < 0 - 9223372036854775808; b := true; } env { __delay; } prop { !b }",
    );
    for engine in ["zone", "lazy", "zone-cegar"] {
        let ran = dir.run(&["check", "m.xsts", "--engine", engine]);
        assert_eq!(ran.code, 3, "{engine}: {ran:#?}");
        assert!(ran.out.contains("beyond 2^28"), "{engine}: {ran:#?}");
    }
    assert_eq!(dir.run(&["check", "m.xsts"]).code, 0, "neither of them is possible");
}

/// The division goes wrong from time 5 on. For a deadlock, that is a step that can be made.
#[test]
fn what_goes_wrong_later_is_not_looked_at() {
    let dir = Dir::new("wrong-later");
    dir.file(
        "m.xsts",
        "var c : clock var n : integer = 1 var q : integer = 0
         trans { __delay; if (c >= 5) { n := 0; } q := 10 / n; } prop { n >= 0 }",
    );
    dir.file(
        "m.xta",
        "clock x; int n = 1; int q; process P() { state A, B; init A;
         trans A -> B { guard x >= 5; assign n := 0, q := 10 / n; }; } system P;",
    );
    for engine in ["auto", "zone", "lazy", "zone-cegar", "combined", "cegar"] {
        for (most, code) in [("4", 0), ("5", 2)] {
            let ran = dir.run(&["check", "m.xsts", "--engine", engine, "--within", most]);
            assert_eq!(ran.code, code, "{engine} within {most}: {ran:#?}");
            let ran = dir.run(&["check", "m.xta", "-p", "A[] n >= 0", "--engine", engine, "--within", most]);
            assert_eq!(ran.code, code, "{engine} within {most}: {ran:#?}");
        }
    }
    let ran = dir.run(&["check", "m.xta", "-p", "A[] not deadlock", "--within", "4"]);
    assert_eq!(ran.code, 2, "{ran:#?}");
}

#[test]
fn time_that_cannot_be_asked_for_is_refused() {
    let dir = network("not-within");
    let ran = dir.run(&["check", "m.xta", "-p", "E<> A.E", "--within", "3/2"]);
    ran.refused(&["--within", "whole numbers", "multiply"]);
    dir.run(&["check", "m.xta", "-p", "E<> A.E", "--within", "-1"]).refused(&["--within"]);
    let ran = dir.run(&["check", "m.xta", "-p", "E<> A.E", "--within", "99999999999999999999"]);
    ran.refused(&["--within", "at most 9223372036854775807 time units"]);
    dir.file("untimed.xsts", "var n : integer = 0; trans { n := 1; } prop { n == 0 }");
    dir.run(&["check", "untimed.xsts", "--within", "3"]).refused(&["--within 3", "no clocks"]);
}

#[test]
fn delays_are_shown_exactly_and_as_decimals() {
    let shown = thetis::trace::table::amount;
    assert_eq!(["3", "0", "1/2", "7/4"].map(shown), ["3", "0", "1/2 (0.5)", "7/4 (1.75)"]);
    assert_eq!(
        ["1/3", "200/3", "1/8", "1/16"].map(shown),
        ["1/3 (0.333…)", "200/3 (66.666…)", "1/8 (0.125)", "1/16 (0.062…)"]
    );
}

#[test]
fn query_files_hold_several_queries() {
    let dir = network("query-file");
    dir.file("m.q", "// first\nE<> A.E\n\n/* second,\n in two lines */\nA[] (A.E imply \\\n  x >= 2)\n");
    let ran = dir.run(&["check", "m.xta", "--property-file", "m.q"]);
    let lines: Vec<&str> = ran.out.lines().take(2).collect();
    assert_eq!((lines, ran.code), (vec!["E<> A.E: holds", "A[] (A.E imply x >= 2): holds"], 0), "{ran:#?}");
}

#[test]
fn statistics_tell_of_the_zone_graph() {
    let dir = network("statistics");
    let ran = dir.run(&["check", "m.xta", "-p", "A[] x >= 0", "--json"]);
    let result: Value = serde_json::from_str(&ran.out).unwrap();
    let numbers = &result["properties"][0]["statistics"];
    for name in ["visited", "stored", "transitions", "covered", "bytes_per_state"] {
        assert!(numbers[name].is_u64(), "no `{name}` in {numbers}");
    }
    assert_eq!((numbers["visited"].as_u64(), numbers["stored"].as_u64()), (Some(3), Some(3)), "{numbers}");
}

/// Where a clock may stand still, the state after a delay does not tell the one before it, so that only the former is
/// shown: `x` stands still at `B` while 3 units pass.
#[test]
fn runs_with_stopwatches_show_states_after_delays() {
    let dir = Dir::new("stopwatch-run");
    let text = "clock x, t; process P() { state A { t <= 2 }, B { x' == 0 }; init A; trans A -> B { guard t >= 2; }; }
system P;";
    dir.file("m.xta", text);
    let ran = dir.run(&["check", "m.xta", "-p", "E<> P.B && t == 5", "--trace", "t.json"]);
    let step = "   1  P: A -> B [t >= 2] (line 1), delay 3\n        P : A -> B\n        t : 2 -> 5\n";
    for part in ["   0  initially, delay 2\n", "        x = 2\n", step] {
        assert!(ran.out.contains(part), "no `{part}` in {}", ran.out);
    }
    crate::evidence::assert_valid("trace.schema.json", &dir.read("t.json"));
    dir.run(&["validate", "m.xta", "t.json"]).expect(
        0,
        "valid: a run of the model to a state where `P.B && t == 5` is true, 1 step, every step re-executed",
    );
}

#[test]
fn runs_have_delays_and_channels_in_every_format() {
    let dir = network("timed-run");
    let ran = dir.run(&["check", "m.xta", "-p", "E<> A.E", "--trace", "t.json"]);
    // What a step sets is shown before the time that passes after it.
    let step = "   1  A: S -> W [x >= 1] go! (line 6), B: S -> T go? (line 13)\n        A   : S -> W\n        B   : S -> T\n        \
                x   : 1 -> 0\n        B.y : 1 -> 0\n        delay 2, then x = 2, B.y = 2\n";
    for part in ["        delay 1, then x = 1, B.y = 1\n", step, "all[1]! (i = 1)"] {
        assert!(ran.out.contains(part), "no `{part}` in {}", ran.out);
    }
    dir.run(&["validate", "m.xta", "t.json"]).expect(
        0,
        "valid: a run of the model to a state where `A.E` is true, 2 steps, every step re-executed",
    );
    let dot = dir.run(&["trace", "export", "t.json", "--format", "dot"]).out;
    assert!(dot.contains("go!") && dot.contains("delay 2") && dot.contains("initially, delay 1"), "{dot}");
    let itf = dir.run(&["trace", "export", "t.json", "--format", "itf"]).out;
    let itf: Value = serde_json::from_str(&itf).unwrap();
    assert_eq!(itf["states"][0]["#meta"]["delay"], "1");
    assert_eq!(itf["states"][1]["#meta"]["action"], "A: S -> W [x >= 1] go!, B: S -> T go?");
}

#[test]
fn a_network_is_simulated_by_hand() {
    let dir = network("by-hand-timed");
    let ran = dir.type_in(&["simulate", "m.xta"], "1\nd 4\nd soon\nd 1\n1\ndelay 2\n1\nq\n");
    assert_eq!(ran.code, 0);
    insta::assert_snapshot!("by_hand_timed", ran.out);
}

#[test]
fn random_runs_of_networks_are_runs() {
    let dir = Dir::new("random-timed");
    dir.file("m.xta", std::fs::read_to_string(crate::project("examples/fischer.xta")).unwrap());
    for seed in ["1", "2", "3"] {
        let arguments =
            ["simulate", "m.xta", "--random", "--seed", seed, "--steps", "25", "--trace", "t.json"];
        let (ran, again) = (dir.run(&arguments), dir.run(&arguments));
        assert_eq!((ran.code, &ran.out), (0, &again.out), "{ran:?}");
        dir.run(&["validate", "m.xta", "t.json"])
            .expect(0, "valid: a run of the model, 25 steps, every step re-executed");
    }
}

/// What has gone wrong in a query is said with its place in the text that it comes from.
#[test]
fn queries_that_go_wrong_say_where() {
    let dir = Dir::new("wrong-query");
    dir.file(
        "m.xta",
        "int[0,3] i; int a[3]; int f() { return a[i]; }
process P() { state A; init A; trans A -> A { guard i < 3; assign i++; }; } system P; query { A[] a[i] == 0; }",
    );
    dir.file("m.q", "E<> i == 1\nA[]\\\n f() == 0\n");
    let ran = dir.run(&["check", "m.xta", "--all", "--property-file", "m.q", "--trace", "t.json"]);
    let lines: Vec<&str> = ran.out.lines().take(3).collect();
    let expected = [
        "A[] a[i] == 0: error (index out of range at m.xta:2:101)",
        "E<> i == 1: holds",
        "A[] f() == 0: error (index out of range at m.q:3:2)",
    ];
    assert_eq!((lines.as_slice(), ran.code), (expected.as_slice(), 2), "{ran:#?}");
    assert!(ran.out.contains("here the query goes wrong: index out of range"), "{ran:#?}");
    crate::evidence::assert_valid("trace.schema.json", &dir.read("t-1.json"));
    dir.run(&["validate", "m.xta", "t-1.json"]).expect(
        0,
        "valid: a run of the model to a state where the query goes wrong, index out of range, 3 steps, every step \
         re-executed",
    );
    // It neither decides the query nor goes wrong in another way.
    let text = dir.read("t-1.json");
    dir.file("t.json", text.replace("{\n    \"undefined\": \"index-out-of-range\"\n  }", "\"target\""));
    dir.run(&["validate", "m.xta", "t.json"]).refused(&["the query goes wrong at its end"]);
    dir.file("t.json", text.replace("index-out-of-range", "division-by-zero"));
    dir.run(&["validate", "m.xta", "t.json"])
        .refused(&["claims that the query goes wrong, division by zero"]);
}

/// Entries of arrays have names, and what leaves its range is told.
#[test]
fn runs_show_entries_that_change() {
    let dir = Dir::new("entries");
    dir.file(
        "m.xta",
        "typedef struct { bool used; int[0,4] n[2]; } slot; slot slots[2]; int[0,3] k = 2;
process P() { state A, B; init A; trans A -> B { assign slots[1].n[0] = 3, slots[0].used = true; }, B -> A {
  assign k = k + slots[1].n[0]; }; } system P;",
    );
    let ran = dir.run(&["check", "m.xta", "-p", "A[] true", "--trace", "t.json"]);
    insta::assert_snapshot!("entries_that_change", ran.out);
    assert!(ran.err.contains("value out of range in a reachable state: 5 is not from 0 to 3"), "{ran:#?}");
    assert!(!dir.read("t.json").contains("\"ok\""), "the process that tells of faults is not the user's");
    dir.run(&["validate", "m.xta", "t.json"]).expect(
        0,
        "valid: a run of the model to a fault, value out of range at m.xta:3:14, 2 steps, every step re-executed",
    );
}

#[test]
fn delays_are_undone_and_their_limits_told() {
    let dir = Dir::new("delays");
    dir.file(
        "m.xta",
        "clock x, y; process P() { state A { x <= 3 && y < 5 }, B { x < 2 }, C; urgent C; init A;
trans A -> B { assign x = 0; }, B -> C { }; } system P;",
    );
    let ran =
        dir.type_in(&["simulate", "m.xta"], "d 1/2\nd 3\nb\nd 4\nd 7/3\n1\nd 2\n1\nd 1\nb\nb\nb\nb\nq\n");
    assert_eq!(ran.code, 0);
    insta::assert_snapshot!("delays_undone", ran.out);
}

#[test]
fn nothing_is_written_over_the_model() {
    let dir = network("over-the-model");
    dir.run(&["check", "m.xta", "-p", "E<> A.E", "--trace", "./m.xta"])
        .refused(&["--trace ./m.xta", "the model"]);
    dir.run(&["check", "m.xta", "-p", "E<> A.E", "--trace", "t.json", "--certificate", "t.json"])
        .refused(&["--certificate t.json", "what `--trace t.json` writes"]);
    dir.run(&["simulate", "m.xta", "--random", "--trace", "m.xta"])
        .refused(&["--trace m.xta", "over the model"]);
    assert_eq!(dir.read("m.xta"), NETWORK);
    let ran = dir.run(&["check", "m.xta", "-p", "A[] x >= 0", "--trace", "t.json"]);
    assert!(ran.err.contains("no trace written to t.json"), "{ran:#?}");
}

#[test]
fn a_refuted_possibility_is_validated_in_its_own_words() {
    let dir = network("refuted");
    dir.run(&["check", "m.xta", "-p", "E<> A.E && x < 2", "--certificate", "c.json"]).expect(1, "violated");
    let ran = dir.run(&["validate", "m.xta", "c.json"]);
    assert!(ran.first().contains("`A.E && x < 2` is false in all of them"), "{ran:#?}");
}

#[test]
fn a_network_without_initial_state_is_refused() {
    let dir = Dir::new("no-initial-state");
    dir.file("m.xta", "process P() { clock x; state A { x < 0 }; init A; }\nsystem P;\n");
    dir.run(&["check", "m.xta", "-p", "A[] false"]).refused(&[
        "m.xta:1:34",
        "invariant of `P.A`",
        "at the start",
    ]);
}

#[test]
fn zones_can_be_put_to_other_solvers() {
    let dir = network("zone-obligations");
    for covering in ["inclusion", "alu"] {
        let property = ["-p", "A[] not (A.W && x > 2 && B.T)"];
        let options =
            ["--engine", "zone", "--covering", covering, "--certificate", "c.json", "--obligations", "o"];
        let ran = dir.run(&[&["check", "m.xta"], &property[..], &options[..]].concat());
        ran.expect(0, "holds");
        assert!(ran.err.contains("obligations written to o"), "{ran:?}");
        crate::evidence::assert_valid("certificate.schema.json", &dir.read("c.json"));
        let answers = smt::z3::script(&dir.read("o/obligations-00001.smt2")).unwrap();
        assert!(!answers.is_empty() && answers.lines().all(|answer| answer == "unsat"), "{answers}");
        assert_eq!(dir.run(&["validate", "m.xta", "c.json", "--obligations", "o"]).code, 0);
        // A set that is not closed has obligations that fail.
        let mut forged: Value = serde_json::from_str(&dir.read("c.json")).unwrap();
        for list in ["states", "zones", "simulation"] {
            if let Some(list) = forged.get_mut(list) {
                list.as_array_mut().unwrap().pop();
            }
        }
        dir.file("c.json", forged.to_string());
        assert_ne!(dir.run(&["validate", "m.xta", "c.json", "--obligations", "o"]).code, 0);
        let answers = smt::z3::script(&dir.read("o/obligations-00001.smt2")).unwrap();
        assert!(answers.lines().any(|answer| answer == "sat"), "{answers}");
    }
}

#[test]
fn options_about_time_choose_their_engine() {
    let dir = network("alone");
    let configuration = |options: &[&str]| {
        let ran = dir.run(&[&["check", "m.xta", "-p", "A[] not A.E", "--json"], options].concat());
        assert_eq!(ran.code, 1, "{ran:#?}");
        let result: Value = serde_json::from_str(&ran.out).unwrap();
        result["properties"][0]["statistics"]["configuration"].as_str().unwrap().to_owned()
    };
    for (options, engine) in [
        (&["--zonestrategy", "LU"][..], "--engine lazy --zonestrategy LU"),
        (&["--zonestrategy", "BW_ITP"], "--engine lazy --zonestrategy BW_ITP"),
        (&["--data", "EXPLICIT"], "--engine lazy --zonestrategy auto --data EXPLICIT"),
        (&["--zonestrategy", "FW_ITP", "--domain", "EXPL"], "--engine combined --domain EXPL"),
        (&["--zonestrategy", "FW_ITP", "--clockstrategy", "CF_SPLIT_ALL"], "--engine combined"),
        (&["--zonestrategy", "LU", "--domain", "EXPL"], "--engine combined --domain EXPL"),
        (&["--clockstrategy", "RAT_ENCODE"], "--engine cegar"),
    ] {
        let given = configuration(options);
        assert!(given.starts_with(engine), "{options:?}: {given}");
    }
}

#[test]
fn the_order_of_engines_is_told() {
    let dir = network("order");
    let ran = dir.run(&["check", "m.xta", "-p", "E<> A.E", "-v"]);
    let order =
        "order: 2 clocks and no inputs: zone, local, zone-cegar, lazy, zone, cegar, zone, combined, kind";
    assert_eq!(ran.err.lines().last(), Some(order), "{ran:#?}");
    let ran = dir.run(&["check", "m.xta", "-p", "E<> A.E", "--json"]);
    let result: Value = serde_json::from_str(&ran.out).unwrap();
    let order = result["properties"][0]["statistics"]["order"].as_str().unwrap();
    assert!(order.starts_with("2 clocks and no inputs"), "{order}");
    assert!(dir.run(&["info", "m.xta"]).out.contains("2 clocks and no inputs"));
    // Nobody is told who does not ask.
    let ran = dir.run(&["check", "m.xta", "-p", "E<> A.E"]);
    assert!(!ran.err.contains("order:"), "{ran:#?}");
    // After the table of several, too.
    let ran = dir.run(&["check", "m.xta", "-p", "E<> A.E", "-p", "A[] not A.E", "--verbose"]);
    assert!(ran.err.lines().last().is_some_and(|last| last.starts_with("order: 2 clocks")), "{ran:#?}");
}

/// Nobody knows whether some y is that number, but to go on until it is larger.
const SQUARES: &str = "
    var x : integer = 1 var y : integer = 1 var c : clock
    trans { __delay; assume c >= 1 && c <= 2; c := 0; y := y + x; x := x + 2; }
    prop { y != 2000000000000 }";

#[test]
fn what_is_said_of_an_unknown_answer_is_of_use() {
    let dir = Dir::new("unknown-timed");
    dir.file("m.xsts", SQUARES);
    let ran = dir.run(&["check", "m.xsts", "--state-limit", "50"]);
    assert!(ran.code == 3 && ran.out.starts_with("unknown (none of "), "{ran:#?}");
    assert!(ran.err.starts_with("note: tried `--engine zone`: state limit of 50 reached\n"), "{ran:#?}");
    assert!(ran.err.contains("; of the last, --engine ") && !ran.err.contains("; by "), "{ran:#?}");
    // Options that choose an engine are to be left out.
    let options = ["--clockstrategy", "CF_SPLIT_ALL", "--domain", "EXPL", "--engine", "auto"];
    let ran = dir.run(&[&["check", "m.xsts", "--state-limit", "50"][..], &options].concat());
    assert_eq!(ran.code, 3, "{ran:#?}");
    let advice =
        "`--engine auto` without `--clockstrategy` and `--domain`, which tries several configurations";
    assert!(ran.err.contains(advice), "{ran:#?}");
}

/// Options of one engine leave the others as they are: a predicate shows what no list of states does.
#[test]
fn options_of_one_engine_do_not_silence_the_others() {
    let dir = Dir::new("options-timed");
    dir.file("m.xsts", SQUARES);
    for options in [&["--search", "dfs"][..], &["--covering", "equality"], &["--state-limit", "99"]] {
        let ran = dir.run(&[&["check", "m.xsts", "-p", "y * 4 != x * x + 2 * x + 2"][..], options].concat());
        ran.expect(0, "holds");
        assert!(ran.err.contains("; by --engine cegar"), "{options:?}: {ran:#?}");
    }
}

#[test]
fn delays_are_fractions_and_decimals() {
    let dir = Dir::new("decimals");
    // c and d differ by less than 1, and neither is a whole number at the end.
    dir.file(
        "m.xsts",
        "var c : clock var d : clock var n : integer = 0
         trans { __delay; assume n == 0 && c > 0 && c < 1; d := 0; n := 1; }
            or { __delay; assume n == 1 && d > 0 && c < 1; n := 2; }
         init { } env { } prop { n < 2 }",
    );
    let ran = dir.run(&["check", "m.xsts", "--trace", "t.json"]);
    assert_eq!(ran.code, 1, "{ran:#?}");
    let trace: Value = serde_json::from_str(&dir.read("t.json")).unwrap();
    let mut parts = 0;
    for step in trace["steps"].as_array().unwrap() {
        let Some(delay) = step["delay"].as_str() else {
            assert!(step.get("delay_decimal").is_none(), "{step}");
            continue;
        };
        let amount: ir::Rat = delay.parse().unwrap();
        let number = |value: ir::Int| value.to_i64().unwrap() as f64;
        let expected = number(amount.numerator()) / number(amount.denominator());
        assert_eq!(step["delay_decimal"].as_f64(), Some(expected), "{step}");
        assert_eq!(step["decisions"][0]["decimal"].as_f64(), Some(expected), "{step}");
        parts += usize::from(delay.contains('/'));
    }
    assert_eq!(parts, 2, "{trace}");
    assert_eq!(dir.run(&["trace", "replay", "m.xsts", "t.json"]).code, 0);
    let itf: Value =
        serde_json::from_str(&dir.run(&["trace", "export", "t.json", "--format", "itf"]).out).unwrap();
    let states = itf["states"].as_array().unwrap();
    assert!(
        states
            .iter()
            .any(|state| state["#meta"]["delay_decimal"].as_f64().is_some_and(|at| at > 0.0 && at < 1.0))
    );
}

/// Values are lines and records, their run is a trace like others, and its file is accepted for the question that it
/// answers.
#[test]
fn values_are_asked_for() {
    let dir = network("values");
    // `A` leaves `S` when `x` is 3 at the latest.
    let ran = dir.run(&["check", "m.xta", "-p", "sup{A.S}: x", "--trace", "t.json"]);
    assert_eq!((ran.code, ran.first()), (0, "sup x = 3"), "{ran:#?}");
    assert_eq!(dir.run(&["validate", "m.xta", "t.json"]).code, 0);
    // One file does not show a value.
    let ran = dir.run(&["validate", "m.xta", "t.json", "-p", "sup{A.S}: x"]);
    ran.unsupported(&["a value is shown by two files together"]);
    let ran = dir.run(&["check", "m.xta", "-p", "bounds{B.T}: B.y", "-p", "E<> A.E", "--json"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert_valid("result.schema.json", &ran.out);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let values = &report["properties"][0]["values"][0];
    assert_eq!((&values["least"]["value"], &values["greatest"]["value"]), (&0.into(), &2.into()));
    assert_eq!(report["properties"][0]["verdict"], "value");
    assert_eq!(report["properties"][1]["verdict"], "holds");
    let ran = dir.run(&["check", "m.xta", "-p", "sup{A.S}: nothing"]);
    assert_eq!(ran.code, 2, "{ran:#?}");
    assert!(ran.err.contains("there is no variable `nothing`"), "{ran:#?}");
}

/// A clock that grows only around a loop has no bound, and the answer names the steps; at a limit, what was found so far
/// is not lost.
#[test]
fn values_without_a_bound_are_told() {
    let dir = Dir::new("growing");
    let model = |invariant: &str| {
        format!(
            "clock g, h; process P() {{ clock x; state A {{ x <= 2{invariant} }}; init A; \
             trans A -> A {{ guard x >= 1; assign x = 0; }}; }} system P;"
        )
    };
    // Nothing tells that the difference, which the pumped loop would have to keep, is always 0.
    dir.file("loop.xta", model("")).file("difference.xta", model(" && g - h <= 10"));
    let found = |name: &str, code: i32| -> Value {
        let ran = dir.run(&["check", name, "-p", "sup: g", "--json"]);
        assert_eq!(ran.code, code, "{ran:#?}");
        assert_valid("result.schema.json", &ran.out);
        let report: Value = serde_json::from_str(&ran.out).unwrap();
        report["properties"][0].clone()
    };
    let greatest = found("loop.xta", 0)["values"][0]["greatest"].clone();
    assert_eq!(greatest["kind"], "unbounded");
    assert!(greatest["repeats"].is_array() && greatest["trace"].is_object());
    let open = found("difference.xta", 3);
    assert_eq!(open["code"], "value-limit");
    assert_eq!(open["values"][0]["greatest"]["kind"], "open");
    assert!(open["values"][0]["greatest"]["value"].as_i64() > Some(1000));
}

/// Results that a document records are compared with verdicts, and may be what is expected.
#[test]
fn recorded_results_are_compared() {
    let dir = Dir::new("recorded");
    let document = |outcome: &str| {
        format!(
            "<nta><template><name>P</name><location id=\"a\"><name>A</name></location><location id=\"b\"><name>B</name>\
             </location><init ref=\"a\"/><transition><source ref=\"a\"/><target ref=\"b\"/></transition></template>\
             <system>system P;</system><queries><query><formula>E&lt;&gt; P.B</formula><comment/>\
             <result outcome=\"{outcome}\" type=\"quality\" timestamp=\"2025-05-12\"/></query>\
             <query><formula>A[] P.A</formula><expect outcome=\"failure\"/></query></queries></nta>"
        )
    };
    dir.file("right.xml", document("success")).file("stale.xml", document("failure"));
    // `A[] P.A` is violated, as is expected.
    assert_eq!(dir.run(&["check", "right.xml", "--all"]).code, 1);
    assert_eq!(dir.run(&["check", "right.xml", "--all", "--expect", "recorded"]).code, 0);
    let ran = dir.run(&["check", "stale.xml", "--all", "--expect", "recorded"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("E<> P.B: recorded: not satisfied (2025-05-12), now: satisfied"), "{ran:#?}");
    assert!(
        ran.err.contains("2 of 2 queries have a recorded result; 2 compared: 1 as recorded, 1 different"),
        "{ran:#?}"
    );
    let both = document("failure").replace("<comment/>", "<comment/><expect outcome=\"success\"/>");
    let ran = dir.file("both.xml", both).run(&["check", "both.xml", "--all", "--expect", "recorded"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    let words = "`expect` says satisfied, which counts, and `result` says not satisfied";
    assert!(ran.err.contains(words), "{ran:#?}");
    let ran = dir.run(&["check", "stale.xml", "--all", "--json"]);
    assert_valid("result.schema.json", &ran.out);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let agrees = [0, 1].map(|at: usize| report["properties"][at]["recorded"]["agrees"].clone());
    assert_eq!(agrees, [false, true].map(Value::from));
}

/// A value is compared with a value, as a number or as UPPAAL writes it; what cannot be compared is said.
#[test]
fn recorded_values_are_compared() {
    let dir = Dir::new("recorded-values");
    let query =
        |query: &str, result: &str| format!("<query><formula>{query}</formula><result {result}/></query>");
    // `x` attains 3, and `n` is always 0.
    let queries = [
        query("sup{P.A}: x", "outcome=\"success\" type=\"quantity\" value=\"≤ 3\""),
        query("sup{P.A}: x", "outcome=\"success\" type=\"quantity\" value=\"&lt; 3\""),
        query("sup: n", "outcome=\"success\" value=\"0\""),
        query("sup: n", "outcome=\"success\" value=\"≈ 0\""),
        query("E&lt;&gt; P.A", "outcome=\"maybe\""),
        "<query><formula>A[] P.A</formula></query>".to_owned(),
    ];
    dir.file(
        "m.xml",
        format!(
            "<nta><declaration>clock x; int n;</declaration><template><name>P</name><location id=\"a\"><name>A</name>\
             <label kind=\"invariant\">x &lt;= 3</label></location><init ref=\"a\"/></template>\
             <system>system P;</system><queries>{}</queries></nta>",
            queries.concat()
        ),
    );
    let ran = dir.run(&["check", "m.xml", "--all", "--expect", "recorded"]);
    assert_eq!(ran.code, 1);
    for said in [
        "recorded: < 3, now: sup x = 3",
        "what the model records about it, `≈ 0`, cannot be compared",
        "what the model records about it, `maybe`, cannot be compared",
        "5 of 6 queries have a recorded result; 3 compared: 2 as recorded, 1 different",
    ] {
        assert!(ran.err.contains(said), "{said}: {ran:#?}");
    }
}
