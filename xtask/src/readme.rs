//! The README's commands: taken from it, checked, and run, so that they cannot drift.

use std::path::Path;
use std::process::Command;

use crate::shell::{build_thetis, read, root, target_directory};

pub const HELP: &str = "\
usage: cargo xtask readme [--tour]

Prints the two set-up commands of README.md and checks that they are what they should be.

  --tour   also build the program and run every other `thetis ...` line of the README and of docs/guide.md, in a
           copy of examples/; a comment `# ... exit N` says which exit code is expected, otherwise 0
";

/// The two commands of the set-up.
pub struct SetUp {
    /// Builds the program and runs it on a bundled example.
    pub main: String,
    /// Passes the tests.
    pub test: String,
}

pub fn run(arguments: &[String]) -> Result<(), String> {
    let set_up = set_up()?;
    println!("{}\n{}", set_up.main, set_up.test);
    match arguments {
        [] => Ok(()),
        [option] if option == "--tour" => tour(),
        _ => Err("expected nothing or `--tour`; see --help".to_owned()),
    }
}

/// The set-up commands of the README.
pub fn set_up() -> Result<SetUp, String> {
    parse_set_up(&read("README.md")?, &root())
}

/// Runs the other commands of the README, and those of the guide, as a reader would.
pub fn tour() -> Result<(), String> {
    let program = build_thetis()?;
    let place = target_directory()?.join("tour");
    let _ = std::fs::remove_dir_all(&place);
    copy(&root().join("examples"), &place.join("examples"))?;
    let folder = program.parent().ok_or("the program lies in a folder")?;
    let mut path = vec![folder.to_owned()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let path = std::env::join_paths(path).map_err(|error| error.to_string())?;

    let pages = read("README.md")? + &read("docs/guide.md")?;
    for stop in stops(&pages) {
        eprintln!("\n==> {}", stop.line);
        let mut command = Command::new("sh");
        command.args(["-c", &stop.line]).current_dir(&place).env("PATH", &path);
        let status =
            command.stdin(std::process::Stdio::null()).status().map_err(|error| error.to_string())?;
        if status.code() != Some(stop.exit) {
            return Err(format!("`{}`: {status}, but the page says {}", stop.line, stop.exit));
        }
    }
    Ok(())
}

/// A command of the tour and the exit code it promises.
#[derive(PartialEq, Eq, Debug)]
struct Stop {
    line: String,
    exit: i32,
}

fn stops(readme: &str) -> Vec<Stop> {
    let commands = code(readme).into_iter().filter(|line| line.starts_with("thetis "));
    commands
        .map(|line| {
            let (line, comment) = line.split_once(" # ").unwrap_or((line, ""));
            let number = comment
                .split("exit ")
                .nth(1)
                .and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
            let exit = number.and_then(|number| number.parse().ok()).unwrap_or(0);
            Stop { line: line.trim().to_owned(), exit }
        })
        .collect()
}

fn parse_set_up(readme: &str, root: &Path) -> Result<SetUp, String> {
    let section = readme.split("\n## ").find(|section| section.starts_with("Set up\n"));
    let commands = code(section.ok_or("README.md has no section `## Set up`")?);
    let [main, test] = commands[..] else {
        return Err(format!("README.md: `## Set up` has {} commands instead of two", commands.len()));
    };
    let example = main.split(' ').find(|word| word.starts_with("examples/"));
    let example = example.ok_or(format!("README.md: `{main}` names no example"))?;
    if !main.starts_with("cargo run --release -p thetis-cli -- ") || !root.join(example).is_file() {
        return Err(format!("README.md: `{main}` does not run the program on an example that exists"));
    }
    if test != "cargo test --workspace" {
        return Err(format!("README.md: `{test}` does not run all tests"));
    }
    Ok(SetUp { main: main.to_owned(), test: test.to_owned() })
}

/// The lines in blocks of shell code, without those that are only comments.
fn code(text: &str) -> Vec<&str> {
    let mut inside = false;
    let mut lines = vec![];
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(language) => inside = !inside && language == "sh",
            None if inside && !line.trim().is_empty() && !line.starts_with('#') => lines.push(line),
            None => {}
        }
    }
    lines
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let name = |error: std::io::Error| format!("{}: {error}", from.display());
    std::fs::create_dir_all(to).map_err(name)?;
    for entry in std::fs::read_dir(from).map_err(name)? {
        let entry = entry.map_err(name)?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target).map_err(name)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_readme_has_the_two_commands() {
        set_up().map(|_| ()).unwrap();
    }

    #[test]
    fn a_third_set_up_command_is_refused() {
        let text = "# T\n\n## Set up\n```sh\na\nb\nc\n```\n## Next\n```sh\nd\n```\n";
        assert_eq!(
            parse_set_up(text, &root()).err().unwrap(),
            "README.md: `## Set up` has 3 commands instead of two"
        );
    }

    #[test]
    fn exit_codes_of_the_tour_are_in_comments() {
        let text =
            "```sh\nthetis a b   # violated: exit 1, with a run\nthetis c\n# no\ncargo d\n```\nthetis e\n";
        let stop = |line: &str, exit| Stop { line: line.to_owned(), exit };
        assert_eq!(stops(text), [stop("thetis a b", 1), stop("thetis c", 0)]);
    }
}
