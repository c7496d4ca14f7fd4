//! Files of properties, `.gpd`, and single formulas.
//!
//! A formula is about cycles: its atoms, in braces, look at a component after each of them. `A` and `E` say that all or
//! some runs have a path formula; several temporal operators below one of them are linear time. Atoms name instances
//! as they are written or flattened ([`Observed`](super::ast::Observed)); who knows the instances resolves them.

use ir::{FileId, IdVec, Span};

use super::ast::{Ast, ExprId, Ident, Import, LogicOp};
use super::lexer::Token;
use super::parser::{Parse, Parser};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};

ir::id!(
    /// A formula, of states or of runs.
    FormulaId
);

/// A file of properties.
#[derive(Clone, Debug, Default)]
pub struct PropertyFile {
    /// The expressions of atoms.
    pub ast: Ast,
    /// Packages that are imported; `.….gsm` is the unfolded form of a package.
    pub imports: Vec<Import>,
    /// The component that the properties are about.
    pub component: Option<Ident>,
    /// The properties, in order.
    pub properties: Vec<Property>,
    /// All formulas.
    pub formulas: IdVec<FormulaId, Formula>,
}

/// A property.
#[derive(Clone, Debug)]
pub struct Property {
    /// `@("text")` before it.
    pub comments: Vec<Box<str>>,
    /// What it says.
    pub formula: FormulaId,
    /// Its place.
    pub span: Span,
}

/// A formula.
#[derive(Clone, PartialEq, Debug)]
pub struct Formula {
    /// What it is.
    pub kind: FormulaKind,
    /// Its place.
    pub span: Span,
}

/// What a formula is.
#[derive(Clone, PartialEq, Debug)]
pub enum FormulaKind {
    /// `{ e }`
    Atom(ExprId),
    /// `A f` or `E f`
    Quantified(PathQuantifier, FormulaId),
    /// `! f`
    Not(FormulaId),
    /// At least two operands of `&&`, `^`, `||` or `->`; the last from the right.
    Logic(LogicOp, Vec<FormulaId>),
    /// `G f`, `F f` or `X f`
    Unary(UnaryOp, FormulaId),
    /// `f U g` and the like
    Binary(BinaryOp, FormulaId, FormulaId),
}

/// Over which runs a formula speaks.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum PathQuantifier {
    /// `A`: all of them.
    All,
    /// `E`: some of them.
    Some,
}

/// A temporal operator of one operand.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `G`: after every cycle.
    Globally,
    /// `F`: after some cycle.
    Finally,
    /// `X`: after the next cycle.
    Next,
}

/// A temporal operator of two operands.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `U`
    Until,
    /// `R`
    Release,
    /// `WU`
    WeakUntil,
    /// `B`
    Before,
    /// `WB`
    WeakBefore,
}

/// Parses a file of properties.
pub fn parse(text: &str) -> (PropertyFile, Vec<Diagnostic>) {
    reading(text, |reader| {
        if reader.head().is_err() {
            reader.skip();
        }
        while reader.parser.token() != Token::End {
            let before = reader.parser.span();
            if reader.property().is_err() {
                if reader.parser.span() == before {
                    reader.parser.bump();
                }
                reader.skip();
            }
        }
    })
}

/// Parses one formula, as on a command line: `E F { e }`, or an expression alone, which becomes an atom.
pub fn parse_formula(text: &str) -> (PropertyFile, Vec<Diagnostic>) {
    reading(text, |reader| {
        let start = reader.parser.span();
        let read = if reader.starts_formula() { reader.state_formula() } else { reader.bare() };
        if let Ok(formula) = read {
            if reader.parser.token() != Token::End {
                // The error is reported, and there is nothing to go on with.
                let _ = reader.parser.unexpected::<()>("the end of the property");
            }
            let span = reader.parser.from(start);
            reader.properties.push(Property { comments: vec![], formula, span });
        }
    })
}

fn reading(text: &str, read: impl FnOnce(&mut Reader<'_, '_>)) -> (PropertyFile, Vec<Diagnostic>) {
    let (mut ast, mut diagnostics) = (Ast::default(), Diagnostics::default());
    let mut parser = Parser::new(text, FileId::default(), &mut ast, &mut diagnostics);
    parser.observing = true;
    let mut reader =
        Reader { parser, imports: vec![], component: None, properties: vec![], formulas: IdVec::new() };
    read(&mut reader);
    let Reader { imports, component, properties, formulas, .. } = reader;
    (PropertyFile { ast, imports, component, properties, formulas }, diagnostics.finish())
}

struct Reader<'s, 'd> {
    parser: Parser<'s, 'd>,
    imports: Vec<Import>,
    component: Option<Ident>,
    properties: Vec<Property>,
    formulas: IdVec<FormulaId, Formula>,
}

impl Reader<'_, '_> {
    fn head(&mut self) -> Parse<()> {
        while self.parser.is_word("import") {
            self.imports.push(self.parser.import()?);
        }
        self.parser.expect_word("component")?;
        self.component = Some(self.parser.ident("the component that the properties are about")?);
        Ok(())
    }
    fn starts_formula(&self) -> bool {
        match self.parser.token() {
            Token::LeftBrace => true,
            // `A` may be the name of an instance as well.
            Token::Word => {
                matches!(self.parser.word(), "A" | "E")
                    && !matches!(self.parser.peek(1), Token::Dot | Token::Arrow | Token::End | Token::Scope)
                    && self.parser.word_at(1) != "in"
            }
            Token::LeftParen => {
                let mut ahead = 1;
                while self.parser.peek(ahead) == Token::LeftParen {
                    ahead += 1;
                }
                self.parser.peek(ahead) == Token::LeftBrace
                    || (matches!(self.parser.word_at(ahead), "A" | "E")
                        && !matches!(self.parser.peek(ahead + 1), Token::Dot | Token::Arrow))
            }
            _ => false,
        }
    }
    /// Goes on where the next property may start.
    fn skip(&mut self) {
        loop {
            let quantified = matches!(self.parser.word(), "A" | "E") && self.parser.peek(1) != Token::Dot;
            if quantified || matches!(self.parser.token(), Token::End | Token::At) {
                return;
            }
            self.parser.bump();
        }
    }
    fn property(&mut self) -> Parse<()> {
        let mut comments = vec![];
        while self.parser.eat(Token::At) {
            self.parser.expect(Token::LeftParen)?;
            comments.push(self.parser.string()?.0.into());
            self.parser.expect(Token::RightParen)?;
        }
        // Older files have this word before each of them.
        self.parser.eat_word("formula");
        let start = self.parser.span();
        let formula = self.state_formula()?;
        self.parser.eat(Token::Semicolon);
        let span = self.parser.from(start);
        self.properties.push(Property { comments, formula, span });
        Ok(())
    }
    fn push(&mut self, start: Span, kind: FormulaKind) -> FormulaId {
        let span = self.parser.from(start);
        self.formulas.push(Formula { kind, span })
    }
    fn bare(&mut self) -> Parse<FormulaId> {
        let start = self.parser.span();
        let atom = self.parser.expr()?;
        Ok(self.push(start, FormulaKind::Atom(atom)))
    }
    /// Runs `f` one level of nesting deeper; the parser counts.
    fn nested(&mut self, f: impl FnOnce(&mut Self) -> Parse<FormulaId>) -> Parse<FormulaId> {
        self.parser.enter()?;
        let result = ir::deep(|| f(self));
        self.parser.leave();
        result
    }
    fn state_formula(&mut self) -> Parse<FormulaId> {
        let start = self.parser.span();
        match self.parser.word() {
            "A" | "E" => {
                let quantifier = match self.parser.word() {
                    "A" => PathQuantifier::All,
                    _ => PathQuantifier::Some,
                };
                self.parser.bump();
                let path = self.nested(|reader| reader.path(LogicOp::Imply))?;
                Ok(self.push(start, FormulaKind::Quantified(quantifier, path)))
            }
            _ if self.parser.token() == Token::LeftParen => {
                self.parser.bump();
                let inner = self.nested(Self::state_formula)?;
                self.parser.expect(Token::RightParen)?;
                Ok(inner)
            }
            _ if self.parser.token() == Token::LeftBrace => self.atom(),
            _ => self.parser.unexpected("a property: `A` or `E` with a path formula, or `{ … }`"),
        }
    }
    /// `{ e }`
    fn atom(&mut self) -> Parse<FormulaId> {
        let start = self.parser.bump();
        let atom = self.parser.expr()?;
        self.parser.expect(Token::RightBrace)?;
        Ok(self.push(start, FormulaKind::Atom(atom)))
    }
    fn path(&mut self, op: LogicOp) -> Parse<FormulaId> {
        let start = self.parser.span();
        let (mark, tighter) = match op {
            LogicOp::Imply => (Token::Arrow, Some(LogicOp::Or)),
            LogicOp::Or => (Token::Or, Some(LogicOp::Xor)),
            LogicOp::Xor => (Token::Caret, Some(LogicOp::And)),
            LogicOp::And => (Token::And, None),
        };
        let operand = |reader: &mut Self| match tighter {
            Some(tighter) => reader.path(tighter),
            None => reader.temporal(),
        };
        let first = operand(self)?;
        let mut operands = vec![first];
        while self.parser.eat(mark) {
            operands.push(operand(self)?);
        }
        if operands.len() == 1 {
            return Ok(first);
        }
        Ok(self.push(start, FormulaKind::Logic(op, operands)))
    }
    fn temporal(&mut self) -> Parse<FormulaId> {
        let start = self.parser.span();
        let left = self.prefixed()?;
        let op = match self.parser.word() {
            "U" => BinaryOp::Until,
            "R" => BinaryOp::Release,
            "WU" => BinaryOp::WeakUntil,
            "B" => BinaryOp::Before,
            "WB" => BinaryOp::WeakBefore,
            _ => return Ok(left),
        };
        self.parser.bump();
        let right = self.nested(Self::temporal)?;
        Ok(self.push(start, FormulaKind::Binary(op, left, right)))
    }
    fn prefixed(&mut self) -> Parse<FormulaId> {
        let start = self.parser.span();
        let op = match self.parser.word() {
            "G" => UnaryOp::Globally,
            "F" => UnaryOp::Finally,
            "X" => UnaryOp::Next,
            _ => return self.primary(),
        };
        self.parser.bump();
        let inner = self.nested(Self::prefixed)?;
        Ok(self.push(start, FormulaKind::Unary(op, inner)))
    }
    fn primary(&mut self) -> Parse<FormulaId> {
        let start = self.parser.span();
        match self.parser.token() {
            Token::Not => {
                self.parser.bump();
                let inner = self.nested(Self::prefixed)?;
                Ok(self.push(start, FormulaKind::Not(inner)))
            }
            Token::LeftBracket => {
                self.parser.bump();
                let inner = self.nested(Self::state_formula)?;
                self.parser.expect(Token::RightBracket)?;
                Ok(inner)
            }
            Token::LeftParen => {
                self.parser.bump();
                let inner = self.nested(|reader| reader.path(LogicOp::Imply))?;
                self.parser.expect(Token::RightParen)?;
                Ok(inner)
            }
            // The square brackets may be missing.
            Token::LeftBrace => self.atom(),
            Token::Word if matches!(self.parser.word(), "A" | "E") => {
                let message = "a formula below `A` or `E` that begins with another one is written in `[ … ]`";
                let said = Diagnostic::error(Code::Syntax, self.parser.span(), message);
                self.parser.fail(said)
            }
            _ => self.parser.unexpected("`[ { … } ]`, `G`, `F`, `X`, `!` or `(`"),
        }
    }
}
