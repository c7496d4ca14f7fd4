//! The campaigns whose configurations must agree: whatever is chosen about an engine, the answer is the same.

use std::path::PathBuf;
use std::process::Command;

use crate::shell::{build_thetis, root, step, target_directory};

pub const HELP: &str = "\
usage: cargo xtask campaigns [--program FILE] [NAME…]

Runs these campaigns of campaigns/, or else those that put questions to every configuration of an engine: all options of
abstraction refinement, pairwise, and every engine for timed automata and for timed statecharts. Fails if an answer is not the
expected one, if two configurations disagree, if evidence is refused, or if a job ends without an answer. Results and reports
are in target/campaigns; what was stopped goes on where it was.

  --program FILE  the program to run, instead of one that is built as users get it
";

/// Those whose configurations must agree.
const AGREEING: [&str; 3] = ["timed-statecharts-engines", "timed-engines", "abstraction-refinement"];

pub fn run(arguments: &[String]) -> Result<(), String> {
    let (program, names) = match arguments {
        [option, path, names @ ..] if option == "--program" => (Some(PathBuf::from(path)), names),
        names => (None, names),
    };
    if let Some(option) = names.iter().find(|name| name.starts_with('-')) {
        return Err(format!("unexpected option `{option}`; see --help"));
    }
    let names: Vec<&str> =
        if names.is_empty() { AGREEING.to_vec() } else { names.iter().map(String::as_str).collect() };
    let folder = root().join("campaigns");
    let file = |name: &str| folder.join(name).with_extension("toml");
    if let Some(name) = names.iter().find(|name| !file(name).is_file()) {
        return Err(format!("there is no campaign `{name}` in {}", folder.display()));
    }
    let program = program.map_or_else(build_thetis, Ok)?;
    let results = target_directory()?.join("campaigns");
    std::fs::create_dir_all(&results).map_err(|error| format!("{}: {error}", results.display()))?;
    // All of them, whatever one comes to.
    let mut failed = vec![];
    for name in names {
        let into = results.join(name);
        let mut command = Command::new(&program);
        command.args(["campaign", "run"]).arg(file(name)).arg("--into").arg(&into);
        let ran = step(&format!("the campaign {name}"), &mut command);
        let mut report = Command::new(&program);
        report.args(["campaign", "report"]).arg(&into).stdout(std::process::Stdio::null());
        // Its exit code says the same again.
        report.status().map_err(|error| error.to_string())?;
        failed.extend(ran.err());
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_campaigns_are_there() {
        for name in AGREEING {
            assert!(root().join("campaigns").join(name).with_extension("toml").is_file(), "{name}");
        }
    }
}
