//! Version 1 of traces, and versions 1 and 2 of certificates, read as the newest.
//!
//! They said less: types were the text that a user would write, and what is shown went by names. This is the one
//! place that still reads these; a file is changed as JSON, before its shape is looked at.

use ir::FaultKind;
use serde_json::{Map, Value, json};

/// A file of an old version as one of the newest, as far as that is clear.
pub(crate) fn upgrade(mut file: Value) -> Value {
    let Some(fields) = file.as_object_mut() else { return file };
    if fields.get("format").and_then(Value::as_str) == Some(super::FORMAT) {
        fields.insert("version".into(), json!(super::VERSION));
        fields.insert("loop".into(), Value::Null);
        ends(fields);
        decisions(fields.get_mut("initial"));
    }
    property(fields.get_mut("property"));
    signature(fields);
    let processes = fields.get("processes").cloned().unwrap_or_default();
    for step in fields.get_mut("steps").and_then(Value::as_array_mut).into_iter().flatten() {
        for edge in step.get_mut("edges").and_then(Value::as_array_mut).into_iter().flatten() {
            title(edge, &processes);
        }
        decisions(Some(step));
    }
    file
}

/// The claim, told by how its text begins.
fn property(property: Option<&mut Value>) {
    let Some(fields) = property.and_then(Value::as_object_mut) else { return };
    let text = lang::one_line(fields.get("text").and_then(Value::as_str).unwrap_or_default());
    let (expression, possibly) = claim(&text);
    let about = match text.starts_with('<') {
        true => json!("formula"),
        false => json!({ "expression": expression }),
    };
    fields.insert("claim".into(), json!(if possibly { "possibly" } else { "always" }));
    fields.insert("about".into(), about);
}

/// What a text on one line is about, and whether it claims that to be possible.
fn claim(text: &str) -> (&str, bool) {
    let query = [("A", "[]", false), ("E", "<>", true)].into_iter().find_map(|(letter, mark, possibly)| {
        let rest = text.strip_prefix(letter)?.trim_start().strip_prefix(mark)?;
        Some((rest.trim_start(), possibly))
    });
    let in_letters = || {
        [("AG", false), ("EF", true)].into_iter().find_map(|(letters, possibly)| {
            let rest = text.strip_prefix(letters)?.trim_start();
            // A variable may have such a name.
            rest.starts_with('(').then_some((rest, possibly))
        })
    };
    query.or_else(in_letters).unwrap_or((text, false))
}

fn ends(fields: &mut Map<String, Value>) {
    let Some(ends) = fields.get_mut("ends") else { return };
    let kind = match ends.get("fault") {
        Some(_) => ends.pointer_mut("/fault/kind"),
        None => ends.get_mut("undefined"),
    };
    let kinds = [
        (FaultKind::DivisionByZero, "division-by-zero"),
        (FaultKind::OutOfRange, "out-of-range"),
        (FaultKind::IndexOutOfRange, "index-out-of-range"),
    ];
    if let Some(kind) = kind
        && let Some((_, code)) = kinds.iter().find(|(known, _)| kind.as_str() == Some(&known.to_string()))
    {
        *kind = json!(code);
    }
}

fn signature(fields: &mut Map<String, Value>) {
    let processes = fields.get("processes").and_then(Value::as_array).cloned().unwrap_or_default();
    let is_xsts = processes.iter().any(|process| name(process) == "xsts");
    fields.insert("time".into(), json!(if is_xsts { "in-step" } else { "after-step" }));
    for process in fields.get_mut("processes").and_then(Value::as_array_mut).into_iter().flatten() {
        let locations: Vec<String> = process.get("locations").map(names).unwrap_or_default();
        let is_net = processes.len() == 1 && locations == ["net"];
        let sections: Option<Vec<Value>> = match (is_xsts, is_net) {
            (true, _) => Some(locations.iter().map(|name| section(name)).collect()),
            (_, true) => Some(vec![json!("whole")]),
            _ => None,
        };
        let Some(process) = process.as_object_mut() else { continue };
        process.insert("located".into(), json!(!is_xsts && !is_net));
        process.extend(sections.map(|sections| ("sections".into(), Value::Array(sections))));
    }
    for variable in fields.get_mut("variables").and_then(Value::as_array_mut).into_iter().flatten() {
        retype(variable);
    }
}

/// Which section runs next at a location of an XSTS.
fn section(location: &str) -> Value {
    match location {
        "init" | "env" | "trans" => json!(location),
        _ => Value::Null,
    }
}

fn title(edge: &mut Value, processes: &Value) {
    let process = edge.get("process").and_then(Value::as_str).unwrap_or_default();
    let label = edge.get("label").and_then(Value::as_str).unwrap_or_default();
    let alone = processes.as_array().is_some_and(|list| list.iter().any(|process| name(process) == "xsts"));
    let title = if alone { label.to_owned() } else { format!("{process} {label}") };
    if let Some(edge) = edge.as_object_mut() {
        edge.insert("title".into(), json!(title));
    }
}

fn decisions(of: Option<&mut Value>) {
    let list = of.and_then(|of| of.get_mut("decisions")).and_then(Value::as_array_mut);
    list.into_iter().flatten().for_each(retype);
}

/// Reads the type that something has, if it has one.
fn retype(of: &mut Value) {
    let Some(ty) = of.get_mut("type") else { return };
    if let Some(text) = ty.as_str() {
        *ty = parse(text);
    }
}

/// How deep types may be nested; what is deeper is no type of a model that was written by a person.
const MAX_DEPTH: usize = 16;

/// A type as it was written: `[0..3] -> [Color] -> integer`. What cannot be read is an enumeration of that name,
/// which no model has.
fn parse(text: &str) -> Value {
    parse_below(text, MAX_DEPTH)
}

fn parse_below(text: &str, depth: usize) -> Value {
    if let "boolean" | "integer" | "rational" | "clock" = text {
        return json!(text);
    }
    let parts = depth.checked_sub(1).and_then(|below| Some((below, array(text)?)));
    let Some((below, (position, element))) = parts else { return json!({ "enum": text }) };
    let element = parse_below(element, below);
    let range = position
        .split_once("..")
        .and_then(|(first, last)| Some((first.parse::<i64>().ok()?, last.parse::<i64>().ok()?)));
    match range {
        Some(range) => json!({ "array": { "index": "integer", "range": range, "element": element } }),
        None => json!({ "array": { "index": parse_below(position, below), "element": element } }),
    }
}

/// The types of the positions and of the elements of an array type.
fn array(ty: &str) -> Option<(&str, &str)> {
    let mut open = 0_usize;
    let end = ty.char_indices().find(|(_, c)| {
        match c {
            '[' => open += 1,
            ']' => open = open.saturating_sub(1),
            _ => {}
        }
        open == 0
    });
    let (position, element) = ty.split_at(end?.0);
    Some((position.strip_prefix('[')?, element.strip_prefix("] -> ")?))
}

fn name(of: &Value) -> &str {
    of.get("name").and_then(Value::as_str).unwrap_or_default()
}

fn names(list: &Value) -> Vec<String> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_told_by_how_they_begin() {
        assert_eq!(claim("x > 0"), ("x > 0", false));
        assert_eq!(claim("A[] P.a"), ("P.a", false));
        assert_eq!(claim("E <> P.a"), ("P.a", true));
        assert_eq!(claim("AG (p <= 1)"), ("(p <= 1)", false));
        assert_eq!(claim("EF(p > 1)"), ("(p > 1)", true));
        // A variable may have such a name.
        assert_eq!(claim("EF > 1"), ("EF > 1", false));
    }

    #[test]
    fn types_are_read_as_they_were_written() {
        let nested = json!({ "array": { "index": { "enum": "Color" }, "element": "integer" } });
        assert_eq!(parse("[Color] -> integer"), nested);
        let listed = json!({ "array": { "index": "integer", "range": [0, 3], "element": nested } });
        assert_eq!(parse("[0..3] -> [Color] -> integer"), listed);
    }

    #[test]
    fn types_of_any_depth_are_survived() {
        let deep = "[0..3] -> ".repeat(100_000) + "integer";
        let parsed = parse(&deep);
        let mut read = &parsed;
        let mut levels = 0;
        while let Some(element) = read.pointer("/array/element") {
            (read, levels) = (element, levels + 1);
        }
        assert_eq!(levels, MAX_DEPTH);
        let rest = read.get("enum").and_then(Value::as_str).unwrap();
        assert_eq!(rest.len(), deep.len() - MAX_DEPTH * "[0..3] -> ".len());
        // Positions are types as well.
        let positions = "[".repeat(100_000) + "integer" + &"] -> integer".repeat(100_000);
        assert!(parse(&positions).get("array").is_some());
    }
}
