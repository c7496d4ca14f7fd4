//! `thetis trace`: traces shown, replayed, and written in other forms.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use engine::Stop;
use thetis::simulate::Simulator;
use thetis::trace::{self, Ends, Mismatch, PropertyRef, Trace, cex, dot, itf, table};
use thetis::{Limits, Scope, Source, file, first_units};

use crate::apart::Apart;
use crate::cli::{TraceCommand, TraceFormat};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::{load, simulate, words};

/// Runs the command.
pub fn run(command: TraceCommand, console: &Console) -> Result<Exit, Failure> {
    let failed = |error: thetis::Error| load::failure(&error, console.colour);
    match command {
        TraceCommand::Show { file, full, json } => {
            let trace = trace::read(&file).map_err(failed)?;
            if json {
                console.json(&trace);
            } else {
                console.line(about(&trace));
                console.print(table::render(&trace, full));
            }
        }
        TraceCommand::Replay { model, file, json, limits } => {
            replay(&model, &file, json, limits.into(), console)?;
        }
        TraceCommand::Export { file, format, output, .. } => {
            let trace = trace::read(&file).map_err(failed)?;
            let text = match format.unwrap_or(TraceFormat::Json) {
                TraceFormat::Json => pretty(&trace),
                TraceFormat::Dot => dot::render(&trace),
                TraceFormat::Itf => pretty(&itf::render(&trace)),
                TraceFormat::XstsCex => cex::render(&trace, cex::Style::default()).map_err(|why| {
                    Failure::Input(format!("`{}` cannot be exported: {why}", file.display()))
                })?,
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

fn replay(path: &Path, file: &Path, json: bool, limits: Limits, console: &Console) -> Result<(), Failure> {
    let failed = |error: thetis::Error| load::failure(&error, console.colour);
    let stop = Arc::new(Stop::new());
    let _watch = crate::limits::give_up(limits, &stop, console)?;
    let mut model = load::load(path, console)?;
    let trace = trace::read(file).map_err(failed)?;
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
    if let (Ends::Target, Some(asked), None) = (&trace.ends, &trace.property, simulator.violation()) {
        return Err(misfit(&Mismatch::Undecided(lang::one_line(&asked.text))));
    }
    if !same_places {
        console.note(simulate::moved(&file.display()));
    }
    if json {
        console.json(&simulator.trace());
    } else {
        console.line(format!("replayed: {} that fit the model", simulate::steps(trace.steps.len())));
    }
    Ok(())
}

fn pretty(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).expect("plain data") + "\n"
}
