//! Execution traces, `.get`: what is done in each step, and what holds after it.
//!
//! The first step resets the component; every later one lets time pass, raises events and runs one cycle. The steps of
//! a `cycle` repeat for ever. Old texts have no semicolons behind what is asserted, no word `state`, or a list
//! `states { a.S }`; they become the same tree. [`print()`] writes today's syntax.

use ir::{FileId, Span};

use super::ast::{
    Ast, Expr, ExprId, ExprKind, Ident, Import, LogicOp, Observed, ObservedKind, RefId, VariableId,
};
use super::lexer::Token;
use super::parser::{Parse, Parser};
use super::print::{Printer, escaped};
use crate::diagnostic::{Diagnostic, Diagnostics};

/// A trace as written.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The expressions that it holds.
    pub ast: Ast,
    /// The package of the component; in old traces its name.
    pub import: Option<Import>,
    /// Whether the trace is meant to fail: `@NegativeTest`.
    pub negative: bool,
    /// `@AllowedWaiting 0 .. 1`
    pub allowed_waiting: Option<(ExprId, ExprId)>,
    /// `@("text")`
    pub comments: Vec<Box<str>>,
    /// Its name.
    pub ident: Option<Ident>,
    /// The component that runs.
    pub component: Option<RefId>,
    /// Values of the parameters of that.
    pub arguments: Vec<ExprId>,
    /// Variables of the trace.
    pub variables: Vec<VariableId>,
    /// Its steps.
    pub steps: Vec<Step>,
    /// Steps that repeat for ever behind those.
    pub cycle: Vec<Step>,
}

/// A step of a trace.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// What is done, in order.
    pub acts: Vec<Act>,
    /// What holds then; the order does not matter.
    pub asserts: Vec<ExprId>,
    /// Its place.
    pub span: Span,
}

/// What is done in a step.
#[derive(Clone, PartialEq, Debug)]
pub struct Act {
    /// What it is.
    pub kind: ActKind,
    /// Its place.
    pub span: Span,
}

/// What an act is.
#[derive(Clone, PartialEq, Debug)]
pub enum ActKind {
    /// `reset`
    Reset,
    /// `raise port.event(arguments)`
    Raise {
        /// The port of the component.
        port: RefId,
        /// Its event.
        event: RefId,
        /// Values of the parameters.
        arguments: Vec<ExprId>,
    },
    /// `elapse 500`, in milliseconds
    Elapse(ExprId),
    /// `assign x := e`
    Assign(ExprId, ExprId),
    /// `schedule component`
    ScheduleComponent,
    /// `schedule a -> b`
    ScheduleInstance(Vec<Ident>),
}

/// Parses a trace.
pub fn parse(text: &str) -> (Trace, Vec<Diagnostic>) {
    let (mut ast, mut diagnostics) = (Ast::default(), Diagnostics::default());
    let mut parser = Parser::new(text, FileId::default(), &mut ast, &mut diagnostics);
    parser.observing = true;
    let mut trace = Trace::default();
    // The error is reported; steps go on by themselves.
    let _ = read(&mut parser, &mut trace);
    trace.ast = ast;
    (trace, diagnostics.finish())
}

fn read(parser: &mut Parser<'_, '_>, trace: &mut Trace) -> Parse<()> {
    trace.import = Some(parser.import()?);
    while parser.token() == Token::At {
        annotation(parser, trace)?;
    }
    parser.expect_word("trace")?;
    trace.ident = Some(parser.ident("the name of the trace")?);
    parser.expect_word("of")?;
    trace.component = Some(parser.reference("a component")?);
    trace.arguments = parser.arguments()?;
    while parser.is_word("var") || parser.token() == Token::At {
        trace.variables.push(parser.variable()?);
        parser.eat(Token::Semicolon);
    }
    while parser.is_word("step") {
        match step(parser) {
            Ok(step) => trace.steps.push(step),
            Err(_) => parser.skip_to_word(&["step", "cycle"]),
        }
    }
    if parser.is_word("cycle") {
        parser.bump();
        parser.expect(Token::LeftBrace)?;
        while parser.is_word("step") {
            match step(parser) {
                Ok(step) => trace.cycle.push(step),
                Err(_) => parser.skip_to_word(&["step"]),
            }
        }
        parser.expect(Token::RightBrace)?;
    }
    if parser.token() != Token::End {
        return parser.unexpected("`step` or the end of the trace");
    }
    Ok(())
}

fn annotation(parser: &mut Parser<'_, '_>, trace: &mut Trace) -> Parse<()> {
    parser.bump();
    if parser.eat_word("NegativeTest") {
        trace.negative = true;
    } else if parser.eat_word("AllowedWaiting") {
        let from = parser.expr()?;
        parser.expect(Token::Dots)?;
        trace.allowed_waiting = Some((from, parser.expr()?));
    } else {
        parser.expect(Token::LeftParen)?;
        trace.comments.push(parser.string()?.0.into());
        parser.expect(Token::RightParen)?;
    }
    Ok(())
}

fn step(parser: &mut Parser<'_, '_>) -> Parse<Step> {
    let start = parser.bump();
    parser.expect(Token::LeftBrace)?;
    let (mut acts, mut asserts) = (vec![], vec![]);
    if parser.eat_word("act") {
        parser.expect(Token::LeftBrace)?;
        while !parser.eat(Token::RightBrace) {
            acts.push(act(parser)?);
            parser.eat(Token::Semicolon);
        }
    }
    if parser.eat_word("assert") {
        parser.expect(Token::LeftBrace)?;
        while !parser.eat(Token::RightBrace) {
            assertion(parser, &mut asserts)?;
        }
    }
    parser.expect(Token::RightBrace)?;
    Ok(Step { acts, asserts, span: parser.from(start) })
}

fn act(parser: &mut Parser<'_, '_>) -> Parse<Act> {
    let start = parser.span();
    let kind = match parser.word() {
        "reset" => {
            parser.bump();
            ActKind::Reset
        }
        "raise" => {
            parser.bump();
            let port = parser.reference("a port")?;
            parser.expect(Token::Dot)?;
            let event = parser.reference("an event")?;
            ActKind::Raise { port, event, arguments: parser.arguments()? }
        }
        "elapse" => {
            parser.bump();
            ActKind::Elapse(parser.expr()?)
        }
        "assign" => {
            parser.bump();
            let target = parser.expr()?;
            parser.expect(Token::Assign)?;
            ActKind::Assign(target, parser.expr()?)
        }
        "schedule" => {
            parser.bump();
            if parser.eat_word("component") {
                ActKind::ScheduleComponent
            } else {
                let mut path = vec![parser.ident("`component` or an instance")?];
                while parser.eat(Token::Arrow) {
                    path.push(parser.ident("an instance")?);
                }
                ActKind::ScheduleInstance(path)
            }
        }
        _ => return parser.unexpected("`reset`, `raise`, `elapse`, `assign`, `schedule` or `}`"),
    };
    Ok(Act { kind, span: parser.from(start) })
}

/// One assertion with its semicolon, if it has one, or an old list of states.
fn assertion(parser: &mut Parser<'_, '_>, asserts: &mut Vec<ExprId>) -> Parse<()> {
    let listed = match parser.word() {
        "states" => Some(ObservedKind::State),
        "variables" => Some(ObservedKind::Variable),
        _ => None,
    };
    match listed.filter(|_| parser.peek(1) == Token::LeftBrace) {
        Some(kind) => {
            parser.bump();
            parser.bump();
            while !parser.eat(Token::RightBrace) {
                let expr = parser.expr()?;
                settle(parser.ast, expr, kind);
                asserts.push(expr);
                parser.eat(Token::Comma);
            }
        }
        None => {
            let expr = parser.expr()?;
            settle(parser.ast, expr, ObservedKind::State);
            asserts.push(expr);
        }
    }
    parser.eat(Token::Semicolon);
    Ok(())
}

/// What has no word before it in old texts is a state, or in a list of variables one of these.
fn settle(ast: &mut Ast, expr: ExprId, kind: ObservedKind) {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match &mut ast.exprs[expr].kind {
            ExprKind::Observed(observed) if observed.kind == ObservedKind::Element => observed.kind = kind,
            ExprKind::Not(inner) => open.push(*inner),
            ExprKind::Logic(_, list) => open.extend(list.iter()),
            ExprKind::Compare(_, left, _) => {
                let left = *left;
                if let ExprKind::Observed(observed) = &mut ast.exprs[left].kind
                    && observed.kind == ObservedKind::Element
                {
                    observed.kind = ObservedKind::Variable;
                }
            }
            _ => {}
        }
    }
}

/// A trace as text, in today's syntax.
pub fn print(trace: &Trace) -> String {
    let mut printer = Printer::new(&trace.ast);
    if let Some(import) = &trace.import {
        printer.line(&format!("import {}", Printer::quoted(&import.path)));
    }
    if trace.negative {
        printer.line("@NegativeTest");
    }
    if let Some((from, to)) = trace.allowed_waiting {
        let text = format!("@AllowedWaiting {} .. {}", printer.expr(from), printer.expr(to));
        printer.line(&text);
    }
    for comment in &trace.comments {
        printer.line(&format!("@({})", Printer::quoted(comment)));
    }
    let name = trace.ident.map_or_else(|| "Trace".to_owned(), |ident| printer.ident(ident));
    let component = trace.component.map_or_else(|| "Component".to_owned(), |used| printer.used(used));
    let arguments = printer.arguments(&trace.arguments);
    printer.line(&format!("trace {name} of {component}{arguments}"));
    for &variable in &trace.variables {
        let text = printer.variable(variable);
        printer.line(&text);
    }
    for step in &trace.steps {
        print_step(&mut printer, step);
    }
    if !trace.cycle.is_empty() {
        printer.braced("cycle", |printer| trace.cycle.iter().for_each(|step| print_step(printer, step)));
    }
    printer.out
}

fn print_step(printer: &mut Printer<'_>, step: &Step) {
    printer.braced("step", |printer| {
        if !step.acts.is_empty() {
            printer.braced("act", |printer| {
                for act in &step.acts {
                    let text = match &act.kind {
                        ActKind::Reset => "reset".to_owned(),
                        ActKind::Raise { port, event, arguments } => {
                            let arguments = printer.arguments(arguments);
                            format!("raise {}.{}{arguments}", printer.used(*port), printer.used(*event))
                        }
                        ActKind::Elapse(time) => format!("elapse {}", printer.expr(*time)),
                        ActKind::Assign(target, value) => {
                            format!("assign {} := {}", printer.expr(*target), printer.expr(*value))
                        }
                        ActKind::ScheduleComponent => "schedule component".to_owned(),
                        ActKind::ScheduleInstance(path) => {
                            let path: Vec<String> = path.iter().map(|ident| printer.ident(*ident)).collect();
                            format!("schedule {}", path.join(" -> "))
                        }
                    };
                    printer.line(&text);
                }
            });
        }
        printer.braced("assert", |printer| {
            for &assert in &step.asserts {
                let text = printer.expr(assert) + ";";
                printer.line(&text);
            }
        });
    });
}

/// Builds traces, for whoever has a run and wants it written.
impl Trace {
    /// `state instances.region.State`, to be asserted; paths are as they are written or flattened.
    pub fn state(&mut self, instances: &[&str], region: &str, state: &str) -> ExprId {
        self.observed(ObservedKind::State, instances, &[region, state], vec![])
    }
    /// `raise port.event(arguments)`, to be asserted.
    pub fn raised(&mut self, port: &str, event: &str, arguments: Vec<ExprId>) -> ExprId {
        self.observed(ObservedKind::Raise, &[port], &[event], arguments)
    }
    /// `variable instances.name`, to be compared with a value.
    pub fn variable(&mut self, instances: &[&str], name: &str) -> ExprId {
        self.observed(ObservedKind::Variable, instances, &[name], vec![])
    }
    fn observed(
        &mut self,
        kind: ObservedKind,
        instances: &[&str],
        rest: &[&str],
        arguments: Vec<ExprId>,
    ) -> ExprId {
        let mut idents = |list: &[&str]| -> Vec<Ident> {
            list.iter().map(|name| self.ast.ident(name, Span::default())).collect()
        };
        let (instances, rest) = (idents(instances), idents(rest));
        let observed = Observed { kind, instances, rest, parameter: None, arguments };
        self.expr(ExprKind::Observed(observed))
    }
    /// An expression of the trace.
    pub fn expr(&mut self, kind: ExprKind) -> ExprId {
        self.ast.exprs.push(Expr { kind, span: Span::default() })
    }
    /// What does not hold.
    pub fn not(&mut self, expr: ExprId) -> ExprId {
        self.expr(ExprKind::Not(expr))
    }
    /// All of these hold.
    pub fn all(&mut self, list: Vec<ExprId>) -> ExprId {
        self.expr(ExprKind::Logic(LogicOp::And, list))
    }
}

/// A name as traces write it.
pub fn name(text: &str) -> String {
    escaped(text)
}
