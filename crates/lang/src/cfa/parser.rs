//! From text to syntax tree: variables, processes, locations, edges and statements.
//!
//! What cannot be read is reported and skipped up to the next statement, location or edge, so that all mistakes come at
//! once; a file with one is no model.

use super::ast::*;
use crate::code::Code;
use crate::diagnostic::Diagnostics;
use crate::theta::{Dialect, Parse, Parser, Token};

/// Reads a file.
pub(crate) fn file(source: &str, diagnostics: &mut Diagnostics) -> File {
    let mut parser = Parser::new(source, 0..source.len(), Dialect::Cfa, diagnostics);
    let mut file = File::default();
    while parser.token() != Token::End {
        let read = if parser.eat_word("var") {
            parser.decl().map(|decl| file.globals.push(decl))
        } else if parser.is_word("main") || parser.is_word("process") {
            process(&mut parser).map(|process| file.processes.push(process))
        } else {
            parser.expected("`var`, `process` or `main process`")
        };
        if read.is_err() {
            while parser.token() != Token::End
                && !["var", "main", "process"].iter().any(|word| parser.is_word(word))
            {
                parser.bump();
            }
        }
    }
    file.tree = std::mem::take(&mut parser.tree);
    file
}

fn process(parser: &mut Parser<'_, '_>) -> Parse<Process> {
    let main = parser.eat_word("main");
    parser.expect_word("process")?;
    let ident = parser.ident("the name of the process")?;
    parser.params()?;
    parser.expect("{")?;
    let mut process = Process { main, ident, vars: vec![], locations: vec![], edges: vec![] };
    while !parser.eat("}") {
        if part(parser, &mut process).is_err() {
            skip(parser);
        }
        if parser.token() == Token::End {
            return parser.expected("`}` at the end of the process");
        }
    }
    Ok(process)
}

fn part(parser: &mut Parser<'_, '_>, process: &mut Process) -> Parse<()> {
    let kinds = [("init", LocKind::Init), ("final", LocKind::Final), ("error", LocKind::Error)];
    if parser.eat_word("var") {
        process.vars.push(parser.decl()?);
        return Ok(());
    }
    let kind = kinds.into_iter().find(|(word, _)| parser.is_word(word));
    if kind.is_some() {
        parser.bump();
    }
    if kind.is_some() || parser.is_word("loc") {
        parser.expect_word("loc")?;
        let ident = parser.ident("the name of the location")?;
        process.locations.push(Loc { kind: kind.map_or(LocKind::Plain, |(_, kind)| kind), ident });
        return Ok(());
    }
    if parser.token() != Token::Word {
        return parser.expected("a variable, a location, an edge or `}`");
    }
    edge(parser, process)
}

fn edge(parser: &mut Parser<'_, '_>, process: &mut Process) -> Parse<()> {
    let start = parser.span();
    let source = parser.ident("the location where the edge starts")?;
    parser.expect("->")?;
    let target = parser.ident("the location where the edge ends")?;
    let mut stmts = vec![];
    if parser.eat("{") {
        while !parser.eat("}") {
            match stmt(parser) {
                Ok(stmt) => stmts.push(stmt),
                Err(_) => skip_stmt(parser),
            }
            if parser.token() == Token::End {
                return parser.expected("`}` at the end of the edge");
            }
        }
    }
    let span = parser.from(start);
    process.edges.push(Edge { source, target, stmts, span });
    Ok(())
}

fn stmt(parser: &mut Parser<'_, '_>) -> Parse<Stmt> {
    if parser.eat_word("havoc") {
        return Ok(Stmt::Havoc(parser.ident("a variable")?));
    }
    if parser.eat_word("assume") {
        return Ok(Stmt::Assume(parser.expr()?));
    }
    if parser.is_word("return") {
        let place = parser.span();
        parser.bump();
        parser.expr()?;
        let message = "`return` has no meaning in the main process, which nobody calls; remove it";
        parser.report(Code::UnsupportedStatement, place, message);
        return Err(crate::theta::Failed);
    }
    if parser.token() != Token::Word {
        return parser.expected("a statement: `x := e`, `havoc x` or `assume e`");
    }
    let ident = parser.ident("a statement: `x := e`, `havoc x` or `assume e`")?;
    parser.expect(":=")?;
    Ok(Stmt::Assign(ident, parser.expr()?))
}

/// Skips to what may be the next statement.
fn skip_stmt(parser: &mut Parser<'_, '_>) {
    loop {
        let begins = match parser.token() {
            Token::End | Token::Mark("}") => true,
            Token::Word => {
                parser.is_word("havoc") || parser.is_word("assume") || parser.next() == Token::Mark(":=")
            }
            _ => false,
        };
        if begins {
            return;
        }
        parser.bump();
    }
}

/// Skips to what may be the next part of a process.
fn skip(parser: &mut Parser<'_, '_>) {
    loop {
        let begins = match parser.token() {
            Token::End | Token::Mark("}") => true,
            Token::Word => {
                ["var", "loc", "init", "final", "error"].iter().any(|word| parser.is_word(word))
                    || parser.next() == Token::Mark("->")
            }
            _ => false,
        };
        if begins {
            return;
        }
        parser.bump();
    }
}
