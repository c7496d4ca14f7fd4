//! Expressions, by precedence climbing.
//!
//! A level of operators binds tighter than the levels before it; operators of one level form a chain.

use ltl::parse::Problem;

use super::*;

/// Temporal operators, by what can be done with them.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Temporal {
    /// Those of linear time: what formulas are made of.
    Linear,
    /// Those of branching time, and others.
    Other,
}

impl Parser<'_, '_> {
    pub(super) fn push(&mut self, kind: ExprKind, start: Span) -> ExprId {
        let span = self.from(start);
        self.model.exprs.push(Expr { kind, span })
    }
    pub(super) fn expr(&mut self) -> Parse<ExprId> {
        let arrow = std::mem::replace(&mut self.arrow, false);
        let result = self.climb(Level::Ite);
        self.arrow = arrow;
        result
    }
    /// An expression that `<-` may follow.
    pub(super) fn position(&mut self) -> Parse<ExprId> {
        let arrow = std::mem::replace(&mut self.arrow, true);
        let result = self.enclosed(|p| p.climb(Level::Ite));
        self.arrow = arrow;
        result
    }
    /// An expression that binds at least as tightly as `least`.
    pub(super) fn climb(&mut self, least: Level) -> Parse<ExprId> {
        let start = self.span;
        let mut left = self.prefix(least)?;
        loop {
            if let Some(op) = self.chain_op().filter(|op| op.level() >= least) {
                let level = op.level();
                let mut rest = vec![];
                while let Some(op) = self.chain_op().filter(|op| op.level() == level) {
                    self.bump_connective(op);
                    rest.push((op, self.climb(level.tighter())?));
                }
                left = self.push(ExprKind::Chain(Box::new(Chain { first: left, rest })), start);
            } else if let Some(op) = self.compare_op().filter(|op| op.level() >= least) {
                self.bump_comparison();
                let right = self.climb(op.level().tighter())?;
                left = self.push(ExprKind::Compare(op, left, right), start);
                if self.compare_op().is_some_and(|next| next.level() == op.level()) {
                    let message = "comparisons cannot be chained; write `a < b && b < c` or use parentheses";
                    self.report(Diagnostic::error(Code::Syntax, self.span, message));
                    return Err(Failed);
                }
            } else {
                return Ok(left);
            }
        }
    }
    fn chain_op(&self) -> Option<ChainOp> {
        Some(match self.token {
            Token::Or if self.enclosed > 0 => ChainOp::Or,
            Token::Identifier if self.in_formula && self.is_word("and") => ChainOp::And,
            Token::Identifier if self.is_foreign_operator("and") => ChainOp::And,
            Token::Iff => ChainOp::Iff,
            Token::Implies | Token::Arrow => ChainOp::Implies,
            Token::OrOr => ChainOp::Or,
            Token::Xor => ChainOp::Xor,
            Token::And => ChainOp::And,
            Token::Plus => ChainOp::Add,
            Token::Minus => ChainOp::Sub,
            Token::Times => ChainOp::Mul,
            Token::Divide => ChainOp::Div,
            Token::Percent => ChainOp::Mod,
            Token::Rem => ChainOp::Rem,
            _ => return None,
        })
    }
    fn compare_op(&self) -> Option<CompareOp> {
        Some(match self.token {
            Token::Equal | Token::Equals => CompareOp::Eq,
            Token::NotEqual | Token::SlashEquals => CompareOp::Ne,
            Token::Less => CompareOp::Lt,
            Token::LeftArrow if !self.arrow => CompareOp::Lt,
            Token::LessEqual => CompareOp::Le,
            Token::Greater => CompareOp::Gt,
            Token::GreaterEqual => CompareOp::Ge,
            _ => return None,
        })
    }
    /// Takes a connective, which may be written as elsewhere.
    fn bump_connective(&mut self, op: ChainOp) {
        let message = match (self.token, op) {
            (Token::Identifier, _) => "the conjunction is written `&&`",
            (Token::Or, _) => "the disjunction is written `||`",
            _ => "",
        };
        if !message.is_empty() && !self.in_formula {
            self.report(Diagnostic::error(Code::ForeignSpelling, self.span, message));
        }
        self.bump();
    }
    /// Takes a comparison; of `<-` only the first half, the sign belongs to what follows.
    fn bump_comparison(&mut self) {
        if self.token == Token::LeftArrow {
            self.token = Token::Minus;
            self.span.start += 1;
            self.last = self.span.start;
            return;
        }
        let message = match self.token {
            Token::Equals => "equality is written `==`; `=` only gives initial values",
            Token::SlashEquals => "inequality is written `!=`",
            _ => "",
        };
        if !message.is_empty() && !self.in_formula {
            self.report(Diagnostic::error(Code::ForeignSpelling, self.span, message));
        }
        self.bump();
    }
    fn prefix(&mut self, least: Level) -> Parse<ExprId> {
        let start = self.span;
        let (op, level) = match self.token {
            Token::Not => (UnaryOp::Not, Level::Not),
            Token::Minus => (UnaryOp::Minus, Level::Sign),
            Token::Plus => (UnaryOp::Plus, Level::Sign),
            Token::If => {
                self.must_bind(Level::Ite, least, "if … then … else …");
                return self.nested(Self::ite);
            }
            Token::Identifier if self.in_formula && self.is_word("not") && self.operand_ahead() => {
                (UnaryOp::Not, Level::Not)
            }
            Token::Identifier if self.is_foreign_operator("not") && self.operand_ahead() => {
                self.report(Diagnostic::error(
                    Code::ForeignSpelling,
                    self.span,
                    "the negation is written `!`",
                ));
                (UnaryOp::Not, Level::Not)
            }
            _ => return self.postfix(),
        };
        self.must_bind(level, least, "!…");
        self.bump();
        let operand = self.nested(|p| p.climb(level))?;
        Ok(self.push(ExprKind::Unary(op, operand), start))
    }
    /// Whether an operand follows the current token; after a name, that is never right.
    fn operand_ahead(&self) -> bool {
        let ahead = self.ahead();
        let word_end = ahead.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$' | '.'));
        let word = &ahead[..word_end.unwrap_or(ahead.len())];
        let goes_on = matches!(word, "then" | "else" | "xor" | "iff" | "rem") || ahead.starts_with("!=");
        !goes_on && ahead.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '(' | '!'))
    }
    /// The temporal operator that starts here, if one does.
    fn temporal(&self) -> Option<Temporal> {
        let linear = ["G", "F", "X", "always", "eventually", "globally", "finally", "next"];
        let other = ["A", "E", "AG", "AF", "AX", "EG", "EF", "EX", "never", "historically"];
        let ahead = self.ahead();
        match self.token {
            Token::Identifier => {
                let brackets = ["[]", "<>", "[ ]", "< >"].iter().any(|mark| ahead.starts_with(mark));
                let word = Some(self.text(self.span)).filter(|_| brackets || self.operand_ahead())?;
                let other = other.contains(&word).then_some(Temporal::Other);
                if linear.contains(&word) { Some(Temporal::Linear) } else { other }
            }
            Token::LeftBracket => ahead.starts_with(']').then_some(Temporal::Linear),
            Token::Less => ahead.starts_with('>').then_some(Temporal::Linear),
            _ => None,
        }
    }
    /// Why a temporal operator cannot stand here.
    fn temporal_inside(&self, operator: Temporal) -> Diagnostic {
        let (code, message) = match operator {
            Temporal::Linear if self.in_formula => (Code::TypeMismatch, Problem::TemporalInside.to_string()),
            Temporal::Linear => {
                let message = "a property is about single states; a temporal formula is written `ltl { … }`";
                (Code::Misplaced, message.to_owned())
            }
            Temporal::Other => {
                let message = "of temporal formulas, only those about every run are supported, such as `G (p -> F q)`, and \
                               `AG EF p`, that `p` can always be reached again, as a property by itself, without `ltl`";
                (Code::UnsupportedTemporalFormula, message.to_owned())
            }
        };
        Diagnostic::error(code, self.span, message)
    }
    fn must_bind(&mut self, level: Level, least: Level, shape: &str) {
        if level < least {
            let message =
                format!("`{shape}` binds less tightly than the operator before it; put it in parentheses");
            self.report(Diagnostic::error(Code::Syntax, self.span, message));
        }
    }
    fn ite(&mut self) -> Parse<ExprId> {
        let start = self.bump();
        let condition = self.expr()?;
        self.expect(Token::Then)?;
        let then = self.expr()?;
        self.expect(Token::Else)?;
        let otherwise = self.climb(Level::Ite)?;
        Ok(self.push(ExprKind::Ite(condition, then, otherwise), start))
    }
    pub(super) fn postfix(&mut self) -> Parse<ExprId> {
        let start = self.span;
        if self.claiming
            && let Some(operator) = self.temporal()
        {
            return self.fail(self.temporal_inside(operator));
        }
        let base = self.primary()?;
        if self.token == Token::LeftParen && matches!(self.model.exprs[base].kind, ExprKind::Name(_)) {
            let message =
                format!("`{}` cannot be called, for there are no functions", shortened(self.text(start)));
            return self.fail(Diagnostic::error(Code::WrongKind, start, message));
        }
        if self.token != Token::LeftBracket {
            return Ok(base);
        }
        let mut list = vec![];
        while self.token == Token::LeftBracket {
            list.push(self.nested(|p| {
                let open = p.bump();
                let position = p.position()?;
                let postfix = match p.eat(Token::LeftArrow) {
                    true => Postfix::Write(position, p.expr()?),
                    false => Postfix::Read(position),
                };
                p.close_bracket(open)?;
                Ok(postfix)
            })?);
        }
        Ok(self.push(ExprKind::Postfix(base, list.into()), start))
    }
    pub(super) fn close_bracket(&mut self, open: Span) -> Parse<()> {
        if self.token != Token::RightBracket {
            return self.unclosed(open, "an operator or `]`");
        }
        self.bump();
        Ok(())
    }
    /// Whether a clock has been declared.
    fn has_clocks(&self) -> bool {
        let is_clock = |name: Name| self.model.names.text(name) == "clock";
        self.model.type_exprs.iter().any(|ty| matches!(ty.kind, TypeKind::Named(name) if is_clock(name)))
    }
    pub(super) fn primary(&mut self) -> Parse<ExprId> {
        let start = self.span;
        let kind = match self.token {
            Token::True => ExprKind::Bool(true),
            Token::False => ExprKind::Bool(false),
            Token::Integer => {
                ExprKind::Int(self.text(start).parse::<Int>().expect("the lexer takes digits only"))
            }
            Token::Decimal => {
                let text = self.text(start);
                let written = fraction(text);
                let message = format!("there are no decimal fractions; write `{written}`");
                let mut diagnostic = Diagnostic::error(Code::ForeignSpelling, start, message);
                if let Some((_, scale)) = written.split_once('%')
                    && self.has_clocks()
                {
                    diagnostic = diagnostic.help(format!(
                        "clocks are compared with integers only: where this is for a clock, choose a smaller unit of \
                         time and multiply all constants of clocks by {scale}"
                    ));
                }
                self.report(diagnostic);
                let whole = text.split('.').next().unwrap_or_default();
                ExprKind::Int(whole.parse::<Int>().expect("the lexer takes digits only"))
            }
            Token::Identifier => ExprKind::Name(self.model.names.intern(self.text(start))),
            Token::LeftParen => {
                return self.nested(|p| {
                    let open = p.bump();
                    let inner = p.enclosed(Self::expr)?;
                    if p.token != Token::RightParen {
                        return p.unclosed(open, "an operator or `)`");
                    }
                    p.bump();
                    Ok(inner)
                });
            }
            Token::LeftBracket => return self.nested(Self::array),
            token if token.is_keyword() => {
                let message = format!("expected an expression, found {token}, which is a reserved word");
                return self.fail(Diagnostic::error(Code::ReservedWord, start, message));
            }
            _ => return self.unexpected("an expression"),
        };
        self.bump();
        Ok(self.push(kind, start))
    }
    pub(super) fn array(&mut self) -> Parse<ExprId> {
        let start = self.bump();
        let mut entries = vec![];
        while !matches!(self.token, Token::Default | Token::Less) {
            let position = self.position()?;
            self.expect(Token::LeftArrow)?;
            entries.push((position, self.expr()?));
            if self.token != Token::Comma {
                let message = "an array literal ends with `, default <- value`";
                let found = self.found();
                let diagnostic = Diagnostic::error(
                    Code::Syntax,
                    self.span,
                    format!("expected `,`, found {found}; {message}"),
                );
                return self.fail(diagnostic);
            }
            self.bump();
        }
        let index = match self.eat(Token::Less) {
            true => {
                let index = self.type_expr()?;
                self.expect(Token::Greater)?;
                Some(index)
            }
            false => None,
        };
        self.expect(Token::Default)?;
        self.expect(Token::LeftArrow)?;
        let default = self.expr()?;
        self.close_bracket(start)?;
        let literal = ArrayLiteral { entries, index, default };
        Ok(self.push(ExprKind::Array(Box::new(literal)), start))
    }
}
