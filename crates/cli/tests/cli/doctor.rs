//! What the doctor says, with and without a solver.

use serde_json::Value;

use crate::evidence::assert_valid;
use crate::{Dir, Ran};

fn doctor(dir: &Dir, arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
    let mut command = dir.command(arguments);
    command.envs(environment.iter().copied());
    Ran::new(command.output().unwrap())
}

/// What was printed, with every line that was cut made whole.
fn whole(ran: &Ran) -> String {
    ran.out.replace(&format!("\n{:20}", ""), " ")
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
    for words in ["Z3_LIB_DIR is `nowhere`, which does not exist", "python3-pip", "or unset it"] {
        assert!(whole(&ran).contains(words), "no `{words}` in {}", ran.out);
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
    assert!(whole(&ran).contains("cannot be used as the Z3 library"), "{}", ran.out);
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
    play("yices-smt2", "echo no licence >&2; printf '\\033[31mred\\n' >&2; exit 1");
    dir.file("opensmt", "text");
    let path = format!("{}:/usr/bin:/bin", dir.0.display());
    let ran = doctor(&dir, &["doctor"], &[("PATH", &path)]);
    ran.expect(0, "ready");
    let out = whole(&ran);
    let line = |name: &str| out.lines().find(|line| line.trim().starts_with(name)).unwrap().to_owned();
    assert!(line("cvc5").contains("optional, 7.1 at "), "{}", ran.out);
    assert!(line("mathsat").contains("mathsat: answers a simple question wrongly"), "{}", ran.out);
    // The last lines are shown, and do nothing to the terminal.
    let said = line("yices-smt2");
    assert!(said.contains("cannot be used: yices-smt2 --incremental: has ended"), "{said}");
    assert!(ran.out.contains("no licence") && ran.out.contains("\\u{1b}[31m"), "{}", ran.out);
    assert!(!ran.out.contains('\u{1b}'), "{}", ran.out);
    assert!(line("opensmt").ends_with("optional, not found"), "{}", ran.out);
}

#[test]
fn a_library_that_cannot_be_used_is_passed_over() {
    let dir = Dir::new("doctor-beside");
    // A program of its own, with a bad library beside it.
    let program = dir.0.join("thetis");
    std::fs::copy(env!("CARGO_BIN_EXE_thetis"), &program).unwrap();
    let file = if cfg!(target_os = "macos") { "libz3.dylib" } else { "libz3.so" };
    dir.file(file, "not a library");
    let run = |variable: &str| {
        let mut command = std::process::Command::new(&program);
        command.arg("doctor").env("PATH", "").env("Z3_LIB_DIR", variable);
        Ran::new(command.output().unwrap())
    };
    // The variable is set to nothing, which is as if it were not set.
    let ran = run("");
    ran.expect(0, "ready");
    assert!(whole(&ran).contains("passed over: "), "{}", ran.out);
    assert!(whole(&ran).contains("cannot be used as the Z3 library"), "{}", ran.out);
    let ran = run(&dir.0.join(file).display().to_string());
    ran.expect(2, "not ready (no solver)");
    assert!(whole(&ran).contains("which is a file"), "{}", ran.out);
}

#[test]
fn without_a_solver_the_verdict_is_still_one_line() {
    let dir = Dir::new("doctor-verdict");
    dir.file("m.xsts", crate::COUNTER);
    let ran = doctor(&dir, &["check", "m.xsts", "--engine", "cegar"], &[("Z3_LIB_DIR", "/nowhere")]);
    ran.expect(3, "unknown (solver: Z3: Z3_LIB_DIR is `/nowhere`, which does not exist)");
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
    for words in ["set Z3_LIB_DIR to the directory", "`thetis doctor`", "`--engine explicit`"] {
        assert!(ran.err.contains(words), "no `{words}` in {}", ran.err);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn interrupted_it_leaves_no_process() {
    use std::os::unix::fs::PermissionsExt;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let dir = Dir::new("doctor-interrupted");
    // It says who it is, and then nothing more.
    dir.file("cvc5", "#!/bin/sh\necho $$ > pid\nsleep 1000\n");
    std::fs::set_permissions(dir.0.join("cvc5"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = dir.command(&["doctor"]);
    command.env("PATH", format!("{}:/usr/bin:/bin", dir.0.display()));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let patience = Instant::now() + Duration::from_secs(60);
    let pid = loop {
        let text = std::fs::read_to_string(dir.0.join("pid")).unwrap_or_default();
        match text.trim().parse::<u32>() {
            Ok(pid) => break pid,
            Err(_) => assert!(Instant::now() < patience, "cvc5 was not asked"),
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    Ran::new(child.wait_with_output().unwrap()).expect(3, "unknown (interrupted)");
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
}
