//! Packages, interfaces, ports, types, variables and functions.

use ir::Span;

use super::{Parse, Parser};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::gamma::ast::*;
use crate::gamma::lexer::Token;

/// What a declaration of a package can begin with.
const ITEMS: &[&str] = &[
    "const",
    "lambda",
    "procedure",
    "type",
    "interface",
    "statechart",
    "sync",
    "cascade",
    "async",
    "adapter",
];

impl Parser<'_, '_> {
    pub(super) fn package(mut self) -> PackageId {
        let file = self.span().file;
        let mut package = Package { ident: None, file, imports: vec![], items: vec![] };
        if self.package_head(&mut package).is_err() {
            self.skip_to_item();
        }
        while self.token() != Token::End {
            let before = self.at;
            if self.item(&mut package).is_err() {
                if self.at == before {
                    self.bump();
                }
                self.skip_to_item();
            }
        }
        self.ast.packages.push(package)
    }
    fn package_head(&mut self, package: &mut Package) -> Parse<()> {
        self.expect_word("package")?;
        package.ident = Some(self.ident("the name of the package")?);
        while self.is_word("import") {
            package.imports.push(self.import()?);
        }
        Ok(())
    }
    /// `import "path"`
    pub(in crate::gamma) fn import(&mut self) -> Parse<Import> {
        self.expect_word("import")?;
        let (path, span) = self.string()?;
        Ok(Import { path: path.into(), span })
    }
    fn starts_item(&self) -> bool {
        if self.token() == Token::At {
            return true;
        }
        let named = self.peek(1) == Token::Word;
        self.hyphenated("scheduled-async").is_some() || (ITEMS.contains(&self.word()) && named)
    }
    fn skip_to_item(&mut self) {
        while self.token() != Token::End && !(self.braces[self.at] == 0 && self.starts_item()) {
            self.bump();
        }
    }
    fn item(&mut self, package: &mut Package) -> Parse<()> {
        let item = match self.word() {
            "const" => Item::Constant(self.variable()?),
            "lambda" | "procedure" => Item::Function(self.function()?),
            "type" => Item::Type(self.type_decl()?),
            "interface" => Item::Interface(self.interface()?),
            "import" => {
                let import = self.import()?;
                let message = "imports come before everything else; move it up to the other ones";
                self.report(Diagnostic::error(Code::Misplaced, import.span, message));
                package.imports.push(import);
                return Ok(());
            }
            _ if self.starts_item() => Item::Component(self.component()?),
            _ => return self.unexpected("a declaration, such as `interface`, `statechart` or `sync`"),
        };
        package.items.push(item);
        Ok(())
    }

    // Interfaces and ports.

    fn interface(&mut self) -> Parse<InterfaceId> {
        self.bump();
        let ident = self.ident("the name of the interface")?;
        let mut extends = vec![];
        if self.eat_word("extends") {
            extends = self.list(|parser| parser.reference("an interface"))?;
        }
        let (mut events, mut invariants) = (vec![], vec![]);
        let starts =
            |parser: &Self| matches!(parser.word(), "in" | "out" | "inout" | "internal" | "invariant");
        self.members(starts, |parser| {
            if parser.eat_word("invariant") {
                invariants.push(parser.expr()?);
            } else {
                events.push(parser.event()?);
            }
            Ok(())
        })?;
        Ok(self.ast.interfaces.push(Interface { ident, extends, events, invariants }))
    }
    fn event(&mut self) -> Parse<EventId> {
        let direction = self.choice(&[
            ("in", Direction::In),
            ("out", Direction::Out),
            ("inout", Direction::InOut),
            ("internal", Direction::Internal),
        ])?;
        let persistency = match self.word() {
            "persistent" => Some(Persistency::Persistent),
            "transient" => Some(Persistency::Transient),
            _ => None,
        };
        if persistency.is_some() {
            self.bump();
        }
        self.expect_word("event")?;
        let ident = self.ident("the name of the event")?;
        let params = if self.token() == Token::LeftParen { self.params()? } else { vec![] };
        let mut priority = None;
        if self.is_word("priority") && self.peek(1) == Token::Equals {
            self.bump();
            self.bump();
            priority = Some(self.signed_integer()?);
        }
        Ok(self.ast.events.push(Event { ident, direction, persistency, params, priority }))
    }
    /// `(a : T, b : T)`
    pub(in crate::gamma) fn params(&mut self) -> Parse<Vec<ParamId>> {
        self.expect(Token::LeftParen)?;
        self.list_until(Token::RightParen, |parser| {
            let param = parser.param()?;
            Ok(parser.ast.params.push(param))
        })
    }
    /// `a : T`
    pub(super) fn param(&mut self) -> Parse<Param> {
        let ident = self.ident("a name")?;
        self.expect(Token::Colon)?;
        Ok(Param { ident, ty: self.ty()? })
    }
    /// `[ port …, port … ]`, where commas may be missing
    pub(super) fn ports(&mut self) -> Parse<Vec<PortId>> {
        let mut ports = vec![];
        if !self.eat(Token::LeftBracket) {
            return Ok(ports);
        }
        while !self.eat(Token::RightBracket) {
            match self.port() {
                Ok(port) => ports.push(port),
                Err(failed) => {
                    // Goes on with the next port, or with the body.
                    let next = |parser: &Self| parser.is_word("port") && parser.peek(2) == Token::Colon;
                    while !next(self) && self.token() != Token::RightBracket {
                        if matches!(self.token(), Token::LeftBrace | Token::End) {
                            return Err(failed);
                        }
                        self.bump();
                    }
                }
            }
            self.eat(Token::Comma);
        }
        Ok(ports)
    }
    fn port(&mut self) -> Parse<PortId> {
        self.expect_word("port")?;
        let ident = self.ident("the name of the port")?;
        self.expect(Token::Colon)?;
        let mode = self.choice(&[("provides", PortMode::Provides), ("requires", PortMode::Requires)])?;
        let interface = self.reference("an interface")?;
        let mut invariants = vec![];
        if self.eat(Token::LeftBrace) {
            while !self.eat(Token::RightBrace) {
                self.expect_word("invariant")?;
                invariants.push(self.expr()?);
                self.eat(Token::Comma);
            }
        }
        Ok(self.ast.ports.push(Port { ident, mode, interface, invariants }))
    }

    // Types.

    fn type_decl(&mut self) -> Parse<TypeDeclId> {
        self.bump();
        let ident = self.ident("the name of the type")?;
        self.expect(Token::Colon)?;
        let ty = self.ty()?;
        Ok(self.ast.type_decls.push(TypeDecl { ident, ty }))
    }
    pub(super) fn ty(&mut self) -> Parse<TypeId> {
        let start = self.span();
        let kind = self.nested(Self::type_kind)?;
        let span = self.from(start);
        Ok(self.ast.types.push(Type { kind, span }))
    }
    fn type_kind(&mut self) -> Parse<TypeKind> {
        let followed = |parser: &Self, token| parser.peek(1) == token;
        Ok(match self.word() {
            "void" => self.simple(TypeKind::Void),
            "boolean" => self.simple(TypeKind::Boolean),
            "decimal" => self.simple(TypeKind::Decimal),
            "rational" => self.simple(TypeKind::Rational),
            "integer" if self.word_at(1) == "range" => {
                self.bump();
                self.simple(TypeKind::IntegerRange)
            }
            "integer" => self.simple(TypeKind::Integer),
            "enum" if followed(self, Token::LeftBrace) => {
                self.bump();
                self.bump();
                let literals = self.list(|parser| parser.ident("a literal"))?;
                self.expect(Token::RightBrace)?;
                TypeKind::Enum(literals)
            }
            "record" if followed(self, Token::LeftBrace) => {
                self.bump();
                self.bump();
                let fields = self.list(Self::param)?;
                self.expect(Token::RightBrace)?;
                TypeKind::Record(fields)
            }
            "function" if followed(self, Token::LeftParen) => {
                self.bump();
                self.bump();
                let params = self.list_until(Token::RightParen, Self::ty)?;
                self.expect(Token::Colon)?;
                TypeKind::Function { params, result: self.ty()? }
            }
            _ => match self.token() {
                Token::LeftBracket => {
                    self.bump();
                    let size = self.expr()?;
                    self.expect(Token::RightBracket)?;
                    TypeKind::Array { size, element: self.ty()? }
                }
                Token::Hash => {
                    self.bump();
                    self.expect(Token::LeftBracket)?;
                    let infinite = self.token() == Token::Minus && self.word_at(1) == "inf";
                    let from = self.bound(infinite)?;
                    self.expect_word("to")?;
                    let infinite = self.is_word("inf");
                    let to = self.bound(infinite)?;
                    self.expect(Token::RightBracket)?;
                    TypeKind::Subrange { from, to }
                }
                _ => TypeKind::Named(self.reference("a type")?),
            },
        })
    }
    fn simple(&mut self, kind: TypeKind) -> TypeKind {
        self.bump();
        kind
    }
    fn bound(&mut self, infinite: bool) -> Parse<Option<ExprId>> {
        if infinite {
            self.eat(Token::Minus);
            self.bump();
            return Ok(None);
        }
        Ok(Some(self.expr()?))
    }

    // Variables and functions.

    /// `@Transient var x : T := e`, or the same with `const`; without a semicolon
    pub(in crate::gamma) fn variable(&mut self) -> Parse<VariableId> {
        let mut annotations = vec![];
        while self.eat(Token::At) {
            annotations.push(self.choice(&[
                ("Transient", VariableAnnotation::Transient),
                ("Resettable", VariableAnnotation::Resettable),
                ("Unremovable", VariableAnnotation::Unremovable),
                ("Injected", VariableAnnotation::Injected),
            ])?);
        }
        let constant = self.is_word("const");
        if !constant {
            self.expect_word("var")?;
        } else {
            self.bump();
        }
        let ident = self.ident("the name of the variable")?;
        self.expect(Token::Colon)?;
        let ty = self.ty()?;
        let initial = if self.eat(Token::Assign) { Some(self.expr()?) } else { None };
        Ok(self.ast.variables.push(Variable { ident, constant, annotations, ty, initial }))
    }
    pub(super) fn function(&mut self) -> Parse<FunctionId> {
        let lambda = self.is_word("lambda");
        self.bump();
        let ident = self.ident("the name of the function")?;
        let params = if self.token() == Token::LeftParen { Some(self.params()?) } else { None };
        self.expect(Token::Colon)?;
        let result = self.ty()?;
        let body = if lambda {
            let value = if self.eat(Token::Assign) { Some(self.expr()?) } else { None };
            FunctionBody::Lambda(value)
        } else if self.token() == Token::LeftBrace {
            FunctionBody::Procedure(self.action()?)
        } else {
            return self.unexpected("`{` and what the procedure does");
        };
        Ok(self.ast.functions.push(Function { ident, params, result, body }))
    }

    // Components.

    fn component(&mut self) -> Parse<ComponentId> {
        let start = self.span();
        let (annotations, asynchronous) = self.annotations()?;
        let annotated = self.span() != start;
        if annotated || self.is_word("statechart") {
            return self.statechart(start, annotations, asynchronous);
        }
        self.composition(start)
    }
    pub(super) fn push_component(
        &mut self,
        start: Span,
        ident: Ident,
        params: Vec<ParamId>,
        ports: Vec<PortId>,
        kind: ComponentKind,
    ) -> ComponentId {
        let span = self.from(start);
        self.ast.components.push(Component { ident, params, ports, kind, span })
    }
}
