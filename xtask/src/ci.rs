//! All checks of a change.

use crate::shell::{cargo, line, no_arguments, step};
use crate::{licences, readme};

pub const HELP: &str = "\
usage: cargo xtask ci

Runs every check a change must pass, the quick ones first, and stops at the first failure:
format, README, licences, clippy, documentation, the two commands of the README, and its tour.
";

pub fn run(arguments: &[String]) -> Result<(), String> {
    no_arguments(arguments)?;
    step("cargo fmt --all --check", &mut cargo(&["fmt", "--all", "--check"]))?;
    let fuzz = ["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"];
    step("cargo fmt --check, in fuzz/", &mut cargo(&fuzz))?;
    // What runs below are these very lines, so the README cannot promise anything else.
    let set_up = readme::set_up()?;
    licences::run(&[])?;
    let clippy = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    step("cargo clippy", &mut cargo(&clippy))?;
    // A module's theory may name its private parts; such a link is shown as plain text.
    let mut doc = cargo(&["doc", "--no-deps", "--workspace"]);
    step("cargo doc", doc.env("RUSTDOCFLAGS", "-D warnings -A rustdoc::private-intra-doc-links"))?;
    step(&set_up.main, &mut line(&set_up.main))?;
    step(&set_up.test, &mut line(&set_up.test))?;
    readme::tour()
}
