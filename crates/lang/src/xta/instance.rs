//! The processes of the system line: templates with their parameters bound.
//!
//! A template or a partial instance that is named without arguments stands for one process for each
//! combination of values of its parameters, which must then be bounded integers.

use ir::{Int, Span, Value};

use crate::code::Code as Cause;
use crate::diagnostic::Diagnostic;
use crate::xta::ast::*;
use crate::xta::constant::Tree;
use crate::xta::effects::written_by_template;
use crate::xta::elaborate::{Elaborator, ProcessInfo, WIDEST};
use crate::xta::expr::{Operand, Val};
use crate::xta::scope::{Point, Symbol};
use crate::xta::types::*;

/// A process to be made.
pub(crate) struct Instantiated {
    pub(crate) name: String,
    pub(crate) template: TemplateId,
    /// Integer arguments.
    pub(crate) family: Vec<Int>,
}

impl Elaborator {
    /// Makes the processes of the system line, in order.
    pub(crate) fn instantiate(&mut self) {
        let ast = self.ast.clone();
        let Some(line) = &ast.system else {
            let message = "the model has no `system` line, which lists its processes";
            return self.error(Cause::MissingPart, Span::default(), message);
        };
        let mut seen: Vec<Ident> = vec![];
        for (ident, level) in line.processes.iter().zip(&line.levels) {
            if let Some(first) = seen.iter().find(|first| first.name == ident.name) {
                let message = format!("`{}` is listed twice", self.text(ident.name));
                let first = first.span;
                self.report(
                    Diagnostic::error(Cause::RepeatedPart, ident.span, message)
                        .note(first, "the first one is here"),
                );
                continue;
            }
            seen.push(*ident);
            // A chart in place of a process is no mistake.
            self.lacks_processes |= self.family(*ident).is_none() && !self.diagnostics.is_empty();
            self.give_level(*level);
        }
        let made = ast.decls.iter().filter_map(|decl| match decl {
            Decl::Instance(instance) => Some(instance.template),
            _ => None,
        });
        let mut named = line.processes.iter().copied().chain(made);
        let unclear = |ident: Ident| match self.lookup(ident.name) {
            None => true,
            Some(Symbol::Broken) => !self.diagnostics.is_empty(),
            Some(_) => false,
        };
        if named.any(unclear) {
            self.check_unused(&ast, &seen);
        }
    }
    /// Where it is not known of what processes are made, templates that may be meant are checked all the same.
    fn check_unused(&mut self, ast: &Ast, listed: &[Ident]) {
        for (at, decl) in ast.decls.iter().enumerate() {
            let Decl::Instance(instance) = decl else { continue };
            let Some(Symbol::Instance(found, point)) = self.lookup(instance.ident.name).cloned() else {
                continue;
            };
            if found == at && listed.iter().all(|ident| ident.name != instance.ident.name) {
                self.within(point, |cx| {
                    cx.source(ast, at);
                    cx.check_args(instance);
                });
            }
        }
        for (id, Template { ident, .. }) in ast.templates.entries() {
            let used = self.processes.iter().any(|process| process.template == id);
            let Some(Symbol::Template(found, point)) = self.lookup(ident.name).cloned() else { continue };
            if !used && found == id {
                self.check_template(id, point);
            }
        }
    }
    /// Checks the arguments of an instance whose own arguments are not known.
    fn check_args(&mut self, instance: &Instance) {
        self.param_types(&instance.params);
        instance.params.iter().for_each(|param| self.declare(param.var.ident, Symbol::Broken));
        instance.args.iter().for_each(|arg| drop(self.pure(|cx| cx.operand(*arg))));
    }
    /// Checks a template whose arguments are not known.
    fn check_template(&mut self, id: TemplateId, point: Point) {
        let ast = self.ast.clone();
        let Template { ident, params, .. } = &ast.templates[id];
        let (name, first_var) = (self.text(ident.name).to_owned(), self.system.vars.len());
        self.within(point, |cx| {
            cx.param_types(params);
            params.iter().for_each(|param| cx.declare(param.var.ident, Symbol::Broken));
            cx.made(Instantiated { name, template: id, family: vec![] }, first_var);
        });
    }
    /// The processes one name of the system line stands for; nothing if some of them cannot be made.
    fn family(&mut self, ident: Ident) -> Option<()> {
        let ast = self.ast.clone();
        let symbol = match self.lookup(ident.name) {
            Some(symbol @ (Symbol::Template(..) | Symbol::Instance(..))) => symbol.clone(),
            Some(Symbol::Broken) => return None,
            Some(_) => {
                return self.fail(
                    Cause::WrongKind,
                    ident.span,
                    format!("`{}` is no process", self.text(ident.name)),
                );
            }
            None => return self.unknown("process", ident.name, ident.span),
        };
        let (params, point) = opened(&ast, &symbol)?;
        let Some(types) = self.within(point, |cx| cx.param_types(params)) else {
            // What else is wrong with the template is told all the same.
            if let Symbol::Template(id, point) = symbol {
                self.check_template(id, point);
            }
            return None;
        };
        let mut domains = vec![];
        let mut total: u64 = 1;
        for (param, ty) in params.iter().zip(types) {
            let name = self.text(param.var.ident.name).to_owned();
            if param.by_reference || !ty.is_scalar() || ty == Ty::Int(INT) {
                let message = format!(
                    "`{}` needs arguments: its parameter `{name}` is no bounded integer",
                    self.text(ident.name)
                );
                let diagnostic = Diagnostic::error(Cause::WrongCount, ident.span, message);
                self.report(diagnostic.note(param.var.ident.span, "the parameter is here"));
                return None;
            }
            let bounds = self.finite(&ty, ident.span)?;
            total = total.saturating_mul(count(bounds));
            domains.push((ty, bounds));
        }
        if total == 0 {
            return Some(());
        }
        if total > WIDEST {
            return self.fail(
                Cause::TooLarge,
                ident.span,
                format!("this stands for {total} processes; too many"),
            );
        }
        let mut values: Vec<i64> = domains.iter().map(|(_, bounds)| bounds.0).collect();
        let mut complete = true;
        loop {
            let mut name = self.text(ident.name).to_owned();
            if !values.is_empty() {
                let shown: Vec<String> = values.iter().map(i64::to_string).collect();
                name = format!("{name}({})", shown.join(","));
            }
            let mut given = vec![];
            for ((ty, _), value) in domains.iter().zip(&values) {
                let term = self.value_of(ty, *value);
                given.push((Operand::safe(Val::Place(Place::value(term, ty.clone()))), ident.span));
            }
            complete &= self.bind(&symbol, given, name, ident.span).is_some();
            // The next combination; the last parameter runs fastest.
            let Some(at) = (0..values.len()).rev().find(|at| values[*at] < domains[*at].1.1) else {
                return complete.then_some(());
            };
            values[at] += 1;
            for later in at + 1..values.len() {
                values[later] = domains[later].1.0;
            }
        }
    }
    /// Makes a process of a template or an instance with all arguments given.
    fn bind(&mut self, symbol: &Symbol, given: Vec<(Operand, Span)>, name: String, span: Span) -> Option<()> {
        let ast = self.ast.clone();
        let (params, point) = opened(&ast, symbol)?;
        if params.len() != given.len() {
            let message =
                format!("the template has {} parameters, but is given {}", params.len(), given.len());
            return self.fail(Cause::WrongCount, span, message);
        }
        let written = match symbol {
            Symbol::Template(id, _) => written_by_template(&ast, &ast.templates[*id]),
            _ => Default::default(),
        };
        let first_var = self.system.vars.len();
        self.within(point, |cx| {
            // An instance is made of what its name stands for outside, whatever its parameters are called.
            let source = match symbol {
                Symbol::Instance(at, _) => {
                    let source = cx.source(&ast, *at);
                    if let (None, Decl::Instance(instance)) = (&source, &ast.decls[*at]) {
                        cx.check_args(instance);
                    }
                    Some(source?)
                }
                _ => None,
            };
            let mut family = vec![];
            let types = cx.param_types(params);
            if types.is_none() {
                // What else is wrong with the template is told all the same.
                params.iter().for_each(|param| cx.declare(param.var.ident, Symbol::Broken));
            }
            for ((param, (operand, span)), ty) in params.iter().zip(given).zip(types.into_iter().flatten()) {
                let name = format!("{name}.{}", cx.text(param.var.ident.name));
                let changed = written.contains(&param.var.ident.name);
                // A constant that is given may have 32 bits.
                let ty = if !changed && ty == Ty::Int(INT) { Ty::Int(CONSTANT) } else { ty };
                let place =
                    cx.argument(param, ty, operand, span, changed.then_some(name.as_str()), &mut family);
                cx.declare(param.var.ident, place.map_or(Symbol::Broken, Symbol::Place));
            }
            match symbol {
                Symbol::Template(template, _) => {
                    cx.made(Instantiated { name, template: *template, family }, first_var);
                    Some(())
                }
                Symbol::Instance(..) => {
                    let (instance, source) = source?;
                    let given: Vec<Option<(Operand, Span)>> = instance
                        .args
                        .iter()
                        .map(|arg| Some((cx.pure(|cx| cx.operand(*arg))?, cx.ast.exprs[*arg].span)))
                        .collect();
                    match (given.into_iter().collect(), &source) {
                        (Some(given), _) => cx.bind(&source, given, name, instance.span),
                        (None, Symbol::Template(id, point)) => {
                            cx.check_template(*id, *point);
                            None
                        }
                        (None, _) => None,
                    }
                }
                _ => None,
            }
        })
    }
    /// A process whose parameters are declared here.
    fn made(&mut self, instance: Instantiated, first_var: usize) {
        let (name, scope) = (instance.name.clone(), self.scopes.current());
        self.processes.push(ProcessInfo { name, scope, template: instance.template, vars: 0..0 });
        let number = self.processes.len() - 1;
        self.process(&instance, first_var);
        self.processes[number].vars = first_var..self.system.vars.len();
    }
    /// The instance with a number among the declarations, and what it is made of.
    fn source<'a>(&mut self, ast: &'a Ast, at: usize) -> Option<(&'a Instance, Symbol)> {
        let Decl::Instance(instance) = &ast.decls[at] else { return None };
        let Ident { name, span } = instance.template;
        match self.lookup(name) {
            Some(symbol @ Symbol::Template(..)) => Some((instance, symbol.clone())),
            // Only earlier instances, so that there are no circles even if a name is declared twice.
            Some(symbol @ Symbol::Instance(before, _)) if *before < at => Some((instance, symbol.clone())),
            // Reported already: by the same name it is declared twice, or it is broken; or a chart, which is ignored.
            Some(Symbol::Instance(itself, _)) if *itself == at => None,
            Some(Symbol::Broken) => None,
            Some(_) => self.fail(Cause::WrongKind, span, format!("`{}` is no template", self.text(name))),
            None => self.unknown("template", name, span),
        }
    }
    /// What a parameter stands for; `copy` is the name of a variable for it if the process changes it.
    fn argument(
        &mut self,
        param: &Param,
        ty: Ty,
        operand: Operand,
        span: Span,
        copy: Option<&str>,
        family: &mut Vec<Int>,
    ) -> Option<Place> {
        let constant = self.ast.types[param.var.ty].prefix.constant;
        // In the oldest syntax everything but constants is a reference.
        let old = self.ast.old && !constant && matches!(&operand.val, Val::Place(place) if !place.constant);
        if param.by_reference || !ty.is_data() || old {
            let Val::Place(place) = operand.val else {
                let name = self.text(param.var.ident.name);
                let message = format!("`{name}` is given by reference and needs a variable");
                return self.fail(Cause::NotAssignable, span, message);
            };
            if !crate::xta::function::same_shape(&place.ty, &ty) {
                return self.fail(
                    Cause::TypeMismatch,
                    span,
                    format!("this is {}, not {}", place.ty.show(), ty.show()),
                );
            }
            if !operand.faults.is_empty() {
                return self.fail(Cause::OutOfRange, span, "the position is outside the array");
            }
            return Some(Place { constant: place.constant || constant, ..place });
        }
        let tree = self.argument_value(&ty, operand, span)?;
        if let (Tree::Value(term), false) = (&tree, matches!(ty, Ty::Opaque(_))) {
            family.push(match self.system.terms.as_const(*term) {
                Some(Value::Bool(value)) => Int::from(i64::from(*value)),
                Some(Value::Int(value)) => value.clone(),
                _ => return None,
            });
        }
        Some(match copy {
            Some(name) if !constant => self.parameter_copy(name, ty, &tree, param.var.ident.span),
            _ => {
                let object = self.constant_object(&ty, &ty, &tree, &mut vec![]);
                Place::new(object, ty, true)
            }
        })
    }
    fn argument_value(&mut self, ty: &Ty, operand: Operand, span: Span) -> Option<Tree> {
        if let Ty::Opaque(_) = ty {
            let value = self.read(operand, span)?;
            self.as_opaque(value, span)?;
            return Some(Tree::Value(self.system.terms.int(0)));
        }
        if !ty.is_scalar() {
            let Val::Place(place) = &operand.val else {
                return self.fail(Cause::TypeMismatch, span, format!("this is no value of {}", ty.show()));
            };
            if place.ty != *ty {
                return self.fail(
                    Cause::TypeMismatch,
                    span,
                    format!("this is {}, not {}", place.ty.show(), ty.show()),
                );
            }
            return self.tree_of(place, span);
        }
        let value = self.read(operand, span)?;
        let value = self.as_int(value, span)?;
        let known = match self.system.terms.as_const(value.term) {
            Some(Value::Int(value)) => value.to_i64(),
            _ => None,
        };
        let Some(known) = known.filter(|_| value.faults.is_empty()) else {
            return self.fail(Cause::NotConstant, span, "an argument by value must be a constant");
        };
        if let Ty::Int((low, high)) = ty
            && !(*low..=*high).contains(&known)
        {
            let message = format!("the argument {known} is outside the range from {low} to {high}");
            return self.fail(Cause::OutOfRange, span, message);
        }
        Some(Tree::Value(self.value_of(ty, known)))
    }
}

/// The parameters of a template or an instance, and the point where it is declared.
fn opened<'a>(ast: &'a Ast, symbol: &Symbol) -> Option<(&'a [Param], Point)> {
    match symbol {
        Symbol::Template(id, point) => Some((&ast.templates[*id].params, *point)),
        Symbol::Instance(at, point) => match &ast.decls[*at] {
            Decl::Instance(instance) => Some((&instance.params, *point)),
            _ => None,
        },
        _ => None,
    }
}
