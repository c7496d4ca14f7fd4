//! The readers of temporal formulas and automata under libFuzzer; run it by `cargo xtask fuzz`.

#![no_main]

mod temporal;

libfuzzer_sys::fuzz_target!(|data: &[u8]| temporal::check_ltl(data));
