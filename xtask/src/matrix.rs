//! The configuration matrix of abstraction refinement.

use crate::shell::{cargo, root, step};

pub const HELP: &str = "\
usage: cargo xtask matrix [--seconds N] [--filter TASK] [CONFIGURATION…]
       cargo xtask matrix --list

Runs every configuration of benches/cegar_pairwise.txt, or the given ones, on every XSTS safety task of a
corpus beside the workspace, or else on the cases in cases/xsts; certifies every verdict; and fails if one is
wrong, if evidence is refused, or if a search dies or does not stop when it is told to. Without configurations
and filter, writes docs/cegar-matrix.md.

  --seconds N    the time limit of each search (10)
  --filter TASK  only the tasks whose name contains this
  --list         write benches/cegar_pairwise.txt anew: a covering array of all legal configurations
  CONFIGURATION  a short name, PC_L_SI_BW, or options in quotes, 'domain=EXPL refinement=UNSAT_CORE'
";

/// What runs configurations; see there.
const EXAMPLE: [&str; 7] =
    ["run", "--release", "--package", "thetis-engine", "--example", "cegar_matrix", "--"];

pub fn run(arguments: &[String]) -> Result<(), String> {
    let mut command = cargo(&EXAMPLE);
    if arguments == ["--list"] {
        return step("the covering array", command.arg("list"));
    }
    command.arg("matrix").args(arguments);
    // A part of the table does not replace the whole.
    let whole = arguments.iter().enumerate().all(|(at, argument)| {
        argument == "--seconds" || at.checked_sub(1).is_some_and(|before| arguments[before] == "--seconds")
    });
    if whole {
        command.arg("--output").arg(root().join("docs").join("cegar-matrix.md"));
    }
    step("the matrix of configurations", &mut command)
}

/// Measures named configurations, task by task.
pub fn bench(arguments: &[String]) -> Result<(), String> {
    step("abstraction refinement", cargo(&EXAMPLE).arg("bench").args(arguments))
}
