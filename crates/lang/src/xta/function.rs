//! Functions are inlined: their statements become code over local variables.
//!
//! Parameters by value and local variables are variables that live within a step; parameters by
//! reference are the places given. A `return` at the end of the body stores the result; any other one
//! also raises a flag that switches off what follows. Where no effects are allowed, or a function has
//! none, its result is a term, found by symbolic execution.

use ir::range::Ranges;
use ir::{Checked, Faults, Id, Span, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::code::Code as Cause;
use crate::diagnostic::Diagnostic;
use crate::xta::ast::*;
use crate::xta::code::Code;
use crate::xta::elaborate::{Elaborator, Hazard, Storage};
use crate::xta::execution::{MOST_ROUNDS, NotPure};
use crate::xta::expr::{Class, Operand, Val, then};
use crate::xta::opaque::Opaque;
use crate::xta::scope::{ExternalFunction, NotYet, Point, Symbol};
use crate::xta::types::*;

/// How deep "return here, else go on" is nested before a flag takes over.
const CASCADE: usize = 100;

/// The function being inlined.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    name: String,
    /// Where the result goes.
    result: Option<Place>,
    /// Set where a `return` leaves code behind it that must not run.
    returned: Option<VarId>,
    depth: usize,
}

/// What decides the value of a call that only looks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct CallKey {
    function: FunctionId,
    /// Where the function is declared.
    point: Point,
    arguments: Box<[ir::Term]>,
    /// The number of what is known where it is called, 0 if that is nothing.
    known: u64,
}

/// Whether what follows a statement runs.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Flow {
    Always,
    Sometimes,
    Never,
}

impl Elaborator {
    // Calls.

    pub(crate) fn call_expr(&mut self, function: ExprId, args: &[ExprId], span: Span) -> Option<Operand> {
        let ast = self.ast.clone();
        let function_span = ast.exprs[function].span;
        let (name, symbol) = match ast.exprs[function].kind {
            ExprKind::Name(name) => {
                self.process_called(name, args, span)?;
                (name, self.lookup(name).cloned())
            }
            // A function of a process, which looks at what it knows.
            ExprKind::Field(base, part) if self.in_query => {
                let Some(process) = self.process_meant(base) else {
                    return self.fail(Cause::WrongKind, function_span, "only functions can be called");
                };
                (part.name, self.scopes.own(self.processes[process?].scope, part.name).cloned())
            }
            _ => return self.fail(Cause::WrongKind, function_span, "only functions can be called"),
        };
        let (id, point) = match symbol {
            Some(Symbol::Function(id, point)) => (id, point),
            Some(Symbol::External(external)) => return self.external_call(external, args, span),
            Some(Symbol::Broken) => return self.all_wrong(args),
            Some(_) => {
                let message = format!("`{}` is not a function", self.text(name));
                return self.fail(Cause::WrongKind, function_span, message);
            }
            None => {
                return match self.predefined_call(name, args, span) {
                    Some(result) => result,
                    None => {
                        self.unknown::<()>("function", name, function_span);
                        self.all_wrong(args)
                    }
                };
            }
        };
        if self.calls.contains(&id) {
            let message = format!("`{}` calls itself; recursion is not supported", self.text(name));
            return self.fail(Cause::UnsupportedRecursion, span, message);
        }
        let mark = self.mark();
        let has_effects = self.has_effects_of_call(id, args);
        let (before, known) = (self.context.clone(), self.known);
        let outer = self.code.replace(vec![]);
        let looks = outer.is_none() || !has_effects;
        let Some(mut given) = self.arguments(id, args, span) else {
            self.code = outer;
            return None;
        };
        // A call that only looks means the same wherever as much is known and its arguments are equal.
        let silent = self.code.as_ref().is_some_and(Vec::is_empty);
        let key = if looks && silent { self.call_key(id, point, &given) } else { None };
        let mut faults = Faults::new();
        if let Some(key) = &key {
            for operand in &mut given {
                then(&mut self.system.terms, &mut faults, None, std::mem::take(&mut operand.faults));
            }
            if let Some(result) = self.known_call(key).cloned() {
                self.code = outer;
                self.release(mark);
                let result = if self.in_query { self.told_at(result, span) } else { result };
                then(&mut self.system.terms, &mut faults, None, result.faults);
                return Some(Operand::new(result.val, faults));
            }
            self.check(faults.clone());
        }
        let result = match self.labour(crate::xta::elaborate::CALL, span) {
            Some(()) => self.inline(id, point, given, args, span),
            None => None,
        };
        let mut code = std::mem::replace(&mut self.code, outer).unwrap_or_default();
        let result = result?;
        let own = self.taken(mark);
        if looks {
            // What goes wrong in arguments does so before the call.
            let body = if faults.is_empty() { &code[..] } else { &code[1..] };
            match self.execute_knowing(body, &own, before.clone()) {
                Ok((env, more)) => {
                    let val = self.settled(result.val, &env);
                    self.release(mark);
                    // Nothing has changed, so that as much is known as before.
                    (self.context, self.known) = (before, known);
                    let result = Operand::new(val, more);
                    if let Some(key) = key {
                        self.pure_calls.insert(key, result.clone());
                    }
                    then(&mut self.system.terms, &mut faults, None, result.faults);
                    return Some(Operand::new(result.val, faults));
                }
                Err(reason) if self.code.is_none() => return self.not_pure(name, reason, span),
                Err(_) => {}
            }
        }
        self.code.as_mut().expect("tested above").append(&mut code);
        Some(result)
    }
    /// What a call gives, if that is known. What it gives where nothing else is known it gives everywhere; but where it may
    /// go wrong, more may be known here, unless it has no arguments.
    fn known_call(&self, key: &CallKey) -> Option<&Operand> {
        let anywhere = || {
            let result = self.pure_calls.get(&CallKey { known: 0, ..key.clone() })?;
            (result.faults.is_empty() || key.arguments.is_empty()).then_some(result)
        };
        self.pure_calls.get(key).or_else(anywhere)
    }
    /// What decides the value of a call that only looks, if that is a few terms: the function and its arguments. Whether
    /// it goes wrong depends on what else is known.
    fn call_key(&mut self, id: FunctionId, point: Point, given: &[Operand]) -> Option<CallKey> {
        let ast = self.ast.clone();
        let params = &ast.functions[id].params;
        let mut terms = vec![];
        for (operand, param) in given.iter().zip(params) {
            terms.push(match &operand.val {
                Val::Int(term) | Val::Bool(term, Class::Data) => *term,
                Val::Place(place) if place.ty.is_scalar() && !param.by_reference => {
                    place.term(&mut self.system.terms)
                }
                _ => return None,
            });
        }
        let known = if self.context.is_empty() { 0 } else { self.known };
        Some(CallKey { function: id, point, arguments: terms.into(), known })
    }
    /// Executes the code of a call, if necessary with what was known of the state before it: what its loops do for
    /// other values does not matter then, but what comes out is no value of the function elsewhere.
    fn execute_knowing(
        &mut self,
        code: &[Code],
        own: &FxHashSet<VarId>,
        before: Ranges,
    ) -> Result<(FxHashMap<VarId, ir::Term>, Faults), NotPure> {
        let result = self.execute(code, own);
        if matches!(result, Ok(_) | Err(NotPure::Writes(_))) || before.is_empty() {
            return result;
        }
        self.context = before;
        let mut changed: Vec<VarId> = own.iter().copied().collect();
        changed.sort_unstable();
        self.context.forget(&self.system.terms, &self.declared, &changed);
        self.learned();
        self.execute(code, own)
    }
    /// A value that goes wrong as before, but at another place: a query tells its own.
    fn told_at(&mut self, mut operand: Operand, span: Span) -> Operand {
        for (_, fault) in &mut operand.faults {
            let Hazard { kind, limit, .. } = *self.hazards.get_index(fault.index()).expect("a known hazard");
            *fault = self.hazard(kind, span, limit);
        }
        operand
    }
    /// Refuses a call where only a value is wanted, and there is none.
    fn not_pure<T>(&mut self, name: Name, reason: NotPure, span: Span) -> Option<T> {
        let name = self.text(name);
        let (message, place) = match reason {
            NotPure::Writes(var) => {
                let changed = &self.system.vars[var].name;
                let message = format!("`{name}` changes `{changed}`; only updates may have effects");
                return self.fail(Cause::SideEffect, span, message);
            }
            NotPure::Endless(place, values) => {
                let values: Vec<String> = values.iter().map(|(part, value)| self.is(*part, *value)).collect();
                let when = if values.is_empty() {
                    String::new()
                } else {
                    format!(" where {}", values.join(" and "))
                };
                (format!("a loop in `{name}` never ends{when}"), place)
            }
            NotPure::Long(place) => {
                let message = format!(
                    "a loop in `{name}` has no end within {MOST_ROUNDS} rounds, taken together for all values of what \
                     it depends on; give that narrower bounds, or call it only in updates"
                );
                (message, place)
            }
            NotPure::Many(place, part) => {
                let part = self.system.show(part);
                let message = format!(
                    "how often a loop in `{name}` is repeated depends on each value of `{part}`, and these are too many; \
                     give it narrower bounds, or call `{name}` only in updates"
                );
                (message, place)
            }
        };
        let mut diagnostic = Diagnostic::error(Cause::UnboundedLoop, span, message);
        if place != Span::default() && !self.in_query {
            diagnostic = diagnostic.note(place, "this loop");
        }
        self.report(diagnostic);
        None
    }
    /// That a part of the state has a value, for people.
    fn is(&self, part: ir::Term, value: ir::Term) -> String {
        let name = |part: ir::Term| self.system.show(part).to_string();
        format!("`{}` is {}", name(part), name(value))
    }
    /// A call of a library: nobody knows what it gives, or does to what it is given by reference.
    fn external_call(&mut self, external: ExternalFunction, args: &[ExprId], span: Span) -> Option<Operand> {
        let mut faults = Faults::new();
        for arg in args {
            let operand = self.operand(*arg)?;
            if external.changes
                && let Val::Place(place) = &operand.val
                && !place.constant
                && !matches!(place.ty.element(), Ty::Opaque(_))
            {
                return self.depends_on(Opaque::External(external.name), span);
            }
            then(&mut self.system.terms, &mut faults, None, operand.faults);
        }
        let val = if external.void { Val::Void } else { Val::Opaque(Opaque::External(external.name)) };
        Some(Operand::new(val, faults))
    }
    fn has_effects_of_call(&mut self, id: FunctionId, args: &[ExprId]) -> bool {
        self.code.is_some()
            && (matches!(self.ast.types[self.ast.functions[id].result].kind, TypeKind::Void)
                || self.function_has_effects(id)
                || args.iter().any(|arg| self.has_effects(*arg)))
    }
    /// A result with the values of locals put in.
    fn settled(&mut self, val: Val, env: &FxHashMap<VarId, ir::Term>) -> Val {
        match val {
            Val::Int(term) => Val::Int(self.system.terms.substitute(term, env)),
            Val::Bool(term, class) => Val::Bool(self.system.terms.substitute(term, env), class),
            Val::Place(place) => {
                let object = self.settled_object(&place.object, env);
                let indices = place
                    .indices
                    .iter()
                    .map(|(index, bounds)| (self.system.terms.substitute(*index, env), *bounds))
                    .collect();
                Val::Place(Place { object, indices, ..place })
            }
            other => other,
        }
    }
    fn settled_object(&mut self, object: &Object, env: &FxHashMap<VarId, ir::Term>) -> Object {
        match object {
            Object::Var(var) => env.get(var).map_or(object.clone(), |term| Object::Value(*term)),
            Object::Fields(fields) => {
                let fields: Vec<_> = fields.iter().map(|field| self.settled_object(field, env)).collect();
                Object::Fields(fields.into())
            }
            other => other.clone(),
        }
    }
    /// The arguments of a call.
    fn arguments(&mut self, id: FunctionId, args: &[ExprId], span: Span) -> Option<Vec<Operand>> {
        let ast = self.ast.clone();
        let function = &ast.functions[id];
        let name = self.text(function.ident.name).to_owned();
        if args.len() != function.params.len() {
            let message =
                format!("`{name}` has {} parameters, but is given {}", function.params.len(), args.len());
            self.report(
                Diagnostic::error(Cause::WrongCount, span, message)
                    .note(function.ident.span, "declared here"),
            );
            return None;
        }
        // Arguments belong to the caller's scope.
        let mut given = vec![];
        for (at, (param, arg)) in function.params.iter().zip(args).enumerate() {
            let arg_span = self.ast.exprs[*arg].span;
            let Some(operand) = self.operand(*arg) else { return self.all_wrong(&args[at + 1..]) };
            let is_reference =
                param.by_reference || matches!(&operand.val, Val::Place(place) if !place.ty.is_data());
            given.push(if is_reference {
                let Val::Place(place) = operand.val else {
                    let message = format!(
                        "`{}` is given by reference and needs a variable",
                        self.text(param.var.ident.name)
                    );
                    return self.fail(Cause::NotAssignable, arg_span, message);
                };
                self.check(operand.faults);
                Operand::safe(Val::Place(self.keep_place(place)))
            } else if self.disturbed_by(&args[at + 1..]) {
                self.keep(operand, arg_span)?
            } else {
                operand
            });
        }
        Some(given)
    }
    /// Emits the code of a call.
    fn inline(
        &mut self,
        id: FunctionId,
        point: Point,
        given: Vec<Operand>,
        args: &[ExprId],
        span: Span,
    ) -> Option<Operand> {
        let ast = self.ast.clone();
        let function = &ast.functions[id];
        let name = self.text(function.ident.name).to_owned();
        self.calls.push(id);
        let asked = self.asked;
        if self.in_query {
            self.asked = asked.or(Some(span));
        }
        let frame = std::mem::take(&mut self.frame);
        let result = self.within(point, |cx| cx.body(function, &name, given, args));
        self.frame = frame;
        self.asked = asked;
        self.calls.pop();
        result
    }
    fn body(
        &mut self,
        function: &Function,
        name: &str,
        given: Vec<Operand>,
        args: &[ExprId],
    ) -> Option<Operand> {
        let types = self.param_types(&function.params);
        let ty = self.resolve(function.result)?;
        let is_known = types.is_some();
        if !is_known {
            // What else is wrong with the function is told all the same.
            function.params.iter().for_each(|param| self.declare(param.var.ident, Symbol::Broken));
        }
        let types = types.into_iter().flatten();
        for (((param, operand), arg), ty) in function.params.iter().zip(given).zip(args).zip(types) {
            let arg_span = self.ast.exprs[*arg].span;
            let constant = self.ast.types[param.var.ty].prefix.constant;
            let place = match operand.val {
                Val::Place(place) if param.by_reference || !ty.is_data() => {
                    if !same_shape(&place.ty, &ty) {
                        let message = format!("this is {}, not {}", place.ty.show(), ty.show());
                        return self.fail(Cause::TypeMismatch, arg_span, message);
                    }
                    Place { constant: place.constant || constant, ..place }
                }
                _ => {
                    if !ty.is_data() {
                        let message = format!("this is no {}", ty.element().show());
                        return self.fail(Cause::TypeMismatch, arg_span, message);
                    }
                    let ty = if constant && ty == Ty::Int(INT) { Ty::Int(CONSTANT) } else { ty };
                    self.inhabited(&ty, param.var.ident)?;
                    let place = self.local_place(name, param.var.ident, ty);
                    self.assign(&place, operand, arg_span, Faults::new())?;
                    Place { constant, ..place }
                }
            };
            self.declare(param.var.ident, Symbol::Place(place));
        }
        let result = match ty {
            Ty::Void => None,
            ty if ty.is_data() => {
                let object =
                    self.object(&format!("{name}.return"), &ty, &mut vec![], Storage::Local, Span::default());
                Some(Place::new(object, ty, false))
            }
            _ => {
                let message = format!("`{name}` cannot return {}", ty.show());
                return self.fail(Cause::TypeMismatch, function.ident.span, message);
            }
        };
        self.frame = Frame { name: name.to_owned(), result: result.clone(), returned: None, depth: 0 };
        let outer = self.code.replace(vec![]);
        let flow = self.body_stmt(function.body).filter(|_| is_known);
        let mut code = std::mem::replace(&mut self.code, outer).unwrap_or_default();
        if let Some(flag) = self.frame.returned {
            let no = self.system.terms.bool(false);
            self.emit(Code::Assign(flag, no.into()));
        }
        if let Some(result) = &result
            && flow? != Flow::Never
        {
            self.set_default(result);
        }
        flow?;
        self.code.as_mut().expect("inlining emits code").append(&mut code);
        Some(Operand::safe(result.map_or(Val::Void, Val::Place)))
    }
    fn local_place(&mut self, function: &str, ident: Ident, ty: Ty) -> Place {
        let name = format!("{function}.{}", self.text(ident.name));
        let object = self.object(&name, &ty, &mut vec![], Storage::Local, ident.span);
        Place::new(object, ty, false)
    }
    fn set_default(&mut self, place: &Place) {
        for leaf in place.leaves() {
            let Object::Var(var) = leaf.object else { continue };
            let value = default_term(&mut self.system.terms, &leaf.ty);
            let value = leaf.stored(&mut self.system.terms, var, value);
            self.emit(Code::Assign(var, value.into()));
        }
    }

    // Statements.

    /// Emits the code of a statement; `tail` if nothing of the function comes after it.
    fn stmt(&mut self, stmt: StmtId, tail: bool) -> Option<Flow> {
        ir::deep(|| self.stmt_here(stmt, tail))
    }
    fn stmt_here(&mut self, stmt: StmtId, tail: bool) -> Option<Flow> {
        let ast = self.ast.clone();
        let Stmt { kind, span } = &ast.stmts[stmt];
        match kind {
            StmtKind::Empty => Some(Flow::Always),
            StmtKind::Expr(expr) => self.discard(*expr).map(|()| Flow::Always),
            StmtKind::Block(decls, list) => self.nested(|cx| cx.block(decls, list, tail)),
            StmtKind::If(condition, then, otherwise) => {
                let condition = match self.condition(*condition)? {
                    Ok(condition) => condition,
                    Err((why, span)) => return self.opaque_if(why, span, *then, *otherwise, tail),
                };
                let (then, a) = self.captured(|cx| cx.stmt(*then, tail))?;
                let (otherwise, b) = self.captured(|cx| match otherwise {
                    Some(otherwise) => cx.stmt(*otherwise, tail),
                    None => Some(Flow::Always),
                })?;
                self.emit(Code::If(condition, then, otherwise));
                Some(either(a, b))
            }
            StmtKind::While(condition, body) => self.while_stmt(Some(*condition), *body, &[], *span),
            StmtKind::For([init, condition, step], body) => {
                for expr in init {
                    self.discard(*expr)?;
                }
                let (last, before) = match condition.split_last() {
                    Some((last, before)) => (Some(*last), before),
                    None => (None, [].as_slice()),
                };
                if let Some(first) = before.first() {
                    let span = self.ast.exprs[*first].span;
                    return self.fail(Cause::Misplaced, span, "the condition of a loop is one expression");
                }
                self.while_stmt(last, *body, step, *span)
            }
            StmtKind::DoWhile(body, condition) => {
                let again = self.hidden("$again", Type::Bool, None, *span);
                let yes = self.system.terms.bool(true);
                self.emit(Code::Assign(again, yes.into()));
                self.context = Ranges::default();
                let (code, flow) = self.captured(|cx| {
                    let flow = cx.stmt(*body, false)?;
                    let (test, ()) = cx.captured(|cx| {
                        let condition = cx.data_truth(*condition)?;
                        cx.emit(Code::Assign(again, condition));
                        Some(())
                    })?;
                    cx.emit_unless_returned(flow, test);
                    Some(flow)
                })?;
                let again = self.system.terms.var(again);
                let condition = self.unless_returned(flow, again.into());
                self.emit(Code::While(condition, code, *span));
                Some(if flow == Flow::Always { Flow::Always } else { Flow::Sometimes })
            }
            StmtKind::Iterate(ident, ty, body) => {
                let resolved = self.pure(|cx| cx.resolve(*ty))?;
                let (low, high) = self.finite(&resolved, self.ast.types[*ty].span)?;
                let name = format!("{}.{}", self.frame.name, self.text(ident.name));
                let var = self.local(&name, Type::Int, Some((low, high)), ident.span);
                let mut term = self.system.terms.var(var);
                if resolved == Ty::Bool {
                    let one = self.system.terms.int(1);
                    term = self.system.terms.eq(term, one);
                }
                self.context = Ranges::default();
                let (code, flow) = self.nested(|cx| {
                    cx.declare(*ident, Symbol::Place(Place::value(term, resolved)));
                    cx.captured(|cx| cx.stmt(*body, false))
                })?;
                let code = match self.not_returned(flow) {
                    Some(go_on) => vec![Code::If(go_on, code, vec![])],
                    None => code,
                };
                if low <= high {
                    self.emit(Code::For(var, low, high, code));
                }
                Some(if flow == Flow::Always { Flow::Always } else { Flow::Sometimes })
            }
            StmtKind::Return(value) => self.return_stmt(*value, tail, *span),
        }
    }
    /// The condition of a branching, if its value is computed.
    fn condition(&mut self, expr: ExprId) -> Option<Result<Checked, (Opaque, Span)>> {
        let span = self.ast.exprs[expr].span;
        let value = self.value(expr)?;
        if let Val::Opaque(why) = value.val {
            self.check(value.faults);
            return Some(Err((why, span)));
        }
        let (value, class) = self.as_truth(value, span)?;
        if class != Class::Data {
            return self.fail(Cause::ClockMisuse, span, "clocks cannot be tested here");
        }
        Some(Ok(value))
    }
    /// A branching by a value that is not computed: neither side may do anything that is.
    fn opaque_if(
        &mut self,
        why: Opaque,
        span: Span,
        then: StmtId,
        otherwise: Option<StmtId>,
        tail: bool,
    ) -> Option<Flow> {
        let mut flows = vec![];
        for side in [Some(then), otherwise] {
            let (code, flow) = self.captured(|cx| match side {
                Some(side) => cx.stmt(side, tail),
                None => Some(Flow::Always),
            })?;
            self.nothing_happens(why, span, &code, flow)?;
            flows.push(flow);
        }
        Some(either(flows[0], flows[1]))
    }
    /// Refuses what a value that is not computed would decide: what is done, or what is returned.
    fn nothing_happens(&mut self, why: Opaque, span: Span, code: &[Code], flow: Flow) -> Option<()> {
        let opaque = |result: &Place| matches!(result.ty, Ty::Opaque(_));
        if code.is_empty() && (flow == Flow::Always || self.frame.result.as_ref().is_none_or(opaque)) {
            return Some(());
        }
        self.depends_on(why, span)
    }
    /// The body of a function, whose variables are declared together with its parameters.
    fn body_stmt(&mut self, body: StmtId) -> Option<Flow> {
        let ast = self.ast.clone();
        match &ast.stmts[body].kind {
            StmtKind::Block(decls, list) => self.block(decls, list, true),
            _ => self.stmt(body, true),
        }
    }
    /// Declarations and statements in the current scope.
    fn block(&mut self, decls: &[Decl], list: &[StmtId], tail: bool) -> Option<Flow> {
        let ast = self.ast.clone();
        self.scopes.announce(decls.iter().map(|decl| decl.ident(&ast)), NotYet::Later);
        for decl in decls {
            self.local_decl(decl)?;
        }
        self.list(list, tail)
    }
    fn return_stmt(&mut self, value: Option<ExprId>, tail: bool, span: Span) -> Option<Flow> {
        match (self.frame.result.clone(), value) {
            (None, None) => {}
            (Some(result), Some(value)) => {
                let value_span = self.ast.exprs[value].span;
                let operand = self.operand(value)?;
                self.assign(&result, operand, value_span, Faults::new())?;
            }
            (None, Some(value)) => {
                let span = self.ast.exprs[value].span;
                return self.fail(Cause::WrongReturn, span, format!("`{}` returns nothing", self.frame.name));
            }
            (Some(_), None) => {
                return self.fail(
                    Cause::WrongReturn,
                    span,
                    format!("`{}` must return a value", self.frame.name),
                );
            }
        }
        if !tail {
            let flag = match self.frame.returned {
                Some(flag) => flag,
                None => self.hidden("$returned", Type::Bool, None, Span::default()),
            };
            self.frame.returned = Some(flag);
            let yes = self.system.terms.bool(true);
            self.emit(Code::Assign(flag, yes.into()));
        }
        Some(Flow::Never)
    }
    /// Statements one after the other.
    fn list(&mut self, list: &[StmtId], tail: bool) -> Option<Flow> {
        let ast = self.ast.clone();
        let mut wrong = false;
        for (at, stmt) in list.iter().enumerate() {
            let rest = &list[at + 1..];
            // `if (c) return a; rest` is `if (c) return a; else rest`.
            if let StmtKind::If(condition, then, otherwise) = &ast.stmts[*stmt].kind
                && tail
                && !rest.is_empty()
                && self.frame.depth < CASCADE
                && always_returns(&ast, *then)
            {
                self.frame.depth += 1;
                let condition = self.condition(*condition)?;
                let (then, _) = self.captured(|cx| cx.stmt(*then, true))?;
                let (otherwise, flow) = self.captured(|cx| {
                    let flow = match otherwise {
                        Some(otherwise) => cx.stmt(*otherwise, false)?,
                        None => Flow::Always,
                    };
                    cx.rest(flow, rest, true)
                })?;
                self.frame.depth -= 1;
                match condition {
                    Ok(condition) => self.emit(Code::If(condition, then, otherwise)),
                    Err((why, span)) => {
                        self.nothing_happens(why, span, &then, Flow::Never)?;
                        self.nothing_happens(why, span, &otherwise, flow)?;
                    }
                }
                return Some(either(Flow::Never, flow));
            }
            let Some(flow) = self.stmt(*stmt, tail && rest.is_empty()) else {
                // What is wrong after it is told, too.
                wrong = true;
                continue;
            };
            if flow != Flow::Always {
                return self.rest(flow, rest, tail).filter(|_| !wrong);
            }
        }
        Some(Flow::Always).filter(|_| !wrong)
    }
    /// What follows a statement after which not everything runs.
    fn rest(&mut self, flow: Flow, rest: &[StmtId], tail: bool) -> Option<Flow> {
        match flow {
            Flow::Never => Some(Flow::Never),
            Flow::Always => self.list(rest, tail),
            Flow::Sometimes if rest.is_empty() => Some(Flow::Sometimes),
            Flow::Sometimes => {
                let (code, flow) = self.captured(|cx| cx.list(rest, tail))?;
                self.emit_unless_returned(Flow::Sometimes, code);
                Some(if flow == Flow::Never { Flow::Never } else { Flow::Sometimes })
            }
        }
    }
    fn while_stmt(
        &mut self,
        condition: Option<ExprId>,
        body: StmtId,
        step: &[ExprId],
        span: Span,
    ) -> Option<Flow> {
        // What holds before the first round need not hold before others.
        self.context = Ranges::default();
        let (test, condition) = self.captured(|cx| match condition {
            Some(condition) => cx.data_truth(condition),
            None => Some(cx.system.terms.bool(true).into()),
        })?;
        let (mut code, flow) = self.captured(|cx| {
            let flow = cx.stmt(body, false)?;
            let (step, ()) = cx.captured(|cx| step.iter().try_for_each(|expr| cx.discard(*expr)))?;
            cx.emit_unless_returned(flow, step);
            Some(flow)
        })?;
        let mut holds = condition;
        if !test.is_empty() {
            // The condition needs code of its own, before the loop and at the end of each round.
            let var = self.hidden("$again", Type::Bool, None, span);
            let test: Vec<Code> = test.into_iter().chain([Code::Assign(var, holds)]).collect();
            code.extend(test.iter().cloned());
            self.code.as_mut().expect("inlining emits code").extend(test);
            holds = self.system.terms.var(var).into();
        }
        let holds = self.unless_returned(flow, holds);
        self.emit(Code::While(holds, code, span));
        Some(if flow == Flow::Always { Flow::Always } else { Flow::Sometimes })
    }
    /// That no `return` has been met, if one may have been.
    fn not_returned(&mut self, flow: Flow) -> Option<Checked> {
        let flag = self.frame.returned.filter(|_| flow != Flow::Always)?;
        let returned = self.system.terms.var(flag);
        Some(self.system.terms.not(returned).into())
    }
    fn unless_returned(&mut self, flow: Flow, condition: Checked) -> Checked {
        match self.not_returned(flow) {
            Some(go_on) => Checked::junction(&mut self.system.terms, vec![go_on, condition], false),
            None => condition,
        }
    }
    fn emit_unless_returned(&mut self, flow: Flow, code: Vec<Code>) {
        if code.is_empty() {
            return;
        }
        match self.not_returned(flow) {
            Some(go_on) => self.emit(Code::If(go_on, code, vec![])),
            None => self.code.as_mut().expect("inlining emits code").extend(code),
        }
    }
    /// The code that `f` emits.
    fn captured<T>(&mut self, f: impl FnOnce(&mut Self) -> Option<T>) -> Option<(Vec<Code>, T)> {
        let outer = self.code.replace(vec![]);
        let result = f(self);
        let code = std::mem::replace(&mut self.code, outer).unwrap_or_default();
        Some((code, result?))
    }
    fn local_decl(&mut self, decl: &Decl) -> Option<()> {
        let var = match decl {
            Decl::Var(var) => var,
            Decl::Typedef(var) => {
                let ty = self.declared_type(var)?;
                self.declare(var.ident, Symbol::Type(ty));
                return Some(());
            }
            Decl::Unread(ident) => {
                if self.lookup(ident.name).is_none() {
                    self.declare(*ident, Symbol::Broken);
                }
                return Some(());
            }
            _ => return Some(()),
        };
        let ty = self.pure(|cx| cx.declared_type(var))?;
        if !ty.is_data() {
            let message = format!("{} cannot be declared in a function", ty.element().show());
            return self.fail(Cause::Misplaced, var.ident.span, message);
        }
        self.inhabited(&ty, var.ident)?;
        let constant = self.ast.types[var.ty].prefix.constant;
        let place = self.local_place(&self.frame.name.clone(), var.ident, ty);
        match var.initial {
            Some(initial) => {
                let span = self.ast.exprs[initial].span;
                if constant && place.ty.is_scalar() {
                    let value = self.value(initial)?;
                    let term = match value.val {
                        Val::Int(term) | Val::Bool(term, _) => Some(term),
                        _ => None,
                    };
                    let known = term.is_some_and(|term| self.system.terms.as_const(term).is_some());
                    if known && value.faults.is_empty() {
                        let term = match place.ty {
                            Ty::Bool => self.data_truth(initial)?.term,
                            _ => self.as_int(value, span)?.term,
                        };
                        self.declare(var.ident, Symbol::Place(Place::value(term, place.ty)));
                        return Some(());
                    }
                }
                if matches!(self.ast.exprs[initial].kind, ExprKind::List(_)) {
                    // Entries are set one after the other, in an array that has a value before.
                    self.set_default(&place);
                }
                self.initialise(&place, initial)?;
            }
            None => self.set_default(&place),
        }
        self.declare(var.ident, Symbol::Place(Place { constant, ..place }));
        Some(())
    }
    fn initialise(&mut self, place: &Place, initial: ExprId) -> Option<()> {
        let ast = self.ast.clone();
        let Expr { kind, span } = &ast.exprs[initial];
        match (kind, &place.ty) {
            (ExprKind::List(items), Ty::Array((low, high), _)) => {
                if items.len() as u64 != count((*low, *high)) {
                    let message = format!("{} values for {} entries", items.len(), count((*low, *high)));
                    return self.fail(Cause::WrongCount, *span, message);
                }
                for (at, (_, item)) in items.iter().enumerate() {
                    let index = self.system.terms.int(low + at as i64);
                    self.initialise(&place.entry(index), *item)?;
                }
                Some(())
            }
            (ExprKind::List(items), Ty::Struct(fields)) => {
                let order = self.field_order(fields, items, *span)?;
                for (at, item) in order.into_iter().enumerate() {
                    self.initialise(&place.field(at), item)?;
                }
                Some(())
            }
            _ => {
                let operand = self.operand(initial)?;
                self.assign(place, operand, *span, Faults::new())
            }
        }
    }
}

/// Whether a statement returns on every way.
fn always_returns(ast: &Ast, stmt: StmtId) -> bool {
    match &ast.stmts[stmt].kind {
        StmtKind::Return(_) => true,
        StmtKind::Block(_, list) => list.iter().any(|stmt| ir::deep(|| always_returns(ast, *stmt))),
        StmtKind::If(_, then, Some(otherwise)) => {
            ir::deep(|| always_returns(ast, *then) && always_returns(ast, *otherwise))
        }
        _ => false,
    }
}

/// Warnings about functions that may end without a value. UPPAAL refuses them; here they give the value that a variable
/// of their type starts with.
pub(crate) fn unreturned(ast: &Ast) -> Vec<Diagnostic> {
    let lacks = |function: &&Function| {
        !matches!(ast.types[function.result].kind, TypeKind::Void) && !ends_with_value(ast, function.body)
    };
    let warn = |function: &Function| {
        let name = ast.names.text(function.ident.name);
        let message = format!(
            "`{name}` may end without a `return`, and then gives the value that a variable of its type starts with; \
             UPPAAL refuses such a function"
        );
        Diagnostic::warning(Cause::WrongReturn, function.ident.span, message)
    };
    ast.functions.iter().filter(lacks).map(warn).collect()
}

/// Whether a statement returns on every way, or never ends.
fn ends_with_value(ast: &Ast, stmt: StmtId) -> bool {
    let always =
        |condition: &ExprId| matches!(ast.exprs[*condition].kind, ExprKind::Bool(true) | ExprKind::Int(1..));
    match &ast.stmts[stmt].kind {
        StmtKind::Return(_) => true,
        StmtKind::Block(_, list) => list.iter().any(|stmt| ir::deep(|| ends_with_value(ast, *stmt))),
        StmtKind::If(_, then, Some(otherwise)) => {
            ir::deep(|| ends_with_value(ast, *then) && ends_with_value(ast, *otherwise))
        }
        StmtKind::DoWhile(body, condition) => always(condition) || ir::deep(|| ends_with_value(ast, *body)),
        StmtKind::While(condition, _) => always(condition),
        StmtKind::For([_, condition, _], _) => condition.iter().all(always),
        _ => false,
    }
}

fn either(a: Flow, b: Flow) -> Flow {
    if a == b { a } else { Flow::Sometimes }
}

/// Whether types agree but for the bounds of integers and the kinds of channels: what a channel is declared as
/// decides.
pub(crate) fn same_shape(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::Int(_), Ty::Int(_)) => true,
        (Ty::Chan { .. }, Ty::Chan { .. }) | (Ty::Opaque(_), Ty::Opaque(_)) => true,
        // Whatever is done with the parameter, nothing is known of the clock.
        (Ty::Opaque(Opaque::Hybrid | Opaque::Start), Ty::Clock) => true,
        (Ty::Array(c, a), Ty::Array(d, b)) => c == d && same_shape(a, b),
        _ => a == b,
    }
}
