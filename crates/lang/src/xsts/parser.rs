//! From text to syntax tree: recursive descent for statements, precedence climbing for expressions
//! ([`expr`]).
//!
//! The parser goes on after an error at the next statement, declaration or section, so that one pass
//! finds all errors; of several errors at one place only the first is told. Every level of nesting in
//! the tree comes from one level of recursion here, which is counted: text nested deeper than
//! [`NESTING`] is refused, so no later pass meets a deeper tree.

mod expr;

use std::cell::OnceCell;
use std::ops::Range;

use ir::{Int, Span};
use rustc_hash::FxHashSet;

use super::ast::*;
use super::lexer::{Token, Tokens};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::nearest::nearest;
use crate::question::one_line;
use crate::temporal::without_comments;

/// How deep expressions, statements and types may be nested.
pub(crate) const NESTING: usize = 10_000;
/// How long a text may be, in bytes; places are 32-bit.
const LONGEST: usize = 1 << 30;

/// A parsed text.
pub(crate) struct Parsed {
    pub(crate) model: Model,
    /// Whether a declaration was too broken to be kept, so that unknown names mean little.
    pub(crate) lost_names: bool,
    /// Whether the text holds no token at all.
    pub(crate) empty: bool,
    /// Whether the property is to hold in some state, not in every one.
    pub(crate) possibly: bool,
}

/// Parses a model.
pub(crate) fn model(source: &str, diagnostics: &mut Diagnostics) -> Parsed {
    let mut parser = Parser::new(source, Tokens::new(source), Names::default(), diagnostics);
    let empty = parser.token == Token::End;
    while parser.token != Token::End {
        parser.braces = 0;
        if parser.item().is_err() {
            parser.skip_to_item();
        }
    }
    parser.parsed(empty, false)
}

/// Parses `prop { e }`, `e` alone, or a query about it, `A[] e` or `E<> e`; `names` are known already.
pub(crate) fn property(source: &str, names: Names, diagnostics: &mut Diagnostics) -> Parsed {
    let mut parser = Parser::new(source, Tokens::new(source), names, diagnostics);
    let empty = parser.token == Token::End;
    let possibly = parser.quantifier() == Some("E<>");
    if !empty {
        // The error is reported, and there is nothing to go on with.
        let _ = parser.only_property();
    }
    parser.parsed(empty, possibly)
}

/// Parses the expression in a part of a text, which is a proposition of a formula; `names` are known already.
pub(crate) fn proposition(
    source: &str,
    at: Range<usize>,
    names: Names,
    diagnostics: &mut Diagnostics,
) -> Parsed {
    let source = &source[..at.end];
    let mut parser = Parser::new(source, Tokens::after(source, at.start), names, diagnostics);
    parser.in_formula = true;
    // The error is reported, and there is nothing to go on with.
    let _ = parser.only_expression();
    parser.parsed(false, false)
}

/// The error is reported already.
struct Failed;
type Parse<T> = Result<T, Failed>;

struct Parser<'s, 'd> {
    source: &'s str,
    tokens: Tokens<'s>,
    token: Token,
    span: Span,
    /// The end of the last token taken.
    last: u32,
    model: Model,
    diagnostics: &'d mut Diagnostics,
    depth: usize,
    /// Where the last error was.
    failed_at: Option<u32>,
    /// Set when the rest of the text is given up.
    stopped: bool,
    /// Whether `<-` separates a position from a value here; elsewhere it is `<` and a sign.
    arrow: bool,
    /// How many brackets surround this place since the last statement; there, `or` joins no branches.
    enclosed: usize,
    /// Whether this is a property.
    claiming: bool,
    /// Whether this is a proposition of a formula, where more spellings are understood.
    in_formula: bool,
    /// How many braces are open since the declaration or section began.
    braces: usize,
    /// The names that the text declares; found when first needed.
    declared: OnceCell<FxHashSet<&'s str>>,
    lost_names: bool,
}

impl<'s, 'd> Parser<'s, 'd> {
    fn new(source: &'s str, tokens: Tokens<'s>, names: Names, diagnostics: &'d mut Diagnostics) -> Self {
        let too_long = source.len() > LONGEST;
        if too_long {
            let message = "the text is longer than 1 GiB; split the model";
            diagnostics.push(Diagnostic::error(Code::TooLong, Span::default(), message));
        }
        let mut parser = Parser {
            source,
            tokens: if too_long { Tokens::new("") } else { tokens },
            token: Token::End,
            span: Span::default(),
            last: 0,
            model: Model { names, ..Model::default() },
            diagnostics,
            depth: 0,
            failed_at: None,
            stopped: too_long,
            arrow: false,
            enclosed: 0,
            claiming: false,
            in_formula: false,
            braces: 0,
            declared: OnceCell::new(),
            lost_names: false,
        };
        parser.bump();
        parser
    }
    fn parsed(self, empty: bool, possibly: bool) -> Parsed {
        Parsed { model: self.model, lost_names: self.lost_names, empty, possibly }
    }

    // Tokens.

    fn bump(&mut self) -> Span {
        let span = self.span;
        self.last = span.end;
        match self.token {
            Token::LeftBrace => self.braces += 1,
            Token::RightBrace => self.braces = self.braces.saturating_sub(1),
            _ => {}
        }
        if !self.stopped {
            (self.token, self.span) = self.tokens.next(self.diagnostics);
            if self.tokens.cut {
                self.stop();
            }
        }
        span
    }
    fn eat(&mut self, token: Token) -> bool {
        let found = self.token == token;
        if found {
            self.bump();
        }
        found
    }
    fn expect(&mut self, token: Token) -> Parse<Span> {
        if self.token == token { Ok(self.bump()) } else { self.unexpected(&token.to_string()) }
    }
    fn text(&self, span: Span) -> &'s str {
        &self.source[span.start as usize..span.end as usize]
    }
    fn from(&self, start: Span) -> Span {
        Span { end: self.last.max(start.end), ..start }
    }
    fn is_word(&self, word: &str) -> bool {
        self.token == Token::Identifier && self.text(self.span) == word
    }
    /// The text after the current token.
    fn ahead(&self) -> &'s str {
        self.source[self.span.end as usize..].trim_start()
    }
    /// Whether the current token is one of these words of other languages, and nothing is assigned to it.
    fn is_foreign(&self, words: &[&str]) -> bool {
        self.token == Token::Identifier
            && words.iter().any(|word| word.eq_ignore_ascii_case(self.text(self.span)))
            && !self.ahead().starts_with([':', '='])
    }
    /// The same for an operator, which may as well be a name.
    fn is_foreign_operator(&self, word: &str) -> bool {
        if !self.is_foreign(&[word]) {
            return false;
        }
        let text = self.text(self.span);
        let declared = self.declared.get_or_init(|| declared(self.source));
        !declared.contains(text) && self.model.names.find(text).is_none()
    }
    fn ident(&mut self, what: &str) -> Parse<Ident> {
        match self.token {
            Token::Identifier => {
                let span = self.bump();
                Ok(Ident { name: self.model.names.intern(self.text(span)), span })
            }
            token if token.is_keyword() => {
                let message = format!("{token} is a reserved word and cannot be {what}; choose another name");
                self.fail(Diagnostic::error(Code::ReservedWord, self.span, message))
            }
            _ => self.unexpected(what),
        }
    }

    // Errors.

    fn report(&mut self, diagnostic: Diagnostic) {
        if !self.stopped && self.failed_at != Some(diagnostic.span.start) {
            self.failed_at = Some(diagnostic.span.start);
            self.diagnostics.push(diagnostic);
        }
    }
    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parse<T> {
        self.report(diagnostic);
        Err(Failed)
    }
    fn unexpected<T>(&mut self, wanted: &str) -> Parse<T> {
        let found = self.found();
        self.fail(Diagnostic::error(Code::Syntax, self.span, format!("expected {wanted}, found {found}")))
    }
    fn found(&self) -> String {
        match self.token {
            Token::Identifier | Token::Integer | Token::Decimal => {
                format!("`{}`", shortened(self.text(self.span)))
            }
            token => token.to_string(),
        }
    }
    /// Gives up the rest of the text, with the declarations in it.
    fn stop(&mut self) {
        self.stopped = true;
        self.lost_names = true;
        self.token = Token::End;
    }
    /// Runs `f` one level of nesting deeper.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth == NESTING {
            let message = format!("more than {NESTING} levels of nesting; split the text into simpler parts");
            self.report(Diagnostic::error(Code::TooDeep, self.span, message));
            self.stop();
            return Err(Failed);
        }
        self.depth += 1;
        let result = ir::deep(|| f(self));
        self.depth -= 1;
        result
    }

    // Declarations and sections.

    fn at_item(&self) -> bool {
        use Token::*;
        matches!(self.token, Type | Ctrl | Var | Trans | Init | Env | Prop | End)
            || self.is_word("tran")
            || self.at_ltl()
    }
    /// Whether a section with a formula begins here.
    fn at_ltl(&self) -> bool {
        self.is_word("ltl") && self.next_is_brace()
    }
    /// Goes on where a declaration or a section may start: at its word, or behind what looks like the
    /// end of the broken one.
    fn skip_to_item(&mut self) {
        while !self.at_item() {
            let token = self.token;
            self.bump();
            let ended = matches!(token, Token::RightBrace | Token::Semicolon);
            if self.braces == 0 && (ended || (self.starts_line() && self.foreign_item().is_some())) {
                return;
            }
        }
    }
    fn starts_line(&self) -> bool {
        let before = &self.source[..self.span.start as usize];
        before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty())
    }
    /// What to write instead of a declaration or a section of other languages.
    fn foreign_item(&self) -> Option<String> {
        if self.token != Token::Identifier {
            return None;
        }
        let word = self.text(self.span);
        let instead = match word.to_ascii_lowercase().as_str() {
            "property" | "properties" | "invariant" | "spec" | "ctlspec" | "invarspec" | "claim" => {
                "a property is written `prop { … }`".to_owned()
            }
            "ltlspec" | "formula" => "a temporal formula is written `ltl { … }`".to_owned(),
            "const" | "constant" | "define" | "let" => {
                "there are no constants; declare a variable, `var n : integer = 3`, and leave it alone, but write the \
                 number itself where a clock is compared with it"
                    .to_owned()
            }
            "int" | "integer" | "bool" | "boolean" | "real" | "rational" | "float" | "double" | "clock" => {
                let ty = match word.to_ascii_lowercase().as_str() {
                    "int" | "integer" => "integer",
                    "bool" | "boolean" => "boolean",
                    "clock" => "clock",
                    _ => "rational",
                };
                let name = self.ahead().split(|c: char| !c.is_alphanumeric() && c != '_').next();
                let name = name.filter(|name| !name.is_empty()).unwrap_or("x");
                format!("a variable is declared by `var {} : {ty}`", shortened(name))
            }
            "enum" | "typedef" | "struct" => "an enumeration is declared by `type T : { A, B }`".to_owned(),
            "transition" | "transitions" | "next" | "step" => {
                "the steps are the section `trans { … }`".to_owned()
            }
            "initial" | "start" | "initially" => {
                "the first step is the section `init { … }`, and initial values stand behind `=`".to_owned()
            }
            "environment" | "input" => "the environment is the section `env { … }`".to_owned(),
            _ => return None,
        };
        Some(format!("there is no `{word}` here; {instead}"))
    }
    fn item(&mut self) -> Parse<()> {
        match self.token {
            Token::Type => self.type_decl(),
            Token::Ctrl | Token::Var => self.var_decl(),
            Token::Trans => self.section(|model| &mut model.trans),
            Token::Init => self.section(|model| &mut model.init),
            Token::Env => self.section(|model| &mut model.env),
            Token::Prop => {
                let prop = self.prop()?;
                match self.model.prop {
                    Some(first) => self.duplicate(prop.span, first.span),
                    None => self.model.prop = Some(prop),
                }
                Ok(())
            }
            _ if self.is_word("tran") => self.section(|model| &mut model.trans),
            _ if self.at_ltl() => self.ltl(),
            Token::Semicolon => {
                self.fail(Diagnostic::error(Code::Syntax, self.span, "nothing ends here; remove this `;`"))
            }
            _ => match self.foreign_item() {
                Some(message) => {
                    // What it declares is unknown.
                    self.lost_names = true;
                    self.fail(Diagnostic::error(Code::ForeignSpelling, self.span, message))
                }
                None => self.unexpected(
                    "a declaration or a section (`type`, `var`, `trans`, `init`, `env`, `prop` or `ltl`)",
                ),
            },
        }
    }
    fn type_decl(&mut self) -> Parse<()> {
        self.bump();
        let lost = std::mem::replace(&mut self.lost_names, true);
        let ident = self.ident("the name of a type")?;
        self.expect(Token::Colon)?;
        self.expect(Token::LeftBrace)?;
        let mut literals = vec![self.ident("a literal")?];
        while self.eat(Token::Comma) {
            literals.push(self.ident("a literal")?);
        }
        if self.token != Token::RightBrace {
            return self.unexpected("`,` or `}`");
        }
        self.bump();
        self.eat(Token::Semicolon);
        self.lost_names = lost;
        self.model.types.push(TypeDecl { ident, literals });
        Ok(())
    }
    fn var_decl(&mut self) -> Parse<()> {
        let control = self.eat(Token::Ctrl);
        let lost = std::mem::replace(&mut self.lost_names, true);
        self.expect(Token::Var)?;
        let ident = self.ident("the name of a variable")?;
        self.lost_names = lost;
        // From here on the variable is known, however broken the rest is.
        let index = self.model.vars.len();
        let ty = self.model.type_exprs.push(TypeExpr { kind: TypeKind::Error, span: ident.span });
        self.model.vars.push(VarDecl { control, ident, ty, initial: None });
        self.model.vars[index].ty = self.type_annotation()?;
        if self.eat(Token::Equals) {
            self.model.vars[index].initial = Some(self.expr()?);
        } else if self.token == Token::Assign {
            let message = "an initial value is written `= …`, not `:= …`";
            return self.fail(Diagnostic::error(Code::ForeignSpelling, self.span, message));
        }
        self.eat(Token::Semicolon);
        Ok(())
    }
    fn type_annotation(&mut self) -> Parse<TypeId> {
        self.expect(Token::Colon)?;
        self.type_expr()
    }
    fn type_expr(&mut self) -> Parse<TypeId> {
        let start = self.span;
        let kind = match self.token {
            Token::LeftBracket => self.nested(|p| {
                p.bump();
                let index = p.type_expr()?;
                p.expect(Token::RightBracket)?;
                p.expect(Token::Arrow)?;
                Ok(TypeKind::Array(index, p.type_expr()?))
            })?,
            _ => TypeKind::Named(self.ident("a type")?.name),
        };
        let span = self.from(start);
        Ok(self.model.type_exprs.push(TypeExpr { kind, span }))
    }
    fn section(&mut self, slot: fn(&mut Model) -> &mut Option<Section>) -> Parse<()> {
        let span = self.bump();
        let mut branches = vec![];
        let result = self.branches(&mut branches);
        // A broken section is still a section.
        match slot(&mut self.model) {
            Some(first) => {
                let first = first.span;
                self.duplicate(span, first);
            }
            empty => *empty = Some(Section { span, branches }),
        }
        result
    }
    fn duplicate(&mut self, span: Span, first: Span) {
        let name = self.text(span);
        let message = format!("there are two `{name}` sections; join them into one");
        self.report(
            Diagnostic::error(Code::RepeatedPart, span, message)
                .label("the second one")
                .note(first, "the first one is here"),
        );
    }
    fn prop(&mut self) -> Parse<Prop> {
        let span = self.bump();
        let open = self.expect(Token::LeftBrace)?;
        let expr = self.claim()?;
        if self.token == Token::Semicolon {
            let message = "a property is an expression, not a statement; remove this `;`";
            self.report(Diagnostic::error(Code::Syntax, self.span, message));
            self.bump();
        }
        if self.token != Token::RightBrace {
            return self.unclosed(open, "an operator or `}`");
        }
        self.bump();
        Ok(Prop { span, expr })
    }
    /// A section with a formula, which is read when all names are known.
    fn ltl(&mut self) -> Parse<()> {
        let span = self.bump();
        let open = self.span;
        let Some(formula) = self.tokens.skip_to_brace() else {
            let message = "this section never ends; close it with `}`";
            self.report(Diagnostic::error(Code::Unclosed, open, message));
            self.stop();
            return Err(Failed);
        };
        self.bump();
        self.expect(Token::RightBrace)?;
        let text = one_line(&without_comments(self.text(formula)));
        self.model.ltl.push(Ltl { span, formula, text });
        Ok(())
    }
    fn claim(&mut self) -> Parse<ExprId> {
        self.claiming = true;
        let result = self.enclosed(Self::expr);
        self.claiming = false;
        result
    }
    /// The words of a query here, `A[]` or `E<>`, which are no part of any expression.
    fn quantifier(&self) -> Option<&'static str> {
        ["A[]", "E<>"]
            .into_iter()
            .find(|words| self.is_word(&words[..1]) && self.ahead().starts_with(&words[1..]))
    }
    fn only_property(&mut self) -> Parse<()> {
        if let Some(words) = self.quantifier() {
            self.bump();
            let marks = match words {
                "A[]" => [Token::LeftBracket, Token::RightBracket],
                _ => [Token::Less, Token::Greater],
            };
            for mark in marks {
                self.expect(mark)?;
            }
            return self.only_expression();
        }
        let prop = match self.token {
            Token::Prop => self.prop()?,
            _ if self.is_foreign(&["property", "invariant"]) && self.ahead().starts_with('{') => {
                let message = self.foreign_item().expect("these words are known");
                return self.fail(Diagnostic::error(Code::ForeignSpelling, self.span, message));
            }
            _ => return self.only_expression(),
        };
        self.model.prop = Some(prop);
        self.end_of_property()
    }
    fn only_expression(&mut self) -> Parse<()> {
        self.model.prop = Some(Prop { span: self.span, expr: self.claim()? });
        self.end_of_property()
    }
    fn end_of_property(&mut self) -> Parse<()> {
        match self.token {
            Token::End => Ok(()),
            _ => self.unexpected("an operator or the end of the property"),
        }
    }
    /// Runs `f` between brackets.
    fn enclosed<T>(&mut self, f: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        self.enclosed += 1;
        let result = f(self);
        self.enclosed -= 1;
        result
    }
    fn unclosed<T>(&mut self, open: Span, wanted: &str) -> Parse<T> {
        let found = self.found();
        let diagnostic =
            Diagnostic::error(Code::Unclosed, self.span, format!("expected {wanted}, found {found}"));
        self.fail(diagnostic.note(open, "opened here"))
    }

    // Statements.

    fn branches(&mut self, list: &mut Vec<StmtId>) -> Parse<()> {
        loop {
            list.push(self.stmt()?);
            if !self.eat(Token::Or) {
                return Ok(());
            }
        }
    }
    fn stmt(&mut self) -> Parse<StmtId> {
        self.nested(|p| {
            let start = p.span;
            let kind = p.stmt_kind()?;
            let span = p.from(start);
            Ok(p.model.stmts.push(Stmt { kind, span }))
        })
    }
    fn stmt_kind(&mut self) -> Parse<StmtKind> {
        match self.token {
            Token::LeftBrace => self.block(),
            Token::Local => {
                self.bump();
                self.local()
            }
            Token::Var => {
                let message = "a variable inside a block is declared by `local var`";
                self.report(Diagnostic::error(Code::ForeignSpelling, self.span, message));
                self.local()
            }
            Token::Havoc => {
                self.bump();
                let var = self.ident("the name of a variable")?;
                self.eat(Token::Semicolon);
                Ok(StmtKind::Havoc(var))
            }
            Token::Assume => {
                self.bump();
                let condition = self.expr()?;
                self.eat(Token::Semicolon);
                Ok(StmtKind::Assume(condition))
            }
            Token::Choice => {
                self.bump();
                let mut list = vec![];
                self.branches(&mut list)?;
                Ok(StmtKind::Choice(list.into()))
            }
            Token::If => {
                self.bump();
                let open = self.expect(Token::LeftParen)?;
                let condition = self.enclosed(Self::expr)?;
                if self.token != Token::RightParen {
                    return self.unclosed(open, "an operator or `)`");
                }
                self.bump();
                let then = self.stmt()?;
                let otherwise = if self.eat(Token::Else) { Some(self.stmt()?) } else { None };
                Ok(StmtKind::If(condition, then, otherwise))
            }
            Token::For => {
                self.bump();
                let var = self.ident("a loop variable")?;
                self.expect(Token::From)?;
                let from = self.expr()?;
                self.expect(Token::To)?;
                let to = self.expr()?;
                self.expect(Token::Do)?;
                Ok(StmtKind::For(var, from, to, self.stmt()?))
            }
            Token::Delay => {
                self.bump();
                self.eat(Token::Semicolon);
                Ok(StmtKind::Delay)
            }
            Token::Identifier => match self.foreign_stmt() {
                Some(message) => self.fail(Diagnostic::error(Code::ForeignSpelling, self.span, message)),
                None => self.assign_or_ort(),
            },
            Token::Or => {
                let message =
                    "expected a statement, found `or`, which joins branches; the disjunction is written `||`";
                self.fail(Diagnostic::error(Code::ForeignSpelling, self.span, message))
            }
            Token::Semicolon => self.fail(Diagnostic::error(
                Code::Syntax,
                self.span,
                "there is no statement before this `;`; remove it",
            )),
            _ => self.unexpected("a statement"),
        }
    }
    /// What to write instead of a statement of other languages.
    fn foreign_stmt(&self) -> Option<String> {
        let known: [(&[&str], &str); 6] = [
            (
                &["while", "until", "repeat", "loop", "foreach"],
                "a loop is `for i from 0 to n do { … }`, and what goes on for ever is `trans` itself",
            ),
            (&["elseif", "elif", "elsif"], "write `else if (…) { … }`"),
            (&["skip", "pass", "nop"], "a statement that does nothing is `{}`"),
            (&["when", "guard", "await", "require"], "a condition for going on is written `assume …;`"),
            (&["assert"], "what is to hold in every state is written `prop { … }`, outside of sections"),
            (&["switch", "case", "goto", "return", "break", "continue"], "use `if`, `else` and `choice`"),
        ];
        if let Some(message) = self.nearly_delay() {
            return Some(message);
        }
        let (_, instead) = known.into_iter().find(|(words, _)| self.is_foreign(words))?;
        // `skip[0] := 1` assigns to an array.
        let array = self.ahead().starts_with('[');
        (!array).then(|| format!("there is no statement `{}`; {instead}", self.text(self.span)))
    }
    /// What to write instead of a single word that lets time pass in another language, or was meant to.
    fn nearly_delay(&self) -> Option<String> {
        let word = self.text(self.span);
        let alone = self.ahead().starts_with([';', '}', '(']) || self.ahead().is_empty();
        let foreign = ["delay", "wait", "sleep", "tick", "elapse"];
        let meant = foreign.iter().any(|known| known.eq_ignore_ascii_case(word))
            || nearest(word, ["__delay", "delay"].into_iter()).is_some();
        (alone && meant).then(|| {
            let word = shortened(word);
            format!("there is no statement `{word}`; time passes, any amount of it, by `__delay;`")
        })
    }
    fn block(&mut self) -> Parse<StmtKind> {
        let open = self.bump();
        let mut list = vec![];
        while self.token != Token::RightBrace {
            if self.at_block_end() {
                let found = self.found();
                let message = format!("expected a statement or `}}`, found {found}");
                self.report(
                    Diagnostic::error(Code::Unclosed, self.span, message)
                        .note(open, "this block is not closed"),
                );
                return Err(Failed);
            }
            match self.stmt() {
                Ok(stmt) => list.push(stmt),
                Err(Failed) => self.skip_to_stmt(),
            }
        }
        self.bump();
        Ok(StmtKind::Block(list.into()))
    }
    /// Whether the current token cannot belong to a block, so that a `}` must be missing.
    fn at_block_end(&self) -> bool {
        match self.token {
            Token::Var => false,
            Token::Identifier => self.is_word("tran") && self.next_is_brace(),
            _ => self.at_item(),
        }
    }
    /// Whether the text goes on with `{` after the current token.
    fn next_is_brace(&self) -> bool {
        self.source[self.span.end as usize..].trim_start().starts_with('{')
    }
    fn skip_to_stmt(&mut self) {
        use Token::*;
        let mut open = 0;
        loop {
            match self.token {
                End | Type | Ctrl | Trans | Init | Env | Prop => return,
                RightBrace if open == 0 => return,
                Local | Havoc | Assume | Choice | If | For | Delay if open == 0 => return,
                Semicolon if open == 0 => {
                    self.bump();
                    return;
                }
                LeftBrace => open += 1,
                RightBrace => {
                    open -= 1;
                    self.bump();
                    if open == 0 && !matches!(self.token, Else | Or) {
                        return;
                    }
                    continue;
                }
                _ => {}
            }
            self.bump();
        }
    }
    fn local(&mut self) -> Parse<StmtKind> {
        let lost = std::mem::replace(&mut self.lost_names, true);
        self.expect(Token::Var)?;
        let ident = self.ident("the name of a variable")?;
        let ty = self.type_annotation()?;
        let initial = if self.eat(Token::Equals) { Some(self.expr()?) } else { None };
        self.lost_names = lost;
        self.eat(Token::Semicolon);
        Ok(StmtKind::Local(ident, ty, initial))
    }
    fn assign_or_ort(&mut self) -> Parse<StmtKind> {
        let span = self.bump();
        if self.token == Token::LeftBrace && self.text(span) == "ort" {
            let mut blocks = vec![];
            while self.token == Token::LeftBrace {
                blocks.push(self.stmt()?);
            }
            return Ok(StmtKind::Ort(blocks.into()));
        }
        let target = Ident { name: self.model.names.intern(self.text(span)), span };
        let mut positions = vec![];
        while self.token == Token::LeftBracket {
            let open = self.bump();
            positions.push(self.position()?);
            self.close_bracket(open)?;
        }
        if self.token == Token::Equals {
            let message = format!("an assignment is written `{} := …`", shortened(self.text(span)));
            self.report(Diagnostic::error(Code::ForeignSpelling, self.span, message));
            self.bump();
        } else if matches!(self.token, Token::Plus | Token::Minus) {
            let (name, sign) = (shortened(self.text(span)), self.text(self.span));
            let message = format!("an assignment is written `{name} := {name} {sign} 1`");
            return self.fail(Diagnostic::error(Code::ForeignSpelling, self.span, message));
        } else {
            self.expect(Token::Assign)?;
        }
        let value = self.expr()?;
        self.eat(Token::Semicolon);
        Ok(StmtKind::Assign(target, positions.into(), value))
    }
}

/// The names that a text declares, wherever it does: variables, loop variables, literals.
fn declared(source: &str) -> FxHashSet<&str> {
    let (mut tokens, mut ignored) = (Tokens::new(source), Diagnostics::default());
    let mut names = FxHashSet::default();
    let mut next = false;
    let mut literals = false;
    loop {
        let (token, span) = tokens.next(&mut ignored);
        match token {
            Token::End => return names,
            Token::Identifier if next || literals => {
                names.insert(&source[span.start as usize..span.end as usize]);
            }
            Token::Type => literals = true,
            Token::RightBrace => literals = false,
            _ => {}
        }
        next = matches!(token, Token::Var | Token::For);
    }
}

/// A decimal fraction as the language writes it: `3.5` is `7%2`.
fn fraction(decimal: &str) -> String {
    let digits = decimal.replace('.', "");
    let places = decimal.split('.').nth(1).unwrap_or_default().len() as u32;
    let (Ok(mut numerator), Some(mut denominator)) = (digits.parse::<u128>(), 10_u128.checked_pow(places))
    else {
        return "n%d".to_owned();
    };
    for prime in [2, 5] {
        while numerator % prime == 0 && denominator % prime == 0 {
            (numerator, denominator) = (numerator / prime, denominator / prime);
        }
    }
    if denominator == 1 { numerator.to_string() } else { format!("{numerator}%{denominator}") }
}

/// A piece of text that fits into a message.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
