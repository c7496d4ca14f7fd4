//! From text to syntax tree: expressions, types and statements.
//!
//! Precedence is that of UPPAAL, loosest first: quantifiers; assignment; `?:`; `|| or xor imply`;
//! `&& and`; `|`; `^`; `&`; `== !=`; `< <= > >=`; `<? >?`; `<< >>`; `+ -`; `* / %`; prefix `! not - +
//! ++ --`; postfix. Every level of nesting in the tree comes from one level of recursion here, which
//! is counted: text nested deeper than [`NESTING`] is refused, so no later pass meets a deeper tree.

use ir::Span;

use crate::code::Code as Cause;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::text::Text;
use crate::xta::ast::*;
use crate::xta::lexer::{Token, Tokens};

/// How deep expressions, statements and types may be nested.
pub(crate) const NESTING: usize = 10_000;
/// How deep statements may be nested; later passes keep them as trees.
const STATEMENTS: usize = 1_000;
/// How long a text may be, in bytes; places are 32-bit.
pub(crate) const LONGEST: usize = 1 << 30;

/// The error is reported already.
pub(crate) struct Failed;
pub(crate) type Parse<T> = Result<T, Failed>;

pub(crate) struct Parser<'s, 'a> {
    pub(crate) tokens: Tokens<'s>,
    pub(crate) token: Token,
    pub(crate) span: Span,
    pub(crate) written: &'s str,
    /// The end of the last token taken.
    last: u32,
    pub(crate) ast: &'a mut Ast,
    pub(crate) diagnostics: &'a mut Diagnostics,
    pub(crate) warnings: &'a mut Vec<Diagnostic>,
    depth: usize,
    /// How many statements are around this place.
    statements: usize,
    /// Where the last error was.
    failed_at: Option<u32>,
    /// The names met so far.
    idents: Vec<(&'s str, Span)>,
    /// Set when the rest of the text is given up.
    stopped: bool,
}

impl<'s, 'a> Parser<'s, 'a> {
    pub(crate) fn new(
        text: &'s Text,
        ast: &'a mut Ast,
        diagnostics: &'a mut Diagnostics,
        warnings: &'a mut Vec<Diagnostic>,
    ) -> Self {
        let tokens = Tokens::new(text);
        let mut parser = Parser {
            tokens,
            token: Token::End,
            span: text.end(),
            written: "",
            last: 0,
            ast,
            diagnostics,
            warnings,
            depth: 0,
            statements: 0,
            failed_at: None,
            idents: vec![],
            stopped: false,
        };
        parser.bump();
        parser
    }

    // Tokens.

    pub(crate) fn bump(&mut self) -> Span {
        let span = self.span;
        self.last = span.end;
        if self.token == Token::Identifier {
            self.idents.push((self.written, span));
        }
        if !self.stopped {
            (self.token, self.span, self.written) = self.tokens.next(self.diagnostics);
        }
        span
    }
    /// How many names were met; for [`Parser::unread`].
    pub(crate) fn met(&self) -> usize {
        self.idents.len()
    }
    /// Goes on after a declaration that cannot be read. Whatever it names may be declared there, so that
    /// nothing is said about the uses of these names.
    pub(crate) fn unread(&mut self, since: usize) -> Vec<Decl> {
        self.skip_statement();
        let names = self.idents.split_off(since);
        let unread = |(text, span)| Decl::Unread(Ident { name: self.ast.names.intern(text), span });
        names.into_iter().map(unread).collect()
    }
    /// The token after the next one.
    pub(crate) fn peek(&self) -> Token {
        self.tokens.peek()
    }
    pub(crate) fn eat(&mut self, token: Token) -> bool {
        let found = self.token == token;
        if found {
            self.bump();
        }
        found
    }
    pub(crate) fn expect(&mut self, token: Token) -> Parse<Span> {
        if self.token == token { Ok(self.bump()) } else { self.unexpected(&token.to_string()) }
    }
    pub(crate) fn from(&self, start: Span) -> Span {
        Span { end: self.last.max(start.end), ..start }
    }
    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.token == Token::Identifier && self.written == word
    }
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.bump();
        }
        found
    }
    pub(crate) fn ident(&mut self, what: &str) -> Parse<Ident> {
        match self.token {
            // Older models have variables called `sum`.
            Token::Identifier | Token::Sum => {
                let name = self.ast.names.intern(self.written);
                Ok(Ident { name, span: self.bump() })
            }
            token if token.is_keyword() => {
                let message = format!("{token} is a reserved word and cannot be {what}; choose another name");
                self.fail(Diagnostic::error(Cause::ReservedWord, self.span, message))
            }
            _ => self.unexpected(what),
        }
    }

    // Errors.

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if !self.stopped && self.failed_at != Some(diagnostic.span.start) {
            self.failed_at = Some(diagnostic.span.start);
            self.diagnostics.push(diagnostic);
        }
    }
    pub(crate) fn warn(&mut self, code: Cause, span: Span, message: impl Into<String>) {
        self.warnings.push(Diagnostic::warning(code, span, message));
    }
    pub(crate) fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parse<T> {
        self.report(diagnostic);
        Err(Failed)
    }
    pub(crate) fn unexpected<T>(&mut self, wanted: &str) -> Parse<T> {
        let found = match self.token {
            Token::Identifier | Token::Integer | Token::Double => format!("`{}`", shortened(self.written)),
            token => token.to_string(),
        };
        self.fail(Diagnostic::error(Cause::Syntax, self.span, format!("expected {wanted}, found {found}")))
    }
    pub(crate) fn unsupported<T>(&mut self, code: Cause, span: Span, what: &str) -> Parse<T> {
        self.fail(Diagnostic::error(code, span, format!("{what} not supported")))
    }
    /// Runs `f` one level of nesting deeper.
    pub(crate) fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth == NESTING {
            let message = format!("more than {NESTING} levels of nesting; split the text into simpler parts");
            self.report(Diagnostic::error(Cause::TooDeep, self.span, message));
            self.stopped = true;
            self.token = Token::End;
            return Err(Failed);
        }
        self.depth += 1;
        let result = ir::deep(|| f(self));
        self.depth -= 1;
        result
    }
    /// Goes on after an error: takes everything up to and including the next `;`, but leaves the end
    /// of the block around it.
    pub(crate) fn skip_statement(&mut self) {
        let mut open = 0usize;
        loop {
            match self.token {
                Token::End => return,
                Token::Semicolon if open == 0 => {
                    self.bump();
                    return;
                }
                Token::LeftBrace => open += 1,
                Token::RightBrace if open == 0 => return,
                Token::RightBrace => {
                    open -= 1;
                    if open == 0 {
                        self.bump();
                        self.eat(Token::Semicolon);
                        return;
                    }
                }
                _ => {}
            }
            self.bump();
        }
    }

    // Expressions.

    fn push(&mut self, start: Span, kind: ExprKind) -> ExprId {
        let span = self.from(start);
        self.ast.exprs.push(Expr { kind, span })
    }
    /// `a, b, c`, at least one.
    pub(crate) fn exprs(&mut self) -> Parse<Vec<ExprId>> {
        let mut list = vec![self.expr()?];
        while self.eat(Token::Comma) {
            list.push(self.expr()?);
        }
        Ok(list)
    }
    /// The assignments and calls of an update. Those after one that cannot be read are kept, so that what is wrong with
    /// them is told as well.
    pub(crate) fn updates(&mut self) -> Parse<Vec<ExprId>> {
        let mut list = vec![];
        loop {
            match self.expr() {
                Ok(expr) => list.push(expr),
                Err(Failed) => self.rest_of_updates(&mut list),
            }
            if !self.eat(Token::Comma) {
                return Ok(list);
            }
        }
    }
    /// Takes the rest of an update after an error, and what is whole between its commas. Where the broken one ends is
    /// not known, so that nothing is said of the syntax of what follows.
    fn rest_of_updates(&mut self, list: &mut Vec<ExprId>) {
        let mut found = Diagnostics::default();
        std::mem::swap(self.diagnostics, &mut found);
        let at_end = |p: &Self| matches!(p.token, Token::Semicolon | Token::RightBrace | Token::End);
        while !at_end(self) {
            if !self.eat(Token::Comma) {
                self.bump();
            } else if let Ok(expr) = self.expr()
                && (self.token == Token::Comma || at_end(self))
                && matches!(self.ast.exprs[expr].kind, ExprKind::Assign(..) | ExprKind::Step { .. })
            {
                list.push(expr);
            }
        }
        std::mem::swap(self.diagnostics, &mut found);
        // That it ends here is no second mistake.
        self.failed_at = Some(self.span.start);
        let characters = found.finish().into_iter().filter(|it| it.code == Cause::UnexpectedCharacter);
        characters.for_each(|it| self.diagnostics.push(it));
    }
    pub(crate) fn expr(&mut self) -> Parse<ExprId> {
        self.nested(|p| p.assignment())
    }
    fn assignment(&mut self) -> Parse<ExprId> {
        use Token::*;
        let start = self.span;
        let place = self.choose()?;
        let op = match self.token {
            Equals | ColonEquals => None,
            PlusEquals => Some(Binary::Add),
            MinusEquals => Some(Binary::Sub),
            TimesEquals => Some(Binary::Mul),
            DivideEquals => Some(Binary::Div),
            PercentEquals => Some(Binary::Mod),
            OrEquals => Some(Binary::BitOr),
            AndEquals => Some(Binary::BitAnd),
            XorEquals => Some(Binary::BitXor),
            LeftShiftEquals => Some(Binary::ShiftLeft),
            RightShiftEquals => Some(Binary::ShiftRight),
            _ => return Ok(place),
        };
        self.bump();
        let value = self.expr()?;
        Ok(self.push(start, ExprKind::Assign(op, place, value)))
    }
    fn choose(&mut self) -> Parse<ExprId> {
        let start = self.span;
        let condition = self.chain(0)?;
        if !self.eat(Token::Question) {
            return Ok(condition);
        }
        let then = self.expr()?;
        self.expect(Token::Colon)?;
        let otherwise = self.nested(|p| p.choose())?;
        Ok(self.push(start, ExprKind::Choose(condition, then, otherwise)))
    }
    /// Whether `imply A<>` comes, which ends a condition.
    fn leads_on(&self) -> bool {
        let ahead = self.tokens.ahead().take(3);
        let tokens: Vec<_> = std::iter::once((self.token, self.written)).chain(ahead).collect();
        super::declaration::is_response(&tokens)
    }
    fn binary(&self) -> Option<(Binary, u8)> {
        use Token::*;
        Some(match self.token {
            OrOr | OrWord => (Binary::Or, 0),
            XorWord => (Binary::Xor, 0),
            Imply if self.leads_on() => return None,
            Imply => (Binary::Imply, 0),
            And | AndWord => (Binary::And, 1),
            Bar => (Binary::BitOr, 2),
            Caret => (Binary::BitXor, 3),
            Ampersand => (Binary::BitAnd, 4),
            Equal => (Binary::Eq, 5),
            NotEqual => (Binary::Ne, 5),
            Less => (Binary::Lt, 6),
            LessEqual => (Binary::Le, 6),
            Greater => (Binary::Gt, 6),
            GreaterEqual => (Binary::Ge, 6),
            Min => (Binary::Min, 7),
            Max => (Binary::Max, 7),
            LeftShift => (Binary::ShiftLeft, 8),
            RightShift => (Binary::ShiftRight, 8),
            Plus => (Binary::Add, 9),
            Minus => (Binary::Sub, 9),
            Times => (Binary::Mul, 10),
            Divide => (Binary::Div, 10),
            Percent => (Binary::Mod, 10),
            Power => (Binary::Power, 11),
            _ => return None,
        })
    }
    fn chain(&mut self, least: u8) -> Parse<ExprId> {
        let start = self.span;
        let mut left = self.unary()?;
        while let Some((_, level)) = self.binary()
            && level >= least
        {
            let mut rest = vec![];
            while let Some((op, here)) = self.binary()
                && here == level
            {
                self.bump();
                rest.push((op, self.chain(level + 1)?));
            }
            left = self.push(start, ExprKind::Chain(left, rest.into()));
        }
        Ok(left)
    }
    fn unary(&mut self) -> Parse<ExprId> {
        let start = self.span;
        let operand = |p: &mut Self| {
            p.bump();
            p.nested(|p| p.unary())
        };
        let kind = match self.token {
            Token::Not | Token::NotWord => ExprKind::Not(operand(self)?),
            Token::Minus => ExprKind::Minus(operand(self)?),
            Token::Plus => ExprKind::Plus(operand(self)?),
            Token::Increment => ExprKind::Step { place: operand(self)?, up: true, prefix: true },
            Token::Decrement => ExprKind::Step { place: operand(self)?, up: false, prefix: true },
            Token::Tilde => {
                return self.unsupported(Cause::UnsupportedOperator, start, "the bitwise complement `~` is");
            }
            Token::Forall => return self.quantified(Quantification::Forall),
            Token::Exists => return self.quantified(Quantification::Exists),
            Token::Sum if self.peek() == Token::LeftParen => return self.quantified(Quantification::Sum),
            _ => return self.postfix(),
        };
        Ok(self.push(start, kind))
    }
    fn quantified(&mut self, what: Quantification) -> Parse<ExprId> {
        let start = self.bump();
        self.expect(Token::LeftParen)?;
        let ident = self.ident("a bound variable")?;
        self.expect(Token::Colon)?;
        let ty = self.type_expr()?;
        self.expect(Token::RightParen)?;
        let body = self.expr()?;
        Ok(self.push(start, ExprKind::Quantified(what, ident, ty, body)))
    }
    pub(crate) fn postfix(&mut self) -> Parse<ExprId> {
        let start = self.span;
        let mut left = self.primary()?;
        let mut length = 0;
        loop {
            let kind = match self.token {
                Token::LeftBracket => {
                    self.bump();
                    let index = self.expr()?;
                    self.expect(Token::RightBracket)?;
                    ExprKind::Index(left, index)
                }
                Token::Dot => {
                    self.bump();
                    ExprKind::Field(left, self.ident("a field or a location")?)
                }
                Token::LeftParen => {
                    self.bump();
                    let args = if self.token == Token::RightParen { vec![] } else { self.exprs()? };
                    self.expect(Token::RightParen)?;
                    ExprKind::Call(left, args.into())
                }
                Token::Increment if !self.starts_arrow() => {
                    self.bump();
                    ExprKind::Step { place: left, up: true, prefix: false }
                }
                Token::Decrement if !self.starts_arrow() => {
                    self.bump();
                    ExprKind::Step { place: left, up: false, prefix: false }
                }
                Token::Prime => {
                    self.bump();
                    ExprKind::Rate(left)
                }
                _ => return Ok(left),
            };
            // A long tail is as deep a tree as nesting is.
            length += 1;
            if length > NESTING {
                let message = format!("more than {NESTING} selections in a row");
                return self.fail(Diagnostic::error(Cause::TooDeep, self.span, message));
            }
            left = self.push(start, kind);
        }
    }
    /// Whether `--` begins the `-->` of a query.
    fn starts_arrow(&self) -> bool {
        self.token == Token::Decrement && self.peek() == Token::Greater
    }
    fn primary(&mut self) -> Parse<ExprId> {
        let start = self.span;
        let kind = match self.token {
            Token::Integer => {
                let Ok(value) = self.written.parse::<i64>() else {
                    let message = format!("`{}` is too large for an integer", shortened(self.written));
                    return self.fail(Diagnostic::error(Cause::InvalidNumber, start, message));
                };
                self.bump();
                ExprKind::Int(value)
            }
            Token::Double => {
                self.bump();
                ExprKind::Double
            }
            Token::Text => {
                self.bump();
                ExprKind::Text
            }
            Token::True | Token::False => {
                let value = self.token == Token::True;
                self.bump();
                ExprKind::Bool(value)
            }
            Token::Deadlock => {
                self.bump();
                ExprKind::Deadlock
            }
            Token::Identifier if self.written == "spawn" && self.peek() == Token::Identifier => {
                self.bump();
                self.ident("the name of a template")?;
                self.expect(Token::LeftParen)?;
                let args = if self.token == Token::RightParen { vec![] } else { self.exprs()? };
                self.expect(Token::RightParen)?;
                ExprKind::Spawn(args.into())
            }
            Token::Identifier | Token::Sum => ExprKind::Name(self.ident("a variable")?.name),
            Token::LeftParen => {
                self.bump();
                let inner = self.expr()?;
                if self.token != Token::RightParen {
                    let mut diagnostic =
                        Diagnostic::error(Cause::Unclosed, self.span, "expected an operator or `)`");
                    diagnostic = diagnostic.note(start, "opened here");
                    return self.fail(diagnostic);
                }
                self.bump();
                return Ok(inner);
            }
            _ => return self.unexpected("an expression"),
        };
        Ok(self.push(start, kind))
    }
    /// `e` or `{ a, b, f: c }`
    pub(crate) fn initialiser(&mut self) -> Parse<ExprId> {
        if self.token != Token::LeftBrace {
            return self.expr();
        }
        self.nested(|p| {
            let start = p.bump();
            let mut items = vec![];
            while p.token != Token::RightBrace || !items.is_empty() {
                let field = if p.token == Token::Identifier && p.peek() == Token::Colon {
                    let ident = p.ident("a field")?;
                    p.bump();
                    Some(ident)
                } else {
                    None
                };
                items.push((field, p.initialiser()?));
                if !p.eat(Token::Comma) {
                    break;
                }
            }
            p.expect(Token::RightBrace)?;
            Ok(p.push(start, ExprKind::List(items.into())))
        })
    }

    // Types.

    /// Whether a type with its prefixes begins here, and not an expression.
    pub(crate) fn at_type(&self) -> bool {
        use Token::*;
        matches!(
            self.token,
            Const
                | Urgent
                | Broadcast
                | Meta
                | Hybrid
                | Int
                | Bool
                | Clock
                | Chan
                | Void
                | Scalar
                | Struct
                | DoubleType
                | StringType
        ) || self.token == Identifier && matches!(self.peek(), Identifier | Ampersand)
    }
    pub(crate) fn type_expr(&mut self) -> Parse<TypeId> {
        self.nested(|p| p.type_here())
    }
    fn type_here(&mut self) -> Parse<TypeId> {
        let start = self.span;
        let mut prefix = Prefix::default();
        loop {
            match self.token {
                Token::Const => prefix.constant = true,
                Token::Urgent => prefix.urgent = true,
                Token::Broadcast => prefix.broadcast = true,
                Token::Meta => prefix.meta = true,
                Token::Hybrid => prefix.hybrid = true,
                _ => break,
            }
            self.bump();
        }
        let kind = match self.token {
            // `const n` of the oldest syntax is an integer.
            Token::Identifier
                if prefix.constant && !matches!(self.peek(), Token::Identifier | Token::Ampersand) =>
            {
                self.ast.old = true;
                TypeKind::Int(None)
            }
            Token::Identifier => TypeKind::Named(self.ident("a type")?.name),
            Token::Bool
            | Token::Clock
            | Token::Chan
            | Token::Void
            | Token::DoubleType
            | Token::StringType => {
                let kind = match self.token {
                    Token::Bool => TypeKind::Bool,
                    Token::Clock => TypeKind::Clock,
                    Token::Chan => TypeKind::Chan,
                    Token::DoubleType => TypeKind::Double,
                    Token::StringType => TypeKind::Text,
                    _ => TypeKind::Void,
                };
                self.bump();
                kind
            }
            Token::Int => {
                self.bump();
                let mut bounds = None;
                if self.eat(Token::LeftBracket) {
                    let low = self.expr()?;
                    self.expect(Token::Comma)?;
                    bounds = Some((low, self.expr()?));
                    self.expect(Token::RightBracket)?;
                }
                TypeKind::Int(bounds)
            }
            Token::Scalar => {
                self.bump();
                self.expect(Token::LeftBracket)?;
                let size = self.expr()?;
                self.expect(Token::RightBracket)?;
                TypeKind::Scalar(size)
            }
            Token::Struct => {
                self.bump();
                self.expect(Token::LeftBrace)?;
                let mut fields = vec![];
                while self.token != Token::RightBrace {
                    let ty = self.type_expr()?;
                    loop {
                        fields.push(self.declarator(ty, "a field")?);
                        if !self.eat(Token::Comma) {
                            break;
                        }
                    }
                    self.expect(Token::Semicolon)?;
                }
                self.bump();
                TypeKind::Struct(fields)
            }
            _ => return self.unexpected("a type"),
        };
        let span = self.from(start);
        Ok(self.ast.types.push(TypeExpr { kind, prefix, span }))
    }
    /// `name[dim]…`, without an initialiser.
    pub(crate) fn declarator(&mut self, ty: TypeId, what: &str) -> Parse<VarDecl> {
        let ident = self.ident(what)?;
        let mut dims = vec![];
        while self.eat(Token::LeftBracket) {
            let is_type = matches!(self.token, Token::Int | Token::Scalar | Token::Bool | Token::Const);
            dims.push(if is_type { Dim::Type(self.type_expr()?) } else { Dim::Size(self.expr()?) });
            self.expect(Token::RightBracket)?;
        }
        Ok(VarDecl { ident, ty, dims, initial: None })
    }

    // Statements.

    fn push_stmt(&mut self, start: Span, kind: StmtKind) -> StmtId {
        let span = self.from(start);
        self.ast.stmts.push(Stmt { kind, span })
    }
    /// `{ declarations statements }`
    pub(crate) fn block(&mut self) -> Parse<StmtId> {
        let start = self.expect(Token::LeftBrace)?;
        let (mut decls, mut list) = (vec![], vec![]);
        while !matches!(self.token, Token::RightBrace | Token::End) {
            if self.token == Token::Typedef || self.at_type() {
                let (mut found, met) = (vec![], self.met());
                if self.variables(&mut found).is_err() {
                    found.extend(self.unread(met));
                }
                match list.is_empty() {
                    true => decls.append(&mut found),
                    // A declaration after a statement opens a block of its own.
                    false => list.push(Err(found)),
                }
                continue;
            }
            match self.stmt() {
                Ok(stmt) => list.push(Ok(stmt)),
                Err(Failed) => self.skip_statement(),
            }
        }
        self.expect(Token::RightBrace)?;
        // From the back, so that late declarations enclose what follows them.
        let mut rest: Vec<StmtId> = vec![];
        for item in list.into_iter().rev() {
            match item {
                Ok(stmt) => rest.push(stmt),
                Err(late) => {
                    rest.reverse();
                    let inner = self.push_stmt(start, StmtKind::Block(late, std::mem::take(&mut rest)));
                    rest.push(inner);
                }
            }
        }
        rest.reverse();
        Ok(self.push_stmt(start, StmtKind::Block(decls, rest)))
    }
    fn stmt(&mut self) -> Parse<StmtId> {
        if self.statements == STATEMENTS {
            let message = format!("more than {STATEMENTS} levels of statements; split the function");
            self.report(Diagnostic::error(Cause::TooDeep, self.span, message));
            self.stopped = true;
            self.token = Token::End;
            return Err(Failed);
        }
        self.statements += 1;
        let result = self.nested(|p| p.stmt_here());
        self.statements -= 1;
        result
    }
    fn stmt_here(&mut self) -> Parse<StmtId> {
        let start = self.span;
        let condition = |p: &mut Self| {
            p.expect(Token::LeftParen)?;
            let condition = p.expr()?;
            p.expect(Token::RightParen)?;
            Ok(condition)
        };
        let kind = match self.token {
            Token::LeftBrace => return self.block(),
            Token::Semicolon => {
                self.bump();
                StmtKind::Empty
            }
            Token::If => {
                self.bump();
                let condition = condition(self)?;
                let then = self.stmt()?;
                let otherwise = if self.eat(Token::Else) { Some(self.stmt()?) } else { None };
                StmtKind::If(condition, then, otherwise)
            }
            Token::While => {
                self.bump();
                let condition = condition(self)?;
                StmtKind::While(condition, self.stmt()?)
            }
            Token::Do => {
                self.bump();
                let body = self.stmt()?;
                self.expect(Token::While)?;
                let condition = condition(self)?;
                self.expect(Token::Semicolon)?;
                StmtKind::DoWhile(body, condition)
            }
            Token::For => {
                self.bump();
                self.expect(Token::LeftParen)?;
                if self.token == Token::Identifier && self.peek() == Token::Colon {
                    let ident = self.ident("a loop variable")?;
                    self.bump();
                    let ty = self.type_expr()?;
                    self.expect(Token::RightParen)?;
                    StmtKind::Iterate(ident, ty, self.stmt()?)
                } else {
                    let mut parts = [vec![], vec![], vec![]];
                    for (part, end) in
                        parts.iter_mut().zip([Token::Semicolon, Token::Semicolon, Token::RightParen])
                    {
                        if self.token != end {
                            *part = self.exprs()?;
                        }
                        self.expect(end)?;
                    }
                    StmtKind::For(parts, self.stmt()?)
                }
            }
            Token::Return => {
                self.bump();
                let value = if self.token == Token::Semicolon { None } else { Some(self.expr()?) };
                self.expect(Token::Semicolon)?;
                StmtKind::Return(value)
            }
            Token::Identifier
                if match self.written {
                    "break" | "continue" => self.peek() == Token::Semicolon,
                    "switch" | "assert" => self.peek() == Token::LeftParen,
                    _ => false,
                } =>
            {
                let what = format!("the statement `{}` is", self.written);
                return self.unsupported(Cause::UnsupportedStatement, start, &what);
            }
            _ => {
                let expr = self.expr()?;
                self.expect(Token::Semicolon)?;
                StmtKind::Expr(expr)
            }
        };
        Ok(self.push_stmt(start, kind))
    }
}

/// A piece of the user's text that fits into a message.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
