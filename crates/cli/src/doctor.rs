//! `thetis doctor`: what Thetis finds on this machine, and whether limits hold here.
//!
//! Nothing is taken for granted: limits are tried on a question that would run for minutes, and
//! programs that could serve as solvers are asked something simple.

use std::env;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use smt::probe::{self, Tried};
use smt::z3::{LoadError, library_info};

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::limits;

/// What `--json` says; see `docs/schema/doctor.schema.json`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Health {
    /// Always `thetis-doctor`.
    pub format: &'static str,
    /// Always 1.
    pub version: u32,
    /// Whether everything is there and every limit is enforced.
    pub ready: bool,
    /// The version of Thetis.
    pub thetis: &'static str,
    /// The library that solves, if it can be used.
    pub solver: Option<SolverInfo>,
    /// What is wrong and what to do about it.
    pub problems: Vec<String>,
    /// The limits that were tried.
    pub limits: Vec<LimitInfo>,
    /// Programs that could solve too; none of them is needed.
    pub optional: Vec<ProgramInfo>,
}

/// The library that solves.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SolverInfo {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: String,
    /// The file.
    pub path: String,
    /// How it was found.
    pub origin: String,
}

/// A limit that was tried.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LimitInfo {
    /// Its name.
    pub name: &'static str,
    /// Whether it is enforced.
    pub enforced: bool,
    /// What happened.
    pub detail: String,
}

/// A program that speaks SMT-LIB 2.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ProgramInfo {
    /// Its name.
    pub name: &'static str,
    /// Where it is, if it was found.
    pub path: Option<String>,
    /// The version it states, if it answered.
    pub version: Option<String>,
    /// Why it cannot be used although it was found.
    pub problem: Option<String>,
}

/// Programs that speak SMT-LIB 2, with the arguments that make them read questions one by one.
const PROGRAMS: &[(&str, &str)] = &[
    ("cvc5", "--incremental --lang=smt2"),
    ("opensmt", "-p"),
    ("mathsat", ""),
    ("smtinterpol", "-q"),
    ("yices-smt2", "--incremental"),
    ("z3", "-in"),
];

/// How long a limit is that is tried.
const SHORT: Duration = Duration::from_millis(100);
/// How late a limit may take effect to count as enforced.
const LATE: Duration = Duration::from_secs(3);
/// The memory limit that is tried.
const MEGABYTES: u32 = 64;
/// How long another program may think about something simple.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs the command.
pub fn run(json: bool, console: &Console) -> Result<Exit, Failure> {
    let health = examine();
    if json {
        console.json(&health);
    } else {
        console.print(render(&health));
    }
    Ok(match (&health.solver, health.ready) {
        (Some(_), true) => Exit::Holds,
        (Some(_), false) => Exit::Unknown,
        (None, _) => Exit::Input,
    })
}

fn examine() -> Health {
    let mut problems = vec![];
    let solver = match library_info() {
        Ok(info) => {
            let [major, minor, build] = info.version;
            Some(SolverInfo {
                name: "Z3",
                version: format!("{major}.{minor}.{build}"),
                path: info.path.display().to_string(),
                origin: info.origin.clone(),
            })
        }
        Err(error) => {
            problems.push(advice(&error));
            None
        }
    };
    let mut limits = vec![LimitInfo {
        name: "--memory-limit",
        enforced: limits::resident().is_some(),
        detail: match limits::resident() {
            Some(_) => "the system tells how much memory the program uses".into(),
            None => "the system does not tell how much memory a program uses; use --state-limit".into(),
        },
    }];
    if solver.is_some() {
        let short = format!("after {} ms", SHORT.as_millis());
        limits.push(limit("solver time", &format!("limit {short}"), probe::time(SHORT)));
        limits.push(limit("solver interrupt", &format!("stopped {short}"), probe::interruption(SHORT)));
        limits.push(limit("solver memory", &format!("limit at {MEGABYTES} MB"), probe::memory(MEGABYTES)));
    }
    for limit in limits.iter().filter(|limit| !limit.enforced) {
        problems.push(format!("the limit `{}` is not enforced: {}", limit.name, limit.detail));
    }
    let optional = PROGRAMS.iter().map(|(name, arguments)| program(name, arguments)).collect();
    Health {
        format: "thetis-doctor",
        version: 1,
        ready: problems.is_empty(),
        thetis: env!("CARGO_PKG_VERSION"),
        solver,
        problems,
        limits,
        optional,
    }
}

/// What is wrong with the library, and what to do.
fn advice(error: &LoadError) -> String {
    let install = "models that need no solver can be checked all the same; to get one, build Thetis again with \
                   Python 3 and pip at hand (Debian: apt install python3-pip), which fetches Z3, or install a \
                   newer Z3 and set Z3_LIB_DIR to the directory of its library";
    format!("{error}\n{install}")
}

fn limit(name: &'static str, asked: &str, tried: Tried) -> LimitInfo {
    match tried {
        Ok(took) => LimitInfo {
            name,
            enforced: took <= LATE,
            detail: format!("{asked}, over after {} ms", took.as_millis()),
        },
        Err(reason) => LimitInfo { name, enforced: false, detail: format!("{asked}, but {reason}") },
    }
}

fn program(name: &'static str, arguments: &str) -> ProgramInfo {
    let mut info = ProgramInfo { name, path: None, version: None, problem: None };
    let Some(path) = find(name) else { return info };
    info.path = Some(path.display().to_string());
    match probe::command(&format!("{name} {arguments}"), PATIENCE) {
        Ok(version) => info.version = Some(version),
        Err(interrupt) => {
            info.problem = Some(interrupt.to_string().lines().next().unwrap_or_default().to_owned());
        }
    }
    info
}

/// The program that a shell would start.
fn find(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(&file)).find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

fn render(health: &Health) -> String {
    let mut text = String::new();
    let _ = match (&health.solver, health.ready) {
        (_, true) => writeln!(text, "ready"),
        (Some(_), false) => writeln!(text, "not ready (a limit is not enforced)"),
        (None, _) => writeln!(text, "not ready (no solver)"),
    };
    let mut line = |left: &str, right: &str| {
        let _ = writeln!(text, "  {left:<18}{}", right.replace('\n', &format!("\n{:20}", "")));
    };
    match &health.solver {
        Some(solver) => {
            line("solver", &format!("{} {}", solver.name, solver.version));
            line("", &format!("{} ({})", solver.path, solver.origin));
        }
        None => line("solver", &health.problems[0]),
    }
    for limit in &health.limits {
        let word = if limit.enforced { "enforced" } else { "NOT ENFORCED" };
        line(limit.name, &format!("{word}: {}", limit.detail));
    }
    for program in &health.optional {
        let found = match (&program.path, &program.version, &program.problem) {
            (None, ..) => "not found".to_owned(),
            (Some(path), Some(version), _) => format!("{version} at {path}"),
            (Some(path), None, problem) => {
                format!("{path} cannot be used: {}", problem.as_deref().unwrap_or("no answer"))
            }
        };
        line(program.name, &format!("optional, {found}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_comes_too_late_is_not_enforced() {
        assert!(limit("time", "limit", Ok(SHORT)).enforced);
        let late = limit("time", "limit", Ok(LATE * 2));
        assert_eq!((late.enforced, late.detail.as_str()), (false, "limit, over after 6000 ms"));
        let other = limit("time", "limit", Err("it went on".into()));
        assert_eq!((other.enforced, other.detail.as_str()), (false, "limit, but it went on"));
    }
}
