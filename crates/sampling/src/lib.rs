//! How many random cases a test looks at, and which.
//!
//! A test that fails today on what it passed yesterday says nothing about the change in between, so every random
//! test draws the same cases each time. `PROPTEST_CASES` asks for another number of them and `PROPTEST_RNG_SEED`
//! for others; `cargo xtask nightly` does both.
//!
//! Tests that need the corpus of models beside the workspace are named by [`with_corpus!`]: where there is none, they are
//! shown as ignored, and not as passed.

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

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

/// Tests every case, and shows the smallest one found that fails.
///
/// ```
/// let small = |number: u32| if number < 5 { Ok(()) } else { Err(format!("{number} is large")) };
/// thetis_sampling::check(thetis_sampling::runs(10, 1), &(0..5_u32), ToString::to_string, small);
/// ```
///
/// # Panics
/// If a case fails, with why, and the case as `show` writes it.
#[track_caller]
pub fn check<S: Strategy>(
    runs: Config,
    cases: &S,
    show: impl Fn(&S::Value) -> String,
    test: impl Fn(S::Value) -> Result<(), String>,
) {
    match TestRunner::new(runs).run(cases, |case| test(case).map_err(TestCaseError::fail)) {
        Ok(()) => {}
        Err(TestError::Fail(why, case)) => panic!("{why}\n\nshrunk to:\n{}", show(&case)),
        Err(other) => panic!("{other}"),
    }
}

/// Makes tests of functions that need the corpus.
#[cfg(corpus)]
#[macro_export]
macro_rules! with_corpus {
    ($($name:ident),+ $(,)?) => {
        mod with_corpus {
            $(#[test]
            fn $name() {
                super::$name();
            })+
        }
    };
}

/// Makes tests of functions that need the corpus, which is not there.
#[cfg(not(corpus))]
#[macro_export]
macro_rules! with_corpus {
    ($($name:ident),+ $(,)?) => {
        mod with_corpus {
            $(#[test]
            #[ignore = "there is no corpus beside the workspace"]
            fn $name() {
                super::$name();
            })+
        }
    };
}

#[cfg(test)]
mod tests {
    #[test]
    #[should_panic(expected = "5 is large\n\nshrunk to:\n<5>")]
    fn the_smallest_case_that_fails_is_shown() {
        let small = |number: u32| if number < 5 { Ok(()) } else { Err(format!("{number} is large")) };
        super::check(super::runs(100, 1), &(0..1_000_u32), |number| format!("<{number}>"), small);
    }
}
