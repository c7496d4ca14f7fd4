//! Task definitions of the software verification competition: a small part of YAML.
//!
//! ```text
//! format_version: '2.0'
//! input_files: 'loop.c'
//! properties:
//!   - property_file: ../properties/unreach-call.prp
//!     expected_verdict: true
//! options:
//!   language: C
//!   data_model: ILP32
//! ```
//!
//! What is read are lines `key: value`, and lists whose items begin with a dash; how far a line is indented says what it
//! belongs to.

/// A task definition.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Definition {
    /// The files of the program.
    pub inputs: Vec<String>,
    /// What is asked.
    pub properties: Vec<Property>,
    /// How wide numbers are, if it is said.
    pub data_model: Option<String>,
}

/// A property of a task.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Property {
    /// The file that says what it is.
    pub file: String,
    /// Whether it holds, if that is known.
    pub holds: Option<bool>,
}

/// A line that says something: how far it is indented, whether it begins an item, its key, and its value.
struct Line<'a> {
    indent: usize,
    item: bool,
    key: &'a str,
    value: &'a str,
}

/// Reads a task definition.
///
/// # Errors
/// If a line is no part of one, with its number.
pub fn read(text: &str) -> Result<Definition, (usize, String)> {
    let mut definition = Definition::default();
    let mut section = "";
    for (number, line) in text.lines().enumerate() {
        let Some(line) = parse(line) else { continue };
        if line.indent == 0 && !line.item {
            section = line.key;
        }
        let nested = line.indent > 0 || line.item;
        match section {
            "input_files" if !line.value.is_empty() => definition.inputs.push(line.value.to_owned()),
            "properties" if line.item && nested => {
                definition.properties.push(Property::default());
                property(&mut definition, &line, number)?;
            }
            "properties" if nested => property(&mut definition, &line, number)?,
            "options" if line.key == "data_model" => definition.data_model = Some(line.value.to_owned()),
            _ => {}
        }
    }
    match definition.inputs.is_empty() {
        true => Err((1, "a task has `input_files`".to_owned())),
        false => Ok(definition),
    }
}

fn property(definition: &mut Definition, line: &Line<'_>, number: usize) -> Result<(), (usize, String)> {
    let wrong = |why: String| (number + 1, why);
    let last =
        definition.properties.last_mut().ok_or_else(|| wrong("a property begins with `-`".to_owned()))?;
    match line.key {
        "property_file" => last.file = line.value.to_owned(),
        "expected_verdict" => {
            let verdict = line.value.parse::<bool>();
            last.holds =
                Some(verdict.map_err(|_| wrong(format!("`{}` is neither true nor false", line.value)))?);
        }
        _ => {}
    }
    Ok(())
}

fn parse(line: &str) -> Option<Line<'_>> {
    let line = line.split(" #").next().unwrap_or_default().trim_end();
    let text = line.trim_start();
    if text.is_empty() || text.starts_with('#') {
        return None;
    }
    let indent = line.len() - text.len();
    let (item, text) = text.strip_prefix("- ").map_or((false, text), |rest| (true, rest.trim_start()));
    let (key, value) = match text.split_once(':') {
        Some((key, value)) if value.is_empty() || value.starts_with(' ') => (key, value),
        _ => ("", text),
    };
    Some(Line { indent, item, key: key.trim(), value: value.trim().trim_matches(['\'', '"']) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_read() {
        let text = "format_version: '2.0'\n\n# a comment\ninput_files: 'a.c'\nproperties:\n  - property_file: p/u.prp\n    \
                    expected_verdict: false\n    subproperty: x\n  - property_file: p/t.prp\noptions:\n  language: C\n  \
                    data_model: ILP32\n";
        let read = read(text).expect("a definition");
        assert_eq!(read.inputs, ["a.c"]);
        assert_eq!(read.data_model.as_deref(), Some("ILP32"));
        let files: Vec<_> = read.properties.iter().map(|it| (it.file.as_str(), it.holds)).collect();
        assert_eq!(files, [("p/u.prp", Some(false)), ("p/t.prp", None)]);
    }

    #[test]
    fn lists_of_inputs_are_read() {
        let text = "input_files:\n  - 'a.i'\n  - \"b.i\"\nproperties:\n- property_file: u.prp\n  expected_verdict: true\n";
        let read = read(text).expect("a definition");
        assert_eq!(read.inputs, ["a.i", "b.i"]);
        assert_eq!(read.properties, [Property { file: "u.prp".to_owned(), holds: Some(true) }]);
    }

    #[test]
    fn what_is_wrong_has_a_line() {
        assert_eq!(read("properties:\n").unwrap_err().0, 1);
        let text = "input_files: a.c\nproperties:\n  - expected_verdict: perhaps\n";
        assert_eq!(read(text), Err((3, "`perhaps` is neither true nor false".to_owned())));
    }
}
