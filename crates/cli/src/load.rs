//! From file names to models: everything that can be wrong with a file before its language matters.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;

use lang::xsts::Model;

use crate::console::Console;
use crate::exit::Failure;
use crate::render;
use crate::source::Source;

/// A model with the text it came from.
pub struct Loaded {
    /// The text, for places.
    pub source: Source,
    /// What it means.
    pub model: Model,
}

/// The formats that are read, by extension.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Format {
    /// XSTS and timed XSTS.
    Xsts,
}

/// All extensions with what they stand for.
pub const FORMATS: &[(&str, Format, &str)] = &[("xsts", Format::Xsts, "XSTS and timed XSTS")];

/// Reads a model; warnings go to the console.
pub fn load(path: &Path, console: &Console) -> Result<Loaded, Failure> {
    let source = source(path)?;
    load_source(source, console)
}

/// Reads a model from a text at hand.
pub fn load_source(source: Source, console: &Console) -> Result<Loaded, Failure> {
    let model = lang::xsts::load(&source.text)
        .map_err(|diagnostics| render::failure(&source, &diagnostics, console.colour))?;
    if !model.warnings.is_empty() {
        console.note(render::diagnostics(&source, &model.warnings, console.colour).trim_end());
    }
    Ok(Loaded { source, model })
}

/// Reads the text of a model, whose extension must be a known one.
pub fn source(path: &Path) -> Result<Source, Failure> {
    format(path)?;
    let text = text(path)?;
    if text.trim().is_empty() {
        return Err(Failure::Input(format!(
            "`{}` is empty; a model needs at least a `trans` section, for example `trans {{ }}`",
            path.display()
        )));
    }
    Ok(Source::new(path.display().to_string(), text))
}

/// The format that the extension of a file stands for.
pub fn format(path: &Path) -> Result<Format, Failure> {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or("");
    let known = FORMATS.iter().find(|(known, ..)| known.eq_ignore_ascii_case(extension));
    if let Some((_, format, _)) = known {
        return Ok(*format);
    }
    // A directory or a missing file is the more useful thing to say.
    readable(path)?;
    let list: Vec<String> = FORMATS.iter().map(|(known, _, what)| format!("`.{known}` ({what})")).collect();
    let problem = match extension {
        "" => "has no extension".to_owned(),
        extension => format!("has the unknown extension `.{extension}`"),
    };
    Err(Failure::Input(format!(
        "`{}` {problem}, so its language is not known; Thetis reads {}",
        path.display(),
        list.join(", ")
    )))
}

/// Reads a text file.
pub fn text(path: &Path) -> Result<String, Failure> {
    readable(path)?;
    let bytes = fs::read(path).map_err(|error| cannot_read(path, &error))?;
    decode(path, bytes)
}

fn readable(path: &Path) -> Result<(), Failure> {
    let metadata = fs::metadata(path).map_err(|error| cannot_read(path, &error))?;
    if metadata.is_dir() {
        let message = format!("`{}` is a directory; name a file in it", path.display());
        return Err(Failure::Input(message));
    }
    if metadata.len() >= u64::from(u32::MAX) {
        let message = format!("`{}` is larger than 4 GB, which is more than Thetis reads", path.display());
        return Err(Failure::Input(message));
    }
    Ok(())
}

fn cannot_read(path: &Path, error: &io::Error) -> Failure {
    let path = path.display();
    Failure::Input(match error.kind() {
        io::ErrorKind::NotFound => format!("there is no file `{path}`; check the spelling and the directory"),
        io::ErrorKind::PermissionDenied => format!("`{path}` may not be read by you; check its permissions"),
        _ => format!("`{path}` cannot be read: {error}"),
    })
}

fn decode(path: &Path, mut bytes: Vec<u8>) -> Result<String, Failure> {
    let path = path.display();
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        bytes.drain(..3);
    }
    let binary = bytes.iter().take(64 * 1024).any(|byte| *byte == 0);
    if binary {
        return Err(Failure::Input(format!("`{path}` is a binary file, not a text; is it the right file?")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        Failure::Input(format!(
            "`{path}` is not UTF-8 text: byte {at}, on line {line}, does not belong there; save the file as UTF-8"
        ))
    })
}
