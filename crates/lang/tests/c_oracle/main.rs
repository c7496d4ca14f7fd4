//! C programs against the binaries that gcc makes of them.
//!
//! The judge sees the lowered system only, so a wrong lowering needs an oracle that shares nothing with it: random programs
//! without input are compiled (`-fwrapv`, sanitizers for what C leaves undefined) and run, and the lowered system is
//! executed by the plain interpreter. Both must end with the same values of all variables, or both go wrong. `C_PROGRAMS`
//! asks for another number of programs, `C_SEED` for others. Without gcc there is nothing to compare with, and the test
//! says so.

mod machine;
mod program;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use program::Program;
use thetis_lang::c::DataModel;

/// What nobody can tell, since the compiler goes wrong.
const UNKNOWN: &str = "unknown";

/// How many programs gcc compiles at a time.
const BATCH: u64 = 50;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A way to compile, if the machine has it.
struct Compiler {
    model: DataModel,
    flags: &'static [&'static str],
}

const COMPILERS: [Compiler; 2] = [
    Compiler { model: DataModel::Lp64, flags: &["-m64"] },
    Compiler { model: DataModel::Ilp32, flags: &["-m32"] },
];

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("thetis-c-oracle-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&path).expect("a folder for programs");
    path
}

impl Compiler {
    /// Whether programs can be compiled and run this way.
    fn works(&self) -> bool {
        self.run("try", "int main(void) { return 0; }").is_some()
    }
    /// What a program prints.
    fn run(&self, name: &str, text: &str) -> Option<String> {
        let folder = folder(&format!("{name}-{}", self.model));
        let (source, binary) = (folder.join("program.c"), folder.join("program"));
        std::fs::write(&source, text).ok()?;
        let compiled = Command::new("gcc")
            .args(self.flags)
            .args(["-std=gnu11", "-O0", "-w", "-fwrapv", "-fno-sanitize-recover=all"])
            .arg("-fsanitize=shift-exponent,integer-divide-by-zero,bounds,null")
            .arg(&source)
            .arg("-o")
            .arg(&binary)
            .output()
            .ok()?;
        if !compiled.status.success() {
            let why = String::from_utf8_lossy(&compiled.stderr).into_owned();
            let gives_up = why.contains("internal compiler error");
            assert!(name == "try" || gives_up, "gcc refuses a program:\n{why}\n{text}");
            let _ = std::fs::remove_dir_all(&folder);
            return None;
        }
        let output = Command::new(&binary).output().ok();
        let _ = std::fs::remove_dir_all(&folder);
        output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    }
    /// What each of some programs ends with: its values, or `fault`.
    fn results(&self, name: &str, programs: &[Program]) -> Vec<String> {
        let mut text = String::from(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n#include <sys/wait.h>\n\
             static void quiet(void) { freopen(\"/dev/null\", \"w\", stderr); }\n",
        );
        for program in programs {
            text += &program.text(&program.prefix);
            let _ = writeln!(text, "static void {}show(void) {{\n{}}}", program.prefix, program.printing());
        }
        text += "int main(void) {\n";
        for program in programs {
            let prefix = &program.prefix;
            let _ = writeln!(
                text,
                "fflush(stdout); {{ int status; pid_t child = fork(); if (child == 0) {{ quiet(); alarm(10); \
                 {prefix}main(); {prefix}show(); fflush(stdout); _exit(0); }} waitpid(child, &status, 0); \
                 if (!WIFEXITED(status) || WEXITSTATUS(status)) printf(\"fault\\n\"); printf(\"----\\n\"); }}"
            );
        }
        text += "return 0; }\n";
        match (self.run(name, &text), programs) {
            (Some(output), _) => output.split("----\n").take(programs.len()).map(str::to_owned).collect(),
            // gcc itself goes wrong on some programs; the others are compared.
            (None, [_]) => vec![UNKNOWN.to_owned()],
            (None, _) => {
                let (first, second) = programs.split_at(programs.len() / 2);
                [self.results(name, first), self.results(name, second)].concat()
            }
        }
    }
}

/// What both say, if they differ.
fn difference(compiler: &Compiler, program: &Program, expected: &str) -> Option<String> {
    if expected == UNKNOWN {
        return None;
    }
    let text = program.text("");
    let found = match machine::run(&text, compiler.model) {
        Ok(end) => end,
        Err(why) => return Some(format!("not executed: {why}")),
    };
    let found = match found {
        machine::End::Fault(kind) => {
            return (expected != "fault\n").then(|| format!("a fault ({kind}), and gcc says\n{expected}"));
        }
        machine::End::Values(values) => values,
    };
    if expected == "fault\n" {
        return Some("no fault, and gcc goes wrong".to_owned());
    }
    for line in expected.lines() {
        let (name, value) = line.split_once('=').expect("a name and a value");
        // What `main` never uses is no variable.
        if let Some(found) = found(name)
            && found != value
        {
            return Some(format!("{name} is {found}, and gcc says {value}"));
        }
    }
    None
}

/// The same program with as little as still differs.
fn shrunk(compiler: &Compiler, program: Program) -> (Program, String) {
    let differs = |program: &Program| {
        let expected = compiler.results("shrink", std::slice::from_ref(program)).remove(0);
        difference(compiler, program, &expected)
    };
    let mut best = program;
    let mut why = differs(&best).unwrap_or_default();
    loop {
        let smaller = best.smaller().into_iter().find_map(|smaller| {
            let why = differs(&smaller)?;
            Some((smaller, why))
        });
        match smaller {
            Some(found) => (best, why) = found,
            None => return (best, why),
        }
    }
}

#[test]
fn programs_end_as_gcc_says() {
    let (count, seed) = (setting("C_PROGRAMS", 500), setting("C_SEED", 1));
    for compiler in COMPILERS {
        if !compiler.works() {
            println!("skipped: gcc does not compile {} programs here", compiler.model);
            continue;
        }
        let mut faults = 0;
        for batch in 0..count.div_ceil(BATCH) {
            let numbers = batch * BATCH..((batch + 1) * BATCH).min(count);
            let programs: Vec<Program> = numbers.map(|number| Program::random(seed, number)).collect();
            let results = compiler.results(&format!("batch{batch}"), &programs);
            for (program, expected) in programs.into_iter().zip(results) {
                faults += u64::from(expected == "fault\n");
                if difference(&compiler, &program, &expected).is_some() {
                    let (program, why) = shrunk(&compiler, program);
                    panic!("{why}\n({})\n\n{}", compiler.model, program.text(""));
                }
            }
        }
        // Most programs come to their end, so that there is something to compare.
        assert!(faults * 2 < count, "{faults} of {count} programs go wrong");
    }
}
