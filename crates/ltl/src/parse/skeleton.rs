//! The tree of temporal and boolean operators in a text, with everything else left as it is.
//!
//! A *pure* part has no temporal operator inside. What it means is for the modelling language to say, which may know
//! connectives, calls, quantifiers and brackets of its own: an operand is any sequence of words, numbers, symbols and
//! balanced brackets up to the next connective or temporal operator. Precedence, loosest first: `-->`, `<->`, `->` (to
//! the right), `|`, `&`, `U W R M` (to the right), prefix operators; all else binds tighter.
//!
//! Operators that are words or letters are so only where an operator can stand: after a complete operand for those
//! between two, and before what can begin an operand for those in front of one.

use std::ops::Range;

use super::lexer::{Kind, Token};
use super::{Problem, Warning, WarningKind};
use crate::patterns::{Pattern, Scope};

/// How deeply formulas may nest.
const MOST_DEEP: usize = 2_000;

/// A part of the text.
pub(super) struct Part {
    pub at: Range<usize>,
    /// Whether it is in parentheses, which belong to it.
    grouped: bool,
    pub pure: bool,
    pub shape: Shape,
}

/// The number of a part; operands come before what they are operands of.
pub(super) type PartId = usize;

/// What a part is made of.
pub(super) enum Shape {
    Leaf,
    Prefix(Prefix, PartId),
    Infix(Infix, PartId, PartId),
    Pattern(Pattern, Vec<PartId>, Scope<PartId>),
}

/// Operators in front of an operand.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Prefix {
    Not,
    Next,
    Finally,
    Globally,
}

/// Operators between two operands.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Infix {
    LeadsTo,
    Iff,
    Implies,
    Or,
    And,
    Until,
    WeakUntil,
    Release,
    StrongRelease,
}

impl Infix {
    const fn rank(self) -> u8 {
        match self {
            Self::LeadsTo => 0,
            Self::Iff => 1,
            Self::Implies => 2,
            Self::Or => 3,
            Self::And => 4,
            _ => UNTIL,
        }
    }
    const fn temporal(self) -> bool {
        matches!(self.rank(), 0 | UNTIL)
    }
}

const UNTIL: u8 = 5;

fn prefix_word(word: &str) -> Option<Prefix> {
    Some(match word {
        "not" => Prefix::Not,
        "X" | "next" => Prefix::Next,
        "F" | "eventually" | "finally" => Prefix::Finally,
        "G" | "always" | "globally" => Prefix::Globally,
        _ => return None,
    })
}

fn infix_word(word: &str) -> Option<Infix> {
    Some(match word {
        "and" => Infix::And,
        "or" => Infix::Or,
        "imply" | "implies" => Infix::Implies,
        "iff" => Infix::Iff,
        "leadsto" => Infix::LeadsTo,
        "U" | "until" => Infix::Until,
        "W" | "unless" => Infix::WeakUntil,
        "R" | "V" | "release" | "releases" => Infix::Release,
        "M" => Infix::StrongRelease,
        _ => return None,
    })
}

/// The tree, and what a reader may have meant otherwise.
pub(super) struct Skeleton {
    pub parts: Vec<Part>,
    pub root: PartId,
    pub warnings: Vec<Warning>,
}

/// What is wrong with a text, and where.
pub(super) type Wrong = (Range<usize>, Problem);

/// The tree of a text; `is_name` tells which words the model knows.
pub(super) fn skeleton(
    text: &str,
    tokens: Vec<Token>,
    is_name: &dyn Fn(&str) -> bool,
) -> Result<Skeleton, Wrong> {
    let mut parser = Parser { text, tokens, next: 0, depth: 0, is_name, parts: vec![], warnings: vec![] };
    let root = parser.formula(0, Ends::AtText)?;
    if let Some(token) = parser.tokens.get(parser.next) {
        return Err((token.at.clone(), Problem::Unexpected));
    }
    Ok(Skeleton { parts: parser.parts, root, warnings: parser.warnings })
}

/// Where an operand ends, besides before an operator.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Ends {
    AtText,
    /// An argument ends at a comma, too.
    AtComma,
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
    is_name: &'a dyn Fn(&str) -> bool,
    parts: Vec<Part>,
    warnings: Vec<Warning>,
}

impl Parser<'_> {
    fn kind(&self, index: usize) -> Option<Kind> {
        self.tokens.get(index).map(|token| token.kind)
    }
    /// The word at a position; empty if there is none.
    fn word(&self, index: usize) -> &str {
        match self.tokens.get(index) {
            Some(Token { kind: Kind::Word, at }) => &self.text[at.clone()],
            _ => "",
        }
    }
    /// Where the next token is; the end of the text if there is none.
    fn place(&self) -> Range<usize> {
        self.tokens.get(self.next).map_or(self.text.len()..self.text.len(), |token| token.at.clone())
    }
    fn add(&mut self, at: Range<usize>, pure: bool, shape: Shape) -> PartId {
        self.parts.push(Part { at, grouped: false, pure, shape });
        self.parts.len() - 1
    }

    /// A formula whose operators bind at least as tightly as `least`.
    fn formula(&mut self, least: u8, ends: Ends) -> Result<PartId, Wrong> {
        self.depth += 1;
        if self.depth > MOST_DEEP {
            return Err((self.place(), Problem::TooDeep));
        }
        let mut left = ir::deep(|| self.operand(ends))?;
        while let Some(infix) = self.infix(self.next).filter(|infix| infix.rank() >= least) {
            let first = self.next;
            self.next += 1;
            // `->` and the untils group to the right, others to the left; so do the rest of a row.
            let to_the_right = matches!(infix.rank(), 0 | 2 | UNTIL);
            let right = ir::deep(|| self.formula(infix.rank() + u8::from(!to_the_right), ends))?;
            self.warn(infix, first, left, right);
            let at = self.parts[left].at.start..self.parts[right].at.end;
            let pure = self.parts[left].pure && self.parts[right].pure && !infix.temporal();
            left = self.add(at, pure, Shape::Infix(infix, left, right));
        }
        self.depth -= 1;
        Ok(left)
    }

    /// The operator between two operands at a position.
    fn infix(&self, index: usize) -> Option<Infix> {
        Some(match self.kind(index)? {
            Kind::And => Infix::And,
            Kind::Or => Infix::Or,
            Kind::Implies => Infix::Implies,
            Kind::Iff => Infix::Iff,
            Kind::LeadsTo => Infix::LeadsTo,
            Kind::Word => return self.infix_word(index),
            _ => return None,
        })
    }
    fn infix_word(&self, index: usize) -> Option<Infix> {
        infix_word(self.word(index))
    }

    /// Says where readers may differ: untils in a row, and a negation in front of one.
    fn warn(&mut self, infix: Infix, at: usize, left: PartId, right: PartId) {
        let place = self.tokens[at].at.clone();
        if let Shape::Infix(inner, ..) = self.parts[right].shape
            && infix.temporal()
            && inner.rank() == infix.rank()
            && !self.parts[right].grouped
        {
            self.warnings.push(Warning { at: place.clone(), kind: WarningKind::Chain });
        }
        if let Shape::Prefix(Prefix::Not, _) = self.parts[left].shape
            && infix.rank() == UNTIL
            && !self.parts[left].grouped
        {
            self.warnings.push(Warning { at: place, kind: WarningKind::Negation });
        }
    }

    fn operand(&mut self, ends: Ends) -> Result<PartId, Wrong> {
        self.split_letters();
        if let Some(prefix) = self.prefix() {
            let start = self.place().start;
            self.next += 1;
            self.depth += 1;
            if self.depth > MOST_DEEP {
                return Err((self.place(), Problem::TooDeep));
            }
            let inner = ir::deep(|| self.operand(ends))?;
            self.depth -= 1;
            let pure = self.parts[inner].pure && prefix == Prefix::Not;
            return Ok(self.add(start..self.parts[inner].at.end, pure, Shape::Prefix(prefix, inner)));
        }
        match Pattern::named(self.word(self.next)) {
            Some(pattern) if self.opens_round(self.next + 1) => self.pattern(pattern, ends),
            _ => self.sequence(ends),
        }
    }

    fn opens_round(&self, index: usize) -> bool {
        self.tokens.get(index).is_some_and(|token| &self.text[token.at.clone()] == "(")
    }

    /// Letters may be glued to a name, as in `GFp`: if the model does not know the word but the rest of it.
    fn split_letters(&mut self) {
        let word = self.word(self.next);
        if word.is_empty() || (self.is_name)(word) {
            return;
        }
        let letters = word.bytes().take_while(|byte| b"GFX".contains(byte)).count();
        let Some(count) = (1..=letters).find(|&count| count < word.len() && (self.is_name)(&word[count..]))
        else {
            return;
        };
        let Range { start, end } = self.tokens[self.next].at;
        let single = |index| Token { kind: Kind::Word, at: start + index..start + index + 1 };
        let rest = Token { kind: Kind::Word, at: start + count..end };
        self.tokens.splice(self.next..=self.next, (0..count).map(single).chain([rest]));
    }

    /// The operator in front of an operand, if the next token is one.
    fn prefix(&self) -> Option<Prefix> {
        match self.kind(self.next)? {
            Kind::Not => Some(Prefix::Not),
            Kind::Next => Some(Prefix::Next),
            Kind::Always => Some(Prefix::Globally),
            Kind::Eventually => Some(Prefix::Finally),
            Kind::Word => prefix_word(self.word(self.next)).filter(|_| self.begins_operand(self.next + 1)),
            _ => None,
        }
    }

    /// Whether an operand begins here, after a word that may be an operator in front of it.
    fn begins_operand(&self, index: usize) -> bool {
        match self.kind(index) {
            Some(Kind::Not | Kind::Next | Kind::Always | Kind::Eventually | Kind::Literal) => true,
            Some(Kind::Open) => self.opens_round(index),
            // `F - 1 > 0` is about a variable `F` if there is one.
            Some(Kind::Sign) => !(self.is_name)(self.word(index - 1)),
            Some(Kind::Word) => self.begins_operand_with_word(index),
            _ => false,
        }
    }

    /// Whether an operand begins with this word. `F U q` is about a proposition `F`, but `F U` says that `U` comes: in a
    /// row of words that can be operators between operands, every second one is.
    fn begins_operand_with_word(&self, index: usize) -> bool {
        let row = (index..).take_while(|&word| self.infix_word(word).is_some()).count();
        let operand_follows = match self.kind(index + row) {
            Some(Kind::Open) => self.opens_round(index + row),
            Some(kind) => {
                let prefix = matches!(kind, Kind::Not | Kind::Next | Kind::Always | Kind::Eventually);
                prefix || matches!(kind, Kind::Word | Kind::Literal)
            }
            None => false,
        };
        row % 2 != usize::from(operand_follows)
    }

    /// `name(f, …)` and its scope.
    fn pattern(&mut self, pattern: Pattern, ends: Ends) -> Result<PartId, Wrong> {
        let start = self.place();
        self.next += 2;
        let mut arguments = vec![self.formula(0, Ends::AtComma)?];
        while self.kind(self.next) == Some(Kind::Comma) {
            self.next += 1;
            arguments.push(self.formula(0, Ends::AtComma)?);
        }
        if self.kind(self.next) != Some(Kind::Close) {
            return Err((self.place(), Problem::NotClosed));
        }
        self.next += 1;
        let expected = pattern.arguments().len();
        if arguments.len() != expected {
            return Err((start, Problem::Arguments { expected }));
        }
        let scope = self.scope(ends)?;
        let end = self.tokens[self.next - 1].at.end;
        Ok(self.add(start.start..end, false, Shape::Pattern(pattern, arguments, scope)))
    }

    fn scope(&mut self, ends: Ends) -> Result<Scope<PartId>, Wrong> {
        let scope = self.word(self.next).to_owned();
        match scope.as_str() {
            "before" => Ok(Scope::Before(self.bound(ends)?)),
            "after" => {
                let from = self.bound(ends)?;
                if self.word(self.next) != "until" {
                    return Ok(Scope::After(from));
                }
                Ok(Scope::AfterUntil(from, self.bound(ends)?))
            }
            "between" => {
                let from = self.bound(ends)?;
                if self.infix(self.next) != Some(Infix::And) {
                    return Err((self.place(), Problem::Between));
                }
                Ok(Scope::Between(from, self.bound(ends)?))
            }
            word => {
                self.next += usize::from(word == "globally");
                Ok(Scope::Globally)
            }
        }
    }

    /// The operand after a word of a scope.
    fn bound(&mut self, ends: Ends) -> Result<PartId, Wrong> {
        self.next += 1;
        ir::deep(|| self.operand(ends))
    }

    /// Words, symbols and brackets up to where an operand ends; a formula in brackets if nothing else is there.
    fn sequence(&mut self, ends: Ends) -> Result<PartId, Wrong> {
        let first = self.next;
        let mut complete = false;
        let mut group = None;
        while let Some(kind) = self.kind(self.next) {
            match kind {
                Kind::Close => break,
                Kind::Comma if ends == Ends::AtComma => break,
                Kind::Open => {
                    group = self.group(group.filter(|&group: &PartId| !self.parts[group].pure))?;
                    complete = true;
                    continue;
                }
                Kind::Word if complete && self.infix(self.next).is_some() => break,
                Kind::Word | Kind::Literal => complete = true,
                Kind::Sign | Kind::Symbol | Kind::Comma | Kind::Eventually | Kind::Always => {
                    complete = false;
                }
                Kind::Not | Kind::Next if !complete => {}
                _ if complete => break,
                _ => return Err((self.place(), Problem::ExpectedOperand)),
            }
            self.next += 1;
        }
        if self.next == first {
            return Err((self.place(), Problem::ExpectedOperand));
        }
        let at = self.tokens[first].at.start..self.tokens[self.next - 1].at.end;
        match group {
            Some(group) if self.parts[group].grouped && self.parts[group].at == at => Ok(group),
            Some(group) if !self.parts[group].pure => {
                Err((self.parts[group].at.clone(), Problem::TemporalInside))
            }
            _ => Ok(self.add(at, true, Shape::Leaf)),
        }
    }

    /// What is between brackets, which become part of it; nothing if they are empty. `before` is an earlier one in the
    /// same operand that is not pure.
    fn group(&mut self, before: Option<PartId>) -> Result<Option<PartId>, Wrong> {
        let open = self.place();
        let close = match &self.text[open.clone()] {
            "(" => ")",
            "[" => "]",
            _ => "}",
        };
        self.next += 1;
        let inside = match self.kind(self.next) {
            Some(Kind::Close) => None,
            _ => Some(ir::deep(|| self.formula(0, Ends::AtText))?),
        };
        if self.place().is_empty() || &self.text[self.place()] != close {
            return Err((open, Problem::NotClosed));
        }
        let end = self.place().end;
        self.next += 1;
        let Some(inside) = inside else { return Ok(before) };
        self.parts[inside].at = open.start..end;
        self.parts[inside].grouped = close == ")";
        Ok(before.or(Some(inside)))
    }
}
