//! `thetis doctor`: what Thetis finds on this machine, and whether limits hold here.
//!
//! Nothing is taken for granted: limits are tried on a question that would run for minutes, and
//! programs that could serve as solvers are asked something simple. Ctrl-C ends the questions, and no
//! program that was asked stays.

use std::env;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use engine::Stop;
use serde::Serialize;
use smt::probe::{self, Failed, Tried};
use smt::z3::{LibraryInfo, LoadError, library_info};
use thetis::Limits;

use crate::console::{Console, printable, wrapped};
use crate::exit::{Exit, Failure};
use crate::limits;
use crate::words;

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
    /// Files that would have been used instead, and why they cannot be.
    pub refused: Vec<String>,
}

/// A limit that was tried.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LimitInfo {
    /// Its name.
    pub name: &'static str,
    /// Whether it is enforced; `null` if that could not be tried.
    pub enforced: Option<bool>,
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

/// A program that speaks SMT-LIB 2.
struct Program {
    name: &'static str,
    /// What makes it read questions one by one.
    arguments: &'static str,
    /// Whether it comes with the library, where it is looked for, too.
    bundled: bool,
}

const PROGRAMS: &[Program] = &[
    Program { name: "cvc5", arguments: "--incremental --lang=smt2", bundled: false },
    Program { name: "opensmt", arguments: "-p", bundled: false },
    Program { name: "mathsat", arguments: "", bundled: false },
    Program { name: "smtinterpol", arguments: "-q", bundled: false },
    Program { name: "yices-smt2", arguments: "--incremental", bundled: false },
    Program { name: "z3", arguments: "-in", bundled: true },
];

/// How long a limit is that is tried.
const SHORT: Duration = Duration::from_millis(100);
/// How late a limit may take effect to count as enforced.
const LATE: Duration = Duration::from_secs(3);
/// The memory limit that is tried.
const MEGABYTES: u32 = 64;
/// How many characters a line beside a name has.
const WIDTH: usize = 80;
/// How long another program may think about something simple.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs the command.
pub fn run(json: bool, console: &Console) -> Result<Exit, Failure> {
    let stop = Arc::new(Stop::new());
    let late = console.clone();
    // Only the solver in this process may take longer to listen, and it ends with the process.
    let _watch = limits::watch(Limits::default(), stop.clone(), move |reason| {
        let failure = Failure::Unknown(words::reason(&reason, &Limits::default()));
        if json {
            late.json(&failure.json());
        } else {
            late.line(&failure);
        }
        std::process::exit(i32::from(late.finish(failure.exit()).code()));
    })?;
    let health = examine(&stop);
    if stop.requested() {
        return Err(Failure::Unknown(words::reason(&stop.reason(), &Limits::default())));
    }
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

fn examine(stop: &Arc<Stop>) -> Health {
    let mut problems = vec![];
    let library = library_info();
    let solver = library.as_ref().ok().map(|info| {
        let [major, minor, build] = info.version;
        SolverInfo {
            name: "Z3",
            version: format!("{major}.{minor}.{build}"),
            path: info.path.display().to_string(),
            origin: info.origin.clone(),
            refused: info.refused.iter().map(ToString::to_string).collect(),
        }
    });
    problems.extend(library.as_ref().err().map(advice));
    let mut limits = vec![LimitInfo {
        name: "--memory-limit",
        enforced: Some(thetis::limits::resident().is_some()),
        detail: match thetis::limits::resident() {
            Some(_) => "the system tells how much memory the program uses".into(),
            None => "the system does not tell how much memory a program uses; use --state-limit".into(),
        },
    }];
    if solver.is_some() {
        let short = format!("after {} ms", SHORT.as_millis());
        let mut tried = |name, asked: String, probe: &dyn Fn() -> Tried| {
            if !stop.requested() {
                limits.push(limit(name, &asked, probe()));
            }
        };
        tried("solver time", format!("limit {short}"), &|| probe::time(SHORT));
        tried("solver interrupt", format!("stopped {short}"), &|| probe::interruption(SHORT));
        tried("solver memory", format!("limit at {MEGABYTES} MB"), &|| probe::memory(MEGABYTES));
    }
    for limit in &limits {
        match limit.enforced {
            Some(true) => {}
            Some(false) => {
                problems.push(format!("the limit `{}` is not enforced: {}", limit.name, limit.detail))
            }
            None => problems.push(format!("the limit `{}` could not be tried: {}", limit.name, limit.detail)),
        }
    }
    let programs = PROGRAMS.iter().take_while(|_| !stop.requested());
    let optional = programs.map(|it| program(it, library.as_ref().ok().copied(), stop)).collect();
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
    format!(
        "{error}\nor build Thetis again with Python 3 and pip at hand (Debian: apt install python3-pip), which \
         fetches Z3\nmodels that need no solver can be checked all the same, with --engine explicit or zone"
    )
}

fn limit(name: &'static str, asked: &str, tried: Tried) -> LimitInfo {
    match tried {
        Ok(took) => LimitInfo {
            name,
            enforced: Some(took <= LATE),
            detail: format!("{asked}, over after {} ms", took.as_millis()),
        },
        Err(Failed::Ignored(what)) => {
            LimitInfo { name, enforced: Some(false), detail: format!("{asked}, but {what}") }
        }
        Err(Failed::Untried(why)) => LimitInfo { name, enforced: None, detail: why },
    }
}

fn program(program: &Program, library: Option<&LibraryInfo>, stop: &Arc<Stop>) -> ProgramInfo {
    let Program { name, arguments, bundled } = *program;
    let mut info = ProgramInfo { name, path: None, version: None, problem: None };
    let beside = || library.and_then(|library| library.program.clone()).filter(|_| bundled);
    let (path, command) = match (find(name), beside()) {
        (Some(path), _) => (path, name.to_owned()),
        (None, Some(path)) => (path.clone(), path.display().to_string()),
        (None, None) => return info,
    };
    info.path = Some(path.display().to_string());
    let command = format!("{command} {arguments}");
    let stop = stop.clone();
    match probe::command(command.trim_end(), PATIENCE, move || stop.requested()) {
        Ok(version) => info.version = Some(printable(&version)),
        Err(interrupt) => info.problem = Some(printable(&interrupt.to_string())),
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
    let ignored = health.limits.iter().any(|limit| limit.enforced == Some(false));
    let _ = match (&health.solver, health.ready) {
        (_, true) => writeln!(text, "ready"),
        (Some(_), false) if ignored => writeln!(text, "not ready (a limit is not enforced)"),
        (Some(_), false) => writeln!(text, "not ready (a limit could not be tried)"),
        (None, _) => writeln!(text, "not ready (no solver)"),
    };
    let mut line = |left: &str, right: &str| {
        let mut left = left;
        for part in right.lines().flat_map(|line| wrapped(line, WIDTH)) {
            let _ = writeln!(text, "  {left:<18}{part}");
            left = "";
        }
    };
    match &health.solver {
        Some(solver) => {
            line("solver", &format!("{} {}", solver.name, solver.version));
            line("", &format!("{} ({})", solver.path, solver.origin));
            for refused in &solver.refused {
                line("", &format!("passed over: {refused}"));
            }
        }
        None => line("solver", &health.problems[0]),
    }
    for limit in &health.limits {
        let word = match limit.enforced {
            Some(true) => "enforced",
            Some(false) => "NOT ENFORCED",
            None => "could not be tried",
        };
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
        let check = |tried, enforced, detail: &str| {
            let info = limit("time", "limit", tried);
            assert_eq!((info.enforced, info.detail.as_str()), (enforced, detail));
        };
        check(Ok(SHORT), Some(true), "limit, over after 100 ms");
        check(Ok(LATE * 2), Some(false), "limit, over after 6000 ms");
        check(Err(Failed::Ignored("it went on".into())), Some(false), "limit, but it went on");
        check(Err(Failed::Untried("out of memory".into())), None, "out of memory");
    }
}
