//! The definition section: annotations, interfaces with their events and variables, and reactions of the statechart.

use ir::Span;

use super::lexer::Kind;
use super::names::{Build, Meaning, Ty, identifier};
use super::parser::{Failed, Parse, Parser};
use super::reaction::Reaction;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::gamma::ast::*;
use crate::text::Text;

/// What the definition section says.
#[derive(Default)]
pub(super) struct Definitions {
    /// Interfaces with the names of their ports.
    pub(super) interfaces: Vec<InterfaceId>,
    /// Variables, in order.
    pub(super) variables: Vec<VariableId>,
    /// Constants, in order.
    pub(super) constants: Vec<VariableId>,
    /// Whether inner transitions come before outer ones, if that is said.
    pub(super) child_first: Option<bool>,
    /// Reactions of the statechart itself.
    pub(super) reactions: Vec<Reaction>,
}

/// The name of the port of the interface without a name.
const UNNAMED: &str = "Interface";

/// Reads the definition section.
pub(super) fn read(text: &Text, build: &mut Build<'_>) -> Definitions {
    let mut definitions = Definitions::default();
    let mut reader = Reader {
        parser: Parser::new(text, build),
        definitions: &mut definitions,
        scope: None,
        event_driven: None,
        locals: None,
    };
    // The rest is not understood after a mistake.
    let _: Parse<()> = reader.section();
    if let (Some(_), Some(span)) = (reader.event_driven, reader.locals) {
        let message = "events of the statechart itself are not supported in event-driven ones, where they have cycles \
                       of their own; write `@CycleBased` if that is meant";
        reader.parser.build.error(Code::UnsupportedPart, span, message);
    }
    definitions
}

/// Whose declarations come.
#[derive(Clone)]
enum Scope {
    /// Those of an interface: what names have before them, and its port.
    Interface { prefix: Option<String>, id: InterfaceId },
    /// Those of the statechart itself.
    Internal,
}

struct Reader<'t, 'b, 'd, 'o> {
    parser: Parser<'t, 'b, 'd>,
    definitions: &'o mut Definitions,
    scope: Option<Scope>,
    /// Where it is said that every event has a cycle of its own.
    event_driven: Option<Span>,
    /// The first event of the statechart itself.
    locals: Option<Span>,
}

impl Reader<'_, '_, '_, '_> {
    fn section(&mut self) -> Parse<()> {
        while !self.parser.is_end() {
            match (self.parser.word(), self.parser.word_at(1)) {
                ("@", _) => self.annotation()?,
                ("namespace", _) => {
                    self.parser.bump();
                    self.parser.path()?;
                }
                ("import", _) => {
                    let span = self.parser.span();
                    self.parser.bump();
                    self.parser.eat(":");
                    self.parser.bump();
                    let message = "what other files declare is not read";
                    let warning = Diagnostic::warning(Code::IgnoredPart, span, message);
                    self.parser.build.warnings.push(warning);
                }
                ("interface", _) => self.interface()?,
                ("internal", ":") => {
                    self.parser.bump();
                    self.parser.bump();
                    self.scope = Some(Scope::Internal);
                }
                _ => self.declaration()?,
            }
        }
        Ok(())
    }
    fn annotation(&mut self) -> Parse<()> {
        let start = self.parser.token();
        self.parser.bump();
        let (name, span) = self.parser.name("the name of an annotation")?;
        let mut says = String::new();
        if self.parser.eat("(") {
            while !self.parser.is(")") {
                if self.parser.is_end() {
                    return self.parser.unexpected("`)`");
                }
                says.push_str(self.parser.word());
                self.parser.bump();
            }
            self.parser.bump();
        }
        let span = self.parser.from(start).to(span);
        match (name, says.as_str()) {
            ("CycleBased", _) | ("SuperSteps", "no" | "false") => {}
            ("ParentFirstExecution", _) => self.definitions.child_first = Some(false),
            ("ChildFirstExecution", _) => self.definitions.child_first = Some(true),
            ("EventDriven", _) => {
                self.event_driven = Some(span);
                let message = "every cycle may have several events here, also of a statechart that is driven by single ones";
                self.parser.build.warnings.push(Diagnostic::warning(Code::IgnoredPart, span, message));
            }
            ("SuperSteps", _) => {
                let message = "steps that go on until nothing happens (`@SuperSteps`) are not supported";
                self.parser.build.error(Code::UnsupportedPart, span, message);
            }
            (other, _) => {
                let message = format!("`@{other}` has no influence here");
                self.parser.build.warnings.push(Diagnostic::warning(Code::IgnoredPart, span, message));
            }
        }
        Ok(())
    }
    fn interface(&mut self) -> Parse<()> {
        let start = self.parser.token();
        self.parser.bump();
        let prefix = match self.parser.is(":") {
            true => None,
            false => Some(self.parser.name("the name of an interface, or `:`")?.0.to_owned()),
        };
        self.parser.expect(":")?;
        let span = self.parser.from(start);
        let name = prefix.as_deref().map_or(UNNAMED.to_owned(), |name| identifier(name, UNNAMED));
        let ident = self.parser.build.ast.ident(&name, span);
        let known = self.definitions.interfaces.iter();
        let mut known = known.filter(|id| self.parser.build.ast.interfaces[**id].ident.name == ident.name);
        let id = match known.next() {
            Some(known) => *known,
            None => {
                let new = Interface { ident, extends: vec![], events: vec![], invariants: vec![] };
                let id = self.parser.build.ast.interfaces.push(new);
                self.definitions.interfaces.push(id);
                id
            }
        };
        self.scope = Some(Scope::Interface { prefix, id });
        Ok(())
    }
    fn declaration(&mut self) -> Parse<()> {
        let Some(scope) = self.scope.clone() else {
            return self.parser.unexpected("`interface` or `internal`");
        };
        let direction = match self.parser.word() {
            "in" => Some(Direction::In),
            "out" => Some(Direction::Out),
            "local" => Some(Direction::Internal),
            _ => None,
        };
        if direction.is_some() && self.parser.word_at(1) == "event" {
            self.parser.bump();
        }
        match self.parser.word() {
            "event" => self.event(&scope, direction.unwrap_or(Direction::Internal)),
            "var" | "const" => self.variable(&scope),
            "operation" => self.operation(&scope),
            _ if matches!(scope, Scope::Internal) => {
                let reaction = self.parser.reaction()?;
                self.definitions.reactions.push(reaction);
                Ok(())
            }
            _ => self.parser.unexpected("`event`, `var`, `const` or `operation`"),
        }
    }
    fn ty(&mut self) -> Parse<Option<Ty>> {
        let (name, span) = self.parser.name("a type")?;
        Ok(Some(match name {
            "boolean" => Ty::Boolean,
            "integer" => Ty::Integer,
            "real" => Ty::Real,
            "string" => Ty::Text,
            "void" => return Ok(None),
            other => {
                let message = format!("the type `{other}` is not supported");
                return self.parser.fail(Code::UnsupportedType, span, message);
            }
        }))
    }
    fn event(&mut self, scope: &Scope, direction: Direction) -> Parse<()> {
        self.parser.bump();
        let (name, span) = self.parser.name("the name of an event")?;
        let value = if self.parser.eat(":") { self.ty()? } else { None };
        if self.parser.is("=") {
            let message = "events with an initial value are not supported";
            return self.parser.fail(Code::UnsupportedPart, self.parser.span(), message);
        }
        let prefix = match scope {
            Scope::Interface { prefix, .. } => prefix.as_deref(),
            Scope::Internal => None,
        };
        let build = &mut *self.parser.build;
        match scope {
            Scope::Interface { id, .. } if direction != Direction::Internal => {
                let ident = build.ast.ident(name, span);
                let params = value.map(|ty| {
                    let ty = build.ty(ty, span);
                    let ident = build.ast.ident(&format!("{name}Value"), span);
                    build.ast.params.push(Param { ident, ty })
                });
                let event = Event {
                    ident,
                    direction,
                    persistency: None,
                    params: params.into_iter().collect(),
                    priority: None,
                };
                let event = build.ast.events.push(event);
                build.ast.interfaces[*id].events.push(event);
                let port = build.ast.text(build.ast.interfaces[*id].ident).to_owned();
                build.declare(prefix, name, Meaning::Event { port, event: name.to_owned(), value }, span);
            }
            _ => {
                self.locals.get_or_insert(span);
                let flag = build.value_name(prefix, name);
                let no = build.expr(ExprKind::Bool(false), span);
                let ty = build.ty(Ty::Boolean, span);
                let transient = vec![VariableAnnotation::Transient];
                self.definitions.variables.push(declared(build, &flag, transient, ty, Some(no), span));
                let value = value.map(|ty| {
                    let of = build.value_name(prefix, &format!("{name}Value"));
                    let written = build.ty(ty, span);
                    self.definitions.variables.push(declared(build, &of, vec![], written, None, span));
                    (of, ty)
                });
                build.declare(prefix, name, Meaning::Local { flag, value }, span);
            }
        }
        Ok(())
    }
    fn variable(&mut self, scope: &Scope) -> Parse<()> {
        let constant = self.parser.word() == "const";
        self.parser.bump();
        while matches!(self.parser.word(), "readonly" | "external") && self.parser.word_at(1) != ":" {
            self.parser.bump();
        }
        let (name, span) = self.parser.name("the name of a variable")?;
        let ty = if self.parser.eat(":") { self.ty()? } else { None };
        let initial = if self.parser.eat("=") { Some(self.parser.expr()?) } else { None };
        let Some(ty) = ty.or(initial.map(|value| value.ty)) else {
            let message = format!("`{name}` needs a type, `: integer`, or a value");
            return self.parser.fail(Code::UnclearType, span, message);
        };
        let prefix = match scope {
            Scope::Interface { prefix, .. } => prefix.as_deref(),
            Scope::Internal => None,
        };
        let build = &mut *self.parser.build;
        let chosen = build.value_name(prefix, name);
        let written = build.ty(ty, span);
        let id = declared(build, &chosen, vec![], written, initial.map(|value| value.expr), span);
        build.ast.variables[id].constant = constant;
        let list = if constant { &mut self.definitions.constants } else { &mut self.definitions.variables };
        list.push(id);
        build.declare(prefix, name, Meaning::Variable { name: chosen, ty }, span);
        Ok(())
    }
    /// What another program does; nobody can call it here.
    fn operation(&mut self, scope: &Scope) -> Parse<()> {
        self.parser.bump();
        let (name, span) = self.parser.name("the name of an operation")?;
        if self.parser.eat("(") {
            while !self.parser.eat(")") {
                if self.parser.kind() == Kind::End {
                    return Err(Failed);
                }
                self.parser.bump();
            }
        }
        if self.parser.eat(":") {
            self.parser.name("a type")?;
        }
        let prefix = match scope {
            Scope::Interface { prefix, .. } => prefix.as_deref(),
            Scope::Internal => None,
        };
        self.parser.build.declare(prefix, name, Meaning::Operation, span);
        Ok(())
    }
}

fn declared(
    build: &mut Build<'_>,
    name: &str,
    annotations: Vec<VariableAnnotation>,
    ty: TypeId,
    initial: Option<ExprId>,
    span: Span,
) -> VariableId {
    let ident = build.ast.ident(name, span);
    build.ast.variables.push(Variable { ident, constant: false, annotations, ty, initial })
}
