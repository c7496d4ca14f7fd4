//! Task files, `.ggen`: what an engineer has asked Gamma to do with a model.
//!
//! Tasks of analysis and verification are read: they say which component is looked at, with which arguments and
//! how time passes, and what is asked. Everything else is skipped and remembered, so that it can be said.

use ir::{FileId, Span};

use super::ast::{Ast, Duration, ExprId, Ident, Import, RefId};
use super::lexer::Token;
use super::parser::{Parse, Parser};
use crate::diagnostic::{Diagnostic, Diagnostics};

/// A task file.
#[derive(Clone, Debug, Default)]
pub struct TaskFile {
    /// The expressions of tasks.
    pub ast: Ast,
    /// Packages that are imported.
    pub imports: Vec<Import>,
    /// Other things that are imported: statecharts of Yakindu, scenarios, traces; with the word that says so.
    pub other_imports: Vec<(Box<str>, Import)>,
    /// Other task files whose tasks belong to this one.
    pub includes: Vec<Import>,
    /// The tasks, in order.
    pub tasks: Vec<Task>,
}

/// A task.
#[derive(Clone, Debug)]
pub struct Task {
    /// What it is.
    pub kind: TaskKind,
    /// What is written in it and has no influence here: words and places.
    pub ignored: Vec<(Box<str>, Span)>,
    /// The place of its first word.
    pub span: Span,
}

/// What a task is.
#[derive(Clone, Debug)]
pub enum TaskKind {
    /// `analysis { … }`
    Analysis(Box<Analysis>),
    /// `verification { … }`
    Verification(Box<Verification>),
    /// Something else, by its word; it is skipped.
    Other(Box<str>),
}

/// A task of analysis: a component becomes a model that can be checked.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// The component.
    pub component: Option<RefId>,
    /// Values of its parameters.
    pub arguments: Vec<ExprId>,
    /// The place of the component with its arguments.
    pub place: Span,
    /// The model checkers that it is for, as written.
    pub languages: Vec<Box<str>>,
    /// Names of what is made of it.
    pub files: Vec<Box<str>>,
    /// How time passes.
    pub constraints: Vec<Constraint>,
    /// What is to be covered by runs.
    pub coverages: Vec<Coverage>,
    /// Properties that are asked, or that the model is made for.
    pub property_files: Vec<Import>,
}

/// How much time passes between cycles.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// The instance that it is about; `None` for the whole component.
    pub instance: Option<Vec<Ident>>,
    /// At least this much.
    pub minimum: Option<Duration>,
    /// At most this much.
    pub maximum: Option<Duration>,
    /// Its place.
    pub span: Span,
}

/// What is to be covered.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// What is covered.
    pub kind: CoverageKind,
    /// Instances that are looked at, by their paths; all of them if there are none.
    pub include: Vec<Vec<Ident>>,
    /// Instances that are not.
    pub exclude: Vec<Vec<Ident>>,
    /// Other settings: key and value as written.
    pub settings: Vec<(Box<str>, Box<str>)>,
    /// Its place.
    pub span: Span,
}

/// What is covered.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum CoverageKind {
    /// Every state.
    State,
    /// Every transition.
    Transition,
    /// Every two transitions of which one leads to where the other begins.
    TransitionPair,
    /// Every event that goes out.
    OutEvent,
    /// Every event from one component to another.
    Interaction,
    /// Every definition and use of a variable.
    Dataflow,
    /// Every definition and use of a parameter of an event.
    InteractionDataflow,
    /// Every state with no way on.
    UnstableState,
}

impl CoverageKind {
    /// The word that asks for it.
    pub fn word(self) -> &'static str {
        COVERAGES.iter().find(|(_, kind)| *kind == self).map_or("", |(word, _)| word)
    }
}

const COVERAGES: &[(&str, CoverageKind)] = &[
    ("state-coverage", CoverageKind::State),
    ("transition-coverage", CoverageKind::Transition),
    ("transition-pair-coverage", CoverageKind::TransitionPair),
    ("out-event-coverage", CoverageKind::OutEvent),
    ("interaction-coverage", CoverageKind::Interaction),
    ("dataflow-coverage", CoverageKind::Dataflow),
    ("interaction-dataflow-coverage", CoverageKind::InteractionDataflow),
    ("unstable-state-coverage", CoverageKind::UnstableState),
];

/// A task of verification: properties of a model that an analysis has made.
#[derive(Clone, Debug, Default)]
pub struct Verification {
    /// The model checker, as written.
    pub languages: Vec<Box<str>>,
    /// The models.
    pub files: Vec<Box<str>>,
    /// Files of properties.
    pub property_files: Vec<Import>,
    /// Files of queries in the language of the model checker.
    pub query_files: Vec<Import>,
}

/// Parses a task file.
pub fn parse(text: &str) -> (TaskFile, Vec<Diagnostic>) {
    let (mut ast, mut diagnostics) = (Ast::default(), Diagnostics::default());
    let file = read(text, FileId::default(), &mut ast, &mut diagnostics);
    (TaskFile { ast, ..file }, diagnostics.finish())
}

/// Parses a task file whose expressions become part of a tree; its own stays empty.
pub(super) fn read(text: &str, file: FileId, ast: &mut Ast, diagnostics: &mut Diagnostics) -> TaskFile {
    let mut parser = Parser::new(text, file, ast, diagnostics);
    let mut file = TaskFile::default();
    while parser.token() != Token::End {
        let before = parser.span();
        if item(&mut parser, &mut file).is_err() {
            if parser.span() == before {
                parser.bump();
            }
            parser.skip_to_outside();
        }
    }
    file
}

fn item(parser: &mut Parser<'_, '_>, file: &mut TaskFile) -> Parse<()> {
    match parser.word() {
        "import" if parser.peek(1) == Token::String => file.imports.push(parser.import()?),
        "import" => {
            parser.bump();
            let word = key(parser)?;
            let (path, span) = parser.string()?;
            file.other_imports.push((word, Import { path: path.into(), span }));
        }
        "include" => {
            parser.bump();
            let (path, span) = parser.string()?;
            file.includes.push(Import { path: path.into(), span });
        }
        _ => {
            let span = parser.span();
            let word = key(parser)?;
            let mut ignored = vec![];
            let kind = match &*word {
                "analysis" => TaskKind::Analysis(Box::new(analysis(parser, &mut ignored)?)),
                "verification" => TaskKind::Verification(Box::new(verification(parser, &mut ignored)?)),
                _ => {
                    parser.skip_braced()?;
                    TaskKind::Other(word)
                }
            };
            file.tasks.push(Task { kind, ignored, span });
        }
    }
    Ok(())
}

/// A word, maybe with hyphens.
fn key(parser: &mut Parser<'_, '_>) -> Parse<Box<str>> {
    Ok(parser.hyphenated_word()?.0.into())
}

fn analysis(parser: &mut Parser<'_, '_>, ignored: &mut Vec<(Box<str>, Span)>) -> Parse<Analysis> {
    let mut task = Analysis::default();
    parser.expect(Token::LeftBrace)?;
    while !parser.eat(Token::RightBrace) {
        let (word, span) = parser.hyphenated_word()?;
        if let Some((_, kind)) = COVERAGES.iter().find(|(known, _)| *known == word) {
            task.coverages.push(coverage(parser, *kind, span)?);
            continue;
        }
        match word {
            "component" => {
                parser.expect(Token::Colon)?;
                let start = parser.span();
                task.component = Some(parser.reference("a component")?);
                task.arguments = parser.arguments()?;
                task.place = parser.from(start);
            }
            "language" => {
                ignored.push((word.into(), span));
                task.languages = words(parser)?;
            }
            "file" => task.files = strings(parser)?.into_iter().map(|import| import.path).collect(),
            "property-file" => task.property_files.extend(strings(parser)?),
            "constraint" => {
                parser.expect(Token::Colon)?;
                constraints(parser, span, &mut task.constraints)?;
            }
            _ => {
                ignored.push((word.into(), span));
                skip_value(parser)?;
            }
        }
    }
    Ok(task)
}

fn verification(parser: &mut Parser<'_, '_>, ignored: &mut Vec<(Box<str>, Span)>) -> Parse<Verification> {
    let mut task = Verification::default();
    parser.expect(Token::LeftBrace)?;
    while !parser.eat(Token::RightBrace) {
        let (word, span) = parser.hyphenated_word()?;
        match word {
            "language" => {
                ignored.push((word.into(), span));
                task.languages = words(parser)?;
            }
            "file" => task.files = strings(parser)?.into_iter().map(|import| import.path).collect(),
            "property-file" => task.property_files.extend(strings(parser)?),
            "query-file" => task.query_files.extend(strings(parser)?),
            _ => {
                ignored.push((word.into(), span));
                skip_value(parser)?;
            }
        }
    }
    Ok(task)
}

/// `: a, b-c`
fn words(parser: &mut Parser<'_, '_>) -> Parse<Vec<Box<str>>> {
    parser.expect(Token::Colon)?;
    parser.list(key)
}

/// `: "a", "b"`
fn strings(parser: &mut Parser<'_, '_>) -> Parse<Vec<Import>> {
    parser.expect(Token::Colon)?;
    parser.list(|parser| {
        let (path, span) = parser.string()?;
        Ok(Import { path: path.into(), span })
    })
}

/// `{ minimum-orchestrating-period : 5 ms … }`, or the same for instances by name
fn constraints(parser: &mut Parser<'_, '_>, span: Span, all: &mut Vec<Constraint>) -> Parse<()> {
    let mut whole = Constraint { instance: None, minimum: None, maximum: None, span };
    periods(parser, &mut whole, Some(all))?;
    if whole.minimum.is_some() || whole.maximum.is_some() {
        all.push(whole);
    }
    Ok(())
}

fn periods(
    parser: &mut Parser<'_, '_>,
    constraint: &mut Constraint,
    mut inner: Option<&mut Vec<Constraint>>,
) -> Parse<()> {
    parser.expect(Token::LeftBrace)?;
    while !parser.eat(Token::RightBrace) {
        let minimum = parser.hyphenated("minimum-orchestrating-period").is_some();
        let maximum = parser.hyphenated("maximum-orchestrating-period").is_some();
        if minimum || maximum {
            parser.hyphenated_word()?;
            parser.expect(Token::Colon)?;
            let time = parser.duration()?;
            *(if minimum { &mut constraint.minimum } else { &mut constraint.maximum }) = Some(time);
            continue;
        }
        let Some(all) = inner.as_deref_mut() else {
            return parser.unexpected("`minimum-orchestrating-period` or `maximum-orchestrating-period`");
        };
        let path = path(parser)?;
        let span = path[0].span;
        parser.expect(Token::Colon)?;
        // The whole component may be named by a word.
        let top = path.len() == 1 && parser.ast.text(path[0]) == "top";
        let mut one = Constraint { instance: (!top).then_some(path), minimum: None, maximum: None, span };
        periods(parser, &mut one, None)?;
        all.push(one);
    }
    Ok(())
}

/// `a -> b`
fn path(parser: &mut Parser<'_, '_>) -> Parse<Vec<Ident>> {
    let mut path = vec![parser.ident("an instance")?];
    while parser.eat(Token::Arrow) {
        path.push(parser.ident("an instance")?);
    }
    Ok(path)
}

fn coverage(parser: &mut Parser<'_, '_>, kind: CoverageKind, span: Span) -> Parse<Coverage> {
    let mut coverage = Coverage { kind, include: vec![], exclude: vec![], settings: vec![], span };
    if parser.token() != Token::LeftBrace {
        return Ok(coverage);
    }
    parser.bump();
    while !parser.eat(Token::RightBrace) {
        let (word, _) = parser.hyphenated_word()?;
        if word == "include" || word == "exclude" {
            parser.expect(Token::Colon)?;
            parser.expect(Token::LeftBracket)?;
            let list = parser.list_until(Token::RightBracket, path)?;
            let all = if word == "include" { &mut coverage.include } else { &mut coverage.exclude };
            all.extend(list);
        } else {
            let start = parser.span();
            skip_value(parser)?;
            let value = parser.text_between(start).trim_start_matches(':').trim();
            coverage.settings.push((word.into(), value.into()));
        }
    }
    Ok(coverage)
}

/// Skips what belongs to a key: everything up to the next key or the closing brace.
fn skip_value(parser: &mut Parser<'_, '_>) -> Parse<()> {
    parser.eat(Token::Colon);
    let mut first = true;
    loop {
        match parser.token() {
            Token::RightBrace | Token::End => return Ok(()),
            Token::LeftBrace => parser.skip_braced()?,
            Token::LeftBracket => parser.skip_until(Token::RightBracket),
            // The value itself may be a word, and so is the next key.
            Token::Word if !first && parser.starts_key() => return Ok(()),
            Token::Word => drop(parser.hyphenated_word()?),
            _ => drop(parser.bump()),
        }
        first = false;
    }
}
