//! The tests.

use crate::readme;
use crate::shell::{line, no_arguments, step};

pub const HELP: &str = "\
usage: cargo xtask test

Runs the tests by the second command of the README's set-up.
";

pub fn run(arguments: &[String]) -> Result<(), String> {
    no_arguments(arguments)?;
    let command = readme::set_up()?.test;
    step(&command, &mut line(&command))
}
