//! Long campaigns: more random input than a change can wait for.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::fuzz;
use crate::shell::{cargo, no_arguments, step};

pub const HELP: &str = "\
usage: cargo xtask nightly

Fuzzes the front-end for two minutes, then runs all tests in release mode, the property tests with
20,000 cases each from a new seed, and the tests of interpolants on 6,000 infeasible traces. The seed is
printed; PROPTEST_RNG_SEED=N repeats a campaign.
";

/// Well above a minute of new input; the first seconds only read the corpus.
const FUZZ_SECONDS: u64 = 120;
const CASES: &str = "20000";
/// Random traces whose interpolants are verified.
const TRACES: &str = "6000";

pub fn run(arguments: &[String]) -> Result<(), String> {
    no_arguments(arguments)?;
    fuzz::campaign(FUZZ_SECONDS)?;
    let seed = std::env::var("PROPTEST_RNG_SEED").unwrap_or_else(|_| fresh_seed());
    // Seeds of traces are small numbers, so that those of a failing test are easy to name.
    let first =
        seed.parse::<u64>().map_err(|_| format!("PROPTEST_RNG_SEED={seed} is not a number"))? % 1_000_000;
    let what = format!(
        "PROPTEST_RNG_SEED={seed} PROPTEST_CASES={CASES} TRACES={TRACES} TRACES_SEED={first} \
         cargo test --workspace --release"
    );
    let mut tests = cargo(&["test", "--workspace", "--release"]);
    tests.env("PROPTEST_RNG_SEED", seed).env("PROPTEST_CASES", CASES);
    tests.env("TRACES", TRACES).env("TRACES_SEED", first.to_string());
    // The limit on rejected cases does not grow with the number of cases by itself.
    tests.env("PROPTEST_MAX_GLOBAL_REJECTS", "1000000");
    step(&what, &mut tests)
}

fn fresh_seed() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_nanos().rem_euclid(u128::from(u64::MAX)).to_string()
}
