//! Traces in the Informal Trace Format, which other tools draw and replay.

use serde_json::{Map, Value, json};

use super::{Datum, Trace, TypeRecord};

/// The trace as an ITF document; the locations of the processes are in the meta data of states.
pub fn render(trace: &Trace) -> Value {
    let shown = |at: &usize| trace.signature.variables[*at].shown;
    let columns: Vec<usize> = (0..trace.signature.variables.len()).filter(shown).collect();
    let vars: Vec<&str> = columns.iter().map(|at| trace.signature.variables[*at].name.as_str()).collect();
    let mut states = vec![];
    for (index, state) in trace.states().enumerate() {
        let step = index.checked_sub(1).map(|at| &trace.steps[at]);
        let edges = step.iter().flat_map(|step| &step.edges);
        let labels: Vec<String> = edges.map(|edge| edge.title.clone()).collect();
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
    let mut document = json!({
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "source": trace.model,
            "description": "written by Thetis",
        },
        "vars": vars,
        "states": states,
    });
    // What comes back to a set of states has no loop in the sense of ITF.
    if let (Some(start), Some(head)) = (trace.cycle, trace.repeats.head()) {
        document["#meta"]["recurrent"] = json!({ "from": start, "every_round_in": head });
        return document;
    }
    // After the last state, the run goes on with the step that leads away from this one. The states of the loop of
    // an ITF document end before its first one comes again, which a state that is merely repeated does not.
    if let (Some(start), Some(document)) = (trace.cycle, document.as_object_mut()) {
        document.insert("loop".into(), json!(start));
        if start < trace.steps.len() {
            document.get_mut("states").and_then(Value::as_array_mut).map(Vec::pop);
        }
    }
    document
}

/// A value of a type. Rational numbers and clocks are texts whatever they are, also where they are whole.
fn value(datum: &Datum, ty: &TypeRecord) -> Value {
    match datum {
        Datum::Bool(value) => json!(value),
        Datum::Number(value) if is_rational(ty) => json!(value.to_string()),
        Datum::Number(value) => json!(value),
        Datum::Text(text) if !is_rational(ty) && text.parse::<ir::Int>().is_ok() => json!({"#bigint": text}),
        Datum::Text(text) => json!(text),
        // Maps of ITF are finite: the value at all other positions stands beside.
        Datum::Array { entries, default } => {
            let (position, element) = match ty {
                TypeRecord::Array(array) => (&array.index, &array.element),
                // A value of another type than it says is shown as it is.
                _ => (ty, ty),
            };
            let entries: Vec<[Value; 2]> =
                entries.iter().map(|(at, entry)| [value(at, position), value(entry, element)]).collect();
            json!({"entries": {"#map": entries}, "default": value(default, element)})
        }
    }
}

fn is_rational(ty: &TypeRecord) -> bool {
    matches!(ty, TypeRecord::Clock | TypeRecord::Rational)
}
