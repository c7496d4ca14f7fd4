//! Symbolic transition systems: the STS of the Theta tools, in `.system` files.
//!
//! A system is three formulas: which states are initial, which may follow each other (`x'` is the next value of `x`),
//! and an invariant that all of them satisfy, which restricts and is not checked. Constants without a value are unknown
//! and never change. A property says what holds in every reachable state of a system.
//!
//! Claims about runs read every state from the initial one on; runs that get stuck do not count.

mod ast;
mod lower;
mod parser;
mod step;
#[cfg(test)]
mod tests;

use ir::{Claim, Id, LocationId, System};

use crate::cfa::Conditions;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::question::{Question, one_line};
use crate::temporal::{self, Kind, Propositions};
use crate::view::{LocationView, Time, View};
use crate::{Contents, Example, FrontEnd, Language, Model, Part, theta};
use lower::Lowered;

/// Symbolic transition systems.
pub const FRONT_END: FrontEnd = FrontEnd {
    name: "sts",
    title: "symbolic transition systems",
    extensions: &["system"],
    binary: &[],
    recognises: |text| {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| word == "specification")
    },
    load: |text, _, _| load(text),
    script_files: None,
    tasks: None,
    question_files: &[],
    conversions: &[],
    guide: include_str!("guide.md"),
    examples: &[Example {
        name: "elevator",
        about: "a symbolic transition system: an elevator between five floors",
        text: include_str!("examples/elevator.system"),
    }],
    smallest: "a file needs a `specification` with a `property`",
    questions: &["x >= 0", "G (x > 0 -> F x = 0)"],
    own_question: Some("property p : { ... } models G(x >= 0)"),
};

/// Reads a specification.
///
/// # Errors
/// Everything that is wrong with the text, by place.
///
/// ```
/// let text = "specification S { property p : { var x : int initial x = 0 transition x' = x + 1 } models G(x >= 0) }";
/// assert!(thetis_lang::sts::load(text).unwrap().property().is_some());
/// ```
pub fn load(source: &str) -> Result<Model, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let spec = parser::specification(source, &mut diagnostics);
    let lowered = lower::lower(&spec, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(diagnostics.finish());
    }
    let Lowered { system, claims, scope, location, warnings } = lowered;
    let questions = claims.into_iter().map(|(name, span, claim)| {
        let text = &source[span.start as usize..span.end as usize];
        Ok(Question::new(name, text, one_line(text), Claim::Always(claim)))
    });
    let questions = questions.collect();
    let counts = vec![
        ("system", spec.systems.len()),
        ("property", spec.properties.len()),
        ("variable", system.state_vars().filter(|var| system.vars[*var].shown).count()),
    ];
    let part = Part { kind: "specification", name: None, counts, locations: vec![] };
    let contents = Contents { parts: vec![part], features: vec![], outline: vec![] };
    let language = Box::new(Scope { scope, location });
    Ok(Model { view: view(&system), system, questions, contents, warnings, language })
}

/// Where a run is says nothing, unless there are several systems.
fn view(system: &System) -> View {
    let locations = [(LocationId::at(0), LocationView { within_step: false, ..LocationView::default() })];
    let mut view = View::of_one_process(Time::AfterStep, locations.into_iter().collect());
    let several = system.processes.iter().any(|process| process.locations.len() > 2);
    view.processes.iter_mut().for_each(|process| process.located = several);
    view
}

/// What the names of later questions mean.
struct Scope {
    scope: theta::Scope,
    /// Where the first system is, if there are several: questions are about that one.
    location: Option<ir::Term>,
}

impl Language for Scope {
    fn question(&mut self, system: &mut System, name: &str, text: &str) -> Result<Question, Vec<Diagnostic>> {
        let mut conditions = Conditions { text, scope: &mut self.scope, system };
        if let Some((kind, at)) = temporal::announced(text) {
            let path = match kind {
                Kind::Formula => temporal::read(text, at.clone(), &mut conditions)?,
                Kind::Automaton => temporal::automaton(text, at.clone(), |atom| {
                    Conditions { text: atom, scope: conditions.scope, system: conditions.system }
                        .condition(0..atom.len())
                })?,
            };
            return Ok(path.question(system, name, text, at));
        }
        if let Some(at) = temporal::returning(text) {
            let condition = conditions.condition(at.clone())?;
            return temporal::return_to(name, text, at, condition);
        }
        let start = text.len() - text.trim_start().len();
        let (always, start) = match &text[start..] {
            rest if rest.starts_with("A[]") => (true, start + 3),
            rest if rest.starts_with("E<>") => (false, start + 3),
            _ => (true, start),
        };
        let errors = match conditions.condition(start..text.len()) {
            Ok(condition) => {
                let condition = match (self.location, always) {
                    (None, _) => condition,
                    (Some(here), true) => system.terms.implies(here, condition),
                    (Some(here), false) => system.terms.and([here, condition]),
                };
                let claim = if always { Claim::Always(condition) } else { Claim::Possibly(condition) };
                return Ok(Question::new(name, text.trim(), one_line(&text[start..]), claim));
            }
            Err(errors) => errors,
        };
        if let Some(error) = temporal::branching(text, |word| conditions.is_name(word)) {
            return Err(vec![error]);
        }
        let path = temporal::read(text, 0..text.len(), &mut conditions);
        let path = temporal::instead(text, errors, path)?;
        Ok(path.question(system, name, text, 0..text.len()))
    }
}
