//! The front-end of C programs under libFuzzer; run it by `cargo xtask fuzz`.

#![no_main]

mod front_end;

libfuzzer_sys::fuzz_target!(|data: &[u8]| front_end::check_c(data));
