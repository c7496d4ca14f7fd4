//! From file names to models: everything that can be wrong with a file before its language matters.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use ir::eval::{Env, eval};
use ir::{FaultId, Id, LocationId, ProcessId, Property, State, System, Value, VarId};
use lang::diagnostic::Diagnostic;
use lang::{pnml, xsts, xta};

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

/// A model in one of the languages.
pub struct Model {
    /// What it does.
    pub system: System,
    /// What its `prop` section claims, if it has one.
    pub property: Option<Property>,
    /// The queries that are part of it.
    pub queries: Vec<xta::Query>,
    language: Language,
}

/// What is left to know of a model once its system is elsewhere.
enum Language {
    Xsts(Box<xsts::Model>),
    Xta(Box<xta::Model>),
    Pnml(Box<pnml::Model>),
}

impl Model {
    /// Reads a property given from outside, in the language of the model.
    ///
    /// # Errors
    /// Everything that is wrong with it; places point into `text`.
    pub fn parse_property(&mut self, name: &str, text: &str) -> Result<Property, Vec<Diagnostic>> {
        match &mut self.language {
            Language::Xsts(model) => {
                std::mem::swap(&mut self.system, &mut model.system);
                let result = model.parse_property(name, text);
                std::mem::swap(&mut self.system, &mut model.system);
                result
            }
            Language::Xta(model) => {
                std::mem::swap(&mut self.system, &mut model.system);
                let result = model.parse_query(name, text);
                std::mem::swap(&mut self.system, &mut model.system);
                result
            }
            Language::Pnml(model) => {
                std::mem::swap(&mut self.system, &mut model.system);
                let result = model.parse_property(name, text);
                std::mem::swap(&mut self.system, &mut model.system);
                result
            }
        }
    }
    /// Reads a file of queries, if the language of the model has such files.
    pub fn parse_query_file(&mut self, text: &str) -> Option<Vec<xta::Query>> {
        let Language::Xta(model) = &mut self.language else { return None };
        std::mem::swap(&mut self.system, &mut model.system);
        let queries = model.parse_query_file(text);
        std::mem::swap(&mut self.system, &mut model.system);
        Some(queries)
    }
    /// Which value leaves which range in a state at a fault, if it is a matter of that and known.
    pub fn limit(&self, fault: FaultId, state: &State) -> Option<String> {
        let Language::Xta(model) = &self.language else { return None };
        let (term, (low, high)) = model.limit(fault)?;
        let range = match high {
            i64::MAX => format!("{low} or more"),
            _ => format!("from {low} to {high}"),
        };
        // A value that depends on variables within the step is not known any more.
        let value =
            match eval(&self.system.terms, &At { system: &self.system, state }, term).map(Cow::into_owned) {
                Ok(Value::Int(value)) => value.to_i64().filter(|value| !(low..=high).contains(value)),
                _ => None,
            };
        Some(match value {
            Some(value) => format!("{value} is not {range}"),
            None => format!("it must be {range}"),
        })
    }
    /// Reads a document of the Model Checking Contest, if the model is a Petri net.
    pub fn parse_examination(&mut self, text: &str) -> Option<Result<Vec<pnml::Examination>, Diagnostic>> {
        let Language::Pnml(model) = &mut self.language else { return None };
        std::mem::swap(&mut self.system, &mut model.system);
        let questions = model.parse_examination(text);
        std::mem::swap(&mut self.system, &mut model.system);
        Some(questions)
    }
    /// The net, if the model is one; its system is elsewhere.
    pub fn net(&self) -> Option<&pnml::Model> {
        if let Language::Pnml(model) = &self.language { Some(model) } else { None }
    }
    /// Whether the model is an XSTS, whose states after `init` and after `trans` are the stable ones.
    pub fn is_xsts(&self) -> bool {
        matches!(self.language, Language::Xsts(_))
    }
}

/// A state as a source of values.
struct At<'a> {
    system: &'a System,
    state: &'a State,
}

impl Env for At<'_> {
    fn var(&self, var: VarId, _: u32) -> Option<&Value> {
        let slot = self.system.state_vars().position(|known| known == var)?;
        self.state.values[slot].as_ref()
    }
    fn at(&self, process: ProcessId, location: LocationId) -> bool {
        self.state.locations[process.index()] == location
    }
}

/// The formats that are read, by extension.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Format {
    /// XSTS and timed XSTS.
    Xsts,
    /// UPPAAL timed automata, as text.
    Xta,
    /// UPPAAL timed automata, as XML.
    Xml,
    /// Petri nets.
    Pnml,
}

/// All extensions with what they stand for.
pub const FORMATS: &[(&str, Format, &str)] = &[
    ("xsts", Format::Xsts, "XSTS and timed XSTS"),
    ("xta", Format::Xta, "UPPAAL timed automata"),
    ("xml", Format::Xml, "UPPAAL timed automata"),
    ("pnml", Format::Pnml, "Petri nets"),
];

/// Reads a model; warnings go to the console.
pub fn load(path: &Path, console: &Console) -> Result<Loaded, Failure> {
    let format = format(path)?;
    let source = source(path)?;
    load_source(source, format, console)
}

/// Reads a model from a text at hand.
pub fn load_source(source: Source, format: Format, console: &Console) -> Result<Loaded, Failure> {
    let (model, warnings) = read(&source.text, format)
        .map_err(|diagnostics| render::failure(&source, &diagnostics, console.colour))?;
    if !warnings.is_empty() {
        console.note(render::diagnostics(&source, &warnings, console.colour).trim_end());
    }
    Ok(Loaded { source, model })
}

fn read(text: &str, format: Format) -> Result<(Model, Vec<Diagnostic>), Vec<Diagnostic>> {
    let kind = match format {
        Format::Xsts => {
            let mut model = xsts::load(text)?;
            let warnings = std::mem::take(&mut model.warnings);
            let (system, property) = (std::mem::take(&mut model.system), model.property.take());
            let language = Language::Xsts(Box::new(model));
            return Ok((Model { system, property, queries: vec![], language }, warnings));
        }
        Format::Pnml => {
            let mut model = pnml::load(text)?;
            let warnings = std::mem::take(&mut model.warnings);
            let system = std::mem::take(&mut model.system);
            let language = Language::Pnml(Box::new(model));
            return Ok((Model { system, property: None, queries: vec![], language }, warnings));
        }
        Format::Xta => xta::Format::Xta,
        Format::Xml => xta::Format::Xml,
    };
    let mut model = xta::load(text, kind)?;
    let warnings = std::mem::take(&mut model.warnings);
    let (system, queries) = (std::mem::take(&mut model.system), std::mem::take(&mut model.queries));
    let language = Language::Xta(Box::new(model));
    Ok((Model { system, property: None, queries, language }, warnings))
}

/// Reads the text of a model, whose extension must be a known one.
pub fn source(path: &Path) -> Result<Source, Failure> {
    let format = format(path)?;
    let text = text(path)?;
    if text.trim().is_empty() {
        return Err(Failure::Input(format!(
            "`{}` is empty; {}",
            path.display(),
            match format {
                Format::Xsts => "a model needs at least a `trans` section, for example `trans { }`",
                Format::Xta =>
                    "a model needs a process and a system line, for example `process P() { state A; init A; } \
                     system P;`",
                Format::Pnml => "a Petri net is a `pnml` document with a `net`",
                Format::Xml => "a model needs an `nta` element with templates and a system line",
            }
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
    let mut file = fs::File::open(path).map_err(|error| cannot_read(path, &error))?;
    let mut bytes = vec![];
    // The beginning tells whether the rest is worth reading, however long it is.
    for most in [BEGINNING, LARGEST + 1] {
        let rest = most - bytes.len() as u64;
        file.by_ref().take(rest).read_to_end(&mut bytes).map_err(|error| cannot_read(path, &error))?;
        if most == BEGINNING && bytes.len() as u64 == BEGINNING {
            let cut = std::str::from_utf8(&bytes).map_or_else(|error| error.valid_up_to(), str::len);
            // A character may be cut in two at the end.
            if cut + 4 <= bytes.len() || bytes.contains(&0) {
                return decode(path, bytes);
            }
        }
    }
    if bytes.len() as u64 > LARGEST {
        return Err(too_large(path));
    }
    decode(path, bytes)
}

/// How much of a file is looked at first.
const BEGINNING: u64 = 64 * 1024;

/// The largest file that is read.
const LARGEST: u64 = 1 << 30;

fn too_large(path: &Path) -> Failure {
    Failure::Input(format!("`{}` is larger than 1 GB, which is more than Thetis reads", path.display()))
}

fn readable(path: &Path) -> Result<(), Failure> {
    let metadata = fs::metadata(path).map_err(|error| cannot_read(path, &error))?;
    if metadata.is_dir() {
        let message = format!("`{}` is a directory; name a file in it", path.display());
        return Err(Failure::Input(message));
    }
    if metadata.len() > LARGEST {
        return Err(too_large(path));
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
