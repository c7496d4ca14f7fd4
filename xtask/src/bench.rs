//! The benchmark, built and run as users get the program.

use crate::shell::{build_thetis, cargo, root, step};
use crate::{defaults, temporal, timed};

pub const HELP: &str = "\
usage: cargo xtask bench [FILTER] [--save]
       cargo xtask bench smt [TRACES [STRATEGY]]
       cargo xtask bench auto [--all] [--seconds N] [FILTER]
       cargo xtask bench temporal [--seconds N] [FILTER]
       cargo xtask bench timed [--seconds N] [FILTER]

Measures parsing, exhaustive search, zones, temporal formulas and start-up on models made on the fly, and on
those of a corpus beside the workspace if there is one. Each number comes with its ratio to benches/baseline.json;
above 1.00 is more of it, be that good or bad. Never fails because of time.

  FILTER   only the cases whose name contains this; `zone` for networks of timed automata, which run in
           processes of their own and are also compared with figures of the best open tool
  --save   make the numbers of the cases that ran the new baseline
  smt      the solver layer instead: what a call costs, beside what was recorded for it, and what
           interpolants cost on TRACES (70) infeasible traces of each family
  STRATEGY only this way to interpolate: auto, atoms, newton-sp, newton-wp, mbi-forward, mbi-backward,
           spacer, or smtlib:COMMAND; without it, auto and then, on a fifth of the traces, each of the
           others. `70 auto` takes about a minute once it is built, all of them several minutes
  auto     the program as it comes instead: `thetis check` with default options and certification on the
           statecharts and Petri nets of the corpus, or else on the nets in cases/pnml, each with --seconds
           N (60): verdict, processor time, peak memory, solver calls and who answered, then median and
           worst beside what is aimed at. Fails if a verdict is wrong or missing. With --all: the questions
           of each model in one run beside a run for each; fails if they are answered differently
  temporal the same on temporal formulas: the models with formulas of the corpus, the formulas of the contest, each
           file in one run, and counters to 100 and to a million, by default and by `--engine cegar`
  timed    the same on timed statecharts, those in cases/xsts/timed and those of the corpus: whether every state
           and every transition is reached, and what is claimed, without and with a time limit, as
           benches/timed-questions.csv lists them

Configurations are compared by campaigns: `thetis campaign run campaigns/timed-engines.toml`; see docs/campaigns.md.
";

/// The ways to interpolate that have a name of their own.
const STRATEGIES: &[&str] =
    &["auto", "atoms", "newton-sp", "newton-wp", "mbi-forward", "mbi-backward", "spacer"];

pub fn run(arguments: &[String]) -> Result<(), String> {
    if let Some((first, rest)) = arguments.split_first()
        && first == "smt"
    {
        solver_arguments(rest)?;
        let mut command =
            cargo(&["run", "--release", "--package", "thetis-smt", "--example", "bench_smt", "--"]);
        return step("cargo run --release --package thetis-smt --example bench_smt", command.args(rest));
    }
    if let Some((first, rest)) = arguments.split_first()
        && first == "auto"
    {
        return defaults::bench(rest);
    }
    if let Some((first, rest)) = arguments.split_first()
        && first == "temporal"
    {
        return temporal::bench(rest);
    }
    if let Some((first, rest)) = arguments.split_first()
        && first == "timed"
    {
        return timed::bench(rest);
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

/// Refuses what the benchmark of the solver layer would not understand, before anything is built.
fn solver_arguments(arguments: &[String]) -> Result<(), String> {
    let [traces, rest @ ..] = arguments else { return Ok(()) };
    if !traces.parse::<u32>().is_ok_and(|traces| traces > 0) {
        return Err(format!("`{traces}` is no number of traces, for example 70; see --help"));
    }
    match rest {
        [] => Ok(()),
        [strategy] => {
            let command = strategy.strip_prefix("smtlib:").map(str::trim);
            if STRATEGIES.contains(&strategy.as_str()) || command.is_some_and(|command| !command.is_empty()) {
                return Ok(());
            }
            let list = STRATEGIES.join(", ");
            Err(format!("there is no strategy `{strategy}`; there are {list} and smtlib:COMMAND"))
        }
        [_, other, ..] => Err(format!("unexpected argument `{other}`; see --help")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_solver_benchmark_does_not_understand_is_refused() {
        let check = |line: &str, refused: Option<&str>| {
            let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            match (solver_arguments(&arguments), refused) {
                (Ok(()), None) => {}
                (Err(message), Some(words)) => assert!(message.contains(words), "{message}"),
                (result, _) => panic!("{line}: {result:?}"),
            }
        };
        for line in ["", "4", "70 auto", "4 newton-wp", "4 smtlib:opensmt"] {
            check(line, None);
        }
        check("foo", Some("`foo` is no number of traces"));
        check("0 auto", Some("`0` is no number"));
        check("-3", Some("`-3` is no number"));
        check("4 nosuch", Some("no strategy `nosuch`; there are auto, atoms"));
        check("4 smtlib:", Some("no strategy `smtlib:`"));
        check("4 auto more", Some("unexpected argument `more`"));
    }

    #[test]
    fn the_strategies_are_those_of_the_solver_layer() {
        let all: Vec<String> = [smt::Strategy::Auto]
            .into_iter()
            .chain(smt::Strategy::BUILT_IN)
            .map(|one| one.to_string())
            .collect();
        let mut listed = STRATEGIES.to_vec();
        let mut all: Vec<&str> = all.iter().map(String::as_str).collect();
        listed.sort_unstable();
        all.sort_unstable();
        assert_eq!(listed, all);
        let help: String = HELP.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(&STRATEGIES.join(", ")), "{help}");
    }
}
