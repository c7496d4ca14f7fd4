//! Traces in the Informal Trace Format, which other tools draw and replay.

use serde_json::{Map, Value, json};

use super::{Datum, EdgeRecord, Trace};

/// The trace as an ITF document; the locations of the processes are in the meta data of states.
pub fn render(trace: &Trace) -> Value {
    let shown = |at: &usize| trace.signature.variables[*at].shown;
    let columns: Vec<usize> = (0..trace.signature.variables.len()).filter(shown).collect();
    let vars: Vec<&str> = columns.iter().map(|at| trace.signature.variables[*at].name.as_str()).collect();
    let mut states = vec![];
    for (index, state) in trace.states().enumerate() {
        let step = index.checked_sub(1).map(|at| &trace.steps[at]);
        let edges = step.iter().flat_map(|step| &step.edges);
        let labels: Vec<String> = edges.map(EdgeRecord::title).collect();
        let mut meta = Map::new();
        meta.insert("index".into(), json!(index));
        meta.insert("locations".into(), json!(state.locations));
        if !labels.is_empty() {
            meta.insert("action".into(), json!(labels.join(", ")));
        }
        if let Some(delay) = step.map_or_else(|| trace.initial.delay(), |step| step.delay.clone()) {
            let decimal = delay.parse().ok().and_then(|delay| super::decimal(&delay));
            meta.insert("delay".into(), json!(delay));
            meta.extend(decimal.map(|decimal| ("delay_decimal".into(), Value::Number(decimal))));
        }
        let mut record = Map::new();
        record.insert("#meta".into(), Value::Object(meta));
        for at in &columns {
            let ty = &trace.signature.variables[*at].ty;
            let value = match &state.values[*at] {
                Some(datum) => value(datum, ty),
                None => json!({"#unserializable": "any"}),
            };
            record.insert(trace.signature.variables[*at].name.clone(), value);
        }
        states.push(Value::Object(record));
    }
    json!({
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "source": trace.model,
            "description": "written by Thetis",
        },
        "vars": vars,
        "states": states,
    })
}

/// A value of a type. Rational numbers and clocks are texts whatever they are, also where they are whole.
fn value(datum: &Datum, ty: &str) -> Value {
    match datum {
        Datum::Bool(value) => json!(value),
        Datum::Number(value) if is_rational(ty) => json!(value.to_string()),
        Datum::Number(value) => json!(value),
        Datum::Text(text) if !is_rational(ty) && text.parse::<ir::Int>().is_ok() => json!({"#bigint": text}),
        Datum::Text(text) => json!(text),
        // Maps of ITF are finite: the value at all other positions stands beside.
        Datum::Array { entries, default } => {
            let (position, element) = array(ty).unwrap_or(("", ""));
            let entries: Vec<[Value; 2]> =
                entries.iter().map(|(at, entry)| [value(at, position), value(entry, element)]).collect();
            json!({"entries": {"#map": entries}, "default": value(default, element)})
        }
    }
}

fn is_rational(ty: &str) -> bool {
    matches!(ty, "clock" | "rational")
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
