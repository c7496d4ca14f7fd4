//! UPPAAL's XML documents.
//!
//! The document is read by a general parser; the text of labels is decoded here, with the place of
//! every character kept, so that errors point into the document. An entity that a document declares
//! itself stands for its text, if that is short and has no markup or entities in it.

use ir::{LocationKind, Span};
use roxmltree::Node;
use rustc_hash::FxHashMap;

use crate::code::Code as Cause;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::nearest::nearest;
use crate::question::Recorded;
use crate::text::Text;
use crate::xml::{child, open_tag, parse};
use crate::xta::ast::*;
use crate::xta::declaration::{End, connect};
use crate::xta::lexer::{Token, Tokens};
use crate::xta::parser::{Parse, Parser};

/// Reads a whole document.
pub(crate) fn model(
    source: &str,
    ast: &mut Ast,
    diagnostics: &mut Diagnostics,
    warnings: &mut Vec<Diagnostic>,
) {
    let document = match parse(source) {
        Ok(document) => document,
        Err(error) => return diagnostics.push(error),
    };
    let entities = declared_entities(&source[..document.root_element().range().start]);
    let mut reader = Reader { source, entities, ast, diagnostics, warnings };
    reader.nta(document.root_element());
}

struct Reader<'s, 'a> {
    source: &'s str,
    /// What the document calls a text.
    entities: FxHashMap<&'s str, &'s str>,
    ast: &'a mut Ast,
    diagnostics: &'a mut Diagnostics,
    warnings: &'a mut Vec<Diagnostic>,
}

impl Reader<'_, '_> {
    fn error(&mut self, code: Cause, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }
    fn nta(&mut self, root: Node<'_, '_>) {
        if root.tag_name().name() != "nta" && root.tag_name().name() != "project" {
            let message = format!("expected an `nta` document, found `{}`", root.tag_name().name());
            return self.error(Cause::WrongDocument, open_tag(self.source, root), message);
        }
        // Templates see the global declarations, wherever these are written.
        for declaration in root.children().filter(|child| child.has_tag_name("declaration")) {
            let text = self.text(declaration);
            let mut parser = self.parser(&text);
            parser.declarations();
            if parser.token != Token::End {
                let _ = parser.unexpected::<()>("a declaration");
            }
        }
        let mut systems = vec![];
        for child in root.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "declaration" | "imports" => {}
                "template" => self.template(child),
                "system" => systems.push(child),
                // Older documents keep instances apart from the system line.
                "instantiation" => systems.insert(0, child),
                "queries" => self.queries(child),
                "lsc" => {
                    let message =
                        "a live sequence chart has no influence on what is asked here and is ignored";
                    self.warn(Cause::IgnoredPart, open_tag(self.source, child), message.to_owned());
                    if let Some(ident) = self.name_of(child) {
                        self.ast.decls.push(Decl::Unread(ident));
                    }
                }
                _ => self.stranger(child, &["declaration", "template", "system", "instantiation", "queries"]),
            }
        }
        for system in systems {
            let text = self.text(system);
            let mut parser = self.parser(&text);
            parser.declarations();
            parser.after_declarations();
        }
    }
    /// An element that does not belong where it is: a mistake if it looks like one that does, else left out
    /// with a warning, as the decoration of another program.
    fn stranger(&mut self, node: Node<'_, '_>, known: &[&str]) {
        let name = node.tag_name().name();
        let span = open_tag(self.source, node);
        match nearest(name, known.iter().copied()) {
            Some(near) => self.error(
                Cause::UnknownElement,
                span,
                format!("the element `{name}` is unknown; did you mean `{near}`?"),
            ),
            None => self.warn(
                Cause::UnknownElement,
                span,
                format!("the element `{name}` is unknown here and skipped"),
            ),
        }
    }
    /// A label of an unknown kind, likewise.
    fn strange_label(&mut self, node: Node<'_, '_>, kind: Option<&str>, known: &[&str]) {
        let span = open_tag(self.source, node);
        let Some(kind) = kind else {
            return self.error(Cause::MissingPart, span, "the label has no `kind`");
        };
        match nearest(kind, known.iter().copied()) {
            Some(near) => {
                self.error(
                    Cause::UnknownElement,
                    span,
                    format!("the label of kind `{kind}` is unknown; did you mean `{near}`?"),
                );
            }
            None => self.warn(
                Cause::UnknownElement,
                span,
                format!("the label of kind `{kind}` is unknown here and skipped"),
            ),
        }
    }
    fn no_location(&mut self, node: Node<'_, '_>, id: &str) {
        let span = open_tag(self.source, node);
        self.diagnostics.push(Diagnostic::unknown(span, "location with id", id, None));
    }
    fn warn(&mut self, code: Cause, span: Span, message: String) {
        self.warnings.push(Diagnostic::warning(code, span, message));
    }
    fn parser<'t, 'r>(&'r mut self, text: &'t Text) -> Parser<'t, 'r> {
        Parser::new(text, self.ast, self.diagnostics, self.warnings)
    }
    /// Parses the whole text of an element; nothing if it is blank.
    fn read<T>(&mut self, text: &Text, parse: impl FnOnce(&mut Parser<'_, '_>) -> Parse<T>) -> Option<T> {
        let mut parser = self.parser(text);
        if parser.token == Token::End {
            return None;
        }
        let result = parse(&mut parser).ok()?;
        // A final semicolon is a habit from the other notation.
        parser.eat(Token::Semicolon);
        if parser.token != Token::End {
            let _ = parser.unexpected::<()>("an operator or the end of the text");
            return None;
        }
        Some(result)
    }
    fn template(&mut self, node: Node<'_, '_>) {
        let here = open_tag(self.source, node);
        let Some(ident) = self.name_of(node) else {
            return self.error(Cause::MissingPart, here, "the template has no name");
        };
        let mut template = Template {
            ident,
            params: vec![],
            decls: vec![],
            declared: here,
            locations: vec![],
            initial: None,
            edges: vec![],
            branches: vec![],
        };
        let mut known: FxHashMap<String, End> = FxHashMap::default();
        let mut taken: FxHashMap<Name, Span> = FxHashMap::default();
        let mut transitions = vec![];
        let mut initial = None;
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "name" => {}
                "parameter" => {
                    let text = self.text(child);
                    template.params = self.read(&text, |parser| parser.params()).unwrap_or_default();
                }
                "declaration" => {
                    let text = self.text(child);
                    let mut parser = self.parser(&text);
                    while parser.token != Token::End {
                        parser.local_declarations(&mut template.decls);
                        if parser.token != Token::End {
                            let _ = parser.unexpected::<()>("a declaration");
                            parser.bump();
                        }
                    }
                }
                "location" => {
                    let location = self.location(child);
                    if let Some(first) = taken.insert(location.ident.name, location.ident.span) {
                        let message = format!(
                            "there are two locations `{}`; rename one",
                            self.ast.names.text(location.ident.name)
                        );
                        let diagnostic =
                            Diagnostic::error(Cause::DuplicateName, location.ident.span, message);
                        self.diagnostics.push(diagnostic.note(first, "the first one is here"));
                    }
                    if let Some(id) = child.attribute("id") {
                        known.insert(id.to_owned(), End::Location(template.locations.len()));
                    }
                    template.locations.push(location);
                }
                "branchpoint" => {
                    if let Some(id) = child.attribute("id") {
                        known.insert(id.to_owned(), End::Branch(template.branches.len()));
                        let ident =
                            Ident { name: self.ast.names.intern(id), span: open_tag(self.source, child) };
                        template.branches.push(Branch { ident, incoming: vec![], outgoing: vec![] });
                    }
                }
                "init" => {
                    if initial.replace(child).is_some() {
                        let message = "the template has two initial locations; remove one";
                        self.error(Cause::RepeatedPart, open_tag(self.source, child), message);
                    }
                }
                "transition" => transitions.push(child),
                _ => self
                    .stranger(child, &["name", "parameter", "declaration", "location", "init", "transition"]),
            }
        }
        match initial.and_then(|init| init.attribute("ref").map(|id| (init, id))) {
            Some((init, id)) => match known.get(id) {
                Some(End::Location(at)) => template.initial = Some(*at),
                _ => self.no_location(init, id),
            },
            None => {
                let name = self.ast.names.text(ident.name);
                let message = format!("the template `{name}` has no initial location");
                self.error(Cause::MissingPart, ident.span, message);
            }
        }
        for transition in transitions {
            self.transition(transition, &known, &mut template);
        }
        let template = self.ast.templates.push(template);
        self.ast.decls.push(Decl::Template(template));
    }
    fn name_of(&mut self, node: Node<'_, '_>) -> Option<Ident> {
        let name = child(node, "name")?;
        let text = self.text(name);
        let mut parser = self.parser(&text);
        if parser.token == Token::End {
            return None;
        }
        let ident = parser.ident("a name").ok()?;
        if parser.token != Token::End {
            let _ = parser.unexpected::<()>("the end of the name");
        }
        Some(ident)
    }
    fn location(&mut self, node: Node<'_, '_>) -> Location {
        let given = self.name_of(node);
        let named = given.is_some();
        let ident = given.unwrap_or_else(|| {
            // An unnamed location is known by its id.
            let id = node.attribute("id").unwrap_or("location");
            Ident { name: self.ast.names.intern(id), span: open_tag(self.source, node) }
        });
        let mut kind = LocationKind::Normal;
        let (mut invariant, mut rate) = (vec![], None);
        for child in node.children().filter(Node::is_element) {
            match (child.tag_name().name(), child.attribute("kind")) {
                ("urgent", _) if kind == LocationKind::Normal => kind = LocationKind::Urgent,
                ("committed", _) => kind = LocationKind::Committed,
                ("label", Some("invariant")) => {
                    let text = self.text(child);
                    invariant = self.read(&text, |parser| parser.exprs()).unwrap_or_default();
                }
                ("label", Some("exponentialrate")) => {
                    let (text, place) = (self.text(child), open_tag(self.source, child));
                    rate = self.read(&text, |parser| parser.rate(place));
                }
                ("name" | "urgent", _) | ("label", Some("comments" | "testcodeEnter" | "testcodeExit")) => {}
                ("label", kind) => self.strange_label(child, kind, &["invariant"]),
                _ => self.stranger(child, &["name", "label", "urgent", "committed"]),
            }
        }
        Location { ident, named, invariant, rate, kind }
    }
    fn transition(&mut self, node: Node<'_, '_>, known: &FxHashMap<String, End>, template: &mut Template) {
        let span = open_tag(self.source, node);
        for other in node.children().filter(Node::is_element) {
            if !["source", "target", "label", "nail"].contains(&other.tag_name().name()) {
                self.stranger(other, &["source", "target", "label", "nail"]);
            }
        }
        let ends = ["source", "target"].map(|end| {
            let Some(found) = child(node, end) else {
                self.error(Cause::MissingPart, span, format!("the transition has no {end}"));
                return None;
            };
            let id = found.attribute("ref").unwrap_or_default();
            if !known.contains_key(id) {
                self.no_location(found, id);
            }
            known.get(id).copied()
        });
        let mut edge = Edge::at(span);
        let mut given: Vec<&str> = vec![];
        for label in node.children().filter(|child| child.has_tag_name("label")) {
            let text = self.text(label);
            let kind = label.attribute("kind").unwrap_or_default();
            if given.contains(&kind) && kind != "comments" {
                let message = format!("the transition has two labels of kind `{kind}`; write one");
                self.error(Cause::RepeatedPart, open_tag(self.source, label), message);
            }
            given.push(kind);
            match kind {
                "select" => {
                    edge.select = self.read(&text, |parser| parser.selection()).unwrap_or_default();
                }
                "guard" => edge.guard = self.read(&text, |parser| parser.exprs()).unwrap_or_default(),
                "synchronisation" => edge.sync = self.read(&text, |parser| parser.sync()),
                "assignment" => {
                    edge.update = self.read(&text, |parser| parser.updates()).unwrap_or_default();
                }
                "probability" => {
                    let place = open_tag(self.source, label);
                    edge.weight = self.read(&text, |parser| parser.weight(place));
                }
                "comments" | "testcode" => {}
                _ => {
                    let known = ["select", "guard", "synchronisation", "assignment"];
                    self.strange_label(label, label.attribute("kind"), &known);
                }
            }
        }
        // An edge that leads nowhere is put somewhere, so that its labels are looked at.
        if template.locations.is_empty() {
            return;
        }
        let [from, to] = ends.map(|end| end.unwrap_or(End::Location(0)));
        if let Err(error) = connect(template, edge, from, to) {
            self.diagnostics.push(error);
        }
    }
    fn queries(&mut self, node: Node<'_, '_>) {
        for query in node.children().filter(|child| child.has_tag_name("query")) {
            let Some(formula) = child(query, "formula") else { continue };
            let text = self.text(formula);
            // A formula that is empty or a comment is a heading.
            if Tokens::new(&text).is_empty() {
                continue;
            }
            let body = crate::xta::query::parse(&text, self.ast);
            let span = open_tag(self.source, formula);
            let recorded = self.recorded(query);
            self.ast.queries.push(Formula { text: text.decoded, span, body, recorded });
        }
    }
    /// What a document says about the answer to a query: what is expected, or else what came out before. A warning
    /// names what contradicts it.
    fn recorded(&mut self, query: Node<'_, '_>) -> Option<Recorded> {
        let named = |name: &'static str| query.children().filter(move |child| child.has_tag_name(name));
        let mut all = named("expect").chain(named("result"));
        let first = all.next()?;
        let says = recorded(first);
        for other in all {
            let also = recorded(other);
            let [one, another] = [(first, &says), (other, &also)]
                .map(|(node, said)| format!("`{}` says {}", node.tag_name().name(), in_words(said)));
            let differ = says.holds.zip(also.holds).is_some_and(|(a, b)| a != b)
                || says.value.as_ref().zip(also.value.as_ref()).is_some_and(|(a, b)| a.trim() != b.trim());
            if differ {
                let message = format!(
                    "two records of one query contradict each other: {one}, which counts, and {another}"
                );
                self.warn(Cause::RepeatedPart, open_tag(self.source, other), message);
            }
        }
        Some(says)
    }
    /// The text of an element.
    fn text(&mut self, node: Node<'_, '_>) -> Text {
        let range = node.range();
        let whole = &self.source[range.clone()];
        let start = open_tag(self.source, node).end as usize - range.start;
        let end = if whole.ends_with("/>") && start >= whole.len() {
            start
        } else {
            whole.rfind("</").unwrap_or(whole.len()).max(start)
        };
        let mut text = Text::at(range.start + start);
        let mut at = start;
        while at < end {
            let rest = &whole[at..end];
            let here = range.start + at;
            let special = rest.find(['&', '<']).unwrap_or(rest.len());
            if special > 0 {
                text.push(&rest[..special], here);
                at += special;
                continue;
            }
            let skip = |close: &str| rest.find(close).map_or(rest.len(), |found| found + close.len());
            if let Some(inner) = rest.strip_prefix("<![CDATA[") {
                let length = inner.find("]]>").unwrap_or(inner.len());
                text.push(&inner[..length], here + 9);
                at += (9 + length + 3).min(rest.len());
            } else if rest.starts_with("<!--") {
                at += skip("-->");
            } else if rest.starts_with("<?") {
                at += skip("?>");
            } else if rest.starts_with('<') {
                at += skip(">");
            } else {
                let length = skip(";");
                let name = &rest[1..length.max(2) - 1];
                match (crate::xml::entity(name), self.entities.get(name)) {
                    (Some(character), _) => text.push_char(character, here, here + length),
                    (None, Some(stands_for)) => {
                        stands_for.chars().for_each(|c| text.push_char(c, here, here + length));
                    }
                    (None, None) => {
                        let message = format!("the entity `{}` is not supported", &rest[..length]);
                        self.error(Cause::UnsupportedPart, Span::new(here, here + length), message);
                    }
                }
                at += length;
            }
        }
        text
    }
}

/// How long a text may be that a document has a name for, so that documents do not grow much when they are read.
const LONGEST_ENTITY: usize = 100;

/// The entities that the part before the root element declares as plain text. The first declaration of a name counts.
fn declared_entities(mut prolog: &str) -> FxHashMap<&str, &str> {
    let mut entities = FxHashMap::default();
    while let Some(at) = prolog.find("<!") {
        prolog = &prolog[at + 2..];
        if let Some(comment) = prolog.strip_prefix("--") {
            prolog = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let Some((name, rest)) = prolog.strip_prefix("ENTITY").and_then(|rest| {
            let rest = rest.trim_start();
            rest.split_once(char::is_whitespace)
        }) else {
            continue;
        };
        let rest = rest.trim_start();
        let Some(quote) = rest.chars().next().filter(|quote| matches!(quote, '"' | '\'')) else { continue };
        let Some((value, after)) = rest[1..].split_once(quote) else { break };
        prolog = after;
        if value.len() <= LONGEST_ENTITY && !value.contains(['&', '<', '%']) {
            entities.entry(name).or_insert(value);
        }
    }
    entities
}

/// A record, for people.
fn in_words(said: &Recorded) -> String {
    let outcome = said.holds.map(|holds| if holds { "satisfied" } else { "not satisfied" }.to_owned());
    let outcome = outcome.or_else(|| said.outcome.as_ref().map(|outcome| format!("`{}`", outcome.trim())));
    let value = said.value.as_ref().map(|value| format!("`{}`", value.trim()));
    let parts: Vec<String> = outcome.into_iter().chain(value).collect();
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(" with ") }
}

/// What an `expect` or `result` element says about its query.
fn recorded(node: Node<'_, '_>) -> Recorded {
    let attribute = |name: &str| node.attribute(name).map(str::to_owned);
    let outcome = attribute("outcome");
    let holds = match outcome.as_ref().map(|outcome| outcome.trim().to_ascii_lowercase()).as_deref() {
        Some("success" | "satisfied" | "true") => Some(true),
        Some("failure" | "not satisfied" | "false") => Some(false),
        _ => None,
    };
    let outcome = outcome.filter(|_| holds.is_none());
    Recorded { holds, outcome, value: attribute("value"), when: attribute("timestamp") }
}
