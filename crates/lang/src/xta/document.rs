//! A `.xta` model as an XML document.
//!
//! The document is made of pieces of the text, found by the syntax tree: global declarations in order, each template
//! with its parameters, local declarations and labels, and behind them the instances and the system line. What the user
//! wrote is copied, with the comments between declarations, so that names, numbers and spelling stay as they are; a
//! comment before a template becomes part of its declarations. Conditions that the text separates by commas are joined
//! by `&&`, which is how documents write them. A text of the oldest syntax stays one.
//!
//! Nothing has a position yet: that is [`super::layout`].

use std::fmt::Write;

use ir::{LocationKind, Role, Span};

use crate::xml::escaped;
use crate::xta::ast::*;

/// What UPPAAL says about its documents.
const HEAD: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
    <!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' \
    'http://www.it.uu.se/research/group/darts/uppaal/flat-1_2.dtd'>\n";

/// The document of a text that has been read without mistakes.
pub(crate) fn document(source: &str, ast: &Ast) -> String {
    let writer = Writer { source, ast };
    let (mut declarations, mut system) = (String::new(), String::new());
    let mut templates = vec![];
    let mut end = 0;
    for Piece { kind, span } in &ast.pieces {
        let (before, text) = (&source[end..span.start as usize], writer.text(*span));
        end = span.end as usize;
        match kind {
            PieceKind::Declaration => declarations.extend([before, text]),
            PieceKind::System => system.extend([before, text]),
            PieceKind::Template => templates.push(before),
            PieceKind::Queries => {}
        }
    }
    system.push_str(if ast.pieces.is_empty() { "" } else { &source[end..] });
    let mut out = format!("{HEAD}<nta>\n<declaration>{}</declaration>\n", escaped(declarations.trim()));
    let mut ids = 0;
    for (template, before) in ast.templates.iter().zip(templates) {
        writer.template(template, before, &mut ids, &mut out);
    }
    let _ = writeln!(out, "<system>{}</system>", escaped(system.trim()));
    writer.queries(&mut out);
    out + "</nta>\n"
}

struct Writer<'a> {
    source: &'a str,
    ast: &'a Ast,
}

impl Writer<'_> {
    fn text(&self, span: Span) -> &str {
        &self.source[span.start as usize..span.end as usize]
    }
    fn name(&self, ident: Ident) -> &str {
        self.ast.names.text(ident.name)
    }
    fn exprs(&self, list: &[ExprId], between: &str) -> String {
        let texts: Vec<&str> = list.iter().map(|expr| self.text(self.ast.exprs[*expr].span)).collect();
        texts.join(between)
    }
    /// All of these, as one expression.
    fn all(&self, list: &[ExprId]) -> String {
        match list {
            [] | [_] => self.exprs(list, ""),
            list => format!("({})", self.exprs(list, ") && (")),
        }
    }
    fn params(&self, params: &[Param]) -> String {
        let param = |Param { var, by_reference }: &Param| {
            let reference = if *by_reference { "&" } else { "" };
            let dims = var.dims.iter().map(|dim| match dim {
                Dim::Size(expr) => format!("[{}]", self.text(self.ast.exprs[*expr].span)),
                Dim::Type(ty) => format!("[{}]", self.text(self.ast.types[*ty].span)),
            });
            let (ty, name) = (self.text(self.ast.types[var.ty].span), self.name(var.ident));
            format!("{ty} {reference}{name}{}", dims.collect::<String>())
        };
        params.iter().map(param).collect::<Vec<_>>().join(", ")
    }
    fn template(&self, template: &Template, before: &str, ids: &mut usize, out: &mut String) {
        let _ = writeln!(out, "<template>\n<name>{}</name>", self.name(template.ident));
        if !template.params.is_empty() {
            let _ = writeln!(out, "<parameter>{}</parameter>", escaped(&self.params(&template.params)));
        }
        let declared = [before.trim(), self.text(template.declared).trim()].join("\n");
        if !declared.trim().is_empty() {
            let _ = writeln!(out, "<declaration>{}</declaration>", escaped(declared.trim()));
        }
        let first = *ids;
        let branches = first + template.locations.len();
        *ids = branches + template.branches.len();
        for (id, location) in (first..).zip(&template.locations) {
            self.location(id, location, out);
        }
        for id in branches..*ids {
            let _ = writeln!(out, "<branchpoint id=\"id{id}\"/>");
        }
        if let Some(initial) = template.initial {
            let _ = writeln!(out, "<init ref=\"id{}\"/>", first + initial);
        }
        for edge in &template.edges {
            self.edge(edge, first + edge.source, first + edge.target, out);
        }
        for (id, branch) in (branches..).zip(&template.branches) {
            branch.incoming.iter().for_each(|edge| self.edge(edge, first + edge.source, id, out));
            branch.outgoing.iter().for_each(|edge| self.edge(edge, id, first + edge.target, out));
        }
        out.push_str("</template>\n");
    }
    fn location(&self, id: usize, location: &Location, out: &mut String) {
        let _ = writeln!(out, "<location id=\"id{id}\">\n<name>{}</name>", self.name(location.ident));
        label("invariant", &self.all(&location.invariant), out);
        label("exponentialrate", location.rate.map_or("", |rate| self.text(rate)), out);
        out.push_str(match location.kind {
            LocationKind::Normal => "",
            LocationKind::Urgent => "<urgent/>\n",
            LocationKind::Committed => "<committed/>\n",
        });
        out.push_str("</location>\n");
    }
    fn edge(&self, edge: &Edge, source: usize, target: usize, out: &mut String) {
        let _ = writeln!(out, "<transition>\n<source ref=\"id{source}\"/>\n<target ref=\"id{target}\"/>");
        let selected = |(ident, ty): &(Ident, TypeId)| {
            format!("{} : {}", self.name(*ident), self.text(self.ast.types[*ty].span))
        };
        label("select", &edge.select.iter().map(selected).collect::<Vec<_>>().join(", "), out);
        label("guard", &self.all(&edge.guard), out);
        let sync = edge.sync.map(|Sync { channel, role }| {
            let side = match role {
                Role::Emit => "!",
                Role::Receive => "?",
                Role::Join => "",
            };
            self.exprs(&[channel], "") + side
        });
        label("synchronisation", &sync.unwrap_or_default(), out);
        label("assignment", &self.exprs(&edge.update, ", "), out);
        label("probability", edge.weight.map_or("", |weight| self.text(weight)), out);
        out.push_str("</transition>\n");
    }
    fn queries(&self, out: &mut String) {
        if self.ast.queries.is_empty() {
            return;
        }
        out.push_str("<queries>\n");
        for query in &self.ast.queries {
            let formula = escaped(self.text(query.span).trim());
            let _ = writeln!(out, "<query>\n<formula>{formula}</formula>\n<comment></comment>\n</query>");
        }
        out.push_str("</queries>\n");
    }
}

/// A label that says something.
fn label(kind: &str, text: &str, out: &mut String) {
    if !text.is_empty() {
        let _ = writeln!(out, "<label kind=\"{kind}\">{}</label>", escaped(text));
    }
}
