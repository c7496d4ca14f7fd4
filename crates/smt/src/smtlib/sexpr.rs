//! S-expressions: what solvers answer with.

use std::fmt;

/// An atom or a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sexpr {
    /// A symbol without its bars, a number or a text with its quotes.
    Atom(String),
    /// A list.
    List(Vec<Sexpr>),
}

impl fmt::Display for Sexpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sexpr::Atom(text) => f.write_str(text),
            Sexpr::List(list) => {
                f.write_str("(")?;
                for (at, part) in list.iter().enumerate() {
                    write!(f, "{}{part}", if at == 0 { "" } else { " " })?;
                }
                f.write_str(")")
            }
        }
    }
}

/// Deeper expressions are garbage; they would also need a deep stack.
const DEEPEST: usize = 5_000;

impl Sexpr {
    /// Reads one expression; `None` if the text is not exactly one, or nested beyond reason.
    pub fn parse(text: &str) -> Option<Sexpr> {
        let mut open: Vec<Vec<Sexpr>> = vec![vec![]];
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            match first {
                '(' if open.len() > DEEPEST => return None,
                '(' => {
                    open.push(vec![]);
                    rest = &rest[1..];
                }
                ')' => {
                    let list = open.pop()?;
                    open.last_mut()?.push(Sexpr::List(list));
                    rest = &rest[1..];
                }
                ';' => rest = rest.split_once('\n').map_or("", |(_, rest)| rest),
                '|' | '"' => {
                    let end = rest[1..].find(first)? + 1;
                    let atom = if first == '|' { &rest[1..end] } else { &rest[..=end] };
                    open.last_mut()?.push(Sexpr::Atom(atom.to_owned()));
                    rest = &rest[end + 1..];
                }
                _ => {
                    let end =
                        rest.find(|c: char| c.is_whitespace() || "()|\";".contains(c)).unwrap_or(rest.len());
                    open.last_mut()?.push(Sexpr::Atom(rest[..end].to_owned()));
                    rest = &rest[end..];
                }
            }
            rest = rest.trim_start();
        }
        let [list] = <[Vec<Sexpr>; 1]>::try_from(open).ok()?;
        <[Sexpr; 1]>::try_from(list).ok().map(|[only]| only)
    }
    /// The parts of a list.
    pub fn list(&self) -> Option<&[Sexpr]> {
        match self {
            Sexpr::List(list) => Some(list),
            Sexpr::Atom(_) => None,
        }
    }
    /// The text of an atom.
    pub fn atom(&self) -> Option<&str> {
        match self {
            Sexpr::Atom(text) => Some(text),
            Sexpr::List(_) => None,
        }
    }
}

/// Finds the ends of expressions in a stream of bytes.
#[derive(Default)]
pub struct Splitter {
    current: Vec<u8>,
    depth: usize,
    quote: Option<u8>,
    comment: bool,
}

impl Splitter {
    /// Takes the next byte; an expression if it ended one. Lone closing parentheses count as one.
    pub fn push(&mut self, byte: u8) -> Option<String> {
        if self.comment {
            self.comment = byte != b'\n';
            return None;
        }
        if let Some(quote) = self.quote {
            self.current.push(byte);
            if byte == quote {
                self.quote = None;
                return self.finish_if(self.depth == 0);
            }
            return None;
        }
        match byte {
            b';' => self.comment = true,
            b'|' | b'"' => {
                self.current.push(byte);
                self.quote = Some(byte);
            }
            b'(' => {
                self.current.push(byte);
                self.depth += 1;
            }
            b')' => {
                self.current.push(byte);
                self.depth = self.depth.saturating_sub(1);
                return self.finish_if(self.depth == 0);
            }
            b' ' | b'\t' | b'\r' | b'\n' if self.depth == 0 => return self.finish_if(true),
            _ => self.current.push(byte),
        }
        None
    }
    /// How much is waiting for its end.
    pub fn waiting(&self) -> usize {
        self.current.len()
    }
    fn finish_if(&mut self, ended: bool) -> Option<String> {
        if !ended || self.current.is_empty() {
            return None;
        }
        let bytes = std::mem::take(&mut self.current);
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_split_and_read() {
        let text = "sat\n((|a b| (- 5)) ; (\n (c \"x)\"))\nunsat\n";
        let mut splitter = Splitter::default();
        let parts: Vec<String> = text.bytes().filter_map(|byte| splitter.push(byte)).collect();
        let read: Vec<String> = parts.iter().map(|part| Sexpr::parse(part).unwrap().to_string()).collect();
        assert_eq!(read, ["sat", "((a b (- 5)) (c \"x)\"))", "unsat"]);
    }

    #[test]
    fn garbage_is_not_an_expression() {
        for text in ["", ")", "(", "a b", "|x"] {
            assert_eq!(Sexpr::parse(text), None, "{text}");
        }
    }
}
