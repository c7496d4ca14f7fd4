//! AIGER 1.9: circuits of and-gates and latches, ASCII (`.aag`) and binary (`.aig`).
//!
//! A circuit is a system with one location: its state are the latches and the inputs, a step gives latches their next
//! values and inputs any. Latches start with 0, with 1, or with either where the file says so. What is asked is whether a
//! bad state can be reached or, in files without bad states, as older ones are, whether an output can be on; constraints
//! hold all the way. A justice property asks for a run that satisfies all of its conditions, and the fairness
//! constraints, again and again: the claim is that there is none.

mod lower;
mod read;
#[cfg(test)]
mod tests;

use ir::{Claim, LocationId, System};
use rustc_hash::FxHashMap;

use crate::cfa::Conditions;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::question::{Question, one_line};
use crate::temporal::{self, Kind, Propositions};
use crate::view::{LocationView, Time, View};
use crate::{Contents, Example, FrontEnd, Language, Model, Part, theta};

/// AIGER circuits.
pub const FRONT_END: FrontEnd = FrontEnd {
    name: "aiger",
    title: "AIGER circuits",
    extensions: &["aag", "aig"],
    binary: &["aig"],
    recognises: |text| text.starts_with("aag ") || text.starts_with("aig "),
    load: |text, _, _| load(text),
    script_files: None,
    tasks: None,
    question_files: &[],
    conversions: &[],
    guide: include_str!("guide.md"),
    examples: &[Example {
        name: "toggle",
        about: "an AIGER circuit: two latches that count",
        text: include_str!("examples/toggle.aag"),
    }],
    smallest: "an AIGER file begins with `aag` and five numbers",
    questions: &["not (l0 and l1)", "G F l0"],
    own_question: None,
};

/// Reads a circuit; of a binary file, each byte is a character.
///
/// # Errors
/// What is wrong with the text.
///
/// ```
/// // A latch that starts with 0, gets the input, and must not be 1.
/// let model = thetis_lang::aiger::load("aag 2 1 1 1 0\n2\n4 2\n4\n").unwrap();
/// assert_eq!(model.questions.len(), 1);
/// ```
pub fn load(source: &str) -> Result<Model, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let circuit = read::read(source, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(diagnostics.finish());
    }
    let (system, questions, scope) = lower::lower(&circuit);
    let here = LocationView::default();
    let locations: FxHashMap<LocationId, LocationView> =
        system.processes.iter().flat_map(|process| process.locations.ids()).map(|at| (at, here)).collect();
    let counts = vec![
        ("input", circuit.inputs.len()),
        ("latch", circuit.latches.len()),
        ("gate", circuit.gates.len()),
        ("constraint", circuit.constraints.len()),
    ];
    let part = Part { kind: "circuit", name: None, counts, locations: vec![] };
    Ok(Model {
        view: View::of_one_process(Time::AfterStep, locations),
        system,
        questions: questions.into_iter().map(Ok).collect(),
        contents: Contents { parts: vec![part], features: vec![], outline: vec![] },
        warnings: vec![],
        language: Box::new(Scope { scope }),
    })
}

/// What the names of later questions mean: inputs, latches, outputs and bad states, by their symbols or as `i0`, `l0`.
struct Scope {
    scope: theta::Scope,
}

impl Language for Scope {
    fn question(&mut self, system: &mut System, name: &str, text: &str) -> Result<Question, Vec<Diagnostic>> {
        let mut conditions = Conditions { text, scope: &mut self.scope, system };
        if let Some((Kind::Formula, at)) = temporal::announced(text) {
            let path = temporal::read(text, at.clone(), &mut conditions)?;
            return Ok(path.question(system, name, text, at));
        }
        let start = text.len() - text.trim_start().len();
        let (always, start) = match &text[start..] {
            rest if rest.starts_with("A[]") => (true, start + 3),
            rest if rest.starts_with("E<>") => (false, start + 3),
            _ => (true, start),
        };
        let errors = match conditions.condition(start..text.len()) {
            Ok(condition) => {
                let claim = if always { Claim::Always(condition) } else { Claim::Possibly(condition) };
                return Ok(Question::new(name, text.trim(), one_line(&text[start..]), claim));
            }
            Err(errors) => errors,
        };
        let path = temporal::read(text, 0..text.len(), &mut conditions);
        let path = temporal::instead(text, errors, path)?;
        Ok(path.question(system, name, text, 0..text.len()))
    }
}
