//! From a document to the statechart in it: regions, vertices and transitions, with the texts as they are written.
//!
//! A document is XMI: the statechart beside its picture, which is not looked at. Vertices have ids, and a transition
//! names its target by one.

use ir::Span;
use roxmltree::Node;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::text::Text;
use crate::xml;

/// How deep regions may be nested.
const NESTING: usize = 500;

/// A statechart.
pub(super) struct Chart {
    pub(super) name: String,
    pub(super) span: Span,
    /// The definition section.
    pub(super) specification: Text,
    pub(super) regions: Vec<Region>,
}

/// A region.
pub(super) struct Region {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) vertices: Vec<Vertex>,
}

/// A state or a pseudo-state.
pub(super) struct Vertex {
    pub(super) id: String,
    pub(super) kind: VertexKind,
    pub(super) name: String,
    pub(super) span: Span,
    /// The reactions of a state.
    pub(super) specification: Text,
    pub(super) regions: Vec<Region>,
    pub(super) outgoing: Vec<Arrow>,
}

/// What a vertex is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum VertexKind {
    State,
    Final,
    Initial,
    ShallowHistory,
    DeepHistory,
    Choice,
    Synchronization,
}

/// A transition.
pub(super) struct Arrow {
    pub(super) specification: Text,
    pub(super) target: String,
    pub(super) span: Span,
}

/// Reads the statechart of a document.
///
/// # Errors
/// That there is none. What else is wrong is told, and left out.
pub(super) fn read(source: &str, diagnostics: &mut Diagnostics) -> Result<Chart, Diagnostic> {
    let document = xml::parse(source)?;
    let root = document.root_element();
    let is_chart = |node: &Node<'_, '_>| node.tag_name().name() == "Statechart";
    let Some(node) = std::iter::once(root).chain(root.children()).find(is_chart) else {
        let message = "this is no document of Yakindu: it has no `sgraph:Statechart`";
        return Err(Diagnostic::error(Code::WrongDocument, xml::open_tag(source, root), message));
    };
    let mut reader = Reader { source, diagnostics, depth: 0 };
    Ok(Chart {
        name: node.attribute("name").unwrap_or("Statechart").to_owned(),
        span: xml::open_tag(source, node),
        specification: reader.specification(node),
        regions: reader.regions(node),
    })
}

struct Reader<'s, 'd> {
    source: &'s str,
    diagnostics: &'d mut Diagnostics,
    depth: usize,
}

impl Reader<'_, '_> {
    fn specification(&self, node: Node<'_, '_>) -> Text {
        xml::attribute(self.source, node, "specification").unwrap_or_default()
    }
    fn unsupported(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(Code::UnsupportedPart, span, message));
    }
    fn regions(&mut self, node: Node<'_, '_>) -> Vec<Region> {
        let regions = node.children().filter(|child| child.tag_name().name() == "regions");
        if self.depth == NESTING {
            if let Some(first) = regions.into_iter().next() {
                let message = format!("more than {NESTING} regions inside each other");
                let span = xml::open_tag(self.source, first);
                self.diagnostics.push(Diagnostic::error(Code::TooDeep, span, message));
            }
            return vec![];
        }
        self.depth += 1;
        let list = regions.map(|region| ir::deep(|| self.region(region))).collect();
        self.depth -= 1;
        list
    }
    fn region(&mut self, node: Node<'_, '_>) -> Region {
        let vertices = node.children().filter(|child| child.tag_name().name() == "vertices");
        Region {
            name: node.attribute("name").unwrap_or("").to_owned(),
            span: xml::open_tag(self.source, node),
            vertices: vertices.filter_map(|vertex| self.vertex(vertex)).collect(),
        }
    }
    fn vertex(&mut self, node: Node<'_, '_>) -> Option<Vertex> {
        let span = xml::open_tag(self.source, node);
        let attribute =
            |name: &str| node.attributes().find(|it| it.name() == name).map(|it| it.value().to_owned());
        let name = attribute("name").unwrap_or_default();
        let ty = attribute("type").unwrap_or_default();
        let ty = ty.rsplit(':').next().unwrap_or("");
        let kind = match (ty, attribute("kind").as_deref()) {
            ("State", _) => VertexKind::State,
            ("FinalState", _) => VertexKind::Final,
            ("Choice", _) => VertexKind::Choice,
            ("Synchronization", _) => VertexKind::Synchronization,
            ("Entry", None | Some("INITIAL" | "Initial")) => VertexKind::Initial,
            ("Entry", Some("SHALLOW_HISTORY")) => VertexKind::ShallowHistory,
            ("Entry", Some("DEEP_HISTORY")) => VertexKind::DeepHistory,
            ("Exit", _) => {
                self.unsupported(span, "exit points are not supported; lead the transition to its target");
                return None;
            }
            (other, _) => {
                self.unsupported(span, format!("vertices of the type `{other}` are not supported"));
                return None;
            }
        };
        if node.attributes().any(|it| it.name() == "substatechartId") {
            self.unsupported(
                span,
                format!("`{name}` is a statechart of another file, which is not supported"),
            );
        }
        let arrows = node.children().filter(|child| child.tag_name().name() == "outgoingTransitions");
        let outgoing = arrows.map(|arrow| self.arrow(arrow)).collect();
        Some(Vertex {
            id: attribute("id").unwrap_or_default(),
            kind,
            span,
            specification: self.specification(node),
            regions: self.regions(node),
            outgoing,
            name,
        })
    }
    fn arrow(&mut self, node: Node<'_, '_>) -> Arrow {
        let span = xml::open_tag(self.source, node);
        if node.children().any(|child| child.is_element() && child.tag_name().name() == "properties") {
            self.unsupported(span, "entry and exit points of transitions are not supported");
        }
        let target = node.attribute("target").unwrap_or("").to_owned();
        Arrow { specification: self.specification(node), target, span }
    }
}
