//! What front-ends of XML documents share: reading one, where its elements are written, and writing texts.

use ir::Span;
use roxmltree::{Document, Error, Node, ParsingOptions};

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::text::Text;

/// A text as it stands in an element or an attribute; characters that no document may have are blanks there.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(c),
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Reads a document.
///
/// # Errors
/// Why it is no well-formed one, and where.
pub(crate) fn parse(source: &str) -> Result<Document<'_>, Diagnostic> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(source, options).map_err(|error| {
        let start = match error {
            // What is missing would stand at the end.
            Error::UnexpectedEndOfStream | Error::UnclosedRootNode => source.trim_end().len(),
            _ => offset(source, error.pos().row, error.pos().col),
        };
        Diagnostic::error(
            Code::NotXml,
            Span::new(start, start),
            format!("this is no well-formed XML: {error}"),
        )
    })
}

/// The byte at a row and a column, both counted from 1.
fn offset(source: &str, row: u32, column: u32) -> usize {
    let start: usize = source.split_inclusive('\n').take(row.saturating_sub(1) as usize).map(str::len).sum();
    let line = &source[start..];
    let column = line.char_indices().nth(column.saturating_sub(1) as usize);
    start + column.map_or(line.len(), |(at, _)| at)
}

/// The first element of this name within a node.
pub(crate) fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.tag_name().name() == name)
}

/// The opening tag of an element.
pub(crate) fn open_tag(source: &str, node: Node<'_, '_>) -> Span {
    let range = node.range();
    let mut quote = None;
    for (at, byte) in source.as_bytes()[range.clone()].iter().enumerate() {
        match (byte, quote) {
            (b'"' | b'\'', None) => quote = Some(*byte),
            (byte, Some(open)) if *byte == open => quote = None,
            (b'>', None) => return Span::new(range.start, range.start + at + 1),
            _ => {}
        }
    }
    Span::new(range.start, range.end)
}

/// The character a predefined or numeric entity stands for.
pub(crate) fn entity(name: &str) -> Option<char> {
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    })
}

/// The value of an attribute, with the places of its characters; white space in it is as it was written.
pub(crate) fn attribute(source: &str, node: Node<'_, '_>, name: &str) -> Option<Text> {
    let attribute = node.attributes().find(|attribute| attribute.name() == name)?;
    let range = attribute.range_value();
    let mut text = Text::at(range.start);
    let mut at = range.start;
    while at < range.end {
        let rest = &source[at..range.end];
        let plain = rest.find('&').unwrap_or(rest.len());
        text.push(&rest[..plain], at);
        at += plain;
        let Some(length) = source[at..range.end].find(';').map(|found| found + 1) else {
            text.push(&source[at..range.end], at);
            break;
        };
        match entity(&source[at + 1..at + length - 1]) {
            Some(character) => text.push_char(character, at, at + length),
            None => text.push(&source[at..at + length], at),
        }
        at += length;
    }
    Some(text)
}
