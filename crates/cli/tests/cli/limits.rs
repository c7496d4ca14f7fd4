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
        .run(&["check", "m.xsts", "--timeout", "300ms"])
        .expect(3, "unknown (time limit reached)");
    assert!(start.elapsed() < SOON);
    dir.run(&["check", "m.xsts", "--timeout", "300ms", "--all", "-p", "n != -1"])
        .expect(3, "prop: unknown (time limit reached)");
}

#[test]
fn states() {
    let dir = Dir::new("state-limit");
    let ran = dir.file("m.xsts", ENDLESS).run(&["check", "m.xsts", "--state-limit", "1000"]);
    ran.expect(3, "unknown (state limit of 1000 reached)");
    assert!(ran.err.contains("1000 states"), "{}", ran.err);
}

#[cfg(target_os = "linux")]
#[test]
fn memory() {
    let dir = Dir::new("memory-limit");
    dir.file("m.xsts", ENDLESS)
        .run(&["check", "m.xsts", "--memory-limit", "60MB"])
        .expect(3, "unknown (memory limit reached)");
}

#[cfg(unix)]
#[test]
fn interruption() {
    for signal in ["-INT", "-TERM"] {
        let dir = Dir::new(&format!("interrupt{signal}"));
        dir.file("m.xsts", ENDLESS);
        let mut command = dir.command(&["check", "m.xsts", "--memory-limit", "4GB"]);
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
    dir.run(&["check", "m.xsts", "--timeout", "300ms"]).expect(3, "unknown (time limit reached)");
    assert!(start.elapsed() < SOON);
}
