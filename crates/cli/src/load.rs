//! From file names to models, with what is wrong with them said as people read it.

use std::path::Path;

use thetis::lang::Reading;
use thetis::{Error, Languages, Model};

use crate::console::Console;
use crate::exit::Failure;
use crate::render;
use crate::words::{self, Told};

/// Reads a model that is meant so; warnings go to the console.
pub fn load(path: &Path, reading: &Reading, console: &Console) -> Result<Model, Failure> {
    let languages = Languages::default().reading(reading.clone());
    let model = languages.load(path).map_err(|error| failure(&error, console.colour))?;
    if !model.lowered.warnings.is_empty() {
        let warnings = render::diagnostics(&model.sources, &model.lowered.warnings, console.colour);
        console.note(warnings.trim_end());
    }
    Ok(model)
}

/// What each of the models of a file is about; none if it is one model.
pub fn tasks(path: &Path, console: &Console) -> Result<Vec<String>, Failure> {
    let tasks = Languages::default().tasks(path).map_err(|error| failure(&error, console.colour))?;
    Ok(tasks.unwrap_or_default())
}

/// The failure of a command that was given something that cannot be used.
pub fn failure(error: &Error, colour: bool) -> Failure {
    match error {
        Error::Text(error) => render::failure(error, colour),
        other => Failure::Refused(Told::new(other.code(), other.to_string())),
    }
}

/// The failure of a command whose question cannot be read. One that only needs what Thetis lacks is unknown, alone as
/// among others and for every command.
pub fn misread(error: &Error, colour: bool) -> Failure {
    let lacking = match error {
        Error::Text(error) => error.unsupported(),
        _ => None,
    };
    match lacking {
        Some(first) => Failure::Unknown(words::lacking(first)),
        None => failure(error, colour),
    }
}
