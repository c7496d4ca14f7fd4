//! The texts the user gave, with their names and the places in them.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use ir::{FileId, Span};
use lang::ImportError;
use serde::Serialize;

/// The files of a model; the one that was named is the first.
#[derive(Debug, Clone)]
pub struct Sources {
    files: Vec<Source>,
    /// The numbers of those that are imported.
    imported: HashMap<String, FileId>,
}

/// A part of a text; lines and columns count from 1, columns in characters.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Region {
    /// Where it starts.
    pub line: usize,
    /// Where it starts in that line.
    pub column: usize,
    /// Where it ends.
    pub end_line: usize,
    /// Just behind its last character.
    pub end_column: usize,
}

impl Sources {
    /// A model in one file.
    pub fn new(main: Source) -> Self {
        Sources { files: vec![main], imported: HashMap::new() }
    }
    /// Adds a file that is imported, unless it is there already.
    ///
    /// # Errors
    /// If there are too many.
    pub fn add(&mut self, source: Source) -> Result<FileId, ImportError> {
        if source.name == self.main().name {
            return Ok(FileId::default());
        }
        if let Some(known) = self.imported.get(&source.name) {
            return Ok(*known);
        }
        let file = FileId(u16::try_from(self.files.len()).map_err(|_| ImportError::TooMany)?);
        self.imported.insert(source.name.clone(), file);
        self.files.push(source);
        Ok(file)
    }
    /// The file that was named.
    pub fn main(&self) -> &Source {
        &self.files[0]
    }
    /// All files, the one that was named first.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.files.iter()
    }
    /// A file.
    pub fn file(&self, file: FileId) -> &Source {
        &self.files[usize::from(file.0)]
    }
    /// The file that a place is in.
    pub fn of(&self, span: Span) -> &Source {
        self.file(span.file)
    }
    /// The file that a place is in, unless it is the one that was named.
    pub fn other_file(&self, span: Span) -> Option<&str> {
        (span.file != FileId::default()).then(|| self.of(span).name.as_str())
    }
    /// A place as people write it: `model.xsts:3:7`.
    pub fn place(&self, span: Span) -> String {
        let source = self.of(span);
        let (line, column) = source.start(span);
        format!("{}:{line}:{column}", source.name)
    }
}

/// A text and what it is called in messages.
#[derive(Debug, Clone)]
pub struct Source {
    /// The file name as given, or what else the text came from.
    pub name: String,
    /// The text.
    pub text: Arc<str>,
    /// Where lines start; found when first needed.
    starts: OnceLock<Vec<u32>>,
}

impl Source {
    /// A text called `name`.
    pub fn new(name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        Source { name: name.into(), text: text.into(), starts: OnceLock::new() }
    }
    /// Line and column of a byte offset, both from 1; columns count characters.
    pub fn place(&self, offset: usize) -> (usize, usize) {
        let offset = self.boundary(offset);
        let line = self.starts().partition_point(|start| *start as usize <= offset);
        let start = self.starts()[line - 1] as usize;
        (line, self.text[start..offset].chars().count() + 1)
    }
    /// Line and column where a span starts.
    pub fn start(&self, span: Span) -> (usize, usize) {
        self.place(span.start as usize)
    }
    /// The lines and columns of a span.
    pub fn region(&self, span: Span) -> Region {
        let (line, column) = self.start(span);
        let (end_line, end_column) = self.place(span.end.max(span.start) as usize);
        Region { line, column, end_line, end_column }
    }
    /// Line and column where a span starts, unless it is the empty one of what has no text.
    pub fn written_at(&self, span: Span) -> Option<(usize, usize)> {
        (span != Span::default()).then(|| self.start(span))
    }
    /// The bytes of line number `line`, without its end.
    pub fn line(&self, line: usize) -> std::ops::Range<usize> {
        let start = self.starts()[line - 1] as usize;
        let end = self.starts().get(line).map_or(self.text.len(), |next| *next as usize - 1);
        let text = &self.text[start..end];
        start..start + text.strip_suffix('\r').unwrap_or(text).len()
    }
    /// The nearest place at or before `offset` where a character starts.
    pub fn boundary(&self, offset: usize) -> usize {
        let mut at = offset.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
    /// The text of a span.
    pub fn slice(&self, span: Span) -> &str {
        let start = self.boundary(span.start as usize);
        &self.text[start..self.boundary(span.end as usize).max(start)]
    }
    fn starts(&self) -> &[u32] {
        self.starts.get_or_init(|| {
            let ends = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters() {
        let source = Source::new("m", "ab\nčd\n");
        assert_eq!(source.place(0), (1, 1));
        assert_eq!(source.place(2), (1, 3));
        assert_eq!(source.place(3), (2, 1));
        assert_eq!(source.place(5), (2, 2));
        assert_eq!(source.place(4), (2, 1), "within a character");
        assert_eq!(source.place(999), (3, 1));
        assert_eq!(source.line(2), 3..6);
        assert_eq!(source.line(3), 7..7);
    }

    #[test]
    fn files_are_told_apart_as_long_as_there_are_numbers() {
        let mut sources = Sources::new(Source::new("main", ""));
        assert_eq!(sources.add(Source::new("main", "")).ok(), Some(FileId(0)));
        for number in 1..=u16::MAX {
            assert_eq!(sources.add(Source::new(number.to_string(), "")).ok(), Some(FileId(number)));
        }
        assert!(matches!(sources.add(Source::new("one more", "")), Err(ImportError::TooMany)));
        assert_eq!(sources.add(Source::new("7", "")).ok(), Some(FileId(7)));
    }

    #[test]
    fn lines_may_end_as_on_windows() {
        let source = Source::new("m", "ab\r\ncd\r\n");
        assert_eq!((source.line(1), source.line(2)), (0..2, 4..6));
        let region = source.region(Span::new(1, 5));
        assert_eq!((region.line, region.column, region.end_line, region.end_column), (1, 2, 2, 2));
    }
}
