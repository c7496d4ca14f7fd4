//! From text to syntax tree: declarations, processes, the system line and queries.
//!
//! The parser goes on after an error at the next declaration, location or edge, so that one pass
//! finds all errors.

use ir::{LocationKind, Role, Span};
use rustc_hash::FxHashMap;

use crate::code::Code as Cause;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::question::{Extreme, one_line};
use crate::text::Text;
use crate::xta::ast::*;
use crate::xta::kind::Kind;
use crate::xta::lexer::{Token, Tokens};
use crate::xta::parser::{Parse, Parser};

/// Parses a whole `.xta` text.
pub(crate) fn model(
    text: &Text,
    ast: &mut Ast,
    diagnostics: &mut Diagnostics,
    warnings: &mut Vec<Diagnostic>,
) {
    let mut parser = Parser::new(text, ast, diagnostics, warnings);
    parser.declarations();
    parser.after_declarations();
}

impl Parser<'_, '_> {
    /// Global declarations, templates and instances up to the system line or the end.
    pub(crate) fn declarations(&mut self) {
        while self.token != Token::End && !self.is_word("system") {
            // A semicolon that some write behind what needs none is part of that.
            if self.eat(Token::Semicolon) {
                if let Some(last) = self.ast.pieces.pop() {
                    let span = self.from(last.span);
                    self.ast.pieces.push(Piece { span, ..last });
                }
                continue;
            }
            let mut decls = std::mem::take(&mut self.ast.decls);
            let (met, start, known) = (self.met(), self.span, decls.len());
            if self.global(&mut decls).is_err() {
                decls.extend(self.unread(met));
                // An end of block that belongs to nothing.
                self.eat(Token::RightBrace);
            }
            let kind = match decls.get(known) {
                Some(Decl::Template(_)) => PieceKind::Template,
                Some(Decl::Instance(_)) => PieceKind::System,
                _ => PieceKind::Declaration,
            };
            self.ast.pieces.push(Piece { kind, span: self.from(start) });
            // Templates are pushed while the list is out.
            self.ast.decls = decls;
        }
    }
    /// The system line and what may follow it.
    pub(crate) fn after_declarations(&mut self) {
        let start = self.span;
        if self.is_word("system") && self.system_line().is_err() {
            self.skip_statement();
        }
        self.ast.pieces.push(Piece { kind: PieceKind::System, span: self.from(start) });
        while self.token != Token::End {
            let start = self.span;
            let kind = if self.is_word("query") { PieceKind::Queries } else { PieceKind::System };
            let result = if self.is_word("IO") {
                self.alphabet()
            } else if self.is_word("query") {
                self.query_block()
            } else if self.at_chart() {
                self.chart()
            } else if self.is_word("system") {
                let message = "there are two `system` lines; join them into one";
                self.fail(Diagnostic::error(Cause::RepeatedPart, self.span, message))
            } else {
                self.unexpected("the end of the text")
            };
            if result.is_err() {
                // Nothing of interest follows.
                return;
            }
            self.ast.pieces.push(Piece { kind, span: self.from(start) });
        }
    }
    fn global(&mut self, decls: &mut Vec<Decl>) -> Parse<()> {
        if self.is_word("process") {
            let template = self.process()?;
            decls.push(Decl::Template(template));
            return Ok(());
        }
        if self.token == Token::Identifier
            && matches!(self.peek(), Token::Equals | Token::ColonEquals | Token::LeftParen)
        {
            decls.push(Decl::Instance(self.instance()?));
            return Ok(());
        }
        self.declaration(decls)
    }
    fn at_section(&self) -> bool {
        const SECTIONS: [&str; 5] = ["state", "branchpoint", "commit", "init", "trans"];
        self.token == Token::Identifier && SECTIONS.contains(&self.written)
            || self.token == Token::Urgent && self.peek() == Token::Identifier
    }
    /// Declarations inside a template, up to something else.
    pub(crate) fn local_declarations(&mut self, decls: &mut Vec<Decl>) {
        loop {
            if self.at_section() || matches!(self.token, Token::RightBrace | Token::End) {
                return;
            }
            let met = self.met();
            if self.declaration(decls).is_err() {
                decls.extend(self.unread(met));
            }
        }
    }
    /// Goes on after an error in a list: the next `,`, the end of the section, or of the process.
    fn skip_item(&mut self) {
        let mut open = 0usize;
        loop {
            match self.token {
                Token::End => return,
                Token::Comma | Token::Semicolon if open == 0 => return,
                Token::LeftBrace => open += 1,
                // The end of a label list or an invariant that went wrong inside.
                Token::RightBrace if open == 0 && matches!(self.peek(), Token::Comma | Token::Semicolon) => {}
                Token::RightBrace if open == 0 => return,
                Token::RightBrace => open -= 1,
                _ => {}
            }
            self.bump();
        }
    }
    /// A variable, a type or a function.
    fn declaration(&mut self, decls: &mut Vec<Decl>) -> Parse<()> {
        let start = self.span;
        if self.token == Token::Semicolon {
            self.bump();
            return Ok(());
        }
        if self.token == Token::Chan && self.peek() == Token::Identifier {
            // `chan priority` is no declaration of a channel unless nothing else follows.
            self.bump();
            if self.is_word("priority") && self.peek() == Token::Identifier {
                return self.priorities(start);
            }
            let ty = self.ast.types.push(TypeExpr {
                kind: TypeKind::Chan,
                prefix: Prefix::default(),
                span: start,
            });
            return self.declarators(ty, false, decls);
        }
        if self.is_word("before_update") || self.is_word("after_update") {
            return self.around_updates();
        }
        if self.at_chart() {
            return self.chart();
        }
        if self.is_word("import") && self.peek() == Token::Text {
            return self.import(decls);
        }
        if self.is_word("dynamic") && self.peek() == Token::Identifier {
            return self.dynamic();
        }
        if self.token == Token::Typedef || self.at_type() || self.token == Token::Identifier {
            return self.variables(decls);
        }
        self.unexpected("a declaration")
    }
    /// `chan priority a, b[1] < default < c;`
    fn priorities(&mut self, start: Span) -> Parse<()> {
        self.bump();
        let (mut channels, mut level) = (vec![], 0);
        loop {
            let channel = if self.eat_word("default") { None } else { Some(self.postfix()?) };
            channels.push((channel, level));
            level += u32::from(self.token == Token::Less);
            if !self.eat(Token::Comma) && !self.eat(Token::Less) {
                break;
            }
        }
        self.expect(Token::Semicolon)?;
        let span = self.from(start);
        if let Some(first) = &self.ast.priorities {
            let first = first.span;
            let message = "channels are given priorities twice";
            let diagnostic = Diagnostic::error(Cause::RepeatedPart, span, message);
            self.report(diagnostic.note(first, "the first time is here"));
            return Ok(());
        }
        self.ast.priorities = Some(ChannelPriorities { channels, span });
        Ok(())
    }
    /// `before_update { a = 1, b = 2 }`
    fn around_updates(&mut self) -> Parse<()> {
        let what = format!("`{}`", self.written);
        self.ignored(self.span, &what);
        self.bump();
        self.expect(Token::LeftBrace)?;
        while self.token != Token::RightBrace {
            let list = self.exprs()?;
            self.ast.around_updates.extend(list);
            if !self.eat(Token::Semicolon) {
                break;
            }
        }
        self.expect(Token::RightBrace)?;
        self.eat(Token::Semicolon);
        Ok(())
    }
    /// `import "library" { int f(int a); name = double g(); };`
    fn import(&mut self, decls: &mut Vec<Decl>) -> Parse<()> {
        self.bump();
        self.bump();
        self.expect(Token::LeftBrace)?;
        while !matches!(self.token, Token::RightBrace | Token::End) {
            let alias = match self.token == Token::Identifier && self.peek() == Token::Equals {
                true => {
                    let ident = self.ident("the name of a function")?;
                    self.bump();
                    Some(ident)
                }
                false => None,
            };
            let result = self.type_expr()?;
            let ident = self.ident("the name of a function")?;
            self.expect(Token::LeftParen)?;
            let params = self.params()?;
            self.expect(Token::RightParen)?;
            decls.push(Decl::External(External { ident: alias.unwrap_or(ident), result, params }));
            if !self.eat(Token::Comma) {
                self.expect(Token::Semicolon)?;
            }
        }
        self.expect(Token::RightBrace)?;
        self.eat(Token::Semicolon);
        Ok(())
    }
    /// `dynamic P(params);` says that a template may be instantiated on the way, which `spawn` does.
    fn dynamic(&mut self) -> Parse<()> {
        self.bump();
        self.ident("the name of a template")?;
        self.expect(Token::LeftParen)?;
        self.params()?;
        self.expect(Token::RightParen)?;
        self.expect(Token::Semicolon)?;
        Ok(())
    }
    /// `type a, b[3] = …;`, `typedef type a;`, or `type f(…) { … }`.
    pub(crate) fn variables(&mut self, decls: &mut Vec<Decl>) -> Parse<()> {
        let typedef = self.eat(Token::Typedef);
        let ty = self.type_expr()?;
        if !typedef && self.token == Token::Identifier && self.peek() == Token::LeftParen {
            decls.push(Decl::Function(self.function(ty)?));
            return Ok(());
        }
        self.declarators(ty, typedef, decls)
    }
    fn declarators(&mut self, ty: TypeId, typedef: bool, decls: &mut Vec<Decl>) -> Parse<()> {
        loop {
            let what = if typedef { "the name of a type" } else { "the name of a variable" };
            let mut var = self.declarator(ty, what)?;
            // `const n 5, list[2] { 1, 2 };` of the oldest syntax.
            let bare = match self.token {
                Token::Integer | Token::Minus => true,
                Token::LeftBrace | Token::LeftParen => self.ast.old,
                _ => false,
            };
            let old = self.ast.types[ty].prefix.constant && bare;
            if old || self.eat(Token::Equals) || self.eat(Token::ColonEquals) {
                var.initial = Some(self.initialiser()?);
            }
            decls.push(if typedef { Decl::Typedef(var) } else { Decl::Var(var) });
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::Semicolon)?;
        Ok(())
    }
    fn function(&mut self, result: TypeId) -> Parse<FunctionId> {
        let ident = self.ident("the name of a function")?;
        self.expect(Token::LeftParen)?;
        let params = self.params()?;
        self.expect(Token::RightParen)?;
        let errors = self.diagnostics.len();
        let body = self.block()?;
        let intact = self.diagnostics.len() == errors;
        if intact && !matches!(self.ast.types[result].kind, TypeKind::Void) && !returns(self.ast, body) {
            let name = self.ast.names.text(ident.name);
            let message =
                format!("`{name}` has a result, but no `return`; declare it `void`, or return a value");
            self.report(Diagnostic::error(Cause::WrongReturn, ident.span, message));
        }
        Ok(self.ast.functions.push(Function { ident, result, params, body }))
    }
    /// Formal parameters up to the closing parenthesis or the end.
    pub(crate) fn params(&mut self) -> Parse<Vec<Param>> {
        let mut params = vec![];
        if matches!(self.token, Token::RightParen | Token::End) {
            return Ok(params);
        }
        // `P(chan a, b; int n; const k)` of the oldest syntax.
        let within = self.tokens.ahead().map(|(token, _)| token);
        self.ast.old |= within.take_while(|it| *it != Token::RightParen).any(|it| it == Token::Semicolon);
        let mut ty = self.type_expr()?;
        loop {
            let by_reference = self.eat(Token::Ampersand);
            let var = self.declarator(ty, "the name of a parameter")?;
            params.push(Param { var, by_reference });
            let comma = self.eat(Token::Comma);
            if !comma && !self.eat(Token::Semicolon) {
                return Ok(params);
            }
            let ends = [Token::Comma, Token::Semicolon, Token::LeftBracket, Token::RightParen, Token::End];
            let same =
                comma && self.ast.old && self.token == Token::Identifier && ends.contains(&self.peek());
            if !same {
                ty = self.type_expr()?;
            }
        }
    }
    /// `Q(params) = P(args);`
    fn instance(&mut self) -> Parse<Instance> {
        let ident = self.ident("the name of a process")?;
        let mut params = vec![];
        if self.eat(Token::LeftParen) {
            params = self.params()?;
            self.expect(Token::RightParen)?;
        }
        if !self.eat(Token::ColonEquals) {
            self.expect(Token::Equals)?;
        }
        let template = self.ident("the name of a template")?;
        self.expect(Token::LeftParen)?;
        let args = if self.token == Token::RightParen { vec![] } else { self.exprs()? };
        self.expect(Token::RightParen)?;
        self.expect(Token::Semicolon)?;
        let span = self.from(ident.span);
        Ok(Instance { ident, params, template, args, span })
    }
    fn system_line(&mut self) -> Parse<()> {
        self.bump();
        let (mut processes, mut levels, mut level) = (vec![], vec![], 0);
        loop {
            processes.push(self.ident("the name of a process")?);
            levels.push(level);
            level += u32::from(self.token == Token::Less);
            if !self.eat(Token::Comma) && !self.eat(Token::Less) {
                break;
            }
        }
        self.ast.system = Some(SystemLine { processes, levels });
        self.expect(Token::Semicolon)?;
        Ok(())
    }
    /// `IO process { c, d[1] }`
    fn alphabet(&mut self) -> Parse<()> {
        self.bump();
        let process = self.ident("the name of a process")?;
        self.expect(Token::LeftBrace)?;
        let channels = if self.token == Token::RightBrace { vec![] } else { self.exprs()? };
        self.expect(Token::RightBrace)?;
        self.ast.alphabets.push(Alphabet { process, channels });
        Ok(())
    }

    // Processes.

    fn process(&mut self) -> Parse<TemplateId> {
        self.bump();
        let ident = self.ident("the name of a template")?;
        let mut params = vec![];
        if self.eat(Token::LeftParen) {
            params = self.params()?;
            self.expect(Token::RightParen)?;
        }
        let open = self.expect(Token::LeftBrace)?;
        let template = Template {
            ident,
            params,
            decls: vec![],
            declared: open,
            locations: vec![],
            initial: None,
            edges: vec![],
            branches: vec![],
        };
        let mut body = Body { template, known: FxHashMap::default(), init: false };
        self.local_declarations(&mut body.template.decls);
        body.template.declared = Span { start: open.end, end: self.span.start.max(open.end), ..open };
        while !matches!(self.token, Token::RightBrace | Token::End) {
            if self.section(&mut body).is_err() {
                self.skip_statement();
            }
        }
        if self.token == Token::End {
            let message = "expected `}`, found the end of the text";
            self.report(Diagnostic::error(Cause::Unclosed, self.span, message).note(open, "opened here"));
        }
        self.eat(Token::RightBrace);
        if body.template.locations.is_empty() {
            let message = "the process has no locations; write `state` with at least one name";
            self.diagnostics.push(Diagnostic::error(Cause::MissingPart, ident.span, message));
        } else if !body.init {
            let message = "the process has no initial location; write `init` with its name";
            self.diagnostics.push(Diagnostic::error(Cause::MissingPart, ident.span, message));
        }
        Ok(self.ast.templates.push(body.template))
    }
    fn section(&mut self, body: &mut Body) -> Parse<()> {
        if self.eat_word("branchpoint") {
            loop {
                let ident = self.ident("the name of a branch point")?;
                self.end(body, ident, End::Branch(body.template.branches.len()));
                body.template.branches.push(Branch { ident, incoming: vec![], outgoing: vec![] });
                if !self.eat(Token::Comma) {
                    break;
                }
            }
        } else if self.eat_word("state") {
            loop {
                if self.state(body).is_err() {
                    if self.token != Token::Identifier && self.peek() == Token::Identifier {
                        // A stray mark before a name.
                        self.bump();
                        continue;
                    }
                    self.skip_item();
                }
                if !self.eat(Token::Comma) {
                    break;
                }
            }
        } else if self.is_word("commit") || self.token == Token::Urgent {
            let kind =
                if self.token == Token::Urgent { LocationKind::Urgent } else { LocationKind::Committed };
            self.bump();
            loop {
                let ident = self.ident("the name of a location")?;
                if let Some(at) = self.location(body, ident) {
                    body.template.locations[at].kind = kind;
                }
                if !self.eat(Token::Comma) {
                    break;
                }
            }
        } else if self.is_word("init") {
            if body.init {
                let message = "the process has two initial locations; remove one";
                self.report(Diagnostic::error(Cause::RepeatedPart, self.span, message));
            }
            self.bump();
            let ident = self.ident("the name of a location")?;
            body.template.initial = self.location(body, ident);
            body.init = true;
        } else if self.eat_word("trans") {
            let mut source = None;
            loop {
                if self.token == Token::Semicolon {
                    break;
                }
                if self.edge(body, &mut source).is_err() {
                    self.skip_item();
                }
                if !self.eat(Token::Comma) {
                    break;
                }
            }
        } else {
            return self.unexpected("`state`, `commit`, `urgent`, `init`, `trans` or `}`");
        }
        self.expect(Token::Semicolon)?;
        Ok(())
    }
    /// One location with its invariant.
    fn state(&mut self, body: &mut Body) -> Parse<()> {
        let ident = self.ident("the name of a location")?;
        let at = body.template.locations.len();
        body.template.locations.push(Location {
            ident,
            named: true,
            invariant: vec![],
            rate: None,
            kind: LocationKind::Normal,
        });
        self.end(body, ident, End::Location(at));
        if self.eat(Token::LeftBrace) {
            if self.token != Token::RightBrace && self.token != Token::Semicolon {
                body.template.locations[at].invariant = self.exprs()?;
            }
            if self.token == Token::Semicolon {
                let place = self.bump();
                body.template.locations[at].rate = Some(self.rate(place)?);
            }
            self.expect(Token::RightBrace)?;
        }
        Ok(())
    }
    /// The exponential rate of a location, `e` or `e : e`. It says how long processes stay there on average, and
    /// nothing about what is possible. Where it is written.
    pub(crate) fn rate(&mut self, place: Span) -> Parse<Span> {
        let start = self.span;
        self.expr()?;
        if self.eat(Token::Colon) {
            self.expr()?;
        }
        self.ignored(place, "an exponential rate");
        Ok(self.from(start))
    }
    /// The weight of an edge, which says how likely it is, and nothing about whether it is possible. Where it is
    /// written.
    pub(crate) fn weight(&mut self, place: Span) -> Parse<Span> {
        let start = self.span;
        self.expr()?;
        let message =
            "the weight of a branch is ignored: every branch counts as possible, whatever its weight";
        self.warn(Cause::IgnoredPart, place, message);
        Ok(self.from(start))
    }
    /// Something that the questions asked here do not depend on.
    pub(crate) fn ignored(&mut self, place: Span, what: &str) {
        let message = format!("{what} has no influence on what is asked here and is ignored");
        self.warn(Cause::IgnoredPart, place, message);
    }
    /// Declares a location or a branch point.
    fn end(&mut self, body: &mut Body, ident: Ident, end: End) {
        if let Some((_, first)) = body.known.insert(ident.name, (end, ident.span)) {
            let name = self.ast.names.text(ident.name);
            let message = format!("there are two locations `{name}`; rename one");
            self.report(
                Diagnostic::error(Cause::DuplicateName, ident.span, message)
                    .note(first, "the first one is here"),
            );
        }
    }
    fn location(&mut self, body: &Body, ident: Ident) -> Option<usize> {
        match self.known(body, ident)? {
            End::Location(at) => Some(at),
            End::Branch(_) => {
                let name = self.ast.names.text(ident.name);
                let message = format!("`{name}` is a branch point, not a location");
                self.report(Diagnostic::error(Cause::WrongKind, ident.span, message));
                None
            }
        }
    }
    /// What a name stands for. One that is not known stands for any location, so that the rest of its edge is read and
    /// checked.
    fn known(&mut self, body: &Body, ident: Ident) -> Option<End> {
        let found = body.known.get(&ident.name).map(|(end, _)| *end);
        found.or_else(|| {
            let diagnostic =
                Diagnostic::unknown(ident.span, "location", self.ast.names.text(ident.name), None);
            self.report(diagnostic);
            (!body.template.locations.is_empty()).then_some(End::Location(0))
        })
    }
    /// `a -> b { … }`; the source may be left out if it is that of the edge before.
    fn edge(&mut self, body: &mut Body, source: &mut Option<End>) -> Parse<()> {
        let start = self.span;
        if self.token != Token::Arrow && self.token != Token::UncontrollableArrow {
            let ident = self.ident("the source of an edge")?;
            *source = self.known(body, ident);
        }
        if !self.eat(Token::UncontrollableArrow) {
            self.expect(Token::Arrow)?;
        }
        let ident = self.ident("the target of an edge")?;
        let target = self.known(body, ident);
        self.expect(Token::LeftBrace)?;
        let mut edge = Edge::at(start);
        let mut given = vec![];
        while !matches!(self.token, Token::RightBrace | Token::End) {
            let (word, span) = (self.written.to_owned(), self.span);
            let result = self.label(&mut edge);
            if let Some(first) = given.iter().find(|(other, _)| *other == word).map(|(_, first)| *first) {
                let message = format!("the edge has two clauses `{word}`; write one");
                self.report(
                    Diagnostic::error(Cause::RepeatedPart, span, message)
                        .note(first, "the first one is here"),
                );
            } else if result.is_ok() {
                given.push((word, span));
            }
            if result.is_err() {
                self.skip_statement();
            }
        }
        self.expect(Token::RightBrace)?;
        edge.span = self.from(start);
        if let (Some(source), Some(target)) = (*source, target)
            && let Err(error) = connect(&mut body.template, edge, source, target)
        {
            self.report(error);
        }
        Ok(())
    }
    fn label(&mut self, edge: &mut Edge) -> Parse<()> {
        if self.eat_word("select") {
            edge.select = self.selection()?;
        } else if self.eat_word("guard") {
            edge.guard = self.exprs()?;
        } else if self.eat_word("sync") {
            let sync = self.sync()?;
            // What cannot be read to its end may be meant differently.
            edge.sync = (self.token == Token::Semicolon).then_some(sync);
        } else if self.eat_word("assign") {
            edge.update = self.updates()?;
        } else if self.is_word("probability") {
            let place = self.bump();
            edge.weight = Some(self.weight(place)?);
        } else {
            return self.unexpected("`select`, `guard`, `sync`, `assign` or `}`");
        }
        self.expect(Token::Semicolon)?;
        Ok(())
    }
    /// `i : type, j : type`
    pub(crate) fn selection(&mut self) -> Parse<Vec<(Ident, TypeId)>> {
        let mut list = vec![];
        loop {
            let ident = self.ident("a selected variable")?;
            self.expect(Token::Colon)?;
            list.push((ident, self.type_expr()?));
            if !self.eat(Token::Comma) {
                return Ok(list);
            }
        }
    }
    /// `c!`, `c?` or `c`
    pub(crate) fn sync(&mut self) -> Parse<Sync> {
        let channel = self.postfix()?;
        let role = if self.eat(Token::Not) {
            Role::Emit
        } else if self.eat(Token::Question) {
            Role::Receive
        } else {
            Role::Join
        };
        Ok(Sync { channel, role })
    }

    // Queries.

    /// `query { "…"; … }` of newer versions holds queries as bare lines; each ends with `;`.
    fn query_block(&mut self) -> Parse<()> {
        self.bump();
        self.expect(Token::LeftBrace)?;
        while !matches!(self.token, Token::RightBrace | Token::End) {
            let start = self.span;
            let query = self.query_ahead();
            // What is not read ends where its brackets say, what is read goes wrong at the first `;`.
            let unread = if let Some(Kind::Undecided(_)) = Kind::of(&query) { query.len() } else { 0 };
            let body = self.formula();
            self.skip_query(unread);
            let (text, span) = (String::new(), self.from(start));
            self.ast.queries.push(Formula { text, body, span, recorded: None });
            self.eat(Token::Semicolon);
        }
        self.expect(Token::RightBrace)?;
        Ok(())
    }
    /// The tokens of the query that begins here, up to a `;` or `}` outside its own brackets.
    fn query_ahead(&self) -> Vec<(Token, &str)> {
        let mut open = 0usize;
        let within = |(token, _): &(Token, &str)| {
            match token {
                Token::LeftParen | Token::LeftBracket | Token::LeftBrace => open += 1,
                Token::RightBrace | Token::Semicolon if open == 0 => return false,
                Token::RightParen | Token::RightBracket | Token::RightBrace => open = open.saturating_sub(1),
                _ => {}
            }
            true
        };
        std::iter::once((self.token, self.written)).chain(self.tokens.ahead()).take_while(within).collect()
    }
    /// Goes on after a query of a block: behind so many tokens, and at the next `;` or the end of the block. Characters
    /// that are no tokens are no mistakes in a query that is not read, and else not the first one of theirs.
    fn skip_query(&mut self, tokens: usize) {
        let mut ignored = Diagnostics::default();
        std::mem::swap(self.diagnostics, &mut ignored);
        for _ in 0..tokens {
            self.bump();
        }
        while !matches!(self.token, Token::Semicolon | Token::RightBrace | Token::End) {
            self.bump();
        }
        std::mem::swap(self.diagnostics, &mut ignored);
    }
    /// A query; errors are returned, not reported.
    pub(crate) fn formula(&mut self) -> Result<Query, Diagnostic> {
        let mut found = Diagnostics::default();
        std::mem::swap(self.diagnostics, &mut found);
        let result = self.formula_here();
        std::mem::swap(self.diagnostics, &mut found);
        match (result, found.finish().into_iter().next()) {
            (Ok(formula), None) => Ok(formula),
            (_, Some(error)) => Err(error),
            (Err(_), None) => Err(Diagnostic::error(Cause::Syntax, self.span, "the query cannot be read")),
        }
    }
    fn formula_here(&mut self) -> Parse<Query> {
        let start = self.span;
        let extremes =
            [("sup", Extreme::Greatest), ("inf", Extreme::Least), ("bounds", Extreme::Both)].into_iter();
        let extreme = extremes.filter(|(word, _)| self.is_word(word)).map(|(_, extreme)| extreme).next();
        if let Some(extreme) = extreme.filter(|_| matches!(self.peek(), Token::Colon | Token::LeftBrace)) {
            return self.values(extreme);
        }
        if let Some(Kind::Undecided(what)) = Kind::of(&self.query_ahead()) {
            return self.unsupported(Cause::UnsupportedQuery, start, what);
        }
        let (quantifier, second) = match (self.token, self.written, self.peek()) {
            (Token::Identifier, "A", Token::LeftBracket) => (Quantifier::Always, Token::RightBracket),
            (Token::Identifier, "E", Token::Less) => (Quantifier::Possibly, Token::Greater),
            (Token::Identifier, "A", Token::Less) => (Quantifier::Inevitably, Token::Greater),
            (Token::Identifier, "E", Token::LeftBracket) => (Quantifier::Invariably, Token::RightBracket),
            _ if self.is_unanswered() => return self.unanswered(),
            _ => {
                let expr = self.expr()?;
                if let Some(query) = self.leads_to(expr)? {
                    return Ok(query);
                }
                let span = self.ast.exprs[expr].span;
                let message = "a query begins with `A[]`, `E<>`, `A<>`, `E[]`, `sup`, `inf` or `bounds`, or is `p --> q`";
                return self.fail(Diagnostic::error(Cause::UnclearClaim, span, message));
            }
        };
        self.bump();
        self.bump();
        if self.token != second {
            return self.unexpected(&second.to_string());
        }
        self.bump();
        if quantifier == Quantifier::Always
            && let Some(opened) = self.response_ahead()
        {
            return self.response(opened);
        }
        let within = if quantifier == Quantifier::Inevitably { self.time_bound()? } else { None };
        let expr = self.expr()?;
        if self.token == Token::Decrement && self.peek() == Token::Greater {
            let message =
                "`-->` stands between two conditions, without `A[]` or another operator before them";
            return self.fail(Diagnostic::error(Cause::Syntax, self.from(start), message));
        }
        self.end_of_query("an operator or the end of the query")?;
        Ok(Query { quantifier, expr, then: None, within, values: None })
    }
    /// `[<=10]` or `[<10]`, if there is one: how much time something may take.
    fn time_bound(&mut self) -> Parse<Option<TimeBound>> {
        let strict = self.peek() == Token::Less;
        if self.token != Token::LeftBracket || !strict && self.peek() != Token::LessEqual {
            return Ok(None);
        }
        self.bump();
        self.bump();
        let amount = Some(self.expr()?);
        self.expect(Token::RightBracket)?;
        Ok(Some(TimeBound { amount, strict }))
    }
    /// The rest of `p --> q`, if this is one.
    fn leads_to(&mut self, expr: ExprId) -> Parse<Option<Query>> {
        if self.token != Token::Decrement || self.peek() != Token::Greater {
            return Ok(None);
        }
        self.bump();
        self.bump();
        let within = self.time_bound()?;
        let then = Some(self.expr()?);
        self.end_of_query("an operator or the end of the query")?;
        Ok(Some(Query { quantifier: Quantifier::LeadsTo, expr, then, within, values: None }))
    }
    /// Whether this is `not (p --> q)`, as far as parentheses tell.
    fn is_unanswered(&self) -> bool {
        let tokens = self.query_ahead();
        let [(first, word), (Token::LeftParen, _), rest @ ..] = &tokens[..] else { return false };
        let mut depth = 1;
        let inside = rest.windows(2).take_while(|pair| {
            match pair[0].0 {
                Token::LeftParen => depth += 1,
                Token::RightParen => depth -= 1,
                _ => {}
            }
            depth > 0
        });
        let leads = |pair: &[(Token, &str)]| (pair[0].0, pair[1].0) == (Token::Decrement, Token::Greater);
        (*first == Token::Not || *word == "not") && inside.into_iter().any(leads)
    }
    /// `not (p --> q)`.
    fn unanswered(&mut self) -> Parse<Query> {
        self.bump();
        self.bump();
        let expr = self.expr()?;
        self.expect(Token::Decrement)?;
        self.expect(Token::Greater)?;
        let within = self.time_bound()?;
        let then = Some(self.expr()?);
        self.expect(Token::RightParen)?;
        self.end_of_query("the end of the query")?;
        Ok(Query { quantifier: Quantifier::Unanswered, expr, then, within, values: None })
    }
    /// How many parentheses are open before `imply A<>` in the rest of a query, if that comes.
    fn response_ahead(&self) -> Option<usize> {
        let tokens = self.query_ahead();
        let at = tokens.windows(4).position(is_response)?;
        let count = |wanted: Token| tokens[..at].iter().filter(|(token, _)| *token == wanted).count();
        let opened = count(Token::LeftParen).saturating_sub(count(Token::RightParen));
        tokens[..opened].iter().all(|(token, _)| *token == Token::LeftParen).then_some(opened)
    }
    /// `(p imply A<> q)`, with so many parentheses around it.
    fn response(&mut self, opened: usize) -> Parse<Query> {
        for _ in 0..opened {
            self.expect(Token::LeftParen)?;
        }
        let expr = self.expr()?;
        for _ in 0..4 {
            self.bump();
        }
        let within = self.time_bound()?;
        let then = Some(self.expr()?);
        for _ in 0..opened {
            self.expect(Token::RightParen)?;
        }
        self.end_of_query("an operator or the end of the query")?;
        Ok(Query { quantifier: Quantifier::LeadsTo, expr, then, within, values: None })
    }
    /// Refuses what follows a whole query; `under S` asks it about the runs that a strategy leaves.
    fn end_of_query(&mut self, wanted: &str) -> Parse<()> {
        match self.token {
            Token::End | Token::Semicolon => Ok(()),
            Token::Identifier if self.written == "under" && self.peek() == Token::Identifier => {
                self.unsupported(Cause::UnsupportedQuery, self.span, "strategies (`under`) are")
            }
            _ => self.unexpected(wanted),
        }
    }
    /// `sup{p}: e, …` after its first word is known; the condition in braces may be missing.
    fn values(&mut self, extreme: Extreme) -> Parse<Query> {
        let start = self.bump();
        let mut condition = None;
        if self.eat(Token::LeftBrace) {
            let begin = self.tokens.position();
            let expr = self.expr()?;
            condition = Some((expr, without_comments(self.tokens.since(begin))));
            self.expect(Token::RightBrace)?;
        }
        self.expect(Token::Colon)?;
        let mut of = vec![];
        loop {
            let begin = self.tokens.position();
            let expr = self.expr()?;
            let leads = self.token == Token::Decrement && self.peek() == Token::Greater;
            if leads && of.is_empty() && condition.is_none() && extreme == Extreme::Greatest {
                return self.response_time(expr, begin);
            }
            of.push((expr, without_comments(self.tokens.since(begin))));
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.end_of_query("an operator, `,` or the end of the query")?;
        let (expr, condition) = match condition {
            Some((expr, text)) => (expr, Some(text)),
            None => (self.ast.exprs.push(Expr { kind: ExprKind::Bool(true), span: start }), None),
        };
        let values = Some(Values { extreme, condition, of, response: None });
        Ok(Query { quantifier: Quantifier::Possibly, expr, then: None, within: None, values })
    }
    /// The rest of `sup: p --> q`, which asks how much time that takes; there is some if it is not answered at once.
    fn response_time(&mut self, expr: ExprId, begin: usize) -> Parse<Query> {
        self.bump();
        self.bump();
        let then = Some(self.expr()?);
        let response = Some(without_comments(self.tokens.since(begin)));
        self.end_of_query("an operator or the end of the query")?;
        let values = Some(Values { extreme: Extreme::Greatest, condition: None, of: vec![], response });
        let within = Some(TimeBound { amount: None, strict: true });
        Ok(Query { quantifier: Quantifier::Unanswered, expr, then, within, values })
    }
}

/// An expression as it is written, on one line and without comments, which would swallow what is put behind it.
fn without_comments(text: &str) -> String {
    if !text.contains("//") && !text.contains("/*") {
        return one_line(text);
    }
    let (text, mut ignored) = (Text::verbatim(text), Diagnostics::default());
    let mut tokens = Tokens::new(&text);
    let words = std::iter::from_fn(|| match tokens.next(&mut ignored) {
        (Token::End, ..) => None,
        (_, _, written) => Some(written),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A process while its sections are read.
struct Body {
    template: Template,
    known: FxHashMap<Name, (End, Span)>,
    init: bool,
}

/// Where an edge begins or ends, by position.
#[derive(Copy, Clone, Debug)]
pub(crate) enum End {
    Location(usize),
    Branch(usize),
}

/// Puts an edge where it belongs in a template.
pub(crate) fn connect(template: &mut Template, mut edge: Edge, from: End, to: End) -> Result<(), Diagnostic> {
    match (from, to) {
        (End::Location(source), End::Location(target)) => {
            (edge.source, edge.target) = (source, target);
            template.edges.push(edge);
        }
        (End::Location(source), End::Branch(branch)) => {
            edge.source = source;
            template.branches[branch].incoming.push(edge);
        }
        (End::Branch(branch), End::Location(target)) => {
            edge.target = target;
            template.branches[branch].outgoing.push(edge);
        }
        (End::Branch(_), End::Branch(_)) => {
            let message = "branch points cannot follow each other";
            return Err(Diagnostic::error(Cause::Misconnected, edge.span, message));
        }
    }
    Ok(())
}

/// Whether a statement has a `return` in it.
fn returns(ast: &Ast, stmt: StmtId) -> bool {
    ir::deep(|| match &ast.stmts[stmt].kind {
        StmtKind::Return(_) => true,
        StmtKind::Block(_, list) => list.iter().any(|stmt| returns(ast, *stmt)),
        StmtKind::If(_, then, otherwise) => {
            returns(ast, *then) || otherwise.is_some_and(|otherwise| returns(ast, otherwise))
        }
        StmtKind::While(_, body)
        | StmtKind::For(_, body)
        | StmtKind::DoWhile(body, _)
        | StmtKind::Iterate(_, _, body) => returns(ast, *body),
        StmtKind::Empty | StmtKind::Expr(_) => false,
    })
}

/// Whether these are `imply A<>`: what is before it leads to what is behind it.
pub(crate) fn is_response(tokens: &[(Token, &str)]) -> bool {
    matches!(tokens, [(Token::Imply, _), (Token::Identifier, "A"), (Token::Less, _), (Token::Greater, _), ..])
}
