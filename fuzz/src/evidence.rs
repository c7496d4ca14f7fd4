//! The readers of traces and certificates under libFuzzer; run it by `cargo xtask fuzz`.

#![no_main]

mod submission;

libfuzzer_sys::fuzz_target!(|data: &[u8]| submission::check_evidence(data));
