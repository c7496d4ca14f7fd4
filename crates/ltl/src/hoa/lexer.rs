//! Tokens of the Hanoi format.

use super::Problem;

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A word with a colon after it.
    Header(String),
    Word(String),
    Alias(String),
    Text(String),
    Number(u32),
    Symbol(char),
    /// `--BODY--` and its like, without the dashes.
    Section(String),
}

/// The tokens, each with the byte where it begins.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, usize)>, (usize, Problem)> {
    let mut tokens = vec![];
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let start = at;
        let token = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if rest.starts_with("/*") {
            at += comment(rest).ok_or((start, Problem::Unfinished))?;
            continue;
        } else if first == '"' {
            let (text, length) = quoted(rest).ok_or((start, Problem::Unfinished))?;
            at += length;
            Token::Text(text)
        } else if first.is_ascii_digit() {
            let digits = run(rest, |c| c.is_ascii_digit());
            at += digits.len();
            Token::Number(digits.parse().map_err(|_| (start, Problem::TooLarge))?)
        } else if first.is_ascii_alphabetic() || first == '_' {
            let word = run(rest, in_word);
            at += word.len();
            let colon = text[at..].starts_with(':');
            at += usize::from(colon);
            if colon { Token::Header(word.to_owned()) } else { Token::Word(word.to_owned()) }
        } else if first == '@' {
            let word = run(&rest[1..], in_word);
            at += 1 + word.len();
            Token::Alias(word.to_owned())
        } else if let Some(section) = rest.strip_prefix("--") {
            let name = run(section, |c| c.is_ascii_uppercase());
            at += 2 + name.len();
            at += if text[at..].starts_with("--") { 2 } else { return Err((start, Problem::Unexpected)) };
            Token::Section(name.to_owned())
        } else if "!&|()[]{}".contains(first) {
            at += 1;
            Token::Symbol(first)
        } else {
            return Err((start, Problem::Unexpected));
        };
        tokens.push((token, start));
    }
    Ok(tokens)
}

const fn in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// The characters at the beginning that are so.
fn run(text: &str, so: impl Fn(char) -> bool) -> &str {
    &text[..text.find(|c| !so(c)).unwrap_or(text.len())]
}

/// The length of the comment at the beginning, with those inside it.
fn comment(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    loop {
        let rest = text.get(at..)?;
        let (change, length) = match rest.as_bytes() {
            [b'/', b'*', ..] => (1, 2),
            [b'*', b'/', ..] => (-1, 2),
            _ => (0, rest.chars().next()?.len_utf8()),
        };
        depth += change;
        at += length;
        if depth == 0 {
            return Some(at);
        }
    }
}

/// The text in quotes at the beginning, and its length with them.
fn quoted(text: &str) -> Option<(String, usize)> {
    let mut inside = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Some((inside, at + 1)),
            '\\' => inside.push(characters.next()?.1),
            _ => inside.push(c),
        }
    }
    None
}
