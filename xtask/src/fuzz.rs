//! Random input for the front-ends and the readers of evidence and of formulas, guided by coverage.
//!
//! libFuzzer needs instrumented code. Stable Rust makes it with the flags below, which are those
//! that `cargo fuzz` uses, without an address sanitizer; so neither it nor a nightly compiler is
//! needed. The committed seeds are only read; what a campaign learns stays under `fuzz/target`.

use crate::shell::{cargo, output, root, step};

pub const HELP: &str = "\
usage: cargo xtask fuzz [--seconds N]

Builds the libFuzzer targets of fuzz/ with stable Rust, one for each language, `evidence` for traces and
certificates, and `ltl` for temporal formulas and automata, and feeds each for its part of N seconds (60) from the seeds in fuzz/corpus, and
timed automata and nets from cases/, too. An input that makes one panic, overflow the stack, hang, or
lose something in printing is kept in fuzz/artifacts; reduce it and add it to the seeds, which are also
ordinary tests.
Needs a C++ compiler, for libFuzzer.
";

const FLAGS: &str = "--cfg fuzzing -Clink-dead-code -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

/// The targets, and folders with more to start from than their seeds.
const TARGETS: &[(&str, &[&str])] = &[
    ("xsts", &[]),
    ("xta", &["cases/xta", "cases/xta/bad"]),
    ("pnml", &["cases/pnml", "cases/pnml/bad"]),
    ("gamma", &["cases/gamma", "cases/gamma/bad"]),
    ("cfa", &["cases/cfa", "cases/cfa/bad"]),
    ("c", &["cases/c", "cases/c/bad"]),
    ("sts", &["cases/sts", "cases/sts/bad"]),
    ("aiger", &["cases/aiger", "cases/aiger/bad"]),
    ("evidence", &[]),
    ("ltl", &[]),
];

pub fn run(arguments: &[String]) -> Result<(), String> {
    match arguments {
        [] => campaign(60),
        [option, number] if option == "--seconds" => {
            campaign(number.parse().map_err(|_| format!("`{number}` is not a number of seconds"))?)
        }
        _ => Err("expected nothing or `--seconds N`; see --help".to_owned()),
    }
}

pub fn campaign(seconds: u64) -> Result<(), String> {
    let version = output(std::process::Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("rustc names no host")?;
    // Naming the target keeps the flags away from build scripts.
    let build = ["build", "--release", "--manifest-path", "fuzz/Cargo.toml", "--target", host];
    let directory = root().join("fuzz").join("target");
    let mut command = cargo(&build);
    command.env("RUSTFLAGS", FLAGS).env("CARGO_TARGET_DIR", &directory);
    step("cargo build, in fuzz/", &mut command)?;

    let artifacts = root().join("fuzz").join("artifacts");
    let seconds = seconds.div_ceil(TARGETS.len() as u64);
    for (target, more) in TARGETS {
        let learnt = directory.join("corpus").join(target);
        for folder in [&learnt, &artifacts] {
            std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        let mut fuzz = std::process::Command::new(directory.join(host).join("release").join(target));
        fuzz.current_dir(root())
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-artifact_prefix={}/{target}-", artifacts.display()))
            .args(["-timeout=10", "-rss_limit_mb=4096", "-max_len=4096"])
            .args(["-print_final_stats=1", "-verbosity=1"])
            .arg(format!("-dict=fuzz/{target}.dict"))
            .arg(learnt)
            .arg(format!("fuzz/corpus/{target}"))
            .args(*more);
        step(&format!("fuzzing {target} for {seconds} s"), &mut fuzz)?;
    }
    Ok(())
}
