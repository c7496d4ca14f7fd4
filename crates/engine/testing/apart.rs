//! Configurations in a process of their own: one that dies or does not listen costs one result, and the peak of
//! its memory can be told.
//!
//! The process is this very program, called with the word `task`, what the task is, and configurations; it prints
//! a line for each of them.

use std::ffi::OsStr;
use std::io::Write;
use std::process::Command;

use crate::outcome::Outcome;

/// How a process ends in which a search still runs that does not listen.
const LATE: i32 = 9;

/// Runs a task under every configuration, in one process as long as that lives, or in one for each.
pub fn run(task: &[&OsStr], configs: &[String], each: bool) -> Result<Vec<Outcome>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut outcomes: Vec<Outcome> = vec![];
    while outcomes.len() < configs.len() {
        let rest = &configs[outcomes.len()..];
        let rest = if each { &rest[..1] } else { rest };
        let mut command = Command::new(&program);
        command.arg("task").args(task).args(rest);
        let output = command.output().map_err(|error| error.to_string())?;
        let before = outcomes.len();
        outcomes.extend(String::from_utf8_lossy(&output.stdout).lines().filter_map(Outcome::read));
        let said = outcomes.len() - before;
        if said == 0 || said < rest.len() && output.status.code() != Some(LATE) {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            let text = text.lines().take(3).collect::<Vec<_>>().join(" ");
            outcomes.push(Outcome::of("died", format!("{}: {text}", output.status)));
        }
    }
    Ok(outcomes)
}

/// What such a process does with its configurations.
pub fn answer(
    configs: &[String],
    mut ask: impl FnMut(&str) -> Result<Outcome, String>,
) -> Result<(), String> {
    for config in configs {
        let outcome = ask(config)?;
        println!("{}", outcome.line());
        let _ = std::io::stdout().flush();
        if outcome.word == "deaf" {
            std::process::exit(LATE);
        }
    }
    Ok(())
}
