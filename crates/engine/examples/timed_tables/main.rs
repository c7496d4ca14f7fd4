//! Tables of the configurations for timed automata: time and nodes, model by model.
//!
//! `cargo xtask tables` runs this; its help says what it does. Tasks run one at a time, each in a process
//! of its own, so that one that dies or does not listen costs one result.

mod choice;
mod plot;
mod report;
mod task;

#[path = "../../testing/meter.rs"]
mod meter;

use std::path::PathBuf;
use std::process::ExitCode;

use report::Measured;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.split_first() {
        Some((word, rest)) if word == "task" => task::child(rest),
        _ => Wish::read(&arguments).and_then(|wish| tables(&wish)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// What is to be run.
struct Wish {
    seconds: f64,
    /// Only tasks whose name contains this.
    filter: String,
    /// The short names of configurations.
    configs: Vec<String>,
    /// Where the document and the plot go, without their endings.
    output: Option<PathBuf>,
}

impl Wish {
    fn read(arguments: &[String]) -> Result<Self, String> {
        let mut wish = Wish { seconds: 10.0, filter: String::new(), configs: vec![], output: None };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().ok_or(format!("`{argument}` needs a value"));
            match argument.as_str() {
                "--seconds" => {
                    let text = value()?;
                    wish.seconds = text.parse().map_err(|_| format!("`{text}` is no number of seconds"))?;
                }
                "--filter" => wish.filter = value()?.clone(),
                "--output" => wish.output = Some(value()?.into()),
                option if option.starts_with('-') => return Err(format!("unexpected option `{option}`")),
                name => {
                    choice::read(name)?;
                    wish.configs.push(name.to_owned());
                }
            }
        }
        if wish.configs.is_empty() {
            wish.configs = choice::all();
        }
        Ok(wish)
    }
}

/// Every configuration on every task; a wrong answer is an error.
fn tables(wish: &Wish) -> Result<(), String> {
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
