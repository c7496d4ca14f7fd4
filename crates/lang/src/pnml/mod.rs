//! Petri nets: place/transition nets in PNML, with weighted, inhibitor and read arcs.
//!
//! A marking gives every place a number of tokens. A transition is enabled where each place it takes
//! from has at least the tokens it takes, and each place that inhibits it has fewer than the weight of
//! the inhibitor arc; firing it takes from the places before it and gives to those after it (ISO/IEC
//! 15909-2).
//!
//! The system has one process, named after the net, with one location and an edge for each transition;
//! every place is an integer variable. Tokens are never negative, because the guard of an edge asks for
//! what its update takes. Claims about runs read every marking from the initial one on, and a run that comes to a deadlock
//! repeats its last marking for ever.

mod contest;
mod document;
mod lower;
mod net;
mod print;
mod property;
#[cfg(test)]
mod tests;
mod token;

use ir::{LocationId, System};
use rustc_hash::FxHashMap;

use crate::diagnostic::Diagnostic;
use crate::question::{Asked, Measure, Question, Relation};
use crate::view::{LocationView, Section, Time, View};
use crate::{Contents, Conversion, Example, FrontEnd, Language, Model, Part, QuestionFiles};
use net::{Names, Net};

/// Petri nets.
pub const FRONT_END: FrontEnd = FrontEnd {
    name: "pnml",
    title: "Petri nets",
    extensions: &["pnml"],
    binary: &[],
    recognises: |text| text.trim_start().starts_with('<') && text.contains("<pnml"),
    load: |text, _, _| load(text),
    question_files: &[QuestionFiles { extension: "xml", title: "formulas about Petri nets" }],
    script_files: None,
    tasks: None,
    conversions: &[Conversion::to_xsts(|text, _, _| {
        document::read(text).map(|(net, _)| print::to_xsts(&net))
    })],
    guide: include_str!("guide.md"),
    examples: &[Example {
        name: "readers",
        about: "a Petri net: readers and one writer",
        text: include_str!("examples/readers.pnml"),
    }],
    smallest: "a Petri net is a `pnml` document with a `net`",
    questions: &["deadlock-free", "1-safe", "p + q <= 3", "G (p > 0 -> F q > 0)"],
    own_question: None,
};

/// What the names of later properties mean.
struct Scope {
    net: Net,
    names: Names,
}

/// A net that is being asked something.
struct Subject<'a> {
    system: &'a mut System,
    net: &'a Net,
    names: &'a Names,
}

/// Reads the first net of a document.
///
/// # Errors
/// Everything that is wrong with the document, by place.
///
/// ```
/// let source = r#"<pnml><net id="n" type="ptnet">
///     <place id="p"><initialMarking><text>2</text></initialMarking></place>
///     <transition id="t"/><arc id="a" source="p" target="t"/>
/// </net></pnml>"#;
/// let mut net = thetis_lang::pnml::load(source).unwrap();
/// assert!(net.question("few", "p <= 2").is_ok());
/// let errors = thetis_lang::pnml::load(&source.replace("target=\"t\"", "target=\"u\"")).unwrap_err();
/// assert_eq!(errors[0].message, "the arc leads to `u`, and there is no place or transition with that id");
/// ```
pub fn load(source: &str) -> Result<Model, Vec<Diagnostic>> {
    let (net, warnings) = document::read(source)?;
    let (system, names) = lower::lower(&net);
    // The only location is no news.
    let here = LocationView { next: Some(Section::Whole), ..LocationView::default() };
    let locations: FxHashMap<LocationId, LocationView> =
        system.processes.iter().flat_map(|process| process.locations.ids()).map(|at| (at, here)).collect();
    let mut view = View::of_one_process(Time::AfterStep, locations);
    view.processes.iter_mut().for_each(|process| process.named = true);
    let contents = contents(&net);
    let language = Box::new(Scope { net, names });
    Ok(Model { system, view, questions: vec![], contents, warnings, language })
}

/// The places, transitions and arcs.
fn contents(net: &Net) -> Contents {
    let arcs = net.transitions.iter().map(|transition| transition.arcs.len()).sum();
    let counts = vec![("place", net.places.len()), ("transition", net.transitions.len()), ("arc", arcs)];
    let inhibited = net.transitions.iter().any(|transition| transition.arcs.iter().any(net::Arc::inhibits));
    let features = inhibited.then_some("inhibitor arcs").into_iter().collect();
    Contents {
        parts: vec![Part { kind: "net", name: None, counts, locations: vec![] }],
        features,
        outline: vec![],
    }
}

impl Scope {
    fn subject<'a>(&'a self, system: &'a mut System) -> Subject<'a> {
        Subject { system, net: &self.net, names: &self.names }
    }
}

impl Language for Scope {
    /// The guide says what can be claimed.
    fn question(&mut self, system: &mut System, name: &str, text: &str) -> Result<Question, Vec<Diagnostic>> {
        property::parse(&mut self.subject(system), name, text)
    }
    fn threshold(&self, measure: &Measure, relation: Relation, value: i64) -> Option<String> {
        Some(format!("E<> ({}) {relation} {value}", measure.text))
    }
    /// The formulas of the Model Checking Contest, one question each.
    fn question_file(
        &mut self,
        system: &mut System,
        text: &str,
    ) -> Option<Result<Vec<Asked>, Vec<Diagnostic>>> {
        Some(contest::read(&mut self.subject(system), text).map_err(|error| vec![error]))
    }
}
