//! `thetis validate`: is a trace or a certificate right? No engine is asked.

use std::path::Path;
use std::sync::Arc;

use certify::{Reached, Rejection};
use engine::Stop;
use serde_json::json;

use crate::certificate;
use crate::check::observe;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::limits::{self, Limits};
use crate::load::{self, Loaded};
use crate::render;
use crate::source::Source;
use crate::trace::lift::Lower;
use crate::trace::{self, CheckStates, Ends, PropertyRef};

/// Runs the command; without `property`, the one the file names is checked.
pub fn run(
    mut loaded: Loaded,
    path: &Path,
    property: Option<&str>,
    as_json: bool,
    console: &Console,
) -> Result<Exit, Failure> {
    let stop = Arc::new(Stop::new());
    let say = *console;
    let _watch = limits::watch(Limits::default(), stop.clone(), move |reason| {
        say.line(Failure::Unknown(reason.to_string()));
        std::process::exit(i32::from(Exit::Unknown.code()));
    })?;
    let text = load::text(path)?;
    let checked = match trace::header(path, &text)?.format.as_str() {
        trace::FORMAT => validate_trace(&mut loaded, path, &text, property, &stop, console)?,
        certificate::FORMAT => validate_certificate(&mut loaded, path, text, property, &stop, console)?,
        other => {
            return Err(Failure::Input(format!(
                "`{}` is a `{other}` file; a trace or a certificate is needed",
                path.display()
            )));
        }
    };
    if as_json {
        let said = json!({
            "format": "thetis-validation", "version": 1, "valid": true,
            "model": loaded.source.name, "file": path.display().to_string(), "checked": checked,
        });
        console.json(&said);
    } else {
        console.line(format!("valid: {checked}"));
    }
    Ok(Exit::Holds)
}

fn validate_trace(
    loaded: &mut Loaded,
    path: &Path,
    text: &str,
    property: Option<&str>,
    stop: &Stop,
    console: &Console,
) -> Result<String, Failure> {
    let trace = trace::parse(path, text)?;
    let run = Lower::new(&loaded.model.system, &trace.signature).and_then(|reader| reader.run(&trace));
    let run = run.map_err(|why| invalid(path, loaded, &why))?;
    let question = match (property, &trace.property) {
        (Some(text), recorded) => {
            let check_states = recorded.as_ref().map_or(CheckStates::All, |recorded| recorded.check_states);
            Some(PropertyRef { name: "-p".to_owned(), text: text.to_owned(), check_states })
        }
        (None, recorded) => recorded.clone(),
    };
    let (target, meaning) = match question {
        None => (loaded.model.system.terms.bool(true), "a run of the model".to_owned()),
        Some(question) => {
            let (target, claim) = target(loaded, path, &question, console)?;
            (target, format!("a run of the model to a state where `{}` fails{}", question.text, claim))
        }
    };
    let reached = certify::check_run(&loaded.model.system, target, &run, stop.flag());
    let steps = run.steps.len();
    match reached.map_err(|why| rejected(path, loaded, why))? {
        Reached::Target if matches!(trace.ends, Ends::Fault(_)) => {
            Err(invalid(path, loaded, "it claims to end in a fault, and does not"))
        }
        Reached::Fault(_) if !matches!(trace.ends, Ends::Fault(_)) => {
            Err(invalid(path, loaded, "it ends in a fault, and does not say so"))
        }
        Reached::Target => Ok(format!("{meaning}, {steps} steps, every step re-executed")),
        Reached::Fault(fault) => {
            let fault = &loaded.model.system.faults[fault];
            let (line, column) = loaded.source.start(fault.span);
            Ok(format!(
                "a run of the model to a fault, {} at {}:{line}:{column}, {steps} steps, every step re-executed",
                fault.kind, loaded.source.name
            ))
        }
    }
}

fn validate_certificate(
    loaded: &mut Loaded,
    path: &Path,
    text: String,
    property: Option<&str>,
    stop: &Stop,
    console: &Console,
) -> Result<String, Failure> {
    let file = certificate::parse(path, &text)?;
    drop(text);
    let mut question = file.preamble.property.clone();
    if let Some(text) = property {
        text.clone_into(&mut question.text);
    }
    let (target, states) = target(loaded, path, &question, console)?;
    let count = file.states.len();
    let certificate =
        certificate::lower(&loaded.model.system, file).map_err(|why| invalid(path, loaded, &why))?;
    certify::check_certificate(&loaded.model.system, target, &certificate, stop.flag())
        .map_err(|why| rejected(path, loaded, why))?;
    Ok(format!(
        "a closed set of {count} states with every initial state and every successor in it, without faults, and \
         `{}` holds in all of them{states}",
        question.text
    ))
}

/// What the evidence is about: the states where the property fails, and a remark on which states.
fn target(
    loaded: &mut Loaded,
    path: &Path,
    question: &PropertyRef,
    console: &Console,
) -> Result<(ir::Term, &'static str), Failure> {
    let property = loaded.model.parse_property(&question.name, &question.text).map_err(|diagnostics| {
        let source = Source::new(format!("property for {}", path.display()), question.text.as_str());
        render::failure(&source, &diagnostics, console.colour)
    })?;
    observe(&mut loaded.model.system, question.check_states);
    let remark = match question.check_states {
        CheckStates::All => "",
        CheckStates::Stable => " (looking only after init and after trans)",
    };
    Ok((loaded.model.system.target(property.claim), remark))
}

fn rejected(path: &Path, loaded: &Loaded, why: Rejection) -> Failure {
    match why {
        Rejection::Wrong(why) => invalid(path, loaded, &why),
        Rejection::Interrupted => Failure::Unknown("interrupted".to_owned()),
    }
}

fn invalid(path: &Path, loaded: &Loaded, why: &str) -> Failure {
    Failure::Input(format!("`{}` is not valid for `{}`: {why}", path.display(), loaded.source.name))
}
