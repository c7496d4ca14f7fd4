//! `cargo xtask`: checks, benchmarks and campaigns of this repository, as one command.
//!
//! Each command is a file or a folder. Whatever is run is printed first, so that it can be repeated by hand.

mod shell;
#[path = "../../crates/lang/testing/fields.rs"]
mod fields;
mod readme;
mod test;
mod licences;
mod ci;
mod bench;
mod temporal;
mod defaults;
mod timed;
mod compare;
mod published;
mod slurm;
mod backends;
mod campaigns;
mod fuzz;
mod nightly;

use std::process::ExitCode;

/// A command: its name, what it does in a line, its help, and its function.
struct Command {
    name: &'static str,
    summary: &'static str,
    help: &'static str,
    run: fn(&[String]) -> Result<(), String>,
}

const COMMANDS: &[Command] = &[
    Command { name: "ci", summary: "all checks of a change", help: ci::HELP, run: ci::run },
    Command {
        name: "test",
        summary: "the tests, by the command of the README; or the quick ones",
        help: test::HELP,
        run: test::run,
    },
    Command {
        name: "readme",
        summary: "the README's commands, checked",
        help: readme::HELP,
        run: readme::run,
    },
    Command {
        name: "licences",
        summary: "licences of all dependencies",
        help: licences::HELP,
        run: licences::run,
    },
    Command {
        name: "bench",
        summary: "speed, against the stored baseline",
        help: bench::HELP,
        run: bench::run,
    },
    Command {
        name: "compare",
        summary: "two builds of the program, on all models",
        help: compare::HELP,
        run: compare::run,
    },
    Command {
        name: "published",
        summary: "UPPAAL documents that people published: accepted, answered, compared",
        help: published::HELP,
        run: published::run,
    },
    Command {
        name: "slurm",
        summary: "a campaign on a cluster of one node, with that node killed in between",
        help: slurm::HELP,
        run: slurm::run,
    },
    Command {
        name: "backends",
        summary: "campaigns on every back end that is here, measured, and their report in a browser",
        help: backends::HELP,
        run: backends::run,
    },
    Command {
        name: "campaigns",
        summary: "the campaigns whose configurations must agree",
        help: campaigns::HELP,
        run: campaigns::run,
    },
    Command { name: "fuzz", summary: "random input for the front-end", help: fuzz::HELP, run: fuzz::run },
    Command { name: "nightly", summary: "long campaigns", help: nightly::HELP, run: nightly::run },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        eprint!("{}", usage());
        return ExitCode::from(2);
    };
    if matches!(name.as_str(), "help" | "-h" | "--help") {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        eprint!("there is no command `{name}`\n\n{}", usage());
        return ExitCode::from(2);
    };
    if rest.iter().any(|argument| argument == "-h" || argument == "--help") {
        print!("{}", command.help);
        return ExitCode::SUCCESS;
    }
    match (command.run)(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask {name}: {message}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> String {
    let mut text = String::from("usage: cargo xtask COMMAND [--help]\n\n");
    for command in COMMANDS {
        text += &format!("  {:<11}{}\n", command.name, command.summary);
    }
    text
}
