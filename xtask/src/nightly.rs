//! Long campaigns: more random input than a change can wait for.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::fuzz;
use crate::shell::{cargo, no_arguments, step};

pub const HELP: &str = "\
usage: cargo xtask nightly

Fuzzes the front-end for two minutes, then runs all tests in release mode, the property tests with
20,000 cases each from a new seed. The seed is printed; PROPTEST_RNG_SEED=N repeats a campaign.
";

/// Well above a minute of new input; the first seconds only read the corpus.
const FUZZ_SECONDS: u64 = 120;
const CASES: &str = "20000";

pub fn run(arguments: &[String]) -> Result<(), String> {
    no_arguments(arguments)?;
    fuzz::campaign(FUZZ_SECONDS)?;
    let seed = std::env::var("PROPTEST_RNG_SEED").unwrap_or_else(|_| fresh_seed());
    let what = format!("PROPTEST_RNG_SEED={seed} PROPTEST_CASES={CASES} cargo test --workspace --release");
    let mut tests = cargo(&["test", "--workspace", "--release"]);
    tests.env("PROPTEST_RNG_SEED", seed).env("PROPTEST_CASES", CASES);
    // The limit on rejected cases does not grow with the number of cases by itself.
    tests.env("PROPTEST_MAX_GLOBAL_REJECTS", "1000000");
    step(&what, &mut tests)
}

fn fresh_seed() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_nanos().rem_euclid(u128::from(u64::MAX)).to_string()
}
