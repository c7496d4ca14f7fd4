//! Properties of nets, as people write them.
//!
//! ```text
//! property = [ 'prop' '{' ] claim [ '}' ]
//! claim    = '1-safe' | 'deadlock-free' | marking | ('A[]' | 'E<>') expr | ('AG' | 'EF') comparison | expr
//! marking  = NUMBER {[','] NUMBER}                    (every place, in the order of the document)
//!          | name '=' NUMBER ',' name '=' NUMBER {',' name '=' NUMBER}
//! atom     = 'deadlock' | 'fireable' '(' name {',' name} ')' | 'marking' '(' name '=' NUMBER {...} ')'
//!          | 'EX' '(' 'true' ')' | 'true' | 'false' | NUMBER | name | '(' expr ')'
//! ```
//! An expression alone is claimed of every reachable marking, and a marking alone is claimed never to be
//! reached. A formula, `ltl: f` or `f` alone, is claimed of every run; its propositions are expressions, and so
//! are the atoms of an automaton, `never: a`. `AG EF e` claims that `e` can always be reached again.
//! Operators and their precedence are those of XSTS properties; `&`, `|`, `=` and the words `and`,
//! `or`, `not`, `imply` are understood as well. A name is the id of a place or a name that only one place
//! has; it is quoted if it is no identifier.

use std::ops::Range;

use ir::{Claim, Int, Span, Term, Terms, Value};

use super::lower::{effects, enabled};
use super::token::{Token, tokens};
use super::{Subject, contest};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::nearest::nearest;
use crate::question::{About, Question, one_line};
use crate::temporal::{self, Kind, Propositions};

/// How deep parentheses may nest.
const DEEPEST: usize = 2_000;

/// The property that a text claims of a net.
pub(crate) fn parse(model: &mut Subject<'_>, name: &str, text: &str) -> Result<Question, Vec<Diagnostic>> {
    if contest::is_document(text) {
        return contest::only(model, name, text).map_err(|error| vec![error]);
    }
    let announced = temporal::announced(text);
    if let Some((Kind::Automaton, at)) = announced {
        let condition = |atom: &str| Formula { model, text: atom }.condition(0..atom.len());
        let path = temporal::automaton(text, at.clone(), condition)?;
        return Ok(path.question(model.system, name, text, at));
    }
    if let Some(at) = temporal::returning(text) {
        let condition = Formula { model, text }.condition(at.clone())?;
        return temporal::return_to(name, text, at, condition);
    }
    let property = announced.is_none().then(|| claim(model, name, text));
    let at = announced.map_or(0..text.len(), |(_, at)| at);
    if let Some(Ok(question)) = property {
        return Ok(question);
    }
    let mut path = temporal::read(text, at.clone(), &mut Formula { model, text });
    if let Some(Err(error)) = property {
        path = temporal::instead(text, vec![error], path);
    }
    Ok(path?.question(model.system, name, text, at))
}

/// The property of a text that is no formula.
fn claim(model: &mut Subject<'_>, name: &str, text: &str) -> Result<Question, Diagnostic> {
    let tokens = tokens(text, 0)?;
    let mut parser = Parser { model, text, tokens, at: 0, depth: 0 };
    parser.strip();
    if parser.token() == &Token::End {
        let message = "the property is empty; write `deadlock-free`, `1-safe`, or an expression over places";
        return Err(Diagnostic::error(Code::Empty, parser.span(), message));
    }
    let (claim, about) = parser.claim()?;
    parser.end()?;
    Ok(Question { about, ..Question::new(name, text.trim(), "", claim) })
}

/// A text with a formula about a net.
struct Formula<'a, 'm> {
    model: &'a mut Subject<'m>,
    text: &'a str,
}

impl Propositions for Formula<'_, '_> {
    fn is_name(&self, word: &str) -> bool {
        let goes_on = |name: &str| name.strip_prefix(word).is_some_and(|rest| rest.starts_with('.'));
        let names = self.model.names;
        names.place(word).is_some() || names.transition(word).is_some() || names.places().any(goes_on)
    }
    fn condition(&mut self, at: Range<usize>) -> Result<Term, Vec<Diagnostic>> {
        self.expression(at).map_err(|error| vec![error])
    }
}

impl Formula<'_, '_> {
    fn expression(&mut self, at: Range<usize>) -> Parse<Term> {
        let text = &self.text[..at.end];
        let tokens = tokens(text, at.start)?;
        let mut parser = Parser { model: self.model, text, tokens, at: 0, depth: 0 };
        let term = parser.truth(Parser::expr)?;
        parser.end()?;
        Ok(term)
    }
}

/// A part of an expression.
#[derive(Copy, Clone)]
enum Part {
    Number(Term),
    Truth(Term),
}

struct Parser<'a, 'm> {
    model: &'a mut Subject<'m>,
    text: &'a str,
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
}

type Parse<T> = Result<T, Diagnostic>;

impl<'a> Parser<'a, '_> {
    /// Takes `prop { … }` off.
    fn strip(&mut self) {
        let opens = matches!(&self.tokens[0].0, Token::Name { text, quoted: false } if text == "prop")
            && self.tokens.get(1).is_some_and(|(token, _)| *token == Token::Mark("{"));
        let end = self.tokens.len() - 1;
        if opens && self.tokens[end - 1].0 == Token::Mark("}") {
            self.tokens.remove(end - 1);
            self.at = 2;
        }
    }
    fn claim(&mut self) -> Parse<(Claim, About)> {
        let written = self.rest();
        let compact: String = written.split_whitespace().collect();
        match compact.trim_end_matches(';') {
            "1-safe" => {
                self.at = self.tokens.len() - 1;
                return Ok((Claim::Always(one_safe(self.model)), About::OneSafety));
            }
            "deadlock-free" => {
                self.at = self.tokens.len() - 1;
                let about = About::Expression(one_line(written));
                return Ok((Claim::Always(alive(&mut self.model.system.terms)), about));
            }
            "deadlock" => {
                let message = "`deadlock` alone does not say what is claimed; write `deadlock-free` if there is to be \
                               none, or `E<> deadlock` if there is to be one";
                return Err(Diagnostic::error(Code::UnclearClaim, self.span(), message));
            }
            other if self.model.names.place(other).is_none() => {
                let letters: String = other.chars().filter(|c| c.is_alphanumeric()).collect();
                let meant = match letters.to_ascii_lowercase().as_str() {
                    "deadlockfree" | "nodeadlock" => "deadlock-free",
                    "1safe" | "onesafe" | "safe" => "1-safe",
                    _ => "",
                };
                if !meant.is_empty() {
                    return Err(Diagnostic::unknown(self.span(), "place", other, Some(meant)));
                }
            }
            _ => {}
        }
        let about = About::Expression(one_line(written));
        if let Some(marking) = self.marking_alone()? {
            return Ok((Claim::Always(self.model.system.terms.not(marking)), about));
        }
        let (always, tight) = match self.quantifier() {
            Some(found) => found,
            None => return Ok((Claim::Always(self.truth(Self::expr)?), about)),
        };
        let about = About::Expression(one_line(self.rest()));
        let term = if tight { self.truth(Self::comparison)? } else { self.truth(Self::expr)? };
        if tight && self.token() != &Token::End {
            let word = if always { "AG" } else { "EF" };
            let message = format!("what `{word}` is about ends here; put all of it in parentheses");
            return Err(Diagnostic::error(Code::Syntax, self.span(), message));
        }
        Ok((if always { Claim::Always(term) } else { Claim::Possibly(term) }, about))
    }
    /// What is left of the text.
    fn rest(&self) -> &'a str {
        &self.text[self.span().start as usize..self.tokens[self.tokens.len() - 2].1.end as usize]
    }
    /// Takes a quantifier: whether it is about all markings, and whether it binds tightly.
    fn quantifier(&mut self) -> Option<(bool, bool)> {
        let Token::Name { text, quoted: false } = self.token() else { return None };
        let next = &self.tokens[self.at + 1].0;
        let operand = matches!(next, Token::Name { .. } | Token::Number(_) | Token::Mark("(" | "!"));
        let found = match (text.as_str(), next) {
            ("A", Token::Mark("[]")) => (true, false),
            ("E", Token::Mark("<>")) => (false, false),
            ("AG", _) if operand => (true, true),
            ("EF", _) if operand => (false, true),
            _ => return None,
        };
        self.at += if found.1 { 1 } else { 2 };
        Some(found)
    }
    /// A marking with nothing around it.
    fn marking_alone(&mut self) -> Parse<Option<Term>> {
        let body = &self.tokens[self.at..self.tokens.len() - 1];
        if body.iter().all(|(token, _)| matches!(token, Token::Number(_) | Token::Mark(","))) {
            let counts: Vec<(String, Span)> = body
                .iter()
                .filter_map(|(token, span)| match token {
                    Token::Number(digits) => Some((digits.clone(), *span)),
                    _ => None,
                })
                .collect();
            self.at = self.tokens.len() - 1;
            return self.whole_marking(&counts).map(Some);
        }
        let listed = body.chunks(4).all(|chunk| {
            matches!(
                chunk,
                [(Token::Name { .. }, _), (Token::Mark("="), _), (Token::Number(_), _)]
                    | [
                        (Token::Name { .. }, _),
                        (Token::Mark("="), _),
                        (Token::Number(_), _),
                        (Token::Mark(","), _)
                    ]
            )
        });
        if !listed {
            return Ok(None);
        }
        if body.len() < 4 {
            let message = "this may be a claim about every marking or a marking to look for; write `==` for the \
                           first, and `E<> place == n` or `A[] place != n` for the second";
            return Err(Diagnostic::error(Code::UnclearClaim, self.span(), message));
        }
        self.entries(Token::End).map(Some)
    }
    fn whole_marking(&mut self, counts: &[(String, Span)]) -> Parse<Term> {
        let places = self.model.names.tokens.len();
        if counts.len() != places {
            let span = counts.get(places).or(counts.last()).map_or(Span::default(), |(_, span)| *span);
            let message = format!(
                "the marking has {} numbers, and the net has {places} places; give one for each, in the order of \
                 the document",
                counts.len()
            );
            return Err(Diagnostic::error(Code::WrongCount, span, message));
        }
        let mut conditions = vec![];
        for (place, (digits, span)) in counts.iter().enumerate() {
            conditions.push(self.has(place, digits, *span)?);
        }
        Ok(self.model.system.terms.and(conditions))
    }
    /// `name = number, …` up to `close`, which is left.
    fn entries(&mut self, close: Token) -> Parse<Term> {
        let mut conditions = vec![];
        let mut named = vec![];
        loop {
            let span = self.span();
            let place = self.place_name()?;
            if named.contains(&place) {
                return Err(Diagnostic::error(
                    Code::RepeatedPart,
                    span,
                    "the place is named twice in this marking",
                ));
            }
            named.push(place);
            if !self.eat("=") && !self.eat("==") {
                return self.unexpected("`=` and a number of tokens");
            }
            let (Token::Number(digits), span) = self.tokens[self.at].clone() else {
                return self.unexpected("a number of tokens");
            };
            self.at += 1;
            conditions.push(self.has(place, &digits, span)?);
            if !self.eat(",") {
                break;
            }
        }
        if self.token() != &close {
            return self.unexpected("`,` and another place");
        }
        Ok(self.model.system.terms.and(conditions))
    }
    fn has(&mut self, place: usize, digits: &str, span: Span) -> Parse<Term> {
        let count = number(digits, span)?;
        let terms = &mut self.model.system.terms;
        let (has, count) = (terms.var(self.model.names.tokens[place]), terms.constant(Value::Int(count)));
        Ok(terms.eq(has, count))
    }

    fn expr(&mut self) -> Parse<Part> {
        let first = self.implication()?;
        if !self.is_iff() {
            return Ok(first);
        }
        let mut all = self.known_truth(first)?;
        while self.is_iff() {
            self.at += 1;
            let next = self.truth(Self::implication)?;
            all = self.model.system.terms.eq(all, next);
        }
        Ok(Part::Truth(all))
    }
    fn is_iff(&self) -> bool {
        self.is("<=>") || self.is_word("iff")
    }
    /// To the right: `a => b => c` is `a => (b => c)`.
    fn implication(&mut self) -> Parse<Part> {
        let first = self.disjunction()?;
        let mut sides = vec![];
        while self.is("=>") || self.is("->") || self.is_word("imply") {
            if sides.is_empty() {
                sides.push(self.known_truth(first)?);
            }
            self.at += 1;
            sides.push(self.truth(Self::disjunction)?);
        }
        let Some(mut all) = sides.pop() else { return Ok(first) };
        while let Some(side) = sides.pop() {
            all = self.model.system.terms.implies(side, all);
        }
        Ok(Part::Truth(all))
    }
    fn disjunction(&mut self) -> Parse<Part> {
        self.junction(&["||", "|"], "or", Self::conjunction, Terms::or)
    }
    fn conjunction(&mut self) -> Parse<Part> {
        self.junction(&["&&", "&"], "and", Self::negation, Terms::and)
    }
    fn junction(
        &mut self,
        marks: &[&str],
        word: &str,
        inner: fn(&mut Self) -> Parse<Part>,
        join: fn(&mut Terms, Vec<Term>) -> Term,
    ) -> Parse<Part> {
        let first = inner(self)?;
        let mut list = vec![];
        while marks.iter().any(|mark| self.is(mark)) || self.is_word(word) {
            if list.is_empty() {
                list.push(self.known_truth(first)?);
            }
            self.at += 1;
            list.push(self.truth(inner)?);
        }
        if list.is_empty() { Ok(first) } else { Ok(Part::Truth(join(&mut self.model.system.terms, list))) }
    }
    /// Applies to a whole comparison.
    fn negation(&mut self) -> Parse<Part> {
        if !self.is("!") && !self.is_word("not") {
            return self.comparison();
        }
        self.at += 1;
        let inner = self.nested(|parser| parser.truth(Self::negation))?;
        Ok(Part::Truth(self.model.system.terms.not(inner)))
    }
    fn comparison(&mut self) -> Parse<Part> {
        if self.is("!") || self.is_word("not") {
            return self.negation();
        }
        let start = self.span();
        let left = self.sum()?;
        let Token::Mark(mark @ ("==" | "=" | "!=" | "<" | "<=" | ">" | ">=")) = *self.token() else {
            return Ok(left);
        };
        self.at += 1;
        let right_span = self.span();
        let right = self.sum()?;
        let terms = &mut self.model.system.terms;
        let term = match (left, right, mark) {
            (Part::Truth(a), Part::Truth(b), "==" | "=") => terms.eq(a, b),
            (Part::Truth(a), Part::Truth(b), "!=") => terms.xor(a, b),
            (Part::Number(a), Part::Number(b), _) => match mark {
                "==" | "=" => terms.eq(a, b),
                "!=" => {
                    let same = terms.eq(a, b);
                    terms.not(same)
                }
                "<" => terms.lt(a, b),
                "<=" => terms.le(a, b),
                ">" => terms.gt(a, b),
                _ => terms.ge(a, b),
            },
            (Part::Number(_), Part::Truth(_), _) => return Err(not_a_number(right_span)),
            (Part::Truth(_), ..) => return Err(not_a_number(start)),
        };
        if let Token::Mark("==" | "=" | "!=" | "<" | "<=" | ">" | ">=") = self.token() {
            let message = "comparisons cannot be chained; write `a < b && b < c`";
            return Err(Diagnostic::error(Code::Syntax, self.span(), message));
        }
        Ok(Part::Truth(term))
    }
    fn sum(&mut self) -> Parse<Part> {
        let start = self.span();
        let first = self.product()?;
        let mut list = vec![];
        while self.is("+") || self.is("-") {
            if list.is_empty() {
                list.push(known_number(first, start)?);
            }
            let minus = self.is("-");
            self.at += 1;
            let next = self.number(Self::product)?;
            list.push(if minus { self.model.system.terms.neg(next) } else { next });
        }
        if list.is_empty() { Ok(first) } else { Ok(Part::Number(self.model.system.terms.add(list))) }
    }
    fn product(&mut self) -> Parse<Part> {
        let start = self.span();
        let first = self.sign()?;
        let mut list = vec![];
        while self.is("*") {
            if list.is_empty() {
                list.push(known_number(first, start)?);
            }
            self.at += 1;
            list.push(self.number(Self::sign)?);
        }
        if list.is_empty() { Ok(first) } else { Ok(Part::Number(self.model.system.terms.mul(list))) }
    }
    fn sign(&mut self) -> Parse<Part> {
        if !self.is("-") {
            return self.primary();
        }
        self.at += 1;
        let inner = self.nested(|parser| parser.number(Self::sign))?;
        Ok(Part::Number(self.model.system.terms.neg(inner)))
    }
    fn primary(&mut self) -> Parse<Part> {
        let (token, span) = self.tokens[self.at].clone();
        match &token {
            Token::Number(digits) => {
                self.at += 1;
                let count = number(digits, span)?;
                Ok(Part::Number(self.model.system.terms.constant(Value::Int(count))))
            }
            Token::Mark("(") => {
                self.at += 1;
                let inner = self.nested(Self::expr)?;
                if !self.eat(")") {
                    return self.unexpected("an operator or `)`");
                }
                Ok(inner)
            }
            Token::Name { text, quoted: false }
                if !matches!(self.tokens[self.at + 1].0, Token::Mark("(")) =>
            {
                self.word(text, span)
            }
            Token::Name { text, quoted: false } => self.call(text, span),
            Token::Name { .. } => self.tokens_of(),
            _ => self.unexpected("a place, a number or `(`"),
        }
    }
    fn word(&mut self, text: &str, span: Span) -> Parse<Part> {
        let terms = &mut self.model.system.terms;
        let term = match text {
            "true" => terms.bool(true),
            "false" => terms.bool(false),
            "deadlock" => terms.deadlock(),
            _ => {
                let next = &self.tokens[self.at + 1].0;
                if matches!((text, next), ("A" | "E", Token::Mark("[]" | "<>" | "[")))
                    || is_temporal(text, next)
                {
                    return Err(branching(span));
                }
                return self.tokens_of();
            }
        };
        self.at += 1;
        Ok(Part::Truth(term))
    }
    fn call(&mut self, text: &str, span: Span) -> Parse<Part> {
        self.at += 2;
        let term = match text {
            "fireable" => {
                let mut any = vec![];
                loop {
                    let transition = self.transition_name()?;
                    let effects = effects(&self.model.net.transitions[transition].arcs);
                    any.push(enabled(&mut self.model.system.terms, &effects, &self.model.names.tokens));
                    if !self.eat(",") {
                        break;
                    }
                }
                self.model.system.terms.or(any)
            }
            "marking" => self.entries(Token::Mark(")"))?,
            "EX" if self.is_word("true") => {
                self.at += 1;
                alive(&mut self.model.system.terms)
            }
            _ if is_temporal(text, &Token::Mark("(")) => return Err(branching(span)),
            _ => {
                let message = format!(
                    "`{text}` cannot be called; there are `fireable(transition, …)` and `marking(place = n, …)`"
                );
                return Err(Diagnostic::error(Code::WrongKind, span, message));
            }
        };
        if !self.eat(")") {
            return self.unexpected("`,` or `)`");
        }
        Ok(Part::Truth(term))
    }
    fn tokens_of(&mut self) -> Parse<Part> {
        let place = self.place_name()?;
        Ok(Part::Number(self.model.system.terms.var(self.model.names.tokens[place])))
    }
    fn place_name(&mut self) -> Parse<usize> {
        let (Token::Name { text, .. }, span) = self.tokens[self.at].clone() else {
            return self.unexpected("the name of a place");
        };
        self.at += 1;
        self.model.place(&text, span)
    }
    fn transition_name(&mut self) -> Parse<usize> {
        let (Token::Name { text, .. }, span) = self.tokens[self.at].clone() else {
            return self.unexpected("the name of a transition");
        };
        self.at += 1;
        self.model.transition(&text, span)
    }

    fn truth(&mut self, inner: fn(&mut Self) -> Parse<Part>) -> Parse<Term> {
        let start = self.span();
        match inner(self)? {
            Part::Truth(term) => Ok(term),
            Part::Number(_) => Err(not_a_truth(start)),
        }
    }
    /// The operand before the current token, as a truth value.
    fn known_truth(&self, part: Part) -> Parse<Term> {
        match part {
            Part::Truth(term) => Ok(term),
            Part::Number(_) => Err(not_a_truth(self.tokens[self.at - 1].1)),
        }
    }
    fn number(&mut self, inner: fn(&mut Self) -> Parse<Part>) -> Parse<Term> {
        let start = self.span();
        known_number(inner(self)?, start)
    }
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth == DEEPEST {
            let message = format!("this is nested more than {DEEPEST} times");
            return Err(Diagnostic::error(Code::TooDeep, self.span(), message));
        }
        self.depth += 1;
        let result = ir::deep(|| inner(self));
        self.depth -= 1;
        result
    }
    fn token(&self) -> &Token {
        &self.tokens[self.at].0
    }
    fn span(&self) -> Span {
        self.tokens[self.at].1
    }
    fn is(&self, mark: &str) -> bool {
        matches!(self.token(), Token::Mark(found) if *found == mark)
    }
    fn is_word(&self, word: &str) -> bool {
        matches!(self.token(), Token::Name { text, quoted: false } if text == word)
    }
    fn eat(&mut self, mark: &str) -> bool {
        let found = self.is(mark);
        self.at += usize::from(found);
        found
    }
    fn end(&mut self) -> Parse<()> {
        // A final semicolon is a habit.
        while self.eat(";") {}
        if self.token() == &Token::End {
            Ok(())
        } else {
            self.unexpected("an operator or the end of the property")
        }
    }
    fn unexpected<T>(&self, wanted: &str) -> Parse<T> {
        Err(Diagnostic::error(
            Code::Syntax,
            self.span(),
            format!("expected {wanted}, found {}", self.token()),
        ))
    }
}

impl Subject<'_> {
    /// The number of the place of this name.
    pub(crate) fn place(&self, name: &str, span: Span) -> Parse<usize> {
        self.names
            .place(name)
            .ok_or_else(|| self.unknown("place", name, span, nearest(name, self.names.places())))
    }
    /// The number of the transition of this name.
    pub(crate) fn transition(&self, name: &str, span: Span) -> Parse<usize> {
        let near = || nearest(name, self.names.transitions());
        self.names.transition(name).ok_or_else(|| self.unknown("transition", name, span, near()))
    }
    fn unknown(&self, what: &str, name: &str, span: Span, near: Option<&str>) -> Diagnostic {
        if self.names.is_shared(name) {
            let message = format!("there are several nodes with the name `{name}`; use the id of the {what}");
            return Diagnostic::error(Code::AmbiguousName, span, message).about(name);
        }
        Diagnostic::unknown(span, what, name, near)
    }
}

/// No place has two tokens.
pub(crate) fn one_safe(model: &mut Subject<'_>) -> Term {
    let terms = &mut model.system.terms;
    let one = terms.int(1);
    let mut conditions = vec![];
    for var in &model.names.tokens {
        let has = terms.var(*var);
        conditions.push(terms.le(has, one));
    }
    terms.and(conditions)
}

/// The name of a place as an expression has it: quoted unless it can be nothing but a name.
pub(crate) fn written(name: &str) -> String {
    const WORDS: &[&str] = &[
        "true", "false", "deadlock", "and", "or", "not", "imply", "iff", "A", "E", "AG", "EF", "prop", "ltl",
    ];
    let mut letters = name.chars();
    let plain = letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    match plain && !WORDS.contains(&name) {
        true => name.to_owned(),
        false if name.contains('"') => format!("'{name}'"),
        false => format!("\"{name}\""),
    }
}

/// Some transition can fire.
pub(crate) fn alive(terms: &mut Terms) -> Term {
    let deadlock = terms.deadlock();
    terms.not(deadlock)
}

fn number(digits: &str, span: Span) -> Parse<Int> {
    let wrong = || Diagnostic::error(Code::InvalidNumber, span, "this number has more than 100 digits");
    digits.parse().ok().filter(|_| digits.len() <= 100).ok_or_else(wrong)
}

fn known_number(part: Part, span: Span) -> Parse<Term> {
    match part {
        Part::Number(term) => Ok(term),
        Part::Truth(_) => Err(not_a_number(span)),
    }
}

fn not_a_number(span: Span) -> Diagnostic {
    Diagnostic::error(Code::TypeMismatch, span, "this is true or false, and a number of tokens is needed")
}

fn not_a_truth(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::TypeMismatch,
        span,
        "this is a number of tokens; compare it with another, for example `p >= 1`",
    )
}

/// Whether a temporal operator starts here; places may have such names.
fn is_temporal(text: &str, next: &Token) -> bool {
    matches!(text, "AG" | "AF" | "AX" | "EG" | "EF" | "EX" | "G" | "F" | "X")
        && matches!(next, Token::Name { .. } | Token::Number(_) | Token::Mark("(" | "!"))
        || matches!(text, "A" | "E") && matches!(next, Token::Mark("("))
}

/// What goes beyond `AG` and `EF` at the front and formulas about every run, in whatever form it is written.
pub(crate) fn branching(span: Span) -> Diagnostic {
    let message = "formulas of branching time are not supported yet, beyond one `AG` or `EF` at the front; a formula \
                   about every run has no `A` or `E` inside";
    Diagnostic::error(Code::UnsupportedTemporalFormula, span, message)
}
