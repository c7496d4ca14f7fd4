//! Task definitions of the software-verification competition (`.yml`, formats 1.0 and 2.0): a program, its data model, and
//! its properties with the verdicts that are expected.
//!
//! Only as much of YAML is read as these files use: mappings and lists by indentation, plain and quoted scalars, comments.

use std::str::FromStr;

use ir::{FileId, Span, System};

use super::DataModel;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::question::{Asked, Misread, Recorded};
use crate::{Files, Model, Reading};

/// What a task definition says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Task {
    pub inputs: Vec<(String, Span)>,
    pub properties: Vec<TaskProperty>,
    pub data_model: Option<DataModel>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct TaskProperty {
    pub file: String,
    pub span: Span,
    /// The verdict, if one is written.
    pub expected: Option<bool>,
}

/// Whether a text is a task definition.
pub(super) fn is_task(text: &str) -> bool {
    let has = |key: &str| text.lines().any(|line| line.starts_with(key));
    has("format_version:") && has("input_files:")
}

/// Reads a task definition.
pub(super) fn read(text: &str) -> Result<Task, Vec<Diagnostic>> {
    let mut task = Task::default();
    let (mut section, mut offset) = (String::new(), 0);
    for line in text.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let content = uncommented(line).trim_end();
        let body = content.trim_start();
        if body.is_empty() || body == "---" {
            continue;
        }
        let indented = content.len() > body.len() || body.starts_with("- ");
        let (is_item, body) = match body.strip_prefix("- ") {
            Some(rest) => (true, rest.trim_start()),
            None => (false, body),
        };
        let at = start + line.find(body).unwrap_or(0);
        let (key, value) = match body.split_once(':') {
            Some((key, value)) => (key.trim(), value.trim()),
            None => ("", body),
        };
        if !indented {
            key.clone_into(&mut section);
        }
        let span = Span::new(at, at + body.len());
        match (&*section, key) {
            ("input_files", "input_files") if !value.is_empty() => {
                let list = value.trim_start_matches('[').trim_end_matches(']');
                task.inputs.extend(list.split(',').map(|name| (scalar(name), span)));
            }
            ("input_files", "") => task.inputs.push((scalar(value), span)),
            ("properties", "property_file") => {
                task.properties.push(TaskProperty { file: scalar(value), span, expected: None });
            }
            ("properties", "expected_verdict") => {
                let expected = match scalar(value).as_str() {
                    "true" => Some(true),
                    "false" => Some(false),
                    _ => None,
                };
                if let Some(last) = task.properties.last_mut() {
                    last.expected = expected;
                }
            }
            ("properties", _) if is_item => {}
            ("options", "data_model") => match DataModel::from_str(&scalar(value)) {
                Ok(model) => task.data_model = Some(model),
                Err(why) => return Err(vec![Diagnostic::error(Code::Syntax, span, why)]),
            },
            _ => {}
        }
    }
    match &task.inputs[..] {
        [_] => Ok(task),
        [] => Err(vec![Diagnostic::error(Code::MissingPart, Span::default(), "the task names no program")]),
        [_, (_, second), ..] => {
            let message = "a task with several files is not supported";
            Err(vec![Diagnostic::error(Code::UnsupportedPart, *second, message)])
        }
    }
}

fn uncommented(line: &str) -> &str {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, '#') if line[..at].is_empty() || line[..at].ends_with(char::is_whitespace) => {
                return &line[..at];
            }
            _ => {}
        }
    }
    line
}

fn scalar(text: &str) -> String {
    text.trim().trim_matches(['\'', '"']).to_owned()
}

/// Reads the program of a task, with its properties as questions.
pub(super) fn load(text: &str, files: &mut dyn Files, reading: &Reading) -> Result<Model, Vec<Diagnostic>> {
    let task = read(text)?;
    let mut import = |name: &str, span: Span| {
        files.import(FileId::default(), name).map_err(|why| {
            vec![Diagnostic::error(Code::MissingFile, span, format!("`{name}` cannot be had: {why}"))]
        })
    };
    let (name, span) = &task.inputs[0];
    let (file, program) = import(name, *span)?;
    let reading = Reading { data_model: task.data_model.unwrap_or(reading.data_model), ..reading.clone() };
    let mut model = super::load(&program, &reading).map_err(|mut errors| {
        for error in &mut errors {
            error.span = error.span.in_file(file);
            for note in &mut error.notes {
                note.span = note.span.map(|span| span.in_file(file));
            }
        }
        errors
    })?;
    relocate(&mut model.system, file);
    model.questions.clear();
    let mut left_out = vec![];
    for TaskProperty { file, span, expected } in &task.properties {
        if expected.is_none() {
            left_out.push(file.clone());
            continue;
        }
        let (_, property) = import(file, *span)?;
        let asked = model.question_file(&property).unwrap_or_else(|| Ok(vec![]));
        let asked = asked.map_err(|errors| whole(errors, *span))?;
        model.questions.extend(asked.into_iter().map(|asked| recorded(asked, *expected, *span)));
    }
    if !left_out.is_empty() {
        let message = format!("properties without a verdict are left out: {}", left_out.join(", "));
        model.warnings.push(Diagnostic::warning(Code::IgnoredPart, Span::default(), message));
    }
    Ok(model)
}

/// A question with the verdict that is expected of it; what is wrong with it is said of the line that names its file.
fn recorded(asked: Asked, expected: Option<bool>, span: Span) -> Asked {
    match asked {
        Ok(mut question) => {
            question.recorded = Some(Recorded { holds: expected, outcome: None, value: None, when: None });
            for warning in &mut question.warnings {
                warning.span = span;
            }
            Ok(question)
        }
        Err(Misread { name, text, diagnostics }) => {
            Err(Misread { name, text, diagnostics: whole(diagnostics, span) })
        }
    }
}

fn whole(mut errors: Vec<Diagnostic>, span: Span) -> Vec<Diagnostic> {
    for error in &mut errors {
        error.span = span;
        error.notes.clear();
    }
    errors
}

/// Says which file the places of a system are in.
fn relocate(system: &mut System, file: FileId) {
    for variable in system.vars.iter_mut() {
        variable.span = variable.span.in_file(file);
    }
    for fault in system.faults.iter_mut() {
        fault.span = fault.span.in_file(file);
    }
    for process in system.processes.iter_mut() {
        for edge in process.edges.iter_mut() {
            edge.span = edge.span.in_file(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_are_read() {
        let text = "format_version: '2.0'\n\n# old name: x.c\ninput_files: 'a.c'\n\nproperties:\n  - property_file: \
                    ../p/unreach-call.prp\n    expected_verdict: true\n  - property_file: ../p/no-overflow.prp\n    \
                    expected_verdict: false\n  - property_file: ../p/coverage.prp\n\noptions:\n  language: C\n  \
                    data_model: LP64\n";
        assert!(is_task(text));
        let task = read(text).unwrap();
        assert_eq!(task.inputs[0].0, "a.c");
        let verdicts: Vec<Option<bool>> = task.properties.iter().map(|property| property.expected).collect();
        assert_eq!(verdicts, [Some(true), Some(false), None]);
        assert_eq!(task.properties[1].file, "../p/no-overflow.prp");
        assert_eq!(task.data_model, Some(DataModel::Lp64));
        let old = "format_version: '1.0'\ninput_files:\n  - 'b.i'\nproperties:\n  - property_file: u.prp\n    \
                   expected_verdict: false\n";
        let task = read(old).unwrap();
        assert_eq!((task.inputs[0].0.as_str(), task.data_model), ("b.i", None));
        assert_eq!(task.properties[0].expected, Some(false));
    }
}
