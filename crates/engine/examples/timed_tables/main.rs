//! Tables of the configurations for timed automata: time and nodes, model by model.
//!
//! `cargo xtask tables` runs this; its help says what it does. Tasks run one at a time, each in a process
//! of its own, so that one that dies or does not listen costs one result.

extern crate thetis_engine as engine;

mod choice;
mod plot;
mod report;
mod task;

#[path = "../../testing/apart.rs"]
mod apart;
#[path = "../../testing/meter.rs"]
mod meter;
#[path = "../../testing/outcome.rs"]
mod outcome;
#[path = "../../testing/wish.rs"]
mod wish;

use std::process::ExitCode;

use report::Measured;
use wish::Wish;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.split_first() {
        Some((word, rest)) if word == "task" => task::child(rest),
        _ => Wish::read(&arguments, choice::read).and_then(tables),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Every configuration on every task; a wrong answer is an error.
fn tables(mut wish: Wish) -> Result<(), String> {
    if wish.configs.is_empty() {
        wish.configs = choice::all();
    }
    let mut tasks = task::all()?;
    tasks.retain(|task| task.id.contains(&wish.filter));
    let count = tasks.len();
    let mut rows = vec![];
    for (number, task) in tasks.into_iter().enumerate() {
        let outcomes = task.run(&wish.configs, wish.seconds)?;
        let solved = outcomes.iter().filter(|outcome| outcome.is_decided()).count();
        eprintln!("{:>3} of {count}  {:44} {solved} of {}", number + 1, task.id, wish.configs.len());
        rows.push(Measured { task, outcomes });
    }
    let text = report::document(wish.seconds, &wish.configs, &rows);
    match &wish.output {
        Some(path) => {
            let write = |ending: &str, text: String| {
                let path = path.with_extension(ending);
                std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
            };
            write("md", text)?;
            write("svg", plot::cactus(&wish.configs, &rows))?;
        }
        None => print!("{text}"),
    }
    match report::mistakes(&wish.configs, &rows) {
        list if list.is_empty() => Ok(()),
        list => Err(format!("{} wrong:\n{}", list.len(), list.join("\n"))),
    }
}
