//! The tests: all of them, or those that one runs while writing.

use crate::readme;
use crate::shell::{cargo, line, no_arguments, step};

pub const HELP: &str = "\
usage: cargo xtask test [--quick]

Runs the tests by the second command of the README's set-up.

  --quick   only the conventions of the workspace and the unit tests of all libraries, which take a minute or two
            once they are built
";

pub fn run(arguments: &[String]) -> Result<(), String> {
    if let [option] = arguments
        && option == "--quick"
    {
        let conventions = ["test", "--package", "xtask", "--test", "conventions"];
        step("cargo test -p xtask --test conventions", &mut cargo(&conventions))?;
        return step("cargo test --workspace --lib", &mut cargo(&["test", "--workspace", "--lib"]));
    }
    no_arguments(arguments)?;
    let command = readme::set_up()?.test;
    step(&command, &mut line(&command))
}
