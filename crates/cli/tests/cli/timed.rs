//! Networks of timed automata as people use them: queries from everywhere, traces, simulation.

use serde_json::Value;

use crate::Dir;

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

#[test]
fn own_queries_are_answered_one_by_one() {
    let dir = network("own-queries");
    let ran = dir.run(&["check", "m.xta", "--all"]);
    let lines: Vec<&str> = ran.out.lines().take(3).collect();
    let expected = [
        "E<> A.E: holds",
        "A[] not A.E: violated",
        "A.S --> A.E: unknown (unsupported: `-->` (leads to) is not supported yet)",
    ];
    assert_eq!((lines.as_slice(), ran.code), (expected.as_slice(), 1), "{ran:#?}");
}

#[test]
fn unsupported_queries_alone_are_refused_by_name() {
    let dir = network("unsupported");
    for (query, name) in [("A<> A.E", "`A<>`"), ("E[] A.S", "`E[]`"), ("A.S --> A.E", "`-->`")] {
        dir.run(&["check", "m.xta", "-p", query]).refused(&[name, "not supported yet"]);
    }
}

#[test]
fn clock_bounds_that_zones_cannot_hold_leave_the_answer_open() {
    let dir = Dir::new("large-bounds");
    dir.file(
        "m.xta",
        "clock x; const int c = 300000000; process P() { state A, B; init A; trans A -> B { guard x > c; }; } system P;",
    );
    let ran = dir.run(&["check", "m.xta", "-p", "E<> P.B"]);
    assert_eq!(ran.code, 3, "{ran:#?}");
    assert!(ran.out.starts_with("unknown (a clock is compared with a constant beyond 2^28"), "{ran:#?}");
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

#[test]
fn runs_have_delays_and_channels_in_every_format() {
    let dir = network("timed-run");
    let ran = dir.run(&["check", "m.xta", "-p", "E<> A.E", "--trace", "t.json"]);
    for part in
        ["initially, delay 1", "A trans 1 go! (line 6), B trans 1 go? (line 13), delay 2", "all[1]! (i = 1)"]
    {
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
    assert_eq!(itf["states"][1]["#meta"]["action"], "A trans 1 go!, B trans 1 go?");
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

#[test]
fn a_network_without_initial_state_is_said() {
    let dir = Dir::new("no-initial-state");
    dir.file("m.xta", "process P() { clock x; state A { x < 0 }; init A; }\nsystem P;\n");
    let ran = dir.run(&["check", "m.xta", "-p", "A[] false"]);
    ran.expect(0, "holds");
    assert!(ran.err.contains("no initial state, so every property holds"), "{}", ran.err);
    let ran = dir.run(&["check", "m.xta", "-p", "E<> true"]);
    ran.expect(1, "violated");
    assert!(ran.err.contains("no initial state, so nothing is reachable"), "{}", ran.err);
}
