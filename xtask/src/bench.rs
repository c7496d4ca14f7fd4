//! The benchmark, built and run as users get the program.

use crate::matrix;
use crate::shell::{build_thetis, cargo, root, step};

pub const HELP: &str = "\
usage: cargo xtask bench [FILTER] [--save]
       cargo xtask bench smt [TRACES [STRATEGY]]
       cargo xtask bench cegar [--seconds N] [--filter TASK] [CONFIGURATION…]

Measures parsing, exhaustive search, zones and start-up on models made on the fly, and on those of a
corpus beside the workspace if there is one. Each number comes with its ratio to benches/baseline.json;
above 1.00 is more of it, be that good or bad. Never fails because of time.

  FILTER   only the cases whose name contains this; `zone` for networks of timed automata, which run in
           processes of their own and are also compared with figures of the best open tool
  --save   make the numbers of the cases that ran the new baseline
  smt      the solver layer instead: what a call costs, beside what was recorded for it, and what
           interpolants cost on TRACES (70) infeasible traces of each family
  cegar    abstraction refinement instead: single configurations (PC_L_SI_BW, …) on the tasks of
           `cargo xtask matrix`, each in a process of its own: verdict, time, solver calls, nodes,
           iterations and peak memory, then each configuration in one line
";

pub fn run(arguments: &[String]) -> Result<(), String> {
    if let Some((first, rest)) = arguments.split_first()
        && first == "smt"
    {
        let mut command = cargo(&["run", "--release", "--package", "smt", "--example", "bench_smt", "--"]);
        return step("cargo run --release --package smt --example bench_smt", command.args(rest));
    }
    if let Some((first, rest)) = arguments.split_first()
        && first == "cegar"
    {
        return matrix::bench(rest);
    }
    if let Some(option) = arguments.iter().find(|argument| argument.starts_with('-') && *argument != "--save")
    {
        return Err(format!("unexpected option `{option}`; see --help"));
    }
    let program = build_thetis()?;
    let mut command = cargo(&["bench", "--package", "xtask", "--bench", "speed", "--"]);
    command.args(arguments).env("THETIS", program).env("THETIS_ROOT", root());
    step("cargo bench --package xtask --bench speed", &mut command)
}
