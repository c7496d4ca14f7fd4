//! What must be true of the front-ends for every input.
//!
//! They never panic, never overflow the stack and never hang; and an XSTS without mistakes in its
//! syntax survives printing: `parse(print(m)) == m`. The ordinary tests check the same on the seeds.

#![allow(dead_code, reason = "each target checks one of them")]

use lang::diagnostic::Diagnostic;
use lang::{FrontEnd, NoFiles, Reading, aiger, c, cfa, gamma, pnml, sts, xsts, xta};

/// Panics if the front-end of XSTS misbehaves on `data`.
pub fn check_xsts(data: &[u8]) {
    let source = String::from_utf8_lossy(data);
    let (model, complaints) = xsts::parse(&source);
    if complaints.is_empty() {
        let text = xsts::print(&model);
        let (again, complaints) = xsts::parse(&text);
        assert!(complaints.is_empty(), "what was printed is not accepted: {complaints:?}\n{text}");
        assert!(again == model, "printing changed the model:\n{text}");
    }
    match xsts::load(&source) {
        // A model is also asked about itself: its own text is hardly ever a property.
        Ok(mut model) => drop(model.parse_property("fuzz", &source)),
        Err(complaints) => assert!(!complaints.is_empty(), "refused without a reason"),
    }
}

/// Panics if the front-end of timed automata misbehaves on `data`: a model, as text or as a document, then
/// a line `?` and queries about it.
pub fn check_xta(data: &[u8]) {
    let source = String::from_utf8_lossy(data);
    let (text, queries) = source.split_once("\n?\n").unwrap_or((&source, "A[] not deadlock"));
    for format in [xta::Format::Xta, xta::Format::Xml] {
        match xta::load(text, format) {
            Ok(mut model) => {
                let asked = model.question_file(queries).expect("UPPAAL has files of queries");
                for wrong in asked.into_iter().flatten().filter_map(Result::err) {
                    let within = |error: &Diagnostic| error.span.end as usize <= queries.len();
                    assert!(wrong.diagnostics.iter().all(within), "a place outside the queries");
                }
                if xta::Format::of(text) == format {
                    let document = xta::to_document(text).expect("a model that can be read");
                    let read = xta::load(&document, xta::Format::Xml);
                    assert!(read.is_ok(), "what was written is not accepted:\n{document}");
                }
            }
            Err(complaints) => {
                assert!(!complaints.is_empty(), "refused without a reason");
                let end = complaints.iter().map(|complaint| complaint.span.end as usize).max();
                assert!(end.is_none_or(|end| end <= text.len()), "a place outside the text");
            }
        }
    }
}

/// Panics if the front-end of Petri nets misbehaves on `data`: a document, then a line `?` and a property of it, or a
/// file of properties.
pub fn check_pnml(data: &[u8]) {
    let source = String::from_utf8_lossy(data);
    let (text, property) = source.split_once("\n?\n").unwrap_or((&source, "AG (true)"));
    let convert = pnml::FRONT_END.conversion("xsts").expect("nets can be converted").convert;
    match pnml::load(text) {
        Ok(mut model) => {
            drop(model.question("fuzz", property));
            drop(model.question_file(property));
            let converted = convert(text, &mut NoFiles, &Reading::default()).expect("a net that can be read");
            assert!(xsts::load(&converted).is_ok(), "what was written is not accepted:\n{converted}");
        }
        Err(complaints) => {
            assert!(!complaints.is_empty(), "refused without a reason");
            let end = complaints.iter().map(|complaint| complaint.span.end as usize).max();
            assert!(end.is_none_or(|end| end <= text.len()), "a place outside the text");
        }
    }
}

/// Panics if the front-end of Gamma misbehaves on `data`: a package, or a file of properties, tasks or a trace.
pub fn check_gamma(data: &[u8]) {
    let source = String::from_utf8_lossy(data);
    let (ast, complaints) = gamma::parse(&source);
    if complaints.is_empty() {
        let package = ast.packages.ids().next().expect("a text is a package");
        let text = gamma::print::package(&ast, package);
        let (again, complaints) = gamma::parse(&text);
        assert!(complaints.is_empty(), "what was printed is not accepted: {complaints:?}\n{text}");
        assert!(gamma::print::package(&again, package) == text, "printing changed the model:\n{text}");
    }
    if let Err(complaints) = gamma::load_project(&source, &mut NoFiles) {
        assert!(!complaints.is_empty(), "refused without a reason");
        let end = complaints.iter().map(|complaint| complaint.span.end as usize).max();
        assert!(end.is_none_or(|end| end <= source.len()), "a place outside the text");
    }
    drop(gamma::property::parse(&source));
    drop(gamma::property::parse_formula(&source));
    drop(gamma::task::parse(&source));
    drop(gamma::scenario::parse(&source));
    let (trace, complaints) = gamma::execution_trace::parse(&source);
    if complaints.is_empty() {
        let text = gamma::execution_trace::print(&trace);
        let (again, complaints) = gamma::execution_trace::parse(&text);
        assert!(complaints.is_empty(), "what was printed is not accepted: {complaints:?}\n{text}");
        assert!(gamma::execution_trace::print(&again) == text, "printing changed the trace:\n{text}");
    }
}

/// Panics if the front-end of control-flow automata misbehaves on `data`: a file, then a line `?` and a property of it.
pub fn check_cfa(data: &[u8]) {
    check_program(&cfa::FRONT_END, &String::from_utf8_lossy(data));
}

/// The same for symbolic transition systems.
pub fn check_sts(data: &[u8]) {
    check_program(&sts::FRONT_END, &String::from_utf8_lossy(data));
}

/// The same for C programs.
pub fn check_c(data: &[u8]) {
    check_program(&c::FRONT_END, &String::from_utf8_lossy(data));
}

/// The same for circuits, where each byte is a character.
pub fn check_aiger(data: &[u8]) {
    check_program(&aiger::FRONT_END, &data.iter().copied().map(char::from).collect::<String>());
}

fn check_program(language: &FrontEnd, source: &str) {
    let (text, property) = source.split_once("\n?\n").unwrap_or((source, "G F (x = 1)"));
    match (language.load)(text, &mut NoFiles, &Reading::default()) {
        Ok(mut model) => {
            if let Err(complaints) = model.question("fuzz", property) {
                let end = complaints.iter().map(|complaint| complaint.span.end as usize).max();
                assert!(end.is_some_and(|end| end <= property.len()), "a place outside the property");
            }
        }
        Err(complaints) => {
            assert!(!complaints.is_empty(), "refused without a reason");
            let end = complaints.iter().map(|complaint| complaint.span.end as usize).max();
            assert!(end.is_none_or(|end| end <= text.len()), "a place outside the text");
        }
    }
}
