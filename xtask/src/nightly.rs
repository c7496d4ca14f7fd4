//! Long campaigns: more random input than a change can wait for.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::shell::{cargo, no_arguments, step};
use crate::{backends, campaigns, fuzz};

pub const HELP: &str = "\
usage: cargo xtask nightly

Fuzzes the front-end for two minutes, then runs all tests in release mode: the property tests with
20,000 cases each from a new seed (10,000 where every case is many questions to a solver: bounded search,
induction, preprocessing and the schedule of `auto` against exhaustive search), 100 runs that are stopped at
random moments, the tests of interpolants on 6,000 infeasible traces, 100,000 random temporal formulas
and their negations against their meaning on random words, random models with temporal formulas against
NuSMV where the variable NUSMV names that program (there is one in the Python package pyboolnet, which
needs libtinfo5), 5,000 random networks of timed automata of each kind against their region graphs, and the larger models of a corpus beside the workspace if there is one. The seeds are
printed; PROPTEST_RNG_SEED=N repeats a campaign. Then come `cargo xtask backends`: campaigns on this machine, under Slurm,
HyperQueue and BenchExec, and their report in a browser, as far as these are installed; and `cargo xtask campaigns`, in which
all configurations must agree.
";

/// Well above a minute of new input; the first seconds only read the corpus.
const FUZZ_SECONDS: u64 = 120;
const CASES: &str = "20000";
/// Random traces whose interpolants are verified.
const TRACES: &str = "6000";
/// Runs of the program that are stopped.
const STOPS: &str = "100";
const NETWORKS: &str = "5000";
/// Temporal formulas whose automata are compared with their meaning.
const FORMULAS: &str = "100000";
/// The most states that a model of the corpus may have, where it is known how many it has.
const VISITED: &str = "1000000";

pub fn run(arguments: &[String]) -> Result<(), String> {
    no_arguments(arguments)?;
    fuzz::campaign(FUZZ_SECONDS)?;
    let seed = std::env::var("PROPTEST_RNG_SEED").unwrap_or_else(|_| fresh_seed());
    // Networks and traces are numbered from the seed; a smaller number is easier to repeat.
    let number = seed.parse::<u64>().map_err(|_| format!("PROPTEST_RNG_SEED={seed} is not a number"))?;
    let first = (number % 1_000_000).to_string();
    let settings = [
        ("PROPTEST_RNG_SEED", seed.as_str()),
        ("PROPTEST_CASES", CASES),
        ("REGIONS_SEED", &first),
        ("REGIONS_CASES", NETWORKS),
        ("CORPUS_VISITED", VISITED),
        ("LTL_FORMULAS", FORMULAS),
        ("TRACES", TRACES),
        ("TRACES_SEED", &first),
        ("STOPPING_TRIES", STOPS),
        ("STOPPING_SEED", &first),
    ];
    let shown: Vec<String> = settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let what = format!("{} cargo test --workspace --release", shown.join(" "));
    let mut tests = cargo(&["test", "--workspace", "--release"]);
    tests.envs(settings);
    // The limit on rejected cases does not grow with the number of cases by itself.
    tests.env("PROPTEST_MAX_GLOBAL_REJECTS", "1000000");
    step(&what, &mut tests)?;
    if std::env::var_os("NUSMV").is_none() {
        println!("NUSMV names no program, so nothing was compared with NuSMV");
    }
    backends::run(&[])?;
    campaigns::run(&[])
}

fn fresh_seed() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_nanos().rem_euclid(u128::from(u64::MAX)).to_string()
}
