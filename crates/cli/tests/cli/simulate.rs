//! `thetis simulate`: by chance, by hand, along a trace.

use crate::{COUNTER, DIVISION, Dir, project};

fn thermostat(name: &str) -> Dir {
    let dir = Dir::new(name);
    dir.file("m.xsts", std::fs::read_to_string(project("examples/thermostat.xsts")).unwrap());
    dir
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let dir = thermostat("seed");
    let run = |seed: &str| dir.run(&["simulate", "m.xsts", "--random", "--seed", seed, "--steps", "30"]).out;
    assert_eq!(run("7"), run("7"));
    assert_ne!(run("7"), run("8"));
}

#[test]
fn random_runs_are_runs() {
    let dir = thermostat("random");
    for seed in ["1", "2", "3"] {
        let ran = dir
            .run(&["simulate", "m.xsts", "--random", "--seed", seed, "--steps", "25", "--trace", "t.json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        dir.run(&["validate", "m.xsts", "t.json"])
            .expect(0, "valid: a run of the model, 25 steps, every step re-executed");
    }
}

#[test]
fn steps_are_taken_by_number_and_undone() {
    let dir = Dir::new("by-hand");
    let ran =
        dir.file("m.xsts", COUNTER).type_in(&["simulate", "m.xsts"], "1\n1\n1\ns\nb\nx\n9\nr\nt\nh\nq\n");
    assert_eq!(ran.code, 0);
    insta::assert_snapshot!("by_hand", ran.out);
}

#[test]
fn values_and_delays_are_asked_for() {
    let dir = Dir::new("asks");
    dir.file("m.xsts", "var x : integer\nvar c : clock\ntrans { assume x > 100; __delay; assume c >= 2; }\ninit { }\nenv { havoc x; }");
    let ran = dir.type_in(&["simulate", "m.xsts"], "five\n5\n1\n1\n123\n1\n1\n1\nsoon\n5/2\nq\n");
    assert_eq!(ran.code, 0);
    insta::assert_snapshot!("asks", ran.out);
}

#[test]
fn a_deadlock_is_said() {
    let dir = Dir::new("deadlock");
    dir.file("m.xsts", "var n : integer = 0 trans { assume n < 2; n := n + 1; } init { } env { }");
    let ran = dir.run(&["simulate", "m.xsts", "--random"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.ends_with("deadlock after 6 steps: no step is possible\n"), "{}", ran.out);
    assert!(
        dir.type_in(&["simulate", "m.xsts"], "1\n1\n1\n1\n1\n1\n")
            .out
            .contains("deadlock: no step is possible")
    );
}

#[test]
fn a_fault_is_said() {
    let dir = Dir::new("simulated-fault");
    let ran = dir.file("m.xsts", DIVISION).run(&["simulate", "m.xsts", "--random"]);
    assert_eq!(ran.code, 2);
    assert!(ran.out.contains("the model goes wrong: division by zero at m.xsts:4:10"), "{}", ran.out);
}

#[test]
fn a_trace_of_another_model_does_not_fit() {
    let dir = Dir::new("misfit");
    dir.file("m.xsts", COUNTER).file("other.xsts", COUNTER.replace("n + 1", "n + 2"));
    dir.run(&["check", "m.xsts", "-p", "n < 2", "--trace", "t.json"]);
    let ran = dir.run(&["simulate", "other.xsts", "--follow", "t.json"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("`t.json` does not fit `other.xsts`: step 3"), "{}", ran.err);
}

#[test]
fn values_of_every_type_are_chosen() {
    let dir = Dir::new("types");
    dir.file("m.xsts", "type T : { A, B }\nvar i : integer\nvar b : boolean\nvar r : rational\nvar t : T\nvar a : [integer] -> T\ntrans { havoc i; havoc b; havoc r; havoc t; havoc a; }");
    let ran = dir.run(&["simulate", "m.xsts", "--random", "--steps", "12", "--trace", "t.json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(dir.run(&["validate", "m.xsts", "t.json"]).code, 0);
}

#[test]
fn a_false_property_is_said() {
    let dir = Dir::new("simulated-violation");
    dir.file("m.xsts", COUNTER);
    let ran =
        dir.type_in(&["simulate", "m.xsts", "-p", "n < 1", "--trace", "t.json"], "1\n1\n1\nundo\nstate\n1\n");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("   1) trans 1 (line 4): n := 1; then `n < 1` is false"), "{}", ran.out);
    assert!(ran.out.contains("        n    : 0 -> 1\n        here `n < 1` is false\n"), "{}", ran.out);
    assert!(ran.out.contains("at trans\n"), "{}", ran.out);
    dir.run(&["validate", "m.xsts", "t.json"]).expect(
        0,
        "valid: a run of the model to a state where `n < 1` is false, 3 steps, every step re-executed",
    );
    assert_eq!(dir.run(&["simulate", "m.xsts", "-p", "n <"]).code, 2);
    // The model's own property, without being asked.
    dir.file("o.xsts", COUNTER.replace("n <= 5", "n <= 0"));
    let ran = dir.run(&["simulate", "o.xsts", "--random", "--steps", "3"]);
    assert!(ran.out.ends_with("here `n <= 0` is false\n"), "{}", ran.out);
}

#[test]
fn a_step_that_goes_wrong_is_marked() {
    let dir = Dir::new("marked");
    let ran = dir.file("m.xsts", DIVISION).type_in(&["simulate", "m.xsts"], "1\n1\n1\n1\n1\n");
    assert!(
        ran.out.contains("   1) trans (line 3): goes wrong, division by zero at m.xsts:4:10"),
        "{}",
        ran.out
    );
    assert!(ran.out.ends_with("nothing comes after that; `b` goes back\n"), "{}", ran.out);
}
