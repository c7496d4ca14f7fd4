//! From a PNML document to a [`Net`].
//!
//! Tools differ in what they write around the same net: numbers and names stand in `text` or `value`,
//! the kind of an arc is an attribute of the arc or of an element `type` in it, pages may nest or be
//! missing. What only draws a net, or belongs to one tool, is skipped; what would change its meaning and
//! is not supported (colours, capacities, reset arcs) is an error, because skipping it would give wrong
//! answers.

use ir::{Int, Span};
use roxmltree::Node as Element;
use rustc_hash::FxHashMap;

use super::net::{Arc, ArcKind, Net, Node, Place, Transition};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::nearest::nearest;
use crate::xml::{child, open_tag, parse};

/// Reads the first net of a document, with warnings.
///
/// # Errors
/// Everything that is wrong with it.
pub(crate) fn read(source: &str) -> Result<(Net, Vec<Diagnostic>), Vec<Diagnostic>> {
    if source.len() > LONGEST {
        let message = "the document is longer than 1 GiB; split the net";
        return Err(vec![Diagnostic::error(Code::TooLong, Span::default(), message)]);
    }
    let document = parse(source).map_err(|error| vec![error])?;
    let mut reader = Reader {
        source,
        priority: None,
        diagnostics: Diagnostics::default(),
        warnings: vec![],
        skipped: vec![],
        net: Net::default(),
        nodes: FxHashMap::default(),
        references: vec![],
        arcs: vec![],
    };
    reader.document(document.root_element());
    if reader.diagnostics.is_empty() {
        Ok((reader.net, reader.warnings))
    } else {
        Err(reader.diagnostics.finish())
    }
}

/// The longest document, so that places in it fit into a [`Span`].
const LONGEST: usize = 1 << 30;

/// The longest number; more tokens than this nobody means.
const MOST_DIGITS: usize = 100;

/// What an id stands for.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Meaning {
    Place(usize),
    Transition(usize),
    /// Another node, by its position in [`Reader::references`].
    Reference(usize),
    /// Nothing, which is reported already.
    Broken,
}

/// A node that stands for another one, on another page.
struct Reference<'a> {
    target: &'a str,
    to_place: bool,
    span: Span,
    /// The node it stands for in the end, once that is known.
    meaning: Option<Meaning>,
}

struct Reader<'s, 'a> {
    source: &'s str,
    diagnostics: Diagnostics,
    warnings: Vec<Diagnostic>,
    /// The names of elements that are skipped with a warning.
    skipped: Vec<String>,
    /// The priority of the first transition that has one.
    priority: Option<String>,
    net: Net,
    nodes: FxHashMap<&'a str, (Meaning, Span)>,
    references: Vec<Reference<'a>>,
    arcs: Vec<Element<'a, 'a>>,
}

impl<'a> Reader<'_, 'a> {
    fn document(&mut self, root: Element<'a, 'a>) {
        if root.tag_name().name() != "pnml" {
            let found = root.tag_name().name();
            let diagnostic = Diagnostic::error(
                Code::WrongDocument,
                self.tag(root),
                format!("expected a `pnml` document, found `{found}`; is this a Petri net?"),
            );
            return self.diagnostics.push(diagnostic);
        }
        let nets: Vec<_> = root.children().filter(|child| child.tag_name().name() == "net").collect();
        let Some(net) = nets.first() else {
            return self.error(Code::MissingPart, self.tag(root), "the document has no `net`");
        };
        if let Some(other) = nets.get(1) {
            let message = format!(
                "the document has {} nets; only the first one, `{}`, is read",
                nets.len(),
                net.attribute("id").unwrap_or("without id")
            );
            self.warn(Code::IgnoredPart, self.tag(*other), message);
        }
        self.net(*net);
    }
    fn net(&mut self, net: Element<'a, 'a>) {
        let kind = net.attribute("type").unwrap_or_default().to_ascii_lowercase();
        let coloured =
            ["symmetric", "highlevel", "high-level", "hlpn", "hlcore", "pt-hlpng", "colour", "color"];
        if coloured.iter().any(|word| kind.contains(word)) {
            let message = "the net is coloured (its type says so), and only place/transition nets are supported; \
                           unfold it first";
            return self.diagnostics.push(Diagnostic::error(
                Code::UnsupportedColours,
                self.tag(net),
                message,
            ));
        }
        let id = net.attribute("id").unwrap_or("net");
        self.net.name = text_of(net, "name").map_or_else(|| id.to_owned(), |(text, _)| text);
        // Pages in pages, without recursion; the children of a page come before what follows it.
        let mut open: Vec<Element<'a, 'a>> = vec![];
        open.extend(net.children().filter(Element::is_element).rev());
        while let Some(element) = open.pop() {
            match element.tag_name().name() {
                "page" => open.extend(element.children().filter(Element::is_element).rev()),
                "place" => self.place(element),
                "transition" => self.transition(element),
                "referencePlace" => self.reference(element, true),
                "referenceTransition" => self.reference(element, false),
                "arc" => self.arcs.push(element),
                "name" | "graphics" | "toolspecific" | "declaration" | "labels" | "variables" => {}
                // Tools for nets with tokens of several kinds declare the one kind of plain nets, too.
                "token" => {}
                _ => self.skip(element),
            }
        }
        for number in 0..self.references.len() {
            self.follow(Meaning::Reference(number));
        }
        for arc in std::mem::take(&mut self.arcs) {
            self.arc(arc);
        }
    }
    fn place(&mut self, element: Element<'a, 'a>) {
        let mut tokens = Int::ZERO;
        for part in element.children().filter(Element::is_element) {
            match part.tag_name().name() {
                "initialMarking" => {
                    tokens =
                        self.number(part, "the initial marking of a place", Int::ZERO).unwrap_or(Int::ZERO);
                }
                "hlinitialMarking" | "type" => {
                    let message = "the place has tokens of several colours, and only place/transition nets are \
                                   supported; unfold the net first";
                    self.diagnostics.push(Diagnostic::error(
                        Code::UnsupportedColours,
                        self.tag(part),
                        message,
                    ));
                }
                "capacity" => self.capacity(part),
                "name" | "graphics" => {}
                "toolspecific" => {
                    part.descendants()
                        .filter(|inner| inner.tag_name().name() == "capacity")
                        .for_each(|inner| self.capacity(inner));
                }
                _ => self.skip(part),
            }
        }
        let number = self.net.places.len();
        if let Some(node) = self.node(element, "place", Meaning::Place(number)) {
            self.net.places.push(Place { node, tokens });
        }
    }
    /// Most tools write how many tokens fit into a place even where there is no limit.
    fn capacity(&mut self, element: Element<'a, 'a>) {
        let text = element.children().filter(Element::is_element).find_map(|inner| inner.text());
        let text = text.or(element.text()).unwrap_or_default().trim();
        if text.parse::<i64>().is_ok_and(|most| most <= 0)
            || text.eq_ignore_ascii_case("unlimited")
            || text.is_empty()
        {
            return;
        }
        let message = format!(
            "the place holds at most {text} tokens, and such capacities are not supported; add a second place \
             for what is free"
        );
        self.diagnostics.push(Diagnostic::error(Code::UnsupportedCapacity, self.tag(element), message));
    }
    fn transition(&mut self, element: Element<'a, 'a>) {
        for part in element.children().filter(Element::is_element) {
            match part.tag_name().name() {
                "condition" if has_content(part) => {
                    let message = "the transition has a condition on colours, and only place/transition nets are \
                                   supported; unfold the net first";
                    self.diagnostics.push(Diagnostic::error(
                        Code::UnsupportedColours,
                        self.tag(part),
                        message,
                    ));
                }
                // Rates and server counts say how likely or how quick a transition is, not whether it can fire.
                "condition" | "name" | "graphics" | "toolspecific" | "rate" | "orientation"
                | "infiniteServer" => {}
                "timed" => {}
                "priority" => self.priority(part),
                _ => self.skip(part),
            }
        }
        let number = self.net.transitions.len();
        if let Some(node) = self.node(element, "transition", Meaning::Transition(number)) {
            self.net.transitions.push(Transition { node, arcs: vec![] });
        }
    }
    /// Where all transitions have the same priority, none goes before another.
    fn priority(&mut self, element: Element<'a, 'a>) {
        let Some(priority) = content(element).filter(|text| !text.is_empty()) else { return };
        let usual = self.priority.get_or_insert_with(|| priority.clone());
        if *usual != priority || !matches!(priority.as_str(), "0" | "1") {
            let message = "priorities of transitions are not supported, unless all are 0 or all are 1";
            self.diagnostics.push(Diagnostic::error(Code::UnsupportedPriority, self.tag(element), message));
        }
    }
    fn reference(&mut self, element: Element<'a, 'a>, to_place: bool) {
        let what = if to_place { "reference place" } else { "reference transition" };
        let number = self.references.len();
        if self.node(element, what, Meaning::Reference(number)).is_none() {
            return;
        }
        let target = element.attribute("ref").unwrap_or_default();
        let span = self.tag(element);
        self.references.push(Reference { target, to_place, span, meaning: None });
    }
    /// The node that a reference stands for in the end.
    fn follow(&mut self, start: Meaning) -> Meaning {
        let mut path = vec![];
        let mut at = start;
        let mut wrong = None;
        while let Meaning::Reference(number) = at {
            let Reference { target, to_place, span, meaning } = self.references[number];
            if let Some(known) = meaning {
                // Those on the way here count as broken until the end is known.
                wrong = path.contains(&number).then(|| {
                    let message = "the reference leads back to itself";
                    Diagnostic::error(Code::CircularReference, span, message).about(target)
                });
                at = known;
                break;
            }
            self.references[number].meaning = Some(Meaning::Broken);
            path.push(number);
            let next = self.nodes.get(target).map(|(meaning, _)| *meaning);
            let fits = match next {
                Some(Meaning::Place(_)) => to_place,
                Some(Meaning::Transition(_)) => !to_place,
                Some(Meaning::Reference(next)) => self.references[next].to_place == to_place,
                Some(Meaning::Broken) => true,
                None => false,
            };
            at = next.filter(|_| fits).unwrap_or(Meaning::Broken);
            if !fits {
                let what = if to_place { "place" } else { "transition" };
                wrong = Some(Diagnostic::unknown(span, &format!("{what} with id"), target, None));
            }
        }
        if let Some(wrong) = wrong {
            self.diagnostics.push(wrong);
        }
        for number in path {
            self.references[number].meaning = Some(at);
        }
        at
    }
    /// Id and name of a place, a transition or a reference; nothing if there is something wrong with them.
    fn node(&mut self, element: Element<'a, 'a>, what: &str, meaning: Meaning) -> Option<Node> {
        let span = self.tag(element);
        let Some(id) = element.attribute("id").filter(|id| !id.trim().is_empty()) else {
            let name = text_of(element, "name").map_or(String::new(), |(name, _)| format!(" `{name}`"));
            self.error(
                Code::MissingPart,
                span,
                format!("the {what}{name} has no id; arcs cannot refer to it"),
            );
            return None;
        };
        if let Some((_, first)) = self.nodes.get(id).copied() {
            let message = format!("there are two nodes with id `{id}`; rename one");
            self.diagnostics.push(
                Diagnostic::error(Code::DuplicateName, span, message).note(first, "the first one is here"),
            );
            return None;
        }
        self.nodes.insert(id, (meaning, span));
        let name = text_of(element, "name").map(|(name, _)| name).filter(|name| !name.is_empty());
        Some(Node { id: id.to_owned(), name, span })
    }
    fn arc(&mut self, element: Element<'a, 'a>) {
        let (Some(source), Some(target)) = (self.end(element, "source"), self.end(element, "target")) else {
            return;
        };
        let kind = self.kind(element);
        let mut weight = Some(Int::from(1));
        for part in element.children().filter(Element::is_element) {
            match part.tag_name().name() {
                "inscription" => weight = self.weight(part),
                "hlinscription" => {
                    let message = "the arc moves tokens of several colours, and only place/transition nets are \
                                   supported; unfold the net first";
                    self.diagnostics.push(Diagnostic::error(
                        Code::UnsupportedColours,
                        self.tag(part),
                        message,
                    ));
                }
                "graphics" | "toolspecific" | "type" | "arctype" | "arcpath" | "name" | "tagged" => {}
                _ => self.skip(part),
            }
        }
        let (Some(kind), Some(weight)) = (kind, weight) else { return };
        let (place, transition, kind) = match (source, target, kind) {
            (Meaning::Broken, ..) | (_, Meaning::Broken, _) => return,
            (Meaning::Place(place), Meaning::Transition(transition), kind) => (place, transition, kind),
            (Meaning::Transition(transition), Meaning::Place(place), ArcKind::Take) => {
                (place, transition, ArcKind::Give)
            }
            // What is only read may be drawn either way.
            (Meaning::Transition(transition), Meaning::Place(place), ArcKind::Read) => {
                (place, transition, ArcKind::Read)
            }
            (Meaning::Transition(_), Meaning::Place(_), _) => {
                let message =
                    "an inhibitor arc leads from a place to the transition that it inhibits; turn it round";
                return self.error(Code::Misconnected, self.tag(element), message);
            }
            (from, ..) => {
                let what = if matches!(from, Meaning::Place(_)) { "places" } else { "transitions" };
                let message = format!("the arc connects two {what}; an arc leads from one kind to the other");
                return self.error(Code::Misconnected, self.tag(element), message);
            }
        };
        self.net.transitions[transition].arcs.push(Arc { place, kind, weight });
    }
    fn end(&mut self, element: Element<'a, 'a>, which: &str) -> Option<Meaning> {
        let span = self.tag(element);
        let Some(id) = element.attribute(which) else {
            self.error(Code::MissingPart, span, format!("the arc has no {which}"));
            return None;
        };
        let Some((meaning, _)) = self.nodes.get(id).copied() else {
            if !self.diagnostics.is_full() {
                let verb = if which == "source" { "comes from" } else { "leads to" };
                let near = nearest(id, self.nodes.keys().copied());
                let guess = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                let message =
                    format!("the arc {verb} `{id}`, and there is no place or transition with that id{guess}");
                let diagnostic = Diagnostic::error(Code::UnknownName, span, message).about(id).meaning(near);
                self.diagnostics.push(diagnostic);
            }
            return None;
        };
        Some(self.follow(meaning))
    }
    /// The kind of an arc, as if it came from a place.
    fn kind(&mut self, element: Element<'a, 'a>) -> Option<ArcKind> {
        let part = child(element, "type").or_else(|| child(element, "arctype"));
        let inner =
            part.and_then(|part| part.attribute("value").map(str::to_owned).or_else(|| content(part)));
        let kind = inner.or_else(|| element.attribute("type").map(str::to_owned)).unwrap_or_default();
        match kind.trim().to_ascii_lowercase().as_str() {
            "" | "normal" | "regular" => Some(ArcKind::Take),
            "inhibitor" | "inhibit" => Some(ArcKind::Inhibit),
            "read" | "test" => Some(ArcKind::Read),
            other => {
                let message = format!(
                    "arcs of kind `{other}` are not supported; there are normal, inhibitor and read arcs"
                );
                self.diagnostics.push(Diagnostic::error(
                    Code::UnsupportedArc,
                    self.tag(part.unwrap_or(element)),
                    message,
                ));
                None
            }
        }
    }
    fn weight(&mut self, element: Element<'a, 'a>) -> Option<Int> {
        let weight = self.number(element, "the weight of an arc", Int::ONE)?;
        if weight.is_zero() {
            self.error(
                Code::OutOfRange,
                self.tag(element),
                "the weight of an arc is at least 1; remove the arc instead",
            );
            return None;
        }
        Some(weight)
    }
    /// A whole number that is not negative; where nothing is written, it is `usual`.
    fn number(&mut self, element: Element<'a, 'a>, what: &str, usual: Int) -> Option<Int> {
        let text = content(element).unwrap_or_default();
        // Where tokens have kinds, the plain one has this name.
        let digits = text.strip_prefix("Default,").unwrap_or(&text).trim();
        if digits.is_empty() {
            return Some(usual);
        }
        let span = self.tag(element);
        if digits.len() > MOST_DIGITS {
            self.error(Code::InvalidNumber, span, format!("{what} has more than {MOST_DIGITS} digits"));
            return None;
        }
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            self.error(
                Code::InvalidNumber,
                span,
                format!("{what} is a whole number that is not negative; this is `{digits}`"),
            );
            return None;
        }
        digits.parse().ok()
    }
    /// An element that nobody knows may matter; each kind is mentioned once.
    fn skip(&mut self, element: Element<'a, 'a>) {
        let name = element.tag_name().name();
        if !self.skipped.iter().any(|known| known == name) && self.skipped.len() < 20 {
            self.skipped.push(name.to_owned());
            self.warn(
                Code::UnknownElement,
                self.tag(element),
                format!("the element `{name}` is unknown and skipped"),
            );
        }
    }
    fn tag(&self, element: Element<'a, 'a>) -> Span {
        open_tag(self.source, element)
    }
    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }
    fn warn(&mut self, code: Code, span: Span, message: String) {
        self.warnings.push(Diagnostic::warning(code, span, message));
    }
}

/// What a label of an element says.
fn text_of<'a>(element: Element<'a, 'a>, label: &str) -> Option<(String, Element<'a, 'a>)> {
    let part = child(element, label)?;
    Some((content(part)?, part))
}

/// The text of a label: in `text`, in `value`, or directly in it.
fn content(label: Element<'_, '_>) -> Option<String> {
    let inner = child(label, "text").or_else(|| child(label, "value")).unwrap_or(label);
    inner.text().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn has_content(element: Element<'_, '_>) -> bool {
    element
        .descendants()
        .any(|inner| inner.is_text() && inner.text().is_some_and(|text| !text.trim().is_empty()))
        || child(element, "structure").is_some()
}
