//! Expressions.

use ir::Span;

use super::{Parse, Parser};
use crate::gamma::ast::*;
use crate::gamma::lexer::Token;

/// Words that join two operands, so that they do not begin one.
const OPERATORS: &[&str] = &["and", "or", "xor", "imply", "div", "mod"];

/// Words that begin what may come behind an invariant.
const BEHIND_INVARIANTS: &[&str] = &[
    "entry",
    "exit",
    "region",
    "invariant",
    "var",
    "const",
    "timeout",
    "transition",
    "procedure",
    "lambda",
    "in",
    "out",
    "inout",
    "internal",
];

/// Words before what properties and traces say about instances; the second spelling is an older one.
const OBSERVED: &[(&str, ObservedKind)] = &[
    ("state", ObservedKind::State),
    ("variable", ObservedKind::Variable),
    ("var", ObservedKind::Variable),
    ("event", ObservedKind::Event),
    ("parameter", ObservedKind::Parameter),
    ("param", ObservedKind::Parameter),
    ("raise", ObservedKind::Raise),
    ("element", ObservedKind::Element),
];

impl Parser<'_, '_> {
    pub(in crate::gamma) fn push_expr(&mut self, start: Span, kind: ExprKind) -> ExprId {
        let span = self.from(start);
        self.ast.exprs.push(Expr { kind, span })
    }
    /// An expression, of whatever kind.
    pub(in crate::gamma) fn expr(&mut self) -> Parse<ExprId> {
        self.nested(|parser| {
            let start = parser.span();
            if parser.eat_word("else") {
                return Ok(parser.push_expr(start, ExprKind::Else));
            }
            let condition = parser.logic(LogicOp::Imply)?;
            if !parser.eat(Token::Question) {
                return Ok(condition);
            }
            let yes = parser.expr()?;
            parser.expect(Token::Colon)?;
            let no = parser.expr()?;
            Ok(parser.push_expr(start, ExprKind::Conditional(condition, yes, no)))
        })
    }
    fn logic(&mut self, op: LogicOp) -> Parse<ExprId> {
        let start = self.span();
        let (word, tighter) = match op {
            LogicOp::Imply => ("imply", Some(LogicOp::Or)),
            LogicOp::Or => ("or", Some(LogicOp::Xor)),
            LogicOp::Xor => ("xor", Some(LogicOp::And)),
            LogicOp::And => ("and", None),
        };
        let operand = |parser: &mut Self| match tighter {
            Some(tighter) => parser.logic(tighter),
            None => parser.unary(),
        };
        let first = operand(self)?;
        let mut operands = vec![first];
        while self.is_word(word) || self.at_legacy_operator(op) {
            self.bump();
            operands.push(operand(self)?);
        }
        if operands.len() == 1 {
            return Ok(first);
        }
        Ok(self.push_expr(start, ExprKind::Logic(op, operands)))
    }
    /// The operators of old traces, `|`, `||`, `^`, `&` and `&&`.
    fn at_legacy_operator(&self, op: LogicOp) -> bool {
        self.observing
            && match op {
                LogicOp::Or => matches!(self.token(), Token::Or | Token::Bar),
                LogicOp::Xor => self.token() == Token::Caret,
                LogicOp::And => matches!(self.token(), Token::And | Token::Ampersand),
                LogicOp::Imply => false,
            }
    }
    fn unary(&mut self) -> Parse<ExprId> {
        let start = self.span();
        if self.is_word("not") || self.token() == Token::Not {
            self.bump();
            let operand = self.nested(Self::unary)?;
            return Ok(self.push_expr(start, ExprKind::Not(operand)));
        }
        let quantifier = match self.word() {
            "forall" => Some(Quantifier::Forall),
            "exists" => Some(Quantifier::Exists),
            _ => None,
        };
        if let Some(quantifier) = quantifier.filter(|_| self.peek(1) == Token::LeftParen) {
            self.bump();
            let params = self.params()?;
            self.expect(Token::Colon)?;
            let operand = self.nested(Self::unary)?;
            return Ok(self.push_expr(start, ExprKind::Quantified(quantifier, params, operand)));
        }
        self.equality()
    }
    fn equality(&mut self) -> Parse<ExprId> {
        let start = self.span();
        let left = self.comparison()?;
        let op = match self.token() {
            Token::Equals | Token::Equal => CompareOp::Equal,
            Token::NotEqual | Token::SlashEquals => CompareOp::NotEqual,
            _ => return Ok(left),
        };
        self.bump();
        let right = self.comparison()?;
        Ok(self.push_expr(start, ExprKind::Compare(op, left, right)))
    }
    fn comparison(&mut self) -> Parse<ExprId> {
        let start = self.span();
        let left = self.sum()?;
        self.comparison_rest(start, left)
    }
    fn comparison_rest(&mut self, start: Span, left: ExprId) -> Parse<ExprId> {
        let op = match self.token() {
            Token::Less => CompareOp::Less,
            Token::LessEqual => CompareOp::LessEqual,
            Token::Greater => CompareOp::Greater,
            Token::GreaterEqual => CompareOp::GreaterEqual,
            _ => return Ok(left),
        };
        self.bump();
        let right = self.sum()?;
        let compared = self.push_expr(start, ExprKind::Compare(op, left, right));
        self.nested(|parser| parser.comparison_rest(start, compared))
    }
    /// `a + b - c`; the value of a time, which a unit follows, is no more than that.
    pub(super) fn sum(&mut self) -> Parse<ExprId> {
        let start = self.span();
        let first = self.product()?;
        let mut rest = vec![];
        loop {
            let op = match self.token() {
                Token::Plus if self.joined(2) == Some("+>") => break,
                Token::Plus => AddOp::Plus,
                Token::Minus => AddOp::Minus,
                _ => break,
            };
            self.bump();
            rest.push((op, self.product()?));
        }
        Ok(if rest.is_empty() { first } else { self.push_expr(start, ExprKind::Sum(first, rest)) })
    }
    fn product(&mut self) -> Parse<ExprId> {
        let start = self.span();
        let first = self.signed()?;
        let mut rest = vec![];
        loop {
            let op = match (self.token(), self.word()) {
                (Token::Times, _) => MulOp::Times,
                (Token::Divide, _) => MulOp::Divide,
                (_, "div") => MulOp::Div,
                (_, "mod") => MulOp::Mod,
                _ => break,
            };
            self.bump();
            rest.push((op, self.signed()?));
        }
        Ok(if rest.is_empty() { first } else { self.push_expr(start, ExprKind::Product(first, rest)) })
    }
    fn signed(&mut self) -> Parse<ExprId> {
        let start = self.span();
        let negative = self.token() == Token::Minus;
        if negative || self.token() == Token::Plus {
            self.bump();
            let operand = self.nested(Self::signed)?;
            let kind = if negative { ExprKind::Negate(operand) } else { ExprKind::Plus(operand) };
            return Ok(self.push_expr(start, kind));
        }
        self.access()
    }
    /// A value with what follows it: positions, fields, arguments.
    pub(super) fn access(&mut self) -> Parse<ExprId> {
        let start = self.span();
        let value = self.primary()?;
        self.access_rest(start, value)
    }
    fn access_rest(&mut self, start: Span, value: ExprId) -> Parse<ExprId> {
        let kind = match self.token() {
            Token::LeftBracket => {
                self.bump();
                let index = self.expr()?;
                self.expect(Token::RightBracket)?;
                ExprKind::Index(value, index)
            }
            Token::LeftParen => ExprKind::Call(value, self.arguments()?),
            Token::Dot => {
                self.bump();
                ExprKind::Field(value, self.reference("a field")?)
            }
            Token::Arrow if self.word_at(1) == "select" => {
                self.bump();
                self.bump();
                ExprKind::Select(value)
            }
            _ => return Ok(value),
        };
        let accessed = self.push_expr(start, kind);
        // Each level is one of the tree.
        self.nested(|parser| parser.access_rest(start, accessed))
    }
    fn primary(&mut self) -> Parse<ExprId> {
        let start = self.span();
        let kind = match self.token() {
            Token::Integer => {
                let value = self.integer()?;
                if self.token() == Token::Percent && self.peek(1) == Token::Integer {
                    self.bump();
                    ExprKind::Rational(value, self.integer()?)
                } else {
                    ExprKind::Integer(value)
                }
            }
            Token::Decimal => {
                let span = self.bump();
                ExprKind::Decimal(self.ast.names.intern(self.text(span)))
            }
            Token::String => {
                let (text, _) = self.string()?;
                ExprKind::Opaque(self.ast.names.intern(text))
            }
            Token::LeftParen => {
                self.bump();
                let inner = self.expr()?;
                self.expect(Token::RightParen)?;
                return Ok(inner);
            }
            Token::Hash => self.literal()?,
            Token::Less if matches!(self.joined(2), Some("<+" | "<-")) => self.range()?,
            Token::Word => self.named(start)?,
            _ => return self.unexpected("a value"),
        };
        Ok(self.push_expr(start, kind))
    }
    /// `#[1, 2]` or `#T { a := 1 }`
    fn literal(&mut self) -> Parse<ExprKind> {
        self.bump();
        if self.eat(Token::LeftBracket) {
            let entries = self.list_until(Token::RightBracket, Self::expr)?;
            return Ok(ExprKind::Array(entries));
        }
        let ty = self.reference("`[` or the type of a record")?;
        self.expect(Token::LeftBrace)?;
        let fields = self.list(|parser| {
            let field = parser.reference("a field")?;
            parser.expect(Token::Assign)?;
            Ok((field, parser.expr()?))
        })?;
        self.expect(Token::RightBrace)?;
        Ok(ExprKind::Record { ty, fields })
    }
    /// `<+ a .. b +>`
    fn range(&mut self) -> Parse<ExprKind> {
        self.bump();
        let from_included = self.token() == Token::Plus;
        self.bump();
        let from = self.expr()?;
        self.expect(Token::Dots)?;
        let to = self.expr()?;
        let to_included = self.joined(2) == Some("+>");
        if to_included {
            self.bump();
            self.bump();
        } else if !self.eat(Token::Arrow) {
            return self.unexpected("`+>` or `->` at the end of the range");
        }
        Ok(ExprKind::Range { from, from_included, to, to_included })
    }
    /// What begins with a word.
    fn named(&mut self, start: Span) -> Parse<ExprKind> {
        match self.word() {
            "true" => return Ok(self.simple_value(ExprKind::Bool(true))),
            "false" => return Ok(self.simple_value(ExprKind::Bool(false))),
            "infinity" => return Ok(self.simple_value(ExprKind::Infinity)),
            "time" if self.at_time() => {
                self.bump();
                let value = self.sum()?;
                return Ok(ExprKind::Time(value, self.unit()?));
            }
            "timeout" if self.peek(1) == Token::Word && self.peek(2) == Token::Scope => {
                let event = self.event_ref("a timeout")?;
                self.bump();
                return Ok(ExprKind::Raised(event));
            }
            "this" if self.peek(1) == Token::Dot && self.peek(3) == Token::Scope => {
                self.bump();
                self.bump();
                let event = self.reference("an event")?;
                self.bump();
                return Ok(ExprKind::EventParameter {
                    port: None,
                    event,
                    param: self.reference("a parameter")?,
                });
            }
            _ => {}
        }
        let called = |parser: &Self, word| {
            parser.hyphenated(word).is_some_and(|count| parser.peek(count) == Token::LeftParen)
        };
        if called(self, "in-state") {
            self.eat_one_of(&["in-state"]);
            self.bump();
            let region = self.reference("a region")?;
            self.expect(Token::Dot)?;
            let state = self.reference("a state")?;
            self.expect(Token::RightParen)?;
            return Ok(ExprKind::InState { region, state });
        }
        if called(self, "time-elapsed") {
            self.eat_one_of(&["time-elapsed"]);
            self.bump();
            let timeout = self.reference("a timeout")?;
            self.expect(Token::RightParen)?;
            return Ok(ExprKind::Elapsed(timeout));
        }
        if self.observing
            && let Some(observed) = self.observed()?
        {
            return Ok(ExprKind::Observed(observed));
        }
        if self.peek(1) == Token::Dot && self.peek(2) == Token::Word && self.peek(3) == Token::Scope {
            return self.scoped_event(start);
        }
        if self.peek(1) == Token::Scope {
            if self.starts_scoped(2) {
                let ty = self.reference("a type")?;
                self.bump();
                return Ok(ExprKind::Literal { ty, literal: self.reference("a literal")? });
            }
            let event = self.event_ref("an event")?;
            self.bump();
            return Ok(ExprKind::Raised(event));
        }
        Ok(ExprKind::Name(self.reference("a value")?))
    }
    fn simple_value(&mut self, kind: ExprKind) -> ExprKind {
        self.bump();
        kind
    }
    /// `port.event::parameter`, `port.event::` or `port.any::`
    fn scoped_event(&mut self, start: Span) -> Parse<ExprKind> {
        if !self.starts_scoped(4) {
            let event = self.event_ref("an event")?;
            self.bump();
            return Ok(ExprKind::Raised(event));
        }
        let port = self.reference("a port")?;
        self.bump();
        let event = self.reference("an event")?;
        self.bump();
        let param = self.reference("a parameter")?;
        debug_assert!(start.start < self.last);
        Ok(ExprKind::EventParameter { port: Some(port), event, param })
    }
    /// Whether a name that belongs to the `::` before it is so far ahead. With a space between, a word that begins
    /// something else does that: `invariant p.e:: exit / …`.
    fn starts_scoped(&self, ahead: usize) -> bool {
        let word = self.word_at(ahead);
        let at = self.at + ahead;
        let is_apart =
            at > 0 && self.tokens.get(at).is_some_and(|(_, span)| span.start != self.tokens[at - 1].1.end);
        self.peek(ahead) == Token::Word
            && !OPERATORS.contains(&word)
            && !(is_apart && BEHIND_INVARIANTS.contains(&word))
    }
    /// Whether the word `time` here begins `time 5 ms`.
    fn at_time(&self) -> bool {
        match self.peek(1) {
            Token::Integer | Token::Decimal => true,
            Token::Word => !OPERATORS.contains(&self.word_at(1)),
            Token::LeftParen => {
                // The unit behind the closing one tells it from a function of that name.
                let (mut open, mut ahead) = (0usize, 1);
                loop {
                    match self.peek(ahead) {
                        Token::LeftParen => open += 1,
                        Token::RightParen => open -= 1,
                        Token::End | Token::Semicolon => return false,
                        _ => {}
                    }
                    ahead += 1;
                    if open == 0 {
                        return matches!(self.word_at(ahead), "ms" | "s" | "h");
                    }
                }
            }
            _ => false,
        }
    }
    pub(super) fn unit(&mut self) -> Parse<Unit> {
        self.choice(&[("ms", Unit::Millisecond), ("s", Unit::Second), ("h", Unit::Hour)])
    }
    /// `5 s`
    pub(in crate::gamma) fn duration(&mut self) -> Parse<Duration> {
        let value = self.sum()?;
        Ok(Duration { value, unit: self.unit()? })
    }

    // What properties and traces say.

    /// `state a -> b.region.State` and the like, or a path without a word before it.
    fn observed(&mut self) -> Parse<Option<Observed>> {
        let next = self.peek(1);
        let kind = OBSERVED.iter().find(|(word, _)| *word == self.word() && next == Token::Word);
        let kind = match kind {
            Some((_, kind)) => {
                self.bump();
                *kind
            }
            None if next == Token::Dot => ObservedKind::Element,
            None if next == Token::Arrow && self.word_at(2) != "select" => ObservedKind::Element,
            None if self.word_at(1) == "in" && self.peek(2) == Token::Word => ObservedKind::State,
            None => return Ok(None),
        };
        let mut observed =
            Observed { kind, instances: vec![], rest: vec![], parameter: None, arguments: vec![] };
        observed.instances.push(self.ident("an instance")?);
        while self.token() == Token::Arrow && self.peek(1) == Token::Word && self.word_at(1) != "select" {
            self.bump();
            observed.instances.push(self.ident("an instance")?);
        }
        if self.is_word("in") && self.peek(1) == Token::Word {
            self.bump();
            observed.kind = ObservedKind::State;
            observed.rest.push(self.ident("a state")?);
        }
        while self.token() == Token::Dot {
            self.bump();
            observed.rest.push(self.ident("a name")?);
        }
        if self.token() == Token::Scope && self.starts_scoped(1) {
            self.bump();
            observed.parameter = Some(self.ident("a parameter")?);
        }
        if kind == ObservedKind::Raise {
            observed.arguments = self.arguments()?;
        }
        Ok(Some(observed))
    }
}
