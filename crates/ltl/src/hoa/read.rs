//! From text in the Hanoi format to an automaton. The text is not trusted: what it claims is checked, what it can make
//! large is bounded.

use std::fmt;

use ir::Id;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Hoa;
use super::lexer::{Token, tokens};
use crate::automaton::{Automaton, Edge, Marks, State};
use crate::guard::{Cube, Guard, Guards};

/// The most states that are read.
const MOST_STATES: u32 = 1_000_000;
/// The most atoms that are read.
const MOST_ATOMS: u32 = 10_000;
/// The most decisions that labels may need together.
const MOST_DECISIONS: usize = 1_000_000;
/// How deeply labels and conditions may nest.
const MOST_DEEP: usize = 1_000;

/// Why a text is no automaton that can be used, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HoaError {
    /// The byte, from 0.
    pub at: usize,
    /// The line, from 1.
    pub line: usize,
    /// The character in it, from 1.
    pub column: usize,
    /// Why.
    pub problem: Problem,
}

/// Why a text is no automaton that can be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// It does not begin with `HOA: v1`.
    Version,
    /// Something else is expected.
    Expected(&'static str),
    /// There is no such thing in the format.
    Unexpected,
    /// A text in quotes, or a comment, has no end.
    Unfinished,
    /// A header says something that must be known, but is not.
    Header(String),
    /// The acceptance condition is not that of a generalised Büchi automaton; with its name, if it has one.
    Acceptance(Option<String>),
    /// Several states at a time.
    Alternation,
    /// A number of something that there is not.
    NoSuch(&'static str),
    /// There is something twice that can be there once.
    Twice(&'static str),
    /// Without labels, a state has one edge for each letter.
    ImplicitLabels,
    /// Some edges of a state have labels, and others have not.
    MixedLabels,
    /// A number is too large, or something too deep.
    TooLarge,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version => f.write_str("an automaton in the Hanoi format begins with `HOA: v1`"),
            Self::Expected(what) => write!(f, "{what} is expected here"),
            Self::Unexpected => f.write_str("this does not belong here"),
            Self::Unfinished => f.write_str("this has no end"),
            Self::Header(name) => write!(f, "the header `{name}` is not known and cannot be ignored"),
            Self::Acceptance(Some(name)) => {
                write!(f, "{name} acceptance is not supported, only Buchi and generalized-Buchi are")
            }
            Self::Acceptance(None) => {
                f.write_str("only a conjunction of `Inf` is supported as acceptance condition")
            }
            Self::Alternation => f.write_str("alternating automata are not supported"),
            Self::NoSuch(what) => write!(f, "there is no {what} with this number or name"),
            Self::Twice(what) => write!(f, "{what} is there for the second time"),
            Self::ImplicitLabels => f.write_str("without labels, a state has one edge for each letter"),
            Self::MixedLabels => f.write_str("either all edges of a state have labels or none has"),
            Self::TooLarge => f.write_str("this is too large"),
        }
    }
}

impl fmt::Display for HoaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.problem)
    }
}

impl std::error::Error for HoaError {}

/// Reads one automaton.
///
/// # Errors
/// If the text is not in the format, or its automaton no generalised Büchi automaton.
pub fn read(text: &str) -> Result<Hoa, HoaError> {
    let result = tokens(text).and_then(|tokens| Reader::new(tokens, text.len()).automaton());
    result.map_err(|(at, problem)| {
        let before = &text[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        HoaError { at, line, column, problem }
    })
}

type Wrong = (usize, Problem);

struct Reader {
    tokens: Vec<(Token, usize)>,
    next: usize,
    /// The length of the text.
    end: usize,
    guards: Guards,
    header: Header,
    edges: Vec<Edge>,
    /// One more than the greatest number of a state.
    states: u32,
}

#[derive(Default)]
struct Header {
    name: Option<String>,
    states: Option<u32>,
    starts: Vec<u32>,
    names: Option<Vec<String>>,
    places: Vec<usize>,
    aliases: FxHashMap<String, Guard>,
    /// The greatest atom of a label, and where it is.
    greatest: Option<(u32, usize)>,
    /// How many sets the automaton has, and those that the condition asks for.
    acceptance: Option<(u32, Marks)>,
}

impl Reader {
    fn new(tokens: Vec<(Token, usize)>, end: usize) -> Self {
        let guards = Guards::default();
        Self { tokens, next: 0, end, guards, header: Header::default(), edges: vec![], states: 0 }
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(token, _)| token)
    }
    fn place(&self) -> usize {
        self.tokens.get(self.next).map_or(self.end, |&(_, at)| at)
    }
    /// What is wrong with the next token.
    fn wrong<T>(&self, problem: Problem) -> Result<T, Wrong> {
        Err((self.place(), problem))
    }
    fn take(&mut self, symbol: char) -> bool {
        let found = self.peek() == Some(&Token::Symbol(symbol));
        self.next += usize::from(found);
        found
    }
    fn symbol(&mut self, symbol: char, what: &'static str) -> Result<(), Wrong> {
        if self.take(symbol) { Ok(()) } else { self.wrong(Problem::Expected(what)) }
    }
    fn number(&mut self, most: u32) -> Result<u32, Wrong> {
        match self.peek() {
            Some(&Token::Number(number)) if number <= most => {
                self.next += 1;
                Ok(number)
            }
            Some(Token::Number(_)) => self.wrong(Problem::TooLarge),
            _ => self.wrong(Problem::Expected("a number")),
        }
    }
    fn text(&mut self) -> Option<String> {
        let Some(Token::Text(text)) = self.peek() else { return None };
        let text = text.clone();
        self.next += 1;
        Some(text)
    }
    fn state(&mut self) -> Result<u32, Wrong> {
        let at = self.place();
        let state = self.number(MOST_STATES)?;
        if self.header.states.is_some_and(|states| state >= states) {
            return Err((at, Problem::NoSuch("state")));
        }
        self.states = self.states.max(state + 1);
        if self.peek() == Some(&Token::Symbol('&')) { self.wrong(Problem::Alternation) } else { Ok(state) }
    }

    fn automaton(mut self) -> Result<Hoa, Wrong> {
        let version = [Token::Header("HOA".to_owned()), Token::Word("v1".to_owned())];
        for token in &version {
            if self.peek() != Some(token) {
                return self.wrong(Problem::Version);
            }
            self.next += 1;
        }
        while let Some(Token::Header(name)) = self.peek().cloned() {
            self.next += 1;
            self.header_item(&name)?;
        }
        self.section("BODY")?;
        let Some((sets, needed)) = self.header.acceptance else {
            return self.wrong(Problem::Expected("`Acceptance:` before the body"));
        };
        while self.peek() == Some(&Token::Header("State".to_owned())) {
            self.next += 1;
            self.state_item(sets)?;
        }
        let atoms = self.header.names.as_ref().map_or(0, Vec::len);
        if let Some((atom, at)) = self.header.greatest
            && atom as usize >= atoms
        {
            return Err((at, Problem::NoSuch("atom")));
        }
        self.section("END")?;
        if self.peek().is_some() {
            return self.wrong(Problem::Unexpected);
        }
        Ok(self.finish(needed))
    }

    fn section(&mut self, name: &'static str) -> Result<(), Wrong> {
        if self.peek() != Some(&Token::Section(name.to_owned())) {
            return self.wrong(Problem::Expected(if name == "BODY" { "`--BODY--`" } else { "`--END--`" }));
        }
        self.next += 1;
        Ok(())
    }

    fn header_item(&mut self, name: &str) -> Result<(), Wrong> {
        let at = self.tokens[self.next - 1].1;
        match name {
            "States" if self.header.states.is_some() => Err((at, Problem::Twice("`States:`"))),
            "States" => {
                self.header.states = Some(self.number(MOST_STATES)?);
                Ok(())
            }
            "Start" => {
                let start = self.state()?;
                self.header.starts.push(start);
                Ok(())
            }
            "AP" if self.header.names.is_some() => Err((at, Problem::Twice("`AP:`"))),
            "AP" => self.names(),
            "Alias" => self.alias(),
            "Acceptance" if self.header.acceptance.is_some() => Err((at, Problem::Twice("`Acceptance:`"))),
            "Acceptance" => self.acceptance(),
            "name" => {
                self.header.name = self.text();
                self.skip();
                Ok(())
            }
            _ if name.starts_with(char::is_uppercase) => Err((at, Problem::Header(name.to_owned()))),
            _ => {
                self.skip();
                Ok(())
            }
        }
    }

    /// To the next header, or to the body.
    fn skip(&mut self) {
        while !matches!(self.peek(), None | Some(Token::Header(_) | Token::Section(_))) {
            self.next += 1;
        }
    }

    fn names(&mut self) -> Result<(), Wrong> {
        let count = self.number(MOST_ATOMS)?;
        let mut names = vec![];
        for _ in 0..count {
            let at = self.place();
            let Some(name) = self.text() else { return self.wrong(Problem::Expected("a name in quotes")) };
            names.push(name);
            self.header.places.push(at);
        }
        self.header.names = Some(names);
        Ok(())
    }

    fn alias(&mut self) -> Result<(), Wrong> {
        let Some(Token::Alias(name)) = self.peek().cloned() else {
            return self.wrong(Problem::Expected("an alias"));
        };
        if self.header.aliases.contains_key(&name) {
            return self.wrong(Problem::Twice("this alias"));
        }
        self.next += 1;
        let guard = self.label(0)?;
        self.header.aliases.insert(name, guard);
        Ok(())
    }

    /// `Acceptance: n Inf(i) & …`.
    fn acceptance(&mut self) -> Result<(), Wrong> {
        let sets = self.number(Marks::MOST)?;
        let at = self.place();
        let mut needed = Marks::default();
        if !self.condition(sets, &mut needed, 0)? || !self.ends_item() {
            // The name may come before or after.
            let named = self.tokens.windows(2).find_map(|pair| match pair {
                [(Token::Header(header), _), (Token::Word(word), _)] if header == "acc-name" => {
                    Some(word.clone())
                }
                _ => None,
            });
            return Err((at, Problem::Acceptance(named)));
        }
        self.header.acceptance = Some((sets, needed));
        Ok(())
    }

    fn ends_item(&self) -> bool {
        matches!(self.peek(), None | Some(Token::Header(_) | Token::Section(_)))
    }

    /// A conjunction of `Inf`; `false` if it is something else.
    fn condition(&mut self, sets: u32, needed: &mut Marks, depth: usize) -> Result<bool, Wrong> {
        if depth > MOST_DEEP {
            return self.wrong(Problem::TooLarge);
        }
        loop {
            if self.take('(') {
                let inside = ir::deep(|| self.condition(sets, needed, depth + 1))?;
                if !inside || !self.take(')') {
                    return Ok(false);
                }
            } else if self.peek() == Some(&Token::Word("t".to_owned())) {
                self.next += 1;
            } else if self.peek() == Some(&Token::Word("Inf".to_owned())) {
                self.next += 1;
                if !self.take('(') || self.take('!') {
                    return Ok(false);
                }
                let at = self.place();
                let set = self.number(Marks::MOST)?;
                if set >= sets {
                    return Err((at, Problem::NoSuch("acceptance set")));
                }
                needed.0 |= 1 << set;
                self.symbol(')', "`)`")?;
            } else {
                return Ok(false);
            }
            if !self.take('&') {
                return Ok(true);
            }
        }
    }

    /// A label: a disjunction of conjunctions of literals, aliases and labels in parentheses.
    fn label(&mut self, depth: usize) -> Result<Guard, Wrong> {
        let mut sum = Guard::FALSE;
        loop {
            let mut product = Guard::TRUE;
            loop {
                let factor = ir::deep(|| self.factor(depth))?;
                product = self.guards.and(product, factor);
                if !self.take('&') {
                    break;
                }
            }
            sum = self.guards.or(sum, product);
            if self.guards.len() > MOST_DECISIONS {
                return self.wrong(Problem::TooLarge);
            }
            if !self.take('|') {
                return Ok(sum);
            }
        }
    }

    fn factor(&mut self, depth: usize) -> Result<Guard, Wrong> {
        if depth > MOST_DEEP {
            return self.wrong(Problem::TooLarge);
        }
        if self.take('!') {
            let inside = ir::deep(|| self.factor(depth + 1))?;
            return Ok(self.guards.not(inside));
        }
        if self.take('(') {
            let inside = self.label(depth + 1)?;
            self.symbol(')', "`)`")?;
            return Ok(inside);
        }
        let guard = match self.peek() {
            Some(Token::Word(word)) if word == "t" => Some(Guard::TRUE),
            Some(Token::Word(word)) if word == "f" => Some(Guard::FALSE),
            Some(Token::Alias(name)) => match self.header.aliases.get(name) {
                Some(&guard) => Some(guard),
                None => return self.wrong(Problem::NoSuch("alias")),
            },
            Some(&Token::Number(atom)) => {
                // Aliases may come before the names; whether there is such an atom is seen at the end.
                self.header.greatest = self.header.greatest.max(Some((atom, self.place())));
                if atom >= MOST_ATOMS {
                    return self.wrong(Problem::NoSuch("atom"));
                }
                Some(self.guards.literal(atom, true))
            }
            _ => None,
        };
        let Some(guard) = guard else { return self.wrong(Problem::Expected("a label")) };
        self.next += 1;
        Ok(guard)
    }

    fn optional_label(&mut self) -> Result<Option<Guard>, Wrong> {
        if !self.take('[') {
            return Ok(None);
        }
        let label = self.label(0)?;
        self.symbol(']', "`]`")?;
        Ok(Some(label))
    }

    fn optional_marks(&mut self, sets: u32) -> Result<Marks, Wrong> {
        let mut marks = Marks::default();
        if self.take('{') {
            while !self.take('}') {
                let at = self.place();
                let set = self.number(Marks::MOST)?;
                if set >= sets {
                    return Err((at, Problem::NoSuch("acceptance set")));
                }
                marks.0 |= 1 << set;
            }
        }
        Ok(marks)
    }

    /// A state and its edges.
    fn state_item(&mut self, sets: u32) -> Result<(), Wrong> {
        let at = self.place();
        let of_state = self.optional_label()?;
        let source = State::at(self.state()? as usize);
        self.text();
        let marks_of_state = self.optional_marks(sets)?;
        let (mut labelled, mut implicit) = (false, 0);
        while matches!(self.peek(), Some(Token::Symbol('[') | Token::Number(_))) {
            let at = self.place();
            let label = self.optional_label()?;
            if label.is_some() && of_state.is_some()
                || implicit > 0 && label.is_some()
                || labelled && label.is_none()
            {
                return Err((at, Problem::MixedLabels));
            }
            labelled |= label.is_some();
            let guard = match label.or(of_state) {
                Some(guard) => guard,
                None => {
                    implicit += 1;
                    self.letter(implicit - 1).ok_or((at, Problem::ImplicitLabels))?
                }
            };
            let target = State::at(self.state()? as usize);
            let marks = Marks(self.optional_marks(sets)?.0 | marks_of_state.0);
            self.edges.push(Edge { source, target, guard, marks });
        }
        if implicit > 0 && self.letter(implicit).is_some() {
            return Err((at, Problem::ImplicitLabels));
        }
        Ok(())
    }

    /// The letter with this number, bit by bit; none if there are not so many.
    fn letter(&mut self, number: u64) -> Option<Guard> {
        let atoms = self.header.names.as_ref().map_or(0, Vec::len) as u32;
        if atoms < u64::BITS && number >> atoms > 0 {
            return None;
        }
        let holds = |atom: u32| number.checked_shr(atom).is_some_and(|bits| bits & 1 == 1);
        let cube: Cube = (0..atoms).map(|atom| (atom, holds(atom))).collect();
        Some(self.guards.cube(&cube))
    }

    /// The automaton with those acceptance sets only that are needed, and one initial state.
    fn finish(self, needed: Marks) -> Hoa {
        let Self { guards, header, mut edges, states, .. } = self;
        let used: Vec<u32> = needed.iter().collect();
        for edge in &mut edges {
            let bits = used.iter().enumerate().filter(|&(_, &set)| edge.marks.has(set));
            edge.marks = Marks(bits.map(|(new, _)| 1 << new).sum());
        }
        let mut states = header.states.unwrap_or(states) as usize;
        let initial = if let [start] = header.starts[..] {
            State::at(start as usize)
        } else {
            let initial = State::at(states);
            states += 1;
            let starts: FxHashSet<usize> = header.starts.iter().map(|&start| start as usize).collect();
            let from_start = edges.iter().filter(|edge| starts.contains(&edge.source.index()));
            let copies: Vec<Edge> = from_start.map(|edge| Edge { source: initial, ..*edge }).collect();
            edges.extend(copies);
            initial
        };
        let names = header.names.unwrap_or_default();
        let atoms = names.len() as u32;
        let automaton = Automaton::new(guards, atoms, used.len() as u32, states, initial, edges);
        Hoa { automaton, names, places: header.places, name: header.name }
    }
}
