//! From text to syntax tree.
//!
//! What cannot be read is reported and skipped up to the next word that begins something.

use super::ast::*;
use crate::diagnostic::Diagnostics;
use crate::theta::{Dialect, Parse, Parser, Token};

/// Reads a specification.
pub(crate) fn specification(source: &str, diagnostics: &mut Diagnostics) -> Specification {
    let mut parser = Parser::new(source, 0..source.len(), Dialect::Sts, diagnostics);
    let mut spec = Specification::default();
    if whole(&mut parser, &mut spec).is_ok() && parser.token() != Token::End {
        let _ = parser.expected::<()>("the end of the text");
    }
    spec.tree = std::mem::take(&mut parser.tree);
    spec
}

fn whole(parser: &mut Parser<'_, '_>, spec: &mut Specification) -> Parse<()> {
    parser.expect_word("specification")?;
    parser.ident("the name of the specification")?;
    spec.params = parser.params()?;
    parser.expect("{")?;
    while !parser.eat("}") {
        if part(parser, spec).is_err() {
            skip(parser, &["const", "var", "system", "property"]);
        }
        if parser.token() == Token::End {
            return parser.expected("`}` at the end of the specification");
        }
    }
    Ok(())
}

fn part(parser: &mut Parser<'_, '_>, spec: &mut Specification) -> Parse<()> {
    if parser.eat_word("const") {
        spec.consts.push(constant(parser)?);
    } else if parser.eat_word("var") {
        spec.vars.push(variable(parser, &mut spec.ignored)?);
    } else if parser.eat_word("system") {
        let ident = parser.ident("the name of the system")?;
        let params = parser.params()?;
        parser.expect(":=")?;
        let sts = sts(parser, &mut spec.ignored)?;
        spec.systems.push(SystemDecl { ident, params, sts });
    } else if parser.eat_word("property") {
        let ident = parser.ident("the name of the property")?;
        parser.expect(":")?;
        let sts = sts(parser, &mut spec.ignored)?;
        parser.expect_word("models")?;
        parser.expect_word("G")?;
        parser.expect("(")?;
        let claim = parser.expr()?;
        parser.expect(")")?;
        spec.properties.push(Property { ident, sts, claim });
    } else {
        return parser.expected("`const`, `var`, `system`, `property` or `}`");
    }
    Ok(())
}

fn constant(parser: &mut Parser<'_, '_>) -> Parse<Const> {
    let decl = parser.decl()?;
    let value = if parser.eat(":=") { Some(parser.expr()?) } else { None };
    Ok(Const { decl, value })
}

fn variable(parser: &mut Parser<'_, '_>, ignored: &mut Vec<ir::Span>) -> Parse<crate::theta::ast::Decl> {
    let decl = parser.decl()?;
    let start = parser.span();
    if parser.eat(":=") {
        parser.expr()?;
        ignored.push(parser.from(start));
    }
    Ok(decl)
}

fn sts(parser: &mut Parser<'_, '_>, ignored: &mut Vec<ir::Span>) -> Parse<Sts> {
    if !parser.eat("{") {
        let ident = parser.ident("a system: `{` or the name of one")?;
        let mut arguments = vec![];
        if parser.eat("(") && !parser.eat(")") {
            loop {
                arguments.push(parser.expr()?);
                if !parser.eat(",") {
                    break;
                }
            }
            parser.expect(")")?;
        }
        return Ok(Sts::Named(ident, arguments));
    }
    let mut body = Body::default();
    while !parser.eat("}") {
        let read = if parser.eat_word("const") {
            constant(parser).map(|constant| body.consts.push(constant))
        } else if parser.eat_word("var") {
            variable(parser, ignored).map(|variable| body.vars.push(variable))
        } else if parser.eat_word("invariant") {
            parser.expr().map(|expr| body.invariants.push(expr))
        } else if parser.eat_word("initial") {
            parser.expr().map(|expr| body.initial.push(expr))
        } else if parser.eat_word("transition") {
            parser.expr().map(|expr| body.transitions.push(expr))
        } else {
            parser.expected("`var`, `const`, `invariant`, `initial`, `transition` or `}`")
        };
        if read.is_err() {
            skip(parser, &["const", "var", "invariant", "initial", "transition"]);
        }
        if parser.token() == Token::End {
            return parser.expected("`}` at the end of the system");
        }
    }
    Ok(Sts::Body(body))
}

/// Skips to one of these words, or to the end of what is around.
fn skip(parser: &mut Parser<'_, '_>, words: &[&str]) {
    while !matches!(parser.token(), Token::End | Token::Mark("}"))
        && !words.iter().any(|word| parser.is_word(word))
    {
        parser.bump();
    }
}
