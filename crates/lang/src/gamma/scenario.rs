//! Scenarios, `.gsc`: what a component sends and receives, in the manner of live sequence charts.
//!
//! They are read and kept, and not interpreted: Gamma makes a monitor of each, which is a statechart as any other.

use ir::{FileId, Span};

use super::ast::{Ast, ExprId, Ident, Import, ParamId, RefId, VariableId};
use super::lexer::Token;
use super::parser::{Parse, Parser};
use crate::diagnostic::{Diagnostic, Diagnostics};

/// A file of scenarios.
#[derive(Clone, Debug, Default)]
pub struct ScenarioFile {
    /// The expressions that it holds.
    pub ast: Ast,
    /// Its name, if it has one.
    pub package: Option<Ident>,
    /// Packages that are imported.
    pub imports: Vec<Import>,
    /// The component that the scenarios are about.
    pub component: Option<RefId>,
    /// The scenarios, in order.
    pub scenarios: Vec<Scenario>,
}

/// A scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// `@Strict`, `@AllowedWaiting 0 .. 1` and the like: words with their bounds.
    pub annotations: Vec<Annotation>,
    /// Its name.
    pub ident: Ident,
    /// Its parameters.
    pub params: Vec<ParamId>,
    /// Its variables.
    pub variables: Vec<VariableId>,
    /// What is sent at the very beginning, if that is written.
    pub initial_outputs: Option<Vec<Interaction>>,
    /// What happens, in order.
    pub body: Vec<Interaction>,
}

/// What is written before a scenario.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// Its name.
    pub ident: Ident,
    /// The bounds of a waiting time; one alone is the upper one.
    pub bounds: Vec<ExprId>,
}

/// What happens in a scenario.
#[derive(Clone, Debug)]
pub struct Interaction {
    /// What it is.
    pub kind: InteractionKind,
    /// Its place.
    pub span: Span,
}

/// What an interaction is.
#[derive(Clone, Debug)]
pub enum InteractionKind {
    /// `{ … }`: all of these in one cycle.
    Set(Vec<Interaction>),
    /// `negate …`: this does not happen.
    Negate(Box<Interaction>),
    /// `hot sends port.event(arguments)`
    Signal {
        /// Whether it has to happen, or may; if that is written.
        modality: Option<Modality>,
        /// Whether the component sends it, or gets it.
        sends: bool,
        /// The port.
        port: RefId,
        /// The event.
        event: RefId,
        /// Values of its parameters.
        arguments: Vec<ExprId>,
    },
    /// `hot delay (from .. to)`
    Delay(Option<Modality>, Vec<ExprId>),
    /// `hot reset`
    Reset(Option<Modality>),
    /// `check e`
    Check(ExprId),
    /// `assign x := e`
    Assign(ExprId, ExprId),
    /// `call Scenario(arguments)`
    Call(RefId, Vec<ExprId>),
    /// `loop (from .. to) { … }`
    Loop(Vec<ExprId>, Vec<Interaction>),
    /// `alternative { … } or { … }`, `optional { … }`, `unordered { … } and { … }`, `parallel { … } and { … }`
    Combined(Combination, Vec<Vec<Interaction>>),
}

/// Whether something has to happen.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Modality {
    /// It has to.
    Hot,
    /// It may.
    Cold,
}

/// How parts of a scenario are combined.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Combination {
    /// One of them.
    Alternative,
    /// Or nothing.
    Optional,
    /// All of them, in any order.
    Unordered,
    /// All of them, interleaved.
    Parallel,
}

/// Parses a file of scenarios.
pub fn parse(text: &str) -> (ScenarioFile, Vec<Diagnostic>) {
    let (mut ast, mut diagnostics) = (Ast::default(), Diagnostics::default());
    let mut parser = Parser::new(text, FileId::default(), &mut ast, &mut diagnostics);
    let mut file = ScenarioFile::default();
    // The error is reported, and there is nothing to go on with.
    let _ = read(&mut parser, &mut file);
    file.ast = ast;
    (file, diagnostics.finish())
}

fn read(parser: &mut Parser<'_, '_>, file: &mut ScenarioFile) -> Parse<()> {
    if parser.eat_word("package") {
        file.package = Some(parser.ident("the name of the package")?);
    }
    while parser.is_word("import") {
        file.imports.push(parser.import()?);
    }
    // A file may be empty but for comments.
    if parser.token() == Token::End {
        return Ok(());
    }
    parser.expect_word("component")?;
    file.component = Some(parser.reference("the component that the scenarios are about")?);
    while parser.token() != Token::End {
        file.scenarios.push(scenario(parser)?);
    }
    Ok(())
}

fn scenario(parser: &mut Parser<'_, '_>) -> Parse<Scenario> {
    let mut annotations = vec![];
    while parser.eat(Token::At) {
        let ident = parser.ident("the name of an annotation")?;
        let mut bounds = vec![];
        if parser.token() == Token::Integer {
            bounds = range(parser)?;
        }
        annotations.push(Annotation { ident, bounds });
    }
    parser.expect_word("scenario")?;
    let ident = parser.ident("the name of the scenario")?;
    let params = if parser.token() == Token::LeftParen { parser.params()? } else { vec![] };
    let mut variables = vec![];
    while parser.is_word("var") {
        variables.push(parser.variable()?);
    }
    let mut initial_outputs = None;
    if parser.eat_word("initial") {
        parser.expect_word("outputs")?;
        parser.expect(Token::LeftBracket)?;
        initial_outputs = Some(interactions(parser, Token::RightBracket)?);
    }
    parser.expect(Token::LeftBracket)?;
    let body = interactions(parser, Token::RightBracket)?;
    Ok(Scenario { annotations, ident, params, variables, initial_outputs, body })
}

/// `a .. b`, or `b` alone
fn range(parser: &mut Parser<'_, '_>) -> Parse<Vec<ExprId>> {
    let mut bounds = vec![parser.expr()?];
    if parser.eat(Token::Dots) {
        bounds.push(parser.expr()?);
    }
    Ok(bounds)
}

fn interactions(parser: &mut Parser<'_, '_>, close: Token) -> Parse<Vec<Interaction>> {
    let mut list = vec![];
    while !parser.eat(close) {
        list.push(parser.nested(interaction)?);
    }
    Ok(list)
}

/// `{ … }`, without more than that
fn fragment(parser: &mut Parser<'_, '_>) -> Parse<Vec<Interaction>> {
    parser.expect(Token::LeftBrace)?;
    interactions(parser, Token::RightBrace)
}

fn interaction(parser: &mut Parser<'_, '_>) -> Parse<Interaction> {
    let start = parser.span();
    let kind = match parser.word() {
        _ if parser.token() == Token::LeftBrace => InteractionKind::Set(fragment(parser)?),
        "negate" => {
            parser.bump();
            InteractionKind::Negate(Box::new(parser.nested(interaction)?))
        }
        "check" => {
            parser.bump();
            InteractionKind::Check(parser.expr()?)
        }
        "assign" => {
            parser.bump();
            let target = parser.expr()?;
            parser.expect(Token::Assign)?;
            InteractionKind::Assign(target, parser.expr()?)
        }
        "call" => {
            parser.bump();
            let called = parser.reference("a scenario")?;
            InteractionKind::Call(called, parser.arguments()?)
        }
        "loop" => {
            parser.bump();
            parser.expect(Token::LeftParen)?;
            let bounds = range(parser)?;
            parser.expect(Token::RightParen)?;
            InteractionKind::Loop(bounds, fragment(parser)?)
        }
        "alternative" => combined(parser, Combination::Alternative, Some("or"))?,
        "optional" => combined(parser, Combination::Optional, None)?,
        "unordered" => combined(parser, Combination::Unordered, Some("and"))?,
        "parallel" => combined(parser, Combination::Parallel, Some("and"))?,
        _ => modal(parser)?,
    };
    Ok(Interaction { kind, span: parser.from(start) })
}

fn combined(
    parser: &mut Parser<'_, '_>,
    combination: Combination,
    joined_by: Option<&str>,
) -> Parse<InteractionKind> {
    parser.bump();
    let mut parts = vec![fragment(parser)?];
    while joined_by.is_some_and(|word| parser.eat_word(word)) {
        parts.push(fragment(parser)?);
    }
    Ok(InteractionKind::Combined(combination, parts))
}

/// What has to happen, or may.
fn modal(parser: &mut Parser<'_, '_>) -> Parse<InteractionKind> {
    let modality = match parser.word() {
        "hot" => Some(Modality::Hot),
        "cold" => Some(Modality::Cold),
        _ => None,
    };
    if modality.is_some() {
        parser.bump();
    }
    match parser.word() {
        "delay" => {
            parser.bump();
            parser.expect(Token::LeftParen)?;
            let bounds = range(parser)?;
            parser.expect(Token::RightParen)?;
            Ok(InteractionKind::Delay(modality, bounds))
        }
        "reset" => {
            parser.bump();
            Ok(InteractionKind::Reset(modality))
        }
        word @ ("sends" | "receives") => {
            parser.bump();
            let port = parser.reference("a port")?;
            parser.expect(Token::Dot)?;
            let event = parser.reference("an event")?;
            let arguments = parser.arguments()?;
            Ok(InteractionKind::Signal { modality, sends: word == "sends", port, event, arguments })
        }
        _ => parser.unexpected("`sends`, `receives`, `delay`, `check`, `{` or the end of the scenario"),
    }
}
