//! What the doctor says, with and without a solver.

use serde_json::Value;

use crate::evidence::assert_valid;
use crate::{Dir, Ran};

fn doctor(dir: &Dir, arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
    let mut command = dir.command(arguments);
    command.envs(environment.iter().copied());
    Ran::new(command.output().unwrap())
}

#[test]
fn a_machine_with_a_solver_is_ready() {
    let dir = Dir::new("doctor");
    let ran = doctor(&dir, &["doctor"], &[("PATH", "")]);
    ran.expect(0, "ready");
    for words in [
        "solver            Z3 ",
        "solver time       enforced: limit after 100 ms",
        "cvc5              optional, not found",
    ] {
        assert!(ran.out.contains(words), "no `{words}` in {}", ran.out);
    }
    let ran = doctor(&dir, &["doctor", "--json"], &[]);
    assert_valid("doctor.schema.json", &ran.out);
    let health: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(health["ready"], true);
    let names: Vec<&str> =
        health["limits"].as_array().unwrap().iter().map(|limit| limit["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["--memory-limit", "solver time", "solver interrupt", "solver memory"]);
    let path = health["solver"]["path"].as_str().unwrap();
    assert!(std::path::Path::new(path).is_file(), "{path}");
}

#[test]
fn a_machine_without_a_solver_is_told_what_to_install() {
    let dir = Dir::new("doctor-without");
    let nowhere = [("Z3_LIB_DIR", "nowhere"), ("PATH", "")];
    let ran = doctor(&dir, &["doctor"], &nowhere);
    ran.expect(2, "not ready (no solver)");
    for words in ["nowhere/libz3", "python3-pip", "Z3_LIB_DIR"] {
        assert!(ran.out.contains(words), "no `{words}` in {}", ran.out);
    }
    let ran = doctor(&dir, &["doctor", "--json"], &nowhere);
    assert_eq!(ran.code, 2);
    assert_valid("doctor.schema.json", &ran.out);
    let health: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&health["ready"], &health["solver"]), (&Value::Bool(false), &Value::Null));

    // What is no library is named with the reason.
    let file = if cfg!(target_os = "macos") { "libz3.dylib" } else { "libz3.so" };
    let here = dir.file(file, "not a library").0.display().to_string();
    let ran = doctor(&dir, &["doctor"], &[("Z3_LIB_DIR", &here)]);
    ran.expect(2, "not ready (no solver)");
    assert!(ran.out.contains("cannot be used as the Z3 library"), "{}", ran.out);
    // Nothing else needs it.
    dir.file("m.xsts", crate::COUNTER);
    doctor(&dir, &["check", "m.xsts"], &nowhere).expect(0, "holds");
}

#[test]
#[cfg(unix)]
fn other_programs_are_asked_something() {
    use std::os::unix::fs::PermissionsExt;
    let dir = Dir::new("doctor-optional");
    let play = |name: &str, body: &str| {
        dir.file(name, format!("#!/bin/sh\n{body}\n"));
        std::fs::set_permissions(dir.0.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    // One that answers, one that lies, one that ends, and one that is no program.
    let answers = |first: &str| {
        format!(
            "n={first}; while read -r line; do case \"$line\" in *check-sat*) echo $n; n=unsat;; \
             *get-info*) echo '(:version \"7.1\")';; \
             *'(echo '*) line=\"${{line#*\\\"}}\"; echo \"${{line%\\\"*}}\";; esac; done"
        )
    };
    play("cvc5", &answers("sat"));
    play("mathsat", &answers("unsat"));
    play("yices-smt2", "exit 1");
    dir.file("opensmt", "text");
    let path = format!("{}:/usr/bin:/bin", dir.0.display());
    let ran = doctor(&dir, &["doctor"], &[("PATH", &path)]);
    ran.expect(0, "ready");
    let line = |name: &str| ran.out.lines().find(|line| line.trim().starts_with(name)).unwrap().to_owned();
    assert!(line("cvc5").contains("optional, 7.1 at "), "{}", ran.out);
    assert!(line("mathsat").contains("answers a simple question wrongly"), "{}", ran.out);
    assert!(line("yices-smt2").contains("has ended"), "{}", ran.out);
    assert!(line("opensmt").ends_with("optional, not found"), "{}", ran.out);
}
