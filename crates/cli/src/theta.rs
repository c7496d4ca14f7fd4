//! The personality of the original xsts, cfa and sts programs, for tools that drive them.
//!
//! Called as `theta-xsts-cli`, `theta-cfa-cli` or `theta-sts-cli`, or as `thetis theta`, the program takes the flags of that one, in the style
//! of 2024 (`--model M --property P --cex C`) and of 2025 (`CEGAR --model M --property P --cexfile C`). The
//! last line on stdout is `(SafetyResult Safe)`, `(SafetyResult Unsafe Trace length: N)` or, where the
//! original would go on for ever, `(SafetyResult Unknown)`; a counterexample goes to the file in the form of
//! [`cex`], or of [`program`] for automata and transition systems. The exit code is 0 for each of these, and 1 after an error, which stderr explains.
//!
//! `LTLCEGAR` asks about whole runs. A counterexample then goes around a loop for ever, and its text has two halves.
//!
//! Choices of the original that exist here are taken; what they need and do not go with is dropped with a
//! note. If a chosen configuration gives no answer, the default one is tried, because whoever calls this
//! program has no other.

mod options;

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Config, Engine, Quiet, Reason, Stop};
use ir::Claim;
use thetis::decide::Judged;
use thetis::lang::Reading;
use thetis::trace::{Trace, cex, dot, program};
use thetis::verdict::Cause;
use thetis::{Answered, Check, Model, Outcome, Posed, Scope, file, pose};

use crate::apart::Apart;
use crate::check::{self, Question};
use crate::console::Console;
use crate::exit::{Exit, Failure, leave};
use crate::words::{self, Told};
use crate::{info, limits, load};
use options::{Mode, Options};

/// The exit code 1 of the original, which stands for any error.
const FAILED: Exit = Exit::Violated;

/// Whether the program was called by the name of the original one.
pub fn is_called(program: Option<&OsString>) -> bool {
    let stem = program.and_then(|program| Path::new(program).file_stem()).and_then(OsStr::to_str);
    const NAMES: [&str; 3] = ["theta-xsts-cli", "theta-cfa-cli", "theta-sts-cli"];
    stem.is_some_and(|stem| NAMES.iter().any(|name| stem.eq_ignore_ascii_case(name)))
}

/// Runs the program with these arguments, its own name not among them.
pub fn main(arguments: &[OsString], console: &Console) -> Exit {
    let exit = match run(arguments, console) {
        Ok(()) => Exit::Holds,
        Err(failure) => {
            console.note(failure);
            FAILED
        }
    };
    match console.finish(exit) {
        Exit::Holds => Exit::Holds,
        _ => FAILED,
    }
}

fn run(arguments: &[OsString], console: &Console) -> Result<(), Failure> {
    let (options, notes) = options::read(arguments)?;
    for note in notes {
        console.note(format!("note: {note}"));
    }
    match options.mode {
        Mode::Version => console.line(concat!("thetis ", env!("CARGO_PKG_VERSION"))),
        Mode::Help => console.print(options::HELP),
        Mode::Header => console.line(row(&HEADER.map(str::to_owned))),
        Mode::Metrics => {
            info::run(load::load(options.model()?, &Reading::default(), console)?, None, false, console)?;
        }
        Mode::Check => return check(&options, console),
    }
    Ok(())
}

fn check(options: &Options, console: &Console) -> Result<(), Failure> {
    let start = Instant::now();
    let stop = Arc::new(Stop::new());
    let (late, given) = (console.clone(), options.limits);
    let _watch = limits::watch(options.limits, stop.clone(), move |reason| {
        late.note(limits::explain(&given, &reason));
        late.line(UNKNOWN);
        let _ = late.finish(Exit::Holds);
        leave(Exit::Holds);
    })?;
    let mut model = load::load(options.model()?, &Reading::default(), console)?;
    let question = question(options, &mut model, console)?;
    if let Some(told) = &question.unsupported {
        console.note(format!("note: {}", told.text));
        console.line(UNKNOWN);
        return Ok(());
    }
    let asked = question.asked?;
    let given = |error: file::FileError| load::failure(&error.into(), console.colour);
    if let Claim::Possibly(_) = asked.property.claim {
        let message =
            "this program answers what holds in every state; `thetis check` also answers what is possible";
        return Err(Failure::Input(message.to_owned()));
    }
    let mut files = Apart::from_model(options.model()?);
    if let Some(options::Asked::File(path)) = &options.property {
        files.read("--property", path);
    }
    for (option, path) in [("--cex", &options.cex), ("--visualize", &options.visualize)] {
        let Some(path) = path else { continue };
        files.write(option, path, [path.clone()])?;
        file::renew(path).map_err(given)?;
    }
    let scope = Scope { check_states: options.check_states, ..Scope::default() };
    let check = Check { scope, ..Check::default() };
    let Posed { system, properties } =
        pose(&model, &[&asked], &check.scope).map_err(|why| Failure::Refused(words::unposed(&why)))?;
    let (system, model) = (Arc::new(system), &model);
    let answer = |config: &Config| {
        let mut answer = None;
        let check = Check { config: config.clone(), ..check.clone() };
        let posed = [(&asked, &properties[0])];
        model.answer(&system, &posed, &check, &stop, &mut Quiet, &mut |_, found| answer = Some(found));
        answer.expect("the question is answered")
    };
    let mut found = answer(&options.config);
    if let Some(reason) = undecided(&found, options)
        && options.config.engine != Engine::Auto
        && !stop.requested()
    {
        console.note(format!("note: {reason}; trying the default configuration"));
        found = answer(&Config::default());
    }
    let vars = system.state_vars().filter(|var| system.vars[*var].shown).count();
    let (line, result, length) = match &found.outcome {
        Outcome::Unknown(cause) => {
            if let Cause::Search(Reason::Internal(error)) = cause {
                return Err(Failure::Internal(Told::new(error.code(), error.to_string())));
            }
            let told = words::unconfirmed(cause, found.judged.uncertified, &options.limits);
            console.note(format!("note: {}", told.text));
            (UNKNOWN.to_owned(), "unknown", None)
        }
        Outcome::Holds => ("(SafetyResult Safe)".to_owned(), "true", None),
        Outcome::Violated => {
            let trace = found.trace.as_ref().expect("what holds in every state is violated by a run");
            let length = cex::length(trace).unwrap_or_else(|_| program::length(trace));
            write(options, trace)?;
            (format!("(SafetyResult Unsafe Trace length: {length})"), "false", Some(length))
        }
        Outcome::Fault(fault) => {
            // The original knows no such thing; its readers at least get the way there.
            found.trace.as_ref().map_or(Ok(()), |trace| write(options, trace))?;
            let fault = &system.faults[*fault];
            let place = model.sources.place(fault.span);
            return Err(Failure::Input(format!("the model goes wrong: {} at {place}", fault.kind)));
        }
        Outcome::Undefined(_) => {
            return Err(Failure::Input(format!(
                "the property goes wrong in a reachable state of `{}`",
                model.name()
            )));
        }
        Outcome::Refused(answer, why) => {
            let (name, answer) = (model.name(), words::claimed(*answer));
            let text = format!("the answer `{answer}` about `{name}` was refused when it was checked: {why}");
            return Err(Failure::Internal(Told::new(why.flaw.code(), text)));
        }
    };
    if options.benchmark {
        console.line(cells(result, start.elapsed(), &found.judged, length, vars));
    } else {
        console.line(line);
    }
    Ok(())
}

const UNKNOWN: &str = "(SafetyResult Unknown)";

/// Why there is no answer, if that is so.
fn undecided(found: &Answered, options: &Options) -> Option<String> {
    match &found.outcome {
        Outcome::Unknown(cause) => {
            Some(words::unconfirmed(cause, found.judged.uncertified, &options.limits).text)
        }
        _ => None,
    }
}

/// The one property that is asked for.
fn question(options: &Options, model: &mut Model, console: &Console) -> Result<Question, Failure> {
    let mut asked = check::Options { option: Some("--property"), ..check::Options::default() };
    match &options.property {
        Some(options::Asked::Text(text)) => asked.properties.push(text.clone()),
        Some(options::Asked::File(path)) => asked.property_files.push(path.clone()),
        Some(options::Asked::Formula(text)) => asked.formulas.push(text.clone()),
        None => {}
    }
    let mut list = check::questions(model, &asked, console.colour)?;
    check::warn(model, &list, console);
    match (list.pop(), list.len()) {
        (Some(question), 0) => Ok(question),
        (_, more) => Err(Failure::Input(format!(
            "`{}` asks {} questions, and this program answers one; use `thetis check --all`",
            model.name(),
            more + 1
        ))),
    }
}

/// Writes a counterexample where it was asked for.
fn write(options: &Options, trace: &Trace) -> Result<(), Failure> {
    if let Some(path) = &options.cex {
        let text = match cex::render(trace, options.style) {
            Ok(text) => text,
            Err(why) => program::render(trace)
                .ok_or_else(|| Failure::Input(format!("`{}` cannot be written: {why}", path.display())))?,
        };
        file::create(path, |out| out.write_all(text.as_bytes()))
            .map_err(|error| Failure::Input(error.to_string()))?;
    }
    if let Some(path) = &options.visualize {
        file::create(path, |out| out.write_all(dot::render(trace).as_bytes()))
            .map_err(|error| Failure::Input(error.to_string()))?;
    }
    Ok(())
}

/// What a row says when only metrics are wanted.
const HEADER: [&str; 11] = [
    "Result",
    "TimeMs",
    "AlgoTimeMs",
    "AbsTimeMs",
    "RefTimeMs",
    "Iterations",
    "ArgSize",
    "ArgDepth",
    "ArgMeanBranchFactor",
    "CexLen",
    "Vars",
];

/// The row of one run; what this program does not count is empty.
fn cells(result: &str, total: Duration, judged: &Judged, length: Option<usize>, vars: usize) -> String {
    let number = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
    row(&[
        result.to_owned(),
        total.as_millis().to_string(),
        judged.search.as_millis().to_string(),
        String::new(),
        String::new(),
        number(judged.statistics.cegar.as_ref().map(|cegar| cegar.iterations)),
        judged.statistics.states.to_string(),
        String::new(),
        String::new(),
        number(length.map(|length| length as u64)),
        vars.to_string(),
    ])
}

fn row(cells: &[String]) -> String {
    cells.iter().map(|cell| format!("\"{cell}\"")).collect::<Vec<_>>().join(",")
}
