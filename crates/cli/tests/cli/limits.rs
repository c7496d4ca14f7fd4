//! Limits and Ctrl-C end a search quickly with a partial result that says so.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Dir, ENDLESS, Ran};

/// Generous, because tests share their machine.
const SOON: Duration = Duration::from_secs(10);

#[test]
fn time() {
    let dir = Dir::new("timeout");
    let start = Instant::now();
    dir.file("m.xsts", ENDLESS)
        .run(&["check", "m.xsts", "--engine", "explicit", "--timeout", "300ms"])
        .expect(3, "unknown (time limit of 300ms reached)");
    assert!(start.elapsed() < SOON);
    // The limit is one for all questions, and what was answered before stays.
    let ran = dir.run(&[
        "check",
        "m.xsts",
        "--engine",
        "explicit",
        "--timeout",
        "300ms",
        "--all",
        "-p",
        "n < 3",
        "-p",
        "n != -1",
    ]);
    ran.expect(1, "prop: unknown (time limit of 300ms reached)");
    let lines: Vec<&str> = ran.out.lines().skip(1).take(2).collect();
    assert_eq!(lines, ["n < 3: violated", "n != -1: unknown (time limit of 300ms reached)"]);
}

#[test]
fn commands_that_do_not_search_have_limits_too() {
    let dir = Dir::new("limits-without-search");
    dir.file("m.xsts", ENDLESS);
    let steps = ["simulate", "m.xsts", "--random", "--steps", "1000000000", "--timeout", "300ms"];
    let ran = dir.run(&steps);
    let last = ran.out.lines().last().unwrap_or_default();
    assert!(ran.code == 3 && last.starts_with("time limit of 300ms reached after "), "{last}");
    dir.run(&["check", "m.xsts", "-p", "n < 3", "--trace", "t.json"]).expect(1, "violated");
    let enough = ["--timeout", "60s", "--memory-limit", "4GB"];
    for command in [&["validate", "m.xsts", "t.json"][..], &["trace", "replay", "m.xsts", "t.json"]] {
        let ran = dir.run(&[command, &enough].concat());
        assert_eq!(ran.code, 0, "{ran:#?}");
    }
}

#[test]
fn states() {
    let dir = Dir::new("state-limit");
    let ran = dir.file("m.xsts", ENDLESS).run(&[
        "check",
        "m.xsts",
        "--engine",
        "explicit",
        "--state-limit",
        "1000",
    ]);
    ran.expect(3, "unknown (state limit of 1000 reached)");
    assert!(ran.err.contains("1000 states"), "{}", ran.err);
}

#[cfg(target_os = "linux")]
#[test]
fn memory() {
    let dir = Dir::new("memory-limit");
    dir.file("m.xsts", ENDLESS)
        .run(&["check", "m.xsts", "--engine", "explicit", "--memory-limit", "60MB"])
        .expect(3, "unknown (memory limit of 60MB reached)");
}

#[cfg(unix)]
#[test]
fn interruption() {
    for signal in ["-INT", "-TERM"] {
        let dir = Dir::new(&format!("interrupt{signal}"));
        dir.file("m.xsts", ENDLESS);
        let mut command = dir.command(&["check", "m.xsts", "--engine", "explicit", "--memory-limit", "4GB"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(500));
        let start = Instant::now();
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let ran = Ran::new(child.wait_with_output().unwrap());
        ran.expect(3, "unknown (interrupted)");
        assert!(start.elapsed() < SOON);
    }
}

#[test]
fn a_loop_that_never_ends_is_interrupted_too() {
    let dir = Dir::new("stuck");
    // One step takes for ever, within one statement.
    dir.file(
        "m.xsts",
        "var n : integer = 0 trans { for i from 0 to 1000000000000 do { n := n + i; } } prop { n >= 0 }",
    );
    let start = Instant::now();
    dir.run(&["check", "m.xsts", "--engine", "explicit", "--timeout", "300ms"])
        .expect(3, "unknown (time limit of 300ms reached)");
    assert!(start.elapsed() < SOON);
}

/// A program that is asked for interpolants and sleeps instead; its number is in the file `pid`.
#[cfg(target_os = "linux")]
fn sleepy(name: &str) -> (Dir, [&'static str; 8]) {
    let dir = Dir::new(name);
    let model = "var n : integer = 0 trans { assume n < 3; n := n + 1; } prop { n <= 3 }";
    dir.file("m.xsts", model).file("asleep.sh", "echo $$ > pid; sleep 1000");
    // Nothing is tracked from the start, so interpolants are needed.
    (
        dir,
        [
            "check",
            "m.xsts",
            "--engine",
            "cegar",
            "--initprec",
            "EMPTY",
            "--interpolation",
            "smtlib:sh asleep.sh",
        ],
    )
}

#[cfg(target_os = "linux")]
fn is_gone(dir: &Dir) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", dir.read("pid").trim()));
    stat.map_or(true, |stat| stat.contains(") Z "))
}

#[cfg(target_os = "linux")]
#[test]
fn a_solver_process_ends_at_the_time_limit() {
    let (dir, arguments) = sleepy("sleepy-timeout");
    let start = Instant::now();
    let ran = dir.run(&[&arguments[..], &["--timeout", "1s"]].concat());
    ran.expect(3, "unknown (time limit of 1s reached)");
    assert!(start.elapsed() < SOON);
    assert!(is_gone(&dir));
}

/// The second Ctrl-C leaves at once, whatever is at work.
#[cfg(target_os = "linux")]
#[test]
fn a_solver_process_ends_with_an_impatient_user() {
    let (dir, arguments) = sleepy("sleepy-interrupt");
    let mut command = dir.command(&arguments);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while !std::fs::read_to_string(dir.0.join("pid")).is_ok_and(|pid| pid.ends_with('\n')) {
        assert!(start.elapsed() < SOON, "it does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    let script = format!("kill -INT {0}; sleep 0.003; kill -INT {0}", child.id());
    assert!(Command::new("sh").args(["-c", &script]).status().unwrap().success());
    let ran = Ran::new(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(start.elapsed() < 2 * SOON);
    assert!(is_gone(&dir));
}

/// Ends the program by a signal after a while; it must go within a second or so.
#[cfg(unix)]
pub fn interrupted(dir: &Dir, arguments: &[&str], stdin: Stdio) -> Ran {
    let mut command = dir.command(arguments);
    let child = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let start = Instant::now();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut child = child;
    // Kept open: the program may not wait for its end.
    let stdin = child.stdin.take();
    let ran = Ran::new(child.wait_with_output().unwrap());
    drop(stdin);
    assert!(start.elapsed() < SOON);
    ran
}

#[cfg(unix)]
#[test]
fn an_interrupted_simulation_keeps_its_run() {
    let dir = Dir::new("interrupted-simulation");
    dir.file("m.xsts", ENDLESS);
    let random = ["simulate", "m.xsts", "--random", "--steps", "1000000000", "--json", "--trace", "r.json"];
    let ran = interrupted(&dir, &random, Stdio::null());
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(
        ran.err.contains("interrupted after ") && ran.err.contains("trace written to r.json"),
        "{}",
        ran.err
    );
    let trace: serde_json::Value = serde_json::from_str(&dir.read("r.json")).unwrap();
    assert!(!trace["steps"].as_array().unwrap().is_empty());

    let ran = interrupted(&dir, &["simulate", "m.xsts", "--trace", "t.json"], Stdio::piped());
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.out.ends_with("interrupted after 0 steps\n"), "{}", ran.out);
    assert_eq!(dir.run(&["validate", "m.xsts", "t.json"]).code, 0);
}

#[cfg(unix)]
#[test]
fn a_solver_does_not_swallow_the_interruption() {
    let dir = Dir::new("interrupted-solver");
    // Nobody finds such numbers, and it is hard to say that there are none.
    dir.file(
        "m.xsts",
        "var x : integer = 0 var y : integer = 0 var z : integer = 0 var n : integer = 0\n\
         trans { havoc x; havoc y; havoc z; assume x > 1 && y > 1 && z > 1; \
         assume x*x*x + y*y*y == z*z*z; n := 1; }\ninit { }\nenv { }\nprop { n == 0 }\n",
    );
    interrupted(&dir, &["check", "m.xsts", "--engine", "cegar"], Stdio::null())
        .expect(3, "unknown (interrupted)");
    // Nor does it end only the first of several questions.
    let ran = interrupted(
        &dir,
        &["check", "m.xsts", "--engine", "cegar", "--all", "-p", "n < 1", "-p", "n <= 0"],
        Stdio::null(),
    );
    ran.expect(3, "prop: unknown (interrupted)");
    assert_eq!(ran.out.matches("unknown (interrupted)").count(), 3, "{}", ran.out);
}
