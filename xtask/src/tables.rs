//! Tables of the configurations for timed automata.

use crate::shell::{cargo, root, step};

pub const HELP: &str = "\
usage: cargo xtask tables [--seconds N] [--filter TASK] [CONFIGURATION…]

Runs the zone graph, its refinement along paths and every configuration of lazy abstraction, or the given
ones, on every timed automaton and query of a corpus beside the workspace, if there is one, and on our own
timed models in examples and cases; certifies every verdict; and fails if one is wrong, if two differ, if
evidence is refused, or if a search dies or does not stop when it is told to. Without configurations and
filter, writes docs/timed-tables.md and docs/timed-tables.svg: nodes and seconds for each model and
configuration, the best in bold, and what follows from them.

  --seconds N    the time limit of each search and its certification, in seconds of the processor (10)
  --filter TASK  only the tasks whose name contains this
  CONFIGURATION  a short name: ZB, CD, AID; the document says what they mean
";

pub fn run(arguments: &[String]) -> Result<(), String> {
    let mut command =
        cargo(&["run", "--release", "--package", "thetis-engine", "--example", "timed_tables", "--"]);
    command.args(arguments);
    // A part of the table does not replace the whole.
    let whole = arguments.iter().enumerate().all(|(at, argument)| {
        argument == "--seconds" || at.checked_sub(1).is_some_and(|before| arguments[before] == "--seconds")
    });
    if whole {
        command.arg("--output").arg(root().join("docs").join("timed-tables"));
    }
    step("the tables of timed automata", &mut command)
}
