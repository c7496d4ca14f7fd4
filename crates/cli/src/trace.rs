//! `thetis trace`: traces shown, replayed, and written in other forms.
//!
//! A trace is written as one of UPPAAL's if the name of its file ends in `.xml`, and read as one if it begins with a tag;
//! it is read and written together with its model. A language may have files of runs that are prescribed
//! ([`lang::ScriptFiles`]), known by their extension: they are executed, and runs are written as such. All others are
//! Thetis' own.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use engine::Stop;
use lang::Question;
use thetis::script::{self, ScriptFailure};
use thetis::simulate::Simulator;
use thetis::trace::{self, Ends, Mismatch, PropertyRef, Trace, cex, dot, itf, lift, table, uppaal};
use thetis::{Languages, Limits, Model, Scope, Source, Sources, file, first_units};

use crate::apart::Apart;
use crate::cli::{TraceCommand, TraceFormat};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::words::Told;
use crate::{load, render, simulate, words};

/// Runs the command.
pub fn run(command: TraceCommand, console: &Console) -> Result<Exit, Failure> {
    let failed = |error: thetis::Error| load::failure(&error, console.colour);
    match command {
        TraceCommand::Show { file, full, json } => {
            let trace = own(&file, console)?;
            if json {
                console.json(&trace);
            } else {
                console.line(about(&trace));
                console.print(table::render(&trace, full));
            }
        }
        TraceCommand::Replay { model, file, reading, json, limits } => {
            if let Some(files) = scripts_of(&model, &file) {
                return follow_script(&model, &file, files, reading.into(), json, limits.into(), console);
            }
            replay(&model, &file, &reading.into(), json, limits.into(), console)?;
        }
        TraceCommand::Export { file, reading, format, output, .. } => {
            let trace = own(&file, console)?;
            let impossible = |why: &dyn std::fmt::Display| {
                Failure::Input(format!("`{}` cannot be exported: {why}", file.display()))
            };
            let text = match format.unwrap_or(TraceFormat::Json) {
                TraceFormat::Json => pretty(&trace),
                TraceFormat::Dot => dot::render(&trace),
                TraceFormat::Itf => pretty(&itf::render(&trace)),
                TraceFormat::XstsCex => {
                    cex::render(&trace, cex::Style::default()).map_err(|why| impossible(&why))?
                }
                TraceFormat::Get => {
                    let model = load::load(Path::new(&trace.model), &reading.into(), console)?;
                    script_text(&model, &trace).map_err(|why| impossible(&why))?
                }
                TraceFormat::Uppaal => {
                    let model = load::load(Path::new(&trace.model), &reading.into(), console)?;
                    uppaal::render(&model, &trace, &Stop::new()).map_err(|why| impossible(&why))?
                }
            };
            match output {
                Some(path) => {
                    Apart::from_file(&file).write("-o", &path, [path.clone()])?;
                    file::create(&path, |out| out.write_all(text.as_bytes()))
                        .map_err(|error| failed(error.into()))?;
                }
                None => console.print(text),
            }
        }
    }
    Ok(Exit::Holds)
}

/// Whether a trace file is to be one of UPPAAL's.
fn is_uppaal(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(uppaal::EXTENSION))
}

/// The files of prescribed runs that a trace is to be one of, if the language of its model has such ones.
fn scripts_of(model: &Path, trace: &Path) -> Option<&'static lang::ScriptFiles> {
    let language = Languages::default().of_file(model).ok()?;
    language.script_files.as_ref().filter(|files| has_extension(trace, files.extension))
}

/// Whether a trace file is to be one of the language of its model.
fn is_script(path: &Path, model: &Model) -> bool {
    model.language.script_files.is_some_and(|files| has_extension(path, files.extension))
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

/// A trace as a prescribed run in the language of its model.
fn script_text(model: &Model, trace: &Trace) -> Result<String, NoScript> {
    let run = lift::Lower::new(model.system(), &trace.signature).and_then(|lower| lower.run(trace));
    let run = run.map_err(NoScript::Misfit)?;
    let text = model.lowered.language.write_script(model.name(), &run);
    text.ok_or(NoScript::Language(model.language.title))
}

/// Why a trace is no prescribed run.
enum NoScript {
    /// Its language has no such files.
    Language(&'static str),
    /// It is none of the model.
    Misfit(trace::Misfit),
}

impl std::fmt::Display for NoScript {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoScript::Language(title) => write!(f, "{title} have no such traces"),
            NoScript::Misfit(why) => why.fmt(f),
        }
    }
}

/// Executes a prescribed run, and says what does not fit.
fn follow_script(
    path: &Path,
    file: &Path,
    files: &lang::ScriptFiles,
    mut reading: lang::Reading,
    json: bool,
    limits: Limits,
    console: &Console,
) -> Result<Exit, Failure> {
    let stop = Arc::new(Stop::new());
    let _watch = crate::limits::give_up(limits, &stop, console)?;
    let text = file::read(file).map_err(|error| load::failure(&error.into(), console.colour))?;
    (files.settle)(&text, &mut reading);
    let mut model = load::load(path, &reading, console)?;
    let source = Source::new(file.display().to_string(), text);
    let script = model.script(&source).expect("its language has such files");
    let script = script.map_err(|error| load::misread(&error, console.colour))?;
    if !script.warnings.is_empty() {
        let sources = Sources::new(source.clone());
        console.note(render::diagnostics(&sources, &script.warnings, console.colour).trim_end());
    }
    let followed = script::follow(&model, &script, &stop);
    if followed.failure == Some(ScriptFailure::Interrupted) {
        return Err(Failure::Unknown(words::reason(&stop.reason(), &limits)));
    }
    if followed.failure == Some(ScriptFailure::TooMany) {
        let (line, _) = source.start(script.steps[followed.steps].span);
        let step = format!("{}:{line}: step {} of {}", source.name, followed.steps + 1, script.steps.len());
        let text =
            format!("{step} leaves too many executions to compare; say more about what comes in and runs");
        return Err(Failure::Unknown(Told::new(ScriptFailure::TOO_MANY, text)));
    }
    let trace = followed
        .run
        .as_ref()
        .map(|run| lift::Lift::new(&model, model.system()).trace(run, None, Ends::Anywhere));
    match &trace {
        Some(trace) if json => console.json(trace),
        Some(trace) => {
            console.line(about(trace));
            console.print(table::render(trace, false));
        }
        None => {}
    }
    let say = |text: String| if json { console.note(text) } else { console.line(text) };
    let (done, of) = (followed.steps, script.steps.len());
    let fits = match &followed.failure {
        None => {
            say(format!(
                "replayed: {} that fit the model, {} true",
                simulate::steps(of),
                assertions(followed.claims)
            ));
            true
        }
        Some(failure) => {
            let step = &script.steps[done];
            let (line, _) = source.start(step.span);
            match failure {
                ScriptFailure::False(wrong) => {
                    for span in wrong {
                        let (line, column) = source.start(*span);
                        let text = lang::one_line(source.slice(*span));
                        say(format!(
                            "{}:{line}:{column}: false after step {}: {text}",
                            source.name,
                            done + 1
                        ));
                    }
                }
                _ => say(format!("{}:{line}: step {} of {of} is not possible", source.name, done + 1)),
            }
            say(format!(
                "{} fit the model, with {} true",
                simulate::steps(done),
                assertions(followed.claims)
            ));
            false
        }
    };
    if script.negative {
        say(match fits {
            true => "the trace is meant to fail, but fits".to_owned(),
            false => "the trace is meant to fail, and does".to_owned(),
        });
    }
    Ok(if fits == script.negative { Exit::Violated } else { Exit::Holds })
}

/// So many assertions, in words.
fn assertions(count: usize) -> String {
    format!("{count} assertion{}", if count == 1 { "" } else { "s" })
}

/// Refuses to write traces of a model as UPPAAL's, or as prescribed runs, if they have no such form.
pub fn writable(path: &Path, model: &Model) -> Result<(), Failure> {
    match is_uppaal(path) {
        true => uppaal::possible(model).map_err(|why| unwritten(path, &why)),
        false => Ok(()),
    }
}

/// Writes a trace of a model. What was found is written even if a limit has ended the search.
pub fn write(path: &Path, model: &Model, trace: &Trace, console: &Console) -> Result<(), Failure> {
    if is_script(path, model) {
        let text = script_text(model, trace).map_err(|why| {
            Failure::Input(format!("no trace can be written to `{}`: {why}", path.display()))
        })?;
        return file::create(path, |out| out.write_all(text.as_bytes()))
            .map_err(|error| load::failure(&error.into(), console.colour));
    }
    let written = match is_uppaal(path) {
        true => {
            let text = uppaal::render(model, trace, &Stop::new()).map_err(|why| unwritten(path, &why))?;
            if matches!(trace.ends, Ends::Fault(_)) {
                console.note("the step that goes wrong has no place in traces of UPPAAL and is left out");
            }
            file::create(path, |out| out.write_all(text.as_bytes()))
        }
        false => trace::write(path, trace),
    };
    written.map_err(|error| load::failure(&error.into(), console.colour))
}

fn unwritten(path: &Path, why: &uppaal::UppaalError) -> Failure {
    Failure::Input(format!("no trace can be written to `{}`: {why}", path.display()))
}

/// Reads a trace of a model.
pub fn read(path: &Path, model: &Model, stop: &Stop, console: &Console) -> Result<Trace, Failure> {
    let text = file::read(path).map_err(|error| load::failure(&error.into(), console.colour))?;
    let name = path.display().to_string();
    match uppaal::recognises(&text) {
        true => of_uppaal(&name, &text, model, None, stop),
        false => parsed(&name, &text, console),
    }
}

/// Reads a trace of UPPAAL's, with times that decide a question if it is asked about one.
pub fn of_uppaal(
    file: &str,
    text: &str,
    model: &Model,
    asked: Option<&Question>,
    stop: &Stop,
) -> Result<Trace, Failure> {
    let misfit = |why| Failure::Input(format!("`{file}` does not fit `{}`: {why}", model.name()));
    match asked {
        Some(asked) => uppaal::parse_for(model, asked, text, stop),
        None => uppaal::parse(model, text, stop),
    }
    .map_err(misfit)
}

/// Reads one of Thetis' own.
fn parsed(file: &str, text: &str, console: &Console) -> Result<Trace, Failure> {
    trace::parse(file, text).map_err(|error| load::failure(&error.into(), console.colour))
}

/// Reads a trace without its model.
fn own(path: &Path, console: &Console) -> Result<Trace, Failure> {
    let text = file::read(path).map_err(|error| load::failure(&error.into(), console.colour))?;
    let path = path.display().to_string();
    if uppaal::recognises(&text) {
        return Err(Failure::Input(format!(
            "`{path}` is a trace of UPPAAL, which is read together with its model; \
             `thetis trace replay MODEL {path}` shows it, and with `--json` writes it as one of Thetis"
        )));
    }
    parsed(&path, &text, console)
}

/// What a trace is a run of, and what it decides.
fn about(trace: &Trace) -> String {
    match &trace.property {
        Some(property) => {
            let time = property.within.map(|most| format!(", looking only at {}", first_units(most)));
            let time = time.unwrap_or_default();
            format!("a run of {} about `{}`{time}", trace.model, lang::one_line(&property.text))
        }
        None => format!("a run of {}", trace.model),
    }
}

fn replay(
    path: &Path,
    file: &Path,
    reading: &lang::Reading,
    json: bool,
    limits: Limits,
    console: &Console,
) -> Result<(), Failure> {
    let stop = Arc::new(Stop::new());
    let _watch = crate::limits::give_up(limits, &stop, console)?;
    let mut model = load::load(path, reading, console)?;
    let trace = read(file, &model, &stop, console)?;
    let misfit = |why: &dyn std::fmt::Display| {
        Failure::Input(format!("`{}` does not fit `{}`: {why}", file.display(), path.display()))
    };
    let question = match &trace.property {
        Some(asked) => {
            let source = Source::new(format!("property for {}", file.display()), asked.text.as_str());
            let question = model.ask_named(&asked.name, &source);
            Some(question.map_err(|error| load::misread(&error, console.colour))?)
        }
        None => None,
    };
    let scope = trace.property.as_ref().map_or(Scope::default(), PropertyRef::scope);
    let mut simulator =
        Simulator::new(&model, question.as_ref(), scope, stop.clone()).map_err(|why| misfit(&why))?;
    if !json {
        console.line(about(&trace));
    }
    let show = |simulator: &Simulator<'_>| {
        if !json {
            console.print(simulator.last_step())
        }
    };
    let followed = simulator.follow(&trace, show);
    if stop.requested() {
        return Err(Failure::Unknown(words::reason(&stop.reason(), &limits)));
    }
    let same_places = followed.map_err(|why| misfit(&why))?;
    if let (Ends::Target, Some(asked), None) = (&trace.ends, &trace.property, simulator.decided()) {
        let text = lang::one_line(&asked.text);
        let why = if asked.is_about_runs() { Mismatch::OtherRun(text) } else { Mismatch::Undecided(text) };
        return Err(misfit(&why));
    }
    if !same_places {
        console.note(simulate::moved(&file.display()));
    }
    if json {
        console.json(&simulator.trace());
    } else {
        console.print(table::remark(trace.repetition()));
        if trace.property.as_ref().is_some_and(PropertyRef::is_about_runs) {
            console.print(table::remark(trace.ending()));
        }
        console.line(format!("replayed: {} that fit the model", simulate::steps(trace.steps.len())));
    }
    Ok(())
}

fn pretty(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).expect("plain data") + "\n"
}
