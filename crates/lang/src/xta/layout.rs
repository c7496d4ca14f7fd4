//! Positions for what has none in an XML document.
//!
//! A template is drawn in layers (Sugiyama, Tagawa and Toda, *Methods for visual understanding of hierarchical system
//! structures*, 1981, without dummy nodes): a location is as many layers down as edges lead to it from the initial one,
//! and within its layer it is near what it is connected with in the layer above. Edges are straight; a loop, one of
//! several between the same ends, and one that passes a layer get a nail beside their way. What has a position keeps it:
//! the document is copied as it is, and only attributes and nails are added.

use roxmltree::Node;
use rustc_hash::FxHashMap;

use crate::diagnostic::Diagnostic;
use crate::xml::{child, parse};

/// The document with positions.
///
/// # Errors
/// If it is no well-formed XML.
pub(crate) fn laid_out(document: &str) -> Result<String, Diagnostic> {
    let parsed = parse(document)?;
    let mut drawing = Drawing { added: vec![] };
    for template in parsed.descendants().filter(|node| node.has_tag_name("template")) {
        drawing.template(template);
    }
    drawing.added.sort_by_key(|(at, _)| *at);
    let (mut out, mut end) = (String::with_capacity(document.len()), 0);
    for (at, text) in drawing.added {
        out.extend([&document[end..at], &text]);
        end = at;
    }
    Ok(out + &document[end..])
}

/// Between locations of a layer, and between layers.
const STEP: (i64, i64) = (272, 136);
/// How far edges between the same ends keep apart.
const APART: i64 = 51;
/// The height of a line of text.
const LINE: i64 = 17;

type Point = (i64, i64);

struct Drawing {
    /// Texts, and where they go.
    added: Vec<(usize, String)>,
}

impl Drawing {
    fn template(&mut self, template: Node<'_, '_>) {
        let elements = || template.children().filter(Node::is_element);
        let is_end = |node: &Node<'_, '_>| node.has_tag_name("location") || node.has_tag_name("branchpoint");
        let nodes: Vec<Node<'_, '_>> = elements().filter(is_end).collect();
        if nodes.iter().all(|node| position(*node).is_some()) {
            return;
        }
        let ids = nodes.iter().enumerate().filter_map(|(at, node)| Some((node.attribute("id")?, at)));
        let ids: FxHashMap<&str, usize> = ids.collect();
        let end = |node: Node<'_, '_>, tag: &str| ids.get(child(node, tag)?.attribute("ref")?).copied();
        let edges = elements().filter(|node| node.has_tag_name("transition"));
        let edges = edges.filter_map(|node| Some((end(node, "source")?, end(node, "target")?, node)));
        let edges: Vec<(usize, usize, Node<'_, '_>)> = edges.collect();
        let ends: Vec<(usize, usize)> = edges.iter().map(|(from, to, _)| (*from, *to)).collect();
        let init = child(template, "init").and_then(|init| ids.get(init.attribute("ref")?).copied());
        let layers = layers(nodes.len(), &ends, init.unwrap_or(0));
        let mut points = places(&layers, &ends);
        for (node, point) in nodes.iter().zip(&mut points) {
            *point = position(*node).unwrap_or(*point);
            self.place(*node, *point);
            let texts = node.children().filter(Node::is_element);
            let texts = texts.filter(|text| text.has_tag_name("name") || text.has_tag_name("label"));
            for (line, text) in (0..).zip(texts) {
                // The name stands above, everything else below.
                let down = if line == 0 { -2 * LINE } else { line * LINE - 3 };
                self.place(text, (point.0 + 12, point.1 + down));
            }
        }
        let depth = |at: usize| layers.iter().position(|layer| layer.contains(&at)).unwrap_or(0);
        for (number, (from, to, node)) in edges.iter().enumerate() {
            let same = |&(a, b): &(usize, usize)| (a, b) == (*from, *to) || (b, a) == (*from, *to);
            let (before, all) =
                (ends[..number].iter().filter(|e| same(e)).count(), ends.iter().filter(|e| same(e)).count());
            let passes = depth(*from).abs_diff(depth(*to)) > 1;
            let nails = nails(points[*from], points[*to], before as i64, all > 1 || passes);
            let middle = nails.first().copied().unwrap_or_else(|| midway(points[*from], points[*to]));
            let labels = node.children().filter(|child| child.has_tag_name("label"));
            let labels: Vec<Node<'_, '_>> = labels.collect();
            let right = if from == to { -8 - widest(&labels) } else { 8 };
            let top = middle.1 - labels.len() as i64 * LINE / 2;
            for (line, label) in (0..).zip(labels) {
                self.place(label, (middle.0 + right, top + line * LINE));
            }
            self.nail(*node, &nails);
        }
    }
    /// Gives an element the coordinates that it lacks.
    fn place(&mut self, node: Node<'_, '_>, (x, y): Point) {
        let name = node.range().start + 1 + node.tag_name().name().len();
        let at = node.attributes().next_back().map_or(name, |attribute| attribute.range().end);
        for (name, value) in [("x", x), ("y", y)] {
            if node.attribute(name).is_none() {
                self.added.push((at, format!(" {name}=\"{value}\"")));
            }
        }
    }
    /// Gives an edge without nails some, behind everything else.
    fn nail(&mut self, node: Node<'_, '_>, nails: &[Point]) {
        if let Some(last) = node.last_element_child()
            && child(node, "nail").is_none()
        {
            let text = nails.iter().map(|(x, y)| format!("\n<nail x=\"{x}\" y=\"{y}\"/>"));
            self.added.push((last.range().end, text.collect()));
        }
    }
}

fn position(node: Node<'_, '_>) -> Option<Point> {
    let number = |name| node.attribute(name)?.trim().parse().ok();
    Some((number("x")?, number("y")?))
}

/// How wide texts are, roughly; a loop has its labels on its left.
fn widest(labels: &[Node<'_, '_>]) -> i64 {
    let texts = labels.iter().filter_map(|label| label.text()).flat_map(str::lines);
    7 * texts.map(|line| line.chars().count()).max().unwrap_or(0) as i64
}

/// Nodes by their distance from `first`; what it does not lead to comes below.
fn layers(count: usize, edges: &[(usize, usize)], first: usize) -> Vec<Vec<usize>> {
    let mut seen = vec![false; count];
    let mut layers = vec![];
    for start in std::iter::once(first).chain(0..count) {
        let mut layer = if start < count && !seen[start] { vec![start] } else { vec![] };
        layer.iter().for_each(|at| seen[*at] = true);
        while !layer.is_empty() {
            let mut next = vec![];
            for (_, to) in edges.iter().filter(|(from, _)| layer.contains(from)) {
                if !std::mem::replace(&mut seen[*to], true) {
                    next.push(*to);
                }
            }
            layers.push(std::mem::replace(&mut layer, next));
        }
    }
    layers
}

/// Where nodes are: each layer is ordered by the mean of what is connected with it in the layer above, and centred.
fn places(layers: &[Vec<usize>], edges: &[(usize, usize)]) -> Vec<Point> {
    let mut points = vec![(0, 0); layers.iter().map(Vec::len).sum()];
    let mut above: &[usize] = &[];
    for (depth, layer) in (0..).zip(layers) {
        let mean = |at: usize| {
            let ends = edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
            let near = ends.filter(|(end, other)| *end == at && above.contains(other));
            let near: Vec<i64> = near.map(|(_, other)| points[other].0).collect();
            near.iter().sum::<i64>() / near.len().max(1) as i64
        };
        let mut order: Vec<(i64, usize)> = layer.iter().map(|at| (mean(*at), *at)).collect();
        order.sort_by_key(|(mean, _)| *mean);
        let left = (layer.len() as i64 - 1) * STEP.0 / 2;
        for (column, (_, at)) in (0..).zip(order) {
            points[at] = (column * STEP.0 - left, depth * STEP.1);
        }
        above = layer;
    }
    points
}

fn midway(from: Point, to: Point) -> Point {
    ((from.0 + to.0) / 2, (from.1 + to.1) / 2)
}

/// Nails of an edge of which `before` others have the same ends: two for a loop, and one beside the middle for an edge
/// that must keep away from something.
fn nails(from: Point, to: Point, before: i64, away: bool) -> Vec<Point> {
    if from == to {
        let far = APART + before * APART;
        return vec![(from.0 - far, from.1 - LINE), (from.0 - far, from.1 + LINE)];
    }
    if !away {
        return vec![];
    }
    // To one side and to the other, farther each time; the sides do not depend on which end comes first.
    let side = if before % 2 == 0 { 1 } else { -1 };
    let (ends, far) = ((from.min(to), from.max(to)), side * APART * (before / 2 + 1));
    let (along, across) = (ends.1.0 - ends.0.0, ends.1.1 - ends.0.1);
    let length = ((along * along + across * across) as f64).sqrt().max(1.0);
    let shift = |way: i64| (way as f64 * far as f64 / length).round() as i64;
    let middle = midway(from, to);
    vec![(middle.0 - shift(across), middle.1 + shift(along))]
}
