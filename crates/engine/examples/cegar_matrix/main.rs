//! Configurations of abstraction refinement, on every task at hand.
//!
//! `cargo xtask matrix` and `cargo xtask bench cegar` run this; their help says what it does. Tasks run one
//! at a time, each in a process of its own, so that one that dies or does not listen costs one result, and
//! the peak of its memory can be told.

extern crate thetis_engine as engine;

mod report;
mod task;

#[path = "../../testing/apart.rs"]
mod apart;
#[path = "../../testing/choices.rs"]
mod choices;
#[path = "../../testing/meter.rs"]
mod meter;
#[path = "../../testing/outcome.rs"]
mod outcome;
#[path = "../../testing/wish.rs"]
mod wish;

use std::process::ExitCode;

use outcome::Outcome;
use task::Task;
use wish::Wish;

/// The single configurations that are measured by name: those of the literature, and their neighbours.
const NAMED: &[&str] = &[
    "P_L_SI_B",
    "PC_L_SI_BW",
    "PC_L_SI_DW",
    "PC_F_MS_DW",
    "PB_L_SI_BW",
    "PB_L_SI_DA",
    "PB_F_BBI_BC",
    "PS_L_SI_BW",
    "PS_F_SI_DC",
    "PS_F_BBI_DA",
    "P250_L_SI_BW",
    "P1000_L_BBI_DW",
    "P10_F_BBI_DW",
    "E250_L_SI_B",
    "E10_L_UC_B",
    "EPC250_L_SI_BW",
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.first().map(String::as_str) {
        Some("list") => list(),
        Some("matrix") => Wish::read(&arguments[1..], choices::read).and_then(|wish| matrix(&wish)),
        Some("bench") => Wish::read(&arguments[1..], choices::read).and_then(|wish| bench(&wish)),
        Some("task") => task::child(&arguments[1..]),
        _ => Err("expected `list`, `matrix` or `bench`".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// The tasks that are wanted, and where they come from.
fn wanted(wish: &Wish) -> Result<(String, Vec<Task>), String> {
    let (origin, mut tasks) = task::all()?;
    tasks.retain(|task| task.id.contains(&wish.filter));
    match tasks.is_empty() {
        true => Err(format!("no task is called `{}`", wish.filter)),
        false => Ok((origin, tasks)),
    }
}

/// Writes the covering array.
fn list() -> Result<(), String> {
    let configs = choices::pairwise();
    let mut text = format!(
        "# A pairwise covering array of the options of abstraction refinement: {} of {} configurations.\n\
         # Made by `cargo xtask matrix --list`; a test compares the two.\n",
        configs.len(),
        choices::all().len()
    );
    for config in &configs {
        text += &choices::spell(config);
        text.push('\n');
    }
    let path = task::root().join("benches").join("cegar_pairwise.txt");
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("{} configurations", configs.len());
    Ok(())
}

/// Every configuration on every task; a wrong answer is an error.
fn matrix(wish: &Wish) -> Result<(), String> {
    let configs = match wish.configs.is_empty() {
        true => choices::committed().iter().map(choices::spell).collect(),
        false => wish.configs.clone(),
    };
    let (origin, tasks) = wanted(wish)?;
    let mut table: Vec<Vec<Outcome>> = vec![];
    for (number, task) in tasks.iter().enumerate() {
        let outcomes = task.run(&configs, wish.seconds, false)?;
        let solved = outcomes.iter().filter(|outcome| outcome.is_decided()).count();
        eprintln!("{:>3} of {}  {:44} {solved} of {}", number + 1, tasks.len(), task.id, configs.len());
        for (config, outcome) in
            configs.iter().zip(&outcomes).filter(|(_, outcome)| outcome.is_wrong(&task.expected))
        {
            eprintln!("        WRONG {config}: {}", outcome.word);
        }
        table.push(outcomes);
    }
    let text = report::matrix(&origin, wish.seconds, &configs, &tasks, &table);
    match &wish.output {
        Some(path) => {
            std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        None => print!("{text}"),
    }
    wrong(&tasks, &table)
}

/// Named configurations, each task measured by itself.
fn bench(wish: &Wish) -> Result<(), String> {
    let named: Vec<String> = NAMED.iter().map(|name| (*name).to_owned()).collect();
    let configs = if wish.configs.is_empty() { &named } else { &wish.configs };
    let (_, tasks) = wanted(wish)?;
    let mut all = vec![vec![]; tasks.len()];
    let mut summary = vec![];
    for config in configs {
        println!("{config}\n{}", report::HEAD);
        for (task, row) in tasks.iter().zip(&mut all) {
            let outcome = task.run(std::slice::from_ref(config), wish.seconds, true)?.remove(0);
            println!("{}", report::line(task, &outcome));
            row.push(outcome);
        }
        let last: Vec<&Outcome> = all.iter().filter_map(|row| row.last()).collect();
        summary.push(report::summary(config, &last));
        println!("{}\n", summary[summary.len() - 1]);
    }
    summary.iter().for_each(|line| println!("{line}"));
    wrong(&tasks, &all)
}

fn wrong(tasks: &[Task], table: &[Vec<Outcome>]) -> Result<(), String> {
    let each = tasks.iter().zip(table);
    let count: usize =
        each.map(|(task, row)| row.iter().filter(|outcome| outcome.is_wrong(&task.expected)).count()).sum();
    let split = report::disagreements(tasks, table);
    match (count, &split[..]) {
        (0, []) => Ok(()),
        _ => Err(format!("{count} wrong answers; tasks with different verdicts: {}", split.join(", "))),
    }
}
