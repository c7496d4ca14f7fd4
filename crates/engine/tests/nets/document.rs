//! Nets as PNML documents, in the ways in which tools write them.

use std::collections::VecDeque;

use super::net::{Arc, Choices, Kind, Net, Node};

/// One of the documents that describe a net; places and transitions stand in the order of the net.
pub fn document(net: &Net, choices: &mut Choices) -> String {
    let mut writer = Writer { choices, references: VecDeque::new(), pages: 0 };
    let body = writer.body(net);
    let net_type =
        writer.choices.one_of(&["http://www.pnml.org/version-2009/grammar/ptnet", "ptnet", "P/T net"]);
    let head = writer.choices.one_of(&["", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"]);
    let space = writer.choices.one_of(&["", " xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\""]);
    let name = writer.label("name", "the net");
    let other = writer.choices.one_of(&["", "<net id=\"other\" type=\"ptnet\"><place id=\"p0\"/></net>\n"]);
    format!("{head}<pnml{space}>\n<net id=\"n\" type=\"{net_type}\">{name}\n{body}</net>\n{other}</pnml>\n")
}

/// A text within XML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

struct Writer<'a> {
    choices: &'a mut Choices,
    /// Nodes that stand for others, still to be written.
    references: VecDeque<String>,
    pages: usize,
}

impl Writer<'_> {
    fn body(&mut self, net: &Net) -> String {
        let places =
            net.places.iter().zip(&net.tokens).map(|(node, tokens)| self.place(node, *tokens)).collect();
        let transitions = net.transitions.iter().map(|node| self.node("transition", node, "")).collect();
        let arcs = net.arcs.iter().enumerate().map(|(at, arc)| self.arc(net, at, *arc)).collect();
        let mut queues: [VecDeque<String>; 4] =
            [places, transitions, arcs, std::mem::take(&mut self.references)];
        // What belongs to different kinds may come in any order, and on any page.
        let (mut text, mut open) = (String::new(), 0);
        loop {
            let waiting: Vec<usize> = (0..queues.len()).filter(|at| !queues[*at].is_empty()).collect();
            if waiting.is_empty() {
                return text + &"</page>\n".repeat(open);
            }
            let next = self.choices.one_of(&waiting);
            text.extend(queues[next].pop_front());
            match self.choices.below(8) {
                5 => {
                    self.pages += 1;
                    open += 1;
                    text += &format!("<page id=\"page{}\">\n", self.pages);
                }
                6 if open > 0 => {
                    open -= 1;
                    text += "</page>\n";
                }
                7 => text += "<toolspecific tool=\"t\" version=\"1\"><place id=\"p0\"/></toolspecific>\n",
                _ => {}
            }
        }
    }
    fn place(&mut self, node: &Node, tokens: u64) -> String {
        let silent = tokens == 0 && self.choices.once_in(2);
        let marking = if silent { String::new() } else { self.label("initialMarking", &tokens.to_string()) };
        self.node("place", node, &marking)
    }
    fn node(&mut self, tag: &str, node: &Node, rest: &str) -> String {
        let name = node.name.as_ref().map_or(String::new(), |name| self.label("name", &escaped(name)));
        format!("<{tag} id=\"{}\">{name}{rest}</{tag}>\n", node.id)
    }
    fn arc(&mut self, net: &Net, at: usize, arc: Arc) -> String {
        let place = self.end("referencePlace", &net.places[arc.place].id);
        let transition = self.end("referenceTransition", &net.transitions[arc.transition].id);
        let out = match arc.kind {
            Kind::Take | Kind::Inhibit => false,
            Kind::Give => true,
            Kind::Read => self.choices.once_in(2),
        };
        let (source, target) = if out { (transition, place) } else { (place, transition) };
        let word = match arc.kind {
            Kind::Take | Kind::Give => self.choices.one_of(&["", "normal"]),
            Kind::Read => self.choices.one_of(&["read", "test"]),
            Kind::Inhibit => "inhibitor",
        };
        let (attribute, element) = match self.choices.below(4) {
            _ if word.is_empty() => (String::new(), String::new()),
            0 => (format!(" type=\"{word}\""), String::new()),
            1 => (String::new(), format!("<type value=\"{word}\"/>")),
            2 => (String::new(), format!("<type>{word}</type>")),
            _ => (String::new(), self.label("type", word)),
        };
        let silent = arc.weight == 1 && self.choices.once_in(2);
        let weight = if silent { String::new() } else { self.label("inscription", &arc.weight.to_string()) };
        format!(
            "<arc id=\"a{at}\" source=\"{source}\" target=\"{target}\"{attribute}>{element}{weight}</arc>\n"
        )
    }
    /// The id of a node, or of one that stands for it, or for one that stands for it.
    fn end(&mut self, tag: &str, id: &str) -> String {
        if !self.choices.once_in(5) {
            return id.to_owned();
        }
        let reference = format!("r{}", self.references.len());
        self.references.push_back(format!("<{tag} id=\"{reference}\" ref=\"{id}\"/>\n"));
        self.end(tag, &reference)
    }
    fn label(&mut self, tag: &str, content: &str) -> String {
        let inner = match self.choices.below(3) {
            0 => format!("<text>{content}</text>"),
            1 => format!("<value>{content}</value>"),
            _ => format!("<graphics><offset x=\"1\" y=\"2\"/></graphics><text>\n  {content}\n</text>"),
        };
        format!("<{tag}>{inner}</{tag}>")
    }
}
