//! Calls: functions are inlined, and some are known by what they are called.
//!
//! `reach_error` and its like do not return, whatever their body says; `__VERIFIER_nondet_int` and its like return anything;
//! what prints does nothing. A function without a body that is none of these is refused.

use ir::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::*;
use super::code::{Instr, ValueId, ValueNode};
use super::elaborate::{Elaborator, Frame, Purpose, Scope, Symbol};
use super::types::{Takes, Ty, TyId};
use crate::code::Code as Cause;
use crate::diagnostic::Diagnostic;

/// Calls of these are what `unreach-call` is about.
pub(super) const ERRORS: [&str; 3] = ["reach_error", "__VERIFIER_error", "__assert_fail"];
/// Where an assertion fails.
pub(super) const ASSERTION: &str = "assert";
/// These end the program.
const ENDS: [&str; 4] = ["abort", "exit", "_Exit", "_exit"];
/// These do nothing that a program could see.
const SILENT: [&str; 6] = ["printf", "puts", "putchar", "fflush", "fprintf", "perror"];

impl<'a> Elaborator<'a> {
    /// A call; its value, unless it returns nothing.
    pub fn call(&mut self, callee: &Expr, arguments: &[Expr], span: Span) -> Option<Option<ValueId>> {
        let mut callee = callee;
        while let ExprKind::Unary(Unary::Deref | Unary::Address, inner) = &callee.kind {
            callee = inner;
        }
        let ExprKind::Name(name) = &callee.kind else {
            return self.unsupported(Cause::UnsupportedPart, span, "a call through a pointer");
        };
        match self.symbol(name) {
            Some(Symbol::Function) | None => {}
            Some(_) => return self.unsupported(Cause::UnsupportedPart, span, "a call through a pointer"),
        }
        let body = self.functions.get(&**name).copied();
        if ERRORS.contains(&&**name) {
            let stop = self.stop_point(name);
            self.jump(stop);
            return Some(self.nothing(name, span));
        }
        match body {
            Some(number) => self.inline(number, arguments, span),
            None => self.library(name, arguments, span),
        }
    }
    /// The value of a call that never returns, for expressions that go on regardless.
    fn nothing(&mut self, name: &str, span: Span) -> Option<ValueId> {
        let ty = self.result_type(name)?;
        self.types.as_int(ty)?;
        Some(self.code.value(ValueNode::Int(0), ty, span))
    }
    fn result_type(&self, name: &str) -> Option<TyId> {
        match self.types.get(*self.prototypes.get(name)?) {
            Ty::Function(result, ..) => Some(*result),
            _ => None,
        }
    }
    fn inline(&mut self, number: usize, arguments: &[Expr], span: Span) -> Option<Option<ValueId>> {
        let unit: &'a Unit = self.unit;
        let function = &unit.functions[number];
        let name = &function.name.text;
        let &Ty::Function(result, ref params, takes) = self.types.get(*self.prototypes.get(name)?) else {
            return None;
        };
        let params = params.clone();
        if takes == Takes::More {
            return self.unsupported(
                Cause::UnsupportedPart,
                span,
                &format!("`{name}`, which takes any number of arguments,"),
            );
        }
        if self.frames.iter().any(|frame| frame.function == number) {
            let what = format!("`{name}`, which calls itself,");
            return self.unsupported(Cause::UnsupportedRecursion, span, &what);
        }
        let returns = !matches!(self.types.get(result), Ty::Void);
        let out = match returns {
            true => {
                let object = self.hidden(result, span, Purpose::Result, format!("{name}()"));
                Some(self.whole(object, span))
            }
            false => None,
        };
        if self.here.is_none() {
            // Only the type is asked for, or nobody comes here.
            return Some(out.map(|out| self.loaded(out)));
        }
        let names = self.parameters(function, &params);
        if names.len() != arguments.len() {
            let message =
                format!("`{name}` takes {} arguments, and here are {}", names.len(), arguments.len());
            return self.fail(Cause::WrongCount, span, message);
        }
        let start = self.log.len();
        let mut values = vec![];
        for argument in arguments {
            let from = self.log.len();
            let value = self.value(argument);
            self.unordered(start..from, from..self.log.len(), span);
            values.push(value);
        }
        let values: Option<Vec<ValueId>> = values.into_iter().collect();
        let values = values?;
        self.sequence(start);
        let before = self.log.len();
        self.enter(number, names, values, out, span)?;
        self.summarise(before);
        Some(out.map(|out| self.loaded(out)))
    }
    /// Names and types of parameters.
    fn parameters(&mut self, function: &'a Function, types: &[TyId]) -> Vec<(Option<&'a Name>, TyId)> {
        match function.derived.iter().rev().find(|part| !matches!(part, Derived::Pointer)) {
            Some(Derived::Function(params, _)) => {
                params.iter().map(|param| param.name.as_ref()).zip(types.iter().copied()).collect()
            }
            Some(Derived::OldFunction(names)) => {
                let mut list = vec![];
                for name in names {
                    let mut ty = self.types.int(IntWord::Int);
                    for declaration in &function.old_style {
                        for declarator in &declaration.declarators {
                            if declarator.name.as_ref().is_some_and(|known| known.text == name.text) {
                                let base = self.base(&declaration.base);
                                let derived = self.derive(base, &declarator.derived);
                                ty = self.adjusted(derived);
                            }
                        }
                    }
                    list.push((Some(name), ty));
                }
                list
            }
            _ => vec![],
        }
    }
    /// Goes through the body of a function.
    fn enter(
        &mut self,
        number: usize,
        names: Vec<(Option<&'a Name>, TyId)>,
        values: Vec<ValueId>,
        result: Option<super::code::PlaceId>,
        span: Span,
    ) -> Option<()> {
        let unit: &'a Unit = self.unit;
        let function = &unit.functions[number];
        let exit = self.new_point();
        let scopes = self.scopes.split_off(1);
        self.scopes.push(Scope::default());
        let mut targets = FxHashSet::default();
        labels(&function.body, &mut targets);
        self.frames.push(Frame {
            function: number,
            exit,
            result,
            labels: FxHashMap::default(),
            targets,
            breaks: vec![],
            continues: vec![],
            switches: vec![],
        });
        let mut fine = Some(());
        for ((name, ty), value) in names.into_iter().zip(values) {
            let Some(name) = name else { continue };
            let object = self.local(name, ty, false);
            self.bind(&name.text, Symbol::Object(object));
            let place = self.whole(object, name.span);
            if self.store(place, value, span).is_none() {
                fine = None;
            }
        }
        let entry = self.new_point();
        self.code.points[entry].enters = Some(number);
        self.jump(entry);
        self.go_on(entry);
        self.statement(&function.body);
        // Behind the last statement, a function that returns a value returns anything.
        if let Some(result) = result
            && self.here.is_some()
        {
            let main = function.name.text == "main";
            let value = self.number(0, IntWord::Int, span);
            match main {
                true => drop(self.store(result, value, span)),
                false => {
                    if let super::code::Base::Object(object) = self.code.places[result].base {
                        self.emit(Instr::Undefine(object));
                    }
                }
            }
        }
        self.jump(exit);
        self.frames.pop();
        self.scopes.truncate(1);
        self.scopes.extend(scopes);
        self.go_on(exit);
        fine
    }
    /// The program from its beginning to its end.
    pub fn run(&mut self) -> Option<()> {
        let Some(number) = self.functions.get("main").copied() else {
            let message = "the program has no function `main`, where it would begin";
            return self.fail(Cause::MissingPart, Span::default(), message);
        };
        let unit: &'a Unit = self.unit;
        let function = &unit.functions[number];
        let start = self.new_point();
        self.code.entry = Some(start);
        self.code.points[start].enters = Some(number);
        self.code.points[start].function = number;
        let end = self.end_point();
        self.go_on(start);
        let Ty::Function(_, params, _) = self.types.get(*self.prototypes.get("main")?) else {
            return None;
        };
        let params = params.clone();
        let names = self.parameters(function, &params);
        let exit = self.new_point();
        self.scopes.push(Scope::default());
        let mut targets = FxHashSet::default();
        labels(&function.body, &mut targets);
        self.frames.push(Frame {
            function: number,
            exit,
            result: None,
            labels: FxHashMap::default(),
            targets,
            breaks: vec![],
            continues: vec![],
            switches: vec![],
        });
        for (name, ty) in names {
            let Some(name) = name else { continue };
            let object = self.local(name, ty, false);
            self.bind(&name.text, Symbol::Object(object));
            self.emit(Instr::Undefine(object));
        }
        self.statement(&function.body);
        self.jump(exit);
        self.frames.pop();
        self.go_on(exit);
        self.jump(end);
        Some(())
    }
    /// A function that the program does not define.
    fn library(&mut self, name: &str, arguments: &[Expr], span: Span) -> Option<Option<ValueId>> {
        if let Some(kind) = name.strip_prefix("__VERIFIER_nondet_") {
            let ty = match self.result_type(name).or_else(|| self.nondet_type(kind)) {
                Some(ty) if self.types.as_int(ty).is_some() => ty,
                _ => {
                    let what = format!("`{name}`, which returns no integer,");
                    return self.unsupported(Cause::UnsupportedExternalFunction, span, &what);
                }
            };
            return Some(Some(self.nondet(ty, span)));
        }
        match name {
            "__VERIFIER_assume" | "__builtin_assume" => {
                let [condition] = arguments else {
                    return self.fail(Cause::WrongCount, span, format!("`{name}` takes one argument"));
                };
                let value = self.value(condition)?;
                let value = self.scalar(value)?;
                self.emit(Instr::Assume(value, true));
                Some(None)
            }
            ASSERTION => {
                let [condition] = arguments else {
                    return self.fail(Cause::WrongCount, span, "`assert` takes one argument");
                };
                let (fine, stop) = (self.new_point(), self.stop_point(ASSERTION));
                self.branch(condition, fine, stop)?;
                self.go_on(fine);
                Some(None)
            }
            "__builtin_expect" => match arguments {
                [value, _] => self.value(value).map(Some),
                _ => self.fail(Cause::WrongCount, span, "`__builtin_expect` takes two arguments"),
            },
            "__builtin_unreachable" => {
                let never = self.number(0, IntWord::Int, span);
                self.emit(Instr::Demand(never, ir::FaultKind::Undefined, span));
                let end = self.end_point();
                self.jump(end);
                Some(None)
            }
            _ if ENDS.contains(&name) => {
                for argument in arguments {
                    self.effect(argument);
                }
                let end = self.end_point();
                self.jump(end);
                Some(None)
            }
            _ if SILENT.contains(&name) => {
                let start = self.log.len();
                for argument in arguments {
                    let from = self.log.len();
                    if !matches!(argument.kind, ExprKind::Text(_)) {
                        self.effect(argument);
                    }
                    self.unordered(start..from, from..self.log.len(), span);
                }
                let int = self.int_type();
                Some(Some(self.nondet(int, span)))
            }
            _ => {
                let message = format!("function `{name}` is called and has no body");
                let refusal = Diagnostic::error(Cause::UnsupportedExternalFunction, span, message)
                    .about(name)
                    .help("write one that returns what it may return, with `__VERIFIER_nondet_int()` for any value");
                self.report(refusal);
                None
            }
        }
    }
    fn nondet_type(&mut self, kind: &str) -> Option<TyId> {
        let word = match kind {
            "bool" | "_Bool" => IntWord::Bool,
            "char" => IntWord::Char,
            "uchar" | "unsigned_char" | "u8" => IntWord::UnsignedChar,
            "short" => IntWord::Short,
            "ushort" | "u16" => IntWord::UnsignedShort,
            "int" => IntWord::Int,
            "uint" | "unsigned" | "unsigned_int" | "u32" => IntWord::UnsignedInt,
            "long" => IntWord::Long,
            "ulong" => IntWord::UnsignedLong,
            "longlong" => IntWord::LongLong,
            "ulonglong" => IntWord::UnsignedLongLong,
            "size_t" => self.types.model.size_type(),
            _ => return None,
        };
        Some(self.types.int(word))
    }
}

/// The labels that some `goto` names.
fn labels<'a>(stmt: &'a Stmt, out: &mut FxHashSet<&'a str>) {
    let mut inside = |stmt: &'a Stmt| ir::deep(|| labels(stmt, out));
    match &stmt.kind {
        StmtKind::Goto(name) => {
            out.insert(&name.text);
        }
        StmtKind::Labelled(_, body)
        | StmtKind::Case(_, _, body)
        | StmtKind::Default(body)
        | StmtKind::Switch(_, body)
        | StmtKind::While(_, body)
        | StmtKind::Do(body, _)
        | StmtKind::For(_, _, _, body) => inside(body),
        StmtKind::If(_, then, other) => {
            inside(then);
            if let Some(other) = other {
                inside(other);
            }
        }
        StmtKind::Block(items) => {
            for item in items {
                if let BlockItem::Stmt(stmt) = item {
                    inside(stmt);
                }
            }
        }
        StmtKind::Expr(_)
        | StmtKind::Continue
        | StmtKind::Break
        | StmtKind::Return(_)
        | StmtKind::Unsupported(_) => {}
    }
}
