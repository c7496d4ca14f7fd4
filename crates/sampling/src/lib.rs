//! How many random cases a test looks at, and which.
//!
//! A test that fails today on what it passed yesterday says nothing about the change in between, so every random
//! test draws the same cases each time. `PROPTEST_CASES` asks for another number of them and `PROPTEST_RNG_SEED`
//! for others; `cargo xtask nightly` does both.

use proptest::test_runner::{Config, RngSeed};

/// So many cases from this seed, unless the environment says otherwise.
#[must_use]
pub fn runs(cases: u32, seed: u64) -> Config {
    let default = Config::default();
    let given = |name| std::env::var_os(name).is_some();
    Config {
        cases: if given("PROPTEST_CASES") { default.cases } else { cases },
        rng_seed: if given("PROPTEST_RNG_SEED") { default.rng_seed } else { RngSeed::Fixed(seed) },
        failure_persistence: None,
        ..default
    }
}
