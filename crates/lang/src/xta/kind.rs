//! The kinds of UPPAAL's queries, by how they are written.
//!
//! A query tells its kind by its first words; only the bounds in `E[…]` and the operator in `A[… U …]` come later. Those
//! that are about states are read and decided. Statistics, games, strategies, specifications and scenarios are not: they
//! are known by their beginning and never parsed, so that whatever they hold is no mistake. Query files are cut into
//! queries by the same words.

use crate::xta::lexer::Token;

/// What a query asks about.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// States and runs, or values in states.
    States,
    /// Something that is not decided here: what it is, with its verb.
    Undecided(&'static str),
}

impl Kind {
    /// The kind of the query with these tokens, if it begins like one.
    pub(crate) fn of(query: &[(Token, &str)]) -> Option<Kind> {
        use Token::*;
        let tokens: Vec<Token> = query.iter().map(|(token, _)| *token).collect();
        let (first, rest) = query.split_first()?;
        if let (LeftBrace, _) = first {
            let observed = rest.iter().any(|(_, word)| *word == "control");
            return observed.then_some(Kind::Undecided("control synthesis is"));
        }
        match (first.1, &tokens[1..]) {
            ("E", [Less, Greater, Identifier, Colon, ..]) if query[3].1 == "control" => {
                Some(Kind::Undecided("control synthesis is"))
            }
            ("A" | "E", [LeftBracket, RightBracket, ..] | [Less, Greater, ..]) => Some(Kind::States),
            ("A" | "E", [LeftBracket, ..]) => bracketed(rest),
            ("sup" | "inf" | "bounds", [Colon | LeftBrace, ..]) => Some(Kind::States),
            (word, [next, ..]) => announced(word, *next).map(Kind::Undecided),
            _ => None,
        }
    }
}

/// What `A[…` or `E[…` is, if there is something in the brackets.
fn bracketed(rest: &[(Token, &str)]) -> Option<Kind> {
    // Two operands do not follow each other, so the word behind one is an operator and no variable.
    let is_until = |pair: &[(Token, &str)]| {
        use Token::*;
        let operand = matches!(pair[0].0, Identifier | Integer | RightParen | RightBracket | True | False);
        operand && matches!(pair[1].1, "U" | "W")
    };
    if rest.windows(2).any(is_until) {
        return Some(Kind::Undecided("`U` and `W` (until) between states are"));
    }
    let is_extreme = |pair: &[(Token, &str)]| matches!(pair, [(_, "min" | "max"), (Token::Colon, _)]);
    let bounded = matches!(rest, [_, (Token::LessEqual, _), ..]) || rest.windows(2).any(is_extreme);
    bounded.then_some(Kind::Undecided("expected values are"))
}

/// What a query is that begins with a word of its own and this token.
fn announced(word: &str, next: Token) -> Option<&'static str> {
    use Token::*;
    let (what, after): (_, &[Token]) = match word {
        "Pr" => ("probability queries are", &[LeftBracket, LeftBrace, LeftParen]),
        "simulate" => ("`simulate` queries are", &[LeftBracket, LeftBrace, LeftParen, Integer, Identifier]),
        "control" | "acontrol" => ("control synthesis is", &[Colon, LeftBracket, LeftBrace]),
        "control_t" => ("control synthesis is", &[Times]),
        "strategy" => ("strategies are", &[Identifier]),
        "saveStrategy" | "loadStrategy" => ("strategies are", &[LeftParen, LeftBrace]),
        "minE" | "maxE" | "minPr" | "maxPr" => ("optimisation is", &[LeftParen, LeftBracket, LeftBrace]),
        "sat" | "scenario" => ("scenarios are", &[Colon]),
        "refinement" | "consistency" | "specification" | "implementation" => {
            ("specifications (`refinement`, `consistency`, …) are", &[Colon])
        }
        _ => return None,
    };
    after.contains(&next).then_some(what)
}
