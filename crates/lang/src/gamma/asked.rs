//! What is asked about: a component with values of its parameters, and how time passes.
//!
//! A command names a component of the file, as a task does, `Name(1, true)`; without a name it is the last one that is
//! part of no other. Values become part of the tree as those of an instance do ([`Asked`]), so that they are resolved
//! and checked like them.

use ir::{FileId, Id, Span};

use super::ast::*;
use super::lexer::Token;
use super::lower::{Period, Settings};
use super::parser::Parser;
use super::project::{Def, Project};
use super::{finish, import};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::front_end::{Files, Invariants, Reading};

/// Reads a package with what it imports, for this reading.
///
/// # Errors
/// Everything that is wrong with it.
pub(super) fn project(
    text: &str,
    files: &mut dyn Files,
    reading: &Reading,
) -> Result<Project, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let (mut ast, imports) = import::project(text, files, &mut diagnostics);
    if let (Some(name), false) = (&reading.component, reading.arguments.is_empty()) {
        ask(&mut ast, name, &reading.arguments, &mut diagnostics);
    }
    finish(ast, &imports, diagnostics)
}

/// Adds values of the parameters of a component that is called so, if there is one.
fn ask(ast: &mut Ast, name: &str, arguments: &[String], diagnostics: &mut Diagnostics) {
    let Some(wanted) = ast.names.get(name) else { return };
    let has = |package: &Package| {
        package.items.iter().any(|item| match item {
            Item::Component(id) => ast.components[*id].ident.name == wanted,
            _ => false,
        })
    };
    let Some((package, _)) = ast.packages.entries().find(|(_, package)| has(package)) else { return };
    let (exprs, refs) = (ast.exprs.len(), ast.refs.len());
    let mut values = vec![];
    for text in arguments {
        let mut said = Diagnostics::default();
        let mut parser = Parser::new(text, FileId::default(), ast, &mut said);
        let list = parser.list_until(Token::End, Parser::expr);
        values.extend(list.unwrap_or_default());
        for error in said.finish() {
            let message = format!("in the values of the parameters of `{name}`, `{text}`: {}", error.message);
            diagnostics.push(Diagnostic::error(error.code, Span::default(), message));
        }
    }
    // They are in no file.
    for at in exprs..ast.exprs.len() {
        ast.exprs[ExprId::at(at)].span = Span::default();
    }
    for at in refs..ast.refs.len() {
        ast.refs[RefId::at(at)].span = Span::default();
    }
    let component = ast.refer(name, Span::default());
    let ident = ast.ident(name, Span::default());
    let instance = ast.instances.push(Instance { ident, component, arguments: values });
    ast.asked = Some(Asked { package, instance, period: None });
}

/// The component that is meant, and how.
///
/// # Errors
/// That there is none, or what is wrong with its period.
pub(super) fn settled(project: &Project, reading: &Reading) -> Result<(ComponentId, Settings), Diagnostic> {
    let mut settings = Settings {
        period: reading.period,
        cycle_within: reading.cycle_within,
        check_invariants: reading.invariants == Invariants::Checked,
        arguments: vec![],
    };
    let Some(asked) = &project.ast.asked else { return Ok((component(project, reading)?, settings)) };
    let instance = &project.ast.instances[asked.instance];
    let Some(Def::Component(component)) = project.def(instance.component) else {
        unreachable!("a project without errors knows what is asked about");
    };
    settings.arguments.clone_from(&instance.arguments);
    if let (None, Some(times)) = (settings.period, &asked.period) {
        settings.period = Some(period(project, times)?);
    }
    Ok((component, settings))
}

fn component(project: &Project, reading: &Reading) -> Result<ComponentId, Diagnostic> {
    let ast = &project.ast;
    if let Some(wanted) = &reading.component {
        let named =
            ast.components.entries().find(|(_, component)| ast.text(component.ident) == wanted.as_str());
        return named.map(|(id, _)| id).ok_or_else(|| {
            let names = ast.components.iter().map(|component| ast.text(component.ident));
            let near = crate::nearest::nearest(wanted, names);
            Diagnostic::unknown(Span::default(), "component", wanted, near)
        });
    }
    project.outermost().last().copied().ok_or_else(|| {
        let message =
            "there is no component in this file; check one that imports it, or one with a statechart";
        Diagnostic::error(Code::MissingPart, Span::default(), message)
    })
}

/// How much time passes, where that is written as constant expressions.
fn period(project: &Project, times: &[Duration; 2]) -> Result<Period, Diagnostic> {
    let [least, most] = times.map(|time| {
        let span = project.ast.exprs[time.value].span;
        let value = project.integer_value(time.value).and_then(|value| value.to_i64());
        let Some(value) = value else {
            let message = "a period is a number that is known before the model runs";
            return Err(Diagnostic::error(Code::NotConstant, span, message));
        };
        let milliseconds = u64::try_from(value).ok();
        milliseconds.and_then(|value| value.checked_mul(time.unit.milliseconds().into())).ok_or_else(|| {
            Diagnostic::error(Code::OutOfRange, span, "this is no time; write one of 0 or more")
        })
    });
    let (least, most) = (least?, most?);
    if least > most {
        let span = project.ast.exprs[times[0].value].span;
        let message = "the minimum is greater than the maximum";
        return Err(Diagnostic::error(Code::OutOfRange, span, message));
    }
    Ok(Period { least, most })
}
