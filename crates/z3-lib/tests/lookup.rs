//! Where the build looks for the library: the build script itself, run on a machine made of scripts.
#![cfg(target_os = "linux")]

#[path = "../build.rs"]
mod build_script;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Set in a process that plays the build script.
const PLAY: &str = "LOOKUP_PLAYS_THE_BUILD_SCRIPT";

/// The test that runs the build script in the processes that the others start: on a machine with
/// everything, it says where the library is and when to be run again.
#[test]
fn the_script_tells_where_the_library_is() {
    if std::env::var_os(PLAY).is_some() {
        return build_script::main();
    }
    let machine = Machine::new("script");
    machine.library("mine/libz3.so", "5.4.0");
    let mine = machine.0.join("mine").display().to_string();
    let said = machine.look(&[("Z3_LIB_DIR", &mine)]);
    assert!(said.contains("cargo::rustc-env=Z3_LIB_LIBRARY="), "{said}");
    assert!(said.contains("cargo::rerun-if-env-changed=Z3_LIB_DIR"), "{said}");
}

/// A folder with programs, a cache and a place for results.
struct Machine(PathBuf);

impl Machine {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        for part in ["bin", "cache", "out", "lib"] {
            fs::create_dir_all(folder.join(part)).unwrap();
        }
        Machine(folder)
    }
    fn program(&self, name: &str, body: &str) -> &Self {
        let path = self.0.join("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }
    fn file(&self, path: &str, content: &str) -> &Self {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }
    /// A library that states this version.
    fn library(&self, path: &str, version: &str) -> &Self {
        let numbers = version.replace('.', ",");
        let text = format!(
            "void Z3_get_version(unsigned *a, unsigned *b, unsigned *c, unsigned *d) {{ \
             unsigned v[] = {{ {numbers}, 0 }}; *a = v[0]; *b = v[1]; *c = v[2]; *d = v[3]; }}"
        );
        self.file("library.c", &text).file(path, "");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-o"]).args([self.0.join(path), self.0.join("library.c")]);
        assert!(compiler.status().unwrap().success());
        self
    }
    /// What the build script tells Cargo.
    fn look(&self, environment: &[(&str, &str)]) -> String {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "the_script_tells_where_the_library_is", "--nocapture"]).env_clear();
        command.env(PLAY, "1");
        command.env("PATH", format!("{}:/usr/bin:/bin", self.0.join("bin").display()));
        command.env("XDG_CACHE_HOME", self.0.join("cache")).env("OUT_DIR", self.0.join("out"));
        command.env("CARGO_CFG_TARGET_OS", "linux").env("HOST", "here").env("TARGET", "here");
        command.envs(environment.iter().copied());
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    }
    fn found(&self, environment: &[(&str, &str)], library: &str, origin: &str) {
        let said = self.look(environment);
        let library = self.0.join(library);
        assert!(said.contains(&format!("Z3_LIB_LIBRARY={}\n", library.display())), "{said}");
        assert!(said.contains(&format!("Z3_LIB_ORIGIN={origin}")), "{said}");
        assert!(!said.contains("cargo::error"), "{said}");
    }
    fn refused(&self, environment: &[(&str, &str)], words: &[&str]) {
        let said = self.look(environment);
        for word in words {
            assert!(
                said.lines().any(|line| line.starts_with("cargo::error=") && line.contains(word)),
                "{said}"
            );
        }
        assert!(!said.contains("Z3_LIB_LIBRARY"), "{said}");
    }
    /// A pkg-config that knows a Z3 of this version.
    fn pkg_config(&self, version: &str) -> &Self {
        let body = format!(
            "case \"$1\" in\n\
             --atleast-version=*) least=\"${{1#*=}}\"; \
             [ \"$(printf '%s\\n' \"$least\" {version} | sort -V | head -n 1)\" = \"$least\" ];;\n\
             --variable=libdir) echo '{}';;\n\
             *) exit 1;;\nesac",
            self.0.join("lib").display()
        );
        self.program("pkg-config", &body)
    }
}

const NO_PIP: &str = "[ \"$1\" = --version ] && exit 0; echo \"$0: No module named pip\" >&2; exit 1";

#[test]
fn the_variable_comes_first() {
    let machine = Machine::new("variable");
    machine.pkg_config("5.0.0").library("lib/libz3.so", "5.0.0").library("mine/libz3.so", "4.13.3");
    let mine = machine.0.join("mine").display().to_string();
    machine.found(&[("Z3_LIB_DIR", &mine)], "mine/libz3.so", "Z3_LIB_DIR");
    // Empty is unset.
    machine.found(&[("Z3_LIB_DIR", "")], "lib/libz3.so", "pkg-config");
    // Set, but wrong: nothing else is tried.
    let wrong = |path: &str, words: &[&str]| {
        let path = machine.0.join(path).display().to_string();
        machine.refused(&[("Z3_LIB_DIR", &path)], &[&["Z3_LIB_DIR is `", "or unset it"], words].concat());
    };
    wrong("bin", &["which holds no libz3.so"]);
    wrong("nowhere", &["which does not exist"]);
    wrong("mine/libz3.so", &["which is a file; the directory that holds it is `", "mine`"]);
    machine.refused(&[("Z3_LIB_DIR", "mine")], &["Z3_LIB_DIR is `mine`, which must be an absolute path"]);
    machine.library("old/libz3.so", "4.8.12").file("text/libz3.so", "a library");
    wrong("old", &["it is Z3 4.8.12, and 4.13.3 or newer is needed"]);
    wrong("text", &["text/libz3.so: "]);
    // What cannot be tried is at least named.
    let said = machine.look(&[("Z3_LIB_DIR", &mine), ("TARGET", "elsewhere")]);
    assert!(said.contains("cargo::warning=") && said.contains("mine/libz3.so is used as it is"), "{said}");
}

#[test]
fn pkg_config_is_believed_if_the_version_is_new_enough() {
    let machine = Machine::new("pkg-config");
    machine.library("lib/libz3.so", "5.4.0").program("python3", NO_PIP).program("python", NO_PIP);
    for version in ["4.13.3", "4.15.0", "5.4.0"] {
        machine.pkg_config(version).found(&[], "lib/libz3.so", "pkg-config");
    }
    for version in ["4.8.12", "4.13.2", "3.0.0"] {
        machine.pkg_config(version).refused(&[], &["No module named pip", "4.13.3"]);
    }
    // The library has the last word.
    machine.library("lib/libz3.so", "4.8.12").pkg_config("5.4.0").refused(&[], &["No module named pip"]);
    assert!(machine.look(&[]).contains("libz3.so, which pkg-config knows, is not used: it is Z3 4.8.12"));
    // The file must be there too, and other targets have other libraries.
    fs::remove_file(machine.0.join("lib/libz3.so")).unwrap();
    machine.refused(&[], &["No module named pip"]);
    machine.library("lib/libz3.so", "5.4.0").refused(&[("TARGET", "elsewhere")], &["this is a cross build"]);
}

#[test]
fn a_machine_without_pip_or_network_is_told_what_is_missing() {
    let machine = Machine::new("no-pip");
    machine.program("pkg-config", "exit 1").program("python3", NO_PIP).program("python", NO_PIP);
    machine.refused(&[], &["No module named pip", "python3-pip", "Z3_LIB_DIR"]);
    machine.program("python3", "exit 127").program("python", "exit 127");
    machine.refused(&[], &["no python3", "python3-pip"]);
    let offline = "[ \"$1\" = --version ] && exit 0\n\
                   for i in 1 2 3; do echo 'WARNING: Retrying: Temporary failure in name resolution' >&2; done\n\
                   echo 'ERROR: Could not find a version that satisfies the requirement' >&2\n\
                   echo 'ERROR: No matching distribution found' >&2; exit 1";
    machine.program("python3", offline);
    machine.refused(
        &[],
        &["Temporary failure in name resolution", "No matching distribution", "network access"],
    );
}

#[test]
fn what_was_fetched_before_needs_no_network_while_it_is_intact() {
    let machine = Machine::new("cache");
    machine.program("pkg-config", "exit 1").program("python3", NO_PIP).program("python", NO_PIP);
    let cached = "cache/thetis/z3-5.4.0.0/libz3.so";
    machine.library(cached, "5.4.0");
    let (size, sum) = build_script::measure(&machine.0.join(cached)).unwrap();
    machine.file("cache/thetis/z3-5.4.0.0/libz3.sum", &format!("{size} {sum:016x}\n"));
    machine.found(&[], cached, "z3-solver wheel 5.4.0.0");
    assert!(machine.look(&[]).contains(&format!("Z3_LIB_SIZE={size}\n")));
    // A damaged one is fetched again.
    let content = fs::read(machine.0.join(cached)).unwrap();
    for damaged in [&content[..content.len() / 2], &[0; 100], &[]] {
        fs::write(machine.0.join(cached), damaged).unwrap();
        machine.refused(&[], &["fetching z3-solver==5.4.0.0 failed", "No module named pip"]);
    }
}

#[test]
fn without_a_cache_the_place_is_told() {
    let machine = Machine::new("no-cache");
    machine.program("pkg-config", "exit 1").program("python3", NO_PIP).program("python", NO_PIP);
    machine.library("out/z3-5.4.0.0/libz3.so", "5.4.0");
    let (size, sum) = build_script::measure(&machine.0.join("out/z3-5.4.0.0/libz3.so")).unwrap();
    machine.file("out/z3-5.4.0.0/libz3.sum", &format!("{size} {sum:016x}\n"));
    let homeless = [("XDG_CACHE_HOME", "")];
    machine.found(&homeless, "out/z3-5.4.0.0/libz3.so", "z3-solver wheel 5.4.0.0");
    let said = machine.look(&homeless);
    assert!(
        said.contains("cargo::warning=there is no cache folder") && said.contains("so Z3 is in "),
        "{said}"
    );
}

#[test]
fn a_wheel_with_another_hash_or_name_is_refused() {
    let machine = Machine::new("hash");
    machine.program("pkg-config", "exit 1");
    let fetch = |name: &str| {
        // pip's part is played here; unpacking is left to the real one.
        format!(
            "if [ \"$2\" = pip ]; then while [ \"$1\" != --dest ]; do shift; done; echo evil > \"$2/{name}\"; exit 0; fi\n\
             PATH=\"$REAL_PATH\" exec python3 \"$@\""
        )
    };
    let path = std::env::var("PATH").unwrap();
    let name = "z3_solver-5.4.0.0-py3-none-manylinux_2_27_x86_64.whl";
    machine.program("python3", &fetch(name));
    let home = std::env::var("HOME").unwrap_or_default();
    machine.refused(&[("REAL_PATH", &path), ("HOME", &home)], &["has SHA-256", "expected 0549ffad"]);
    machine.program("python3", &fetch("z3_solver-9.9-py3-none-any.whl"));
    machine.refused(&[("REAL_PATH", &path), ("HOME", &home)], &["no hash is recorded for z3_solver-9.9"]);
    let left: Vec<_> = fs::read_dir(machine.0.join("cache/thetis")).unwrap().collect();
    assert!(left.is_empty(), "nothing of it stays: {left:?}");
}
