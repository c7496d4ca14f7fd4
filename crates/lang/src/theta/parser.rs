//! From text to trees: expressions and types.
//!
//! A level of operators binds tighter than the levels before it. After a mistake the caller goes on behind it, so all
//! mistakes of a file come at once; a text is never read as less than it says.

use std::ops::Range;

use ir::{Int, Span};

use super::Dialect;
use super::ast::*;
use super::token::{Token, tokens};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// Something is no part of the language, which has been reported.
pub(crate) struct Failed;

/// What has been read, unless it is none.
pub(crate) type Parse<T> = Result<T, Failed>;

/// The deepest nesting of expressions and types.
const DEEPEST: usize = 2_000;
/// The most bits of a bit-vector.
const WIDEST: u32 = 256;

/// A text that is being read.
pub(crate) struct Parser<'s, 'd> {
    source: &'s str,
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
    dialect: Dialect,
    pub(crate) tree: Tree,
    pub(crate) diagnostics: &'d mut Diagnostics,
}

impl<'s, 'd> Parser<'s, 'd> {
    pub(crate) fn new(
        source: &'s str,
        part: Range<usize>,
        dialect: Dialect,
        diagnostics: &'d mut Diagnostics,
    ) -> Self {
        let tokens = tokens(source, part, diagnostics);
        Parser { source, tokens, at: 0, depth: 0, dialect, tree: Tree::default(), diagnostics }
    }

    pub(crate) fn token(&self) -> Token {
        self.tokens[self.at].0
    }
    /// The token after this one.
    pub(crate) fn next(&self) -> Token {
        self.tokens[(self.at + 1).min(self.tokens.len() - 1)].0
    }
    pub(crate) fn span(&self) -> Span {
        self.tokens[self.at].1
    }
    pub(crate) fn text(&self) -> &'s str {
        let span = self.span();
        &self.source[span.start as usize..span.end as usize]
    }
    /// Everything from `start` to the last token that was taken.
    pub(crate) fn from(&self, start: Span) -> Span {
        match self.at {
            0 => start,
            at => start.to(self.tokens[at - 1].1),
        }
    }
    pub(crate) fn bump(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }
    pub(crate) fn is_mark(&self, mark: &str) -> bool {
        matches!(self.token(), Token::Mark(here) if here == mark)
    }
    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.token() == Token::Word && self.text() == word
    }
    /// Takes a mark, if it is here.
    pub(crate) fn eat(&mut self, mark: &str) -> bool {
        let here = self.is_mark(mark);
        if here {
            self.bump();
        }
        here
    }
    /// Takes a word, if it is here.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let here = self.is_word(word);
        if here {
            self.bump();
        }
        here
    }
    pub(crate) fn report(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }
    /// Reports that something else was expected here.
    pub(crate) fn expected<T>(&mut self, what: &str) -> Parse<T> {
        let found = match self.token() {
            Token::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.text().chars().take(40).collect::<String>()),
        };
        let code = if self.token() == Token::End { Code::Unclosed } else { Code::Syntax };
        let message = match self.is_mark(";") {
            true => format!("expected {what}; nothing separates statements here, remove the `;`"),
            false => format!("expected {what}, found {found}"),
        };
        self.report(code, self.span(), message);
        Err(Failed)
    }
    pub(crate) fn expect(&mut self, mark: &str) -> Parse<()> {
        if self.eat(mark) { Ok(()) } else { self.expected(&format!("`{mark}`")) }
    }
    pub(crate) fn expect_word(&mut self, word: &str) -> Parse<()> {
        if self.eat_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }
    /// A name.
    pub(crate) fn ident(&mut self, what: &str) -> Parse<Ident> {
        if self.token() != Token::Word {
            return self.expected(what);
        }
        let (text, span) = (self.text(), self.span());
        if self.is_reserved(text) {
            let message = format!("`{text}` is a word of the language; expected {what}");
            self.report(Code::ReservedWord, span, message);
            return Err(Failed);
        }
        self.bump();
        Ok(Ident { text: text.to_owned(), span })
    }
    fn is_reserved(&self, word: &str) -> bool {
        const BOTH: &[&str] = &[
            "if", "then", "else", "imply", "forall", "exists", "or", "and", "xor", "not", "mod", "rem",
            "true", "false", "bool", "int", "rat", "var",
        ];
        const CFA: &[&str] = &[
            "iff",
            "main",
            "process",
            "init",
            "final",
            "error",
            "loc",
            "bv",
            "fp",
            "havoc",
            "assume",
            "return",
            "default",
            "bvnot",
            "bvneg",
            "bvpos",
            "bv_zero_extend",
            "bv_sign_extend",
        ];
        const STS: &[&str] = &[
            "equal",
            "specification",
            "const",
            "property",
            "models",
            "system",
            "invariant",
            "initial",
            "transition",
        ];
        BOTH.contains(&word)
            || match self.dialect {
                Dialect::Cfa => CFA.contains(&word) || Binary::of(word).is_some() || FLOATS.contains(&word),
                Dialect::Sts => STS.contains(&word),
                Dialect::Question => Binary::of(word).is_some(),
            }
    }
    /// Goes one level deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= DEEPEST {
            self.report(Code::TooDeep, self.span(), "this is nested too deeply");
            // Nothing behind it can be told apart.
            self.at = self.tokens.len() - 1;
            return Err(Failed);
        }
        self.depth += 1;
        let result = ir::deep(|| read(self));
        self.depth -= 1;
        result
    }

    /// `x : int`.
    pub(crate) fn decl(&mut self) -> Parse<Decl> {
        let ident = self.ident("a name")?;
        self.expect(":")?;
        let ty = self.ty()?;
        Ok(Decl { ident, ty })
    }
    /// Declarations in parentheses, if there are any.
    pub(crate) fn params(&mut self) -> Parse<Vec<Decl>> {
        let mut list = vec![];
        if !self.eat("(") || self.eat(")") {
            return Ok(list);
        }
        loop {
            list.push(self.decl()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(list)
    }
    /// A type.
    pub(crate) fn ty(&mut self) -> Parse<TypeId> {
        self.deeper(Self::type_here)
    }
    fn type_here(&mut self) -> Parse<TypeId> {
        let start = self.span();
        let kind = if self.eat_word("bool") {
            TypeKind::Bool
        } else if self.eat_word("int") {
            TypeKind::Int
        } else if self.eat_word("rat") {
            TypeKind::Rat
        } else if self.dialect != Dialect::Sts && self.eat_word("bv") {
            TypeKind::Bits(self.width()?)
        } else if self.dialect != Dialect::Sts && self.eat_word("fp") {
            self.expect("[")?;
            while matches!(self.token(), Token::Number | Token::Mark("," | ":")) {
                self.bump();
            }
            self.expect("]")?;
            let message = "floating-point numbers are not supported";
            self.report(Code::UnsupportedType, self.from(start), message);
            TypeKind::Wrong
        } else if self.eat("[") {
            let mut indices = vec![self.ty()?];
            while self.eat(",") {
                indices.push(self.ty()?);
            }
            self.expect("]")?;
            self.expect("->")?;
            TypeKind::Array(indices, self.ty()?)
        } else if self.eat("(") {
            self.ty()?;
            while self.eat(",") {
                self.ty()?;
            }
            self.expect(")")?;
            self.expect("->")?;
            self.ty()?;
            self.report(Code::UnsupportedType, self.from(start), "functions are not supported");
            TypeKind::Wrong
        } else {
            return self.expected("a type, such as `int`");
        };
        let span = self.from(start);
        Ok(self.tree.types.push((kind, span)))
    }
    /// `[8]`.
    fn width(&mut self) -> Parse<u32> {
        self.expect("[")?;
        let span = self.span();
        let width = self.number("the number of bits")?;
        self.expect("]")?;
        if !(1..=WIDEST).contains(&width) {
            let message = format!("a bit-vector has 1 to {WIDEST} bits");
            self.report(Code::OutOfRange, span, message);
            return Err(Failed);
        }
        Ok(width)
    }
    /// A number of bits.
    fn number(&mut self, what: &str) -> Parse<u32> {
        if self.token() != Token::Number {
            return self.expected(what);
        }
        let number = self.text().parse().unwrap_or(u32::MAX);
        self.bump();
        Ok(number)
    }

    /// An expression.
    pub(crate) fn expr(&mut self) -> Parse<ExprId> {
        self.climb(Level::Ite)
    }
    fn push(&mut self, kind: ExprKind, start: Span) -> ExprId {
        let span = self.from(start);
        self.tree.exprs.push(Expr { kind, span })
    }
    /// An expression that binds at least as tightly as `least`.
    fn climb(&mut self, least: Level) -> Parse<ExprId> {
        self.deeper(|parser| parser.climb_here(least))
    }
    fn climb_here(&mut self, least: Level) -> Parse<ExprId> {
        let start = self.span();
        let mut left = self.prefix(least)?;
        // Operators that have been taken bind no tighter than those to come.
        let mut most = Level::Unary;
        while let Some((op, level, grouping)) = self.operator() {
            if level < least || level > most {
                break;
            }
            if grouping == Grouping::Single && level == most {
                let message = "these operators cannot follow each other; use parentheses";
                self.report(Code::Syntax, self.span(), message);
                return Err(Failed);
            }
            most = level;
            left = match op {
                Operator::Junction(all) => {
                    let mut parts = vec![left];
                    while self.operator().is_some_and(|(op, ..)| op == Operator::Junction(all)) {
                        self.bump();
                        parts.push(self.climb(tighter(level))?);
                    }
                    self.push(if all { ExprKind::All(parts) } else { ExprKind::Any(parts) }, start)
                }
                Operator::Extend(signed) => {
                    self.bump();
                    self.expect_word("bv")?;
                    let width = self.width()?;
                    self.push(ExprKind::Extend { of: left, width, signed }, start)
                }
                Operator::Float => {
                    self.float();
                    self.climb(tighter(level))?;
                    self.push(ExprKind::Wrong, start)
                }
                Operator::Binary(op) => {
                    self.bump();
                    let right = match grouping {
                        Grouping::Right => level,
                        _ => tighter(level),
                    };
                    let right = self.climb(right)?;
                    self.push(ExprKind::Binary(op, left, right), start)
                }
            };
        }
        Ok(left)
    }
    /// The operator that is here, if one can be.
    fn operator(&self) -> Option<(Operator, Level, Grouping)> {
        let text = match self.token() {
            Token::Word => self.text(),
            Token::Mark(mark) => mark,
            _ => return None,
        };
        let question = self.dialect == Dialect::Question;
        let op = match text {
            "and" => return Some((Operator::Junction(true), Level::And, Grouping::Left)),
            "or" => return Some((Operator::Junction(false), Level::Or, Grouping::Left)),
            "&&" if question => return Some((Operator::Junction(true), Level::And, Grouping::Left)),
            "||" if question => return Some((Operator::Junction(false), Level::Or, Grouping::Left)),
            "==" if question => Binary::Eq,
            "!=" if question => Binary::Ne,
            "->" | "=>" if question => Binary::Imply,
            "<->" if question => Binary::Iff,
            "%" if question => Binary::Mod,
            "equal" if self.dialect != Dialect::Cfa => Binary::Iff,
            "iff" if self.dialect == Dialect::Sts => return None,
            _ if self.dialect == Dialect::Sts && (text.starts_with("bv") || text == "++") => return None,
            "bv_zero_extend" => return Some((Operator::Extend(false), Level::Extend, Grouping::Single)),
            "bv_sign_extend" => return Some((Operator::Extend(true), Level::Extend, Grouping::Single)),
            "fpmax" | "fpmin" => return Some((Operator::Float, Level::Quantified, Grouping::Left)),
            "fpadd" | "fpsub" => return Some((Operator::Float, Level::Sum, Grouping::Left)),
            "fpmul" | "fpdiv" | "fprem" => return Some((Operator::Float, Level::Product, Grouping::Left)),
            _ => Binary::of(text)?,
        };
        let (level, grouping) = op.level();
        Some((Operator::Binary(op), level, grouping))
    }
    /// Takes an operator of floating-point numbers with what belongs to it.
    fn float(&mut self) {
        let start = self.span();
        let name = self.text();
        self.bump();
        while self.is_mark("[") {
            while !self.is_mark("]") && self.token() != Token::End {
                self.bump();
            }
            self.bump();
        }
        let message = format!("floating-point numbers are not supported, such as those of `{name}`");
        self.report(Code::UnsupportedOperator, self.from(start), message);
    }
    /// What an expression begins with.
    fn prefix(&mut self, least: Level) -> Parse<ExprId> {
        let start = self.span();
        let word = if self.token() == Token::Word { self.text() } else { "" };
        match word {
            "if" if least == Level::Ite => {
                self.bump();
                let condition = self.climb(Level::Ite)?;
                self.expect_word("then")?;
                let then = self.climb(Level::Ite)?;
                self.expect_word("else")?;
                let otherwise = self.climb(Level::Ite)?;
                return Ok(self.push(ExprKind::Ite(condition, then, otherwise), start));
            }
            "forall" | "exists" if least <= Level::Quantified => {
                self.bump();
                let quantifier = if word == "forall" { Quantifier::Forall } else { Quantifier::Exists };
                if !self.is_mark("(") {
                    return self.expected("`(` and what is meant, as in `forall (i : bool) e`");
                }
                let params = self.params()?;
                let body = self.climb(Level::Quantified)?;
                return Ok(self.push(ExprKind::Quantified(quantifier, params, body), start));
            }
            "if" | "forall" | "exists" => {
                let message = format!("put this `{word}` in parentheses");
                self.report(Code::Syntax, start, message);
                return Err(Failed);
            }
            "not" => return self.negation(least, start),
            _ => {}
        }
        if self.is_mark("!") && self.dialect == Dialect::Question {
            self.bump();
            let operand = self.climb(Level::Unary)?;
            return Ok(self.push(ExprKind::Unary(Unary::Not, operand), start));
        }
        self.unary()
    }
    fn negation(&mut self, least: Level, start: Span) -> Parse<ExprId> {
        if least > Level::Not {
            self.report(Code::Syntax, start, "put this `not` in parentheses");
            return Err(Failed);
        }
        self.bump();
        let operand = self.climb(Level::Equality)?;
        Ok(self.push(ExprKind::Unary(Unary::Not, operand), start))
    }
    fn unary(&mut self) -> Parse<ExprId> {
        let start = self.span();
        let question = self.dialect != Dialect::Sts;
        let op = match self.token() {
            Token::Mark("+") => Unary::Plus,
            Token::Mark("-") => Unary::Minus,
            Token::Word if question => match self.text() {
                "bvpos" => Unary::BvPos,
                "bvneg" => Unary::BvNeg,
                "bvnot" => Unary::BvNot,
                name if FLOATS.contains(&name) => {
                    self.float();
                    self.deeper(Self::unary)?;
                    return Ok(self.push(ExprKind::Wrong, start));
                }
                _ => return self.access(),
            },
            _ => return self.access(),
        };
        self.bump();
        if matches!(op, Unary::Plus | Unary::Minus) && self.token() == Token::Bits && self.is_float() {
            return self.access();
        }
        let operand = self.deeper(Self::unary)?;
        Ok(self.push(ExprKind::Unary(op, operand), start))
    }
    /// Whether the bit-vector here is the first half of a floating-point number.
    fn is_float(&self) -> bool {
        self.next() == Token::Mark(".")
    }
    fn access(&mut self) -> Parse<ExprId> {
        let start = self.span();
        let mut value = self.primary()?;
        loop {
            if self.eat("'") {
                value = self.push(ExprKind::Prime(value), start);
            } else if self.is_mark("[") {
                self.bump();
                if self.token() == Token::Number && self.next() == Token::Mark(":") {
                    let until = self.number("a bit")?;
                    self.bump();
                    let from = self.number("a bit")?;
                    self.expect("]")?;
                    value = self.push(ExprKind::Extract { of: value, until, from }, start);
                    continue;
                }
                let index = self.expr()?;
                if self.eat("<-") {
                    let entry = self.expr()?;
                    self.expect("]")?;
                    value = self.push(ExprKind::Write(value, index, entry), start);
                    continue;
                }
                value = self.push(ExprKind::Read(value, index), start);
                while self.eat(",") {
                    let index = self.expr()?;
                    value = self.push(ExprKind::Read(value, index), start);
                }
                self.expect("]")?;
            } else if self.is_mark("(") {
                let place = self.span();
                self.bump();
                while !self.is_mark(")") {
                    self.expr()?;
                    if !self.eat(",") {
                        break;
                    }
                }
                self.expect(")")?;
                let message = "functions are not supported, so nothing can be applied";
                self.report(Code::UnsupportedOperator, place, message);
                value = self.push(ExprKind::Wrong, start);
            } else {
                return Ok(value);
            }
        }
    }
    fn primary(&mut self) -> Parse<ExprId> {
        let start = self.span();
        let kind = match self.token() {
            Token::Number => {
                let value = self.digits();
                self.bump();
                if self.is_mark("%") && self.next() == Token::Number {
                    self.bump();
                    let denominator = self.digits();
                    if denominator.is_zero() {
                        let message = "the denominator of a rational number is not zero";
                        self.report(Code::InvalidNumber, self.span(), message);
                        return Err(Failed);
                    }
                    self.bump();
                    ExprKind::Rat(value, denominator)
                } else {
                    ExprKind::Int(value)
                }
            }
            Token::Bits if self.is_float() => {
                self.bump();
                self.bump();
                if self.token() == Token::Bits {
                    self.bump();
                }
                let message = "floating-point numbers are not supported";
                self.report(Code::UnsupportedType, self.from(start), message);
                ExprKind::Wrong
            }
            Token::Bits => {
                let text = self.text();
                self.bump();
                let (value, width) = self.bits(text, start)?;
                ExprKind::Bits(value, width)
            }
            Token::Mark("(") if self.is_function() => {
                self.params()?;
                self.expect("->")?;
                self.expr()?;
                self.report(Code::UnsupportedOperator, self.from(start), "functions are not supported");
                ExprKind::Wrong
            }
            Token::Mark("(") => {
                self.bump();
                let inside = self.expr()?;
                self.expect(")")?;
                return Ok(inside);
            }
            Token::Mark("[") => {
                self.bump();
                self.array()?
            }
            Token::Word if self.text() == "true" || self.text() == "false" => {
                let value = self.text() == "true";
                self.bump();
                ExprKind::Bool(value)
            }
            Token::Word => ExprKind::Name(self.ident("a value")?.text),
            _ => return self.expected("a value"),
        };
        Ok(self.push(kind, start))
    }
    /// Whether a function is written here: `(x : int) -> x + 1`.
    fn is_function(&self) -> bool {
        let ahead = |by: usize| self.tokens[(self.at + by).min(self.tokens.len() - 1)].0;
        match ahead(1) {
            Token::Mark(")") => true,
            Token::Word => ahead(2) == Token::Mark(":"),
            _ => false,
        }
    }
    fn array(&mut self) -> Parse<ExprKind> {
        let (mut entries, mut index) = (vec![], None);
        loop {
            if self.eat("<") {
                index = Some(self.ty()?);
                self.expect(">")?;
                self.expect_word("default")?;
                break;
            }
            if self.eat_word("default") {
                break;
            }
            let at = self.expr()?;
            self.expect("<-")?;
            entries.push((at, self.expr()?));
            self.expect(",")?;
        }
        self.expect("<-")?;
        let default = self.expr()?;
        self.expect("]")?;
        Ok(ExprKind::Array { entries, index, default })
    }
    fn digits(&self) -> Int {
        self.text().parse().expect("digits are a number")
    }
    /// The value and the width of a bit-vector: `4'd-5`.
    fn bits(&mut self, text: &str, span: Span) -> Parse<(Int, u32)> {
        let (width, rest) = text.split_once('\'').expect("a bit-vector has a mark");
        let width: u32 = width.parse().unwrap_or(0);
        if !(1..=WIDEST).contains(&width) {
            self.report(Code::OutOfRange, span, format!("a bit-vector has 1 to {WIDEST} bits"));
            return Err(Failed);
        }
        let (base, digits) = rest.split_at(1);
        let radix = Int::from(match base {
            "b" => 2,
            "x" => 16,
            _ => 10,
        });
        let negative = digits.starts_with('-');
        let digit = |c: char| Int::from(i64::from(c.to_digit(16).expect("digits")));
        let digits = digits.trim_start_matches(['+', '-']);
        let too_long = digits.len() > 4 * WIDEST as usize;
        let value = match too_long {
            true => Int::power_of_two(WIDEST),
            false => digits.chars().fold(Int::ZERO, |value, c| &(&value * &radix) + &digit(c)),
        };
        let all = Int::power_of_two(width);
        let fits = if negative { value <= Int::power_of_two(width - 1) } else { value < all };
        if !fits {
            let message = format!("this number does not fit {width} bits");
            self.report(Code::OutOfRange, span, message);
            return Err(Failed);
        }
        let value = if negative && !value.is_zero() { &all - &value } else { value };
        Ok((value, width))
    }
}

/// An operator between or behind operands.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Operator {
    /// `and` or `or`.
    Junction(bool),
    Binary(Binary),
    /// With the sign or without.
    Extend(bool),
    Float,
}

/// The operators of floating-point numbers that stand before their operand, and those between two.
const FLOATS: &[&str] = &[
    "fpabs",
    "fpfrombv",
    "fpisnan",
    "fpmax",
    "fpmin",
    "fprem",
    "fproundtoint",
    "fpsqrt",
    "fptobv",
    "fptofp",
    "fpsub",
    "fpadd",
    "fpmul",
    "fpdiv",
    "fppos",
    "fpneg",
];

fn tighter(level: Level) -> Level {
    use Level::*;
    match level {
        Ite => Iff,
        Iff => Imply,
        Imply => Quantified,
        Quantified => Or,
        Or => Xor,
        Xor => And,
        And => Not,
        Not => Equality,
        Equality => Relation,
        Relation => BitOr,
        BitOr => BitXor,
        BitXor => BitAnd,
        BitAnd => Shift,
        Shift => Sum,
        Sum => Product,
        Product => Concat,
        Concat => Extend,
        Extend | Unary => Unary,
    }
}
