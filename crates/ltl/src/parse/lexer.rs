//! Tokens of a text that is part temporal logic and part any modelling language.
//!
//! Only what can be an operator or a bracket matters here; all else is told apart as words, numbers and symbols. Words
//! that are operators in some places only (`U`, `and`, `F`) are words: the parser knows the places.

use std::ops::Range;

/// A token, and where it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub at: Range<usize>,
}

/// What a token is, wherever it stands.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Word,
    /// A number, or text in quotes: an operand that is no name.
    Literal,
    Open,
    Close,
    Comma,
    Not,
    And,
    Or,
    Implies,
    Iff,
    LeadsTo,
    /// `[]`.
    Always,
    /// `<>`.
    Eventually,
    /// `○`.
    Next,
    /// `-` and `+`, which stand before operands as well as between them.
    Sign,
    /// Any other symbol of the modelling language.
    Symbol,
}

/// Symbols of more than one character, longest first, and those of one that mean something here.
const SYMBOLS: &[(&str, Kind)] = &[
    ("<->", Kind::Iff),
    ("<=>", Kind::Iff),
    ("-->", Kind::LeadsTo),
    ("~>", Kind::LeadsTo),
    ("->", Kind::Implies),
    ("=>", Kind::Implies),
    ("&&", Kind::And),
    ("/\\", Kind::And),
    ("||", Kind::Or),
    ("\\/", Kind::Or),
    ("[]", Kind::Always),
    ("<>", Kind::Eventually),
    ("<=", Kind::Symbol),
    (">=", Kind::Symbol),
    ("==", Kind::Symbol),
    ("!=", Kind::Symbol),
    ("/=", Kind::Symbol),
    ("&", Kind::And),
    ("|", Kind::Or),
    ("!", Kind::Not),
    ("~", Kind::Not),
    ("¬", Kind::Not),
    ("∧", Kind::And),
    ("∨", Kind::Or),
    ("→", Kind::Implies),
    ("⇒", Kind::Implies),
    ("↔", Kind::Iff),
    ("⇔", Kind::Iff),
    ("□", Kind::Always),
    ("◇", Kind::Eventually),
    ("○", Kind::Next),
    ("(", Kind::Open),
    ("[", Kind::Open),
    ("{", Kind::Open),
    (")", Kind::Close),
    ("]", Kind::Close),
    ("}", Kind::Close),
    (",", Kind::Comma),
    ("-", Kind::Sign),
    ("+", Kind::Sign),
];

/// The tokens of a text.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = vec![];
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        let while_so = |so: fn(char) -> bool| rest.find(|c| !so(c)).unwrap_or(rest.len());
        let (kind, length) = if first.is_whitespace() {
            start += first.len_utf8();
            continue;
        } else if first.is_alphabetic() || matches!(first, '_' | '$') {
            (Kind::Word, while_so(|c| c.is_alphanumeric() || matches!(c, '_' | '$')))
        } else if first.is_numeric() {
            (Kind::Literal, while_so(char::is_alphanumeric))
        } else if first == '"' {
            (Kind::Literal, rest[1..].find('"').map_or(rest.len(), |end| end + 2))
        } else if let Some((symbol, kind)) = SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol)) {
            (*kind, symbol.len())
        } else {
            (Kind::Symbol, first.len_utf8())
        };
        tokens.push(Token { kind, at: start..start + length });
        start += length;
    }
    tokens
}
