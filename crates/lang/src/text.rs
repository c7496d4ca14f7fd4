//! Pieces of text that know where they come from.
//!
//! In an XML document the language is spread over many labels and written with entities; a query may
//! be cut out of a file. The parser reads the decoded text of such a piece, and every place it tells
//! is mapped back into the text the user gave.

use ir::Span;

/// A text with the place of each of its bytes in the source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    /// The text as it is meant.
    pub(crate) decoded: String,
    /// The runs it is made of, in order.
    runs: Vec<Run>,
    /// The end in the source.
    end: u32,
}

#[derive(Copy, Clone, Debug)]
struct Run {
    /// Where it starts in the decoded text.
    at: u32,
    /// How it is written.
    source: Span,
    /// Whether every byte stands for itself, and not the whole for one character.
    verbatim: bool,
}

impl Text {
    /// A source that is read as it stands.
    pub(crate) fn verbatim(source: &str) -> Self {
        let mut text = Text::at(0);
        text.push(source, 0);
        text
    }
    /// An empty piece at a place.
    pub(crate) fn at(start: usize) -> Self {
        Text { end: start as u32, ..Text::default() }
    }
    /// Appends text that stands verbatim at `start`.
    pub(crate) fn push(&mut self, text: &str, start: usize) {
        if !text.is_empty() {
            self.run(Span::new(start, start + text.len()), true);
            self.decoded.push_str(text);
        }
    }
    /// Appends one character that is written as the source from `start` to `end`.
    pub(crate) fn push_char(&mut self, character: char, start: usize, end: usize) {
        self.run(Span::new(start, end), false);
        self.decoded.push(character);
    }
    fn run(&mut self, source: Span, verbatim: bool) {
        self.runs.push(Run { at: self.decoded.len() as u32, source, verbatim });
        self.end = source.end;
    }
    /// A part of it.
    pub(crate) fn part(&self, at: std::ops::Range<usize>) -> Text {
        let mut part = Text::at(self.place(Span::new(at.start, at.start)).start as usize);
        for (offset, character) in self.decoded[at.clone()].char_indices() {
            let first = at.start + offset;
            let Span { start, end, .. } = self.place(Span::new(first, first + character.len_utf8()));
            part.push_char(character, start as usize, end as usize);
        }
        part
    }
    /// Where a piece of `decoded` stands in the source.
    pub(crate) fn place(&self, span: Span) -> Span {
        if span.end <= span.start {
            let start = if (span.start as usize) < self.decoded.len() {
                self.byte(span.start).start
            } else {
                self.end
            };
            return Span::new(start as usize, start as usize);
        }
        self.byte(span.start).to(self.byte(span.end - 1))
    }
    /// Where the text ends in the source.
    pub(crate) fn end(&self) -> Span {
        Span::new(self.end as usize, self.end as usize)
    }
    fn byte(&self, at: u32) -> Span {
        let after = self.runs.partition_point(|run| run.at <= at);
        let Some(run) = after.checked_sub(1).map(|index| self.runs[index]) else { return self.end() };
        if run.verbatim {
            let start = run.source.start + (at - run.at);
            Span { start, end: start + 1, ..run.source }
        } else {
            run.source
        }
    }
}
