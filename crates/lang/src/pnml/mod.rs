//! Petri nets: place/transition nets in PNML, with weighted, inhibitor and read arcs.
//!
//! A marking gives every place a number of tokens. A transition is enabled where each place it takes
//! from has at least the tokens it takes, and each place that inhibits it has fewer than the weight of
//! the inhibitor arc; firing it takes from the places before it and gives to those after it (ISO/IEC
//! 15909-2).
//!
//! The system has one process, named after the net, with one location and an edge for each transition;
//! every place is an integer variable. Tokens are never negative, because the guard of an edge asks for
//! what its update takes.

mod contest;
mod document;
mod lower;
mod net;
mod print;
mod property;
#[cfg(test)]
mod tests;
mod token;

use ir::{Property, System};

pub use contest::Examination;
pub use print::to_xsts;

use crate::diagnostic::Diagnostic;
use net::{Names, Net};

/// A net that can be checked.
#[derive(Clone, Debug)]
pub struct Model {
    /// What it does.
    pub system: System,
    /// What may not be as intended.
    pub warnings: Vec<Diagnostic>,
    net: Net,
    names: Names,
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
/// assert!(net.parse_property("few", "p <= 2").is_ok());
/// let errors = thetis_lang::pnml::load(&source.replace("target=\"t\"", "target=\"u\"")).unwrap_err();
/// assert_eq!(errors[0].message, "the arc leads to `u`, and there is no place or transition with that id");
/// ```
pub fn load(source: &str) -> Result<Model, Vec<Diagnostic>> {
    let (net, warnings) = document::read(source)?;
    let (system, names) = lower::lower(&net);
    Ok(Model { system, warnings, net, names })
}

impl Model {
    /// Reads a property given from outside; `docs/pnml.md` says what can be claimed.
    ///
    /// # Errors
    /// What is wrong with it; places point into `text`.
    pub fn parse_property(&mut self, name: &str, text: &str) -> Result<Property, Vec<Diagnostic>> {
        property::parse(self, name, text).map_err(|error| vec![error])
    }
    /// Reads the formulas of the Model Checking Contest, one question each.
    ///
    /// # Errors
    /// Why the text is no document of formulas at all.
    pub fn parse_examination(&mut self, text: &str) -> Result<Vec<Examination>, Diagnostic> {
        contest::read(self, text)
    }
    /// How many places, transitions and arcs the net has.
    pub fn size(&self) -> (usize, usize, usize) {
        let arcs = self.net.transitions.iter().map(|transition| transition.arcs.len()).sum();
        (self.net.places.len(), self.net.transitions.len(), arcs)
    }
    /// Whether a transition is inhibited by some place.
    pub fn has_inhibitors(&self) -> bool {
        self.net.transitions.iter().any(|transition| transition.arcs.iter().any(net::Arc::inhibits))
    }
}
